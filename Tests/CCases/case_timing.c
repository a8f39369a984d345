/* Tests fencepost_timing: the ranges of its members, events by time alone, and shared tables. */
#include "check.h"
#include "fleets.h"

#include <stdlib.h>

enum {
  MOST = 10000
};

static fencepost_status try(const fencepost_timing *timing, fencepost_error *error) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.timing = timing;
  fencepost_status status = ON_OWN(monitor, add_one, circle, error);
  CHECK_INT(statistics_of(monitor).condition_count, status == FENCEPOST_OK);
  fencepost_monitor_destroy(monitor);
  return status;
}

static void refuse(fencepost_timing timing, const char *word) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(try(&timing, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, word);
}

static void members_in_range(void) {
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  CHECK_OK(try(&timing, NULL));
  static const int64_t durations[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1000000000000001)};
  for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
    fencepost_timing bad = timing;
    bad.absent_after_us = durations[i];
    refuse(bad, "absent_after");
    bad = timing;
    bad.repeat_every_us = durations[i];
    refuse(bad, "repeat_every");
  }
  timing.repeat_every_us = 999999;
  refuse(timing, "repeat_every");
  timing.repeat_every_us = 1000000;
  CHECK_OK(try(&timing, NULL));
  timing.repeat_limit = 0;
  refuse(timing, "repeat_limit");
  timing.repeat_limit = 1000001;
  refuse(timing, "repeat_limit");
  timing.repeat_limit = 1000000;
  CHECK_OK(try(&timing, NULL));
  timing.repeat_every_us = 0;
  refuse(timing, "repeat_limit");
  timing.repeat_limit = 1000;
  timing.max_events = UINT64_C(1) << 32;
  refuse(timing, "max_events");
  timing.max_events = UINT32_MAX;
  CHECK_OK(try(&timing, NULL));
  timing.struct_size = 3;
  refuse(timing, "struct_size");
}

static void intervals_in_range(void) {
  fencepost_interval *many = calloc(MOST + 1, sizeof *many);
  CHECK(many != NULL);
  for (int i = 0; i <= MOST; i++) many[i] = (fencepost_interval){2 * (int64_t)i, 2 * (int64_t)i + 1};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active_count = 1;
  refuse(timing, "active");
  timing.active = many;
  timing.active_count = MOST;
  CHECK_OK(try(&timing, NULL));
  timing.active_count = MOST + 1;
  refuse(timing, "10000");
  timing.active_count = SIZE_MAX;
  refuse(timing, "10000");
  timing.active_count = 0; /* never active */
  CHECK_OK(try(&timing, NULL));
  free(many);
  static const fencepost_interval bad[][2] = {
      {{0, 10}, {9, 20}},  {{20, 30}, {0, 10}},        {{0, 10}, {10, 10}},
      {{0, 10}, {20, 15}}, {{INT64_MIN, 0}, {20, 30}}, {{0, 10}, {20, FENCEPOST_TIME_MAX + 1}},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fencepost_timing given = FENCEPOST_TIMING_INIT;
    given.active = bad[i], given.active_count = 2;
    refuse(given, i == 4 ? "interval 0" : "interval 1");
  }
  fencepost_interval whole[] = {{FENCEPOST_TIME_MIN, 0}, {0, FENCEPOST_TIME_MAX}};
  timing.active = whole, timing.active_count = 2;
  CHECK_OK(try(&timing, NULL));
  timing.active_until_us = 0;
  refuse(timing, "active_until");
}

/* A device stays in a circle that is open from second 10 to second 20, and again from second 40: the first interval ends
   without an event, and the second start tells the state again. Repeats stop at their limit. */
static void events_by_time(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_interval hours[] = {{SECONDS(10), SECONDS(20)}, {SECONDS(40), SECONDS(100)}};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = hours, timing.active_count = 2, timing.active_until_us = SECONDS(100);
  timing.repeat_every_us = 4000000, timing.repeat_limit = 2, timing.max_events = 5;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.policy = &exact, circle.timing = &timing;
  CHECK_OK(ON_OWN(monitor, add_one, circle, NULL));
  for (int second = 0; second <= 90; second += 15) {
    fencepost_fix fix = {0, 0, 5, SECONDS(second)};
    CHECK_OK(fencepost_monitor_feed_fix(monitor, &fix, NULL));
  }
  static const struct {
    int32_t cause;
    int second;
    uint32_t flags;
  } expected[] = {{FENCEPOST_CAUSE_DETERMINATION, 10, 0},
                  {FENCEPOST_CAUSE_REPEAT, 12, 0},
                  {FENCEPOST_CAUSE_REPEAT, 16, 0},
                  {FENCEPOST_CAUSE_DETERMINATION, 40, 0},
                  {FENCEPOST_CAUSE_REPEAT, 42, FENCEPOST_DIAGNOSTIC_INACTIVE | FENCEPOST_DIAGNOSTIC_EXHAUSTED}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    fencepost_event event;
    uint32_t available = 0;
    CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
    CHECK_INT(available, 1);
    CHECK_INT(event.cause, expected[i].cause);
    CHECK_INT(event.state, FENCEPOST_STATE_SATISFIED);
    CHECK_INT(event.date_us, SECONDS(expected[i].second));
    CHECK_INT(event.diagnostics, expected[i].flags);
  }
  fencepost_event none;
  uint32_t available = 1;
  CHECK_OK(fencepost_monitor_poll_event(monitor, &none, &available, NULL));
  CHECK_INT(available, 0);
  fencepost_explanation found = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_monitor_explain(monitor, "a", &found, NULL));
  CHECK_INT(found.reason, FENCEPOST_REASON_INACTIVE);
  CHECK(isnan(found.seconds_to_decide));
  fencepost_monitor_destroy(monitor);
}

/* In a shared table, only shapes have a timing, also when they come from an ensured or synchronised set. */
static void tables_refuse(void) {
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_conditions_create(&table, NULL));
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  fencepost_condition_definition rows[] = {fencepost_circle("a", 0, 0, 100), fencepost_circle("b", 0, 0, 100)};
  rows[1].kind = FENCEPOST_CONDITION_BEACON_IDENTITY;
  rows[1].timing = &timing;
  fencepost_sync_result result = {9, 9, 9, 9};
  CHECK_OK(fencepost_conditions_sync(table, rows, 2, &result, NULL)); /* a timing without options */
  timing.max_events = 1;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_conditions_add(table, rows, 2, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "row 1");
  CHECK_CONTAINS(error.message, "max_events");
  CHECK_STATUS(fencepost_conditions_ensure(table, rows, 2, &result, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_sync(table, rows, 2, &result, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  rows[1] = fencepost_circle("b", 0, 0, 100), rows[1].timing = &timing;
  CHECK_OK(fencepost_conditions_add(table, rows, 2, NULL));
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_LATEST;
  fencepost_fleet *fleet = NULL;
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "delivery");
  fencepost_conditions_destroy(table);
}

/* Each device has its own intervals, repeats and number of events. */
static void of_each_device(void) {
  fencepost_conditions *table = new_table();
  fencepost_interval hours = {SECONDS(10), SECONDS(100)};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = &hours, timing.active_count = 1, timing.repeat_every_us = 4000000, timing.max_events = 2;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.policy = &exact, circle.timing = &timing;
  CHECK_OK(fencepost_conditions_add(table, &circle, 1, NULL));
  fencepost_fleet *fleet = new_fleet(table);
  fencepost_device one = device_of(fleet, "one"), two = device_of(fleet, "two");
  CHECK_OK(feed_device(fleet, one, 0, SECONDS(5)));
  expect_no_fleet_event(fleet);
  CHECK_OK(feed_device(fleet, one, 0, SECONDS(10)));
  CHECK_OK(feed_device(fleet, two, 0, SECONDS(20)));
  CHECK_OK(feed_device(fleet, one, 0, SECONDS(30)));
  static const struct {
    int device;
    int32_t cause;
    int second;
    uint32_t flags;
  } expected[] = {{1, FENCEPOST_CAUSE_DETERMINATION, 10, 0},
                  {2, FENCEPOST_CAUSE_DETERMINATION, 20, 0},
                  {1, FENCEPOST_CAUSE_REPEAT, 14, FENCEPOST_DIAGNOSTIC_INACTIVE | FENCEPOST_DIAGNOSTIC_EXHAUSTED}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    fencepost_event event = next_fleet_event(fleet);
    CHECK(event.device == (expected[i].device == 1 ? one : two));
    CHECK_INT(event.cause, expected[i].cause);
    CHECK_INT(event.date_us, SECONDS(expected[i].second));
    CHECK_INT(event.diagnostics, expected[i].flags);
  }
  expect_no_fleet_event(fleet);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* A device with host capabilities and a condition with a timing keep each other out, also if the device moves. */
static void without_hosts(void) {
  fencepost_conditions *table = new_table(), *other = new_table();
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.max_events = 2;
  fencepost_condition_definition plain = fencepost_circle("a", 0, 0, 100), timed = fencepost_circle("b", 0, 0, 100);
  timed.timing = &timing;
  CHECK_OK(fencepost_conditions_add(table, &plain, 1, NULL));
  CHECK_OK(fencepost_conditions_add(other, &plain, 1, NULL));
  fencepost_fleet *fleet = new_fleet(table), *target = new_fleet(other);
  fencepost_device one = device_of(fleet, "one");
  CHECK_OK(feed_device(fleet, one, 0, SECONDS(10)));
  CHECK_STATUS(
      fencepost_fleet_set_host_capabilities(fleet, one, FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED, 0, SECONDS(5), NULL),
      FENCEPOST_E_LATE_INPUT);
  CHECK_OK(fencepost_fleet_set_host_capabilities(fleet, one, 0, 0, SECONDS(11), NULL)); /* limits nothing */
  CHECK_OK(fencepost_conditions_add(table, &timed, 1, NULL)); /* the refused call has changed nothing */
  CHECK_OK(fencepost_fleet_set_host_capabilities(fleet, one, 0, 0, SECONDS(12), NULL));
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_fleet_set_host_capabilities(fleet, one, FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED, 0,
                                                     SECONDS(20), &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "capabilities");

  fencepost_device two = device_of(target, "two");
  CHECK_OK(feed_device(target, two, 0, SECONDS(10)));
  CHECK_OK(fencepost_fleet_set_host_capabilities(target, two, FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED, 0, SECONDS(20),
                                                 NULL));
  CHECK_STATUS(fencepost_conditions_add(other, &timed, 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "capabilities");
  uint8_t bytes[1024];
  uint64_t offsets[2];
  size_t size = 0;
  const char *name = "two";
  CHECK_OK(fencepost_fleet_export_devices(target, &two, 1, 1, bytes, sizeof bytes, offsets, &size, NULL));
  CHECK_STATUS(fencepost_fleet_import_devices(fleet, &name, bytes, offsets, 1, 1, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "capabilities");
  /* A fleet that the device enters keeps the timing out of its table. */
  fencepost_conditions_destroy(table);
  fencepost_fleet_destroy(fleet);
  table = new_table();
  fleet = new_fleet(table);
  CHECK_OK(fencepost_fleet_import_devices(fleet, &name, bytes, offsets, 1, 1, NULL, NULL));
  CHECK_STATUS(fencepost_conditions_add(table, &timed, 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_fleet_destroy(fleet);
  CHECK_OK(fencepost_conditions_add(table, &timed, 1, NULL));
  fencepost_fleet_destroy(target);
  fencepost_conditions_destroy(other);
  fencepost_conditions_destroy(table);
}

/* Adds a circle with a timing to a table and reads its description back. */
static fencepost_conditions *table_with(const fencepost_timing *timing) {
  fencepost_conditions *table = new_table();
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.timing = timing;
  CHECK_OK(fencepost_conditions_add(table, &circle, 1, NULL));
  return table;
}

static void expect_timing(const fencepost_timing *timing, const fencepost_interval *expected, size_t count) {
  fencepost_conditions *table = table_with(timing);
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  CHECK_OK(fencepost_conditions_describe(table, "a", NULL, NULL, &shape, NULL));
  CHECK_INT(shape.active_count, count);
  CHECK(shape.active == NULL && shape.active_capacity == 0 && shape.struct_size == sizeof shape);
  for (size_t room = 0; room <= count + 1; room = room < 3 ? room + 1 : room < count ? count : room + 1) {
    /* One interval more than there is room for, which stays as it is. */
    fencepost_interval *found = calloc(room + 1, sizeof *found);
    CHECK(found != NULL);
    for (size_t i = 0; i <= room; i++) found[i] = (fencepost_interval){-7, -9};
    shape = (fencepost_shape)FENCEPOST_SHAPE_INIT;
    shape.active = found;
    shape.active_capacity = room;
    CHECK_OK(fencepost_conditions_describe(table, "a", NULL, NULL, &shape, NULL));
    CHECK_INT(shape.active_count, count);
    CHECK(shape.active == found && shape.active_capacity == room && shape.radius_m == 100);
    for (size_t i = 0; i <= room; i++) {
      int is_written = i < room && i < count;
      CHECK_INT(found[i].start_us, is_written ? expected[i].start_us : -7);
      CHECK_INT(found[i].end_us, is_written ? expected[i].end_us : -9);
    }
    free(found);
  }
  CHECK_INT(shape.has_active, timing != NULL && timing->active != NULL);
  CHECK_INT(shape.active_until_us, timing == NULL ? INT64_MAX : timing->active_until_us);
  CHECK_INT(shape.absent_after_us, timing == NULL ? 0 : timing->absent_after_us);
  CHECK_INT(shape.repeat_every_us, timing == NULL ? 0 : timing->repeat_every_us);
  CHECK_INT(shape.repeat_limit, timing == NULL ? 1000 : timing->repeat_limit);
  CHECK_INT(shape.max_events, timing == NULL ? 0 : timing->max_events);
  fencepost_conditions_destroy(table);
}

static void read_back(void) {
  expect_timing(NULL, NULL, 0);
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  expect_timing(&timing, NULL, 0);
  timing.absent_after_us = 1;
  timing.repeat_every_us = INT64_C(1000000000000000);
  timing.repeat_limit = 1000000;
  timing.max_events = UINT32_MAX;
  expect_timing(&timing, NULL, 0);
  fencepost_interval *many = calloc(MOST, sizeof *many);
  CHECK(many != NULL);
  timing.active = many; /* never active */
  expect_timing(&timing, NULL, 0);
  timing.active_until_us = FENCEPOST_TIME_MAX;
  expect_timing(&timing, NULL, 0);
  for (int i = 0; i < MOST; i++) many[i] = (fencepost_interval){3 * (int64_t)i - 15000, 3 * (int64_t)i - 14999 + i % 2};
  timing.active_count = MOST;
  expect_timing(&timing, many, MOST);
  many[0].start_us = FENCEPOST_TIME_MIN; /* the ends of time */
  many[MOST - 1].end_us = FENCEPOST_TIME_MAX;
  expect_timing(&timing, many, MOST);
  timing.active_until_us = INT64_MAX;
  expect_timing(&timing, many, MOST);
  for (int i = 0; i < MOST; i++) many[i] = (fencepost_interval){i, i + 1}; /* each touches the next one */
  const fencepost_interval whole = {0, MOST};
  expect_timing(&timing, &whole, 1);
  free(many);
}

/* Callers of each size, with and without room for intervals, and callers with wrong members. */
static void read_back_by_size(void) {
  enum {
    OLD = 104
  }; /* the size without the timing */
  const fencepost_interval hours[] = {{1, 2}, {3, 4}, {5, 6}};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = hours;
  timing.active_count = 3;
  fencepost_conditions *table = table_with(&timing);
  for (uint32_t size = 8; size <= sizeof(fencepost_shape) + 64; size += 8) {
    union {
      fencepost_shape shape;
      uint8_t bytes[sizeof(fencepost_shape) + 64];
    } memory;
    fencepost_interval found[3] = {{0, 0}};
    memset(&memory, 0xee, sizeof memory);
    memory.shape.active = found;
    memory.shape.active_capacity = 2;
    memory.shape.struct_size = size;
    CHECK_OK(fencepost_conditions_describe(table, "a", NULL, NULL, &memory.shape, NULL));
    for (size_t i = size; i < sizeof memory; i++)
      if (i < offsetof(fencepost_shape, active) || i >= offsetof(fencepost_shape, active_count))
        CHECK_INT(memory.bytes[i], 0xee);
    CHECK(memory.shape.active == found && memory.shape.active_capacity == 2);
    int has_room = size >= offsetof(fencepost_shape, active_count);
    CHECK_INT(found[0].end_us, has_room ? 2 : 0);
    CHECK_INT(found[1].end_us, has_room ? 4 : 0);
    CHECK_INT(found[2].end_us, 0);
    if (size >= offsetof(fencepost_shape, active_until_us)) CHECK_INT(memory.shape.active_count, 3);
    if (size >= OLD) CHECK_INT(memory.shape.kind, FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC);
  }
  fencepost_shape wrong = FENCEPOST_SHAPE_INIT, before;
  fencepost_interval found[3] = {{0, 0}};
  const struct {
    fencepost_interval *active;
    size_t capacity;
    fencepost_status status;
  } bad[] = {{NULL, 1, FENCEPOST_E_NULL_ARGUMENT},
             {NULL, SIZE_MAX, FENCEPOST_E_INVALID_ARGUMENT},
             {found, SIZE_MAX, FENCEPOST_E_INVALID_ARGUMENT},
             {found, SIZE_MAX / 16 + 1, FENCEPOST_E_INVALID_ARGUMENT}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wrong.active = bad[i].active;
    wrong.active_capacity = bad[i].capacity;
    memcpy(&before, &wrong, sizeof wrong);
    CHECK_STATUS(fencepost_conditions_describe(table, "a", NULL, NULL, &wrong, NULL), bad[i].status);
    CHECK(memcmp(&before, &wrong, sizeof wrong) == 0 && found[0].end_us == 0);
  }
  wrong.active = found;
  wrong.active_capacity = 3;
  CHECK_STATUS(fencepost_conditions_describe(table, "b", NULL, NULL, &wrong, NULL), FENCEPOST_E_NOT_FOUND);
  CHECK(found[0].end_us == 0 && wrong.active_count == 0);
  wrong.struct_size = offsetof(fencepost_shape, active) + 4;
  CHECK_STATUS(fencepost_conditions_describe(table, "a", NULL, NULL, &wrong, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_conditions_destroy(table);
}

/* Intervals that an equal definition took over are those that are read. */
static void read_back_retimed(void) {
  const fencepost_interval hours[] = {{1, 2}, {3, 4}}, other[] = {{5, 6}};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = hours;
  timing.active_count = 2;
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.timing = &timing;
  CHECK_OK(ON_OWN(monitor, add_one, circle, NULL));
  timing.active = other;
  timing.active_count = 1;
  fencepost_sync_result result;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_ensure, &circle, 1, &result, NULL));
  CHECK_INT(result.kept, 1);
  fencepost_interval found[2] = {{0, 0}};
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  shape.active = found;
  shape.active_capacity = 2;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "a", NULL, NULL, &shape, NULL));
  CHECK_INT(shape.active_count, 1);
  CHECK_INT(found[0].start_us, 5);
  CHECK_INT(found[1].start_us, 0);
  fencepost_monitor_destroy(monitor);
}

/* A plan and a safe distance leave out inactive conditions, and a plan names the next start. */
static void in_plans(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_interval hours[] = {{SECONDS(10), SECONDS(20)}, {SECONDS(30), SECONDS(40)}};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = hours, timing.active_count = 2;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.policy = &exact, circle.timing = &timing;
  CHECK_OK(ON_OWN(monitor, add_one, circle, NULL));
  static const struct {
    int second, armed, start;
  } rows[] = {{0, 0, 10}, {10, 1, 30}, {20, 0, 30}, {30, 1, 0}, {40, 0, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CHECK_OK(feed(monitor, 0, SECONDS(rows[i].second)));
    fencepost_armed_condition armed[20];
    fencepost_plan plan = FENCEPOST_PLAN_INIT;
    size_t count = 0;
    double distance = 0;
    plan.next_start_us = 7;
    CHECK_OK(fencepost_monitor_plan(monitor, 0, 0, 0, NULL, NULL, 0, NULL, armed, 20, &count, &plan, NULL));
    CHECK_INT(count, rows[i].armed);
    CHECK(plan.next_start_us == (rows[i].start == 0 ? FENCEPOST_TIME_UNSET : SECONDS(rows[i].start)));
    CHECK_INT(plan.follow, 0);
    CHECK_OK(fencepost_monitor_safe_distance(monitor, 0, 0, &distance, NULL));
    CHECK(rows[i].armed ? distance < 100 && distance > 99.99 : isinf(distance));
    /* A program that was built before the member existed gets the members that it knows. */
    fencepost_plan older = FENCEPOST_PLAN_INIT;
    older.struct_size = offsetof(fencepost_plan, next_start_us);
    older.next_start_us = 7;
    CHECK_OK(fencepost_monitor_plan(monitor, 0, 0, 0, NULL, NULL, 0, NULL, armed, 20, &count, &older, NULL));
    CHECK_INT(older.next_start_us, 7);
  }
  fencepost_monitor_destroy(monitor);
}

/* With a time, a condition contains a point only in the intervals of its schedule, whether or not it is exhausted. */
static void asked(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_interval hours = {SECONDS(10), SECONDS(20)};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = &hours, timing.active_count = 1, timing.max_events = 1;
  fencepost_condition_definition day = fencepost_circle("day", 0, 0, 100),
                                 always = fencepost_circle("always", 0, 0, 100);
  day.timing = &timing;
  CHECK_OK(ON_OWN(monitor, add_one, day, NULL));
  CHECK_OK(ON_OWN(monitor, add_one, always, NULL));
  for (int second = 0; second < 15; second++) CHECK_OK(feed(monitor, 0, SECONDS(second)));
  static const double zeroes[6] = {0};
  static const int64_t times[6] = {SECONDS(10) - 1, SECONDS(10),          SECONDS(20) - 1,
                                   SECONDS(20),     FENCEPOST_TIME_UNSET, SECONDS(1000000000)};
  static const int found[6] = {1, 2, 2, 1, 2, 1};
  fencepost_point_columns points = FENCEPOST_POINT_COLUMNS_INIT;
  points.latitudes = points.longitudes = zeroes, points.times_us = times;
  int64_t offsets[7];
  uint64_t generations[12];
  double distances[12];
  size_t size = 0;
#define CONTAINING(count)                                                                                              \
  ON_OWN(monitor, fencepost_conditions_containing_columns, &points, count, offsets, generations, distances, 12, &size, \
         NULL)
  CHECK_OK(CONTAINING(6));
  for (int row = 0; row < 6; row++) CHECK_INT(offsets[row + 1] - offsets[row], found[row]);
  CHECK_INT(generations[0], 2);
  CHECK_NEAR(distances[0], -100, 1e-6);
  points.time_stride = 0; /* all rows share the first time */
  CHECK_OK(CONTAINING(6));
  CHECK_INT(size, 6);
  points.time_stride = 8, points.times_us = NULL;
  CHECK_OK(CONTAINING(6));
  CHECK_INT(size, 12);
  int64_t late[2] = {0, INT64_MAX};
  points.times_us = late;
  offsets[0] = 7, size = 99;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing_columns, &points, 2, offsets, generations, distances, 12,
                      &size, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_CONTAINS(error.message, "row 1: time is");
  CHECK(offsets[0] == 7 && size == 99);
  /* A program that was built before the members existed passes no times. */
  points.struct_size = offsetof(fencepost_point_columns, times_us);
  CHECK_OK(CONTAINING(2));
  CHECK_INT(size, 4);
#undef CONTAINING
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"timing: range of the members", members_in_range},
    {"timing: range of the intervals", intervals_in_range},
    {"timing: events by time", events_by_time},
    {"timing: tables", tables_refuse},
    {"timing: of each device", of_each_device},
    {"timing: without hosts", without_hosts},
    {"timing: read back", read_back},
    {"timing: read back by size", read_back_by_size},
    {"timing: read back after a new schedule", read_back_retimed},
    {"timing: plans", in_plans},
    {"timing: questions", asked},
};
AREA(area_timing);
