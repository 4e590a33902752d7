/* fab-packet-load.c: open-loop sources, for the answers of queueing theory */
#include "fab-packet-private.h"

struct _FabPacketLoad
{
  const FabPacketSource *source;
  FabStream *stream;
  guint32   *hops;         /* first hop of the path to each destination */
  guint32    flow;
  double     mean_ps;      /* between arrivals; 0: saturated */
};

/* Exponential of mean 1, by comparisons alone (von Neumann 1951): no logarithm, so the same bits everywhere. */
static double
exponential (FabStream *stream)
{
  for (guint whole = 0;; whole++)
    {
      double first = fab__stream_uniform (stream), last = first, next;
      guint n = 1;

      for (; (next = fab__stream_uniform (stream)) < last; n++)
        last = next;
      if (n % 2 == 1)
        return whole + first;
    }
}

static void
arrive_later (FabPackets *packets, guint32 row)
{
  const FabPacketLoad *load = &packets->loads[row];

  if (packets->flows[load->flow].n_made < packets->flows[load->flow].n_packets)
    fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps + (gint64) (load->mean_ps * exponential (load->stream) + 0.5),
                                FAB_PACKET_LOAD, row, 0);
}

void
fab__packet_load_arrives (FabPackets *packets, guint32 row)
{
  fab__packet_flow_push (packets, packets->loads[row].flow);
  arrive_later (packets, row);
}

guint32
fab__packet_load_hop (FabPackets *packets, guint32 row)
{
  const FabPacketLoad *load = &packets->loads[row];

  return load->hops[load->source->n_dsts > 1 ? fab__stream_below (load->stream, load->source->n_dsts) : 0];
}

static gboolean
load_init (FabPackets *packets, guint32 row, GError **error)
{
  FabPacketLoad *load = &packets->loads[row];
  const FabPacketSource *source = load->source;
  g_autofree char *name = g_strdup_printf ("source %u", row);
  guint32 path = FAB_NONE;

  load->stream = fab__stream_new (packets->input->seed, name);
  load->hops = g_new (guint32, MAX (source->n_dsts, 1));
  for (guint d = 0; d < source->n_dsts; d++)
    {
      guint32 gate;

      path = fab_paths_find (packets->paths, source->src, source->dsts[d], source->plane);
      if (path == FAB_NONE || fab_paths_row (packets->paths, path)->n_links == 0 || fab__packet_is_dropped (packets, path, source->sl))
        {
          g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "source %u: expected a path to each destination; got none to the %u-th", row, d + 1);
          return FALSE;
        }
      load->hops[d] = fab__packet_path (packets, path, fab__packet_vl_of_path (packets, path, source->sl), &gate);
    }
  load->flow = fab__packet_flow_open (packets, row, path, fab__packet_vl_of_path (packets, path, source->sl), source->n_packets);
  if (source->load_ratio > 0)
    load->mean_ps = (double) packets->links[fab_paths_links (packets->paths, path)[0]].full_ps / source->load_ratio;
  return TRUE;
}

gboolean
fab__packet_loads_init (FabPackets *packets, GError **error)
{
  guint n = packets->options->n_sources;

  packets->loads = g_new0 (FabPacketLoad, MAX (n, 1));
  packets->result->packet_sources = g_new0 (FabPacketSourceCount, MAX (n, 1));
  packets->result->n_packet_sources = n;
  packets->n_loads_left = n;
  for (guint i = 0; i < n; i++)
    packets->loads[i].source = &packets->options->sources[i];
  for (guint i = 0; i < n; i++)
    if (!load_init (packets, i, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (packets->loads[i].mean_ps > 0)
      arrive_later (packets, i);
    else
      fab__packet_flow_ready (packets, packets->loads[i].flow);
  return TRUE;
}

void
fab__packet_loads_clear (FabPackets *packets)
{
  for (guint i = 0; packets->loads != NULL && i < packets->options->n_sources; i++)
    {
      fab__stream_free (packets->loads[i].stream);
      g_free (packets->loads[i].hops);
    }
  g_free (packets->loads);
}
