/* fab-design-cables.c: a plan's switches, ports and cables as rows of the topology */
#include "design/fab-design-build-private.h"
#include "base/fab-wide-private.h"

/* A used port of a switch. */
typedef struct
{
  guint32 switch_row;
  guint32 cable;      /* row of the plan's cables */
  guint16 port, half;
  guint8  end;        /* 0: a, 1: b */
} UsedPort;

static gint
compare_used (gconstpointer a, gconstpointer b)
{
  const UsedPort *x = a, *y = b;

  if (x->switch_row != y->switch_row)
    return x->switch_row < y->switch_row ? -1 : 1;
  if (x->port != y->port)
    return x->port < y->port ? -1 : 1;
  if (x->half != y->half)
    return x->half < y->half ? -1 : 1;
  return x->cable < y->cable ? -1 : x->cable > y->cable;
}

static void
note_end (GArray *used, const FabPlanEnd *end, guint32 cable, guint8 which)
{
  UsedPort port = { .switch_row = end->switch_row, .cable = cable, .port = end->port, .half = end->half, .end = which };

  if (end->switch_row != FAB_NONE)
    g_array_append_val (used, port);
}

static GArray *
used_ports (const FabPlan *plan)
{
  GArray *used = g_array_sized_new (FALSE, FALSE, sizeof (UsedPort), 2 * plan->cables->len);

  for (guint32 c = 0; c < plan->cables->len; c++)
    {
      const FabPlanCable *cable = &g_array_index (plan->cables, FabPlanCable, c);

      note_end (used, &cable->a, c, 0);
      note_end (used, &cable->b, c, 1);
    }
  g_array_sort (used, compare_used);
  return used;
}

static const FabItem *
item_of (const FabPlan *plan, const UsedPort *port)
{
  const FabPlanCable *cable = &g_array_index (plan->cables, FabPlanCable, port->cable);

  return cable->spec->item != NULL ? cable->spec->item : plan->plane->item;
}

static gboolean
check_used (const FabPlan *plan, const GArray *used, GError **error)
{
  for (guint i = 0; i < used->len; i++)
    {
      const UsedPort *port = &g_array_index (used, UsedPort, i);
      const UsedPort *last = i > 0 ? port - 1 : NULL;
      const FabPlanSwitch *row = &g_array_index (plan->switches, FabPlanSwitch, port->switch_row);
      guint64 n_ports = fab__part_value (row->part, "ports", 0);

      if (port->port < 1 || port->port > n_ports)
        {
          fab__item_error (item_of (plan, port), error, FAB_ERROR_VALUE, "%s: expected at most %" G_GUINT64_FORMAT " ports of %s, got port %u",
                           row->name, n_ports, fab__part_name (row->part), port->port);
          return FALSE;
        }
      if (last != NULL && last->switch_row == port->switch_row && last->port == port->port
          && (last->half == port->half || last->half == 0))
        {
          fab__item_error (item_of (plan, port), error, FAB_ERROR_VALUE, "%s/p%u: expected each port used once, got a second cable", row->name, port->port);
          return FALSE;
        }
    }
  return TRUE;
}

static char *
put_number (char *at, guint number)
{
  guint power = 1;

  for (guint rest = number / 10; rest > 0; rest /= 10)
    power *= 10;
  for (; power > 0; power /= 10)
    *at++ = (char) ('0' + number / power % 10);
  return at;
}

void
fab__port_name (char name[24], guint port, guint half)
{
  name[0] = 'p';
  name = put_number (name + 1, port);
  if (half > 0)
    {
      *name++ = '/';
      name = put_number (name, half);
    }
  *name = '\0';
}

/* Adds switches with their ports; sets the row of each cable end on a switch. */
static void
add_switches (const FabPlan *plan, const GArray *used, FabTopologyBuilder *builder, guint32 plane, guint32 (*end_ports)[2])
{
  guint next = 0;

  for (guint32 s = 0; s < plan->switches->len; s++)
    {
      const FabPlanSwitch *row = &g_array_index (plan->switches, FabPlanSwitch, s);

      fab__topology_builder_add_device (builder, (FabDevice) {
        .name = row->name, .part = fab__part_name (row->part), .kind = FAB_DEVICE_SWITCH, .node = FAB_NONE, .plane = plane,
        .tier = row->tier, .affinity = FAB_NONE, .latency_ps = (gint64) fab__part_value (row->part, "latency", 0),
        .buffer_bytes = fab__part_value (row->part, "buffer_per_vl", 0), .max_vls = (guint32) fab__part_value (row->part, "max_vls", 0) });
      for (; next < used->len && g_array_index (used, UsedPort, next).switch_row == s; next++)
        {
          const UsedPort *port = &g_array_index (used, UsedPort, next);
          char name[24];

          fab__port_name (name, port->port, port->half);
          end_ports[port->cable][port->end]
            = fab__topology_builder_add_port (builder, (FabPort) { .name = name, .plane = plane, .rail = FAB_NONE });
        }
    }
}

static FabLink
cable_link (const FabPlan *plan, const FabCableSpec *spec, guint32 plane)
{
  guint64 rate_bps = fab__part_value (spec->speed, "data_rate", 1);
  guint64 header_bytes = fab__part_value (spec->speed, "header", 26);
  FabLink link = {
    .kind = plan->plane->kind,
    .plane = plane,
    .rate_bps = rate_bps,
    .goodput_bps = spec->goodput_bps > 0 ? spec->goodput_bps
                                         : fab__mul_div (rate_bps, plan->plane->mtu_bytes, plan->plane->mtu_bytes + header_bytes),
    .length_mm = spec->length_mm,
    .speed = fab__part_name (spec->speed),
  };

  link.rate_bps = MAX (link.rate_bps, link.goodput_bps);
  if (spec->cable != NULL)
    {
      link.cable = fab__part_name (spec->cable);
      link.latency_ps = (gint64) (fab__part_value (spec->cable, "delay_per_m", 0) * spec->length_mm / 1000
                                  + fab__part_value (spec->cable, "fec_latency", 0));
    }
  return link;
}

static gboolean
add_cables (const FabPlan *plan, FabTopologyBuilder *builder, guint32 plane, guint32 (*end_ports)[2], GError **error)
{
  g_autofree gboolean *host_used = g_new0 (gboolean, MAX (plan->hosts->len, 1));
  const FabCableSpec *spec = NULL;
  FabLink link = { 0 };

  for (guint32 c = 0; c < plan->cables->len; c++)
    {
      const FabPlanCable *cable = &g_array_index (plan->cables, FabPlanCable, c);

      for (guint e = 0; e < 2; e++)
        {
          const FabPlanEnd *end = e == 0 ? &cable->a : &cable->b;

          if (end->switch_row != FAB_NONE)
            continue;
          if (host_used[end->host])
            {
              fab__item_error (cable->spec->item != NULL ? cable->spec->item : plan->plane->item, error, FAB_ERROR_VALUE,
                               "expected each port used once, got a second cable on a port of a node");
              return FALSE;
            }
          host_used[end->host] = TRUE;
          end_ports[c][e] = g_array_index (plan->hosts, FabPlanHost, end->host).port;
        }
      if (cable->spec != spec)   /* cables of one spec follow each other */
        link = cable_link (plan, spec = cable->spec, plane);
      fab__topology_builder_add_link (builder, end_ports[c][0], end_ports[c][1], link);
    }
  return TRUE;
}

static gboolean
check_size (const FabPlan *plan, GError **error)
{
  if (plan->switches->len <= FAB_DESIGN_MAX_SWITCHES && plan->cables->len <= FAB_DESIGN_MAX_CABLES)
    return TRUE;
  fab__item_error (plan->plane->item, error, FAB_ERROR_LIMIT, "expected at most %u switches and %u cables, got %u and %u",
                   FAB_DESIGN_MAX_SWITCHES, FAB_DESIGN_MAX_CABLES, plan->switches->len, plan->cables->len);
  return FALSE;
}

gboolean
fab__plan_build (const FabPlan *plan, FabTopologyBuilder *builder, guint32 plane, GError **error)
{
  g_autoptr (GArray) used = used_ports (plan);
  g_autofree guint32 (*end_ports)[2] = g_malloc_n (MAX (plan->cables->len, 1), sizeof *end_ports);

  if (!check_size (plan, error) || !check_used (plan, used, error))
    return FALSE;
  add_switches (plan, used, builder, plane, end_ports);
  return add_cables (plan, builder, plane, end_ports, error);
}
