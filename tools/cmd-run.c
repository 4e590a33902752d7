/* cmd-run.c: fabsim run */
#include "fab-command.h"

static char *sizes, *matrix;

static const GOptionEntry own[] = {
  { "sizes", 0, 0, G_OPTION_ARG_STRING, &sizes,
    "Also each workload at sizes from MIN to MAX, each FACTOR (2) times the one before, in nccl-tests' columns", "MIN:MAX[:FACTOR]" },
  { "matrix", 0, 0, G_OPTION_ARG_STRING, &matrix, "Also who sends how much to whom: node or gpu", "WHO" },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
};

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) design = command_read_design (command, 0, &error);
  FabStudyOptions options;
  FabAnswer *answer = NULL;

  command_study_options (command, &options);
  options.sizes = sizes;
  options.matrix = matrix;
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
                 "  fabsim run examples/l40s-384.yaml step-and-checkpoint\n"
                 "  fabsim run examples/claims/storage-where.yaml on-the-same-lane --engine packet\n"
                 "  fabsim run examples/l40s-384.yaml checkpoint --engine auto --timing\n"
                 "  fabsim run examples/l40s-384.yaml gradients --sizes 8:8GiB:4 --no-ranges\n"
                 "  fabsim run examples/l40s-384.yaml flat --matrix node --format csv",
  .n_min = 1,
  .n_max = G_MAXUINT,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_RUN | OPTION_FAIL,
  .own = own,
  .run = run,
};
