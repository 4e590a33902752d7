/* fab-design-expect.c: `expect:` and `accept:`: what the design promises, and what it knowingly waives */
#include "design/fab-design-read-private.h"
#include <math.h>

static gboolean
names_something (const FabDesign *design, const char *metric)
{
  g_auto (GStrv) segments = g_strsplit (metric, ".", 2);

  if (g_strv_length (segments) < 2 || segments[1][0] == '\0')
    return FALSE;
  if (g_str_equal (segments[0], "inventory") || fab__design_lookup_plane (design, segments[0]) != FAB_NONE)
    return TRUE;
  for (guint i = 0; i < design->n_workloads; i++)
    if (g_str_equal (design->workloads[i].name, segments[0]))
      return TRUE;
  for (guint i = 0; i < design->n_scenarios; i++)
    if (g_str_equal (design->scenarios[i].name, segments[0]))
      return TRUE;
  return FALSE;
}

static gboolean
read_bounds (FabExpectSpec *expect, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "min", "max", "equals", "tolerance", "absent", NULL };

  expect->min = expect->max = expect->equals = NAN;
  expect->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error)
      || !fab__item_get_double (fab__item_lookup (item, "min"), -G_MAXDOUBLE, G_MAXDOUBLE, &expect->min, error)
      || !fab__item_get_double (fab__item_lookup (item, "max"), -G_MAXDOUBLE, G_MAXDOUBLE, &expect->max, error)
      || !fab__item_get_double (fab__item_lookup (item, "equals"), -G_MAXDOUBLE, G_MAXDOUBLE, &expect->equals, error)
      || !fab__item_get_double (fab__item_lookup (item, "tolerance"), 0, G_MAXDOUBLE, &expect->tolerance, error)
      || !fab__item_get_bool (fab__item_lookup (item, "absent"), &expect->absent, error))
    return FALSE;
  if (isnan (expect->min) && isnan (expect->max) && isnan (expect->equals) && !expect->absent)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected one of min, max, equals, absent");
      return FALSE;
    }
  if (expect->min > expect->max)
    {
      fab__item_error (item, error, FAB_ERROR_VALUE, "expected min ≤ max, got %g > %g", expect->min, expect->max);
      return FALSE;
    }
  return TRUE;
}

gboolean
fab__design_read_expects (FabDesign *design, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error))
    return FALSE;
  design->expects = g_new0 (FabExpectSpec, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      FabExpectSpec *expect = &design->expects[design->n_expects++];

      expect->metric = fab__item_key (item, i);
      if (!names_something (design, expect->metric))
        {
          fab__item_error (fab__item_child (item, i), error, FAB_ERROR_UNKNOWN,
                           "expected a metric of a plane, workload or scenario of this design (`fabsim metrics` lists them), got “%s”",
                           expect->metric);
          return FALSE;
        }
      if (!read_bounds (expect, fab__item_child (item, i), error))
        return FALSE;
    }
  return TRUE;
}

gboolean
fab__design_read_accepts (FabDesign *design, const FabItem *item, GError **error)
{
  if (item == NULL)
    return TRUE;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error))
    return FALSE;
  design->accepts = g_new0 (FabAcceptSpec, MAX (fab__item_n_children (item), 1));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      FabAcceptSpec *accept = &design->accepts[design->n_accepts++];

      accept->id = fab__item_key (item, i);
      accept->item = fab__item_child (item, i);
      if (!fab__item_get_text (accept->item, &accept->reason, error))
        return FALSE;
      if (accept->reason == NULL || accept->reason[0] == '\0')
        {
          fab__item_error (accept->item, error, FAB_ERROR_VALUE, "expected the reason why %s is accepted, got nothing", accept->id);
          return FALSE;
        }
    }
  return TRUE;
}
