/* fab-trace-private.h - what an engine remembers of a run, so that the critical path can be walked back
 */
#pragma once
#include "fab-engine.h"
#include "result/fab-result-private.h"

G_BEGIN_DECLS

/* From @start_ps on, @link set the rate of an operation's transfer, until the next segment or its end. */
typedef struct
{
  gint64      start_ps;
  guint32     link;
  guint32     previous;    /* the segment before; FAB_NONE */
  FabWaitKind kind;        /* what there was waited for; 0: the link itself */
} FabSegment;

typedef struct
{
  const FabSchedule *schedule;
  const FabTopology *topology;
  const FabPaths    *paths;
  const guint32     *path_of;      /* path row of each transfer */
  const guint32     *segment_of;   /* last segment of each transfer; FAB_NONE */
  const FabSegment  *segments;
} FabTrace;

/* When a phase ends, and whether its slowest edge decided or the mean of all (FabOp says the formula). */
typedef struct
{
  gint64   end_ps;
  gboolean mean_decides;
  guint32  edge;          /* the transfer that decided: slowest, or last to start */
  gint64   software_ps;   /* of the end: α of the edge, or n_steps times the mean α */
  gint64   latency_ps;
} FabPhaseEnd;

void fab__trace_phase_end (const FabTrace *trace, const FabResult *result, guint32 phase, FabPhaseEnd *end);

/* Walks back from the last finish and charges every interval; fills @result's waits. */
void fab__trace_attribute (const FabTrace *trace, FabResult *result);

G_END_DECLS
