/* fab-report.h - an answer as text, JSON or CSV: one printer each
 *
 * Returns the whole text; writing it is the caller's. Deterministic; C locale whatever the process has.
 */
#pragma once
#include "fab-answer.h"
#include "fab-error.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean colour;   /* ANSI attributes for headings and marks */
  guint    width;    /* columns to wrap sentences and long last columns at; 0: never */
} FabTextStyle;

/* Sentences, then each titled section: a record as "heading  value unit" lines, a table with aligned columns, numbers to the
 * right, units in the heading. @style may be NULL. Caller frees. */
FAB_API char *fab_report_text (const FabAnswer *answer, const FabTextStyle *style);

/* {"schema": …, "version": …, keys of the answer in order of addition}; ends in a newline. Caller frees. */
FAB_API char *fab_report_json (const FabAnswer *answer);

/* RFC 4180 with "\n" ends. Every section, one after the other with an empty line between, a header line each; records and
 * tables alike. Caller frees. */
FAB_API char *fab_report_csv  (const FabAnswer *answer);

/* By name: "text", "json", "csv"; FAB_ERROR_UNKNOWN with the names there are. */
FAB_API char *fab_report_print (const FabAnswer *answer, const char *format, const FabTextStyle *style, GError **error);

/* Writes all of @text to @path through a temporary file beside it and renames: whole or not at all; "-" is standard output.
 * FAB_ERROR_WRITE. A closed pipe on standard output is reported as success with *@closed set. */
FAB_API gboolean fab_report_write (const char *path, const char *text, gsize len, gboolean *closed, GError **error);

G_END_DECLS
