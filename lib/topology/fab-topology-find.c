/* fab-topology-find.c: from addresses to rows */
#include "topology/fab-topology-private.h"
#include "base/fab-document-private.h"

/* ---- one device ---- */

static guint32
find_in (const FabTopology *topology, guint32 first, guint32 n, const char *name)
{
  for (guint32 d = first; d < first + n; d++)
    if (g_str_equal (topology->devices[d].name, name))
      return d;
  return FAB_NONE;
}

static gboolean
unknown (const char *what, const char *got, GPtrArray *names, GError **error)
{
  const char *nearest;

  g_ptr_array_add (names, NULL);
  nearest = fab__nearest (got, (const char *const *) names->pdata);
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected %s, got “%s”%s%s%s", what, got, nearest != NULL ? "; did you mean “" : "",
               nearest != NULL ? nearest : "", nearest != NULL ? "”?" : "");
  return FALSE;
}

static gboolean
unknown_owner (const FabTopology *topology, const char *got, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint32 p = 0; p < topology->n_planes; p++)
    g_ptr_array_add (names, (gpointer) (gsize) topology->planes[p].name);
  for (guint32 n = 0; n < topology->n_nodes; n++)
    g_ptr_array_add (names, (gpointer) (gsize) topology->nodes[n].name);
  return unknown ("a node or plane", got, names, error);
}

static gboolean
unknown_device (const FabTopology *topology, guint32 first, guint32 n, const FabAddress *address, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *what = g_strdup_printf ("a device of %s", address->owner);

  for (guint32 d = first; d < first + n; d++)
    g_ptr_array_add (names, (gpointer) (gsize) topology->devices[d].name);
  return unknown (what, address->device, names, error);
}

static gboolean
find_bare (const FabTopology *topology, const char *name, guint32 *device, GError **error)
{
  g_autoptr (GPtrArray) names = NULL;
  guint32 found = FAB_NONE;

  for (guint32 d = 0; d < topology->n_devices; d++)
    {
      if (!g_str_equal (topology->devices[d].name, name))
        continue;
      if (found != FAB_NONE)
        {
          g_autofree char *a = fab_topology_device_address (topology, found);
          g_autofree char *b = fab_topology_device_address (topology, d);

          g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected a name that one device has, got “%s”: is it %s or %s?", name, a, b);
          return FALSE;
        }
      found = d;
    }
  *device = found;
  if (found != FAB_NONE)
    return TRUE;
  if (fab_topology_lookup_node (topology, name) != FAB_NONE || fab_topology_lookup_plane (topology, name) != FAB_NONE)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected a device such as %s/…, got “%s” alone", name, name);
      return FALSE;
    }
  names = g_ptr_array_new ();
  for (guint32 d = 0; d < topology->n_devices; d++)
    if (topology->devices[d].kind == FAB_DEVICE_SWITCH)
      g_ptr_array_add (names, (gpointer) (gsize) topology->devices[d].name);
  return unknown ("a device such as gpu001/gpu0 or compute/leaf1", name, names, error);
}

gboolean
fab_topology_find_device (const FabTopology *topology, const char *text, guint32 *device, GError **error)
{
  g_auto (FabAddress) address = { NULL };
  guint32 node, plane, first, n;

  if (!fab_address_parse (text, &address, error))
    return FALSE;
  if (address.port != NULL)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "expected a device, got the port “%s”", text);
      return FALSE;
    }
  if (address.owner == NULL)
    return find_bare (topology, address.device, device, error);
  node = fab_topology_lookup_node (topology, address.owner);
  plane = fab_topology_lookup_plane (topology, address.owner);
  if (node == FAB_NONE && plane == FAB_NONE)
    return unknown_owner (topology, address.owner, error);
  first = node != FAB_NONE ? topology->nodes[node].first_device : topology->planes[plane].first_switch;
  n = node != FAB_NONE ? topology->nodes[node].n_devices : topology->planes[plane].n_switches;
  *device = n > 0 ? find_in (topology, first, n, address.device) : FAB_NONE;
  return *device != FAB_NONE || unknown_device (topology, first, n, &address, error);
}

/* ---- all that a pattern names ---- */

static const char *
owner_of (const FabTopology *topology, const FabDevice *device)
{
  return device->node != FAB_NONE ? topology->nodes[device->node].name : topology->planes[device->plane].name;
}

/* A lone segment names a device, or all devices of an owner. */
static gboolean
device_matches (const FabTopology *topology, const FabDevice *device, const FabAddress *address)
{
  if (address->owner == NULL)
    return fab_hostlist_match (address->device, device->name) || fab_hostlist_match (address->device, owner_of (topology, device));
  return fab_hostlist_match (address->owner, owner_of (topology, device)) && fab_hostlist_match (address->device, device->name);
}

static void
add_link (GHashTable *seen, GArray *links, guint32 link)
{
  guint32 even = link & ~1u;

  if (g_hash_table_add (seen, GUINT_TO_POINTER (even + 1)))
    g_array_append_val (links, even);
}

static gboolean
end_matches (const FabTopology *topology, guint32 port, const FabAddress *address)
{
  const FabPort *row = &topology->ports[port];

  return device_matches (topology, &topology->devices[row->device], address)
         && (address->port == NULL || (row->name != NULL && fab_hostlist_match (address->port, row->name)));
}

static void
match_links (const FabTopology *topology, const FabAddress *a, const FabAddress *b, GArray *links)
{
  for (guint32 l = 0; l < topology->n_links; l += 2)
    {
      const FabLink *link = &topology->links[l];

      if ((end_matches (topology, link->from_port, a) && end_matches (topology, link->to_port, b))
          || (end_matches (topology, link->from_port, b) && end_matches (topology, link->to_port, a)))
        g_array_append_val (links, l);
    }
}

/* A port names its link; a device or owner itself and all links on it. */
static void
match_devices (const FabTopology *topology, const FabAddress *address, GArray *devices, GArray *links)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint32 d = 0; d < topology->n_devices; d++)
    {
      const FabDevice *device = &topology->devices[d];

      if (!device_matches (topology, device, address))
        continue;
      if (address->port == NULL)
        g_array_append_val (devices, d);
      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        if (topology->ports[p].link != FAB_NONE
            && (address->port == NULL
                || (topology->ports[p].name != NULL && fab_hostlist_match (address->port, topology->ports[p].name))))
          add_link (seen, links, topology->ports[p].link);
    }
}

gboolean
fab_topology_match (const FabTopology *topology, const char *text, GArray **devices, GArray **links, GError **error)
{
  g_auto (FabAddress) a = { NULL };
  g_auto (FabAddress) b = { NULL };
  g_autoptr (GArray) found_devices = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) found_links = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (strstr (text, "--") != NULL)
    {
      if (!fab_address_parse_link (text, &a, &b, error))
        return FALSE;
      match_links (topology, &a, &b, found_links);
    }
  else
    {
      if (!fab_address_parse (text, &a, error))
        return FALSE;
      match_devices (topology, &a, found_devices, found_links);
    }
  if (found_devices->len == 0 && found_links->len == 0)
    {
      g_autoptr (GError) reason = NULL;
      guint32 device;

      /* The nearest name is known only of an address that means one device. */
      if (strpbrk (text, "*[") == NULL && strstr (text, "--") == NULL && a.port == NULL && !fab_topology_find_device (topology, text, &device, &reason))
        g_propagate_error (error, g_steal_pointer (&reason));
      else
        g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected an element of this fabric, got “%s”, which names none", text);
      return FALSE;
    }
  if (devices != NULL)
    *devices = g_steal_pointer (&found_devices);
  if (links != NULL)
    *links = g_steal_pointer (&found_links);
  return TRUE;
}
