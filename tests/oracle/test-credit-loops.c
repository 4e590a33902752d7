/* test-credit-loops.c: known answers 52 to 54: rings, lanes and trees, by tables and over groups of equal links */
#include "fab-fixture.h"
#include "fab-small-fabric.h"

static FabRoutes *
route (const char *fabric, const char *engine, FabForwarding forwarding)
{
  g_autoptr (FabTopology) topology = small_plane (fabric);
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (FabRoutes) routes = fab_routes_compute (subnet, NULL, engine, NULL, &error);

  fab_assert_no_error (error);
  return fab_routes_with_forwarding (routes, forwarding);
}

static guint
n_loops (const FabRoutes *routes, const FabFaults *faults)
{
  guint n = 0;

  for (guint lane = 0; lane < fab_routes_n_lanes (routes); lane++)
    {
      g_autoptr (GArray) cycle = fab_routes_credit_loop (routes, faults, lane);

      n += cycle != NULL ? 1 : 0;
    }
  return n;
}

static void
test_rings_loop_where_ways_wind_around_and_not_by_updn_or_on_lanes (void **state)
{
  static const char four[] = "h1-s1 h2-s2 h3-s3 h4-s4 s1-s2 s2-s3 s3-s4 s4-s1";
  static const char four_otherwise[] = "h1-s1 h2-s2 h3-s3 h4-s4 s1-s2 s3-s4 s2-s3 s4-s1";
  static const char five[] = "h1-s1 h2-s2 h3-s3 h4-s4 h5-s5 s1-s2 s2-s3 s3-s4 s4-s5 s5-s1";
  static const struct { const char *fabric, *engine; FabForwarding forwarding; guint n_lanes, n_loops; } rows[] = {
    { five, "minhop", FAB_FORWARDING_TABLE, 1, 1 },
    { five, "updn", FAB_FORWARDING_TABLE, 1, 0 },
    { five, "dfsssp", FAB_FORWARDING_TABLE, 2, 0 },
    { four, "minhop", FAB_FORWARDING_TABLE, 1, 1 },
    { four, "dfsssp", FAB_FORWARDING_TABLE, 1, 0 },
    /* Cabled in another order, the tables' ways of two hops do not close the circle; packets that may take either way round do. */
    { four_otherwise, "minhop", FAB_FORWARDING_TABLE, 1, 0 },
    { four_otherwise, "minhop", FAB_FORWARDING_ADAPTIVE, 1, 1 },
    { four_otherwise, "minhop", FAB_FORWARDING_HASH, 1, 1 },
    { four_otherwise, "updn", FAB_FORWARDING_ADAPTIVE, 1, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabRoutes) routes = route (rows[i].fabric, rows[i].engine, rows[i].forwarding);

      assert_int_equal (fab_routes_n_lanes (routes), rows[i].n_lanes);
      assert_int_equal (n_loops (routes, NULL), rows[i].n_loops);
    }
}

static void
test_the_cycle_is_named_link_by_link (void **state)
{
  g_autoptr (FabRoutes) routes = route ("h1-s1 h2-s2 h3-s3 h4-s4 h5-s5 s1-s2 s2-s3 s3-s4 s4-s5 s5-s1", "minhop", FAB_FORWARDING_TABLE);
  g_autoptr (GArray) cycle = fab_routes_credit_loop (routes, NULL, 0);
  const FabTopology *topology = fab_subnet_topology (fab_routes_subnet (routes));

  assert_int_equal (cycle->len, 5);
  for (guint i = 0; i < 5; i++)
    assert_int_equal (fab_topology_link (topology, g_array_index (cycle, guint32, i))->to_device,
                      fab_topology_link (topology, g_array_index (cycle, guint32, (i + 1) % 5))->from_device);
}

/* The way of the fifth host over a line that is a ring but for one link that fell: nothing comes round. */
static void
test_a_cut_ring_does_not_loop (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-s1 h2-s2 h3-s3 h4-s4 h5-s5 s1-s2 s2-s3 s3-s4 s4-s5 s5-s1");
  g_autoptr (FabFaults) faults = small_faults (topology, "s5--s1");
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  g_autoptr (FabRoutes) routes = fab_routes_compute (subnet, faults, "minhop", NULL, NULL);

  assert_int_equal (n_loops (routes, faults), 0);
}

static const char tree[] =
  "fabsim: 1\n"
  "models: {r8: {kind: switch, summary: t, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: 8, latency: 130ns}}\n"
  "nodes: {h: {type: host-1nic, count: 128}}\n"
  "planes: {compute: {link: infiniband, topology: {family: fat-tree, tiers: 3, leaf: r8, spine: r8, core: r8}, host_link: {speed: HDR},\n"
  "  uplink: {speed: HDR}}}\n";

static void
test_trees_are_free_of_loops_over_their_groups_and_with_links_down (void **state)
{
  static const char *const downs[] = { NULL, "compute/spine3", "compute/core1" };
  static const char *const engines[] = { "updn", "ftree", "minhop", "dfsssp" };

  for (gsize e = 0; e < G_N_ELEMENTS (engines); e++)
    for (gsize d = 0; d < G_N_ELEMENTS (downs); d++)
      {
        const char *faults[] = { downs[d], NULL };
        g_autofree char *engine = g_strdup_printf ("planes.compute.subnet.routing={engine: %s, adaptive: true}", engines[e]);
        const char *settings[] = { engine, NULL };
        g_autoptr (FabDesign) design = fixture_read (tree, settings);
        g_autoptr (FabBuilt) built = fab__built_new (design, faults, NULL);

        assert_string_equal (fab_forwarding_name (fab_routes_forwarding (built->routes[0])), "adaptive");
        assert_int_equal (n_loops (built->routes[0], built->faults), 0);
      }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_rings_loop_where_ways_wind_around_and_not_by_updn_or_on_lanes),
    cmocka_unit_test (test_the_cycle_is_named_link_by_link),
    cmocka_unit_test (test_a_cut_ring_does_not_loop),
    cmocka_unit_test (test_trees_are_free_of_loops_over_their_groups_and_with_links_down),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
