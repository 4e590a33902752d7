/* fab-diagram-node-places.c: a tree of boxes, as narrow as it goes
 *
 * As Reingold and Tilford draw trees (IEEE TSE 7(2), 1981): a parent over the middle of its children, trees as near to each other
 * as their edges allow at every depth.
 */
#include "fab-diagram-node-private.h"

#define GAP_Y 78.0   /* between the boxes of one depth and the next */

/* The left and right edges of a tree, depth by depth; an empty depth has left > right. */
typedef struct
{
  double *left, *right;
} Contour;

static void
contour_init (Contour *contour, double *edges, guint n)
{
  *contour = (Contour) { .left = edges, .right = edges + n };
  for (guint d = 0; d < n; d++)
    {
      contour->left[d] = G_MAXDOUBLE;
      contour->right[d] = -G_MAXDOUBLE;
    }
}

/* Puts @tree, moved by the result, right of @all with @gap between their edges. */
static double
contour_join (Contour *all, const Contour *tree, guint n, double gap)
{
  double shift = -G_MAXDOUBLE;

  for (guint d = 0; d < n; d++)
    if (all->left[d] <= all->right[d] && tree->left[d] <= tree->right[d])
      shift = MAX (shift, all->right[d] - tree->left[d] + gap);
  shift = shift > -G_MAXDOUBLE ? shift : 0;
  for (guint d = 0; d < n; d++)
    if (tree->left[d] <= tree->right[d])
      {
        all->left[d] = MIN (all->left[d], tree->left[d] + shift);
        all->right[d] = MAX (all->right[d], tree->right[d] + shift);
      }
  return shift;
}

static void
contour_move (Contour *contour, double dx, guint n)
{
  for (guint d = 0; d < n; d++)
    if (contour->left[d] <= contour->right[d])
      {
        contour->left[d] += dx;
        contour->right[d] += dx;
      }
}

/* Joins the trees of all children of @parent (FAB_NONE: the sockets), whose middle becomes 0. */
static void
join_children (FabNodeView *view, guint32 parent, Contour *contours, Contour *all, guint n)
{
  FabNodePlace *first = NULL, *last = NULL;
  double middle;

  for (guint32 row = 0; row < view->places->len; row++)
    {
      FabNodePlace *place = fab_node_place_at (view, row);

      if (place->parent != parent || (parent == FAB_NONE && place->depth > 0))
        continue;
      place->x = contour_join (all, &contours[row], n, parent == FAB_NONE ? 2 * FAB_NODE_GAP_X : 0);
      first = first != NULL ? first : place;
      last = place;
    }
  if (first == NULL)
    return;
  middle = (first->x + last->x) / 2;
  for (guint32 row = 0; row < view->places->len; row++)
    if (fab_node_place_at (view, row)->parent == parent && (parent != FAB_NONE || fab_node_place_at (view, row)->depth == 0))
      fab_node_place_at (view, row)->x -= middle;
  contour_move (all, -middle, n);
}

/* Below the middle of all. */
static void
place_loose (FabNodeView *view)
{
  double left = G_MAXDOUBLE, right = -G_MAXDOUBLE;
  guint n = 0, i = 0;

  for (guint32 row = 0; row < view->places->len; row++)
    if (fab_node_place_at (view, row)->parent == FAB_NONE && fab_node_place_at (view, row)->depth > 0)
      n++;
    else
      {
        left = MIN (left, fab_node_place_at (view, row)->x);
        right = MAX (right, fab_node_place_at (view, row)->x);
      }
  for (guint32 row = 0; row < view->places->len; row++)
    if (fab_node_place_at (view, row)->parent == FAB_NONE && fab_node_place_at (view, row)->depth > 0)
      fab_node_place_at (view, row)->x = (left <= right ? (left + right) / 2 : 0) + (i++ - (n - 1) / 2.0) * (FAB_NODE_BOX_W + FAB_NODE_GAP_X);
}

/* Boxes of one depth hang from one height. */
static void
stack (FabNodeView *view)
{
  double top = 0;

  for (guint depth = 0; depth <= view->deepest; depth++)
    {
      double tallest = FAB_NODE_BOX_H;

      for (guint32 row = 0; row < view->places->len; row++)
        if (fab_node_place_at (view, row)->depth == depth)
          {
            fab_node_place_at (view, row)->top = top;
            tallest = MAX (tallest, fab_node_place_at (view, row)->box_height);
          }
      view->bottoms[depth] = top - tallest;
      top -= tallest + GAP_Y;
    }
}

void
fab_node_view_spread (FabNodeView *view)
{
  guint n = view->deepest + 1;
  g_autofree double *edges = g_new (double, (gsize) (view->places->len + 1) * 2 * n);
  g_autofree Contour *contours = g_new (Contour, view->places->len + 1);

  for (guint32 row = 0; row <= view->places->len; row++)
    contour_init (&contours[row], edges + (gsize) row * 2 * n, n);
  for (guint32 row = view->places->len; row-- > 0;)   /* children before parents */
    {
      guint depth = fab_node_place_at (view, row)->depth;

      join_children (view, row, contours, &contours[row], n);
      contours[row].left[depth] = -(FAB_NODE_BOX_W + FAB_NODE_GAP_X) / 2;
      contours[row].right[depth] = (FAB_NODE_BOX_W + FAB_NODE_GAP_X) / 2;
    }
  join_children (view, FAB_NONE, contours, &contours[view->places->len], n);
  for (guint32 row = 0; row < view->places->len; row++)
    if (fab_node_place_at (view, row)->parent != FAB_NONE)
      fab_node_place_at (view, row)->x += fab_node_place_at (view, fab_node_place_at (view, row)->parent)->x;
  place_loose (view);
  stack (view);
}
