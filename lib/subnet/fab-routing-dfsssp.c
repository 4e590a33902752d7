/* fab-routing-dfsssp.c: shortest paths that keep away from links already laden, on lanes without cycles
 *
 * Domke, Hoefler, Nagel (IPDPS 2011), OpenSM's dfsssp: LID by LID the paths from all switches are laid by least (hops, ways laid so far on the
 * links); then each link is charged with the switches with hosts that send over it. Lanes: fab-lanes.c.
 */
#include "subnet/fab-routing-private.h"
#include "subnet/fab-switch-graph-private.h"

typedef struct
{
  FabSwitchGraph graph;
  guint64 *load;       /* ways laid on each edge */
  guint64 *cost;       /* of each switch: loads on its way to the destination */
  guint64 *flows;      /* of each switch: hosts whose way to the destination it is on */
  guint32 *n_hosts;    /* of each switch */
  guint32 *chosen;     /* edge of each switch */
  guint32 *hops, *queue;
  guint32  n_reached;
} Sssp;

/* Nearest first, so that what lies ahead is known: among the edges one hop nearer, that with the least load from there on, ties by port. */
static void
lay_ways (Sssp *sssp, guint32 to)
{
  const FabSwitchGraph *graph = &sssp->graph;

  sssp->cost[to] = 0;
  for (guint32 i = 1; i < sssp->n_reached; i++)   /* the queue holds the switches reached, by distance */
    {
      guint32 s = sssp->queue[i];

      sssp->cost[s] = G_MAXUINT64;
      for (guint32 e = graph->start[s]; e < graph->start[s + 1]; e++)
        if (sssp->hops[graph->peer[e]] + 1 == sssp->hops[s] && sssp->cost[graph->peer[e]] + sssp->load[e] < sssp->cost[s])
          {
            sssp->cost[s] = sssp->cost[graph->peer[e]] + sssp->load[e];
            sssp->chosen[s] = e;
          }
    }
}

/* Farthest first: each passes on its own hosts and those behind it. */
static void
charge (Sssp *sssp)
{
  for (guint32 i = 0; i < sssp->n_reached; i++)
    sssp->flows[sssp->queue[i]] = sssp->n_hosts[sssp->queue[i]];
  for (guint32 i = sssp->n_reached; i > 1; i--)
    {
      guint32 s = sssp->queue[i - 1];

      sssp->load[sssp->chosen[s]] += sssp->flows[s];
      sssp->flows[sssp->graph.peer[sssp->chosen[s]]] += sssp->flows[s];
    }
}

static guint32
count_reached (const Sssp *sssp)
{
  guint32 n = 0;

  for (guint32 s = 0; s < sssp->graph.n; s++)
    n += sssp->hops[s] != FAB_NONE ? 1 : 0;
  return n;
}

static void
sssp_init (Sssp *sssp, const FabSubnet *subnet, const FabFaults *faults)
{
  guint32 n, to, last;

  fab__switch_graph_init (&sssp->graph, subnet, faults);
  n = sssp->graph.n;
  sssp->load = g_new0 (guint64, MAX (sssp->graph.n_edges, 1));
  sssp->cost = g_new (guint64, n);
  sssp->flows = g_new (guint64, n);
  sssp->n_hosts = g_new0 (guint32, n);
  sssp->chosen = g_new (guint32, n);
  sssp->hops = g_new (guint32, n);
  sssp->queue = g_new (guint32, n);
  for (guint32 lid = 1; lid <= fab_subnet_max_lid (subnet); lid++)
    if (fab__switch_graph_target (&sssp->graph, subnet, lid, &to, &last) && last != FAB_NONE)
      sssp->n_hosts[to]++;
}

static void
sssp_clear (Sssp *sssp)
{
  fab__switch_graph_clear (&sssp->graph);
  g_free (sssp->load);
  g_free (sssp->cost);
  g_free (sssp->flows);
  g_free (sssp->n_hosts);
  g_free (sssp->chosen);
  g_free (sssp->hops);
  g_free (sssp->queue);
}

static void
route_lid (Sssp *sssp, guint32 *tables, guint32 row_length, guint32 lid, guint32 to, guint32 last)
{
  lay_ways (sssp, to);
  if (last != FAB_NONE)
    charge (sssp);
  for (guint32 i = 1; i < sssp->n_reached; i++)
    tables[(gsize) sssp->queue[i] * row_length + lid] = sssp->graph.links[sssp->chosen[sssp->queue[i]]];
  if (last != FAB_NONE)
    tables[(gsize) to * row_length + lid] = last;
}

static gboolean
compute (const FabSubnet *subnet, const FabFaults *faults, guint32 *tables, const FabTick *tick, GError **error)
{
  guint32 max_lid = fab_subnet_max_lid (subnet), hops_to = FAB_NONE, to, last;
  gboolean goes_on = TRUE;
  Sssp sssp;

  sssp_init (&sssp, subnet, faults);
  for (guint32 lid = 1; lid <= max_lid && goes_on; lid++)
    {
      if (!fab__switch_graph_target (&sssp.graph, subnet, lid, &to, &last))
        continue;
      if (to != hops_to)
        {
          fab__switch_graph_hops (&sssp.graph, hops_to = to, sssp.hops, sssp.queue);
          sssp.n_reached = count_reached (&sssp);
        }
      route_lid (&sssp, tables, max_lid + 1, lid, to, last);
      goes_on = fab__routing_ticks (tick, lid, max_lid, error);
    }
  sssp_clear (&sssp);
  return goes_on;
}

const FabRouting fab__routing_dfsssp = {
  .name = "dfsssp",
  .summary = "shortest paths away from laden links, on as many lanes as keep each free of credit loops",
  .compute = compute,
  .assign = fab__lanes_assign,
};
