/* fab-subnet.h - what a subnet manager would set up on one InfiniBand plane
 *
 * LIDs, partitions, SL→VL and VL arbitration, and who the managers are. Immutable once made; shared among threads.
 * Ethernet planes get one too (its LIDs then stand for forwarding addresses and are counted nowhere).
 */
#pragma once
#include "fab-topology.h"

G_BEGIN_DECLS

#define FAB_SUBNET_MAX_UNICAST_LIDS 49151u   /* 0x0001 … 0xBFFF; OpenSM include/iba/ib_types.h */
#define FAB_SUBNET_N_SLS 16
#define FAB_SUBNET_VL15  15

typedef struct _FabSubnet FabSubnet;

typedef struct { guint8 vl; guint8 weight; } FabVlArbEntry;   /* weight in 64-byte units */

/* All that may be set; FAB_SUBNET_QOS_INIT gives OpenSM's defaults (osm_base.h: max_op_vls 5, high_limit 0). */
typedef struct
{
  guint         op_vls;                      /* 1…5: OperationalVLs code → 1, 2, 4, 8, 15 data lanes */
  guint8        sl2vl[FAB_SUBNET_N_SLS];     /* 15: drop */
  FabVlArbEntry high[64], low[64];
  guint         n_high, n_low;
  guint         high_limit;                  /* × 4096 bytes; 255: unbounded; 0: one packet */
} FabQos;

FAB_API void  fab_qos_init        (FabQos *qos);           /* OpenSM's defaults */
FAB_API guint fab_qos_n_vls       (const FabQos *qos);     /* data lanes of op_vls */

typedef struct
{
  const char *name;      /* "compute" */
  guint16     pkey;      /* bit 15: full membership */
} FabPartition;

/* Two ports may talk if the low 15 bits agree and at least one of them is a full member (IBA; OpenSM
 * doc/partition-config.txt). */
FAB_API gboolean fab_pkeys_match (guint16 a, guint16 b);

/* LIDs are given to switches first, then to NIC ports, in row order, each 2^@lmc aligned. More than 49,151 on an
 * InfiniBand plane is FAB_ERROR_LIMIT, said before memory is taken. Down devices keep their LIDs. */
FAB_API FabSubnet *fab_subnet_new   (FabTopology *topology, guint32 plane, guint lmc, const FabQos *qos, GError **error);
FAB_API FabSubnet *fab_subnet_ref   (FabSubnet *subnet);
FAB_API void       fab_subnet_unref (FabSubnet *subnet);

FAB_API FabTopology  *fab_subnet_topology (const FabSubnet *subnet);   /* borrowed */
FAB_API guint32       fab_subnet_plane    (const FabSubnet *subnet);
FAB_API guint32       fab_subnet_n_lids   (const FabSubnet *subnet);   /* LIDs in use: switches + NIC ports × 2^lmc */
FAB_API guint32       fab_subnet_max_lid  (const FabSubnet *subnet);
FAB_API guint32       fab_subnet_port_lid (const FabSubnet *subnet, guint32 port);       /* base LID of a NIC port; 0: none */
FAB_API guint32       fab_subnet_switch_lid (const FabSubnet *subnet, guint32 device);   /* 0: none */
FAB_API guint32       fab_subnet_lid_port (const FabSubnet *subnet, guint32 lid);        /* NIC port of a LID; FAB_NONE */
FAB_API guint32       fab_subnet_lid_switch (const FabSubnet *subnet, guint32 lid);      /* switch whose own LID it is; FAB_NONE */
FAB_API const FabQos *fab_subnet_qos      (const FabSubnet *subnet);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabSubnet, fab_subnet_unref)

G_END_DECLS
