/* fab-routing-private.h - what a routing engine is: one row of the Meson list
 */
#pragma once
#include "fab-routes.h"

G_BEGIN_DECLS

/* @tables: n_switches × (max_lid + 1) outgoing links, row-major by switch (in plane order), filled with FAB_NONE. */
typedef struct
{
  const char *name;       /* OpenSM's: "minhop" */
  const char *summary;
  gboolean    up_down;    /* no packet goes up again after it went down, so no member of a group may */
  gboolean (*compute) (const FabSubnet *subnet, const FabFaults *faults, guint32 *tables, const FabTick *tick, GError **error);
  /* The lane of each way by source switch and LID (@lanes as @tables, filled with 0), and how many there are. NULL: all on one. */
  gboolean (*assign)  (const FabSubnet *subnet, const FabFaults *faults, const guint32 *tables, guint8 *lanes, guint *n_lanes,
                       const FabTick *tick, GError **error);
} FabRouting;

/* Deals ways out over lanes so that none has a credit loop, at most as many as SLs from 0 on have a data lane of their own; more
 * needed is FAB_ERROR_LIMIT. O(ways × hops), and as much again for each cycle broken. */
gboolean fab__lanes_assign (const FabSubnet *subnet, const FabFaults *faults, const guint32 *tables, guint8 *lanes, guint *n_lanes,
                            const FabTick *tick, GError **error);

/* Routes of @tables as someone else made them (taken; n_switches × (max_lid + 1)), named "file". @faults: groups do not lead over what is
 * down; the tables stay as they are. */
FabRoutes *fab__routes_new_with_tables (FabSubnet *subnet, const FabFaults *faults, guint32 *tables);

/* Tells @tick now and then; FALSE with FAB_ERROR_CANCELLED where it says stop. */
gboolean fab__routing_ticks (const FabTick *tick, guint32 lid, guint32 max_lid, GError **error);

extern const FabRouting *const fab__routings[];   /* NULL-terminated, generated from the Meson list */

G_END_DECLS
