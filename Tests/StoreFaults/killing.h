/* Lives that are killed before an operation of the disk, or in the middle of one. */
#ifndef KILLING_H
#define KILLING_H

typedef struct {
  /* The operation at which the process is killed. If it is -1, it is not killed and `operations` becomes their
     number. */
  long operation, operations;
  int is_torn;
} killing;

/* Plays a life in a child process with an empty folder, and returns whether the child was killed. `at` and `life` point
   to shared memory. */
int was_killed(killing *at, void (*live)(void *life), void *life);

#endif
