/* packet-hops.c: how fast the packet engine is: data packets per link crossed, per second of one core
 *
 * W1: 4 leaves of 48 hosts at 200G, 4 spines, 4 × 400G a pair, a random permutation across leaves, 64 MiB a host.
 * W2: a three-tier fat tree of radix 16 and of 32 at 200G, a random permutation, 2 MiB a host. Two virtual lanes in use.
 */
#include <stdio.h>
#include <sys/resource.h>
#include "base/fab-stream-private.h"
#include "design/fab-design-private.h"
#include "study/fab-run-private.h"
#include "workload/fab-schedule-private.h"

static const char w1[] =
  "fabsim: 1\n"
  "nodes: {h: {type: host-1nic, count: 192, digits: 3}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    topology: {family: fat-tree, tiers: 2, leaf: qm9700, hosts_per_leaf: 48, spine: qm9700, spines: 4, uplinks: 16}\n"
  "    host_link: {speed: NDR200, cable: mma4z00-split, length: 30m}\n"
  "    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n"
  "    subnet: {routing: {engine: ftree}}\n";

static const char w2[] =
  "fabsim: 1\n"
  "models: {r%u: {kind: switch, summary: radix %u, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: %u, latency: 130ns, buffer_per_vl: 128KiB}}\n"
  "nodes: {h: {type: host-1nic, count: %u}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    topology: {family: fat-tree, tiers: 3, leaf: r%u, spine: r%u, core: r%u}\n"
  "    host_link: {speed: HDR}\n"
  "    uplink: {speed: HDR}\n"
  "    subnet: {routing: {engine: ftree}}\n";

/* Each host to another, of another group of @apart hosts. */
static FabSchedule *
permutation (const FabTopology *topology, guint64 bytes, guint32 apart)
{
  guint32 n = fab_topology_n_nodes (topology);
  g_autofree guint32 *nics = g_new (guint32, n);
  g_autofree guint32 *to = g_new (guint32, n);
  g_autoptr (FabStream) stream = fab__stream_new (1, "permutation");
  FabScheduleBuilder *builder = fab__schedule_builder_new (n, bytes, 0, "steps");

  for (guint32 i = 0, found = 0; i < fab_topology_n_devices (topology); i++)
    if (fab_topology_device (topology, i)->kind == FAB_DEVICE_NIC)
      nics[found++] = i;
  for (guint32 i = 0; i < n; i++)
    to[i] = i;
  fab__stream_shuffle (stream, to, n);
  for (guint32 i = 0, again = 1; again; i = (i + 1) % n)
    {
      guint32 j = fab__stream_below (stream, n), other;

      if (to[i] / apart == i / apart)
        {
          other = to[i];
          to[i] = to[j];
          to[j] = other;
        }
      again = i + 1 < n;
      for (guint32 k = 0; k < n && !again; k++)
        again = to[k] / apart == k / apart;
    }
  for (guint32 i = 0; i < n; i++)
    fab__schedule_builder_add (builder, (FabOp) { .kind = FAB_OP_TRANSFER, .bytes = bytes, .src = nics[i], .dst = nics[to[i]], .sl = i % 2 }, NULL, 0);
  return fab__schedule_builder_freeze (builder, NULL);
}

/* Of this process: others on the machine do not count. */
static gint64
cpu_us (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (gint64) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static int
bench (const char *name, const char *text, guint64 bytes, guint32 apart)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabCatalog) catalog = fab_catalog_new (&error);
  g_autoptr (FabDesign) design = fab_design_read (text, strlen (text), name, NULL, catalog, &error);
  g_autoptr (FabBuilt) built = design != NULL ? fab__built_new (design, NULL, &error) : NULL;
  g_autoptr (FabSchedule) schedule = built != NULL ? permutation (built->topology, bytes, apart) : NULL;
  FabTransportRules rules = { .p2p_level = FAB_DISTANCE_PXB, .gdr_level = FAB_DISTANCE_PXB };
  struct rusage usage;
  gint64 best_us = G_MAXINT64;
  const FabCounters *counters = NULL;
  g_autoptr (FabResult) result = NULL;

  for (guint run = 0; built != NULL && run < 3; run++)
    {
      FabEngineInput input = { .topology = built->topology, .routes = built->routes, .rules = &rules, .schedule = schedule, .seed = 1 };
      gint64 start_us = cpu_us ();

      g_clear_pointer (&result, fab_result_unref);
      result = fab_engine_run (fab_engine_lookup ("packet", NULL), &input, &error);
      if (result == NULL)
        break;
      best_us = MIN (best_us, cpu_us () - start_us);
      counters = fab_result_counters (result);
    }
  if (counters == NULL || !fab_result_complete (result))
    {
      fprintf (stderr, "%s: %s\n", name, error != NULL ? error->message : "not complete");
      return 1;
    }
  getrusage (RUSAGE_SELF, &usage);
  printf ("%-8s %9.2f M packet-hops/s  %10" G_GUINT64_FORMAT " hops  %.2f events a hop  %8.1f ms simulated  %4ld MiB\n", name,
          (double) counters->packet_hops / (double) best_us, counters->packet_hops, (double) counters->events / (double) counters->packet_hops,
          (double) fab_result_time_ps (result) / 1e9, usage.ru_maxrss / 1024);
  return 0;
}

int
main (int argc, char **argv)
{
  g_autofree char *k16 = g_strdup_printf (w2, 16u, 16u, 16u, 1024u, 16u, 16u, 16u);
  g_autofree char *k32 = g_strdup_printf (w2, 32u, 32u, 32u, 8192u, 32u, 32u, 32u);
  const char *only = argc > 1 ? argv[1] : NULL;
  int status = 0;

  if (only == NULL || g_str_equal (only, "w1"))
    status |= bench ("W1", w1, 64 << 20, 48);
  if (only == NULL || g_str_equal (only, "k16"))
    status |= bench ("W2 k=16", k16, 2 << 20, 1);
  if (only == NULL || g_str_equal (only, "k32"))
    status |= bench ("W2 k=32", k32, 2 << 20, 1);
  return status;
}
