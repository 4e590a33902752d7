/* fab-topology.h - every device, port and link of all planes and node insides, as one graph
 *
 * Made by a design or an importer, checked once, then immutable, reference-counted and shared among threads.
 * Flat arrays indexed by guint32; a row pointer is borrowed and lives as long as the topology.
 * Links are directed and come in pairs: 2k and 2k+1 are the two directions of one cable or lane bundle.
 * Nothing is ever removed: what is down stands in a FabFaults beside it, so indexes stay.
 */
#pragma once
#include "fab-address.h"
#include "fab-error.h"

G_BEGIN_DECLS

typedef struct _FabTopology FabTopology;

typedef enum
{
  FAB_DEVICE_GPU,
  FAB_DEVICE_NIC,
  FAB_DEVICE_PCIE_SWITCH,
  FAB_DEVICE_CPU,           /* a socket with its root complex */
  FAB_DEVICE_MEMORY,        /* a socket's host memory */
  FAB_DEVICE_NVSWITCH,
  FAB_DEVICE_SWITCH,        /* InfiniBand or Ethernet */
  FAB_N_DEVICE_KINDS,
} FabDeviceKind;

typedef enum
{
  FAB_LINK_GPU,             /* a GPU's own PCIe link */
  FAB_LINK_PCIE,            /* between PCIe switch and root complex */
  FAB_LINK_NIC,             /* a NIC's slot */
  FAB_LINK_SOCKET,          /* between sockets */
  FAB_LINK_MEMORY,          /* between a socket and its memory */
  FAB_LINK_NVLINK,
  FAB_LINK_INFINIBAND,
  FAB_LINK_ETHERNET,
  FAB_N_LINK_KINDS,
} FabLinkKind;

typedef struct
{
  const char *name;         /* "gpu001" */
  const char *type;         /* "l40s-8" */
  guint32     first_device; /* its devices are contiguous */
  guint32     n_devices;
  guint32     n_gpus;
  guint32     first_link;   /* its inner links are contiguous; nodes of one group have theirs in the same order */
  guint32     group;        /* row of the design's node groups; FAB_NONE: a node like no other */
} FabNode;

typedef struct
{
  const char   *name;       /* "gpu3", "leaf1": unique within its node or plane */
  const char   *part;       /* catalog name: "l40s", "qm9700" */
  FabDeviceKind kind;
  guint32       node;       /* FAB_NONE: a plane's switch */
  guint32       plane;      /* of a switch; FAB_NONE otherwise */
  guint32       tier;       /* of a switch: 0 leaf, 1 spine, 2 core; FAB_NONE otherwise */
  guint32       ordinal;    /* among its kind in its node, or among its tier in its plane: gpu3 → 3 */
  guint32       first_port; /* its ports are contiguous */
  guint32       n_ports;
  guint32       affinity;   /* of a GPU: the NIC port it uses for the network; FAB_NONE: none */
  gint64        latency_ps; /* from the head in to the head out; a NIC's is one side's send or receive */
  guint64       buffer_bytes; /* of a port's receiver for one virtual lane; 0: not known */
  guint64       message_rate; /* of a NIC, messages a second; 0: not known */
  guint32       max_vls;      /* data lanes; 0: not known */
} FabDevice;

typedef struct
{
  const char *name;         /* "p17", "p17/2"; internal ends of PCIe links have none (NULL) */
  guint32     device;
  guint32     link;         /* the outgoing directed link; FAB_NONE: free */
  guint32     plane;        /* of network ports; FAB_NONE inside a node */
  guint32     rail;         /* of network ports of nodes: position among the node's ports of this plane; else FAB_NONE */
} FabPort;

typedef struct
{
  guint32     from_port, to_port;
  guint32     from_device, to_device;
  FabLinkKind kind;
  guint32     plane;            /* FAB_NONE inside a node */
  guint64     rate_bps;         /* on the wire, after FEC and coding */
  guint64     goodput_bps;      /* rate × packet (or TLP) efficiency; the fluid capacity */
  guint64     aggregate_bps;    /* goodput cap of both directions together; 0: none */
  guint64     flow_write_bps;   /* goodput cap of one peer-to-peer write over it; 0: none */
  guint64     flow_read_bps;    /* goodput cap of one peer-to-peer read over it; 0: none */
  gint64      latency_ps;       /* propagation of the first bit, one way */
  guint64     length_mm;        /* of a cable; 0: none given */
  const char *speed;            /* "NDR200", "gen4 x16" */
  const char *cable;            /* catalog name; NULL: none given */
} FabLink;

typedef struct
{
  const char *name;             /* "compute" */
  FabLinkKind kind;             /* FAB_LINK_INFINIBAND or FAB_LINK_ETHERNET */
  const char *family;           /* "rail-optimized", "fat-tree", "explicit" */
  guint32     n_tiers;          /* of switches */
  guint32     first_switch;     /* its switches are contiguous devices */
  guint32     n_switches;
  guint32     mtu_bytes;        /* payload of a full packet */
  guint32     header_bytes;     /* of a packet on the wire, beside its payload */
} FabPlane;

FAB_API FabTopology *fab_topology_ref   (FabTopology *topology);
FAB_API void         fab_topology_unref (FabTopology *topology);

FAB_API guint32 fab_topology_n_nodes   (const FabTopology *topology);
FAB_API guint32 fab_topology_n_devices (const FabTopology *topology);
FAB_API guint32 fab_topology_n_ports   (const FabTopology *topology);
FAB_API guint32 fab_topology_n_links   (const FabTopology *topology);   /* directed: twice the cables */
FAB_API guint32 fab_topology_n_planes  (const FabTopology *topology);

/* Out of range is the caller's bug: g_return_val_if_fail, NULL. */
FAB_API const FabNode   *fab_topology_node   (const FabTopology *topology, guint32 node);
FAB_API const FabDevice *fab_topology_device (const FabTopology *topology, guint32 device);
FAB_API const FabPort   *fab_topology_port   (const FabTopology *topology, guint32 port);
FAB_API const FabLink   *fab_topology_link   (const FabTopology *topology, guint32 link);
FAB_API const FabPlane  *fab_topology_plane  (const FabTopology *topology, guint32 plane);

FAB_API guint32 fab_topology_lookup_node  (const FabTopology *topology, const char *name);   /* FAB_NONE: none; O(1) */
FAB_API guint32 fab_topology_lookup_plane (const FabTopology *topology, const char *name);

/* All GPUs in rank order: node by node in file order, gpu0 … gpuN-1 in each. Borrowed. */
FAB_API const guint32 *fab_topology_gpus  (const FabTopology *topology, guint32 *n_gpus);

/* The address of a row, as users write it; a link's is "A--B" of its from and to. Caller frees. */
FAB_API char *fab_topology_device_address (const FabTopology *topology, guint32 device);
FAB_API char *fab_topology_port_address   (const FabTopology *topology, guint32 port);
FAB_API char *fab_topology_link_address   (const FabTopology *topology, guint32 link);

/* Exactly one device (a bare unique name is accepted). Otherwise FAB_ERROR_UNKNOWN with the nearest names. */
FAB_API gboolean fab_topology_find_device (const FabTopology *topology, const char *address, guint32 *device, GError **error);

/* All that an address with patterns names; each array may be NULL. A node names all its devices, a plane all its switches; a
 * device also its links, a port its link alone. A bare name is a node's or plane's where one has it, else a device's: then one
 * owner must have it, unless it holds a "*". Nothing matched is FAB_ERROR_UNKNOWN. Links are given by their even row. GArrays of
 * guint32, caller's. */
FAB_API gboolean fab_topology_match (const FabTopology *topology, const char *address,
                                     GArray **devices, GArray **links, GError **error);

FAB_API const char *fab_device_kind_name (FabDeviceKind kind);   /* "gpu", "pcie-switch" */
FAB_API const char *fab_link_kind_name   (FabLinkKind kind);     /* "gpu-link", "pcie", "nic", "socket", … */

/* ---- what is down ---- */

typedef struct _FabFaults FabFaults;

/* Nothing down. A FabFaults belongs to one topology, is filled by one owner, and is then only read. */
FAB_API FabFaults *fab_faults_new          (FabTopology *topology);
FAB_API FabFaults *fab_faults_ref          (FabFaults *faults);
FAB_API void       fab_faults_unref        (FabFaults *faults);
/* Takes down what @address names: a link, or a device with all its links, or a whole node. */
FAB_API gboolean   fab_faults_add          (FabFaults *faults, const char *address, GError **error);
/* Caps the goodput of what @address names to @rate_bps, above 0, in each direction; of several caps the smallest holds. */
FAB_API gboolean   fab_faults_cap          (FabFaults *faults, const char *address, guint64 rate_bps, GError **error);
/* @faults may be NULL in these: nothing is down. */
FAB_API gboolean   fab_faults_link_down    (const FabFaults *faults, guint32 link);
FAB_API gboolean   fab_faults_device_down  (const FabFaults *faults, guint32 device);
FAB_API guint64    fab_faults_goodput_bps  (const FabFaults *faults, const FabTopology *topology, guint32 link);   /* 0: down */

/* ---- questions to the graph (igraph, one lock; any thread may call) ---- */

/* Largest flow from the devices @a to the devices @b through the switches of @plane alone, wire bits a second: the
 * bandwidth of this *named* split. Of devices not on the plane nothing comes; a device on both sides is FAB_ERROR_VALUE.
 * O(devices × links²) worst, milliseconds on the plan. @faults may be NULL. */
FAB_API gboolean fab_topology_split_bps (const FabTopology *topology, const FabFaults *faults, guint32 plane,
                                         const guint32 *a, gsize n_a, const guint32 *b, gsize n_b,
                                         guint64 *flow_bps, GError **error);

/* Devices, and links (even rows), whose single loss cuts some pair of @plane's nodes from each other. A node's own only
 * port counts; a node with several ports passes on between them. GArrays of guint32, caller's. O(devices + links), and as
 * much again for each find that is more than a node's only way. */
FAB_API gboolean fab_topology_weak_points (const FabTopology *topology, const FabFaults *faults, guint32 plane,
                                           GArray **devices, GArray **links, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabTopology, fab_topology_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabFaults, fab_faults_unref)

G_END_DECLS
