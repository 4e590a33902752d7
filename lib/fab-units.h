/* fab-units.h - quantities as people write them, and the integers inside
 *
 * Inside the library a time is gint64 picoseconds, a size guint64 bytes, a rate guint64 bits
 * a second, a length guint64 millimetres, a power guint64 milliwatts. This is the only
 * file that converts. Parsing is exact decimal arithmetic: no floating point, no locale.
 *
 *   time    250ns  5.7us  10ms  1s  40ps            (a unit is required, but for 0)
 *   size    1GiB  64MiB  512KiB  48GB  4096  4096B  (powers of 1024 with i, of 1000 without)
 *   rate    400G  400Gb/s  100M  26GB/s  1T         (a plain G is gigabits a second)
 *   length  3m  30m  50cm  0.5m  2km
 *   power   350W  1.5W  134.4kW
 *
 * The error text says what was expected and what was found; the caller puts the place before it.
 */
#pragma once
#include "fab-macros.h"

G_BEGIN_DECLS

typedef enum
{
  FAB_UNIT_NONE,     /* a plain count or ratio */
  FAB_UNIT_TIME,     /* picoseconds */
  FAB_UNIT_SIZE,     /* bytes */
  FAB_UNIT_RATE,     /* bits a second */
  FAB_UNIT_LENGTH,   /* millimetres */
  FAB_UNIT_POWER,    /* milliwatts */
  FAB_UNIT_GOODPUT,  /* bits a second, printed as bytes: 26GB/s */
} FabUnit;

/* Never negative; the largest value taken is G_MAXINT64 in the inside unit. A fraction finer than the
 * inside unit is an error, not a rounding. */
FAB_API gboolean fab_units_parse (const char *text, FabUnit unit, guint64 *value, GError **error);

/* The shortest text that parses back to @value ("400Gb/s", "250ns", "1GiB", "30m"). Caller frees. */
FAB_API char *fab_units_format (guint64 value, FabUnit unit);

/* For screens: three to four significant figures and a fitting unit ("106.6 ms", "19.84 GB/s" is
 * not made here: busbw is a double in GB/s). Caller frees. */
FAB_API char *fab_units_format_time (gint64 time_ps);
FAB_API char *fab_units_format_size (guint64 size_bytes);   /* "1 GiB", "95.75 GiB", "512 B" */

G_END_DECLS
