/* fab-collective-shift.c: rank i to rank i + by */
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__flows_new (task, 1, "shift");

  for (guint32 r = 0; r < task->n_ranks; r++)
    if (task->by % task->n_ranks != 0)
      fab__flows_add (builder, task, task->ranks[r], task->ranks[(r + task->by) % task->n_ranks], task->bytes);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_shift = {
  .name = "direct",
  .collective = "shift",
  .summary = "rank i sends to rank i + `by`",
  .busbw_factor = fab__busbw_factor_one,
  .keys = "by",
  .build = build,
};
