/* test-collectives.c: collectives and patterns against closed forms; known answers 32 (as rates), 44, 45, 47; bound below fluid */
#include "fab-fixture.h"

/* Sixteen hosts of 20 GB/s on one switch; no software cost, no latency: the wire alone. */
static const char hosts[] =
  "fabsim: 1\n"
  "models:\n"
  "  qm9700: {latency: 0}\n"
  "  connectx-7-1x400: {latency: 0}\n"
  "  xeon-spr: {root_latency: 0, memory_latency: 0}\n"
  "transport: {pcie_step: 0, network_step: 0}\n"
  "nodes: {h: {type: host-1nic, count: 16}}\n"
  "planes: {compute: {link: infiniband, topology: {family: fat-tree, tiers: 1, leaf: qm9700}, host_link: {speed: NDR, goodput: 20GB/s}}}\n";

/* Seconds of @kind at 1 GiB. */
static double
seconds (const char *kind, const char *engine)
{
  g_autofree char *setting = g_strdup_printf ("workloads={w: {%s, bytes: 1GiB}}", kind);
  const char *settings[] = { setting, NULL };
  g_autoptr (FabDesign) design = fixture_read (hosts, settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (GError) error = NULL;
  FabStudyOptions options;
  FabRun run;
  double time_s;

  fab_study_options_init (&options);
  options.engine = engine;
  fab__run_workload (built, "w", &options, &run, &error);
  fab_assert_no_error (error);
  time_s = (double) fab_result_time_ps (run.result) / 1e12;
  fab__run_clear (&run);
  return time_s;
}

static void
test_collectives_take_what_their_formula_says (void **state)
{
  static const struct { const char *kind; double volumes; } rows[] = {   /* times S / B */
    { "collective: allreduce, algorithm: ring", 2.0 * 15 / 16 },
    { "collective: allreduce, algorithm: hierarchical", 2.0 * 15 / 16 },   /* one rank a node: the rail stage alone */
    { "collective: reducescatter", 15.0 / 16 },
    { "collective: allgather", 15.0 / 16 },
    { "collective: reducescatter, form: steps", 15.0 / 16 },
    { "collective: alltoall", 15.0 / 16 },
    { "collective: broadcast", 1 },
    { "collective: sendrecv", 1 },
    { "pattern: shift, by: 5", 1 },
    { "pattern: permutation", 1 },
    { "pattern: incast", 15 },
  };
  const double unit_s = (double) (1 << 30) / 20e9;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    fab_assert_close (seconds (rows[i].kind, "fluid"), rows[i].volumes * unit_s, 1e-6);
}

/* Nothing contends here but the incast: the bound meets the fluid engine. */
static void
test_bound_meets_fluid_where_nothing_contends (void **state)
{
  static const char *const kinds[] = {
    "collective: allreduce, algorithm: ring", "collective: allgather", "collective: broadcast", "collective: sendrecv", "pattern: incast",
    "collective: allreduce, algorithm: ring, form: steps", "collective: alltoall",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    fab_assert_close (seconds (kinds[i], "bound"), seconds (kinds[i], "fluid"), 1e-6);
}

static double
plan_busbw (const char *workload, const char *engine, double *spine_bytes)
{
  g_autofree char *setting = g_strdup_printf ("workloads={w: {%s, bytes: 8MiB, plane: compute, transport: {network_step: 0, pcie_step: 0}}}", workload);
  const char *settings[] = { setting, "expect=", "scenarios=", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (GError) error = NULL;
  FabStudyOptions options;
  FabRun run;
  double busbw;

  fab_study_options_init (&options);
  options.engine = engine;
  fab__run_workload (built, "w", &options, &run, &error);
  fab_assert_no_error (error);
  busbw = fab__run_figure (&run, fab_result_time_ps (run.result));
  *spine_bytes = 0;
  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
    {
      const FabLink *link = fab_topology_link (built->topology, l);

      if (fab_topology_device (built->topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (built->topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        *spine_bytes += fab_result_link_bytes (run.result)[l];
    }
  fab__run_clear (&run);
  return busbw;
}

static void
test_same_rail_traffic_fills_its_ports_and_no_spine (void **state)
{
  double spine_bytes;

  fab_assert_close (2 * plan_busbw ("pattern: shift, by: 8", "fluid", &spine_bytes), 24.84, 1e-2);   /* two GPUs a port */
  fab_assert_close (spine_bytes, 0, 1e-12);
}

/* GPU i to GPU i + 2 of the next node: leaf to next leaf, 3 flows an uplink, two thirds of the port. */
static void
test_leaf_to_next_leaf_gets_two_thirds (void **state)
{
  double spine_bytes;

  fab_assert_close (2 * plan_busbw ("pattern: shift, by: 10", "fluid", &spine_bytes), 24.84 * 2 / 3, 1e-2);
  assert_true (spine_bytes > 0);
}

static void
test_bound_never_exceeds_fluid_on_the_plan (void **state)
{
  static const char *const workloads[] = {
    "collective: allreduce, algorithm: hierarchical", "collective: allreduce, algorithm: hierarchical, pipelined: true",
    "collective: allreduce, algorithm: ring", "collective: allreduce, algorithm: hierarchical, form: steps", "collective: allgather",
    "collective: broadcast", "collective: sendrecv", "pattern: shift, by: 10", "pattern: permutation", "pattern: incast",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (workloads); i++)
    {
      double spine_bytes;

      assert_true (plan_busbw (workloads[i], "bound", &spine_bytes) >= plan_busbw (workloads[i], "fluid", &spine_bytes) * (1 - 1e-9));
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_collectives_take_what_their_formula_says),
    cmocka_unit_test (test_bound_meets_fluid_where_nothing_contends),
    cmocka_unit_test (test_same_rail_traffic_fills_its_ports_and_no_spine),
    cmocka_unit_test (test_leaf_to_next_leaf_gets_two_thirds),
    cmocka_unit_test (test_bound_never_exceeds_fluid_on_the_plan),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
