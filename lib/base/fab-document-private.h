/* fab-document-private.h - YAML as a tree whose every item knows where it stood
 *
 * Read through libyaml's event API (its document API is quadratic in depth and anchors). A document
 * owns its items; an item lives as long as its document. Documents are changed only by
 * fab__document_set() and _merge() before they are shared.
 */
#pragma once
#include "fab-error.h"
#include "fab-units.h"

G_BEGIN_DECLS

typedef struct _FabDocument FabDocument;
typedef struct _FabItem     FabItem;

typedef enum { FAB_ITEM_SCALAR, FAB_ITEM_LIST, FAB_ITEM_MAP } FabItemKind;

/* Hard limits, checked before memory is taken; beyond them FAB_ERROR_LIMIT. */
#define FAB_DOCUMENT_MAX_BYTES   (16u << 20)
#define FAB_DOCUMENT_MAX_DEPTH   64u
#define FAB_DOCUMENT_MAX_ITEMS   2000000u
#define FAB_DOCUMENT_MAX_ALIASES 10000u   /* and every alias counts its target's items */

/* @path only names the source in messages. An empty document, a second document, duplicate keys, non-scalar
 * keys, bad UTF-8 and NUL bytes are errors with file:line:col. O(n log n). */
FabDocument   *fab__document_read      (const char *text, gsize len, const char *path, GError **error);

/* Reads the file (or "-": standard input) within FAB_DOCUMENT_MAX_BYTES; a directory or a device that
 * never ends is an error. FAB_ERROR_READ where it cannot be read. */
FabDocument   *fab__document_read_file (const char *path, GError **error);
FabDocument   *fab__document_copy      (const FabDocument *document);
FabDocument   *fab__document_ref       (FabDocument *document);
void           fab__document_unref     (FabDocument *document);
const FabItem *fab__document_root      (const FabDocument *document);
const char    *fab__document_path      (const FabDocument *document);

/* SHA-256 (hex) of the bytes read and of every set and merge since, in order. */
char          *fab__document_digest    (const FabDocument *document);

/* Sets the item at "a.b.c" (list items by index "a.0.b") to @value, itself parsed as YAML flow text
 * ("30m", "[a, b]", "{x: 1}"). Missing maps on the way are made. Its mark says "--set a.b.c". */
gboolean       fab__document_set       (FabDocument *document, const char *key, const char *value, GError **error);

/* Puts every key of @under's root map that @document lacks into it, deeply (maps merge, the rest: @document
 * wins). Marks keep naming the file they came from. */
void           fab__document_merge     (FabDocument *document, const FabDocument *under);

FabItemKind    fab__item_kind       (const FabItem *item);
guint          fab__item_n_children (const FabItem *item);            /* 0 for a scalar */
const FabItem *fab__item_child      (const FabItem *item, guint i);   /* in file order */
const char    *fab__item_key        (const FabItem *item, guint i);   /* of a map's child i */
const FabItem *fab__item_lookup     (const FabItem *map, const char *key);   /* NULL: absent, or not a map */
const char    *fab__item_text       (const FabItem *scalar);          /* "" for null; NULL if not a scalar */
gboolean       fab__item_is_quoted  (const FabItem *scalar);
const char    *fab__item_file       (const FabItem *item);
guint          fab__item_line       (const FabItem *item);            /* from 1; 0: from --set */
guint          fab__item_column     (const FabItem *item);
char          *fab__item_where      (const FabItem *item);            /* "planes.compute.uplink" */
char          *fab__item_place      (const FabItem *item);            /* "plan.yaml:12:8" or "--set a.b" */

/* Sets @error to "file:line:col: where: <text>". */
void fab__item_error (const FabItem *item, GError **error, FabErrorCode code, const char *format, ...) G_GNUC_PRINTF (4, 5);

/* Typed getters. With @item NULL or null they leave *@value alone and succeed, so that a caller's default
 * stands; a wrong kind or value sets @error and returns FALSE.  fab__item_require() is for keys that must be. */
const FabItem *fab__item_require  (const FabItem *map, const char *key, GError **error);
gboolean fab__item_get_text     (const FabItem *item, const char **value, GError **error);
gboolean fab__item_get_name     (const FabItem *item, const char **value, GError **error);  /* [A-Za-z][A-Za-z0-9_-]* up to 64 */
gboolean fab__item_get_bool     (const FabItem *item, gboolean *value, GError **error);     /* true/false only */
gboolean fab__item_get_uint     (const FabItem *item, guint64 min, guint64 max, guint64 *value, GError **error);  /* decimal or 0x */
gboolean fab__item_get_double   (const FabItem *item, double min, double max, double *value, GError **error);
gboolean fab__item_get_quantity (const FabItem *item, FabUnit unit, guint64 *value, GError **error);
gboolean fab__item_get_choice   (const FabItem *item, const char *const *names, guint *index, GError **error);
gboolean fab__item_expect_kind  (const FabItem *item, FabItemKind kind, GError **error);

/* Every key of @map must be in the NULL-terminated @keys; the error names the nearest. A key that starts with
 * "x-" is the user's own and always passes. */
gboolean fab__item_check_keys   (const FabItem *map, const char *const *keys, GError **error);

/* The name of NULL-terminated @names nearest to @text (edit distance ≤ 1 + length/3), or NULL. */
const char *fab__nearest (const char *text, const char *const *names);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabDocument, fab__document_unref)

G_END_DECLS
