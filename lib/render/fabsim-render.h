/* fabsim-render.h - diagrams (libfabsim-render, a library of its own: Graphviz is EPL)
 *
 * A topology becomes a diagram model (boxes and lines with classes), the model gets coordinates of our own, Graphviz draws. Like nodes, parallel
 * links and the switches of a large tier are drawn as one; Pods are leaves under spines of their own, "pod1" … in the order of their first leaf.
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
 * Caller unrefs. Thread safe: one lock around Graphviz. Errors: FAB_ERROR_VALUE and FAB_ERROR_UNKNOWN of the options; FAB_ERROR_LIMIT, before Graphviz
 * is asked, above 14,000 points a side; FAB_ERROR_UNSUPPORTED without a Graphviz plugin. O(links + devices) and the boxes drawn: 8,192 hosts in 0.2 s. */
FAB_API GBytes *fab_render (const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options,
                            const char *format, GError **error);

G_END_DECLS
