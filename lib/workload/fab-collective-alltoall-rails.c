/* fab-collective-alltoall-rails.c: all to all without crossing rails
 *
 * What rank l of a node sends to local rank k of other nodes first goes to rank k of its own node, and from there along one rail, all
 * of the node's bytes for that rank together (NCCL's PXN does so).
 */
#include "workload/fab-grid-private.h"
#include "workload/fab-flows-private.h"

/* Inside a node: to each other member what it will send on, and what it keeps. Returns the row after which @member has all of it. */
static guint32
gather_for (FabScheduleBuilder *builder, const FabCollectiveTask *task, const FabGrid *grid, guint32 node, guint32 member)
{
  g_autofree guint32 *arrivals = g_new (guint32, grid->n_local);
  const guint32 *ranks = grid->ranks + (gsize) node * grid->n_local;
  FabOp join = { .kind = FAB_OP_JOIN, .src = ranks[member] };
  guint64 bytes = 0;
  guint n = 0;

  for (guint32 to = 0; to < grid->n_nodes; to++)
    bytes += fab__chunk_bytes (task->bytes, task->n_ranks, to * grid->n_local + member);
  for (guint32 local = 0; local < grid->n_local; local++)
    {
      FabOp op = { .kind = FAB_OP_TRANSFER, .bytes = bytes, .src = ranks[local], .dst = ranks[member], .plane = task->plane, .sl = task->sl };

      if (local != member)
        arrivals[n++] = fab__schedule_builder_add (builder, op, NULL, 0);
    }
  return n > 0 ? fab__schedule_builder_add (builder, join, arrivals, n) : FAB_NONE;
}

static void
send_along_rail (FabScheduleBuilder *builder, const FabCollectiveTask *task, const FabGrid *grid, guint32 node, guint32 member, guint stage, guint32 need)
{
  for (guint32 to = 0; to < grid->n_nodes; to++)
    {
      FabOp op = {
        .kind = FAB_OP_TRANSFER, .bytes = grid->n_local * fab__chunk_bytes (task->bytes, task->n_ranks, to * grid->n_local + member),
        .src = grid->ranks[(gsize) node * grid->n_local + member], .dst = grid->ranks[(gsize) to * grid->n_local + member],
        .plane = task->plane, .sl = task->sl, .stage = (guint16) stage,
      };

      if (to != node)
        fab__schedule_builder_add (builder, op, &need, need != FAB_NONE ? 1 : 0);
    }
}

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = NULL;
  FabGrid grid;
  guint rails;

  if (!fab__grid_init (&grid, task, "rails", error))
    return NULL;
  builder = fab__flows_new (task, fab__busbw_factor_part (task->n_ranks), "to the member on the rail");
  rails = fab__schedule_builder_stage (builder, "along the rails");
  fab__schedule_builder_expect (builder, (guint64) task->n_ranks * (grid.n_local + grid.n_nodes));
  for (guint32 node = 0; node < grid.n_nodes; node++)
    for (guint32 member = 0; member < grid.n_local; member++)
      send_along_rail (builder, task, &grid, node, member, rails, gather_for (builder, task, &grid, node, member));
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_alltoall_rails = {
  .name = "rails",
  .collective = "alltoall",
  .summary = "first inside each node to the member on the receiver's rail, then along the rails",
  .busbw_factor = fab__busbw_factor_part,
  .build = build,
};
