/* test-packet-protocol.c: known answers 15-17, 23, 24: counters modulo 4096, lost packets, lifetimes */
#include "fab-packet-fixture.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)

static FabPacketOptions
protocol_options (gint64 interval_ps)
{
  FabPacketOptions options;

  fab_packet_options_init (&options);
  options.credit_interval_ps = interval_ps;
  options.window_bytes = 0;
  options.retry_timeout = 4;   /* 65.536 µs: what is lost last is sent again soon */
  return options;
}

static FabResult *
run_chain (const FabPacketOptions *options, guint64 bytes)
{
  FixtureFlow flow = { "h1", "h2", bytes, 0 };
  FixtureNet net;
  FabResult *result;

  fixture_net_init (&net, "h1-s1@200 h2-s1@200", &(FixtureFabric) { .switch_ps = 250000, .cable_ps = 13500 });
  result = fixture_packets (&net, &flow, 1, options);
  fixture_net_clear (&net);
  return result;
}

static double
chain_gbps (const FabPacketOptions *options, guint64 bytes)
{
  g_autoptr (FabResult) result = run_chain (options, bytes);
  gsize n_lanes;
  const FabPacketLane *lanes = fab_result_packet_lanes (result, &n_lanes);

  assert_true (fab_result_complete (result));
  for (gsize l = 0; l < n_lanes; l++)
    assert_true (lanes[l].max_buffer_blocks <= 2048);
  return (double) (bytes / 4096 * FIXTURE_PACKET) * 8e3 / (double) fab_result_time_ps (result);
}

/* 10^6 packets of 65 blocks: the counters go round 15,869 times. */
static void
test_counters_wrap_without_a_stall (void **state)
{
  FabPacketOptions options = protocol_options (256000);

  fab_assert_close (chain_gbps (&options, G_GUINT64_CONSTANT (1000000) * 4096), 200, 1e-3);
}

/* A packet every 4.096 µs, 102 kB at this rate, grants just enough of 128 KiB; one every 13 µs does not. */
static void
test_a_long_interval_starves (void **state)
{
  FabPacketOptions options = protocol_options (4096000);

  fab_assert_close (chain_gbps (&options, 64 * MIB), 200, 1e-2);
  options = protocol_options (13000000);
  fab_assert_close (chain_gbps (&options, 64 * MIB), 31 * FIXTURE_PACKET * 8 / 13000.0, 5e-2);
}

/* One in ten lost: the next one makes it good, since all it says is absolute. */
static void
test_lost_grants_cost_nothing_for_long (void **state)
{
  FabPacketOptions options = protocol_options (256000);

  options.lose_credit_every = 10;
  fab_assert_close (chain_gbps (&options, 64 * MIB), 200, 1e-2);
  options.lose_credit_every = 2;
  fab_assert_close (chain_gbps (&options, 64 * MIB), 200, 1e-2);
}

/* One in 5000 data packets lost on the wire takes 65 blocks with it: 2048 are gone after 32 losses, were they not synchronised. */
static void
test_lost_data_takes_no_credit_for_ever (void **state)
{
  FabPacketOptions options = protocol_options (256000);
  g_autoptr (FabResult) result = NULL;
  gsize n_lanes;
  const FabPacketLane *lanes;
  guint64 errors = 0;

  options.lose_data_every = 5000;
  result = run_chain (&options, 1024 * MIB);
  assert_true (fab_result_complete (result));
  lanes = fab_result_packet_lanes (result, &n_lanes);
  for (gsize l = 0; l < n_lanes; l++)
    {
      assert_int_equal (lanes[l].xmit_pkts - lanes[l].rcv_pkts, lanes[l].rcv_errors);
      errors += lanes[l].rcv_errors;
    }
  assert_true (errors >= 60);
  /* Each loss costs the packets sent in vain until the sender hears of it: some microseconds, about 100 times in 43 ms. */
  assert_true (1024.0 * MIB * 8e3 / (double) fab_result_time_ps (result) > 194);
}

/* ---- lifetimes ---- */

static FabResult *
run_stopped (FabPacketOptions *options, guint64 bytes)
{
  const FixtureFlow flow = { "h1", "h2", bytes, 0 };
  FixtureNet net;
  guint32 stopped;
  FabResult *result;

  fixture_net_init (&net, "h1-s1@200 h2-s1@200", &(FixtureFabric) { .switch_ps = 250000, .cable_ps = 13500 });
  stopped = fixture_host (&net, "h2");
  options->stopped = &stopped;
  options->n_stopped = 1;
  result = fixture_packets (&net, &flow, 1, options);
  options->n_stopped = 0;
  fixture_net_clear (&net);
  return result;
}

static guint64
discards (const FabResult *result)
{
  gsize n_lanes;
  const FabPacketLane *lanes = fab_result_packet_lanes (result, &n_lanes);
  guint64 n = 0;

  for (gsize l = 0; l < n_lanes; l++)
    n += lanes[l].xmit_discards;
  return n;
}

/* The host takes 31 packets in and none out: the 32nd stands at the head of the switch's port until it is dropped after 4.096 µs ×
 * 2^16; seven in a row stall the lane, which then drops what else there is at once. */
static void
test_a_host_that_stops_costs_packets_after_their_life (void **state)
{
  static const struct { guint life; guint64 expected; } rows[] = { { 0x10, 69 }, { 20, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      FabPacketOptions options;
      g_autoptr (FabResult) result = NULL;

      fab_packet_options_init (&options);
      options.leaf_head_life = rows[i].life;
      options.retry_timeout = 32;   /* never */
      result = run_stopped (&options, 100 * 4096);
      assert_false (fab_result_complete (result));
      assert_int_equal (discards (result), rows[i].expected);
    }
}

/* NCCL's seven tries, then the transfer has failed. */
static void
test_a_transfer_to_a_stopped_host_fails_after_its_tries (void **state)
{
  FabPacketOptions options;
  g_autoptr (FabResult) result = NULL;

  fab_packet_options_init (&options);
  options.leaf_head_life = 2;
  options.retry_timeout = 6;
  result = run_stopped (&options, 100 * 4096);
  assert_false (fab_result_complete (result));
  assert_int_equal (fab_result_finish_ps (result)[0], -1);
  assert_true (discards (result) > 69);
  assert_int_equal (fab_result_counters (result)->failed, 1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_counters_wrap_without_a_stall),
    cmocka_unit_test (test_a_long_interval_starves),
    cmocka_unit_test (test_lost_grants_cost_nothing_for_long),
    cmocka_unit_test (test_lost_data_takes_no_credit_for_ever),
    cmocka_unit_test (test_a_host_that_stops_costs_packets_after_their_life),
    cmocka_unit_test (test_a_transfer_to_a_stopped_host_fails_after_its_tries),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
