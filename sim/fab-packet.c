/* fab-packet.c: a schedule run packet by packet
 *
 * The life of an operation is here; what its packets do is in the files beside. Times are integer picoseconds, ordered by (time,
 * sequence), so that the same input gives the same bytes on any machine.
 */
#include "fab-packet-private.h"
#include "fab-waiters-private.h"

#define TICK_EVERY (1u << 18)   /* events: some milliseconds */

typedef struct
{
  FabPackets  packets;
  const FabOp *ops;
  guint32     n_ops;
  FabWaiters  waiters;
  guint32    *path_of;
  guint32    *segment_of;
  GArray     *segments;      /* FabSegment */
  gint64     *message_ps;    /* one a device: when its NIC may begin another message */
  guint64     total_bytes;
  guint64     done_bytes;
  guint64     n_done;
} Run;

static FabTrace
trace_of (const Run *run)
{
  return (FabTrace) {
    .schedule = run->packets.input->schedule,
    .topology = run->packets.input->topology,
    .paths = run->packets.paths,
    .path_of = run->path_of,
    .segment_of = run->segment_of,
    .segments = (const FabSegment *) (const void *) run->segments->data,
  };
}

static void
later (Run *run, gint64 time_ps, FabPacketKind kind, guint32 op)
{
  fab__packet_clock_push_odd (&run->packets.clock, time_ps, kind, op, FAB_NONE);
}

/* ---- the life of an operation: start, begin, finish ---- */

static void
start_transfer (Run *run, guint32 op)
{
  const FabOp *row = &run->ops[op];
  guint32 path = fab_paths_find (run->packets.paths, row->src, row->dst, row->plane);
  const FabPath *way = path != FAB_NONE ? fab_paths_row (run->packets.paths, path) : NULL;

  run->path_of[op] = path;
  if (path == FAB_NONE || fab__packet_is_dropped (&run->packets, path, row->sl))
    {
      run->packets.result->n_unreachable++;
      run->packets.result->start_ps[op] = -1;
      run->path_of[op] = FAB_NONE;
      return;
    }
  if (row->bytes == 0 || way->n_links == 0)
    later (run, run->packets.clock.now_ps + (row->in_phase ? 0 : way->software_ps + way->latency_ps), FAB_PACKET_FINISH, op);
  else
    later (run, run->packets.clock.now_ps + (row->in_phase ? 0 : way->software_ps), FAB_PACKET_BEGIN, op);
}

static void
start (Run *run, guint32 op)
{
  gint64 now_ps = run->packets.clock.now_ps;

  run->packets.result->start_ps[op] = now_ps;
  switch (run->ops[op].kind)
    {
    case FAB_OP_TRANSFER:
      start_transfer (run, op);
      break;
    case FAB_OP_REDUCE:
    case FAB_OP_COMPUTE:
    case FAB_OP_JOIN:
      later (run, now_ps + run->ops[op].work_ps, FAB_PACKET_FINISH, op);
      break;
    case FAB_OP_PHASE:
      {
        FabTrace trace = trace_of (run);
        FabPhaseEnd end;

        fab__trace_phase_end (&trace, run->packets.result, op, &end);
        later (run, end.end_ps, FAB_PACKET_FINISH, op);
        break;
      }
    }
}

/* The sender's NIC takes so many messages a second, and its own time over each. */
static gint64
nic_ready_ps (Run *run, guint32 op)
{
  const FabTopology *topology = run->packets.input->topology;
  const guint32 *links = fab_paths_links (run->packets.paths, run->path_of[op]);
  guint32 n_links = fab_paths_row (run->packets.paths, run->path_of[op])->n_links;
  const FabDevice *src = fab_topology_device (topology, run->ops[op].src);
  gint64 ready_ps = run->packets.clock.now_ps;

  for (guint32 i = 0; i < n_links; i++)
    {
      const FabLink *link = fab_topology_link (topology, links[i]);
      const FabDevice *nic = fab_topology_device (topology, link->from_device);

      if (link->plane == FAB_NONE || nic->kind != FAB_DEVICE_NIC || nic->message_rate == 0)
        continue;
      ready_ps = MAX (ready_ps, run->message_ps[link->from_device]);
      run->message_ps[link->from_device] = ready_ps + (gint64) ((1000000000000u + nic->message_rate - 1) / nic->message_rate);
      break;
    }
  return ready_ps + (src->kind == FAB_DEVICE_NIC ? src->latency_ps : 0);
}

static void
begin (Run *run, guint32 op, guint32 again)
{
  gint64 ready_ps = again == FAB_NONE ? nic_ready_ps (run, op) : run->packets.clock.now_ps;
  const FabOp *row = &run->ops[op];

  if (ready_ps > run->packets.clock.now_ps)
    {
      fab__packet_clock_push_odd (&run->packets.clock, ready_ps, FAB_PACKET_BEGIN, op, 0);
      return;
    }
  fab__packet_flow_begin (&run->packets, op, run->path_of[op], fab__packet_vl_of_path (&run->packets, run->path_of[op], row->sl),
                          run->packets.result->start_ps[op]
                            + (row->in_phase ? 0 : fab_paths_row (run->packets.paths, run->path_of[op])->software_ps));
}

/* The last byte is in. The latency of an edge of a phase is the phase's (FabOp). */
static void
end_transfer (Run *run, guint32 op, guint32 flow)
{
  if (flow == FAB_NONE)
    return;
  run->segment_of[op] = fab__packet_probe_segments (&run->packets, &run->packets.flows[flow], run->segments);
  fab__packet_flow_end (&run->packets, flow);
  run->done_bytes += run->ops[op].bytes;
  if (run->ops[op].in_phase)
    run->packets.result->finish_ps[op] -= fab_paths_row (run->packets.paths, run->path_of[op])->latency_ps;
}

static void
finish (Run *run, guint32 op, guint32 flow)
{
  FabResult *result = run->packets.result;

  result->finish_ps[op] = run->packets.clock.now_ps;
  if (run->ops[op].kind == FAB_OP_TRANSFER)
    end_transfer (run, op, flow);
  result->time_ps = MAX (result->time_ps, result->finish_ps[op]);
  run->n_done++;
  result->counters.events++;
  for (guint32 w = run->waiters.first[op]; w < run->waiters.first[op + 1]; w++)
    if (--run->waiters.n_waiting[run->waiters.waiters[w]] == 0)
      start (run, run->waiters.waiters[w]);
}

static void
run_event (Run *run, const FabPacketEvent *event)
{
  switch (event->kind)
    {
    case FAB_PACKET_BEGIN:
      begin (run, event->target, event->value);
      break;
    case FAB_PACKET_FINISH:
      finish (run, event->target, event->value);
      break;
    case FAB_PACKET_READY:
      fab__packet_flow_ready (&run->packets, event->target);
      break;
    case FAB_PACKET_POSTED:
      fab__packet_flow_posted (&run->packets, event->target);
      break;
    case FAB_PACKET_RELEASE:
      fab__packet_released (&run->packets, event->target, event->value);
      break;
    case FAB_PACKET_GRANT:
      fab__packet_granted (&run->packets, event->target, event->value);
      break;
    case FAB_PACKET_GRANT_DUE:
      fab__packet_grant_due (&run->packets, event->target, event->value != 0);
      break;
    case FAB_PACKET_GO_BACK:
      fab__packet_go_back (&run->packets, event->target);
      break;
    case FAB_PACKET_RETRY:
      fab__packet_retry (&run->packets, event->target, event->value);
      break;
    case FAB_PACKET_LIFE:
      fab__packet_life (&run->packets, event->target);
      break;
    case FAB_PACKET_LOAD:
      fab__packet_load_arrives (&run->packets, event->target);
      break;
    default:
      break;
    }
}

/* ---- the run ---- */

/* Bytes, in proportion of the hops made of those to come, would need all paths first: whole transfers and what crossed links so far
 * are near enough for a progress line. */
static gboolean
keeps_ticking (const Run *run)
{
  const FabTick *tick = &run->packets.input->tick;

  return tick->func == NULL || tick->func (run->packets.n_delivered_bytes, MAX (run->total_bytes, 1), tick->data);
}

static gboolean
run_init (Run *run, const FabEngineInput *input, const FabPacketOptions *options, GError **error)
{
  guint32 n_ops = fab_schedule_n_ops (input->schedule);

  *run = (Run) {
    .packets = {
      .input = input, .options = options, .free_packet = FAB_NONE, .free_probe = FAB_NONE, .free_flow = FAB_NONE, .free_charge = FAB_NONE,
      .result = fab__result_new ("packet", n_ops, fab_topology_n_links (input->topology)),
      .paths = fab_paths_new (input->topology, input->faults, input->routes, input->rules),
      .charges = g_array_new (FALSE, FALSE, sizeof (FabPacketCharge)),
    },
    .ops = fab_schedule_ops (input->schedule),
    .n_ops = n_ops,
    .path_of = g_new (guint32, MAX (n_ops, 1)),
    .segment_of = g_new (guint32, MAX (n_ops, 1)),
    .segments = g_array_new (FALSE, FALSE, sizeof (FabSegment)),
    .message_ps = g_new0 (gint64, fab_topology_n_devices (input->topology) + 1),
  };
  for (guint32 op = 0; op < n_ops; op++)
    {
      run->path_of[op] = run->segment_of[op] = FAB_NONE;
      run->total_bytes += run->ops[op].kind == FAB_OP_TRANSFER ? run->ops[op].bytes : 0;
    }
  fab__packet_clock_init (&run->packets.clock);
  fab__waiters_init (&run->waiters, input->schedule);
  return fab__packet_fabric_init (&run->packets, error) && fab__packet_loads_init (&run->packets, error);
}

static void
run_clear (Run *run)
{
  fab__packet_loads_clear (&run->packets);
  fab__packet_fabric_clear (&run->packets);
  fab__packet_clock_clear (&run->packets.clock);
  fab__waiters_clear (&run->waiters);
  fab_paths_free (run->packets.paths);
  g_array_unref (run->packets.charges);
  g_aligned_free (run->packets.packets);
  g_aligned_free (run->packets.probe_of);
  g_aligned_free (run->packets.flows);
  g_aligned_free (run->packets.probes);
  g_free (run->path_of);
  g_free (run->segment_of);
  g_array_unref (run->segments);
  g_free (run->message_ps);
}

static gboolean
is_timer (const FabPacketEvent *event)
{
  return event->kind == FAB_PACKET_LIFE || event->kind == FAB_PACKET_RETRY;
}

/* Nothing moves but clocks: lanes that wait for each other will do so for ever, whatever a timer then drops. */
static gboolean
is_deadlocked (Run *run, const FabPacketEvent *event)
{
  return is_timer (event) && run->packets.clock.n_pending + 1 == run->packets.n_timers && run->packets.n_in_flight > 0
         && fab__packet_find_deadlock (&run->packets);
}

static void
run_all (Run *run)
{
  gboolean goes_on = TRUE;
  guint64 next_tick = 0;

  for (guint32 op = 0; op < run->n_ops; op++)
    if (run->ops[op].n_needs == 0 && run->ops[op].n_flows == 0)
      start (run, op);
  while (goes_on && (run->n_done < run->n_ops || run->packets.n_loads_left > 0))
    {
      FabPacketEvent event;

      if (!fab__packet_run (&run->packets, TICK_EVERY, &event))
        {
          fab__packet_find_deadlock (&run->packets);
          break;
        }
      if (is_deadlocked (run, &event))
        break;
      run_event (run, &event);
      if (run->packets.clock.n_events < next_tick)
        continue;
      next_tick = run->packets.clock.n_events + TICK_EVERY;
      goes_on = keeps_ticking (run);
    }
}

static FabResult *
run (const FabEngineInput *input, GError **error)
{
  FabPacketOptions defaults;
  FabTrace trace;
  FabResult *result;
  Run state;

  fab_packet_options_init (&defaults);
  if (!run_init (&state, input, input->packet != NULL ? input->packet : &defaults, error))
    {
      fab_result_unref (state.packets.result);
      run_clear (&state);
      return NULL;
    }
  run_all (&state);
  result = state.packets.result;
  result->complete = state.n_done == state.n_ops;
  fab__packet_report (&state.packets);
  trace = trace_of (&state);
  fab__trace_attribute (&trace, result);
  run_clear (&state);
  return result;
}

const FabEngine fab__engine_packet = {
  .name = "packet",
  .summary = "packets, credits, virtual lanes, queues, as they are on the wire",
  .run = run,
};
