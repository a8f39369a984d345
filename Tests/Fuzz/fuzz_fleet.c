/*
 * Turns bytes into a sequence of calls on a table, on a fleet of three devices, and on a monitor for each device
 * (fleet_model.h). The fleet must deliver the same events as the monitors, byte for byte, in the order that the header
 * states. The fleet must also give the same answers to queries. Sometimes the devices move to another fleet over a
 * restored table. Before each move, the other fleet is fed damaged versions of the devices' bytes; it may refuse or
 * accept them, but must not crash. Sometimes the fleet is restored from its snapshot.
 */
#include "fleet_model.h"
#include "seal.h"

static double take_offset(reader *in) { /* most offsets are within a few kilometres; some are special values */
  static const double special[] = {0, 90, -90, 180, -180, 179.9999, 91, NAN, INFINITY, 1e-300, 45};
  uint8_t choice = take8(in);
  if (choice >= 0xf4) return special[take8(in) % (sizeof special / sizeof *special)];
  return (double)(int8_t)choice * 2e-4;
}

static int64_t take_time(reader *in, int64_t clock) {
  static const int64_t steps[] = {1000000,  0,        1,        999999,   5000000, 19999999,
                                  20000000, 20000001, 30000000, 60000001, -1,      INT64_C(86400000000)};
  static const int64_t special[] = {INT64_MIN, INT64_MAX, FENCEPOST_TIME_MIN, FENCEPOST_TIME_MAX, 0};
  uint8_t choice = take8(in);
  if (clock == FENCEPOST_TIME_UNSET) clock = INT64_C(1700000000000000);
  if (choice >= 0xfc) return special[take8(in) % 5];
  int64_t step = steps[choice % (sizeof steps / sizeof *steps)];
  return step > 0 && clock > FENCEPOST_TIME_MAX - step ? clock : clock + step;
}

static int64_t clock_of(const fleet_model *known, int device) {
  fencepost_device_statistics own = FENCEPOST_DEVICE_STATISTICS_INIT;
  REQUIRE(fencepost_fleet_device_statistics(known->fleet, known->numbers[device], &own, NULL) == FENCEPOST_OK);
  return own.clock_us;
}

/* Whether a beacon condition was ever added. */
static int has_beacons(const fleet_model *known) {
  for (size_t i = 0; i < known->past_count; i++)
    if (known->past[i].kind == ADD_BEACON) return 1;
  return 0;
}

static fencepost_fix take_fix(reader *in, int64_t clock) {
  static const double accuracies[] = {5, 0, 1, 30, 65, 150, 1000, -1, NAN, 1e300};
  fencepost_fix fix;
  fix.latitude = take_offset(in);
  fix.longitude = take_offset(in);
  fix.accuracy_m = accuracies[take8(in) % (sizeof accuracies / sizeof *accuracies)];
  fix.time_us = take_time(in, clock);
  return fix;
}

static void change_something(reader *in, fleet_model *known, int is_removal) {
  static const double sizes[] = {100, 1000, 10, 20, 400, 5e6, 2e7, 1e-9, 1e300, 0, -1, NAN};
  uint8_t shape = take8(in), name = take8(in), more = 0;
  change what = {.kind = REMOVE, .name = (uint8_t)(name % NAMES)};
  if (!is_removal) {
    if (name >= 0xb0) more = take8(in);
    what.policy = policy_at(more & 4 ? shape % POLICIES : shape % 3);
    if (shape & 8) what.policy.entry_dwell_us = 5000000;
    if (shape & 16) what.policy.dwell_policy = FENCEPOST_DWELL_EVIDENCE;
    what.options = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
    what.options.tag = shape;
    what.options.assuming = FENCEPOST_STATE_UNSATISFIED;
    if (shape & 32) what.options.assuming = take8(in) % 4;
    if (more & 1 && !has_beacons(known)) {
      what.has_timing = 1;
      what.timing =
          take_timing(in, known->floor == FENCEPOST_TIME_UNSET ? clock_of(known, 0) : known->floor, what.intervals);
      what.timing.active_until_us = INT64_MAX; /* a fleet does not report that a list ended */
    }
    if (more & 2) take_band(in, &what.options);
    if (more & 8) what.policy.notify = take8(in) & 7;
    if (more >> 4 >= 10) {
      uint8_t number = take8(in);
      what.kind = ADD_RULE;
      what.parts = take8(in);
      what.form = number % 5;
      what.needed = what.form == FENCEPOST_RULE_AT_LEAST ? number >> 4 : 0;
    } else if (shape >> 6 == 3 && !known->is_timed && !what.has_timing) {
      what.kind = ADD_BEACON;
      what.beacon = shape & 1;
      what.major = (int32_t)(take8(in) % 4) - 1, what.minor = (int32_t)(take8(in) % 4) - 1;
    } else {
      what.kind = shape >> 6 == 2 ? ADD_POLYGON : ADD_CIRCLE;
      what.latitude = take_offset(in), what.longitude = take_offset(in);
      what.size = sizes[take8(in) % (sizeof sizes / sizeof *sizes)];
    }
  }
  fleet_change(known, &what);
  /* This call reports the condition to the devices for which it is suspended. */
  int64_t deadline;
  REQUIRE(fencepost_fleet_next_deadline(known->fleet, FENCEPOST_ALL_DEVICES, &deadline, NULL) == FENCEPOST_OK);
}

static void feed(reader *in, fleet_model *known, int is_measured) {
  int device = take8(in) % DEVICES;
  fencepost_fix fix = take_fix(in, clock_of(known, device));
  fencepost_error one = FENCEPOST_ERROR_INIT, other = FENCEPOST_ERROR_INIT;
  if (is_measured) {
    measured more = take_measured(in);
    fencepost_fix_columns columns = columns_of(&fix, &more);
    fencepost_fleet_columns rows = FENCEPOST_FLEET_COLUMNS_INIT;
    columns.refuse_invalid = 2;
    rows.devices = &known->numbers[device], rows.fixes = &columns;
    fencepost_status status = fencepost_fleet_feed_columns(known->fleet, &rows, 1, NULL, &one);
    fleet_input(known, device, status, &one, feed_one(known->monitors[device], &fix, &more, &other), &other);
    return;
  }
  fencepost_status status = fencepost_fleet_feed_fix(known->fleet, known->numbers[device], &fix, &one);
  fleet_input(known, device, status, &one, fencepost_monitor_feed_fix(known->monitors[device], &fix, &other), &other);
}

/* Feeds rows of all devices, by number or by a dictionary of any width. */
static void feed_columns(reader *in, fleet_model *known, int is_measured) {
  enum {
    ROWS = 12
  };
  static const uint32_t widths[] = {1, 2, 4, 8};
  fencepost_fix fixes[ROWS];
  measured more[ROWS];
  uint8_t owners[ROWS];
  uint64_t bytes[ROWS]; /* the device column; its elements may have any width */
  int64_t clocks[DEVICES];
  uint8_t shape = take8(in);
  uint32_t width = shape & 4 ? widths[shape & 3] : 8;
  size_t count = take8(in) % (ROWS + 1);
  for (int device = 0; device < DEVICES; device++) clocks[device] = clock_of(known, device);
  for (size_t i = 0; i < count; i++) {
    owners[i] = take8(in) % DEVICES;
    fixes[i] = take_fix(in, clocks[owners[i]]);
    if (is_measured) more[i] = take_measured(in);
    if (fixes[i].time_us > clocks[owners[i]] && fixes[i].time_us <= FENCEPOST_TIME_MAX)
      clocks[owners[i]] = fixes[i].time_us;
    uint64_t value = shape & 4 ? owners[i] : known->numbers[owners[i]];
    memcpy((uint8_t *)bytes + i * width, &value, width); /* numbers are little-endian, as on all machines that run this
                                                            program */
  }
  uint8_t *column = exact_copy((const uint8_t *)bytes, count * width);
  fencepost_fix_columns columns = columns_of(fixes, is_measured ? more : NULL);
  fencepost_fleet_columns rows = FENCEPOST_FLEET_COLUMNS_INIT;
  rows.devices = column, rows.device_width = width, rows.device_stride = width, rows.fixes = &columns;
  if (shape & 4) rows.dictionary = known->numbers, rows.dictionary_count = DEVICES;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_feed_result result = {0, 0, 0, 0};
  fencepost_status status = fencepost_fleet_feed_columns(known->fleet, &rows, count, &result, &error);
  free(column);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK);
  REQUIRE(result.accepted + result.invalid + result.late + result.doubted == count);
  for (size_t i = 0; i < count; i++) {
    fencepost_status own = is_measured ? feed_one(known->monitors[owners[i]], &fixes[i], &more[i], NULL)
                                       : fencepost_monitor_feed_fix(known->monitors[owners[i]], &fixes[i], NULL);
    REQUIRE(own == FENCEPOST_OK || own == FENCEPOST_E_INVALID_ARGUMENT || own == FENCEPOST_E_LATE_INPUT ||
            own == FENCEPOST_E_AHEAD_OF_CLOCK);
    fleet_gather(known, owners[i], i);
  }
}

static void see(reader *in, fleet_model *known) {
  fencepost_beacon_sighting sightings[4];
  size_t count = take8(in) % 5;
  int device = take8(in) % DEVICES;
  memset(sightings, 0, sizeof sightings);
  for (size_t i = 0; i < count; i++) {
    uint8_t beacon = take8(in);
    sightings[i].uuid[0] = 1 + (beacon & 1);
    sightings[i].major = beacon >> 1 & 3;
    sightings[i].minor = beacon >> 3 & 3;
    sightings[i].rssi_dbm = beacon & 0x80 ? INT32_MIN : -(beacon >> 4);
  }
  int64_t time = take_time(in, clock_of(known, device));
  fencepost_error one = FENCEPOST_ERROR_INIT, other = FENCEPOST_ERROR_INIT;
  fencepost_status status =
      fencepost_fleet_feed_sightings(known->fleet, known->numbers[device], sightings, count, time, &one);
  fleet_input(known, device, status, &one,
              fencepost_monitor_feed_sightings(known->monitors[device], sightings, count, time, &other), &other);
}

static void pass_time(reader *in, fleet_model *known) {
  uint8_t choice = take8(in);
  int device = choice % DEVICES;
  fencepost_error one = FENCEPOST_ERROR_INIT, other = FENCEPOST_ERROR_INIT;
  if (choice >= 0xc0) {
    change what = {
        .kind = ADVANCE,
        .time = take_time(in, known->floor == FENCEPOST_TIME_UNSET ? clock_of(known, device) : known->floor)};
    fleet_change(known, &what);
    return;
  }
  int64_t time = take_time(in, clock_of(known, device));
  fencepost_status status;
  if (choice >= 0xa0) {
    static const uint32_t stated[] = {0, 0, 1, 16, 17, 32, 0, 0};
    uint32_t flags = stated[take8(in) & 7], kinds = take8(in) & 0x3e;
    if (choice & 0x10) kinds = 0;
    status = fencepost_fleet_set_host_capabilities(known->fleet, known->numbers[device], flags, kinds, time, &one);
    /* A fleet over rules or conditions with a timing refuses limits of the hosts. */
    if ((known->is_timed || known->parts != 0) && status == FENCEPOST_E_INVALID_ARGUMENT) return;
    fleet_input(known, device, status, &one,
                fencepost_monitor_set_host_capabilities(known->monitors[device], flags, kinds, time, &other), &other);
  } else if (choice >= 0x80) {
    status = fencepost_fleet_set_beacon_scanning(known->fleet, known->numbers[device], choice & 1, time, &one);
    fleet_input(known, device, status, &one,
                fencepost_monitor_set_beacon_scanning(known->monitors[device], choice & 1, time, &other), &other);
  } else {
    status = fencepost_fleet_advance(known->fleet, known->numbers[device], time, 0, &one);
    fleet_input(known, device, status, &one, fencepost_monitor_advance(known->monitors[device], time, &other), &other);
  }
}

/* Removes a device together with its events, and adds the device again at once. */
static void renew(reader *in, fleet_model *known) {
  int device = take8(in) % DEVICES;
  REQUIRE(fencepost_fleet_remove_devices(known->fleet, &known->numbers[device], 1, 1, NULL) == FENCEPOST_OK);
  fleet_void(known, NULL, device);
  fencepost_monitor_destroy(known->monitors[device]);
  fleet_enter(known, device);
}

/* Makes a fleet write from now on what hosts stated, and the beacons that events named. Otherwise a fleet that is
   restored before its first device has stated anything would not know these beacons. */
static void write_hosts(fencepost_fleet *fleet) {
  const char *name = "host";
  fencepost_device number;
  REQUIRE(fencepost_fleet_enter_devices(fleet, &name, 1, 1, &number, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_fleet_set_host_capabilities(fleet, number, 0, 0, INT64_C(1700000000000000), NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_fleet_remove_devices(fleet, &number, 1, 1, NULL) == FENCEPOST_OK);
}

/* A fleet that accepted damaged bytes must continue to work, and it must be possible to open its stored state again. */
static void use_damaged(fencepost_fleet *fleet) {
  fencepost_device numbers[DEVICES];
  size_t size, count = 0;
  fencepost_fix fix = {0, 0, 5, INT64_C(1700000100000000)};
  REQUIRE(fencepost_fleet_enter_devices(fleet, device_names, DEVICES, 0, numbers, NULL) == FENCEPOST_OK);
  for (int device = 0; device < DEVICES; device++) {
    if (numbers[device] == FENCEPOST_NO_DEVICE) continue;
    fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
    double latitude, longitude;
    REQUIRE(fencepost_fleet_device_positions(fleet, &numbers[device], 1, &latitude, &longitude, NULL) == FENCEPOST_OK);
    REQUIRE(latitude != latitude || (latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180));
    REQUIRE(fencepost_fleet_device_statistics(fleet, numbers[device], &statistics, NULL) == FENCEPOST_OK);
    uint64_t doubted = statistics.doubted_fixes;
    if (fencepost_fleet_feed_fix(fleet, numbers[device], &fix, NULL) == FENCEPOST_OK) {
      REQUIRE(fencepost_fleet_device_positions(fleet, &numbers[device], 1, &latitude, &longitude, NULL) ==
              FENCEPOST_OK);
      REQUIRE(fencepost_fleet_device_statistics(fleet, numbers[device], &statistics, NULL) == FENCEPOST_OK);
      REQUIRE((latitude == 0 && longitude == 0) || statistics.doubted_fixes == doubted + 1);
    }
  }
  fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, INT64_C(1700000900000000), 0, NULL);
  REQUIRE(fencepost_fleet_snapshot(fleet, NULL, 0, &size, NULL) == FENCEPOST_OK);
  uint8_t *bytes = malloc(size);
  REQUIRE(bytes != NULL);
  REQUIRE(fencepost_fleet_snapshot(fleet, bytes, size, &size, NULL) == FENCEPOST_OK);
  fencepost_fleet *again = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_fleet_restore(bytes, size, NULL, &again, &error);
  if (status != FENCEPOST_OK) fprintf(stderr, "%s\n", error.message);
  REQUIRE(status == FENCEPOST_OK);
  fencepost_event events[8];
  REQUIRE(fencepost_fleet_poll_events(again, events, 8, &count, NULL) == FENCEPOST_OK);
  for (size_t i = 0; i < count; i++)
    REQUIRE(events[i].date_us >= FENCEPOST_TIME_MIN && events[i].date_us <= FENCEPOST_TIME_MAX);
  fencepost_fleet_destroy(again);
  free(bytes);
}

/* Moves the devices to another fleet over a restored table, after all events have been delivered. Before the move, the
   other fleet is fed damaged versions of the devices' bytes. */
static void move(reader *in, fleet_model *known) {
  while (known->waiting_count > 0 || known->handed_out < known->flying_count) fleet_poll(known, 8);
  fleet_acknowledge(known);
  uint8_t portable = take8(in);
  uint16_t place = take16(in);
  uint64_t offsets[DEVICES + 1], again_offsets[DEVICES + 1];
  size_t size, again, table_size;
  REQUIRE(fencepost_conditions_snapshot(known->table, NULL, 0, &table_size, NULL) == FENCEPOST_OK);
  uint8_t *table_bytes = malloc(table_size);
  REQUIRE(table_bytes != NULL);
  REQUIRE(fencepost_conditions_snapshot(known->table, table_bytes, table_size, &table_size, NULL) == FENCEPOST_OK);
  fencepost_conditions *table = NULL;
  REQUIRE(fencepost_conditions_restore(table_bytes, table_size, &table, NULL) == FENCEPOST_OK);
  free(table_bytes);
  REQUIRE(fencepost_fleet_export_devices(known->fleet, known->numbers, DEVICES, portable & 1, NULL, 0, offsets, &size,
                                         NULL) == FENCEPOST_OK);
  uint8_t *bytes = malloc(size ? size : 1), *copy = malloc(size ? size : 1);
  REQUIRE(bytes != NULL && copy != NULL);
  REQUIRE(fencepost_fleet_export_devices(known->fleet, known->numbers, DEVICES, portable & 1, bytes, size, offsets,
                                         &size, NULL) == FENCEPOST_OK);
  fencepost_fleet *fleet = NULL;
  fencepost_options options = known->options;
  options.conditions = table;
  REQUIRE(fencepost_fleet_create(&options, &fleet, NULL) == FENCEPOST_OK);
  write_hosts(fleet);
  if (known->floor != FENCEPOST_TIME_UNSET)
    REQUIRE(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, known->floor, 0, NULL) == FENCEPOST_OK);

  if (size > 0) {
    fencepost_fleet *victim = NULL;
    REQUIRE(fencepost_fleet_create(&options, &victim, NULL) == FENCEPOST_OK);
    memcpy(copy, bytes, size);
    copy[place % size] ^= (uint8_t)(1u << (portable >> 1 & 7));
    if (portable >> 5 & 1)
      for (int device = 0; device < DEVICES; device++)
        seal(copy + offsets[device], (size_t)(offsets[device + 1] - offsets[device]), 4);
    fencepost_error error = FENCEPOST_ERROR_INIT;
    fencepost_device numbers[DEVICES];
    fencepost_status status = fencepost_fleet_import_devices(victim, device_names, copy, offsets, DEVICES,
                                                             portable >> 4 & 1, numbers, &error);
    require_detail(status, &error);
    if (status == FENCEPOST_OK) use_damaged(victim);
    fencepost_fleet_destroy(victim);
  }

  fencepost_device numbers[DEVICES];
  REQUIRE(fencepost_fleet_import_devices(fleet, device_names, bytes, offsets, DEVICES, 0, numbers, NULL) ==
          FENCEPOST_OK);
  REQUIRE(fencepost_fleet_export_devices(fleet, numbers, DEVICES, portable & 1, copy, size, again_offsets, &again,
                                         NULL) == FENCEPOST_OK);
  REQUIRE(again == size && memcmp(copy, bytes, size) == 0 && memcmp(offsets, again_offsets, sizeof offsets) == 0);
  free(bytes);
  free(copy);
  fencepost_fleet_destroy(known->fleet);
  fencepost_conditions_destroy(known->table);
  known->fleet = fleet;
  known->table = table;
  known->position = 0;
  fleet_forget_advances(known);
  memcpy(known->numbers, numbers, sizeof numbers);
  REQUIRE(fencepost_fleet_set_wakeup(fleet, fleet_wake, known, NULL) == FENCEPOST_OK);
}

/* Destroys the fleet and restores it from its snapshot; taking the snapshot again must give the same bytes. Damaged
   bytes must be refused. */
static void reopen(reader *in, fleet_model *known) {
  size_t size, again;
  uint16_t place = take16(in);
  fencepost_fleet *fleet = NULL;
  REQUIRE(fencepost_fleet_snapshot(known->fleet, NULL, 0, &size, NULL) == FENCEPOST_OK);
  uint8_t *bytes = malloc(2 * size);
  REQUIRE(bytes != NULL);
  REQUIRE(fencepost_fleet_snapshot(known->fleet, bytes, size, &again, NULL) == FENCEPOST_OK && again == size);
  bytes[place % size] ^= 1;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_fleet_restore(bytes, size, NULL, &fleet, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_E_SNAPSHOT_INVALID);
  seal(bytes, size, 8);
  error = (fencepost_error)FENCEPOST_ERROR_INIT;
  status = fencepost_fleet_restore(bytes, size, NULL, &fleet, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_SNAPSHOT_INVALID);
  if (status == FENCEPOST_OK) {
    use_damaged(fleet);
    fencepost_fleet_destroy(fleet);
  }
  bytes[place % size] ^= 1;
  seal(bytes, size, 8);
  REQUIRE(fencepost_fleet_restore(bytes, size, known->table, &fleet, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_fleet_snapshot(fleet, bytes + size, size, &again, NULL) == FENCEPOST_OK && again == size);
  REQUIRE(memcmp(bytes, bytes + size, size) == 0);
  free(bytes);
  fencepost_fleet_destroy(known->fleet);
  known->fleet = fleet;
  known->handed_out = 0;
  /* The snapshot does not contain devices without inputs. */
  REQUIRE(fencepost_fleet_enter_devices(fleet, device_names, DEVICES, 1, known->numbers, NULL) == FENCEPOST_OK);
  for (size_t i = 0; i < known->waiting_count; i++) known->waiting[i].number = FENCEPOST_NO_DEVICE;
  for (size_t i = 0; i < known->flying_count; i++) known->flying[i].number = FENCEPOST_NO_DEVICE;
  REQUIRE(fencepost_fleet_set_wakeup(fleet, fleet_wake, known, NULL) == FENCEPOST_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader in = {data, size};
  uint8_t shape = take8(&in);
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  if (shape & 1) options.beacon_exit_timeout_us = 1;
  if (shape & 2) options.beacon_initial_timeout_us = 5000000;
  if (shape & 4) options.max_time_step_us = 60000000;
  if (shape & 128) options.order = FENCEPOST_ORDER_EXITS_FIRST;
  if (shape & 8) {
    options.plausible_speed_mps = shape & 16 ? 1000 : 100;
    options.corroboration_count = shape & 32 ? 2 : 3;
    options.corroboration_time_us = shape & 64 ? 0 : 5000000;
  } else {
    if (shape & 16) options.path = FENCEPOST_PATH_GEODESIC, options.max_gap_us = 60000000;
    if (shape & 32) options.accuracy_confidence = 0.95;
  }
  fleet_model known;
  fleet_begin(&known, &options);
  write_hosts(known.fleet);
  for (int step = 0; in.size > 0 && step < 300; step++) {
    uint8_t what = take8(&in);
    size_t waited = known.waiting_count;
    uint64_t wakes = known.wakes;
    switch (what % 16) {
      case 0:
      case 1:
      case 2: change_something(&in, &known, 0); break;
      case 3: change_something(&in, &known, 1); break;
      case 4:
      case 5:
      case 6:
      case 7: feed(&in, &known, what >> 4 >= 10); break;
      case 8: feed_columns(&in, &known, what >> 4 >= 10); break;
      case 9: see(&in, &known); break;
      case 10: pass_time(&in, &known); break;
      case 11: renew(&in, &known); break;
      case 12:
      case 13: fleet_poll(&known, take8(&in) % 9); break;
      case 14:
        if (what >> 4 & 1) {
          fleet_acknowledge(&known);
        } else {
          REQUIRE(fencepost_fleet_abandon(known.fleet, NULL) == FENCEPOST_OK);
          known.handed_out = 0;
        }
        break;
      default:
        if (what >> 4 & 1) move(&in, &known);
        else reopen(&in, &known);
        break;
    }
    REQUIRE(known.waiting_count <= waited || known.wakes > wakes);
    fleet_check(&known);
  }
  while (known.waiting_count > 0 || known.handed_out < known.flying_count) fleet_poll(&known, 8);
  fleet_poll(&known, 8);
  REQUIRE(known.handed_out == 0);
  fleet_end(&known);
  return 0;
}
