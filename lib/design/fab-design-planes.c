/* fab-design-planes.c: the `planes:` section: what each plane joins, over what, in which shape */
#include "design/fab-design-read-private.h"

static const char *const plane_keys[] = {
  "link", "nodes", "ports", "topology", "host_link", "uplink", "core_link", "mtu", "switches", "links", "routing", "subnet", NULL,
};

/* ---- cables ---- */

gboolean
fab__design_read_cable (const FabDesign *design, const FabPlaneSpec *plane, const FabItem *item, const char *const *keys,
                        FabCableSpec *spec, GError **error)
{
  static const char *const cable_keys[] = { "speed", "cable", "length", "goodput", NULL };
  const FabItem *speed, *cable;
  const char *family;

  if (item == NULL)
    return TRUE;
  spec->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys != NULL ? keys : cable_keys, error))
    return FALSE;
  speed = fab__item_require (item, "speed", error);
  if (speed == NULL)
    return FALSE;
  spec->speed = fab__catalog_require (design->catalog, FAB_PART_SPEED, speed, error);
  if (spec->speed == NULL)
    return FALSE;
  family = plane->kind == FAB_LINK_INFINIBAND ? "infiniband" : "ethernet";
  if (g_strcmp0 (fab__part_text (spec->speed, "family"), family) != 0)
    {
      fab__item_error (speed, error, FAB_ERROR_VALUE, "expected an %s speed, got “%s”", family, fab__part_name (spec->speed));
      return FALSE;
    }
  cable = fab__item_lookup (item, "cable");
  if (cable != NULL && (spec->cable = fab__catalog_require (design->catalog, FAB_PART_CABLE, cable, error)) == NULL)
    return FALSE;
  if (fab__item_lookup (item, "length") != NULL)
    {
      if (!fab__item_get_quantity (fab__item_lookup (item, "length"), FAB_UNIT_LENGTH, &spec->length_mm, error))
        return FALSE;
      if (spec->length_mm == 0)
        {
          fab__item_error (fab__item_lookup (item, "length"), error, FAB_ERROR_VALUE, "expected a length above zero, got 0");
          return FALSE;
        }
    }
  return fab__item_get_quantity (fab__item_lookup (item, "goodput"), FAB_UNIT_RATE, &spec->goodput_bps, error);
}

/* ---- which nodes ---- */

static gboolean
has_role (const FabNodeType *type, const char *role)
{
  for (guint i = 0; i < type->n_roles; i++)
    if (g_str_equal (type->roles[i].role, role))
      return TRUE;
  return FALSE;
}

static guint32
group_row (const FabDesign *design, const char *name)
{
  for (guint i = 0; i < design->n_groups; i++)
    if (g_str_equal (design->groups[i].name, name))
      return i;
  return FAB_NONE;
}

static gboolean
add_named_group (const FabDesign *design, FabPlaneSpec *plane, const FabItem *item, GError **error)
{
  const char *name = NULL;
  guint32 group;

  if (!fab__item_get_text (item, &name, error))
    return FALSE;
  group = name != NULL ? group_row (design, name) : FAB_NONE;
  if (group == FAB_NONE)
    {
      fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a group of nodes, got “%s”", name != NULL ? name : "");
      return FALSE;
    }
  if (!has_role (design->groups[group].type, plane->role))
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected nodes with “%s” ports, “%s” (%s) has none", plane->role, name,
                       design->groups[group].type->name);
      return FALSE;
    }
  plane->groups[plane->n_groups++] = group;
  return TRUE;
}

static gboolean
read_members (const FabDesign *design, FabPlaneSpec *plane, const FabItem *nodes, GError **error)
{
  plane->groups = g_new0 (guint32, MAX (MAX (design->n_groups, nodes != NULL ? fab__item_n_children (nodes) : 0), 1));
  if (nodes == NULL)
    {
      for (guint g = 0; g < design->n_groups; g++)
        if (has_role (design->groups[g].type, plane->role))
          plane->groups[plane->n_groups++] = g;
      return TRUE;
    }
  if (!fab__item_expect_kind (nodes, FAB_ITEM_LIST, error))
    return FALSE;
  for (guint i = 0; i < fab__item_n_children (nodes); i++)
    if (!add_named_group (design, plane, fab__item_child (nodes, i), error))
      return FALSE;
  return TRUE;
}

/* ---- the shape ---- */

static const FabFamily *
require_family (const FabItem *topology, GError **error)
{
  const FabItem *item = fab__item_require (topology, "family", error);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint row = 0;

  if (item == NULL)
    return NULL;
  for (guint i = 0; fab__families[i] != NULL; i++)
    g_ptr_array_add (names, (gpointer) (gsize) fab__families[i]->name);
  g_ptr_array_add (names, NULL);
  if (!fab__item_get_choice (item, (const char *const *) names->pdata, &row, error))
    return NULL;
  return fab__families[row];
}

static gboolean
check_family_keys (const FabFamily *family, const FabItem *topology, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();

  g_ptr_array_add (keys, (gpointer) (gsize) "family");
  for (guint i = 0; family->keys[i] != NULL; i++)
    g_ptr_array_add (keys, (gpointer) (gsize) family->keys[i]);
  g_ptr_array_add (keys, NULL);
  return fab__item_check_keys (topology, (const char *const *) keys->pdata, error);
}

static gboolean
read_shape (FabDesign *design, FabPlaneSpec *plane, const FabItem *item, GError **error)
{
  plane->topology = fab__item_lookup (item, "topology");
  if (plane->topology == NULL && fab__item_lookup (item, "links") == NULL)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected topology: with a family, or switches: and links: of its own; got neither");
      return FALSE;
    }
  if (plane->topology == NULL)
    return TRUE;
  if (!fab__item_expect_kind (plane->topology, FAB_ITEM_MAP, error))
    return FALSE;
  plane->family = require_family (plane->topology, error);
  if (plane->family == NULL || !check_family_keys (plane->family, plane->topology, error))
    return FALSE;
  if (plane->host_link.item == NULL)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected host_link: {speed: …}, got none");
      return FALSE;
    }
  return plane->family->read (design, plane, error);
}

static gboolean
read_mtu (FabPlaneSpec *plane, const FabItem *item, GError **error)
{
  guint64 mtu_bytes = plane->host_link.speed != NULL ? fab__part_value (plane->host_link.speed, "mtu", 4096) : 4096;

  if (!fab__item_get_quantity (item, FAB_UNIT_SIZE, &mtu_bytes, error))
    return FALSE;
  if (mtu_bytes < 64 || mtu_bytes > 65536)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected 64 to 65536 bytes, got %" G_GUINT64_FORMAT, mtu_bytes);
      return FALSE;
    }
  plane->mtu_bytes = (guint) mtu_bytes;
  return TRUE;
}

static gboolean
read_plane (FabDesign *design, FabPlaneSpec *plane, const char *name, const FabItem *item, GError **error)
{
  static const char *const links[] = { "infiniband", "ethernet", NULL };
  const FabItem *link;
  guint kind = 0;

  plane->name = plane->role = name;
  plane->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, plane_keys, error))
    return FALSE;
  link = fab__item_require (item, "link", error);
  if (link == NULL || !fab__item_get_choice (link, links, &kind, error))
    return FALSE;
  plane->kind = kind == 0 ? FAB_LINK_INFINIBAND : FAB_LINK_ETHERNET;
  return fab__item_get_name (fab__item_lookup (item, "ports"), &plane->role, error)
         && fab__design_read_cable (design, plane, fab__item_lookup (item, "host_link"), NULL, &plane->host_link, error)
         && fab__design_read_cable (design, plane, fab__item_lookup (item, "uplink"), NULL, &plane->uplink, error)
         && fab__design_read_cable (design, plane, fab__item_lookup (item, "core_link"), NULL, &plane->core_link, error)
         && read_mtu (plane, fab__item_lookup (item, "mtu"), error)
         && read_members (design, plane, fab__item_lookup (item, "nodes"), error)
         && read_shape (design, plane, item, error)
         && fab__design_read_explicit (design, plane, item, error)
         && fab__design_read_routing (design, plane, fab__item_lookup (item, "routing"), error)
         && fab__design_read_subnet (design, plane, fab__item_lookup (item, "subnet"), error);
}

gboolean
fab__design_read_planes (FabDesign *design, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error))
    return FALSE;
  design->planes = g_new0 (FabPlaneSpec, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      design->n_planes++;
      if (!read_plane (design, &design->planes[i], fab__item_key (item, i), fab__item_child (item, i), error))
        return FALSE;
    }
  return TRUE;
}
