/*
 * Declares the platform functions that the library needs: waiting for a lock or at a gate, identifying the calling
 * thread, deferring cancellation, locking a range of a file, and reading ahead. Functions for memory and arithmetic, and
 * the other functions for files, are not declared here. The file platform.c implements the functions for systems with
 * POSIX threads, and platform_single.c for systems without threads.
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
 * thread has already taken the lock, the front thread reserves the lock, and then no other thread can take it. A
 * zeroed lock is free.
 */
typedef struct {
  uint32_t word;  /* the bits CPLATFORM_HELD to CPLATFORM_RESERVED */
  uint32_t front; /* 0: no thread waits; 1: one thread waits, at the front; 2: other threads wait behind it */
} cplatform_lock;

/* These bits form the `word` of a lock. */
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

/* Takes a lock if it is free and no thread waits for it; returns whether it took the lock. */
static inline int cplatform_try_to_take(cplatform_lock *lock) {
  uint32_t expected = 0;
  return __atomic_compare_exchange_n(&lock->word, &expected, CPLATFORM_HELD, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void cplatform_release(cplatform_lock *lock) {
  uint32_t expected = CPLATFORM_HELD;
  if (!__atomic_compare_exchange_n(&lock->word, &expected, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    cplatform_release_slowly(lock);
}

/*
 * A gate: readers enter and leave it, and a writer closes it, waits until no reader is inside, and opens it again. A
 * closing writer waits only for the readers that are inside, not for those that wait outside. If changes followed one
 * another without a pause, readers would wait for ever. Therefore a reader that has waited while the gate was closed
 * CPLATFORM_PATIENCE times claims the gate, and the next writer waits until this reader has entered. A zeroed gate is
 * open and empty. At most one writer uses a gate at a time.
 */
typedef struct {
  uint32_t word; /* the number of readers inside the gate, and the bits CPLATFORM_CLOSED to CPLATFORM_CLAIMED */
} cplatform_gate;

/* These bits form the `word` of a gate. */
enum {
  CPLATFORM_INSIDE = 0x0fffffff,  /* these bits contain the number of readers that are inside the gate */
  CPLATFORM_CLOSED = 0x10000000,  /* no reader may enter */
  CPLATFORM_OUTSIDE = 0x20000000, /* a reader sleeps outside until the gate opens */
  CPLATFORM_CLAIMED = 0x40000000  /* a reader must enter before the gate closes again */
};

enum {
  CPLATFORM_PATIENCE = 16
};

/* cplatform_enter() calls this function if the gate is closed, is claimed or has readers inside. */
void cplatform_enter_slowly(cplatform_gate *gate);
/* `before` is the value of the gate's `word` before the reader left. If this reader was the last one inside, the
   function wakes the writer that waits for it. */
void cplatform_leave_slowly(cplatform_gate *gate, uint32_t before);

static inline void cplatform_enter(cplatform_gate *gate) {
  uint32_t expected = 0;
  if (!__atomic_compare_exchange_n(&gate->word, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    cplatform_enter_slowly(gate);
}

static inline void cplatform_leave(cplatform_gate *gate) {
  uint32_t before = __atomic_fetch_sub(&gate->word, 1, __ATOMIC_RELEASE);
  if (before & CPLATFORM_CLOSED) cplatform_leave_slowly(gate, before);
}

/* Returns whether a writer has closed the gate. If the gate is closed, a reader that works in many small steps leaves
   the gate and enters it again. */
static inline int cplatform_is_closed(const cplatform_gate *gate) {
  return (__atomic_load_n(&gate->word, __ATOMIC_RELAXED) & CPLATFORM_CLOSED) != 0;
}

/*
 * A writer closes many gates in three steps. It completes each step at all gates before it begins the next step, so
 * that readers leave all gates in parallel. The first step waits for the readers that have claimed the gates, while all
 * gates are still open; the second step closes the gates; the third step waits for the readers inside.
 */
void cplatform_wait_for_claims(cplatform_gate *gate);
void cplatform_close(cplatform_gate *gate);
void cplatform_wait_for_readers(cplatform_gate *gate);
void cplatform_open(cplatform_gate *gate);

/* Begins to read the memory at an address into the cache, if the address is valid; does not wait for it. */
static inline void cplatform_read_ahead(const void *address) { __builtin_prefetch(address); }

/* Returns a nonzero value that identifies the calling thread among the running threads. */
uintptr_t cplatform_thread(void);

/* Defers cancellation of the calling thread (pthread_cancel); returns the state to restore. */
int cplatform_disable_cancellation(void);
void cplatform_restore_cancellation(int before);

/* Locks (F_RDLCK, F_WRLCK) or unlocks (F_UNLCK) a range of a file for this open file description, without waiting.
   Systems that lack open file description locks lock the whole file with flock(). Returns 0, or -1 and sets errno.
   Systems without threads lack this function. */
int cplatform_lock_range(int descriptor, int type, int64_t start, int64_t length);

#ifdef __cplusplus
}
#endif

#endif
