/* fab-collective-allreduce-ring.c: one ring through all ranks in rank order, 2 (n - 1) steps */
#include "workload/fab-ring-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__schedule_builder_new (
    task->n_ranks, task->bytes, fab__busbw_factor_allreduce (task->n_ranks), task->steps ? "steps" : "phases");
  g_autofree guint32 *ends = g_new (guint32, task->n_ranks);
  guint stage = fab__schedule_builder_stage (builder, "ring over all ranks");

  fab__ring_add (builder, task, stage, FAB_RING_ALL_REDUCE, task->ranks, task->n_ranks, task->bytes, NULL, ends);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_allreduce_ring = {
  .name = "ring",
  .collective = "allreduce",
  .summary = "one ring through all ranks in rank order",
  .busbw_factor = fab__busbw_factor_allreduce,
  .build = build,
};
