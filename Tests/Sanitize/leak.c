/* Leaks a monitor with a condition: LeakSanitizer must report it. */
#include "fencepost.h"

__attribute__((noinline)) static int lose(void) {
  fencepost_monitor *monitor;
  if (fencepost_monitor_create(NULL, NULL, &monitor, NULL) != FENCEPOST_OK) return 0;
  return fencepost_monitor_add_circular_condition(monitor, "office", 37, -122, 200, NULL, NULL) == FENCEPOST_OK;
}

int main(void) { return lose() ? 0 : 2; }
