/* fab-collective-to-storage.c: every rank writes its part to the storage servers, dealt out in turn */
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (GArray) servers = fab__flows_storage (task, error);
  g_autoptr (FabScheduleBuilder) builder = fab__flows_new (task, 0, "write to storage");

  if (servers == NULL)
    return NULL;
  for (guint32 r = 0; r < task->n_ranks; r++)
    fab__flows_add (builder, task, task->ranks[r], g_array_index (servers, guint32, r % servers->len),
                    fab__chunk_bytes (task->bytes, task->n_ranks, r));
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_to_storage = {
  .name = "direct",
  .collective = "to-storage",
  .summary = "the ranks write `bytes` in all, in equal parts, to the nodes without GPUs on the plane",
  .busbw_factor = fab__busbw_factor_none,
  .build = build,
};
