/* fab-report-csv.c: an answer as CSV (RFC 4180), section by section */
#include "fab-report.h"
#include "base/fab-json-private.h"

static void
append_text (GString *out, const char *text)
{
  if (strpbrk (text, ",\"\n\r") == NULL)
    {
      g_string_append (out, text);
      return;
    }
  g_string_append_c (out, '"');
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *p);
    }
  g_string_append_c (out, '"');
}

static void
append_cell (GString *out, const FabTable *table, gsize row, gsize column, FabCellKind kind)
{
  g_autofree char *number = NULL;

  if (fab_table_is_null (table, row, column))
    return;
  if (kind == FAB_CELL_TEXT)
    append_text (out, fab_table_text (table, row, column));
  else if (kind == FAB_CELL_BOOL)
    g_string_append (out, fab_table_bool (table, row, column) ? "true" : "false");
  else if (kind == FAB_CELL_COUNT || kind == FAB_CELL_SIZE)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, fab_table_int (table, row, column));
  else
    g_string_append (out, number = fab__number_to_text (fab_table_number (table, row, column)));
}

char *
fab_report_csv (const FabAnswer *answer)
{
  GString *out = g_string_new (NULL);

  for (gsize s = 0; s < fab_answer_n_sections (answer); s++)
    {
      const FabTable *table = fab_answer_section (answer, s)->table;
      gsize n_columns;
      const FabColumn *columns = fab_table_columns (table, &n_columns);

      if (s > 0)
        g_string_append_c (out, '\n');
      for (gsize c = 0; c < n_columns; c++)
        g_string_append_printf (out, "%s%s", c > 0 ? "," : "", columns[c].key);
      g_string_append_c (out, '\n');
      for (gsize row = 0; row < fab_table_n_rows (table); row++)
        for (gsize c = 0; c < n_columns; c++)
          {
            append_cell (out, table, row, c, columns[c].kind);
            g_string_append_c (out, c + 1 < n_columns ? ',' : '\n');
          }
    }
  return g_string_free (out, FALSE);
}
