/* test-arbitration.c: what VL arbitration gives to a lane; known answers 18 to 22 */
#include "fab-test.h"
#include "subnet/fab-arbitration-private.h"

static FabQos
no_tables (void)
{
  FabQos qos;

  fab_qos_init (&qos);
  qos.n_high = qos.n_low = 0;
  qos.high_limit = 0;
  return qos;
}

static void
test_low_weights_share_out_an_output (void **state)
{
  FabQos qos = no_tables ();

  qos.low[0] = (FabVlArbEntry) { 0, 64 };
  qos.low[1] = (FabVlArbEntry) { 1, 128 };
  qos.low[2] = (FabVlArbEntry) { 2, 192 };
  qos.n_low = 3;
  fab_assert_close (fab__qos_share (&qos, 0, 7), 1.0 / 6, 1e-12);
  fab_assert_close (fab__qos_share (&qos, 1, 7), 1.0 / 3, 1e-12);
  fab_assert_close (fab__qos_share (&qos, 2, 7), 1.0 / 2, 1e-12);
  fab_assert_close (fab__qos_share (&qos, 2, 5), 3.0 / 4, 1e-12);   /* lane 1 has nothing to send */
}

static void
test_a_high_limit_of_six_leaves_the_low_lane_a_seventh (void **state)
{
  FabQos qos = no_tables ();

  qos.high[0] = (FabVlArbEntry) { 1, 64 };
  qos.low[0] = (FabVlArbEntry) { 0, 64 };
  qos.n_high = qos.n_low = 1;
  qos.high_limit = 6;
  fab_assert_close (fab__qos_share (&qos, 0, 3), 1.0 / 7, 1e-12);
  qos.high_limit = 0;
  fab_assert_close (fab__qos_share (&qos, 0, 3), 1.0 / 2, 1e-12);
  qos.high_limit = 255;
  assert_true (fab__qos_share (&qos, 0, 3) < 1e-5);
}

static void
test_weights_below_a_packet_count_as_one (void **state)
{
  FabQos qos = no_tables ();

  qos.low[0] = (FabVlArbEntry) { 0, 1 };
  qos.low[1] = (FabVlArbEntry) { 1, 64 };
  qos.n_low = 2;
  fab_assert_close (fab__qos_share (&qos, 0, 3), 0.5, 1e-12);
}

static void
test_without_tables_lanes_are_alike (void **state)
{
  FabQos qos = no_tables ();

  fab_assert_close (fab__qos_share (&qos, 2, 0x0f), 0.25, 1e-12);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_low_weights_share_out_an_output),
    cmocka_unit_test (test_a_high_limit_of_six_leaves_the_low_lane_a_seventh),
    cmocka_unit_test (test_weights_below_a_packet_count_as_one),
    cmocka_unit_test (test_without_tables_lanes_are_alike),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
