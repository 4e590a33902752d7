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

/* Room for @n elements of @array in all, taken but not touched; at most a few million, so that a wrong guess costs nothing. */
void fab__array_reserve (GArray *array, gsize n);

G_END_DECLS
