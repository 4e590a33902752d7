/* fab-node-stage-private.h - the reduce-scatter or all-gather inside one node, in the ways there are
 */
#pragma once
#include "workload/fab-ring-private.h"

G_BEGIN_DECLS

typedef enum
{
  FAB_NODE_STAGE_RING,        /* one ring through all members */
  FAB_NODE_STAGE_DIRECT,      /* every member to every other at once */
  FAB_NODE_STAGE_TWO_LEVEL,   /* a ring in each socket, then one across sockets for each place */
  FAB_N_NODE_STAGES,
} FabNodeStage;

extern const char *const fab__node_stage_names[];   /* "ring", "direct", "two-level", NULL */

/* As fab__ring_add(), for the members of one node. @parts is one of reduce-scatter and all-gather. FALSE with @error where the members
 * do not suit the stage (two-level: as many on each socket, socket by socket). */
gboolean fab__node_stage_add (FabScheduleBuilder *builder, const FabCollectiveTask *task, guint stage, FabRingParts parts,
                              const guint32 *members, guint32 n_members, guint64 bytes,
                              const guint32 *starts, guint32 *ends, GError **error);

/* What @member (0 … n - 1) holds between the two: its shard of @bytes. */
guint64  fab__node_stage_shard (const FabCollectiveTask *task, const guint32 *members, guint32 n_members, guint32 member, guint64 bytes);

G_END_DECLS
