/* fab-answer.h - what a question brings back: sentences first, then records and tables, each at its JSON path
 *
 * A path is "planes.compute.tiers": each segment a key of nested JSON objects. A record is a table of one row whose cells
 * become keys of the object at its path (several records may add to one object); a table becomes an array of objects.
 */
#pragma once
#include "fab-table.h"

G_BEGIN_DECLS

typedef struct _FabAnswer FabAnswer;

typedef enum { FAB_SECTION_RECORD, FAB_SECTION_TABLE } FabSectionKind;

typedef struct
{
  FabSectionKind  kind;
  const char     *path;    /* "" for a record at the root */
  const char     *title;   /* of the text form; NULL: JSON and CSV only */
  const FabTable *table;
} FabSection;

/* @schema: "fabsim.run/1". */
FAB_API FabAnswer *fab_answer_new   (const char *schema);
FAB_API FabAnswer *fab_answer_ref   (FabAnswer *answer);
FAB_API void       fab_answer_unref (FabAnswer *answer);

/* A sentence of the text form, before all tables, in the order said; JSON has them as "says": ["…"]. */
FAB_API void fab_answer_say       (FabAnswer *answer, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Take @table. */
FAB_API void fab_answer_add_record (FabAnswer *answer, const char *path, const char *title, FabTable *table);
FAB_API void fab_answer_add_table  (FabAnswer *answer, const char *path, const char *title, FabTable *table);
/* The command then exits with 1: a rule, an expectation or a difference was found. */
FAB_API void fab_answer_set_found  (FabAnswer *answer, gboolean found);

/* Says and adds what @other has, after what is there; "found" if either has. */
FAB_API void fab_answer_append    (FabAnswer *answer, const FabAnswer *other);

FAB_API const char        *fab_answer_schema   (const FabAnswer *answer);
FAB_API const char *const *fab_answer_says     (const FabAnswer *answer);   /* NULL-terminated, borrowed */
FAB_API gsize              fab_answer_n_sections (const FabAnswer *answer);
FAB_API const FabSection  *fab_answer_section  (const FabAnswer *answer, gsize section);
FAB_API gboolean           fab_answer_found    (const FabAnswer *answer);

/* One row a metric: {key, json_path, value, unit, better, meaning}. A metric's key is its path without the leading "planes",
 * "workloads" or "scenarios", a table's own segment replaced by the row's name:
 * .planes.compute.tiers[0].oversubscription is "compute.leaf.oversubscription". */
FAB_API FabTable *fab_answer_metrics (const FabAnswer *answer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabAnswer, fab_answer_unref)

G_END_DECLS
