/* fab-family-private.h - what a generator of topologies is: one row of the Meson list
 *
 * A family plans a plane: its switches and its cables. Planning knows no rows of a topology; fab-design-build.c turns plans
 * into them, after explicit switches and links were added and every port was seen to be used once.
 */
#pragma once
#include "design/fab-design-private.h"

G_BEGIN_DECLS

typedef struct
{
  char          *name;       /* "leaf1" */
  const FabPart *part;
  guint32        tier;
} FabPlanSwitch;

/* One end of a cable. */
typedef struct
{
  guint32 switch_row;   /* of the plan; FAB_NONE: a host's port */
  guint32 host;         /* row of the plan's hosts; FAB_NONE: a switch's port */
  guint16 port;         /* of a switch, from 1 */
  guint16 half;         /* of a split port: 1 or 2 …; 0: whole */
} FabPlanEnd;

typedef struct
{
  FabPlanEnd          a, b;
  const FabCableSpec *spec;
} FabPlanCable;

/* A host's network port on the plane. */
typedef struct
{
  guint32 node;         /* position among the plane's nodes */
  guint32 rail;         /* position among the node's ports of this plane */
  guint32 port;         /* row of the topology under construction */
  const char *node_name, *device_name;   /* and "p<number>": its address; borrowed */
  guint   number;
} FabPlanHost;

typedef struct
{
  const FabPlaneSpec *plane;
  GArray     *hosts;      /* FabPlanHost, node by node, rail by rail */
  guint32     n_nodes;
  GArray     *switches;   /* FabPlanSwitch */
  GArray     *cables;     /* FabPlanCable */
} FabPlan;

struct _FabFamily
{
  const char  *name;
  const char  *summary;
  const char *const *keys;   /* of its block in the file, beside "family" */
  /* Reads and checks the block into plane->spec (g_malloc'd; the design frees it). */
  gboolean   (*read) (FabDesign *design, FabPlaneSpec *plane, GError **error);
  gboolean   (*plan) (const FabPlaneSpec *plane, FabPlan *plan, GError **error);
};

extern const FabFamily *const fab__families[];   /* NULL-terminated */

/* Names "<stem><first + i>", one part, one tier. Returns the row of the first. */
guint32 fab__plan_add_switches (FabPlan *plan, const char *stem, guint32 first_number, guint32 n, const FabPart *part, guint32 tier);
void    fab__plan_add_cable    (FabPlan *plan, FabPlanEnd a, FabPlanEnd b, const FabCableSpec *spec);

/* How many ends of @spec's speed one full port of @part splits into (NDR200 on an NDR switch: 2). */
guint   fab__plan_split        (const FabPart *part, const FabCableSpec *spec);
/* The @index-th (from 0) end of @spec's speed on switch @row, its ports counted from @first_port (from 1). */
FabPlanEnd fab__plan_switch_end (const FabPlan *plan, guint32 row, guint first_port, guint index, guint split);
/* The tapering number of uplinks: ceil (down / (ratio × uplink rate)). */
guint   fab__plan_uplinks      (guint64 down_bps, double ratio, const FabCableSpec *uplink);

/* Reads a part name of the family's block; the error names the nearest. */
gboolean fab__family_get_switch (const FabDesign *design, const FabPlaneSpec *plane, const char *key, const FabPart **part, GError **error);
gboolean fab__family_get_count  (const FabPlaneSpec *plane, const char *key, guint64 max, guint *count, GError **error);

G_END_DECLS
