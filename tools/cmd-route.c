/* cmd-route.c: fabsim route */
#include "fab-command.h"

static char *plane, *engine, *pattern;
static gint samples = 1;
static gint64 seed = 1;

static const GOptionEntry own[] = {
  { "plane", 0, 0, G_OPTION_ARG_STRING, &plane, "Of this plane (the first)", "PLANE" },
  { "routing", 0, 0, G_OPTION_ARG_STRING, &engine, "By this engine instead of the design's: minhop, updn, ftree, dfsssp", "ENGINE" },
  { "pattern", 0, 0, G_OPTION_ARG_STRING, &pattern, "Lay a pattern over the tables: all, shift:K, permutation, bisection", "PATTERN" },
  { "samples", 0, 0, G_OPTION_ARG_INT, &samples, "Draws of a random pattern (1)", "N" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Seed of the draws (1)", "N" },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
};

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) design = command_read_design (command, 0, &error);
  g_autoptr (FabTopology) topology = design != NULL ? fab_design_build_topology (design, &error) : NULL;
  g_autoptr (FabFaults) faults = topology != NULL ? command_faults (command, topology, &error) : NULL;
  FabStudyOptions study;
  FabRouteOptions options;
  FabAnswer *answer = NULL;

  command_study_options (command, &study);
  options = (FabRouteOptions) {
    .plane = plane, .engine = engine, .pattern = pattern, .n_samples = (guint) MAX (samples, 1), .seed = (guint64) seed, .tick = study.tick,
  };
  if (faults != NULL)
    answer = fab_analysis_route (design, topology, faults, &options, &error);
  return command_print (command, answer, error);
}

const FabVerb fabsim_verb_route = {
  .name = "route",
  .summary = "Forwarding tables of a plane: complete, free of credit loops, and how a pattern loads them",
  .usage = "DESIGN",
  .description = "Exit status 1 where a credit loop is left.\n\n"
                 "Examples:\n"
                 "  fabsim route examples/l40s-384.yaml\n"
                 "  fabsim route examples/l40s-384.yaml --routing ftree --pattern shift:4\n"
                 "  fabsim route examples/l40s-384.yaml --pattern bisection --samples 100",
  .n_min = 1,
  .n_max = 1,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_FAIL,
  .own = own,
  .run = run,
};
