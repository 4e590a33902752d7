/* fab-share-blind.c: where packets may not do what flows do
 *
 * A model of flows has no queues. Three places are known where queues matter: a host's link that several senders fill, inputs with
 * unequal numbers of flows that meet, and a queue in which flows stuck behind a full output stand before flows that could go on.
 */
#include "fab-share-part-private.h"

#define FASTER 1.01   /* a flow is a victim where it goes faster than the one that is stuck by more than this */

#define FULL   1e-9   /* of its capacity is left */

typedef struct _FabShareBlind FabShareBlind;

struct _FabShareBlind
{
  GArray     *spots;      /* FabBlindSpot */
  GHashTable *rows;       /* kind × links + link → row + 1; only looked up */
  guint32    *behind;     /* per link: what a flow on it is stuck behind, + 1 */
  double     *slowest;    /* per link: the rate of the slowest such flow */
  guint8     *lane;       /* per link: its lane */
  guint32    *count;      /* per link: flows that press on it; later victims */
  guint32    *uneven;     /* per link: flows it limits whose weight is not 1 */
  guint32    *sender;     /* per link: the first flow's source link, + 1; many: G_MAXUINT32 */
};

void
fab__share_blind_free (FabShareBlind *blind)
{
  if (blind == NULL)
    return;
  g_array_unref (blind->spots);
  g_hash_table_unref (blind->rows);
  g_free (blind->behind);
  g_free (blind->slowest);
  g_free (blind->lane);
  g_free (blind->count);
  g_free (blind->uneven);
  g_free (blind->sender);
  g_free (blind);
}

static FabShareBlind *
blind_new (const FabShare *share)
{
  FabShareBlind *blind = g_new0 (FabShareBlind, 1);
  gsize n = MAX (share->n_links, 1);

  blind->spots = g_array_new (FALSE, FALSE, sizeof (FabBlindSpot));
  blind->rows = g_hash_table_new (NULL, NULL);
  blind->behind = g_new0 (guint32, n);
  blind->slowest = g_new0 (double, n);
  blind->lane = g_new0 (guint8, n);
  blind->count = g_new0 (guint32, n);
  blind->uneven = g_new0 (guint32, n);
  blind->sender = g_new0 (guint32, n);
  return blind;
}

const FabBlindSpot *
fab__share_blind_spots (const FabShare *share, gsize *n_spots)
{
  *n_spots = share->blind != NULL ? share->blind->spots->len : 0;
  return share->blind != NULL ? (const FabBlindSpot *) (const void *) share->blind->spots->data : NULL;
}

static void
note (FabShare *share, FabBlindKind kind, guint32 link, guint32 behind, guint32 n_flows)
{
  FabShareBlind *blind = share->blind;
  gpointer key = GSIZE_TO_POINTER ((gsize) kind * share->n_links + link);
  guint row = GPOINTER_TO_UINT (g_hash_table_lookup (blind->rows, key));
  FabBlindSpot spot = { .kind = kind, .link = link, .behind = behind, .n_flows = n_flows };

  if (row == 0)
    {
      g_array_append_val (blind->spots, spot);
      g_hash_table_insert (blind->rows, key, GUINT_TO_POINTER (blind->spots->len));
    }
  else if (g_array_index (blind->spots, FabBlindSpot, row - 1).n_flows < n_flows)
    g_array_index (blind->spots, FabBlindSpot, row - 1) = spot;
}

/* The network link that @flow waits for; FAB_NONE: it waits for none. */
static guint32
waits_for (const FabShare *share, const FabShareFlow *flow)
{
  if (flow->limit == FAB_NONE || fab__share_is_capped (share, flow) || fab_topology_link (share->topology, flow->limit)->plane == FAB_NONE)
    return FAB_NONE;
  return flow->limit;
}

static inline gboolean
is_network (const FabShare *share, guint32 resource)
{
  return resource < share->n_links && fab_topology_link (share->topology, resource)->plane != FAB_NONE;
}

/* ---- what each flow does to the links on its way ---- */

static void
mark_way (FabShare *share, const FabShareFlow *flow, guint32 limit)
{
  FabShareBlind *blind = share->blind;
  const FabShareRouteRow *route = fab__share_route_of (share, flow);
  const guint32 *hops = fab__share_hops (share, route);

  for (guint32 i = 0; i < route->n && hops[i] != limit; i++)
    {
      if (!is_network (share, hops[i]) || (blind->behind[hops[i]] != 0 && blind->slowest[hops[i]] <= flow->rate))
        continue;
      blind->behind[hops[i]] = limit + 1;
      blind->slowest[hops[i]] = flow->rate;
      blind->lane[hops[i]] = flow->lane;
    }
}

static guint32
first_network_hop (const FabShare *share, const FabShareFlow *flow)
{
  const FabShareRouteRow *route = fab__share_route_of (share, flow);
  const guint32 *hops = fab__share_hops (share, route);

  for (guint32 i = 0; i < route->n; i++)
    if (is_network (share, hops[i]))
      return hops[i];
  return FAB_NONE;
}

static void
mark_flow (FabShare *share, const FabShareFlow *flow)
{
  FabShareBlind *blind = share->blind;
  guint32 limit = waits_for (share, flow);
  guint32 first = first_network_hop (share, flow);

  if (limit == FAB_NONE)
    return;
  mark_way (share, flow, limit);
  blind->uneven[limit] += flow->weight != 1 ? 1 : 0;
  if (first != limit && share->resources[first].left <= FULL * share->resources[first].capacity)
    return;   /* its sender can give no more: it presses on nothing */
  blind->count[limit]++;
  blind->sender[limit] = blind->sender[limit] == 0 || blind->sender[limit] == first + 1 ? first + 1 : G_MAXUINT32;
}

/* ---- what that makes of a place ---- */

static gboolean
leads_to_host (const FabShare *share, guint32 link)
{
  return fab_topology_device (share->topology, fab_topology_link (share->topology, link)->to_device)->kind != FAB_DEVICE_SWITCH;
}

static void
note_full_outputs (FabShare *share)
{
  FabShareBlind *blind = share->blind;

  for (guint r = 0; r < share->part_resources->len; r++)
    {
      guint32 at = g_array_index (share->part_resources, guint32, r);

      if (at >= share->n_links)
        continue;
      if (blind->count[at] > 1 && leads_to_host (share, at) && blind->sender[at] == G_MAXUINT32)
        note (share, FAB_BLIND_INCAST, at, FAB_NONE, blind->count[at]);
      if (blind->uneven[at] > 0)
        note (share, FAB_BLIND_MERGE, at, FAB_NONE, blind->uneven[at]);
    }
}

static void
clear_counts (FabShare *share)
{
  for (guint r = 0; r < share->part_resources->len; r++)
    if (g_array_index (share->part_resources, guint32, r) < share->n_links)
      share->blind->count[g_array_index (share->part_resources, guint32, r)] = 0;
}

/* Flows that could go on but stand in a queue with one that is stuck. */
static void
count_victims (FabShare *share, const FabShareFlow *flow)
{
  FabShareBlind *blind = share->blind;
  guint32 limit = waits_for (share, flow);
  const FabShareRouteRow *route = fab__share_route_of (share, flow);
  const guint32 *hops = fab__share_hops (share, route);

  for (guint32 i = 0; i < route->n; i++)
    if (is_network (share, hops[i]) && blind->behind[hops[i]] != 0 && blind->behind[hops[i]] != limit + 1
        && blind->lane[hops[i]] == flow->lane && flow->rate > FASTER * blind->slowest[hops[i]])
      blind->count[hops[i]]++;
}

static void
note_blocked_queues (FabShare *share)
{
  FabShareBlind *blind = share->blind;

  for (guint r = 0; r < share->part_resources->len; r++)
    {
      guint32 at = g_array_index (share->part_resources, guint32, r);

      if (at >= share->n_links)
        continue;
      if (blind->count[at] > 0)
        note (share, FAB_BLIND_BLOCKED_QUEUE, at, blind->behind[at] - 1, blind->count[at]);
      blind->behind[at] = blind->count[at] = blind->uneven[at] = blind->sender[at] = 0;
    }
}

void
fab__share_look_for_blind (FabShare *share)
{
  if (share->blind == NULL)
    share->blind = blind_new (share);
  for (guint f = 0; f < share->part->len; f++)
    mark_flow (share, &share->flows[g_array_index (share->part, FabPartFlow, f).flow]);
  note_full_outputs (share);
  clear_counts (share);
  for (guint f = 0; f < share->part->len; f++)
    count_victims (share, &share->flows[g_array_index (share->part, FabPartFlow, f).flow]);
  note_blocked_queues (share);
}
