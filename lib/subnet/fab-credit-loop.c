/* fab-credit-loop.c: is there a cycle of buffers that wait for each other? */
#include "subnet/fab-channels-private.h"
#include "subnet/fab-routes-private.h"

typedef struct
{
  const FabRoutes *routes;
  guint            lane;
  FabSwitchGraph   graph;
  FabChannels      channels;
  gboolean        *has_host;     /* one a switch */
  guint32         *seen;         /* LID that each switch was last met for */
  /* of groups: the edges that each switch may send the LID at hand by */
  GArray          *members;
  guint32         *first, *n;    /* of each switch into members */
  guint32         *queue, *links;
  guint8          *turns;        /* which way each switch's own entry leads: what else of the table a group rests on */
  guint32          known_to;     /* the switch that all this is of; FAB_NONE */
  gboolean         rests_on_entries;
} Proof;

static gboolean
sends (const Proof *proof, guint32 s, guint32 lid)
{
  return proof->has_host[s] && fab__routes_lane (proof->routes, s, lid) == proof->lane;
}

/* ---- one link a LID ---- */

static guint32
next_edge (const Proof *proof, guint32 s, guint32 lid)
{
  guint32 link = fab_routes_next_link (proof->routes, proof->graph.first + s, lid);

  return link != FAB_NONE ? proof->channels.edge_of[link] : FAB_NONE;
}

/* From every switch that sends along the table until a switch met for this LID: whence it came, the way on is the same. */
static void
follow_table (Proof *proof, guint32 lid)
{
  for (guint32 from = 0; from < proof->graph.n; from++)
    {
      guint32 s = from, e;

      if (proof->seen[from] == lid || !sends (proof, from, lid))
        continue;
      for (e = next_edge (proof, s, lid); e != FAB_NONE && proof->seen[s] != lid; e = next_edge (proof, s, lid))
        {
          guint32 follower = next_edge (proof, proof->graph.peer[e], lid);

          proof->seen[s] = lid;
          if (follower != FAB_NONE)
            *fab__channels_count (&proof->channels, e, follower) = 1;
          s = proof->graph.peer[e];
        }
    }
}

/* ---- any link of a group ---- */

/* Whether what is known of the LID before holds for this one of the same switch. */
static gboolean
turns_alike (Proof *proof, guint32 lid, guint32 to)
{
  gboolean alike = to == proof->known_to && !proof->rests_on_entries && proof->routes->lanes == NULL;

  for (guint32 s = 0; s < proof->graph.n; s++)
    {
      guint32 link = fab_routes_next_link (proof->routes, proof->graph.first + s, lid);
      guint8 turn = link == FAB_NONE ? 0 : s == to || proof->routes->ranks == NULL || fab__routes_leads_up (proof->routes, link) ? 1 : 2;

      alike &= proof->turns[s] == turn;
      proof->turns[s] = turn;
    }
  proof->known_to = to;
  return alike;
}

static void
find_members (Proof *proof, guint32 s, guint32 lid)
{
  guint32 *links = proof->links;
  guint n = fab_routes_group (proof->routes, proof->graph.first + s, lid, links, proof->routes->graph.n_edges + 1);

  proof->first[s] = proof->members->len;
  for (guint i = 0; i < n; i++)
    {
      guint32 e = proof->channels.edge_of[links[i]];

      if (e != FAB_NONE)
        g_array_append_val (proof->members, e);
    }
  proof->n[s] = proof->members->len - proof->first[s];
  proof->rests_on_entries |= n == 1 && s != proof->known_to && !fab__routes_is_nearer (proof->routes, s, proof->known_to, links[0]);
}

/* Every switch that packets of this lane get to, and what it may send them by. */
static guint32
find_reached (Proof *proof, guint32 lid)
{
  guint32 head = 0, tail = 0;

  g_array_set_size (proof->members, 0);
  proof->rests_on_entries = FALSE;
  for (guint32 s = 0; s < proof->graph.n; s++)
    if (sends (proof, s, lid))
      {
        proof->seen[s] = lid;
        proof->queue[tail++] = s;
      }
  while (head < tail)
    {
      guint32 s = proof->queue[head++];

      find_members (proof, s, lid);
      for (guint32 i = 0; i < proof->n[s]; i++)
        {
          guint32 peer = proof->graph.peer[g_array_index (proof->members, guint32, proof->first[s] + i)];

          if (proof->seen[peer] == lid)
            continue;
          proof->seen[peer] = lid;
          proof->queue[tail++] = peer;
        }
    }
  return tail;
}

static void
follow_groups (Proof *proof, guint32 lid, guint32 to)
{
  guint32 n_reached;
  const guint32 *members;

  if (turns_alike (proof, lid, to))
    return;
  n_reached = find_reached (proof, lid);
  members = (const guint32 *) (const void *) proof->members->data;
  for (guint32 i = 0; i < n_reached; i++)
    for (guint32 m = 0; m < proof->n[proof->queue[i]]; m++)
      {
        guint32 e = members[proof->first[proof->queue[i]] + m], peer = proof->graph.peer[e];

        for (guint32 f = 0; f < proof->n[peer]; f++)
          *fab__channels_count (&proof->channels, e, members[proof->first[peer] + f]) = 1;
      }
}

/* ---- the proof ---- */

static void
proof_init (Proof *proof, const FabRoutes *routes, const FabFaults *faults, guint lane)
{
  const FabSubnet *subnet = fab_routes_subnet (routes);
  guint32 to, last, n;

  *proof = (Proof) { .routes = routes, .lane = lane, .known_to = FAB_NONE };
  fab__switch_graph_init (&proof->graph, subnet, faults);
  fab__channels_init (&proof->channels, &proof->graph);
  n = MAX (proof->graph.n, 1);
  proof->has_host = g_new0 (gboolean, n);
  for (guint32 lid = 1; lid <= fab_subnet_max_lid (subnet); lid++)
    if (fab__switch_graph_target (&proof->graph, subnet, lid, &to, &last) && last != FAB_NONE)
      proof->has_host[to] = TRUE;
  proof->seen = g_new0 (guint32, n);
  proof->first = g_new (guint32, n);
  proof->n = g_new (guint32, n);
  proof->queue = g_new (guint32, n);
  proof->links = g_new (guint32, routes->graph.n_edges + 1);   /* more than any group has */
  proof->turns = g_new0 (guint8, n);
  proof->members = g_array_new (FALSE, FALSE, sizeof (guint32));
}

static void
proof_clear (Proof *proof)
{
  fab__switch_graph_clear (&proof->graph);
  fab__channels_clear (&proof->channels);
  g_free (proof->has_host);
  g_free (proof->seen);
  g_free (proof->first);
  g_free (proof->n);
  g_free (proof->queue);
  g_free (proof->links);
  g_free (proof->turns);
  g_array_unref (proof->members);
}

static GArray *
find_cycle (const Proof *proof)
{
  FabCycleSearch search;
  GArray *cycle = NULL;
  guint32 start;

  fab__cycle_search_init (&search, &proof->channels);
  if (fab__cycle_search_next (&search, &start))
    {
      cycle = g_array_new (FALSE, FALSE, sizeof (guint32));
      for (guint32 i = start; i < search.n; i++)
        g_array_append_val (cycle, proof->graph.links[search.way[i]]);
    }
  fab__cycle_search_clear (&search);
  return cycle;
}

GArray *
fab_routes_credit_loop (const FabRoutes *routes, const FabFaults *faults, guint lane)
{
  guint32 to, last;
  Proof proof;
  GArray *cycle;

  proof_init (&proof, routes, faults, lane);
  for (guint32 lid = 1; lid <= fab_subnet_max_lid (fab_routes_subnet (routes)); lid++)
    {
      if (!fab__switch_graph_target (&proof.graph, fab_routes_subnet (routes), lid, &to, &last) || last == FAB_NONE)
        continue;
      if (routes->distances == NULL)
        follow_table (&proof, lid);
      else
        follow_groups (&proof, lid, to);
    }
  cycle = find_cycle (&proof);
  proof_clear (&proof);
  return cycle;
}
