/* Runs every C case against whatever library this program is linked with; see Tests/CInstalled/run.sh. */
#include "cases.h"

#include <stdio.h>

int main(void) {
  size_t failed = 0;
  for (size_t i = 0; i < ccase_count(); i++) {
    char reason[8192] = "";
    if (ccase_run(i, reason, sizeof reason)) continue;
    failed++;
    fprintf(stderr, "%s: %s\n", ccase_name(i), reason);
  }
  printf("%zu of %zu C cases passed\n", ccase_count() - failed, ccase_count());
  return failed != 0;
}
