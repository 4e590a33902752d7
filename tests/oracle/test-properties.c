/* test-properties.c: what holds of every design: 2,000 of them, drawn from seeds */
#include "fab-random-design.h"

#define N_DESIGNS 2000

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FabRun, fab__run_clear)

/* ---- the least time an algorithm can take ---- */

static gint64
ps_of (double bytes, guint64 goodput_bps)
{
  return (gint64) (bytes * 8e12 / (double) goodput_bps);
}

/* All that leaves a device, or a node through the workload's plane. */
static guint64
egress_of_device_bps (const FabTopology *topology, guint32 device)
{
  const FabDevice *row = fab_topology_device (topology, device);
  guint64 sum_bps = 0;

  for (guint32 p = row->first_port; p < row->first_port + row->n_ports; p++)
    if (fab_topology_port (topology, p)->link != FAB_NONE)
      sum_bps += fab_topology_link (topology, fab_topology_port (topology, p)->link)->goodput_bps;
  return sum_bps;
}

static guint64
egress_of_node_bps (const FabTopology *topology, const FabNode *node, guint32 plane)
{
  guint64 sum_bps = 0;

  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (topology, d);

      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        if (fab_topology_port (topology, p)->plane == plane && fab_topology_port (topology, p)->link != FAB_NONE)
          sum_bps += fab_topology_link (topology, fab_topology_port (topology, p)->link)->goodput_bps;
    }
  return sum_bps;
}

/* What rank 0 sends, and what its node sends to others, in multiples of S; n ranks, g in a node. 0: not told by a formula. */
static void
volumes_of (const char *kind, double n, double g, double *of_rank, double *of_node)
{
  double nodes = n / g;
  gboolean alone = n == g;

  *of_rank = *of_node = 0;
  if (strstr (kind, "tree") != NULL)
    *of_rank = *of_node = 1;   /* in every tree a rank sends up or down */
  else if (strstr (kind, "allreduce") != NULL)
    {
      *of_rank = 2 * (n - 1) / n;
      *of_node = strstr (kind, "hierarchical") != NULL ? 2 * (nodes - 1) / nodes : *of_rank;
    }
  else if (strstr (kind, "reducescatter") != NULL || strstr (kind, "allgather") != NULL)
    *of_rank = *of_node = (n - 1) / n;
  else if (strstr (kind, "alltoall") != NULL)
    {
      *of_rank = (n - 1) / n;
      *of_node = g * (n - g) / n;
    }
  else if (strstr (kind, "broadcast") != NULL || strstr (kind, "sendrecv") != NULL)
    *of_rank = *of_node = 1;
  if (alone)
    *of_node = 0;
}

/* Chunks are whole bytes: a rank may send one less a chunk. */
static gint64
least_time_ps (const FabTopology *topology, const RandomDesign *design, const FabRun *run)
{
  const FabNode *node = fab_topology_node (topology, 0);
  double n = fab_schedule_n_ranks (run->schedule), g = MAX (random_type (design)->gpus, 1), of_rank, of_node;
  guint32 plane = fab_topology_lookup_plane (topology, design->names[2]), rank0;

  volumes_of (design->kind, n, g, &of_rank, &of_node);
  if (of_rank == 0)
    return 0;
  rank0 = fab_schedule_ops (run->schedule)[0].src;
  return MAX (ps_of (MAX (of_rank * (double) design->bytes - 8 * n, 0), egress_of_device_bps (topology, rank0)),
              ps_of (MAX (of_node * (double) design->bytes - 8 * n, 0), egress_of_node_bps (topology, node, plane)));
}

/* ---- what holds ---- */

static gboolean
waits_tile (const FabResult *result)
{
  gsize n_waits;
  const FabWait *waits = fab_result_waits (result, &n_waits);
  gint64 sum_ps = 0;

  for (gsize i = 0; i < n_waits; i++)
    {
      if (waits[i].time_ps < 0)
        return FALSE;
      sum_ps += waits[i].time_ps;
    }
  return sum_ps == fab_result_time_ps (result);
}

static gboolean
are_the_same (const FabResult *a, const FabResult *b, guint32 n_ops, guint32 n_links)
{
  gsize n_a, n_b;
  const FabWait *waits_a = fab_result_waits (a, &n_a), *waits_b = fab_result_waits (b, &n_b);

  if (fab_result_time_ps (a) != fab_result_time_ps (b) || n_a != n_b || memcmp (fab_result_counters (a), fab_result_counters (b), sizeof (FabCounters)) != 0)
    return FALSE;
  for (gsize i = 0; i < n_a; i++)
    if (waits_a[i].kind != waits_b[i].kind || waits_a[i].link != waits_b[i].link || waits_a[i].time_ps != waits_b[i].time_ps)
      return FALSE;
  return memcmp (fab_result_finish_ps (a), fab_result_finish_ps (b), sizeof (gint64) * n_ops) == 0
         && memcmp (fab_result_link_bytes (a), fab_result_link_bytes (b), sizeof (double) * n_links) == 0;
}

/* NULL, or what does not hold. Counts designs whose time is within 2 % of the formula's. */
static const char *
first_fault (const FabBuilt *built, const FabBuilt *again, const RandomDesign *design, char *detail, gsize len, guint *n_tight)
{
  g_auto (FabRun) fluid = { 0 }, twice = { 0 }, bound = { 0 };
  guint32 n_ops, n_links = fab_topology_n_links (built->topology);
  gint64 fluid_ps, bound_ps, least_ps;

  random_run (built, "w", "fluid", &fluid);
  random_run (again, "w", "fluid", &twice);
  random_run (built, "w", "bound", &bound);
  n_ops = fab_schedule_n_ops (fluid.schedule);
  fluid_ps = fab_result_time_ps (fluid.result);
  bound_ps = fab_result_time_ps (bound.result);
  least_ps = least_time_ps (built->topology, design, &fluid);
  g_snprintf (detail, len, "fluid %" G_GINT64_FORMAT " ps, bound %" G_GINT64_FORMAT " ps, formula %" G_GINT64_FORMAT " ps", fluid_ps, bound_ps, least_ps);
  *n_tight += least_ps > 0 && (double) fluid_ps < (double) least_ps * 1.02 ? 1 : 0;
  if (bound_ps > fluid_ps)
    return "bound is above fluid: busbw exceeds its ceiling";
  if (least_ps > fluid_ps)
    return "busbw exceeds what the links its algorithm must use can carry";
  if (!waits_tile (fluid.result) || !waits_tile (bound.result))
    return "waits do not add up to the time";
  if (!are_the_same (fluid.result, twice.result, n_ops, n_links))
    return "the same input gives another result";
  return NULL;
}

static void
test_no_design_beats_its_ceiling_loses_time_or_changes_its_answer (void **state)
{
  guint n_faults = 0, n_tight = 0;

  for (guint32 seed = 1; seed <= N_DESIGNS; seed++)
    {
      RandomDesign design;
      g_autofree char *text = NULL;
      g_autoptr (FabDesign) read = NULL, read_again = NULL;
      g_autoptr (FabBuilt) built = NULL, again = NULL;
      const char *fault;
      char detail[160];

      random_design (seed, &design);
      text = random_text (&design);
      read = random_read (text);
      read_again = random_read (text);
      built = fixture_build (read);
      again = fixture_build (read_again);
      fault = first_fault (built, again, &design, detail, sizeof detail, &n_tight);
      if (fault == NULL)
        continue;
      print_error ("seed %u: %s (%s)\n%s", seed, fault, detail, text);
      n_faults++;
    }
  assert_int_equal (n_faults, 0);
  assert_true (n_tight > 50);   /* the formulas are near enough to say something */
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_no_design_beats_its_ceiling_loses_time_or_changes_its_answer),
  };

  return cmocka_run_group_tests (tests, NULL, random_teardown);
}
