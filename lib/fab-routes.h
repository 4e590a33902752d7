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

/* Which of the equal links of a switch a packet takes. */
typedef enum
{
  FAB_FORWARDING_TABLE,      /* the one the table names: InfiniBand without adaptive routing */
  FAB_FORWARDING_ADAPTIVE,   /* any of the group, packet by packet */
  FAB_FORWARDING_HASH,       /* one of the group by a hash of source, destination and switch: ECMP */
} FabForwarding;

FAB_API const char *fab_forwarding_name (FabForwarding forwarding);   /* "table", "adaptive", "hash" */

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

/* The same tables under another way of forwarding; a reference of the caller's own. Immutable as all routes are; without faults of its
 * own: those of fab_routes_compute() hold. TABLE is what fab_routes_compute() gives. Others take switches² bytes and
 * O(switches × (LIDs + links)). */
FAB_API FabRoutes    *fab_routes_with_forwarding (FabRoutes *routes, FabForwarding forwarding);
FAB_API FabForwarding fab_routes_forwarding      (const FabRoutes *routes);

/* The group of switch @device for @lid: the equal links that lead one hop nearer, hops counted along the tables, by port; where the engine
 * never goes up after down, those that keep to it. Under TABLE, and on the last hop, the table's own link. Writes the first @room to
 * @links and returns how many there are; 0: no entry. O(ports). */
FAB_API guint fab_routes_group (const FabRoutes *routes, guint32 device, guint32 lid, guint32 *links, guint room);

/* Appends to @links (guint32) every link that a packet from NIC port @from to NIC port @to may cross under ADAPTIVE, each after those
 * that feed it, and to @parts (double) the part of the packets that cross it when each switch deals them out evenly over its group.
 * Under TABLE and HASH: the one walk, all parts 1. FALSE, with both as they were, as fab_routes_walk(). O(links crossed × ports). */
FAB_API gboolean fab_routes_spread (const FabRoutes *routes, guint32 from, guint32 to, GArray *links, GArray *parts);

/* Appends the links from NIC port @from to NIC port @to, the hosts' own links included, to @links (guint32): by the table,
 * or under HASH by the hash of the ports' LIDs and each switch over its group, the same in every run. FALSE, with @links as it was, where
 * the tables do not lead there (absent entry, or a loop: more hops than switches). What went down
 * after the tables were made, and the sender's own link, they do not know: fab_paths_find() looks at every link. */
FAB_API gboolean fab_routes_walk (const FabRoutes *routes, guint32 from, guint32 to, GArray *links);

/* The same to LID @lid of a NIC port: with an LMC each of its LIDs has a way of its own, and fab_routes_walk() takes that of the base. */
FAB_API gboolean fab_routes_walk_lid (const FabRoutes *routes, guint32 from, guint32 lid, GArray *links);

/* Lanes that the ways are dealt out over, 1 but with "dfsssp", and the lane of the way from NIC port @from to NIC port @to. The lane is the
 * service level that the sender's packets must carry, whatever the workload asks for; the virtual lane on each link is then the subnet's
 * sl2vl of it, and engines with lanes take no more than those SLs from 0 on that have a data VL of their own. O(1). */
FAB_API guint fab_routes_n_lanes (const FabRoutes *routes);
FAB_API guint fab_routes_lane    (const FabRoutes *routes, guint32 from, guint32 to);

/* A cycle in the channel dependency graph of host-to-host traffic on @lane: the links in order, each waiting for the next and the last for
 * the first. NULL: there is none, so packets on that lane cannot deadlock. A cycle means that they may. Under ADAPTIVE and HASH every
 * member of a group counts. GArray of guint32, caller's. O(switches × LIDs); with groups O(switches × links × ports). */
FAB_API GArray *fab_routes_credit_loop (const FabRoutes *routes, const FabFaults *faults, guint lane);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabRoutes, fab_routes_unref)

G_END_DECLS
