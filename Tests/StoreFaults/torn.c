/* Tests that a store is read correctly or refused if its file and its log were copied at different moments. */
#include "attacks.h"
#include "disk.h"
#include "life.h"

void attack_torn(long count) {
  imagine();
  clear_folder();
  progress played;
  files_watch(folder, 1);
  run_life(&played);
  size_t operations;
  op *trace = files_take_trace(&operations);
  long refused = 0, opened = 0;
  for (long i = 0; i < count; i++) {
    size_t moments[2];
    put_torn_copy(trace, operations, i % 2, moments);
    long state = found_state(0, LIFE_CALLS);
    if (state == -1) FAIL("a copy of operation %zu with the log of %zu is another state", moments[0], moments[1]);
    if (state == -2) refused++;
    else opened++;
  }
  printf("%ld torn copies: %ld refused, %ld opened in a state that was\n", count, refused, opened);
}
