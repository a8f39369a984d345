/*
 * The platform functions that the library needs apart from memory, arithmetic and files: waiting for a lock, the number
 * of the calling thread, and deferring cancellation. Each platform has one file that implements these functions:
 * platform.c for systems with POSIX threads, platform_single.c for systems without threads.
 */
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A lock. This lock is fast while no thread waits, and fair otherwise: at most one other thread takes the lock before a
 * waiting thread gets it. The first of the waiting threads is at the front. If the front thread wakes up but another
 * thread has already taken the lock, it reserves the lock, and then no other thread can take it. Zeroed = free.
 */
typedef struct {
  uint32_t word;  /* CPLATFORM_HELD and the other bits below */
  uint32_t front; /* the threads that wait: 0 no thread, 1 one thread at the front, 2 others behind it */
} cplatform_lock;

/* Bits of a lock's word. */
enum {
  CPLATFORM_HELD = 1,    /* a thread holds the lock */
  CPLATFORM_WAITED = 2,  /* the thread at the front sleeps until it is woken */
  CPLATFORM_RESERVED = 4 /* only the thread at the front may take the lock */
};

/* Takes a lock that another thread held a moment ago: spins for a short time, then waits. */
void cplatform_take_slowly(cplatform_lock *lock);
/* Releases a lock that others wait for. */
void cplatform_release_slowly(cplatform_lock *lock);

static inline void cplatform_take(cplatform_lock *lock) {
  uint32_t expected = 0;
  if (!__atomic_compare_exchange_n(&lock->word, &expected, CPLATFORM_HELD, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    cplatform_take_slowly(lock);
}

static inline void cplatform_release(cplatform_lock *lock) {
  uint32_t expected = CPLATFORM_HELD;
  if (!__atomic_compare_exchange_n(&lock->word, &expected, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    cplatform_release_slowly(lock);
}

/*
 * These functions take a lock in two steps, for a thread that takes several locks: it reserves all of them, so that
 * their holders finish in parallel, and then takes one after the other.
 */
void cplatform_reserve(cplatform_lock *lock);
void cplatform_take_reserved(cplatform_lock *lock);

/* Whether a thread waits for the lock. If so, a holder that works in many small steps releases the lock and takes it
   again. */
static inline int cplatform_is_waited_for(const cplatform_lock *lock) {
  return __atomic_load_n(&lock->word, __ATOMIC_RELAXED) > CPLATFORM_HELD;
}

/* Returns a nonzero value that identifies the calling thread among the running threads. */
uintptr_t cplatform_thread(void);

/* Defers cancellation of the calling thread (pthread_cancel); returns the state to restore. */
int cplatform_disable_cancellation(void);
void cplatform_restore_cancellation(int before);

#ifdef __cplusplus
}
#endif

#endif
