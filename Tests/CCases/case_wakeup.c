/* Tests the callback for available events: it is called at the right times and on the right thread, it is never called
   after it was cleared, and it causes no deadlock. */
#include <pthread.h>
#include <sched.h>

#include "check.h"

/* A callback must not end the case, so it only counts calls, and the case checks the count. */
typedef struct bell {
  fencepost_monitor *monitor;
  int rings;
  int depth, deepest;
  int failures;
  int taken;
  pthread_t thread;
} bell;

static void ring(void *context) {
  bell *bell = context;
  bell->rings++;
  bell->thread = pthread_self();
}

static void at_each_kind_of_call(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  bell bell = {0};
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, ring, &bell, NULL));
  CHECK_INT(bell.rings, 0);
  CHECK_OK(feed(monitor, 0, T0));
  CHECK_INT(bell.rings, 1);
  CHECK(pthread_equal(bell.thread, pthread_self()));
  CHECK_OK(feed(monitor, 0, SECONDS(1))); /* nothing new */
  CHECK_INT(bell.rings, 1);
  fencepost_fix fixes[3] = {{0, 0.1, 5, SECONDS(2)}, {0, 0, 5, SECONDS(3)}, {0, 0.1, 5, SECONDS(4)}};
  CHECK_OK(fencepost_monitor_feed_fixes(monitor, fixes, 3, NULL, NULL)); /* gives three events, but only one call */
  CHECK_INT(bell.rings, 2);
  add_exact_circle(monitor, "b", 0); /* the last fix decides the state of the new condition */
  CHECK_INT(bell.rings, 3);
  CHECK_STATUS(feed(monitor, 0, T0), FENCEPOST_E_LATE_INPUT);
  for (int i = 0; i < 5; i++) next_event(monitor);
  expect_no_event(monitor);
  CHECK_INT(bell.rings, 3);
  CHECK_OK(
      fencepost_monitor_set_host_capabilities(monitor, FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED, 0, SECONDS(5), NULL));
  CHECK_INT(bell.rings, 4);
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, NULL, NULL, NULL));
  CHECK_OK(fencepost_monitor_set_host_capabilities(monitor, 0, 0, SECONDS(6), NULL));
  CHECK_INT(bell.rings, 4);
  CHECK_STATUS(fencepost_monitor_set_wakeup(NULL, ring, &bell, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

static void when_events_wait_already(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  bell bell = {0}, other = {0};
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, T0));
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, ring, &bell, NULL));
  CHECK_INT(bell.rings, 1);
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, ring, &other, NULL)); /* the second callback replaces the first */
  CHECK_OK(feed(monitor, 0.1, SECONDS(1)));
  CHECK_INT(bell.rings, 1);
  CHECK_INT(other.rings, 2);
  fencepost_monitor *fork = NULL; /* the fork starts without a callback */
  CHECK_OK(fencepost_monitor_fork(monitor, &fork, NULL));
  CHECK_OK(feed(fork, 0, SECONDS(2)));
  CHECK_INT(other.rings, 2);
  fencepost_monitor_destroy(fork);
  fencepost_monitor_destroy(monitor);
  CHECK_INT(other.rings, 2);
}

static void after_a_commit(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_CORE_LOCATION_INIT;
  fencepost_monitor *monitor = new_monitor(&options);
  bell bell = {0};
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, T0));
  next_event(monitor);
  CHECK_OK(feed(monitor, 0.1, SECONDS(1))); /* the new event waits behind the event in flight */
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, ring, &bell, NULL));
  CHECK_INT(bell.rings, 0);
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
  CHECK_INT(bell.rings, 1);
  fencepost_monitor_destroy(monitor);
}

static void full_queue(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.max_pending_events = 1;
  fencepost_monitor *monitor = new_monitor(&options);
  bell bell = {0};
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, ring, &bell, NULL));
  fencepost_fix fixes[2] = {{0, 0, 5, T0}, {0, 0.1, 5, SECONDS(1)}};
  CHECK_STATUS(fencepost_monitor_feed_fixes(monitor, fixes, 2, NULL, NULL), FENCEPOST_E_QUEUE_FULL);
  CHECK_INT(bell.rings, 1); /* the batch failed, but the first row took effect */
  fencepost_monitor_destroy(monitor);
}

static void taken_back(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  bell bell = {0};
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, T0));
  fencepost_event first = next_event(monitor);
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, ring, &bell, NULL));
  CHECK_OK(fencepost_monitor_abandon(monitor, NULL));
  CHECK_INT(bell.rings, 1);
  CHECK_INT(record_of(monitor, "a").last_event.sequence, 0);
  CHECK_INT(next_event(monitor).sequence, first.sequence);
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
  CHECK_OK(fencepost_monitor_abandon(monitor, NULL)); /* committed events are not redelivered */
  CHECK_INT(bell.rings, 1);
  expect_no_event(monitor);
  CHECK_STATUS(fencepost_monitor_abandon(NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

/* Calls every function that a callback may call: an input with new events, a poll, and setting the callback again. */
static void call_back_in(void *context) {
  bell *bell = context;
  bell->rings++;
  bell->depth++;
  if (bell->depth > bell->deepest) bell->deepest = bell->depth;
  if (bell->rings < 5 && feed(bell->monitor, bell->rings % 2 ? 0.1 : 0, SECONDS(bell->rings))) bell->failures++;
  fencepost_event event;
  uint32_t available = 1;
  while (bell->rings == 5 && available) {
    if (fencepost_monitor_poll_event(bell->monitor, &event, &available, NULL)) bell->failures++;
    bell->taken += (int)available;
  }
  if (bell->rings == 5 && fencepost_monitor_set_wakeup(bell->monitor, NULL, NULL, NULL)) bell->failures++;
  bell->depth--;
}

static void from_within(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  bell bell = {0};
  bell.monitor = monitor;
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, call_back_in, &bell, NULL));
  CHECK_OK(feed(monitor, 0, T0));
  CHECK_INT(bell.rings, 5);
  CHECK_INT(bell.deepest, 1);
  CHECK_INT(bell.failures, 0);
  CHECK_INT(bell.taken, 5);
  CHECK_OK(feed(monitor, 0.1, SECONDS(9)));
  CHECK_INT(bell.rings, 5); /* it cleared itself */
  fencepost_monitor_destroy(monitor);
}

/* Some threads feed while another sets and clears the callback. A context is poisoned after its callback has been
   cleared: no callback may be called with a poisoned context. */
typedef struct station {
  fencepost_monitor *monitor;
  int stop, failures, number;
} station;

enum {
  ALIVE = 0x600d,
  DEAD = 0xdead,
  FEEDERS = 3,
  TURNS = 400,
  ROUNDS = 10000
};

typedef struct target {
  int state, rings, poisoned;
} target;

static void ring_target(void *context) {
  target *target = context;
  if (__atomic_load_n(&target->state, __ATOMIC_SEQ_CST) != ALIVE) target->poisoned = 1;
  target->rings++; /* the calls do not overlap, so no lock is needed */
}

static void *keep_feeding(void *argument) {
  station *station = argument;
  for (int64_t i = 0; !__atomic_load_n(&station->stop, __ATOMIC_RELAXED); i++) {
    fencepost_status status = feed(station->monitor, i % 2 ? 0.1 : 0, SECONDS(i));
    if (status == FENCEPOST_E_QUEUE_FULL) {
      fencepost_event events[64];
      size_t count;
      if (fencepost_monitor_poll_events(station->monitor, events, 64, &count, NULL)) station->failures++;
    } else if (status != FENCEPOST_OK && status != FENCEPOST_E_LATE_INPUT) {
      station->failures++;
    }
  }
  return NULL;
}

static void never_after_clearing(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.max_pending_events = 50;
  fencepost_monitor *monitor = new_monitor(&options);
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, SECONDS(0))); /* this fix leaves an event pending, even if the feeders start late */
  station stations[FEEDERS];
  pthread_t threads[FEEDERS];
  target *targets = calloc(TURNS, sizeof *targets);
  for (int i = 0; i < FEEDERS; i++) {
    station station = {monitor, 0, 0, i};
    stations[i] = station;
    pthread_create(&threads[i], NULL, keep_feeding, &stations[i]);
  }
  int failures = 0, rings = 0, poisoned = 0;
  /* On a busy machine the feeders may not have run at all: in that case, try again. */
  for (int round = 0; round < ROUNDS && rings == 0; round++) {
    for (int turn = 0; turn < TURNS; turn++) {
      __atomic_store_n(&targets[turn].state, ALIVE, __ATOMIC_SEQ_CST);
      if (fencepost_monitor_set_wakeup(monitor, ring_target, &targets[turn], NULL)) failures++;
      if (fencepost_monitor_acknowledge(monitor, NULL)) failures++;
      if (fencepost_monitor_set_wakeup(monitor, NULL, NULL, NULL)) failures++;
      __atomic_store_n(&targets[turn].state, DEAD, __ATOMIC_SEQ_CST);
      rings += targets[turn].rings;
    }
    sched_yield();
  }
  for (int i = 0; i < FEEDERS; i++) {
    __atomic_store_n(&stations[i].stop, 1, __ATOMIC_RELAXED);
    pthread_join(threads[i], NULL);
    failures += stations[i].failures;
  }
  for (int turn = 0; turn < TURNS; turn++) poisoned += targets[turn].poisoned;
  free(targets);
  fencepost_monitor_destroy(monitor);
  CHECK_INT(failures, 0);
  CHECK_INT(poisoned, 0);
  CHECK(rings > 0);
}

/* A consumer sleeps on a condition variable that the callback signals, and must receive every event: no wake-up may be
   lost. */
typedef struct sleeper {
  fencepost_monitor *monitor;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int isRung;
  uint64_t taken, failures;
} sleeper;

static void wake(void *context) {
  sleeper *sleeper = context;
  pthread_mutex_lock(&sleeper->mutex);
  sleeper->isRung = 1;
  pthread_cond_signal(&sleeper->condition);
  pthread_mutex_unlock(&sleeper->mutex);
}

enum {
  EVENTS = 5000
};

static void *consume(void *argument) {
  sleeper *sleeper = argument;
  while (sleeper->taken < EVENTS) {
    fencepost_event event;
    uint32_t available = 1;
    while (available) {
      if (fencepost_monitor_poll_event(sleeper->monitor, &event, &available, NULL)) sleeper->failures++;
      if (available && event.sequence != ++sleeper->taken) sleeper->failures++;
    }
    if (sleeper->taken == EVENTS) break;
    pthread_mutex_lock(&sleeper->mutex);
    while (!sleeper->isRung) pthread_cond_wait(&sleeper->condition, &sleeper->mutex);
    sleeper->isRung = 0;
    pthread_mutex_unlock(&sleeper->mutex);
  }
  return NULL;
}

static void no_wake_up_is_lost(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  add_exact_circle(monitor, "a", 0);
  sleeper sleeper = {.monitor = monitor, .mutex = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER};
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, wake, &sleeper, NULL));
  pthread_t thread;
  CHECK_INT(pthread_create(&thread, NULL, consume, &sleeper), 0);
  uint64_t failures = 0;
  for (int i = 0; i < EVENTS; i++) failures += feed(monitor, i % 2 ? 0.1 : 0, SECONDS(i)) != FENCEPOST_OK;
  pthread_join(thread, NULL);
  fencepost_monitor_destroy(monitor);
  CHECK_INT(failures, 0);
  CHECK_INT(sleeper.failures, 0);
  CHECK_INT(sleeper.taken, EVENTS);
}

static const ccase cases[] = {
    {"wakeup: at each call that makes an event available", at_each_kind_of_call},
    {"wakeup: events that wait already, another callback, a fork", when_events_wait_already},
    {"wakeup: after a commit", after_a_commit},
    {"wakeup: after a batch that failed half-way", full_queue},
    {"wakeup: what is taken back is available again", taken_back},
    {"wakeup: the callback calls the monitor", from_within},
    {"wakeup: never after it was cleared", never_after_clearing},
    {"wakeup: none is lost", no_wake_up_is_lost},
};
AREA(area_wakeup);
