/* fab-diagram-bundles.c: which cables share a line, and what it says */
#include "fab-diagram-clusters-private.h"

static guint32
end_cluster (const FabFabricView *view, guint32 device)
{
  guint32 node = fab_topology_device (view->topology, device)->node;

  return node != FAB_NONE ? view->cluster_of_node[node] : view->cluster_of_device[device];
}

static void
add_to_bundle (const FabFabricView *view, FabBundle *bundle, guint32 link)
{
  guint64 rate_bps = fab_topology_link (view->topology, link)->rate_bps;
  double load = fab_diagram_load (view->options, link);

  bundle->rate_bps = bundle->n == 0 || bundle->rate_bps == rate_bps ? rate_bps : 0;
  bundle->total_bps += rate_bps;
  bundle->n++;
  bundle->n_down += fab_faults_link_down (view->faults, link) ? 1 : 0;
  bundle->load = bundle->n == 1 ? load : MAX (bundle->load, load);
  for (gsize i = 0; i < view->options->n_path; i++)
    if (view->options->path[i] / 2 == link / 2)
      {
        bundle->hop = bundle->hop == 0 ? (guint32) i + 1 : MIN (bundle->hop, (guint32) i + 1);
        bundle->last_hop = MAX (bundle->last_hop, (guint32) i + 1);
      }
}

static FabBundle *
require_bundle (FabFabricView *view, GHashTable *rows, guint32 a, guint32 b, guint32 link)
{
  gint64 key = (gint64) a << 32 | b;
  gpointer known;

  if (!g_hash_table_lookup_extended (rows, &key, NULL, &known))
    {
      const FabCluster *lower = fab_cluster_at (view, a), *upper = fab_cluster_at (view, b);
      FabBundle made = { .lower = a, .upper = b, .first = link, .end_down = lower->n_down == lower->n || upper->n_down == upper->n };

      known = GUINT_TO_POINTER (view->bundles->len);
      g_hash_table_insert (rows, g_memdup2 (&key, sizeof key), known);
      g_array_append_val (view->bundles, made);
    }
  return fab_bundle_at (view, GPOINTER_TO_UINT (known));
}

void
fab_fabric_view_bundle (FabFabricView *view)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint32 l = 0; l < fab_topology_n_links (view->topology); l += 2)
    {
      const FabLink *link = fab_topology_link (view->topology, l);
      guint32 a, b;

      if (link->plane == FAB_NONE || link->plane < view->first_plane || link->plane >= view->last_plane)
        continue;
      a = end_cluster (view, link->from_device);
      b = end_cluster (view, link->to_device);
      if (a == FAB_NONE || b == FAB_NONE)
        continue;
      if (a == b)
        {
          fab_cluster_at (view, a)->n_inner++;
          continue;
        }
      if (fab_cluster_at (view, a)->tier > fab_cluster_at (view, b)->tier || (fab_cluster_at (view, a)->tier == fab_cluster_at (view, b)->tier && a > b))
        {
          guint32 kept = a;

          a = b;
          b = kept;
        }
      add_to_bundle (view, require_bundle (view, rows, a, b, l), l);
    }
}

char *
fab_bundle_text (const FabBundle *bundle)
{
  g_autofree char *rate = fab_diagram_rate_text (bundle->rate_bps > 0 ? bundle->rate_bps : bundle->total_bps);
  g_autoptr (GString) text = g_string_new (NULL);

  if (bundle->n_down > 0 && bundle->n_down < bundle->n)
    g_string_append_printf (text, "%u of ", bundle->n - bundle->n_down);
  if (bundle->rate_bps == 0)
    g_string_append_printf (text, "%u cables, %s in all", bundle->n, rate);
  else if (bundle->n > 1)
    g_string_append_printf (text, "%u × %s", bundle->n, rate);
  else
    g_string_append (text, rate);
  if (bundle->n_down == bundle->n && !bundle->end_down)
    g_string_append (text, " down");
  return g_strdup (text->str);
}

char *
fab_bundle_label (const FabBundle *bundle)
{
  g_autofree char *text = fab_bundle_text (bundle);
  g_autofree char *load = fab_diagram_load_counts (bundle->load) ? fab_diagram_load_text (bundle->load) : NULL;

  return load != NULL ? g_strdup_printf ("%s\n%s", text, load) : g_steal_pointer (&text);
}
