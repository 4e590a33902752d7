/* fab-packet-source.c: transfers become packets, dealt out fairly where they leave, and counted where they end */
#include "fab-packet-private.h"

#define FIRST_PROBE_STEP 16u

static guint32
packet_new (FabPackets *packets)
{
  guint32 row = packets->free_packet;

  packets->n_in_flight++;
  if (row != FAB_NONE)
    {
      packets->free_packet = packets->packets[row].next;
      return row;
    }
  fab__packet_grow (packets->packets, packets->n_packets, packets->packet_room);
  fab__packet_grow (packets->probe_of, packets->n_probe_rows, packets->probe_of_room);
  packets->n_probe_rows++;
  return packets->n_packets++;
}

static guint32
flow_new (FabPackets *packets)
{
  guint32 row = packets->free_flow;

  if (row != FAB_NONE)
    {
      packets->free_flow = packets->flows[row].next;
      return row;
    }
  fab__packet_grow (packets->flows, packets->n_flows, packets->flow_room);
  return packets->n_flows++;
}

/* ---- the ring of a gate ---- */

static void
join_ring (FabPackets *packets, guint32 row)
{
  FabPacketFlow *flow = &packets->flows[row];
  FabPacketGate *gate = &packets->gates[flow->gate];

  flow->sends = TRUE;
  if (gate->last_flow == FAB_NONE)
    flow->next = row;
  else
    {
      flow->next = packets->flows[gate->last_flow].next;
      packets->flows[gate->last_flow].next = row;
    }
  gate->last_flow = row;
}

/* The first of the ring leaves it. */
static void
leave_ring (FabPackets *packets, FabPacketGate *gate, guint32 row)
{
  FabPacketFlow *flow = &packets->flows[row];

  flow->sends = FALSE;
  if (gate->last_flow == row)
    gate->last_flow = FAB_NONE;
  else
    packets->flows[gate->last_flow].next = flow->next;
}

/* ---- making packets ---- */

/* The last packet is always watched, and some before it, ever further apart. */
static inline gboolean
wants_probe (FabPacketFlow *flow)
{
  if (flow->op == FAB_NONE)
    return FALSE;
  if (flow->n_made + 1 == flow->n_packets)
    return TRUE;
  if (flow->n_made != flow->next_probe)
    return FALSE;
  if (flow->n_made >= 16 * flow->probe_step)
    flow->probe_step *= 2;
  flow->next_probe += flow->probe_step;
  return TRUE;
}

static guint32
make_packet (FabPackets *packets, guint32 flow_row)
{
  guint32 row = packet_new (packets);
  FabPacketFlow *flow = &packets->flows[flow_row];
  guint32 payload_bytes = (guint32) MIN (flow->full_bytes, flow->n_bytes_left);

  packets->packets[row] = (FabPacket) {
    .flow = flow_row, .hop = flow->hop, .queue = packets->hops[flow->hop], .payload_bytes = (guint16) payload_bytes, .number = flow->n_made,
  };
  if (G_UNLIKELY (wants_probe (flow)))
    {
      packets->packets[row].flags |= FAB_PACKET_WATCHED;
      packets->probe_of[row] = fab__packet_probe_new (packets);
    }
  if (G_UNLIKELY (flow->op == FAB_NONE))
    {
      packets->packets[row].hop = fab__packet_load_hop (packets, flow->load);
      packets->packets[row].queue = packets->hops[packets->packets[row].hop];
      packets->result->packet_sources[flow->load].sent++;
    }
  flow->n_made++;
  flow->n_bytes_left -= payload_bytes;
  if (flow->cap_bps > 0)
    flow->ready_ps = MAX (flow->ready_ps, packets->clock.now_ps) + fab__packet_bits_ps (payload_bytes, flow->cap_bps);
  return row;
}

void
fab__packet_fill (FabPackets *packets, guint32 gate_row)
{
  for (;;)
    {
      FabPacketGate *gate = &packets->gates[gate_row];
      guint32 row, packet;
      FabPacketFlow *flow;

      if (gate->n_ahead >= gate->max_ahead || gate->last_flow == FAB_NONE)
        return;
      row = packets->flows[gate->last_flow].next;
      flow = &packets->flows[row];
      if (G_UNLIKELY (flow->ended))   /* it had gone back, and then what was under way came in after all */
        {
          leave_ring (packets, gate, row);
          fab__packet_flow_end (packets, row);
          continue;
        }
      if (flow->ready_ps > packets->clock.now_ps)
        {
          leave_ring (packets, gate, row);
          fab__packet_clock_push_odd (&packets->clock, flow->ready_ps, FAB_PACKET_READY, row, 0);
          continue;
        }
      packet = make_packet (packets, row);
      if (flow->n_made == flow->window_end)
        leave_ring (packets, gate, row);
      else
        gate->last_flow = row;
      gate->n_ahead++;
      fab__packet_arrive (packets, packet);
    }
}

/* ---- the life of a flow ---- */

void
fab__packet_flow_begin (FabPackets *packets, guint32 op, guint32 path, guint vl, gint64 begin_ps)
{
  const FabOp *row = fab_schedule_ops (packets->input->schedule) + op;
  const FabPath *way = fab_paths_row (packets->paths, path);
  const FabPacketOptions *options = packets->options;
  guint32 flow_row = flow_new (packets), gate;
  FabPacketFlow *flow = &packets->flows[flow_row];
  guint32 hop = fab__packet_path (packets, path, vl, &gate);
  gboolean leaves;
  guint32 unit_bytes = fab__packet_unit (packets, path, &leaves);

  *flow = (FabPacketFlow) {
    .n_bytes = row->bytes, .n_bytes_left = row->bytes, .hop = hop, .gate = gate, .op = op, .path = path, .in_phase = row->in_phase,
    .full_bytes = (guint16) unit_bytes, .cap_bps = way->flow_bps, .ready_ps = packets->clock.now_ps,
    .begin_ps = begin_ps, .probed_ps = begin_ps, .probe_step = FIRST_PROBE_STEP, .charges = FAB_NONE,
  };
  flow->adaptive = fab_paths_parts (packets->paths, path) != NULL;
  flow->n_packets = (guint32) ((row->bytes + flow->full_bytes - 1) / flow->full_bytes);
  flow->window_end = flow->n_packets;
  if (leaves && options->window_bytes > 0)
    {
      flow->window_step = (guint32) MAX (1, options->window_step_bytes / flow->full_bytes);
      flow->window_end = (guint32) MIN (flow->n_packets, MAX (1, options->window_bytes / flow->full_bytes));
    }
  packets->result->counters.flows++;
  join_ring (packets, flow_row);
  fab__packet_fill (packets, gate);
}

/* The packets of open-loop source @load; they go on when it says so. */
guint32
fab__packet_flow_open (FabPackets *packets, guint32 load, guint32 path, guint vl, guint64 n_packets)
{
  guint32 row = flow_new (packets), gate, hop = fab__packet_path (packets, path, vl, &gate);
  gboolean leaves;
  guint32 unit_bytes = fab__packet_unit (packets, path, &leaves);

  packets->flows[row] = (FabPacketFlow) {
    .n_bytes = n_packets * unit_bytes, .n_bytes_left = n_packets * unit_bytes, .hop = hop, .gate = gate, .op = FAB_NONE, .load = load, .path = path,
    .full_bytes = (guint16) unit_bytes, .n_packets = (guint32) n_packets, .window_end = (guint32) n_packets, .charges = FAB_NONE,
  };
  return row;
}

void
fab__packet_flow_push (FabPackets *packets, guint32 row)
{
  guint32 packet = make_packet (packets, row);

  packets->gates[packets->flows[row].gate].n_ahead++;
  fab__packet_arrive (packets, packet);
}

void
fab__packet_flow_ready (FabPackets *packets, guint32 row)
{
  join_ring (packets, row);
  fab__packet_fill (packets, packets->flows[row].gate);
}

void
fab__packet_flow_posted (FabPackets *packets, guint32 row)
{
  FabPacketFlow *flow = &packets->flows[row];
  gboolean stood = flow->n_made == flow->window_end;

  flow->window_end = MIN (flow->n_packets, flow->window_end + flow->window_step);
  if (stood)
    fab__packet_flow_ready (packets, row);
}

static inline void
return_credit (FabPackets *packets, const FabPacketLaneRow *lane, guint32 lane_row, guint32 payload_bytes, gint64 time_ps)
{
  const FabPacketLinkRow *link = &packets->links[lane->link];

  if (lane->unlimited || lane->stopped)
    return;
  if (G_UNLIKELY (packets->protocols != NULL))
    {
      fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps + time_ps + packets->more[lane_row].end_ps, FAB_PACKET_RELEASE, lane_row,
                                  fab__packet_blocks (link, payload_bytes));
      return;
    }
  if (payload_bytes == link->full_bytes && lane->sink_track != 0)
    fab__packet_clock_push (&packets->clock, lane->sink_track, lane_row);
  else
    fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps + time_ps + packets->more[lane_row].end_ps + fab__packet_back_ps (packets, lane->link),
                                FAB_PACKET_CREDIT, lane_row, fab__packet_blocks (link, payload_bytes));
}

static void
source_delivers (FabPackets *packets, const FabPacketFlow *flow, gint64 at_ps)
{
  FabPacketSourceCount *count = &packets->result->packet_sources[flow->load];

  count->last_ps = MAX (count->last_ps, at_ps);
  if (++count->delivered == flow->n_packets)
    packets->n_loads_left--;
}

void
fab__packet_deliver (FabPackets *packets, guint32 packet_row, guint32 lane_row, gint64 time_ps)
{
  const FabPacket *packet = &packets->packets[packet_row];
  FabPacketFlow *flow = &packets->flows[packet->flow];
  const FabPacketLaneRow *lane = &packets->lanes[lane_row];

  return_credit (packets, lane, lane_row, packet->payload_bytes, time_ps);
  if (G_UNLIKELY (flow->op == FAB_NONE))
    {
      source_delivers (packets, flow, packets->clock.now_ps + time_ps + packets->more[lane_row].end_ps);
      return;
    }
  if (G_UNLIKELY (packet->number != flow->n_delivered))
    flow->n_out_of_order++;
  if (G_UNLIKELY (packet->number != flow->n_delivered) && !flow->adaptive)
    {
      if (packet->number > flow->n_delivered)
        fab__packet_out_of_order (packets, packet->flow, packets->clock.now_ps + time_ps + packets->more[lane_row].end_ps);
      if (packet->flags & FAB_PACKET_WATCHED)
        fab__packet_probe_free (packets, packet_row);
      return;
    }
  flow->n_delivered++;
  flow->told = FALSE;
  packets->n_delivered_bytes += packet->payload_bytes;
  flow->last_ps = MAX (flow->last_ps, packets->clock.now_ps + time_ps + packets->more[lane_row].end_ps);
  if (G_UNLIKELY (packet->flags & FAB_PACKET_WATCHED))
    fab__packet_probe_ends (packets, flow, packet_row);
  if (flow->n_delivered == flow->n_packets)
    fab__packet_clock_push_odd (&packets->clock, flow->last_ps, FAB_PACKET_FINISH, flow->op, packet->flow);
  else if (flow->window_step > 0 && flow->n_delivered % flow->window_step == 0 && flow->window_end < flow->n_packets)
    fab__packet_clock_push_odd (&packets->clock, flow->last_ps + fab_paths_row (packets->paths, flow->path)->latency_ps, FAB_PACKET_POSTED,
                                packet->flow, 0);
}

/* Its operation has finished. */
void
fab__packet_flow_end (FabPackets *packets, guint32 row)
{
  FabPacketFlow *flow = &packets->flows[row];

  if (!flow->ended)
    packets->n_out_of_order += flow->n_out_of_order;
  flow->ended = TRUE;
  if (flow->going_back || flow->retrying || flow->sends)
    return;   /* an event or a ring still names this row */
  flow->next = packets->free_flow;
  packets->free_flow = row;
}
