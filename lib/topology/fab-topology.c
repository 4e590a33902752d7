/* fab-topology.c: the arrays, and what their rows are called */
#include "topology/fab-topology-private.h"

static void
topology_clear (gpointer data)
{
  FabTopology *topology = data;

  g_free (topology->nodes);
  g_free (topology->devices);
  g_free (topology->ports);
  g_free (topology->links);
  g_free (topology->planes);
  g_free (topology->gpus);
  g_string_chunk_free (topology->names);
  g_hash_table_unref (topology->node_rows);
}

FabTopology *
fab_topology_ref (FabTopology *topology)
{
  return g_atomic_rc_box_acquire (topology);
}

void
fab_topology_unref (FabTopology *topology)
{
  if (topology != NULL)
    g_atomic_rc_box_release_full (topology, topology_clear);
}

guint32
fab_topology_n_nodes (const FabTopology *topology)
{
  return topology->n_nodes;
}

guint32
fab_topology_n_devices (const FabTopology *topology)
{
  return topology->n_devices;
}

guint32
fab_topology_n_ports (const FabTopology *topology)
{
  return topology->n_ports;
}

guint32
fab_topology_n_links (const FabTopology *topology)
{
  return topology->n_links;
}

guint32
fab_topology_n_planes (const FabTopology *topology)
{
  return topology->n_planes;
}

const FabNode *
fab_topology_node (const FabTopology *topology, guint32 node)
{
  g_return_val_if_fail (node < topology->n_nodes, NULL);
  return &topology->nodes[node];
}

const FabDevice *
fab_topology_device (const FabTopology *topology, guint32 device)
{
  g_return_val_if_fail (device < topology->n_devices, NULL);
  return &topology->devices[device];
}

const FabPort *
fab_topology_port (const FabTopology *topology, guint32 port)
{
  g_return_val_if_fail (port < topology->n_ports, NULL);
  return &topology->ports[port];
}

const FabLink *
fab_topology_link (const FabTopology *topology, guint32 link)
{
  g_return_val_if_fail (link < topology->n_links, NULL);
  return &topology->links[link];
}

const FabPlane *
fab_topology_plane (const FabTopology *topology, guint32 plane)
{
  g_return_val_if_fail (plane < topology->n_planes, NULL);
  return &topology->planes[plane];
}

guint32
fab_topology_lookup_node (const FabTopology *topology, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (topology->node_rows, name)) - 1;   /* absent: 0 - 1 is FAB_NONE */
}

guint32
fab_topology_lookup_plane (const FabTopology *topology, const char *name)
{
  for (guint32 p = 0; p < topology->n_planes; p++)
    if (g_str_equal (topology->planes[p].name, name))
      return p;
  return FAB_NONE;
}

const guint32 *
fab_topology_gpus (const FabTopology *topology, guint32 *n_gpus)
{
  *n_gpus = topology->n_gpus;
  return topology->gpus;
}

/* ---- addresses of rows ---- */

static const char *
owner_name (const FabTopology *topology, const FabDevice *device)
{
  return device->node != FAB_NONE ? topology->nodes[device->node].name : topology->planes[device->plane].name;
}

char *
fab_topology_device_address (const FabTopology *topology, guint32 device)
{
  const FabDevice *row = fab_topology_device (topology, device);

  g_return_val_if_fail (row != NULL, NULL);
  return g_strdup_printf ("%s/%s", owner_name (topology, row), row->name);
}

char *
fab_topology_port_address (const FabTopology *topology, guint32 port)
{
  const FabPort *row = fab_topology_port (topology, port);
  const FabDevice *device;

  g_return_val_if_fail (row != NULL, NULL);
  device = &topology->devices[row->device];
  return row->name != NULL ? g_strdup_printf ("%s/%s/%s", owner_name (topology, device), device->name, row->name)
                           : fab_topology_device_address (topology, row->device);
}

char *
fab_topology_link_address (const FabTopology *topology, guint32 link)
{
  const FabLink *row = fab_topology_link (topology, link);
  g_autofree char *from = NULL, *to = NULL;

  g_return_val_if_fail (row != NULL, NULL);
  from = fab_topology_port_address (topology, row->from_port);
  to = fab_topology_port_address (topology, row->to_port);
  return g_strdup_printf ("%s--%s", from, to);
}

/* ---- kinds ---- */

const char *
fab_device_kind_name (FabDeviceKind kind)
{
  static const char *const names[FAB_N_DEVICE_KINDS] = {
    [FAB_DEVICE_GPU] = "gpu", [FAB_DEVICE_NIC] = "nic", [FAB_DEVICE_PCIE_SWITCH] = "pcie-switch", [FAB_DEVICE_CPU] = "cpu",
    [FAB_DEVICE_MEMORY] = "memory", [FAB_DEVICE_NVSWITCH] = "nvswitch", [FAB_DEVICE_SWITCH] = "switch",
  };

  g_return_val_if_fail (kind < FAB_N_DEVICE_KINDS, NULL);
  return names[kind];
}

const char *
fab_link_kind_name (FabLinkKind kind)
{
  static const char *const names[FAB_N_LINK_KINDS] = {
    [FAB_LINK_GPU] = "gpu-link", [FAB_LINK_PCIE] = "pcie", [FAB_LINK_NIC] = "nic", [FAB_LINK_SOCKET] = "socket",
    [FAB_LINK_MEMORY] = "memory", [FAB_LINK_NVLINK] = "nvlink", [FAB_LINK_INFINIBAND] = "infiniband", [FAB_LINK_ETHERNET] = "ethernet",
  };

  g_return_val_if_fail (kind < FAB_N_LINK_KINDS, NULL);
  return names[kind];
}
