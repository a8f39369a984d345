/* Attacks fleet stores: the process ends, the power fails, the disk fails, copies are torn, bits flip. */
#include "attacks.h"
#include "disk.h"
#include "fleet_life.h"
#include "killing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const fencepost_durability durabilities[] = {FENCEPOST_DURABILITY_CHANGES, FENCEPOST_DURABILITY_EVERY_INPUT,
                                                    FENCEPOST_DURABILITY_RELAXED};

enum {
  DURABILITIES = sizeof durabilities / sizeof *durabilities
};

typedef struct {
  killing at;
  fleet_progress progress;
} killed_fleet;

static void live(void *context) { run_fleet(&((killed_fleet *)context)->progress, 0); }

static int was_fleet_killed(killed_fleet *shared) {
  memset(&shared->progress, 0, sizeof shared->progress);
  return was_killed(&shared->at, live, shared);
}

static void kill_fleet(killed_fleet *shared, long count) {
  imagine_fleet();
  long operations[DURABILITIES], kills = 0;
  for (int kind = 0; kind < DURABILITIES; kind++) {
    fleet_durability = durabilities[kind];
    shared->at.operation = -1;
    was_fleet_killed(shared);
    operations[kind] = shared->at.operations;
    look_at_fleet(FLEET_CALLS, FLEET_CALLS, &shared->progress, "closed", 0);
  }
  for (long i = 0; i < count; i++) {
    int kind = (int)(i % 7 == 6 ? 2 : i % 3 == 2);
    fleet_durability = durabilities[kind];
    shared->at.operation = (long)below((uint64_t)operations[kind]);
    shared->at.is_torn = (int)(i & 1);
    if (!was_fleet_killed(shared)) continue;
    kills++;
    const fleet_progress *at = &shared->progress;
    look_at_fleet(at->completed, at->completed, at, "killed", shared->at.operation);
  }
  printf("a fleet with delivery %d was killed %ld times at %ld, %ld and %ld operations of %d calls\n", fleet_delivery,
         kills, operations[0], operations[1], operations[2], FLEET_CALLS);
}

void attack_fleet_kill(long count) {
  killed_fleet *shared = share(sizeof *shared);
  for (int i = 2; i >= 0; i--) {
    fleet_delivery = i;
    kill_fleet(shared, (count + 2) / 3);
  }
}

static op *trace_of(fencepost_durability durability, size_t *operations) {
  fleet_durability = durability;
  clear_folder();
  fleet_progress played;
  memset(&played, 0, sizeof played);
  files_watch(folder, 1);
  run_fleet(&played, 0);
  return files_take_trace(operations);
}

static void fail_power(long count) {
  imagine_fleet();
  for (int kind = 0; kind < 2; kind++) {
    size_t operations;
    op *trace = trace_of(durabilities[kind], &operations);
    for (long i = 0; i < count / 2; i++) {
      size_t n = (size_t)below(operations + 1);
      power_failure(trace, n);
      put_disk();
      long completed = n ? trace[n - 1].call : 0, least = completed;
      /* A power failure may undo the effect of a call that only commits. */
      while (least > 0 && is_fleet_commit(least - 1)) least--;
      int is_begun = 0;
      for (size_t k = 0; k < n; k++) is_begun |= trace[k].call > 0;
      if (!is_begun) continue;
      look_at_fleet(least, completed, NULL, "the power failed", (long)n);
    }
  }
  printf("the power of a fleet with delivery %d failed %ld times\n", fleet_delivery, count);
}

void attack_fleet_power(long count) {
  for (int i = 2; i >= 0; i--) {
    fleet_delivery = i;
    fail_power((count + 2) / 3);
  }
}

void attack_fleet_torn(long count) {
  imagine_fleet();
  size_t operations;
  op *trace = trace_of(FENCEPOST_DURABILITY_CHANGES, &operations);
  long refused = 0, opened = 0;
  for (long i = 0; i < count; i++) {
    size_t moments[2];
    put_torn_copy(trace, operations, i % 2, moments);
    fencepost_fleet *fleet;
    fencepost_status status = open_fleet(&fleet, 0);
    fencepost_fleet_destroy(fleet);
    if (status) {
      refused++;
      if (status != FENCEPOST_E_STORE_CORRUPT) FAIL("torn copy: %d %s", (int)status, last_error.message);
      continue;
    }
    opened++;
    /* If a torn copy opens, its state must be one that a crash during some call could have left. */
    look_at_fleet(0, FLEET_CALLS, NULL, "a torn copy", (long)moments[0]);
  }
  printf("%ld torn copies of a fleet: %ld refused, %ld opened\n", count, refused, opened);
}

void attack_fleet_failing(long count) {
  imagine_fleet();
  clear_folder();
  fleet_progress played;
  files_watch(folder, 0);
  fleet_durability = FENCEPOST_DURABILITY_CHANGES;
  memset(&played, 0, sizeof played);
  run_fleet(&played, 0);
  long operations = files_count();
  files_stop();
  long refused = 0;
  for (long i = 0; i < count; i++) {
    fleet_durability = durabilities[i % DURABILITIES];
    long first = (long)below((uint64_t)operations), number = 1 + (long)below(i % 3 == 0 ? 3 : 40);
    clear_folder();
    files_watch(folder, 0);
    files_fail_by_turns(i, first, number);
    fencepost_fleet *fleet;
    fencepost_status status = open_fleet(&fleet, 0);
    if (status) {
      refused++;
      files_stop();
      check_refused_creation(status, first);
      continue;
    }
    for (long k = 0; k < FLEET_CALLS; k++) {
      status = play_fleet(fleet, k);
      if (status && status != FENCEPOST_E_STORE_UNAVAILABLE)
        FAIL("failing at %ld, call %ld: %s", first, k, last_error.message);
    }
    files_fail(0, 0, 0, 0);
    if (fencepost_fleet_checkpoint(fleet, &last_error)) FAIL("after it failed: %s", last_error.message);
    fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
    if (fencepost_fleet_statistics(fleet, &statistics, NULL)) abort();
    if (statistics.store != FENCEPOST_STORE_KEPT) FAIL("after it failed the status is %u", statistics.store);
    fencepost_fleet_abandon(fleet, NULL);
    size_t size, again;
    unsigned char *before = fleet_snapshot(fleet, &size);
    fencepost_fleet_destroy(fleet);
    files_stop();
    if (open_fleet(&fleet, 0)) {
      FAIL("failing at %ld for %ld: %s", first, number, last_error.message);
      continue;
    }
    unsigned char *after = fleet_snapshot(fleet, &again);
    if (size != again || memcmp(before, after, size)) FAIL("failing at %ld for %ld: another state", first, number);
    free(before);
    free(after);
    fencepost_fleet_destroy(fleet);
  }
  printf("%ld failing disks of a fleet at %ld operations, %ld while creating\n", count, operations, refused);
}

void attack_fleet_flips(long count) {
  clear_folder();
  fleet_durability = FENCEPOST_DURABILITY_CHANGES;
  fencepost_fleet *fleet;
  if (open_fleet(&fleet, 0)) abort();
  for (long k = 0; k < 60; k++)
    if (play_fleet(fleet, k)) abort();
  for (int i = 0; i < 1500; i++) {
    char text[32];
    const char *name = text;
    fencepost_device device;
    snprintf(text, sizeof text, "one of many %d", i);
    fencepost_fix fix;
    memset(&fix, 0, sizeof fix);
    fix.latitude = i % 4 * 0.01;
    fix.time_us = 100000000000 + i;
    if (fencepost_fleet_enter_devices(fleet, &name, 1, 1, &device, NULL) ||
        fencepost_fleet_feed_fix(fleet, device, &fix, &last_error))
      abort();
  }
  fencepost_fleet_abandon(fleet, NULL);
  size_t state_size, size;
  unsigned char *state = fleet_snapshot(fleet, &state_size);
  fencepost_fleet_destroy(fleet);
  char path[PATH_SIZE];
  path_of(path, "m.fencepost");
  unsigned char *sound = read_file(path, &size);
  long refused = 0;
  for (long i = 0; i < count; i++) {
    size_t place = i % 4 ? below(size) : below(size / 1024) * 1024 + below(120);
    unsigned char bit = (unsigned char)(1u << below(8));
    sound[place] ^= bit;
    clear_folder();
    write_file("m.fencepost", sound, size);
    fencepost_status status = open_fleet(&fleet, 0);
    if (status) {
      refused++;
      check_refused_flip(status, place, sound, size);
    } else {
      size_t opened_size;
      unsigned char *opened = fleet_snapshot(fleet, &opened_size);
      if (opened_size != state_size || memcmp(opened, state, state_size)) FAIL("bit of byte %zu: another state", place);
      free(opened);
      if (fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, 200000000000, 0, &last_error) ||
          fencepost_fleet_checkpoint(fleet, &last_error))
        FAIL("bit of byte %zu: later %s", place, last_error.message);
      fencepost_fleet_destroy(fleet);
      if (open_fleet(&fleet, 0)) FAIL("bit of byte %zu: opened once and not again: %s", place, last_error.message);
      fencepost_fleet_destroy(fleet);
    }
    sound[place] ^= bit;
  }
  printf("%ld flipped bits in %zu pages of a fleet: %ld refused\n", count, size / 1024, refused);
}
