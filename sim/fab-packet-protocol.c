/* fab-packet-protocol.c: link-level flow control by packets that take time and may be lost
 *
 * InfiniBand architecture, volume 1, 7.9: the sender counts the blocks it sent (FCTBS), the receiver those it got (ABR), both modulo
 * 4096. A flow-control packet brings FCCL = ABR + free blocks (at most 2048) back, and FCTBS forth; on FCTBS the receiver sets ABR,
 * so that what was lost on the way is not lost for ever. All absolute: a lost one is made good by the next.
 */
#include "fab-packet-private.h"

#define MODULUS 4096u
#define REFRESH_BYTES 65536u   /* a flow-control packet goes at least once in the time of these: facts of IBA 7.9.4, 65,536 symbols */

struct _FabPacketProtocol
{
  guint16  sent;               /* FCTBS */
  guint16  received;           /* ABR */
  guint16  limit;              /* FCCL as the sender knows it */
  guint32  held;               /* blocks in the receiver's buffer */
  guint64  n_packets, n_data;  /* flow-control packets sent back, data packets sent */
  gint64   last_ps[2];         /* when one was sent, back (limit) and forth (sent) */
  gint64   due_ps[2];          /* when one of this kind will be sent; NOT_DUE */
  gint64   interval_ps, refresh_ps;
};

#define NOT_DUE G_MAXINT64

void
fab__packet_protocols_init (FabPackets *packets)
{
  const FabPacketOptions *options = packets->options;

  if (options->credit_interval_ps == 0 && options->lose_credit_every == 0 && options->lose_data_every == 0)
    return;
  packets->protocols = g_new0 (FabPacketProtocol, MAX (packets->n_lanes, 1));
  for (guint32 l = 0; l < packets->n_lanes; l++)
    {
      FabPacketProtocol *row = &packets->protocols[l];
      const FabPacketLinkRow *link = &packets->links[packets->lanes[l].link];

      row->limit = (guint16) (packets->more[l].buffer_blocks % (gint32) MODULUS);
      row->interval_ps = options->credit_interval_ps;
      row->refresh_ps = MAX (options->credit_interval_ps, fab__packet_bits_ps (REFRESH_BYTES, link->rate_bps));
      row->last_ps[0] = row->last_ps[1] = -row->interval_ps;
      row->due_ps[0] = row->due_ps[1] = NOT_DUE;
    }
}

/* One in @every by chance; a mix of seed, lane and count (splitmix64), so that no rhythm of the traffic meets one of the losses. */
static gboolean
is_lost (const FabPackets *packets, guint32 lane, guint64 n, guint every)
{
  guint64 x = packets->input->seed + (((guint64) lane << 40) ^ n) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  if (every == 0)
    return FALSE;
  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return (x ^ (x >> 31)) % every == 0;
}

static guint16
limit_now (const FabPackets *packets, guint32 lane)
{
  const FabPacketProtocol *row = &packets->protocols[lane];

  return (guint16) ((row->received + (guint32) packets->more[lane].buffer_blocks - row->held) % MODULUS);
}

static void
want (FabPackets *packets, guint32 lane, gboolean forth, gint64 interval_ps)
{
  FabPacketProtocol *row = &packets->protocols[lane];

  gint64 time_ps = MAX (packets->clock.now_ps, row->last_ps[forth] + interval_ps);

  if (row->due_ps[forth] <= time_ps)
    return;
  row->due_ps[forth] = time_ps;   /* what was due later then finds that it is not */
  fab__packet_clock_push_odd (&packets->clock, time_ps, FAB_PACKET_GRANT_DUE, lane, forth);
}

/* A flow-control packet goes: never inside a data packet on its link, so forth it follows what is being sent. */
void
fab__packet_grant_due (FabPackets *packets, guint32 lane, gboolean forth)
{
  FabPacketProtocol *row = &packets->protocols[lane];
  guint32 link = packets->lanes[lane].link;
  gint64 go_ps = packets->clock.now_ps, latency_ps = fab__packet_back_ps (packets, link);

  if (row->due_ps[forth] != packets->clock.now_ps)
    return;
  row->due_ps[forth] = NOT_DUE;
  row->last_ps[forth] = go_ps;
  row->n_packets++;
  if (forth)
    go_ps = MAX (go_ps, packets->links[link].free_ps);
  if (!is_lost (packets, lane, row->n_packets, packets->options->lose_credit_every))
    fab__packet_clock_push_odd (&packets->clock, go_ps + latency_ps, FAB_PACKET_GRANT, lane,
                                (guint32) forth << 16 | (forth ? row->sent : limit_now (packets, lane)));
  if (forth ? row->received != row->sent : row->limit != limit_now (packets, lane))
    want (packets, lane, forth, row->refresh_ps);
}

void
fab__packet_granted (FabPackets *packets, guint32 lane, guint32 value)
{
  FabPacketProtocol *row = &packets->protocols[lane];
  gboolean forth = value >> 16 != 0;

  if (forth)
    {
      /* What was sent after this packet and has come in already cannot be: the link keeps order. */
      row->received = (guint16) value;
      if (limit_now (packets, lane) != row->limit)
        want (packets, lane, FALSE, row->interval_ps);
      return;
    }
  row->limit = (guint16) value;
  fab__packet_credit (packets, lane, (gint32) ((row->limit + MODULUS - row->sent) % MODULUS) - packets->lanes[lane].credits);
}

/* Blocks came into the buffer of @lane, or left it. */
void
fab__packet_released (FabPackets *packets, guint32 lane, guint32 value)
{
  FabPacketProtocol *row = &packets->protocols[lane];
  guint32 blocks = value & 0xffff;

  if (value >> 16)
    {
      row->held += blocks;
      row->received = (guint16) ((row->received + blocks) % MODULUS);
      return;
    }
  row->held -= blocks;
  want (packets, lane, FALSE, row->interval_ps);
}

/* A packet starts on @lane for @time_ps; FALSE: it will not come in. */
gboolean
fab__packet_protocol_sends (FabPackets *packets, guint32 lane, guint32 payload_bytes, gint64 time_ps)
{
  FabPacketProtocol *row = &packets->protocols[lane];
  guint32 link = packets->lanes[lane].link;
  guint32 blocks = fab__packet_blocks (&packets->links[link], payload_bytes);
  gboolean cable = fab_topology_link (packets->input->topology, link)->plane != FAB_NONE;

  row->sent = (guint16) ((row->sent + blocks) % MODULUS);
  row->n_data++;
  want (packets, lane, TRUE, row->interval_ps);
  if (cable && is_lost (packets, lane, ~row->n_data, packets->options->lose_data_every))
    {
      packets->more[lane].n_errors++;
      packets->more[lane].error_bytes += payload_bytes + packets->links[link].header_bytes;
      return FALSE;
    }
  fab__packet_clock_push_odd (&packets->clock, packets->clock.now_ps + time_ps + fab__packet_back_ps (packets, link), FAB_PACKET_RELEASE, lane, 1u << 16 | blocks);
  return TRUE;
}
