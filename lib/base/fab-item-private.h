/* fab-item-private.h - the inside of a document's items, for the files that make and change them
 */
#pragma once
#include "base/fab-document-private.h"

G_BEGIN_DECLS

struct _FabItem
{
  FabItemKind  kind;
  gboolean     quoted;
  guint        line, column;   /* from 1; line 0: from a setting */
  const char  *file;           /* borrowed from the document; of a setting its key */
  char        *key;            /* in the parent map; NULL elsewhere */
  char        *text;           /* of a scalar */
  GPtrArray   *children;       /* of a list or map, owned */
  GHashTable  *by_key;         /* of a map: key → child */
  FabItem     *parent;         /* NULL: the root */
  guint        position;       /* in the parent */
};

struct _FabDocument
{
  FabItem   *root;
  char      *path;
  GPtrArray *files;     /* names that items' marks point to */
  GChecksum *checksum;  /* of all that went in */
};

FabItem *fab__item_new    (FabItemKind kind, const char *file, guint line, guint column);
void     fab__item_free   (FabItem *item);
/* Takes @child; @key for maps (copied), NULL for lists. FALSE: the key is there already (then @child is not taken). */
gboolean fab__item_append (FabItem *parent, const char *key, FabItem *child);
/* A deep copy whose marks point to the same file names. Counts its items down from *@budget; NULL when that is used up. */
FabItem *fab__item_copy   (const FabItem *item, guint *budget);
/* Levels of lists and maps in @item, itself included; 0 for a scalar. */
guint    fab__item_height (const FabItem *item);

G_END_DECLS
