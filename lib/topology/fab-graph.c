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
  guint32 *vertex_of;   /* device → vertex; FAB_NONE: not on the plane */
  GArray  *devices;     /* vertex → device */
  GArray  *edges;       /* pairs of vertices, igraph_integer_t */
  GArray  *links;       /* even link row of each edge */
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
add_edge (GArray *edges, guint32 from, guint32 to)
{
  igraph_integer_t ends[2] = { from, to };

  g_array_append_vals (edges, ends, 2);
}

static guint32
edge_end (const GArray *edges, guint end)
{
  return (guint32) g_array_index (edges, igraph_integer_t, end);
}

static void
plane_graph_init (PlaneGraph *graph, const FabTopology *topology, const FabFaults *faults, guint32 plane)
{
  graph->vertex_of = g_new (guint32, MAX (topology->n_devices, 1));
  memset (graph->vertex_of, 0xff, sizeof (guint32) * topology->n_devices);
  graph->devices = g_array_new (FALSE, FALSE, sizeof (guint32));
  graph->edges = g_array_new (FALSE, FALSE, sizeof (igraph_integer_t));
  graph->links = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 l = 0; l < topology->n_links; l += 2)
    {
      const FabLink *link = &topology->links[l];

      if (link->plane != plane || fab_faults_link_down (faults, l) || fab_faults_device_down (faults, link->from_device)
          || fab_faults_device_down (faults, link->to_device))
        continue;
      add_edge (graph->edges, vertex (graph, link->from_device), vertex (graph, link->to_device));
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

static const FabDevice *
vertex_device (const PlaneGraph *graph, const FabTopology *topology, guint32 v)
{
  return &topology->devices[g_array_index (graph->devices, guint32, v)];
}

static igraph_error_t
create_graph (igraph_t *made, const GArray *edges, guint32 n_vertices, gboolean directed)
{
  igraph_vector_int_t view;

  igraph_vector_int_view (&view, (const igraph_integer_t *) (const void *) edges->data, edges->len);
  return igraph_create (made, &view, n_vertices, directed);
}

/* ---- named splits ---- */

/* Capacities are whole bits a second in doubles: exact below 2^53, and sums of round rates far beyond. */
typedef struct
{
  const PlaneGraph  *graph;
  const FabTopology *topology;
  GArray            *edges;        /* igraph_integer_t, two an arc */
  GArray            *capacity;     /* double, one an arc */
  double            *vertex_bps;   /* of all links at a vertex together: no more can start or end there */
} FlowNet;

static void
add_arc (FlowNet *net, guint32 from, guint32 to, double capacity)
{
  add_edge (net->edges, from, to);
  g_array_append_val (net->capacity, capacity);
}

/* Only switches forward. Any other device is two vertices, one that sends and one that receives, so that nothing passes through. */
static guint32
way_in (const FlowNet *net, guint32 v)
{
  return vertex_device (net->graph, net->topology, v)->kind == FAB_DEVICE_SWITCH ? v : v + net->graph->devices->len;
}

/* A capped link carries that share of its wire rate. */
static double
wire_bps (const FabTopology *topology, const FabFaults *faults, guint32 link)
{
  const FabLink *row = &topology->links[link];
  guint64 goodput_bps = fab_faults_goodput_bps (faults, topology, link);

  return goodput_bps == row->goodput_bps ? (double) row->rate_bps : (double) row->rate_bps * ((double) goodput_bps / (double) row->goodput_bps);
}

static void
add_plane_arcs (FlowNet *net, const FabFaults *faults)
{
  for (guint e = 0; e < net->graph->links->len; e++)
    {
      double capacity = wire_bps (net->topology, faults, g_array_index (net->graph->links, guint32, e));
      guint32 a = edge_end (net->graph->edges, 2 * e), b = edge_end (net->graph->edges, 2 * e + 1);

      add_arc (net, a, way_in (net, b), capacity);
      add_arc (net, b, way_in (net, a), capacity);
      net->vertex_bps[a] += capacity;
      net->vertex_bps[b] += capacity;
    }
}

/* Devices that are not on the plane, or cut off, add nothing to the flow. */
static void
add_terminals (FlowNet *net, const guint32 *devices, gsize n, guint32 terminal, gboolean source)
{
  for (gsize i = 0; i < n; i++)
    {
      guint32 v = net->graph->vertex_of[devices[i]];

      if (v == FAB_NONE)
        continue;
      if (source)
        add_arc (net, terminal, v, net->vertex_bps[v]);
      else
        add_arc (net, way_in (net, v), terminal, net->vertex_bps[v]);
    }
}

static igraph_error_t
solve_flow (const FlowNet *net, guint32 n_vertices, guint32 source, guint32 sink, double *flow_bps)
{
  igraph_vector_t capacity;
  igraph_t whole;
  igraph_error_t code = create_graph (&whole, net->edges, n_vertices, IGRAPH_DIRECTED);

  if (code != IGRAPH_SUCCESS)
    return code;
  igraph_vector_view (&capacity, (const igraph_real_t *) (const void *) net->capacity->data, net->capacity->len);
  code = igraph_maxflow_value (&whole, flow_bps, source, sink, &capacity, NULL);
  igraph_destroy (&whole);
  return code;
}

/* A device on both sides would be a way of its own without end. */
static gboolean
check_apart (const FabTopology *topology, const guint32 *a, gsize n_a, const guint32 *b, gsize n_b, GError **error)
{
  g_autofree guint8 *in_a = g_new0 (guint8, MAX (topology->n_devices, 1));

  for (gsize i = 0; i < n_a; i++)
    in_a[a[i]] = TRUE;
  for (gsize i = 0; i < n_b; i++)
    if (in_a[b[i]])
      {
        g_autofree char *address = fab_topology_device_address (topology, b[i]);

        g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "split: expected each device on one side, got %s on both", address);
        return FALSE;
      }
  return TRUE;
}

gboolean
fab_topology_split_bps (const FabTopology *topology, const FabFaults *faults, guint32 plane, const guint32 *a, gsize n_a, const guint32 *b,
                        gsize n_b, guint64 *flow_bps, GError **error)
{
  PlaneGraph graph;
  FlowNet net = { .graph = &graph, .topology = topology };
  igraph_error_t code;
  guint32 n;
  double value = 0;

  g_return_val_if_fail (plane < topology->n_planes, FALSE);
  if (!check_apart (topology, a, n_a, b, n_b, error))
    return FALSE;
  plane_graph_init (&graph, topology, faults, plane);
  n = graph.devices->len;
  net.edges = g_array_new (FALSE, FALSE, sizeof (igraph_integer_t));
  net.capacity = g_array_new (FALSE, FALSE, sizeof (double));
  net.vertex_bps = g_new0 (double, MAX (n, 1));
  add_plane_arcs (&net, faults);
  add_terminals (&net, a, n_a, 2 * n, TRUE);
  add_terminals (&net, b, n_b, 2 * n + 1, FALSE);
  take_igraph ();
  code = solve_flow (&net, 2 * n + 2, 2 * n, 2 * n + 1, &value);
  give_igraph ();
  g_array_unref (net.edges);
  g_array_unref (net.capacity);
  g_free (net.vertex_bps);
  plane_graph_clear (&graph);
  *flow_bps = (guint64) (value + 0.5);
  return !igraph_failed (code, error);
}

/* ---- single points of failure ---- */

/* The plane with its nodes: vertices of their own after the devices', joined to their NICs, so that a node with two ports
 * survives the loss of one. */
typedef struct
{
  PlaneGraph plane;
  guint32    n_vertices;
  guint32   *node_vertex;   /* device's vertex → its node's; FAB_NONE: a switch */
  guint32   *degree;
} NodeGraph;

static void
node_graph_init (NodeGraph *graph, const FabTopology *topology, const FabFaults *faults, guint32 plane)
{
  g_autofree guint32 *of_node = g_new (guint32, MAX (topology->n_nodes, 1));
  guint32 n_devices;

  plane_graph_init (&graph->plane, topology, faults, plane);
  n_devices = graph->n_vertices = graph->plane.devices->len;
  graph->node_vertex = g_new (guint32, MAX (n_devices, 1));
  memset (of_node, 0xff, sizeof (guint32) * topology->n_nodes);
  for (guint32 v = 0; v < n_devices; v++)
    {
      guint32 node = topology->devices[g_array_index (graph->plane.devices, guint32, v)].node;

      if (node != FAB_NONE && of_node[node] == FAB_NONE)
        of_node[node] = graph->n_vertices++;
      graph->node_vertex[v] = node != FAB_NONE ? of_node[node] : FAB_NONE;
      if (node != FAB_NONE)
        add_edge (graph->plane.edges, v, of_node[node]);
    }
  graph->degree = g_new0 (guint32, MAX (graph->n_vertices, 1));
  for (guint end = 0; end < graph->plane.edges->len; end++)
    graph->degree[edge_end (graph->plane.edges, end)]++;
}

static void
node_graph_clear (NodeGraph *graph)
{
  plane_graph_clear (&graph->plane);
  g_free (graph->node_vertex);
  g_free (graph->degree);
}

/* What lies together once a vertex or an edge is taken out (FAB_NONE: nothing is). */
typedef struct
{
  guint32 *parent;     /* vertex → towards the root of its part */
  guint32 *n_nodes;    /* of a root: nodes in its part */
  guint    n_parts;    /* with a node in them */
} Parts;

static guint32
part_of (const Parts *parts, guint32 v)
{
  while (parts->parent[v] != v)
    v = parts->parent[v] = parts->parent[parts->parent[v]];
  return v;
}

static void
parts_init (Parts *parts, const NodeGraph *graph, guint32 but_vertex, guint32 but_edge)
{
  const GArray *edges = graph->plane.edges;

  parts->parent = g_new (guint32, MAX (graph->n_vertices, 1));
  parts->n_nodes = g_new0 (guint32, MAX (graph->n_vertices, 1));
  parts->n_parts = 0;
  for (guint32 v = 0; v < graph->n_vertices; v++)
    parts->parent[v] = v;
  for (guint e = 0; 2 * e < edges->len; e++)
    {
      guint32 a = edge_end (edges, 2 * e), b = edge_end (edges, 2 * e + 1);

      if (e != but_edge && a != but_vertex && b != but_vertex)
        parts->parent[part_of (parts, a)] = part_of (parts, b);
    }
  for (guint32 v = graph->plane.devices->len; v < graph->n_vertices; v++)
    parts->n_parts += parts->n_nodes[part_of (parts, v)]++ == 0 ? 1 : 0;
}

static void
parts_clear (Parts *parts)
{
  g_free (parts->parent);
  g_free (parts->n_nodes);
}

/* What parts the graph may part nothing but switches from it: a loss counts where the nodes lie in more parts then. */
static gboolean
parts_nodes (const NodeGraph *graph, const Parts *whole, guint32 but_vertex, guint32 but_edge)
{
  Parts without;

  parts_init (&without, graph, but_vertex, but_edge);
  parts_clear (&without);
  return without.n_parts > whole->n_parts;
}

/* The only NIC of its node, on one link: most finds of a large plane are such, and are judged without a count of the parts. */
static gboolean
is_only_way (const NodeGraph *graph, guint32 v)
{
  return graph->node_vertex[v] != FAB_NONE && graph->degree[v] == 2 && graph->degree[graph->node_vertex[v]] == 1;
}

static void
keep_points (const NodeGraph *graph, const Parts *whole, const igraph_vector_int_t *points, GArray *devices)
{
  for (igraph_integer_t i = 0; i < igraph_vector_int_size (points); i++)
    {
      guint32 v = (guint32) VECTOR (*points)[i];

      if (v >= graph->plane.devices->len)
        continue;
      if (is_only_way (graph, v) ? whole->n_nodes[part_of (whole, v)] > 1 : parts_nodes (graph, whole, v, FAB_NONE))
        g_array_append_val (devices, g_array_index (graph->plane.devices, guint32, v));
    }
}

static void
keep_bridges (const NodeGraph *graph, const Parts *whole, const igraph_vector_int_t *bridges, GArray *links)
{
  for (igraph_integer_t i = 0; i < igraph_vector_int_size (bridges); i++)
    {
      guint32 e = (guint32) VECTOR (*bridges)[i], a, b;

      if (e >= graph->plane.links->len)   /* between a node and its NIC: no link of the plane */
        continue;
      a = edge_end (graph->plane.edges, 2 * e);
      b = edge_end (graph->plane.edges, 2 * e + 1);
      if (is_only_way (graph, a) || is_only_way (graph, b) ? whole->n_nodes[part_of (whole, a)] > 1
                                                           : parts_nodes (graph, whole, FAB_NONE, e))
        g_array_append_val (links, g_array_index (graph->plane.links, guint32, e));
    }
}

static igraph_error_t
find_weak (const NodeGraph *graph, igraph_vector_int_t *points, igraph_vector_int_t *bridges)
{
  igraph_t whole;
  igraph_error_t code = create_graph (&whole, graph->plane.edges, graph->n_vertices, IGRAPH_UNDIRECTED);

  if (code != IGRAPH_SUCCESS)
    return code;
  code = igraph_articulation_points (&whole, points);
  if (code == IGRAPH_SUCCESS)
    code = igraph_bridges (&whole, bridges);
  igraph_destroy (&whole);
  return code;
}

static gboolean
keep_weak (const NodeGraph *graph, GArray *devices, GArray *links, GError **error)
{
  igraph_vector_int_t points, bridges;
  igraph_error_t code = igraph_vector_int_init (&points, 0);
  Parts whole;

  if (igraph_failed (code, error))
    return FALSE;
  code = igraph_vector_int_init (&bridges, 0);
  if (code == IGRAPH_SUCCESS)
    {
      code = find_weak (graph, &points, &bridges);
      if (code == IGRAPH_SUCCESS)
        {
          parts_init (&whole, graph, FAB_NONE, FAB_NONE);
          keep_points (graph, &whole, &points, devices);
          keep_bridges (graph, &whole, &bridges, links);
          parts_clear (&whole);
        }
      igraph_vector_int_destroy (&bridges);
    }
  igraph_vector_int_destroy (&points);
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
  NodeGraph graph;
  gboolean ok;

  g_return_val_if_fail (plane < topology->n_planes, FALSE);
  node_graph_init (&graph, topology, faults, plane);
  take_igraph ();
  ok = keep_weak (&graph, found_devices, found_links, error);
  give_igraph ();
  node_graph_clear (&graph);
  if (!ok)
    return FALSE;
  g_array_sort (found_devices, compare_rows);   /* igraph's order is its own */
  g_array_sort (found_links, compare_rows);
  *devices = g_steal_pointer (&found_devices);
  *links = g_steal_pointer (&found_links);
  return TRUE;
}
