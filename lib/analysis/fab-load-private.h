/* fab-load-private.h - how many flows of a pattern each link carries, and what that leaves each flow
 */
#pragma once
#include "base/fab-stream-private.h"
#include "fab-routes.h"

G_BEGIN_DECLS

typedef struct { guint32 src, dst; } FabFlow;   /* NIC ports */

typedef struct
{
  double  *flows;         /* one a directed link of the topology; a flow that is spread counts by its part on each */
  guint32  n_flows;       /* of the pattern, with a path */
  guint32  n_unreachable;
  double   max_flows;     /* on a link between switches */
  double   mean_share;    /* of its host link's rate, that a flow gets */
  double   min_share;
} FabLoad;

/* All host ports of the plane, in LID order. GArray of guint32, caller's. */
GArray *fab__load_ports (const FabRoutes *routes);

/* The flows of one sample of @pattern. FAB_ERROR_UNKNOWN names the patterns there are. GArray of FabFlow, caller's. */
GArray *fab__load_pattern (const FabRoutes *routes, const char *pattern, FabStream *stream, GError **error);

/* Fills @load; clear it with fab__load_clear(). */
void    fab__load_compute (const FabRoutes *routes, const FabFlow *flows, guint n_flows, FabLoad *load);
void    fab__load_clear   (FabLoad *load);

G_END_DECLS
