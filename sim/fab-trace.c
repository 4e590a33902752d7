/* fab-trace.c: who waited for whom
 *
 * The critical path is walked back from the last finish: each operation started when the last of its needs finished, so the
 * operations' intervals tile the run. Inside a transfer: software first, then the bytes, charged to the link that set the rate,
 * then the latency of the last byte.
 */
#include "fab-trace-private.h"

static guint32
latest_need (const FabTrace *trace, const FabResult *result, guint32 op)
{
  const FabOp *row = fab_schedule_ops (trace->schedule) + op;
  const guint32 *needs = fab_schedule_needs (trace->schedule) + row->first_need;
  guint32 latest = FAB_NONE;

  for (guint32 i = 0; i < row->n_needs; i++)
    if (latest == FAB_NONE || result->finish_ps[needs[i]] > result->finish_ps[latest]
        || (result->finish_ps[needs[i]] == result->finish_ps[latest] && needs[i] < latest))
      latest = needs[i];
  return latest;
}

static gint64
divide_up (gint64 a, gint64 n)
{
  return (a + n - 1) / n;
}

void
fab__trace_phase_end (const FabTrace *trace, const FabResult *result, guint32 phase, FabPhaseEnd *end)
{
  const FabOp *row = fab_schedule_ops (trace->schedule) + phase;
  gint64 sum_ps = 0, software_ps = 0, latency_ps = 0, last_start_ps = -1, mean_end_ps;
  guint32 last = row->first_flow;

  *end = (FabPhaseEnd) { .end_ps = -1, .edge = row->first_flow };
  for (guint32 f = row->first_flow; f < row->first_flow + row->n_flows; f++)
    {
      const FabPath *path = fab_paths_row (trace->paths, trace->path_of[f]);
      gint64 edge_end_ps = result->finish_ps[f] + path->software_ps + path->latency_ps;

      sum_ps += result->finish_ps[f] - result->start_ps[f];
      software_ps += path->software_ps;
      latency_ps += path->latency_ps;
      if (edge_end_ps > end->end_ps)
        {
          end->end_ps = edge_end_ps;
          end->edge = f;
          end->software_ps = path->software_ps;
          end->latency_ps = path->latency_ps;
        }
      if (result->start_ps[f] > last_start_ps)
        {
          last_start_ps = result->start_ps[f];
          last = f;
        }
    }
  software_ps = divide_up (software_ps * row->n_steps, row->n_flows);
  latency_ps = divide_up (latency_ps * row->n_steps, row->n_flows);
  mean_end_ps = last_start_ps + divide_up (sum_ps, row->n_flows) + software_ps + latency_ps;
  if (mean_end_ps >= end->end_ps)
    *end = (FabPhaseEnd) {
      .end_ps = mean_end_ps, .mean_decides = TRUE, .edge = last, .software_ps = software_ps, .latency_ps = latency_ps,
    };
}

static void
charge_link (const FabTrace *trace, FabWaitSums *sums, guint32 segment, gint64 time_ps)
{
  const FabSegment *row = &trace->segments[segment];
  FabWaitKind kind = row->kind != 0 ? row->kind : fab_wait_kind_of_link (fab_topology_link (trace->topology, row->link)->kind);

  fab__wait_sums_add (sums, kind, row->link, time_ps);
}

/* The bytes' interval, which ends at @end_ps; returns when it began. */
static gint64
charge_segments (const FabTrace *trace, FabWaitSums *sums, guint32 op, gint64 end_ps)
{
  for (guint32 s = trace->segment_of[op]; s != FAB_NONE; s = trace->segments[s].previous)
    {
      charge_link (trace, sums, s, end_ps - trace->segments[s].start_ps);
      end_ps = trace->segments[s].start_ps;
    }
  return end_ps;
}

static void
charge_transfer (const FabTrace *trace, const FabResult *result, FabWaitSums *sums, guint32 op)
{
  const FabPath *path = fab_paths_row (trace->paths, trace->path_of[op]);
  gint64 bytes_start_ps = charge_segments (trace, sums, op, result->finish_ps[op] - path->latency_ps);

  fab__wait_sums_add (sums, FAB_WAIT_LATENCY, FAB_NONE, path->latency_ps);
  fab__wait_sums_add (sums, FAB_WAIT_SOFTWARE, FAB_NONE, bytes_start_ps - result->start_ps[op]);
}

/* @time_ps is charged to the links of edges @first … in proportion to their time, the parts adding up exactly. */
static void
charge_edges (const FabTrace *trace, const FabResult *result, FabWaitSums *sums, guint32 first, guint32 n, gint64 time_ps)
{
  double total_ps = 0, so_far_ps = 0;
  gint64 charged_ps = 0;

  for (guint32 f = first; f < first + n; f++)
    total_ps += (double) (result->finish_ps[f] - result->start_ps[f]);
  for (guint32 f = first; f < first + n && total_ps > 0; f++)
    {
      gint64 end_ps = result->finish_ps[f];

      for (guint32 s = trace->segment_of[f]; s != FAB_NONE; s = trace->segments[s].previous)
        {
          gint64 upto_ps;

          so_far_ps += (double) (end_ps - trace->segments[s].start_ps);
          end_ps = trace->segments[s].start_ps;
          upto_ps = (gint64) ((double) time_ps * (so_far_ps / total_ps));
          charge_link (trace, sums, s, upto_ps - charged_ps);
          charged_ps = upto_ps;
        }
    }
  fab__wait_sums_add (sums, FAB_WAIT_SOFTWARE, FAB_NONE, time_ps - charged_ps);   /* all edges empty: nothing but steps */
}

/* Edges that differ by less than this are alike: one of them stands for all. */
#define ALIKE 1.01

static gboolean
edges_are_alike (const FabResult *result, const FabOp *phase, guint32 *slowest)
{
  gint64 longest_ps = -1;
  double sum_ps = 0;

  *slowest = phase->first_flow;
  for (guint32 f = phase->first_flow; f < phase->first_flow + phase->n_flows; f++)
    {
      gint64 time_ps = result->finish_ps[f] - result->start_ps[f];

      sum_ps += (double) time_ps;
      if (time_ps <= longest_ps)
        continue;
      longest_ps = time_ps;
      *slowest = f;
    }
  return (double) longest_ps <= ALIKE * sum_ps / phase->n_flows;
}

/* Returns the edge from whose needs the walk goes on. */
static guint32
charge_phase (const FabTrace *trace, const FabResult *result, FabWaitSums *sums, guint32 op)
{
  const FabOp *row = fab_schedule_ops (trace->schedule) + op;
  FabPhaseEnd end;

  fab__trace_phase_end (trace, result, op, &end);
  fab__wait_sums_add (sums, FAB_WAIT_SOFTWARE, FAB_NONE, end.software_ps);
  fab__wait_sums_add (sums, FAB_WAIT_LATENCY, FAB_NONE, end.latency_ps);
  if (end.mean_decides)
    {
      gint64 time_ps = end.end_ps - end.software_ps - end.latency_ps - result->start_ps[end.edge];
      guint32 slowest;

      if (edges_are_alike (result, row, &slowest))
        charge_edges (trace, result, sums, slowest, 1, time_ps);
      else
        charge_edges (trace, result, sums, row->first_flow, row->n_flows, time_ps);
    }
  else
    charge_segments (trace, sums, end.edge, result->finish_ps[end.edge]);
  return end.edge;
}

static guint32
last_finished (const FabResult *result)
{
  guint32 last = FAB_NONE;

  for (guint32 op = 0; op < result->n_ops; op++)
    if (result->finish_ps[op] >= 0 && (last == FAB_NONE || result->finish_ps[op] > result->finish_ps[last]))
      last = op;
  return last;
}

void
fab__trace_attribute (const FabTrace *trace, FabResult *result)
{
  const FabOp *ops = fab_schedule_ops (trace->schedule);
  FabWaitSums *sums = fab__wait_sums_new ();

  for (guint32 op = last_finished (result); op != FAB_NONE;)
    {
      guint32 waited = op;

      switch (ops[op].kind)
        {
        case FAB_OP_TRANSFER:
          charge_transfer (trace, result, sums, op);
          break;
        case FAB_OP_PHASE:
          waited = charge_phase (trace, result, sums, op);
          break;
        case FAB_OP_REDUCE:
          fab__wait_sums_add (sums, FAB_WAIT_REDUCE, FAB_NONE, ops[op].work_ps);
          break;
        case FAB_OP_JOIN:   /* takes no time, but where it holds a part of a scenario back */
          fab__wait_sums_add (sums, FAB_WAIT_START, FAB_NONE, ops[op].work_ps);
          break;
        case FAB_OP_COMPUTE:
          fab__wait_sums_add (sums, FAB_WAIT_COMPUTE, FAB_NONE, ops[op].work_ps);
          break;
        }
      op = latest_need (trace, result, waited);
    }
  fab__wait_sums_into (sums, result);

#ifdef FAB_INVARIANTS
  gint64 sum_ps = 0;

  for (gsize i = 0; i < result->n_waits; i++)
    sum_ps += result->waits[i].time_ps;
  g_assert (sum_ps == result->time_ps);
#endif
}
