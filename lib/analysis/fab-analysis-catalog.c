/* fab-analysis-catalog.c: the facts, listed and shown with where they come from */
#include "catalog/fab-catalog-private.h"
#include "base/fab-json-private.h"
#include "fab-analysis.h"

static const FabColumn part_columns[] = {
  { "name", "name", FAB_CELL_TEXT, "", "catalog name", FAB_COLUMN_NAME },
  { "kind", "kind", FAB_CELL_TEXT, "", "kind of part, or node", 0 },
  { "summary", "what it is", FAB_CELL_TEXT, "", "a sentence", 0 },
};

static const FabColumn number_columns[] = {
  { "key", "key", FAB_CELL_TEXT, "", "name of the number, for models: and --set models.PART.KEY", FAB_COLUMN_NAME },
  { "value", "value", FAB_CELL_TEXT, "", "value with its unit", 0 },
  { "range", "range", FAB_CELL_TEXT, "", "lowest – highest", 0 },
  { "confidence", "confidence", FAB_CELL_TEXT, "", "high, medium, low or estimate", 0 },
  { "meaning", "meaning", FAB_CELL_TEXT, "", "what it says", FAB_COLUMN_HIDDEN },
  { "source", "source", FAB_CELL_TEXT, "", "where it can be looked up", 0 },
  { "note", "note", FAB_CELL_TEXT, "", "what else to know", FAB_COLUMN_HIDDEN },
};

static const FabColumn device_columns[] = {
  { "name", "device", FAB_CELL_TEXT, "", "name in the node", FAB_COLUMN_NAME },
  { "part", "part", FAB_CELL_TEXT, "", "catalog name", 0 },
  { "kind", "kind", FAB_CELL_TEXT, "", "kind of part", 0 },
  { "links", "links to", FAB_CELL_TEXT, "", "devices it is joined to", 0 },
  { "ports", "ports for", FAB_CELL_TEXT, "", "planes its ports serve", 0 },
};

static const FabColumn fault_columns[] = {
  { "part", "part", FAB_CELL_TEXT, "", "catalog name", 0 },
  { "key", "key", FAB_CELL_TEXT, "", "number, or source of a node type", 0 },
  { "fault", "what is wrong", FAB_CELL_TEXT, "", "why it is no fact", 0 },
};

static const char *const confidences[] = { "high", "medium", "low", "estimate" };

/* ---- all parts ---- */

static void
add_part_row (FabTable *table, const char *name, const char *kind, const char *summary)
{
  fab_table_add_row (table);
  fab_table_set_text (table, "name", name);
  fab_table_set_text (table, "kind", kind);
  fab_table_set_text (table, "summary", summary);
}

static void
add_node_rows (FabTable *table, const FabCatalog *catalog)
{
  gsize n_names;
  g_autofree const char **names = fab__catalog_list_nodes (catalog, &n_names);

  for (gsize i = 0; i < n_names; i++)
    add_part_row (table, names[i], "node", fab__catalog_lookup_node (catalog, names[i])->summary);
}

static void
add_kind_rows (FabTable *table, const FabCatalog *catalog, FabPartKind kind)
{
  gsize n_parts;
  g_autofree const FabPart **parts = fab__catalog_list (catalog, kind, &n_parts);

  for (gsize i = 0; i < n_parts; i++)
    add_part_row (table, fab__part_name (parts[i]), fab__part_kind_name (kind), fab__part_summary (parts[i]));
}

static FabAnswer *
list (const FabCatalog *catalog, const char *kind)
{
  FabAnswer *answer = fab_answer_new ("fabsim.catalog/1");
  FabTable *table = fab_table_new (part_columns, G_N_ELEMENTS (part_columns));

  for (guint k = 0; k < FAB_N_PART_KINDS; k++)
    if (kind == NULL || g_str_equal (kind, fab__part_kind_name ((FabPartKind) k)))
      add_kind_rows (table, catalog, (FabPartKind) k);
  if (kind == NULL || g_str_equal (kind, "node"))
    add_node_rows (table, catalog);
  fab_answer_say (answer, "%zu parts and node types; `fabsim catalog NAME` shows one with its sources.", fab_table_n_rows (table));
  fab_answer_add_table (answer, "parts", "Catalog", table);
  return answer;
}

/* ---- one part ---- */

/* Counts are plain numbers; the rest carries its unit. */
static char *
value_text (guint64 value, FabUnit unit)
{
  return unit == FAB_UNIT_NONE ? fab__number_to_text ((double) value) : fab_units_format (value, unit);
}

static void
add_number_row (FabTable *table, const FabPartKey *key, const FabNumber *number)
{
  g_autofree char *value = value_text (number->value, number->unit);
  g_autofree char *low = value_text (number->low, number->unit);
  g_autofree char *high = value_text (number->high, number->unit);
  g_autofree char *range = number->low < number->high ? g_strdup_printf ("%s – %s", low, high) : NULL;

  fab_table_add_row (table);
  fab_table_set_text (table, "key", key->key);
  fab_table_set_text (table, "value", value);
  fab_table_set_text (table, "range", range);
  fab_table_set_text (table, "confidence", confidences[number->confidence]);
  fab_table_set_text (table, "meaning", key->meaning);
  fab_table_set_text (table, "source", number->source);
  fab_table_set_text (table, "note", number->note);
}

static void
add_text_row (FabTable *table, const FabPartKey *key, const FabPart *part)
{
  g_autofree char *joined = key->kind == FAB_KEY_LIST ? g_strjoinv (", ", (GStrv) (gsize) fab__part_list (part, key->key)) : NULL;
  const char *text = joined != NULL ? joined : fab__part_text (part, key->key);

  if (text == NULL || *text == '\0')
    return;
  fab_table_add_row (table);
  fab_table_set_text (table, "key", key->key);
  fab_table_set_text (table, "value", text);
  fab_table_set_text (table, "meaning", key->meaning);
}

static FabAnswer *
show_part (const FabPart *part)
{
  FabAnswer *answer = fab_answer_new ("fabsim.catalog/1");
  FabTable *table = fab_table_new (number_columns, G_N_ELEMENTS (number_columns));
  gsize n_keys;
  const FabPartKey *keys = fab__part_kind_keys (fab__part_kind (part), &n_keys);

  for (gsize k = 0; k < n_keys; k++)
    {
      const FabNumber *number = keys[k].kind == FAB_KEY_NUMBER ? fab__part_lookup (part, keys[k].key) : NULL;

      if (number != NULL)
        add_number_row (table, &keys[k], number);
      else if (keys[k].kind != FAB_KEY_NUMBER)
        add_text_row (table, &keys[k], part);
    }
  fab_answer_say (answer, "%s (%s): %s.", fab__part_name (part), fab__part_kind_name (fab__part_kind (part)), fab__part_summary (part));
  fab_answer_add_table (answer, "numbers", "Numbers", table);
  return answer;
}

/* ---- one node type ---- */

static char *
links_of (const FabNodeType *type, guint32 device)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint l = 0; l < type->n_links; l++)
    {
      const FabNodeLink *link = &type->links[l];
      guint32 peer = link->a == device ? link->b : link->b == device ? link->a : FAB_NONE;

      if (peer == FAB_NONE)
        continue;
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", type->devices[peer].name);
      if (link->kind == FAB_NODE_LINK_PCIE)
        g_string_append_printf (text, " (%s x%u)", fab__part_name (link->pcie), link->lanes);
      else
        g_string_append (text, link->kind == FAB_NODE_LINK_SOCKET ? " (socket link)" : " (NVLink)");
    }
  return g_strdup (text->str);
}

static char *
roles_of (const FabNodeType *type, guint32 device)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint r = 0; r < type->n_roles; r++)
    for (guint p = 0; p < type->roles[r].n_ports; p++)
      if (type->roles[r].ports[p].device == device)
        g_string_append_printf (text, "%sp%u %s", text->len > 0 ? ", " : "", type->roles[r].ports[p].port, type->roles[r].role);
  return g_strdup (text->str);
}

static FabAnswer *
show_node (const FabNodeType *type)
{
  FabAnswer *answer = fab_answer_new ("fabsim.catalog/1");
  FabTable *table = fab_table_new (device_columns, G_N_ELEMENTS (device_columns));

  for (guint32 d = 0; d < type->n_devices; d++)
    {
      g_autofree char *links = links_of (type, d);
      g_autofree char *roles = roles_of (type, d);

      fab_table_add_row (table);
      fab_table_set_text (table, "name", type->devices[d].name);
      fab_table_set_text (table, "part", fab__part_name (type->devices[d].part));
      fab_table_set_text (table, "kind", fab__part_kind_name (fab__part_kind (type->devices[d].part)));
      fab_table_set_text (table, "links", links);
      fab_table_set_text (table, "ports", roles);
    }
  fab_answer_say (answer, "%s (node): %s. Source: %s.", type->name, type->summary, type->source);
  fab_answer_add_table (answer, "devices", "Devices", table);
  return answer;
}

/* ---- by name ---- */

static gboolean
is_kind (const char *name)
{
  gboolean found = g_str_equal (name, "node");

  for (guint k = 0; k < FAB_N_PART_KINDS; k++)
    found |= g_str_equal (name, fab__part_kind_name ((FabPartKind) k));
  return found;
}

static const char *
nearest_name (const FabCatalog *catalog, const char *name)
{
  gsize n_nodes;
  g_autofree const char **nodes = fab__catalog_list_nodes (catalog, &n_nodes);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint k = 0; k < FAB_N_PART_KINDS; k++)
    {
      gsize n_parts;
      g_autofree const FabPart **parts = fab__catalog_list (catalog, (FabPartKind) k, &n_parts);

      for (gsize i = 0; i < n_parts; i++)
        g_ptr_array_add (names, (gpointer) (gsize) fab__part_name (parts[i]));
    }
  for (gsize i = 0; i < n_nodes; i++)
    g_ptr_array_add (names, (gpointer) (gsize) nodes[i]);
  g_ptr_array_add (names, NULL);
  return fab__nearest (name, (const char *const *) names->pdata);
}

FabAnswer *
fab_analysis_catalog (const FabCatalog *catalog, const char *name, GError **error)
{
  const char *nearest;

  if (name == NULL || is_kind (name))
    return list (catalog, name);
  for (guint k = 0; k < FAB_N_PART_KINDS; k++)
    {
      const FabPart *part = fab__catalog_lookup (catalog, (FabPartKind) k, name);

      if (part != NULL)
        return show_part (part);
    }
  if (fab__catalog_lookup_node (catalog, name) != NULL)
    return show_node (fab__catalog_lookup_node (catalog, name));
  nearest = nearest_name (catalog, name);
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "catalog: expected a part, a node type or a kind of either, got “%s”%s%s%s", name,
               nearest != NULL ? "; did you mean “" : "", nearest != NULL ? nearest : "", nearest != NULL ? "”?" : "");
  return NULL;
}

FabAnswer *
fab_analysis_catalog_check (const FabCatalog *catalog)
{
  FabAnswer *answer = fab_answer_new ("fabsim.catalog-check/1");
  FabTable *table = fab_table_new (fault_columns, G_N_ELEMENTS (fault_columns));
  g_autoptr (GArray) faults = fab__catalog_faults (catalog);

  for (guint i = 0; i < faults->len; i++)
    {
      const FabCatalogFault *fault = &g_array_index (faults, FabCatalogFault, i);

      fab_table_add_row (table);
      fab_table_set_text (table, "part", fault->name);
      fab_table_set_text (table, "key", fault->key);
      fab_table_set_text (table, "fault", fault->what);
    }
  if (faults->len == 0)
    fab_answer_say (answer, "Every number of the catalog has a source that can be looked up, or is an estimate with a range.");
  else
    fab_answer_say (answer, "%u numbers of the catalog are not facts yet.", faults->len);
  fab_answer_add_table (answer, "findings", "Findings", table);
  fab_answer_set_found (answer, faults->len > 0);
  return answer;
}
