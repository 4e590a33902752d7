/* fab-diagram-pods.c: the Pods of a plane: leaves under the same spines, joined to other Pods above them alone
 *
 * No design says which switches form a Pod, and an imported fabric cannot: they are what stays connected when only the cables
 * between leaves and spines are left.
 */
#include "fab-diagram-clusters-private.h"

static guint32
find_root (guint32 *parents, guint32 i)
{
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

static gboolean
is_in (const FabPlane *plane, guint32 device)
{
  return device >= plane->first_switch && device < plane->first_switch + plane->n_switches;
}

/* Joins what cables between leaves and spines join; TRUE where spines also meet other spines, as groups of a dragonfly do. */
static gboolean
join_switches (const FabFabricView *view, const FabPlane *plane, guint32 *parents)
{
  gboolean level = FALSE;

  for (guint32 l = 0; l < fab_topology_n_links (view->topology); l += 2)
    {
      const FabLink *link = fab_topology_link (view->topology, l);
      guint32 a, b;

      if (!is_in (plane, link->from_device) || !is_in (plane, link->to_device))
        continue;
      a = fab_topology_device (view->topology, link->from_device)->tier;
      b = fab_topology_device (view->topology, link->to_device)->tier;
      level |= a == 1 && b == 1;
      if (a + b != 1)
        continue;
      a = find_root (parents, link->from_device - plane->first_switch);
      b = find_root (parents, link->to_device - plane->first_switch);
      parents[MAX (a, b)] = MIN (a, b);   /* the first switch names the Pod */
    }
  return level;
}

guint32
fab_fabric_view_find_pods (FabFabricView *view, guint plane)
{
  const FabPlane *row = fab_topology_plane (view->topology, plane);
  g_autofree guint32 *parents = g_new (guint32, row->n_switches + 1);
  g_autofree guint32 *pods = g_new (guint32, row->n_switches + 1);
  guint32 n_pods = 0;

  for (guint32 s = 0; s < row->n_switches; s++)
    parents[s] = s;
  if (!join_switches (view, row, parents) && row->n_tiers < 3)
    return 0;
  for (guint32 s = 0; s < row->n_switches; s++)
    {
      guint32 root = find_root (parents, s);

      if (fab_topology_device (view->topology, row->first_switch + s)->tier > 1)
        continue;
      if (root == s)
        pods[s] = n_pods++;
      view->pod_of_device[row->first_switch + s] = pods[root];
    }
  return n_pods;
}
