#include "check.h"

/* Converts metres to degrees on the equator, where one degree of longitude is 111319.49 m. */
static double degrees(double metres) { return metres / 111319.490793273572; }

/* Creates circles of 100 m, one every 1000 m to the east. */
static fencepost_monitor *row_of_circles(int count) {
  fencepost_monitor *monitor = new_monitor(NULL);
  char name[16];
  for (int index = 0; index < count; index++) {
    snprintf(name, sizeof name, "c%d", index);
    CHECK_OK(fencepost_monitor_add_circular_condition(monitor, name, 0, degrees(1000.0 * index), 100, NULL, NULL));
  }
  return monitor;
}

static void state_of_a_condition(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_state state = 77;
  add_exact_circle(monitor, "c", 0);
  CHECK_OK(fencepost_monitor_state(monitor, "c", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_UNKNOWN);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(fencepost_monitor_state(monitor, "c", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_SATISFIED); /* the event is still pending */
  CHECK_INT(record_of(monitor, "c").last_event.state, FENCEPOST_STATE_UNKNOWN);
  CHECK_REFUSED(monitor, fencepost_monitor_state(monitor, "nobody", &state, NULL), FENCEPOST_E_NOT_FOUND);
  CHECK_REFUSED(monitor, fencepost_monitor_state(monitor, "", &state, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_state(monitor, NULL, &state, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_state(monitor, "c", NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_state(NULL, "c", &state, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_INT(state, FENCEPOST_STATE_SATISFIED);
  fencepost_monitor_destroy(monitor);
}

static void safe_distance(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  double distance = 9;
  CHECK_OK(fencepost_monitor_safe_distance(monitor, 0, 0, &distance, NULL));
  CHECK(isinf(distance) && distance > 0);
  add_exact_circle(monitor, "c", 0);
  CHECK_OK(fencepost_monitor_safe_distance(monitor, 0, 0, &distance, NULL));
  CHECK_NEAR(distance, 1000, 1e-5);
  CHECK_OK(fencepost_monitor_safe_distance(monitor, 0, degrees(3000), &distance, NULL));
  CHECK_NEAR(distance, 2000, 1e-5);
  CHECK_REFUSED(monitor, fencepost_monitor_safe_distance(monitor, 91, 0, &distance, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_safe_distance(monitor, 0, (double)NAN, &distance, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_safe_distance(monitor, 0, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_safe_distance(NULL, 0, 0, &distance, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_NEAR(distance, 2000, 1e-5);
  fencepost_monitor_destroy(monitor);
}

static void next_deadline(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  int64_t time = 9;
  CHECK_OK(fencepost_monitor_next_deadline(monitor, &time, NULL));
  CHECK(time == FENCEPOST_TIME_UNSET);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "c", 0, 0, 100, NULL, NULL));
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(feed(monitor, 0.01, SECONDS(5)));
  CHECK_OK(fencepost_monitor_next_deadline(monitor, &time, NULL));
  CHECK_INT(time, SECONDS(25));
  CHECK_STATUS(fencepost_monitor_next_deadline(monitor, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_next_deadline(NULL, &time, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

static void a_plan_and_its_diff(void) {
  fencepost_monitor *monitor = row_of_circles(10);
  fencepost_plan_options options = FENCEPOST_PLAN_OPTIONS_INIT;
  options.slots = 4;
  fencepost_armed_condition armed[4];
  fencepost_plan plan = FENCEPOST_PLAN_INIT;
  size_t count = 99;
  CHECK_OK(fencepost_monitor_plan(monitor, 0, 0, 0, &options, NULL, 0, NULL, armed, 4, &count, &plan, NULL));
  CHECK_INT(count, 3);
  CHECK_TEXT(armed[0].identifier, "c0");
  CHECK_TEXT(armed[1].identifier, "c1");
  CHECK_TEXT(armed[2].identifier, "c2");
  CHECK_INT(armed[0].identifier_length, 2);
  CHECK(armed[0].is_inside && !armed[1].is_inside);
  CHECK(armed[0].is_new && armed[1].is_new && armed[2].is_new);
  CHECK_NEAR(armed[1].slack_m, 900, 1e-5);
  CHECK_NEAR(armed[1].radius_m, 100, 0);
  CHECK_NEAR(armed[1].longitude, degrees(1000), 1e-12);
  CHECK_INT(plan.has_wake_up, 1);
  CHECK_NEAR(plan.wake_up_radius_m, 2900, 1e-5);
  CHECK_NEAR(plan.wake_up_longitude, 0, 0);
  CHECK_INT(plan.follow, 1); /* nothing is determined yet */

  uint64_t before[3] = {armed[0].generation, armed[1].generation, armed[2].generation};
  uint32_t keep[3] = {7, 7, 7};
  CHECK_OK(feed(monitor, degrees(2000), SECONDS(0)));
  CHECK_OK(
      fencepost_monitor_plan(monitor, 0, degrees(2000), 30, &options, before, 3, keep, armed, 4, &count, &plan, NULL));
  CHECK_INT(count, 3);
  CHECK_TEXT(armed[0].identifier, "c2");
  CHECK(keep[0] == 0 && keep[1] == 1 && keep[2] == 1);
  CHECK(!armed[0].is_new && armed[1].is_new + armed[2].is_new == 1);
  CHECK_INT(plan.follow, 0);
  CHECK_NEAR(plan.wake_up_radius_m, 1900 - 30, 1e-5);

  options.slots = 10; /* all fit */
  fencepost_armed_condition all[10];
  CHECK_OK(fencepost_monitor_plan(monitor, 0, 0, 0, &options, NULL, 0, NULL, all, 10, &count, &plan, NULL));
  CHECK_INT(count, 10);
  CHECK_INT(plan.has_wake_up, 0);
  CHECK(isnan(plan.wake_up_radius_m));
  fencepost_monitor_destroy(monitor);
}

static void a_plan_is_refused(void) {
  fencepost_monitor *monitor = row_of_circles(10);
  fencepost_plan_options options = FENCEPOST_PLAN_OPTIONS_INIT;
  fencepost_armed_condition armed[20], untouched[20];
  memset(armed, 0x5a, sizeof armed);
  memcpy(untouched, armed, sizeof armed);
  fencepost_plan plan = FENCEPOST_PLAN_INIT;
  uint64_t before[1] = {1};
  uint32_t keep[1] = {7};
  size_t count = 99;
  fencepost_error error = FENCEPOST_ERROR_INIT;
#define PLAN(latitude, accuracy, options, armed_, n, keep_, rows, capacity, count_, plan_)                         \
  fencepost_monitor_plan(monitor, latitude, 0, accuracy, options, armed_, n, keep_, rows, capacity, count_, plan_, \
                         &error)
  CHECK_STATUS(PLAN(91, 0, NULL, before, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(PLAN(0, -1, NULL, before, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(PLAN(0, (double)NAN, NULL, before, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(PLAN(0, 0, NULL, NULL, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(PLAN(0, 0, NULL, before, 1, NULL, armed, 20, &count, &plan), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(PLAN(0, 0, NULL, before, 1, keep, NULL, 20, &count, &plan), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(PLAN(0, 0, NULL, before, 1, keep, armed, 20, NULL, &plan), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(PLAN(0, 0, NULL, before, 1, keep, armed, 20, &count, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(PLAN(0, 0, NULL, before, SIZE_MAX, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(PLAN(0, 0, NULL, before, 1, keep, armed, SIZE_MAX, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_plan(NULL, 0, 0, 0, NULL, NULL, 0, NULL, NULL, 0, &count, &plan, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  const uint32_t slots[] = {0, 1000001, UINT32_MAX};
  for (size_t index = 0; index < 3; index++) {
    options.slots = slots[index];
    CHECK_STATUS(PLAN(0, 0, &options, before, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  }
  options.slots = 5;
  options.margin_m = -1;
  CHECK_STATUS(PLAN(0, 0, &options, before, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  options.margin_m = 0;
  options.maximum_radius_m = (double)NAN;
  CHECK_STATUS(PLAN(0, 0, &options, before, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  options.struct_size = 3;
  CHECK_STATUS(PLAN(0, 0, &options, before, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  plan.struct_size = 0;
  CHECK_STATUS(PLAN(0, 0, NULL, before, 1, keep, armed, 20, &count, &plan), FENCEPOST_E_INVALID_ARGUMENT);
  plan.struct_size = sizeof plan;
  CHECK_INT(count, 99);
  CHECK_STATUS(PLAN(0, 0, NULL, before, 1, keep, armed, 9, &count, &plan), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(count, 10);
  CHECK_CONTAINS(error.message, "10 armed conditions are needed");
  CHECK(memcmp(armed, untouched, sizeof armed) == 0 && keep[0] == 7 && plan.follow == 0);
  CHECK_OK(PLAN(0, 0, NULL, NULL, 0, NULL, NULL, 0, &count, &plan)); /* this call has no buffers and only counts */
  CHECK_INT(count, 10);
  CHECK_INT(plan.follow, 1);
  fencepost_monitor_destroy(monitor);
}

/* A point is inside a definition if its distance is 0 or less. */
static void definition_distance(void) {
  const double north[] = {0, 0, 0, 91}, east[] = {degrees(99.999), degrees(100.001), 0, 0};
  double found[4] = {7, 7, 7, 7};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const fencepost_condition_definition circle = fencepost_circle(NULL, 0, 0, 100);
  CHECK_OK(distances_to(circle, north, east, 3, found, NULL));
  CHECK_NEAR(found[0], -0.001, 1e-6);
  CHECK_NEAR(found[1], 0.001, 1e-6);
  CHECK(found[2] == -100 && found[3] == 7);
  const double equator = 0, over_the_line = -179.9995;
  CHECK_OK(distances_to(fencepost_circle(NULL, 0, 179.9995, 150), &equator, &over_the_line, 1, found, NULL)); /* S30 */
  CHECK(found[0] < 0);
  /* A gate has no inside. */
  const double line_north[] = {-1, 1}, line_east[] = {0, 0};
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = line_north, geometry.longitudes = line_east, geometry.vertex_count = 2;
  CHECK_OK(distances_to(fencepost_line(NULL, &geometry), north, east, 3, found, NULL));
  CHECK_NEAR(found[0], 99.999, 1e-6);
  CHECK(found[2] == 0);
  found[0] = 7;
  CHECK_STATUS(distances_to(circle, north, east, 4, found, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 3);
  CHECK(found[0] == 7);
#define WRONG(definition) \
  CHECK_STATUS(distances_to(definition, north, east, 1, found, &error), FENCEPOST_E_INVALID_ARGUMENT)
  WRONG(fencepost_circle(NULL, 91, 0, 100));
  WRONG(fencepost_circle(NULL, 0, 0, 0));
  WRONG(fencepost_circle(NULL, 0, 0, (double)INFINITY));
  WRONG(fencepost_beacon(NULL, beacon_uuid, -1, -1));
  CHECK_CONTAINS(error.message, "beacon");
  CHECK(found[0] == 7);
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  CHECK_OK(fencepost_definition_distance(&circle, &columns, 0, NULL, NULL));
  CHECK_STATUS(fencepost_definition_distance(&circle, &columns, 1, found, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_definition_distance(NULL, &columns, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_definition_distance(&circle, NULL, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  columns.latitudes = north, columns.longitudes = east;
  CHECK_STATUS(fencepost_definition_distance(&circle, &columns, 1, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_definition_distance(&circle, &columns, SIZE_MAX, found, NULL), FENCEPOST_E_INVALID_ARGUMENT);
}

static void significant_changes(void) {
  /* S71 */
  fencepost_significant_change_filter filter = FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;
  const double metres[] = {0, 600, 700, 900};
  const int64_t seconds[] = {0, 60, 301, 700};
  const uint32_t expected[] = {1, 0, 1, 0};
  uint32_t accepted = 9;
  for (size_t index = 0; index < 4; index++) {
    fencepost_fix fix = {0, degrees(metres[index]), 5, SECONDS(seconds[index])};
    CHECK_OK(fencepost_significant_change_accept(&filter, &fix, &accepted, NULL));
    CHECK_INT(accepted, expected[index]);
  }
  CHECK_INT(filter.last.time_us, SECONDS(301));
  CHECK_INT(filter.struct_size, sizeof filter);

  fencepost_fix fix = {0, 0, 5, SECONDS(5000)};
  accepted = 9;
  fencepost_significant_change_filter bad = filter;
  bad.last.latitude = (double)NAN;
  CHECK_STATUS(fencepost_significant_change_accept(&bad, &fix, &accepted, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  bad = filter;
  bad.last.time_us = INT64_MIN;
  CHECK_STATUS(fencepost_significant_change_accept(&bad, &fix, &accepted, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  bad = filter;
  bad.last.accuracy_m = -1;
  CHECK_STATUS(fencepost_significant_change_accept(&bad, &fix, &accepted, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  bad = filter;
  bad.minimum_distance_m = -1;
  CHECK_STATUS(fencepost_significant_change_accept(&bad, &fix, &accepted, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  bad = filter;
  bad.minimum_interval_us = INT64_MAX;
  CHECK_STATUS(fencepost_significant_change_accept(&bad, &fix, &accepted, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  bad = filter;
  bad.struct_size = 24;
  CHECK_STATUS(fencepost_significant_change_accept(&bad, &fix, &accepted, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_significant_change_accept(NULL, &fix, &accepted, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_significant_change_accept(&filter, NULL, &accepted, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_significant_change_accept(&filter, &fix, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_INT(accepted, 9);
  fix.accuracy_m = -1;
  CHECK_OK(fencepost_significant_change_accept(&filter, &fix, &accepted, NULL));
  CHECK_INT(accepted, 0);
  CHECK_INT(filter.last.time_us, SECONDS(301));
}

static void best_fix(void) {
  fencepost_fix fixes[] = {{0, 0, 5, SECONDS(40)}, {0, 0, 90, SECONDS(100)}, {0, 0, -1, SECONDS(100)}};
  size_t index = 99;
  uint32_t available = 9;
  CHECK_OK(fencepost_best_fix(fixes, 3, SECONDS(100), NULL, &index, &available, NULL));
  CHECK(available == 1 && index == 1);
  fencepost_fix_selection selection = FENCEPOST_FIX_SELECTION_INIT;
  selection.speed_m_per_s = 0;
  CHECK_OK(fencepost_best_fix(fixes, 3, SECONDS(100), &selection, &index, &available, NULL));
  CHECK(available == 1 && index == 0);
  index = 99;
  CHECK_OK(fencepost_best_fix(fixes, 3, SECONDS(10), NULL, &index, &available, NULL));
  CHECK(available == 0 && index == 99);
  CHECK_OK(fencepost_best_fix(NULL, 0, SECONDS(10), NULL, &index, &available, NULL));
  CHECK(available == 0 && index == 99);
  available = 9;
  CHECK_STATUS(fencepost_best_fix(fixes, 3, INT64_MIN, NULL, &index, &available, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_best_fix(fixes, SIZE_MAX, 0, NULL, &index, &available, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_best_fix(NULL, 3, 0, NULL, &index, &available, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_best_fix(fixes, 3, 0, NULL, NULL, &available, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_best_fix(fixes, 3, 0, NULL, &index, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  selection.speed_m_per_s = (double)NAN;
  CHECK_STATUS(fencepost_best_fix(fixes, 3, 0, &selection, &index, &available, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  selection.speed_m_per_s = 0;
  selection.maximum_age_us = -1;
  CHECK_STATUS(fencepost_best_fix(fixes, 3, 0, &selection, &index, &available, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  selection.maximum_age_us = 0;
  selection.reserved = 1;
  CHECK_STATUS(fencepost_best_fix(fixes, 3, 0, &selection, &index, &available, NULL), FENCEPOST_E_UNSUPPORTED);
  CHECK(available == 9 && index == 99);
}

static const ccase cases[] = {
    {"state: what the detector believes, NULL", state_of_a_condition},
    {"safe_distance: inside, outside, none; refused values", safe_distance},
    {"next_deadline: of a dwell; NULL", next_deadline},
    {"plan: armed circles, wake-up circle, diff", a_plan_and_its_diff},
    {"plan: refused values leave the outputs", a_plan_is_refused},
    {"definition_distance: circles, lines, refused definitions and rows", definition_distance},
    {"significant_change_accept: S71, refused values", significant_changes},
    {"best_fix: the least uncertainty, refused values", best_fix},
};
AREA(area_planning);
