/* Defines a sequence of calls on a fleet with several devices, and the state of a fleet in memory after each call. The
   result of a crash is checked in three ways. Each device must have the state that it had after some call, and this
   state must be as recent as the durability promises. No event may be missing. After each device has been fed the
   inputs that it lacks, the result must be the same as if the crash had never happened. */
#ifndef FLEET_LIFE_H
#define FLEET_LIFE_H

#include "harness.h"

enum {
  FLEET_CALLS = 260,
  FLEET_DEVICES = 6
};

/* The progress of a child process, in memory that the parent process shares. */
typedef struct {
  long completed, is_open;
  /* For each device, the sequence number of the last event whose acknowledgement has begun. */
  uint64_t acknowledged[FLEET_DEVICES];
} fleet_progress;

/* The durability of the fleets in the following tests. */
extern fencepost_durability fleet_durability;
/* Their delivery; call imagine_fleet() after a change. */
extern fencepost_delivery fleet_delivery;

fencepost_status open_fleet(fencepost_fleet **out, int in_memory);

/* Makes each call of the sequence on a fleet in memory, and records the state after each call. */
void imagine_fleet(void);

/* Makes each call of the sequence on a fleet with a store, and sometimes closes the store and opens it again. Ends the
   process if opening fails, or if a call fails while the disk works. */
void run_fleet(fleet_progress *shared, int disk_fails);

/* Plays one call. */
fencepost_status play_fleet(fencepost_fleet *fleet, long call);

/* Opens the store in the folder and checks it. The part of the saved state that must be durable at once must not be
   older than the state after `least` calls. This part must not be newer than the state after `completed` + 1 calls. */
void look_at_fleet(long least, long completed, const fleet_progress *shared, const char *what, long n);

/* Returns whether a call only acknowledges events; a power failure may undo such a call. */
int is_fleet_commit(long call);

unsigned char *fleet_snapshot(fencepost_fleet *fleet, size_t *size);

#endif
