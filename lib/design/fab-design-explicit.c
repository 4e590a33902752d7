/* fab-design-explicit.c: switches and links a plane lists one by one, beside or instead of a family
 *
 *   switches: [{names: "leaf[1-2]", part: qm9700, tier: leaf}]
 *   links:    [{a: gpu001/nic0/p1, b: leaf1/p17/2, speed: NDR200, cable: mma4z00-split, length: 30m}]
 */
#include "design/fab-design-build-private.h"
#include "design/fab-design-read-private.h"

/* ---- reading ---- */

static gboolean
read_switches (const FabDesign *design, FabOwnSwitches *own, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "names", "part", "tier", NULL };
  static const char *const tiers[] = { "leaf", "spine", "core", NULL };
  g_autoptr (GError) reason = NULL;
  const FabItem *names, *part;
  const char *text = "";

  own->item = item;
  if (!fab__item_expect_kind (item, FAB_ITEM_MAP, error) || !fab__item_check_keys (item, keys, error)
      || (names = fab__item_require (item, "names", error)) == NULL
      || (part = fab__item_require (item, "part", error)) == NULL
      || (own->part = fab__catalog_require (design->catalog, FAB_PART_SWITCH, part, error)) == NULL
      || !fab__item_get_text (names, &text, error)
      || (fab__item_lookup (item, "tier") != NULL && !fab__item_get_choice (fab__item_lookup (item, "tier"), tiers, &own->tier, error)))
    return FALSE;
  own->names = fab_hostlist_expand (text, FAB_DESIGN_MAX_SWITCHES, &reason);
  if (own->names == NULL)
    fab__item_error (names, error, FAB_ERROR_VALUE, "%s", reason->message);
  return own->names != NULL;
}

static gboolean
read_link (const FabDesign *design, const FabPlaneSpec *plane, FabOwnLink *own, const FabItem *item, GError **error)
{
  static const char *const keys[] = { "a", "b", "speed", "cable", "length", "goodput", NULL };

  return fab__item_expect_kind (item, FAB_ITEM_MAP, error)
         && (own->a = fab__item_require (item, "a", error)) != NULL
         && (own->b = fab__item_require (item, "b", error)) != NULL
         && fab__design_read_cable (design, plane, item, keys, &own->cable, error);
}

gboolean
fab__design_read_explicit (const FabDesign *design, FabPlaneSpec *plane, const FabItem *item, GError **error)
{
  const FabItem *switches = fab__item_lookup (item, "switches");
  const FabItem *links = fab__item_lookup (item, "links");

  if ((switches != NULL && !fab__item_expect_kind (switches, FAB_ITEM_LIST, error))
      || (links != NULL && !fab__item_expect_kind (links, FAB_ITEM_LIST, error)))
    return FALSE;
  plane->own_switches = g_new0 (FabOwnSwitches, switches != NULL ? fab__item_n_children (switches) + 1 : 1);
  for (guint i = 0; switches != NULL && i < fab__item_n_children (switches); i++)
    {
      plane->n_own_switches++;
      if (!read_switches (design, &plane->own_switches[i], fab__item_child (switches, i), error))
        return FALSE;
    }
  plane->own_links = g_new0 (FabOwnLink, links != NULL ? fab__item_n_children (links) + 1 : 1);
  for (guint i = 0; links != NULL && i < fab__item_n_children (links); i++)
    {
      plane->n_own_links++;
      if (!read_link (design, plane, &plane->own_links[i], fab__item_child (links, i), error))
        return FALSE;
    }
  return TRUE;
}

/* ---- planning ---- */

static guint32
find_switch (const FabPlan *plan, const char *name)
{
  for (guint32 s = 0; s < plan->switches->len; s++)
    if (g_str_equal (g_array_index (plan->switches, FabPlanSwitch, s).name, name))
      return s;
  return FAB_NONE;
}

static guint32
find_host (const FabPlan *plan, const FabAddress *address)
{
  for (guint32 h = 0; h < plan->hosts->len; h++)
    {
      const FabPlanHost *host = &g_array_index (plan->hosts, FabPlanHost, h);
      char port[16];

      g_snprintf (port, sizeof port, "p%u", host->number);
      if (g_str_equal (host->node_name, address->owner) && g_str_equal (host->device_name, address->device)
          && g_str_equal (port, address->port))
        return h;
    }
  return FAB_NONE;
}

/* "p17" or "p17/2". */
static gboolean
parse_port (const char *text, FabPlanEnd *end)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 2);
  guint64 port, half = 0;

  if (text[0] != 'p' || !g_ascii_string_to_unsigned (parts[0] + 1, 10, 1, G_MAXUINT16, &port, NULL)
      || (parts[1] != NULL && !g_ascii_string_to_unsigned (parts[1], 10, 1, 16, &half, NULL)))
    return FALSE;
  end->port = (guint16) port;
  end->half = (guint16) half;
  return TRUE;
}

/* The plane's own name before a switch may be left out: "leaf1/p17/2" parses as owner, device and port all the same. */
static gboolean
switch_end (const FabPlan *plan, const FabAddress *address, FabPlanEnd *end)
{
  g_autofree char *joined = NULL;

  if (address->owner == NULL)
    return FALSE;
  if (g_str_equal (address->owner, plan->plane->name) && address->port != NULL)
    {
      end->switch_row = find_switch (plan, address->device);
      return end->switch_row != FAB_NONE && parse_port (address->port, end);
    }
  joined = address->port != NULL ? g_strdup_printf ("%s/%s", address->device, address->port) : g_strdup (address->device);
  end->switch_row = find_switch (plan, address->owner);
  return end->switch_row != FAB_NONE && parse_port (joined, end);
}

static gboolean
resolve_end (const FabPlan *plan, const FabItem *item, FabPlanEnd *end, GError **error)
{
  g_auto (FabAddress) address = { NULL, NULL, NULL };
  const char *text = "";

  *end = (FabPlanEnd) { .switch_row = FAB_NONE, .host = FAB_NONE };
  if (!fab__item_get_text (item, &text, error))
    return FALSE;
  if (fab_address_parse (text, &address, NULL))
    {
      if (switch_end (plan, &address, end))
        return TRUE;
      *end = (FabPlanEnd) { .switch_row = FAB_NONE, .host = FAB_NONE };
      if (address.owner != NULL && address.port != NULL)
        end->host = find_host (plan, &address);
      if (end->host != FAB_NONE)
        return TRUE;
    }
  fab__item_error (item, error, FAB_ERROR_UNKNOWN, "expected a port of plane “%s” (node/nic0/p1, leaf1/p17 or leaf1/p17/2), got “%s”",
                   plan->plane->name, text);
  return FALSE;
}

gboolean
fab__plan_add_explicit (FabPlan *plan, GError **error)
{
  const FabPlaneSpec *plane = plan->plane;

  for (guint s = 0; s < plane->n_own_switches; s++)
    for (guint i = 0; plane->own_switches[s].names[i] != NULL; i++)
      {
        FabPlanSwitch row = {
          .name = g_strdup (plane->own_switches[s].names[i]), .part = plane->own_switches[s].part, .tier = plane->own_switches[s].tier,
        };

        g_array_append_val (plan->switches, row);
      }
  for (guint l = 0; l < plane->n_own_links; l++)
    {
      FabPlanEnd a, b;

      if (!resolve_end (plan, plane->own_links[l].a, &a, error) || !resolve_end (plan, plane->own_links[l].b, &b, error))
        return FALSE;
      fab__plan_add_cable (plan, a, b, &plane->own_links[l].cable);
    }
  return TRUE;
}
