/* fab-family-rail-optimized.c: rail r of every node on the leaves of rail r, all leaves on all spines
 *
 * With leaves_per_rail > 1 the nodes are cut into as many equal blocks in file order, and a block has one leaf a rail (a
 * scalable unit of NVIDIA's SuperPOD). Leaf numbers run rail by rail in a block, block by block.
 */
#include "design/fab-family-private.h"

#define MAX_RAILS 64

typedef struct
{
  const FabPart *leaf, *spine;
  guint rails, leaves_per_rail;
  guint spines;             /* 0: no spine tier */
  guint uplinks;            /* of a leaf, to all spines */
} RailSpec;

static const char *const keys[] = {
  "rails", "leaf", "leaves_per_rail", "spine", "spines", "uplinks_per_spine", "uplinks", NULL,
};

static guint
most_ports (const FabDesign *design, const FabPlaneSpec *plane)
{
  guint most = 0;

  for (guint g = 0; g < plane->n_groups; g++)
    {
      const FabNodeType *type = design->groups[plane->groups[g]].type;

      for (guint r = 0; r < type->n_roles; r++)
        if (g_str_equal (type->roles[r].role, plane->role))
          most = MAX (most, type->roles[r].n_ports);
    }
  return most;
}

/* The fewest spines that uplinks divide over evenly and whose ports suffice: NVIDIA's SuperPOD tables. */
static guint
fewest_spines (const RailSpec *spec)
{
  guint64 spine_ports = fab__part_value (spec->spine, "ports", 1);

  for (guint spines = 1; spines < spec->uplinks; spines++)
    if (spec->uplinks % spines == 0
        && (guint64) spec->rails * spec->leaves_per_rail * spec->uplinks / spines <= spine_ports)
      return spines;
  return spec->uplinks;
}

static gboolean
read_spines (const FabPlaneSpec *plane, RailSpec *spec, GError **error)
{
  guint uplinks_per_spine = 0;

  if (!fab__family_get_count (plane, "spines", 4096, &spec->spines, error)
      || !fab__family_get_count (plane, "uplinks_per_spine", 4096, &uplinks_per_spine, error)
      || !fab__family_get_count (plane, "uplinks", 4096, &spec->uplinks, error))
    return FALSE;
  if (spec->spine == NULL)
    {
      if (spec->spines == 0 && uplinks_per_spine == 0 && spec->uplinks == 0)
        return TRUE;
      fab__item_error (plane->topology, error, FAB_ERROR_VALUE, "expected spine: with spines and uplinks, got none");
      return FALSE;
    }
  if (plane->uplink.item == NULL)
    {
      fab__item_error (plane->item, error, FAB_ERROR_VALUE, "expected uplink: {speed: …}, got none");
      return FALSE;
    }
  if ((uplinks_per_spine > 0) == (spec->uplinks > 0) || (uplinks_per_spine > 0 && spec->spines == 0))
    {
      fab__item_error (plane->topology, error, FAB_ERROR_VALUE,
                       "expected spines and uplinks_per_spine, or uplinks (of a leaf) with or without spines");
      return FALSE;
    }
  if (spec->uplinks == 0)
    spec->uplinks = spec->spines * uplinks_per_spine;
  if (spec->spines == 0)
    spec->spines = fewest_spines (spec);
  if (spec->spines > spec->uplinks)
    {
      fab__item_error (plane->topology, error, FAB_ERROR_VALUE, "expected an uplink to every spine, got %u uplinks for %u spines", spec->uplinks,
                       spec->spines);
      return FALSE;
    }
  return TRUE;
}

static gboolean
read (FabDesign *design, FabPlaneSpec *plane, GError **error)
{
  RailSpec *spec = g_new0 (RailSpec, 1);

  plane->spec = spec;
  spec->rails = MAX (most_ports (design, plane), 1);
  spec->leaves_per_rail = 1;
  if (fab__item_require (plane->topology, "leaf", error) == NULL)
    return FALSE;
  return fab__family_get_switch (design, plane, "leaf", &spec->leaf, error)
         && fab__family_get_switch (design, plane, "spine", &spec->spine, error)
         && fab__family_get_count (plane, "rails", MAX_RAILS, &spec->rails, error)
         && fab__family_get_count (plane, "leaves_per_rail", 4096, &spec->leaves_per_rail, error)
         && read_spines (plane, spec, error);
}

/* Hosts onto their leaves; counts the ends on each leaf. */
static void
plan_hosts (const FabPlaneSpec *plane, FabPlan *plan, const RailSpec *spec, guint32 first_leaf, guint *n_ends)
{
  guint split = fab__plan_split (spec->leaf, &plane->host_link);
  guint32 block_nodes = MAX ((plan->n_nodes + spec->leaves_per_rail - 1) / spec->leaves_per_rail, 1);

  for (guint32 h = 0; h < plan->hosts->len; h++)
    {
      const FabPlanHost *host = &g_array_index (plan->hosts, FabPlanHost, h);
      guint32 leaf = host->node / block_nodes * spec->rails + host->rail % spec->rails;
      FabPlanEnd end = { .switch_row = FAB_NONE, .host = h };

      fab__plan_add_cable (plan, end, fab__plan_switch_end (plan, first_leaf + leaf, 1, n_ends[leaf]++, split), &plane->host_link);
    }
}

static void
plan_uplinks (const FabPlaneSpec *plane, FabPlan *plan, const RailSpec *spec, guint32 first_leaf, guint n_leaves, const guint *n_ends)
{
  guint host_split = fab__plan_split (spec->leaf, &plane->host_link);
  guint leaf_split = fab__plan_split (spec->leaf, &plane->uplink);
  guint spine_split = fab__plan_split (spec->spine, &plane->uplink);
  guint32 first_spine = fab__plan_add_switches (plan, "spine", 1, spec->spines, spec->spine, 1);
  g_autofree guint *n_spine_ends = g_new0 (guint, spec->spines);

  for (guint leaf = 0; leaf < n_leaves; leaf++)
    {
      guint first_port = 1 + (n_ends[leaf] + host_split - 1) / host_split;

      for (guint up = 0; up < spec->uplinks; up++)
        {
          guint spine = up * spec->spines / spec->uplinks;   /* neighbours on a leaf go to the same spine */

          fab__plan_add_cable (plan, fab__plan_switch_end (plan, first_leaf + leaf, first_port, up, leaf_split),
                               fab__plan_switch_end (plan, first_spine + spine, 1, n_spine_ends[spine]++, spine_split), &plane->uplink);
        }
    }
}

static gboolean
plan (const FabPlaneSpec *plane, FabPlan *plan, GError **error)
{
  const RailSpec *spec = plane->spec;
  guint n_leaves = spec->rails * spec->leaves_per_rail;
  guint32 first_leaf = fab__plan_add_switches (plan, "leaf", 1, n_leaves, spec->leaf, 0);
  g_autofree guint *n_ends = g_new0 (guint, n_leaves);

  plan_hosts (plane, plan, spec, first_leaf, n_ends);
  if (spec->spines > 0)
    plan_uplinks (plane, plan, spec, first_leaf, n_leaves, n_ends);
  return TRUE;
}

const FabFamily fab__family_rail_optimized = {
  .name = "rail-optimized",
  .summary = "one leaf (or one a block of nodes) a rail, all leaves on all spines",
  .keys = keys,
  .read = read,
  .plan = plan,
};
