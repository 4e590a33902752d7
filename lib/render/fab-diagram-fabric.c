/* fab-diagram-fabric.c: planes side by side, tiers as rows, like nodes as one box below */
#include "fab-diagram-clusters-private.h"
#include <math.h>

#define BOX_W      98.0
#define BOX_H      44.0
#define GAP_X      18.0
#define TIER_DY   120.0
#define PLANE_GAP  46.0
#define PANEL_PAD  20.0
#define GROUP_H    72.0
#define GROUP_W   190.0   /* at least */
#define GROUP_GAP  40.0
#define LABEL_W    56.0   /* between the lines of one leaf, at least */
#define LEAF_Y    200.0

/* ---- places ---- */

static gboolean
is_of_tier (const FabCluster *cluster, guint plane, guint tier)
{
  return cluster->tier == (gint) tier && cluster->plane == plane;
}

/* Bundles that come up to @cluster from nodes. */
static guint
count_host_bundles (const FabFabricView *view, guint32 cluster)
{
  guint n = 0;

  for (guint b = 0; b < view->bundles->len; b++)
    n += fab_bundle_at (view, b)->upper == cluster && fab_cluster_at (view, fab_bundle_at (view, b)->lower)->tier < 0 ? 1 : 0;
  return n;
}

static char *
host_label (const FabBundle *bundle)
{
  g_autofree char *text = fab_bundle_text (bundle);
  g_autofree char *load = isnan (bundle->load) ? NULL : fab_diagram_load_text (bundle->load);

  return load != NULL ? g_strdup_printf ("%s\n%s", text, load) : g_steal_pointer (&text);
}

static void
measure_labels (FabFabricView *view)
{
  view->label_width = LABEL_W;
  for (guint b = 0; b < view->bundles->len; b++)
    {
      g_autofree char *label = host_label (fab_bundle_at (view, b));

      if (fab_cluster_at (view, fab_bundle_at (view, b)->lower)->tier < 0)
        view->label_width = MAX (view->label_width, fab_diagram_text_width (label, 10) + 14);
    }
}

/* Enough for the widest tier: its boxes, and the labels of the host cables below them. */
static double
width_of_tiers (const FabFabricView *view, guint plane)
{
  double widest = BOX_W;

  for (guint t = 0; t < fab_topology_plane (view->topology, plane)->n_tiers; t++)
    {
      double cell = BOX_W + GAP_X;
      guint n = 0;

      for (guint c = 0; c < view->clusters->len; c++)
        if (is_of_tier (fab_cluster_at (view, c), plane, t))
          {
            cell = MAX (cell, count_host_bundles (view, c) * view->label_width);
            n++;
          }
      widest = MAX (widest, n * cell);
    }
  return widest;
}

static void
place_tier (FabFabricView *view, guint plane, guint tier, double left, double width, double y)
{
  guint n = 0, i = 0;
  double step;

  for (guint c = 0; c < view->clusters->len; c++)
    n += is_of_tier (fab_cluster_at (view, c), plane, tier) ? 1 : 0;
  step = width / MAX (n, 1);
  for (guint c = 0; c < view->clusters->len; c++)
    {
      FabCluster *cluster = fab_cluster_at (view, c);

      if (!is_of_tier (cluster, plane, tier))
        continue;
      cluster->width = cluster->n > 1 ? CLAMP (width * 0.8, BOX_W, 220) : BOX_W;
      cluster->height = BOX_H;
      cluster->x = left + step * (i++ + 0.5);
      cluster->y = y;
    }
}

/* Cables that join switches of one tier stand in no gap between tiers; the title counts them. */
static guint
count_level_cables (const FabFabricView *view, guint plane)
{
  guint n = 0;

  for (guint c = 0; c < view->clusters->len; c++)
    n += fab_cluster_at (view, c)->tier >= 0 && fab_cluster_at (view, c)->plane == plane ? fab_cluster_at (view, c)->n_inner : 0;
  for (guint b = 0; b < view->bundles->len; b++)
    {
      const FabBundle *bundle = fab_bundle_at (view, b);
      const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);

      n += lower->tier >= 0 && lower->tier == upper->tier && upper->plane == plane ? bundle->n : 0;
    }
  return n;
}

static char *
title_of_plane (const FabFabricView *view, guint plane)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);
  guint n_level = count_level_cables (view, plane);
  g_autoptr (GString) title = g_string_new (NULL);

  g_string_append_printf (title, "%s · %s · %u switch%s", row->name, fab_link_kind_name (row->kind), row->n_switches, row->n_switches == 1 ? "" : "es");
  if (n_level > 0)
    g_string_append_printf (title, " · %u cable%s within a tier", n_level, n_level == 1 ? "" : "s");
  return g_strdup (title->str);
}

/* Planes from left to right; returns the whole width. */
static double
place_planes (FabFabricView *view)
{
  double left = 0;

  for (guint p = view->first_plane; p < view->last_plane; p++)
    {
      guint n_tiers = fab_topology_plane (view->topology, p)->n_tiers;
      g_autofree char *title = title_of_plane (view, p);
      double width = MAX (width_of_tiers (view, p), fab_diagram_text_width (title, 13) * 1.15 + 20);
      double top = LEAF_Y + (n_tiers > 0 ? n_tiers - 1 : 0) * TIER_DY;
      FabBox *panel = fab_diagram_add_box (view->diagram, FAB_BOX_PANEL, left + width / 2, (LEAF_Y + top) / 2 + 14, width + 2 * PANEL_PAD,
                                           top - LEAF_Y + BOX_H + 2 * PANEL_PAD + 28, NULL, NULL);

      panel->fill = NULL;
      panel->border = fab_diagram_plane_colour (p);
      fab_diagram_add_text (view->diagram, left + width / 2, top + BOX_H / 2 + PANEL_PAD + 12, title, 13, TRUE);
      for (guint t = 0; t < n_tiers; t++)
        place_tier (view, p, t, left, width, LEAF_Y + t * TIER_DY);
      left += width + 2 * PANEL_PAD + PLANE_GAP;
    }
  return left - 2 * PANEL_PAD - PLANE_GAP;
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

static char *
group_label (const FabFabricView *view, const FabCluster *cluster)
{
  const FabNode *node = fab_topology_node (view->topology, cluster->first);
  g_autofree char *names = fab_diagram_shorten (g_strdup (cluster->names), FAB_DIAGRAM_FONT_PT * 1.15, GROUP_W - 16);
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

static double
group_width (const FabFabricView *view, const FabCluster *cluster)
{
  g_autofree char *label = group_label (view, cluster);

  return MAX (GROUP_W, fab_diagram_text_width (label, FAB_DIAGRAM_FONT_PT) * 1.15 + 16);
}

/* Groups share the width below, each by the root of its size, but wide enough for its label. */
static void
place_groups (FabFabricView *view, double width)
{
  guint n = 0;
  double total = 0, least = 0, left = -PANEL_PAD, spare;

  for (guint c = 0; c < view->clusters->len; c++)
    if (fab_cluster_at (view, c)->tier < 0)
      {
        n++;
        total += sqrt ((double) fab_cluster_at (view, c)->n);
        least += group_width (view, fab_cluster_at (view, c));
      }
  spare = MAX (width + 2 * PANEL_PAD - (n > 0 ? n - 1 : 0) * GROUP_GAP - least, 0);
  for (guint c = 0; c < view->clusters->len; c++)
    {
      FabCluster *cluster = fab_cluster_at (view, c);

      if (cluster->tier >= 0)
        continue;
      cluster->width = group_width (view, cluster) + spare * sqrt ((double) cluster->n) / total;
      cluster->height = GROUP_H;
      cluster->x = left + cluster->width / 2;
      cluster->y = 0;
      left += cluster->width + GROUP_GAP;
    }
}

static void
add_group_box (const FabFabricView *view, const FabCluster *cluster)
{
  const FabNode *node = fab_topology_node (view->topology, cluster->first);
  FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_DEVICE, cluster->x, cluster->y, cluster->width, cluster->height,
                                     group_label (view, cluster), g_strdup_printf ("%s: %u × %s", cluster->names, cluster->n, node->type));

  box->fill = node->n_gpus > 0 ? "#eef3ea" : "#f2eef6";
  box->bold = TRUE;
  if (cluster->n_down == cluster->n)
    fab_diagram_cross_out (view->diagram, view->diagram->boxes->len - 1);
}

/* ---- switches ---- */

/* The one rail of all nodes under a leaf; FAB_NONE where there are several. */
static guint32
rail_of (const FabFabricView *view, guint32 device)
{
  const FabDevice *row = fab_topology_device (view->topology, device);
  guint32 rail = FAB_NONE;

  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    {
      guint32 link = fab_topology_port (view->topology, p)->link;
      guint32 peer = link != FAB_NONE ? fab_topology_port (view->topology, fab_topology_link (view->topology, link)->to_port)->rail : FAB_NONE;

      if (peer == FAB_NONE)
        continue;
      if (rail != FAB_NONE && rail != peer)
        return FAB_NONE;
      rail = peer;
    }
  return rail;
}

static guint
count_cables (const FabFabricView *view, guint32 device)
{
  const FabDevice *row = fab_topology_device (view->topology, device);
  guint n = 0;

  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    n += fab_topology_port (view->topology, p)->link != FAB_NONE ? 1 : 0;
  return n;
}

static void
add_switch_box (const FabFabricView *view, const FabCluster *cluster)
{
  const FabDevice *device = fab_topology_device (view->topology, cluster->first);
  const FabPlane *plane = fab_topology_plane (view->topology, cluster->plane);
  gboolean is_rail_plane = g_str_equal (plane->family, "rail-optimized");
  guint32 rail = cluster->n == 1 && cluster->tier == 0 && is_rail_plane ? rail_of (view, cluster->first) : FAB_NONE;
  g_autoptr (GString) label = g_string_new (cluster->names);
  char *tooltip = cluster->n > 1 ? g_strdup_printf ("%s/%s: %u × %s", plane->name, cluster->names, cluster->n, device->part)
                                 : g_strdup_printf ("%s/%s: %s, %u cables", plane->name, cluster->names, device->part, count_cables (view, cluster->first));
  FabBox *box;

  if (rail != FAB_NONE)
    g_string_append_printf (label, " · rail %u", rail);
  if (cluster->n > 1 && cluster->n_down > 0)
    g_string_append_printf (label, "\n%u × %s, %u down", cluster->n, device->part, cluster->n_down);
  else if (cluster->n > 1)
    g_string_append_printf (label, "\n%u × %s", cluster->n, device->part);
  else
    g_string_append_printf (label, "\n%s", device->part);
  box = fab_diagram_add_box (view->diagram, FAB_BOX_DEVICE, cluster->x, cluster->y, cluster->width, cluster->height,
                             fab_diagram_shorten (g_strdup (label->str), 10, cluster->width - 8), tooltip);
  box->border = fab_diagram_plane_colour (cluster->plane);
  box->fill = rail != FAB_NONE ? fab_diagram_rail_colour (rail) : "#ffffff";
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
  if (view->options->view == FAB_RENDER_PLANE)
    {
      view->first_plane = plane;
      view->last_plane = plane + 1;
    }
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

  fab_fabric_view_init (&view, diagram, topology, faults, options);
  if (!find_planes (&view, error))
    return FALSE;
  fab_fabric_view_fill (&view);
  measure_labels (&view);
  place_groups (&view, place_planes (&view));
  for (guint c = 0; c < view.clusters->len; c++)
    if (fab_cluster_at (&view, c)->tier < 0)
      add_group_box (&view, fab_cluster_at (&view, c));
    else
      add_switch_box (&view, fab_cluster_at (&view, c));
  fab_fabric_view_add_lines (&view);
  fab_diagram_add_legend (diagram, options, any_fault (&view), -PANEL_PAD, -GROUP_H / 2 - 26);
  return TRUE;
}
