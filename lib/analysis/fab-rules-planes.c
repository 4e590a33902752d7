/* fab-rules-planes.c: shape of the planes, and what they share */
#include "analysis/fab-rule-private.h"

/* ---- shape ---- */

/* Cables from @device to each switch above it must be equally many. */
static gboolean
uplinks_are_even (const FabCheck *check, const FabPlane *plane, const FabDevice *device)
{
  g_autofree guint *counts = g_new0 (guint, plane->n_switches);
  guint least = G_MAXUINT, most = 0;

  for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
    {
      guint32 row = fab_topology_port (check->topology, p)->link;
      guint32 to = row != FAB_NONE ? fab_topology_link (check->topology, row)->to_device : FAB_NONE;

      if (row != FAB_NONE && fab_topology_device (check->topology, to)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (check->topology, to)->tier > device->tier)
        counts[to - plane->first_switch]++;
    }
  for (guint32 s = 0; s < plane->n_switches; s++)
    if (counts[s] > 0)
      {
        least = MIN (least, counts[s]);
        most = MAX (most, counts[s]);
      }
  return most == 0 || least == most;
}

static void
find_uneven_uplinks (const FabRule *rule, FabCheck *check)
{
  for (guint32 p = 0; p < fab_topology_n_planes (check->topology); p++)
    {
      const FabPlane *plane = fab_topology_plane (check->topology, p);
      guint n_uneven = 0;
      g_autofree char *where = g_strdup_printf ("planes.%s.topology", plane->name);

      for (guint32 s = plane->first_switch; plane->n_switches > 0 && s < plane->first_switch + plane->n_switches; s++)
        n_uneven += uplinks_are_even (check, plane, fab_topology_device (check->topology, s)) ? 0 : 1;
      if (n_uneven > 0)
        fab__check_add (check, rule, check->design->planes[p].topology != NULL ? check->design->planes[p].topology : check->design->planes[p].item, where,
                        "%u switches of plane %s have more cables to some switches above than to others", n_uneven, plane->name);
    }
}

static void
find_single_switch (const FabRule *rule, FabCheck *check)
{
  for (guint32 p = 0; p < fab_topology_n_planes (check->topology); p++)
    {
      const FabPlane *plane = fab_topology_plane (check->topology, p);
      g_autofree char *where = plane->n_switches == 1 ? fab_topology_device_address (check->topology, plane->first_switch) : NULL;

      if (plane->n_switches == 1)
        fab__check_add (check, rule, check->design->planes[p].item, where, "plane %s hangs on a single switch", plane->name);
    }
}

/* ---- sharing ---- */

static void
find_shared_card (const FabRule *rule, FabCheck *check)
{
  g_autoptr (GHashTable) said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 d = 0; d < fab_topology_n_devices (check->topology); d++)
    {
      const FabDevice *nic = fab_topology_device (check->topology, d);
      guint32 first = FAB_NONE;

      for (guint32 p = nic->first_port; nic->kind == FAB_DEVICE_NIC && p < nic->first_port + nic->n_ports; p++)
        {
          guint32 plane = fab_topology_port (check->topology, p)->plane;
          const FabNodeGroup *group = &check->design->groups[fab_topology_node (check->topology, nic->node)->group];
          g_autofree char *key = g_strdup_printf ("%s/%s", group->name, nic->name);
          g_autofree char *nodes = NULL;
          g_autofree char *where = NULL;

          if (plane == FAB_NONE || plane == first)
            continue;
          if (first == FAB_NONE)
            {
              first = plane;
              continue;
            }
          if (!g_hash_table_add (said, g_steal_pointer (&key)))
            continue;
          nodes = fab__group_hostlist (group);
          where = g_strdup_printf ("%s/%s", nodes, nic->name);
          fab__check_add (check, rule, group->item, where, "one card carries planes %s and %s", fab_topology_plane (check->topology, first)->name,
                          fab_topology_plane (check->topology, plane)->name);
        }
    }
}

static gboolean
is_storage (const FabWorkloadSpec *workload)
{
  return workload->pattern != NULL && strstr (workload->pattern, "storage") != NULL;
}

static void
find_shared_lane (const FabRule *rule, FabCheck *check)
{
  for (guint a = 0; a < check->design->n_workloads; a++)
    for (guint b = 0; b < check->design->n_workloads; b++)
      {
        const FabWorkloadSpec *storage = &check->design->workloads[a], *compute = &check->design->workloads[b];
        const FabQos *qos = &check->design->planes[storage->plane].subnet.qos;
        g_autofree char *where = g_strdup_printf ("workloads.%s", storage->name);

        if (is_storage (storage) && compute->collective != NULL && storage->plane == compute->plane
            && (check->design->planes[storage->plane].kind != FAB_LINK_INFINIBAND || qos->sl2vl[storage->sl] == qos->sl2vl[compute->sl]))
          fab__check_add (check, rule, storage->item, where, "%s and %s use the links of plane %s on one lane", storage->name, compute->name,
                          check->design->planes[storage->plane].name);
      }
}

/* ---- spines without traffic ---- */

static gboolean
path_crosses (const FabTopology *topology, const guint32 *links, guint32 n_links)
{
  for (guint32 i = 0; i < n_links; i++)
    {
      const FabLink *link = fab_topology_link (topology, links[i]);

      if (link->plane != FAB_NONE && fab_topology_device (topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        return TRUE;
    }
  return FALSE;
}

/* Whether any transfer of @workload passes from switch to switch; TRUE too where that cannot be told. */
static gboolean
workload_crosses (const FabCheck *check, const FabWorkloadSpec *workload, FabRoutes **routes)
{
  g_autoptr (FabSchedule) schedule = fab_design_build_schedule (check->design, check->topology, workload->name, NULL);
  g_autoptr (FabPaths) paths = fab_paths_new (check->topology, NULL, routes, &workload->rules);
  const FabOp *ops = schedule != NULL ? fab_schedule_ops (schedule) : NULL;

  for (guint32 op = 0; schedule != NULL && op < fab_schedule_n_ops (schedule); op++)
    {
      guint32 path = ops[op].kind == FAB_OP_TRANSFER ? fab_paths_find (paths, ops[op].src, ops[op].dst, ops[op].plane) : FAB_NONE;

      if (path != FAB_NONE && path_crosses (check->topology, fab_paths_links (paths, path), fab_paths_row (paths, path)->n_links))
        return TRUE;
    }
  return schedule == NULL;
}

static void
find_idle_spines (const FabRule *rule, FabCheck *check)
{
  for (guint32 p = 0; p < check->design->n_planes; p++)
    {
      g_autofree FabRoutes **routes = g_new0 (FabRoutes *, check->design->n_planes + 1);
      g_autofree char *where = g_strdup_printf ("planes.%s.topology", check->design->planes[p].name);
      guint n_workloads = 0, n_crossing = 0;

      if (check->capacities[p].n_tiers < 2 || check->capacities[p].n_lids > FAB_SUBNET_MAX_UNICAST_LIDS)
        continue;
      for (guint w = 0; w < check->design->n_workloads; w++)
        n_workloads += check->design->workloads[w].plane == p ? 1 : 0;
      routes[p] = n_workloads > 0 ? fab_design_build_routes (check->design, check->topology, NULL, p, NULL) : NULL;
      if (routes[p] == NULL)
        continue;
      for (guint w = 0; w < check->design->n_workloads && n_crossing == 0; w++)
        if (check->design->workloads[w].plane == p)
          n_crossing += workload_crosses (check, &check->design->workloads[w], routes) ? 1 : 0;
      fab_routes_unref (routes[p]);
      if (n_crossing == 0)
        fab__check_add (check, rule, check->design->planes[p].topology != NULL ? check->design->planes[p].topology : check->design->planes[p].item, where,
                        "plane %s has %u spines, but none of its %u workloads sends a byte over them", check->design->planes[p].name,
                        check->capacities[p].tiers[1].n_switches, n_workloads);
    }
}

const FabRule fab__rules_planes[] = {
  { "FAB012", FAB_SEVERITY_WARNING, "a plane on a single switch",
    "Its loss takes the whole plane down.",
    "two switches, or accept: it where the plane may be away for a while", find_single_switch },
  { "FAB030", FAB_SEVERITY_WARNING, "uplinks that do not divide over the spines",
    "Routes spread over spines evenly, cables do not: the spine with fewer cables is the bottleneck.",
    "the same number of cables from each leaf to each spine", find_uneven_uplinks },
  { "FAB031", FAB_SEVERITY_WARNING, "two planes on one card",
    "The card, its slot and its firmware are a single point of failure of both planes.",
    "a card for each plane", find_shared_card },
  { "FAB032", FAB_SEVERITY_WARNING, "spines that no workload of the file uses",
    "What justifies a spine is traffic between rails or leaves. Traffic to storage that has a plane of its own does not cross it.",
    "state the cross-rail or cross-job traffic as a workload and see what it needs, or leave the spines out", find_idle_spines },
  { "FAB033", FAB_SEVERITY_WARNING, "storage and collectives on the same links and lane",
    "They share credits: a slow storage server blocks the heads of queues that gradients stand in.",
    "storage on its own plane, or at least on its own SL and VL", find_shared_lane },
  { NULL, 0, NULL, NULL, NULL, NULL },
};
