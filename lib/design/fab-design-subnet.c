/* fab-design-subnet.c: the `subnet:` block of a plane: routing, partitions, lanes, managers */
#include "design/fab-design-read-private.h"

#define MAX_PARTITIONS 32768
#define MAX_MANAGERS   64

static const char *const subnet_keys[] = { "routing", "lmc", "partitions", "qos", "sm", NULL };

/* Which of the equal links: InfiniBand keeps to its tables unless told, Ethernet hashes. */
static gboolean
read_forwarding (FabSubnetSpec *subnet, const FabItem *item, GError **error)
{
  const FabItem *adaptive = fab__item_lookup (item, "adaptive"), *hash = fab__item_lookup (item, "hash");
  gboolean adapts = FALSE, hashes = subnet->forwarding == FAB_FORWARDING_HASH;

  if (!fab__item_get_bool (adaptive, &adapts, error) || !fab__item_get_bool (hash, &hashes, error))
    return FALSE;
  if (adapts && hashes && hash != NULL)
    {
      fab__item_error (hash, error, FAB_ERROR_VALUE, "expected either adaptive or hash, got both");
      return FALSE;
    }
  subnet->forwarding = adapts ? FAB_FORWARDING_ADAPTIVE : hashes ? FAB_FORWARDING_HASH : FAB_FORWARDING_TABLE;
  return TRUE;
}

/* A file beside the design, part of what its digest stands for. */
static gboolean
read_tables (FabDesign *design, FabSubnetSpec *subnet, const FabItem *item, GError **error)
{
  const char *name = NULL;
  g_autofree char *dir = g_path_get_dirname (fab_design_path (design)), *path = NULL, *text = NULL;
  g_autoptr (GError) why = NULL;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize len;

  if (item == NULL)
    return TRUE;
  if (!fab__item_get_text (item, &name, error))
    return FALSE;
  path = g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (dir, name, NULL);
  if (!g_file_get_contents (path, &text, &len, &why))
    {
      fab__item_error (item, error, FAB_ERROR_READ, "expected a file of forwarding tables, got none: %s", why->message);
      return FALSE;
    }
  g_checksum_update (checksum, (const guchar *) design->digest, -1);
  g_checksum_update (checksum, (const guchar *) text, (gssize) len);
  g_free (design->digest);
  design->digest = g_strdup (g_checksum_get_string (checksum));
  subnet->tables = fab__design_own (design, g_steal_pointer (&text));
  subnet->tables_path = fab__design_own (design, g_steal_pointer (&path));
  return TRUE;
}

static gboolean
read_routing (FabDesign *design, FabSubnetSpec *subnet, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "engine", "tables", "adaptive", "hash", NULL };
  guint row = 0;

  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error)
      || !read_forwarding (subnet, item, error) || !read_tables (design, subnet, fab__item_lookup (item, "tables"), error))
    return FALSE;
  if (fab__item_lookup (item, "engine") == NULL)
    return TRUE;
  if (subnet->tables != NULL)
    {
      fab__item_error (fab__item_lookup (item, "engine"), error, FAB_ERROR_VALUE, "expected either an engine or tables, got both");
      return FALSE;
    }
  if (!fab__item_get_choice (fab__item_lookup (item, "engine"), fab_routing_names (), &row, error))
    return FALSE;
  subnet->engine = fab_routing_names ()[row];
  return TRUE;
}

/* ---- partitions ---- */

static gboolean
read_partition_members (FabPartitionSpec *partition, const FabItem *item, GError **error)
{
  if (item == NULL || g_strcmp0 (fab__item_text (item), "all") == 0)
    {
      partition->all = TRUE;
      return TRUE;
    }
  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  partition->members = g_new0 (char *, fab__item_n_children (item) + 1);
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      const char *member = "";

      if (!fab__item_get_text (fab__item_child (item, i), &member, error))
        return FALSE;
      partition->members[i] = g_strdup (member);
    }
  return TRUE;
}

static gboolean
read_partition (FabPartitionSpec *partition, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "name", "pkey", "members", NULL };
  const FabItem *name, *pkey;
  guint64 value = 0;

  partition->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error))
    return FALSE;
  name = fab__item_require (item, "name", error);
  pkey = name != NULL ? fab__item_require (item, "pkey", error) : NULL;
  if (pkey == NULL || !fab__item_get_name (name, &partition->name, error)
      || !fab__item_get_uint (pkey, 1, 0xffff, &value, error)
      || !read_partition_members (partition, fab__item_lookup (item, "members"), error))
    return FALSE;
  if ((value & 0x7fff) == 0)
    {
      fab__item_error (pkey, error, FAB_ERROR_VALUE, "expected a PKey whose low 15 bits are not zero, got 0x%04x", (guint) value);
      return FALSE;
    }
  partition->pkey = (guint16) value;
  return TRUE;
}

static gboolean
read_partitions (FabSubnetSpec *subnet, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  if (fab__item_n_children (item) > MAX_PARTITIONS)
    {
      fab__item_error (item, error, FAB_ERROR_LIMIT, "expected at most %d partitions", MAX_PARTITIONS);
      return FALSE;
    }
  subnet->partitions = g_new0 (FabPartitionSpec, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      subnet->n_partitions++;
      if (!read_partition (&subnet->partitions[i], fab__item_child (item, i), error))
        return FALSE;
    }
  return TRUE;
}

/* ---- lanes ---- */

static gboolean
read_sl2vl (FabQos *qos, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  if (fab__item_n_children (item) != FAB_SUBNET_N_SLS)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected 16 lanes, one a service level; got %u", fab__item_n_children (item));
      return FALSE;
    }
  for (guint sl = 0; sl < FAB_SUBNET_N_SLS; sl++)
    {
      guint64 vl = 0;

      if (!fab__item_get_uint (fab__item_child (item, sl), 0, 15, &vl, error))
        return FALSE;
      qos->sl2vl[sl] = (guint8) vl;
    }
  return TRUE;
}

/* A list of "vl:weight", as in opensm.conf. */
static gboolean
read_arbitration (const FabItem *item, FabVlArbEntry *entries, guint *n_entries, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  if (fab__item_n_children (item) > 64)
    {
      fab__item_error (item, error, FAB_ERROR_LIMIT, "expected at most 64 entries, got %u", fab__item_n_children (item));
      return FALSE;
    }
  *n_entries = fab__item_n_children (item);
  for (guint i = 0; i < *n_entries; i++)
    {
      const char *text = "";
      g_auto (GStrv) pair = NULL;
      guint64 vl, weight;

      if (!fab__item_get_text (fab__item_child (item, i), &text, error))
        return FALSE;
      pair = g_strsplit (text, ":", -1);
      if (g_strv_length (pair) != 2 || !g_ascii_string_to_unsigned (pair[0], 10, 0, 14, &vl, NULL)
          || !g_ascii_string_to_unsigned (pair[1], 10, 0, 255, &weight, NULL))
        {
          fab__item_error (fab__item_child (item, i), error, FAB_ERROR_VALUE, "expected \"VL:WEIGHT\" with VL 0–14 and weight 0–255, got “%s”", text);
          return FALSE;
        }
      entries[i] = (FabVlArbEntry) { .vl = (guint8) vl, .weight = (guint8) weight };
    }
  return TRUE;
}

static gboolean
read_qos (FabSubnetSpec *subnet, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "op_vls", "sl2vl", "vlarb_high", "vlarb_low", "high_limit", NULL };
  FabQos *qos = &subnet->qos;
  guint64 op_vls, high_limit;

  fab_qos_init (qos);
  if (item == NULL)
    return TRUE;
  subnet->qos_given = TRUE;
  op_vls = qos->op_vls;
  high_limit = qos->high_limit;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error)
      || !fab__item_get_uint (fab__item_lookup (item, "op_vls"), 1, 5, &op_vls, error)
      || !fab__item_get_uint (fab__item_lookup (item, "high_limit"), 0, 255, &high_limit, error)
      || !read_sl2vl (qos, fab__item_lookup (item, "sl2vl"), error)
      || !read_arbitration (fab__item_lookup (item, "vlarb_high"), qos->high, &qos->n_high, error)
      || !read_arbitration (fab__item_lookup (item, "vlarb_low"), qos->low, &qos->n_low, error))
    return FALSE;
  qos->op_vls = (guint) op_vls;
  qos->high_limit = (guint) high_limit;
  return TRUE;
}

/* ---- managers ---- */

static gboolean
read_manager (FabSmSpec *sm, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "on", "priority", NULL };
  const FabItem *on;
  guint64 priority = 0;

  sm->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error))
    return FALSE;
  on = fab__item_require (item, "on", error);
  if (on == NULL || !fab__item_get_text (on, &sm->on, error)
      || !fab__item_get_uint (fab__item_lookup (item, "priority"), 0, 15, &priority, error))
    return FALSE;
  sm->priority = (guint) priority;
  return TRUE;
}

static gboolean
read_managers (FabSubnetSpec *subnet, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  if (fab__item_n_children (item) > MAX_MANAGERS)
    {
      fab__item_error (item, error, FAB_ERROR_LIMIT, "expected at most %d subnet managers", MAX_MANAGERS);
      return FALSE;
    }
  subnet->sms = g_new0 (FabSmSpec, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      subnet->n_sms++;
      if (!read_manager (&subnet->sms[i], fab__item_child (item, i), error))
        return FALSE;
    }
  return TRUE;
}

/* An Ethernet plane has no subnet, but routes: its block stands in the plane itself. */
gboolean
fab__design_read_routing (FabDesign *design, FabPlaneSpec *plane, const FabItem *item, GError **error)
{
  gboolean is_ethernet = plane->kind == FAB_LINK_ETHERNET;

  plane->subnet.forwarding = is_ethernet ? FAB_FORWARDING_HASH : FAB_FORWARDING_TABLE;
  if (item != NULL && !is_ethernet)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected routing inside subnet on an InfiniBand plane; “%s” is one", plane->name);
      return FALSE;
    }
  if (fab__item_lookup (item, "tables") != NULL)
    {
      fab__item_error (fab__item_lookup (item, "tables"), error, FAB_ERROR_VALUE, "expected tables on InfiniBand planes only; “%s” is Ethernet", plane->name);
      return FALSE;
    }
  return read_routing (design, &plane->subnet, item, error);
}

gboolean
fab__design_read_subnet (FabDesign *design, FabPlaneSpec *plane, const FabItem *item, GError **error)
{
  FabSubnetSpec *subnet = &plane->subnet;
  guint64 lmc = 0;

  subnet->item = item;
  if (item == NULL)
    return read_qos (subnet, NULL, error);
  if (plane->kind != FAB_LINK_INFINIBAND)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected a subnet on InfiniBand planes only; “%s” is Ethernet", plane->name);
      return FALSE;
    }
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, subnet_keys, error)
      || !fab__item_get_uint (fab__item_lookup (item, "lmc"), 0, 7, &lmc, error)
      || !read_routing (design, subnet, fab__item_lookup (item, "routing"), error)
      || !read_partitions (subnet, fab__item_lookup (item, "partitions"), error)
      || !read_qos (subnet, fab__item_lookup (item, "qos"), error)
      || !read_managers (subnet, fab__item_lookup (item, "sm"), error))
    return FALSE;
  subnet->lmc = (guint) lmc;
  return TRUE;
}
