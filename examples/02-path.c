/* 02-path.c: which links lie between two GPUs, and how full could one flow make them? */
#include <fabsim.h>
#include <stdio.h>

static void
print_path (const FabTopology *topology, const FabPath *path, const guint32 *links)
{
  for (guint32 i = 0; i < path->n_links; i++)
    {
      const FabLink *link = fab_topology_link (topology, links[i]);
      g_autofree char *address = fab_topology_link_address (topology, links[i]);

      printf ("%-11s %6.2f GB/s  %s\n", fab_link_kind_name (link->kind), (double) link->goodput_bps / 8e9, address);
    }
  printf ("%s, %.3f µs\n", fab_transport_name (path->transport), (double) path->latency_ps / 1e6);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabCatalog) catalog = fab_catalog_new (&error);
  g_autoptr (FabDesign) design = catalog != NULL && argc > 3 ? fab_design_read_file (argv[1], NULL, catalog, &error) : NULL;
  g_autoptr (FabTopology) topology = design != NULL ? fab_design_build_topology (design, &error) : NULL;
  g_autoptr (FabRoutes) routes = topology != NULL ? fab_design_build_routes (design, topology, NULL, 0, &error) : NULL;
  g_autofree FabRoutes **by_plane = topology != NULL ? g_new0 (FabRoutes *, fab_topology_n_planes (topology)) : NULL;
  g_autoptr (FabPaths) paths = NULL;
  FabTransportRules rules;
  guint32 src, dst, path = FAB_NONE;

  if (routes != NULL && fab_topology_find_device (topology, argv[2], &src, &error) && fab_topology_find_device (topology, argv[3], &dst, &error))
    {
      by_plane[0] = routes;   /* the first plane alone is routed here */
      fab_design_transport_rules (design, &rules);
      paths = fab_paths_new (topology, NULL, by_plane, &rules);
      path = fab_paths_find (paths, src, dst, 0);
    }
  if (path == FAB_NONE)
    {
      fprintf (stderr, "%s\n", error != NULL ? error->message : "usage: 02-path DESIGN SRC DST (or there is no path)");
      return 2;
    }
  print_path (topology, fab_paths_row (paths, path), fab_paths_links (paths, path));
  return 0;
}
