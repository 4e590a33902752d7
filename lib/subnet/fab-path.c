/* fab-path.c: the way of the data from device to device, through nodes and planes */
#include "subnet/fab-path-private.h"
#include "subnet/fab-node-walk-private.h"
#include "base/fab-memory-private.h"

#define FIRST_BITS  8
#define MANY_PATHS  500000   /* that none but all-to-all ask for, each once */
#define USUAL_LINKS 12   /* of a way from GPU to GPU over two tiers */

typedef struct { guint32 src, dst, plane, path; } PathRow;   /* path FAB_NONE: unreachable */

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
  paths->rows = g_array_new (FALSE, FALSE, sizeof (PathRow));
  paths->bits = FIRST_BITS;
  paths->table = g_new (guint32, 1u << FIRST_BITS);
  memset (paths->table, 0xff, sizeof (guint32) << FIRST_BITS);
  paths->end_of = g_new0 (guint32, MAX ((gsize) fab_topology_n_planes (topology) * fab_topology_n_devices (topology), 1));
  paths->ends = g_array_new (FALSE, TRUE, sizeof (FabPathEnd));
  paths->end_links = g_array_new (FALSE, FALSE, sizeof (guint32));
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
  g_array_unref (paths->rows);
  g_free (paths->table);
  g_clear_pointer (&paths->walks, g_hash_table_unref);
  g_free (paths->end_of);
  g_array_unref (paths->ends);
  g_array_unref (paths->end_links);
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
    return fab__paths_walk (paths, path->src, path->dst, FALSE);
  if (fab__paths_walk (paths, path->src, path->dst, TRUE)
      || (fab__paths_distance (paths, path->src, path->dst) <= paths->rules.p2p_level && fab__paths_walk (paths, path->src, path->dst, FALSE)))
    {
      fab__paths_apply_caps (paths, path->first_link, FALSE, &path->flow_bps, &path->flow_link);
      return TRUE;
    }
  path->transport = FAB_TRANSPORT_SHM;
  memory = fab__node_memory (paths->topology, path->src);
  return memory != FAB_NONE && fab__paths_walk (paths, path->src, memory, FALSE) && fab__paths_walk (paths, memory, path->dst, FALSE);
}

/* ---- over the network ---- */

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
  guint32 out, in;

  path->transport = FAB_TRANSPORT_GDR;
  path->software_ps = paths->rules.network_step_ps;
  if (plane == FAB_NONE || paths->routes == NULL || paths->routes[plane] == NULL)
    return FALSE;
  out = fab__paths_port (paths, path->src, plane);
  in = fab__paths_port (paths, path->dst, plane);
  return out != FAB_NONE && in != FAB_NONE
         && fab__paths_add_end (paths, path, path->src, plane, FAB_END_SENDS)
         && cross_plane (paths, path, paths->routes[plane], out, in)
         && fab__paths_add_end (paths, path, path->dst, plane, FAB_END_RECEIVES);
}

/* ---- what was asked for before ---- */

static inline guint32
home_of (const FabPaths *paths, guint32 src, guint32 dst, guint32 plane)
{
  guint64 key = (guint64) src << 32 | dst;

  return (guint32) ((key ^ (guint64) plane << 20) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15) >> (64 - paths->bits));
}

/* Its place in the table: its row, or where it would stand. */
static guint32
find_place (const FabPaths *paths, guint32 src, guint32 dst, guint32 plane)
{
  guint32 mask = (1u << paths->bits) - 1, place = home_of (paths, src, dst, plane);

  for (; paths->table[place] != FAB_NONE; place = (place + 1) & mask)
    {
      const PathRow *row = &g_array_index (paths->rows, PathRow, paths->table[place]);

      if (row->src == src && row->dst == dst && row->plane == plane)
        break;
    }
  return place;
}

static void
grow_table (FabPaths *paths)
{
  paths->bits++;
  g_free (paths->table);
  paths->table = g_new (guint32, (gsize) 1 << paths->bits);
  memset (paths->table, 0xff, sizeof (guint32) << paths->bits);
  for (guint32 r = 0; r < paths->rows->len; r++)
    {
      const PathRow *row = &g_array_index (paths->rows, PathRow, r);

      paths->table[find_place (paths, row->src, row->dst, row->plane)] = r;
    }
}

/* As many slots as twice @n need, at most those of a few million, before anything is asked for. */
static void
size_table (FabPaths *paths, gsize n)
{
  while (n > MANY_PATHS && (gsize) 1 << (paths->bits - 1) < MIN (n, 4u << 20))
    paths->bits++;
  g_free (paths->table);
  paths->table = g_new (guint32, (gsize) 1 << paths->bits);
  fab__memory_wish_large (paths->table, sizeof (guint32) << paths->bits);
  memset (paths->table, 0xff, sizeof (guint32) << paths->bits);
}

void
fab__paths_expect (FabPaths *paths, gsize n)
{
  size_table (paths, n);
  fab__array_reserve (paths->rows, n, n > MANY_PATHS);
  fab__array_reserve (paths->paths, n, n > MANY_PATHS);
  fab__array_reserve (paths->links, n * USUAL_LINKS, n > MANY_PATHS);
}

static void
remember (FabPaths *paths, guint32 place, PathRow row)
{
  paths->table[place] = paths->rows->len;
  g_array_append_val (paths->rows, row);
  if (paths->rows->len > 1u << (paths->bits - 1))
    grow_table (paths);
}

/* The new row, or FAB_NONE. */
static guint32
find_new (FabPaths *paths, guint32 src, guint32 dst, guint32 plane, gboolean same_node)
{
  FabPath path = { .src = src, .dst = dst, .first_link = paths->links->len, .first_part = FAB_NONE, .flow_link = FAB_NONE };
  guint n_parts = paths->parts->len;

  if (!(same_node ? find_inside (paths, &path) : find_between (paths, &path, plane)))
    {
      g_array_set_size (paths->links, path.first_link);
      g_array_set_size (paths->parts, n_parts);
      return FAB_NONE;
    }
  path.n_links = paths->links->len - path.first_link;
  sum_latency (paths, &path);
  if (path.first_part != FAB_NONE)
    fill_parts (paths, path.first_part + path.n_links);
  g_array_append_val (paths->paths, path);
  return paths->paths->len - 1;
}

guint32
fab_paths_find (FabPaths *paths, guint32 src, guint32 dst, guint32 plane)
{
  guint32 node = fab_topology_device (paths->topology, src)->node;
  gboolean same_node = node != FAB_NONE && node == fab_topology_device (paths->topology, dst)->node;   /* switches are of no node */
  PathRow row = { .src = src, .dst = dst, .plane = same_node ? FAB_NONE : plane };
  guint32 place = find_place (paths, src, dst, row.plane);

  if (paths->table[place] != FAB_NONE)
    return g_array_index (paths->rows, PathRow, paths->table[place]).path;
  row.path = find_new (paths, src, dst, plane, same_node);
  remember (paths, place, row);
  return row.path;
}
