/* fab-node-walk-private.h - ways inside a node
 */
#pragma once
#include "fab-path.h"

G_BEGIN_DECLS

/* Appends the links of the shortest way from @from to @to inside their node to @links: over NVLink alone where @nvlink, else
 * over all but NVLink. Ties by port order. FALSE, with @links as it was, where they are not joined or something on the way is down. */
gboolean fab__node_walk (const FabTopology *topology, const FabFaults *faults, guint32 from, guint32 to, gboolean nvlink, GArray *links);

/* How near the ends of such a way are, by what it passes. */
FabDistance fab__links_distance (const FabTopology *topology, const guint32 *links, guint n_links);

/* The memory of the socket nearest to @device; FAB_NONE. */
guint32  fab__node_memory (const FabTopology *topology, guint32 device);

G_END_DECLS
