/* fab-analysis-show.c: what the plan is, counted */
#include "analysis/fab-capacity-private.h"
#include "fab-analysis.h"
#include <math.h>

static const FabColumn design_columns[] = {
  { "name", "design", FAB_CELL_TEXT, "", "name of the design", 0 },
  { "design_sha256", "digest", FAB_CELL_TEXT, "", "SHA-256 of the file, its includes and settings", FAB_COLUMN_HIDDEN },
  { "catalog_sha256", "catalog", FAB_CELL_TEXT, "", "SHA-256 of the facts used", FAB_COLUMN_HIDDEN },
};

static const FabColumn inventory_columns[] = {
  { "gpus", "GPUs", FAB_CELL_COUNT, "", "GPUs", FAB_COLUMN_METRIC },
  { "nodes", "nodes with GPUs", FAB_CELL_COUNT, "", "nodes with GPUs", FAB_COLUMN_METRIC },
  { "other_nodes", "other nodes", FAB_CELL_COUNT, "", "nodes without GPUs: storage servers, plain hosts", FAB_COLUMN_METRIC },
  { "switches", "switches", FAB_CELL_COUNT, "", "switches of all planes", FAB_COLUMN_METRIC },
  { "cables", "cables", FAB_CELL_COUNT, "", "cables of all planes", FAB_COLUMN_METRIC },
  { "gpu_power_kw", "GPU power", FAB_CELL_NUMBER, "kW", "board power of all GPUs", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
};

static const FabColumn plane_columns[] = {
  { "link", "link", FAB_CELL_TEXT, "", "infiniband or ethernet", 0 },
  { "family", "family", FAB_CELL_TEXT, "", "generator of the topology", 0 },
  { "switches", "switches", FAB_CELL_COUNT, "", "switches of the plane", FAB_COLUMN_METRIC },
  { "lids", "LIDs", FAB_CELL_COUNT, "", "unicast LIDs in use: switches and host ports", FAB_COLUMN_METRIC },
  { "mtu_bytes", "MTU", FAB_CELL_SIZE, "B", "payload of a full packet", 0 },
};

static const FabColumn links_columns[] = {
  { "host", "host cables", FAB_CELL_COUNT, "", "links between nodes and switches", FAB_COLUMN_METRIC },
  { "interswitch", "switch cables", FAB_CELL_COUNT, "", "links between switches", FAB_COLUMN_METRIC },
};

static const FabColumn tier_columns[] = {
  { "name", "tier", FAB_CELL_TEXT, "", "leaf, spine or core", FAB_COLUMN_NAME },
  { "part", "switch", FAB_CELL_TEXT, "", "catalog name", 0 },
  { "switches", "count", FAB_CELL_COUNT, "", "switches of the tier", FAB_COLUMN_METRIC },
  { "down_gbps", "down", FAB_CELL_RATE, "Gb/s", "wire rate of one switch towards the nodes (the most oversubscribed one)", FAB_COLUMN_METRIC },
  { "up_gbps", "up", FAB_CELL_RATE, "Gb/s", "wire rate of that switch away from the nodes", FAB_COLUMN_METRIC },
  { "oversubscription", "down : up", FAB_CELL_NUMBER, "", "down over up; above 1 the tier is oversubscribed", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "ports_used", "ports used", FAB_CELL_COUNT, "", "full-speed ports of that switch in use, halves of split ports put together", FAB_COLUMN_METRIC },
  { "ports_total", "of", FAB_CELL_COUNT, "", "full-speed ports it has", FAB_COLUMN_METRIC },
  { "port_unit", "port", FAB_CELL_TEXT, "", "speed of a full port", 0 },
  { "cages_used", "cages", FAB_CELL_COUNT, "", "cages in use", FAB_COLUMN_METRIC },
};

static const FabColumn growth_columns[] = {
  { "max_nodes", "nodes at most", FAB_CELL_COUNT, "",
    "nodes these switches take at no more oversubscription than now, uplinks dividing over the spines", FAB_COLUMN_METRIC | FAB_COLUMN_HIGHER },
  { "more_nodes", "more than now", FAB_CELL_COUNT, "", "of which new", FAB_COLUMN_METRIC | FAB_COLUMN_HIGHER },
  { "uplinks_per_spine", "uplinks per spine", FAB_CELL_COUNT, "", "cables from each leaf to each spine then", FAB_COLUMN_METRIC },
  { "max_nodes_undivided", "with undivided uplinks", FAB_CELL_COUNT, "",
    "nodes at most if uplinks need not divide over the spines", FAB_COLUMN_METRIC | FAB_COLUMN_HIGHER },
};

static const FabColumn bill_columns[] = {
  { "plane", "plane", FAB_CELL_TEXT, "", "plane", 0 },
  { "cable", "cable", FAB_CELL_TEXT, "", "catalog name", 0 },
  { "speed", "speed", FAB_CELL_TEXT, "", "link speed", 0 },
  { "length_m", "length", FAB_CELL_NUMBER, "m", "length", 0 },
  { "count", "count", FAB_CELL_COUNT, "", "cables (a split cable counts once an end)", 0 },
};

#define TABLE(columns) fab_table_new (columns, G_N_ELEMENTS (columns))

/* ---- records ---- */

static void
add_design (FabAnswer *answer, const FabDesign *design)
{
  FabTable *table = TABLE (design_columns);

  fab_table_add_row (table);
  fab_table_set_text (table, "name", design->name);
  fab_table_set_text (table, "design_sha256", design->digest);
  fab_table_set_text (table, "catalog_sha256", fab_catalog_digest (design->catalog));
  fab_answer_add_record (answer, "design", NULL, table);
}

static double
gpu_power_kw (const FabDesign *design, const FabTopology *topology)
{
  guint32 n_gpus;
  const guint32 *gpus = fab_topology_gpus (topology, &n_gpus);
  guint64 power_mw = 0;

  for (guint32 i = 0; i < n_gpus; i++)
    {
      const FabPart *part = fab__catalog_lookup (design->catalog, FAB_PART_GPU, fab_topology_device (topology, gpus[i])->part);

      power_mw += part != NULL ? fab__part_value (part, "power", 0) : 0;
    }
  return (double) power_mw / 1e6;
}

static void
add_inventory (FabAnswer *answer, const FabDesign *design, const FabTopology *topology)
{
  FabTable *table = TABLE (inventory_columns);
  guint32 n_gpus, n_with = 0, n_switches = 0, n_cables = 0;

  fab_topology_gpus (topology, &n_gpus);
  for (guint32 n = 0; n < fab_topology_n_nodes (topology); n++)
    n_with += fab_topology_node (topology, n)->n_gpus > 0 ? 1 : 0;
  for (guint32 p = 0; p < fab_topology_n_planes (topology); p++)
    n_switches += fab_topology_plane (topology, p)->n_switches;
  for (guint32 l = 0; l < fab_topology_n_links (topology); l += 2)
    n_cables += fab_topology_link (topology, l)->plane != FAB_NONE ? 1 : 0;

  fab_table_add_row (table);
  fab_table_set_int (table, "gpus", n_gpus);
  fab_table_set_int (table, "nodes", n_with);
  fab_table_set_int (table, "other_nodes", fab_topology_n_nodes (topology) - n_with);
  fab_table_set_int (table, "switches", n_switches);
  fab_table_set_int (table, "cables", n_cables);
  fab_table_set_number (table, "gpu_power_kw", gpu_power_kw (design, topology));
  fab_answer_add_record (answer, "inventory", "Inventory", table);
}

/* ---- planes ---- */

static void
add_tiers (FabAnswer *answer, const char *path, const char *plane, const FabCapacity *capacity)
{
  g_autofree char *title = g_strdup_printf ("Plane %s: one switch of each tier", plane);
  FabTable *table = TABLE (tier_columns);

  for (guint t = 0; t < capacity->n_tiers; t++)
    {
      const FabTier *tier = &capacity->tiers[t];

      fab_table_add_row (table);
      fab_table_set_text (table, "name", fab__tier_name (t));
      fab_table_set_int (table, "switches", tier->n_switches);
      fab_table_set_int (table, "down_gbps", (gint64) tier->down_bps);
      fab_table_set_int (table, "up_gbps", (gint64) tier->up_bps);
      fab_table_set_number (table, "oversubscription", fab__tier_oversubscription (tier));
      fab_table_set_int (table, "ports_used", tier->ports_used);
      if (tier->part == NULL)
        continue;
      fab_table_set_text (table, "part", fab__part_name (tier->part));
      fab_table_set_int (table, "ports_total", tier->ports_total);
      fab_table_set_text (table, "port_unit", fab__part_text (tier->part, "speed"));
      if (tier->cages_used > 0)
        fab_table_set_int (table, "cages_used", tier->cages_used);
    }
  fab_answer_add_table (answer, path, title, table);
}

static void
add_links (FabAnswer *answer, const char *path, const FabCapacity *capacity)
{
  FabTable *table = TABLE (links_columns);

  fab_table_add_row (table);
  fab_table_set_int (table, "host", capacity->n_host_links);
  fab_table_set_int (table, "interswitch", capacity->n_switch_links);
  fab_answer_add_record (answer, path, NULL, table);
}

static void
add_growth (FabAnswer *answer, const char *path, const FabGrowth *growth)
{
  FabTable *table = TABLE (growth_columns);

  if (!growth->known)
    {
      fab_table_unref (table);
      return;
    }
  fab_table_add_row (table);
  fab_table_set_int (table, "max_nodes", growth->max_nodes);
  fab_table_set_int (table, "more_nodes", MAX ((gint64) growth->max_nodes - growth->n_nodes, 0));
  fab_table_set_int (table, "uplinks_per_spine", growth->uplinks_per_spine);
  fab_table_set_int (table, "max_nodes_undivided", growth->max_nodes_undivided);
  fab_answer_add_record (answer, path, NULL, table);
}

static void
add_plane_record (FabAnswer *answer, const char *path, const FabPlane *plane, const FabCapacity *capacity)
{
  FabTable *table = TABLE (plane_columns);

  fab_table_add_row (table);
  fab_table_set_text (table, "link", fab_link_kind_name (plane->kind));
  fab_table_set_text (table, "family", plane->family);
  fab_table_set_int (table, "switches", plane->n_switches);
  if (plane->kind == FAB_LINK_INFINIBAND)
    fab_table_set_int (table, "lids", capacity->n_lids);
  fab_table_set_int (table, "mtu_bytes", plane->mtu_bytes);
  fab_answer_add_record (answer, path, NULL, table);
}

static void
say_plane (FabAnswer *answer, const FabPlane *plane, const FabCapacity *capacity, const FabGrowth *growth)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "%s (%s): ", plane->name, fab_link_kind_name (plane->kind));
  for (guint t = 0; t < capacity->n_tiers; t++)
    {
      const FabTier *tier = &capacity->tiers[t];
      double ratio = fab__tier_oversubscription (tier);

      g_string_append_printf (text, "%s%u %s", t > 0 ? ", " : "", tier->n_switches, fab__tier_name (t));
      if (isfinite (ratio))
        {
          char digits[G_ASCII_DTOSTR_BUF_SIZE];

          g_string_append_printf (text, " at %s:1 (%" G_GUINT64_FORMAT " Gb/s down, %" G_GUINT64_FORMAT " up)",
                                  g_ascii_formatd (digits, sizeof digits, "%.4g", ratio), tier->down_bps / 1000000000, tier->up_bps / 1000000000);
        }
      if (tier->ports_total > 0)
        g_string_append_printf (text, " with %u of %u ports used", tier->ports_used, tier->ports_total);
    }
  g_string_append_c (text, '.');
  if (growth->known && growth->max_nodes > growth->n_nodes)
    g_string_append_printf (text, " Grows from %u to %u nodes at no more oversubscription, with %u uplinks to each spine%s.", growth->n_nodes,
                            growth->max_nodes, growth->uplinks_per_spine,
                            growth->max_nodes_undivided > growth->max_nodes ? " (a few more if uplinks need not divide over the spines)" : "");
  else if (growth->known)
    g_string_append (text, " It is full: these switches take no more nodes at this oversubscription.");
  fab_answer_say (answer, "%s", text->str);
}

static void
add_plane (FabAnswer *answer, const FabDesign *design, const FabTopology *topology, const FabFaults *faults, guint32 p)
{
  const FabPlane *plane = fab_topology_plane (topology, p);
  g_autofree char *path = g_strdup_printf ("planes.%s", plane->name);
  g_autofree char *tiers = g_strdup_printf ("%s.tiers", path);
  g_autofree char *links = g_strdup_printf ("%s.links", path);
  g_autofree char *growth_path = g_strdup_printf ("%s.growth", path);
  FabCapacity capacity;
  FabGrowth growth;

  fab__capacity_count (design, topology, faults, p, &capacity);
  fab__capacity_growth (design, topology, p, &capacity, &growth);
  say_plane (answer, plane, &capacity, &growth);
  add_plane_record (answer, path, plane, &capacity);
  add_tiers (answer, tiers, plane->name, &capacity);
  add_links (answer, links, &capacity);
  add_growth (answer, growth_path, &growth);
}

/* ---- the cable bill ---- */

static void
add_bill (FabAnswer *answer, const FabTopology *topology)
{
  FabTable *table = TABLE (bill_columns);
  g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) counts = g_array_new (FALSE, TRUE, sizeof (guint32));

  for (guint32 l = 0; l < fab_topology_n_links (topology); l += 2)
    {
      const FabLink *link = fab_topology_link (topology, l);
      guint row = 0;

      if (link->plane == FAB_NONE)
        continue;
      for (; row < first->len; row++)
        {
          const FabLink *other = fab_topology_link (topology, g_array_index (first, guint32, row));

          if (other->plane == link->plane && other->length_mm == link->length_mm && g_strcmp0 (other->cable, link->cable) == 0
              && g_strcmp0 (other->speed, link->speed) == 0)
            break;
        }
      if (row == first->len)
        {
          g_array_append_val (first, l);
          g_array_set_size (counts, row + 1);
        }
      g_array_index (counts, guint32, row)++;
    }
  for (guint row = 0; row < first->len; row++)
    {
      const FabLink *link = fab_topology_link (topology, g_array_index (first, guint32, row));

      fab_table_add_row (table);
      fab_table_set_text (table, "plane", fab_topology_plane (topology, link->plane)->name);
      fab_table_set_text (table, "cable", link->cable);
      fab_table_set_text (table, "speed", link->speed);
      fab_table_set_number (table, "length_m", link->length_mm > 0 ? (double) link->length_mm / 1000 : NAN);
      fab_table_set_int (table, "count", g_array_index (counts, guint32, row));
    }
  fab_answer_add_table (answer, "cables", "Cables", table);
}

FabAnswer *
fab_analysis_show (const FabDesign *design, FabTopology *topology, const FabFaults *faults, GError **error)
{
  FabAnswer *answer = fab_answer_new ("fabsim.show/1");

  add_design (answer, design);
  add_inventory (answer, design, topology);
  for (guint32 p = 0; p < fab_topology_n_planes (topology); p++)
    add_plane (answer, design, topology, faults, p);
  add_bill (answer, topology);
  return answer;
}
