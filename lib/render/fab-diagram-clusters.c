/* fab-diagram-clusters.c: which switches and nodes share a box
 *
 * A tier of more than MANY switches is drawn by rails or Pods, and like Pods beyond MANY_PODS as one; parallel links become one line
 * with a multiplicity. So a fabric of 48 nodes and one of 1,000 are drawn nearly the same size. What the path touches or a fault
 * hits stands alone while it is little.
 */
#include "fab-diagram-clusters-private.h"
#include <string.h>

#define MANY         16   /* switches of a tier */
#define MANY_OF_PODS 8    /* switches of a tier, Pods beside Pods */
#define FEW          4    /* stand alone even beside a tier of many */
#define MANY_PODS    8
#define MANY_GROUPS  12   /* of nodes; beyond, by type */
#define MANY_SPECIAL 8

static void
cluster_clear (gpointer data)
{
  FabCluster *cluster = data;

  g_free (cluster->names);
}

static void
column_clear (gpointer data)
{
  FabPodColumn *column = data;

  g_free (column->names);
}

static guint32 *
new_rows (guint32 n)
{
  guint32 *rows = g_new (guint32, MAX (n, 1));

  memset (rows, 0xff, sizeof (guint32) * n);   /* FAB_NONE */
  return rows;
}

void
fab_fabric_view_init (FabFabricView *view, FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults,
                      const FabRenderOptions *options)
{
  guint32 n_devices = fab_topology_n_devices (topology), n_nodes = fab_topology_n_nodes (topology);

  *view = (FabFabricView) { .diagram = diagram, .topology = topology, .faults = faults, .options = options, .pod = FAB_NONE };
  view->clusters = g_array_new (FALSE, FALSE, sizeof (FabCluster));
  view->columns = g_array_new (FALSE, FALSE, sizeof (FabPodColumn));
  view->bundles = g_array_new (FALSE, FALSE, sizeof (FabBundle));
  view->places = g_new0 (FabPlace, MAX (fab_topology_n_planes (topology), 1));
  view->pod_of_device = new_rows (n_devices);
  view->cluster_of_device = new_rows (n_devices);
  view->cluster_of_node = new_rows (n_nodes);
  view->special_device = g_new0 (guint8, MAX (n_devices, 1));
  view->special_node = g_new0 (guint8, MAX (n_nodes, 1));
  g_array_set_clear_func (view->clusters, cluster_clear);
  g_array_set_clear_func (view->columns, column_clear);
}

void
fab_fabric_view_clear (FabFabricView *view)
{
  g_clear_pointer (&view->clusters, g_array_unref);
  g_clear_pointer (&view->columns, g_array_unref);
  g_clear_pointer (&view->bundles, g_array_unref);
  g_clear_pointer (&view->places, g_free);
  g_clear_pointer (&view->pod_of_device, g_free);
  g_clear_pointer (&view->cluster_of_device, g_free);
  g_clear_pointer (&view->cluster_of_node, g_free);
  g_clear_pointer (&view->special_device, g_free);
  g_clear_pointer (&view->special_node, g_free);
}

/* ---- what stands alone ---- */

/* A device of it is down, or a link of it; but the leaf at the other end says so itself where it is the leaf that is down. */
static gboolean
node_is_touched (const FabFabricView *view, const FabNode *node)
{
  for (guint32 d = node->first_device; view->faults != NULL && d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (view->topology, d);

      if (fab_faults_device_down (view->faults, d))
        return TRUE;
      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        {
          guint32 link = fab_topology_port (view->topology, p)->link;

          if (link != FAB_NONE && fab_faults_link_down (view->faults, link)
              && !fab_faults_device_down (view->faults, fab_topology_link (view->topology, link)->to_device))
            return TRUE;
        }
    }
  return FALSE;
}

static void
mark_path (FabFabricView *view)
{
  for (gsize i = 0; i < view->options->n_path; i++)
    {
      const FabLink *link = fab_topology_link (view->topology, view->options->path[i]);
      const guint32 ends[] = { link->from_device, link->to_device };

      for (guint e = 0; e < G_N_ELEMENTS (ends); e++)
        {
          guint32 node = fab_topology_device (view->topology, ends[e])->node;

          if (node != FAB_NONE)
            view->special_node[node] = TRUE;
          else
            view->special_device[ends[e]] = TRUE;
        }
    }
}

/* The path's own stand alone in any case; of what is down, few. */
static void
mark_faults (FabFabricView *view)
{
  g_autoptr (GArray) devices = g_array_new (FALSE, FALSE, sizeof (guint32)), nodes = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 d = 0; d < fab_topology_n_devices (view->topology); d++)
    if (fab_topology_device (view->topology, d)->node == FAB_NONE && fab_faults_device_down (view->faults, d))
      g_array_append_val (devices, d);
  for (guint32 n = 0; n < fab_topology_n_nodes (view->topology); n++)
    if (node_is_touched (view, fab_topology_node (view->topology, n)))
      g_array_append_val (nodes, n);
  for (guint i = 0; devices->len <= MANY_SPECIAL && i < devices->len; i++)
    view->special_device[g_array_index (devices, guint32, i)] = TRUE;
  for (guint i = 0; nodes->len <= MANY_SPECIAL && i < nodes->len; i++)
    view->special_node[g_array_index (nodes, guint32, i)] = TRUE;
}

/* ---- Pods ---- */

static guint32
add_column (FabFabricView *view, guint plane)
{
  FabPodColumn column = { .plane = plane };

  g_array_append_val (view->columns, column);
  return view->columns->len - 1;
}

/* Pods of which a switch stands alone, the first two and the last; the others share a column where they are many. */
static void
choose_pods (const FabFabricView *view, const FabPlane *row, guint32 n_pods, guint8 *own)
{
  guint n_special = 0;

  for (guint32 s = row->first_switch; s < row->first_switch + row->n_switches; s++)
    if (view->pod_of_device[s] != FAB_NONE && view->special_device[s] && !own[view->pod_of_device[s]])
      {
        own[view->pod_of_device[s]] = TRUE;
        n_special++;
      }
  if (n_special >= MANY_PODS)
    memset (own, 0, n_pods);
  for (guint32 p = 0; p < n_pods; p++)
    own[p] |= n_pods <= MANY_PODS || p < 2 || p + 1 == n_pods;
}

/* Column of each Pod; of Pods not shown FAB_NONE. Caller frees. */
static guint32 *
make_columns (FabFabricView *view, guint plane, guint32 n_pods)
{
  guint32 *columns = new_rows (n_pods);
  g_autofree guint8 *own = g_new0 (guint8, MAX (n_pods, 1));
  guint32 shared = FAB_NONE;

  choose_pods (view, fab_topology_plane (view->topology, plane), n_pods, own);
  for (guint32 p = 0; p < n_pods; p++)
    {
      if (view->pod != FAB_NONE && view->pod != p)
        continue;
      if (own[p] || view->pod != FAB_NONE)
        columns[p] = add_column (view, plane);
      else
        columns[p] = shared = shared != FAB_NONE ? shared : add_column (view, plane);
    }
  return columns;
}

static void
name_columns (FabFabricView *view, guint plane, const guint32 *columns, guint32 n_pods)
{
  for (guint32 c = 0; c < view->columns->len; c++)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      FabPodColumn *column = fab_column_at (view, c);

      if (column->plane != plane)
        continue;
      for (guint32 p = 0; p < n_pods; p++)
        if (columns[p] == c)
          g_ptr_array_add (names, g_strdup_printf ("pod%u", p + 1));
      column->n = names->len;
      column->names = fab_hostlist_compress ((const char *const *) names->pdata, names->len);
    }
}

/* ---- switches ---- */

static guint32
peer_of (const FabFabricView *view, guint32 port)
{
  guint32 link = fab_topology_port (view->topology, port)->link;

  return link != FAB_NONE ? fab_topology_link (view->topology, link)->to_port : FAB_NONE;
}

guint32
fab_fabric_view_rail (const FabFabricView *view, guint32 device)
{
  const FabDevice *row = fab_topology_device (view->topology, device);
  guint32 rail = FAB_NONE;

  if (row->tier != 0 || !g_str_equal (fab_topology_plane (view->topology, row->plane)->family, "rail-optimized"))
    return FAB_NONE;
  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    {
      guint32 peer = peer_of (view, p), own = peer != FAB_NONE ? fab_topology_port (view->topology, peer)->rail : FAB_NONE;

      if (own == FAB_NONE)
        continue;
      if (rail != FAB_NONE && rail != own)
        return FAB_NONE;
      rail = own;
    }
  return rail;
}

/* Of a core: the first spine of the Pod shown that it serves; FAB_NONE: it serves none. */
static guint32
spine_below (const FabFabricView *view, guint32 device)
{
  const FabDevice *row = fab_topology_device (view->topology, device);

  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    {
      guint32 peer = peer_of (view, p), below = peer != FAB_NONE ? fab_topology_port (view->topology, peer)->device : FAB_NONE;

      if (below != FAB_NONE && view->pod_of_device[below] == view->pod)
        return below;
    }
  return FAB_NONE;
}

static gboolean
switch_is_shown (const FabFabricView *view, guint32 device)
{
  if (view->pod == FAB_NONE)
    return TRUE;
  return view->pod_of_device[device] != FAB_NONE ? view->pod_of_device[device] == view->pod : spine_below (view, device) != FAB_NONE;
}

/* Switches of each tier, and of the largest. Caller frees. */
static guint *
count_tiers (const FabFabricView *view, const FabPlane *row, guint *most)
{
  guint *n = g_new0 (guint, row->n_tiers + 1);

  *most = 0;
  for (guint32 s = row->first_switch; s < row->first_switch + row->n_switches; s++)
    n[fab_topology_device (view->topology, s)->tier] += switch_is_shown (view, s) ? 1 : 0;
  for (guint t = 0; t < row->n_tiers; t++)
    *most = MAX (*most, n[t]);
  return n;
}

/* A tier of @n switches in a plane whose largest has @most is drawn switch by switch. */
static gboolean
stands_apart (const FabFabricView *view, guint plane, guint n, guint most)
{
  if (view->pod != FAB_NONE)
    return n <= MANY;
  if (view->places[plane].n_pods > 0)
    return most <= MANY_OF_PODS;
  return most <= MANY || n <= FEW;
}

/* What the switches of a box have in common: their rail, or the spine below them. */
static guint32
key_of (const FabFabricView *view, guint32 device)
{
  return view->pod != FAB_NONE && view->pod_of_device[device] == FAB_NONE ? spine_below (view, device) : fab_fabric_view_rail (view, device);
}

static FabCluster *
require_cluster (FabFabricView *view, const FabCluster *wanted, gboolean alone)
{
  for (guint c = view->clusters->len; !alone && c-- > 0;)
    {
      FabCluster *cluster = fab_cluster_at (view, c);

      if (cluster->plane != wanted->plane || cluster->tier != wanted->tier)
        break;
      if (cluster->column == wanted->column && cluster->key == wanted->key && !view->special_device[cluster->first])
        return cluster;
    }
  g_array_append_vals (view->clusters, wanted, 1);
  return fab_cluster_at (view, view->clusters->len - 1);
}

static void
cluster_switch (FabFabricView *view, guint32 device, guint32 column, gboolean alone)
{
  const FabDevice *row = fab_topology_device (view->topology, device);
  FabCluster wanted = { .first = device, .tier = (gint) row->tier, .plane = row->plane, .column = column, .key = key_of (view, device) };
  FabCluster *cluster = require_cluster (view, &wanted, alone);

  view->cluster_of_device[device] = (guint32) (cluster - (FabCluster *) (void *) view->clusters->data);
  cluster->last = device;
  cluster->n++;
  cluster->n_down += fab_faults_device_down (view->faults, device) ? 1 : 0;
}

/* Tier by tier, in each column by column, so that boxes stand in the order of the array. */
static void
cluster_plane (FabFabricView *view, guint plane)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);
  guint32 n_pods = view->places[plane].n_pods;
  g_autofree guint32 *columns = make_columns (view, plane, n_pods);
  guint most;
  g_autofree guint *n = count_tiers (view, row, &most);

  name_columns (view, plane, columns, n_pods);
  for (guint t = 0; t < row->n_tiers; t++)
    for (guint32 c = 0; c <= view->columns->len; c++)   /* the last: in no Pod */
      for (guint32 s = row->first_switch; s < row->first_switch + row->n_switches; s++)
        {
          guint32 pod = view->pod_of_device[s], column = pod != FAB_NONE ? columns[pod] : FAB_NONE;

          if (fab_topology_device (view->topology, s)->tier == t && switch_is_shown (view, s) && column == (c < view->columns->len ? c : FAB_NONE))
            cluster_switch (view, s, column, view->special_device[s] || stands_apart (view, plane, n[t], most));
        }
}

/* ---- nodes ---- */

static gboolean
port_is_shown (const FabFabricView *view, const FabPort *port)
{
  const FabLink *link = port->link != FAB_NONE ? fab_topology_link (view->topology, port->link) : NULL;

  if (link == NULL || port->plane == FAB_NONE || port->plane < view->first_plane || port->plane >= view->last_plane)
    return FALSE;
  return view->cluster_of_device[link->to_device] != FAB_NONE
         || (view->pod == FAB_NONE && fab_topology_device (view->topology, link->to_device)->node != FAB_NONE);
}

static gboolean
node_is_shown (const FabFabricView *view, const FabNode *node)
{
  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (view->topology, d);

      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        if (port_is_shown (view, fab_topology_port (view->topology, p)))
          return TRUE;
    }
  return FALSE;
}

static gboolean
node_is_down (const FabFabricView *view, const FabNode *node)
{
  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    if (!fab_faults_device_down (view->faults, d))
      return FALSE;
  return node->n_devices > 0;
}

/* Nodes of one group; where that makes too many boxes, of one type. */
static gboolean
are_alike (const FabNode *a, const FabNode *b, gboolean by_type)
{
  return by_type ? g_str_equal (a->type, b->type) : a->group == b->group && a->group != FAB_NONE;
}

static FabCluster *
require_group (FabFabricView *view, guint32 node, guint first_cluster, gboolean by_type)
{
  FabCluster made = { .first = node, .tier = -1, .column = FAB_NONE };

  for (guint c = first_cluster; !view->special_node[node] && c < view->clusters->len; c++)
    {
      FabCluster *cluster = fab_cluster_at (view, c);

      if (!view->special_node[cluster->first]
          && are_alike (fab_topology_node (view->topology, cluster->first), fab_topology_node (view->topology, node), by_type))
        return cluster;
    }
  g_array_append_val (view->clusters, made);
  return fab_cluster_at (view, view->clusters->len - 1);
}

/* FALSE: more boxes than wanted, nothing is changed. */
static gboolean
cluster_nodes (FabFabricView *view, gboolean by_type)
{
  guint first_cluster = view->clusters->len;

  for (guint32 n = 0; n < fab_topology_n_nodes (view->topology); n++)
    {
      const FabNode *node = fab_topology_node (view->topology, n);
      FabCluster *cluster;

      if (!node_is_shown (view, node))
        continue;
      cluster = require_group (view, n, first_cluster, by_type);
      view->cluster_of_node[n] = (guint32) (cluster - (FabCluster *) (void *) view->clusters->data);
      cluster->last = n;
      cluster->n++;
      cluster->n_down += node_is_down (view, node) ? 1 : 0;
      cluster->touched |= node_is_touched (view, node);
      if (!by_type && view->clusters->len - first_cluster > MANY_GROUPS + 2 * MANY_SPECIAL)
        break;
    }
  if (by_type || view->clusters->len - first_cluster <= MANY_GROUPS)
    return TRUE;
  g_array_set_size (view->clusters, first_cluster);
  return FALSE;
}

/* ---- names ---- */
static void
name_clusters (FabFabricView *view)
{
  g_autofree GPtrArray **names = g_new (GPtrArray *, MAX (view->clusters->len, 1));

  for (guint c = 0; c < view->clusters->len; c++)
    names[c] = g_ptr_array_new ();
  for (guint32 d = 0; d < fab_topology_n_devices (view->topology); d++)
    if (view->cluster_of_device[d] != FAB_NONE)
      g_ptr_array_add (names[view->cluster_of_device[d]], (gpointer) (gsize) fab_topology_device (view->topology, d)->name);
  for (guint32 n = 0; n < fab_topology_n_nodes (view->topology); n++)
    if (view->cluster_of_node[n] != FAB_NONE)
      g_ptr_array_add (names[view->cluster_of_node[n]], (gpointer) (gsize) fab_topology_node (view->topology, n)->name);
  for (guint c = 0; c < view->clusters->len; c++)
    {
      fab_cluster_at (view, c)->names = fab_hostlist_compress ((const char *const *) names[c]->pdata, names[c]->len);
      g_ptr_array_unref (names[c]);
    }
}

void
fab_fabric_view_cluster (FabFabricView *view)
{
  mark_path (view);
  if (view->faults != NULL)
    mark_faults (view);
  for (guint p = view->first_plane; p < view->last_plane; p++)
    cluster_plane (view, p);
  if (!cluster_nodes (view, FALSE))
    cluster_nodes (view, TRUE);
  name_clusters (view);
}
