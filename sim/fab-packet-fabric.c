/* fab-packet-fabric.c: links, lanes and buffers from the topology; queues and paths as flows come to need them */
#include "fab-packet-private.h"
#include <string.h>

#define PCIE_UNIT_BYTES 4096u     /* where no plane says: a read or write of one path MTU */
#define MANY_LINKS 4000u          /* whose rows no longer fit a core's own cache */
#define AHEAD_UNITS 6u            /* that a NIC fetches beyond what the way to its wire holds */

static const FabLink *
link_of (const FabPackets *packets, guint32 link)
{
  return fab_topology_link (packets->input->topology, link);
}

static const FabDevice *
device_of (const FabPackets *packets, guint32 device)
{
  return fab_topology_device (packets->input->topology, device);
}

/* ---- lanes in use ---- */

/* The data lanes that the plane's ports run, all alike: what quality of service allows and every part can. */
static guint
lanes_of_plane (const FabPackets *packets, guint32 plane, const FabQos *qos)
{
  static const guint8 codes[] = { 1, 2, 4, 8, 15 };
  const FabPlane *row = fab_topology_plane (packets->input->topology, plane);
  guint n = fab_qos_n_vls (qos);

  for (guint32 d = row->first_switch; d < row->first_switch + row->n_switches; d++)
    if (device_of (packets, d)->max_vls > 0)
      n = MIN (n, device_of (packets, d)->max_vls);
  for (guint i = G_N_ELEMENTS (codes); i-- > 0;)
    if (codes[i] <= n)
      return codes[i];
  return 1;
}

const FabQos *
fab__packet_qos (const FabPackets *packets, guint32 plane)
{
  FabRoutes *routes = packets->input->routes != NULL ? packets->input->routes[plane] : NULL;

  return routes != NULL ? fab_subnet_qos (fab_routes_subnet (routes)) : NULL;
}

/* OpenSM masks a lane to those there are (osm_qos.c); 15 drops. */
guint
fab__packet_vl (const FabPackets *packets, guint32 plane, guint sl)
{
  const FabQos *qos = plane != FAB_NONE ? fab__packet_qos (packets, plane) : NULL;
  guint vl;

  if (qos == NULL)
    return 0;
  vl = qos->sl2vl[sl % FAB_SUBNET_N_SLS];
  return vl == FAB_SUBNET_VL15 ? vl : vl % packets->n_vls[plane];
}

static void
use_lane (FabPackets *packets, guint32 plane, guint sl)
{
  guint vl = fab__packet_vl (packets, plane, sl);

  if (plane != FAB_NONE && vl != FAB_SUBNET_VL15)
    packets->slots[16 * plane + vl] = 0;
}

/* Only lanes that something will be sent on take memory and arbitration. */
static void
find_lanes (FabPackets *packets)
{
  guint32 n_planes = fab_topology_n_planes (packets->input->topology);
  const FabOp *ops = fab_schedule_ops (packets->input->schedule);

  packets->slots = g_malloc (16 * n_planes + 1);
  packets->n_slots = g_new0 (guint8, n_planes + 1);
  packets->n_vls = g_new0 (guint8, n_planes + 1);
  memset (packets->slots, FAB_PACKET_NO_SLOT, 16 * n_planes + 1);
  for (guint32 p = 0; p < n_planes; p++)
    packets->n_vls[p] = fab__packet_qos (packets, p) != NULL ? (guint8) lanes_of_plane (packets, p, fab__packet_qos (packets, p)) : 1;
  for (guint32 op = 0; op < fab_schedule_n_ops (packets->input->schedule); op++)
    if (ops[op].kind == FAB_OP_TRANSFER)
      use_lane (packets, ops[op].plane, ops[op].sl);
  for (guint32 p = 0; p < n_planes; p++)
    for (guint lane = 0; packets->input->routes != NULL && packets->input->routes[p] != NULL && fab_routes_n_lanes (packets->input->routes[p]) > 1
                         && lane < fab_routes_n_lanes (packets->input->routes[p]); lane++)
      use_lane (packets, p, lane);
  for (guint s = 0; s < packets->options->n_sources; s++)
    use_lane (packets, packets->options->sources[s].plane, packets->options->sources[s].sl);
  for (guint32 p = 0; p < n_planes; p++)
    for (guint vl = 0; vl < 16; vl++)
      if (packets->slots[16 * p + vl] == 0)
        packets->slots[16 * p + vl] = packets->n_slots[p]++;
}

/* ---- links ---- */

/* What packets are sent at, headers counted: the link's rate, but for a goodput that is not of this rate (a cap, or one given). */
static guint64
wire_bps (const FabLink *link, const FabPlane *plane, guint64 goodput_bps)
{
  guint64 whole_bytes = plane->mtu_bytes + plane->header_bytes;

  if (goodput_bps == fab__mul_div (link->rate_bps, plane->mtu_bytes, whole_bytes))
    return link->rate_bps;
  return fab__mul_div (goodput_bps, whole_bytes, plane->mtu_bytes);
}

static void
link_init (FabPackets *packets, guint32 link)
{
  const FabLink *row = link_of (packets, link);
  const FabPlane *plane = row->plane != FAB_NONE ? fab_topology_plane (packets->input->topology, row->plane) : NULL;
  FabPacketLinkRow *out = &packets->links[link];
  guint64 goodput_bps = fab_faults_goodput_bps (packets->input->faults, packets->input->topology, link);

  *out = (FabPacketLinkRow) {
    .first_lane = packets->n_lanes, .n_lanes = plane != NULL ? packets->n_slots[row->plane] : 1,
    .full_bytes = (guint16) (plane != NULL ? plane->mtu_bytes : packets->unit_bytes),
    .header_bytes = (guint16) (plane != NULL ? plane->header_bytes : 0), .paired = row->aggregate_bps > 0,
  };
  packets->n_lanes += out->n_lanes;
  out->rate_bps = MAX (plane != NULL ? wire_bps (row, plane, goodput_bps) : goodput_bps, 1);
  out->full_ps = fab__packet_bits_ps (out->full_bytes + out->header_bytes, out->rate_bps);
  out->free_track = fab__packet_clock_track (&packets->clock, out->full_ps, FAB_PACKET_FREE, 0);
  if (out->paired)
    packets->pair_bps[link / 2] = row->aggregate_bps;
}

static gboolean
lane_init (FabPackets *packets, guint32 link, guint vl, guint32 lane, GError **error)
{
  const FabLink *row = link_of (packets, link);
  FabPacketLinkRow *out = &packets->links[link];
  guint64 bytes = fab__packet_buffer_bytes (packets, link);
  guint64 blocks = bytes / FAB_PACKET_BLOCK_BYTES;
  guint32 needed = fab__packet_blocks (out, out->full_bytes);
  guint32 end_kind = device_of (packets, row->to_device)->kind;
  FabPacketLaneRow *new = &packets->lanes[lane];

  if (row->kind == FAB_LINK_INFINIBAND)
    blocks = MIN (blocks, FAB_PACKET_MAX_BLOCKS);
  if (blocks < needed)
    {
      g_autofree char *address = fab_topology_link_address (packets->input->topology, link);

      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE,
                   "%s: expected a buffer of at least one packet, %u blocks of 64 bytes; got %" G_GUINT64_FORMAT " bytes, so nothing could ever be sent",
                   address, needed, bytes);
      return FALSE;
    }
  *new = (FabPacketLaneRow) {
    .credits = (gint32) MIN (blocks, G_MAXINT32), .last_queue = FAB_NONE, .link = link, .vl = (guint8) vl,
  };
  packets->more[lane].buffer_blocks = new->least_credits = new->credits;
  for (guint i = 0; i < packets->options->n_stopped; i++)
    new->stopped |= packets->options->stopped[i] == row->to_device;
  packets->more[lane].ends = end_kind == FAB_DEVICE_GPU || (end_kind == FAB_DEVICE_NIC && packets->nics_are_ends);
  return TRUE;
}

/* Where all transfers go from NIC to NIC, nothing passes through one. */
static gboolean
nics_are_ends (const FabPackets *packets)
{
  const FabOp *ops = fab_schedule_ops (packets->input->schedule);

  for (guint32 op = 0; op < fab_schedule_n_ops (packets->input->schedule); op++)
    if (ops[op].kind == FAB_OP_TRANSFER && (device_of (packets, ops[op].src)->kind != FAB_DEVICE_NIC
                                            || device_of (packets, ops[op].dst)->kind != FAB_DEVICE_NIC))
      return FALSE;
  for (guint s = 0; s < packets->options->n_sources; s++)
    if (device_of (packets, packets->options->sources[s].src)->kind != FAB_DEVICE_NIC)
      return FALSE;
  return TRUE;
}

static guint32
unit_bytes (const FabTopology *topology)
{
  guint32 bytes = 0;

  for (guint32 p = 0; p < fab_topology_n_planes (topology); p++)
    if (fab_topology_plane (topology, p)->kind == FAB_LINK_INFINIBAND)
      bytes = MAX (bytes, fab_topology_plane (topology, p)->mtu_bytes);
  return bytes > 0 ? bytes : PCIE_UNIT_BYTES;
}

static gboolean
lanes_init (FabPackets *packets, GError **error)
{
  packets->lanes = fab__packet_rows_new (MAX (packets->n_lanes, 1), sizeof (FabPacketLaneRow));
  packets->more = g_new0 (FabPacketLaneMore, MAX (packets->n_lanes, 1));
  packets->gate_of = g_new (guint32, MAX (packets->n_lanes, 1));
  memset (packets->gate_of, 0xff, sizeof (guint32) * packets->n_lanes);
  for (guint32 l = 0; l < packets->n_links; l++)
    {
      guint32 plane = link_of (packets, l)->plane, lane = packets->links[l].first_lane;

      for (guint vl = 0; vl < (plane != FAB_NONE ? 16 : 1); vl++)
        if ((plane == FAB_NONE || packets->slots[16 * plane + vl] != FAB_PACKET_NO_SLOT) && !lane_init (packets, l, vl, lane++, error))
          return FALSE;
    }
  return TRUE;
}

static void
inputs_init (FabPackets *packets)
{
  packets->inputs = g_new (FabPacketInput, MAX (packets->n_lanes, 1));
  packets->next_track = g_new (guint16, packets->n_links + 1);
  for (guint32 l = 0; l < packets->n_lanes; l++)
    packets->inputs[l] = (FabPacketInput) {
      .head = FAB_NONE, .tail = FAB_NONE,
      .single = device_of (packets, link_of (packets, packets->lanes[l].link)->to_device)->kind == FAB_DEVICE_SWITCH };
  for (guint32 l = 0; l < packets->n_links; l++)
    packets->next_track[l] = fab__packet_clock_track (&packets->clock, packets->links[l].full_ps, FAB_PACKET_NEXT, 0);
}

gboolean
fab__packet_fabric_init (FabPackets *packets, GError **error)
{
  const FabTopology *topology = packets->input->topology;

  packets->n_links = fab_topology_n_links (topology);
  packets->unit_bytes = unit_bytes (topology);
  packets->nics_are_ends = nics_are_ends (packets);
  packets->read_speedup = packets->options->read_speedup;
  packets->links = fab__packet_rows_new (MAX (packets->n_links, 1), sizeof (FabPacketLinkRow));
  packets->looks_ahead = packets->n_links > MANY_LINKS;
  packets->reads = g_new0 (gint64, (gsize) FAB_PACKET_MAX_SPEEDUP * packets->n_links + 1);
  packets->last_fed = g_new (guint32, packets->n_links + 1);
  memset (packets->last_fed, 0xff, sizeof (guint32) * packets->n_links);
  packets->pair_bps = g_new0 (guint64, packets->n_links / 2 + 1);
  packets->pair_free_ps = g_new0 (gint64, packets->n_links / 2 + 1);
  find_lanes (packets);
  g_return_val_if_fail (packets->read_speedup >= 1 && packets->read_speedup <= FAB_PACKET_MAX_SPEEDUP, FALSE);
  for (guint32 l = 0; l < packets->n_links; l++)
    link_init (packets, l);
  if (!lanes_init (packets, error) || !fab__packet_arbiters_init (packets, error))
    return FALSE;
  if (packets->options->fifo)
    inputs_init (packets);
  fab__packet_protocols_init (packets);
  fab__packet_lives_init (packets);
  packets->special = packets->inputs != NULL || packets->protocols != NULL;
  return TRUE;
}

void
fab__packet_fabric_clear (FabPackets *packets)
{
  fab__packet_arbiters_clear (packets);
  g_aligned_free (packets->links);
  g_aligned_free (packets->lanes);
  g_free (packets->more);
  g_free (packets->gate_of);
  g_free (packets->reads);
  g_free (packets->last_fed);
  g_aligned_free (packets->sibling);
  g_free (packets->pair_bps);
  g_free (packets->pair_free_ps);
  g_free (packets->slots);
  g_free (packets->n_slots);
  g_free (packets->n_vls);
  g_free (packets->inputs);
  g_free (packets->next_track);
  g_free (packets->protocols);
  g_aligned_free (packets->queues);
  g_aligned_free (packets->hops);
  g_aligned_free (packets->gates);
  g_free (packets->queue_of.slots);
  g_free (packets->hops_of.slots);
  g_free (packets->adapt_to);
  g_free (packets->adapt_track);
  fab__packet_adapt_clear (packets);
}

/* ---- times of a hop ---- */

gint64
fab__packet_arrive_ps (FabPackets *packets, guint32 in_lane, guint32 out_lane, guint32 payload_bytes)
{
  guint32 in_link = packets->lanes[in_lane].link;
  const FabLink *row = link_of (packets, in_link);
  gint64 in_ps = fab__packet_time_ps (&packets->links[in_link], payload_bytes);
  gint64 out_ps = fab__packet_time_ps (&packets->links[packets->lanes[out_lane].link], payload_bytes);
  gint64 wait_ps = packets->options->store_and_forward ? in_ps : MAX (0, in_ps - out_ps);   /* or the output would run dry */

  return row->latency_ps + device_of (packets, row->to_device)->latency_ps + wait_ps;
}

gint64
fab__packet_end_ps (const FabPackets *packets, guint32 link)
{
  const FabLink *row = link_of (packets, link);
  const FabDevice *to = device_of (packets, row->to_device);

  return row->latency_ps + (to->kind == FAB_DEVICE_NIC ? to->latency_ps : 0);
}

gint64
fab__packet_back_ps (const FabPackets *packets, guint32 link)
{
  return link_of (packets, link)->latency_ps;
}

/* ---- queues ---- */

/* An input that feeds more outputs than it has read ports must take turns; until then nobody need look. */
static void
note_output (FabPackets *packets, guint32 queue)
{
  guint32 in_link = packets->lanes[packets->queues[queue].in_lane].link;
  guint n = 1;

  packets->sibling[queue] = packets->last_fed[in_link];
  packets->last_fed[in_link] = queue;
  for (guint32 q = packets->sibling[queue]; q != FAB_NONE && n <= packets->read_speedup; q = packets->sibling[q])
    n++;
  if (n <= packets->read_speedup)
    return;
  for (guint32 q = queue; q != FAB_NONE && !(packets->queues[q].flags & FAB_PACKET_QUEUE_LIMITED); q = packets->sibling[q])
    packets->queues[q].flags |= FAB_PACKET_QUEUE_LIMITED;
}

static void
set_tracks (FabPackets *packets, FabPacketQueue *queue)
{
  FabPacketLinkRow *in = &packets->links[packets->lanes[queue->in_lane].link], *out = &packets->links[packets->lanes[queue->lane].link];
  guint32 bytes = out->full_bytes;
  gint64 back_ps = fab__packet_back_ps (packets, packets->lanes[queue->in_lane].link);

  queue->arrive_track = fab__packet_clock_track (&packets->clock, fab__packet_arrive_ps (packets, queue->in_lane, queue->lane, bytes), FAB_PACKET_ARRIVE, 0);
  queue->credit_track = fab__packet_clock_track (&packets->clock, out->full_ps + back_ps, FAB_PACKET_CREDIT, fab__packet_blocks (in, bytes));
  if (in->full_bytes == bytes && queue->arrive_track != 0 && queue->credit_track != 0 && out->free_track != 0)
    queue->full_bytes = (guint16) bytes;
}

/* The queue of what comes in over @in_lane, or from @gate where that is FAB_NONE, and waits for @lane. */
guint32
fab__packet_queue (FabPackets *packets, guint32 in_lane, guint32 gate, guint32 lane)
{
  guint64 key = (guint64) (in_lane != FAB_NONE ? in_lane : gate | 0x80000000u) << 32 | lane;
  guint32 known = fab__packet_map_find (&packets->queue_of, key);
  FabPacketQueue *queue;

  if (known != FAB_NONE)
    return known;
  fab__packet_grow (packets->queues, packets->n_queues, packets->queue_room);
  queue = &packets->queues[packets->n_queues];
  *queue = (FabPacketQueue) {
    .head = FAB_NONE, .tail = FAB_NONE, .next = FAB_NONE, .lane = lane, .link = packets->lanes[lane].link, .in_lane = in_lane,
    .full_bytes = FAB_PACKET_NO_SIZE,
  };
  if (in_lane != FAB_NONE)
    set_tracks (packets, queue);
  else if (packets->links[packets->lanes[lane].link].free_track != 0)
    queue->full_bytes = packets->links[packets->lanes[lane].link].full_bytes;
  fab__packet_map_put (&packets->queue_of, key, packets->n_queues);
  fab__packet_grow (packets->sibling, packets->n_siblings, packets->sibling_room);
  packets->n_siblings++;
  if (in_lane != FAB_NONE)
    note_output (packets, packets->n_queues);
  return packets->n_queues++;
}

static guint32
gate_of_lane (FabPackets *packets, guint32 lane)
{
  if (packets->gate_of[lane] != FAB_NONE)
    return packets->gate_of[lane];
  fab__packet_grow (packets->gates, packets->n_gates, packets->gate_room);
  packets->gates[packets->n_gates] = (FabPacketGate) { .last_flow = FAB_NONE, .max_ahead = 2 };
  return packets->gate_of[lane] = packets->n_gates++;
}

/* ---- paths ---- */

guint32
fab__packet_lane (const FabPackets *packets, guint32 link, guint vl)
{
  guint32 plane = link_of (packets, link)->plane;

  return packets->links[link].first_lane + (plane != FAB_NONE ? packets->slots[16 * plane + vl] : 0);
}

/* Bytes are dealt out where they leave the node, or at the first link where they never do. */
static guint32
gate_hop (const FabPackets *packets, const guint32 *links, guint32 n_links)
{
  for (guint32 i = 0; i < n_links; i++)
    if (link_of (packets, links[i])->plane != FAB_NONE)
      return i;
  return 0;
}

/* The NIC fetches ahead what fills the way from the memory to its wire. */
static guint32
units_ahead (FabPackets *packets, const guint32 *links, guint32 gate_hop_row)
{
  gint64 way_ps = 0;

  for (guint32 i = 0; i < gate_hop_row; i++)
    {
      const FabLink *row = link_of (packets, links[i]);

      way_ps += row->latency_ps + device_of (packets, row->to_device)->latency_ps + packets->links[links[i]].full_ps;
    }
  return gate_hop_row == 0 ? 2 : (guint32) (way_ps / packets->links[links[gate_hop_row]].full_ps) + AHEAD_UNITS;
}

/* Packets end their way on @lane: their credit comes back when all of one is in. Where nothing passes through the receiver and its
 * buffer covers the round trip of the smallest packets, no credit can ever lack there, so none is counted. */
static void
end_lane (FabPackets *packets, guint32 lane)
{
  FabPacketLaneRow *row = &packets->lanes[lane];
  FabPacketLaneMore *more = &packets->more[lane];
  FabPacketLinkRow *link = &packets->links[row->link];
  gint64 trip_ps = link->full_ps + fab__packet_end_ps (packets, row->link) + fab__packet_back_ps (packets, row->link);
  gint64 block_ps = fab__packet_bits_ps (1 + link->header_bytes, link->rate_bps);

  more->end_ps = fab__packet_end_ps (packets, row->link);
  if (row->sink_track == 0)
    row->sink_track = fab__packet_clock_track (&packets->clock, trip_ps, FAB_PACKET_CREDIT, fab__packet_blocks (link, link->full_bytes));
  row->unlimited = FALSE;
  if (!more->ends || row->stopped || packets->options->credit_interval_ps > 0 || packets->protocols != NULL)
    return;
  if (link_of (packets, row->link)->plane == FAB_NONE)
    row->unlimited = packets->options->pcie_buffer_bytes == 0;
  else
    row->unlimited = more->buffer_blocks > trip_ps / block_ps + (gint64) fab__packet_blocks (link, link->full_bytes);
}

/* Where switches choose, links of the path from @from on are all that may be crossed; the last of the plane enters the NIC. */
static guint32
last_of_plane (const FabPackets *packets, const guint32 *links, guint32 n_links, guint32 from)
{
  guint32 plane = link_of (packets, links[from])->plane, last = from;

  for (guint32 i = from; i < n_links && link_of (packets, links[i])->plane == plane; i++)
    last = i;
  return last;
}

/* The plane that @path goes over; FAB_NONE: it stays in its node. */
static guint32
plane_of_path (const FabPackets *packets, guint32 path)
{
  const guint32 *links = fab_paths_links (packets->paths, path);
  guint32 n_links = fab_paths_row (packets->paths, path)->n_links;

  return n_links > 0 ? link_of (packets, links[gate_hop (packets, links, n_links)])->plane : FAB_NONE;
}

/* Tables that need lanes say which service level a packet carries. */
guint
fab__packet_vl_of_path (const FabPackets *packets, guint32 path, guint sl)
{
  guint32 plane = plane_of_path (packets, path);
  const FabRoutes *routes = plane != FAB_NONE && packets->input->routes != NULL ? packets->input->routes[plane] : NULL;
  const guint32 *links = fab_paths_links (packets->paths, path);
  guint32 n_links = fab_paths_row (packets->paths, path)->n_links;

  if (routes != NULL && fab_routes_n_lanes (routes) > 1)
    {
      guint32 at = gate_hop (packets, links, n_links), last = last_of_plane (packets, links, n_links, at);

      sl = fab_routes_lane (routes, link_of (packets, links[at])->from_port, link_of (packets, links[last])->to_port);
    }
  return fab__packet_vl (packets, plane, sl);
}

gboolean
fab__packet_is_dropped (const FabPackets *packets, guint32 path, guint sl)
{
  return fab__packet_vl_of_path (packets, path, sl) == FAB_SUBNET_VL15;
}

guint32
fab__packet_unit (const FabPackets *packets, guint32 path, gboolean *leaves)
{
  const guint32 *links = fab_paths_links (packets->paths, path);
  guint32 n_links = fab_paths_row (packets->paths, path)->n_links, at = gate_hop (packets, links, n_links);

  *leaves = link_of (packets, links[at])->plane != FAB_NONE;
  return packets->links[links[at]].full_bytes;
}

static void
add_hop (FabPackets *packets, guint32 hop)
{
  fab__packet_grow (packets->hops, packets->n_hop_rows, packets->hop_room);
  packets->hops[packets->n_hop_rows++] = hop;
}

static void
use_choices (FabPackets *packets)
{
  if (packets->adapt_to != NULL)
    return;
  packets->adapt_to = g_new (guint32, packets->n_links + 1);
  packets->adapt_track = g_new0 (guint16, packets->n_links + 1);
  for (guint32 l = 0; l < packets->n_links; l++)
    {
      packets->adapt_to[l] = link_of (packets, l)->to_device;
      if (device_of (packets, packets->adapt_to[l])->kind == FAB_DEVICE_SWITCH)
        packets->adapt_track[l] = fab__packet_clock_track (&packets->clock, fab__packet_choice_ps (packets, packets->links[l].first_lane,
                                                                                                    packets->links[l].full_bytes), FAB_PACKET_ARRIVE, 0);
    }
}

gint64
fab__packet_choice_ps (FabPackets *packets, guint32 in_lane, guint32 payload_bytes)
{
  const FabLink *row = link_of (packets, packets->lanes[in_lane].link);
  const FabDevice *to = device_of (packets, row->to_device);
  gint64 longest_ps = 0;

  for (guint32 p = to->first_port; p < to->first_port + to->n_ports; p++)
    {
      guint32 link = fab_topology_port (packets->input->topology, p)->link;

      if (link != FAB_NONE && link != (packets->lanes[in_lane].link ^ 1))
        longest_ps = MAX (longest_ps, fab__packet_arrive_ps (packets, in_lane, packets->links[link].first_lane, payload_bytes));
    }
  return longest_ps;
}

guint32
fab__packet_path (FabPackets *packets, guint32 path, guint vl, guint32 *gate)
{
  const guint32 *links = fab_paths_links (packets->paths, path);
  guint32 n_links = fab_paths_row (packets->paths, path)->n_links;
  guint32 at = gate_hop (packets, links, n_links), in_lane = FAB_NONE, first = packets->n_hop_rows;
  guint64 key = (guint64) path << 8 | vl;
  guint32 known = fab__packet_map_find (&packets->hops_of, key), enters = FAB_NONE;

  *gate = gate_of_lane (packets, fab__packet_lane (packets, links[at], vl));
  if (known != FAB_NONE)
    return known;
  packets->gates[*gate].max_ahead = MAX (packets->gates[*gate].max_ahead, units_ahead (packets, links, at));
  if (fab_paths_parts (packets->paths, path) != NULL)
    {
      use_choices (packets);
      enters = last_of_plane (packets, links, n_links, at);
    }
  for (guint32 i = 0; i < n_links; i++)
    {
      guint32 lane = fab__packet_lane (packets, links[i], vl);

      if (enters == FAB_NONE || i <= at || i > enters)
        add_hop (packets, fab__packet_queue (packets, in_lane, *gate, lane));
      else if (i == enters)
        add_hop (packets, FAB_PACKET_WAY | fab__packet_way (packets, link_of (packets, links[i])->plane, link_of (packets, links[i])->to_port, vl));
      if (i == at)
        packets->queues[packets->hops[packets->n_hop_rows - 1]].flags |= FAB_PACKET_QUEUE_GATE;
      in_lane = lane;
    }
  add_hop (packets, FAB_NONE);
  end_lane (packets, in_lane);
  fab__packet_map_put (&packets->hops_of, key, first);
  return first;
}
