/* Fleets: the events of as many monitors, columns and dictionaries, delivery, questions, export and import. */
#include "fleets.h"

enum {
  DEVICES = 6,
  CAPACITY = 4096
};

static uint64_t next(uint64_t *random) {
  *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *random >> 33;
}

/* A random world: what the fleet hands out for a device is what a monitor of its own hands out, byte for byte. */
static void as_many_monitors(void) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    uint64_t random = seed;
    fencepost_conditions *table = new_table();
    fencepost_fleet *fleet = new_fleet(table);
    fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    options.initial_fix_max_age_us = -1;
    fencepost_monitor *monitors[DEVICES];
    uint32_t devices[DEVICES];
    fencepost_condition_options unsatisfied = FENCEPOST_FLEET_CONDITION_OPTIONS_INIT;
    for (int d = 0; d < DEVICES; d++) {
      char name[16];
      snprintf(name, sizeof name, "device %d", d);
      monitors[d] = new_monitor(&options);
      devices[d] = device_of(fleet, name);
    }
    for (int step = 0; step < 300; step++) {
      int64_t time = SECONDS(step * 9);
      char name[16];
      snprintf(name, sizeof name, "c%d", (int)(next(&random) % 8));
      double place = (double)(next(&random) % 100) * 0.0005;
      unsigned what = (unsigned)(next(&random) % 12);
      if (what == 0 || step < 6) {
        CHECK_OK(fencepost_conditions_add_circular(table, name, 0, place, 1500, NULL, NULL));
        for (int d = 0; d < DEVICES; d++)
          CHECK_OK(fencepost_monitor_add_circular_condition(monitors[d], name, 0, place, 1500, &unsatisfied, NULL));
      } else if (what == 1) {
        CHECK_OK(fencepost_conditions_remove(table, name, NULL, NULL));
        for (int d = 0; d < DEVICES; d++) CHECK_OK(fencepost_monitor_remove_condition(monitors[d], name, NULL, NULL));
      } else if (what == 2) {
        CHECK_OK(fencepost_fleet_advance(fleet, time, NULL));
        for (int d = 0; d < DEVICES; d++) CHECK_OK(fencepost_monitor_advance(monitors[d], time, NULL));
      } else {
        int d = (int)(next(&random) % DEVICES);
        fencepost_fix fix = {0, place, (double)(next(&random) % 3) * 30, time - (what == 3 ? 200000000 : 0)};
        CHECK_STATUS(fencepost_fleet_feed_fix(fleet, devices[d], &fix, NULL),
                     fencepost_monitor_feed_fix(monitors[d], &fix, NULL));
      }
      int64_t earliest = INT64_MAX, deadline;
      for (int d = 0; d < DEVICES; d++) {
        CHECK_OK(fencepost_monitor_next_deadline(monitors[d], &deadline, NULL));
        int64_t own;
        CHECK_OK(fencepost_fleet_device_next_deadline(fleet, devices[d], &own, NULL));
        CHECK_INT(own, deadline);
        if (deadline != FENCEPOST_TIME_UNSET && deadline < earliest) earliest = deadline;
        fencepost_state one = 9, other = 9;
        fencepost_status status = fencepost_monitor_state(monitors[d], name, &other, NULL);
        CHECK_STATUS(fencepost_fleet_state(fleet, devices[d], name, &one, NULL), status);
        CHECK_INT(one, other);
      }
      CHECK_OK(fencepost_fleet_next_deadline(fleet, &deadline, NULL));
      CHECK_INT(deadline, earliest == INT64_MAX ? FENCEPOST_TIME_UNSET : earliest);
      if (step % 7) continue;
      static _Thread_local fencepost_fleet_event events[CAPACITY];
      size_t count;
      CHECK_OK(fencepost_fleet_poll_events(fleet, events, CAPACITY, &count, NULL));
      for (size_t i = 0; i < count; i++) {
        CHECK(events[i].device < DEVICES);
        CHECK_INT(events[i].reserved, 0);
        fencepost_event expected = next_event(monitors[events[i].device]);
        if (memcmp(&events[i].event, &expected, sizeof expected) != 0)
          FAIL("seed %llu, step %d: another event of device %u", (unsigned long long)seed, step, events[i].device);
      }
      for (int d = 0; d < DEVICES; d++) expect_no_event(monitors[d]);
    }
    CHECK(fleet_statistics(fleet).handed_out_events > 50);
    for (int d = 0; d < DEVICES; d++) {
      fencepost_statistics expected = statistics_of(monitors[d]);
      fencepost_device_statistics got = FENCEPOST_DEVICE_STATISTICS_INIT;
      CHECK_OK(fencepost_fleet_get_device_statistics(fleet, devices[d], &got, NULL));
      CHECK_INT(got.accepted_fixes, expected.accepted_fixes);
      CHECK_INT(got.late_inputs, expected.late_inputs);
      CHECK_INT(got.clock_us, expected.clock_us);
      CHECK_INT(got.handed_out_events, expected.handed_out_events);
      fencepost_monitor_destroy(monitors[d]);
    }
    fencepost_fleet_destroy(fleet);
    fencepost_conditions_destroy(table);
  }
}

/* Rows of a pipe: unaligned, the columns beside each other. */
typedef struct row {
  char pad;
  double latitude, longitude, accuracy;
  int64_t time;
  uint32_t device;
  uint8_t index8;
  uint16_t index16;
  uint32_t index32;
  uint64_t index64;
} __attribute__((packed)) row;

enum {
  ROWS = 64
};

static void fill(row *rows, const uint32_t *devices) {
  for (int i = 0; i < ROWS; i++) {
    row made = {7, 0, i / 4 % 3 ? 0.1 : 0, i % 11 == 10 ? NAN : 5, SECONDS(i), 0, 0, 0, 0, 0};
    made.index8 = (uint8_t)(i % 4), made.index16 = made.index8, made.index32 = made.index8, made.index64 = made.index8;
    made.device = devices[made.index8];
    rows[i] = made;
  }
}

/* The address of a member that need not be aligned. */
#define COLUMN(rows, type, member) ((const type *)(const void *)((const char *)(rows) + offsetof(row, member)))

static fencepost_fix_columns fix_columns(const row *rows) {
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fixes.latitudes = COLUMN(rows, double, latitude), fixes.longitudes = COLUMN(rows, double, longitude);
  fixes.accuracies_m = COLUMN(rows, double, accuracy), fixes.times_us = COLUMN(rows, int64_t, time);
  fixes.latitude_stride = fixes.longitude_stride = fixes.accuracy_stride = fixes.time_stride = sizeof(row);
  return fixes;
}

static size_t events_of(fencepost_fleet *fleet, fencepost_fleet_event *events) {
  size_t count;
  CHECK_OK(fencepost_fleet_poll_events(fleet, events, CAPACITY, &count, NULL));
  return count;
}

/* Numbers and dictionaries of every width give the events of single calls; row says which row brought them. */
static void columns_and_dictionaries(void) {
  static const char *const names[] = {"a", "b", "c", "d"};
  static _Thread_local fencepost_fleet_event expected[CAPACITY], got[CAPACITY];
  row rows[ROWS];
  uint32_t devices[4];
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_fleet *single = new_fleet(table);
  CHECK_OK(fencepost_fleet_devices(single, names, 4, 1, devices, NULL));
  fill(rows, devices);
  uint64_t invalid = 0;
  for (int i = 0; i < ROWS; i++) {
    fencepost_fix fix = {rows[i].latitude, rows[i].longitude, rows[i].accuracy, rows[i].time};
    CHECK_OK(fencepost_fleet_feed_fix(single, rows[i].device, &fix, NULL));
    invalid += isnan(fix.accuracy_m) != 0;
  }
  size_t count = events_of(single, expected);
  CHECK(count > 10);
  for (int form = 0; form < 5; form++) {
    fencepost_fleet *fleet = new_fleet(table);
    uint32_t own[4];
    /* Entered in another order, so that numbers and indices differ; the rows are by index. */
    static const char *const turned[] = {"d", "c", "b", "a"};
    CHECK_OK(fencepost_fleet_devices(fleet, turned, 4, 1, own, NULL));
    uint32_t dictionary[6] = {own[3], own[2], own[1], own[0], FENCEPOST_NO_DEVICE, 99};
    for (int i = 0; i < ROWS; i++) rows[i].device = dictionary[rows[i].index8];
    fencepost_fix_columns fixes = fix_columns(rows);
    fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
    columns.fixes = &fixes, columns.device_stride = sizeof(row);
    columns.devices = COLUMN(rows, uint32_t, device);
    if (form > 0) columns.dictionary = dictionary, columns.dictionary_count = 6;
    if (form == 1) columns.devices = &rows->index8, columns.device_width = 1;
    if (form == 2) columns.devices = COLUMN(rows, uint16_t, index16), columns.device_width = 2;
    if (form == 3) columns.devices = COLUMN(rows, uint32_t, index32), columns.device_width = 4;
    if (form == 4) columns.devices = COLUMN(rows, uint64_t, index64), columns.device_width = 8;
    fencepost_feed_result result;
    CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, ROWS, &result, NULL));
    CHECK_INT(result.accepted + result.invalid, ROWS);
    CHECK_INT(result.invalid, invalid);
    CHECK_INT(events_of(fleet, got), count);
    for (size_t i = 0; i < count; i++) {
      CHECK(memcmp(&got[i].event, &expected[i].event, sizeof got[i].event) == 0);
      CHECK_INT(got[i].position, i + 1);
      CHECK_INT(SECONDS((int64_t)got[i].row), got[i].event.evidence_date_us);
      char one[300], other[300];
      CHECK_OK(fencepost_fleet_device_identifier(fleet, got[i].device, one, sizeof one, NULL, NULL));
      CHECK_OK(fencepost_fleet_device_identifier(single, expected[i].device, other, sizeof other, NULL, NULL));
      CHECK_TEXT(one, other);
    }
    /* What names no device: nothing has changed. */
    fencepost_fleet_statistics before = fleet_statistics(fleet), after;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    for (int bad = 0; bad < 4; bad++) {
      row kept = rows[40];
      static const uint8_t indices[] = {4, 5, 6, 255};
      rows[40].index8 = indices[bad];
      rows[40].index16 = bad == 3 ? UINT16_MAX : indices[bad];
      rows[40].index32 = bad == 3 ? UINT32_MAX : indices[bad];
      rows[40].index64 = bad == 3 ? UINT64_MAX : indices[bad];
      rows[40].device = bad == 3 ? UINT32_MAX : indices[bad];
      CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &columns, ROWS, &result, &error), FENCEPOST_E_INVALID_ARGUMENT);
      CHECK_INT(error.position, 40);
      CHECK_CONTAINS(error.message, "row 40");
      CHECK_INT(result.accepted + result.invalid + result.late, 0);
      rows[40] = kept;
    }
    after = fleet_statistics(fleet);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    fencepost_fleet_destroy(fleet);
  }
  fencepost_fleet_destroy(single);
  fencepost_conditions_destroy(table);
}

/* Strides that are negative, zero or overlap; widths, sizes and pointers that are none. */
static void columns_misused(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_fleet *fleet = new_fleet(table);
  uint32_t device = device_of(fleet, "a");
  row rows[ROWS];
  const uint32_t devices[4] = {device, device, device, device};
  fill(rows, devices);
  fencepost_fix_columns fixes = fix_columns(rows);
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  fencepost_feed_result result;
  columns.fixes = &fixes;
  columns.devices = &device, columns.device_stride = 0; /* all rows of one device */
  CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, ROWS, &result, NULL));
  CHECK(result.accepted > 50);
  uint32_t again[ROWS] = {0};
  columns.devices = &again[ROWS - 1], columns.device_stride = -4;
  CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, ROWS, &result, NULL));
  CHECK_INT(result.late + result.invalid, ROWS - 1);
  static const uint8_t zeros[ROWS + 8] = {0};
  columns.devices = zeros, columns.device_stride = 1; /* values that overlap are read as they lie */
  CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, ROWS, &result, NULL));

#define BAD(member, value, status)                                                      \
  do {                                                                                  \
    fencepost_fleet_columns bad_ = columns;                                             \
    bad_.member = value;                                                                \
    CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &bad_, ROWS, NULL, NULL), status); \
  } while (0)
  BAD(struct_size, 0, FENCEPOST_E_INVALID_ARGUMENT);
  BAD(struct_size, 12, FENCEPOST_E_INVALID_ARGUMENT);
  BAD(device_width, 0, FENCEPOST_E_INVALID_ARGUMENT);
  BAD(device_width, 3, FENCEPOST_E_INVALID_ARGUMENT);
  BAD(device_width, 8, FENCEPOST_E_INVALID_ARGUMENT); /* numbers have 4 */
  BAD(devices, NULL, FENCEPOST_E_NULL_ARGUMENT);
  BAD(fixes, NULL, FENCEPOST_E_NULL_ARGUMENT);
  BAD(dictionary_count, 5, FENCEPOST_E_NULL_ARGUMENT);
  BAD(dictionary_count, SIZE_MAX, FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_fleet_columns empty = columns;
  empty.dictionary = again; /* of no element */
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &empty, ROWS, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "empty");
  CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &columns, SIZE_MAX, NULL, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_feed_columns(fleet, NULL, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fixes.refuse_invalid = 1; /* a row without a position refuses them all */
  error.position = 99;
  CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &columns, ROWS, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 10);
  fixes.latitudes = NULL;
  CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &columns, 1, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  columns.devices = NULL;
  fencepost_fix_columns none = FENCEPOST_FIX_COLUMNS_INIT;
  columns.fixes = &none;
  CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, 0, &result, NULL));
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* A full queue stops a batch at a row; the rest is fed after polling. */
static void full_queue(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_fleet_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.max_pending_events = 2;
  fencepost_fleet *fleet = NULL;
  CHECK_OK(fencepost_fleet_create(table, &options, &fleet, NULL));
  uint32_t device = device_of(fleet, "a");
  double lat[6] = {0}, lon[6] = {0, 0.1, 0, 0.1, 0, 0.1};
  int64_t times[6];
  for (int i = 0; i < 6; i++) times[i] = SECONDS(i);
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  columns.fixes = &fixes, columns.devices = &device, columns.device_stride = 0;
  fencepost_fleet_event events[8];
  size_t count, done = 0, all = 0;
  while (done < 6) {
    fixes.latitudes = lat + done, fixes.longitudes = lon + done, fixes.times_us = times + done;
    fencepost_feed_result result;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    fencepost_status status = fencepost_fleet_feed_columns(fleet, &columns, 6 - done, &result, &error);
    CHECK_STATUS(status, done + 2 < 6 ? FENCEPOST_E_QUEUE_FULL : FENCEPOST_OK);
    CHECK_INT(result.accepted, 2);
    if (status) CHECK_INT(error.position, 2);
    done += result.accepted;
    CHECK_OK(fencepost_fleet_poll_events(fleet, events, 8, &count, NULL));
    CHECK_INT(count, 2);
    all += count;
    CHECK_INT(events[1].position, all);
    CHECK_INT(events[1].event.sequence, all);
  }
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static void devices(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_fleet_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.device_limit = 3;
  fencepost_fleet *fleet = NULL;
  CHECK_OK(fencepost_fleet_create(table, &options, &fleet, NULL));
  const char *names[] = {"a", "b", "a", "c"};
  uint32_t numbers[4] = {9, 9, 9, 9};
  CHECK_OK(fencepost_fleet_devices(fleet, names, 4, 0, numbers, NULL));
  for (int i = 0; i < 4; i++) CHECK(numbers[i] == FENCEPOST_NO_DEVICE);
  CHECK_OK(fencepost_fleet_devices(fleet, names, 4, 1, numbers, NULL));
  CHECK_INT(numbers[0], 0);
  CHECK_INT(numbers[2], 0);
  CHECK_INT(numbers[3], 2);
  /* All or none. */
  const char *more[] = {"a", "new", "b"};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  numbers[0] = 77;
  CHECK_STATUS(fencepost_fleet_devices(fleet, more, 3, 1, numbers, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_CONTAINS(error.message, "device_limit is 3");
  static const char *const wrong[] = {"", "\xff", NULL};
  char text[FENCEPOST_IDENTIFIER_MAX + 2];
  memset(text, 'x', sizeof text);
  text[FENCEPOST_IDENTIFIER_MAX + 1] = 0;
  for (int i = 0; i < 4; i++) {
    more[2] = i < 3 ? wrong[i] : text;
    more[1] = "a";
    CHECK_STATUS(fencepost_fleet_devices(fleet, more, 3, 1, numbers, &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_INT(error.position, 2);
  }
  CHECK_INT(numbers[0], 77);
  CHECK_INT(fleet_statistics(fleet).device_count, 3);
  CHECK_STATUS(fencepost_fleet_devices(fleet, names, SIZE_MAX, 1, numbers, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_OK(fencepost_fleet_devices(fleet, NULL, 0, 1, NULL, NULL));

  char name[8];
  size_t size = 0, count = 0;
  CHECK_OK(fencepost_fleet_device_identifier(fleet, 2, NULL, 0, &size, NULL));
  CHECK_INT(size, 1);
  CHECK_STATUS(fencepost_fleet_device_identifier(fleet, 2, name, 1, &size, NULL), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_OK(fencepost_fleet_device_identifier(fleet, 2, name, 2, &size, NULL));
  CHECK_TEXT(name, "c");
  CHECK_STATUS(fencepost_fleet_device_identifier(fleet, 3, name, 8, &size, NULL), FENCEPOST_E_INVALID_ARGUMENT);

  /* A removed device: its event is handed out, its number is used again only then, its name at once. */
  CHECK_OK(feed_device(fleet, 0, 0, SECONDS(100)));
  CHECK_OK(feed_device(fleet, 1, 0, SECONDS(200)));
  CHECK_OK(fencepost_fleet_remove_device(fleet, 0, 0, NULL));
  CHECK_STATUS(feed_device(fleet, 0, 0, SECONDS(300)), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_remove_device(fleet, 0, 0, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(device_of(fleet, "a"), 3);
  CHECK_OK(fencepost_fleet_device_numbers(fleet, NULL, 0, &count, NULL));
  CHECK_INT(count, 3);
  CHECK_STATUS(fencepost_fleet_device_numbers(fleet, numbers, 2, &count, &error), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_CONTAINS(error.message, "3 elements");
  CHECK_OK(fencepost_fleet_device_numbers(fleet, numbers, 4, &count, NULL));
  CHECK(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
  fencepost_fleet_event event = next_fleet_event(fleet);
  CHECK_INT(event.device, 0);
  static _Thread_local char json[8192];
  CHECK_OK(fencepost_fleet_event_json(fleet, &event, json, sizeof json, &size, NULL));
  CHECK(strncmp(json, "{\"device\":\"a\",\"sequence\":1,\"identifier\":\"zone\",", 46) == 0);
  CHECK_OK(fencepost_fleet_remove_device(fleet, 1, 1, NULL)); /* its event is dropped */
  expect_no_fleet_event(fleet);

  /* Expiry: by the device's own clock; one that was never heard stays. */
  CHECK_OK(feed_device(fleet, 3, 0, SECONDS(400)));
  CHECK_OK(fencepost_fleet_expire(fleet, SECONDS(400), numbers, 4, &count, NULL));
  CHECK_INT(count, 0);
  CHECK_OK(fencepost_fleet_expire(fleet, SECONDS(401), NULL, 0, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_INT(fleet_statistics(fleet).device_count, 2);
  CHECK_OK(fencepost_fleet_expire(fleet, SECONDS(401), numbers, 1, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_INT(numbers[0], 3);
  CHECK_INT(fleet_statistics(fleet).device_count, 1);
  CHECK_STATUS(fencepost_fleet_expire(fleet, INT64_MAX, numbers, 4, &count, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(next_fleet_event(fleet).device, 3);
  expect_no_fleet_event(fleet);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* Committed by polling and acknowledging; what was taken back comes again with sequence and position. */
static void delivery(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  fencepost_fleet_event first = next_fleet_event(fleet), again;
  CHECK_INT(first.position, 1);
  CHECK_OK(fencepost_fleet_abandon(fleet, NULL));
  again = next_fleet_event(fleet);
  CHECK(memcmp(&first, &again, sizeof first) == 0);
  CHECK_OK(fencepost_fleet_acknowledge(fleet, NULL));
  CHECK_OK(fencepost_fleet_abandon(fleet, NULL));
  again = next_fleet_event(fleet);
  CHECK_INT(again.position, 2);
  CHECK_INT(again.event.sequence, 1); /* of the other device */
  /* A removed condition's events are void. */
  CHECK_OK(fencepost_conditions_remove(table, "exact", NULL, NULL));
  CHECK_INT(fleet_statistics(fleet).pending_events, 0);
  expect_no_fleet_event(fleet);
  size_t count = 9;
  CHECK_OK(fencepost_fleet_poll_events(fleet, NULL, 0, &count, NULL));
  CHECK_INT(count, 0);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

typedef struct woken {
  fencepost_fleet *fleet;
  int calls, events;
} woken;

static void wake(void *context) {
  woken *me = context;
  fencepost_fleet_event events[4];
  size_t count;
  me->calls++;
  CHECK_OK(fencepost_fleet_poll_events(me->fleet, events, 4, &count, NULL)); /* it may call the fleet */
  me->events += (int)count;
}

static void wakeup(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  woken me = {fleet, 0, 0};
  CHECK_OK(fencepost_fleet_set_wakeup(fleet, wake, &me, NULL)); /* events wait already */
  CHECK_INT(me.calls, 1);
  CHECK_INT(me.events, 3);
  CHECK_OK(fencepost_fleet_advance_device(fleet, 0, SECONDS(30), NULL)); /* the dwell of "standard" */
  CHECK_INT(me.events, 4);
  CHECK_OK(fencepost_fleet_advance(fleet, SECONDS(30), NULL));
  CHECK_INT(me.calls, 2);
  CHECK_OK(fencepost_fleet_set_wakeup(fleet, NULL, NULL, NULL));
  CHECK_OK(feed_device(fleet, 1, 0.1, SECONDS(60)));
  CHECK_INT(me.calls, 2);
  /* Void events that make room in the same call must not hide a new one. */
  fencepost_fleet_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.max_pending_events = 2;
  fencepost_fleet *small = NULL;
  CHECK_OK(fencepost_fleet_create(table, &options, &small, NULL));
  uint32_t d[] = {device_of(small, "x"), device_of(small, "y"), device_of(small, "z")};
  CHECK_OK(feed_device(small, d[0], 0, SECONDS(60)));
  CHECK_OK(feed_device(small, d[1], 0, SECONDS(60)));
  add_exact(table, "exact", 0, 9);
  me.fleet = small, me.calls = me.events = 0;
  CHECK_OK(fencepost_fleet_set_wakeup(small, wake, &me, NULL));
  CHECK_INT(me.calls, 0);
  CHECK_OK(feed_device(small, d[2], 0, SECONDS(60)));
  CHECK_INT(me.calls, 1);
  CHECK_INT(me.events, 1);
  fencepost_fleet_destroy(small);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static void questions(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  fencepost_presence presences[4];
  size_t count = 9;
  memset(presences, 0xee, sizeof presences);
  CHECK_OK(fencepost_fleet_inside(fleet, 1, presences, 4, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_TEXT(presences[0].identifier, "exact");
  CHECK_INT(presences[0].tag, 1);
  CHECK_INT(presences[0].generation, 1);
  CHECK_INT(presences[0].since_us, SECONDS(1));
  CHECK_INT(presences[0].evidence_date_us, SECONDS(1));
  CHECK_INT(presences[0].reserved, 0);
  CHECK_INT(presences[0].identifier_length, 5);
  fencepost_beacon_sighting sighting = {{0}, 1, 2, -60};
  memcpy(sighting.uuid, beacon_uuid, 16);
  CHECK_OK(fencepost_fleet_feed_sightings(fleet, 1, &sighting, 1, SECONDS(3), NULL));
  CHECK_STATUS(fencepost_fleet_inside(fleet, 1, presences, 1, &count, NULL), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(count, 2);
  CHECK_OK(fencepost_fleet_inside(fleet, 1, NULL, 0, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_OK(fencepost_fleet_inside(fleet, 1, presences, 2, &count, NULL));
  CHECK_TEXT(presences[1].identifier, "beacon");
  CHECK_INT(presences[1].since_us, SECONDS(3));
  fencepost_state state = 9;
  CHECK_OK(fencepost_fleet_state(fleet, 1, "beacon", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_SATISFIED);
  CHECK_STATUS(fencepost_fleet_state(fleet, 1, "nowhere", &state, NULL), FENCEPOST_E_NOT_FOUND);
  CHECK_STATUS(fencepost_fleet_state(fleet, 2, "exact", &state, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_fleet_explain(fleet, 0, "standard", &explanation, NULL));
  CHECK_INT(explanation.reason, FENCEPOST_REASON_DWELLING);
  CHECK_INT(explanation.deadline_us, SECONDS(25));
  int64_t deadline = 0;
  CHECK_OK(fencepost_fleet_next_deadline(fleet, &deadline, NULL));
  CHECK_INT(deadline, SECONDS(25));
  CHECK_OK(fencepost_fleet_set_beacon_scanning(fleet, 1, 0, SECONDS(4), NULL));
  CHECK_OK(fencepost_fleet_state(fleet, 1, "beacon", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_UNKNOWN);
  CHECK_OK(fencepost_fleet_device_next_deadline(fleet, 1, &deadline, NULL));
  CHECK(deadline == FENCEPOST_TIME_UNSET);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* Devices that move to another fleet go on; other tables, damaged bytes and names that are taken are refused. */
static void moving(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table), *other = new_fleet(table);
  const uint32_t numbers[] = {1, 0};
  const char *names[] = {"two", "one"};
  uint64_t offsets[3] = {9, 9, 9};
  size_t size = 0;
  CHECK_OK(fencepost_fleet_export_devices(fleet, numbers, 2, 1, NULL, 0, NULL, &size, NULL));
  CHECK(size > 0 && size < 1024);
  uint8_t bytes[1024];
  CHECK_STATUS(fencepost_fleet_export_devices(fleet, numbers, 2, 1, bytes, size - 1, offsets, &size, NULL),
               FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_OK(fencepost_fleet_export_devices(fleet, numbers, 2, 1, bytes, size, offsets, &size, NULL));
  CHECK_INT(offsets[0], 0);
  CHECK_INT(offsets[2], size);
  CHECK(offsets[1] > 0 && offsets[1] < size);
  uint32_t entered[2] = {9, 9};
  CHECK_OK(fencepost_fleet_import_devices(other, names, bytes, offsets, 2, 0, entered, NULL));
  CHECK_INT(entered[0], 0);
  CHECK_INT(entered[1], 1);
  CHECK_OK(fencepost_fleet_advance(other, SECONDS(30), NULL));
  fencepost_fleet_event event = next_fleet_event(other);
  CHECK_TEXT(event.event.identifier, "standard"); /* the candidate went on */
  CHECK_INT(event.device, 1);
  CHECK_OK(fencepost_fleet_advance(fleet, SECONDS(30), NULL));

  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_fleet_statistics before = fleet_statistics(other), after;
  CHECK_STATUS(fencepost_fleet_import_devices(other, names, bytes, offsets, 2, 0, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT); /* the names are taken */
  const char *fresh[] = {"three", "four"}, *twice[] = {"three", "three"};
  CHECK_STATUS(fencepost_fleet_import_devices(other, twice, bytes, offsets, 2, 0, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  for (size_t at = 0; at < size; at++) { /* any bytes may be passed */
    bytes[at] ^= 0x10;
    CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, offsets, 2, 0, entered, NULL),
                 FENCEPOST_E_SNAPSHOT_INVALID);
    bytes[at] ^= 0x10;
  }
  uint64_t turned[] = {0, size, offsets[1]}, enormous[] = {0, UINT64_MAX, UINT64_MAX};
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, turned, 2, 0, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, enormous, 2, 0, NULL, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, NULL, offsets, 2, 0, NULL, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, NULL, 2, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  uint64_t nothing[] = {0, 0, 0};
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, NULL, nothing, 2, 0, NULL, NULL),
               FENCEPOST_E_SNAPSHOT_INVALID);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, offsets, SIZE_MAX, 0, NULL, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  after = fleet_statistics(other);
  CHECK(memcmp(&before, &after, sizeof before) == 0);

  /* Another version of the table: refused, or adapted. */
  add_exact(table, "later", 1, 0);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, offsets, 2, 0, NULL, &error),
               FENCEPOST_E_TABLE_MISMATCH);
  CHECK_OK(fencepost_fleet_import_devices(other, fresh, bytes, offsets, 2, 1, entered, &error));
  fencepost_state state = 9;
  CHECK_OK(fencepost_fleet_state(other, entered[0], "exact", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_SATISFIED);
  const uint32_t wrong[] = {0, 99};
  CHECK_STATUS(fencepost_fleet_export_devices(fleet, wrong, 2, 0, bytes, sizeof bytes, NULL, &size, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_OK(fencepost_fleet_export_devices(fleet, NULL, 0, 0, NULL, 0, offsets, &size, NULL));
  CHECK_INT(size, 0);
  CHECK_INT(offsets[0], 0);
  fencepost_fleet_destroy(other);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* What no fleet takes: every pointer NULL, numbers of no device, values out of range. */
static void misuse(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  fencepost_fleet_event event;
  fencepost_fix fix = {0, 0, 5, SECONDS(50)};
  fencepost_state state;
  size_t count;
  int64_t time;
  uint32_t device;
  const char *name = "one";
  fencepost_fleet_statistics statistics = FENCEPOST_FLEET_STATISTICS_INIT;
  fencepost_device_statistics own = FENCEPOST_DEVICE_STATISTICS_INIT;
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  fencepost_conditions_version version = FENCEPOST_CONDITIONS_VERSION_INIT;
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  uint64_t offsets[2] = {0, 0};
#define NO(call) CHECK_STATUS(call, FENCEPOST_E_NULL_ARGUMENT)
  NO(fencepost_conditions_create(NULL, NULL));
  NO(fencepost_conditions_get_version(NULL, &version, NULL));
  NO(fencepost_conditions_get_version(table, NULL, NULL));
  NO(fencepost_conditions_add_circular(NULL, "a", 0, 0, 1, NULL, NULL));
  NO(fencepost_conditions_add_circular(table, NULL, 0, 0, 1, NULL, NULL));
  NO(fencepost_conditions_add_beacon(table, "a", NULL, 0, 0, NULL, NULL));
  NO(fencepost_conditions_add_polygon(table, "a", NULL, NULL, NULL, NULL));
  NO(fencepost_conditions_add_wkb(table, "a", NULL, 4, 0, NULL, NULL, NULL));
  NO(fencepost_conditions_sync(table, NULL, 1, NULL, NULL));
  NO(fencepost_conditions_identifiers(table, NULL, 0, NULL, NULL, NULL));
  NO(fencepost_conditions_condition(table, "exact", NULL, NULL));
  NO(fencepost_conditions_restore(NULL, 1, &table, NULL));
  NO(fencepost_fleet_create(NULL, NULL, &fleet, NULL));
  NO(fencepost_fleet_create(table, NULL, NULL, NULL));
  NO(fencepost_fleet_conditions(fleet, NULL, NULL));
  NO(fencepost_fleet_get_statistics(NULL, &statistics, NULL));
  NO(fencepost_fleet_get_statistics(fleet, NULL, NULL));
  NO(fencepost_fleet_get_device_statistics(fleet, 0, NULL, NULL));
  NO(fencepost_fleet_devices(fleet, NULL, 1, 0, &device, NULL));
  NO(fencepost_fleet_devices(fleet, &name, 1, 0, NULL, NULL));
  NO(fencepost_fleet_device_numbers(fleet, NULL, 1, &count, NULL));
  NO(fencepost_fleet_expire(fleet, 0, NULL, 1, &count, NULL));
  NO(fencepost_fleet_expire(fleet, 0, NULL, 0, NULL, NULL));
  NO(fencepost_fleet_feed_fix(NULL, 0, &fix, NULL));
  NO(fencepost_fleet_feed_fix(fleet, 0, NULL, NULL));
  NO(fencepost_fleet_feed_columns(NULL, &columns, 0, NULL, NULL));
  NO(fencepost_fleet_feed_sightings(fleet, 0, NULL, 1, SECONDS(50), NULL));
  NO(fencepost_fleet_next_deadline(fleet, NULL, NULL));
  NO(fencepost_fleet_device_next_deadline(fleet, 0, NULL, NULL));
  NO(fencepost_fleet_poll_events(fleet, NULL, 1, &count, NULL));
  NO(fencepost_fleet_poll_events(fleet, &event, 1, NULL, NULL));
  NO(fencepost_fleet_event_json(fleet, NULL, NULL, 0, &count, NULL));
  NO(fencepost_fleet_state(fleet, 0, NULL, &state, NULL));
  NO(fencepost_fleet_state(fleet, 0, "exact", NULL, NULL));
  NO(fencepost_fleet_inside(fleet, 0, NULL, 1, &count, NULL));
  NO(fencepost_fleet_explain(fleet, 0, "exact", NULL, NULL));
  NO(fencepost_fleet_export_devices(fleet, NULL, 1, 0, NULL, 0, NULL, &count, NULL));
  NO(fencepost_fleet_export_devices(fleet, &device, 0, 0, NULL, 0, NULL, NULL, NULL));
  NO(fencepost_fleet_import_devices(fleet, NULL, NULL, offsets, 1, 0, NULL, NULL));
  NO(fencepost_fleet_set_wakeup(NULL, NULL, NULL, NULL));

  /* 2 was removed, 3 never was. */
  static const uint32_t none[] = {2, 3, 1000000, FENCEPOST_NO_DEVICE};
#define WRONG(call) CHECK_STATUS(call, FENCEPOST_E_INVALID_ARGUMENT)
  fencepost_fleet_statistics before = fleet_statistics(fleet), after;
  for (int i = 0; i < 4; i++) {
    WRONG(fencepost_fleet_feed_fix(fleet, none[i], &fix, NULL));
    WRONG(fencepost_fleet_feed_sightings(fleet, none[i], NULL, 0, SECONDS(50), NULL));
    WRONG(fencepost_fleet_set_beacon_scanning(fleet, none[i], 0, SECONDS(50), NULL));
    WRONG(fencepost_fleet_advance_device(fleet, none[i], SECONDS(50), NULL));
    WRONG(fencepost_fleet_device_next_deadline(fleet, none[i], &time, NULL));
    WRONG(fencepost_fleet_remove_device(fleet, none[i], 1, NULL));
    WRONG(fencepost_fleet_get_device_statistics(fleet, none[i], &own, NULL));
    WRONG(fencepost_fleet_inside(fleet, none[i], NULL, 0, &count, NULL));
    WRONG(fencepost_fleet_explain(fleet, none[i], "exact", &explanation, NULL));
    WRONG(fencepost_fleet_export_devices(fleet, &none[i], 1, 0, NULL, 0, NULL, &count, NULL));
  }
  WRONG(fencepost_fleet_export_devices(fleet, none, SIZE_MAX, 0, NULL, 0, NULL, &count, NULL));
  WRONG(fencepost_fleet_advance(fleet, INT64_MAX, NULL));
  WRONG(fencepost_fleet_poll_events(fleet, &event, SIZE_MAX, &count, NULL));
  WRONG(fencepost_fleet_inside(fleet, 0, NULL, SIZE_MAX, &count, NULL));
  after = fleet_statistics(fleet);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  CHECK_STATUS(feed_device(fleet, 0, 0, SECONDS(1)), FENCEPOST_E_LATE_INPUT);
  CHECK_STATUS(feed_device(fleet, 0, NAN, SECONDS(50)), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(fleet_statistics(fleet).late_inputs, 1);
  CHECK_INT(fleet_statistics(fleet).invalid_fixes, 1);
  event = next_fleet_event(fleet);
  event.device = 3;
  WRONG(fencepost_fleet_event_json(fleet, &event, NULL, 0, &count, NULL));
  event.device = 0, event.event.state = 9;
  WRONG(fencepost_fleet_event_json(fleet, &event, NULL, 0, &count, NULL));

#define RANGE(member, value) RANGE_AS(member, #member, value)
#define RANGE_AS(member, name, value)                                 \
  do {                                                                \
    fencepost_fleet_options options_ = FENCEPOST_FLEET_OPTIONS_INIT;  \
    fencepost_fleet *made_ = (fencepost_fleet *)(uintptr_t)8;         \
    fencepost_error error_ = FENCEPOST_ERROR_INIT;                    \
    options_.member = value;                                          \
    WRONG(fencepost_fleet_create(table, &options_, &made_, &error_)); \
    CHECK_CONTAINS(error_.message, name);                             \
    CHECK(made_ == (fencepost_fleet *)(uintptr_t)8);                  \
  } while (0)
  RANGE(struct_size, 9);
  RANGE(max_pending_events, 0);
  RANGE(max_pending_events, UINT64_MAX);
  RANGE(device_limit, 67108864);
  RANGE(device_limit, UINT64_MAX);
  RANGE_AS(beacon_exit_timeout_us, "beacon_exit_timeout", 0);
  RANGE_AS(beacon_initial_timeout_us, "beacon_initial_timeout", -1);
  RANGE_AS(max_time_step_us, "max_time_step", -1);
  fencepost_fleet_options reserved = FENCEPOST_FLEET_OPTIONS_INIT;
  reserved.reserved = 1;
  CHECK_STATUS(fencepost_fleet_create(table, &reserved, &fleet, NULL), FENCEPOST_E_UNSUPPORTED);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"fleet: the events of as many monitors", as_many_monitors},
    {"fleet: columns and dictionaries", columns_and_dictionaries},
    {"fleet: columns misused", columns_misused},
    {"fleet: a full queue", full_queue},
    {"fleet: devices come and go", devices},
    {"fleet: delivery", delivery},
    {"fleet: wake-up", wakeup},
    {"fleet: questions", questions},
    {"fleet: devices move", moving},
    {"fleet: misuse", misuse},
};
AREA(area_fleet);
