/* fuzz-address.c: what parses prints back to what it was; what expands compresses and expands to the same */
#include "fab-address.h"
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
try_address (const char *text)
{
  g_auto (FabAddress) address = { NULL };
  g_auto (FabAddress) again = { NULL };
  g_autofree char *printed = NULL;

  if (!fab_address_parse (text, &address, NULL))
    return;
  printed = fab_address_to_string (&address);
  g_assert_cmpstr (printed, ==, text);
  g_assert_true (fab_address_parse (printed, &again, NULL));
  g_assert_cmpstr (again.owner, ==, address.owner);
  g_assert_cmpstr (again.device, ==, address.device);
  g_assert_cmpstr (again.port, ==, address.port);
}

static void
try_hostlist (const char *text)
{
  g_auto (GStrv) names = fab_hostlist_expand (text, 1000, NULL);
  g_auto (GStrv) again = NULL;
  g_autofree char *compressed = NULL;

  if (names == NULL)
    return;
  for (guint i = 0; names[i] != NULL; i++)   /* names with brackets or commas are none that a fabric has */
    if (strpbrk (names[i], "[],") != NULL || *names[i] == '\0')
      return;
  compressed = fab_hostlist_compress ((const char *const *) names, g_strv_length (names));
  again = fab_hostlist_expand (compressed, 100000, NULL);
  g_assert_nonnull (again);
  g_assert_true (g_strv_equal ((const char *const *) names, (const char *const *) again));
  for (guint i = 0; names[i] != NULL && i < 50; i++)
    g_assert_true (fab_hostlist_match (text, names[i]));   /* a star is a name's own character, too */
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, MIN (size, 512));
  g_auto (FabAddress) a = { NULL };
  g_auto (FabAddress) b = { NULL };

  try_address (text);
  try_hostlist (text);
  fab_address_parse_link (text, &a, &b, NULL);
  return 0;
}
