/* cmd-check.c: fabsim check */
#include "fab-command.h"

static char *fail_on;
static gboolean list_rules;

static const GOptionEntry own[] = {
  { "fail-on", 0, 0, G_OPTION_ARG_STRING, &fail_on, "Exit with 1 on an error (default), warning or note that is not accepted", "SEVERITY" },
  { "rules", 0, 0, G_OPTION_ARG_NONE, &list_rules, "List all rules instead", NULL },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
};

static gboolean
parse_severity (const char *text, FabSeverity *severity, GError **error)
{
  static const char *const names[] = { "note", "warning", "error" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (text == NULL || g_str_equal (text, names[i]))
      {
        *severity = text == NULL ? FAB_SEVERITY_ERROR : (FabSeverity) i;
        return TRUE;
      }
  g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "--fail-on: expected error, warning or note; got “%s”", text);
  return FALSE;
}

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) design = NULL;
  g_autoptr (FabTopology) topology = NULL;
  FabSeverity severity;

  if (list_rules)
    return command_print (command, fab_analysis_rules (), NULL);
  if (command->n_args == 0)
    g_set_error (&error, FAB_ERROR, FAB_ERROR_VALUE, "check: expected DESIGN, or --rules. Try `fabsim check --help`");
  else if (parse_severity (fail_on, &severity, &error) && (design = command_read_design (command, 0, &error)) != NULL
           && (topology = fab_design_build_topology (design, &error)) != NULL)
    return command_print (command, fab_analysis_check (design, topology, severity, &error), error);
  return command_failed (error);
}

const FabVerb fabsim_verb_check = {
  .name = "check",
  .summary = "Design rules: what is wrong, why it matters, what to do",
  .usage = "DESIGN",
  .description = "A finding is waived in the design with accept: {FAB012: \"the reason\"}.\n"
                 "\n"
                 "Examples:\n"
                 "  fabsim check examples/l40s-384-as-written.yaml\n"
                 "  fabsim check examples/l40s-384.yaml --fail-on warning\n"
                 "  fabsim check --rules",
  .n_min = 0,
  .n_max = 1,
  .options = OPTION_TABLE | OPTION_DESIGN,
  .own = own,
  .run = run,
};
