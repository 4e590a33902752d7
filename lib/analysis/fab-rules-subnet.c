/* fab-rules-subnet.c: partitions, lanes, buffers, LIDs and subnet managers */
#include "analysis/fab-rule-private.h"

static const FabPlaneSpec *
infiniband_plane (const FabCheck *check, guint p)
{
  return check->design->planes[p].kind == FAB_LINK_INFINIBAND ? &check->design->planes[p] : NULL;
}

/* ---- partitions ---- */

/* Limited members may talk to the full ones that another entry of the same key makes. */
static gboolean
meets_full_members (const FabSubnetSpec *subnet, guint16 pkey)
{
  for (guint i = 0; i < subnet->n_partitions; i++)
    if (fab_pkeys_match (pkey, subnet->partitions[i].pkey))
      return TRUE;
  return FALSE;
}

static void
find_limited_pkeys (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    for (guint i = 0; i < check->design->planes[p].subnet.n_partitions; i++)
      {
        const FabPartitionSpec *partition = &check->design->planes[p].subnet.partitions[i];
        g_autofree char *where = g_strdup_printf ("planes.%s.subnet.partitions.%u", check->design->planes[p].name, i);

        if (!meets_full_members (&check->design->planes[p].subnet, partition->pkey))
          fab__check_add (check, rule, partition->item, where, "PKey 0x%04x of partition %s makes limited members, which cannot talk to each other; full is 0x%04x",
                          partition->pkey, partition->name, partition->pkey | 0x8000);
      }
}

static void
find_foreign_partition (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    for (guint i = 0; i < check->design->planes[p].subnet.n_partitions; i++)
      {
        const FabPartitionSpec *partition = &check->design->planes[p].subnet.partitions[i];
        guint32 other = fab__design_lookup_plane (check->design, partition->name);
        g_autofree char *where = g_strdup_printf ("planes.%s.subnet.partitions.%u", check->design->planes[p].name, i);

        if (other != FAB_NONE && other != p)
          fab__check_add (check, rule, partition->item, where, "partition %s stands in the subnet of plane %s, while plane %s is physically apart", partition->name,
                          check->design->planes[p].name, partition->name);
      }
}

/* ---- LIDs ---- */

static void
find_too_many_lids (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      g_autofree char *where = g_strdup_printf ("planes.%s", check->design->planes[p].name);

      if (check->capacities[p].n_lids > FAB_SUBNET_MAX_UNICAST_LIDS)
        fab__check_add (check, rule, check->design->planes[p].item, where, "%u LIDs needed, a subnet has %u", check->capacities[p].n_lids,
                        FAB_SUBNET_MAX_UNICAST_LIDS);
    }
}

/* ---- subnet managers ---- */

static guint32
find_switch (const FabCheck *check, guint p, const char *name)
{
  const FabPlane *plane = fab_topology_plane (check->topology, p);

  for (guint32 s = plane->first_switch; plane->n_switches > 0 && s < plane->first_switch + plane->n_switches; s++)
    if (g_str_equal (fab_topology_device (check->topology, s)->name, name))
      return s;
  return FAB_NONE;
}

static void
find_no_manager (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = infiniband_plane (check, p);
      g_autofree char *where = g_strdup_printf ("planes.%s.subnet.sm", check->design->planes[p].name);

      if (plane != NULL && plane->subnet.n_sms == 0)
        fab__check_add (check, rule, plane->subnet.item != NULL ? plane->subnet.item : plane->item, where, "plane %s names no subnet manager", plane->name);
    }
}

static void
find_lone_manager (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = infiniband_plane (check, p);
      g_autofree char *where = g_strdup_printf ("planes.%s.subnet.sm", check->design->planes[p].name);

      if (plane != NULL && plane->subnet.n_sms == 1)
        fab__check_add (check, rule, plane->subnet.sms[0].item, where, "%s is the only subnet manager of plane %s", plane->subnet.sms[0].on, plane->name);
    }
}

static gboolean
is_node (const FabCheck *check, const char *name)
{
  return fab_topology_lookup_node (check->topology, name) != FAB_NONE;
}

static void
find_misplaced_manager (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    for (guint i = 0; i < check->design->planes[p].subnet.n_sms; i++)
      {
        const FabSmSpec *sm = &check->design->planes[p].subnet.sms[i];
        guint32 device = find_switch (check, p, sm->on);
        const FabPart *part = device != FAB_NONE ? fab__check_part (check, FAB_PART_SWITCH, fab_topology_device (check->topology, device)->part) : NULL;
        g_autofree char *where = g_strdup_printf ("planes.%s.subnet.sm.%u", check->design->planes[p].name, i);

        if (device == FAB_NONE && !is_node (check, sm->on))
          fab__check_add (check, rule, sm->item, where, "%s is neither a switch of plane %s nor a node", sm->on, check->design->planes[p].name);
        else if (part != NULL && fab__part_lookup (part, "sm_max_nodes") == NULL)
          fab__check_add (check, rule, sm->item, where, "%s is a %s, which has no subnet manager on board", sm->on, fab__part_name (part));
      }
}

static void
find_small_manager (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    for (guint i = 0; i < check->design->planes[p].subnet.n_sms; i++)
      {
        const FabSmSpec *sm = &check->design->planes[p].subnet.sms[i];
        guint32 device = find_switch (check, p, sm->on);
        const FabPart *part = device != FAB_NONE ? fab__check_part (check, FAB_PART_SWITCH, fab_topology_device (check->topology, device)->part) : NULL;
        guint64 limit = part != NULL ? fab__part_value (part, "sm_max_nodes", G_MAXUINT64) : G_MAXUINT64;
        g_autofree char *where = g_strdup_printf ("planes.%s.subnet.sm.%u", check->design->planes[p].name, i);

        if (check->capacities[p].n_host_links > limit)
          fab__check_add (check, rule, sm->item, where, "%u host ports on a subnet manager good for %" G_GUINT64_FORMAT, check->capacities[p].n_host_links, limit);
      }
}

/* ---- buffers ---- */

/* Cases of one kind of switch and cable are one cause. */
static void
each_receiver (const FabRule *rule, FabCheck *check, void (*func) (const FabRule *rule, FabCheck *check, const FabLink *link, guint64 buffer_bytes))
{
  g_autoptr (GHashTable) said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 l = 0; l < fab_topology_n_links (check->topology); l++)
    {
      const FabLink *link = fab_topology_link (check->topology, l);
      const FabDevice *to = fab_topology_device (check->topology, link->to_device);
      const FabPart *part = to->kind == FAB_DEVICE_SWITCH ? fab__check_part (check, FAB_PART_SWITCH, to->part) : NULL;
      guint64 buffer_bytes = part != NULL ? fab__part_value (part, "buffer_per_vl", 0) : 0;

      if (link->kind == FAB_LINK_INFINIBAND && buffer_bytes > 0
          && g_hash_table_add (said, g_strdup_printf ("%u %s %s %" G_GUINT64_FORMAT, link->plane, to->part, link->speed, link->length_mm)))
        func (rule, check, link, buffer_bytes);
    }
}

/* Credits count blocks of 64 bytes, and a packet needs all of its blocks before it may start. */
static guint64
packet_blocks_bytes (const FabCheck *check, const FabLink *link)
{
  const FabPlane *plane = fab_topology_plane (check->topology, link->plane);

  return ((guint64) plane->mtu_bytes + plane->header_bytes + 63) / 64 * 64;
}

static void
small_for_packet (const FabRule *rule, FabCheck *check, const FabLink *link, guint64 buffer_bytes)
{
  guint64 packet_bytes = packet_blocks_bytes (check, link);
  g_autofree char *where = g_strdup_printf ("planes.%s", fab_topology_plane (check->topology, link->plane)->name);

  if (buffer_bytes < packet_bytes)
    fab__check_add (check, rule, check->design->planes[link->plane].item, where,
                    "a full packet takes %" G_GUINT64_FORMAT " bytes of credit, %s grants a lane %" G_GUINT64_FORMAT ": it is never sent", packet_bytes,
                    fab_topology_device (check->topology, link->to_device)->part, buffer_bytes);
}

static void
find_buffer_below_packet (const FabRule *rule, FabCheck *check)
{
  each_receiver (rule, check, small_for_packet);
}

static void
small_for_round_trip (const FabRule *rule, FabCheck *check, const FabLink *link, guint64 buffer_bytes)
{
  guint64 packet_bytes = packet_blocks_bytes (check, link);
  /* What is in flight while a credit travels back, and two packets: one leaving, one arriving. */
  double needed_bytes = 2.0 * (double) link->latency_ps * 1e-12 * (double) link->rate_bps / 8 + 2.0 * (double) packet_bytes;
  g_autofree char *where = g_strdup_printf ("planes.%s", fab_topology_plane (check->topology, link->plane)->name);

  if (buffer_bytes >= packet_bytes && (double) buffer_bytes < needed_bytes)
    fab__check_add (check, rule, check->design->planes[link->plane].item, where,
                    "%s over %.0f m keeps %.0f bytes in flight, %s grants a lane %" G_GUINT64_FORMAT ": the link cannot fill", link->speed,
                    (double) link->length_mm / 1000, needed_bytes, fab_topology_device (check->topology, link->to_device)->part, buffer_bytes);
}

static void
find_buffer_below_round_trip (const FabRule *rule, FabCheck *check)
{
  each_receiver (rule, check, small_for_round_trip);
}

/* ---- lanes ---- */

/* OpenSM's own map reaches lane 14 whatever op_vls says, and is folded: only a map that the file gives asks for lanes. */
static void
find_lane_beyond (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = infiniband_plane (check, p);
      gboolean given = plane != NULL && fab__item_lookup (fab__item_lookup (plane->subnet.item, "qos"), "sl2vl") != NULL;
      guint n_vls = plane != NULL ? fab_qos_n_vls (&plane->subnet.qos) : 0;
      g_autofree char *where = g_strdup_printf ("planes.%s.subnet.qos", check->design->planes[p].name);

      for (guint sl = 0; given && sl < FAB_SUBNET_N_SLS; sl++)
        if (plane->subnet.qos.sl2vl[sl] >= n_vls && plane->subnet.qos.sl2vl[sl] != FAB_SUBNET_VL15)
          {
            fab__check_add (check, rule, plane->subnet.item, where, "SL %u goes to VL %u, but op_vls %u makes only VL 0–%u", sl, plane->subnet.qos.sl2vl[sl],
                            plane->subnet.qos.op_vls, n_vls - 1);
            break;
          }
    }
}

static void
find_dropped_workload (const FabRule *rule, FabCheck *check)
{
  for (guint w = 0; w < check->design->n_workloads; w++)
    {
      const FabWorkloadSpec *workload = &check->design->workloads[w];
      const FabPlaneSpec *plane = infiniband_plane (check, workload->plane);
      g_autofree char *where = g_strdup_printf ("workloads.%s", workload->name);

      if (plane != NULL && plane->subnet.qos.sl2vl[workload->sl] == FAB_SUBNET_VL15)
        fab__check_add (check, rule, workload->item, where, "SL %u of workload %s maps to VL15: every packet is dropped", workload->sl, workload->name);
    }
}

static void
find_firmware_qos (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = infiniband_plane (check, p);
      const FabPart *leaf = check->capacities[p].n_tiers > 0 ? check->capacities[p].tiers[0].part : NULL;
      gboolean zero_weight = FALSE;
      g_autofree char *where = g_strdup_printf ("planes.%s.subnet.qos", check->design->planes[p].name);

      if (plane == NULL || !plane->subnet.qos_given || leaf == NULL || g_strcmp0 (fab__part_text (leaf, "speed"), "NDR") != 0)
        continue;
      for (guint i = 0; i < plane->subnet.qos.n_low; i++)
        zero_weight |= plane->subnet.qos.low[i].weight == 0 && fab__item_lookup (fab__item_lookup (plane->subnet.item, "qos"), "vlarb_low") != NULL;
      if (plane->subnet.qos.high_limit > 0 || zero_weight)
        fab__check_add (check, rule, plane->subnet.item, where, "%s on %s", zero_weight ? "a weight of 0" : "high_limit", fab__part_name (leaf));
    }
}

/* ---- routing ---- */

static void
find_credit_loop (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = infiniband_plane (check, p);
      g_autoptr (FabRoutes) routes = NULL;
      g_autoptr (GArray) loop = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *where = NULL;

      if (plane == NULL || check->capacities[p].n_lids > FAB_SUBNET_MAX_UNICAST_LIDS)
        continue;
      routes = fab_design_build_routes (check->design, check->topology, NULL, p, &error);
      if (routes == NULL)
        {
          where = g_strdup_printf ("planes.%s.subnet.routing", plane->name);
          fab__check_add (check, rule, plane->subnet.item != NULL ? plane->subnet.item : plane->item, where, "it makes no tables here: %s", error->message);
          continue;
        }
      for (guint lane = 0; loop == NULL && lane < fab_routes_n_lanes (routes); lane++)
        loop = fab_routes_credit_loop (routes, NULL, lane);
      if (loop == NULL)
        continue;
      where = fab_topology_link_address (check->topology, g_array_index (loop, guint32, 0));
      fab__check_add (check, rule, plane->subnet.item != NULL ? plane->subnet.item : plane->item, where,
                      "%s routes leave a cycle of %u links that wait for each other", fab_routes_engine (routes), loop->len);
    }
}

static void
find_lmc_with_ftree (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = infiniband_plane (check, p);
      g_autofree char *where = g_strdup_printf ("planes.%s.subnet.lmc", check->design->planes[p].name);

      if (plane != NULL && plane->subnet.lmc > 0 && g_strcmp0 (plane->subnet.engine, "ftree") == 0)
        fab__check_add (check, rule, plane->subnet.item, where, "LMC %u with ftree", plane->subnet.lmc);
    }
}

const FabRule fab__rules_subnet[] = {
  { "FAB010", FAB_SEVERITY_ERROR, "a PKey without the full-membership bit",
    "Bit 15 clear is limited membership on the wire, and two limited members cannot talk; OpenSM's default membership is limited too.",
    "write the PKey with bit 15 (0x8100 for 0x0100), and full membership in OpenSM's partitions.conf", find_limited_pkeys },
  { "FAB011", FAB_SEVERITY_WARNING, "a partition for traffic that has a plane of its own",
    "Two designs at once: a PKey isolates membership, not bandwidth. On the same links and lane both traffics share credits and block each other.",
    "keep the plane apart and drop the partition, or share the links and give each traffic its own SL and VL", find_foreign_partition },
  { "FAB013", FAB_SEVERITY_ERROR, "more LIDs than a subnet has",
    "Unicast LIDs end at 0xBFFF.",
    "split the plane into subnets with routers between, or lower the LMC", find_too_many_lids },
  { "FAB015", FAB_SEVERITY_WARNING, "an InfiniBand plane without a subnet manager",
    "Without one no port gets a LID.",
    "name two: subnet: {sm: [{on: leaf1, priority: 14}, {on: leaf2, priority: 13}]}", find_no_manager },
  { "FAB016", FAB_SEVERITY_WARNING, "a single subnet manager",
    "While it is away nothing is routed around a failure, and nothing new joins.",
    "name a standby with a lower priority on another device", find_lone_manager },
  { "FAB017", FAB_SEVERITY_ERROR, "a subnet manager where none can run",
    "Unmanaged switches have none on board.",
    "put it on a managed switch of this plane, or on a node", find_misplaced_manager },
  { "FAB018", FAB_SEVERITY_WARNING, "more nodes than a switch's own subnet manager is good for",
    "Sweeps and rerouting take too long.",
    "run OpenSM (or UFM) on a server", find_small_manager },
  { "FAB019", FAB_SEVERITY_ERROR, "a receive buffer smaller than one packet",
    "A packet starts only when credits for all its 64-byte blocks are there: it never starts.",
    "lower the MTU, or give the lane more buffer", find_buffer_below_packet },
  { "FAB020", FAB_SEVERITY_WARNING, "a receive buffer smaller than bandwidth times round trip",
    "The sender runs out of credits before they come back: rate = buffer / round trip.",
    "shorter cables, fewer lanes in use, or a switch with more buffer", find_buffer_below_round_trip },
  { "FAB021", FAB_SEVERITY_ERROR, "a service level on a lane that is not there",
    "OpenSM keeps the low bits of the lane alone (opensm/osm_qos.c): the traffic lands on a lane it was meant to be kept apart from.",
    "raise op_vls, or map the SL to a lane there is", find_lane_beyond },
  { "FAB022", FAB_SEVERITY_WARNING, "arbitration that Quantum-2 firmware does not keep",
    "Quantum-2 firmware notes (31.2010 on) list as known: VL_HIGH_LIMIT has no effect, and weight 0 misbehaves.",
    "use the low-priority table alone, with weights above 0", find_firmware_qos },
  { "FAB023", FAB_SEVERITY_ERROR, "a workload whose packets are dropped",
    "SL→VL15 means drop: VL15 carries management packets only.",
    "map the SL to a data lane, or give the workload another SL", find_dropped_workload },
  { "FAB024", FAB_SEVERITY_ERROR, "a routing engine that leaves a credit loop, or cannot route the plane",
    "Each link of the cycle can hold packets that wait for credits of the next: under load the fabric deadlocks until timers drop packets.",
    "route by updn, by ftree where the fabric is a fat tree, or by dfsssp with enough lanes; `fabsim route` names the cycle", find_credit_loop },
  { "FAB025", FAB_SEVERITY_WARNING, "an LMC with an engine that does not serve it",
    "OpenSM's ftree does not support LMC > 0 (man opensm).",
    "lmc: 0, or minhop or updn", find_lmc_with_ftree },
  { NULL, 0, NULL, NULL, NULL, NULL },
};
