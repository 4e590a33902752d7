/* fab-packet-clock.h - the pending events of a packet run, in the order of (time, sequence)
 *
 * Nearly all delays of a fabric are a handful of constants, so the events of one delay happen in the order they were scheduled: a
 * track is a ring of them, and only the heads of tracks are merged, by a tournament. What fits no track goes to a heap, which takes
 * part as track 0. An event is one 128-bit number, time above sequence above target, so that one comparison orders two.
 */
#pragma once
#include "base/fab-wide-private.h"

G_BEGIN_DECLS

typedef struct
{
  FabWide *ring;
  guint32  head, tail, mask;   /* head == tail: empty */
  gint64   delay_ps;
  guint32  kind;               /* the caller's, as @value */
  guint32  value;
} FabTrack;

typedef struct
{
  FabWide key;
  guint32 kind, value;
} FabOddEvent;

typedef struct
{
  gint64       now_ps;
  guint32      seq;
  guint32      n_tracks;       /* the heap included */
  guint32      n_leaves;       /* power of two, ≥ n_tracks */
  FabTrack    *tracks;
  FabWide     *heads;          /* first event of each track; FAB_PACKET_NEVER */
  guint16     *winners;        /* 1 the root; from n_leaves on the tracks themselves */
  FabOddEvent *heap;
  guint32      n_heap, heap_room;
  guint64      n_events;       /* popped so far */
  guint64      n_pending;
} FabPacketClock;

typedef struct
{
  guint32 target, kind, value;
} FabPacketEvent;

#define FAB_PACKET_NEVER (~(FabWide) 0)
#define FAB_PACKET_MAX_TRACKS 4096u

void    fab__packet_clock_init  (FabPacketClock *clock);
void    fab__packet_clock_clear (FabPacketClock *clock);
/* The track for these; found again if there is one. 0, the heap, once there are too many. */
guint16 fab__packet_clock_track (FabPacketClock *clock, gint64 delay_ps, guint32 kind, guint32 value);
void    fab__packet_clock_grow  (FabTrack *track);
void    fab__packet_clock_push_odd (FabPacketClock *clock, gint64 time_ps, guint32 kind, guint32 target, guint32 value);
void    fab__packet_clock_pop_odd (FabPacketClock *clock, FabPacketEvent *event);

static inline FabWide
fab__packet_key (gint64 time_ps, guint32 seq, guint32 target)
{
  return (FabWide) (guint64) time_ps << 64 | (guint64) seq << 32 | target;
}

/* A track that was empty has a first event now: it wins upwards until it meets an earlier one. */
static inline void
fab__packet_clock_enter (FabPacketClock *clock, guint32 track, FabWide key)
{
  clock->heads[track] = key;
  for (guint32 node = (clock->n_leaves + track) / 2; node > 0; node /= 2)
    {
      if (clock->heads[clock->winners[node]] < key)
        return;
      clock->winners[node] = (guint16) track;
    }
}

/* The first event of a track became later. */
static inline void
fab__packet_clock_replay (FabPacketClock *clock, guint32 track, FabWide key)
{
  clock->heads[track] = key;
  for (guint32 node = (clock->n_leaves + track) / 2; node > 0; node /= 2)
    {
      guint16 a = clock->winners[2 * node], b = clock->winners[2 * node + 1];

      clock->winners[node] = clock->heads[a] < clock->heads[b] ? a : b;
    }
}

/* @track's delay from now; @track is not the heap. */
static inline void
fab__packet_clock_push (FabPacketClock *clock, guint32 track, guint32 target)
{
  FabTrack *row = &clock->tracks[track];
  FabWide key = fab__packet_key (clock->now_ps + row->delay_ps, clock->seq++, target);
  gboolean empty = row->head == row->tail;

  row->ring[row->tail & row->mask] = key;
  row->tail++;
  clock->n_pending++;
  if (empty)
    fab__packet_clock_enter (clock, track, key);
  if (G_UNLIKELY (row->tail - row->head > row->mask))
    fab__packet_clock_grow (row);
}

/* FALSE: nothing is left. Else the time is the event's. */
static inline gboolean
fab__packet_clock_pop (FabPacketClock *clock, FabPacketEvent *event)
{
  guint32 track = clock->winners[1];
  FabWide key = clock->heads[track];
  FabTrack *row = &clock->tracks[track];

  if (key == FAB_PACKET_NEVER)
    return FALSE;
  clock->now_ps = (gint64) (key >> 64);
  clock->n_events++;
  clock->n_pending--;
  if (G_UNLIKELY (track == 0))
    {
      fab__packet_clock_pop_odd (clock, event);
      return TRUE;
    }
  event->target = (guint32) key;
  event->kind = row->kind;
  event->value = row->value;
  row->head++;
  fab__packet_clock_replay (clock, track, row->head == row->tail ? FAB_PACKET_NEVER : row->ring[row->head & row->mask]);
  return TRUE;
}

G_END_DECLS
