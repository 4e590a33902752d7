/* fab-path.h - from a GPU, which path does the data take
 *
 * One path in one graph: PCIe, socket link, NIC, leaf, spine, and back. Which way through the node follows NCCL's transport
 * rules (src/graph/paths.cc): peer-to-peer while the two ends meet at or below a PCIe switch (PIX, PXB), else staged through
 * the sender's host memory; GPUDirect RDMA likewise between GPU and NIC; both levels can be raised.
 */
#pragma once
#include "fab-routes.h"

G_BEGIN_DECLS

/* How near two devices of a node are, as `nvidia-smi topo -m` names it. */
typedef enum
{
  FAB_DISTANCE_PIX,    /* at most one PCIe switch between */
  FAB_DISTANCE_PXB,    /* several PCIe switches, no root complex */
  FAB_DISTANCE_PHB,    /* through a root complex */
  FAB_DISTANCE_SYS,    /* across the socket link */
  FAB_N_DISTANCES,
} FabDistance;

typedef enum
{
  FAB_TRANSPORT_P2P,          /* GPU to GPU inside the node, peer-to-peer (or NVLink) */
  FAB_TRANSPORT_SHM,          /* inside the node, staged through host memory */
  FAB_TRANSPORT_GDR,          /* network, GPUDirect at both ends */
  FAB_TRANSPORT_NET_STAGED,   /* network, staged through host memory at an end or both */
} FabTransport;

/* Costs that are not on the wire, and how far peer-to-peer goes. */
typedef struct
{
  FabDistance p2p_level;         /* default PXB */
  FabDistance gdr_level;         /* default PXB */
  gint64      pcie_step_ps;      /* software cost of one step inside a node; default NCCL ring/Simple 5.7 µs */
  gint64      network_step_ps;   /* of one step over the network; default NCCL ring/Simple 14 µs */
} FabTransportRules;

FAB_API void fab_transport_rules_init (FabTransportRules *rules);

typedef struct
{
  guint32      src, dst;      /* devices */
  guint32      first_link;    /* into fab_paths_links() */
  guint32      n_links;
  guint32      first_part;    /* into fab_paths_parts(); FAB_NONE: every link carries all */
  gint64       latency_ps;    /* links and devices passed, one way, first bit; of the quickest way where several are taken */
  gint64       software_ps;   /* of a step over this path */
  guint64      flow_bps;      /* smallest per-flow cap on the way; 0: none */
  guint32      flow_link;     /* the link whose cap that is; FAB_NONE */
  FabTransport transport;
} FabPath;

typedef struct _FabPaths FabPaths;

/* Finds paths as they are asked for and keeps them. One owner (one run, one thread); all else is borrowed and must outlive it.
 * @routes: one a plane, NULL entries where a plane is not routed. */
FAB_API FabPaths *fab_paths_new  (const FabTopology *topology, const FabFaults *faults,
                                  FabRoutes *const *routes, const FabTransportRules *rules);
FAB_API void      fab_paths_free (FabPaths *paths);

/* The row of the path from @src to @dst (GPUs, host memories or NICs); between nodes over @plane. Between nodes each end uses
 * its own port of that plane: a GPU its affinity port, else the nearest port, ties to the port with the end's ordinal modulo
 * the number of equals. FAB_NONE: unreachable. O(hops) the first time, O(1) after. */
FAB_API guint32        fab_paths_find  (FabPaths *paths, guint32 src, guint32 dst, guint32 plane);
FAB_API const FabPath *fab_paths_row   (const FabPaths *paths, guint32 path);   /* until the next find */
FAB_API const guint32 *fab_paths_links (const FabPaths *paths, guint32 path);   /* until the next find */

/* Over a plane with adaptive routing the links are all that a packet may cross, each after those that feed it: the part of
 * the bytes that each carries when switches deal them out evenly (fab_routes_spread()). NULL: the links are one way, each
 * carries all. Until the next find. */
FAB_API const double  *fab_paths_parts (const FabPaths *paths, guint32 path);

/* How near two devices of one node are; FAB_N_DISTANCES where they are not of one node or not joined. */
FAB_API FabDistance fab_topology_distance (const FabTopology *topology, guint32 a, guint32 b);
FAB_API const char *fab_distance_name     (FabDistance distance);    /* "PXB" */
FAB_API const char *fab_transport_name    (FabTransport transport);  /* "p2p", "shm", "gdr", "net-staged" */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabPaths, fab_paths_free)

G_END_DECLS
