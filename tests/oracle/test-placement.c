/* test-placement.c: which nodes a job gets, and what jobs do to each other */
#include "fab-fixture.h"

/* Four leaves of four hosts. */
static const char tree[] =
  "fabsim: 1\n"
  "models: {r8: {kind: switch, summary: radix 8, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: 8, latency: 130ns}}\n"
  "nodes: {h: {type: host-1nic, count: 16, digits: 2}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    topology: {family: fat-tree, leaf: r8, spine: r8, hosts_per_leaf: 4, uplinks: 4, spines: 4}\n"
  "    host_link: {speed: HDR}\n"
  "    uplink: {speed: HDR}\n"
  "    subnet: {routing: {engine: ftree}}\n"
  "workloads:\n"
  "  a: {collective: allreduce, bytes: 1GiB, nodes: 6}\n"
  "  b: {collective: allreduce, bytes: 1GiB, nodes: 6}\n"
  "  c: {collective: allreduce, bytes: 1GiB, nodes: 5}\n"
  "scenarios:\n"
  "  two: [{workload: a}, {workload: b}]\n"
  "  three: [{workload: a}, {workload: b}, {workload: c}]\n";

/* The hosts of @workload's transfers, as "01 02 …", with @taken as fab__design_schedule() takes it. */
static char *
hosts_of (const FabDesign *design, FabTopology *topology, guint workload, gboolean *taken)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabSchedule) schedule = fab__design_schedule (&design->workloads[workload], topology, taken, &error);
  g_autofree gboolean *used = g_new0 (gboolean, fab_topology_n_nodes (topology));
  g_autoptr (GString) text = g_string_new (NULL);

  fab_assert_no_error (error);
  for (guint32 op = 0; op < fab_schedule_n_ops (schedule); op++)
    if (fab_schedule_ops (schedule)[op].kind == FAB_OP_TRANSFER)
      used[fab_topology_device (topology, fab_schedule_ops (schedule)[op].src)->node] = TRUE;
  for (guint32 n = 0; n < fab_topology_n_nodes (topology); n++)
    if (used[n])
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", fab_topology_node (topology, n)->name + 1);
  return g_strdup (text->str);
}

static void
test_a_job_gets_the_nodes_its_placement_says (void **state)
{
  static const struct { const char *placement, *hosts; } rows[] = {
    { "workloads.a.placement=contiguous", "01 02 03 04 05 06" },
    { "workloads.a.placement=spread", "01 03 06 09 11 14" },
    { "workloads.a.placement=per-leaf", "01 02 03 04 05 06" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].placement, NULL };
      g_autoptr (FabDesign) design = fixture_read (tree, settings);
      g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
      g_autofree char *hosts = hosts_of (design, topology, 0, NULL);

      assert_string_equal (hosts, rows[i].hosts);
    }
}

/* Leaf 1 has two nodes left, the others four: the job of six takes leaf 2 whole, then two of leaf 3. */
static void
test_per_leaf_fills_the_emptiest_leaves_first (void **state)
{
  const char *settings[] = { "workloads.a.placement=per-leaf", NULL };
  g_autoptr (FabDesign) design = fixture_read (tree, settings);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autofree gboolean *taken = g_new0 (gboolean, fab_topology_n_nodes (topology));
  g_autofree char *hosts = NULL;

  taken[0] = taken[1] = TRUE;
  hosts = hosts_of (design, topology, 0, taken);
  assert_string_equal (hosts, "05 06 07 08 09 10");
  assert_true (taken[9]);
}

static void
test_random_placement_hangs_on_the_seed_alone (void **state)
{
  const char *settings[] = { "workloads.a.placement=random", "workloads.a.seed=7", NULL };
  g_autoptr (FabDesign) design = fixture_read (tree, settings), other = NULL;
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autofree char *first = hosts_of (design, topology, 0, NULL), *again = hosts_of (design, topology, 0, NULL), *another = NULL;

  assert_string_equal (first, again);
  settings[1] = "workloads.a.seed=8";
  other = fixture_read (tree, settings);
  another = hosts_of (other, topology, 0, NULL);
  assert_string_not_equal (first, another);
}

static void
test_jobs_of_a_scenario_share_no_node (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (tree, NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autofree gboolean *taken = g_new0 (gboolean, fab_topology_n_nodes (topology));
  g_autofree char *a = hosts_of (design, topology, 0, taken), *b = hosts_of (design, topology, 1, taken);

  assert_string_equal (a, "01 02 03 04 05 06");
  assert_string_equal (b, "07 08 09 10 11 12");
}

static void
test_a_job_too_many_is_an_error_with_its_place (void **state)
{
  static const char *const names[] = { "three", NULL };
  g_autoptr (FabDesign) design = fixture_read (tree, NULL);
  g_autoptr (GError) error = NULL;
  FabStudyOptions options;

  fab_study_options_init (&options);
  assert_null (fab_study_run (design, names, &options, &error));
  assert_non_null (error);
  assert_non_null (strstr (error->message, "workloads.c: expected at least 5 nodes that are free, got 4"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_a_job_gets_the_nodes_its_placement_says),
    cmocka_unit_test (test_per_leaf_fills_the_emptiest_leaves_first),
    cmocka_unit_test (test_random_placement_hangs_on_the_seed_alone),
    cmocka_unit_test (test_jobs_of_a_scenario_share_no_node),
    cmocka_unit_test (test_a_job_too_many_is_an_error_with_its_place),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
