/* fab-share-fill.c: progressive filling of a part
 *
 * Bertsekas and Gallager, Data Networks, 6.5.2, with weights: all unfixed flows rise together, each by its weight; the resource
 * with the lowest level left fills first and fixes them. Levels never fall while others fill, so a heap whose entries are
 * refreshed when they surface is enough.
 */
#include "fab-share-part-private.h"

static inline gboolean
level_before (FabLevel a, FabLevel b)
{
  return a.level != b.level ? a.level < b.level : a.id < b.id;
}

static void
heap_push (GArray *heap, FabLevel level)
{
  guint i = heap->len;

  g_array_append_val (heap, level);
  for (; i > 0 && level_before (level, g_array_index (heap, FabLevel, (i - 1) / 2)); i = (i - 1) / 2)
    g_array_index (heap, FabLevel, i) = g_array_index (heap, FabLevel, (i - 1) / 2);
  g_array_index (heap, FabLevel, i) = level;
}

/* Puts @level at the top's place, from where it sinks. */
static void
heap_replace_top (GArray *heap, FabLevel level)
{
  guint i = 0, child;

  for (; (child = 2 * i + 1) < heap->len; i = child)
    {
      if (child + 1 < heap->len && level_before (g_array_index (heap, FabLevel, child + 1), g_array_index (heap, FabLevel, child)))
        child++;
      if (!level_before (g_array_index (heap, FabLevel, child), level))
        break;
      g_array_index (heap, FabLevel, i) = g_array_index (heap, FabLevel, child);
    }
  g_array_index (heap, FabLevel, i) = level;
}

static void
heap_drop_top (GArray *heap)
{
  FabLevel last = g_array_index (heap, FabLevel, heap->len - 1);

  g_array_set_size (heap, heap->len - 1);
  if (heap->len > 0)
    heap_replace_top (heap, last);
}

static inline double
part_of (const double *parts, guint32 hop)
{
  return parts != NULL ? parts[hop] : 1;
}

static void
fix (FabShare *share, FabShareFlow *flow, double rate, guint32 limit)
{
  const FabShareRouteRow *route = fab__share_route_of (share, flow);
  const guint32 *hops = fab__share_hops (share, route);
  const double *parts = fab__share_parts (share, route);

  flow->fixed = TRUE;
  flow->rate = rate;
  flow->limit = limit;
  for (guint32 i = 0; i < route->n; i++)
    {
      FabResource *resource = &share->resources[hops[i]];

      resource->left = MAX (0, resource->left - rate * part_of (parts, i));
      resource->weight -= flow->weight * part_of (parts, i);
      resource->n_unfixed--;
    }
}

/* A flow that shares nothing: its narrowest resource or its cap, without a heap. */
static void
fill_alone (FabShare *share, FabShareFlow *flow)
{
  const FabShareRouteRow *route = fab__share_route_of (share, flow);
  const guint32 *hops = fab__share_hops (share, route);
  const double *parts = fab__share_parts (share, route);
  guint32 full = FAB_NONE;

  flow->rate = route->cap > 0 ? route->cap : G_MAXDOUBLE;
  for (guint32 i = 0; i < route->n; i++)
    {
      const FabResource *resource = &share->resources[hops[i]];
      double level = resource->capacity / (resource->n_live * part_of (parts, i));   /* twice on it: both directions of an aggregate */

      if (level > flow->rate || (level == flow->rate && (full != FAB_NONE || route->cap > 0)))
        continue;
      flow->rate = level;
      full = hops[i];
    }
  flow->limit = full != FAB_NONE ? fab__share_link_of (share, flow, full) : route->cap_link;
}

/* ---- many flows ---- */

static void
begin_resource (FabShare *share, guint32 at)
{
  FabResource *resource = &share->resources[at];

  resource->left = resource->capacity;
  resource->n_unfixed = resource->n_live;
  resource->weight = resource->n_live;
}

/* Weights and parts other than 1 are summed flow by flow. */
static void
sum_weights (FabShare *share)
{
  for (guint r = 0; r < share->part_resources->len; r++)
    share->resources[g_array_index (share->part_resources, guint32, r)].weight = 0;
  for (guint f = 0; f < share->part->len; f++)
    {
      const FabShareFlow *flow = &share->flows[g_array_index (share->part, FabPartFlow, f).flow];
      const FabShareRouteRow *route = fab__share_route_of (share, flow);
      const guint32 *hops = fab__share_hops (share, route);
      const double *parts = fab__share_parts (share, route);

      for (guint32 i = 0; i < route->n; i++)
        share->resources[hops[i]].weight += flow->weight * part_of (parts, i);
    }
}

static gboolean
begin_flows (FabShare *share)
{
  gboolean weighted = FALSE;

  for (guint f = 0; f < share->part->len; f++)
    {
      guint32 at = g_array_index (share->part, FabPartFlow, f).flow;
      FabShareFlow *flow = &share->flows[at];
      const FabShareRouteRow *route = fab__share_route_of (share, flow);
      double cap = route->cap;

      flow->fixed = FALSE;
      weighted |= route->spread || flow->weight != 1;
      if (cap > 0)
        heap_push (share->heap, (FabLevel) { .level = cap / flow->weight, .id = share->n_resources + at });
    }
  return weighted;
}

static void
begin (FabShare *share)
{
  gboolean weighted;

  g_array_set_size (share->heap, 0);
  for (guint r = 0; r < share->part_resources->len; r++)
    begin_resource (share, g_array_index (share->part_resources, guint32, r));
  weighted = begin_flows (share);
  if (weighted)
    sum_weights (share);
  for (guint r = 0; r < share->part_resources->len; r++)
    {
      guint32 at = g_array_index (share->part_resources, guint32, r);

      if (share->resources[at].n_unfixed > 0)
        heap_push (share->heap, (FabLevel) { .level = share->resources[at].left / share->resources[at].weight, .id = at });
    }
}

/* All of @at's unfixed flows get their weight's share of what is left. */
static guint
fill_resource (FabShare *share, guint32 at, double level)
{
  const FabResource *resource = &share->resources[at];
  guint n_fixed = 0;

  for (guint32 i = 0; i < resource->n_flows && resource->n_unfixed > 0; i++)
    {
      FabShareFlow *flow = &share->flows[resource->flows[i]];

      if (flow->fixed)
        continue;
      fix (share, flow, level * flow->weight, fab__share_link_of (share, flow, at));
      n_fixed++;
    }
  return n_fixed;
}

static guint
fill_cap (FabShare *share, guint32 at, double level)
{
  FabShareFlow *flow = &share->flows[at];

  if (flow->fixed)
    return 0;
  fix (share, flow, fab__share_route_of (share, flow)->cap, fab__share_route_of (share, flow)->cap_link);
  return 1;
}

void
fab__share_fill (FabShare *share)
{
  if (share->part->len == 1)
    {
      fill_alone (share, &share->flows[g_array_index (share->part, FabPartFlow, 0).flow]);
      return;
    }
  begin (share);
  for (guint n_left = share->part->len; n_left > 0 && share->heap->len > 0;)
    {
      FabLevel top = g_array_index (share->heap, FabLevel, 0);
      const FabResource *resource = top.id < share->n_resources ? &share->resources[top.id] : NULL;
      double now = resource != NULL && resource->n_unfixed > 0 ? resource->left / resource->weight : 0;

      if (resource != NULL && resource->n_unfixed > 0 && now > top.level)
        {
          heap_replace_top (share->heap, (FabLevel) { .level = now, .id = top.id });
          continue;
        }
      heap_drop_top (share->heap);
      if (resource == NULL)
        n_left -= fill_cap (share, top.id - share->n_resources, top.level);
      else if (resource->n_unfixed > 0)
        n_left -= fill_resource (share, top.id, now);
    }
}
