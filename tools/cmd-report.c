/* cmd-report.c: fabsim report */
#include "fab-command.h"
#include "fab-draw.h"
#include <stdio.h>

static char *diagram;

static const GOptionEntry own[] = {
  { "diagram", 0, 0, G_OPTION_ARG_FILENAME, &diagram, "Draw the fabric to FILE (.svg, .png, .pdf or .dot) too", "FILE" },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
};

static int
draw_diagram (const FabDesign *design, GError **error)
{
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, error);
  FabDrawOptions options = { .title = fab_design_name (design) };

  return topology != NULL ? draw_to_file (topology, NULL, &options, NULL, diagram, error) : STATUS_INPUT;
}

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) design = command_read_design (command, 0, &error);
  FabStudyOptions options;
  FabAnswer *answer = NULL;
  int status = STATUS_FINE;

  command_study_options (command, &options);
  if (design != NULL)
    answer = fab_study_report (design, &options, &error);
  if (answer != NULL && diagram != NULL)
    {
      status = draw_diagram (design, &error);
      if (error != NULL)
        {
          fab_answer_unref (answer);
          fprintf (stderr, "fabsim: %s\n", error->message);
          g_error_free (error);
          return status;
        }
      fab_answer_say (answer, "The diagram is in %s.", diagram);
      command_mark (command, "draw");
    }
  return command_print (command, answer, error);
}

const FabVerb fabsim_verb_report = {
  .name = "report",
  .summary = "The whole plan on one page: what it takes, what it waits for, what is wrong with it",
  .usage = "DESIGN",
  .description = "Exit status 1 where the design has an error that is not accepted.\n\n"
                 "Examples:\n"
                 "  fabsim report examples/l40s-384.yaml\n"
                 "  fabsim report examples/l40s-384.yaml --diagram fabric.svg",
  .n_min = 1,
  .n_max = 1,
  .options = OPTION_TABLE | OPTION_DESIGN | OPTION_RUN,
  .own = own,
  .run = run,
};
