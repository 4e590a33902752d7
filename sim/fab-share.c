/* fab-share.c: who shares what, and which part of the fabric a change touches */
#include "fab-share-part-private.h"
#include "base/fab-memory-private.h"

#define USUAL_HOPS   12
#define MANY_MEMBERS (1u << 18)
#define MANY_PATHS   500000   /* that none but all-to-all take, each once */

FabShare *
fab__share_new (const FabTopology *topology, const FabFaults *faults, FabSharing sharing, const FabQos *const *lanes, guint32 n_flows)
{
  FabShare *share = g_new0 (FabShare, 1);

  share->topology = topology;
  share->sharing = sharing;
  share->weigh_below = G_MAXUINT;
  share->lanes = g_new0 (const FabQos *, fab_topology_n_planes (topology) + 1);
  for (guint32 p = 0; lanes != NULL && p < fab_topology_n_planes (topology); p++)
    share->lanes[p] = lanes[p];
  share->n_links = fab_topology_n_links (topology);
  share->n_resources = share->n_links + share->n_links / 2;
  share->n_flows = n_flows;
  share->resources = g_new0 (FabResource, MAX (share->n_resources, 1));
  share->flows = g_new0 (FabShareFlow, MAX (n_flows, 1));
  fab__memory_wish_large (share->flows, sizeof (FabShareFlow) * n_flows);
  for (guint32 link = 0; link < share->n_links; link++)
    {
      share->resources[link].capacity = (double) fab_faults_goodput_bps (faults, topology, link) / 8;
      share->resources[share->n_links + link / 2].capacity = (double) fab_topology_link (topology, link)->aggregate_bps / 8;
    }
  share->routes = g_array_new (FALSE, FALSE, sizeof (FabShareRouteRow));
  share->hops = g_array_new (FALSE, FALSE, sizeof (guint32));
  share->parts = g_array_new (FALSE, FALSE, sizeof (double));
  share->inputs = g_array_new (FALSE, FALSE, sizeof (guint16));
  share->dirty = g_array_new (FALSE, FALSE, sizeof (guint32));
  share->added = g_array_new (FALSE, FALSE, sizeof (guint32));
  share->blocks = g_ptr_array_new_with_free_func (g_free);
  share->part = g_array_new (FALSE, FALSE, sizeof (FabPartFlow));
  share->part_resources = g_array_new (FALSE, FALSE, sizeof (guint32));
  share->heap = g_array_new (FALSE, FALSE, sizeof (FabLevel));
  return share;
}

void
fab__share_free (FabShare *share)
{
  if (share == NULL)
    return;
  for (guint32 r = 0; r < share->n_resources; r++)
    if (!share->resources[r].is_carved)
      g_free (share->resources[r].members);
  g_free (share->resources);
  g_free (share->flows);
  g_free (share->lanes);
  fab__share_weights_free (share->weights);
  fab__share_blind_free (share->blind);
  g_array_unref (share->routes);
  g_array_unref (share->hops);
  g_array_unref (share->parts);
  g_array_unref (share->inputs);
  g_array_unref (share->dirty);
  g_array_unref (share->added);
  g_ptr_array_unref (share->blocks);
  g_array_unref (share->part);
  g_array_unref (share->part_resources);
  g_array_unref (share->heap);
  g_free (share);
}

void
fab__share_weigh_below (FabShare *share, guint n_flows)
{
  share->weigh_below = n_flows;
}

double
fab__share_rate (const FabShare *share, guint32 flow)
{
  return share->flows[flow].rate;
}

guint32
fab__share_limit (const FabShare *share, guint32 flow)
{
  return share->flows[flow].limit;
}

/* ---- routes ---- */

void
fab__share_expect (FabShare *share, gsize n)
{
  fab__array_reserve (share->routes, n, n > MANY_PATHS);
  fab__array_reserve (share->hops, n * USUAL_HOPS, n > MANY_PATHS);
  fab__array_reserve (share->inputs, n * USUAL_HOPS, n > MANY_PATHS);
  fab__array_reserve (share->part, n, n > MANY_PATHS);
}

/* By which hop of the route a flow comes into the output that hop @at is. */
static guint16
input_of (const FabShare *share, const FabShareRouteRow *route, guint32 at, const guint32 *hops)
{
  const FabLink *link = at < share->n_links ? fab_topology_link (share->topology, at) : NULL;
  guint32 i = share->hops->len - route->first;

  if (share->sharing != FAB_SHARING_PER_PORT || route->spread || link == NULL || link->kind == FAB_LINK_ETHERNET
      || fab_topology_device (share->topology, link->from_device)->kind == FAB_DEVICE_NIC)
    return FAB_OWN_INPUT;
  while (i > 0 && hops[i - 1] >= share->n_links)
    i--;
  return i > 0 && i <= FAB_OWN_INPUT ? (guint16) (i - 1) : FAB_OWN_INPUT;
}

static void
append_hop (FabShare *share, const FabShareRouteRow *route, guint32 resource, double part, gboolean spread)
{
  guint16 input = input_of (share, route, resource, fab__share_hops (share, route));

  g_array_append_val (share->inputs, input);
  g_array_append_val (share->hops, resource);
  if (spread || share->parts->len > 0)
    g_array_append_val (share->parts, part);
}

/* Routes so far were not spread: every part of theirs is 1. */
static void
begin_parts (FabShare *share)
{
  double whole = 1;

  while (share->parts->len < share->hops->len)
    g_array_append_val (share->parts, whole);
}

static double
narrowest (const FabShare *share, const FabShareRouteRow *row)
{
  const guint32 *hops = fab__share_hops (share, row);
  double least = G_MAXDOUBLE;

  for (guint32 i = 0; i < row->n && !row->spread; i++)
    least = MIN (least, share->resources[hops[i]].capacity);
  return least;
}

guint32
fab__share_route (FabShare *share, const FabShareRoute *route)
{
  FabShareRouteRow row = { .cap = (double) route->flow_bps / 8, .cap_link = route->flow_link, .first = share->hops->len, .spread = route->parts != NULL };

  if (route->parts != NULL)
    begin_parts (share);
  for (guint32 i = 0; i < route->n_links; i++)
    {
      double part = route->parts != NULL ? route->parts[i] : 1;
      guint32 pair = share->n_links + route->links[i] / 2;

      if (!share->resources[route->links[i]].needless)
        append_hop (share, &row, route->links[i], part, route->parts != NULL);
      if (share->resources[pair].capacity > 0 && !share->resources[pair].needless)
        append_hop (share, &row, pair, part, route->parts != NULL);
    }
  row.n = share->hops->len - row.first;
  if (row.cap > narrowest (share, &row))
    row.cap = 0;   /* it cannot go so fast */
  g_array_append_val (share->routes, row);
  return share->routes->len - 1;
}

guint32
fab__share_link_of (const FabShare *share, const FabShareFlow *flow, guint32 resource)
{
  const FabShareRouteRow *route = fab__share_route_of (share, flow);
  const guint32 *hops = fab__share_hops (share, route);

  if (resource < share->n_links)
    return resource;
  for (guint32 i = 0; i < route->n; i++)
    if (hops[i] < share->n_links && hops[i] / 2 == resource - share->n_links)
      return hops[i];
  return FAB_NONE;
}

/* ---- flows come and go ---- */

static void
touch (FabShare *share, guint32 at)
{
  if (share->resources[at].dirty)
    return;
  share->resources[at].dirty = TRUE;
  g_array_append_val (share->dirty, at);
}

/* A resource that nobody else is on needs no list kept in order. */
static void
leave (FabShare *share, guint32 at)
{
  FabResource *resource = &share->resources[at];

  if (--resource->n_live == 0)
    resource->n_members = 0;
  else
    touch (share, at);
}

void
fab__share_add (FabShare *share, guint32 flow, guint32 route, guint lane)
{
  share->flows[flow] = (FabShareFlow) { .weight = 1, .route = route, .limit = FAB_NONE, .lane = (guint8) lane, .alive = TRUE };
  share->unequal_lanes |= lane != 0;
  g_array_append_val (share->added, flow);
}

/* Room for those that come: exactly, where nobody was there before. */
static void
make_room (FabShare *share, FabResource *resource, FabMember **block)
{
  guint32 needed = resource->n_members + resource->n_coming;
  FabMember *members;

  if (*block != NULL && resource->members == NULL)
    {
      resource->members = *block;
      resource->room = resource->n_coming;
      resource->is_carved = TRUE;
      *block += resource->n_coming;
    }
  if (needed <= resource->room)
    return;
  resource->room = MAX (4, MAX (needed, 2 * resource->room));
  members = g_renew (FabMember, resource->is_carved ? NULL : resource->members, resource->room);
  if (resource->is_carved)
    memcpy (members, resource->members, sizeof (FabMember) * resource->n_members);
  resource->members = members;
  resource->is_carved = FALSE;
}

static void
enter (FabShare *share, guint32 flow, FabMember **block)
{
  const FabShareRouteRow *row = fab__share_route_of (share, &share->flows[flow]);
  const guint32 *hops = fab__share_hops (share, row);

  for (guint32 i = 0; i < row->n; i++)
    {
      FabResource *resource = &share->resources[hops[i]];

      if (resource->n_coming > 0)
        make_room (share, resource, block);
      resource->n_coming = 0;
      resource->members[resource->n_members++] = (FabMember) { .flow = flow, .hop = i };
      resource->n_live++;
    }
  if (row->n > 0)
    touch (share, hops[0]);   /* the rest of its route is found from here */
}

/* Of very many at once the lists lie in one block, on large pages. */
static FabMember *
take_block (FabShare *share, gsize n_members)
{
  FabMember *block;

  if (n_members < MANY_MEMBERS)
    return NULL;
  block = g_new (FabMember, n_members);
  fab__memory_wish_large (block, sizeof (FabMember) * n_members);
  g_ptr_array_add (share->blocks, block);
  return block;
}

static void
enter_added (FabShare *share)
{
  gsize n_members = 0;
  FabMember *block;

  for (guint f = 0; f < share->added->len; f++)
    {
      const FabShareRouteRow *row = fab__share_route_of (share, &share->flows[g_array_index (share->added, guint32, f)]);
      const guint32 *hops = fab__share_hops (share, row);

      n_members += row->n;
      for (guint32 i = 0; i < row->n; i++)
        share->resources[hops[i]].n_coming++;
    }
  block = take_block (share, n_members);
  for (guint f = 0; f < share->added->len; f++)
    enter (share, g_array_index (share->added, guint32, f), &block);
  g_array_set_size (share->added, 0);
}

void
fab__share_remove (FabShare *share, guint32 flow)
{
  FabShareFlow *removed = &share->flows[flow];
  const FabShareRouteRow *row = fab__share_route_of (share, removed);
  const guint32 *hops = fab__share_hops (share, row);

  removed->alive = FALSE;
  for (guint32 i = 0; i < row->n; i++)
    leave (share, hops[i]);
}

/* ---- the part of the fabric joined to a change ---- */

static void
drop_gone (const FabShare *share, FabResource *resource)
{
  guint32 n = 0;

  for (guint32 i = 0; i < resource->n_members && n < resource->n_live; i++)
    if (share->flows[resource->members[i].flow].alive)
      resource->members[n++] = resource->members[i];
  resource->n_members = n;
}

static inline void
see_resource (FabShare *share, guint32 at)
{
  FabResource *resource = &share->resources[at];

  if (resource->seen == share->solve)
    return;
  resource->seen = share->solve;
  if (resource->n_members != resource->n_live)
    drop_gone (share, resource);
  g_array_append_val (share->part_resources, at);
}

static void
see_flow (FabShare *share, guint32 at)
{
  FabShareFlow *flow = &share->flows[at];
  FabPartFlow row = { .old_rate = flow->rate, .flow = at, .old_limit = flow->limit };
  const FabShareRouteRow *route = fab__share_route_of (share, flow);
  const guint32 *hops = fab__share_hops (share, route);

  flow->seen = share->solve;
  flow->weight = 1;
  g_array_append_val (share->part, row);
  for (guint32 i = 0; i < route->n; i++)
    see_resource (share, hops[i]);
}

/* All flows and resources joined to @resource through shared ones, in the order met. */
static void
collect_part (FabShare *share, guint32 resource)
{
  g_array_set_size (share->part, 0);
  g_array_set_size (share->part_resources, 0);
  see_resource (share, resource);
  for (guint r = 0; r < share->part_resources->len; r++)
    {
      const FabResource *at = &share->resources[g_array_index (share->part_resources, guint32, r)];

      for (guint32 i = 0; i < at->n_members; i++)
        if (share->flows[at->members[i].flow].seen != share->solve)
          see_flow (share, at->members[i].flow);
    }
}

/* ---- solving ---- */

#ifdef FAB_INVARIANTS
static double
part_of_member (const FabShare *share, const FabMember *member)
{
  const double *parts = fab__share_parts (share, fab__share_route_of (share, &share->flows[member->flow]));

  return parts != NULL ? parts[member->hop] : 1;
}

static void
assert_capacities (const FabShare *share)
{
  for (guint r = 0; r < share->part_resources->len; r++)
    {
      guint32 at = g_array_index (share->part_resources, guint32, r);
      const FabResource *resource = &share->resources[at];
      double used = 0;

      for (guint32 i = 0; i < resource->n_members; i++)
        used += share->flows[resource->members[i].flow].rate * part_of_member (share, &resource->members[i]);
      g_assert (used <= resource->capacity * (1 + 1e-9));
    }
}
#endif

/* What ends only makes room: new trouble comes with new flows. */
static gboolean
has_grown (const FabShare *share)
{
  for (guint i = 0; i < share->part->len; i++)
    if (g_array_index (share->part, FabPartFlow, i).old_rate == 0)
      return TRUE;
  return FALSE;
}

static void
solve_part (FabShare *share, FabShareChanged changed, gpointer data, FabCounters *counters)
{
  counters->solves++;
  counters->solved_flows += share->part->len;
  fab__share_fill (share);
  if (share->part->len > 1 && share->part->len < share->weigh_below && (share->sharing == FAB_SHARING_PER_PORT || share->unequal_lanes) && fab__share_weigh (share))
    fab__share_fill (share);
#ifdef FAB_INVARIANTS
  assert_capacities (share);
#endif
  if (share->part->len > 1 && has_grown (share))
    fab__share_look_for_blind (share);
  for (guint i = 0; i < share->part->len; i++)
    {
      const FabPartFlow *row = &g_array_index (share->part, FabPartFlow, i);
      const FabShareFlow *flow = &share->flows[row->flow];

      if (flow->rate != row->old_rate || flow->limit != row->old_limit)
        changed (row->flow, row->old_rate, data);
    }
}

void
fab__share_solve (FabShare *share, FabShareChanged changed, gpointer data, FabCounters *counters)
{
  share->solve++;
  enter_added (share);
  for (guint d = 0; d < share->dirty->len; d++)
    {
      guint32 resource = g_array_index (share->dirty, guint32, d);

      share->resources[resource].dirty = FALSE;
      if (share->resources[resource].seen == share->solve || share->resources[resource].n_live == 0)
        continue;
      collect_part (share, resource);
      solve_part (share, changed, data, counters);
    }
  g_array_set_size (share->dirty, 0);
}
