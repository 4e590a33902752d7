/* fab-share-needless.c: resources that can never be the narrowest of a route
 *
 * What enters a NIC from its node leaves by its ports, and the other way round: a slot with more goodput than all the ports together
 * limits nobody.
 */
#include "fab-share-part-private.h"

/* Both directions between the NIC and its plane or planes, summed. */
static void
sum_ports (const FabShare *share, const FabDevice *nic, double *out, double *in)
{
  *out = *in = 0;
  for (guint32 p = nic->first_port; p < nic->first_port + nic->n_ports; p++)
    {
      const FabPort *port = fab_topology_port (share->topology, p);

      if (port->plane == FAB_NONE || port->link == FAB_NONE)
        continue;
      *out += share->resources[port->link].capacity;
      *in += share->resources[port->link ^ 1].capacity;
    }
}

static void
drop_slot (FabShare *share, guint32 link, double out, double in)
{
  FabResource *pair = &share->resources[share->n_links + link / 2];   /* @link leads from the NIC into its node */

  if (pair->capacity > 0 && pair->capacity <= out + in)
    return;   /* the two directions together may limit, and one of them is then named */
  pair->needless = TRUE;
  share->resources[link].needless = share->resources[link].capacity > in ? 1 : 0;
  share->resources[link ^ 1].needless = share->resources[link ^ 1].capacity > out ? 1 : 0;
}

void
fab__share_drop_needless (FabShare *share)
{
  for (guint32 d = 0; d < fab_topology_n_devices (share->topology); d++)
    {
      const FabDevice *device = fab_topology_device (share->topology, d);
      double out, in;

      if (device->kind != FAB_DEVICE_NIC)
        continue;
      sum_ports (share, device, &out, &in);
      for (guint32 p = device->first_port; p < device->first_port + device->n_ports; p++)
        if (fab_topology_port (share->topology, p)->plane == FAB_NONE && fab_topology_port (share->topology, p)->link != FAB_NONE)
          drop_slot (share, fab_topology_port (share->topology, p)->link, out, in);
    }
}
