/* test-metamorphic.c: what a change of a design must do to its answer, whatever the answer is */
#include "fab-random-design.h"
#include <math.h>

#define N_DESIGNS 1000

static const char *const engines[] = { "bound", "fluid" };

/* An answer without the names in it. */
typedef struct
{
  gint64  time_ps;
  GArray *waits;      /* of gint64: kind and time of each, sorted */
  GArray *bytes;      /* of double: of each link that carried any, sorted */
  guint32 n_ops;
} Answer;

static gint
by_number (gconstpointer a, gconstpointer b)
{
  double first = *(const double *) a, second = *(const double *) b;

  return first < second ? -1 : first > second;
}

static gint
by_time (gconstpointer a, gconstpointer b)
{
  gint64 first = *(const gint64 *) a, second = *(const gint64 *) b;

  return first < second ? -1 : first > second;
}

static void
answer_clear (Answer *answer)
{
  g_clear_pointer (&answer->waits, g_array_unref);
  g_clear_pointer (&answer->bytes, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Answer, answer_clear)

static void
answer_of (const FabBuilt *built, const FabRun *run, Answer *answer)
{
  gsize n_waits;
  const FabWait *waits = fab_result_waits (run->result, &n_waits);

  *answer = (Answer) {
    .time_ps = fab_result_time_ps (run->result), .n_ops = fab_schedule_n_ops (run->schedule),
    .waits = g_array_new (FALSE, FALSE, sizeof (gint64)), .bytes = g_array_new (FALSE, FALSE, sizeof (double)),
  };
  for (gsize w = 0; w < n_waits; w++)
    {
      gint64 row = waits[w].time_ps * FAB_N_WAIT_KINDS + waits[w].kind;

      g_array_append_val (answer->waits, row);
    }
  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
    if (fab_result_link_bytes (run->result)[l] > 0)
      g_array_append_val (answer->bytes, fab_result_link_bytes (run->result)[l]);
  g_array_sort (answer->waits, by_time);
  g_array_sort (answer->bytes, by_number);
}

static void
answer (const RandomDesign *design, const char *engine, Answer *answer)
{
  g_autofree char *text = random_text (design);
  g_autoptr (FabDesign) read = random_read (text);
  g_autoptr (FabBuilt) built = fixture_build (read);
  FabRun run;

  random_run (built, design->names[3], engine, &run);
  answer_of (built, &run, answer);
  fab__run_clear (&run);
}

static gboolean
same_rows (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * g_array_get_element_size ((GArray *) (gsize) a)) == 0;
}

/* Sums of the same bytes, perhaps in another order. */
static gboolean
same_sums (const GArray *a, const GArray *b)
{
  for (guint i = 0; i < a->len; i++)
    if (fabs (g_array_index (a, double, i) - g_array_index (b, double, i)) > 1e-12 * g_array_index (a, double, i))
      return FALSE;
  return a->len == b->len;
}

static gboolean
same_answer (const Answer *a, const Answer *b)
{
  return a->time_ps == b->time_ps && a->n_ops == b->n_ops && same_rows (a->waits, b->waits) && same_rows (a->bytes, b->bytes);
}

/* Says which designs differ; returns how many. */
static guint
note (gboolean ok, guint32 seed, const char *engine, gint64 before_ps, gint64 after_ps, const RandomDesign *design)
{
  g_autofree char *text = ok ? NULL : random_text (design);

  if (!ok)
    print_error ("seed %u, %s: %" G_GINT64_FORMAT " ps became %" G_GINT64_FORMAT " ps\n%s", seed, engine, before_ps, after_ps, text);
  return ok ? 0 : 1;
}

/* ---- names and order ---- */

/* Changes @design; an answer with it must be the one without. */
static void
assert_means_nothing (void (*change) (RandomDesign *design))
{
  guint n_faults = 0;

  for (guint32 seed = 1; seed <= N_DESIGNS; seed++)
    for (gsize e = 0; e < G_N_ELEMENTS (engines); e++)
      {
        g_auto (Answer) before = { 0 }, after = { 0 };
        RandomDesign design;

        random_design (seed, &design);
        answer (&design, engines[e], &before);
        change (&design);
        answer (&design, engines[e], &after);
        n_faults += note (same_answer (&before, &after), seed, engines[e], before.time_ps, after.time_ps, &design);
      }
  assert_int_equal (n_faults, 0);
}

static void
rename_all (RandomDesign *design)
{
  static const char *const names[] = { "zulu", "alpha", "x-ray", "mike" };

  memcpy (design->names, names, sizeof names);
}

static void
test_names_change_nothing (void **state)
{
  assert_means_nothing (rename_all);
}

static void
reverse (RandomDesign *design)
{
  design->reversed = TRUE;
}

static void
test_the_order_of_the_file_changes_nothing (void **state)
{
  assert_means_nothing (reverse);
}

/* Nodes of one type in file order are the same nodes, whatever groups they are called by. */
static void
swap_groups (RandomDesign *design)
{
  guint count = design->counts[0];

  if (design->counts[1] == 0)
    return;
  design->counts[0] = design->counts[1];
  design->counts[1] = count;
}

static void
test_which_of_two_like_groups_comes_first_changes_nothing (void **state)
{
  assert_means_nothing (swap_groups);
}

/* ---- rates ---- */

static void
draw_rates (guint32 seed, RandomDesign *design)
{
  GRand *rand = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < G_N_ELEMENTS (design->gbytes_per_s); i++)
    design->gbytes_per_s[i] = (guint) g_rand_int_range (rand, 2, 13);
  design->free_steps = TRUE;
  design->host_speed = g_str_equal (design->host_speed, "HDR100") ? "HDR" : design->host_speed;
  design->storage = FALSE;
  g_rand_free (rand);
}

/* Only rates are left: no latency, no software cost. */
static void
assert_only_rates_count (const RandomDesign *design)
{
  g_autofree char *text = random_text (design);
  g_autoptr (FabDesign) read = random_read (text);
  g_autoptr (FabBuilt) built = fixture_build (read);

  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
    assert_int_equal (fab_topology_link (built->topology, l)->latency_ps, 0);
  for (guint32 d = 0; d < fab_topology_n_devices (built->topology); d++)
    assert_int_equal (fab_topology_device (built->topology, d)->latency_ps, 0);
}

static void
test_twice_all_rates_is_half_the_time (void **state)
{
  guint n_faults = 0;

  for (guint32 seed = 1; seed <= N_DESIGNS; seed++)
    for (gsize e = 0; e < G_N_ELEMENTS (engines); e++)
      {
        g_auto (Answer) once = { 0 }, twice = { 0 };
        RandomDesign design;
        gboolean chained;
        gint64 gap_ps;

        random_design (seed, &design);
        draw_rates (seed, &design);
        assert_only_rates_count (&design);
        answer (&design, engines[e], &once);
        for (gsize i = 0; i < G_N_ELEMENTS (design.gbytes_per_s); i++)
          design.gbytes_per_s[i] *= 2;
        answer (&design, engines[e], &twice);
        /* Each operation may round by a picosecond or two. In a pipeline of steps whose flows meet, a step that starts so much earlier may
         * grow into more: whom it meets hangs on it. */
        chained = g_strcmp0 (design.form, "steps") == 0 && (strstr (design.kind, "tree") != NULL || strstr (design.kind, "pipelined") != NULL);
        gap_ps = ABS (once.time_ps - 2 * twice.time_ps);
        n_faults += note (gap_ps <= 4 * (gint64) once.n_ops + once.time_ps / (chained ? 200 : 1000000000), seed, engines[e], once.time_ps,
                          2 * twice.time_ps, &design);
        n_faults += note (same_sums (once.bytes, twice.bytes), seed, engines[e], once.time_ps, 2 * twice.time_ps, &design);
      }
  assert_int_equal (n_faults, 0);
}

/* ---- faults ---- */

static void
run_with (const FabBuilt *built, FabFaults *faults, const char *engine, Answer *answer)
{
  FabBuilt with = *built;
  FabRun run;

  with.faults = faults;
  random_run (&with, "w", engine, &run);
  answer_of (built, &run, answer);
  fab__run_clear (&run);
}

/* A fault costs time or none, and leaves no trace where it is taken back; nor does a cap above the rate. */
static void
test_a_fault_repaired_is_as_if_it_had_not_been (void **state)
{
  static const char *const down[] = { "compute/spine1", NULL };
  guint n_faults = 0, n_slower = 0;

  for (guint32 seed = 1; seed <= N_DESIGNS; seed++)
    for (gsize e = 0; e < G_N_ELEMENTS (engines); e++)
      {
        g_auto (Answer) base = { 0 }, fault = { 0 }, repaired = { 0 }, capped = { 0 };
        RandomDesign design;
        g_autofree char *text = NULL;
        g_autoptr (FabDesign) read = NULL;
        g_autoptr (FabBuilt) built = NULL, broken = NULL;
        g_autoptr (FabFaults) none = NULL, cap = NULL;
        g_autoptr (GError) error = NULL;

        random_design (seed, &design);
        design.spines = MAX (design.spines, 2);
        text = random_text (&design);
        read = random_read (text);
        built = fixture_build (read);
        run_with (built, NULL, engines[e], &base);
        broken = fab__built_new (read, down, &error);
        fab_assert_no_error (error);
        run_with (broken, broken->faults, engines[e], &fault);
        none = fab_faults_new (built->topology);
        run_with (built, none, engines[e], &repaired);
        cap = fab_faults_new (built->topology);
        assert_true (fab_faults_cap (cap, "compute/leaf1", G_GUINT64_CONSTANT (1000000000000000), &error));
        run_with (built, cap, engines[e], &capped);
        n_faults += note (same_answer (&base, &repaired), seed, engines[e], base.time_ps, repaired.time_ps, &design);
        n_faults += note (same_answer (&base, &capped), seed, engines[e], base.time_ps, capped.time_ps, &design);
        n_slower += fault.time_ps > base.time_ps ? 1 : 0;
      }
  assert_int_equal (n_faults, 0);
  assert_true (n_slower > 0);
}

/* ---- links ---- */

static void
test_bound_never_rises_when_links_are_added (void **state)
{
  guint n_faults = 0, n_faster = 0;

  for (guint32 seed = 1; seed <= N_DESIGNS; seed++)
    {
      RandomDesign design;
      gint64 before_ps, after_ps;

      random_design (seed, &design);
      before_ps = random_time_ps (&design, "bound");
      design.uplinks_per_spine++;
      after_ps = random_time_ps (&design, "bound");
      n_faults += note (after_ps <= before_ps, seed, "bound", before_ps, after_ps, &design);
      n_faster += after_ps < before_ps ? 1 : 0;
    }
  assert_int_equal (n_faults, 0);
  assert_true (n_faster > 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_names_change_nothing),
    cmocka_unit_test (test_the_order_of_the_file_changes_nothing),
    cmocka_unit_test (test_which_of_two_like_groups_comes_first_changes_nothing),
    cmocka_unit_test (test_twice_all_rates_is_half_the_time),
    cmocka_unit_test (test_a_fault_repaired_is_as_if_it_had_not_been),
    cmocka_unit_test (test_bound_never_rises_when_links_are_added),
  };

  return cmocka_run_group_tests (tests, NULL, random_teardown);
}
