/* fab-error.h - the one error domain
 *
 * Every fallible call takes a GError ** last and reports in this domain.
 * The text reads "file:line:col: where: expected X, got Y" where a file is involved,
 * "where: expected X, got Y" elsewhere.
 */
#pragma once
#include "fab-macros.h"

G_BEGIN_DECLS

#define FAB_ERROR (fab_error_quark ())
FAB_API GQuark fab_error_quark (void);

typedef enum
{
  FAB_ERROR_SYNTAX,       /* the bytes are not of the format */
  FAB_ERROR_VALUE,        /* well formed, but out of range or contradictory */
  FAB_ERROR_UNKNOWN,      /* a name, key or address that nothing has */
  FAB_ERROR_LIMIT,        /* larger than the library takes; said before memory is */
  FAB_ERROR_READ,         /* an input is missing or unreadable */
  FAB_ERROR_WRITE,        /* an output could not be written whole */
  FAB_ERROR_UNSUPPORTED,  /* meaningful, but this build or engine cannot do it */
  FAB_ERROR_CANCELLED,    /* the tick callback said stop */
} FabErrorCode;

G_END_DECLS
