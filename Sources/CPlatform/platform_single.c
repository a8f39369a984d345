/* Implements the lock functions for systems without threads. On such a system, every lock is free when it is requested:
   no other thread exists, and no call takes the same lock twice. */
#include "cplatform.h"

#if defined(__wasm__)
void cplatform_take_slowly(cplatform_lock *lock) {
  (void)lock;
  __builtin_trap();
}

void cplatform_release_slowly(cplatform_lock *lock) { (void)lock; }

void cplatform_enter_slowly(cplatform_gate *gate) {
  if (gate->word & CPLATFORM_CLOSED) __builtin_trap();
  gate->word++;
}

void cplatform_leave_slowly(cplatform_gate *gate, uint32_t before) {
  (void)gate;
  (void)before;
}

void cplatform_wait_for_claims(cplatform_gate *gate) { (void)gate; }

void cplatform_close(cplatform_gate *gate) { gate->word = CPLATFORM_CLOSED; }

void cplatform_wait_for_readers(cplatform_gate *gate) { (void)gate; }

void cplatform_open(cplatform_gate *gate) { gate->word = 0; }

uintptr_t cplatform_thread(void) { return 1; }

int cplatform_disable_cancellation(void) { return 0; }

void cplatform_restore_cancellation(int before) { (void)before; }
#endif
