/* fab-packet-life.c: packets that are dropped: at the head of a queue for too long, on a stalled lane, on a bad cable; and what
 * becomes of their transfers
 *
 * OpenSM include/opensm/osm_base.h: a time is 4.096 µs × 2^n, above 19 never. After seven drops in a row a lane is stalled: it drops all
 * that comes for eight lives. A reliable connection then goes back to the first packet that did not come in: as soon as a later one
 * comes in, or after a time without any.
 */
#include "fab-packet-private.h"

#define UNIT_PS 4096000
#define NEVER 19u
#define STALL_LIVES 8
#define STALLED_CREDITS (1 << 30)   /* taken away while a lane is stalled: none is ever enough */

static gint64
life_ps (const FabPackets *packets, guint32 lane)
{
  const FabLink *link = fab_topology_link (packets->input->topology, packets->lanes[lane].link);
  gboolean to_switch = fab_topology_device (packets->input->topology, link->to_device)->kind == FAB_DEVICE_SWITCH;
  guint n = to_switch ? packets->options->head_life : packets->options->leaf_head_life;

  if (fab_topology_device (packets->input->topology, link->from_device)->kind != FAB_DEVICE_SWITCH || n > NEVER)
    return 0;
  return (gint64) UNIT_PS << n;
}

void
fab__packet_lives_init (FabPackets *packets)
{
  for (guint32 l = 0; l < packets->n_lanes; l++)
    {
      packets->more[l].life_ps = life_ps (packets, l);
      packets->lanes[l].life = packets->more[l].life_ps > 0 ? FAB_PACKET_LIFE_IDLE : FAB_PACKET_LIFE_NONE;
    }
}

void
fab__packet_life_watch (FabPackets *packets, guint32 lane)
{
  packets->lanes[lane].life = FAB_PACKET_LIFE_WATCHED;
  packets->n_timers++;
  fab__packet_clock_push_odd (&packets->clock, packets->lanes[lane].starved_since_ps + packets->more[lane].life_ps, FAB_PACKET_LIFE, lane, 0);
}

/* ---- retry ---- */

static void
arm_retry (FabPackets *packets, guint32 row)
{
  FabPacketFlow *flow = &packets->flows[row];

  if (flow->retrying || packets->options->retry_timeout > 31)
    return;
  flow->retrying = TRUE;
  packets->n_timers++;
  fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps + ((gint64) UNIT_PS << packets->options->retry_timeout), FAB_PACKET_RETRY, row,
                              flow->n_delivered);
}

static void
go_back (FabPackets *packets, guint32 row)
{
  FabPacketFlow *flow = &packets->flows[row];

  if (flow->adaptive)   /* what came in is kept in any order: only what was lost is sent again */
    {
      flow->n_bytes_left += flow->lost_bytes;
      flow->n_made -= flow->n_lost;
      flow->lost_bytes = flow->n_lost = 0;
      if (!flow->sends)
        fab__packet_flow_ready (packets, row);
      return;
    }
  flow->n_bytes_left += (guint64) (flow->n_made - flow->n_delivered) * flow->full_bytes;
  if (flow->n_made == flow->n_packets)   /* the last may have been short */
    flow->n_bytes_left = flow->n_bytes - (guint64) flow->n_delivered * flow->full_bytes;
  flow->n_made = flow->n_delivered;
  if (!flow->sends)
    fab__packet_flow_ready (packets, row);
}

/* A packet of @row came in after one that did not: the receiver says so, once, until that one comes in. */
void
fab__packet_out_of_order (FabPackets *packets, guint32 row, gint64 at_ps)
{
  FabPacketFlow *flow = &packets->flows[row];

  if (flow->told)
    return;
  flow->told = flow->going_back = TRUE;
  fab__packet_clock_push_odd (&packets->clock, at_ps + fab_paths_row (packets->paths, flow->path)->latency_ps, FAB_PACKET_GO_BACK, row, 0);
}

void
fab__packet_go_back (FabPackets *packets, guint32 row)
{
  packets->flows[row].going_back = FALSE;
  if (packets->flows[row].ended)
    fab__packet_flow_end (packets, row);
  else
    go_back (packets, row);
}

/* Nothing came in for as long as the sender waits. After the last try the transfer fails, and what needs it never starts. */
void
fab__packet_retry (FabPackets *packets, guint32 row, guint32 n_delivered)
{
  FabPacketFlow *flow = &packets->flows[row];

  packets->n_timers--;
  flow->retrying = FALSE;
  if (flow->ended)
    fab__packet_flow_end (packets, row);
  if (flow->n_delivered == flow->n_packets)
    return;
  flow->n_tries = flow->n_delivered > n_delivered ? 0 : flow->n_tries + 1;
  if (flow->n_tries > packets->options->retry_count)
    {
      packets->n_failed++;
      return;
    }
  if (flow->n_delivered == n_delivered || flow->n_lost > 0)
    go_back (packets, row);
  if (flow->lost)
    arm_retry (packets, row);
}

/* @packet is gone. */
void
fab__packet_lose (FabPackets *packets, guint32 packet)
{
  FabPacketFlow *flow = &packets->flows[packets->packets[packet].flow];
  guint32 row = packets->packets[packet].flow;

  flow->lost_bytes += packets->packets[packet].payload_bytes;
  flow->n_lost++;
  if (packets->packets[packet].flags & FAB_PACKET_WATCHED)
    fab__packet_probe_free (packets, packet);
  fab__packet_free (packets, packet);
  if (flow->op == FAB_NONE)
    return;   /* an open-loop source does not try again */
  flow->lost = TRUE;
  arm_retry (packets, row);
}

/* ---- discards ---- */

/* @packet stands in no queue any more; its buffer is free. */
void
fab__packet_discard (FabPackets *packets, guint32 packet)
{
  const FabPacketQueue *queue = &packets->queues[packets->packets[packet].queue];
  guint32 in_lane = queue->in_lane;

  packets->more[queue->lane].n_discards++;
  if (in_lane != FAB_NONE)
    {
      const FabPacketLinkRow *from = &packets->links[packets->lanes[in_lane].link];
      guint32 blocks = fab__packet_blocks (from, packets->packets[packet].payload_bytes);

      if (packets->protocols != NULL)
        fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps, FAB_PACKET_RELEASE, in_lane, blocks);
      else
        fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps + fab__packet_back_ps (packets, packets->lanes[in_lane].link),
                                    FAB_PACKET_CREDIT, in_lane, blocks);
      if (packets->inputs != NULL && packets->inputs[in_lane].single)
        fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps, FAB_PACKET_NEXT, in_lane, 0);
    }
  fab__packet_lose (packets, packet);
}

static void
stall (FabPackets *packets, guint32 row)
{
  FabPacketLaneRow *lane = &packets->lanes[row];

  lane->life = FAB_PACKET_LIFE_STALLED;
  lane->credits -= STALLED_CREDITS;
  packets->more[row].n_in_a_row = 0;
  packets->n_timers++;
  fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps + STALL_LIVES * packets->more[row].life_ps, FAB_PACKET_LIFE, row, 0);
  while (lane->last_queue != FAB_NONE)
    fab__packet_discard (packets, fab__packet_take_first (packets, row));
  lane->starved = FALSE;
}

void
fab__packet_life (FabPackets *packets, guint32 row)
{
  FabPacketLaneRow *lane = &packets->lanes[row];
  FabPacketLaneMore *more = &packets->more[row];

  packets->n_timers--;
  if (lane->life == FAB_PACKET_LIFE_STALLED)
    lane->credits += STALLED_CREDITS;
  lane->life = FAB_PACKET_LIFE_IDLE;
  if (!lane->starved || lane->last_queue == FAB_NONE)
    return;
  if (more->n_packets_then != lane->n_packets)
    more->n_in_a_row = 0;
  more->n_packets_then = lane->n_packets;
  if (packets->clock.now_ps - lane->starved_since_ps >= more->life_ps)
    {
      more->starved_ps += packets->clock.now_ps - lane->starved_since_ps;
      lane->starved_since_ps = packets->clock.now_ps;
      fab__packet_discard (packets, fab__packet_take_first (packets, row));
      if (++more->n_in_a_row == packets->options->stall_count)
        {
          stall (packets, row);
          return;
        }
    }
  if (lane->last_queue != FAB_NONE)
    fab__packet_life_watch (packets, row);
  else
    lane->starved = FALSE;
}
