/* Tests a store whose file has two names (hard links). After a crash, another process opens the store by its second
   name and changes it. That process does not find the log, because the log has the first name. After this change,
   opening the store by its first name must be refused, or give an earlier state. */
#define _GNU_SOURCE
#include "attacks.h"
#include "life.h"

#include <unistd.h>

static void crash_after(void *context) {
  /* The store is reopened when no event is in flight, because an event in flight would be redelivered. */
  long calls = *(const long *)context, middle = calls / 2 - calls / 2 % 6;
  fencepost_monitor *monitor;
  for (long k = 0; k < calls; k++) {
    if (k == 0 || k == middle) {
      if (k) fencepost_monitor_destroy(monitor);
      if (open_monitor(&monitor, 0)) _exit(3);
    }
    if (play(monitor, k)) _exit(4);
  }
}

void attack_links(long count) {
  imagine();
  long refused = 0, older = 0;
  for (long i = 0; i < count; i++) {
    long calls = 10 + (long)below(LIFE_CALLS - 10);
    clear_folder();
    if (in_child(crash_after, &calls)) FAIL("a life of %ld calls", calls);
    char name[PATH_SIZE], other[PATH_SIZE];
    path_of(name, "m.fencepost");
    path_of(other, "n.fencepost");
    if (link(name, other)) FAIL("no link can be made");
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    options.delivery = FENCEPOST_DELIVERY_EVERY;
    options.store_directory = folder;
    fencepost_monitor *monitor, *second;
    if (fencepost_monitor_create("n", &options, &monitor, &last_error)) {
      FAIL("by its other name: %s", last_error.message);
      continue;
    }
    if (open_monitor(&second, 0) != FENCEPOST_E_MONITOR_IN_USE) FAIL("by both names it is open twice");
    for (long k = 0; k < 1 + i % 40; k++)
      if (add(monitor, 1000 + (int)k, 1)) FAIL("by its other name: %s", last_error.message);
    fencepost_monitor_destroy(monitor);
    long state = found_state(0, LIFE_CALLS);
    if (state == -1) FAIL("changed by its other name, a life of %ld calls is another state", calls);
    if (state == -2) refused++;
    else older++;
  }
  printf(
      "%ld stores with two names, changed by one after a crash: by the other %ld are refused, %ld a state that was\n",
      count, refused, older);
}
