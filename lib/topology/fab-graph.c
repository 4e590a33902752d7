/* fab-graph.c: questions of graph theory; the only file that knows igraph
 *
 * Debian's igraph keeps its error state and attribute table in globals without thread-local storage: two threads on two graphs
 * crash. One lock guards every call, and its error handler, which aborts by default, is made to return codes.
 */
#include "topology/fab-topology-private.h"
#include "fab-error.h"
#include <igraph.h>

static GMutex igraph_lock;   /* of a library that is global itself */

static void
take_igraph (void)
{
  g_mutex_lock (&igraph_lock);
  igraph_set_error_handler (igraph_error_handler_ignore);
}

static void
give_igraph (void)
{
  g_mutex_unlock (&igraph_lock);
}

static gboolean
igraph_failed (igraph_error_t code, GError **error)
{
  if (code == IGRAPH_SUCCESS)
    return FALSE;
  g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "graph: expected igraph to answer, got “%s”", igraph_strerror (code));
  return TRUE;
}

/* ---- a plane as a graph: its switches and the NICs on it ---- */

typedef struct
{
  guint32   *vertex_of;   /* device → vertex; FAB_NONE: not on the plane */
  GArray    *devices;     /* vertex → device */
  GArray    *edges;       /* pairs of vertices, guint32 */
  GArray    *links;       /* even link row of each edge */
} PlaneGraph;

static guint32
vertex (PlaneGraph *graph, guint32 device)
{
  if (graph->vertex_of[device] == FAB_NONE)
    {
      graph->vertex_of[device] = graph->devices->len;
      g_array_append_val (graph->devices, device);
    }
  return graph->vertex_of[device];
}

static void
plane_graph_init (PlaneGraph *graph, const FabTopology *topology, const FabFaults *faults, guint32 plane)
{
  graph->vertex_of = g_new (guint32, MAX (topology->n_devices, 1));
  memset (graph->vertex_of, 0xff, sizeof (guint32) * topology->n_devices);
  graph->devices = g_array_new (FALSE, FALSE, sizeof (guint32));
  graph->edges = g_array_new (FALSE, FALSE, sizeof (guint32));
  graph->links = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 l = 0; l < topology->n_links; l += 2)
    {
      const FabLink *link = &topology->links[l];
      guint32 ends[2];

      if (link->plane != plane || fab_faults_link_down (faults, l) || fab_faults_device_down (faults, link->from_device)
          || fab_faults_device_down (faults, link->to_device))
        continue;
      ends[0] = vertex (graph, link->from_device);
      ends[1] = vertex (graph, link->to_device);
      g_array_append_vals (graph->edges, ends, 2);
      g_array_append_val (graph->links, l);
    }
}

static void
plane_graph_clear (PlaneGraph *graph)
{
  g_free (graph->vertex_of);
  g_array_unref (graph->devices);
  g_array_unref (graph->edges);
  g_array_unref (graph->links);
}

/* ---- named splits ---- */

typedef struct
{
  igraph_vector_int_t edges;
  igraph_vector_t     capacity;   /* Gb/s: igraph's doubles hold bits a second exactly too, but sums stay small */
} FlowNet;

static gboolean
add_arc (FlowNet *net, guint32 from, guint32 to, double capacity)
{
  return igraph_vector_int_push_back (&net->edges, from) == IGRAPH_SUCCESS && igraph_vector_int_push_back (&net->edges, to) == IGRAPH_SUCCESS
         && igraph_vector_push_back (&net->capacity, capacity) == IGRAPH_SUCCESS;
}

/* NICs do not forward: only links between switches, or of the NICs that are ends themselves, carry the split. */
static gboolean
add_plane_arcs (FlowNet *net, const PlaneGraph *graph, const FabTopology *topology)
{
  gboolean ok = TRUE;

  for (guint e = 0; e < graph->links->len && ok; e++)
    {
      const FabLink *link = &topology->links[g_array_index (graph->links, guint32, e)];
      guint32 a = g_array_index (graph->edges, guint32, 2 * e), b = g_array_index (graph->edges, guint32, 2 * e + 1);
      gboolean a_switch = topology->devices[link->from_device].kind == FAB_DEVICE_SWITCH;
      gboolean b_switch = topology->devices[link->to_device].kind == FAB_DEVICE_SWITCH;
      guint32 up = a, down = b;

      if (a_switch && b_switch)
        {
          ok = add_arc (net, a, b, (double) link->rate_bps) && add_arc (net, b, a, (double) link->rate_bps);
          continue;
        }
      /* A NIC is two vertices, out and in (in: + n), so that nothing passes through it. */
      if (a_switch)
        {
          up = b;
          down = a;
        }
      ok = add_arc (net, up, down, (double) link->rate_bps) && add_arc (net, down, up + graph->devices->len, (double) link->rate_bps);
    }
  return ok;
}

static gboolean
add_terminals (FlowNet *net, const PlaneGraph *graph, const FabTopology *topology, const guint32 *devices, gsize n, guint32 terminal, gboolean source)
{
  gboolean ok = TRUE;

  for (gsize i = 0; i < n && ok; i++)
    {
      guint32 v = devices[i] < topology->n_devices ? graph->vertex_of[devices[i]] : FAB_NONE;
      gboolean is_switch = v != FAB_NONE && topology->devices[devices[i]].kind == FAB_DEVICE_SWITCH;

      if (v == FAB_NONE)
        continue;   /* cut off: adds nothing to the flow */
      ok = source ? add_arc (net, terminal, v, 1e18) : add_arc (net, is_switch ? v : v + graph->devices->len, terminal, 1e18);
    }
  return ok;
}

static gboolean
solve_split (const PlaneGraph *graph, const FabTopology *topology, const guint32 *a, gsize n_a, const guint32 *b, gsize n_b,
             guint64 *flow_bps, GError **error)
{
  guint32 n = graph->devices->len, source = 2 * n, sink = 2 * n + 1;
  FlowNet net;
  igraph_t flow_graph;
  igraph_real_t value = 0;
  igraph_error_t code = IGRAPH_ENOMEM;

  if (igraph_vector_int_init (&net.edges, 0) != IGRAPH_SUCCESS)
    return !igraph_failed (IGRAPH_ENOMEM, error);
  if (igraph_vector_init (&net.capacity, 0) != IGRAPH_SUCCESS)
    {
      igraph_vector_int_destroy (&net.edges);
      return !igraph_failed (IGRAPH_ENOMEM, error);
    }
  if (add_plane_arcs (&net, graph, topology) && add_terminals (&net, graph, topology, a, n_a, source, TRUE)
      && add_terminals (&net, graph, topology, b, n_b, sink, FALSE))
    code = igraph_create (&flow_graph, &net.edges, 2 * n + 2, IGRAPH_DIRECTED);
  if (code == IGRAPH_SUCCESS)
    {
      code = igraph_maxflow_value (&flow_graph, &value, source, sink, &net.capacity, NULL);
      igraph_destroy (&flow_graph);
    }
  igraph_vector_int_destroy (&net.edges);
  igraph_vector_destroy (&net.capacity);
  *flow_bps = (guint64) (value + 0.5);
  return !igraph_failed (code, error);
}

gboolean
fab_topology_split_bps (const FabTopology *topology, const FabFaults *faults, guint32 plane, const guint32 *a, gsize n_a, const guint32 *b,
                        gsize n_b, guint64 *flow_bps, GError **error)
{
  PlaneGraph graph;
  gboolean ok;

  g_return_val_if_fail (plane < topology->n_planes, FALSE);
  plane_graph_init (&graph, topology, faults, plane);
  take_igraph ();
  ok = solve_split (&graph, topology, a, n_a, b, n_b, flow_bps, error);
  give_igraph ();
  plane_graph_clear (&graph);
  return ok;
}

/* ---- single points of failure ---- */

/* Nodes hang on the graph as vertices of their own, joined to their NICs: a node with two ports survives one. */
static void
join_nodes (PlaneGraph *graph, const FabTopology *topology, igraph_vector_int_t *edges, guint32 *n_vertices)
{
  g_autoptr (GHashTable) node_vertex = g_hash_table_new (NULL, NULL);
  guint n_devices = graph->devices->len;

  *n_vertices = n_devices;
  for (guint e = 0; e < graph->edges->len; e++)
    igraph_vector_int_push_back (edges, g_array_index (graph->edges, guint32, e));
  for (guint v = 0; v < n_devices; v++)
    {
      guint32 node = topology->devices[g_array_index (graph->devices, guint32, v)].node;
      guint32 at;

      if (node == FAB_NONE)
        continue;
      at = GPOINTER_TO_UINT (g_hash_table_lookup (node_vertex, GUINT_TO_POINTER (node + 1)));
      if (at == 0)
        {
          at = (*n_vertices)++;
          g_hash_table_insert (node_vertex, GUINT_TO_POINTER (node + 1), GUINT_TO_POINTER (at));
        }
      igraph_vector_int_push_back (edges, v);
      igraph_vector_int_push_back (edges, at);
    }
}

static gboolean
find_weak (PlaneGraph *graph, const FabTopology *topology, GArray *devices, GArray *links, GError **error)
{
  igraph_vector_int_t edges, points, bridges;
  igraph_t whole;
  guint32 n_vertices;
  igraph_error_t code;

  igraph_vector_int_init (&edges, 0);
  igraph_vector_int_init (&points, 0);
  igraph_vector_int_init (&bridges, 0);
  join_nodes (graph, topology, &edges, &n_vertices);
  code = igraph_create (&whole, &edges, n_vertices, IGRAPH_UNDIRECTED);
  if (code == IGRAPH_SUCCESS)
    {
      code = igraph_articulation_points (&whole, &points);
      if (code == IGRAPH_SUCCESS)
        code = igraph_bridges (&whole, &bridges);
      igraph_destroy (&whole);
    }
  for (igraph_integer_t i = 0; code == IGRAPH_SUCCESS && i < igraph_vector_int_size (&points); i++)
    if (VECTOR (points)[i] < (igraph_integer_t) graph->devices->len)
      g_array_append_val (devices, g_array_index (graph->devices, guint32, VECTOR (points)[i]));
  for (igraph_integer_t i = 0; code == IGRAPH_SUCCESS && i < igraph_vector_int_size (&bridges); i++)
    if (VECTOR (bridges)[i] < (igraph_integer_t) graph->links->len)
      g_array_append_val (links, g_array_index (graph->links, guint32, VECTOR (bridges)[i]));
  igraph_vector_int_destroy (&edges);
  igraph_vector_int_destroy (&points);
  igraph_vector_int_destroy (&bridges);
  return !igraph_failed (code, error);
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return x < y ? -1 : x > y;
}

gboolean
fab_topology_weak_points (const FabTopology *topology, const FabFaults *faults, guint32 plane, GArray **devices, GArray **links, GError **error)
{
  g_autoptr (GArray) found_devices = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) found_links = g_array_new (FALSE, FALSE, sizeof (guint32));
  PlaneGraph graph;
  gboolean ok;

  g_return_val_if_fail (plane < topology->n_planes, FALSE);
  plane_graph_init (&graph, topology, faults, plane);
  take_igraph ();
  ok = find_weak (&graph, topology, found_devices, found_links, error);
  give_igraph ();
  plane_graph_clear (&graph);
  if (!ok)
    return FALSE;
  g_array_sort (found_devices, compare_rows);   /* igraph's order is its own */
  g_array_sort (found_links, compare_rows);
  *devices = g_steal_pointer (&found_devices);
  *links = g_steal_pointer (&found_links);
  return TRUE;
}
