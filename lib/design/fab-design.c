/* fab-design.c: a design file from bytes to specs, section by section */
#include "design/fab-design-read-private.h"

#define MAX_INCLUDES 64

static const char *const top_keys[] = {
  "fabsim", "name", "description", "include", "models", "node_types", "nodes", "planes", "transport", "packet",
  "workloads", "scenarios", "expect", "accept", NULL,
};

gpointer
fab__design_own (FabDesign *design, gpointer memory)
{
  g_ptr_array_add (design->owned, memory);
  return memory;
}

static void
design_clear (gpointer data)
{
  FabDesign *design = data;

  for (guint i = 0; i < design->n_groups; i++)
    g_strfreev (design->groups[i].nodes);
  for (guint i = 0; i < design->n_planes; i++)
    {
      g_free (design->planes[i].groups);
      g_free (design->planes[i].spec);
      for (guint p = 0; p < design->planes[i].subnet.n_partitions; p++)
        g_strfreev (design->planes[i].subnet.partitions[p].members);
      for (guint s = 0; s < design->planes[i].n_own_switches; s++)
        g_strfreev (design->planes[i].own_switches[s].names);
      g_free (design->planes[i].own_switches);
      g_free (design->planes[i].own_links);
      g_free (design->planes[i].subnet.partitions);
      g_free (design->planes[i].subnet.sms);
    }
  for (guint i = 0; i < design->n_scenarios; i++)
    g_free (design->scenarios[i].parts);
  g_free (design->groups);
  g_free (design->planes);
  g_free (design->workloads);
  g_free (design->scenarios);
  g_free (design->expects);
  g_free (design->accepts);
  g_ptr_array_unref (design->owned);
  fab_catalog_unref (design->catalog);
  fab_catalog_unref (design->base_catalog);
  fab__document_unref (design->document);
  g_free (design->digest);
}

FabDesign *
fab_design_ref (FabDesign *design)
{
  return g_atomic_rc_box_acquire (design);
}

void
fab_design_unref (FabDesign *design)
{
  if (design != NULL)
    g_atomic_rc_box_release_full (design, design_clear);
}

/* ---- the file, its includes and the settings over it ---- */

static gboolean
merge_includes (FabDocument *document, guint *n_included, GError **error)
{
  const FabItem *list = fab__item_lookup (fab__document_root (document), "include");
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *dir = g_path_get_dirname (fab__document_path (document));

  if (list == NULL)
    return TRUE;
  if (!fab__item_expect_kind (list, FAB_ITEM_LIST, error))
    return FALSE;
  for (guint i = 0; i < fab__item_n_children (list); i++)
    {
      const char *name = NULL;

      if (++*n_included > MAX_INCLUDES)
        {
          fab__item_error (list, error, FAB_ERROR_LIMIT, "expected at most %d included files in all; do they include each other?", MAX_INCLUDES);
          return FALSE;
        }
      if (!fab__item_get_text (fab__item_child (list, i), &name, error))
        return FALSE;
      g_ptr_array_add (paths, g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (dir, name, NULL));
    }
  for (guint i = 0; i < paths->len; i++)
    {
      g_autoptr (FabDocument) under = fab__document_read_file (g_ptr_array_index (paths, i), error);

      if (under == NULL)
        {
          g_autofree char *place = fab__item_place (list);

          g_prefix_error (error, "%s: include: ", place);
          return FALSE;
        }
      if (!merge_includes (under, n_included, error))
        return FALSE;
      fab__document_merge (document, under);
    }
  return TRUE;
}

static gboolean
apply_settings (FabDocument *document, const char *const *settings, GError **error)
{
  for (guint i = 0; settings != NULL && settings[i] != NULL; i++)
    {
      const char *equals = strchr (settings[i], '=');
      g_autofree char *key = NULL;

      if (equals == NULL || equals == settings[i])
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "--set: expected KEY=VALUE, got “%s”", settings[i]);
          return FALSE;
        }
      key = g_strndup (settings[i], (gsize) (equals - settings[i]));
      if (!fab__document_set (document, key, equals + 1, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the sections ---- */

static gboolean
read_head (FabDesign *design, const FabItem *root, GError **error)
{
  const FabItem *version = fab__item_require (root, "fabsim", error);
  guint64 number = 0;

  if (version == NULL || !fab__item_get_uint (version, 1, 1, &number, error))
    return FALSE;
  design->name = "unnamed";
  return fab__item_check_keys (root, top_keys, error)
         && fab__item_get_name (fab__item_lookup (root, "name"), &design->name, error);
}

static gboolean
read_catalog (FabDesign *design, const FabItem *root, GError **error)
{
  const FabItem *models = fab__item_lookup (root, "models");
  const FabItem *types = fab__item_lookup (root, "node_types");

  design->catalog = models != NULL ? fab__catalog_over (design->base_catalog, models, error) : fab_catalog_ref (design->base_catalog);
  if (design->catalog == NULL)
    return FALSE;
  if (design->tweak.part != NULL)
    {
      FabCatalog *tweaked = fab__catalog_with_value (design->catalog, design->tweak.kind, design->tweak.part, design->tweak.key,
                                                     design->tweak.value);

      fab_catalog_unref (design->catalog);
      design->catalog = tweaked;
    }
  if (types == NULL)
    return TRUE;
  if (!fab__item_expect_kind (types, FAB_ITEM_MAP, error))
    return FALSE;
  for (guint i = 0; i < fab__item_n_children (types); i++)
    {
      FabCatalog *with = fab__catalog_with_node (design->catalog, fab__item_key (types, i), fab__item_child (types, i), error);

      if (with == NULL)
        return FALSE;
      fab_catalog_unref (design->catalog);
      design->catalog = with;
    }
  return TRUE;
}

/* Planes, nodes, workloads and scenarios share one namespace, since metrics and addresses start with their names. */
static gboolean
check_namespace (const FabItem *root, GError **error)
{
  static const char *const sections[] = { "nodes", "planes", "workloads", "scenarios" };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint s = 0; s < G_N_ELEMENTS (sections); s++)
    {
      const FabItem *section = fab__item_lookup (root, sections[s]);

      for (guint i = 0; section != NULL && i < fab__item_n_children (section); i++)
        {
          const char *name = fab__item_key (section, i);
          const char *other = name != NULL ? g_hash_table_lookup (seen, name) : NULL;

          if (other != NULL)
            {
              fab__item_error (fab__item_child (section, i), error, FAB_ERROR_VALUE,
                               "expected a name of its own, got “%s”, which %s has too", name, other);
              return FALSE;
            }
          if (name != NULL)
            g_hash_table_insert (seen, (gpointer) (gsize) name, (gpointer) (gsize) sections[s]);
        }
    }
  return TRUE;
}

static gboolean
read_software (FabDesign *design, const FabItem *root, GError **error)
{
  const FabPart *software = fab__catalog_lookup (design->catalog, FAB_PART_SOFTWARE, "nccl-ring-simple");

  fab_transport_rules_init (&design->rules);
  if (software != NULL)
    {
      design->rules.pcie_step_ps = (gint64) fab__part_value (software, "pcie_step", (guint64) design->rules.pcie_step_ps);
      design->rules.network_step_ps = (gint64) fab__part_value (software, "network_step", (guint64) design->rules.network_step_ps);
    }
  return fab__design_read_rules (fab__item_lookup (root, "transport"), &design->rules, error);
}

/* An empty section is none: "--set scenarios=" takes one out. */
static const FabItem *
section (const FabItem *root, const char *key)
{
  const FabItem *item = fab__item_lookup (root, key);
  gboolean is_null = item != NULL && fab__item_kind (item) == FAB_ITEM_SCALAR && !fab__item_is_quoted (item) && *fab__item_text (item) == '\0';

  return is_null ? NULL : item;
}

static gboolean
read_sections (FabDesign *design, GError **error)
{
  const FabItem *root = fab__document_root (design->document);

  return fab__item_expect_kind (root, FAB_ITEM_MAP, error)
         && read_head (design, root, error)
         && read_catalog (design, root, error)
         && check_namespace (root, error)
         && read_software (design, root, error)
         && fab__design_read_packet (section (root, "packet"), &design->packet, error)
         && fab__design_read_groups (design, section (root, "nodes"), error)
         && fab__design_read_planes (design, section (root, "planes"), error)
         && fab__design_read_workloads (design, section (root, "workloads"), error)
         && fab__design_read_scenarios (design, section (root, "scenarios"), error)
         && fab__design_read_expects (design, section (root, "expect"), error)
         && fab__design_read_accepts (design, section (root, "accept"), error);
}

/* Takes @document. */
static FabDesign *
design_from_document (FabDocument *document, FabCatalog *catalog, const FabTweak *tweak, GError **error)
{
  g_autoptr (FabDesign) design = g_atomic_rc_box_new0 (FabDesign);

  design->document = document;
  design->base_catalog = fab_catalog_ref (catalog);
  design->owned = g_ptr_array_new_with_free_func (g_free);
  design->digest = fab__document_digest (document);
  if (tweak != NULL)
    design->tweak = *tweak;
  return read_sections (design, error) ? g_steal_pointer (&design) : NULL;
}

static FabDesign *
read_document (FabDocument *document, const char *const *settings, FabCatalog *catalog, GError **error)
{
  g_autoptr (FabDocument) whole = document;
  guint n_included = 0;

  if (whole == NULL || !merge_includes (whole, &n_included, error) || !apply_settings (whole, settings, error))
    return NULL;
  return design_from_document (g_steal_pointer (&whole), catalog, NULL, error);
}

FabDesign *
fab_design_read_file (const char *path, const char *const *settings, FabCatalog *catalog, GError **error)
{
  return read_document (fab__document_read_file (path, error), settings, catalog, error);
}

FabDesign *
fab_design_read (const char *text, gsize len, const char *path, const char *const *settings, FabCatalog *catalog, GError **error)
{
  return read_document (fab__document_read (text, len, path, error), settings, catalog, error);
}

FabDesign *
fab__design_with_value (const FabDesign *design, FabPartKind kind, const char *part, const char *key, guint64 value, GError **error)
{
  FabTweak tweak = { .kind = kind, .part = part, .key = key, .value = value };

  return design_from_document (fab__document_ref (design->document), design->base_catalog, &tweak, error);
}

/* ---- questions ---- */

const char *
fab_design_name (const FabDesign *design)
{
  return design->name;
}

const char *
fab_design_path (const FabDesign *design)
{
  return fab__document_path (design->document);
}

const char *
fab_design_digest (const FabDesign *design)
{
  return design->digest;
}

FabCatalog *
fab_design_catalog (const FabDesign *design)
{
  return design->catalog;
}

guint
fab_design_n_workloads (const FabDesign *design)
{
  return design->n_workloads;
}

const char *
fab_design_workload (const FabDesign *design, guint workload)
{
  g_return_val_if_fail (workload < design->n_workloads, NULL);
  return design->workloads[workload].name;
}

guint
fab_design_n_scenarios (const FabDesign *design)
{
  return design->n_scenarios;
}

const char *
fab_design_scenario (const FabDesign *design, guint scenario)
{
  g_return_val_if_fail (scenario < design->n_scenarios, NULL);
  return design->scenarios[scenario].name;
}

void
fab_design_transport_rules (const FabDesign *design, FabTransportRules *rules)
{
  *rules = design->rules;
}

guint32
fab__design_lookup_plane (const FabDesign *design, const char *name)
{
  for (guint i = 0; i < design->n_planes; i++)
    if (g_str_equal (design->planes[i].name, name))
      return i;
  return FAB_NONE;
}
