/* fab-report.c: an answer by the name of a format */
#include "fab-report.h"

static char *
print_text (const FabAnswer *answer, const FabTextStyle *style)
{
  return fab_report_text (answer, style);
}

static char *
print_json (const FabAnswer *answer, const FabTextStyle *style)
{
  return fab_report_json (answer);
}

static char *
print_csv (const FabAnswer *answer, const FabTextStyle *style)
{
  return fab_report_csv (answer);
}

static const struct
{
  const char *name;
  char *(*print) (const FabAnswer *answer, const FabTextStyle *style);
} formats[] = { { "text", print_text }, { "json", print_json }, { "csv", print_csv } };

char *
fab_report_print (const FabAnswer *answer, const char *format, const FabTextStyle *style, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_equal (formats[i].name, format))
      return formats[i].print (answer, style);
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "format: expected one of text, json, csv; got “%s”", format);
  return NULL;
}
