/* fuzz-setting.c: a document, a line of dots, then KEY=VALUE lines: settings keep a tree whole and within its limits, copies and merges too */
#include "base/fab-document-private.h"
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* Every item is where its parent says, with a place and a key, and no deeper than may be. */
static void
check_tree (const FabItem *item, guint depth)
{
  g_autofree char *place = fab__item_place (item);

  g_assert_nonnull (strstr (place, "fuzz.yaml:") != NULL ? place : strstr (place, "--set "));
  g_assert_cmpuint (depth, <=, FAB_DOCUMENT_MAX_DEPTH);
  g_assert_true ((fab__item_kind (item) == FAB_ITEM_SCALAR) == (fab__item_text (item) != NULL));
  for (guint i = 0; i < fab__item_n_children (item); i++)
    {
      const FabItem *child = fab__item_child (item, i);

      if (fab__item_kind (item) == FAB_ITEM_MAP)
        g_assert_true (fab__item_lookup (item, fab__item_key (item, i)) == child);
      check_tree (child, depth + (fab__item_kind (child) == FAB_ITEM_SCALAR ? 0 : 1));
    }
}

static void
check_document (const FabDocument *document)
{
  const FabItem *root = fab__document_root (document);

  check_tree (root, fab__item_kind (root) == FAB_ITEM_SCALAR ? 0 : 1);
}

/* A setting that fails says so and changes no digest. */
static void
try_setting (FabDocument *document, char *line)
{
  g_autofree char *before = fab__document_digest (document);
  g_autofree char *after = NULL;
  g_autoptr (GError) error = NULL;
  char *equals = strchr (line, '=');
  gboolean done;

  if (equals == NULL)
    return;
  *equals = '\0';
  done = fab__document_set (document, line, equals + 1, &error);
  g_assert_true (done == (error == NULL));
  after = fab__document_digest (document);
  g_assert_true (done == !g_str_equal (before, after));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, MIN (size, 4096));
  g_auto (GStrv) halves = g_strsplit (text, "\n...\n", 2);
  g_auto (GStrv) lines = g_strsplit (halves[0] != NULL && halves[1] != NULL ? halves[1] : "", "\n", 50);
  g_autoptr (GError) error = NULL;
  g_autoptr (FabDocument) document = NULL;
  g_autoptr (FabDocument) first = NULL;
  g_autoptr (FabDocument) copy = NULL;
  g_autofree char *digest = NULL, *copied = NULL;

  document = halves[0] != NULL ? fab__document_read (halves[0], strlen (halves[0]), "fuzz.yaml", &error) : NULL;
  g_assert_true (halves[0] == NULL || (document == NULL) == (error != NULL));
  if (document == NULL)
    return 0;
  check_document (document);
  first = fab__document_copy (document);
  for (guint i = 0; lines[i] != NULL; i++)
    try_setting (document, lines[i]);
  check_document (document);

  copy = fab__document_copy (document);
  digest = fab__document_digest (document);
  copied = fab__document_digest (copy);
  g_assert_cmpstr (digest, ==, copied);
  fab__document_merge (first, document);
  g_clear_pointer (&document, fab__document_unref);
  check_document (copy);
  check_document (first);
  return 0;
}
