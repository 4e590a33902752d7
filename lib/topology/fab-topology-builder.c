/* fab-topology-builder.c: rows in order, then one check and a freeze */
#include "topology/fab-topology-private.h"

#define MAX_ROWS (1u << 31)

struct _FabTopologyBuilder
{
  GArray       *nodes, *devices, *ports, *links, *planes;
  GStringChunk *names;
  guint32       ordinals[FAB_N_DEVICE_KINDS];   /* of the node being added */
  guint32       tier_ordinals[8];               /* of the plane being added */
};

FabTopologyBuilder *
fab__topology_builder_new (void)
{
  FabTopologyBuilder *builder = g_new0 (FabTopologyBuilder, 1);

  builder->nodes = g_array_new (FALSE, FALSE, sizeof (FabNode));
  builder->devices = g_array_new (FALSE, FALSE, sizeof (FabDevice));
  builder->ports = g_array_new (FALSE, FALSE, sizeof (FabPort));
  builder->links = g_array_new (FALSE, FALSE, sizeof (FabLink));
  builder->planes = g_array_new (FALSE, FALSE, sizeof (FabPlane));
  builder->names = g_string_chunk_new (4096);
  return builder;
}

void
fab__topology_builder_free (FabTopologyBuilder *builder)
{
  if (builder == NULL)
    return;
  g_array_unref (builder->nodes);
  g_array_unref (builder->devices);
  g_array_unref (builder->ports);
  g_array_unref (builder->links);
  g_array_unref (builder->planes);
  g_clear_pointer (&builder->names, g_string_chunk_free);
  g_free (builder);
}

static const char *
intern (FabTopologyBuilder *builder, const char *text)
{
  return text != NULL ? g_string_chunk_insert_const (builder->names, text) : NULL;
}

guint32
fab__topology_builder_add_plane (FabTopologyBuilder *builder, FabPlane plane)
{
  plane.name = intern (builder, plane.name);
  plane.family = intern (builder, plane.family);
  plane.n_tiers = plane.n_switches = 0;
  plane.first_switch = FAB_NONE;
  g_array_append_val (builder->planes, plane);
  return builder->planes->len - 1;
}

guint32
fab__topology_builder_add_node (FabTopologyBuilder *builder, FabNode node)
{
  node.name = intern (builder, node.name);
  node.type = intern (builder, node.type);
  node.first_device = builder->devices->len;
  node.first_link = builder->links->len;
  node.n_devices = node.n_gpus = 0;
  g_array_append_val (builder->nodes, node);
  memset (builder->ordinals, 0, sizeof builder->ordinals);
  return builder->nodes->len - 1;
}

static void
count_switch (FabTopologyBuilder *builder, FabDevice *device)
{
  FabPlane *plane = &g_array_index (builder->planes, FabPlane, device->plane);

  if (plane->n_switches == 0)
    {
      plane->first_switch = builder->devices->len;
      memset (builder->tier_ordinals, 0, sizeof builder->tier_ordinals);
    }
  plane->n_switches++;
  plane->n_tiers = MAX (plane->n_tiers, device->tier + 1);
  device->ordinal = builder->tier_ordinals[MIN (device->tier, 7)]++;
}

guint32
fab__topology_builder_add_device (FabTopologyBuilder *builder, FabDevice device)
{
  device.name = intern (builder, device.name);
  device.part = intern (builder, device.part);
  device.first_port = builder->ports->len;
  device.n_ports = 0;
  if (device.node != FAB_NONE)
    {
      FabNode *node = &g_array_index (builder->nodes, FabNode, device.node);

      node->n_devices++;
      node->n_gpus += device.kind == FAB_DEVICE_GPU ? 1 : 0;
      device.ordinal = builder->ordinals[device.kind]++;
    }
  else
    count_switch (builder, &device);
  g_array_append_val (builder->devices, device);
  return builder->devices->len - 1;
}

guint32
fab__topology_builder_add_port (FabTopologyBuilder *builder, FabPort port)
{
  port.name = intern (builder, port.name);
  port.device = builder->devices->len - 1;
  port.link = FAB_NONE;
  g_array_index (builder->devices, FabDevice, port.device).n_ports++;
  g_array_append_val (builder->ports, port);
  return builder->ports->len - 1;
}

guint32
fab__topology_builder_add_link (FabTopologyBuilder *builder, guint32 from_port, guint32 to_port, FabLink link)
{
  FabPort *from = fab__topology_builder_port (builder, from_port);
  FabPort *to = fab__topology_builder_port (builder, to_port);
  guint32 row = builder->links->len;

  g_return_val_if_fail (from->link == FAB_NONE && to->link == FAB_NONE && from_port != to_port, FAB_NONE);
  link.speed = intern (builder, link.speed);
  link.cable = intern (builder, link.cable);
  link.from_port = from_port;
  link.to_port = to_port;
  link.from_device = from->device;
  link.to_device = to->device;
  g_array_append_val (builder->links, link);
  link.from_port = to_port;
  link.to_port = from_port;
  link.from_device = to->device;
  link.to_device = from->device;
  g_array_append_val (builder->links, link);
  from->link = row;
  to->link = row + 1;
  return row;
}

void
fab__topology_builder_set_affinity (FabTopologyBuilder *builder, guint32 gpu, guint32 nic_port)
{
  g_array_index (builder->devices, FabDevice, gpu).affinity = nic_port;
}

FabPort *
fab__topology_builder_port (FabTopologyBuilder *builder, guint32 port)
{
  return &g_array_index (builder->ports, FabPort, port);
}

FabDevice *
fab__topology_builder_device (FabTopologyBuilder *builder, guint32 device)
{
  return &g_array_index (builder->devices, FabDevice, device);
}

/* ---- freezing ---- */

static gboolean
check (const FabTopologyBuilder *builder, GError **error)
{
  if (builder->devices->len >= MAX_ROWS || builder->ports->len >= MAX_ROWS || builder->links->len >= MAX_ROWS)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "topology: expected fewer than 2^31 devices, ports and links");
      return FALSE;
    }
  for (guint32 l = 0; l < builder->links->len; l += 2)
    {
      const FabLink *link = &g_array_index (builder->links, FabLink, l);

      if (link->rate_bps == 0 || link->goodput_bps == 0 || link->goodput_bps > link->rate_bps || link->latency_ps < 0)
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "topology: expected a link of %s to have a rate above zero and no more goodput than that",
                       g_array_index (builder->devices, FabDevice, link->from_device).name);
          return FALSE;
        }
    }
  return TRUE;
}

/* ---- what finding by name and by first row relies on ---- */

static gboolean
check_contiguous (const FabTopologyBuilder *builder, GError **error)
{
  for (guint32 d = 0; d < builder->devices->len; d++)
    {
      const FabDevice *device = &g_array_index (builder->devices, FabDevice, d);
      const FabNode *node = device->node != FAB_NONE ? &g_array_index (builder->nodes, FabNode, device->node) : NULL;
      const FabPlane *plane = node == NULL ? &g_array_index (builder->planes, FabPlane, device->plane) : NULL;

      if (d - (node != NULL ? node->first_device : plane->first_switch) >= (node != NULL ? node->n_devices : plane->n_switches))
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "topology: expected the devices of %s one after the other, got “%s” apart",
                       node != NULL ? node->name : plane->name, device->name);
          return FALSE;
        }
    }
  return TRUE;
}

/* @seen: interned name → the owner it was last seen in + 1, so that one table serves all owners in turn. */
static gboolean
check_name (GHashTable *seen, const char *name, guint32 owner, const char *what, GError **error)
{
  gpointer key = (gpointer) (gsize) name, mark = GSIZE_TO_POINTER ((gsize) owner + 1);

  if (name == NULL || g_hash_table_lookup (seen, key) != mark)
    {
      if (name != NULL)
        g_hash_table_insert (seen, key, mark);
      return TRUE;
    }
  g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "topology: expected %s to have a name of its own, got “%s” twice", what, name);
  return FALSE;
}

/* Nodes and planes share one space of names; devices one an owner, ports one a device. */
static gboolean
check_names (const FabTopologyBuilder *builder, GError **error)
{
  g_autoptr (GHashTable) owners = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) devices = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) ports = g_hash_table_new (NULL, NULL);

  for (guint32 p = 0; p < builder->planes->len; p++)
    if (!check_name (owners, g_array_index (builder->planes, FabPlane, p).name, 0, "each node and plane", error))
      return FALSE;
  for (guint32 n = 0; n < builder->nodes->len; n++)
    if (!check_name (owners, g_array_index (builder->nodes, FabNode, n).name, 0, "each node and plane", error))
      return FALSE;
  for (guint32 d = 0; d < builder->devices->len; d++)
    {
      const FabDevice *device = &g_array_index (builder->devices, FabDevice, d);
      guint32 owner = device->node != FAB_NONE ? device->node : builder->nodes->len + device->plane;

      if (!check_name (devices, device->name, owner, "each device of one owner", error))
        return FALSE;
    }
  for (guint32 p = 0; p < builder->ports->len; p++)
    {
      const FabPort *port = &g_array_index (builder->ports, FabPort, p);

      if (!check_name (ports, port->name, port->device, "each port of one device", error))
        return FALSE;
    }
  return TRUE;
}

static gpointer
take_array (GArray **array, guint32 *n)
{
  *n = (*array)->len;
  return g_array_free (g_steal_pointer (array), FALSE);
}

static void
collect_gpus (FabTopology *topology)
{
  for (guint32 d = 0; d < topology->n_devices; d++)
    topology->n_gpus += topology->devices[d].kind == FAB_DEVICE_GPU ? 1 : 0;
  topology->gpus = g_new (guint32, MAX (topology->n_gpus, 1));
  topology->n_gpus = 0;
  for (guint32 d = 0; d < topology->n_devices; d++)
    if (topology->devices[d].kind == FAB_DEVICE_GPU)
      topology->gpus[topology->n_gpus++] = d;
}

FabTopology *
fab__topology_builder_freeze (FabTopologyBuilder *taken, GError **error)
{
  g_autoptr (FabTopologyBuilder) builder = taken;
  FabTopology *topology;

  if (!check (builder, error) || !check_contiguous (builder, error) || !check_names (builder, error))
    return NULL;
  topology = g_atomic_rc_box_new0 (FabTopology);
  topology->node_rows = g_hash_table_new (g_str_hash, g_str_equal);
  topology->nodes = take_array (&builder->nodes, &topology->n_nodes);
  topology->devices = take_array (&builder->devices, &topology->n_devices);
  topology->ports = take_array (&builder->ports, &topology->n_ports);
  topology->links = take_array (&builder->links, &topology->n_links);
  topology->planes = take_array (&builder->planes, &topology->n_planes);
  topology->names = g_steal_pointer (&builder->names);
  for (guint32 n = 0; n < topology->n_nodes; n++)
    g_hash_table_insert (topology->node_rows, (gpointer) (gsize) topology->nodes[n].name, GUINT_TO_POINTER (n + 1));
  collect_gpus (topology);
  g_free (g_steal_pointer (&builder));
  return topology;
}
