/* Runs calls in a child process that is killed before a disk operation, or in the middle of one. */
#ifndef KILLING_H
#define KILLING_H

typedef struct {
  /* Number of the disk operation at which the process is killed. If `operation` is -1, the process is not killed, and
     `operations` is set to the number of operations. */
  long operation, operations;
  int is_torn;
} killing;

/* Clears the folder, calls `live` in a child process, and returns whether the child was killed. Both `at` and `life`
   must point to memory that is shared with child processes. */
int was_killed(killing *at, void (*live)(void *life), void *life);

#endif
