/* replay.c: feeds every file of a folder to a fuzzer's entry point, so that the corpus runs in every test run. Speaks TAP. */
#include <glib.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

int
main (int argc, char **argv)
{
  g_autoptr (GDir) dir = argc > 1 ? g_dir_open (argv[1], 0, NULL) : NULL;
  const char *name;
  guint n = 0;

  if (dir == NULL)
    return 2;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (argv[1], name, NULL);
      g_autofree char *data = NULL;
      gsize len;

      if (!g_file_get_contents (path, &data, &len, NULL))
        return 2;
      LLVMFuzzerTestOneInput ((const guint8 *) data, len);
      printf ("ok %u - %s\n", ++n, name);
    }
  printf ("1..%u\n", n);
  return n > 0 ? 0 : 1;
}
