/* fab-packet-fixture.h - fabrics of a line for the packet engine, and runs on them
 */
#pragma once
#include "fab-fixture.h"
#include "topology/fab-topology-private.h"

#define FIXTURE_HEADER 26u
#define FIXTURE_PACKET 4122u      /* 4096 and headers */
#define FIXTURE_MAX_DEVICES 256u

/* What may be set of a fabric; {0}: MTU 4096, buffers as the options say, no latency anywhere, OpenSM's lanes, minhop. */
typedef struct
{
  guint         mtu_bytes;
  guint64       buffer_bytes;    /* of switches, a lane */
  gint64        switch_ps, cable_ps, nic_ps;
  const FabQos *qos;
  const char   *routing;
  FabForwarding forwarding;
  gboolean      gpus;            /* a host is a GPU behind its NIC: fixture_host() gives the GPU */
} FixtureFabric;

typedef struct
{
  FabTopology *topology;
  FabSubnet   *subnet;
  FabRoutes   *routes;
  gboolean     gpus;
} FixtureNet;

typedef struct { char name[16]; guint n_ports, n_used; guint32 first_port, device; } FixtureDevice;

static inline FixtureDevice *
fixture_device (FixtureDevice *devices, guint *n, const char *name)
{
  for (guint i = 0; i < *n; i++)
    if (g_str_equal (devices[i].name, name))
      return &devices[i];
  assert_true (*n < FIXTURE_MAX_DEVICES);
  devices[*n] = (FixtureDevice) { .n_ports = 0 };
  g_strlcpy (devices[*n].name, name, sizeof devices[*n].name);
  return &devices[(*n)++];
}

/* "h1-s1@200": the two names and the rate in Gb/s. */
static inline guint64
fixture_cable (const char *text, char *a, char *b)
{
  const char *dash = strchr (text, '-'), *at = strchr (text, '@');

  g_strlcpy (a, text, (gsize) (dash - text) + 1);
  g_strlcpy (b, dash + 1, (gsize) (at - dash));
  return g_ascii_strtoull (at + 1, NULL, 10) * 1000000000;
}

static inline void
fixture_add_device (FabTopologyBuilder *builder, FixtureDevice *row, const FixtureFabric *fabric)
{
  gboolean host = row->name[0] == 'h';
  FabDevice device = {
    .name = host ? "nic0" : row->name, .part = "small", .kind = host ? FAB_DEVICE_NIC : FAB_DEVICE_SWITCH, .node = FAB_NONE, .plane = FAB_NONE,
    .tier = FAB_NONE, .affinity = FAB_NONE, .latency_ps = host ? fabric->nic_ps : fabric->switch_ps, .buffer_bytes = host ? 0 : fabric->buffer_bytes,
  };

  if (host)
    device.node = fab__topology_builder_add_node (builder, (FabNode) { .name = row->name, .type = "small", .group = FAB_NONE });
  else
    {
      device.plane = 0;
      device.tier = g_str_has_prefix (row->name, "spine") ? 1 : 0;
    }
  row->device = fab__topology_builder_add_device (builder, device);
  for (guint p = 0; p < row->n_ports; p++)
    {
      g_autofree char *name = g_strdup_printf ("p%u", p + 1);
      guint32 port = fab__topology_builder_add_port (builder, (FabPort) { .name = name, .plane = 0, .rail = FAB_NONE });

      row->first_port = p == 0 ? port : row->first_port;
    }
  if (host && fabric->gpus)
    {
      guint32 nic = fab__topology_builder_add_port (builder, (FabPort) { .plane = FAB_NONE, .rail = FAB_NONE }), gpu;

      fab__topology_builder_add_device (builder, (FabDevice) {
        .name = "gpu0", .part = "small", .kind = FAB_DEVICE_GPU, .node = device.node, .plane = FAB_NONE, .tier = FAB_NONE, .affinity = FAB_NONE });
      gpu = fab__topology_builder_add_port (builder, (FabPort) { .plane = FAB_NONE, .rail = FAB_NONE });
      fab__topology_builder_add_link (builder, gpu, nic, (FabLink) {
        .kind = FAB_LINK_GPU, .plane = FAB_NONE, .rate_bps = 252000000000, .goodput_bps = 230400000000, .flow_write_bps = 208000000000,
        .flow_read_bps = 208000000000, .latency_ps = 1000 });
    }
}

/* "h1-s1@200 s1-s2@400": hosts (h…: a NIC) and switches, joined in this order. */
static inline void
fixture_net_init (FixtureNet *net, const char *text, const FixtureFabric *fabric)
{
  g_autofree FixtureDevice *devices = g_new0 (FixtureDevice, FIXTURE_MAX_DEVICES);
  g_auto (GStrv) cables = g_strsplit (text, " ", -1);
  FabTopologyBuilder *builder = fab__topology_builder_new ();
  g_autoptr (GError) error = NULL;
  guint n = 0, mtu_bytes = fabric->mtu_bytes > 0 ? fabric->mtu_bytes : 4096;
  char a[32], b[32];
  FabQos qos;

  net->gpus = fabric->gpus;
  for (guint i = 0; cables[i] != NULL; i++)
    {
      fixture_cable (cables[i], a, b);
      fixture_device (devices, &n, a)->n_ports++;
      fixture_device (devices, &n, b)->n_ports++;
    }
  fab__topology_builder_add_plane (builder, (FabPlane) {
    .name = "net", .kind = FAB_LINK_INFINIBAND, .family = "explicit", .mtu_bytes = mtu_bytes, .header_bytes = FIXTURE_HEADER });
  for (guint pass = 0; pass < 2; pass++)   /* hosts before switches */
    for (guint i = 0; i < n; i++)
      if ((devices[i].name[0] == 'h') == (pass == 0))
        fixture_add_device (builder, &devices[i], fabric);
  for (guint i = 0; cables[i] != NULL; i++)
    {
      guint64 rate_bps = fixture_cable (cables[i], a, b);
      FixtureDevice *from = fixture_device (devices, &n, a), *to = fixture_device (devices, &n, b);

      fab__topology_builder_add_link (builder, from->first_port + from->n_used++, to->first_port + to->n_used++, (FabLink) {
        .kind = FAB_LINK_INFINIBAND, .plane = 0, .rate_bps = rate_bps, .goodput_bps = rate_bps * mtu_bytes / (mtu_bytes + FIXTURE_HEADER),
        .latency_ps = fabric->cable_ps });
    }
  net->topology = fab__topology_builder_freeze (builder, &error);
  fab_assert_no_error (error);
  fab_qos_init (&qos);
  net->subnet = fab_subnet_new (net->topology, 0, 0, fabric->qos != NULL ? fabric->qos : &qos, &error);
  fab_assert_no_error (error);
  net->routes = fab_routes_compute (net->subnet, NULL, fabric->routing != NULL ? fabric->routing : "minhop", NULL, &error);
  fab_assert_no_error (error);
  if (fabric->forwarding != FAB_FORWARDING_TABLE)
    {
      g_autoptr (FabRoutes) tables = net->routes;

      net->routes = fab_routes_with_forwarding (tables, fabric->forwarding);
    }
}

static inline void
fixture_net_clear (FixtureNet *net)
{
  fab_routes_unref (net->routes);
  fab_subnet_unref (net->subnet);
  fab_topology_unref (net->topology);
}

static inline guint32
fixture_host (const FixtureNet *net, const char *name)
{
  g_autofree char *address = g_strdup_printf ("%s/%s", name, net->gpus ? "gpu0" : "nic0");
  g_autoptr (GError) error = NULL;
  guint32 device = FAB_NONE;

  fab_topology_find_device (net->topology, address, &device, &error);
  fab_assert_no_error (error);
  return device;
}

typedef struct { const char *src, *dst; guint64 bytes; guint8 sl; } FixtureFlow;

static inline FabSchedule *
fixture_flows (const FixtureNet *net, const FixtureFlow *flows, guint n_flows)
{
  FabScheduleBuilder *builder = fab__schedule_builder_new (2, 1, 0, "steps");
  g_autoptr (GError) error = NULL;
  FabSchedule *schedule;

  for (guint i = 0; i < n_flows; i++)
    fab__schedule_builder_add (builder, (FabOp) {
      .kind = FAB_OP_TRANSFER, .bytes = flows[i].bytes, .src = fixture_host (net, flows[i].src), .dst = fixture_host (net, flows[i].dst),
      .sl = flows[i].sl }, NULL, 0);
  schedule = fab__schedule_builder_freeze (builder, &error);
  fab_assert_no_error (error);
  return schedule;
}

/* Without a software cost. @options NULL: the defaults. */
static inline FabResult *
fixture_try (const FixtureNet *net, const FabSchedule *schedule, const char *engine, const FabPacketOptions *options, guint64 seed, GError **error)
{
  FabTransportRules rules = { .p2p_level = FAB_DISTANCE_PXB, .gdr_level = FAB_DISTANCE_PXB };
  FabRoutes *routes[] = { net->routes, NULL };
  FabEngineInput input = {
    .topology = net->topology, .routes = routes, .rules = &rules, .schedule = schedule, .seed = seed, .packet = options,
  };

  return fab_engine_run (fab_engine_lookup (engine, NULL), &input, error);
}

static inline FabResult *
fixture_packets (const FixtureNet *net, const FixtureFlow *flows, guint n_flows, const FabPacketOptions *options)
{
  g_autoptr (FabSchedule) schedule = fixture_flows (net, flows, n_flows);
  g_autoptr (GError) error = NULL;
  FabResult *result = fixture_try (net, schedule, "packet", options, 1, &error);

  fab_assert_no_error (error);
  return result;
}

/* Gb/s on the wire of a transfer of whole packets. */
static inline double
fixture_wire_gbps (const FabResult *result, const FixtureFlow *flows, guint flow)
{
  guint64 n_packets = (flows[flow].bytes + 4095) / 4096;
  gint64 time_ps = fab_result_finish_ps (result)[flow] - fab_result_start_ps (result)[flow];

  return (double) (flows[flow].bytes + n_packets * FIXTURE_HEADER) * 8e3 / (double) time_ps;
}
