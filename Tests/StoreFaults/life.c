#define _GNU_SOURCE
#include "life.h"

#include "files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

fencepost_status open_monitor(fencepost_monitor **out, int in_memory) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_EVERY;
  if (!in_memory) options.store_directory = folder;
  *out = NULL;
  return fencepost_monitor_create("m", &options, out, &last_error);
}

fencepost_status add(fencepost_monitor *monitor, int number, double latitude) {
  char name[64];
  snprintf(name, sizeof name, "condition %d", number);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  options.policy = &exact;
  return fencepost_monitor_add_circular_condition(monitor, name, latitude, 0, 150, &options, &last_error);
}

fencepost_status feed(fencepost_monitor *monitor, int64_t second, double latitude) {
  fencepost_fix fix;
  memset(&fix, 0, sizeof fix);
  fix.latitude = latitude;
  fix.accuracy_m = 5;
  fix.time_us = second * 1000000;
  return fencepost_monitor_feed_fix(monitor, &fix, &last_error);
}

int is_commit(long call) { return call >= 4 && call % 6 == 5; }

fencepost_status play(fencepost_monitor *monitor, long n) {
  fencepost_event events[4];
  size_t count;
  uint32_t removed;
  char name[64];
  if (n < 4) return add(monitor, (int)n, (double)n * 0.01);
  switch (n % 6) {
    /* These fixes move the device into condition 0, then to condition 1, then out of both. */
    case 0: return feed(monitor, 1000 + n * 10, 0);
    case 1: return feed(monitor, 1000 + n * 10, 0.01);
    case 2: return feed(monitor, 1000 + n * 10, 0.02);
    case 3:
      if (n % 12 == 3) {
        snprintf(name, sizeof name, "condition %ld", 2 + n / 12 % 2);
        return ON_OWN(monitor, remove_named, name, &removed, &last_error);
      }
      return add(monitor, (int)(2 + n / 12 % 3), 0.01 * (double)(n / 12 % 3));
    case 4: return fencepost_monitor_poll_events(monitor, events, 3, &count, &last_error);
    default: return fencepost_monitor_acknowledge(monitor, &last_error);
  }
}

/* states[k] is the state after k calls. */
static unsigned char *states[LIFE_CALLS + 1];
static size_t state_sizes[LIFE_CALLS + 1];

unsigned char *snapshot_of(fencepost_monitor *monitor, size_t *size) {
  fencepost_monitor_snapshot(monitor, NULL, 0, size, NULL);
  unsigned char *bytes = malloc(*size);
  if (fencepost_monitor_snapshot(monitor, bytes, *size, size, NULL)) abort();
  return bytes;
}

uint64_t sum_of(fencepost_monitor *monitor) {
  size_t size;
  unsigned char *bytes = snapshot_of(monitor, &size);
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  free(bytes);
  return sum;
}

void imagine(void) {
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 1)) abort();
  for (long k = 0; k <= LIFE_CALLS; k++) {
    free(states[k]);
    states[k] = snapshot_of(monitor, &state_sizes[k]);
    if (k < LIFE_CALLS && play(monitor, k)) FAIL("call %ld in memory: %s", k, last_error.message);
  }
  fencepost_monitor_destroy(monitor);
}

long found_state(long first, long last) {
  char path[PATH_SIZE];
  path_of(path, "m.fencepost");
  int exists = access(path, F_OK) == 0;
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) return -2;
  size_t size;
  unsigned char *bytes = snapshot_of(monitor, &size);
  long result = exists ? -1 : -3;
  if (last > LIFE_CALLS) last = LIFE_CALLS;
  for (long k = first; exists && k <= last && result < 0; k++)
    if (size == state_sizes[k] && memcmp(bytes, states[k], size) == 0) result = k;
  free(bytes);
  fencepost_monitor_destroy(monitor);
  return result;
}

long lowest(long completed) {
  while (completed > 0 && is_commit(completed - 1)) completed--;
  return completed;
}

int are_same(unsigned char *one, size_t size, unsigned char *other, size_t other_size) {
  int result = size == other_size && memcmp(one, other, size) == 0;
  free(one);
  free(other);
  return result;
}

/* After each reopening, a new connection to the store writes to a new log. After the last reopening, the store stays
   open until its log is checkpointed. */
static int is_reopened_before(long call) { return call > 0 && call % 60 == 0 && call <= 180; }

void run_life(progress *shared) {
  fencepost_monitor *monitor;
  files_room(16 << 20);
  if (open_monitor(&monitor, 0)) _exit(3);
  shared->is_open = 1;
  for (long k = 0; k < LIFE_CALLS; k++) {
    files_mark(k);
    if (is_reopened_before(k)) {
      fencepost_monitor_destroy(monitor);
      if (open_monitor(&monitor, 0)) _exit(3);
    }
    if (play(monitor, k)) _exit(4);
    shared->completed = k + 1;
  }
  fencepost_monitor_destroy(monitor);
}

void put_store(void) {
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) abort();
  for (long k = 0; k < 30; k++) play(monitor, k);
  fencepost_monitor_destroy(monitor);
}

static void crash(void *context) {
  (void)context;
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) abort();
  for (long k = 0; k < 30; k++) play(monitor, k);
}

void put_crashed_store(void) { in_child(crash, NULL); }
