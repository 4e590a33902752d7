/* cmd-path.c: fabsim path */
#include "fab-command.h"

static char *plane;

static const GOptionEntry own[] = {
  { "plane", 0, 0, G_OPTION_ARG_STRING, &plane, "Over this plane (the first that joins the two)", "PLANE" },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
};

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) design = command_read_design (command, 0, &error);
  g_autoptr (FabTopology) topology = design != NULL ? fab_design_build_topology (design, &error) : NULL;
  g_autoptr (FabFaults) faults = topology != NULL ? command_faults (command, topology, &error) : NULL;
  FabAnswer *answer = NULL;

  if (faults != NULL)
    answer = fab_analysis_path (design, topology, faults, command->args[1], command->args[2], plane, &error);
  return command_print (command, answer, error);
}

const FabVerb fabsim_verb_path = {
  .name = "path",
  .summary = "Which way the data takes from one device to another, hop by hop",
  .usage = "DESIGN SRC DST",
  .description = "SRC and DST are devices: node/gpuN, node/memN, node/nicN.\n"
                 "\n"
                 "Examples:\n"
                 "  fabsim path examples/l40s-384.yaml gpu001/gpu0 gpu048/gpu5\n"
                 "  fabsim path examples/l40s-384.yaml gpu001/gpu0 gpu001/gpu4\n"
                 "  fabsim path examples/l40s-384.yaml gpu001/gpu0 store1/mem0 --plane storage",
  .n_min = 3,
  .n_max = 3,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_FAIL,
  .own = own,
  .run = run,
};
