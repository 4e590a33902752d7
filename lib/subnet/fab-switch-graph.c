/* fab-switch-graph.c: switches and links between them, without what is down */
#include "subnet/fab-switch-graph-private.h"

static gboolean
is_up (const FabSwitchGraph *graph, guint32 link)
{
  const FabLink *row = fab_topology_link (graph->topology, link);

  return !fab_faults_link_down (graph->faults, link) && !fab_faults_device_down (graph->faults, row->from_device)
         && !fab_faults_device_down (graph->faults, row->to_device);
}

static void
find_edges (FabSwitchGraph *graph, GArray *links)
{
  for (guint32 s = 0; s < graph->n; s++)
    {
      const FabDevice *device = fab_topology_device (graph->topology, graph->first + s);

      graph->start[s] = links->len;
      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        {
          guint32 link = fab_topology_port (graph->topology, p)->link;

          if (link != FAB_NONE && fab_topology_link (graph->topology, link)->to_device - graph->first < graph->n && is_up (graph, link))
            g_array_append_val (links, link);
        }
    }
  graph->start[graph->n] = links->len;
}

void
fab__switch_graph_init (FabSwitchGraph *graph, const FabSubnet *subnet, const FabFaults *faults)
{
  const FabTopology *topology = fab_subnet_topology (subnet);
  const FabPlane *plane = fab_topology_plane (topology, fab_subnet_plane (subnet));
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint32 *edge_of = g_new0 (guint32, MAX (fab_topology_n_links (topology), 1));

  *graph = (FabSwitchGraph) { .topology = topology, .faults = faults, .first = plane->first_switch, .n = plane->n_switches };
  graph->start = g_new (guint32, graph->n + 1);
  find_edges (graph, links);
  graph->n_edges = links->len;
  graph->links = (guint32 *) (void *) g_array_free (g_steal_pointer (&links), FALSE);
  graph->peer = g_new (guint32, MAX (graph->n_edges, 1));
  graph->back = g_new (guint32, MAX (graph->n_edges, 1));
  for (guint32 e = 0; e < graph->n_edges; e++)
    {
      graph->peer[e] = fab_topology_link (topology, graph->links[e])->to_device - graph->first;
      edge_of[graph->links[e]] = e;
    }
  for (guint32 e = 0; e < graph->n_edges; e++)   /* a link's two directions are up or down together */
    graph->back[e] = edge_of[graph->links[e] ^ 1];
}

void
fab__switch_graph_clear (FabSwitchGraph *graph)
{
  g_free (graph->start);
  g_free (graph->links);
  g_free (graph->peer);
  g_free (graph->back);
}

gboolean
fab__switch_graph_target (const FabSwitchGraph *graph, const FabSubnet *subnet, guint32 lid, guint32 *to, guint32 *last)
{
  guint32 port = fab_subnet_lid_port (subnet, lid);

  *to = fab_subnet_lid_switch (subnet, lid) - graph->first;
  *last = FAB_NONE;
  if (port != FAB_NONE)
    {
      *last = fab_topology_port (graph->topology, port)->link ^ 1;
      *to = fab_topology_link (graph->topology, *last)->from_device - graph->first;
      if (!is_up (graph, *last))
        return FALSE;
    }
  return *to < graph->n && !fab_faults_device_down (graph->faults, graph->first + *to);
}

guint32 *
fab__switch_graph_lids (const FabSwitchGraph *graph, const FabSubnet *subnet, guint32 *n_lids)
{
  guint32 max_lid = fab_subnet_max_lid (subnet), to, last;
  guint32 *lids = g_new (guint32, max_lid + 1);
  g_autofree guint32 *next = g_new0 (guint32, graph->n + 1);   /* place of each switch's next LID */

  for (guint32 lid = 1; lid <= max_lid; lid++)
    if (fab__switch_graph_target (graph, subnet, lid, &to, &last))
      next[to + 1]++;
  for (guint32 s = 0; s < graph->n; s++)
    next[s + 1] += next[s];
  *n_lids = next[graph->n];
  for (guint32 lid = 1; lid <= max_lid; lid++)
    if (fab__switch_graph_target (graph, subnet, lid, &to, &last))
      lids[next[to]++] = lid;
  return lids;
}

void
fab__switch_graph_hops (const FabSwitchGraph *graph, guint32 to, guint32 *hops, guint32 *queue)
{
  guint32 head = 0, tail = 0;

  memset (hops, 0xff, sizeof (guint32) * graph->n);
  hops[to] = 0;
  queue[tail++] = to;
  while (head < tail)
    {
      guint32 at = queue[head++];

      for (guint32 e = graph->start[at]; e < graph->start[at + 1]; e++)   /* links are pairs: out is as good as in */
        if (hops[graph->peer[e]] == FAB_NONE)
          {
            hops[graph->peer[e]] = hops[at] + 1;
            queue[tail++] = graph->peer[e];
          }
    }
}

void
fab__switch_graph_ranks (const FabSwitchGraph *graph, guint32 *ranks)
{
  g_autofree guint32 *queue = g_new (guint32, MAX (graph->n, 1));
  guint32 head = 0, tail = 0, top = 0;

  for (guint32 s = 0; s < graph->n; s++)
    top = MAX (top, fab_topology_device (graph->topology, graph->first + s)->tier);
  memset (ranks, 0xff, sizeof (guint32) * graph->n);
  for (guint32 s = 0; s < graph->n; s++)
    if (top > 0 ? fab_topology_device (graph->topology, graph->first + s)->tier == top : s == 0)
      {
        ranks[s] = 0;
        queue[tail++] = s;
      }
  while (head < tail)
    {
      guint32 at = queue[head++];

      for (guint32 e = graph->start[at]; e < graph->start[at + 1]; e++)
        if (ranks[graph->peer[e]] == FAB_NONE)
          {
            ranks[graph->peer[e]] = ranks[at] + 1;
            queue[tail++] = graph->peer[e];
          }
    }
}

gboolean
fab__switch_graph_is_up (const FabSwitchGraph *graph, const guint32 *ranks, guint32 s, guint32 e)
{
  guint32 peer = graph->peer[e];

  return ranks[peer] != ranks[s] ? ranks[peer] < ranks[s] : peer < s;
}
