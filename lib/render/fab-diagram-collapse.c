/* fab-diagram-collapse.c: which switches and which nodes of a plane share a box
 *
 * Each row tries keys from fine to coarse and takes the first that gives few enough boxes.
 */
#include "render/fab-diagram-private.h"

#define SPECIAL (FAB_MARK_PATH | FAB_MARK_DOWN | FAB_MARK_TOUCHED)

typedef struct
{
  const FabScene *scene;
  FabCollapse    *collapse;
  guint32         plane;
  guint           max_row;
} Work;

/* Writes what members of one class have alike at @level to @key. */
typedef void (*KeyFunc) (const Work *work, guint32 member, guint level, GString *key);

/* Classes of @members, numbered from @first in the order of their first members; returns how many, above @max: too many. */
static guint
classify (const Work *work, const guint32 *members, gsize n_members, guint level, KeyFunc write_key, guint32 first, guint max,
          guint32 *class_of)
{
  g_autoptr (GHashTable) classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) key = g_string_new (NULL);

  for (gsize i = 0; i < n_members && g_hash_table_size (classes) <= max; i++)
    {
      gpointer found;

      g_string_truncate (key, 0);
      write_key (work, members[i], level, key);
      found = g_hash_table_lookup (classes, key->str);
      if (found == NULL)
        {
          found = GUINT_TO_POINTER (g_hash_table_size (classes) + 1);
          g_hash_table_insert (classes, g_strdup (key->str), found);
        }
      class_of[i] = first + GPOINTER_TO_UINT (found) - 1;
    }
  return g_hash_table_size (classes);
}

/* The coarsest key is the empty one: it always fits. */
static guint
classify_row (const Work *work, const guint32 *members, gsize n_members, KeyFunc write_key, guint32 first, guint32 *class_of)
{
  guint level = 0, n;

  while ((n = classify (work, members, n_members, level, write_key, first, work->max_row, class_of)) > work->max_row)
    level++;
  return n;
}

/* ---- switches ---- */

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  const guint32 *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* Switches with the same neighbours one tier up (of leaves) or down (of the others) form a Pod or a group. */
static void
write_neighbours (const Work *work, const FabDevice *device, GString *key)
{
  const FabTopology *topology = work->scene->topology;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 tier = device->tier == 0 ? 1 : device->tier - 1;

  for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
    {
      guint32 link = fab_topology_port (topology, p)->link;
      guint32 other = link != FAB_NONE ? fab_topology_link (topology, link)->to_device : FAB_NONE;

      if (other != FAB_NONE && fab_topology_device (topology, other)->tier == tier)
        g_array_append_val (rows, other);
    }
  g_array_sort (rows, compare_rows);
  for (guint i = 0; i < rows->len; i++)
    g_string_append_printf (key, " %u", g_array_index (rows, guint32, i));
}

static void
write_switch_key (const Work *work, guint32 device, guint level, GString *key)
{
  const FabDevice *row = fab_topology_device (work->scene->topology, device);
  guint8 mark = work->scene->marks[device];
  guint32 rail = work->collapse->switch_rail[device - work->collapse->first_switch];

  if (level == 0 || (level <= 2 && (mark & SPECIAL) != 0))
    g_string_append_printf (key, "=%u", device);
  else if (level == 1)
    {
      g_string_append_printf (key, "%s rail %u", row->part, rail);
      write_neighbours (work, row, key);
    }
  else if (level == 3)
    g_string_append_printf (key, "%u", mark);
}

static void
collapse_switches (Work *work, const FabPlane *plane)
{
  FabCollapse *collapse = work->collapse;

  for (guint32 tier = 0; tier < plane->n_tiers; tier++)
    {
      g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_autofree guint32 *class_of = NULL;

      for (guint32 d = plane->first_switch; d < plane->first_switch + plane->n_switches; d++)
        if (fab_topology_device (work->scene->topology, d)->tier == tier)
          g_array_append_val (members, d);
      class_of = g_new0 (guint32, MAX (members->len, 1));
      collapse->n_switch_classes += classify_row (work, (const guint32 *) (void *) members->data, members->len, write_switch_key,
                                                  collapse->n_switch_classes, class_of);
      for (guint i = 0; i < members->len; i++)
        collapse->switch_class[g_array_index (members, guint32, i) - plane->first_switch] = class_of[i];
    }
}

/* ---- nodes ---- */

/* Which switch boxes the node's ports lead to. */
static void
write_attachments (const Work *work, guint32 node, GString *key)
{
  const FabTopology *topology = work->scene->topology;
  const FabNode *row = fab_topology_node (topology, node);

  for (guint32 d = row->first_device; d < row->first_device + row->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (topology, d);

      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        {
          const FabPort *port = fab_topology_port (topology, p);
          guint32 other;

          if (port->plane != work->plane || port->link == FAB_NONE)
            continue;
          other = fab_topology_link (topology, port->link)->to_device - work->collapse->first_switch;
          g_string_append_printf (key, " %u:%u", port->rail, work->collapse->switch_class != NULL
                                  && other < fab_topology_plane (topology, work->plane)->n_switches
                                  ? work->collapse->switch_class[other] : FAB_NONE);
        }
    }
}

static void
write_node_key (const Work *work, guint32 node, guint level, GString *key)
{
  const FabNode *row = fab_topology_node (work->scene->topology, node);
  guint8 mark = work->scene->node_marks[node];

  if (level <= 1 && (mark & SPECIAL) != 0)
    g_string_append_printf (key, "=%u", node);
  else if (level <= 2)
    {
      g_string_append_printf (key, "%u %s %u", row->group, row->type, level == 2 ? mark : 0);
      if (level == 0)
        write_attachments (work, node, key);
    }
  else if (level == 3)
    g_string_append_printf (key, "%s", row->type);
}

static gboolean
note_host_port (Work *work, const FabPort *port)
{
  const FabTopology *topology = work->scene->topology;
  const FabPlane *plane = fab_topology_plane (topology, work->plane);
  guint32 leaf;

  if (port->plane != work->plane || port->link == FAB_NONE)
    return FALSE;
  leaf = fab_topology_link (topology, port->link)->to_device - work->collapse->first_switch;
  if (port->rail != FAB_NONE)
    work->collapse->n_rails = MAX (work->collapse->n_rails, port->rail + 1);
  if (leaf >= plane->n_switches)
    return TRUE;
  if (work->collapse->switch_rail[leaf] == FAB_NONE)
    work->collapse->switch_rail[leaf] = port->rail;
  else if (work->collapse->switch_rail[leaf] != port->rail)
    work->collapse->rails = FALSE;
  return TRUE;
}

/* The nodes of the plane in @members; which rail each leaf serves, if any plane-wide order is there. */
static void
find_hosts (Work *work, const FabPlane *plane, GArray *members)
{
  const FabTopology *topology = work->scene->topology;
  FabCollapse *collapse = work->collapse;

  collapse->rails = TRUE;
  for (guint32 n = 0; n < fab_topology_n_nodes (topology); n++)
    {
      const FabNode *node = fab_topology_node (topology, n);
      gboolean joined = FALSE;

      for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
        {
          const FabDevice *device = fab_topology_device (topology, d);

          for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
            joined |= note_host_port (work, fab_topology_port (topology, p));
        }
      if (joined)
        g_array_append_val (members, n);
    }
  collapse->rails &= collapse->n_rails > 1;
  for (guint32 s = 0; s < plane->n_switches && !collapse->rails; s++)
    collapse->switch_rail[s] = FAB_NONE;
}

void
fab__collapse_init (FabCollapse *collapse, const FabScene *scene, guint32 plane_row, guint max_row)
{
  const FabPlane *plane = fab_topology_plane (scene->topology, plane_row);
  guint32 n_nodes = fab_topology_n_nodes (scene->topology);
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint32 *class_of = g_new0 (guint32, MAX (n_nodes, 1));
  Work work = { .scene = scene, .collapse = collapse, .plane = plane_row, .max_row = max_row };

  *collapse = (FabCollapse) { .first_switch = plane->first_switch };
  collapse->switch_class = g_new0 (guint32, MAX (plane->n_switches, 1));
  collapse->switch_rail = g_new (guint32, MAX (plane->n_switches, 1));
  collapse->node_class = g_new (guint32, MAX (n_nodes, 1));
  for (guint32 s = 0; s < plane->n_switches; s++)
    collapse->switch_rail[s] = FAB_NONE;
  for (guint32 n = 0; n < n_nodes; n++)
    collapse->node_class[n] = FAB_NONE;
  find_hosts (&work, plane, members);
  collapse_switches (&work, plane);
  collapse->n_node_classes = classify_row (&work, (const guint32 *) (void *) members->data, members->len, write_node_key, 0, class_of);
  for (guint i = 0; i < members->len; i++)
    collapse->node_class[g_array_index (members, guint32, i)] = class_of[i];
}

void
fab__collapse_clear (FabCollapse *collapse)
{
  g_clear_pointer (&collapse->switch_class, g_free);
  g_clear_pointer (&collapse->switch_rail, g_free);
  g_clear_pointer (&collapse->node_class, g_free);
}
