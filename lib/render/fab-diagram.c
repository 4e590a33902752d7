/* fab-diagram.c: the parts of a diagram, and its colours */
#include "fab-diagram-private.h"
#include <math.h>
#include <string.h>

#define FAULT "#c4161c"
#define PATH  "#7a1fa2"   /* no colour of heat, no fault */

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

/* ---- how large texts are ---- */

/* Advance widths of DejaVu Sans, wide among the usual fonts, in thousandths of the size: U+0020 to U+007E. */
static const guint16 advances[] = {
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636,
  636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
  603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635,
  634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};
G_STATIC_ASSERT (G_N_ELEMENTS (advances) == '~' - ' ' + 1);

double
fab_diagram_text_width (const char *text, double font_pt)
{
  guint64 longest = 0, width = 0;

  for (const char *p = text; *p != '\0'; p += g_utf8_skip[*(const guchar *) p])
    {
      width = *p == '\n' ? 0 : width + (*p >= ' ' && *p <= '~' ? advances[*p - ' '] : 1000);
      longest = MAX (longest, width);
    }
  return (double) longest * font_pt / 1000;
}

/* Whole characters from both ends of @line that fit beside the dots. */
static char *
shorten_line (const char *line, double font_pt, double width)
{
  glong n = g_utf8_strlen (line, -1);

  if (fab_diagram_text_width (line, font_pt) <= width)
    return g_strdup (line);
  for (glong kept = n - 1; kept > 0; kept--)
    {
      g_autofree char *head = g_utf8_substring (line, 0, (kept + 1) / 2);
      g_autofree char *tail = g_utf8_substring (line, n - kept / 2, n);
      g_autofree char *tried = g_strdup_printf ("%s…%s", head, tail);

      if (fab_diagram_text_width (tried, font_pt) <= width)
        return g_steal_pointer (&tried);
    }
  return g_strdup ("…");
}

char *
fab_diagram_shorten (char *text, double font_pt, double width)
{
  g_autofree char *taken = text;
  g_auto (GStrv) lines = g_strsplit (taken, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *line = shorten_line (lines[i], font_pt, width);

      g_free (lines[i]);
      lines[i] = line;
    }
  return g_strjoinv ("\n", lines);
}

double
fab_diagram_text_height (const char *text, double font_pt)
{
  guint n_lines = 1;

  for (const char *p = strchr (text, '\n'); p != NULL; p = strchr (p + 1, '\n'))
    n_lines++;
  return n_lines * font_pt * 1.3;
}

FabBox *
fab_diagram_add_text (FabDiagram *diagram, double x, double y, const char *text, double font_pt, gboolean bold)
{
  FabBox *box = fab_diagram_add_box (diagram, FAB_BOX_TEXT, x, y, fab_diagram_text_width (text, font_pt) * (bold ? 1.15 : 1) + 6,
                                     fab_diagram_text_height (text, font_pt) + 2, g_strdup (text), NULL);

  box->font_pt = font_pt;
  box->bold = bold;
  box->fill = box->border = NULL;
  return box;
}

gboolean
fab_diagram_is_free (const FabDiagram *diagram, double x, double y, double width, double height)
{
  for (guint i = 0; i < diagram->boxes->len; i++)
    {
      const FabBox *box = &g_array_index (diagram->boxes, FabBox, i);
      double dx = box->x > x ? box->x - x : x - box->x, dy = box->y > y ? box->y - y : y - box->y;

      if (box->kind > FAB_BOX_FRAME && 2 * dx < box->width + width && 2 * dy < box->height + height)
        return FALSE;
    }
  return TRUE;
}

/* ---- figures ---- */

static char *
figure (const char *format, double value, const char *unit)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strconcat (g_ascii_formatd (digits, sizeof digits, format, value), unit, NULL);
}

char *
fab_diagram_rate_text (guint64 rate_bps)
{
  return rate_bps >= 1000000000 ? figure ("%.4g", (double) rate_bps / 1e9, "G") : figure ("%.4g", (double) rate_bps / 1e6, "M");
}

char *
fab_diagram_goodput_text (guint64 goodput_bps)
{
  return figure ("%.1f", (double) goodput_bps / 8e9, " GB/s");
}

char *
fab_diagram_load_text (double load)
{
  return figure ("%.0f", 100 * load, " %");
}

double
fab_diagram_load (const FabRenderOptions *options, guint32 link)
{
  double load = 0;

  if (options->link_loads == NULL)
    return NAN;
  for (guint32 l = link & ~1u; l <= (link | 1u); l++)
    if (options->link_loads[l] > load)
      load = options->link_loads[l];
  return load;
}

gboolean
fab_diagram_load_counts (double load)
{
  return load >= 0.005;
}

/* ---- marks ---- */

void
fab_diagram_heat_line (FabLine *line, double load)
{
  line->colour = fab_diagram_heat_colour (load);
  line->width_pt = 1 + 4 * MIN (load, 1);
}

void
fab_diagram_fault_line (FabLine *line)
{
  line->colour = FAULT;
  line->stroke = FAB_STROKE_DOTTED;
}

void
fab_diagram_path_line (FabLine *line)
{
  line->colour = PATH;
  line->stroke = FAB_STROKE_SOLID;
  line->width_pt = 4;
}

void
fab_diagram_cross_out (FabDiagram *diagram, guint index)
{
  FabBox *box = &g_array_index (diagram->boxes, FabBox, index);
  double dx = box->width / 2, dy = box->height / 2;

  box->down = TRUE;
  box->border = FAULT;
  for (gint side = -1; side <= 1; side += 2)
    {
      FabLine *line = fab_diagram_add_line (diagram, box->x - dx, box->y - side * dy, box->x + dx, box->y + side * dy, g_strdup ("down"));

      line->colour = "#f0a0a0";
      line->width_pt = 4;
    }
}

FabBox *
fab_diagram_add_hop (FabDiagram *diagram, double x, double y, const char *text)
{
  FabBox *box = fab_diagram_add_text (diagram, x, y, text, 10, TRUE);

  box->kind = FAB_BOX_HOP;
  box->width = MAX (box->width, box->height);
  box->fill = "#ffffff";
  box->border = PATH;
  return box;
}

static double
add_legend_text (FabDiagram *diagram, double x, double y, const char *text)
{
  FabBox *box = fab_diagram_add_text (diagram, x, y, text, 10, FALSE);

  box->x += box->width / 2;
  return box->x + box->width / 2;
}

void
fab_diagram_add_legend (FabDiagram *diagram, const FabRenderOptions *options, gboolean faults, double x, double y)
{
  static const char *const texts[] = { "0–20 %", "20–40 %", "40–60 %", "60–80 %", "80–100 %" };

  if (options->link_loads != NULL)
    {
      x = add_legend_text (diagram, x, y, "load of the busiest cable:") + 42;
      for (guint i = 0; i < G_N_ELEMENTS (texts); i++, x += 74)
        {
          FabBox *box = fab_diagram_add_box (diagram, FAB_BOX_DEVICE, x, y, 70, 18, g_strdup (texts[i]), NULL);

          box->fill = fab_diagram_heat_colour ((i + 0.5) / (double) G_N_ELEMENTS (texts));
          box->font_pt = 10;
        }
    }
  if (options->n_path > 0)
    x = add_legend_text (diagram, x, y, "violet, numbered: the hops of the path") + 20;
  if (faults)
    add_legend_text (diagram, x, y, "crossed out or dotted red: down");
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
  static const char *const colours[] = { "#b7c5cf", "#7fb8dc", "#fdd870", "#f28e2b", "#e4573d" };
  gint step = (gint) (load * (double) G_N_ELEMENTS (colours));

  return colours[CLAMP (step, 0, (gint) G_N_ELEMENTS (colours) - 1)];
}
