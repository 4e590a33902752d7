/* fab-path.c: the way of the data from device to device, through nodes and planes */
#include "subnet/fab-node-walk-private.h"

struct _FabPaths
{
  const FabTopology *topology;
  const FabFaults   *faults;
  FabRoutes *const  *routes;
  FabTransportRules  rules;
  GHashTable        *rows;       /* (src, dst, plane) → row + 1, or 0 for unreachable */
  GHashTable        *walks;      /* (group, from, to) → links, all counted from the node's first: nodes of a group are alike */
  GArray            *paths;      /* FabPath */
  GArray            *links;      /* guint32 */
  GArray            *parts;      /* double, of the paths that are spread */
  gint64            *reach_ps;   /* of a spread in the making: when its first bit gets to each device; NULL: none yet */
};

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

void
fab_transport_rules_init (FabTransportRules *rules)
{
  /* NCCL src/graph/paths.cc: both levels PXB; src/graph/tuning.cc: ring, Simple. */
  *rules = (FabTransportRules) {
    .p2p_level = FAB_DISTANCE_PXB, .gdr_level = FAB_DISTANCE_PXB, .pcie_step_ps = 5700000, .network_step_ps = 14000000,
  };
}

const char *
fab_transport_name (FabTransport transport)
{
  static const char *const names[] = { "p2p", "shm", "gdr", "net-staged" };

  g_return_val_if_fail (transport < G_N_ELEMENTS (names), NULL);
  return names[transport];
}

FabPaths *
fab_paths_new (const FabTopology *topology, const FabFaults *faults, FabRoutes *const *routes, const FabTransportRules *rules)
{
  FabPaths *paths = g_new0 (FabPaths, 1);

  paths->topology = topology;
  paths->faults = faults;
  paths->routes = routes;
  paths->rules = *rules;
  paths->rows = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  paths->walks = g_hash_table_new_full (key_hash, key_equal, g_free, (GDestroyNotify) g_array_unref);
  paths->paths = g_array_new (FALSE, FALSE, sizeof (FabPath));
  paths->links = g_array_new (FALSE, FALSE, sizeof (guint32));
  paths->parts = g_array_new (FALSE, FALSE, sizeof (double));
  return paths;
}

void
fab_paths_free (FabPaths *paths)
{
  if (paths == NULL)
    return;
  g_hash_table_unref (paths->rows);
  g_hash_table_unref (paths->walks);
  g_array_unref (paths->paths);
  g_array_unref (paths->links);
  g_array_unref (paths->parts);
  g_free (paths->reach_ps);
  g_free (paths);
}

const FabPath *
fab_paths_row (const FabPaths *paths, guint32 path)
{
  return &g_array_index (paths->paths, FabPath, path);
}

const guint32 *
fab_paths_links (const FabPaths *paths, guint32 path)
{
  return (const guint32 *) (const void *) paths->links->data + fab_paths_row (paths, path)->first_link;
}

const double *
fab_paths_parts (const FabPaths *paths, guint32 path)
{
  guint32 first = fab_paths_row (paths, path)->first_part;

  return first != FAB_NONE ? (const double *) (const void *) paths->parts->data + first : NULL;
}

/* ---- caps and latencies of what was found ---- */

/* The smallest per-flow cap of the links from row @from on. */
static void
apply_caps (const FabPaths *paths, FabPath *path, guint from, gboolean reading)
{
  for (guint i = from; i < paths->links->len; i++)
    {
      guint32 row = g_array_index (paths->links, guint32, i);
      const FabLink *link = fab_topology_link (paths->topology, row);
      guint64 cap_bps = reading ? link->flow_read_bps : link->flow_write_bps;

      if (link->plane != FAB_NONE || cap_bps == 0 || (path->flow_bps > 0 && path->flow_bps <= cap_bps))
        continue;
      path->flow_bps = cap_bps;
      path->flow_link = row;
    }
}

/* Of link @i of the path and of the device it leads into; a NIC counts as an end too, since its latency is of one side's send or receive. */
static gint64
hop_latency_ps (const FabPaths *paths, guint i)
{
  const FabLink *link = fab_topology_link (paths->topology, g_array_index (paths->links, guint32, i));
  const FabDevice *into = fab_topology_device (paths->topology, link->to_device);

  return link->latency_ps + (i + 1 < paths->links->len || into->kind == FAB_DEVICE_NIC ? into->latency_ps : 0);
}

static void
sum_latency (const FabPaths *paths, FabPath *path)
{
  const FabDevice *src = fab_topology_device (paths->topology, path->src);

  if (src->kind == FAB_DEVICE_NIC && path->n_links > 0)
    path->latency_ps += src->latency_ps;
  for (guint i = path->first_link; i < paths->links->len; i++)
    path->latency_ps += hop_latency_ps (paths, i);
}

/* How much sooner than the sum of the links from row @from on the first bit is there: they are several ways, each link after those that
 * feed it. */
static gint64
spared_ps (FabPaths *paths, guint from)
{
  const FabLink *first = fab_topology_link (paths->topology, g_array_index (paths->links, guint32, from));
  gint64 sum_ps = 0, last_ps = 0;

  if (paths->reach_ps == NULL)
    paths->reach_ps = g_new (gint64, fab_topology_n_devices (paths->topology));
  for (guint i = from; i < paths->links->len; i++)
    paths->reach_ps[fab_topology_link (paths->topology, g_array_index (paths->links, guint32, i))->to_device] = G_MAXINT64;
  paths->reach_ps[first->from_device] = 0;
  for (guint i = from; i < paths->links->len; i++)
    {
      const FabLink *link = fab_topology_link (paths->topology, g_array_index (paths->links, guint32, i));
      gint64 *reach_ps = &paths->reach_ps[link->to_device];

      *reach_ps = MIN (*reach_ps, paths->reach_ps[link->from_device] + hop_latency_ps (paths, i));
      last_ps = *reach_ps;
      sum_ps += hop_latency_ps (paths, i);
    }
  return sum_ps - last_ps;
}

/* ---- inside a node ---- */

/* The way once found in one node of a group serves all others; where something is down, each node is searched for itself. */
static gboolean
walk (FabPaths *paths, guint32 from, guint32 to, gboolean nvlink)
{
  const FabNode *node = fab_topology_node (paths->topology, fab_topology_device (paths->topology, from)->node);
  Key key = { .src = from - node->first_device, .dst = to - node->first_device, .plane = 2 * node->group + (nvlink ? 1 : 0) };
  guint n_before = paths->links->len;
  GArray *known;

  if (paths->faults != NULL || node->group == FAB_NONE)
    return fab__node_walk (paths->topology, paths->faults, from, to, nvlink, paths->links);
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
static FabDistance
distance (FabPaths *paths, guint32 from, guint32 to)
{
  guint n_before = paths->links->len;
  FabDistance found = FAB_N_DISTANCES;

  if (walk (paths, from, to, FALSE))
    found = fab__links_distance (paths->topology, (const guint32 *) (const void *) paths->links->data + n_before, paths->links->len - n_before);
  g_array_set_size (paths->links, n_before);
  return found;
}

static gboolean
is_gpu (const FabPaths *paths, guint32 device)
{
  return fab_topology_device (paths->topology, device)->kind == FAB_DEVICE_GPU;
}

/* Over NVLink where both have it, else peer-to-peer while the level allows, else through the memory of the sender's socket. Caps
 * are of transfers between GPUs: what a host memory sends or takes is no peer-to-peer. */
static gboolean
find_inside (FabPaths *paths, FabPath *path)
{
  gboolean peers = is_gpu (paths, path->src) && is_gpu (paths, path->dst);
  guint32 memory;

  path->software_ps = paths->rules.pcie_step_ps;
  path->transport = FAB_TRANSPORT_P2P;
  if (!peers)
    return walk (paths, path->src, path->dst, FALSE);
  if (walk (paths, path->src, path->dst, TRUE)
      || (distance (paths, path->src, path->dst) <= paths->rules.p2p_level && walk (paths, path->src, path->dst, FALSE)))
    {
      apply_caps (paths, path, path->first_link, FALSE);
      return TRUE;
    }
  path->transport = FAB_TRANSPORT_SHM;
  memory = fab__node_memory (paths->topology, path->src);
  return memory != FAB_NONE && walk (paths, path->src, memory, FALSE) && walk (paths, memory, path->dst, FALSE);
}

/* ---- over the network ---- */

/* The port @device uses on @plane: a GPU's affinity port, else the nearest, ties dealt out by the device's ordinal. */
static guint32
port_of (const FabPaths *paths, guint32 device, guint32 plane)
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

/* Between @device and its NIC: GPUDirect while the level allows, else through the host memory of the device's socket. */
static gboolean
find_end (FabPaths *paths, FabPath *path, guint32 device, guint32 nic, gboolean sending)
{
  guint from = paths->links->len;
  guint32 memory = FAB_NONE;

  if (device == nic)
    return TRUE;
  if (is_gpu (paths, device) && distance (paths, device, nic) > paths->rules.gdr_level)
    {
      memory = fab__node_memory (paths->topology, device);
      path->transport = FAB_TRANSPORT_NET_STAGED;
      if (memory == FAB_NONE)
        return FALSE;
      return sending ? walk (paths, device, memory, FALSE) && walk (paths, memory, nic, FALSE)
                     : walk (paths, nic, memory, FALSE) && walk (paths, memory, device, FALSE);
    }
  if (!(sending ? walk (paths, device, nic, FALSE) : walk (paths, nic, device, FALSE)))
    return FALSE;
  if (is_gpu (paths, device))   /* an RDMA write reads the sender's memory and writes the receiver's */
    apply_caps (paths, path, from, sending);
  return TRUE;
}

static void
fill_parts (FabPaths *paths, guint n)
{
  static const double whole = 1;

  while (paths->parts->len < n)
    g_array_append_val (paths->parts, whole);
}

/* Over the plane from port to port. */
static gboolean
cross_plane (FabPaths *paths, FabPath *path, const FabRoutes *routes, guint32 out, guint32 in)
{
  guint from = paths->links->len, n_parts = paths->parts->len;

  fill_parts (paths, n_parts + from - path->first_link);
  if (!fab_routes_spread (routes, out, in, paths->links, paths->parts))
    return FALSE;
  for (guint i = from; i < paths->links->len; i++)
    if (fab_faults_goodput_bps (paths->faults, paths->topology, g_array_index (paths->links, guint32, i)) == 0)
      return FALSE;   /* tables made before the link went down */
  for (guint i = n_parts; i < paths->parts->len; i++)
    if (g_array_index (paths->parts, double, i) < 1)
      path->first_part = n_parts;
  if (path->first_part == FAB_NONE)
    g_array_set_size (paths->parts, n_parts);
  else
    path->latency_ps -= spared_ps (paths, from);
  return TRUE;
}

static gboolean
find_between (FabPaths *paths, FabPath *path, guint32 plane)
{
  guint32 out = plane != FAB_NONE ? port_of (paths, path->src, plane) : FAB_NONE;
  guint32 in = plane != FAB_NONE ? port_of (paths, path->dst, plane) : FAB_NONE;
  guint32 out_nic, in_nic;

  path->transport = FAB_TRANSPORT_GDR;
  path->software_ps = paths->rules.network_step_ps;
  if (out == FAB_NONE || in == FAB_NONE || paths->routes == NULL || paths->routes[plane] == NULL)
    return FALSE;
  out_nic = fab_topology_port (paths->topology, out)->device;
  in_nic = fab_topology_port (paths->topology, in)->device;
  return find_end (paths, path, path->src, out_nic, TRUE)
         && cross_plane (paths, path, paths->routes[plane], out, in)
         && find_end (paths, path, path->dst, in_nic, FALSE);
}

guint32
fab_paths_find (FabPaths *paths, guint32 src, guint32 dst, guint32 plane)
{
  guint32 node = fab_topology_device (paths->topology, src)->node;
  gboolean same_node = node != FAB_NONE && node == fab_topology_device (paths->topology, dst)->node;   /* switches are of no node */
  Key key = { .src = src, .dst = dst, .plane = same_node ? FAB_NONE : plane };
  FabPath path = { .src = src, .dst = dst, .first_link = paths->links->len, .first_part = FAB_NONE, .flow_link = FAB_NONE };
  guint n_parts = paths->parts->len;
  gpointer known;
  gboolean found;

  if (g_hash_table_lookup_extended (paths->rows, &key, NULL, &known))
    return GPOINTER_TO_UINT (known) - 1;
  found = same_node ? find_inside (paths, &path) : find_between (paths, &path, plane);
  if (found)
    {
      path.n_links = paths->links->len - path.first_link;
      sum_latency (paths, &path);
      if (path.first_part != FAB_NONE)
        fill_parts (paths, path.first_part + path.n_links);
      g_array_append_val (paths->paths, path);
    }
  else
    {
      g_array_set_size (paths->links, path.first_link);
      g_array_set_size (paths->parts, n_parts);
    }
  g_hash_table_insert (paths->rows, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (found ? paths->paths->len : 0));
  return found ? paths->paths->len - 1 : FAB_NONE;
}
