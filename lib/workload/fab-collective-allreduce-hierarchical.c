/* fab-collective-allreduce-hierarchical.c: reduce-scatter in each node, all-reduce of each shard among the nodes, all-gather in each
 * node
 *
 * GPU l of every node works on the same shard, so with rails local to their GPUs the middle stage stays on one rail: it never
 * crosses the spine. Pipelined, chunks flow through the three stages at once, and what counts is the busiest link.
 */
#include "workload/fab-ring-private.h"
#include "fab-error.h"

/* Ranks as a grid: row = node in rank order, column = local index. */
typedef struct
{
  const guint32 *ranks;
  guint32        n_nodes, n_local;
} Grid;

static guint32
node_of (const FabCollectiveTask *task, guint32 rank)
{
  return fab_topology_device (task->topology, task->ranks[rank])->node;
}

static gboolean
grid_of (const FabCollectiveTask *task, Grid *grid, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint32 n_local = 1;

  while (n_local < task->n_ranks && node_of (task, n_local) == node_of (task, 0))
    n_local++;

  for (guint32 r = 0; r < task->n_ranks; r++)
    {
      guint32 leader = r - r % n_local;
      guint32 node = node_of (task, r);

      if (task->n_ranks % n_local != 0 || node != node_of (task, leader)
          || (r == leader && !g_hash_table_add (seen, GUINT_TO_POINTER (node))))
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE,
                       "hierarchical: expected as many ranks on every node as on the first (%u), node by node; “%s” differs", n_local,
                       fab_topology_node (task->topology, node)->name);
          return FALSE;
        }
    }
  *grid = (Grid) { .ranks = task->ranks, .n_nodes = task->n_ranks / n_local, .n_local = n_local };
  return TRUE;
}

static void
add_node_stage (FabScheduleBuilder *builder, const FabCollectiveTask *task, const Grid *grid, const char *name,
                FabRingParts parts, const guint32 *starts, guint32 *ends)
{
  guint stage = fab__schedule_builder_stage (builder, name);

  for (guint32 node = 0; node < grid->n_nodes; node++)
    {
      guint32 first = node * grid->n_local;

      fab__ring_add (builder, task, stage, parts, grid->ranks + first, grid->n_local, task->bytes,
                     starts != NULL ? starts + first : NULL, ends + first);
    }
}

static void
add_rail_stage (FabScheduleBuilder *builder, const FabCollectiveTask *task, const Grid *grid, const guint32 *starts, guint32 *ends)
{
  guint stage = fab__schedule_builder_stage (builder, "all-reduce among the nodes");
  g_autofree guint32 *members = g_new (guint32, grid->n_nodes);
  g_autofree guint32 *member_starts = g_new (guint32, grid->n_nodes);
  g_autofree guint32 *member_ends = g_new (guint32, grid->n_nodes);

  for (guint32 local = 0; local < grid->n_local; local++)
    {
      /* The chunk this GPU holds after the node's reduce-scatter. */
      guint64 shard_bytes = fab__chunk_bytes (task->bytes, grid->n_local, (local + 1) % grid->n_local);

      for (guint32 node = 0; node < grid->n_nodes; node++)
        {
          members[node] = grid->ranks[node * grid->n_local + local];
          member_starts[node] = starts != NULL ? starts[node * grid->n_local + local] : FAB_NONE;
        }
      fab__ring_add (builder, task, stage, FAB_RING_ALL_REDUCE, members, grid->n_nodes, shard_bytes, member_starts, member_ends);
      for (guint32 node = 0; node < grid->n_nodes; node++)
        ends[node * grid->n_local + local] = member_ends[node];
    }
}

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = NULL;
  g_autofree guint32 *scattered = g_new (guint32, task->n_ranks);
  g_autofree guint32 *reduced = g_new (guint32, task->n_ranks);
  g_autofree guint32 *gathered = g_new (guint32, task->n_ranks);
  Grid grid;

  if (!g_str_equal (task->node_stage, "ring"))
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "node_stage: expected ring, got “%s”", task->node_stage);
      return NULL;
    }
  if (task->pipelined && task->steps)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNSUPPORTED, "pipelined: expected form: phases with pipelined: true, got form: steps");
      return NULL;
    }
  if (!grid_of (task, &grid, error))
    return NULL;

  builder = fab__schedule_builder_new (task->n_ranks, task->bytes, fab__busbw_factor_allreduce (task->n_ranks),
                                       task->steps ? "steps" : "phases");
  add_node_stage (builder, task, &grid, "reduce-scatter in each node", FAB_RING_REDUCE_SCATTER, NULL, scattered);
  add_rail_stage (builder, task, &grid, task->pipelined ? NULL : scattered, reduced);
  add_node_stage (builder, task, &grid, "all-gather in each node", FAB_RING_ALL_GATHER, task->pipelined ? NULL : reduced, gathered);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_allreduce_hierarchical = {
  .name = "hierarchical",
  .collective = "allreduce",
  .summary = "reduce-scatter in each node, all-reduce of each shard along its rail, all-gather in each node",
  .busbw_factor = fab__busbw_factor_allreduce,
  .build = build,
};
