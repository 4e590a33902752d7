/* fab-packet-buffer.c: how much a receiver holds for one lane */
#include "fab-packet-private.h"

#define SPARE_UNITS 8u            /* of a PCIe buffer, beyond the round trip */
#define FETCH_UNITS 24u           /* that a lane of a NIC's port has asked its host for at most, or so */

/* A NIC has room for all it asked its host for (PCIe: a requester takes its completions at once), so that a lane or port without
 * credit holds up no other on the way into it. */
static guint
fetched_units (const FabPackets *packets, guint32 link)
{
  const FabTopology *topology = packets->input->topology;
  guint32 nic = fab_topology_link (packets->input->topology, link)->to_device, n_lanes = 0;
  const FabDevice *row = fab_topology_device (packets->input->topology, nic);

  if (row->kind != FAB_DEVICE_NIC)
    return 0;
  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    {
      guint32 out = fab_topology_port (topology, p)->link;

      if (out != FAB_NONE && fab_topology_link (topology, out)->plane != FAB_NONE)
        n_lanes += packets->n_slots[fab_topology_link (topology, out)->plane];
    }
  return n_lanes * FETCH_UNITS;
}

/* What a receiver holds for one lane. PCIe parts are built with credits for their round trip; nobody says how many. */
guint64
fab__packet_buffer_bytes (const FabPackets *packets, guint32 link)
{
  const FabLink *row = fab_topology_link (packets->input->topology, link);
  const FabDevice *to = fab_topology_device (packets->input->topology, row->to_device);
  const FabPacketLinkRow *out = &packets->links[link];
  guint64 rate_bytes_ps;
  gint64 trip_ps;

  if (row->plane != FAB_NONE)
    {
      if (to->buffer_bytes > 0)
        return to->buffer_bytes;
      return to->kind == FAB_DEVICE_SWITCH ? packets->options->switch_buffer_bytes : packets->options->nic_buffer_bytes;
    }
  if (packets->options->pcie_buffer_bytes > 0)
    return packets->options->pcie_buffer_bytes;
  trip_ps = 2 * row->latency_ps + to->latency_ps + 2 * out->full_ps;
  rate_bytes_ps = fab__mul_div ((guint64) trip_ps, out->rate_bps, 8000000000000u);
  return rate_bytes_ps + (SPARE_UNITS + fetched_units (packets, link)) * out->full_bytes;
}
