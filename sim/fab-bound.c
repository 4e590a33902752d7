/* fab-bound.c: never slower than reality: every operation alone on the fabric, and no link faster than its volume
 *
 * The time is the largest of three lower bounds: the longest chain of operations, each as if it were alone; the longest time any one
 * link of a host needs for all the bytes that cross it; and the longest time a switch's links to other switches need, all together, for
 * what its hosts send to or get from those of others. None of them hangs on which way is chosen between switches.
 */
#include "fab-trace-private.h"
#include <string.h>

typedef struct
{
  const FabEngineInput *input;
  FabResult *result;
  FabPaths  *paths;
  guint32   *path_of;
  guint32   *segment_of;
  GArray    *segments;    /* FabSegment, one a transfer */
  double    *sent_bytes;  /* per switch (device): by its hosts to hosts of other switches */
  double    *got_bytes;   /* per switch: by its hosts from hosts of other switches */
} Bound;

static FabTrace
trace_of (const Bound *bound)
{
  return (FabTrace) {
    .schedule = bound->input->schedule, .topology = bound->input->topology, .paths = bound->paths, .path_of = bound->path_of,
    .segment_of = bound->segment_of, .segments = (const FabSegment *) (const void *) bound->segments->data,
  };
}

static double
part_of (const Bound *bound, guint32 path, guint32 i)
{
  const double *parts = fab_paths_parts (bound->paths, path);

  return parts != NULL ? parts[i] : 1;
}

/* Alone, a transfer runs at its narrowest link, or its own cap. Links that carry only a part do not bound it: packets may be dealt out
 * better than evenly. */
static guint64
rate_alone_bps (const Bound *bound, guint32 row, guint32 *limit)
{
  const FabPath *path = fab_paths_row (bound->paths, row);
  const guint32 *links = fab_paths_links (bound->paths, row);
  guint64 least_bps = path->flow_bps > 0 ? path->flow_bps : G_MAXUINT64;

  *limit = path->flow_link;
  for (guint32 i = 0; i < path->n_links; i++)
    {
      guint64 goodput_bps = fab_faults_goodput_bps (bound->input->faults, bound->input->topology, links[i]);

      if (goodput_bps >= least_bps || part_of (bound, row, i) < 1)
        continue;
      least_bps = goodput_bps;
      *limit = links[i];
    }
  return least_bps;
}

static gboolean
needs_are_done (const Bound *bound, const FabOp *op, gint64 *start_ps)
{
  const guint32 *needs = fab_schedule_needs (bound->input->schedule) + op->first_need;

  *start_ps = 0;
  for (guint32 i = 0; i < op->n_needs; i++)
    {
      if (bound->result->finish_ps[needs[i]] < 0)
        return FALSE;
      *start_ps = MAX (*start_ps, bound->result->finish_ps[needs[i]]);
    }
  for (guint32 f = op->first_flow; f < op->first_flow + op->n_flows; f++)
    if (bound->result->finish_ps[f] < 0)
      return FALSE;
  return TRUE;
}

static gint64
transfer (Bound *bound, guint32 op, const FabOp *row, gint64 start_ps)
{
  FabSegment segment = { .previous = FAB_NONE };
  const FabPath *path;
  const guint32 *links;
  guint32 first = FAB_NONE, last = FAB_NONE;   /* switches on the way */
  gint64 bytes_ps = 0;

  bound->path_of[op] = fab_paths_find (bound->paths, row->src, row->dst, row->plane);
  if (bound->path_of[op] == FAB_NONE)
    {
      bound->result->n_unreachable++;
      return -1;
    }
  path = fab_paths_row (bound->paths, bound->path_of[op]);
  links = fab_paths_links (bound->paths, bound->path_of[op]);
  segment.start_ps = start_ps + (row->in_phase ? 0 : path->software_ps);
  if (row->bytes > 0 && path->n_links > 0)
    {
      guint64 rate_bps = rate_alone_bps (bound, bound->path_of[op], &segment.link);

      bytes_ps = (gint64) ((double) row->bytes * 8e12 / (double) rate_bps);
      bound->segment_of[op] = bound->segments->len;
      g_array_append_val (bound->segments, segment);
      bound->result->counters.flows++;
    }
  for (guint32 i = 0; i < path->n_links; i++)
    {
      const FabLink *link = fab_topology_link (bound->input->topology, links[i]);

      bound->result->link_bytes[links[i]] += (double) row->bytes * part_of (bound, bound->path_of[op], i);
      first = first == FAB_NONE && link->plane != FAB_NONE ? link->to_device : first;
      last = link->plane != FAB_NONE ? link->from_device : last;
    }
  if (first != last)
    {
      bound->sent_bytes[first] += (double) row->bytes;
      bound->got_bytes[last] += (double) row->bytes;
    }
  return segment.start_ps + bytes_ps + (row->in_phase ? 0 : path->latency_ps);
}

static void
run_op (Bound *bound, guint32 op)
{
  const FabOp *row = fab_schedule_ops (bound->input->schedule) + op;
  gint64 start_ps, finish_ps = -1;

  if (!needs_are_done (bound, row, &start_ps))
    return;
  bound->result->start_ps[op] = start_ps;
  switch (row->kind)
    {
    case FAB_OP_TRANSFER:
      finish_ps = transfer (bound, op, row, start_ps);
      break;
    case FAB_OP_REDUCE:
    case FAB_OP_COMPUTE:
    case FAB_OP_JOIN:
      finish_ps = start_ps + row->work_ps;
      break;
    case FAB_OP_PHASE:
      {
        FabTrace trace = trace_of (bound);
        FabPhaseEnd end;

        fab__trace_phase_end (&trace, bound->result, op, &end);
        finish_ps = end.end_ps;
        break;
      }
    }
  bound->result->finish_ps[op] = finish_ps;
  bound->result->time_ps = MAX (bound->result->time_ps, finish_ps);
}

/* ---- volumes ---- */

static gboolean
is_between_switches (const FabTopology *topology, guint32 link)
{
  const FabLink *row = fab_topology_link (topology, link);

  return fab_topology_device (topology, row->from_device)->kind == FAB_DEVICE_SWITCH
         && fab_topology_device (topology, row->to_device)->kind == FAB_DEVICE_SWITCH;
}

static gint64
time_for (double bytes, double goodput_bps)
{
  return goodput_bps > 0 ? (gint64) (bytes * 8e12 / goodput_bps) : 0;
}

static void
keep_longest (guint32 link, gint64 time_ps, guint32 *busiest, gint64 *busy_ps)
{
  if (time_ps <= *busy_ps)
    return;
  *busy_ps = time_ps;
  *busiest = link;
}

/* All links of switch @device to other switches, in one direction, carry @bytes together; the first of them stands for all. */
static void
weigh_switch (const Bound *bound, guint32 device, gboolean out, double bytes, guint32 *busiest, gint64 *busy_ps)
{
  const FabTopology *topology = bound->input->topology;
  const FabDevice *row = fab_topology_device (topology, device);
  guint32 first = FAB_NONE;
  double goodput_bps = 0;

  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    {
      guint32 link = fab_topology_port (topology, p)->link;

      if (link == FAB_NONE || !is_between_switches (topology, link))
        continue;
      goodput_bps += (double) fab_faults_goodput_bps (bound->input->faults, topology, out ? link : link ^ 1);
      first = MIN (first, out ? link : link ^ 1);
    }
  keep_longest (first, time_for (bytes, goodput_bps), busiest, busy_ps);
}

/* The link that its volume keeps busy longest, and how long. */
static guint32
busiest_link (const Bound *bound, gint64 *busy_ps)
{
  const FabTopology *topology = bound->input->topology;
  guint32 busiest = FAB_NONE;

  *busy_ps = 0;
  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    if (bound->result->link_bytes[l] > 0 && !is_between_switches (topology, l))
      keep_longest (l, time_for (bound->result->link_bytes[l], (double) fab_faults_goodput_bps (bound->input->faults, topology, l)), &busiest, busy_ps);
  for (guint32 d = 0; d < fab_topology_n_devices (topology); d++)
    {
      if (bound->sent_bytes[d] > 0)
        weigh_switch (bound, d, TRUE, bound->sent_bytes[d], &busiest, busy_ps);
      if (bound->got_bytes[d] > 0)
        weigh_switch (bound, d, FALSE, bound->got_bytes[d], &busiest, busy_ps);
    }
  return busiest;
}

static void
attribute (Bound *bound)
{
  gint64 busy_ps;
  guint32 link = busiest_link (bound, &busy_ps);
  FabTrace trace = trace_of (bound);
  FabWaitSums *sums;

  if (busy_ps <= bound->result->time_ps)
    {
      fab__trace_attribute (&trace, bound->result);
      return;
    }
  sums = fab__wait_sums_new ();
  bound->result->time_ps = busy_ps;
  fab__wait_sums_add (sums, fab_wait_kind_of_link (fab_topology_link (bound->input->topology, link)->kind), link, busy_ps);
  fab__wait_sums_into (sums, bound->result);
}

static gboolean
all_finished (const FabResult *result)
{
  for (guint32 op = 0; op < result->n_ops; op++)
    if (result->finish_ps[op] < 0)
      return FALSE;
  return TRUE;
}

static FabResult *
run (const FabEngineInput *input, GError **error)
{
  guint32 n_ops = fab_schedule_n_ops (input->schedule);
  g_autofree guint32 *rows = g_new (guint32, 2 * (gsize) MAX (n_ops, 1));
  g_autofree double *bytes = g_new0 (double, 2 * (gsize) MAX (fab_topology_n_devices (input->topology), 1));
  Bound bound = {
    .input = input, .result = fab__result_new ("bound", n_ops, fab_topology_n_links (input->topology)),
    .paths = fab_paths_new (input->topology, input->faults, input->routes, input->rules), .path_of = rows, .segment_of = rows + n_ops,
    .segments = g_array_new (FALSE, FALSE, sizeof (FabSegment)), .sent_bytes = bytes, .got_bytes = bytes + fab_topology_n_devices (input->topology),
  };

  memset (rows, 0xff, sizeof (guint32) * 2 * MAX (n_ops, 1));
  for (guint32 op = 0; op < n_ops; op++)   /* needs come before what needs them */
    run_op (&bound, op);
  bound.result->complete = all_finished (bound.result);
  attribute (&bound);
  fab_paths_free (bound.paths);
  g_array_unref (bound.segments);
  return bound.result;
}

const FabEngine fab__engine_bound = {
  .name = "bound",
  .summary = "closed forms without contention: never slower than reality",
  .run = run,
};
