/* fab-catalog-check.c: is every number of the catalog one that somebody can look up? */
#include "catalog/fab-catalog-private.h"
#include <string.h>

/* A source is a sentence: a title, a page, an address. "topo.h" alone is none. */
static const char *
fault_of_source (const char *source)
{
  g_autofree char *lower = g_ascii_strdown (source, -1);

  g_strstrip (lower);
  if (*lower == '\0')
    return "no source";
  if (strstr (lower, "secondary source") != NULL)
    return "a source that names nobody";
  if (strpbrk (lower, " \t\n") == NULL && strstr (lower, "://") == NULL)
    return "a bare file name or word as source";
  return NULL;
}

static const char *
fault_of_number (const FabNumber *number)
{
  const char *fault = number->is_bare ? "no source" : fault_of_source (number->source);

  if (fault == NULL && number->confidence == FAB_CONFIDENCE_ESTIMATE && number->low == number->high)
    return "an estimate without a range";
  return fault;
}

static void
add_fault (GArray *faults, const char *name, const char *key, const char *what)
{
  FabCatalogFault fault = { .name = name, .key = key, .what = what };

  if (what != NULL)
    g_array_append_val (faults, fault);
}

static void
check_part (const FabPart *part, GArray *faults)
{
  gsize n_keys;
  const FabPartKey *keys = fab__part_kind_keys (fab__part_kind (part), &n_keys);

  for (gsize k = 0; k < n_keys; k++)
    {
      const FabNumber *number = fab__part_lookup (part, keys[k].key);

      if (number != NULL)
        add_fault (faults, fab__part_name (part), keys[k].key, fault_of_number (number));
    }
}

GArray *
fab__catalog_faults (const FabCatalog *catalog)
{
  GArray *faults = g_array_new (FALSE, FALSE, sizeof (FabCatalogFault));
  gsize n_nodes;
  g_autofree const char **nodes = fab__catalog_list_nodes (catalog, &n_nodes);

  for (guint kind = 0; kind < FAB_N_PART_KINDS; kind++)
    {
      gsize n_parts;
      g_autofree const FabPart **parts = fab__catalog_list (catalog, (FabPartKind) kind, &n_parts);

      for (gsize i = 0; i < n_parts; i++)
        check_part (parts[i], faults);
    }
  for (gsize i = 0; i < n_nodes; i++)
    add_fault (faults, nodes[i], "source", fault_of_source (fab__catalog_lookup_node (catalog, nodes[i])->source));
  return faults;
}
