/* fab-packet-map.h - a row by a 64-bit key, found in one or two lines of memory
 *
 * Open addressing; nothing is ever taken out, and nothing iterates, so the order of rows is that in which they were put.
 */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

typedef struct { guint64 key; guint32 row, used; } FabPacketMapSlot;

typedef struct
{
  FabPacketMapSlot *slots;
  guint32 n, mask;       /* mask 0: none yet */
} FabPacketMap;

static inline guint32
fab__packet_map_at (const FabPacketMap *map, guint64 key)
{
  guint32 i = (guint32) ((key * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32) & map->mask;

  while (map->slots[i].used && map->slots[i].key != key)
    i = (i + 1) & map->mask;
  return i;
}

/* G_MAXUINT32: not there. */
static inline guint32
fab__packet_map_find (const FabPacketMap *map, guint64 key)
{
  guint32 i = map->mask != 0 ? fab__packet_map_at (map, key) : 0;

  return map->mask != 0 && map->slots[i].used ? map->slots[i].row : G_MAXUINT32;
}

static inline void
fab__packet_map_put (FabPacketMap *map, guint64 key, guint32 row)
{
  if (2 * map->n >= map->mask)
    {
      FabPacketMap old = *map;

      map->mask = MAX (2 * old.mask + 1, 63);
      map->slots = g_new0 (FabPacketMapSlot, (gsize) map->mask + 1);
      for (guint32 i = 0; old.mask != 0 && i <= old.mask; i++)
        if (old.slots[i].used)
          map->slots[fab__packet_map_at (map, old.slots[i].key)] = old.slots[i];
      g_free (old.slots);
    }
  map->slots[fab__packet_map_at (map, key)] = (FabPacketMapSlot) { .key = key, .row = row, .used = TRUE };
  map->n++;
}

G_END_DECLS
