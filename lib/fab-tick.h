/* fab-tick.h - progress out, cancellation in
 *
 * Long work calls the caller's function now and then. Library code never reads the clock,
 * so the caller decides how often it shows anything.
 */
#pragma once
#include "fab-macros.h"

G_BEGIN_DECLS

/* @done of @total units of work are finished (0 of 0: unknown). Returns FALSE to cancel. */
typedef gboolean (*FabTickFunc) (guint64 done, guint64 total, gpointer data);

typedef struct
{
  FabTickFunc func;   /* NULL: no progress, cannot be cancelled */
  gpointer    data;   /* borrowed, passed to @func */
} FabTick;

G_END_DECLS
