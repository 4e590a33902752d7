/* fab-routing-minhop.c: shortest paths, each LID out of the least loaded of the equal ports
 *
 * As OpenSM's minhop: hop counts between switches by breadth-first search, then LIDs in order; at every switch a LID takes, among
 * the ports one hop nearer, the one that carries the fewest LIDs so far, ties by port. Switch LIDs are routed but do not count.
 */
#include "subnet/fab-routing-private.h"
#include "subnet/fab-switch-graph-private.h"

typedef struct
{
  FabSwitchGraph graph;
  guint32 *load;       /* LIDs on each edge */
  guint32 *hops;       /* to the destination switch */
  guint32 *queue;
} MinHop;

static guint32
least_loaded (const MinHop *minhop, guint32 at)
{
  const FabSwitchGraph *graph = &minhop->graph;
  guint32 best = FAB_NONE;

  for (guint32 e = graph->start[at]; e < graph->start[at + 1]; e++)
    if (minhop->hops[graph->peer[e]] + 1 == minhop->hops[at] && (best == FAB_NONE || minhop->load[e] < minhop->load[best]))
      best = e;
  return best;
}

static void
route_lid (MinHop *minhop, guint32 *tables, guint32 row_length, guint32 lid, guint32 to, guint32 last)
{
  for (guint32 s = 0; s < minhop->graph.n; s++)
    {
      guint32 e = s != to && minhop->hops[s] != FAB_NONE ? least_loaded (minhop, s) : FAB_NONE;

      if (e == FAB_NONE)
        continue;
      tables[(gsize) s * row_length + lid] = minhop->graph.links[e];
      minhop->load[e] += last != FAB_NONE ? 1 : 0;
    }
  if (last != FAB_NONE)
    tables[(gsize) to * row_length + lid] = last;
}

static gboolean
compute (const FabSubnet *subnet, const FabFaults *faults, guint32 *tables, const FabTick *tick, GError **error)
{
  guint32 max_lid = fab_subnet_max_lid (subnet), hops_to = FAB_NONE, to, last;
  gboolean goes_on = TRUE;
  MinHop minhop;

  fab__switch_graph_init (&minhop.graph, subnet, faults);
  minhop.load = g_new0 (guint32, MAX (minhop.graph.n_edges, 1));
  minhop.hops = g_new (guint32, minhop.graph.n);
  minhop.queue = g_new (guint32, minhop.graph.n);
  for (guint32 lid = 1; lid <= max_lid && goes_on; lid++)
    {
      if (!fab__switch_graph_target (&minhop.graph, subnet, lid, &to, &last))
        continue;
      if (to != hops_to)
        fab__switch_graph_hops (&minhop.graph, hops_to = to, minhop.hops, minhop.queue);
      route_lid (&minhop, tables, max_lid + 1, lid, to, last);
      goes_on = fab__routing_ticks (tick, lid, max_lid, error);
    }
  g_free (minhop.load);
  g_free (minhop.hops);
  g_free (minhop.queue);
  fab__switch_graph_clear (&minhop.graph);
  return goes_on;
}

const FabRouting fab__routing_minhop = {
  .name = "minhop",
  .summary = "shortest paths, each LID on the least loaded of the equal ports; may leave credit loops",
  .compute = compute,
};
