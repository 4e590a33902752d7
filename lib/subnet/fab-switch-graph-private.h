/* fab-switch-graph-private.h - a plane's switches and the links between them that are up, as routing engines walk them
 */
#pragma once
#include "fab-subnet.h"

G_BEGIN_DECLS

/* Switches are counted from 0 in plane order; edge rows start[s] … start[s + 1] - 1 leave switch s, by port. */
typedef struct
{
  const FabTopology *topology;
  const FabFaults   *faults;
  guint32  first, n;
  guint32 *start;
  guint32 *links;      /* outgoing link of each edge */
  guint32 *peer;       /* switch it leads to */
  guint32 *back;       /* the edge the other way */
  guint32  n_edges;
} FabSwitchGraph;

void fab__switch_graph_init  (FabSwitchGraph *graph, const FabSubnet *subnet, const FabFaults *faults);
void fab__switch_graph_clear (FabSwitchGraph *graph);

/* Where @lid ends: the switch @to, and the link @last from it down to the NIC (FAB_NONE: the LID is the switch's own). FALSE: nowhere, or
 * its way down or its switch is down. */
gboolean fab__switch_graph_target (const FabSwitchGraph *graph, const FabSubnet *subnet, guint32 lid, guint32 *to, guint32 *last);

/* All LIDs that end somewhere, those of one switch together; @n_lids of them. Caller's. O(LIDs). */
guint32 *fab__switch_graph_lids (const FabSwitchGraph *graph, const FabSubnet *subnet, guint32 *n_lids);

/* Hops from every switch to @to, FAB_NONE where there is no way; @queue has room for n. */
void fab__switch_graph_hops (const FabSwitchGraph *graph, guint32 to, guint32 *hops, guint32 *queue);

/* Hops from the roots: the switches of the highest tier; where all are of one tier, the first switch. @ranks has room for n. */
void fab__switch_graph_ranks (const FabSwitchGraph *graph, guint32 *ranks);

/* Whether edge @e from @s leads towards the roots: to a smaller rank, ties to the smaller switch. */
gboolean fab__switch_graph_is_up (const FabSwitchGraph *graph, const guint32 *ranks, guint32 s, guint32 e);

G_END_DECLS
