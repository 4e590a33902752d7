/* fab-random-design.h - small designs drawn from a seed, as text
 */
#pragma once
#include "fab-fixture.h"

/* What a design is made of; change a field and write it again to see what a change does. */
typedef struct
{
  const char *type;               /* of all nodes */
  guint       counts[2];          /* nodes of two groups; the second may be 0 */
  gboolean    rails;              /* rail-optimized, else fat-tree */
  guint       leaves_per_rail, hosts_per_leaf, spines, uplinks_per_spine;
  const char *host_speed, *up_speed, *routing;
  gboolean    storage;            /* a second plane, where the type has ports for it */
  const char *p2p, *gdr;
  const char *kind;               /* "collective: allgather" */
  const char *form;               /* NULL: the kind has none */
  guint64     bytes;
  gboolean    free_steps;         /* no software cost */
  guint       gbytes_per_s[4];    /* of host links, uplinks, PCIe and what is left of a node; 0: the parts' own */

  const char *names[4];           /* of the groups, the plane, the workload */
  gboolean    reversed;           /* keys in the other order */
} RandomDesign;

typedef struct
{
  const char *type, *speeds[3];
  guint       gpus, ports, nodes;   /* nodes: at most */
  gboolean    storage;
} RandomType;

static const RandomType random_types[] = {
  { "host-1nic", { "NDR", "NDR200", "HDR" }, 0, 1, 12, FALSE },
  { "l40s-8", { "NDR200", "HDR", "HDR100" }, 8, 4, 4, TRUE },
  { "l40s-8-direct", { "NDR200", "HDR", "HDR100" }, 8, 4, 3, TRUE },
  { "l40s-8-gen4switch", { "NDR200", "HDR", "HDR100" }, 8, 4, 3, TRUE },
  { "hgx-h100-8", { "NDR", "NDR200", "HDR" }, 8, 8, 3, TRUE },
};

#define RANDOM_PICK(rand, array) ((array)[g_rand_int_range ((rand), 0, G_N_ELEMENTS (array))])

static inline const RandomType *
random_type (const RandomDesign *design)
{
  for (gsize i = 0; i < G_N_ELEMENTS (random_types); i++)
    if (g_str_equal (random_types[i].type, design->type))
      return &random_types[i];
  g_assert_not_reached ();
}

static inline void
random_design (guint32 seed, RandomDesign *design)
{
  static const char *const kinds[] = {
    "collective: allreduce, algorithm: ring", "collective: allreduce, algorithm: hierarchical", "collective: reducescatter",
    "collective: allreduce, algorithm: hierarchical, pipelined: true", "collective: allgather", "collective: broadcast", "collective: alltoall",
    "collective: sendrecv", "pattern: shift, by: 3", "pattern: permutation", "pattern: incast", "pattern: bisection", "pattern: uniform",
    "collective: allreduce, algorithm: ring, channels: 4", "collective: allreduce, algorithm: tree", "collective: allreduce, algorithm: tree, channels: 2",
    "collective: allreduce, algorithm: hierarchical, node_stage: direct", "collective: allreduce, algorithm: hierarchical, node_stage: two-level",
    "collective: alltoall, algorithm: rails",
  };
  static const char *const up_speeds[] = { "NDR", "NDR200", "HDR" };
  static const char *const routings[] = { "minhop", "updn", "ftree", "ftree, adaptive: true", "minhop, hash: true" };
  static const char *const levels[] = { "pix", "pxb", "pxb", "phb", "sys" };
  GRand *rand = g_rand_new_with_seed (seed);
  const RandomType *type = &RANDOM_PICK (rand, random_types);

  *design = (RandomDesign) { .type = type->type, .names = { "a", "b", "compute", "w" } };
  design->counts[0] = (guint) g_rand_int_range (rand, 2, (gint32) type->nodes + 1);
  design->counts[1] = g_rand_boolean (rand) ? (guint) g_rand_int_range (rand, 0, (gint32) (type->nodes - design->counts[0]) + 1) : 0;
  design->rails = g_rand_boolean (rand);
  design->leaves_per_rail = (guint) g_rand_int_range (rand, 1, 3);
  design->hosts_per_leaf = (guint) g_rand_int_range (rand, 1, 6);
  design->spines = (guint) g_rand_int_range (rand, 1, 4);
  design->uplinks_per_spine = (guint) g_rand_int_range (rand, 1, 3);
  design->host_speed = RANDOM_PICK (rand, type->speeds);
  design->up_speed = RANDOM_PICK (rand, up_speeds);
  design->routing = RANDOM_PICK (rand, routings);
  design->storage = type->storage && g_rand_int_range (rand, 0, 4) == 0;
  design->p2p = RANDOM_PICK (rand, levels);
  design->gdr = RANDOM_PICK (rand, levels);
  design->kind = RANDOM_PICK (rand, kinds);
  design->form = g_rand_int_range (rand, 0, 3) == 0 ? "steps" : "phases";
  if (strstr (design->kind, "allreduce") == NULL && strstr (design->kind, "allgather") == NULL && strstr (design->kind, "reducescatter") == NULL)
    design->form = NULL;
  design->bytes = (guint64) 1 << g_rand_int_range (rand, 0, 33);
  design->bytes += g_rand_boolean (rand) ? g_rand_int (rand) % design->bytes : 0;
  design->free_steps = g_rand_boolean (rand);
  g_rand_free (rand);
}

/* ---- as text ---- */

static inline void
random_write_rates (const RandomDesign *design, GString *text)
{
  static const char *const node_kinds[] = { "gpu-link", "pcie", "nic", "socket", "memory", "nvlink" };
  guint rate = design->gbytes_per_s[2];

  for (gsize i = 0; i < G_N_ELEMENTS (node_kinds); i++, rate = i > 2 ? design->gbytes_per_s[3] : rate)
    g_string_append_printf (text, "%s%s: {goodput: %uGB/s, aggregate: %uGB/s, flow_write: %uGB/s, flow_read: %uGB/s, latency: 0}", i > 0 ? ", " : "",
                            node_kinds[i], rate, 2 * rate, rate, rate);
}

static inline void
random_write_nodes (const RandomDesign *design, GString *text)
{
  g_string_append (text, "nodes:\n");
  for (guint g = 0; g < 2; g++)
    {
      if (design->counts[g] == 0)
        continue;
      g_string_append_printf (text, "  %s: {type: %s, count: %u", design->names[g], design->type, design->counts[g]);
      if (design->gbytes_per_s[0] > 0)
        {
          g_string_append (text, ", links: {");
          random_write_rates (design, text);
          g_string_append (text, "}");
        }
      g_string_append (text, "}\n");
    }
}

static inline void
random_write_compute (const RandomDesign *design, GString *text)
{
  const RandomType *type = random_type (design);
  g_autofree char *host = design->gbytes_per_s[0] > 0 ? g_strdup_printf (", goodput: %uGB/s", design->gbytes_per_s[0]) : g_strdup ("");
  g_autofree char *up = design->gbytes_per_s[0] > 0 ? g_strdup_printf (", goodput: %uGB/s", design->gbytes_per_s[1]) : g_strdup ("");
  guint uplinks = design->spines * design->uplinks_per_spine;

  g_string_append_printf (text, "  %s:\n    ports: compute\n    link: infiniband\n    subnet: {routing: {engine: %s}}\n", design->names[2], design->routing);
  g_string_append_printf (text, "    host_link: {speed: %s%s}\n    uplink: {speed: %s%s}\n", design->host_speed, host, design->up_speed, up);
  if (design->rails)
    g_string_append_printf (text, "    topology: {family: rail-optimized, rails: %u, leaf: qm9700, leaves_per_rail: %u, spine: qm9700, spines: %u, "
                                  "uplinks_per_spine: %u}\n",
                            type->ports, design->leaves_per_rail, design->spines, design->uplinks_per_spine);
  else
    g_string_append_printf (text, "    topology: {family: fat-tree, leaf: qm9700, spine: qm9700, hosts_per_leaf: %u, spines: %u, uplinks: %u}\n",
                            design->hosts_per_leaf * type->ports, design->spines, uplinks);
}

static inline void
random_write_planes (const RandomDesign *design, GString *text)
{
  static const char storage[] = "  storage:\n    link: infiniband\n"
                                "    topology: {family: fat-tree, leaf: qm8700, spine: qm8700, hosts_per_leaf: 8, uplinks: 2, spines: 1}\n"
                                "    host_link: {speed: HDR}\n    uplink: {speed: HDR}\n";

  g_string_append (text, "planes:\n");
  if (design->storage && design->reversed)
    g_string_append (text, storage);
  random_write_compute (design, text);
  if (design->storage && !design->reversed)
    g_string_append (text, storage);
}

static inline void
random_write_workload (const RandomDesign *design, GString *text)
{
  g_string_append (text, "workloads:\n");
  if (design->reversed)
    g_string_append_printf (text, "  other: {collective: allgather, bytes: 1MiB, plane: %s}\n", design->names[2]);
  g_string_append_printf (text, "  %s: {%s%s%s, bytes: %" G_GUINT64_FORMAT ", plane: %s}\n", design->names[3], design->kind,
                          design->form != NULL ? ", form: " : "", design->form != NULL ? design->form : "", design->bytes, design->names[2]);
}

/* Latencies of the parts are 0 where rates are given: then only rates count. */
static inline void
random_write_models (const RandomDesign *design, GString *text)
{
  static const char *const parts[] = {
    "qm9700", "qm8700", "connectx-7-1x400", "connectx-7-2x200", "connectx-6-lx-2x25", "bmc-1g", "pex-gen4", "pex-gen5",
    "nvswitch3",
  };

  if (design->gbytes_per_s[0] > 0)
    {
      g_string_append (text, "models:\n  xeon-spr: {root_latency: 0, memory_latency: 0, socket_latency: 0}\n");
      for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
        g_string_append_printf (text, "  %s: {latency: 0}\n", parts[i]);
    }
  g_string_append_printf (text, "transport: {p2p: %s, gdr: %s%s}\n", design->p2p, design->gdr, design->free_steps ? ", pcie_step: 0, network_step: 0" : "");
}

/* Caller frees. */
static inline char *
random_text (const RandomDesign *design)
{
  static void (*const writers[]) (const RandomDesign *design, GString *text) = {
    random_write_models, random_write_nodes, random_write_planes, random_write_workload,
  };
  GString *text = g_string_new ("fabsim: 1\nname: random\n");

  for (gsize i = 0; i < G_N_ELEMENTS (writers); i++)
    writers[design->reversed ? G_N_ELEMENTS (writers) - 1 - i : i] (design, text);
  return g_string_free (text, FALSE);
}

/* ---- built and run ---- */

static FabCatalog *random_catalog;   /* read once: a design is small, the catalog is not */

/* The test says which design it was when it fails. */
static inline FabDesign *
random_read (const char *text)
{
  g_autoptr (GError) error = NULL;
  FabDesign *design;

  if (random_catalog == NULL)
    random_catalog = fab_catalog_new (&error);
  design = error == NULL ? fab_design_read (text, strlen (text), "random.yaml", NULL, random_catalog, &error) : NULL;
  if (error != NULL)
    print_error ("%s\n", text);
  fab_assert_no_error (error);
  return design;
}

static inline int
random_teardown (void **state)
{
  g_clear_pointer (&random_catalog, fab_catalog_unref);
  return 0;
}

/* A run of the one workload; clear @run with fab__run_clear(). */
static inline void
random_run (const FabBuilt *built, const char *workload, const char *engine, FabRun *run)
{
  g_autoptr (GError) error = NULL;
  FabStudyOptions options;

  fab_study_options_init (&options);
  options.engine = engine;
  fab__run_workload (built, workload, &options, run, &error);
  fab_assert_no_error (error);
  assert_true (fab_result_complete (run->result));
}

/* Picoseconds of the design with @engine. */
static inline gint64
random_time_ps (const RandomDesign *design, const char *engine)
{
  g_autofree char *text = random_text (design);
  g_autoptr (FabDesign) read = random_read (text);
  g_autoptr (FabBuilt) built = fixture_build (read);
  FabRun run;
  gint64 time_ps;

  random_run (built, design->names[3], engine, &run);
  time_ps = fab_result_time_ps (run.result);
  fab__run_clear (&run);
  return time_ps;
}
