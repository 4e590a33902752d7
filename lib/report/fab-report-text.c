/* fab-report-text.c: an answer for people: sentences first, then records and aligned tables */
#include "fab-report.h"
#include "fab-units.h"
#include <math.h>

#define BOLD  "\033[1m"
#define RESET "\033[0m"
#define MIN_WRAP 24   /* a last column narrower than this is not wrapped */

/* ---- cells ---- */

static char *
four_figures (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double size = fabs (value);
  const char *format = value == floor (value) && size < 1e15 ? "%.0f" : size >= 1000 ? "%.0f" : size >= 100 ? "%.1f" : size >= 10 ? "%.2f"
                       : size >= 0.001 ? "%.3f" : "%.3g";

  return g_strdup (g_ascii_formatd (text, sizeof text, format, value));
}

static char *
percent (double share)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup_printf ("%s %%", g_ascii_formatd (text, sizeof text, "%.1f", share * 100));
}

static char *
cell_text (const FabTable *table, gsize row, gsize column, FabCellKind kind)
{
  if (fab_table_is_null (table, row, column))
    return g_strdup ("–");
  switch (kind)
    {
    case FAB_CELL_TEXT:
      return g_strdup (fab_table_text (table, row, column));
    case FAB_CELL_BOOL:
      return g_strdup (fab_table_bool (table, row, column) ? "yes" : "no");
    case FAB_CELL_COUNT:
      return g_strdup_printf ("%" G_GINT64_FORMAT, fab_table_int (table, row, column));
    case FAB_CELL_TIME:
      return fab_units_format_time (fab_table_int (table, row, column));
    case FAB_CELL_SIZE:
      return fab_units_format_size ((guint64) fab_table_int (table, row, column));
    case FAB_CELL_SHARE:
      return percent (fab_table_number (table, row, column));
    default:
      return four_figures (fab_table_number (table, row, column));
    }
}

/* Times, sizes and shares carry their unit in the cell; texts have none. */
static gboolean
unit_in_heading (const FabColumn *column)
{
  return *column->unit != '\0' && column->kind != FAB_CELL_TIME && column->kind != FAB_CELL_SIZE && column->kind != FAB_CELL_SHARE;
}

static gboolean
is_shown (const FabColumn *column)
{
  return !(column->flags & FAB_COLUMN_HIDDEN);
}

/* ---- lines ---- */

static gsize
width_of (const char *text)
{
  return (gsize) g_utf8_strlen (text, -1);
}

static void
append_spaces (GString *out, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_string_append_c (out, ' ');
}

/* Appends @text broken at spaces so that no line passes @width; further lines begin under column @indent. */
static void
append_wrapped (GString *out, const char *text, gsize indent, guint width)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  gsize at = indent;

  for (guint w = 0; words[w] != NULL; w++)
    {
      gsize length = width_of (words[w]);

      if (w > 0 && width > 0 && at + 1 + length > width)
        {
          g_string_append_c (out, '\n');
          append_spaces (out, indent);
          at = indent;
        }
      else if (w > 0)
        {
          g_string_append_c (out, ' ');
          at++;
        }
      g_string_append (out, words[w]);
      at += length;
    }
}

static void
append_title (GString *out, const char *title, const FabTextStyle *style)
{
  if (out->len > 0)
    g_string_append_c (out, '\n');
  g_string_append_printf (out, "%s%s%s\n", style->colour ? BOLD : "", title, style->colour ? RESET : "");
}

/* ---- records ---- */

static void
append_record (GString *out, const FabTable *table, const FabTextStyle *style)
{
  gsize n_columns, widest = 0;
  const FabColumn *columns = fab_table_columns (table, &n_columns);

  for (gsize c = 0; c < n_columns; c++)
    if (is_shown (&columns[c]))
      widest = MAX (widest, width_of (columns[c].heading));
  for (gsize c = 0; c < n_columns; c++)
    {
      g_autofree char *text = is_shown (&columns[c]) ? cell_text (table, 0, c, columns[c].kind) : NULL;
      g_autofree char *with_unit = NULL;

      if (text == NULL)
        continue;
      with_unit = unit_in_heading (&columns[c]) && !fab_table_is_null (table, 0, c) ? g_strdup_printf ("%s %s", text, columns[c].unit) : g_strdup (text);
      g_string_append_printf (out, "  %s", columns[c].heading);
      append_spaces (out, widest - width_of (columns[c].heading) + 2);
      append_wrapped (out, with_unit, widest + 4, style->width);
      g_string_append_c (out, '\n');
    }
}

/* ---- tables ---- */

typedef struct
{
  const FabTable *table;
  gsize  *shown;       /* columns */
  gsize   n_shown;
  gsize  *widths;
  char  **headings;
  char  **cells;       /* n_rows × n_shown */
  gsize   n_rows;
} Grid;

static void
grid_init (Grid *grid, const FabTable *table)
{
  gsize n_columns;
  const FabColumn *columns = fab_table_columns (table, &n_columns);

  *grid = (Grid) { .table = table, .n_rows = fab_table_n_rows (table) };
  grid->shown = g_new (gsize, n_columns);
  for (gsize c = 0; c < n_columns; c++)
    if (is_shown (&columns[c]))
      grid->shown[grid->n_shown++] = c;
  grid->widths = g_new0 (gsize, n_columns);
  grid->headings = g_new0 (char *, n_columns + 1);
  grid->cells = g_new0 (char *, grid->n_rows * grid->n_shown + 1);
  for (gsize i = 0; i < grid->n_shown; i++)
    {
      const FabColumn *column = &columns[grid->shown[i]];

      grid->headings[i] = unit_in_heading (column) ? g_strdup_printf ("%s [%s]", column->heading, column->unit) : g_strdup (column->heading);
      grid->widths[i] = width_of (grid->headings[i]);
      for (gsize row = 0; row < grid->n_rows; row++)
        {
          char *text = cell_text (table, row, grid->shown[i], column->kind);

          grid->cells[row * grid->n_shown + i] = text;
          grid->widths[i] = MAX (grid->widths[i], width_of (text));
        }
    }
}

static void
grid_clear (Grid *grid)
{
  g_strfreev (grid->headings);
  g_strfreev (grid->cells);
  g_free (grid->shown);
  g_free (grid->widths);
}

static void
append_cells (GString *out, const Grid *grid, char **cells, const FabTextStyle *style)
{
  gsize n_columns, at = 2;
  const FabColumn *columns = fab_table_columns (grid->table, &n_columns);

  g_string_append (out, "  ");
  for (gsize i = 0; i < grid->n_shown; i++)
    {
      gboolean left = columns[grid->shown[i]].kind == FAB_CELL_TEXT || columns[grid->shown[i]].kind == FAB_CELL_BOOL;
      gboolean last = i + 1 == grid->n_shown;
      gsize pad = grid->widths[i] - width_of (cells[i]);

      if (!left)
        append_spaces (out, pad);
      append_wrapped (out, cells[i], at, last && style->width >= at + MIN_WRAP ? style->width : 0);
      if (left && !last)
        append_spaces (out, pad);
      if (!last)
        g_string_append (out, "  ");
      at += grid->widths[i] + 2;
    }
  while (out->str[out->len - 1] == ' ')
    g_string_truncate (out, out->len - 1);
  g_string_append_c (out, '\n');
}

static void
append_table (GString *out, const FabTable *table, const FabTextStyle *style)
{
  Grid grid;

  grid_init (&grid, table);
  append_cells (out, &grid, grid.headings, style);
  for (gsize row = 0; row < grid.n_rows; row++)
    append_cells (out, &grid, grid.cells + row * grid.n_shown, style);
  grid_clear (&grid);
}

char *
fab_report_text (const FabAnswer *answer, const FabTextStyle *style)
{
  static const FabTextStyle plain = { .colour = FALSE, .width = 0 };
  GString *out = g_string_new (NULL);
  const char *const *says = fab_answer_says (answer);

  if (style == NULL)
    style = &plain;
  for (guint i = 0; says[i] != NULL; i++)
    {
      append_wrapped (out, says[i], 0, style->width);
      g_string_append_c (out, '\n');
    }
  for (gsize s = 0; s < fab_answer_n_sections (answer); s++)
    {
      const FabSection *section = fab_answer_section (answer, s);

      if (section->title == NULL || fab_table_n_rows (section->table) == 0)
        continue;
      append_title (out, section->title, style);
      if (section->kind == FAB_SECTION_RECORD)
        append_record (out, section->table, style);
      else
        append_table (out, section->table, style);
    }
  return g_string_free (out, FALSE);
}
