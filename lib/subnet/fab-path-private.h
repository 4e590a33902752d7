/* fab-path-private.h - what the files that find paths share
 */
#pragma once
#include "fab-path.h"

G_BEGIN_DECLS

typedef enum { FAB_END_SENDS, FAB_END_RECEIVES, FAB_N_END_SIDES } FabEndSide;

/* A device and the port it uses on a plane: the ways between them, found once. */
typedef struct
{
  guint32  port;                          /* FAB_NONE: it has none there */
  struct
  {
    guint32 first, n;                     /* rows of end_links */
    guint32 flow_link;
    guint64 flow_bps;                     /* smallest per-flow cap on the way; 0: none */
    guint8  known, reaches, staged;
  } side[FAB_N_END_SIDES];
} FabPathEnd;

struct _FabPaths
{
  const FabTopology *topology;
  const FabFaults   *faults;
  FabRoutes *const  *routes;
  FabTransportRules  rules;
  GArray            *rows;        /* PathRow: what was asked for, reachable or not */
  guint32           *table;       /* open addressing: (src, dst, plane) → row of rows[] */
  guint              bits;        /* of the table */
  GHashTable        *walks;       /* (group, from, to) → links, all counted from the node's first: nodes of a group are alike */
  GArray            *paths;       /* FabPath */
  GArray            *links;       /* guint32 */
  GArray            *parts;       /* double, of the paths that are spread */
  gint64            *reach_ps;    /* of a spread in the making: when its first bit gets to each device; NULL: none yet */
  guint32           *end_of;      /* plane × devices + device → row of ends + 1; 0: not asked yet */
  GArray            *ends;        /* FabPathEnd */
  GArray            *end_links;   /* guint32 */
};

/* Some @n paths will be asked for. */
void        fab__paths_expect   (FabPaths *paths, gsize n);

/* Appends the links of the way inside the node of @from to @paths->links; FALSE where there is none. */
gboolean    fab__paths_walk     (FabPaths *paths, guint32 from, guint32 to, gboolean nvlink);
/* How near the two are by that way; FAB_N_DISTANCES: not joined. */
FabDistance fab__paths_distance (FabPaths *paths, guint32 from, guint32 to);
/* The smallest per-flow cap of the links appended from row @from on, into @bps and @link where it is smaller than what stands there. */
void        fab__paths_apply_caps (const FabPaths *paths, guint from, gboolean reading, guint64 *bps, guint32 *link);

/* The port @device uses on @plane; FAB_NONE. O(1) after the first time. */
guint32     fab__paths_port     (FabPaths *paths, guint32 device, guint32 plane);
/* Appends the way from @device to that port's NIC, or back, to @path and @paths->links; FALSE where there is none. */
gboolean    fab__paths_add_end  (FabPaths *paths, FabPath *path, guint32 device, guint32 plane, FabEndSide side);

G_END_DECLS
