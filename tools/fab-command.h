/* fab-command.h - what the verbs share: options, reading the design, printing the answer
 */
#pragma once
#include <fabsim.h>

G_BEGIN_DECLS

/* Exit statuses; the highest wins. */
enum { STATUS_FINE = 0, STATUS_FOUND = 1, STATUS_INPUT = 2, STATUS_FAILED = 3, STATUS_INTERRUPTED = 130 };

typedef struct _FabCommand FabCommand;

typedef struct
{
  const char *name;
  const char *summary;
  const char *usage;        /* arguments after the options: "DESIGN SRC DST" */
  const char *description;  /* a paragraph, then examples */
  guint       n_min, n_max; /* arguments */
  guint       options;      /* FabCommandOptions it takes */
  const GOptionEntry *own;  /* options of its own; NULL: none */
  int       (*run) (FabCommand *command);
} FabVerb;

typedef enum
{
  OPTION_DESIGN = 1 << 0,   /* --set, --models: it reads a design */
  OPTION_MODELS = 1 << 1,   /* --models alone */
  OPTION_RUN    = 1 << 2,   /* --engine, --sharing, --seed, --threads, --no-ranges, --quiet */
  OPTION_TABLE  = 1 << 3,   /* --format text|json|csv and -o */
  OPTION_FAIL   = 1 << 4,   /* --fail */
} FabCommandOptions;

struct _FabCommand
{
  const FabVerb *verb;
  char         **args;      /* NULL-terminated */
  guint          n_args;

  /* common options */
  char    *format, *output, *models, *engine, *sharing;
  char   **settings, **failures;
  gint64   seed;
  gint     threads;
  gboolean timing, quiet, no_ranges;

  /* progress and interruption */
  gint64   started_us, mark_us, shown_us;
  gint64   answer_us;       /* that the answer took */
  guint64  packet_hops;     /* that the packet engine made */
  gboolean on_terminal;
  GString *timings;
};

extern const FabVerb *const fabsim_verbs[];   /* NULL-terminated, generated from the Meson list */

/* Prints "fabsim: <text>" and returns the status the error means; frees @error. */
int         command_failed       (GError *error);

FabCatalog *command_catalog      (FabCommand *command, GError **error);
/* Argument @arg as a design. */
FabDesign  *command_read_design  (FabCommand *command, guint arg, GError **error);
/* What --fail takes down of @topology. */
FabFaults  *command_faults       (FabCommand *command, FabTopology *topology, GError **error);
void        command_study_options (FabCommand *command, FabStudyOptions *options);

/* Notes the wall time since the last mark under @step, for --timing. */
void        command_mark         (FabCommand *command, const char *step);

/* Prints @answer as the options say; takes it. Returns the status. NULL with @error: command_failed(). */
int         command_print        (FabCommand *command, FabAnswer *answer, GError *error);

/* Writes @bytes to @path ("-": standard output). */
int         command_write        (const char *path, const char *bytes, gsize len);

/* Parses the options of @verb (argv[0] is its name) and runs it. Returns the status. */
int         command_run          (const FabVerb *verb, int argc, char **argv);

/* TRUE once the user pressed Ctrl-C. */
gboolean    command_interrupted  (void);

G_END_DECLS
