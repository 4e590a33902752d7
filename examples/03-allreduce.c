/* 03-allreduce.c: what would it cost to lose a spine? One design, two sets of faults, one engine. */
#include <fabsim.h>
#include <stdio.h>

/* busbw of @workload in GB/s, read from the answer's metrics; negative where it did not run. */
static double
busbw (const FabDesign *design, const char *workload, const char *fault, GError **error)
{
  const char *names[] = { workload, NULL };
  const char *faults[] = { fault, NULL };
  g_autofree char *key = g_strdup_printf ("%s.busbw_gbytes_per_s", workload);
  g_autoptr (FabAnswer) answer = NULL;
  g_autoptr (FabTable) metrics = NULL;
  FabStudyOptions options;

  fab_study_options_init (&options);
  options.faults = faults;
  options.no_ranges = TRUE;
  answer = fab_study_run (design, names, &options, error);
  metrics = answer != NULL ? fab_answer_metrics (answer) : NULL;
  for (gsize row = 0; metrics != NULL && row < fab_table_n_rows (metrics); row++)
    if (g_str_equal (fab_table_text (metrics, row, 0), key))
      return fab_table_number (metrics, row, 1);
  return -1;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabCatalog) catalog = fab_catalog_new (&error);
  g_autoptr (FabDesign) design = catalog != NULL && argc > 3 ? fab_design_read_file (argv[1], NULL, catalog, &error) : NULL;
  double whole = design != NULL ? busbw (design, argv[2], NULL, &error) : -1;
  double broken = whole > 0 ? busbw (design, argv[2], argv[3], &error) : -1;

  if (broken < 0)
    {
      fprintf (stderr, "%s\n", error != NULL ? error->message : "usage: 03-allreduce DESIGN WORKLOAD FAULT");
      return 2;
    }
  printf ("%s: %.2f GB/s busbw, %.2f without %s (%+.1f %%)\n", argv[2], whole, broken, argv[3], 100 * (broken / whole - 1));
  return 0;
}
