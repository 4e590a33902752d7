/* fuzz-document.c: any bytes as a design: a clean error or a design that builds, never a crash
 *
 * The catalog is read once: it is not what is tried here.
 */
#include "design/fab-design-private.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* Larger designs only cost time. */
static gboolean
is_small (const FabDesign *design)
{
  guint64 n = 0;

  for (guint g = 0; g < design->n_groups; g++)
    n += design->groups[g].n_nodes;
  return n <= 512;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static FabCatalog *catalog = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (FabDesign) design = NULL;
  g_autoptr (FabTopology) topology = NULL;

  if (catalog == NULL)
    catalog = fab_catalog_new (NULL);
  design = fab_design_read ((const char *) data, size, "fuzz.yaml", NULL, catalog, &error);
  g_assert ((design == NULL) == (error != NULL));
  if (design == NULL || !is_small (design))
    return 0;
  topology = fab_design_build_topology (design, &error);
  g_assert ((topology == NULL) == (error != NULL));
  return 0;
}
