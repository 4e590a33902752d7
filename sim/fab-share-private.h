/* fab-share-private.h - max-min fair rates of flows over shared resources, solved anew only where something changed
 *
 * A resource is a directed link, or both directions of one together where it has an aggregate cap. A flow's rate is max-min
 * fair: raised with all others until a resource of its path is full (then that resource limits it) or its own cap is reached.
 */
#pragma once
#include "fab-engine.h"

G_BEGIN_DECLS

typedef struct _FabShare FabShare;

typedef struct
{
  double  rate;       /* bytes a second; 0: not solved yet */
  double  cap;        /* of this flow alone, bytes a second; 0: none */
  guint32 cap_link;   /* the link that cap belongs to */
  guint32 limit;      /* the link that sets the rate: a full one, or cap_link */
  guint32 owner;      /* the caller's */
} FabShareFlow;

FabShare *fab__share_new  (const FabTopology *topology, const FabFaults *faults);
void      fab__share_free (FabShare *share);

/* Returns the flow's slot (reused after removal). The links must be up. O(links of the path). */
guint32 fab__share_add    (FabShare *share, guint32 owner, const guint32 *links, guint32 n_links, guint64 flow_bps, guint32 flow_link);
void    fab__share_remove (FabShare *share, guint32 slot);
const FabShareFlow *fab__share_flow (const FabShare *share, guint32 slot);

/* Rates of all flows that share a resource, however indirectly, with one added or removed since the last call. @changed is called
 * for each whose rate or limit differs, with the rate it had. O(k log k) in the flows and resources so joined. */
typedef void (*FabShareChanged) (guint32 slot, double old_rate, gpointer data);
void    fab__share_solve  (FabShare *share, FabShareChanged changed, gpointer data, FabCounters *counters);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabShare, fab__share_free)

G_END_DECLS
