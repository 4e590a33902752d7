/* test-study.c: answers made of runs: ranges, threads, metrics */
#include "fab-fixture.h"
#include "fab-report.h"

static FabAnswer *
run_plan (const char *const *settings, const char *workload, guint n_threads)
{
  const char *names[] = { workload, NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (GError) error = NULL;
  FabStudyOptions options;
  FabAnswer *answer;

  fab_study_options_init (&options);
  options.n_threads = n_threads;
  answer = fab_study_run (design, names, &options, &error);
  fab_assert_no_error (error);
  return answer;
}

static double
metric (const FabAnswer *answer, const char *key)
{
  g_autoptr (FabTable) metrics = fab_answer_metrics (answer);

  for (gsize row = 0; row < fab_table_n_rows (metrics); row++)
    if (g_str_equal (fab_table_text (metrics, row, 0), key))
      return fab_table_number (metrics, row, 1);
  fail_msg ("no metric %s", key);
  return 0;
}

static const FabTable *
section (const FabAnswer *answer, const char *path)
{
  for (gsize s = 0; s < fab_answer_n_sections (answer); s++)
    if (g_str_equal (fab_answer_section (answer, s)->path, path))
      return fab_answer_section (answer, s)->table;
  fail_msg ("no section %s", path);
  return NULL;
}

static void
test_the_range_names_the_number_that_decides (void **state)
{
  g_autoptr (FabAnswer) answer = run_plan (NULL, "gradients", 1);
  const FabTable *range = section (answer, "workloads.gradients.range");
  const char *low_setting[] = { "models.xeon-spr.socket_link=19GB/s", NULL };
  g_autoptr (FabAnswer) low = run_plan (low_setting, "gradients", 1);

  fab_assert_contains (fab_table_text (range, 0, 2), "xeon-spr.socket_link 19GB/s – 22GB/s");
  fab_assert_close (fab_table_number (range, 0, 0), 17.62, 2e-3);
  fab_assert_close (fab_table_number (range, 0, 1), 19.82, 2e-3);
  /* The lower end is what a run with that number says. */
  fab_assert_close (fab_table_number (range, 0, 0), metric (low, "gradients.busbw_gbytes_per_s"), 1e-3);
}

static void
test_a_number_given_without_range_decides_nothing (void **state)
{
  const char *settings[] = { "models.xeon-spr.socket_link=22GB/s", NULL };
  g_autoptr (FabAnswer) answer = run_plan (settings, "gradients", 1);
  const FabTable *range = section (answer, "workloads.gradients.range");

  assert_null (strstr (fab_table_text (range, 0, 2), "socket_link"));
}

static void
test_threads_never_change_a_byte (void **state)
{
  g_autoptr (FabAnswer) one = run_plan (NULL, "gradients", 1);
  g_autoptr (FabAnswer) four = run_plan (NULL, "gradients", 4);
  g_autofree char *one_json = fab_report_json (one);
  g_autofree char *four_json = fab_report_json (four);

  assert_string_equal (one_json, four_json);
}

static void
test_shares_of_the_waits_add_up_to_one (void **state)
{
  static const char *const workloads[] = { "gradients", "flat", "checkpoint" };

  for (gsize w = 0; w < G_N_ELEMENTS (workloads); w++)
    {
      g_autoptr (FabAnswer) answer = run_plan (NULL, workloads[w], 1);
      g_autofree char *path = g_strdup_printf ("workloads.%s.waits", workloads[w]);
      const FabTable *waits = section (answer, path);
      gint64 time_ps = 0;
      double share = 0;

      for (gsize row = 0; row < fab_table_n_rows (waits); row++)
        {
          share += fab_table_number (waits, row, 2);
          time_ps += fab_table_int (waits, row, 3);
        }
      fab_assert_close (share, 1, 1e-12);
      g_free (g_steal_pointer (&path));
      path = g_strdup_printf ("%s.time_ns", workloads[w]);
      fab_assert_close ((double) time_ps / 1e3, metric (answer, path), 1e-12);
    }
}

/* Doubling every rate halves what bandwidth takes. */
static void
test_all_rates_doubled_halve_the_bandwidth_terms (void **state)
{
  static const char base[] =
    "fabsim: 1\n"
    "nodes: {h: {type: host-1nic, count: 8}}\n"
    "planes: {compute: {link: infiniband, topology: {family: fat-tree, tiers: 1, leaf: qm9700}, host_link: {speed: NDR, goodput: 20GB/s}}}\n"
    "workloads: {w: {collective: allreduce, algorithm: ring, bytes: 1GiB, transport: {network_step: 0}}}\n";
  const char *doubled[] = { "planes.compute.host_link.goodput=40GB/s", NULL };
  g_autoptr (FabDesign) slow = fixture_read (base, NULL);
  g_autoptr (FabDesign) fast = fixture_read (base, doubled);

  fab_assert_close (fixture_busbw (fast, "w") / fixture_busbw (slow, "w"), 2, 1e-3);
}

static void
test_renaming_changes_nothing_but_names (void **state)
{
  g_autoptr (FabDesign) plan = fixture_plan (NULL);
  const char *settings[] = { "nodes.gpu={type: l40s-8, names: \"z[001-048]\"}", NULL };
  g_autoptr (FabDesign) renamed = fixture_plan (settings);

  fab_assert_close (fixture_busbw (renamed, "gradients"), fixture_busbw (plan, "gradients"), 1e-15);
}

/* ---- scenarios ---- */

static const char two_jobs[] =
  "fabsim: 1\n"
  "transport: {network_step: 0}\n"
  "nodes: {h: {type: host-1nic, count: 4}}\n"
  "planes: {compute: {link: infiniband, topology: {family: fat-tree, tiers: 1, leaf: qm9700}, host_link: {speed: NDR, goodput: 20GB/s}}}\n"
  "workloads:\n"
  "  a: {pattern: shift, by: 1, bytes: 1GiB}\n"
  "  b: {pattern: shift, by: 1, bytes: 1GiB}\n"
  "scenarios:\n"
  "  together: [{workload: a}, {workload: b}]\n"
  "  apart: [{workload: a}, {workload: b, start: 1s}]\n";

static double
slowdown (const char *scenario, const char *workload)
{
  g_autoptr (FabDesign) design = fixture_read (two_jobs, NULL);
  const char *names[] = { scenario, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (FabAnswer) answer = NULL;
  g_autofree char *key = g_strdup_printf ("%s.%s.slowdown", scenario, workload);
  FabStudyOptions options;

  fab_study_options_init (&options);
  answer = fab_study_run (design, names, &options, &error);
  fab_assert_no_error (error);
  return metric (answer, key);
}

static void
test_two_jobs_on_the_same_links_take_twice_as_long (void **state)
{
  fab_assert_close (slowdown ("together", "a"), 2, 1e-3);
  fab_assert_close (slowdown ("together", "b"), 2, 1e-3);
}

static void
test_a_job_that_starts_when_the_other_is_done_is_not_slowed (void **state)
{
  fab_assert_close (slowdown ("apart", "a"), 1, 1e-9);
  fab_assert_close (slowdown ("apart", "b"), 1, 1e-9);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_the_range_names_the_number_that_decides),
    cmocka_unit_test (test_a_number_given_without_range_decides_nothing),
    cmocka_unit_test (test_threads_never_change_a_byte),
    cmocka_unit_test (test_shares_of_the_waits_add_up_to_one),
    cmocka_unit_test (test_all_rates_doubled_halve_the_bandwidth_terms),
    cmocka_unit_test (test_renaming_changes_nothing_but_names),
    cmocka_unit_test (test_two_jobs_on_the_same_links_take_twice_as_long),
    cmocka_unit_test (test_a_job_that_starts_when_the_other_is_done_is_not_slowed),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
