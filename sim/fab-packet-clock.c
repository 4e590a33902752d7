/* fab-packet-clock.c: tracks, their tournament, and the heap of odd events */
#include "fab-packet-clock.h"

#define FIRST_RING 64u

static void
play_all (FabPacketClock *clock)
{
  for (guint32 i = 0; i < clock->n_leaves; i++)
    clock->winners[clock->n_leaves + i] = (guint16) i;
  for (guint32 node = clock->n_leaves - 1; node > 0; node--)
    {
      guint16 a = clock->winners[2 * node], b = clock->winners[2 * node + 1];

      clock->winners[node] = clock->heads[a] < clock->heads[b] ? a : b;
    }
}

static void
set_leaves (FabPacketClock *clock, guint32 n_leaves)
{
  clock->tracks = g_renew (FabTrack, clock->tracks, n_leaves);
  clock->heads = g_renew (FabWide, clock->heads, n_leaves);
  clock->winners = g_renew (guint16, clock->winners, 2 * n_leaves);
  for (guint32 i = clock->n_leaves; i < n_leaves; i++)
    clock->heads[i] = FAB_PACKET_NEVER;
  clock->n_leaves = n_leaves;
  play_all (clock);
}

void
fab__packet_clock_init (FabPacketClock *clock)
{
  *clock = (FabPacketClock) { .n_tracks = 1 };
  set_leaves (clock, 16);
  clock->tracks[0] = (FabTrack) { .delay_ps = -1 };
}

void
fab__packet_clock_clear (FabPacketClock *clock)
{
  for (guint32 i = 1; i < clock->n_tracks; i++)
    g_free (clock->tracks[i].ring);
  g_free (clock->tracks);
  g_free (clock->heads);
  g_free (clock->winners);
  g_free (clock->heap);
}

guint16
fab__packet_clock_track (FabPacketClock *clock, gint64 delay_ps, guint32 kind, guint32 value)
{
  for (guint32 i = 1; i < clock->n_tracks; i++)
    if (clock->tracks[i].delay_ps == delay_ps && clock->tracks[i].kind == kind && clock->tracks[i].value == value)
      return (guint16) i;
  if (clock->n_tracks == FAB_PACKET_MAX_TRACKS)
    return 0;
  if (clock->n_tracks == clock->n_leaves)
    set_leaves (clock, 2 * clock->n_leaves);
  clock->tracks[clock->n_tracks] = (FabTrack) {
    .ring = g_new (FabWide, FIRST_RING), .mask = FIRST_RING - 1, .delay_ps = delay_ps, .kind = kind, .value = value,
  };
  return (guint16) clock->n_tracks++;
}

/* The ring is full: twice the room, its events at the front. */
void
fab__packet_clock_grow (FabTrack *track)
{
  guint32 n = track->mask + 1;
  FabWide *ring = g_new (FabWide, 2 * (gsize) n);

  for (guint32 i = 0; i < n; i++)
    ring[i] = track->ring[(track->head + i) & track->mask];
  g_free (track->ring);
  *track = (FabTrack) {
    .ring = ring, .tail = n, .mask = 2 * n - 1, .delay_ps = track->delay_ps, .kind = track->kind, .value = track->value,
  };
}

void
fab__packet_clock_push_odd (FabPacketClock *clock, gint64 time_ps, guint32 kind, guint32 target, guint32 value)
{
  FabOddEvent event = { .key = fab__packet_key (time_ps, clock->seq++, target), .kind = kind, .value = value };
  guint32 i = clock->n_heap++;

  if (clock->n_heap > clock->heap_room)
    {
      clock->heap_room = MAX (2 * clock->heap_room, 64);
      clock->heap = g_renew (FabOddEvent, clock->heap, clock->heap_room);
    }
  for (; i > 0 && event.key < clock->heap[(i - 1) / 2].key; i = (i - 1) / 2)
    clock->heap[i] = clock->heap[(i - 1) / 2];
  clock->heap[i] = event;
  clock->n_pending++;
  if (i == 0)
    fab__packet_clock_enter (clock, 0, event.key);
}

void
fab__packet_clock_pop_odd (FabPacketClock *clock, FabPacketEvent *event)
{
  FabOddEvent last = clock->heap[--clock->n_heap];
  guint32 i = 0, child;

  *event = (FabPacketEvent) { .target = (guint32) clock->heap[0].key, .kind = clock->heap[0].kind, .value = clock->heap[0].value };
  for (; (child = 2 * i + 1) < clock->n_heap; i = child)
    {
      if (child + 1 < clock->n_heap && clock->heap[child + 1].key < clock->heap[child].key)
        child++;
      if (last.key <= clock->heap[child].key)
        break;
      clock->heap[i] = clock->heap[child];
    }
  clock->heap[i] = last;
  fab__packet_clock_replay (clock, 0, clock->n_heap > 0 ? clock->heap[0].key : FAB_PACKET_NEVER);
}
