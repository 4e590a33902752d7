/* cmd-render.c: fabsim render */
#include "fab-draw.h"
#include <stdio.h>

static char *view, *plane, *pod, *node, *format, *output, *path, *load;

static const GOptionEntry own[] = {
  { "format", 0, 0, G_OPTION_ARG_STRING, &format, "dot, svg, png or pdf (the suffix of -o decides where none is given)", "FORMAT" },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write to FILE, whole or not at all (standard output)", "FILE" },
  { "view", 0, 0, G_OPTION_ARG_STRING, &view, "fabric (default), plane, pod or node", "VIEW" },
  { "plane", 0, 0, G_OPTION_ARG_STRING, &plane, "Of the views plane and pod (the first)", "PLANE" },
  { "pod", 0, 0, G_OPTION_ARG_STRING, &pod, "Of the pod view: pod1, pod2 … (the first)", "POD" },
  { "node", 0, 0, G_OPTION_ARG_STRING, &node, "Of the node view (the first with GPUs)", "NODE" },
  { "path", 0, 0, G_OPTION_ARG_STRING, &path, "Highlight the way between two devices", "SRC,DST" },
  { "load", 0, 0, G_OPTION_ARG_STRING, &load, "Colour links by how full this workload keeps them", "WORKLOAD" },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
};

static gboolean
parse_view (FabRenderOptions *options, GError **error)
{
  static const char *const names[] = { "fabric", "plane", "node", "pod" };   /* as FabRenderView has them */

  if (view == NULL)
    options->view = node != NULL ? FAB_RENDER_NODE : pod != NULL ? FAB_RENDER_POD : plane != NULL ? FAB_RENDER_PLANE : FAB_RENDER_FABRIC;
  for (guint i = 0; view != NULL && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (view, names[i]))
      {
        options->view = (FabRenderView) i;
        return TRUE;
      }
  if (view != NULL)
    g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "--view: expected fabric, plane, pod or node; got “%s”", view);
  return view == NULL;
}

/* The links between the two devices of --path, for highlighting. */
static gboolean
find_path (const FabDesign *design, FabTopology *topology, const FabFaults *faults, GArray *links, GError **error)
{
  g_auto (GStrv) ends = path != NULL ? g_strsplit (path, ",", -1) : NULL;
  guint32 n_planes = fab_topology_n_planes (topology), src, dst, row = FAB_NONE;
  g_autofree FabRoutes **routes = g_new0 (FabRoutes *, n_planes + 1);
  g_autoptr (FabPaths) paths = NULL;
  FabTransportRules rules;
  gboolean ok = TRUE;

  if (ends == NULL)
    return TRUE;
  if (g_strv_length (ends) != 2)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "--path: expected SRC,DST; got “%s”", path);
      return FALSE;
    }
  if (!fab_topology_find_device (topology, ends[0], &src, error) || !fab_topology_find_device (topology, ends[1], &dst, error))
    return FALSE;
  for (guint32 p = 0; p < n_planes && ok; p++)
    ok = (routes[p] = fab_design_build_routes (design, topology, faults, p, error)) != NULL;
  fab_design_transport_rules (design, &rules);
  paths = fab_paths_new (topology, faults, routes, &rules);
  for (guint32 p = 0; ok && p < n_planes && row == FAB_NONE; p++)
    if ((row = fab_paths_find (paths, src, dst, p)) != FAB_NONE)
      g_array_append_vals (links, fab_paths_links (paths, row), fab_paths_row (paths, row)->n_links);
  for (guint32 p = 0; p < n_planes; p++)
    fab_routes_unref (routes[p]);
  return ok;
}

/* How full the workload of --load keeps each link; NULL where none is asked for. */
static gboolean
find_loads (FabCommand *command, const FabDesign *design, double **loads, GError **error)
{
  FabStudyOptions study;
  guint32 n_links;

  if (load == NULL)
    return TRUE;
  command_study_options (command, &study);
  *loads = fab_study_loads (design, load, &study, &n_links, error);
  return *loads != NULL;
}

/* "l40s-384 · load of gradients": what the picture is of. Caller frees. */
static char *
title_of (const FabDesign *design)
{
  g_autofree char *loaded = load != NULL ? g_strdup_printf (" · load of %s", load) : g_strdup ("");
  g_auto (GStrv) ends = path != NULL ? g_strsplit (path, ",", 2) : NULL;
  g_autofree char *way = ends != NULL ? g_strjoinv (" → ", ends) : NULL;

  return g_strconcat (fab_design_name (design), loaded, way != NULL ? " · " : NULL, way, NULL);
}

static int
run (FabCommand *command)
{
  GError *error = NULL;
  g_autoptr (FabDesign) design = command_read_design (command, 0, &error);
  g_autoptr (FabTopology) topology = design != NULL ? fab_design_build_topology (design, &error) : NULL;
  g_autoptr (FabFaults) faults = topology != NULL ? command_faults (command, topology, &error) : NULL;
  g_autofree double *loads = NULL;
  g_autofree char *title = NULL;
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (guint32));
  FabRenderOptions options = { .plane = plane, .pod = pod, .node = node };
  gboolean ok = faults != NULL && parse_view (&options, &error);
  int status = STATUS_INPUT;

  ok = ok && find_path (design, topology, faults, links, &error) && find_loads (command, design, &loads, &error);
  if (!ok)
    return command_failed (error);
  options.title = title = title_of (design);
  options.link_loads = loads;
  options.path = (const guint32 *) (void *) links->data;
  options.n_path = links->len;
  status = draw_to_file (topology, command->failures != NULL ? faults : NULL, &options, format, output != NULL ? output : "-", &error);
  if (error != NULL)
    {
      fprintf (stderr, "fabsim: %s\n", error->message);
      g_error_free (error);
    }
  return status;
}

const FabVerb fabsim_verb_render = {
  .name = "render",
  .summary = "The fabric, a plane, a Pod or the inside of a node as a picture",
  .usage = "DESIGN",
  .description = "Examples:\n"
                 "  fabsim render examples/l40s-384.yaml -o fabric.svg\n"
                 "  fabsim render examples/l40s-384.yaml --node gpu001 -o node.png\n"
                 "  fabsim render tree.yaml --pod pod3 -o pod3.pdf\n"
                 "  fabsim render examples/l40s-384.yaml --plane compute --path gpu001/gpu0,gpu048/gpu5 -o path.svg\n"
                 "  fabsim render examples/l40s-384.yaml --node gpu001 --load gradients -o heat.svg",
  .n_min = 1,
  .n_max = 1,
  .options = OPTION_DESIGN | OPTION_FAIL,
  .own = own,
  .run = run,
};
