/* test-render.c: the bytes of pictures: what they say, that they are the same each time, and that Graphviz is kept quiet */
#include "fab-fixture.h"
#include "render/fabsim-render.h"
#include <cgraph.h>
#include <glib/gstdio.h>
#include <unistd.h>

static FabTopology *
build_plan (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabDesign) design = fixture_plan (NULL);
  FabTopology *topology = fab_design_build_topology (design, &error);

  fab_assert_no_error (error);
  return topology;
}

static GBytes *
render (const FabTopology *topology, const FabRenderOptions *options, const char *format)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = fab_render (topology, NULL, options, format, &error);

  fab_assert_no_error (error);
  assert_non_null (bytes);
  return bytes;
}

static char *
text_of (GBytes *bytes)
{
  gsize len;
  const char *data = g_bytes_get_data (bytes, &len);

  return g_strndup (data, len);
}

static void
test_formats_begin_as_they_should (void **state)
{
  static const struct { const char *format, *start; } rows[] = {
    { "svg", "<?xml" }, { "png", "\x89PNG" }, { "pdf", "%PDF" }, { "dot", "graph fabric" },
  };
  g_autoptr (FabTopology) topology = build_plan ();
  FabRenderOptions options;

  fab_render_options_init (&options);
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autoptr (GBytes) bytes = render (topology, &options, rows[r].format);

      assert_memory_equal (g_bytes_get_data (bytes, NULL), rows[r].start, strlen (rows[r].start));
    }
}

static void
test_svg_says_what_is_in_the_fabric (void **state)
{
  static const char *const parts[] = {
    "leaf1 · rail 0", "leaf4 · rail 3", "spine4", "qm9700", "48 × 200G", "each line 4 × 400G", "384 GPUs", "store[1&#45;6]", "xlink:title=",
    "the plan &lt;1&gt;", "management · ethernet",
  };
  g_autoptr (FabTopology) topology = build_plan ();
  FabRenderOptions options = { .title = "the plan <1>" };
  g_autoptr (GBytes) bytes = render (topology, &options, "svg");
  g_autofree char *svg = text_of (bytes);

  for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
    fab_assert_contains (svg, parts[p]);
}

static void
test_letters_are_at_least_ten_pixels_high (void **state)
{
  g_autoptr (FabTopology) topology = build_plan ();

  for (guint view = FAB_RENDER_FABRIC; view <= FAB_RENDER_NODE; view++)
    {
      FabRenderOptions options = { .view = view };
      g_autoptr (GBytes) bytes = render (topology, &options, "svg");
      g_autofree char *svg = text_of (bytes);
      const char *p = svg;
      guint n = 0;

      while ((p = strstr (p, "font-size=\"")) != NULL)
        {
          p += strlen ("font-size=\"");
          assert_true (g_ascii_strtod (p, NULL) >= 10);
          n++;
        }
      assert_true (n > 10);
    }
}

static void
test_title_is_taken_as_it_is (void **state)
{
  g_autoptr (FabTopology) topology = build_plan ();
  FabRenderOptions options = { .view = FAB_RENDER_NODE, .title = "a\\Gb \xff" };
  g_autoptr (GBytes) bytes = render (topology, &options, "svg");
  g_autofree char *svg = text_of (bytes);

  fab_assert_contains (svg, "a\\Gb \xef\xbf\xbd");
  assert_true (g_utf8_validate (svg, -1, NULL));
}

static void
read_place (Agraph_t *graph, const char *label, double *x, double *y)
{
  for (Agnode_t *node = agfstnode (graph); node != NULL; node = agnxtnode (graph, node))
    if (g_str_equal (agget (node, (char *) (gsize) "label"), label))
      {
        g_auto (GStrv) parts = g_strsplit (agget (node, (char *) (gsize) "pos"), ",", 2);

        assert_int_equal (g_strv_length (parts), 2);
        *x = g_ascii_strtod (parts[0], NULL);
        *y = g_ascii_strtod (parts[1], NULL);
        return;
      }
  print_error ("no node is labelled “%s”\n", label);
  fail ();
}

static void
test_dot_parses_again (void **state)
{
  g_autoptr (FabTopology) topology = build_plan ();
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC, .title = "a \"quoted\" title" };
  g_autoptr (GBytes) bytes = render (topology, &options, "dot");
  g_autofree char *dot = text_of (bytes);
  Agraph_t *graph = agmemread (dot);
  double x = 0, y = 0, row = 0;

  assert_non_null (graph);
  assert_true (agnnodes (graph) > 20);
  assert_true (agnedges (graph) > 20);
  for (guint leaf = 0; leaf < 4; leaf++)   /* side by side, where the layout put them */
    {
      g_autofree char *label = g_strdup_printf ("leaf%u · rail %u\\nqm9700", leaf + 1, leaf);
      double before = x;

      read_place (graph, label, &x, &y);
      assert_true (leaf == 0 || (x > before + 50 && y == row));
      row = y;
    }
  agclose (graph);
}

static void
test_same_picture_is_the_same_bytes (void **state)
{
  static const char *const formats[] = { "svg", "png", "pdf", "dot" };
  g_autoptr (FabTopology) topology = build_plan ();
  FabRenderOptions options = { .view = FAB_RENDER_PLANE };
  GBytes *first[G_N_ELEMENTS (formats)];

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    first[f] = render (topology, &options, formats[f]);
  g_usleep (1100000);   /* a PDF would say another second */
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      g_autoptr (GBytes) again = render (topology, &options, formats[f]);

      assert_true (g_bytes_equal (first[f], again));
      g_bytes_unref (first[f]);
    }
}

typedef struct
{
  FabTopology   *topology;
  FabRenderView  view;
  GBytes        *expected;
} Job;

static gpointer
render_often (gpointer data)
{
  const Job *job = data;
  FabRenderOptions options = { .view = job->view };

  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GBytes) bytes = fab_render (job->topology, NULL, &options, "svg", NULL);

      if (bytes == NULL || !g_bytes_equal (bytes, job->expected))
        return NULL;
    }
  return data;
}

static void
test_threads_may_draw_at_once (void **state)
{
  g_autoptr (FabTopology) topology = build_plan ();
  Job jobs[4];
  GThread *threads[4];

  for (guint j = 0; j < G_N_ELEMENTS (jobs); j++)
    {
      FabRenderOptions options = { .view = j % 3 };

      jobs[j] = (Job) { .topology = topology, .view = j % 3, .expected = render (topology, &options, "svg") };
    }
  for (guint j = 0; j < G_N_ELEMENTS (jobs); j++)
    threads[j] = g_thread_new ("draw", render_often, &jobs[j]);
  for (guint j = 0; j < G_N_ELEMENTS (jobs); j++)
    {
      assert_non_null (g_thread_join (threads[j]));
      g_bytes_unref (jobs[j].expected);
    }
}

static void
test_nothing_is_printed (void **state)
{
  g_autoptr (FabTopology) topology = build_plan ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  g_autofree char *printed = NULL;
  int file = g_file_open_tmp ("fabsim-XXXXXX", &path, &error);
  int kept = dup (STDERR_FILENO);

  fab_assert_no_error (error);
  assert_true (file >= 0 && kept >= 0);
  dup2 (file, STDERR_FILENO);
  for (guint view = FAB_RENDER_FABRIC; view <= FAB_RENDER_NODE; view++)
    {
      FabRenderOptions options = { .view = view };

      g_bytes_unref (fab_render (topology, NULL, &options, "svg", NULL));
    }
  dup2 (kept, STDERR_FILENO);
  close (kept);
  close (file);
  g_file_get_contents (path, &printed, NULL, &error);
  g_unlink (path);
  fab_assert_no_error (error);
  assert_string_equal (printed, "");
}

static guint heard;

static int
hear (char *message)
{
  heard++;
  return 0;
}

static void
test_graphviz_of_the_caller_speaks_as_before (void **state)
{
  g_autoptr (FabTopology) topology = build_plan ();
  FabRenderOptions options = { .view = FAB_RENDER_NODE };
  agusererrf before = agseterrf (hear);
  agerrlevel_t level = agseterr (AGERR);

  heard = 0;
  g_bytes_unref (render (topology, &options, "svg"));
  assert_int_equal (heard, 0);
  agerr (AGERR, "of the caller");
  assert_true (heard > 0);
  assert_int_equal (agseterr (level), AGERR);
  agseterrf (before);
}

static void
test_what_cannot_be_drawn_is_an_error (void **state)
{
  const guint32 beyond[] = { 0, 4000000000 };
  const struct { FabRenderOptions options; const char *format, *text; int code; } rows[] = {
    { { .view = FAB_RENDER_FABRIC }, "gif", "expected one of dot, svg, png, pdf; got “gif”", FAB_ERROR_VALUE },
    { { .view = FAB_RENDER_PLANE, .plane = "nowhere" }, "svg", "expected a plane of this design, got “nowhere”", FAB_ERROR_UNKNOWN },
    { { .view = FAB_RENDER_NODE, .node = "gpu999" }, "svg", "expected a node of this design, got “gpu999”", FAB_ERROR_UNKNOWN },
    { { .view = FAB_RENDER_POD }, "svg", "expected a plane of Pods (groups of leaves under spines of their own), got “compute”", FAB_ERROR_VALUE },
    { { .view = FAB_RENDER_FABRIC, .path = beyond, .n_path = 2 }, "svg", "path: expected links below", FAB_ERROR_VALUE },
  };
  g_autoptr (FabTopology) topology = build_plan ();

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autoptr (GError) error = NULL;

      assert_null (fab_render (topology, NULL, &rows[r].options, rows[r].format, &error));
      assert_true (g_error_matches (error, FAB_ERROR, rows[r].code));
      fab_assert_contains (error->message, rows[r].text);
    }
}

/* 120 planes stand side by side: no picture, and said before Graphviz is asked. */
static void
test_too_large_a_picture_is_refused (void **state)
{
  g_autoptr (GString) text = g_string_new ("fabsim: 1\nname: wide\nnodes: {n: {type: host-1nic, count: 1}}\nplanes:\n");
  g_autoptr (FabDesign) design = NULL;
  g_autoptr (FabTopology) topology = NULL;
  g_autoptr (GError) error = NULL;
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };

  for (guint i = 0; i < 120; i++)
    g_string_append_printf (text, "  plane-%u:\n    link: infiniband\n    ports: none\n    switches: [{names: 'leaf[1-2]', part: qm9700, tier: leaf}]\n"
                                  "    links: [{a: leaf1/p1, b: leaf2/p1, speed: NDR, cable: mma4z00, length: 20m}]\n"
                                  "    host_link: {speed: NDR, cable: mma4z00, length: 30m}\n", i);
  design = fixture_read (text->str, NULL);
  topology = fab_design_build_topology (design, &error);
  fab_assert_no_error (error);
  assert_null (fab_render (topology, NULL, &options, "png", &error));
  assert_true (g_error_matches (error, FAB_ERROR, FAB_ERROR_LIMIT));
  fab_assert_contains (error->message, "draw one plane, Pod or node");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_formats_begin_as_they_should),
    cmocka_unit_test (test_svg_says_what_is_in_the_fabric),
    cmocka_unit_test (test_letters_are_at_least_ten_pixels_high),
    cmocka_unit_test (test_title_is_taken_as_it_is),
    cmocka_unit_test (test_dot_parses_again),
    cmocka_unit_test (test_same_picture_is_the_same_bytes),
    cmocka_unit_test (test_threads_may_draw_at_once),
    cmocka_unit_test (test_nothing_is_printed),
    cmocka_unit_test (test_graphviz_of_the_caller_speaks_as_before),
    cmocka_unit_test (test_what_cannot_be_drawn_is_an_error),
    cmocka_unit_test (test_too_large_a_picture_is_refused),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
