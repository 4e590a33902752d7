/* fab-memory-private.h - asking before taking much
 *
 * GLib ends the process where memory runs out. Before anything whose size the user decides is built, this asks whether so much can be
 * had; what is then taken piece by piece stays below it.
 */
#pragma once
#include "fab-error.h"

G_BEGIN_DECLS

/* FAB_ERROR_LIMIT "expected memory for <what> (about 12 GiB), got none" where @bytes cannot be had at once. */
gboolean fab__memory_check (guint64 bytes, const char *what, GError **error);

/* Of @bytes or so at @rows, which nothing has touched yet: asks for large pages, without which filling them costs a fault every 4 KiB. */
void fab__memory_wish_large (gpointer rows, gsize bytes);

/* Room for @n elements of @array in all, taken but not touched; at most some millions, so that a wrong guess costs nothing. On large pages
 * where it surely @will_be_filled. */
void fab__array_reserve (GArray *array, gsize n, gboolean will_be_filled);

G_END_DECLS
