/* The life of a fleet: calls on several devices, and the state of a fleet in memory after each of them. The result of a
   crash is checked in three ways. Each device must be as it was after some call, with the promises of its durability.
   No event may be missing. And once each device has been fed the inputs that its count lacks, the result must be the
   same as if there had been no crash. */
#ifndef FLEET_LIFE_H
#define FLEET_LIFE_H

#include "harness.h"

enum {
  FLEET_CALLS = 260,
  FLEET_DEVICES = 6
};

/* The progress of a child. */
typedef struct {
  long completed, is_open;
  /* The last sequence of each device whose acknowledging call has begun. */
  uint64_t acknowledged[FLEET_DEVICES];
} fleet_progress;

/* The durability of the lives from now on. */
extern fencepost_durability fleet_durability;

fencepost_status open_fleet(fencepost_fleet **out, int in_memory);

/* Plays the life in memory and records the state after each call. */
void imagine_fleet(void);

/* Plays the life with a store, which is sometimes closed and opened again. Ends the process if opening fails, or if a
   call fails while the disk works. */
void run_fleet(fleet_progress *shared, int disk_fails);

/* Plays one call. */
fencepost_status play_fleet(fencepost_fleet *fleet, long call);

/* Opens the store in the folder and checks it. Its state, as far as it must be durable at once, is not older than after
   `least` calls, and not newer than after the call that follows `completed`. */
void look_at_fleet(long least, long completed, const fleet_progress *shared, const char *what, long n);

/* Whether the call only commits; a power failure may undo such a call. */
int is_fleet_commit(long call);

unsigned char *fleet_snapshot(fencepost_fleet *fleet, size_t *size);

#endif
