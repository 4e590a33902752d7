/* fab-analysis-route.c: what a plane's forwarding tables are worth: complete, free of credit loops, balanced */
#include "analysis/fab-load-private.h"
#include "design/fab-design-private.h"
#include "fab-analysis.h"
#include "fab-lfts.h"
#include <string.h>

#define N_BUSIEST 8

static const FabColumn routing_columns[] = {
  { "plane", "plane", FAB_CELL_TEXT, "", "plane", 0 },
  { "engine", "engine", FAB_CELL_TEXT, "", "routing engine, by OpenSM's name", 0 },
  { "forwarding", "forwarding", FAB_CELL_TEXT, "", "of equal links: table (the one named), hash (one a flow) or adaptive (all)", 0 },
  { "lids", "LIDs", FAB_CELL_COUNT, "", "unicast LIDs in use", 0 },
  { "switches", "switches", FAB_CELL_COUNT, "", "tables", 0 },
  { "missing", "missing entries", FAB_CELL_COUNT, "", "LIDs of host ports that a table has no way to", 0 },
  { "max_hops", "most switches on a way", FAB_CELL_COUNT, "", "between two hosts", 0 },
  { "lanes", "lanes", FAB_CELL_COUNT, "", "that the ways are dealt out over, service levels 0 and up", 0 },
  { "credit_loop_free", "free of credit loops", FAB_CELL_BOOL, "", "whether the channel dependency graph of no lane has a cycle", 0 },
};

static const FabColumn lane_columns[] = {
  { "lane", "lane", FAB_CELL_COUNT, "", "service level of the ways on it", 0 },
  { "ways", "ways", FAB_CELL_COUNT, "", "between host ports", 0 },
  { "credit_loop_free", "free of credit loops", FAB_CELL_BOOL, "", "whether its channel dependency graph has no cycle", 0 },
};

static const FabColumn loop_columns[] = {
  { "lane", "lane", FAB_CELL_COUNT, "", "the cycle is on", FAB_COLUMN_HIDDEN },
  { "link", "waits, each for the next, the last for the first", FAB_CELL_TEXT, "", "directed link", 0 },
};

static const FabColumn load_columns[] = {
  { "pattern", "pattern", FAB_CELL_TEXT, "", "who sends to whom", 0 },
  { "samples", "samples", FAB_CELL_COUNT, "", "random draws of it", 0 },
  { "seed", "seed", FAB_CELL_COUNT, "", "of the draws", FAB_COLUMN_HIDDEN },
  { "flows", "flows", FAB_CELL_COUNT, "", "of one sample", 0 },
  { "unreachable", "unreachable", FAB_CELL_COUNT, "", "flows without a way", 0 },
  { "max_flows", "most flows on a switch link", FAB_CELL_NUMBER, "", "over all samples; one that is spread counts by its part", FAB_COLUMN_LOWER },
  { "mean_share", "mean share", FAB_CELL_SHARE, "", "of its host link's rate that a flow gets, mean over flows and samples", FAB_COLUMN_HIGHER },
  { "lowest_mean_share", "lowest sample", FAB_CELL_SHARE, "", "mean share of the worst sample", FAB_COLUMN_HIGHER },
  { "highest_mean_share", "highest sample", FAB_CELL_SHARE, "", "mean share of the best sample", FAB_COLUMN_HIGHER },
  { "min_share", "worst flow", FAB_CELL_SHARE, "", "share of the slowest flow of all samples", FAB_COLUMN_HIGHER },
};

static const FabColumn busiest_columns[] = {
  { "link", "link", FAB_CELL_TEXT, "", "directed link between switches", 0 },
  { "flows", "flows", FAB_CELL_NUMBER, "", "of the first sample", 0 },
};

/* ---- the tables themselves ---- */

static guint64
count_missing (const FabRoutes *routes, const FabTopology *topology, const FabPlane *plane)
{
  guint32 max_lid = fab_subnet_max_lid (fab_routes_subnet (routes));
  guint64 n = 0;

  for (guint32 s = plane->first_switch; plane->n_switches > 0 && s < plane->first_switch + plane->n_switches; s++)
    for (guint32 lid = 1; lid <= max_lid; lid++)
      n += fab_subnet_lid_port (fab_routes_subnet (routes), lid) != FAB_NONE && fab_routes_next_link (routes, s, lid) == FAB_NONE ? 1 : 0;
  return n;
}

static guint32
leaf_of (const FabTopology *topology, guint32 port)
{
  return fab_topology_link (topology, fab_topology_port (topology, port)->link)->to_device;
}

/* One entry a leaf, its first host port; the others send as it does. GArray of guint32. */
static GArray *
one_of_each_leaf (const FabTopology *topology, const GArray *ports)
{
  g_autofree gboolean *known = g_new0 (gboolean, fab_topology_n_devices (topology));
  GArray *first = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < ports->len; i++)
    {
      guint32 port = g_array_index (ports, guint32, i), leaf = leaf_of (topology, port);

      if (!known[leaf])
        g_array_append_val (first, port);
      known[leaf] = TRUE;
    }
  return first;
}

typedef struct
{
  guint32 *stamp;   /* of each device: the LID its depth is of */
  guint   *depth;   /* switches from it to the LID; 0: the tables do not lead there */
  guint32 *way;
} Depths;

/* Along the tables to a switch whose depth is known, and back. */
static guint
depth_of (const FabRoutes *routes, const FabTopology *topology, Depths *depths, guint32 device, guint32 lid, guint32 to)
{
  guint n = 0, depth = 0;
  guint32 at = device;

  while (depths->stamp[at] != lid)
    {
      guint32 link = fab_routes_next_link (routes, at, lid);

      depths->stamp[at] = lid;
      depths->depth[at] = 0;   /* until known: who comes by again has gone round */
      depths->way[n++] = at;
      if (link == FAB_NONE)
        break;
      if (fab_topology_link (topology, link)->to_port == to)
        {
          depth = 1;
          break;
        }
      at = fab_topology_link (topology, link)->to_device;
      depth = depths->stamp[at] == lid && depths->depth[at] > 0 ? depths->depth[at] + 1 : 0;
    }
  if (n == 0)
    return depths->depth[at];
  for (; n > 0; n--)
    {
      depths->depth[depths->way[n - 1]] = depth;
      depth += depth > 0 ? 1 : 0;
    }
  return depths->depth[device];
}

static guint
most_switches (const FabRoutes *routes, const FabTopology *topology)
{
  g_autoptr (GArray) ports = fab__load_ports (routes), senders = one_of_each_leaf (topology, ports);
  guint32 n_devices = fab_topology_n_devices (topology);
  Depths depths = { .stamp = g_new0 (guint32, n_devices), .depth = g_new0 (guint, n_devices), .way = g_new (guint32, n_devices) };
  guint most = 0;

  for (guint b = 0; b < ports->len; b++)
    {
      guint32 to = g_array_index (ports, guint32, b), lid = fab_subnet_port_lid (fab_routes_subnet (routes), to);

      for (guint a = 0; a < senders->len; a++)
        {
          guint32 from = g_array_index (senders, guint32, a);

          if (from != to)
            most = MAX (most, depth_of (routes, topology, &depths, leaf_of (topology, from), lid, to));
        }
    }
  g_free (depths.stamp);
  g_free (depths.depth);
  g_free (depths.way);
  return most;
}

static void
add_routing (FabAnswer *answer, const FabRoutes *routes, const FabTopology *topology, const FabPlane *plane, gboolean loop_free)
{
  FabTable *table = fab_table_new (routing_columns, G_N_ELEMENTS (routing_columns));
  guint64 n_missing = count_missing (routes, topology, plane);

  fab_table_add_row (table);
  fab_table_set_text (table, "plane", plane->name);
  fab_table_set_text (table, "engine", fab_routes_engine (routes));
  fab_table_set_text (table, "forwarding", fab_forwarding_name (fab_routes_forwarding (routes)));
  fab_table_set_int (table, "lids", fab_subnet_n_lids (fab_routes_subnet (routes)));
  fab_table_set_int (table, "switches", plane->n_switches);
  fab_table_set_int (table, "missing", (gint64) n_missing);
  fab_table_set_int (table, "max_hops", most_switches (routes, topology));
  fab_table_set_int (table, "lanes", fab_routes_n_lanes (routes));
  fab_table_set_bool (table, "credit_loop_free", loop_free);
  fab_answer_add_record (answer, "routing", "Forwarding tables", table);
}

/* ---- credit loops ---- */

/* Pairs of host ports on each lane. All ports of a leaf are alike as senders. */
static void
count_ways (const FabRoutes *routes, const FabTopology *topology, gint64 *n_ways)
{
  g_autoptr (GArray) ports = fab__load_ports (routes);
  g_autofree guint32 *n_on = g_new0 (guint32, fab_topology_n_devices (topology));

  for (guint a = 0; a < ports->len; a++)
    n_on[leaf_of (topology, g_array_index (ports, guint32, a))]++;
  for (guint a = 0; a < ports->len; a++)
    {
      guint32 from = g_array_index (ports, guint32, a), leaf = leaf_of (topology, from);

      for (guint b = 0; n_on[leaf] > 0 && b < ports->len; b++)
        {
          guint32 to = g_array_index (ports, guint32, b);

          n_ways[fab_routes_lane (routes, from, to)] += n_on[leaf] - (leaf_of (topology, to) == leaf ? 1 : 0);
        }
      n_on[leaf] = 0;
    }
}

static void
add_loop_rows (FabTable *table, const FabTopology *topology, guint lane, const GArray *loop)
{
  for (guint i = 0; i < loop->len; i++)
    {
      g_autofree char *address = fab_topology_link_address (topology, g_array_index (loop, guint32, i));

      fab_table_add_row (table);
      fab_table_set_int (table, "lane", lane);
      fab_table_set_text (table, "link", address);
    }
}

static void
say_loops (FabAnswer *answer, const char *plane, const FabRoutes *routes, guint n_loops, guint n_links)
{
  g_autofree char *lanes = fab_routes_n_lanes (routes) == 1 ? g_strdup ("one lane") : g_strdup_printf ("each of %u lanes", fab_routes_n_lanes (routes));
  const char *how = fab_routes_forwarding (routes) == FAB_FORWARDING_TABLE ? "" : ", whichever of the equal links are taken";

  if (n_loops == 0)
    fab_answer_say (answer, "%s: %s tables are free of credit loops on %s%s.", plane, fab_routes_engine (routes), lanes, how);
  else
    fab_answer_say (answer, "%s: %s tables leave a credit loop of %u links on %s: a deadlock is possible.", plane, fab_routes_engine (routes), n_links,
                    fab_routes_n_lanes (routes) == 1 ? "one lane" : "a lane");
}

/* TRUE: no lane has a cycle. */
static gboolean
add_proof (FabAnswer *answer, const FabTopology *topology, const FabFaults *faults, const FabRoutes *routes)
{
  FabTable *loops = fab_table_new (loop_columns, G_N_ELEMENTS (loop_columns)), *lanes = fab_table_new (lane_columns, G_N_ELEMENTS (lane_columns));
  g_autofree gint64 *n_ways = g_new0 (gint64, fab_routes_n_lanes (routes));
  guint n_loops = 0, n_links = 0;

  count_ways (routes, topology, n_ways);
  for (guint lane = 0; lane < fab_routes_n_lanes (routes); lane++)
    {
      g_autoptr (GArray) loop = fab_routes_credit_loop (routes, faults, lane);

      fab_table_add_row (lanes);
      fab_table_set_int (lanes, "lane", lane);
      fab_table_set_int (lanes, "ways", n_ways[lane]);
      fab_table_set_bool (lanes, "credit_loop_free", loop == NULL);
      if (loop == NULL)
        continue;
      add_loop_rows (loops, topology, lane, loop);
      n_links = loop->len;
      n_loops++;
    }
  fab_answer_add_table (answer, "credit_loop", "Credit loop", loops);
  fab_answer_add_table (answer, "lanes", fab_routes_n_lanes (routes) > 1 ? "Lanes" : NULL, lanes);
  say_loops (answer, fab_topology_plane (topology, fab_subnet_plane (fab_routes_subnet (routes)))->name, routes, n_loops, n_links);
  fab_answer_set_found (answer, n_loops > 0);
  return n_loops == 0;
}

/* ---- the load of a pattern ---- */

/* The link between switches that comes after @after (FAB_NONE: the first) by flows, most first, ties by row; FAB_NONE: no more carry any. */
static guint32
busiest_after (const FabTopology *topology, const FabLoad *load, guint32 after)
{
  guint32 best = FAB_NONE;

  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    {
      const FabLink *link = fab_topology_link (topology, l);
      gboolean comes_after = after == FAB_NONE || load->flows[l] < load->flows[after] || (load->flows[l] <= load->flows[after] && l > after);

      if (comes_after && load->flows[l] > (best != FAB_NONE ? load->flows[best] : 0)
          && fab_topology_device (topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        best = l;
    }
  return best;
}

static void
add_busiest (FabAnswer *answer, const FabTopology *topology, const FabLoad *load)
{
  FabTable *table = fab_table_new (busiest_columns, G_N_ELEMENTS (busiest_columns));
  guint32 link = FAB_NONE;

  for (guint n = 0; n < N_BUSIEST && (link = busiest_after (topology, load, link)) != FAB_NONE; n++)
    {
      g_autofree char *address = fab_topology_link_address (topology, link);

      fab_table_add_row (table);
      fab_table_set_text (table, "link", address);
      fab_table_set_number (table, "flows", load->flows[link]);
    }
  fab_answer_add_table (answer, "busiest", "Busiest links of the first sample", table);
}

typedef struct
{
  guint   n_samples;
  guint32 n_flows, n_unreachable;
  double  max_flows, sum, lowest, highest, min_share;
} Summary;

static void
add_sample (Summary *summary, const FabLoad *load)
{
  summary->n_flows = load->n_flows;
  summary->n_unreachable = load->n_unreachable;
  summary->max_flows = MAX (summary->max_flows, load->max_flows);
  summary->sum += load->mean_share;
  summary->lowest = summary->n_samples == 0 ? load->mean_share : MIN (summary->lowest, load->mean_share);
  summary->highest = MAX (summary->highest, load->mean_share);
  summary->min_share = MIN (summary->min_share, load->min_share);
  summary->n_samples++;
}

static void
add_load (FabAnswer *answer, const FabRouteOptions *options, const Summary *summary)
{
  FabTable *table = fab_table_new (load_columns, G_N_ELEMENTS (load_columns));
  double mean = summary->sum / summary->n_samples;
  char digits[G_ASCII_DTOSTR_BUF_SIZE], flows[G_ASCII_DTOSTR_BUF_SIZE];

  fab_table_add_row (table);
  fab_table_set_text (table, "pattern", options->pattern);
  fab_table_set_int (table, "samples", summary->n_samples);
  fab_table_set_int (table, "seed", (gint64) options->seed);
  fab_table_set_int (table, "flows", summary->n_flows);
  fab_table_set_int (table, "unreachable", summary->n_unreachable);
  fab_table_set_number (table, "max_flows", summary->max_flows);
  fab_table_set_number (table, "mean_share", mean);
  fab_table_set_number (table, "lowest_mean_share", summary->lowest);
  fab_table_set_number (table, "highest_mean_share", summary->highest);
  fab_table_set_number (table, "min_share", summary->min_share);
  fab_answer_add_record (answer, "load", "Load of the pattern", table);
  fab_answer_say (answer, "%s: a flow gets %s %% of its host link on average; the most crowded switch link carries %s flows.", options->pattern,
                  g_ascii_formatd (digits, sizeof digits, "%.1f", 100 * mean), g_ascii_formatd (flows, sizeof flows, "%.4g", summary->max_flows));
}

static gboolean
add_pattern (FabAnswer *answer, const FabRoutes *routes, const FabTopology *topology, const FabRouteOptions *options, GError **error)
{
  gboolean is_random = g_str_equal (options->pattern, "permutation") || g_str_equal (options->pattern, "bisection");
  guint n_samples = is_random ? MAX (options->n_samples, 1) : 1;
  g_autoptr (FabStream) stream = fab__stream_new (options->seed, options->pattern);
  Summary summary = { .min_share = 1 };

  for (guint i = 0; i < n_samples; i++)
    {
      g_autoptr (GArray) flows = fab__load_pattern (routes, options->pattern, stream, error);
      FabLoad load;

      if (flows == NULL)
        return FALSE;
      fab__load_compute (routes, (const FabFlow *) (const void *) flows->data, flows->len, &load);
      add_sample (&summary, &load);
      if (i == 0)
        add_busiest (answer, topology, &load);
      fab__load_clear (&load);
      if (options->tick.func != NULL && !options->tick.func (i + 1, n_samples, options->tick.data))
        break;
    }
  add_load (answer, options, &summary);
  return TRUE;
}

FabRoutes *
fab_analysis_routes (const FabDesign *design, FabTopology *topology, const FabFaults *faults, const FabRouteOptions *options, GError **error)
{
  guint32 plane = options->plane != NULL ? fab_topology_lookup_plane (topology, options->plane) : 0;
  const FabSubnetSpec *spec;
  g_autoptr (FabRoutes) routes = NULL;

  if (plane >= fab_topology_n_planes (topology))
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "route: expected a plane of this design, got “%s”", options->plane != NULL ? options->plane : "none");
      return NULL;
    }
  if (options->tables == NULL)
    return fab__design_build_routes (design, topology, faults, plane, options->engine, error);
  spec = &design->planes[plane].subnet;
  routes = fab_lfts_read (options->tables, strlen (options->tables), options->tables_path, topology, plane, faults, &spec->qos, error);
  return routes != NULL ? fab_routes_with_forwarding (routes, spec->forwarding) : NULL;
}

FabAnswer *
fab_analysis_route (const FabDesign *design, FabTopology *topology, const FabFaults *faults, const FabRouteOptions *options, GError **error)
{
  g_autoptr (FabRoutes) routes = fab_analysis_routes (design, topology, faults, options, error);
  g_autoptr (FabAnswer) answer = NULL;
  const FabPlane *plane;

  if (routes == NULL)
    return NULL;
  plane = fab_topology_plane (topology, fab_subnet_plane (fab_routes_subnet (routes)));
  answer = fab_answer_new ("fabsim.route/1");
  add_routing (answer, routes, topology, plane, add_proof (answer, topology, faults, routes));
  if (options->pattern != NULL && !add_pattern (answer, routes, topology, options, error))
    return NULL;
  return g_steal_pointer (&answer);
}
