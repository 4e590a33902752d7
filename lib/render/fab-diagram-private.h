/* fab-diagram-private.h - boxes and lines with places, before anything is drawn
 *
 * A view fills a diagram from a topology; fab-render-graphviz.c draws it as it stands. Places are points (1/72 inch) from the
 * lower left, as PostScript and Graphviz have them.
 */
#pragma once
#include "fabsim-render.h"

G_BEGIN_DECLS

#define FAB_DIAGRAM_FONT_PT  11.0
#define FAB_DIAGRAM_MAX_PT   14000.0   /* beyond, no viewer shows it well and cairo refuses */

typedef enum { FAB_BOX_PANEL, FAB_BOX_FRAME, FAB_BOX_DEVICE, FAB_BOX_TEXT, FAB_BOX_HOP } FabBoxKind;

typedef struct
{
  FabBoxKind  kind;
  double      x, y, width, height;   /* of the centre */
  char       *label;                 /* lines parted by \n */
  char       *tooltip;
  const char *fill, *border;         /* "#rrggbb"; NULL: none */
  double      font_pt;
  gboolean    bold, strong;          /* a thick border */
  gboolean    down;                  /* drawn without fill, so that its cross shows */
} FabBox;

typedef enum { FAB_STROKE_SOLID, FAB_STROKE_DASHED, FAB_STROKE_DOTTED, FAB_N_STROKES } FabStroke;

typedef struct
{
  double      x1, y1, x2, y2;
  char       *tooltip;
  const char *colour;
  FabStroke   stroke;
  double      width_pt;
} FabLine;

typedef struct
{
  GArray *boxes;   /* FabBox; later ones over earlier ones */
  GArray *lines;   /* FabLine */
} FabDiagram;

FabDiagram *fab_diagram_new  (void);
void        fab_diagram_free (FabDiagram *diagram);

/* Take @label and @tooltip. The box returned may be changed until the next add. */
FabBox  *fab_diagram_add_box  (FabDiagram *diagram, FabBoxKind kind, double x, double y, double width, double height, char *label, char *tooltip);
FabLine *fab_diagram_add_line (FabDiagram *diagram, double x1, double y1, double x2, double y2, char *tooltip);
/* Text of its own at (x, y), as wide as it is, on white where @on_white. */
FabBox  *fab_diagram_add_text (FabDiagram *diagram, double x, double y, const char *text, double font_pt, gboolean bold);

/* How a line tells a load, a fault, the highlighted path. */
void     fab_diagram_heat_line  (FabLine *line, double load);
void     fab_diagram_fault_line (FabLine *line);
void     fab_diagram_path_line  (FabLine *line);
/* FALSE: so little that it is not worth a number. */
gboolean fab_diagram_load_counts (double load);

/* Strikes @box, an index, through: a cross under its text. */
void     fab_diagram_cross_out (FabDiagram *diagram, guint box);
/* A number of the highlighted path. */
FabBox  *fab_diagram_add_hop   (FabDiagram *diagram, double x, double y, const char *text);
/* The scale of loads, what a cross is, what a number is: of those that the options make appear. Starts at the left. */
void     fab_diagram_add_legend (FabDiagram *diagram, const FabRenderOptions *options, gboolean faults, double x, double y);

/* TRUE where no device, text or number stands in the rectangle around (x, y). */
gboolean fab_diagram_is_free (const FabDiagram *diagram, double x, double y, double width, double height);

/* How wide @text (its longest line) is at @font_pt, on the safe side. */
double   fab_diagram_text_width (const char *text, double font_pt);
double   fab_diagram_text_height (const char *text, double font_pt);
/* @text with the middle of a line that is too wide left out. Takes @text. */
char    *fab_diagram_shorten (char *text, double font_pt, double width);

/* "400G", "2.5G", "100M"; "28.8 GB/s"; "83 %". The same in every locale. */
char    *fab_diagram_rate_text    (guint64 rate_bps);
char    *fab_diagram_goodput_text (guint64 goodput_bps);
char    *fab_diagram_load_text    (double load);

/* Of the cable of @link: the busier direction; NaN where no loads are asked for. A load that is no number counts as none. */
double   fab_diagram_load (const FabRenderOptions *options, guint32 link);

/* Colours that differ in lightness too, so that grey paper tells them apart. */
const char *fab_diagram_rail_colour  (guint rail);
const char *fab_diagram_plane_colour (guint plane);
FabStroke   fab_diagram_plane_stroke (guint plane);
const char *fab_diagram_heat_colour  (double load);

/* The views. */
gboolean fab_diagram_fabric (FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, GError **error);
gboolean fab_diagram_node   (FabDiagram *diagram, const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, GError **error);

/* @format is one of fab_render()'s. Takes the lock around Graphviz. */
GBytes  *fab_diagram_draw   (const FabDiagram *diagram, const char *title, const char *format, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FabDiagram, fab_diagram_free)

G_END_DECLS
