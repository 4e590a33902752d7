/* fab-routing-minhop.c: shortest paths, each LID out of the least loaded of the equal ports
 *
 * As OpenSM's minhop: hop counts between switches by breadth-first search, then LIDs in order; at every switch a LID takes, among
 * the ports one hop nearer, the one that carries the fewest LIDs so far, ties by port. Switch LIDs are routed but do not count.
 */
#include "subnet/fab-routing-private.h"

/* The plane's switches with their links to each other, row by row. */
typedef struct
{
  const FabTopology *topology;
  const FabFaults   *faults;
  guint32  first, n;
  guint32 *start;      /* n + 1: where a switch's links begin in links[] */
  guint32 *links;      /* outgoing links to other switches, by port */
  guint32 *peer;       /* the switch (from 0) each leads to */
  guint32 *load;       /* LIDs on each */
  guint32 *hops;       /* to the destination switch */
  guint32 *queue;
} Fabric;

static gboolean
is_up (const Fabric *fabric, guint32 link)
{
  const FabLink *row = fab_topology_link (fabric->topology, link);

  return !fab_faults_link_down (fabric->faults, link) && !fab_faults_device_down (fabric->faults, row->from_device)
         && !fab_faults_device_down (fabric->faults, row->to_device);
}

static void
fabric_init (Fabric *fabric, const FabSubnet *subnet, const FabFaults *faults)
{
  const FabTopology *topology = fab_subnet_topology (subnet);
  const FabPlane *plane = fab_topology_plane (topology, fab_subnet_plane (subnet));
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));

  *fabric = (Fabric) { .topology = topology, .faults = faults, .first = plane->first_switch, .n = plane->n_switches };
  fabric->start = g_new (guint32, fabric->n + 1);
  for (guint32 s = 0; s < fabric->n; s++)
    {
      const FabDevice *device = fab_topology_device (topology, fabric->first + s);

      fabric->start[s] = links->len;
      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        {
          guint32 link = fab_topology_port (topology, p)->link;

          if (link != FAB_NONE && fab_topology_link (topology, link)->to_device - fabric->first < fabric->n && is_up (fabric, link))
            g_array_append_val (links, link);
        }
    }
  fabric->start[fabric->n] = links->len;
  fabric->peer = g_new (guint32, MAX (links->len, 1));
  for (guint l = 0; l < links->len; l++)
    fabric->peer[l] = fab_topology_link (topology, g_array_index (links, guint32, l))->to_device - fabric->first;
  fabric->load = g_new0 (guint32, MAX (links->len, 1));
  fabric->hops = g_new (guint32, fabric->n);
  fabric->queue = g_new (guint32, fabric->n);
  fabric->links = (guint32 *) (void *) g_array_free (g_steal_pointer (&links), FALSE);
}

static void
fabric_clear (Fabric *fabric)
{
  g_free (fabric->start);
  g_free (fabric->links);
  g_free (fabric->peer);
  g_free (fabric->load);
  g_free (fabric->hops);
  g_free (fabric->queue);
}

static void
count_hops (Fabric *fabric, guint32 to)
{
  guint32 head = 0, tail = 0;

  memset (fabric->hops, 0xff, sizeof (guint32) * fabric->n);
  fabric->hops[to] = 0;
  fabric->queue[tail++] = to;
  while (head < tail)
    {
      guint32 at = fabric->queue[head++];

      for (guint32 l = fabric->start[at]; l < fabric->start[at + 1]; l++)   /* links are pairs: out is as good as in */
        if (fabric->hops[fabric->peer[l]] == FAB_NONE)
          {
            fabric->hops[fabric->peer[l]] = fabric->hops[at] + 1;
            fabric->queue[tail++] = fabric->peer[l];
          }
    }
}

static guint32
least_loaded (const Fabric *fabric, guint32 at)
{
  guint32 best = FAB_NONE;

  for (guint32 l = fabric->start[at]; l < fabric->start[at + 1]; l++)
    if (fabric->hops[fabric->peer[l]] + 1 == fabric->hops[at] && (best == FAB_NONE || fabric->load[l] < fabric->load[best]))
      best = l;
  return best;
}

/* @last is the link from switch @to on to the destination; FAB_NONE where the switch is the destination. */
static void
route_lid (Fabric *fabric, guint32 *tables, guint32 row_length, guint32 lid, guint32 to, guint32 last)
{
  for (guint32 s = 0; s < fabric->n; s++)
    {
      guint32 l = s != to && fabric->hops[s] != FAB_NONE ? least_loaded (fabric, s) : FAB_NONE;

      if (l == FAB_NONE)
        continue;
      tables[(gsize) s * row_length + lid] = fabric->links[l];
      fabric->load[l] += last != FAB_NONE ? 1 : 0;
    }
  if (last != FAB_NONE)
    tables[(gsize) to * row_length + lid] = last;
}

static gboolean
compute (const FabSubnet *subnet, const FabFaults *faults, guint32 *tables, const FabTick *tick, GError **error)
{
  guint32 max_lid = fab_subnet_max_lid (subnet), hops_to = FAB_NONE;
  gboolean goes_on = TRUE;
  Fabric fabric;

  fabric_init (&fabric, subnet, faults);
  for (guint32 lid = 1; lid <= max_lid && goes_on; lid++)
    {
      guint32 port = fab_subnet_lid_port (subnet, lid), last = FAB_NONE, to = lid - 1;

      if (port != FAB_NONE)
        {
          last = fab_topology_port (fabric.topology, port)->link ^ 1;   /* the way down to the NIC */
          to = fab_topology_link (fabric.topology, last)->from_device - fabric.first;
        }
      if (to >= fabric.n || (last != FAB_NONE && !is_up (&fabric, last)) || fab_faults_device_down (faults, fabric.first + to))
        continue;
      if (to != hops_to)
        count_hops (&fabric, hops_to = to);
      route_lid (&fabric, tables, max_lid + 1, lid, to, last);
      if (tick != NULL && tick->func != NULL && lid % 256 == 0)
        goes_on = tick->func (lid, max_lid, tick->data);
    }
  fabric_clear (&fabric);
  if (!goes_on)
    g_set_error (error, FAB_ERROR, FAB_ERROR_CANCELLED, "routing: cancelled");
  return goes_on;
}

const FabRouting fab__routing_minhop = {
  .name = "minhop",
  .summary = "shortest paths, each LID on the least loaded of the equal ports",
  .compute = compute,
};
