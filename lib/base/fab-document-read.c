/* fab-document-read.c: bytes to items through libyaml's events, within limits */
#include "base/fab-item-private.h"
#include <string.h>
#include <yaml.h>

typedef struct
{
  yaml_parser_t parser;
  const char   *text;       /* borrowed, as @path */
  gsize         len;
  const char   *path;
  GPtrArray    *open;       /* containers not yet ended, outermost first; borrowed */
  char         *key;        /* of the map on top, waiting for its value */
  guint         key_line, key_column;
  GHashTable   *anchors;    /* name → item; borrowed */
  FabItem      *root;
  guint         budget;     /* items still allowed */
  guint         n_aliases;
} Reader;

static gboolean
fail (const Reader *reader, yaml_mark_t mark, GError **error, FabErrorCode code, const char *format, ...) G_GNUC_PRINTF (5, 6);

static gboolean
fail (const Reader *reader, yaml_mark_t mark, GError **error, FabErrorCode code, const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, FAB_ERROR, code, "%s:%zu:%zu: %s", reader->path, mark.line + 1, mark.column + 1, text);
  return FALSE;
}

/* The mark of byte @offset; columns count characters, as libyaml's do. */
static yaml_mark_t
mark_at (const Reader *reader, gsize offset)
{
  yaml_mark_t mark = { .index = offset };

  for (gsize i = 0; i < MIN (offset, reader->len); i++)
    if (reader->text[i] == '\n')
      {
        mark.line++;
        mark.column = 0;
      }
    else if ((reader->text[i] & 0xc0) != 0x80)
      mark.column++;
  return mark;
}

static FabItem *
top (const Reader *reader)
{
  return reader->open->len > 0 ? g_ptr_array_index (reader->open, reader->open->len - 1) : NULL;
}

/* Puts @item where the next value goes; takes it. */
static gboolean
place (Reader *reader, FabItem *item, yaml_mark_t mark, GError **error)
{
  FabItem *parent = top (reader);
  g_autofree char *key = g_steal_pointer (&reader->key);

  if (parent == NULL)
    {
      reader->root = item;
      return TRUE;
    }
  if (fab__item_append (parent, key, item))
    return TRUE;
  fab__item_free (item);
  mark.line = reader->key_line;
  mark.column = reader->key_column;
  return fail (reader, mark, error, FAB_ERROR_SYNTAX, "expected each key once, got “%s” again", key);
}

static gboolean
spend_item (Reader *reader, yaml_mark_t mark, GError **error)
{
  if (reader->budget == 0)
    return fail (reader, mark, error, FAB_ERROR_LIMIT, "expected at most %u items, anchors counted where they are used", FAB_DOCUMENT_MAX_ITEMS);
  reader->budget--;
  return TRUE;
}

/* A tag such as “!include” would mean something that does not happen; those of YAML's own kinds say nothing new. */
static gboolean
check_tag (const Reader *reader, const yaml_char_t *tag, yaml_mark_t mark, GError **error)
{
  return tag == NULL || g_str_has_prefix ((const char *) tag, "tag:yaml.org,2002:") || g_str_equal (tag, "!")
         || fail (reader, mark, error, FAB_ERROR_UNSUPPORTED, "expected no tag, got “%s”", (const char *) tag);
}

/* The key of the next value. */
static gboolean
take_key (Reader *reader, const char *text, yaml_mark_t mark, GError **error)
{
  if (g_str_equal (text, "<<"))
    return fail (reader, mark, error, FAB_ERROR_UNSUPPORTED, "expected no merge key “<<”: write the keys out, or use an alias for the whole value");
  reader->key = g_strdup (text);
  reader->key_line = (guint) mark.line;
  reader->key_column = (guint) mark.column;
  return TRUE;
}

static void
note_anchor (Reader *reader, const yaml_char_t *anchor, FabItem *item)
{
  if (anchor != NULL)
    g_hash_table_replace (reader->anchors, g_strdup ((const char *) anchor), item);
}

static gboolean
take_scalar (Reader *reader, const yaml_event_t *event, GError **error)
{
  const char *text = (const char *) event->data.scalar.value;
  gsize len = event->data.scalar.length;
  FabItem *item;

  if (memchr (text, '\0', len) != NULL)
    return fail (reader, event->start_mark, error, FAB_ERROR_SYNTAX, "expected text, got a NUL byte");
  if (!check_tag (reader, event->data.scalar.tag, event->start_mark, error))
    return FALSE;
  if (top (reader) != NULL && top (reader)->kind == FAB_ITEM_MAP && reader->key == NULL)
    return take_key (reader, text, event->start_mark, error);
  if (!spend_item (reader, event->start_mark, error))
    return FALSE;
  item = fab__item_new (FAB_ITEM_SCALAR, reader->path, (guint) event->start_mark.line + 1, (guint) event->start_mark.column + 1);
  item->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  item->text = g_strdup (!item->quoted && (g_str_equal (text, "~") || g_str_equal (text, "null")) ? "" : text);
  note_anchor (reader, event->data.scalar.anchor, item);
  return place (reader, item, event->start_mark, error);
}

static gboolean
open_container (Reader *reader, FabItemKind kind, const yaml_char_t *anchor, const yaml_char_t *tag, yaml_mark_t mark, GError **error)
{
  FabItem *item;

  if (!check_tag (reader, tag, mark, error))
    return FALSE;
  if (top (reader) != NULL && top (reader)->kind == FAB_ITEM_MAP && reader->key == NULL)
    return fail (reader, mark, error, FAB_ERROR_SYNTAX, "expected a plain key, got a %s", kind == FAB_ITEM_MAP ? "map" : "list");
  if (reader->open->len >= FAB_DOCUMENT_MAX_DEPTH)
    return fail (reader, mark, error, FAB_ERROR_LIMIT, "expected at most %u levels of nesting", FAB_DOCUMENT_MAX_DEPTH);
  if (!spend_item (reader, mark, error))
    return FALSE;
  item = fab__item_new (kind, reader->path, (guint) mark.line + 1, (guint) mark.column + 1);
  note_anchor (reader, anchor, item);
  if (!place (reader, item, mark, error))
    return FALSE;
  g_ptr_array_add (reader->open, item);
  return TRUE;
}

static gboolean
take_alias (Reader *reader, const yaml_event_t *event, GError **error)
{
  const char *name = (const char *) event->data.alias.anchor;
  const FabItem *target = g_hash_table_lookup (reader->anchors, name);
  FabItem *copy;

  if (top (reader) != NULL && top (reader)->kind == FAB_ITEM_MAP && reader->key == NULL)
    return fail (reader, event->start_mark, error, FAB_ERROR_SYNTAX, "expected a plain key, got the alias “*%s”", name);
  if (target == NULL)
    return fail (reader, event->start_mark, error, FAB_ERROR_UNKNOWN, "expected an anchor “&%s” before its use, got none", name);
  for (guint i = 0; i < reader->open->len; i++)
    if (g_ptr_array_index (reader->open, i) == target)
      return fail (reader, event->start_mark, error, FAB_ERROR_SYNTAX, "expected an anchor that has ended, got “*%s” inside itself", name);
  if (reader->open->len + fab__item_height (target) > FAB_DOCUMENT_MAX_DEPTH)
    return fail (reader, event->start_mark, error, FAB_ERROR_LIMIT, "expected at most %u levels of nesting, “*%s” counted here", FAB_DOCUMENT_MAX_DEPTH,
                 name);
  copy = ++reader->n_aliases <= FAB_DOCUMENT_MAX_ALIASES ? fab__item_copy (target, &reader->budget) : NULL;
  if (copy == NULL)
    return fail (reader, event->start_mark, error, FAB_ERROR_LIMIT, "expected at most %u items and %u aliases, anchors counted where they are used",
                 FAB_DOCUMENT_MAX_ITEMS, FAB_DOCUMENT_MAX_ALIASES);
  return place (reader, copy, event->start_mark, error);
}

static gboolean
take_event (Reader *reader, const yaml_event_t *event, GError **error)
{
  switch (event->type)
    {
    case YAML_SCALAR_EVENT:
      return take_scalar (reader, event, error);
    case YAML_SEQUENCE_START_EVENT:
      return open_container (reader, FAB_ITEM_LIST, event->data.sequence_start.anchor, event->data.sequence_start.tag, event->start_mark, error);
    case YAML_MAPPING_START_EVENT:
      return open_container (reader, FAB_ITEM_MAP, event->data.mapping_start.anchor, event->data.mapping_start.tag, event->start_mark, error);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      g_ptr_array_set_size (reader->open, (gint) reader->open->len - 1);
      return TRUE;
    case YAML_ALIAS_EVENT:
      return take_alias (reader, event, error);
    case YAML_DOCUMENT_START_EVENT:
      return reader->root == NULL
             || fail (reader, event->start_mark, error, FAB_ERROR_SYNTAX, "expected one document, got a second");
    default:
      return TRUE;
    }
}

/* Of bytes it does not take, libyaml tells the offset, but of a broken character not where that begins. */
static gboolean
bytes_error (const Reader *reader, GError **error)
{
  const char *end;
  gsize offset = g_utf8_validate_len (reader->text, reader->len, &end) ? reader->len : (gsize) (end - reader->text);
  yaml_mark_t mark;
  gunichar c;

  offset = MIN (offset, reader->parser.problem_offset);
  mark = mark_at (reader, offset);
  c = g_utf8_get_char_validated (reader->text + offset, (gssize) (reader->len - offset));

  if (offset < reader->len && reader->text[offset] == '\0')
    return fail (reader, mark, error, FAB_ERROR_SYNTAX, "expected text, got a NUL byte");
  if (c < 0x110000)
    return fail (reader, mark, error, FAB_ERROR_SYNTAX, "expected text, got the control character U+%04X", c);
  return fail (reader, mark, error, FAB_ERROR_SYNTAX, "expected UTF-8 text, got %s", reader->parser.problem);
}

static gboolean
parser_error (const Reader *reader, GError **error)
{
  yaml_mark_t mark = reader->parser.problem_mark;
  const char *problem = reader->parser.problem != NULL ? reader->parser.problem : "unreadable YAML";

  if (reader->parser.error == YAML_READER_ERROR)
    return bytes_error (reader, error);
  if (reader->parser.error == YAML_MEMORY_ERROR)
    return fail (reader, mark, error, FAB_ERROR_LIMIT, "expected less nesting; libyaml ran out of memory");
  return fail (reader, mark, error, FAB_ERROR_SYNTAX, "expected YAML, got %s", problem);
}

static gboolean
read_events (Reader *reader, GError **error)
{
  gboolean done = FALSE;

  while (!done)
    {
      yaml_event_t event;
      gboolean ok;

      if (!yaml_parser_parse (&reader->parser, &event))
        return parser_error (reader, error);
      ok = take_event (reader, &event, error);
      done = event.type == YAML_STREAM_END_EVENT;
      yaml_event_delete (&event);
      if (!ok)
        return FALSE;
    }
  if (reader->root == NULL)
    g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "%s:1:1: expected a document, got an empty one", reader->path);
  return reader->root != NULL;
}

/* libyaml's own stack of flow brackets grows with the input and its scanner is quadratic in it: look before it does. */
static gboolean
check_brackets (const Reader *reader, GError **error)
{
  guint depth = 0;

  for (gsize i = 0; i < reader->len; i++)
    {
      char c = reader->text[i];

      if ((c == '[' || c == '{') && ++depth > 1024)
        return fail (reader, mark_at (reader, i), error, FAB_ERROR_LIMIT, "expected at most %u levels of nesting", FAB_DOCUMENT_MAX_DEPTH);
      if ((c == ']' || c == '}') && depth > 0)
        depth--;
    }
  return TRUE;
}

FabDocument *
fab__document_read (const char *text, gsize len, const char *path, GError **error)
{
  FabDocument *document;
  Reader reader = { .text = text, .len = len, .path = path, .budget = FAB_DOCUMENT_MAX_ITEMS };
  gboolean ok;

  if (len > FAB_DOCUMENT_MAX_BYTES)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "%s: expected at most %u MiB, got %zu bytes", path, FAB_DOCUMENT_MAX_BYTES >> 20, len);
      return NULL;
    }
  if (len >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)   /* libyaml would count a byte order mark as a column */
    {
      reader.text += 3;
      reader.len -= 3;
    }
  if (!check_brackets (&reader, error))
    return NULL;
  document = g_atomic_rc_box_new0 (FabDocument);
  document->path = g_strdup (path);
  document->files = g_ptr_array_new_with_free_func (g_free);
  document->checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (document->checksum, (const guchar *) text, (gssize) len);

  reader.path = document->path;   /* items keep it */
  reader.open = g_ptr_array_new ();
  reader.anchors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  yaml_parser_initialize (&reader.parser);
  yaml_parser_set_encoding (&reader.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string (&reader.parser, (const unsigned char *) reader.text, reader.len);
  ok = read_events (&reader, error);
  document->root = reader.root;
  yaml_parser_delete (&reader.parser);
  g_hash_table_unref (reader.anchors);
  g_ptr_array_unref (reader.open);
  g_free (reader.key);
  if (!ok)
    g_clear_pointer (&document, fab__document_unref);
  return document;
}
