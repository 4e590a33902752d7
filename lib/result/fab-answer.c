/* fab-answer.c: sentences, records and tables, each at its JSON path */
#include "fab-answer.h"

struct _FabAnswer
{
  char      *schema;
  GPtrArray *says;       /* NULL-terminated */
  GArray    *sections;   /* FabSection */
  gboolean   found;
};

FabAnswer *
fab_answer_new (const char *schema)
{
  FabAnswer *answer = g_atomic_rc_box_new0 (FabAnswer);

  answer->schema = g_strdup (schema);
  answer->says = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (answer->says, NULL);
  answer->sections = g_array_new (FALSE, FALSE, sizeof (FabSection));
  return answer;
}

FabAnswer *
fab_answer_ref (FabAnswer *answer)
{
  return g_atomic_rc_box_acquire (answer);
}

static void
answer_clear (gpointer data)
{
  FabAnswer *answer = data;

  for (guint i = 0; i < answer->sections->len; i++)
    {
      FabSection *section = &g_array_index (answer->sections, FabSection, i);

      g_free ((char *) (gsize) section->path);
      g_free ((char *) (gsize) section->title);
      fab_table_unref ((FabTable *) (gsize) section->table);
    }
  g_array_unref (answer->sections);
  g_ptr_array_unref (answer->says);
  g_free (answer->schema);
}

void
fab_answer_unref (FabAnswer *answer)
{
  if (answer != NULL)
    g_atomic_rc_box_release_full (answer, answer_clear);
}

void
fab_answer_say (FabAnswer *answer, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_insert (answer->says, (gint) answer->says->len - 1, g_strdup_vprintf (format, args));
  va_end (args);
}

static void
add_section (FabAnswer *answer, FabSectionKind kind, const char *path, const char *title, FabTable *table)
{
  FabSection section = { .kind = kind, .path = g_strdup (path), .title = g_strdup (title), .table = table };

  g_array_append_val (answer->sections, section);
}

void
fab_answer_add_record (FabAnswer *answer, const char *path, const char *title, FabTable *table)
{
  g_return_if_fail (fab_table_n_rows (table) == 1);
  add_section (answer, FAB_SECTION_RECORD, path, title, table);
}

void
fab_answer_add_table (FabAnswer *answer, const char *path, const char *title, FabTable *table)
{
  add_section (answer, FAB_SECTION_TABLE, path, title, table);
}

void
fab_answer_append (FabAnswer *answer, const FabAnswer *other)
{
  for (guint i = 0; i + 1 < other->says->len; i++)
    fab_answer_say (answer, "%s", (const char *) g_ptr_array_index (other->says, i));
  for (guint i = 0; i < other->sections->len; i++)
    {
      const FabSection *section = &g_array_index (other->sections, FabSection, i);

      add_section (answer, section->kind, section->path, section->title, fab_table_ref ((FabTable *) (gsize) section->table));
    }
  answer->found |= other->found;
}

void
fab_answer_set_found (FabAnswer *answer, gboolean found)
{
  answer->found = found;
}

const char *
fab_answer_schema (const FabAnswer *answer)
{
  return answer->schema;
}

const char *const *
fab_answer_says (const FabAnswer *answer)
{
  return (const char *const *) answer->says->pdata;
}

gsize
fab_answer_n_sections (const FabAnswer *answer)
{
  return answer->sections->len;
}

const FabSection *
fab_answer_section (const FabAnswer *answer, gsize section)
{
  g_return_val_if_fail (section < answer->sections->len, NULL);
  return &g_array_index (answer->sections, FabSection, section);
}

gboolean
fab_answer_found (const FabAnswer *answer)
{
  return answer->found;
}
