/* fab-routes.h - forwarding tables: at this switch, for that LID, out of which port
 *
 * Made by a routing engine named as OpenSM names it. Deterministic: same topology, faults and engine, same tables.
 * Immutable, shared among threads.
 */
#pragma once
#include "fab-subnet.h"
#include "fab-tick.h"

G_BEGIN_DECLS

typedef struct _FabRoutes FabRoutes;

/* Names of the routing engines in the order of the Meson list; NULL-terminated, borrowed. */
FAB_API const char *const *fab_routing_names   (void);
FAB_API const char        *fab_routing_summary (const char *engine);   /* NULL: no such engine */

/* @engine "minhop": shortest paths, each LID on the least loaded of the equal ports. @faults may be NULL; what is down
 * is not routed over. A destination that cannot be reached is no error: its entries are absent. Memory: 4 bytes × switches ×
 * LIDs. Unknown engine: FAB_ERROR_UNKNOWN with the nearest name. */
FAB_API FabRoutes *fab_routes_compute (FabSubnet *subnet, const FabFaults *faults, const char *engine,
                                       const FabTick *tick, GError **error);
FAB_API FabRoutes *fab_routes_ref     (FabRoutes *routes);
FAB_API void       fab_routes_unref   (FabRoutes *routes);

FAB_API FabSubnet  *fab_routes_subnet (const FabRoutes *routes);   /* borrowed */
FAB_API const char *fab_routes_engine (const FabRoutes *routes);

/* The outgoing link of switch @device for @lid; FAB_NONE: no entry. O(1). */
FAB_API guint32 fab_routes_next_link (const FabRoutes *routes, guint32 device, guint32 lid);

/* Appends the links from NIC port @from to NIC port @to, the hosts' own links included, to @links (guint32). FALSE, with
 * @links as it was, where the tables do not lead there (absent entry, or a loop: more hops than switches). What went down
 * after the tables were made, and the sender's own link, they do not know: fab_paths_find() looks at every link. */
FAB_API gboolean fab_routes_walk (const FabRoutes *routes, guint32 from, guint32 to, GArray *links);

/* A cycle in the channel dependency graph of host-to-host traffic on one lane: the links in order, each waiting for the next and the last for
 * the first. NULL: there is none, so the tables cannot deadlock. A cycle means that they may. GArray of guint32, caller's.
 * O(switches × LIDs). */
FAB_API GArray *fab_routes_credit_loop (const FabRoutes *routes, const FabFaults *faults);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabRoutes, fab_routes_unref)

G_END_DECLS
