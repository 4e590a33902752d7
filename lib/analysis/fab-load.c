/* fab-load.c: patterns of flows laid over forwarding tables, without time */
#include "analysis/fab-load-private.h"
#include <string.h>

GArray *
fab__load_ports (const FabRoutes *routes)
{
  const FabSubnet *subnet = fab_routes_subnet (routes);
  GArray *ports = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 last = FAB_NONE;

  for (guint32 lid = 1; lid <= fab_subnet_max_lid (subnet); lid++)
    {
      guint32 port = fab_subnet_lid_port (subnet, lid);

      if (port != FAB_NONE && port != last)   /* with an LMC a port has several LIDs */
        g_array_append_val (ports, port);
      last = port;
    }
  return ports;
}

/* ---- patterns ---- */

static void
add_flow (GArray *flows, const guint32 *ports, guint32 from, guint32 to)
{
  FabFlow flow = { .src = ports[from], .dst = ports[to] };

  if (from != to)
    g_array_append_val (flows, flow);
}

static void
add_all (GArray *flows, const guint32 *ports, guint n)
{
  for (guint from = 0; from < n; from++)
    for (guint to = 0; to < n; to++)
      add_flow (flows, ports, from, to);
}

static void
add_shift (GArray *flows, const guint32 *ports, guint n, guint64 by)
{
  for (guint from = 0; from < n; from++)
    add_flow (flows, ports, from, (guint) ((from + by) % n));
}

/* Every port sends to one other and receives from one. */
static void
add_permutation (GArray *flows, const guint32 *ports, guint n, FabStream *stream)
{
  g_autofree guint32 *to = g_new (guint32, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    to[i] = i;
  fab__stream_shuffle (stream, to, n);
  for (guint from = 0; from < n; from++)
    add_flow (flows, ports, from, to[from]);
}

/* Two random halves, paired; pairs send both ways. */
static void
add_bisection (GArray *flows, const guint32 *ports, guint n, FabStream *stream)
{
  g_autofree guint32 *order = g_new (guint32, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    order[i] = i;
  fab__stream_shuffle (stream, order, n);
  for (guint i = 0; i + 1 < n; i += 2)
    {
      add_flow (flows, ports, order[i], order[i + 1]);
      add_flow (flows, ports, order[i + 1], order[i]);
    }
}

GArray *
fab__load_pattern (const FabRoutes *routes, const char *pattern, FabStream *stream, GError **error)
{
  g_autoptr (GArray) ports = fab__load_ports (routes);
  GArray *flows = g_array_new (FALSE, FALSE, sizeof (FabFlow));
  const guint32 *rows = (const guint32 *) (const void *) ports->data;
  guint64 by;

  if (g_str_equal (pattern, "all"))
    add_all (flows, rows, ports->len);
  else if (g_str_equal (pattern, "permutation"))
    add_permutation (flows, rows, ports->len, stream);
  else if (g_str_equal (pattern, "bisection"))
    add_bisection (flows, rows, ports->len, stream);
  else if (g_str_has_prefix (pattern, "shift:") && g_ascii_string_to_unsigned (pattern + 6, 10, 1, G_MAXUINT32, &by, NULL))
    add_shift (flows, rows, ports->len, by);
  else
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "pattern: expected one of all, shift:K, permutation, bisection; got “%s”", pattern);
      g_clear_pointer (&flows, g_array_unref);
    }
  return flows;
}

/* ---- loads ---- */

static gboolean
is_between_switches (const FabTopology *topology, guint32 link)
{
  const FabLink *row = fab_topology_link (topology, link);

  return fab_topology_device (topology, row->from_device)->kind == FAB_DEVICE_SWITCH
         && fab_topology_device (topology, row->to_device)->kind == FAB_DEVICE_SWITCH;
}

/* The rate the flows of the most crowded link get, over that of the flow's own host link. */
static double
share_of (const FabTopology *topology, const double *flows, const GArray *path)
{
  double host_bps = (double) fab_topology_link (topology, g_array_index (path, guint32, 0))->rate_bps;
  double least_bps = host_bps;

  for (guint i = 0; i < path->len; i++)
    {
      guint32 link = g_array_index (path, guint32, i);

      least_bps = MIN (least_bps, (double) fab_topology_link (topology, link)->rate_bps / flows[link]);
    }
  return least_bps / host_bps;
}

void
fab__load_compute (const FabRoutes *routes, const FabFlow *flows, guint n_flows, FabLoad *load)
{
  const FabTopology *topology = fab_subnet_topology (fab_routes_subnet (routes));
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (double));
  double sum = 0;

  *load = (FabLoad) { .min_share = 1 };
  load->flows = g_new0 (double, MAX (fab_topology_n_links (topology), 1));
  for (guint f = 0; f < n_flows; f++)
    {
      g_array_set_size (path, 0);
      g_array_set_size (parts, 0);
      if (!fab_routes_spread (routes, flows[f].src, flows[f].dst, path, parts))
        {
          load->n_unreachable++;
          continue;
        }
      load->n_flows++;
      for (guint i = 0; i < path->len; i++)
        load->flows[g_array_index (path, guint32, i)] += g_array_index (parts, double, i);
    }
  for (guint f = 0; f < n_flows; f++)
    {
      double share;

      g_array_set_size (path, 0);
      if (!fab_routes_spread (routes, flows[f].src, flows[f].dst, path, parts))
        continue;
      share = share_of (topology, load->flows, path);
      sum += share;
      load->min_share = MIN (load->min_share, share);
    }
  load->mean_share = load->n_flows > 0 ? sum / load->n_flows : 0;
  for (guint32 l = 0; l < fab_topology_n_links (topology); l++)
    if (load->flows[l] > load->max_flows && is_between_switches (topology, l))
      load->max_flows = load->flows[l];
}

void
fab__load_clear (FabLoad *load)
{
  g_clear_pointer (&load->flows, g_free);
}
