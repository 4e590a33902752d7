/* fab-schedule.h - what is sent and done, and what each waits for
 *
 * A workload unrolled: transfers, local work, and joins. Immutable, shared among threads.
 * An operation starts when all it needs have finished.
 */
#pragma once
#include "fab-topology.h"

G_BEGIN_DECLS

typedef enum
{
  FAB_OP_TRANSFER,   /* @bytes from @src to @dst */
  FAB_OP_REDUCE,     /* local work of @work_ps at @src */
  FAB_OP_COMPUTE,    /* local work of @work_ps at @src */
  FAB_OP_JOIN,       /* does nothing, for @work_ps (0 but for late starts); waited for instead of all that it needs */
  FAB_OP_PHASE,      /* ends a pipelined group: the @n_flows transfers from row @first_flow on are its edges */
} FabOpKind;

/* A transfer outside a phase takes α + bytes/rate, α the software cost of its path and its wire latency. The edges of a phase
 * carry their whole volume at once, without α; the phase then ends after
 *   max (slowest edge + α of that edge, mean over edges of (edge time + n_steps·α))
 * which is the steady state of n_steps chained steps (each the n_steps-th part of the volume). */
typedef struct
{
  guint64   bytes;
  gint64    work_ps;
  guint32   src, dst;      /* devices */
  guint32   plane;         /* for transfers between nodes */
  guint32   first_need;    /* into the needs array */
  guint32   n_needs;
  guint32   first_flow;    /* of a phase */
  guint32   n_flows;       /* of a phase; 0 otherwise */
  guint32   n_steps;       /* of a phase */
  FabOpKind kind;
  guint8    sl;
  guint8    in_phase;      /* a transfer that is an edge of a later phase row */
  guint16   stage;         /* row of the stage names: "reduce-scatter in the node" */
} FabOp;

typedef struct _FabSchedule FabSchedule;

FAB_API FabSchedule   *fab_schedule_ref     (FabSchedule *schedule);
FAB_API void           fab_schedule_unref   (FabSchedule *schedule);
FAB_API guint32        fab_schedule_n_ops   (const FabSchedule *schedule);
FAB_API const FabOp   *fab_schedule_ops     (const FabSchedule *schedule);     /* all rows, borrowed */
FAB_API const guint32 *fab_schedule_needs   (const FabSchedule *schedule);     /* rows of operations; always smaller than the row that needs */
FAB_API guint          fab_schedule_n_stages (const FabSchedule *schedule);
FAB_API const char    *fab_schedule_stage   (const FabSchedule *schedule, guint stage);

/* What the numbers are reckoned from; see nccl-tests doc/PERFORMANCE.md. */
FAB_API guint32 fab_schedule_n_ranks       (const FabSchedule *schedule);
FAB_API guint64 fab_schedule_bytes         (const FabSchedule *schedule);   /* S: the size a rank gives */
FAB_API double  fab_schedule_busbw_factor  (const FabSchedule *schedule);   /* busbw = factor × S / time; 0: no busbw */
FAB_API const char *fab_schedule_form      (const FabSchedule *schedule);   /* "phases" or "steps" */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabSchedule, fab_schedule_unref)

G_END_DECLS
