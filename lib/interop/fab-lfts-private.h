/* fab-lfts-private.h - how the numbers of a tables file stand for ports and names
 */
#pragma once
#include "fab-lfts.h"

G_BEGIN_DECLS

#define FAB_LFTS_NO_PATH 255u   /* OSM_NO_PATH */

/* The number of a switch's port; FAB_LFTS_NO_PATH where a table has no room for it. */
guint   fab__lfts_port_number (const FabTopology *topology, guint32 port);

/* The port of each number of switch @device; FAB_NONE: no such port. */
void    fab__lfts_ports       (const FabTopology *topology, guint32 device, guint32 ports[FAB_LFTS_NO_PATH]);

/* 0xfab5 and 48 bits of the address. */
guint64 fab__lfts_guid        (const char *address);

G_END_DECLS
