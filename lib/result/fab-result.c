/* fab-result.c: the result of one run, and the sums of its critical path */
#include "result/fab-result-private.h"
#include "base/fab-memory-private.h"

struct _FabWaitSums
{
  GArray     *rows;     /* FabWait in order of first use */
  GHashTable *by_key;   /* (kind, link) → row; only looked up, never iterated */
};

static void
result_clear (gpointer data)
{
  FabResult *result = data;

  g_free (result->start_ps);
  g_free (result->finish_ps);
  g_free (result->link_bytes);
  g_free (result->waits);
  g_free (result->packet_lanes);
  g_free (result->packet_sources);
  g_free (result->deadlock);
  g_free (result->blind);
}

FabResult *
fab__result_new (const char *engine, guint32 n_ops, guint32 n_links)
{
  FabResult *result = g_atomic_rc_box_new0 (FabResult);

  result->engine = engine;
  result->complete = TRUE;
  result->n_ops = n_ops;
  result->n_links = n_links;
  result->start_ps = g_new (gint64, MAX (n_ops, 1));
  result->finish_ps = g_new (gint64, MAX (n_ops, 1));
  result->link_bytes = g_new0 (double, MAX (n_links, 1));
  fab__memory_wish_large (result->start_ps, sizeof (gint64) * n_ops);
  fab__memory_wish_large (result->finish_ps, sizeof (gint64) * n_ops);
  for (guint32 op = 0; op < n_ops; op++)
    result->start_ps[op] = result->finish_ps[op] = -1;
  return result;
}

FabResult *
fab_result_ref (FabResult *result)
{
  return g_atomic_rc_box_acquire (result);
}

void
fab_result_unref (FabResult *result)
{
  if (result != NULL)
    g_atomic_rc_box_release_full (result, result_clear);
}

const char *
fab_result_engine (const FabResult *result)
{
  return result->engine;
}

gboolean
fab_result_complete (const FabResult *result)
{
  return result->complete;
}

guint32
fab_result_n_unreachable (const FabResult *result)
{
  return result->n_unreachable;
}

gint64
fab_result_time_ps (const FabResult *result)
{
  return result->time_ps;
}

const gint64 *
fab_result_start_ps (const FabResult *result)
{
  return result->start_ps;
}

const gint64 *
fab_result_finish_ps (const FabResult *result)
{
  return result->finish_ps;
}

const double *
fab_result_link_bytes (const FabResult *result)
{
  return result->link_bytes;
}

const FabWait *
fab_result_waits (const FabResult *result, gsize *n_waits)
{
  *n_waits = result->n_waits;
  return result->waits;
}

const FabBlindSpot *
fab_result_blind_spots (const FabResult *result, gsize *n_spots)
{
  *n_spots = result->n_blind;
  return result->blind;
}

const char *
fab_blind_kind_name (FabBlindKind kind)
{
  static const char *const names[FAB_N_BLIND_KINDS] = {
    [FAB_BLIND_INCAST] = "incast", [FAB_BLIND_MERGE] = "merge", [FAB_BLIND_BLOCKED_QUEUE] = "blocked-queue",
  };

  g_return_val_if_fail (kind < FAB_N_BLIND_KINDS, NULL);
  return names[kind];
}

static int
compare_spots (gconstpointer a, gconstpointer b)
{
  const FabBlindSpot *left = a, *right = b;

  if (left->n_flows != right->n_flows)
    return left->n_flows > right->n_flows ? -1 : 1;
  if (left->kind != right->kind)
    return left->kind < right->kind ? -1 : 1;
  return left->link < right->link ? -1 : left->link > right->link ? 1 : 0;
}

void
fab__result_set_blind (FabResult *result, const FabBlindSpot *spots, gsize n_spots)
{
  g_free (result->blind);
  result->blind = g_memdup2 (spots, sizeof (FabBlindSpot) * n_spots);
  result->n_blind = n_spots;
  if (n_spots > 1)
    qsort (result->blind, n_spots, sizeof (FabBlindSpot), compare_spots);
}

const FabCounters *
fab_result_counters (const FabResult *result)
{
  return &result->counters;
}

const FabPacketLane *
fab_result_packet_lanes (const FabResult *result, gsize *n_lanes)
{
  *n_lanes = result->n_packet_lanes;
  return result->packet_lanes;
}

const FabPacketSourceCount *
fab_result_packet_sources (const FabResult *result, gsize *n_sources)
{
  *n_sources = result->n_packet_sources;
  return result->packet_sources;
}

const guint32 *
fab_result_deadlock (const FabResult *result, gsize *n_links)
{
  *n_links = result->n_deadlock;
  return result->deadlock;
}

const char *
fab_wait_kind_name (FabWaitKind kind)
{
  static const char *const names[FAB_N_WAIT_KINDS] = {
    [FAB_WAIT_GPU_LINK] = "gpu-link",     [FAB_WAIT_PCIE] = "pcie",         [FAB_WAIT_NIC] = "nic",
    [FAB_WAIT_SOCKET] = "socket",         [FAB_WAIT_MEMORY] = "memory",     [FAB_WAIT_NVLINK] = "nvlink",
    [FAB_WAIT_INFINIBAND] = "infiniband", [FAB_WAIT_ETHERNET] = "ethernet", [FAB_WAIT_LATENCY] = "latency",
    [FAB_WAIT_SOFTWARE] = "software",     [FAB_WAIT_REDUCE] = "reduce",     [FAB_WAIT_COMPUTE] = "compute",
    [FAB_WAIT_START] = "start",           [FAB_WAIT_QUEUEING] = "queueing", [FAB_WAIT_CREDIT] = "credit",
    [FAB_WAIT_HEAD_OF_LINE] = "head-of-line",
  };

  g_return_val_if_fail (kind < FAB_N_WAIT_KINDS, NULL);
  return names[kind];
}

FabWaitKind
fab_wait_kind_of_link (FabLinkKind kind)
{
  static const FabWaitKind kinds[FAB_N_LINK_KINDS] = {
    [FAB_LINK_GPU] = FAB_WAIT_GPU_LINK,
    [FAB_LINK_PCIE] = FAB_WAIT_PCIE,
    [FAB_LINK_NIC] = FAB_WAIT_NIC,
    [FAB_LINK_SOCKET] = FAB_WAIT_SOCKET,
    [FAB_LINK_MEMORY] = FAB_WAIT_MEMORY,
    [FAB_LINK_NVLINK] = FAB_WAIT_NVLINK,
    [FAB_LINK_INFINIBAND] = FAB_WAIT_INFINIBAND,
    [FAB_LINK_ETHERNET] = FAB_WAIT_ETHERNET,
  };

  g_return_val_if_fail (kind < FAB_N_LINK_KINDS, FAB_WAIT_LATENCY);
  return kinds[kind];
}

FabWaitSums *
fab__wait_sums_new (void)
{
  FabWaitSums *sums = g_new (FabWaitSums, 1);

  sums->rows = g_array_new (FALSE, FALSE, sizeof (FabWait));
  sums->by_key = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return sums;
}

void
fab__wait_sums_add (FabWaitSums *sums, FabWaitKind kind, guint32 link, gint64 time_ps)
{
  gint64 key = ((gint64) kind << 32) | link;
  gpointer row;

  if (time_ps == 0)
    return;
  if (!g_hash_table_lookup_extended (sums->by_key, &key, NULL, &row))
    {
      FabWait wait = { .kind = kind, .link = link };
      gint64 *own_key = g_new (gint64, 1);

      *own_key = key;
      row = GUINT_TO_POINTER (sums->rows->len);
      g_array_append_val (sums->rows, wait);
      g_hash_table_insert (sums->by_key, own_key, row);
    }
  g_array_index (sums->rows, FabWait, GPOINTER_TO_UINT (row)).time_ps += time_ps;
}

static gint
compare_waits (gconstpointer a, gconstpointer b)
{
  const FabWait *x = a, *y = b;

  if (x->time_ps != y->time_ps)
    return x->time_ps > y->time_ps ? -1 : 1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->link < y->link ? -1 : x->link > y->link;
}

void
fab__wait_sums_into (FabWaitSums *sums, FabResult *result)
{
  g_array_sort (sums->rows, compare_waits);
  result->n_waits = sums->rows->len;
  result->waits = (FabWait *) (void *) g_array_free (sums->rows, FALSE);
  g_hash_table_unref (sums->by_key);
  g_free (sums);
}
