/* fab-share-part-private.h - the part of the fabric being solved, for the files that solve it
 */
#pragma once
#include "fab-share-private.h"
#include "subnet/fab-arbitration-private.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 flow;
  guint32 hop;            /* of its route: this resource */
} FabMember;

typedef struct
{
  double   capacity;      /* bytes a second; 0: no such resource */
  double   left;          /* while solving */
  double   weight;        /* of the unfixed flows on it, while solving */
  FabMember *members;     /* flows on it; those gone are dropped when it is next read */
  guint32  n_members;     /* gone ones included */
  guint32  room;
  guint32  n_live;
  guint32  n_coming;      /* of flows added since the last solve */
  guint32  n_unfixed;     /* while solving */
  guint32  seen;          /* the solve that last looked here */
  guint8   dirty;         /* stands among the resources touched */
  guint8   is_carved;     /* members[] is of a block */
  guint8   needless;      /* never the narrowest of a route: routes leave it out */
} FabResource;

typedef struct
{
  double   rate;          /* bytes a second; 0: not solved yet */
  double   weight;        /* 1 but where outputs give unequal shares */
  guint32  route;
  guint32  limit;
  guint32  seen;
  guint8   lane;
  guint8   alive;
  guint8   fixed;
  guint8   waits;         /* for an output that could give it more or less */
} FabShareFlow;
G_STATIC_ASSERT (sizeof (FabShareFlow) == 32);   /* two to a cache line */

typedef struct
{
  double  cap;            /* bytes a second; 0: none */
  guint32 cap_link;
  guint32 first, n;       /* rows of hops[] */
  gboolean spread;        /* over many ways at once */
} FabShareRouteRow;

typedef struct
{
  double  old_rate;
  guint32 flow;
  guint32 old_limit;
} FabPartFlow;

/* The flow stands for itself: at its source and at its NIC, spread over many ways, on Ethernet (where congestion control shares by flow),
 * or where inputs do not count. */
#define FAB_OWN_INPUT G_MAXUINT16

typedef struct { double level; guint32 id; } FabLevel;   /* a resource, or n_resources + flow for a flow's own cap */

struct _FabShare
{
  const FabTopology *topology;
  FabSharing         sharing;
  const FabQos     **lanes;         /* one a plane; NULL: all lanes alike */
  guint32            n_links;
  guint32            n_resources;   /* n_links, then one a link pair */
  guint32            n_flows;
  FabResource       *resources;
  FabShareFlow      *flows;
  GArray            *routes;        /* FabShareRouteRow */
  GArray            *hops;          /* resources (guint32) of all routes */
  GArray            *parts;         /* double, beside hops; empty until a route is spread */
  GArray            *inputs;        /* guint16, beside hops: the hop of the route by which a flow comes in there, or FAB_OWN_INPUT */
  GArray            *added;         /* flows, since the last solve */
  GArray            *dirty;         /* resources touched since the last solve */
  GPtrArray         *blocks;        /* memory that members[] of many resources are carved from */
  GArray            *part;          /* FabPartFlow of the part being solved */
  GArray            *part_resources;
  GArray            *heap;          /* FabLevel */
  guint32            solve;
  guint              weigh_below;   /* flows of a part that outputs weigh */
  gboolean           unequal_lanes; /* flows on more than one lane have been seen */
  struct _FabShareWeights *weights; /* scratch of fab-share-weights.c */
  struct _FabShareBlind   *blind;   /* what fab-share-blind.c has seen */
};

static inline FabResource *
fab__share_resource (const FabShare *share, guint32 resource)
{
  return &share->resources[resource];
}

static inline const FabShareRouteRow *
fab__share_route_of (const FabShare *share, const FabShareFlow *flow)
{
  return &g_array_index (share->routes, FabShareRouteRow, flow->route);
}

static inline const guint32 *
fab__share_hops (const FabShare *share, const FabShareRouteRow *route)
{
  return (const guint32 *) (const void *) share->hops->data + route->first;
}

/* NULL: every part is 1. */
static inline const double *
fab__share_parts (const FabShare *share, const FabShareRouteRow *route)
{
  return route->spread ? (const double *) (const void *) share->parts->data + route->first : NULL;
}

/* The link that a full @resource of @flow's route stands for: an aggregate is charged to the direction the flow takes. */
guint32  fab__share_link_of (const FabShare *share, const FabShareFlow *flow, guint32 resource);

/* Sets rate and limit of every flow of the part, by their weights. */
void     fab__share_fill    (FabShare *share);

/* Weighs the flows of the part as the outputs that now limit them would; TRUE where any weight is not 1. */
gboolean fab__share_weigh   (FabShare *share);
void     fab__share_weights_free (struct _FabShareWeights *weights);

/* A flow at its own cap waits for no output. */
static inline gboolean
fab__share_is_capped (const FabShare *share, const FabShareFlow *flow)
{
  const FabShareRouteRow *route = fab__share_route_of (share, flow);

  return route->cap > 0 && flow->rate >= route->cap;
}

/* Notes where the part just solved may not behave as flows do. */
void     fab__share_look_for_blind (FabShare *share);
void     fab__share_blind_free     (struct _FabShareBlind *blind);

G_END_DECLS
