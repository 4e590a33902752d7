/* fab-faults.c: what is down or slowed, beside a topology that stays as it is */
#include "topology/fab-topology-private.h"

struct _FabFaults
{
  FabTopology *topology;
  guint8      *device_down;   /* one a device */
  guint8      *link_down;     /* one a directed link */
  guint64     *cap_bps;       /* one a directed link; 0: none */
};

static void
faults_clear (gpointer data)
{
  FabFaults *faults = data;

  fab_topology_unref (faults->topology);
  g_free (faults->device_down);
  g_free (faults->link_down);
  g_free (faults->cap_bps);
}

FabFaults *
fab_faults_new (FabTopology *topology)
{
  FabFaults *faults = g_atomic_rc_box_new0 (FabFaults);

  faults->topology = fab_topology_ref (topology);
  faults->device_down = g_new0 (guint8, MAX (topology->n_devices, 1));
  faults->link_down = g_new0 (guint8, MAX (topology->n_links, 1));
  faults->cap_bps = g_new0 (guint64, MAX (topology->n_links, 1));
  return faults;
}

FabFaults *
fab_faults_ref (FabFaults *faults)
{
  return g_atomic_rc_box_acquire (faults);
}

void
fab_faults_unref (FabFaults *faults)
{
  if (faults != NULL)
    g_atomic_rc_box_release_full (faults, faults_clear);
}

gboolean
fab_faults_add (FabFaults *faults, const char *address, GError **error)
{
  g_autoptr (GArray) devices = NULL;
  g_autoptr (GArray) links = NULL;

  if (!fab_topology_match (faults->topology, address, &devices, &links, error))
    return FALSE;
  for (guint i = 0; i < devices->len; i++)
    faults->device_down[g_array_index (devices, guint32, i)] = TRUE;
  for (guint i = 0; i < links->len; i++)
    for (guint direction = 0; direction < 2; direction++)
      faults->link_down[g_array_index (links, guint32, i) + direction] = TRUE;
  return TRUE;
}

/* Of several caps on a link the smallest holds, in whatever order they were said. */
static void
cap_link (FabFaults *faults, guint32 link, guint64 rate_bps)
{
  guint64 *cap_bps = &faults->cap_bps[link];

  *cap_bps = *cap_bps > 0 ? MIN (*cap_bps, rate_bps) : rate_bps;
}

gboolean
fab_faults_cap (FabFaults *faults, const char *address, guint64 rate_bps, GError **error)
{
  g_autoptr (GArray) links = NULL;

  if (rate_bps == 0)
    {
      g_set_error (error, FAB_ERROR, FAB_ERROR_VALUE, "expected a rate above zero for %s, got 0; take it down instead", address);
      return FALSE;
    }
  if (!fab_topology_match (faults->topology, address, NULL, &links, error))
    return FALSE;
  for (guint i = 0; i < links->len; i++)
    for (guint direction = 0; direction < 2; direction++)
      cap_link (faults, g_array_index (links, guint32, i) + direction, rate_bps);
  return TRUE;
}

gboolean
fab_faults_link_down (const FabFaults *faults, guint32 link)
{
  return faults != NULL && faults->link_down[link];
}

gboolean
fab_faults_device_down (const FabFaults *faults, guint32 device)
{
  return faults != NULL && faults->device_down[device];
}

guint64
fab_faults_goodput_bps (const FabFaults *faults, const FabTopology *topology, guint32 link)
{
  guint64 goodput_bps = topology->links[link].goodput_bps;

  if (faults == NULL)
    return goodput_bps;
  if (faults->link_down[link])
    return 0;
  return faults->cap_bps[link] > 0 ? MIN (goodput_bps, faults->cap_bps[link]) : goodput_bps;
}
