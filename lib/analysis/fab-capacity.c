/* fab-capacity.c: counting a plane's ports, and how far it grows */
#include "analysis/fab-capacity-private.h"
#include "base/fab-wide-private.h"
#include <math.h>

/* Counts of one switch, in full ports × 16 so that halves and quarters stay whole. */
typedef struct
{
  guint64 down_bps, up_bps;
  guint   sixteenths;
} SwitchUse;

#define WHOLE 16u

static const FabPart *
part_of (const FabDesign *design, const FabDevice *device)
{
  return fab__catalog_lookup (design->catalog, FAB_PART_SWITCH, device->part);
}

/* The part of a full port that a link takes: NDR200 half of an NDR port, anything else all of it. */
static guint
sixteenths_of (const FabDesign *design, const FabPart *part, const FabLink *link)
{
  const FabPart *speed = fab__catalog_lookup (design->catalog, FAB_PART_SPEED, link->speed);
  const char *whole = speed != NULL ? fab__part_text (speed, "port") : NULL;

  if (whole == NULL || part == NULL || g_strcmp0 (whole, fab__part_text (part, "speed")) != 0)
    return WHOLE;
  return (guint) (WHOLE * fab__part_value (speed, "lanes", 4) / 4);
}

static void
use_switch (const FabDesign *design, const FabTopology *topology, const FabFaults *faults, const FabDevice *device, SwitchUse *use)
{
  *use = (SwitchUse) { 0 };
  for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
    {
      guint32 row = fab_topology_port (topology, p)->link;
      const FabLink *link = row != FAB_NONE ? fab_topology_link (topology, row) : NULL;
      const FabDevice *peer = link != NULL ? fab_topology_device (topology, link->to_device) : NULL;

      if (link == NULL)
        continue;
      use->sixteenths += sixteenths_of (design, part_of (design, device), link);   /* a cable that is down still takes its port */
      if (fab_faults_link_down (faults, row))
        continue;
      if (peer->kind != FAB_DEVICE_SWITCH || peer->tier < device->tier)
        use->down_bps += link->rate_bps;
      else
        use->up_bps += link->rate_bps;
    }
}

/* a is more oversubscribed than b: a.down / a.up > b.down / b.up, without dividing. */
static gboolean
is_worse (const SwitchUse *a, const FabTier *b)
{
  if ((a->up_bps == 0) != (b->up_bps == 0))
    return a->up_bps == 0 && a->down_bps > 0;
  if (a->up_bps == 0)
    return a->down_bps > b->down_bps;
  return (FabWide) a->down_bps * b->up_bps > (FabWide) b->down_bps * a->up_bps;
}

static void
count_switch (const FabDesign *design, const FabTopology *topology, const FabFaults *faults, guint32 row, FabCapacity *capacity)
{
  const FabDevice *device = fab_topology_device (topology, row);
  FabTier *tier = &capacity->tiers[MIN (device->tier, FAB_MAX_TIERS - 1)];
  const FabPart *part = part_of (design, device);
  SwitchUse use;

  use_switch (design, topology, faults, device, &use);
  if (fab_faults_device_down (faults, row))
    return;
  if (tier->n_switches++ > 0 && !is_worse (&use, tier))
    return;
  tier->part = part;
  tier->down_bps = use.down_bps;
  tier->up_bps = use.up_bps;
  tier->ports_used = (use.sixteenths + WHOLE - 1) / WHOLE;
  if (part == NULL)
    return;
  tier->ports_total = (guint) fab__part_value (part, "ports", 0);
  if (fab__part_lookup (part, "ports_per_cage") != NULL)
    {
      guint per_cage = (guint) MAX (fab__part_value (part, "ports_per_cage", 1), 1);

      tier->cages_used = (tier->ports_used + per_cage - 1) / per_cage;
    }
}

static void
count_cables (const FabTopology *topology, guint32 plane, FabCapacity *capacity)
{
  for (guint32 l = 0; l < fab_topology_n_links (topology); l += 2)
    {
      const FabLink *link = fab_topology_link (topology, l);

      if (link->plane != plane)
        continue;
      if (fab_topology_device (topology, link->from_device)->kind == FAB_DEVICE_SWITCH
          && fab_topology_device (topology, link->to_device)->kind == FAB_DEVICE_SWITCH)
        capacity->n_switch_links++;
      else
        capacity->n_host_links++;
    }
}

void
fab__capacity_count (const FabDesign *design, const FabTopology *topology, const FabFaults *faults, guint32 plane, FabCapacity *capacity)
{
  const FabPlane *row = fab_topology_plane (topology, plane);

  *capacity = (FabCapacity) { .n_tiers = MIN (row->n_tiers, FAB_MAX_TIERS) };
  for (guint32 s = row->first_switch; row->n_switches > 0 && s < row->first_switch + row->n_switches; s++)
    count_switch (design, topology, faults, s, capacity);
  count_cables (topology, plane, capacity);
  /* One LID a switch and 2^LMC a host port, as fab_subnet_new() gives them. */
  if (row->kind == FAB_LINK_INFINIBAND)
    capacity->n_lids = row->n_switches + (capacity->n_host_links << design->planes[plane].subnet.lmc);
}

double
fab__tier_oversubscription (const FabTier *tier)
{
  return tier->up_bps > 0 ? (double) tier->down_bps / (double) tier->up_bps : NAN;
}

const char *
fab__tier_name (guint tier)
{
  static const char *const names[FAB_MAX_TIERS] = { "leaf", "spine", "core", "tier4", "tier5", "tier6", "tier7", "tier8" };

  return names[MIN (tier, FAB_MAX_TIERS - 1)];
}

/* ---- growth ---- */

/* The numbers a rail's leaf is filled by. */
typedef struct
{
  guint64 host_bps, uplink_bps;
  guint64 down_now_bps, up_now_bps;        /* the ratio to keep */
  guint   host_sixteenths, uplink_sixteenths;
  guint   leaf_ports, spine_ports;
  guint   n_leaves, n_spines;
} Leaf;

static gboolean
keeps_ratio (const Leaf *leaf, guint64 hosts, guint64 uplinks)
{
  return (FabWide) hosts * leaf->host_bps * leaf->up_now_bps <= (FabWide) leaf->down_now_bps * uplinks * leaf->uplink_bps;
}

static guint
whole_ports (guint64 n, guint sixteenths)
{
  return (guint) ((n * sixteenths + WHOLE - 1) / WHOLE);
}

/* The most hosts a leaf takes beside @uplinks. */
static guint32
hosts_beside (const Leaf *leaf, guint uplinks)
{
  guint up_ports = whole_ports (uplinks, leaf->uplink_sixteenths);
  guint32 hosts;

  if (up_ports >= leaf->leaf_ports)
    return 0;
  hosts = (leaf->leaf_ports - up_ports) * WHOLE / leaf->host_sixteenths;
  while (hosts > 0 && !keeps_ratio (leaf, hosts, uplinks))
    hosts--;
  return hosts;
}

static gboolean
spines_take (const Leaf *leaf, guint uplinks)
{
  return whole_ports ((guint64) leaf->n_leaves * ((uplinks + leaf->n_spines - 1) / leaf->n_spines), leaf->uplink_sixteenths) <= leaf->spine_ports;
}

static const FabLink *
first_link (const FabTopology *topology, guint32 plane, gboolean between_switches)
{
  for (guint32 l = 0; l < fab_topology_n_links (topology); l += 2)
    {
      const FabLink *link = fab_topology_link (topology, l);
      gboolean switches = fab_topology_device (topology, link->from_device)->kind == FAB_DEVICE_SWITCH
                          && fab_topology_device (topology, link->to_device)->kind == FAB_DEVICE_SWITCH;

      if (link->plane == plane && switches == between_switches)
        return link;
    }
  return NULL;
}

static guint32
count_nodes (const FabTopology *topology, guint32 plane)
{
  g_autoptr (GHashTable) nodes = g_hash_table_new (NULL, NULL);

  for (guint32 p = 0; p < fab_topology_n_ports (topology); p++)
    {
      const FabPort *port = fab_topology_port (topology, p);

      if (port->plane == plane && port->rail != FAB_NONE)
        g_hash_table_add (nodes, GUINT_TO_POINTER (fab_topology_device (topology, port->device)->node + 1));
    }
  return g_hash_table_size (nodes);
}

void
fab__capacity_growth (const FabDesign *design, const FabTopology *topology, guint32 plane, const FabCapacity *capacity, FabGrowth *growth)
{
  const FabLink *host = first_link (topology, plane, FALSE), *uplink = first_link (topology, plane, TRUE);
  const FabTier *leaves = &capacity->tiers[0], *spines = &capacity->tiers[1];
  guint most_divided = 0;
  Leaf leaf;

  *growth = (FabGrowth) { .n_nodes = count_nodes (topology, plane) };
  /* One leaf a rail: every node adds one host port to every leaf. */
  if (!g_str_equal (fab_topology_plane (topology, plane)->family, "rail-optimized") || capacity->n_tiers != 2 || host == NULL || uplink == NULL
      || leaves->part == NULL || spines->part == NULL || (guint64) growth->n_nodes * leaves->n_switches != capacity->n_host_links)
    return;
  leaf = (Leaf) {
    .host_bps = host->rate_bps, .uplink_bps = uplink->rate_bps, .down_now_bps = leaves->down_bps, .up_now_bps = leaves->up_bps,
    .host_sixteenths = sixteenths_of (design, leaves->part, host), .uplink_sixteenths = sixteenths_of (design, leaves->part, uplink),
    .leaf_ports = leaves->ports_total, .spine_ports = spines->ports_total, .n_leaves = leaves->n_switches, .n_spines = spines->n_switches,
  };
  growth->known = TRUE;
  for (guint uplinks = 1; uplinks < leaf.leaf_ports * WHOLE / leaf.uplink_sixteenths; uplinks++)
    {
      guint32 hosts = spines_take (&leaf, uplinks) ? hosts_beside (&leaf, uplinks) : 0;

      growth->max_nodes_undivided = MAX (growth->max_nodes_undivided, hosts);
      if (uplinks % leaf.n_spines != 0 || hosts <= most_divided)
        continue;
      most_divided = hosts;
      growth->max_nodes = hosts;
      growth->uplinks_per_spine = uplinks / leaf.n_spines;
    }
}
