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
} FabRouting;

/* Tells @tick now and then; FALSE with FAB_ERROR_CANCELLED where it says stop. */
gboolean fab__routing_ticks (const FabTick *tick, guint32 lid, guint32 max_lid, GError **error);

extern const FabRouting *const fab__routings[];   /* NULL-terminated, generated from the Meson list */

G_END_DECLS
