/* Opening a store of version 0.1 replaces it with a store of this version. The process is killed at each file operation
   of the opening in turn. */
#include "attacks.h"
#include "files.h"
#include "life.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void open_until_killed(void *context) {
  long n = *(const long *)context;
  fencepost_monitor *monitor;
  files_watch(folder, 0);
  files_kill(n / 2, (int)(n & 1));
  open_monitor(&monitor, 0);
}

/* If the disk fails while a store of version 0.1 is opened, the monitor opens in memory, and the store stays intact
   until it can be replaced. */
typedef struct {
  long first, number;
  int error, is_closed;
} failure;

static void open_failing(void *context) {
  const failure *failing = context;
  fencepost_monitor *monitor;
  files_watch(folder, 0);
  files_fail(failing->first, failing->number, failing->error, 1);
  if (open_monitor(&monitor, 0)) {
    FAIL("while the disk fails: %s", last_error.message);
    return;
  }
  if (!failing->is_closed) return;
  files_fail(0, 0, 0, 0);
  if (fencepost_monitor_checkpoint(monitor, &last_error)) FAIL("when it works again: %s", last_error.message);
  fencepost_monitor_destroy(monitor);
}

static void fail_at_each(const unsigned char *file, size_t size, const unsigned char *log, size_t log_size,
                         long operations, uint64_t inputs) {
  static const int errors[] = {ENOSPC, EIO, EINTR};
  for (long i = 0; i < operations * 6; i++) {
    int error = errors[i / 2 % 3];
    /* SQLite retries an interrupted operation without a limit. */
    failure failing = {i / 6, i & 1 ? 1 : error == EINTR ? 3 : 1000000, error, (int)(i / 2 & 1)};
    clear_folder();
    write_file("m.fencepost", file, size);
    if (log) write_file("m.fencepost-wal", log, log_size);
    if (in_child(open_failing, &failing)) FAIL("operation %ld of opening a store of 0.1 fails", failing.first);
    fencepost_monitor *monitor;
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    if (open_monitor(&monitor, 0) || fencepost_monitor_statistics(monitor, &statistics, NULL))
      FAIL("operation %ld of opening a store of 0.1 failed: %s", failing.first, last_error.message);
    else if (statistics.input_count != inputs)
      FAIL("operation %ld of opening a store of 0.1 failed: another state", failing.first);
    fencepost_monitor_destroy(monitor);
  }
}

void attack_migrate(long count) {
  (void)count;
  for (int with_log = 0; with_log < 2; with_log++) {
    char path[PATH_SIZE];
    size_t size, log_size = 0, state_size;
    snprintf(path, sizeof path, "%s/store-1-killed.fencepost", golden);
    unsigned char *file = read_file(path, &size), *log = NULL;
    if (with_log) {
      snprintf(path, sizeof path, "%s/store-1-killed.wal", golden);
      log = read_file(path, &log_size);
    }
    long operations = -1, refused = 0;
    uint64_t inputs = 0;
    unsigned char *state = NULL;
    for (long n = -1; n < 2 * (operations < 0 ? 1 : operations); n++) {
      clear_folder();
      write_file("m.fencepost", file, size);
      if (log) write_file("m.fencepost-wal", log, log_size);
      fencepost_monitor *monitor;
      if (n < 0) {
        files_watch(folder, 0);
        if (open_monitor(&monitor, 0)) {
          FAIL("a store of 0.1: %s", last_error.message);
          break;
        }
        operations = files_count();
        files_stop();
        state = snapshot_of(monitor, &state_size);
        fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
        if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
        inputs = statistics.input_count;
        fencepost_monitor_destroy(monitor);
        continue;
      }
      if (!WIFSIGNALED(in_child(open_until_killed, &n)))
        FAIL("operation %ld of opening a store of 0.1 was not reached", n / 2);
      if (open_monitor(&monitor, 0)) {
        FAIL("opening a store of 0.1 was killed at operation %ld: %s", n / 2, last_error.message);
        refused++;
        continue;
      }
      size_t now_size;
      unsigned char *now = snapshot_of(monitor, &now_size);
      if (now_size != state_size || memcmp(now, state, state_size))
        FAIL("opening a store of 0.1 was killed at operation %ld: another state", n / 2);
      free(now);
      fencepost_monitor_destroy(monitor);
    }
    fail_at_each(file, size, log, log_size, operations, inputs);
    printf("a store of 0.1 %s: opening was killed, and failed, at each of %ld operations\n",
           with_log ? "with its log" : "alone", operations);
  }
}
