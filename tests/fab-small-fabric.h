/* fab-small-fabric.h - fabrics of a line or two, made by the builder alone, for the tests of topology and subnet
 */
#pragma once
#include "fab-test.h"
#include "topology/fab-topology-private.h"

/* ---- a plane as a line of text ---- */

typedef struct
{
  char    owner[16], device[16];   /* a switch has no owner */
  guint   n_ports, n_used;
  guint32 first_port;
} SmallDevice;

static inline SmallDevice *
small_device (GArray *devices, const char *name)
{
  const char *slash = strchr (name, '/');
  SmallDevice device = { .n_ports = 0 };

  if (name[0] == 'h')
    {
      g_strlcpy (device.owner, name, MIN (sizeof device.owner, slash != NULL ? (gsize) (slash - name) + 1 : sizeof device.owner));
      g_strlcpy (device.device, slash != NULL ? slash + 1 : "nic0", sizeof device.device);
    }
  else
    g_strlcpy (device.device, name, sizeof device.device);
  for (guint i = 0; i < devices->len; i++)
    {
      SmallDevice *known = &g_array_index (devices, SmallDevice, i);

      if (g_str_equal (known->owner, device.owner) && g_str_equal (known->device, device.device))
        return known;
    }
  g_array_append_val (devices, device);
  return &g_array_index (devices, SmallDevice, devices->len - 1);
}

/* "a-b" or "a-b*3": the two names, and how many links. */
static inline guint
small_split (const char *link, char *a, char *b)
{
  const char *dash = strchr (link, '-'), *star = strchr (link, '*');

  g_strlcpy (a, link, (gsize) (dash - link) + 1);
  g_strlcpy (b, dash + 1, star != NULL ? (gsize) (star - dash) : 32);
  return star != NULL ? (guint) atoi (star + 1) : 1;
}

static inline void
small_add_device (FabTopologyBuilder *builder, SmallDevice *small, guint32 node)
{
  FabDevice device = { .name = small->device, .part = "small", .node = node, .plane = FAB_NONE, .tier = FAB_NONE, .affinity = FAB_NONE };

  device.kind = node != FAB_NONE ? FAB_DEVICE_NIC : FAB_DEVICE_SWITCH;
  if (node == FAB_NONE)
    {
      device.plane = 0;
      device.tier = g_str_has_prefix (small->device, "spine") ? 1 : g_str_has_prefix (small->device, "core") ? 2 : 0;
    }
  fab__topology_builder_add_device (builder, device);
  for (guint p = 0; p < small->n_ports; p++)
    {
      g_autofree char *name = g_strdup_printf ("p%u", p + 1);
      guint32 row = fab__topology_builder_add_port (builder, (FabPort) { .name = name, .plane = 0, .rail = FAB_NONE });

      small->first_port = p == 0 ? row : small->first_port;
    }
}

static inline void
small_add_devices (FabTopologyBuilder *builder, GArray *devices)
{
  for (guint i = 0; i < devices->len; i++)
    {
      SmallDevice *first = &g_array_index (devices, SmallDevice, i);
      guint32 node;

      if (first->owner[0] == '\0' || first->first_port != FAB_NONE)
        continue;
      node = fab__topology_builder_add_node (builder, (FabNode) { .name = first->owner, .type = "small", .group = FAB_NONE });
      for (guint j = i; j < devices->len; j++)
        if (g_str_equal (g_array_index (devices, SmallDevice, j).owner, first->owner))
          small_add_device (builder, &g_array_index (devices, SmallDevice, j), node);
    }
  for (guint i = 0; i < devices->len; i++)
    if (g_array_index (devices, SmallDevice, i).owner[0] == '\0')
      small_add_device (builder, &g_array_index (devices, SmallDevice, i), FAB_NONE);
}

/* "h1-leaf1 h2/nic1-leaf1 leaf1-spine1*4": hosts (h…, one NIC "nic0" unless named) and switches of the plane "net", joined in this
 * order, ports p1, p2 … as they are used. Links between switches have 400 Gb/s, others 200; the goodput is half the rate. */
static inline FabTopology *
small_plane (const char *text)
{
  g_autoptr (GArray) devices = g_array_new (FALSE, FALSE, sizeof (SmallDevice));
  g_auto (GStrv) links = g_strsplit (text, " ", -1);
  g_autoptr (GError) error = NULL;
  FabTopologyBuilder *builder = fab__topology_builder_new ();
  FabTopology *topology;
  char a[32], b[32];

  for (guint i = 0; links[i] != NULL; i++)
    {
      guint n = small_split (links[i], a, b);

      small_device (devices, a)->n_ports += n;
      small_device (devices, b)->n_ports += n;
    }
  for (guint i = 0; i < devices->len; i++)
    g_array_index (devices, SmallDevice, i).first_port = FAB_NONE;
  fab__topology_builder_add_plane (builder, (FabPlane) { .name = "net", .kind = FAB_LINK_INFINIBAND, .family = "explicit", .mtu_bytes = 4096 });
  small_add_devices (builder, devices);
  for (guint i = 0; links[i] != NULL; i++)
    for (guint n = small_split (links[i], a, b); n > 0; n--)
      {
        SmallDevice *from = small_device (devices, a), *to = small_device (devices, b);
        guint64 rate_bps = a[0] == 'h' || b[0] == 'h' ? 200000000000 : 400000000000;
        FabLink link = { .kind = FAB_LINK_INFINIBAND, .plane = 0, .rate_bps = rate_bps, .goodput_bps = rate_bps / 2, .latency_ps = 1000 };

        fab__topology_builder_add_link (builder, from->first_port + from->n_used++, to->first_port + to->n_used++, link);
      }
  topology = fab__topology_builder_freeze (builder, &error);
  fab_assert_no_error (error);
  return topology;
}

/* ---- rows by address ---- */

static inline guint32
small_find (const FabTopology *topology, const char *address)
{
  g_autoptr (GError) error = NULL;
  guint32 device = FAB_NONE;

  fab_topology_find_device (topology, address, &device, &error);
  fab_assert_no_error (error);
  return device;
}

/* @port counts from 1. */
static inline guint32
small_port (const FabTopology *topology, const char *device_address, guint port)
{
  const FabDevice *device = fab_topology_device (topology, small_find (topology, device_address));

  assert_in_range (port, 1, device->n_ports);
  return device->first_port + port - 1;
}

static inline FabFaults *
small_faults (FabTopology *topology, const char *address)
{
  g_autoptr (GError) error = NULL;
  FabFaults *faults;

  if (address == NULL)
    return NULL;
  faults = fab_faults_new (topology);
  fab_faults_add (faults, address, &error);
  fab_assert_no_error (error);
  return faults;
}

/* Addresses of the rows, joined by spaces; caller frees. */
static inline char *
small_names (const FabTopology *topology, const GArray *rows, char *(*address) (const FabTopology *topology, guint32 row))
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < rows->len; i++)
    {
      g_autofree char *name = address (topology, g_array_index (rows, guint32, i));

      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", name);
    }
  return g_string_free (text, FALSE);
}
