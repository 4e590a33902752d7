/* fab-node-stage.c: ring, direct, two-level: how the GPUs of a node share out a sum among themselves
 *
 * Per node and direction, S the bytes and n the members: a ring carries S (n - 1) / n over each of its edges, so also over the socket
 * link; direct sends as much from each member, but S n / 4 over the link between two sockets; two-level needs S / 2 there.
 */
#include "workload/fab-node-stage-private.h"
#include "subnet/fab-node-walk-private.h"
#include "fab-error.h"

const char *const fab__node_stage_names[] = { "ring", "direct", "two-level", NULL };

typedef struct
{
  FabScheduleBuilder      *builder;
  const FabCollectiveTask *task;
  guint                    stage;
  FabRingParts             parts;
  const guint32           *members;
  guint32                  n;
  guint64                  bytes;
} Stage;

/* ---- direct ---- */

static guint64
chunk_of (const Stage *stage, guint32 member)
{
  return fab__chunk_bytes (stage->bytes, stage->n, (member + 1) % stage->n);
}

/* A reduce-scatter sends the chunk that the other will hold, an all-gather the one held. */
static guint32
send_direct (const Stage *stage, guint32 from, guint32 to, const guint32 *starts)
{
  guint32 needs[2];
  guint n_needs = 0;
  FabOp op = {
    .kind = FAB_OP_TRANSFER, .bytes = chunk_of (stage, stage->parts == FAB_RING_REDUCE_SCATTER ? to : from), .src = stage->members[from],
    .dst = stage->members[to], .plane = stage->task->plane, .sl = stage->task->sl, .stage = (guint16) stage->stage,
  };

  if (starts != NULL && starts[from] != FAB_NONE)
    needs[n_needs++] = starts[from];
  if (starts != NULL && starts[to] != FAB_NONE && (n_needs == 0 || needs[0] != starts[to]))
    needs[n_needs++] = starts[to];
  return fab__schedule_builder_add (stage->builder, op, needs, n_needs);
}

/* What @member has after all has come in, and is summed. */
static guint32
add_arrival (const Stage *stage, guint32 member, const guint32 *arrivals)
{
  gboolean reduces = stage->parts == FAB_RING_REDUCE_SCATTER && stage->task->reduce_bps > 0;
  FabOp op = { .kind = reduces ? FAB_OP_REDUCE : FAB_OP_JOIN, .src = stage->members[member], .stage = (guint16) stage->stage };

  if (reduces)
    op.work_ps = (gint64) ((double) chunk_of (stage, member) * (stage->n - 1) * 8e12 / (double) stage->task->reduce_bps);
  return fab__schedule_builder_add (stage->builder, op, arrivals, stage->n - 1);
}

static void
add_direct (const Stage *stage, const guint32 *starts, guint32 *ends)
{
  g_autofree guint32 *sent = g_new (guint32, (gsize) stage->n * stage->n);
  g_autofree guint32 *arrivals = g_new (guint32, stage->n);

  for (guint32 from = 0; from < stage->n; from++)
    for (guint32 to = 0; to < stage->n; to++)
      if (from != to)
        sent[from * stage->n + to] = send_direct (stage, from, to, starts);
  for (guint32 to = 0; to < stage->n; to++)
    {
      guint n = 0;

      for (guint32 from = 0; from < stage->n; from++)
        if (from != to)
          arrivals[n++] = sent[from * stage->n + to];
      ends[to] = add_arrival (stage, to, arrivals);
    }
}

/* ---- two-level ---- */

/* Members a socket; 0 where they do not come socket by socket, as many on each. */
static guint32
members_per_socket (const FabTopology *topology, const guint32 *members, guint32 n)
{
  guint32 per_socket = 1;

  while (per_socket < n && fab__node_memory (topology, members[per_socket]) == fab__node_memory (topology, members[0]))
    per_socket++;
  for (guint32 i = 0; i < n; i++)
    if (n % per_socket != 0
        || fab__node_memory (topology, members[i]) != fab__node_memory (topology, members[i - i % per_socket])
        || (i >= per_socket && i % per_socket == 0
            && fab__node_memory (topology, members[i]) == fab__node_memory (topology, members[i - per_socket])))
      return 0;
  return per_socket;
}

static void
add_in_sockets (const Stage *stage, guint32 per_socket, const guint32 *starts, guint32 *ends)
{
  for (guint32 first = 0; first < stage->n; first += per_socket)
    fab__ring_add (stage->builder, stage->task, stage->stage, stage->parts, stage->members + first, per_socket, stage->bytes,
                   starts != NULL ? starts + first : NULL, ends + first);
}

static void
add_across_sockets (const Stage *stage, guint32 per_socket, const guint32 *starts, guint32 *ends)
{
  guint32 n_sockets = stage->n / per_socket;
  g_autofree guint32 *members = g_new (guint32, n_sockets);
  g_autofree guint32 *member_starts = g_new (guint32, n_sockets);
  g_autofree guint32 *member_ends = g_new (guint32, n_sockets);

  for (guint32 place = 0; place < per_socket; place++)
    {
      guint64 bytes = fab__chunk_bytes (stage->bytes, per_socket, (place + 1) % per_socket);

      for (guint32 s = 0; s < n_sockets; s++)
        {
          members[s] = stage->members[s * per_socket + place];
          member_starts[s] = starts != NULL ? starts[s * per_socket + place] : FAB_NONE;
        }
      fab__ring_add (stage->builder, stage->task, stage->stage, stage->parts, members, n_sockets, bytes, member_starts, member_ends);
      for (guint32 s = 0; s < n_sockets; s++)
        ends[s * per_socket + place] = member_ends[s];
    }
}

static gboolean
add_two_level (const Stage *stage, const guint32 *starts, guint32 *ends, GError **error)
{
  guint32 per_socket = members_per_socket (stage->task->topology, stage->members, stage->n);
  g_autofree guint32 *between = g_new (guint32, stage->n);
  const guint32 *second = stage->task->pipelined && !stage->task->steps ? starts : between;   /* chunks flow through both at once */

  if (per_socket == 0)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "node_stage: two-level expects as many ranks on each socket of a node, socket by socket");
      return FALSE;
    }
  if (stage->parts == FAB_RING_REDUCE_SCATTER)
    {
      add_in_sockets (stage, per_socket, starts, between);
      add_across_sockets (stage, per_socket, second, ends);
    }
  else
    {
      add_across_sockets (stage, per_socket, starts, between);
      add_in_sockets (stage, per_socket, second, ends);
    }
  return TRUE;
}

/* ---- any ---- */

gboolean
fab__node_stage_add (FabScheduleBuilder *builder, const FabCollectiveTask *task, guint row, FabRingParts parts, const guint32 *members,
                     guint32 n_members, guint64 bytes, const guint32 *starts, guint32 *ends, GError **error)
{
  Stage stage = { .builder = builder, .task = task, .stage = row, .parts = parts, .members = members, .n = n_members, .bytes = bytes };

  if (task->node_stage == FAB_NODE_STAGE_TWO_LEVEL)
    return add_two_level (&stage, starts, ends, error);
  if (task->node_stage == FAB_NODE_STAGE_DIRECT && n_members > 1)
    add_direct (&stage, starts, ends);
  else
    fab__ring_add (builder, task, row, parts, members, n_members, bytes, starts, ends);
  return TRUE;
}

guint64
fab__node_stage_shard (const FabCollectiveTask *task, const guint32 *members, guint32 n_members, guint32 member, guint64 bytes)
{
  guint32 per_socket = task->node_stage == FAB_NODE_STAGE_TWO_LEVEL ? members_per_socket (task->topology, members, n_members) : n_members;
  guint32 n_sockets = n_members / MAX (per_socket, 1);

  return fab__chunk_bytes (fab__chunk_bytes (bytes, MAX (per_socket, 1), (member + 1) % MAX (per_socket, 1)), n_sockets,
                           (member / MAX (per_socket, 1) + 1) % n_sockets);
}
