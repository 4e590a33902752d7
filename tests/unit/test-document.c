/* test-document.c: YAML as a tree whose items know where they stood */
#include "fab-test.h"
#include "base/fab-document-private.h"

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
    { "a: \xff\n", FAB_ERROR_SYNTAX, "expected UTF-8" },
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
    cmocka_unit_test (test_an_anchor_bomb_is_a_limit_not_a_meal),
    cmocka_unit_test (test_getters_take_what_they_should_and_say_what_they_wanted),
    cmocka_unit_test (test_absent_and_null_leave_the_default),
    cmocka_unit_test (test_settings_replace_add_and_name_themselves),
    cmocka_unit_test (test_a_copy_stands_on_its_own),
    cmocka_unit_test (test_unknown_keys_name_the_nearest),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
