/* fab-stream.c: seeded random streams; the home of GSL's generators */
#include "base/fab-stream-private.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>

struct _FabStream
{
  gsl_rng *rng;
};

/* GSL's default handler aborts the process; every caller here checks what GSL returns instead. */
static void
tame_gsl (void)
{
  static gsize tamed = 0;

  if (g_once_init_enter (&tamed))
    {
      gsl_set_error_handler_off ();
      g_once_init_leave (&tamed, 1);
    }
}

/* FNV-1a over the name, mixed with the seed by splitmix64's finaliser: near seeds give unrelated streams. */
static guint64
mix (guint64 seed, const char *name)
{
  guint64 hash = G_GUINT64_CONSTANT (14695981039346656037);

  for (const char *p = name; *p != '\0'; p++)
    hash = (hash ^ (guint8) *p) * G_GUINT64_CONSTANT (1099511628211);
  hash ^= seed + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  hash = (hash ^ (hash >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  hash = (hash ^ (hash >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return hash ^ (hash >> 31);
}

FabStream *
fab__stream_new (guint64 seed, const char *name)
{
  FabStream *stream = g_new (FabStream, 1);

  tame_gsl ();
  stream->rng = gsl_rng_alloc (gsl_rng_mt19937);
  gsl_rng_set (stream->rng, (unsigned long) (guint32) mix (seed, name));
  return stream;
}

void
fab__stream_free (FabStream *stream)
{
  if (stream == NULL)
    return;
  gsl_rng_free (stream->rng);
  g_free (stream);
}

guint32
fab__stream_below (FabStream *stream, guint32 n)
{
  guint32 limit = G_MAXUINT32 - G_MAXUINT32 % MAX (n, 1);
  guint32 draw;

  do   /* numbers above the last whole multiple of n would favour the small ones */
    draw = (guint32) gsl_rng_get (stream->rng);
  while (draw >= limit);
  return draw % MAX (n, 1);
}

double
fab__stream_uniform (FabStream *stream)
{
  return gsl_rng_uniform (stream->rng);
}

void
fab__stream_shuffle (FabStream *stream, guint32 *items, gsize n_items)
{
  for (gsize i = n_items; i > 1; i--)
    {
      guint32 j = fab__stream_below (stream, (guint32) i);
      guint32 kept = items[i - 1];

      items[i - 1] = items[j];
      items[j] = kept;
    }
}
