/* fab-engine.c: the door to the engines */
#include "fab-engine-private.h"

const char *const *
fab_sharing_names (void)
{
  static const char *const names[] = { "per-port", "maxmin", NULL };

  return names;
}

gboolean
fab_sharing_parse (const char *name, FabSharing *sharing, GError **error)
{
  const char *const *names = fab_sharing_names ();

  for (guint i = 0; names[i] != NULL; i++)
    if (g_strcmp0 (names[i], name) == 0)
      {
        *sharing = (FabSharing) i;
        return TRUE;
      }
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "sharing: expected per-port or maxmin, got “%s”", name);
  return FALSE;
}

const FabEngine *const *
fab_engines (void)
{
  return fab__engines;
}

const FabEngine *
fab_engine_lookup (const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; fab__engines[i] != NULL; i++)
    {
      if (g_str_equal (fab__engines[i]->name, name))
        return fab__engines[i];
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", fab__engines[i]->name);
    }
  g_set_error (error, FAB_ERROR, FAB_ERROR_UNKNOWN, "engine: expected one of %s; got “%s”", known->str, name);
  return NULL;
}

FabResult *
fab_engine_run (const FabEngine *engine, const FabEngineInput *input, GError **error)
{
  g_return_val_if_fail (engine != NULL && input->topology != NULL && input->schedule != NULL, NULL);

  return engine->run (input, error);
}
