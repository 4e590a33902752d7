/* fab-check-private.h - design rules: what each looks for, and what all of them look at
 *
 * A subject is one file fab-rules-<subject>.c ending in `const FabRuleSet fab__rules_<subject>`; the Meson list of subjects makes
 * the table. Ids are stable: a rule that goes leaves a gap.
 */
#pragma once
#include "analysis/fab-capacity-private.h"
#include "fab-analysis.h"

G_BEGIN_DECLS

typedef struct _FabRule  FabRule;
typedef struct _FabCheck FabCheck;

struct _FabRule
{
  const char  *id;         /* "FAB001" */
  FabSeverity  severity;
  const char  *title;      /* what it looks for */
  const char  *why;        /* why that matters */
  const char  *fix;        /* what to do about it */
  void       (*look) (FabCheck *check);
};

typedef struct
{
  const FabRule *rules;
  gsize          n_rules;
} FabRuleSet;

extern const FabRuleSet *const fab__rule_sets[];   /* NULL-terminated; ids ascend through all of them */

/* Cables of a plane that are alike: one speed, part and length between the same two kinds of device. */
typedef struct
{
  const FabLink      *link;      /* the first of them */
  const FabPlaneSpec *plane;
  const FabCableSpec *spec;      /* where the file speaks of it */
  const FabPart      *ends[2];   /* NICs and switches, from and to */
  guint32             n_cables;
} FabCableClass;

/* What one workload sends over. */
typedef struct
{
  guint8  *links;          /* one a directed link: 1 where it passes; NULL: nothing could be built */
  guint32  n_unreachable;  /* transfers without a path */
  char    *reason;         /* why nothing could be built; NULL */
} FabUse;

typedef struct
{
  const FabRule *rule;
  const FabItem *item;    /* the place in the file; NULL: none */
  char          *where;   /* address or key path */
  char          *what;    /* the finding itself, with its figures */
} FabFinding;

struct _FabCheck
{
  const FabDesign *design;
  FabTopology     *topology;
  FabCapacity     *capacities;    /* one a plane */
  GArray          *cables;        /* FabCableClass */
  FabUse          *uses;          /* one a workload */
  guint32         *first_nodes;   /* one a group of nodes: the row of its first */
  const FabRule   *rule;          /* the one that looks */
  GArray          *findings;      /* FabFinding */
};

FabCheck *fab__check_new  (const FabDesign *design, FabTopology *topology);
void      fab__check_free (FabCheck *check);

/* The rule that looks has found something at @item; @where names it better than the item's key path does, or is NULL. */
void fab__check_add (FabCheck *check, const FabItem *item, const char *where, const char *format, ...) G_GNUC_PRINTF (4, 5);

/* NULL: no rule has this id. */
const FabRule *fab__rule_lookup (const char *id);

/* ---- what rules ask ---- */

/* "gpu[001-048]/nic2": @devices (names, NULL-terminated) in all nodes of a group. */
char *fab__check_group_place (const FabNodeGroup *group, const char *const *devices);
/* "compute/leaf[1-4]": the switches of @plane whose @marked entry (in the plane's order) is set. */
char *fab__check_switch_place (const FabCheck *check, guint32 plane, const guint8 *marked);
/* The topology's row of device @device of the group's type, in the group's first node. */
guint32 fab__check_device (const FabCheck *check, guint group, guint device);
/* The ports of a group's nodes that serve @plane; NULL: it has none. */
const FabNodeRole *fab__check_role (const FabCheck *check, guint group, guint plane);
/* TRUE if @workload's data passes a link between switches of its plane. */
gboolean fab__check_crosses (const FabCheck *check, guint workload);
/* A full packet of @plane as switches store it: payload and headers in whole blocks of 64 bytes. */
guint64  fab__check_packet_bytes (const FabCheck *check, guint plane);
/* The item under @keys (NULL-terminated path) of @item, as deep as it goes: the nearest line to point at. */
const FabItem *fab__check_item (const FabItem *item, const char *const *keys);
/* The parts of a plane's switches, each once; borrowed pointers in a new array. */
GPtrArray *fab__check_switch_parts (const FabCheck *check, guint plane);

void fab__check_gather_cables (FabCheck *check);
void fab__check_gather_uses   (FabCheck *check);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabCheck, fab__check_free)

G_END_DECLS
