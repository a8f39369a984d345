/* Cancels threads (pthread_cancel) that wait for a lock of Sources/CPlatform. A thread that is cancelled while it waits
   must keep waiting until it has the lock, and other threads must still get the lock. portable.sh links this program
   with each implementation of the waits. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cplatform.h"

static cplatform_lock lock;
static int taken;

static void take(void) {
  uint32_t word = 0;
  if (!__atomic_compare_exchange_n(&lock.word, &word, CPLATFORM_HELD, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    cplatform_take_slowly(&lock);
  taken++;
}

static void release(void) {
  uint32_t word = CPLATFORM_HELD;
  if (!__atomic_compare_exchange_n(&lock.word, &word, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    cplatform_release_slowly(&lock);
}

/* Takes the lock once; pause() is a cancellation point. */
static void *victim(void *argument) {
  take();
  release();
  for (;;) pause();
  return argument;
}

int main(void) {
  enum {
    ROUNDS = 50
  };
  alarm(60); /* if a lock were lost, the program would wait for it forever */
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t thread;
    void *result;
    take();
    if (pthread_create(&thread, NULL, victim, NULL) != 0) abort();
    usleep(2000); /* the thread now waits for the lock */
    if (pthread_cancel(thread) != 0) abort();
    usleep(500);
    release();
    if (pthread_join(thread, &result) != 0 || result != PTHREAD_CANCELED) abort();
  }
  take();
  release();
  if (taken != 2 * ROUNDS + 1) {
    fprintf(stderr, "cancelled: the lock was taken %d times, not %d: a wait was interrupted\n", taken, 2 * ROUNDS + 1);
    return 1;
  }
  return 0;
}
