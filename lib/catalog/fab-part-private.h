/* fab-part-private.h - how a part is read and changed
 */
#pragma once
#include "catalog/fab-catalog-private.h"

G_BEGIN_DECLS

/* A new part of @kind from @item (a map of keys), over @under (NULL: none). Bare values are taken too; what gives no
 * source of its own names its file and line as the source, and then its confidence is an estimate's. */
FabPart *fab__part_read       (FabPartKind kind, const char *name, const FabItem *item, const FabPart *under,
                               GError **error);
FabPart *fab__part_with_value (const FabPart *part, const char *key, guint64 value);
FabPart *fab__part_ref        (FabPart *part);
void     fab__part_unref      (FabPart *part);

FabNodeType *fab__node_type_read  (const FabCatalog *catalog, const char *name, const FabItem *item, GError **error);
void         fab__node_type_unref (FabNodeType *type);
FabNodeType *fab__node_type_ref   (FabNodeType *type);
/* The same type with the parts that @catalog has under their names. */
FabNodeType *fab__node_type_repoint (const FabNodeType *type, const FabCatalog *catalog);
/* Every port of every role must be one its card still has. */
gboolean     fab__node_type_check_ports (const FabNodeType *type, GError **error);

/* The texts of models/ as compiled in; NULL path ends. */
typedef struct { const char *path; const char *text; gsize len; } FabModelText;
extern const FabModelText fab__model_texts[];

G_END_DECLS
