/*
 * Follows four devices on four threads; one more thread handles all events.
 *
 * Each device has its own monitor, a fork of the monitor that has the conditions; forks share unchanged data, and need
 * no lock between them. A monitor itself may be used from several threads; here its feeder and the consumer use it. The
 * consumer sleeps until a wake-up callback posts its semaphore.
 */
#define _POSIX_C_SOURCE 200809L

#include <fencepost.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  DEVICES = 4,
  MINUTES = 120,
  ROWS = 60
};

typedef struct device {
  int number;
  fencepost_monitor *monitor;
  /* Only the consumer uses these members. */
  int entries, exits;
  uint64_t last_sequence;
  fencepost_event last;
} device;

static device devices[DEVICES];
static sem_t work;
static atomic_int feeding;

static void check(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) return;
  fprintf(stderr, "%s: %s\n", fencepost_status_name(status), error->message);
  exit(1);
}

/* Runs on the feeder's thread, while no lock of the library is held. */
static void wake(void *context) { sem_post(context); }

/* Each device moves to and fro along the equator, a degree each way, at its own speed: one fix a second, one batch a
   minute. */
static void *feed(void *context) {
  device *self = context;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_fix fixes[ROWS];
  for (int minute = 0; minute < MINUTES; minute++) {
    for (int row = 0; row < ROWS; row++) {
      int second = minute * ROWS + row;
      int place = second * (self->number + 1) % 2000; /* the position, in thousandths of a degree */
      fencepost_fix fix = {0, (place < 1000 ? place : 2000 - place) / 1000.0, 10,
                           INT64_C(1700000000000000) + second * INT64_C(1000000)};
      fixes[row] = fix;
    }
    check(fencepost_monitor_feed_fixes(self->monitor, fixes, ROWS, NULL, &error), &error);
  }
  atomic_fetch_sub(&feeding, 1);
  sem_post(&work);
  return NULL;
}

static void handle(device *device, const fencepost_event *event) {
  if (event->sequence != device->last_sequence + 1) {
    fprintf(stderr, "device %d: event %llu is out of order\n", device->number, (unsigned long long)event->sequence);
    exit(1);
  }
  device->last_sequence = event->sequence;
  device->last = *event;
  if (event->state == FENCEPOST_STATE_SATISFIED) device->entries++;
  if (event->cause == FENCEPOST_CAUSE_CROSSING && event->state == FENCEPOST_STATE_UNSATISFIED) device->exits++;
}

static void *consume(void *context) {
  static fencepost_event events[16];
  fencepost_error error = FENCEPOST_ERROR_INIT;
  (void)context;
  for (int more = 1; more;) {
    sem_wait(&work);
    more = atomic_load(&feeding) > 0; /* read before the queues: once it is 0, no event follows */
    for (int i = 0; i < DEVICES; i++) {
      size_t count = 0;
      do {
        check(fencepost_monitor_poll_events(devices[i].monitor, events, 16, &count, &error), &error);
        for (size_t n = 0; n < count; n++) handle(&devices[i], &events[n]);
      } while (count > 0);
    }
  }
  return NULL;
}

int main(void) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *conditions = NULL;
  check(fencepost_monitor_create(NULL, NULL, &conditions, &error), &error);
  check(fencepost_monitor_add_circular_condition(conditions, "east", 0, 0.9, 5000, NULL, &error), &error);
  check(fencepost_monitor_add_circular_condition(conditions, "west", 0, 0.1, 5000, NULL, &error), &error);

  sem_init(&work, 0, 0);
  atomic_init(&feeding, DEVICES);
  pthread_t feeders[DEVICES], consumer;
  for (int i = 0; i < DEVICES; i++) {
    devices[i].number = i;
    check(fencepost_monitor_fork(conditions, &devices[i].monitor, &error), &error);
    check(fencepost_monitor_set_wakeup(devices[i].monitor, wake, &work, &error), &error);
  }
  fencepost_monitor_destroy(conditions);
  pthread_create(&consumer, NULL, consume, NULL);
  for (int i = 0; i < DEVICES; i++) pthread_create(&feeders[i], NULL, feed, &devices[i]);
  for (int i = 0; i < DEVICES; i++) pthread_join(feeders[i], NULL);
  pthread_join(consumer, NULL);

  for (int i = 0; i < DEVICES; i++) {
    char line[4096];
    printf("device %d: %d entries, %d exits; the last event:\n", i, devices[i].entries, devices[i].exits);
    check(fencepost_event_json(&devices[i].last, NULL, line, sizeof line, NULL, &error), &error);
    puts(line);
    fencepost_monitor_destroy(devices[i].monitor); /* no other thread is running any more */
  }
  sem_destroy(&work);
  return 0;
}
