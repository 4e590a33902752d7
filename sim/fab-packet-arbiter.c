/* fab-packet-arbiter.c: virtual lane arbitration in two levels, with weights and a limit on the high one
 *
 * InfiniBand architecture, volume 1, 7.6.9: each table is gone through in turn, an entry may send until its weight, in units of 64
 * bytes, is used up; whole packets, so the last may overdraw. High goes first until it has sent the high limit, × 4096 bytes, since
 * low last had its chance; 255 is no limit, 0 one packet. A lane that waits alone spends no weight.
 */
#include "fab-packet-private.h"
#include <string.h>

#define NO_LIMIT 255u
#define LIMIT_UNITS 64       /* of 64 bytes in 4096 */

enum { LOW, HIGH, N_TABLES };

/* Entries with weight, of lanes in use. */
typedef struct
{
  guint8 lane[64], weight[64];   /* lane: of the link, from 0 */
  guint  n;
} Table;

struct _FabPacketArbiters
{
  Table     (*tables)[N_TABLES];   /* one a plane */
  gint32     *limits;              /* one a plane: units of high before low; G_MAXINT32: no limit */
};

typedef struct
{
  FabPackets        *packets;
  const Table       *tables;
  FabPacketArbiter  *arbiter;
  guint32 first_lane;
  guint32 asked, can;              /* bits: lanes */
  guint32 queue[16], before[16];   /* of those that can */
  gint64  retry_ps;
} Decision;

static void
compile (Table *table, const FabVlArbEntry *entries, guint n, const guint8 *slots, guint n_vls)
{
  table->n = 0;
  for (guint i = 0; i < n; i++)
    if (entries[i].weight > 0 && entries[i].vl < n_vls && slots[entries[i].vl] != FAB_PACKET_NO_SLOT)
      {
        table->lane[table->n] = slots[entries[i].vl];
        table->weight[table->n++] = entries[i].weight;
      }
}

static gboolean
has_lane (const Table *table, guint lane)
{
  return memchr (table->lane, (int) lane, table->n) != NULL;
}

/* A lane in neither table would wait for ever, once another is in use. */
static gboolean
check_tables (const FabPackets *packets, guint32 plane, Table *tables, GError **error)
{
  for (guint vl = 0; vl < 16 && packets->n_slots[plane] > 1; vl++)
    {
      guint8 slot = packets->slots[16 * plane + vl];

      if (slot == FAB_PACKET_NO_SLOT || has_lane (&tables[LOW], slot) || has_lane (&tables[HIGH], slot))
        continue;
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "%s: VL%u: expected a weight in vlarb_high or vlarb_low; got none, so it could never send",
                   fab_topology_plane (packets->input->topology, plane)->name, vl);
      return FALSE;
    }
  return TRUE;
}

gboolean
fab__packet_arbiters_init (FabPackets *packets, GError **error)
{
  guint32 n_planes = fab_topology_n_planes (packets->input->topology);

  packets->arbiters = g_new0 (FabPacketArbiters, 1);
  packets->arbiters->tables = g_malloc0_n (n_planes + 1, sizeof *packets->arbiters->tables);
  packets->arbiters->limits = g_new0 (gint32, n_planes + 1);
  for (guint32 p = 0; p < n_planes; p++)
    {
      const FabQos *qos = fab__packet_qos (packets, p);

      if (qos == NULL || packets->n_slots[p] < 2)
        continue;
      compile (&packets->arbiters->tables[p][LOW], qos->low, qos->n_low, packets->slots + 16 * p, packets->n_vls[p]);
      compile (&packets->arbiters->tables[p][HIGH], qos->high, qos->n_high, packets->slots + 16 * p, packets->n_vls[p]);
      packets->arbiters->limits[p] = qos->high_limit == NO_LIMIT ? G_MAXINT32 : MAX ((gint32) qos->high_limit * LIMIT_UNITS, 1);
      if (!check_tables (packets, p, packets->arbiters->tables[p], error))
        return FALSE;
    }
  for (guint32 l = 0; l < packets->n_links; l++)
    {
      guint32 plane = fab_topology_link (packets->input->topology, l)->plane;
      const Table *tables = packets->links[l].n_lanes > 1 ? packets->arbiters->tables[plane] : NULL;

      if (tables != NULL)
        packets->links[l].arbiter = (FabPacketArbiter) {
          .left = { tables[LOW].weight[0], tables[HIGH].weight[0] }, .high_left = packets->arbiters->limits[plane], .plane = (guint16) plane,
        };
    }
  return TRUE;
}

void
fab__packet_arbiters_clear (FabPackets *packets)
{
  if (packets->arbiters == NULL)
    return;
  g_free (packets->arbiters->tables);
  g_free (packets->arbiters->limits);
  g_clear_pointer (&packets->arbiters, g_free);
}

/* ---- a decision ---- */

static inline gboolean
may_send (Decision *decision, guint i)
{
  if (!(decision->asked & (1u << i)))
    {
      decision->asked |= 1u << i;
      if (decision->packets->lanes[decision->first_lane + i].last_queue == FAB_NONE)
        return FALSE;
      decision->queue[i] = fab__packet_choose_queue (decision->packets, decision->first_lane + i, &decision->before[i], &decision->retry_ps);
      if (decision->queue[i] != FAB_NONE)
        decision->can |= 1u << i;
    }
  return (decision->can & (1u << i)) != 0;
}

/* The lane whose turn it is in a table; FAB_NONE: none of its lanes may send. */
static inline guint32
turn (Decision *decision, guint which)
{
  const Table *table = &decision->tables[which];
  guint at = decision->arbiter->at[which];

  if (table->n == 0)
    return FAB_NONE;
  if (decision->arbiter->left[which] > 0 && may_send (decision, table->lane[at]))
    return table->lane[at];
  for (guint i = 0; i < table->n; i++)
    {
      at = at + 1 < table->n ? at + 1 : 0;
      if (!may_send (decision, table->lane[at]))
        continue;
      decision->arbiter->at[which] = (guint8) at;
      decision->arbiter->left[which] = table->weight[at];
      return table->lane[at];
    }
  return FAB_NONE;
}

static inline gint32
units_of (const Decision *decision, const FabPacketLinkRow *link, guint32 lane)
{
  const FabPackets *packets = decision->packets;

  return (gint32) fab__packet_blocks (link, packets->packets[packets->queues[decision->queue[lane]].head].payload_bytes);
}

static guint32
decide (Decision *decision, const FabPacketLinkRow *link, gint32 limit)
{
  FabPacketArbiter *arbiter = decision->arbiter;
  guint32 lane = arbiter->high_left > 0 ? turn (decision, HIGH) : FAB_NONE;

  if (lane == FAB_NONE)
    {
      lane = turn (decision, LOW);
      arbiter->high_left = limit;   /* low has its chance now, used or not */
      if (lane != FAB_NONE)
        {
          arbiter->left[LOW] -= units_of (decision, link, lane);
          return lane;
        }
      lane = turn (decision, HIGH);
    }
  if (lane != FAB_NONE)
    {
      arbiter->left[HIGH] -= units_of (decision, link, lane);
      if (limit != G_MAXINT32)
        arbiter->high_left -= units_of (decision, link, lane);
    }
  return lane;
}

guint32
fab__packet_arbitrate (FabPackets *packets, guint32 link_row, guint32 *lane, guint32 *before, gint64 *retry_ps)
{
  FabPacketLinkRow *link = &packets->links[link_row];
  Decision decision;
  guint32 chosen;

  if (link->n_waiting == 1)
    {
      while (packets->lanes[*lane].last_queue == FAB_NONE)
        ++*lane;
      return fab__packet_choose_queue (packets, *lane, before, retry_ps);
    }
  decision.packets = packets;
  decision.tables = packets->arbiters->tables[link->arbiter.plane];
  decision.arbiter = &link->arbiter;
  decision.first_lane = link->first_lane;
  decision.asked = decision.can = 0;
  decision.retry_ps = *retry_ps;
  chosen = decide (&decision, link, packets->arbiters->limits[link->arbiter.plane]);
  *retry_ps = decision.retry_ps;
  if (chosen == FAB_NONE)
    return FAB_NONE;
  *lane = link->first_lane + chosen;
  *before = decision.before[chosen];
  return decision.queue[chosen];
}
