/* test-subnet.c: LIDs, keys and lanes of a plane; known answers 26, 43, 57 */
#include "fab-small-fabric.h"
#include "fab-subnet.h"

static void
test_lids_go_to_switches_first_then_to_ports_in_row_order (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1*2 h2-leaf2 leaf1-spine1 leaf2-spine1");
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);

  assert_int_equal (fab_subnet_n_lids (subnet), 3 + 3);
  assert_int_equal (fab_subnet_max_lid (subnet), 6);
  assert_int_equal (fab_subnet_switch_lid (subnet, small_find (topology, "leaf1")), 1);
  assert_int_equal (fab_subnet_switch_lid (subnet, small_find (topology, "spine1")), 3);
  assert_int_equal (fab_subnet_switch_lid (subnet, small_find (topology, "h1/nic0")), 0);
  assert_int_equal (fab_subnet_port_lid (subnet, small_port (topology, "h1/nic0", 1)), 4);
  assert_int_equal (fab_subnet_port_lid (subnet, small_port (topology, "h1/nic0", 2)), 5);
  assert_int_equal (fab_subnet_port_lid (subnet, small_port (topology, "h2/nic0", 1)), 6);
  assert_int_equal (fab_subnet_port_lid (subnet, small_port (topology, "leaf1", 1)), 0);
  assert_int_equal (fab_subnet_lid_port (subnet, 3), FAB_NONE);
  assert_int_equal (fab_subnet_lid_port (subnet, 6), small_port (topology, "h2/nic0", 1));
  assert_int_equal (fab_subnet_lid_port (subnet, 7), FAB_NONE);
}

static void
test_lmc_gives_each_port_an_aligned_range (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1*2 h2-leaf2 leaf1-spine1 leaf2-spine1");

  for (guint lmc = 1; lmc <= 7; lmc++)
    {
      g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, lmc, NULL, NULL);
      guint32 step = 1u << lmc, n_held = 0;

      assert_int_equal (fab_subnet_n_lids (subnet), 3 + 3 * step);
      for (guint32 lid = 1; lid <= fab_subnet_max_lid (subnet); lid++)
        {
          guint32 port = fab_subnet_lid_port (subnet, lid);

          if (port == FAB_NONE)
            continue;
          n_held++;
          assert_int_equal (fab_subnet_port_lid (subnet, port) % step, 0);
          assert_int_equal (fab_subnet_port_lid (subnet, port), lid / step * step);
          assert_true (lid > 3);
        }
      assert_int_equal (n_held, 3 * step);
    }
}

/* One NIC and one switch of @n_ports ports each. */
static FabTopology *
wide_plane (guint n_ports, FabLinkKind kind)
{
  FabTopologyBuilder *builder = fab__topology_builder_new ();
  FabLink link = { .kind = kind, .plane = 0, .rate_bps = 1, .goodput_bps = 1 };
  guint32 nic, node;

  fab__topology_builder_add_plane (builder, (FabPlane) { .name = "net", .kind = kind });
  node = fab__topology_builder_add_node (builder, (FabNode) { .name = "h1", .group = FAB_NONE });
  nic = fab__topology_builder_add_device (builder, (FabDevice) { .name = "nic0", .kind = FAB_DEVICE_NIC, .node = node, .plane = FAB_NONE,
                                                                 .affinity = FAB_NONE });
  for (guint p = 0; p < n_ports; p++)
    fab__topology_builder_add_port (builder, (FabPort) { .plane = 0, .rail = FAB_NONE });
  fab__topology_builder_add_device (builder, (FabDevice) { .name = "leaf1", .kind = FAB_DEVICE_SWITCH, .node = FAB_NONE, .plane = 0,
                                                           .affinity = FAB_NONE });
  for (guint p = 0; p < n_ports; p++)
    fab__topology_builder_add_port (builder, (FabPort) { .plane = 0, .rail = FAB_NONE });
  for (guint p = 0; p < n_ports; p++)
    fab__topology_builder_add_link (builder, p, n_ports + p, link);
  assert_int_equal (nic, 0);
  return fab__topology_builder_freeze (builder, NULL);
}

/* Known answer 43: 524,288 endpoints want more than the 49,151 unicast LIDs; so do as many LIDs of fewer ports. */
static void
test_more_than_49151_lids_are_refused_on_infiniband_alone (void **state)
{
  static const struct { guint n_ports, lmc; FabLinkKind kind; const char *says; } rows[] = {
    { 49150, 0, FAB_LINK_INFINIBAND, NULL },
    { 49151, 0, FAB_LINK_INFINIBAND, "net: expected at most 49151 unicast LIDs, got 49152" },
    { 49151, 0, FAB_LINK_ETHERNET, NULL },
    { 4096, 7, FAB_LINK_INFINIBAND, "got 524289 (1 switches, 4096 ports × 128)" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabTopology) topology = wide_plane (rows[i].n_ports, rows[i].kind);
      g_autoptr (GError) error = NULL;
      g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, rows[i].lmc, NULL, &error);

      if (rows[i].says == NULL)
        fab_assert_no_error (error);
      else
        {
          assert_null (subnet);
          assert_int_equal (error->code, FAB_ERROR_LIMIT);
          fab_assert_contains (error->message, rows[i].says);
        }
    }
}

/* Known answer 57. */
static void
test_pkeys_match_where_one_of_the_two_is_full (void **state)
{
  static const struct { guint16 a, b; gboolean match; } rows[] = {
    { 0x0100, 0x0100, FALSE }, { 0x8100, 0x0100, TRUE }, { 0x0100, 0x8100, TRUE }, { 0x8100, 0x8100, TRUE },
    { 0x8100, 0x8200, FALSE }, { 0x8100, 0x0200, FALSE }, { 0xffff, 0x7fff, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_int_equal (fab_pkeys_match (rows[i].a, rows[i].b), rows[i].match);
}

/* Known answer 26. */
static void
test_op_vls_codes_mean_1_2_4_8_and_15_lanes (void **state)
{
  static const guint n_vls[] = { 1, 2, 4, 8, 15 };

  for (guint code = 1; code <= 5; code++)
    {
      FabQos qos;

      fab_qos_init (&qos);
      qos.op_vls = code;
      assert_int_equal (fab_qos_n_vls (&qos), n_vls[code - 1]);
    }
}

/* OpenSM include/opensm/osm_base.h. */
static void
test_qos_defaults_are_opensm_s (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1");
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, 0, 0, NULL, NULL);
  const FabQos *qos = fab_subnet_qos (subnet);

  assert_int_equal (qos->op_vls, 5);
  assert_int_equal (qos->high_limit, 0);
  assert_int_equal (qos->n_high, 15);
  assert_int_equal (qos->n_low, 15);
  for (guint vl = 0; vl < 15; vl++)
    {
      assert_int_equal (qos->sl2vl[vl], vl);
      assert_int_equal (qos->high[vl].vl, vl);
      assert_int_equal (qos->high[vl].weight, vl == 0 ? 4 : 0);
      assert_int_equal (qos->low[vl].vl, vl);
      assert_int_equal (qos->low[vl].weight, vl == 0 ? 0 : 4);
    }
  assert_int_equal (qos->sl2vl[15], 7);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_lids_go_to_switches_first_then_to_ports_in_row_order),
    cmocka_unit_test (test_lmc_gives_each_port_an_aligned_range),
    cmocka_unit_test (test_more_than_49151_lids_are_refused_on_infiniband_alone),
    cmocka_unit_test (test_pkeys_match_where_one_of_the_two_is_full),
    cmocka_unit_test (test_op_vls_codes_mean_1_2_4_8_and_15_lanes),
    cmocka_unit_test (test_qos_defaults_are_opensm_s),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
