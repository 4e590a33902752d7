/* fab-draw.c: loads libfabsim-render when something is to be drawn: no other verb pays for Graphviz */
#include "fab-draw.h"
#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libfabsim-render.so.0"

typedef GBytes *(*RenderFunc) (const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, const char *format, GError **error);

static RenderFunc
load_render (GError **error)
{
  void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library != NULL ? dlsym (library, "fab_render") : NULL;
  RenderFunc render = NULL;

  if (symbol == NULL)
    g_set_error (error, FAB_ERROR, FAB_ERROR_UNSUPPORTED, "render: expected %s beside fabsim, got “%s”", LIBRARY, dlerror ());
  else
    memcpy (&render, &symbol, sizeof render);   /* the way POSIX has from object to function pointer */
  return render;
}

static const char *
format_of (const char *format, const char *path)
{
  const char *dot = strrchr (path, '.');

  if (format != NULL)
    return format;
  return dot != NULL ? dot + 1 : "svg";
}

int
draw_to_file (const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, const char *format, const char *path, GError **error)
{
  RenderFunc render = load_render (error);
  g_autoptr (GBytes) picture = NULL;
  gboolean closed;
  gconstpointer bytes;
  gsize len;

  if (render == NULL)
    return STATUS_FAILED;
  picture = render (topology, faults, options, format_of (format, path), error);
  if (picture == NULL)
    return STATUS_INPUT;
  bytes = g_bytes_get_data (picture, &len);
  return fab_report_write (path, bytes, len, &closed, error) ? STATUS_FINE : STATUS_FAILED;
}
