/* fab-arbitration.c: the two tables of VL arbitration as shares */
#include "subnet/fab-arbitration-private.h"

#define PACKET_BLOCKS 64      /* of 64 bytes: 4096 */
#define UNLIMITED     255
#define STARVED       1e-6

/* Packets an entry sends in its turn: weights are used up in whole packets. */
static guint
packets_of (const FabVlArbEntry *entry)
{
  return (entry->weight + PACKET_BLOCKS - 1) / PACKET_BLOCKS;
}

/* Packets of @vl a round of the table, and in @all those of all active lanes. */
static guint
count_packets (const FabVlArbEntry *entries, guint n, guint vl, guint active, guint *all)
{
  guint own = 0;

  *all = 0;
  for (guint i = 0; i < n; i++)
    {
      *all += active >> entries[i].vl & 1 ? packets_of (&entries[i]) : 0;
      own += entries[i].vl == vl ? packets_of (&entries[i]) : 0;
    }
  return own;
}

static double
weight_of (const FabQos *qos, guint vl, guint active)
{
  guint all_high, all_low;
  guint high = count_packets (qos->high, qos->n_high, vl, active, &all_high);
  guint low = count_packets (qos->low, qos->n_low, vl, active, &all_low);
  double high_part = MAX (qos->high_limit, 1), low_part = 1, weight = 0;

  if (all_high > 0 && qos->high_limit == UNLIMITED)
    low_part = STARVED;
  if (high > 0)
    weight += high_part * high / all_high;
  if (low > 0)
    weight += low_part * low / all_low;
  return weight > 0 ? weight : STARVED;
}

double
fab__qos_share (const FabQos *qos, guint vl, guint active)
{
  double sum = 0;

  for (guint other = 0; other < FAB_SUBNET_N_SLS; other++)
    if (active >> other & 1)
      sum += weight_of (qos, other, active);
  return weight_of (qos, vl, active) / sum;
}
