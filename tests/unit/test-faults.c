/* test-faults.c: what is down or slowed beside a topology */
#include "fab-small-fabric.h"

static const char *const fabric_text = "h1-leaf1 h1/nic1-leaf2 h2-leaf1 leaf1-spine1*2 leaf2-spine1";

static char *
names_down (const FabTopology *topology, const FabFaults *faults, gboolean of_links)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 d = 0; !of_links && d < fab_topology_n_devices (topology); d++)
    if (fab_faults_device_down (faults, d))
      g_array_append_val (rows, d);
  for (guint32 l = 0; of_links && l < fab_topology_n_links (topology); l += 2)
    {
      assert_int_equal (fab_faults_link_down (faults, l), fab_faults_link_down (faults, l + 1));
      assert_int_equal (fab_faults_goodput_bps (faults, topology, l) == 0, fab_faults_link_down (faults, l));
      if (fab_faults_link_down (faults, l))
        g_array_append_val (rows, l);
    }
  return small_names (topology, rows, of_links ? fab_topology_link_address : fab_topology_device_address);
}

static void
test_what_an_address_names_goes_down_both_ways (void **state)
{
  static const struct { const char *down, *devices, *links; } rows[] = {
    { "net/leaf2/p1", "", "h1/nic1/p1--net/leaf2/p1" },
    { "net/leaf1--net/spine1", "", "net/leaf1/p3--net/spine1/p1 net/leaf1/p4--net/spine1/p2" },
    { "h1", "h1/nic0 h1/nic1", "h1/nic0/p1--net/leaf1/p1 h1/nic1/p1--net/leaf2/p1" },
    { "h1/nic1", "h1/nic1", "h1/nic1/p1--net/leaf2/p1" },
    { "spine1", "net/spine1", "net/leaf1/p3--net/spine1/p1 net/leaf1/p4--net/spine1/p2 net/leaf2/p2--net/spine1/p3" },
  };
  g_autoptr (FabTopology) topology = small_plane (fabric_text);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabFaults) faults = small_faults (topology, rows[i].down);
      g_autofree char *devices = names_down (topology, faults, FALSE);
      g_autofree char *links = names_down (topology, faults, TRUE);

      assert_string_equal (devices, rows[i].devices);
      assert_string_equal (links, rows[i].links);
    }
}

static void
test_faults_add_up (void **state)
{
  g_autoptr (FabTopology) topology = small_plane (fabric_text);
  g_autoptr (FabFaults) faults = small_faults (topology, "h1/nic1");
  g_autofree char *devices = NULL;

  assert_true (fab_faults_add (faults, "h2", NULL));
  devices = names_down (topology, faults, FALSE);
  assert_string_equal (devices, "h1/nic1 h2/nic0");
}

static void
test_without_faults_nothing_is_down (void **state)
{
  g_autoptr (FabTopology) topology = small_plane (fabric_text);

  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    {
      assert_false (fab_faults_link_down (NULL, l));
      assert_int_equal (fab_faults_goodput_bps (NULL, topology, l), fab_topology_link (topology, l)->goodput_bps);
    }
  assert_false (fab_faults_device_down (NULL, 0));
}

static void
test_an_unknown_address_changes_nothing (void **state)
{
  g_autoptr (FabTopology) topology = small_plane (fabric_text);
  g_autoptr (FabFaults) faults = fab_faults_new (topology);
  g_autoptr (GError) error = NULL;
  g_autofree char *links = NULL;

  assert_false (fab_faults_add (faults, "net/leaf9", &error));
  assert_int_equal (error->code, FAB_ERROR_UNKNOWN);
  links = names_down (topology, faults, TRUE);
  assert_string_equal (links, "");
}

/* The links between switches have 200 Gb/s of goodput. */
static void
test_the_smallest_of_several_caps_holds (void **state)
{
  static const struct { guint64 first_gbps, second_gbps, goodput_gbps; } rows[] = {
    { 50, 80, 50 }, { 80, 50, 50 }, { 300, 300, 200 }, { 150, 250, 150 },
  };
  g_autoptr (FabTopology) topology = small_plane (fabric_text);
  guint32 link = fab_topology_port (topology, small_port (topology, "spine1", 1))->link;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabFaults) faults = fab_faults_new (topology);

      assert_true (fab_faults_cap (faults, "spine1", rows[i].first_gbps * 1000000000, NULL));
      assert_true (fab_faults_cap (faults, "net/leaf1--spine1", rows[i].second_gbps * 1000000000, NULL));
      assert_int_equal (fab_faults_goodput_bps (faults, topology, link) / 1000000000, rows[i].goodput_gbps);
      assert_int_equal (fab_faults_goodput_bps (faults, topology, link ^ 1) / 1000000000, rows[i].goodput_gbps);
      assert_false (fab_faults_link_down (faults, link));
    }
}

static void
test_a_cap_of_nothing_is_refused (void **state)
{
  g_autoptr (FabTopology) topology = small_plane (fabric_text);
  g_autoptr (FabFaults) faults = fab_faults_new (topology);
  g_autoptr (GError) error = NULL;

  assert_false (fab_faults_cap (faults, "spine1", 0, &error));
  assert_int_equal (error->code, FAB_ERROR_VALUE);
  fab_assert_contains (error->message, "expected a rate above zero for spine1");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_what_an_address_names_goes_down_both_ways),
    cmocka_unit_test (test_faults_add_up),
    cmocka_unit_test (test_without_faults_nothing_is_down),
    cmocka_unit_test (test_an_unknown_address_changes_nothing),
    cmocka_unit_test (test_the_smallest_of_several_caps_holds),
    cmocka_unit_test (test_a_cap_of_nothing_is_refused),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
