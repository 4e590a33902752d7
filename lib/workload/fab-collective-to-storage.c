/* fab-collective-to-storage.c: every rank writes its part to the storage servers, dealt out in turn */
#include "workload/fab-schedule-private.h"
#include "fab-error.h"

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

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__schedule_builder_new (task->n_ranks, task->bytes, 0, "steps");
  g_autoptr (GArray) servers = storage_memories (task->topology, task->plane);
  guint stage = fab__schedule_builder_stage (builder, "write to storage");

  if (servers->len == 0)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "to-storage: expected nodes without GPUs on plane “%s” to write to, got none",
                   fab_topology_plane (task->topology, task->plane)->name);
      return NULL;
    }
  for (guint32 r = 0; r < task->n_ranks; r++)
    {
      FabOp op = {
        .kind = FAB_OP_TRANSFER,
        .bytes = fab__chunk_bytes (task->bytes, task->n_ranks, r),
        .src = task->ranks[r],
        .dst = g_array_index (servers, guint32, r % servers->len),
        .plane = task->plane,
        .sl = task->sl,
        .stage = (guint16) stage,
      };

      fab__schedule_builder_add (builder, op, NULL, 0);
    }
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

static double
no_busbw (guint32 n_ranks)
{
  return 0;
}

const FabCollective fab__collective_to_storage = {
  .name = "direct",
  .collective = "to-storage",
  .summary = "the ranks write `bytes` in all, in equal parts, to the nodes without GPUs on the plane",
  .busbw_factor = no_busbw,
  .build = build,
};
