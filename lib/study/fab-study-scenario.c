/* fab-study-scenario.c: several workloads at once: how much each is slowed, by whom, and where */
#include "study/fab-run-private.h"
#include "workload/fab-schedule-private.h"
#include <math.h>

static const FabColumn part_columns[] = {
  { "workload", "workload", FAB_CELL_TEXT, "", "part of the scenario", FAB_COLUMN_NAME },
  { "start_ns", "start", FAB_CELL_TIME, "ns", "when it starts", 0 },
  { "time_ns", "takes", FAB_CELL_TIME, "ns", "from its start, with the others", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "alone_ns", "alone", FAB_CELL_TIME, "ns", "from its start, by itself", 0 },
  { "slowdown", "slowdown", FAB_CELL_NUMBER, "", "with the others over alone", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "shares_with", "shares links with", FAB_CELL_TEXT, "", "the other part it meets on the busiest link", 0 },
  { "shared_link", "busiest of them", FAB_CELL_TEXT, "", "the link that the two together keep busy longest", 0 },
};

static const FabColumn scenario_columns[] = {
  { "time_ns", "time", FAB_CELL_TIME, "ns", "until all parts are done", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "worst_slowdown", "worst slowdown", FAB_CELL_NUMBER, "", "of any part", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "engine", "engine", FAB_CELL_TEXT, "", "engine that reckoned it, together and alone", 0 },
  { "engine_reason", "why this engine", FAB_CELL_TEXT, "", "of --engine auto: what decided", 0 },
  { "complete", "complete", FAB_CELL_BOOL, "", "whether everything ran to its end", FAB_COLUMN_HIDDEN },
};

/* What is known of one part. */
typedef struct
{
  const FabScenarioPart *part;
  FabRun  alone;
  gint64  time_ps;        /* with the others */
  gint    shares_with;    /* part; -1: nobody */
  guint32 shared_link;
} Part;

static gint64
last_finish (const FabResult *result, guint32 first, guint32 end)
{
  gint64 last_ps = 0;

  for (guint32 op = first; op < end; op++)
    last_ps = MAX (last_ps, fab_result_finish_ps (result)[op]);
  return last_ps;
}

/* The other part, and the link of both that the two together keep busy longest: where they get in each other's way. */
static void
find_shared (const FabBuilt *built, Part *parts, guint n_parts, guint p)
{
  const double *own = fab_result_link_bytes (parts[p].alone.result);
  double most = 0;

  parts[p].shares_with = -1;
  for (guint other = 0; other < n_parts; other++)
    {
      const double *theirs = fab_result_link_bytes (parts[other].alone.result);

      for (guint32 l = 0; other != p && l < fab_topology_n_links (built->topology); l++)
        {
          double busy = (own[l] + theirs[l]) / (double) fab_topology_link (built->topology, l)->goodput_bps;

          if (own[l] == 0 || theirs[l] == 0 || busy <= most)
            continue;
          most = busy;
          parts[p].shares_with = (gint) other;
          parts[p].shared_link = l;
        }
    }
}

static gboolean
same_rules (const FabTransportRules *a, const FabTransportRules *b)
{
  return a->p2p_level == b->p2p_level && a->gdr_level == b->gdr_level && a->pcie_step_ps == b->pcie_step_ps && a->network_step_ps == b->network_step_ps;
}

static FabResult *
run_together (const FabBuilt *built, const FabScenarioSpec *scenario, Part *parts, const FabStudyOptions *options, FabChoice *choice,
              GError **error)
{
  g_autofree FabSchedule **schedules = g_new0 (FabSchedule *, scenario->n_parts + 1);
  g_autofree gint64 *starts_ps = g_new0 (gint64, scenario->n_parts + 1);
  g_autofree guint32 *first_ops = g_new0 (guint32, scenario->n_parts + 1);
  const FabTransportRules *rules = &parts[0].alone.workload->rules;
  g_autoptr (FabSchedule) whole = NULL;
  FabResult *result;

  for (guint p = 0; p < scenario->n_parts; p++)
    {
      schedules[p] = parts[p].alone.schedule;
      starts_ps[p] = parts[p].part->start_ps;
      if (same_rules (rules, &parts[p].alone.workload->rules))
        continue;
      fab__item_error (scenario->item, error, FAB_ERROR_UNSUPPORTED, "expected workloads with the same transport: rules in one scenario");
      return NULL;
    }
  whole = fab__schedule_merge (schedules, starts_ps, scenario->n_parts, first_ops, error);
  if (whole == NULL)
    return NULL;
  result = fab__run_schedule (built, whole, rules, options, choice, error);
  for (guint p = 0; result != NULL && p < scenario->n_parts; p++)
    parts[p].time_ps = MAX (last_finish (result, first_ops[p], first_ops[p + 1]) - starts_ps[p], 0);
  return result;
}

static double
slowdown (const Part *part)
{
  gint64 alone_ps = fab_result_time_ps (part->alone.result);

  return alone_ps > 0 ? (double) part->time_ps / (double) alone_ps : NAN;
}

static void
add_parts (FabAnswer *answer, const FabBuilt *built, const FabScenarioSpec *scenario, const Part *parts)
{
  g_autofree char *path = g_strdup_printf ("scenarios.%s.parts", scenario->name);
  g_autofree char *title = g_strdup_printf ("Scenario %s", scenario->name);
  FabTable *table = fab_table_new (part_columns, G_N_ELEMENTS (part_columns));

  for (guint p = 0; p < scenario->n_parts; p++)
    {
      g_autofree char *link = parts[p].shares_with >= 0 ? fab_topology_link_address (built->topology, parts[p].shared_link) : NULL;

      fab_table_add_row (table);
      fab_table_set_text (table, "workload", parts[p].alone.workload->name);
      fab_table_set_int (table, "start_ns", parts[p].part->start_ps);
      fab_table_set_int (table, "time_ns", parts[p].time_ps);
      fab_table_set_int (table, "alone_ns", fab_result_time_ps (parts[p].alone.result));
      fab_table_set_number (table, "slowdown", slowdown (&parts[p]));
      if (parts[p].shares_with >= 0)
        fab_table_set_text (table, "shares_with", parts[parts[p].shares_with].alone.workload->name);
      fab_table_set_text (table, "shared_link", link);
    }
  fab_answer_add_table (answer, path, title, table);
}

static gboolean
all_complete (const Part *parts, guint n_parts, const FabResult *whole)
{
  for (guint p = 0; p < n_parts; p++)
    if (!fab_result_complete (parts[p].alone.result))
      return FALSE;
  return fab_result_complete (whole);
}

static void
add_scenario (FabAnswer *answer, const FabBuilt *built, const FabScenarioSpec *scenario, const Part *parts, const FabResult *result,
              const FabChoice *choice)
{
  g_autofree char *path = g_strdup_printf ("scenarios.%s", scenario->name);
  g_autofree char *time = fab_units_format_time (fab_result_time_ps (result)), *reason = fab__choice_words (choice);
  FabTable *table = fab_table_new (scenario_columns, G_N_ELEMENTS (scenario_columns));
  guint worst = 0;
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint p = 1; p < scenario->n_parts; p++)
    if (slowdown (&parts[p]) > slowdown (&parts[worst]))
      worst = p;
  fab_table_add_row (table);
  fab_table_set_int (table, "time_ns", fab_result_time_ps (result));
  fab_table_set_number (table, "worst_slowdown", slowdown (&parts[worst]));
  fab_table_set_text (table, "engine", fab_result_engine (result));
  fab_table_set_text (table, "engine_reason", reason);
  fab_table_set_bool (table, "complete", fab_result_complete (result));
  fab_answer_add_record (answer, path, NULL, table);
  if (!all_complete (parts, scenario->n_parts, result))
    fab_answer_say (answer, "%s: not all ran to its end; what is known takes %s.", scenario->name, time);
  else if (slowdown (&parts[worst]) < 1.001 || parts[worst].shares_with < 0)
    fab_answer_say (answer, "%s takes %s: no part slows another by more than 0.1 %%.", scenario->name, time);
  else
    {
      g_autofree char *link = fab_topology_link_address (built->topology, parts[worst].shared_link);

      fab_answer_say (answer, "%s takes %s: %s suffers most, %s times as long as alone, from %s; they meet on %s.", scenario->name, time,
                      parts[worst].alone.workload->name, g_ascii_formatd (digits, sizeof digits, "%.2f", slowdown (&parts[worst])),
                      parts[parts[worst].shares_with].alone.workload->name, link);
    }
  if (reason != NULL)
    fab_answer_say (answer, "%s: engine by %s.", scenario->name, reason);
  add_parts (answer, built, scenario, parts);
  fab__study_packet (answer, built, path, scenario->name, result);
}

/* One part by flows and the whole by packets would compare engines. */
static gboolean
run_alone_alike (const FabBuilt *built, Part *parts, guint n_parts, const FabResult *whole, const FabStudyOptions *options, GError **error)
{
  FabStudyOptions alike = *options;

  alike.engine = fab_result_engine (whole);
  alike.sharing = fab__result_is_packet (whole) ? NULL : options->sharing;
  for (guint p = 0; p < n_parts; p++)
    {
      FabRun *run = &parts[p].alone;
      FabResult *result;

      if (g_str_equal (fab_result_engine (run->result), alike.engine))
        continue;
      result = fab__run_schedule (built, run->schedule, &run->workload->rules, &alike, &run->choice, error);
      if (result == NULL)
        return FALSE;
      fab_result_unref (run->result);
      run->result = result;
    }
  return TRUE;
}

gboolean
fab__study_scenario (FabAnswer *answer, const FabBuilt *built, const FabScenarioSpec *scenario, const FabStudyOptions *options, GError **error)
{
  g_autofree gboolean *taken = g_new0 (gboolean, MAX (fab_topology_n_nodes (built->topology), 1));
  g_autofree Part *parts = g_new0 (Part, MAX (scenario->n_parts, 1));
  g_autoptr (FabResult) result = NULL;
  gboolean ok = scenario->n_parts > 0;
  FabChoice choice;

  if (!ok)
    fab__item_error (scenario->item, error, FAB_ERROR_VALUE, "expected workloads, got none");
  for (guint p = 0; p < scenario->n_parts && ok; p++)
    {
      parts[p].part = &scenario->parts[p];
      ok = fab__run_spec (built, &built->design->workloads[scenario->parts[p].workload], taken, options, &parts[p].alone, error);
    }
  if (ok)
    result = run_together (built, scenario, parts, options, &choice, error);
  if (result != NULL && !run_alone_alike (built, parts, scenario->n_parts, result, options, error))
    g_clear_pointer (&result, fab_result_unref);
  for (guint p = 0; p < scenario->n_parts && result != NULL; p++)
    find_shared (built, parts, scenario->n_parts, p);
  if (result != NULL)
    add_scenario (answer, built, scenario, parts, result, &choice);
  for (guint p = 0; p < scenario->n_parts; p++)
    fab__run_clear (&parts[p].alone);
  return result != NULL;
}
