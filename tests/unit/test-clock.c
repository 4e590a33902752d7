/* test-clock.c: events by moment */
#include "fab-test.h"
#include "sim/fab-clock-private.h"

static void
test_events_run_in_time_order_and_ties_in_the_order_added (void **state)
{
  static const struct { gint64 time_ps; guint32 target; } rows[] = { { 20, 1 }, { 10, 2 }, { 20, 3 }, { 20, 4 }, { 10, 5 }, { 20, 6 } };
  g_autoptr (GString) trace = g_string_new (NULL);
  g_autoptr (FabClock) clock = fab__clock_new ();
  FabEvent event;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    fab__clock_add (clock, rows[i].time_ps, (FabEvent) { .target = rows[i].target });
  while (fab__clock_advance (clock))
    while (fab__clock_take (clock, &event))
      g_string_append_printf (trace, "%u@%" G_GINT64_FORMAT " ", event.target, fab__clock_now_ps (clock));
  assert_string_equal (trace->str, "2@10 5@10 1@20 3@20 4@20 6@20 ");
}

static void
test_an_event_added_for_now_runs_in_this_moment (void **state)
{
  g_autoptr (FabClock) clock = fab__clock_new ();
  FabEvent event;

  fab__clock_add (clock, 5, (FabEvent) { .target = 1 });
  fab__clock_add (clock, 6, (FabEvent) { .target = 2 });
  assert_true (fab__clock_advance (clock));
  assert_true (fab__clock_take (clock, &event));
  fab__clock_add (clock, 5, (FabEvent) { .target = 3 });
  assert_true (fab__clock_take (clock, &event));
  assert_int_equal (event.target, 3);
  assert_false (fab__clock_take (clock, &event));
  fab__clock_add (clock, 5, (FabEvent) { .target = 4 });   /* after the last was taken: the moment comes again */
  assert_true (fab__clock_advance (clock));
  assert_true (fab__clock_take (clock, &event));
  assert_int_equal (event.target, 4);
  assert_int_equal (fab__clock_now_ps (clock), 5);
  assert_true (fab__clock_advance (clock));
  assert_int_equal (fab__clock_now_ps (clock), 6);
}

/* Against sorting: times drawn so that many collide in the hash and many are equal, added while others run. */
static void
test_a_hundred_thousand_events_come_sorted (void **state)
{
  g_autoptr (FabClock) clock = fab__clock_new ();
  guint64 draw = 1, n_added = 0, n_taken = 0;
  gint64 last_ps = 0;
  FabEvent event;

  for (; n_added < 1000; n_added++)
    fab__clock_add (clock, (gint64) (n_added * 7919 % 501) * 64, (FabEvent) { .target = (guint32) n_added });
  while (fab__clock_advance (clock))
    while (fab__clock_take (clock, &event))
      {
        assert_true (fab__clock_now_ps (clock) >= last_ps);
        last_ps = fab__clock_now_ps (clock);
        n_taken++;
        draw = draw * G_GUINT64_CONSTANT (6364136223846793005) + 1442695040888963407;
        if (n_added < 100000)
          fab__clock_add (clock, last_ps + (gint64) (draw >> 58) * 64, (FabEvent) { .target = (guint32) n_added++ });
      }
  assert_int_equal (n_taken, 100000);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_events_run_in_time_order_and_ties_in_the_order_added),
    cmocka_unit_test (test_an_event_added_for_now_runs_in_this_moment),
    cmocka_unit_test (test_a_hundred_thousand_events_come_sorted),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
