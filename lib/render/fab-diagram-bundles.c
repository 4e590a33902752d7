/* fab-diagram-bundles.c: the lines of a fabric, what they say, and the numbers of a path */
#include "fab-diagram-clusters-private.h"
#include <math.h>

#define DROP        50.0   /* straight down from a leaf, past its frame, to the label */
#define DIP         12.0   /* below its tier that a cable within it runs */
#define MANY_LABELS 64     /* lines between two tiers that each say their own */
#define FAULT       "#c4161c"

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
    {
      line->colour = fab_diagram_heat_colour (bundle->load);
      line->width_pt = 1 + 4 * MIN (bundle->load, 1);
    }
  if (bundle->n_down == bundle->n)
    {
      line->colour = FAULT;
      line->stroke = FAB_STROKE_DOTTED;
    }
  if (bundle->hop > 0)
    {
      line->colour = FAULT;
      line->stroke = FAB_STROKE_SOLID;
      line->width_pt = 4;
    }
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

/* ---- host cables ---- */

/* Which of the bundles that come up to the switch of @bundle from nodes it is, and how many there are. */
static guint
rank_at_leaf (const FabFabricView *view, guint bundle, guint *n)
{
  guint32 upper = fab_bundle_at (view, bundle)->upper;
  guint rank = 0;

  *n = 0;
  for (guint b = 0; b < view->bundles->len; b++)
    {
      if (fab_bundle_at (view, b)->upper != upper || fab_cluster_at (view, fab_bundle_at (view, b)->lower)->tier >= 0)
        continue;
      rank += b < bundle ? 1 : 0;
      (*n)++;
    }
  return rank;
}

/* Host cables leave a leaf side by side, one line a group of nodes, and end where the group is nearest. */
static void
add_host_line (const FabFabricView *view, guint b)
{
  const FabBundle *bundle = fab_bundle_at (view, b);
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);
  g_autofree char *text = fab_bundle_text (bundle);
  g_autofree char *load = isnan (bundle->load) ? NULL : fab_diagram_load_text (bundle->load);
  g_autofree char *label = load != NULL ? g_strdup_printf ("%s\n%s", text, load) : g_strdup (text);
  g_autofree char *hop = hop_text (bundle);
  double half = lower->width / 2 - 24, x0, x1, x2, y1, y2, side;
  guint n, rank;

  rank = rank_at_leaf (view, b, &n);
  side = (double) rank - (n - 1) / 2.0;
  x0 = upper->x + side * MIN (view->label_width, (upper->width - 16) / n);
  x1 = upper->x + side * view->label_width;
  x2 = CLAMP (x1, lower->x - half, lower->x + half);
  y1 = upper->y - upper->height / 2;
  y2 = lower->y + lower->height / 2;
  add_bundle_line (view, bundle, x0, y1, x1, y1 - DROP);
  add_bundle_line (view, bundle, x1, y1 - DROP, x2, y2);
  add_label (view, x1, y1 - DROP + (load != NULL ? 6 : 12), label);
  if (bundle->hop > 0)
    fab_diagram_add_hop (view->diagram, x1 + (x2 - x1) * 0.4, y1 - DROP + (y2 - y1 + DROP) * 0.4, hop);
}

/* ---- cables between tiers ---- */

/* On the line where nothing stands yet; FALSE: nowhere. */
static gboolean
say_on_line (const FabFabricView *view, const FabBundle *bundle, const char *text, gboolean hop)
{
  static const double places[] = { 0.25, 0.32, 0.2, 0.4, 0.68, 0.75, 0.6, 0.8, 0.5 };
  const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);
  double y1 = lower->y + lower->height / 2, y2 = upper->y - upper->height / 2;

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      double x = lower->x + (upper->x - lower->x) * places[i], y = y1 + (y2 - y1) * places[i];

      if (!fab_diagram_is_free (view->diagram, x, y, fab_diagram_text_width (text, 10) * 1.15 + 8, 18))
        continue;
      if (hop)
        fab_diagram_add_hop (view->diagram, x, y, text);
      else
        add_label (view, x, y, text);
      return TRUE;
    }
  return FALSE;
}

/* What a line has of its own: its hops, its load, what is down, and its cables where they differ from pair to pair. */
static void
say_own (const FabFabricView *view, const FabBundle *bundle, gboolean alike)
{
  g_autofree char *text = fab_bundle_text (bundle);
  g_autofree char *load = isnan (bundle->load) ? NULL : fab_diagram_load_text (bundle->load);
  g_autofree char *hop = hop_text (bundle);

  if (bundle->hop > 0)
    say_on_line (view, bundle, hop, TRUE);
  if ((bundle->n_down > 0 && !bundle->end_down) || !alike)
    say_on_line (view, bundle, text, FALSE);
  if (load != NULL)
    say_on_line (view, bundle, load, FALSE);
}

/* One note says what every pair of two tiers has in common; where pairs differ, each line says its own. */
static void
add_tier_lines (const FabFabricView *view, guint plane, guint tier)
{
  guint n_pairs = 0;
  gboolean alike = TRUE;
  const FabBundle *first = NULL;
  double note_y = 0, right = -G_MAXDOUBLE, left = G_MAXDOUBLE;

  for (guint b = 0; b < view->bundles->len; b++)
    {
      const FabBundle *bundle = fab_bundle_at (view, b);
      const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);

      if (lower->tier < 0 || lower->tier == upper->tier || upper->tier != (gint) tier || upper->plane != plane)
        continue;
      add_bundle_line (view, bundle, lower->x, lower->y + lower->height / 2, upper->x, upper->y - upper->height / 2);
      first = first != NULL ? first : bundle;
      alike &= bundle->n == first->n && bundle->rate_bps == first->rate_bps && bundle->total_bps == first->total_bps;
      note_y = (lower->y + upper->y) / 2;
      right = MAX (right, MAX (lower->x, upper->x));
      left = MIN (left, MIN (lower->x, upper->x));
      n_pairs++;
    }
  if (first == NULL)
    return;

  FabBundle whole = { .n = first->n, .rate_bps = first->rate_bps, .total_bps = first->total_bps };
  g_autofree char *text = fab_bundle_text (&whole);
  g_autofree char *note = n_pairs == 1 ? g_strdup (text) : g_strdup_printf ("each pair %s", text);

  if (alike)
    add_label (view, (left + right) / 2, note_y, note);
  else if (n_pairs > MANY_LABELS)
    add_label (view, (left + right) / 2, note_y, "cables differ, see tooltips");
  for (guint b = 0; b < view->bundles->len; b++)
    {
      const FabBundle *bundle = fab_bundle_at (view, b);
      const FabCluster *lower = fab_cluster_at (view, bundle->lower), *upper = fab_cluster_at (view, bundle->upper);

      if (lower->tier >= 0 && lower->tier != upper->tier && upper->tier == (gint) tier && upper->plane == plane)
        say_own (view, bundle, alike || n_pairs > MANY_LABELS);
    }
}

/* ---- cables within a tier, or from node to node ---- */

static void
add_level_line (const FabFabricView *view, const FabBundle *bundle, guint rank)
{
  const FabCluster *a = fab_cluster_at (view, bundle->lower), *b = fab_cluster_at (view, bundle->upper);
  double y = a->y - a->height / 2, low = y - DIP - 3 * (rank % 3), side = a->x < b->x ? 1 : -1;
  double xa = a->x + side * a->width / 4, xb = b->x - side * b->width / 4;
  g_autofree char *hop = hop_text (bundle);

  add_bundle_line (view, bundle, xa, y, xa, low);
  add_bundle_line (view, bundle, xa, low, xb, low);
  add_bundle_line (view, bundle, xb, low, xb, b->y - b->height / 2);
  if (bundle->hop > 0 && fab_diagram_is_free (view->diagram, (xa + xb) / 2, low, 24, 18))
    fab_diagram_add_hop (view->diagram, (xa + xb) / 2, low, hop);
}

void
fab_fabric_view_add_lines (const FabFabricView *view)
{
  guint n_level = 0;

  for (guint b = 0; b < view->bundles->len; b++)
    {
      const FabBundle *bundle = fab_bundle_at (view, b);

      if (fab_cluster_at (view, bundle->lower)->tier == fab_cluster_at (view, bundle->upper)->tier)
        add_level_line (view, bundle, n_level++);
      else if (fab_cluster_at (view, bundle->lower)->tier < 0)
        add_host_line (view, b);
    }
  for (guint p = view->first_plane; p < view->last_plane; p++)
    for (guint t = 1; t < fab_topology_plane (view->topology, p)->n_tiers; t++)
      add_tier_lines (view, p, t);
}
