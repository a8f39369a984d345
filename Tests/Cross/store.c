/*
 * Writes a store and reads it on machines of different kinds: see run.sh.
 *
 * - `store write FOLDER` makes a monitor with a store, feeds it the first part of the fixes, and prints the size and the
 *   checksum of its snapshot.
 * - `store read FOLDER` opens the store in FOLDER, feeds the remaining fixes, and prints all events.
 */
#include "fencepost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fencepost_error error = FENCEPOST_ERROR_INIT;

static void check(fencepost_status status) {
  if (status != FENCEPOST_OK) {
    fprintf(stderr, "store: %s: %s\n", fencepost_status_name(status), error.message);
    exit(1);
  }
}

/* Moves back and forth over the circles, in steps of 1e-4 degrees and 10 s. */
static void feed(fencepost_monitor *monitor, int from, int to) {
  for (int i = from; i < to; i++) {
    int place = i % 200 < 100 ? i % 100 : 100 - i % 100;
    fencepost_fix fix = {50 + place * 1e-4, 8, 5, 1700000000000000 + i * 10000000LL};
    check(fencepost_monitor_feed_fix(monitor, &fix, &error));
  }
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int writes = strcmp(arguments[1], "write") == 0;
  fencepost_monitor *monitor;
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.store_directory = arguments[2];
  check(fencepost_monitor_create("across", &options, &monitor, &error));
  if (writes) {
    char name[16];
    for (int i = 0; i < 40; i++) {
      snprintf(name, sizeof name, "circle %d", i);
      check(fencepost_monitor_add_circular_condition(monitor, name, 50 + i * 2.5e-4, 8, 30 + i, NULL, &error));
    }
    feed(monitor, 0, 500);
    size_t size = 0;
    check(fencepost_monitor_snapshot(monitor, NULL, 0, &size, &error));
    unsigned char *bytes = malloc(size);
    check(fencepost_monitor_snapshot(monitor, bytes, size, &size, &error));
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
    printf("%zu bytes, %016llx\n", size, (unsigned long long)sum);
    free(bytes);
    check(fencepost_monitor_close(monitor, &error));
  } else {
    feed(monitor, 500, 1000);
    fencepost_event event;
    uint32_t available;
    char line[4096];
    for (;;) {
      check(fencepost_monitor_poll_event(monitor, &event, &available, &error));
      if (available == 0) break;
      check(fencepost_event_json(&event, NULL, line, sizeof line, NULL, &error));
      puts(line);
    }
  }
  fencepost_monitor_destroy(monitor);
  return 0;
}
