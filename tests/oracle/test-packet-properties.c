/* test-packet-properties.c: what holds on every fabric, traffic and setting: 3,000 of each kind of chance, from seeds
 *
 * Nothing is lost but what is counted; no buffer is overrun, no link carries more than its rate; the waits tile the run; bound is a
 * bound; the same input gives the same bytes; nobody waits for ever.
 */
#include "fab-packet-fixture.h"
#include "base/fab-stream-private.h"

#define N_RUNS 3000u
#define MAX_FLOWS 24u
#define LEAST_IN_A_CELL 50u

enum { ONE_VL, TWO_VLS, FOUR_VLS, FIFTEEN_VLS, VOQ, FIFO, LOST_GRANTS, LOST_DATA, GPUS, STORED, STATIC, ADAPTIVE, HASHED, N_CELLS };

static const char *const cell_names[N_CELLS] = {
  "1 VL", "2 VLs", "4 VLs", "15 VLs", "VOQ", "FIFO", "lost flow-control packets", "lost data packets", "PCIe on", "store and forward",
  "static tables", "adaptive routing", "hashing",
};

typedef struct
{
  FixtureFabric    fabric;
  FabPacketOptions options;
  FabQos           qos;
  GString         *cables;
  guint            n_hosts;
  FixtureFlow      flows[MAX_FLOWS];
  char             names[MAX_FLOWS][8];
  guint            n_flows;
  guint            cells;         /* bits */
} Case;

static guint
pick (FabStream *stream, const guint *values, guint n)
{
  return values[fab__stream_below (stream, n)];
}

static void
pick_fabric (Case *test, FabStream *stream)
{
  static const guint rates[] = { 100, 200, 400 }, mtus[] = { 256, 1024, 4096, 4096 }, buffers[] = { 1, 2, 8, 31 }, cables[] = { 0, 13500, 250000 };
  guint n_leaves = 1 + fab__stream_below (stream, 3), n_spines = n_leaves > 1 ? 1 + fab__stream_below (stream, 2) : 0;
  guint per_leaf = 2 + fab__stream_below (stream, 3);

  test->n_hosts = n_leaves * per_leaf;
  for (guint h = 0; h < test->n_hosts; h++)
    g_string_append_printf (test->cables, "%sh%u-s%u@%u", h > 0 ? " " : "", h + 1, h / per_leaf + 1, pick (stream, rates, 3));
  for (guint l = 0; l < n_leaves; l++)
    for (guint s = 0; s < n_spines; s++)
      g_string_append_printf (test->cables, " s%u-spine%u@%u", l + 1, s + 1, pick (stream, rates, 3));
  test->fabric.mtu_bytes = pick (stream, mtus, 4);
  test->fabric.buffer_bytes = (guint64) pick (stream, buffers, 4) * ((test->fabric.mtu_bytes + FIXTURE_HEADER + 63) / 64) * 64;
  test->fabric.cable_ps = pick (stream, cables, 3);
  test->fabric.switch_ps = 100000 + 50000 * (gint64) fab__stream_below (stream, 4);
  test->fabric.gpus = fab__stream_below (stream, 3) == 0;
  test->fabric.forwarding = (FabForwarding) fab__stream_below (stream, 3);
  test->cells |= (test->fabric.gpus ? 1u << GPUS : 0)
                 | 1u << (test->fabric.forwarding == FAB_FORWARDING_TABLE ? STATIC : test->fabric.forwarding == FAB_FORWARDING_ADAPTIVE ? ADAPTIVE : HASHED);
}

static void
pick_options (Case *test, FabStream *stream)
{
  FabPacketOptions *options = &test->options;

  fab_packet_options_init (options);
  options->fifo = fab__stream_below (stream, 3) == 0;
  options->store_and_forward = fab__stream_below (stream, 4) == 0;
  options->read_speedup = 1 + fab__stream_below (stream, 3);
  options->nic_buffer_bytes = 131072;
  options->retry_timeout = 2;
  if (fab__stream_below (stream, 3) == 0)
    {
      options->credit_interval_ps = 100000 * (gint64) fab__stream_below (stream, 4);
      options->lose_credit_every = 2 + fab__stream_below (stream, 8);
      test->cells |= 1u << LOST_GRANTS;
    }
  if (fab__stream_below (stream, 8) == 0)
    {
      options->lose_data_every = 20 + fab__stream_below (stream, 50);
      options->retry_count = 1000;
      test->cells |= 1u << LOST_DATA;
    }
  test->cells |= 1u << (options->fifo ? FIFO : VOQ) | (options->store_and_forward ? 1u << STORED : 0);
}

static void
pick_traffic (Case *test, FabStream *stream)
{
  static const guint vls[] = { 1, 2, 4, 15 }, codes[] = { 1, 2, 3, 5 };
  guint kind = fab__stream_below (stream, 4);

  fab_qos_init (&test->qos);
  test->qos.op_vls = codes[kind];
  test->fabric.qos = &test->qos;
  test->cells |= 1u << (ONE_VL + kind);
  test->n_flows = 1 + fab__stream_below (stream, MAX_FLOWS);
  for (guint h = 0; h < test->n_hosts; h++)
    g_snprintf (test->names[h], sizeof test->names[h], "h%u", h + 1);
  for (guint f = 0; f < test->n_flows; f++)
    {
      guint src = fab__stream_below (stream, test->n_hosts), dst = (src + 1 + fab__stream_below (stream, test->n_hosts - 1)) % test->n_hosts;

      test->flows[f] = (FixtureFlow) {
        test->names[src], test->names[dst], 1 + fab__stream_below (stream, 60 * test->fabric.mtu_bytes), (guint8) fab__stream_below (stream, vls[kind]) };
    }
}

static void
check_lanes (const Case *test, const FixtureNet *net, const FabResult *result)
{
  gsize n_lanes;
  const FabPacketLane *lanes = fab_result_packet_lanes (result, &n_lanes);

  for (gsize l = 0; l < n_lanes; l++)
    {
      const FabLink *link = fab_topology_link (net->topology, lanes[l].link);

      assert_true (lanes[l].max_buffer_blocks <= lanes[l].buffer_blocks);
      assert_true (link->kind != FAB_LINK_INFINIBAND || lanes[l].buffer_blocks <= 2048);
      assert_int_equal (lanes[l].xmit_pkts, lanes[l].rcv_pkts + lanes[l].rcv_errors);
      assert_int_equal (lanes[l].xmit_discards, 0);
      /* No faster than its rate; a packet that is sent once more in vain may still be on its way at the end. */
      assert_true ((4.0 * (double) lanes[l].xmit_data - (test->options.lose_data_every > 0 ? test->fabric.mtu_bytes + FIXTURE_HEADER : 0)) * 8e12
                   / (double) link->rate_bps <= (double) fab_result_time_ps (result) * (1 + 1e-9));
    }
}

static void
check_bytes (const Case *test, const FixtureNet *net, const FabResult *result)
{
  const double *link_bytes = fab_result_link_bytes (result);
  double sent = 0, out = 0;

  for (guint f = 0; f < test->n_flows; f++)
    sent += (double) test->flows[f].bytes;
  for (guint32 l = 0; l < fab_topology_n_links (net->topology); l++)
    {
      const FabLink *link = fab_topology_link (net->topology, l);

      if (link->plane == 0 && fab_topology_device (net->topology, link->from_device)->kind == FAB_DEVICE_NIC)
        out += link_bytes[l];
    }
  if (test->options.lose_data_every == 0)
    assert_true (out == sent);
  else
    assert_true (out >= sent);
}

static void
check_waits (const FabResult *result)
{
  gsize n_waits;
  const FabWait *waits = fab_result_waits (result, &n_waits);
  gint64 sum_ps = 0;

  for (gsize i = 0; i < n_waits; i++)
    {
      assert_true (waits[i].time_ps > 0);
      sum_ps += waits[i].time_ps;
    }
  assert_int_equal (sum_ps, fab_result_time_ps (result));
}

static void
check_same (const Case *test, const FabResult *a, const FabResult *b)
{
  gsize n_a, n_b;
  const FabPacketLane *lanes_a = fab_result_packet_lanes (a, &n_a), *lanes_b = fab_result_packet_lanes (b, &n_b);

  assert_memory_equal (fab_result_finish_ps (a), fab_result_finish_ps (b), sizeof (gint64) * test->n_flows);
  assert_int_equal (n_a, n_b);
  for (gsize l = 0; l < n_a; l++)
    {
      assert_int_equal (lanes_a[l].xmit_wait_ps, lanes_b[l].xmit_wait_ps);
      assert_int_equal (lanes_a[l].queue_wait_ps, lanes_b[l].queue_wait_ps);
    }
  assert_int_equal (fab_result_counters (a)->events, fab_result_counters (b)->events);
}

static guint
run_case (guint seed)
{
  g_autoptr (FabStream) stream = fab__stream_new (seed, "packet properties");
  Case test = { .cables = g_string_new (NULL) };
  g_autoptr (FabSchedule) schedule = NULL;
  g_autoptr (FabResult) result = NULL;
  g_autoptr (FabResult) again = NULL;
  g_autoptr (FabResult) bound = NULL;
  g_autoptr (GError) error = NULL;
  FixtureNet net;

  pick_fabric (&test, stream);
  pick_options (&test, stream);
  pick_traffic (&test, stream);
  fixture_net_init (&net, test.cables->str, &test.fabric);
  schedule = fixture_flows (&net, test.flows, test.n_flows);
  result = fixture_try (&net, schedule, "packet", &test.options, seed, &error);
  fab_assert_no_error (error);
  if (!fab_result_complete (result))
    print_error ("seed %u does not end: %s, %u hosts\n", seed, test.cables->str, test.n_hosts);
  assert_true (fab_result_complete (result));
  check_lanes (&test, &net, result);
  check_bytes (&test, &net, result);
  check_waits (result);
  bound = fixture_try (&net, schedule, "bound", NULL, seed, &error);
  if (fab_result_time_ps (bound) > fab_result_time_ps (result))
    print_error ("seed %u: bound %" G_GINT64_FORMAT " packet %" G_GINT64_FORMAT "\n", seed, fab_result_time_ps (bound), fab_result_time_ps (result));
  assert_true (fab_result_time_ps (bound) <= fab_result_time_ps (result));
  again = fixture_try (&net, schedule, "packet", &test.options, seed, &error);
  check_same (&test, result, again);
  fixture_net_clear (&net);
  g_string_free (test.cables, TRUE);
  return test.cells;
}

static void
test_three_thousand_runs_hold_what_must_hold (void **state)
{
  guint n_in_cell[N_CELLS] = { 0 };

  for (guint seed = 1; seed <= N_RUNS; seed++)
    {
      guint cells = run_case (seed);

      for (guint c = 0; c < N_CELLS; c++)
        n_in_cell[c] += (cells >> c) & 1;
    }
  for (guint c = 0; c < N_CELLS; c++)
    {
      print_message ("# %u runs with %s\n", n_in_cell[c], cell_names[c]);
      assert_true (n_in_cell[c] >= LEAST_IN_A_CELL);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_three_thousand_runs_hold_what_must_hold),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
