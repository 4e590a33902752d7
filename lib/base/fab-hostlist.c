/* fab-hostlist.c: "gpu[001-048]" ⇄ gpu001 … gpu048 */
#include "fab-address.h"
#include "fab-error.h"
#include <string.h>

#define MAX_BRACKETS 8
#define MAX_RANGES   65536
#define MAX_NAME     256
#define MAX_DIGITS   18

/* One piece of a bracket: "001-048" or "7". */
typedef struct
{
  guint64 first, last;
  guint   width;      /* digits with leading zeros; 0: none */
} Range;

/* One comma-separated part outside brackets: text, bracket, text, bracket, … text. */
typedef struct
{
  char   *texts[MAX_BRACKETS + 1];
  GArray *brackets[MAX_BRACKETS];   /* Range */
  guint   n_brackets;
} Part;

static void
part_clear (Part *part)
{
  for (guint i = 0; i <= MAX_BRACKETS; i++)
    g_clear_pointer (&part->texts[i], g_free);
  for (guint i = 0; i < MAX_BRACKETS; i++)
    g_clear_pointer (&part->brackets[i], g_array_unref);
  part->n_brackets = 0;
}

static gboolean
syntax_error (const char *text, GError **error)
{
  g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "expected a hostlist such as gpu[001-048,050], got “%s”", text);
  return FALSE;
}

static gboolean
parse_number (const char *digits, guint64 *value)
{
  return strlen (digits) <= MAX_DIGITS && g_ascii_string_to_unsigned (digits, 10, 0, G_MAXINT64, value, NULL) && g_ascii_isdigit (digits[0]);
}

static gboolean
parse_range (const char *text, Range *range)
{
  g_auto (GStrv) ends = g_strsplit (text, "-", 2);

  if (ends[0] == NULL || !parse_number (ends[0], &range->first))
    return FALSE;
  range->width = ends[0][0] == '0' && strlen (ends[0]) > 1 ? (guint) strlen (ends[0]) : 0;
  if (ends[1] == NULL)
    {
      range->last = range->first;
      return TRUE;
    }
  return parse_number (ends[1], &range->last) && range->last >= range->first;
}

static GArray *
parse_bracket (const char *text)
{
  g_auto (GStrv) pieces = g_strsplit (text, ",", MAX_RANGES + 1);
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (Range));

  if (pieces[0] == NULL || g_strv_length (pieces) > MAX_RANGES)
    return NULL;
  for (guint i = 0; pieces[i] != NULL; i++)
    {
      Range range;

      if (!parse_range (pieces[i], &range))
        return NULL;
      g_array_append_val (ranges, range);
    }
  return g_steal_pointer (&ranges);
}

static gboolean
parse_part (const char *text, Part *part)
{
  const char *rest = text;

  while (TRUE)
    {
      const char *open = strchr (rest, '[');
      const char *close = open != NULL ? strchr (open, ']') : NULL;
      g_autofree char *inside = NULL;

      if (open == NULL)
        break;
      if (close == NULL || part->n_brackets == MAX_BRACKETS)
        return FALSE;
      part->texts[part->n_brackets] = g_strndup (rest, (gsize) (open - rest));
      inside = g_strndup (open + 1, (gsize) (close - open - 1));
      part->brackets[part->n_brackets] = parse_bracket (inside);
      if (part->brackets[part->n_brackets] == NULL || strchr (part->texts[part->n_brackets], ']') != NULL)
        return FALSE;
      part->n_brackets++;
      rest = close + 1;
    }
  part->texts[part->n_brackets] = g_strdup (rest);
  return strchr (rest, ']') == NULL && (part->n_brackets > 0 || *rest != '\0');
}

/* Characters of a name beside its numbers. */
static gsize
frame_length (const Part *part)
{
  gsize length = 0;

  for (guint i = 0; i <= part->n_brackets; i++)
    length += strlen (part->texts[i]);
  return length;
}

static guint64
bracket_size (const GArray *ranges, guint64 limit)
{
  guint64 size = 0;

  for (guint i = 0; i < ranges->len && size <= limit; i++)
    size += g_array_index (ranges, Range, i).last - g_array_index (ranges, Range, i).first + 1;
  return size;
}

/* More than @limit is said as @limit + 1. */
static guint64
part_size (const Part *part, guint64 limit)
{
  guint64 size = 1;

  for (guint i = 0; i < part->n_brackets; i++)
    {
      guint64 factor = bracket_size (part->brackets[i], limit);

      if (factor > limit || size > limit / factor)
        return limit + 1;
      size *= factor;
    }
  return size;
}

static void
append_names (const Part *part, guint bracket, const char *before, GPtrArray *names)
{
  g_autofree char *head = g_strconcat (before, part->texts[bracket], NULL);

  if (bracket == part->n_brackets)
    {
      g_ptr_array_add (names, g_steal_pointer (&head));
      return;
    }
  for (guint i = 0; i < part->brackets[bracket]->len; i++)
    {
      const Range *range = &g_array_index (part->brackets[bracket], Range, i);

      for (guint64 n = range->first; n <= range->last; n++)
        {
          g_autofree char *with = g_strdup_printf ("%s%0*" G_GUINT64_FORMAT, head, (int) range->width, n);

          append_names (part, bracket + 1, with, names);
        }
    }
}

/* Commas outside brackets part the list. */
static GStrv
split_outside (const char *text)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  const char *start = text;
  gboolean inside = FALSE;

  for (const char *p = text;; p++)
    {
      if (*p == '[')
        inside = TRUE;
      else if (*p == ']')
        inside = FALSE;
      if (*p == '\0' || (*p == ',' && !inside))
        {
          g_ptr_array_add (parts, g_strndup (start, (gsize) (p - start)));
          start = p + 1;
        }
      if (*p == '\0')
        break;
    }
  g_ptr_array_add (parts, NULL);
  return (GStrv) g_ptr_array_free (g_steal_pointer (&parts), FALSE);
}

static gboolean
expand_part (const char *whole, const char *text, guint max_names, GPtrArray *names, GError **error)
{
  Part part = { .n_brackets = 0 };
  gboolean ok = parse_part (text, &part);

  if (!ok)
    syntax_error (whole, error);
  else if (frame_length (&part) > MAX_NAME)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "expected names of at most %d characters, got one of %zu", MAX_NAME, frame_length (&part));
      ok = FALSE;
    }
  else if (part_size (&part, max_names) > max_names - names->len)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "expected at most %u names, got more in “%s”", max_names, whole);
      ok = FALSE;
    }
  else
    append_names (&part, 0, "", names);
  part_clear (&part);
  return ok;
}

GStrv
fab_hostlist_expand (const char *text, guint max_names, GError **error)
{
  g_auto (GStrv) parts = split_outside (text);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; parts[i] != NULL; i++)
    if (!expand_part (text, parts[i], max_names, names, error))
      return NULL;
  g_ptr_array_add (names, NULL);
  g_ptr_array_set_free_func (names, NULL);
  return (GStrv) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* ---- compressing ---- */

/* The last number of @name: where it starts, and its value. Names without one stand alone. */
static gboolean
last_number (const char *name, gsize *start, gsize *end, guint64 *value)
{
  gsize len = strlen (name);
  g_autofree char *digits = NULL;

  for (*end = len; *end > 0 && !g_ascii_isdigit (name[*end - 1]); (*end)--)
    ;
  if (*end == 0)
    return FALSE;
  for (*start = *end; *start > 0 && g_ascii_isdigit (name[*start - 1]); (*start)--)
    ;
  digits = g_strndup (name + *start, *end - *start);
  return parse_number (digits, value);
}

/* @b continues @a's series: same text around, the number one more, printed as a range of @a's width prints it. */
static gboolean
continues (const char *a, const char *b, guint64 step)
{
  gsize a_start, a_end, b_start, b_end;
  guint64 a_value, b_value;
  guint width;

  if (!last_number (a, &a_start, &a_end, &a_value) || !last_number (b, &b_start, &b_end, &b_value))
    return FALSE;
  width = a[a_start] == '0' && a_end - a_start > 1 ? (guint) (a_end - a_start) : 0;
  if (b_value != a_value + step || a_start != b_start || memcmp (a, b, a_start) != 0 || !g_str_equal (a + a_end, b + b_end))
    return FALSE;
  if (width == 0)
    return b[b_start] != '0' || b_end - b_start == 1;
  return b_end - b_start == width || (b_end - b_start > width && b[b_start] != '0');
}

static gboolean
same_frame (const char *a, const char *b)
{
  gsize a_start, a_end, b_start, b_end;
  guint64 value;

  return last_number (a, &a_start, &a_end, &value) && last_number (b, &b_start, &b_end, &value)
         && a_start == b_start && memcmp (a, b, a_start) == 0 && g_str_equal (a + a_end, b + b_end);
}

/* Appends "first-last" or "first" of a run. */
static void
append_run (GString *out, const char *first, const char *last)
{
  gsize start, end;
  guint64 value;

  last_number (first, &start, &end, &value);
  g_string_append_len (out, first + start, (gssize) (end - start));
  if (g_str_equal (first, last))
    return;
  last_number (last, &start, &end, &value);
  g_string_append_c (out, '-');
  g_string_append_len (out, last + start, (gssize) (end - start));
}

char *
fab_hostlist_compress (const char *const *names, gsize n_names)
{
  GString *out = g_string_new (NULL);

  for (gsize i = 0; i < n_names;)
    {
      gsize start, end, next = i + 1;
      guint64 value;

      if (out->len > 0)
        g_string_append_c (out, ',');
      if (!last_number (names[i], &start, &end, &value) || next == n_names || !same_frame (names[i], names[next]))
        {
          g_string_append (out, names[i++]);
          continue;
        }
      g_string_append_len (out, names[i], (gssize) start);
      g_string_append_c (out, '[');
      for (gsize first = i; first < n_names && same_frame (names[i], names[first]); first = next)
        {
          for (next = first + 1; next < n_names && continues (names[first], names[next], next - first); next++)
            ;
          if (first > i)
            g_string_append_c (out, ',');
          append_run (out, names[first], names[next - 1]);
        }
      g_string_append_printf (out, "]%s", names[i] + end);
      i = next;
    }
  return g_string_free (out, FALSE);
}

/* ---- matching ---- */

/* All ways to match are followed at once: @ends[j] says that the pattern so far can end before @name's character j. So time is
 * pattern times name, however many stars and brackets there are. */
static void
match_char (gboolean *ends, const char *name, gsize len, char c)
{
  if (c == '*')
    for (gsize j = 0; j < len; j++)
      ends[j + 1] |= ends[j];
  else
    {
      for (gsize j = len; j > 0; j--)
        ends[j] = ends[j - 1] && name[j - 1] == c;
      ends[0] = FALSE;
    }
}

/* @number is in one of the ranges and written as that range writes it. */
static gboolean
has_number (const GArray *ranges, const char *number)
{
  guint64 value = g_ascii_strtoull (number, NULL, 10);

  for (guint i = 0; i < ranges->len; i++)
    {
      const Range *range = &g_array_index (ranges, Range, i);
      char printed[32];

      if (value < range->first || value > range->last)
        continue;
      g_snprintf (printed, sizeof printed, "%0*" G_GUINT64_FORMAT, (int) range->width, value);
      if (g_str_equal (printed, number))
        return TRUE;
    }
  return FALSE;
}

static void
match_bracket (gboolean *ends, const char *name, gsize len, const GArray *ranges)
{
  g_autofree gboolean *starts = g_memdup2 (ends, (len + 1) * sizeof *ends);

  memset (ends, 0, (len + 1) * sizeof *ends);
  for (gsize j = 0; j < len; j++)
    for (gsize digits = 1; starts[j] && digits <= MAX_DIGITS && g_ascii_isdigit (name[j + digits - 1]); digits++)
      {
        char number[MAX_DIGITS + 1] = "";

        memcpy (number, name + j, digits);
        ends[j + digits] |= has_number (ranges, number);
      }
}

static gboolean
part_match (const Part *part, const char *name)
{
  gsize len = strlen (name);
  g_autofree gboolean *ends = g_new0 (gboolean, len + 1);

  ends[0] = TRUE;
  for (guint i = 0; i <= part->n_brackets; i++)
    {
      for (const char *p = part->texts[i]; *p != '\0'; p++)
        match_char (ends, name, len, *p);
      if (i < part->n_brackets)
        match_bracket (ends, name, len, part->brackets[i]);
    }
  return ends[len];
}

gboolean
fab_hostlist_match (const char *pattern, const char *name)
{
  g_auto (GStrv) parts = split_outside (pattern);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      Part part = { .n_brackets = 0 };
      gboolean matched = parse_part (parts[i], &part) && part_match (&part, name);

      part_clear (&part);
      if (matched)
        return TRUE;
    }
  return FALSE;
}
