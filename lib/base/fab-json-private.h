/* fab-json-private.h - the only way numbers leave as JSON
 *
 * Over json-c. A number prints as the shortest text that reads back to the same double; integers print whole;
 * a non-finite number prints null. Keys keep the order of insertion.
 */
#pragma once
#include "fab-macros.h"

G_BEGIN_DECLS

typedef struct _FabJson FabJson;   /* an object or array under construction; owns its children */

FabJson *fab__json_object     (void);
FabJson *fab__json_array      (void);
void     fab__json_free       (FabJson *json);

/* With @key for an object, NULL for an array. A key set twice keeps its place and takes the new value. */
void     fab__json_add_text   (FabJson *json, const char *key, const char *value);   /* NULL value: null */
void     fab__json_add_number (FabJson *json, const char *key, double value);
void     fab__json_add_int    (FabJson *json, const char *key, gint64 value);
void     fab__json_add_bool   (FabJson *json, const char *key, gboolean value);
void     fab__json_add_null   (FabJson *json, const char *key);
void     fab__json_add        (FabJson *json, const char *key, FabJson *child);      /* takes @child */

/* The child at @key, made as an empty object if absent; borrowed. */
FabJson *fab__json_child      (FabJson *object, const char *key);

char    *fab__json_print      (const FabJson *json);   /* indented by two, ends in a newline */

/* The shortest decimal text that parses back to @value; "null" where not finite. Caller frees. */
char    *fab__number_to_text  (double value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabJson, fab__json_free)

G_END_DECLS
