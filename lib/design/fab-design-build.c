/* fab-design-build.c: the nodes of a design, device by device */
#include "design/fab-design-build-private.h"
#include "base/fab-memory-private.h"
#include "base/fab-wide-private.h"
#include "fab-lfts.h"
#include <string.h>

/* The host ports each plane gets, gathered while nodes are built. */
typedef struct
{
  const FabDesign    *design;
  FabTopologyBuilder *builder;
  FabPlan            *plans;       /* one a plane */
} Build;

/* What all nodes of a group have alike, reckoned once; one entry a device or link of the type. */
typedef struct
{
  FabDevice *devices;
  FabLink   *memory_links;   /* of sockets */
  FabLink   *links;
  GPtrArray *texts;          /* that the links point to */
} Template;

/* Where the ports of the node under construction begin; one entry a device of the type. */
typedef struct
{
  guint32 *device;       /* its row */
  guint32 *network;      /* row of its port p1 */
  guint32 *internal;     /* row of its next free internal port */
} NodeRows;

static FabDeviceKind
device_kind (const FabPart *part)
{
  switch (fab__part_kind (part))
    {
    case FAB_PART_GPU:
      return FAB_DEVICE_GPU;
    case FAB_PART_NIC:
      return FAB_DEVICE_NIC;
    case FAB_PART_PCIE_SWITCH:
      return FAB_DEVICE_PCIE_SWITCH;
    case FAB_PART_NVSWITCH:
      return FAB_DEVICE_NVSWITCH;
    default:
      return FAB_DEVICE_CPU;
    }
}

static gint64
part_latency_ps (const FabPart *part)
{
  return (gint64) fab__part_value (part, fab__part_kind (part) == FAB_PART_CPU ? "root_latency" : "latency", 0);
}

/* ---- links inside a node ---- */

static FabLinkKind
pcie_link_kind (const FabNodeType *type, const FabNodeLink *link)
{
  FabPartKind a = fab__part_kind (type->devices[link->a].part), b = fab__part_kind (type->devices[link->b].part);

  if (a == FAB_PART_GPU || b == FAB_PART_GPU)
    return FAB_LINK_GPU;
  return a == FAB_PART_NIC || b == FAB_PART_NIC ? FAB_LINK_NIC : FAB_LINK_PCIE;
}

static FabLink
pcie_link (const FabNodeType *type, const FabNodeLink *row)
{
  guint64 payload_bytes = row->max_payload_bytes > 0 ? row->max_payload_bytes : fab__part_value (row->pcie, "max_payload", 256);
  guint64 overhead_bytes = fab__part_value (row->pcie, "tlp_overhead", 24);
  guint64 raw_bps = fab__part_value (row->pcie, "transfer_rate", 1) * row->lanes;
  FabLink link = {
    .kind = pcie_link_kind (type, row),
    .rate_bps = fab__mul_div (raw_bps, fab__part_value (row->pcie, "encoding_payload", 1), fab__part_value (row->pcie, "encoding_total", 1)),
  };

  link.goodput_bps = fab__mul_div (link.rate_bps, payload_bytes, payload_bytes + overhead_bytes);
  for (guint e = 0; e < 2; e++)
    {
      const FabPart *part = type->devices[e == 0 ? row->a : row->b].part;

      if (fab__part_kind (part) != FAB_PART_GPU)
        continue;
      link.flow_write_bps = fab__part_value (part, "p2p_write", 0);
      link.flow_read_bps = fab__part_value (part, "p2p_read", 0);
    }
  return link;
}

static FabLink
socket_link (const FabNodeType *type, const FabNodeLink *row)
{
  const FabPart *cpu = type->devices[row->a].part;
  guint64 rate_bps = fab__part_value (cpu, "socket_link", 1);

  return (FabLink) {
    .kind = FAB_LINK_SOCKET,
    .rate_bps = rate_bps,
    .goodput_bps = rate_bps,
    .flow_write_bps = fab__part_value (cpu, "socket_flow_write", 0),
    .flow_read_bps = fab__part_value (cpu, "socket_flow_read", 0),
    .latency_ps = (gint64) fab__part_value (cpu, "socket_latency", 0),
    .speed = fab__part_name (cpu),
  };
}

static FabLink
nvlink_link (const FabNodeType *type, const FabNodeLink *row)
{
  gboolean a_is_gpu = fab__part_kind (type->devices[row->a].part) == FAB_PART_GPU;
  guint64 rate_bps = fab__part_value (type->devices[a_is_gpu ? row->a : row->b].part, "nvlink_rate", 1);

  return (FabLink) { .kind = FAB_LINK_NVLINK, .rate_bps = rate_bps, .goodput_bps = rate_bps, .speed = "nvlink" };
}

static FabLink
memory_link (const FabPart *cpu)
{
  guint64 rate_bps = fab__part_value (cpu, "memory_rate", 1);

  return (FabLink) {
    .kind = FAB_LINK_MEMORY,
    .rate_bps = rate_bps,
    .goodput_bps = rate_bps,
    .latency_ps = (gint64) fab__part_value (cpu, "memory_latency", 0),
    .speed = "memory",
  };
}

static void
override_link (FabLink *link, const FabLinkOverride *override)
{
  if (override->goodput_bps > 0)
    link->goodput_bps = override->goodput_bps;
  if (override->aggregate_bps > 0)
    link->aggregate_bps = override->aggregate_bps;
  if (override->flow_write_bps > 0)
    link->flow_write_bps = override->flow_write_bps;
  if (override->flow_read_bps > 0)
    link->flow_read_bps = override->flow_read_bps;
  if (override->latency_ps > 0)
    link->latency_ps = (gint64) override->latency_ps;
  link->rate_bps = MAX (link->rate_bps, link->goodput_bps);
}

static FabLink
node_link (const FabNodeGroup *group, const FabNodeLink *row, GPtrArray *texts)
{
  FabLink link;

  if (row->kind == FAB_NODE_LINK_SOCKET)
    link = socket_link (group->type, row);
  else if (row->kind == FAB_NODE_LINK_NVLINK)
    link = nvlink_link (group->type, row);
  else
    {
      link = pcie_link (group->type, row);
      link.speed = g_strdup_printf ("%s x%u", fab__part_name (row->pcie), row->lanes);
      g_ptr_array_add (texts, (gpointer) (gsize) link.speed);
    }
  override_link (&link, &(FabLinkOverride) {
    .flow_write_bps = row->flow_write_bps, .flow_read_bps = row->flow_read_bps, .aggregate_bps = row->aggregate_bps });
  override_link (&link, &group->links[link.kind]);
  link.plane = FAB_NONE;
  return link;
}

static void
template_init (Template *template, const FabNodeGroup *group)
{
  const FabNodeType *type = group->type;

  template->devices = g_new0 (FabDevice, MAX (type->n_devices, 1));
  template->memory_links = g_new0 (FabLink, MAX (type->n_devices, 1));
  template->links = g_new0 (FabLink, MAX (type->n_links, 1));
  template->texts = g_ptr_array_new_with_free_func (g_free);
  for (guint d = 0; d < type->n_devices; d++)
    {
      const FabPart *part = type->devices[d].part;

      template->devices[d] = (FabDevice) {
        .name = type->devices[d].name, .part = fab__part_name (part), .kind = device_kind (part), .plane = FAB_NONE, .tier = FAB_NONE,
        .affinity = FAB_NONE, .latency_ps = part_latency_ps (part), .message_rate = fab__part_value (part, "message_rate", 0),
      };
      if (template->devices[d].kind != FAB_DEVICE_CPU)
        continue;
      template->memory_links[d] = memory_link (part);
      override_link (&template->memory_links[d], &group->links[FAB_LINK_MEMORY]);
      template->memory_links[d].plane = FAB_NONE;
    }
  for (guint l = 0; l < type->n_links; l++)
    template->links[l] = node_link (group, &type->links[l], template->texts);
}

static void
template_clear (Template *template)
{
  g_free (template->devices);
  g_free (template->memory_links);
  g_free (template->links);
  g_ptr_array_unref (template->texts);
}

/* ---- devices and ports of a node ---- */

static guint
degree (const FabNodeType *type, guint32 device)
{
  guint n = 0;

  for (guint i = 0; i < type->n_links; i++)
    n += (type->links[i].a == device) + (type->links[i].b == device);
  return n;
}

static void
add_ports (const Build *build, const FabNodeType *type, guint32 device, NodeRows *rows)
{
  const FabPart *part = type->devices[device].part;
  guint n_network = fab__part_kind (part) == FAB_PART_NIC ? (guint) fab__part_value (part, "ports", 1) : 0;
  guint n_internal = degree (type, device) + (fab__part_kind (part) == FAB_PART_CPU ? 1 : 0);

  for (guint p = 0; p < n_network; p++)
    {
      char name[24];
      guint32 row;

      fab__port_name (name, p + 1, 0);
      row = fab__topology_builder_add_port (build->builder, (FabPort) { .name = name, .plane = FAB_NONE, .rail = FAB_NONE });
      if (p == 0)
        rows->network[device] = row;
    }
  for (guint p = 0; p < n_internal; p++)
    {
      guint32 row = fab__topology_builder_add_port (build->builder, (FabPort) { .plane = FAB_NONE, .rail = FAB_NONE });

      if (p == 0)
        rows->internal[device] = row;
    }
}

/* A socket's memory follows its socket and hangs on it. */
static void
add_memory (const Build *build, const Template *template, guint32 node, guint32 device, guint ordinal, NodeRows *rows)
{
  char name[24];
  guint32 port;

  g_snprintf (name, sizeof name, "mem%u", ordinal);
  fab__topology_builder_add_device (build->builder, (FabDevice) {
    .name = name, .part = template->devices[device].part, .kind = FAB_DEVICE_MEMORY, .node = node, .plane = FAB_NONE, .tier = FAB_NONE,
    .affinity = FAB_NONE });
  port = fab__topology_builder_add_port (build->builder, (FabPort) { .plane = FAB_NONE, .rail = FAB_NONE });
  fab__topology_builder_add_link (build->builder, rows->internal[device]++, port, template->memory_links[device]);
}

static void
add_devices (const Build *build, const FabNodeType *type, const Template *template, guint32 node, NodeRows *rows)
{
  guint n_cpus = 0;

  for (guint d = 0; d < type->n_devices; d++)
    {
      FabDevice device = template->devices[d];

      device.node = node;
      rows->device[d] = fab__topology_builder_add_device (build->builder, device);
      add_ports (build, type, d, rows);
      if (device.kind == FAB_DEVICE_CPU)
        add_memory (build, template, node, d, n_cpus++, rows);
    }
}

static const FabNodeRole *
find_role (const FabNodeType *type, const char *role)
{
  for (guint r = 0; r < type->n_roles; r++)
    if (g_str_equal (type->roles[r].role, role))
      return &type->roles[r];
  return NULL;
}

static gboolean
joins (const FabPlaneSpec *plane, guint32 group)
{
  for (guint g = 0; g < plane->n_groups; g++)
    if (plane->groups[g] == group)
      return TRUE;
  return FALSE;
}

static void
assign_ports (const Build *build, guint32 group, guint32 n, const NodeRows *rows)
{
  const FabDesign *design = build->design;

  for (guint p = 0; p < design->n_planes; p++)
    {
      const FabNodeRole *role = find_role (design->groups[group].type, design->planes[p].role);
      FabPlan *plan = &build->plans[p];

      if (role == NULL || !joins (&design->planes[p], group))
        continue;
      for (guint rail = 0; rail < role->n_ports; rail++)
        {
          guint32 port = rows->network[role->ports[rail].device] + role->ports[rail].port - 1;
          FabPlanHost host = {
            .node = plan->n_nodes, .rail = rail, .port = port, .node_name = design->groups[group].nodes[n],
            .device_name = design->groups[group].type->devices[role->ports[rail].device].name, .number = role->ports[rail].port,
          };
          FabPort *row = fab__topology_builder_port (build->builder, port);

          row->plane = p;
          row->rail = rail;
          g_array_append_val (plan->hosts, host);
        }
      plan->n_nodes++;
    }
}

static void
assign_affinity (const Build *build, const FabNodeType *type, const NodeRows *rows)
{
  const FabNodeRole *role = find_role (type, "compute");

  for (guint d = 0; role != NULL && d < type->n_devices; d++)
    if (type->affinity[d] != FAB_NONE)
      {
        const FabNodePort *port = &role->ports[type->affinity[d]];

        fab__topology_builder_set_affinity (build->builder, rows->device[d], rows->network[port->device] + port->port - 1);
      }
}

static void
add_node (const Build *build, guint32 group_row, guint32 n, const Template *template, NodeRows *rows)
{
  const FabNodeGroup *group = &build->design->groups[group_row];
  const FabNodeType *type = group->type;
  guint32 node = fab__topology_builder_add_node (build->builder, (FabNode) { .name = group->nodes[n], .type = type->name, .group = group_row });

  add_devices (build, type, template, node, rows);
  for (guint l = 0; l < type->n_links; l++)
    fab__topology_builder_add_link (build->builder, rows->internal[type->links[l].a]++, rows->internal[type->links[l].b]++, template->links[l]);
  assign_ports (build, group_row, n, rows);
  assign_affinity (build, type, rows);
}

static void
add_group (const Build *build, guint32 group)
{
  guint n_devices = build->design->groups[group].type->n_devices;
  g_autofree guint32 *rows = g_new0 (guint32, 3 * MAX (n_devices, 1));
  NodeRows node_rows = { .device = rows, .network = rows + n_devices, .internal = rows + 2 * n_devices };
  Template template;

  template_init (&template, &build->design->groups[group]);
  for (guint32 n = 0; n < build->design->groups[group].n_nodes; n++)
    add_node (build, group, n, &template, &node_rows);
  template_clear (&template);
}

/* ---- planes ---- */

static void
plan_init (FabPlan *plan, const FabPlaneSpec *plane)
{
  *plan = (FabPlan) {
    .plane = plane,
    .hosts = g_array_new (FALSE, FALSE, sizeof (FabPlanHost)),
    .switches = g_array_new (FALSE, FALSE, sizeof (FabPlanSwitch)),
    .cables = g_array_new (FALSE, FALSE, sizeof (FabPlanCable)),
  };
}

static void
plan_clear (FabPlan *plan)
{
  for (guint i = 0; i < plan->switches->len; i++)
    g_free (g_array_index (plan->switches, FabPlanSwitch, i).name);
  g_array_unref (plan->hosts);
  g_array_unref (plan->switches);
  g_array_unref (plan->cables);
}

static guint32
header_bytes (const FabPlaneSpec *plane)
{
  return plane->host_link.speed != NULL ? (guint32) fab__part_value (plane->host_link.speed, "header", 26) : 26;
}

static void
add_plane (const Build *build, guint32 p)
{
  const FabPlaneSpec *plane = &build->design->planes[p];

  fab__topology_builder_add_plane (build->builder, (FabPlane) {
    .name = plane->name, .kind = plane->kind, .family = plane->family != NULL ? plane->family->name : "explicit",
    .mtu_bytes = plane->mtu_bytes, .header_bytes = header_bytes (plane) });
  plan_init (&build->plans[p], plane);
}

static gboolean
build_plane (const Build *build, guint32 p, GError **error)
{
  const FabPlaneSpec *plane = &build->design->planes[p];
  FabPlan *plan = &build->plans[p];

  return (plane->family == NULL || plane->family->plan (plane, plan, error))
         && fab__plan_add_explicit (plan, error)
         && fab__plan_build (plan, build->builder, p, error);
}

/* What the nodes' rows will take, on the safe side; switches and cables are fewer. */
static guint64
estimate_bytes (const FabDesign *design)
{
  guint64 bytes = 0;

  for (guint g = 0; g < design->n_groups; g++)
    {
      const FabNodeType *type = design->groups[g].type;
      guint64 n_links = type->n_links + 4, n_devices = type->n_devices + 4;

      bytes += design->groups[g].n_nodes * (n_devices * sizeof (FabDevice) + 2 * n_links * (sizeof (FabLink) + sizeof (FabPort)) + 256);
    }
  return 2 * bytes;   /* arrays double as they grow */
}

FabTopology *
fab_design_build_topology (const FabDesign *design, GError **error)
{
  g_autoptr (FabTopologyBuilder) builder = fab__topology_builder_new ();
  g_autofree FabPlan *plans = g_new0 (FabPlan, MAX (design->n_planes, 1));
  Build build = { .design = design, .builder = builder, .plans = plans };
  gboolean ok = TRUE;

  if (!fab__memory_check (estimate_bytes (design), "the topology", error))
    return NULL;
  for (guint p = 0; p < design->n_planes; p++)
    add_plane (&build, p);
  for (guint g = 0; g < design->n_groups; g++)
    add_group (&build, g);
  for (guint p = 0; p < design->n_planes && ok; p++)
    ok = build_plane (&build, p, error);
  for (guint p = 0; p < design->n_planes; p++)
    plan_clear (&plans[p]);
  return ok ? fab__topology_builder_freeze (g_steal_pointer (&builder), error) : NULL;
}

/* ---- subnet and routes ---- */

static FabRoutes *
read_tables (const FabDesign *design, FabTopology *topology, const FabFaults *faults, guint32 plane, GError **error)
{
  const FabSubnetSpec *spec = &design->planes[plane].subnet;

  return fab_lfts_read (spec->tables, strlen (spec->tables), spec->tables_path, topology, plane, faults, &spec->qos, error);
}

FabSubnet *
fab_design_build_subnet (const FabDesign *design, FabTopology *topology, guint32 plane, GError **error)
{
  g_return_val_if_fail (plane < design->n_planes, NULL);
  if (design->planes[plane].subnet.tables != NULL)   /* the LIDs are the file's */
    {
      g_autoptr (FabRoutes) routes = read_tables (design, topology, NULL, plane, error);

      return routes != NULL ? fab_subnet_ref (fab_routes_subnet (routes)) : NULL;
    }
  return fab_subnet_new (topology, plane, design->planes[plane].subnet.lmc, &design->planes[plane].subnet.qos, error);
}

static FabRoutes *
compute_routes (const FabDesign *design, FabTopology *topology, const FabFaults *faults, guint32 plane, const char *engine, GError **error)
{
  const FabSubnetSpec *spec = &design->planes[plane].subnet;
  g_autoptr (FabSubnet) subnet = fab_subnet_new (topology, plane, spec->lmc, &spec->qos, error);

  if (subnet == NULL)
    return NULL;
  if (engine == NULL)
    engine = spec->engine != NULL ? spec->engine : "minhop";
  return fab_routes_compute (subnet, faults, engine, NULL, error);
}

FabRoutes *
fab__design_build_routes (const FabDesign *design, FabTopology *topology, const FabFaults *faults, guint32 plane, const char *engine,
                          GError **error)
{
  const FabSubnetSpec *spec = &design->planes[plane].subnet;
  g_autoptr (FabRoutes) routes = engine == NULL && spec->tables != NULL ? read_tables (design, topology, faults, plane, error)
                                                                       : compute_routes (design, topology, faults, plane, engine, error);

  return routes != NULL ? fab_routes_with_forwarding (routes, spec->forwarding) : NULL;
}

FabRoutes *
fab_design_build_routes (const FabDesign *design, FabTopology *topology, const FabFaults *faults, guint32 plane, GError **error)
{
  return fab__design_build_routes (design, topology, faults, plane, NULL, error);
}
