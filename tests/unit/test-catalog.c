/* test-catalog.c: parts and their numbers, overrides, and the check of sources */
#include "fab-test.h"
#include "catalog/fab-catalog-private.h"
#include <glib/gstdio.h>

static FabCatalog *
new_catalog (void)
{
  GError *error = NULL;
  FabCatalog *catalog = fab_catalog_new (&error);

  fab_assert_no_error (error);
  return catalog;
}

/* The catalog with @models, YAML text, over it. */
static FabCatalog *
over (FabCatalog *catalog, const char *models, GError **error)
{
  g_autoptr (FabDocument) document = fab__document_read (models, strlen (models), "mine.yaml", error);

  return document != NULL ? fab__catalog_over (catalog, fab__document_root (document), error) : NULL;
}

static const FabNumber *
number_of (const FabCatalog *catalog, FabPartKind kind, const char *part, const char *key)
{
  const FabPart *found = fab__catalog_lookup (catalog, kind, part);

  assert_non_null (found);
  assert_non_null (fab__part_lookup (found, key));
  return fab__part_lookup (found, key);
}

/* ---- what is compiled in ---- */

static void
test_models_are_all_facts (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (GArray) faults = fab__catalog_faults (catalog);

  for (guint i = 0; i < faults->len; i++)
    {
      const FabCatalogFault *fault = &g_array_index (faults, FabCatalogFault, i);

      print_error ("%s.%s: %s\n", fault->name, fault->key, fault->what);
    }
  assert_int_equal (faults->len, 0);
}

static void
test_models_hold_the_parts_a_plan_names (void **state)
{
  static const struct { FabPartKind kind; const char *names; } rows[] = {
    { FAB_PART_SPEED,
      "SDR DDR QDR FDR10 FDR EDR HDR HDR100 NDR NDR200 XDR XDR400 1GbE 10GbE 25GbE 100GbE 200GbE 400GbE" },
    { FAB_PART_PCIE, "gen3 gen4 gen5 gen6" },
    { FAB_PART_GPU, "l40s l4 a100-pcie h100-pcie h100-sxm" },
    { FAB_PART_NIC, "connectx-7-1x400 connectx-7-1x200 connectx-7-2x200 connectx-7-1x400-eth "
                    "connectx-6-vpi-1x200 connectx-6-vpi-2x200 "
                    "connectx-6-dx-2x100 connectx-6-lx-2x25 bmc-1g" },
    { FAB_PART_SWITCH, "qm9700 qm9790 qm8700 sn3700 sn2201" },
    { FAB_PART_PCIE_SWITCH, "pex-gen4 pex-gen5" },
    { FAB_PART_CPU, "xeon-spr xeon-skl epyc-zen4" },
    { FAB_PART_NVSWITCH, "nvswitch3" },
    { FAB_PART_CABLE,
      "mcp4y10 mcp7y10 mcp7y50 mca7j70 mma4z00 mma4z00-split mms4x00 aoc-hdr dac-hdr dac-100g dac-25g cat6" },
    { FAB_PART_SOFTWARE, "nccl-ring-simple" },
    { FAB_PART_RACK, "rack" },
  };
  g_autoptr (FabCatalog) catalog = new_catalog ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) names = g_strsplit (rows[i].names, " ", -1);

      for (guint n = 0; names[n] != NULL; n++)
        if (fab__catalog_lookup (catalog, rows[i].kind, names[n]) == NULL)
          fail_msg ("no %s %s", fab__part_kind_name (rows[i].kind), names[n]);
    }
}

static void
test_models_hold_the_figures_of_the_data_sheets (void **state)
{
  static const struct { FabPartKind kind; const char *part, *key; guint64 value; } rows[] = {
    { FAB_PART_SPEED, "NDR", "data_rate", G_GUINT64_CONSTANT (400000000000) },
    { FAB_PART_SPEED, "NDR200", "data_rate", G_GUINT64_CONSTANT (200000000000) },
    { FAB_PART_SPEED, "NDR200", "header", 26 },
    { FAB_PART_SPEED, "EDR", "mtu", 4096 },
    { FAB_PART_PCIE, "gen4", "transfer_rate", G_GUINT64_CONSTANT (16000000000) },
    { FAB_PART_GPU, "l40s", "memory", G_GUINT64_CONSTANT (48000000000) },
    { FAB_PART_GPU, "l40s", "power", 350000 },
    { FAB_PART_SWITCH, "qm9700", "ports", 64 },
    { FAB_PART_SWITCH, "qm9700", "buffer_per_vl", 131072 },
    { FAB_PART_SWITCH, "qm9700", "latency", 250000 },
    { FAB_PART_CPU, "xeon-spr", "socket_link", G_GUINT64_CONSTANT (176000000000) },
    { FAB_PART_CABLE, "mcp4y10", "reach", 2000 },
    { FAB_PART_CABLE, "mcp4y10", "delay_per_m", 4500 },
    { FAB_PART_SOFTWARE, "nccl-ring-simple", "pcie_step", 5700000 },
    { FAB_PART_SOFTWARE, "nccl-ring-simple", "network_step", 14000000 },
  };
  g_autoptr (FabCatalog) catalog = new_catalog ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_int_equal (number_of (catalog, rows[i].kind, rows[i].part, rows[i].key)->value, rows[i].value);
}

static void
test_a_speed_is_its_lanes_together (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  gsize n_speeds, n_checked = 0;
  g_autofree const FabPart **speeds = fab__catalog_list (catalog, FAB_PART_SPEED, &n_speeds);

  for (gsize i = 0; i < n_speeds; i++)
    {
      const char *whole = fab__part_text (speeds[i], "port");
      guint64 lane_bps = fab__part_value (speeds[i], "lane_rate", 0);

      if (lane_bps == 0)
        continue;
      n_checked++;
      fab_assert_close ((double) (lane_bps * fab__part_value (speeds[i], "lanes", 0)),
                        (double) fab__part_value (speeds[i], "data_rate", 0), 1e-9);
      if (whole != NULL)
        assert_int_equal (fab__part_value (fab__catalog_lookup (catalog, FAB_PART_SPEED, whole), "lane_rate", 0),
                          lane_bps);
    }
  assert_int_equal (n_checked, 12);
}

static void
test_connectx_6_dx_speaks_ethernet_alone (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();

  assert_false (
      fab__part_lists (fab__catalog_lookup (catalog, FAB_PART_NIC, "connectx-6-dx-2x100"), "protocols", "infiniband"));
  assert_true (
      fab__part_lists (fab__catalog_lookup (catalog, FAB_PART_NIC, "connectx-6-vpi-2x200"), "protocols", "infiniband"));
  assert_false (
      fab__part_lists (fab__catalog_lookup (catalog, FAB_PART_NIC, "connectx-7-1x400-eth"), "protocols", "infiniband"));
}

static void
test_only_a_managed_switch_has_a_subnet_manager (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();

  assert_non_null (fab__part_lookup (fab__catalog_lookup (catalog, FAB_PART_SWITCH, "qm9700"), "sm_max_nodes"));
  assert_null (fab__part_lookup (fab__catalog_lookup (catalog, FAB_PART_SWITCH, "qm9790"), "sm_max_nodes"));
}

static void
test_lists_are_in_name_order (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  gsize n;
  g_autofree const FabPart **parts = fab__catalog_list (catalog, FAB_PART_NIC, &n);
  g_autofree const char **nodes = NULL;

  assert_true (n > 2);
  for (gsize i = 1; i < n; i++)
    assert_true (strcmp (fab__part_name (parts[i - 1]), fab__part_name (parts[i])) < 0);
  nodes = fab__catalog_list_nodes (catalog, &n);
  assert_int_equal (n, 6);
  for (gsize i = 1; i < n; i++)
    assert_true (strcmp (nodes[i - 1], nodes[i]) < 0);
}

/* ---- overrides ---- */

static void
test_an_override_changes_one_number_and_says_where (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  GError *error = NULL;
  g_autoptr (FabCatalog) mine = over (catalog, "\n{qm9700: {latency: 300ns}}", &error);
  const FabNumber *number;

  fab_assert_no_error (error);
  number = number_of (mine, FAB_PART_SWITCH, "qm9700", "latency");
  assert_int_equal (number->value, 300000);
  assert_int_equal (number->low, 300000);    /* what the user measured has no range of ours left */
  assert_int_equal (number->high, 300000);
  assert_string_equal (number->source, "given in mine.yaml:2");
  assert_true (number->is_bare);
  assert_int_equal (number_of (mine, FAB_PART_SWITCH, "qm9700", "ports")->value, 64);
  assert_true (fab__part_lists (fab__catalog_lookup (mine, FAB_PART_SWITCH, "qm9700"), "speeds", "NDR200"));
  assert_int_equal (number_of (catalog, FAB_PART_SWITCH, "qm9700", "latency")->value, 250000);
}

static void
test_an_override_keeps_its_range_source_confidence_and_note (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  GError *error = NULL;
  g_autoptr (FabCatalog) mine = over (catalog,
                                      "xeon-spr: {socket_link: {value: 20GB/s, range: [18GB/s, 21GB/s], "
                                      "source: our own p2pBandwidthLatencyTest, confidence: medium, note: on node 7}}",
                                      &error);
  const FabNumber *number;

  fab_assert_no_error (error);
  number = number_of (mine, FAB_PART_CPU, "xeon-spr", "socket_link");
  assert_int_equal (number->value, G_GUINT64_CONSTANT (160000000000));
  assert_int_equal (number->low, G_GUINT64_CONSTANT (144000000000));
  assert_int_equal (number->high, G_GUINT64_CONSTANT (168000000000));
  assert_int_equal (number->confidence, FAB_CONFIDENCE_MEDIUM);
  assert_string_equal (number->source, "our own p2pBandwidthLatencyTest");
  assert_string_equal (number->note, "on node 7");
  assert_false (number->is_bare);
}

static void
test_the_later_override_wins (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (FabCatalog) first = over (catalog, "{qm9700: {latency: 300ns, power: 900W}}", NULL);
  g_autoptr (FabCatalog) second = over (first, "{qm9700: {latency: 310ns}}", NULL);

  assert_int_equal (number_of (second, FAB_PART_SWITCH, "qm9700", "latency")->value, 310000);
  assert_int_equal (number_of (second, FAB_PART_SWITCH, "qm9700", "power")->value, 900000);
}

static void
test_a_new_part_says_its_kind_and_may_name_another_new_one (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  GError *error = NULL;
  g_autoptr (FabCatalog) mine = over (
    catalog, "{my-switch: {kind: switch, protocols: [infiniband], ports: 144, speed: GDR, speeds: [GDR]}, "
             "GDR: {kind: speed, data_rate: 1600G, lanes: 4, family: infiniband}}", &error);

  fab_assert_no_error (error);
  assert_int_equal (number_of (mine, FAB_PART_SWITCH, "my-switch", "ports")->value, 144);
  assert_string_equal (fab__part_text (fab__catalog_lookup (mine, FAB_PART_SWITCH, "my-switch"), "speed"), "GDR");
  assert_null (fab__catalog_lookup (catalog, FAB_PART_SWITCH, "my-switch"));
}

static void
test_a_changed_value_shares_all_other_parts (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (FabCatalog) changed = fab__catalog_with_value (catalog, FAB_PART_CPU, "xeon-spr", "socket_link", 19);

  assert_int_equal (number_of (changed, FAB_PART_CPU, "xeon-spr", "socket_link")->value, 19);
  assert_int_equal (number_of (catalog, FAB_PART_CPU, "xeon-spr", "socket_link")->value,
                    G_GUINT64_CONSTANT (176000000000));
  assert_ptr_equal (fab__catalog_lookup (changed, FAB_PART_GPU, "l40s"),
                    fab__catalog_lookup (catalog, FAB_PART_GPU, "l40s"));
  assert_ptr_equal (fab__catalog_lookup_node (changed, "l40s-8")->devices[0].part,
                    fab__catalog_lookup (changed, FAB_PART_CPU, "xeon-spr"));
}

static void
test_a_bad_override_is_an_error_that_says_what_to_write (void **state)
{
  static const struct { const char *models, *says; } rows[] = {
    { "{qm9700: {latncy: 1ns}}", "“latency”" },                                     /* the nearest key */
    { "{qm970: {latency: 1ns}}", "kind: for a new one; got “qm970”" },
    { "{mine: {kind: swich, ports: 4}}", "“switch”" },
    { "{mine: {kind: , ports: 4}}", "a kind of part" },
    { "{l40s: {kind: nic, power: 1W}}", "“l40s”, which is a gpu" },
    { "{mine: {kind: pcie-switch, latency: 1ns}}", "expected pcie: " },             /* a key that must be */
    { "{qm9700: 3}", "a map" },
    { "{qm9700: {latency: 3m}}", "“3m”" },
    { "{qm9700: {latency: -3ns}}", "“-3ns”" },
    { "{qm9700: {latency: }}", "a value, got none" },
    { "{qm9700: {latency: {source: here, range: [1ns, 2ns]}}}", "expected value" },
    { "{qm9700: {latency: {value: ~}}}", "expected value" },
    { "{qm9700: {latency: {value: 2ns, rang: [1ns, 3ns]}}}", "“range”" },
    { "{qm9700: {latency: {value: 2ns, range: [3ns, 4ns]}}}", "a range that holds the value" },
    { "{qm9700: {latency: {value: 5ns, range: [3ns, 4ns]}}}", "a range that holds the value" },
    { "{qm9700: {latency: {value: 2ns, range: [1ns]}}}", "[lowest, highest], got 1 values" },
    { "{qm9700: {latency: {value: 2ns, range: [1ns, ~]}}}", "a value, got none" },
    { "{qm9700: {latency: {value: 2ns, range: 1ns}}}", "a list" },
    { "{qm9700: {latency: {value: 2ns, confidence: sure}}}", "high, medium, low, estimate" },
    { "{qm9700: {latency: 2s}}", "expected 0 to 1s, got 2s" },
    { "{gen4: {encoding_total: 0}}", "expected 1 to 1024, got 0" },                 /* it divides */
    { "{xeon-spr: {socket_link: {value: 9GB/s, range: [0GB/s, 9GB/s]}}}", "got 0" },
    { "{qm9700: {ports: 4097}}", "expected 1 to 4096, got 4097" },
    { "{qm9700: {ports: 1000000000000}}", "expected 1 to 4096" },
    { "{NDR: {family: infinband}}", "“infiniband”" },
    { "{NDR: {family: ~}}", "a text, got none" },
    { "{qm9700: {protocols: [infiniband, ethernt]}}", "“ethernet”" },
    { "{qm9700: {speeds: []}}", "one name or more" },
    { "{qm9700: {speeds: NDR}}", "a list" },
    { "{qm9700: {speeds: [NDR, NDR20]}}", "“NDR200”" },                             /* the nearest speed */
    { "{l40s: {pcie: gen44}}", "“gen4”" },
    { "{connectx-7-2x200: {ports: 1}}", "to keep port p2" },                        /* l40s-8 has a cable on it */
  };
  g_autoptr (FabCatalog) catalog = new_catalog ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (FabCatalog) mine = over (catalog, rows[i].models, &error);

      if (mine != NULL)
        fail_msg ("taken: %s", rows[i].models);
      assert_true (error->domain == FAB_ERROR);
      fab_assert_contains (error->message, rows[i].says);
    }
}

static void
test_errors_of_an_override_name_their_place (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (GError) error = NULL;
  g_autoptr (FabCatalog) mine = over (catalog, "qm9700:\n  latency: 1ns\n  powr: 3W\n", &error);

  assert_null (mine);
  fab_assert_contains (error->message, "mine.yaml:3:");
}

static void
test_require_names_the_nearest_part (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (FabDocument) document = fab__document_read ("[qm9700, qm970, zzz]", 20, "mine.yaml", NULL);
  const FabItem *root = fab__document_root (document);
  g_autoptr (GError) near = NULL;
  g_autoptr (GError) far = NULL;

  assert_non_null (fab__catalog_require (catalog, FAB_PART_SWITCH, fab__item_child (root, 0), NULL));
  assert_null (fab__catalog_require (catalog, FAB_PART_GPU, fab__item_child (root, 0), NULL));
  assert_null (fab__catalog_require (catalog, FAB_PART_SWITCH, fab__item_child (root, 1), &near));
  fab_assert_contains (near->message, "mine.yaml:1:10: ");
  fab_assert_contains (near->message, "a switch of the catalog, got “qm970”; did you mean “qm9700”?");
  assert_null (fab__catalog_require (catalog, FAB_PART_SWITCH, fab__item_child (root, 2), &far));
  fab_assert_contains (far->message, "`fabsim catalog` lists them");
}

/* ---- the check ---- */

static void
test_check_finds_numbers_that_nobody_can_look_up (void **state)
{
  static const struct { const char *number, *what; } rows[] = {
    { "{value: 1ns, source: \"\", confidence: high}", "no source" },
    { "{value: 1ns, source: \"  \", confidence: high}", "no source" },
    { "{value: 1ns, source: , confidence: high}", "no source" },
    { "{value: 1ns, confidence: high}", "no source" },
    { "1ns", "no source" },
    { "{value: 1ns, source: topo.h, confidence: high}", "a bare file name or word as source" },
    { "{value: 1ns, source: src/graph/topo.h, confidence: high}", "a bare file name or word as source" },
    { "{value: 1ns, source: NVIDIA, confidence: high}", "a bare file name or word as source" },
    { "{value: 1ns, source: A blog (Secondary Source), confidence: low}", "a source that names nobody" },
    { "{value: 1ns, source: estimate by rule of thumb, confidence: estimate}", "an estimate without a range" },
    { "{value: 1ns, source: an estimate unless said otherwise}", "an estimate without a range" },
    { "{value: 1ns, source: estimate by rule of thumb, confidence: estimate, range: [1ns, 2ns]}", NULL },
    { "{value: 1ns, source: \"NVIDIA QM97XX manual, Interfaces\", confidence: high}", NULL },
    { "{value: 1ns, source: \"https://docs.nvidia.com/x\", confidence: medium}", NULL },
  };
  g_autoptr (FabCatalog) catalog = new_catalog ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GError *error = NULL;
      g_autofree char *models = g_strdup_printf ("qm9700: {latency: %s}", rows[i].number);
      g_autoptr (FabCatalog) mine = over (catalog, models, &error);
      g_autoptr (GArray) faults = NULL;

      fab_assert_no_error (error);
      faults = fab__catalog_faults (mine);
      if (faults->len != (rows[i].what != NULL))
        fail_msg ("%u faults: %s", faults->len, rows[i].number);
      if (rows[i].what == NULL)
        continue;
      assert_string_equal (g_array_index (faults, FabCatalogFault, 0).name, "qm9700");
      assert_string_equal (g_array_index (faults, FabCatalogFault, 0).key, "latency");
      assert_string_equal (g_array_index (faults, FabCatalogFault, 0).what, rows[i].what);
    }
}

static void
test_check_finds_a_node_type_without_a_source (void **state)
{
  static const char text[] = "{devices: {cpu0: {part: xeon-spr}}, source: notes.md}";
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (FabDocument) document = fab__document_read (text, strlen (text), "mine.yaml", NULL);
  g_autoptr (FabCatalog) mine = fab__catalog_with_node (catalog, "my-node", fab__document_root (document), NULL);
  g_autoptr (GArray) faults = fab__catalog_faults (mine);

  assert_int_equal (faults->len, 1);
  assert_string_equal (g_array_index (faults, FabCatalogFault, 0).name, "my-node");
  assert_string_equal (g_array_index (faults, FabCatalogFault, 0).what, "a bare file name or word as source");
}

/* ---- a directory of the user's own ---- */

typedef struct { char *dir; GPtrArray *made; } Folder;

static void
folder_init (Folder *folder)
{
  folder->dir = g_dir_make_tmp ("fab-catalog-XXXXXX", NULL);
  folder->made = g_ptr_array_new_with_free_func (g_free);
  assert_non_null (folder->dir);
}

static void
folder_put (Folder *folder, const char *name, const char *text)
{
  char *path = g_build_filename (folder->dir, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  if (g_mkdir (parent, 0700) == 0)
    g_ptr_array_add (folder->made, g_strdup (parent));
  assert_true (g_file_set_contents (path, text, -1, NULL));
  g_ptr_array_add (folder->made, path);
}

static void
folder_clear (Folder *folder)
{
  for (guint i = folder->made->len; i > 0; i--)
    g_remove (g_ptr_array_index (folder->made, i - 1));
  g_ptr_array_unref (folder->made);
  g_remove (folder->dir);
  g_free (folder->dir);
}

static void
test_a_directory_lies_over_the_models_in_name_order (void **state)
{
  g_autoptr (FabCatalog) catalog = new_catalog ();
  g_autoptr (FabCatalog) mine = NULL;
  GError *error = NULL;
  Folder folder;

  folder_init (&folder);
  folder_put (&folder, "20-last.yaml", "{kind: switch, parts: {qm9700: {latency: 320ns}}}");
  folder_put (&folder, "10-first.yaml", "{kind: switch, parts: {qm9700: {latency: 310ns, power: 900W}}}");
  folder_put (&folder, "05-node.yaml",
              "{kind: node, name: my-node, source: our rack, devices: {gpu0: {part: my-gpu}}}");
  folder_put (&folder, "more/gpus.yaml", "{kind: gpu, parts: {my-gpu: {pcie: gen4, lanes: 16}}}");
  folder_put (&folder, "notes.txt", "not YAML: [");
  mine = fab_catalog_new_over (folder.dir, &error);
  folder_clear (&folder);

  fab_assert_no_error (error);
  assert_int_equal (number_of (mine, FAB_PART_SWITCH, "qm9700", "latency")->value, 320000);
  assert_int_equal (number_of (mine, FAB_PART_SWITCH, "qm9700", "power")->value, 900000);
  assert_int_equal (number_of (mine, FAB_PART_SWITCH, "qm9700", "ports")->value, 64);
  assert_string_equal (fab__part_name (fab__catalog_lookup_node (mine, "my-node")->devices[0].part), "my-gpu");
  assert_non_null (fab__catalog_lookup_node (mine, "l40s-8"));
  assert_string_not_equal (fab_catalog_digest (mine), fab_catalog_digest (catalog));
}

static void
test_node_types_of_the_models_follow_the_directory (void **state)
{
  g_autoptr (FabCatalog) mine = NULL;
  GError *error = NULL;
  Folder folder;

  folder_init (&folder);
  folder_put (&folder, "gpu.yaml", "{kind: gpu, parts: {l40s: {power: 300W}}}");
  mine = fab_catalog_new_over (folder.dir, &error);
  folder_clear (&folder);

  fab_assert_no_error (error);
  assert_ptr_equal (fab__catalog_lookup_node (mine, "l40s-8")->devices[4].part,
                    fab__catalog_lookup (mine, FAB_PART_GPU, "l40s"));
}

static void
test_a_bad_directory_is_an_error_that_names_the_file (void **state)
{
  static const struct { const char *text, *says; int code; } rows[] = {
    { "{kind: switch, parts: {qm9700: {latency: soon}}}", "bad.yaml:1:", FAB_ERROR_VALUE },
    { "{kind: swich, parts: {}}", "“switch”", FAB_ERROR_UNKNOWN },
    { "{parts: {}}", "expected kind", FAB_ERROR_VALUE },
    { "{kind: switch}", "expected parts", FAB_ERROR_VALUE },
    { "{kind: switch, part: {}}", "“parts”", FAB_ERROR_UNKNOWN },
    { "{kind: switch, parts: [qm9700]}", "a map", FAB_ERROR_VALUE },
    { "[switch]", "a map", FAB_ERROR_VALUE },
    { "{kind: node, devices: {}}", "expected name", FAB_ERROR_VALUE },
    { "", "an empty one", FAB_ERROR_SYNTAX },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabCatalog) mine = NULL;
      g_autoptr (GError) error = NULL;
      Folder folder;

      folder_init (&folder);
      folder_put (&folder, "bad.yaml", rows[i].text);
      mine = fab_catalog_new_over (folder.dir, &error);
      folder_clear (&folder);
      if (mine != NULL)
        fail_msg ("taken: %s", rows[i].text);
      fab_assert_contains (error->message, rows[i].says);
      assert_int_equal (error->code, rows[i].code);
    }
}

static void
test_a_missing_directory_cannot_be_read (void **state)
{
  g_autoptr (GError) error = NULL;

  assert_null (fab_catalog_new_over ("/nonexistent/models", &error));
  assert_true (g_error_matches (error, FAB_ERROR, FAB_ERROR_READ));
  fab_assert_contains (error->message, "/nonexistent/models");
}

static void
test_the_digest_is_the_same_each_time (void **state)
{
  g_autoptr (FabCatalog) a = new_catalog ();
  g_autoptr (FabCatalog) b = new_catalog ();

  assert_int_equal (strlen (fab_catalog_digest (a)), 64);
  assert_string_equal (fab_catalog_digest (a), fab_catalog_digest (b));
}

/* ---- the page of the keys ---- */

/* The keys in the first column of the table under "### `kind`", in order. */
static GPtrArray *
documented_keys (const char *page, const char *kind)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *heading = g_strdup_printf ("\n### `%s`\n", kind);
  const char *at = strstr (page, heading);
  const char *end = at != NULL ? strstr (at + 1, "\n#") : NULL;
  g_autofree char *section = g_strndup (at != NULL ? at : "", end != NULL ? (gsize) (end - at) : G_MAXSIZE);
  g_auto (GStrv) lines = g_strsplit (section, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "| `"))
      g_ptr_array_add (keys, g_strndup (lines[i] + 3, strcspn (lines[i] + 3, "`")));
  return keys;
}

static void
test_the_page_lists_the_keys_of_every_kind (void **state)
{
  g_autofree char *page = NULL;

  assert_true (g_file_get_contents (FAB_SOURCE_DIR "/docs/formats/models.md", &page, NULL, NULL));
  for (guint kind = 0; kind < FAB_N_PART_KINDS; kind++)
    {
      gsize n_keys;
      const FabPartKey *keys = fab__part_kind_keys ((FabPartKind) kind, &n_keys);
      g_autoptr (GPtrArray) documented = documented_keys (page, fab__part_kind_name ((FabPartKind) kind));

      if (documented->len != n_keys)
        fail_msg ("%s: %u keys on the page, %zu in the table", fab__part_kind_name ((FabPartKind) kind),
                  documented->len, n_keys);
      for (gsize k = 0; k < n_keys; k++)
        assert_string_equal (g_ptr_array_index (documented, k), keys[k].key);
    }
}

int
main (void)
{
  static const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_models_are_all_facts),
    cmocka_unit_test (test_models_hold_the_parts_a_plan_names),
    cmocka_unit_test (test_models_hold_the_figures_of_the_data_sheets),
    cmocka_unit_test (test_a_speed_is_its_lanes_together),
    cmocka_unit_test (test_connectx_6_dx_speaks_ethernet_alone),
    cmocka_unit_test (test_only_a_managed_switch_has_a_subnet_manager),
    cmocka_unit_test (test_lists_are_in_name_order),
    cmocka_unit_test (test_an_override_changes_one_number_and_says_where),
    cmocka_unit_test (test_an_override_keeps_its_range_source_confidence_and_note),
    cmocka_unit_test (test_the_later_override_wins),
    cmocka_unit_test (test_a_new_part_says_its_kind_and_may_name_another_new_one),
    cmocka_unit_test (test_a_changed_value_shares_all_other_parts),
    cmocka_unit_test (test_a_bad_override_is_an_error_that_says_what_to_write),
    cmocka_unit_test (test_errors_of_an_override_name_their_place),
    cmocka_unit_test (test_require_names_the_nearest_part),
    cmocka_unit_test (test_check_finds_numbers_that_nobody_can_look_up),
    cmocka_unit_test (test_check_finds_a_node_type_without_a_source),
    cmocka_unit_test (test_a_directory_lies_over_the_models_in_name_order),
    cmocka_unit_test (test_node_types_of_the_models_follow_the_directory),
    cmocka_unit_test (test_a_bad_directory_is_an_error_that_names_the_file),
    cmocka_unit_test (test_a_missing_directory_cannot_be_read),
    cmocka_unit_test (test_the_digest_is_the_same_each_time),
    cmocka_unit_test (test_the_page_lists_the_keys_of_every_kind),
  };

  return cmocka_run_group_tests_name ("catalog", tests, NULL, NULL);
}
