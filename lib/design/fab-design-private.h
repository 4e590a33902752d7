/* fab-design-private.h - the design as read, for the rooms that judge or build it
 *
 * Every spec keeps the item it came from, so that a finding can say file and line.
 */
#pragma once
#include "fab-design.h"
#include "fab-packet.h"
#include "catalog/fab-catalog-private.h"

G_BEGIN_DECLS

#define FAB_DESIGN_MAX_NODES    (1u << 20)
#define FAB_DESIGN_MAX_SWITCHES (1u << 20)
#define FAB_DESIGN_MAX_CABLES   (1u << 24)

/* Numbers of all links of one kind in a group's nodes, over what the parts say; 0: as the parts say. */
typedef struct
{
  guint64 goodput_bps, aggregate_bps, flow_write_bps, flow_read_bps;
  guint64 latency_ps;
} FabLinkOverride;

typedef struct
{
  const char        *name;       /* "gpu": also the stem of its nodes' names */
  const FabNodeType *type;       /* with the group's own parts and affinity put in */
  GStrv              nodes;      /* gpu001 … */
  guint32            n_nodes;
  FabLinkOverride    links[FAB_N_LINK_KINDS];
  const FabItem     *item;
} FabNodeGroup;

/* One kind of cable of a plane: host_link, uplink, core_link. */
typedef struct
{
  const FabPart *speed;          /* FAB_PART_SPEED */
  const FabPart *cable;          /* FAB_PART_CABLE; NULL: none given */
  guint64        length_mm;      /* 0: none given */
  guint64        goodput_bps;    /* given outright, over what rate and packet efficiency say; 0: none */
  const FabItem *item;           /* NULL: the plane gives none */
} FabCableSpec;

/* Switches and links listed one by one, beside or instead of a family. */
typedef struct { GStrv names; const FabPart *part; guint tier; const FabItem *item; } FabOwnSwitches;
typedef struct { const FabItem *a, *b; FabCableSpec cable; } FabOwnLink;

typedef struct
{
  const char *name;
  guint16     pkey;              /* as written */
  gboolean    all;               /* members: all */
  GStrv       members;           /* hostlists and addresses; NULL with all */
  const FabItem *item;
} FabPartitionSpec;

typedef struct
{
  const char *on;                /* a switch ("leaf1") or a node */
  guint       priority;          /* 0…15 */
  const FabItem *item;
} FabSmSpec;

typedef struct
{
  const char       *engine;      /* NULL: the default */
  const char       *tables;      /* text of a file of tables that stand in an engine's place; NULL: none */
  const char       *tables_path;
  FabForwarding     forwarding;
  guint             lmc;
  FabQos            qos;
  gboolean          qos_given;
  FabPartitionSpec *partitions;
  guint             n_partitions;
  FabSmSpec        *sms;
  guint             n_sms;
  const FabItem    *item;        /* NULL: no subnet block */
} FabSubnetSpec;

typedef struct _FabFamily FabFamily;   /* a generator: one row of the Meson list, see fab-family-private.h */

typedef struct
{
  const char      *name;
  FabLinkKind      kind;         /* FAB_LINK_INFINIBAND or FAB_LINK_ETHERNET */
  const char      *role;         /* which ports of a node it takes; default the plane's name */
  guint32         *groups;       /* rows of node groups that have such ports (or that `nodes:` names) */
  guint            n_groups;
  guint            mtu_bytes;    /* default 4096 InfiniBand, 1500 … Ethernet per its speed's part */
  const FabFamily *family;
  const FabItem   *topology;     /* the family's own keys */
  gpointer         spec;         /* the family's own, read from them */
  FabCableSpec     host_link, uplink, core_link;
  FabOwnSwitches  *own_switches;  guint n_own_switches;
  FabOwnLink      *own_links;     guint n_own_links;
  FabSubnetSpec    subnet;
  const FabItem   *item;
} FabPlaneSpec;

typedef enum
{
  FAB_PLACEMENT_CONTIGUOUS,      /* the first that are free */
  FAB_PLACEMENT_RANDOM,          /* drawn from the workload's seed */
  FAB_PLACEMENT_SPREAD,          /* as far apart as they come, in file order */
  FAB_PLACEMENT_PER_LEAF,        /* leaf by leaf, those with most free nodes first */
} FabPlacement;

typedef struct
{
  const char    *name;
  const char    *collective;     /* "allreduce"; NULL: a pattern */
  const char    *pattern;        /* "to-storage"; NULL: a collective */
  const char    *algorithm;      /* "hierarchical" */
  gboolean       pipelined;
  gboolean       steps;          /* form: steps */
  guint          node_stage;     /* FabNodeStage */
  guint          channels;       /* at least 1 */
  guint          pieces;         /* of a pipeline; 0: by size */
  guint64        bytes;
  guint          root, by;       /* rank of those with a root; of a shift */
  guint64        seed;           /* of random patterns */
  const char    *ranks;          /* "all", or hostlist addresses of nodes or GPUs */
  guint          n_nodes;        /* that the job gets of those of its ranks; 0: all */
  FabPlacement   placement;      /* which */
  guint          plane;          /* row of planes */
  guint          sl;
  guint64        reduce_bps;
  FabTransportRules rules;       /* the design's with the workload's own over them */
  const FabItem *item;
} FabWorkloadSpec;

typedef struct { guint workload; gint64 start_ps; const FabItem *item; } FabScenarioPart;
typedef struct { const char *name; FabScenarioPart *parts; guint n_parts; const FabItem *item; } FabScenarioSpec;

/* A bound on a metric; NaN where not given. */
typedef struct { const char *metric; double min, max, equals, tolerance; gboolean absent; const FabItem *item; } FabExpectSpec;
typedef struct { const char *id; const char *reason; const FabItem *item; } FabAcceptSpec;

/* One catalog number changed after all overrides. */
typedef struct { FabPartKind kind; const char *part, *key; guint64 value; } FabTweak;

struct _FabDesign
{
  FabDocument     *document;
  FabCatalog      *base_catalog;   /* as given by the caller */
  FabTweak         tweak;          /* part NULL: none */
  FabCatalog      *catalog;        /* with the design's own parts and overrides, and the tweak */
  char            *digest;
  const char      *name;
  FabTransportRules rules;
  FabPacketOptions packet;        /* of the packet engine */
  FabNodeGroup    *groups;     guint n_groups;
  FabPlaneSpec    *planes;     guint n_planes;
  FabWorkloadSpec *workloads;  guint n_workloads;
  FabScenarioSpec *scenarios;  guint n_scenarios;
  FabExpectSpec   *expects;    guint n_expects;
  FabAcceptSpec   *accepts;    guint n_accepts;
  GPtrArray       *owned;      /* memory the specs point into */
};

extern const char *const fab__placement_names[];   /* in the order of FabPlacement, NULL-terminated */

/* Keeps of @ranks (devices) those on the nodes that @workload's job gets. @taken (one a node; NULL: none are) are not given and gain
 * those given. FALSE: not so many are free. */
gboolean fab__design_place (const FabWorkloadSpec *workload, const FabTopology *topology, GArray *ranks, gboolean *taken, GError **error);

/* As fab_design_build_schedule(), of a spec and beside jobs that have @taken their nodes. */
FabSchedule *fab__design_schedule (const FabWorkloadSpec *workload, FabTopology *topology, gboolean *taken, GError **error);

/* Every catalog number with a range that the design's answers rest on: (kind, part, key) with the number. Appends
 * FabRangedNumber to a new array; caller's. */
typedef struct { FabPartKind kind; const char *part; const FabNumber *number; } FabRangedNumber;
GArray *fab__design_ranged_numbers (const FabDesign *design, const FabTopology *topology);

/* The same design with one catalog number changed; builds as the base does. */
FabDesign *fab__design_with_value (const FabDesign *design, FabPartKind kind, const char *part, const char *key, guint64 value, GError **error);

/* Routes of @plane by @engine instead of the design's (NULL: the design's), forwarded as the design says. */
FabRoutes *fab__design_build_routes (const FabDesign *design, FabTopology *topology, const FabFaults *faults, guint32 plane,
                                     const char *engine, GError **error);

guint32 fab__design_lookup_plane (const FabDesign *design, const char *name);   /* FAB_NONE */

G_END_DECLS
