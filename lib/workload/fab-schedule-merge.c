/* fab-schedule-merge.c: several workloads as one schedule */
#include "workload/fab-schedule-private.h"

static void
append_part (FabScheduleBuilder *builder, const FabSchedule *part, gint64 start_ps, guint first_stage)
{
  const FabOp *ops = fab_schedule_ops (part);
  const guint32 *part_needs = fab_schedule_needs (part);
  g_autoptr (GArray) needs = g_array_new (FALSE, FALSE, sizeof (guint32));
  FabOp hold = { .kind = FAB_OP_JOIN, .work_ps = start_ps, .src = fab_schedule_n_ops (part) > 0 ? ops[0].src : 0, .stage = (guint16) first_stage };
  guint32 held = start_ps > 0 ? fab__schedule_builder_add (builder, hold, NULL, 0) : FAB_NONE;
  guint32 offset = fab__schedule_builder_n_ops (builder);

  fab__schedule_builder_expect (builder, fab_schedule_n_ops (part));
  for (guint32 op = 0; op < fab_schedule_n_ops (part); op++)
    {
      FabOp copy = ops[op];

      g_array_set_size (needs, 0);
      for (guint32 i = 0; i < copy.n_needs; i++)
        {
          guint32 need = part_needs[copy.first_need + i] + offset;

          g_array_append_val (needs, need);
        }
      if (needs->len == 0 && copy.n_flows == 0 && held != FAB_NONE)
        g_array_append_val (needs, held);
      copy.first_flow += offset;
      copy.stage = (guint16) (copy.stage + first_stage);
      fab__schedule_builder_add (builder, copy, (const guint32 *) (const void *) needs->data, needs->len);
    }
}

FabSchedule *
fab__schedule_merge (FabSchedule *const *parts, const gint64 *starts_ps, guint n_parts, guint32 *first_ops, GError **error)
{
  g_autoptr (FabScheduleBuilder) builder = fab__schedule_builder_new (0, 0, 0, "scenario");
  guint n_stages = 0;

  for (guint p = 0; p < n_parts; p++)
    {
      first_ops[p] = fab__schedule_builder_n_ops (builder);
      for (guint s = 0; s < fab_schedule_n_stages (parts[p]); s++)
        fab__schedule_builder_stage (builder, fab_schedule_stage (parts[p], s));
      append_part (builder, parts[p], starts_ps[p], n_stages);
      n_stages += fab_schedule_n_stages (parts[p]);
    }
  first_ops[n_parts] = fab__schedule_builder_n_ops (builder);
  return fab__schedule_builder_freeze (g_steal_pointer (&builder), error);
}
