/* fab-flows-private.h - patterns: transfers that all start at once
 */
#pragma once
#include "workload/fab-schedule-private.h"

G_BEGIN_DECLS

/* One stage named @stage, to which fab__flows_add() adds; freeze with fab__schedule_builder_freeze(). */
FabScheduleBuilder *fab__flows_new (const FabCollectiveTask *task, double busbw_factor, const char *stage);
void                fab__flows_add (FabScheduleBuilder *builder, const FabCollectiveTask *task, guint32 src, guint32 dst, guint64 bytes);

/* The host memories of nodes without GPUs that have a port on the plane: storage servers. GArray of guint32, caller's; an error where
 * there are none. */
GArray *fab__flows_storage (const FabCollectiveTask *task, GError **error);

/* Factors of nccl-tests doc/PERFORMANCE.md. */
double fab__busbw_factor_one  (guint32 n_ranks);   /* 1 */
double fab__busbw_factor_part (guint32 n_ranks);   /* (n - 1) / n */
double fab__busbw_factor_none (guint32 n_ranks);   /* 0: no busbw */

G_END_DECLS
