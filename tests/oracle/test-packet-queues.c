/* test-packet-queues.c: known answers 27, 29, 30, 47, 52-54: queueing theory, uniform traffic, deadlocks */
#include "fab-packet-fixture.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)
#define MAX_HOSTS 64u

/* n hosts on one switch, each with packets for all others and itself as far as the switch goes: the n hosts h1…hn send, g… receive. */
static FabResult *
run_switch (guint n, gboolean fifo, guint mtu_bytes, guint64 n_packets)
{
  g_autoptr (GString) cables = g_string_new (NULL);
  g_autofree FabPacketSource *sources = g_new0 (FabPacketSource, n);
  guint32 dsts[MAX_HOSTS];
  g_autoptr (FabSchedule) schedule = NULL;
  g_autoptr (GError) error = NULL;
  FabPacketOptions options;
  FixtureNet net;
  FabResult *result;

  for (guint i = 1; i <= 2 * n; i++)
    g_string_append_printf (cables, "%sh%u-s1@200", i > 1 ? " " : "", i);
  fixture_net_init (&net, cables->str, &(FixtureFabric) { .mtu_bytes = mtu_bytes });
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("h%u", n + i + 1);

      dsts[i] = fixture_host (&net, name);
    }
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("h%u", i + 1);

      sources[i] = (FabPacketSource) { .src = fixture_host (&net, name), .dsts = dsts, .n_dsts = n, .n_packets = n_packets };
    }
  fab_packet_options_init (&options);
  options.fifo = fifo;
  options.read_speedup = fifo ? 1 : 4;
  options.sources = sources;
  options.n_sources = n;
  schedule = fixture_flows (&net, NULL, 0);
  result = fixture_try (&net, schedule, "packet", &options, 7, &error);
  fab_assert_no_error (error);
  fixture_net_clear (&net);
  return result;
}

/* Packets that crossed the switch in the time of the slots until the first source had sent all, an output. */
static double
throughput (guint n, gboolean fifo, guint mtu_bytes, guint64 n_packets)
{
  g_autoptr (FabResult) result = run_switch (n, fifo, mtu_bytes, n_packets);
  gsize n_sources;
  const FabPacketSourceCount *sources = fab_result_packet_sources (result, &n_sources);
  gint64 last_ps = 0;
  guint64 delivered = 0;

  for (gsize i = 0; i < n_sources; i++)
    {
      delivered += sources[i].delivered;
      last_ps = MAX (last_ps, sources[i].last_ps);
    }
  assert_int_equal (delivered, n * n_packets);
  return (double) delivered / n * (double) ((mtu_bytes + FIXTURE_HEADER) * 40) / (double) last_ps;
}

/* Karol, Hluchyj, Morgan 1987. Slots times inputs ≥ 10^6. */
static void
test_one_queue_an_input_loses_what_karol_says (void **state)
{
  static const struct { guint n; double share; guint64 n_packets; } rows[] = {
    { 2, 0.75, 500000 }, { 3, 0.6825, 350000 }, { 4, 0.6552, 250000 }, { 8, 0.6184, 150000 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      double share = throughput (rows[i].n, TRUE, 4096, rows[i].n_packets);

      assert_true (share > rows[i].share - 0.003 && share < rows[i].share + 0.003);
    }
}

/* The buffer an input shares among its queues is a window on its traffic: 409 packets of 256 bytes see far enough, 31 of 4096 cost
 * three hundredths. */
static void
test_a_queue_for_each_output_loses_nothing (void **state)
{
  double share = throughput (8, FALSE, 256, 100000);

  fab_assert_close (throughput (8, FALSE, 4096, 100000), 0.97, 1e-2);
  assert_true (share > 0.99 && share <= 1.0);
}

/* Poisson arrivals into one output queue: ρ / 2 (1 - ρ) service times. */
static void
test_poisson_arrivals_wait_as_pollaczek_and_khinchine_say (void **state)
{
  static const struct { double load, wait; guint64 n_packets; } rows[] = { { 0.5, 0.5, 2000000 }, { 0.9, 4.5, 8000000 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabSchedule) schedule = NULL;
      g_autoptr (FabResult) result = NULL;
      g_autoptr (GError) error = NULL;
      FabPacketSource source = { .load_ratio = rows[i].load, .n_packets = rows[i].n_packets, .n_dsts = 1 };
      FabPacketOptions options;
      FixtureNet net;
      guint32 dst;
      gsize n_lanes;
      const FabPacketLane *lanes;

      fixture_net_init (&net, "h1-h2@200", &(FixtureFabric) { 0 });
      source.src = fixture_host (&net, "h1");
      dst = fixture_host (&net, "h2");
      source.dsts = &dst;
      fab_packet_options_init (&options);
      options.sources = &source;
      options.n_sources = 1;
      schedule = fixture_flows (&net, NULL, 0);
      result = fixture_try (&net, schedule, "packet", &options, 3, &error);
      fab_assert_no_error (error);
      lanes = fab_result_packet_lanes (result, &n_lanes);
      assert_int_equal (n_lanes, 1);
      fab_assert_close ((double) lanes[0].queue_wait_ps / (double) lanes[0].xmit_pkts / (FIXTURE_PACKET * 40), rows[i].wait, 2e-2);
      fixture_net_clear (&net);
    }
}

/* ---- deadlock ---- */

/* A ring of @n switches, each host sending @hops on, one lane, buffers of @packets. */
static FabResult *
run_ring (guint n, guint hops, guint packets, const char *routing)
{
  g_autoptr (GString) cables = g_string_new (NULL);
  g_autofree FixtureFlow *flows = g_new0 (FixtureFlow, n);
  char names[8][4];
  FabPacketOptions options;
  FixtureNet net;
  FabResult *result;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (cables, "%sh%u-s%u@200", i > 0 ? " " : "", i + 1, i + 1);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (cables, " s%u-s%u@200", i + 1, (i + 1) % n + 1);
  for (guint i = 0; i < n; i++)
    g_snprintf (names[i], sizeof names[i], "h%u", i + 1);
  for (guint i = 0; i < n; i++)
    flows[i] = (FixtureFlow) { names[i], names[(i + hops) % n], 4 * MIB, 0 };
  fab_packet_options_init (&options);
  options.window_bytes = 0;
  fixture_net_init (&net, cables->str, &(FixtureFabric) { .buffer_bytes = packets * 65 * 64, .switch_ps = 250000, .routing = routing });
  result = fixture_packets (&net, flows, n, &options);
  fixture_net_clear (&net);
  return result;
}

/* Clockwise by the shortest way: in a ring of five, two hops. */
static void
test_a_ring_deadlocks_and_names_the_cycle (void **state)
{
  static const guint buffers[] = { 1, 4, 32 };

  for (gsize i = 0; i < G_N_ELEMENTS (buffers); i++)
    {
      g_autoptr (FabResult) result = run_ring (7, 3, buffers[i], "minhop");
      gsize n_links;

      assert_false (fab_result_complete (result));
      assert_non_null (fab_result_deadlock (result, &n_links));
      assert_int_equal (n_links, 7);
    }
}

static void
test_updn_never_deadlocks_on_the_ring (void **state)
{
  g_autoptr (FabResult) result = run_ring (7, 3, 1, "updn");
  gsize n_links;

  assert_true (fab_result_complete (result));
  assert_null (fab_result_deadlock (result, &n_links));
}

static void
test_a_leaf_and_spine_mesh_does_not_deadlock (void **state)
{
  static const char cables[] =
    "h1-s1@200 h2-s1@200 h3-s2@200 h4-s2@200 h5-s3@200 h6-s3@200 s1-spine1@200 s2-spine1@200 s3-spine1@200 s1-spine2@200 s2-spine2@200 s3-spine2@200";
  static const char *const names[] = { "h1", "h2", "h3", "h4", "h5", "h6" };
  FixtureFlow flows[30];
  guint n = 0;
  FixtureNet net;
  g_autoptr (FabResult) result = NULL;

  for (guint i = 0; i < 6; i++)
    for (guint j = 0; j < 6; j++)
      if (i != j)
        flows[n++] = (FixtureFlow) { names[i], names[j], MIB, 0 };
  fixture_net_init (&net, cables, &(FixtureFabric) { .buffer_bytes = 65 * 64, .switch_ps = 250000, .routing = "updn" });
  result = fixture_packets (&net, flows, n, NULL);
  assert_true (fab_result_complete (result));
  fixture_net_clear (&net);
}

/* Uniform traffic on the plan's fabric: never above 0.8843 of a host's rate (what the uplinks carry of the crossing share). */
static void
test_uniform_traffic_stays_below_the_uplinks (void **state)
{
  g_autoptr (GString) cables = g_string_new (NULL);
  g_autofree FabPacketSource *sources = g_new0 (FabPacketSource, 48);
  guint32 dsts[MAX_HOSTS];
  g_autoptr (FabSchedule) schedule = NULL;
  g_autoptr (FabResult) result = NULL;
  g_autoptr (GError) error = NULL;
  const FabPacketSourceCount *counts;
  FabPacketOptions options;
  gsize n_sources;
  gint64 last_ps = 0;
  FixtureNet net;
  double share;

  /* A quarter of the plan: 4 leaves of 12 hosts, 4 uplinks of 400G each: 1.5:1, crossing share 36/48. */
  for (guint i = 0; i < 48; i++)
    g_string_append_printf (cables, "%sh%u-s%u@200", i > 0 ? " " : "", i + 1, i / 12 + 1);
  for (guint s = 1; s <= 4; s++)
    for (guint p = 1; p <= 4; p++)
      g_string_append_printf (cables, " s%u-spine%u@400", s, p);
  fixture_net_init (&net, cables->str, &(FixtureFabric) { .switch_ps = 250000, .cable_ps = 100000, .buffer_bytes = 131072 });
  for (guint i = 0; i < 48; i++)
    {
      g_autofree char *name = g_strdup_printf ("h%u", i + 1);

      dsts[i] = fixture_host (&net, name);
    }
  for (guint i = 0; i < 48; i++)   /* to all but itself: dsts turned so that it is last */
    {
      guint32 *others = g_new (guint32, 47);

      for (guint j = 0; j < 47; j++)
        others[j] = dsts[(i + 1 + j) % 48];
      sources[i] = (FabPacketSource) { .src = dsts[i], .dsts = others, .n_dsts = 47, .n_packets = 4000 };
    }
  fab_packet_options_init (&options);
  options.sources = sources;
  options.n_sources = 48;
  schedule = fixture_flows (&net, NULL, 0);
  result = fixture_try (&net, schedule, "packet", &options, 5, &error);
  fab_assert_no_error (error);
  counts = fab_result_packet_sources (result, &n_sources);
  for (gsize i = 0; i < n_sources; i++)
    last_ps = MAX (last_ps, counts[i].last_ps);
  share = 4000 * (double) (FIXTURE_PACKET * 40) / (double) last_ps;
  assert_true (share <= 16.0 * 400 / (48 * 200 * 36 / 47.0));
  assert_true (share > 0.5);
  for (guint i = 0; i < 48; i++)
    g_free ((guint32 *) (gsize) sources[i].dsts);
  fixture_net_clear (&net);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_one_queue_an_input_loses_what_karol_says),
    cmocka_unit_test (test_a_queue_for_each_output_loses_nothing),
    cmocka_unit_test (test_poisson_arrivals_wait_as_pollaczek_and_khinchine_say),
    cmocka_unit_test (test_a_ring_deadlocks_and_names_the_cycle),
    cmocka_unit_test (test_updn_never_deadlocks_on_the_ring),
    cmocka_unit_test (test_a_leaf_and_spine_mesh_does_not_deadlock),
    cmocka_unit_test (test_uniform_traffic_stays_below_the_uplinks),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
