/* fab-forwarding.c: several links for one LID: who is in the group, and how a hash or the packets spread over it */
#include "subnet/fab-routes-private.h"

#define NO_WAY 0xff   /* or longer than a byte can say: then the table's own entry stands alone */

FabForwarding
fab_routes_forwarding (const FabRoutes *routes)
{
  return routes->forwarding;
}

const char *
fab_forwarding_name (FabForwarding forwarding)
{
  static const char *const names[] = { "table", "adaptive", "hash" };

  g_return_val_if_fail (forwarding < G_N_ELEMENTS (names), NULL);
  return names[forwarding];
}

/* ---- distances along the tables ---- */

/* Marks the edges that some LID of a switch is forwarded over. */
static void
mark_entries (const FabRoutes *routes, const guint32 *edge_of, guint32 lid, guint32 *marks, guint32 mark)
{
  for (guint32 s = 0; s < routes->n_switches; s++)
    {
      guint32 link = routes->tables[(gsize) s * routes->row_length + lid], e = link != FAB_NONE ? edge_of[link] : FAB_NONE;

      if (e != FAB_NONE)
        marks[e] = mark;
    }
}

/* Backwards from @to over marked edges. */
static void
find_distances (const FabRoutes *routes, guint32 to, const guint32 *marks, guint32 *queue)
{
  const FabSwitchGraph *graph = &routes->graph;
  guint8 *distances = routes->distances + (gsize) to * routes->n_switches;
  guint32 head = 0, tail = 0;

  distances[to] = 0;
  queue[tail++] = to;
  while (head < tail)
    {
      guint32 at = queue[head++];

      for (guint32 e = graph->start[at]; e < graph->start[at + 1] && distances[at] + 1 < NO_WAY; e++)
        if (marks[graph->back[e]] == to && distances[graph->peer[e]] == NO_WAY)
          {
            distances[graph->peer[e]] = (guint8) (distances[at] + 1);
            queue[tail++] = graph->peer[e];
          }
    }
}

static void
measure (FabRoutes *routes)
{
  const FabSwitchGraph *graph = &routes->graph;
  guint32 n_links = fab_topology_n_links (graph->topology), to, last, known_to = FAB_NONE;
  g_autofree guint32 *edge_of = g_new (guint32, MAX (n_links, 1));
  g_autofree guint32 *marks = g_new (guint32, MAX (graph->n_edges, 1));
  g_autofree guint32 *queue = g_new (guint32, MAX (graph->n, 1));
  g_autofree guint32 *order = NULL;
  guint32 n_lids;

  memset (edge_of, 0xff, sizeof (guint32) * n_links);
  memset (marks, 0xff, sizeof (guint32) * graph->n_edges);
  for (guint32 e = 0; e < graph->n_edges; e++)
    edge_of[graph->links[e]] = e;
  routes->distances = g_malloc ((gsize) MAX (graph->n, 1) * MAX (graph->n, 1));
  memset (routes->distances, NO_WAY, (gsize) graph->n * graph->n);
  order = fab__switch_graph_lids (graph, routes->subnet, &n_lids);
  for (guint32 i = 0; i < n_lids; i++)
    {
      fab__switch_graph_target (graph, routes->subnet, order[i], &to, &last);
      if (known_to != FAB_NONE && to != known_to)
        find_distances (routes, known_to, marks, queue);
      mark_entries (routes, edge_of, order[i], marks, known_to = to);
    }
  if (known_to != FAB_NONE)
    find_distances (routes, known_to, marks, queue);
}

FabRoutes *
fab_routes_with_forwarding (FabRoutes *routes, FabForwarding forwarding)
{
  FabRoutes *owner = routes->owner != NULL ? routes->owner : routes, *other;

  g_return_val_if_fail (forwarding <= FAB_FORWARDING_HASH, NULL);
  if (routes->forwarding == forwarding)
    return fab_routes_ref (routes);
  if (owner->forwarding == forwarding)
    return fab_routes_ref (owner);
  other = g_atomic_rc_box_new0 (FabRoutes);
  *other = *owner;
  other->owner = fab_routes_ref (owner);
  other->subnet = fab_subnet_ref (owner->subnet);
  other->forwarding = forwarding;
  other->distances = NULL;
  other->ranks = NULL;
  if (forwarding == FAB_FORWARDING_TABLE || other->n_switches == 0)
    return other;
  measure (other);
  if (other->routing->up_down)
    {
      other->ranks = g_new (guint32, other->n_switches);
      fab__switch_graph_ranks (&other->graph, other->ranks);
    }
  return other;
}

/* ---- groups ---- */

typedef struct
{
  const FabRoutes *routes;
  const guint8    *distances;   /* to the LID's switch */
  guint32          s, to, lid;
  gboolean         goes_up;     /* as the table's own entry does */
} Group;

gboolean
fab__routes_leads_up (const FabRoutes *routes, guint32 link)
{
  const FabLink *row = fab_topology_link (routes->graph.topology, link);
  guint32 from = row->from_device - routes->first_switch, to = row->to_device - routes->first_switch;

  return routes->ranks[to] != routes->ranks[from] ? routes->ranks[to] < routes->ranks[from] : to < from;
}

gboolean
fab__routes_is_nearer (const FabRoutes *routes, guint32 s, guint32 to, guint32 link)
{
  const guint8 *distances = routes->distances + (gsize) to * routes->n_switches;
  guint32 peer = fab_topology_link (routes->graph.topology, link)->to_device - routes->first_switch;

  return distances[s] != NO_WAY && peer < routes->n_switches && distances[peer] + 1 == distances[s];
}

/* FALSE: no group, the table's entry stands alone: on the last hop, and where the tables go ways that nothing measured. */
static gboolean
group_init (Group *group, const FabRoutes *routes, guint32 device, guint32 lid, guint32 entry)
{
  guint32 last;

  *group = (Group) { .routes = routes, .s = device - routes->first_switch, .lid = lid };
  if (routes->distances == NULL || !fab__switch_graph_target (&routes->graph, routes->subnet, lid, &group->to, &last) || group->to == group->s)
    return FALSE;
  group->distances = routes->distances + (gsize) group->to * routes->n_switches;
  group->goes_up = routes->ranks != NULL && fab__routes_leads_up (routes, entry);
  return group->distances[group->s] != NO_WAY;
}

/* Where packets go up and then down, a member leads the way the entry does, and down only to a switch that goes on down. */
static gboolean
is_member (const Group *group, guint32 e)
{
  const FabRoutes *routes = group->routes;
  guint32 peer = routes->graph.peer[e], next;

  if (group->distances[peer] + 1 != group->distances[group->s])
    return FALSE;
  if (routes->ranks == NULL)
    return TRUE;
  if (fab__routes_leads_up (routes, routes->graph.links[e]) != group->goes_up)
    return FALSE;
  next = peer != group->to ? fab_routes_next_link (routes, routes->first_switch + peer, group->lid) : FAB_NONE;
  return group->goes_up || next == FAB_NONE || !fab__routes_leads_up (routes, next);
}

guint
fab_routes_group (const FabRoutes *routes, guint32 device, guint32 lid, guint32 *links, guint room)
{
  guint32 entry = fab_routes_next_link (routes, device, lid);
  Group group;
  guint n = 0;

  if (entry == FAB_NONE)
    return 0;
  if (group_init (&group, routes, device, lid, entry))
    for (guint32 e = routes->graph.start[group.s]; e < routes->graph.start[group.s + 1]; e++)
      if (is_member (&group, e) && n++ < room)
        links[n - 1] = routes->graph.links[e];
  if (n == 0 && n++ < room)
    links[0] = entry;
  return n;
}

/* ---- hashes ---- */

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static guint64
mix (guint64 x)
{
  x = (x ^ x >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ x >> 31;
}

guint32
fab__routes_hashed_link (const FabRoutes *routes, guint32 device, guint32 src_lid, guint32 dst_lid)
{
  guint32 n = fab_routes_group (routes, device, dst_lid, NULL, 0), link = FAB_NONE;
  g_autofree guint32 *links = NULL;

  if (n <= 1)
    {
      fab_routes_group (routes, device, dst_lid, &link, 1);
      return link;
    }
  links = g_new (guint32, n);
  fab_routes_group (routes, device, dst_lid, links, n);
  /* The switch takes part, lest those of the next tier see only the flows that one pick sent them. */
  return links[mix (mix ((guint64) src_lid << 32 | dst_lid) + device - routes->first_switch + 1) % n];
}

/* ---- the spread of packets ---- */

typedef struct
{
  const FabRoutes *routes;
  guint32  lid, port;     /* where to */
  double  *inflow;        /* part of the packets that reaches each switch */
  guint8  *state;         /* 0: not met, 1: waits, 2: dealt out */
  guint32 *queue;
  guint32  head, tail;
  GArray  *links, *parts;
} Spread;

/* FALSE: it leads back to a switch that has dealt out what it had. */
static gboolean
spread_over (Spread *spread, guint32 link, double part)
{
  const FabLink *row = fab_topology_link (spread->routes->graph.topology, link);
  guint32 s = row->to_device - spread->routes->first_switch;

  g_array_append_val (spread->links, link);
  g_array_append_val (spread->parts, part);
  if (row->to_port == spread->port)
    return TRUE;
  if (s >= spread->routes->n_switches || spread->state[s] == 2)
    return FALSE;
  if (spread->state[s] == 0)
    spread->queue[spread->tail++] = s;
  spread->state[s] = 1;
  spread->inflow[s] += part;
  return TRUE;
}

/* Groups lead one hop nearer each, so first come first dealt out is level by level: each has all its inflow by then. */
static gboolean
deal_out (Spread *spread)
{
  g_autoptr (GArray) group = g_array_new (FALSE, FALSE, sizeof (guint32));

  while (spread->head < spread->tail)
    {
      guint32 s = spread->queue[spread->head++], device = spread->routes->first_switch + s;
      guint n = fab_routes_group (spread->routes, device, spread->lid, (guint32 *) (void *) group->data, group->len);

      if (n > group->len)
        {
          g_array_set_size (group, n);
          fab_routes_group (spread->routes, device, spread->lid, (guint32 *) (void *) group->data, n);
        }
      spread->state[s] = 2;
      for (guint i = 0; i < n; i++)
        if (!spread_over (spread, g_array_index (group, guint32, i), spread->inflow[s] / n))
          return FALSE;
      if (n == 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
walk_alone (const FabRoutes *routes, guint32 from, guint32 to, GArray *links, GArray *parts)
{
  static const double whole = 1;
  guint n_before = links->len;

  if (!fab_routes_walk (routes, from, to, links))
    return FALSE;
  for (guint i = n_before; i < links->len; i++)
    g_array_append_val (parts, whole);
  return TRUE;
}

gboolean
fab_routes_spread (const FabRoutes *routes, guint32 from, guint32 to, GArray *links, GArray *parts)
{
  guint32 first = fab_topology_port (routes->graph.topology, from)->link;
  guint n_links = links->len, n_parts = parts->len;
  Spread spread = { .routes = routes, .lid = fab_subnet_port_lid (routes->subnet, to), .port = to, .links = links, .parts = parts };
  gboolean reaches;

  if (routes->forwarding != FAB_FORWARDING_ADAPTIVE || spread.lid == 0 || first == FAB_NONE)
    return walk_alone (routes, from, to, links, parts);
  spread.inflow = g_new0 (double, MAX (routes->n_switches, 1));
  spread.state = g_new0 (guint8, MAX (routes->n_switches, 1));
  spread.queue = g_new (guint32, MAX (routes->n_switches, 1));
  reaches = spread_over (&spread, first, 1) && deal_out (&spread);
  g_free (spread.inflow);
  g_free (spread.state);
  g_free (spread.queue);
  if (reaches)
    return TRUE;
  g_array_set_size (links, n_links);
  g_array_set_size (parts, n_parts);
  return walk_alone (routes, from, to, links, parts);
}
