/* fab-fluid.c: flows over shared links, event by event
 *
 * Between events every rate is constant. At each moment all operations that start or finish then are taken together, and the
 * rates are solved anew only for flows joined to what changed. Times are integer picoseconds, rounded once to the later.
 */
#include "fab-clock-private.h"
#include "fab-share-private.h"
#include "fab-trace-private.h"
#include "fab-waiters-private.h"
#include "base/fab-memory-private.h"
#include "subnet/fab-path-private.h"

#define TICK_EVERY 4096

/* A finish this close above a whole picosecond is that picosecond: the remainder is floating-point dust. */
#define DUST_PS 1e-3

/* Where very many flows share and each ends at its own moment, rates are dealt out anew only now and then: so many times at once, then
 * when such a part of all rates has become free, or such a part of the time since the first flow has passed. Meanwhile the others are
 * slower than they could be by at most that, and share flow by flow. */
#define MANY_FLOWS    1024
#define EXACT_SOLVES  32
#define DEFER_TIME    32
#define DEFER_RATE    32

typedef enum { EVENT_SEND, EVENT_SENT, EVENT_FINISH, EVENT_SOLVE } EventKind;

typedef struct
{
  double  remaining;    /* bytes */
  gint64  since_ps;     /* when @remaining was so */
  guint32 version;      /* of the rate that its end was reckoned from */
} Flow;

typedef struct
{
  const FabEngineInput *input;
  const FabOp   *ops;
  guint32        n_ops;
  FabResult     *result;
  FabPaths      *paths;
  FabShare      *share;
  FabClock      *clock;
  Flow          *flows;         /* one an operation */
  GArray        *path_bytes;    /* double, one a path: a path's row is its route's in the share */
  GArray        *segments;      /* FabSegment */
  FabWaiters     waiters;
  guint32       *path_of;
  guint32       *segment_of;
  gint64         now_ps;
  gint64         first_ps;      /* when the first flow began; -1 */
  gint64         solve_ps;      /* not after; -1: no solve is deferred */
  double         all_rates;     /* of all flows that are sending */
  double         freed_rates;   /* of flows ended since */
  gboolean       has_new;       /* flows began at this moment */
  guint          n_large;       /* solves of very many flows */
  gboolean       last_large;    /* the last was one */
  guint64        n_done;
} Fluid;

static void
schedule_event (Fluid *fluid, gint64 time_ps, EventKind kind, guint32 op, guint32 version)
{
  fab__clock_add (fluid->clock, time_ps, (FabEvent) { .kind = kind, .target = op, .version = version });
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

/* A path met for the first time becomes a route of the share. */
static void
know_path (Fluid *fluid, guint32 path)
{
  const FabPath *row = fab_paths_row (fluid->paths, path);
  FabShareRoute route = {
    .links = fab_paths_links (fluid->paths, path), .n_links = row->n_links, .parts = fab_paths_parts (fluid->paths, path),
    .flow_bps = row->flow_bps, .flow_link = row->flow_link,
  };
  double none = 0;

  if (path < fluid->path_bytes->len)
    return;
  fab__share_route (fluid->share, &route);
  g_array_append_val (fluid->path_bytes, none);
}

static void
start_transfer (Fluid *fluid, guint32 op)
{
  const FabOp *row = &fluid->ops[op];
  guint32 path = fab_paths_find (fluid->paths, row->src, row->dst, row->plane);

  fluid->path_of[op] = path;
  if (path == FAB_NONE)
    {
      fluid->result->n_unreachable++;
      fluid->result->start_ps[op] = -1;
      return;
    }
  know_path (fluid, path);
  schedule_event (fluid, fluid->now_ps + (row->in_phase ? 0 : fab_paths_row (fluid->paths, path)->software_ps), EVENT_SEND, op, 0);
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

/* Where routing deals ways out over lanes, a way's lane is its service level, whatever the workload asks for. */
static guint
lane_of (const Fluid *fluid, const FabOp *row)
{
  const FabRoutes *routes = fluid->input->routes != NULL && row->plane != FAB_NONE ? fluid->input->routes[row->plane] : NULL;
  guint32 node = fab_topology_device (fluid->input->topology, row->src)->node;
  guint sl = row->sl;

  if (routes == NULL || node == fab_topology_device (fluid->input->topology, row->dst)->node)
    return 0;   /* lanes are of planes */
  if (fab_routes_n_lanes (routes) > 1)
    sl = fab_routes_lane (routes, fab__paths_port (fluid->paths, row->src, row->plane), fab__paths_port (fluid->paths, row->dst, row->plane));
  return fab_subnet_qos (fab_routes_subnet (routes))->sl2vl[sl];
}

static void
begin_sending (Fluid *fluid, guint32 op)
{
  const FabOp *row = &fluid->ops[op];
  guint32 path = fluid->path_of[op];

  if (row->bytes == 0 || fab_paths_row (fluid->paths, path)->n_links == 0)
    {
      finish_sending (fluid, op);
      return;
    }
  fluid->flows[op] = (Flow) { .remaining = (double) row->bytes, .since_ps = fluid->now_ps };
  g_array_index (fluid->path_bytes, double, path) += (double) row->bytes;
  fluid->result->counters.flows++;
  fluid->has_new = TRUE;
  if (fluid->first_ps < 0)
    fluid->first_ps = fluid->now_ps;
  fab__share_add (fluid->share, op, path, lane_of (fluid, row));
}

static void
finish (Fluid *fluid, guint32 op)
{
  fluid->result->finish_ps[op] = fluid->now_ps;
  fluid->result->time_ps = fluid->now_ps;
  fluid->n_done++;
  for (guint32 w = fluid->waiters.first[op]; w < fluid->waiters.first[op + 1]; w++)
    if (--fluid->waiters.n_waiting[fluid->waiters.waiters[w]] == 0)
      start (fluid, fluid->waiters.waiters[w]);
}

static void
end_sending (Fluid *fluid, guint32 op, guint32 version)
{
  if (fluid->flows[op].version != version)
    return;   /* reckoned from a rate it no longer has */
  fluid->flows[op].version++;
  fluid->freed_rates += fab__share_rate (fluid->share, op);
  fluid->all_rates -= fab__share_rate (fluid->share, op);
  fab__share_remove (fluid->share, op);
  finish_sending (fluid, op);
}

static void
run_event (Fluid *fluid, const FabEvent *event)
{
  switch ((EventKind) event->kind)
    {
    case EVENT_SEND:
      begin_sending (fluid, event->target);
      break;
    case EVENT_SENT:
      end_sending (fluid, event->target, event->version);
      break;
    case EVENT_FINISH:
      finish (fluid, event->target);
      break;
    case EVENT_SOLVE:   /* the moment is all that is needed */
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
rate_changed (guint32 op, double old_rate, gpointer data)
{
  Fluid *fluid = data;
  double rate = fab__share_rate (fluid->share, op);
  Flow *flow = &fluid->flows[op];
  FabSegment segment = { .start_ps = fluid->now_ps, .link = fab__share_limit (fluid->share, op), .previous = fluid->segment_of[op] };

  if (segment.previous == FAB_NONE || g_array_index (fluid->segments, FabSegment, segment.previous).link != segment.link)
    {
      fluid->segment_of[op] = fluid->segments->len;
      g_array_append_val (fluid->segments, segment);
    }
  if (rate == old_rate)
    return;
  fluid->all_rates += rate - old_rate;
  flow->remaining = MAX (0, flow->remaining - old_rate * (double) (fluid->now_ps - flow->since_ps) / 1e12);
  flow->since_ps = fluid->now_ps;
  flow->version++;
  schedule_event (fluid, fluid->now_ps + later_ps (flow->remaining * 1e12 / rate), EVENT_SENT, op, flow->version);
}

/* TRUE: what ended at this moment can wait. */
static gboolean
defers (Fluid *fluid)
{
  if (fluid->has_new || !fluid->last_large || fluid->n_large < EXACT_SOLVES || (fluid->solve_ps >= 0 && fluid->now_ps >= fluid->solve_ps)
      || fluid->freed_rates * DEFER_RATE > fluid->all_rates)
    return FALSE;
  if (fluid->solve_ps < 0)
    {
      fluid->solve_ps = fluid->now_ps + (fluid->now_ps - fluid->first_ps) / DEFER_TIME;
      schedule_event (fluid, fluid->solve_ps, EVENT_SOLVE, 0, 0);
    }
  fluid->result->counters.deferred++;
  return TRUE;
}

static void
solve (Fluid *fluid)
{
  FabCounters *counters = &fluid->result->counters;
  guint64 n_before = counters->solved_flows;

  fab__share_solve (fluid->share, rate_changed, fluid, counters);
  fluid->has_new = FALSE;
  fluid->freed_rates = 0;
  fluid->solve_ps = -1;
  if (counters->solved_flows == n_before)
    return;
  fluid->last_large = counters->solved_flows - n_before >= MANY_FLOWS;
  fluid->n_large += fluid->last_large ? 1 : 0;
  if (fluid->n_large == EXACT_SOLVES)
    fab__share_weigh_below (fluid->share, MANY_FLOWS);
}

/* Everything that happens at this moment. */
static void
run_moment (Fluid *fluid)
{
  FabEvent event;

  fluid->now_ps = fab__clock_now_ps (fluid->clock);
  fluid->result->counters.events++;
  while (fab__clock_take (fluid->clock, &event))
    run_event (fluid, &event);
  if (!defers (fluid))
    solve (fluid);
}

/* What each path carried, laid over its links. */
static void
sum_link_bytes (const Fluid *fluid)
{
  for (guint32 path = 0; path < fluid->path_bytes->len; path++)
    {
      const guint32 *links = fab_paths_links (fluid->paths, path);
      const double *parts = fab_paths_parts (fluid->paths, path);
      double bytes = g_array_index (fluid->path_bytes, double, path);

      for (guint32 i = 0; i < fab_paths_row (fluid->paths, path)->n_links; i++)
        fluid->result->link_bytes[links[i]] += parts != NULL ? bytes * parts[i] : bytes;
    }
}

static gboolean
keeps_ticking (const Fluid *fluid)
{
  const FabTick *tick = &fluid->input->tick;

  return tick->func == NULL || tick->func (fluid->n_done, fluid->n_ops, tick->data);
}

static gboolean
any_ends_at_nic (const FabEngineInput *input, guint32 n_ops)
{
  const FabOp *ops = fab_schedule_ops (input->schedule);

  for (guint32 op = 0; op < n_ops; op++)
    if (ops[op].kind == FAB_OP_TRANSFER
        && (fab_topology_device (input->topology, ops[op].src)->kind == FAB_DEVICE_NIC
            || fab_topology_device (input->topology, ops[op].dst)->kind == FAB_DEVICE_NIC))
      return TRUE;
  return FALSE;
}

static FabShare *
share_of (const FabEngineInput *input, guint32 n_ops)
{
  guint32 n_planes = fab_topology_n_planes (input->topology);
  FabShare *share;
  g_autofree const FabQos **lanes = g_new0 (const FabQos *, n_planes + 1);

  for (guint32 p = 0; p < n_planes && input->routes != NULL; p++)
    lanes[p] = input->routes[p] != NULL ? fab_subnet_qos (fab_routes_subnet (input->routes[p])) : NULL;
  share = fab__share_new (input->topology, input->faults, input->sharing, lanes, n_ops);
  if (!any_ends_at_nic (input, n_ops))
    fab__share_drop_needless (share);
  return share;
}

static void
fluid_init (Fluid *fluid, const FabEngineInput *input)
{
  guint32 n_ops = fab_schedule_n_ops (input->schedule);

  *fluid = (Fluid) {
    .input = input,
    .first_ps = -1,
    .solve_ps = -1,
    .ops = fab_schedule_ops (input->schedule),
    .n_ops = n_ops,
    .result = fab__result_new ("fluid", n_ops, fab_topology_n_links (input->topology)),
    .paths = fab_paths_new (input->topology, input->faults, input->routes, input->rules),
    .clock = fab__clock_new (),
    .flows = g_new0 (Flow, MAX (n_ops, 1)),
    .path_bytes = g_array_new (FALSE, FALSE, sizeof (double)),
    .segments = g_array_new (FALSE, FALSE, sizeof (FabSegment)),
    .path_of = g_new (guint32, MAX (n_ops, 1)),
    .segment_of = g_new (guint32, MAX (n_ops, 1)),
  };
  for (guint32 op = 0; op < n_ops; op++)
    fluid->path_of[op] = fluid->segment_of[op] = FAB_NONE;
  fluid->share = share_of (input, n_ops);
  fab__memory_wish_large (fluid->flows, sizeof (Flow) * n_ops);
  fab__paths_expect (fluid->paths, n_ops);
  fab__share_expect (fluid->share, n_ops);
  fab__clock_expect (fluid->clock, n_ops);
  fab__array_reserve (fluid->segments, n_ops, TRUE);
  fab__array_reserve (fluid->path_bytes, n_ops, FALSE);
  fab__waiters_init (&fluid->waiters, input->schedule);
}

static void
fluid_clear (Fluid *fluid)
{
  fab_paths_free (fluid->paths);
  fab__share_free (fluid->share);
  fab__clock_free (fluid->clock);
  g_free (fluid->flows);
  g_array_unref (fluid->path_bytes);
  g_array_unref (fluid->segments);
  fab__waiters_clear (&fluid->waiters);
  g_free (fluid->path_of);
  g_free (fluid->segment_of);
}

static FabResult *
run (const FabEngineInput *input, GError **error)
{
  Fluid fluid;
  FabTrace trace;
  gboolean goes_on = TRUE;
  const FabBlindSpot *spots;
  gsize n_spots;

  fluid_init (&fluid, input);
  for (guint32 op = 0; op < fluid.n_ops; op++)
    if (fluid.ops[op].n_needs == 0 && fluid.ops[op].n_flows == 0)
      start (&fluid, op);
  for (guint64 n = 0; goes_on && fab__clock_advance (fluid.clock); n++)
    {
      run_moment (&fluid);
      if (n % TICK_EVERY == 0)
        goes_on = keeps_ticking (&fluid);
    }
  fluid.result->complete = fluid.n_done == fluid.n_ops;
  sum_link_bytes (&fluid);
  spots = fab__share_blind_spots (fluid.share, &n_spots);
  fab__result_set_blind (fluid.result, spots, n_spots);
  trace = trace_of (&fluid);
  fab__trace_attribute (&trace, fluid.result);
  fluid_clear (&fluid);
  return fluid.result;
}

const FabEngine fab__engine_fluid = {
  .name = "fluid",
  .summary = "flows over shared links, shared as outputs arbitrate or max-min fair, event by event",
  .run = run,
};
