/* test-sharing.c: who gets how much where flows meet, in the fluid engine, and where it says it is blind */
#include "fab-fixture.h"

/* Three sources join one chain of switches to a sink: known answer 33. Every link carries 24 GB/s. */
static const char parking_lot[] =
  "fabsim: 1\n"
  "models: {r8: {kind: switch, summary: radix 8, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: 8, latency: 130ns}}\n"
  "nodes: {h: {type: host-1nic, count: 4}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    switches: [{names: \"sw[1-3]\", part: r8}]\n"
  "    links:\n"
  "      - {a: h1/nic0/p1, b: sw1/p1, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h2/nic0/p1, b: sw2/p1, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h3/nic0/p1, b: sw3/p1, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h4/nic0/p1, b: sw3/p2, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: sw1/p8, b: sw2/p8, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: sw2/p7, b: sw3/p8, speed: HDR, goodput: 24GB/s}\n";

/* The plan's leaves as one tree: 4 × 48 hosts at 200G, 16 uplinks of 400G a leaf, packets spread over all of them. */
static const char spread_tree[] =
  "fabsim: 1\n"
  "transport: {pcie_step: 0, network_step: 0}\n"
  "nodes: {h: {type: host-1nic, count: 192, digits: 3}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    topology: {family: fat-tree, leaf: qm9700, spine: qm9700, hosts_per_leaf: 48, uplinks: 16, spines: 4}\n"
  "    host_link: {speed: NDR200, goodput: 20GB/s}\n"
  "    uplink: {speed: NDR, goodput: 40GB/s}\n"
  "    subnet: {routing: {engine: ftree, adaptive: true}}\n"
  "workloads:\n"
  "  uniform: {pattern: uniform, bytes: 1910MB}\n"
  "  cross: {pattern: shift, by: 48, bytes: 2GB}\n";

/* Four hot flows to two hosts that take half of what comes, and a victim on the same inter-switch link: known answer 34 and 35. */
static const char hot_spot[] =
  "fabsim: 1\n"
  "models: {r8: {kind: switch, summary: radix 8, protocols: [infiniband], speed: NDR, speeds: [NDR], ports: 8, latency: 130ns}}\n"
  "nodes: {h: {type: host-1nic, count: 7}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    switches: [{names: \"sw[1-2]\", part: r8}]\n"
  "    links:\n"
  "      - {a: h1/nic0/p1, b: sw1/p1, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h2/nic0/p1, b: sw1/p2, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h3/nic0/p1, b: sw1/p3, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h4/nic0/p1, b: sw1/p4, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h5/nic0/p1, b: sw1/p5, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h6/nic0/p1, b: sw2/p1, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: h7/nic0/p1, b: sw2/p2, speed: HDR, goodput: 24GB/s}\n"
  "      - {a: sw1/p8, b: sw2/p8, speed: NDR, goodput: 48GB/s}\n"
  "    subnet:\n"
  "      qos: {op_vls: 2, sl2vl: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], vlarb_high: [], vlarb_low: [\"0:64\", \"1:192\"]}\n";

typedef struct { const char *src, *dst; guint8 sl; } Pair;

/* Transfers of 24 GB, all at once: at 24 GB/s one takes a second. The rates until the first ends follow from when it does. */
static FabResult *
send_pairs (const char *text, const Pair *pairs, gsize n_pairs, FabSharing sharing, FabTopology **topology)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabDesign) design = fixture_read (text, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  FabScheduleBuilder *builder = fab__schedule_builder_new (2, 1, 0, "steps");
  FabTransportRules rules = { .p2p_level = FAB_DISTANCE_PXB, .gdr_level = FAB_DISTANCE_PXB };
  g_autoptr (FabSchedule) schedule = NULL;
  FabResult *result;

  for (gsize i = 0; i < n_pairs; i++)
    {
      FabOp op = { .kind = FAB_OP_TRANSFER, .bytes = G_GUINT64_CONSTANT (24000000000), .sl = pairs[i].sl };

      assert_true (fab_topology_find_device (built->topology, pairs[i].src, &op.src, &error));
      assert_true (fab_topology_find_device (built->topology, pairs[i].dst, &op.dst, &error));
      fab__schedule_builder_add (builder, op, NULL, 0);
    }
  schedule = fab__schedule_builder_freeze (builder, &error);
  result = fab_engine_run (fab_engine_lookup ("fluid", NULL), &(FabEngineInput) {
    .topology = built->topology, .routes = built->routes, .rules = &rules, .schedule = schedule, .sharing = sharing }, &error);
  fab_assert_no_error (error);
  *topology = fab_topology_ref (built->topology);
  return result;
}

static double
seconds (const FabResult *result, guint32 op)
{
  return (double) fab_result_finish_ps (result)[op] / 1e12;
}

/* Nearest to the sink first: 1/2, 1/4, 1/4. The near one ends after 2 s with 12 GB of each other left, which then have half each. */
static void
test_sources_on_a_chain_get_a_half_and_two_quarters (void **state)
{
  static const Pair pairs[] = { { "h3/mem0", "h4/mem0", 0 }, { "h2/mem0", "h4/mem0", 0 }, { "h1/mem0", "h4/mem0", 0 } };
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (FabResult) result = send_pairs (parking_lot, pairs, 3, FAB_SHARING_PER_PORT, &topology);

  fab_assert_close (seconds (result, 0), 2, 1e-4);
  fab_assert_close (seconds (result, 1), 3, 1e-4);
  fab_assert_close (seconds (result, 2), 3, 1e-4);
}

static void
test_max_min_sharing_gives_them_a_third_each (void **state)
{
  static const Pair pairs[] = { { "h3/mem0", "h4/mem0", 0 }, { "h2/mem0", "h4/mem0", 0 }, { "h1/mem0", "h4/mem0", 0 } };
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (FabResult) result = send_pairs (parking_lot, pairs, 3, FAB_SHARING_MAXMIN, &topology);

  for (guint32 op = 0; op < 3; op++)
    fab_assert_close (seconds (result, op), 3, 1e-4);
}

/* Known answer 47: of 191 others 144 are under other leaves; 48 × 144 flows on 16 uplinks of twice the rate leave each 191 / 216 of what its
 * host would. All under other leaves: two thirds. */
static void
test_uniform_traffic_saturates_the_uplinks_at_88_percent (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (spread_tree, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  FabRun uniform, cross;

  fixture_run (built, "uniform", &uniform);
  fixture_run (built, "cross", &cross);
  fab_assert_close (1.910 / ((double) fab_result_time_ps (uniform.result) / 1e12) / 20, 191.0 / 216, 1e-3);
  fab_assert_close (2.0 / ((double) fab_result_time_ps (cross.result) / 1e12) / 20, 2.0 / 3, 1e-3);
  fab__run_clear (&uniform);
  fab__run_clear (&cross);
}

/* Flows of one queue pair each on a NIC share it alike: known answer 38. */
static void
test_a_nic_serves_its_flows_in_turn (void **state)
{
  static const Pair pairs[] = { { "h1/mem0", "h3/mem0", 0 }, { "h1/mem0", "h4/mem0", 0 } };
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (FabResult) result = send_pairs (parking_lot, pairs, 2, FAB_SHARING_PER_PORT, &topology);

  fab_assert_close (seconds (result, 0), 2, 1e-4);
  fab_assert_close (seconds (result, 1), 2, 1e-4);
}

/* Two lanes with weights 64 and 192 on one host's link: 1/4 and 3/4 while both send. */
static void
test_lanes_share_by_their_weights (void **state)
{
  static const Pair pairs[] = { { "h1/mem0", "h6/mem0", 0 }, { "h2/mem0", "h6/mem0", 1 } };
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (FabResult) result = send_pairs (hot_spot, pairs, 2, FAB_SHARING_PER_PORT, &topology);

  fab_assert_close (seconds (result, 1), 4.0 / 3, 1e-4);
  fab_assert_close (seconds (result, 0), 2, 1e-4);
}

/* The flows of known answer 34: the engine gives the victim all its own link has, which packets in one queue would not, and says so. */
static void
test_a_queue_blocked_by_a_hot_spot_is_named (void **state)
{
  static const Pair pairs[] = {
    { "h1/mem0", "h6/mem0", 0 }, { "h2/mem0", "h6/mem0", 0 }, { "h3/mem0", "h6/mem0", 0 }, { "h4/mem0", "h6/mem0", 0 }, { "h5/mem0", "h7/mem0", 0 },
  };
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (FabResult) result = send_pairs (hot_spot, pairs, 5, FAB_SHARING_PER_PORT, &topology);
  gboolean incast = FALSE, blocked = FALSE;
  gsize n_spots;
  const FabBlindSpot *spots = fab_result_blind_spots (result, &n_spots);

  fab_assert_close (seconds (result, 4), 1, 1e-4);
  for (gsize i = 0; i < n_spots; i++)
    {
      g_autofree char *place = fab_topology_link_address (topology, spots[i].link);

      incast |= spots[i].kind == FAB_BLIND_INCAST && spots[i].n_flows == 4 && g_str_equal (place, "compute/sw2/p1--h6/nic0/p1");
      blocked |= spots[i].kind == FAB_BLIND_BLOCKED_QUEUE && spots[i].n_flows == 1 && g_str_equal (place, "compute/sw1/p8--compute/sw2/p8");
    }
  assert_true (incast);
  assert_true (blocked);
}

/* Known answer 35: on a lane of its own the victim is none, and nothing is said of that link. */
static void
test_on_its_own_lane_there_is_no_victim (void **state)
{
  static const Pair pairs[] = {
    { "h1/mem0", "h6/mem0", 0 }, { "h2/mem0", "h6/mem0", 0 }, { "h3/mem0", "h6/mem0", 0 }, { "h4/mem0", "h6/mem0", 0 }, { "h5/mem0", "h7/mem0", 1 },
  };
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (FabResult) result = send_pairs (hot_spot, pairs, 5, FAB_SHARING_PER_PORT, &topology);
  gsize n_spots;
  const FabBlindSpot *spots = fab_result_blind_spots (result, &n_spots);

  fab_assert_close (seconds (result, 4), 1, 1e-4);
  for (gsize i = 0; i < n_spots; i++)
    assert_int_not_equal (spots[i].kind, FAB_BLIND_BLOCKED_QUEUE);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_sources_on_a_chain_get_a_half_and_two_quarters),
    cmocka_unit_test (test_max_min_sharing_gives_them_a_third_each),
    cmocka_unit_test (test_uniform_traffic_saturates_the_uplinks_at_88_percent),
    cmocka_unit_test (test_a_nic_serves_its_flows_in_turn),
    cmocka_unit_test (test_lanes_share_by_their_weights),
    cmocka_unit_test (test_a_queue_blocked_by_a_hot_spot_is_named),
    cmocka_unit_test (test_on_its_own_lane_there_is_no_victim),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
