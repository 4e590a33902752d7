/* cmd-catalog.c: fabsim catalog */
#include "fab-command.h"

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabCatalog) catalog = command_catalog (command, &error);
  FabAnswer *answer = NULL;

  if (catalog != NULL && command->n_args > 0 && g_str_equal (command->args[0], "check"))
    answer = fab_analysis_catalog_check (catalog);
  else if (catalog != NULL)
    answer = fab_analysis_catalog (catalog, command->n_args > 0 ? command->args[0] : NULL, &error);
  return command_print (command, answer, error);
}

const FabVerb fabsim_verb_catalog = {
  .name = "catalog",
  .summary = "The facts behind the answers: parts and node types with their sources",
  .usage = "[NAME|KIND|check]",
  .description = "`fabsim catalog check` says which numbers are not facts: no true source, an estimate without a range.\n"
                 "\n"
                 "Examples:\n"
                 "  fabsim catalog\n"
                 "  fabsim catalog qm9700\n"
                 "  fabsim catalog cable\n"
                 "  fabsim catalog check --models my-models/",
  .n_min = 0,
  .n_max = 1,
  .options = OPTION_TABLE | OPTION_MODELS,
  .run = run,
};
