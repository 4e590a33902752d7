/* fab-routes.c: tables made by an engine of the list, and walks along them */
#include "subnet/fab-routes-private.h"
#include "base/fab-document-private.h"
#include "base/fab-memory-private.h"

static void
routes_clear (gpointer data)
{
  FabRoutes *routes = data;

  fab_subnet_unref (routes->subnet);
  g_free (routes->distances);
  g_free (routes->ranks);
  if (routes->owner != NULL)
    {
      fab_routes_unref (routes->owner);
      return;
    }
  fab__switch_graph_clear (&routes->graph);
  g_free (routes->tables);
  g_free (routes->lanes);
}

FabRoutes *
fab_routes_ref (FabRoutes *routes)
{
  return g_atomic_rc_box_acquire (routes);
}

void
fab_routes_unref (FabRoutes *routes)
{
  if (routes != NULL)
    g_atomic_rc_box_release_full (routes, routes_clear);
}

/* ---- the engines there are ---- */

const char *const *
fab_routing_names (void)
{
  static const char *names[64];
  static gsize filled = 0;

  if (g_once_init_enter (&filled))   /* a view of the constant table, made once */
    {
      for (guint i = 0; fab__routings[i] != NULL && i < G_N_ELEMENTS (names) - 1; i++)
        names[i] = fab__routings[i]->name;
      g_once_init_leave (&filled, 1);
    }
  return names;
}

static const FabRouting *
find_routing (const char *engine)
{
  for (guint i = 0; fab__routings[i] != NULL; i++)
    if (g_str_equal (fab__routings[i]->name, engine))
      return fab__routings[i];
  return NULL;
}

const char *
fab_routing_summary (const char *engine)
{
  const FabRouting *routing = find_routing (engine);

  return routing != NULL ? routing->summary : NULL;
}

static const FabRouting *
require_routing (const char *engine, GError **error)
{
  const FabRouting *routing = find_routing (engine);
  const char *nearest;
  g_autofree char *all = NULL;

  if (routing != NULL)
    return routing;
  nearest = fab__nearest (engine, fab_routing_names ());
  all = g_strjoinv (", ", (GStrv) (gsize) fab_routing_names ());
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "routing: expected one of %s; got “%s”%s%s%s", all, engine,
               nearest != NULL ? "; did you mean “" : "", nearest != NULL ? nearest : "", nearest != NULL ? "”?" : "");
  return NULL;
}

gboolean
fab__routing_ticks (const FabTick *tick, guint32 lid, guint32 max_lid, GError **error)
{
  if (tick == NULL || tick->func == NULL || lid % 256 != 0 || tick->func (lid, max_lid, tick->data))
    return TRUE;
  g_set_error (error, FAB_ERROR, FAB_ERROR_CANCELLED, "routing: cancelled");
  return FALSE;
}

static gboolean
assign_lanes (FabRoutes *routes, const FabFaults *faults, const FabTick *tick, GError **error)
{
  if (routes->routing->assign == NULL)
    return TRUE;
  routes->lanes = g_malloc0 ((gsize) routes->n_switches * routes->row_length);
  return routes->routing->assign (routes->subnet, faults, routes->tables, routes->lanes, &routes->n_lanes, tick, error);
}

/* Without tables yet. */
static FabRoutes *
routes_new (FabSubnet *subnet, const FabFaults *faults, const FabRouting *routing)
{
  const FabPlane *plane = fab_topology_plane (fab_subnet_topology (subnet), fab_subnet_plane (subnet));
  FabRoutes *routes = g_atomic_rc_box_new0 (FabRoutes);

  routes->subnet = fab_subnet_ref (subnet);
  routes->routing = routing;
  routes->n_lanes = 1;
  routes->first_switch = plane->first_switch;
  routes->n_switches = plane->n_switches;
  routes->row_length = fab_subnet_max_lid (subnet) + 1;
  fab__switch_graph_init (&routes->graph, subnet, faults);
  routes->graph.faults = NULL;
  return routes;
}

FabRoutes *
fab__routes_new_with_tables (FabSubnet *subnet, const FabFaults *faults, guint32 *tables)
{
  static const FabRouting from_file = { .name = "file", .summary = "tables as they were read" };
  FabRoutes *routes = routes_new (subnet, faults, &from_file);

  routes->tables = tables;
  return routes;
}

FabRoutes *
fab_routes_compute (FabSubnet *subnet, const FabFaults *faults, const char *engine, const FabTick *tick, GError **error)
{
  const FabRouting *routing = require_routing (engine, error);
  FabRoutes *routes;
  gsize n_entries;

  if (routing == NULL)
    return NULL;
  routes = routes_new (subnet, faults, routing);
  n_entries = (gsize) routes->n_switches * routes->row_length;
  routes->tables = g_try_new (guint32, MAX (n_entries, 1));
  if (routes->tables == NULL)
    {
      fab_routes_unref (routes);
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "routing: expected memory for %u × %u table entries, got none",
                   fab_topology_plane (fab_subnet_topology (subnet), fab_subnet_plane (subnet))->n_switches, fab_subnet_max_lid (subnet) + 1);
      return NULL;
    }
  memset (routes->tables, 0xff, sizeof (guint32) * n_entries);
  if (routes->n_switches > 0 && (!routing->compute (subnet, faults, routes->tables, tick, error) || !assign_lanes (routes, faults, tick, error)))
    g_clear_pointer (&routes, fab_routes_unref);
  return routes;
}

FabSubnet *
fab_routes_subnet (const FabRoutes *routes)
{
  return routes->subnet;
}

const char *
fab_routes_engine (const FabRoutes *routes)
{
  return routes->routing->name;
}

guint32
fab_routes_next_link (const FabRoutes *routes, guint32 device, guint32 lid)
{
  if (device < routes->first_switch || device - routes->first_switch >= routes->n_switches || lid >= routes->row_length)
    return FAB_NONE;
  return routes->tables[(gsize) (device - routes->first_switch) * routes->row_length + lid];
}

guint
fab_routes_n_lanes (const FabRoutes *routes)
{
  return routes->n_lanes;
}

guint
fab_routes_lane (const FabRoutes *routes, guint32 from, guint32 to)
{
  const FabTopology *topology = fab_subnet_topology (routes->subnet);
  guint32 link = fab_topology_port (topology, from)->link, lid = fab_subnet_port_lid (routes->subnet, to);
  guint32 s = link != FAB_NONE ? fab_topology_link (topology, link)->to_device - routes->first_switch : FAB_NONE;

  return s < routes->n_switches && lid != 0 ? fab__routes_lane (routes, s, lid) : 0;
}

gboolean
fab_routes_walk (const FabRoutes *routes, guint32 from, guint32 to, GArray *links)
{
  return fab_routes_walk_lid (routes, from, fab_subnet_port_lid (routes->subnet, to), links);
}

gboolean
fab_routes_walk_lid (const FabRoutes *routes, guint32 from, guint32 lid, GArray *links)
{
  const FabTopology *topology = fab_subnet_topology (routes->subnet);
  guint32 to = fab_subnet_lid_port (routes->subnet, lid), src_lid = fab_subnet_port_lid (routes->subnet, from);
  guint32 link = fab_topology_port (topology, from)->link;
  guint n_before = links->len;

  for (guint hops = 0; to != FAB_NONE && link != FAB_NONE && hops <= routes->n_switches + 1; hops++)
    {
      const FabLink *row = fab_topology_link (topology, link);

      g_array_append_val (links, link);
      if (row->to_port == to)
        return TRUE;
      link = routes->forwarding == FAB_FORWARDING_HASH ? fab__routes_hashed_link (routes, row->to_device, src_lid, lid)
                                                       : fab_routes_next_link (routes, row->to_device, lid);
    }
  g_array_set_size (links, n_before);
  return FALSE;
}
