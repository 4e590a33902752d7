/* fab-design-packet.c: `packet:`: what may be set of the packet engine */
#include "design/fab-design-read-private.h"

#define MAX_BUFFER_BLOCKS 2048u   /* of 64 bytes: what 12-bit credit counters grant */
#define MAX_LIFE          31u
#define MAX_SPEEDUP       4u      /* as far as the engine goes */

static const char *const packet_keys[] = {
  "queues", "switching", "read_speedup", "switch_buffer", "nic_buffer", "pcie_buffer", "credit_interval", "lose_credit_every", "lose_data_every",
  "head_life", "leaf_head_life", "stall_count", "window", "window_step", "retry_count", "retry_timeout", NULL,
};

static gboolean
read_uint (const FabItem *block, const char *key, guint64 min, guint64 max, guint *value, GError **error)
{
  guint64 number = *value;

  if (!fab__item_get_uint (fab__item_lookup (block, key), min, max, &number, error))
    return FALSE;
  *value = (guint) number;
  return TRUE;
}

static gboolean
read_choice (const FabItem *block, const char *key, const char *const *names, gboolean *second, GError **error)
{
  guint choice = *second ? 1 : 0;

  if (fab__item_lookup (block, key) != NULL && !fab__item_get_choice (fab__item_lookup (block, key), names, &choice, error))
    return FALSE;
  *second = choice == 1;
  return TRUE;
}

static gboolean
read_size (const FabItem *block, const char *key, guint64 max, guint64 *bytes, GError **error)
{
  const FabItem *item = fab__item_lookup (block, key);

  if (!fab__item_get_quantity (item, FAB_UNIT_SIZE, bytes, error))
    return FALSE;
  if (*bytes <= max)
    return TRUE;
  fab__item_error (item, error, FAB_ERROR_VALUE, "expected at most %" G_GUINT64_FORMAT " bytes, got %" G_GUINT64_FORMAT, max, *bytes);
  return FALSE;
}

static gboolean
read_switches (const FabItem *block, FabPacketOptions *options, GError **error)
{
  static const char *const queues[] = { "voq", "fifo", NULL };
  static const char *const switching[] = { "cut-through", "store-and-forward", NULL };
  const guint64 most = MAX_BUFFER_BLOCKS * 64u;

  return read_choice (block, "queues", queues, &options->fifo, error)
         && read_choice (block, "switching", switching, &options->store_and_forward, error)
         && read_uint (block, "read_speedup", 1, MAX_SPEEDUP, &options->read_speedup, error)
         && read_size (block, "switch_buffer", most, &options->switch_buffer_bytes, error)
         && read_size (block, "nic_buffer", most, &options->nic_buffer_bytes, error)
         && read_size (block, "pcie_buffer", 16u << 20, &options->pcie_buffer_bytes, error);
}

static gboolean
read_flow_control (const FabItem *block, FabPacketOptions *options, GError **error)
{
  guint64 interval_ps = (guint64) options->credit_interval_ps;

  if (!fab__item_get_quantity (fab__item_lookup (block, "credit_interval"), FAB_UNIT_TIME, &interval_ps, error)
      || !read_uint (block, "lose_credit_every", 0, G_MAXUINT32, &options->lose_credit_every, error)
      || !read_uint (block, "lose_data_every", 0, G_MAXUINT32, &options->lose_data_every, error))
    return FALSE;
  options->credit_interval_ps = (gint64) interval_ps;
  return read_uint (block, "head_life", 0, MAX_LIFE, &options->head_life, error)
         && read_uint (block, "leaf_head_life", 0, MAX_LIFE, &options->leaf_head_life, error)
         && read_uint (block, "stall_count", 1, 7, &options->stall_count, error);
}

/* Grants of more than the window would never be used whole. */
static gboolean
read_hosts (const FabItem *block, FabPacketOptions *options, GError **error)
{
  if (!read_size (block, "window", G_MAXUINT32, &options->window_bytes, error)
      || !read_size (block, "window_step", G_MAXUINT32, &options->window_step_bytes, error)
      || !read_uint (block, "retry_count", 0, 7, &options->retry_count, error)
      || !read_uint (block, "retry_timeout", 0, MAX_LIFE, &options->retry_timeout, error))
    return FALSE;
  if (options->window_bytes == 0 || (options->window_step_bytes > 0 && options->window_step_bytes <= options->window_bytes))
    return TRUE;
  fab__item_error (block, error, FAB_ERROR_VALUE, "expected a window_step above 0 and at most the window");
  return FALSE;
}

gboolean
fab__design_read_packet (const FabItem *block, FabPacketOptions *options, GError **error)
{
  fab_packet_options_init (options);
  return block == NULL
         || (fab__item_expect_kind (block, FAB_ITEM_MAP, error) && fab__item_check_keys (block, packet_keys, error)
             && read_switches (block, options, error) && read_flow_control (block, options, error) && read_hosts (block, options, error));
}
