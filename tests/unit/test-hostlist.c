/* test-hostlist.c: lists of names at their edges; test-address.c has the plain cases */
#include "fab-test.h"
#include "base/fab-stream-private.h"
#include "fab-address.h"
#include "fab-error.h"

static void
test_numbers_keep_the_width_they_were_written_with (void **state)
{
  static const struct { const char *list, *names; } rows[] = {
    { "n[0-2]", "n0 n1 n2" },           { "n[00-02]", "n00 n01 n02" },         { "n[099-101]", "n099 n100 n101" },
    { "n[99-101]", "n99 n100 n101" },   { "n[7,007]", "n7 n007" },             { "n[1,1]", "n1 n1" },
    { "n[5-5]x", "n5x" },               { "[1-2]", "1 2" },                    { "n[1-2],m,n[3]", "n1 n2 m n3" },
    { "n[999999999999999999]", "n999999999999999999" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) names = fab_hostlist_expand (rows[i].list, 10, NULL);
      g_autofree char *joined = NULL;

      assert_non_null (names);
      joined = g_strjoinv (" ", names);
      assert_string_equal (joined, rows[i].names);
    }
}

static void
test_what_is_no_list_is_refused (void **state)
{
  static const char *const rows[] = {
    ",", "a,", ",a", "a,,b", "a[1", "a[1-]", "a[-]", "a[1--2]", "a[1,]", "a[,1]", "a[1]]", "a[[1]]", "a[1][", "a[0x1]", "a[+1]", "a[ 1]",
    "a[1-2-3]", "a[2-1]", "a[9999999999999999999]", "a[1][1][1][1][1][1][1][1][1]",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      assert_null (fab_hostlist_expand (rows[i], 100, &error));
      assert_int_equal (error->code, FAB_ERROR_SYNTAX);
      fab_assert_contains (error->message, rows[i]);
    }
}

static void
test_the_limit_is_the_last_count_that_passes (void **state)
{
  static const struct { const char *list; guint max_names; gboolean passes; } rows[] = {
    { "a[1-10]", 10, TRUE },        { "a[1-10]", 9, FALSE },       { "a[1-6],b[1-4]", 10, TRUE }, { "a[1-6],b[1-5]", 10, FALSE },
    { "a[1-2][1-5]", 10, TRUE },    { "a[1-2][1-5]", 9, FALSE },   { "a", 0, FALSE },             { "a[1-999999999999999999]", G_MAXUINT, FALSE },
    { "a[1-65536][1-65536][1-65536][1-65536]", 65536, FALSE },   /* 2^64 in all */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) names = fab_hostlist_expand (rows[i].list, rows[i].max_names, &error);

      assert_int_equal (names != NULL, rows[i].passes);
      assert_true (rows[i].passes || error->code == FAB_ERROR_LIMIT);
    }
}

/* Names times their length is what memory pays for. */
static void
test_long_names_are_refused (void **state)
{
  g_autofree char *prefix = g_strnfill (300, 'a');
  g_autofree char *list = g_strconcat (prefix, "[1-2]", NULL);
  g_autoptr (GError) error = NULL;

  assert_null (fab_hostlist_expand (list, 1000, &error));
  assert_int_equal (error->code, FAB_ERROR_LIMIT);
  fab_assert_contains (error->message, "expected names of at most 256 characters");
}

/* Up to 40 names that like to follow one another, of few frames and widths. */
static GPtrArray *
draw_names (FabStream *stream)
{
  static const char *const frames[] = { "n", "gpu", "rack1-n", "" };
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  guint n_names = 1 + fab__stream_below (stream, 40);
  guint32 number = 0;

  for (guint i = 0; i < n_names; i++)
    {
      number = fab__stream_below (stream, 4) > 0 ? number + 1 : fab__stream_below (stream, 120);
      g_ptr_array_add (names, g_strdup_printf ("%s%0*u%s", frames[fab__stream_below (stream, 8) > 0 ? 0 : fab__stream_below (stream, 4)],
                                               fab__stream_below (stream, 8) > 0 ? 3 : (int) fab__stream_below (stream, 4), number,
                                               fab__stream_below (stream, 16) > 0 ? "" : "x"));
    }
  return names;
}

static void
test_any_names_come_back_from_their_shortest_list (void **state)
{
  g_autoptr (FabStream) stream = fab__stream_new (1, "hostlists");

  for (guint round = 0; round < 2000; round++)
    {
      g_autoptr (GPtrArray) names = draw_names (stream);
      g_autofree char *list = fab_hostlist_compress ((const char *const *) names->pdata, names->len);
      g_auto (GStrv) again = fab_hostlist_expand (list, names->len, NULL);

      assert_non_null (again);
      assert_int_equal (g_strv_length (again), names->len);
      for (guint i = 0; i < names->len; i++)
        assert_string_equal (again[i], g_ptr_array_index (names, i));
    }
}

static void
test_a_list_of_many_gaps_comes_back_whole (void **state)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *list = NULL;
  g_auto (GStrv) again = NULL;

  for (guint i = 0; i < 10000; i++)
    g_ptr_array_add (names, g_strdup_printf ("gpu%u", 2 * i));
  list = fab_hostlist_compress ((const char *const *) names->pdata, names->len);
  again = fab_hostlist_expand (list, names->len, NULL);
  assert_non_null (again);
  assert_int_equal (g_strv_length (again), names->len);
  assert_string_equal (again[9999], "gpu19998");
}

static void
test_stars_and_brackets_match_in_any_order (void **state)
{
  static const struct { const char *pattern, *name; gboolean matches; } rows[] = {
    { "*leaf[1-2]", "rail0-leaf2", TRUE },  { "*leaf[1-2]", "leaf1", TRUE },       { "*leaf[1-2]", "leaf3", FALSE },
    { "*leaf[1-2]", "leaf1x", FALSE },      { "leaf*[1-2]", "leaf-a1", TRUE },     { "leaf[1-2]*p[3]", "leaf1-xp3", TRUE },
    { "leaf[1-2]*p[3]", "leaf1-xp4", FALSE }, { "[1-9]*[1-9]", "1x2", TRUE },      { "[1-9]*[1-9]", "1", FALSE },
    { "[1-9]*[1-9]", "12", TRUE },          { "*a*b*", "xaybz", TRUE },            { "*a*b*", "xbya", FALSE },
    { "**", "", TRUE },                     { "a[1-20][0-9]", "a110", TRUE },      { "a[001-100]", "a7", FALSE },
    { "a[1-100]", "a007", FALSE },          { "a[1", "a1", FALSE },                { "", "", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (fab_hostlist_match (rows[i].pattern, rows[i].name) != rows[i].matches)
      fail_msg ("“%s” and “%s”: expected %s", rows[i].pattern, rows[i].name, rows[i].matches ? "a match" : "none");
}

/* Trying every way to cut the digits among eight brackets would take hours; the test's time limit is the judge. */
static void
test_a_match_does_not_try_every_way_to_cut_a_number (void **state)
{
  g_autofree char *digits = g_strnfill (144, '1');
  g_autofree char *stars = g_strnfill (64, '*');

  assert_false (fab_hostlist_match ("[0-99999999999999999][0-99999999999999999][0-99999999999999999][0-99999999999999999]"
                                    "[0-99999999999999999][0-99999999999999999][0-99999999999999999][0-99999999999999999]x", digits));
  assert_true (fab_hostlist_match (stars, digits));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_numbers_keep_the_width_they_were_written_with),
    cmocka_unit_test (test_what_is_no_list_is_refused),
    cmocka_unit_test (test_the_limit_is_the_last_count_that_passes),
    cmocka_unit_test (test_long_names_are_refused),
    cmocka_unit_test (test_any_names_come_back_from_their_shortest_list),
    cmocka_unit_test (test_a_list_of_many_gaps_comes_back_whole),
    cmocka_unit_test (test_stars_and_brackets_match_in_any_order),
    cmocka_unit_test (test_a_match_does_not_try_every_way_to_cut_a_number),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
