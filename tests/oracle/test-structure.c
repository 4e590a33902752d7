/* test-structure.c: known answers 39-41, 55-58, 84, 85: counts, growth, splits and rules of whole planes */
#include "fab-fixture.h"
#include "analysis/fab-capacity-private.h"
#include "fab-analysis.h"

static void
count (const FabDesign *design, FabTopology **topology, FabCapacity *capacity)
{
  g_autoptr (GError) error = NULL;

  *topology = fab_design_build_topology (design, &error);
  fab_assert_no_error (error);
  fab__capacity_count (design, *topology, NULL, 0, capacity);
}

static void
test_the_plan_counts_as_it_should (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabTopology) topology = NULL;
  FabCapacity capacity;
  const FabTier *leaf = &capacity.tiers[0], *spine = &capacity.tiers[1];

  count (design, &topology, &capacity);
  assert_int_equal (capacity.n_host_links, 192);
  assert_int_equal (capacity.n_switch_links, 64);
  assert_int_equal (capacity.n_lids, 200);
  assert_int_equal (leaf->n_switches, 4);
  assert_int_equal (leaf->ports_used, 40);
  assert_int_equal (leaf->ports_total, 64);
  assert_int_equal (leaf->cages_used, 20);
  assert_int_equal (spine->n_switches, 4);
  assert_int_equal (spine->ports_used, 16);
  fab_assert_close (fab__tier_oversubscription (leaf), 1.5, 1e-12);
}

/* Nothing is written in: 40 nodes with eight rail ports, same uplinks. */
static void
test_a_twin_with_eight_rails_counts_its_own (void **state)
{
  const char *settings[] = { "nodes.gpu={type: hgx-h100-8, count: 40, digits: 3}", "planes.compute.topology.rails=8", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabTopology) topology = NULL;
  FabCapacity capacity;
  const FabTier *leaf = &capacity.tiers[0], *spine = &capacity.tiers[1];

  count (design, &topology, &capacity);
  assert_int_equal (leaf->down_bps / 1000000000, 8000);
  assert_int_equal (leaf->up_bps / 1000000000, 6400);
  fab_assert_close (fab__tier_oversubscription (leaf), 1.25, 1e-12);
  assert_int_equal (leaf->ports_used, 36);
  assert_int_equal (leaf->cages_used, 18);
  assert_int_equal (capacity.n_host_links, 320);
  assert_int_equal (capacity.n_switch_links, 128);
  assert_int_equal (capacity.n_lids, 332);
  assert_int_equal (spine->ports_used, 32);
  assert_int_equal (spine->ports_total, 64);
}

static void
test_the_plan_grows_to_72_nodes_and_76_undivided (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabTopology) topology = NULL;
  FabCapacity capacity;
  FabGrowth growth;

  count (design, &topology, &capacity);
  fab__capacity_growth (design, topology, 0, &capacity, &growth);
  assert_true (growth.known);
  assert_int_equal (growth.n_nodes, 48);
  assert_int_equal (growth.max_nodes, 72);
  assert_int_equal (growth.uplinks_per_spine, 6);
  assert_int_equal (growth.max_nodes_undivided, 76);
}

/* What growth says can be built: 72 nodes with 6 uplinks fill 60 of 64 ports and take 32 more cables. */
static void
test_the_grown_plan_builds_as_foretold (void **state)
{
  const char *settings[] = { "nodes.gpu.count=72", "planes.compute.topology.uplinks_per_spine=6", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabTopology) topology = NULL;
  FabCapacity capacity;

  count (design, &topology, &capacity);
  assert_int_equal (capacity.tiers[0].ports_used, 60);
  assert_int_equal (capacity.n_switch_links, 64 + 32);
  fab_assert_close (fab__tier_oversubscription (&capacity.tiers[0]), 1.5, 1e-12);
}

static char *
tree_text (guint tiers, guint n_hosts)
{
  return g_strdup_printf ("fabsim: 1\n"
                          "nodes: {h: {type: host-1nic, count: %u}}\n"
                          "planes:\n"
                          "  compute:\n"
                          "    link: infiniband\n"
                          "    topology: {family: fat-tree, tiers: %u, leaf: qm9700, spine: qm9700, core: qm9700}\n"
                          "    host_link: {speed: NDR}\n"
                          "    uplink: {speed: NDR}\n", n_hosts, tiers);
}

static void
test_radix_64_ends_at_2048_hosts_on_two_tiers_and_65536_on_three (void **state)
{
  static const struct { guint tiers, most, leaves, spines, cores; } rows[] = { { 2, 2048, 64, 32, 0 }, { 3, 65536, 2048, 2048, 1024 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *fits = tree_text (rows[i].tiers, rows[i].most);
      g_autofree char *more = tree_text (rows[i].tiers, rows[i].most + 1);
      g_autoptr (FabDesign) design = fixture_read (fits, NULL);
      g_autoptr (FabDesign) larger = fixture_read (more, NULL);
      g_autoptr (FabTopology) topology = NULL;
      g_autoptr (GError) error = NULL;
      FabCapacity capacity;

      count (design, &topology, &capacity);
      assert_int_equal (capacity.tiers[0].n_switches, rows[i].leaves);
      assert_int_equal (capacity.tiers[1].n_switches, rows[i].spines);
      assert_int_equal (capacity.tiers[2].n_switches, rows[i].cores);
      fab_assert_close (fab__tier_oversubscription (&capacity.tiers[0]), 1, 1e-12);
      assert_null (fab_design_build_topology (larger, &error));
      fab_assert_contains (error->message, "expected at most 64 ports of qm9700");
    }
}

static void
test_superpod_tables_come_out_of_the_generator (void **state)
{
  static const struct { guint nodes, units, leaves, spines, cables; } rows[] = {
    { 31, 1, 8, 4, 256 }, { 63, 2, 16, 8, 512 }, { 95, 3, 24, 16, 768 }, { 127, 4, 32, 16, 1024 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "fabsim: 1\n"
        "nodes: {dgx: {type: hgx-h100-8, count: %u}}\n"
        "planes:\n"
        "  compute:\n"
        "    link: infiniband\n"
        "    topology: {family: rail-optimized, rails: 8, leaves_per_rail: %u, leaf: qm9700, spine: qm9700, uplinks: 32}\n"
        "    host_link: {speed: NDR}\n"
        "    uplink: {speed: NDR}\n", rows[i].nodes, rows[i].units);
      g_autoptr (FabDesign) design = fixture_read (text, NULL);
      g_autoptr (FabTopology) topology = NULL;
      FabCapacity capacity;

      count (design, &topology, &capacity);
      assert_int_equal (capacity.tiers[0].n_switches, rows[i].leaves);
      assert_int_equal (capacity.tiers[1].n_switches, rows[i].spines);
      assert_int_equal (capacity.n_switch_links, rows[i].cables);
      assert_int_equal (capacity.n_host_links, 8 * rows[i].nodes);   /* the published 8 × nodes + 4 count four UFM ports */
    }
}

/* ---- splits and a lost spine ---- */

static GArray *
match_devices (FabTopology *topology, const char *address)
{
  g_autoptr (GError) error = NULL;
  GArray *devices = NULL;

  fab_topology_match (topology, address, &devices, NULL, &error);
  fab_assert_no_error (error);
  return devices;
}

static double
split_tbps (FabTopology *topology, const FabFaults *faults, const char *a_address, const char *b_address)
{
  g_autoptr (GArray) a = match_devices (topology, a_address);
  g_autoptr (GArray) b = match_devices (topology, b_address);
  g_autoptr (GError) error = NULL;
  guint64 flow_bps = 0;

  fab_topology_split_bps (topology, faults, 0, (const guint32 *) (const void *) a->data, a->len, (const guint32 *) (const void *) b->data, b->len,
                          &flow_bps, &error);
  fab_assert_no_error (error);
  return (double) flow_bps / 1e12;
}

static void
test_named_splits_of_the_plan (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);

  fab_assert_close (split_tbps (topology, NULL, "compute/leaf[1-2]", "compute/leaf[3-4]"), 12.8, 1e-9);
  fab_assert_close (split_tbps (topology, NULL, "gpu[001-024]/nic[0-1]", "gpu[025-048]/nic[0-1]"), 19.2, 1e-9);
}

static void
test_a_lost_spine_makes_two_to_one_and_halves_cross_rail (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (FabFaults) faults = fab_faults_new (topology);
  FabCapacity capacity;

  assert_true (fab_faults_add (faults, "compute/spine1", NULL));
  fab__capacity_count (design, topology, faults, 0, &capacity);
  fab_assert_close (fab__tier_oversubscription (&capacity.tiers[0]), 2.0, 1e-12);
  assert_int_equal (capacity.tiers[1].n_switches, 3);
  fab_assert_close (split_tbps (topology, faults, "compute/leaf[1-2]", "compute/leaf[3-4]") / 19.2, 0.5, 1e-9);
  fab_assert_close (split_tbps (topology, faults, "gpu[001-024]/nic[0-1]", "gpu[025-048]/nic[0-1]"), 19.2, 1e-9);
}

/* ---- rules with a known answer ---- */

static gboolean
finds (const char *const *settings, const char *id)
{
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
  g_autoptr (FabAnswer) answer = fab_analysis_check (design, topology, FAB_SEVERITY_ERROR, NULL);
  gboolean found = FALSE;

  for (gsize s = 0; s < fab_answer_n_sections (answer); s++)
    {
      const FabSection *section = fab_answer_section (answer, s);

      for (gsize row = 0; g_str_equal (section->path, "findings") && row < fab_table_n_rows (section->table); row++)
        found |= g_str_equal (fab_table_text (section->table, row, 0), id);
    }
  return found;
}

static void
test_rules_find_the_known_faults_and_only_them (void **state)
{
  static const struct { const char *id, *setting; } rows[] = {
    { "FAB001", "nodes.gpu.parts={nic2: connectx-6-dx-2x100}" },
    { "FAB010", "planes.compute.subnet.partitions=[{name: training, pkey: 0x0100}]" },
    { "FAB003", "planes.compute.uplink={speed: NDR, cable: mcp4y10, length: 3m}" },
    { "FAB004", "planes.compute.uplink={speed: NDR, cable: mma4z00, length: 100m}" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].setting, NULL };

      assert_true (finds (settings, rows[i].id));
      assert_false (finds (NULL, rows[i].id));
    }
}

static void
test_limited_members_cannot_talk_to_each_other (void **state)
{
  assert_false (fab_pkeys_match (0x0100, 0x0100));
  assert_true (fab_pkeys_match (0x8100, 0x0100));
  assert_true (fab_pkeys_match (0x8100, 0x8100));
  assert_false (fab_pkeys_match (0x8100, 0x8200));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_the_plan_counts_as_it_should),
    cmocka_unit_test (test_a_twin_with_eight_rails_counts_its_own),
    cmocka_unit_test (test_the_plan_grows_to_72_nodes_and_76_undivided),
    cmocka_unit_test (test_the_grown_plan_builds_as_foretold),
    cmocka_unit_test (test_radix_64_ends_at_2048_hosts_on_two_tiers_and_65536_on_three),
    cmocka_unit_test (test_superpod_tables_come_out_of_the_generator),
    cmocka_unit_test (test_named_splits_of_the_plan),
    cmocka_unit_test (test_a_lost_spine_makes_two_to_one_and_halves_cross_rail),
    cmocka_unit_test (test_rules_find_the_known_faults_and_only_them),
    cmocka_unit_test (test_limited_members_cannot_talk_to_each_other),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
