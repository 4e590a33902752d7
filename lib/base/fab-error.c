/* fab-error.c: the error domain and the library's own version */
#include "fab-error.h"
#include "fab-version.h"

G_DEFINE_QUARK (fab-error-quark, fab_error)

const char *
fab_version (void)
{
  return FAB_VERSION;
}
