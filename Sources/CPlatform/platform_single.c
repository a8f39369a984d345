/* Implements the functions for systems without threads: only the caller itself could hold a lock that it takes, and no
   call takes a lock twice. */
#include "cplatform.h"

#if defined(__wasm__)
void cplatform_take_slowly(cplatform_lock *lock) {
  (void)lock;
  __builtin_trap();
}

void cplatform_release_slowly(cplatform_lock *lock) { (void)lock; }

void cplatform_reserve(cplatform_lock *lock) { (void)lock; }

void cplatform_take_reserved(cplatform_lock *lock) { cplatform_take(lock); }

uintptr_t cplatform_thread(void) { return 1; }

int cplatform_disable_cancellation(void) { return 0; }

void cplatform_restore_cancellation(int before) { (void)before; }
#endif
