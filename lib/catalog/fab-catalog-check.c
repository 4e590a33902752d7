/* fab-catalog-check.c: is every number of the catalog one that somebody can look up? */
#include "catalog/fab-catalog-private.h"
#include <string.h>

/* A source is a sentence: a title, a page, an address. "topo.h" alone is none. */
static const char *
fault_of (const FabNumber *number)
{
  g_autofree char *lower = g_ascii_strdown (number->source, -1);

  g_strstrip (lower);
  if (*lower == '\0')
    return "no source";
  if (strstr (lower, "secondary source") != NULL)
    return "a source that names nobody";
  if (strpbrk (lower, " \t") == NULL && strstr (lower, "://") == NULL)
    return "a bare file name or word as source";
  if (number->confidence == FAB_CONFIDENCE_ESTIMATE && number->low == number->high)
    return "an estimate without a range";
  return NULL;
}

static void
check_part (const FabPart *part, GArray *faults)
{
  gsize n_keys;
  const FabPartKey *keys = fab__part_kind_keys (fab__part_kind (part), &n_keys);

  for (gsize k = 0; k < n_keys; k++)
    {
      const FabNumber *number = keys[k].kind == FAB_KEY_NUMBER ? fab__part_lookup (part, keys[k].key) : NULL;
      FabCatalogFault fault = { .part = part, .key = keys[k].key };

      if (number == NULL || (fault.what = fault_of (number)) == NULL)
        continue;
      g_array_append_val (faults, fault);
    }
}

/* Names in texts and lists must be parts themselves. */
static void
check_references (const FabCatalog *catalog, const FabPart *part, GArray *faults)
{
  const char *pcie = fab__part_text (part, "pcie");
  const char *speed = fab__part_text (part, "speed");
  const char *const *speeds = fab__part_list (part, "speeds");
  FabCatalogFault fault = { .part = part };

  if (pcie != NULL && fab__catalog_lookup (catalog, FAB_PART_PCIE, pcie) == NULL)
    {
      fault.key = "pcie";
      fault.what = "a PCIe generation the catalog lacks";
      g_array_append_val (faults, fault);
    }
  if (speed != NULL && fab__catalog_lookup (catalog, FAB_PART_SPEED, speed) == NULL)
    {
      fault.key = "speed";
      fault.what = "a speed the catalog lacks";
      g_array_append_val (faults, fault);
    }
  for (guint i = 0; speeds[i] != NULL; i++)
    if (fab__catalog_lookup (catalog, FAB_PART_SPEED, speeds[i]) == NULL)
      {
        fault.key = "speeds";
        fault.what = "a speed the catalog lacks";
        g_array_append_val (faults, fault);
      }
}

GArray *
fab__catalog_faults (const FabCatalog *catalog)
{
  GArray *faults = g_array_new (FALSE, FALSE, sizeof (FabCatalogFault));

  for (guint kind = 0; kind < FAB_N_PART_KINDS; kind++)
    {
      gsize n_parts;
      g_autofree const FabPart **parts = fab__catalog_list (catalog, (FabPartKind) kind, &n_parts);

      for (gsize i = 0; i < n_parts; i++)
        {
          check_part (parts[i], faults);
          check_references (catalog, parts[i], faults);
        }
    }
  return faults;
}
