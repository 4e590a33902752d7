/* fab-packet-switch.c: the inner loop: a packet arrives, waits, is chosen, goes on; credits come back
 *
 * One event a hop where nothing waits: the arrival. A link tells that it is free only to those that wait for it, and the credit of a
 * buffer is sent on its way when its packet starts to leave, since the time it takes is known.
 */
#include "fab-packet-private.h"

/* Events ahead. */
#define FAR 12u
#define MIDDLE 8u
#define NEAR 4u
#define NEXT 2u

void
fab__packet_free (FabPackets *packets, guint32 row)
{
  packets->packets[row].next = packets->free_packet;
  packets->free_packet = row;
  packets->n_in_flight--;
}

/* ---- what may be sent ---- */

static inline gboolean
link_is_free (const FabPackets *packets, const FabPacketLinkRow *link)
{
  return link->free_ps <= packets->clock.now_ps && !link->pending;
}

static inline gboolean
has_credits (const FabPacketLaneRow *lane, const FabPacketLinkRow *link, guint32 payload_bytes)
{
  return lane->unlimited || lane->credits >= (gint32) fab__packet_blocks (link, payload_bytes);
}

/* When one more output may read this queue's input: now, or later than now. */
static inline gint64
readable_ps (const FabPackets *packets, const FabPacketQueue *queue)
{
  const gint64 *reads = packets->reads + (gsize) FAB_PACKET_MAX_SPEEDUP * packets->lanes[queue->in_lane].link;
  gint64 first_ps = reads[0];

  for (guint32 i = 1; i < packets->read_speedup; i++)
    first_ps = MIN (first_ps, reads[i]);
  return first_ps;
}

static void
note_read (FabPackets *packets, const FabPacketQueue *queue, gint64 until_ps)
{
  gint64 *reads = packets->reads + (gsize) FAB_PACKET_MAX_SPEEDUP * packets->lanes[queue->in_lane].link;
  guint32 first = 0;

  for (guint32 i = 1; i < packets->read_speedup; i++)
    if (reads[i] < reads[first])
      first = i;
  reads[first] = until_ps;
}

static void
note_pair (FabPackets *packets, guint32 link, guint32 payload_bytes)
{
  gint64 *free_ps = &packets->pair_free_ps[link / 2];

  *free_ps = MAX (*free_ps, packets->clock.now_ps) + fab__packet_bits_ps (payload_bytes, packets->pair_bps[link / 2]);
}

/* ---- sending ---- */

/* Where flow control takes packets, or an input has one queue. FALSE: the packet is lost. */
static gboolean
send_specially (FabPackets *packets, guint32 packet, guint32 lane, guint32 in_lane, guint32 payload_bytes, gint64 time_ps)
{
  FabPacketClock *clock = &packets->clock;
  guint32 link = packets->lanes[lane].link;

  if (packets->inputs != NULL && in_lane != FAB_NONE && packets->inputs[in_lane].single)
    {
      if (payload_bytes == packets->links[link].full_bytes && packets->next_track[link] != 0)
        fab__packet_clock_push (clock, packets->next_track[link], in_lane);
      else
        fab__packet_clock_push_odd (clock, clock->now_ps + time_ps, FAB_PACKET_NEXT, in_lane, 0);
    }
  if (packets->protocols == NULL)
    return TRUE;
  if (in_lane != FAB_NONE)
    fab__packet_clock_push_odd (clock, clock->now_ps + time_ps, FAB_PACKET_RELEASE, in_lane,
                                fab__packet_blocks (&packets->links[packets->lanes[in_lane].link], payload_bytes));
  if (fab__packet_protocol_sends (packets, lane, payload_bytes, time_ps))
    return TRUE;
  fab__packet_lose (packets, packet);
  return FALSE;
}

/* On a way of choices: FALSE, it is on its way to a switch that will choose. Else @next is what follows the way. */
static gboolean
comes_to_nic (FabPackets *packets, FabPacket *packet, const FabPacketLaneRow *lane, guint32 *next)
{
  if (!fab__packet_is_there (packets, *next & ~FAB_PACKET_WAY, lane->link))
    return FALSE;
  packet->hop++;
  *next = packets->hops[packet->hop + 1];
  return TRUE;
}

/* @packet has all it needs: the link is free, the receiver has room. It is in no queue any more. */
static void
send (FabPackets *packets, guint32 queue_row, guint32 packet_row)
{
  FabPacketClock *clock = &packets->clock;
  FabPacket *packet = &packets->packets[packet_row];
  FabPacketQueue *queue = &packets->queues[queue_row];
  FabPacketLaneRow *lane = &packets->lanes[queue->lane];
  FabPacketLinkRow *link = &packets->links[lane->link];
  guint32 payload_bytes = packet->payload_bytes, next_row = packets->hops[packet->hop + 1], lane_row = queue->lane, in_lane = queue->in_lane;
  gint64 time_ps = fab__packet_time_ps (link, payload_bytes);
  gboolean full = payload_bytes == queue->full_bytes;

  link->free_ps = clock->now_ps + time_ps;
  packets->n_hops++;
  lane->n_packets++;
  lane->n_bytes += payload_bytes;
  if (!lane->unlimited)
    {
      lane->credits -= (gint32) fab__packet_blocks (link, payload_bytes);
      lane->least_credits = MIN (lane->least_credits, lane->credits);
    }
  if (G_UNLIKELY (packet->flags & FAB_PACKET_WATCHED))
    fab__packet_probe_leaves (packets, packet_row, lane_row);
  if (queue->flags & FAB_PACKET_QUEUE_LIMITED)
    note_read (packets, queue, link->free_ps);
  if (link->paired)
    note_pair (packets, lane->link, payload_bytes);

  if (G_UNLIKELY (packets->special) && !send_specially (packets, packet_row, lane_row, in_lane, payload_bytes, time_ps))
    next_row = packet_row = FAB_NONE;
  else if (in_lane != FAB_NONE && packets->protocols == NULL)
    {
      if (G_LIKELY (full))
        fab__packet_clock_push (clock, queue->credit_track, in_lane);
      else
        {
          const FabPacketLaneRow *from = &packets->lanes[in_lane];

          fab__packet_clock_push_odd (clock, link->free_ps + fab__packet_back_ps (packets, from->link), FAB_PACKET_CREDIT, in_lane,
                                      fab__packet_blocks (&packets->links[from->link], payload_bytes));
        }
    }
  if (G_UNLIKELY (next_row >= FAB_PACKET_WAY && next_row != FAB_NONE) && !comes_to_nic (packets, packet, lane, &next_row))
    {
      packet->flags |= FAB_PACKET_CHOOSES;
      if (payload_bytes == link->full_bytes && packets->adapt_track[lane->link] != 0)
        fab__packet_clock_push (clock, packets->adapt_track[lane->link], packet_row);
      else
        fab__packet_clock_push_odd (clock, clock->now_ps + fab__packet_choice_ps (packets, lane_row, payload_bytes), FAB_PACKET_ARRIVE, packet_row, 0);
    }
  else if (next_row != FAB_NONE)
    {
      const FabPacketQueue *next = &packets->queues[next_row];

      packet->hop++;
      packet->queue = next_row;
      if (G_LIKELY (payload_bytes == next->full_bytes))
        fab__packet_clock_push (clock, next->arrive_track, packet_row);
      else
        fab__packet_clock_push_odd (clock, clock->now_ps + fab__packet_arrive_ps (packets, lane_row, next->lane, payload_bytes),
                                    FAB_PACKET_ARRIVE, packet_row, 0);
    }
  else if (packet_row != FAB_NONE)
    {
      fab__packet_deliver (packets, packet_row, lane_row, time_ps);
      fab__packet_free (packets, packet_row);
    }
  if (queue->flags & FAB_PACKET_QUEUE_GATE)
    {
      guint32 gate = packets->gate_of[lane_row];

      link->pending = TRUE;   /* what is dealt out now waits for the end of this packet */
      packets->gates[gate].n_ahead--;
      fab__packet_fill (packets, gate);
      link->pending = FALSE;
    }
  if (link->n_waiting > 0)
    {
      link->pending = TRUE;
      if (G_LIKELY (full))
        fab__packet_clock_push (clock, link->free_track, lane->link);
      else
        fab__packet_clock_push_odd (clock, link->free_ps, FAB_PACKET_FREE, lane->link, 0);
    }
}

/* ---- choosing ---- */

static inline void
starve (FabPackets *packets, FabPacketLaneRow *lane)
{
  if (lane->starved)
    return;
  lane->starved = TRUE;
  lane->starved_since_ps = packets->clock.now_ps;
  if (lane->life == FAB_PACKET_LIFE_IDLE)
    fab__packet_life_watch (packets, (guint32) (lane - packets->lanes));
}

/* The queue that @lane serves next, with the one before it in the ring; FAB_NONE where none may send. @retry_ps is lowered to when
 * an input will be readable. */
static inline guint32
choose_queue (FabPackets *packets, FabPacketLaneRow *lane, guint32 *before, gint64 *retry_ps)
{
  const FabPacketLinkRow *link = &packets->links[lane->link];

  *before = lane->last_queue;
  for (;;)
    {
      guint32 row = packets->queues[*before].next;
      const FabPacketQueue *queue = &packets->queues[row];
      gint64 readable;

      if (G_LIKELY (!(queue->flags & FAB_PACKET_QUEUE_LIMITED)) || (readable = readable_ps (packets, queue)) <= packets->clock.now_ps)
        {
          if (has_credits (lane, link, packets->packets[queue->head].payload_bytes))
            return row;
          starve (packets, lane);
          return FAB_NONE;
        }
      *retry_ps = MIN (*retry_ps, readable);
      if (row == lane->last_queue)
        return FAB_NONE;
      *before = row;
    }
}

/* Takes the first packet of @row; the queue goes to the end of the ring, or out of it. */
static inline guint32
take (FabPackets *packets, FabPacketLaneRow *lane, FabPacketLinkRow *link, guint32 before, guint32 row)
{
  FabPacketQueue *queue = &packets->queues[row];
  guint32 packet = queue->head;

  queue->head = packets->packets[packet].next;
  lane->n_queued--;
  lane->queue_wait_ps += packets->clock.now_ps - packets->packets[packet].since_ps;
  if (queue->head != FAB_NONE)
    {
      if (before != lane->last_queue && row != lane->last_queue)
        {
          packets->queues[before].next = queue->next;
          queue->next = packets->queues[lane->last_queue].next;
          packets->queues[lane->last_queue].next = row;
        }
      lane->last_queue = row;
      return packet;
    }
  if (before == row)
    {
      lane->last_queue = FAB_NONE;
      link->n_waiting--;
    }
  else
    {
      packets->queues[before].next = queue->next;
      if (lane->last_queue == row)
        lane->last_queue = before;
    }
  return packet;
}

/* @link_row is free: sends what its turn is, if anything may go. */
void
fab__packet_serve (FabPackets *packets, guint32 link_row)
{
  FabPacketLinkRow *link = &packets->links[link_row];
  guint32 lane_row = link->first_lane, before, queue;
  gint64 retry_ps = G_MAXINT64;

  if (link->n_waiting == 0)
    return;
  if (G_UNLIKELY (link->paired) && packets->pair_free_ps[link_row / 2] > packets->clock.now_ps)
    {
      link->pending = TRUE;
      fab__packet_clock_push_odd (&packets->clock, packets->pair_free_ps[link_row / 2], FAB_PACKET_FREE, link_row, 0);
      return;
    }
  if (link->n_lanes == 1)
    queue = choose_queue (packets, &packets->lanes[lane_row], &before, &retry_ps);
  else
    queue = fab__packet_arbitrate (packets, link_row, &lane_row, &before, &retry_ps);
  if (queue != FAB_NONE)
    send (packets, queue, take (packets, &packets->lanes[lane_row], link, before, queue));
  else if (retry_ps != G_MAXINT64)
    {
      link->pending = TRUE;
      fab__packet_clock_push_odd (&packets->clock, retry_ps, FAB_PACKET_FREE, link_row, 0);
    }
}

guint32
fab__packet_choose_queue (FabPackets *packets, guint32 lane, guint32 *before, gint64 *retry_ps)
{
  return choose_queue (packets, &packets->lanes[lane], before, retry_ps);
}

guint32
fab__packet_take_first (FabPackets *packets, guint32 row)
{
  FabPacketLaneRow *lane = &packets->lanes[row];

  return take (packets, lane, &packets->links[lane->link], lane->last_queue, packets->queues[lane->last_queue].next);
}

/* ---- arriving ---- */

static inline void
append (FabPackets *packets, guint32 row, guint32 packet)
{
  FabPacketQueue *queue = &packets->queues[row];
  FabPacketLaneRow *lane = &packets->lanes[queue->lane];

  packets->packets[packet].next = FAB_NONE;
  lane->n_queued++;
  lane->max_queued = MAX (lane->max_queued, lane->n_queued);
  if (queue->head != FAB_NONE)
    {
      packets->packets[queue->tail].next = packet;
      queue->tail = packet;
      return;
    }
  queue->head = queue->tail = packet;
  if (lane->last_queue == FAB_NONE)
    {
      queue->next = row;
      packets->links[lane->link].n_waiting++;
    }
  else
    {
      queue->next = packets->queues[lane->last_queue].next;
      packets->queues[lane->last_queue].next = row;
    }
  lane->last_queue = row;
}

/* In the one queue of its input: FALSE, it stands behind others. */
static gboolean
gets_to_head (FabPackets *packets, guint32 packet, guint32 in_lane)
{
  FabPacketInput *input = &packets->inputs[in_lane];

  if (!input->busy || !input->single)
    {
      input->busy = TRUE;
      return TRUE;
    }
  packets->packets[packet].next = FAB_NONE;
  if (input->head == FAB_NONE)
    input->head = packet;
  else
    packets->packets[input->tail].next = packet;
  input->tail = packet;
  return FALSE;
}

/* The head of the input's one queue has been read. */
void
fab__packet_next (FabPackets *packets, guint32 in_lane)
{
  FabPacketInput *input = &packets->inputs[in_lane];
  guint32 packet = input->head;

  input->busy = FALSE;
  if (packet == FAB_NONE)
    return;
  input->head = packets->packets[packet].next;
  if (packets->packets[packet].flags & FAB_PACKET_WATCHED)
    fab__packet_probe_heads (packets, packet, packets->clock.now_ps - packets->packets[packet].since_ps);
  fab__packet_arrive (packets, packet);
}

/* FALSE: there is no output for it. */
static gboolean
choose_way (FabPackets *packets, FabPacket *packet)
{
  guint32 row = fab__packet_choose_way (packets, packets->hops[packet->hop + 1] & ~FAB_PACKET_WAY, packets->queues[packet->queue].lane);

  packet->flags &= (guint16) ~FAB_PACKET_CHOOSES;
  if (row == FAB_NONE)
    return FALSE;
  packet->queue = row;
  return TRUE;
}

/* @packet may leave its queue from now on. */
void
fab__packet_arrive (FabPackets *packets, guint32 packet_row)
{
  FabPacket *packet = &packets->packets[packet_row];
  gboolean has_way = !G_UNLIKELY (packet->flags & FAB_PACKET_CHOOSES) || choose_way (packets, packet);
  guint32 row = packet->queue;
  const FabPacketQueue *queue = &packets->queues[row];
  const FabPacketLaneRow *lane = &packets->lanes[queue->lane];
  guint32 link_row = queue->link;
  FabPacketLinkRow *link = &packets->links[link_row];

  packet->since_ps = packets->clock.now_ps;
  if (G_UNLIKELY (!has_way))
    {
      fab__packet_discard (packets, packet_row);
      return;
    }
  if (G_UNLIKELY (packets->inputs != NULL) && queue->in_lane != FAB_NONE && !gets_to_head (packets, packet_row, queue->in_lane))
    return;
  if (G_UNLIKELY (packet->flags & FAB_PACKET_WATCHED))
    fab__packet_probe_enters (packets, packet_row, queue->lane);
  if (link->n_waiting == 0 && !(queue->flags & FAB_PACKET_QUEUE_LIMITED) && !link->paired && link_is_free (packets, link)
      && has_credits (lane, link, packet->payload_bytes))
    {
      send (packets, row, packet_row);
      return;
    }
  if (G_UNLIKELY (lane->life == FAB_PACKET_LIFE_STALLED))
    {
      fab__packet_discard (packets, packet_row);
      return;
    }
  append (packets, row, packet_row);
  if (link->pending)
    return;
  if (link->free_ps <= packets->clock.now_ps)
    fab__packet_serve (packets, link_row);
  else
    {
      link->pending = TRUE;
      fab__packet_clock_push_odd (&packets->clock, link->free_ps, FAB_PACKET_FREE, link_row, 0);
    }
}

/* ---- events ---- */

static inline void
link_freed (FabPackets *packets, guint32 link)
{
  packets->links[link].pending = FALSE;
  fab__packet_serve (packets, link);
}

static inline void
credit (FabPackets *packets, guint32 row, gint32 blocks)
{
  FabPacketLaneRow *lane = &packets->lanes[row];

  lane->credits += blocks;
#ifdef FAB_INVARIANTS
  g_assert (lane->credits <= packets->more[row].buffer_blocks);
#endif
  if (!lane->starved)
    return;
  lane->starved = FALSE;
  packets->more[row].starved_ps += packets->clock.now_ps - lane->starved_since_ps;
  if (link_is_free (packets, &packets->links[lane->link]))
    fab__packet_serve (packets, lane->link);
}

void
fab__packet_credit (FabPackets *packets, guint32 lane, gint32 blocks)
{
  credit (packets, lane, blocks);
}

/* ---- looking ahead ---- */

static G_ALWAYS_INLINE inline guint32
target_ahead (const FabTrack *track, guint32 n)
{
  return (guint32) track->ring[(track->head + n) & track->mask];
}

static G_ALWAYS_INLINE inline void
look_for_arrivals (const FabPackets *packets, const FabTrack *track)
{
  const FabPacket *middle = &packets->packets[target_ahead (track, MIDDLE)], *near = &packets->packets[target_ahead (track, NEAR)];
  const FabPacketQueue *queue = &packets->queues[near->queue];

  __builtin_prefetch (&packets->packets[target_ahead (track, FAR)], 1);
  __builtin_prefetch (&packets->queues[middle->queue], 1);
  __builtin_prefetch (&packets->hops[middle->hop + 1]);
  __builtin_prefetch (&packets->lanes[queue->lane], 1);
  __builtin_prefetch (&packets->links[queue->link], 1);
  __builtin_prefetch (&packets->queues[packets->hops[near->hop + 1]], 1);
}

static G_ALWAYS_INLINE inline void
look_for_turns (const FabPackets *packets, const FabTrack *track)
{
  const FabPacketLinkRow *middle = &packets->links[target_ahead (track, MIDDLE)], *near = &packets->links[target_ahead (track, NEAR)];
  const FabPacketLinkRow *next = &packets->links[target_ahead (track, NEXT)];

  __builtin_prefetch (&packets->links[target_ahead (track, FAR)], 1);
  for (guint32 l = 0; l < middle->n_lanes && l < 2; l++)
    __builtin_prefetch (&packets->lanes[middle->first_lane + l], 1);
  for (guint32 l = 0; l < near->n_lanes && l < 2; l++)
    __builtin_prefetch (&packets->queues[packets->lanes[near->first_lane + l].last_queue], 1);
  for (guint32 l = 0; l < next->n_lanes && l < 2; l++)
    if (packets->lanes[next->first_lane + l].last_queue != FAB_NONE)
      {
        const FabPacketQueue *last = &packets->queues[packets->lanes[next->first_lane + l].last_queue];

        __builtin_prefetch (&packets->queues[last->next], 1);
        __builtin_prefetch (&packets->packets[last->head], 1);
      }
}

/* The rows that the events to come will want, some events before they do: what is further off first fetches what the nearer ones
 * need to find the rest. Always inline: else gcc finds a function without effects, and drops the call. */
static G_ALWAYS_INLINE inline void
look_ahead (const FabPackets *packets)
{
  const FabPacketClock *clock = &packets->clock;
  const FabTrack *track = &clock->tracks[clock->winners[1]];

  if (track->tail - track->head <= FAR || clock->winners[1] == 0)
    return;
  if (track->kind == FAB_PACKET_ARRIVE)
    look_for_arrivals (packets, track);
  else if (track->kind == FAB_PACKET_CREDIT)
    {
      const FabPacketLaneRow *near = &packets->lanes[target_ahead (track, NEAR)];

      __builtin_prefetch (&packets->lanes[target_ahead (track, FAR)], 1);
      if (near->starved)
        __builtin_prefetch (&packets->links[near->link], 1);
    }
  else if (track->kind == FAB_PACKET_FREE)
    look_for_turns (packets, track);
}

gboolean
fab__packet_run (FabPackets *packets, guint64 n, FabPacketEvent *event)
{
  while (n-- > 0)
    {
      if (packets->looks_ahead)
        look_ahead (packets);
      if (!fab__packet_clock_pop (&packets->clock, event))
        return FALSE;
      switch (event->kind)
        {
        case FAB_PACKET_ARRIVE:
          fab__packet_arrive (packets, event->target);
          break;
        case FAB_PACKET_FREE:
          link_freed (packets, event->target);
          break;
        case FAB_PACKET_CREDIT:
          credit (packets, event->target, (gint32) event->value);
          break;
        case FAB_PACKET_NEXT:
          fab__packet_next (packets, event->target);
          break;
        default:
          return TRUE;
        }
    }
  event->kind = FAB_PACKET_NOTHING;
  return TRUE;
}
