/* fab-item.c: asking an item for what it should be, and saying so when it is not */
#include "base/fab-item-private.h"
#include <math.h>
#include <string.h>

/* ---- plain questions ---- */

FabItemKind
fab__item_kind (const FabItem *item)
{
  return item->kind;
}

guint
fab__item_n_children (const FabItem *item)
{
  return item->children != NULL ? item->children->len : 0;
}

const FabItem *
fab__item_child (const FabItem *item, guint i)
{
  g_return_val_if_fail (i < fab__item_n_children (item), NULL);
  return g_ptr_array_index (item->children, i);
}

const char *
fab__item_key (const FabItem *item, guint i)
{
  return fab__item_child (item, i)->key;
}

const FabItem *
fab__item_lookup (const FabItem *map, const char *key)
{
  return map != NULL && map->kind == FAB_ITEM_MAP ? g_hash_table_lookup (map->by_key, key) : NULL;
}

const char *
fab__item_text (const FabItem *scalar)
{
  return scalar->text;
}

gboolean
fab__item_is_quoted (const FabItem *scalar)
{
  return scalar->quoted;
}

const char *
fab__item_file (const FabItem *item)
{
  return item->file;
}

guint
fab__item_line (const FabItem *item)
{
  return item->line;
}

guint
fab__item_column (const FabItem *item)
{
  return item->column;
}

char *
fab__item_where (const FabItem *item)
{
  GString *where = g_string_new (NULL);

  for (; item->parent != NULL; item = item->parent)
    {
      g_autofree char *index = g_strdup_printf ("%u", item->position);

      if (where->len > 0)
        g_string_prepend_c (where, '.');
      g_string_prepend (where, item->key != NULL ? item->key : index);
    }
  return g_string_free (where, FALSE);
}

char *
fab__item_place (const FabItem *item)
{
  return item->line > 0 ? g_strdup_printf ("%s:%u:%u", item->file, item->line, item->column) : g_strdup (item->file);
}

void
fab__item_error (const FabItem *item, GError **error, FabErrorCode code, const char *format, ...)
{
  g_autofree char *place = fab__item_place (item);
  g_autofree char *where = fab__item_where (item);
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, FAB_ERROR, code, "%s: %s%s%s", place, where, *where != '\0' ? ": " : "", text);
}

/* ---- typed questions ---- */

static const char *
found (const FabItem *item)
{
  return item->kind == FAB_ITEM_MAP ? "a map" : item->kind == FAB_ITEM_LIST ? "a list" : item->text;
}

static gboolean
is_absent (const FabItem *item)
{
  return item == NULL || (item->kind == FAB_ITEM_SCALAR && !item->quoted && *item->text == '\0');
}

static gboolean
expect_scalar (const FabItem *item, const char *what, GError **error)
{
  if (item->kind == FAB_ITEM_SCALAR)
    return TRUE;
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected %s, got %s", what, found (item));
  return FALSE;
}

const FabItem *
fab__item_require (const FabItem *map, const char *key, GError **error)
{
  const FabItem *item = fab__item_lookup (map, key);

  if (!is_absent (item))
    return item;
  fab__item_error (item != NULL ? item : map, error, FAB_ERROR_VALUE, "expected %s: …, got none", key);
  return NULL;
}

gboolean
fab__item_expect_kind (const FabItem *item, FabItemKind kind, GError **error)
{
  static const char *const names[] = { "a plain value", "a list", "a map" };

  if (item->kind == kind)
    return TRUE;
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected %s, got %s%s%s", names[kind], item->kind == FAB_ITEM_SCALAR ? "“" : "", found (item),
                   item->kind == FAB_ITEM_SCALAR ? "”" : "");
  return FALSE;
}

gboolean
fab__item_get_text (const FabItem *item, const char **value, GError **error)
{
  if (is_absent (item))
    return TRUE;
  if (!expect_scalar (item, "text", error))
    return FALSE;
  *value = item->text;
  return TRUE;
}

gboolean
fab__item_get_name (const FabItem *item, const char **value, GError **error)
{
  const char *p;

  if (is_absent (item))
    return TRUE;
  if (!expect_scalar (item, "a name", error))
    return FALSE;
  for (p = item->text; g_ascii_isalnum (*p) || *p == '_' || *p == '-'; p++)
    ;
  if (*p != '\0' || !g_ascii_isalpha (item->text[0]) || strlen (item->text) > 64)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected a name of up to 64 letters, digits, “-” and “_”, a letter first; got “%s”", item->text);
      return FALSE;
    }
  *value = item->text;
  return TRUE;
}

gboolean
fab__item_get_bool (const FabItem *item, gboolean *value, GError **error)
{
  if (is_absent (item))
    return TRUE;
  if (!expect_scalar (item, "true or false", error))
    return FALSE;
  if (g_str_equal (item->text, "true") || g_str_equal (item->text, "false"))
    {
      *value = item->text[0] == 't';
      return TRUE;
    }
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected true or false, got “%s”", item->text);
  return FALSE;
}

gboolean
fab__item_get_uint (const FabItem *item, guint64 min, guint64 max, guint64 *value, GError **error)
{
  guint64 number;
  gboolean hex;

  if (is_absent (item))
    return TRUE;
  if (!expect_scalar (item, "a whole number", error))
    return FALSE;
  hex = g_str_has_prefix (item->text, "0x");
  if (!g_ascii_string_to_unsigned (item->text + (hex ? 2 : 0), hex ? 16 : 10, min, max, &number, NULL))
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ", got “%s”",
                       min, max, item->text);
      return FALSE;
    }
  *value = number;
  return TRUE;
}

gboolean
fab__item_get_double (const FabItem *item, double min, double max, double *value, GError **error)
{
  char *end;
  double number;

  if (is_absent (item))
    return TRUE;
  if (!expect_scalar (item, "a number", error))
    return FALSE;
  number = g_ascii_strtod (item->text, &end);
  if (end == item->text || *end != '\0' || !isfinite (number) || number < min || number > max)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected a number from %g to %g, got “%s”", min, max, item->text);
      return FALSE;
    }
  *value = number;
  return TRUE;
}

gboolean
fab__item_get_quantity (const FabItem *item, FabUnit unit, guint64 *value, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (is_absent (item))
    return TRUE;
  if (!expect_scalar (item, "a quantity", error))
    return FALSE;
  if (fab_units_parse (item->text, unit, value, &reason))
    return TRUE;
  fab__item_error (item, error, (FabErrorCode) reason->code, "%s", reason->message);
  return FALSE;
}

gboolean
fab__item_get_choice (const FabItem *item, const char *const *names, guint *index, GError **error)
{
  g_autofree char *all = NULL;
  const char *nearest;

  if (is_absent (item))
    return TRUE;
  if (!expect_scalar (item, "a word", error))
    return FALSE;
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_equal (item->text, names[i]))
      {
        *index = i;
        return TRUE;
      }
  all = g_strjoinv (", ", (GStrv) (gsize) names);
  nearest = fab__nearest (item->text, names);
  fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected one of %s; got “%s”%s%s%s", all, item->text, nearest != NULL ? "; did you mean “" : "",
                   nearest != NULL ? nearest : "", nearest != NULL ? "”?" : "");
  return FALSE;
}

gboolean
fab__item_check_keys (const FabItem *map, const char *const *keys, GError **error)
{
  for (guint i = 0; i < fab__item_n_children (map); i++)
    {
      const FabItem *child = fab__item_child (map, i);
      g_autofree char *all = NULL;
      const char *nearest;

      if (g_strv_contains (keys, child->key) || g_str_has_prefix (child->key, "x-"))
        continue;
      all = g_strjoinv (", ", (GStrv) (gsize) keys);
      nearest = fab__nearest (child->key, keys);
      if (nearest != NULL)
        fab__item_error (child, error, FAB_ERROR_UNKNOWN, "expected a known key, got “%s”; did you mean “%s”?", child->key, nearest);
      else
        fab__item_error (child, error, FAB_ERROR_UNKNOWN, "expected one of %s; got “%s”", all, child->key);
      return FALSE;
    }
  return TRUE;
}

/* ---- nearest names ---- */

/* Levenshtein's distance, at most one row of memory; names here are short. */
static guint
distance (const char *a, const char *b)
{
  gsize n = strlen (b);
  g_autofree guint *row = g_new (guint, n + 1);

  for (gsize j = 0; j <= n; j++)
    row[j] = (guint) j;
  for (gsize i = 1; a[i - 1] != '\0'; i++)
    {
      guint diagonal = row[0];

      row[0] = (guint) i;
      for (gsize j = 1; j <= n; j++)
        {
          guint substituted = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);

          diagonal = row[j];
          row[j] = MIN (substituted, MIN (row[j], row[j - 1]) + 1);
        }
    }
  return row[n];
}

const char *
fab__nearest (const char *text, const char *const *names)
{
  const char *nearest = NULL;
  gsize len = strlen (text);
  guint best = 2 + (guint) (MIN (len, 60) / 3);   /* one more than is near enough */

  for (guint i = 0; names[i] != NULL && len <= 256; i++)
    {
      guint d = distance (text, names[i]);

      if (d < best)
        {
          best = d;
          nearest = names[i];
        }
    }
  return nearest;
}
