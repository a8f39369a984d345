/* Defines the life of a fleet (a sequence of calls on several devices), and the state of a fleet in memory after each
   call. The result of a crash is checked in three ways. Each device must have the state that it had after some call,
   and this state must be as recent as the durability promises. No event may be missing. After each device has been fed
   the inputs that it lacks, the result must be the same as if the crash had never happened. */
#ifndef FLEET_LIFE_H
#define FLEET_LIFE_H

#include "harness.h"

enum {
  FLEET_CALLS = 260,
  FLEET_DEVICES = 6
};

/* The progress of a child process. */
typedef struct {
  long completed, is_open;
  /* For each device, the sequence of the last event that some call has begun to acknowledge. */
  uint64_t acknowledged[FLEET_DEVICES];
} fleet_progress;

/* The durability of the fleets in the following tests. */
extern fencepost_durability fleet_durability;

fencepost_status open_fleet(fencepost_fleet **out, int in_memory);

/* Makes the calls of the life on a fleet in memory, and records the state after each call. */
void imagine_fleet(void);

/* Makes the calls of the life on a fleet with a store; sometimes closes the store and opens it again. Ends the process
   if opening fails, or if a call fails while the disk works. */
void run_fleet(fleet_progress *shared, int disk_fails);

/* Plays one call. */
fencepost_status play_fleet(fencepost_fleet *fleet, long call);

/* Opens the store in the folder and checks it. The part of the saved state that must be durable at once must be no
   older than the state after `least` calls, and no newer than the state after the call that follows `completed`. */
void look_at_fleet(long least, long completed, const fleet_progress *shared, const char *what, long n);

/* Returns whether the call only commits; a power failure may undo such a call. */
int is_fleet_commit(long call);

unsigned char *fleet_snapshot(fencepost_fleet *fleet, size_t *size);

#endif
