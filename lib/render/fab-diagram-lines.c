/* fab-diagram-lines.c: the lines of a fabric, what stands on them, and the numbers of a path */
#include "fab-diagram-clusters-private.h"
#include <math.h>
#include <string.h>

#define DROP        50.0   /* straight down from a leaf, past its frame, to the label */
#define DIP         12.0   /* away from its tier that a cable within it runs */
#define LABEL_H     18.0
#define MANY_LABELS 64     /* lines between two tiers that each say their own */

static FabLine *
add_bundle_line (const FabFabricView *view, const FabBundle *bundle, double x1, double y1, double x2, double y2)
{
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);
  guint plane = fab_topology_link (view->topology, bundle->first)->plane;
  g_autofree char *text = fab_bundle_text (bundle);
  g_autofree char *load = isnan (bundle->load) ? NULL : fab_diagram_load_text (bundle->load);
  FabLine *line = fab_diagram_add_line (view->diagram, x1, y1, x2, y2, g_strdup_printf ("%s – %s: %s%s%s", lower->names, upper->names, text,
                                                                                        load != NULL ? ", busiest " : "", load != NULL ? load : ""));

  line->colour = fab_diagram_plane_colour (plane);
  line->stroke = fab_diagram_plane_stroke (plane);
  line->width_pt = 0.8 + 0.35 * log2 ((double) bundle->n + 1);
  if (!isnan (bundle->load))
    fab_diagram_heat_line (line, bundle->load);
  if (bundle->n_down == bundle->n)
    fab_diagram_fault_line (line);
  if (bundle->hop > 0)
    fab_diagram_path_line (line);
  return line;
}

static void
add_label (const FabFabricView *view, double x, double y, const char *text)
{
  fab_diagram_add_text (view->diagram, x, y, text, 10, FALSE)->fill = "#ffffff";
}

static char *
hop_text (const FabBundle *bundle)
{
  return bundle->last_hop > bundle->hop ? g_strdup_printf ("%u, %u", bundle->hop, bundle->last_hop) : g_strdup_printf ("%u", bundle->hop);
}

static gint
side_of (const FabFabricView *view, const FabCluster *cluster)
{
  return fab_cluster_is_nodes (cluster) ? 1 : view->places[cluster->plane].side;
}

/* ---- host cables ---- */

static void
add_host_line (const FabFabricView *view, const FabBundle *bundle)
{
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);
  g_autofree char *label = fab_bundle_label (bundle);
  g_autofree char *hop = hop_text (bundle);
  double side = side_of (view, upper), x1 = bundle->x1, x2 = bundle->x2;
  double y0 = upper->y - side * upper->height / 2, y1 = y0 - side * DROP, y2 = lower->y + side * lower->height / 2;

  add_bundle_line (view, bundle, bundle->x0, y0, x1, y1);
  add_bundle_line (view, bundle, x1, y1, x2, y2);
  add_label (view, x1, y1 + side * (strchr (label, '\n') != NULL ? 6 : 12), label);
  if (bundle->hop > 0)
    fab_diagram_add_hop (view->diagram, x1 + (x2 - x1) * 0.5, y1 + (y2 - y1) * 0.5, hop);
}

/* ---- cables between tiers ---- */

/* Up to @tier of @plane, in the frame @column; FAB_NONE: in none. */
static gboolean
joins_tiers (const FabFabricView *view, const FabBundle *bundle, guint plane, guint tier, guint32 column)
{
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);

  return !fab_cluster_is_nodes (lower) && lower->tier != upper->tier && upper->tier == (gint) tier && upper->plane == plane && upper->column == column;
}

/* Between the ends that are seen: from the top of the lower box, or of the frame it stands in, to the bottom of the upper. */
static void
find_stretch (const FabFabricView *view, const FabBundle *bundle, double *y1, double *y2)
{
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);
  gint side = side_of (view, upper);

  *y1 = lower->y + side * (lower->height / 2 + (lower->column != FAB_NONE && upper->column == FAB_NONE ? FAB_FRAME_HEAD : 0));
  *y2 = upper->y - side * upper->height / 2;
}

/* Straight up through the frame, so that it strikes through no name, then to the upper box. */
static void
add_tier_line (const FabFabricView *view, const FabBundle *bundle)
{
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);
  double y0 = lower->y + side_of (view, upper) * lower->height / 2, y1, y2;

  find_stretch (view, bundle, &y1, &y2);
  if (y0 != y1)
    add_bundle_line (view, bundle, lower->x, y0, lower->x, y1);
  add_bundle_line (view, bundle, lower->x, y1, upper->x, y2);
}

/* On the line where nothing stands yet; nowhere where that is nowhere. */
static void
say_on_line (const FabFabricView *view, const FabBundle *bundle, const char *text, gboolean hop)
{
  static const double places[] = { 0.25, 0.35, 0.2, 0.45, 0.68, 0.75, 0.6, 0.8, 0.5 };
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);
  double y1, y2;

  find_stretch (view, bundle, &y1, &y2);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      double y = y1 + (y2 - y1) * places[i], x = lower->x + (upper->x - lower->x) * places[i];

      if (!fab_diagram_is_free (view->diagram, x, y, fab_diagram_text_width (text, 10) * 1.15 + 8, LABEL_H))
        continue;
      if (hop)
        fab_diagram_add_hop (view->diagram, x, y, text);
      else
        add_label (view, x, y, text);
      return;
    }
}

/* What a line has of its own: its hops, what is down or its cables where they differ from line to line, its load. */
static void
say_own (const FabFabricView *view, const FabBundle *bundle, gboolean cables)
{
  g_autofree char *text = fab_bundle_text (bundle);
  g_autofree char *load = fab_diagram_load_counts (bundle->load) ? fab_diagram_load_text (bundle->load) : NULL;
  g_autofree char *hop = hop_text (bundle);

  if (bundle->hop > 0)
    say_on_line (view, bundle, hop, TRUE);
  if (cables || (bundle->n_down > 0 && !bundle->end_down))
    say_on_line (view, bundle, text, FALSE);
  if (load != NULL)
    say_on_line (view, bundle, load, FALSE);
}

/* In the middle of the lines of two tiers, or beside it where something stands there. */
static void
add_note (const FabFabricView *view, double left, double right, double y, const char *note)
{
  static const double steps[] = { 0, 0.06, -0.06, 0.12, -0.12, 0.2, -0.2, 0.3, -0.3 };
  double width = fab_diagram_text_width (note, 10) + 10;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      double x = (left + right) / 2 + (right - left) * steps[i];

      if (!fab_diagram_is_free (view->diagram, x, y, width, LABEL_H))
        continue;
      add_label (view, x, y, note);
      return;
    }
}

/* ---- what lines of two tiers have in common ---- */

typedef struct
{
  const FabBundle *first;
  guint            n;
  gboolean         alike;   /* the same cables in every line */
  double           left, right, y;
} Gap;

static void
look_at (const FabFabricView *view, const FabBundle *bundle, Gap *gap)
{
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);
  double y1, y2;

  find_stretch (view, bundle, &y1, &y2);
  gap->first = gap->first != NULL ? gap->first : bundle;
  gap->alike &= bundle->n == gap->first->n && bundle->rate_bps == gap->first->rate_bps && bundle->total_bps == gap->first->total_bps;
  gap->left = MIN (gap->left, MIN (lower->x, upper->x));
  gap->right = MAX (gap->right, MAX (lower->x, upper->x));
  gap->y = (y1 + y2) / 2;
  gap->n++;
}

static char *
note_of (const Gap *gap)
{
  FabBundle whole = { .n = gap->first->n, .rate_bps = gap->first->rate_bps, .total_bps = gap->first->total_bps };
  g_autofree char *text = fab_bundle_text (&whole);

  if (!gap->alike)
    return gap->n > MANY_LABELS ? g_strdup ("cables differ, see tooltips") : NULL;
  return gap->n == 1 ? g_steal_pointer (&text) : g_strdup_printf ("each line %s", text);
}

/* One note says what all lines of a gap have in common; where they differ, each says its own. */
static void
add_tier_lines (const FabFabricView *view, guint plane, guint tier, guint32 column)
{
  Gap gap = { .alike = TRUE, .left = G_MAXDOUBLE, .right = -G_MAXDOUBLE };
  g_autofree char *note = NULL;

  for (guint b = 0; b < view->bundles->len; b++)
    if (joins_tiers (view, fab_bundle_at (view, b), plane, tier, column))
      {
        add_tier_line (view, fab_bundle_at (view, b));
        look_at (view, fab_bundle_at (view, b), &gap);
      }
  if (gap.n == 0)
    return;
  note = note_of (&gap);
  for (guint b = 0; b < view->bundles->len; b++)   /* hops first: they say more */
    if (joins_tiers (view, fab_bundle_at (view, b), plane, tier, column) && fab_bundle_at (view, b)->hop > 0)
      say_own (view, fab_bundle_at (view, b), note == NULL);
  if (note != NULL)
    add_note (view, gap.left, gap.right, gap.y, note);
  for (guint b = 0; b < view->bundles->len; b++)
    if (joins_tiers (view, fab_bundle_at (view, b), plane, tier, column) && fab_bundle_at (view, b)->hop == 0)
      say_own (view, fab_bundle_at (view, b), note == NULL);
}

/* ---- cables within a tier, or from node to node ---- */

/* From box to box, @out away from both. */
static void
add_bow (const FabFabricView *view, const FabBundle *bundle, double xa, double xb, double out)
{
  const FabCluster *a = fab_cluster_at (view, bundle->lower), *b = fab_cluster_at (view, bundle->upper);
  double y = a->y + (out > 0 ? 1 : -1) * a->height / 2, far = y + out;
  g_autofree char *hop = hop_text (bundle);

  add_bundle_line (view, bundle, xa, y, xa, far);
  add_bundle_line (view, bundle, xa, far, xb, far);
  add_bundle_line (view, bundle, xb, far, xb, b->y + y - a->y);
  if (bundle->hop > 0 && fab_diagram_is_free (view->diagram, (xa + xb) / 2, far, 24, LABEL_H))
    fab_diagram_add_hop (view->diagram, (xa + xb) / 2, far, hop);
}

/* On the side of the nodes; of the topmost of several tiers on the other, where no lines are, right of the names of frames. */
static void
add_level_line (const FabFabricView *view, const FabBundle *bundle, guint rank)
{
  const FabCluster *a = fab_cluster_at (view, bundle->lower), *b = fab_cluster_at (view, bundle->upper);
  double side = side_of (view, a), right = a->x < b->x ? 1 : -1, apart = 16 + 5 * (rank % 3), over = FAB_BOW_DY * (rank % FAB_N_BOWS);

  if (fab_bundle_is_bow (view, bundle))
    add_bow (view, bundle, a->x + over, b->x + over, side * (FAB_FRAME_HEAD + 8 + over));
  else
    add_bow (view, bundle, a->x + right * apart, b->x - right * apart, -side * (DIP + 3 * (rank % 3)));
}

void
fab_fabric_view_add_lines (FabFabricView *view)
{
  guint n_level = 0;

  for (guint b = 0; b < view->bundles->len; b++)
    {
      const FabBundle *bundle = fab_bundle_at (view, b);

      if (fab_cluster_at (view, bundle->lower)->tier == fab_cluster_at (view, bundle->upper)->tier)
        add_level_line (view, bundle, n_level++);
      else if (fab_bundle_is_host (view, bundle))
        add_host_line (view, bundle);
    }
  for (guint p = view->first_plane; p < view->last_plane; p++)
    for (guint t = 1; t < fab_topology_plane (view->topology, p)->n_tiers; t++)
      {
        for (guint32 c = 0; c < view->columns->len; c++)
          add_tier_lines (view, p, t, c);
        add_tier_lines (view, p, t, FAB_NONE);
      }
}
