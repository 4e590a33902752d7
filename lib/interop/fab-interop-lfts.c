/* fab-interop-lfts.c: tables written as OpenSM dumps them, and the numbers and GUIDs that stand in such a file */
#include "interop/fab-lfts-private.h"
#include <string.h>

static gboolean
is_split (const FabTopology *topology, const FabDevice *device)
{
  for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
    if (strchr (fab_topology_port (topology, p)->name, '/') != NULL)
      return TRUE;
  return FALSE;
}

/* "p17" → 17, "p17/2" → 34; without such a name the place among the switch's ports. */
static guint
number_of (const FabPort *port, guint32 place, gboolean split)
{
  guint64 number = 0, half = 1;
  char *end = NULL;

  if (port->name[0] == 'p')
    number = g_ascii_strtoull (port->name + 1, &end, 10);
  if (number == 0)
    return place + 1;
  if (*end == '/')
    half = g_ascii_strtoull (end + 1, NULL, 10);
  return (guint) MIN (split ? 2 * (number - 1) + half : number, FAB_LFTS_NO_PATH);
}

guint
fab__lfts_port_number (const FabTopology *topology, guint32 port)
{
  const FabPort *row = fab_topology_port (topology, port);
  const FabDevice *device = fab_topology_device (topology, row->device);

  return number_of (row, port - device->first_port, is_split (topology, device));
}

void
fab__lfts_ports (const FabTopology *topology, guint32 device, guint32 ports[FAB_LFTS_NO_PATH])
{
  const FabDevice *row = fab_topology_device (topology, device);
  gboolean split = is_split (topology, row);

  memset (ports, 0xff, sizeof (guint32) * FAB_LFTS_NO_PATH);
  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    {
      guint number = number_of (fab_topology_port (topology, p), p - row->first_port, split);

      if (number < FAB_LFTS_NO_PATH)
        ports[number] = p;
    }
}

/* FNV-1a (Fowler, Noll, Vo), folded to 48 bits. */
guint64
fab__lfts_guid (const char *address)
{
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);

  for (const char *at = address; *at != '\0'; at++)
    hash = (hash ^ (guint8) *at) * G_GUINT64_CONSTANT (0x100000001b3);
  return G_GUINT64_CONSTANT (0xfab5) << 48 | ((hash ^ hash >> 48) & G_GUINT64_CONSTANT (0xffffffffffff));
}

/* What follows the port on each LID's line, the same in every table; NULL where a LID is nobody's. */
static char **
describe_lids (const FabSubnet *subnet)
{
  const FabTopology *topology = fab_subnet_topology (subnet);
  char **texts = g_new0 (char *, fab_subnet_max_lid (subnet) + 2);

  for (guint32 lid = 1; lid <= fab_subnet_max_lid (subnet); lid++)
    {
      guint32 port = fab_subnet_lid_port (subnet, lid), device = fab_subnet_lid_switch (subnet, lid);
      const FabDevice *row = port != FAB_NONE || device != FAB_NONE
                               ? fab_topology_device (topology, port != FAB_NONE ? fab_topology_port (topology, port)->device : device) : NULL;
      g_autofree char *address = port != FAB_NONE ? fab_topology_port_address (topology, port)
                                 : device != FAB_NONE ? fab_topology_device_address (topology, device) : NULL;

      if (port != FAB_NONE)
        texts[lid] = g_strdup_printf ("# Channel Adapter portguid 0x%016" G_GINT64_MODIFIER "x: '%s %s'\n", fab__lfts_guid (address),
                                      fab_topology_node (topology, row->node)->name, row->name);
      else if (device != FAB_NONE)
        texts[lid] = g_strdup_printf ("# Switch portguid 0x%016" G_GINT64_MODIFIER "x: '%s'\n", fab__lfts_guid (address), row->name);
    }
  return texts;
}

static gboolean
check_numbers (const FabTopology *topology, const FabSubnet *subnet, const FabPlane *plane, GError **error)
{
  if (fab_subnet_max_lid (subnet) > FAB_SUBNET_MAX_UNICAST_LIDS)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNSUPPORTED, "%s: expected LIDs up to %u, got %u", plane->name, FAB_SUBNET_MAX_UNICAST_LIDS,
                   fab_subnet_max_lid (subnet));
      return FALSE;
    }
  for (guint32 s = plane->first_switch; plane->n_switches > 0 && s < plane->first_switch + plane->n_switches; s++)
    {
      const FabDevice *device = fab_topology_device (topology, s);

      if (device->n_ports > 0 && fab__lfts_port_number (topology, device->first_port + device->n_ports - 1) >= FAB_LFTS_NO_PATH)
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_UNSUPPORTED, "%s: expected ports numbered up to 254, got %s", device->name,
                       fab_topology_port (topology, device->first_port + device->n_ports - 1)->name);
          return FALSE;
        }
    }
  return TRUE;
}

static void
write_switch (GString *text, const FabRoutes *routes, guint32 device, char *const *lids)
{
  const FabSubnet *subnet = fab_routes_subnet (routes);
  const FabTopology *topology = fab_subnet_topology (subnet);
  guint32 max_lid = fab_subnet_max_lid (subnet), own = fab_subnet_switch_lid (subnet, device);
  g_autofree char *address = fab_topology_device_address (topology, device);
  guint32 ports[FAB_LFTS_NO_PATH];
  g_autofree guint8 *numbers = g_new0 (guint8, fab_topology_device (topology, device)->n_ports + 1);   /* of each port */
  guint32 first = fab_topology_device (topology, device)->first_port;

  fab__lfts_ports (topology, device, ports);
  for (guint number = 1; number < FAB_LFTS_NO_PATH; number++)
    if (ports[number] != FAB_NONE)
      numbers[ports[number] - first] = (guint8) number;
  g_string_append_printf (text, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" G_GINT64_MODIFIER "x ('%s'):\n", max_lid, own,
                          fab__lfts_guid (address), fab_topology_device (topology, device)->name);
  for (guint32 lid = 1; lid <= max_lid; lid++)
    {
      guint32 link = fab_routes_next_link (routes, device, lid);

      if (lids[lid] == NULL || (link == FAB_NONE && lid != own))
        continue;
      g_string_append_printf (text, "0x%04x %03u ", lid, lid == own ? 0u : numbers[fab_topology_link (topology, link)->from_port - first]);
      g_string_append (text, lids[lid]);
    }
  g_string_append_printf (text, "%u lids dumped\n", max_lid);
}

char *
fab_lfts_write (const FabRoutes *routes, gsize *len, GError **error)
{
  const FabSubnet *subnet = fab_routes_subnet (routes);
  const FabPlane *plane = fab_topology_plane (fab_subnet_topology (subnet), fab_subnet_plane (subnet));
  GString *text;
  char **lids;

  if (!check_numbers (fab_subnet_topology (subnet), subnet, plane, error))
    return NULL;
  lids = describe_lids (subnet);
  text = g_string_new (NULL);
  for (guint32 s = 0; s < plane->n_switches; s++)
    write_switch (text, routes, plane->first_switch + s, lids);
  for (guint32 lid = 0; lid <= fab_subnet_max_lid (subnet); lid++)
    g_free (lids[lid]);
  g_free (lids);
  *len = text->len;
  return g_string_free (text, FALSE);
}
