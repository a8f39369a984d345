/* Tests that columns of fixes, in any layout, give the same results as rows, and that a batch can be refused as a
   whole. */
#include "check.h"

enum {
  ROWS = 500
};

typedef struct table {
  fencepost_fix rows[ROWS];
  double latitudes[ROWS], longitudes[ROWS], accuracies[ROWS];
  int64_t times[ROWS];
} table;

/* Fills the table with fixes of a device that moves in and out; some fixes are invalid, late or have no position. */
static void fill(table *table) {
  for (int i = 0; i < ROWS; i++) {
    fencepost_fix fix = {0, i / 7 % 2 ? 0.1 : 0, i % 3 ? 5 : 0, SECONDS(i)};
    if (i % 41 == 5) fix.latitude = NAN;
    if (i % 43 == 6) fix.longitude = 180.5;
    if (i % 47 == 7) fix.accuracy_m = -1;
    if (i % 53 == 8) fix.time_us = T0;
    if (i % 59 == 9) fix.time_us = INT64_MIN;
    table->rows[i] = fix;
    table->latitudes[i] = fix.latitude;
    table->longitudes[i] = fix.longitude;
    table->accuracies[i] = fix.accuracy_m;
    table->times[i] = fix.time_us;
  }
}

static fencepost_fix_columns columns_of(const table *table) {
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = table->latitudes;
  columns.longitudes = table->longitudes;
  columns.accuracies_m = table->accuracies;
  columns.times_us = table->times;
  return columns;
}

/* Feeds rows to one monitor and the same fixes as columns to another: counts and events must be equal. */
static void expect_same(const fencepost_fix *rows, const fencepost_fix_columns *columns, size_t count) {
  fencepost_monitor *ours = new_monitor(NULL), *theirs = new_monitor(NULL);
  add_exact_circle(ours, "a", 1);
  add_exact_circle(theirs, "a", 1);
  fencepost_feed_result from_rows, from_columns;
  CHECK_OK(fencepost_monitor_feed_fixes(theirs, rows, count, &from_rows, NULL));
  CHECK_OK(fencepost_monitor_feed_columns(ours, columns, count, &from_columns, NULL));
  CHECK_INT(memcmp(&from_rows, &from_columns, sizeof from_rows), 0);
  CHECK_INT(from_rows.accepted + from_rows.invalid + from_rows.late, count);
  fencepost_event mine, other;
  uint32_t available = 1, expected = 1;
  int events = 0;
  for (; available; events++) {
    memset(&mine, 0, sizeof mine);
    memset(&other, 0, sizeof other);
    CHECK_OK(fencepost_monitor_poll_event(ours, &mine, &available, NULL));
    CHECK_OK(fencepost_monitor_poll_event(theirs, &other, &expected, NULL));
    CHECK_INT(available, expected);
    CHECK_INT(memcmp(&mine, &other, sizeof mine), 0);
  }
  CHECK(events > 10);
  fencepost_statistics a = statistics_of(ours), b = statistics_of(theirs);
  CHECK_INT(memcmp(&a, &b, sizeof a), 0);
  fencepost_monitor_destroy(ours);
  fencepost_monitor_destroy(theirs);
}

static void as_rows(void) {
  table table;
  fill(&table);
  fencepost_fix_columns columns = columns_of(&table);
  expect_same(table.rows, &columns, ROWS);
}

static void strides(void) {
  table table;
  fill(&table);
  /* Each column is one member of an array of structures, as in a NumPy structured array. */
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = &table.rows[0].latitude;
  columns.longitudes = &table.rows[0].longitude;
  columns.accuracies_m = &table.rows[0].accuracy_m;
  columns.times_us = &table.rows[0].time_us;
  columns.latitude_stride = columns.longitude_stride = columns.accuracy_stride = columns.time_stride =
      (int64_t)sizeof(fencepost_fix);
  expect_same(table.rows, &columns, ROWS);
  /* Backwards. */
  fencepost_fix reversed[ROWS];
  for (int i = 0; i < ROWS; i++) {
    reversed[i] = table.rows[ROWS - 1 - i];
    table.times[ROWS - 1 - i] = reversed[i].time_us = SECONDS(i);
  }
  columns = columns_of(&table);
  columns.latitudes += ROWS - 1;
  columns.longitudes += ROWS - 1;
  columns.accuracies_m += ROWS - 1;
  columns.times_us += ROWS - 1;
  columns.latitude_stride = columns.longitude_stride = columns.accuracy_stride = columns.time_stride = -8;
  expect_same(reversed, &columns, ROWS);
}

static void shared_and_missing(void) {
  table table;
  fill(&table);
  double accuracy = 12;
  for (int i = 0; i < ROWS; i++) table.rows[i].accuracy_m = accuracy;
  fencepost_fix_columns columns = columns_of(&table);
  columns.accuracies_m = &accuracy;
  columns.accuracy_stride = 0;
  expect_same(table.rows, &columns, ROWS);
  for (int i = 0; i < ROWS; i++) table.rows[i].accuracy_m = 0;
  columns.accuracies_m = NULL;
  expect_same(table.rows, &columns, ROWS);
}

static void unaligned(void) {
  table table;
  fill(&table);
  unsigned char packed[1 + 33 * ROWS];
  for (int i = 0; i < ROWS; i++) memcpy(packed + 1 + 33 * i, &table.rows[i], 32);
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = (const void *)(packed + 1);
  columns.longitudes = (const void *)(packed + 9);
  columns.accuracies_m = (const void *)(packed + 17);
  columns.times_us = (const void *)(packed + 25);
  columns.latitude_stride = columns.longitude_stride = columns.accuracy_stride = columns.time_stride = 33;
  expect_same(table.rows, &columns, ROWS);
}

static void refused(void) {
  fencepost_monitor *monitor = busy_monitor();
  double latitudes[3] = {0, 0, 0}, longitudes[3] = {0, 0, 0}, accuracies[3] = {5, 5, 5};
  int64_t now = statistics_of(monitor).clock_us, times[3] = {now + 1, now, now + 2};
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.refuse_invalid = 1;
  columns.latitudes = latitudes;
  columns.longitudes = longitudes;
  columns.accuracies_m = accuracies;
  columns.times_us = times;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_feed_result result = {7, 7, 7, 7};
#define CHECK_ROW(row, word)                                                                      \
  do {                                                                                            \
    CHECK_REFUSED(monitor, fencepost_monitor_feed_columns(monitor, &columns, 3, &result, &error), \
                  FENCEPOST_E_INVALID_ARGUMENT);                                                  \
    CHECK_INT(error.position, row);                                                               \
    CHECK_CONTAINS(error.message, word);                                                          \
    CHECK_INT(result.accepted, 7);                                                                \
  } while (0)
  latitudes[1] = 91;
  CHECK_ROW(1, "row 1: the coordinate is 91.0");
  latitudes[1] = 0;
  longitudes[2] = NAN;
  CHECK_ROW(2, "coordinate");
  longitudes[2] = 0;
  accuracies[0] = NAN;
  CHECK_ROW(0, "no position");
  accuracies[0] = 5;
  times[2] = FENCEPOST_TIME_MAX + 1;
  CHECK_ROW(2, "time");
  times[2] = now + 2;
  /* A late row does not count as invalid. */
  CHECK_OK(fencepost_monitor_feed_columns(monitor, &columns, 3, &result, NULL));
  CHECK_INT(result.accepted, 2);
  CHECK_INT(result.late, 1);
  fencepost_monitor_destroy(monitor);
}

static void misuse(void) {
  fencepost_monitor *monitor = busy_monitor();
  double number = 0;
  int64_t time = SECONDS(1000);
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT, broken;
  CHECK_OK(fencepost_monitor_feed_columns(monitor, &columns, 0, NULL, NULL));
  columns.latitudes = columns.longitudes = &number;
  columns.times_us = &time;
#define CHECK_MISUSE(change, expected)                                                                 \
  do {                                                                                                 \
    broken = columns;                                                                                  \
    change;                                                                                            \
    CHECK_REFUSED(monitor, fencepost_monitor_feed_columns(monitor, &broken, 1, NULL, NULL), expected); \
  } while (0)
  CHECK_MISUSE(broken.latitudes = NULL, FENCEPOST_E_NULL_ARGUMENT);
  CHECK_MISUSE(broken.longitudes = NULL, FENCEPOST_E_NULL_ARGUMENT);
  CHECK_MISUSE(broken.times_us = NULL, FENCEPOST_E_NULL_ARGUMENT);
  CHECK_MISUSE(broken.struct_size = 0, FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_MISUSE(broken.struct_size = 20, FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_MISUSE(broken.refuse_invalid = 3, FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_MISUSE(broken.majors_m = &number, FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_feed_columns(monitor, NULL, 1, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_feed_columns(monitor, &columns, SIZE_MAX, NULL, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_feed_columns(NULL, &columns, 1, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_OK(fencepost_monitor_feed_columns(monitor, &columns, 1, NULL, NULL));
  fencepost_monitor_destroy(monitor);
}

static void full_queue(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.max_pending_events = 3;
  fencepost_monitor *monitor = new_monitor(&options);
  add_exact_circle(monitor, "a", 0);
  double latitude = 0, longitudes[10];
  int64_t times[10];
  for (int i = 0; i < 10; i++) {
    longitudes[i] = i % 2 ? 0.1 : 0;
    times[i] = SECONDS(i);
  }
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = &latitude;
  columns.latitude_stride = 0;
  columns.longitudes = longitudes;
  columns.times_us = times;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_feed_result result;
  CHECK_STATUS(fencepost_monitor_feed_columns(monitor, &columns, 10, &result, &error), FENCEPOST_E_QUEUE_FULL);
  CHECK_INT(error.position, 3);
  CHECK_INT(result.accepted, 3);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"columns: the same as rows", as_rows},
    {"columns: within rows, and backwards", strides},
    {"columns: one accuracy for all, and none", shared_and_missing},
    {"columns: unaligned", unaligned},
    {"columns: an invalid row refuses the batch", refused},
    {"columns: misuse", misuse},
    {"columns: a full queue", full_queue},
};
AREA(area_columns);
