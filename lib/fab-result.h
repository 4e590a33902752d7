/* fab-result.h - what an engine found: when, how much over which link, and who waited for whom
 *
 * Immutable, shared among threads. Times are picoseconds from the start of the run.
 */
#pragma once
#include "fab-schedule.h"

G_BEGIN_DECLS

/* What an interval of the critical path is charged to. The first seven are links of these kinds; @link names which. */
typedef enum
{
  FAB_WAIT_GPU_LINK,
  FAB_WAIT_PCIE,
  FAB_WAIT_NIC,
  FAB_WAIT_SOCKET,
  FAB_WAIT_MEMORY,
  FAB_WAIT_NVLINK,
  FAB_WAIT_INFINIBAND,
  FAB_WAIT_ETHERNET,
  FAB_WAIT_LATENCY,      /* propagation and forwarding */
  FAB_WAIT_SOFTWARE,     /* per-step cost of the stack */
  FAB_WAIT_REDUCE,
  FAB_WAIT_COMPUTE,
  FAB_WAIT_START,        /* a part of a scenario that was to start later */
  FAB_WAIT_QUEUEING,     /* behind the packets of others at @link */
  FAB_WAIT_CREDIT,       /* for room in the buffer at the end of @link */
  FAB_WAIT_HEAD_OF_LINE, /* behind packets that wait for another link than @link */
  FAB_N_WAIT_KINDS,
} FabWaitKind;

FAB_API const char *fab_wait_kind_name (FabWaitKind kind);      /* "gpu-link", "infiniband", "software" … */
FAB_API FabWaitKind fab_wait_kind_of_link (FabLinkKind kind);

typedef struct
{
  FabWaitKind kind;
  guint32     link;      /* FAB_NONE for latency, software, reduce, compute */
  gint64      time_ps;   /* of the critical path */
} FabWait;

typedef struct _FabResult FabResult;

FAB_API FabResult     *fab_result_ref          (FabResult *result);
FAB_API void           fab_result_unref        (FabResult *result);
FAB_API const char    *fab_result_engine       (const FabResult *result);
FAB_API gboolean       fab_result_complete     (const FabResult *result);   /* FALSE: cancelled, or something could not be sent */
FAB_API guint32        fab_result_n_unreachable (const FabResult *result);  /* transfers without a path; they and their dependents did not run */
FAB_API gint64         fab_result_time_ps      (const FabResult *result);   /* of the last finish */
FAB_API const gint64  *fab_result_start_ps     (const FabResult *result);   /* one an operation; -1: did not run */
FAB_API const gint64  *fab_result_finish_ps    (const FabResult *result);   /* one an operation; -1: did not finish */
FAB_API const double  *fab_result_link_bytes   (const FabResult *result);   /* goodput bytes, one a directed link */
/* The critical path's intervals summed by (kind, link), largest first, ties by kind then link; they add up to
 * fab_result_time_ps() exactly. */
FAB_API const FabWait *fab_result_waits        (const FabResult *result, gsize *n_waits);

/* Where queues may do what a model of flows cannot see: the packet engine can tell. */
typedef enum
{
  FAB_BLIND_INCAST,          /* several senders fill one host's link: its queue backs up into the fabric */
  FAB_BLIND_MERGE,           /* inputs with unequal numbers of flows meet: shares hang on arbitration */
  FAB_BLIND_BLOCKED_QUEUE,   /* flows stuck behind @behind share this link's queue with flows that are not: a congestion tree may grow */
  FAB_N_BLIND_KINDS,
} FabBlindKind;

typedef struct
{
  FabBlindKind kind;
  guint32      link;       /* the place */
  guint32      behind;     /* what fills the blocked queue; FAB_NONE for the other kinds */
  guint32      n_flows;    /* most flows that it concerned at once: senders, flows that meet, victims */
} FabBlindSpot;

FAB_API const char         *fab_blind_kind_name    (FabBlindKind kind);    /* "incast", "merge", "blocked-queue" */
/* One a kind and link, most flows first, ties by kind then link. Empty from engines that are not blind. */
FAB_API const FabBlindSpot *fab_result_blind_spots (const FabResult *result, gsize *n_spots);

/* Work counters, exact and deterministic, so that slowness is caught without a clock. */
typedef struct
{
  guint64 flows;        /* transfers that moved bytes */
  guint64 events;       /* moments at which something started or finished */
  guint64 solves;       /* times rates were computed anew */
  guint64 solved_flows; /* flows whose rate such a computation set, summed */
  guint64 deferred;     /* ends of flows among very many after which the others waited a little for what they left */
  guint64 packet_hops;  /* data packets, once for each link they crossed */
  guint64 out_of_order; /* packets that came in before one sent earlier, of transfers that ended */
  guint64 failed;       /* transfers given up after all their retries */
} FabCounters;

FAB_API const FabCounters *fab_result_counters (const FabResult *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabResult, fab_result_unref)

G_END_DECLS
