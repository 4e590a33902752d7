/* test-graph.c: named splits and single points of failure */
#include "fab-small-fabric.h"

static GArray *
match (const FabTopology *topology, const char *address)
{
  g_autoptr (GError) error = NULL;
  GArray *devices = NULL;

  fab_topology_match (topology, address, &devices, NULL, &error);
  fab_assert_no_error (error);
  return devices;
}

static guint64
split_gbps (const FabTopology *topology, const FabFaults *faults, const char *a_address, const char *b_address, GError **error)
{
  g_autoptr (GArray) a = match (topology, a_address);
  g_autoptr (GArray) b = match (topology, b_address);
  guint64 flow_bps = 0;

  fab_topology_split_bps (topology, faults, 0, (const guint32 *) (const void *) a->data, a->len, (const guint32 *) (const void *) b->data, b->len,
                          &flow_bps, error);
  return flow_bps / 1000000000;
}

static void
test_split_is_the_largest_flow_between_the_named (void **state)
{
  static const struct { const char *fabric, *a, *b; guint64 gbps; } rows[] = {
    { "h1-leaf1 h2-leaf2 leaf1-spine1 leaf2-spine1", "h1", "h2", 200 },
    { "h1-leaf1 h2-leaf2 leaf1-spine1 leaf2-spine1", "leaf1", "leaf2", 400 },
    { "h1-leaf1 h2-leaf2 leaf1-spine1*3 leaf2-spine1*2", "leaf1", "leaf2", 800 },            /* parallel links add up */
    { "leaf1-spine1*2 leaf2-spine1*3 leaf1-spine2 leaf2-spine2", "leaf1", "leaf2", 1200 },
    { "h1-leaf1*2 h2-leaf1", "h1", "h2", 200 },                                              /* the thinner side decides */
    { "h1-leaf1*2 h2-leaf1 h3-leaf1", "h1", "h[2-3]", 400 },
    { "h1-leaf1 h1/nic1-leaf1 h2-leaf1*4", "h1", "h2", 400 },                                /* all NICs of a node */
    { "h1-leaf1 h2-leaf1 h2-leaf2 h3-leaf2", "h1", "h3", 0 },                                /* nothing passes through a NIC */
    { "h1-leaf1 h2-leaf2 leaf1-spine1 leaf2-spine1 leaf3-spine1", "leaf[1-2]", "leaf3", 400 },
    { "h1-h2 h3-leaf1", "h1", "h2", 200 },                                                   /* back to back, either way round */
    { "h1-h2 h3-leaf1", "h2", "h1", 200 },
    { "h1-h2 h2-leaf1 h3-leaf1", "h1", "h3", 0 },
    { "h1-h2 h2-leaf1 h3-leaf1", "h3", "h1", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabTopology) topology = small_plane (rows[i].fabric);
      g_autoptr (GError) error = NULL;

      assert_int_equal (split_gbps (topology, NULL, rows[i].a, rows[i].b, &error), rows[i].gbps);
      fab_assert_no_error (error);
    }
}

static void
test_split_leaves_out_what_is_down (void **state)
{
  static const struct { const char *down; guint64 gbps; } rows[] = {
    { "spine1", 400 }, { "net/leaf1/p2--spine1", 800 }, { "leaf1--spine1", 400 }, { "net/leaf2", 0 }, { "h1", 1200 },
  };
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 leaf1-spine1*2 leaf2-spine1*2 leaf1-spine2 leaf2-spine2");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabFaults) faults = small_faults (topology, rows[i].down);
      g_autoptr (GError) error = NULL;

      assert_int_equal (split_gbps (topology, faults, "leaf1", "leaf2", &error), rows[i].gbps);
      fab_assert_no_error (error);
    }
}

/* The goodput of these links is half their rate, so a cap of 50 is 100 on the wire. */
static void
test_split_counts_a_capped_link_at_its_share_of_the_wire (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("leaf1-spine1*2 leaf2-spine1*2");
  g_autoptr (FabFaults) faults = fab_faults_new (topology);
  g_autoptr (GError) error = NULL;

  assert_true (fab_faults_cap (faults, "net/leaf1/p1", 50000000000, NULL));
  assert_int_equal (split_gbps (topology, faults, "leaf1", "leaf2", &error), 500);
  fab_assert_no_error (error);
}

static void
test_split_refuses_a_device_on_both_sides (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("leaf1-spine1 leaf2-spine1");
  g_autoptr (GError) error = NULL;

  split_gbps (topology, NULL, "leaf[1-2]", "leaf2", &error);
  assert_non_null (error);
  assert_int_equal (error->code, FAB_ERROR_VALUE);
  fab_assert_contains (error->message, "net/leaf2");
}

static void
test_weak_points_are_what_cuts_nodes_from_each_other (void **state)
{
  static const struct { const char *fabric, *down, *devices, *links; } rows[] = {
    /* One way each: all of it. */
    { "h1-leaf1 h2-leaf1", NULL, "h1/nic0 h2/nic0 net/leaf1", "h1/nic0/p1--net/leaf1/p1 h2/nic0/p1--net/leaf1/p2" },
    { "h1-leaf1 h2-leaf2 leaf1-spine1 leaf2-spine1", NULL, "h1/nic0 h2/nic0 net/leaf1 net/leaf2 net/spine1",
      "h1/nic0/p1--net/leaf1/p1 h2/nic0/p1--net/leaf2/p1 net/leaf1/p2--net/spine1/p1 net/leaf2/p2--net/spine1/p2" },
    /* Parallel links stand in for each other, their switches do not. */
    { "h1-leaf1*2 h2-leaf2*2 leaf1-spine1*2 leaf2-spine1*2", NULL, "h1/nic0 h2/nic0 net/leaf1 net/leaf2 net/spine1", "" },
    /* Two NICs on two leaves under two spines: nothing. */
    { "h1-leaf1 h1/nic1-leaf2 h2-leaf1 h2/nic1-leaf2 leaf1-spine1 leaf1-spine2 leaf2-spine1 leaf2-spine2", NULL, "", "" },
    /* … until one spine and, with it, nothing still: each node is on both leaves. */
    { "h1-leaf1 h1/nic1-leaf2 h2-leaf1 h2/nic1-leaf2 leaf1-spine1 leaf2-spine1", "spine1", "", "" },
    /* … but a lost leaf makes the other one the only way. */
    { "h1-leaf1 h1/nic1-leaf2 h2-leaf1 h2/nic1-leaf2 leaf1-spine1 leaf2-spine1", "leaf2", "h1/nic0 h2/nic0 net/leaf1",
      "h1/nic0/p1--net/leaf1/p1 h2/nic0/p1--net/leaf1/p2" },
    /* Switches without nodes behind them cut nobody off, hanging by one link or in a ring. */
    { "h1-leaf1*2 h2-leaf1*2 leaf1-spine1", NULL, "h1/nic0 h2/nic0 net/leaf1", "" },
    { "h1-leaf1*2 h2-leaf1*2 leaf1-spine1 spine1-spine2 spine2-spine3 spine3-spine1", NULL, "h1/nic0 h2/nic0 net/leaf1", "" },
    { "h1-leaf1 h1/nic1-leaf2 h2-leaf1*2", NULL, "h1/nic0 h2/nic0 net/leaf1", "h1/nic0/p1--net/leaf1/p1" },
    { "h1-leaf1 h1-leaf2 h2-leaf1*2", NULL, "h1/nic0 h2/nic0 net/leaf1", "h1/nic0/p1--net/leaf1/p1" },
    /* A node alone has no one to be cut from. */
    { "h1-leaf1 leaf1-spine1", NULL, "", "" },
    { "h1-leaf1 h2-leaf2 h3-leaf2 leaf1-spine1 leaf2-spine1", "spine1", "h2/nic0 h3/nic0 net/leaf2",
      "h2/nic0/p1--net/leaf2/p1 h3/nic0/p1--net/leaf2/p2" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (FabTopology) topology = small_plane (rows[i].fabric);
      g_autoptr (FabFaults) faults = small_faults (topology, rows[i].down);
      g_autoptr (GArray) devices = NULL;
      g_autoptr (GArray) links = NULL;
      g_autofree char *device_names = NULL, *link_names = NULL;

      assert_true (fab_topology_weak_points (topology, faults, 0, &devices, &links, NULL));
      device_names = small_names (topology, devices, fab_topology_device_address);
      link_names = small_names (topology, links, fab_topology_link_address);
      assert_string_equal (device_names, rows[i].devices);
      assert_string_equal (link_names, rows[i].links);
    }
}

/* ---- igraph's globals ---- */

/* Returns how many of its answers were wrong. */
static gpointer
ask_on_and_on (gpointer data)
{
  const FabTopology *topology = data;
  guint32 leaf1 = small_find (topology, "leaf1"), leaf2 = small_find (topology, "leaf2");
  gsize n_wrong = 0;

  for (guint i = 0; i < 300; i++)
    {
      g_autoptr (GArray) devices = NULL;
      g_autoptr (GArray) links = NULL;
      guint64 flow_bps = 0;

      n_wrong += !fab_topology_split_bps (topology, NULL, 0, &leaf1, 1, &leaf2, 1, &flow_bps, NULL) || flow_bps != 3200000000000;
      n_wrong += !fab_topology_weak_points (topology, NULL, 0, &devices, &links, NULL) || devices->len != 8;
    }
  return GSIZE_TO_POINTER (n_wrong);
}

static void
test_many_threads_may_ask_at_once (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf1 h3-leaf2 h4-leaf2 h5-leaf3 leaf1-spine1*4 leaf1-spine2*4 leaf2-spine1*4 "
                                                  "leaf2-spine2*4 leaf3-spine1*4 leaf3-spine2*4");
  GThread *threads[4];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("ask", ask_on_and_on, topology);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    assert_int_equal (GPOINTER_TO_SIZE (g_thread_join (threads[i])), 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_split_is_the_largest_flow_between_the_named),
    cmocka_unit_test (test_split_leaves_out_what_is_down),
    cmocka_unit_test (test_split_counts_a_capped_link_at_its_share_of_the_wire),
    cmocka_unit_test (test_split_refuses_a_device_on_both_sides),
    cmocka_unit_test (test_weak_points_are_what_cuts_nodes_from_each_other),
    cmocka_unit_test (test_many_threads_may_ask_at_once),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
