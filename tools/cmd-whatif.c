/* cmd-whatif.c: fabsim whatif */
#include "fab-command.h"

/* The design as it stands in the file, without the settings. */
static FabDesign *
read_base (FabCommand *command, GError **error)
{
  char **settings = command->settings;
  FabDesign *base;

  if (g_str_equal (command->args[0], "-"))
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "whatif: expected a file, which is read twice; got standard input");
      return NULL;
    }
  command->settings = NULL;
  base = command_read_design (command, 0, error);
  command->settings = settings;
  return base;
}

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) base = NULL, variant = NULL;
  FabStudyOptions options;
  FabAnswer *answer = NULL;

  command_study_options (command, &options);
  options.no_ranges = TRUE;
  if (command->settings == NULL && command->failures == NULL)
    g_set_error (&error, FAB_ERROR, FAB_ERROR_VALUE, "whatif: expected a change: --set KEY=VALUE or --fail ADDRESS. Try `fabsim whatif --help`");
  else if ((base = read_base (command, &error)) != NULL && (variant = command_read_design (command, 0, &error)) != NULL)
    answer = fab_study_whatif (base, variant, (const char *const *) command->args + 1, &options, &error);
  return command_print (command, answer, error);
}

const FabVerb fabsim_verb_whatif = {
  .name = "whatif",
  .summary = "A change beside the design as it is: only what differs, better or worse",
  .usage = "DESIGN [WORKLOAD…]",
  .description = "All settings and failures together are one change. The file is never written. Ranges of numbers are not run.\n"
                 "\n"
                 "Examples:\n"
                 "  fabsim whatif examples/l40s-384.yaml --fail compute/spine1\n"
                 "  fabsim whatif examples/l40s-384.yaml --set planes.compute.topology.uplinks_per_spine=1\n"
                 "  fabsim whatif examples/l40s-384.yaml gradients --set workloads.gradients.node_stage=two-level",
  .n_min = 1,
  .n_max = G_MAXUINT,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_RUN | OPTION_FAIL,
  .run = run,
};
