/* fab-design.h - what was asked for: the design file, read and checked
 *
 * Immutable once read, shared among threads. docs/formats/design.md has every key.
 */
#pragma once
#include "fab-catalog.h"
#include "fab-path.h"
#include "fab-routes.h"
#include "fab-schedule.h"

G_BEGIN_DECLS

typedef struct _FabDesign FabDesign;

/* @settings: NULL-terminated "key=value" ("planes.compute.uplink.length=30m", "models.qm9700.latency=300ns"), or NULL.
 * @path "-" is standard input. Includes are read beside @path. */
FAB_API FabDesign *fab_design_read_file (const char *path, const char *const *settings, FabCatalog *catalog, GError **error);
/* The same from memory; @path only names it (and is where includes are looked for). */
FAB_API FabDesign *fab_design_read      (const char *text, gsize len, const char *path, const char *const *settings,
                                         FabCatalog *catalog, GError **error);
FAB_API FabDesign *fab_design_ref       (FabDesign *design);
FAB_API void       fab_design_unref     (FabDesign *design);

FAB_API const char *fab_design_name   (const FabDesign *design);
FAB_API const char *fab_design_path   (const FabDesign *design);
FAB_API const char *fab_design_digest (const FabDesign *design);   /* of the bytes read and the settings */
FAB_API FabCatalog *fab_design_catalog (const FabDesign *design);  /* with the design's own parts and overrides; borrowed */

FAB_API guint       fab_design_n_workloads  (const FabDesign *design);
FAB_API const char *fab_design_workload     (const FabDesign *design, guint workload);
FAB_API guint       fab_design_n_scenarios  (const FabDesign *design);
FAB_API const char *fab_design_scenario     (const FabDesign *design, guint scenario);

/* Deterministic: the same design gives the same rows. O(size of the result). */
FAB_API FabTopology *fab_design_build_topology (const FabDesign *design, GError **error);
FAB_API FabSubnet   *fab_design_build_subnet   (const FabDesign *design, FabTopology *topology, guint32 plane, GError **error);
/* With the plane's routing engine (minhop where none is given). */
FAB_API FabRoutes   *fab_design_build_routes   (const FabDesign *design, FabTopology *topology, const FabFaults *faults,
                                                guint32 plane, GError **error);
FAB_API FabSchedule *fab_design_build_schedule (const FabDesign *design, FabTopology *topology, const char *workload, GError **error);
FAB_API void         fab_design_transport_rules (const FabDesign *design, FabTransportRules *rules);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabDesign, fab_design_unref)

G_END_DECLS
