/* fab-collective-allgather-ring.c: all-gather around one ring */
#include "workload/fab-ring-private.h"
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  double factor = fab__busbw_factor_part (task->n_ranks);
  g_autoptr (FabScheduleBuilder) builder = fab__schedule_builder_new (task->n_ranks, task->bytes, factor, task->steps ? "steps" : "phases");

  fab__rings_add (builder, task, FAB_RING_ALL_GATHER);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_allgather_ring = {
  .name = "ring",
  .collective = "allgather",
  .summary = "a ring through all ranks in rank order, or one a channel, n - 1 steps",
  .busbw_factor = fab__busbw_factor_part,
  .keys = "channels form",
  .build = build,
};
