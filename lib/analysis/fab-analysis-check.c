/* fab-analysis-check.c: all rules over one design, and what of it is accepted */
#include "analysis/fab-rule-private.h"

static const FabColumn finding_columns[] = {
  { "id", "id", FAB_CELL_TEXT, "", "rule", 0 },
  { "severity", "severity", FAB_CELL_TEXT, "", "error, warning or note", 0 },
  { "where", "where", FAB_CELL_TEXT, "", "address or key", 0 },
  { "file", "file", FAB_CELL_TEXT, "", "file, or setting, it stands in", FAB_COLUMN_HIDDEN },
  { "line", "line", FAB_CELL_COUNT, "", "line of that file", 0 },
  { "what", "what", FAB_CELL_TEXT, "", "what was found", 0 },
  { "why", "why", FAB_CELL_TEXT, "", "why it matters", FAB_COLUMN_HIDDEN },
  { "fix", "fix", FAB_CELL_TEXT, "", "what to do", FAB_COLUMN_HIDDEN },
};

static const FabColumn accepted_columns[] = {
  { "id", "id", FAB_CELL_TEXT, "", "rule", 0 },
  { "where", "where", FAB_CELL_TEXT, "", "address or key", 0 },
  { "line", "line", FAB_CELL_COUNT, "", "line of the finding", 0 },
  { "what", "what", FAB_CELL_TEXT, "", "what was found", FAB_COLUMN_HIDDEN },
  { "reason", "accepted because", FAB_CELL_TEXT, "", "the design's reason", 0 },
};

static const FabColumn advice_columns[] = {
  { "id", "id", FAB_CELL_TEXT, "", "rule", 0 },
  { "advice", "why it matters, and what to do", FAB_CELL_TEXT, "", "reason and fix", 0 },
};

static const FabColumn rule_columns[] = {
  { "id", "id", FAB_CELL_TEXT, "", "stable name", FAB_COLUMN_NAME },
  { "severity", "severity", FAB_CELL_TEXT, "", "error, warning or note", 0 },
  { "title", "looks for", FAB_CELL_TEXT, "", "what it finds", 0 },
  { "why", "why", FAB_CELL_TEXT, "", "why it matters", FAB_COLUMN_HIDDEN },
  { "fix", "fix", FAB_CELL_TEXT, "", "what to do", FAB_COLUMN_HIDDEN },
};

static const char *const severities[] = { "note", "warning", "error" };

static const FabRule *const subjects[] = { fab__rules_links, fab__rules_subnet, fab__rules_planes, fab__rules_nodes, fab__rules_design };

/* ---- for the rules ---- */

void
fab__check_add (FabCheck *check, const FabRule *rule, const FabItem *item, const char *where, const char *format, ...)
{
  FabFinding finding = { .rule = rule, .item = item, .where = g_strdup (where) };
  va_list args;

  va_start (args, format);
  finding.what = g_strdup_vprintf (format, args);
  va_end (args);
  g_array_append_val (check->findings, finding);
}

const FabRule *
fab__rule_lookup (const char *id)
{
  for (guint s = 0; s < G_N_ELEMENTS (subjects); s++)
    for (const FabRule *rule = subjects[s]; rule->id != NULL; rule++)
      if (g_str_equal (rule->id, id))
        return rule;
  return NULL;
}

char *
fab__group_hostlist (const FabNodeGroup *group)
{
  return fab_hostlist_compress ((const char *const *) group->nodes, group->n_nodes);
}

const FabPart *
fab__check_part (const FabCheck *check, FabPartKind kind, const char *name)
{
  return name != NULL ? fab__catalog_lookup (check->design->catalog, kind, name) : NULL;
}

/* ---- running them ---- */

static void
finding_clear (gpointer data)
{
  FabFinding *finding = data;

  g_free (finding->where);
  g_free (finding->what);
}

/* Worst first, then by id and place. */
static gint
compare_findings (gconstpointer a, gconstpointer b)
{
  const FabFinding *x = a, *y = b;
  gint by_id;

  if (x->rule->severity != y->rule->severity)
    return x->rule->severity > y->rule->severity ? -1 : 1;
  by_id = g_strcmp0 (x->rule->id, y->rule->id);
  return by_id != 0 ? by_id : g_strcmp0 (x->where, y->where);
}

static GArray *
find_all (const FabDesign *design, FabTopology *topology)
{
  guint32 n_planes = fab_topology_n_planes (topology);
  g_autofree FabCapacity *capacities = g_new0 (FabCapacity, MAX (n_planes, 1));
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (FabFinding));
  FabCheck check = { .design = design, .topology = topology, .capacities = capacities, .findings = findings };

  g_array_set_clear_func (findings, finding_clear);
  for (guint32 p = 0; p < n_planes; p++)
    fab__capacity_count (design, topology, NULL, p, &capacities[p]);
  for (guint s = 0; s < G_N_ELEMENTS (subjects); s++)
    for (const FabRule *rule = subjects[s]; rule->id != NULL; rule++)
      rule->find (rule, &check);
  g_array_sort (findings, compare_findings);
  return findings;
}

static const FabAcceptSpec *
accepted_by (const FabDesign *design, const FabFinding *finding)
{
  for (guint a = 0; a < design->n_accepts; a++)
    if (g_str_equal (design->accepts[a].id, finding->rule->id))
      return &design->accepts[a];
  return NULL;
}

static void
set_line (FabTable *table, const FabFinding *finding)
{
  if (finding->item != NULL && fab__item_line (finding->item) > 0)
    fab_table_set_int (table, "line", fab__item_line (finding->item));
}

static void
add_finding (FabTable *table, const FabFinding *finding)
{
  fab_table_add_row (table);
  fab_table_set_text (table, "id", finding->rule->id);
  fab_table_set_text (table, "severity", severities[finding->rule->severity]);
  fab_table_set_text (table, "where", finding->where);
  fab_table_set_text (table, "file", finding->item != NULL ? fab__item_file (finding->item) : NULL);
  set_line (table, finding);
  fab_table_set_text (table, "what", finding->what);
  fab_table_set_text (table, "why", finding->rule->why);
  fab_table_set_text (table, "fix", finding->rule->fix);
}

static void
add_advice (FabTable *table, const FabFinding *finding, const FabFinding *previous)
{
  g_autofree char *advice = g_strdup_printf ("%s Fix: %s", finding->rule->why, finding->rule->fix);

  if (previous != NULL && previous->rule == finding->rule)
    return;
  fab_table_add_row (table);
  fab_table_set_text (table, "id", finding->rule->id);
  fab_table_set_text (table, "advice", advice);
}

static void
add_accepted (FabTable *table, const FabFinding *finding, const FabAcceptSpec *accept)
{
  fab_table_add_row (table);
  fab_table_set_text (table, "id", finding->rule->id);
  fab_table_set_text (table, "where", finding->where);
  set_line (table, finding);
  fab_table_set_text (table, "what", finding->what);
  fab_table_set_text (table, "reason", accept->reason);
}

static void
say_counts (FabAnswer *answer, const guint *n, gsize n_accepted)
{
  g_autofree char *accepted = n_accepted > 0 ? g_strdup_printf (" (%zu more accepted, with reasons)", n_accepted) : g_strdup ("");

  if (n[0] + n[1] + n[2] == 0)
    fab_answer_say (answer, "Check: nothing found%s.", accepted);
  else
    fab_answer_say (answer, "Check: %u error%s, %u warning%s, %u note%s%s.", n[FAB_SEVERITY_ERROR], n[FAB_SEVERITY_ERROR] == 1 ? "" : "s",
                    n[FAB_SEVERITY_WARNING], n[FAB_SEVERITY_WARNING] == 1 ? "" : "s", n[FAB_SEVERITY_NOTE], n[FAB_SEVERITY_NOTE] == 1 ? "" : "s", accepted);
}

FabAnswer *
fab_analysis_check (const FabDesign *design, FabTopology *topology, FabSeverity fail_on, GError **error)
{
  FabAnswer *answer = fab_answer_new ("fabsim.check/1");
  g_autoptr (GArray) findings = find_all (design, topology);
  FabTable *found = fab_table_new (finding_columns, G_N_ELEMENTS (finding_columns));
  FabTable *advice = fab_table_new (advice_columns, G_N_ELEMENTS (advice_columns));
  FabTable *accepted = fab_table_new (accepted_columns, G_N_ELEMENTS (accepted_columns));
  const FabFinding *previous = NULL;
  guint n[3] = { 0 };

  for (guint i = 0; i < findings->len; i++)
    {
      const FabFinding *finding = &g_array_index (findings, FabFinding, i);
      const FabAcceptSpec *accept = accepted_by (design, finding);

      if (accept != NULL)
        {
          add_accepted (accepted, finding, accept);
          continue;
        }
      add_finding (found, finding);
      add_advice (advice, finding, previous);
      previous = finding;
      n[finding->rule->severity]++;
      if (finding->rule->severity >= fail_on)
        fab_answer_set_found (answer, TRUE);
    }
  say_counts (answer, n, fab_table_n_rows (accepted));
  fab_answer_add_table (answer, "findings", "Findings", found);
  fab_answer_add_table (answer, "advice", "Advice", advice);
  fab_answer_add_table (answer, "accepted", "Accepted", accepted);
  return answer;
}

FabAnswer *
fab_analysis_rules (void)
{
  FabAnswer *answer = fab_answer_new ("fabsim.rules/1");
  FabTable *table = fab_table_new (rule_columns, G_N_ELEMENTS (rule_columns));

  for (guint s = 0; s < G_N_ELEMENTS (subjects); s++)
    for (const FabRule *rule = subjects[s]; rule->id != NULL; rule++)
      {
        fab_table_add_row (table);
        fab_table_set_text (table, "id", rule->id);
        fab_table_set_text (table, "severity", severities[rule->severity]);
        fab_table_set_text (table, "title", rule->title);
        fab_table_set_text (table, "why", rule->why);
        fab_table_set_text (table, "fix", rule->fix);
      }
  fab_answer_add_table (answer, "rules", "Rules", table);
  return answer;
}
