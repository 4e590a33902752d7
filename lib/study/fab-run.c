/* fab-run.c: one design, one workload, one engine */
#include "study/fab-run-private.h"

void
fab_study_options_init (FabStudyOptions *options)
{
  *options = (FabStudyOptions) { .engine = "fluid", .seed = 1, .n_threads = 1 };
}

static FabFaults *
read_faults (FabTopology *topology, const char *const *addresses, GError **error)
{
  g_autoptr (FabFaults) faults = fab_faults_new (topology);

  for (guint i = 0; addresses[i] != NULL; i++)
    if (!fab_faults_add (faults, addresses[i], error))
      {
        g_prefix_error (error, "--fail %s: ", addresses[i]);
        return NULL;
      }
  return g_steal_pointer (&faults);
}

FabBuilt *
fab__built_new (const FabDesign *design, const char *const *faults, GError **error)
{
  g_autoptr (FabBuilt) built = g_new0 (FabBuilt, 1);

  built->design = design;
  built->topology = fab_design_build_topology (design, error);
  if (built->topology == NULL)
    return NULL;
  if (faults != NULL && faults[0] != NULL && (built->faults = read_faults (built->topology, faults, error)) == NULL)
    return NULL;
  built->n_planes = fab_topology_n_planes (built->topology);
  built->routes = g_new0 (FabRoutes *, built->n_planes + 1);
  for (guint32 p = 0; p < built->n_planes; p++)
    if ((built->routes[p] = fab_design_build_routes (design, built->topology, built->faults, p, error)) == NULL)
      return NULL;
  return g_steal_pointer (&built);
}

void
fab__built_free (FabBuilt *built)
{
  if (built == NULL)
    return;
  for (guint32 p = 0; p < built->n_planes; p++)
    fab_routes_unref (built->routes[p]);
  g_free (built->routes);
  fab_faults_unref (built->faults);
  fab_topology_unref (built->topology);
  g_free (built);
}

static const FabWorkloadSpec *
workload_of (const FabDesign *design, const char *name)
{
  for (guint i = 0; i < design->n_workloads; i++)
    if (g_str_equal (design->workloads[i].name, name))
      return &design->workloads[i];
  return NULL;
}

static gboolean
run_built (const FabBuilt *built, const FabWorkloadSpec *workload, FabSchedule *schedule, const FabStudyOptions *options, FabRun *run, GError **error)
{
  *run = (FabRun) { .workload = workload, .schedule = schedule };
  if (schedule != NULL)
    run->result = fab__run_schedule (built, schedule, &workload->rules, options, &run->choice, error);
  if (run->result == NULL)
    fab__run_clear (run);
  return run->result != NULL;
}

gboolean
fab__run_spec (const FabBuilt *built, const FabWorkloadSpec *workload, gboolean *taken, const FabStudyOptions *options, FabRun *run, GError **error)
{
  return run_built (built, workload, fab__design_schedule (workload, built->topology, taken, error), options, run, error);
}

gboolean
fab__run_workload (const FabBuilt *built, const char *name, const FabStudyOptions *options, FabRun *run, GError **error)
{
  FabSchedule *schedule = fab_design_build_schedule (built->design, built->topology, name, error);

  return run_built (built, workload_of (built->design, name), schedule, options, run, error);
}

void
fab__run_clear (FabRun *run)
{
  g_clear_pointer (&run->schedule, fab_schedule_unref);
  g_clear_pointer (&run->result, fab_result_unref);
}

double
fab__run_algbw (const FabRun *run, gint64 time_ps)
{
  return time_ps > 0 ? (double) fab_schedule_bytes (run->schedule) * 1e3 / (double) time_ps : 0;
}

double
fab__run_figure (const FabRun *run, gint64 time_ps)
{
  double factor = fab_schedule_busbw_factor (run->schedule);

  return fab__run_algbw (run, time_ps) * (factor > 0 ? factor : 1);
}

double *
fab_study_loads (const FabDesign *design, const char *workload, const FabStudyOptions *options, guint32 *n_links, GError **error)
{
  g_autoptr (FabBuilt) built = fab__built_new (design, options->faults, error);
  double *loads;
  gint64 time_ps;
  FabRun run;

  if (built == NULL || !fab__run_workload (built, workload, options, &run, error))
    return NULL;
  *n_links = fab_topology_n_links (built->topology);
  loads = g_new0 (double, MAX (*n_links, 1));
  time_ps = fab_result_time_ps (run.result);
  for (guint32 l = 0; l < *n_links && time_ps > 0; l++)
    {
      double capacity = (double) fab_topology_link (built->topology, l)->goodput_bps / 8e12 * (double) time_ps;

      loads[l] = MIN (fab_result_link_bytes (run.result)[l] / capacity, 1);
    }
  fab__run_clear (&run);
  return loads;
}
