/* fab-collective-allreduce-tree.c: two complementary binary trees, half of the bytes each: up with the sums, down with the result
 *
 * Sanders, Speck and Träff (2009): what is a leaf in one tree is inner in the other, so each rank sends and receives the bytes about
 * twice in all. The trees join nodes; inside a node a chain leads to the member that stands in the tree (NCCL's layout, with another
 * member for each tree and channel). Edges carry all their bytes at once, as a pipeline of many pieces does; the last piece's way from
 * the deepest leaf to the root and back follows, as transfers of their own.
 */
#include "workload/fab-grid-private.h"
#include "workload/fab-ring-private.h"
#include "fab-error.h"

typedef struct
{
  FabScheduleBuilder      *builder;
  const FabCollectiveTask *task;
  FabGrid  grid;
  guint32  head;      /* local member that stands in the tree */
  gboolean mirrored;  /* the second tree */
  guint64  bytes;
  guint    stage;
  guint32 *parent;    /* of each rank; FAB_NONE: the root */
  guint32 *depth;
  guint32 *child;     /* its first; FAB_NONE: none */
  guint32 *sibling;   /* the next child of its parent; FAB_NONE */
} Tree;

/* ---- shape ---- */

/* Of node @i in the first tree over @n: the sibling of larger lowest bit that exists; FAB_NONE: the root. */
static guint32
parent_in_first (guint32 i, guint32 n)
{
  guint32 bit = i & (~i + 1), up;

  if (i == 0)
    return FAB_NONE;
  up = (i ^ bit) | bit << 1;
  return up < n ? up : i ^ bit;
}

/* The second is the first mirrored, or turned by one where the number of nodes is odd. */
static guint32
parent_of_node (const Tree *tree, guint32 i)
{
  guint32 n = tree->grid.n_nodes, up;

  if (!tree->mirrored)
    return parent_in_first (i, n);
  if (n % 2 == 0)
    return (up = parent_in_first (n - 1 - i, n)) != FAB_NONE ? n - 1 - up : FAB_NONE;
  return (up = parent_in_first ((i + n - 1) % n, n)) != FAB_NONE ? (up + 1) % n : FAB_NONE;
}

/* In a node, the chain leads down the local ranks to the head, around. */
static guint32
parent_of_rank (const Tree *tree, guint32 rank)
{
  guint32 n_local = tree->grid.n_local, node = rank / n_local, local = rank % n_local, up;

  if (local != tree->head)
    return node * n_local + (local + n_local - 1) % n_local;
  up = parent_of_node (tree, node);
  return up != FAB_NONE ? up * n_local + tree->head : FAB_NONE;
}

/* Returns the deepest rank, the first of equals. */
static guint32
find_shape (Tree *tree)
{
  guint32 deepest = 0;

  for (guint32 r = 0; r < tree->task->n_ranks; r++)
    {
      tree->parent[r] = parent_of_rank (tree, r);
      tree->child[r] = FAB_NONE;
    }
  for (guint32 r = tree->task->n_ranks; r-- > 0;)
    if (tree->parent[r] != FAB_NONE)
      {
        tree->sibling[r] = tree->child[tree->parent[r]];
        tree->child[tree->parent[r]] = r;
      }
  for (guint32 r = 0; r < tree->task->n_ranks; r++)
    {
      tree->depth[r] = 0;
      for (guint32 up = tree->parent[r]; up != FAB_NONE; up = tree->parent[up])
        tree->depth[r]++;
      if (tree->depth[r] > tree->depth[deepest])
        deepest = r;
    }
  return deepest;
}

/* ---- edges ---- */

static FabOp
edge (const Tree *tree, guint32 from, guint32 to, guint64 bytes)
{
  return (FabOp) {
    .kind = FAB_OP_TRANSFER, .bytes = bytes, .src = tree->task->ranks[from], .dst = tree->task->ranks[to], .plane = tree->task->plane,
    .sl = tree->task->sl, .stage = (guint16) tree->stage,
  };
}

/* The last piece's way up from @deepest and down again, after @need. */
static void
add_last_piece (const Tree *tree, guint32 deepest, guint64 bytes, guint32 need)
{
  for (guint32 r = deepest; tree->parent[r] != FAB_NONE; r = tree->parent[r])
    need = fab__schedule_builder_add (tree->builder, edge (tree, r, tree->parent[r], bytes), &need, 1);
  for (guint32 level = 1; level <= tree->depth[deepest]; level++)
    {
      guint32 r = deepest;

      while (tree->depth[r] > level)
        r = tree->parent[r];
      need = fab__schedule_builder_add (tree->builder, edge (tree, tree->parent[r], r, bytes), &need, 1);
    }
}

static void
add_phase (const Tree *tree, guint32 deepest)
{
  FabOp phase = {
    .kind = FAB_OP_PHASE, .src = tree->task->ranks[0], .first_flow = fab__schedule_builder_n_ops (tree->builder), .n_steps = 1,
    .stage = (guint16) tree->stage,
  };
  guint64 piece = tree->bytes / fab__collective_n_pieces (tree->task, tree->bytes);

  for (guint32 r = 0; r < tree->task->n_ranks; r++)
    for (guint down = 0; down < 2 && tree->parent[r] != FAB_NONE; down++)
      {
        FabOp op = down ? edge (tree, tree->parent[r], r, tree->bytes - piece) : edge (tree, r, tree->parent[r], tree->bytes - piece);

        op.in_phase = TRUE;
        fab__schedule_builder_add (tree->builder, op, NULL, 0);
        phase.n_flows++;
      }
  add_last_piece (tree, deepest, piece, fab__schedule_builder_add (tree->builder, phase, NULL, 0));
}

/* ---- piece by piece ---- */

/* What a rank's send up of a piece waits for: its last one, and its children's sends of this piece. */
static void
send_up (const Tree *tree, guint64 bytes, guint32 *up, const guint32 *order)
{
  g_autoptr (GArray) needs = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 n = tree->task->n_ranks;

  for (guint32 i = n; i-- > 0;)   /* the deepest first */
    {
      guint32 r = order[i];

      if (tree->parent[r] == FAB_NONE)
        continue;
      g_array_set_size (needs, 0);
      if (up[r] != FAB_NONE)
        g_array_append_val (needs, up[r]);
      for (guint32 c = tree->child[r]; c != FAB_NONE; c = tree->sibling[c])
        g_array_append_val (needs, up[c]);
      up[r] = fab__schedule_builder_add (tree->builder, edge (tree, r, tree->parent[r], bytes), (const guint32 *) (const void *) needs->data, needs->len);
    }
}

/* A send down to @r waits for the one before, and for its parent having the piece: the root once all its children have sent it. */
static void
send_down (const Tree *tree, guint64 bytes, const guint32 *up, guint32 *down, const guint32 *order)
{
  g_autoptr (GArray) needs = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 n = tree->task->n_ranks;

  for (guint32 i = 0; i < n; i++)
    {
      guint32 r = order[i], parent = tree->parent[r];

      if (parent == FAB_NONE)
        continue;
      g_array_set_size (needs, 0);
      if (down[r] != FAB_NONE)
        g_array_append_val (needs, down[r]);
      if (tree->parent[parent] != FAB_NONE)
        g_array_append_val (needs, down[parent]);
      for (guint32 c = tree->child[parent]; c != FAB_NONE && tree->parent[parent] == FAB_NONE; c = tree->sibling[c])
        g_array_append_val (needs, up[c]);
      down[r] = fab__schedule_builder_add (tree->builder, edge (tree, parent, r, bytes), (const guint32 *) (const void *) needs->data, needs->len);
    }
}

/* Ranks by depth, the root first. */
static guint32 *
order_by_depth (const Tree *tree, guint32 deepest)
{
  guint32 *order = g_new (guint32, tree->task->n_ranks), n = 0;

  for (guint32 depth = 0; depth <= tree->depth[deepest]; depth++)
    for (guint32 r = 0; r < tree->task->n_ranks; r++)
      if (tree->depth[r] == depth)
        order[n++] = r;
  return order;
}

static void
add_pieces (const Tree *tree, guint32 deepest)
{
  guint32 n = tree->task->n_ranks, n_pieces = fab__collective_n_pieces (tree->task, tree->bytes);
  g_autofree guint32 *order = order_by_depth (tree, deepest);
  g_autofree guint32 *up = g_new (guint32, n);
  g_autofree guint32 *down = g_new (guint32, n);

  fab__schedule_builder_expect (tree->builder, 2 * (guint64) n_pieces * n);
  memset (up, 0xff, sizeof (guint32) * n);
  memset (down, 0xff, sizeof (guint32) * n);
  for (guint32 piece = 0; piece < n_pieces; piece++)
    {
      guint64 bytes = fab__chunk_bytes (tree->bytes, n_pieces, piece);

      send_up (tree, bytes, up, order);
      send_down (tree, bytes, up, down, order);
    }
}

/* ---- both trees of all channels ---- */

static FabSchedule *
build (const FabCollectiveTask *task, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = NULL;
  g_autofree guint32 *rows = g_new (guint32, 4 * (gsize) task->n_ranks);
  guint32 n_trees = 2 * task->channels;
  FabGrid grid;

  if (!fab__grid_init (&grid, task, "tree", error))
    return NULL;
  builder = fab__schedule_builder_new (task->n_ranks, task->bytes, fab__busbw_factor_allreduce (task->n_ranks), task->steps ? "steps" : "phases");
  for (guint32 t = 0; t < n_trees; t++)
    {
      Tree tree = {
        .builder = builder, .task = task, .grid = grid, .head = t * grid.n_local / n_trees % grid.n_local, .mirrored = t % 2 == 1,
        .bytes = fab__chunk_bytes (task->bytes, n_trees, t), .parent = rows, .depth = rows + task->n_ranks,
        .child = rows + 2 * (gsize) task->n_ranks, .sibling = rows + 3 * (gsize) task->n_ranks,
        .stage = fab__schedule_builder_stage (builder, t % 2 == 1 ? "second tree" : "first tree"),
      };
      guint32 deepest = find_shape (&tree);

      if (task->steps)
        add_pieces (&tree, deepest);
      else
        add_phase (&tree, deepest);
    }
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}

const FabCollective fab__collective_allreduce_tree = {
  .name = "tree",
  .collective = "allreduce",
  .summary = "NCCL's double binary tree over nodes, a chain in each node",
  .busbw_factor = fab__busbw_factor_allreduce,
  .keys = "channels form pieces",
  .build = build,
};
