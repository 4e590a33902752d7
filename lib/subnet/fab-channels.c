/* fab-channels.c: the channel dependency graph as counts, and a search for its cycles */
#include "subnet/fab-channels-private.h"

void
fab__channels_init (FabChannels *channels, const FabSwitchGraph *graph)
{
  guint32 n_links = fab_topology_n_links (graph->topology);

  *channels = (FabChannels) { .graph = graph };
  channels->edge_of = g_new (guint32, MAX (n_links, 1));
  memset (channels->edge_of, 0xff, sizeof (guint32) * n_links);
  channels->first = g_new (gsize, MAX (graph->n_edges, 1));
  for (guint32 e = 0; e < graph->n_edges; e++)
    {
      channels->edge_of[graph->links[e]] = e;
      channels->first[e] = channels->n;
      channels->n += graph->start[graph->peer[e] + 1] - graph->start[graph->peer[e]];
    }
  channels->count = g_new0 (guint32, MAX (channels->n, 1));
}

void
fab__channels_reset (FabChannels *channels)
{
  memset (channels->count, 0, sizeof (guint32) * channels->n);
}

void
fab__channels_clear (FabChannels *channels)
{
  g_free (channels->edge_of);
  g_free (channels->first);
  g_free (channels->count);
}

void
fab__cycle_search_init (FabCycleSearch *search, const FabChannels *channels)
{
  guint32 n = MAX (channels->graph->n_edges, 1);

  *search = (FabCycleSearch) { .channels = channels };
  search->state = g_new0 (guint8, n);
  search->way = g_new (guint32, n);
  search->tried = g_new (guint32, n);
}

void
fab__cycle_search_clear (FabCycleSearch *search)
{
  g_free (search->state);
  g_free (search->way);
  g_free (search->tried);
}

/* The edge after @after (FAB_NONE: the first) that @e waits for; FAB_NONE: no more. */
static guint32
follower_after (const FabChannels *channels, guint32 e, guint32 after)
{
  const FabSwitchGraph *graph = channels->graph;
  guint32 peer = graph->peer[e];

  for (guint32 f = after == FAB_NONE ? graph->start[peer] : after + 1; f < graph->start[peer + 1]; f++)
    if (*fab__channels_count (channels, e, f) > 0)
      return f;
  return FAB_NONE;
}

static void
push (FabCycleSearch *search, guint32 e)
{
  search->state[e] = 1;
  search->way[search->n] = e;
  search->tried[search->n++] = FAB_NONE;
}

static gboolean
start_from_next_root (FabCycleSearch *search)
{
  while (search->root < search->channels->graph->n_edges && search->state[search->root] != 0)
    search->root++;
  if (search->root == search->channels->graph->n_edges)
    return FALSE;
  push (search, search->root);
  return TRUE;
}

gboolean
fab__cycle_search_next (FabCycleSearch *search, guint32 *start)
{
  while (search->n > 0 || start_from_next_root (search))
    {
      guint32 at = search->n - 1, follower = search->tried[at] = follower_after (search->channels, search->way[at], search->tried[at]);

      if (follower == FAB_NONE)
        search->state[search->way[--search->n]] = 2;
      else if (search->state[follower] == 0)
        push (search, follower);
      else if (search->state[follower] == 1)
        {
          for (*start = at; search->way[*start] != follower; (*start)--)
            ;
          return TRUE;
        }
    }
  return FALSE;
}

void
fab__cycle_search_unwind (FabCycleSearch *search)
{
  guint32 holds = 1;

  while (holds < search->n && *fab__channels_count (search->channels, search->way[holds - 1], search->way[holds]) > 0)
    holds++;
  while (search->n > holds)
    search->state[search->way[--search->n]] = 0;
}
