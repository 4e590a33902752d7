/* fab-design-nodes.c: the `nodes:` section: groups of like nodes */
#include "design/fab-design-read-private.h"
#include <string.h>

static const char *const group_keys[] = { "type", "count", "digits", "names", "parts", "affinity", "links", NULL };

static gboolean
require_type (FabDesign *design, const FabItem *map, const FabNodeType **type, GError **error)
{
  const FabItem *item = fab__item_require (map, "type", error);
  const char *name = NULL;

  if (item == NULL || !fab__item_get_text (item, &name, error))
    return FALSE;
  *type = fab__catalog_lookup_node (design->catalog, name);
  if (*type == NULL)
    {
      gsize n_names;
      g_autofree const char **names = fab__catalog_list_nodes (design->catalog, &n_names);
      g_autofree const char **ended = g_new0 (const char *, n_names + 1);
      const char *nearest;

      memcpy (ended, names, n_names * sizeof *names);
      nearest = fab__nearest (name, ended);
      fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a node type, got “%s”%s%s%s", name,
                       nearest != NULL ? "; did you mean “" : "; `fabsim catalog` lists them", nearest != NULL ? nearest : "",
                       nearest != NULL ? "”?" : "");
    }
  return *type != NULL;
}

/* ---- names ---- */

static guint
digits_of (guint64 count)
{
  guint digits = 1;

  for (; count >= 10; count /= 10)
    digits++;
  return digits;
}

static gboolean
read_counted_names (FabNodeGroup *group, const FabItem *map, GError **error)
{
  guint64 count = 1, digits;

  if (!fab__item_get_uint (fab__item_lookup (map, "count"), 1, FAB_DESIGN_MAX_NODES, &count, error))
    return FALSE;
  digits = digits_of (count);
  if (!fab__item_get_uint (fab__item_lookup (map, "digits"), 1, 9, &digits, error))
    return FALSE;
  group->n_nodes = (guint32) count;
  group->nodes = g_new0 (char *, count + 1);
  for (guint32 i = 0; i < group->n_nodes; i++)
    group->nodes[i] = g_strdup_printf ("%s%0*u", group->name, (int) digits, i + 1);
  return TRUE;
}

static gboolean
read_listed_names (FabNodeGroup *group, const FabItem *map, const FabItem *names, GError **error)
{
  const char *text = NULL;
  g_autoptr (GError) reason = NULL;

  if (fab__item_lookup (map, "count") != NULL || fab__item_lookup (map, "digits") != NULL)
    {
      fab__item_error (names, error, FAB_ERROR_VALUE, "expected either names or count and digits, got both");
      return FALSE;
    }
  if (!fab__item_get_text (names, &text, error))
    return FALSE;
  group->nodes = fab_hostlist_expand (text, FAB_DESIGN_MAX_NODES, &reason);
  if (group->nodes == NULL)
    {
      fab__item_error (names, error, FAB_ERROR_VALUE, "%s", reason->message);
      return FALSE;
    }
  group->n_nodes = g_strv_length (group->nodes);
  return TRUE;
}

/* ---- the group's own parts and affinity: a copy of the type with some rows changed ---- */

static guint32
device_row (const FabNodeType *type, const char *name)
{
  for (guint i = 0; i < type->n_devices; i++)
    if (g_str_equal (type->devices[i].name, name))
      return i;
  return FAB_NONE;
}

static FabNodeType *
copy_type (FabDesign *design, const FabNodeType *type)
{
  FabNodeType *copy = fab__design_own (design, g_memdup2 (type, sizeof *type));

  copy->devices = fab__design_own (design, g_memdup2 (type->devices, sizeof *type->devices * type->n_devices));
  copy->affinity = fab__design_own (design, g_memdup2 (type->affinity, sizeof *type->affinity * type->n_devices));
  return copy;
}

static gboolean
replace_part (FabDesign *design, FabNodeType *type, const char *device, const FabItem *item, GError **error)
{
  guint32 row = device_row (type, device);
  const FabPart *part;

  if (row == FAB_NONE)
    {
      fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a device of node type “%s”, got “%s”", type->name, device);
      return FALSE;
    }
  part = fab__catalog_require (design->catalog, fab__part_kind (type->devices[row].part), item, error);
  if (part == NULL)
    return FALSE;
  type->devices[row].part = part;
  return TRUE;
}

static const FabNodeRole *
compute_role (const FabNodeType *type)
{
  for (guint i = 0; i < type->n_roles; i++)
    if (g_str_equal (type->roles[i].role, "compute"))
      return &type->roles[i];
  return NULL;
}

static gboolean
is_gpu (const FabNodeType *type, guint32 device)
{
  return fab__part_kind (type->devices[device].part) == FAB_PART_GPU;
}

/* "GPU i → rail i modulo the number of rails", the mapping people write down first. */
static void
affinity_modulo (FabNodeType *type, const FabNodeRole *role)
{
  guint gpu = 0;

  for (guint i = 0; i < type->n_devices; i++)
    if (is_gpu (type, i))
      type->affinity[i] = gpu++ % role->n_ports;
}

static gboolean
affinity_entry (FabNodeType *type, const FabNodeRole *role, const char *gpus, const FabItem *item, GError **error)
{
  const char *port = NULL;
  guint row = 0;
  gboolean any = FALSE;

  if (!fab__item_get_text (item, &port, error))
    return FALSE;
  for (; row < role->n_ports; row++)
    {
      g_autofree char *name = g_strdup_printf ("%s/p%u", type->devices[role->ports[row].device].name, role->ports[row].port);

      if (g_str_equal (name, port))
        break;
    }
  if (row == role->n_ports)
    {
      fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a compute port of node type “%s” (nic0/p1 …), got “%s”", type->name, port);
      return FALSE;
    }
  for (guint i = 0; i < type->n_devices; i++)
    if (is_gpu (type, i) && fab_hostlist_match (gpus, type->devices[i].name))
      {
        type->affinity[i] = row;
        any = TRUE;
      }
  if (!any)
    fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected GPUs of node type “%s”, got “%s”", type->name, gpus);
  return any;
}

static gboolean
read_affinity (FabNodeType *type, const FabItem *item, GError **error)
{
  const FabNodeRole *role = compute_role (type);

  if (role == NULL || role->n_ports == 0)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected a node type with compute ports, “%s” has none", type->name);
      return FALSE;
    }
  if (fab__item_kind (item) == FAB_ITEM_SCALAR)
    {
      static const char *const words[] = { "local", "modulo", NULL };
      guint word = 0;

      if (!fab__item_get_choice (item, words, &word, error))
        return FALSE;
      if (word == 1)
        affinity_modulo (type, role);
      return TRUE;
    }
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error))
    return FALSE;
  for (guint i = 0; i < fab__item_n_children (item); i++)
    if (!affinity_entry (type, role, fab__item_key (item, i), fab__item_child (item, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
read_own_type (FabDesign *design, FabNodeGroup *group, const FabItem *map, GError **error)
{
  const FabItem *parts = fab__item_lookup (map, "parts");
  const FabItem *affinity = fab__item_lookup (map, "affinity");
  FabNodeType *own;

  if (parts == NULL && affinity == NULL)
    return TRUE;
  own = copy_type (design, group->type);
  group->type = own;
  if (parts != NULL && !fab__item_expect_kind (parts, FAB_ITEM_MAP, error))
    return FALSE;
  for (guint i = 0; parts != NULL && i < fab__item_n_children (parts); i++)
    if (!replace_part (design, own, fab__item_key (parts, i), fab__item_child (parts, i), error))
      return FALSE;
  return affinity == NULL || read_affinity (own, affinity, error);
}

/* ---- numbers of all links of one kind ---- */

static gboolean
read_link_override (FabLinkOverride *link, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "goodput", "aggregate", "flow_write", "flow_read", "latency", NULL };

  return fab__item_expect_kind (item, FAB_ITEM_MAP, error)
         && fab__item_check_keys (item, keys, error)
         && fab__item_get_quantity (fab__item_lookup (item, "goodput"), FAB_UNIT_RATE, &link->goodput_bps, error)
         && fab__item_get_quantity (fab__item_lookup (item, "aggregate"), FAB_UNIT_RATE, &link->aggregate_bps, error)
         && fab__item_get_quantity (fab__item_lookup (item, "flow_write"), FAB_UNIT_RATE, &link->flow_write_bps, error)
         && fab__item_get_quantity (fab__item_lookup (item, "flow_read"), FAB_UNIT_RATE, &link->flow_read_bps, error)
         && fab__item_get_quantity (fab__item_lookup (item, "latency"), FAB_UNIT_TIME, &link->latency_ps, error);
}

static gboolean
read_links (FabNodeGroup *group, const FabItem *item, GError **error)
{
  const char *names[FAB_N_LINK_KINDS + 1] = { NULL };
  guint n_names = 0;

  if (item == NULL)
    return TRUE;
  for (guint kind = 0; kind < FAB_N_LINK_KINDS; kind++)
    if (kind != FAB_LINK_INFINIBAND && kind != FAB_LINK_ETHERNET)
      names[n_names++] = fab_link_kind_name (kind);
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, names, error))
    return FALSE;
  for (guint kind = 0; kind < FAB_N_LINK_KINDS; kind++)
    {
      const FabItem *link = fab__item_lookup (item, fab_link_kind_name (kind));

      if (link != NULL && !read_link_override (&group->links[kind], link, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the section ---- */

static gboolean
read_group (FabDesign *design, FabNodeGroup *group, const char *name, const FabItem *item, GError **error)
{
  const FabItem *names;

  group->name = name;
  group->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error)
      || !fab__item_check_keys (item, group_keys, error)
      || !require_type (design, item, &group->type, error)
      || !read_own_type (design, group, item, error)
      || !read_links (group, fab__item_lookup (item, "links"), error))
    return FALSE;
  names = fab__item_lookup (item, "names");
  return names != NULL ? read_listed_names (group, item, names, error) : read_counted_names (group, item, error);
}

static gboolean
check_node_names (const FabDesign *design, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint64 n_nodes = 0;

  for (guint g = 0; g < design->n_groups; g++)
    {
      n_nodes += design->groups[g].n_nodes;
      if (n_nodes > FAB_DESIGN_MAX_NODES)
        {
          fab__item_error (design->groups[g].item, error, FAB_ERROR_LIMIT, "expected at most %u nodes in all", FAB_DESIGN_MAX_NODES);
          return FALSE;
        }
      for (guint32 n = 0; n < design->groups[g].n_nodes; n++)
        if (!g_hash_table_add (seen, design->groups[g].nodes[n]))
          {
            fab__item_error (design->groups[g].item, error, FAB_ERROR_VALUE, "expected each node once, got “%s” again",
                             design->groups[g].nodes[n]);
            return FALSE;
          }
    }
  return TRUE;
}

gboolean
fab__design_read_groups (FabDesign *design, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error))
    return FALSE;
  design->groups = g_new0 (FabNodeGroup, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      design->n_groups++;
      if (!read_group (design, &design->groups[i], fab__item_key (item, i), fab__item_child (item, i), error))
        return FALSE;
    }
  return check_node_names (design, error);
}
