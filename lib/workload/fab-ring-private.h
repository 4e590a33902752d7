/* fab-ring-private.h - one ring of members, as exact steps or as one phase
 */
#pragma once
#include "workload/fab-schedule-private.h"

G_BEGIN_DECLS

typedef enum
{
  FAB_RING_REDUCE_SCATTER = 1,   /* member i ends with chunk i + 1 (modulo n) */
  FAB_RING_ALL_GATHER     = 2,   /* member i starts with chunk i + 1 */
  FAB_RING_ALL_REDUCE     = 3,
} FabRingParts;

/* Adds the ring's operations. Edge i goes from @members[i] to @members[i + 1]; it starts after @starts of both its ends (rows, FAB_NONE:
 * at once; NULL: all at once). @ends[i] is set to the row after which member i holds its part. @bytes is what the ring
 * shares out, in n chunks of which the first take the remainder. With one member nothing is added: ends = starts. */
void fab__ring_add (FabScheduleBuilder *builder, const FabCollectiveTask *task, guint stage, FabRingParts parts,
                    const guint32 *members, guint32 n_members, guint64 bytes,
                    const guint32 *starts, guint32 *ends);

/* Rings over all ranks, one a channel, each with its part of the bytes. A single one takes the ranks in order. Of several, each enters
 * a node at another member and goes down the local ranks around, so that it leaves by the neighbour of where it came in: with two
 * GPUs a rail, on the same rail. Ranks that do not come node by node are taken in order by all. */
void fab__rings_add (FabScheduleBuilder *builder, const FabCollectiveTask *task, FabRingParts parts);

/* 2 (n - 1) / n: nccl-tests doc/PERFORMANCE.md. */
double fab__busbw_factor_allreduce (guint32 n_ranks);

G_END_DECLS
