/* fab-routing-ftree.c: fat trees: the p-th host of every leaf comes down the p-th way, so shifts do not collide
 *
 * As OpenSM's ftree: for each host LID a chain is built from its leaf up to the top; on each level the link that fewest LIDs come down is
 * taken, ties by port, so hosts of a leaf take its uplinks in turn. All other switches go up to that chain, over the parallel link of the same
 * number. What the chain leaves out (spines beside it, switch LIDs) is routed down where it can be, else up: never up after down.
 */
#include "subnet/fab-routing-private.h"
#include "subnet/fab-switch-graph-private.h"

typedef struct
{
  FabSwitchGraph graph;
  guint32 *ranks;
  guint32 *load;        /* LIDs that come down each edge */
  guint32 *chosen;      /* edge of each switch for this LID; FAB_NONE */
  guint32 *stack;       /* switches whose lower neighbours are to be sent up */
  guint32 *hops, *queue;
  guint32  hops_to;     /* the switch that the hops are to; FAB_NONE */
} FatTree;

static gboolean
leads_up (const FatTree *tree, guint32 s, guint32 e)
{
  return tree->ranks[tree->graph.peer[e]] < tree->ranks[s];
}

/* The number of edge @e among the parallel ones from its switch to the same peer. */
static guint32
parallel_number (const FabSwitchGraph *graph, guint32 s, guint32 e)
{
  guint32 number = 0;

  for (guint32 other = graph->start[s]; other < e; other++)
    number += graph->peer[other] == graph->peer[e] ? 1 : 0;
  return number;
}

static guint32
parallel_edge (const FabSwitchGraph *graph, guint32 s, guint32 peer, guint32 number)
{
  guint32 n = 0;

  for (guint32 e = graph->start[s]; e < graph->start[s + 1]; e++)
    n += graph->peer[e] == peer ? 1 : 0;
  number %= MAX (n, 1);
  for (guint32 e = graph->start[s]; e < graph->start[s + 1]; e++)
    if (graph->peer[e] == peer && number-- == 0)
      return e;
  return FAB_NONE;
}

/* Everything below @top that has no way yet goes up to it, and what is below that, and so on. */
static void
send_up (FatTree *tree, guint32 top, guint32 number)
{
  const FabSwitchGraph *graph = &tree->graph;
  guint32 n = 0;

  tree->stack[n++] = top;
  while (n > 0)
    {
      guint32 at = tree->stack[--n];

      for (guint32 e = graph->start[at]; e < graph->start[at + 1]; e++)
        {
          guint32 below = graph->peer[e];

          if (leads_up (tree, at, e) || tree->ranks[below] == tree->ranks[at] || tree->chosen[below] != FAB_NONE)
            continue;
          tree->chosen[below] = parallel_edge (graph, below, at, number);
          tree->stack[n++] = below;
        }
    }
}

/* The way up from @at whose other direction carries the fewest LIDs down. */
static guint32
least_loaded_up (const FatTree *tree, guint32 at)
{
  const FabSwitchGraph *graph = &tree->graph;
  guint32 best = FAB_NONE;

  for (guint32 e = graph->start[at]; e < graph->start[at + 1]; e++)
    if (leads_up (tree, at, e) && (best == FAB_NONE || tree->load[graph->back[e]] < tree->load[graph->back[best]]))
      best = e;
  return best;
}

/* From the destination's leaf to the top, sending up to each link of the chain what lies below it. */
static void
build_chain (FatTree *tree, guint32 to, gboolean counts)
{
  const FabSwitchGraph *graph = &tree->graph;
  guint32 at = to, up;

  while ((up = least_loaded_up (tree, at)) != FAB_NONE)
    {
      guint32 above = graph->peer[up], number = parallel_number (graph, at, up);

      if (above == to || tree->chosen[above] != FAB_NONE)
        break;
      tree->chosen[above] = graph->back[up];
      tree->load[graph->back[up]] += counts ? 1 : 0;
      send_up (tree, above, number);
      at = above;
    }
}

static guint32
n_reached (const FatTree *tree)
{
  guint32 n = 0;

  for (guint32 s = 0; s < tree->graph.n; s++)
    n += tree->hops[s] != FAB_NONE ? 1 : 0;
  return n;
}

/* Switches beside the chain: down by the shortest way, or up to one that knows. Sweeps from the destination outwards. */
static void
route_rest (FatTree *tree, guint32 to)
{
  const FabSwitchGraph *graph = &tree->graph;
  guint32 n_missing = 0, n;

  for (guint32 s = 0; s < graph->n; s++)
    n_missing += s != to && tree->chosen[s] == FAB_NONE ? 1 : 0;
  if (n_missing == 0)
    return;
  if (tree->hops_to != to)
    fab__switch_graph_hops (graph, tree->hops_to = to, tree->hops, tree->queue);
  n = n_reached (tree);
  for (guint32 i = 0; i < n; i++)   /* the queue holds the switches reached, by distance */
    {
      guint32 s = tree->queue[i];

      for (guint32 e = graph->start[s]; s != to && tree->chosen[s] == FAB_NONE && e < graph->start[s + 1]; e++)
        if (tree->hops[graph->peer[e]] + 1 == tree->hops[s])
          tree->chosen[s] = e;
    }
}

static void
route_lid (FatTree *tree, guint32 *tables, guint32 row_length, guint32 lid, guint32 to, guint32 last)
{
  memset (tree->chosen, 0xff, sizeof (guint32) * tree->graph.n);
  tree->chosen[to] = 0;   /* never read: the destination has its own way down */
  build_chain (tree, to, last != FAB_NONE);
  route_rest (tree, to);
  for (guint32 s = 0; s < tree->graph.n; s++)
    if (s != to && tree->chosen[s] != FAB_NONE)
      tables[(gsize) s * row_length + lid] = tree->graph.links[tree->chosen[s]];
  if (last != FAB_NONE)
    tables[(gsize) to * row_length + lid] = last;
}

/* Links stay between ranks: what OpenSM asks of a fat tree. */
static gboolean
check_tree (const FatTree *tree, GError **error)
{
  for (guint32 s = 0; s < tree->graph.n; s++)
    for (guint32 e = tree->graph.start[s]; e < tree->graph.start[s + 1]; e++)
      if (tree->ranks[s] == tree->ranks[tree->graph.peer[e]])
        {
          g_autofree char *address = fab_topology_link_address (tree->graph.topology, tree->graph.links[e]);

          g_set_error (error, FAB_ERROR, FAB_ERROR_UNSUPPORTED, "ftree: expected links between tiers only, got %s; use updn or minhop", address);
          return FALSE;
        }
  return TRUE;
}

static gboolean
compute (const FabSubnet *subnet, const FabFaults *faults, guint32 *tables, const FabTick *tick, GError **error)
{
  guint32 max_lid = fab_subnet_max_lid (subnet), to, last;
  gboolean goes_on;
  FatTree tree;

  fab__switch_graph_init (&tree.graph, subnet, faults);
  tree.ranks = g_new (guint32, tree.graph.n);
  tree.chosen = g_new (guint32, tree.graph.n);
  tree.stack = g_new (guint32, tree.graph.n);
  tree.hops = g_new (guint32, tree.graph.n);
  tree.queue = g_new (guint32, tree.graph.n);
  tree.hops_to = FAB_NONE;
  tree.load = g_new0 (guint32, MAX (tree.graph.n_edges, 1));
  fab__switch_graph_ranks (&tree.graph, tree.ranks);
  goes_on = check_tree (&tree, error);
  for (guint32 lid = 1; lid <= max_lid && goes_on; lid++)
    {
      if (fab__switch_graph_target (&tree.graph, subnet, lid, &to, &last))
        route_lid (&tree, tables, max_lid + 1, lid, to, last);
      goes_on = fab__routing_ticks (tick, lid, max_lid, error);
    }
  fab__switch_graph_clear (&tree.graph);
  g_free (tree.ranks);
  g_free (tree.chosen);
  g_free (tree.stack);
  g_free (tree.hops);
  g_free (tree.queue);
  g_free (tree.load);
  return goes_on;
}

const FabRouting fab__routing_ftree = {
  .name = "ftree",
  .summary = "fat trees: balanced over parallel links, free of contention on shifts",
  .up_down = TRUE,
  .compute = compute,
};
