/* fab-memory.c: asking before taking much */
#include "base/fab-memory-private.h"
#include "fab-units.h"
#include <sys/mman.h>

#define SMALL      (1u << 20)   /* not worth asking for */
#define LARGE_PAGE (2u << 20)

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
fab__memory_wish_large (gpointer rows, gsize bytes)
{
#ifdef MADV_HUGEPAGE
  gsize first = ((gsize) rows + LARGE_PAGE - 1) & ~(gsize) (LARGE_PAGE - 1), end = ((gsize) rows + bytes) & ~(gsize) (LARGE_PAGE - 1);

  if (bytes >= 2 * LARGE_PAGE && end > first)
    madvise ((gpointer) first, end - first, MADV_HUGEPAGE);   /* a wish: without it all is as it was */
#endif
}

void
fab__array_reserve (GArray *array, gsize n, gboolean will_be_filled)
{
  guint len = array->len, room = (guint) MIN (n, 32 * SMALL);

  if (room <= len)
    return;
  g_array_set_size (array, room);
  if (will_be_filled)
    fab__memory_wish_large (array->data, (gsize) room * g_array_get_element_size (array));
  g_array_set_size (array, len);
}
