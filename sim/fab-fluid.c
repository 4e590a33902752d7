/* fab-fluid.c: flows over shared links, event by event
 *
 * Between events every rate is constant. At each moment all operations that start or finish then are taken together, and the
 * rates are solved anew only for flows joined to what changed. Times are integer picoseconds, rounded once to the later.
 */
#include "fab-share-private.h"
#include "fab-trace-private.h"

#define TICK_EVERY 4096

/* A finish this close above a whole picosecond is that picosecond: the remainder is floating-point dust. */
#define DUST_PS 1e-3

typedef enum { EVENT_SEND, EVENT_SENT, EVENT_FINISH } EventKind;

typedef struct
{
  gint64    time_ps;
  guint64   seq;        /* ties: first scheduled, first run */
  guint32   op;
  guint32   version;    /* of a SENT: the flow's rate it was reckoned from */
  EventKind kind;
} Event;

typedef struct
{
  double  remaining;    /* bytes */
  gint64  since_ps;     /* when @remaining was so */
  guint32 version;
} Flow;

typedef struct
{
  const FabEngineInput *input;
  const FabOp   *ops;
  guint32        n_ops;
  FabResult     *result;
  FabPaths      *paths;
  FabShare      *share;
  GArray        *heap;          /* Event */
  GArray        *flows;         /* Flow, one a slot of the share */
  GArray        *segments;      /* FabSegment */
  guint32       *n_waiting;     /* needs (and edges) of an operation that have not finished */
  guint32       *first_waiter;  /* CSR: who waits for an operation */
  guint32       *waiters;
  guint32       *path_of;
  guint32       *segment_of;
  gint64         now_ps;
  guint64        seq;
  guint64        n_done;
} Fluid;

static inline gboolean
event_before (const Event *a, const Event *b)
{
  return a->time_ps != b->time_ps ? a->time_ps < b->time_ps : a->seq < b->seq;
}

static void
schedule_event (Fluid *fluid, gint64 time_ps, EventKind kind, guint32 op, guint32 version)
{
  GArray *heap = fluid->heap;
  Event event = { .time_ps = time_ps, .seq = fluid->seq++, .op = op, .version = version, .kind = kind };
  guint i = heap->len;

  g_array_append_val (heap, event);
  for (; i > 0 && event_before (&event, &g_array_index (heap, Event, (i - 1) / 2)); i = (i - 1) / 2)
    g_array_index (heap, Event, i) = g_array_index (heap, Event, (i - 1) / 2);
  g_array_index (heap, Event, i) = event;
}

static Event
pop_event (Fluid *fluid)
{
  GArray *heap = fluid->heap;
  Event top = g_array_index (heap, Event, 0);
  Event last = g_array_index (heap, Event, heap->len - 1);
  guint i = 0, child;

  g_array_set_size (heap, heap->len - 1);
  for (; (child = 2 * i + 1) < heap->len; i = child)
    {
      if (child + 1 < heap->len && event_before (&g_array_index (heap, Event, child + 1), &g_array_index (heap, Event, child)))
        child++;
      if (!event_before (&g_array_index (heap, Event, child), &last))
        break;
      g_array_index (heap, Event, i) = g_array_index (heap, Event, child);
    }
  if (heap->len > 0)
    g_array_index (heap, Event, i) = last;
  return top;
}

/* ---- who waits for whom ---- */

static void
count_waiter (Fluid *fluid, guint32 need, guint32 op)
{
  fluid->first_waiter[need + 1]++;
  fluid->n_waiting[op]++;
}

static void
put_waiter (Fluid *fluid, guint32 *next, guint32 need, guint32 op)
{
  fluid->waiters[next[need]++] = op;
}

/* Turns "needs" around. A phase also needs its edges. */
static void
index_waiters (Fluid *fluid)
{
  const guint32 *needs = fab_schedule_needs (fluid->input->schedule);
  g_autofree guint32 *next = NULL;

  for (guint32 op = 0; op < fluid->n_ops; op++)
    {
      for (guint32 i = 0; i < fluid->ops[op].n_needs; i++)
        count_waiter (fluid, needs[fluid->ops[op].first_need + i], op);
      for (guint32 i = 0; i < fluid->ops[op].n_flows; i++)
        count_waiter (fluid, fluid->ops[op].first_flow + i, op);
    }
  for (guint32 op = 0; op < fluid->n_ops; op++)
    fluid->first_waiter[op + 1] += fluid->first_waiter[op];

  fluid->waiters = g_new (guint32, MAX (fluid->first_waiter[fluid->n_ops], 1));
  next = g_memdup2 (fluid->first_waiter, sizeof (guint32) * (fluid->n_ops + 1));
  for (guint32 op = 0; op < fluid->n_ops; op++)
    {
      for (guint32 i = 0; i < fluid->ops[op].n_needs; i++)
        put_waiter (fluid, next, needs[fluid->ops[op].first_need + i], op);
      for (guint32 i = 0; i < fluid->ops[op].n_flows; i++)
        put_waiter (fluid, next, fluid->ops[op].first_flow + i, op);
    }
}

static FabTrace
trace_of (const Fluid *fluid)
{
  return (FabTrace) {
    .schedule = fluid->input->schedule,
    .topology = fluid->input->topology,
    .paths = fluid->paths,
    .path_of = fluid->path_of,
    .segment_of = fluid->segment_of,
    .segments = (const FabSegment *) (const void *) fluid->segments->data,
  };
}

/* ---- the life of an operation: start, send, sent, finish ---- */

static void
start_transfer (Fluid *fluid, guint32 op)
{
  const FabOp *row = &fluid->ops[op];
  const FabPath *path;

  fluid->path_of[op] = fab_paths_find (fluid->paths, row->src, row->dst, row->plane);
  if (fluid->path_of[op] == FAB_NONE)
    {
      fluid->result->n_unreachable++;
      fluid->result->start_ps[op] = -1;
      return;
    }
  path = fab_paths_row (fluid->paths, fluid->path_of[op]);
  schedule_event (fluid, fluid->now_ps + (row->in_phase ? 0 : path->software_ps), EVENT_SEND, op, 0);
}

static void
start (Fluid *fluid, guint32 op)
{
  fluid->result->start_ps[op] = fluid->now_ps;
  switch (fluid->ops[op].kind)
    {
    case FAB_OP_TRANSFER:
      start_transfer (fluid, op);
      break;
    case FAB_OP_REDUCE:
    case FAB_OP_COMPUTE:
    case FAB_OP_JOIN:
      schedule_event (fluid, fluid->now_ps + fluid->ops[op].work_ps, EVENT_FINISH, op, 0);
      break;
    case FAB_OP_PHASE:
      {
        FabTrace trace = trace_of (fluid);
        FabPhaseEnd end;

        fab__trace_phase_end (&trace, fluid->result, op, &end);
        schedule_event (fluid, end.end_ps, EVENT_FINISH, op, 0);
        break;
      }
    }
}

static void
finish_sending (Fluid *fluid, guint32 op)
{
  const FabPath *path = fab_paths_row (fluid->paths, fluid->path_of[op]);

  schedule_event (fluid, fluid->now_ps + (fluid->ops[op].in_phase ? 0 : path->latency_ps), EVENT_FINISH, op, 0);
}

static void
begin_sending (Fluid *fluid, guint32 op)
{
  const FabOp *row = &fluid->ops[op];
  const FabPath *path = fab_paths_row (fluid->paths, fluid->path_of[op]);
  const guint32 *links = fab_paths_links (fluid->paths, fluid->path_of[op]);
  Flow flow = { .remaining = (double) row->bytes, .since_ps = fluid->now_ps };
  guint32 slot;

  if (row->bytes == 0 || path->n_links == 0)
    {
      finish_sending (fluid, op);
      return;
    }
  slot = fab__share_add (fluid->share, op, links, path->n_links, path->flow_bps, path->flow_link);
  if (slot >= fluid->flows->len)
    g_array_set_size (fluid->flows, slot + 1);
  flow.version = g_array_index (fluid->flows, Flow, slot).version + 1;
  g_array_index (fluid->flows, Flow, slot) = flow;
  fluid->result->counters.flows++;
  for (guint32 i = 0; i < path->n_links; i++)
    fluid->result->link_bytes[links[i]] += (double) row->bytes;
}

static void
finish (Fluid *fluid, guint32 op)
{
  fluid->result->finish_ps[op] = fluid->now_ps;
  fluid->result->time_ps = fluid->now_ps;
  fluid->n_done++;
  for (guint32 w = fluid->first_waiter[op]; w < fluid->first_waiter[op + 1]; w++)
    if (--fluid->n_waiting[fluid->waiters[w]] == 0)
      start (fluid, fluid->waiters[w]);
}

static void
run_event (Fluid *fluid, const Event *event)
{
  switch (event->kind)
    {
    case EVENT_SEND:
      begin_sending (fluid, event->op);
      break;
    case EVENT_SENT:
      {
        guint32 slot = event->op;   /* of the share: a flow is known by its slot while it sends */
        Flow *flow = &g_array_index (fluid->flows, Flow, slot);
        guint32 op;

        if (flow->version != event->version)
          break;
        op = fab__share_flow (fluid->share, slot)->owner;
        flow->version++;
        fab__share_remove (fluid->share, slot);
        finish_sending (fluid, op);
        break;
      }
    case EVENT_FINISH:
      finish (fluid, event->op);
      break;
    }
}

static gint64
later_ps (double delay_ps)
{
  gint64 whole_ps = (gint64) delay_ps;

  return (double) whole_ps + DUST_PS < delay_ps ? whole_ps + 1 : whole_ps;
}

/* A flow's rate changed: settle what it has sent, note who limits it now, and reckon its end anew. */
static void
rate_changed (guint32 slot, double old_rate, gpointer data)
{
  Fluid *fluid = data;
  const FabShareFlow *shared = fab__share_flow (fluid->share, slot);
  Flow *flow = &g_array_index (fluid->flows, Flow, slot);
  FabSegment segment = { .start_ps = fluid->now_ps, .link = shared->limit, .previous = fluid->segment_of[shared->owner] };

  if (segment.previous == FAB_NONE || g_array_index (fluid->segments, FabSegment, segment.previous).link != shared->limit)
    {
      fluid->segment_of[shared->owner] = fluid->segments->len;
      g_array_append_val (fluid->segments, segment);
    }
  if (shared->rate == old_rate)
    return;
  flow->remaining = MAX (0, flow->remaining - old_rate * (double) (fluid->now_ps - flow->since_ps) / 1e12);
  flow->since_ps = fluid->now_ps;
  flow->version++;
  schedule_event (fluid, fluid->now_ps + later_ps (flow->remaining * 1e12 / shared->rate), EVENT_SENT, slot, flow->version);
}

/* Everything that happens at the next moment. */
static void
run_moment (Fluid *fluid)
{
  fluid->now_ps = g_array_index (fluid->heap, Event, 0).time_ps;
  fluid->result->counters.events++;
  while (fluid->heap->len > 0 && g_array_index (fluid->heap, Event, 0).time_ps == fluid->now_ps)
    {
      Event event = pop_event (fluid);

      run_event (fluid, &event);
    }
  fab__share_solve (fluid->share, rate_changed, fluid, &fluid->result->counters);
}

static gboolean
keeps_ticking (const Fluid *fluid)
{
  const FabTick *tick = &fluid->input->tick;

  return tick->func == NULL || tick->func (fluid->n_done, fluid->n_ops, tick->data);
}

static void
fluid_init (Fluid *fluid, const FabEngineInput *input)
{
  guint32 n_ops = fab_schedule_n_ops (input->schedule);

  *fluid = (Fluid) {
    .input = input,
    .ops = fab_schedule_ops (input->schedule),
    .n_ops = n_ops,
    .result = fab__result_new ("fluid", n_ops, fab_topology_n_links (input->topology)),
    .paths = fab_paths_new (input->topology, input->faults, input->routes, input->rules),
    .share = fab__share_new (input->topology, input->faults),
    .heap = g_array_new (FALSE, FALSE, sizeof (Event)),
    .flows = g_array_new (FALSE, TRUE, sizeof (Flow)),
    .segments = g_array_new (FALSE, FALSE, sizeof (FabSegment)),
    .n_waiting = g_new0 (guint32, MAX (n_ops, 1)),
    .first_waiter = g_new0 (guint32, (gsize) n_ops + 1),
    .path_of = g_new (guint32, MAX (n_ops, 1)),
    .segment_of = g_new (guint32, MAX (n_ops, 1)),
  };
  for (guint32 op = 0; op < n_ops; op++)
    fluid->path_of[op] = fluid->segment_of[op] = FAB_NONE;
  index_waiters (fluid);
}

static void
fluid_clear (Fluid *fluid)
{
  fab_paths_free (fluid->paths);
  fab__share_free (fluid->share);
  g_array_unref (fluid->heap);
  g_array_unref (fluid->flows);
  g_array_unref (fluid->segments);
  g_free (fluid->n_waiting);
  g_free (fluid->first_waiter);
  g_free (fluid->waiters);
  g_free (fluid->path_of);
  g_free (fluid->segment_of);
}

static FabResult *
run (const FabEngineInput *input, GError **error)
{
  Fluid fluid;
  FabTrace trace;
  gboolean goes_on = TRUE;

  fluid_init (&fluid, input);
  for (guint32 op = 0; op < fluid.n_ops; op++)
    if (fluid.ops[op].n_needs == 0 && fluid.ops[op].n_flows == 0)
      start (&fluid, op);
  for (guint64 n = 0; fluid.heap->len > 0 && goes_on; n++)
    {
      run_moment (&fluid);
      if (n % TICK_EVERY == 0)
        goes_on = keeps_ticking (&fluid);
    }
  fluid.result->complete = fluid.n_done == fluid.n_ops;
  trace = trace_of (&fluid);
  fab__trace_attribute (&trace, fluid.result);
  fluid_clear (&fluid);
  return fluid.result;
}

const FabEngine fab__engine_fluid = {
  .name = "fluid",
  .summary = "flows over shared links, max-min fair, event by event",
  .run = run,
};
