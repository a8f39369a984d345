/* The power fails: writes without a later fsync may be missing. */
#include "attacks.h"
#include "disk.h"
#include "life.h"

void attack_power(long count) {
  imagine();
  clear_folder();
  progress played;
  files_watch(folder, 1);
  run_life(&played);
  size_t operations;
  op *trace = files_take_trace(&operations);
  /* A log begins with a write of 32 bytes. The trace must contain at least five logs: one for each of the four
     openings, and one that begins after a checkpoint. */
  int logs = 0;
  for (size_t i = 0; i < operations; i++) logs += trace[i].kind == OP_WRITE && !trace[i].offset && trace[i].size == 32;
  if (logs < 5) FAIL("the log is never folded in: %d logs were begun", logs);
  long taken_back = 0;
  for (long i = 0; i < count; i++) {
    size_t n = (size_t)below(operations + 1);
    power_failure(trace, n);
    put_disk();
    long completed = n ? trace[n - 1].call : 0;
    int is_begun = 0;
    for (size_t k = 0; k < n; k++) is_begun |= trace[k].call > 0;
    long state = found_state(lowest(completed), completed + 1);
    if (state == -3 && !is_begun) continue;
    if (state < 0)
      FAIL("the power failed before operation %zu, call %ld: %ld %s", n, completed, state, last_error.message);
    taken_back += state >= 0 && state < completed;
  }
  printf("%ld power failures at %zu operations; %ld took back a commit\n", count, operations, taken_back);
}
