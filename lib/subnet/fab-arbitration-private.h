/* fab-arbitration-private.h - what VL arbitration gives to a lane
 */
#pragma once
#include "fab-subnet.h"

G_BEGIN_DECLS

/* The share of an output that lane @vl gets while the lanes of the bit set @active all have packets waiting: above 0, summing up to 1
 * over them. The high-priority table sends high_limit × 4096 bytes (at least a packet) for each low-priority packet, inside a
 * table lanes go by weight, in whole packets of 4096 bytes (IBA 7.6.9; OpenSM doc/QoS_management_in_OpenSM.txt). A lane that
 * waits behind an unlimited one, or that no table names, gets a millionth of a lane that is served. */
double fab__qos_share (const FabQos *qos, guint vl, guint active);

G_END_DECLS
