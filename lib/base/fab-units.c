/* fab-units.c: quantities as text and as integers, in exact decimal arithmetic */
#include "fab-units.h"
#include "base/fab-wide-private.h"
#include "fab-error.h"
#include <string.h>

#define SHORT 9   /* characters of a text that is not shortened further */

typedef struct
{
  const char *suffix;
  guint64     factor;    /* inside units in one of these */
} Suffix;

typedef struct
{
  const char   *what;      /* for errors: "a time such as 250ns" */
  const char   *finest;    /* the inside unit */
  const Suffix *suffixes;  /* largest first, as printing prefers them; ends with a NULL suffix */
} Scale;

static const Suffix no_suffixes[] = { { "", 1 }, { NULL, 0 } };

static const Suffix time_suffixes[] = {
  { "s", 1000000000000 }, { "ms", 1000000000 }, { "us", 1000000 }, { "µs", 1000000 }, { "ns", 1000 }, { "ps", 1 }, { NULL, 0 },
};

static const Suffix size_suffixes[] = {
  { "TiB", G_GUINT64_CONSTANT (1) << 40 }, { "TB", 1000000000000 },
  { "GiB", 1 << 30 }, { "GB", 1000000000 },
  { "MiB", 1 << 20 }, { "MB", 1000000 },
  { "KiB", 1 << 10 }, { "kB", 1000 }, { "KB", 1000 }, { "B", 1 }, { "", 1 }, { NULL, 0 },
};

static const Suffix rate_suffixes[] = {
  { "Tb/s", 1000000000000 }, { "Gb/s", 1000000000 }, { "Mb/s", 1000000 }, { "kb/s", 1000 }, { "b/s", 1 },
  { "TB/s", 8000000000000 }, { "GB/s", 8000000000 }, { "MB/s", 8000000 },
  { "T", 1000000000000 }, { "G", 1000000000 }, { "M", 1000000 }, { NULL, 0 },
};

static const Suffix goodput_suffixes[] = {
  { "TB/s", 8000000000000 }, { "GB/s", 8000000000 }, { "MB/s", 8000000 }, { "Tb/s", 1000000000000 }, { "Gb/s", 1000000000 },
  { "Mb/s", 1000000 }, { "kb/s", 1000 }, { "b/s", 1 }, { "T", 1000000000000 }, { "G", 1000000000 }, { "M", 1000000 }, { NULL, 0 },
};

static const Suffix length_suffixes[] = { { "km", 1000000 }, { "m", 1000 }, { "cm", 10 }, { "mm", 1 }, { NULL, 0 } };

static const Suffix power_suffixes[] = { { "MW", 1000000000 }, { "kW", 1000000 }, { "W", 1000 }, { "mW", 1 }, { NULL, 0 } };

static const Scale scales[] = {
  [FAB_UNIT_NONE] = { "a whole number", "whole number", no_suffixes },
  [FAB_UNIT_TIME] = { "a time such as 250ns or 10ms", "ps", time_suffixes },
  [FAB_UNIT_SIZE] = { "a size such as 1GiB or 4096", "byte", size_suffixes },
  [FAB_UNIT_RATE] = { "a rate such as 400G or 26GB/s", "b/s", rate_suffixes },
  [FAB_UNIT_LENGTH] = { "a length such as 30m", "mm", length_suffixes },
  [FAB_UNIT_POWER] = { "a power such as 350W", "mW", power_suffixes },
  [FAB_UNIT_GOODPUT] = { "a rate such as 26GB/s or 200G", "b/s", goodput_suffixes },
};

/* "12.5" as 125 and one decimal. FALSE: no number, or more digits than 64 bits hold. */
static gboolean
parse_decimal (const char **text, guint64 *digits, guint *n_decimals)
{
  const char *p = *text;
  gboolean any = FALSE, after_point = FALSE;

  *digits = 0;
  *n_decimals = 0;
  for (; g_ascii_isdigit (*p) || (*p == '.' && !after_point); p++)
    {
      if (*p == '.')
        {
          after_point = TRUE;
          continue;
        }
      if (*digits > (G_MAXUINT64 - 9) / 10 || *n_decimals >= 18)
        return FALSE;
      *digits = *digits * 10 + (guint64) (*p - '0');
      *n_decimals += after_point ? 1 : 0;
      any = TRUE;
    }
  if (any && after_point && *n_decimals == 0)
    return FALSE;   /* "3." */
  *text = p;
  return any;
}

static const Suffix *
find_suffix (const Scale *scale, const char *text)
{
  for (const Suffix *suffix = scale->suffixes; suffix->suffix != NULL; suffix++)
    if (g_str_equal (suffix->suffix, text))
      return suffix;
  return NULL;
}

gboolean
fab_units_parse (const char *text, FabUnit unit, guint64 *value, GError **error)
{
  const Scale *scale = &scales[unit];
  const Suffix *suffix = NULL;
  const char *rest = text;
  guint64 digits = 0, divisor = 1;
  guint n_decimals = 0;
  FabWide parts;   /* inside units × divisor: at most 2^64 × 2^43 */

  if (parse_decimal (&rest, &digits, &n_decimals))
    {
      while (*rest == ' ')
        rest++;
      suffix = digits == 0 && *rest == '\0' ? &scale->suffixes[0] : find_suffix (scale, rest);
    }
  if (suffix == NULL)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "expected %s, got “%s”", scale->what, text);
      return FALSE;
    }

  for (; n_decimals > 0; n_decimals--)
    divisor *= 10;
  parts = (FabWide) digits * suffix->factor;
  if (parts % divisor != 0)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "expected %s no finer than one %s, got “%s”", scale->what, scale->finest, text);
      return FALSE;
    }
  if (parts / divisor > G_MAXINT64)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "expected %s below 2^63 %s, got “%s”", scale->what, scale->finest, text);
      return FALSE;
    }
  *value = (guint64) (parts / divisor);
  return TRUE;
}

char *
fab_units_format (guint64 value, FabUnit unit)
{
  const Scale *scale = &scales[unit];
  g_autofree char *shortest = NULL;

  if (value == 0)
    return g_strdup ("0");
  for (const Suffix *suffix = scale->suffixes; suffix->suffix != NULL; suffix++)
    {
      guint64 fraction = value % suffix->factor, unit_part = suffix->factor;
      g_autofree char *text = NULL;

      if (value < suffix->factor && suffix[1].suffix != NULL)
        continue;
      if (fraction == 0)
        text = g_strdup_printf ("%" G_GUINT64_FORMAT "%s", value / suffix->factor, suffix->suffix);
      else
        {
          g_autoptr (GString) decimal = g_string_new (NULL);

          while (fraction != 0 && unit_part % 10 == 0)
            {
              unit_part /= 10;
              g_string_append_c (decimal, (char) ('0' + fraction / unit_part));
              fraction %= unit_part;
            }
          if (fraction != 0)
            continue;
          text = g_strdup_printf ("%" G_GUINT64_FORMAT ".%s%s", value / suffix->factor, decimal->str, suffix->suffix);
        }
      /* The largest unit that needs no more than a few digits reads best; otherwise the shortest text. */
      if (shortest == NULL || strlen (text) < strlen (shortest))
        {
          g_free (shortest);
          shortest = g_steal_pointer (&text);
        }
      if (strlen (shortest) <= SHORT)
        break;
    }
  return g_steal_pointer (&shortest);
}

char *
fab_units_format_time (gint64 time_ps)
{
  static const Suffix steps[] = { { "s", 1000000000000 }, { "ms", 1000000000 }, { "µs", 1000000 }, { "ns", 1000 }, { "ps", 1 } };
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  guint step = 0;
  double scaled;

  if (time_ps == 0)
    return g_strdup ("0");
  /* What would round up to 1000 of a unit is one of the next. */
  while (step + 1 < G_N_ELEMENTS (steps) && time_ps < (gint64) (steps[step].factor - steps[step].factor / 20000))
    step++;
  scaled = (double) time_ps / (double) steps[step].factor;
  g_ascii_formatd (digits, sizeof digits, scaled >= 999.95 ? "%.0f" : scaled >= 99.995 ? "%.1f" : scaled >= 9.9995 ? "%.2f" : "%.3f", scaled);
  return g_strdup_printf ("%s %s", digits, steps[step].suffix);
}

char *
fab_units_format_size (guint64 size_bytes)
{
  static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  double scaled = (double) size_bytes;
  guint step = 0;

  for (; scaled >= 1024 && step + 1 < G_N_ELEMENTS (names); step++)
    scaled /= 1024;
  return g_strdup_printf ("%s %s", g_ascii_formatd (digits, sizeof digits, "%.4g", scaled), names[step]);
}
