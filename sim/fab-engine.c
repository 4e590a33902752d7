/* fab-engine.c: the door to the engines */
#include "fab-engine-private.h"

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
