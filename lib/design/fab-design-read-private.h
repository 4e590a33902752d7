/* fab-design-read-private.h - the sections of a design file, one reader each
 */
#pragma once
#include "design/fab-family-private.h"

G_BEGIN_DECLS

gboolean fab__design_read_groups    (FabDesign *design, const FabItem *item, GError **error);
gboolean fab__design_read_planes    (FabDesign *design, const FabItem *item, GError **error);
gboolean fab__design_read_subnet    (FabDesign *design, FabPlaneSpec *plane, const FabItem *item, GError **error);
gboolean fab__design_read_routing   (FabDesign *design, FabPlaneSpec *plane, const FabItem *item, GError **error);
gboolean fab__design_read_workloads (FabDesign *design, const FabItem *item, GError **error);
gboolean fab__design_read_scenarios (FabDesign *design, const FabItem *item, GError **error);
gboolean fab__design_read_expects   (FabDesign *design, const FabItem *item, GError **error);
gboolean fab__design_read_accepts   (FabDesign *design, const FabItem *item, GError **error);
gboolean fab__design_read_rules     (const FabItem *item, FabTransportRules *rules, GError **error);
/* The defaults with what @block (NULL: nothing) says. */
gboolean fab__design_read_packet    (const FabItem *block, FabPacketOptions *options, GError **error);
/* @keys: what the block may hold; NULL: speed, cable, length, goodput. */
gboolean fab__design_read_cable     (const FabDesign *design, const FabPlaneSpec *plane, const FabItem *item, const char *const *keys,
                                     FabCableSpec *spec, GError **error);
gboolean fab__design_read_explicit  (const FabDesign *design, FabPlaneSpec *plane, const FabItem *item, GError **error);

/* The design frees @memory with itself; returns it. */
gpointer fab__design_own (FabDesign *design, gpointer memory);

G_END_DECLS
