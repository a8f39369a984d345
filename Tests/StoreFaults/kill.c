/* The process ends, before an operation or in the middle of a write. */
#include "attacks.h"
#include "files.h"
#include "life.h"

#include <string.h>
#include <sys/wait.h>

typedef struct {
  progress progress;
  /* Where it is killed; none when `operation` is -1, and then `operations` tells how many there are. */
  long operation, operations;
  int is_torn;
} killing;

static void live(void *context) {
  killing *shared = context;
  files_watch(folder, 0);
  files_kill(shared->operation, shared->is_torn);
  run_life(&shared->progress);
  shared->operations = files_count();
}

/* A child plays the life and is killed; whether it was. */
static int was_killed(killing *shared) {
  memset(&shared->progress, 0, sizeof shared->progress);
  clear_folder();
  int status = in_child(live, shared);
  if (!WIFSIGNALED(status) && WEXITSTATUS(status))
    FAIL("operation %ld: the life ended with %d", shared->operation, WEXITSTATUS(status));
  return WIFSIGNALED(status);
}

void attack_kill(long count) {
  imagine();
  killing *shared = share(sizeof *shared);
  shared->operation = -1;
  was_killed(shared);
  long operations = shared->operations, kills = 0;
  for (long i = 0; i < count; i++) {
    shared->operation = count >= 2 * operations ? i / 2 % operations : (long)below((uint64_t)operations);
    shared->is_torn = (int)(i & 1);
    if (!was_killed(shared)) continue;
    kills++;
    const progress *at = &shared->progress;
    long state = found_state(at->completed, at->completed + 1);
    if (!holds_only("m.fencepost")) FAIL("killed at operation %ld: something is left", shared->operation);
    if (state == -3 && !at->is_open) continue;
    if (state < 0)
      FAIL("killed at operation %ld%s after %ld calls: %ld %s", shared->operation, shared->is_torn ? ", torn" : "",
           at->completed, state, last_error.message);
  }
  printf("killed %ld times at %ld operations of %d calls\n", kills, operations, LIFE_CALLS);
}
