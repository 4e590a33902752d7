/* fab-diagram-fabric.c: the fabric, a plane or a Pod: its boxes and what they say */
#include "fab-diagram-clusters-private.h"
#include <math.h>

#define NAMES_W 188.0   /* of switches or nodes in a box */

/* ---- planes ---- */

/* Cables that join switches of one tier stand in no gap between tiers; the title counts them. */
static guint
count_level_cables (const FabFabricView *view, guint plane)
{
  guint n = 0;

  for (guint c = 0; c < view->clusters->len; c++)
    n += !fab_cluster_is_nodes (fab_cluster_at (view, c)) && fab_cluster_at (view, c)->plane == plane ? fab_cluster_at (view, c)->n_inner : 0;
  for (guint b = 0; b < view->bundles->len; b++)
    {
      const FabBundle *bundle = fab_bundle_at (view, b);
      const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);

      n += lower->tier >= 0 && lower->tier == upper->tier && upper->plane == plane ? bundle->n : 0;
    }
  return n;
}

static guint
count_switches (const FabFabricView *view, guint plane)
{
  guint n = 0;

  for (guint c = 0; c < view->clusters->len; c++)
    n += !fab_cluster_is_nodes (fab_cluster_at (view, c)) && fab_cluster_at (view, c)->plane == plane ? fab_cluster_at (view, c)->n : 0;
  return n;
}

char *
fab_plane_title (const FabFabricView *view, guint plane)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);
  guint n_level = count_level_cables (view, plane), n = count_switches (view, plane), n_pods = view->places[plane].n_pods;
  g_autoptr (GString) title = g_string_new (row->name);

  if (view->pod != FAB_NONE)
    g_string_append_printf (title, " · pod%u of %u", view->pod + 1, n_pods);
  g_string_append_printf (title, " · %s · %u switch%s", fab_link_kind_name (row->kind), n, n == 1 ? "" : "es");
  if (view->pod == FAB_NONE && n_pods > 0)
    g_string_append_printf (title, " · %u Pod%s", n_pods, n_pods == 1 ? "" : "s");
  if (n_level > 0)
    g_string_append_printf (title, " · %u cable%s within a tier", n_level, n_level == 1 ? "" : "s");
  return g_strdup (title->str);
}

/* ---- nodes ---- */

/* "1 gpu0 → sw0, 2 sw0 → nic0": the hops inside a node that stands alone. */
static char *
inner_hops (const FabFabricView *view, const FabCluster *cluster)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; cluster->n == 1 && i < view->options->n_path; i++)
    {
      const FabLink *link = fab_topology_link (view->topology, view->options->path[i]);
      const FabDevice *from = fab_topology_device (view->topology, link->from_device), *to = fab_topology_device (view->topology, link->to_device);

      if (from->node == cluster->first && to->node == cluster->first && link->plane == FAB_NONE)
        g_string_append_printf (text, "%s%" G_GSIZE_FORMAT " %s → %s", text->len > 0 ? ", " : "", i + 1, from->name, to->name);
    }
  return g_strdup (text->str);
}

char *
fab_group_label (const FabFabricView *view, const FabCluster *cluster)
{
  const FabNode *node = fab_topology_node (view->topology, cluster->first);
  g_autofree char *names = fab_diagram_shorten (g_strdup (cluster->names), FAB_DIAGRAM_FONT_PT * 1.15, NAMES_W - 14);
  g_autofree char *hops = inner_hops (view, cluster);
  g_autoptr (GString) label = g_string_new (names);

  g_string_append_printf (label, "\n%u × %s", cluster->n, node->type);
  if (node->n_gpus > 0)
    g_string_append_printf (label, " · %" G_GUINT64_FORMAT " GPUs", (guint64) cluster->n * node->n_gpus);
  if (cluster->n_inner > 0)
    g_string_append_printf (label, "\n%u cables among them", cluster->n_inner);
  if (hops[0] != '\0')
    g_string_append_printf (label, "\n%s", hops);
  if (cluster->n_down > 0 && cluster->n_down < cluster->n)
    g_string_append_printf (label, "\n%u of them down", cluster->n_down);
  else if (cluster->n_down == 0 && cluster->touched)
    g_string_append (label, "\nsomething inside is down");
  return g_strdup (label->str);
}

static void
add_group_box (const FabFabricView *view, const FabCluster *cluster)
{
  const FabNode *node = fab_topology_node (view->topology, cluster->first);
  FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_DEVICE, cluster->x, cluster->y, cluster->width, cluster->height,
                                     fab_group_label (view, cluster), g_strdup_printf ("%s: %u × %s", cluster->names, cluster->n, node->type));

  box->fill = node->n_gpus > 0 ? "#eef3ea" : "#f2eef6";
  box->bold = TRUE;
  if (cluster->n_down == cluster->n)
    fab_diagram_cross_out (view->diagram, view->diagram->boxes->len - 1);
}

/* ---- switches ---- */

static guint
count_cables (const FabFabricView *view, guint32 device)
{
  const FabDevice *row = fab_topology_device (view->topology, device);
  guint n = 0;

  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    n += fab_topology_port (view->topology, p)->link != FAB_NONE ? 1 : 0;
  return n;
}

/* The names where they fit, else the first and the last. */
static char *
switch_names (const FabFabricView *view, const FabCluster *cluster)
{
  if (fab_diagram_text_width (cluster->names, 10) <= NAMES_W / 2)
    return g_strdup (cluster->names);
  if (cluster->n == 1)
    return fab_diagram_shorten (g_strdup (cluster->names), 10, NAMES_W);
  return fab_diagram_shorten (g_strdup_printf ("%s … %s", fab_topology_device (view->topology, cluster->first)->name,
                                               fab_topology_device (view->topology, cluster->last)->name), 10, NAMES_W);
}

char *
fab_switch_label (const FabFabricView *view, const FabCluster *cluster)
{
  const FabDevice *device = fab_topology_device (view->topology, cluster->first);
  guint32 rail = fab_fabric_view_rail (view, cluster->first);
  g_autofree char *names = switch_names (view, cluster);
  g_autoptr (GString) label = g_string_new (names);

  if (rail != FAB_NONE && rail == cluster->key)
    g_string_append_printf (label, " · rail %u", rail);
  g_string_append_c (label, '\n');
  if (cluster->n > 1)
    g_string_append_printf (label, "%u × ", cluster->n);
  g_string_append (label, device->part);
  if (cluster->n > 1 && cluster->n_down > 0)
    g_string_append_printf (label, ", %u down", cluster->n_down);
  return g_strdup (label->str);
}

static void
add_switch_box (const FabFabricView *view, const FabCluster *cluster)
{
  const FabDevice *device = fab_topology_device (view->topology, cluster->first);
  const FabPlane *plane = fab_topology_plane (view->topology, cluster->plane);
  guint32 rail = fab_fabric_view_rail (view, cluster->first);
  g_autofree char *label = fab_switch_label (view, cluster);
  char *tooltip = cluster->n > 1 ? g_strdup_printf ("%s/%s: %u × %s", plane->name, cluster->names, cluster->n, device->part)
                                 : g_strdup_printf ("%s/%s: %s, %u cables", plane->name, cluster->names, device->part, count_cables (view, cluster->first));
  FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_DEVICE, cluster->x, cluster->y, cluster->width, cluster->height,
                                     fab_diagram_shorten (g_steal_pointer (&label), 10, cluster->width - 8), tooltip);

  box->border = fab_diagram_plane_colour (cluster->plane);
  box->fill = rail != FAB_NONE && rail == cluster->key ? fab_diagram_rail_colour (rail) : "#ffffff";
  box->font_pt = 10;
  if (cluster->n_down == cluster->n)
    fab_diagram_cross_out (view->diagram, view->diagram->boxes->len - 1);
}

/* ---- the views ---- */

static gboolean
find_planes (FabFabricView *view, GError **error)
{
  guint32 n_planes = fab_topology_n_planes (view->topology);
  guint32 plane = view->options->plane != NULL ? fab_topology_lookup_plane (view->topology, view->options->plane) : 0;

  view->last_plane = n_planes;
  if (n_planes == 0)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "render: expected a design with planes, got none");
      return FALSE;
    }
  if (plane == FAB_NONE)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "render: expected a plane of this design, got “%s”", view->options->plane);
      return FALSE;
    }
  if (view->options->view != FAB_RENDER_FABRIC)
    {
      view->first_plane = plane;
      view->last_plane = plane + 1;
    }
  return TRUE;
}

/* "pod3" is 2. */
static gboolean
find_pod (FabFabricView *view, GError **error)
{
  guint32 n_pods = view->places[view->first_plane].n_pods;
  const char *plane = fab_topology_plane (view->topology, view->first_plane)->name, *pod = view->options->pod;
  guint64 number = 1;

  if (n_pods == 0)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "render: expected a plane of Pods (groups of leaves under spines of their own), got “%s”; draw the plane",
                   plane);
      return FALSE;
    }
  if (pod != NULL && (!g_str_has_prefix (pod, "pod") || !g_ascii_string_to_unsigned (pod + 3, 10, 1, n_pods, &number, NULL)))
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "render: expected a Pod of %s, pod1 to pod%u; got “%s”", plane, n_pods, pod);
      return FALSE;
    }
  view->pod = (guint32) number - 1;
  return TRUE;
}

static gboolean
any_fault (const FabFabricView *view)
{
  for (guint c = 0; c < view->clusters->len; c++)
    if (fab_cluster_at (view, c)->n_down > 0 || fab_cluster_at (view, c)->touched)
      return TRUE;
  for (guint b = 0; b < view->bundles->len; b++)
    if (fab_bundle_at (view, b)->n_down > 0)
      return TRUE;
  return FALSE;
}

gboolean
fab_diagram_fabric (FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, GError **error)
{
  g_auto (FabFabricView) view = { 0 };
  double low;

  fab_fabric_view_init (&view, diagram, topology, faults, options);
  if (!find_planes (&view, error))
    return FALSE;
  for (guint p = view.first_plane; p < view.last_plane; p++)
    view.places[p].n_pods = fab_fabric_view_find_pods (&view, p);
  if (options->view == FAB_RENDER_POD && !find_pod (&view, error))
    return FALSE;
  fab_fabric_view_cluster (&view);
  fab_fabric_view_bundle (&view);
  low = fab_fabric_view_place (&view);
  for (guint c = 0; c < view.clusters->len; c++)
    if (fab_cluster_is_nodes (fab_cluster_at (&view, c)))
      add_group_box (&view, fab_cluster_at (&view, c));
    else
      add_switch_box (&view, fab_cluster_at (&view, c));
  fab_fabric_view_add_lines (&view);
  fab_diagram_add_legend (diagram, options, any_fault (&view), 0, low - 26);
  return TRUE;
}
