/* fab-share-weights.c: what an output gives to each flow that waits for it
 *
 * An output serves the lanes by their arbitration weights, inside a lane its input ports in turn, and an input port passes flows on
 * in the proportion in which they were given to it upstream. A NIC serves its flows (queue pairs) in turn. The weight of a flow
 * is what the output that limits it gives, against the mean of all flows limited there.
 */
#include "fab-share-part-private.h"

#define ALIKE 1e-5   /* shares are floats */
#define FULL  1e-9   /* of its capacity is left */

typedef struct _FabShareWeights FabShareWeights;

struct _FabShareWeights
{
  guint32 *first_hop;    /* per flow: its row of shares[] */
  float   *shares;       /* per flow and hop of its route: what that output gives, of 1 */
  gsize    room;         /* of shares */
  guint32 *weighed;      /* per resource: the solve that weighed it */
  double  *sums;         /* per resource: of an input's flows, while an output is weighed */
  guint32 *n_limited;    /* per resource: flows it limits */
  double  *limited;      /* their shares, summed */
  guint32 *fastest_of;   /* per resource: the solve that found fastest[] */
  double  *fastest;      /* per resource: the highest rate on it */
  GArray  *inputs;       /* guint32: the inputs of the output being weighed */
};

void
fab__share_weights_free (FabShareWeights *weights)
{
  if (weights == NULL)
    return;
  g_free (weights->first_hop);
  g_free (weights->shares);
  g_free (weights->weighed);
  g_free (weights->sums);
  g_free (weights->n_limited);
  g_free (weights->limited);
  g_free (weights->fastest_of);
  g_free (weights->fastest);
  g_array_unref (weights->inputs);
  g_free (weights);
}

static FabShareWeights *
weights_new (const FabShare *share)
{
  FabShareWeights *weights = g_new0 (FabShareWeights, 1);

  weights->first_hop = g_new0 (guint32, MAX (share->n_flows, 1));
  weights->weighed = g_new0 (guint32, MAX (share->n_resources, 1));
  weights->sums = g_new0 (double, MAX (share->n_resources, 1));
  weights->n_limited = g_new0 (guint32, MAX (share->n_resources, 1));
  weights->limited = g_new0 (double, MAX (share->n_resources, 1));
  weights->fastest_of = g_new0 (guint32, MAX (share->n_resources, 1));
  weights->fastest = g_new0 (double, MAX (share->n_resources, 1));
  weights->inputs = g_array_new (FALSE, FALSE, sizeof (guint32));
  return weights;
}

static void
begin (FabShare *share)
{
  FabShareWeights *weights = share->weights;
  gsize n_hops = 0;

  for (guint f = 0; f < share->part->len; f++)
    {
      guint32 flow = g_array_index (share->part, FabPartFlow, f).flow;

      weights->first_hop[flow] = (guint32) n_hops;
      n_hops += fab__share_route_of (share, &share->flows[flow])->n;
    }
  if (weights->room >= n_hops)
    return;
  weights->room = n_hops;
  g_free (weights->shares);
  weights->shares = g_new (float, n_hops);
}

/* ---- one output ---- */

static guint32
hop_of (const FabShare *share, const FabShareRouteRow *route, guint32 resource)
{
  const guint32 *hops = fab__share_hops (share, route);
  guint32 i = 0;

  while (hops[i] != resource)
    i++;
  return i;
}

/* The hop before hop @i by which the flow came in; FAB_NONE where the flow stands for itself: at its source and at its NIC, spread over
 * many ways, on Ethernet (where congestion control shares by flow), or where inputs do not count. */
static guint32
input_hop (const FabShare *share, const FabShareRouteRow *route, guint32 i)
{
  const guint32 *hops = fab__share_hops (share, route);

  if (share->sharing != FAB_SHARING_PER_PORT || route->spread || hops[i] >= share->n_links
      || fab_topology_link (share->topology, hops[i])->kind == FAB_LINK_ETHERNET
      || fab_topology_device (share->topology, fab_topology_link (share->topology, hops[i])->from_device)->kind == FAB_DEVICE_NIC)
    return FAB_NONE;
  while (i > 0 && hops[i - 1] >= share->n_links)
    i--;
  return i > 0 ? i - 1 : FAB_NONE;
}

static const FabQos *
qos_of (const FabShare *share, guint32 resource)
{
  guint32 plane = resource < share->n_links ? fab_topology_link (share->topology, resource)->plane : FAB_NONE;

  return plane != FAB_NONE ? share->lanes[plane] : NULL;
}

/* Shares of the flows of one lane: inputs alike, each in its upstream proportion. */
static void
weigh_lane (FabShare *share, guint32 at, gint lane, double lane_share)
{
  FabShareWeights *weights = share->weights;
  const FabResource *resource = &share->resources[at];
  guint n_inputs = 0;

  g_array_set_size (weights->inputs, 0);
  for (guint32 m = 0; m < resource->n_flows; m++)
    {
      const FabShareFlow *flow = &share->flows[resource->flows[m]];
      const FabShareRouteRow *route = fab__share_route_of (share, flow);
      guint32 input = input_hop (share, route, hop_of (share, route, at));
      guint32 in;

      if (lane >= 0 && flow->lane != lane)
        continue;
      n_inputs += input == FAB_NONE ? 1 : 0;
      if (input == FAB_NONE)
        continue;
      in = fab__share_hops (share, route)[input];
      if (weights->sums[in] == 0)
        g_array_append_val (weights->inputs, in);
      weights->sums[in] += weights->shares[weights->first_hop[resource->flows[m]] + input];
    }
  n_inputs += weights->inputs->len;
  for (guint32 m = 0; m < resource->n_flows; m++)
    {
      const FabShareFlow *flow = &share->flows[resource->flows[m]];
      const FabShareRouteRow *route = fab__share_route_of (share, flow);
      guint32 hop = hop_of (share, route, at), input = input_hop (share, route, hop);
      float *shares = weights->shares + weights->first_hop[resource->flows[m]];

      if (lane < 0 || flow->lane == lane)
        shares[hop] = (float) (lane_share / n_inputs * (input != FAB_NONE ? shares[input] / weights->sums[fab__share_hops (share, route)[input]] : 1));
    }
  for (guint i = 0; i < weights->inputs->len; i++)
    weights->sums[g_array_index (weights->inputs, guint32, i)] = 0;
}

static void
weigh_lanes (FabShare *share, guint32 at)
{
  const FabResource *resource = &share->resources[at];
  const FabQos *qos = share->unequal_lanes ? qos_of (share, at) : NULL;
  guint active = 0;

  for (guint32 m = 0; m < resource->n_flows && qos != NULL; m++)
    active |= 1u << share->flows[resource->flows[m]].lane;
  if (qos == NULL)
    weigh_lane (share, at, -1, 1);
  for (guint vl = 0; vl < 16 && qos != NULL; vl++)
    if (active >> vl & 1)
      weigh_lane (share, at, (gint) vl, fab__qos_share (qos, vl, active));
}

/* Inputs first. Where outputs wait for each other in a ring, the one met again counts its flows alike. */
static void
weigh_output (FabShare *share, guint32 at)
{
  FabShareWeights *weights = share->weights;
  const FabResource *resource = &share->resources[at];

  if (weights->weighed[at] == share->solve)
    return;
  weights->weighed[at] = share->solve;
  for (guint32 m = 0; m < resource->n_flows; m++)
    {
      const FabShareRouteRow *route = fab__share_route_of (share, &share->flows[resource->flows[m]]);

      weights->shares[weights->first_hop[resource->flows[m]] + hop_of (share, route, at)] = 1;
    }
  for (guint32 m = 0; m < resource->n_flows; m++)
    {
      const FabShareRouteRow *route = fab__share_route_of (share, &share->flows[resource->flows[m]]);
      guint32 input = input_hop (share, route, hop_of (share, route, at));

      if (input != FAB_NONE)
        weigh_output (share, fab__share_hops (share, route)[input]);
    }
  weigh_lanes (share, at);
}

/* ---- all that limit ---- */

static double
fastest_on (const FabShare *share, guint32 at)
{
  FabShareWeights *weights = share->weights;
  const FabResource *resource = &share->resources[at];

  if (weights->fastest_of[at] == share->solve)
    return weights->fastest[at];
  weights->fastest_of[at] = share->solve;
  weights->fastest[at] = 0;
  for (guint32 m = 0; m < resource->n_flows; m++)
    weights->fastest[at] = MAX (weights->fastest[at], share->flows[resource->flows[m]].rate);
  return weights->fastest[at];
}

/* A flow that is among the fastest of another full link has nothing to gain where it waits: more would be taken from its equals there. */
static gboolean
is_held_elsewhere (const FabShare *share, const FabShareFlow *flow)
{
  const FabShareRouteRow *route = fab__share_route_of (share, flow);
  const guint32 *hops = fab__share_hops (share, route);

  for (guint32 i = 0; i < route->n; i++)
    if (hops[i] != flow->limit && share->resources[hops[i]].left <= FULL * share->resources[hops[i]].capacity
        && flow->rate >= fastest_on (share, hops[i]) * (1 - FULL))
      return TRUE;
  return FALSE;
}

/* Which flows the output that limits them could give more or less. */
static void
find_waiting (FabShare *share)
{
  for (guint f = 0; f < share->part->len; f++)
    {
      FabShareFlow *flow = &share->flows[g_array_index (share->part, FabPartFlow, f).flow];

      flow->waits = !fab__share_is_capped (share, flow) && !is_held_elsewhere (share, flow) ? 1 : 0;
      share->weights->n_limited[flow->limit] += flow->waits;
    }
}

static double
share_at_limit (const FabShare *share, guint32 at)
{
  const FabShareFlow *flow = &share->flows[at];

  return share->weights->shares[share->weights->first_hop[at] + hop_of (share, fab__share_route_of (share, flow), flow->limit)];
}

/* FALSE: no output has two flows to choose between. */
static gboolean
weigh_limits (FabShare *share)
{
  gboolean any = FALSE;

  for (guint f = 0; f < share->part->len; f++)
    {
      guint32 at = g_array_index (share->part, FabPartFlow, f).flow;
      const FabShareFlow *flow = &share->flows[at];

      if (!flow->waits || share->weights->n_limited[flow->limit] < 2)
        continue;
      if (!any)
        begin (share);
      any = TRUE;
      weigh_output (share, flow->limit);
      share->weights->limited[flow->limit] += share_at_limit (share, at);
    }
  return any;
}

static gboolean
set_weights (FabShare *share)
{
  gboolean any = FALSE;

  for (guint f = 0; f < share->part->len; f++)
    {
      guint32 at = g_array_index (share->part, FabPartFlow, f).flow;
      FabShareFlow *flow = &share->flows[at];
      double weight;

      if (!flow->waits || share->weights->n_limited[flow->limit] < 2)
        continue;
      weight = share_at_limit (share, at) * share->weights->n_limited[flow->limit] / share->weights->limited[flow->limit];
      if (weight > 1 - ALIKE && weight < 1 + ALIKE)
        continue;
      flow->weight = weight;
      any = TRUE;
    }
  return any;
}

gboolean
fab__share_weigh (FabShare *share)
{
  gboolean any;

  if (share->weights == NULL)
    share->weights = weights_new (share);
  find_waiting (share);
  any = weigh_limits (share) && set_weights (share);
  for (guint r = 0; r < share->part_resources->len; r++)
    {
      guint32 at = g_array_index (share->part_resources, guint32, r);

      share->weights->n_limited[at] = 0;
      share->weights->limited[at] = 0;
    }
  return any;
}
