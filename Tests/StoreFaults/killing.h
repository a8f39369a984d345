/* Lives that end before an operation of the disk, or in the middle of one. */
#ifndef KILLING_H
#define KILLING_H

typedef struct {
  /* Where the process is killed; nowhere when it is -1, and then `operations` tells how many there are. */
  long operation, operations;
  int is_torn;
} killing;

/* A child plays a life in an empty folder and is killed; whether it was. Both are in memory that children share. */
int was_killed(killing *at, void (*live)(void *life), void *life);

#endif
