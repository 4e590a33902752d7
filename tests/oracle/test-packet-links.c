/* test-packet-links.c: known answers 1, 2, 5, 9, 11-14, 18-22, 25, 32-36, 60, 61, 63: packets over a few links */
#include "fab-packet-fixture.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)

static void
test_goodput_follows_the_mtu (void **state)
{
  static const struct { guint mtu; double gbps; } rows[] = { { 256, 181.56 }, { 512, 190.33 }, { 1024, 195.05 }, { 2048, 197.49 }, { 4096, 198.74 } };
  static const FixtureFlow flows[] = { { "h1", "h2", 64 * MIB, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      FixtureNet net;
      g_autoptr (FabResult) result = NULL;

      fixture_net_init (&net, "h1-s1@200 h2-s1@200", &(FixtureFabric) { .mtu_bytes = rows[i].mtu });
      result = fixture_packets (&net, flows, 1, NULL);
      fab_assert_close ((double) (64 * MIB) * 8e3 / (double) fab_result_time_ps (result), rows[i].gbps, 1e-3);
      fixture_net_clear (&net);
    }
}

static void
test_a_mebibyte_takes_its_bytes_on_the_wire (void **state)
{
  static const struct { const char *cables; double us; } rows[] = { { "h1-s1@200 h2-s1@200", 42.21 }, { "h1-s1@400 h2-s1@400", 21.10 } };
  static const FixtureFlow flows[] = { { "h1", "h2", MIB, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      FixtureNet net;
      g_autoptr (FabResult) result = NULL;

      fixture_net_init (&net, rows[i].cables, &(FixtureFabric) { 0 });
      result = fixture_packets (&net, flows, 1, NULL);
      fab_assert_close ((double) fab_result_time_ps (result) / 1e6, rows[i].us, 1e-3);
      fixture_net_clear (&net);
    }
}

/* One packet of 4096 bytes. */
static gint64
one_packet_ps (const char *cables, const FixtureFabric *fabric, gboolean store_and_forward)
{
  static const FixtureFlow flows[] = { { "h1", "h2", 4096, 0 } };
  FabPacketOptions options;
  FixtureNet net;
  g_autoptr (FabResult) result = NULL;

  fab_packet_options_init (&options);
  options.store_and_forward = store_and_forward;
  fixture_net_init (&net, cables, fabric);
  result = fixture_packets (&net, flows, 1, &options);
  fixture_net_clear (&net);
  return fab_result_time_ps (result);
}

static void
test_a_packet_cuts_through_or_is_stored (void **state)
{
  const FixtureFabric fabric = { .switch_ps = 250000, .cable_ps = 13500 };

  assert_int_equal (one_packet_ps ("h1-s1@200 h2-s1@200", &fabric, FALSE), 164880 + 250000 + 27000);
  assert_int_equal (one_packet_ps ("h1-s1@200 h2-s1@200", &fabric, TRUE), 2 * 164880 + 250000 + 27000);
}

/* Into a link twice as fast, half a packet must be in first: the tail then leaves as it comes in. */
static void
test_a_faster_output_never_runs_dry (void **state)
{
  const FixtureFabric fabric = { .switch_ps = 250000 };

  assert_int_equal (one_packet_ps ("h1-s1@200 h2-s1@400", &fabric, FALSE), 164880 + 250000);
  assert_int_equal (one_packet_ps ("h1-s1@400 h2-s1@200", &fabric, FALSE), 164880 + 250000);
  assert_int_equal (one_packet_ps ("h1-s1@200 s1-s2@400 h2-s2@200", &fabric, FALSE), 82440 + 164880 + 500000);
}

/* ---- credits ---- */

/* k packets of credit over 100 m: round trip 164.88 + 1000 ns. */
static void
test_credits_bound_the_rate_over_a_long_cable (void **state)
{
  static const struct { guint packets; double gbps; } rows[] = { { 1, 28.31 }, { 2, 56.62 }, { 4, 113.24 }, { 8, 200 } };
  static const FixtureFlow flows[] = { { "h1", "h2", 16 * MIB, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      FixtureNet net;
      FabPacketOptions options;
      g_autoptr (FabResult) result = NULL;

      fab_packet_options_init (&options);
      options.window_bytes = 0;
      options.nic_buffer_bytes = rows[i].packets * 65 * 64;
      fixture_net_init (&net, "h1-h2@200", &(FixtureFabric) { .cable_ps = 500000 });
      result = fixture_packets (&net, flows, 1, &options);
      fab_assert_close (fixture_wire_gbps (result, flows, 0), rows[i].gbps, 5e-3);
      fixture_net_clear (&net);
    }
}

/* 2048 blocks are 31 packets of 65: one more packet's time than they take to send is where the rate falls. */
static void
test_reach_of_2048_blocks (void **state)
{
  static const struct { guint gbps; double reach_m; } rows[] = { { 100, 989.3 }, { 200, 494.6 }, { 400, 247.3 } };
  static const FixtureFlow flows[] = { { "h1", "h2", 64 * MIB, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint beyond = 0; beyond < 2; beyond++)
      {
        g_autofree char *cable = g_strdup_printf ("h1-h2@%u", rows[i].gbps);
        FixtureNet net;
        FabPacketOptions options;
        g_autoptr (FabResult) result = NULL;
        double gbps;

        fab_packet_options_init (&options);
        options.window_bytes = 0;
        options.nic_buffer_bytes = 1 << 20;   /* the counters grant no more than 128 KiB of it */
        fixture_net_init (&net, cable, &(FixtureFabric) { .cable_ps = (gint64) (rows[i].reach_m * 5000 * (beyond ? 1.02 : 0.995)) });
        result = fixture_packets (&net, flows, 1, &options);
        gbps = fixture_wire_gbps (result, flows, 0);
        if (beyond)
          assert_true (gbps < 0.99 * rows[i].gbps);
        else
          fab_assert_close (gbps, rows[i].gbps, 2e-3);
        fixture_net_clear (&net);
      }
}

static void
test_a_buffer_below_one_packet_is_refused (void **state)
{
  static const FixtureFlow flows[] = { { "h1", "h2", MIB, 0 } };
  FixtureNet net;
  g_autoptr (FabSchedule) schedule = NULL;
  g_autoptr (GError) error = NULL;
  FabResult *result;

  fixture_net_init (&net, "h1-s1@200 h2-s1@200", &(FixtureFabric) { .buffer_bytes = 4096 });
  schedule = fixture_flows (&net, flows, 1);
  assert_null (fixture_try (&net, schedule, "packet", NULL, 1, &error));
  assert_int_equal (error->code, FAB_ERROR_VALUE);
  assert_non_null (strstr (error->message, "65 blocks"));
  fixture_net_clear (&net);
  fixture_net_init (&net, "h1-s1@200 h2-s1@200", &(FixtureFabric) { .buffer_bytes = 4160 });
  g_clear_error (&error);
  g_clear_pointer (&schedule, fab_schedule_unref);
  schedule = fixture_flows (&net, flows, 1);
  result = fixture_try (&net, schedule, "packet", NULL, 1, &error);
  assert_true (fab_result_complete (result));
  fab_result_unref (result);
  fixture_net_clear (&net);
}

/* ---- virtual lanes ---- */

static void
qos_of (FabQos *qos, const FabVlArbEntry *high, guint n_high, const FabVlArbEntry *low, guint n_low, guint limit)
{
  fab_qos_init (qos);
  qos->n_high = n_high;
  qos->n_low = n_low;
  qos->high_limit = limit;
  for (guint i = 0; i < n_high; i++)
    qos->high[i] = high[i];
  for (guint i = 0; i < n_low; i++)
    qos->low[i] = low[i];
}

/* Packets sent on each of three lanes of one port while all had some to send: the shares of those that left by when the first flow
 * of equal size ended. */
static void
lane_shares (const FabQos *qos, guint n_lanes, double *shares)
{
  static const char *const sources[] = { "h1", "h2", "h3" };
  FixtureFlow flows[3];
  FixtureNet net;
  gint64 first_ps = G_MAXINT64;
  g_autoptr (FabResult) result = NULL;

  for (guint i = 0; i < n_lanes; i++)
    flows[i] = (FixtureFlow) { sources[i], "h4", 32 * MIB, (guint8) i };
  fixture_net_init (&net, "h1-s1@200 h2-s1@200 h3-s1@200 h4-s1@200", &(FixtureFabric) { .qos = qos });
  result = fixture_packets (&net, flows, n_lanes, NULL);
  for (guint i = 0; i < n_lanes; i++)
    first_ps = MIN (first_ps, fab_result_finish_ps (result)[i]);
  for (guint i = 0; i < n_lanes; i++)   /* alone at first_ps: all its bytes by then; else what it still had to send at full rate says */
    shares[i] = 0;
  for (guint i = 0; i < n_lanes; i++)
    if (fab_result_finish_ps (result)[i] == first_ps)
      shares[i] = fixture_wire_gbps (result, flows, i) / 200;
  fixture_net_clear (&net);
}

static void
test_weights_of_the_low_table_share_the_link (void **state)
{
  static const FabVlArbEntry low[] = { { 0, 64 }, { 1, 128 }, { 2, 192 } };
  double shares[3];
  FabQos qos;

  qos_of (&qos, NULL, 0, low, 3, 0);
  lane_shares (&qos, 3, shares);
  fab_assert_close (shares[2], 1.0 / 2, 1e-2);
}

static void
test_a_weight_of_one_still_sends_a_whole_packet (void **state)
{
  static const FabVlArbEntry low[] = { { 0, 1 }, { 1, 64 } };
  double shares[3];
  FabQos qos;

  qos_of (&qos, NULL, 0, low, 2, 0);
  lane_shares (&qos, 2, shares);
  fab_assert_close (shares[0] + shares[1], shares[0] > 0 && shares[1] > 0 ? 1.0 : 0.5, 1e-2);
}

/* High on VL1, low on VL0; what VL1 gets while both have some. */
static double
high_share (guint limit)
{
  static const FabVlArbEntry low[] = { { 0, 64 } }, high[] = { { 1, 64 } };
  double shares[3];
  FabQos qos;

  qos_of (&qos, high, 1, low, 1, limit);
  lane_shares (&qos, 2, shares);
  return shares[1];
}

static void
test_the_high_limit_lets_low_in (void **state)
{
  fab_assert_close (high_share (6), 6.0 / 7, 1e-2);
  fab_assert_close (high_share (255), 1.0, 1e-3);   /* low starves */
  fab_assert_close (high_share (0), 0.5, 1e-2);
}

static void
test_a_lane_without_weight_is_refused (void **state)
{
  static const FabVlArbEntry low[] = { { 0, 64 }, { 1, 0 } };
  static const FixtureFlow flows[] = { { "h1", "h2", MIB, 0 }, { "h1", "h2", MIB, 1 } };
  g_autoptr (FabSchedule) schedule = NULL;
  g_autoptr (GError) error = NULL;
  FixtureNet net;
  FabQos qos;

  qos_of (&qos, NULL, 0, low, 2, 0);
  fixture_net_init (&net, "h1-s1@200 h2-s1@200", &(FixtureFabric) { .qos = &qos });
  schedule = fixture_flows (&net, flows, 2);
  assert_null (fixture_try (&net, schedule, "packet", NULL, 1, &error));
  assert_non_null (strstr (error->message, "VL1"));
  fixture_net_clear (&net);
}

static void
test_vl15_carries_no_data (void **state)
{
  static const FixtureFlow flows[] = { { "h1", "h2", MIB, 3 }, { "h1", "h2", MIB, 0 } };
  g_autoptr (FabResult) result = NULL;
  FixtureNet net;
  FabQos qos;

  fab_qos_init (&qos);
  qos.sl2vl[3] = FAB_SUBNET_VL15;
  fixture_net_init (&net, "h1-s1@200 h2-s1@200", &(FixtureFabric) { .qos = &qos });
  result = fixture_packets (&net, flows, 2, NULL);
  assert_false (fab_result_complete (result));
  assert_int_equal (fab_result_n_unreachable (result), 1);
  assert_int_equal (fab_result_finish_ps (result)[0], -1);
  assert_true (fab_result_finish_ps (result)[1] > 0);
  fixture_net_clear (&net);
}

/* ---- contention ---- */

static void
test_incast_shares_the_port (void **state)
{
  FixtureFlow flows[8];
  char names[8][4];
  g_autoptr (FabResult) result = NULL;
  FixtureNet net;

  for (guint i = 0; i < 8; i++)
    {
      g_snprintf (names[i], sizeof names[i], "h%u", i + 1);
      flows[i] = (FixtureFlow) { names[i], "h9", 8 * MIB, 0 };
    }
  fixture_net_init (&net, "h1-s1@200 h2-s1@200 h3-s1@200 h4-s1@200 h5-s1@200 h6-s1@200 h7-s1@200 h8-s1@200 h9-s1@200", &(FixtureFabric) { .switch_ps = 250000 });
  result = fixture_packets (&net, flows, 8, NULL);
  for (guint i = 0; i < 8; i++)
    fab_assert_close (fixture_wire_gbps (result, flows, i), 25, 1e-2);
  fixture_net_clear (&net);
}

/* Nearest to the sink first: 1/2, 1/4, 1/4. */
static void
test_a_parking_lot_favours_the_nearest (void **state)
{
  static const FixtureFlow flows[] = { { "h1", "h4", 16 * MIB, 0 }, { "h2", "h4", 16 * MIB, 0 }, { "h3", "h4", 32 * MIB, 0 } };
  g_autoptr (FabResult) result = NULL;
  FixtureNet net;

  fixture_net_init (&net, "h1-s1@200 h2-s2@200 h3-s3@200 s1-s2@200 s2-s3@200 h4-s3@200", &(FixtureFabric) { .switch_ps = 250000 });
  result = fixture_packets (&net, flows, 3, NULL);
  fab_assert_close (fixture_wire_gbps (result, flows, 0), 50, 1e-2);
  fab_assert_close (fixture_wire_gbps (result, flows, 1), 50, 1e-2);
  fab_assert_close (fixture_wire_gbps (result, flows, 2), 100, 1e-2);
  fixture_net_clear (&net);
}

/* Four hot flows and a victim share a 400G link; the hot ones' sink takes 200G. */
static FabResult *
run_victim (guint8 victim_sl, guint64 victim_bytes, FixtureFlow *flows)
{
  static const char cables[] = "h1-s1@200 h2-s1@200 h3-s1@200 h4-s1@200 h5-s1@200 s1-s2@400 h6-s2@200 h7-s2@200";
  static const char *const hot[] = { "h1", "h2", "h3", "h4" };
  FabPacketOptions options;
  FixtureNet net;
  FabResult *result;

  fab_packet_options_init (&options);
  options.window_bytes = 0;
  for (guint i = 0; i < 4; i++)
    flows[i] = (FixtureFlow) { hot[i], "h6", 16 * MIB, 0 };
  flows[4] = (FixtureFlow) { "h5", "h7", victim_bytes, victim_sl };
  fixture_net_init (&net, cables, &(FixtureFabric) { .switch_ps = 250000, .cable_ps = 13500 });
  result = fixture_packets (&net, flows, 5, &options);
  fixture_net_clear (&net);
  return result;
}

static void
test_a_victim_behind_a_hot_spot_gets_what_the_hot_flows_get (void **state)
{
  FixtureFlow flows[5];
  g_autoptr (FabResult) result = run_victim (0, 16 * MIB, flows);

  for (guint i = 0; i < 5; i++)
    fab_assert_close (fixture_wire_gbps (result, flows, i), 50, 2e-2);
}

static void
test_a_victim_on_its_own_lane_runs_free (void **state)
{
  FixtureFlow flows[5];
  g_autoptr (FabResult) result = run_victim (1, 64 * MIB, flows);

  fab_assert_close (fixture_wire_gbps (result, flows, 0), 50, 2e-2);
  fab_assert_close (fixture_wire_gbps (result, flows, 4), 200, 1e-2);
}

static void
test_the_victim_is_charged_to_credits (void **state)
{
  FixtureFlow flows[5];
  g_autoptr (FabResult) result = run_victim (0, 17 * MIB, flows);   /* it ends last */
  gsize n_waits;
  const FabWait *waits = fab_result_waits (result, &n_waits);
  gint64 credit_ps = 0, sum_ps = 0;

  for (gsize i = 0; i < n_waits; i++)
    {
      sum_ps += waits[i].time_ps;
      credit_ps += waits[i].kind == FAB_WAIT_CREDIT ? waits[i].time_ps : 0;
    }
  assert_int_equal (sum_ps, fab_result_time_ps (result));
  /* The shared link has room for 250 of its 400 Gb/s: it stands idle for three eighths of the time. */
  fab_assert_close ((double) credit_ps / (double) sum_ps, 3.0 / 8, 0.15);
}

/* ---- inside a node ---- */

static double
plan_rate (const char *const *settings, const char *const *pairs, guint64 bytes)
{
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (FabResult) result = NULL;

  return (double) bytes * 1e3 / (double) fixture_send_all_by (built, pairs, bytes, "packet", &result);
}

static void
test_links_of_a_node_give_what_the_fluid_engine_says (void **state)
{
  static const char *const rail[] = { "gpu001/gpu0", "gpu002/gpu0", "gpu001/gpu1", "gpu002/gpu1", NULL };
  static const char *const slot[] = { "gpu001/gpu0", "gpu002/gpu0", "gpu001/gpu1", "gpu002/gpu1", "gpu001/gpu2", "gpu002/gpu2",
                                      "gpu001/gpu3", "gpu002/gpu3", NULL };
  static const char *const peer[] = { "gpu001/gpu0", "gpu001/gpu1", NULL };
  static const char *const sockets[] = { "gpu001/gpu0", "gpu001/gpu4", "gpu001/gpu1", "gpu001/gpu5", "gpu001/gpu2", "gpu001/gpu6",
                                         "gpu001/gpu3", "gpu001/gpu7", "gpu001/gpu4", "gpu001/gpu0", "gpu001/gpu5", "gpu001/gpu1",
                                         "gpu001/gpu6", "gpu001/gpu2", "gpu001/gpu7", "gpu001/gpu3", NULL };
  static const char *const gen4[] = { "nodes.gpu.type=l40s-8-gen4switch", NULL };

  fab_assert_close (plan_rate (NULL, rail, 64 * MIB), 12.42, 1e-2);
  fab_assert_close (plan_rate (gen4, slot, 64 * MIB) * 4 * 8, 230.5, 1e-2);
  fab_assert_close (plan_rate (NULL, peer, 64 * MIB), 26, 1e-2);
  fab_assert_close (plan_rate (NULL, sockets, 64 * MIB), 22.0 / 4, 1e-2);
}

static void
test_both_directions_share_an_aggregate (void **state)
{
  static const char *const pairs[] = { "gpu001/gpu0", "gpu001/gpu1", "gpu001/gpu1", "gpu001/gpu0", NULL };
  static const char *const settings[] = { "nodes.gpu.links.gpu-link.aggregate=30GB/s", NULL };

  fab_assert_close (plan_rate (settings, pairs, 64 * MIB), 15, 1e-2);
}

/* ---- cancelling ---- */

static gboolean
stop (guint64 done, guint64 total, gpointer data)
{
  assert_true (done <= total);
  return ++*(guint *) data < 2;
}

static void
test_a_cancelled_run_says_it_is_not_complete (void **state)
{
  static const FixtureFlow flows[] = { { "h1", "h2", MIB, 0 }, { "h1", "h2", 1024 * MIB, 0 } };
  FabTransportRules rules = { .p2p_level = FAB_DISTANCE_PXB, .gdr_level = FAB_DISTANCE_PXB };
  g_autoptr (FabSchedule) schedule = NULL;
  g_autoptr (FabResult) result = NULL;
  guint n_ticks = 0;
  FixtureNet net;
  FabEngineInput input;

  fixture_net_init (&net, "h1-s1@200 h2-s1@200", &(FixtureFabric) { 0 });
  schedule = fixture_flows (&net, flows, 2);
  input = (FabEngineInput) {
    .topology = net.topology, .routes = &net.routes, .rules = &rules, .schedule = schedule, .tick = { .func = stop, .data = &n_ticks },
  };
  result = fab_engine_run (fab_engine_lookup ("packet", NULL), &input, NULL);
  assert_int_equal (n_ticks, 2);
  assert_false (fab_result_complete (result));
  assert_true (fab_result_finish_ps (result)[0] > 0);
  assert_int_equal (fab_result_finish_ps (result)[1], -1);
  fixture_net_clear (&net);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_goodput_follows_the_mtu),
    cmocka_unit_test (test_a_mebibyte_takes_its_bytes_on_the_wire),
    cmocka_unit_test (test_a_packet_cuts_through_or_is_stored),
    cmocka_unit_test (test_a_faster_output_never_runs_dry),
    cmocka_unit_test (test_credits_bound_the_rate_over_a_long_cable),
    cmocka_unit_test (test_reach_of_2048_blocks),
    cmocka_unit_test (test_a_buffer_below_one_packet_is_refused),
    cmocka_unit_test (test_weights_of_the_low_table_share_the_link),
    cmocka_unit_test (test_a_weight_of_one_still_sends_a_whole_packet),
    cmocka_unit_test (test_the_high_limit_lets_low_in),
    cmocka_unit_test (test_a_lane_without_weight_is_refused),
    cmocka_unit_test (test_vl15_carries_no_data),
    cmocka_unit_test (test_incast_shares_the_port),
    cmocka_unit_test (test_a_parking_lot_favours_the_nearest),
    cmocka_unit_test (test_a_victim_behind_a_hot_spot_gets_what_the_hot_flows_get),
    cmocka_unit_test (test_a_victim_on_its_own_lane_runs_free),
    cmocka_unit_test (test_the_victim_is_charged_to_credits),
    cmocka_unit_test (test_links_of_a_node_give_what_the_fluid_engine_says),
    cmocka_unit_test (test_both_directions_share_an_aggregate),
    cmocka_unit_test (test_a_cancelled_run_says_it_is_not_complete),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
