/* fab-run-ranges.c: which uncertain number decides
 *
 * A changed number leaves all rows as they are, so tables and schedules of the base serve every run: only the topology's numbers
 * and the engine's times are made anew.
 */
#include "study/fab-run-private.h"

/* One end of one number: a design, and its figure for every run that the number can touch. */
typedef struct
{
  const FabRangedNumber *number;
  guint64 value;
  double *figures;       /* one a run; the base's where the number does not touch it */
  GError *error;
} Job;

typedef struct
{
  const FabBuilt        *built;
  const FabRun          *runs;
  guint                  n_runs;
  const FabStudyOptions *options;
  gboolean             **touches;   /* number → run */
  GArray                *numbers;
} Ranges;

/* ---- which numbers a run's bytes pass by ---- */

static void
note_part (GHashTable *parts, const char *name)
{
  if (name != NULL)
    g_hash_table_add (parts, (gpointer) (gsize) name);
}

/* "gen4 x16" names the part gen4. */
static void
note_speed (GHashTable *parts, GStringChunk *texts, const char *speed)
{
  const char *space = speed != NULL ? strchr (speed, ' ') : NULL;

  if (space != NULL)
    note_part (parts, g_string_chunk_insert_len (texts, speed, space - speed));
  else
    note_part (parts, speed);
}

static void
note_used_parts (const FabBuilt *built, const FabRun *run, GHashTable *parts, GStringChunk *texts)
{
  const double *bytes = fab_result_link_bytes (run->result);

  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
    {
      const FabLink *link = fab_topology_link (built->topology, l);

      if (bytes[l] == 0)
        continue;
      note_part (parts, fab_topology_device (built->topology, link->from_device)->part);
      note_part (parts, fab_topology_device (built->topology, link->to_device)->part);
      note_part (parts, link->cable);
      note_speed (parts, texts, link->speed);
    }
}

/* No time hangs on what a part draws or how long a cable may be, nor on what stands here; a number that an engine learns to read
 * comes off the list. */
static gboolean
bears_on_time (const FabNumber *number)
{
  static const char *const unread[] = { "sm_max_nodes", NULL };

  return number->unit != FAB_UNIT_POWER && number->unit != FAB_UNIT_LENGTH && !g_strv_contains (unread, number->key);
}

static void
find_touched (Ranges *ranges)
{
  for (guint r = 0; r < ranges->n_runs; r++)
    {
      g_autoptr (GHashTable) parts = g_hash_table_new (g_str_hash, g_str_equal);
      GStringChunk *texts = g_string_chunk_new (256);

      note_used_parts (ranges->built, &ranges->runs[r], parts, texts);
      for (guint n = 0; n < ranges->numbers->len; n++)
        {
          const FabRangedNumber *number = &g_array_index (ranges->numbers, FabRangedNumber, n);

          ranges->touches[n][r] = !fab__result_is_packet (ranges->runs[r].result) && bears_on_time (number->number)
                                  && (number->kind == FAB_PART_SOFTWARE || g_hash_table_contains (parts, number->part));
        }
      g_string_chunk_free (texts);
    }
}

/* ---- running ---- */

static double
base_figure (const FabRun *run)
{
  return fab__run_figure (run, fab_result_time_ps (run->result));
}

static gboolean
run_job (const Ranges *ranges, Job *job, const gboolean *touches, GError **error)
{
  g_autoptr (FabDesign) design = fab__design_with_value (ranges->built->design, job->number->kind, job->number->part, job->number->number->key,
                                                         job->value, error);
  g_autoptr (FabTopology) topology = design != NULL ? fab_design_build_topology (design, error) : NULL;
  FabBuilt built = *ranges->built;
  FabStudyOptions options = *ranges->options;

  if (topology == NULL)
    return FALSE;
  built.topology = topology;
  options.engine = g_str_equal (options.engine, "auto") ? "fluid" : options.engine;
  options.tick = (FabTick) { NULL };
  for (guint r = 0; r < ranges->n_runs; r++)
    {
      const FabRun *run = &ranges->runs[r];
      const FabWorkloadSpec *workload = &design->workloads[run->workload - ranges->built->design->workloads];
      g_autoptr (FabResult) result = touches[r] ? fab__run_schedule (&built, run->schedule, &workload->rules, &options, NULL, error) : NULL;

      if (touches[r] && result == NULL)
        return FALSE;
      if (result != NULL)
        job->figures[r] = fab__run_figure (run, fab_result_time_ps (result));
    }
  return TRUE;
}

static void
job_func (gpointer data, gpointer user_data)
{
  const Ranges *ranges = user_data;
  Job *job = data;
  gsize n = (gsize) (job->number - (const FabRangedNumber *) (const void *) ranges->numbers->data);

  run_job (ranges, job, ranges->touches[n], &job->error);
}

static gboolean
touches_any (const Ranges *ranges, guint number)
{
  for (guint r = 0; r < ranges->n_runs; r++)
    if (ranges->touches[number][r])
      return TRUE;
  return FALSE;
}

static gboolean
run_jobs (Ranges *ranges, Job *jobs, guint n_jobs, GError **error)
{
  GThreadPool *pool = ranges->options->n_threads > 1 ? g_thread_pool_new (job_func, ranges, (gint) ranges->options->n_threads, FALSE, NULL) : NULL;

  for (guint j = 0; j < n_jobs; j++)
    if (jobs[j].value == jobs[j].number->number->value || !touches_any (ranges, j / 2))
      continue;   /* the base's figures stand */
    else if (pool != NULL)
      g_thread_pool_push (pool, &jobs[j], NULL);
    else
      job_func (&jobs[j], ranges);
  if (pool != NULL)
    g_thread_pool_free (pool, FALSE, TRUE);
  for (guint j = 0; j < n_jobs; j++)
    if (jobs[j].error != NULL)
      {
        g_propagate_error (error, g_steal_pointer (&jobs[j].error));
        return FALSE;
      }
  return TRUE;
}

/* ---- the span ---- */

static char *
describe (const FabRangedNumber *number)
{
  g_autofree char *low = fab_units_format (number->number->low, number->number->unit);
  g_autofree char *high = fab_units_format (number->number->high, number->number->unit);

  return g_strdup_printf ("%s.%s %s – %s", number->part, number->number->key, low, high);
}

static void
span_of_run (const Ranges *ranges, const Job *jobs, guint r, FabRange *range)
{
  double base = base_figure (&ranges->runs[r]), widest = 0;

  *range = (FabRange) { .min = base, .max = base };
  for (guint n = 0; n < ranges->numbers->len; n++)
    {
      double low = jobs[2 * n].figures[r], high = jobs[2 * n + 1].figures[r], span;

      if (!ranges->touches[n][r])
        continue;
      range->min = MIN (range->min, MIN (low, high));
      range->max = MAX (range->max, MAX (low, high));
      span = MAX (MAX (low, high), base) - MIN (MIN (low, high), base);
      if (span <= widest)
        continue;
      widest = span;
      g_free (range->cause);
      range->cause = describe (&g_array_index (ranges->numbers, FabRangedNumber, n));
    }
}

gboolean
fab__run_ranges (const FabBuilt *built, const FabRun *runs, guint n_runs, const FabStudyOptions *options, FabRange *spans, GError **error)
{
  g_autoptr (GArray) numbers = fab__design_ranged_numbers (built->design, built->topology);
  g_autofree gboolean *flags = g_new0 (gboolean, numbers->len * n_runs + 1);
  g_autofree gboolean **touches = g_new0 (gboolean *, numbers->len + 1);
  g_autofree Job *jobs = g_new0 (Job, 2 * numbers->len + 1);
  g_autofree double *figures = g_new0 (double, 2 * numbers->len * n_runs + 1);
  Ranges ranges = { .built = built, .runs = runs, .n_runs = n_runs, .options = options, .touches = touches, .numbers = numbers };
  gboolean ok;

  for (guint n = 0; n < numbers->len; n++)
    touches[n] = flags + n * n_runs;
  find_touched (&ranges);
  for (guint j = 0; j < 2 * numbers->len; j++)
    {
      const FabRangedNumber *number = &g_array_index (numbers, FabRangedNumber, j / 2);

      jobs[j] = (Job) { .number = number, .value = j % 2 == 0 ? number->number->low : number->number->high, .figures = figures + j * n_runs };
      for (guint r = 0; r < n_runs; r++)
        jobs[j].figures[r] = base_figure (&runs[r]);
    }
  ok = run_jobs (&ranges, jobs, 2 * numbers->len, error);
  for (guint r = 0; r < n_runs && ok; r++)
    span_of_run (&ranges, jobs, r, &spans[r]);
  for (guint j = 0; j < 2 * numbers->len; j++)
    g_clear_error (&jobs[j].error);
  return ok;
}
