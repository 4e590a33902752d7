/* fab-diagram-node-private.h - the devices of a node as a tree
 */
#pragma once
#include "fab-diagram-private.h"

G_BEGIN_DECLS

#define FAB_NODE_BOX_W 96.0
#define FAB_NODE_BOX_H 48.0   /* at least */
#define FAB_NODE_GAP_X 16.0

typedef struct
{
  guint32  device;
  guint32  parent;       /* row of places; FAB_NONE: a socket */
  guint32  link;         /* by which it hangs */
  guint    depth;
  double   x;            /* while spread: from its parent */
  double   top;
  double   box_width, box_height;
} FabNodePlace;

typedef struct
{
  FabDiagram             *diagram;
  const FabTopology      *topology;
  const FabFaults        *faults;
  const FabRenderOptions *options;
  const FabNode          *node;
  GArray                 *places;      /* FabNodePlace, parents before children */
  guint32                *place_of;    /* device of the node → row */
  guint                   deepest;
  double                 *bottoms;     /* of the tallest box of each depth */
} FabNodeView;

static inline FabNodePlace *
fab_node_place_at (const FabNodeView *view, guint32 row)
{
  return &g_array_index (view->places, FabNodePlace, row);
}

/* Gives all places x and top, depths their bottoms; boxes have their sizes. */
void fab_node_view_spread (FabNodeView *view);

G_END_DECLS
