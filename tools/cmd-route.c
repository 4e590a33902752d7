/* cmd-route.c: fabsim route */
#include "fab-command.h"

static char *plane, *engine, *pattern, *tables, *dump;
static gint samples = 1;
static gint64 seed = 1;

static const GOptionEntry own[] = {
  { "plane", 0, 0, G_OPTION_ARG_STRING, &plane, "Of this plane (the first)", "PLANE" },
  { "routing", 0, 0, G_OPTION_ARG_STRING, &engine, "By this engine instead of the design's: minhop, updn, ftree, dfsssp", "ENGINE" },
  { "tables", 0, 0, G_OPTION_ARG_FILENAME, &tables, "Read the tables from FILE, as OpenSM dumps them (opensm-lfts.dump), instead", "FILE" },
  { "dump", 0, 0, G_OPTION_ARG_FILENAME, &dump, "Write the tables to FILE in that form (-: standard output, without the answer)", "FILE" },
  { "pattern", 0, 0, G_OPTION_ARG_STRING, &pattern, "Lay a pattern over the tables: all, shift:K, permutation, bisection", "PATTERN" },
  { "samples", 0, 0, G_OPTION_ARG_INT, &samples, "Draws of a random pattern (1)", "N" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Seed of the draws (1)", "N" },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
};

/* Returns the status. */
static int
dump_tables (const FabDesign *design, FabTopology *topology, const FabFaults *faults, const FabRouteOptions *options)
{
  GError *error = NULL;
  g_autoptr (FabRoutes) routes = fab_analysis_routes (design, topology, faults, options, &error);
  gsize len = 0;
  g_autofree char *text = routes != NULL ? fab_lfts_write (routes, &len, &error) : NULL;

  return text != NULL ? command_write (dump, text, len) : command_failed (error);
}

static char *
read_tables (GError **error)
{
  g_autoptr (GError) why = NULL;
  char *text = NULL;

  if (tables != NULL && engine != NULL)
    g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "--tables: expected either tables or a routing engine, got both");
  else if (tables != NULL && !g_file_get_contents (tables, &text, NULL, &why))
    g_set_error (error, FAB_ERROR, FAB_ERROR_READ, "--tables: %s", why->message);
  return text;
}

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autofree char *text = read_tables (&error);
  g_autoptr (FabDesign) design = error == NULL ? command_read_design (command, 0, &error) : NULL;
  g_autoptr (FabTopology) topology = design != NULL ? fab_design_build_topology (design, &error) : NULL;
  g_autoptr (FabFaults) faults = topology != NULL ? command_faults (command, topology, &error) : NULL;
  FabStudyOptions study;
  FabRouteOptions options;
  FabAnswer *answer;
  int status = STATUS_FINE;

  command_study_options (command, &study);
  options = (FabRouteOptions) {
    .plane = plane, .engine = engine, .tables = text, .tables_path = tables, .pattern = pattern, .n_samples = (guint) MAX (samples, 1),
    .seed = (guint64) seed, .tick = study.tick,
  };
  if (faults == NULL)
    return command_print (command, NULL, error);
  if (dump != NULL)
    status = dump_tables (design, topology, faults, &options);
  if (status != STATUS_FINE || g_strcmp0 (dump, "-") == 0)
    return status;
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
                 "  fabsim route examples/l40s-384.yaml --pattern bisection --samples 100\n"
                 "  fabsim route examples/l40s-384.yaml --dump - | head\n"
                 "  fabsim route examples/l40s-384.yaml --tables /var/log/opensm-lfts.dump",
  .n_min = 1,
  .n_max = 1,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_FAIL,
  .own = own,
  .run = run,
};
