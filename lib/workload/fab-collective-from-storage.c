/* fab-collective-from-storage.c: every rank reads its part from the storage servers, dealt out in turn */
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (GArray) servers = fab__flows_storage (task, error);
  g_autoptr (FabScheduleBuilder) builder = fab__flows_new (task, 0, "read from storage");

  if (servers == NULL)
    return NULL;
  for (guint32 r = 0; r < task->n_ranks; r++)
    fab__flows_add (builder, task, g_array_index (servers, guint32, r % servers->len), task->ranks[r],
                    fab__chunk_bytes (task->bytes, task->n_ranks, r));
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_from_storage = {
  .name = "direct",
  .collective = "from-storage",
  .summary = "the ranks read `bytes` in all, in equal parts, from the nodes without GPUs on the plane",
  .busbw_factor = fab__busbw_factor_none,
  .build = build,
};
