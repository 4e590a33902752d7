/* fab-catalog.h - the device kinds the library knows, by name
 *
 * The facts of models/ are compiled in; a directory of the user's own files lies over them, part by part
 * and number by number. Immutable and shared among threads.
 */
#pragma once
#include "fab-error.h"

G_BEGIN_DECLS

typedef struct _FabCatalog FabCatalog;

/* The compiled-in facts. Cost: reads about 100 kB of YAML once a call. */
FAB_API FabCatalog *fab_catalog_new      (GError **error);

/* The compiled-in facts under every *.yaml of @dir and its folders, read in the order of their names; a part of the
 * same name is overridden key by key. */
FAB_API FabCatalog *fab_catalog_new_over (const char *dir, GError **error);

FAB_API FabCatalog *fab_catalog_ref      (FabCatalog *catalog);
FAB_API void        fab_catalog_unref    (FabCatalog *catalog);

/* SHA-256 (hex) of all that was read; stands in every result. Borrowed. */
FAB_API const char *fab_catalog_digest   (const FabCatalog *catalog);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabCatalog, fab_catalog_unref)

G_END_DECLS
