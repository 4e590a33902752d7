/* fuzz-lfts.c: tables of a small fabric: what reads is written, and reads the same again */
#include "fab-design.h"
#include "fab-lfts.h"
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static FabTopology *
ring (void)
{
  static const char text[] =
    "fabsim: 1\n"
    "nodes: {h: {type: host-1nic, count: 4}}\n"
    "planes:\n"
    "  compute:\n"
    "    link: infiniband\n"
    "    host_link: {speed: NDR}\n"
    "    switches: [{names: \"s[1-4]\", part: qm9700}]\n"
    "    links: [{a: h1/nic0/p1, b: s1/p1, speed: NDR}, {a: h2/nic0/p1, b: s2/p1, speed: NDR}, {a: h3/nic0/p1, b: s3/p1, speed: NDR},\n"
    "            {a: h4/nic0/p1, b: s4/p1, speed: NDR}, {a: s1/p2, b: s2/p3, speed: NDR}, {a: s2/p2, b: s3/p3, speed: NDR},\n"
    "            {a: s3/p2, b: s4/p3, speed: NDR}, {a: s4/p2, b: s1/p3, speed: NDR}]\n";
  g_autoptr (FabCatalog) catalog = fab_catalog_new (NULL);
  g_autoptr (FabDesign) design = fab_design_read (text, sizeof text - 1, "ring.yaml", NULL, catalog, NULL);

  return fab_design_build_topology (design, NULL);
}

/* Walks and proofs end, whatever the tables say. */
static void
try_routes (FabRoutes *routes, const FabTopology *topology)
{
  g_autoptr (FabRoutes) adaptive = fab_routes_with_forwarding (routes, FAB_FORWARDING_ADAPTIVE);
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) loop = fab_routes_credit_loop (routes, NULL, 0);
  g_autoptr (GArray) adaptive_loop = fab_routes_credit_loop (adaptive, NULL, 0);

  for (guint32 p = 0; p < fab_topology_n_ports (topology); p++)
    if (fab_subnet_port_lid (fab_routes_subnet (routes), p) != 0)
      fab_routes_spread (adaptive, p, fab_subnet_lid_port (fab_routes_subnet (routes), fab_subnet_max_lid (fab_routes_subnet (routes))) != FAB_NONE
                                        ? fab_subnet_lid_port (fab_routes_subnet (routes), fab_subnet_max_lid (fab_routes_subnet (routes))) : p,
                         links, parts);
  g_assert_cmpuint (links->len, ==, parts->len);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static FabTopology *topology = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (FabRoutes) routes = NULL, again = NULL;
  g_autofree char *text = NULL, *text_again = NULL;
  gsize len, len_again;

  if (topology == NULL)
    topology = ring ();
  routes = fab_lfts_read ((const char *) data, size, "fuzz", topology, 0, NULL, NULL, &error);
  g_assert_true ((routes == NULL) == (error != NULL));
  if (routes == NULL)
    return 0;
  try_routes (routes, topology);
  text = fab_lfts_write (routes, &len, &error);
  g_assert_no_error (error);
  again = fab_lfts_read (text, len, "again", topology, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  text_again = fab_lfts_write (again, &len_again, &error);
  g_assert_cmpstr (text, ==, text_again);
  return 0;
}
