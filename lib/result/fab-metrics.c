/* fab-metrics.c: the numbers of an answer by key
 *
 * A column flagged FAB_COLUMN_METRIC is the one registry row of its metric: key, unit, meaning and direction stand there; where
 * the column's table hangs in the answer gives the rest of the key and the JSON path.
 */
#include "fab-answer.h"
#include <math.h>

static const FabColumn metric_columns[] = {
  { "key", "metric", FAB_CELL_TEXT, "", "name for expect:, --set and scripts", FAB_COLUMN_NAME },
  { "value", "value", FAB_CELL_NUMBER, "", "the number, in the unit given", 0 },
  { "unit", "unit", FAB_CELL_TEXT, "", "unit of the value", 0 },
  { "json_path", "JSON path", FAB_CELL_TEXT, "", "where JSON output has it", 0 },
  { "better", "better", FAB_CELL_TEXT, "", "lower or higher, where one is better", FAB_COLUMN_HIDDEN },
  { "meaning", "meaning", FAB_CELL_TEXT, "", "what it says", 0 },
};

/* "planes.compute.tiers" → "compute" and, for a table, the segment that the row's name replaces is dropped. */
static char *
key_prefix (const FabSection *section)
{
  static const char *const dropped[] = { "planes.", "workloads.", "scenarios." };
  const char *path = section->path;
  const char *last;

  for (guint i = 0; i < G_N_ELEMENTS (dropped); i++)
    if (g_str_has_prefix (path, dropped[i]))
      {
        path += strlen (dropped[i]);
        break;
      }
  if (section->kind == FAB_SECTION_RECORD)
    return g_strdup (path);
  last = strrchr (path, '.');
  return last != NULL ? g_strndup (path, (gsize) (last - path)) : g_strdup ("");
}

static const char *
row_name (const FabTable *table, gsize row)
{
  gsize n_columns;
  const FabColumn *columns = fab_table_columns (table, &n_columns);

  for (gsize c = 0; c < n_columns; c++)
    if (columns[c].flags & FAB_COLUMN_NAME)
      return fab_table_text (table, row, c);
  return NULL;
}

static char *
join_key (const char *prefix, const char *name, const char *key)
{
  g_autoptr (GString) joined = g_string_new (prefix);

  if (name != NULL)
    g_string_append_printf (joined, "%s%s", joined->len > 0 ? "." : "", name);
  g_string_append_printf (joined, "%s%s", joined->len > 0 ? "." : "", key);
  return g_strdup (joined->str);
}

static void
add_metric (FabTable *metrics, const FabSection *section, gsize row, gsize column, const FabColumn *spec)
{
  const char *name = section->kind == FAB_SECTION_TABLE ? row_name (section->table, row) : NULL;
  g_autofree char *prefix = key_prefix (section);
  g_autofree char *key = join_key (prefix, name, spec->key);
  g_autofree char *path = section->kind == FAB_SECTION_TABLE ? g_strdup_printf (".%s[%zu].%s", section->path, row, spec->key)
                                                             : g_strdup_printf (".%s%s%s", section->path, *section->path != '\0' ? "." : "", spec->key);

  fab_table_add_row (metrics);
  fab_table_set_text (metrics, "key", key);
  fab_table_set_number (metrics, "value", fab_table_number (section->table, row, column));
  fab_table_set_text (metrics, "unit", spec->unit);
  fab_table_set_text (metrics, "json_path", path);
  fab_table_set_text (metrics, "better", spec->flags & FAB_COLUMN_LOWER ? "lower" : spec->flags & FAB_COLUMN_HIGHER ? "higher" : NULL);
  fab_table_set_text (metrics, "meaning", spec->meaning);
}

FabTable *
fab_answer_metrics (const FabAnswer *answer)
{
  FabTable *metrics = fab_table_new (metric_columns, G_N_ELEMENTS (metric_columns));

  for (gsize s = 0; s < fab_answer_n_sections (answer); s++)
    {
      const FabSection *section = fab_answer_section (answer, s);
      gsize n_columns;
      const FabColumn *columns = fab_table_columns (section->table, &n_columns);

      for (gsize row = 0; row < fab_table_n_rows (section->table); row++)
        for (gsize c = 0; c < n_columns; c++)
          if ((columns[c].flags & FAB_COLUMN_METRIC) && isfinite (fab_table_number (section->table, row, c)))
            add_metric (metrics, section, row, c, &columns[c]);
    }
  return metrics;
}
