/* test-analysis.c: what show counts, which way a path goes, what the catalog says */
#include "fab-fixture.h"
#include "fab-analysis.h"
#include <math.h>

/* ---- asking ---- */

static FabTopology *
build (const FabDesign *design)
{
  g_autoptr (GError) error = NULL;
  FabTopology *topology = fab_design_build_topology (design, &error);

  fab_assert_no_error (error);
  return topology;
}

static FabAnswer *
show (const char *const *settings, const char *down)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabTopology) topology = build (design);
  g_autoptr (FabFaults) faults = fab_faults_new (topology);
  FabAnswer *answer;

  if (down != NULL)
    fab_faults_add (faults, down, &error);
  fab_assert_no_error (error);
  answer = fab_analysis_show (design, topology, faults, &error);
  fab_assert_no_error (error);
  return answer;
}

/* The path of the plan from @src to @dst; @down: what is down, or NULL. */
static FabAnswer *
ask_path (const char *src, const char *dst, const char *plane, const char *down, GError **error)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabTopology) topology = build (design);
  g_autoptr (FabFaults) faults = fab_faults_new (topology);

  if (down != NULL)
    assert_true (fab_faults_add (faults, down, NULL));
  return fab_analysis_path (design, topology, faults, src, dst, plane, error);
}

static FabAnswer *
find_path (const char *src, const char *dst, const char *plane, const char *down)
{
  g_autoptr (GError) error = NULL;
  FabAnswer *answer = ask_path (src, dst, plane, down, &error);

  fab_assert_no_error (error);
  return answer;
}

static const FabTable *
section_at (const FabAnswer *answer, const char *path)
{
  for (gsize s = 0; s < fab_answer_n_sections (answer); s++)
    if (g_str_equal (fab_answer_section (answer, s)->path, path))
      return fab_answer_section (answer, s)->table;
  return NULL;
}

static gsize
column_of (const FabTable *table, const char *key)
{
  gsize n_columns;
  const FabColumn *columns = fab_table_columns (table, &n_columns);

  assert_non_null (table);
  for (gsize c = 0; c < n_columns; c++)
    if (g_str_equal (columns[c].key, key))
      return c;
  fail_msg ("the table has no column %s", key);
  return 0;
}

static const char *
text_at (const FabTable *table, gsize row, const char *key)
{
  return fab_table_text (table, row, column_of (table, key));
}

static double
number_at (const FabTable *table, gsize row, const char *key)
{
  return fab_table_number (table, row, column_of (table, key));
}

/* ---- show ---- */

/* Key of the metric, its JSON path and value; the plan, then its twin of 40 nodes with eight rail ports. */
static const struct { const char *key, *json_path; double plan, twin; } shown[] = {
  { "inventory.gpus", ".inventory.gpus", 384, 320 },
  { "inventory.nodes", ".inventory.nodes", 48, 40 },
  { "inventory.other_nodes", ".inventory.other_nodes", 6, 6 },
  { "compute.lids", ".planes.compute.lids", 200, 332 },
  { "compute.links.host", ".planes.compute.links.host", 192, 320 },
  { "compute.links.interswitch", ".planes.compute.links.interswitch", 64, 128 },
  { "compute.leaf.switches", ".planes.compute.tiers[0].switches", 4, 8 },
  { "compute.leaf.down_gbps", ".planes.compute.tiers[0].down_gbps", 9600, 8000 },
  { "compute.leaf.up_gbps", ".planes.compute.tiers[0].up_gbps", 6400, 6400 },
  { "compute.leaf.oversubscription", ".planes.compute.tiers[0].oversubscription", 1.5, 1.25 },
  { "compute.leaf.ports_used", ".planes.compute.tiers[0].ports_used", 40, 36 },
  { "compute.leaf.ports_total", ".planes.compute.tiers[0].ports_total", 64, 64 },
  { "compute.leaf.cages_used", ".planes.compute.tiers[0].cages_used", 20, 18 },
  { "compute.spine.switches", ".planes.compute.tiers[1].switches", 4, 4 },
  { "compute.spine.ports_used", ".planes.compute.tiers[1].ports_used", 16, 32 },
  { "compute.spine.ports_total", ".planes.compute.tiers[1].ports_total", 64, 64 },
  { "compute.growth.max_nodes", ".planes.compute.growth.max_nodes", 72, 70 },
  { "compute.growth.more_nodes", ".planes.compute.growth.more_nodes", 24, 30 },
  { "compute.growth.uplinks_per_spine", ".planes.compute.growth.uplinks_per_spine", 6, 7 },
};

static void
assert_metric (const FabTable *metrics, const char *key, const char *json_path, double expected)
{
  for (gsize row = 0; row < fab_table_n_rows (metrics); row++)
    if (g_str_equal (text_at (metrics, row, "key"), key))
      {
        assert_string_equal (text_at (metrics, row, "json_path"), json_path);
        fab_assert_close (number_at (metrics, row, "value"), expected, 1e-12);
        return;
      }
  fail_msg ("no metric %s", key);
}

static void
test_show_counts_the_plan_and_its_twin_each_at_its_own_path (void **state)
{
  const char *twin_settings[] = { "nodes.gpu={type: hgx-h100-8, count: 40, digits: 3}",
                                  "planes.compute.topology.rails=8", NULL };
  g_autoptr (FabAnswer) plan = show (NULL, NULL);
  g_autoptr (FabAnswer) twin = show (twin_settings, NULL);
  g_autoptr (FabTable) plan_metrics = fab_answer_metrics (plan);
  g_autoptr (FabTable) twin_metrics = fab_answer_metrics (twin);

  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      assert_metric (plan_metrics, shown[i].key, shown[i].json_path, shown[i].plan);
      assert_metric (twin_metrics, shown[i].key, shown[i].json_path, shown[i].twin);
    }
}

static void
test_show_names_tiers_and_leaves_open_what_has_no_answer (void **state)
{
  g_autoptr (FabAnswer) answer = show (NULL, NULL);
  const FabTable *tiers = section_at (answer, "planes.compute.tiers");
  const FabTable *ethernet = section_at (answer, "planes.management");

  assert_int_equal (fab_table_n_rows (tiers), 2);
  assert_string_equal (text_at (tiers, 0, "name"), "leaf");
  assert_string_equal (text_at (tiers, 0, "port_unit"), "NDR");
  assert_string_equal (text_at (tiers, 1, "name"), "spine");
  assert_true (fab_table_is_null (tiers, 1, column_of (tiers, "oversubscription")));
  assert_true (fab_table_is_null (ethernet, 0, column_of (ethernet, "lids")));
  assert_string_equal (text_at (ethernet, 0, "link"), "ethernet");
  assert_null (section_at (answer, "planes.management.growth"));
}

static void
test_show_says_ratio_ports_and_growth_in_a_sentence (void **state)
{
  g_autoptr (FabAnswer) answer = show (NULL, NULL);
  const char *const *says = fab_answer_says (answer);
  const char *sentence = NULL;

  for (guint i = 0; says[i] != NULL; i++)
    sentence = g_str_has_prefix (says[i], "compute") ? says[i] : sentence;
  fab_assert_contains (sentence, "1.5:1");
  fab_assert_contains (sentence, "40 of 64 ports");
  fab_assert_contains (sentence, "72 nodes");
  fab_assert_contains (sentence, "6 uplinks");
}

/* Known answer 55. */
static void
test_a_lost_spine_raises_oversubscription_from_three_halves_to_two (void **state)
{
  g_autoptr (FabAnswer) answer = show (NULL, "compute/spine3");
  const FabTable *tiers = section_at (answer, "planes.compute.tiers");

  fab_assert_close (number_at (tiers, 0, "oversubscription"), 2, 1e-12);
  assert_int_equal (number_at (tiers, 1, "switches"), 3);
}

static void
test_a_tier_is_told_by_its_most_oversubscribed_switch (void **state)
{
  g_autoptr (FabAnswer) answer = show (NULL, "compute/leaf2/p25--compute/spine1/p5");
  const FabTable *tiers = section_at (answer, "planes.compute.tiers");

  fab_assert_close (number_at (tiers, 0, "up_gbps"), 6000, 1e-12);
  fab_assert_close (number_at (tiers, 0, "oversubscription"), 1.6, 1e-12);
}

/* 76 nodes stand on 26 uplinks; uplinks that divide over four spines take 72: none more, not minus four. */
static void
test_a_plan_that_outgrew_divided_uplinks_takes_no_more_nodes (void **state)
{
  const char *settings[] = { "nodes.gpu.count=76", "planes.storage.nodes=[store]",
                             "planes.compute.topology={family: rail-optimized, leaf: qm9700, spine: qm9700, spines: 4, "
                             "uplinks: 26}", NULL };
  g_autoptr (FabAnswer) answer = show (settings, NULL);
  const FabTable *growth = section_at (answer, "planes.compute.growth");

  assert_int_equal (number_at (growth, 0, "more_nodes"), 0);
}

static void
test_the_bill_lists_every_cable_once (void **state)
{
  g_autoptr (FabAnswer) answer = show (NULL, NULL);
  const FabTable *bill = section_at (answer, "cables");
  const FabTable *inventory = section_at (answer, "inventory");
  double n_cables = 0;

  for (gsize row = 0; row < fab_table_n_rows (bill); row++)
    n_cables += number_at (bill, row, "count");
  fab_assert_close (n_cables, number_at (inventory, 0, "cables"), 0);
  assert_string_equal (text_at (bill, 0, "cable"), "mma4z00-split");
  assert_int_equal (number_at (bill, 0, "count"), 192);
}

/* ---- path ---- */

static const struct { const char *kind; double rate_gbps, goodput; } cross_rail[] = {
  { "gpu-link", 252.06, 28.81 },
  { "nic", 504.12, 57.61 },
  { "infiniband", 200, 24.842 },
  { "infiniband", 400, 49.685 },
  { "infiniband", 400, 49.685 },
  { "infiniband", 200, 24.842 },
  { "nic", 504.12, 57.61 },
  { "gpu-link", 252.06, 28.81 },
};

static void
test_a_path_across_rails_passes_each_link_once_and_the_rail_port_bounds_it (void **state)
{
  g_autoptr (FabAnswer) answer = find_path ("gpu001/gpu0", "gpu048/gpu5", NULL, NULL);
  const FabTable *path = section_at (answer, ""), *hops = section_at (answer, "hops");
  guint n_narrowest = 0;
  double latency_ns = 0;

  assert_int_equal (fab_table_n_rows (hops), G_N_ELEMENTS (cross_rail));
  for (gsize row = 0; row < G_N_ELEMENTS (cross_rail); row++)
    {
      double goodput = number_at (hops, row, "goodput_gbytes_per_s");
      gboolean narrowest = fab_table_bool (hops, row, column_of (hops, "narrowest"));

      assert_int_equal (number_at (hops, row, "hop"), row + 1);
      assert_string_equal (text_at (hops, row, "kind"), cross_rail[row].kind);
      fab_assert_close (number_at (hops, row, "rate_gbps"), cross_rail[row].rate_gbps, 1e-3);
      fab_assert_close (goodput, cross_rail[row].goodput, 1e-3);
      fab_assert_close (number_at (hops, row, "utilisation_ceiling"), 24.842 / goodput, 1e-3);
      latency_ns += number_at (hops, row, "latency_ns");
      n_narrowest += narrowest;
      if (narrowest)
        assert_string_equal (text_at (hops, row, "from"), "gpu001/nic0/p1");
    }
  assert_int_equal (n_narrowest, 1);
  fab_assert_close (number_at (path, 0, "latency_ns"), latency_ns, 1e-12);
  fab_assert_close (number_at (path, 0, "goodput_gbytes_per_s"), 24.842, 1e-3);
  assert_string_equal (text_at (path, 0, "plane"), "compute");
  assert_string_equal (text_at (path, 0, "transport"), "gdr");
  fab_assert_contains (fab_answer_says (answer)[0], "infiniband link gpu001/nic0/p1--");
}

static void
test_a_path_on_one_rail_stays_on_its_leaf (void **state)
{
  g_autoptr (FabAnswer) answer = find_path ("gpu001/gpu0", "gpu048/gpu1", NULL, NULL);
  const FabTable *hops = section_at (answer, "hops");

  assert_int_equal (fab_table_n_rows (hops), 6);
  for (gsize row = 0; row < 6; row++)
    assert_null (strstr (text_at (hops, row, "to"), "spine"));
}

/* The cap of one peer-to-peer flow (26 GB/s) is below what the links carry (28.8). */
static void
test_a_per_flow_cap_is_named_as_the_narrowest (void **state)
{
  g_autoptr (FabAnswer) answer = find_path ("gpu001/gpu0", "gpu001/gpu1", NULL, NULL);
  const FabTable *path = section_at (answer, ""), *hops = section_at (answer, "hops");

  assert_int_equal (fab_table_n_rows (hops), 2);
  assert_string_equal (text_at (path, 0, "transport"), "p2p");
  fab_assert_close (number_at (path, 0, "goodput_gbytes_per_s"), 26, 1e-9);
  fab_assert_close (number_at (hops, 0, "utilisation_ceiling"), 26 / number_at (hops, 0, "goodput_gbytes_per_s"), 1e-9);
  assert_true (fab_table_is_null (path, 0, column_of (path, "plane")));
  fab_assert_contains (fab_answer_says (answer)[0], "cap");
}

static void
test_a_path_across_sockets_is_staged_and_bound_by_the_socket_link (void **state)
{
  g_autoptr (FabAnswer) answer = find_path ("gpu001/gpu0", "gpu001/gpu7", NULL, NULL);
  const FabTable *path = section_at (answer, ""), *hops = section_at (answer, "hops");

  assert_string_equal (text_at (path, 0, "transport"), "shm");
  fab_assert_close (number_at (path, 0, "goodput_gbytes_per_s"), 22, 1e-9);
  for (gsize row = 0; row < fab_table_n_rows (hops); row++)
    assert_int_equal (fab_table_bool (hops, row, column_of (hops, "narrowest")),
                      g_str_equal (text_at (hops, row, "kind"), "socket"));
}

static void
test_what_cannot_be_reached_is_said_and_found (void **state)
{
  g_autoptr (FabAnswer) joined = find_path ("gpu001/gpu0", "gpu048/gpu1", "compute", NULL);
  g_autoptr (FabAnswer) cut = find_path ("gpu001/gpu0", "gpu048/gpu1", "compute", "compute/leaf1");
  const FabTable *path = section_at (cut, "");

  assert_false (fab_answer_found (joined));
  assert_true (fab_answer_found (cut));
  assert_false (fab_table_bool (path, 0, column_of (path, "reachable")));
  assert_true (fab_table_is_null (path, 0, column_of (path, "latency_ns")));
  fab_assert_contains (fab_answer_says (cut)[0], "cannot reach");
}

static void
test_without_a_plane_the_next_one_that_joins_both_is_taken (void **state)
{
  g_autoptr (FabAnswer) answer = find_path ("gpu001/gpu0", "gpu048/gpu1", NULL, "compute/leaf1");
  g_autoptr (FabAnswer) stored = find_path ("gpu001/gpu0", "store1/mem0", NULL, NULL);

  assert_string_equal (text_at (section_at (answer, ""), 0, "plane"), "storage");
  assert_string_equal (text_at (section_at (stored, ""), 0, "plane"), "storage");
}

static void
test_a_path_from_or_over_what_is_not_there_is_refused (void **state)
{
  static const struct { const char *src, *dst, *plane, *says; } rows[] = {
    { "gpu001/gpu8", "gpu002/gpu0", NULL, "gpu8" },
    { "gpu001/gpu0", "gpu999/gpu0", NULL, "gpu999" },
    { "gpu001/gpu0", "compute/spine1", NULL, "compute/spine1" },
    { "gpu001/gpu0", "gpu002/gpu0", "computer", "computer" },
    { "gpu001//gpu0", "gpu002/gpu0", NULL, "gpu001//gpu0" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      assert_null (ask_path (rows[i].src, rows[i].dst, rows[i].plane, NULL, &error));
      assert_non_null (error);
      fab_assert_contains (error->message, rows[i].says);
    }
}

static void
test_a_device_reaches_itself_without_a_hop (void **state)
{
  g_autoptr (FabAnswer) answer = find_path ("gpu001/gpu0", "gpu001/gpu0", NULL, NULL);

  assert_int_equal (fab_table_n_rows (section_at (answer, "hops")), 0);
  assert_false (fab_answer_found (answer));
}

/* ---- catalog ---- */

static FabAnswer *
ask_catalog (const char *name, GError **error)
{
  g_autoptr (FabCatalog) catalog = fab_catalog_new (NULL);

  return fab_analysis_catalog (catalog, name, error);
}

static void
test_the_catalog_lists_all_parts_or_those_of_one_kind (void **state)
{
  static const struct { const char *kind, *has; gboolean only; } rows[] = {
    { NULL, "l40s", FALSE },   { NULL, "l40s-8", FALSE },  { "gpu", "l40s", TRUE },
    { "switch", "qm9700", TRUE }, { "node", "l40s-8", TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabAnswer) answer = ask_catalog (rows[i].kind, NULL);
      const FabTable *parts = section_at (answer, "parts");
      gboolean found = FALSE;

      for (gsize row = 0; row < fab_table_n_rows (parts); row++)
        {
          found |= g_str_equal (text_at (parts, row, "name"), rows[i].has);
          if (rows[i].only)
            assert_string_equal (text_at (parts, row, "kind"), rows[i].kind);
        }
      assert_true (found);
    }
}

static void
test_a_part_shows_each_number_with_range_confidence_and_source (void **state)
{
  g_autoptr (FabAnswer) answer = ask_catalog ("xeon-spr", NULL);
  const FabTable *numbers = section_at (answer, "numbers");
  gboolean found = FALSE;

  for (gsize row = 0; row < fab_table_n_rows (numbers); row++)
    if (g_str_equal (text_at (numbers, row, "key"), "socket_link"))
      {
        found = TRUE;
        fab_assert_contains (text_at (numbers, row, "value"), "22");
        fab_assert_contains (text_at (numbers, row, "range"), "19");
        assert_string_equal (text_at (numbers, row, "confidence"), "estimate");
        fab_assert_contains (text_at (numbers, row, "source"), "topo.h");
      }
  assert_true (found);
}

static void
test_an_unknown_part_is_refused_with_the_nearest_name (void **state)
{
  g_autoptr (GError) error = NULL;

  assert_null (ask_catalog ("qm970", &error));
  assert_true (g_error_matches (error, FAB_ERROR, FAB_ERROR_UNKNOWN));
  fab_assert_contains (error->message, "qm9700");
}

static void
test_the_shipped_facts_have_true_sources_and_a_bare_one_is_found (void **state)
{
  static const char text[] = "qm9700: {latency: {value: 300ns, source: '', confidence: high}}";
  g_autoptr (GError) error = NULL;
  g_autoptr (FabCatalog) catalog = fab_catalog_new (NULL);
  g_autoptr (FabDocument) bare = fab__document_read (text, strlen (text), "own.yaml", &error);
  g_autoptr (FabCatalog) over = bare != NULL ? fab__catalog_over (catalog, fab__document_root (bare), &error) : NULL;
  g_autoptr (FabAnswer) sound = fab_analysis_catalog_check (catalog);
  g_autoptr (FabAnswer) faulty = over != NULL ? fab_analysis_catalog_check (over) : NULL;

  fab_assert_no_error (error);
  assert_false (fab_answer_found (sound));
  assert_int_equal (fab_table_n_rows (section_at (sound, "findings")), 0);
  assert_true (fab_answer_found (faulty));
  assert_string_equal (text_at (section_at (faulty, "findings"), 0, "part"), "qm9700");
  assert_string_equal (text_at (section_at (faulty, "findings"), 0, "key"), "latency");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_show_counts_the_plan_and_its_twin_each_at_its_own_path),
    cmocka_unit_test (test_show_names_tiers_and_leaves_open_what_has_no_answer),
    cmocka_unit_test (test_show_says_ratio_ports_and_growth_in_a_sentence),
    cmocka_unit_test (test_a_lost_spine_raises_oversubscription_from_three_halves_to_two),
    cmocka_unit_test (test_a_tier_is_told_by_its_most_oversubscribed_switch),
    cmocka_unit_test (test_a_plan_that_outgrew_divided_uplinks_takes_no_more_nodes),
    cmocka_unit_test (test_the_bill_lists_every_cable_once),
    cmocka_unit_test (test_a_path_across_rails_passes_each_link_once_and_the_rail_port_bounds_it),
    cmocka_unit_test (test_a_path_on_one_rail_stays_on_its_leaf),
    cmocka_unit_test (test_a_per_flow_cap_is_named_as_the_narrowest),
    cmocka_unit_test (test_a_path_across_sockets_is_staged_and_bound_by_the_socket_link),
    cmocka_unit_test (test_what_cannot_be_reached_is_said_and_found),
    cmocka_unit_test (test_without_a_plane_the_next_one_that_joins_both_is_taken),
    cmocka_unit_test (test_a_path_from_or_over_what_is_not_there_is_refused),
    cmocka_unit_test (test_a_device_reaches_itself_without_a_hop),
    cmocka_unit_test (test_the_catalog_lists_all_parts_or_those_of_one_kind),
    cmocka_unit_test (test_a_part_shows_each_number_with_range_confidence_and_source),
    cmocka_unit_test (test_an_unknown_part_is_refused_with_the_nearest_name),
    cmocka_unit_test (test_the_shipped_facts_have_true_sources_and_a_bare_one_is_found),
  };

  return cmocka_run_group_tests_name ("analysis", tests, NULL, NULL);
}
