/* fab-design-workloads.c: `workloads:`, `scenarios:` and `transport:`: what will be sent */
#include "design/fab-design-read-private.h"
#include "workload/fab-node-stage-private.h"

#define MAX_CHANNELS 64
#define MAX_PIECES   65536

static const char *const workload_keys[] = {
  "collective", "pattern", "algorithm", "bytes", "ranks", "nodes", "placement", "plane", "sl", "transport",
  "pipelined", "form", "node_stage", "channels", "pieces", "reduce_rate", "root", "by", "seed", NULL,
};

/* Those that only some collectives heed. */
static const char *const own_keys[] = { "pipelined", "form", "node_stage", "channels", "pieces", "reduce_rate", "root", "by", "seed", NULL };

gboolean
fab__design_read_rules (const FabItem *item, FabTransportRules *rules, GError **error)
{
  static const char *const keys[] = { "p2p", "gdr", "pcie_step", "network_step", NULL };
  static const char *const levels[] = { "pix", "pxb", "phb", "sys", NULL };
  guint p2p = rules->p2p_level, gdr = rules->gdr_level;
  guint64 pcie_ps = (guint64) rules->pcie_step_ps, network_ps = (guint64) rules->network_step_ps;

  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error)
      || (fab__item_lookup (item, "p2p") != NULL && !fab__item_get_choice (fab__item_lookup (item, "p2p"), levels, &p2p, error))
      || (fab__item_lookup (item, "gdr") != NULL && !fab__item_get_choice (fab__item_lookup (item, "gdr"), levels, &gdr, error))
      || !fab__item_get_quantity (fab__item_lookup (item, "pcie_step"), FAB_UNIT_TIME, &pcie_ps, error)
      || !fab__item_get_quantity (fab__item_lookup (item, "network_step"), FAB_UNIT_TIME, &network_ps, error))
    return FALSE;
  rules->p2p_level = (FabDistance) p2p;
  rules->gdr_level = (FabDistance) gdr;
  rules->pcie_step_ps = (gint64) pcie_ps;
  rules->network_step_ps = (gint64) network_ps;
  return TRUE;
}

/* ---- workloads ---- */

static gboolean
read_kind (FabWorkloadSpec *workload, const FabItem *item, GError **error)
{
  const FabItem *collective = fab__item_lookup (item, "collective");
  const FabItem *pattern = fab__item_lookup (item, "pattern");
  const FabItem *named = collective != NULL ? collective : pattern;
  g_autoptr (GError) reason = NULL;
  const FabCollective *row;

  if ((collective == NULL) == (pattern == NULL))
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected one of collective and pattern, got %s", named == NULL ? "neither" : "both");
      return FALSE;
    }
  if (!fab__item_get_text (collective, &workload->collective, error) || !fab__item_get_text (pattern, &workload->pattern, error)
      || !fab__item_get_text (fab__item_lookup (item, "algorithm"), &workload->algorithm, error))
    return FALSE;
  row = fab__collective_lookup (fab__item_text (named), workload->algorithm, &reason);
  if (row == NULL)
    {
      fab__item_error (named, error, FAB_ERROR_UNKNOWN, "%s", reason->message);
      return FALSE;
    }
  workload->algorithm = row->name;
  return TRUE;
}

/* A key that would change nothing is an error. */
static gboolean
check_own_keys (const FabWorkloadSpec *workload, const FabItem *item, GError **error)
{
  const FabCollective *row = fab__collective_lookup (workload->collective != NULL ? workload->collective : workload->pattern, workload->algorithm, NULL);
  g_auto (GStrv) heeded = g_strsplit (row->keys != NULL ? row->keys : "", " ", -1);

  for (guint i = 0; own_keys[i] != NULL; i++)
    {
      const FabItem *given = fab__item_lookup (item, own_keys[i]);

      if (given == NULL || (g_str_equal (own_keys[i], "seed") && workload->placement == FAB_PLACEMENT_RANDOM))
        continue;
      if (g_strv_contains ((const char *const *) heeded, own_keys[i]))
        continue;
      fab__item_error (given, error, FAB_ERROR_VALUE, "expected a key that %s %s heeds (%s), got “%s”", row->collective, row->name,
                       row->keys != NULL ? row->keys : "none but those all workloads have", own_keys[i]);
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_placement (FabWorkloadSpec *workload, const FabItem *item, GError **error)
{
  const FabItem *placement = fab__item_lookup (item, "placement");
  guint64 n_nodes = 0;
  guint way = FAB_PLACEMENT_CONTIGUOUS;

  if (!fab__item_get_uint (fab__item_lookup (item, "nodes"), 1, G_MAXUINT32, &n_nodes, error)
      || (placement != NULL && !fab__item_get_choice (placement, fab__placement_names, &way, error)))
    return FALSE;
  if (placement != NULL && n_nodes == 0)
    fab__item_error (placement, error, FAB_ERROR_VALUE, "expected nodes: (how many) with placement:");
  workload->n_nodes = (guint) n_nodes;
  workload->placement = (FabPlacement) way;
  return placement == NULL || n_nodes > 0;
}

static gboolean
check_pieces (const FabWorkloadSpec *workload, const FabItem *item, GError **error)
{
  const FabItem *given = fab__item_lookup (item, "pieces");

  if (given == NULL || !g_str_equal (workload->algorithm, "hierarchical") || (workload->pipelined && workload->steps))
    return TRUE;
  fab__item_error (given, error, FAB_ERROR_VALUE, "expected pieces with pipelined: true and form: steps");
  return FALSE;
}

static gboolean
read_form (FabWorkloadSpec *workload, const FabItem *item, GError **error)
{
  static const char *const forms[] = { "phases", "steps", NULL };
  guint form = 0;

  if (item != NULL && !fab__item_get_choice (item, forms, &form, error))
    return FALSE;
  workload->steps = form == 1;
  return TRUE;
}

static gboolean
read_bytes (FabWorkloadSpec *workload, const FabItem *map, GError **error)
{
  const FabItem *item = fab__item_require (map, "bytes", error);

  if (item == NULL || !fab__item_get_quantity (item, FAB_UNIT_SIZE, &workload->bytes, error))
    return FALSE;
  if (workload->bytes == 0)
    fab__item_error (item, error, FAB_ERROR_VALUE, "expected a size above zero, got 0");
  return workload->bytes > 0;
}

/* The plane named, or the first one that joins nodes with GPUs. */
static gboolean
read_plane_of (const FabDesign *design, FabWorkloadSpec *workload, const FabItem *map, GError **error)
{
  const FabItem *item = fab__item_lookup (map, "plane");
  const char *name = NULL;
  guint32 plane;

  if (design->n_planes == 0)
    {
      fab__item_error (map, error, FAB_ERROR_VALUE, "expected a plane to send over, the design has none");
      return FALSE;
    }
  if (!fab__item_get_text (item, &name, error))
    return FALSE;
  plane = name != NULL ? fab__design_lookup_plane (design, name) : 0;
  if (plane == FAB_NONE)
    {
      fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a plane of this design, got “%s”", name);
      return FALSE;
    }
  workload->plane = plane;
  return TRUE;
}

static gboolean
read_workload (const FabDesign *design, FabWorkloadSpec *workload, const char *name, const FabItem *item, GError **error)
{
  guint64 sl = 0, root = 0, by = 1, channels = 1, pieces = 0;

  const FabItem *stage = fab__item_lookup (item, "node_stage");

  workload->name = name;
  workload->item = item;
  workload->ranks = "all";
  workload->seed = 1;
  workload->rules = design->rules;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, workload_keys, error)
      || !read_kind (workload, item, error)
      || !read_placement (workload, item, error)
      || !check_own_keys (workload, item, error)
      || !read_form (workload, fab__item_lookup (item, "form"), error)
      || !read_bytes (workload, item, error)
      || !read_plane_of (design, workload, item, error)
      || !fab__item_get_bool (fab__item_lookup (item, "pipelined"), &workload->pipelined, error)
      || (stage != NULL && !fab__item_get_choice (stage, fab__node_stage_names, &workload->node_stage, error))
      || !fab__item_get_uint (fab__item_lookup (item, "channels"), 1, MAX_CHANNELS, &channels, error)
      || !fab__item_get_uint (fab__item_lookup (item, "pieces"), 1, MAX_PIECES, &pieces, error)
      || !fab__item_get_text (fab__item_lookup (item, "ranks"), &workload->ranks, error)
      || !fab__item_get_uint (fab__item_lookup (item, "sl"), 0, 15, &sl, error)
      || !fab__item_get_uint (fab__item_lookup (item, "root"), 0, G_MAXUINT32, &root, error)
      || !fab__item_get_uint (fab__item_lookup (item, "by"), 1, G_MAXUINT32, &by, error)
      || !fab__item_get_uint (fab__item_lookup (item, "seed"), 0, G_MAXUINT64, &workload->seed, error)
      || !fab__item_get_quantity (fab__item_lookup (item, "reduce_rate"), FAB_UNIT_RATE, &workload->reduce_bps, error)
      || !fab__design_read_rules (fab__item_lookup (item, "transport"), &workload->rules, error))
    return FALSE;
  if (!check_pieces (workload, item, error))
    return FALSE;
  workload->sl = (guint) sl;
  workload->root = (guint) root;
  workload->by = (guint) by;
  workload->channels = (guint) channels;
  workload->pieces = (guint) pieces;
  return TRUE;
}

gboolean
fab__design_read_workloads (FabDesign *design, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error))
    return FALSE;
  design->workloads = g_new0 (FabWorkloadSpec, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      design->n_workloads++;
      if (!read_workload (design, &design->workloads[i], fab__item_key (item, i), fab__item_child (item, i), error))
        return FALSE;
    }
  return TRUE;
}

/* ---- scenarios ---- */

static guint32
workload_row (const FabDesign *design, const char *name)
{
  for (guint i = 0; i < design->n_workloads; i++)
    if (g_strcmp0 (design->workloads[i].name, name) == 0)
      return i;
  return FAB_NONE;
}

static gboolean
read_part (const FabDesign *design, FabScenarioPart *part, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "workload", "start", NULL };
  const FabItem *named;
  const char *name = NULL;
  guint64 start_ps = 0;
  guint32 workload;

  part->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error))
    return FALSE;
  named = fab__item_require (item, "workload", error);
  if (named == NULL || !fab__item_get_text (named, &name, error)
      || !fab__item_get_quantity (fab__item_lookup (item, "start"), FAB_UNIT_TIME, &start_ps, error))
    return FALSE;
  workload = workload_row (design, name);
  if (workload == FAB_NONE)
    {
      fab__item_error (named, error, FAB_ERROR_UNKNOWN, "expected a workload of this design, got “%s”", name != NULL ? name : "");
      return FALSE;
    }
  part->workload = workload;
  part->start_ps = (gint64) start_ps;
  return TRUE;
}

static gboolean
read_scenario (const FabDesign *design, FabScenarioSpec *scenario, const char *name, const FabItem *item, GError **error)
{
  scenario->name = name;
  scenario->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_LIST, error))
    return FALSE;
  scenario->parts = g_new0 (FabScenarioPart, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      scenario->n_parts++;
      if (!read_part (design, &scenario->parts[i], fab__item_child (item, i), error))
        return FALSE;
    }
  return TRUE;
}

gboolean
fab__design_read_scenarios (FabDesign *design, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error))
    return FALSE;
  design->scenarios = g_new0 (FabScenarioSpec, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      design->n_scenarios++;
      if (!read_scenario (design, &design->scenarios[i], fab__item_key (item, i), fab__item_child (item, i), error))
        return FALSE;
    }
  return TRUE;
}
