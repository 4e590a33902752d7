/* fab-packet-adapt.c: adaptive routing: each packet takes the emptiest of the equal outputs, as it arrives
 *
 * The group of a switch and LID is fab_routes_group()'s; the last hop is no group. An output is judged by a coarse grade of what waits
 * for it, as switches do, so that ties are common: they are broken by chance, from the seed.
 */
#include "fab-packet-private.h"

#define MAX_GROUP 256u

typedef struct
{
  guint32 first, n;      /* into the group links */
} Group;

/* Of the ways over one plane to one NIC port. */
typedef struct
{
  const FabRoutes *routes;
  guint32 lid, nic;
  guint   vl;
} Way;

struct _FabPacketAdapt
{
  GArray      *ways;       /* Way */
  GArray      *groups;     /* Group */
  GArray      *links;      /* guint32, of groups */
  FabPacketMap way_of;     /* (plane and LID, VL) → way */
  FabPacketMap group_of;   /* (way's plane and LID, switch) → group */
  guint64      n_choices;
};

static FabPacketAdapt *
adapt_of (FabPackets *packets)
{
  if (packets->adapt == NULL)
    {
      packets->adapt = g_new0 (FabPacketAdapt, 1);
      packets->adapt->ways = g_array_new (FALSE, FALSE, sizeof (Way));
      packets->adapt->groups = g_array_new (FALSE, FALSE, sizeof (Group));
      packets->adapt->links = g_array_new (FALSE, FALSE, sizeof (guint32));
    }
  return packets->adapt;
}

void
fab__packet_adapt_clear (FabPackets *packets)
{
  if (packets->adapt == NULL)
    return;
  g_array_unref (packets->adapt->ways);
  g_array_unref (packets->adapt->groups);
  g_array_unref (packets->adapt->links);
  g_free (packets->adapt->way_of.slots);
  g_free (packets->adapt->group_of.slots);
  g_clear_pointer (&packets->adapt, g_free);
}

guint32
fab__packet_way (FabPackets *packets, guint32 plane, guint32 port, guint vl)
{
  FabPacketAdapt *adapt = adapt_of (packets);
  const FabRoutes *routes = packets->input->routes[plane];
  guint32 lid = fab_subnet_port_lid (fab_routes_subnet (routes), port), row;
  guint64 key = ((guint64) plane << 32 | lid) << 8 | vl;

  row = fab__packet_map_find (&adapt->way_of, key);
  if (row == FAB_NONE)
    {
      Way way = { .routes = routes, .lid = lid, .nic = fab_topology_port (packets->input->topology, port)->device, .vl = vl };

      row = adapt->ways->len;
      g_array_append_val (adapt->ways, way);
      fab__packet_map_put (&adapt->way_of, key, row);
    }
  return row;
}

/* The links of the group that are up. */
static const Group *
group_of (FabPackets *packets, guint32 way_row, guint32 device)
{
  FabPacketAdapt *adapt = packets->adapt;
  const Way *way = &g_array_index (adapt->ways, Way, way_row);
  guint64 key = (guint64) way_row << 32 | device;
  guint32 row = fab__packet_map_find (&adapt->group_of, key), links[MAX_GROUP];
  Group group = { .first = adapt->links->len };
  guint n;

  if (row != FAB_NONE)
    return &g_array_index (adapt->groups, Group, row);
  n = MIN (fab_routes_group (way->routes, device, way->lid, links, MAX_GROUP), MAX_GROUP);
  for (guint i = 0; i < n; i++)
    if (fab_faults_goodput_bps (packets->input->faults, packets->input->topology, links[i]) > 0)
      {
        g_array_append_val (adapt->links, links[i]);
        group.n++;
      }
  row = adapt->groups->len;
  g_array_append_val (adapt->groups, group);
  fab__packet_map_put (&adapt->group_of, key, row);
  return &g_array_index (adapt->groups, Group, row);
}

/* 0: free to send; then by what waits, in powers of four. */
static guint
grade (const FabPackets *packets, guint32 lane)
{
  const FabPacketLaneRow *row = &packets->lanes[lane];
  const FabPacketLinkRow *link = &packets->links[row->link];

  if (row->n_queued == 0)
    return link->free_ps <= packets->clock.now_ps && !row->starved ? 0 : 1;
  return row->n_queued < 4 ? 2 : row->n_queued < 16 ? 3 : 4;
}

static guint64
chance (FabPackets *packets)
{
  guint64 x = packets->input->seed + ++packets->adapt->n_choices * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

gboolean
fab__packet_is_there (const FabPackets *packets, guint32 way, guint32 link)
{
  return packets->adapt_to[link] == g_array_index (packets->adapt->ways, Way, way).nic;
}

/* The queue for @packet, which came in over @in_lane; FAB_NONE: no link of the group is up. */
guint32
fab__packet_choose_way (FabPackets *packets, guint32 way_row, guint32 in_lane)
{
  const Group *group = group_of (packets, way_row, packets->adapt_to[packets->lanes[in_lane].link]);
  guint vl = g_array_index (packets->adapt->ways, Way, way_row).vl, best_grade = G_MAXUINT, n_best = 0;
  guint64 draw = group->n > 1 ? chance (packets) : 0;
  guint32 best = FAB_NONE;

  for (guint i = 0; i < group->n; i++)
    {
      guint32 lane = fab__packet_lane (packets, g_array_index (packets->adapt->links, guint32, group->first + i), vl);
      guint g = grade (packets, lane);

      n_best = g < best_grade ? 1 : n_best + (g == best_grade);
      /* One of n equals with chance 1/n, as they come. */
      if (g < best_grade || (g == best_grade && (draw >> (8 * (i % 8)) & 0xff) * n_best < 256))
        best = lane;
      best_grade = MIN (g, best_grade);
    }
  return best != FAB_NONE ? fab__packet_queue (packets, in_lane, FAB_NONE, best) : FAB_NONE;
}
