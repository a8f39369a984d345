/* A life: calls that each change something that is kept, the same for each monitor that plays them, and the states that a
   monitor in memory has after each of them. */
#ifndef LIFE_H
#define LIFE_H

#include "harness.h"

enum {
  LIFE_CALLS = 400
};

fencepost_status open_monitor(fencepost_monitor **out, int in_memory);
fencepost_status add(fencepost_monitor *monitor, int number, double latitude);
fencepost_status feed(fencepost_monitor *monitor, int64_t second, double latitude);

/* Call number n of the life. */
fencepost_status play(fencepost_monitor *monitor, long n);
/* Whether the call only commits, which a power failure may take back. */
int is_commit(long call);
/* After how many calls a power failure may leave the store that completed so many. */
long lowest(long completed);

unsigned char *snapshot_of(fencepost_monitor *monitor, size_t *size);
/* A sum over the same. */
uint64_t sum_of(fencepost_monitor *monitor);
/* Whether two monitors have the same state; frees both. */
int are_same(unsigned char *one, size_t size, unsigned char *other, size_t other_size);

/* Plays the life in memory and keeps the state after each call. */
void imagine(void);
/* Opens the store in the folder; the state's number among those from `first` to `last`, -1 for another, -2 when
 * refused, -3 when nothing was ever saved. */
long found_state(long first, long last);

/* How far a child has come. */
typedef struct {
  long completed, is_open;
} progress;

/* Plays the life with a store, which is closed and opened again now and then, on a disk with little room, so that its log
   is folded in on the way. Ends the process when a call fails. */
void run_life(progress *shared);

/* Leaves a store of 30 calls in the folder. */
void put_store(void);
/* The same as a crash leaves it, with its log. */
void put_crashed_store(void);

#endif
