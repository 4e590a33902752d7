/* fab-test.h - cmocka and its includes in the one right order, and what every test wants
 */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <glib.h>

/* cmocka's assert_float_equal compares floats; this compares doubles: |a - b| ≤ @tolerance × |b|. */
#define fab_assert_close(a, b, tolerance) fab__assert_close ((a), (b), (tolerance), #a, __FILE__, __LINE__)

static inline void
fab__assert_close (double a, double b, double tolerance, const char *what, const char *file, int line)
{
  double bound = tolerance * MAX (1e-30, b < 0 ? -b : b);
  double gap = a > b ? a - b : b - a;

  if (!(gap <= bound))
    {
      print_error ("%s: got %.17g, expected %.17g within %g\n", what, a, b, tolerance);
      _fail (file, line);
    }
}

/* @error must be NULL; says its text otherwise. */
#define fab_assert_no_error(error) fab__assert_no_error ((error), __FILE__, __LINE__)

static inline void
fab__assert_no_error (const GError *error, const char *file, int line)
{
  if (error != NULL)
    {
      print_error ("unexpected error: %s\n", error->message);
      _fail (file, line);
    }
}

/* @text must hold @part; says both otherwise. */
#define fab_assert_contains(text, part) fab__assert_contains ((text), (part), __FILE__, __LINE__)

static inline void
fab__assert_contains (const char *text, const char *part, const char *file, int line)
{
  if (text == NULL || strstr (text, part) == NULL)
    {
      print_error ("expected “%s” in “%s”\n", part, text != NULL ? text : "(null)");
      _fail (file, line);
    }
}
