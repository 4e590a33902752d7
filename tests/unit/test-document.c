/* test-document.c: YAML as a tree whose items know where they stood */
#include "fab-test.h"
#include "base/fab-document-private.h"
#include <time.h>

static FabDocument *
read_text (const char *text, GError **error)
{
  return fab__document_read (text, strlen (text), "t.yaml", error);
}

static void
test_items_know_their_place (void **state)
{
  g_autoptr (FabDocument) document = read_text ("a:\n  b: [x, {c: 1}]\n", NULL);
  const FabItem *b = fab__item_lookup (fab__item_lookup (fab__document_root (document), "a"), "b");
  const FabItem *c = fab__item_lookup (fab__item_child (b, 1), "c");
  g_autofree char *where = fab__item_where (c);
  g_autofree char *place = fab__item_place (c);

  assert_string_equal (where, "a.b.1.c");
  assert_string_equal (place, "t.yaml:2:14");
}

static void
test_bad_documents_are_refused_with_their_place (void **state)
{
  static const struct { const char *text; FabErrorCode code; const char *part; } rows[] = {
    { "", FAB_ERROR_SYNTAX, "t.yaml:1:1: expected a document" },
    { "a: 1\na: 2\n", FAB_ERROR_SYNTAX, "t.yaml:2:1: expected each key once, got “a” again" },
    { "a: 1\n---\nb: 2\n", FAB_ERROR_SYNTAX, "expected one document" },
    { "{[x]: 1}", FAB_ERROR_SYNTAX, "expected a plain key" },
    { "a: *b\n", FAB_ERROR_UNKNOWN, "expected an anchor “&b”" },
    { "a: &a [*a]\n", FAB_ERROR_SYNTAX, "inside itself" },
    { "a: [1\n", FAB_ERROR_SYNTAX, "t.yaml:" },
    { "a: \xff\n", FAB_ERROR_SYNTAX, "t.yaml:1:4: expected UTF-8" },
    { "a: 1\nµ: x\xc3(\n", FAB_ERROR_SYNTAX, "t.yaml:2:5: expected UTF-8" },
    { "a: 1\nb: \x01\n", FAB_ERROR_SYNTAX, "t.yaml:2:4: expected text, got the control character U+0001" },
    { "\xff\xfe\x61", FAB_ERROR_SYNTAX, "t.yaml:1:1: expected UTF-8" },
    { "a: !include b.yaml\n", FAB_ERROR_UNSUPPORTED, "t.yaml:1:4: expected no tag, got “!include”" },
    { "a: !x [b]\n", FAB_ERROR_UNSUPPORTED, "expected no tag" },
    { "a: !x {b: c}\n", FAB_ERROR_UNSUPPORTED, "expected no tag" },
    { "a: &a {x: 1}\nb: {<<: *a}\n", FAB_ERROR_UNSUPPORTED, "t.yaml:2:5: expected no merge key" },
    { "*a : 1\n", FAB_ERROR_SYNTAX, "expected a plain key" },
    { "? {a: 1}\n: 2\n", FAB_ERROR_SYNTAX, "expected a plain key, got a map" },
    { "# nothing\n", FAB_ERROR_SYNTAX, "t.yaml:1:1: expected a document" },
    { "a: {b: 1, b: 2}\n", FAB_ERROR_SYNTAX, "t.yaml:1:11: expected each key once, got “b” again" },
    { "a: \"x\n", FAB_ERROR_SYNTAX, "t.yaml:2:1: expected YAML" },
    { "a:\n\t- x\n", FAB_ERROR_SYNTAX, "t.yaml:2" },
    { "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
      FAB_ERROR_LIMIT, "levels of nesting" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      assert_null (read_text (rows[i].text, &error));
      fab_assert_contains (error->message, rows[i].part);
      assert_int_equal (error->code, rows[i].code);
    }
}

static void
test_a_nul_byte_is_refused (void **state)
{
  g_autoptr (GError) error = NULL;

  assert_null (fab__document_read ("a: \"x\\0y\"\n", 10, "t.yaml", &error));
  fab_assert_contains (error->message, "NUL byte");
  g_clear_error (&error);
  assert_null (fab__document_read ("a: 1\nb: x\0y\n", 13, "t.yaml", &error));
  assert_string_equal (error->message, "t.yaml:2:5: expected text, got a NUL byte");
}

static void
test_tags_of_yaml_itself_and_a_byte_order_mark_are_harmless (void **state)
{
  g_autoptr (FabDocument) document = read_text ("\xef\xbb\xbf" "a: !!str 12\nb: !!map {c: 1}\n", NULL);

  assert_non_null (document);
  assert_string_equal (fab__item_text (fab__item_lookup (fab__document_root (document), "a")), "12");
}

/* The reader stops at the 65th level, whatever stands behind it. */
static void
test_walls_of_brackets_are_refused_in_no_time (void **state)
{
  static const char *const bricks[] = { "[", "{", "[{", "- ", "? ", "[a: " };

  for (gsize i = 0; i < G_N_ELEMENTS (bricks); i++)
    {
      g_autoptr (GString) wall = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      clock_t start = clock ();

      while (wall->len < 200000)
        g_string_append (wall, bricks[i]);
      assert_null (read_text (wall->str, &error));
      assert_true (clock () - start < CLOCKS_PER_SEC);
    }
}

/* Only the size is looked at: the text is far shorter than is said here. */
static void
test_a_hundred_megabytes_are_refused_unread (void **state)
{
  g_autoptr (GError) error = NULL;

  assert_null (fab__document_read ("a: 1\n", 100000000, "t.yaml", &error));
  assert_string_equal (error->message, "t.yaml: expected at most 16 MiB, got 100000000 bytes");
  assert_int_equal (error->code, FAB_ERROR_LIMIT);
}

static void
test_what_is_no_readable_file_is_refused (void **state)
{
  static const struct { const char *path; FabErrorCode code; const char *part; } rows[] = {
    { "/nowhere/t.yaml", FAB_ERROR_READ, "/nowhere/t.yaml: " },
    { "/", FAB_ERROR_READ, "/: expected a file, got a directory" },
    { "/dev/null", FAB_ERROR_SYNTAX, "/dev/null:1:1: expected a document, got an empty one" },
    { "/dev/zero", FAB_ERROR_LIMIT, "/dev/zero: expected at most 16 MiB, got more" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      assert_null (fab__document_read_file (rows[i].path, &error));
      fab_assert_contains (error->message, rows[i].part);
      assert_int_equal (error->code, rows[i].code);
    }
}

/* A list of @n levels around @inner. */
static char *
nested (guint n, const char *inner)
{
  g_autofree char *open = g_strnfill (n, '[');
  g_autofree char *close = g_strnfill (n, ']');

  return g_strconcat (open, inner, close, NULL);
}

static void
test_sixty_four_levels_pass_and_one_more_does_not (void **state)
{
  for (guint n = 63; n <= 66; n++)
    {
      g_autofree char *text = nested (n, "x");
      g_autoptr (FabDocument) document = read_text (text, NULL);

      assert_int_equal (document != NULL, n <= 64);
    }
}

/* Root map and 31 levels, then an anchor of 32: as deep as may be. */
static void
test_depth_is_counted_where_an_alias_is_used (void **state)
{
  for (guint n = 31; n <= 32; n++)
    {
      g_autofree char *anchored = nested (32, "x");
      g_autofree char *used = nested (n, "*a");
      g_autofree char *text = g_strdup_printf ("a: &a %s\nb: %s\n", anchored, used);
      g_autoptr (GError) error = NULL;
      g_autoptr (FabDocument) document = read_text (text, &error);

      assert_int_equal (document != NULL, n == 31);
      assert_true (n == 31 || error->code == FAB_ERROR_LIMIT);
    }
}

static void
test_an_anchor_bomb_is_a_limit_not_a_meal (void **state)
{
  g_autoptr (GString) text = g_string_new ("a: &a [x,x,x,x,x,x,x,x,x,x]\n");
  g_autoptr (GError) error = NULL;

  for (char c = 'b'; c < 'k'; c++)
    g_string_append_printf (text, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1,
                            c - 1, c - 1);
  assert_null (read_text (text->str, &error));
  assert_int_equal (error->code, FAB_ERROR_LIMIT);
}

static void
test_getters_take_what_they_should_and_say_what_they_wanted (void **state)
{
  g_autoptr (FabDocument) document = read_text ("n: 42\nx: 0x8100\nneg: -1\nbig: 1000000000000\nt: true\ny: yes\nl: [1]\nf: 1.5\nname: a-b_1\nbad: 1a\n", NULL);
  const FabItem *root = fab__document_root (document);
  g_autoptr (GError) error = NULL;
  const char *text = NULL;
  guint64 number = 0;
  gboolean flag = FALSE;
  double real = 0;

  assert_true (fab__item_get_uint (fab__item_lookup (root, "n"), 1, 100, &number, NULL));
  assert_int_equal (number, 42);
  assert_true (fab__item_get_uint (fab__item_lookup (root, "x"), 0, 0xffff, &number, NULL));
  assert_int_equal (number, 0x8100);
  assert_false (fab__item_get_uint (fab__item_lookup (root, "neg"), 1, 100, &number, &error));
  assert_string_equal (error->message, "t.yaml:3:6: neg: expected a whole number from 1 to 100, got “-1”");
  g_clear_error (&error);
  assert_false (fab__item_get_uint (fab__item_lookup (root, "big"), 1, 100, &number, &error));
  g_clear_error (&error);
  assert_true (fab__item_get_bool (fab__item_lookup (root, "t"), &flag, NULL));
  assert_true (flag);
  assert_false (fab__item_get_bool (fab__item_lookup (root, "y"), &flag, NULL));
  assert_false (fab__item_get_uint (fab__item_lookup (root, "l"), 0, 9, &number, &error));
  fab_assert_contains (error->message, "got a list");
  assert_true (fab__item_get_double (fab__item_lookup (root, "f"), 0, 2, &real, NULL));
  fab_assert_close (real, 1.5, 1e-15);
  assert_true (fab__item_get_name (fab__item_lookup (root, "name"), &text, NULL));
  assert_string_equal (text, "a-b_1");
  assert_false (fab__item_get_name (fab__item_lookup (root, "bad"), &text, NULL));
}

static void
test_absent_and_null_leave_the_default (void **state)
{
  g_autoptr (FabDocument) document = read_text ("a:\nb: ~\n", NULL);
  guint64 number = 5;

  assert_true (fab__item_get_uint (fab__item_lookup (fab__document_root (document), "a"), 0, 9, &number, NULL));
  assert_true (fab__item_get_uint (fab__item_lookup (fab__document_root (document), "b"), 0, 9, &number, NULL));
  assert_true (fab__item_get_uint (NULL, 0, 9, &number, NULL));
  assert_int_equal (number, 5);
}

static void
test_settings_replace_add_and_name_themselves (void **state)
{
  g_autoptr (FabDocument) document = read_text ("a: {b: 1}\nl: [x, y]\nm: {p.q: 1}\n", NULL);
  g_autofree char *before = fab__document_digest (document);
  g_autofree char *after = NULL;
  const FabItem *root = fab__document_root (document), *item;
  g_autoptr (GError) error = NULL;
  g_autofree char *place = NULL;

  assert_true (fab__document_set (document, "a.b", "2", NULL));
  assert_true (fab__document_set (document, "a.c.d", "[1, 2]", NULL));
  assert_true (fab__document_set (document, "l.1", "z", NULL));
  assert_true (fab__document_set (document, "m.p.q", "7", NULL));
  item = fab__item_lookup (fab__item_lookup (root, "a"), "b");
  assert_string_equal (fab__item_text (item), "2");
  place = fab__item_place (item);
  assert_string_equal (place, "--set a.b");
  assert_int_equal (fab__item_n_children (fab__item_lookup (fab__item_lookup (fab__item_lookup (root, "a"), "c"), "d")), 2);
  assert_string_equal (fab__item_text (fab__item_child (fab__item_lookup (root, "l"), 1)), "z");
  assert_string_equal (fab__item_text (fab__item_lookup (fab__item_lookup (root, "m"), "p.q")), "7");
  assert_false (fab__document_set (document, "l.9.x", "z", &error));
  fab_assert_contains (error->message, "--set l.9.x");
  after = fab__document_digest (document);
  assert_string_not_equal (before, after);
}

static void
test_settings_that_name_no_key_are_refused_and_change_nothing (void **state)
{
  g_autofree char *deep_value = nested (64, "x");
  g_autoptr (GString) deep_key = g_string_new ("k");
  g_autoptr (FabDocument) document = read_text ("a: {b: 1}\nl: [x]\n", NULL);
  g_autofree char *before = fab__document_digest (document);
  g_autofree char *after = NULL;

  for (guint i = 0; i < 64; i++)
    g_string_append (deep_key, ".k");
  const struct { const char *key, *value; FabErrorCode code; } rows[] = {
    { "", "1", FAB_ERROR_SYNTAX },          { ".", "1", FAB_ERROR_SYNTAX },        { "a.", "1", FAB_ERROR_SYNTAX },
    { ".a", "1", FAB_ERROR_SYNTAX },        { "a..b", "1", FAB_ERROR_SYNTAX },     { "a.b.c", "1", FAB_ERROR_UNKNOWN },
    { "l.1", "1", FAB_ERROR_UNKNOWN },      { "l.x", "1", FAB_ERROR_UNKNOWN },     { "l.-1", "1", FAB_ERROR_UNKNOWN },
    { "a.b", "[1", FAB_ERROR_SYNTAX },      { "a.b", "# none", FAB_ERROR_SYNTAX }, { "a.b", "{c: 1, c: 2}", FAB_ERROR_SYNTAX },
    { "a.b", "\xff", FAB_ERROR_SYNTAX },    { "a.b", deep_value, FAB_ERROR_LIMIT }, { deep_key->str, "1", FAB_ERROR_LIMIT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      assert_false (fab__document_set (document, rows[i].key, rows[i].value, &error));
      assert_true (g_str_has_prefix (error->message, "--set"));
      assert_int_equal (error->code, rows[i].code);
    }
  after = fab__document_digest (document);
  assert_string_equal (before, after);
  assert_int_equal (fab__item_n_children (fab__document_root (document)), 2);
}

static void
test_a_setting_to_nothing_is_null (void **state)
{
  g_autoptr (FabDocument) document = read_text ("a: 1\n", NULL);
  guint64 number = 5;

  assert_true (fab__document_set (document, "a", "", NULL));
  assert_true (fab__item_get_uint (fab__item_lookup (fab__document_root (document), "a"), 0, 9, &number, NULL));
  assert_int_equal (number, 5);
}

static void
test_a_merge_adds_what_is_lacking_and_overrides_nothing (void **state)
{
  g_autoptr (FabDocument) document = read_text ("a: {b: 1}\nl: [x]\ns: 1\n", NULL);
  const FabItem *root = fab__document_root (document);
  g_autofree char *before = fab__document_digest (document);
  g_autofree char *after = NULL, *place = NULL;

  {
    g_autoptr (FabDocument) under = fab__document_read ("a: {b: 2, c: 3}\nl: [y, z]\ns: {t: 1}\nn:\n  m: 4\n", 45, "under.yaml", NULL);

    assert_non_null (under);
    fab__document_merge (document, under);
  }
  assert_string_equal (fab__item_text (fab__item_lookup (fab__item_lookup (root, "a"), "b")), "1");
  assert_string_equal (fab__item_text (fab__item_lookup (fab__item_lookup (root, "a"), "c")), "3");
  assert_int_equal (fab__item_n_children (fab__item_lookup (root, "l")), 1);
  assert_int_equal (fab__item_kind (fab__item_lookup (root, "s")), FAB_ITEM_SCALAR);
  place = fab__item_place (fab__item_lookup (fab__item_lookup (root, "n"), "m"));
  assert_string_equal (place, "under.yaml:5:6");   /* after the document it came from is gone */
  after = fab__document_digest (document);
  assert_string_not_equal (before, after);
}

static void
test_the_digest_is_of_the_bytes_and_of_every_setting_in_order (void **state)
{
  static const char *const keys[][2] = { { "a", "b" }, { "b", "a" }, { "a", "b" } };
  g_auto (GStrv) digests = g_new0 (char *, 4);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (FabDocument) document = read_text ("a: 1\n", NULL);
      g_autofree char *plain = fab__document_digest (document);

      assert_string_equal (plain, "37b128c59f1f5097f73f82691cb519f1f568667faab5ced1b4ab979d36837eae");   /* sha256sum's */
      assert_true (fab__document_set (document, keys[i][0], "2", NULL) && fab__document_set (document, keys[i][1], "2", NULL));
      digests[i] = fab__document_digest (document);
    }
  assert_string_not_equal (digests[0], digests[1]);
  assert_string_equal (digests[0], digests[2]);
}

static void
test_a_copy_keeps_marks_settings_and_digest_when_the_first_is_gone (void **state)
{
  FabDocument *document = read_text ("a: {b: 1, c: 2}\n", NULL);
  g_autofree char *digest = NULL, *copied = NULL, *place = NULL, *setting = NULL;
  g_autoptr (FabDocument) copy = NULL;
  const FabItem *a;

  assert_true (fab__document_set (document, "a.b", "2", NULL));
  digest = fab__document_digest (document);
  copy = fab__document_copy (document);
  fab__document_unref (document);
  a = fab__item_lookup (fab__document_root (copy), "a");
  place = fab__item_place (fab__item_lookup (a, "c"));
  setting = fab__item_place (fab__item_lookup (a, "b"));
  copied = fab__document_digest (copy);
  assert_string_equal (place, "t.yaml:1:14");
  assert_string_equal (setting, "--set a.b");
  assert_string_equal (copied, digest);
}

static void
test_a_copy_stands_on_its_own (void **state)
{
  g_autoptr (FabDocument) document = read_text ("a: {b: 1}\n", NULL);
  g_autoptr (FabDocument) copy = fab__document_copy (document);

  assert_true (fab__document_set (copy, "a.b", "2", NULL));
  assert_string_equal (fab__item_text (fab__item_lookup (fab__item_lookup (fab__document_root (document), "a"), "b")), "1");
}

static void
test_unknown_keys_name_the_nearest (void **state)
{
  static const char *const keys[] = { "workloads", "nodes", NULL };
  g_autoptr (FabDocument) document = read_text ("workload: 1\nx-mine: 2\n", NULL);
  g_autoptr (GError) error = NULL;

  assert_false (fab__item_check_keys (fab__document_root (document), keys, &error));
  fab_assert_contains (error->message, "did you mean “workloads”?");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_items_know_their_place),
    cmocka_unit_test (test_bad_documents_are_refused_with_their_place),
    cmocka_unit_test (test_a_nul_byte_is_refused),
    cmocka_unit_test (test_tags_of_yaml_itself_and_a_byte_order_mark_are_harmless),
    cmocka_unit_test (test_walls_of_brackets_are_refused_in_no_time),
    cmocka_unit_test (test_a_hundred_megabytes_are_refused_unread),
    cmocka_unit_test (test_what_is_no_readable_file_is_refused),
    cmocka_unit_test (test_sixty_four_levels_pass_and_one_more_does_not),
    cmocka_unit_test (test_depth_is_counted_where_an_alias_is_used),
    cmocka_unit_test (test_an_anchor_bomb_is_a_limit_not_a_meal),
    cmocka_unit_test (test_getters_take_what_they_should_and_say_what_they_wanted),
    cmocka_unit_test (test_absent_and_null_leave_the_default),
    cmocka_unit_test (test_settings_replace_add_and_name_themselves),
    cmocka_unit_test (test_settings_that_name_no_key_are_refused_and_change_nothing),
    cmocka_unit_test (test_a_setting_to_nothing_is_null),
    cmocka_unit_test (test_a_merge_adds_what_is_lacking_and_overrides_nothing),
    cmocka_unit_test (test_the_digest_is_of_the_bytes_and_of_every_setting_in_order),
    cmocka_unit_test (test_a_copy_keeps_marks_settings_and_digest_when_the_first_is_gone),
    cmocka_unit_test (test_a_copy_stands_on_its_own),
    cmocka_unit_test (test_unknown_keys_name_the_nearest),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
