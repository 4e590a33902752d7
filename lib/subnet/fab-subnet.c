/* fab-subnet.c: LIDs and lanes of one plane */
#include "subnet/fab-subnet-private.h"

struct _FabSubnet
{
  FabTopology *topology;
  guint32      plane;
  FabQos       qos;
  guint32      n_lids, max_lid;
  guint32     *port_lid;      /* one a port of the topology; 0: none */
  guint32     *switch_lid;    /* one a switch of the plane */
  guint32     *lid_port;      /* NIC port of a LID; FAB_NONE */
  guint32     *lid_switch;    /* switch whose own LID it is; FAB_NONE */
};

/* OpenSM include/opensm/osm_base.h: vlarb_high 0:4 then 1..14:0, vlarb_low 0:0 then 1..14:4, sl2vl 0..14,7. */
void
fab_qos_init (FabQos *qos)
{
  *qos = (FabQos) { .op_vls = 5, .high_limit = 0, .n_high = 15, .n_low = 15 };
  for (guint8 vl = 0; vl < 15; vl++)
    {
      qos->sl2vl[vl] = vl;
      qos->high[vl] = (FabVlArbEntry) { .vl = vl, .weight = vl == 0 ? 4 : 0 };
      qos->low[vl] = (FabVlArbEntry) { .vl = vl, .weight = vl == 0 ? 0 : 4 };
    }
  qos->sl2vl[15] = 7;
}

/* OpenSM opensm/osm_qos.c: codes 1 to 5 mean VL0, VL0-1, VL0-3, VL0-7, VL0-14. */
guint
fab_qos_n_vls (const FabQos *qos)
{
  g_return_val_if_fail (qos->op_vls >= 1 && qos->op_vls <= 5, 1);
  return qos->op_vls == 5 ? 15 : 1u << (qos->op_vls - 1);
}

gboolean
fab_pkeys_match (guint16 a, guint16 b)
{
  return (a & 0x7fff) == (b & 0x7fff) && ((a | b) & 0x8000) != 0;
}

static void
subnet_clear (gpointer data)
{
  FabSubnet *subnet = data;

  fab_topology_unref (subnet->topology);
  g_free (subnet->port_lid);
  g_free (subnet->switch_lid);
  g_free (subnet->lid_port);
  g_free (subnet->lid_switch);
}

FabSubnet *
fab_subnet_ref (FabSubnet *subnet)
{
  return g_atomic_rc_box_acquire (subnet);
}

void
fab_subnet_unref (FabSubnet *subnet)
{
  if (subnet != NULL)
    g_atomic_rc_box_release_full (subnet, subnet_clear);
}

static gboolean
is_end_port (const FabTopology *topology, guint32 port, guint32 plane)
{
  const FabPort *row = fab_topology_port (topology, port);

  return row->plane == plane && row->link != FAB_NONE && fab_topology_device (topology, row->device)->kind != FAB_DEVICE_SWITCH;
}

static guint64
count_end_ports (const FabTopology *topology, guint32 plane)
{
  guint64 n = 0;

  for (guint32 p = 0; p < fab_topology_n_ports (topology); p++)
    n += is_end_port (topology, p, plane) ? 1 : 0;
  return n;
}

/* Without LIDs yet; room for LIDs below @n. */
static FabSubnet *
subnet_new (FabTopology *topology, guint32 plane, const FabQos *qos, gsize n)
{
  FabSubnet *subnet = g_atomic_rc_box_new0 (FabSubnet);

  subnet->topology = fab_topology_ref (topology);
  subnet->plane = plane;
  if (qos != NULL)
    subnet->qos = *qos;
  else
    fab_qos_init (&subnet->qos);
  subnet->port_lid = g_new0 (guint32, MAX (fab_topology_n_ports (topology), 1));
  subnet->switch_lid = g_new0 (guint32, MAX (fab_topology_plane (topology, plane)->n_switches, 1));
  subnet->lid_port = g_new (guint32, n);
  subnet->lid_switch = g_new (guint32, n);
  memset (subnet->lid_port, 0xff, sizeof (guint32) * n);
  memset (subnet->lid_switch, 0xff, sizeof (guint32) * n);
  return subnet;
}

static void
give_lids (FabSubnet *subnet, guint lmc)
{
  const FabPlane *plane = fab_topology_plane (subnet->topology, subnet->plane);
  guint32 step = 1u << lmc;
  guint32 next = plane->n_switches + 1;

  for (guint32 s = 0; s < plane->n_switches; s++)
    subnet->lid_switch[subnet->switch_lid[s] = s + 1] = plane->first_switch + s;
  next = (next + step - 1) / step * step;
  for (guint32 p = 0; p < fab_topology_n_ports (subnet->topology); p++)
    {
      if (!is_end_port (subnet->topology, p, subnet->plane))
        continue;
      subnet->port_lid[p] = next;
      for (guint32 i = 0; i < step; i++)
        subnet->lid_port[next + i] = p;
      next += step;
    }
  subnet->max_lid = next - 1;
}

FabSubnet *
fab_subnet_new (FabTopology *topology, guint32 plane, guint lmc, const FabQos *qos, GError **error)
{
  const FabPlane *row = fab_topology_plane (topology, plane);
  guint64 n_end_ports, n_lids;
  FabSubnet *subnet;

  g_return_val_if_fail (row != NULL && lmc <= 7, NULL);
  n_end_ports = count_end_ports (topology, plane);
  n_lids = row->n_switches + (n_end_ports << lmc);
  if (row->kind == FAB_LINK_INFINIBAND && n_lids + (1u << lmc) - 1 > FAB_SUBNET_MAX_UNICAST_LIDS)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT,
                   "%s: expected at most %u unicast LIDs, got %" G_GUINT64_FORMAT " (%u switches, %" G_GUINT64_FORMAT
                   " ports × %u); split the plane into subnets",
                   row->name, FAB_SUBNET_MAX_UNICAST_LIDS, n_lids, row->n_switches, n_end_ports, 1u << lmc);
      return NULL;
    }
  subnet = subnet_new (topology, plane, qos, n_lids + (2u << lmc) + 1);
  subnet->n_lids = (guint32) n_lids;
  give_lids (subnet, lmc);
  return subnet;
}

FabSubnet *
fab__subnet_new_with_lids (FabTopology *topology, guint32 plane, const FabQos *qos, const guint32 *switch_lids, const guint32 *lid_ports,
                           guint32 max_lid)
{
  const FabPlane *row = fab_topology_plane (topology, plane);
  FabSubnet *subnet = subnet_new (topology, plane, qos, (gsize) max_lid + 1);

  subnet->max_lid = max_lid;
  for (guint32 s = 0; s < row->n_switches; s++)
    if (switch_lids[s] != 0)
      {
        subnet->switch_lid[s] = switch_lids[s];
        subnet->lid_switch[switch_lids[s]] = row->first_switch + s;
        subnet->n_lids++;
      }
  for (guint32 lid = max_lid; lid > 0; lid--)   /* the lowest is the base */
    if (lid_ports[lid] != FAB_NONE)
      {
        subnet->lid_port[lid] = lid_ports[lid];
        subnet->port_lid[lid_ports[lid]] = lid;
        subnet->n_lids++;
      }
  return subnet;
}

FabTopology *
fab_subnet_topology (const FabSubnet *subnet)
{
  return subnet->topology;
}

guint32
fab_subnet_plane (const FabSubnet *subnet)
{
  return subnet->plane;
}

guint32
fab_subnet_n_lids (const FabSubnet *subnet)
{
  return subnet->n_lids;
}

guint32
fab_subnet_max_lid (const FabSubnet *subnet)
{
  return subnet->max_lid;
}

guint32
fab_subnet_port_lid (const FabSubnet *subnet, guint32 port)
{
  return port < fab_topology_n_ports (subnet->topology) ? subnet->port_lid[port] : 0;
}

guint32
fab_subnet_switch_lid (const FabSubnet *subnet, guint32 device)
{
  const FabPlane *plane = fab_topology_plane (subnet->topology, subnet->plane);

  return plane->n_switches > 0 && device - plane->first_switch < plane->n_switches ? subnet->switch_lid[device - plane->first_switch] : 0;
}

guint32
fab_subnet_lid_port (const FabSubnet *subnet, guint32 lid)
{
  return lid <= subnet->max_lid ? subnet->lid_port[lid] : FAB_NONE;
}

guint32
fab_subnet_lid_switch (const FabSubnet *subnet, guint32 lid)
{
  return lid <= subnet->max_lid ? subnet->lid_switch[lid] : FAB_NONE;
}

const FabQos *
fab_subnet_qos (const FabSubnet *subnet)
{
  return &subnet->qos;
}
