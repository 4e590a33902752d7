/* test-stream.c: the same numbers everywhere, and fair ones */
#include "fab-test.h"
#include "base/fab-stream-private.h"
#include <gsl/gsl_errno.h>

/* Reckoned outside the library: FNV-1a of the name, splitmix64's finaliser, MT19937 as its authors published it. */
static void
test_a_stream_draws_the_same_numbers_on_every_machine (void **state)
{
  static const struct { guint64 seed; const char *name; guint32 draws[3]; } rows[] = {
    { 1, "ecmp", { 539, 361, 411 } }, { 2, "ecmp", { 597, 865, 100 } }, { 1, "placement", { 487, 668, 645 } }, { 0, "", { 22, 214, 400 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabStream) stream = fab__stream_new (rows[i].seed, rows[i].name);

      for (guint d = 0; d < 3; d++)
        assert_int_equal (fab__stream_below (stream, 1000), rows[i].draws[d]);
    }
}

static void
test_a_stream_does_not_feel_what_others_draw (void **state)
{
  g_autoptr (FabStream) alone = fab__stream_new (7, "a");
  g_autoptr (FabStream) among = fab__stream_new (7, "a");
  g_autoptr (FabStream) other = fab__stream_new (7, "b");

  for (guint i = 0; i < 1000; i++)
    {
      fab__stream_uniform (other);
      assert_int_equal (fab__stream_below (alone, 1u << 31), fab__stream_below (among, 1u << 31));
    }
}

/* A plain remainder of 32 bits would put one half of the draws into the first third. */
static void
test_every_number_below_an_awkward_bound_is_as_likely (void **state)
{
  g_autoptr (FabStream) stream = fab__stream_new (1, "bias");
  guint n_first_third = 0;

  for (guint i = 0; i < 10000; i++)
    n_first_third += fab__stream_below (stream, 3u << 30) < (1u << 30) ? 1 : 0;
  assert_in_range (n_first_third, 3100, 3560);
}

static void
test_below_one_is_always_nought (void **state)
{
  g_autoptr (FabStream) stream = fab__stream_new (1, "one");

  for (guint i = 0; i < 100; i++)
    assert_int_equal (fab__stream_below (stream, 1), 0);
}

static void
test_uniform_numbers_fill_the_unit_interval_and_no_more (void **state)
{
  g_autoptr (FabStream) stream = fab__stream_new (1, "uniform");
  double least = 1, most = 0, sum = 0;

  for (guint i = 0; i < 10000; i++)
    {
      double draw = fab__stream_uniform (stream);

      least = MIN (least, draw);
      most = MAX (most, draw);
      sum += draw;
    }
  assert_true (least >= 0 && least < 0.001);
  assert_true (most < 1 && most > 0.999);
  fab_assert_close (sum / 10000, 0.5, 0.03);
}

/* 27,000 shuffles of three: 4,500 of each order. Swapping with any place would give 4,000 of some and 5,000 of others. */
static void
test_every_order_of_a_shuffle_is_as_likely (void **state)
{
  g_autoptr (FabStream) stream = fab__stream_new (1, "orders");
  guint seen[27] = { 0 };

  for (guint i = 0; i < 27000; i++)
    {
      guint32 items[] = { 0, 1, 2 };

      fab__stream_shuffle (stream, items, 3);
      seen[items[0] * 9 + items[1] * 3 + items[2]]++;
    }
  for (guint order = 0; order < 27; order++)
    if (seen[order] > 0)
      assert_in_range (seen[order], 4250, 4750);
}

static void
test_an_error_in_gsl_does_not_end_the_process (void **state)
{
  g_autoptr (FabStream) stream = fab__stream_new (1, "tame");

  GSL_ERROR_VOID ("tried", GSL_EINVAL);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_a_stream_draws_the_same_numbers_on_every_machine),
    cmocka_unit_test (test_a_stream_does_not_feel_what_others_draw),
    cmocka_unit_test (test_every_number_below_an_awkward_bound_is_as_likely),
    cmocka_unit_test (test_below_one_is_always_nought),
    cmocka_unit_test (test_uniform_numbers_fill_the_unit_interval_and_no_more),
    cmocka_unit_test (test_every_order_of_a_shuffle_is_as_likely),
    cmocka_unit_test (test_an_error_in_gsl_does_not_end_the_process),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
