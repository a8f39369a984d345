/* Models a fleet: each device has a monitor, which gets every call on the table and the inputs of its device. */
#ifndef FENCEPOST_FLEET_MODEL_H
#define FENCEPOST_FLEET_MODEL_H

#include "reached.h"

enum {
  DEVICES = 3,
  NAMES = 6,
  PAST = 320,     /* the largest number of recorded changes: one for each step of the input */
  WAITING = 20000 /* capacity of the list of waiting events; no input of the fuzzer fills it */
};

static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "long identifier \xc3\xa9"};
static const char *const device_names[DEVICES] = {"one", "two", "three"};

/* Describes a change that is made to the table and to every monitor. */
typedef struct change {
  enum {
    ADD_CIRCLE,
    ADD_BEACON,
    ADD_POLYGON,
    ADD_RULE,
    REMOVE,
    ADVANCE
  } kind;
  uint8_t name, beacon;
  int32_t major, minor;
  double latitude, longitude, size;
  int64_t time;
  fencepost_transition_policy policy;
  fencepost_condition_definition options;
  int has_timing;
  fencepost_timing timing;
  fencepost_interval intervals[INTERVALS];
  uint8_t parts, form, needed; /* of a rule: its parts, by the bits of their names */
} change;

typedef struct expected {
  fencepost_event event; /* without its sequence */
  uint8_t device;
  uint64_t row, position, sequence;
  fencepost_device
      number; /* the device's number when the event was recorded; a device that is added again has another number.
                      If `number` is FENCEPOST_NO_DEVICE, the device may have any number, because a restart assigns new
                      numbers */
} expected;

typedef struct fleet_model {
  fencepost_conditions *table;
  fencepost_fleet *fleet;
  fencepost_options options;
  fencepost_monitor *monitors[DEVICES];
  fencepost_device numbers[DEVICES];
  uint64_t sequences[DEVICES], position;
  change past[PAST];
  size_t past_count;
  int64_t floor; /* time of the last advance of the whole fleet */
  expected *waiting, *flying;
  size_t waiting_count, flying_count, handed_out;
  uint64_t wakes;
  int is_timed;   /* whether the table has had a condition with a timing, and so never a beacon condition: see
                   fleet_enter() */
  uint32_t parts; /* the names that were parts of rules, by their bits */
} fleet_model;

static void fleet_wake(void *context) { ++((fleet_model *)context)->wakes; }

static void square(const change *what, double *latitudes, double *longitudes, fencepost_geometry *geometry) {
  static const double corners[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}};
  for (int i = 0; i < 4; i++) {
    latitudes[i] = what->latitude + corners[i][0] * what->size / 1e5;
    longitudes[i] = what->longitude + corners[i][1] * what->size / 1e5;
  }
  geometry->latitudes = latitudes, geometry->longitudes = longitudes, geometry->vertex_count = 4;
}

/* The options of a change, with pointers into the change. */
static fencepost_condition_definition options_of(const change *what, fencepost_timing *timing) {
  fencepost_condition_definition options = what->options;
  options.policy = &what->policy;
  if (what->has_timing) {
    *timing = what->timing;
    if (timing->active != NULL) timing->active = what->intervals;
    options.timing = timing;
  }
  return options;
}

/* A rule, whose parts are stored in the array. */
static fencepost_condition_definition rule_of(const change *what, const fencepost_condition_definition *options,
                                              const char *parts[NAMES]) {
  size_t count = 0;
  for (int i = 0; i < NAMES; i++)
    if (what->parts >> i & 1) parts[count++] = names[i];
  fencepost_condition_definition rule =
      with(fencepost_rule(names[what->name], what->form, parts, count), NULL, options);
  rule.at_least = what->needed;
  return rule;
}

/* The table and the monitor must both accept a change, or both refuse it with the same message. */
static fencepost_status change_table(fleet_model *known, const change *what, fencepost_error *error) {
  static const uint8_t uuids[2][16] = {{1}, {2}};
  double latitudes[4], longitudes[4];
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  const char *parts[NAMES];
  fencepost_timing timing;
  fencepost_condition_definition options = options_of(what, &timing);
  switch (what->kind) {
    case ADD_CIRCLE:
      return add_one(
          known->table,
          with(fencepost_circle(names[what->name], what->latitude, what->longitude, what->size), NULL, &options),
          error);
    case ADD_BEACON:
      return add_one(
          known->table,
          with(fencepost_beacon(names[what->name], uuids[what->beacon], what->major, what->minor), NULL, &options),
          error);
    case ADD_POLYGON:
      square(what, latitudes, longitudes, &geometry);
      return add_one(known->table, with(fencepost_polygon(names[what->name], &geometry), NULL, &options), error);
    case ADD_RULE: return add_one(known->table, rule_of(what, &options, parts), error);
    case REMOVE: return remove_named(known->table, names[what->name], NULL, error);
    /* A monitor's advance is not limited by max_time_step, so the fleet's advance must not be limited either. */
    default: return fencepost_fleet_advance(known->fleet, FENCEPOST_ALL_DEVICES, what->time, 1, error);
  }
}

static fencepost_status change_monitor(fencepost_monitor *monitor, const change *what, fencepost_error *error) {
  static const uint8_t uuids[2][16] = {{1}, {2}};
  double latitudes[4], longitudes[4];
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  const char *parts[NAMES];
  fencepost_timing timing;
  fencepost_condition_definition options = options_of(what, &timing);
  switch (what->kind) {
    case ADD_CIRCLE:
      return fencepost_monitor_add_circular_condition(monitor, names[what->name], what->latitude, what->longitude,
                                                      what->size, &options, error);
    case ADD_BEACON:
      return fencepost_monitor_add_beacon_condition(monitor, names[what->name], uuids[what->beacon], what->major,
                                                    what->minor, &options, error);
    case ADD_POLYGON:
      square(what, latitudes, longitudes, &geometry);
      return ON_OWN(monitor, add_one, with(fencepost_polygon(names[what->name], &geometry), NULL, &options), error);
    case ADD_RULE: return ON_OWN(monitor, add_one, rule_of(what, &options, parts), error);
    case REMOVE: return ON_OWN(monitor, remove_named, names[what->name], NULL, error);
    default: return fencepost_monitor_advance(monitor, what->time, error);
  }
}

/* Collects the waiting events of a device's monitor. */
static void fleet_gather(fleet_model *known, int device, uint64_t row) {
  for (;;) {
    fencepost_event event;
    uint32_t available = 0;
    REQUIRE(fencepost_monitor_poll_event(known->monitors[device], &event, &available, NULL) == FENCEPOST_OK);
    if (!available) return;
    event.sequence = event.position = 0;
    reach_event(&event);
    REQUIRE(known->waiting_count < WAITING);
    known->waiting[known->waiting_count++] = (expected){event, (uint8_t)device, row, 0, 0, known->numbers[device]};
  }
}

/* Creates the device's monitor and repeats all recorded changes on it. For conditions with a timing, a device
   begins when it is added; so the monitor gets the present time after all changes, and no earlier time. For beacons,
   the absence counts from the time at which the condition was added; so a table never has both. */
static void fleet_enter(fleet_model *known, int device) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.initial_fix_max_age_us = -1;
  options.beacon_exit_timeout_us = known->options.beacon_exit_timeout_us;
  options.beacon_initial_timeout_us = known->options.beacon_initial_timeout_us;
  options.max_time_step_us = known->options.max_time_step_us;
  options.plausible_speed_mps = known->options.plausible_speed_mps;
  options.corroboration_count = known->options.corroboration_count;
  options.corroboration_time_us = known->options.corroboration_time_us;
  options.order = known->options.order;
  options.path = known->options.path;
  options.max_gap_us = known->options.max_gap_us;
  options.accuracy_confidence = known->options.accuracy_confidence;
  options.max_pending_events = 1000000;
  REQUIRE(fencepost_monitor_create(NULL, &options, &known->monitors[device], NULL) == FENCEPOST_OK);
  for (size_t i = 0; i < known->past_count; i++) {
    const change *past = &known->past[i];
    if (known->is_timed && past->kind == ADVANCE) continue;
    REQUIRE(change_monitor(known->monitors[device], past, NULL) == FENCEPOST_OK);
    /* A fleet does not know the beacon conditions that were removed before a device was added, so they have not changed
       a rule of the device. */
    int is_gone = 0;
    for (size_t j = i + 1; j < known->past_count; j++)
      is_gone |= known->past[j].kind != ADVANCE && known->past[j].name == past->name;
    change removal = {.kind = REMOVE, .name = past->name};
    if (past->kind == ADD_BEACON && is_gone)
      REQUIRE(change_monitor(known->monitors[device], &removal, NULL) == FENCEPOST_OK);
  }
  if (known->is_timed && known->floor != FENCEPOST_TIME_UNSET)
    REQUIRE(fencepost_monitor_advance(known->monitors[device], known->floor, NULL) == FENCEPOST_OK);
  known->sequences[device] = 0;
  REQUIRE(fencepost_fleet_enter_devices(known->fleet, &device_names[device], 1, 1, &known->numbers[device], NULL) ==
          FENCEPOST_OK);
  /* If changes of a new device are overdue, their events come with the device's first input or with the next advance;
     here the advance follows at once. */
  if (known->floor != FENCEPOST_TIME_UNSET)
    REQUIRE(fencepost_fleet_advance(known->fleet, FENCEPOST_ALL_DEVICES, known->floor, 0, NULL) == FENCEPOST_OK);
  fleet_gather(known, device, 0);
}

static void fleet_begin(fleet_model *known, const fencepost_options *options) {
  memset(known, 0, sizeof *known);
  known->options = *options;
  known->floor = FENCEPOST_TIME_UNSET;
  known->waiting = malloc(WAITING * sizeof(expected));
  known->flying = malloc(WAITING * sizeof(expected));
  REQUIRE(known->waiting != NULL && known->flying != NULL);
  REQUIRE(fencepost_conditions_create(&known->table, NULL) == FENCEPOST_OK);
  known->options.conditions = known->table;
  REQUIRE(fencepost_fleet_create(&known->options, &known->fleet, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_fleet_set_wakeup(known->fleet, fleet_wake, known, NULL) == FENCEPOST_OK);
  for (int device = 0; device < DEVICES; device++) fleet_enter(known, device);
}

static void fleet_end(fleet_model *known) {
  for (int device = 0; device < DEVICES; device++) fencepost_monitor_destroy(known->monitors[device]);
  fencepost_fleet_destroy(known->fleet);
  fencepost_conditions_destroy(known->table);
  free(known->waiting);
  free(known->flying);
}

/* Drops the void events of an identifier, or of a device. */
static void fleet_void(fleet_model *known, const char *identifier, int device) {
  size_t kept = 0, out = 0;
#define IS_VOID(list, i) \
  (identifier != NULL ? strcmp(known->list[i].event.identifier, identifier) == 0 : known->list[i].device == device)
  for (size_t i = 0; i < known->waiting_count; i++)
    if (!IS_VOID(waiting, i)) known->waiting[kept++] = known->waiting[i];
  known->waiting_count = kept;
  kept = 0;
  for (size_t i = 0; i < known->flying_count; i++) {
    if (IS_VOID(flying, i)) continue;
    if (i < known->handed_out) out++;
    known->flying[kept++] = known->flying[i];
  }
  known->flying_count = kept;
  known->handed_out = out;
#undef IS_VOID
}

static int by_device(const void *one, const void *other) {
  const expected *a = one, *b = other;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  return a->position < b->position ? -1 : 1;
}

static int by_deadline(const void *left, const void *right) {
  const expected *one = left, *other = right;
  if (one->event.date_us != other->event.date_us) return one->event.date_us < other->event.date_us ? -1 : 1;
  if (one->number != other->number) return one->number < other->number ? -1 : 1;
  return one->position < other->position ? -1 : one->position > other->position;
}

/* Changes the table, or advances all devices. */
static void fleet_change(fleet_model *known, const change *what) {
  /* A table has rules or timings here. LawTests compares tables with both, because a fleet and a monitor begin and
     replace the parts of rules with a timing in different ways. */
  if (what->kind == ADD_RULE ? known->is_timed : what->has_timing && known->parts) return;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = change_table(known, what, &error);
  require_detail(status, &error);
  if (what->kind == ADVANCE) {
    int is_late = known->floor != FENCEPOST_TIME_UNSET && what->time < known->floor;
    if (status != FENCEPOST_OK) {
      REQUIRE(is_late || what->time < FENCEPOST_TIME_MIN || what->time > FENCEPOST_TIME_MAX);
      return;
    }
    REQUIRE(!is_late);
    known->floor = what->time;
  }
  /* Fleets do not have every timing and every rule that a monitor has. */
  if (status != FENCEPOST_OK && (what->has_timing || what->kind == ADD_RULE)) {
    REQUIRE(status == FENCEPOST_E_INVALID_ARGUMENT);
    return;
  }
  if (what->kind == ADD_RULE) known->parts |= what->parts;
  if (what->has_timing) known->is_timed = 1;
  if (status == FENCEPOST_OK && what->kind != ADVANCE) fleet_void(known, names[what->name], 0);
  if (status == FENCEPOST_OK) {
    REQUIRE(known->past_count < PAST);
    known->past[known->past_count++] = *what;
  }
  size_t start = known->waiting_count;
  for (int device = 0; device < DEVICES; device++) {
    fencepost_error own = FENCEPOST_ERROR_INIT;
    fencepost_status other = change_monitor(known->monitors[device], what, &own);
    /* An advance does not change a device whose clock is ahead. */
    if (what->kind == ADVANCE) REQUIRE(other == FENCEPOST_OK || other == FENCEPOST_E_LATE_INPUT);
    else REQUIRE(other == status && strcmp(own.message, error.message) == 0);
    fleet_gather(known, device, 0);
  }
  /* The events that report a new condition to suspended devices are ordered by device. */
  for (size_t i = start; i < known->waiting_count; i++) known->waiting[i].position = i;
  qsort(known->waiting + start, known->waiting_count - start, sizeof(expected),
        what->kind == ADVANCE ? by_deadline : by_device);
}

/* A fleet that is restored over the current table remembers at most one advance, the one to the fleet's time. So the
   model forgets all other advances. */
static void fleet_forget_advances(fleet_model *known) {
  size_t kept = 0;
  for (size_t i = 0; i < known->past_count; i++)
    if (known->past[i].kind != ADVANCE) known->past[kept++] = known->past[i];
  if (known->floor != FENCEPOST_TIME_UNSET) known->past[kept++] = (change){.kind = ADVANCE, .time = known->floor};
  known->past_count = kept;
}

/* A device and its monitor must both accept an input, or both refuse it with the same message. */
static void fleet_input(fleet_model *known, int device, fencepost_status one, const fencepost_error *of_fleet,
                        fencepost_status other, const fencepost_error *of_monitor) {
  require_detail(one, of_fleet);
  REQUIRE(one == other);
  REQUIRE(strcmp(of_fleet->message, of_monitor->message) == 0);
  fleet_gather(known, device, 0);
}

static void fleet_commit(fleet_model *known) {
  memmove(known->flying, known->flying + known->handed_out,
          (known->flying_count - known->handed_out) * sizeof(expected));
  known->flying_count -= known->handed_out;
  known->handed_out = 0;
}

static void fleet_acknowledge(fleet_model *known) {
  fleet_commit(known);
  REQUIRE(fencepost_fleet_acknowledge(known->fleet, NULL) == FENCEPOST_OK);
}

static void fleet_poll(fleet_model *known, size_t limit) {
  static fencepost_event events[8];
  size_t count;
  REQUIRE(limit <= 8);
  if (limit == 0) { /* the events are counted, and nothing changes */
    REQUIRE(fencepost_fleet_poll_events(known->fleet, NULL, 0, &count, NULL) == FENCEPOST_OK);
    REQUIRE(count == known->waiting_count + known->flying_count - known->handed_out);
    return;
  }
  fleet_commit(known);
  REQUIRE(fencepost_fleet_poll_events(known->fleet, events, limit, &count, NULL) == FENCEPOST_OK);
  for (size_t i = 0; i < count; i++) {
    if (known->handed_out == known->flying_count) {
      REQUIRE(known->waiting_count > 0);
      expected next = known->waiting[0];
      memmove(known->waiting, known->waiting + 1, --known->waiting_count * sizeof(expected));
      next.position = ++known->position;
      next.sequence = ++known->sequences[next.device];
      known->flying[known->flying_count++] = next;
    }
    const expected *due = &known->flying[known->handed_out++];
    REQUIRE((due->number == FENCEPOST_NO_DEVICE || events[i].device == due->number));
    REQUIRE(events[i].row == due->row && events[i].position == due->position);
    REQUIRE(events[i].sequence == due->sequence);
    char json[8192];
    size_t size;
    char name[FENCEPOST_IDENTIFIER_MAX + 1];
    REQUIRE(fencepost_fleet_device_identifier(known->fleet, events[i].device, name, sizeof name, NULL, NULL) ==
            FENCEPOST_OK);
    REQUIRE(fencepost_event_json(&events[i], name, json, sizeof json, &size, NULL) == FENCEPOST_OK);
    REQUIRE(size == strlen(json) && json[0] == '{' && json[size - 1] == '}');
    events[i].sequence = events[i].position = events[i].device = events[i].row = 0;
    REQUIRE(memcmp(&events[i], &due->event, sizeof due->event) == 0);
  }
  REQUIRE(count == limit || (known->handed_out == known->flying_count && known->waiting_count == 0));
}

/* The fleet's answers about its devices must equal those of the monitors. */
static void fleet_check(fleet_model *known) {
  fencepost_fleet_counters all = FENCEPOST_FLEET_COUNTERS_INIT;
  REQUIRE(fencepost_fleet_statistics(known->fleet, &all, NULL) == FENCEPOST_OK);
  REQUIRE(all.device_count == DEVICES && all.clock_us == known->floor && all.handed_out_events == known->position);
  REQUIRE(all.pending_events == known->waiting_count);
  for (int device = 0; device < DEVICES; device++) {
    fencepost_statistics one = FENCEPOST_STATISTICS_INIT;
    fencepost_device_statistics other = FENCEPOST_DEVICE_STATISTICS_INIT;
    REQUIRE(fencepost_monitor_statistics(known->monitors[device], &one, NULL) == FENCEPOST_OK);
    REQUIRE(fencepost_fleet_device_statistics(known->fleet, known->numbers[device], &other, NULL) == FENCEPOST_OK);
    REQUIRE(one.clock_us == other.clock_us && one.accepted_fixes == other.accepted_fixes);
    REQUIRE(one.invalid_fixes == other.invalid_fixes && one.ahead_inputs == other.ahead_inputs);
    REQUIRE(one.accepted_sightings == other.accepted_sightings && one.doubted_fixes == other.doubted_fixes);
    fencepost_condition_state presences[NAMES];
    size_t count, satisfied = 0;
    REQUIRE(fencepost_fleet_list_conditions(known->fleet, known->numbers[device], FENCEPOST_STATE_SATISFIED, 0,
                                            presences, NAMES, &count, NULL) == FENCEPOST_OK);
    for (int name = 0; name < NAMES; name++) {
      fencepost_state expected_state = 9, state = 9;
      fencepost_error error = FENCEPOST_ERROR_INIT;
      fencepost_status status =
          fencepost_fleet_state(known->fleet, known->numbers[device], names[name], &state, &error);
      require_detail(status, &error);
      REQUIRE(fencepost_monitor_state(known->monitors[device], names[name], &expected_state, NULL) == status);
      REQUIRE(state == expected_state);
      satisfied += state == FENCEPOST_STATE_SATISFIED;
      fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
      REQUIRE(fencepost_fleet_explain(known->fleet, known->numbers[device], names[name], &explanation, NULL) == status);
    }
    REQUIRE(count == satisfied);
  }
}

#endif
