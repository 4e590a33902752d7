/* fab-study-sizes.c: a workload at many sizes, in the columns of nccl-tests */
#include "study/fab-run-private.h"

#define ELEMENT_BYTES 4   /* float */

static const FabColumn size_columns[] = {
  { "size_bytes", "size", FAB_CELL_COUNT, "B", "bytes a rank gives", FAB_COLUMN_NAME },
  { "count", "count", FAB_CELL_COUNT, "", "floats that is", 0 },
  { "type", "type", FAB_CELL_TEXT, "", "of an element", 0 },
  { "redop", "redop", FAB_CELL_TEXT, "", "reduction; none where nothing is reduced", 0 },
  { "root", "root", FAB_CELL_COUNT, "", "rank; -1 where there is none", 0 },
  { "time_us", "time", FAB_CELL_NUMBER, "us", "until the last byte is in", 0 },
  { "algbw_gbytes_per_s", "algbw", FAB_CELL_NUMBER, "GB/s", "size over time", 0 },
  { "busbw_gbytes_per_s", "busbw", FAB_CELL_NUMBER, "GB/s", "algbw times the collective's factor", 0 },
  { "engine", "engine", FAB_CELL_TEXT, "", "engine that reckoned it", FAB_COLUMN_HIDDEN },
};

/* ---- MIN:MAX[:FACTOR] ---- */

gboolean
fab__sizes_parse (const char *text, FabSizes *sizes, GError **error)
{
  g_auto (GStrv) fields = g_strsplit (text, ":", -1);
  guint n = g_strv_length (fields);
  guint64 factor = 2;

  if (n < 2 || n > 3 || !fab_units_parse (fields[0], FAB_UNIT_SIZE, &sizes->min_bytes, NULL)
      || !fab_units_parse (fields[1], FAB_UNIT_SIZE, &sizes->max_bytes, NULL) || sizes->min_bytes == 0 || sizes->max_bytes < sizes->min_bytes
      || (n == 3 && !g_ascii_string_to_unsigned (fields[2], 10, 2, G_MAXUINT32, &factor, NULL)))
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "sizes: expected MIN:MAX or MIN:MAX:FACTOR like 8:8GiB:2, got “%s”", text);
      return FALSE;
    }
  sizes->factor = (guint) factor;
  return TRUE;
}

/* ---- the runs ---- */

static gboolean
reduces (const FabWorkloadSpec *workload)
{
  return g_strcmp0 (workload->collective, "allreduce") == 0 || g_strcmp0 (workload->collective, "reducescatter") == 0;
}

static void
add_size (FabTable *table, const FabRun *run)
{
  gint64 time_ps = fab_result_time_ps (run->result);
  guint64 bytes = run->workload->bytes;
  gboolean rooted = g_strcmp0 (run->workload->collective, "broadcast") == 0 || g_strcmp0 (run->workload->pattern, "incast") == 0;

  fab_table_add_row (table);
  fab_table_set_int (table, "size_bytes", (gint64) bytes);
  fab_table_set_int (table, "count", (gint64) (bytes / ELEMENT_BYTES));
  fab_table_set_text (table, "engine", fab_result_engine (run->result));
  fab_table_set_text (table, "type", "float");
  fab_table_set_text (table, "redop", reduces (run->workload) ? "sum" : "none");
  fab_table_set_int (table, "root", rooted ? (gint64) run->workload->root : -1);
  fab_table_set_number (table, "time_us", (double) time_ps / 1e6);
  fab_table_set_number (table, "algbw_gbytes_per_s", fab__run_algbw (run, time_ps));
  if (fab_schedule_busbw_factor (run->schedule) > 0)
    fab_table_set_number (table, "busbw_gbytes_per_s", fab__run_figure (run, time_ps));
}

gboolean
fab__study_sizes (FabAnswer *answer, const FabBuilt *built, const FabWorkloadSpec *workload, const FabSizes *sizes, const FabStudyOptions *options,
                  GError **error)
{
  g_autofree char *path = g_strdup_printf ("workloads.%s.sizes", workload->name);
  g_autofree char *title = g_strdup_printf ("Workload %s by size", workload->name);
  g_autoptr (FabTable) table = fab_table_new (size_columns, G_N_ELEMENTS (size_columns));

  for (guint64 bytes = sizes->min_bytes; bytes <= sizes->max_bytes; bytes *= sizes->factor)
    {
      FabWorkloadSpec sized = *workload;
      FabRun run;

      sized.bytes = bytes;
      if (!fab__run_spec (built, &sized, NULL, options, &run, error))
        return FALSE;
      if (fab_result_complete (run.result))
        add_size (table, &run);
      fab__run_clear (&run);
      if (bytes > G_MAXUINT64 / sizes->factor)
        break;
    }
  fab_answer_add_table (answer, path, title, g_steal_pointer (&table));
  return TRUE;
}
