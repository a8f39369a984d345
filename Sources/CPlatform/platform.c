/* Systems with POSIX threads. Linux waits with the system call futex; others with a condition variable for each of a few
   groups of words. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "cplatform.h"

#if defined(__wasm__)
/* platform_single.c */
#else

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#if defined(__linux__) && !defined(CPLATFORM_PORTABLE)
#include <sys/syscall.h>

/* Of <linux/futex.h>, which is not among the headers of musl. */
enum {
  FUTEX_WAIT_PRIVATE = 128,
  FUTEX_WAKE_PRIVATE = 129
};

static void wait_while(cplatform_word *word, cplatform_word value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void cplatform_wake(cplatform_word *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }
#else
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} groups[] = {
    {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER},
    {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER},
    {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER},
    {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER},
};

static size_t group_of(const cplatform_word *word) { return (uintptr_t)word / 64 % (sizeof groups / sizeof *groups); }

static void wait_while(cplatform_word *word, cplatform_word value) {
  size_t group = group_of(word);
  pthread_mutex_lock(&groups[group].mutex);
  /* Who wakes takes the mutex after it has changed the word, so that no wake falls between the look and the wait. */
  while (__atomic_load_n(word, __ATOMIC_RELAXED) == value)
    pthread_cond_wait(&groups[group].changed, &groups[group].mutex);
  pthread_mutex_unlock(&groups[group].mutex);
}

void cplatform_wake(cplatform_word *word) {
  size_t group = group_of(word);
  pthread_mutex_lock(&groups[group].mutex);
  pthread_cond_broadcast(&groups[group].changed);
  pthread_mutex_unlock(&groups[group].mutex);
}
#endif

void cplatform_lock_slowly(cplatform_word *word) {
  /* A call holds the lock for some hundred nanoseconds: a short spin spares two system calls. */
  for (int spin = 0; spin < 100; spin++) {
    cplatform_word free = 0;
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(word, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) wait_while(word, 2);
}

uintptr_t cplatform_thread(void) { return (uintptr_t)pthread_self(); }

int cplatform_disable_cancellation(void) {
  int before = 0;
#if !defined(__ANDROID__)
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
#endif
  return before;
}

void cplatform_restore_cancellation(int before) {
#if !defined(__ANDROID__)
  pthread_setcancelstate(before, NULL);
#else
  (void)before;
#endif
}

#endif
