/* test-fluid.c: the fluid engine and its max-min shares */
#include "fab-fixture.h"
#include "sim/fab-share-private.h"

/* A chain of hosts on one switch, so that flows share just the links one wants. */
static const char four_hosts[] =
  "fabsim: 1\n"
  "nodes: {h: {type: host-1nic, count: 4}}\n"
  "planes: {compute: {link: infiniband, topology: {family: fat-tree, tiers: 1, leaf: qm9700}, host_link: {speed: NDR, goodput: 40GB/s}}}\n";

static void
ignore_change (guint32 flow, double old_rate, gpointer data)
{
}

static guint32
host_link (const FabTopology *topology, const char *address)
{
  g_autoptr (GArray) links = NULL;

  assert_true (fab_topology_match (topology, address, NULL, &links, NULL));
  return g_array_index (links, guint32, 0);
}

static void
add (FabShare *share, guint32 flow, const guint32 *links, guint32 n_links, guint64 flow_bps)
{
  FabShareRoute route = { .links = links, .n_links = n_links, .flow_bps = flow_bps, .flow_link = flow_bps > 0 ? links[0] : FAB_NONE };

  fab__share_add (share, flow, fab__share_route (share, &route), 0);
}

/* Bertsekas and Gallager's example in small: A on links 1 and 2, B on 1, C and D on 2: 2 is full at a third, 1 gives B the rest. */
static void
test_shares_are_max_min_fair (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (four_hosts, NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (FabShare) share = fab__share_new (topology, NULL, FAB_SHARING_MAXMIN, NULL, 4);
  guint32 one = host_link (topology, "h1/nic0/p1"), two = host_link (topology, "h2/nic0/p1");
  guint32 both[] = { one, two };
  FabCounters counters = { 0 };
  enum { A, B, C, D };

  add (share, A, both, 2, 0);
  add (share, B, &one, 1, 0);
  add (share, C, &two, 1, 0);
  add (share, D, &two, 1, 0);
  fab__share_solve (share, ignore_change, NULL, &counters);
  fab_assert_close (fab__share_rate (share, A), 40e9 / 3, 1e-12);
  fab_assert_close (fab__share_rate (share, B), 40e9 * 2 / 3, 1e-12);
  fab_assert_close (fab__share_rate (share, C), 40e9 / 3, 1e-12);
  assert_int_equal (fab__share_limit (share, A), two);
  assert_int_equal (fab__share_limit (share, B), one);

  fab__share_remove (share, D);
  fab__share_solve (share, ignore_change, NULL, &counters);
  fab_assert_close (fab__share_rate (share, A), 20e9, 1e-12);
  fab_assert_close (fab__share_rate (share, B), 20e9, 1e-12);
}

static void
test_a_capped_flow_leaves_the_rest_to_others (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (four_hosts, NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (FabShare) share = fab__share_new (topology, NULL, FAB_SHARING_MAXMIN, NULL, 2);
  guint32 one = host_link (topology, "h1/nic0/p1");
  FabCounters counters = { 0 };

  add (share, 0, &one, 1, 80000000000);
  add (share, 1, &one, 1, 0);
  fab__share_solve (share, ignore_change, NULL, &counters);
  fab_assert_close (fab__share_rate (share, 0), 10e9, 1e-12);
  fab_assert_close (fab__share_rate (share, 1), 30e9, 1e-12);
}

/* Half of a spread flow crosses each of two links: alone it gets both; with a flow on one, that link gives it two thirds of what the
 * other flow gets. */
static void
test_a_spread_flow_takes_its_part_of_each_way (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (four_hosts, NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (FabShare) share = fab__share_new (topology, NULL, FAB_SHARING_MAXMIN, NULL, 2);
  guint32 ways[] = { host_link (topology, "h1/nic0/p1"), host_link (topology, "h2/nic0/p1") };
  double parts[] = { 0.5, 0.5 };
  FabShareRoute spread = { .links = ways, .parts = parts, .n_links = 2, .flow_link = FAB_NONE };
  FabCounters counters = { 0 };

  fab__share_add (share, 0, fab__share_route (share, &spread), 0);
  fab__share_solve (share, ignore_change, NULL, &counters);
  fab_assert_close (fab__share_rate (share, 0), 80e9, 1e-12);
  add (share, 1, ways, 1, 0);
  fab__share_solve (share, ignore_change, NULL, &counters);
  fab_assert_close (fab__share_rate (share, 0), 40e9 / 1.5, 1e-12);
  fab_assert_close (fab__share_rate (share, 1), 40e9 / 1.5, 1e-12);
}

static void
test_only_flows_joined_to_a_change_are_solved_anew (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (four_hosts, NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (FabShare) share = fab__share_new (topology, NULL, FAB_SHARING_MAXMIN, NULL, 11);
  guint32 one = host_link (topology, "h1/nic0/p1"), two = host_link (topology, "h2/nic0/p1");
  FabCounters counters = { 0 };

  for (guint i = 0; i < 10; i++)
    add (share, i, &one, 1, 0);
  fab__share_solve (share, ignore_change, NULL, &counters);
  assert_int_equal (counters.solved_flows, 10);
  add (share, 10, &two, 1, 0);
  fab__share_solve (share, ignore_change, NULL, &counters);
  assert_int_equal (counters.solves, 2);
  assert_int_equal (counters.solved_flows, 11);
}

static void
test_both_directions_share_an_aggregate (void **state)
{
  static const char *const pairs[] = { "h1/mem0", "h2/mem0", "h2/mem0", "h1/mem0", NULL };
  const char *settings[] = { "nodes.h.links.nic.aggregate=30GB/s", NULL };
  g_autoptr (FabDesign) design = fixture_read (four_hosts, settings);
  g_autoptr (FabBuilt) built = fixture_build (design);

  fab_assert_close (fixture_rate (built, pairs), 15, 1e-3);
}

/* Two flows on one link, one twice as long: it runs alone once the other is done. */
static void
test_rates_rise_when_others_finish (void **state)
{
  static const char *const one[] = { "h1/mem0", "h2/mem0", NULL };
  g_autoptr (FabDesign) design = fixture_read (four_hosts, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (GError) error = NULL;
  FabScheduleBuilder *builder = fab__schedule_builder_new (2, 1, 0, "steps");
  g_autoptr (FabSchedule) schedule = NULL;
  g_autoptr (FabResult) alone = NULL;
  g_autoptr (FabResult) result = NULL;
  FabTransportRules rules = { .p2p_level = FAB_DISTANCE_PXB, .gdr_level = FAB_DISTANCE_PXB };
  FabEngineInput input;
  guint32 src, dst;
  gint64 latency_ps = fixture_send_all (built, one, 40000000, &alone) - 1000000000;   /* 40 MB at 40 GB/s: 1 ms */

  assert_true (fab_topology_find_device (built->topology, "h1/mem0", &src, NULL));
  assert_true (fab_topology_find_device (built->topology, "h2/mem0", &dst, NULL));
  for (guint i = 1; i <= 2; i++)
    fab__schedule_builder_add (builder, (FabOp) { .kind = FAB_OP_TRANSFER, .bytes = 40000000u * i, .src = src, .dst = dst }, NULL, 0);
  schedule = fab__schedule_builder_freeze (builder, &error);
  input = (FabEngineInput) { .topology = built->topology, .routes = built->routes, .rules = &rules, .schedule = schedule };
  result = fab_engine_run (fab_engine_lookup ("fluid", NULL), &input, &error);
  fab_assert_no_error (error);
  assert_int_equal (fab_result_finish_ps (result)[0], 2000000000 + latency_ps);
  assert_int_equal (fab_result_finish_ps (result)[1], 3000000000 + latency_ps);
}

static gboolean
stop_soon (guint64 done, guint64 total, gpointer data)
{
  return done == 0;
}

static void
test_a_cancelled_run_says_it_is_not_complete (void **state)
{
  const char *settings[] = { "workloads.flat.form=steps", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  FabStudyOptions options;
  FabRun run;

  fab_study_options_init (&options);
  options.tick.func = stop_soon;
  assert_true (fab__run_workload (built, "flat", &options, &run, NULL));
  assert_false (fab_result_complete (run.result));
  assert_true (fab_result_time_ps (run.result) > 0);
  fab__run_clear (&run);
}

static void
test_every_byte_that_enters_a_link_is_counted (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  const FabOp *ops;
  double sent = 0, carried = 0;
  FabRun run;

  fixture_run (built, "gradients", &run);
  ops = fab_schedule_ops (run.schedule);
  for (guint32 op = 0; op < fab_schedule_n_ops (run.schedule); op++)
    sent += ops[op].kind == FAB_OP_TRANSFER ? (double) ops[op].bytes : 0;
  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)   /* each transfer leaves its GPU over the GPU's link, once */
    {
      const FabLink *link = fab_topology_link (built->topology, l);

      if (fab_topology_device (built->topology, link->from_device)->kind == FAB_DEVICE_GPU)
        carried += fab_result_link_bytes (run.result)[l];
    }
  fab_assert_close (carried, sent, 1e-12);
  fab__run_clear (&run);
}

/* Slowness shows here without a clock: work that the plan's main job, its stepped ring and an all-to-all may take. */
static void
test_the_work_of_known_runs_is_counted_exactly (void **state)
{
  static const struct { const char *workload; FabCounters counters; } rows[] = {
    { "gradients", { .flows = 1152, .events = 11, .solves = 960, .solved_flows = 1152 } },
    { "flat", { .flows = 294144, .events = 845126, .solves = 316190, .solved_flows = 363981 } },
    { "a2a", { .flows = 147072, .events = 11, .solves = 52, .solved_flows = 548352 } },
  };
  const char *settings[] = { "workloads.flat.form=steps", "workloads.a2a={collective: alltoall, bytes: 384MiB}", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const FabCounters *counters;
      FabRun run;

      fixture_run (built, rows[i].workload, &run);
      counters = fab_result_counters (run.result);
      assert_int_equal (counters->flows, rows[i].counters.flows);
      assert_int_equal (counters->events, rows[i].counters.events);
      assert_int_equal (counters->solves, rows[i].counters.solves);
      assert_int_equal (counters->solved_flows, rows[i].counters.solved_flows);
      assert_int_equal (counters->deferred, 0);
      fab__run_clear (&run);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_shares_are_max_min_fair),
    cmocka_unit_test (test_a_capped_flow_leaves_the_rest_to_others),
    cmocka_unit_test (test_a_spread_flow_takes_its_part_of_each_way),
    cmocka_unit_test (test_only_flows_joined_to_a_change_are_solved_anew),
    cmocka_unit_test (test_both_directions_share_an_aggregate),
    cmocka_unit_test (test_rates_rise_when_others_finish),
    cmocka_unit_test (test_a_cancelled_run_says_it_is_not_complete),
    cmocka_unit_test (test_the_work_of_known_runs_is_counted_exactly),
    cmocka_unit_test (test_every_byte_that_enters_a_link_is_counted),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
