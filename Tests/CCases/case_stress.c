/* Does everything that several threads are allowed to do at the same time; Tests/Sanitize/run.sh runs this test under
   the sanitizers. */
#include <pthread.h>
#include <sched.h>

#include "check.h"

enum {
  THREADS = 8,
  FEEDERS = 5,
  ROUNDS = 400,
  CIRCLES = 6
};

/* Eight threads share one monitor: five feed and change it, two consume events in turn, and one reads. */
typedef struct shared {
  fencepost_monitor *monitor;
  pthread_mutex_t turn; /* protects the order of events: the consumers take turns */
  uint64_t last_sequence, events;
  int feeding; /* number of threads that are still feeding; protected by `turn` */
} shared;

typedef struct worker {
  shared *common;
  int number;
  uint64_t failures, inputs;
} worker;

static void *feeder(void *argument) {
  worker *me = argument;
  fencepost_monitor *monitor = me->common->monitor;
  char own[16];
  snprintf(own, sizeof own, "own %d", me->number);
  static const uint8_t payload[] = {0x4c, 0x00, 0x02, 0x15, 0xe2, 0xc5, 0x6d, 0xb5, 0xdf, 0xfb, 0x48, 0xd2, 0xb0,
                                    0x60, 0xd0, 0xf5, 0xa7, 0x10, 0x96, 0xe0, 0x00, 0x01, 0x01, 0x02, 0xc5};
  for (int round = 0; round < ROUNDS; round++) {
    fencepost_status status;
    int64_t time = SECONDS(40 * round);
    fencepost_fix fixes[2] = {{0, round % 2 ? 0.1 : 0, 5, time}, {0, round % 2 ? 0.1 : 0, 5, time + 1000000}};
    switch ((round + me->number) % 6) {
      case 0:
        status = fencepost_monitor_feed_fixes(monitor, fixes, 2, NULL, NULL);
        me->inputs += 2;
        break;
      case 1: {
        fencepost_beacon_advertisement found;
        if (fencepost_beacon_parse_advertisement(payload, sizeof payload, -1, -60, &found, NULL)) me->failures++;
        status = fencepost_monitor_feed_sightings(monitor, &found.sighting, 1, time, NULL);
        me->inputs++;
        break;
      }
      case 2:
        status = fencepost_monitor_advance(monitor, time, NULL);
        me->inputs++;
        break;
      case 3: status = fencepost_monitor_add_circular_condition(monitor, own, 0, 0, 500, NULL, NULL); break;
      case 4: status = ON_OWN(monitor, remove_named, own, NULL, NULL); break;
      default: status = fencepost_monitor_set_beacon_scanning(monitor, round & 4, time, NULL); me->inputs++;
    }
    if (status != FENCEPOST_OK && status != FENCEPOST_E_LATE_INPUT) me->failures++;
  }
  pthread_mutex_lock(&me->common->turn);
  me->common->feeding--;
  pthread_mutex_unlock(&me->common->turn);
  return NULL;
}

static void *consumer(void *argument) {
  worker *me = argument;
  shared *common = me->common;
  for (int is_over = 0; !is_over;) {
    fencepost_event events[16];
    size_t count = 0;
    pthread_mutex_lock(&common->turn);
    int was_feeding = common->feeding;
    if (fencepost_monitor_poll_events(common->monitor, events, 16, &count, NULL)) me->failures++;
    for (size_t i = 0; i < count; i++)
      if (events[i].sequence != ++common->last_sequence) me->failures++;
    common->events += count;
    pthread_mutex_unlock(&common->turn);
    is_over = was_feeding == 0 && count == 0;
    if (count == 0) sched_yield();
  }
  return NULL;
}

/* Reads the monitor's whole state, and makes forks and snapshots that only this thread uses. */
static void *looker(void *argument) {
  worker *me = argument;
  fencepost_monitor *monitor = me->common->monitor;
  for (int round = 0; round < ROUNDS / 4; round++) {
    fencepost_record record;
    uint32_t available = 1;
    for (uint64_t after = 0; available; after = record.condition.generation) {
      fencepost_status read = next_record(monitor, after, &record, &available);
      if (read != FENCEPOST_OK && read != FENCEPOST_E_NOT_FOUND) me->failures++;
      if (read != FENCEPOST_OK || !available) break;
      fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
      fencepost_status status = fencepost_monitor_explain(monitor, record.condition.identifier, &explanation, NULL);
      if (status != FENCEPOST_OK && status != FENCEPOST_E_NOT_FOUND) me->failures++;
    }
    char list[512];
    size_t size;
    if (ON_OWN(monitor, fencepost_conditions_identifiers, list, sizeof list, &size, NULL, NULL)) me->failures++;
    fencepost_monitor *fork = NULL;
    fencepost_event event;
    if (fencepost_monitor_fork(monitor, &fork, NULL)) me->failures++;
    if (fencepost_monitor_advance(fork, FENCEPOST_TIME_MAX, NULL)) me->failures++;
    for (available = 1; available;)
      if (fencepost_monitor_poll_event(fork, &event, &available, NULL)) me->failures++;
    fencepost_monitor_destroy(fork);
    static _Thread_local unsigned char bytes[1 << 20];
    if (fencepost_monitor_snapshot(monitor, bytes, sizeof bytes, &size, NULL)) me->failures++;
    else if (fencepost_monitor_restore(bytes, size, &fork, NULL)) me->failures++;
    else fencepost_monitor_destroy(fork);
  }
  return NULL;
}

static void everything_on_one(void) {
  shared common;
  memset(&common, 0, sizeof common);
  common.monitor = new_monitor(NULL);
  common.feeding = FEEDERS;
  CHECK_INT(pthread_mutex_init(&common.turn, NULL), 0);
  for (int i = 0; i < CIRCLES; i++) {
    char name[16];
    snprintf(name, sizeof name, "circle %d", i);
    add_exact_circle(common.monitor, name, (uint64_t)i);
  }
  CHECK_OK(fencepost_monitor_add_beacon_condition(common.monitor, "beacon", beacon_uuid, 1, -1, NULL, NULL));
  worker workers[THREADS];
  pthread_t threads[THREADS];
  memset(workers, 0, sizeof workers);
  for (int i = 0; i < THREADS; i++) {
    workers[i].common = &common;
    workers[i].number = i;
    void *(*body)(void *) = i < FEEDERS ? feeder : i < THREADS - 1 ? consumer : looker;
    CHECK_INT(pthread_create(&threads[i], NULL, body, &workers[i]), 0);
  }
  uint64_t inputs = 0;
  for (int i = 0; i < THREADS; i++) {
    CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(workers[i].failures, 0);
    inputs += workers[i].inputs;
  }
  fencepost_statistics statistics = statistics_of(common.monitor);
  CHECK_INT(statistics.input_count, inputs);
  CHECK_INT(statistics.handed_out_events, common.events);
  CHECK_INT(statistics.pending_events, 0);
  CHECK(common.events > CIRCLES);
  pthread_mutex_destroy(&common.turn);
  fencepost_monitor_destroy(common.monitor);
}

/* A monitor moves between threads: created here, used on a second thread, polled on a third, destroyed on a fourth. */
static void *use(void *argument) {
  fencepost_monitor *monitor = argument;
  for (int i = 0; i < 200; i++)
    if (feed(monitor, i % 2 ? 0.1 : 0, SECONDS(i))) abort();
  return NULL;
}

static void *drain(void *argument) {
  fencepost_event event;
  uint32_t available = 1;
  uint64_t count = 0;
  while (available) {
    if (fencepost_monitor_poll_event(argument, &event, &available, NULL)) abort();
    count += available;
  }
  if (count != 200) abort();
  return NULL;
}

static void *destroy(void *argument) {
  fencepost_monitor_destroy(argument);
  return NULL;
}

static void *hand_on(void *argument) {
  (void)argument;
  void *(*const steps[])(void *) = {use, drain, destroy};
  for (int round = 0; round < 5; round++) {
    fencepost_monitor *monitor = NULL;
    if (fencepost_monitor_create(NULL, NULL, &monitor, NULL)) abort();
    add_exact_circle(monitor, "c", 0);
    for (int step = 0; step < 3; step++) {
      pthread_t thread;
      if (pthread_create(&thread, NULL, steps[step], monitor) || pthread_join(thread, NULL)) abort();
    }
  }
  return NULL;
}

static void from_hand_to_hand(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) CHECK_INT(pthread_create(&threads[i], NULL, hand_on, NULL), 0);
  for (int i = 0; i < THREADS; i++) CHECK_INT(pthread_join(threads[i], NULL), 0);
}

/* A monitor and its forks share memory until one of them changes it: each must behave as if the others did not
   exist. */
static void *go_on(void *fork) {
  use(fork);
  drain(fork);
  fencepost_monitor_destroy(fork);
  return NULL;
}

static void add_crowd(fencepost_monitor *monitor, int count) {
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.assuming = FENCEPOST_STATE_UNSATISFIED;
  for (int i = 0; i < count; i++) {
    char identifier[16];
    snprintf(identifier, sizeof identifier, "far %d", i);
    CHECK_OK(
        fencepost_monitor_add_circular_condition(monitor, identifier, 40 + 0.001 * i, i % 90, 100, &options, NULL));
  }
}

static void check_forks(int crowd) {
  fencepost_monitor *origin = new_monitor(NULL), *forks[THREADS];
  add_crowd(origin, crowd);
  add_exact_circle(origin, "c", 0);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) CHECK_OK(fencepost_monitor_fork(origin, &forks[i], NULL));
  for (int i = 0; i < THREADS; i++) CHECK_INT(pthread_create(&threads[i], NULL, go_on, forks[i]), 0);
  use(origin);
  for (int i = 0; i < THREADS; i++) CHECK_INT(pthread_join(threads[i], NULL), 0);
  CHECK_INT(statistics_of(origin).input_count, 200);
  CHECK_INT(statistics_of(origin).pending_events, 200);
  fencepost_monitor_destroy(origin);
}

static void forks_share_nothing(void) { check_forks(0); }

/* With 3 000 distant conditions, the forks share the memory for the states of conditions. */
static void forks_share_states(void) { check_forks(3000); }

static const ccase cases[] = {
    {"threads: five feed, two consume, one looks", everything_on_one},
    {"threads: made, used, polled and destroyed on different ones", from_hand_to_hand},
    {"threads: forks of one monitor", forks_share_nothing},
    {"threads: forks of one monitor with many conditions", forks_share_states},
};
AREA(area_stress);
