/* fab-diagram-clusters-private.h - what of a fabric is drawn as one box, and as one line
 */
#pragma once
#include "fab-diagram-private.h"

G_BEGIN_DECLS

/* A switch, a whole tier, nodes of one group, or one node that the path touches or a fault hits. */
typedef struct
{
  double   x, y, width, height;
  char    *names;          /* "gpu[001-048]" */
  guint32  n;              /* devices or nodes in it */
  guint32  first;          /* device or node */
  gint     tier;           /* -1: nodes */
  guint    plane;
  guint32  n_inner;        /* cables of which both ends are in it */
  guint32  n_down;         /* devices or nodes that are down */
  gboolean touched;        /* something inside is down */
} FabCluster;

/* All cables between two clusters. */
typedef struct
{
  guint32 lower, upper;    /* clusters */
  guint32 n;               /* cables */
  guint32 first;           /* link */
  guint64 rate_bps;        /* of one cable; 0: they differ */
  guint64 total_bps;
  double  load;            /* the largest of either direction; NaN: not asked */
  guint32 hop, last_hop;   /* of a highlighted path, from 1; 0: none */
  guint32 n_down;
  gboolean end_down;       /* a crossed-out end says so already */
} FabBundle;

typedef struct
{
  FabDiagram             *diagram;
  const FabTopology      *topology;
  const FabFaults        *faults;
  const FabRenderOptions *options;
  GArray                 *clusters;             /* FabCluster */
  guint32                *cluster_of_device;    /* of switches; FAB_NONE: not shown */
  guint32                *cluster_of_node;
  guint8                 *special;              /* one a node: stands alone */
  GArray                 *bundles;              /* FabBundle */
  guint                   first_plane, last_plane;   /* shown: first … last - 1 */
  double                  label_width;          /* between the lines of one leaf */
} FabFabricView;

void fab_fabric_view_init  (FabFabricView *view, FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults,
                            const FabRenderOptions *options);
void fab_fabric_view_clear (FabFabricView *view);
/* Fills clusters and bundles from the planes first … last - 1. */
void fab_fabric_view_fill  (FabFabricView *view);

/* Once all clusters are placed and have their boxes. */
void fab_fabric_view_add_lines (const FabFabricView *view);

/* "48 × 200G", "3 of 4 × 400G", "400G down". */
char *fab_bundle_text (const FabBundle *bundle);

static inline FabCluster *
fab_cluster_at (const FabFabricView *view, guint32 cluster)
{
  return &g_array_index (view->clusters, FabCluster, cluster);
}

static inline FabBundle *
fab_bundle_at (const FabFabricView *view, guint32 bundle)
{
  return &g_array_index (view->bundles, FabBundle, bundle);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FabFabricView, fab_fabric_view_clear)

G_END_DECLS
