/* fab-grid-private.h - ranks as a grid: a row a node, a column a place in the node
 */
#pragma once
#include "workload/fab-schedule-private.h"

G_BEGIN_DECLS

typedef struct
{
  const guint32 *ranks;      /* rank → device, borrowed: node × n_local + local */
  guint32        n_nodes, n_local;
} FabGrid;

/* FALSE with @error (which may be NULL) where ranks do not come node by node, as many on each: "@who: expected …". */
gboolean fab__grid_init (FabGrid *grid, const FabCollectiveTask *task, const char *who, GError **error);

G_END_DECLS
