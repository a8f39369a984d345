/* A life: calls that each change saved state, the same for each monitor that plays them, and the states that a monitor
   in memory has after each of them. */
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
/* Whether the call only commits; a power failure may undo such a call. */
int is_commit(long call);
/* The smallest number of calls whose state a power failure may leave after `completed` completed calls. */
long lowest(long completed);

unsigned char *snapshot_of(fencepost_monitor *monitor, size_t *size);
/* A hash of the snapshot. */
uint64_t sum_of(fencepost_monitor *monitor);
/* Whether two monitors have the same state; frees both. */
int are_same(unsigned char *one, size_t size, unsigned char *other, size_t other_size);

/* Plays the life in memory and records the state after each call. */
void imagine(void);
/* Opens the store in the folder. Returns the number of its state among those from `first` to `last`, -1 for another
 * state, -2 if it is refused, -3 if nothing was ever saved. */
long found_state(long first, long last);

/* The progress of a child. */
typedef struct {
  long completed, is_open;
} progress;

/* Plays the life with a store, which is sometimes closed and opened again, on a disk with little room, so that its log
   is checkpointed meanwhile. Ends the process if a call fails. */
void run_life(progress *shared);

/* Writes a store after 30 calls into the folder. */
void put_store(void);
/* Writes the same store as a crash leaves it, with its log. */
void put_crashed_store(void);

#endif
