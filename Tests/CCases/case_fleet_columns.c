/* Tests how a fleet is fed with columns that contain the fixes of many devices; a column names the devices by number or
   by index into a dictionary. */
#include "fleets.h"

enum {
  CAPACITY = 4096
};

/* Lays out the columns as if read from a pipe: unaligned, and side by side. */
typedef struct row {
  char pad;
  double latitude, longitude, accuracy;
  int64_t time;
  fencepost_device device;
  uint8_t index8;
  uint16_t index16;
  uint32_t index32;
  uint64_t index64;
} __attribute__((packed)) row;

enum {
  ROWS = 64
};

static void fill(row *rows, const fencepost_device *devices) {
  for (int i = 0; i < ROWS; i++) {
    row made = {7, 0, i / 4 % 3 ? 0.1 : 0, i % 11 == 10 ? NAN : 5, SECONDS(i), 0, 0, 0, 0, 0};
    made.index8 = (uint8_t)(i % 4), made.index16 = made.index8, made.index32 = made.index8, made.index64 = made.index8;
    made.device = devices[made.index8];
    rows[i] = made;
  }
}

/* Returns the address of a member that may be unaligned. */
#define COLUMN(rows, type, member) ((const type *)(const void *)((const char *)(rows) + offsetof(row, member)))

static fencepost_fix_columns fix_columns(const row *rows) {
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fixes.latitudes = COLUMN(rows, double, latitude), fixes.longitudes = COLUMN(rows, double, longitude);
  fixes.accuracies_m = COLUMN(rows, double, accuracy), fixes.times_us = COLUMN(rows, int64_t, time);
  fixes.latitude_stride = fixes.longitude_stride = fixes.accuracy_stride = fixes.time_stride = sizeof(row);
  return fixes;
}

static size_t events_of(fencepost_fleet *fleet, fencepost_event *events) {
  size_t count;
  CHECK_OK(fencepost_fleet_poll_events(fleet, events, CAPACITY, &count, NULL));
  return count;
}

/* Columns of devices give the same events as single calls, for each integer width, with device numbers and with indices
   of a dictionary. `row` is the row that caused an event. */
static void columns_and_dictionaries(void) {
  static const char *const names[] = {"a", "b", "c", "d"};
  static _Thread_local fencepost_event expected[CAPACITY], got[CAPACITY];
  row rows[ROWS];
  fencepost_device devices[4];
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_fleet *single = new_fleet(table);
  CHECK_OK(fencepost_fleet_enter_devices(single, names, 4, 1, devices, NULL));
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
    fencepost_device own[4];
    /* Adds the devices in reverse order, so that their numbers differ from their indices in the rows. */
    static const char *const turned[] = {"d", "c", "b", "a"};
    CHECK_OK(fencepost_fleet_enter_devices(fleet, turned, 4, 1, own, NULL));
    fencepost_device dictionary[6] = {own[3], own[2], own[1], own[0], FENCEPOST_NO_DEVICE, 99};
    for (int i = 0; i < ROWS; i++) rows[i].device = dictionary[rows[i].index8];
    fencepost_fix_columns fixes = fix_columns(rows);
    fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
    columns.fixes = &fixes, columns.device_stride = sizeof(row);
    columns.devices = COLUMN(rows, fencepost_device, device);
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
      /* The numbers of the devices differ, and single calls have no row. */
      fencepost_event one_event = as_of_monitor(&got[i]), other_event = as_of_monitor(&expected[i]);
      CHECK(memcmp(&one_event, &other_event, sizeof one_event) == 0);
      CHECK_INT(got[i].position, i + 1);
      CHECK_INT(SECONDS((int64_t)got[i].row), got[i].evidence_date_us);
      char one[300], other[300];
      CHECK_OK(fencepost_fleet_device_identifier(fleet, got[i].device, one, sizeof one, NULL, NULL));
      CHECK_OK(fencepost_fleet_device_identifier(single, expected[i].device, other, sizeof other, NULL, NULL));
      CHECK_TEXT(one, other);
    }
    /* If a device number does not exist, nothing changes. */
    fencepost_fleet_counters before = fleet_statistics(fleet), after;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    for (int bad = 0; bad < 4; bad++) {
      row kept = rows[40];
      static const uint8_t indices[] = {4, 5, 6, 255};
      rows[40].index8 = indices[bad];
      rows[40].index16 = bad == 3 ? UINT16_MAX : indices[bad];
      rows[40].index32 = bad == 3 ? UINT32_MAX : indices[bad];
      rows[40].index64 = bad == 3 ? UINT64_MAX : indices[bad];
      rows[40].device = bad == 3 ? FENCEPOST_NO_DEVICE : indices[bad] + 1u;
      result = (fencepost_feed_result){7, 7, 7, 7};
      CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &columns, ROWS, &result, &error),
                   columns.dictionary == NULL || bad < 2 ? FENCEPOST_E_NO_SUCH_DEVICE : FENCEPOST_E_INVALID_ARGUMENT);
      CHECK_INT(error.position, 40);
      CHECK_CONTAINS(error.message, "row 40");
      /* A refused batch does not change the caller's counts. */
      CHECK(result.accepted == 7 && result.invalid == 7 && result.late == 7);
      rows[40] = kept;
    }
    after = fleet_statistics(fleet);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    fencepost_fleet_destroy(fleet);
  }
  fencepost_fleet_destroy(single);
  fencepost_conditions_destroy(table);
}

/* Tests that negative, zero and overlapping strides are allowed, and that invalid widths, sizes and pointers are
   refused. */
static void columns_misused(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_fleet *fleet = new_fleet(table);
  fencepost_device device = device_of(fleet, "a");
  row rows[ROWS];
  const fencepost_device devices[4] = {device, device, device, device};
  fill(rows, devices);
  fencepost_fix_columns fixes = fix_columns(rows);
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  fencepost_feed_result result;
  columns.fixes = &fixes;
  columns.devices = &device, columns.device_stride = 0; /* all rows belong to one device */
  CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, ROWS, &result, NULL));
  CHECK(result.accepted > 50);
  fencepost_device again[ROWS];
  for (int i = 0; i < ROWS; i++) again[i] = device;
  columns.devices = &again[ROWS - 1], columns.device_stride = -8;
  CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, ROWS, &result, NULL));
  CHECK_INT(result.late + result.invalid, ROWS - 1);
  /* Values that overlap in memory are allowed: each eight bytes from the second on are the number 0. */
  static const uint8_t bytes[ROWS + 8] = {1};
  columns.devices = bytes, columns.device_stride = 1, columns.skips_unknown = 1;
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
  BAD(device_width, 4, FENCEPOST_E_INVALID_ARGUMENT); /* numbers have width 8 */
  BAD(devices, NULL, FENCEPOST_E_NULL_ARGUMENT);
  BAD(fixes, NULL, FENCEPOST_E_NULL_ARGUMENT);
  BAD(dictionary_count, 5, FENCEPOST_E_NULL_ARGUMENT);
  BAD(dictionary_count, SIZE_MAX, FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_fleet_columns empty = columns;
  empty.dictionary = again; /* a dictionary without elements */
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &empty, ROWS, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "empty");
  CHECK_STATUS(fencepost_fleet_feed_columns(fleet, &columns, SIZE_MAX, NULL, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_feed_columns(fleet, NULL, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fixes.refuse_invalid = 1; /* one row without a position makes the whole batch fail */
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

static const ccase cases[] = {
    {"fleet: columns and dictionaries", columns_and_dictionaries},
    {"fleet: columns misused", columns_misused},
};
AREA(area_fleet_columns);
