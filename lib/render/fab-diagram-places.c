/* fab-diagram-places.c: planes side by side, tiers as rows, Pods as columns, like nodes as one box
 *
 * Planes too wide for a screen stand in two rows: above the nodes, and below them upside down.
 */
#include "fab-diagram-clusters-private.h"
#include <math.h>

#define WRAP_W     1000.0   /* of planes side by side, at most */
#define BOX_W        92.0   /* of a switch, at least */
#define BOX_MAX_W   200.0
#define BOX_H        44.0
#define GAP_X        18.0
#define TIER_DY     112.0
#define POD_DY       28.0   /* between the frame of a Pod and what is above it, besides */
#define FRAME_PAD    10.0
#define FRAME_GAP    12.0
#define NAME_W       90.0   /* of a frame, at most */
#define PLANE_GAP    30.0
#define PANEL_PAD    20.0
#define PANEL_HEAD   28.0
#define GROUP_H      72.0
#define GROUP_W     120.0   /* at least */
#define GROUP_GAP    28.0
#define LABEL_W      56.0   /* between the lines of one leaf, at least */
#define LEAF_Y      180.0
#define END_GAP      24.0   /* between the ends of cables at their nodes */

/* ---- how wide things are ---- */

static guint
count_host_bundles (const FabFabricView *view, guint32 cluster)
{
  guint n = 0;

  for (guint b = 0; b < view->bundles->len; b++)
    n += fab_bundle_at (view, b)->upper == cluster && fab_bundle_is_host (view, fab_bundle_at (view, b)) ? 1 : 0;
  return n;
}

static void
measure_labels (FabFabricView *view)
{
  view->label_width = LABEL_W;
  for (guint b = 0; b < view->bundles->len; b++)
    {
      g_autofree char *label = fab_bundle_label (fab_bundle_at (view, b));

      if (fab_bundle_is_host (view, fab_bundle_at (view, b)))
        view->label_width = MAX (view->label_width, fab_diagram_text_width (label, 10) + 14);
    }
}

static void
measure_switches (FabFabricView *view)
{
  for (guint c = 0; c < view->clusters->len; c++)
    {
      FabCluster *cluster = fab_cluster_at (view, c);
      g_autofree char *label = fab_cluster_is_nodes (cluster) ? NULL : fab_switch_label (view, cluster);

      cluster->height = BOX_H;
      if (label != NULL)
        cluster->width = CLAMP (fab_diagram_text_width (label, 10) + 12, BOX_W, BOX_MAX_W);
    }
}

/* A box of switches, and below it the labels of its host cables. */
static double
width_of_cell (const FabFabricView *view, guint32 cluster)
{
  return MAX (fab_cluster_at (view, cluster)->width + GAP_X, count_host_bundles (view, cluster) * view->label_width);
}

static gboolean
stands_in (const FabCluster *cluster, guint plane, guint tier, guint32 column)
{
  return cluster->tier == (gint) tier && cluster->plane == plane && cluster->column == column;
}

static double
width_of_tier (const FabFabricView *view, guint plane, guint tier, guint32 column, guint *n)
{
  double width = 0;

  *n = 0;
  for (guint c = 0; c < view->clusters->len; c++)
    if (stands_in (fab_cluster_at (view, c), plane, tier, column))
      {
        width += width_of_cell (view, c);
        (*n)++;
      }
  return width;
}

static double
width_of_tiers (const FabFabricView *view, guint plane, guint32 column)
{
  double widest = 0;
  guint n;

  for (guint t = 0; t < fab_topology_plane (view->topology, plane)->n_tiers; t++)
    widest = MAX (widest, width_of_tier (view, plane, t, column, &n));
  return widest;
}

/* The name of a frame stands at its left, clear of the line that leaves a single box in its middle. */
static void
measure_columns (FabFabricView *view)
{
  for (guint c = 0; c < view->columns->len; c++)
    {
      FabPodColumn *column = fab_column_at (view, c);

      column->names = fab_diagram_shorten (column->names, 10, NAME_W);
      column->width = MAX (width_of_tiers (view, column->plane, c) + 2 * FRAME_PAD - GAP_X, 2 * 1.15 * fab_diagram_text_width (column->names, 10) + 36);
    }
}

static double
width_of_columns (const FabFabricView *view, guint plane)
{
  double width = 0;

  for (guint c = 0; c < view->columns->len; c++)
    if (fab_column_at (view, c)->plane == plane)
      width += fab_column_at (view, c)->width + (width > 0 ? FRAME_GAP : 0);
  return width;
}

static double
width_of_plane (const FabFabricView *view, guint plane)
{
  g_autofree char *title = fab_plane_title (view, plane);
  double title_width = fab_diagram_text_width (title, 13) * 1.15 + 20;

  return MAX (MAX (width_of_columns (view, plane), width_of_tiers (view, plane, FAB_NONE)), title_width) + 2 * PANEL_PAD;
}

/* ---- planes ---- */

static double
width_of_row (const FabFabricView *view, guint first, guint last)
{
  double width = 0;

  for (guint p = first; p < last; p++)
    width += view->places[p].width + (p > first ? PLANE_GAP : 0);
  return width;
}

/* The first plane of the lower row: where the longer of both rows is shortest. */
static guint
choose_wrap (const FabFabricView *view)
{
  double least = width_of_row (view, view->first_plane, view->last_plane);
  guint wrap = view->last_plane;

  if (least <= WRAP_W)
    return wrap;
  for (guint p = view->first_plane + 1; p < view->last_plane; p++)
    {
      double width = MAX (width_of_row (view, view->first_plane, p), width_of_row (view, p, view->last_plane));

      if (width < least)
        {
          least = width;
          wrap = p;
        }
    }
  return wrap;
}

static void
place_row (FabFabricView *view, guint first, guint last, gint side, double width)
{
  double left = (width - width_of_row (view, first, last)) / 2;

  for (guint p = first; p < last; p++)
    {
      view->places[p].side = side;
      view->places[p].left = left;
      left += view->places[p].width + PLANE_GAP;
    }
}

/* Returns the width of all. */
static double
place_planes (FabFabricView *view)
{
  guint wrap;
  double width;

  for (guint p = view->first_plane; p < view->last_plane; p++)
    view->places[p].width = width_of_plane (view, p);
  wrap = choose_wrap (view);
  width = MAX (width_of_row (view, view->first_plane, wrap), width_of_row (view, wrap, view->last_plane));
  place_row (view, view->first_plane, wrap, 1, width);
  place_row (view, wrap, view->last_plane, -1, width);
  return width;
}

/* ---- switches ---- */

static double
height_of_tier (const FabFabricView *view, guint plane, guint tier)
{
  return LEAF_Y + tier * TIER_DY + (tier > 1 && view->places[plane].n_pods > 0 ? POD_DY : 0);
}

static void
place_tier (FabFabricView *view, guint plane, guint tier, guint32 column, double left, double width)
{
  guint n;
  double spare = width - width_of_tier (view, plane, tier, column, &n);

  for (guint c = 0; c < view->clusters->len; c++)
    {
      FabCluster *cluster = fab_cluster_at (view, c);
      double cell = width_of_cell (view, c) + spare / MAX (n, 1);

      if (!stands_in (cluster, plane, tier, column))
        continue;
      cluster->x = left + cell / 2;
      cluster->y = view->places[plane].side * height_of_tier (view, plane, tier);
      left += cell;
    }
}

static void
place_switches (FabFabricView *view, guint plane)
{
  const FabPlace *place = &view->places[plane];
  double left = place->left + (place->width - width_of_columns (view, plane)) / 2;

  for (guint c = 0; c < view->columns->len; c++)
    {
      FabPodColumn *column = fab_column_at (view, c);

      if (column->plane != plane)
        continue;
      column->left = left;
      left += column->width + FRAME_GAP;
      for (guint t = 0; t < fab_topology_plane (view->topology, plane)->n_tiers; t++)
        place_tier (view, plane, t, c, column->left, column->width);
    }
  for (guint t = 0; t < fab_topology_plane (view->topology, plane)->n_tiers; t++)
    place_tier (view, plane, t, FAB_NONE, place->left + PANEL_PAD, place->width - 2 * PANEL_PAD);
}

/* ---- nodes ---- */

static double
width_of_group (const FabFabricView *view, const FabCluster *cluster)
{
  g_autofree char *label = fab_group_label (view, cluster);

  return MAX (GROUP_W, fab_diagram_text_width (label, FAB_DIAGRAM_FONT_PT) * 1.15 + 16);
}

/* Groups share the width, each by the root of its size, but wide enough for its label. */
static void
place_groups (FabFabricView *view, double width)
{
  guint n = 0;
  double total = 0, least = 0, left, spare;

  for (guint c = 0; c < view->clusters->len; c++)
    if (fab_cluster_is_nodes (fab_cluster_at (view, c)))
      {
        n++;
        total += sqrt ((double) fab_cluster_at (view, c)->n);
        least += width_of_group (view, fab_cluster_at (view, c));
      }
  least += (n > 0 ? n - 1 : 0) * GROUP_GAP;
  spare = MAX (width - least, 0);
  left = MIN (0, (width - least) / 2);
  for (guint c = 0; c < view->clusters->len; c++)
    {
      FabCluster *cluster = fab_cluster_at (view, c);

      if (!fab_cluster_is_nodes (cluster))
        continue;
      cluster->width = width_of_group (view, cluster) + spare * sqrt ((double) cluster->n) / total;
      cluster->height = GROUP_H;
      cluster->x = left + cluster->width / 2;
      left += cluster->width + GROUP_GAP;
    }
}

/* ---- ends of host cables ---- */

/* Cables leave a leaf side by side, in the order of the groups they go to. */
static void
place_at_leaf (const FabFabricView *view, FabBundle *bundle)
{
  const FabCluster *leaf = fab_cluster_at (view, bundle->upper);
  guint n = 0, rank = 0;
  double off;

  for (guint b = 0; b < view->bundles->len; b++)
    if (fab_bundle_at (view, b)->upper == bundle->upper && fab_bundle_is_host (view, fab_bundle_at (view, b)))
      {
        rank += fab_bundle_at (view, b)->lower < bundle->lower ? 1 : 0;
        n++;
      }
  off = (double) rank - (n - 1) / 2.0;
  bundle->x0 = leaf->x + off * MIN (view->label_width, (leaf->width - 16) / MAX (n - 1, 1));
  bundle->x1 = leaf->x + off * view->label_width;
}

static gint
by_leaf_end (gconstpointer a, gconstpointer b)
{
  const FabBundle *first = *(FabBundle *const *) a, *second = *(FabBundle *const *) b;

  return first->x1 < second->x1 ? -1 : first->x1 > second->x1;
}

/* Each ends where its group is nearest, but clear of its neighbour. */
static void
spread_ends (GPtrArray *bundles, double left, double right)
{
  double gap = MIN (END_GAP, (right - left) / MAX (bundles->len, 1));

  g_ptr_array_sort (bundles, by_leaf_end);
  for (guint i = 0; i < bundles->len; i++)
    {
      FabBundle *bundle = bundles->pdata[i];

      bundle->x2 = CLAMP (bundle->x1, left, right);
      if (i > 0)
        bundle->x2 = MAX (bundle->x2, ((FabBundle *) bundles->pdata[i - 1])->x2 + gap);
    }
  for (guint i = bundles->len; i-- > 0;)
    {
      FabBundle *bundle = bundles->pdata[i];

      bundle->x2 = MIN (bundle->x2, i + 1 < bundles->len ? ((FabBundle *) bundles->pdata[i + 1])->x2 - gap : right);
    }
}

static void
place_ends (FabFabricView *view, guint32 group, gint side)
{
  g_autoptr (GPtrArray) bundles = g_ptr_array_new ();
  const FabCluster *cluster = fab_cluster_at (view, group);
  double half = cluster->width / 2 - 24;

  for (guint b = 0; b < view->bundles->len; b++)
    {
      FabBundle *bundle = fab_bundle_at (view, b);

      if (bundle->lower != group || !fab_bundle_is_host (view, bundle) || view->places[fab_cluster_at (view, bundle->upper)->plane].side != side)
        continue;
      place_at_leaf (view, bundle);
      g_ptr_array_add (bundles, bundle);
    }
  spread_ends (bundles, cluster->x - half, cluster->x + half);
}

/* ---- frames ---- */

static void
add_frame (const FabFabricView *view, const FabPodColumn *column)
{
  gint side = view->places[column->plane].side;
  double low = height_of_tier (view, column->plane, 0) - BOX_H / 2 - FRAME_PAD, high = height_of_tier (view, column->plane, 1) + BOX_H / 2 + FAB_FRAME_HEAD;
  FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_FRAME, column->left + column->width / 2, side * (low + high) / 2, column->width, high - low,
                                     NULL, g_strdup (column->names));
  FabBox *name;

  box->fill = NULL;
  box->border = "#999999";
  name = fab_diagram_add_text (view->diagram, 0, side * (high - FAB_FRAME_HEAD / 2), column->names, 10, TRUE);
  name->x = column->left + 4 + name->width / 2;
}

/* Room over the topmost tier, for the cables that bow there. */
static double
height_of_bows (const FabFabricView *view, guint plane)
{
  for (guint b = 0; b < view->bundles->len; b++)
    if (fab_bundle_is_bow (view, fab_bundle_at (view, b)) && fab_cluster_at (view, fab_bundle_at (view, b)->upper)->plane == plane)
      return FAB_FRAME_HEAD + FAB_N_BOWS * FAB_BOW_DY;
  return 0;
}

static void
add_panel (const FabFabricView *view, guint plane)
{
  const FabPlace *place = &view->places[plane];
  guint n_tiers = fab_topology_plane (view->topology, plane)->n_tiers;
  double low = LEAF_Y - BOX_H / 2 - PANEL_PAD, high = height_of_tier (view, plane, n_tiers > 0 ? n_tiers - 1 : 0) + BOX_H / 2 + PANEL_PAD + PANEL_HEAD
                                                          + height_of_bows (view, plane);
  double x = place->left + place->width / 2;
  g_autofree char *title = fab_plane_title (view, plane);
  FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_PANEL, x, place->side * (low + high) / 2, place->width, high - low, NULL, NULL);

  box->fill = NULL;
  box->border = fab_diagram_plane_colour (plane);
  fab_diagram_add_text (view->diagram, x, place->side * (high - PANEL_HEAD / 2 - 2), title, 13, TRUE);
}

static double
lowest (const FabFabricView *view)
{
  double y = -GROUP_H / 2;

  for (guint b = 0; b < view->diagram->boxes->len; b++)
    {
      const FabBox *box = &g_array_index (view->diagram->boxes, FabBox, b);

      y = MIN (y, box->y - box->height / 2);
    }
  return y;
}

double
fab_fabric_view_place (FabFabricView *view)
{
  measure_labels (view);
  measure_switches (view);
  measure_columns (view);
  place_groups (view, place_planes (view));
  for (guint p = view->first_plane; p < view->last_plane; p++)
    {
      place_switches (view, p);
      add_panel (view, p);
    }
  for (guint c = 0; c < view->columns->len; c++)
    add_frame (view, fab_column_at (view, c));
  for (guint c = 0; c < view->clusters->len; c++)
    for (gint side = -1; fab_cluster_is_nodes (fab_cluster_at (view, c)) && side <= 1; side += 2)
      place_ends (view, c, side);
  return lowest (view);
}
