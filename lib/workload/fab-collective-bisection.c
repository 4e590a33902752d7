/* fab-collective-bisection.c: two random halves, paired, each pair both ways */
#include "workload/fab-flows-private.h"
#include "base/fab-stream-private.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__flows_new (task, 1, "bisection");
  g_autoptr (FabStream) stream = fab__stream_new (task->seed, "bisection");
  g_autofree guint32 *order = g_memdup2 (task->ranks, sizeof (guint32) * task->n_ranks);

  fab__stream_shuffle (stream, order, task->n_ranks);
  for (guint32 i = 0; i + 1 < task->n_ranks; i += 2)
    {
      fab__flows_add (builder, task, order[i], order[i + 1], task->bytes);
      fab__flows_add (builder, task, order[i + 1], order[i], task->bytes);
    }
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_bisection = {
  .name = "random",
  .collective = "bisection",
  .summary = "ranks in pairs across two random halves, drawn from the seed; pairs send both ways",
  .busbw_factor = fab__busbw_factor_one,
  .keys = "seed",
  .build = build,
};
