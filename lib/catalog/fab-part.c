/* fab-part.c: one part: its texts, lists and numbers */
#include "catalog/fab-part-private.h"
#include <string.h>

struct _FabPart
{
  FabPartKind kind;
  char       *name, *summary;
  FabNumber  *numbers;       /* one a key of the kind; source NULL: not given */
  char      **texts;         /* one a key */
  char     ***lists;         /* one a key, NULL-terminated */
};

static const char *const confidence_names[] = { "high", "medium", "low", "estimate", NULL };

static void
part_clear (gpointer data)
{
  FabPart *part = data;
  gsize n_keys;

  fab__part_kind_keys (part->kind, &n_keys);
  for (gsize k = 0; k < n_keys; k++)
    {
      g_free ((char *) (gsize) part->numbers[k].source);
      g_free ((char *) (gsize) part->numbers[k].note);
      g_free (part->texts[k]);
      g_strfreev (part->lists[k]);
    }
  g_free (part->numbers);
  g_free (part->texts);
  g_free (part->lists);
  g_free (part->name);
  g_free (part->summary);
}

FabPart *
fab__part_ref (FabPart *part)
{
  return g_atomic_rc_box_acquire (part);
}

void
fab__part_unref (FabPart *part)
{
  if (part != NULL)
    g_atomic_rc_box_release_full (part, part_clear);
}

static FabPart *
part_new (FabPartKind kind, const char *name, const FabPart *under)
{
  FabPart *part = g_atomic_rc_box_new0 (FabPart);
  gsize n_keys;

  fab__part_kind_keys (kind, &n_keys);
  part->kind = kind;
  part->name = g_strdup (name);
  part->numbers = g_new0 (FabNumber, n_keys);
  part->texts = g_new0 (char *, n_keys);
  part->lists = g_new0 (char **, n_keys);
  part->summary = g_strdup (under != NULL ? under->summary : "");
  for (gsize k = 0; under != NULL && k < n_keys; k++)
    {
      part->numbers[k] = under->numbers[k];
      part->numbers[k].source = g_strdup (under->numbers[k].source);
      part->numbers[k].note = g_strdup (under->numbers[k].note);
      part->texts[k] = g_strdup (under->texts[k]);
      part->lists[k] = g_strdupv (under->lists[k]);
    }
  return part;
}

FabPart *
fab__part_with_value (const FabPart *under, const char *key, guint64 value)
{
  FabPart *part = part_new (under->kind, under->name, under);
  gsize n_keys;
  const FabPartKey *keys = fab__part_kind_keys (part->kind, &n_keys);

  for (gsize k = 0; k < n_keys; k++)
    if (g_str_equal (keys[k].key, key))
      part->numbers[k].value = value;
  return part;
}

/* ---- reading ---- */

/* The getters let null pass, so that a default stands; a part's key that is there says something. */
static gboolean
expect_said (const FabItem *item, const char *what, GError **error)
{
  if (fab__item_kind (item) != FAB_ITEM_SCALAR || fab__item_is_quoted (item) || *fab__item_text (item) != '\0')
    return TRUE;
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected %s, got none", what);
  return FALSE;
}

static gboolean
get_number (const FabItem *item, FabUnit unit, guint64 *value, GError **error)
{
  return expect_said (item, "a value", error) && fab__item_get_quantity (item, unit, value, error);
}

static gboolean
read_range (FabNumber *number, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  if (fab__item_n_children (item) != 2)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected [lowest, highest], got %u values",
                       fab__item_n_children (item));
      return FALSE;
    }
  if (!get_number (fab__item_child (item, 0), number->unit, &number->low, error)
      || !get_number (fab__item_child (item, 1), number->unit, &number->high, error))
    return FALSE;
  if (number->low <= number->value && number->value <= number->high)
    return TRUE;
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected a range that holds the value");
  return FALSE;
}

static gboolean
check_limits (const FabNumber *number, const FabPartKey *key, const FabItem *item, GError **error)
{
  g_autofree char *least = NULL, *most = NULL, *wrong = NULL;

  if (key->least <= number->low && number->high <= key->most)
    return TRUE;
  least = fab_units_format (key->least, key->unit);
  most = fab_units_format (key->most, key->unit);
  wrong = fab_units_format (number->low < key->least ? number->low : number->high, key->unit);
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected %s to %s, got %s", least, most, wrong);
  return FALSE;
}

static char *
place_of (const FabItem *item)
{
  return fab__item_line (item) > 0 ? g_strdup_printf ("given in %s:%u", fab__item_file (item), fab__item_line (item))
                                   : g_strdup (fab__item_file (item));
}

/* A bare value, or {value, range, source, confidence, note}. */
static gboolean
read_number (FabNumber *number, const FabPartKey *key, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "value", "range", "source", "confidence", "note", NULL };
  gboolean is_map = fab__item_kind (item) == FAB_ITEM_MAP;
  const FabItem *value = is_map ? fab__item_require (item, "value", error) : item;
  const char *source = NULL, *note = NULL;
  guint confidence = FAB_CONFIDENCE_ESTIMATE;

  if (value == NULL || (is_map && !fab__item_check_keys (item, keys, error))
      || !get_number (value, key->unit, &number->value, error))
    return FALSE;
  number->unit = key->unit;
  number->key = key->key;
  number->low = number->high = number->value;
  if (is_map
      && (!read_range (number, fab__item_lookup (item, "range"), error)
          || !fab__item_get_text (fab__item_lookup (item, "source"), &source, error)
          || !fab__item_get_text (fab__item_lookup (item, "note"), &note, error)
          || !fab__item_get_choice (fab__item_lookup (item, "confidence"), confidence_names, &confidence, error)))
    return FALSE;
  if (!check_limits (number, key, item, error))
    return FALSE;
  g_free ((char *) (gsize) number->source);
  g_free ((char *) (gsize) number->note);
  number->is_bare = source == NULL;
  number->source = source != NULL ? g_strdup (source) : place_of (item);
  number->note = g_strdup (note);
  number->confidence = (FabConfidence) confidence;
  return TRUE;
}

/* @words: all it may say; NULL: anything. */
static gboolean
read_text (char **text, const FabItem *item, const char *const *words, GError **error)
{
  const char *value = "";
  guint row;

  if (!expect_said (item, "a text", error) || !fab__item_get_text (item, &value, error)
      || (words != NULL && !fab__item_get_choice (item, words, &row, error)))
    return FALSE;
  g_free (*text);
  *text = g_strdup (value);
  return TRUE;
}

static gboolean
read_list (char ***list, const FabItem *item, const char *const *words, GError **error)
{
  guint n = fab__item_n_children (item);

  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  if (n == 0)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected one name or more, got none");
      return FALSE;
    }
  g_strfreev (*list);
  *list = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    if (!read_text (&(*list)[i], fab__item_child (item, i), words, error))
      return FALSE;
  return TRUE;
}

static gboolean
read_key (FabPart *part, gsize k, const FabPartKey *key, const FabItem *item, GError **error)
{
  switch (key->kind)
    {
    case FAB_KEY_NUMBER:
      return read_number (&part->numbers[k], key, item, error);
    case FAB_KEY_TEXT:
      return read_text (&part->texts[k], item, key->words, error);
    default:
      return read_list (&part->lists[k], item, key->words, error);
    }
}

static gboolean
is_given (const FabPart *part, gsize k)
{
  return part->numbers[k].source != NULL || part->texts[k] != NULL || part->lists[k] != NULL;
}

static gboolean
check_known_keys (FabPartKind kind, const FabItem *item, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  gsize n_keys;
  const FabPartKey *keys = fab__part_kind_keys (kind, &n_keys);

  for (gsize k = 0; k < n_keys; k++)
    g_ptr_array_add (names, (gpointer) (gsize) keys[k].key);
  g_ptr_array_add (names, (gpointer) (gsize) "summary");
  g_ptr_array_add (names, (gpointer) (gsize) "kind");
  g_ptr_array_add (names, NULL);
  return fab__item_check_keys (item, (const char *const *) names->pdata, error);
}

FabPart *
fab__part_read (FabPartKind kind, const char *name, const FabItem *item, const FabPart *under, GError **error)
{
  FabPart *part;
  gsize n_keys;
  const FabPartKey *keys = fab__part_kind_keys (kind, &n_keys);

  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !check_known_keys (kind, item, error))
    return NULL;
  part = part_new (kind, name, under);
  if (fab__item_lookup (item, "summary") != NULL
      && !read_text (&part->summary, fab__item_lookup (item, "summary"), NULL, error))
    g_clear_pointer (&part, fab__part_unref);
  for (gsize k = 0; k < n_keys && part != NULL; k++)
    {
      const FabItem *value = fab__item_lookup (item, keys[k].key);

      if (value != NULL && !read_key (part, k, &keys[k], value, error))
        g_clear_pointer (&part, fab__part_unref);
      else if (keys[k].required && !is_given (part, k))
        {
          fab__item_error (item, error, FAB_ERROR_VALUE, "expected %s: (%s), got none", keys[k].key, keys[k].meaning);
          g_clear_pointer (&part, fab__part_unref);
        }
    }
  return part;
}

/* ---- questions ---- */

static gssize
key_row (const FabPart *part, const char *key)
{
  gsize n_keys;
  const FabPartKey *keys = fab__part_kind_keys (part->kind, &n_keys);

  for (gsize k = 0; k < n_keys; k++)
    if (g_str_equal (keys[k].key, key))
      return (gssize) k;
  return -1;
}

FabPartKind
fab__part_kind (const FabPart *part)
{
  return part->kind;
}

const char *
fab__part_name (const FabPart *part)
{
  return part->name;
}

const char *
fab__part_summary (const FabPart *part)
{
  return part->summary;
}

const FabNumber *
fab__part_lookup (const FabPart *part, const char *key)
{
  gssize row = key_row (part, key);

  return row >= 0 && part->numbers[row].source != NULL ? &part->numbers[row] : NULL;
}

guint64
fab__part_value (const FabPart *part, const char *key, guint64 fallback)
{
  const FabNumber *number = fab__part_lookup (part, key);

  return number != NULL ? number->value : fallback;
}

const char *
fab__part_text (const FabPart *part, const char *key)
{
  gssize row = key_row (part, key);

  return row >= 0 ? part->texts[row] : NULL;
}

const char *const *
fab__part_list (const FabPart *part, const char *key)
{
  static const char *const none[] = { NULL };
  gssize row = key_row (part, key);

  return row >= 0 && part->lists[row] != NULL ? (const char *const *) part->lists[row] : none;
}

gboolean
fab__part_lists (const FabPart *part, const char *key, const char *text)
{
  return g_strv_contains (fab__part_list (part, key), text);
}
