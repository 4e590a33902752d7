/* fab-collective-permutation.c: every rank to one other at random */
#include "workload/fab-flows-private.h"
#include "base/fab-stream-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__flows_new (task, 1, "permutation");
  g_autoptr (FabStream) stream = fab__stream_new (task->seed, "permutation");
  g_autofree guint32 *to = g_memdup2 (task->ranks, sizeof (guint32) * task->n_ranks);

  fab__stream_shuffle (stream, to, task->n_ranks);
  for (guint32 r = 0; r < task->n_ranks; r++)
    if (to[r] != task->ranks[r])
      fab__flows_add (builder, task, task->ranks[r], to[r], task->bytes);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_permutation = {
  .name = "random",
  .collective = "permutation",
  .summary = "every rank sends to one other, drawn from the seed",
  .busbw_factor = fab__busbw_factor_one,
  .keys = "seed",
  .build = build,
};
