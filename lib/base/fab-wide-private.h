/* fab-wide-private.h - products of two 64-bit numbers, without losing the upper half
 */
#pragma once
#include "fab-macros.h"

G_BEGIN_DECLS

__extension__ typedef unsigned __int128 FabWide;

/* a × b / c, rounded down; @c > 0 and the quotient must fit. */
static inline guint64
fab__mul_div (guint64 a, guint64 b, guint64 c)
{
  return (guint64) ((FabWide) a * b / c);
}

G_END_DECLS
