/* test-forwarding.c: groups of equal links, and how packets and flows spread over them */
#include "fab-fixture.h"
#include "fab-small-fabric.h"

static const char two_leaves[] = "h1-leaf1 h2-leaf2 h3-leaf2 leaf1-spine1*2 leaf1-spine2 leaf2-spine1*2 leaf2-spine2";

static FabRoutes *
route (const char *fabric, const char *down, const char *engine, FabForwarding forwarding)
{
  g_autoptr (FabTopology) topology = small_plane (fabric);
  g_autoptr (FabFaults) faults = small_faults (topology, down);
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (FabRoutes) routes = fab_routes_compute (subnet, faults, engine, NULL, &error);

  fab_assert_no_error (error);
  return fab_routes_with_forwarding (routes, forwarding);
}

static const FabTopology *
topology_of (const FabRoutes *routes)
{
  return fab_subnet_topology (fab_routes_subnet (routes));
}

static guint32
port (const FabRoutes *routes, const char *host)
{
  return small_port (topology_of (routes), host, 1);
}

/* The group of @device for @host's LID, as ports. */
static char *
group (const FabRoutes *routes, const char *device, const char *host)
{
  guint32 lid = fab_subnet_port_lid (fab_routes_subnet (routes), port (routes, host)), links[16];
  guint n = fab_routes_group (routes, small_find (topology_of (routes), device), lid, links, G_N_ELEMENTS (links));
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            fab_topology_port (topology_of (routes), fab_topology_link (topology_of (routes), links[i])->from_port)->name);
  return g_string_free (text, FALSE);
}

static void
test_a_group_is_the_equal_links_that_lead_nearer (void **state)
{
  static const struct { const char *fabric, *down, *engine; FabForwarding forwarding; const char *device, *ports; } rows[] = {
    { two_leaves, NULL, "minhop", FAB_FORWARDING_ADAPTIVE, "leaf1", "p2 p3 p4" },
    { two_leaves, NULL, "ftree", FAB_FORWARDING_ADAPTIVE, "leaf1", "p2 p3 p4" },
    { two_leaves, NULL, "updn", FAB_FORWARDING_HASH, "leaf1", "p2 p3 p4" },
    { two_leaves, NULL, "ftree", FAB_FORWARDING_ADAPTIVE, "spine1", "p3 p4" },
    { two_leaves, NULL, "ftree", FAB_FORWARDING_ADAPTIVE, "leaf2", "p1" },   /* the last hop has one */
    { two_leaves, NULL, "minhop", FAB_FORWARDING_TABLE, "leaf1", "p2" },
    { two_leaves, "net/leaf1/p3", "ftree", FAB_FORWARDING_ADAPTIVE, "leaf1", "p2 p4" },
    { two_leaves, "leaf2--spine2", "minhop", FAB_FORWARDING_ADAPTIVE, "leaf1", "p2 p3" },
    { two_leaves, "h2/nic0/p1", "minhop", FAB_FORWARDING_ADAPTIVE, "leaf1", "" },
    /* A short cut between leaves is nearer than any spine. */
    { "h1-leaf1 h2-leaf2 leaf1-spine1 leaf1-spine2 spine1-leaf2 spine2-leaf2 leaf1-leaf2", NULL, "minhop", FAB_FORWARDING_ADAPTIVE, "leaf1", "p4" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabRoutes) routes = route (rows[i].fabric, rows[i].down, rows[i].engine, rows[i].forwarding);
      g_autofree char *found = group (routes, rows[i].device, "h2/nic0");

      assert_string_equal (found, rows[i].ports);
    }
}

static void
test_a_group_says_how_many_there_are_beyond_the_room (void **state)
{
  g_autoptr (FabRoutes) routes = route (two_leaves, NULL, "ftree", FAB_FORWARDING_ADAPTIVE);
  guint32 lid = fab_subnet_port_lid (fab_routes_subnet (routes), port (routes, "h2/nic0")), links[2] = { 0, FAB_NONE };

  assert_int_equal (fab_routes_group (routes, small_find (topology_of (routes), "leaf1"), lid, links, 1), 3);
  assert_int_not_equal (links[0], 0);
  assert_int_equal (links[1], FAB_NONE);
  assert_int_equal (fab_routes_group (routes, small_find (topology_of (routes), "leaf1"), 0, links, 1), 0);
}

/* Over root and over c it is as far, but c lies below both ends: a packet would go up after it came down. The first switch is the root. */
static void
test_no_member_goes_up_after_down_where_the_engine_never_does (void **state)
{
  static const struct { const char *engine; const char *ports; } rows[] = { { "minhop", "p1 p2" }, { "updn", "p1" } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabRoutes) routes = route ("root-a root-d a-c c-d h1-a h2-d", NULL, rows[i].engine, FAB_FORWARDING_ADAPTIVE);
      g_autofree char *found = group (routes, "a", "h2/nic0");

      assert_string_equal (found, rows[i].ports);
    }
}

/* "port:part" of every link on the way. */
static char *
spread (const FabRoutes *routes, const char *from, const char *to)
{
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (double));
  GString *text;

  if (!fab_routes_spread (routes, port (routes, from), port (routes, to), links, parts))
    {
      assert_int_equal (links->len, 0);
      assert_int_equal (parts->len, 0);
      return NULL;
    }
  assert_int_equal (links->len, parts->len);
  text = g_string_new (NULL);
  for (guint i = 0; i < links->len; i++)
    {
      const FabLink *link = fab_topology_link (topology_of (routes), g_array_index (links, guint32, i));
      char digits[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (text, "%s%s/%s:%s", i > 0 ? " " : "", fab_topology_device (topology_of (routes), link->from_device)->name,
                              fab_topology_port (topology_of (routes), link->from_port)->name,
                              g_ascii_formatd (digits, sizeof digits, "%.3g", g_array_index (parts, double, i)));
    }
  return g_string_free (text, FALSE);
}

static void
test_packets_spread_evenly_over_each_group_on_their_way (void **state)
{
  static const struct { FabForwarding forwarding; const char *from, *to, *spread; } rows[] = {
    { FAB_FORWARDING_ADAPTIVE, "h1/nic0", "h2/nic0",
      "nic0/p1:1 leaf1/p2:0.333 leaf1/p3:0.333 leaf1/p4:0.333 spine1/p3:0.333 spine1/p4:0.333 spine2/p2:0.333 leaf2/p1:1" },
    { FAB_FORWARDING_ADAPTIVE, "h2/nic0", "h3/nic0", "nic0/p1:1 leaf2/p2:1" },
    { FAB_FORWARDING_TABLE, "h1/nic0", "h2/nic0", "nic0/p1:1 leaf1/p2:1 spine1/p3:1 leaf2/p1:1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabRoutes) routes = route (two_leaves, NULL, "ftree", rows[i].forwarding);
      g_autofree char *found = spread (routes, rows[i].from, rows[i].to);

      assert_string_equal (found, rows[i].spread);
    }
}

static void
test_what_cannot_be_reached_has_no_spread (void **state)
{
  g_autoptr (FabRoutes) routes = route (two_leaves, "h2/nic0/p1", "ftree", FAB_FORWARDING_ADAPTIVE);

  assert_null (spread (routes, "h1/nic0", "h2/nic0"));
}

/* Out of every switch goes what came in, over all pairs of three tiers. */
static void
test_a_spread_keeps_all_packets_and_stands_in_order (void **state)
{
  g_autoptr (FabRoutes) routes = route ("h1-leaf1 h2-leaf2 h3-leaf3 h4-leaf4 leaf1-spine1 leaf1-spine2 leaf2-spine1 leaf2-spine2 leaf3-spine3 "
                                        "leaf3-spine4 leaf4-spine3 leaf4-spine4 spine1-core1 spine1-core2*3 spine2-core3 spine2-core4 "
                                        "spine3-core1 spine3-core2 spine4-core3*2 spine4-core4", NULL, "ftree", FAB_FORWARDING_ADAPTIVE);
  static const char *const hosts[] = { "h1/nic0", "h2/nic0", "h3/nic0", "h4/nic0" };

  for (guint pair = 0; pair < 16; pair++)
    {
      g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (double));
      g_autofree double *inside = g_new0 (double, fab_topology_n_devices (topology_of (routes)));

      if (pair / 4 == pair % 4)
        continue;
      assert_true (fab_routes_spread (routes, port (routes, hosts[pair / 4]), port (routes, hosts[pair % 4]), links, parts));
      inside[fab_topology_port (topology_of (routes), port (routes, hosts[pair / 4]))->device] = 1;
      for (guint i = 0; i < links->len; i++)
        {
          const FabLink *link = fab_topology_link (topology_of (routes), g_array_index (links, guint32, i));

          inside[link->from_device] -= g_array_index (parts, double, i);
          inside[link->to_device] += g_array_index (parts, double, i);
          assert_true (inside[link->from_device] > -1e-9);
        }
      fab_assert_close (inside[fab_topology_port (topology_of (routes), port (routes, hosts[pair % 4]))->device], 1, 1e-9);
    }
}

static void
test_a_hash_keeps_to_the_group_and_uses_all_of_it (void **state)
{
  g_autoptr (GString) fabric = g_string_new ("leaf1-spine1*2 leaf1-spine2 leaf2-spine1*2 leaf2-spine2");
  g_autoptr (FabRoutes) routes = NULL, again = NULL;
  guint taken[16] = { 0 };

  for (guint h = 1; h <= 30; h++)
    g_string_append_printf (fabric, " h%u-leaf%u", h, h % 2 + 1);
  routes = route (fabric->str, NULL, "minhop", FAB_FORWARDING_HASH);
  again = route (fabric->str, NULL, "minhop", FAB_FORWARDING_HASH);
  for (guint a = 2; a <= 30; a += 2)
    for (guint b = 1; b <= 29; b += 2)
      {
        g_autofree char *from = g_strdup_printf ("h%u/nic0", a), *to = g_strdup_printf ("h%u/nic0", b);
        g_autofree char *way = spread (routes, from, to), *same = spread (again, from, to);
        g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));

        assert_string_equal (way, same);
        assert_true (fab_routes_walk (routes, port (routes, from), port (routes, to), links));
        assert_int_equal (links->len, 4);
        taken[fab_topology_link (topology_of (routes), g_array_index (links, guint32, 1))->from_port
              - fab_topology_device (topology_of (routes), small_find (topology_of (routes), "leaf1"))->first_port]++;
      }
  for (guint p = 0; p < 3; p++)   /* 225 flows over three links: 75 each, and a spread of 7 */
    assert_in_range (taken[p], 75 - 21, 75 + 21);
  assert_int_equal (taken[0] + taken[1] + taken[2], 225);
}

static void
test_forwarding_changes_share_one_set_of_tables (void **state)
{
  g_autoptr (FabRoutes) routes = route (two_leaves, NULL, "ftree", FAB_FORWARDING_TABLE);
  g_autoptr (FabRoutes) adaptive = fab_routes_with_forwarding (routes, FAB_FORWARDING_ADAPTIVE);
  g_autoptr (FabRoutes) hash = fab_routes_with_forwarding (adaptive, FAB_FORWARDING_HASH);
  g_autoptr (FabRoutes) table = fab_routes_with_forwarding (hash, FAB_FORWARDING_TABLE);

  assert_ptr_equal (table, routes);
  assert_string_equal (fab_forwarding_name (fab_routes_forwarding (adaptive)), "adaptive");
  assert_string_equal (fab_forwarding_name (fab_routes_forwarding (hash)), "hash");
  assert_string_equal (fab_routes_engine (hash), "ftree");
  g_clear_pointer (&routes, fab_routes_unref);
  g_clear_pointer (&table, fab_routes_unref);
  g_clear_pointer (&adaptive, fab_routes_unref);
  assert_int_not_equal (fab_routes_next_link (hash, small_find (topology_of (hash), "leaf1"), 1 + 4), FAB_NONE);   /* its owner lives on */
}

/* ---- paths ---- */

static void
test_a_spread_path_has_the_latency_of_its_quickest_way_and_a_part_a_link (void **state)
{
  g_autoptr (FabRoutes) routes = route (two_leaves, NULL, "ftree", FAB_FORWARDING_ADAPTIVE);
  g_autoptr (FabRoutes) one_way = fab_routes_with_forwarding (routes, FAB_FORWARDING_TABLE);
  FabRoutes *by_plane[] = { routes, one_way };
  FabTransportRules rules;

  fab_transport_rules_init (&rules);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (FabPaths) paths = fab_paths_new (topology_of (routes), NULL, &by_plane[i], &rules);
      guint32 src = small_find (topology_of (routes), "h1/nic0"), dst = small_find (topology_of (routes), "h2/nic0");
      guint32 near = fab_paths_find (paths, small_find (topology_of (routes), "h3/nic0"), dst, 0), far = fab_paths_find (paths, src, dst, 0);
      const double *parts = fab_paths_parts (paths, far);

      assert_null (fab_paths_parts (paths, near));
      assert_int_equal (fab_paths_row (paths, far)->latency_ps, 4 * 1000);
      assert_int_equal (fab_paths_row (paths, far)->n_links, i == 0 ? 8 : 4);
      assert_int_equal (parts != NULL, i == 0);
      if (parts == NULL)
        continue;
      fab_assert_close (parts[0], 1, 0);
      fab_assert_close (parts[1], 1.0 / 3, 1e-12);
      fab_assert_close (parts[7], 1, 0);
    }
}

/* ---- the design's keys ---- */

static void
test_a_design_says_how_each_plane_forwards (void **state)
{
  static const struct { const char *set; const char *planes; } rows[] = {
    { NULL, "table table hash hash" },
    { "planes.compute.subnet.routing={engine: ftree, adaptive: true}", "adaptive table hash hash" },
    { "planes.compute.subnet.routing.hash=true", "hash table hash hash" },
    { "planes.management.routing={hash: false}", "table table table hash" },
    { "planes.management.routing={adaptive: true}", "table table adaptive hash" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].set, NULL };
      g_autoptr (FabDesign) design = fixture_plan (settings);
      g_autoptr (FabBuilt) built = fixture_build (design);
      g_autoptr (GString) found = g_string_new (NULL);

      for (guint p = 0; p < 4; p++)
        g_string_append_printf (found, "%s%s", p > 0 ? " " : "", fab_forwarding_name (fab_routes_forwarding (built->routes[p])));
      assert_string_equal (found->str, rows[i].planes);
    }
}

static void
test_contradicting_or_misplaced_routing_is_an_error (void **state)
{
  static const struct { const char *plane, *error; } rows[] = {
    { "link: infiniband, subnet: {routing: {adaptive: true, hash: true}}",
      "test.yaml:4:151: planes.compute.subnet.routing.hash: expected either adaptive or hash, got both" },
    { "link: infiniband, routing: {engine: updn}", "expected routing inside subnet on an InfiniBand plane" },
    { "link: infiniband, subnet: {routing: {adaptive: maybe}}", "expected true or false, got “maybe”" },
    { "link: infiniband, subnet: {routing: {adaptve: true}}", "did you mean “adaptive”?" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("fabsim: 1\nnodes: {h: {type: host-1nic, count: 2}}\nplanes:\n"
                                               "  compute: {topology: {family: fat-tree, tiers: 1, leaf: qm9700}, host_link: {speed: NDR}, %s}\n", rows[i].plane);
      g_autoptr (FabCatalog) catalog = fab_catalog_new (NULL);
      g_autoptr (GError) error = NULL;

      assert_null (fab_design_read (text, strlen (text), "test.yaml", NULL, catalog, &error));
      fab_assert_contains (error->message, rows[i].error);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_a_group_is_the_equal_links_that_lead_nearer),
    cmocka_unit_test (test_a_group_says_how_many_there_are_beyond_the_room),
    cmocka_unit_test (test_no_member_goes_up_after_down_where_the_engine_never_does),
    cmocka_unit_test (test_packets_spread_evenly_over_each_group_on_their_way),
    cmocka_unit_test (test_what_cannot_be_reached_has_no_spread),
    cmocka_unit_test (test_a_spread_keeps_all_packets_and_stands_in_order),
    cmocka_unit_test (test_a_hash_keeps_to_the_group_and_uses_all_of_it),
    cmocka_unit_test (test_forwarding_changes_share_one_set_of_tables),
    cmocka_unit_test (test_a_spread_path_has_the_latency_of_its_quickest_way_and_a_part_a_link),
    cmocka_unit_test (test_a_design_says_how_each_plane_forwards),
    cmocka_unit_test (test_contradicting_or_misplaced_routing_is_an_error),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
