/* fab-document.c: a document and its items: making, changing, asking */
#include "base/fab-item-private.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- items ---- */

FabItem *
fab__item_new (FabItemKind kind, const char *file, guint line, guint column)
{
  FabItem *item = g_new0 (FabItem, 1);

  item->kind = kind;
  item->file = file;
  item->line = line;
  item->column = column;
  if (kind != FAB_ITEM_SCALAR)
    item->children = g_ptr_array_new_with_free_func ((GDestroyNotify) fab__item_free);
  if (kind == FAB_ITEM_MAP)
    item->by_key = g_hash_table_new (g_str_hash, g_str_equal);
  return item;
}

void
fab__item_free (FabItem *item)
{
  if (item == NULL)
    return;
  g_clear_pointer (&item->by_key, g_hash_table_unref);
  g_clear_pointer (&item->children, g_ptr_array_unref);
  g_free (item->key);
  g_free (item->text);
  g_free (item);
}

gboolean
fab__item_append (FabItem *parent, const char *key, FabItem *child)
{
  if (parent->kind == FAB_ITEM_MAP)
    {
      if (g_hash_table_contains (parent->by_key, key))
        return FALSE;
      child->key = g_strdup (key);
      g_hash_table_insert (parent->by_key, child->key, child);
    }
  child->parent = parent;
  child->position = parent->children->len;
  g_ptr_array_add (parent->children, child);
  return TRUE;
}

FabItem *
fab__item_copy (const FabItem *item, guint *budget)
{
  FabItem *copy;

  if (*budget == 0)
    return NULL;
  (*budget)--;
  copy = fab__item_new (item->kind, item->file, item->line, item->column);
  copy->quoted = item->quoted;
  copy->text = g_strdup (item->text);
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      const FabItem *child = fab__item_child (item, i);
      FabItem *child_copy = fab__item_copy (child, budget);

      if (child_copy == NULL)
        {
          fab__item_free (copy);
          return NULL;
        }
      fab__item_append (copy, child->key, child_copy);
    }
  return copy;
}

guint
fab__item_height (const FabItem *item)
{
  guint height = 0;

  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      guint below = fab__item_height (fab__item_child (item, i));

      height = MAX (height, below);
    }
  return item->kind == FAB_ITEM_SCALAR ? 0 : height + 1;
}

/* Puts @item in @old's place; takes @item, frees @old. */
static void
replace (FabDocument *document, FabItem *old, FabItem *item)
{
  FabItem *parent = old->parent;

  item->parent = parent;
  item->position = old->position;
  item->key = g_strdup (old->key);
  if (parent == NULL)
    {
      document->root = item;
      fab__item_free (old);
      return;
    }
  if (parent->by_key != NULL)
    g_hash_table_replace (parent->by_key, item->key, item);
  g_ptr_array_index (parent->children, item->position) = item;
  fab__item_free (old);
}

/* ---- the document ---- */

static void
document_clear (gpointer data)
{
  FabDocument *document = data;

  fab__item_free (document->root);
  g_ptr_array_unref (document->files);
  g_checksum_free (document->checksum);
  g_free (document->path);
}

FabDocument *
fab__document_ref (FabDocument *document)
{
  return g_atomic_rc_box_acquire (document);
}

void
fab__document_unref (FabDocument *document)
{
  if (document != NULL)
    g_atomic_rc_box_release_full (document, document_clear);
}

const FabItem *
fab__document_root (const FabDocument *document)
{
  return document->root;
}

const char *
fab__document_path (const FabDocument *document)
{
  return document->path;
}

char *
fab__document_digest (const FabDocument *document)
{
  g_autoptr (GChecksum) checksum = g_checksum_copy (document->checksum);

  return g_strdup (g_checksum_get_string (checksum));
}

/* ---- files ---- */

static gboolean
check_file (FILE *file, const char *path, GError **error)
{
  struct stat status;

  if (fstat (fileno (file), &status) != 0 || S_ISDIR (status.st_mode))
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_READ, "%s: expected a file, got a directory", path);
      return FALSE;
    }
  if (S_ISREG (status.st_mode) && status.st_size > (off_t) FAB_DOCUMENT_MAX_BYTES)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "%s: expected at most %u MiB, got %" G_GINT64_FORMAT " bytes", path,
                   FAB_DOCUMENT_MAX_BYTES >> 20, (gint64) status.st_size);
      return FALSE;
    }
  return TRUE;
}

/* Pipes and devices have no size: read on until the end or one byte over the limit. */
static GString *
read_all (FILE *file, const char *path, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[65536];
  gsize n;

  while ((n = fread (buffer, 1, sizeof buffer, file)) > 0)
    {
      g_string_append_len (text, buffer, (gssize) n);
      if (text->len > FAB_DOCUMENT_MAX_BYTES)
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "%s: expected at most %u MiB, got more", path, FAB_DOCUMENT_MAX_BYTES >> 20);
          return NULL;
        }
    }
  if (ferror (file))
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_READ, "%s: %s", path, g_strerror (errno));
      return NULL;
    }
  return g_steal_pointer (&text);
}

FabDocument *
fab__document_read_file (const char *path, GError **error)
{
  gboolean is_stdin = g_str_equal (path, "-");
  FILE *file = is_stdin ? stdin : fopen (path, "rb");
  const char *name = is_stdin ? "stdin" : path;
  g_autoptr (GString) text = NULL;

  if (file == NULL)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_READ, "%s: %s", name, g_strerror (errno));
      return NULL;
    }
  if (check_file (file, name, error))
    text = read_all (file, name, error);
  if (!is_stdin)
    fclose (file);
  return text != NULL ? fab__document_read (text->str, text->len, name, error) : NULL;
}

/* ---- settings and includes ---- */

static FabItem *
step_into (FabItem *item, const char *segment)
{
  guint64 index;

  if (item->kind == FAB_ITEM_MAP)
    return g_hash_table_lookup (item->by_key, segment);
  if (item->kind == FAB_ITEM_LIST && g_ascii_string_to_unsigned (segment, 10, 0, G_MAXUINT, &index, NULL) && index < item->children->len)
    return g_ptr_array_index (item->children, index);
  return NULL;
}

/* Marks of a setting say the setting. */
static void
mark_as_setting (FabItem *item, const char *name)
{
  item->file = name;
  item->line = item->column = 0;
  for (guint i = 0; i < fab__item_n_children (item); i++)
    mark_as_setting (g_ptr_array_index (item->children, i), name);
}

static FabItem *
parse_setting (FabDocument *document, const char *key, const char *value, GError **error)
{
  g_autofree char *name = g_strdup_printf ("--set %s", key);
  g_autoptr (FabDocument) parsed = NULL;
  FabItem *item;

  if (*value == '\0')
    {
      item = fab__item_new (FAB_ITEM_SCALAR, NULL, 0, 0);
      item->text = g_strdup ("");
    }
  else
    {
      parsed = fab__document_read (value, strlen (value), name, error);
      if (parsed == NULL)
        return NULL;
      item = g_steal_pointer (&parsed->root);
    }
  mark_as_setting (item, name);
  g_ptr_array_add (document->files, g_steal_pointer (&name));
  return item;
}

/* Metric-style keys may hold dots of their own ("expect.compute.leaf…"): a map's key that matches the rest whole wins. */
static FabItem *
whole_key (FabItem *item, const char *rest)
{
  return item->kind == FAB_ITEM_MAP ? g_hash_table_lookup (item->by_key, rest) : NULL;
}

static gboolean
check_key (const char *key, const char *const *segments, GError **error)
{
  if (segments[0] != NULL && !g_strv_contains (segments, ""))
    return TRUE;
  g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "--set %s: expected names with single dots between, got an empty name", key);
  return FALSE;
}

gboolean
fab__document_set (FabDocument *document, const char *key, const char *value, GError **error)
{
  g_auto (GStrv) segments = g_strsplit (key, ".", -1);
  FabItem *item = check_key (key, (const char *const *) segments, error) ? parse_setting (document, key, value, error) : NULL;
  FabItem *at = document->root, *next = NULL;
  const char *rest = key;
  guint s = 0;

  if (item == NULL)
    return FALSE;
  if (g_strv_length (segments) + fab__item_height (item) > FAB_DOCUMENT_MAX_DEPTH)
    {
      fab__item_error (item, error, FAB_ERROR_LIMIT, "expected at most %u levels of nesting", FAB_DOCUMENT_MAX_DEPTH);
      fab__item_free (item);
      return FALSE;
    }
  for (; segments[s] != NULL; s++, rest = strchr (rest, '.') != NULL ? strchr (rest, '.') + 1 : "")
    {
      next = whole_key (at, rest);
      if (next != NULL)
        break;
      next = step_into (at, segments[s]);
      if (next == NULL || segments[s + 1] == NULL)
        break;
      at = next;
    }
  if (next == NULL && at->kind != FAB_ITEM_MAP)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "--set %s: expected a key below a map, but “%s” stands on a %s", key, segments[s],
                   at->kind == FAB_ITEM_LIST ? "list" : "plain value");
      fab__item_free (item);
      return FALSE;
    }
  for (; next == NULL && segments[s + 1] != NULL; s++)   /* maps on the way that the file does not have */
    {
      FabItem *map = fab__item_new (FAB_ITEM_MAP, item->file, 0, 0);

      fab__item_append (at, segments[s], map);
      at = map;
    }
  if (next != NULL)
    replace (document, next, item);
  else
    fab__item_append (at, segments[s], item);
  g_checksum_update (document->checksum, (const guchar *) key, (gssize) strlen (key) + 1);
  g_checksum_update (document->checksum, (const guchar *) value, (gssize) strlen (value) + 1);
  return TRUE;
}

static void
merge_item (FabItem *over, const FabItem *under)
{
  for (guint i = 0; i < fab__item_n_children (under); i++)
    {
      const FabItem *child = fab__item_child (under, i);
      FabItem *own = g_hash_table_lookup (over->by_key, child->key);
      guint budget = FAB_DOCUMENT_MAX_ITEMS;

      if (own == NULL)
        fab__item_append (over, child->key, fab__item_copy (child, &budget));
      else if (own->kind == FAB_ITEM_MAP && child->kind == FAB_ITEM_MAP)
        merge_item (own, child);
    }
}

static void
repoint (FabItem *item, const char *from, const char *to)
{
  if (item->file == from)
    item->file = to;
  for (guint i = 0; i < fab__item_n_children (item); i++)
    repoint (g_ptr_array_index (item->children, i), from, to);
}

void
fab__document_merge (FabDocument *document, const FabDocument *under)
{
  g_autofree char *digest = fab__document_digest (under);
  char *path = g_strdup (under->path);

  g_checksum_update (document->checksum, (const guchar *) digest, -1);
  g_ptr_array_add (document->files, path);
  if (document->root->kind == FAB_ITEM_MAP && under->root->kind == FAB_ITEM_MAP)
    merge_item (document->root, under->root);
  repoint (document->root, under->path, path);
  for (guint i = 0; i < under->files->len; i++)
    {
      char *file = g_strdup (g_ptr_array_index (under->files, i));

      g_ptr_array_add (document->files, file);
      repoint (document->root, g_ptr_array_index (under->files, i), file);
    }
}

FabDocument *
fab__document_copy (const FabDocument *document)
{
  FabDocument *copy = g_atomic_rc_box_new0 (FabDocument);
  guint budget = G_MAXUINT;

  copy->path = g_strdup (document->path);
  copy->files = g_ptr_array_new_with_free_func (g_free);
  copy->checksum = g_checksum_copy (document->checksum);
  copy->root = fab__item_copy (document->root, &budget);
  repoint (copy->root, document->path, copy->path);
  for (guint i = 0; i < document->files->len; i++)
    {
      char *file = g_strdup (g_ptr_array_index (document->files, i));

      g_ptr_array_add (copy->files, file);
      repoint (copy->root, g_ptr_array_index (document->files, i), file);
    }
  return copy;
}
