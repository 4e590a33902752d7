/* fab-subnet-private.h - a subnet whose LIDs someone else gave
 */
#pragma once
#include "fab-subnet.h"

G_BEGIN_DECLS

/* @switch_lids: one a switch of the plane, 0: none; @lid_ports: @max_lid + 1 NIC ports, FAB_NONE where a LID is no NIC port's. Both copied. */
FabSubnet *fab__subnet_new_with_lids (FabTopology *topology, guint32 plane, const FabQos *qos, const guint32 *switch_lids,
                                      const guint32 *lid_ports, guint32 max_lid);

G_END_DECLS
