/* test-allreduce.c: known answers 65, 68, 74, 75, 82, 83 and the ring to the picosecond */
#include "fab-fixture.h"
#include "workload/fab-ring-private.h"

/* No socket limit, no software cost: the closed forms know neither. */
#define FREE_SOCKET "nodes.gpu.links.socket.goodput=200GB/s"
#define FREE_STEPS "transport={pcie_step: 0, network_step: 0}"
#define LOCAL_24 "models.l40s.p2p_write=24GB/s", "models.l40s.p2p_read=24GB/s", "nodes.gpu.links.gpu-link.goodput=24GB/s"

static double
plan_busbw (const char *const *settings)
{
  g_autoptr (FabDesign) design = fixture_plan (settings);

  return fixture_busbw (design, "gradients");
}

static void
test_busbw_factors_are_those_of_nccl_tests (void **state)
{
  static const struct { guint32 n; double factor; } rows[] = {
    { 2, 1 }, { 8, 1.75 }, { 16, 1.875 }, { 48, 1.9583333 }, { 384, 1.9947917 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    fab_assert_close (fab__busbw_factor_allreduce (rows[i].n), rows[i].factor, 1e-6);
}

static void
test_a_ring_of_eight_gpus_at_24_takes_78_ms (void **state)
{
  const char *settings[] = { "nodes.gpu.count=1", "workloads.flat.form=steps", FREE_SOCKET, FREE_STEPS, LOCAL_24, NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  FabRun run;

  fixture_run (built, "flat", &run);
  fab_assert_close ((double) fab_result_time_ps (run.result) / 1e6, 78294, 1e-3);
  fab_assert_close (fab__run_algbw (&run, fab_result_time_ps (run.result)), 13.71, 1e-3);
  fab_assert_close (fab__run_figure (&run, fab_result_time_ps (run.result)), 24.0, 1e-3);
  fab__run_clear (&run);
}

static void
test_hierarchical_unpipelined_reaches_21_54 (void **state)
{
  const char *settings[] = { FREE_SOCKET, FREE_STEPS, LOCAL_24, NULL };

  fab_assert_close (plan_busbw (settings), 21.54, 5e-3);
}

static void
test_hierarchical_pipelined_reaches_the_gpu_link (void **state)
{
  const char *settings[] = { "workloads.gradients.pipelined=true", FREE_SOCKET, FREE_STEPS, LOCAL_24, NULL };

  fab_assert_close (plan_busbw (settings), 24.0, 5e-3);
}

/* Eight pieces through three stages: the first piece fills the pipeline, so a little above the phases' steady state. */
static void
test_hierarchical_pipelined_in_steps_comes_near_its_phases (void **state)
{
  const char *settings[] = { "nodes.gpu.count=8", "workloads.gradients.pipelined=true", FREE_SOCKET, FREE_STEPS, LOCAL_24, NULL, NULL, NULL };
  double phases = plan_busbw (settings);
  const gsize n = 7;   /* the settings above */
  double steps;

  settings[n] = "workloads.gradients.form=steps";
  settings[n + 1] = "workloads.gradients.pieces=32";
  steps = plan_busbw (settings);
  assert_true (steps < phases);
  fab_assert_close (steps, phases, 0.1);
}

/* Known answer 74 with the other node stage: without a socket limit, direct carries over each GPU's link what a ring does. */
static void
test_a_direct_node_stage_equals_the_ring_where_no_socket_limits (void **state)
{
  const char *settings[] = { "workloads.gradients.node_stage=direct", FREE_SOCKET, FREE_STEPS, LOCAL_24, NULL };

  fab_assert_close (plan_busbw (settings), 21.54, 5e-3);
}

/* Over the socket link, 22 GB/s a direction, reduce-scatter and all-gather of S need each, per direction: direct 4 × 4/8 S = 2 S; two-level
 * 4 × 1/8 S, after 3/4 S on the GPU's link at 24. The rails need 2 × 47/48 × S/8 × 2 on a port at 24.84. */
static void
test_node_stages_load_the_socket_link_as_their_forms_say (void **state)
{
  const char *settings[] = { "workloads.gradients.node_stage=direct", FREE_STEPS, LOCAL_24, NULL };
  double s = 1.073741824, rails = 2 * 47.0 / 48 / 8 * 2 * s / 24.842, factor = 2 * 383.0 / 384 * s;

  fab_assert_close (plan_busbw (settings), factor / (2 * 2 * s / 22 + rails), 5e-3);
  settings[0] = "workloads.gradients.node_stage=two-level";
  fab_assert_close (plan_busbw (settings), factor / (2 * (0.75 * s / 24 + 0.5 * s / 22) + rails), 5e-3);
}

/* A flat ring crosses rails at every node and runs into the leaf uplinks; several that enter and leave a node on one rail do not. */
static void
test_channels_keep_rings_on_their_rails (void **state)
{
  const char *settings[] = { "workloads.flat.channels=4", FREE_SOCKET, FREE_STEPS, NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  FabRun run;

  fixture_run (built, "flat", &run);
  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
    {
      const FabLink *link = fab_topology_link (built->topology, l);

      if (fab_topology_device (built->topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (built->topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        fab_assert_close (fab_result_link_bytes (run.result)[l], 0, 1e-12);
    }
  fab__run_clear (&run);
}

/* One rank a node: an inner node of one tree is a leaf of the other, so each sends and receives twice the bytes; the last piece's way
 * comes on top. */
static void
test_a_double_tree_moves_twice_the_bytes_through_each_host (void **state)
{
  static const char text[] =
    "fabsim: 1\ntransport: {pcie_step: 0, network_step: 0}\n"
    "nodes: {h: {type: host-1nic, count: 16}}\n"
    "planes: {compute: {link: infiniband, topology: {family: fat-tree, tiers: 1, leaf: qm9700}, host_link: {speed: NDR, goodput: 40GB/s}}}\n"
    "workloads: {w: {collective: allreduce, algorithm: tree, bytes: 8GB}}\n";
  const char *settings[] = { "workloads.w.form=phases", NULL };
  g_autoptr (FabDesign) phases = fixture_read (text, settings);
  double busbw = fixture_busbw (phases, "w"), steps;
  g_autoptr (FabDesign) stepped = NULL;

  fab_assert_close (busbw, 40 * 15.0 / 16, 0.15);   /* S/2 × 4 at the busiest host, the last of 32 pieces up and down 4 levels */
  assert_true (busbw < 40 * 15.0 / 16);
  settings[0] = "workloads.w.form=steps";
  stepped = fixture_read (text, settings);
  steps = fixture_busbw (stepped, "w");
  fab_assert_close (steps, busbw, 0.15);
}

static void
test_both_rails_on_one_gen4_slot_reach_18_66 (void **state)
{
  const char *settings[] = { "nodes.gpu.type=l40s-8-gen4switch", FREE_SOCKET, FREE_STEPS, LOCAL_24, NULL };

  fab_assert_close (plan_busbw (settings), 18.66, 5e-3);
}

/* Two GPUs a port, each 2 × 47/48 of its eighth. */
static void
test_a_rail_port_carries_49_percent_of_the_size (void **state)
{
  const char *settings[] = { "workloads.gradients.bytes=402653184", NULL };   /* 384 × 2^20: all chunks whole */
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (GArray) links = NULL;
  FabRun run;

  fixture_run (built, "gradients", &run);
  assert_true (fab_topology_match (built->topology, "gpu007/nic0/p1", NULL, &links, NULL));
  fab_assert_close (fab_result_link_bytes (run.result)[g_array_index (links, guint32, 0)] / 402653184.0, 2.0 * 2 * 47 / 48 / 8, 1e-12);
  fab__run_clear (&run);
}

static void
test_the_socket_link_sets_20_10_and_17_84 (void **state)
{
  static const struct { const char *setting; double busbw; } rows[] = {
    { "models.xeon-spr.socket_link=22GB/s", 20.10 }, { "models.xeon-spr.socket_link=19GB/s", 17.84 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].setting, FREE_STEPS, NULL };

      fab_assert_close (plan_busbw (settings), rows[i].busbw, 1e-2);
    }
}

static void
test_rails_by_modulo_cost_a_fifth (void **state)
{
  static const struct { const char *setting; double loss; } rows[] = {
    { "models.xeon-spr.socket_link=22GB/s", 0.200 }, { "models.xeon-spr.socket_link=19GB/s", 0.222 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *local[] = { rows[i].setting, FREE_STEPS, NULL };
      const char *modulo[] = { rows[i].setting, FREE_STEPS, "nodes.gpu.affinity=modulo", NULL };
      double loss = 1 - plan_busbw (modulo) / plan_busbw (local);

      assert_true (loss > rows[i].loss - 0.01 && loss < rows[i].loss + 0.01);
    }
}

static gint64
ring_time_in_phases (const char *text)
{
  const char *settings[] = { "workloads.ring.form=phases", NULL };
  g_autoptr (FabDesign) design = fixture_read (text, settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  FabRun run;
  gint64 time_ps;

  fixture_run (built, "ring", &run);
  time_ps = fab_result_time_ps (run.result);
  fab__run_clear (&run);
  return time_ps;
}

/* 2 (n - 1) (α + S / (n B)), exactly: 384 hosts on one switch, all steps alike. */
static void
test_a_stepped_ring_meets_its_closed_form_to_the_picosecond (void **state)
{
  static const char text[] =
    "fabsim: 1\n"
    "models:\n"
    "  big: {kind: switch, summary: test, protocols: [infiniband], speed: NDR, speeds: [NDR], ports: 384, latency: 250ns}\n"
    "nodes: {h: {type: host-1nic, count: 384}}\n"
    "planes:\n"
    "  compute:\n"
    "    link: infiniband\n"
    "    topology: {family: fat-tree, tiers: 1, leaf: big}\n"
    "    host_link: {speed: NDR, cable: mma4z00, length: 20m, goodput: 25GB/s}\n"
    "workloads:\n"
    "  ring: {collective: allreduce, algorithm: ring, form: steps, bytes: 1132462080}\n";
  g_autoptr (FabDesign) design = fixture_read (text, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (FabPaths) paths = fab_paths_new (built->topology, NULL, built->routes, &design->rules);
  guint32 src, dst;
  const FabPath *path;
  FabRun run;

  fixture_run (built, "ring", &run);
  assert_int_equal (ring_time_in_phases (text), fab_result_time_ps (run.result));
  assert_true (fab_topology_find_device (built->topology, "h001/mem0", &src, NULL));
  assert_true (fab_topology_find_device (built->topology, "h002/mem0", &dst, NULL));
  path = fab_paths_row (paths, fab_paths_find (paths, src, dst, 0));
  assert_int_equal (path->software_ps, 14000000);
  assert_int_equal (fab_schedule_n_ops (run.schedule), 384 * 766);
  /* 2,949,120 bytes at 25 GB/s are 117,964,800 ps. */
  assert_int_equal (fab_result_time_ps (run.result), 2 * 383 * (path->software_ps + path->latency_ps + 117964800));
  fab__run_clear (&run);
}

static void
test_hierarchical_keeps_off_the_spine_and_says_whom_it_waits_for (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  const FabWait *waits;
  gsize n_waits;
  gint64 sum_ps = 0;
  FabRun run;

  fixture_run (built, "gradients", &run);
  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
    {
      const FabLink *link = fab_topology_link (built->topology, l);

      if (fab_topology_device (built->topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (built->topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        assert_true (fab_result_link_bytes (run.result)[l] == 0);
    }
  waits = fab_result_waits (run.result, &n_waits);
  assert_true (n_waits >= 2);
  assert_int_equal (waits[0].kind, FAB_WAIT_SOCKET);
  fab_assert_close ((double) waits[0].time_ps / (double) fab_result_time_ps (run.result), 0.8, 0.05);
  assert_int_equal (waits[1].kind, FAB_WAIT_INFINIBAND);
  fab_assert_close ((double) waits[1].time_ps / (double) fab_result_time_ps (run.result), 0.2, 0.05);
  for (gsize i = 0; i < n_waits; i++)
    sum_ps += waits[i].time_ps;
  assert_int_equal (sum_ps, fab_result_time_ps (run.result));
  fab__run_clear (&run);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_busbw_factors_are_those_of_nccl_tests),
    cmocka_unit_test (test_a_ring_of_eight_gpus_at_24_takes_78_ms),
    cmocka_unit_test (test_hierarchical_unpipelined_reaches_21_54),
    cmocka_unit_test (test_hierarchical_pipelined_reaches_the_gpu_link),
    cmocka_unit_test (test_hierarchical_pipelined_in_steps_comes_near_its_phases),
    cmocka_unit_test (test_a_direct_node_stage_equals_the_ring_where_no_socket_limits),
    cmocka_unit_test (test_node_stages_load_the_socket_link_as_their_forms_say),
    cmocka_unit_test (test_channels_keep_rings_on_their_rails),
    cmocka_unit_test (test_a_double_tree_moves_twice_the_bytes_through_each_host),
    cmocka_unit_test (test_both_rails_on_one_gen4_slot_reach_18_66),
    cmocka_unit_test (test_a_rail_port_carries_49_percent_of_the_size),
    cmocka_unit_test (test_the_socket_link_sets_20_10_and_17_84),
    cmocka_unit_test (test_rails_by_modulo_cost_a_fifth),
    cmocka_unit_test (test_a_stepped_ring_meets_its_closed_form_to_the_picosecond),
    cmocka_unit_test (test_hierarchical_keeps_off_the_spine_and_says_whom_it_waits_for),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
