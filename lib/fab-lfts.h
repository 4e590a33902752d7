/* fab-lfts.h - forwarding tables in the form of OpenSM's opensm-lfts.dump (also what dump_lfts.sh and ibroute print)
 *
 * A switch is a block: "Unicast lids [0-18] of switch Lid 1 guid 0x… ('leaf1'):", one line a LID "0x000b 001 # Channel Adapter portguid
 * 0x…: 'gpu001 nic0'" with the port it leaves by, and "18 lids dumped". Port p17 is number 17; on a switch with split ports p17/1 is number 33,
 * p17/2 is 34 and an undivided p17 is 33. Topologies have no GUIDs: those written are made of the names, 0xfab5 and 48 bits, always the same.
 */
#pragma once
#include "fab-routes.h"

G_BEGIN_DECLS

/* The tables as such a file, @len bytes and a NUL; the caller frees it with g_free(). FAB_ERROR_UNSUPPORTED where ports or LIDs have
 * numbers that InfiniBand does not (254 ports, 49,151 LIDs). O(entries). */
FAB_API char *fab_lfts_write (const FabRoutes *routes, gsize *len, GError **error);

/* Tables of @plane from @text; @path names it in errors, "file:line:col: where: expected X, got Y". Switches are known by name
 * ("leaf1", 'MF0;leaf1:MQM9700/U1'), else by the GUID that fab_lfts_write() gives. LIDs are the file's: a LID is that of the NIC port
 * that some switch delivers it to, whose node must be the one the file names, where it names one of ours. All switches and host ports of
 * the plane must be there but those that @faults has down. @qos as in fab_subnet_new(). The tables stay what they are, whatever is down:
 * nothing is routed around it. fab_routes_engine() is "file". Errors: FAB_ERROR_SYNTAX, FAB_ERROR_VALUE, FAB_ERROR_UNKNOWN. */
FAB_API FabRoutes *fab_lfts_read (const char *text, gsize len, const char *path, FabTopology *topology, guint32 plane, const FabFaults *faults,
                                  const FabQos *qos, GError **error);

G_END_DECLS
