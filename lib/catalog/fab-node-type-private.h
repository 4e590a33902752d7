/* fab-node-type-private.h - what the readers of a node type's sections share
 */
#pragma once
#include "catalog/fab-catalog-private.h"

G_BEGIN_DECLS

/* The names of host list @text; an error at @item otherwise. */
gboolean fab__node_type_expand         (const FabItem *item, const char *text, GStrv *names, GError **error);
/* The row of device @name; FAB_NONE is an error at @item. */
guint32  fab__node_type_require_device (const FabNodeType *type, const FabItem *item, const char *name, GError **error);
/* The section links: (NULL: none), once the devices are read. */
gboolean fab__node_type_read_links     (FabNodeType *type, const FabCatalog *catalog, const FabItem *list, GError **error);

G_END_DECLS
