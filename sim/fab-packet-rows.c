/* fab-packet-rows.c: memory for rows that are read in no order
 *
 * A large fabric's rows lie all over tens of MiB: on small pages most of the time goes into finding the pages (a tenth to a fifth of a
 * three-tier run of radix 32).
 */
#include "fab-packet-private.h"
#include <string.h>
#include <sys/mman.h>

#define LINE_BYTES 64u
#define LARGE_PAGE_BYTES (2u << 20)

static gpointer
rows_alloc (gsize n, gsize size)
{
  gboolean many = n * size >= 2 * LARGE_PAGE_BYTES;
  gpointer rows = g_aligned_alloc (n, size, many ? LARGE_PAGE_BYTES : LINE_BYTES);

#ifdef MADV_HUGEPAGE
  if (many)
    madvise (rows, n * size, MADV_HUGEPAGE);   /* a wish: without it all is as it was */
#endif
  return rows;
}

gpointer
fab__packet_rows_new (gsize n, gsize size)
{
  return memset (rows_alloc (n, size), 0, n * size);
}

gpointer
fab__packet_rows_grow (gpointer rows, guint32 n, guint32 room, gsize size)
{
  gpointer grown = rows_alloc (room, size);

  if (n > 0)
    memcpy (grown, rows, n * size);
  g_aligned_free (rows);
  return grown;
}
