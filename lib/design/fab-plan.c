/* fab-plan.c: what the families share: switches by the dozen, split ports, tapering */
#include "design/fab-family-private.h"

guint32
fab__plan_add_switches (FabPlan *plan, const char *stem, guint32 first_number, guint32 n, const FabPart *part, guint32 tier)
{
  guint32 first = plan->switches->len;

  for (guint32 i = 0; i < n; i++)
    {
      FabPlanSwitch row = { .name = g_strdup_printf ("%s%u", stem, first_number + i), .part = part, .tier = tier };

      g_array_append_val (plan->switches, row);
    }
  return first;
}

void
fab__plan_add_cable (FabPlan *plan, FabPlanEnd a, FabPlanEnd b, const FabCableSpec *spec)
{
  FabPlanCable cable = { .a = a, .b = b, .spec = spec };

  g_array_append_val (plan->cables, cable);
}

guint
fab__plan_split (const FabPart *part, const FabCableSpec *spec)
{
  const char *whole = fab__part_text (spec->speed, "port");   /* NDR200 is part of an NDR port */
  guint64 whole_bps, part_bps;

  if (whole == NULL || g_strcmp0 (whole, fab__part_text (part, "speed")) != 0)
    return 1;
  /* A port splits into equal parts of its lanes: the ratio of rates is exact. */
  part_bps = fab__part_value (spec->speed, "data_rate", 0);
  whole_bps = part_bps / MAX (fab__part_value (spec->speed, "lanes", 4), 1) * 4;
  return part_bps > 0 ? (guint) MAX (whole_bps / part_bps, 1) : 1;
}

FabPlanEnd
fab__plan_switch_end (const FabPlan *plan, guint32 row, guint first_port, guint index, guint split)
{
  return (FabPlanEnd) {
    .switch_row = row,
    .host = FAB_NONE,
    .port = (guint16) (first_port + index / split),
    .half = (guint16) (split > 1 ? 1 + index % split : 0),
  };
}

guint
fab__plan_uplinks (guint64 down_bps, double ratio, const FabCableSpec *uplink)
{
  double exact = (double) down_bps / (ratio * (double) fab__part_value (uplink->speed, "data_rate", 1));
  guint whole = (guint) exact;

  /* A ratio such as 1.5 is given in decimal: what is whole but for rounding is whole. */
  return exact > whole + 1e-9 ? whole + 1 : MAX (whole, 1);
}

gboolean
fab__family_get_switch (const FabDesign *design, const FabPlaneSpec *plane, const char *key, const FabPart **part, GError **error)
{
  const FabItem *item = fab__item_lookup (plane->topology, key);

  if (item == NULL)
    return TRUE;
  *part = fab__catalog_require (design->catalog, FAB_PART_SWITCH, item, error);
  return *part != NULL;
}

gboolean
fab__family_get_count (const FabPlaneSpec *plane, const char *key, guint64 max, guint *count, GError **error)
{
  guint64 value = *count;

  if (!fab__item_get_uint (fab__item_lookup (plane->topology, key), 1, max, &value, error))
    return FALSE;
  *count = (guint) value;
  return TRUE;
}
