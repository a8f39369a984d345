/* Cancels threads (pthread_cancel) while they use a monitor: no operation is left half-done. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "stores.h"

typedef struct victim {
  fencepost_monitor *monitor;
  int64_t time_us;
  int bell[2];
} victim;

/* Repeats two inputs and their events. Apart from calls of the library, only pthread_testcancel() is a cancellation
   point. */
static void *feed_for_ever(void *argument) {
  victim *me = argument;
  for (int i = 0;; i++) {
    me->time_us += 1000000;
    fencepost_fix fix = {0, i % 2 ? 0.1 : 0, 5, me->time_us};
    if (fencepost_monitor_feed_fix(me->monitor, &fix, NULL) != FENCEPOST_OK) abort();
    fencepost_event event;
    uint32_t available;
    if (fencepost_monitor_poll_event(me->monitor, &event, &available, NULL) != FENCEPOST_OK) abort();
    pthread_testcancel();
  }
  return NULL;
}

/* Cancels feeding threads one after the other. After each cancellation the monitor is in a state that it can have
   between two calls, and it still works. */
static void cancel_and_go_on(victim *me, int rounds) {
  for (int round = 0; round < rounds; round++) {
    uint64_t before = statistics_of(me->monitor).input_count;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, feed_for_ever, me) == 0);
    while (statistics_of(me->monitor).input_count < before + 2) sched_yield();
    CHECK(pthread_cancel(thread) == 0);
    void *result;
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK_OK(fencepost_monitor_advance(me->monitor, me->time_us, NULL));
    CHECK_INT(statistics_of(me->monitor).clock_us, me->time_us);
  }
}

/* SQLite's reads, writes and syncs are cancellation points. */
static void within_a_store(void) {
  folder store = new_folder();
  victim me = {open_in(&store, "m"), SECONDS(0), {-1, -1}};
  add_exact_circle(me.monitor, "a", 0);
  cancel_and_go_on(&me, 20);
  uint64_t inputs = statistics_of(me.monitor).input_count;
  CHECK_OK(fencepost_monitor_close(me.monitor, NULL));
  fencepost_monitor_destroy(me.monitor);
  fencepost_monitor *again = open_in(&store, "m");
  CHECK_INT(statistics_of(again).input_count, inputs);
  fencepost_monitor_destroy(again);
  remove_folder(&store);
}

static void ring(void *context) {
  victim *me = context;
  if (write(me->bell[1], "!", 1) != 1 && errno != EAGAIN) abort();
}

/* The write calls of a callback are cancellation points. */
static void within_a_callback(void) {
  victim me = {new_monitor(NULL), SECONDS(0), {-1, -1}};
  CHECK(pipe2(me.bell, O_NONBLOCK) == 0);
  add_exact_circle(me.monitor, "a", 0);
  CHECK_OK(fencepost_monitor_set_wakeup(me.monitor, ring, &me, NULL));
  for (int round = 0; round < 20; round++) {
    cancel_and_go_on(&me, 1);
    char rung[65536];
    CHECK(read(me.bell[0], rung, sizeof rung) > 0);
  }
  CHECK_OK(fencepost_monitor_set_wakeup(me.monitor, NULL, NULL, NULL)); /* clearing does not wait for a callback whose
                                                                           thread has ended */
  fencepost_monitor_destroy(me.monitor);
  close(me.bell[0]);
  close(me.bell[1]);
}

/* A thread that is cancelled before a call is still cancelled after it: the library postpones the cancellation and does
   not lose it. If a thread had disabled cancellation, it is still disabled after the call. */
static void *calls_once(void *argument) {
  victim *me = argument;
  int before, after;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  if (fencepost_monitor_advance(me->monitor, me->time_us, NULL) != FENCEPOST_OK) abort();
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &after);
  if (before != PTHREAD_CANCEL_ENABLE || after != PTHREAD_CANCEL_DISABLE) abort();
  pthread_cancel(pthread_self());
  if (fencepost_monitor_checkpoint(me->monitor, NULL) != FENCEPOST_OK) abort();
  me->time_us = 0;
  pthread_testcancel();
  return NULL;
}

static void put_off(void) {
  folder store = new_folder();
  victim me = {open_in(&store, "m"), SECONDS(0), {-1, -1}};
  pthread_t thread;
  void *result;
  CHECK(pthread_create(&thread, NULL, calls_once, &me) == 0);
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  CHECK_INT(me.time_us, 0);
  fencepost_monitor_destroy(me.monitor);
  remove_folder(&store);
}

static const ccase cases[] = {
    {"cancel: a thread that feeds a monitor with a store", within_a_store},
    {"cancel: a thread whose callback writes", within_a_callback},
    {"cancel: put off, not forgotten", put_off},
};
AREA(area_cancel);
