/* test-address.c: addresses and hostlists */
#include "fab-test.h"
#include "fab-address.h"
#include "fab-error.h"

static void
test_addresses_print_back_as_they_were (void **state)
{
  static const char *const rows[] = {
    "spine1", "gpu001/gpu3", "gpu001/nic0/p1", "compute/leaf1/p17", "compute/leaf1/p17/2", "gpu[001-048]/gpu*", "compute/spine[1-2]/p*",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (FabAddress) address = { NULL };
      g_autofree char *text = NULL;

      assert_true (fab_address_parse (rows[i], &address, NULL));
      text = fab_address_to_string (&address);
      assert_string_equal (text, rows[i]);
    }
}

static void
test_parts_of_an_address_are_told_apart (void **state)
{
  g_auto (FabAddress) address = { NULL };

  assert_true (fab_address_parse ("compute/leaf1/p17/2", &address, NULL));
  assert_string_equal (address.owner, "compute");
  assert_string_equal (address.device, "leaf1");
  assert_string_equal (address.port, "p17/2");
  assert_true (fab_address_parse ("spine1", &address, NULL));
  assert_null (address.owner);
  assert_string_equal (address.device, "spine1");
}

static void
test_bad_addresses_are_refused (void **state)
{
  static const char *const rows[] = { "", "/", "a//b", "a/b/", "a b", "a/b/c/d/e", "a/b/c/x", "a/b/c/0", "a/[1", "a/1]", "a/[[1]]", "a/b/c/03",
                                      "/a", "//", "a/", "a\n", "a\tb", "a\x01", "ä/b", "\xff", "a:b", "a=b", "a/b/c/-1", "a/b/c/17", "a/b/c/1x", "a/b/c/" };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (FabAddress) address = { NULL };
      g_autoptr (GError) error = NULL;

      assert_false (fab_address_parse (rows[i], &address, &error));
      assert_int_equal (error->code, FAB_ERROR_SYNTAX);
      assert_null (address.device);
    }
}

static void
test_a_link_is_two_addresses (void **state)
{
  g_auto (FabAddress) a = { NULL };
  g_auto (FabAddress) b = { NULL };

  assert_true (fab_address_parse_link ("compute/leaf-1--compute/spine1/p3", &a, &b, NULL));
  assert_string_equal (a.device, "leaf-1");
  assert_string_equal (b.port, "p3");
}

static void
test_half_a_link_is_none (void **state)
{
  static const char *const rows[] = { "", "--", "a--", "--b", "compute/leaf1-compute/spine1", "a/--b", "a--b/", "a b--c", "a--b c", "a/b/c/d/e--f" };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (FabAddress) a = { NULL };
      g_auto (FabAddress) b = { NULL };
      g_autoptr (GError) error = NULL;

      assert_false (fab_address_parse_link (rows[i], &a, &b, &error));
      fab_assert_contains (error->message, "expected a link such as");
      assert_true (a.device == NULL && b.device == NULL);
    }
}

static void
test_hostlists_expand_as_written (void **state)
{
  static const struct { const char *list, *names; } rows[] = {
    { "gpu1", "gpu1" },
    { "gpu[001-003,7]", "gpu001 gpu002 gpu003 gpu7" },
    { "a[1-2]b[8-10]", "a1b8 a1b9 a1b10 a2b8 a2b9 a2b10" },
    { "a1,b[1-2]", "a1 b1 b2" },
    { "n[08-11]", "n08 n09 n10 n11" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) names = fab_hostlist_expand (rows[i].list, 100, NULL);
      g_autofree char *joined = NULL;

      assert_non_null (names);
      joined = g_strjoinv (" ", names);
      assert_string_equal (joined, rows[i].names);
    }
}

static void
test_bad_hostlists_are_refused_before_memory_is_taken (void **state)
{
  static const struct { const char *list; FabErrorCode code; } rows[] = {
    { "a[", FAB_ERROR_SYNTAX },   { "a]", FAB_ERROR_SYNTAX },          { "a[]", FAB_ERROR_SYNTAX },
    { "a[3-1]", FAB_ERROR_SYNTAX }, { "a[x]", FAB_ERROR_SYNTAX },      { "", FAB_ERROR_SYNTAX },
    { "a[-1]", FAB_ERROR_SYNTAX },  { "a[1-1000000000000]", FAB_ERROR_LIMIT }, { "a[1-99][1-99][1-99][1-99][1-99][1-99]", FAB_ERROR_LIMIT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      assert_null (fab_hostlist_expand (rows[i].list, 1000, &error));
      assert_int_equal (error->code, rows[i].code);
    }
}

static void
test_names_compress_to_their_shortest_list (void **state)
{
  static const struct { const char *names, *list; } rows[] = {
    { "gpu001 gpu002 gpu003", "gpu[001-003]" }, { "a1 a2 a4", "a[1-2,4]" },  { "a1", "a1" },
    { "n8 n9 n10 n11", "n[8-11]" },             { "n08 n09 n10", "n[08-10]" }, { "a1 b1 b2", "a1,b[1-2]" },
    { "x y", "x,y" },                           { "a1 a01", "a[1,01]" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) names = g_strsplit (rows[i].names, " ", -1);
      g_autofree char *list = fab_hostlist_compress ((const char *const *) names, g_strv_length (names));
      g_auto (GStrv) again = fab_hostlist_expand (list, 100, NULL);

      assert_string_equal (list, rows[i].list);
      assert_true (g_strv_equal ((const char *const *) names, (const char *const *) again));
    }
}

static void
test_patterns_match_what_they_name (void **state)
{
  static const struct { const char *pattern, *name; gboolean matches; } rows[] = {
    { "gpu[001-048]", "gpu048", TRUE }, { "gpu[001-048]", "gpu48", FALSE },  { "gpu[001-048]", "gpu049", FALSE },
    { "spine*", "spine12", TRUE },      { "*", "anything", TRUE },           { "a*c", "abbc", TRUE },
    { "a*c", "abcd", FALSE },           { "a[1-2]*", "a2x", TRUE },          { "a1,b2", "b2", TRUE },
    { "a1", "a12", FALSE },             { "a[1-100]b[1-9]", "a50b3", TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_int_equal (fab_hostlist_match (rows[i].pattern, rows[i].name), rows[i].matches);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_addresses_print_back_as_they_were), cmocka_unit_test (test_parts_of_an_address_are_told_apart),
    cmocka_unit_test (test_bad_addresses_are_refused),         cmocka_unit_test (test_a_link_is_two_addresses),
    cmocka_unit_test (test_half_a_link_is_none),
    cmocka_unit_test (test_hostlists_expand_as_written),       cmocka_unit_test (test_bad_hostlists_are_refused_before_memory_is_taken),
    cmocka_unit_test (test_names_compress_to_their_shortest_list), cmocka_unit_test (test_patterns_match_what_they_name),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
