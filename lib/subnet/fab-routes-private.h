/* fab-routes-private.h - what forwarding tables are made of, for the files that read them together
 */
#pragma once
#include "subnet/fab-routing-private.h"
#include "subnet/fab-switch-graph-private.h"

G_BEGIN_DECLS

struct _FabRoutes
{
  FabSubnet        *subnet;
  const FabRouting *routing;
  FabForwarding     forwarding;
  FabRoutes        *owner;        /* of tables and graph; NULL: these routes themselves */
  guint32           first_switch, n_switches, row_length;
  guint32          *tables;       /* n_switches × row_length outgoing links */
  guint8           *lanes;        /* as the tables, by source switch; NULL: all on lane 0 */
  guint             n_lanes;
  FabSwitchGraph    graph;        /* what was up when the tables were made; without its faults, which nobody keeps */
  guint8           *distances;    /* n_switches × n_switches hops along the tables, by destination then switch; NULL: nobody asks */
  guint32          *ranks;        /* where no packet goes up after it went down; else NULL */
};

/* The link a packet from @src_lid to @dst_lid leaves switch @device by, where a hash decides; FAB_NONE: no entry. */
guint32 fab__routes_hashed_link (const FabRoutes *routes, guint32 device, guint32 src_lid, guint32 dst_lid);

/* Whether @link between switches leads towards the roots; where the routes have ranks. */
gboolean fab__routes_leads_up (const FabRoutes *routes, guint32 link);

/* Whether @link from switch @s (counted in the plane) leads one hop nearer to switch @to; where the routes have distances. */
gboolean fab__routes_is_nearer (const FabRoutes *routes, guint32 s, guint32 to, guint32 link);

static inline guint
fab__routes_lane (const FabRoutes *routes, guint32 s, guint32 lid)
{
  return routes->lanes != NULL ? routes->lanes[(gsize) s * routes->row_length + lid] : 0;
}

G_END_DECLS
