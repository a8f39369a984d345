/* Threads share a monitor. The Thread Sanitizer would report races; in a build without it, races would show as lost
   updates. */
#include <pthread.h>

#include "check.h"

enum {
  THREADS = 8,
  ROUNDS = 2000
};

typedef struct worker {
  fencepost_monitor *monitor;
  int number;
  uint64_t accepted, late, events, failures;
} worker;

/* Each thread feeds, polls, iterates, and adds and removes its own condition. A failed check is only counted in this
   function, because only the thread that runs the case may end it. */
static void *share(void *argument) {
  worker *me = argument;
  char identifier[16];
  snprintf(identifier, sizeof identifier, "own %d", me->number);
  for (int round = 0; round < ROUNDS; round++) {
    fencepost_fix fix = {0, round % 2 ? 0.1 : 0, 5, SECONDS(round)};
    fencepost_status status = fencepost_monitor_feed_fix(me->monitor, &fix, NULL);
    if (status == FENCEPOST_OK) me->accepted++;
    else if (status == FENCEPOST_E_LATE_INPUT) me->late++;
    else me->failures++;
    if (fencepost_monitor_add_circular_condition(me->monitor, identifier, 0, 0, 1000, NULL, NULL)) me->failures++;
    fencepost_record record;
    uint32_t available;
    if (fencepost_monitor_record(me->monitor, identifier, &record, NULL)) me->failures++;
    fencepost_condition_state first;
    size_t listed = 0;
    if (fencepost_monitor_list_conditions(me->monitor, FENCEPOST_STATE_ANY, 0, &first, 1, &listed, NULL) || !listed)
      me->failures++;
    fencepost_event event;
    if (fencepost_monitor_poll_event(me->monitor, &event, &available, NULL)) me->failures++;
    me->events += available;
    if (ON_OWN(me->monitor, remove_named, identifier, &available, NULL) || !available) me->failures++;
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    if (fencepost_monitor_statistics(me->monitor, &statistics, NULL)) me->failures++;
    if (statistics.condition_count < 1 || statistics.condition_count > THREADS + 1) me->failures++;
  }
  return NULL;
}

static void run(worker *workers, void *(*body)(void *)) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) CHECK_INT(pthread_create(&threads[i], NULL, body, &workers[i]), 0);
  for (int i = 0; i < THREADS; i++) CHECK_INT(pthread_join(threads[i], NULL), 0);
}

static void one_monitor(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  worker workers[THREADS];
  memset(workers, 0, sizeof workers);
  add_exact_circle(monitor, "shared", 0);
  for (int i = 0; i < THREADS; i++) {
    workers[i].monitor = monitor;
    workers[i].number = i;
  }
  run(workers, share);
  uint64_t accepted = 0, late = 0, events = 0;
  for (int i = 0; i < THREADS; i++) {
    CHECK_INT(workers[i].failures, 0);
    accepted += workers[i].accepted;
    late += workers[i].late;
    events += workers[i].events;
  }
  fencepost_statistics statistics = statistics_of(monitor);
  CHECK_INT(accepted + late, THREADS * ROUNDS);
  CHECK_INT(statistics.accepted_fixes, accepted);
  CHECK_INT(statistics.late_inputs, late);
  CHECK_INT(statistics.input_count, THREADS * ROUNDS);
  CHECK_INT(statistics.handed_out_events, events);
  CHECK_INT(statistics.condition_count, 1);
  CHECK(events > 0);
  fencepost_monitor_destroy(monitor);
}

/* Separate monitors on several threads must behave as if each were alone. */
static void *alone(void *argument) {
  worker *me = argument;
  for (int round = 0; round < 20; round++) {
    fencepost_monitor *monitor = NULL;
    if (fencepost_monitor_create("same_name", NULL, &monitor, NULL)) {
      me->failures++;
      continue;
    }
    fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
    fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
    options.policy = &policy;
    if (fencepost_monitor_add_circular_condition(monitor, "c", 0, 0, 1000, &options, NULL)) me->failures++;
    for (int step = 0; step < 100; step++) {
      fencepost_fix fix = {0, step % 2 ? 0.1 : 0, 5, SECONDS(step)};
      if (fencepost_monitor_feed_fix(monitor, &fix, NULL)) me->failures++;
    }
    fencepost_event events[128];
    size_t count = 0;
    if (fencepost_monitor_poll_events(monitor, events, 128, &count, NULL) || count != 100) me->failures++;
    me->events += count;
    fencepost_monitor_destroy(monitor);
    if (strcmp(fencepost_version_string(), "") == 0 || strcmp(fencepost_status_name(0), "ok") != 0) me->failures++;
  }
  return NULL;
}

static void many_monitors(void) {
  worker workers[THREADS];
  memset(workers, 0, sizeof workers);
  run(workers, alone);
  for (int i = 0; i < THREADS; i++) {
    CHECK_INT(workers[i].failures, 0);
    CHECK_INT(workers[i].events, 2000);
  }
}

static const ccase cases[] = {
    {"threads: eight on one monitor", one_monitor},
    {"threads: eight with monitors of their own", many_monitors},
};
AREA(area_threads);
