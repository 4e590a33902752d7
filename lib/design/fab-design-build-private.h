/* fab-design-build-private.h - from specs to a topology: the nodes first, then each plane's switches and cables
 */
#pragma once
#include "design/fab-family-private.h"
#include "topology/fab-topology-private.h"

G_BEGIN_DECLS

/* Adds the switches and links the plane lists one by one. */
gboolean fab__plan_add_explicit (FabPlan *plan, GError **error);

/* "p7", or "p7/2" for a half of a split port. Not by printf, which took a tenth of the time of a design's many builds. */
void     fab__port_name         (char name[24], guint port, guint half);

/* Checks that every port is used once and exists, then adds switches, ports and cables of @plan to @builder. */
gboolean fab__plan_build        (const FabPlan *plan, FabTopologyBuilder *builder, guint32 plane, GError **error);

G_END_DECLS
