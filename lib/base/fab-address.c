/* fab-address.c: one parser and one printer of addresses */
#include "fab-address.h"
#include "fab-error.h"
#include <string.h>

static gboolean
is_segment_char (char c)
{
  return g_ascii_isalnum (c) || strchr ("_.-[],*+", c) != NULL;
}

static gboolean
check_segment (const char *text, const char *segment, GError **error)
{
  gint depth = 0;

  for (const char *p = segment; *p != '\0'; p++)
    {
      if (*p == '[')
        depth++;
      else if (*p == ']')
        depth--;
      if (!is_segment_char (*p) || depth < 0 || depth > 1)
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "expected an address such as gpu001/nic0/p1 or compute/leaf1/p17, got “%s”", text);
          return FALSE;
        }
    }
  if (*segment == '\0' || depth != 0)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "expected an address such as gpu001/nic0/p1 or compute/leaf1/p17, got “%s”", text);
      return FALSE;
    }
  return TRUE;
}

void
fab_address_clear (FabAddress *address)
{
  g_clear_pointer (&address->owner, g_free);
  g_clear_pointer (&address->device, g_free);
  g_clear_pointer (&address->port, g_free);
}

/* The half of a split port is a plain small number. */
static gboolean
check_half (const char *text, const char *half, GError **error)
{
  guint64 number;

  if (g_ascii_string_to_unsigned (half, 10, 1, 16, &number, NULL) && half[0] != '0')
    return TRUE;
  g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "expected the half of a port, 1 or 2 as in p17/2, got “%s” in “%s”", half, text);
  return FALSE;
}

gboolean
fab_address_parse (const char *text, FabAddress *address, GError **error)
{
  g_auto (GStrv) segments = g_strsplit (text, "/", -1);
  guint n = g_strv_length (segments);

  fab_address_clear (address);
  if (n < 1 || n > 4)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "expected an address of one to four parts such as compute/leaf1/p17/2, got “%s”", text);
      return FALSE;
    }
  for (guint i = 0; i < MIN (n, 3); i++)
    if (!check_segment (text, segments[i], error))
      return FALSE;
  if (n == 4 && !check_half (text, segments[3], error))
    return FALSE;
  if (n == 1)
    {
      address->device = g_strdup (segments[0]);
      return TRUE;
    }
  address->owner = g_strdup (segments[0]);
  address->device = g_strdup (segments[1]);
  if (n >= 3)
    address->port = n == 4 ? g_strdup_printf ("%s/%s", segments[2], segments[3]) : g_strdup (segments[2]);
  return TRUE;
}

char *
fab_address_to_string (const FabAddress *address)
{
  if (address->owner == NULL)
    return g_strdup (address->device);
  if (address->device == NULL)
    return g_strdup (address->owner);
  return address->port != NULL ? g_strdup_printf ("%s/%s/%s", address->owner, address->device, address->port)
                               : g_strdup_printf ("%s/%s", address->owner, address->device);
}

gboolean
fab_address_parse_link (const char *text, FabAddress *a, FabAddress *b, GError **error)
{
  for (const char *dashes = strstr (text, "--"); dashes != NULL; dashes = strstr (dashes + 1, "--"))
    {
      g_autofree char *before = g_strndup (text, (gsize) (dashes - text));

      if (fab_address_parse (before, a, NULL) && fab_address_parse (dashes + 2, b, NULL))
        return TRUE;
    }
  fab_address_clear (a);
  fab_address_clear (b);
  g_set_error (error, FAB_ERROR, FAB_ERROR_SYNTAX, "expected a link such as compute/leaf1--compute/spine1, got “%s”", text);
  return FALSE;
}
