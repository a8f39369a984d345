#define _GNU_SOURCE
#include "fleet_life.h"

#include "files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  SETUP = 5,
  MOST_ROWS = FLEET_DEVICES,
  MOST_EVENTS = 512
};

fencepost_durability fleet_durability = FENCEPOST_DURABILITY_CHANGES;
fencepost_delivery fleet_delivery = FENCEPOST_DELIVERY_EVERY;

static const uint8_t uuid[16] = {1, 2, 3};

/* The kinds of operations that are not inputs. Each operation follows a checkpoint: if the operation was saved, all
   inputs before it were saved too. */
typedef enum {
  NOTHING,
  /* Removes a device that has waiting events. The next input adds the device again. */
  REMOVE_DEVICE,
  /* Removes the device whose last input is the oldest. */
  EXPIRE,
  /* Adds a condition where devices are, or replaces a condition that contains devices. */
  ADD,
  REMOVE
} change_kind;

typedef struct {
  long call;
  change_kind kind;
  /* The number of the device or the condition. */
  int which;
  double latitude, radius;
} change;

static const change changes[] = {
    {40, REMOVE_DEVICE, 4, 0, 0}, {72, ADD, 5, 0.025, 180}, {104, ADD, 1, 0.01, 140},  {136, EXPIRE, 0, 0, 0},
    {168, REMOVE, 2, 0, 0},       {200, ADD, 2, 0.02, 160}, {232, ADD, 5, 0.035, 150},
};

enum {
  CHANGES = sizeof changes / sizeof *changes,
  CONDITIONS = SETUP + 1,
  /* The generation of the beacon condition. The time of the last sighting of this beacon may be saved with a delay. */
  BEACON_GENERATION = SETUP
};

static const change *change_of(long n) {
  static const change nothing = {-1, NOTHING, 0, 0, 0};
  for (int i = 0; i < CHANGES; i++)
    if (changes[i].call == n) return &changes[i];
  return &nothing;
}

/* Returns the device that the call with the number `n` removes, or -1. */
static int leaver_of(long n) {
  const change *at = change_of(n);
  return at->kind == REMOVE_DEVICE || at->kind == EXPIRE ? at->which : -1;
}

static int is_table_change(long n) {
  change_kind kind = change_of(n)->kind;
  return n < SETUP || kind == ADD || kind == REMOVE;
}

/* ------------------------------------------------------------------------------------------------ the calls */

typedef struct {
  int device;
  int is_sighting;
  double latitude;
  int64_t time_us;
} input;

/* Writes the inputs of the call with the number `n` to `out`, and returns how many there are. */
static size_t inputs_of(long n, input out[MOST_ROWS]) {
  int64_t time = (1000 + n * 10) * 1000000;
  if (n < SETUP || change_of(n)->kind) return 0;
  switch (n % 8) {
    case 0: /* this fix enters or leaves a condition */
      out[0] = (input){(int)(n / 8 % FLEET_DEVICES), 0, 0.01 * (double)(n / 8 % 5), time};
      return 1;
    case 1: /* the device moves, far from all conditions */
      out[0] = (input){(int)(n / 8 % FLEET_DEVICES + 1) % FLEET_DEVICES, 0, 0.005 + 1e-7 * (double)(n % 9), time};
      return 1;
    case 2:
      for (int d = 0; d < FLEET_DEVICES; d++)
        out[d] = (input){d, 0, d == n / 8 % FLEET_DEVICES ? 0.02 : 0.025 + 1e-7 * (double)(n % 9), time + d};
      return FLEET_DEVICES;
    case 6: out[0] = (input){(int)(n / 8 % 3), 1, 0, time}; return 1;
    case 7:
      if (n % 32 == 7) return 0;
      /* Fixes of this kind are alternately on time and late. */
      out[0] = (input){(int)(n / 8 % FLEET_DEVICES), 0, 0.035, n % 16 == 7 ? time : time - 60000000};
      return 1;
    default: return 0;
  }
}

int is_fleet_commit(long n) { return n >= SETUP && n % 8 == 5; }
static int is_advance(long n) { return n >= SETUP && n % 8 == 3; }
static int is_poll(long n) { return n >= SETUP && n % 8 == 4; }
static int is_checkpoint(long n) { return n < SETUP || n % 32 == 7; }

static const char *name_of(int device) {
  static const char *const names[FLEET_DEVICES] = {
      "device 0", "device 1", "device 2", "a device whose name is longer than others", "device 4", "5"};
  return names[device];
}

static int number_of(fencepost_fleet *fleet, int device, fencepost_device *out) {
  const char *name = name_of(device);
  *out = FENCEPOST_NO_DEVICE;
  if (fencepost_fleet_enter_devices(fleet, &name, 1, 0, out, NULL)) abort();
  return *out != FENCEPOST_NO_DEVICE;
}

static fencepost_status feed_input(fencepost_fleet *fleet, const input *in) {
  fencepost_device device;
  const char *name = name_of(in->device);
  fencepost_status status = fencepost_fleet_enter_devices(fleet, &name, 1, 1, &device, &last_error);
  if (status) return status;
  if (in->is_sighting) {
    fencepost_beacon_sighting sighting;
    memset(&sighting, 0, sizeof sighting);
    memcpy(sighting.uuid, uuid, sizeof uuid);
    sighting.major = 1;
    sighting.minor = 2;
    status = fencepost_fleet_feed_sightings(fleet, device, &sighting, 1, in->time_us, &last_error);
  } else {
    fencepost_fix fix;
    memset(&fix, 0, sizeof fix);
    fix.latitude = in->latitude;
    fix.accuracy_m = 5;
    fix.time_us = in->time_us;
    status = fencepost_fleet_feed_fix(fleet, device, &fix, &last_error);
  }
  return status == FENCEPOST_E_LATE_INPUT ? FENCEPOST_OK : status;
}

static fencepost_conditions *table_of(fencepost_fleet *fleet) {
  fencepost_conditions *table = NULL;
  if (fencepost_fleet_conditions(fleet, &table, NULL)) abort();
  return table;
}

static fencepost_table_version version_of(fencepost_fleet *fleet) {
  fencepost_conditions *table = table_of(fleet);
  fencepost_table_version version = FENCEPOST_TABLE_VERSION_INIT;
  if (fencepost_conditions_version(table, &version, NULL)) abort();
  fencepost_conditions_destroy(table);
  return version;
}

/* Adds the condition with the number `n`: numbers 0 to 3 are circles, and number 4 is a beacon. */
static fencepost_status set_up(fencepost_fleet *fleet, long n) {
  char name[32];
  snprintf(name, sizeof name, "condition %ld", n);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  options.assuming = FENCEPOST_STATE_UNSATISFIED;
  if (n != 3) options.policy = &exact;
  fencepost_conditions *table = table_of(fleet);
  fencepost_status status =
      n == 4 ? add_one(table, with(fencepost_beacon(name, uuid, 1, 2), NULL, &options), &last_error)
             : add_one(table, with(fencepost_circle(name, 0.01 * (double)n, 0, 150), NULL, &options), &last_error);
  fencepost_conditions_destroy(table);
  return status;
}

static int is_fed_again;

/* Changes the table, or removes a device. */
static fencepost_status apply(fencepost_fleet *fleet, const change *at) {
  fencepost_status status = FENCEPOST_OK;
  fencepost_device device, gone[FLEET_DEVICES];
  uint32_t removed;
  size_t count = 0;
  if (at->kind == REMOVE_DEVICE) {
    if (number_of(fleet, at->which, &device))
      status = fencepost_fleet_remove_devices(fleet, &device, 1, 0, &last_error);
    return status;
  }
  if (at->kind == EXPIRE) {
    /* The last input of the device that must expire was at least six calls ago; all other devices had later inputs. */
    if (number_of(fleet, at->which, &device))
      status = fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT,
                                              (1000 + (at->call - 6) * 10) * (int64_t)1000000 + 1, gone, FLEET_DEVICES,
                                              &count, &last_error);
    if (status) return status;
    /* When inputs are fed again after a crash, a saved advance may count as the device's last input and prevent its
       expiry, so remove the device. */
    if (!count && is_fed_again) return fencepost_fleet_remove_devices(fleet, &device, 1, 0, &last_error);
    if (count != 1 || gone[0] != device) FAIL("%zu devices expired instead of device %d", count, at->which);
    return status;
  }
  char name[32];
  snprintf(name, sizeof name, "condition %d", at->which);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  options.assuming = FENCEPOST_STATE_UNSATISFIED;
  options.policy = &exact;
  fencepost_conditions *table = table_of(fleet);
  if (at->kind == REMOVE) status = remove_named(table, name, &removed, &last_error);
  else status = add_one(table, with(fencepost_circle(name, at->latitude, 0, at->radius), NULL, &options), &last_error);
  fencepost_conditions_destroy(table);
  return status;
}

/* Polls at most `most` events; stores the last sequence number of each device in `last`, unless `last` is NULL. */
static fencepost_status poll(fencepost_fleet *fleet, size_t most, uint64_t last[FLEET_DEVICES]) {
  static fencepost_event events[MOST_EVENTS];
  size_t count = 0;
  fencepost_status status = fencepost_fleet_poll_events(fleet, events, most, &count, &last_error);
  for (size_t i = 0; i < count && !status && last; i++)
    for (int d = 0; d < FLEET_DEVICES; d++) {
      fencepost_device number;
      if (number_of(fleet, d, &number) && number == events[i].device) last[d] = events[i].sequence;
    }
  return status;
}

static uint64_t polled[FLEET_DEVICES];

/* A function that is called after each input of a call with several inputs. */
static void (*after_input)(fencepost_fleet *fleet, long call, size_t index);

fencepost_status play_fleet(fencepost_fleet *fleet, long n) {
  input rows[MOST_ROWS];
  fencepost_status status = FENCEPOST_OK;
  if (n < SETUP) status = set_up(fleet, n);
  if (change_of(n)->kind) {
    if (leaver_of(n) >= 0) polled[leaver_of(n)] = 0;
    return apply(fleet, change_of(n));
  }
  if (is_advance(n))
    return fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, (1000 + n * 10) * 1000000, 0, &last_error);
  /* All events are delivered before the table changes: removing a condition would make its waiting events void, and
     void events have no sequence number. */
  if (is_poll(n)) return poll(fleet, n % 32 == 4 ? MOST_EVENTS : 5, polled);
  if (is_fleet_commit(n)) return fencepost_fleet_acknowledge(fleet, &last_error);
  size_t count = inputs_of(n, rows);
  for (size_t i = 0; i < count && !status; i++) {
    status = feed_input(fleet, &rows[i]);
    if (after_input) after_input(fleet, n, i);
  }
  if (is_checkpoint(n) && !status) status = fencepost_fleet_checkpoint(fleet, &last_error);
  return status;
}

fencepost_status open_fleet(fencepost_fleet **out, int in_memory) {
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.durability = fleet_durability;
  options.delivery = fleet_delivery;
  options.checkpoint_interval_us = 200000000;
  if (!in_memory) options.name = "m", options.store_directory = folder;
  fencepost_conditions *table;
  if (fencepost_conditions_create(&table, NULL)) abort();
  options.conditions = table;
  *out = NULL;
  fencepost_status status = fencepost_fleet_create(&options, out, &last_error);
  fencepost_conditions_destroy(table);
  return status;
}

void run_fleet(fleet_progress *shared, int disk_fails) {
  fencepost_fleet *fleet;
  files_room(16 << 20);
  if (open_fleet(&fleet, 0)) _exit(3);
  shared->is_open = 1;
  memset(polled, 0, sizeof polled);
  for (long k = 0; k < FLEET_CALLS; k++) {
    files_mark(k);
    if (k == 70 || k == 140) {
      fencepost_fleet_destroy(fleet);
      if (open_fleet(&fleet, 0)) _exit(3);
    }
    /* The commit may reach the disk even if this process ends before the call returns. */
    if (is_fleet_commit(k)) memcpy(shared->acknowledged, polled, sizeof polled);
    if (play_fleet(fleet, k) && !disk_fails) _exit(4);
    shared->completed = k + 1;
  }
  fencepost_fleet_destroy(fleet);
}

/* ------------------------------------------------------------------------------------ the state after each call */

typedef struct {
  /* For each device: a hash of all its saved state, and a hash of the part of it that must be durable at once. Both
     hashes are 0 if the device does not exist. */
  uint64_t whole[FLEET_DEVICES], urgent[FLEET_DEVICES];
  /* A hash of the events that a consumer would get after a crash. */
  uint64_t queue;
  uint8_t table[16];
  /* The number of times that each device has been removed. */
  int gone[FLEET_DEVICES];
} moment;

static moment moments[FLEET_CALLS + 1];
/* The state after each input of a call. */
static moment between[FLEET_CALLS][MOST_ROWS];
/* The state of each device at the end, after all events have been polled. */
static uint64_t last_whole[FLEET_DEVICES], last_sequence[FLEET_DEVICES];

static uint64_t sum(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++) sum = (sum ^ byte[i]) * 1099511628211u;
  return sum;
}

static const uint64_t beginning = 14695981039346656037u;

unsigned char *fleet_snapshot(fencepost_fleet *fleet, size_t *size) {
  fencepost_fleet_snapshot(fleet, NULL, 0, size, NULL);
  unsigned char *bytes = malloc(*size);
  if (fencepost_fleet_snapshot(fleet, bytes, *size, size, NULL)) abort();
  return bytes;
}

/* Whether hashes leave out how many events were handed out. With the deliveries FIRST and LATEST, this depends on when
   the events are committed. */
static int leaves_out_sequences;

/* Returns a hash of all answers about a device except its last fix. A reopened fleet does not know the last fix outside
   the device's safe region. */
static uint64_t whole_of(fencepost_fleet *fleet, int device) {
  fencepost_device number;
  fencepost_condition_state inside[8];
  size_t count;
  int64_t deadline;
  if (!number_of(fleet, device, &number)) return 0;
  fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
  if (fencepost_fleet_device_statistics(fleet, number, &statistics, NULL)) abort();
  /* A device without inputs is not in the store. */
  if (!statistics.input_count) return 0;
  if (leaves_out_sequences) statistics.handed_out_events = 0;
  uint64_t result = sum(beginning, &statistics, sizeof statistics);
  if (fencepost_fleet_list_conditions(fleet, number, FENCEPOST_STATE_SATISFIED, 0, inside, 8, &count, NULL)) abort();
  for (size_t i = 0; i < count; i++) {
    result = sum(result, &inside[i].generation, sizeof inside[i].generation);
    result = sum(result, &inside[i].since_us, sizeof inside[i].since_us);
    result = sum(result, &inside[i].evidence_date_us, sizeof inside[i].evidence_date_us);
  }
  if (fencepost_fleet_next_deadline(fleet, number, &deadline, NULL)) abort();
  result = sum(result, &deadline, sizeof deadline);
  for (int n = 0; n < CONDITIONS; n++) {
    char name[32];
    snprintf(name, sizeof name, "condition %d", n);
    fencepost_state state = 9;
    fencepost_status status = fencepost_fleet_state(fleet, number, name, &state, NULL);
    result = sum(result, &status, sizeof status);
    result = sum(result, &state, sizeof state);
  }
  return result;
}

static uint64_t urgent_of(fencepost_fleet *fleet, int device) {
  fencepost_device number;
  fencepost_condition_state inside[8];
  size_t count;
  if (!number_of(fleet, device, &number)) return beginning;
  if (fencepost_fleet_list_conditions(fleet, number, FENCEPOST_STATE_SATISFIED, 0, inside, 8, &count, NULL)) abort();
  uint64_t result = beginning;
  for (size_t i = 0; i < count; i++) {
    result = sum(result, &inside[i].generation, sizeof inside[i].generation);
    /* If a beacon is seen repeatedly, its time need not be saved at each sighting, so the hash leaves the time out. */
    if (inside[i].generation != BEACON_GENERATION) result = sum(result, &inside[i].since_us, sizeof inside[i].since_us);
  }
  fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
  if (fencepost_fleet_device_statistics(fleet, number, &statistics, NULL)) abort();
  if (statistics.handed_out_events || count)
    result = sum(result, &statistics.handed_out_events, sizeof statistics.handed_out_events);
  return result;
}

static uint64_t queue_of(fencepost_fleet *fleet) {
  size_t size, count = 1;
  unsigned char *bytes = fleet_snapshot(fleet, &size);
  fencepost_fleet *copy;
  if (fencepost_fleet_restore(bytes, size, NULL, &copy, &last_error)) {
    FAIL("a snapshot is refused: %s", last_error.message);
    exit(1);
  }
  free(bytes);
  uint64_t result = beginning;
  fencepost_event event;
  while (fencepost_fleet_poll_events(copy, &event, 1, &count, NULL) == FENCEPOST_OK && count) {
    char name[300];
    if (fencepost_fleet_device_identifier(copy, event.device, name, sizeof name, NULL, NULL)) abort();
    result = sum(result, name, strlen(name));
    result = sum(result, &event.sequence, sizeof event.sequence);
    result = sum(result, &event.date_us, sizeof event.date_us);
    result = sum(result, &event.position, sizeof event.position);
    result = sum(result, event.identifier, strlen(event.identifier));
  }
  fencepost_fleet_destroy(copy);
  return result;
}

static void look(fencepost_fleet *fleet, moment *at) {
  for (int d = 0; d < FLEET_DEVICES; d++) {
    at->whole[d] = whole_of(fleet, d);
    at->urgent[d] = urgent_of(fleet, d);
  }
  at->queue = queue_of(fleet);
  fencepost_table_version version = version_of(fleet);
  memcpy(at->table, version.digest, sizeof at->table);
}

static int same_table(const moment *one, const moment *other) {
  return !memcmp(one->table, other->table, sizeof one->table);
}

static void keep_between(fencepost_fleet *fleet, long call, size_t index) { look(fleet, &between[call][index]); }

static void finish(fencepost_fleet *fleet, uint64_t whole[FLEET_DEVICES], uint64_t sequence[FLEET_DEVICES]) {
  if (fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, (2000 + FLEET_CALLS * 10) * (int64_t)1000000, 0,
                              &last_error))
    FAIL("in the end: %s", last_error.message);
  size_t count = 1;
  fencepost_event event;
  while (count)
    if (fencepost_fleet_poll_events(fleet, &event, 1, &count, &last_error)) abort();
  for (int d = 0; d < FLEET_DEVICES; d++) {
    fencepost_device number;
    fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
    leaves_out_sequences = fleet_delivery != FENCEPOST_DELIVERY_EVERY;
    whole[d] = whole_of(fleet, d);
    leaves_out_sequences = 0;
    if (!number_of(fleet, d, &number)) continue;
    if (fencepost_fleet_device_statistics(fleet, number, &statistics, NULL)) abort();
    sequence[d] = statistics.handed_out_events;
  }
}

void imagine_fleet(void) {
  fencepost_fleet *fleet;
  if (open_fleet(&fleet, 1)) abort();
  after_input = keep_between;
  for (long k = 0; k <= FLEET_CALLS; k++) {
    look(fleet, &moments[k]);
    if (k > 0) {
      memcpy(moments[k].gone, moments[k - 1].gone, sizeof moments[k].gone);
      if (leaver_of(k - 1) >= 0) moments[k].gone[leaver_of(k - 1)]++;
      for (long i = 0; i < k && is_table_change(k - 1); i++)
        if (same_table(&moments[i], &moments[k])) FAIL("the table is after call %ld as after call %ld", k, i);
    }
    if (k < FLEET_CALLS && play_fleet(fleet, k)) FAIL("call %ld in memory: %s", k, last_error.message);
    /* A reopened fleet redelivers. */
    if (k == 69 || k == 139) fencepost_fleet_abandon(fleet, NULL);
  }
  after_input = NULL;
  finish(fleet, last_whole, last_sequence);
  for (int d = 0; d < FLEET_DEVICES; d++)
    if (last_sequence[d] < (fleet_delivery == FENCEPOST_DELIVERY_EVERY ? 3 : 1))
      FAIL("device %d has %d events", d, (int)last_sequence[d]);
  fencepost_fleet_destroy(fleet);
}

/* ------------------------------------------------------------------------------------------- after a crash */

/* Feeds each device the inputs that were not saved, and repeats the advances and the changes to the table.

   - tables: the number of calls after which the table had its present contents.
   - gone: the number of times that each device has been removed. */
static void feed_again(fencepost_fleet *fleet, long tables, const int gone[FLEET_DEVICES], const char *what, long n) {
  uint64_t had[FLEET_DEVICES] = {0}, seen[FLEET_DEVICES] = {0};
  for (int d = 0; d < FLEET_DEVICES; d++) {
    fencepost_device number;
    fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
    if (!number_of(fleet, d, &number)) continue;
    if (fencepost_fleet_device_statistics(fleet, number, &statistics, NULL)) abort();
    had[d] = statistics.input_count;
  }
  fencepost_status status = FENCEPOST_OK;
  int lives[FLEET_DEVICES] = {0};
  is_fed_again = 1;
  for (long k = tables; k < SETUP && !status; k++) status = set_up(fleet, k);
  for (long k = SETUP; k < FLEET_CALLS && !status; k++) {
    input rows[MOST_ROWS];
    size_t count = inputs_of(k, rows);
    for (size_t i = 0; i < count && !status; i++) {
      int d = rows[i].device;
      if (lives[d] > gone[d] || (lives[d] == gone[d] && ++seen[d] > had[d])) status = feed_input(fleet, &rows[i]);
    }
    int leaver = leaver_of(k);
    if (leaver >= 0 && lives[leaver]++ >= gone[leaver]) status = apply(fleet, change_of(k));
    if (is_table_change(k) && k >= tables && !status) {
      status = poll(fleet, MOST_EVENTS, NULL);
      if (!status) status = apply(fleet, change_of(k));
    }
    fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
    if (fencepost_fleet_statistics(fleet, &statistics, NULL)) abort();
    if (is_advance(k) && !status && (1000 + k * 10) * 1000000 >= statistics.clock_us)
      status = fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, (1000 + k * 10) * 1000000, 0, &last_error);
  }
  is_fed_again = 0;
  if (status) FAIL("%s at %ld, fed again: %s", what, n, last_error.message);
  uint64_t whole[FLEET_DEVICES] = {0}, sequence[FLEET_DEVICES] = {0};
  finish(fleet, whole, sequence);
  for (int d = 0; d < FLEET_DEVICES; d++)
    if (whole[d] != last_whole[d] || (sequence[d] != last_sequence[d] && fleet_delivery == FENCEPOST_DELIVERY_EVERY))
      FAIL("%s at %ld: device %d, fed again from its input %d on, is another one (%d events, %d without a crash)", what,
           n, d, (int)had[d], (int)sequence[d], (int)last_sequence[d]);
}

/* No event may be missing between the last acknowledged event and the redelivered events. */
static void look_at_events(fencepost_fleet *fleet, const fleet_progress *shared, const char *what, long n) {
  size_t size, count = 1;
  unsigned char *bytes = fleet_snapshot(fleet, &size);
  fencepost_fleet *copy;
  if (fencepost_fleet_restore(bytes, size, NULL, &copy, &last_error)) abort();
  free(bytes);
  uint64_t next[FLEET_DEVICES] = {0};
  fencepost_event event;
  while (fencepost_fleet_poll_events(copy, &event, 1, &count, NULL) == FENCEPOST_OK && count)
    for (int d = 0; d < FLEET_DEVICES; d++) {
      fencepost_device number;
      if (!number_of(copy, d, &number) || number != event.device) continue;
      uint64_t sequence = event.sequence;
      if (next[d] ? sequence != next[d] : sequence > shared->acknowledged[d] + 1)
        FAIL("%s at %ld: device %d lacks an event before %d", what, n, d, (int)sequence);
      next[d] = sequence + 1;
    }
  fencepost_fleet_destroy(copy);
}

/* Returns the number of calls after which the table first had its present contents, or -1 if it never had them. */
static long find_table(const moment *now, long first, long last) {
  for (long k = first; k <= last; k++)
    if (same_table(&moments[k], now)) {
      while (k > 0 && same_table(&moments[k - 1], now)) k--;
      return k;
    }
  return -1;
}

/* For each device, finds the last moment at which its state was the same as now, and how often the device had been
   removed by then. A device that does not exist has either been removed or not been added yet. All devices are added
   before the first operation in `changes`. So if the table or any device has a state from after this operation, a
   missing device must have been removed. */
static void find_gone(moment *now, long first, long last, long tables) {
  long least = tables;
  for (int d = 0; d < FLEET_DEVICES; d++) {
    if (!now->whole[d]) continue;
    long k = first;
    while (k < last && moments[k].whole[d] != now->whole[d]) k++;
    if (k > least) least = k;
  }
  for (int d = 0; d < FLEET_DEVICES; d++)
    for (long k = first; k <= last; k++)
      if (moments[k].whole[d] == now->whole[d] && (now->whole[d] || least > changes[0].call || k <= changes[0].call))
        now->gone[d] = moments[k].gone[d];
}

void look_at_fleet(long least, long completed, const fleet_progress *shared, const char *what, long n) {
  char path[PATH_SIZE];
  path_of(path, "m.fencepost");
  int exists = access(path, F_OK) == 0;
  fencepost_fleet *fleet;
  if (open_fleet(&fleet, 0)) {
    FAIL("%s at %ld, after %ld calls: %s", what, n, completed, last_error.message);
    return;
  }
  if (!exists && completed > 0) FAIL("%s at %ld, after %ld calls: nothing is there", what, n, completed);
  /* A change to the table is saved only with the next call on the fleet. */
  if (least > SETUP && is_table_change(least - 1)) least--;
  long last = completed + 1 < FLEET_CALLS ? completed + 1 : FLEET_CALLS, checkpoint = 0;
  for (long k = 0; k < completed; k++)
    if (is_checkpoint(k)) checkpoint = k + 1;
  moment now = {.queue = 0};
  look(fleet, &now);
  int is_queue = fleet_durability == FENCEPOST_DURABILITY_RELAXED, all = 0;
  for (long k = least; k <= last; k++) {
    is_queue |= moments[k].queue == now.queue;
    all |= memcmp(moments[k].whole, now.whole, sizeof now.whole) == 0;
    for (int i = 0; i < MOST_ROWS && k < FLEET_CALLS; i++) {
      is_queue |= between[k][i].queue == now.queue;
      all |= memcmp(between[k][i].whole, now.whole, sizeof now.whole) == 0;
    }
  }
  long from = least < checkpoint ? least : checkpoint;
  int is_relaxed = fleet_durability == FENCEPOST_DURABILITY_RELAXED;
  long tables = find_table(&now, is_relaxed ? from : least, last);
  if (tables < 0) {
    FAIL("%s at %ld, after %ld calls: the table is as it never was", what, n, completed);
    tables = last;
  }
  find_gone(&now, from, last, tables);
  if (!is_queue) FAIL("%s at %ld, after %ld calls: other events wait", what, n, completed);
  if (fleet_durability == FENCEPOST_DURABILITY_EVERY_INPUT && !all)
    FAIL("%s at %ld, after %ld calls: not all inputs are there", what, n, completed);
  for (int d = 0; d < FLEET_DEVICES; d++) {
    int is_one = 0, is_urgent = fleet_durability == FENCEPOST_DURABILITY_RELAXED;
    for (long k = from; k <= last; k++) is_one |= moments[k].whole[d] == now.whole[d];
    for (long k = least; k <= last; k++) is_urgent |= moments[k].urgent[d] == now.urgent[d];
    if (!is_one) FAIL("%s at %ld, after %ld calls: device %d is as it never was", what, n, completed, d);
    if (!is_urgent) FAIL("%s at %ld, after %ld calls: device %d lacks what must last", what, n, completed, d);
  }
  if (shared && fleet_durability != FENCEPOST_DURABILITY_RELAXED) look_at_events(fleet, shared, what, n);
  feed_again(fleet, tables, now.gone, what, n);
  fencepost_fleet_destroy(fleet);
  if (!holds_only("m.fencepost")) FAIL("%s at %ld: something is left beside the store", what, n);
}
