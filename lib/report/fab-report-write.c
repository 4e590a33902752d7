/* fab-report-write.c: all of a text to a file, or nothing */
#include "fab-report.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
write_all (int fd, const char *text, gsize len)
{
  while (len > 0)
    {
      gssize n = write (fd, text, len);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      text += n;
      len -= (gsize) n;
    }
  return TRUE;
}

static gboolean
write_failed (const char *path, GError **error)
{
  g_set_error (error, FAB_ERROR, FAB_ERROR_WRITE, "%s: %s", path, g_strerror (errno));
  return FALSE;
}

static gboolean
write_stdout (const char *text, gsize len, gboolean *closed, GError **error)
{
  if (write_all (STDOUT_FILENO, text, len))
    return TRUE;
  if (errno != EPIPE)
    return write_failed ("standard output", error);
  if (closed != NULL)
    *closed = TRUE;
  return TRUE;
}

/* Devices and pipes cannot be renamed over: they are written in place. */
static gboolean
write_in_place (const char *path, const char *text, gsize len, GError **error)
{
  int fd = g_open (path, O_WRONLY, 0);
  gboolean ok;

  if (fd < 0)
    return write_failed (path, error);
  ok = write_all (fd, text, len) || write_failed (path, error);
  if (close (fd) != 0 && ok)
    ok = write_failed (path, error);
  return ok;
}

static gboolean
write_beside (const char *path, const char *text, gsize len, GError **error)
{
  g_autofree char *temporary = g_strdup_printf ("%s.XXXXXX", path);
  int fd = g_mkstemp_full (temporary, O_WRONLY, 0666);
  gboolean ok;

  if (fd < 0)
    return write_failed (path, error);
  ok = write_all (fd, text, len) || write_failed (path, error);
  if (close (fd) != 0 && ok)
    ok = write_failed (path, error);
  if (ok && g_rename (temporary, path) != 0)
    ok = write_failed (path, error);
  if (!ok)
    g_unlink (temporary);
  return ok;
}

gboolean
fab_report_write (const char *path, const char *text, gsize len, gboolean *closed, GError **error)
{
  GStatBuf status;

  if (closed != NULL)
    *closed = FALSE;
  if (g_str_equal (path, "-"))
    return write_stdout (text, len, closed, error);
  if (g_stat (path, &status) == 0 && S_ISDIR (status.st_mode))
    {
      errno = EISDIR;
      return write_failed (path, error);
    }
  if (g_stat (path, &status) == 0 && !S_ISREG (status.st_mode))
    return write_in_place (path, text, len, error);
  return write_beside (path, text, len, error);
}
