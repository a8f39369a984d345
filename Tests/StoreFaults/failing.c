/* Tests a disk that fails, or is full, for a while. */
#include "attacks.h"
#include "files.h"
#include "life.h"

#include <errno.h>
#include <stdlib.h>

/* Opens a store while no write succeeds: the monitor starts in memory, reports that, and saves as soon as it can. */
static void open_on_full_disk(int with_log, int changed) {
  clear_folder();
  if (with_log) put_crashed_store();
  else put_store();
  const char *what = with_log ? "with a log, on a full disk" : "on a full disk";
  files_watch(folder, 0);
  files_fail(0, 1000000, ENOSPC, 1);
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_EVERY;
  options.store_directory = folder;
  if (changed) options.beacon_exit_timeout_us = 45000000;
  fencepost_monitor *monitor;
  if (fencepost_monitor_create("m", &options, &monitor, &last_error)) {
    FAIL("a store %s is refused: %s", what, last_error.message);
    files_stop();
    return;
  }
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
  /* The store was read successfully; only its options have not been saved yet. */
  if (statistics.store != (changed ? FENCEPOST_STORE_FAILING : FENCEPOST_STORE_KEPT))
    FAIL("a store %s has the status %u", what, statistics.store);
  if (add(monitor, 9, 0) || feed(monitor, 90000, 0)) FAIL("%s", last_error.message);
  fencepost_event event;
  size_t polled;
  int told = 0;
  do {
    if (fencepost_monitor_poll_events(monitor, &event, 1, &polled, &last_error)) FAIL("%s", last_error.message);
    if (polled && event.cause == FENCEPOST_CAUSE_DIAGNOSTIC) told++;
  } while (polled);
  if (told != 1) FAIL("%d events tell of a store %s", told, what);
  files_fail(0, 0, 0, 0);
  if (fencepost_monitor_checkpoint(monitor, &last_error)) FAIL("a store %s, later: %s", what, last_error.message);
  size_t size, again;
  unsigned char *before = snapshot_of(monitor, &size);
  fencepost_monitor_destroy(monitor);
  files_stop();
  if (fencepost_monitor_create("m", &options, &monitor, &last_error)) {
    FAIL("a store %s, opened again: %s", what, last_error.message);
    return;
  }
  unsigned char *after = snapshot_of(monitor, &again);
  if (!are_same(before, size, after, again)) FAIL("a store %s is another one afterwards", what);
  fencepost_monitor_destroy(monitor);
}

void attack_failing(long count) {
  imagine();
  progress played;
  clear_folder();
  files_watch(folder, 0);
  run_life(&played);
  long operations = files_count();
  clear_folder();
  files_watch(folder, 0);
  fencepost_monitor *made;
  if (open_monitor(&made, 0)) abort();
  long creating = files_count();
  files_stop();
  fencepost_monitor_destroy(made);
  long refused = 0;
  for (long i = 0; i < count; i++) {
    /* In one run out of four, an operation fails while the store is created. */
    long first = (long)below((uint64_t)(i % 4 == 3 ? creating : operations)),
         number = 1 + (long)below(i % 3 == 0 ? 3 : 40);
    clear_folder();
    files_watch(folder, 0);
    files_fail_by_turns(i, first, number);
    fencepost_monitor *monitor;
    fencepost_status status = open_monitor(&monitor, 0);
    if (status) {
      refused++;
      files_stop();
      check_refused_creation(status, first);
      continue;
    }
    for (long k = 0; k < LIFE_CALLS; k++)
      if ((status = play(monitor, k))) FAIL("failing at %ld, call %ld: %s", first, k, last_error.message);
    files_fail(0, 0, 0, 0);
    if ((status = fencepost_monitor_checkpoint(monitor, &last_error))) FAIL("after it failed: %s", last_error.message);
    size_t size, again;
    unsigned char *before = snapshot_of(monitor, &size);
    fencepost_monitor_destroy(monitor);
    files_stop();
    if (open_monitor(&monitor, 0)) {
      FAIL("failing at %ld for %ld: %s", first, number, last_error.message);
      continue;
    }
    unsigned char *after = snapshot_of(monitor, &again);
    if (!are_same(before, size, after, again)) FAIL("failing at %ld for %ld: another state", first, number);
    fencepost_monitor_destroy(monitor);
  }
  for (int i = 0; i < 4; i++) open_on_full_disk(i & 1, i >> 1);
  printf("%ld failing disks at %ld operations, %ld while creating\n", count, operations, refused);
}
