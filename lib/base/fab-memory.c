/* fab-memory.c: asking before taking much */
#include "base/fab-memory-private.h"
#include "fab-units.h"

#define SMALL (1u << 20)   /* not worth asking for */

gboolean
fab__memory_check (guint64 bytes, const char *what, GError **error)
{
  gpointer tried = bytes > SMALL && bytes < G_MAXSSIZE ? g_try_malloc (bytes) : NULL;
  g_autofree char *size = NULL;

  if (tried != NULL || bytes <= SMALL)
    {
      g_free (tried);
      return TRUE;
    }
  size = fab_units_format_size (bytes);
  g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "expected memory for %s (about %s), got none", what, size);
  return FALSE;
}

void
fab__array_reserve (GArray *array, gsize n)
{
  guint len = array->len, room = (guint) MIN (n, 4 * SMALL);

  if (room <= len)
    return;
  g_array_set_size (array, room);
  g_array_set_size (array, len);
}
