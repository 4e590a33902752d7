/* fab-result-private.h - how engines fill a result
 */
#pragma once
#include "fab-packet.h"

G_BEGIN_DECLS

struct _FabResult
{
  const char  *engine;          /* static */
  gboolean     complete;
  guint32      n_ops, n_links;
  guint32      n_unreachable;
  gint64       time_ps;
  gint64      *start_ps;        /* one an operation; -1 */
  gint64      *finish_ps;       /* one an operation; -1 */
  double      *link_bytes;      /* one a directed link */
  FabWait     *waits;
  gsize        n_waits;
  FabBlindSpot *blind;
  gsize        n_blind;
  FabCounters  counters;
  FabPacketLane        *packet_lanes;
  gsize                 n_packet_lanes;
  FabPacketSourceCount *packet_sources;
  gsize                 n_packet_sources;
  guint32              *deadlock;        /* links */
  gsize                 n_deadlock;
};

/* All times -1, all bytes 0, complete TRUE. */
FabResult *fab__result_new (const char *engine, guint32 n_ops, guint32 n_links);

/* Copies @spots in the order the header promises. */
void       fab__result_set_blind (FabResult *result, const FabBlindSpot *spots, gsize n_spots);

/* Sums of critical time by (kind, link), gathered while the path is walked. */
typedef struct _FabWaitSums FabWaitSums;

FabWaitSums *fab__wait_sums_new  (void);
void         fab__wait_sums_add  (FabWaitSums *sums, FabWaitKind kind, guint32 link, gint64 time_ps);
/* Moves the sums into @result in the order its header promises; frees @sums. */
void         fab__wait_sums_into (FabWaitSums *sums, FabResult *result);

G_END_DECLS
