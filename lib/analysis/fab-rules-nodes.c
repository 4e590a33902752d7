/* fab-rules-nodes.c: the inside of nodes: who is near whom */
#include "analysis/fab-rule-private.h"

/* One node stands for its group: all are alike. */
static const FabNode *
first_node (const FabCheck *check, guint group)
{
  for (guint32 n = 0; n < fab_topology_n_nodes (check->topology); n++)
    if (fab_topology_node (check->topology, n)->group == group)
      return fab_topology_node (check->topology, n);
  return NULL;
}

static FabDistance
gpu_to_port (const FabCheck *check, guint32 gpu, guint32 port)
{
  return fab_topology_distance (check->topology, gpu, fab_topology_port (check->topology, port)->device);
}

/* The nearest port of the plane of @gpu's own port. */
static FabDistance
nearest_port (const FabCheck *check, const FabNode *node, guint32 gpu)
{
  guint32 plane = fab_topology_port (check->topology, fab_topology_device (check->topology, gpu)->affinity)->plane;
  FabDistance nearest = FAB_N_DISTANCES;

  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *nic = fab_topology_device (check->topology, d);

      for (guint32 p = nic->first_port; nic->kind == FAB_DEVICE_NIC && p < nic->first_port + nic->n_ports; p++)
        if (fab_topology_port (check->topology, p)->plane == plane)
          nearest = MIN (nearest, gpu_to_port (check, gpu, p));
    }
  return nearest;
}

static char *
join_names (const FabCheck *check, const GArray *devices)
{
  g_autofree const char **names = g_new0 (const char *, devices->len + 1);

  for (guint i = 0; i < devices->len; i++)
    names[i] = fab_topology_device (check->topology, g_array_index (devices, guint32, i))->name;
  return fab_hostlist_compress (names, devices->len);
}

typedef gboolean (*GpuFunc) (const FabCheck *check, const FabNode *node, guint32 gpu);

/* One finding a group that has GPUs for which @func holds, at the group's @key where the file has it. */
static void
each_group (const FabRule *rule, FabCheck *check, GpuFunc func, const char *key, const char *what)
{
  for (guint g = 0; g < check->design->n_groups; g++)
    {
      const FabNode *node = first_node (check, g);
      const FabItem *own = fab__item_lookup (check->design->groups[g].item, key);
      g_autoptr (GArray) gpus = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_autofree char *names = NULL;
      g_autofree char *nodes = NULL;
      g_autofree char *where = NULL;

      for (guint32 d = node != NULL ? node->first_device : 0; node != NULL && d < node->first_device + node->n_devices; d++)
        if (fab_topology_device (check->topology, d)->kind == FAB_DEVICE_GPU && func (check, node, d))
          g_array_append_val (gpus, d);
      if (gpus->len == 0)
        continue;
      names = join_names (check, gpus);
      nodes = fab__group_hostlist (&check->design->groups[g]);
      where = g_strdup_printf ("%s/%s", nodes, names);
      fab__check_add (check, rule, own != NULL ? own : check->design->groups[g].item, where, "%u of %u GPUs of a node %s", gpus->len, node->n_gpus, what);
    }
}

static gboolean
crosses_sockets (const FabCheck *check, const FabNode *node, guint32 gpu)
{
  guint32 port = fab_topology_device (check->topology, gpu)->affinity;

  return port != FAB_NONE && gpu_to_port (check, gpu, port) == FAB_DISTANCE_SYS && nearest_port (check, node, gpu) < FAB_DISTANCE_SYS;
}

static void
find_cross_socket (const FabRule *rule, FabCheck *check)
{
  each_group (rule, check, crosses_sockets, "affinity", "use a rail port on the other socket although their own has one");
}

static gboolean
is_staged_to_network (const FabCheck *check, const FabNode *node, guint32 gpu)
{
  guint32 port = fab_topology_device (check->topology, gpu)->affinity;
  FabDistance distance = port != FAB_NONE ? gpu_to_port (check, gpu, port) : FAB_DISTANCE_PIX;

  return distance > check->design->rules.gdr_level && distance == nearest_port (check, node, gpu);
}

static void
find_staged_to_network (const FabRule *rule, FabCheck *check)
{
  each_group (rule, check, is_staged_to_network, "type", "reach the network only through host memory");
}

/* Another GPU of the same socket that peer-to-peer does not reach. */
static gboolean
is_staged_in_socket (const FabCheck *check, const FabNode *node, guint32 gpu)
{
  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    {
      FabDistance distance;

      if (d == gpu || fab_topology_device (check->topology, d)->kind != FAB_DEVICE_GPU)
        continue;
      distance = fab_topology_distance (check->topology, gpu, d);
      if (distance == FAB_DISTANCE_PHB && distance > check->design->rules.p2p_level)
        return TRUE;
    }
  return FALSE;
}

static void
find_staged_in_socket (const FabRule *rule, FabCheck *check)
{
  each_group (rule, check, is_staged_in_socket, "type", "reach their neighbours on the same socket only through host memory");
}

static gboolean
has_no_port (const FabCheck *check, const FabNode *node, guint32 gpu)
{
  return fab_topology_device (check->topology, gpu)->affinity == FAB_NONE;
}

static void
find_no_port (const FabRule *rule, FabCheck *check)
{
  each_group (rule, check, has_no_port, "type", "have no port of their own for the network");
}

const FabRule fab__rules_nodes[] = {
  { "FAB040", FAB_SEVERITY_WARNING, "GPU-to-NIC paths that cross sockets without need",
    "Their network traffic shares the socket link with the ring inside the node and is staged through host memory: about a fifth of the "
    "bus bandwidth is lost with nothing visibly broken.",
    "map GPUs to rails of their own socket ({0,1}{2,3}{4,5}{6,7} on l40s-8): affinity: local", find_cross_socket },
  { "FAB041", FAB_SEVERITY_WARNING, "GPUs of one socket without peer-to-peer",
    "NCCL uses peer-to-peer only up to a PCIe switch (PXB); on root ports it copies through host memory.",
    "a node with PCIe switches, or raise the level where measured to be safe: transport: {p2p: phb} (NCCL_P2P_LEVEL)", find_staged_in_socket },
  { "FAB042", FAB_SEVERITY_WARNING, "GPUs without GPUDirect RDMA to their NIC",
    "NCCL uses GPUDirect RDMA only up to a PCIe switch (PXB); beyond it every byte passes host memory.",
    "NIC and GPU under one PCIe switch, or raise the level where measured to be safe: transport: {gdr: phb} (NCCL_NET_GDR_LEVEL)", find_staged_to_network },
  { "FAB043", FAB_SEVERITY_NOTE, "GPUs without a port of their own",
    "The nearest port of the plane is used instead.",
    "say affinity: in the node type", find_no_port },
  { NULL, 0, NULL, NULL, NULL, NULL },
};
