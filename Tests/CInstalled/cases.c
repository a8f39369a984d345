/* Runs all C cases, or only the cases whose names contain one of the arguments. This program is used with the installed
 * library (run.sh), with a sanitizer (Tests/Sanitize), and for single cases (case.sh). */
#include <stdio.h>
#include <string.h>

#include "cases.h"

int main(int count, char **arguments) {
  int failed = 0, ran = 0;
  for (size_t index = 0; index < ccase_count(); index++) {
    char reason[8192] = "";
    int is_wanted = count == 1;
    for (int i = 1; i < count; i++) is_wanted |= strstr(ccase_name(index), arguments[i]) != NULL;
    if (!is_wanted) continue;
    ran++;
    if (ccase_run(index, reason, sizeof reason)) continue;
    printf("FAILED %s: %s\n", ccase_name(index), reason);
    failed++;
  }
  printf("%d of %d C cases passed\n", ran - failed, ran);
  return failed != 0 || ran == 0;
}
