/* 01-check.c: what is wrong with a design? cc 01-check.c $(pkg-config --cflags --libs fabsim) */
#include <fabsim.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabCatalog) catalog = fab_catalog_new (&error);
  g_autoptr (FabDesign) design = catalog != NULL && argc > 1 ? fab_design_read_file (argv[1], NULL, catalog, &error) : NULL;
  g_autoptr (FabTopology) topology = design != NULL ? fab_design_build_topology (design, &error) : NULL;
  g_autoptr (FabAnswer) answer = topology != NULL ? fab_analysis_check (design, topology, FAB_SEVERITY_WARNING, &error) : NULL;
  g_autofree char *text = answer != NULL ? fab_report_text (answer, NULL) : NULL;

  if (text == NULL)
    {
      fprintf (stderr, "%s\n", error != NULL ? error->message : "usage: 01-check DESIGN");
      return 2;
    }
  fputs (text, stdout);
  return fab_answer_found (answer) ? 1 : 0;
}
