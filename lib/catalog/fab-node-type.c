/* fab-node-type.c: a node type: devices, the links between them, and which ports serve which plane */
#include "catalog/fab-node-type-private.h"
#include "catalog/fab-part-private.h"
#include "fab-address.h"
#include <string.h>

#define MAX_DEVICES 1024

static const char *const node_keys[] = {
  "kind", "name", "summary", "source", "devices", "links", "ports", "affinity", NULL,
};

static void
node_type_clear (gpointer data)
{
  FabNodeType *type = data;

  for (guint i = 0; i < type->n_devices; i++)
    g_free ((char *) (gsize) type->devices[i].name);
  for (guint i = 0; i < type->n_roles; i++)
    {
      g_free ((char *) (gsize) type->roles[i].role);
      g_free (type->roles[i].ports);
    }
  g_free ((char *) (gsize) type->name);
  g_free ((char *) (gsize) type->summary);
  g_free ((char *) (gsize) type->source);
  g_free (type->devices);
  g_free (type->links);
  g_free (type->roles);
  g_free (type->affinity);
}

FabNodeType *
fab__node_type_ref (FabNodeType *type)
{
  return g_atomic_rc_box_acquire (type);
}

void
fab__node_type_unref (FabNodeType *type)
{
  if (type != NULL)
    g_atomic_rc_box_release_full (type, node_type_clear);
}

gboolean
fab__node_type_expand (const FabItem *item, const char *text, GStrv *names, GError **error)
{
  g_autoptr (GError) reason = NULL;

  *names = fab_hostlist_expand (text, MAX_DEVICES, &reason);
  if (*names == NULL)
    fab__item_error (item, error, FAB_ERROR_VALUE, "%s", reason->message);
  return *names != NULL;
}

/* ---- devices ---- */

/* A device names its part alone; which kind it is of, the catalog knows. */
static const FabPartKind device_kinds[] = {
  FAB_PART_GPU, FAB_PART_NIC, FAB_PART_PCIE_SWITCH, FAB_PART_CPU, FAB_PART_NVSWITCH,
};

static void
unknown_device_part (const FabCatalog *catalog, const FabItem *part, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *nearest;

  for (guint k = 0; k < G_N_ELEMENTS (device_kinds); k++)
    {
      gsize n_parts;
      g_autofree const FabPart **parts = fab__catalog_list (catalog, device_kinds[k], &n_parts);

      for (gsize i = 0; i < n_parts; i++)
        g_ptr_array_add (names, (gpointer) (gsize) fab__part_name (parts[i]));
    }
  g_ptr_array_add (names, NULL);
  nearest = fab__nearest (name, (const char *const *) names->pdata);
  fab__item_error (part, error, FAB_ERROR_UNKNOWN,
                   "expected a GPU, NIC, PCIe switch, CPU or NVSwitch of the catalog, got “%s”%s%s%s", name,
                   nearest != NULL ? "; did you mean “" : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "”?" : "");
}

static const FabPart *
require_device_part (const FabCatalog *catalog, const FabItem *item, GError **error)
{
  const FabItem *part = fab__item_require (item, "part", error);
  const char *name = "";

  if (part == NULL || !fab__item_get_text (part, &name, error))
    return NULL;
  for (guint k = 0; k < G_N_ELEMENTS (device_kinds); k++)
    {
      const FabPart *found = fab__catalog_lookup (catalog, device_kinds[k], name);

      if (found != NULL)
        return found;
    }
  unknown_device_part (catalog, part, name, error);
  return NULL;
}

static guint32
device_row (const FabNodeType *type, const char *name)
{
  for (guint i = 0; i < type->n_devices; i++)
    if (g_str_equal (type->devices[i].name, name))
      return i;
  return FAB_NONE;
}

/* A device is a segment of an address. */
static gboolean
check_device_name (const FabItem *item, const char *name, GHashTable *used, GError **error)
{
  if (name[strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-.")] != '\0')
    {
      fab__item_error (item, error, FAB_ERROR_VALUE,
                       "expected a device name of letters, digits, “_”, “-” and “.”, got “%s”", name);
      return FALSE;
    }
  if (g_hash_table_add (used, g_strdup (name)))
    return TRUE;
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected each device once, got “%s” again", name);
  return FALSE;
}

static gboolean
read_device (const FabCatalog *catalog, const FabItem *item, const char *hostlist, GArray *devices, GHashTable *used,
             GError **error)
{
  static const char *const keys[] = { "part", NULL };
  FabNodeDevice device = { 0 };
  g_auto (GStrv) names = NULL;

  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error))
    return FALSE;
  device.part = require_device_part (catalog, item, error);
  if (device.part == NULL || !fab__node_type_expand (item, hostlist, &names, error))
    return FALSE;
  for (guint n = 0; names[n] != NULL; n++)
    {
      if (!check_device_name (item, names[n], used, error))
        return FALSE;
      device.name = g_strdup (names[n]);
      g_array_append_val (devices, device);
    }
  return TRUE;
}

static gboolean
read_devices (FabNodeType *type, const FabCatalog *catalog, const FabItem *map, GError **error)
{
  g_autoptr (GArray) devices = g_array_new (FALSE, FALSE, sizeof (FabNodeDevice));
  g_autoptr (GHashTable) used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean ok = map != NULL && fab__item_expect_kind (map, FAB_ITEM_MAP, error);

  for (guint i = 0; ok && i < fab__item_n_children (map); i++)
    {
      ok = read_device (catalog, fab__item_child (map, i), fab__item_key (map, i), devices, used, error);
      if (ok && devices->len > MAX_DEVICES)
        {
          fab__item_error (map, error, FAB_ERROR_LIMIT, "expected at most %d devices in a node", MAX_DEVICES);
          ok = FALSE;
        }
    }
  type->n_devices = devices->len;
  type->devices = (FabNodeDevice *) (void *) g_array_free (g_steal_pointer (&devices), FALSE);
  return ok;
}

guint32
fab__node_type_require_device (const FabNodeType *type, const FabItem *item, const char *name, GError **error)
{
  guint32 row = device_row (type, name);

  if (row == FAB_NONE)
    fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a device of this node type, got “%s”", name);
  return row;
}

/* ---- ports and affinity ---- */

static guint64
n_network_ports (const FabPart *part)
{
  return fab__part_kind (part) == FAB_PART_NIC ? fab__part_value (part, "ports", 1) : 0;
}

static gboolean
parse_port (const FabNodeType *type, const FabItem *item, const char *text, FabNodePort *port, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 2);
  const FabPart *card;
  guint64 number = 0;

  if (parts[0] == NULL || parts[1] == NULL || parts[1][0] != 'p'
      || !g_ascii_string_to_unsigned (parts[1] + 1, 10, 1, 64, &number, NULL))
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected a port such as nic0/p1, got “%s”", text);
      return FALSE;
    }
  port->device = fab__node_type_require_device (type, item, parts[0], error);
  port->port = (guint) number;
  if (port->device == FAB_NONE)
    return FALSE;
  card = type->devices[port->device].part;
  if (number > n_network_ports (card))
    fab__item_error (item, error, FAB_ERROR_VALUE,
                     "expected one of the %" G_GUINT64_FORMAT " network ports of %s, got “%s”", n_network_ports (card),
                     fab__part_name (card), text);
  return number <= n_network_ports (card);
}

static gboolean
read_role (const FabNodeType *type, FabNodeRole *role, const FabItem *list, GHashTable *used, GError **error)
{
  if (!fab__item_expect_kind (list, FAB_ITEM_LIST, error))
    return FALSE;
  role->ports = g_new0 (FabNodePort, fab__item_n_children (list) + 1);
  for (guint i = 0; i < fab__item_n_children (list); i++)
    {
      const FabItem *item = fab__item_child (list, i);
      const char *text = "";

      if (!fab__item_get_text (item, &text, error) || !parse_port (type, item, text, &role->ports[i], error))
        return FALSE;
      if (!g_hash_table_add (used, GUINT_TO_POINTER (role->ports[i].device * 64 + role->ports[i].port)))
        {
          fab__item_error (item, error, FAB_ERROR_VALUE, "expected each port used once, got “%s” again", text);
          return FALSE;
        }
      role->n_ports++;
    }
  return TRUE;
}

static gboolean
read_roles (FabNodeType *type, const FabItem *map, GError **error)
{
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);

  if (map != NULL && !fab__item_expect_kind (map, FAB_ITEM_MAP, error))
    return FALSE;
  type->roles = g_new0 (FabNodeRole, map != NULL ? fab__item_n_children (map) + 1 : 1);
  for (guint i = 0; map != NULL && i < fab__item_n_children (map); i++)
    {
      type->roles[i].role = g_strdup (fab__item_key (map, i));
      type->n_roles++;
      if (!read_role (type, &type->roles[i], fab__item_child (map, i), used, error))
        return FALSE;
    }
  return TRUE;
}

static guint32
compute_row (const FabNodeType *type, const FabNodePort *port)
{
  for (guint r = 0; r < type->n_roles; r++)
    for (guint p = 0; g_str_equal (type->roles[r].role, "compute") && p < type->roles[r].n_ports; p++)
      if (type->roles[r].ports[p].device == port->device && type->roles[r].ports[p].port == port->port)
        return p;
  return FAB_NONE;
}

static gboolean
set_affinity (FabNodeType *type, const FabItem *item, const char *name, guint32 row, GError **error)
{
  guint32 device = fab__node_type_require_device (type, item, name, error);

  if (device == FAB_NONE)
    return FALSE;
  if (fab__part_kind (type->devices[device].part) != FAB_PART_GPU || type->affinity[device] != FAB_NONE)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected each GPU once, got “%s”%s", name,
                       type->affinity[device] != FAB_NONE ? " again" : "");
      return FALSE;
    }
  type->affinity[device] = row;
  return TRUE;
}

static gboolean
read_gpus_port (FabNodeType *type, const FabItem *item, const char *hostlist, GError **error)
{
  g_auto (GStrv) gpus = NULL;
  const char *text = "";
  FabNodePort port;
  guint32 row;

  if (!fab__item_get_text (item, &text, error) || !parse_port (type, item, text, &port, error)
      || !fab__node_type_expand (item, hostlist, &gpus, error))
    return FALSE;
  row = compute_row (type, &port);
  if (row == FAB_NONE)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected a port listed under ports: compute:, got “%s”", text);
      return FALSE;
    }
  for (guint g = 0; gpus[g] != NULL; g++)
    if (!set_affinity (type, item, gpus[g], row, error))
      return FALSE;
  return TRUE;
}

static gboolean
read_affinity (FabNodeType *type, const FabItem *map, GError **error)
{
  type->affinity = g_new (guint32, MAX (type->n_devices, 1));
  for (guint i = 0; i < type->n_devices; i++)
    type->affinity[i] = FAB_NONE;
  if (map != NULL && !fab__item_expect_kind (map, FAB_ITEM_MAP, error))
    return FALSE;
  for (guint i = 0; map != NULL && i < fab__item_n_children (map); i++)
    if (!read_gpus_port (type, fab__item_child (map, i), fab__item_key (map, i), error))
      return FALSE;
  return TRUE;
}

FabNodeType *
fab__node_type_read (const FabCatalog *catalog, const char *name, const FabItem *item, GError **error)
{
  FabNodeType *type = g_atomic_rc_box_new0 (FabNodeType);
  const char *summary = "", *source = "";
  gboolean ok = fab__item_expect_kind (item, FAB_ITEM_MAP, error) && fab__item_check_keys (item, node_keys, error)
                && fab__item_get_text (fab__item_lookup (item, "summary"), &summary, error)
                && fab__item_get_text (fab__item_lookup (item, "source"), &source, error)
                && read_devices (type, catalog, fab__item_require (item, "devices", error), error)
                && fab__node_type_read_links (type, catalog, fab__item_lookup (item, "links"), error)
                && read_roles (type, fab__item_lookup (item, "ports"), error)
                && read_affinity (type, fab__item_lookup (item, "affinity"), error);

  type->name = g_strdup (name);
  type->summary = g_strdup (summary);
  type->source = g_strdup (source);
  if (!ok)
    g_clear_pointer (&type, fab__node_type_unref);
  return type;
}

/* ---- the same over other parts ---- */

FabNodeType *
fab__node_type_repoint (const FabNodeType *from, const FabCatalog *catalog)
{
  FabNodeType *type = g_atomic_rc_box_new0 (FabNodeType);

  *type = *from;
  type->name = g_strdup (from->name);
  type->summary = g_strdup (from->summary);
  type->source = g_strdup (from->source);
  type->devices = g_memdup2 (from->devices, sizeof *from->devices * from->n_devices);
  type->links = g_memdup2 (from->links, sizeof *from->links * from->n_links);
  type->roles = g_memdup2 (from->roles, sizeof *from->roles * MAX (from->n_roles, 1));
  type->affinity = g_memdup2 (from->affinity, sizeof *from->affinity * MAX (from->n_devices, 1));
  for (guint i = 0; i < type->n_devices; i++)
    {
      const FabPart *part = from->devices[i].part;

      type->devices[i].name = g_strdup (from->devices[i].name);
      type->devices[i].part = fab__catalog_lookup (catalog, fab__part_kind (part), fab__part_name (part));
    }
  for (guint i = 0; i < type->n_links; i++)
    if (type->links[i].pcie != NULL)
      type->links[i].pcie = fab__catalog_lookup (catalog, FAB_PART_PCIE, fab__part_name (from->links[i].pcie));
  for (guint i = 0; i < type->n_roles; i++)
    {
      type->roles[i].role = g_strdup (from->roles[i].role);
      type->roles[i].ports = g_memdup2 (from->roles[i].ports,
                                        sizeof *from->roles[i].ports * MAX (from->roles[i].n_ports, 1));
    }
  return type;
}

gboolean
fab__node_type_check_ports (const FabNodeType *type, GError **error)
{
  for (guint r = 0; r < type->n_roles; r++)
    for (guint p = 0; p < type->roles[r].n_ports; p++)
      {
        const FabNodePort *port = &type->roles[r].ports[p];
        const FabNodeDevice *device = &type->devices[port->device];

        if (port->port <= n_network_ports (device->part))
          continue;
        g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE,
                     "%s: expected %s to keep port p%u of %s for %s, got %" G_GUINT64_FORMAT " ports", type->name,
                     fab__part_name (device->part), port->port, device->name, type->roles[r].role,
                     n_network_ports (device->part));
        return FALSE;
      }
  return TRUE;
}
