/* fab-clock.c: a heap of moments, each a queue of events
 *
 * Symmetric traffic has millions of events and few moments: a hash finds the moment, a queue holds its events, and only moments
 * are sorted.
 */
#include "fab-clock-private.h"
#include "base/fab-memory-private.h"

#define NONE G_MAXUINT32
#define FIRST_BITS 6
#define MANY_EVENTS 500000   /* that none but patterns without order have pending */

typedef struct { FabEvent event; guint32 next; } Pending;

typedef struct
{
  gint64  time_ps;
  guint32 first, last;   /* rows of pending[] */
} Moment;

struct _FabClock
{
  gint64   now_ps;
  GArray  *pending;      /* Pending */
  GArray  *moments;      /* Moment */
  GArray  *heap;         /* rows of moments[] */
  guint32  free_pending, free_moment;
  guint32 *table;        /* open addressing: time → moment; NONE: empty */
  guint    bits;         /* of the table */
  guint32  current;      /* the moment that is run; NONE */
};

FabClock *
fab__clock_new (void)
{
  FabClock *clock = g_new0 (FabClock, 1);

  clock->pending = g_array_new (FALSE, FALSE, sizeof (Pending));
  clock->moments = g_array_new (FALSE, FALSE, sizeof (Moment));
  clock->heap = g_array_new (FALSE, FALSE, sizeof (guint32));
  clock->free_pending = clock->free_moment = clock->current = NONE;
  clock->bits = FIRST_BITS;
  clock->table = g_new (guint32, 1u << FIRST_BITS);
  memset (clock->table, 0xff, sizeof (guint32) << FIRST_BITS);
  return clock;
}

void
fab__clock_free (FabClock *clock)
{
  if (clock == NULL)
    return;
  g_array_unref (clock->pending);
  g_array_unref (clock->moments);
  g_array_unref (clock->heap);
  g_free (clock->table);
  g_free (clock);
}

void
fab__clock_expect (FabClock *clock, gsize n)
{
  fab__array_reserve (clock->pending, n, n > MANY_EVENTS);
}

gint64
fab__clock_now_ps (const FabClock *clock)
{
  return clock->now_ps;
}

static inline Moment *
moment_at (const FabClock *clock, guint32 row)
{
  return &g_array_index (clock->moments, Moment, row);
}

static inline Pending *
pending_at (const FabClock *clock, guint32 row)
{
  return &g_array_index (clock->pending, Pending, row);
}

/* ---- which moment has this time ---- */

static inline guint32
home_of (const FabClock *clock, gint64 time_ps)
{
  return (guint32) ((guint64) time_ps * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15) >> (64 - clock->bits));
}

static guint32
find_place (const FabClock *clock, gint64 time_ps)
{
  guint32 mask = (1u << clock->bits) - 1, place = home_of (clock, time_ps);

  while (clock->table[place] != NONE && moment_at (clock, clock->table[place])->time_ps != time_ps)
    place = (place + 1) & mask;
  return place;
}

static void
grow_table (FabClock *clock)
{
  clock->bits++;
  g_free (clock->table);
  clock->table = g_new (guint32, 1u << clock->bits);
  memset (clock->table, 0xff, sizeof (guint32) << clock->bits);
  for (guint i = 0; i < clock->heap->len; i++)
    {
      guint32 row = g_array_index (clock->heap, guint32, i);

      clock->table[find_place (clock, moment_at (clock, row)->time_ps)] = row;
    }
  if (clock->current != NONE)
    clock->table[find_place (clock, clock->now_ps)] = clock->current;
}

/* Closes the gap: what stands behind moves up where its home allows. */
static void
forget_time (FabClock *clock, gint64 time_ps)
{
  guint32 mask = (1u << clock->bits) - 1, gap = find_place (clock, time_ps);

  for (guint32 place = (gap + 1) & mask; clock->table[place] != NONE; place = (place + 1) & mask)
    {
      guint32 home = home_of (clock, moment_at (clock, clock->table[place])->time_ps);

      if (((place - home) & mask) < ((place - gap) & mask))
        continue;
      clock->table[gap] = clock->table[place];
      gap = place;
    }
  clock->table[gap] = NONE;
}

/* ---- the heap ---- */

static void
sift_up (FabClock *clock, guint i, guint32 row)
{
  gint64 time_ps = moment_at (clock, row)->time_ps;

  for (; i > 0 && time_ps < moment_at (clock, g_array_index (clock->heap, guint32, (i - 1) / 2))->time_ps; i = (i - 1) / 2)
    g_array_index (clock->heap, guint32, i) = g_array_index (clock->heap, guint32, (i - 1) / 2);
  g_array_index (clock->heap, guint32, i) = row;
}

static guint32
pop_moment (FabClock *clock)
{
  guint32 top = g_array_index (clock->heap, guint32, 0), last = g_array_index (clock->heap, guint32, clock->heap->len - 1);
  guint n = clock->heap->len - 1, i = 0, child;
  gint64 last_ps = moment_at (clock, last)->time_ps;

  g_array_set_size (clock->heap, n);
  for (; (child = 2 * i + 1) < n; i = child)
    {
      if (child + 1 < n && moment_at (clock, g_array_index (clock->heap, guint32, child + 1))->time_ps
                             < moment_at (clock, g_array_index (clock->heap, guint32, child))->time_ps)
        child++;
      if (moment_at (clock, g_array_index (clock->heap, guint32, child))->time_ps >= last_ps)
        break;
      g_array_index (clock->heap, guint32, i) = g_array_index (clock->heap, guint32, child);
    }
  if (n > 0)
    g_array_index (clock->heap, guint32, i) = last;
  return top;
}

static guint32
take_moment (FabClock *clock, gint64 time_ps)
{
  guint32 row = clock->free_moment;

  if (row != NONE)
    clock->free_moment = moment_at (clock, row)->first;
  else
    {
      row = clock->moments->len;
      g_array_set_size (clock->moments, row + 1);
    }
  *moment_at (clock, row) = (Moment) { .time_ps = time_ps, .first = NONE, .last = NONE };
  return row;
}

static guint32
find_moment (FabClock *clock, gint64 time_ps)
{
  guint32 place = find_place (clock, time_ps), row = clock->table[place];

  if (row != NONE)
    return row;
  row = take_moment (clock, time_ps);
  clock->table[place] = row;
  g_array_set_size (clock->heap, clock->heap->len + 1);
  sift_up (clock, clock->heap->len - 1, row);
  if (clock->heap->len + 1 > 1u << (clock->bits - 1))
    grow_table (clock);
  return row;
}

/* ---- events ---- */

static guint32
take_pending (FabClock *clock)
{
  guint32 row = clock->free_pending;

  if (row != NONE)
    clock->free_pending = pending_at (clock, row)->next;
  else
    {
      row = clock->pending->len;
      g_array_set_size (clock->pending, row + 1);
    }
  return row;
}

void
fab__clock_add (FabClock *clock, gint64 time_ps, FabEvent event)
{
  Moment *moment = moment_at (clock, find_moment (clock, MAX (time_ps, clock->now_ps)));
  guint32 row = take_pending (clock);

  *pending_at (clock, row) = (Pending) { .event = event, .next = NONE };
  if (moment->last == NONE)
    moment->first = row;
  else
    pending_at (clock, moment->last)->next = row;
  moment->last = row;
}

gboolean
fab__clock_take (FabClock *clock, FabEvent *event)
{
  Moment *moment = clock->current != NONE ? moment_at (clock, clock->current) : NULL;
  guint32 row = moment != NULL ? moment->first : NONE;

  if (row == NONE)
    return FALSE;
  *event = pending_at (clock, row)->event;
  moment->first = pending_at (clock, row)->next;
  if (moment->first == NONE)
    moment->last = NONE;
  pending_at (clock, row)->next = clock->free_pending;
  clock->free_pending = row;
  return TRUE;
}

gboolean
fab__clock_advance (FabClock *clock)
{
  if (clock->current != NONE && moment_at (clock, clock->current)->first != NONE)
    return TRUE;
  if (clock->current != NONE)
    {
      forget_time (clock, clock->now_ps);
      moment_at (clock, clock->current)->first = clock->free_moment;
      clock->free_moment = clock->current;
      clock->current = NONE;
    }
  if (clock->heap->len == 0)
    return FALSE;
  clock->current = pop_moment (clock);
  clock->now_ps = moment_at (clock, clock->current)->time_ps;
  return TRUE;
}
