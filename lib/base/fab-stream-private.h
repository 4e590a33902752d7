/* fab-stream-private.h - seeded random streams
 *
 * A stream is named: (seed, name) gives the same numbers on every machine, and streams of other names
 * are independent of how many numbers this one drew. The only file that includes GSL's generators.
 */
#pragma once
#include "fab-macros.h"

G_BEGIN_DECLS

typedef struct _FabStream FabStream;

FabStream *fab__stream_new     (guint64 seed, const char *name);
void       fab__stream_free    (FabStream *stream);
guint32    fab__stream_below   (FabStream *stream, guint32 n);   /* uniform in [0, n), unbiased; n ≥ 1 */
double     fab__stream_uniform (FabStream *stream);              /* [0, 1), 32 bits */
void       fab__stream_shuffle (FabStream *stream, guint32 *items, gsize n_items);   /* Fisher-Yates */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabStream, fab__stream_free)

G_END_DECLS
