/* Shows a monitor with a store: a program runs twice, and its first run ends in the middle. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <fencepost.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Ends the program with the library's error message. */
static void check(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) return;
  fprintf(stderr, "%s: %s\n", fencepost_status_name(status), error->message);
  exit(1);
}

static const int64_t start = 1700000000000000; /* 2023-11-14T22:13:20Z; the library reads no clock */

/* The walk leads east past the office, with a fix every ten seconds. A real program would store the fixes that it has
   not fed yet. */
enum {
  FIXES = 80
};
static fencepost_fix fix_at(uint64_t index) {
  fencepost_fix fix = {37.3349, -122.0140 + (double)index * 0.00015, 8, start + (int64_t)index * 10000000};
  return fix;
}

/*
 * Opens the monitor, feeds the fixes after the monitor's last fix, and prints the events. The function stops after it
 * has delivered the event number `last`, and does not acknowledge that event; if `last` is 0, the function does not
 * stop.
 */
static void run(const char *directory, uint64_t last) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.store_directory = directory;
  fencepost_monitor *monitor = NULL;
  check(fencepost_monitor_create("walk", &options, &monitor, &error), &error);

  /* This call changes nothing if the condition already exists with the same definition, so a program can declare its
     conditions at each start. */
  fencepost_conditions *conditions = NULL;
  fencepost_condition_definition office = fencepost_circle("office", 37.3349, -122.0090, 200);
  fencepost_sync_result result;
  check(fencepost_monitor_conditions(monitor, &conditions, &error), &error);
  check(fencepost_conditions_ensure(conditions, &office, 1, &result, &error), &error);
  fencepost_conditions_destroy(conditions);
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  check(fencepost_monitor_statistics(monitor, &statistics, &error), &error);
  printf("opened after %d inputs; the condition is %s\n", (int)statistics.input_count, result.added ? "new" : "there");

  for (uint64_t index = statistics.input_count; index <= FIXES; index++) {
    /* Read the pending events first, including those that were delivered but not acknowledged before. Each poll
       acknowledges the previous event. */
    fencepost_event event;
    uint32_t available = 1;
    while (available) {
      check(fencepost_monitor_poll_event(monitor, &event, &available, &error), &error);
      if (!available) break;
      printf("%3d s: event %d: %s is %s\n", (int)((event.date_us - start) / 1000000), (int)event.sequence,
             event.identifier, event.state == FENCEPOST_STATE_SATISFIED ? "satisfied" : "unsatisfied");
      if (event.sequence == last) {
        puts("the program ends here, before it has handled that");
        fencepost_monitor_destroy(monitor); /* this has the same effect as a crash */
        return;
      }
    }
    if (index == FIXES) break;
    fencepost_fix fix = fix_at(index);
    check(fencepost_monitor_feed_fix(monitor, &fix, &error), &error);
  }
  check(fencepost_monitor_close(monitor, &error), &error); /* unlike destroying, closing reports a failure to save */
  fencepost_monitor_destroy(monitor);
  puts("done");
}

int main(void) {
  char directory[] = "/tmp/fencepost-example-XXXXXX";
  if (mkdtemp(directory) == NULL) return 1;
  run(directory, 2);
  run(directory, 0);

  char path[sizeof directory + sizeof "/walk.fencepost"];
  snprintf(path, sizeof path, "%s/walk.fencepost", directory);
  return unlink(path) == 0 && rmdir(directory) == 0 ? 0 : 1; /* after closing, the store is a single file */
}
