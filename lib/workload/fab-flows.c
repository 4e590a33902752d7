/* fab-flows.c: patterns: transfers that all start at once */
#include "workload/fab-flows-private.h"
#include "fab-error.h"

FabScheduleBuilder *
fab__flows_new (const FabCollectiveTask *task, double busbw_factor, const char *stage)
{
  FabScheduleBuilder *builder = fab__schedule_builder_new (task->n_ranks, task->bytes, busbw_factor, "steps");

  fab__schedule_builder_stage (builder, stage);
  return builder;
}

void
fab__flows_add (FabScheduleBuilder *builder, const FabCollectiveTask *task, guint32 src, guint32 dst, guint64 bytes)
{
  FabOp op = { .kind = FAB_OP_TRANSFER, .bytes = bytes, .src = src, .dst = dst, .plane = task->plane, .sl = task->sl };

  fab__schedule_builder_add (builder, op, NULL, 0);
}

/* A storage server is a node without GPUs that has a port on the plane; it takes data into its host memory. */
static GArray *
storage_memories (const FabTopology *topology, guint32 plane)
{
  GArray *memories = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 n = 0; n < fab_topology_n_nodes (topology); n++)
    {
      const FabNode *node = fab_topology_node (topology, n);
      guint32 memory = FAB_NONE;
      gboolean on_plane = FALSE;

      for (guint32 d = node->first_device; node->n_gpus == 0 && d < node->first_device + node->n_devices; d++)
        {
          const FabDevice *device = fab_topology_device (topology, d);

          if (device->kind == FAB_DEVICE_MEMORY && memory == FAB_NONE)
            memory = d;
          for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
            on_plane |= fab_topology_port (topology, p)->plane == plane;
        }
      if (on_plane && memory != FAB_NONE)
        g_array_append_val (memories, memory);
    }
  return memories;
}

GArray *
fab__flows_storage (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (GArray) servers = storage_memories (task->topology, task->plane);

  if (servers->len > 0)
    return g_steal_pointer (&servers);
  g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "expected nodes without GPUs on plane “%s”, got none",
               fab_topology_plane (task->topology, task->plane)->name);
  return NULL;
}

double
fab__busbw_factor_one (guint32 n_ranks)
{
  return 1;
}

double
fab__busbw_factor_part (guint32 n_ranks)
{
  return (double) (n_ranks - 1) / n_ranks;
}

double
fab__busbw_factor_none (guint32 n_ranks)
{
  return 0;
}
