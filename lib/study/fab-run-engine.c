/* fab-run-engine.c: which engine runs a schedule */
#include "study/fab-run-private.h"

/* Packets crossing links that `auto` takes on: some 10 to 30 s. */
#define AUTO_MAX_PACKET_HOPS 200000000u
#define UNIT_BYTES           4096u   /* of a path that crosses no plane */

gboolean
fab__result_is_packet (const FabResult *result)
{
  return g_str_equal (fab_result_engine (result), "packet");
}

static const FabEngine *
engine_of (const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; fab_engines ()[i] != NULL; i++)
    {
      if (g_str_equal (fab_engines ()[i]->name, name))
        return fab_engines ()[i];
      g_string_append_printf (known, "%s, ", fab_engines ()[i]->name);
    }
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "engine: expected one of %sauto; got “%s”", known->str, name);
  return NULL;
}

/* Only the fluid engine shares links among flows by a rule. */
static gboolean
parse_sharing (const FabStudyOptions *options, const char *engine, FabSharing *sharing, GError **error)
{
  *sharing = FAB_SHARING_PER_PORT;
  if (options->sharing == NULL)
    return TRUE;
  if (!fab_sharing_parse (options->sharing, sharing, error))
    return FALSE;
  if (g_str_equal (engine, "fluid"))
    return TRUE;
  g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "sharing: expected the fluid engine, got %s, which shares no link by a rule", options->engine);
  return FALSE;
}

/* ---- auto ---- */

static guint64
unit_bytes (const FabTopology *topology, const FabOp *op)
{
  return op->plane != FAB_NONE && op->plane < fab_topology_n_planes (topology) ? fab_topology_plane (topology, op->plane)->mtu_bytes : UNIT_BYTES;
}

/* Links that a byte crosses: of several ways, each by its part. */
static double
hops_of (const FabPaths *paths, guint32 path)
{
  const double *parts = fab_paths_parts (paths, path);
  guint32 n_links = fab_paths_row (paths, path)->n_links;
  double hops = 0;

  if (parts == NULL)
    return n_links;
  for (guint32 i = 0; i < n_links; i++)
    hops += parts[i];
  return hops;
}

static guint64
estimate_hops (const FabEngineInput *input)
{
  g_autoptr (FabPaths) paths = fab_paths_new (input->topology, input->faults, input->routes, input->rules);
  const FabOp *ops = fab_schedule_ops (input->schedule);
  double sum = 0;

  for (guint32 op = 0; op < fab_schedule_n_ops (input->schedule); op++)
    {
      guint64 unit = unit_bytes (input->topology, &ops[op]);
      guint32 path = ops[op].kind == FAB_OP_TRANSFER ? fab_paths_find (paths, ops[op].src, ops[op].dst, ops[op].plane) : FAB_NONE;

      if (path != FAB_NONE)
        sum += (double) ((ops[op].bytes + unit - 1) / unit) * hops_of (paths, path);
    }
  return (guint64) sum;
}

static FabResult *
run_auto (const FabEngineInput *input, FabChoice *choice, GError **error)
{
  g_autoptr (FabResult) fluid = fab_engine_run (fab_engine_lookup ("fluid", NULL), input, error);

  if (fluid == NULL)
    return NULL;
  fab_result_blind_spots (fluid, &choice->n_spots);
  choice->kind = FAB_CHOICE_CALM;
  if (choice->n_spots == 0 || !fab_result_complete (fluid))
    return g_steal_pointer (&fluid);
  choice->packet_hops = estimate_hops (input);
  choice->kind = choice->packet_hops > AUTO_MAX_PACKET_HOPS ? FAB_CHOICE_COSTLY : FAB_CHOICE_QUEUES;
  return choice->kind == FAB_CHOICE_QUEUES ? fab_engine_run (fab_engine_lookup ("packet", NULL), input, error) : g_steal_pointer (&fluid);
}

char *
fab__choice_words (const FabChoice *choice)
{
  g_autofree char *millions = g_strdup_printf ("%" G_GUINT64_FORMAT ".%u million packet-hops", choice->packet_hops / 1000000,
                                               (guint) (choice->packet_hops / 100000 % 10));

  switch (choice->kind)
    {
    case FAB_CHOICE_CALM:
      return g_strdup ("auto: fluid, no queue decides");
    case FAB_CHOICE_QUEUES:
      return g_strdup_printf ("auto: packet, for queues may decide in %" G_GSIZE_FORMAT " places; about %s", choice->n_spots, millions);
    case FAB_CHOICE_COSTLY:
      return g_strdup_printf ("auto: fluid, though queues may decide in %" G_GSIZE_FORMAT " places: about %s are more than the %u million it takes on",
                              choice->n_spots, millions, AUTO_MAX_PACKET_HOPS / 1000000u);
    case FAB_CHOICE_ASKED:
      break;
    }
  return NULL;
}

FabResult *
fab__run_schedule (const FabBuilt *built, FabSchedule *schedule, const FabTransportRules *rules, const FabStudyOptions *options, FabChoice *choice,
                   GError **error)
{
  gboolean is_auto = g_str_equal (options->engine, "auto");
  const FabEngine *engine = is_auto ? fab_engine_lookup ("fluid", error) : engine_of (options->engine, error);
  FabChoice unasked = { .kind = FAB_CHOICE_ASKED };
  FabEngineInput input = {
    .topology = built->topology, .faults = built->faults, .routes = built->routes, .rules = rules, .schedule = schedule, .seed = options->seed,
    .tick = options->tick, .packet = &built->design->packet,
  };
  FabResult *result;

  if (engine == NULL || !parse_sharing (options, engine->name, &input.sharing, error))
    return NULL;
  choice = choice != NULL ? choice : &unasked;
  *choice = (FabChoice) { .kind = FAB_CHOICE_ASKED };
  result = is_auto ? run_auto (&input, choice, error) : fab_engine_run (engine, &input, error);
  if (result != NULL && options->packet_hops != NULL)
    *options->packet_hops += fab_result_counters (result)->packet_hops;
  return result;
}
