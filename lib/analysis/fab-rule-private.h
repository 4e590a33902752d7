/* fab-rule-private.h - what a design rule is, and what rules look at
 */
#pragma once
#include "analysis/fab-capacity-private.h"
#include "fab-analysis.h"

G_BEGIN_DECLS

typedef struct _FabRule FabRule;

typedef struct
{
  const FabRule *rule;
  const FabItem *item;     /* where the file says it; NULL: nowhere */
  char          *where;    /* address or key */
  char          *what;     /* this case, in a sentence */
} FabFinding;

/* All borrowed but the findings. */
typedef struct
{
  const FabDesign   *design;
  FabTopology       *topology;
  const FabCapacity *capacities;   /* one a plane */
  GArray            *findings;     /* FabFinding */
} FabCheck;

struct _FabRule
{
  const char *id;            /* stable: scripts and accept: name it */
  FabSeverity severity;
  const char *title;         /* what it looks for */
  const char *why;           /* why it matters */
  const char *fix;           /* what to do about it */
  void      (*find) (const FabRule *rule, FabCheck *check);   /* adds a finding a cause, not one a node */
};

/* One array a subject, ended by a row without id. */
extern const FabRule fab__rules_links[], fab__rules_subnet[], fab__rules_planes[], fab__rules_nodes[], fab__rules_design[];

/* @where: an address or key; copied. @format: the case. */
void fab__check_add (FabCheck *check, const FabRule *rule, const FabItem *item, const char *where, const char *format, ...) G_GNUC_PRINTF (5, 6);

/* The rule of that id; NULL. */
const FabRule *fab__rule_lookup (const char *id);

/* "gpu[001-048]" of a group. Caller frees. */
char *fab__group_hostlist (const FabNodeGroup *group);

/* The part of @kind with @name in the design's catalog, NULL with a NULL name. */
const FabPart *fab__check_part (const FabCheck *check, FabPartKind kind, const char *name);

G_END_DECLS
