/* fabsim.c: the command: finds the verb, lets it run */
#include "fab-command.h"
#include <locale.h>
#include <stdio.h>
#include <string.h>

static void
print_help (FILE *to)
{
  fputs ("fabsim: fabric simulator and capacity planning for GPU clusters\n\n"
         "Usage: fabsim VERB [OPTION…] DESIGN [ARGUMENT…]     (DESIGN - is standard input)\n\nVerbs:\n", to);
  for (guint i = 0; fabsim_verbs[i] != NULL; i++)
    fprintf (to, "  %-9s %s\n", fabsim_verbs[i]->name, fabsim_verbs[i]->summary);
  fputs ("\n`fabsim VERB --help` shows a verb's options and examples.\n"
         "\nStart here:\n  fabsim report examples/l40s-384.yaml\n  fabsim path examples/l40s-384.yaml gpu001/gpu0 gpu048/gpu5\n"
         "\nExit status: 0 fine, 1 something was found, 2 the input or usage is wrong, 3 could not finish, 130 interrupted.\n", to);
}

static const FabVerb *
find_verb (const char *name)
{
  for (guint i = 0; fabsim_verbs[i] != NULL; i++)
    if (g_str_equal (fabsim_verbs[i]->name, name))
      return fabsim_verbs[i];
  return NULL;
}

static int
unknown_verb (const char *name)
{
  fprintf (stderr, "fabsim: expected a verb, got “%s”. Verbs are:", name);
  for (guint i = 0; fabsim_verbs[i] != NULL; i++)
    fprintf (stderr, " %s", fabsim_verbs[i]->name);
  fputs (". Try `fabsim --help`\n", stderr);
  return STATUS_INPUT;
}

int
main (int argc, char **argv)
{
  const FabVerb *verb;

  setlocale (LC_ALL, "");
  if (argc < 2)
    {
      print_help (stderr);
      return STATUS_INPUT;
    }
  if (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h") || (g_str_equal (argv[1], "help") && argc == 2))
    {
      print_help (stdout);
      return STATUS_FINE;
    }
  if (g_str_equal (argv[1], "--version"))
    {
      printf ("fabsim %s\n", fab_version ());
      return STATUS_FINE;
    }
  if (g_str_equal (argv[1], "help"))
    {
      static char help[] = "--help";
      char *with_help[] = { argv[2], help, NULL };

      verb = find_verb (argv[2]);
      return verb != NULL ? command_run (verb, 2, with_help) : unknown_verb (argv[2]);
    }
  verb = find_verb (argv[1]);
  return verb != NULL ? command_run (verb, argc - 1, argv + 1) : unknown_verb (argv[1]);
}
