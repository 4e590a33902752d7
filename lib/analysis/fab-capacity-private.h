/* fab-capacity-private.h - ports, rates and ratios of a plane, counted from its topology
 */
#pragma once
#include "design/fab-design-private.h"

G_BEGIN_DECLS

#define FAB_MAX_TIERS 8

/* One tier of switches. Rates are of one switch, the most oversubscribed of the tier. */
typedef struct
{
  guint32        n_switches;
  const FabPart *part;         /* of that switch */
  guint64        down_bps, up_bps;
  guint          ports_used, ports_total;   /* full-speed ports: two 200G halves are one */
  guint          cages_used;                /* 0: the catalog does not say */
} FabTier;

typedef struct
{
  FabTier tiers[FAB_MAX_TIERS];
  guint   n_tiers;
  guint32 n_host_links, n_switch_links;   /* cables */
  guint32 n_lids;                         /* 0 on Ethernet */
} FabCapacity;

/* How far a rail-optimized plane grows on the switches it has, its oversubscription now being the most it may have. */
typedef struct
{
  gboolean known;               /* the family has an answer */
  guint32  n_nodes, max_nodes;  /* now, and with uplinks that divide over the spines */
  guint    uplinks_per_spine;   /* then */
  guint32  max_nodes_undivided; /* with any number of uplinks */
} FabGrowth;

/* What is down carries nothing: @faults may be NULL. */
void fab__capacity_count  (const FabDesign *design, const FabTopology *topology, const FabFaults *faults, guint32 plane, FabCapacity *capacity);
void fab__capacity_growth (const FabDesign *design, const FabTopology *topology, guint32 plane, const FabCapacity *capacity, FabGrowth *growth);

/* down : up; NaN where nothing goes up. */
double fab__tier_oversubscription (const FabTier *tier);

/* "leaf", "spine", "core", "tier 4" … */
const char *fab__tier_name (guint tier);

G_END_DECLS
