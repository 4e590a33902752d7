/* fab-diagram-clusters-private.h - what of a fabric is drawn as one box, and as one line
 */
#pragma once
#include "fab-diagram-private.h"

G_BEGIN_DECLS

#define FAB_FRAME_HEAD 18.0   /* of a Pod, over its spines */
#define FAB_BOW_DY     5.0    /* between cables that bow over the topmost tier */
#define FAB_N_BOWS     6

/* A switch, like switches of a tier, nodes of one group, or one node that the path touches or a fault hits. */
typedef struct
{
  double   x, y, width, height;
  char    *names;          /* "gpu[001-048]" */
  guint32  n;              /* devices or nodes in it */
  guint32  first, last;    /* devices or nodes */
  gint     tier;           /* -1: nodes */
  guint    plane;
  guint32  column;         /* of switches in a Pod; FAB_NONE: in none */
  guint32  key;            /* of switches: those of one tier, column and key share the box */
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
  double  x0, x1, x2;      /* of a host cable: at its leaf, where its label is, at its nodes */
} FabBundle;

/* Pods side by side: one, or several that are alike, in a frame of their own. */
typedef struct
{
  guint    plane;
  guint32  n;              /* Pods */
  char    *names;          /* "pod[3-15]" */
  double   left, width;
} FabPodColumn;

/* Where a plane stands: above the nodes, or below them upside down. */
typedef struct
{
  gint     side;           /* 1 above, -1 below */
  double   left, width;
  guint32  n_pods;         /* 0: a plane without */
} FabPlace;

typedef struct
{
  FabDiagram             *diagram;
  const FabTopology      *topology;
  const FabFaults        *faults;
  const FabRenderOptions *options;
  GArray                 *clusters;             /* FabCluster */
  GArray                 *columns;              /* FabPodColumn */
  FabPlace               *places;               /* one a plane */
  guint32                *pod_of_device;        /* of switches, from 0 in each plane; FAB_NONE: in none */
  guint32                *cluster_of_device;    /* of switches; FAB_NONE: not shown */
  guint32                *cluster_of_node;
  guint8                 *special_device;       /* on the path or down: stands alone */
  guint8                 *special_node;
  GArray                 *bundles;              /* FabBundle */
  guint                   first_plane, last_plane;   /* shown: first … last - 1 */
  guint32                 pod;                  /* the one shown; FAB_NONE: all */
  double                  label_width;          /* between the lines of one leaf */
} FabFabricView;

void fab_fabric_view_init  (FabFabricView *view, FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults,
                            const FabRenderOptions *options);
void fab_fabric_view_clear (FabFabricView *view);

/* Which Pod each switch of @plane is in, numbered by first switch; returns how many there are, 0 in a plane without. */
guint32 fab_fabric_view_find_pods (FabFabricView *view, guint plane);

/* The one rail of all nodes under a leaf of a rail-optimized plane; FAB_NONE: there is none, or are several. */
guint32 fab_fabric_view_rail (const FabFabricView *view, guint32 device);

/* Fill clusters, then bundles, from the planes and the Pod shown. */
void fab_fabric_view_cluster (FabFabricView *view);
void fab_fabric_view_bundle  (FabFabricView *view);

/* Gives planes, columns and clusters their places; returns the lowest y. */
double fab_fabric_view_place (FabFabricView *view);

/* Once all clusters are placed and have their boxes. */
void fab_fabric_view_add_lines (FabFabricView *view);

/* "48 × 200G", "3 of 4 × 400G", "400G down". */
char *fab_bundle_text  (const FabBundle *bundle);
/* The same with the load below it, where one is asked for. */
char *fab_bundle_label (const FabBundle *bundle);

/* What stands in the boxes, and over a plane. */
char *fab_group_label  (const FabFabricView *view, const FabCluster *cluster);
char *fab_switch_label (const FabFabricView *view, const FabCluster *cluster);
char *fab_plane_title  (const FabFabricView *view, guint plane);

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

static inline FabPodColumn *
fab_column_at (const FabFabricView *view, guint32 column)
{
  return &g_array_index (view->columns, FabPodColumn, column);
}

static inline gboolean
fab_cluster_is_nodes (const FabCluster *cluster)
{
  return cluster->tier < 0;
}

/* Hosts below, switches above. */
static inline gboolean
fab_bundle_is_host (const FabFabricView *view, const FabBundle *bundle)
{
  return fab_cluster_is_nodes (fab_cluster_at (view, bundle->lower)) && !fab_cluster_is_nodes (fab_cluster_at (view, bundle->upper));
}

/* Between switches of the topmost of several tiers: drawn over them. */
static inline gboolean
fab_bundle_is_bow (const FabFabricView *view, const FabBundle *bundle)
{
  const FabCluster *a = fab_cluster_at (view, bundle->lower), *b = fab_cluster_at (view, bundle->upper);

  return a->tier > 0 && a->tier == b->tier && a->tier + 1 == (gint) fab_topology_plane (view->topology, a->plane)->n_tiers;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FabFabricView, fab_fabric_view_clear)

G_END_DECLS
