/* fab-diagram-node.c: the inside of one node: sockets on top, what hangs on them below */
#include "fab-diagram-node-private.h"
#include <string.h>

#define DROP  46.0   /* straight down to a box, past the label */
#define SLACK 12.0   /* of a box's text */

static guint32
add_place (FabNodeView *view, guint32 device, guint32 parent, guint32 link, guint depth)
{
  FabNodePlace place = { .device = device, .parent = parent, .link = link, .depth = depth };

  g_array_append_val (view->places, place);
  view->place_of[device - view->node->first_device] = view->places->len - 1;
  view->deepest = MAX (view->deepest, depth);
  return view->places->len - 1;
}

static gboolean
hangs (const FabLink *link)
{
  return link->plane == FAB_NONE && link->kind != FAB_LINK_SOCKET && link->kind != FAB_LINK_NVLINK;
}

/* NVSwitches, and what hangs nowhere: side by side below all. */
static void
add_loose (FabNodeView *view)
{
  guint depth = view->deepest + 1;

  for (guint32 d = view->node->first_device; d < view->node->first_device + view->node->n_devices; d++)
    if (view->place_of[d - view->node->first_device] == FAB_NONE)
      add_place (view, d, FAB_NONE, FAB_NONE, depth);
}

/* Breadth first from all sockets: each device hangs where it is met first. */
static void
grow (FabNodeView *view)
{
  for (guint32 d = view->node->first_device; d < view->node->first_device + view->node->n_devices; d++)
    if (fab_topology_device (view->topology, d)->kind == FAB_DEVICE_CPU)
      add_place (view, d, FAB_NONE, FAB_NONE, 0);
  for (guint32 row = 0; row < view->places->len; row++)
    {
      const FabDevice *device = fab_topology_device (view->topology, fab_node_place_at (view, row)->device);

      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        {
          guint32 link = fab_topology_port (view->topology, p)->link;
          const FabLink *to = link != FAB_NONE ? fab_topology_link (view->topology, link) : NULL;

          if (to != NULL && hangs (to) && view->place_of[to->to_device - view->node->first_device] == FAB_NONE)
            add_place (view, to->to_device, row, link, fab_node_place_at (view, row)->depth + 1);
        }
    }
  add_loose (view);
}

/* ---- labels ---- */

static void
append_ports (const FabNodeView *view, const FabDevice *nic, GString *label)
{
  for (guint32 p = nic->first_port; p < nic->first_port + nic->n_ports; p++)
    {
      const FabPort *port = fab_topology_port (view->topology, p);

      if (port->name == NULL || port->plane == FAB_NONE)
        continue;
      g_string_append_printf (label, "\n%s %s", port->name, fab_topology_plane (view->topology, port->plane)->name);
      if (g_str_equal (fab_topology_plane (view->topology, port->plane)->family, "rail-optimized"))
        g_string_append_printf (label, ", rail %u", port->rail);
    }
}

/* "8 × 450.0 GB/s": its NVLinks, whose lines are too near to each other for labels. */
static void
append_links (const FabNodeView *view, const FabDevice *device, GString *label)
{
  guint n = 0;
  guint64 goodput_bps = 0;

  for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
    if (fab_topology_port (view->topology, p)->link != FAB_NONE)
      {
        goodput_bps = fab_topology_link (view->topology, fab_topology_port (view->topology, p)->link)->goodput_bps;
        n++;
      }

  g_autofree char *goodput = fab_diagram_goodput_text (goodput_bps);

  if (n > 0)
    g_string_append_printf (label, "\n%u × %s", n, goodput);
}

static char *
label_of (const FabNodeView *view, guint32 row)
{
  const FabDevice *device = fab_topology_device (view->topology, row);
  g_autoptr (GString) label = g_string_new (device->name);

  if (device->kind == FAB_DEVICE_NIC)
    append_ports (view, device, label);
  else if (device->kind == FAB_DEVICE_GPU && device->affinity != FAB_NONE)
    {
      const FabPort *port = fab_topology_port (view->topology, device->affinity);

      g_string_append_printf (label, "\n%s\nuses %s/%s", device->part, fab_topology_device (view->topology, port->device)->name, port->name);
    }
  else
    g_string_append_printf (label, "\n%s", device->kind == FAB_DEVICE_MEMORY ? "host memory" : device->part);
  if (device->kind == FAB_DEVICE_NVSWITCH)
    append_links (view, device, label);
  return g_strdup (label->str);
}

static const char *
fill_of (const FabNodeView *view, const FabDevice *device)
{
  switch (device->kind)
    {
    case FAB_DEVICE_GPU:
      return device->affinity != FAB_NONE ? fab_diagram_rail_colour (fab_topology_port (view->topology, device->affinity)->rail) : "#eef3ea";
    case FAB_DEVICE_NIC:
      return "#fff7e6";
    case FAB_DEVICE_CPU:
      return "#e8e8e8";
    case FAB_DEVICE_PCIE_SWITCH:
    case FAB_DEVICE_NVSWITCH:
      return "#f2eef6";
    default:
      return "#ffffff";
    }
}

static char *
box_label (const FabNodeView *view, const FabNodePlace *place)
{
  return fab_diagram_shorten (label_of (view, place->device), 10, FAB_NODE_BOX_W + FAB_NODE_GAP_X - SLACK);
}

static void
measure (FabNodeView *view)
{
  for (guint32 row = 0; row < view->places->len; row++)
    {
      FabNodePlace *place = fab_node_place_at (view, row);
      g_autofree char *label = box_label (view, place);

      place->box_width = MAX (fab_diagram_text_width (label, 10) + 8, 60);
      place->box_height = MAX (fab_diagram_text_height (label, 10) + 8, FAB_NODE_BOX_H);
    }
}

static void
add_device_box (const FabNodeView *view, const FabNodePlace *place)
{
  const FabDevice *device = fab_topology_device (view->topology, place->device);
  FabBox *box = fab_diagram_add_box (view->diagram, FAB_BOX_DEVICE, place->x, place->top - place->box_height / 2, place->box_width, place->box_height,
                                     box_label (view, place), g_strdup_printf ("%s/%s: %s", view->node->name, device->name, device->part));

  box->fill = fill_of (view, device);
  box->font_pt = 10;
  if (fab_faults_device_down (view->faults, place->device))
    fab_diagram_cross_out (view->diagram, view->diagram->boxes->len - 1);
}

/* ---- lines ---- */

/* Which hops of the path the link is, "2" or "2, 5"; NULL: none. */
static char *
hops_of (const FabNodeView *view, guint32 link)
{
  g_autoptr (GString) hops = g_string_new (NULL);

  for (gsize i = 0; i < view->options->n_path; i++)
    if (view->options->path[i] / 2 == link / 2)
      g_string_append_printf (hops, "%s%" G_GSIZE_FORMAT, hops->len > 0 ? ", " : "", i + 1);
  return hops->len > 0 ? g_strdup (hops->str) : NULL;
}

static void
style_line (const FabNodeView *view, FabLine *line, guint32 link)
{
  g_autofree char *hops = hops_of (view, link);

  line->width_pt = 1.4;
  if (view->options->link_loads != NULL)
    fab_diagram_heat_line (line, fab_diagram_load (view->options, link));
  if (hops != NULL)
    fab_diagram_path_line (line);
  if (fab_faults_link_down (view->faults, link))
    fab_diagram_fault_line (line);
}

/* One stretch of a link's line. */
static void
add_stretch (const FabNodeView *view, guint32 link, double x1, double y1, double x2, double y2)
{
  const FabLink *row = fab_topology_link (view->topology, link);
  g_autofree char *address = fab_topology_link_address (view->topology, link);
  g_autofree char *goodput = fab_diagram_goodput_text (row->goodput_bps);

  style_line (view, fab_diagram_add_line (view->diagram, x1, y1, x2, y2, g_strdup_printf ("%s: %s, %s", address, row->speed, goodput)), link);
}

/* What the link is at (x, y); the numbers of the path beside it. */
static void
add_link_label (const FabNodeView *view, guint32 link, double x, double y)
{
  const FabLink *row = fab_topology_link (view->topology, link);
  g_autofree char *goodput = fab_diagram_goodput_text (row->goodput_bps);
  g_autofree char *load = view->options->link_loads != NULL ? fab_diagram_load_text (fab_diagram_load (view->options, link)) : NULL;
  g_autofree char *text = g_strdup_printf ("%s\n%s%s%s", row->kind == FAB_LINK_SOCKET ? "socket link" : row->speed, goodput, load != NULL ? " · " : "",
                                           load != NULL ? load : "");
  g_autofree char *hops = hops_of (view, link);
  FabBox *label = fab_diagram_add_text (view->diagram, x, y, text, 10, FALSE);

  label->fill = "#ffffff";
  if (hops != NULL)
    fab_diagram_add_hop (view->diagram, x, y + label->height / 2 + 9, hops);
}

/* The last stretch falls straight onto its box, so that its label covers no other line. */
static void
add_hanging_lines (const FabNodeView *view)
{
  for (guint32 row = 0; row < view->places->len; row++)
    {
      const FabNodePlace *place = fab_node_place_at (view, row), *parent;

      if (place->parent == FAB_NONE)
        continue;
      parent = fab_node_place_at (view, place->parent);
      if (view->bottoms[parent->depth] < parent->top - parent->box_height)   /* past a taller neighbour */
        add_stretch (view, place->link, parent->x, parent->top - parent->box_height, parent->x, view->bottoms[parent->depth]);
      add_stretch (view, place->link, parent->x, view->bottoms[parent->depth], place->x, place->top + DROP);
      add_stretch (view, place->link, place->x, place->top + DROP, place->x, place->top);
      add_link_label (view, place->link, place->x, place->top + DROP / 2 - 3);
    }
}

static void
add_cross_lines (const FabNodeView *view)
{
  for (guint32 l = view->node->first_link; l < fab_topology_n_links (view->topology); l += 2)
    {
      const FabLink *link = fab_topology_link (view->topology, l);
      const FabNodePlace *a, *b;

      if (fab_topology_device (view->topology, link->from_device)->node == FAB_NONE
          || fab_topology_node (view->topology, fab_topology_device (view->topology, link->from_device)->node) != view->node || link->plane != FAB_NONE
          || hangs (link))
        continue;
      a = fab_node_place_at (view, view->place_of[link->from_device - view->node->first_device]);
      b = fab_node_place_at (view, view->place_of[link->to_device - view->node->first_device]);
      if (link->kind == FAB_LINK_SOCKET)
        {
          add_stretch (view, l, a->x + a->box_width / 2, a->top - FAB_NODE_BOX_H / 2, b->x - b->box_width / 2, b->top - FAB_NODE_BOX_H / 2);
          add_link_label (view, l, (a->x + b->x) / 2, a->top - FAB_NODE_BOX_H / 2);
        }
      else if (a->depth == b->depth)   /* a bridge between neighbours dips below them */
        {
          double low = view->bottoms[a->depth] - 12;

          add_stretch (view, l, a->x, a->top - a->box_height, a->x, low);
          add_stretch (view, l, a->x, low, b->x, low);
          add_stretch (view, l, b->x, low, b->x, b->top - b->box_height);
        }
      else
        add_stretch (view, l, a->x, a->top - a->box_height, b->x, b->top);
    }
}

static gboolean
any_fault (const FabNodeView *view)
{
  for (guint32 d = view->node->first_device; view->faults != NULL && d < view->node->first_device + view->node->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (view->topology, d);

      if (fab_faults_device_down (view->faults, d))
        return TRUE;
      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        if (fab_topology_port (view->topology, p)->link != FAB_NONE && fab_faults_link_down (view->faults, fab_topology_port (view->topology, p)->link))
          return TRUE;
    }
  return FALSE;
}

static double
edge (const FabNodeView *view, gint side)
{
  double x = -G_MAXDOUBLE;

  for (guint32 row = 0; row < view->places->len; row++)
    x = MAX (x, side * fab_node_place_at (view, row)->x + fab_node_place_at (view, row)->box_width / 2);
  return side * x;
}

static const FabNode *
find_node (const FabTopology *topology, const char *name, GError **error)
{
  guint32 row = name != NULL ? fab_topology_lookup_node (topology, name) : FAB_NONE;

  for (guint32 n = 0; name == NULL && n < fab_topology_n_nodes (topology); n++)
    if (fab_topology_node (topology, n)->n_gpus > 0)
      return fab_topology_node (topology, n);
  if (row != FAB_NONE)
    return fab_topology_node (topology, row);
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "render: expected a node of this design, got “%s”", name != NULL ? name : "none");
  return NULL;
}

/* Once boxes have their places: all that is drawn. */
static void
add_all (const FabNodeView *view)
{
  g_autofree char *title = g_strdup_printf ("%s · %s", view->node->name, view->node->type);

  for (guint32 row = 0; row < view->places->len; row++)
    add_device_box (view, fab_node_place_at (view, row));
  add_hanging_lines (view);
  add_cross_lines (view);
  fab_diagram_add_legend (view->diagram, view->options, any_fault (view), edge (view, -1), view->bottoms[view->deepest] - 30);
  fab_diagram_add_text (view->diagram, (edge (view, -1) + edge (view, 1)) / 2, 34, title, 13, TRUE);
}

gboolean
fab_diagram_node (FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, GError **error)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (FabNodePlace));
  g_autofree guint32 *place_of = NULL;
  g_autofree double *bottoms = NULL;
  FabNodeView view = { .diagram = diagram, .topology = topology, .faults = faults, .options = options, .places = places };

  view.node = find_node (topology, options->node, error);
  if (view.node == NULL)
    return FALSE;
  view.place_of = place_of = g_new (guint32, view.node->n_devices);
  memset (place_of, 0xff, sizeof (guint32) * view.node->n_devices);
  grow (&view);
  view.bottoms = bottoms = g_new (double, view.deepest + 1);
  measure (&view);
  fab_node_view_spread (&view);
  add_all (&view);
  return TRUE;
}
