/* cmd-metrics.c: fabsim metrics */
#include "fab-command.h"

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) design = command_read_design (command, 0, &error);
  FabStudyOptions options;
  FabAnswer *answer = NULL;

  command_study_options (command, &options);
  if (design != NULL)
    answer = fab_study_metrics (design, &options, &error);
  return command_print (command, answer, error);
}

const FabVerb fabsim_verb_metrics = {
  .name = "metrics",
  .summary = "Every number of the design by key: value, unit, JSON path, meaning",
  .usage = "DESIGN",
  .description = "The keys are those of expect:.\n"
                 "\n"
                 "Examples:\n"
                 "  fabsim metrics examples/l40s-384.yaml\n"
                 "  fabsim metrics examples/l40s-384.yaml --format csv | grep oversubscription",
  .n_min = 1,
  .n_max = 1,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_RUN,
  .run = run,
};
