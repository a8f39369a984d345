/* Saves many conditions in parts, with relaxed durability: the process ends, or the power fails, during a save. */
#include "attacks.h"
#include "disk.h"
#include "killing.h"
#include "life.h"

#include <stdlib.h>
#include <unistd.h>

enum {
  CROWD = 20000,
  CROWD_CALLS = 130
};

static fencepost_status open_crowd(fencepost_monitor **out, int in_memory) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_EVERY;
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  options.checkpoint_interval_us = 5000000;
  if (!in_memory) options.store_directory = folder;
  *out = NULL;
  return fencepost_monitor_create("m", &options, out, &last_error);
}

static int is_checkpoint(long call) { return call == 20 || call == 100; }

static fencepost_status play_crowd(fencepost_monitor *monitor, long n) {
  static fencepost_event events[4096];
  size_t count;
  uint32_t removed;
  fencepost_status status = FENCEPOST_OK;
  if (n == 0) {
    for (int i = 0; i < CROWD && !status; i++) status = add(monitor, i, 20 + i * 0.001);
    return status;
  }
  if (is_checkpoint(n)) return fencepost_monitor_checkpoint(monitor, &last_error);
  if (n == 25 || n == 60)
    return fencepost_monitor_set_host_capabilities(monitor, n == 25 ? FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED : 0, 0,
                                                   (1000 + n * 10) * 1000000, &last_error);
  switch (n % 4) {
    case 0: return fencepost_monitor_poll_events(monitor, events, 4096, &count, &last_error);
    case 1: return feed(monitor, 1000 + n * 10, 20 + (double)n * 0.01);
    case 2:
      return n % 8 == 2 ? ON_OWN(monitor, remove_named, "condition 77", &removed, &last_error)
                        : add(monitor, n % 3 == 0 ? 77 : 78, 5);
    default: return feed(monitor, 1000 + n * 10, 0);
  }
}

static uint64_t crowd_states[CROWD_CALLS + 1];

static void run_crowd(progress *shared) {
  fencepost_monitor *monitor;
  if (open_crowd(&monitor, 0)) _exit(3);
  for (long k = 0; k < CROWD_CALLS; k++) {
    files_mark(k);
    if (play_crowd(monitor, k)) _exit(4);
    shared->completed = k + 1;
  }
  fencepost_monitor_destroy(monitor);
}

typedef struct {
  killing at;
  progress progress;
} killed_crowd;

static void live(void *context) { run_crowd(&((killed_crowd *)context)->progress); }

/* Checks the store after a crash: it must have the state after one of the calls, and this state must not be older than
   the last checkpoint before call number `completed`. */
static void look_at_crowd(long completed, const char *what, long n) {
  long first = 0;
  for (long k = 0; k < completed; k++)
    if (is_checkpoint(k)) first = k + 1;
  char path[PATH_SIZE];
  path_of(path, "m.fencepost");
  if (access(path, F_OK) && completed == 0) return;
  fencepost_monitor *monitor;
  if (open_crowd(&monitor, 0)) {
    FAIL("%s at operation %ld, after %ld calls: %s", what, n, completed, last_error.message);
    return;
  }
  uint64_t state = sum_of(monitor);
  long found = -1;
  for (long k = first; k <= completed + 1 && k <= CROWD_CALLS; k++)
    if (crowd_states[k] == state) found = k;
  if (found < 0) FAIL("%s at operation %ld, after %ld calls: another state", what, n, completed);
  fencepost_monitor_destroy(monitor);
  if (!holds_only("m.fencepost")) FAIL("%s at operation %ld: something is left beside the store", what, n);
}

void attack_parts(long count) {
  fencepost_monitor *monitor;
  if (open_crowd(&monitor, 1)) abort();
  crowd_states[0] = sum_of(monitor);
  for (long k = 0; k < CROWD_CALLS; k++) {
    if (play_crowd(monitor, k)) FAIL("call %ld in memory: %s", k, last_error.message);
    crowd_states[k + 1] = sum_of(monitor);
  }
  fencepost_monitor_destroy(monitor);
  killed_crowd *shared = share(sizeof *shared);
  clear_folder();
  files_watch(folder, 1);
  run_crowd(&shared->progress);
  size_t operations;
  op *trace = files_take_trace(&operations);
  long images = 0;
  for (size_t i = 0; i < operations; i++) images += trace[i].kind == OP_RENAME;
  if (images < 3) FAIL("%ld saves were made in parts; expected are 3", images);
  for (long i = 0; i < count; i++) {
    long n = (long)below(operations);
    clear_folder();
    if (i % 2) {
      power_failure(trace, (size_t)n);
      put_disk();
      look_at_crowd(n ? trace[n - 1].call : 0, "the power failed", n);
      continue;
    }
    *shared = (killed_crowd){.at = {.operation = n, .is_torn = (int)(i / 2 & 1)}};
    if (!was_killed(&shared->at, live, shared)) FAIL("operation %ld was not reached", n);
    look_at_crowd(shared->progress.completed, "killed", n);
  }
  printf("%ld kills and power failures while %ld saves were made in parts, at %zu operations\n", count, images,
         operations);
}
