/* fab-diagram-fabric.c: planes side by side, tiers as rows, like nodes as one box below
 *
 * A tier of more than MANY switches becomes one box; parallel links become one line with a multiplicity. So a fabric of 48 nodes and
 * one of 1,000 are drawn nearly the same size.
 */
#include "fab-diagram-private.h"
#include <math.h>
#include <string.h>

#define MANY       16
#define BOX_W      98.0
#define BOX_H      44.0
#define GAP_X      18.0
#define TIER_DY   120.0
#define PLANE_GAP  46.0
#define PANEL_PAD  20.0
#define GROUP_H    64.0
#define GROUP_GAP  40.0
#define LABEL_W    56.0   /* between the lines of one leaf */
#define DROP       50.0   /* straight down from a leaf, past its frame, to the label */

/* What is drawn as one box: a switch, a whole tier, or nodes of one group. */
typedef struct
{
  double  x, y, width, height;
  guint32 n;              /* devices or nodes in it */
  guint32 first;          /* device or node */
  gint    tier;           /* -1: nodes */
  guint   plane;
} Cluster;

/* All links between two clusters. */
typedef struct
{
  guint32 lower, upper;   /* clusters */
  guint32 n;              /* cables */
  guint32 first;          /* link */
  double  load;           /* the largest of either direction; NaN: not asked */
  guint32 hop;            /* of a highlighted path, from 1; 0: none */
  guint32 n_down;
} Bundle;

typedef struct
{
  FabDiagram             *diagram;
  const FabTopology      *topology;
  const FabFaults        *faults;
  const FabRenderOptions *options;
  GArray                 *clusters;    /* Cluster */
  guint32                *cluster_of_device, *cluster_of_node;
  GArray                 *bundles;     /* Bundle */
  guint                   first_plane, last_plane;   /* shown: first … last - 1 */
} View;

static Cluster *
cluster_at (const View *view, guint32 cluster)
{
  return &g_array_index (view->clusters, Cluster, cluster);
}

/* ---- clusters ---- */

static guint32
count_tier (const View *view, guint plane, guint tier)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);
  guint32 n = 0;

  for (guint32 s = row->first_switch; row->n_switches > 0 && s < row->first_switch + row->n_switches; s++)
    n += fab_topology_device (view->topology, s)->tier == tier ? 1 : 0;
  return n;
}

static void
cluster_tier (View *view, guint plane, guint tier)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);
  gboolean one = count_tier (view, plane, tier) > MANY;
  gboolean made = FALSE;

  for (guint32 s = row->first_switch; row->n_switches > 0 && s < row->first_switch + row->n_switches; s++)
    {
      Cluster cluster = { .first = s, .tier = (gint) tier, .plane = plane, .width = BOX_W, .height = BOX_H };

      if (fab_topology_device (view->topology, s)->tier != tier)
        continue;
      if (!one || !made)
        g_array_append_val (view->clusters, cluster);
      made = TRUE;
      view->cluster_of_device[s] = view->clusters->len - 1;
      cluster_at (view, view->clusters->len - 1)->n++;
    }
}

static gboolean
node_is_shown (const View *view, const FabNode *node)
{
  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (view->topology, d);

      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        {
          const FabPort *port = fab_topology_port (view->topology, p);

          if (port->plane != FAB_NONE && port->link != FAB_NONE && port->plane >= view->first_plane && port->plane < view->last_plane)
            return TRUE;
        }
    }
  return FALSE;
}

static void
cluster_nodes (View *view)
{
  guint32 last_group = FAB_NONE;

  for (guint32 n = 0; n < fab_topology_n_nodes (view->topology); n++)
    {
      const FabNode *node = fab_topology_node (view->topology, n);
      Cluster cluster = { .first = n, .tier = -1, .height = GROUP_H };

      if (!node_is_shown (view, node))
        continue;
      if (node->group != last_group || node->group == FAB_NONE)
        g_array_append_val (view->clusters, cluster);
      last_group = node->group;
      view->cluster_of_node[n] = view->clusters->len - 1;
      cluster_at (view, view->clusters->len - 1)->n++;
    }
}

/* ---- bundles ---- */

static guint32
hop_of (const View *view, guint32 link)
{
  for (gsize i = 0; i < view->options->n_path; i++)
    if (view->options->path[i] / 2 == link / 2)
      return (guint32) i + 1;
  return 0;
}

static guint32
end_cluster (const View *view, guint32 device)
{
  guint32 node = fab_topology_device (view->topology, device)->node;

  return node != FAB_NONE ? view->cluster_of_node[node] : view->cluster_of_device[device];
}

static void
bundle_links (View *view)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint32 l = 0; l < fab_topology_n_links (view->topology); l += 2)
    {
      const FabLink *link = fab_topology_link (view->topology, l);
      guint32 a, b;
      gint64 key;
      gpointer known;
      Bundle *bundle;

      if (link->plane == FAB_NONE || link->plane < view->first_plane || link->plane >= view->last_plane)
        continue;
      a = end_cluster (view, link->from_device);
      b = end_cluster (view, link->to_device);
      if (cluster_at (view, a)->tier > cluster_at (view, b)->tier)
        {
          guint32 kept = a;

          a = b;
          b = kept;
        }
      key = (gint64) a << 32 | b;
      if (!g_hash_table_lookup_extended (rows, &key, NULL, &known))
        {
          Bundle made = { .lower = a, .upper = b, .first = l, .load = NAN };

          known = GUINT_TO_POINTER (view->bundles->len);
          g_hash_table_insert (rows, g_memdup2 (&key, sizeof key), known);
          g_array_append_val (view->bundles, made);
        }
      bundle = &g_array_index (view->bundles, Bundle, GPOINTER_TO_UINT (known));
      bundle->n++;
      bundle->n_down += fab_faults_link_down (view->faults, l) ? 1 : 0;
      bundle->hop = MAX (bundle->hop, hop_of (view, l));
      if (view->options->link_loads != NULL)
        for (guint d = 0; d < 2; d++)
          bundle->load = isnan (bundle->load) ? view->options->link_loads[l + d] : MAX (bundle->load, view->options->link_loads[l + d]);
    }
}

/* ---- places ---- */

static guint
widest_tier (const View *view, guint plane)
{
  guint widest = 1;

  for (guint t = 0; t < fab_topology_plane (view->topology, plane)->n_tiers; t++)
    {
      guint n = 0;

      for (guint c = 0; c < view->clusters->len; c++)
        n += cluster_at (view, c)->tier == (gint) t && cluster_at (view, c)->plane == plane ? 1 : 0;
      widest = MAX (widest, n);
    }
  return widest;
}

static void
place_tier (View *view, guint plane, guint tier, double left, double width, double y)
{
  guint n = 0, i = 0;
  double step;

  for (guint c = 0; c < view->clusters->len; c++)
    n += cluster_at (view, c)->tier == (gint) tier && cluster_at (view, c)->plane == plane ? 1 : 0;
  step = width / MAX (n, 1);
  for (guint c = 0; c < view->clusters->len; c++)
    {
      Cluster *cluster = cluster_at (view, c);

      if (cluster->tier != (gint) tier || cluster->plane != plane)
        continue;
      cluster->width = cluster->n > 1 ? MIN (width * 0.8, 220) : BOX_W;
      cluster->x = left + step * (i++ + 0.5);
      cluster->y = y;
    }
}

static char *
title_of_plane (const View *view, guint plane)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);

  return g_strdup_printf ("%s · %s · %u switch%s", row->name, fab_link_kind_name (row->kind), row->n_switches, row->n_switches == 1 ? "" : "es");
}

/* Planes from left to right; returns the whole width. */
static double
place_planes (View *view, double leaf_y)
{
  double left = 0;

  for (guint p = view->first_plane; p < view->last_plane; p++)
    {
      guint n_tiers = fab_topology_plane (view->topology, p)->n_tiers;
      g_autofree char *title = title_of_plane (view, p);
      double width = MAX (widest_tier (view, p) * (BOX_W + GAP_X), fab_diagram_text_width (title, 13) + 20);
      double top = leaf_y + (n_tiers > 0 ? n_tiers - 1 : 0) * TIER_DY;
      FabBox *panel = fab_diagram_add_box (view->diagram, FAB_BOX_PANEL, left + width / 2, (leaf_y + top) / 2 + 14, width + 2 * PANEL_PAD,
                                           top - leaf_y + BOX_H + 2 * PANEL_PAD + 28, NULL, NULL);

      panel->fill = NULL;
      panel->border = fab_diagram_plane_colour (p);
      fab_diagram_add_text (view->diagram, left + width / 2, top + BOX_H / 2 + PANEL_PAD + 12, title, 13, TRUE);
      for (guint t = 0; t < n_tiers; t++)
        place_tier (view, p, t, left, width, leaf_y + t * TIER_DY);
      left += width + 2 * PANEL_PAD + PLANE_GAP;
    }
  return left - 2 * PANEL_PAD - PLANE_GAP;
}

/* Groups of nodes share the width below, each by its number of host cables, but wide enough for its label. */
static void
place_groups (View *view, double width)
{
  guint n = 0;
  double total = 0, left = -PANEL_PAD, room;

  for (guint c = 0; c < view->clusters->len; c++)
    if (cluster_at (view, c)->tier < 0)
      {
        n++;
        total += sqrt ((double) cluster_at (view, c)->n);
      }
  room = MAX (width + 2 * PANEL_PAD - (n - 1) * GROUP_GAP, n * 190.0);
  for (guint c = 0; c < view->clusters->len; c++)
    {
      Cluster *cluster = cluster_at (view, c);

      if (cluster->tier >= 0)
        continue;
      cluster->width = MAX (room * sqrt ((double) cluster->n) / total, 190);
      cluster->x = left + cluster->width / 2;
      cluster->y = 0;
      left += cluster->width + GROUP_GAP;
    }
}

/* ---- boxes ---- */

static char *
cluster_names (const View *view, const Cluster *cluster)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  if (cluster->tier < 0)
    for (guint32 n = cluster->first; n < cluster->first + cluster->n; n++)
      g_ptr_array_add (names, (gpointer) (gsize) fab_topology_node (view->topology, n)->name);
  else
    for (guint32 s = cluster->first; s < cluster->first + cluster->n; s++)
      g_ptr_array_add (names, (gpointer) (gsize) fab_topology_device (view->topology, s)->name);
  return fab_hostlist_compress ((const char *const *) names->pdata, names->len);
}

/* The one rail of all nodes under a leaf; FAB_NONE where there are several. */
static guint32
rail_of (const View *view, guint32 device)
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

static void
add_switch_box (const View *view, const Cluster *cluster)
{
  const FabDevice *device = fab_topology_device (view->topology, cluster->first);
  g_autofree char *names = cluster_names (view, cluster);
  gboolean is_rail_plane = g_str_equal (fab_topology_plane (view->topology, cluster->plane)->family, "rail-optimized");
  guint32 rail = cluster->n == 1 && cluster->tier == 0 && is_rail_plane ? rail_of (view, cluster->first) : FAB_NONE;
  char *label = cluster->n > 1 ? g_strdup_printf ("%s\n%u × %s", names, cluster->n, device->part)
                : rail != FAB_NONE ? g_strdup_printf ("%s · rail %u\n%s", names, rail, device->part)
                                   : g_strdup_printf ("%s\n%s", names, device->part);
  char *tooltip = g_strdup_printf ("%s/%s: %s, %u ports in use", fab_topology_plane (view->topology, cluster->plane)->name, names, device->part,
                                   device->n_ports);
  FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_DEVICE, cluster->x, cluster->y, cluster->width, cluster->height, label, tooltip);

  box->border = fab_diagram_plane_colour (cluster->plane);
  box->fill = rail != FAB_NONE ? fab_diagram_rail_colour (rail) : "#ffffff";
  box->font_pt = 10;
  box->down = cluster->n == 1 && fab_faults_device_down (view->faults, cluster->first);
}

static void
add_group_box (const View *view, const Cluster *cluster)
{
  const FabNode *node = fab_topology_node (view->topology, cluster->first);
  g_autofree char *names = cluster_names (view, cluster);
  char *label = node->n_gpus > 0 ? g_strdup_printf ("%s\n%u × %s · %u GPUs", names, cluster->n, node->type, cluster->n * node->n_gpus)
                                 : g_strdup_printf ("%s\n%u × %s", names, cluster->n, node->type);
  FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_DEVICE, cluster->x, cluster->y, cluster->width, cluster->height, label,
                                     g_strdup_printf ("%u nodes of type %s", cluster->n, node->type));

  box->fill = node->n_gpus > 0 ? "#eef3ea" : "#f2eef6";
  box->bold = TRUE;
}

/* ---- lines ---- */

static char *
bundle_text (const View *view, const Bundle *bundle)
{
  const FabLink *link = fab_topology_link (view->topology, bundle->first);
  guint64 gbps = link->rate_bps / 1000000000;

  return bundle->n > 1 ? g_strdup_printf ("%u × %" G_GUINT64_FORMAT "G", bundle->n, gbps) : g_strdup_printf ("%" G_GUINT64_FORMAT "G", gbps);
}

static FabLine *
add_bundle_line (const View *view, const Bundle *bundle, double x1, double y1, double x2, double y2)
{
  const Cluster *upper = cluster_at (view, bundle->upper);
  g_autofree char *text = bundle_text (view, bundle);
  g_autofree char *lower_names = cluster_names (view, cluster_at (view, bundle->lower));
  g_autofree char *upper_names = cluster_names (view, upper);
  char *tooltip = isnan (bundle->load) ? g_strdup_printf ("%s – %s: %s", lower_names, upper_names, text)
                                       : g_strdup_printf ("%s – %s: %s, busiest %.0f %%", lower_names, upper_names, text, 100 * bundle->load);
  FabLine *line = fab_diagram_add_line (view->diagram, x1, y1, x2, y2, tooltip);

  line->colour = fab_diagram_plane_colour (upper->plane);
  line->stroke = fab_diagram_plane_stroke (upper->plane);
  line->width_pt = 0.8 + 0.35 * log2 ((double) bundle->n + 1);
  if (!isnan (bundle->load))
    {
      line->colour = fab_diagram_heat_colour (bundle->load);
      line->width_pt = 1 + 4 * bundle->load;
    }
  if (bundle->n_down == bundle->n)
    {
      line->colour = "#c4161c";
      line->stroke = FAB_STROKE_DOTTED;
    }
  if (bundle->hop > 0)
    {
      line->colour = "#c4161c";
      line->stroke = FAB_STROKE_SOLID;
      line->width_pt = 4;
    }
  return line;
}

static void
add_label (const View *view, double x, double y, const char *text)
{
  FabBox *box = fab_diagram_add_text (view->diagram, x, y, text, 10, FALSE);

  box->fill = "#ffffff";
}

/* Which of the bundles that come up to @upper from nodes @bundle is, and how many there are. */
static guint
rank_at_leaf (const View *view, guint bundle, guint *n)
{
  guint32 upper = g_array_index (view->bundles, Bundle, bundle).upper;
  guint rank = 0;

  *n = 0;
  for (guint b = 0; b < view->bundles->len; b++)
    {
      const Bundle *other = &g_array_index (view->bundles, Bundle, b);

      if (other->upper != upper || cluster_at (view, other->lower)->tier >= 0)
        continue;
      rank += b < bundle ? 1 : 0;
      (*n)++;
    }
  return rank;
}

/* Host cables leave a leaf side by side, one line a group of nodes, and end where the group is nearest. */
static void
add_host_lines (const View *view)
{
  for (guint b = 0; b < view->bundles->len; b++)
    {
      const Bundle *bundle = &g_array_index (view->bundles, Bundle, b);
      const Cluster *lower = cluster_at (view, bundle->lower), *upper = cluster_at (view, bundle->upper);
      g_autofree char *text = bundle_text (view, bundle);
      g_autofree char *with_load = isnan (bundle->load) ? NULL : g_strdup_printf ("%s\n%.0f %%", text, 100 * bundle->load);
      double half = lower->width / 2 - 24, x1, x2, y1, y2;
      guint n, rank;

      if (lower->tier >= 0)
        continue;
      rank = rank_at_leaf (view, b, &n);
      x1 = upper->x + ((double) rank - (n - 1) / 2.0) * LABEL_W;
      x2 = CLAMP (x1, lower->x - half, lower->x + half);
      y1 = upper->y - upper->height / 2;
      y2 = lower->y + lower->height / 2;
      add_bundle_line (view, bundle, x1, y1, x1, y1 - DROP);
      add_bundle_line (view, bundle, x1, y1 - DROP, x2, y2);
      add_label (view, x1, y1 - DROP + 12, with_load != NULL ? with_load : text);
    }
}

/* One note says what every pair of two tiers has in common; where pairs differ, each line says its own. */
static void
add_switch_lines (const View *view)
{
  for (guint p = view->first_plane; p < view->last_plane; p++)
    for (guint t = 1; t < fab_topology_plane (view->topology, p)->n_tiers; t++)
      {
        guint n_pairs = 0;
        gboolean alike = TRUE;
        const Bundle *first = NULL;
        double note_y = 0, right = -G_MAXDOUBLE, left = G_MAXDOUBLE;

        for (guint b = 0; b < view->bundles->len; b++)
          {
            const Bundle *bundle = &g_array_index (view->bundles, Bundle, b);
            const Cluster *lower = cluster_at (view, bundle->lower), *upper = cluster_at (view, bundle->upper);

            if (lower->tier < 0 || upper->tier != (gint) t || upper->plane != p)
              continue;
            add_bundle_line (view, bundle, lower->x, lower->y + lower->height / 2, upper->x, upper->y - upper->height / 2);
            first = first != NULL ? first : bundle;
            alike &= bundle->n == first->n;
            note_y = (lower->y + upper->y) / 2;
            right = MAX (right, MAX (lower->x, upper->x));
            left = MIN (left, MIN (lower->x, upper->x));
            n_pairs++;
          }
        if (first == NULL)
          continue;

        g_autofree char *text = bundle_text (view, first);
        g_autofree char *note = n_pairs == 1 ? g_strdup (text) : alike ? g_strdup_printf ("each pair %s", text) : g_strdup ("cables differ, see tooltips");

        add_label (view, (left + right) / 2, note_y, note);
      }
}

/* ---- legends ---- */

static void
add_heat_legend (const View *view, double x, double y)
{
  static const double steps[] = { 0.1, 0.3, 0.5, 0.7, 0.95 };
  static const char *const texts[] = { "0–20 %", "20–40 %", "40–60 %", "60–80 %", "80–100 %" };

  fab_diagram_add_text (view->diagram, x, y, "busiest link", 10, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_DEVICE, x + 80 + 74 * i, y, 70, 18, g_strdup (texts[i]), NULL);

      box->fill = fab_diagram_heat_colour (steps[i]);
      box->font_pt = 10;
    }
}

static gboolean
find_planes (View *view, GError **error)
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

gboolean
fab_diagram_fabric (FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, GError **error)
{
  g_autoptr (GArray) clusters = g_array_new (FALSE, FALSE, sizeof (Cluster));
  g_autoptr (GArray) bundles = g_array_new (FALSE, FALSE, sizeof (Bundle));
  g_autofree guint32 *of_device = g_new0 (guint32, MAX (fab_topology_n_devices (topology), 1));
  g_autofree guint32 *of_node = g_new0 (guint32, MAX (fab_topology_n_nodes (topology), 1));
  View view = {
    .diagram = diagram, .topology = topology, .faults = faults, .options = options, .clusters = clusters, .bundles = bundles,
    .cluster_of_device = of_device, .cluster_of_node = of_node,
  };
  double width;

  if (!find_planes (&view, error))
    return FALSE;
  for (guint p = view.first_plane; p < view.last_plane; p++)
    for (guint t = 0; t < fab_topology_plane (topology, p)->n_tiers; t++)
      cluster_tier (&view, p, t);
  cluster_nodes (&view);
  bundle_links (&view);
  width = place_planes (&view, 200);
  place_groups (&view, width);
  for (guint c = 0; c < clusters->len; c++)
    if (cluster_at (&view, c)->tier < 0)
      add_group_box (&view, cluster_at (&view, c));
    else
      add_switch_box (&view, cluster_at (&view, c));
  add_host_lines (&view);
  add_switch_lines (&view);
  if (options->link_loads != NULL)
    add_heat_legend (&view, 40, -GROUP_H / 2 - 26);
  return TRUE;
}
