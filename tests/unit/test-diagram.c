/* test-diagram.c: boxes and lines with places: nothing overlaps, every text fits, and what is drawn is what is there */
#include "fab-fixture.h"
#include "render/fab-diagram-private.h"
#include <math.h>

#define CABLES "    host_link: {speed: NDR200, cable: mma4z00-split, length: 30m}\n    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n"

static const char *const plan = NULL;   /* examples/l40s-384.yaml */

static const char large[] =
  "fabsim: 1\nname: large\nnodes: {gpu: {type: l40s-8, count: 1000, digits: 4}}\nplanes:\n  compute:\n    link: infiniband\n"
  "    topology: {family: fat-tree, leaf: qm9700, spine: qm9700, hosts_per_leaf: 64, uplinks: 32, spines: 32}\n" CABLES;

/* Pods of four leaves: four of them stand apart, of sixteen most are drawn as one. */
#define TREE(count) \
  "fabsim: 1\nname: tree\nnodes: {h: {type: host-1nic, count: " count ", digits: 3}}\nplanes:\n  compute:\n    link: infiniband\n" \
  "    topology: {family: fat-tree, tiers: 3, leaf: qm9700, spine: qm9700, core: qm9700, hosts_per_leaf: 4, uplinks: 4, spines: 4, " \
  "leaves_per_pod: 4, core_uplinks: 4, cores: 16}\n" \
  "    host_link: {speed: NDR, cable: mma4z00, length: 30m}\n    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n"

static const char tree[] = TREE ("64"), wide_tree[] = TREE ("250");

/* Four rails of five leaves each. */
static const char rails[] =
  "fabsim: 1\nname: rails\nnodes: {gpu: {type: l40s-8, count: 100, digits: 3}}\nplanes:\n  compute:\n    link: infiniband\n"
  "    topology: {family: rail-optimized, rails: 4, leaf: qm9700, leaves_per_rail: 5, spine: qm9700, spines: 4, uplinks_per_spine: 2}\n" CABLES;

static const char nvlink[] =
  "fabsim: 1\nname: nvlink\nnodes: {h: {type: hgx-h100-8, count: 4}}\nplanes:\n  compute:\n    link: infiniband\n"
  "    topology: {family: rail-optimized, rails: 8, leaf: qm9700, leaves_per_rail: 1, spine: qm9700, spines: 4, uplinks_per_spine: 1}\n"
  "    host_link: {speed: NDR, cable: mma4z00, length: 30m}\n    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n";

static const char many_groups[] =
  "fabsim: 1\nname: groups\nnodes:\n  a: {type: host-1nic, count: 5}\n  b: {type: host-1nic, count: 5}\n  c: {type: host-1nic, count: 5}\n"
  "  d: {type: host-1nic, count: 5}\n  e: {type: host-1nic, count: 5}\nplanes:\n  compute:\n    link: infiniband\n"
  "    topology: {family: fat-tree, leaf: qm9700, spine: qm9700, hosts_per_leaf: 32, uplinks: 4, spines: 1}\n"
  "    host_link: {speed: NDR, cable: mma4z00, length: 30m}\n    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n";

static const char long_names[] =
  "fabsim: 1\nname: names\nnodes:\n  n: {type: host-1nic, names: 'alpha,bravo,charlie,delta,echo,foxtrot,golf,hotel,india,juliett'}\nplanes:\n"
  "  a-plane-with-a-rather-long-name:\n    link: infiniband\n    ports: compute\n"
  "    host_link: {speed: NDR, cable: mma4z00, length: 30m}\n    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n"
  "    switches: [{names: 'a-leaf-in-the-first-rack-of-the-first-hall', part: qm9700, tier: leaf}]\n"
  "    links: [{a: alpha/nic0/p1, b: a-leaf-in-the-first-rack-of-the-first-hall/p1, speed: NDR, cable: mma4z00, length: 30m}]\n";

/* Leaves of a ring, hosts on two of three: only alpha and charlie are wired. */
static const char ring[] =
  "fabsim: 1\nname: ring\nnodes:\n  n: {type: host-1nic, names: 'alpha,bravo,charlie'}\nplanes:\n  compute:\n    link: infiniband\n"
  "    host_link: {speed: NDR, cable: mma4z00, length: 30m}\n    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n"
  "    switches: [{names: 'leaf[1-3]', part: qm9700, tier: leaf}]\n    links:\n"
  "      - {a: alpha/nic0/p1, b: leaf1/p1, speed: NDR, cable: mma4z00, length: 30m}\n"
  "      - {a: charlie/nic0/p1, b: leaf3/p1, speed: NDR, cable: mma4z00, length: 30m}\n"
  "      - {a: leaf1/p2, b: leaf2/p2, speed: NDR, cable: mma4z00, length: 20m}\n"
  "      - {a: leaf2/p3, b: leaf3/p3, speed: NDR, cable: mma4z00, length: 20m}\n"
  "      - {a: leaf3/p4, b: leaf1/p4, speed: NDR, cable: mma4z00, length: 20m}\n";

/* Two cables of different speed between the same pair. */
static const char mixed[] =
  "fabsim: 1\nname: mixed\nnodes: {n: {type: host-1nic, count: 1}}\nplanes:\n  compute:\n    link: infiniband\n"
  "    host_link: {speed: NDR, cable: mma4z00, length: 30m}\n    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n"
  "    switches: [{names: leaf1, part: qm9700, tier: leaf}, {names: spine1, part: qm9700, tier: spine}]\n    links:\n"
  "      - {a: n1/nic0/p1, b: leaf1/p1, speed: NDR, cable: mma4z00, length: 30m}\n"
  "      - {a: leaf1/p2, b: spine1/p2, speed: NDR, cable: mma4z00, length: 20m}\n"
  "      - {a: leaf1/p3, b: spine1/p3, speed: NDR200, cable: mma4z00, length: 20m}\n";

/* ---- helpers ---- */

static FabTopology *
build (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabDesign) design = text != NULL ? fixture_read (text, NULL) : fixture_plan (NULL);
  FabTopology *topology = fab_design_build_topology (design, &error);

  fab_assert_no_error (error);
  return topology;
}

static FabFaults *
take_down (FabTopology *topology, const char *const *addresses)
{
  g_autoptr (GError) error = NULL;
  FabFaults *faults = fab_faults_new (topology);

  for (guint i = 0; addresses[i] != NULL; i++)
    {
      fab_faults_add (faults, addresses[i], &error);
      fab_assert_no_error (error);
    }
  return faults;
}

static FabDiagram *
draw (const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options)
{
  g_autoptr (GError) error = NULL;
  FabDiagram *diagram = fab_diagram_new ();

  if (options->view == FAB_RENDER_NODE)
    fab_diagram_node (diagram, topology, faults, options, &error);
  else
    fab_diagram_fabric (diagram, topology, faults, options, &error);
  fab_assert_no_error (error);
  return diagram;
}

static const FabBox *
box_at (const FabDiagram *diagram, guint box)
{
  return &g_array_index (diagram->boxes, FabBox, box);
}

/* The first box whose label begins with @start; the test fails where there is none. */
static const FabBox *
find_box (const FabDiagram *diagram, const char *start)
{
  for (guint b = 0; b < diagram->boxes->len; b++)
    if (box_at (diagram, b)->label != NULL && g_str_has_prefix (box_at (diagram, b)->label, start))
      return box_at (diagram, b);
  print_error ("no box begins with “%s”\n", start);
  fail ();
  return NULL;
}

static guint
count_boxes (const FabDiagram *diagram, const char *label)
{
  guint n = 0;

  for (guint b = 0; b < diagram->boxes->len; b++)
    n += g_strcmp0 (box_at (diagram, b)->label, label) == 0 ? 1 : 0;
  return n;
}

static guint
count_hops (const FabDiagram *diagram)
{
  guint n = 0;

  for (guint b = 0; b < diagram->boxes->len; b++)
    n += box_at (diagram, b)->kind == FAB_BOX_HOP ? 1 : 0;
  return n;
}

/* Lines whose tooltip begins with @start. */
static guint
count_lines (const FabDiagram *diagram, const char *start)
{
  guint n = 0;

  for (guint l = 0; l < diagram->lines->len; l++)
    n += g_str_has_prefix (g_array_index (diagram->lines, FabLine, l).tooltip, start) ? 1 : 0;
  return n;
}

static gboolean
overlap (const FabBox *a, const FabBox *b)
{
  return 2 * fabs (a->x - b->x) < a->width + b->width - 0.01 && 2 * fabs (a->y - b->y) < a->height + b->height - 0.01;
}

/* Frames stand in panels, and all else in both. */
static gint
layer (const FabBox *box)
{
  return box->kind <= FAB_BOX_FRAME ? (gint) box->kind : -1;
}

static void
assert_sound (const FabDiagram *diagram)
{
  assert_true (diagram->boxes->len > 1);
  for (guint i = 0; i < diagram->boxes->len; i++)
    {
      const FabBox *a = box_at (diagram, i);

      if (a->label != NULL && (fab_diagram_text_width (a->label, a->font_pt) * (a->bold ? 1.1 : 1) > a->width
                               || fab_diagram_text_height (a->label, a->font_pt) > a->height))
        {
          print_error ("“%s” does not fit its box of %g × %g\n", a->label, a->width, a->height);
          fail ();
        }
      for (guint j = 0; j < i; j++)
        if (layer (a) == layer (box_at (diagram, j)) && overlap (a, box_at (diagram, j)))
          {
            print_error ("“%s” overlaps “%s”\n", a->label, box_at (diagram, j)->label);
            fail ();
          }
    }
}

/* Every link as busy as its row says, so that all steps of the scale appear. */
static double *
busy (const FabTopology *topology)
{
  guint32 n = fab_topology_n_links (topology);
  double *loads = g_new (double, n);

  for (guint32 l = 0; l < n; l++)
    loads[l] = (double) (l % 11) / 10;
  return loads;
}

/* ---- tests ---- */

static void
test_boxes_do_not_overlap_and_their_texts_fit (void **state)
{
  const struct { const char *text, *node, *faults[4]; gboolean load; } rows[] = {
    { plan, "gpu001", { NULL }, FALSE },
    { plan, "store1", { NULL }, TRUE },
    { plan, "gpu001", { "compute/spine2", "gpu003", "compute/leaf1/p25", NULL }, TRUE },
    { large, "gpu0001", { NULL }, TRUE },
    { large, "gpu0001", { "compute/leaf7", "gpu0005/gpu1", NULL }, FALSE },
    { nvlink, "h1", { NULL }, TRUE },
    { rails, "gpu001", { "compute/leaf7", NULL }, TRUE },
    { tree, "h001", { NULL }, TRUE },
    { wide_tree, "h001", { "compute/leaf7", "compute/spine3", "h100", NULL }, TRUE },
    { many_groups, "a1", { NULL }, TRUE },
    { long_names, "alpha", { NULL }, FALSE },
    { ring, "alpha", { NULL }, TRUE },
    { mixed, "n1", { NULL }, TRUE },
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autoptr (FabTopology) topology = build (rows[r].text);
      g_autoptr (FabFaults) faults = take_down (topology, rows[r].faults);
      g_autofree double *loads = busy (topology);

      for (guint view = FAB_RENDER_FABRIC; view <= (rows[r].text == tree || rows[r].text == wide_tree ? FAB_RENDER_POD : FAB_RENDER_NODE); view++)
        {
          FabRenderOptions options = { .view = view, .node = rows[r].node, .link_loads = rows[r].load ? loads : NULL };
          g_autoptr (FabDiagram) diagram = draw (topology, faults, &options);

          assert_sound (diagram);
        }
    }
}

static void
test_text_width_is_never_less_than_that_of_dejavu_sans (void **state)
{
  /* Advances measured in the font, thousandths of the size, summed over the text. */
  static const struct { const char *text; double width; } rows[] = {
    { "qm9700", 4.153 }, { "48 × 200G", 5.429 }, { "mmmm", 3.896 }, { "WWWW", 3.956 }, { "gpu[001-048]", 6.861 }, { "iii\nmm", 1.948 },
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      double width = fab_diagram_text_width (rows[r].text, 10);

      assert_true (width >= rows[r].width * 10 - 0.01);
      assert_true (width <= rows[r].width * 10 * 1.1);
    }
}

static void
test_shortened_text_fits_and_keeps_both_ends (void **state)
{
  g_autofree char *kept = fab_diagram_shorten (g_strdup ("leaf1"), 10, 100);
  g_autofree char *cut = fab_diagram_shorten (g_strdup ("a-leaf-in-the-first-rack\nqm9700"), 10, 80);

  assert_string_equal (kept, "leaf1");
  assert_true (fab_diagram_text_width (cut, 10) <= 80);
  assert_true (g_str_has_prefix (cut, "a-"));
  fab_assert_contains (cut, "…");
  assert_true (g_str_has_suffix (cut, "ck\nqm9700"));
}

static void
test_a_thousand_nodes_are_drawn_nearly_as_small_as_fifty (void **state)
{
  g_autoptr (FabTopology) topology = build (large);
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);

  assert_true (diagram->boxes->len < 12);
  find_box (diagram, "leaf[1-63]\n63 × qm9700");
  find_box (diagram, "spine[1-32]\n32 × qm9700");
  find_box (diagram, "gpu[0001-1000]\n1000 × l40s-8 · 8000 GPUs");
  find_box (diagram, "4000 × 200G");
  find_box (diagram, "2016 × 400G");
}

static void
test_plan_shows_rails_pairs_and_merged_cables (void **state)
{
  g_autoptr (FabTopology) topology = build (plan);
  FabRenderOptions options = { .view = FAB_RENDER_PLANE, .plane = "compute" };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);

  for (guint rail = 0; rail < 4; rail++)
    {
      g_autofree char *start = g_strdup_printf ("leaf%u · rail %u", rail + 1, rail);
      const FabBox *box = find_box (diagram, start);

      assert_string_equal (box->fill, fab_diagram_rail_colour (rail));
      fab_assert_contains (box->tooltip, "64 cables");   /* 48 to hosts, 16 to spines */
    }
  assert_int_equal (count_boxes (diagram, "48 × 200G"), 4);
  assert_int_equal (count_boxes (diagram, "each line 4 × 400G"), 1);
  assert_int_equal (count_lines (diagram, "leaf1 – spine"), 4);
  find_box (diagram, "gpu[001-048]\n48 × l40s-8 · 384 GPUs");
}

static guint
count_frames (const FabDiagram *diagram)
{
  guint n = 0;

  for (guint b = 0; b < diagram->boxes->len; b++)
    n += box_at (diagram, b)->kind == FAB_BOX_FRAME ? 1 : 0;
  return n;
}

static void
test_many_leaves_are_drawn_by_rail (void **state)
{
  g_autoptr (FabTopology) topology = build (rails);
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);

  find_box (diagram, "leaf[1,5,9,13,17] · rail 0\n5 × qm9700");
  find_box (diagram, "leaf[4,8,12,16,20] · rail 3\n5 × qm9700");
  find_box (diagram, "spine4");   /* few: each its own */
  assert_int_equal (count_boxes (diagram, "100 × 200G"), 4);
}

static void
test_few_pods_stand_apart_and_many_are_drawn_as_first_last_and_others (void **state)
{
  g_autoptr (FabTopology) few = build (tree);
  g_autoptr (FabTopology) many = build (wide_tree);
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };
  g_autoptr (FabDiagram) apart = draw (few, NULL, &options);
  g_autoptr (FabDiagram) together = draw (many, NULL, &options);

  assert_int_equal (count_frames (apart), 4);
  find_box (apart, "pod4");
  find_box (apart, "leaf[13-16]\n4 × qm9700");
  assert_int_equal (count_boxes (apart, "each line 16 × 400G"), 1);
  assert_int_equal (count_frames (together), 4);
  find_box (together, "pod[3-15]");
  find_box (together, "leaf[9-60]\n52 × qm9700");
  find_box (together, "pod16");
  find_box (together, "leaf[61-63]\n3 × qm9700");
  find_box (together, "compute · infiniband · 143 switches · 16 Pods");
}

static void
test_one_pod_is_drawn_switch_by_switch_under_the_cores_it_uses (void **state)
{
  g_autoptr (FabTopology) topology = build (wide_tree);
  FabRenderOptions options = { .view = FAB_RENDER_POD, .pod = "pod3" };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);

  find_box (diagram, "compute · pod3 of 16 · infiniband · 24 switches");
  find_box (diagram, "leaf9\n");
  find_box (diagram, "leaf12\n");
  find_box (diagram, "core16\n");
  find_box (diagram, "h[033-048]\n16 × host-1nic");
  assert_int_equal (count_frames (diagram), 1);
  assert_int_equal (count_lines (diagram, "leaf9 – spine9: 400G"), 1);
}

static void
test_what_the_path_passes_stands_alone_in_its_pod (void **state)
{
  g_autoptr (FabTopology) topology = build (wide_tree);
  g_autoptr (GArray) path = NULL;
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };
  g_autoptr (FabDiagram) diagram = NULL;

  assert_true (fab_topology_match (topology, "compute/leaf18--compute/spine19", NULL, &path, NULL));
  options.path = (const guint32 *) (void *) path->data;
  options.n_path = path->len;
  diagram = draw (topology, NULL, &options);
  find_box (diagram, "pod5");
  find_box (diagram, "pod[3-4,6-15]");
  find_box (diagram, "leaf18\n");
  find_box (diagram, "leaf[17,19-20]\n3 × qm9700");
  find_box (diagram, "spine19\n");
  assert_int_equal (count_hops (diagram), 1);
  assert_sound (diagram);
}

static void
test_wide_fabrics_stand_above_and_below_their_nodes (void **state)
{
  g_autoptr (FabTopology) topology = build (plan);
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);
  const FabBox *nodes = find_box (diagram, "gpu[001-048]");

  assert_true (find_box (diagram, "compute ·")->y > nodes->y);
  assert_true (find_box (diagram, "storage ·")->y > nodes->y);
  assert_true (find_box (diagram, "management ·")->y < nodes->y);
  assert_true (find_box (diagram, "oob ·")->y < nodes->y);
}

static void
test_cables_within_a_tier_are_drawn_and_counted (void **state)
{
  g_autoptr (FabTopology) topology = build (ring);
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);

  find_box (diagram, "compute · infiniband · 3 switches · 3 cables within a tier");
  assert_true (count_lines (diagram, "leaf1 – leaf2: 400G") > 0);
  assert_true (count_lines (diagram, "leaf2 – leaf3: 400G") > 0);
  assert_true (count_lines (diagram, "leaf1 – leaf3: 400G") > 0);
}

static void
test_a_box_names_only_the_nodes_that_are_wired (void **state)
{
  g_autoptr (FabTopology) topology = build (ring);
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);

  find_box (diagram, "alpha,charlie\n2 × host-1nic");
}

static void
test_cables_of_several_speeds_are_not_called_alike (void **state)
{
  g_autoptr (FabTopology) topology = build (mixed);
  FabRenderOptions options = { .view = FAB_RENDER_FABRIC };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);

  find_box (diagram, "2 cables, 600G in all");
  assert_int_equal (count_boxes (diagram, "2 × 400G"), 0);
}

static void
test_what_is_down_is_crossed_out_and_counted (void **state)
{
  static const char *const down[] = { "compute/spine2", "gpu003", "compute/leaf1--compute/spine1", NULL };
  static const char *const one[] = { "compute/leaf1/p25", NULL };
  g_autoptr (FabTopology) topology = build (plan);
  g_autoptr (FabFaults) faults = take_down (topology, down);
  g_autoptr (FabFaults) one_cable = take_down (topology, one);
  FabRenderOptions options = { .view = FAB_RENDER_PLANE, .plane = "compute" };
  g_autoptr (FabDiagram) diagram = draw (topology, faults, &options);
  g_autoptr (FabDiagram) partly = draw (topology, one_cable, &options);

  assert_true (find_box (diagram, "spine2")->down);
  assert_false (find_box (diagram, "spine1")->down);
  assert_true (find_box (diagram, "gpu003\n")->down);
  assert_int_equal (count_lines (diagram, "down"), 4);   /* two crosses */
  find_box (diagram, "gpu[001-002,004-048]\n47 × l40s-8");
  find_box (diagram, "4 × 400G down");
  find_box (diagram, "crossed out or dotted red: down");
  find_box (partly, "3 of 4 × 400G");
  assert_int_equal (count_lines (partly, "down"), 0);
}

static void
test_a_path_is_numbered_hop_by_hop (void **state)
{
  static const char *const links[] = {
    "gpu001/gpu0--gpu001/sw0", "gpu001/sw0--gpu001/nic0", "gpu001/nic0/p1--compute/leaf1", "compute/leaf1--compute/spine4",
    "compute/spine4--compute/leaf3", "compute/leaf3--gpu048/nic1/p1", "gpu048/nic1--gpu048/sw1", "gpu048/sw1--gpu048/gpu5",
  };
  g_autoptr (FabTopology) topology = build (plan);
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint32));
  FabRenderOptions options = { .view = FAB_RENDER_PLANE, .plane = "compute" };
  g_autoptr (FabDiagram) plane = NULL;
  g_autoptr (FabDiagram) node = NULL;
  guint32 at;

  assert_true (fab_topology_find_device (topology, "gpu001/gpu0", &at, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (links); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) found = NULL;
      guint32 link;

      fab_topology_match (topology, links[i], NULL, &found, &error);
      fab_assert_no_error (error);
      link = g_array_index (found, guint32, 0);
      link += fab_topology_link (topology, link)->from_device != at ? 1 : 0;   /* the direction that goes on */
      assert_int_equal (fab_topology_link (topology, link)->from_device, at);
      at = fab_topology_link (topology, link)->to_device;
      g_array_append_val (path, link);
    }
  options.path = (const guint32 *) (void *) path->data;
  options.n_path = path->len;
  plane = draw (topology, NULL, &options);
  options.view = FAB_RENDER_NODE;
  node = draw (topology, NULL, &options);

  assert_int_equal (count_hops (plane), 4);
  for (guint hop = 3; hop <= 6; hop++)
    {
      g_autofree char *number = g_strdup_printf ("%u", hop);

      assert_int_equal (count_boxes (plane, number), 1);
    }
  find_box (plane, "gpu001\n1 × l40s-8 · 8 GPUs\n1 gpu0 → sw0, 2 sw0 → nic0");
  find_box (plane, "gpu048\n1 × l40s-8 · 8 GPUs\n7 nic1 → sw1, 8 sw1 → gpu5");
  find_box (plane, "gpu[002-047]\n46 × l40s-8");
  assert_sound (plane);
  assert_int_equal (count_hops (node), 2);
  assert_sound (node);
}

static void
test_load_is_told_in_colour_width_and_percent (void **state)
{
  g_autoptr (FabTopology) topology = build (plan);
  g_autofree double *loads = g_new0 (double, fab_topology_n_links (topology));
  FabRenderOptions options = { .view = FAB_RENDER_PLANE, .plane = "compute", .link_loads = loads };
  g_autoptr (GArray) hot = NULL;
  g_autoptr (FabDiagram) diagram = NULL;
  const FabLine *line = NULL;

  assert_true (fab_topology_match (topology, "compute/leaf2--compute/spine3", NULL, &hot, NULL));
  loads[g_array_index (hot, guint32, 0) + 1] = 0.83;
  loads[g_array_index (hot, guint32, 1) + 1] = NAN;
  diagram = draw (topology, NULL, &options);
  find_box (diagram, "load of the busiest cable");
  assert_int_equal (count_boxes (diagram, "83 %"), 1);
  for (guint l = 0; l < diagram->lines->len && line == NULL; l++)
    if (g_str_has_prefix (g_array_index (diagram->lines, FabLine, l).tooltip, "leaf2 – spine3"))
      line = &g_array_index (diagram->lines, FabLine, l);
  assert_non_null (line);
  assert_string_equal (line->colour, fab_diagram_heat_colour (0.83));
  assert_true (line->width_pt > 4);
  fab_assert_contains (line->tooltip, "busiest 83 %");
}

static void
test_node_view_shows_the_pcie_tree_and_what_the_ports_serve (void **state)
{
  g_autoptr (FabTopology) topology = build (plan);
  FabRenderOptions options = { .view = FAB_RENDER_NODE };
  g_autoptr (FabDiagram) diagram = draw (topology, NULL, &options);

  find_box (diagram, "gpu001 · l40s-8");
  find_box (diagram, "nic0\np1 compute, rail 0\np2 compute, rail 1");
  find_box (diagram, "gpu7\nl40s\nuses nic1/p2");
  assert_int_equal (count_boxes (diagram, "gen4 x16\n28.8 GB/s"), 8);
  assert_int_equal (count_boxes (diagram, "socket link\n22.0 GB/s"), 1);
}

static void
test_figures_are_short (void **state)
{
  static const struct { guint64 rate_bps; const char *text; } rows[] = {
    { G_GUINT64_CONSTANT (400000000000), "400G" }, { 2500000000, "2.5G" }, { 100000000, "100M" }, { G_GUINT64_CONSTANT (54545454545), "54.55G" },
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autofree char *text = fab_diagram_rate_text (rows[r].rate_bps);

      assert_string_equal (text, rows[r].text);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_boxes_do_not_overlap_and_their_texts_fit),
    cmocka_unit_test (test_text_width_is_never_less_than_that_of_dejavu_sans),
    cmocka_unit_test (test_shortened_text_fits_and_keeps_both_ends),
    cmocka_unit_test (test_a_thousand_nodes_are_drawn_nearly_as_small_as_fifty),
    cmocka_unit_test (test_plan_shows_rails_pairs_and_merged_cables),
    cmocka_unit_test (test_many_leaves_are_drawn_by_rail),
    cmocka_unit_test (test_few_pods_stand_apart_and_many_are_drawn_as_first_last_and_others),
    cmocka_unit_test (test_one_pod_is_drawn_switch_by_switch_under_the_cores_it_uses),
    cmocka_unit_test (test_what_the_path_passes_stands_alone_in_its_pod),
    cmocka_unit_test (test_wide_fabrics_stand_above_and_below_their_nodes),
    cmocka_unit_test (test_cables_within_a_tier_are_drawn_and_counted),
    cmocka_unit_test (test_a_box_names_only_the_nodes_that_are_wired),
    cmocka_unit_test (test_cables_of_several_speeds_are_not_called_alike),
    cmocka_unit_test (test_what_is_down_is_crossed_out_and_counted),
    cmocka_unit_test (test_a_path_is_numbered_hop_by_hop),
    cmocka_unit_test (test_load_is_told_in_colour_width_and_percent),
    cmocka_unit_test (test_node_view_shows_the_pcie_tree_and_what_the_ports_serve),
    cmocka_unit_test (test_figures_are_short),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
