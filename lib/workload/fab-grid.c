/* fab-grid.c: do the ranks come node by node? */
#include "workload/fab-grid-private.h"
#include "fab-error.h"

static guint32
node_of (const FabCollectiveTask *task, guint32 rank)
{
  return fab_topology_device (task->topology, task->ranks[rank])->node;
}

gboolean
fab__grid_init (FabGrid *grid, const FabCollectiveTask *task, const char *who, GError **error)
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
                       "%s: expected as many ranks on every node as on the first (%u), node by node; “%s” differs", who, n_local,
                       fab_topology_node (task->topology, node)->name);
          return FALSE;
        }
    }
  *grid = (FabGrid) { .ranks = task->ranks, .n_nodes = task->n_ranks / n_local, .n_local = n_local };
  return TRUE;
}
