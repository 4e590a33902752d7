/* fab-waiters-private.h - who waits for an operation, and for how many each still waits
 */
#pragma once
#include "fab-schedule.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 *first;       /* one an operation and one more: its waiters are first[op] … first[op + 1] */
  guint32 *waiters;
  guint32 *n_waiting;   /* needs (and edges) of an operation that have not finished */
} FabWaiters;

void fab__waiters_init  (FabWaiters *waiters, const FabSchedule *schedule);
void fab__waiters_clear (FabWaiters *waiters);

G_END_DECLS
