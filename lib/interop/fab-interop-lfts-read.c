/* fab-interop-lfts-read.c: tables from what OpenSM dumped, matched to the switches and cables of a topology */
#include "interop/fab-lfts-private.h"
#include "base/fab-document-private.h"
#include "subnet/fab-routing-private.h"
#include "subnet/fab-subnet-private.h"
#include <string.h>

#define N_LIDS (FAB_SUBNET_MAX_UNICAST_LIDS + 1)

typedef struct
{
  const char        *path;
  const FabTopology *topology;
  const FabFaults   *faults;
  guint32            plane, first_switch, n_switches;
  GHashTable        *by_name, *by_guid;   /* → switch of the plane, counted from 1 */
  const char       **names;               /* of switches; NULL-terminated */
  GError           **error;
  /* the line at hand */
  const char        *line, *at;
  guint              number;
  /* the block at hand; FAB_NONE: between blocks */
  guint32            s;
  guint              n_entries;
  guint32            ports[FAB_LFTS_NO_PATH];
  /* what was read */
  guint32          **rows;                /* of each switch: its links by LID, counted from 1; NULL: no block yet */
  guint32           *switch_lids, *lid_ports, *lid_switches;
  guint32            max_lid;             /* of a switch or NIC port; LIDs that lead nowhere are nobody's */
} Reader;

static gboolean G_GNUC_PRINTF (3, 4)
fails (const Reader *reader, FabErrorCode code, const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (reader->error, FAB_ERROR, (gint) code, "%s:%u:%u: %s%s: %s", reader->path, reader->number, (guint) (reader->at - reader->line) + 1,
               reader->s != FAB_NONE ? "switch " : "tables", reader->s != FAB_NONE ? reader->names[reader->s] : "", text);
  return FALSE;
}

/* ---- pieces of a line ---- */

static gboolean
take (Reader *reader, const char *text)
{
  if (!g_str_has_prefix (reader->at, text))
    return FALSE;
  reader->at += strlen (text);
  return TRUE;
}

static gboolean
expect (Reader *reader, const char *text)
{
  return take (reader, text) || fails (reader, FAB_ERROR_SYNTAX, "expected “%s”, got “%.20s”", text, reader->at);
}

static gboolean
expect_number (Reader *reader, guint base, guint64 max, const char *what, guint64 *number)
{
  const char *from = reader->at;
  char *end = NULL;

  *number = g_ascii_isxdigit (*from) ? g_ascii_strtoull (from, &end, base) : 0;
  if (end == NULL || end == from || *number > max)
    return fails (reader, FAB_ERROR_SYNTAX, "expected %s, at most %" G_GUINT64_FORMAT ", got “%.20s”", what, max, from);
  reader->at = end;
  return TRUE;
}

static void
skip_spaces (Reader *reader)
{
  while (*reader->at == ' ' || *reader->at == '\t')
    reader->at++;
}

/* From @at to before the last @close of the line, without quotes and, of a managed switch, without what stands around its name. */
static char *
description (const char *at, char close)
{
  const char *end = strrchr (at, close);
  char *text = g_strndup (at, end != NULL ? (gsize) (end - at) : strlen (at)), *colon;
  gsize len = strlen (text);

  if (len >= 2 && text[0] == '\'' && text[len - 1] == '\'')
    {
      text[len - 1] = '\0';
      memmove (text, text + 1, len - 1);
    }
  if (g_str_has_prefix (text, "MF0;") && (colon = strrchr (text, ':')) != NULL)
    {
      *colon = '\0';
      memmove (text, text + 4, strlen (text + 4) + 1);
    }
  return text;
}

/* ---- blocks ---- */

static gboolean
begin_switch (Reader *reader, const char *name, guint64 guid, guint64 lid)
{
  guint row = GPOINTER_TO_UINT (g_hash_table_lookup (reader->by_name, name));
  const char *nearest;

  if (row == 0)
    row = GPOINTER_TO_UINT (g_hash_table_lookup (reader->by_guid, &guid));
  if (row == 0)
    {
      nearest = fab__nearest (name, reader->names);
      return fails (reader, FAB_ERROR_UNKNOWN, "expected a switch of plane %s, got “%s”%s%s%s", fab_topology_plane (reader->topology, reader->plane)->name,
                    name, nearest != NULL ? "; did you mean “" : "", nearest != NULL ? nearest : "", nearest != NULL ? "”?" : "");
    }
  if (reader->rows[row - 1] != NULL)
    return fails (reader, FAB_ERROR_VALUE, "expected one table a switch, got a second for %s", name);
  reader->s = row - 1;
  reader->n_entries = 0;
  reader->rows[reader->s] = g_new0 (guint32, N_LIDS);
  reader->switch_lids[reader->s] = (guint32) lid;
  fab__lfts_ports (reader->topology, reader->first_switch + reader->s, reader->ports);
  return TRUE;
}

/* "Unicast lids [0-18] of switch Lid 1 guid 0x… ('leaf1'):", after the bracket. */
static gboolean
read_header (Reader *reader)
{
  guint64 least, most, lid, guid;
  g_autofree char *name = NULL;

  if (reader->s != FAB_NONE)
    return fails (reader, FAB_ERROR_SYNTAX, "expected “N lids dumped” before the next table");
  if (!expect_number (reader, 0, N_LIDS, "a LID", &least) || !expect (reader, "-") || !expect_number (reader, 0, N_LIDS, "a LID", &most)
      || !expect (reader, "] of switch Lid ") || !expect_number (reader, 0, FAB_SUBNET_MAX_UNICAST_LIDS, "a LID", &lid) || !expect (reader, " guid ")
      || !expect_number (reader, 16, G_MAXUINT64, "a GUID", &guid) || !expect (reader, " ("))
    return FALSE;
  name = description (reader->at, ')');
  return begin_switch (reader, name, guid, lid);
}

static gboolean
end_switch (Reader *reader, guint64 n, gboolean valid)
{
  if (valid && n != reader->n_entries)
    return fails (reader, FAB_ERROR_VALUE, "expected %" G_GUINT64_FORMAT " lines of LIDs, got %u", n, reader->n_entries);
  if (reader->switch_lids[reader->s] == 0)
    return fails (reader, FAB_ERROR_VALUE, "expected a LID of its own, got none");
  reader->s = FAB_NONE;
  return TRUE;
}

/* ---- entries ---- */

/* The node that the file names, where it is one of ours, must be the one that is cabled there. */
static gboolean
check_node (const Reader *reader, guint32 port, const char *name)
{
  g_auto (GStrv) words = g_strsplit (name, " ", 2);
  guint32 node = words[0] != NULL ? fab_topology_lookup_node (reader->topology, words[0]) : FAB_NONE;
  guint32 there = fab_topology_device (reader->topology, fab_topology_port (reader->topology, port)->device)->node;

  if (node == FAB_NONE || node == there)
    return TRUE;
  return fails (reader, FAB_ERROR_VALUE, "expected %s, which is cabled to this port, got %s", fab_topology_node (reader->topology, there)->name, words[0]);
}

/* A switch hands @lid to NIC port @port. */
static gboolean
deliver (Reader *reader, guint32 lid, guint32 port, const char *name)
{
  g_autofree char *other = NULL;

  if (reader->lid_ports[lid] != FAB_NONE && reader->lid_ports[lid] != port)
    {
      other = fab_topology_port_address (reader->topology, reader->lid_ports[lid]);
      return fails (reader, FAB_ERROR_VALUE, "expected LID 0x%04x at %s, where another switch delivers it", lid, other);
    }
  reader->lid_ports[lid] = port;
  reader->max_lid = MAX (reader->max_lid, lid);
  return check_node (reader, port, name);
}

static gboolean
set_entry (Reader *reader, guint32 lid, guint number, const char *name)
{
  guint32 port = number < FAB_LFTS_NO_PATH ? reader->ports[number] : FAB_NONE;
  guint32 link = port != FAB_NONE ? fab_topology_port (reader->topology, port)->link : FAB_NONE;
  guint32 to;

  if (number == FAB_LFTS_NO_PATH)
    return TRUE;
  if (number == 0)
    {
      if (reader->switch_lids[reader->s] != 0 && reader->switch_lids[reader->s] != lid)
        return fails (reader, FAB_ERROR_VALUE, "expected the switch's own LID %u at port 0, got %u", reader->switch_lids[reader->s], lid);
      reader->switch_lids[reader->s] = lid;
      return TRUE;
    }
  if (link == FAB_NONE)
    return fails (reader, FAB_ERROR_VALUE, "expected a cabled port, got %03u, which is %s", number, port == FAB_NONE ? "none of its ports" : "free");
  if (reader->rows[reader->s][lid] != 0)
    return fails (reader, FAB_ERROR_VALUE, "expected one line a LID, got a second for 0x%04x", lid);
  reader->rows[reader->s][lid] = link + 1;
  to = fab_topology_link (reader->topology, link)->to_port;
  return fab_topology_device (reader->topology, fab_topology_port (reader->topology, to)->device)->kind == FAB_DEVICE_SWITCH
         || deliver (reader, lid, to, name);
}

/* "0x000b 001 # Channel Adapter portguid 0x…: 'gpu001 nic0'"; ibroute has ": (" for "# ". */
static gboolean
read_entry (Reader *reader)
{
  guint64 lid, number;
  const char *quote, *at = reader->at;
  g_autofree char *name = NULL;

  if (reader->s == FAB_NONE)
    return fails (reader, FAB_ERROR_SYNTAX, "expected “Unicast lids [” before the first LID");
  if (!expect_number (reader, 16, FAB_SUBNET_MAX_UNICAST_LIDS, "a LID", &lid) || !expect (reader, " "))
    return FALSE;
  if (lid == 0)
    return fails (reader, FAB_ERROR_VALUE, "expected a LID above 0, got 0");
  skip_spaces (reader);
  at = reader->at;
  if (!expect_number (reader, 10, FAB_LFTS_NO_PATH, "a port", &number))
    return FALSE;
  quote = strchr (reader->at, '\'');
  name = quote != NULL ? description (quote + 1, '\'') : g_strdup ("");
  reader->at = at;   /* what is wrong now is wrong with the port */
  reader->n_entries++;
  return set_entry (reader, (guint32) lid, (guint) number, name);
}

/* ---- the file ---- */

static gboolean
read_line (Reader *reader)
{
  guint64 n;

  skip_spaces (reader);
  if (*reader->at == '\0' || g_str_has_prefix (reader->at, "Lid ") || g_str_has_prefix (reader->at, "Port "))   /* ibroute's headings */
    return TRUE;
  if (take (reader, "Unicast lids ["))
    return read_header (reader);
  if (g_str_has_prefix (reader->at, "0x"))
    return read_entry (reader);
  if (reader->s != FAB_NONE && g_ascii_isdigit (*reader->at) && expect_number (reader, 10, G_MAXUINT32, "a count", &n))
    {
      gboolean valid = take (reader, " valid");

      return expect (reader, " lids dumped") && end_switch (reader, n, valid);
    }
  return fails (reader, FAB_ERROR_SYNTAX, "expected %s, got “%.20s”", reader->s == FAB_NONE ? "“Unicast lids [”" : "a LID (0x…) or “N lids dumped”", reader->at);
}

static gboolean
read_lines (Reader *reader, char *text)
{
  char *next = text;

  while (next != NULL)
    {
      char *line = next, *end = strchr (line, '\n');

      next = end != NULL ? end + 1 : NULL;
      if (end != NULL)
        *end = '\0';
      g_strchomp (line);
      reader->line = reader->at = line;
      reader->number++;
      if (!read_line (reader))
        return FALSE;
    }
  return reader->s == FAB_NONE || fails (reader, FAB_ERROR_SYNTAX, "expected “N lids dumped”, got the end of the file");
}

static gboolean
check_switches (Reader *reader)
{
  for (guint32 s = 0; s < reader->n_switches; s++)
    {
      guint32 lid = reader->switch_lids[s];

      if (reader->rows[s] == NULL && !fab_faults_device_down (reader->faults, reader->first_switch + s))
        return fails (reader, FAB_ERROR_VALUE, "expected a table for every switch, got none for %s", reader->names[s]);
      if (lid == 0)
        continue;
      if (reader->lid_switches[lid] != FAB_NONE || reader->lid_ports[lid] != FAB_NONE)
        return fails (reader, FAB_ERROR_VALUE, "expected a LID for one alone, got 0x%04x for %s and another", lid, reader->names[s]);
      reader->lid_switches[lid] = s;
      reader->max_lid = MAX (reader->max_lid, lid);
    }
  return TRUE;
}

static gboolean
check_hosts (Reader *reader)
{
  g_autofree gboolean *known = g_new0 (gboolean, fab_topology_n_ports (reader->topology) + 1);

  for (guint32 lid = 1; lid <= reader->max_lid; lid++)
    if (reader->lid_ports[lid] != FAB_NONE)
      known[reader->lid_ports[lid]] = TRUE;
  for (guint32 l = 0; l < fab_topology_n_links (reader->topology); l++)
    {
      const FabLink *link = fab_topology_link (reader->topology, l);
      g_autofree char *address = NULL;

      if (link->from_device - reader->first_switch >= reader->n_switches || known[link->to_port]
          || fab_topology_device (reader->topology, link->to_device)->kind == FAB_DEVICE_SWITCH
          || fab_faults_goodput_bps (reader->faults, reader->topology, l) == 0)
        continue;
      address = fab_topology_port_address (reader->topology, link->to_port);
      return fails (reader, FAB_ERROR_VALUE, "expected a LID for every host port, got none that leads to %s", address);
    }
  return TRUE;
}

static void
reader_init (Reader *reader)
{
  const FabPlane *plane = fab_topology_plane (reader->topology, reader->plane);

  reader->s = FAB_NONE;
  reader->first_switch = plane->first_switch;
  reader->n_switches = plane->n_switches;
  reader->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  reader->by_guid = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  reader->names = g_new0 (const char *, plane->n_switches + 1);
  reader->rows = g_new0 (guint32 *, MAX (plane->n_switches, 1));
  reader->switch_lids = g_new0 (guint32, MAX (plane->n_switches, 1));
  reader->lid_ports = g_new (guint32, N_LIDS);
  reader->lid_switches = g_new (guint32, N_LIDS);
  memset (reader->lid_ports, 0xff, sizeof (guint32) * N_LIDS);
  memset (reader->lid_switches, 0xff, sizeof (guint32) * N_LIDS);
  for (guint32 s = 0; s < plane->n_switches; s++)
    {
      g_autofree char *address = fab_topology_device_address (reader->topology, plane->first_switch + s);
      guint64 guid = fab__lfts_guid (address);

      reader->names[s] = fab_topology_device (reader->topology, plane->first_switch + s)->name;
      g_hash_table_insert (reader->by_name, (gpointer) (gsize) reader->names[s], GUINT_TO_POINTER (s + 1));
      g_hash_table_insert (reader->by_guid, g_memdup2 (&guid, sizeof guid), GUINT_TO_POINTER (s + 1));
    }
}

static void
reader_clear (Reader *reader)
{
  for (guint32 s = 0; s < reader->n_switches; s++)
    g_free (reader->rows[s]);
  g_hash_table_unref (reader->by_name);
  g_hash_table_unref (reader->by_guid);
  g_free (reader->names);
  g_free (reader->rows);
  g_free (reader->switch_lids);
  g_free (reader->lid_ports);
  g_free (reader->lid_switches);
}

/* Entries are counted from 1 so far, 0 for none: FAB_NONE is one less. */
static FabRoutes *
make_routes (const Reader *reader, FabTopology *topology, const FabQos *qos)
{
  g_autoptr (FabSubnet) subnet = fab__subnet_new_with_lids (topology, reader->plane, qos, reader->switch_lids, reader->lid_ports, reader->max_lid);
  guint32 row_length = reader->max_lid + 1;
  guint32 *tables = g_new (guint32, MAX ((gsize) reader->n_switches * row_length, 1));

  for (guint32 s = 0; s < reader->n_switches; s++)
    for (guint32 lid = 0; lid < row_length; lid++)
      tables[(gsize) s * row_length + lid] = reader->rows[s] != NULL ? reader->rows[s][lid] - 1 : FAB_NONE;
  return fab__routes_new_with_tables (subnet, reader->faults, tables);
}

FabRoutes *
fab_lfts_read (const char *text, gsize len, const char *path, FabTopology *topology, guint32 plane, const FabFaults *faults, const FabQos *qos,
               GError **error)
{
  g_autofree char *lines = g_strndup (text, len);
  GError *own = NULL;
  Reader reader = { .path = path, .topology = topology, .faults = faults, .plane = plane, .error = &own };
  FabRoutes *routes = NULL;

  reader_init (&reader);
  if (read_lines (&reader, lines) && check_switches (&reader) && check_hosts (&reader))
    routes = make_routes (&reader, topology, qos);
  else
    g_propagate_error (error, own);
  reader_clear (&reader);
  return routes;
}
