/* test-packet-collectives.c: known answers 44, 45, 74 packet by packet, and the packet engine beside the fluid one on the plan */
#include "fab-fixture.h"

#define FREE "nodes.gpu.links.socket.goodput=200GB/s", "transport={pcie_step: 0, network_step: 0}", "models.l40s.p2p_write=24GB/s", \
             "models.l40s.p2p_read=24GB/s", "nodes.gpu.links.gpu-link.goodput=24GB/s"
/* The closed form knows no latency either, and 48 MiB is too little to make it vanish. */
#define NO_LATENCY "models.qm9700.latency=0", "models.connectx-7-2x200.latency=0", "models.xeon-spr.root_latency=0", "models.xeon-spr.socket_latency=0", \
                   "models.pex-gen5.latency=0", "models.pex-gen4.latency=0", "models.mma4z00-split.delay_per_m=0", "models.mma4z00.delay_per_m=0"

static double
busbw_by (const char *const *settings, const char *workload, const char *engine, double *spine_bytes)
{
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (GError) error = NULL;
  FabStudyOptions options;
  double busbw;
  FabRun run;

  fab_study_options_init (&options);
  options.engine = engine;
  fab__run_workload (built, workload, &options, &run, &error);
  fab_assert_no_error (error);
  assert_true (fab_result_complete (run.result));
  busbw = fab__run_figure (&run, fab_result_time_ps (run.result));
  *spine_bytes = 0;
  for (guint32 l = 0; l < fab_topology_n_links (built->topology); l++)
    {
      const FabLink *link = fab_topology_link (built->topology, l);

      if (fab_topology_device (built->topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (built->topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        *spine_bytes += fab_result_link_bytes (run.result)[l];
    }
  fab__run_clear (&run);
  return busbw;
}

static void
test_hierarchical_reaches_what_the_closed_form_says (void **state)
{
  const char *gen5[] = { "workloads.gradients.bytes=48MiB", FREE, NO_LATENCY, NULL };
  const char *gen4[] = { "workloads.gradients.bytes=48MiB", "nodes.gpu.type=l40s-8-gen4switch", FREE, NO_LATENCY, NULL };
  double spine_bytes;

  fab_assert_close (busbw_by (gen5, "gradients", "packet", &spine_bytes), 21.54, 1e-2);
  assert_true (spine_bytes == 0);
  fab_assert_close (busbw_by (gen4, "gradients", "packet", &spine_bytes), 18.66, 1e-2);
}

/* By 8 GPUs: to the same GPU of the next node, within the rail. By 10: to the next rail, all of a leaf's flows to the next leaf. */
static void
test_shifts_within_and_across_rails (void **state)
{
  static const struct { const char *setting; double share; gboolean over_spine; } rows[] = {
    { "workloads={shift: {pattern: shift, by: 8, bytes: 8MiB}}", 1, FALSE }, { "workloads={shift: {pattern: shift, by: 10, bytes: 8MiB}}", 2.0 / 3, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].setting, "scenarios={}", "expect={}", "transport={pcie_step: 0, network_step: 0}", NULL };
      double spine_bytes;

      fab_assert_close (2 * busbw_by (settings, "shift", "packet", &spine_bytes), 24.84 * rows[i].share, 2e-2);
      assert_int_equal (spine_bytes > 0, rows[i].over_spine);
    }
}

/* Where no queue decides, packets and flows give the same time. */
static void
test_packets_and_flows_agree_on_the_plan (void **state)
{
  const char *settings[] = { "workloads.gradients.bytes=24MiB", "workloads.flat.bytes=24MiB", NULL };
  static const char *const workloads[] = { "gradients", "flat" };

  for (gsize i = 0; i < G_N_ELEMENTS (workloads); i++)
    {
      double spine_bytes, fluid = busbw_by (settings, workloads[i], "fluid", &spine_bytes);

      fab_assert_close (busbw_by (settings, workloads[i], "packet", &spine_bytes), fluid, 1e-2);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_hierarchical_reaches_what_the_closed_form_says),
    cmocka_unit_test (test_shifts_within_and_across_rails),
    cmocka_unit_test (test_packets_and_flows_agree_on_the_plan),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
