/* fab-collective-allreduce-hierarchical.c: reduce-scatter in each node, all-reduce of each shard among the nodes, all-gather in each
 * node
 *
 * GPU l of every node works on the same shard, so with rails local to their GPUs the middle stage stays on one rail: it never
 * crosses the spine. Pipelined, pieces flow through the three stages at once: as phases all stages run side by side, and what counts
 * is the busiest link; as steps each piece follows the one before it through each stage.
 */
#include "workload/fab-grid-private.h"
#include "workload/fab-node-stage-private.h"
#include "fab-error.h"

typedef struct
{
  FabScheduleBuilder      *builder;
  const FabCollectiveTask *task;
  FabGrid                  grid;
  guint                    scatter, among, gather;   /* stages */
} Build;

static gboolean
add_node_stage (const Build *build, guint stage, FabRingParts parts, guint64 bytes, const guint32 *starts, guint32 *ends, GError **error)
{
  for (guint32 node = 0; node < build->grid.n_nodes; node++)
    {
      guint32 first = node * build->grid.n_local;

      if (!fab__node_stage_add (build->builder, build->task, stage, parts, build->grid.ranks + first, build->grid.n_local, bytes,
                                starts != NULL ? starts + first : NULL, ends + first, error))
        return FALSE;
    }
  return TRUE;
}

static void
add_rail_stage (const Build *build, guint64 bytes, const guint32 *starts, guint32 *ends)
{
  const FabGrid *grid = &build->grid;
  g_autofree guint32 *members = g_new (guint32, grid->n_nodes);
  g_autofree guint32 *member_starts = g_new (guint32, grid->n_nodes);
  g_autofree guint32 *member_ends = g_new (guint32, grid->n_nodes);

  for (guint32 local = 0; local < grid->n_local; local++)
    {
      guint64 shard_bytes = fab__node_stage_shard (build->task, grid->ranks, grid->n_local, local, bytes);

      for (guint32 node = 0; node < grid->n_nodes; node++)
        {
          members[node] = grid->ranks[node * grid->n_local + local];
          member_starts[node] = starts != NULL ? starts[node * grid->n_local + local] : FAB_NONE;
        }
      fab__ring_add (build->builder, build->task, build->among, FAB_RING_ALL_REDUCE, members, grid->n_nodes, shard_bytes, member_starts, member_ends);
      for (guint32 node = 0; node < grid->n_nodes; node++)
        ends[node * grid->n_local + local] = member_ends[node];
    }
}

/* The three stages side by side, or each after the one before. */
static gboolean
add_whole (const Build *build, GError **error)
{
  guint32 n = build->task->n_ranks;
  g_autofree guint32 *scattered = g_new (guint32, n);
  g_autofree guint32 *reduced = g_new (guint32, n);
  g_autofree guint32 *gathered = g_new (guint32, n);
  gboolean chained = !build->task->pipelined;

  if (!add_node_stage (build, build->scatter, FAB_RING_REDUCE_SCATTER, build->task->bytes, NULL, scattered, error))
    return FALSE;
  add_rail_stage (build, build->task->bytes, chained ? scattered : NULL, reduced);
  return add_node_stage (build, build->gather, FAB_RING_ALL_GATHER, build->task->bytes, chained ? reduced : NULL, gathered, error);
}

/* @starts[r] := after both @a[r] and what the piece before left in @starts[r]. */
static void
join_with_piece_before (const Build *build, const guint32 *a, guint32 *starts)
{
  for (guint32 r = 0; r < build->task->n_ranks; r++)
    {
      guint32 needs[2] = { a[r], starts[r] };
      FabOp join = { .kind = FAB_OP_JOIN, .src = build->task->ranks[r] };

      if (a[r] == FAB_NONE || starts[r] == FAB_NONE || a[r] == starts[r])
        starts[r] = a[r] != FAB_NONE ? a[r] : starts[r];
      else
        starts[r] = fab__schedule_builder_add (build->builder, join, needs, 2);
    }
}

/* Piece by piece: each stage of a piece waits for the stage before and for the piece before. */
static gboolean
add_pieces (const Build *build, GError **error)
{
  guint32 n = build->task->n_ranks, n_pieces = fab__collective_n_pieces (build->task, build->task->bytes);
  g_autofree guint32 *rows = g_new (guint32, 3 * (gsize) n);
  guint32 *scattered = rows, *reduced = rows + n, *gathered = rows + 2 * (gsize) n;

  memset (rows, 0xff, sizeof (guint32) * 3 * n);
  for (guint32 piece = 0; piece < n_pieces; piece++)
    {
      guint64 bytes = fab__chunk_bytes (build->task->bytes, n_pieces, piece);

      if (!add_node_stage (build, build->scatter, FAB_RING_REDUCE_SCATTER, bytes, scattered, scattered, error))
        return FALSE;
      join_with_piece_before (build, scattered, reduced);
      add_rail_stage (build, bytes, reduced, reduced);
      join_with_piece_before (build, reduced, gathered);
      if (!add_node_stage (build, build->gather, FAB_RING_ALL_GATHER, bytes, gathered, gathered, error))
        return FALSE;
    }
  return TRUE;
}

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = NULL;
  Build build = { .task = task };

  if (!fab__grid_init (&build.grid, task, "hierarchical", error))
    return NULL;
  builder = fab__schedule_builder_new (task->n_ranks, task->bytes, fab__busbw_factor_allreduce (task->n_ranks),
                                       task->steps ? "steps" : "phases");
  build.builder = builder;
  build.scatter = fab__schedule_builder_stage (builder, "reduce-scatter in each node");
  build.among = fab__schedule_builder_stage (builder, "all-reduce among the nodes");
  build.gather = fab__schedule_builder_stage (builder, "all-gather in each node");
  if (!(task->pipelined && task->steps ? add_pieces (&build, error) : add_whole (&build, error)))
    return NULL;
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_allreduce_hierarchical = {
  .name = "hierarchical",
  .collective = "allreduce",
  .summary = "reduce-scatter in each node, all-reduce of each shard along its rail, all-gather in each node",
  .busbw_factor = fab__busbw_factor_allreduce,
  .keys = "form node_stage pieces pipelined reduce_rate",
  .build = build,
};
