/* fab-report-json.c: an answer as JSON: records become objects, tables arrays of objects */
#include "fab-report.h"
#include "fab-version.h"
#include "base/fab-json-private.h"

static void
add_cell (FabJson *object, const FabTable *table, gsize row, gsize column, const FabColumn *spec)
{
  if (fab_table_is_null (table, row, column))
    fab__json_add_null (object, spec->key);
  else if (spec->kind == FAB_CELL_TEXT)
    fab__json_add_text (object, spec->key, fab_table_text (table, row, column));
  else if (spec->kind == FAB_CELL_BOOL)
    fab__json_add_bool (object, spec->key, fab_table_bool (table, row, column));
  else if (spec->kind == FAB_CELL_COUNT || spec->kind == FAB_CELL_SIZE)
    fab__json_add_int (object, spec->key, fab_table_int (table, row, column));
  else
    fab__json_add_number (object, spec->key, fab_table_number (table, row, column));
}

static void
add_row (FabJson *object, const FabTable *table, gsize row)
{
  gsize n_columns;
  const FabColumn *columns = fab_table_columns (table, &n_columns);

  for (gsize c = 0; c < n_columns; c++)
    add_cell (object, table, row, c, &columns[c]);
}

static void
add_section (FabJson *root, const FabSection *section)
{
  g_auto (GStrv) segments = g_strsplit (section->path, ".", -1);
  guint n = g_strv_length (segments);
  FabJson *at = root;

  for (guint i = 0; i + (section->kind == FAB_SECTION_TABLE ? 1 : 0) < n; i++)
    at = fab__json_child (at, segments[i]);
  if (section->kind == FAB_SECTION_RECORD)
    {
      add_row (at, section->table, 0);
      return;
    }
  FabJson *array = fab__json_array ();

  for (gsize row = 0; row < fab_table_n_rows (section->table); row++)
    {
      FabJson *object = fab__json_object ();

      add_row (object, section->table, row);
      fab__json_add (array, NULL, object);
    }
  fab__json_add (at, segments[n - 1], array);
}

char *
fab_report_json (const FabAnswer *answer)
{
  g_autoptr (FabJson) root = fab__json_object ();
  const char *const *says = fab_answer_says (answer);
  FabJson *sentences = fab__json_array ();

  fab__json_add_text (root, "schema", fab_answer_schema (answer));
  fab__json_add_text (root, "version", fab_version ());
  for (gsize s = 0; s < fab_answer_n_sections (answer); s++)
    add_section (root, fab_answer_section (answer, s));
  for (guint i = 0; says[i] != NULL; i++)
    fab__json_add_text (sentences, NULL, says[i]);
  fab__json_add (root, "says", sentences);
  return fab__json_print (root);
}
