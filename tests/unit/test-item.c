/* test-item.c: asking an item for what it should be: every getter at its bounds, and what it says */
#include "fab-test.h"
#include "base/fab-document-private.h"

static FabDocument *
read_value (const char *value)
{
  g_autofree char *text = g_strdup_printf ("v: %s\n", value);
  g_autoptr (GError) error = NULL;
  FabDocument *document = fab__document_read (text, strlen (text), "t.yaml", &error);

  fab_assert_no_error (error);
  return document;
}

static const FabItem *
value_of (const FabDocument *document)
{
  return fab__item_lookup (fab__document_root (document), "v");
}

/* NULL @part: it passes, with @number. */
static void
test_whole_numbers_are_read_exactly_or_refused (void **state)
{
  static const struct { const char *value; guint64 min, max, number; const char *part; } rows[] = {
    { "1", 1, 5, 1, NULL },
    { "5", 1, 5, 5, NULL },
    { "0x8100", 0, 0xffff, 0x8100, NULL },
    { "18446744073709551615", 0, G_MAXUINT64, G_MAXUINT64, NULL },
    { "007", 0, 9, 7, NULL },   /* no octal, as YAML 1.1 has it */
    { "0", 1, 5, 0, "from 1 to 5, got “0”" },
    { "6", 1, 5, 0, "from 1 to 5, got “6”" },
    { "-1", 0, 5, 0, "from 0 to 5, got “-1”" },
    { "1000000000000", 1, 1048576, 0, "from 1 to 1048576, got “1000000000000”" },
    { "18446744073709551616", 0, G_MAXUINT64, 0, "expected a whole number" },
    { "+5", 0, 9, 0, "expected a whole number" },
    { "1e3", 0, 9999, 0, "expected a whole number" },
    { "1.0", 0, 9, 0, "expected a whole number" },
    { "1_000", 0, 9999, 0, "expected a whole number" },
    { "0x", 0, 9, 0, "expected a whole number" },
    { "0x0x1", 0, 9, 0, "expected a whole number" },
    { "\" 5\"", 0, 9, 0, "expected a whole number" },
    { "\"\"", 0, 9, 0, "expected a whole number" },
    { "five", 0, 9, 0, "got “five”" },
    { "[1]", 0, 9, 0, "got a list" },
    { "{a: 1}", 0, 9, 0, "got a map" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabDocument) document = read_value (rows[i].value);
      g_autoptr (GError) error = NULL;
      guint64 number = 99;

      assert_int_equal (fab__item_get_uint (value_of (document), rows[i].min, rows[i].max, &number, &error), rows[i].part == NULL);
      assert_true (number == (rows[i].part == NULL ? rows[i].number : 99));
      if (rows[i].part != NULL)
        fab_assert_contains (error->message, rows[i].part);
    }
}

static void
test_numbers_are_finite_and_within_bounds (void **state)
{
  static const struct { const char *value; double number; gboolean passes; } rows[] = {
    { "0.5", 0.5, TRUE }, { "1e-3", 0.001, TRUE }, { "1", 1, TRUE },    { "1.0001", 0, FALSE }, { "-0.1", 0, FALSE }, { ".nan", 0, FALSE },
    { "nan", 0, FALSE },  { "inf", 0, FALSE },     { "1e999", 0, FALSE }, { "0.5x", 0, FALSE },   { "0,5", 0, FALSE },  { "[0.5]", 0, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabDocument) document = read_value (rows[i].value);
      double number = 99;

      assert_int_equal (fab__item_get_double (value_of (document), 0, 1, &number, NULL), rows[i].passes);
      fab_assert_close (number, rows[i].passes ? rows[i].number : 99, 1e-15);
    }
}

static void
test_only_true_and_false_are_flags (void **state)
{
  static const struct { const char *value; gboolean flag, passes; } rows[] = {
    { "true", TRUE, TRUE }, { "false", FALSE, TRUE }, { "yes", 0, FALSE }, { "on", 0, FALSE }, { "True", 0, FALSE }, { "1", 0, FALSE }, { "[]", 0, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabDocument) document = read_value (rows[i].value);
      gboolean flag = 7;

      assert_int_equal (fab__item_get_bool (value_of (document), &flag, NULL), rows[i].passes);
      assert_int_equal (flag, rows[i].passes ? rows[i].flag : 7);
    }
}

static void
test_names_are_letters_digits_dashes_a_letter_first (void **state)
{
  static const struct { const char *value; gboolean passes; } rows[] = {
    { "a", TRUE }, { "gpu-1_x", TRUE }, { "1a", FALSE }, { "-a", FALSE }, { "a.b", FALSE }, { "a/b", FALSE }, { "a b", FALSE }, { "ä", FALSE }, { "\"\"", FALSE },
    { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", TRUE },
    { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabDocument) document = read_value (rows[i].value);
      const char *name = NULL;

      assert_int_equal (fab__item_get_name (value_of (document), &name, NULL), rows[i].passes);
      assert_int_equal (name != NULL, rows[i].passes);
    }
}

static void
test_only_plain_null_is_absent (void **state)
{
  static const struct { const char *value, *text; } rows[] = {
    { "", NULL }, { "~", NULL }, { "null", NULL }, { "\"\"", "" }, { "'null'", "null" }, { "\"~\"", "~" }, { "Null", "Null" }, { "no", "no" }, { "1.10", "1.10" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabDocument) document = read_value (rows[i].value);
      const char *text = NULL;

      assert_true (fab__item_get_text (value_of (document), &text, NULL));
      if (rows[i].text == NULL)
        assert_null (text);
      else
        assert_string_equal (text, rows[i].text);
      assert_int_equal (fab__item_require (fab__document_root (document), "v", NULL) == NULL, rows[i].text == NULL);
    }
}

static void
test_quantities_say_their_place_and_their_unit (void **state)
{
  g_autoptr (FabDocument) document = read_value ("30s");
  g_autoptr (GError) error = NULL;
  guint64 length = 7;

  assert_false (fab__item_get_quantity (value_of (document), FAB_UNIT_LENGTH, &length, &error));
  assert_string_equal (error->message, "t.yaml:1:4: v: expected a length such as 30m, got “30s”");
  assert_int_equal (length, 7);
}

static void
test_choices_name_all_and_the_nearest (void **state)
{
  static const char *const names[] = { "minhop", "updn", "ftree", NULL };
  g_autoptr (FabDocument) good = read_value ("ftree");
  g_autoptr (FabDocument) near = read_value ("min-hop");
  g_autoptr (FabDocument) far = read_value ("lash");
  g_autoptr (GError) error = NULL;
  guint index = 9;

  assert_true (fab__item_get_choice (value_of (good), names, &index, NULL));
  assert_int_equal (index, 2);
  assert_false (fab__item_get_choice (value_of (near), names, &index, &error));
  assert_string_equal (error->message, "t.yaml:1:4: v: expected one of minhop, updn, ftree; got “min-hop”; did you mean “minhop”?");
  g_clear_error (&error);
  assert_false (fab__item_get_choice (value_of (far), names, &index, &error));
  assert_string_equal (error->message, "t.yaml:1:4: v: expected one of minhop, updn, ftree; got “lash”");
  assert_int_equal (index, 2);
}

static void
test_errors_name_the_place_and_the_root_needs_no_name (void **state)
{
  g_autoptr (FabDocument) document = read_value ("{w: [x]}");
  g_autoptr (GError) error = NULL;

  fab__item_error (fab__item_child (fab__item_lookup (value_of (document), "w"), 0), &error, FAB_ERROR_VALUE, "said %d", 1);
  assert_string_equal (error->message, "t.yaml:1:9: v.w.0: said 1");
  assert_int_equal (error->code, FAB_ERROR_VALUE);
  g_clear_error (&error);
  fab__item_error (fab__document_root (document), &error, FAB_ERROR_UNKNOWN, "said");
  assert_string_equal (error->message, "t.yaml:1:1: said");
  g_clear_error (&error);
  assert_true (fab__document_set (document, "v.w", "[y]", NULL));
  fab__item_error (fab__item_child (fab__item_lookup (value_of (document), "w"), 0), &error, FAB_ERROR_VALUE, "said");
  assert_string_equal (error->message, "--set v.w: v.w.0: said");
}

static void
test_kinds_and_what_must_be_there_are_asked_for (void **state)
{
  g_autoptr (FabDocument) document = read_value ("{w: 1}");
  const FabItem *map = value_of (document), *scalar = fab__item_lookup (map, "w");
  g_autoptr (GError) error = NULL;

  assert_true (fab__item_expect_kind (map, FAB_ITEM_MAP, NULL));
  assert_false (fab__item_expect_kind (map, FAB_ITEM_LIST, &error));
  assert_string_equal (error->message, "t.yaml:1:4: v: expected a list, got a map");
  g_clear_error (&error);
  assert_false (fab__item_expect_kind (scalar, FAB_ITEM_MAP, &error));
  assert_string_equal (error->message, "t.yaml:1:8: v.w: expected a map, got “1”");
  g_clear_error (&error);
  assert_ptr_equal (fab__item_require (map, "w", NULL), scalar);
  assert_null (fab__item_require (map, "u", &error));
  assert_string_equal (error->message, "t.yaml:1:4: v: expected u: …, got none");
}

static void
test_the_nearest_name_is_near_enough_or_none (void **state)
{
  static const char *const names[] = { "uplink", "host_link", "subnet", NULL };
  static const struct { const char *text, *nearest; } rows[] = {
    { "uplinks", "uplink" }, { "hostlink", "host_link" }, { "subnets", "subnet" }, { "sbunet", "subnet" }, { "Uplink", "uplink" },
    { "colour", NULL },      { "", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *nearest = fab__nearest (rows[i].text, names);

      if (rows[i].nearest == NULL)
        assert_null (nearest);
      else
        assert_string_equal (nearest, rows[i].nearest);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_whole_numbers_are_read_exactly_or_refused),
    cmocka_unit_test (test_numbers_are_finite_and_within_bounds),
    cmocka_unit_test (test_only_true_and_false_are_flags),
    cmocka_unit_test (test_names_are_letters_digits_dashes_a_letter_first),
    cmocka_unit_test (test_only_plain_null_is_absent),
    cmocka_unit_test (test_quantities_say_their_place_and_their_unit),
    cmocka_unit_test (test_choices_name_all_and_the_nearest),
    cmocka_unit_test (test_errors_name_the_place_and_the_root_needs_no_name),
    cmocka_unit_test (test_kinds_and_what_must_be_there_are_asked_for),
    cmocka_unit_test (test_the_nearest_name_is_near_enough_or_none),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
