/* fab-table.h - typed columns and rows: what every answer is made of
 *
 * A column says its key (which ends in its unit), its heading, unit and meaning once; text, JSON, CSV, the metrics and the
 * docs all read them there.
 */
#pragma once
#include "fab-macros.h"

G_BEGIN_DECLS

/* How a cell is stored → how JSON and CSV print it / how text prints it. */
typedef enum
{
  FAB_CELL_TEXT,     /* text → "text" / text */
  FAB_CELL_BOOL,     /* bool → true / yes */
  FAB_CELL_COUNT,    /* gint64 → 1234 / 1234 */
  FAB_CELL_NUMBER,   /* double → shortest / four significant figures */
  FAB_CELL_SHARE,    /* double 0…1 → shortest / "80.3 %" */
  FAB_CELL_TIME,     /* gint64 ps → nanoseconds, key ends in _ns / "106.6 ms" */
  FAB_CELL_RATE,     /* guint64 bps → Gb/s, key ends in _gbps / "200" under a heading that says Gb/s */
  FAB_CELL_GOODPUT,  /* guint64 bps → GB/s, key ends in _gbytes_per_s / "24.84" */
  FAB_CELL_SIZE,     /* guint64 bytes → bytes, key ends in _bytes / "1 GiB" */
} FabCellKind;

typedef enum
{
  FAB_COLUMN_NAME   = 1 << 0,   /* the row's name: in metric keys it stands for the row */
  FAB_COLUMN_HIDDEN = 1 << 1,   /* not in text: JSON and CSV only */
  FAB_COLUMN_METRIC = 1 << 2,   /* each row's number is a metric */
  FAB_COLUMN_LOWER  = 1 << 3,   /* of a metric: smaller is better */
  FAB_COLUMN_HIGHER = 1 << 4,   /* of a metric: larger is better */
} FabColumnFlags;

typedef struct
{
  const char    *key;       /* "busbw_gbytes_per_s" */
  const char    *heading;   /* "busbw" */
  FabCellKind    kind;
  const char    *unit;      /* "GB/s"; "" where there is none */
  const char    *meaning;   /* a sentence */
  FabColumnFlags flags;
} FabColumn;

typedef struct _FabTable FabTable;

/* @columns are static and borrowed. */
FAB_API FabTable *fab_table_new  (const FabColumn *columns, gsize n_columns);
FAB_API FabTable *fab_table_ref  (FabTable *table);
FAB_API void      fab_table_unref (FabTable *table);

/* A new row of nulls; the setters below fill the row added last. A wrong kind for the column is the caller's bug. Texts are copied. */
FAB_API void fab_table_add_row   (FabTable *table);
FAB_API void fab_table_set_text  (FabTable *table, const char *key, const char *value);    /* NULL: stays null */
FAB_API void fab_table_set_bool  (FabTable *table, const char *key, gboolean value);
FAB_API void fab_table_set_int   (FabTable *table, const char *key, gint64 value);         /* COUNT, TIME (ps), RATE, GOODPUT (bps), SIZE (bytes) */
FAB_API void fab_table_set_number (FabTable *table, const char *key, double value);        /* NUMBER, SHARE; non-finite becomes null */

FAB_API const FabColumn *fab_table_columns (const FabTable *table, gsize *n_columns);
FAB_API gsize            fab_table_n_rows  (const FabTable *table);
FAB_API gboolean         fab_table_is_null (const FabTable *table, gsize row, gsize column);
FAB_API const char      *fab_table_text    (const FabTable *table, gsize row, gsize column);   /* of TEXT; NULL: null */
FAB_API gboolean         fab_table_bool    (const FabTable *table, gsize row, gsize column);
FAB_API gint64           fab_table_int     (const FabTable *table, gsize row, gsize column);
/* The number as JSON prints it (ns, Gb/s, GB/s …); NaN for null, texts and bools. */
FAB_API double           fab_table_number  (const FabTable *table, gsize row, gsize column);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabTable, fab_table_unref)

G_END_DECLS
