/* fab-table.c: typed cells in columns that say what they mean */
#include "fab-table.h"
#include <math.h>

typedef struct
{
  gboolean given;
  union
  {
    char  *text;
    gint64 integer;    /* BOOL, COUNT, TIME, RATE, GOODPUT, SIZE */
    double number;     /* NUMBER, SHARE */
  } value;
} Cell;

struct _FabTable
{
  const FabColumn *columns;
  gsize            n_columns;
  GArray          *cells;      /* Cell, row-major */
};

FabTable *
fab_table_new (const FabColumn *columns, gsize n_columns)
{
  FabTable *table = g_atomic_rc_box_new0 (FabTable);

  table->columns = columns;
  table->n_columns = n_columns;
  table->cells = g_array_new (FALSE, TRUE, sizeof (Cell));
  return table;
}

FabTable *
fab_table_ref (FabTable *table)
{
  return g_atomic_rc_box_acquire (table);
}

static void
table_clear (gpointer data)
{
  FabTable *table = data;

  for (guint i = 0; i < table->cells->len; i++)
    if (table->columns[i % table->n_columns].kind == FAB_CELL_TEXT)
      g_free (g_array_index (table->cells, Cell, i).value.text);
  g_array_unref (table->cells);
}

void
fab_table_unref (FabTable *table)
{
  if (table != NULL)
    g_atomic_rc_box_release_full (table, table_clear);
}

void
fab_table_add_row (FabTable *table)
{
  g_array_set_size (table->cells, table->cells->len + (guint) table->n_columns);
}

/* The cell of the last row under @key, marked as given. */
static Cell *
last_cell (FabTable *table, const char *key, gsize *column)
{
  g_return_val_if_fail (table->cells->len > 0, NULL);
  for (gsize c = 0; c < table->n_columns; c++)
    if (g_str_equal (table->columns[c].key, key))
      {
        Cell *cell = &g_array_index (table->cells, Cell, table->cells->len - table->n_columns + c);

        *column = c;
        return cell;
      }
  g_critical ("no column “%s”", key);
  return NULL;
}

void
fab_table_set_text (FabTable *table, const char *key, const char *value)
{
  gsize column;
  Cell *cell = last_cell (table, key, &column);

  g_return_if_fail (cell != NULL && table->columns[column].kind == FAB_CELL_TEXT);
  if (value == NULL)
    return;
  g_free (cell->value.text);
  cell->value.text = g_strdup (value);
  cell->given = TRUE;
}

void
fab_table_set_bool (FabTable *table, const char *key, gboolean value)
{
  gsize column;
  Cell *cell = last_cell (table, key, &column);

  g_return_if_fail (cell != NULL && table->columns[column].kind == FAB_CELL_BOOL);
  cell->value.integer = value ? 1 : 0;
  cell->given = TRUE;
}

static gboolean
is_integer (FabCellKind kind)
{
  return kind == FAB_CELL_COUNT || kind == FAB_CELL_TIME || kind == FAB_CELL_RATE || kind == FAB_CELL_GOODPUT || kind == FAB_CELL_SIZE;
}

void
fab_table_set_int (FabTable *table, const char *key, gint64 value)
{
  gsize column;
  Cell *cell = last_cell (table, key, &column);

  g_return_if_fail (cell != NULL && is_integer (table->columns[column].kind));
  cell->value.integer = value;
  cell->given = TRUE;
}

void
fab_table_set_number (FabTable *table, const char *key, double value)
{
  gsize column;
  Cell *cell = last_cell (table, key, &column);

  g_return_if_fail (cell != NULL && (table->columns[column].kind == FAB_CELL_NUMBER || table->columns[column].kind == FAB_CELL_SHARE));
  cell->value.number = value;
  cell->given = isfinite (value);
}

/* ---- reading ---- */

const FabColumn *
fab_table_columns (const FabTable *table, gsize *n_columns)
{
  *n_columns = table->n_columns;
  return table->columns;
}

gsize
fab_table_n_rows (const FabTable *table)
{
  return table->cells->len / table->n_columns;
}

static const Cell *
cell_at (const FabTable *table, gsize row, gsize column)
{
  g_return_val_if_fail (row < fab_table_n_rows (table) && column < table->n_columns, NULL);
  return &g_array_index (table->cells, Cell, row * table->n_columns + column);
}

gboolean
fab_table_is_null (const FabTable *table, gsize row, gsize column)
{
  return !cell_at (table, row, column)->given;
}

const char *
fab_table_text (const FabTable *table, gsize row, gsize column)
{
  g_return_val_if_fail (table->columns[column].kind == FAB_CELL_TEXT, NULL);
  return cell_at (table, row, column)->value.text;
}

gboolean
fab_table_bool (const FabTable *table, gsize row, gsize column)
{
  return cell_at (table, row, column)->value.integer != 0;
}

gint64
fab_table_int (const FabTable *table, gsize row, gsize column)
{
  return cell_at (table, row, column)->value.integer;
}

double
fab_table_number (const FabTable *table, gsize row, gsize column)
{
  const Cell *cell = cell_at (table, row, column);

  if (!cell->given)
    return NAN;
  switch (table->columns[column].kind)
    {
    case FAB_CELL_COUNT:
    case FAB_CELL_SIZE:
      return (double) cell->value.integer;
    case FAB_CELL_TIME:
      return (double) cell->value.integer / 1e3;
    case FAB_CELL_RATE:
      return (double) cell->value.integer / 1e9;
    case FAB_CELL_GOODPUT:
      return (double) cell->value.integer / 8e9;
    case FAB_CELL_NUMBER:
    case FAB_CELL_SHARE:
      return cell->value.number;
    default:
      return NAN;
    }
}
