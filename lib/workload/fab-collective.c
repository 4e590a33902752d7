/* fab-collective.c: the table of collectives, and the arithmetic they share */
#include "workload/fab-schedule-private.h"
#include "fab-error.h"

#define PIECE_BYTES (512u << 10)   /* NCCL's steps: a 4 MiB buffer in 8 (src/include/device.h, NCCL_STEPS) */
#define MOST_PIECES 32

const FabCollective *
fab__collective_lookup (const char *collective, const char *algorithm, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  gboolean known_collective = FALSE;

  for (guint i = 0; fab__collectives[i] != NULL; i++)
    known_collective |= g_str_equal (fab__collectives[i]->collective, collective);

  for (guint i = 0; fab__collectives[i] != NULL; i++)
    {
      const FabCollective *row = fab__collectives[i];

      if (g_str_equal (row->collective, collective) && (algorithm == NULL || g_str_equal (row->name, algorithm)))
        return row;
      if (!known_collective || g_str_equal (row->collective, collective))
        g_string_append_printf (known, "%s%s %s", known->len > 0 ? ", " : "", row->collective, row->name);
    }
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected one of %s; got “%s%s%s”", known->str, collective,
               algorithm != NULL ? " " : "", algorithm != NULL ? algorithm : "");
  return NULL;
}

guint32
fab__collective_n_pieces (const FabCollectiveTask *task, guint64 bytes)
{
  guint64 usual = CLAMP (bytes / PIECE_BYTES, 1, MOST_PIECES);

  return (guint32) MIN (task->pieces > 0 ? task->pieces : usual, MAX (bytes, 1));
}

guint64
fab__chunk_bytes (guint64 bytes, guint32 n_chunks, guint32 chunk)
{
  return bytes / n_chunks + (chunk < bytes % n_chunks ? 1 : 0);
}
