/* fab-run-private.h - a design built once, its workloads run on it, and run again at the ends of ranges
 */
#pragma once
#include "design/fab-design-private.h"
#include "fab-study.h"

G_BEGIN_DECLS

/* Everything that runs of one design share. */
typedef struct
{
  const FabDesign *design;
  FabTopology     *topology;
  FabFaults       *faults;      /* NULL: nothing is down */
  FabRoutes      **routes;      /* one a plane */
  guint32          n_planes;
} FabBuilt;

FabBuilt *fab__built_new  (const FabDesign *design, const char *const *faults, GError **error);
void      fab__built_free (FabBuilt *built);

/* Why this engine, where the options leave it to us (--engine auto). */
typedef enum
{
  FAB_CHOICE_ASKED,     /* they do not */
  FAB_CHOICE_CALM,      /* fluid: no queue decides */
  FAB_CHOICE_QUEUES,    /* packet: queues may decide */
  FAB_CHOICE_COSTLY,    /* fluid, though queues may decide: too many packets */
} FabChoiceKind;

typedef struct
{
  FabChoiceKind kind;
  gsize         n_spots;       /* blind spots of the fluid engine */
  guint64       packet_hops;   /* that the packet engine would make, estimated */
} FabChoice;

/* One workload and what came out. */
typedef struct
{
  const FabWorkloadSpec *workload;
  FabSchedule           *schedule;
  FabResult             *result;
  FabChoice              choice;
} FabRun;

/* @schedule on the engine the options name. @choice: NULL, or set. */
FabResult *fab__run_schedule (const FabBuilt *built, FabSchedule *schedule, const FabTransportRules *rules, const FabStudyOptions *options,
                              FabChoice *choice, GError **error);
/* A part of a sentence: "auto: no queue decides"; NULL where the engine was asked for. Caller's. */
char      *fab__choice_words (const FabChoice *choice);
gboolean fab__run_workload (const FabBuilt *built, const char *name, const FabStudyOptions *options, FabRun *run, GError **error);
/* The same of a spec, perhaps one changed for this run (kept by the caller), beside jobs that have @taken their nodes (NULL: none). */
gboolean fab__run_spec     (const FabBuilt *built, const FabWorkloadSpec *workload, gboolean *taken, const FabStudyOptions *options, FabRun *run,
                            GError **error);
void     fab__run_clear    (FabRun *run);

/* GB/s; 0 where the run took no time. */
double   fab__run_algbw    (const FabRun *run, gint64 time_ps);
/* busbw where the workload has one, else algbw. */
double   fab__run_figure   (const FabRun *run, gint64 time_ps);

/* The span of the figure over one run at each end of each ranged number, and the number whose ends lie furthest apart. */
typedef struct
{
  double min, max;
  char  *cause;        /* "xeon-spr.socket_link 19GB/s – 22GB/s"; NULL: no number with a range matters */
} FabRange;

/* One range a run. Deterministic at any number of threads. */
gboolean fab__run_ranges   (const FabBuilt *built, const FabRun *runs, guint n_runs, const FabStudyOptions *options, FabRange *ranges, GError **error);

/* From @min_bytes up to @max_bytes, each @factor times the one before. */
typedef struct { guint64 min_bytes, max_bytes; guint factor; } FabSizes;

/* "8:8GiB" or "8:8GiB:2". */
gboolean fab__sizes_parse  (const char *text, FabSizes *sizes, GError **error);
/* Adds .workloads.<name>.sizes: a row a size, in the columns of nccl-tests. */
gboolean fab__study_sizes  (FabAnswer *answer, const FabBuilt *built, const FabWorkloadSpec *workload, const FabSizes *sizes,
                            const FabStudyOptions *options, GError **error);

typedef enum { FAB_MATRIX_NONE, FAB_MATRIX_NODES, FAB_MATRIX_GPUS } FabMatrix;

/* "node", "gpu"; NULL: none. */
gboolean fab__matrix_parse (const char *text, FabMatrix *matrix, GError **error);
/* Adds .workloads.<name>.matrix: a row for each pair that sends. */
void     fab__study_matrix (FabAnswer *answer, const FabBuilt *built, const FabRun *run, FabMatrix matrix);

/* Adds .scenarios.<name> to @answer: each part with the others against alone. */
gboolean fab__study_scenario (FabAnswer *answer, const FabBuilt *built, const FabScenarioSpec *scenario, const FabStudyOptions *options, GError **error);

gboolean fab__result_is_packet (const FabResult *result);
/* Adds @path.packet, what only the packet engine tells, and @path.packet.ports, its busiest ports; says what went wrong. Nothing for a
 * result of another engine. */
void     fab__study_packet (FabAnswer *answer, const FabBuilt *built, const char *path, const char *name, const FabResult *result);
/* Why a result is not complete: "(interrupted; what is known so far) " and the like; "" where it is. */
const char *fab__incomplete_words (const FabResult *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabBuilt, fab__built_free)

G_END_DECLS
