/* test-topology.c: rows, names and addresses of a topology, and what the builder refuses to freeze */
#include "fab-small-fabric.h"

/* ---- rows ---- */

static void
test_links_come_in_pairs_of_opposite_directions (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf1 leaf1-spine1*2");

  assert_int_equal (fab_topology_n_links (topology), 8);
  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    {
      const FabLink *link = fab_topology_link (topology, l), *back = fab_topology_link (topology, l ^ 1);

      assert_int_equal (link->from_port, back->to_port);
      assert_int_equal (link->from_device, back->to_device);
      assert_int_equal (fab_topology_port (topology, link->from_port)->link, l);
      assert_int_equal (fab_topology_port (topology, link->from_port)->device, link->from_device);
      assert_int_equal (link->rate_bps, back->rate_bps);
    }
}

static void
test_rows_know_their_places (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1/nic0-leaf1 h1/nic1-leaf2 h2-leaf1 leaf1-spine1 leaf2-spine1 leaf2-spine2");
  const FabNode *h1 = fab_topology_node (topology, fab_topology_lookup_node (topology, "h1"));
  const FabPlane *net = fab_topology_plane (topology, fab_topology_lookup_plane (topology, "net"));
  const FabDevice *spine2 = fab_topology_device (topology, small_find (topology, "net/spine2"));

  assert_int_equal (fab_topology_n_nodes (topology), 2);
  assert_int_equal (h1->n_devices, 2);
  assert_string_equal (fab_topology_device (topology, h1->first_device + 1)->name, "nic1");
  assert_int_equal (fab_topology_device (topology, h1->first_device + 1)->ordinal, 1);
  assert_int_equal (net->n_switches, 4);
  assert_int_equal (net->n_tiers, 2);
  assert_string_equal (fab_topology_device (topology, net->first_switch)->name, "leaf1");
  assert_int_equal (spine2->ordinal, 1);
  assert_int_equal (spine2->tier, 1);
  assert_int_equal (spine2->n_ports, 1);
  assert_int_equal (fab_topology_lookup_node (topology, "h3"), FAB_NONE);
  assert_int_equal (fab_topology_lookup_plane (topology, "h1"), FAB_NONE);
}

static void
test_gpus_stand_in_rank_order (void **state)
{
  FabTopologyBuilder *builder = fab__topology_builder_new ();
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (GString) order = g_string_new (NULL);
  const guint32 *gpus;
  guint32 n_gpus;

  for (guint n = 1; n <= 2; n++)
    {
      g_autofree char *name = g_strdup_printf ("h%u", n);
      guint32 node = fab__topology_builder_add_node (builder, (FabNode) { .name = name, .group = FAB_NONE });

      for (guint i = 0; i < 3; i++)
        {
          const char *device = i == 0 ? "gpu0" : i == 1 ? "nic0" : "gpu1";

          fab__topology_builder_add_device (builder, (FabDevice) { .name = device, .node = node, .plane = FAB_NONE, .affinity = FAB_NONE,
                                                                   .kind = i == 1 ? FAB_DEVICE_NIC : FAB_DEVICE_GPU });
        }
    }
  topology = fab__topology_builder_freeze (builder, NULL);
  gpus = fab_topology_gpus (topology, &n_gpus);
  for (guint32 g = 0; g < n_gpus; g++)
    {
      g_autofree char *address = fab_topology_device_address (topology, gpus[g]);

      g_string_append_printf (order, "%s ", address);
    }
  assert_string_equal (order->str, "h1/gpu0 h1/gpu1 h2/gpu0 h2/gpu1 ");
  assert_int_equal (fab_topology_node (topology, 1)->n_gpus, 2);
  assert_int_equal (fab_topology_device (topology, gpus[3])->ordinal, 1);
}

static void
test_every_kind_has_a_name_of_its_own (void **state)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint k = 0; k < FAB_N_DEVICE_KINDS; k++)
    assert_true (g_hash_table_add (seen, (gpointer) (gsize) fab_device_kind_name (k)));
  g_hash_table_remove_all (seen);
  for (guint k = 0; k < FAB_N_LINK_KINDS; k++)
    assert_true (g_hash_table_add (seen, (gpointer) (gsize) fab_link_kind_name (k)));
}

/* ---- addresses ---- */

static void
test_every_address_finds_its_own_row_again (void **state)
{
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h1/nic1-leaf1*2 h2-leaf1 leaf1-spine1*3");

  for (guint32 d = 0; d < fab_topology_n_devices (topology); d++)
    {
      g_autofree char *address = fab_topology_device_address (topology, d);

      assert_int_equal (small_find (topology, address), d);
    }
  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    {
      g_autofree char *address = fab_topology_link_address (topology, l);
      g_autoptr (GArray) links = NULL;

      assert_true (fab_topology_match (topology, address, NULL, &links, NULL));
      assert_int_equal (links->len, 1);
      assert_int_equal (g_array_index (links, guint32, 0), l & ~1u);
    }
}

static void
test_match_names_devices_and_links (void **state)
{
  static const struct { const char *address, *devices, *links; } rows[] = {
    { "net/leaf1/p1", "", "h1/nic0/p1--net/leaf1/p1" },
    { "h1", "h1/nic0", "h1/nic0/p1--net/leaf1/p1" },
    { "h[1-2]", "h1/nic0 h2/nic0", "h1/nic0/p1--net/leaf1/p1 h2/nic0/p1--net/leaf2/p1" },
    { "h*/nic0", "h1/nic0 h2/nic0", "h1/nic0/p1--net/leaf1/p1 h2/nic0/p1--net/leaf2/p1" },
    { "net/spine1", "net/spine1", "net/leaf1/p2--net/spine1/p1 net/leaf1/p3--net/spine1/p2 net/leaf2/p2--net/spine1/p3" },
    { "spine1--net/leaf1", "", "net/leaf1/p2--net/spine1/p1 net/leaf1/p3--net/spine1/p2" },
    { "net/leaf1/p3--net/spine1/p2", "", "net/leaf1/p3--net/spine1/p2" },
    { "net/spine1/p[2-3]", "", "net/leaf1/p3--net/spine1/p2 net/leaf2/p2--net/spine1/p3" },
    { "net/leaf*--spine1", "", "net/leaf1/p2--net/spine1/p1 net/leaf1/p3--net/spine1/p2 net/leaf2/p2--net/spine1/p3" },
    { "net/leaf1--h1", "", "h1/nic0/p1--net/leaf1/p1" },
    { "net--net/spine1/p1", "", "net/leaf1/p2--net/spine1/p1" },
  };
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 leaf1-spine1*2 leaf2-spine1");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GArray) devices = NULL;
      g_autoptr (GArray) links = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *device_names = NULL, *link_names = NULL;

      fab_topology_match (topology, rows[i].address, &devices, &links, &error);
      fab_assert_no_error (error);
      device_names = small_names (topology, devices, fab_topology_device_address);
      link_names = small_names (topology, links, fab_topology_link_address);
      assert_string_equal (device_names, rows[i].devices);
      assert_string_equal (link_names, rows[i].links);
    }
}

static void
test_what_is_not_there_is_an_error_with_the_nearest_name (void **state)
{
  static const struct { const char *address, *says; } rows[] = {
    { "net/leaf3", "expected a device of net, got “leaf3”; did you mean “leaf1”?" },
    { "nett/leaf1", "expected a node or plane, got “nett”; did you mean “net”?" },
    { "spin1", "got “spin1”; did you mean “spine1”?" },
    { "net/leaf1/p33", "expected a port of net/leaf1, got “p33”; did you mean “p3”?" },
    { "net/leaf1--net/spin1", "got “spin1”; did you mean “spine1”?" },
    { "net/leaf1/p9--net/spine1", "expected a port of net/leaf1, got “p9”" },
    { "net/leaf1--net/leaf2", "net/leaf1--net/leaf2”, which no link joins" },
    { "net/leaf[7-9]", "“net/leaf[7-9]”, which names none" },
    { "net/leaf1/", "expected an address such as" },
    { "", "expected an address of one to four parts" },
  };
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf2 leaf1-spine1*2 leaf2-spine1");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GArray) devices = NULL;
      g_autoptr (GError) error = NULL;

      assert_false (fab_topology_match (topology, rows[i].address, &devices, NULL, &error));
      assert_null (devices);
      fab_assert_contains (error->message, rows[i].says);
    }
}

static void
test_one_device_is_found_or_the_reason_said (void **state)
{
  static const struct { const char *address, *says; } rows[] = {
    { "h1", "expected a device such as h1/…, got “h1” alone" },
    { "net/leaf1/p1", "expected a device, got the port" },
    { "h1/nic7", "expected a device of h1, got “nic7”; did you mean “nic0”?" },
    { "nic0", "got “nic0”: is it h1/nic0 or h2/nic0?" },
  };
  g_autoptr (FabTopology) topology = small_plane ("h1-leaf1 h2-leaf1");

  assert_int_equal (small_find (topology, "leaf1"), small_find (topology, "net/leaf1"));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      guint32 device;

      assert_false (fab_topology_find_device (topology, rows[i].address, &device, &error));
      fab_assert_contains (error->message, rows[i].says);
    }
}

/* ---- bare names ---- */

/* Two nodes with devices named as nodes are, two planes with a switch of one name, and a port without a link. */
static FabTopology *
twin_names (void)
{
  FabTopologyBuilder *builder = fab__topology_builder_new ();

  for (guint p = 0; p < 2; p++)
    fab__topology_builder_add_plane (builder, (FabPlane) { .name = p == 0 ? "a" : "b", .kind = FAB_LINK_INFINIBAND });
  for (guint n = 0; n < 2; n++)
    {
      guint32 node = fab__topology_builder_add_node (builder, (FabNode) { .name = n == 0 ? "gpu0" : "gpu1", .group = FAB_NONE });

      for (guint d = 0; d < 2; d++)
        fab__topology_builder_add_device (builder, (FabDevice) { .name = d == 0 ? "gpu0" : "gpu1", .node = node, .plane = FAB_NONE,
                                                                 .affinity = FAB_NONE, .kind = FAB_DEVICE_GPU });
    }
  for (guint32 p = 0; p < 2; p++)
    for (guint s = 0; s < 2; s++)
      {
        fab__topology_builder_add_device (builder, (FabDevice) { .name = s == 0 ? "leaf1" : p == 0 ? "root" : "top", .node = FAB_NONE,
                                                                 .plane = p, .affinity = FAB_NONE, .kind = FAB_DEVICE_SWITCH });
        fab__topology_builder_add_port (builder, (FabPort) { .name = "p1", .plane = p, .rail = FAB_NONE });
      }
  return fab__topology_builder_freeze (builder, NULL);
}

static void
test_a_bare_name_is_an_owner_first_and_a_unique_device_else (void **state)
{
  static const struct { const char *address, *devices, *says; } rows[] = {
    { "gpu1", "gpu1/gpu0 gpu1/gpu1", NULL },
    { "gpu[0-1]", "gpu0/gpu0 gpu0/gpu1 gpu1/gpu0 gpu1/gpu1", NULL },
    { "*/gpu1", "gpu0/gpu1 gpu1/gpu1", NULL },
    { "a", "a/leaf1 a/root", NULL },
    { "root", "a/root", NULL },
    { "leaf1", NULL, "is it a/leaf1 or b/leaf1?" },
    { "leaf[1-2]", NULL, "is it a/leaf1 or b/leaf1?" },
    { "leaf*", "a/leaf1 b/leaf1", NULL },
    { "leaf1--a/root", NULL, "is it a/leaf1 or b/leaf1?" },
    { "a/root--leaf1", NULL, "is it a/leaf1 or b/leaf1?" },
    { "a/leaf1/p1", NULL, "expected a port with a link, got “a/leaf1/p1”, which is free" },
  };
  g_autoptr (FabTopology) topology = twin_names ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GArray) devices = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *names = NULL;

      assert_int_equal (fab_topology_match (topology, rows[i].address, &devices, NULL, &error), rows[i].says == NULL);
      if (rows[i].says != NULL)
        {
          fab_assert_contains (error->message, rows[i].says);
          continue;
        }
      names = small_names (topology, devices, fab_topology_device_address);
      assert_string_equal (names, rows[i].devices);
    }
}

/* ---- what is not frozen ---- */

typedef struct
{
  const char *nodes[2], *devices[3];
  guint       owners[3];              /* rows of nodes */
  const char *ports[2];               /* of the first two devices */
  FabLink     link;                   /* between those */
  const char *says;                   /* NULL: it freezes */
} Broken;

static void
test_the_builder_freezes_only_what_can_be_found_again (void **state)
{
  static const Broken rows[] = {
    { { "h1", "h2" }, { "x", "y", "x" }, { 0, 0, 1 }, { "p1", "p1" }, { .rate_bps = 2, .goodput_bps = 2 }, NULL },
    { { "h1", "h1" }, { "x", "y", "x" }, { 0, 0, 1 }, { "p1", "p1" }, { .rate_bps = 2, .goodput_bps = 2 }, "got “h1” twice" },
    { { "net", "h2" }, { "x", "y", "x" }, { 0, 0, 1 }, { "p1", "p1" }, { .rate_bps = 2, .goodput_bps = 2 }, "got “net” twice" },
    { { "h1", "h2" }, { "x", "x", "x" }, { 0, 0, 1 }, { "p1", "p1" }, { .rate_bps = 2, .goodput_bps = 2 }, "got “x” twice" },
    { { "h1", "h2" }, { "x", "y", "z" }, { 0, 1, 0 }, { "p1", "p1" }, { .rate_bps = 2, .goodput_bps = 2 }, "got “z” apart" },
    { { "h1", "h2" }, { "x", "y", "x" }, { 0, 0, 1 }, { "p2", "p1" }, { .rate_bps = 2, .goodput_bps = 2 }, "got “p2” twice" },
    { { "h1", "h2" }, { "x", "y", "x" }, { 0, 0, 1 }, { "p1", "p1" }, { .rate_bps = 2, .goodput_bps = 3 }, "no more goodput" },
    { { "h1", "h2" }, { "x", "y", "x" }, { 0, 0, 1 }, { "p1", "p1" }, { .rate_bps = 2, .goodput_bps = 0 }, "above zero" },
    { { "h1", "h2" }, { "x", "y", "x" }, { 0, 0, 1 }, { "p1", "p1" }, { .rate_bps = 2, .goodput_bps = 2, .latency_ps = -1 }, "above zero" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      FabTopologyBuilder *builder = fab__topology_builder_new ();
      g_autoptr (FabTopology) topology = NULL;
      g_autoptr (GError) error = NULL;
      guint32 ports[2] = { 0, 0 };
      guint n_nodes = 0;

      fab__topology_builder_add_plane (builder, (FabPlane) { .name = "net", .kind = FAB_LINK_INFINIBAND });
      for (guint d = 0; d < 3; d++)
        {
          if (rows[i].owners[d] == n_nodes)
            fab__topology_builder_add_node (builder, (FabNode) { .name = rows[i].nodes[n_nodes++], .group = FAB_NONE });
          fab__topology_builder_add_device (builder, (FabDevice) { .name = rows[i].devices[d], .node = rows[i].owners[d], .plane = FAB_NONE,
                                                                   .affinity = FAB_NONE, .kind = FAB_DEVICE_NIC });
          if (d < 2)
            ports[d] = fab__topology_builder_add_port (builder, (FabPort) { .name = rows[i].ports[d], .plane = 0, .rail = FAB_NONE });
          if (d == 0)
            fab__topology_builder_add_port (builder, (FabPort) { .name = "p2", .plane = 0, .rail = FAB_NONE });
        }
      fab__topology_builder_add_link (builder, ports[0], ports[1], rows[i].link);
      topology = fab__topology_builder_freeze (builder, &error);
      if (rows[i].says == NULL)
        fab_assert_no_error (error);
      else
        {
          assert_null (topology);
          fab_assert_contains (error->message, rows[i].says);
        }
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_links_come_in_pairs_of_opposite_directions),
    cmocka_unit_test (test_rows_know_their_places),
    cmocka_unit_test (test_gpus_stand_in_rank_order),
    cmocka_unit_test (test_every_kind_has_a_name_of_its_own),
    cmocka_unit_test (test_every_address_finds_its_own_row_again),
    cmocka_unit_test (test_match_names_devices_and_links),
    cmocka_unit_test (test_what_is_not_there_is_an_error_with_the_nearest_name),
    cmocka_unit_test (test_one_device_is_found_or_the_reason_said),
    cmocka_unit_test (test_a_bare_name_is_an_owner_first_and_a_unique_device_else),
    cmocka_unit_test (test_the_builder_freezes_only_what_can_be_found_again),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
