/* fab-node-type-links.c: the links between the devices of a node type: PCIe, between sockets, NVLink */
#include "catalog/fab-node-type-private.h"
#include "catalog/fab-part-private.h"

#define MAX_LINKS 16384

static gboolean
read_pcie (FabNodeLink *link, const FabCatalog *catalog, const FabItem *item, GError **error)
{
  guint64 lanes = 16;

  link->pcie = fab__catalog_require (catalog, FAB_PART_PCIE, fab__item_lookup (item, "pcie"), error);
  if (link->pcie == NULL || !fab__item_get_uint (fab__item_lookup (item, "lanes"), 1, 32, &lanes, error)
      || !fab__item_get_quantity (fab__item_lookup (item, "max_payload"), FAB_UNIT_SIZE, &link->max_payload_bytes,
                                  error))
    return FALSE;
  link->lanes = (guint) lanes;
  if (link->max_payload_bytes > 4096)
    fab__item_error (item, error, FAB_ERROR_VALUE, "expected max_payload: of at most 4096 bytes, as PCIe has it");
  return link->max_payload_bytes <= 4096;
}

static gboolean
read_link_numbers (FabNodeLink *link, const FabCatalog *catalog, const FabItem *item, GError **error)
{
  static const char *const pcie_keys[] = {
    "a", "b", "pcie", "lanes", "max_payload", "flow_write", "flow_read", "aggregate", NULL,
  };
  static const char *const other_keys[] = {
    "a", "b", "socket", "nvlink", "flow_write", "flow_read", "aggregate", NULL,
  };
  gboolean is_pcie = fab__item_lookup (item, "pcie") != NULL, socket = FALSE, nvlink = FALSE;

  if (!fab__item_get_bool (fab__item_lookup (item, "socket"), &socket, error)
      || !fab__item_get_bool (fab__item_lookup (item, "nvlink"), &nvlink, error))
    return FALSE;
  if (is_pcie + socket + nvlink != 1)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected one of pcie: GENERATION, socket: true and nvlink: true");
      return FALSE;
    }
  link->kind = socket ? FAB_NODE_LINK_SOCKET : nvlink ? FAB_NODE_LINK_NVLINK : FAB_NODE_LINK_PCIE;
  return fab__item_check_keys (item, is_pcie ? pcie_keys : other_keys, error)
         && (!is_pcie || read_pcie (link, catalog, item, error))
         && fab__item_get_quantity (fab__item_lookup (item, "flow_write"), FAB_UNIT_RATE, &link->flow_write_bps, error)
         && fab__item_get_quantity (fab__item_lookup (item, "flow_read"), FAB_UNIT_RATE, &link->flow_read_bps, error)
         && fab__item_get_quantity (fab__item_lookup (item, "aggregate"), FAB_UNIT_RATE, &link->aggregate_bps, error);
}

/* What an end may be, by the kind of link. */
static gboolean
can_end (const FabPart *part, FabNodeLinkKind kind)
{
  FabPartKind of = fab__part_kind (part);

  switch (kind)
    {
    case FAB_NODE_LINK_SOCKET:
      return of == FAB_PART_CPU;
    case FAB_NODE_LINK_NVLINK:
      return of == FAB_PART_NVSWITCH || (of == FAB_PART_GPU && fab__part_lookup (part, "nvlink_rate") != NULL);
    default:
      return of != FAB_PART_NVSWITCH;
    }
}

static gboolean
check_link (const FabNodeType *type, const FabNodeLink *link, const FabItem *item, GError **error)
{
  static const char *const ends[] = {
    [FAB_NODE_LINK_PCIE] = "a PCIe link between GPUs, NICs, PCIe switches and CPUs",
    [FAB_NODE_LINK_SOCKET] = "a socket link between two CPUs",
    [FAB_NODE_LINK_NVLINK] = "an NVLink from a GPU that has an nvlink_rate to another or to an NVSwitch",
  };
  const FabNodeDevice *a = &type->devices[link->a], *b = &type->devices[link->b];
  gboolean two_switches = fab__part_kind (a->part) == FAB_PART_NVSWITCH
                          && fab__part_kind (b->part) == FAB_PART_NVSWITCH;

  if (link->a != link->b && !two_switches && can_end (a->part, link->kind) && can_end (b->part, link->kind))
    return TRUE;
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected %s, got %s (%s) and %s (%s)", ends[link->kind], a->name,
                   fab__part_name (a->part), b->name, fab__part_name (b->part));
  return FALSE;
}

static gboolean
read_link_ends (const FabNodeType *type, const FabItem *item, const char *key, GArray *rows, GError **error)
{
  const FabItem *end = fab__item_require (item, key, error);
  const char *text = "";
  g_auto (GStrv) names = NULL;

  if (end == NULL || !fab__item_get_text (end, &text, error) || !fab__node_type_expand (end, text, &names, error))
    return FALSE;
  for (guint i = 0; names[i] != NULL; i++)
    {
      guint32 row = fab__node_type_require_device (type, end, names[i], error);

      if (row == FAB_NONE)
        return FALSE;
      g_array_append_val (rows, row);
    }
  return TRUE;
}

static gboolean
read_link (const FabNodeType *type, const FabCatalog *catalog, const FabItem *item, GArray *links, GError **error)
{
  g_autoptr (GArray) a = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) b = g_array_new (FALSE, FALSE, sizeof (guint32));
  FabNodeLink link = { 0 };

  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !read_link_numbers (&link, catalog, item, error)
      || !read_link_ends (type, item, "a", a, error) || !read_link_ends (type, item, "b", b, error))
    return FALSE;
  if (a->len != b->len && a->len != 1 && b->len != 1)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected as many on both sides, or one; got %u and %u", a->len,
                       b->len);
      return FALSE;
    }
  for (guint i = 0; i < MAX (a->len, b->len); i++)
    {
      link.a = g_array_index (a, guint32, a->len > 1 ? i : 0);
      link.b = g_array_index (b, guint32, b->len > 1 ? i : 0);
      if (!check_link (type, &link, item, error))
        return FALSE;
      g_array_append_val (links, link);
    }
  if (links->len > MAX_LINKS)
    fab__item_error (item, error, FAB_ERROR_LIMIT, "expected at most %d links in a node", MAX_LINKS);
  return links->len <= MAX_LINKS;
}

gboolean
fab__node_type_read_links (FabNodeType *type, const FabCatalog *catalog, const FabItem *list, GError **error)
{
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (FabNodeLink));

  if (list != NULL && !fab__item_expect_kind (list, FAB_ITEM_LIST, error))
    return FALSE;
  for (guint i = 0; list != NULL && i < fab__item_n_children (list); i++)
    if (!read_link (type, catalog, fab__item_child (list, i), links, error))
      return FALSE;
  type->n_links = links->len;
  type->links = (FabNodeLink *) (void *) g_array_free (g_steal_pointer (&links), FALSE);
  return TRUE;
}
