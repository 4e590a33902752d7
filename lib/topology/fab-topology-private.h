/* fab-topology-private.h - the builder, and the arrays for the rooms to the right
 */
#pragma once
#include "fab-topology.h"

G_BEGIN_DECLS

struct _FabTopology
{
  FabNode      *nodes;
  FabDevice    *devices;
  FabPort      *ports;
  FabLink      *links;
  FabPlane     *planes;
  guint32       n_nodes, n_devices, n_ports, n_links, n_planes;
  guint32      *gpus;          /* in rank order */
  guint32       n_gpus;
  GStringChunk *names;         /* every text of the rows, interned */
  GHashTable   *node_rows;     /* name → row + 1 */
};

typedef struct _FabTopologyBuilder FabTopologyBuilder;

/* One owner; rows are added in order: a node's devices follow its node, a plane's switches its plane, a device's ports its
 * device. Texts are copied. Row structs are passed by value with index fields that the builder fills (first_*, n_*, ordinal,
 * device, link) left 0. At most 2^31 rows of a kind: beyond, freeze fails with FAB_ERROR_LIMIT. */
FabTopologyBuilder *fab__topology_builder_new  (void);
void                fab__topology_builder_free (FabTopologyBuilder *builder);

guint32 fab__topology_builder_add_plane  (FabTopologyBuilder *builder, FabPlane plane);
guint32 fab__topology_builder_add_node   (FabTopologyBuilder *builder, FabNode node);
/* Of a node: kind, name, part, node, latency. Of a switch: plane and tier too. */
guint32 fab__topology_builder_add_device (FabTopologyBuilder *builder, FabDevice device);
/* To the device added last. */
guint32 fab__topology_builder_add_port   (FabTopologyBuilder *builder, FabPort port);
/* Both directions between two free ports, alike but for direction; returns the even row. The caller has seen that the ports
 * are free: a used one is a bug (g_return_val_if_fail). */
guint32 fab__topology_builder_add_link   (FabTopologyBuilder *builder, guint32 from_port, guint32 to_port, FabLink link);
void    fab__topology_builder_set_affinity (FabTopologyBuilder *builder, guint32 gpu, guint32 nic_port);
FabPort *fab__topology_builder_port      (FabTopologyBuilder *builder, guint32 port);     /* until the next add */
FabDevice *fab__topology_builder_device  (FabTopologyBuilder *builder, guint32 device);   /* until the next add */

/* Checks (names unique, rates > 0, contiguity) and freezes; takes @builder either way. */
FabTopology *fab__topology_builder_freeze (FabTopologyBuilder *builder, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabTopologyBuilder, fab__topology_builder_free)

G_END_DECLS
