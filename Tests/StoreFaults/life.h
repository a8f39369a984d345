/* Makes the calls of a fixed sequence, called a life; each call changes saved state. All monitors of a test get the
   same calls. The state of a monitor in memory is recorded after each call. */
#ifndef LIFE_H
#define LIFE_H

#include "harness.h"

enum {
  LIFE_CALLS = 400
};

fencepost_status open_monitor(fencepost_monitor **out, int in_memory);
fencepost_status add(fencepost_monitor *monitor, int number, double latitude);
fencepost_status feed(fencepost_monitor *monitor, int64_t second, double latitude);

/* Makes call number n of the fixed sequence of calls. */
fencepost_status play(fencepost_monitor *monitor, long n);
/* Returns whether the call only commits events: a power failure may undo such a call. */
int is_commit(long call);
/* Returns the smallest number n such that a power failure after `completed` completed calls may leave the state after n
   calls. */
long lowest(long completed);

unsigned char *snapshot_of(fencepost_monitor *monitor, size_t *size);
/* Returns a hash of the snapshot. */
uint64_t sum_of(fencepost_monitor *monitor);
/* Returns whether two monitors have the same state; frees both monitors. */
int are_same(unsigned char *one, size_t size, unsigned char *other, size_t other_size);

/* Makes all calls of the sequence on a monitor in memory, and records the state after each call. */
void imagine(void);
/* Opens the store in the folder. Returns the number of the state that the store is in, if it is one of the states from
 * `first` to `last`; -1 for any other state, -2 if the store is refused, -3 if nothing was ever saved. */
long found_state(long first, long last);

/* The progress of a child process. */
typedef struct {
  long completed, is_open;
} progress;

/* Makes all calls of the sequence on a monitor with a store, which is closed and opened again three times in between.
   The disk has so little room that the store's log is checkpointed between the calls. Ends the process if a call
   fails. */
void run_life(progress *shared);

/* Makes the first 30 calls on a store in the folder, and closes the store. */
void put_store(void);
/* Makes the first 30 calls on a store in a child process that ends without closing the store, so the store's log
   remains in the folder. */
void put_crashed_store(void);

#endif
