/* fab-schedule.c: operations and what they wait for, written once, then immutable */
#include "workload/fab-schedule-private.h"
#include "base/fab-memory-private.h"
#include "fab-error.h"

struct _FabSchedule
{
  FabOp     *ops;
  guint32   *needs;
  GPtrArray *stages;
  guint32    n_ops;
  guint32    n_ranks;
  guint64    bytes;
  double     busbw_factor;
  const char *form;   /* static */
};

struct _FabScheduleBuilder
{
  GArray    *ops;
  GArray    *needs;
  GPtrArray *stages;
  guint32    n_ranks;
  guint64    bytes;
  double     busbw_factor;
  const char *form;
  GError    *error;   /* of the first row that could not be had */
};

/* What a row costs: itself, its needs, and an engine's notes; arrays double as they grow. */
#define BYTES_PER_OP (2 * (sizeof (FabOp) + 2 * sizeof (guint32)) + 160)

FabScheduleBuilder *
fab__schedule_builder_new (guint32 n_ranks, guint64 bytes, double busbw_factor, const char *form)
{
  FabScheduleBuilder *builder = g_new0 (FabScheduleBuilder, 1);

  builder->ops = g_array_new (FALSE, FALSE, sizeof (FabOp));
  builder->needs = g_array_new (FALSE, FALSE, sizeof (guint32));
  builder->stages = g_ptr_array_new_with_free_func (g_free);
  builder->n_ranks = n_ranks;
  builder->bytes = bytes;
  builder->busbw_factor = busbw_factor;
  builder->form = form;
  return builder;
}

void
fab__schedule_builder_free (FabScheduleBuilder *builder)
{
  if (builder == NULL)
    return;
  g_array_unref (builder->ops);
  g_array_unref (builder->needs);
  g_ptr_array_unref (builder->stages);
  g_clear_error (&builder->error);
  g_free (builder);
}

static void
refuse_too_many (FabScheduleBuilder *builder)
{
  if (builder->error == NULL)
    g_set_error (&builder->error, FAB_ERROR, FAB_ERROR_LIMIT, "schedule: expected at most %u operations; use form: phases", FAB_SCHEDULE_MAX_OPS);
}

void
fab__schedule_builder_expect (FabScheduleBuilder *builder, guint64 n_ops)
{
  if (builder->ops->len + n_ops > FAB_SCHEDULE_MAX_OPS)
    refuse_too_many (builder);
  else if (builder->error == NULL && !fab__memory_check (n_ops * BYTES_PER_OP, "the schedule", &builder->error))
    g_prefix_error (&builder->error, "schedule of %" G_GUINT64_FORMAT " operations: ", n_ops);
  else
    fab__array_reserve (builder->ops, builder->ops->len + n_ops, TRUE);
}

guint32
fab__schedule_builder_n_ops (const FabScheduleBuilder *builder)
{
  return builder->ops->len;
}

guint
fab__schedule_builder_stage (FabScheduleBuilder *builder, const char *name)
{
  g_ptr_array_add (builder->stages, g_strdup (name));
  return builder->stages->len - 1;
}

guint32
fab__schedule_builder_add (FabScheduleBuilder *builder, FabOp op, const guint32 *needs, guint n_needs)
{
  guint32 row = builder->ops->len;

  if (row >= FAB_SCHEDULE_MAX_OPS || builder->needs->len > G_MAXUINT32 - n_needs)
    refuse_too_many (builder);
  if (builder->error != NULL)
    return 0;   /* said at freeze; the row handed out is not used again */
  for (guint i = 0; i < n_needs; i++)
    g_return_val_if_fail (needs[i] < row, 0);

  op.first_need = builder->needs->len;
  op.n_needs = n_needs;
  if (n_needs > 0)
    g_array_append_vals (builder->needs, needs, n_needs);
  g_array_append_val (builder->ops, op);
  return row;
}

FabSchedule *
fab__schedule_builder_freeze (FabScheduleBuilder *builder, GError **error)
{
  FabSchedule *schedule;

  if (builder->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&builder->error));
      fab__schedule_builder_free (builder);
      return NULL;
    }
  schedule = g_atomic_rc_box_new0 (FabSchedule);
  schedule->n_ops = builder->ops->len;
  schedule->ops = (FabOp *) (void *) g_array_free (g_steal_pointer (&builder->ops), FALSE);
  schedule->needs = (guint32 *) (void *) g_array_free (g_steal_pointer (&builder->needs), FALSE);
  schedule->stages = g_steal_pointer (&builder->stages);
  schedule->n_ranks = builder->n_ranks;
  schedule->bytes = builder->bytes;
  schedule->busbw_factor = builder->busbw_factor;
  schedule->form = builder->form;
  g_free (builder);
  return schedule;
}

static void
schedule_clear (gpointer data)
{
  FabSchedule *schedule = data;

  g_free (schedule->ops);
  g_free (schedule->needs);
  g_ptr_array_unref (schedule->stages);
}

FabSchedule *
fab_schedule_ref (FabSchedule *schedule)
{
  return g_atomic_rc_box_acquire (schedule);
}

void
fab_schedule_unref (FabSchedule *schedule)
{
  if (schedule != NULL)
    g_atomic_rc_box_release_full (schedule, schedule_clear);
}

guint32
fab_schedule_n_ops (const FabSchedule *schedule)
{
  return schedule->n_ops;
}

const FabOp *
fab_schedule_ops (const FabSchedule *schedule)
{
  return schedule->ops;
}

const guint32 *
fab_schedule_needs (const FabSchedule *schedule)
{
  return schedule->needs;
}

guint
fab_schedule_n_stages (const FabSchedule *schedule)
{
  return schedule->stages->len;
}

const char *
fab_schedule_stage (const FabSchedule *schedule, guint stage)
{
  g_return_val_if_fail (stage < schedule->stages->len, NULL);
  return g_ptr_array_index (schedule->stages, stage);
}

guint32
fab_schedule_n_ranks (const FabSchedule *schedule)
{
  return schedule->n_ranks;
}

guint64
fab_schedule_bytes (const FabSchedule *schedule)
{
  return schedule->bytes;
}

double
fab_schedule_busbw_factor (const FabSchedule *schedule)
{
  return schedule->busbw_factor;
}

const char *
fab_schedule_form (const FabSchedule *schedule)
{
  return schedule->form;
}
