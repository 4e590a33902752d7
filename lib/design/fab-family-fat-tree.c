/* fab-family-fat-tree.c: hosts in file order on leaves, leaves on spines, spines of all Pods on cores
 *
 * One tier is a single switch, two a leaf-spine, three Pods under cores: spine j of every Pod goes to core group j. What is not
 * given is reckoned so that the tree is as large as its switches allow at the taper (down : up) of each tier.
 */
#include "design/fab-family-private.h"

typedef struct
{
  const FabPart *part[3];     /* leaf, spine, core */
  guint  tiers;
  double taper[2];            /* down : up of leaves, of spines */
  guint  hosts_per_leaf;
  guint  uplinks;             /* of a leaf */
  guint  spines;              /* of the plane; of a Pod with three tiers */
  guint  leaves_per_pod;
  guint  core_uplinks;        /* of a spine */
  guint  cores;               /* in all */
} TreeSpec;

static const char *const keys[] = {
  "tiers", "leaf", "spine", "core", "taper", "hosts_per_leaf", "uplinks", "spines", "leaves_per_pod", "core_uplinks", "cores", NULL,
};

static guint64
rate_of (const FabCableSpec *cable)
{
  return fab__part_value (cable->speed, "data_rate", 0);
}

static guint
ports_of (const FabPart *part)
{
  return (guint) fab__part_value (part, "ports", 1);
}

static guint
ports_for (guint n_ends, guint split)
{
  return (n_ends + split - 1) / split;
}

/* ---- reading ---- */

static gboolean
read_taper (TreeSpec *spec, const FabItem *item, GError **error)
{
  spec->taper[0] = spec->taper[1] = 1;
  if (item == NULL)
    return TRUE;
  if (fab__item_kind (item) == FAB_ITEM_SCALAR)
    {
      if (!fab__item_get_double (item, 0.01, 1000, &spec->taper[0], error))
        return FALSE;
      spec->taper[1] = spec->taper[0];
      return TRUE;
    }
  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  if (fab__item_n_children (item) + 1 != spec->tiers)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected %u ratios (down : up of each tier but the top), got %u", spec->tiers - 1,
                       fab__item_n_children (item));
      return FALSE;
    }
  for (guint t = 0; t < fab__item_n_children (item); t++)
    if (!fab__item_get_double (fab__item_child (item, t), 0.01, 1000, &spec->taper[t], error))
      return FALSE;
  return TRUE;
}

static gboolean
read_parts (FabDesign *design, FabPlaneSpec *plane, TreeSpec *spec, GError **error)
{
  static const char *const names[] = { "leaf", "spine", "core" };

  for (guint t = 0; t < spec->tiers; t++)
    if (fab__item_require (plane->topology, names[t], error) == NULL
        || !fab__family_get_switch (design, plane, names[t], &spec->part[t], error))
      return FALSE;
  if (spec->tiers >= 2 && plane->uplink.item == NULL)
    {
      fab__item_error (plane->item, error, FAB_ERROR_VALUE, "expected uplink: {speed: …}, got none");
      return FALSE;
    }
  if (spec->tiers == 3 && plane->core_link.item == NULL)
    plane->core_link = plane->uplink;
  return TRUE;
}

/* ---- what is not given ---- */

static void
default_leaf (const FabPlaneSpec *plane, TreeSpec *spec)
{
  guint split = fab__plan_split (spec->part[0], &plane->host_link);
  guint ports = ports_of (spec->part[0]);
  guint hosts = ports * split;

  if (spec->tiers == 1)
    {
      spec->hosts_per_leaf = hosts;
      return;
    }
  if (spec->hosts_per_leaf == 0)
    {
      guint up_split = fab__plan_split (spec->part[0], &plane->uplink);

      while (hosts > 1
             && ports_for (hosts, split)
                    + ports_for (spec->uplinks > 0 ? spec->uplinks : fab__plan_uplinks (hosts * rate_of (&plane->host_link), spec->taper[0], &plane->uplink),
                                 up_split) > ports)
        hosts--;
      spec->hosts_per_leaf = hosts;
    }
  if (spec->uplinks == 0)
    spec->uplinks = fab__plan_uplinks (spec->hosts_per_leaf * rate_of (&plane->host_link), spec->taper[0], &plane->uplink);
}

/* The fewest groups of switches above that @n links divide over evenly with @n_below × @n / groups ports each. */
static guint
fewest_above (guint n, guint64 n_below, guint ports)
{
  for (guint groups = 1; groups < n; groups++)
    if (n % groups == 0 && n_below * (n / groups) <= ports)
      return groups;
  return n;
}

static guint
core_uplinks_for (const FabPlaneSpec *plane, const TreeSpec *spec, guint leaves_per_pod)
{
  guint64 down_bps = (guint64) leaves_per_pod * spec->uplinks * rate_of (&plane->uplink) / spec->spines;

  return fab__plan_uplinks (down_bps, spec->taper[1], &plane->core_link);
}

static void
default_pod (const FabPlaneSpec *plane, TreeSpec *spec)
{
  guint ports = ports_of (spec->part[1]);
  guint leaves = ports;

  if (spec->spines == 0)
    spec->spines = spec->uplinks;   /* one link a spine: the largest Pods */
  if (spec->leaves_per_pod == 0)
    {
      while (leaves > 1
             && ports_for (leaves * spec->uplinks, spec->spines)
                    + (spec->core_uplinks > 0 ? spec->core_uplinks : core_uplinks_for (plane, spec, leaves)) > ports)
        leaves--;
      spec->leaves_per_pod = leaves;
    }
  if (spec->core_uplinks == 0)
    spec->core_uplinks = core_uplinks_for (plane, spec, spec->leaves_per_pod);
}

static gboolean
read (FabDesign *design, FabPlaneSpec *plane, GError **error)
{
  TreeSpec *spec = g_new0 (TreeSpec, 1);

  plane->spec = spec;
  spec->tiers = 2;
  if (!fab__family_get_count (plane, "tiers", 3, &spec->tiers, error)
      || !read_taper (spec, fab__item_lookup (plane->topology, "taper"), error)
      || !read_parts (design, plane, spec, error)
      || !fab__family_get_count (plane, "hosts_per_leaf", 4096, &spec->hosts_per_leaf, error)
      || !fab__family_get_count (plane, "uplinks", 4096, &spec->uplinks, error)
      || !fab__family_get_count (plane, "spines", 4096, &spec->spines, error)
      || !fab__family_get_count (plane, "leaves_per_pod", 4096, &spec->leaves_per_pod, error)
      || !fab__family_get_count (plane, "core_uplinks", 4096, &spec->core_uplinks, error)
      || !fab__family_get_count (plane, "cores", 65536, &spec->cores, error))
    return FALSE;
  default_leaf (plane, spec);
  if (spec->tiers == 3)
    default_pod (plane, spec);
  if (spec->tiers > 1 && spec->spines > spec->uplinks)
    {
      fab__item_error (plane->topology, error, FAB_ERROR_VALUE, "expected an uplink to every spine, got %u uplinks for %u spines", spec->uplinks,
                       spec->spines);
      return FALSE;
    }
  return TRUE;
}

/* ---- planning ---- */

static void
plan_hosts (const FabPlaneSpec *plane, FabPlan *plan, const TreeSpec *spec, guint32 first_leaf)
{
  guint split = fab__plan_split (spec->part[0], &plane->host_link);

  for (guint32 h = 0; h < plan->hosts->len; h++)
    {
      FabPlanEnd end = { .switch_row = FAB_NONE, .host = h };

      fab__plan_add_cable (plan, end,
                           fab__plan_switch_end (plan, first_leaf + h / spec->hosts_per_leaf, 1, h % spec->hosts_per_leaf, split),
                           &plane->host_link);
    }
}

/* @n_up links of each of @n_below switches, spread over @n_above switches; ends on either side counted from @below_port and 1. */
static void
plan_tier (FabPlan *plan, const FabCableSpec *spec, guint32 first_below, guint n_below, guint below_port, guint below_split,
           guint n_up, guint32 first_above, guint n_above, guint above_split, guint *n_above_ends)
{
  for (guint below = 0; below < n_below; below++)
    for (guint up = 0; up < n_up; up++)
      {
        guint above = (guint) ((guint64) up * n_above / n_up);

        fab__plan_add_cable (plan, fab__plan_switch_end (plan, first_below + below, below_port, up, below_split),
                             fab__plan_switch_end (plan, first_above + above, 1, n_above_ends[above]++, above_split), spec);
      }
}

static void
plan_spines (const FabPlaneSpec *plane, FabPlan *plan, const TreeSpec *spec, guint32 first_leaf, guint n_leaves, guint n_pods,
             guint leaves_per_pod, guint n_spines)
{
  guint host_ports = ports_for (spec->hosts_per_leaf, fab__plan_split (spec->part[0], &plane->host_link));
  guint32 first_spine = fab__plan_add_switches (plan, "spine", 1, n_pods * n_spines, spec->part[1], 1);
  g_autofree guint *n_ends = g_new0 (guint, (gsize) n_pods * n_spines);

  for (guint pod = 0; pod < n_pods; pod++)
    plan_tier (plan, &plane->uplink, first_leaf + pod * leaves_per_pod, MIN (leaves_per_pod, n_leaves - pod * leaves_per_pod),
               1 + host_ports, fab__plan_split (spec->part[0], &plane->uplink), spec->uplinks,
               first_spine + pod * n_spines, n_spines, fab__plan_split (spec->part[1], &plane->uplink), n_ends + pod * n_spines);
}

static void
plan_cores (const FabPlaneSpec *plane, FabPlan *plan, const TreeSpec *spec, guint n_pods, guint32 first_spine)
{
  guint down_ports = ports_for (spec->leaves_per_pod * ports_for (spec->uplinks, spec->spines), fab__plan_split (spec->part[1], &plane->uplink));
  guint per_group = spec->cores > 0 ? MAX (spec->cores / spec->spines, 1) : fewest_above (spec->core_uplinks, n_pods, ports_of (spec->part[2]));
  guint32 first_core = fab__plan_add_switches (plan, "core", 1, per_group * spec->spines, spec->part[2], 2);
  g_autofree guint *n_ends = g_new0 (guint, (gsize) per_group * spec->spines);

  for (guint pod = 0; pod < n_pods; pod++)
    for (guint spine = 0; spine < spec->spines; spine++)
      plan_tier (plan, &plane->core_link, first_spine + pod * spec->spines + spine, 1, 1 + down_ports,
                 fab__plan_split (spec->part[1], &plane->core_link), spec->core_uplinks,
                 first_core + spine * per_group, per_group, fab__plan_split (spec->part[2], &plane->core_link), n_ends + spine * per_group);
}

static gboolean
plan (const FabPlaneSpec *plane, FabPlan *plan, GError **error)
{
  const TreeSpec *spec = plane->spec;
  guint n_leaves = MAX ((plan->hosts->len + spec->hosts_per_leaf - 1) / spec->hosts_per_leaf, 1);
  guint leaves_per_pod = spec->tiers == 3 ? spec->leaves_per_pod : n_leaves;
  guint n_pods = (n_leaves + leaves_per_pod - 1) / leaves_per_pod;
  guint32 first_leaf;

  if (spec->tiers == 1 && n_leaves > 1)
    {
      fab__item_error (plane->topology, error, FAB_ERROR_VALUE, "expected at most %u host ports on a single %s, got %u; use tiers: 2",
                       spec->hosts_per_leaf, fab__part_name (spec->part[0]), plan->hosts->len);
      return FALSE;
    }
  first_leaf = fab__plan_add_switches (plan, "leaf", 1, n_leaves, spec->part[0], 0);
  plan_hosts (plane, plan, spec, first_leaf);
  if (spec->tiers == 1)
    return TRUE;
  plan_spines (plane, plan, spec, first_leaf, n_leaves, n_pods, leaves_per_pod,
               spec->spines > 0 ? spec->spines : fewest_above (spec->uplinks, n_leaves, ports_of (spec->part[1])));
  if (spec->tiers == 3)
    plan_cores (plane, plan, spec, n_pods, first_leaf + n_leaves);
  return TRUE;
}

const FabFamily fab__family_fat_tree = {
  .name = "fat-tree",
  .summary = "one to three tiers, tapered as asked",
  .keys = keys,
  .read = read,
  .plan = plan,
};
