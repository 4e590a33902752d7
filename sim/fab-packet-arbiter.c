/* fab-packet-arbiter.c: virtual lane arbitration in two levels, with weights and a limit on the high one
 *
 * InfiniBand architecture, volume 1, 7.6.9: each table is gone through in turn, an entry may send until its weight, in units of 64
 * bytes, is used up; whole packets, so the last may overdraw. High goes first until it has sent the high limit, × 4096 bytes, since
 * low last had its chance; 255 is no limit, 0 one packet.
 */
#include "fab-packet-private.h"

#define NO_LIMIT 255u
#define LIMIT_UNITS 64       /* of 64 bytes in 4096 */

typedef struct
{
  guint8  vl[64], weight[64];
  guint   n;
} Table;

typedef struct
{
  const FabQos *qos;
  guint   at[2];             /* entry of the high and low table whose turn it is */
  gint32  left[2];           /* of its weight */
  gint32  high_left;         /* units until low has its chance */
} Arbiter;

/* How a lane may send, asked once a decision. */
typedef struct
{
  guint32 queue, before;
  gboolean asked;
} Choice;

typedef struct
{
  FabPackets *packets;
  guint32     link;
  Choice      choices[16];   /* one a lane of the link */
  gint64      retry_ps;
} Decision;

static const FabVlArbEntry *
table_of (const FabQos *qos, guint high, guint *n)
{
  *n = high ? qos->n_high : qos->n_low;
  return high ? qos->high : qos->low;
}

static gint32
limit_of (const FabQos *qos)
{
  return MAX ((gint32) qos->high_limit * LIMIT_UNITS, 1);
}

void
fab__packet_arbiters_init (FabPackets *packets)
{
  packets->arbiters = g_array_new (FALSE, TRUE, sizeof (Arbiter));
  for (guint32 l = 0; l < packets->n_links; l++)
    {
      const FabQos *qos = packets->links[l].n_lanes > 1 ? fab__packet_qos (packets, l) : NULL;
      Arbiter arbiter = { .qos = qos };
      guint n;

      if (qos == NULL)
        continue;
      arbiter.high_left = limit_of (qos);
      for (guint high = 0; high < 2; high++)
        {
          const FabVlArbEntry *table = table_of (qos, high, &n);

          arbiter.left[high] = n > 0 ? table[0].weight : 0;
        }
      packets->links[l].arbiter = packets->arbiters->len;
      g_array_append_val (packets->arbiters, arbiter);
    }
}

static guint32
lane_of_vl (const FabPackets *packets, guint32 link, guint vl)
{
  const FabPacketLinkRow *row = &packets->links[link];

  for (guint32 i = 0; i < row->n_lanes; i++)
    if (packets->lanes[row->first_lane + i].vl == vl)
      return i;
  return FAB_NONE;
}

static gboolean
may_send (Decision *decision, guint32 i)
{
  Choice *choice = &decision->choices[i];
  guint32 lane = decision->packets->links[decision->link].first_lane + i;

  if (!choice->asked)
    {
      choice->asked = TRUE;
      choice->queue = decision->packets->lanes[lane].last_queue == FAB_NONE
                        ? FAB_NONE : fab__packet_choose_queue (decision->packets, lane, &choice->before, &decision->retry_ps);
    }
  return choice->queue != FAB_NONE;
}

/* The lane whose turn it is in a table; FAB_NONE: none of its lanes may send. An entry without weight is not there. */
static guint32
turn (Decision *decision, Arbiter *arbiter, guint high)
{
  guint n;
  const FabVlArbEntry *table = table_of (arbiter->qos, high, &n);

  for (guint i = 0; i <= n && n > 0; i++)
    {
      guint32 lane = arbiter->left[high] > 0 ? lane_of_vl (decision->packets, decision->link, table[arbiter->at[high]].vl) : FAB_NONE;

      if (lane != FAB_NONE && may_send (decision, lane))
        return lane;
      arbiter->at[high] = (arbiter->at[high] + 1) % n;
      arbiter->left[high] = table[arbiter->at[high]].weight;
    }
  return FAB_NONE;
}

static gint32
units_of (const Decision *decision, guint32 lane)
{
  const FabPackets *packets = decision->packets;
  const FabPacketQueue *queue = &packets->queues[decision->choices[lane].queue];

  return (gint32) fab__packet_blocks (&packets->links[decision->link], packets->packets[queue->head].payload_bytes);
}

static guint32
decide (Decision *decision, Arbiter *arbiter)
{
  gboolean unlimited = arbiter->qos->high_limit == NO_LIMIT;
  guint32 lane = unlimited || arbiter->high_left > 0 ? turn (decision, arbiter, 1) : FAB_NONE;

  if (lane == FAB_NONE)
    {
      lane = turn (decision, arbiter, 0);
      if (lane != FAB_NONE)
        {
          arbiter->high_left = limit_of (arbiter->qos);
          arbiter->left[0] -= units_of (decision, lane);
          return lane;
        }
      lane = turn (decision, arbiter, 1);   /* low had its chance and nothing to send */
      if (lane != FAB_NONE && arbiter->high_left <= 0)
        arbiter->high_left = limit_of (arbiter->qos);
    }
  if (lane != FAB_NONE)
    {
      arbiter->left[1] -= units_of (decision, lane);
      arbiter->high_left -= units_of (decision, lane);
    }
  return lane;
}

guint32
fab__packet_arbitrate (FabPackets *packets, guint32 link, guint32 *lane, guint32 *before, gint64 *retry_ps)
{
  Decision decision = { .packets = packets, .link = link, .retry_ps = *retry_ps };
  guint32 chosen = decide (&decision, &g_array_index (packets->arbiters, Arbiter, packets->links[link].arbiter));

  *retry_ps = decision.retry_ps;
  if (chosen == FAB_NONE)
    return FAB_NONE;
  *lane = packets->links[link].first_lane + chosen;
  *before = decision.choices[chosen].before;
  return decision.choices[chosen].queue;
}
