/* fab-share-private.h - rates of flows over shared resources, solved anew only where something changed
 *
 * A resource is a directed link, or both directions of one together where it has an aggregate cap. A flow's rate is raised with all
 * others, each by its weight, until a resource of its route is full (then that resource limits it) or its own cap is reached.
 * Max-min fair sharing weighs all flows alike; per-port sharing weighs a flow as the output that limits it does: its lane's
 * arbitration weight, then input ports in turn, then what each input port was given upstream.
 */
#pragma once
#include "fab-engine.h"

G_BEGIN_DECLS

typedef struct _FabShare FabShare;

/* A route many flows may take. @parts: the fraction of a flow that crosses each link; NULL: all of it. */
typedef struct
{
  const guint32 *links;
  const double  *parts;
  guint32        n_links;
  guint64        flow_bps;    /* of one flow alone; 0: no cap */
  guint32        flow_link;   /* the link that cap belongs to */
} FabShareRoute;

/* Room for flows 0 … @n_flows - 1. @lanes: per plane, how lanes are arbitrated; NULL: alike. */
FabShare *fab__share_new    (const FabTopology *topology, const FabFaults *faults, FabSharing sharing, const FabQos *const *lanes, guint32 n_flows);
void      fab__share_free   (FabShare *share);

/* Leaves out of routes what can never limit a flow that passes through NICs: only where no flow begins or ends at one. Before the first
 * route. */
void      fab__share_drop_needless (FabShare *share);
/* From now on parts of @n_flows or more are shared flow by flow, whatever their outputs would do. */
void      fab__share_weigh_below (FabShare *share, guint n_flows);
/* Some @n routes will be told. */
void      fab__share_expect (FabShare *share, gsize n);
/* Returns the route's row. The links must be up. */
guint32   fab__share_route  (FabShare *share, const FabShareRoute *route);

/* @flow is not there yet; it gets its rate at the next solve, before which it may not be removed. O(1). */
void      fab__share_add    (FabShare *share, guint32 flow, guint32 route, guint lane);
void      fab__share_remove (FabShare *share, guint32 flow);
double    fab__share_rate   (const FabShare *share, guint32 flow);   /* bytes a second */
guint32   fab__share_limit  (const FabShare *share, guint32 flow);   /* the link that sets the rate */

/* Rates of all flows that share a resource, however indirectly, with one added or removed since the last call. @changed is called
 * for each whose rate or limit differs, with the rate it had. O(k log r) in the k crossings of flows and the r resources so joined. */
typedef void (*FabShareChanged) (guint32 flow, double old_rate, gpointer data);
void      fab__share_solve  (FabShare *share, FabShareChanged changed, gpointer data, FabCounters *counters);

/* Where what was solved so far may not behave as flows do; borrowed, until the next solve. */
const FabBlindSpot *fab__share_blind_spots (const FabShare *share, gsize *n_spots);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabShare, fab__share_free)

G_END_DECLS
