/* test-routes.c: minhop's tables, and walks along them */
#include "fab-small-fabric.h"
#include "fab-routes.h"

static FabRoutes *
route (FabTopology *topology, const FabFaults *faults)
{
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;
  FabRoutes *routes = fab_routes_compute (subnet, faults, "minhop", NULL, &error);

  fab_assert_no_error (error);
  return routes;
}

/* The links walked from @from's first port to @to's first, as addresses of what they lead to; NULL: the tables do not lead there. */
static char *
walk (const FabRoutes *routes, const char *from, const char *to)
{
  const FabTopology *topology = fab_subnet_topology (fab_routes_subnet (routes));
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  GString *text;

  if (!fab_routes_walk (routes, small_port (topology, from, 1), small_port (topology, to, 1), links))
    {
      assert_int_equal (links->len, 0);
      return NULL;
    }
  text = g_string_new (NULL);
  for (guint i = 0; i < links->len; i++)
    {
      g_autofree char *address = fab_topology_port_address (topology, fab_topology_link (topology, g_array_index (links, guint32, i))->to_port);

      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", address);
    }
  return g_string_free (text, FALSE);
}

static void
test_minhop_takes_the_shortest_way (void **state)
{
  static const struct { const char *fabric, *from, *to, *way; } rows[] = {
    { "h1-leaf1 h2-leaf1 leaf1-spine1", "h1/nic0", "h2/nic0", "net/leaf1/p1 h2/nic0/p1" },
    { "h1-leaf1 h2-leaf2 leaf1-spine1 leaf2-spine1", "h1/nic0", "h2/nic0", "net/leaf1/p1 net/spine1/p1 net/leaf2/p2 h2/nic0/p1" },
    { "h1-leaf1 h2-leaf2 leaf1-spine1 leaf2-spine1 leaf1-leaf2", "h1/nic0", "h2/nic0", "net/leaf1/p1 net/leaf2/p3 h2/nic0/p1" },
    { "h1-leaf1 h2-leaf2 leaf1-spine1 spine1-core1 core1-leaf2 leaf1-spine2 spine2-leaf2", "h1/nic0", "h2/nic0",
      "net/leaf1/p1 net/spine2/p1 net/leaf2/p3 h2/nic0/p1" },
    { "h1-h2 h3-leaf1", "h1/nic0", "h2/nic0", "h2/nic0/p1" },
    { "h1-leaf1 h2-leaf2", "h1/nic0", "h2/nic0", NULL },
    { "h1-leaf1 h2-leaf1 h2-leaf2 h3-leaf2", "h1/nic0", "h3/nic0", NULL },   /* NICs do not forward */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabTopology) topology = small_plane (rows[i].fabric);
      g_autoptr (FabRoutes) routes = route (topology, NULL);
      g_autofree char *way = walk (routes, rows[i].from, rows[i].to);

      if (rows[i].way == NULL)
        assert_null (way);
      else
        assert_string_equal (way, rows[i].way);
    }
}

/* Equal ports take LIDs in turn, the lower port first: leaf1's ports p2 and p3 lead to spine1, p4 to spine2. */
static void
test_equal_ports_are_taken_by_load_and_ties_by_port_number (void **state)
{
  static const struct { const char *to, *port; } rows[] = {
    { "h2/nic0", "net/leaf1/p2" }, { "h3/nic0", "net/leaf1/p3" }, { "h4/nic0", "net/leaf1/p4" }, { "h5/nic0", "net/leaf1/p2" },
  };
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 h3-leaf2 h4-leaf2 h5-leaf2 leaf1-spine1*2 leaf1-spine2 leaf2-spine1*2 "
                                                  "leaf2-spine2");
  g_autoptr (FabRoutes) routes = route (topology, NULL);
  const FabSubnet *subnet = fab_routes_subnet (routes);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint32 lid = fab_subnet_port_lid (subnet, small_port (topology, rows[i].to, 1));
      guint32 link = fab_routes_next_link (routes, small_find (topology, "leaf1"), lid);
      g_autofree char *port = fab_topology_port_address (topology, fab_topology_link (topology, link)->from_port);

      assert_string_equal (port, rows[i].port);
    }
}

/* LIDs of hosts over each link of leaf @leaf up to the spines: the fewest and the most. */
static void
uplink_loads (const FabRoutes *routes, const char *leaf, guint *fewest, guint *most)
{
  const FabSubnet *subnet = fab_routes_subnet (routes);
  const FabTopology *topology = fab_subnet_topology (subnet);
  guint32 device = small_find (topology, leaf);
  const FabDevice *row = fab_topology_device (topology, device);
  g_autofree guint *loads = g_new0 (guint, fab_topology_n_links (topology));

  for (guint32 lid = 1; lid <= fab_subnet_max_lid (subnet); lid++)
    if (fab_subnet_lid_port (subnet, lid) != FAB_NONE && fab_routes_next_link (routes, device, lid) != FAB_NONE)
      loads[fab_routes_next_link (routes, device, lid)]++;
  *fewest = G_MAXUINT;
  *most = 0;
  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    {
      guint32 link = fab_topology_port (topology, p)->link;

      if (fab_topology_device (topology, fab_topology_link (topology, link)->to_device)->kind != FAB_DEVICE_SWITCH)
        continue;
      *fewest = MIN (*fewest, loads[link]);
      *most = MAX (*most, loads[link]);
    }
}

static void
test_lids_balance_over_the_uplinks_within_one (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf1 h3-leaf2 h4-leaf2 h5-leaf2 h6-leaf2 h7-leaf3 h8-leaf3 h9-leaf3 leaf1-spine1*2 "
                                                  "leaf1-spine2*2 leaf2-spine1*2 leaf2-spine2*2 leaf3-spine1*2 leaf3-spine2*2");
  g_autoptr (FabRoutes) routes = route (topology, NULL);
  static const char *const leaves[] = { "leaf1", "leaf2", "leaf3" };
  static const guint n_away[] = { 7, 5, 6 };   /* hosts on the other leaves, over four uplinks */

  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    {
      guint fewest, most;

      uplink_loads (routes, leaves[i], &fewest, &most);
      assert_int_equal (fewest, n_away[i] / 4);
      assert_int_equal (most, (n_away[i] + 3) / 4);
    }
}

static void
test_what_is_down_is_not_routed_over (void **state)
{
  static const struct { const char *down, *to, *way; } rows[] = {
    { NULL, "h2/nic0", "net/leaf1/p1 net/spine1/p1 net/leaf2/p2 h2/nic0/p1" },
    { "spine1", "h2/nic0", "net/leaf1/p1 net/spine2/p1 net/leaf2/p3 h2/nic0/p1" },
    { "leaf1--spine1", "h2/nic0", "net/leaf1/p1 net/spine2/p1 net/leaf2/p3 h2/nic0/p1" },
    { "leaf2--spine1", "h2/nic0", "net/leaf1/p1 net/spine2/p1 net/leaf2/p3 h2/nic0/p1" },
    { "spine[1-2]", "h2/nic0", NULL },
    { "leaf2", "h2/nic0", NULL },
    { "h2", "h2/nic0", NULL },
    { "h2--leaf2", "h2/nic0", NULL },
  };
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 leaf1-spine1 leaf1-spine2 leaf2-spine1 leaf2-spine2");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabFaults) faults = small_faults (topology, rows[i].down);
      g_autoptr (FabRoutes) routes = route (topology, faults);
      g_autofree char *way = walk (routes, "h1/nic0", rows[i].to);

      if (rows[i].way == NULL)
        assert_null (way);
      else
        assert_string_equal (way, rows[i].way);
    }
}

/* Two cuts leave only the way down and up again through a third leaf: longer, but a way. */
static void
test_the_way_goes_round_where_the_short_ones_are_cut (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 leaf1-spine1 leaf1-spine2 leaf2-spine1 leaf2-spine2 leaf3-spine1 leaf3-spine2");
  g_autoptr (FabFaults) faults = small_faults (topology, "leaf1--spine2");
  g_autoptr (FabRoutes) routes = NULL;
  g_autofree char *way = NULL;

  assert_true (fab_faults_add (faults, "leaf2--spine1", NULL));
  routes = route (topology, faults);
  way = walk (routes, "h1/nic0", "h2/nic0");
  assert_string_equal (way, "net/leaf1/p1 net/spine1/p1 net/leaf3/p1 net/spine2/p3 net/leaf2/p3 h2/nic0/p1");
}

static void
test_switch_lids_are_routed_but_do_not_count_as_load (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 leaf1-spine1*2 leaf2-spine1*2");
  g_autoptr (FabRoutes) routes = route (topology, NULL);
  const FabSubnet *subnet = fab_routes_subnet (routes);
  guint32 leaf1 = small_find (topology, "leaf1"), leaf2 = small_find (topology, "leaf2");
  guint32 to_leaf2 = fab_routes_next_link (routes, leaf1, fab_subnet_switch_lid (subnet, leaf2));
  guint32 to_h2 = fab_routes_next_link (routes, leaf1, fab_subnet_port_lid (subnet, small_port (topology, "h2/nic0", 1)));

  assert_int_not_equal (to_leaf2, FAB_NONE);
  assert_int_equal (to_h2, to_leaf2);
  assert_int_equal (fab_routes_next_link (routes, leaf2, fab_subnet_switch_lid (subnet, leaf2)), FAB_NONE);
}

static void
test_there_is_no_entry_outside_the_tables (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf1");
  g_autoptr (FabRoutes) routes = route (topology, NULL);

  assert_int_not_equal (fab_routes_next_link (routes, small_find (topology, "leaf1"), 2), FAB_NONE);
  assert_int_equal (fab_routes_next_link (routes, small_find (topology, "leaf1"), 0), FAB_NONE);
  assert_int_equal (fab_routes_next_link (routes, small_find (topology, "leaf1"), 1000), FAB_NONE);
  assert_int_equal (fab_routes_next_link (routes, small_find (topology, "h1/nic0"), 2), FAB_NONE);
}

/* With LMC 2 a port has four LIDs: over four spines each takes another. */
static void
test_the_lids_of_a_port_have_ways_of_their_own (void **state)
{
  for (guint e = 0; fab_routing_names ()[e] != NULL; e++)
    {
      g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 leaf1-spine1 leaf1-spine2 leaf1-spine3 leaf1-spine4 leaf2-spine1 leaf2-spine2 "
                                                      "leaf2-spine3 leaf2-spine4");
      g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 2, NULL, NULL);
      g_autoptr (FabRoutes) routes = fab_routes_compute (subnet, NULL, fab_routing_names ()[e], NULL, NULL);
      guint32 from = small_port (topology, "h1/nic0", 1), to = small_port (topology, "h2/nic0", 1), taken = 0;
      g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (guint32));

      for (guint32 i = 0; i < 4; i++)
        {
          g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));

          assert_true (fab_routes_walk_lid (routes, from, fab_subnet_port_lid (subnet, to) + i, links));
          assert_int_equal (links->len, 4);
          assert_int_equal (fab_topology_link (topology, g_array_index (links, guint32, 3))->to_port, to);
          taken |= 1u << fab_topology_device (topology, fab_topology_link (topology, g_array_index (links, guint32, 1))->to_device)->ordinal;
        }
      assert_int_equal (taken, 0xf);
      assert_false (fab_routes_walk_lid (routes, from, fab_subnet_switch_lid (subnet, small_find (topology, "leaf2")), none));
    }
}

/* ---- engines ---- */

static void
test_an_unknown_engine_is_an_error_with_the_nearest_name (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1");
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;

  assert_null (fab_routes_compute (subnet, NULL, "min-hop", NULL, &error));
  assert_int_equal (error->code, FAB_ERROR_UNKNOWN);
  fab_assert_contains (error->message, "got “min-hop”; did you mean “minhop”?");
}

static void
test_every_engine_of_the_list_has_a_summary_and_routes (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 leaf1-spine1 leaf2-spine1");
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  const char *const *names = fab_routing_names ();

  assert_non_null (names[0]);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (FabRoutes) routes = fab_routes_compute (subnet, NULL, names[i], NULL, &error);
      g_autofree char *way = NULL;

      fab_assert_no_error (error);
      assert_non_null (fab_routing_summary (names[i]));
      assert_string_equal (fab_routes_engine (routes), names[i]);
      way = walk (routes, "h1/nic0", "h2/nic0");
      assert_non_null (way);
    }
  assert_null (fab_routing_summary ("none"));
}

static gboolean
stop_at_once (guint64 done, guint64 total, gpointer data)
{
  assert_true (done <= total);
  (*(guint *) data)++;
  return FALSE;
}

static void
test_a_tick_can_cancel (void **state)
{
  g_autoptr (GString) text = g_string_new ("h0-leaf1");
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (FabSubnet) subnet = NULL;
  g_autoptr (GError) error = NULL;
  guint n_calls = 0;
  FabTick tick = { stop_at_once, &n_calls };

  for (guint h = 1; h < 600; h++)
    g_string_append_printf (text, " h%u-leaf1", h);
  topology = small_plane (text->str);
  subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  assert_null (fab_routes_compute (subnet, NULL, "minhop", &tick, &error));
  assert_int_equal (error->code, FAB_ERROR_CANCELLED);
  assert_int_equal (n_calls, 1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_minhop_takes_the_shortest_way),
    cmocka_unit_test (test_equal_ports_are_taken_by_load_and_ties_by_port_number),
    cmocka_unit_test (test_lids_balance_over_the_uplinks_within_one),
    cmocka_unit_test (test_what_is_down_is_not_routed_over),
    cmocka_unit_test (test_the_way_goes_round_where_the_short_ones_are_cut),
    cmocka_unit_test (test_switch_lids_are_routed_but_do_not_count_as_load),
    cmocka_unit_test (test_the_lids_of_a_port_have_ways_of_their_own),
    cmocka_unit_test (test_there_is_no_entry_outside_the_tables),
    cmocka_unit_test (test_an_unknown_engine_is_an_error_with_the_nearest_name),
    cmocka_unit_test (test_every_engine_of_the_list_has_a_summary_and_routes),
    cmocka_unit_test (test_a_tick_can_cancel),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
