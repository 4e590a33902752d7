/* cmd-show.c: fabsim show */
#include "fab-command.h"

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) design = command_read_design (command, 0, &error);
  g_autoptr (FabTopology) topology = design != NULL ? fab_design_build_topology (design, &error) : NULL;
  g_autoptr (FabFaults) faults = topology != NULL ? command_faults (command, topology, &error) : NULL;
  FabAnswer *answer = faults != NULL ? fab_analysis_show (design, topology, faults, &error) : NULL;

  return command_print (command, answer, error);
}

const FabVerb fabsim_verb_show = {
  .name = "show",
  .summary = "What the plan is: planes, tiers, oversubscription, ports, growth, cables",
  .usage = "DESIGN",
  .description = "Examples:\n"
                 "  fabsim show examples/l40s-384.yaml\n"
                 "  fabsim show examples/l40s-384.yaml --format json\n"
                 "  fabsim show examples/l40s-384.yaml --set planes.compute.topology.uplinks_per_spine=6",
  .n_min = 1,
  .n_max = 1,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_FAIL,
  .run = run,
};
