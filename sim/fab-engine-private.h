/* fab-engine-private.h - the engines there are: one row a name of the Meson list
 */
#pragma once
#include "fab-engine.h"

extern const FabEngine *const fab__engines[];   /* NULL-terminated */
