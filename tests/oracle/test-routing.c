/* test-routing.c: known answers 26, 43, 45, 49, 51-54 and the plan's tables: shortest, balanced, around what is down */
#include "fab-fixture.h"
#include "analysis/fab-load-private.h"
#include "subnet/fab-routing-private.h"

static void
test_minhop_spreads_lids_evenly_over_uplinks (void **state)
{
  const char *settings[] = { "planes.compute.subnet.routing.engine=minhop", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
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
  const char *settings[] = { "planes.compute.subnet.routing.engine=minhop", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
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

/* ---- static loads and credit loops ---- */

static const char tree_648[] =
  "fabsim: 1\n"
  "models: {r36: {kind: switch, summary: t, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: 36, latency: 130ns}}\n"
  "nodes: {h: {type: host-1nic, count: 648}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    topology: {family: fat-tree, leaf: r36, spine: r36}\n"
  "    host_link: {speed: HDR}\n"
  "    uplink: {speed: HDR}\n"
  "    subnet: {routing: {engine: ftree}}\n";

static const char tree_k8[] =
  "fabsim: 1\n"
  "models: {r8: {kind: switch, summary: t, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: 8, latency: 130ns}}\n"
  "nodes: {h: {type: host-1nic, count: 128}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    topology: {family: fat-tree, tiers: 3, leaf: r8, spine: r8, core: r8}\n"
  "    host_link: {speed: HDR}\n"
  "    uplink: {speed: HDR}\n"
  "    subnet: {routing: {engine: ftree}}\n";

static double
mean_share (const FabRoutes *routes, const char *pattern, guint n_samples, guint32 *max_flows)
{
  g_autoptr (FabStream) stream = fab__stream_new (1, pattern);
  double sum = 0;

  *max_flows = 0;
  for (guint i = 0; i < n_samples; i++)
    {
      g_autoptr (GArray) flows = fab__load_pattern (routes, pattern, stream, NULL);
      FabLoad load;

      fab__load_compute (routes, (const FabFlow *) (const void *) flows->data, flows->len, &load);
      assert_int_equal (load.n_unreachable, 0);
      sum += load.mean_share;
      *max_flows = MAX (*max_flows, (guint32) load.max_flows);
      fab__load_clear (&load);
    }
  return sum / n_samples;
}

static void
test_ftree_keeps_every_shift_free_of_contention (void **state)
{
  static const char *const texts[] = { tree_648, tree_k8 };
  static const guint n_hosts[] = { 648, 128 };

  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    {
      g_autoptr (FabDesign) design = fixture_read (texts[t], NULL);
      g_autoptr (FabBuilt) built = fixture_build (design);

      for (guint by = 1; by < n_hosts[t]; by += t == 0 ? 37 : 1)
        {
          g_autofree char *pattern = g_strdup_printf ("shift:%u", by);
          guint32 max_flows;

          fab_assert_close (mean_share (built->routes[0], pattern, 1, &max_flows), 1, 1e-12);
          assert_int_equal (max_flows, 1);
        }
    }
}

static void
test_effective_bisection_of_a_full_tree_is_two_thirds (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (tree_648, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  guint32 max_flows;
  double mean = mean_share (built->routes[0], "bisection", 40, &max_flows);

  assert_true (mean > 0.665 - 0.02 && mean < 0.665 + 0.02);
}

static gboolean
leads_to_switch (const FabTopology *topology, guint32 link)
{
  return fab_topology_device (topology, fab_topology_link (topology, link)->to_device)->kind == FAB_DEVICE_SWITCH;
}

/* A link from @leaf up to any spine. */
static guint32
draw_uplink (const FabTopology *topology, const FabDevice *leaf, FabStream *stream)
{
  guint32 link;

  do
    link = fab_topology_port (topology, leaf->first_port + fab__stream_below (stream, leaf->n_ports))->link;
  while (!leads_to_switch (topology, link));
  return link;
}

/* The tables of @routes, but each leaf sends each LID up to a spine drawn for it. */
static FabRoutes *
with_random_spines (const FabRoutes *routes)
{
  FabSubnet *subnet = fab_routes_subnet (routes);
  const FabTopology *topology = fab_subnet_topology (subnet);
  const FabPlane *plane = fab_topology_plane (topology, 0);
  g_autoptr (FabStream) stream = fab__stream_new (1, "spines");
  guint32 row_length = fab_subnet_max_lid (subnet) + 1, *tables = g_new (guint32, (gsize) plane->n_switches * row_length);

  for (guint32 s = 0; s < plane->n_switches; s++)
    for (guint32 lid = 0; lid < row_length; lid++)
      {
        guint32 link = fab_routes_next_link (routes, plane->first_switch + s, lid);
        const FabDevice *device = fab_topology_device (topology, plane->first_switch + s);
        gboolean goes_up = device->tier == 0 && fab_subnet_lid_port (subnet, lid) != FAB_NONE && leads_to_switch (topology, link);

        tables[(gsize) s * row_length + lid] = goes_up ? draw_uplink (topology, device, stream) : link;
      }
  return fab__routes_new_with_tables (subnet, NULL, tables);
}

static void
test_effective_bisection_with_random_spines_is_half (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (tree_648, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (FabRoutes) routes = with_random_spines (built->routes[0]);
  guint32 max_flows;
  double mean = mean_share (routes, "bisection", 40, &max_flows);

  assert_true (mean > 0.513 - 0.02 && mean < 0.513 + 0.02);
}

/* All 48 of a leaf to the next leaf: three flows an uplink, 133 of 200 Gb/s each. */
static void
test_all_of_a_leaf_to_the_next_share_uplinks_by_three (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  guint32 max_flows;

  assert_string_equal (fab_routes_engine (built->routes[0]), "ftree");
  fab_assert_close (mean_share (built->routes[0], "shift:1", 1, &max_flows), 2.0 / 3, 1e-12);
  assert_int_equal (max_flows, 3);
}

static void
test_traffic_of_one_rail_never_shares (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  guint32 max_flows;

  fab_assert_close (mean_share (built->routes[0], "shift:4", 1, &max_flows), 1, 1e-12);   /* four ports a node: the same rail of the next node */
  assert_int_equal (max_flows, 0);
}

/* Five switches in a ring with two hosts each: two-hop ways wind around both directions. */
static const char ring_of_five[] =
  "fabsim: 1\n"
  "nodes: {h: {type: host-1nic, count: 5}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    host_link: {speed: NDR}\n"
  "    switches: [{names: \"s[1-5]\", part: qm9700}]\n"
  "    links:\n"
  "      - {a: h1/nic0/p1, b: s1/p1, speed: NDR}\n"
  "      - {a: h2/nic0/p1, b: s2/p1, speed: NDR}\n"
  "      - {a: h3/nic0/p1, b: s3/p1, speed: NDR}\n"
  "      - {a: h4/nic0/p1, b: s4/p1, speed: NDR}\n"
  "      - {a: h5/nic0/p1, b: s5/p1, speed: NDR}\n"
  "      - {a: s1/p2, b: s2/p3, speed: NDR}\n"
  "      - {a: s2/p2, b: s3/p3, speed: NDR}\n"
  "      - {a: s3/p2, b: s4/p3, speed: NDR}\n"
  "      - {a: s4/p2, b: s5/p3, speed: NDR}\n"
  "      - {a: s5/p2, b: s1/p3, speed: NDR}\n";

/* Each link of the cycle leads into the switch the next one leaves, and the last closes it. */
static void
assert_is_cycle (const FabTopology *topology, const GArray *cycle)
{
  for (guint i = 0; i < cycle->len; i++)
    assert_int_equal (fab_topology_link (topology, g_array_index (cycle, guint32, i))->to_device,
                      fab_topology_link (topology, g_array_index (cycle, guint32, (i + 1) % cycle->len))->from_device);
}

static void
test_a_ring_by_minhop_has_a_credit_loop_and_by_updn_none (void **state)
{
  static const struct { const char *setting; gboolean loops; } rows[] = {
    { "planes.compute.subnet.routing.engine=minhop", TRUE }, { "planes.compute.subnet.routing.engine=updn", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].setting, NULL };
      g_autoptr (FabDesign) design = fixture_read (ring_of_five, settings);
      g_autoptr (FabBuilt) built = fixture_build (design);
      g_autoptr (GArray) cycle = fab_routes_credit_loop (built->routes[0], NULL, 0);
      guint32 max_flows;

      assert_int_equal (cycle != NULL, rows[i].loops);
      if (cycle != NULL)
        {
          assert_int_equal (cycle->len, 5);
          assert_is_cycle (built->topology, cycle);
        }
      mean_share (built->routes[0], "all", 1, &max_flows);   /* all reachable */
    }
}

static void
test_trees_are_free_of_credit_loops_by_every_engine (void **state)
{
  for (guint e = 0; fab_routing_names ()[e] != NULL; e++)
    {
      g_autofree char *setting = g_strdup_printf ("planes.compute.subnet.routing.engine=%s", fab_routing_names ()[e]);
      const char *settings[] = { setting, NULL };
      g_autoptr (FabDesign) tree = fixture_read (tree_k8, settings);
      g_autoptr (FabDesign) plan = fixture_plan (settings);
      g_autoptr (FabBuilt) tree_built = fixture_build (tree);
      g_autoptr (FabBuilt) plan_built = fixture_build (plan);
      guint32 max_flows;

      assert_null (fab_routes_credit_loop (tree_built->routes[0], NULL, 0));
      assert_null (fab_routes_credit_loop (plan_built->routes[0], NULL, 0));
      mean_share (tree_built->routes[0], "all", 1, &max_flows);
    }
}

static void
test_every_engine_goes_round_a_lost_spine (void **state)
{
  static const char *const faults[] = { "compute/spine2", "compute/leaf1/p25", NULL };

  for (guint e = 0; fab_routing_names ()[e] != NULL; e++)
    {
      g_autofree char *setting = g_strdup_printf ("planes.compute.subnet.routing.engine=%s", fab_routing_names ()[e]);
      const char *settings[] = { setting, NULL };
      g_autoptr (FabDesign) design = fixture_plan (settings);
      g_autoptr (FabBuilt) built = fab__built_new (design, faults, NULL);
      g_autoptr (GArray) flows = NULL;
      FabLoad load;

      flows = fab__load_pattern (built->routes[0], "all", NULL, NULL);
      fab__load_compute (built->routes[0], (const FabFlow *) (const void *) flows->data, flows->len, &load);
      assert_int_equal (load.n_unreachable, 0);
      for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
        if (fab_faults_link_down (built->faults, l))
          assert_int_equal (load.flows[l], 0);
      fab__load_clear (&load);
    }
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
    cmocka_unit_test (test_ftree_keeps_every_shift_free_of_contention),
    cmocka_unit_test (test_effective_bisection_of_a_full_tree_is_two_thirds),
    cmocka_unit_test (test_effective_bisection_with_random_spines_is_half),
    cmocka_unit_test (test_all_of_a_leaf_to_the_next_share_uplinks_by_three),
    cmocka_unit_test (test_traffic_of_one_rail_never_shares),
    cmocka_unit_test (test_a_ring_by_minhop_has_a_credit_loop_and_by_updn_none),
    cmocka_unit_test (test_trees_are_free_of_credit_loops_by_every_engine),
    cmocka_unit_test (test_every_engine_goes_round_a_lost_spine),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
