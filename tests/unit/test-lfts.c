/* test-lfts.c: forwarding tables read from OpenSM's dumps, and written so that they read the same */
#include "fab-fixture.h"
#include "fab-lfts.h"
#include "fab-small-fabric.h"

static const char two_leaves[] = "h1-leaf1 h2-leaf1 h3-leaf1 h4-leaf1 h5-leaf2 h6-leaf2 h7-leaf2 h8-leaf2 leaf1-spine1 leaf1-spine2 leaf2-spine1 "
                                 "leaf2-spine2";

static const char ring[] =
  "fabsim: 1\n"
  "nodes: {h: {type: host-1nic, count: 4}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    host_link: {speed: NDR}\n"
  "    switches: [{names: \"s[1-4]\", part: qm9700}]\n"
  "    links:\n"
  "      - {a: h1/nic0/p1, b: s1/p1, speed: NDR}\n"
  "      - {a: h2/nic0/p1, b: s2/p1, speed: NDR}\n"
  "      - {a: h3/nic0/p1, b: s3/p1, speed: NDR}\n"
  "      - {a: h4/nic0/p1, b: s4/p1, speed: NDR}\n"
  "      - {a: s1/p2, b: s2/p3, speed: NDR}\n"
  "      - {a: s2/p2, b: s3/p3, speed: NDR}\n"
  "      - {a: s3/p2, b: s4/p3, speed: NDR}\n"
  "      - {a: s4/p2, b: s1/p3, speed: NDR}\n";

static char *
data_file (const char *name)
{
  g_autofree char *path = g_build_filename (FAB_SOURCE_DIR, "tests/data", name, NULL);
  char *text = NULL;

  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static FabRoutes *
read_tables (FabTopology *topology, const FabFaults *faults, const char *text, GError **error)
{
  return fab_lfts_read (text, strlen (text), "lfts", topology, 0, faults, NULL, error);
}

/* The switches from host @a to host @b of the plane, by name. */
static char *
way (const FabRoutes *routes, const char *a, const char *b)
{
  const FabTopology *topology = fab_subnet_topology (fab_routes_subnet (routes));
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  GString *text = g_string_new (NULL);

  assert_true (fab_routes_walk (routes, small_port (topology, a, 1), small_port (topology, b, 1), links));
  for (guint i = 0; i + 1 < links->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            fab_topology_device (topology, fab_topology_link (topology, g_array_index (links, guint32, i))->to_device)->name);
  return g_string_free (text, FALSE);
}

static void
test_an_unbalanced_dump_sends_all_of_a_leaf_over_one_uplink (void **state)
{
  g_autoptr (FabTopology) topology = small_plane (two_leaves);
  g_autofree char *text = data_file ("y_lfts_unbalanced.dump");
  g_autoptr (GError) error = NULL;
  g_autoptr (FabRoutes) routes = read_tables (topology, NULL, text, &error);
  static const char *const hosts[] = { "h1/nic0", "h2/nic0", "h3/nic0", "h4/nic0", "h5/nic0", "h6/nic0", "h7/nic0", "h8/nic0" };
  guint over_spine1 = 0, back_over_spine1 = 0;

  fab_assert_no_error (error);
  assert_string_equal (fab_routes_engine (routes), "file");
  for (guint h = 0; h < 8; h++)   /* the LIDs are the file's */
    assert_int_equal (fab_subnet_port_lid (fab_routes_subnet (routes), small_port (topology, hosts[h], 1)), 11 + h);
  assert_int_equal (fab_subnet_switch_lid (fab_routes_subnet (routes), small_find (topology, "spine2")), 4);
  for (guint h = 0; h < 4; h++)
    {
      g_autofree char *there = way (routes, hosts[h], hosts[h + 4]), *back = way (routes, hosts[h + 4], hosts[h]);

      over_spine1 += g_str_equal (there, "leaf1 spine1 leaf2") ? 1 : 0;
      back_over_spine1 += g_str_equal (back, "leaf2 spine1 leaf1") ? 1 : 0;
    }
  assert_int_equal (over_spine1, 4);
  assert_int_equal (back_over_spine1, 2);
  assert_null (fab_routes_credit_loop (routes, NULL, 0));
}

/* Known answer 52: all ways of two hops go clockwise. */
static void
test_a_ring_dumped_clockwise_has_the_cycle_and_by_updn_none (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (ring, NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autofree char *clockwise = data_file ("y_lfts_credit-loop-ring.dump"), *updn = data_file ("y_lfts_ring-updown.dump");
  g_autoptr (FabRoutes) loops = read_tables (topology, NULL, clockwise, NULL);
  g_autoptr (FabRoutes) free_of_loops = read_tables (topology, NULL, updn, NULL);
  g_autoptr (GArray) cycle = fab_routes_credit_loop (loops, NULL, 0);
  g_autofree char *names = small_names (topology, cycle, fab_topology_link_address);
  static const struct { const char *a, *b, *way; } rows[] = {
    { "h1/nic0", "h3/nic0", "s1 s2 s3" }, { "h3/nic0", "h1/nic0", "s3 s4 s1" }, { "h2/nic0", "h4/nic0", "s2 s1 s4" }, { "h4/nic0", "h2/nic0", "s4 s1 s2" },
  };

  assert_string_equal (names, "compute/s1/p2--compute/s2/p3 compute/s2/p2--compute/s3/p3 compute/s3/p2--compute/s4/p3 compute/s4/p2--compute/s1/p3");
  assert_null (fab_routes_credit_loop (free_of_loops, NULL, 0));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *found = way (free_of_loops, rows[i].a, rows[i].b);

      assert_string_equal (found, rows[i].way);
    }
}

/* ---- round trips ---- */

static void
assert_same_tables (const FabRoutes *a, const FabRoutes *b)
{
  const FabSubnet *subnet = fab_routes_subnet (a);
  const FabPlane *plane = fab_topology_plane (fab_subnet_topology (subnet), fab_subnet_plane (subnet));

  assert_int_equal (fab_subnet_max_lid (subnet), fab_subnet_max_lid (fab_routes_subnet (b)));
  assert_int_equal (fab_subnet_n_lids (subnet), fab_subnet_n_lids (fab_routes_subnet (b)));
  for (guint32 lid = 1; lid <= fab_subnet_max_lid (subnet); lid++)
    {
      assert_int_equal (fab_subnet_lid_port (subnet, lid), fab_subnet_lid_port (fab_routes_subnet (b), lid));
      assert_int_equal (fab_subnet_lid_switch (subnet, lid), fab_subnet_lid_switch (fab_routes_subnet (b), lid));
      for (guint32 s = plane->first_switch; s < plane->first_switch + plane->n_switches; s++)
        assert_int_equal (fab_routes_next_link (a, s, lid), fab_routes_next_link (b, s, lid));
    }
}

static void
test_what_is_written_reads_the_same_for_every_family (void **state)
{
  static const char *const texts[] = {
    ring,
    "fabsim: 1\nnodes: {gpu: {type: l40s-8, count: 9}}\nplanes:\n  compute:\n    link: infiniband\n"   /* split ports, two leaves a rail */
    "    topology: {family: rail-optimized, rails: 4, leaves_per_rail: 2, leaf: qm9700, spine: qm9700, spines: 2, uplinks_per_spine: 2}\n"
    "    host_link: {speed: NDR200}\n    uplink: {speed: NDR}\n    subnet: {lmc: 2, routing: {engine: ftree}}\n",
    "fabsim: 1\nnodes: {h: {type: host-1nic, count: 100}}\nplanes:\n  compute:\n    link: infiniband\n"
    "    topology: {family: fat-tree, tiers: 2, leaf: qm8700, spine: qm8700}\n"
    "    host_link: {speed: HDR}\n    uplink: {speed: HDR}\n    subnet: {lmc: 1}\n",
    "fabsim: 1\nmodels: {r8: {kind: switch, summary: t, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: 8, latency: 130ns}}\n"
    "nodes: {h: {type: host-1nic, count: 128}}\nplanes:\n  compute:\n    link: infiniband\n"
    "    topology: {family: fat-tree, tiers: 3, leaf: r8, spine: r8, core: r8}\n"
    "    host_link: {speed: HDR}\n    uplink: {speed: HDR}\n    subnet: {routing: {engine: dfsssp}}\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (FabDesign) design = fixture_read (texts[i], NULL);
      g_autoptr (FabBuilt) built = fixture_build (design);
      g_autoptr (GError) error = NULL;
      gsize len, len_again;
      g_autofree char *text = fab_lfts_write (built->routes[0], &len, &error), *again = NULL;
      g_autoptr (FabRoutes) routes = NULL;

      fab_assert_no_error (error);
      assert_int_equal (len, strlen (text));
      routes = fab_lfts_read (text, len, "lfts", built->topology, 0, NULL, NULL, &error);
      fab_assert_no_error (error);
      assert_same_tables (built->routes[0], routes);
      again = fab_lfts_write (routes, &len_again, &error);
      assert_string_equal (again, text);
    }
}

static void
test_a_split_port_has_the_number_of_its_half (void **state)
{
  const char *settings[] = { "planes.compute.subnet.routing.engine=ftree", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  gsize len;
  g_autofree char *text = fab_lfts_write (built->routes[0], &len, NULL);

  /* gpu048's first port is p24/2 of leaf1, whose first uplink is p25. */
  fab_assert_contains (text, " 048 # Channel Adapter portguid 0xfab5");
  fab_assert_contains (text, ": 'gpu048 nic0'\n");
  fab_assert_contains (text, " 049 # Switch portguid 0xfab5");
}

/* ---- what is not right ---- */

static char *
replace (const char *text, const char *what, const char *with)
{
  g_auto (GStrv) halves = g_strsplit (text, what, 2);

  assert_int_equal (g_strv_length (halves), 2);
  return g_strconcat (halves[0], with, halves[1], NULL);
}

static void
test_damaged_and_foreign_dumps_are_errors_with_their_place (void **state)
{
  g_autoptr (FabTopology) topology = small_plane (two_leaves);
  g_autofree char *good = data_file ("y_lfts_unbalanced.dump");
  static const struct { const char *what, *with, *error; } rows[] = {
    { "0x000c 002 # Channel Adapter portguid 0xbb00bb0300c10050: 'h2", "0x000c 099 # Channel Adapter portguid 0xbb00bb0300c10050: 'h2",
      "lfts:7:8: switch leaf1: expected a cabled port, got 099, which is none of its ports" },
    { "'h2 HCA-1'", "'h3 HCA-1'", "lfts:7:8: switch leaf1: expected h2, which is cabled to this port, got h3" },
    { "('leaf2')", "('leaf9')", "lfts:15:62: tables: expected a switch of plane net, got “leaf9”; did you mean “leaf1”?" },
    { "('leaf2')", "('leaf1')", "lfts:15:62: tables: expected one table a switch, got a second for leaf1" },
    { "0x000d 003", "0x000c 003", "lfts:8:8: switch leaf1: expected one line a LID, got a second for 0x000c" },
    { "0x0001 000", "0x0005 000", "lfts:2:8: switch leaf1: expected the switch's own LID 1 at port 0, got 5" },
    { "0x000b 001", "0xfffb 001", "lfts:6:1: switch leaf1: expected a LID, at most 49151, got “0xfffb" },
    { "0x000b 001", "0x000b one", "lfts:6:8: switch leaf1: expected a port, at most 255, got “one" },
    { "0x000b 001", "0x000b:001", "lfts:6:7: switch leaf1: expected “ ”, got “:001" },
    { "0x000b 001", "what", "lfts:6:1: switch leaf1: expected a LID (0x…) or “N lids dumped”, got “what" },
    { "18 lids dumped", "12 valid lids dumped", NULL },
    { "18 lids dumped", "11 valid lids dumped", "switch leaf1: expected 11 lines of LIDs, got 12" },
    { "18 lids dumped\n", "", "lfts:14:15: switch leaf1: expected “N lids dumped” before the next table" },
    { "Unicast lids [0-18] of switch Lid 1", "Multicast", "lfts:1:1: tables: expected “Unicast lids [”, got “Multicast" },
    { "switch Lid 1 ", "switch Lid 2 ", "expected the switch's own LID 2 at port 0, got 1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = replace (good, rows[i].what, rows[i].with);
      g_autoptr (GError) error = NULL;
      g_autoptr (FabRoutes) routes = read_tables (topology, NULL, text, &error);

      if (rows[i].error == NULL)
        {
          fab_assert_no_error (error);
          continue;
        }
      assert_null (routes);
      fab_assert_contains (error->message, rows[i].error);
    }
}

/* Wherever it is cut, short of its last line, it is not read as if it were whole. */
static void
test_a_dump_cut_anywhere_is_an_error (void **state)
{
  g_autoptr (FabTopology) topology = small_plane (two_leaves);
  g_autofree char *good = data_file ("y_lfts_unbalanced.dump");
  gsize len = strlen (good) - strlen (" lids dumped\n");

  for (gsize n = 0; n < len; n++)
    {
      g_autoptr (GError) error = NULL;

      assert_null (fab_lfts_read (good, n, "lfts", topology, 0, NULL, NULL, &error));
      assert_true (g_str_has_prefix (error->message, "lfts:"));
    }
}

static void
test_what_is_down_may_be_missing (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 h3-leaf2 leaf1-spine1 leaf2-spine1 leaf1-spine2 leaf2-spine2");
  g_autoptr (FabFaults) faults = small_faults (topology, "net/spine2");
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  g_autoptr (FabRoutes) routes = NULL, again = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *rest = NULL;
  gsize len;

  assert_true (fab_faults_add (faults, "h3", NULL));
  routes = fab_routes_compute (subnet, faults, "minhop", NULL, NULL);
  text = fab_lfts_write (routes, &len, NULL);
  rest = g_strndup (text, (gsize) (strstr (text, "Unicast lids [0-7] of switch Lid 4") - text));   /* without spine2 */
  again = read_tables (topology, faults, rest, &error);
  fab_assert_no_error (error);
  assert_null (read_tables (topology, NULL, rest, &error));
  fab_assert_contains (error->message, "expected a table for every switch, got none for spine2");
  g_clear_error (&error);
  assert_null (read_tables (topology, NULL, text, &error));
  fab_assert_contains (error->message, "expected a LID for every host port, got none that leads to h3/nic0/p1");
}

static void
test_ports_and_lids_beyond_infiniband_are_not_written (void **state)
{
  g_autoptr (GString) fabric = g_string_new ("h0-leaf1");
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (FabSubnet) subnet = NULL;
  g_autoptr (FabRoutes) routes = NULL;
  g_autoptr (GError) error = NULL;
  gsize len;

  for (guint h = 1; h < 255; h++)
    g_string_append_printf (fabric, " h%u-leaf1", h);
  topology = small_plane (fabric->str);
  subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  routes = fab_routes_compute (subnet, NULL, "minhop", NULL, NULL);
  assert_null (fab_lfts_write (routes, &len, &error));
  fab_assert_contains (error->message, "leaf1: expected ports numbered up to 254, got p255");
}

/* ---- the design's key ---- */

static void
test_a_design_reads_its_tables_from_a_file (void **state)
{
  g_autofree char *file = g_build_filename (FAB_SOURCE_DIR, "tests/data/y_lfts_credit-loop-ring.dump", NULL);
  g_autofree char *tables = g_strdup_printf ("planes.compute.subnet.routing={tables: %s}", file);
  g_autofree char *both = g_strdup_printf ("planes.compute.subnet.routing={tables: %s, engine: updn}", file);
  const char *good[] = { tables, NULL };
  const struct { const char *set, *error; } rows[] = {
    { both, "expected either an engine or tables, got both" },
    { "planes.compute.subnet.routing={tables: nowhere.dump}", "expected a file of forwarding tables, got none" },
  };
  g_autoptr (FabCatalog) catalog = fab_catalog_new (NULL);
  g_autoptr (FabDesign) design = fixture_read (ring, good), plain = fixture_read (ring, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);

  assert_string_equal (fab_routes_engine (built->routes[0]), "file");
  assert_string_not_equal (fab_design_digest (design), fab_design_digest (plain));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].set, NULL };
      g_autoptr (GError) error = NULL;

      assert_null (fab_design_read (ring, strlen (ring), "test.yaml", settings, catalog, &error));
      fab_assert_contains (error->message, rows[i].error);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_an_unbalanced_dump_sends_all_of_a_leaf_over_one_uplink),
    cmocka_unit_test (test_a_ring_dumped_clockwise_has_the_cycle_and_by_updn_none),
    cmocka_unit_test (test_what_is_written_reads_the_same_for_every_family),
    cmocka_unit_test (test_a_split_port_has_the_number_of_its_half),
    cmocka_unit_test (test_damaged_and_foreign_dumps_are_errors_with_their_place),
    cmocka_unit_test (test_a_dump_cut_anywhere_is_an_error),
    cmocka_unit_test (test_what_is_down_may_be_missing),
    cmocka_unit_test (test_ports_and_lids_beyond_infiniband_are_not_written),
    cmocka_unit_test (test_a_design_reads_its_tables_from_a_file),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
