/* fab-clock-private.h - pending events, by moment
 *
 * Events of one moment run in the order they were added. O(1) an event, O(log m) a moment, m the distinct moments pending.
 */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

typedef struct _FabClock FabClock;

typedef struct
{
  guint32 kind;      /* the caller's, as are all three */
  guint32 target;
  guint32 version;
} FabEvent;

FabClock *fab__clock_new     (void);
void      fab__clock_free    (FabClock *clock);
/* Some @n events will be pending at once. */
void      fab__clock_expect  (FabClock *clock, gsize n);
gint64    fab__clock_now_ps  (const FabClock *clock);
/* Never before now. */
void      fab__clock_add     (FabClock *clock, gint64 time_ps, FabEvent event);
/* Goes to the next moment that has events, which may be this one again; FALSE: nothing is pending. */
gboolean  fab__clock_advance (FabClock *clock);
/* The next event of this moment, those added for it meanwhile included; FALSE: there is none. */
gboolean  fab__clock_take    (FabClock *clock, FabEvent *event);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabClock, fab__clock_free)

G_END_DECLS
