/* fab-waiters.c: turns "needs" around; a phase also needs its edges */
#include "fab-waiters-private.h"

typedef void (*Each) (FabWaiters *waiters, guint32 need, guint32 op, guint32 *next);

static void
count (FabWaiters *waiters, guint32 need, guint32 op, guint32 *next)
{
  waiters->first[need + 1]++;
  waiters->n_waiting[op]++;
}

static void
put (FabWaiters *waiters, guint32 need, guint32 op, guint32 *next)
{
  waiters->waiters[next[need]++] = op;
}

static void
for_each_need (FabWaiters *waiters, const FabSchedule *schedule, Each each, guint32 *next)
{
  const FabOp *ops = fab_schedule_ops (schedule);
  const guint32 *needs = fab_schedule_needs (schedule);

  for (guint32 op = 0; op < fab_schedule_n_ops (schedule); op++)
    {
      for (guint32 i = 0; i < ops[op].n_needs; i++)
        each (waiters, needs[ops[op].first_need + i], op, next);
      for (guint32 i = 0; i < ops[op].n_flows; i++)
        each (waiters, ops[op].first_flow + i, op, next);
    }
}

void
fab__waiters_init (FabWaiters *waiters, const FabSchedule *schedule)
{
  guint32 n_ops = fab_schedule_n_ops (schedule);
  g_autofree guint32 *next = NULL;

  waiters->first = g_new0 (guint32, (gsize) n_ops + 1);
  waiters->n_waiting = g_new0 (guint32, MAX (n_ops, 1));
  for_each_need (waiters, schedule, count, NULL);
  for (guint32 op = 0; op < n_ops; op++)
    waiters->first[op + 1] += waiters->first[op];
  waiters->waiters = g_new (guint32, MAX (waiters->first[n_ops], 1));
  next = g_memdup2 (waiters->first, sizeof (guint32) * (n_ops + 1));
  for_each_need (waiters, schedule, put, next);
}

void
fab__waiters_clear (FabWaiters *waiters)
{
  g_free (waiters->first);
  g_free (waiters->waiters);
  g_free (waiters->n_waiting);
}
