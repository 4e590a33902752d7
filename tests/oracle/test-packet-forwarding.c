/* test-packet-forwarding.c: static tables, adaptive routing and hashing side by side; dfsssp's lanes on a ring (known answer 53) */
#include "fab-packet-fixture.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)
#define N_HOSTS 8u

/* Two leaves of four hosts at 200G, two spines, 400G up: as much up as down. Each host to one of the other leaf. */
static const char full[] = "h1-s1@200 h2-s1@200 h3-s1@200 h4-s1@200 h5-s2@200 h6-s2@200 h7-s2@200 h8-s2@200 "
                           "s1-spine1@400 s1-spine2@400 s2-spine1@400 s2-spine2@400";

/* The slowest over all ways to pair the leaves, Gb/s. */
static double
worst_pairing (const char *cables, FabForwarding forwarding, double *mean, guint64 *n_passed)
{
  static const char *const hosts[] = { "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8" };
  double worst = 1e9;
  guint n = 0;

  *mean = 0;
  *n_passed = 0;
  for (guint code = 0; code < 256; code++)
    {
      guint to[4] = { code & 3, (code >> 2) & 3, (code >> 4) & 3, code >> 6 };
      FixtureFlow flows[4];
      g_autoptr (FabResult) result = NULL;
      FixtureNet net;

      if (((1u << to[0]) | (1u << to[1]) | (1u << to[2]) | (1u << to[3])) != 15)
        continue;
      for (guint i = 0; i < 4; i++)
        flows[i] = (FixtureFlow) { hosts[i], hosts[4 + to[i]], 8 * MIB, 0 };
      fixture_net_init (&net, cables, &(FixtureFabric) { .forwarding = forwarding, .switch_ps = 250000 });
      result = fixture_packets (&net, flows, 4, NULL);
      assert_true (fab_result_complete (result));
      *n_passed += fab_result_counters (result)->out_of_order;
      for (guint i = 0; i < 4; i++)
        {
          worst = MIN (worst, fixture_wire_gbps (result, flows, i));
          *mean += fixture_wire_gbps (result, flows, i);
          n++;
        }
      fixture_net_clear (&net);
    }
  *mean /= n;
  return worst;
}

static void
test_adaptive_routing_fills_what_hashing_leaves_idle (void **state)
{
  guint64 n_passed;
  double mean, adaptive = worst_pairing (full, FAB_FORWARDING_ADAPTIVE, &mean, &n_passed), hashed;

  assert_true (adaptive > 195 && mean > 197);
  hashed = worst_pairing (full, FAB_FORWARDING_HASH, &mean, &n_passed);
  assert_int_equal (n_passed, 0);
  assert_true (hashed < 140);    /* three or four flows on one 400G uplink somewhere */
  assert_true (mean < 190);
}

/* Over a slow and a fast spine a packet may pass the one before it: counted, and taken as it comes. */
static void
test_packets_pass_each_other_over_spines_of_two_speeds (void **state)
{
  static const char uneven[] = "h1-s1@200 h2-s1@200 h3-s1@200 h4-s1@200 h5-s2@200 h6-s2@200 h7-s2@200 h8-s2@200 "
                               "s1-spine1@400 s1-spine2@200 s2-spine1@400 s2-spine2@200";
  guint64 n_passed;
  double mean;

  worst_pairing (uneven, FAB_FORWARDING_ADAPTIVE, &mean, &n_passed);
  assert_true (n_passed > 0);
  assert_true (mean > 140 && mean <= 150.1);   /* 600 Gb/s for four */
  worst_pairing (uneven, FAB_FORWARDING_TABLE, &mean, &n_passed);
  assert_int_equal (n_passed, 0);
}

/* A ring of seven by shortest ways has a cycle; on dfsssp's lanes it has none, whatever the buffers. */
static void
test_dfsssp_runs_where_minhop_deadlocks (void **state)
{
  static const char ring[] = "h1-s1@200 h2-s2@200 h3-s3@200 h4-s4@200 h5-s5@200 h6-s6@200 h7-s7@200 "
                             "s1-s2@200 s2-s3@200 s3-s4@200 s4-s5@200 s5-s6@200 s6-s7@200 s7-s1@200";
  static const char *const hosts[] = { "h1", "h2", "h3", "h4", "h5", "h6", "h7" };
  FixtureFlow flows[7];
  FabPacketOptions options;

  fab_packet_options_init (&options);
  options.window_bytes = 0;
  for (guint i = 0; i < 7; i++)
    flows[i] = (FixtureFlow) { hosts[i], hosts[(i + 3) % 7], 4 * MIB, 0 };
  for (guint pass = 0; pass < 2; pass++)
    {
      g_autoptr (FabResult) result = NULL;
      FixtureNet net;
      gsize n_links;

      fixture_net_init (&net, ring, &(FixtureFabric) { .buffer_bytes = 65 * 64, .switch_ps = 250000, .routing = pass == 0 ? "minhop" : "dfsssp" });
      result = fixture_packets (&net, flows, 7, &options);
      assert_int_equal (fab_result_complete (result), pass == 1);
      assert_int_equal (fab_result_deadlock (result, &n_links) == NULL, pass == 1);
      fixture_net_clear (&net);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_adaptive_routing_fills_what_hashing_leaves_idle),
    cmocka_unit_test (test_packets_pass_each_other_over_spines_of_two_speeds),
    cmocka_unit_test (test_dfsssp_runs_where_minhop_deadlocks),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
