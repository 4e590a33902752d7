/* fab-diagram.c: the parts of a diagram, and its colours */
#include "fab-diagram-private.h"
#include <string.h>

static void
box_clear (gpointer data)
{
  FabBox *box = data;

  g_free (box->label);
  g_free (box->tooltip);
}

static void
line_clear (gpointer data)
{
  FabLine *line = data;

  g_free (line->tooltip);
}

FabDiagram *
fab_diagram_new (void)
{
  FabDiagram *diagram = g_new0 (FabDiagram, 1);

  diagram->boxes = g_array_new (FALSE, FALSE, sizeof (FabBox));
  diagram->lines = g_array_new (FALSE, FALSE, sizeof (FabLine));
  g_array_set_clear_func (diagram->boxes, box_clear);
  g_array_set_clear_func (diagram->lines, line_clear);
  return diagram;
}

void
fab_diagram_free (FabDiagram *diagram)
{
  if (diagram == NULL)
    return;
  g_array_unref (diagram->boxes);
  g_array_unref (diagram->lines);
  g_free (diagram);
}

FabBox *
fab_diagram_add_box (FabDiagram *diagram, FabBoxKind kind, double x, double y, double width, double height, char *label, char *tooltip)
{
  FabBox box = {
    .kind = kind, .x = x, .y = y, .width = width, .height = height, .label = label, .tooltip = tooltip, .fill = "#ffffff", .border = "#333333",
    .font_pt = FAB_DIAGRAM_FONT_PT,
  };

  g_array_append_val (diagram->boxes, box);
  return &g_array_index (diagram->boxes, FabBox, diagram->boxes->len - 1);
}

FabLine *
fab_diagram_add_line (FabDiagram *diagram, double x1, double y1, double x2, double y2, char *tooltip)
{
  FabLine line = { .x1 = x1, .y1 = y1, .x2 = x2, .y2 = y2, .tooltip = tooltip, .colour = "#555555", .width_pt = 1 };

  g_array_append_val (diagram->lines, line);
  return &g_array_index (diagram->lines, FabLine, diagram->lines->len - 1);
}

double
fab_diagram_text_width (const char *text, double font_pt)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  glong longest = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    longest = MAX (longest, g_utf8_strlen (lines[i], -1));
  return (double) longest * font_pt * 0.62;   /* DejaVu Sans, mixed text, a little over */
}

static double
text_height (const char *text, double font_pt)
{
  guint n_lines = 1;

  for (const char *p = strchr (text, '\n'); p != NULL; p = strchr (p + 1, '\n'))
    n_lines++;
  return n_lines * font_pt * 1.3;
}

FabBox *
fab_diagram_add_text (FabDiagram *diagram, double x, double y, const char *text, double font_pt, gboolean bold)
{
  FabBox *box = fab_diagram_add_box (diagram, FAB_BOX_TEXT, x, y, fab_diagram_text_width (text, font_pt) * (bold ? 1.1 : 1) + 6,
                                     text_height (text, font_pt) + 2, g_strdup (text), NULL);

  box->font_pt = font_pt;
  box->bold = bold;
  box->fill = box->border = NULL;
  return box;
}

/* ---- colours (after Okabe and Ito, readable with colour blindness; pale for fills) ---- */

const char *
fab_diagram_rail_colour (guint rail)
{
  static const char *const colours[] = { "#cfe4f5", "#fde3b5", "#cdebdd", "#f3d2e4", "#f8f3b0", "#e0d5f0", "#f6cfc0", "#dcdcdc" };

  return colours[rail % G_N_ELEMENTS (colours)];
}

const char *
fab_diagram_plane_colour (guint plane)
{
  static const char *const colours[] = { "#0b5394", "#006d4e", "#b45f06", "#666666", "#741b47", "#8a6d00" };

  return colours[plane % G_N_ELEMENTS (colours)];
}

FabStroke
fab_diagram_plane_stroke (guint plane)
{
  return (FabStroke) (plane % FAB_N_STROKES);
}

const char *
fab_diagram_heat_colour (double load)
{
  static const char *const colours[] = { "#c9d6df", "#9ecae1", "#fdd870", "#f28e2b", "#c4161c" };
  gint step = (gint) (load * (double) G_N_ELEMENTS (colours));

  return colours[CLAMP (step, 0, (gint) G_N_ELEMENTS (colours) - 1)];
}
