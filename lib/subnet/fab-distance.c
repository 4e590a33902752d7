/* fab-distance.c: how near two devices of a node are, and the way between them */
#include "subnet/fab-node-walk-private.h"

/* A node has some tens of devices: breadth-first search over them each time is cheaper than keeping tables. */
typedef struct
{
  const FabNode *node;
  guint32       *came_by;   /* device of the node → link it was reached by; FAB_NONE */
  guint32       *queue;
} Search;

static gboolean
passes (const FabTopology *topology, const FabFaults *faults, const FabLink *link, guint32 row, gboolean nvlink)
{
  return link->plane == FAB_NONE && (link->kind == FAB_LINK_NVLINK) == nvlink && !fab_faults_link_down (faults, row)
         && !fab_faults_device_down (faults, link->to_device);
}

/* Only switches, root complexes and sockets pass traffic on. */
static gboolean
forwards (FabDeviceKind kind)
{
  return kind == FAB_DEVICE_PCIE_SWITCH || kind == FAB_DEVICE_CPU || kind == FAB_DEVICE_NVSWITCH;
}

static gboolean
search (const FabTopology *topology, const FabFaults *faults, guint32 from, guint32 to, gboolean nvlink, Search *found)
{
  guint32 first = found->node->first_device, head = 0, tail = 0;

  memset (found->came_by, 0xff, sizeof (guint32) * found->node->n_devices);
  found->queue[tail++] = from;
  while (head < tail)
    {
      guint32 at = found->queue[head++];
      const FabDevice *device = fab_topology_device (topology, at);

      if (at == to)
        return TRUE;
      if (at != from && !forwards (device->kind))
        continue;
      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        {
          guint32 link = fab_topology_port (topology, p)->link;
          const FabLink *row = link != FAB_NONE ? fab_topology_link (topology, link) : NULL;

          if (row == NULL || !passes (topology, faults, row, link, nvlink) || row->to_device == from
              || found->came_by[row->to_device - first] != FAB_NONE)
            continue;
          found->came_by[row->to_device - first] = link;
          found->queue[tail++] = row->to_device;
        }
    }
  return FALSE;
}

gboolean
fab__node_walk (const FabTopology *topology, const FabFaults *faults, guint32 from, guint32 to, gboolean nvlink, GArray *links)
{
  const FabDevice *device = fab_topology_device (topology, from);
  Search found;
  guint n_before = links->len;
  gboolean ok;

  if (from == to)
    return TRUE;
  if (device->node == FAB_NONE || device->node != fab_topology_device (topology, to)->node || fab_faults_device_down (faults, from)
      || fab_faults_device_down (faults, to))
    return FALSE;
  found.node = fab_topology_node (topology, device->node);
  found.came_by = g_newa (guint32, found.node->n_devices);
  found.queue = g_newa (guint32, found.node->n_devices);
  ok = search (topology, faults, from, to, nvlink, &found);
  for (guint32 at = to; ok && at != from;)
    {
      guint32 link = found.came_by[at - found.node->first_device];

      g_array_append_val (links, link);
      at = fab_topology_link (topology, link)->from_device;
    }
  for (guint a = n_before, b = links->len; a + 1 < b; a++, b--)   /* found backwards */
    {
      guint32 kept = g_array_index (links, guint32, a);

      g_array_index (links, guint32, a) = g_array_index (links, guint32, b - 1);
      g_array_index (links, guint32, b - 1) = kept;
    }
  return ok;
}

guint32
fab__node_memory (const FabTopology *topology, guint32 device)
{
  const FabDevice *row = fab_topology_device (topology, device);
  const FabNode *node = row->node != FAB_NONE ? fab_topology_node (topology, row->node) : NULL;
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 nearest = FAB_NONE;
  guint fewest = G_MAXUINT;

  for (guint32 d = node != NULL ? node->first_device : 0; node != NULL && d < node->first_device + node->n_devices; d++)
    {
      if (fab_topology_device (topology, d)->kind != FAB_DEVICE_MEMORY)
        continue;
      g_array_set_size (links, 0);
      if (fab__node_walk (topology, NULL, device, d, FALSE, links) && links->len < fewest)
        {
          fewest = links->len;
          nearest = d;
        }
    }
  return nearest;
}

FabDistance
fab__links_distance (const FabTopology *topology, const guint32 *links, guint n_links)
{
  guint n_pcie_switches = 0, n_roots = 0;

  for (guint i = 0; i + 1 < n_links; i++)
    {
      FabDeviceKind kind = fab_topology_device (topology, fab_topology_link (topology, links[i])->to_device)->kind;

      n_pcie_switches += kind == FAB_DEVICE_PCIE_SWITCH ? 1 : 0;
      n_roots += kind == FAB_DEVICE_CPU ? 1 : 0;
    }
  if (n_roots > 1)
    return FAB_DISTANCE_SYS;
  if (n_roots == 1)
    return FAB_DISTANCE_PHB;
  return n_pcie_switches > 1 ? FAB_DISTANCE_PXB : FAB_DISTANCE_PIX;
}

FabDistance
fab_topology_distance (const FabTopology *topology, guint32 a, guint32 b)
{
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (!fab__node_walk (topology, NULL, a, b, FALSE, links))
    return FAB_N_DISTANCES;
  return fab__links_distance (topology, (const guint32 *) (const void *) links->data, links->len);
}

const char *
fab_distance_name (FabDistance distance)
{
  static const char *const names[] = { "PIX", "PXB", "PHB", "SYS", "none" };

  g_return_val_if_fail (distance <= FAB_N_DISTANCES, NULL);
  return names[distance];
}
