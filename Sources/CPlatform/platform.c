/* Implements the functions for systems with POSIX threads. On Linux, threads wait with the futex system call. On other
   systems, the lock words are divided into a few groups, and each group has one condition variable. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "cplatform.h"

#if defined(__wasm__)
/* platform_single.c */
#else

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#if defined(__linux__) && !defined(CPLATFORM_PORTABLE)
#include <sys/syscall.h>

/* This constant is from <linux/futex.h>, which musl does not have. */
enum {
  FUTEX_WAIT_PRIVATE = 128,
  FUTEX_WAKE_PRIVATE = 129
};

static void wait_while(uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

static void wake_all(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0); }
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

static size_t group_of(const uint32_t *word) { return (uintptr_t)word / 64 % (sizeof groups / sizeof *groups); }

/* pthread_cond_wait() is a cancellation point: a thread that is cancelled there would leave the mutex locked. */
static void wait_while(uint32_t *word, uint32_t value) {
  size_t group = group_of(word);
  int before = cplatform_disable_cancellation();
  pthread_mutex_lock(&groups[group].mutex);
  /* The waking thread takes the mutex after it has changed the word, so that no wake-up falls between the check and the
   * wait. */
  while (__atomic_load_n(word, __ATOMIC_RELAXED) == value)
    pthread_cond_wait(&groups[group].changed, &groups[group].mutex);
  pthread_mutex_unlock(&groups[group].mutex);
  cplatform_restore_cancellation(before);
}

static void wake(uint32_t *word) {
  size_t group = group_of(word);
  pthread_mutex_lock(&groups[group].mutex);
  pthread_cond_broadcast(&groups[group].changed);
  pthread_mutex_unlock(&groups[group].mutex);
}

static void wake_all(uint32_t *word) { wake(word); }
#endif

/* The number of times that a thread checks a lock before it waits. A call holds a lock for only a few hundred
   nanoseconds, so a thread that checks the lock repeatedly usually need not wait, which would take two system calls. */
#define SPINS 100

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static int replace(uint32_t *word, uint32_t old, uint32_t new) {
  return __atomic_compare_exchange_n(word, &old, new, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Checks the lock's word repeatedly for a short time, and takes the lock if the word equals `seen`. If several threads
   see that the lock's word has this value, only one of them takes the lock. */
static int spin(cplatform_lock *lock, uint32_t seen) {
  for (int count = 0; count < SPINS; count++) {
    if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == seen && replace(&lock->word, seen, CPLATFORM_HELD)) return 1;
    pause_briefly();
  }
  return 0;
}

static void come_to_front(cplatform_lock *lock) {
  if (replace(&lock->front, 0, 1)) return;
  while (__atomic_exchange_n(&lock->front, 2, __ATOMIC_ACQUIRE) != 0) wait_while(&lock->front, 2);
}

static void leave_front(cplatform_lock *lock) {
  if (__atomic_exchange_n(&lock->front, 0, __ATOMIC_RELEASE) == 2) wake(&lock->front);
}

/* Takes the lock for the thread at the front of the queue, and then leaves the front. */
static void take_at_front(cplatform_lock *lock) {
  uint32_t reserved = 0; /* CPLATFORM_RESERVED if this thread has reserved the lock, otherwise 0 */
  for (;;) {
    uint32_t seen = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    if (!(seen & CPLATFORM_HELD)) {
      if (replace(&lock->word, seen, CPLATFORM_HELD)) break;
      continue;
    }
    uint32_t waiting = CPLATFORM_HELD | CPLATFORM_WAITED | reserved;
    if (!replace(&lock->word, seen, waiting)) continue;
    wait_while(&lock->word, waiting);
    if (reserved || !(__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & CPLATFORM_HELD)) continue;
    /* Another thread has already taken the lock. Reserve the lock, so that this thread is the next to take it. */
    reserved = CPLATFORM_RESERVED;
    __atomic_fetch_or(&lock->word, reserved, __ATOMIC_RELAXED);
    if (spin(lock, reserved)) break;
  }
  leave_front(lock);
}

void cplatform_take_slowly(cplatform_lock *lock) {
  if (spin(lock, 0)) return;
  come_to_front(lock);
  take_at_front(lock);
}

void cplatform_release_slowly(cplatform_lock *lock) {
  uint32_t seen = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
  /* A release wakes only one waiting thread. If that thread does not get the lock, it sets CPLATFORM_WAITED again
     before it waits again. */
  while (!__atomic_compare_exchange_n(&lock->word, &seen, seen & CPLATFORM_RESERVED, 0, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
  if (seen & CPLATFORM_WAITED) wake(&lock->word);
}

void cplatform_enter_slowly(cplatform_gate *gate) {
  int sleeps = 0, spins = 0;
  for (;;) {
    uint32_t seen = __atomic_load_n(&gate->word, __ATOMIC_RELAXED);
    if (!(seen & CPLATFORM_CLOSED)) {
      if (!replace(&gate->word, seen, (seen & ~(uint32_t)CPLATFORM_CLAIMED) + 1)) continue;
      if (seen & CPLATFORM_CLAIMED) wake_all(&gate->word);
      return;
    }
    if (spins++ < SPINS) {
      pause_briefly();
      continue;
    }
    uint32_t waiting = seen | CPLATFORM_OUTSIDE;
    if (sleeps >= CPLATFORM_PATIENCE) waiting |= CPLATFORM_CLAIMED;
    if (!replace(&gate->word, seen, waiting)) continue;
    wait_while(&gate->word, waiting);
    sleeps++;
    spins = 0;
  }
}

void cplatform_leave_slowly(cplatform_gate *gate, uint32_t before) {
  if ((before & CPLATFORM_INSIDE) == 1) wake_all(&gate->word);
}

void cplatform_wait_for_claims(cplatform_gate *gate) {
  uint32_t seen;
  while ((seen = __atomic_load_n(&gate->word, __ATOMIC_RELAXED)) & CPLATFORM_CLAIMED) wait_while(&gate->word, seen);
}

void cplatform_close(cplatform_gate *gate) { __atomic_fetch_or(&gate->word, CPLATFORM_CLOSED, __ATOMIC_RELAXED); }

void cplatform_wait_for_readers(cplatform_gate *gate) {
  uint32_t seen;
  for (int spins = 0; (seen = __atomic_load_n(&gate->word, __ATOMIC_ACQUIRE)) & CPLATFORM_INSIDE; spins++) {
    if (spins < SPINS) pause_briefly();
    else wait_while(&gate->word, seen);
  }
}

void cplatform_open(cplatform_gate *gate) {
  uint32_t before =
      __atomic_fetch_and(&gate->word, ~(uint32_t)(CPLATFORM_CLOSED | CPLATFORM_OUTSIDE), __ATOMIC_RELEASE);
  if (before & CPLATFORM_OUTSIDE) wake_all(&gate->word);
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

/* Some headers lack this constant of Linux. The lock must not depend on the headers: two builds that lock in different
   ways would both open a store. */
#if defined(__linux__) && !defined(F_OFD_SETLK)
#define F_OFD_SETLK 37
#endif

int cplatform_lock_range(int descriptor, int type, int64_t start, int64_t length) {
#if defined(F_OFD_SETLK) && !defined(CPLATFORM_PORTABLE)
  struct flock range;
  memset(&range, 0, sizeof range);
  range.l_type = (short)type;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = length;
  return fcntl(descriptor, F_OFD_SETLK, &range);
#else
  (void)start;
  (void)length;
  return flock(descriptor, (type == F_UNLCK ? LOCK_UN : type == F_RDLCK ? LOCK_SH : LOCK_EX) | LOCK_NB);
#endif
}
#endif
