/* fab-collective-sendrecv-ring.c: every rank to its neighbour, as nccl-tests sendrecv does */
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__flows_new (task, 1, "send to the next rank");

  for (guint32 r = 0; r < task->n_ranks; r++)
    fab__flows_add (builder, task, task->ranks[r], task->ranks[(r + 1) % task->n_ranks], task->bytes);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_sendrecv_ring = {
  .name = "ring",
  .collective = "sendrecv",
  .summary = "every rank sends to the next in rank order",
  .busbw_factor = fab__busbw_factor_one,
  .build = build,
};
