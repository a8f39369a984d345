/* Plays lives whose process is killed before a disk operation, or in the middle of one. */
#ifndef KILLING_H
#define KILLING_H

typedef struct {
  /* The operation at which the process is killed. If `operation` is -1, the process is not killed, and `operations` is
     set to the number of operations. */
  long operation, operations;
  int is_torn;
} killing;

/* Plays a life in a child process with an empty folder, and returns whether the child was killed. `at` and `life` must
   point to shared memory. */
int was_killed(killing *at, void (*live)(void *life), void *life);

#endif
