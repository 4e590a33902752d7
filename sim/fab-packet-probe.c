/* fab-packet-probe.c: some packets are watched, so that a transfer's time can be charged to those it waited for
 *
 * Between two watched packets of a transfer some number of its packets was sent. The last link on the way where the watched one
 * waited is where the rate was set: what its own packets took there is charged to the link; the rest to queueing and to credits
 * there, as the watched one waited for its turn and for room.
 */
#include "fab-packet-private.h"

guint32
fab__packet_probe_new (FabPackets *packets)
{
  guint32 row = packets->free_probe;

  if (row != FAB_NONE)
    packets->free_probe = packets->probes[row].next_free;
  else
    {
      fab__packet_grow (packets->probes, packets->n_probes, packets->probe_room);
      row = packets->n_probes++;
    }
  packets->probes[row] = (FabPacketProbe) { .root_link = FAB_NONE };
  return row;
}

void
fab__packet_probe_free (FabPackets *packets, guint32 packet)
{
  packets->probes[packets->probe_of[packet]].next_free = packets->free_probe;
  packets->free_probe = packets->probe_of[packet];
}

void
fab__packet_probe_heads (FabPackets *packets, guint32 packet, gint64 wait_ps)
{
  packets->probes[packets->probe_of[packet]].head_here_ps = wait_ps;
}

static gint64
starved_so_far_ps (const FabPackets *packets, guint32 lane)
{
  const FabPacketLaneRow *row = &packets->lanes[lane];

  return packets->more[lane].starved_ps + (row->starved ? packets->clock.now_ps - row->starved_since_ps : 0);
}

void
fab__packet_probe_enters (FabPackets *packets, guint32 packet, guint32 lane)
{
  packets->probes[packets->probe_of[packet]].starved_ps = starved_so_far_ps (packets, lane);
}

void
fab__packet_probe_leaves (FabPackets *packets, guint32 packet, guint32 lane_row)
{
  const FabPacketLaneRow *lane = &packets->lanes[lane_row];
  FabPacketProbe *probe = &packets->probes[packets->probe_of[packet]];
  gint64 wait_ps = packets->clock.now_ps - packets->packets[packet].since_ps;
  gint64 credit_ps = MIN (wait_ps, starved_so_far_ps (packets, lane_row) - probe->starved_ps), turn_ps = wait_ps - credit_ps;

  gint64 head_ps = probe->head_here_ps;

  probe->head_here_ps = 0;
  if (2 * (wait_ps + head_ps) < packets->links[lane->link].full_ps)
    return;
  probe->head_ps = head_ps;
  probe->root_link = lane->link;
  probe->turn_ps = turn_ps;
  probe->credit_ps = credit_ps;
}

/* ---- charging ---- */

static void
charge (FabPackets *packets, FabPacketFlow *flow, FabWaitKind kind, guint32 link, gint64 time_ps)
{
  FabPacketCharge new = { .time_ps = time_ps, .link = link, .kind = kind, .next = flow->charges };

  if (time_ps == 0)
    return;
  for (guint32 c = flow->charges; c != FAB_NONE; c = g_array_index (packets->charges, FabPacketCharge, c).next)
    {
      FabPacketCharge *known = &g_array_index (packets->charges, FabPacketCharge, c);

      if (known->kind != kind || known->link != link)
        continue;
      known->time_ps += time_ps;
      return;
    }
  flow->charges = packets->free_charge;
  if (flow->charges != FAB_NONE)
    {
      packets->free_charge = g_array_index (packets->charges, FabPacketCharge, flow->charges).next;
      g_array_index (packets->charges, FabPacketCharge, flow->charges) = new;
      return;
    }
  flow->charges = packets->charges->len;
  g_array_append_val (packets->charges, new);
}

static guint32
slowest_link (const FabPackets *packets, const FabPacketFlow *flow)
{
  const guint32 *links = fab_paths_links (packets->paths, flow->path);
  guint32 n_links = fab_paths_row (packets->paths, flow->path)->n_links, slowest = links[0];

  for (guint32 i = 1; i < n_links; i++)
    if (packets->links[links[i]].full_ps > packets->links[slowest].full_ps)
      slowest = links[i];
  return slowest;
}

static FabWaitKind
kind_of (const FabPackets *packets, guint32 link)
{
  return fab_wait_kind_of_link (fab_topology_link (packets->input->topology, link)->kind);
}

/* What the flow's own packets took of @time_ps on @link, or under its cap where that is slower; returns what is left. */
static gint64
charge_own (FabPackets *packets, FabPacketFlow *flow, guint32 link, guint32 n_packets, gint64 time_ps)
{
  gint64 own_ps = n_packets * packets->links[link].full_ps;
  gint64 cap_ps = flow->cap_bps > 0 ? n_packets * fab__packet_bits_ps (flow->full_bytes, flow->cap_bps) : 0;

  if (cap_ps > own_ps)
    {
      own_ps = cap_ps;
      link = fab_paths_row (packets->paths, flow->path)->flow_link;
    }
  own_ps = MIN (own_ps, time_ps);
  charge (packets, flow, kind_of (packets, link), link, own_ps);
  return time_ps - own_ps;
}

void
fab__packet_probe_ends (FabPackets *packets, FabPacketFlow *flow, guint32 packet)
{
  FabPacketProbe *probe = &packets->probes[packets->probe_of[packet]];
  gint64 until_ps = MAX (flow->last_ps - fab_paths_row (packets->paths, flow->path)->latency_ps, flow->probed_ps);
  gint64 time_ps = until_ps - flow->probed_ps, credit_ps = 0, head_ps = 0;
  guint64 waited_ps;
  guint32 number = MAX (packets->packets[packet].number + 1, flow->probed_number);   /* packets may pass each other */
  guint32 n_packets = number - flow->probed_number;
  guint32 link = probe->root_link != FAB_NONE ? probe->root_link : slowest_link (packets, flow);

  flow->probed_ps = until_ps;
  flow->probed_number = number;
  time_ps = charge_own (packets, flow, link, n_packets, time_ps);
  waited_ps = (guint64) (probe->turn_ps + probe->credit_ps + probe->head_ps);
  if (waited_ps > 0)
    {
      credit_ps = (gint64) ((FabWide) time_ps * (guint64) probe->credit_ps / waited_ps);
      head_ps = (gint64) ((FabWide) time_ps * (guint64) probe->head_ps / waited_ps);
    }
  charge (packets, flow, FAB_WAIT_CREDIT, link, credit_ps);
  charge (packets, flow, FAB_WAIT_HEAD_OF_LINE, link, head_ps);
  charge (packets, flow, FAB_WAIT_QUEUEING, link, time_ps - credit_ps - head_ps);
  fab__packet_probe_free (packets, packet);
}

/* ---- what the trace reads ---- */

guint32
fab__packet_probe_segments (FabPackets *packets, FabPacketFlow *flow, GArray *segments)
{
  gint64 at_ps = flow->begin_ps, end_ps = flow->last_ps - fab_paths_row (packets->paths, flow->path)->latency_ps;
  guint32 last = FAB_NONE, link = slowest_link (packets, flow);

  if (end_ps > flow->probed_ps)   /* others came in after the last that was watched */
    charge (packets, flow, kind_of (packets, link), link, end_ps - flow->probed_ps);
  while (flow->charges != FAB_NONE)
    {
      FabPacketCharge *row = &g_array_index (packets->charges, FabPacketCharge, flow->charges);
      FabSegment segment = { .start_ps = at_ps, .link = row->link, .previous = last, .kind = row->kind };
      guint32 next = row->next;

      at_ps += row->time_ps;
      last = segments->len;
      g_array_append_val (segments, segment);
      row->next = packets->free_charge;
      packets->free_charge = flow->charges;
      flow->charges = next;
    }
  return last;
}
