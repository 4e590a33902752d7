/* test-node-type.c: the shapes of the node types, and what a bad one is told */
#include "fab-test.h"
#include "catalog/fab-catalog-private.h"

static FabCatalog *
new_catalog (void)
{
  GError *error = NULL;
  FabCatalog *catalog = fab_catalog_new (&error);

  fab_assert_no_error (error);
  return catalog;
}

static const FabNodeType *
type_of (const FabCatalog *catalog, const char *name)
{
  const FabNodeType *type = fab__catalog_lookup_node (catalog, name);

  assert_non_null (type);
  return type;
}

/* The catalog with the node type "mine" of @text, YAML, in it. */
static FabCatalog *
with_node (FabCatalog *catalog, const char *text, GError **error)
{
  g_autoptr (FabDocument) document = fab__document_read (text, strlen (text), "mine.yaml", error);

  return document != NULL ? fab__catalog_with_node (catalog, "mine", fab__document_root (document), error) : NULL;
}

static guint32
row_of (const FabNodeType *type, const char *device)
{
  for (guint32 d = 0; d < type->n_devices; d++)
    if (g_str_equal (type->devices[d].name, device))
      return d;
  fail_msg ("%s has no %s", type->name, device);
  return FAB_NONE;
}

static const FabNodeLink *
link_of (const FabNodeType *type, const char *a, const char *b)
{
  guint32 from = row_of (type, a), to = row_of (type, b);

  for (guint l = 0; l < type->n_links; l++)
    if ((type->links[l].a == from && type->links[l].b == to) || (type->links[l].a == to && type->links[l].b == from))
      return &type->links[l];
  fail_msg ("%s: no link %s--%s", type->name, a, b);
  return NULL;
}

static guint
count_kind (const FabNodeType *type, FabPartKind kind)
{
  guint n = 0;

  for (guint d = 0; d < type->n_devices; d++)
    n += fab__part_kind (type->devices[d].part) == kind;
  return n;
}

/* "nic0/p1 nic0/p2 …" */
static char *
ports_of (const FabNodeType *type, const char *role)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint r = 0; r < type->n_roles; r++)
    for (guint p = 0; g_str_equal (type->roles[r].role, role) && p < type->roles[r].n_ports; p++)
      g_string_append_printf (text, "%s%s/p%u", text->len > 0 ? " " : "",
                              type->devices[type->roles[r].ports[p].device].name, type->roles[r].ports[p].port);
  return g_strdup (text->str);
}

static void
assert_ports (const FabNodeType *type, const char *role, const char *ports)
{
  g_autofree char *found = ports_of (type, role);

  assert_string_equal (found, ports);
}

static void
assert_pcie (const FabNodeType *type, const char *a, const char *b, const char *generation, guint lanes)
{
  const FabNodeLink *link = link_of (type, a, b);

  assert_int_equal (link->kind, FAB_NODE_LINK_PCIE);
  assert_string_equal (fab__part_name (link->pcie), generation);
  assert_int_equal (link->lanes, lanes);
}

/* ---- the types of models/ ---- */

static void
test_l40s_8_has_a_gen5_switch_a_socket_with_four_gpus_and_two_rails (void **state)
{
  static const struct { const char *a, *b, *generation; guint lanes; } links[] = {
    { "gpu0", "sw0", "gen4", 16 },  { "gpu1", "sw0", "gen4", 16 }, { "gpu2", "sw0", "gen4", 16 },
    { "gpu3", "sw0", "gen4", 16 },  { "gpu4", "sw1", "gen4", 16 }, { "gpu5", "sw1", "gen4", 16 },
    { "gpu6", "sw1", "gen4", 16 },  { "gpu7", "sw1", "gen4", 16 }, { "nic0", "sw0", "gen5", 16 },
    { "nic1", "sw1", "gen5", 16 },  { "sw0", "cpu0", "gen5", 16 }, { "sw1", "cpu1", "gen5", 16 },
    { "nic2", "cpu0", "gen5", 16 }, { "nic3", "cpu1", "gen4", 8 }, { "bmc", "cpu0", "gen3", 1 },
  };
  g_autoptr (FabCatalog) catalog = new_catalog ();
  const FabNodeType *type = type_of (catalog, "l40s-8");

  assert_int_equal (type->n_devices, 17);
  assert_int_equal (count_kind (type, FAB_PART_GPU), 8);
  assert_int_equal (count_kind (type, FAB_PART_CPU), 2);
  assert_int_equal (count_kind (type, FAB_PART_PCIE_SWITCH), 2);
  assert_int_equal (count_kind (type, FAB_PART_NIC), 5);
  assert_int_equal (type->n_links, G_N_ELEMENTS (links) + 1);
  for (gsize i = 0; i < G_N_ELEMENTS (links); i++)
    assert_pcie (type, links[i].a, links[i].b, links[i].generation, links[i].lanes);
  assert_int_equal (link_of (type, "cpu0", "cpu1")->kind, FAB_NODE_LINK_SOCKET);
  assert_string_equal (fab__part_name (type->devices[row_of (type, "gpu7")].part), "l40s");
  assert_string_equal (fab__part_name (type->devices[row_of (type, "nic0")].part), "connectx-7-2x200");
}

static void
test_l40s_8_itemises_its_seven_nic_functions (void **state)
{
  static const char *const names[] = { "l40s-8", "l40s-8-gen4switch", "l40s-8-direct" };
  g_autoptr (FabCatalog) catalog = new_catalog ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const FabNodeType *type = type_of (catalog, names[i]);

      assert_ports (type, "compute", "nic0/p1 nic0/p2 nic1/p1 nic1/p2");
      assert_ports (type, "storage", "nic2/p1 nic2/p2");
      assert_ports (type, "management", "nic3/p1");
      assert_ports (type, "oob", "bmc/p1");
    }
}

static void
test_l40s_8_gpus_use_rails_of_their_own_socket (void **state)
{
  static const char *const names[] = { "l40s-8", "l40s-8-gen4switch", "l40s-8-direct" };
  static const guint32 rails[] = { 0, 0, 1, 1, 2, 2, 3, 3 };
  g_autoptr (FabCatalog) catalog = new_catalog ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const FabNodeType *type = type_of (catalog, names[i]);

      for (guint g = 0; g < 8; g++)
        {
          g_autofree char *gpu = g_strdup_printf ("gpu%u", g);

          assert_int_equal (type->affinity[row_of (type, gpu)], rails[g]);
        }
      assert_int_equal (type->affinity[row_of (type, "cpu0")], FAB_NONE);
    }
}

static void
test_the_variants_of_l40s_8_differ_in_their_pcie (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  const FabNodeType *gen4 = type_of (catalog, "l40s-8-gen4switch"), *direct = type_of (catalog, "l40s-8-direct");

  assert_pcie (gen4, "nic0", "sw0", "gen4", 16);
  assert_pcie (gen4, "sw1", "cpu1", "gen4", 16);
  assert_string_equal (fab__part_name (gen4->devices[row_of (gen4, "sw0")].part), "pex-gen4");
  assert_int_equal (count_kind (direct, FAB_PART_PCIE_SWITCH), 0);
  assert_pcie (direct, "gpu3", "cpu0", "gen4", 16);
  assert_pcie (direct, "gpu4", "cpu1", "gen4", 16);
  assert_pcie (direct, "nic1", "cpu1", "gen5", 16);
}

static void
test_hgx_h100_8_joins_its_gpus_by_nvlink (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  const FabNodeType *type = type_of (catalog, "hgx-h100-8");

  for (guint g = 0; g < 8; g++)
    {
      g_autofree char *gpu = g_strdup_printf ("gpu%u", g);
      g_autofree char *nic = g_strdup_printf ("nic%u", g);
      g_autofree char *pcie_switch = g_strdup_printf ("sw%u", g / 2);

      assert_int_equal (link_of (type, gpu, "nvs0")->kind, FAB_NODE_LINK_NVLINK);
      assert_pcie (type, gpu, pcie_switch, "gen5", 16);
      assert_pcie (type, nic, pcie_switch, "gen5", 16);
      assert_int_equal (type->affinity[row_of (type, gpu)], g);
    }
}

static void
test_every_node_type_hangs_together (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  gsize n_names;
  g_autofree const char **names = fab__catalog_list_nodes (catalog, &n_names);

  for (gsize i = 0; i < n_names; i++)
    {
      const FabNodeType *type = type_of (catalog, names[i]);
      g_autofree gboolean *reached = g_new0 (gboolean, type->n_devices);
      guint n_reached = 1;

      reached[0] = TRUE;
      for (guint round = 0; round < type->n_devices; round++)
        for (guint l = 0; l < type->n_links; l++)
          if (reached[type->links[l].a] != reached[type->links[l].b])
            {
              reached[type->links[l].a] = reached[type->links[l].b] = TRUE;
              n_reached++;
            }
      if (n_reached != type->n_devices)
        fail_msg ("%s: %u of %u devices joined", names[i], n_reached, type->n_devices);
    }
}

/* ---- reading ---- */

#define DEVICES                                                                                        \
  "devices: {'cpu[0-1]': {part: xeon-spr}, 'gpu[0-3]': {part: l40s}, nic0: {part: connectx-7-2x200}, " \
  "nvs0: {part: nvswitch3}, sxm0: {part: h100-sxm}}"

static void
test_links_go_element_by_element_or_all_to_one (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  GError *error = NULL;
  g_autoptr (FabCatalog) mine = with_node (
      catalog,
      "{" DEVICES
      ", links: [{a: 'gpu[0-1]', b: 'cpu[0-1]', pcie: gen4}, {a: cpu1, b: 'gpu[2-3]', pcie: gen3, lanes: 8}]}",
      &error);
  const FabNodeType *type;

  fab_assert_no_error (error);
  type = type_of (mine, "mine");
  assert_int_equal (type->n_links, 4);
  assert_pcie (type, "gpu0", "cpu0", "gen4", 16);
  assert_pcie (type, "gpu1", "cpu1", "gen4", 16);
  assert_pcie (type, "gpu2", "cpu1", "gen3", 8);
  assert_pcie (type, "gpu3", "cpu1", "gen3", 8);
}

static void
test_a_link_keeps_the_numbers_given_on_it (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  GError *error = NULL;
  g_autoptr (FabCatalog) mine = with_node (catalog,
                                           "{" DEVICES ", links: [{a: gpu0, b: cpu0, pcie: gen4, max_payload: 512B, "
                                                       "flow_write: 20GB/s, flow_read: 16GB/s, aggregate: 25GB/s}]}",
                                           &error);
  const FabNodeLink *link;

  fab_assert_no_error (error);
  link = link_of (type_of (mine, "mine"), "gpu0", "cpu0");
  assert_int_equal (link->max_payload_bytes, 512);
  assert_int_equal (link->flow_write_bps, G_GUINT64_CONSTANT (160000000000));
  assert_int_equal (link->flow_read_bps, G_GUINT64_CONSTANT (128000000000));
  assert_int_equal (link->aggregate_bps, G_GUINT64_CONSTANT (200000000000));
}

static void
test_a_new_node_type_leaves_the_catalog_it_came_from (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (FabCatalog) mine = with_node (catalog, "{" DEVICES "}", NULL);

  assert_non_null (fab__catalog_lookup_node (mine, "mine"));
  assert_null (fab__catalog_lookup_node (catalog, "mine"));
  assert_ptr_equal (fab__catalog_lookup_node (mine, "l40s-8"), fab__catalog_lookup_node (catalog, "l40s-8"));
}

static void
test_a_node_type_follows_its_overridden_parts (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (FabDocument) document =
      fab__document_read ("{gen4: {max_payload: 512B}, l40s: {power: 300W}}", 48, "mine.yaml", NULL);
  g_autoptr (FabCatalog) mine = fab__catalog_over (catalog, fab__document_root (document), NULL);
  const FabNodeType *type = type_of (mine, "l40s-8"), *before = type_of (catalog, "l40s-8");

  assert_ptr_equal (link_of (type, "gpu0", "sw0")->pcie, fab__catalog_lookup (mine, FAB_PART_PCIE, "gen4"));
  assert_ptr_equal (type->devices[row_of (type, "gpu0")].part, fab__catalog_lookup (mine, FAB_PART_GPU, "l40s"));
  assert_ptr_equal (link_of (before, "gpu0", "sw0")->pcie, fab__catalog_lookup (catalog, FAB_PART_PCIE, "gen4"));
  assert_int_equal (type->n_links, before->n_links);
  assert_int_equal (type->affinity[row_of (type, "gpu7")], 3);
}

static void
test_a_bad_node_type_is_an_error_that_says_what_to_write (void **state)
{
  static const struct { const char *text, *says; } rows[] = {
    { "{summary: none}", "expected devices" },
    { "{devices: [gpu0]}", "a map" },
    { "{devices: {gpu0: {}}}", "expected part" },
    { "{devices: {gpu0: {part: l40x}}}", "of the catalog, got “l40x”; did you mean “l40s”?" },
    { "{devices: {gpu0: {part: qm9700}}}", "a GPU, NIC, PCIe switch, CPU or NVSwitch" },
    { "{devices: {gpu0: {part: l40s, lanes: 4}}}", "lanes" },
    { "{devices: {'gpu[0-2': {part: l40s}}}", "a hostlist" },
    { "{devices: {'gpu[0-1]': {part: l40s}, gpu1: {part: l4}}}", "each device once, got “gpu1” again" },
    { "{devices: {a/b: {part: l40s}}}", "a device name" },
    { "{devices: {'gpu[0-1024]': {part: l40s}}}", "1024" },
    { "{devices: {'a[1-600]': {part: l40s}, 'b[1-600]': {part: l40s}}}", "at most 1024 devices" },
    { "{" DEVICES ", link: []}", "“links”" },
    { "{" DEVICES ", links: {a: gpu0}}", "a list" },
    { "{" DEVICES ", links: [{a: gpu0, pcie: gen4}]}", "expected b" },
    { "{" DEVICES ", links: [{a: gpu9, b: cpu0, pcie: gen4}]}", "a device of this node type, got “gpu9”" },
    { "{" DEVICES ", links: [{a: gpu0, b: cpu0}]}", "one of pcie: GENERATION, socket: true and nvlink: true" },
    { "{" DEVICES ", links: [{a: gpu0, b: cpu0, pcie: gen4, socket: true}]}", "one of pcie: GENERATION" },
    { "{" DEVICES ", links: [{a: gpu0, b: cpu0, pcie: gen44}]}", "“gen4”" },
    { "{" DEVICES ", links: [{a: gpu0, b: cpu0, pcie: gen4, lanes: 33}]}", "lanes" },
    { "{" DEVICES ", links: [{a: gpu0, b: cpu0, pcie: gen4, max_payload: 8KiB}]}", "at most 4096 bytes" },
    { "{" DEVICES ", links: [{a: cpu0, b: cpu1, socket: true, lanes: 16}]}", "lanes" }, /* a socket link has none */
    { "{" DEVICES ", links: [{a: 'gpu[0-2]', b: 'cpu[0-1]', pcie: gen4}]}",
      "as many on both sides, or one; got 3 and 2" },
    { "{" DEVICES ", links: [{a: gpu0, b: gpu0, pcie: gen4}]}", "got gpu0 (l40s) and gpu0" },
    { "{" DEVICES ", links: [{a: gpu0, b: nvs0, pcie: gen4}]}", "a PCIe link between" },
    { "{" DEVICES ", links: [{a: gpu0, b: cpu0, socket: true}]}", "a socket link between two CPUs, got gpu0 (l40s)" },
    { "{" DEVICES ", links: [{a: gpu0, b: nvs0, nvlink: true}]}",
      "a GPU that has an nvlink_rate" },   /* an L40S has no NVLink */
    { "{" DEVICES ", links: [{a: sxm0, b: cpu0, nvlink: true}]}", "a GPU that has an nvlink_rate" },
    { "{" DEVICES ", ports: {compute: nic0/p1}}", "a list" },
    { "{" DEVICES ", ports: {compute: [nic0]}}", "a port such as nic0/p1, got “nic0”" },
    { "{" DEVICES ", ports: {compute: [nic0/p3]}}", "one of the 2 network ports of connectx-7-2x200, got “nic0/p3”" },
    { "{" DEVICES ", ports: {compute: [nic0/p0]}}", "a port such as nic0/p1" },
    { "{" DEVICES ", ports: {compute: [nic7/p1]}}", "a device of this node type, got “nic7”" },
    { "{" DEVICES ", ports: {compute: [gpu0/p1]}}", "one of the 0 network ports of l40s" },
    { "{" DEVICES ", ports: {compute: [nic0/p1], storage: [nic0/p1]}}", "each port used once, got “nic0/p1” again" },
    { "{" DEVICES ", ports: {storage: [nic0/p1]}, affinity: {gpu0: nic0/p1}}", "a port listed under ports: compute:" },
    { "{" DEVICES ", ports: {compute: [nic0/p1]}, affinity: {cpu0: nic0/p1}}", "each GPU once, got “cpu0”" },
    { "{" DEVICES ", ports: {compute: [nic0/p1]}, affinity: {'gpu[0-1]': nic0/p1, gpu1: nic0/p1}}",
      "got “gpu1” again" },
    { "{" DEVICES ", ports: {compute: [nic0/p1]}, affinity: {gpu8: nic0/p1}}",
      "a device of this node type, got “gpu8”" },
  };
  g_autoptr (FabCatalog) catalog = new_catalog ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (FabCatalog) mine = with_node (catalog, rows[i].text, &error);

      if (mine != NULL)
        fail_msg ("taken: %s", rows[i].text);
      assert_true (error->domain == FAB_ERROR);
      fab_assert_contains (error->message, "mine.yaml:1:");
      fab_assert_contains (error->message, rows[i].says);
    }
}

static void
test_links_without_end_meet_a_limit (void **state)
{
  g_autoptr (GString) text = g_string_new ("{devices: {cpu0: {part: xeon-spr}, 'gpu[1-1000]': {part: l40s}}, links: [");
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 1000; i++)
    g_string_append (text, "{a: cpu0, b: 'gpu[1-1000]', pcie: gen4}, ");
  g_string_append (text, "]}");
  assert_null (with_node (catalog, text->str, &error));
  assert_true (g_error_matches (error, FAB_ERROR, FAB_ERROR_LIMIT));
}

int
main (void)
{
  static const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_l40s_8_has_a_gen5_switch_a_socket_with_four_gpus_and_two_rails),
    cmocka_unit_test (test_l40s_8_itemises_its_seven_nic_functions),
    cmocka_unit_test (test_l40s_8_gpus_use_rails_of_their_own_socket),
    cmocka_unit_test (test_the_variants_of_l40s_8_differ_in_their_pcie),
    cmocka_unit_test (test_hgx_h100_8_joins_its_gpus_by_nvlink),
    cmocka_unit_test (test_every_node_type_hangs_together),
    cmocka_unit_test (test_links_go_element_by_element_or_all_to_one),
    cmocka_unit_test (test_a_link_keeps_the_numbers_given_on_it),
    cmocka_unit_test (test_a_new_node_type_leaves_the_catalog_it_came_from),
    cmocka_unit_test (test_a_node_type_follows_its_overridden_parts),
    cmocka_unit_test (test_a_bad_node_type_is_an_error_that_says_what_to_write),
    cmocka_unit_test (test_links_without_end_meet_a_limit),
  };

  return cmocka_run_group_tests_name ("node-type", tests, NULL, NULL);
}
