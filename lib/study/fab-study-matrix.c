/* fab-study-matrix.c: who sends how much to whom */
#include "study/fab-run-private.h"

typedef struct { guint32 from, to; guint64 bytes; } Sent;

static const FabColumn matrix_columns[] = {
  { "from", "from", FAB_CELL_TEXT, "", "sender", 0 },
  { "to", "to", FAB_CELL_TEXT, "", "receiver", 0 },
  { "sent_bytes", "sends", FAB_CELL_SIZE, "B", "in all", 0 },
  { "transfers", "transfers", FAB_CELL_COUNT, "", "of which that is the sum; of a phase, each edge is one", 0 },
};

static int
compare (gconstpointer a, gconstpointer b)
{
  const Sent *left = a, *right = b;

  if (left->from != right->from)
    return left->from < right->from ? -1 : 1;
  return left->to < right->to ? -1 : left->to > right->to ? 1 : 0;
}

/* Sorted by sender and receiver: devices, or nodes (between which alone). */
static GArray *
gather (const FabTopology *topology, const FabSchedule *schedule, FabMatrix matrix)
{
  const FabOp *ops = fab_schedule_ops (schedule);
  GArray *sent = g_array_new (FALSE, FALSE, sizeof (Sent));

  for (guint32 op = 0; op < fab_schedule_n_ops (schedule); op++)
    {
      Sent row = { .from = ops[op].src, .to = ops[op].dst, .bytes = ops[op].bytes };

      if (ops[op].kind != FAB_OP_TRANSFER || ops[op].bytes == 0)
        continue;
      if (matrix == FAB_MATRIX_NODES)
        {
          row.from = fab_topology_device (topology, row.from)->node;
          row.to = fab_topology_device (topology, row.to)->node;
        }
      if (row.from != row.to)
        g_array_append_val (sent, row);
    }
  g_array_sort (sent, compare);
  return sent;
}

static void
set_end (FabTable *table, const char *key, const FabTopology *topology, guint32 row, FabMatrix matrix)
{
  g_autofree char *address = matrix == FAB_MATRIX_NODES ? g_strdup (fab_topology_node (topology, row)->name) : fab_topology_device_address (topology, row);

  fab_table_set_text (table, key, address);
}

void
fab__study_matrix (FabAnswer *answer, const FabBuilt *built, const FabRun *run, FabMatrix matrix)
{
  g_autofree char *path = g_strdup_printf ("workloads.%s.matrix", run->workload->name);
  g_autofree char *title = g_strdup_printf ("Workload %s: who sends how much to whom", run->workload->name);
  g_autoptr (GArray) sent = gather (built->topology, run->schedule, matrix);
  FabTable *table = fab_table_new (matrix_columns, G_N_ELEMENTS (matrix_columns));

  for (guint i = 0, end; i < sent->len; i = end)
    {
      const Sent *first = &g_array_index (sent, Sent, i);
      guint64 bytes = 0;

      for (end = i; end < sent->len && compare (first, &g_array_index (sent, Sent, end)) == 0; end++)
        bytes += g_array_index (sent, Sent, end).bytes;
      fab_table_add_row (table);
      set_end (table, "from", built->topology, first->from, matrix);
      set_end (table, "to", built->topology, first->to, matrix);
      fab_table_set_int (table, "sent_bytes", (gint64) bytes);
      fab_table_set_int (table, "transfers", end - i);
    }
  fab_answer_add_table (answer, path, title, table);
}

gboolean
fab__matrix_parse (const char *text, FabMatrix *matrix, GError **error)
{
  static const char *const names[] = { "none", "node", "gpu", NULL };

  for (guint i = 0; names[i] != NULL; i++)
    if (g_strcmp0 (text != NULL ? text : "none", names[i]) == 0)
      {
        *matrix = (FabMatrix) i;
        return TRUE;
      }
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "matrix: expected node or gpu, got “%s”", text);
  return FALSE;
}
