/* fab-diagram-clusters.c: which switches, nodes and cables share a box or a line
 *
 * A tier of more than MANY switches becomes one box; parallel links become one line with a multiplicity. So a fabric of 48 nodes and
 * one of 1,000 are drawn nearly the same size. Nodes that the path touches or a fault hits stand alone while they are few.
 */
#include "fab-diagram-clusters-private.h"
#include <math.h>
#include <string.h>

#define MANY         16
#define MANY_SPECIAL 8

static void
cluster_clear (gpointer data)
{
  FabCluster *cluster = data;

  g_free (cluster->names);
}

void
fab_fabric_view_init (FabFabricView *view, FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults,
                      const FabRenderOptions *options)
{
  guint32 n_devices = fab_topology_n_devices (topology), n_nodes = fab_topology_n_nodes (topology);

  *view = (FabFabricView) { .diagram = diagram, .topology = topology, .faults = faults, .options = options };
  view->clusters = g_array_new (FALSE, FALSE, sizeof (FabCluster));
  view->bundles = g_array_new (FALSE, FALSE, sizeof (FabBundle));
  view->cluster_of_device = g_new (guint32, MAX (n_devices, 1));
  view->cluster_of_node = g_new (guint32, MAX (n_nodes, 1));
  view->special = g_new0 (guint8, MAX (n_nodes, 1));
  memset (view->cluster_of_device, 0xff, sizeof (guint32) * n_devices);
  memset (view->cluster_of_node, 0xff, sizeof (guint32) * n_nodes);
  g_array_set_clear_func (view->clusters, cluster_clear);
}

void
fab_fabric_view_clear (FabFabricView *view)
{
  g_clear_pointer (&view->clusters, g_array_unref);
  g_clear_pointer (&view->bundles, g_array_unref);
  g_clear_pointer (&view->cluster_of_device, g_free);
  g_clear_pointer (&view->cluster_of_node, g_free);
  g_clear_pointer (&view->special, g_free);
}

static gboolean
plane_is_shown (const FabFabricView *view, guint32 plane)
{
  return plane != FAB_NONE && plane >= view->first_plane && plane < view->last_plane;
}

/* ---- switches ---- */

static guint32
count_tier (const FabFabricView *view, guint plane, guint tier)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);
  guint32 n = 0;

  for (guint32 s = row->first_switch; row->n_switches > 0 && s < row->first_switch + row->n_switches; s++)
    n += fab_topology_device (view->topology, s)->tier == tier ? 1 : 0;
  return n;
}

static void
cluster_tier (FabFabricView *view, guint plane, guint tier)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);
  gboolean one = count_tier (view, plane, tier) > MANY;
  gboolean made = FALSE;

  for (guint32 s = row->first_switch; row->n_switches > 0 && s < row->first_switch + row->n_switches; s++)
    {
      FabCluster cluster = { .first = s, .tier = (gint) tier, .plane = plane };
      FabCluster *last;

      if (fab_topology_device (view->topology, s)->tier != tier)
        continue;
      if (!one || !made)
        g_array_append_val (view->clusters, cluster);
      made = TRUE;
      last = fab_cluster_at (view, view->clusters->len - 1);
      view->cluster_of_device[s] = view->clusters->len - 1;
      last->n++;
      last->n_down += fab_faults_device_down (view->faults, s) ? 1 : 0;
    }
}

/* ---- nodes ---- */

static gboolean
node_is_shown (const FabFabricView *view, const FabNode *node)
{
  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (view->topology, d);

      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        {
          const FabPort *port = fab_topology_port (view->topology, p);

          if (port->link != FAB_NONE && plane_is_shown (view, port->plane))
            return TRUE;
        }
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
mark_special (FabFabricView *view)
{
  guint32 n_nodes = fab_topology_n_nodes (view->topology), n_special = 0;

  for (gsize i = 0; i < view->options->n_path; i++)
    {
      const FabLink *link = fab_topology_link (view->topology, view->options->path[i]);
      guint32 from = fab_topology_device (view->topology, link->from_device)->node;
      guint32 to = fab_topology_device (view->topology, link->to_device)->node;

      if (from != FAB_NONE)
        view->special[from] = TRUE;
      if (to != FAB_NONE)
        view->special[to] = TRUE;
    }
  for (guint32 n = 0; n < n_nodes; n++)
    {
      view->special[n] |= node_is_touched (view, fab_topology_node (view->topology, n));
      n_special += view->special[n];
    }
  if (n_special > MANY_SPECIAL)
    memset (view->special, 0, n_nodes);
}

static void
cluster_nodes (FabFabricView *view)
{
  guint32 group = FAB_NONE, group_cluster = FAB_NONE;

  mark_special (view);
  for (guint32 n = 0; n < fab_topology_n_nodes (view->topology); n++)
    {
      const FabNode *node = fab_topology_node (view->topology, n);
      FabCluster made = { .first = n, .tier = -1 };
      guint32 cluster = node->group == group && group != FAB_NONE && !view->special[n] ? group_cluster : FAB_NONE;

      if (!node_is_shown (view, node))
        continue;
      if (cluster == FAB_NONE)
        {
          g_array_append_val (view->clusters, made);
          cluster = view->clusters->len - 1;
        }
      if (node->group != group)
        group_cluster = FAB_NONE;
      group = node->group;
      if (!view->special[n])
        group_cluster = cluster;
      view->cluster_of_node[n] = cluster;
      fab_cluster_at (view, cluster)->n++;
      fab_cluster_at (view, cluster)->n_down += node_is_down (view, node) ? 1 : 0;
      fab_cluster_at (view, cluster)->touched |= node_is_touched (view, node);
    }
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

/* ---- bundles ---- */

static guint32
end_cluster (const FabFabricView *view, guint32 device)
{
  guint32 node = fab_topology_device (view->topology, device)->node;

  return node != FAB_NONE ? view->cluster_of_node[node] : view->cluster_of_device[device];
}

static void
add_to_bundle (const FabFabricView *view, FabBundle *bundle, guint32 link)
{
  guint64 rate_bps = fab_topology_link (view->topology, link)->rate_bps;
  double load = fab_diagram_load (view->options, link);

  bundle->rate_bps = bundle->n == 0 || bundle->rate_bps == rate_bps ? rate_bps : 0;
  bundle->total_bps += rate_bps;
  bundle->n++;
  bundle->n_down += fab_faults_link_down (view->faults, link) ? 1 : 0;
  bundle->load = bundle->n == 1 ? load : MAX (bundle->load, load);
  for (gsize i = 0; i < view->options->n_path; i++)
    if (view->options->path[i] / 2 == link / 2)
      {
        bundle->hop = bundle->hop == 0 ? (guint32) i + 1 : MIN (bundle->hop, (guint32) i + 1);
        bundle->last_hop = MAX (bundle->last_hop, (guint32) i + 1);
      }
}

static FabBundle *
require_bundle (FabFabricView *view, GHashTable *rows, guint32 a, guint32 b, guint32 link)
{
  gint64 key = (gint64) a << 32 | b;
  gpointer known;

  if (!g_hash_table_lookup_extended (rows, &key, NULL, &known))
    {
      const FabCluster *lower = fab_cluster_at (view, a), *upper = fab_cluster_at (view, b);
      FabBundle made = { .lower = a, .upper = b, .first = link, .end_down = lower->n_down == lower->n || upper->n_down == upper->n };

      known = GUINT_TO_POINTER (view->bundles->len);
      g_hash_table_insert (rows, g_memdup2 (&key, sizeof key), known);
      g_array_append_val (view->bundles, made);
    }
  return fab_bundle_at (view, GPOINTER_TO_UINT (known));
}

static void
bundle_links (FabFabricView *view)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint32 l = 0; l < fab_topology_n_links (view->topology); l += 2)
    {
      const FabLink *link = fab_topology_link (view->topology, l);
      guint32 a, b;

      if (!plane_is_shown (view, link->plane))
        continue;
      a = end_cluster (view, link->from_device);
      b = end_cluster (view, link->to_device);
      if (a == b)
        {
          fab_cluster_at (view, a)->n_inner++;
          continue;
        }
      if (fab_cluster_at (view, a)->tier > fab_cluster_at (view, b)->tier || (fab_cluster_at (view, a)->tier == fab_cluster_at (view, b)->tier && a > b))
        {
          guint32 kept = a;

          a = b;
          b = kept;
        }
      add_to_bundle (view, require_bundle (view, rows, a, b, l), l);
    }
}

char *
fab_bundle_text (const FabBundle *bundle)
{
  g_autofree char *rate = fab_diagram_rate_text (bundle->rate_bps > 0 ? bundle->rate_bps : bundle->total_bps);
  g_autoptr (GString) text = g_string_new (NULL);

  if (bundle->n_down > 0 && bundle->n_down < bundle->n)
    g_string_append_printf (text, "%u of ", bundle->n - bundle->n_down);
  if (bundle->rate_bps == 0)
    g_string_append_printf (text, "%u cables, %s in all", bundle->n, rate);
  else if (bundle->n > 1)
    g_string_append_printf (text, "%u × %s", bundle->n, rate);
  else
    g_string_append (text, rate);
  if (bundle->n_down == bundle->n && !bundle->end_down)
    g_string_append (text, " down");
  return g_strdup (text->str);
}

void
fab_fabric_view_fill (FabFabricView *view)
{
  for (guint p = view->first_plane; p < view->last_plane; p++)
    for (guint t = 0; t < fab_topology_plane (view->topology, p)->n_tiers; t++)
      cluster_tier (view, p, t);
  cluster_nodes (view);
  name_clusters (view);
  bundle_links (view);
}
