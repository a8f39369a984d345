/* What the library takes from the platform beside memory, arithmetic and files: waiting for a word, the number of the
   calling thread, and holding back cancellation. One file a platform implements it: platform.c has the systems with
   POSIX threads, platform_single.c those without threads. */
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A lock word: 0 free, 1 held, 2 held and waited for. */
typedef uint32_t cplatform_word;

/* Takes a lock that another thread held a moment ago: spins for a short time, then waits. */
void cplatform_lock_slowly(cplatform_word *word);
/* Wakes one thread that waits for the lock. */
void cplatform_wake(cplatform_word *word);

static inline void cplatform_lock(cplatform_word *word) {
  cplatform_word free = 0;
  if (!__atomic_compare_exchange_n(word, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) cplatform_lock_slowly(word);
}

static inline void cplatform_unlock(cplatform_word *word) {
  if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2) cplatform_wake(word);
}

/* Tells the calling thread from others that run now. Not 0. */
uintptr_t cplatform_thread(void);

/* Holds back a cancellation of the calling thread (pthread_cancel); returns what to restore. */
int cplatform_disable_cancellation(void);
void cplatform_restore_cancellation(int before);

#ifdef __cplusplus
}
#endif

#endif
