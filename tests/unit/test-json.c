/* test-json.c: numbers and nesting as JSON has them; streams that repeat */
#include "fab-test.h"
#include "base/fab-json-private.h"
#include "base/fab-stream-private.h"
#include <math.h>

static void
test_numbers_print_shortest (void **state)
{
  static const struct { double value; const char *text; } rows[] = {
    { 0.1, "0.1" },  { 1.5, "1.5" },   { 9600, "9600" }, { 1e22, "1e+22" }, { 1.0 / 3, "0.3333333333333333" }, { -0.0, "0" },
    { NAN, "null" }, { INFINITY, "null" }, { 1e-9, "1e-09" }, { 123456789012345, "123456789012345" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = fab__number_to_text (rows[i].value);

      assert_string_equal (text, rows[i].text);
    }
}

static void
test_objects_keep_their_order_and_children (void **state)
{
  g_autoptr (FabJson) root = fab__json_object ();
  FabJson *array = fab__json_array ();
  g_autofree char *text = NULL;

  fab__json_add_text (root, "z", "a/b");
  fab__json_add_number (fab__json_child (root, "deep"), "n", 0.1);
  fab__json_add_int (fab__json_child (root, "deep"), "i", 3);
  fab__json_add_null (array, NULL);
  fab__json_add_bool (array, NULL, TRUE);
  fab__json_add (root, "a", array);
  text = fab__json_print (root);
  assert_string_equal (text, "{\n  \"z\": \"a/b\",\n  \"deep\": {\n    \"n\": 0.1,\n    \"i\": 3\n  },\n  \"a\": [\n    null,\n    true\n  ]\n}\n");
}

/* Of any double the text reads back to it, and one digit less would not. */
static void
test_numbers_read_back_and_no_digit_is_spare (void **state)
{
  guint64 bits = 1;

  for (guint i = 0; i < 20000; i++)
    {
      g_autofree char *text = NULL;
      char shorter[G_ASCII_DTOSTR_BUF_SIZE];
      double value;
      int n_digits = 0;

      bits = bits * G_GUINT64_CONSTANT (6364136223846793005) + 1442695040888963407;
      memcpy (&value, &bits, sizeof value);
      if (!isfinite (value))
        continue;
      text = fab__number_to_text (value);
      assert_true (g_ascii_strtod (text, NULL) == value);
      for (const char *p = text; *p != '\0' && *p != 'e'; p++)
        n_digits += g_ascii_isdigit (*p) && (n_digits > 0 || *p != '0') ? 1 : 0;
      if (n_digits < 2 || n_digits > 17)
        continue;
      g_snprintf (shorter, sizeof shorter, "%.*e", n_digits - 2, value);
      assert_true (g_ascii_strtod (shorter, NULL) != value);
    }
}

static void
test_texts_are_escaped_and_always_utf8 (void **state)
{
  static const struct { const char *text, *printed; } rows[] = {
    { "a\"b\\c", "[\n  \"a\\\"b\\\\c\"\n]\n" }, { "\x01\n\t", "[\n  \"\\u0001\\n\\t\"\n]\n" }, { "µ/“”", "[\n  \"µ/“”\"\n]\n" },
    { "x\xffy", "[\n  \"x�y\"\n]\n" },         { NULL, "[\n  null\n]\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabJson) array = fab__json_array ();
      g_autofree char *printed = NULL;

      fab__json_add_text (array, NULL, rows[i].text);
      printed = fab__json_print (array);
      assert_string_equal (printed, rows[i].printed);
    }
}

static void
test_a_key_set_twice_keeps_its_place (void **state)
{
  g_autoptr (FabJson) root = fab__json_object ();
  g_autofree char *text = NULL;

  fab__json_add_int (root, "a", 1);
  fab__json_add_int (root, "b", G_MININT64);
  fab__json_add_number (root, "a", NAN);
  text = fab__json_print (root);
  assert_string_equal (text, "{\n  \"a\": null,\n  \"b\": -9223372036854775808\n}\n");
}

static void
test_a_stream_repeats_and_its_neighbours_differ (void **state)
{
  g_autoptr (FabStream) a = fab__stream_new (1, "x");
  g_autoptr (FabStream) b = fab__stream_new (1, "x");
  g_autoptr (FabStream) c = fab__stream_new (1, "y");
  g_autoptr (FabStream) d = fab__stream_new (2, "x");
  guint differ_c = 0, differ_d = 0;

  for (guint i = 0; i < 100; i++)
    {
      guint32 draw = fab__stream_below (a, 1000);

      assert_true (draw < 1000);
      assert_int_equal (draw, fab__stream_below (b, 1000));
      differ_c += draw != fab__stream_below (c, 1000) ? 1 : 0;
      differ_d += draw != fab__stream_below (d, 1000) ? 1 : 0;
    }
  assert_true (differ_c > 90 && differ_d > 90);
}

static void
test_a_shuffle_keeps_every_item (void **state)
{
  g_autoptr (FabStream) stream = fab__stream_new (3, "shuffle");
  guint32 items[64], seen = 0;
  guint64 set = 0;

  for (guint32 i = 0; i < 64; i++)
    items[i] = i;
  fab__stream_shuffle (stream, items, 64);
  for (guint32 i = 0; i < 64; i++)
    {
      set |= G_GUINT64_CONSTANT (1) << items[i];
      seen += items[i] == i ? 1 : 0;
    }
  assert_true (set == G_MAXUINT64 && seen < 10);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_numbers_print_shortest),
    cmocka_unit_test (test_objects_keep_their_order_and_children),
    cmocka_unit_test (test_numbers_read_back_and_no_digit_is_spare),
    cmocka_unit_test (test_texts_are_escaped_and_always_utf8),
    cmocka_unit_test (test_a_key_set_twice_keeps_its_place),
    cmocka_unit_test (test_a_stream_repeats_and_its_neighbours_differ),
    cmocka_unit_test (test_a_shuffle_keeps_every_item),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
