/* Saves very many devices in parts, with relaxed durability: the process ends, or the power fails, during a save. */
#include "attacks.h"
#include "disk.h"
#include "harness.h"
#include "killing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  DEVICES = 20000,
  CALLS = 45,
  ROWS = 7000,
  /* Number of the call before which a circle that contains devices grows. */
  GROWS = 16,
  /* Number of the call before which the device LEAVER is removed. A checkpoint precedes each change. A store that
     contains one of the changes also contains all earlier inputs. */
  LEAVES = 31,
  LEAVER = 7,
  /* If some kind of state has not occurred yet, the test continues until it has tried this many crashes. */
  MOST_CRASHES = 60
};

/* The kinds of state that a crash between two parts can leave: the circle has not grown yet, the circle has grown, or
 * the circle has grown and the device was removed. */
enum {
  BETWEEN = 1,
  BETWEEN_GROWN = 2,
  BETWEEN_LEFT = 4,
  ALL_KINDS = 7
};

static const int64_t SECOND = 1000000;

typedef struct {
  killing at;
  long completed;
} killed_crowd;

static fencepost_fleet *open_crowd(int in_memory) {
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  options.checkpoint_interval_us = 5 * SECOND;
  options.max_pending_events = 1000000;
  if (!in_memory) options.name = "m", options.store_directory = folder;
  fencepost_conditions *table;
  fencepost_fleet *fleet = NULL;
  if (fencepost_conditions_create(&table, NULL)) abort();
  options.conditions = table;
  if (fencepost_fleet_create(&options, &fleet, &last_error)) fleet = NULL;
  fencepost_conditions_destroy(table);
  return fleet;
}

static void check(fencepost_status status) {
  if (!status) return;
  FAIL("%s", last_error.message);
  _exit(4);
}

static void add_places(fencepost_fleet *fleet) {
  fencepost_conditions *table;
  fencepost_table_version version = FENCEPOST_TABLE_VERSION_INIT;
  check(fencepost_fleet_conditions(fleet, &table, &last_error));
  check(fencepost_conditions_version(table, &version, &last_error));
  for (long i = (long)version.count; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "place %ld", i);
    fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
    check(add_one(table, with(fencepost_circle(name, 0.01 * (double)i, 0, 300), NULL, &options), &last_error));
  }
  fencepost_conditions_destroy(table);
}

static const char *name_of(uint32_t device) {
  static char text[32];
  snprintf(text, sizeof text, "device %u", (unsigned)device);
  return text;
}

static int is_fed(long n) { return n % 10 != 9 && n % 4 != 3; }

static uint32_t device_of(long n, long row) { return (uint32_t)((n * 6100 + row) % DEVICES); }

/* Enlarges a circle of the table, unless `is_asked_only` is set. Returns whether the circle had its original size
   before the call. */
static int grow(fencepost_fleet *fleet, int is_asked_only) {
  fencepost_conditions *table;
  fencepost_condition place;
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  uint32_t changed = 0;
  check(fencepost_fleet_conditions(fleet, &table, &last_error));
  check(fencepost_conditions_describe(table, "place 1", &place, NULL, NULL, &last_error));
  int is_small = place.radius_m < 600;
  if (!is_asked_only)
    check(ensure_one(table, with(fencepost_circle("place 1", 0.01, 0, 700), NULL, &options), &changed, &last_error));
  fencepost_conditions_destroy(table);
  return is_small;
}

static fencepost_device number_of(fencepost_fleet *fleet, uint32_t device) {
  fencepost_device number;
  const char *name = name_of(device);
  check(fencepost_fleet_enter_devices(fleet, &name, 1, 0, &number, &last_error));
  return number;
}

/* Delivers all events. Otherwise, when a circle grows, its waiting events would become void and never get a
   sequence. */
static void take_events(fencepost_fleet *fleet) {
  static fencepost_event events[4096];
  size_t count = 1;
  while (count) check(fencepost_fleet_poll_events(fleet, events, 4096, &count, &last_error));
}

static void change(fencepost_fleet *fleet, long n) {
  if (n != GROWS && n != LEAVES) return;
  take_events(fleet);
  check(fencepost_fleet_checkpoint(fleet, &last_error));
  if (n == GROWS) grow(fleet, 0);
  fencepost_device number = number_of(fleet, LEAVER);
  if (n == LEAVES && number != FENCEPOST_NO_DEVICE)
    check(fencepost_fleet_remove_devices(fleet, &number, 1, 0, &last_error));
}

/* Feeds a fix to some of the devices; skips devices that already have the fix. */
static void play_crowd(fencepost_fleet *fleet, long n, uint64_t *had) {
  int64_t time = (1000 + n * 10) * SECOND;
  change(fleet, n);
  fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
  if (n % 10 == 9) {
    check(fencepost_fleet_statistics(fleet, &statistics, &last_error));
    if (time >= statistics.clock_us) check(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, time, 0, &last_error));
    return;
  }
  if (n % 4 == 3) {
    static fencepost_event events[3000];
    size_t count;
    check(fencepost_fleet_poll_events(fleet, events, 3000, &count, &last_error));
    if (n % 8 == 3) check(fencepost_fleet_acknowledge(fleet, &last_error));
    return;
  }
  static fencepost_device devices[ROWS];
  static double latitudes[ROWS], longitudes[ROWS];
  size_t count = 0;
  for (long i = 0; i < ROWS; i++) {
    uint32_t device = device_of(n, i);
    if (device == LEAVER && n >= LEAVES) continue;
    if (had && had[device]) {
      had[device]--;
      continue;
    }
    const char *name = name_of(device);
    check(fencepost_fleet_enter_devices(fleet, &name, 1, 1, &devices[count], &last_error));
    /* The position is in a circle or between two circles; most calls shift it slightly. */
    latitudes[count++] = 0.005 * (double)((device * 7 + (uint32_t)n * 3) % 8) + 1e-6 * (double)(n % 5);
  }
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fixes.latitudes = latitudes;
  fixes.longitudes = longitudes;
  fixes.times_us = &time;
  fixes.time_stride = 0;
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  columns.devices = devices;
  columns.fixes = &fixes;
  fencepost_feed_result result;
  check(fencepost_fleet_feed_columns(fleet, &columns, count, &result, &last_error));
  if (result.accepted != count) FAIL("call %ld: %zu of %zu fixes were taken", n, (size_t)result.accepted, count);
}

static void live(void *context) {
  killed_crowd *shared = context;
  fencepost_fleet *fleet = open_crowd(0);
  if (!fleet) _exit(3);
  add_places(fleet);
  for (long k = 0; k < CALLS; k++) {
    files_mark(k);
    play_crowd(fleet, k, NULL);
    shared->completed = k + 1;
  }
  fencepost_fleet_destroy(fleet);
}

/* Advances the fleet, polls all events, and writes the final state of each device to `out`. */
static void finish_crowd(fencepost_fleet *fleet, uint64_t out[DEVICES]) {
  check(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, (2000 + CALLS * 10) * SECOND, 0, &last_error));
  take_events(fleet);
  for (uint32_t d = 0; d < DEVICES; d++) {
    fencepost_device number = number_of(fleet, d);
    fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
    fencepost_condition_state inside[4];
    size_t count;
    out[d] = 0;
    if (number == FENCEPOST_NO_DEVICE) continue;
    check(fencepost_fleet_device_statistics(fleet, number, &statistics, &last_error));
    check(fencepost_fleet_list_conditions(fleet, number, FENCEPOST_STATE_SATISFIED, 0, inside, 4, &count, &last_error));
    out[d] = statistics.input_count * 1000003 + statistics.handed_out_events * 1009 + count;
    for (size_t i = 0; i < count; i++) out[d] = out[d] * 31 + inside[i].generation * 7 + (uint64_t)inside[i].since_us;
  }
}

static uint64_t in_the_end[DEVICES];

/* Counts the inputs that each device receives before the removal. */
static void count_inputs(uint64_t inputs[DEVICES]) {
  memset(inputs, 0, DEVICES * sizeof *inputs);
  for (long n = 0; n < LEAVES; n++)
    for (long i = 0; is_fed(n) && i < ROWS; i++) inputs[device_of(n, i)]++;
}

/* Returns the kind of state that the crash left. Returns 0 if one save covered all devices, so that the crash did not
   happen between two parts. */
static int look_at_crowd(const char *what, long n) {
  static uint64_t had[DEVICES], now[DEVICES], before[DEVICES];
  fencepost_fleet *fleet = open_crowd(0);
  if (!fleet) {
    FAIL("%s at operation %ld: %s", what, n, last_error.message);
    return 0;
  }
  add_places(fleet);
  uint64_t least = UINT64_MAX, most = 0;
  int has_left = 1, is_grown = !grow(fleet, 1);
  count_inputs(before);
  for (uint32_t d = 0; d < DEVICES; d++) {
    fencepost_device number = number_of(fleet, d);
    fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
    had[d] = 0;
    if (number != FENCEPOST_NO_DEVICE) {
      check(fencepost_fleet_device_statistics(fleet, number, &statistics, &last_error));
      had[d] = statistics.input_count;
    }
    if (d == LEAVER) continue;
    if (had[d] < before[d]) has_left = 0;
    if (had[d] < least) least = had[d];
    if (had[d] > most) most = had[d];
  }
  if (has_left) had[LEAVER] = before[LEAVER]; /* the device is removed, or is removed when the calls are played again */
  has_left &= number_of(fleet, LEAVER) == FENCEPOST_NO_DEVICE;
  for (long k = 0; k < CALLS; k++) play_crowd(fleet, k, had);
  finish_crowd(fleet, now);
  long others = 0;
  for (uint32_t d = 0; d < DEVICES; d++) others += now[d] != in_the_end[d];
  if (others) FAIL("%s at operation %ld: fed again %ld devices are others", what, n, others);
  fencepost_fleet_destroy(fleet);
  if (!holds_only("m.fencepost")) FAIL("%s at operation %ld: something is left beside the store", what, n);
  if (most <= least + 1) return 0;
  return has_left ? BETWEEN_LEFT : is_grown ? BETWEEN_GROWN : BETWEEN;
}

void attack_fleet_parts(long count) {
  fencepost_fleet *fleet = open_crowd(1);
  add_places(fleet);
  for (long k = 0; k < CALLS; k++) play_crowd(fleet, k, NULL);
  finish_crowd(fleet, in_the_end);
  fencepost_fleet_destroy(fleet);
  killed_crowd *shared = share(sizeof *shared);
  clear_folder();
  files_watch(folder, 1);
  live(shared);
  size_t operations;
  op *trace = files_take_trace(&operations);
  int between = 0;
  long i = 0;
  for (; i < count || (between != ALL_KINDS && i < MOST_CRASHES); i++) {
    long n = (long)below(operations);
    if (i % 2) {
      clear_folder();
      power_failure(trace, (size_t)n);
      put_disk();
      between |= look_at_crowd("the power failed", n);
      continue;
    }
    *shared = (killed_crowd){.at = {.operation = n, .is_torn = (int)(i / 2 & 1)}};
    if (!was_killed(&shared->at, live, shared)) FAIL("operation %ld was not reached", n);
    between |= look_at_crowd("killed", n);
  }
  if (between != ALL_KINDS) FAIL("of %ld crashes none came between two parts of some kind: %d", i, between);
  printf("%ld kills and power failures while devices were saved in parts, at %zu operations\n", i, operations);
}
