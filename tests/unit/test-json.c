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
    cmocka_unit_test (test_a_stream_repeats_and_its_neighbours_differ),
    cmocka_unit_test (test_a_shuffle_keeps_every_item),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
