/* Copies of the file and of its log from different moments. */
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
    size_t moments[2] = {below(operations + 1), below(operations + 1)};
    if (i % 2) moments[1] = moments[0] + below(40);
    if (moments[1] > operations) moments[1] = operations;
    clear_folder();
    for (int m = 0; m < 2; m++) {
      disk_reset();
      for (size_t k = 0; k < moments[m]; k++) disk_apply(&trace[k], 1);
      put_file(m ? "m.fencepost-wal" : "m.fencepost");
    }
    long state = found_state(0, LIFE_CALLS);
    if (state == -1) FAIL("a copy of operation %zu with the log of %zu is another state", moments[0], moments[1]);
    if (state == -2) refused++;
    else opened++;
  }
  printf("%ld torn copies: %ld refused, %ld opened in a state that was\n", count, refused, opened);
}
