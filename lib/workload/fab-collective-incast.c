/* fab-collective-incast.c: all ranks to one */
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__flows_new (task, 0, "incast");

  for (guint32 r = 0; r < task->n_ranks; r++)
    if (r != task->root % task->n_ranks)
      fab__flows_add (builder, task, task->ranks[r], task->ranks[task->root % task->n_ranks], task->bytes);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_incast = {
  .name = "direct",
  .collective = "incast",
  .summary = "all ranks send to rank `root`",
  .busbw_factor = fab__busbw_factor_none,
  .keys = "root",
  .build = build,
};
