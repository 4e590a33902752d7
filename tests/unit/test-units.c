/* test-units.c: quantities in and out, exactly */
#include "fab-test.h"
#include "fab-error.h"
#include "fab-units.h"

static void
test_quantities_parse_to_inside_units (void **state)
{
  static const struct { const char *text; FabUnit unit; guint64 value; } rows[] = {
    { "250ns", FAB_UNIT_TIME, 250000 },
    { "5.7us", FAB_UNIT_TIME, 5700000 },
    { "5.7µs", FAB_UNIT_TIME, 5700000 },
    { "10ms", FAB_UNIT_TIME, 10000000000 },
    { "0", FAB_UNIT_TIME, 0 },
    { "1 s", FAB_UNIT_TIME, 1000000000000 },
    { "1GiB", FAB_UNIT_SIZE, 1 << 30 },
    { "0.5GiB", FAB_UNIT_SIZE, 1 << 29 },
    { "48GB", FAB_UNIT_SIZE, 48000000000 },
    { "4096", FAB_UNIT_SIZE, 4096 },
    { "400G", FAB_UNIT_RATE, 400000000000 },
    { "26GB/s", FAB_UNIT_RATE, 208000000000 },
    { "26.4GB/s", FAB_UNIT_GOODPUT, 211200000000 },
    { "30m", FAB_UNIT_LENGTH, 30000 },
    { "0.5m", FAB_UNIT_LENGTH, 500 },
    { "134.4kW", FAB_UNIT_POWER, 134400000 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 value = 0;

      fab_units_parse (rows[i].text, rows[i].unit, &value, &error);
      fab_assert_no_error (error);
      assert_int_equal (value, rows[i].value);
    }
}

static void
test_bad_quantities_say_what_was_expected (void **state)
{
  static const struct { const char *text; FabUnit unit; const char *part; } rows[] = {
    { "", FAB_UNIT_TIME, "expected a time" },         { "250", FAB_UNIT_TIME, "expected a time" },
    { "-3ns", FAB_UNIT_TIME, "expected a time" },     { "3.ns", FAB_UNIT_TIME, "expected a time" },
    { "30s", FAB_UNIT_LENGTH, "expected a length" },  { "0.0001ps", FAB_UNIT_TIME, "expected no finer than one ps" },
    { "1e9", FAB_UNIT_SIZE, "expected a size" },      { "99999999999999999999", FAB_UNIT_SIZE, "expected a size" },
    { "9999999999TiB", FAB_UNIT_SIZE, "below 2^63" }, { "400Gbps", FAB_UNIT_RATE, "expected a rate" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 value = 7;

      assert_false (fab_units_parse (rows[i].text, rows[i].unit, &value, &error));
      fab_assert_contains (error->message, rows[i].part);
      assert_int_equal (value, 7);
    }
}

static void
test_what_prints_parses_back (void **state)
{
  static const guint64 values[] = { 0, 1, 999, 1000, 1024, 250000, 5700000, 1 << 30, 400000000000, 208000000000, 152000000000, 123456789123 };

  for (guint unit = FAB_UNIT_NONE; unit <= FAB_UNIT_GOODPUT; unit++)
    for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
      {
        g_autofree char *text = fab_units_format (values[i], (FabUnit) unit);
        guint64 value = 0;

        assert_true (fab_units_parse (text, (FabUnit) unit, &value, NULL));
        assert_int_equal (value, values[i]);
      }
}

static void
test_printing_prefers_the_units_people_use (void **state)
{
  static const struct { guint64 value; FabUnit unit; const char *text; } rows[] = {
    { 400000000000, FAB_UNIT_RATE, "400Gb/s" }, { 176000000000, FAB_UNIT_GOODPUT, "22GB/s" }, { 250000, FAB_UNIT_TIME, "250ns" },
    { 5700000, FAB_UNIT_TIME, "5.7us" },        { 1 << 30, FAB_UNIT_SIZE, "1GiB" },           { 30000, FAB_UNIT_LENGTH, "30m" },
    { 350000, FAB_UNIT_POWER, "350W" },         { 131072, FAB_UNIT_SIZE, "128KiB" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = fab_units_format (rows[i].value, rows[i].unit);

      assert_string_equal (text, rows[i].text);
    }
}

static void
test_screens_get_few_figures_and_a_fitting_unit (void **state)
{
  static const struct { gint64 time_ps; const char *text; } rows[] = {
    { 0, "0" }, { 81, "81.00 ps" }, { 14000000, "14.00 µs" }, { 108090000000, "108.1 ms" }, { 2500000000000, "2.500 s" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = fab_units_format_time (rows[i].time_ps);

      assert_string_equal (text, rows[i].text);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_quantities_parse_to_inside_units),       cmocka_unit_test (test_bad_quantities_say_what_was_expected),
    cmocka_unit_test (test_what_prints_parses_back),                cmocka_unit_test (test_printing_prefers_the_units_people_use),
    cmocka_unit_test (test_screens_get_few_figures_and_a_fitting_unit),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
