/* fab-macros.h - what is exported, and the absent index
 */
#pragma once
#include <glib.h>

/* The library is built with hidden visibility; what carries FAB_API is the API. */
#define FAB_API __attribute__ ((visibility ("default")))

/* "No such row" for every guint32 index of the library. */
#define FAB_NONE G_MAXUINT32
