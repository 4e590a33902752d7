/* fab-check.c: what the rules look at, gathered once, and how they say what they find */
#include "analysis/fab-check-private.h"

static void
finding_clear (gpointer data)
{
  FabFinding *finding = data;

  g_free (finding->where);
  g_free (finding->what);
}

FabCheck *
fab__check_new (const FabDesign *design, FabTopology *topology)
{
  FabCheck *check = g_new0 (FabCheck, 1);
  guint32 n_planes = fab_topology_n_planes (topology);

  check->design = design;
  check->topology = topology;
  check->capacities = g_new0 (FabCapacity, n_planes + 1);
  for (guint32 p = 0; p < n_planes; p++)
    fab__capacity_count (design, topology, p, &check->capacities[p]);
  check->first_nodes = g_new0 (guint32, design->n_groups + 1);
  for (guint g = 0; g < design->n_groups; g++)   /* nodes stand in the order of their groups */
    check->first_nodes[g + 1] = check->first_nodes[g] + design->groups[g].n_nodes;
  check->findings = g_array_new (FALSE, FALSE, sizeof (FabFinding));
  g_array_set_clear_func (check->findings, finding_clear);
  fab__check_gather_cables (check);
  fab__check_gather_uses (check);
  return check;
}

void
fab__check_free (FabCheck *check)
{
  if (check == NULL)
    return;
  for (guint w = 0; w < check->design->n_workloads; w++)
    {
      g_free (check->uses[w].links);
      g_free (check->uses[w].reason);
    }
  g_free (check->uses);
  g_free (check->capacities);
  g_free (check->first_nodes);
  g_array_unref (check->cables);
  g_array_unref (check->findings);
  g_free (check);
}

void
fab__check_add (FabCheck *check, const FabItem *item, const char *where, const char *format, ...)
{
  FabFinding finding = { .rule = check->rule, .item = item };
  va_list args;

  va_start (args, format);
  finding.what = g_strdup_vprintf (format, args);
  va_end (args);
  finding.where = where != NULL ? g_strdup (where) : item != NULL ? fab__item_where (item) : g_strdup ("");
  g_array_append_val (check->findings, finding);
}

const FabRule *
fab__rule_lookup (const char *id)
{
  for (guint s = 0; fab__rule_sets[s] != NULL; s++)
    for (gsize r = 0; r < fab__rule_sets[s]->n_rules; r++)
      if (g_str_equal (fab__rule_sets[s]->rules[r].id, id))
        return &fab__rule_sets[s]->rules[r];
  return NULL;
}

/* ---- places ---- */

char *
fab__check_group_place (const FabNodeGroup *group, const char *const *devices)
{
  g_autofree char *nodes = fab_hostlist_compress ((const char *const *) group->nodes, group->n_nodes);
  g_autofree char *names = fab_hostlist_compress (devices, g_strv_length ((GStrv) (gsize) devices));

  return g_strdup_printf ("%s/%s", nodes, names);
}

char *
fab__check_switch_place (const FabCheck *check, guint32 plane, const guint8 *marked)
{
  const FabPlane *row = fab_topology_plane (check->topology, plane);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *list = NULL;

  for (guint32 s = 0; s < row->n_switches; s++)
    if (marked[s])
      g_ptr_array_add (names, (gpointer) (gsize) fab_topology_device (check->topology, row->first_switch + s)->name);
  list = fab_hostlist_compress ((const char *const *) names->pdata, names->len);
  return g_strdup_printf ("%s/%s", row->name, list);
}

const FabItem *
fab__check_item (const FabItem *item, const char *const *keys)
{
  for (guint k = 0; keys[k] != NULL; k++)
    {
      const FabItem *child = fab__item_lookup (item, keys[k]);

      if (child == NULL)
        break;
      item = child;
    }
  return item;
}

/* ---- what rules ask ---- */

guint32
fab__check_device (const FabCheck *check, guint group, guint device)
{
  const FabNode *node = fab_topology_node (check->topology, check->first_nodes[group]);
  const char *name = check->design->groups[group].type->devices[device].name;

  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    if (g_str_equal (fab_topology_device (check->topology, d)->name, name))
      return d;
  g_return_val_if_reached (FAB_NONE);
}

const FabNodeRole *
fab__check_role (const FabCheck *check, guint group, guint plane)
{
  const FabPlaneSpec *spec = &check->design->planes[plane];
  const FabNodeType *type = check->design->groups[group].type;
  gboolean joins = FALSE;

  for (guint g = 0; g < spec->n_groups; g++)
    joins |= spec->groups[g] == group;
  for (guint r = 0; joins && r < type->n_roles; r++)
    if (g_str_equal (type->roles[r].role, spec->role))
      return &type->roles[r];
  return NULL;
}

gboolean
fab__check_crosses (const FabCheck *check, guint workload)
{
  const guint8 *links = check->uses[workload].links;

  for (guint32 l = 0; links != NULL && l < fab_topology_n_links (check->topology); l++)
    {
      const FabLink *link = links[l] ? fab_topology_link (check->topology, l) : NULL;

      if (link != NULL && fab_topology_device (check->topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (check->topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        return TRUE;
    }
  return FALSE;
}

guint64
fab__check_packet_bytes (const FabCheck *check, guint plane)
{
  const FabPlane *row = fab_topology_plane (check->topology, plane);

  return ((guint64) row->mtu_bytes + row->header_bytes + 63) / 64 * 64;
}

GPtrArray *
fab__check_switch_parts (const FabCheck *check, guint plane)
{
  const FabPlane *row = fab_topology_plane (check->topology, plane);
  GPtrArray *parts = g_ptr_array_new ();

  for (guint32 s = 0; s < row->n_switches; s++)
    {
      const FabDevice *device = fab_topology_device (check->topology, row->first_switch + s);
      gpointer part = (gpointer) (gsize) fab__catalog_lookup (check->design->catalog, FAB_PART_SWITCH, device->part);

      if (part != NULL && !g_ptr_array_find (parts, part, NULL))
        g_ptr_array_add (parts, part);
    }
  return parts;
}
