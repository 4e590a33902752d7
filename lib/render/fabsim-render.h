/* fabsim-render.h - diagrams (libfabsim-render, a library of its own: Graphviz is EPL)
 *
 * A topology becomes a diagram model (boxes and lines with classes), the model gets coordinates of our own, Graphviz draws.
 */
#pragma once
#include <fabsim.h>

G_BEGIN_DECLS

typedef enum { FAB_RENDER_FABRIC, FAB_RENDER_PLANE, FAB_RENDER_NODE, FAB_RENDER_POD } FabRenderView;

typedef struct
{
  FabRenderView  view;
  const char    *plane;       /* of the views plane and Pod; NULL: the first */
  const char    *pod;         /* of the view Pod, "pod1" …: leaves under spines of their own, numbered by first leaf; NULL: the first */
  const char    *node;        /* of the view node; NULL: the first with GPUs */
  const double  *link_loads;  /* utilisation 0…1 one a directed link, drawn as heat with a legend; NULL: none */
  const guint32 *path;        /* links to highlight; NULL: none */
  gsize          n_path;
  const char    *title;       /* NULL: none */
} FabRenderOptions;

FAB_API void fab_render_options_init (FabRenderOptions *options);

/* @format "dot", "svg", "png" or "pdf". The bytes of the picture; @faults may be NULL (what is down is drawn as such).
 * Thread safe: one lock around Graphviz. Sizes are checked before Graphviz is asked: FAB_ERROR_LIMIT. */
FAB_API GBytes *fab_render (const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options,
                            const char *format, GError **error);

G_END_DECLS
