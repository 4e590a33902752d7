/* fab-lanes.c: ways dealt out over virtual lanes so that on none of them buffers wait in a circle
 *
 * Domke, Hoefler, Nagel (IPDPS 2011): all ways begin on the first lane; while its channel dependency graph has a cycle, the dependency of the
 * cycle that fewest ways need is taken out, and those ways move to the next lane; then that one is cleared likewise.
 */
#include "subnet/fab-channels-private.h"
#include "subnet/fab-routing-private.h"

typedef struct
{
  FabSwitchGraph graph;
  FabChannels    channels;
  const guint32 *tables;
  guint8        *lanes;         /* by source switch and LID, as the tables */
  guint32        row_length;
  guint32       *lids, *to;     /* of hosts, and where each ends */
  guint32        n_lids;
  guint32       *sources;       /* switches with hosts */
  guint32        n_sources;
  guint32       *known, round;  /* of each switch: the round in which it is known whether its way crosses an edge */
  gboolean      *found;
  guint8         lane;          /* under work */
  guint64        n_moved;       /* to the next */
} Lanes;

static guint32
next_edge (const Lanes *lanes, guint32 s, guint32 lid)
{
  guint32 link = lanes->tables[(gsize) s * lanes->row_length + lid];

  return link != FAB_NONE ? lanes->channels.edge_of[link] : FAB_NONE;
}

/* Adds @sign to all that the way from @s to @lid has wait for each other. */
static void
count_way (Lanes *lanes, guint32 s, guint32 lid, guint32 to, gint sign)
{
  guint32 e = next_edge (lanes, s, lid);

  for (guint32 hops = 0; e != FAB_NONE && lanes->graph.peer[e] != to && hops < lanes->graph.n; hops++)
    {
      guint32 follower = next_edge (lanes, lanes->graph.peer[e], lid);

      if (follower != FAB_NONE)
        *fab__channels_count (&lanes->channels, e, follower) += (guint32) sign;
      e = follower;
    }
}

/* Whether the way from @s to @lid crosses @edge. What one way found in this round serves those that join it. */
static gboolean
crosses (Lanes *lanes, guint32 s, guint32 lid, guint32 to, guint32 edge)
{
  guint32 at = s, e = FAB_NONE;
  gboolean found;

  for (; at != to && lanes->known[at] != lanes->round; at = lanes->graph.peer[e])
    {
      e = next_edge (lanes, at, lid);
      lanes->known[at] = lanes->round;
      lanes->found[at] = e == edge;
      if (e == FAB_NONE || e == edge)
        break;
    }
  found = at != to && lanes->found[at];
  for (guint32 back = s; found && back != at; back = lanes->graph.peer[next_edge (lanes, back, lid)])
    lanes->found[back] = TRUE;
  return found;
}

static void
move_ways (Lanes *lanes, guint32 edge, guint32 follower)
{
  guint32 from = lanes->graph.peer[lanes->graph.back[edge]];

  for (guint32 i = 0; i < lanes->n_lids; i++)
    {
      guint32 lid = lanes->lids[i], to = lanes->to[i];

      if (next_edge (lanes, from, lid) != edge || lanes->graph.peer[edge] == to || next_edge (lanes, lanes->graph.peer[edge], lid) != follower)
        continue;
      lanes->round++;
      for (guint32 n = 0; n < lanes->n_sources; n++)
        {
          guint32 s = lanes->sources[n];
          guint8 *lane = &lanes->lanes[(gsize) s * lanes->row_length + lid];

          if (*lane != lanes->lane || s == to || !crosses (lanes, s, lid, to, edge))
            continue;
          count_way (lanes, s, lid, to, -1);
          (*lane)++;
          lanes->n_moved++;
        }
    }
}

/* Of the cycle that @search stands at, beginning with its edge @start. */
static void
break_cycle (Lanes *lanes, const FabCycleSearch *search, guint32 start)
{
  guint32 edge = FAB_NONE, follower = FAB_NONE, fewest = G_MAXUINT32;

  for (guint32 i = start; i < search->n; i++)
    {
      guint32 next = search->way[i + 1 < search->n ? i + 1 : start], n = *fab__channels_count (&lanes->channels, search->way[i], next);

      if (n >= fewest)
        continue;
      fewest = n;
      edge = search->way[i];
      follower = next;
    }
  move_ways (lanes, edge, follower);
}

static gboolean
clear_lane (Lanes *lanes, const FabTick *tick, GError **error)
{
  FabCycleSearch search;
  guint32 start, n_cycles = 0;
  gboolean goes_on = TRUE;

  fab__channels_reset (&lanes->channels);
  for (guint32 i = 0; i < lanes->n_lids; i++)
    for (guint32 n = 0; n < lanes->n_sources; n++)
      if (lanes->sources[n] != lanes->to[i] && lanes->lanes[(gsize) lanes->sources[n] * lanes->row_length + lanes->lids[i]] == lanes->lane)
        count_way (lanes, lanes->sources[n], lanes->lids[i], lanes->to[i], 1);
  lanes->n_moved = 0;
  fab__cycle_search_init (&search, &lanes->channels);
  while (goes_on && fab__cycle_search_next (&search, &start))
    {
      break_cycle (lanes, &search, start);
      fab__cycle_search_unwind (&search);
      goes_on = fab__routing_ticks (tick, ++n_cycles, G_MAXUINT32, error);
    }
  fab__cycle_search_clear (&search);
  return goes_on;
}

static void
lanes_init (Lanes *lanes, const FabSubnet *subnet, const FabFaults *faults, const guint32 *tables, guint8 *rows)
{
  guint32 n_lids, last;

  *lanes = (Lanes) { .tables = tables, .lanes = rows, .row_length = fab_subnet_max_lid (subnet) + 1 };
  fab__switch_graph_init (&lanes->graph, subnet, faults);
  fab__channels_init (&lanes->channels, &lanes->graph);
  lanes->lids = fab__switch_graph_lids (&lanes->graph, subnet, &n_lids);
  lanes->to = g_new (guint32, MAX (n_lids, 1));
  lanes->sources = g_new (guint32, MAX (lanes->graph.n, 1));
  lanes->known = g_new0 (guint32, MAX (lanes->graph.n, 1));
  lanes->found = g_new0 (gboolean, MAX (lanes->graph.n, 1));
  for (guint32 i = 0; i < n_lids; i++)   /* those of one switch stand together */
    {
      guint32 to;

      fab__switch_graph_target (&lanes->graph, subnet, lanes->lids[i], &to, &last);
      if (last == FAB_NONE)
        continue;
      lanes->lids[lanes->n_lids] = lanes->lids[i];
      lanes->to[lanes->n_lids++] = to;
      if (lanes->n_sources == 0 || lanes->sources[lanes->n_sources - 1] != to)
        lanes->sources[lanes->n_sources++] = to;
    }
}

static void
lanes_clear (Lanes *lanes)
{
  fab__switch_graph_clear (&lanes->graph);
  fab__channels_clear (&lanes->channels);
  g_free (lanes->lids);
  g_free (lanes->to);
  g_free (lanes->sources);
  g_free (lanes->known);
  g_free (lanes->found);
}

/* Service levels from 0 on that each have a lane of their own: as many as there may be lanes of ways. */
static guint
n_usable (const FabQos *qos)
{
  guint32 taken = 0;
  guint n = 0;

  for (; n < FAB_SUBNET_N_SLS && qos->sl2vl[n] < fab_qos_n_vls (qos) && (taken >> qos->sl2vl[n] & 1) == 0; n++)
    taken |= 1u << qos->sl2vl[n];
  return n;
}

gboolean
fab__lanes_assign (const FabSubnet *subnet, const FabFaults *faults, const guint32 *tables, guint8 *rows, guint *n_lanes, const FabTick *tick,
                   GError **error)
{
  guint usable = n_usable (fab_subnet_qos (subnet));
  gboolean goes_on = TRUE;
  Lanes lanes;

  lanes_init (&lanes, subnet, faults, tables, rows);
  do
    {
      goes_on = clear_lane (&lanes, tick, error);
      lanes.lane++;
    }
  while (goes_on && lanes.n_moved > 0 && lanes.lane < usable);
  *n_lanes = lanes.lane;
  if (goes_on && lanes.n_moved > 0)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT,
                   "routing: expected ways free of credit loops on %u lanes, %" G_GUINT64_FORMAT " of them need one more; raise op_vls, map more SLs to "
                   "lanes of their own, or use updn",
                   lanes.lane, lanes.n_moved);
      goes_on = FALSE;
    }
  lanes_clear (&lanes);
  return goes_on;
}
