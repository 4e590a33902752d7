/* fab-study-whatif.c: a design beside a changed one: only what differs */
#include "design/fab-design-private.h"
#include "fab-analysis.h"
#include "study/fab-run-private.h"
#include <math.h>

#define SAME 1e-9   /* relative: rounding, not a change */

static const FabColumn change_columns[] = {
  { "metric", "metric", FAB_CELL_TEXT, "", "key, as in expect:", 0 },
  { "unit", "unit", FAB_CELL_TEXT, "", "of the values", 0 },
  { "base", "base", FAB_CELL_NUMBER, "", "of the design as it is; none: it has no such metric", 0 },
  { "variant", "variant", FAB_CELL_NUMBER, "", "of the changed design", 0 },
  { "change", "change", FAB_CELL_NUMBER, "", "variant less base", 0 },
  { "relative", "relative", FAB_CELL_SHARE, "", "change over base", 0 },
  { "verdict", "is", FAB_CELL_TEXT, "", "better or worse, where one is; gone or new where only one side has the metric", 0 },
};

static const FabColumn wait_columns[] = {
  { "workload", "workload", FAB_CELL_TEXT, "", "of the design", 0 },
  { "base", "waits most for", FAB_CELL_TEXT, "", "in the design as it is", 0 },
  { "variant", "with the change", FAB_CELL_TEXT, "", "in the changed design", 0 },
};

static const FabColumn rule_columns[] = {
  { "rule", "rule", FAB_CELL_TEXT, "", "id", 0 },
  { "where", "where", FAB_CELL_TEXT, "", "address or key", 0 },
  { "now", "now", FAB_CELL_TEXT, "", "broken or mended", 0 },
  { "what", "what", FAB_CELL_TEXT, "", "was or is found", 0 },
};

/* Everything that is known of one of the two. */
typedef struct
{
  FabAnswer *show, *run, *check;
  FabTable  *metrics;
} Side;

static void
side_clear (Side *side)
{
  g_clear_pointer (&side->show, fab_answer_unref);
  g_clear_pointer (&side->run, fab_answer_unref);
  g_clear_pointer (&side->check, fab_answer_unref);
  g_clear_pointer (&side->metrics, fab_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Side, side_clear)

static gboolean
measure (const FabDesign *design, const char *const *names, const FabStudyOptions *options, Side *side, GError **error)
{
  g_autoptr (FabBuilt) built = fab__built_new (design, options->faults, error);
  g_autoptr (FabAnswer) all = fab_answer_new ("fabsim.metrics/1");

  if (built == NULL || (side->show = fab_analysis_show (design, built->topology, built->faults, error)) == NULL
      || (side->check = fab_analysis_check (design, built->topology, FAB_SEVERITY_ERROR, error)) == NULL)
    return FALSE;
  side->run = design->n_workloads > 0 ? fab_study_run (design, names, options, error) : fab_answer_new ("fabsim.run/1");
  if (side->run == NULL)
    return FALSE;
  fab_answer_append (all, side->show);
  fab_answer_append (all, side->run);
  side->metrics = fab_answer_metrics (all);
  return TRUE;
}

/* ---- cells by column key ---- */

static gsize
column_of (const FabTable *table, const char *key)
{
  gsize n, c = 0;
  const FabColumn *columns = fab_table_columns (table, &n);

  while (c < n && !g_str_equal (columns[c].key, key))
    c++;
  return c;
}

static const char *
text_at (const FabTable *table, gsize row, const char *key)
{
  return fab_table_text (table, row, column_of (table, key));
}

static gsize
find_row (const FabTable *table, const char *key, const char *text)
{
  gsize row = 0;

  while (row < fab_table_n_rows (table) && g_strcmp0 (text_at (table, row, key), text) != 0)
    row++;
  return row;
}

/* ---- metrics ---- */

static void
add_change (FabTable *changes, const FabTable *named, gsize row, double base, double variant, guint *n_worse)
{
  const char *better = text_at (named, row, "better");
  gboolean known = isfinite (base) && isfinite (variant);
  gboolean worse = known && better != NULL && (variant > base) == g_str_equal (better, "lower");

  if (known && fabs (variant - base) <= SAME * MAX (fabs (base), fabs (variant)))
    return;
  fab_table_add_row (changes);
  fab_table_set_text (changes, "metric", text_at (named, row, "key"));
  fab_table_set_text (changes, "unit", text_at (named, row, "unit"));
  fab_table_set_number (changes, "base", base);
  fab_table_set_number (changes, "variant", variant);
  fab_table_set_number (changes, "change", variant - base);
  fab_table_set_number (changes, "relative", base != 0 ? (variant - base) / fabs (base) : NAN);
  fab_table_set_text (changes, "verdict", !isfinite (variant) ? "gone" : !isfinite (base) ? "new" : better == NULL ? NULL : worse ? "worse" : "better");
  *n_worse += worse ? 1 : 0;
}

static void
add_changes (FabAnswer *answer, const Side *base, const Side *variant)
{
  FabTable *changes = fab_table_new (change_columns, G_N_ELEMENTS (change_columns));
  gsize value = column_of (base->metrics, "value");
  guint n_worse = 0;

  for (gsize row = 0; row < fab_table_n_rows (base->metrics); row++)
    {
      gsize other = find_row (variant->metrics, "key", text_at (base->metrics, row, "key"));
      double now = other < fab_table_n_rows (variant->metrics) ? fab_table_number (variant->metrics, other, value) : NAN;

      add_change (changes, base->metrics, row, fab_table_number (base->metrics, row, value), now, &n_worse);
    }
  for (gsize row = 0; row < fab_table_n_rows (variant->metrics); row++)
    if (find_row (base->metrics, "key", text_at (variant->metrics, row, "key")) == fab_table_n_rows (base->metrics))
      add_change (changes, variant->metrics, row, NAN, fab_table_number (variant->metrics, row, value), &n_worse);
  fab_answer_say (answer, "%zu of %zu metrics change, %u for the worse.", fab_table_n_rows (changes), fab_table_n_rows (base->metrics), n_worse);
  fab_answer_add_table (answer, "changes", "What changes", changes);
}

/* ---- bottlenecks ---- */

/* "infiniband compute/leaf1/p25--compute/spine1/p1 (100 %)"; NULL: no such table. */
static char *
first_wait (const FabAnswer *run, const char *path)
{
  for (gsize s = 0; s < fab_answer_n_sections (run); s++)
    {
      const FabSection *section = fab_answer_section (run, s);
      const char *resource;

      if (!g_str_equal (section->path, path) || fab_table_n_rows (section->table) == 0)
        continue;
      resource = text_at (section->table, 0, "resource");
      return g_strdup_printf ("%s%s%s, %d %%", text_at (section->table, 0, "kind"), resource != NULL ? " " : "", resource != NULL ? resource : "",
                              (gint) (100 * fab_table_number (section->table, 0, column_of (section->table, "share")) + 0.5));
    }
  return NULL;
}

static void
add_bottlenecks (FabAnswer *answer, const FabDesign *design, const Side *base, const Side *variant)
{
  FabTable *waits = fab_table_new (wait_columns, G_N_ELEMENTS (wait_columns));

  for (guint w = 0; w < design->n_workloads; w++)
    {
      g_autofree char *path = g_strdup_printf ("workloads.%s.waits", design->workloads[w].name);
      g_autofree char *before = first_wait (base->run, path), *after = first_wait (variant->run, path);

      if (g_strcmp0 (before, after) == 0)
        continue;
      fab_table_add_row (waits);
      fab_table_set_text (waits, "workload", design->workloads[w].name);
      fab_table_set_text (waits, "base", before);
      fab_table_set_text (waits, "variant", after);
    }
  fab_answer_add_table (answer, "bottlenecks", "Who waits for whom now", waits);
}

/* ---- rules ---- */

static const FabTable *
findings_of (const FabAnswer *check)
{
  gsize s = 0;

  while (!g_str_equal (fab_answer_section (check, s)->path, "findings"))
    s++;
  return fab_answer_section (check, s)->table;
}

static gboolean
has_finding (const FabTable *findings, const char *id, const char *where)
{
  for (gsize row = 0; row < fab_table_n_rows (findings); row++)
    if (g_strcmp0 (text_at (findings, row, "id"), id) == 0 && g_strcmp0 (text_at (findings, row, "where"), where) == 0)
      return TRUE;
  return FALSE;
}

/* Findings of @a that @b does not have. */
static void
add_findings (FabTable *rules, const FabTable *a, const FabTable *b, const char *now)
{
  for (gsize row = 0; row < fab_table_n_rows (a); row++)
    {
      if (has_finding (b, text_at (a, row, "id"), text_at (a, row, "where")))
        continue;
      fab_table_add_row (rules);
      fab_table_set_text (rules, "rule", text_at (a, row, "id"));
      fab_table_set_text (rules, "where", text_at (a, row, "where"));
      fab_table_set_text (rules, "now", now);
      fab_table_set_text (rules, "what", text_at (a, row, "what"));
    }
}

static void
add_rules (FabAnswer *answer, const Side *base, const Side *variant)
{
  FabTable *rules = fab_table_new (rule_columns, G_N_ELEMENTS (rule_columns));

  add_findings (rules, findings_of (variant->check), findings_of (base->check), "broken");
  add_findings (rules, findings_of (base->check), findings_of (variant->check), "mended");
  fab_answer_add_table (answer, "rules", "Design rules", rules);
}

FabAnswer *
fab_study_whatif (const FabDesign *base, const FabDesign *variant, const char *const *names, const FabStudyOptions *options, GError **error)
{
  g_auto (Side) before = { NULL }, after = { NULL };
  FabStudyOptions whole = *options;
  FabAnswer *answer;

  whole.faults = NULL;
  if (!measure (base, names, &whole, &before, error) || !measure (variant, names, options, &after, error))
    return NULL;
  answer = fab_answer_new ("fabsim.whatif/1");
  add_changes (answer, &before, &after);
  add_bottlenecks (answer, base, &before, &after);
  add_rules (answer, &before, &after);
  return answer;
}
