/* fab-credit-loop.c: is there a cycle of buffers that wait for each other?
 *
 * Dally and Seitz (1987): routing is free of deadlock on one lane if its channel dependency graph has no cycle. A channel is a directed link
 * between switches; it depends on another where some packet from some host leaves by the second what it entered by the first.
 */
#include "subnet/fab-switch-graph-private.h"
#include "fab-routes.h"

typedef struct
{
  const FabRoutes *routes;
  FabSwitchGraph   graph;
  guint32         *edge_of;     /* link → edge; FAB_NONE */
  gboolean        *has_host;    /* one a switch */
  guint32          n_words;     /* of one edge's set */
  guint64         *next;        /* per edge: which edges of the switch it leads into follow it */
} Channels;

static guint32
next_edge (const Channels *channels, guint32 s, guint32 lid)
{
  guint32 link = fab_routes_next_link (channels->routes, channels->graph.first + s, lid);

  return link != FAB_NONE ? channels->edge_of[link] : FAB_NONE;
}

static void
add_dependency (Channels *channels, guint32 e, guint32 follower)
{
  guint32 bit = follower - channels->graph.start[channels->graph.peer[e]];

  channels->next[(gsize) e * channels->n_words + bit / 64] |= G_GUINT64_CONSTANT (1) << bit % 64;
}

/* From every switch with hosts along the table until a switch seen for this LID. */
static void
follow_lid (Channels *channels, guint32 lid, guint32 *seen)
{
  for (guint32 from = 0; from < channels->graph.n; from++)
    {
      guint32 s = from, e;

      if (!channels->has_host[from])
        continue;
      for (e = next_edge (channels, s, lid); e != FAB_NONE && seen[s] != lid; e = next_edge (channels, s, lid))
        {
          guint32 follower = next_edge (channels, channels->graph.peer[e], lid);

          seen[s] = lid;
          if (follower != FAB_NONE)
            add_dependency (channels, e, follower);
          s = channels->graph.peer[e];
        }
    }
}

static void
channels_init (Channels *channels, const FabRoutes *routes, const FabFaults *faults)
{
  const FabSubnet *subnet = fab_routes_subnet (routes);
  const FabTopology *topology = fab_subnet_topology (subnet);
  guint32 widest = 1;

  *channels = (Channels) { .routes = routes };
  fab__switch_graph_init (&channels->graph, subnet, faults);
  channels->edge_of = g_new (guint32, MAX (fab_topology_n_links (topology), 1));
  memset (channels->edge_of, 0xff, sizeof (guint32) * fab_topology_n_links (topology));
  for (guint32 e = 0; e < channels->graph.n_edges; e++)
    channels->edge_of[channels->graph.links[e]] = e;
  channels->has_host = g_new0 (gboolean, MAX (channels->graph.n, 1));
  for (guint32 lid = 1; lid <= fab_subnet_max_lid (subnet); lid++)
    {
      guint32 to, last;

      if (fab__switch_graph_target (&channels->graph, subnet, lid, &to, &last) && last != FAB_NONE)
        channels->has_host[to] = TRUE;
    }
  for (guint32 s = 0; s < channels->graph.n; s++)
    widest = MAX (widest, channels->graph.start[s + 1] - channels->graph.start[s]);
  channels->n_words = (widest + 63) / 64;
  channels->next = g_new0 (guint64, (gsize) MAX (channels->graph.n_edges, 1) * channels->n_words);
}

static void
channels_clear (Channels *channels)
{
  fab__switch_graph_clear (&channels->graph);
  g_free (channels->edge_of);
  g_free (channels->has_host);
  g_free (channels->next);
}

/* The edge after @after (FAB_NONE: the first) that may follow @e; FAB_NONE: no more. */
static guint32
follower_after (const Channels *channels, guint32 e, guint32 after)
{
  guint32 first = channels->graph.start[channels->graph.peer[e]], last = channels->graph.start[channels->graph.peer[e] + 1];

  for (guint32 f = after == FAB_NONE ? first : after + 1; f < last; f++)
    if (channels->next[(gsize) e * channels->n_words + (f - first) / 64] >> (f - first) % 64 & 1)
      return f;
  return FAB_NONE;
}

/* Depth first; an edge met again while it is on the way closes a cycle. */
static GArray *
find_cycle (const Channels *channels)
{
  g_autofree guint8 *state = g_new0 (guint8, MAX (channels->graph.n_edges, 1));        /* 0 new, 1 on the way, 2 done */
  g_autofree guint32 *way = g_new (guint32, MAX (channels->graph.n_edges, 1));
  g_autofree guint32 *tried = g_new (guint32, MAX (channels->graph.n_edges, 1));

  for (guint32 root = 0; root < channels->graph.n_edges; root++)
    {
      guint32 n = 0;

      if (state[root] != 0)
        continue;
      way[n] = root;
      tried[n++] = FAB_NONE;
      state[root] = 1;
      while (n > 0)
        {
          guint32 follower = tried[n - 1] = follower_after (channels, way[n - 1], tried[n - 1]);

          if (follower == FAB_NONE)
            state[way[--n]] = 2;
          else if (state[follower] == 0)
            {
              state[follower] = 1;
              way[n] = follower;
              tried[n++] = FAB_NONE;
            }
          else if (state[follower] == 1)
            {
              GArray *cycle = g_array_new (FALSE, FALSE, sizeof (guint32));
              guint32 start = n - 1;

              while (way[start] != follower)
                start--;
              for (guint32 i = start; i < n; i++)
                g_array_append_val (cycle, channels->graph.links[way[i]]);
              return cycle;
            }
        }
    }
  return NULL;
}

GArray *
fab_routes_credit_loop (const FabRoutes *routes, const FabFaults *faults)
{
  guint32 n_switches = fab_topology_plane (fab_subnet_topology (fab_routes_subnet (routes)), fab_subnet_plane (fab_routes_subnet (routes)))->n_switches;
  g_autofree guint32 *seen = g_new0 (guint32, MAX (n_switches, 1));
  Channels channels;
  GArray *cycle;

  channels_init (&channels, routes, faults);
  for (guint32 lid = 1; lid <= fab_subnet_max_lid (fab_routes_subnet (routes)); lid++)
    if (fab_subnet_lid_port (fab_routes_subnet (routes), lid) != FAB_NONE)
      follow_lid (&channels, lid, seen);
  cycle = find_cycle (&channels);
  channels_clear (&channels);
  return cycle;
}
