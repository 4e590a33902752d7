/* test-path.c: ways inside nodes and between them, by NCCL's transport rules, with their latency and caps */
#include "fab-small-fabric.h"
#include "fab-path.h"

#define GBPS G_GUINT64_CONSTANT (1000000000)

/* ---- two nodes of two sockets ----
 *
 *   mem0─cpu0────────cpu1─mem1       GPUs: gpu0 gpu1 on sw0, gpu2 gpu3 on sw1, gpu4 on sw2 below sw0, gpu5 on cpu1 itself
 *         │           │   └─gpu5     NICs: nic0 (p1) on sw0, nic1 (p1, p2) on sw1; leaf1 takes nic0, leaf2 takes nic1
 *        sw0         sw1             affinity: gpu0, gpu1 and, far off, gpu3 use nic0/p1; the others have none
 *        ├ sw2─gpu4   │            NVLink, where asked for: gpu2 and gpu3 on nvs0, and a bridge from gpu3 to gpu4
 *    gpu0 gpu1 nic0  gpu2 gpu3 nic1
 *
 * Each kind of link and device has a latency of its own, so that a sum tells the way. */

static const struct { const char *name; FabDeviceKind kind; gint64 latency_ps; guint n_ports; } node_devices[] = {
  { "cpu0", FAB_DEVICE_CPU, 11, 3 },  { "cpu1", FAB_DEVICE_CPU, 11, 4 },       { "mem0", FAB_DEVICE_MEMORY, 3, 1 },
  { "mem1", FAB_DEVICE_MEMORY, 3, 1 }, { "sw0", FAB_DEVICE_PCIE_SWITCH, 7, 5 }, { "sw1", FAB_DEVICE_PCIE_SWITCH, 7, 4 },
  { "sw2", FAB_DEVICE_PCIE_SWITCH, 7, 2 }, { "gpu0", FAB_DEVICE_GPU, 5, 3 },    { "gpu1", FAB_DEVICE_GPU, 5, 3 },
  { "gpu2", FAB_DEVICE_GPU, 5, 3 },    { "gpu3", FAB_DEVICE_GPU, 5, 3 },        { "gpu4", FAB_DEVICE_GPU, 5, 3 },
  { "gpu5", FAB_DEVICE_GPU, 5, 3 },    { "nic0", FAB_DEVICE_NIC, 13, 2 },       { "nic1", FAB_DEVICE_NIC, 13, 3 },
  { "nvs0", FAB_DEVICE_NVSWITCH, 1, 2 },
};

static const struct { const char *a, *b; FabLinkKind kind; } node_links[] = {
  { "cpu0", "mem0", FAB_LINK_MEMORY }, { "cpu1", "mem1", FAB_LINK_MEMORY }, { "cpu0", "cpu1", FAB_LINK_SOCKET },
  { "sw0", "cpu0", FAB_LINK_PCIE },
  { "sw1", "cpu1", FAB_LINK_PCIE },    { "sw2", "sw0", FAB_LINK_PCIE },     { "gpu0", "sw0", FAB_LINK_GPU },     { "gpu1", "sw0", FAB_LINK_GPU },
  { "gpu2", "sw1", FAB_LINK_GPU },     { "gpu3", "sw1", FAB_LINK_GPU },     { "gpu4", "sw2", FAB_LINK_GPU },     { "gpu5", "cpu1", FAB_LINK_GPU },
  { "nic0", "sw0", FAB_LINK_NIC },     { "nic1", "sw1", FAB_LINK_NIC },     { "gpu2", "nvs0", FAB_LINK_NVLINK }, { "gpu3", "nvs0", FAB_LINK_NVLINK },
  { "gpu3", "gpu4", FAB_LINK_NVLINK },
};

/* Caps in Gb/s. */
static const struct { gint64 latency_ps; guint64 write, read; } link_kinds[FAB_N_LINK_KINDS] = {
  [FAB_LINK_GPU] = { 100, 260, 200 },  [FAB_LINK_PCIE] = { 200, 240, 180 }, [FAB_LINK_NIC] = { 300, 250, 0 },       [FAB_LINK_SOCKET] = { 400, 100, 0 },
  [FAB_LINK_MEMORY] = { 500, 50, 50 }, [FAB_LINK_NVLINK] = { 50, 0, 0 },    [FAB_LINK_INFINIBAND] = { 1000, 9, 9 },
};

typedef struct
{
  FabTopologyBuilder *builder;
  GHashTable         *next_port;   /* device row → ports used */
  GHashTable         *rows;        /* "n1/gpu0" → row + 1 */
} Maker;

static void
add_device (Maker *maker, const char *owner, FabDevice device, guint n_ports, guint32 plane_of_ports)
{
  guint32 row;

  device.part = "small";
  device.affinity = FAB_NONE;
  row = fab__topology_builder_add_device (maker->builder, device);
  g_hash_table_insert (maker->rows, g_strdup_printf ("%s/%s", owner, device.name), GUINT_TO_POINTER (row + 1));
  for (guint p = 0; p < n_ports; p++)
    {
      /* A NIC's first port is its slot. */
      gboolean network = device.kind == FAB_DEVICE_SWITCH || (device.kind == FAB_DEVICE_NIC && p > 0);
      g_autofree char *name = network ? g_strdup_printf ("p%u", device.kind == FAB_DEVICE_NIC ? p : p + 1) : NULL;

      fab__topology_builder_add_port (maker->builder, (FabPort) { .name = name, .plane = network ? plane_of_ports : FAB_NONE, .rail = FAB_NONE });
    }
}

static guint32
row_of (const Maker *maker, const char *owner, const char *device)
{
  g_autofree char *address = g_strdup_printf ("%s/%s", owner, device);
  gpointer row = g_hash_table_lookup (maker->rows, address);

  assert_non_null (row);
  return GPOINTER_TO_UINT (row) - 1;
}

static guint32
next_port (Maker *maker, const char *owner, const char *device)
{
  guint32 row = row_of (maker, owner, device);
  guint used = GPOINTER_TO_UINT (g_hash_table_lookup (maker->next_port, GUINT_TO_POINTER (row)));

  g_hash_table_insert (maker->next_port, GUINT_TO_POINTER (row), GUINT_TO_POINTER (used + 1));
  return fab__topology_builder_device (maker->builder, row)->first_port + used;
}

static void
join (Maker *maker, const char *a_owner, const char *a, const char *b_owner, const char *b, FabLinkKind kind)
{
  FabLink link = { .kind = kind, .plane = kind == FAB_LINK_INFINIBAND ? 0 : FAB_NONE, .rate_bps = 400 * GBPS, .goodput_bps = 400 * GBPS };
  guint32 from = next_port (maker, a_owner, a), to = next_port (maker, b_owner, b);

  link.latency_ps = link_kinds[kind].latency_ps;
  link.flow_write_bps = link_kinds[kind].write * GBPS;
  link.flow_read_bps = link_kinds[kind].read * GBPS;
  fab__topology_builder_add_link (maker->builder, from, to, link);
}

static void
add_node (Maker *maker, const char *name, gboolean nvlink)
{
  static const char *const near_nic0[] = { "gpu0", "gpu1", "gpu3" };
  guint32 node = fab__topology_builder_add_node (maker->builder, (FabNode) { .name = name, .type = "small", .group = 0 });
  guint32 nic0;

  for (gsize d = 0; d < G_N_ELEMENTS (node_devices); d++)
    add_device (maker, name, (FabDevice) { .name = node_devices[d].name, .kind = node_devices[d].kind, .node = node, .plane = FAB_NONE,
                                           .tier = FAB_NONE, .latency_ps = node_devices[d].latency_ps }, node_devices[d].n_ports, 0);
  for (gsize l = 0; l < G_N_ELEMENTS (node_links); l++)
    if (nvlink || node_links[l].kind != FAB_LINK_NVLINK)
      join (maker, name, node_links[l].a, name, node_links[l].b, node_links[l].kind);
  nic0 = fab__topology_builder_device (maker->builder, row_of (maker, name, "nic0"))->first_port;
  for (gsize g = 0; g < G_N_ELEMENTS (near_nic0); g++)
    fab__topology_builder_set_affinity (maker->builder, row_of (maker, name, near_nic0[g]), nic0 + 1);   /* p1 comes after the slot */
}

static FabTopology *
two_nodes (gboolean nvlink)
{
  static const char *const switches[] = { "leaf1", "leaf2", "spine1" }, *const nodes[] = { "n1", "n2" };
  g_autoptr (GHashTable) ports = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GError) error = NULL;
  Maker maker = { fab__topology_builder_new (), ports, rows };
  FabTopology *topology;

  fab__topology_builder_add_plane (maker.builder, (FabPlane) { .name = "net", .kind = FAB_LINK_INFINIBAND, .family = "explicit" });
  for (gsize n = 0; n < G_N_ELEMENTS (nodes); n++)
    add_node (&maker, nodes[n], nvlink);
  for (gsize s = 0; s < G_N_ELEMENTS (switches); s++)
    add_device (&maker, "net", (FabDevice) { .name = switches[s], .kind = FAB_DEVICE_SWITCH, .node = FAB_NONE, .plane = 0, .tier = s == 2,
                                             .latency_ps = 17 }, 8, 0);
  for (gsize n = 0; n < G_N_ELEMENTS (nodes); n++)
    {
      join (&maker, nodes[n], "nic0", "net", "leaf1", FAB_LINK_INFINIBAND);
      join (&maker, nodes[n], "nic1", "net", "leaf2", FAB_LINK_INFINIBAND);
      join (&maker, nodes[n], "nic1", "net", "leaf2", FAB_LINK_INFINIBAND);
    }
  join (&maker, "net", "leaf1", "net", "spine1", FAB_LINK_INFINIBAND);
  join (&maker, "net", "leaf2", "net", "spine1", FAB_LINK_INFINIBAND);
  topology = fab__topology_builder_freeze (maker.builder, &error);
  fab_assert_no_error (error);
  return topology;
}

/* ---- one path asked for ---- */

typedef struct
{
  FabTopology *topology;
  FabFaults   *faults;
  FabRoutes   *routes;
  FabPaths    *paths;
} Fabric;

static void
fabric_init (Fabric *fabric, gboolean nvlink, const char *down, const FabTransportRules *rules)
{
  g_autoptr (FabSubnet) subnet = NULL;
  FabTransportRules usual;

  fab_transport_rules_init (&usual);
  fabric->topology = two_nodes (nvlink);
  fabric->faults = small_faults (fabric->topology, down);
  subnet = fab_subnet_new (fabric->topology, 0, 0, NULL, NULL);
  fabric->routes = fab_routes_compute (subnet, fabric->faults, "minhop", NULL, NULL);
  fabric->paths = fab_paths_new (fabric->topology, fabric->faults, &fabric->routes, rules != NULL ? rules : &usual);
}

static void
fabric_clear (Fabric *fabric)
{
  fab_paths_free (fabric->paths);
  fab_routes_unref (fabric->routes);
  fab_faults_unref (fabric->faults);
  fab_topology_unref (fabric->topology);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fabric, fabric_clear)

static guint32
find (const Fabric *fabric, const char *src, const char *dst)
{
  return fab_paths_find (fabric->paths, small_find (fabric->topology, src), small_find (fabric->topology, dst), 0);
}

/* "gpu0 sw0 gpu1": the devices on the way, without their owners. */
static char *
way (const Fabric *fabric, guint32 path)
{
  const FabPath *row = fab_paths_row (fabric->paths, path);
  const guint32 *links = fab_paths_links (fabric->paths, path);
  GString *text = g_string_new (fab_topology_device (fabric->topology, row->src)->name);

  for (guint32 l = 0; l < row->n_links; l++)
    {
      const FabLink *link = fab_topology_link (fabric->topology, links[l]);

      if (l > 0)
        assert_int_equal (link->from_device, fab_topology_link (fabric->topology, links[l - 1])->to_device);
      g_string_append_printf (text, " %s", fab_topology_device (fabric->topology, link->to_device)->name);
    }
  return g_string_free (text, FALSE);
}

typedef struct
{
  const char  *src, *dst, *way;   /* NULL way: unreachable */
  FabTransport transport;
  gint64       latency_ps;
  guint64      flow_gbps;
  FabLinkKind  flow_kind;         /* of the link with that cap, where there is one */
} Expected;

static void
check_paths (const Fabric *fabric, const Expected *rows, gsize n_rows)
{
  for (gsize i = 0; i < n_rows; i++)
    {
      guint32 path = find (fabric, rows[i].src, rows[i].dst);
      const FabPath *row;
      g_autofree char *found = NULL;

      if (rows[i].way == NULL)
        {
          assert_int_equal (path, FAB_NONE);
          continue;
        }
      assert_int_not_equal (path, FAB_NONE);
      row = fab_paths_row (fabric->paths, path);
      found = way (fabric, path);
      assert_string_equal (found, rows[i].way);
      assert_string_equal (fab_transport_name (row->transport), fab_transport_name (rows[i].transport));
      assert_int_equal (row->latency_ps, rows[i].latency_ps);
      assert_int_equal (row->flow_bps, rows[i].flow_gbps * GBPS);
      if (rows[i].flow_gbps == 0)
        assert_int_equal (row->flow_link, FAB_NONE);
      else
        assert_int_equal (fab_topology_link (fabric->topology, row->flow_link)->kind, rows[i].flow_kind);
    }
}

/* ---- inside a node ---- */

static void
test_inside_a_node_near_gpus_write_to_each_other_and_far_ones_through_host_memory (void **state)
{
  static const Expected rows[] = {
    { "n1/gpu0", "n1/gpu1", "gpu0 sw0 gpu1", FAB_TRANSPORT_P2P, 207, 260, FAB_LINK_GPU },
    { "n1/gpu4", "n1/gpu0", "gpu4 sw2 sw0 gpu0", FAB_TRANSPORT_P2P, 414, 240, FAB_LINK_PCIE },
    { "n1/gpu0", "n1/gpu2", "gpu0 sw0 cpu0 mem0 cpu0 cpu1 sw1 gpu2", FAB_TRANSPORT_SHM, 2050, 0, 0 },
    { "n1/gpu2", "n1/gpu0", "gpu2 sw1 cpu1 mem1 cpu1 cpu0 sw0 gpu0", FAB_TRANSPORT_SHM, 2050, 0, 0 },
    { "n1/gpu5", "n1/gpu2", "gpu5 cpu1 mem1 cpu1 sw1 gpu2", FAB_TRANSPORT_SHM, 1432, 0, 0 },
    { "n1/mem0", "n1/gpu0", "mem0 cpu0 sw0 gpu0", FAB_TRANSPORT_P2P, 818, 0, 0 },
    { "n1/gpu0", "n1/gpu0", "gpu0", FAB_TRANSPORT_P2P, 0, 0, 0 },
  };
  g_auto (Fabric) fabric = { NULL };

  fabric_init (&fabric, FALSE, NULL, NULL);
  check_paths (&fabric, rows, G_N_ELEMENTS (rows));
}

static void
test_the_peer_to_peer_level_says_how_far_gpus_reach_each_other (void **state)
{
  static const struct { FabDistance level; Expected path; } rows[] = {
    { FAB_DISTANCE_PIX, { "n1/gpu4", "n1/gpu0", "gpu4 sw2 sw0 cpu0 mem0 cpu0 sw0 gpu0", FAB_TRANSPORT_SHM, 1846, 0, 0 } },
    { FAB_DISTANCE_PXB, { "n1/gpu4", "n1/gpu0", "gpu4 sw2 sw0 gpu0", FAB_TRANSPORT_P2P, 414, 240, FAB_LINK_PCIE } },
    { FAB_DISTANCE_PXB, { "n1/gpu5", "n1/gpu2", "gpu5 cpu1 mem1 cpu1 sw1 gpu2", FAB_TRANSPORT_SHM, 1432, 0, 0 } },
    { FAB_DISTANCE_PHB, { "n1/gpu5", "n1/gpu2", "gpu5 cpu1 sw1 gpu2", FAB_TRANSPORT_P2P, 418, 240, FAB_LINK_PCIE } },
    { FAB_DISTANCE_PHB, { "n1/gpu0", "n1/gpu2", "gpu0 sw0 cpu0 mem0 cpu0 cpu1 sw1 gpu2", FAB_TRANSPORT_SHM, 2050, 0, 0 } },
    { FAB_DISTANCE_SYS, { "n1/gpu0", "n1/gpu2", "gpu0 sw0 cpu0 cpu1 sw1 gpu2", FAB_TRANSPORT_P2P, 1036, 100, FAB_LINK_SOCKET } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Fabric) fabric = { NULL };
      FabTransportRules rules;

      fab_transport_rules_init (&rules);
      rules.p2p_level = rows[i].level;
      fabric_init (&fabric, FALSE, NULL, &rules);
      check_paths (&fabric, &rows[i].path, 1);
    }
}

static void
test_nvlink_is_taken_where_both_gpus_have_it (void **state)
{
  static const struct { const char *down; Expected path; } rows[] = {
    { NULL, { "n1/gpu2", "n1/gpu3", "gpu2 nvs0 gpu3", FAB_TRANSPORT_P2P, 101, 0, 0 } },
    { NULL, { "n1/gpu2", "n1/gpu0", "gpu2 sw1 cpu1 mem1 cpu1 cpu0 sw0 gpu0", FAB_TRANSPORT_SHM, 2050, 0, 0 } },
    { NULL, { "n1/gpu3", "n1/gpu4", "gpu3 gpu4", FAB_TRANSPORT_P2P, 50, 0, 0 } },
    { NULL, { "n1/gpu2", "n1/gpu4", "gpu2 sw1 cpu1 mem1 cpu1 cpu0 sw0 sw2 gpu4", FAB_TRANSPORT_SHM, 2257, 0, 0 } },   /* no GPU passes on */
    { "n1/nvs0", { "n1/gpu2", "n1/gpu3", "gpu2 sw1 gpu3", FAB_TRANSPORT_P2P, 207, 260, FAB_LINK_GPU } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Fabric) fabric = { NULL };

      fabric_init (&fabric, TRUE, rows[i].down, NULL);
      check_paths (&fabric, &rows[i].path, 1);
    }
}

static void
test_distances_are_named_as_nvidia_smi_does (void **state)
{
  static const struct { const char *a, *b, *name; } rows[] = {
    { "n1/gpu0", "n1/gpu1", "PIX" }, { "n1/gpu0", "n1/nic0", "PIX" },  { "n1/gpu4", "n1/gpu0", "PXB" },  { "n1/gpu4", "n1/nic0", "PXB" },
    { "n1/gpu5", "n1/gpu2", "PHB" }, { "n1/gpu0", "n1/gpu2", "SYS" },  { "n1/gpu3", "n1/nic0", "SYS" },  { "n1/gpu0", "n2/gpu0", "none" },
    { "n1/gpu0", "leaf1", "none" },  { "n1/gpu0", "n1/nvs0", "none" },
  };
  g_autoptr (FabTopology) topology = two_nodes (FALSE);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint32 a = small_find (topology, rows[i].a), b = small_find (topology, rows[i].b);

      assert_string_equal (fab_distance_name (fab_topology_distance (topology, a, b)), rows[i].name);
      assert_string_equal (fab_distance_name (fab_topology_distance (topology, b, a)), rows[i].name);
    }
}

/* ---- between nodes ---- */

/* The sender's memory is read and the receiver's written: 200 is a GPU link's read cap, 250 a slot's write cap. */
static void
test_between_nodes_the_data_goes_by_the_ends_own_ports (void **state)
{
  static const Expected rows[] = {
    { "n1/gpu0", "n2/gpu0", "gpu0 sw0 nic0 leaf1 nic0 sw0 gpu0", FAB_TRANSPORT_GDR, 2857, 200, FAB_LINK_GPU },
    { "n1/gpu4", "n2/gpu0", "gpu4 sw2 sw0 nic0 leaf1 nic0 sw0 gpu0", FAB_TRANSPORT_GDR, 3064, 180, FAB_LINK_PCIE },
    { "n1/gpu0", "n2/gpu4", "gpu0 sw0 nic0 leaf1 nic0 sw0 sw2 gpu4", FAB_TRANSPORT_GDR, 3064, 200, FAB_LINK_GPU },
    { "n1/gpu3", "n2/gpu0", "gpu3 sw1 cpu1 mem1 cpu1 cpu0 sw0 nic0 leaf1 nic0 sw0 gpu0", FAB_TRANSPORT_NET_STAGED, 4700, 250, FAB_LINK_NIC },
    { "n1/gpu0", "n2/gpu3", "gpu0 sw0 nic0 leaf1 nic0 sw0 cpu0 cpu1 mem1 cpu1 sw1 gpu3", FAB_TRANSPORT_NET_STAGED, 4700, 200, FAB_LINK_GPU },
    { "n1/gpu2", "n2/gpu0", "gpu2 sw1 nic1 leaf2 spine1 leaf1 nic0 sw0 gpu0", FAB_TRANSPORT_GDR, 4891, 200, FAB_LINK_GPU },
    { "n1/mem0", "n2/mem1", "mem0 cpu0 sw0 nic0 leaf1 spine1 leaf2 nic1 sw1 cpu1 mem1", FAB_TRANSPORT_GDR, 6113, 0, 0 },
    { "n1/nic0", "n2/nic0", "nic0 leaf1 nic0", FAB_TRANSPORT_GDR, 2043, 0, 0 },
  };
  g_auto (Fabric) fabric = { NULL };

  fabric_init (&fabric, FALSE, NULL, NULL);
  check_paths (&fabric, rows, G_N_ELEMENTS (rows));
}

static void
test_the_gpudirect_level_says_how_far_a_gpu_reaches_its_nic (void **state)
{
  static const struct { FabDistance level; Expected path; } rows[] = {
    { FAB_DISTANCE_SYS, { "n1/gpu3", "n2/gpu0", "gpu3 sw1 cpu1 cpu0 sw0 nic0 leaf1 nic0 sw0 gpu0", FAB_TRANSPORT_GDR, 3686, 180, FAB_LINK_PCIE } },
    { FAB_DISTANCE_PHB, { "n1/gpu3", "n2/gpu0", "gpu3 sw1 cpu1 mem1 cpu1 cpu0 sw0 nic0 leaf1 nic0 sw0 gpu0", FAB_TRANSPORT_NET_STAGED, 4700, 250,
                          FAB_LINK_NIC } },
    { FAB_DISTANCE_PIX, { "n1/gpu4", "n2/gpu0", "gpu4 sw2 sw0 cpu0 mem0 cpu0 sw0 nic0 leaf1 nic0 sw0 gpu0", FAB_TRANSPORT_NET_STAGED, 4496, 250,
                          FAB_LINK_NIC } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Fabric) fabric = { NULL };
      FabTransportRules rules;

      fab_transport_rules_init (&rules);
      rules.gdr_level = rows[i].level;
      fabric_init (&fabric, FALSE, NULL, &rules);
      check_paths (&fabric, &rows[i].path, 1);
    }
}

/* nic1's two ports are as near to gpu2 as to gpu5: 2 mod 2 is p1, 5 mod 2 is p2. */
static void
test_equally_near_ports_are_dealt_out_by_ordinal (void **state)
{
  static const struct { const char *gpu, *port; } rows[] = { { "n1/gpu2", "n1/nic1/p1" }, { "n1/gpu5", "n1/nic1/p2" }, { "n1/gpu4", "n1/nic0/p1" } };
  FabTransportRules rules;
  g_auto (Fabric) fabric = { NULL };

  fab_transport_rules_init (&rules);
  rules.gdr_level = FAB_DISTANCE_SYS;
  fabric_init (&fabric, FALSE, NULL, &rules);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint32 path = find (&fabric, rows[i].gpu, "n2/nic0");
      const guint32 *links = fab_paths_links (fabric.paths, path);
      guint l = 0;
      g_autofree char *port = NULL;

      while (fab_topology_link (fabric.topology, links[l])->plane == FAB_NONE)
        l++;
      port = fab_topology_port_address (fabric.topology, fab_topology_link (fabric.topology, links[l])->from_port);
      assert_string_equal (port, rows[i].port);
    }
}

static void
test_software_costs_less_inside_a_node (void **state)
{
  FabTransportRules rules;
  g_auto (Fabric) fabric = { NULL };

  fab_transport_rules_init (&rules);
  rules.pcie_step_ps = 1;
  rules.network_step_ps = 2;
  fabric_init (&fabric, FALSE, NULL, &rules);
  assert_int_equal (fab_paths_row (fabric.paths, find (&fabric, "n1/gpu0", "n1/gpu2"))->software_ps, 1);
  assert_int_equal (fab_paths_row (fabric.paths, find (&fabric, "n1/gpu0", "n2/gpu0"))->software_ps, 2);
}

/* ---- keeping, sharing, failing ---- */

static void
test_a_path_is_kept_and_a_like_node_has_its_own_links (void **state)
{
  g_auto (Fabric) fabric = { NULL };
  guint32 path, twin;

  fabric_init (&fabric, FALSE, NULL, NULL);
  path = find (&fabric, "n1/gpu0", "n1/gpu2");
  twin = find (&fabric, "n2/gpu0", "n2/gpu2");
  assert_int_not_equal (path, twin);
  assert_int_equal (find (&fabric, "n1/gpu0", "n1/gpu2"), path);
  assert_int_equal (fab_paths_row (fabric.paths, twin)->latency_ps, fab_paths_row (fabric.paths, path)->latency_ps);
  for (guint32 l = 0; l < fab_paths_row (fabric.paths, twin)->n_links; l++)
    {
      const FabLink *link = fab_topology_link (fabric.topology, fab_paths_links (fabric.paths, twin)[l]);

      assert_int_equal (fab_topology_device (fabric.topology, link->from_device)->node, fab_topology_lookup_node (fabric.topology, "n2"));
    }
}

static void
test_what_is_down_is_gone_round_or_unreachable (void **state)
{
  static const struct { const char *down; Expected path; } rows[] = {
    { "n2/sw0", { "n1/gpu0", "n1/gpu1", "gpu0 sw0 gpu1", FAB_TRANSPORT_P2P, 207, 260, FAB_LINK_GPU } },
    { "n1/sw0", { .src = "n1/gpu0", .dst = "n1/gpu1" } },
    { "n1/sw0", { .src = "n1/gpu0", .dst = "n2/gpu0" } },
    { "n2/sw0", { .src = "n1/gpu0", .dst = "n2/gpu0" } },
    { "leaf1", { .src = "n1/gpu0", .dst = "n2/gpu0" } },
    { "n1/nic0/p1", { .src = "n1/gpu0", .dst = "n2/gpu0" } },
    { "n2/nic0/p1", { .src = "n1/gpu0", .dst = "n2/gpu0" } },
    { "spine1", { "n1/gpu0", "n2/gpu0", "gpu0 sw0 nic0 leaf1 nic0 sw0 gpu0", FAB_TRANSPORT_GDR, 2857, 200, FAB_LINK_GPU } },
    { "spine1", { .src = "n1/gpu2", .dst = "n2/gpu0" } },
    { "n1/cpu0--n1/cpu1", { .src = "n1/gpu0", .dst = "n1/gpu2" } },
    { "n1/mem0", { .src = "n1/gpu0", .dst = "n1/gpu2" } },
    { "n1/mem1", { "n1/gpu0", "n1/gpu2", "gpu0 sw0 cpu0 mem0 cpu0 cpu1 sw1 gpu2", FAB_TRANSPORT_SHM, 2050, 0, 0 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Fabric) fabric = { NULL };

      fabric_init (&fabric, FALSE, rows[i].down, NULL);
      check_paths (&fabric, &rows[i].path, 1);
      check_paths (&fabric, &rows[i].path, 1);   /* from memory now */
    }
}

/* Tables made while all was up know nothing of the fault. */
static void
test_a_link_that_went_down_after_the_tables_were_made_is_not_used (void **state)
{
  g_auto (Fabric) fabric = { NULL };
  FabTransportRules rules;

  fab_transport_rules_init (&rules);
  fabric_init (&fabric, FALSE, NULL, NULL);
  fab_paths_free (fabric.paths);
  fabric.faults = small_faults (fabric.topology, "leaf2--spine1");
  fabric.paths = fab_paths_new (fabric.topology, fabric.faults, &fabric.routes, &rules);
  assert_int_equal (find (&fabric, "n1/gpu2", "n2/gpu0"), FAB_NONE);
  assert_int_not_equal (find (&fabric, "n1/gpu0", "n2/gpu0"), FAB_NONE);
}

static void
test_ends_without_a_way_are_unreachable (void **state)
{
  g_auto (Fabric) fabric = { NULL };
  FabRoutes *no_routes[1] = { NULL };
  FabTransportRules rules;
  FabPaths *unrouted;
  guint32 a, b;

  fab_transport_rules_init (&rules);
  fabric_init (&fabric, FALSE, NULL, NULL);
  assert_int_equal (find (&fabric, "leaf1", "leaf2"), FAB_NONE);   /* switches are no ends */
  assert_int_equal (find (&fabric, "n1/gpu0", "leaf2"), FAB_NONE);
  assert_int_equal (find (&fabric, "n1/gpu0", "n1/nvs0"), FAB_NONE);
  a = small_find (fabric.topology, "n1/gpu0");
  b = small_find (fabric.topology, "n2/gpu0");
  assert_int_equal (fab_paths_find (fabric.paths, a, b, FAB_NONE), FAB_NONE);   /* over no plane */
  unrouted = fab_paths_new (fabric.topology, NULL, no_routes, &rules);
  assert_int_equal (fab_paths_find (unrouted, a, b, 0), FAB_NONE);
  fab_paths_free (unrouted);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_inside_a_node_near_gpus_write_to_each_other_and_far_ones_through_host_memory),
    cmocka_unit_test (test_the_peer_to_peer_level_says_how_far_gpus_reach_each_other),
    cmocka_unit_test (test_nvlink_is_taken_where_both_gpus_have_it),
    cmocka_unit_test (test_distances_are_named_as_nvidia_smi_does),
    cmocka_unit_test (test_between_nodes_the_data_goes_by_the_ends_own_ports),
    cmocka_unit_test (test_the_gpudirect_level_says_how_far_a_gpu_reaches_its_nic),
    cmocka_unit_test (test_equally_near_ports_are_dealt_out_by_ordinal),
    cmocka_unit_test (test_software_costs_less_inside_a_node),
    cmocka_unit_test (test_a_path_is_kept_and_a_like_node_has_its_own_links),
    cmocka_unit_test (test_what_is_down_is_gone_round_or_unreachable),
    cmocka_unit_test (test_a_link_that_went_down_after_the_tables_were_made_is_not_used),
    cmocka_unit_test (test_ends_without_a_way_are_unreachable),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
