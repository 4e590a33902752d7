/* fab-path-ends.c: ways inside a node: between two of its devices, and between a device and its port on a plane */
#include "subnet/fab-path-private.h"
#include "subnet/fab-node-walk-private.h"

/* ---- from device to device ---- */

typedef struct { guint32 src, dst, plane; } Key;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return key->src * 2654435761u ^ key->dst * 2246822519u ^ key->plane * 3266489917u;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Key)) == 0;
}

/* The way once found in one node of a group serves all others; where something is down, each node is searched for itself. */
gboolean
fab__paths_walk (FabPaths *paths, guint32 from, guint32 to, gboolean nvlink)
{
  const FabNode *node = fab_topology_node (paths->topology, fab_topology_device (paths->topology, from)->node);
  Key key = { .src = from - node->first_device, .dst = to - node->first_device, .plane = 2 * node->group + (nvlink ? 1 : 0) };
  guint n_before = paths->links->len;
  GArray *known;

  if (paths->faults != NULL || node->group == FAB_NONE)
    return fab__node_walk (paths->topology, paths->faults, from, to, nvlink, paths->links);
  if (paths->walks == NULL)
    paths->walks = g_hash_table_new_full (key_hash, key_equal, g_free, (GDestroyNotify) g_array_unref);
  known = g_hash_table_lookup (paths->walks, &key);
  if (known == NULL)
    {
      if (!fab__node_walk (paths->topology, NULL, from, to, nvlink, paths->links))
        return FALSE;
      known = g_array_new (FALSE, FALSE, sizeof (guint32));
      for (guint i = n_before; i < paths->links->len; i++)
        {
          guint32 relative = g_array_index (paths->links, guint32, i) - node->first_link;

          g_array_append_val (known, relative);
        }
      g_hash_table_insert (paths->walks, g_memdup2 (&key, sizeof key), known);
      return TRUE;
    }
  for (guint i = 0; i < known->len; i++)
    {
      guint32 link = node->first_link + g_array_index (known, guint32, i);

      g_array_append_val (paths->links, link);
    }
  return TRUE;
}

/* Distance by the cached walk: what the links lead into on the way. */
FabDistance
fab__paths_distance (FabPaths *paths, guint32 from, guint32 to)
{
  guint n_before = paths->links->len;
  FabDistance found = FAB_N_DISTANCES;

  if (fab__paths_walk (paths, from, to, FALSE))
    found = fab__links_distance (paths->topology, (const guint32 *) (const void *) paths->links->data + n_before, paths->links->len - n_before);
  g_array_set_size (paths->links, n_before);
  return found;
}

void
fab__paths_apply_caps (const FabPaths *paths, guint from, gboolean reading, guint64 *bps, guint32 *link)
{
  for (guint i = from; i < paths->links->len; i++)
    {
      guint32 row = g_array_index (paths->links, guint32, i);
      const FabLink *crossed = fab_topology_link (paths->topology, row);
      guint64 cap_bps = reading ? crossed->flow_read_bps : crossed->flow_write_bps;

      if (crossed->plane != FAB_NONE || cap_bps == 0 || (*bps > 0 && *bps <= cap_bps))
        continue;
      *bps = cap_bps;
      *link = row;
    }
}

/* ---- from a device to its port ---- */

/* The port @device uses on @plane: a GPU's affinity port, else the nearest, ties dealt out by the device's ordinal. */
static guint32
find_port (const FabPaths *paths, guint32 device, guint32 plane)
{
  const FabTopology *topology = paths->topology;
  const FabDevice *row = fab_topology_device (topology, device);
  const FabNode *node = row->node != FAB_NONE ? fab_topology_node (topology, row->node) : NULL;
  g_autoptr (GArray) nearest = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint fewest = G_MAXUINT;

  if (row->affinity != FAB_NONE && fab_topology_port (topology, row->affinity)->plane == plane)
    return row->affinity;
  for (guint32 d = node != NULL ? node->first_device : 0; node != NULL && d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *nic = fab_topology_device (topology, d);

      for (guint32 p = nic->first_port; nic->kind == FAB_DEVICE_NIC && p < nic->first_port + nic->n_ports; p++)
        {
          const FabPort *port = fab_topology_port (topology, p);

          if (port->plane != plane || port->link == FAB_NONE)
            continue;
          g_array_set_size (links, 0);
          if (!fab__node_walk (topology, NULL, device, d, FALSE, links))
            continue;
          if (links->len < fewest)
            {
              g_array_set_size (nearest, 0);
              fewest = links->len;
            }
          if (links->len == fewest)
            g_array_append_val (nearest, p);
        }
    }
  return nearest->len > 0 ? g_array_index (nearest, guint32, row->ordinal % nearest->len) : FAB_NONE;
}

static FabPathEnd *
end_of (FabPaths *paths, guint32 device, guint32 plane)
{
  guint32 *row = &paths->end_of[(gsize) plane * fab_topology_n_devices (paths->topology) + device];

  if (*row == 0)
    {
      FabPathEnd end = { .port = find_port (paths, device, plane) };

      g_array_append_val (paths->ends, end);
      *row = paths->ends->len;
    }
  return &g_array_index (paths->ends, FabPathEnd, *row - 1);
}

guint32
fab__paths_port (FabPaths *paths, guint32 device, guint32 plane)
{
  return end_of (paths, device, plane)->port;
}

/* GPUDirect while the level allows, else through the host memory of the device's socket. An RDMA write reads the sender's memory and
 * writes the receiver's. */
static gboolean
walk_end (FabPaths *paths, guint32 device, guint32 nic, FabEndSide side, gboolean *staged, guint64 *flow_bps, guint32 *flow_link)
{
  gboolean is_gpu = fab_topology_device (paths->topology, device)->kind == FAB_DEVICE_GPU;
  guint32 from = side == FAB_END_SENDS ? device : nic, to = side == FAB_END_SENDS ? nic : device, memory;
  guint before = paths->links->len;

  if (device == nic)
    return TRUE;
  if (is_gpu && fab__paths_distance (paths, device, nic) > paths->rules.gdr_level)
    {
      *staged = TRUE;
      memory = fab__node_memory (paths->topology, device);
      return memory != FAB_NONE && fab__paths_walk (paths, from, memory, FALSE) && fab__paths_walk (paths, memory, to, FALSE);
    }
  if (!fab__paths_walk (paths, from, to, FALSE))
    return FALSE;
  if (is_gpu)
    fab__paths_apply_caps (paths, before, side == FAB_END_SENDS, flow_bps, flow_link);
  return TRUE;
}

/* Walks the side once and keeps it. */
static void
know_side (FabPaths *paths, guint32 device, guint32 plane, FabEndSide side)
{
  guint before = paths->links->len, first = paths->end_links->len;
  guint32 port = fab__paths_port (paths, device, plane), flow_link = FAB_NONE;
  gboolean staged = FALSE, reaches;
  guint64 flow_bps = 0;
  FabPathEnd *end;

  reaches = port != FAB_NONE
            && walk_end (paths, device, fab_topology_port (paths->topology, port)->device, side, &staged, &flow_bps, &flow_link);
  if (reaches && paths->links->len > before)
    g_array_append_vals (paths->end_links, &g_array_index (paths->links, guint32, before), paths->links->len - before);
  g_array_set_size (paths->links, before);
  end = end_of (paths, device, plane);
  end->side[side].first = first;
  end->side[side].n = paths->end_links->len - first;
  end->side[side].flow_bps = flow_bps;
  end->side[side].flow_link = flow_link;
  end->side[side].reaches = reaches ? 1 : 0;
  end->side[side].staged = staged ? 1 : 0;
  end->side[side].known = 1;
}

gboolean
fab__paths_add_end (FabPaths *paths, FabPath *path, guint32 device, guint32 plane, FabEndSide side)
{
  const FabPathEnd *end = end_of (paths, device, plane);

  if (!end->side[side].known)
    {
      know_side (paths, device, plane, side);
      end = end_of (paths, device, plane);
    }
  if (!end->side[side].reaches)
    return FALSE;
  if (end->side[side].n > 0)
    g_array_append_vals (paths->links, &g_array_index (paths->end_links, guint32, end->side[side].first), end->side[side].n);
  if (end->side[side].staged)
    path->transport = FAB_TRANSPORT_NET_STAGED;
  if (end->side[side].flow_bps > 0 && (path->flow_bps == 0 || end->side[side].flow_bps < path->flow_bps))
    {
      path->flow_bps = end->side[side].flow_bps;
      path->flow_link = end->side[side].flow_link;
    }
  return TRUE;
}
