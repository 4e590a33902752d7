/* fab-collective-reducescatter-ring.c: reduce-scatter around one ring */
#include "workload/fab-ring-private.h"
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  double factor = fab__busbw_factor_part (task->n_ranks);
  g_autoptr (FabScheduleBuilder) builder = fab__schedule_builder_new (task->n_ranks, task->bytes, factor, task->steps ? "steps" : "phases");
  g_autofree guint32 *ends = g_new (guint32, task->n_ranks);
  guint stage = fab__schedule_builder_stage (builder, "ring over all ranks");

  fab__ring_add (builder, task, stage, FAB_RING_REDUCE_SCATTER, task->ranks, task->n_ranks, task->bytes, NULL, ends);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_reducescatter_ring = {
  .name = "ring",
  .collective = "reducescatter",
  .summary = "one ring through all ranks in rank order, n - 1 steps",
  .busbw_factor = fab__busbw_factor_part,
  .build = build,
};
