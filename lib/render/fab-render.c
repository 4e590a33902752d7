/* fab-render.c: from a topology to the bytes of a picture */
#include "fab-diagram-private.h"

void
fab_render_options_init (FabRenderOptions *options)
{
  *options = (FabRenderOptions) { .view = FAB_RENDER_FABRIC };
}

static gboolean
check_format (const char *format, GError **error)
{
  static const char *const formats[] = { "dot", "svg", "png", "pdf", NULL };

  if (g_strv_contains (formats, format))
    return TRUE;
  g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "render: expected one of dot, svg, png, pdf; got “%s”", format);
  return FALSE;
}

static gboolean
check_path (const FabTopology *topology, const FabRenderOptions *options, GError **error)
{
  for (gsize i = 0; i < options->n_path; i++)
    if (options->path[i] >= fab_topology_n_links (topology))
      {
        g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "render: path: expected links below %u, got %u", fab_topology_n_links (topology),
                     options->path[i]);
        return FALSE;
      }
  return TRUE;
}

/* Said before Graphviz is asked: cairo refuses pictures over 32,767 pixels after minutes of work. */
static gboolean
check_size (const FabDiagram *diagram, GError **error)
{
  double left = 0, right = 0, bottom = 0, top = 0;

  for (guint i = 0; i < diagram->boxes->len; i++)
    {
      const FabBox *box = &g_array_index (diagram->boxes, FabBox, i);

      left = MIN (left, box->x - box->width / 2);
      right = MAX (right, box->x + box->width / 2);
      bottom = MIN (bottom, box->y - box->height / 2);
      top = MAX (top, box->y + box->height / 2);
    }
  if (right - left <= FAB_DIAGRAM_MAX_PT && top - bottom <= FAB_DIAGRAM_MAX_PT)
    return TRUE;
  g_set_error (error, FAB_ERROR, FAB_ERROR_LIMIT, "render: expected a picture of at most %.0f points a side, this one needs %.0f × %.0f; draw one plane, Pod or node",
               FAB_DIAGRAM_MAX_PT, right - left, top - bottom);
  return FALSE;
}

GBytes *
fab_render (const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, const char *format, GError **error)
{
  g_autoptr (FabDiagram) diagram = fab_diagram_new ();
  gboolean ok = check_format (format, error) && check_path (topology, options, error);

  if (ok && options->view == FAB_RENDER_NODE)
    ok = fab_diagram_node (diagram, topology, faults, options, error);
  else if (ok)
    ok = fab_diagram_fabric (diagram, topology, faults, options, error);
  return ok && check_size (diagram, error) ? fab_diagram_draw (diagram, options->title, format, error) : NULL;
}
