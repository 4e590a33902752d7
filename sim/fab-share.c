/* fab-share.c: progressive filling over the parts of the fabric that changed
 *
 * Bertsekas and Gallager, Data Networks, 6.5.2: all unfixed flows rise together; the resource with the smallest share left
 * for each of its unfixed flows fills first and fixes them. The shares of resources never fall while others fill, so a heap
 * whose entries are refreshed when they surface is enough.
 */
#include "fab-share-private.h"

#define NO_HOP FAB_NONE

/* A flow on a resource: one entry of the resource's doubly linked list. A flow's hops are contiguous. */
typedef struct
{
  guint32 resource;
  guint32 slot;
  guint32 prev, next;   /* rows of hops[] */
} Hop;

typedef struct
{
  double  capacity;     /* bytes a second */
  double  left;         /* while solving */
  guint32 first_hop;
  guint32 n_hops;
  guint32 n_unfixed;    /* while solving */
  guint32 seen;         /* the solve that last looked here */
} Resource;

typedef struct
{
  FabShareFlow flow;
  guint32      first_hop;
  guint32      n_hops;
  guint32      room;    /* hops the block at first_hop can hold */
  guint32      seen;
  gboolean     fixed;
  double       old_rate;
  guint32      old_limit;
} Slot;

typedef struct
{
  double  share;
  guint32 id;           /* a resource, or n_resources + slot for a flow's own cap */
} Level;

struct _FabShare
{
  const FabTopology *topology;
  guint32    n_links;
  guint32    n_resources;   /* n_links, then one a link pair */
  Resource  *resources;
  GArray    *hops;          /* Hop */
  GArray    *slots;         /* Slot */
  GArray    *free_slots;    /* guint32 */
  GArray    *dirty;         /* resources touched since the last solve */
  GArray    *part;          /* slots of the part being solved */
  GArray    *part_resources;
  GArray    *heap;          /* Level */
  guint32    solve;
};

FabShare *
fab__share_new (const FabTopology *topology, const FabFaults *faults)
{
  FabShare *share = g_new0 (FabShare, 1);

  share->topology = topology;
  share->n_links = fab_topology_n_links (topology);
  share->n_resources = share->n_links + share->n_links / 2;
  share->resources = g_new0 (Resource, MAX (share->n_resources, 1));
  for (guint32 i = 0; i < share->n_resources; i++)
    share->resources[i].first_hop = NO_HOP;
  for (guint32 link = 0; link < share->n_links; link++)
    {
      share->resources[link].capacity = (double) fab_faults_goodput_bps (faults, topology, link) / 8;
      share->resources[share->n_links + link / 2].capacity = (double) fab_topology_link (topology, link)->aggregate_bps / 8;
    }
  share->hops = g_array_new (FALSE, FALSE, sizeof (Hop));
  share->slots = g_array_new (FALSE, TRUE, sizeof (Slot));
  share->free_slots = g_array_new (FALSE, FALSE, sizeof (guint32));
  share->dirty = g_array_new (FALSE, FALSE, sizeof (guint32));
  share->part = g_array_new (FALSE, FALSE, sizeof (guint32));
  share->part_resources = g_array_new (FALSE, FALSE, sizeof (guint32));
  share->heap = g_array_new (FALSE, FALSE, sizeof (Level));
  return share;
}

void
fab__share_free (FabShare *share)
{
  if (share == NULL)
    return;
  g_free (share->resources);
  g_array_unref (share->hops);
  g_array_unref (share->slots);
  g_array_unref (share->free_slots);
  g_array_unref (share->dirty);
  g_array_unref (share->part);
  g_array_unref (share->part_resources);
  g_array_unref (share->heap);
  g_free (share);
}

static inline Hop *
hop_at (const FabShare *share, guint32 hop)
{
  return &g_array_index (share->hops, Hop, hop);
}

static inline Slot *
slot_at (const FabShare *share, guint32 slot)
{
  return &g_array_index (share->slots, Slot, slot);
}

const FabShareFlow *
fab__share_flow (const FabShare *share, guint32 slot)
{
  return &slot_at (share, slot)->flow;
}

static guint32
take_slot (FabShare *share)
{
  guint32 slot;

  if (share->free_slots->len == 0)
    {
      g_array_set_size (share->slots, share->slots->len + 1);
      return share->slots->len - 1;
    }
  slot = g_array_index (share->free_slots, guint32, share->free_slots->len - 1);
  g_array_set_size (share->free_slots, share->free_slots->len - 1);
  return slot;
}

static void
enter (FabShare *share, guint32 hop, guint32 slot, guint32 resource)
{
  Resource *entered = &share->resources[resource];

  *hop_at (share, hop) = (Hop) { .resource = resource, .slot = slot, .prev = NO_HOP, .next = entered->first_hop };
  if (entered->first_hop != NO_HOP)
    hop_at (share, entered->first_hop)->prev = hop;
  entered->first_hop = hop;
  entered->n_hops++;
  g_array_append_val (share->dirty, resource);
}

static void
leave (FabShare *share, guint32 hop)
{
  const Hop *left = hop_at (share, hop);
  Resource *resource = &share->resources[left->resource];

  if (left->prev != NO_HOP)
    hop_at (share, left->prev)->next = left->next;
  else
    resource->first_hop = left->next;
  if (left->next != NO_HOP)
    hop_at (share, left->next)->prev = left->prev;
  resource->n_hops--;
  if (resource->n_hops > 0)   /* nobody is left to gain otherwise */
    g_array_append_val (share->dirty, left->resource);
}

guint32
fab__share_add (FabShare *share, guint32 owner, const guint32 *links, guint32 n_links, guint64 flow_bps, guint32 flow_link)
{
  guint32 slot = take_slot (share);
  Slot *taken = slot_at (share, slot);
  guint32 n_hops = n_links;

  for (guint32 i = 0; i < n_links; i++)
    n_hops += share->resources[share->n_links + links[i] / 2].capacity > 0 ? 1 : 0;
  if (taken->room < n_hops)
    {
      taken->first_hop = share->hops->len;
      taken->room = n_hops;
      g_array_set_size (share->hops, share->hops->len + n_hops);
    }
  taken->flow = (FabShareFlow) { .owner = owner, .cap = (double) flow_bps / 8, .cap_link = flow_link, .limit = FAB_NONE };
  taken->n_hops = 0;
  taken->seen = 0;
  for (guint32 i = 0; i < n_links; i++)
    {
      guint32 pair = share->n_links + links[i] / 2;

      enter (share, taken->first_hop + taken->n_hops++, slot, links[i]);
      if (share->resources[pair].capacity > 0)
        enter (share, taken->first_hop + taken->n_hops++, slot, pair);
    }
  return slot;
}

void
fab__share_remove (FabShare *share, guint32 slot)
{
  const Slot *left = slot_at (share, slot);

  for (guint32 i = 0; i < left->n_hops; i++)
    leave (share, left->first_hop + i);
  g_array_append_val (share->free_slots, slot);
}

static inline gboolean
level_before (Level a, Level b)
{
  return a.share != b.share ? a.share < b.share : a.id < b.id;
}

static void
heap_push (GArray *heap, Level level)
{
  guint i = heap->len;

  g_array_append_val (heap, level);
  for (; i > 0 && level_before (level, g_array_index (heap, Level, (i - 1) / 2)); i = (i - 1) / 2)
    g_array_index (heap, Level, i) = g_array_index (heap, Level, (i - 1) / 2);
  g_array_index (heap, Level, i) = level;
}

static Level
heap_pop (GArray *heap)
{
  Level top = g_array_index (heap, Level, 0);
  Level last = g_array_index (heap, Level, heap->len - 1);
  guint i = 0, child;

  g_array_set_size (heap, heap->len - 1);
  for (; (child = 2 * i + 1) < heap->len; i = child)
    {
      if (child + 1 < heap->len && level_before (g_array_index (heap, Level, child + 1), g_array_index (heap, Level, child)))
        child++;
      if (!level_before (g_array_index (heap, Level, child), last))
        break;
      g_array_index (heap, Level, i) = g_array_index (heap, Level, child);
    }
  if (heap->len > 0)
    g_array_index (heap, Level, i) = last;
  return top;
}

static void
see_resource (FabShare *share, guint32 resource)
{
  Resource *seen = &share->resources[resource];

  if (seen->seen == share->solve)
    return;
  seen->seen = share->solve;
  seen->left = seen->capacity;
  seen->n_unfixed = seen->n_hops;
  g_array_append_val (share->part_resources, resource);
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
      guint32 at = g_array_index (share->part_resources, guint32, r);

      for (guint32 h = share->resources[at].first_hop; h != NO_HOP; h = hop_at (share, h)->next)
        {
          guint32 slot = hop_at (share, h)->slot;
          Slot *flow = slot_at (share, slot);

          if (flow->seen == share->solve)
            continue;
          flow->seen = share->solve;
          flow->fixed = FALSE;
          flow->old_rate = flow->flow.rate;
          flow->old_limit = flow->flow.limit;
          g_array_append_val (share->part, slot);
          for (guint32 i = 0; i < flow->n_hops; i++)
            see_resource (share, hop_at (share, flow->first_hop + i)->resource);
        }
    }
}

static guint32
link_of_resource (const FabShare *share, const Slot *flow, guint32 resource)
{
  if (resource < share->n_links)
    return resource;
  for (guint32 i = 0; i < flow->n_hops; i++)   /* an aggregate is charged to the direction the flow takes */
    {
      guint32 link = hop_at (share, flow->first_hop + i)->resource;

      if (link < share->n_links && link / 2 == resource - share->n_links)
        return link;
    }
  return FAB_NONE;
}

static void
fix (FabShare *share, Slot *flow, double rate, guint32 limit)
{
  flow->fixed = TRUE;
  flow->flow.rate = rate;
  flow->flow.limit = limit;
  for (guint32 i = 0; i < flow->n_hops; i++)
    {
      Resource *resource = &share->resources[hop_at (share, flow->first_hop + i)->resource];

      resource->left = MAX (0, resource->left - rate);
      resource->n_unfixed--;
    }
}

/* A flow that shares nothing: its narrowest resource or its cap, without a heap. */
static void
fill_alone (FabShare *share, Slot *flow)
{
  double rate = flow->flow.cap > 0 ? flow->flow.cap : G_MAXDOUBLE;
  guint32 limit = flow->flow.cap > 0 ? flow->flow.cap_link : FAB_NONE;

  for (guint32 i = 0; i < flow->n_hops; i++)
    {
      guint32 at = hop_at (share, flow->first_hop + i)->resource;
      const Resource *resource = &share->resources[at];
      double level = resource->capacity / resource->n_hops;   /* twice on it: both directions of an aggregate */

      if (level < rate || (level == rate && limit == FAB_NONE))
        {
          rate = level;
          limit = link_of_resource (share, flow, at);
        }
    }
  flow->flow.rate = rate;
  flow->flow.limit = limit;
}

static void
fill (FabShare *share)
{
  g_array_set_size (share->heap, 0);
  for (guint r = 0; r < share->part_resources->len; r++)
    {
      guint32 at = g_array_index (share->part_resources, guint32, r);
      const Resource *resource = &share->resources[at];

      if (resource->n_unfixed > 0)
        heap_push (share->heap, (Level) { .share = resource->left / resource->n_unfixed, .id = at });
    }
  for (guint f = 0; f < share->part->len; f++)
    {
      guint32 slot = g_array_index (share->part, guint32, f);
      double cap = slot_at (share, slot)->flow.cap;

      if (cap > 0)
        heap_push (share->heap, (Level) { .share = cap, .id = share->n_resources + slot });
    }

  for (guint n_left = share->part->len; n_left > 0 && share->heap->len > 0;)
    {
      Level level = heap_pop (share->heap);

      if (level.id >= share->n_resources)
        {
          Slot *flow = slot_at (share, level.id - share->n_resources);

          if (!flow->fixed)
            {
              fix (share, flow, level.share, flow->flow.cap_link);
              n_left--;
            }
          continue;
        }

      Resource *resource = &share->resources[level.id];
      double now = resource->n_unfixed > 0 ? resource->left / resource->n_unfixed : 0;

      if (resource->n_unfixed == 0)
        continue;
      if (now > level.share)
        {
          heap_push (share->heap, (Level) { .share = now, .id = level.id });
          continue;
        }
      for (guint32 h = resource->first_hop; h != NO_HOP; h = hop_at (share, h)->next)
        {
          Slot *flow = slot_at (share, hop_at (share, h)->slot);

          if (flow->fixed)
            continue;
          fix (share, flow, now, link_of_resource (share, flow, level.id));
          n_left--;
        }
    }
}

#ifdef FAB_INVARIANTS
static void
assert_capacities (const FabShare *share)
{
  for (guint r = 0; r < share->part_resources->len; r++)
    {
      const Resource *resource = &share->resources[g_array_index (share->part_resources, guint32, r)];
      double used = 0;

      for (guint32 h = resource->first_hop; h != NO_HOP; h = hop_at (share, h)->next)
        used += slot_at (share, hop_at (share, h)->slot)->flow.rate;
      g_assert (used <= resource->capacity * (1 + 1e-9));
    }
}
#endif

static void
solve_part (FabShare *share, FabShareChanged changed, gpointer data, FabCounters *counters)
{
  counters->solves++;
  counters->solved_flows += share->part->len;
  if (share->part->len == 1)
    fill_alone (share, slot_at (share, g_array_index (share->part, guint32, 0)));
  else
    fill (share);
#ifdef FAB_INVARIANTS
  assert_capacities (share);
#endif
  for (guint f = 0; f < share->part->len; f++)
    {
      guint32 slot = g_array_index (share->part, guint32, f);
      const Slot *flow = slot_at (share, slot);

      if (flow->flow.rate != flow->old_rate || flow->flow.limit != flow->old_limit)
        changed (slot, flow->old_rate, data);
    }
}

void
fab__share_solve (FabShare *share, FabShareChanged changed, gpointer data, FabCounters *counters)
{
  share->solve++;
  for (guint d = 0; d < share->dirty->len; d++)
    {
      guint32 resource = g_array_index (share->dirty, guint32, d);

      if (share->resources[resource].seen == share->solve || share->resources[resource].n_hops == 0)
        continue;
      collect_part (share, resource);
      if (share->part->len > 0)
        solve_part (share, changed, data, counters);
    }
  g_array_set_size (share->dirty, 0);
}
