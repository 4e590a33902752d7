/* fab-analysis-path.c: from a GPU, which path does the data take */
#include "design/fab-design-private.h"
#include "fab-analysis.h"
#include <math.h>

static const FabColumn path_columns[] = {
  { "src", "from", FAB_CELL_TEXT, "", "sending device", 0 },
  { "dst", "to", FAB_CELL_TEXT, "", "receiving device", 0 },
  { "plane", "plane", FAB_CELL_TEXT, "", "plane between nodes; none inside one", 0 },
  { "forwarding", "forwarding", FAB_CELL_TEXT, "", "over the plane: table, hash (one way of several) or adaptive (packets take all)", FAB_COLUMN_HIDDEN },
  { "ways", "equal ways", FAB_CELL_COUNT, "", "that packets are spread over; the hops are those of the table's", FAB_COLUMN_HIDDEN },
  { "reachable", "reachable", FAB_CELL_BOOL, "", "whether there is a path at all", FAB_COLUMN_HIDDEN },
  { "transport", "transport", FAB_CELL_TEXT, "", "p2p, shm, gdr or net-staged (NCCL's rules)", 0 },
  { "hops", "hops", FAB_CELL_COUNT, "", "links on the path", FAB_COLUMN_HIDDEN },
  { "goodput_gbytes_per_s", "goodput of one flow", FAB_CELL_GOODPUT, "GB/s", "what one flow alone gets", 0 },
  { "flow_cap_gbytes_per_s", "per-flow cap", FAB_CELL_GOODPUT, "GB/s", "cap of one peer-to-peer flow, where one holds", FAB_COLUMN_HIDDEN },
  { "latency_ns", "latency", FAB_CELL_TIME, "ns", "first bit, links and devices passed", 0 },
  { "software_ns", "software", FAB_CELL_TIME, "ns", "cost of one step beside the wire", 0 },
};

static const FabColumn hop_columns[] = {
  { "hop", "#", FAB_CELL_COUNT, "", "position", 0 },
  { "from", "from", FAB_CELL_TEXT, "", "port or device", 0 },
  { "to", "to", FAB_CELL_TEXT, "", "port or device", 0 },
  { "kind", "kind", FAB_CELL_TEXT, "", "kind of link", 0 },
  { "speed", "speed", FAB_CELL_TEXT, "", "what the link runs at", 0 },
  { "rate_gbps", "rate", FAB_CELL_RATE, "Gb/s", "on the wire", 0 },
  { "goodput_gbytes_per_s", "goodput", FAB_CELL_GOODPUT, "GB/s", "after packet or TLP overhead", 0 },
  { "latency_ns", "latency", FAB_CELL_TIME, "ns", "of the link and the device it leads into", 0 },
  { "utilisation_ceiling", "fills at most", FAB_CELL_SHARE, "", "what one flow alone puts on this link over its goodput", 0 },
  { "narrowest", "narrowest", FAB_CELL_BOOL, "", "whether this link bounds the flow", FAB_COLUMN_HIDDEN },
  { "mark", "", FAB_CELL_TEXT, "", "the narrowest hop", 0 },
};

/* All planes' tables: a path asks for one of them. */
static FabRoutes **
build_all_routes (const FabDesign *design, FabTopology *topology, const FabFaults *faults, GError **error)
{
  guint32 n_planes = fab_topology_n_planes (topology);
  FabRoutes **routes = g_new0 (FabRoutes *, n_planes + 1);

  for (guint32 p = 0; p < n_planes; p++)
    {
      routes[p] = fab_design_build_routes (design, topology, faults, p, error);
      if (routes[p] == NULL)
        {
          for (guint32 q = 0; q < p; q++)
            fab_routes_unref (routes[q]);
          g_free (routes);
          return NULL;
        }
    }
  return routes;
}

/* What one flow alone gets; a link that carries a part of it (@parts; NULL: all) bounds it by that much less. */
static guint64
flow_goodput_bps (const FabTopology *topology, const FabFaults *faults, const FabPath *path, const guint32 *links, const double *parts,
                  guint32 *narrowest)
{
  double least_bps = G_MAXDOUBLE;

  *narrowest = FAB_NONE;
  for (guint32 i = 0; i < path->n_links; i++)
    {
      double goodput_bps = (double) fab_faults_goodput_bps (faults, topology, links[i]) / (parts != NULL ? parts[i] : 1);

      if (goodput_bps >= least_bps)
        continue;
      least_bps = goodput_bps;
      *narrowest = links[i];
    }
  if (path->n_links == 0)
    return G_MAXUINT64;
  if (path->flow_bps == 0 || (double) path->flow_bps >= least_bps)
    return (guint64) least_bps;
  *narrowest = path->flow_link;
  return path->flow_bps;
}

/* How many ways cross the plane: each of its links stands after those that feed it. */
static gint64
count_ways (const FabTopology *topology, const guint32 *links, guint32 n_links)
{
  g_autofree gint64 *ways = g_new0 (gint64, fab_topology_n_devices (topology));
  gint64 n = 0;

  for (guint32 i = 0; i < n_links; i++)
    {
      const FabLink *link = fab_topology_link (topology, links[i]);

      if (link->plane == FAB_NONE)
        continue;
      n = ways[link->to_device] += n == 0 ? 1 : ways[link->from_device];
    }
  return MAX (n, 1);
}

/* All that is known of the way: where packets spread over several, the table's stands for them. */
typedef struct
{
  FabPaths      *paths;      /* all ways */
  guint32        row;
  FabPaths      *by_table;   /* the one shown; may be the same */
  guint32        shown;
  gint64         n_ways;
  guint64        flow_bps;
  guint32        narrowest;  /* link */
} Ways;

/* The part of the flow that @link carries. */
static double
part_of (const Ways *ways, guint32 link)
{
  const double *parts = fab_paths_parts (ways->paths, ways->row);
  const guint32 *links = fab_paths_links (ways->paths, ways->row);

  for (guint32 i = 0; parts != NULL && i < fab_paths_row (ways->paths, ways->row)->n_links; i++)
    if (links[i] == link)
      return parts[i];
  return 1;
}

static void
add_hops (FabAnswer *answer, const FabTopology *topology, const FabFaults *faults, const Ways *ways)
{
  const FabPath *path = fab_paths_row (ways->by_table, ways->shown);
  const guint32 *links = fab_paths_links (ways->by_table, ways->shown);
  FabTable *table = fab_table_new (hop_columns, G_N_ELEMENTS (hop_columns));

  for (guint32 i = 0; i < path->n_links; i++)
    {
      const FabLink *link = fab_topology_link (topology, links[i]);
      const FabDevice *into = fab_topology_device (topology, link->to_device);
      guint64 goodput_bps = fab_faults_goodput_bps (faults, topology, links[i]);
      gboolean passes = i + 1 < path->n_links || into->kind == FAB_DEVICE_NIC;
      g_autofree char *from = fab_topology_port_address (topology, link->from_port);
      g_autofree char *to = fab_topology_port_address (topology, link->to_port);

      fab_table_add_row (table);
      fab_table_set_int (table, "hop", i + 1);
      fab_table_set_text (table, "from", from);
      fab_table_set_text (table, "to", to);
      fab_table_set_text (table, "kind", fab_link_kind_name (link->kind));
      fab_table_set_text (table, "speed", link->speed);
      fab_table_set_int (table, "rate_gbps", (gint64) link->rate_bps);
      fab_table_set_int (table, "goodput_gbytes_per_s", (gint64) goodput_bps);
      fab_table_set_int (table, "latency_ns", link->latency_ps + (passes ? into->latency_ps : 0));
      fab_table_set_number (table, "utilisation_ceiling", part_of (ways, links[i]) * (double) ways->flow_bps / (double) goodput_bps);
      fab_table_set_bool (table, "narrowest", links[i] == ways->narrowest);
      fab_table_set_text (table, "mark", links[i] != ways->narrowest ? "" : path->flow_bps == ways->flow_bps ? "◀ narrowest (per-flow cap)" : "◀ narrowest");
    }
  fab_answer_add_table (answer, "hops", "Hop by hop", table);
}

static void
add_summary (FabAnswer *answer, const char *src, const char *dst, const char *plane, const FabRoutes *routes, const Ways *ways)
{
  const FabPath *path = ways != NULL ? fab_paths_row (ways->by_table, ways->shown) : NULL;
  FabTable *table = fab_table_new (path_columns, G_N_ELEMENTS (path_columns));

  fab_table_add_row (table);
  fab_table_set_text (table, "src", src);
  fab_table_set_text (table, "dst", dst);
  fab_table_set_text (table, "plane", plane);
  if (routes != NULL)
    fab_table_set_text (table, "forwarding", fab_forwarding_name (fab_routes_forwarding (routes)));
  fab_table_set_bool (table, "reachable", path != NULL);
  if (path != NULL)
    {
      fab_table_set_int (table, "ways", ways->n_ways);
      fab_table_set_text (table, "transport", fab_transport_name (path->transport));
      fab_table_set_int (table, "hops", path->n_links);
      fab_table_set_int (table, "latency_ns", fab_paths_row (ways->paths, ways->row)->latency_ps);
      fab_table_set_int (table, "software_ns", path->software_ps);
      if (path->n_links > 0)
        fab_table_set_int (table, "goodput_gbytes_per_s", (gint64) ways->flow_bps);
      if (path->flow_bps > 0)
        fab_table_set_int (table, "flow_cap_gbytes_per_s", (gint64) path->flow_bps);
    }
  fab_answer_add_record (answer, "", "Path", table);
}

static void
say_path (FabAnswer *answer, const FabTopology *topology, const char *src, const char *dst, const Ways *ways)
{
  const FabPath *path = fab_paths_row (ways->by_table, ways->shown);
  g_autofree char *latency = fab_units_format_time (fab_paths_row (ways->paths, ways->row)->latency_ps);
  g_autofree char *address = NULL;
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean capped = path->flow_bps == ways->flow_bps;

  if (path->n_links == 0)
    {
      fab_answer_say (answer, "%s and %s are the same device.", src, dst);
      return;
    }
  address = fab_topology_link_address (topology, ways->narrowest);
  fab_answer_say (answer, "%s → %s: %u hops, %s, %s GB/s for one flow alone; the narrowest is the %s link %s%s.", src, dst, path->n_links, latency,
                  g_ascii_formatd (digits, sizeof digits, "%.2f", (double) ways->flow_bps / 8e9),
                  fab_link_kind_name (fab_topology_link (topology, ways->narrowest)->kind), address,
                  capped ? " (the cap of a single peer-to-peer flow, below what the link carries)" : "");
  if (ways->n_ways > 1)
    fab_answer_say (answer, "Adaptive routing spreads the packets over %" G_GINT64_FORMAT " equal ways; the hops below are the table's.", ways->n_ways);
}

/* Finds the path over @plane, or over the first plane that joins the two. */
static guint32
find_path (FabPaths *paths, const FabTopology *topology, guint32 src, guint32 dst, guint32 *plane)
{
  guint32 first = *plane != FAB_NONE ? *plane : 0;
  guint32 last = *plane != FAB_NONE ? *plane + 1 : MAX (fab_topology_n_planes (topology), 1);

  for (guint32 p = first; p < last; p++)
    {
      guint32 row = fab_paths_find (paths, src, dst, fab_topology_n_planes (topology) > 0 ? p : FAB_NONE);

      *plane = p;
      if (row != FAB_NONE)
        return row;
    }
  *plane = first;
  return FAB_NONE;
}

static FabAnswer *
answer_for (const FabDesign *design, const FabTopology *topology, const FabFaults *faults, FabRoutes **routes, guint32 src, guint32 dst,
            guint32 plane)
{
  g_autoptr (FabPaths) paths = fab_paths_new (topology, faults, routes, &design->rules);
  guint32 row = find_path (paths, topology, src, dst, &plane);
  gboolean same_node = fab_topology_device (topology, src)->node == fab_topology_device (topology, dst)->node;
  const char *plane_name = same_node ? NULL : fab_topology_plane (topology, plane)->name;
  g_autofree char *from = fab_topology_device_address (topology, src);
  g_autofree char *to = fab_topology_device_address (topology, dst);
  const FabRoutes *plane_routes = same_node ? NULL : routes[plane];
  FabAnswer *answer = fab_answer_new ("fabsim.path/1");
  g_autofree FabRoutes **tables = g_new0 (FabRoutes *, fab_topology_n_planes (topology) + 1);
  g_autoptr (FabRoutes) table = NULL;
  g_autoptr (FabPaths) by_table = NULL;
  guint32 shown;
  Ways ways = { .paths = paths, .row = row, .by_table = paths, .shown = row, .n_ways = 1 };

  if (row == FAB_NONE)
    {
      fab_answer_say (answer, "%s cannot reach %s%s%s: no path.", from, to, plane_name != NULL ? " over " : "", plane_name != NULL ? plane_name : "");
      add_summary (answer, from, to, plane_name, plane_routes, NULL);
      fab_answer_set_found (answer, TRUE);
      return answer;
    }
  ways.flow_bps = flow_goodput_bps (topology, faults, fab_paths_row (paths, row), fab_paths_links (paths, row), fab_paths_parts (paths, row),
                                    &ways.narrowest);
  if (fab_paths_parts (paths, row) != NULL)
    {
      ways.n_ways = count_ways (topology, fab_paths_links (paths, row), fab_paths_row (paths, row)->n_links);
      table = tables[plane] = fab_routes_with_forwarding (routes[plane], FAB_FORWARDING_TABLE);
      by_table = fab_paths_new (topology, faults, tables, &design->rules);
      shown = fab_paths_find (by_table, src, dst, plane);
      if (shown != FAB_NONE)   /* tables read from a file may loop where their groups do not */
        {
          ways.by_table = by_table;
          ways.shown = shown;
        }
    }
  say_path (answer, topology, from, to, &ways);
  add_summary (answer, from, to, plane_name, plane_routes, &ways);
  add_hops (answer, topology, faults, &ways);
  return answer;
}

FabAnswer *
fab_analysis_path (const FabDesign *design, FabTopology *topology, const FabFaults *faults, const char *src, const char *dst, const char *plane,
                   GError **error)
{
  guint32 src_row, dst_row, plane_row = plane != NULL ? fab_topology_lookup_plane (topology, plane) : FAB_NONE;
  FabRoutes **routes;
  FabAnswer *answer;

  if (plane != NULL && plane_row == FAB_NONE)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "expected a plane of this design, got “%s”", plane);
      return NULL;
    }
  if (!fab_topology_find_device (topology, src, &src_row, error) || !fab_topology_find_device (topology, dst, &dst_row, error))
    return NULL;
  for (guint e = 0; e < 2; e++)
    if (fab_topology_device (topology, e == 0 ? src_row : dst_row)->node == FAB_NONE)
      {
        g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "expected a device of a node, got the switch “%s”", e == 0 ? src : dst);
        return NULL;
      }
  routes = build_all_routes (design, topology, faults, error);
  if (routes == NULL)
    return NULL;
  answer = answer_for (design, topology, faults, routes, src_row, dst_row, plane_row);
  for (guint32 p = 0; p < fab_topology_n_planes (topology); p++)
    fab_routes_unref (routes[p]);
  g_free (routes);
  return answer;
}
