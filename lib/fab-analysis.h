/* fab-analysis.h - answers without time: what the plan is, whether it is sound, which way the data takes
 */
#pragma once
#include "fab-answer.h"
#include "fab-design.h"
#include "fab-routes.h"

G_BEGIN_DECLS

/* `fabsim show`: .inventory, .planes.<plane> with tiers, links, lids, growth. Tiers count what is up: @faults may be NULL. */
FAB_API FabAnswer *fab_analysis_show  (const FabDesign *design, FabTopology *topology, const FabFaults *faults, GError **error);

typedef enum { FAB_SEVERITY_NOTE, FAB_SEVERITY_WARNING, FAB_SEVERITY_ERROR } FabSeverity;

/* `fabsim check`: .findings[] {id, severity, where, line, why, fix}, worst first; accepted ones stand in .accepted[]. The answer
 * has "found" set if a finding of @fail_on or worse stands. */
FAB_API FabAnswer *fab_analysis_check (const FabDesign *design, FabTopology *topology, FabSeverity fail_on, GError **error);

/* All rules: id, severity, what they look for. */
FAB_API FabAnswer *fab_analysis_rules (void);

/* `fabsim path`: .hops[] from device @src to device @dst (addresses) over @plane (NULL: the first plane that joins them), the
 * narrowest marked. Unreachable: an answer that says so, with "found" set. */
FAB_API FabAnswer *fab_analysis_path  (const FabDesign *design, FabTopology *topology, const FabFaults *faults,
                                       const char *src, const char *dst, const char *plane, GError **error);

typedef struct
{
  const char *plane;       /* NULL: the first */
  const char *engine;      /* NULL: the design's */
  const char *tables;      /* text of a file of forwarding tables (fab-lfts.h) instead; NULL: none */
  const char *tables_path; /* names it in errors */
  const char *pattern;     /* "all", "shift:K", "permutation" or "bisection"; NULL: none */
  guint       n_samples;   /* of permutation and bisection; ≥ 1 */
  guint64     seed;
  FabTick     tick;
} FabRouteOptions;

/* `fabsim route`: the tables of a plane: .routing {engine, lids, credit_loop_free, …}, .lanes[], .credit_loop[] where there is a cycle ("found" is
 * then set), and with a pattern the static load: .load {max_flows, mean_share, …}, .busiest[], .samples[]. A flow's share is the part of its host link's
 * rate that it gets if the flows on its most crowded link share that evenly (Hoefler, CLUSTER'08). */
FAB_API FabAnswer *fab_analysis_route (const FabDesign *design, FabTopology *topology, const FabFaults *faults, const FabRouteOptions *options,
                                       GError **error);

/* The tables that fab_analysis_route() judges. */
FAB_API FabRoutes *fab_analysis_routes (const FabDesign *design, FabTopology *topology, const FabFaults *faults, const FabRouteOptions *options,
                                        GError **error);

/* `fabsim catalog`: all parts (@name NULL), those of a kind, or one part or node type with every number, source, confidence. */
FAB_API FabAnswer *fab_analysis_catalog (const FabCatalog *catalog, const char *name, GError **error);

/* `fabsim catalog check`: .findings[] on numbers without a true source; "found" set if any. */
FAB_API FabAnswer *fab_analysis_catalog_check (const FabCatalog *catalog);

G_END_DECLS
