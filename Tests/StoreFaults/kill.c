/* Kills the process before an operation or in the middle of a write. */
#include "attacks.h"
#include "killing.h"
#include "life.h"

#include <string.h>

typedef struct {
  killing at;
  progress progress;
} killed_life;

static void live(void *context) { run_life(&((killed_life *)context)->progress); }

static int was_life_killed(killed_life *shared) {
  memset(&shared->progress, 0, sizeof shared->progress);
  return was_killed(&shared->at, live, shared);
}

void attack_kill(long count) {
  imagine();
  killed_life *shared = share(sizeof *shared);
  shared->at.operation = -1;
  was_life_killed(shared);
  long operations = shared->at.operations, kills = 0;
  for (long i = 0; i < count; i++) {
    shared->at.operation = count >= 2 * operations ? i / 2 % operations : (long)below((uint64_t)operations);
    shared->at.is_torn = (int)(i & 1);
    if (!was_life_killed(shared)) continue;
    kills++;
    const progress *at = &shared->progress;
    long state = found_state(at->completed, at->completed + 1);
    if (!holds_only("m.fencepost")) FAIL("killed at operation %ld: something is left", shared->at.operation);
    if (state == -3 && !at->is_open) continue;
    if (state < 0)
      FAIL("killed at operation %ld%s after %ld calls: %ld %s", shared->at.operation,
           shared->at.is_torn ? ", torn" : "", at->completed, state, last_error.message);
  }
  printf("killed %ld times at %ld operations of %d calls\n", kills, operations, LIFE_CALLS);
}
