/* fab-catalog.c: parts and node types by name, the user's over ours */
#include "catalog/fab-part-private.h"
#include <string.h>

struct _FabCatalog
{
  GHashTable *parts[FAB_N_PART_KINDS];   /* name → FabPart */
  GHashTable *nodes;                     /* name → FabNodeType */
  GChecksum  *checksum;
  char       *digest;
};

static void
catalog_clear (gpointer data)
{
  FabCatalog *catalog = data;

  for (guint k = 0; k < FAB_N_PART_KINDS; k++)
    g_hash_table_unref (catalog->parts[k]);
  g_hash_table_unref (catalog->nodes);
  g_checksum_free (catalog->checksum);
  g_free (catalog->digest);
}

FabCatalog *
fab_catalog_ref (FabCatalog *catalog)
{
  return g_atomic_rc_box_acquire (catalog);
}

void
fab_catalog_unref (FabCatalog *catalog)
{
  if (catalog != NULL)
    g_atomic_rc_box_release_full (catalog, catalog_clear);
}

const char *
fab_catalog_digest (const FabCatalog *catalog)
{
  return catalog->digest;
}

/* The names in the tables live in the parts and types themselves. */
static FabCatalog *
catalog_copy (const FabCatalog *from)
{
  FabCatalog *catalog = g_atomic_rc_box_new0 (FabCatalog);
  GHashTableIter iter;
  gpointer name, value;

  for (guint k = 0; k < FAB_N_PART_KINDS; k++)
    {
      catalog->parts[k] = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) fab__part_unref);
      if (from == NULL)
        continue;
      g_hash_table_iter_init (&iter, from->parts[k]);
      while (g_hash_table_iter_next (&iter, &name, &value))
        g_hash_table_replace (catalog->parts[k], name, fab__part_ref (value));
    }
  catalog->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) fab__node_type_unref);
  catalog->checksum = from != NULL ? g_checksum_copy (from->checksum) : g_checksum_new (G_CHECKSUM_SHA256);
  if (from == NULL)
    return catalog;
  g_hash_table_iter_init (&iter, from->nodes);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_replace (catalog->nodes, name, fab__node_type_ref (value));
  return catalog;
}

static void
put_part (FabCatalog *catalog, FabPart *part)
{
  g_hash_table_replace (catalog->parts[fab__part_kind (part)], (gpointer) (gsize) fab__part_name (part), part);
}

/* Node types point to parts: where parts changed, the types are made anew to point to the parts of now. */
static void
repoint_nodes (FabCatalog *catalog)
{
  gsize n_names;
  g_autofree const char **names = fab__catalog_list_nodes (catalog, &n_names);

  for (gsize i = 0; i < n_names; i++)
    {
      FabNodeType *type = fab__node_type_repoint (g_hash_table_lookup (catalog->nodes, names[i]), catalog);

      g_hash_table_replace (catalog->nodes, (gpointer) (gsize) type->name, type);
    }
}

static gboolean
check_nodes (const FabCatalog *catalog, GError **error)
{
  gsize n_names;
  g_autofree const char **names = fab__catalog_list_nodes (catalog, &n_names);

  for (gsize i = 0; i < n_names; i++)
    if (!fab__node_type_check_ports (g_hash_table_lookup (catalog->nodes, names[i]), error))
      return FALSE;
  return TRUE;
}

/* ---- one file of facts ---- */

static gboolean
find_kind (const FabItem *item, FabPartKind *kind, GError **error)
{
  const char *names[FAB_N_PART_KINDS + 1] = { NULL };
  guint row = FAB_N_PART_KINDS;

  for (guint k = 0; k < FAB_N_PART_KINDS; k++)
    names[k] = fab__part_kind_name ((FabPartKind) k);
  if (!fab__item_get_choice (item, names, &row, error))
    return FALSE;
  if (row == FAB_N_PART_KINDS)
    fab__item_error (item, error, FAB_ERROR_VALUE, "expected a kind of part, got none");
  *kind = (FabPartKind) row;
  return row < FAB_N_PART_KINDS;
}

static FabPart *
find_any (const FabCatalog *catalog, const char *name)
{
  for (guint k = 0; k < FAB_N_PART_KINDS; k++)
    {
      FabPart *part = g_hash_table_lookup (catalog->parts[k], name);

      if (part != NULL)
        return part;
    }
  return NULL;
}

/* A name is one part's, whatever its kind: overrides and devices of a node go by name alone. */
static gboolean
add_part (FabCatalog *catalog, const char *name, FabPartKind kind, const FabItem *item, GError **error)
{
  const FabPart *under = find_any (catalog, name);
  FabPart *part;

  if (under != NULL && fab__part_kind (under) != kind)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected a name of its own, got “%s”, which is a %s", name,
                       fab__part_kind_name (fab__part_kind (under)));
      return FALSE;
    }
  part = fab__part_read (kind, name, item, under, error);
  if (part == NULL)
    return FALSE;
  put_part (catalog, part);
  return TRUE;
}

/* The parts that @item names must be there. */
static gboolean
check_names (const FabCatalog *catalog, FabPartKind kind, const FabItem *item, GError **error)
{
  gsize n_keys;
  const FabPartKey *keys = fab__part_kind_keys (kind, &n_keys);

  for (gsize k = 0; k < n_keys; k++)
    {
      const FabItem *value = keys[k].names != FAB_N_PART_KINDS ? fab__item_lookup (item, keys[k].key) : NULL;

      if (value == NULL)
        continue;
      if (keys[k].kind == FAB_KEY_TEXT && fab__catalog_require (catalog, keys[k].names, value, error) == NULL)
        return FALSE;
      for (guint i = 0; i < fab__item_n_children (value); i++)
        if (fab__catalog_require (catalog, keys[k].names, fab__item_child (value, i), error) == NULL)
          return FALSE;
    }
  return TRUE;
}

static gboolean
add_parts (FabCatalog *catalog, const FabItem *parts, FabPartKind kind, GError **error)
{
  for (guint i = 0; i < fab__item_n_children (parts); i++)
    if (!add_part (catalog, fab__item_key (parts, i), kind, fab__item_child (parts, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
check_parts (const FabCatalog *catalog, const FabItem *parts, FabPartKind kind, GError **error)
{
  for (guint i = 0; i < fab__item_n_children (parts); i++)
    if (!check_names (catalog, kind, fab__item_child (parts, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
is_node_file (const FabItem *root)
{
  const FabItem *kind = fab__item_lookup (root, "kind");

  return kind != NULL && g_strcmp0 (fab__item_text (kind), "node") == 0;
}

static gboolean
add_node_file (FabCatalog *catalog, const FabItem *root, GError **error)
{
  const FabItem *name_item = fab__item_require (root, "name", error);
  const char *name = NULL;
  FabNodeType *type;

  if (name_item == NULL || !fab__item_get_name (name_item, &name, error))
    return FALSE;
  type = fab__node_type_read (catalog, name, root, error);
  if (type == NULL)
    return FALSE;
  g_hash_table_replace (catalog->nodes, (gpointer) (gsize) type->name, type);
  return TRUE;
}

static gboolean
read_document (FabCatalog *catalog, const FabDocument *document, gboolean first, GError **error)
{
  static const char *const keys[] = { "kind", "parts", NULL };
  const FabItem *root = fab__document_root (document);
  const FabItem *parts, *kind_item;
  FabPartKind kind;

  if (!fab__item_expect_kind (root, FAB_ITEM_MAP, error))
    return FALSE;
  if (is_node_file (root))
    return first || add_node_file (catalog, root, error);
  kind_item = fab__item_require (root, "kind", error);
  if (kind_item == NULL || !find_kind (kind_item, &kind, error) || !fab__item_check_keys (root, keys, error))
    return FALSE;
  parts = fab__item_require (root, "parts", error);
  if (parts == NULL || !fab__item_expect_kind (parts, FAB_ITEM_MAP, error))
    return FALSE;
  return first ? add_parts (catalog, parts, kind, error) : check_parts (catalog, parts, kind, error);
}

/* Parts first, in whichever files; then what names them: other parts and node types. */
static gboolean
add_documents (FabCatalog *catalog, GPtrArray *documents, GError **error)
{
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < documents->len; i++)
      if (!read_document (catalog, g_ptr_array_index (documents, i), pass == 0, error))
        return FALSE;
  for (guint i = 0; i < documents->len; i++)
    {
      g_autofree char *digest = fab__document_digest (g_ptr_array_index (documents, i));

      g_checksum_update (catalog->checksum, (const guchar *) digest, -1);
    }
  return TRUE;
}

static void
seal (FabCatalog *catalog)
{
  g_autoptr (GChecksum) copy = g_checksum_copy (catalog->checksum);

  catalog->digest = g_strdup (g_checksum_get_string (copy));
}

static GPtrArray *
documents_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) fab__document_unref);
}

FabCatalog *
fab_catalog_new (GError **error)
{
  g_autoptr (FabCatalog) catalog = catalog_copy (NULL);
  g_autoptr (GPtrArray) documents = documents_new ();

  for (const FabModelText *text = fab__model_texts; text->path != NULL; text++)
    {
      FabDocument *document = fab__document_read (text->text, text->len, text->path, error);

      if (document == NULL)
        return NULL;
      g_ptr_array_add (documents, document);
    }
  if (!add_documents (catalog, documents, error))
    return NULL;
  seal (catalog);
  return g_steal_pointer (&catalog);
}

/* ---- a directory of the user's own ---- */

#define MAX_OVERLAY_FILES 1000

static gint
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
list_yaml (const char *dir, guint depth, GPtrArray *paths, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GDir) handle = g_dir_open (dir, 0, &reason);
  const char *name;

  if (handle == NULL)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_READ, "%s", reason->message);
      return FALSE;
    }
  while ((name = g_dir_read_name (handle)) != NULL)
    {
      g_autofree char *path = g_build_filename (dir, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && depth < 8 && !list_yaml (path, depth + 1, paths, error))
        return FALSE;
      if (g_str_has_suffix (name, ".yaml"))
        g_ptr_array_add (paths, g_steal_pointer (&path));
      if (paths->len > MAX_OVERLAY_FILES)
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "%s: expected at most %d files", dir, MAX_OVERLAY_FILES);
          return FALSE;
        }
    }
  return TRUE;
}

FabCatalog *
fab_catalog_new_over (const char *dir, GError **error)
{
  g_autoptr (FabCatalog) base = fab_catalog_new (error);
  g_autoptr (FabCatalog) catalog = base != NULL ? catalog_copy (base) : NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) documents = documents_new ();

  if (catalog == NULL || !list_yaml (dir, 0, paths, error))
    return NULL;
  g_ptr_array_sort (paths, compare_paths);
  for (guint i = 0; i < paths->len; i++)
    {
      FabDocument *document = fab__document_read_file (g_ptr_array_index (paths, i), error);

      if (document == NULL)
        return NULL;
      g_ptr_array_add (documents, document);
    }
  if (!add_documents (catalog, documents, error))
    return NULL;
  repoint_nodes (catalog);
  if (!check_nodes (catalog, error))
    return NULL;
  seal (catalog);
  return g_steal_pointer (&catalog);
}

/* ---- changes ---- */

static gboolean
override_kind (const FabCatalog *catalog, const char *name, const FabItem *item, FabPartKind *kind, GError **error)
{
  const FabItem *kind_item = fab__item_lookup (item, "kind");
  const FabPart *under = find_any (catalog, name);

  if (kind_item != NULL)
    return find_kind (kind_item, kind, error);
  if (under != NULL)
    *kind = fab__part_kind (under);
  else
    fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a part of the catalog, or kind: for a new one; got “%s”",
                     name);
  return under != NULL;
}

FabCatalog *
fab__catalog_over (FabCatalog *base, const FabItem *models, GError **error)
{
  g_autoptr (FabCatalog) catalog = catalog_copy (base);
  FabPartKind kind;

  if (!fab__item_expect_kind (models, FAB_ITEM_MAP, error))
    return NULL;
  for (guint i = 0; i < fab__item_n_children (models); i++)
    if (!override_kind (catalog, fab__item_key (models, i), fab__item_child (models, i), &kind, error)
        || !add_part (catalog, fab__item_key (models, i), kind, fab__item_child (models, i), error))
      return NULL;
  for (guint i = 0; i < fab__item_n_children (models); i++)
    if (!check_names (catalog, fab__part_kind (find_any (catalog, fab__item_key (models, i))),
                      fab__item_child (models, i), error))
      return NULL;
  repoint_nodes (catalog);
  if (!check_nodes (catalog, error))
    return NULL;
  seal (catalog);
  return g_steal_pointer (&catalog);
}

FabCatalog *
fab__catalog_with_value (FabCatalog *base, FabPartKind kind, const char *name, const char *key, guint64 value)
{
  FabCatalog *catalog = catalog_copy (base);
  const FabPart *part = fab__catalog_lookup (base, kind, name);

  if (part != NULL)
    put_part (catalog, fab__part_with_value (part, key, value));
  repoint_nodes (catalog);
  seal (catalog);
  return catalog;
}

FabCatalog *
fab__catalog_with_node (FabCatalog *base, const char *name, const FabItem *item, GError **error)
{
  FabNodeType *type = fab__node_type_read (base, name, item, error);
  FabCatalog *catalog;

  if (type == NULL)
    return NULL;
  catalog = catalog_copy (base);
  g_hash_table_replace (catalog->nodes, (gpointer) (gsize) type->name, type);
  seal (catalog);
  return catalog;
}

/* ---- questions ---- */

const FabPart *
fab__catalog_lookup (const FabCatalog *catalog, FabPartKind kind, const char *name)
{
  return g_hash_table_lookup (catalog->parts[kind], name);
}

static gint
compare_parts (gconstpointer a, gconstpointer b)
{
  return strcmp (fab__part_name (*(const FabPart *const *) a), fab__part_name (*(const FabPart *const *) b));
}

const FabPart **
fab__catalog_list (const FabCatalog *catalog, FabPartKind kind, gsize *n_parts)
{
  const FabPart **parts = g_new0 (const FabPart *, g_hash_table_size (catalog->parts[kind]) + 1);
  GHashTableIter iter;
  gpointer value;

  *n_parts = 0;
  g_hash_table_iter_init (&iter, catalog->parts[kind]);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    parts[(*n_parts)++] = value;
  qsort (parts, *n_parts, sizeof *parts, compare_parts);
  return parts;
}

const FabPart *
fab__catalog_require (const FabCatalog *catalog, FabPartKind kind, const FabItem *item, GError **error)
{
  const char *name = "";
  const FabPart *part;
  gsize n_parts;
  g_autofree const FabPart **parts = NULL;
  g_autofree const char **names = NULL;
  const char *nearest;

  if (!fab__item_get_text (item, &name, error))
    return NULL;
  part = fab__catalog_lookup (catalog, kind, name);
  if (part != NULL)
    return part;
  parts = fab__catalog_list (catalog, kind, &n_parts);
  names = g_new0 (const char *, n_parts + 1);
  for (gsize i = 0; i < n_parts; i++)
    names[i] = fab__part_name (parts[i]);
  nearest = fab__nearest (name, names);
  fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a %s of the catalog, got “%s”%s%s%s",
                   fab__part_kind_name (kind), name,
                   nearest != NULL ? "; did you mean “" : "; `fabsim catalog` lists them",
                   nearest != NULL ? nearest : "", nearest != NULL ? "”?" : "");
  return NULL;
}

const FabNodeType *
fab__catalog_lookup_node (const FabCatalog *catalog, const char *name)
{
  return g_hash_table_lookup (catalog->nodes, name);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

const char **
fab__catalog_list_nodes (const FabCatalog *catalog, gsize *n_names)
{
  const char **names = g_new0 (const char *, g_hash_table_size (catalog->nodes) + 1);
  GHashTableIter iter;
  gpointer name;

  *n_names = 0;
  g_hash_table_iter_init (&iter, catalog->nodes);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    names[(*n_names)++] = name;
  qsort (names, *n_names, sizeof *names, compare_names);
  return names;
}
