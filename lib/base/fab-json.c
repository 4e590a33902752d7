/* fab-json.c: JSON out, over json-c */
#include "base/fab-json-private.h"
#include <json-c/json.h>
#include <math.h>

/* A FabJson is a json_object: the name keeps json-c out of every other file. */
static json_object *
object_of (const FabJson *json)
{
  return (json_object *) (gpointer) (gsize) json;
}

FabJson *
fab__json_object (void)
{
  return (FabJson *) json_object_new_object ();
}

FabJson *
fab__json_array (void)
{
  return (FabJson *) json_object_new_array ();
}

void
fab__json_free (FabJson *json)
{
  if (json != NULL)
    json_object_put (object_of (json));
}

static void
put (FabJson *json, const char *key, json_object *child)
{
  if (key != NULL)
    json_object_object_add (object_of (json), key, child);
  else
    json_object_array_add (object_of (json), child);
}

void
fab__json_add_text (FabJson *json, const char *key, const char *value)
{
  g_autofree char *utf8 = value != NULL ? g_utf8_make_valid (value, -1) : NULL;   /* paths may be any bytes, JSON may not */

  put (json, key, utf8 != NULL ? json_object_new_string (utf8) : NULL);
}

char *
fab__number_to_text (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    return g_strdup ("null");
  for (int digits = 1; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  if (value == floor (value) && fabs (value) < 1e15)   /* 9600, not 9.6e+03 */
    g_ascii_formatd (text, sizeof text, "%.0f", value == 0 ? 0 : value);
  return g_strdup (text);
}

void
fab__json_add_number (FabJson *json, const char *key, double value)
{
  g_autofree char *text = fab__number_to_text (value);

  put (json, key, isfinite (value) ? json_object_new_double_s (value, text) : NULL);
}

void
fab__json_add_int (FabJson *json, const char *key, gint64 value)
{
  put (json, key, json_object_new_int64 (value));
}

void
fab__json_add_bool (FabJson *json, const char *key, gboolean value)
{
  put (json, key, json_object_new_boolean (value));
}

void
fab__json_add_null (FabJson *json, const char *key)
{
  put (json, key, NULL);
}

void
fab__json_add (FabJson *json, const char *key, FabJson *child)
{
  put (json, key, object_of (child));
}

FabJson *
fab__json_child (FabJson *object, const char *key)
{
  json_object *child = NULL;

  if (json_object_object_get_ex (object_of (object), key, &child) && child != NULL)
    return (FabJson *) child;
  child = json_object_new_object ();
  json_object_object_add (object_of (object), key, child);
  return (FabJson *) child;
}

char *
fab__json_print (const FabJson *json)
{
  const char *text = json_object_to_json_string_ext (object_of (json),
                                                     JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);

  return g_strconcat (text, "\n", NULL);
}
