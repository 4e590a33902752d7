/* fab-routing-updn.c: up*, then down*: no packet turns up again after it went down, so no cycle of buffers can form
 *
 * Switches are ranked by their hops from the roots (as OpenSM's updn with a root list). A switch that can reach the destination going down
 * alone does so, by the shortest such way; another goes up towards the nearest switch that can. Ports are balanced as in minhop.
 */
#include "subnet/fab-routing-private.h"
#include "subnet/fab-switch-graph-private.h"

typedef struct
{
  FabSwitchGraph graph;
  guint32 *ranks;
  guint32 *load;       /* LIDs on each edge */
  guint32 *down;       /* hops to the destination going down alone; FAB_NONE */
  guint32 *up;         /* hops to the nearest switch with a way down, going up alone, and from there on; FAB_NONE */
  guint32 *order;      /* switches from the roots down */
  guint32 *queue;
} UpDown;

/* Against the direction of travel: from the destination over edges that lead up. */
static void
find_ways_down (UpDown *updn, guint32 to)
{
  const FabSwitchGraph *graph = &updn->graph;
  guint32 head = 0, tail = 0;

  memset (updn->down, 0xff, sizeof (guint32) * graph->n);
  updn->down[to] = 0;
  updn->queue[tail++] = to;
  while (head < tail)
    {
      guint32 at = updn->queue[head++];

      for (guint32 e = graph->start[at]; e < graph->start[at + 1]; e++)
        if (fab__switch_graph_is_up (graph, updn->ranks, at, e) && updn->down[graph->peer[e]] == FAB_NONE)
          {
            updn->down[graph->peer[e]] = updn->down[at] + 1;
            updn->queue[tail++] = graph->peer[e];
          }
    }
}

static guint32
best_of (const UpDown *updn, guint32 s)
{
  return updn->down[s] != FAB_NONE ? updn->down[s] : updn->up[s];
}

/* Switches nearer the roots first: what lies above a switch is known before it. */
static void
find_ways_up (UpDown *updn)
{
  const FabSwitchGraph *graph = &updn->graph;

  memset (updn->up, 0xff, sizeof (guint32) * graph->n);
  for (guint32 i = 0; i < graph->n; i++)
    {
      guint32 s = updn->order[i];

      for (guint32 e = graph->start[s]; e < graph->start[s + 1]; e++)
        {
          guint32 above = fab__switch_graph_is_up (graph, updn->ranks, s, e) ? best_of (updn, graph->peer[e]) : FAB_NONE;

          if (above != FAB_NONE && above + 1 < updn->up[s])
            updn->up[s] = above + 1;
        }
    }
}

static guint32
choose (const UpDown *updn, guint32 s)
{
  const FabSwitchGraph *graph = &updn->graph;
  gboolean goes_down = updn->down[s] != FAB_NONE;
  guint32 best = FAB_NONE;

  for (guint32 e = graph->start[s]; e < graph->start[s + 1]; e++)
    {
      gboolean leads_up = fab__switch_graph_is_up (graph, updn->ranks, s, e);
      gboolean nearer = goes_down ? !leads_up && updn->down[graph->peer[e]] != FAB_NONE && updn->down[graph->peer[e]] + 1 == updn->down[s]
                                  : leads_up && best_of (updn, graph->peer[e]) != FAB_NONE && best_of (updn, graph->peer[e]) + 1 == updn->up[s];

      if (nearer && (best == FAB_NONE || updn->load[e] < updn->load[best]))
        best = e;
    }
  return best;
}

static void
route_lid (UpDown *updn, guint32 *tables, guint32 row_length, guint32 lid, guint32 to, guint32 last)
{
  for (guint32 s = 0; s < updn->graph.n; s++)
    {
      guint32 e = s != to ? choose (updn, s) : FAB_NONE;

      if (e == FAB_NONE)
        continue;
      tables[(gsize) s * row_length + lid] = updn->graph.links[e];
      updn->load[e] += last != FAB_NONE ? 1 : 0;
    }
  if (last != FAB_NONE)
    tables[(gsize) to * row_length + lid] = last;
}

static gint
compare_ranks (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint32 *ranks = data, x = *(const guint32 *) a, y = *(const guint32 *) b;

  if (ranks[x] != ranks[y])
    return ranks[x] < ranks[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

static void
updn_init (UpDown *updn, const FabSubnet *subnet, const FabFaults *faults)
{
  guint32 n;

  fab__switch_graph_init (&updn->graph, subnet, faults);
  n = updn->graph.n;
  updn->ranks = g_new (guint32, n);
  updn->down = g_new (guint32, n);
  updn->up = g_new (guint32, n);
  updn->order = g_new (guint32, n);
  updn->queue = g_new (guint32, n);
  updn->load = g_new0 (guint32, MAX (updn->graph.n_edges, 1));
  fab__switch_graph_ranks (&updn->graph, updn->ranks);
  for (guint32 s = 0; s < n; s++)
    updn->order[s] = s;
  g_qsort_with_data (updn->order, (gint) n, sizeof *updn->order, compare_ranks, updn->ranks);
}

static void
updn_clear (UpDown *updn)
{
  fab__switch_graph_clear (&updn->graph);
  g_free (updn->ranks);
  g_free (updn->load);
  g_free (updn->down);
  g_free (updn->up);
  g_free (updn->order);
  g_free (updn->queue);
}

static gboolean
compute (const FabSubnet *subnet, const FabFaults *faults, guint32 *tables, const FabTick *tick, GError **error)
{
  guint32 max_lid = fab_subnet_max_lid (subnet), known_to = FAB_NONE, to, last;
  gboolean goes_on = TRUE;
  UpDown updn;

  updn_init (&updn, subnet, faults);
  for (guint32 lid = 1; lid <= max_lid && goes_on; lid++)
    {
      if (!fab__switch_graph_target (&updn.graph, subnet, lid, &to, &last))
        continue;
      if (to != known_to)
        {
          find_ways_down (&updn, known_to = to);
          find_ways_up (&updn);
        }
      route_lid (&updn, tables, max_lid + 1, lid, to, last);
      goes_on = fab__routing_ticks (tick, lid, max_lid, error);
    }
  updn_clear (&updn);
  return goes_on;
}

const FabRouting fab__routing_updn = {
  .name = "updn",
  .summary = "up towards the roots, then down, never up again: free of credit loops",
  .up_down = TRUE,
  .compute = compute,
};
