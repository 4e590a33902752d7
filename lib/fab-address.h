/* fab-address.h - how a thing of the fabric is named, everywhere
 *
 *   gpu001                    a node            compute                  a plane
 *   gpu001/gpu3               a device          compute/leaf1            a switch
 *   gpu001/nic0/p1            a port            compute/leaf1/p17        a port
 *   compute/leaf1/p17/2       the second half of a split port
 *   A--B                      the link between two ports (or, where unique, two devices)
 *   spine1                    a bare device name, accepted where it is unique
 *
 * Each segment may be a pattern: a hostlist "gpu[001-048,050]" or a glob with "*".
 * One parser, one printer; parse (print (a)) equals a.
 */
#pragma once
#include "fab-macros.h"

G_BEGIN_DECLS

typedef struct
{
  char *owner;    /* node or plane; NULL in a bare name */
  char *device;   /* GPU, NIC, switch …; NULL: the owner itself */
  char *port;     /* "p17" or "p17/2"; NULL: the device itself */
} FabAddress;

/* Segments hold letters, digits and "_.-[],*"; an empty segment, a stray "/" or a space is an
 * error. A single segment is stored in @device with @owner NULL: which it is, only a topology knows.
 * @address is cleared first; clear it with fab_address_clear(). */
FAB_API gboolean fab_address_parse     (const char *text, FabAddress *address, GError **error);
FAB_API char    *fab_address_to_string (const FabAddress *address);
FAB_API void     fab_address_clear     (FabAddress *address);

/* Splits "A--B" at the first "--" that stands between two addresses; both ends are parsed. */
FAB_API gboolean fab_address_parse_link (const char *text, FabAddress *a, FabAddress *b, GError **error);

/* "gpu[001-003,7]" → gpu001 gpu002 gpu003 gpu7; several brackets multiply, the last one fastest; a list may
 * hold commas outside brackets: "a1,b[1-2]". More than @max_names names, or names of more than 256 characters
 * beside their numbers, are FAB_ERROR_LIMIT, found before any memory is taken. Caller frees with g_strfreev(). */
FAB_API GStrv fab_hostlist_expand   (const char *text, guint max_names, GError **error);

/* The shortest hostlist of @names, order kept where ranges allow: gpu001 … gpu048 → "gpu[001-048]".
 * Expanding it gives @names back (of up to 65536 gaps in a row). Caller frees. */
FAB_API char *fab_hostlist_compress (const char *const *names, gsize n_names);

/* TRUE if @name is one of @pattern's names: hostlist brackets and "*" understood, in any order. */
FAB_API gboolean fab_hostlist_match (const char *pattern, const char *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FabAddress, fab_address_clear)

G_END_DECLS
