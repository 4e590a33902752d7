/* fab-study-run.c: what workloads take, and what they wait for */
#include "study/fab-run-private.h"
#include "topology/fab-topology-private.h"
#include <math.h>

#define SAID_WAITS 3       /* waits a sentence names */
#define SAID_SHARE 0.02    /* smaller shares are not said */
#define SAID_SPAN  0.005   /* nor are narrower ranges */

static const FabColumn workload_columns[] = {
  { "collective", "what", FAB_CELL_TEXT, "", "collective or pattern with its algorithm", 0 },
  { "ranks", "ranks", FAB_CELL_COUNT, "", "GPUs (or hosts) that take part", 0 },
  { "size_bytes", "size", FAB_CELL_SIZE, "B", "bytes a rank gives, as nccl-tests counts them; of a pattern, bytes in all", 0 },
  { "time_ns", "time", FAB_CELL_TIME, "ns", "until the last byte is in", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "algbw_gbytes_per_s", "algbw", FAB_CELL_NUMBER, "GB/s", "size over time", FAB_COLUMN_METRIC | FAB_COLUMN_HIGHER },
  { "busbw_gbytes_per_s", "busbw", FAB_CELL_NUMBER, "GB/s", "algbw times the collective's factor, as nccl-tests defines it", FAB_COLUMN_METRIC | FAB_COLUMN_HIGHER },
  { "spine_bytes", "bytes over the spine", FAB_CELL_SIZE, "B", "bytes that left a leaf upwards", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "engine", "engine", FAB_CELL_TEXT, "", "engine that reckoned it", 0 },
  { "engine_reason", "why this engine", FAB_CELL_TEXT, "", "of --engine auto: what decided", 0 },
  { "sharing", "sharing", FAB_CELL_TEXT, "", "how flows that meet share a link", 0 },
  { "form", "form", FAB_CELL_TEXT, "", "phases (concurrent flows) or steps (exact)", 0 },
  { "pcie_step_ns", "software per step in a node", FAB_CELL_TIME, "ns", "software cost of a step inside a node", 0 },
  { "network_step_ns", "software per step over the network", FAB_CELL_TIME, "ns", "software cost of a step between nodes", 0 },
  { "seed", "seed", FAB_CELL_COUNT, "", "of the random streams", FAB_COLUMN_HIDDEN },
  { "complete", "complete", FAB_CELL_BOOL, "", "whether everything ran to its end", FAB_COLUMN_HIDDEN },
  { "flows", "flows", FAB_CELL_COUNT, "", "transfers that moved bytes", FAB_COLUMN_HIDDEN },
  { "events", "events", FAB_CELL_COUNT, "", "moments at which something started or finished", FAB_COLUMN_HIDDEN },
  { "solves", "solves", FAB_CELL_COUNT, "", "times rates were dealt out anew", FAB_COLUMN_HIDDEN },
  { "solved_flows", "solved flows", FAB_CELL_COUNT, "", "flows whose rate that set, summed", FAB_COLUMN_HIDDEN },
  { "deferred", "deferred", FAB_CELL_COUNT, "", "ends of flows after which the others waited a little for what they left", FAB_COLUMN_HIDDEN },
  { "unreachable", "unreachable transfers", FAB_CELL_COUNT, "", "transfers without a path", FAB_COLUMN_HIDDEN | FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
};

static const FabColumn range_columns[] = {
  { "min", "lowest", FAB_CELL_NUMBER, "GB/s", "busbw (algbw where there is none) at the worst end of all ranges", 0 },
  { "max", "highest", FAB_CELL_NUMBER, "GB/s", "at the best end", 0 },
  { "cause", "decided by", FAB_CELL_TEXT, "", "the number whose range moves it most", 0 },
};

static const FabColumn wait_columns[] = {
  { "kind", "waits for", FAB_CELL_TEXT, "", "kind of link, or latency, software, reduce, compute", 0 },
  { "resource", "which", FAB_CELL_TEXT, "", "the link that set the rate", 0 },
  { "share", "share", FAB_CELL_SHARE, "", "of the run's time, along its critical path", 0 },
  { "time_ns", "time", FAB_CELL_TIME, "ns", "of the critical path", 0 },
  { "alike", "alike", FAB_CELL_COUNT, "", "links of the same kind, rate and load", 0 },
};

static const FabColumn blind_columns[] = {
  { "kind", "kind", FAB_CELL_TEXT, "", "incast, merge (inputs with unequal numbers of flows) or blocked-queue", 0 },
  { "place", "place", FAB_CELL_TEXT, "", "the link", 0 },
  { "behind", "stuck behind", FAB_CELL_TEXT, "", "the full link that blocks the queue", 0 },
  { "flows", "flows", FAB_CELL_COUNT, "", "senders, flows that meet, or victims: most at once", 0 },
  { "places", "places", FAB_CELL_COUNT, "", "links of which this holds; the one named has most flows", 0 },
};

#define TABLE(columns) fab_table_new (columns, G_N_ELEMENTS (columns))

/* ---- figures ---- */

static double
spine_bytes (const FabTopology *topology, const FabResult *result)
{
  const double *bytes = fab_result_link_bytes (result);
  double sum = 0;

  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    {
      const FabLink *link = fab_topology_link (topology, l);
      const FabDevice *from = fab_topology_device (topology, link->from_device), *to = fab_topology_device (topology, link->to_device);

      if (from->kind == FAB_DEVICE_SWITCH && to->kind == FAB_DEVICE_SWITCH && from->tier == 0 && to->tier > 0)
        sum += bytes[l];
    }
  return sum;
}

/* Links that could stand in @link's place: same kind, goodput and bytes. */
static guint32
count_alike (const FabTopology *topology, const FabResult *result, guint32 link)
{
  const FabLink *row = fab_topology_link (topology, link);
  const double *bytes = fab_result_link_bytes (result);
  guint32 n = 0;

  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    {
      const FabLink *other = fab_topology_link (topology, l);

      n += other->kind == row->kind && other->goodput_bps == row->goodput_bps && fabs (bytes[l] - bytes[link]) <= 1e-6 * bytes[link] ? 1 : 0;
    }
  return n;
}

static char *
kind_of (const FabWorkloadSpec *workload)
{
  return workload->collective != NULL ? g_strdup_printf ("%s %s%s", workload->algorithm, workload->collective, workload->pipelined ? ", pipelined" : "")
                                      : g_strdup (workload->pattern);
}

/* ---- sections ---- */

static void
add_workload (FabAnswer *answer, const FabBuilt *built, const FabRun *run, const FabStudyOptions *options)
{
  g_autofree char *path = g_strdup_printf ("workloads.%s", run->workload->name);
  g_autofree char *title = g_strdup_printf ("Workload %s", run->workload->name);
  g_autofree char *kind = kind_of (run->workload), *reason = fab__choice_words (&run->choice);
  gint64 time_ps = fab_result_time_ps (run->result);
  double factor = fab_schedule_busbw_factor (run->schedule);
  const FabCounters *counters = fab_result_counters (run->result);
  FabTable *table = TABLE (workload_columns);

  fab_table_add_row (table);
  fab_table_set_text (table, "collective", kind);
  fab_table_set_int (table, "ranks", fab_schedule_n_ranks (run->schedule));
  fab_table_set_int (table, "size_bytes", (gint64) fab_schedule_bytes (run->schedule));
  fab_table_set_int (table, "time_ns", time_ps);
  if (fab_result_complete (run->result))   /* of a part nobody knows the bytes */
    fab_table_set_number (table, "algbw_gbytes_per_s", fab__run_algbw (run, time_ps));
  if (factor > 0 && fab_result_complete (run->result))
    fab_table_set_number (table, "busbw_gbytes_per_s", fab__run_figure (run, time_ps));
  fab_table_set_int (table, "spine_bytes", (gint64) spine_bytes (built->topology, run->result));
  fab_table_set_text (table, "engine", fab_result_engine (run->result));
  fab_table_set_text (table, "sharing", !g_str_equal (fab_result_engine (run->result), "fluid") ? NULL
                                          : options->sharing != NULL ? options->sharing : fab_sharing_names ()[FAB_SHARING_PER_PORT]);
  fab_table_set_text (table, "engine_reason", reason);
  fab_table_set_text (table, "form", fab_schedule_form (run->schedule));
  fab_table_set_int (table, "pcie_step_ns", run->workload->rules.pcie_step_ps);
  fab_table_set_int (table, "network_step_ns", run->workload->rules.network_step_ps);
  fab_table_set_int (table, "seed", (gint64) options->seed);
  fab_table_set_bool (table, "complete", fab_result_complete (run->result));
  fab_table_set_int (table, "flows", (gint64) counters->flows);
  fab_table_set_int (table, "events", (gint64) counters->events);
  fab_table_set_int (table, "solves", (gint64) counters->solves);
  fab_table_set_int (table, "solved_flows", (gint64) counters->solved_flows);
  fab_table_set_int (table, "deferred", (gint64) counters->deferred);
  fab_table_set_int (table, "unreachable", fab_result_n_unreachable (run->result));
  fab_answer_add_record (answer, path, title, table);
}

static void
add_range (FabAnswer *answer, const FabRun *run, const FabRange *range)
{
  g_autofree char *path = g_strdup_printf ("workloads.%s.range", run->workload->name);
  FabTable *table = TABLE (range_columns);

  fab_table_add_row (table);
  fab_table_set_number (table, "min", range->min);
  fab_table_set_number (table, "max", range->max);
  fab_table_set_text (table, "cause", range->cause);
  fab_answer_add_record (answer, path, NULL, table);
}

static void
add_waits (FabAnswer *answer, const FabBuilt *built, const FabRun *run)
{
  g_autofree char *path = g_strdup_printf ("workloads.%s.waits", run->workload->name);
  g_autofree char *title = g_strdup_printf ("Workload %s: who waits for whom", run->workload->name);
  FabTable *table = TABLE (wait_columns);
  gsize n_waits;
  const FabWait *waits = fab_result_waits (run->result, &n_waits);

  for (gsize i = 0; i < n_waits; i++)
    {
      g_autofree char *address = waits[i].link != FAB_NONE ? fab_topology_link_address (built->topology, waits[i].link) : NULL;

      fab_table_add_row (table);
      fab_table_set_text (table, "kind", fab_wait_kind_name (waits[i].kind));
      fab_table_set_text (table, "resource", address);
      fab_table_set_number (table, "share", (double) waits[i].time_ps / (double) fab_result_time_ps (run->result));
      fab_table_set_int (table, "time_ns", waits[i].time_ps);
      if (waits[i].link != FAB_NONE)
        fab_table_set_int (table, "alike", count_alike (built->topology, run->result, waits[i].link));
    }
  fab_answer_add_table (answer, path, title, table);
}

static void
add_blind_row (FabTable *table, const FabTopology *topology, const FabBlindSpot *spot, guint n_places)
{
  g_autofree char *place = fab_topology_link_address (topology, spot->link);
  g_autofree char *behind = spot->behind != FAB_NONE ? fab_topology_link_address (topology, spot->behind) : NULL;

  fab_table_add_row (table);
  fab_table_set_text (table, "kind", fab_blind_kind_name (spot->kind));
  fab_table_set_text (table, "place", place);
  fab_table_set_text (table, "behind", behind);
  fab_table_set_int (table, "flows", spot->n_flows);
  fab_table_set_int (table, "places", n_places);
}

/* One row a kind. */
static void
add_blind (FabAnswer *answer, const FabBuilt *built, const FabRun *run)
{
  g_autofree char *path = g_strdup_printf ("workloads.%s.blind", run->workload->name);
  g_autofree char *title = g_strdup_printf ("Workload %s: where queues may decide, which the fluid engine cannot see", run->workload->name);
  gsize n_spots;
  const FabBlindSpot *spots = fab_result_blind_spots (run->result, &n_spots);
  FabTable *table;

  if (n_spots == 0)
    return;
  table = TABLE (blind_columns);
  for (guint kind = 0; kind < FAB_N_BLIND_KINDS; kind++)
    {
      const FabBlindSpot *worst = NULL;
      guint n_places = 0;

      for (gsize i = 0; i < n_spots; i++)
        if (spots[i].kind == kind)
          {
            worst = worst != NULL ? worst : &spots[i];
            n_places++;
          }
      if (worst != NULL)
        add_blind_row (table, built->topology, worst, n_places);
    }
  fab_answer_add_table (answer, path, title, table);
}

/* ---- sentences ---- */

static const char *
wait_words (FabWaitKind kind)
{
  static const char *const words[FAB_N_WAIT_KINDS] = {
    [FAB_WAIT_GPU_LINK] = "the GPU's PCIe link", [FAB_WAIT_PCIE] = "the PCIe switch uplink", [FAB_WAIT_NIC] = "the NIC's slot",
    [FAB_WAIT_SOCKET] = "the socket link", [FAB_WAIT_MEMORY] = "host memory", [FAB_WAIT_NVLINK] = "NVLink",
    [FAB_WAIT_INFINIBAND] = "InfiniBand", [FAB_WAIT_ETHERNET] = "Ethernet", [FAB_WAIT_LATENCY] = "latency",
    [FAB_WAIT_SOFTWARE] = "software", [FAB_WAIT_REDUCE] = "local reduction", [FAB_WAIT_COMPUTE] = "compute",
    [FAB_WAIT_START] = "its start time", [FAB_WAIT_QUEUEING] = "other packets at a link",
    [FAB_WAIT_CREDIT] = "room in a buffer", [FAB_WAIT_HEAD_OF_LINE] = "packets ahead for another link",
  };

  return words[kind];
}

/* A network link is a rail port, an uplink or another: what people call it. */
static const char *
link_words (const FabTopology *topology, const FabWait *wait)
{
  const FabLink *link = fab_topology_link (topology, wait->link);
  gboolean from_switch = fab_topology_device (topology, link->from_device)->kind == FAB_DEVICE_SWITCH;
  gboolean to_switch = fab_topology_device (topology, link->to_device)->kind == FAB_DEVICE_SWITCH;

  if (wait->kind != FAB_WAIT_INFINIBAND && wait->kind != FAB_WAIT_ETHERNET)
    return wait_words (wait->kind);
  if (from_switch && to_switch)
    return "the switch link";
  return fab_topology_port (topology, from_switch ? link->to_port : link->from_port)->rail != FAB_NONE ? "the rail port" : "the host port";
}

static char *
waits_sentence (const FabBuilt *built, const FabRun *run)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n_waits;
  const FabWait *waits = fab_result_waits (run->result, &n_waits);

  for (gsize i = 0; i < MIN (n_waits, SAID_WAITS); i++)
    {
      double share = (double) waits[i].time_ps / (double) fab_result_time_ps (run->result);
      char digits[G_ASCII_DTOSTR_BUF_SIZE];

      if (i > 0 && share < SAID_SHARE)
        break;
      g_string_append_printf (text, "%s%s %% for ", i > 0 ? ", " : "", g_ascii_formatd (digits, sizeof digits, "%.0f", 100 * share));
      if (waits[i].link == FAB_NONE)
        g_string_append (text, wait_words (waits[i].kind));
      else
        {
          g_autofree char *address = fab_topology_link_address (built->topology, waits[i].link);
          guint32 n_alike = count_alike (built->topology, run->result, waits[i].link);

          g_string_append_printf (text, "%s %s", link_words (built->topology, &waits[i]), address);
          if (n_alike > 1)
            g_string_append_printf (text, " (%u alike)", n_alike);
        }
    }
  return g_strdup (text->str);
}

static void
append_blind (GString *text, const FabRun *run)
{
  gsize n_spots;
  const FabBlindSpot *spots = fab_result_blind_spots (run->result, &n_spots);
  guint n_queues = 0;

  for (gsize i = 0; i < n_spots; i++)
    n_queues += spots[i].kind == FAB_BLIND_BLOCKED_QUEUE ? 1 : 0;
  if (n_queues > 0)
    g_string_append_printf (text, " Blind here: on %u links flows may stand in a queue behind others that are stuck.", n_queues);
}

/* A model of very many flows rounds a little. */
static void
append_deferred (GString *text, const FabRun *run)
{
  if (fab_result_counters (run->result)->deferred > 0)
    g_string_append (text, " So many flows end each at its own moment that rates were dealt out anew only now and then, flow by flow: up to 3 % off.");
}

static void
say_run (FabAnswer *answer, const FabBuilt *built, const FabRun *run, const FabRange *range)
{
  g_autofree char *kind = kind_of (run->workload);
  g_autofree char *size = fab_units_format_size (fab_schedule_bytes (run->schedule));
  g_autofree char *time = fab_units_format_time (fab_result_time_ps (run->result));
  g_autofree char *waits = waits_sentence (built, run), *reason = fab__choice_words (&run->choice);
  double factor = fab_schedule_busbw_factor (run->schedule);
  g_autoptr (GString) text = g_string_new (NULL);
  char digits[3][G_ASCII_DTOSTR_BUF_SIZE];

  if (fab_result_n_unreachable (run->result) > 0)
    {
      fab_answer_say (answer, "%s: %u transfers have no path; what waits for them did not run.", run->workload->name, fab_result_n_unreachable (run->result));
      return;
    }
  if (fab_result_time_ps (run->result) == 0)
    {
      fab_answer_say (answer, "%s: %snothing had finished.", run->workload->name, fab__incomplete_words (run->result));
      return;
    }
  if (!fab_result_complete (run->result))
    {
      fab_answer_say (answer, "%s%s: %s of %s over %u %s ran until %s. It waits %s.", fab__incomplete_words (run->result), run->workload->name, kind, size,
                      fab_schedule_n_ranks (run->schedule), built->topology->n_gpus > 0 ? "GPUs" : "hosts", time, waits);
      return;
    }
  g_string_append_printf (text, "%s: %s of %s over %u %s takes %s: %s GB/s %s", run->workload->name, kind, size, fab_schedule_n_ranks (run->schedule),
                          built->topology->n_gpus > 0 ? "GPUs" : "hosts", time,
                          g_ascii_formatd (digits[0], sizeof digits[0], "%.2f", fab__run_figure (run, fab_result_time_ps (run->result))),
                          factor > 0 ? "busbw" : "in all");
  if (range != NULL && range->cause != NULL && range->max - range->min > SAID_SPAN * range->max)
    g_string_append_printf (text, " (%s to %s, decided by %s: measure that first)", g_ascii_formatd (digits[1], sizeof digits[1], "%.2f", range->min),
                            g_ascii_formatd (digits[2], sizeof digits[2], "%.2f", range->max), range->cause);
  g_string_append_printf (text, ". It waits %s.", waits);
  append_blind (text, run);
  append_deferred (text, run);
  if (reason != NULL)
    g_string_append_printf (text, " Engine by %s.", reason);
  fab_answer_say (answer, "%s", text->str);
}

/* ---- the answer ---- */

static const FabScenarioSpec *
scenario_of (const FabDesign *design, const char *name)
{
  for (guint s = 0; s < design->n_scenarios; s++)
    if (g_str_equal (design->scenarios[s].name, name))
      return &design->scenarios[s];
  return NULL;
}

/* The workloads among @names; all of the design's where no name is given. */
static GPtrArray *
workloads_to_run (const FabDesign *design, const char *const *names, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (scenario_of (design, names[i]) == NULL)
      g_ptr_array_add (all, (gpointer) (gsize) names[i]);
  for (guint w = 0; (names == NULL || names[0] == NULL) && w < design->n_workloads; w++)
    g_ptr_array_add (all, (gpointer) (gsize) design->workloads[w].name);
  if (all->len == 0 && (names == NULL || names[0] == NULL))
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "%s: expected workloads: to run, got none", fab_design_path (design));
      return NULL;
    }
  return g_steal_pointer (&all);
}

static gboolean
add_scenarios (FabAnswer *answer, const FabBuilt *built, const char *const *names, const FabStudyOptions *options, GError **error)
{
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      const FabScenarioSpec *scenario = scenario_of (built->design, names[i]);

      if (scenario != NULL && !fab__study_scenario (answer, built, scenario, options, error))
        return FALSE;
    }
  return TRUE;
}

/* Tables asked for beside the answer. */
typedef struct
{
  FabSizes  sizes;    /* factor 0: none */
  FabMatrix matrix;
} Extras;

static gboolean
read_extras (const FabStudyOptions *options, Extras *extras, GError **error)
{
  *extras = (Extras) { .matrix = FAB_MATRIX_NONE };
  return (options->sizes == NULL || fab__sizes_parse (options->sizes, &extras->sizes, error)) && fab__matrix_parse (options->matrix, &extras->matrix, error);
}

static void
add_packet (FabAnswer *answer, const FabBuilt *built, const FabRun *run)
{
  g_autofree char *path = g_strdup_printf ("workloads.%s", run->workload->name);

  fab__study_packet (answer, built, path, run->workload->name, run->result);
}

static FabAnswer *
answer_for (const FabBuilt *built, const FabRun *runs, const FabRange *ranges, guint n_runs, const Extras *extras, const FabStudyOptions *options,
            GError **error)
{
  g_autoptr (FabAnswer) answer = fab_answer_new ("fabsim.run/1");

  for (guint r = 0; r < n_runs; r++)
    {
      say_run (answer, built, &runs[r], ranges != NULL ? &ranges[r] : NULL);
      add_workload (answer, built, &runs[r], options);
      if (ranges != NULL && !fab__result_is_packet (runs[r].result))
        add_range (answer, &runs[r], &ranges[r]);
      add_waits (answer, built, &runs[r]);
      add_blind (answer, built, &runs[r]);
      add_packet (answer, built, &runs[r]);
      if (extras->sizes.factor > 0 && !fab__study_sizes (answer, built, runs[r].workload, &extras->sizes, options, error))
        return NULL;
      if (extras->matrix != FAB_MATRIX_NONE)
        fab__study_matrix (answer, built, &runs[r], extras->matrix);
    }
  return g_steal_pointer (&answer);
}

static gboolean
all_complete (const FabRun *runs, guint n_runs)
{
  for (guint r = 0; r < n_runs; r++)
    if (!fab_result_complete (runs[r].result))
      return FALSE;
  return TRUE;
}

FabAnswer *
fab_study_run (const FabDesign *design, const char *const *names, const FabStudyOptions *options, GError **error)
{
  g_autoptr (GPtrArray) all = workloads_to_run (design, names, error);
  g_autoptr (FabBuilt) built = all != NULL ? fab__built_new (design, options->faults, error) : NULL;
  g_autofree FabRun *runs = all != NULL ? g_new0 (FabRun, all->len + 1) : NULL;
  g_autofree FabRange *ranges = NULL;
  FabAnswer *answer = NULL;
  guint n_runs = 0;
  Extras extras;
  gboolean ok = built != NULL && read_extras (options, &extras, error);

  for (; ok && n_runs < all->len; n_runs += ok ? 1 : 0)
    ok = fab__run_workload (built, g_ptr_array_index (all, n_runs), options, &runs[n_runs], error);
  if (ok && n_runs > 0 && !options->no_ranges && !g_str_equal (options->engine, "packet") && all_complete (runs, n_runs))
    {
      ranges = g_new0 (FabRange, n_runs);
      ok = fab__run_ranges (built, runs, n_runs, options, ranges, error);
    }
  if (ok)
    answer = answer_for (built, runs, ranges, n_runs, &extras, options, error);
  if (answer != NULL && !add_scenarios (answer, built, names, options, error))
    g_clear_pointer (&answer, fab_answer_unref);
  for (guint r = 0; r < n_runs; r++)
    {
      fab__run_clear (&runs[r]);
      if (ranges != NULL)
        g_free (ranges[r].cause);
    }
  return answer;
}
