/* fab-packet-report.c: what a packet run leaves in its result: bytes of links, counters of lanes */
#include "fab-packet-private.h"

void
fab_packet_options_init (FabPacketOptions *options)
{
  *options = (FabPacketOptions) {
    .read_speedup = 2,
    .switch_buffer_bytes = 131072, .nic_buffer_bytes = 131072,
    .head_life = 0x12, .leaf_head_life = 0x10, .stall_count = 7, .retry_count = 7, .retry_timeout = 20,
    .window_bytes = 8 * 524288, .window_step_bytes = 524288,
  };
}

static FabPacketLane
lane_report (const FabPackets *packets, guint32 row)
{
  const FabPacketLaneRow *lane = &packets->lanes[row];
  const FabPacketLaneMore *more = &packets->more[row];
  const FabPacketLinkRow *link = &packets->links[lane->link];
  guint64 words = (lane->n_bytes + lane->n_packets * link->header_bytes) / 4;

  return (FabPacketLane) {
    .link = lane->link, .vl = lane->vl,
    .xmit_data = words, .xmit_pkts = lane->n_packets, .rcv_data = words - more->error_bytes / 4,
    .rcv_pkts = lane->n_packets - more->n_errors, .rcv_errors = more->n_errors, .xmit_discards = more->n_discards,
    .xmit_wait_ps = more->starved_ps + (lane->starved ? packets->clock.now_ps - lane->starved_since_ps : 0),
    .queue_wait_ps = lane->queue_wait_ps, .max_queue = lane->max_queued,
    .max_buffer_blocks = (guint32) (more->buffer_blocks - lane->least_credits), .buffer_blocks = (guint32) more->buffer_blocks,
  };
}

void
fab__packet_report (FabPackets *packets)
{
  FabResult *result = packets->result;

  result->packet_lanes = g_new (FabPacketLane, MAX (packets->n_lanes, 1));
  for (guint32 l = 0; l < packets->n_lanes; l++)
    {
      const FabPacketLaneRow *lane = &packets->lanes[l];

      result->link_bytes[lane->link] += (double) lane->n_bytes;
      if (lane->n_packets > 0 || lane->n_queued > 0)
        result->packet_lanes[result->n_packet_lanes++] = lane_report (packets, l);
    }
  result->counters.packet_hops = packets->n_hops;
  result->counters.out_of_order = packets->n_out_of_order;
  result->counters.failed = packets->n_failed;
  result->counters.events = packets->clock.n_events;
}
