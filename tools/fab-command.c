/* fab-command.c: what the verbs share */
#include "fab-command.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PROGRESS_AFTER_US 1000000
#define PROGRESS_EVERY_US 200000

static volatile sig_atomic_t interrupted;   /* a signal handler can reach nothing else */

static void
on_interrupt (int signal_number)
{
  interrupted = 1;
}

gboolean
command_interrupted (void)
{
  return interrupted != 0;
}

/* ---- errors ---- */

static int
status_of (const GError *error)
{
  if (error->domain != FAB_ERROR)
    return STATUS_INPUT;
  if (error->code == FAB_ERROR_WRITE)
    return STATUS_FAILED;
  return error->code == FAB_ERROR_CANCELLED ? STATUS_INTERRUPTED : STATUS_INPUT;
}

int
command_failed (GError *error)
{
  int status = status_of (error);

  fprintf (stderr, "fabsim: %s\n", error->message);
  g_error_free (error);
  return status;
}

/* ---- timing ---- */

void
command_mark (FabCommand *command, const char *step)
{
  gint64 now_us = g_get_monotonic_time ();

  if (command->timing)
    g_string_append_printf (command->timings, "timing: %-10s %8.2f ms\n", step, (double) (now_us - command->mark_us) / 1000);
  command->mark_us = now_us;
}

/* The rate is of the whole answer, building included. */
static void
note_packet_hops (FabCommand *command)
{
  if (command->timing && command->packet_hops > 0)
    g_string_append_printf (command->timings, "timing: %" G_GUINT64_FORMAT " data packet-hops, %.2f million/s\n", command->packet_hops,
                            (double) command->packet_hops / (double) MAX (command->answer_us, 1));
}

static void
print_timings (FabCommand *command)
{
  if (!command->timing)
    return;
  g_string_append_printf (command->timings, "timing: %-10s %8.2f ms\n", "all", (double) (g_get_monotonic_time () - command->started_us) / 1000);
  fputs (command->timings->str, stderr);
  g_string_truncate (command->timings, 0);
}

/* ---- progress ---- */

static gboolean
on_tick (guint64 done, guint64 total, gpointer data)
{
  FabCommand *command = data;
  gint64 now_us = g_get_monotonic_time ();
  gint64 spent_us = now_us - command->started_us;

  if (command->on_terminal && !command->quiet && spent_us > PROGRESS_AFTER_US && now_us - command->shown_us > PROGRESS_EVERY_US && total > 0)
    {
      double share = (double) done / (double) total;

      command->shown_us = now_us;
      fprintf (stderr, "\r%5.1f %%, about %.0f s left \033[K", 100 * share, share > 0 ? (double) spent_us / 1e6 * (1 - share) / share : 0);
    }
  return !interrupted;
}

static void
clear_progress (FabCommand *command)
{
  if (command->shown_us > 0)
    fputs ("\r\033[K", stderr);
  command->shown_us = 0;
}

/* ---- input ---- */

FabCatalog *
command_catalog (FabCommand *command, GError **error)
{
  FabCatalog *catalog = command->models != NULL ? fab_catalog_new_over (command->models, error) : fab_catalog_new (error);

  command_mark (command, "catalog");
  return catalog;
}

FabDesign *
command_read_design (FabCommand *command, guint arg, GError **error)
{
  g_autoptr (FabCatalog) catalog = command_catalog (command, error);
  FabDesign *design;

  if (catalog == NULL)
    return NULL;
  design = fab_design_read_file (command->args[arg], (const char *const *) command->settings, catalog, error);
  command_mark (command, "read");
  return design;
}

FabFaults *
command_faults (FabCommand *command, FabTopology *topology, GError **error)
{
  g_autoptr (FabFaults) faults = fab_faults_new (topology);

  for (guint i = 0; command->failures != NULL && command->failures[i] != NULL; i++)
    if (!fab_faults_add (faults, command->failures[i], error))
      {
        g_prefix_error (error, "--fail: ");
        return NULL;
      }
  return g_steal_pointer (&faults);
}

void
command_study_options (FabCommand *command, FabStudyOptions *options)
{
  fab_study_options_init (options);
  if (command->engine != NULL)
    options->engine = command->engine;
  if (command->sharing != NULL)
    options->sharing = command->sharing;
  options->seed = (guint64) command->seed;
  options->n_threads = command->threads > 0 ? (guint) command->threads : (guint) g_get_num_processors ();
  options->no_ranges = command->no_ranges;
  options->faults = (const char *const *) command->failures;
  options->packet_hops = &command->packet_hops;
  options->tick = (FabTick) { .func = on_tick, .data = command };
}

/* ---- output ---- */

int
command_write (const char *path, const char *bytes, gsize len)
{
  GError *error = NULL;
  gboolean closed;

  return fab_report_write (path, bytes, len, &closed, &error) ? STATUS_FINE : command_failed (error);
}

/* The format asked for, or the one the output's suffix says. */
static const char *
format_of (const FabCommand *command)
{
  const char *dot = command->output != NULL ? strrchr (command->output, '.') : NULL;

  if (command->format != NULL)
    return command->format;
  if (dot != NULL && (g_str_equal (dot, ".json") || g_str_equal (dot, ".csv")))
    return dot + 1;
  return "text";
}

static FabTextStyle
text_style (const FabCommand *command)
{
  gboolean to_terminal = command->output == NULL && isatty (STDOUT_FILENO);
  struct winsize size = { 0 };
  const char *no_colour = g_getenv ("NO_COLOR");

  if (to_terminal)
    ioctl (STDOUT_FILENO, TIOCGWINSZ, &size);
  return (FabTextStyle) {
    .colour = to_terminal && (no_colour == NULL || *no_colour == '\0'),
    .width = size.ws_col > 0 ? MAX (size.ws_col, 40) : 100,
  };
}

int
command_print (FabCommand *command, FabAnswer *taken, GError *error)
{
  g_autoptr (FabAnswer) answer = taken;
  g_autofree char *text = NULL;
  FabTextStyle style = text_style (command);
  int status;

  clear_progress (command);
  command->answer_us = g_get_monotonic_time () - command->mark_us;
  command_mark (command, "answer");
  note_packet_hops (command);
  if (answer == NULL)
    return command_failed (error);
  text = fab_report_print (answer, format_of (command), &style, &error);
  if (text == NULL)
    return command_failed (error);
  status = command_write (command->output != NULL ? command->output : "-", text, strlen (text));
  command_mark (command, "print");
  print_timings (command);
  if (status == STATUS_FINE && fab_answer_found (answer))
    status = STATUS_FOUND;
  return interrupted ? STATUS_INTERRUPTED : status;
}

/* ---- options ---- */

static void
add_options (GArray *entries, FabCommand *command, guint options)
{
  const GOptionEntry table[] = {
    { "format", 0, 0, G_OPTION_ARG_STRING, &command->format, "text, json or csv (the suffix of -o decides where none is given)", "FORMAT" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &command->output, "Write to FILE, whole or not at all", "FILE" },
  };
  const GOptionEntry models[] = {
    { "models", 0, 0, G_OPTION_ARG_FILENAME, &command->models, "Read the *.yaml of DIR over the built-in facts", "DIR" },
  };
  const GOptionEntry design[] = {
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &command->settings,
      "Set a key of the design or a number of a part (models.qm9700.latency=300ns); may be repeated", "KEY=VALUE" },
  };
  const GOptionEntry run[] = {
    { "engine", 0, 0, G_OPTION_ARG_STRING, &command->engine,
      "Engine that reckons times: fluid (default; flows), packet (packets, credits, queues), bound (no contention) or auto (packet where queues decide)", "NAME" },
    { "sharing", 0, 0, G_OPTION_ARG_STRING, &command->sharing,
      "How flows that meet share a link, in the fluid engine: per-port (as outputs arbitrate; default) or maxmin", "NAME" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &command->seed, "Seed of the random streams (1)", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &command->threads, "Threads; never changes the answer (all processors)", "N" },
    { "no-ranges", 0, 0, G_OPTION_ARG_NONE, &command->no_ranges, "Skip the runs at the ends of numbers that have a range (the packet engine never makes them)", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &command->quiet, "No progress on the terminal", NULL },
  };
  const GOptionEntry fail[] = {
    { "fail", 0, 0, G_OPTION_ARG_STRING_ARRAY, &command->failures, "Take a link, device or node down (compute/spine1, gpu001/nic0/p1); may be repeated", "ADDRESS" },
  };
  const GOptionEntry timing[] = {
    { "timing", 0, 0, G_OPTION_ARG_NONE, &command->timing, "Print wall times to standard error", NULL },
  };

  if (options & OPTION_TABLE)
    g_array_append_vals (entries, table, G_N_ELEMENTS (table));
  if (options & (OPTION_MODELS | OPTION_DESIGN))
    g_array_append_vals (entries, models, G_N_ELEMENTS (models));
  if (options & OPTION_DESIGN)
    g_array_append_vals (entries, design, G_N_ELEMENTS (design));
  if (options & OPTION_RUN)
    g_array_append_vals (entries, run, G_N_ELEMENTS (run));
  if (options & OPTION_FAIL)
    g_array_append_vals (entries, fail, G_N_ELEMENTS (fail));
  g_array_append_vals (entries, timing, G_N_ELEMENTS (timing));
}

static GOptionContext *
context_of (const FabVerb *verb, FabCommand *command)
{
  g_autofree char *parameters = g_strdup_printf ("%s", verb->usage);
  GOptionContext *context = g_option_context_new (parameters);
  g_autoptr (GArray) entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  g_option_context_set_summary (context, verb->summary);
  g_option_context_set_description (context, verb->description);
  add_options (entries, command, verb->options);
  g_option_context_add_main_entries (context, (const GOptionEntry *) (void *) entries->data, NULL);
  if (verb->own != NULL)
    g_option_context_add_main_entries (context, verb->own, NULL);
  return context;
}

static gboolean
check_arguments (FabCommand *command, GError **error)
{
  const FabVerb *verb = command->verb;

  if (command->n_args >= verb->n_min && command->n_args <= verb->n_max)
    return TRUE;
  g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "%s: expected %s; got %u argument%s. Try `fabsim %s --help`", verb->name, verb->usage, command->n_args,
               command->n_args == 1 ? "" : "s", verb->name);
  return FALSE;
}

static void
watch_interrupts (void)
{
  struct sigaction action = { .sa_handler = on_interrupt };

  sigaction (SIGINT, &action, NULL);
  signal (SIGPIPE, SIG_IGN);   /* a closed pipe is an error of write() instead */
}

int
command_run (const FabVerb *verb, int argc, char **argv)
{
  FabCommand command = { .verb = verb, .seed = 1, .started_us = g_get_monotonic_time (), .on_terminal = isatty (STDERR_FILENO) };
  GOptionContext *context = context_of (verb, &command);
  g_autofree char *program = g_strdup_printf ("fabsim %s", verb->name);
  GError *error = NULL;
  int status;

  command.mark_us = command.started_us;
  command.timings = g_string_new (NULL);
  g_set_prgname (program);
  watch_interrupts ();
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_prefix_error (&error, "%s: ", verb->name);
      status = command_failed (error);
    }
  else
    {
      command.args = argv + 1;
      command.n_args = (guint) argc - 1;
      status = check_arguments (&command, &error) ? verb->run (&command) : command_failed (error);
    }
  g_option_context_free (context);
  g_free (command.format);
  g_free (command.output);
  g_free (command.models);
  g_free (command.engine);
  g_free (command.sharing);
  g_strfreev (command.settings);
  g_strfreev (command.failures);
  g_string_free (command.timings, TRUE);
  return status;
}
