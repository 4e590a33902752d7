/* test-rules.c: each design rule finds its fault, nothing in the mended twin, and says where, why and what to do */
#include "fab-fixture.h"
#include "fab-analysis.h"

#define MAX_SETTINGS 8

/* Sound: no rule finds anything. */
static const char plan_text[] =
  "fabsim: 1\n"
  "name: small\n"
  "nodes:\n"
  "  gpu: {type: l40s-8, count: 4}\n"
  "  store: {type: storage-server, count: 2}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    topology: {family: rail-optimized, rails: 4, leaf: qm9700, spine: qm9700, spines: 2, uplinks_per_spine: 1}\n"
  "    host_link: {speed: NDR200, cable: mma4z00-split, length: 30m}\n"
  "    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n"
  "    subnet:\n"
  "      partitions: [{name: training, pkey: 0x8100}]\n"
  "      sm: [{on: leaf1, priority: 14}, {on: leaf2, priority: 13}]\n"
  "  storage:\n"
  "    link: infiniband\n"
  "    topology: {family: fat-tree, leaf: qm8700, spine: qm8700, hosts_per_leaf: 6, uplinks: 2, spines: 2}\n"
  "    host_link: {speed: HDR100, cable: aoc-hdr, length: 20m}\n"
  "    uplink: {speed: HDR, cable: aoc-hdr, length: 10m}\n"
  "    subnet:\n"
  "      sm: [{on: leaf1, priority: 14}, {on: leaf2, priority: 13}]\n"
  "workloads:\n"
  "  gradients: {collective: allreduce, algorithm: ring, bytes: 1MiB, plane: compute}\n"
  "  checkpoint: {pattern: to-storage, bytes: 1MiB, plane: storage}\n";

/* Sound too: hosts whose node type and cables are in the file. */
static const char hosts_text[] =
  "fabsim: 1\n"
  "name: hosts\n"
  "node_types:\n"
  "  box:\n"
  "    devices:\n"
  "      cpu0: {part: xeon-spr}\n"
  "      gpu0: {part: l40s}\n"
  "      nic0: {part: connectx-7-2x200}\n"
  "      nic1: {part: connectx-7-2x200}\n"
  "    links:\n"
  "      - {a: gpu0, b: cpu0, pcie: gen4, lanes: 16}\n"
  "      - {a: nic0, b: cpu0, pcie: gen5, lanes: 16}\n"
  "      - {a: nic1, b: cpu0, pcie: gen5, lanes: 16}\n"
  "    ports: {compute: [nic0/p1], files: [nic1/p1]}\n"
  "    affinity: {gpu0: nic0/p1}\n"
  "nodes: {host: {type: box, count: 2}}\n"
  "transport: {gdr: phb}\n"
  "planes:\n"
  "  compute:\n"
  "    link: ethernet\n"
  "    switches: [{names: leaf1, part: sn3700}]\n"
  "    links:\n"
  "      - {a: host1/nic0/p1, b: leaf1/p1, speed: 100GbE, cable: dac-100g, length: 2m}\n"
  "      - {a: host2/nic0/p1, b: leaf1/p2, speed: 100GbE, cable: dac-100g, length: 2m}\n"
  "  files:\n"
  "    link: ethernet\n"
  "    topology: {family: fat-tree, tiers: 1, leaf: sn3700}\n"
  "    host_link: {speed: 100GbE, cable: dac-100g, length: 2m}\n"
  "accept: {FAB012: one switch will do}\n";

#define CABLE ", speed: NDR, cable: mma4z00, length: 10m}\n"

/* Five switches in a ring: sound by updn, a credit loop by minhop. */
static const char ring_text[] =
  "fabsim: 1\n"
  "nodes: {h: {type: host-1nic, count: 5}}\n"
  "planes:\n"
  "  compute:\n"
  "    link: infiniband\n"
  "    subnet: {routing: {engine: updn}, sm: [{on: s1, priority: 2}, {on: s2, priority: 1}]}\n"
  "    switches: [{names: 's[1-5]', part: qm9700}]\n"
  "    links:\n"
  "      - {a: h1/nic0/p1, b: s1/p1" CABLE "      - {a: h2/nic0/p1, b: s2/p1" CABLE "      - {a: h3/nic0/p1, b: s3/p1" CABLE
  "      - {a: h4/nic0/p1, b: s4/p1" CABLE "      - {a: h5/nic0/p1, b: s5/p1" CABLE "      - {a: s1/p2, b: s2/p3" CABLE
  "      - {a: s2/p2, b: s3/p3" CABLE "      - {a: s3/p2, b: s4/p3" CABLE "      - {a: s4/p2, b: s5/p3" CABLE "      - {a: s5/p2, b: s1/p3" CABLE;

#define LAN        ", speed: 100GbE, cable: dac-100g, length: 2m}"
#define HOST_LINKS "{a: host1/nic0/p1, b: leaf1/p1" LAN ", {a: host2/nic0/p1, b: leaf2/p1" LAN
#define TWO_LEAVES "planes.compute.switches=[{names: 'leaf[1-2]', part: sn3700}, " \
                   "{names: 'spine[1-2]', part: sn3700, tier: spine}]"
#define RAILS      "planes.compute.topology={family: rail-optimized, leaf: qm9700, spine: qm9700, spines: 2, uplinks: "
#define PODS       "planes.storage.topology={family: fat-tree, tiers: 3, leaf: qm8700, spine: qm8700, core: qm8700, " \
                   "hosts_per_leaf: 6, uplinks: 2, spines: 2, leaves_per_pod: 1, cores: 4, core_uplinks: "
#define COPPER     "planes.compute.host_link={speed: NDR200, length: 3m, cable: "
#define PARTITIONS "planes.compute.subnet.partitions="
#define MANAGERS   "planes.compute.subnet.sm="
#define QOS        "planes.compute.subnet.qos="
#define LEVELS(first) "sl2vl: [" first ", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]"
#define DIRECT     "nodes.gpu.type=l40s-8-direct"

/* A fault as settings over a sound design, and the same place mended; NULL: the sound design is the twin. */
static const struct
{
  const char *id;
  const char *text;
  const char *fault[MAX_SETTINGS], *mended[MAX_SETTINGS];
} cases[] = {
  { "FAB001", plan_text,
    { "nodes.gpu.parts={nic2: connectx-6-dx-2x100}" },
    { "nodes.gpu.parts={nic2: connectx-6-vpi-2x200}" } },
  { "FAB002", plan_text,
    { "nodes.gpu.type=l40s-8-gen4switch" },
    { "nodes.gpu.type=l40s-8" } },
  { "FAB003", plan_text,
    { "planes.compute.uplink={speed: NDR, cable: mcp4y10, length: 3m}" },
    { "planes.compute.uplink={speed: NDR, cable: mcp4y10, length: 2m}" } },
  { "FAB004", plan_text,
    { "planes.compute.uplink.length=100m" },
    { "planes.compute.uplink.length=50m" } },
  { "FAB004", plan_text,
    { "planes.compute.uplink.length=50.001m" },
    { "planes.compute.uplink={speed: NDR, cable: mms4x00, length: 100m}" } },
  { "FAB005", plan_text,
    { "planes.compute.uplink.cable=mma4z00-split" },
    { "planes.compute.uplink.cable=mms4x00" } },
  { "FAB006", plan_text,
    { "planes.compute.uplink.cable=aoc-ndr" },
    { "planes.compute.uplink.cable=mma4z00" } },
  { "FAB007", plan_text,
    { "models.connectx-7-2x200.speeds=[HDR, HDR100]" },
    { "models.connectx-7-2x200.speeds=[NDR200, HDR100]" } },
  { "FAB008", plan_text,
    { "nodes.gpu.count=43", COPPER "mcp7y50}" },
    { "nodes.gpu.count=42", COPPER "mcp7y50}" } },
  { "FAB008", plan_text,
    { "nodes.gpu.count=43", COPPER "mcp7y50}" },
    { "nodes.gpu.count=43", COPPER "mca7j70}" } },
  { "FAB009", plan_text,
    { "planes.compute.uplink={speed: NDR, cable: mma4z00}" },
    { "planes.compute.uplink={speed: NDR, cable: mma4z00, length: 1m}" } },
  { "FAB009", plan_text,
    { "planes.compute.uplink={speed: NDR, length: 1m}" },
    { NULL } },
  { "FAB010", plan_text,
    { PARTITIONS "[{name: training, pkey: 0x0100}]" },
    { PARTITIONS "[{name: servers, pkey: 0x8100}, {name: clients, pkey: 0x0100}]" } },
  { "FAB011", plan_text,
    { PARTITIONS "[{name: storage, pkey: 0x8200}]" },
    { "planes.storage.subnet.partitions=[{name: storage, pkey: 0x8200}]" } },
  { "FAB012", plan_text,
    { "planes.storage.topology={family: fat-tree, tiers: 1, leaf: qm8700}",
      "planes.storage.subnet.sm=[{on: leaf1, priority: 14}, {on: store1, priority: 13}]" },
    { NULL } },
  { "FAB013", plan_text,
    { "nodes.gpu.count=96", "planes.compute.subnet.lmc=7" },
    { "nodes.gpu.count=95", "planes.compute.subnet.lmc=7" } },
  { "FAB014", plan_text,
    { "models.qm9700.speeds=[NDR]" },
    { "models.qm9700.speeds=[NDR, NDR200]" } },
  { "FAB015", plan_text,
    { MANAGERS "[]" },
    { NULL } },
  { "FAB016", plan_text,
    { MANAGERS "[{on: leaf1}]" },
    { NULL } },
  { "FAB017", plan_text,
    { MANAGERS "[{on: leaf1, priority: 14}, {on: leaf9, priority: 13}]" },
    { MANAGERS "[{on: leaf1, priority: 14}, {on: gpu1, priority: 13}]" } },
  { "FAB017", plan_text,
    { "planes.compute.topology.leaf=qm9790" },
    { "planes.compute.topology.leaf=qm9790", MANAGERS "[{on: spine1, priority: 14}, {on: spine2, priority: 13}]" } },
  { "FAB018", plan_text,
    { "models.qm9700.sm_max_nodes=15" },
    { "models.qm9700.sm_max_nodes=16" } },
  { "FAB019", plan_text,
    { "models.qm9700.buffer_per_vl=4096B" },
    { "models.qm9700.buffer_per_vl=32KiB" } },
  { "FAB020", plan_text,
    { "models.qm9700.buffer_per_vl=4160B" },
    { NULL } },
  { "FAB020", plan_text,
    { "models.qm9700.buffer_per_vl=24KiB", "planes.compute.uplink.length=50m" },
    { "models.qm9700.buffer_per_vl=24KiB" } },
  { "FAB021", plan_text,
    { QOS "{op_vls: 1, " LEVELS ("0") "}" },
    { QOS "{op_vls: 2, " LEVELS ("0") "}" } },
  { "FAB022", plan_text,
    { QOS "{high_limit: 4}" },
    { QOS "{op_vls: 3}" } },
  { "FAB022", plan_text,
    { QOS "{vlarb_low: ['0:64', '1:0']}" },
    { QOS "{vlarb_low: ['0:64', '1:64']}" } },
  { "FAB022", plan_text,
    { QOS "{high_limit: 4}" },
    { "planes.storage.subnet.qos={high_limit: 4}" } },
  { "FAB023", plan_text,
    { QOS "{" LEVELS ("15") "}" },
    { QOS "{" LEVELS ("15") "}", "workloads.gradients.sl=1" } },
  { "FAB024", ring_text,
    { "planes.compute.subnet.routing.engine=minhop" },
    { NULL } },
  { "FAB024", ring_text,
    { "planes.compute.subnet.routing.engine=dfsssp", "planes.compute.subnet.qos.op_vls=1" },
    { "planes.compute.subnet.routing.engine=dfsssp" } },
  { "FAB025", plan_text,
    { "planes.compute.subnet.routing={engine: ftree}", "planes.compute.subnet.lmc=1" },
    { "planes.compute.subnet.routing={engine: minhop}", "planes.compute.subnet.lmc=1" } },
  { "FAB030", plan_text,
    { RAILS "3}" },
    { RAILS "4}" } },
  { "FAB030", plan_text,
    { PODS "3}" },
    { PODS "2}" } },
  { "FAB030", hosts_text,
    { TWO_LEAVES, "planes.compute.links=[" HOST_LINKS
      ", {a: leaf1/p2, b: spine1/p1" LAN ", {a: leaf1/p3, b: spine1/p2" LAN ", {a: leaf1/p4, b: spine2/p1" LAN
      ", {a: leaf2/p2, b: spine1/p3" LAN ", {a: leaf2/p3, b: spine2/p2" LAN "]" },
    { TWO_LEAVES, "planes.compute.links=[" HOST_LINKS
      ", {a: leaf1/p2, b: spine1/p1" LAN ", {a: leaf1/p3, b: spine1/p2" LAN ", {a: leaf2/p2, b: spine1/p3" LAN
      ", {a: leaf1/p4, b: leaf2/p3" LAN "]" } },
  { "FAB031", hosts_text,
    { "node_types.box.ports={compute: [nic0/p1], files: [nic0/p2]}" },
    { NULL } },
  { "FAB032", plan_text,
    { "workloads.gradients.algorithm=hierarchical" },
    { "workloads.gradients.algorithm=ring" } },
  { "FAB033", plan_text,
    { "workloads.gradients.plane=storage" },
    { "workloads.gradients.plane=storage", "workloads.gradients.sl=1" } },
  { "FAB040", plan_text,
    { "nodes.gpu.affinity=modulo" },
    { "nodes.gpu.affinity=local" } },
  { "FAB041", plan_text,
    { DIRECT, "transport={gdr: phb}" },
    { DIRECT, "transport={gdr: phb, p2p: phb}" } },
  { "FAB042", plan_text,
    { DIRECT, "transport={p2p: phb}" },
    { DIRECT, "transport={gdr: phb, p2p: phb}" } },
  { "FAB043", hosts_text,
    { "node_types.box.affinity={}" },
    { NULL } },
  { "FAB050", plan_text,
    { "accept={FAB999: we know}" },
    { NULL } },
  { "FAB051", plan_text,
    { "accept={FAB012: one switch will do}" },
    { NULL } },
  { "FAB052", plan_text,
    { "planes.storage.nodes=[gpu]",
      "workloads.checkpoint={collective: allreduce, algorithm: ring, bytes: 1MiB, plane: storage}" },
    { "planes.storage.nodes=[gpu, store]" } },
  { "FAB053", hosts_text,
    { "planes.compute.links=[{a: host1/nic0/p1, b: leaf1/p1" LAN "]" },
    { NULL } },
};

/* ---- asking ---- */

static FabAnswer *
check_text (const char *text, const char *const *settings, FabSeverity fail_on)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (FabDesign) design = fixture_read (text, settings);
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, &error);
  FabAnswer *answer;

  fab_assert_no_error (error);
  answer = fab_analysis_check (design, topology, fail_on, &error);
  fab_assert_no_error (error);
  return answer;
}

static const FabTable *
section_at (const FabAnswer *answer, const char *path)
{
  for (gsize s = 0; s < fab_answer_n_sections (answer); s++)
    if (g_str_equal (fab_answer_section (answer, s)->path, path))
      return fab_answer_section (answer, s)->table;
  fail_msg ("the answer has no %s", path);
  return NULL;
}

static gsize
column_of (const FabTable *table, const char *key)
{
  gsize n_columns;
  const FabColumn *columns = fab_table_columns (table, &n_columns);

  for (gsize c = 0; c < n_columns; c++)
    if (g_str_equal (columns[c].key, key))
      return c;
  fail_msg ("the table has no column %s", key);
  return 0;
}

static const char *
cell (const FabTable *table, gsize row, const char *key)
{
  return fab_table_text (table, row, column_of (table, key));
}

/* The ids found, each once, "FAB041 FAB042". */
static char *
ids_found (const FabAnswer *answer)
{
  const FabTable *findings = section_at (answer, "findings");
  g_autoptr (GString) ids = g_string_new (NULL);

  for (gsize row = 0; row < fab_table_n_rows (findings); row++)
    if (strstr (ids->str, cell (findings, row, "id")) == NULL)
      g_string_append_printf (ids, "%s%s", ids->len > 0 ? " " : "", cell (findings, row, "id"));
  return g_strdup (ids->str);
}

static void
assert_finds (const char *text, const char *const *settings, const char *expected)
{
  g_autoptr (FabAnswer) answer = check_text (text, settings, FAB_SEVERITY_ERROR);
  g_autofree char *ids = ids_found (answer);

  if (!g_str_equal (ids, expected))
    print_error ("with %s: ", settings[0] != NULL ? settings[0] : "the design as it stands");
  assert_string_equal (ids, expected);
}

/* ---- the rules ---- */

static void
test_sound_designs_raise_nothing (void **state)
{
  const char *nothing[] = { NULL };

  assert_finds (plan_text, nothing, "");
  assert_finds (hosts_text, nothing, "");
}

static void
test_each_fault_raises_its_rule_and_no_other (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_finds (cases[i].text, cases[i].fault, cases[i].id);
}

static void
test_each_mended_twin_raises_nothing (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (cases[i].mended[0] != NULL)
      assert_finds (cases[i].text, cases[i].mended, "");
}

static void
test_every_rule_has_a_case_and_an_id_of_its_own (void **state)
{
  g_autoptr (FabAnswer) answer = fab_analysis_rules ();
  const FabTable *rules = section_at (answer, "rules");
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  assert_true (fab_table_n_rows (rules) >= 24);
  for (gsize row = 0; row < fab_table_n_rows (rules); row++)
    {
      const char *id = cell (rules, row, "id");
      gboolean has_case = FALSE;

      assert_true (g_hash_table_add (seen, (gpointer) (gsize) id));
      for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
        has_case |= g_str_equal (cases[i].id, id);
      if (!has_case)
        fail_msg ("%s has no case here", id);
    }
}

/* Known answer 57. */
static void
test_a_limited_key_is_sound_beside_a_full_one_of_the_same_partition_only (void **state)
{
  static const struct { const char *other, *expected; } rows[] = {
    { "0x8100", "" }, { "0x0100", "FAB010" }, { "0x8101", "FAB010" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *setting = g_strdup_printf (PARTITIONS "[{name: a, pkey: 0x0100}, {name: b, pkey: %s}]",
                                                  rows[i].other);
      const char *settings[] = { setting, NULL };

      assert_finds (plan_text, settings, rows[i].expected);
    }
}

/* ---- what a finding says ---- */

static void
test_a_finding_says_where_on_which_line_why_and_what_to_do (void **state)
{
  static const char *const nothing[] = { NULL };
  g_auto (GStrv) parts = g_strsplit (plan_text, "length: 20m", 2);   /* the first is the compute uplink's, on line 11 */
  g_autofree char *text = g_strjoinv ("length: 51m", parts);
  g_autoptr (FabAnswer) answer = check_text (text, nothing, FAB_SEVERITY_ERROR);
  const FabTable *findings = section_at (answer, "findings");

  assert_int_equal (fab_table_n_rows (findings), 1);
  assert_string_equal (cell (findings, 0, "id"), "FAB004");
  assert_string_equal (cell (findings, 0, "severity"), "error");
  assert_string_equal (cell (findings, 0, "where"), "planes.compute.uplink");
  assert_string_equal (cell (findings, 0, "file"), "test.yaml");
  assert_int_equal (fab_table_int (findings, 0, column_of (findings, "line")), 11);
  fab_assert_contains (cell (findings, 0, "what"), "51m");
  fab_assert_contains (cell (findings, 0, "what"), "50m");
  assert_true (strlen (cell (findings, 0, "why")) > 10);
  assert_true (strlen (cell (findings, 0, "fix")) > 10);
}

static void
test_what_a_setting_gave_has_no_line (void **state)
{
  const char *settings[] = { "planes.compute.uplink={speed: NDR, cable: mma4z00, length: 51m}", NULL };
  g_autoptr (FabAnswer) answer = check_text (plan_text, settings, FAB_SEVERITY_ERROR);
  const FabTable *findings = section_at (answer, "findings");

  assert_true (fab_table_is_null (findings, 0, column_of (findings, "line")));
}

static void
test_one_cause_is_one_finding_however_many_nodes_have_it (void **state)
{
  static const struct { const char *setting, *where; } rows[] = {
    { "nodes.gpu.affinity=modulo", "gpu[01-48]/gpu[2-5]" },
    { "nodes.gpu.type=l40s-8-gen4switch", "gpu[01-48]/nic0" },
    { "nodes.gpu.parts={nic2: connectx-6-dx-2x100}", "gpu[01-48]/nic2" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { "nodes.gpu.count=48", rows[i].setting, NULL };
      g_autoptr (FabAnswer) answer = check_text (plan_text, settings, FAB_SEVERITY_ERROR);
      const FabTable *findings = section_at (answer, "findings");

      assert_in_range (fab_table_n_rows (findings), 1, 2);   /* two cards of a node are two causes */
      assert_string_equal (cell (findings, 0, "where"), rows[i].where);
    }
}

static void
test_findings_come_worst_first_then_by_id (void **state)
{
  const char *settings[] = { "planes.compute.uplink={speed: NDR, cable: mma4z00}", "nodes.gpu.affinity=modulo",
                             "planes.storage.uplink.length=101m", MANAGERS "[{on: leaf1}]",
                             "planes.compute.subnet.partitions.0.pkey=0x0100", NULL };
  g_autoptr (FabAnswer) answer = check_text (plan_text, settings, FAB_SEVERITY_ERROR);
  g_autofree char *ids = ids_found (answer);

  assert_string_equal (ids, "FAB004 FAB010 FAB016 FAB040 FAB009");
}

/* ---- the plan ---- */

/* Each mistake of the plan as written is found on the line that makes it. */
static void
test_the_plan_as_written_has_its_six_mistakes_each_on_its_line (void **state)
{
  static const struct { const char *id, *line; } rows[] = {
    { "FAB001", "connectx-6-dx" }, { "FAB010", "pkey: 0x100" }, { "FAB010", "pkey: 0x200" }, { "FAB008", "mcp7y50" },
    { "FAB011", "name: storage" }, { "FAB032", "spines: 4" }, { "FAB040", "affinity: modulo" },
  };
  const char *nothing[] = { NULL };
  g_autofree char *text = NULL;
  g_autoptr (FabAnswer) answer = NULL;
  g_auto (GStrv) lines = NULL;
  const FabTable *findings;

  assert_true (g_file_get_contents (FAB_SOURCE_DIR "/examples/l40s-384-as-written.yaml", &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  answer = check_text (text, nothing, FAB_SEVERITY_ERROR);
  findings = section_at (answer, "findings");
  assert_int_equal (fab_table_n_rows (findings), G_N_ELEMENTS (rows));
  for (gsize row = 0; row < G_N_ELEMENTS (rows); row++)
    {
      assert_string_equal (cell (findings, row, "id"), rows[row].id);
      fab_assert_contains (lines[fab_table_int (findings, row, column_of (findings, "line")) - 1], rows[row].line);
    }
}

static void
test_the_plan_with_its_mistakes_mended_raises_nothing (void **state)
{
  const char *nothing[] = { NULL };
  g_autofree char *text = NULL;

  assert_true (g_file_get_contents (FAB_SOURCE_DIR "/examples/l40s-384.yaml", &text, NULL, NULL));
  assert_finds (text, nothing, "");
}

/* ---- what is accepted, and what fails ---- */

static void
test_an_accepted_finding_moves_with_its_reason_and_fails_nothing (void **state)
{
  const char *settings[] = { "planes.compute.uplink.length=51m", "accept={FAB004: we have tried it}", NULL };
  g_autoptr (FabAnswer) answer = check_text (plan_text, settings, FAB_SEVERITY_NOTE);
  const FabTable *accepted = section_at (answer, "accepted");
  g_autofree char *ids = ids_found (answer);

  assert_string_equal (ids, "");
  assert_int_equal (fab_table_n_rows (accepted), 1);
  assert_string_equal (cell (accepted, 0, "id"), "FAB004");
  assert_string_equal (cell (accepted, 0, "where"), "planes.compute.uplink");
  assert_string_equal (cell (accepted, 0, "reason"), "we have tried it");
  assert_false (fab_answer_found (answer));
}

static void
test_only_findings_as_bad_as_asked_for_fail (void **state)
{
  static const struct { const char *setting; FabSeverity severity; } rows[] = {
    { "planes.compute.uplink={speed: NDR, cable: mma4z00}", FAB_SEVERITY_NOTE },
    { "nodes.gpu.affinity=modulo", FAB_SEVERITY_WARNING },
    { "planes.compute.uplink.length=51m", FAB_SEVERITY_ERROR },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint fail_on = FAB_SEVERITY_NOTE; fail_on <= FAB_SEVERITY_ERROR; fail_on++)
      {
        const char *settings[] = { rows[i].setting, NULL };
        g_autoptr (FabAnswer) answer = check_text (plan_text, settings, (FabSeverity) fail_on);

        assert_int_equal (fab_answer_found (answer), rows[i].severity >= fail_on);
      }
}

/* ---- the page ---- */

static void
test_the_page_of_check_has_every_rule_as_it_is (void **state)
{
  g_autofree char *page = NULL;
  g_autoptr (FabAnswer) answer = fab_analysis_rules ();
  const FabTable *rules = section_at (answer, "rules");
  guint n_headings = 0;

  assert_true (g_file_get_contents (FAB_SOURCE_DIR "/docs/commands/check.md", &page, NULL, NULL));
  for (gsize row = 0; row < fab_table_n_rows (rules); row++)
    {
      g_autofree char *heading = g_strdup_printf ("\n### %s (%s): %s\n", cell (rules, row, "id"),
                                                  cell (rules, row, "severity"), cell (rules, row, "title"));
      g_autofree char *fix = g_strdup_printf ("\nFix: %s.\n", cell (rules, row, "fix"));

      fab_assert_contains (page, heading);
      fab_assert_contains (page, cell (rules, row, "why"));
      fab_assert_contains (page, fix);
    }
  for (const char *at = page; (at = strstr (at, "\n### FAB")) != NULL; at++)
    n_headings++;
  assert_int_equal (n_headings, fab_table_n_rows (rules));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_sound_designs_raise_nothing),
    cmocka_unit_test (test_each_fault_raises_its_rule_and_no_other),
    cmocka_unit_test (test_each_mended_twin_raises_nothing),
    cmocka_unit_test (test_every_rule_has_a_case_and_an_id_of_its_own),
    cmocka_unit_test (test_a_limited_key_is_sound_beside_a_full_one_of_the_same_partition_only),
    cmocka_unit_test (test_a_finding_says_where_on_which_line_why_and_what_to_do),
    cmocka_unit_test (test_what_a_setting_gave_has_no_line),
    cmocka_unit_test (test_one_cause_is_one_finding_however_many_nodes_have_it),
    cmocka_unit_test (test_findings_come_worst_first_then_by_id),
    cmocka_unit_test (test_the_plan_as_written_has_its_six_mistakes_each_on_its_line),
    cmocka_unit_test (test_the_plan_with_its_mistakes_mended_raises_nothing),
    cmocka_unit_test (test_an_accepted_finding_moves_with_its_reason_and_fails_nothing),
    cmocka_unit_test (test_only_findings_as_bad_as_asked_for_fail),
    cmocka_unit_test (test_the_page_of_check_has_every_rule_as_it_is),
  };

  return cmocka_run_group_tests_name ("rules", tests, NULL, NULL);
}
