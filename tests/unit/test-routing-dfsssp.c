/* test-routing-dfsssp.c: shortest ways away from laden links, dealt out over lanes without cycles */
#include "fab-small-fabric.h"
#include "fab-routes.h"

static const char ring_of_five[] = "h1-s1 h2-s2 h3-s3 h4-s4 h5-s5 s1-s2 s2-s3 s3-s4 s4-s5 s5-s1";

/* @side × @side switches in a torus, a host on each. */
static char *
torus (guint side)
{
  GString *text = g_string_new (NULL);

  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < side; x++)
      g_string_append_printf (text, "%sh%u-s%u s%u-s%u s%u-s%u", text->len > 0 ? " " : "", y * side + x, y * side + x, y * side + x,
                              y * side + (x + 1) % side, y * side + x, (y + 1) % side * side + x);
  return g_string_free (text, FALSE);
}

static FabRoutes *
route (const char *fabric, const char *engine, const FabQos *qos, GError **error)
{
  g_autoptr (FabTopology) topology = small_plane (fabric);
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, qos, NULL);

  return fab_routes_compute (subnet, NULL, engine, NULL, error);
}

static FabQos
qos_of (guint op_vls)
{
  FabQos qos;

  fab_qos_init (&qos);
  qos.op_vls = op_vls;
  return qos;
}

static guint32
host_port (const FabRoutes *routes, guint host)
{
  g_autofree char *address = g_strdup_printf ("h%u/nic0", host);

  return small_port (fab_subnet_topology (fab_routes_subnet (routes)), address, 1);
}

static void
test_every_lane_is_free_of_cycles (void **state)
{
  g_autofree char *torus_4 = torus (4), *torus_5 = torus (5);
  const struct { const char *fabric; guint op_vls, at_least, at_most; } rows[] = {
    { ring_of_five, 2, 2, 2 }, { ring_of_five, 5, 2, 2 }, { "h1-leaf1 h2-leaf2 leaf1-spine1 leaf2-spine1", 1, 1, 1 },
    { torus_4, 5, 1, 4 }, { torus_5, 5, 2, 4 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      FabQos qos = qos_of (rows[i].op_vls);
      g_autoptr (GError) error = NULL;
      g_autoptr (FabRoutes) routes = route (rows[i].fabric, "dfsssp", &qos, &error);

      fab_assert_no_error (error);
      assert_in_range (fab_routes_n_lanes (routes), rows[i].at_least, rows[i].at_most);
      for (guint lane = 0; lane < fab_routes_n_lanes (routes); lane++)
        assert_null (fab_routes_credit_loop (routes, NULL, lane));
    }
}

static void
test_ways_that_want_more_lanes_than_there_are_are_an_error (void **state)
{
  FabQos one_vl = qos_of (1), folded = qos_of (5);
  const FabQos *rows[] = { &one_vl, &folded };

  memset (folded.sl2vl, 0, sizeof folded.sl2vl);   /* all service levels on VL 0 */
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      assert_null (route (ring_of_five, "dfsssp", rows[i], &error));
      assert_int_equal (error->code, FAB_ERROR_LIMIT);
      fab_assert_contains (error->message, "free of credit loops on 1 lanes, ");
      fab_assert_contains (error->message, " of them need one more");
    }
}

static void
test_the_lane_of_a_way_is_that_of_its_leaf_and_destination (void **state)
{
  FabQos qos = qos_of (2);
  g_autoptr (FabRoutes) routes = route (ring_of_five, "dfsssp", &qos, NULL);
  guint n_ways[2] = { 0 };

  for (guint a = 1; a <= 5; a++)
    for (guint b = 1; b <= 5; b++)
      {
        guint lane = fab_routes_lane (routes, host_port (routes, a), host_port (routes, b));
        guint32 hops = (a + 5 - b) % 5;

        assert_in_range (lane, 0, 1);
        n_ways[lane]++;
        if (hops == 0 || hops == 1 || hops == 4)   /* no link waits for another */
          assert_int_equal (lane, 0);
      }
  assert_int_equal (n_ways[0] + n_ways[1], 25);
  assert_in_range (n_ways[1], 1, 5);
}

static void
test_other_engines_have_one_lane (void **state)
{
  g_autoptr (FabRoutes) routes = route (ring_of_five, "minhop", NULL, NULL);

  assert_int_equal (fab_routes_n_lanes (routes), 1);
  assert_int_equal (fab_routes_lane (routes, host_port (routes, 1), host_port (routes, 3)), 0);
}

static void
test_ways_are_as_short_as_those_of_minhop (void **state)
{
  g_autofree char *fabric = torus (5);
  g_autoptr (FabRoutes) routes = route (fabric, "dfsssp", NULL, NULL), minhop = route (fabric, "minhop", NULL, NULL);

  for (guint a = 0; a < 25; a++)
    for (guint b = 0; b < 25; b++)
      {
        g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32)), shortest = g_array_new (FALSE, FALSE, sizeof (guint32));

        if (a == b)
          continue;
        assert_true (fab_routes_walk (routes, host_port (routes, a), host_port (routes, b), links));
        assert_true (fab_routes_walk (minhop, host_port (minhop, a), host_port (minhop, b), shortest));
        assert_int_equal (links->len, shortest->len);
      }
}

/* Four hosts a leaf, four leaves: each spine link carries as many of the 192 ways between leaves. */
static void
test_ways_keep_away_from_laden_links (void **state)
{
  g_autoptr (GString) fabric = g_string_new ("leaf1-spine1 leaf1-spine2 leaf2-spine1 leaf2-spine2 leaf3-spine1 leaf3-spine2 leaf4-spine1 leaf4-spine2");
  g_autoptr (FabRoutes) routes = NULL;
  const FabTopology *topology;
  g_autofree guint *load = NULL;

  for (guint h = 0; h < 16; h++)
    g_string_append_printf (fabric, " h%u-leaf%u", h, h / 4 + 1);
  routes = route (fabric->str, "dfsssp", NULL, NULL);
  topology = fab_subnet_topology (fab_routes_subnet (routes));
  load = g_new0 (guint, fab_topology_n_links (topology));
  for (guint a = 0; a < 16; a++)
    for (guint b = 0; b < 16; b++)
      {
        g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));

        assert_true (fab_routes_walk (routes, host_port (routes, a), host_port (routes, b), links));
        for (guint i = 0; i < links->len; i++)
          load[g_array_index (links, guint32, i)]++;
      }
  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    {
      const FabLink *link = fab_topology_link (topology, l);

      if (fab_topology_device (topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        assert_int_equal (load[l], 24);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_every_lane_is_free_of_cycles),
    cmocka_unit_test (test_ways_that_want_more_lanes_than_there_are_are_an_error),
    cmocka_unit_test (test_the_lane_of_a_way_is_that_of_its_leaf_and_destination),
    cmocka_unit_test (test_other_engines_have_one_lane),
    cmocka_unit_test (test_ways_are_as_short_as_those_of_minhop),
    cmocka_unit_test (test_ways_keep_away_from_laden_links),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
