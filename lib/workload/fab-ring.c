/* fab-ring.c: reduce-scatter, all-gather or both around one ring */
#include "workload/fab-ring-private.h"
#include "workload/fab-grid-private.h"

typedef struct
{
  FabScheduleBuilder      *builder;
  const FabCollectiveTask *task;
  const guint32           *members;
  guint32                  n;
  guint64                  bytes;
  guint32                  n_steps;
  guint32                  first_step;   /* of the whole ring's 2 (n - 1): n - 1 for an all-gather alone */
  guint                    stage;
} Ring;

/* What member @i sends in step @step: chunks wander once around for the sums, once more with the result. */
static guint64
chunk_sent (const Ring *ring, guint32 i, guint32 step)
{
  guint32 chunk = (i + 2 * ring->n - step % ring->n) % ring->n;

  return fab__chunk_bytes (ring->bytes, ring->n, chunk);
}

static guint
gather_starts (const Ring *ring, const guint32 *starts, guint32 i, guint32 *needs)
{
  guint n_needs = 0;
  guint32 ends[2] = { i, (i + 1) % ring->n };

  for (guint e = 0; e < 2 && starts != NULL; e++)
    if (starts[ends[e]] != FAB_NONE && (n_needs == 0 || needs[0] != starts[ends[e]]))
      needs[n_needs++] = starts[ends[e]];
  return n_needs;
}

static gint64
reduce_time_ps (const Ring *ring, guint64 bytes)
{
  double time_ps = (double) bytes * 8e12 / (double) ring->task->reduce_bps;

  return (gint64) time_ps;
}

static FabOp
edge (const Ring *ring, guint32 i, guint64 bytes)
{
  return (FabOp) {
    .kind = FAB_OP_TRANSFER,
    .bytes = bytes,
    .src = ring->members[i],
    .dst = ring->members[(i + 1) % ring->n],
    .plane = ring->task->plane,
    .sl = ring->task->sl,
    .stage = (guint16) ring->stage,
  };
}

static guint32
add_reduce (const Ring *ring, guint32 member, gint64 work_ps, guint32 need)
{
  FabOp op = {
    .kind = FAB_OP_REDUCE, .work_ps = work_ps, .src = ring->members[member], .stage = (guint16) ring->stage,
  };

  return fab__schedule_builder_add (ring->builder, op, &need, 1);
}

/* Step by step: a member sends on once its last send is out and the chunk to send has come in (and is summed). */
static void
add_steps (const Ring *ring, FabRingParts parts, const guint32 *starts, guint32 *ends)
{
  g_autofree guint32 *sent = g_new (guint32, ring->n);       /* row of member i's last send */
  g_autofree guint32 *received = g_new (guint32, ring->n);   /* row after which member i has the last chunk it got */

  fab__schedule_builder_expect (ring->builder, (guint64) ring->n_steps * ring->n * (ring->task->reduce_bps > 0 ? 2 : 1));
  for (guint32 s = 0; s < ring->n_steps; s++)
    {
      guint32 step = ring->first_step + s;
      gboolean reduces = (parts & FAB_RING_REDUCE_SCATTER) && step < ring->n - 1 && ring->task->reduce_bps > 0;
      g_autofree guint32 *now = g_new (guint32, ring->n);

      for (guint32 i = 0; i < ring->n; i++)
        {
          guint32 needs[2];
          guint n_needs = 2;

          if (s == 0)
            n_needs = gather_starts (ring, starts, i, needs);
          else
            {
              needs[0] = sent[i];
              needs[1] = received[i];
            }
          now[i] = fab__schedule_builder_add (ring->builder, edge (ring, i, chunk_sent (ring, i, step)), needs, n_needs);
        }
      for (guint32 i = 0; i < ring->n; i++)
        {
          guint32 next = (i + 1) % ring->n;

          sent[i] = now[i];
          received[next] = reduces ? add_reduce (ring, next, reduce_time_ps (ring, chunk_sent (ring, i, step)), now[i])
                                   : now[i];
        }
    }
  for (guint32 i = 0; i < ring->n; i++)
    ends[i] = received[i];
}

/* In steps no edge runs far ahead of its neighbours, so the edges of a phase start together: when all members are ready. */
static guint
add_join (const Ring *ring, const guint32 *starts, guint32 *join)
{
  g_autoptr (GArray) needs = g_array_new (FALSE, FALSE, sizeof (guint32));
  FabOp op = { .kind = FAB_OP_JOIN, .src = ring->members[0], .stage = (guint16) ring->stage };

  for (guint32 i = 0; starts != NULL && i < ring->n; i++)
    if (starts[i] != FAB_NONE && (needs->len == 0 || g_array_index (needs, guint32, needs->len - 1) != starts[i]))
      g_array_append_val (needs, starts[i]);
  if (needs->len == 0)
    return 0;
  *join = needs->len == 1 ? g_array_index (needs, guint32, 0)
                          : fab__schedule_builder_add (ring->builder, op, (const guint32 *) (const void *) needs->data, needs->len);
  return 1;
}

/* Every edge carries the volume of all its steps at once; the phase row charges the steps' latencies. */
static void
add_phase (const Ring *ring, FabRingParts parts, const guint32 *starts, guint32 *ends)
{
  FabOp phase = {
    .kind = FAB_OP_PHASE, .src = ring->members[0], .n_flows = ring->n, .n_steps = ring->n_steps, .stage = (guint16) ring->stage,
  };
  guint32 join = 0, end;
  guint n_needs = add_join (ring, starts, &join);

  for (guint32 i = 0; i < ring->n; i++)
    {
      guint64 volume = 0;
      FabOp op;
      guint32 row;

      if (parts & FAB_RING_REDUCE_SCATTER)   /* all chunks but the one it keeps */
        volume += ring->bytes - fab__chunk_bytes (ring->bytes, ring->n, (i + 1) % ring->n);
      if (parts & FAB_RING_ALL_GATHER)       /* all chunks but the one its neighbour had */
        volume += ring->bytes - fab__chunk_bytes (ring->bytes, ring->n, (i + 2) % ring->n);
      op = edge (ring, i, volume);
      op.in_phase = TRUE;
      row = fab__schedule_builder_add (ring->builder, op, &join, n_needs);
      if (i == 0)
        phase.first_flow = row;
    }
  end = fab__schedule_builder_add (ring->builder, phase, NULL, 0);
  if ((parts & FAB_RING_REDUCE_SCATTER) && ring->task->reduce_bps > 0)
    end = add_reduce (ring, 0, reduce_time_ps (ring, fab__chunk_bytes (ring->bytes, ring->n, 0)) * (ring->n - 1), end);
  for (guint32 i = 0; i < ring->n; i++)
    ends[i] = end;
}

void
fab__ring_add (FabScheduleBuilder *builder, const FabCollectiveTask *task, guint stage, FabRingParts parts,
               const guint32 *members, guint32 n_members, guint64 bytes,
               const guint32 *starts, guint32 *ends)
{
  Ring ring = {
    .builder = builder, .task = task, .members = members, .n = n_members, .bytes = bytes, .stage = stage,
    .n_steps = (n_members - 1) * (parts == FAB_RING_ALL_REDUCE ? 2 : 1),
    .first_step = parts == FAB_RING_ALL_GATHER ? n_members - 1 : 0,
  };

  if (n_members < 2)
    ends[0] = starts != NULL ? starts[0] : FAB_NONE;
  else if (task->steps)
    add_steps (&ring, parts, starts, ends);
  else
    add_phase (&ring, parts, starts, ends);
}

/* The ranks in the order of @channel's ring. */
static void
order_channel (const FabCollectiveTask *task, const FabGrid *grid, guint32 channel, guint32 *members)
{
  for (guint32 node = 0; node < grid->n_nodes; node++)
    for (guint32 i = 0; i < grid->n_local; i++)
      {
        guint32 local = ((guint64) channel * grid->n_local / task->channels + grid->n_local - i) % grid->n_local;

        members[node * grid->n_local + i] = grid->ranks[node * grid->n_local + local];
      }
}

void
fab__rings_add (FabScheduleBuilder *builder, const FabCollectiveTask *task, FabRingParts parts)
{
  g_autofree guint32 *ends = g_new (guint32, task->n_ranks);
  g_autofree guint32 *members = g_memdup2 (task->ranks, sizeof (guint32) * task->n_ranks);
  guint stage = fab__schedule_builder_stage (builder, task->channels > 1 ? "rings over all ranks" : "ring over all ranks");
  FabGrid grid;
  gboolean in_nodes = fab__grid_init (&grid, task, "ring", NULL);

  for (guint32 channel = 0; channel < task->channels; channel++)
    {
      if (in_nodes && task->channels > 1)
        order_channel (task, &grid, channel, members);
      fab__ring_add (builder, task, stage, parts, members, task->n_ranks, fab__chunk_bytes (task->bytes, task->channels, channel), NULL, ends);
    }
}

double
fab__busbw_factor_allreduce (guint32 n_ranks)
{
  return 2.0 * (n_ranks - 1) / n_ranks;
}
