/* fab-collective-broadcast-chain.c: a pipelined chain from the root through all ranks */
#include "workload/fab-flows-private.h"
#include "fab-error.h"

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__schedule_builder_new (task->n_ranks, task->bytes, 1, "phases");
  FabOp phase = { .kind = FAB_OP_PHASE, .src = task->ranks[0], .n_flows = task->n_ranks - 1, .n_steps = task->n_ranks - 1 };

  if (task->steps)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNSUPPORTED, "broadcast: expected form: phases, got steps");
      return NULL;
    }
  fab__schedule_builder_stage (builder, "chain from the root");
  for (guint32 i = 0; i + 1 < task->n_ranks; i++)
    {
      FabOp op = {
        .kind = FAB_OP_TRANSFER, .bytes = task->bytes, .src = task->ranks[(task->root + i) % task->n_ranks],
        .dst = task->ranks[(task->root + i + 1) % task->n_ranks], .plane = task->plane, .sl = task->sl, .in_phase = TRUE,
      };

      fab__schedule_builder_add (builder, op, NULL, 0);
    }
  fab__schedule_builder_add (builder, phase, NULL, 0);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_broadcast_chain = {
  .name = "chain",
  .collective = "broadcast",
  .summary = "the bytes flow from rank `root` through all ranks in order, chunk by chunk",
  .busbw_factor = fab__busbw_factor_one,
  .keys = "root",
  .build = build,
};
