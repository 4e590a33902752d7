/* fab-collective-reducescatter-ring.c: reduce-scatter around one ring */
#include "workload/fab-ring-private.h"
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  double factor = fab__busbw_factor_part (task->n_ranks);
  g_autoptr (FabScheduleBuilder) builder = fab__schedule_builder_new (task->n_ranks, task->bytes, factor, task->steps ? "steps" : "phases");

  fab__rings_add (builder, task, FAB_RING_REDUCE_SCATTER);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_reducescatter_ring = {
  .name = "ring",
  .collective = "reducescatter",
  .summary = "a ring through all ranks in rank order, or one a channel, n - 1 steps",
  .busbw_factor = fab__busbw_factor_part,
  .keys = "channels form reduce_rate",
  .build = build,
};
