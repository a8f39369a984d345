/* Systems without threads: a lock that is held is held by the caller itself, which no call does. */
#include "cplatform.h"

#if defined(__wasm__)
void cplatform_lock_slowly(cplatform_word *word) {
  (void)word;
  __builtin_trap();
}

void cplatform_wake(cplatform_word *word) { (void)word; }

uintptr_t cplatform_thread(void) { return 1; }

int cplatform_disable_cancellation(void) { return 0; }

void cplatform_restore_cancellation(int before) { (void)before; }
#endif
