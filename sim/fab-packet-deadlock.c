/* fab-packet-deadlock.c: lanes that wait for each other's buffers, once nothing moves any more */
#include "fab-packet-private.h"
#include <string.h>

/* For each lane one that a packet in its receiver's buffer waits for. When nothing moves, any one will do: all of them stand still. */
static guint32 *
waits_for (const FabPackets *packets)
{
  guint32 *next = g_new (guint32, MAX (packets->n_lanes, 1));

  memset (next, 0xff, sizeof (guint32) * packets->n_lanes);
  for (guint32 q = packets->n_queues; q-- > 0;)
    {
      const FabPacketQueue *queue = &packets->queues[q];

      if (queue->head != FAB_NONE && queue->in_lane != FAB_NONE)
        next[queue->in_lane] = queue->lane;
    }
  return next;
}

gboolean
fab__packet_find_deadlock (FabPackets *packets)
{
  g_autofree guint32 *next = waits_for (packets);
  g_autofree guint32 *seen = g_new0 (guint32, MAX (packets->n_lanes, 1));
  g_autoptr (GArray) cycle = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 found = FAB_NONE;

  for (guint32 l = 0; l < packets->n_lanes && found == FAB_NONE; l++)
    {
      guint32 at = l;

      for (; at != FAB_NONE && seen[at] == 0; at = next[at])
        seen[at] = l + 1;
      if (at != FAB_NONE && seen[at] == l + 1)
        found = at;
    }
  if (found == FAB_NONE)
    return FALSE;
  for (guint32 at = found; cycle->len == 0 || at != found; at = next[at])
    g_array_append_val (cycle, packets->lanes[at].link);
  packets->result->n_deadlock = cycle->len;
  g_free (packets->result->deadlock);
  packets->result->deadlock = (guint32 *) (void *) g_array_free (g_steal_pointer (&cycle), FALSE);
  return TRUE;
}
