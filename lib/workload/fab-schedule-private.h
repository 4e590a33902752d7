/* fab-schedule-private.h - how schedules are written, and what a collective is
 */
#pragma once
#include "fab-schedule.h"

G_BEGIN_DECLS

#define FAB_SCHEDULE_MAX_OPS   (1u << 28)

typedef struct _FabScheduleBuilder FabScheduleBuilder;

FabScheduleBuilder *fab__schedule_builder_new  (guint32 n_ranks, guint64 bytes, double busbw_factor, const char *form);
void                fab__schedule_builder_free (FabScheduleBuilder *builder);
guint32             fab__schedule_builder_n_ops (const FabScheduleBuilder *builder);
guint               fab__schedule_builder_stage (FabScheduleBuilder *builder, const char *name);
/* @n_ops more rows will come: where there is no memory for them and an engine's notes on them, nothing is added any more and
 * freeze fails with FAB_ERROR_LIMIT. */
void                fab__schedule_builder_expect (FabScheduleBuilder *builder, guint64 n_ops);
/* FabOp by value, its first_need and n_needs filled by the builder from @needs (rows, each < the new row). Returns the row. */
guint32             fab__schedule_builder_add  (FabScheduleBuilder *builder, FabOp op, const guint32 *needs, guint n_needs);
/* Takes @builder either way. More than FAB_SCHEDULE_MAX_OPS rows, or no memory for them: FAB_ERROR_LIMIT. */
FabSchedule        *fab__schedule_builder_freeze (FabScheduleBuilder *builder, GError **error);

/* All of @parts in one, each held back until its start; @first_ops[i] is set to where part i begins, @first_ops[n] to the end. The numbers
 * of the whole (ranks, bytes, busbw) are those of no part: 0. */
FabSchedule        *fab__schedule_merge (FabSchedule *const *parts, const gint64 *starts_ps, guint n_parts, guint32 *first_ops, GError **error);

/* What a collective or pattern is asked to do. */
typedef struct
{
  const FabTopology *topology;
  const guint32     *ranks;       /* rank → GPU device */
  guint32            n_ranks;
  guint32            root;        /* rank; for those with a root */
  guint32            by;          /* of a shift */
  guint64            bytes;       /* S as nccl-tests counts it */
  guint32            plane;       /* between nodes */
  guint8             sl;
  gboolean           steps;       /* unroll into exact steps instead of phases */
  gboolean           pipelined;   /* pieces flow across stages */
  guint              pieces;      /* that a pipeline is cut into, as steps; 0: pieces of 512 KiB, at most 32 */
  guint              channels;    /* rings, or pairs of trees, that share out the bytes; at least 1 */
  guint              node_stage;  /* FabNodeStage; of hierarchical ones */
  guint64            reduce_bps;  /* rate of a GPU's local reduction of received bytes; 0: fused, costs nothing */
  guint64            seed;
} FabCollectiveTask;

typedef struct
{
  const char *name;         /* "hierarchical" */
  const char *collective;   /* "allreduce" */
  const char *summary;
  double (*busbw_factor) (guint32 n_ranks);
  const char *keys;         /* of a workload that it heeds, beside those all do: "channels form"; NULL: none */
  FabSchedule *(*build)  (const FabCollectiveTask *task, GError **error);
} FabCollective;

extern const FabCollective *const fab__collectives[];   /* NULL-terminated, generated from the Meson list */

/* The row for (collective, algorithm), or FAB_ERROR_UNKNOWN naming those there are. */
const FabCollective *fab__collective_lookup (const char *collective, const char *algorithm, GError **error);

/* Pieces a pipeline over @bytes is cut into: at least 1. */
guint32 fab__collective_n_pieces (const FabCollectiveTask *task, guint64 bytes);

/* bytes / n split so that the remainder goes one byte each to the first chunks. */
guint64 fab__chunk_bytes (guint64 bytes, guint32 n_chunks, guint32 chunk);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabScheduleBuilder, fab__schedule_builder_free)

G_END_DECLS
