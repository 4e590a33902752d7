/* fab-design-placement.c: which nodes a job of so many gets */
#include "design/fab-design-private.h"
#include "base/fab-stream-private.h"

const char *const fab__placement_names[] = { "contiguous", "random", "spread", "per-leaf", NULL };

static guint32
node_of (const FabTopology *topology, guint32 device)
{
  return fab_topology_device (topology, device)->node;
}

/* The nodes of @ranks that are free, in their order. */
static GArray *
free_nodes (const FabTopology *topology, const GArray *ranks, const gboolean *taken)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree gboolean *seen = g_new0 (gboolean, MAX (fab_topology_n_nodes (topology), 1));

  for (guint r = 0; r < ranks->len; r++)
    {
      guint32 node = node_of (topology, g_array_index (ranks, guint32, r));

      if (!seen[node] && (taken == NULL || !taken[node]))
        g_array_append_val (nodes, node);
      seen[node] = TRUE;
    }
  return nodes;
}

/* ---- the ways ---- */

static void
choose_random (GArray *nodes, guint n, guint64 seed)
{
  g_autoptr (FabStream) stream = fab__stream_new (seed, "placement");

  fab__stream_shuffle (stream, (guint32 *) (void *) nodes->data, nodes->len);
  g_array_set_size (nodes, n);
}

static void
choose_spread (GArray *nodes, guint n)
{
  guint n_free = nodes->len;

  for (guint i = 0; i < n; i++)
    g_array_index (nodes, guint32, i) = g_array_index (nodes, guint32, (guint64) i * n_free / n);
  g_array_set_size (nodes, n);
}

/* The switch that the node's first port on @plane leads to; FAB_NONE. */
static guint32
leaf_of (const FabTopology *topology, guint32 row, guint32 plane)
{
  const FabNode *node = fab_topology_node (topology, row);

  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (topology, d);

      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        if (fab_topology_port (topology, p)->plane == plane && fab_topology_port (topology, p)->link != FAB_NONE)
          return fab_topology_link (topology, fab_topology_port (topology, p)->link)->to_device;
    }
  return FAB_NONE;
}

/* The leaf with most of @nodes left, the first of equals, has its nodes moved behind the @n_chosen first. Returns how many. */
static guint
move_fullest_leaf (const FabTopology *topology, GArray *nodes, guint n_chosen, guint32 plane)
{
  guint32 best = FAB_NONE;
  guint n_best = 0, n_moved = 0;

  for (guint i = n_chosen; i < nodes->len; i++)
    {
      guint32 leaf = leaf_of (topology, g_array_index (nodes, guint32, i), plane);
      guint n = 0;

      for (guint j = n_chosen; j < nodes->len; j++)
        n += leaf_of (topology, g_array_index (nodes, guint32, j), plane) == leaf ? 1 : 0;
      if (n <= n_best)
        continue;
      n_best = n;
      best = leaf;
    }
  for (guint i = n_chosen; i < nodes->len; i++)
    {
      guint32 node = g_array_index (nodes, guint32, i);

      if (leaf_of (topology, node, plane) != best)
        continue;
      g_array_remove_index (nodes, i);
      g_array_insert_val (nodes, n_chosen + n_moved, node);
      n_moved++;
    }
  return n_moved;
}

static void
choose_per_leaf (const FabTopology *topology, GArray *nodes, guint n, guint32 plane)
{
  for (guint n_chosen = 0; n_chosen < n;)
    n_chosen += move_fullest_leaf (topology, nodes, n_chosen, plane);
  g_array_set_size (nodes, n);
}

/* ---- the ranks on them ---- */

static void
keep_ranks (const FabTopology *topology, GArray *ranks, const GArray *nodes, gboolean *taken)
{
  g_autofree gboolean *chosen = g_new0 (gboolean, MAX (fab_topology_n_nodes (topology), 1));
  guint n = 0;

  for (guint i = 0; i < nodes->len; i++)
    {
      chosen[g_array_index (nodes, guint32, i)] = TRUE;
      if (taken != NULL)
        taken[g_array_index (nodes, guint32, i)] = TRUE;
    }
  for (guint r = 0; r < ranks->len; r++)
    if (chosen[node_of (topology, g_array_index (ranks, guint32, r))])
      g_array_index (ranks, guint32, n++) = g_array_index (ranks, guint32, r);
  g_array_set_size (ranks, n);
}

gboolean
fab__design_place (const FabWorkloadSpec *workload, const FabTopology *topology, GArray *ranks, gboolean *taken, GError **error)
{
  g_autoptr (GArray) nodes = NULL;

  if (workload->n_nodes == 0)
    return TRUE;
  nodes = free_nodes (topology, ranks, taken);
  if (nodes->len < workload->n_nodes)
    {
      fab__item_error (workload->item, error, FAB_ERROR_VALUE, "expected at least %u nodes that are free, got %u", workload->n_nodes, nodes->len);
      return FALSE;
    }
  switch (workload->placement)
    {
    case FAB_PLACEMENT_RANDOM:
      choose_random (nodes, workload->n_nodes, workload->seed);
      break;
    case FAB_PLACEMENT_SPREAD:
      choose_spread (nodes, workload->n_nodes);
      break;
    case FAB_PLACEMENT_PER_LEAF:
      choose_per_leaf (topology, nodes, workload->n_nodes, workload->plane);
      break;
    default:
      g_array_set_size (nodes, workload->n_nodes);
      break;
    }
  keep_ranks (topology, ranks, nodes, taken);
  return TRUE;
}
