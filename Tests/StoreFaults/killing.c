#include "killing.h"

#include "files.h"
#include "harness.h"

#include <sys/wait.h>

typedef struct {
  killing *at;
  void (*live)(void *life);
  void *life;
} child;

static void live(void *context) {
  child *self = context;
  files_watch(folder, 0);
  files_kill(self->at->operation, self->at->is_torn);
  self->live(self->life);
  self->at->operations = files_count();
}

int was_killed(killing *at, void (*play)(void *life), void *life) {
  child self = {at, play, life};
  clear_folder();
  int status = in_child(live, &self);
  if (!WIFSIGNALED(status) && WEXITSTATUS(status))
    FAIL("operation %ld: the life ended with %d", at->operation, WEXITSTATUS(status));
  return WIFSIGNALED(status);
}
