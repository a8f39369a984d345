/* Runs the cases in which threads share monitors, in a host under the Thread Sanitizer: see run.sh. */
#include <stdarg.h>

#include "check.h"

_Noreturn void ccase_fail(const char *file, int line, const char *format, ...) {
  va_list arguments;
  fprintf(stderr, "%s:%d: ", file, line);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  exit(1);
}

void check_text(const char *file, int line, const char *what, const char *got, const char *expected) {
  if (strcmp(got, expected) != 0) ccase_fail(file, line, "%s is \"%s\", expected \"%s\"", what, got, expected);
}

extern const ccase_area area_threads;

int main(void) {
  for (size_t i = 0; i < area_threads.count; i++) area_threads.cases[i].run();
  return 0;
}
