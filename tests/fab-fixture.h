/* fab-fixture.h - designs from text, and runs on them, for the tests
 */
#pragma once
#include "fab-test.h"
#include "design/fab-design-private.h"
#include "study/fab-run-private.h"
#include "workload/fab-schedule-private.h"

/* A design from @text with "key=value" settings (NULL-terminated, or NULL); the test fails where it does not read. */
static inline FabDesign *
fixture_read (const char *text, const char *const *settings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabCatalog) catalog = fab_catalog_new (&error);
  FabDesign *design;

  fab_assert_no_error (error);
  design = fab_design_read (text, strlen (text), "test.yaml", settings, catalog, &error);
  fab_assert_no_error (error);
  return design;
}

/* The plan of examples/. */
static inline FabDesign *
fixture_plan (const char *const *settings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabCatalog) catalog = fab_catalog_new (&error);
  FabDesign *design;

  fab_assert_no_error (error);
  design = fab_design_read_file (FAB_SOURCE_DIR "/examples/l40s-384.yaml", settings, catalog, &error);
  fab_assert_no_error (error);
  return design;
}

static inline FabBuilt *
fixture_build (const FabDesign *design)
{
  g_autoptr (GError) error = NULL;
  FabBuilt *built = fab__built_new (design, NULL, &error);

  fab_assert_no_error (error);
  return built;
}

/* Runs @workload; clear @run with fab__run_clear(). */
static inline void
fixture_run (const FabBuilt *built, const char *workload, FabRun *run)
{
  g_autoptr (GError) error = NULL;
  FabStudyOptions options;

  fab_study_options_init (&options);
  fab__run_workload (built, workload, &options, run, &error);
  fab_assert_no_error (error);
  assert_true (fab_result_complete (run->result));
}

/* busbw of @workload in GB/s. */
static inline double
fixture_busbw (const FabDesign *design, const char *workload)
{
  g_autoptr (FabBuilt) built = fixture_build (design);
  FabRun run;
  double busbw;

  fixture_run (built, workload, &run);
  busbw = fab__run_figure (&run, fab_result_time_ps (run.result));
  fab__run_clear (&run);
  return busbw;
}

/* Transfers of @bytes each, all at once; pairs of device addresses, NULL-terminated. Returns the time of the last. */
static inline gint64
fixture_send_all_by (const FabBuilt *built, const char *const *pairs, guint64 bytes, const char *engine, FabResult **result)
{
  g_autoptr (GError) error = NULL;
  FabScheduleBuilder *builder = fab__schedule_builder_new (2, bytes, 0, "steps");
  g_autoptr (FabSchedule) schedule = NULL;
  FabTransportRules rules = built->design->rules;
  FabEngineInput input;
  gint64 time_ps;

  rules.pcie_step_ps = rules.network_step_ps = 0;
  for (guint i = 0; pairs[i] != NULL; i += 2)
    {
      FabOp op = { .kind = FAB_OP_TRANSFER, .bytes = bytes, .plane = 0 };

      assert_true (fab_topology_find_device (built->topology, pairs[i], &op.src, &error));
      assert_true (fab_topology_find_device (built->topology, pairs[i + 1], &op.dst, &error));
      fab__schedule_builder_add (builder, op, NULL, 0);
    }
  schedule = fab__schedule_builder_freeze (builder, &error);
  input = (FabEngineInput) {
    .topology = built->topology, .faults = built->faults, .routes = built->routes, .rules = &rules, .schedule = schedule, .seed = 1,
  };
  *result = fab_engine_run (fab_engine_lookup (engine, NULL), &input, &error);
  fab_assert_no_error (error);
  time_ps = fab_result_time_ps (*result);
  return time_ps;
}

static inline gint64
fixture_send_all (const FabBuilt *built, const char *const *pairs, guint64 bytes, FabResult **result)
{
  return fixture_send_all_by (built, pairs, bytes, "fluid", result);
}

/* Goodput in GB/s of each of the transfers, all alike. */
static inline double
fixture_rate (const FabBuilt *built, const char *const *pairs)
{
  const guint64 bytes = G_GUINT64_CONSTANT (1) << 33;   /* large: latency does not count */
  g_autoptr (FabResult) result = NULL;
  gint64 time_ps = fixture_send_all (built, pairs, bytes, &result);

  return (double) bytes * 1e3 / (double) time_ps;
}
