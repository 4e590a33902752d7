/* cmd-run.c: fabsim run */
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
    answer = fab_study_run (design, (const char *const *) command->args + 1, &options, &error);
  return command_print (command, answer, error);
}

const FabVerb fabsim_verb_run = {
  .name = "run",
  .summary = "What workloads take, and who waits for whom",
  .usage = "DESIGN [WORKLOAD|SCENARIO…]",
  .description = "Without names, all workloads of the design, each alone. A scenario runs its workloads together and says how much each is slowed.\n"
                 "\n"
                 "Examples:\n"
                 "  fabsim run examples/l40s-384.yaml\n"
                 "  fabsim run examples/l40s-384.yaml gradients --format json\n"
                 "  fabsim run examples/l40s-384.yaml gradients --set models.xeon-spr.socket_link=19GB/s\n"
                 "  fabsim run examples/l40s-384.yaml flat --fail compute/spine1\n"
                 "  fabsim run examples/l40s-384.yaml step-and-checkpoint",
  .n_min = 1,
  .n_max = G_MAXUINT,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_RUN | OPTION_FAIL,
  .run = run,
};
