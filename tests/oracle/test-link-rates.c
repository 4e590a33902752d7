/* test-link-rates.c: known answers 1-5, 38, 59, 60, 63: rates of links, as the fluid engine sees them */
#include "fab-fixture.h"

static const char two_hosts[] =
  "fabsim: 1\n"
  "nodes: {h: {type: host-1nic, count: 2}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    topology: {family: fat-tree, tiers: 1, leaf: qm9700}\n"
  "    host_link: {speed: NDR200, cable: mcp7y50, length: 3m}\n";

static const char *const one_way[] = { "h1/mem0", "h2/mem0", NULL };

static void
test_ndr200_goodput_follows_the_mtu (void **state)
{
  static const struct { const char *mtu; double gbps; } rows[] = {
    { "planes.compute.mtu=256", 181.56 }, { "planes.compute.mtu=512", 190.33 },  { "planes.compute.mtu=1024", 195.05 },
    { "planes.compute.mtu=2048", 197.49 }, { "planes.compute.mtu=4096", 198.74 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].mtu, NULL };
      g_autoptr (FabDesign) design = fixture_read (two_hosts, settings);
      g_autoptr (FabBuilt) built = fixture_build (design);

      fab_assert_close (fixture_rate (built, one_way) * 8, rows[i].gbps, 1e-3);
    }
}

static void
test_a_grh_costs_forty_more_bytes_a_packet (void **state)
{
  const char *settings[] = { "models.NDR200.header=66B", NULL };
  g_autoptr (FabDesign) design = fixture_read (two_hosts, settings);
  g_autoptr (FabBuilt) built = fixture_build (design);

  fab_assert_close (fixture_rate (built, one_way) * 8, 196.83, 1e-3);
}

static void
test_lanes_times_lane_rate_is_the_data_rate (void **state)
{
  static const struct { const char *speed; guint64 lane_bps, data_bps; } rows[] = {
    { "EDR", 25000000000, 100000000000 }, { "HDR", 50000000000, 200000000000 }, { "HDR100", 50000000000, 100000000000 },
    { "NDR", 100000000000, 400000000000 }, { "NDR200", 100000000000, 200000000000 },
  };
  g_autoptr (FabCatalog) catalog = fab_catalog_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const FabPart *speed = fab__catalog_lookup (catalog, FAB_PART_SPEED, rows[i].speed);

      assert_int_equal (fab__part_value (speed, "lane_rate", 0), rows[i].lane_bps);
      assert_int_equal (fab__part_value (speed, "data_rate", 0), rows[i].data_bps);
      assert_int_equal (fab__part_value (speed, "lanes", 0) * rows[i].lane_bps, rows[i].data_bps);
    }
}

static void
test_a_mebibyte_takes_42_us_at_200g_and_21_at_400g (void **state)
{
  static const struct { const char *speed; double time_us; } rows[] = {
    { "planes.compute.host_link={speed: NDR200, cable: mcp7y50, length: 1m}", 42.21 },
    { "planes.compute.host_link={speed: NDR, cable: mcp7y10, length: 1m}", 21.10 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].speed, "models.qm9700.latency=0", "models.connectx-7-1x400.latency=0", "models.xeon-spr.root_latency=0",
                                 "models.xeon-spr.memory_latency=0", "models.mcp7y50.delay_per_m=0", "models.mcp7y10.delay_per_m=0", NULL };
      g_autoptr (FabDesign) design = fixture_read (two_hosts, settings);
      g_autoptr (FabBuilt) built = fixture_build (design);
      g_autoptr (FabResult) result = NULL;

      fab_assert_close ((double) fixture_send_all (built, one_way, 1 << 20, &result) / 1e6, rows[i].time_us, 1e-3);
    }
}

static void
test_two_gpus_on_a_rail_halve_its_port (void **state)
{
  static const char *const pairs[] = { "gpu001/gpu0", "gpu002/gpu0", "gpu001/gpu1", "gpu002/gpu1", NULL };
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);

  fab_assert_close (fixture_rate (built, pairs), 12.42, 1e-2);
}

static void
test_pcie_gen4_goodput_follows_the_payload_size (void **state)
{
  static const struct { const char *setting; double gbytes_per_s; } rows[] = {
    { "models.gen4.max_payload=128B", 26.53 }, { "models.gen4.max_payload=256B", 28.81 }, { "models.gen4.max_payload=512B", 30.10 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].setting, NULL };
      g_autoptr (FabDesign) design = fixture_plan (settings);
      g_autoptr (FabTopology) topology = fab_design_build_topology (design, NULL);
      guint32 n_gpus, gpu = fab_topology_gpus (topology, &n_gpus)[0];
      guint32 link = fab_topology_port (topology, fab_topology_device (topology, gpu)->first_port)->link;

      fab_assert_close ((double) fab_topology_link (topology, link)->goodput_bps / 8e9, rows[i].gbytes_per_s, 1e-3);
    }
}

static void
test_a_dual_port_card_on_gen4_x16_sends_230_gbps (void **state)
{
  static const char *const pairs[] = { "gpu001/gpu0", "gpu002/gpu0", "gpu001/gpu1", "gpu002/gpu1", "gpu001/gpu2", "gpu002/gpu2",
                                       "gpu001/gpu3", "gpu002/gpu3", NULL };
  const char *settings[] = { "nodes.gpu.type=l40s-8-gen4switch", NULL };
  g_autoptr (FabDesign) design = fixture_plan (settings);
  g_autoptr (FabBuilt) built = fixture_build (design);

  fab_assert_close (4 * fixture_rate (built, pairs) * 8, 230.5, 1e-2);
}

static void
test_a_gpu_pair_under_one_switch_writes_at_its_per_flow_cap (void **state)
{
  static const char *const pairs[] = { "gpu001/gpu0", "gpu001/gpu1", NULL };
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);

  fab_assert_close (fixture_rate (built, pairs), 26, 1e-3);
}

static void
test_flows_to_the_other_socket_share_its_link_four_ways (void **state)
{
  static const char *const pairs[] = { "gpu001/gpu0", "gpu001/gpu4", "gpu001/gpu1", "gpu001/gpu5", "gpu001/gpu2", "gpu001/gpu6", "gpu001/gpu3",
                                       "gpu001/gpu7", "gpu001/gpu4", "gpu001/gpu0", "gpu001/gpu5", "gpu001/gpu1", "gpu001/gpu6", "gpu001/gpu2",
                                       "gpu001/gpu7", "gpu001/gpu3", NULL };
  static const double rates[] = { 22, 19, 40 };

  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++)
    {
      g_autofree char *setting = g_strdup_printf ("models.xeon-spr.socket_link=%.0fGB/s", rates[i]);
      const char *settings[] = { setting, NULL };
      g_autoptr (FabDesign) design = fixture_plan (settings);
      g_autoptr (FabBuilt) built = fixture_build (design);

      fab_assert_close (fixture_rate (built, pairs), rates[i] / 4, 1e-2);
    }
}

/* ---- which way, by NCCL's rules ---- */

static const FabPath *
plan_path (const FabBuilt *built, FabPaths *paths, const char *src, const char *dst, guint32 *row)
{
  guint32 a, b;

  assert_true (fab_topology_find_device (built->topology, src, &a, NULL));
  assert_true (fab_topology_find_device (built->topology, dst, &b, NULL));
  *row = fab_paths_find (paths, a, b, 0);
  assert_int_not_equal (*row, FAB_NONE);
  return fab_paths_row (paths, *row);
}

static gboolean
passes_memory (const FabBuilt *built, const FabPaths *paths, guint32 row)
{
  for (guint32 i = 0; i < fab_paths_row (paths, row)->n_links; i++)
    if (fab_topology_link (built->topology, fab_paths_links (paths, row)[i])->kind == FAB_LINK_MEMORY)
      return TRUE;
  return FALSE;
}

static void
test_beyond_pxb_gpus_meet_in_host_memory (void **state)
{
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (FabPaths) paths = fab_paths_new (built->topology, NULL, built->routes, &design->rules);
  guint32 row;

  assert_int_equal (plan_path (built, paths, "gpu001/gpu0", "gpu001/gpu3", &row)->transport, FAB_TRANSPORT_P2P);
  assert_false (passes_memory (built, paths, row));
  assert_int_equal (plan_path (built, paths, "gpu001/gpu0", "gpu001/gpu4", &row)->transport, FAB_TRANSPORT_SHM);
  assert_true (passes_memory (built, paths, row));
}

static void
test_beyond_pxb_the_network_is_staged_through_host_memory (void **state)
{
  const char *modulo[] = { "nodes.gpu.affinity=modulo", NULL };
  const char *raised[] = { "nodes.gpu.affinity=modulo", "transport={gdr: sys}", NULL };
  static const FabTransport expected[] = { FAB_TRANSPORT_NET_STAGED, FAB_TRANSPORT_GDR };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (FabDesign) design = fixture_plan (i == 0 ? modulo : raised);
      g_autoptr (FabBuilt) built = fixture_build (design);
      g_autoptr (FabPaths) paths = fab_paths_new (built->topology, NULL, built->routes, &design->rules);
      guint32 row;

      assert_int_equal (plan_path (built, paths, "gpu001/gpu4", "gpu002/gpu4", &row)->transport, expected[i]);
      assert_int_equal (passes_memory (built, paths, row), i == 0);
      assert_int_equal (plan_path (built, paths, "gpu001/gpu0", "gpu002/gpu0", &row)->transport, FAB_TRANSPORT_GDR);
    }
}

/* Two cables of 3 m at 4.5 ns, one switch of 250 ns, two NICs of 600 ns and two root complexes of 150 ns, two memories of 100 ns. */
static void
test_a_path_sums_the_latencies_it_passes (void **state)
{
  g_autoptr (FabDesign) design = fixture_read (two_hosts, NULL);
  g_autoptr (FabBuilt) built = fixture_build (design);
  g_autoptr (FabPaths) paths = fab_paths_new (built->topology, NULL, built->routes, &design->rules);
  guint32 row;

  assert_int_equal (plan_path (built, paths, "h1/mem0", "h2/mem0", &row)->latency_ps, 2 * 13500 + 250000 + 2 * 600000 + 2 * 150000 + 2 * 100000);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_ndr200_goodput_follows_the_mtu),
    cmocka_unit_test (test_a_grh_costs_forty_more_bytes_a_packet),
    cmocka_unit_test (test_lanes_times_lane_rate_is_the_data_rate),
    cmocka_unit_test (test_a_mebibyte_takes_42_us_at_200g_and_21_at_400g),
    cmocka_unit_test (test_two_gpus_on_a_rail_halve_its_port),
    cmocka_unit_test (test_pcie_gen4_goodput_follows_the_payload_size),
    cmocka_unit_test (test_a_dual_port_card_on_gen4_x16_sends_230_gbps),
    cmocka_unit_test (test_a_gpu_pair_under_one_switch_writes_at_its_per_flow_cap),
    cmocka_unit_test (test_flows_to_the_other_socket_share_its_link_four_ways),
    cmocka_unit_test (test_beyond_pxb_gpus_meet_in_host_memory),
    cmocka_unit_test (test_beyond_pxb_the_network_is_staged_through_host_memory),
    cmocka_unit_test (test_a_path_sums_the_latencies_it_passes),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
