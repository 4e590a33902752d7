/* fab-check-gather.c: the cables of a design by likeness, and the links its workloads send over */
#include "analysis/fab-check-private.h"

/* ---- cables ---- */

static gboolean
is_switch (const FabTopology *topology, guint32 device)
{
  return fab_topology_device (topology, device)->kind == FAB_DEVICE_SWITCH;
}

static gboolean
describes (const FabCableSpec *spec, const FabLink *link)
{
  const char *cable = spec->cable != NULL ? fab__part_name (spec->cable) : NULL;

  return spec->speed != NULL && g_str_equal (fab__part_name (spec->speed), link->speed) && g_strcmp0 (cable, link->cable) == 0
         && spec->length_mm == link->length_mm;
}

/* Where the file speaks of a cable: a link between switches is looked for among uplinks first. */
static const FabCableSpec *
spec_of (const FabPlaneSpec *plane, const FabLink *link, gboolean between_switches)
{
  if (between_switches && describes (&plane->uplink, link))
    return &plane->uplink;
  if (between_switches && describes (&plane->core_link, link))
    return &plane->core_link;
  if (!between_switches && describes (&plane->host_link, link))
    return &plane->host_link;
  for (guint l = 0; l < plane->n_own_links; l++)
    if (describes (&plane->own_links[l].cable, link))
      return &plane->own_links[l].cable;
  g_return_val_if_reached (NULL);
}

static const FabPart *
end_part (const FabCheck *check, guint32 device)
{
  return fab__catalog_lookup (check->design->catalog, is_switch (check->topology, device) ? FAB_PART_SWITCH : FAB_PART_NIC,
                              fab_topology_device (check->topology, device)->part);
}

/* The last class is tried first: cables alike stand together. */
static FabCableClass *
find_class (const FabCheck *check, const FabCableClass *like)
{
  for (guint c = check->cables->len; c-- > 0;)
    {
      FabCableClass *class = &g_array_index (check->cables, FabCableClass, c);

      if (class->plane == like->plane && class->spec == like->spec && class->ends[0] == like->ends[0] && class->ends[1] == like->ends[1])
        return class;
    }
  return NULL;
}

void
fab__check_gather_cables (FabCheck *check)
{
  check->cables = g_array_new (FALSE, FALSE, sizeof (FabCableClass));
  for (guint32 l = 0; l < fab_topology_n_links (check->topology); l += 2)
    {
      const FabLink *link = fab_topology_link (check->topology, l);
      FabCableClass class = { .link = link, .n_cables = 1 };
      FabCableClass *known;

      if (link->plane == FAB_NONE)
        continue;
      class.plane = &check->design->planes[link->plane];
      class.spec = spec_of (class.plane, link, is_switch (check->topology, link->from_device) && is_switch (check->topology, link->to_device));
      class.ends[0] = end_part (check, link->from_device);
      class.ends[1] = end_part (check, link->to_device);
      known = find_class (check, &class);
      if (known != NULL)
        known->n_cables++;
      else
        g_array_append_val (check->cables, class);
    }
}

/* ---- workloads ---- */

static void
mark_paths (const FabCheck *check, const FabSchedule *schedule, FabPaths *paths, FabUse *use)
{
  const FabOp *ops = fab_schedule_ops (schedule);
  guint32 n_known = 0;

  use->links = g_new0 (guint8, fab_topology_n_links (check->topology) + 1);
  for (guint32 o = 0; o < fab_schedule_n_ops (schedule); o++)
    {
      guint32 row;

      if (ops[o].kind != FAB_OP_TRANSFER || ops[o].src == ops[o].dst)
        continue;
      row = fab_paths_find (paths, ops[o].src, ops[o].dst, ops[o].plane);
      if (row == FAB_NONE)
        use->n_unreachable++;
      if (row == FAB_NONE || row < n_known)
        continue;
      n_known = row + 1;   /* paths are numbered as they are found */
      for (guint32 i = 0; i < fab_paths_row (paths, row)->n_links; i++)
        use->links[fab_paths_links (paths, row)[i]] = 1;
    }
}

static void
gather_use (FabCheck *check, guint workload, FabRoutes **routes)
{
  const FabWorkloadSpec *spec = &check->design->workloads[workload];
  FabUse *use = &check->uses[workload];
  g_autoptr (GError) error = NULL;
  g_autoptr (FabSchedule) schedule = fab_design_build_schedule (check->design, check->topology, spec->name, &error);
  g_autoptr (FabPaths) paths = NULL;

  if (schedule != NULL && routes[spec->plane] == NULL)
    routes[spec->plane] = fab_design_build_routes (check->design, check->topology, NULL, spec->plane, &error);
  if (error != NULL)
    {
      use->reason = g_strdup (error->message);
      return;
    }
  paths = fab_paths_new (check->topology, NULL, routes, &spec->rules);
  mark_paths (check, schedule, paths, use);
}

void
fab__check_gather_uses (FabCheck *check)
{
  guint32 n_planes = fab_topology_n_planes (check->topology);
  g_autofree FabRoutes **routes = g_new0 (FabRoutes *, n_planes + 1);

  check->uses = g_new0 (FabUse, check->design->n_workloads + 1);
  for (guint w = 0; w < check->design->n_workloads; w++)
    gather_use (check, w, routes);
  for (guint32 p = 0; p < n_planes; p++)
    fab_routes_unref (routes[p]);
}
