/* fab-design-schedule.c: a workload of the design as a schedule, and the numbers its answers rest on */
#include "design/fab-design-private.h"
#include "topology/fab-topology-private.h"
#include "workload/fab-schedule-private.h"

/* ---- rank → GPU ---- */

/* All GPUs in rank order, or those of the addresses given (nodes or GPUs), in the order of the topology. */
static GArray *
rank_devices (const FabWorkloadSpec *workload, const FabTopology *topology, GError **error)
{
  guint32 n_gpus;
  const guint32 *gpus = fab_topology_gpus (topology, &n_gpus);
  GArray *ranks = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) matched = NULL;

  if (g_str_equal (workload->ranks, "all"))
    {
      g_array_append_vals (ranks, gpus, n_gpus);
      return ranks;
    }
  if (!fab_topology_match (topology, workload->ranks, &matched, NULL, error))
    {
      g_array_unref (ranks);
      return NULL;
    }
  for (guint i = 0; i < matched->len; i++)
    if (fab_topology_device (topology, g_array_index (matched, guint32, i))->kind == FAB_DEVICE_GPU)
      g_array_append_val (ranks, g_array_index (matched, guint32, i));
  return ranks;
}

/* Hosts without GPUs can stand in for ranks with their memories: then a plane can be judged before its GPUs are chosen. */
static void
use_memories (const FabTopology *topology, guint32 plane, GArray *ranks)
{
  for (guint32 d = 0; d < fab_topology_n_devices (topology); d++)
    {
      const FabDevice *device = fab_topology_device (topology, d);
      const FabNode *node = device->node != FAB_NONE ? fab_topology_node (topology, device->node) : NULL;
      gboolean on_plane = FALSE;

      if (device->kind != FAB_DEVICE_MEMORY || device->ordinal > 0)
        continue;
      for (guint32 o = node->first_device; o < node->first_device + node->n_devices; o++)
        {
          const FabDevice *other = fab_topology_device (topology, o);

          for (guint32 p = other->first_port; p < other->first_port + other->n_ports; p++)
            on_plane |= fab_topology_port (topology, p)->plane == plane;
        }
      if (on_plane)
        g_array_append_val (ranks, d);
    }
}

static const FabWorkloadSpec *
find_workload (const FabDesign *design, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *all = NULL;
  const char *nearest;

  for (guint i = 0; i < design->n_workloads; i++)
    {
      if (g_str_equal (design->workloads[i].name, name))
        return &design->workloads[i];
      g_ptr_array_add (names, (gpointer) (gsize) design->workloads[i].name);
    }
  g_ptr_array_add (names, NULL);
  nearest = fab__nearest (name, (const char *const *) names->pdata);
  all = g_strjoinv (", ", (char **) names->pdata);
  if (nearest != NULL)
    g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "%s: expected a workload of this design, got “%s”; did you mean “%s”?",
                 fab_design_path (design), name, nearest);
  else
    g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "%s: expected a workload of this design (%s), got “%s”", fab_design_path (design),
                 design->n_workloads > 0 ? all : "it has none", name);
  return NULL;
}

FabSchedule *
fab__design_schedule (const FabWorkloadSpec *workload, FabTopology *topology, gboolean *taken, GError **error)
{
  const FabCollective *row = fab__collective_lookup (workload->collective != NULL ? workload->collective : workload->pattern, workload->algorithm, error);
  g_autoptr (GArray) ranks = row != NULL ? rank_devices (workload, topology, error) : NULL;
  g_autoptr (GError) reason = NULL;
  FabSchedule *schedule;

  if (ranks == NULL)
    return NULL;
  if (ranks->len == 0)
    use_memories (topology, workload->plane, ranks);
  if (!fab__design_place (workload, topology, ranks, taken, error))
    return NULL;
  if (ranks->len < 2 && workload->collective != NULL)
    {
      fab__item_error (workload->item, error, FAB_ERROR_VALUE, "expected at least two ranks (GPUs, or hosts on the plane), got %u", ranks->len);
      return NULL;
    }
  schedule = row->build (&(FabCollectiveTask) {
    .topology = topology, .ranks = (const guint32 *) (const void *) ranks->data, .n_ranks = ranks->len, .bytes = workload->bytes,
    .plane = workload->plane, .sl = (guint8) workload->sl, .steps = workload->steps, .pipelined = workload->pipelined,
    .root = workload->root, .by = workload->by, .seed = workload->seed, .node_stage = workload->node_stage,
    .channels = workload->channels, .pieces = workload->pieces, .reduce_bps = workload->reduce_bps }, &reason);
  if (schedule == NULL)
    fab__item_error (workload->item, error, (FabErrorCode) reason->code, "%s", reason->message);
  return schedule;
}

FabSchedule *
fab_design_build_schedule (const FabDesign *design, FabTopology *topology, const char *name, GError **error)
{
  const FabWorkloadSpec *workload = find_workload (design, name, error);

  return workload != NULL ? fab__design_schedule (workload, topology, NULL, error) : NULL;
}

/* ---- numbers with a range ---- */

/* The keys of parts that fab-design-build.c turns into rates and times. */
static const char *const timing_keys[] = {
  "p2p_write", "p2p_read", "nvlink_rate", "socket_link", "socket_flow_write", "socket_flow_read", "socket_latency", "memory_rate",
  "memory_latency", "root_latency", "latency", "tlp_overhead", "max_payload", "delay_per_m", "fec_latency", "pcie_step", "network_step",
  NULL,
};

static void
add_ranged (GArray *numbers, GHashTable *seen, const FabPart *part)
{
  if (part == NULL || !g_hash_table_add (seen, (gpointer) (gsize) part))
    return;
  for (guint k = 0; timing_keys[k] != NULL; k++)
    {
      const FabNumber *number = fab__part_lookup (part, timing_keys[k]);
      FabRangedNumber row = { .kind = fab__part_kind (part), .part = fab__part_name (part), .number = number };

      if (number != NULL && number->low < number->high)
        g_array_append_val (numbers, row);
    }
}

static void
add_type (GArray *numbers, GHashTable *seen, const FabNodeType *type)
{
  for (guint d = 0; d < type->n_devices; d++)
    add_ranged (numbers, seen, type->devices[d].part);
  for (guint l = 0; l < type->n_links; l++)
    add_ranged (numbers, seen, type->links[l].pcie);
}

GArray *
fab__design_ranged_numbers (const FabDesign *design, const FabTopology *topology)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (FabRangedNumber));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint g = 0; g < design->n_groups; g++)
    add_type (numbers, seen, design->groups[g].type);
  for (guint p = 0; p < fab_topology_n_planes (topology); p++)
    {
      const FabPlane *plane = fab_topology_plane (topology, p);

      for (guint32 s = plane->first_switch; s < plane->first_switch + plane->n_switches; s++)
        add_ranged (numbers, seen, fab__catalog_lookup (design->catalog, FAB_PART_SWITCH, fab_topology_device (topology, s)->part));
      for (guint c = 0; c < 3; c++)
        {
          const FabPlaneSpec *spec = &design->planes[p];

          add_ranged (numbers, seen, c == 0 ? spec->host_link.cable : c == 1 ? spec->uplink.cable : spec->core_link.cable);
        }
    }
  add_ranged (numbers, seen, fab__catalog_lookup (design->catalog, FAB_PART_SOFTWARE, "nccl-ring-simple"));
  return numbers;
}
