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
ambiguous (const FabTopology *topology, const char *got, guint32 one, guint32 other, GError **error)
{
  g_autofree char *a = fab_topology_device_address (topology, one);
  g_autofree char *b = fab_topology_device_address (topology, other);

  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected a name that is unique, got “%s”: is it %s or %s?", got, a, b);
  return FALSE;
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
        return ambiguous (topology, name, found, d, error);
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
  g_auto (FabAddress) address = { NULL, NULL, NULL };
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

/* One end of what was asked for. A bare name is an owner's where any owner has it, else a device's. */
typedef struct
{
  FabAddress address;
  gboolean   bare_owner;
} Pattern;

/* Two ends where a link is asked for, else one. */
typedef struct
{
  Pattern ends[2];
  guint   n_ends;
} Query;

static void
query_clear (Query *query)
{
  fab_address_clear (&query->ends[0].address);
  fab_address_clear (&query->ends[1].address);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Query, query_clear)

static gboolean
any_owner_matches (const FabTopology *topology, const char *name)
{
  gboolean found = FALSE;

  for (guint32 p = 0; p < topology->n_planes && !found; p++)
    found = fab_hostlist_match (name, topology->planes[p].name);
  for (guint32 n = 0; n < topology->n_nodes && !found; n++)
    found = fab_hostlist_match (name, topology->nodes[n].name);
  return found;
}

static gboolean
device_matches (const FabTopology *topology, const FabDevice *device, const Pattern *pattern)
{
  const FabAddress *address = &pattern->address;

  if (address->owner == NULL)
    return fab_hostlist_match (address->device, pattern->bare_owner ? owner_of (topology, device) : device->name);
  return fab_hostlist_match (address->owner, owner_of (topology, device)) && fab_hostlist_match (address->device, device->name);
}

/* Bare device names are taken where one owner has them; a "*" says that all are meant. */
static gboolean
pattern_settle (const FabTopology *topology, Pattern *pattern, GError **error)
{
  const char *bare = pattern->address.owner == NULL ? pattern->address.device : NULL;
  guint32 found = FAB_NONE;

  pattern->bare_owner = bare != NULL && any_owner_matches (topology, bare);
  if (bare == NULL || pattern->bare_owner || strchr (bare, '*') != NULL)
    return TRUE;
  for (guint32 d = 0; d < topology->n_devices; d++)
    {
      if (!device_matches (topology, &topology->devices[d], pattern))
        continue;
      if (found != FAB_NONE && owner_of (topology, &topology->devices[d]) != owner_of (topology, &topology->devices[found]))
        return ambiguous (topology, bare, found, d, error);
      found = d;
    }
  return TRUE;
}

static gboolean
query_init (Query *query, const FabTopology *topology, const char *text, GError **error)
{
  Pattern *ends = query->ends;

  query->n_ends = strstr (text, "--") != NULL ? 2 : 1;
  return (query->n_ends == 2 ? fab_address_parse_link (text, &ends[0].address, &ends[1].address, error)
                             : fab_address_parse (text, &ends[0].address, error))
         && pattern_settle (topology, &ends[0], error) && (query->n_ends == 1 || pattern_settle (topology, &ends[1], error));
}

static gboolean
port_matches (const FabTopology *topology, guint32 port, const Pattern *pattern)
{
  const char *name = topology->ports[port].name;

  return pattern->address.port == NULL || (name != NULL && fab_hostlist_match (pattern->address.port, name));
}

static gboolean
end_matches (const FabTopology *topology, guint32 port, const Pattern *pattern)
{
  return device_matches (topology, &topology->devices[topology->ports[port].device], pattern) && port_matches (topology, port, pattern);
}

static void
match_links (const FabTopology *topology, const Pattern *a, const Pattern *b, GArray *links)
{
  for (guint32 l = 0; l < topology->n_links; l += 2)
    {
      const FabLink *link = &topology->links[l];

      if ((end_matches (topology, link->from_port, a) && end_matches (topology, link->to_port, b))
          || (end_matches (topology, link->from_port, b) && end_matches (topology, link->to_port, a)))
        g_array_append_val (links, l);
    }
}

static void
add_link (GHashTable *seen, GArray *links, guint32 link)
{
  guint32 even = link & ~1u;

  if (g_hash_table_add (seen, GUINT_TO_POINTER (even + 1)))
    g_array_append_val (links, even);
}

/* A port names its link; a device or owner itself and all links on it. */
static void
match_devices (const FabTopology *topology, const Pattern *pattern, GArray *devices, GArray *links)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint32 d = 0; d < topology->n_devices; d++)
    {
      const FabDevice *device = &topology->devices[d];

      if (!device_matches (topology, device, pattern))
        continue;
      if (pattern->address.port == NULL)
        g_array_append_val (devices, d);
      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        if (topology->ports[p].link != FAB_NONE && port_matches (topology, p, pattern))
          add_link (seen, links, topology->ports[p].link);
    }
}

/* ---- why nothing matched ---- */

static gboolean
is_plain (const char *text)
{
  return text == NULL || strpbrk (text, "*[,") == NULL;
}

static gboolean
explain_port (const FabTopology *topology, guint32 device, const char *port, GError **error)
{
  const FabDevice *row = &topology->devices[device];
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *address = fab_topology_device_address (topology, device);
  g_autofree char *what = g_strdup_printf ("a port of %s", address);

  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    {
      const char *name = topology->ports[p].name;

      if (name != NULL && g_str_equal (name, port))
        return TRUE;
      if (name != NULL)
        g_ptr_array_add (names, (gpointer) (gsize) name);
    }
  return unknown (what, port, names, error);
}

/* FALSE and the reason with the nearest name, where this end means one device or port and there is none such. */
static gboolean
explain_end (const FabTopology *topology, const Pattern *pattern, GError **error)
{
  FabAddress device_only = { .owner = pattern->address.owner, .device = pattern->address.device };
  g_autofree char *text = fab_address_to_string (&device_only);
  guint32 device;

  if (pattern->bare_owner || !is_plain (device_only.owner) || !is_plain (device_only.device))
    return TRUE;
  return fab_topology_find_device (topology, text, &device, error)
         && (pattern->address.port == NULL || !is_plain (pattern->address.port)
             || explain_port (topology, device, pattern->address.port, error));
}

static gboolean
nothing_matched (const FabTopology *topology, const char *text, const Query *query, GError **error)
{
  for (guint e = 0; e < query->n_ends; e++)
    if (!explain_end (topology, &query->ends[e], error))
      return FALSE;
  if (query->n_ends == 2)
    g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected the two ends of a link, got “%s”, which no link joins", text);
  else if (is_plain (text) && query->ends[0].address.port != NULL)
    g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected a port with a link, got “%s”, which is free", text);
  else
    g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected an element of this fabric, got “%s”, which names none", text);
  return FALSE;
}

gboolean
fab_topology_match (const FabTopology *topology, const char *text, GArray **devices, GArray **links, GError **error)
{
  g_autoptr (GArray) found_devices = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) found_links = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_auto (Query) query = { .n_ends = 0 };

  if (!query_init (&query, topology, text, error))
    return FALSE;
  if (query.n_ends == 2)
    match_links (topology, &query.ends[0], &query.ends[1], found_links);
  else
    match_devices (topology, &query.ends[0], found_devices, found_links);
  if (found_devices->len == 0 && found_links->len == 0)
    return nothing_matched (topology, text, &query, error);
  if (devices != NULL)
    *devices = g_steal_pointer (&found_devices);
  if (links != NULL)
    *links = g_steal_pointer (&found_links);
  return TRUE;
}
