/* fab-collective-uniform.c: every rank to all others alike */
#include "workload/fab-flows-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__flows_new (task, fab__busbw_factor_none (task->n_ranks), "uniform");

  fab__schedule_builder_expect (builder, (guint64) task->n_ranks * (task->n_ranks - 1));
  for (guint32 from = 0; from < task->n_ranks; from++)
    for (guint32 to = 0; to < task->n_ranks; to++)
      if (from != to)
        fab__flows_add (builder, task, task->ranks[from], task->ranks[to],
                        fab__chunk_bytes (task->bytes, task->n_ranks - 1, to - (to > from ? 1 : 0)));
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_uniform = {
  .name = "direct",
  .collective = "uniform",
  .summary = "every rank shares its bytes out evenly among all others",
  .busbw_factor = fab__busbw_factor_none,
  .build = build,
};
