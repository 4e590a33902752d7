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
    { "0.000000000001s", FAB_UNIT_TIME, 1 },
    { "9223372036854775807", FAB_UNIT_SIZE, G_MAXINT64 },
    { "8388607.5TiB", FAB_UNIT_SIZE, G_GUINT64_CONSTANT (9223371487098961920) },
    { "0.125GB/s", FAB_UNIT_RATE, 1000000000 },
    { "1.50000GiB", FAB_UNIT_SIZE, 1610612736 },
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
    { "30s", FAB_UNIT_LENGTH, "expected a length" },  { "0.0001ps", FAB_UNIT_TIME, "no finer than one ps" },
    { "1e9", FAB_UNIT_SIZE, "expected a size" },      { "99999999999999999999", FAB_UNIT_SIZE, "expected a size" },
    { "9999999999TiB", FAB_UNIT_SIZE, "below 2^63" }, { "400Gbps", FAB_UNIT_RATE, "expected a rate" },
    { "20000000.5TiB", FAB_UNIT_SIZE, "below 2^63" }, { "9223372036854775808", FAB_UNIT_SIZE, "below 2^63" },
    { "1844674407370955160.5TiB", FAB_UNIT_SIZE, "below 2^63" }, { "8388608TiB", FAB_UNIT_SIZE, "below 2^63" },
    { "0.3B", FAB_UNIT_SIZE, "no finer than one byte" }, { "0.1GiB", FAB_UNIT_SIZE, "no finer than one byte" },
    { "0.5mm", FAB_UNIT_LENGTH, "no finer than one mm" }, { "0.0001W", FAB_UNIT_POWER, "no finer than one mW" },
    { "0.25b/s", FAB_UNIT_RATE, "no finer than one b/s" }, { "1.5", FAB_UNIT_NONE, "expected a whole number" },
    { "1,5m", FAB_UNIT_LENGTH, "expected a length" }, { "1.2.3m", FAB_UNIT_LENGTH, "expected a length" },
    { "m", FAB_UNIT_LENGTH, "expected a length" }, { ".", FAB_UNIT_LENGTH, "expected a length" }, { "3m ", FAB_UNIT_LENGTH, "expected a length" },
    { " 3m", FAB_UNIT_LENGTH, "expected a length" }, { "+3m", FAB_UNIT_LENGTH, "expected a length" }, { "0x3m", FAB_UNIT_LENGTH, "expected a length" },
    { "nan", FAB_UNIT_TIME, "expected a time" }, { "3 MS", FAB_UNIT_TIME, "expected a time" }, { "1GIB", FAB_UNIT_SIZE, "expected a size" },
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
assert_parses_back (guint64 value, FabUnit unit)
{
  g_autofree char *text = fab_units_format (value, unit);
  g_autoptr (GError) error = NULL;
  guint64 again = 0;

  fab_units_parse (text, unit, &again, &error);
  fab_assert_no_error (error);
  assert_int_equal (again, value);
}

static void
test_what_prints_parses_back (void **state)
{
  static const guint64 values[] = { 0, 1, 999, 1000, 1024, 250000, 5700000, 1 << 30, 400000000000, 208000000000, 152000000000, 123456789123, G_MAXINT64 };
  guint64 any = 1;

  for (guint unit = FAB_UNIT_NONE; unit <= FAB_UNIT_GOODPUT; unit++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
        assert_parses_back (values[i], (FabUnit) unit);
      for (guint i = 0; i < 2000; i++)   /* of all lengths: a plain congruential sequence, shifted */
        {
          any = any * G_GUINT64_CONSTANT (6364136223846793005) + 1442695040888963407;
          assert_parses_back (any >> (1 + i % 63), (FabUnit) unit);
        }
    }
}

static void
test_printing_prefers_the_units_people_use (void **state)
{
  static const struct { guint64 value; FabUnit unit; const char *text; } rows[] = {
    { 400000000000, FAB_UNIT_RATE, "400Gb/s" }, { 176000000000, FAB_UNIT_GOODPUT, "22GB/s" }, { 250000, FAB_UNIT_TIME, "250ns" },
    { 5700000, FAB_UNIT_TIME, "5.7us" },        { 1 << 30, FAB_UNIT_SIZE, "1GiB" },           { 30000, FAB_UNIT_LENGTH, "30m" },
    { 350000, FAB_UNIT_POWER, "350W" },         { 131072, FAB_UNIT_SIZE, "128KiB" },          { 0, FAB_UNIT_SIZE, "0" },
    { 0, FAB_UNIT_TIME, "0" },                  { 1500, FAB_UNIT_TIME, "1.5ns" },             { 700, FAB_UNIT_LENGTH, "70cm" },
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
    { 999999999, "1.000 ms" }, { 999900000, "999.9 µs" }, { 9999900, "10.00 µs" }, { 99999000, "100.0 µs" }, { 4000000000000000, "4000 s" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = fab_units_format_time (rows[i].time_ps);

      assert_string_equal (text, rows[i].text);
    }
}

static void
test_screen_sizes_are_powers_of_1024 (void **state)
{
  static const struct { guint64 size_bytes; const char *text; } rows[] = {
    { 0, "0 B" }, { 512, "512 B" }, { 1 << 30, "1 GiB" }, { 102810755072, "95.75 GiB" }, { 1536, "1.5 KiB" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = fab_units_format_size (rows[i].size_bytes);

      assert_string_equal (text, rows[i].text);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_quantities_parse_to_inside_units),       cmocka_unit_test (test_bad_quantities_say_what_was_expected),
    cmocka_unit_test (test_what_prints_parses_back),                cmocka_unit_test (test_printing_prefers_the_units_people_use),
    cmocka_unit_test (test_screens_get_few_figures_and_a_fitting_unit), cmocka_unit_test (test_screen_sizes_are_powers_of_1024),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
