/* fab-study.h - answers made of runs
 */
#pragma once
#include "fab-answer.h"
#include "fab-design.h"
#include "fab-engine.h"

G_BEGIN_DECLS

typedef struct
{
  const char *engine;      /* "fluid", "packet", "bound"; "auto": fluid, and packet where queues may decide and it is not too costly */
  const char *sharing;     /* "per-port" or "maxmin": FabSharing by name, of the fluid engine; NULL: per-port */
  guint64     seed;
  guint       n_threads;   /* ≥ 1; never changes the answer */
  gboolean    no_ranges;   /* skip the runs at the ends of ranges; the packet engine never makes them */
  const char *sizes;       /* "8:8GiB:2": also each workload at these sizes; NULL: no */
  const char *matrix;      /* "node" or "gpu": also who sends how much to whom; NULL: no */
  const char *const *faults;   /* NULL-terminated addresses of what is down; NULL: nothing */
  FabTick     tick;
  guint64    *packet_hops; /* NULL, or what the packet engine did is added here */
} FabStudyOptions;

FAB_API void fab_study_options_init (FabStudyOptions *options);

/* `fabsim run`: .workloads.<name> or .scenarios.<name> for each of @names (NULL-terminated; NULL: all workloads of the design). With ranges: one run
 * at each end of each number that has one, and the number that decides. */
FAB_API FabAnswer *fab_study_run     (const FabDesign *design, const char *const *names, const FabStudyOptions *options, GError **error);

/* How full @workload keeps each directed link on average: bytes over (time × goodput), 0 … 1, one a link of the design's topology. For
 * fab_render()'s heat. Caller frees with g_free(). */
FAB_API double    *fab_study_loads   (const FabDesign *design, const char *workload, const FabStudyOptions *options, guint32 *n_links, GError **error);

/* `fabsim report`: show, check and run in one, the answer first. */
FAB_API FabAnswer *fab_study_report  (const FabDesign *design, const FabStudyOptions *options, GError **error);

/* `fabsim whatif`: @variant with the options' faults beside @base without: .changes[] {metric, base, variant, change, relative, verdict},
 * .bottlenecks[], .rules[]; @names as of fab_study_run(). */
FAB_API FabAnswer *fab_study_whatif  (const FabDesign *base, const FabDesign *variant, const char *const *names, const FabStudyOptions *options, GError **error);

/* `fabsim metrics`: every metric of show and run: key, JSON path, value, unit, meaning. */
FAB_API FabAnswer *fab_study_metrics (const FabDesign *design, const FabStudyOptions *options, GError **error);

G_END_DECLS
