/* fab-collective-allreduce-ring.c: a ring through all ranks in rank order, or one a channel, 2 (n - 1) steps */
#include "workload/fab-ring-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__schedule_builder_new (
    task->n_ranks, task->bytes, fab__busbw_factor_allreduce (task->n_ranks), task->steps ? "steps" : "phases");

  fab__rings_add (builder, task, FAB_RING_ALL_REDUCE);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_allreduce_ring = {
  .name = "ring",
  .collective = "allreduce",
  .summary = "a ring through all ranks in rank order, or one a channel",
  .busbw_factor = fab__busbw_factor_allreduce,
  .keys = "channels form reduce_rate",
  .build = build,
};
