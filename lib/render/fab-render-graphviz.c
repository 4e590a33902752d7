/* fab-render-graphviz.c: a placed diagram drawn by Graphviz; the only file that knows it
 *
 * Every box and line has its place: the engine nop2 takes them as they are. Graphviz keeps state in globals and crashes with two threads:
 * one lock guards all of it, and its messages, which it prints by default, are kept.
 */
#include "fab-diagram-private.h"
#include <cgraph.h>
#include <gvc.h>
#include <string.h>

#define FONT      "DejaVu Sans"
#define FONT_BOLD "DejaVu Sans Bold"

static GMutex graphviz_lock;   /* of a library that is global itself */

static int
swallow (char *message)
{
  return 0;
}

static void
set (void *object, const char *name, const char *value)
{
  agsafeset (object, (char *) (gsize) name, (char *) (gsize) value, (char *) (gsize) "");
}

static void
set_number (void *object, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  set (object, name, g_ascii_formatd (text, sizeof text, "%.3f", value));
}

/* Texts in which Graphviz would see escapes (\\N, \\G), lines parted by its own. */
static void
set_text (void *object, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autoptr (GString) escaped = g_string_new (valid);

  g_string_replace (escaped, "\\", "\\\\", 0);
  g_string_replace (escaped, "\n", "\\n", 0);
  set (object, name, escaped->str);
}

/* "x,y" with points for decimals whatever the locale. */
static void
append_point (GString *text, double x, double y)
{
  char x_text[G_ASCII_DTOSTR_BUF_SIZE], y_text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "%s%s,%s", text->len > 0 ? " " : "", g_ascii_formatd (x_text, sizeof x_text, "%.2f", x),
                          g_ascii_formatd (y_text, sizeof y_text, "%.2f", y));
}

static void
set_point (void *object, const char *name, double x, double y)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_point (text, x, y);
  set (object, name, text->str);
}

/* ---- boxes and lines ---- */

static Agnode_t *
add_node (Agraph_t *graph, guint index)
{
  char name[24];

  g_snprintf (name, sizeof name, "b%u", index);
  return agnode (graph, name, TRUE);
}

static void
add_box (Agraph_t *graph, guint index, const FabBox *row)
{
  Agnode_t *node = add_node (graph, index);

  set_point (node, "pos", row->x, row->y);
  set_number (node, "width", row->width / 72);
  set_number (node, "height", row->height / 72);
  set (node, "fixedsize", "true");
  set (node, "shape", "box");
  set_text (node, "label", row->label != NULL ? row->label : "");
  set_text (node, "tooltip", row->tooltip != NULL ? row->tooltip : " ");
  set_number (node, "fontsize", row->font_pt);
  set (node, "fontname", row->bold ? FONT_BOLD : FONT);
  set (node, "style", row->kind == FAB_BOX_TEXT ? "filled" : row->kind == FAB_BOX_PANEL ? "solid" : row->kind == FAB_BOX_FRAME ? "rounded" : "filled,rounded");
  set (node, "fillcolor", row->fill != NULL && !row->down ? row->fill : "transparent");
  set (node, "color", row->border != NULL ? row->border : "transparent");
  set_number (node, "penwidth", row->border == NULL ? 0 : row->kind == FAB_BOX_PANEL ? 1.6 : row->strong ? 2.4 : 1.2);
}

/* A line hangs between two points of no size, and is drawn as a straight spline. */
static void
add_line (Agraph_t *graph, guint index, const FabLine *line)
{
  static const char *const styles[] = { "solid", "dashed", "dotted" };
  g_autoptr (GString) spline = g_string_new (NULL);
  Agnode_t *ends[2];
  Agedge_t *edge;

  for (guint e = 0; e < 2; e++)
    {
      char name[24];

      g_snprintf (name, sizeof name, "l%u%c", index, e == 0 ? 'a' : 'b');
      ends[e] = agnode (graph, name, TRUE);
      set (ends[e], "style", "invis");
      set (ends[e], "shape", "point");
      set (ends[e], "label", "");
      set_number (ends[e], "width", 0.001);
      set_number (ends[e], "height", 0.001);
      set_point (ends[e], "pos", e == 0 ? line->x1 : line->x2, e == 0 ? line->y1 : line->y2);
    }
  edge = agedge (graph, ends[0], ends[1], NULL, TRUE);
  for (guint i = 0; i < 4; i++)
    append_point (spline, line->x1 + (line->x2 - line->x1) * i / 3, line->y1 + (line->y2 - line->y1) * i / 3);
  set (edge, "pos", spline->str);
  set (edge, "color", line->colour);
  set (edge, "style", styles[line->stroke]);
  set_number (edge, "penwidth", line->width_pt);
  set_text (edge, "tooltip", line->tooltip != NULL ? line->tooltip : " ");
}

/* Lines first, boxes over them; panels are frames without fill, so that lines show inside. */
static Agraph_t *
graph_of (const FabDiagram *diagram, const char *title)
{
  Agraph_t *graph = agopen ((char *) (gsize) "fabric", Agundirected, NULL);

  set (graph, "outputorder", "edgesfirst");
  set (graph, "bgcolor", "white");
  set (graph, "pad", "0.2");
  set (graph, "splines", "line");
  set (graph, "charset", "UTF-8");
  if (title != NULL)
    {
      set_text (graph, "tooltip", title);
      set_text (graph, "label", title);
      set (graph, "labelloc", "t");
      set (graph, "fontname", FONT_BOLD);
      set (graph, "fontsize", "15");
    }
  for (guint i = 0; i < diagram->boxes->len; i++)
    add_box (graph, i, &g_array_index (diagram->boxes, FabBox, i));
  for (guint i = 0; i < diagram->lines->len; i++)
    add_line (graph, i, &g_array_index (diagram->lines, FabLine, i));
  return graph;
}

/* Cairo writes the time of day into a PDF; the same picture is to be the same bytes. */
static void
settle_date (char *data, gsize len)
{
  static const char key[] = "/CreationDate (D:", date[] = "19700101000000";
  const gsize key_len = sizeof key - 1, date_len = sizeof date - 1;

  for (gsize i = 0; i + key_len + date_len <= len; i++)
    if (memcmp (data + i, key, key_len) == 0)
      {
        memcpy (data + i + key_len, date, date_len);
        return;
      }
}

/* What Graphviz takes for a font's name no browser finds as a family: it would draw the letters in another font. */
static GBytes *
name_fonts (const char *svg, gsize len)
{
  GString *text = g_string_new_len (svg, (gssize) len);

  g_string_replace (text, "font-family=\"" FONT_BOLD "\"", "font-family=\"" FONT ",Verdana,sans-serif\" font-weight=\"bold\"", 0);
  g_string_replace (text, "font-family=\"" FONT "\"", "font-family=\"" FONT ",Verdana,sans-serif\"", 0);
  return g_string_free_to_bytes (text);
}

/* Under the lock. One for the life of the process: the Pango plugin of Graphviz 2.43 keeps a pointer to the name of the font it measured
 * last, which dies with the context, and reads it in the next. */
static GVC_t *
require_context (void)
{
  static GVC_t *context;

  if (context == NULL)
    context = gvContext ();
  return context;
}

static GBytes *
draw (const FabDiagram *diagram, const char *title, const char *format)
{
  GVC_t *context = require_context ();
  Agraph_t *graph = graph_of (diagram, title);
  GBytes *bytes = NULL;
  char *data = NULL;
  unsigned int len = 0;

  if (gvLayout (context, graph, "nop2") == 0)
    {
      if (gvRenderData (context, graph, format, &data, &len) == 0 && data != NULL)
        {
          if (g_str_equal (format, "pdf"))
            settle_date (data, len);
          bytes = g_str_equal (format, "svg") ? name_fonts (data, len) : g_bytes_new (data, len);
        }
      gvFreeRenderData (data);
      gvFreeLayout (context, graph);
    }
  agclose (graph);
  return bytes;
}

GBytes *
fab_diagram_draw (const FabDiagram *diagram, const char *title, const char *format, GError **error)
{
  agerrlevel_t level;
  agusererrf printer;
  GBytes *bytes;

  g_mutex_lock (&graphviz_lock);
  level = agseterr (AGWARN);   /* below the level they would go to a temporary file */
  printer = agseterrf (swallow);
  bytes = draw (diagram, title, format);
  agseterrf (printer);   /* the caller's own Graphviz speaks as before */
  agseterr (level);
  g_mutex_unlock (&graphviz_lock);
  if (bytes == NULL)
    g_set_error (error, FAB_ERROR, FAB_ERROR_UNSUPPORTED, "render: expected Graphviz to draw %s; is its plugin for it installed?", format);
  return bytes;
}
