/* Limits the number of open files or the length of files for some time, before a store is opened or while it is open. A
 * state reported as saved must exist after a crash, and everything must be saved once the limit is lifted. */
#define _GNU_SOURCE
#include "attacks.h"
#include "life.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct {
  int resource;
  rlim_t most;
  /* The number of the call at which the limit starts; 0 means before the store is opened. The limit applies during 40
     calls. */
  long from;
  int has_recovered, is_refused;
  progress progress;
  fencepost_store_status status;
} scarcity;

static fencepost_store_status status_of(fencepost_monitor *monitor) {
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
  return statistics.store;
}

static void limit(const scarcity *shared) {
  rlim_t most = shared->most;
  if (shared->resource == RLIMIT_NOFILE) {
    /* The limit is relative to the number of files that are open now. */
    int lowest = open("/dev/null", O_RDONLY);
    close(lowest);
    most += (rlim_t)lowest;
  }
  if (setrlimit(shared->resource, &(struct rlimit){most, RLIM_INFINITY})) {
    struct rlimit now;
    getrlimit(shared->resource, &now);
    now.rlim_cur = most;
    if (setrlimit(shared->resource, &now)) abort();
  }
}

static void recover(const scarcity *shared) {
  struct rlimit now;
  getrlimit(shared->resource, &now);
  now.rlim_cur = now.rlim_max == RLIM_INFINITY && shared->resource == RLIMIT_NOFILE ? 1024 : now.rlim_max;
  if (setrlimit(shared->resource, &now)) abort();
}

static void live(void *context) {
  scarcity *shared = context;
  fencepost_monitor *monitor;
  /* If SIGXFSZ were not ignored, a write beyond the limit would end the process, in any thread. */
  signal(SIGXFSZ, SIG_IGN);
  if (shared->from == 0) limit(shared);
  fencepost_status status = open_monitor(&monitor, 0);
  if (status) {
    recover(shared);
    shared->is_refused = 1;
    if (status != FENCEPOST_E_STORE_UNAVAILABLE) FAIL("%d %s", (int)status, last_error.message);
    if (!holds_only(NULL)) FAIL("a creation that failed left something");
    return;
  }
  for (long k = 0; k < shared->from + 40; k++) {
    if (k == shared->from && k > 0) limit(shared);
    if (play(monitor, k)) FAIL("call %ld: %s", k, last_error.message);
    shared->progress.completed = k + 1;
  }
  recover(shared);
  shared->status = status_of(monitor);
  if (!shared->has_recovered) return;
  if (fencepost_monitor_checkpoint(monitor, &last_error)) FAIL("with enough again: %s", last_error.message);
  shared->status = status_of(monitor);
  if (shared->status != FENCEPOST_STORE_KEPT) FAIL("with enough again the status is %d", (int)shared->status);
}

static void attack(scarcity *shared, const char *what) {
  clear_folder();
  int has_recovered = shared->has_recovered;
  if (in_child(live, shared)) FAIL("with %ld %s from call %ld on", (long)shared->most, what, shared->from);
  long completed = shared->progress.completed;
  if (shared->is_refused) return;
  int is_kept = shared->status == FENCEPOST_STORE_KEPT;
  fencepost_monitor *monitor;
  /* After a failed write there is an additional event about the failure, so the test compares only the inputs. */
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT, expected = FENCEPOST_STATISTICS_INIT;
  if (open_monitor(&monitor, 0) || fencepost_monitor_statistics(monitor, &statistics, NULL)) {
    FAIL("with %ld %s from call %ld on: later %s", (long)shared->most, what, shared->from, last_error.message);
    return;
  }
  fencepost_monitor_destroy(monitor);
  if (open_monitor(&monitor, 1)) abort();
  for (long k = 0; k < completed; k++) play(monitor, k);
  if (fencepost_monitor_statistics(monitor, &expected, NULL)) abort();
  fencepost_monitor_destroy(monitor);
  if ((is_kept || has_recovered) &&
      (statistics.input_count != expected.input_count || statistics.condition_count != expected.condition_count))
    FAIL("with %ld %s from call %ld on: %ld inputs and %ld conditions were kept, and found are %ld and %ld",
         (long)shared->most, what, shared->from, (long)expected.input_count, (long)expected.condition_count,
         (long)statistics.input_count, (long)statistics.condition_count);
}

void attack_scarce(long count) {
  scarcity *shared = share(sizeof *shared);
  static const rlim_t sizes[] = {0, 1, 512, 1024, 4096, 8192, 16384, 65536};
  long refused = 0;
  for (long i = 0; i < count; i++) {
    *shared = (scarcity){.has_recovered = (int)(i & 1), .from = i / 2 % 3 ? 4 + (long)below(200) : 0};
    int is_size = (int)(i / 6 & 1);
    shared->resource = is_size ? RLIMIT_FSIZE : RLIMIT_NOFILE;
    shared->most = is_size ? sizes[below(8)] : below(8);
    attack(shared, is_size ? "bytes a file" : "more open files");
    refused += shared->is_refused;
  }
  printf(
      "%ld processes that may open no more files, or write no longer ones: %ld were told so when they made a store\n",
      count, refused);
}
