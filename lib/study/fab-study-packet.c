/* fab-study-packet.c: what the packet engine alone can tell: counters of ports, what was lost, a deadlock */
#include "study/fab-run-private.h"

#define SHOWN_PORTS 8

static const FabColumn packet_columns[] = {
  { "packet_hops", "packet-hops", FAB_CELL_COUNT, "", "data packets, once for each link they crossed", 0 },
  { "failed", "failed transfers", FAB_CELL_COUNT, "", "transfers given up after all their retries; what waits for them did not run",
    FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "out_of_order", "out of order", FAB_CELL_COUNT, "", "packets that came in before one sent earlier", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "discards", "discards", FAB_CELL_COUNT, "", "PortXmitDiscards of all ports: lifetimes run out, or a stalled lane",
    FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "rcv_errors", "receive errors", FAB_CELL_COUNT, "", "PortRcvErrors of all ports: packets lost to bit errors", FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "xmit_wait_ns", "waited for credit", FAB_CELL_TIME, "ns", "PortXmitWait of all ports and lanes of the network, summed, as time",
    FAB_COLUMN_METRIC | FAB_COLUMN_LOWER },
  { "deadlock", "deadlock", FAB_CELL_TEXT, "", "links of which each waits for buffer behind the next, and the last for the first", 0 },
};

/* Names as perfquery has them. */
static const FabColumn port_columns[] = {
  { "port", "port", FAB_CELL_TEXT, "", "the port that sends, and the one at the link's end", 0 },
  { "vl", "VL", FAB_CELL_COUNT, "", "virtual lane", 0 },
  { "busy", "busy", FAB_CELL_SHARE, "", "time that the lane's packets, headers counted, took at the link's rate, over the run's", 0 },
  { "xmit_data", "XmitData", FAB_CELL_COUNT, "", "PortXmitData, in words of 4 bytes", 0 },
  { "xmit_pkts", "XmitPkts", FAB_CELL_COUNT, "", "PortXmitPkts", 0 },
  { "xmit_wait_ns", "XmitWait", FAB_CELL_TIME, "ns", "PortXmitWait as time: packets stood here and the receiver had no room", 0 },
  { "xmit_discards", "XmitDiscards", FAB_CELL_COUNT, "", "PortXmitDiscards", 0 },
  { "rcv_errors", "RcvErrors", FAB_CELL_COUNT, "", "PortRcvErrors of the port at the link's end", 0 },
  { "queue_wait_ns", "mean wait", FAB_CELL_TIME, "ns", "of a packet, from when it could have left until it did", 0 },
  { "max_queue", "most queued", FAB_CELL_COUNT, "", "packets that stood for this lane at once", 0 },
  { "max_buffer_bytes", "most buffered", FAB_CELL_SIZE, "B", "of the buffer at the link's end", FAB_COLUMN_HIDDEN },
};

/* ---- the busiest ports ---- */

typedef struct
{
  const FabPacketLane *lane;
  double               busy_ps;
} Port;

static int
compare_ports (gconstpointer a, gconstpointer b)
{
  const Port *one = a, *other = b;

  if (one->busy_ps != other->busy_ps)
    return one->busy_ps > other->busy_ps ? -1 : 1;
  if (one->lane->xmit_wait_ps != other->lane->xmit_wait_ps)
    return one->lane->xmit_wait_ps > other->lane->xmit_wait_ps ? -1 : 1;
  if (one->lane->link != other->lane->link)
    return one->lane->link < other->lane->link ? -1 : 1;
  return (int) one->lane->vl - (int) other->lane->vl;
}

/* Of the network: PCIe has no such counters. */
static GArray *
busiest_ports (const FabTopology *topology, const FabResult *result)
{
  GArray *ports = g_array_new (FALSE, FALSE, sizeof (Port));
  gsize n_lanes;
  const FabPacketLane *lanes = fab_result_packet_lanes (result, &n_lanes);

  for (gsize i = 0; i < n_lanes; i++)
    {
      const FabLink *link = fab_topology_link (topology, lanes[i].link);
      Port port = { .lane = &lanes[i], .busy_ps = (double) lanes[i].xmit_data * 32e12 / (double) MAX (link->rate_bps, 1) };

      if (link->plane != FAB_NONE && lanes[i].xmit_pkts + lanes[i].xmit_discards > 0)
        g_array_append_val (ports, port);
    }
  g_array_sort (ports, compare_ports);
  return ports;
}

static void
add_ports (FabAnswer *answer, const FabTopology *topology, const char *path, const char *name, const FabResult *result)
{
  g_autoptr (GArray) ports = busiest_ports (topology, result);
  g_autofree char *at = g_strdup_printf ("%s.packet.ports", path);
  g_autofree char *title = g_strdup_printf ("%s: the busiest of %u ports", name, ports->len);
  FabTable *table;

  if (ports->len == 0)
    return;
  table = fab_table_new (port_columns, G_N_ELEMENTS (port_columns));
  for (guint i = 0; i < MIN (ports->len, SHOWN_PORTS); i++)
    {
      const Port *port = &g_array_index (ports, Port, i);
      const FabPacketLane *lane = port->lane;
      g_autofree char *address = fab_topology_link_address (topology, lane->link);

      fab_table_add_row (table);
      fab_table_set_text (table, "port", address);
      fab_table_set_int (table, "vl", lane->vl);
      fab_table_set_number (table, "busy", port->busy_ps / (double) MAX (fab_result_time_ps (result), 1));
      fab_table_set_int (table, "xmit_data", (gint64) lane->xmit_data);
      fab_table_set_int (table, "xmit_pkts", (gint64) lane->xmit_pkts);
      fab_table_set_int (table, "xmit_wait_ns", (gint64) lane->xmit_wait_ps);
      fab_table_set_int (table, "xmit_discards", (gint64) lane->xmit_discards);
      fab_table_set_int (table, "rcv_errors", (gint64) lane->rcv_errors);
      fab_table_set_int (table, "queue_wait_ns", (gint64) (lane->queue_wait_ps / MAX (lane->xmit_pkts, 1)));
      fab_table_set_int (table, "max_queue", lane->max_queue);
      fab_table_set_int (table, "max_buffer_bytes", 64 * (gint64) lane->max_buffer_blocks);
    }
  fab_answer_add_table (answer, at, title, table);
}

/* ---- the whole ---- */

static char *
deadlock_words (const FabTopology *topology, const FabResult *result)
{
  gsize n_links;
  const guint32 *links = fab_result_deadlock (result, &n_links);
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < n_links; i++)
    {
      g_autofree char *address = fab_topology_link_address (topology, links[i]);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", address);
    }
  return n_links > 0 ? g_strdup (text->str) : NULL;
}

static void
add_totals (FabAnswer *answer, const FabTopology *topology, const char *path, const char *name, const FabResult *result, const char *deadlock)
{
  g_autofree char *at = g_strdup_printf ("%s.packet", path);
  g_autofree char *title = g_strdup_printf ("%s: what the packets met", name);
  FabTable *table = fab_table_new (packet_columns, G_N_ELEMENTS (packet_columns));
  const FabCounters *counters = fab_result_counters (result);
  guint64 n_discards = 0, n_errors = 0, wait_ps = 0;
  gsize n_lanes;
  const FabPacketLane *lanes = fab_result_packet_lanes (result, &n_lanes);

  for (gsize i = 0; i < n_lanes; i++)
    {
      if (fab_topology_link (topology, lanes[i].link)->plane == FAB_NONE)
        continue;
      n_discards += lanes[i].xmit_discards;
      n_errors += lanes[i].rcv_errors;
      wait_ps += lanes[i].xmit_wait_ps;
    }
  fab_table_add_row (table);
  fab_table_set_int (table, "packet_hops", (gint64) counters->packet_hops);
  fab_table_set_int (table, "failed", (gint64) counters->failed);
  fab_table_set_int (table, "out_of_order", (gint64) counters->out_of_order);
  fab_table_set_int (table, "discards", (gint64) n_discards);
  fab_table_set_int (table, "rcv_errors", (gint64) n_errors);
  fab_table_set_int (table, "xmit_wait_ns", (gint64) wait_ps);
  fab_table_set_text (table, "deadlock", deadlock);
  fab_answer_add_record (answer, at, title, table);
}

void
fab__study_packet (FabAnswer *answer, const FabBuilt *built, const char *path, const char *name, const FabResult *result)
{
  g_autofree char *deadlock = NULL;
  const FabCounters *counters = fab_result_counters (result);

  if (!fab__result_is_packet (result))
    return;
  deadlock = deadlock_words (built->topology, result);
  if (deadlock != NULL)
    fab_answer_say (answer, "%s: deadlock: each of these links waits for buffer behind the next, and the last for the first: %s.", name, deadlock);
  if (counters->failed > 0)
    fab_answer_say (answer, "%s: %" G_GUINT64_FORMAT " transfers were given up after all their retries; what waits for them did not run.", name,
                    counters->failed);
  if (deadlock != NULL || counters->failed > 0)
    fab_answer_set_found (answer, TRUE);
  add_totals (answer, built->topology, path, name, result, deadlock);
  add_ports (answer, built->topology, path, name, result);
}

const char *
fab__incomplete_words (const FabResult *result)
{
  gsize n_links;

  if (fab_result_complete (result))
    return "";
  if (fab_result_deadlock (result, &n_links) != NULL)
    return "(deadlocked; what ran until then) ";
  if (fab_result_counters (result)->failed > 0)
    return "(transfers failed; what ran) ";
  return "(interrupted; what is known so far) ";
}
