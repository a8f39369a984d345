/* The life of a fleet: calls on several devices, and what a fleet in memory is after each of them. What a crash leaves is
   looked at in three ways: each device must be as it was after some call, with what its durability promises; no event may be
   missing; and when each device is fed the inputs again that its count says it lacks, all must be as without the crash. */
#ifndef FLEET_LIFE_H
#define FLEET_LIFE_H

#include "harness.h"

enum {
  FLEET_CALLS = 260,
  FLEET_DEVICES = 6
};

/* How far a child has come. */
typedef struct {
  long completed, is_open;
  /* The last sequence of each device whose event was acknowledged, by a call that began. */
  uint64_t acknowledged[FLEET_DEVICES];
} fleet_progress;

/* Of the lives from now on: a FENCEPOST_DURABILITY_.... */
extern fencepost_durability fleet_durability;

fencepost_status open_fleet(fencepost_fleet **out, int in_memory);

/* Plays the life in memory and stores the state after each call. */
void imagine_fleet(void);

/* Plays the life with a store, which is closed and opened again now and then. Ends the process when opening fails; a call
   that fails too, unless the disk does. */
void run_fleet(fleet_progress *shared, int disk_fails);

/* Plays the calls from `first` to `last`. */
fencepost_status play_fleet(fencepost_fleet *fleet, long call);

/* Opens the store in the folder and checks it. `least`: after that many calls it was at least, as to what must last at
   once; `completed`: no later than the call after that. */
void look_at_fleet(long least, long completed, const fleet_progress *shared, const char *what, long n);

/* Whether the call only commits, which a power failure may take back. */
int is_fleet_commit(long call);

unsigned char *fleet_snapshot(fencepost_fleet *fleet, size_t *size);

#endif
