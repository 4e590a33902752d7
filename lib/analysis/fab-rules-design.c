/* fab-rules-design.c: the file itself: what is waived, what hangs loose */
#include "analysis/fab-rule-private.h"

static void
find_unknown_accept (const FabRule *rule, FabCheck *check)
{
  for (guint a = 0; a < check->design->n_accepts; a++)
    {
      const FabAcceptSpec *accept = &check->design->accepts[a];
      g_autofree char *where = g_strdup_printf ("accept.%s", accept->id);

      if (fab__rule_lookup (accept->id) == NULL)
        fab__check_add (check, rule, accept->item, where, "there is no rule %s", accept->id);
    }
}

/* Runs after the rules of all other subjects: their findings are there. */
static void
find_idle_accept (const FabRule *rule, FabCheck *check)
{
  for (guint a = 0; a < check->design->n_accepts; a++)
    {
      const FabAcceptSpec *accept = &check->design->accepts[a];
      g_autofree char *where = g_strdup_printf ("accept.%s", accept->id);
      gboolean waives = FALSE;

      for (guint f = 0; f < check->findings->len; f++)
        waives |= g_str_equal (g_array_index (check->findings, FabFinding, f).rule->id, accept->id);
      if (!waives && fab__rule_lookup (accept->id) != NULL && fab__rule_lookup (accept->id) != rule)
        fab__check_add (check, rule, accept->item, where, "%s finds nothing here, so there is nothing to accept", accept->id);
    }
}

static void
find_lonely_group (const FabRule *rule, FabCheck *check)
{
  for (guint g = 0; g < check->design->n_groups; g++)
    {
      gboolean joined = FALSE;
      g_autofree char *where = g_strdup_printf ("nodes.%s", check->design->groups[g].name);

      for (guint p = 0; p < check->design->n_planes; p++)
        for (guint i = 0; i < check->design->planes[p].n_groups; i++)
          joined |= check->design->planes[p].groups[i] == g;
      if (!joined)
        fab__check_add (check, rule, check->design->groups[g].item, where, "the nodes %s are on no plane", check->design->groups[g].name);
    }
}

static void
find_loose_ports (const FabRule *rule, FabCheck *check)
{
  for (guint32 plane = 0; plane < check->design->n_planes; plane++)
    {
      guint n_loose = 0;
      g_autofree char *where = NULL;

      for (guint32 p = 0; p < fab_topology_n_ports (check->topology); p++)
        {
          const FabPort *port = fab_topology_port (check->topology, p);

          if (port->plane != plane || port->rail == FAB_NONE || port->link != FAB_NONE)
            continue;
          if (n_loose++ == 0)
            where = fab_topology_port_address (check->topology, p);
        }
      if (n_loose > 0)
        fab__check_add (check, rule, check->design->planes[plane].item, where, "%u ports meant for plane %s have no cable", n_loose, check->design->planes[plane].name);
    }
}

const FabRule fab__rules_design[] = {
  { "FAB052", FAB_SEVERITY_WARNING, "nodes on no plane",
    "Nothing reaches them.",
    "a plane whose ports: they have, or nodes: that lists them", find_lonely_group },
  { "FAB053", FAB_SEVERITY_WARNING, "ports of a plane without a cable",
    "The traffic that would use them has no way, or crowds the others.",
    "a link for each, or a node type without them", find_loose_ports },
  { "FAB050", FAB_SEVERITY_ERROR, "accept: of a rule that does not exist",
    "A misspelt id waives nothing.",
    "`fabsim check --rules` lists the ids", find_unknown_accept },
  { "FAB051", FAB_SEVERITY_NOTE, "accept: of a rule that finds nothing",
    "A waiver left behind hides the next finding of its rule.",
    "remove it", find_idle_accept },
  { NULL, 0, NULL, NULL, NULL, NULL },
};
