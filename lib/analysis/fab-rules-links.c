/* fab-rules-links.c: ports, slots and cables */
#include "analysis/fab-rule-private.h"

/* ---- what the rules walk over ---- */

/* The cable specs of all planes, named as the file names them. */
typedef void (*CableFunc) (const FabRule *rule, FabCheck *check, const FabPlaneSpec *plane, const FabCableSpec *cable, const char *where,
                           gboolean between_switches);

static void
each_cable (const FabRule *rule, FabCheck *check, CableFunc func)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = &check->design->planes[p];
      const FabCableSpec *cables[] = { &plane->host_link, &plane->uplink, &plane->core_link };
      static const char *const names[] = { "host_link", "uplink", "core_link" };

      for (guint c = 0; c < G_N_ELEMENTS (cables); c++)
        {
          g_autofree char *where = g_strdup_printf ("planes.%s.%s", plane->name, names[c]);

          if (cables[c]->item != NULL && !(c == 2 && cables[2]->item == cables[1]->item))
            func (rule, check, plane, cables[c], where, c > 0);
        }
      for (guint l = 0; l < plane->n_own_links; l++)
        {
          g_autofree char *where = g_strdup_printf ("planes.%s.links.%u", plane->name, l);

          func (rule, check, plane, &plane->own_links[l].cable, where, FALSE);
        }
    }
}

static gboolean
is_copper (const FabPart *cable)
{
  const char *medium = fab__part_text (cable, "medium");

  return g_str_equal (medium, "dac") || g_str_equal (medium, "acc") || g_str_equal (medium, "twisted-pair");
}

/* The role's ports of a group on a plane, card by card. */
static const FabNodeRole *
role_of (const FabCheck *check, const FabPlaneSpec *plane, guint32 group)
{
  const FabNodeType *type = check->design->groups[group].type;

  for (guint r = 0; r < type->n_roles; r++)
    if (g_str_equal (type->roles[r].role, plane->role))
      return &type->roles[r];
  return NULL;
}

/* ---- NICs ---- */

static void
find_wrong_protocol (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = &check->design->planes[p];
      const char *protocol = fab_link_kind_name (plane->kind);

      for (guint g = 0; g < plane->n_groups; g++)
        {
          const FabNodeGroup *group = &check->design->groups[plane->groups[g]];
          const FabNodeRole *role = role_of (check, plane, plane->groups[g]);
          guint32 last = FAB_NONE;

          for (guint i = 0; role != NULL && i < role->n_ports; i++)
            {
              const FabNodeDevice *device = &group->type->devices[role->ports[i].device];
              const FabItem *own = fab__item_lookup (fab__item_lookup (group->item, "parts"), device->name);
              g_autofree char *nodes = fab__group_hostlist (group);
              g_autofree char *where = g_strdup_printf ("%s/%s", nodes, device->name);

              if (role->ports[i].device == last || fab__part_lists (device->part, "protocols", protocol))
                continue;
              last = role->ports[i].device;
              fab__check_add (check, rule, own != NULL ? own : group->item, where, "%s cannot speak %s, which plane %s needs (%s)",
                              fab__part_name (device->part), protocol, plane->name, fab__part_summary (device->part));
            }
        }
    }
}

static void
find_wrong_port_speed (const FabRule *rule, FabCheck *check)
{
  for (guint p = 0; p < check->design->n_planes; p++)
    {
      const FabPlaneSpec *plane = &check->design->planes[p];
      const char *speed = plane->host_link.speed != NULL ? fab__part_name (plane->host_link.speed) : NULL;

      for (guint g = 0; speed != NULL && g < plane->n_groups; g++)
        {
          const FabNodeGroup *group = &check->design->groups[plane->groups[g]];
          const FabNodeRole *role = role_of (check, plane, plane->groups[g]);
          const FabNodeDevice *device = role != NULL && role->n_ports > 0 ? &group->type->devices[role->ports[0].device] : NULL;
          g_autofree char *where = NULL;

          if (device == NULL || fab__part_lists (device->part, "speeds", speed) || !fab__part_lists (device->part, "protocols", fab_link_kind_name (plane->kind)))
            continue;
          where = g_strdup_printf ("planes.%s.host_link", plane->name);
          fab__check_add (check, rule, plane->host_link.item, where, "%s of %s does not run at %s", fab__part_name (device->part), group->name, speed);
        }
    }
}

static void
find_switch_speed (const FabRule *rule, FabCheck *check)
{
  for (guint32 p = 0; p < fab_topology_n_planes (check->topology); p++)
    {
      const FabPlane *plane = fab_topology_plane (check->topology, p);
      g_autoptr (GHashTable) said = g_hash_table_new (g_str_hash, g_str_equal);

      for (guint32 l = 0; l < fab_topology_n_links (check->topology); l++)
        {
          const FabLink *link = fab_topology_link (check->topology, l);
          const FabDevice *device = fab_topology_device (check->topology, link->from_device);
          const FabPart *part = device->kind == FAB_DEVICE_SWITCH ? fab__check_part (check, FAB_PART_SWITCH, device->part) : NULL;
          g_autofree char *address = NULL;

          if (link->plane != p || part == NULL || fab__part_lists (part, "speeds", link->speed) || !g_hash_table_add (said, (gpointer) (gsize) device->part))
            continue;
          address = fab_topology_device_address (check->topology, link->from_device);
          fab__check_add (check, rule, check->design->planes[p].item, address, "%s of plane %s does not run at %s", device->part, plane->name, link->speed);
        }
    }
}

/* ---- slots ---- */

/* The goodput of a card's slot: the one link that leads into the node. */
static const FabLink *
slot_of (const FabTopology *topology, const FabDevice *nic)
{
  for (guint32 p = nic->first_port; p < nic->first_port + nic->n_ports; p++)
    {
      guint32 link = fab_topology_port (topology, p)->link;

      if (link != FAB_NONE && fab_topology_link (topology, link)->kind == FAB_LINK_NIC)
        return fab_topology_link (topology, link);
    }
  return NULL;
}

static void
find_narrow_slot (const FabRule *rule, FabCheck *check)
{
  g_autoptr (GHashTable) said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 d = 0; d < fab_topology_n_devices (check->topology); d++)
    {
      const FabDevice *nic = fab_topology_device (check->topology, d);
      const FabLink *slot = nic->kind == FAB_DEVICE_NIC ? slot_of (check->topology, nic) : NULL;
      const FabNode *node = nic->node != FAB_NONE ? fab_topology_node (check->topology, nic->node) : NULL;
      char ports_text[G_ASCII_DTOSTR_BUF_SIZE], slot_text[G_ASCII_DTOSTR_BUF_SIZE];
      guint64 ports_bps = 0;
      guint n_ports = 0;
      g_autofree char *nodes = NULL;
      g_autofree char *where = NULL;

      for (guint32 p = nic->first_port; slot != NULL && p < nic->first_port + nic->n_ports; p++)
        {
          guint32 link = fab_topology_port (check->topology, p)->link;

          if (link == FAB_NONE || fab_topology_link (check->topology, link)->plane == FAB_NONE)
            continue;
          ports_bps += fab_topology_link (check->topology, link)->goodput_bps;
          n_ports++;
        }
      if (slot == NULL || ports_bps <= slot->goodput_bps
          || !g_hash_table_add (said, g_strdup_printf ("%s/%s", check->design->groups[node->group].name, nic->name)))
        continue;
      nodes = fab__group_hostlist (&check->design->groups[node->group]);
      where = g_strdup_printf ("%s/%s", nodes, nic->name);
      fab__check_add (check, rule, check->design->groups[node->group].item, where, "%u port%s bring %s GB/s, the %s slot carries %s", n_ports,
                      n_ports == 1 ? "" : "s", g_ascii_formatd (ports_text, sizeof ports_text, "%.1f", (double) ports_bps / 8e9), slot->speed,
                      g_ascii_formatd (slot_text, sizeof slot_text, "%.1f", (double) slot->goodput_bps / 8e9));
    }
}

/* ---- cables ---- */

static void
beyond_reach (const FabRule *rule, FabCheck *check, const FabCableSpec *cable, const char *where, gboolean copper)
{
  guint64 reach_mm = cable->cable != NULL ? fab__part_value (cable->cable, "reach", 0) : 0;
  g_autofree char *length = fab_units_format (cable->length_mm, FAB_UNIT_LENGTH);
  g_autofree char *reach = fab_units_format (reach_mm, FAB_UNIT_LENGTH);

  if (reach_mm > 0 && cable->length_mm > reach_mm && is_copper (cable->cable) == copper)
    fab__check_add (check, rule, cable->item, where, "%s is %s long, %s reaches %s", where, length, fab__part_name (cable->cable), reach);
}

static void
copper_reach (const FabRule *rule, FabCheck *check, const FabPlaneSpec *plane, const FabCableSpec *cable, const char *where, gboolean between_switches)
{
  beyond_reach (rule, check, cable, where, TRUE);
}

static void
find_copper_reach (const FabRule *rule, FabCheck *check)
{
  each_cable (rule, check, copper_reach);
}

static void
optics_reach (const FabRule *rule, FabCheck *check, const FabPlaneSpec *plane, const FabCableSpec *cable, const char *where, gboolean between_switches)
{
  beyond_reach (rule, check, cable, where, FALSE);
}

static void
find_optics_reach (const FabRule *rule, FabCheck *check)
{
  each_cable (rule, check, optics_reach);
}

static void
cable_speed (const FabRule *rule, FabCheck *check, const FabPlaneSpec *plane, const FabCableSpec *cable, const char *where, gboolean between_switches)
{
  if (cable->cable != NULL && !fab__part_lists (cable->cable, "speeds", fab__part_name (cable->speed)))
    fab__check_add (check, rule, cable->item, where, "%s does not carry %s", fab__part_name (cable->cable), fab__part_name (cable->speed));
}

static void
find_cable_speed (const FabRule *rule, FabCheck *check)
{
  each_cable (rule, check, cable_speed);
}

static void
aoc_at_ndr (const FabRule *rule, FabCheck *check, const FabPlaneSpec *plane, const FabCableSpec *cable, const char *where, gboolean between_switches)
{
  guint64 lane_bps = fab__part_value (cable->speed, "lane_rate", 0);

  if (cable->cable != NULL && g_strcmp0 (fab__part_text (cable->cable, "medium"), "aoc") == 0 && lane_bps >= G_GUINT64_CONSTANT (100000000000)
      && plane->kind == FAB_LINK_INFINIBAND)
    fab__check_add (check, rule, cable->item, where, "%s at %s", fab__part_name (cable->cable), fab__part_name (cable->speed));
}

static void
find_aoc (const FabRule *rule, FabCheck *check)
{
  each_cable (rule, check, aoc_at_ndr);
}

static void
no_length (const FabRule *rule, FabCheck *check, const FabPlaneSpec *plane, const FabCableSpec *cable, const char *where, gboolean between_switches)
{
  if (plane->kind == FAB_LINK_INFINIBAND && (cable->cable == NULL || cable->length_mm == 0))
    fab__check_add (check, rule, cable->item, where, "no %s given", cable->cable == NULL ? "cable" : "length");
}

static void
find_no_length (const FabRule *rule, FabCheck *check)
{
  each_cable (rule, check, no_length);
}

/* ---- copper and racks ---- */

static guint64
node_power_mw (const FabCheck *check, const FabNode *node)
{
  guint64 power_mw = 0;

  for (guint32 d = node->first_device; d < node->first_device + node->n_devices; d++)
    {
      const FabDevice *device = fab_topology_device (check->topology, d);
      const FabPart *gpu = device->kind == FAB_DEVICE_GPU ? fab__check_part (check, FAB_PART_GPU, device->part) : NULL;

      power_mw += gpu != NULL ? fab__part_value (gpu, "power", 0) : 0;
    }
  return power_mw;
}

/* The GPU power of the nodes that hang on @device by copper. */
static guint64
copper_power_mw (const FabCheck *check, const FabDevice *device, guint *n_nodes)
{
  g_autoptr (GHashTable) nodes = g_hash_table_new (NULL, NULL);
  guint64 power_mw = 0;

  for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
    {
      guint32 row = fab_topology_port (check->topology, p)->link;
      const FabLink *link = row != FAB_NONE ? fab_topology_link (check->topology, row) : NULL;
      const FabPart *cable = link != NULL ? fab__check_part (check, FAB_PART_CABLE, link->cable) : NULL;
      guint32 node = link != NULL ? fab_topology_device (check->topology, link->to_device)->node : FAB_NONE;

      if (cable == NULL || node == FAB_NONE || g_strcmp0 (fab__part_text (cable, "medium"), "dac") != 0 || !g_hash_table_add (nodes, GUINT_TO_POINTER (node + 1)))
        continue;
      power_mw += node_power_mw (check, fab_topology_node (check->topology, node));
    }
  *n_nodes = g_hash_table_size (nodes);
  return power_mw;
}

static void
find_copper_racks (const FabRule *rule, FabCheck *check)
{
  const FabPart *rack = fab__check_part (check, FAB_PART_RACK, "rack");
  guint64 holds_mw = rack != NULL ? fab__part_value (rack, "power", 0) * fab__part_value (rack, "copper_racks", 0) : 0;

  for (guint32 p = 0; p < fab_topology_n_planes (check->topology); p++)
    {
      const FabPlane *plane = fab_topology_plane (check->topology, p);
      const FabPlaneSpec *spec = &check->design->planes[p];
      guint64 worst_mw = 0;
      guint n_worst = 0;
      g_autofree char *where = g_strdup_printf ("planes.%s.host_link", plane->name);

      for (guint32 s = plane->first_switch; plane->n_switches > 0 && s < plane->first_switch + plane->n_switches; s++)
        {
          guint n_nodes;
          guint64 power_mw = copper_power_mw (check, fab_topology_device (check->topology, s), &n_nodes);

          if (power_mw <= worst_mw)
            continue;
          worst_mw = power_mw;
          n_worst = n_nodes;
        }
      if (holds_mw > 0 && worst_mw > holds_mw)
        fab__check_add (check, rule, spec->host_link.item, where,
                        "%u nodes with %.0f kW of GPUs hang on one switch by passive copper; the racks it reaches hold about %.0f kW", n_worst,
                        (double) worst_mw / 1e6, (double) holds_mw / 1e6);
    }
}

const FabRule fab__rules_links[] = {
  { "FAB001", FAB_SEVERITY_ERROR, "a NIC that cannot speak its plane's protocol",
    "ConnectX-6 Dx, ConnectX-6 Lx and Ethernet-only ConnectX-7 kinds have no InfiniBand mode: LINK_TYPE=1 cannot take, and the port never gets a LID.",
    "use a VPI card (ConnectX-7 VPI, ConnectX-6 VPI) for this plane, or make the plane Ethernet", find_wrong_protocol },
  { "FAB002", FAB_SEVERITY_WARNING, "a slot narrower than the card's ports together",
    "The ports share the slot: a dual-port 200G card on Gen4 x16 gets about 230 of 400 Gb/s.",
    "put the card into a faster slot, or count on the slot's rate", find_narrow_slot },
  { "FAB003", FAB_SEVERITY_WARNING, "copper longer than it is made",
    "Passive copper ends at 2 to 3 m at these lane rates; longer pieces are not sold or do not train.",
    "shorten it, or use optics", find_copper_reach },
  { "FAB004", FAB_SEVERITY_ERROR, "optics longer than they reach",
    "Beyond its reach the link trains with errors, or not at all.",
    "use single-mode optics, or shorten the run", find_optics_reach },
  { "FAB005", FAB_SEVERITY_ERROR, "a cable that does not carry its link's speed",
    "The link comes up slower, or not at all.",
    "choose a cable listed for the speed: `fabsim catalog cable`", find_cable_speed },
  { "FAB006", FAB_SEVERITY_WARNING, "active optical cable at 100G a lane",
    "NVIDIA's NDR cabling goes by copper and by transceivers with fibre; its DGX SuperPOD cabling guide calls AOC not practical for NDR.",
    "use twin-port transceivers with fibre (mma4z00, mms4x00) or copper within its reach", find_aoc },
  { "FAB007", FAB_SEVERITY_ERROR, "a NIC port that does not run at its link's speed",
    "The link settles at a speed both ends have, or stays down.",
    "choose a speed the card lists, or another card", find_wrong_port_speed },
  { "FAB008", FAB_SEVERITY_WARNING, "more powered nodes on one switch by passive copper than stand within its reach",
    "Racks are limited by power: nodes that cannot stand beside the switch cannot be reached by 3 m of copper.",
    "use transceivers with splitter fibre (mma4z00-split) for the host links, or more leaves", find_copper_racks },
  { "FAB009", FAB_SEVERITY_NOTE, "an InfiniBand cable without kind or length",
    "Its propagation and FEC latency count as zero.",
    "say cable: and length:", find_no_length },
  { "FAB014", FAB_SEVERITY_ERROR, "a switch that does not run at its link's speed",
    "The link settles at a speed both ends have, or stays down.",
    "choose a speed the switch lists, or another switch", find_switch_speed },
  { NULL, 0, NULL, NULL, NULL, NULL },
};
