/* fab-channels-private.h - which buffer waits for which: the channel dependency graph and its cycles
 *
 * Dally and Seitz (1987): routing is free of deadlock on one lane if this graph has no cycle. A channel is an edge between switches; it depends
 * on another where some packet leaves by the second what it entered by the first.
 */
#pragma once
#include "subnet/fab-switch-graph-private.h"

G_BEGIN_DECLS

typedef struct
{
  const FabSwitchGraph *graph;   /* borrowed */
  guint32 *edge_of;      /* link → edge; FAB_NONE: not between switches, or down */
  gsize   *first;        /* of each edge its first dependency: one for every edge out of the switch it leads into */
  guint32 *count;        /* of each dependency: how many ask for it */
  gsize    n;            /* dependencies */
} FabChannels;

void fab__channels_init  (FabChannels *channels, const FabSwitchGraph *graph);
void fab__channels_clear (FabChannels *channels);
void fab__channels_reset (FabChannels *channels);   /* nobody waits */

/* How many ask for @follower, an edge out of the switch that @edge leads into, after @edge. */
static inline guint32 *
fab__channels_count (const FabChannels *channels, guint32 edge, guint32 follower)
{
  return &channels->count[channels->first[edge] + follower - channels->graph->start[channels->graph->peer[edge]]];
}

/* Depth first, kept between cycles: what was found free of them stays so while dependencies are only taken away. */
typedef struct
{
  const FabChannels *channels;
  guint8  *state;        /* of each edge: 0 new, 1 on the way, 2 done */
  guint32 *way, *tried;  /* the edges from the root on, and the follower each tried last */
  guint32  n, root;
} FabCycleSearch;

void fab__cycle_search_init  (FabCycleSearch *search, const FabChannels *channels);
void fab__cycle_search_clear (FabCycleSearch *search);

/* TRUE: edges way[*start] … way[n - 1] each wait for the next, the last for the first. FALSE: no cycle is left. */
gboolean fab__cycle_search_next (FabCycleSearch *search, guint32 *start);

/* Back to where the way still holds, after dependencies were taken away. */
void fab__cycle_search_unwind (FabCycleSearch *search);

G_END_DECLS
