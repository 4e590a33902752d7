/* test-report.c: one answer as text, JSON, CSV and metrics; files written whole or not at all */
#include "fab-test.h"
#include "fab-report.h"
#include "fab-version.h"
#include <glib/gstdio.h>
#include <math.h>

static const FabColumn record_columns[] = {
  { "time_ns", "time", FAB_CELL_TIME, "ns", "how long", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "busbw_gbytes_per_s", "busbw", FAB_CELL_NUMBER, "GB/s", "how fast", FAB_COLUMN_METRIC | FAB_COLUMN_HIGHER },
  { "complete", "complete", FAB_CELL_BOOL, "", "all of it", FAB_COLUMN_HIDDEN },
};

static const FabColumn table_columns[] = {
  { "name", "tier", FAB_CELL_TEXT, "", "which", FAB_COLUMN_NAME },
  { "down_gbps", "down", FAB_CELL_RATE, "Gb/s", "rate", 0 },
  { "oversubscription", "down : up", FAB_CELL_NUMBER, "", "ratio", FAB_COLUMN_METRIC },
  { "share", "share", FAB_CELL_SHARE, "", "part", 0 },
  { "note", "note", FAB_CELL_TEXT, "", "text", 0 },
};

static FabAnswer *
sample (void)
{
  FabAnswer *answer = fab_answer_new ("fabsim.test/1");
  FabTable *record = fab_table_new (record_columns, G_N_ELEMENTS (record_columns));
  FabTable *table = fab_table_new (table_columns, G_N_ELEMENTS (table_columns));

  fab_answer_say (answer, "It takes %d ms.", 108);
  fab_table_add_row (record);
  fab_table_set_int (record, "time_ns", 108090000000);
  fab_table_set_number (record, "busbw_gbytes_per_s", 19.8181);
  fab_table_set_bool (record, "complete", TRUE);
  fab_answer_add_record (answer, "workloads.w", "Workload w", record);
  fab_table_add_row (table);
  fab_table_set_text (table, "name", "leaf");
  fab_table_set_int (table, "down_gbps", 9600000000000);
  fab_table_set_number (table, "oversubscription", 1.5);
  fab_table_set_number (table, "share", 0.803);
  fab_table_set_text (table, "note", "a, \"b\"");
  fab_table_add_row (table);
  fab_table_set_text (table, "name", "spine");
  fab_table_set_int (table, "down_gbps", 0);
  fab_table_set_number (table, "oversubscription", NAN);
  fab_answer_add_table (answer, "planes.compute.tiers", "Tiers", table);
  return answer;
}

static void
test_text_says_first_and_aligns (void **state)
{
  g_autoptr (FabAnswer) answer = sample ();
  g_autofree char *text = fab_report_text (answer, NULL);

  assert_string_equal (text, "It takes 108 ms.\n"
                             "\n"
                             "Workload w\n"
                             "  time   108.1 ms\n"
                             "  busbw  19.82 GB/s\n"
                             "\n"
                             "Tiers\n"
                             "  tier   down [Gb/s]  down : up   share  note\n"
                             "  leaf          9600      1.500  80.3 %  a, \"b\"\n"
                             "  spine            0          –       –  –\n");
}

static void
test_long_text_wraps_under_itself (void **state)
{
  g_autoptr (FabAnswer) answer = fab_answer_new ("fabsim.test/1");
  FabTable *table = fab_table_new (table_columns, 1);
  static const FabTextStyle narrow = { .width = 40 };
  g_autofree char *text = NULL;

  fab_answer_say (answer, "one two three four five six seven eight nine ten");
  fab_table_add_row (table);
  fab_table_set_text (table, "name", "eins zwei drei vier fünf sechs sieben acht");
  fab_answer_add_table (answer, "t", "T", table);
  text = fab_report_text (answer, &narrow);
  assert_string_equal (text, "one two three four five six seven eight\nnine ten\n\nT\n  tier\n  eins zwei drei vier fünf sechs sieben\n  acht\n");
}

static void
test_colour_marks_titles_alone (void **state)
{
  g_autoptr (FabAnswer) answer = sample ();
  static const FabTextStyle coloured = { .colour = TRUE };
  g_autofree char *text = fab_report_text (answer, &coloured);

  fab_assert_contains (text, "\033[1mTiers\033[0m\n");
}

static void
test_json_nests_by_path (void **state)
{
  g_autoptr (FabAnswer) answer = sample ();
  g_autofree char *json = fab_report_json (answer);

  assert_string_equal (json, "{\n  \"schema\": \"fabsim.test/1\",\n  \"version\": \"" FAB_VERSION "\",\n"
                             "  \"workloads\": {\n    \"w\": {\n      \"time_ns\": 108090000,\n      \"busbw_gbytes_per_s\": 19.8181,\n"
                             "      \"complete\": true\n    }\n  },\n"
                             "  \"planes\": {\n    \"compute\": {\n      \"tiers\": [\n"
                             "        {\n          \"name\": \"leaf\",\n          \"down_gbps\": 9600,\n          \"oversubscription\": 1.5,\n"
                             "          \"share\": 0.803,\n          \"note\": \"a, \\\"b\\\"\"\n        },\n"
                             "        {\n          \"name\": \"spine\",\n          \"down_gbps\": 0,\n          \"oversubscription\": null,\n"
                             "          \"share\": null,\n          \"note\": null\n        }\n      ]\n    }\n  },\n"
                             "  \"says\": [\n    \"It takes 108 ms.\"\n  ]\n}\n");
}

static void
test_csv_quotes_what_it_must (void **state)
{
  g_autoptr (FabAnswer) answer = sample ();
  g_autofree char *csv = fab_report_csv (answer);

  assert_string_equal (csv, "time_ns,busbw_gbytes_per_s,complete\n108090000,19.8181,true\n\n"
                            "name,down_gbps,oversubscription,share,note\nleaf,9600,1.5,0.803,\"a, \"\"b\"\"\"\nspine,0,,,\n");
}

static void
test_metrics_have_keys_and_paths (void **state)
{
  g_autoptr (FabAnswer) answer = sample ();
  g_autoptr (FabTable) metrics = fab_answer_metrics (answer);

  assert_int_equal (fab_table_n_rows (metrics), 3);   /* what is null is no metric */
  assert_string_equal (fab_table_text (metrics, 0, 0), "w.time_ns");
  assert_string_equal (fab_table_text (metrics, 0, 3), ".workloads.w.time_ns");
  assert_string_equal (fab_table_text (metrics, 0, 4), "lower");
  assert_string_equal (fab_table_text (metrics, 2, 0), "compute.leaf.oversubscription");
  assert_string_equal (fab_table_text (metrics, 2, 3), ".planes.compute.tiers[0].oversubscription");
  fab_assert_close (fab_table_number (metrics, 2, 1), 1.5, 1e-15);
}

static void
test_an_unknown_format_names_those_there_are (void **state)
{
  g_autoptr (FabAnswer) answer = sample ();
  g_autoptr (GError) error = NULL;

  assert_null (fab_report_print (answer, "xml", NULL, &error));
  fab_assert_contains (error->message, "expected one of text, json, csv; got “xml”");
}

static void
test_files_are_written_whole_or_not_at_all (void **state)
{
  g_autofree char *dir = g_dir_make_tmp ("fab-report-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "out", NULL);
  g_autofree char *bad = g_build_filename (dir, "none", "out", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  assert_true (fab_report_write (path, "old", 3, NULL, NULL));
  assert_true (fab_report_write (path, "new", 3, NULL, NULL));
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  assert_string_equal (text, "new");
  assert_false (fab_report_write (bad, "x", 1, NULL, &error));
  assert_int_equal (error->code, FAB_ERROR_WRITE);
  g_clear_error (&error);
  assert_false (fab_report_write ("/dev/full", "x", 1, NULL, &error));
  assert_int_equal (error->code, FAB_ERROR_WRITE);
  g_clear_error (&error);
  assert_false (fab_report_write (dir, "x", 1, NULL, &error));
  assert_int_equal (g_unlink (path), 0);
  assert_int_equal (g_rmdir (dir), 0);   /* empty: no temporary file is left */
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_text_says_first_and_aligns),
    cmocka_unit_test (test_long_text_wraps_under_itself),
    cmocka_unit_test (test_colour_marks_titles_alone),
    cmocka_unit_test (test_json_nests_by_path),
    cmocka_unit_test (test_csv_quotes_what_it_must),
    cmocka_unit_test (test_metrics_have_keys_and_paths),
    cmocka_unit_test (test_an_unknown_format_names_those_there_are),
    cmocka_unit_test (test_files_are_written_whole_or_not_at_all),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
