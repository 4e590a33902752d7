/* test-routing.c: known answers 26, 43 and the plan's tables: shortest, balanced, around what is down */
#include "fab-fixture.h"

static void
test_minhop_spreads_lids_evenly_over_uplinks (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  const FabSubnet *subnet = fab_routes_subnet (built->routes[0]);
  g_autofree guint *load = g_new0 (guint, fab_topology_n_links (built->topology));
  guint32 leaf1, least = G_MAXUINT32, most = 0;

  assert_true (fab_topology_find_device (built->topology, "compute/leaf1", &leaf1, NULL));
  for (guint32 lid = 9; lid <= fab_subnet_max_lid (subnet); lid++)
    load[fab_routes_next_link (built->routes[0], leaf1, lid)]++;
  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
    {
      const FabLink *link = fab_topology_link (built->topology, l);

      if (link->from_device != leaf1 || fab_topology_device (built->topology, link->to_device)->kind != FAB_DEVICE_SWITCH)
        continue;
      least = MIN (least, load[l]);
      most = MAX (most, load[l]);
    }
  assert_int_equal (most, 9);   /* 144 LIDs of other rails over 16 uplinks */
  assert_int_equal (least, 9);
}

/* Between leaves two hops of switches, within a leaf one: every pair, on three tiers too. */
static void
test_minhop_paths_are_shortest (void **state)
{
  static const char text[] =
    "fabsim: 1\n"
    "models: {r8: {kind: switch, summary: t, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: 8, latency: 130ns}}\n"
    "nodes: {h: {type: host-1nic, count: 64, digits: 2}}\n"
    "planes: {compute: {link: infiniband, topology: {family: fat-tree, tiers: 3, leaf: r8, spine: r8, core: r8}, host_link: {speed: HDR}, uplink: {speed: HDR}}}\n";
  g_autoptr (FabDesign) design = fixture_read (text, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 ports[64];
  guint n = 0;

  for (guint32 p = 0; p < fab_topology_n_ports (built->topology); p++)
    if (fab_topology_port (built->topology, p)->rail != FAB_NONE)
      ports[n++] = p;
  assert_int_equal (n, 64);
  for (guint a = 0; a < 64; a++)
    for (guint b = 0; b < 64; b++)
      {
        guint expected = a / 4 == b / 4 ? 2 : a / 16 == b / 16 ? 4 : 6;   /* same leaf, same Pod, over a core */

        if (a == b)
          continue;
        g_array_set_size (links, 0);
        assert_true (fab_routes_walk (built->routes[0], ports[a], ports[b], links));
        assert_int_equal (links->len, expected);
      }
}

static void
test_minhop_never_routes_over_what_is_down (void **state)
{
  static const char *const faults[] = { "compute/spine1", "compute/leaf2/p25", NULL };
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fab__built_new (design, faults, NULL);
  const FabPlane *plane = fab_topology_plane (built->topology, 0);
  guint n_entries = 0;

  for (guint32 s = plane->first_switch; s < plane->first_switch + plane->n_switches; s++)
    for (guint32 lid = 1; lid <= fab_subnet_max_lid (fab_routes_subnet (built->routes[0])); lid++)
      {
        guint32 link = fab_routes_next_link (built->routes[0], s, lid);

        if (link == FAB_NONE)
          continue;
        n_entries++;
        assert_false (fab_faults_link_down (built->faults, link));
        assert_false (fab_faults_device_down (built->faults, fab_topology_link (built->topology, link)->to_device));
      }
  assert_true (n_entries > 1000);
}

static void
test_a_cut_host_is_absent_from_all_tables_and_no_crash (void **state)
{
  static const char *const faults[] = { "gpu005/nic0/p1", NULL };
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fab__built_new (design, faults, NULL);
  g_autoptr (FabPaths) paths = fab_paths_new (built->topology, built->faults, built->routes, &design->rules);
  FabStudyOptions options;
  guint32 src, dst;
  FabRun run;

  assert_true (fab_topology_find_device (built->topology, "gpu001/gpu0", &src, NULL));
  assert_true (fab_topology_find_device (built->topology, "gpu005/gpu0", &dst, NULL));
  assert_int_equal (fab_paths_find (paths, src, dst, 0), FAB_NONE);
  assert_int_equal (fab_paths_find (paths, dst, src, 0), FAB_NONE);
  fab_study_options_init (&options);
  assert_true (fab__run_workload (built, "gradients", &options, &run, NULL));
  assert_false (fab_result_complete (run.result));
  assert_true (fab_result_n_unreachable (run.result) > 0);
  fab__run_clear (&run);
}

static void
test_lids_are_given_to_switches_then_to_host_ports (void **state)
{
  const char *settings[] = { "planes.compute.subnet.lmc=2", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (FabSubnet) subnet = fab_design_build_subnet (design, topology, 0, NULL);
  guint32 leaf1, first = FAB_NONE;

  assert_true (fab_topology_find_device (topology, "compute/leaf1", &leaf1, NULL));
  assert_int_equal (fab_subnet_switch_lid (subnet, leaf1), 1);
  assert_int_equal (fab_subnet_n_lids (subnet), 8 + 192 * 4);
  for (guint32 p = 0; p < fab_topology_n_ports (topology); p++)
    if (fab_subnet_port_lid (subnet, p) != 0)
      {
        assert_int_equal (fab_subnet_port_lid (subnet, p) % 4, 0);   /* aligned to 2^LMC */
        first = MIN (first, fab_subnet_port_lid (subnet, p));
        assert_int_equal (fab_subnet_lid_port (subnet, fab_subnet_port_lid (subnet, p) + 3), p);
      }
  assert_int_equal (first, 12);
}

static void
test_more_than_49151_lids_are_refused (void **state)
{
  static const char text[] =
    "fabsim: 1\n"
    "nodes: {h: {type: host-1nic, count: 49152}}\n"
    "planes:\n"
    "  compute:\n"
    "    link: infiniband\n"
    "    topology: {family: fat-tree, tiers: 3, leaf: qm9700, spine: qm9700, core: qm9700}\n"
    "    host_link: {speed: NDR}\n"
    "    uplink: {speed: NDR}\n";
  g_autoptr (FabDesign) design = fixture_read (text, NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (GError) error = NULL;

  assert_null (fab_design_build_subnet (design, topology, 0, &error));
  assert_int_equal (error->code, FAB_ERROR_LIMIT);
  fab_assert_contains (error->message, "49151 unicast LIDs");
}

static void
test_operational_vls_codes (void **state)
{
  static const guint n_vls[] = { 1, 2, 4, 8, 15 };
  FabQos qos;

  fab_qos_init (&qos);
  for (guint code = 1; code <= 5; code++)
    {
      qos.op_vls = code;
      assert_int_equal (fab_qos_n_vls (&qos), n_vls[code - 1]);
    }
}

static void
test_an_unknown_engine_names_those_there_are (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (FabSubnet) subnet = fab_design_build_subnet (design, topology, 0, NULL);
  g_autoptr (GError) error = NULL;

  assert_null (fab_routes_compute (subnet, NULL, "minhops", NULL, &error));
  assert_int_equal (error->code, FAB_ERROR_UNKNOWN);
  fab_assert_contains (error->message, "did you mean “minhop”?");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_minhop_spreads_lids_evenly_over_uplinks),
    cmocka_unit_test (test_minhop_paths_are_shortest),
    cmocka_unit_test (test_minhop_never_routes_over_what_is_down),
    cmocka_unit_test (test_a_cut_host_is_absent_from_all_tables_and_no_crash),
    cmocka_unit_test (test_lids_are_given_to_switches_then_to_host_ports),
    cmocka_unit_test (test_more_than_49151_lids_are_refused),
    cmocka_unit_test (test_operational_vls_codes),
    cmocka_unit_test (test_an_unknown_engine_names_those_there_are),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
