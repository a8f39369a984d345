/* Tests bands of altitudes: the ranges of the members, heights of fixes, and conditions without bands. */
#include "check.h"
#include "fleets.h"

static fencepost_condition_definition zone(double least, fencepost_altitude_reference below, double most,
                                           fencepost_altitude_reference above) {
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 1000);
  circle.altitude_min_m = least, circle.altitude_min_reference = below;
  circle.altitude_max_m = most, circle.altitude_max_reference = above;
  return circle;
}

static fencepost_status try(fencepost_condition_definition definition, fencepost_error *error) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_status status = ON_OWN(monitor, add_one, definition, error);
  CHECK_INT(statistics_of(monitor).condition_count, status == FENCEPOST_OK);
  fencepost_monitor_destroy(monitor);
  return status;
}

static void refuse(fencepost_condition_definition definition, const char *word) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(try(definition, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, word);
}

enum {
  NONE = FENCEPOST_ALTITUDE_NO_LIMIT,
  ELLIPSOID = FENCEPOST_ALTITUDE_ELLIPSOID,
  SEA = FENCEPOST_ALTITUDE_MEAN_SEA_LEVEL,
  GROUND = FENCEPOST_ALTITUDE_GROUND
};

static void members_in_range(void) {
  CHECK_OK(try(zone(0, ELLIPSOID, 1, ELLIPSOID), NULL));
  CHECK_OK(try(zone(-1e9, SEA, 1e9, GROUND), NULL));
  CHECK_OK(try(zone(-INFINITY, SEA, 0, SEA), NULL));
  CHECK_OK(try(zone(5, GROUND, 5, ELLIPSOID), NULL)); /* limits of different references may be in any order */
  CHECK_OK(try(zone(9, GROUND, 5, ELLIPSOID), NULL));
  CHECK_OK(try(zone(NAN, NONE, NAN, NONE), NULL)); /* a limit without a reference is not read */
  refuse(zone(0, ELLIPSOID, 0, ELLIPSOID), "altitude_min");
  refuse(zone(1, GROUND, 0, GROUND), "altitude_min");
  refuse(zone(NAN, ELLIPSOID, 0, NONE), "altitude_min");
  refuse(zone(INFINITY, ELLIPSOID, 0, NONE), "altitude_min");
  refuse(zone(0, NONE, NAN, GROUND), "altitude_max");
  refuse(zone(0, NONE, -INFINITY, GROUND), "altitude_max");
  refuse(zone(0, NONE, 1.1e9, GROUND), "altitude_max");
  refuse(zone(0, 4, 1, GROUND), "altitude_min_reference");
  refuse(zone(0, NONE, 1, UINT32_MAX), "altitude_max_reference");
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  fencepost_condition_definition banded = zone(0, ELLIPSOID, 1, ELLIPSOID);
  banded.policy = &policy;
  static const double bad[] = {-1, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    policy.vertical_margin_m = bad[i];
    refuse(banded, "vertical_margin");
  }
}

/* A fix at the centre of the circle, with a height; NaN = not known. */
static fencepost_status feed_height(fencepost_monitor *monitor, int second, double altitude, double accuracy,
                                    double geoid, double ground) {
  fencepost_fix fix = {0, 0, 5, SECONDS(second)};
  fencepost_fix_columns one = fencepost_one_fix(&fix);
  one.altitudes_m = &altitude, one.vertical_accuracies_m = &accuracy;
  one.geoid_heights_m = &geoid, one.ground_heights_m = &ground;
  return fencepost_monitor_feed_columns(monitor, &one, 1, NULL, NULL);
}

static void expect(fencepost_monitor *monitor, int state, int second, double distance) {
  fencepost_event event;
  uint32_t available = 0;
  CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
  CHECK_INT(available, state != FENCEPOST_STATE_UNKNOWN);
  if (!available) return;
  CHECK_INT(event.state, state);
  CHECK_INT(event.evidence_date_us, SECONDS(second));
  CHECK_NEAR(event.vertical_distance_m, distance, 1e-9);
}

static fencepost_monitor *monitor_with(fencepost_condition_definition definition, double margin) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  exact.vertical_margin_m = margin;
  definition.policy = &exact;
  CHECK_OK(ON_OWN(monitor, add_one, definition, NULL));
  return monitor;
}

static void events_by_height(void) {
  fencepost_monitor *monitor = monitor_with(zone(0, GROUND, 120, GROUND), 5);
  CHECK_OK(feed_height(monitor, 0, 500, 0, NAN, NAN)); /* without the height of the ground, nothing is known */
  expect(monitor, FENCEPOST_STATE_UNKNOWN, 0, 0);
  fencepost_explanation found = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_monitor_explain(monitor, "a", &found, NULL));
  CHECK_INT(found.reason, FENCEPOST_REASON_NO_HEIGHT);
  CHECK_TEXT(fencepost_reason_name(found.reason), "no_height");
  CHECK(isnan(found.vertical_distance_m));
  CHECK_OK(feed_height(monitor, 1, 650, 0, NAN, 500));
  expect(monitor, FENCEPOST_STATE_UNSATISFIED, 1, 30);
  CHECK_OK(feed_height(monitor, 2, 617, 0, NAN, 500)); /* within the limits, but not by the margin */
  expect(monitor, FENCEPOST_STATE_UNKNOWN, 0, 0);
  CHECK_OK(fencepost_monitor_explain(monitor, "a", &found, NULL));
  CHECK_INT(found.reason, FENCEPOST_REASON_WITHIN_MARGIN);
  CHECK_NEAR(found.vertical_distance_m, -3, 1e-9);
  CHECK_OK(feed_height(monitor, 3, 615, 0, NAN, 500));
  expect(monitor, FENCEPOST_STATE_SATISFIED, 3, -5);
  CHECK_OK(feed_height(monitor, 4, NAN, 0, NAN, 500)); /* no height: nothing changes */
  CHECK_OK(feed_height(monitor, 5, 900, -1, NAN, 500));
  CHECK_OK(feed_height(monitor, 6, 900, NAN, NAN, 500));
  CHECK_OK(feed_height(monitor, 7, INFINITY, 0, NAN, 500));
  CHECK_OK(feed_height(monitor, 8, 900, 0, 500, INFINITY));
  CHECK_OK(feed_height(monitor, 9, 2e9, 0, NAN, 500));
  CHECK_OK(feed_height(monitor, 10, 624, 0, NAN, 500));
  expect(monitor, FENCEPOST_STATE_UNKNOWN, 0, 0);
  CHECK_INT(statistics_of(monitor).invalid_fixes, 0);
  CHECK_OK(feed_height(monitor, 11, 490, 0, NAN, 500));
  expect(monitor, FENCEPOST_STATE_UNSATISFIED, 11, 10);
  fencepost_monitor_destroy(monitor);
}

/* The heights of the last fix are kept: a condition that is added later looks
 * back at them, also after a snapshot. */
static void looks_back(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(feed_height(monitor, 0, 300, 0, 50, NAN));
  size_t size = 0;
  CHECK_OK(fencepost_monitor_snapshot(monitor, NULL, 0, &size, NULL));
  unsigned char bytes[4096];
  CHECK(size <= sizeof bytes);
  CHECK_OK(fencepost_monitor_snapshot(monitor, bytes, sizeof bytes, &size, NULL));
  fencepost_monitor *restored = NULL;
  CHECK_OK(fencepost_monitor_restore(bytes, size, &restored, NULL));
  fencepost_condition_definition definition = zone(200, SEA, 0, NONE);
  CHECK_OK(ON_OWN(monitor, add_one, definition, NULL));
  CHECK_OK(ON_OWN(restored, add_one, definition, NULL));
  expect(monitor, FENCEPOST_STATE_SATISFIED, 0, -50);
  expect(restored, FENCEPOST_STATE_SATISFIED, 0, -50);
  fencepost_monitor_destroy(monitor);
  fencepost_monitor_destroy(restored);
}

/* The limits come back, and nearly equal limits are kept. */
static void described(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_monitor_conditions(monitor, &table, NULL));
  fencepost_condition_definition definition = zone(10, SEA, 20, GROUND);
  CHECK_OK(fencepost_conditions_add(table, &definition, 1, NULL));
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  CHECK_OK(fencepost_conditions_describe(table, "a", NULL, NULL, &shape, NULL));
  CHECK(shape.altitude_min_m == 10 && shape.altitude_max_m == 20);
  CHECK_INT(shape.altitude_min_reference, SEA);
  CHECK_INT(shape.altitude_max_reference, GROUND);
  static const struct {
    double least, most;
    fencepost_altitude_reference below, above;
    int is_kept;
  } rows[] = {{10, 20, SEA, GROUND, 1},   {10.5, 19.5, SEA, GROUND, 1},   {10.6, 19.5, SEA, GROUND, 0},
              {10, 19.4, SEA, GROUND, 0}, {10, 20, ELLIPSOID, GROUND, 0}, {10, 20, SEA, NONE, 0},
              {10, 20, NONE, NONE, 0},    {10, INFINITY, SEA, GROUND, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CHECK_OK(fencepost_conditions_add(table, &definition, 1, NULL));
    fencepost_condition_definition other = zone(rows[i].least, rows[i].below, rows[i].most, rows[i].above);
    fencepost_sync_result result = {0, 0, 0, 0};
    CHECK_OK(fencepost_conditions_ensure(table, &other, 1, &result, NULL));
    CHECK_INT(result.kept, rows[i].is_kept);
  }
  fencepost_conditions_destroy(table);
  fencepost_monitor_destroy(monitor);
}

static void asked(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_monitor_conditions(monitor, &table, NULL));
  fencepost_condition_definition definition = zone(100, SEA, 200, GROUND);
  CHECK_OK(fencepost_conditions_add(table, &definition, 1, NULL));
  static const double zeroes[5] = {0}, altitudes[] = {NAN, 160, 160, 90, 320}, geoid = 50,
                      grounds[] = {100, NAN, 100, 100, 100};
  static const int is_found[] = {1, 1, 1, 0, 0};
  fencepost_point_columns points = FENCEPOST_POINT_COLUMNS_INIT;
  points.latitudes = points.longitudes = zeroes;
  points.altitudes_m = altitudes, points.geoid_heights_m = &geoid, points.geoid_height_stride = 0;
  points.ground_heights_m = grounds;
  int64_t offsets[6];
  uint64_t generations[5];
  double distances[5];
  size_t size = 0;
  CHECK_OK(fencepost_conditions_containing_columns(table, &points, 5, offsets, generations, distances, 5, &size, NULL));
  CHECK_INT(size, 3);
  for (int row = 0; row < 5; row++) CHECK_INT(offsets[row + 1] - offsets[row], is_found[row]);
  for (size_t row = 0; row < size; row++) CHECK_NEAR(distances[row], -1000, 1e-6);
  fencepost_conditions_destroy(table);
  fencepost_monitor_destroy(monitor);
}

static void without_bands(void) {
  fencepost_condition_definition beacon = fencepost_beacon("b", beacon_uuid, -1, -1);
  beacon.altitude_max_m = 1, beacon.altitude_max_reference = GROUND;
  refuse(beacon, "altitude_max");
  fencepost_options path = FENCEPOST_MONITOR_OPTIONS_INIT;
  path.path = FENCEPOST_PATH_GEODESIC, path.max_gap_us = 60000000;
  fencepost_monitor *monitor = new_monitor(&path);
  static const double north[] = {0, 1}, east[] = {0, 0};
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = north, geometry.longitudes = east, geometry.vertex_count = 2;
  fencepost_condition_definition gate = fencepost_line("g", &geometry);
  CHECK_OK(ON_OWN(monitor, add_one, gate, NULL));
  gate.altitude_min_m = 1, gate.altitude_min_reference = GROUND;
  CHECK_STATUS(ON_OWN(monitor, add_one, gate, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

/* Feeds rows of two devices at the centre of the circle, one row a second. */
static void feed_rows(fencepost_fleet *fleet, const fencepost_device *devices, const double *altitudes, int64_t second,
                      size_t count) {
  static const double zeroes[8] = {0};
  int64_t times[8];
  for (size_t i = 0; i < count; i++) times[i] = SECONDS(second + (int64_t)i);
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fixes.latitudes = fixes.longitudes = zeroes, fixes.times_us = times, fixes.altitudes_m = altitudes;
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  columns.devices = devices, columns.fixes = &fixes;
  fencepost_feed_result result = {0, 0, 0, 0};
  CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, count, &result, NULL));
  CHECK_INT(result.accepted, count);
}

/* Each device of a fleet has the height of its own fix, and takes it along. */
static void of_devices(void) {
  fencepost_conditions *table = new_table();
  fencepost_condition_definition definition = zone(100, ELLIPSOID, 200, ELLIPSOID);
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  policy.exit_dwell_us = 20000000;
  definition.policy = &policy, definition.assuming = FENCEPOST_STATE_UNSATISFIED;
  CHECK_OK(fencepost_conditions_add(table, &definition, 1, NULL));
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  CHECK_OK(fencepost_conditions_describe(table, "a", NULL, NULL, &shape, NULL));
  CHECK(shape.altitude_min_m == 100 && shape.altitude_max_m == 200);
  fencepost_fleet *fleet = new_fleet(table), *target = new_fleet(table);
  fencepost_device one = device_of(fleet, "one"), two = device_of(fleet, "two");
  fencepost_device devices[] = {one, two, two, one, one};
  static const double altitudes[] = {150, 300, 190, 230, NAN};
  feed_rows(fleet, devices, altitudes, 0, 5);
  static const double distances[] = {-50, -10};
  for (size_t i = 0; i < 2; i++) {
    fencepost_event event = next_fleet_event(fleet);
    CHECK_INT(event.state, FENCEPOST_STATE_SATISFIED);
    CHECK_NEAR(event.vertical_distance_m, distances[i], 1e-9);
  }
  expect_no_fleet_event(fleet);
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_fleet_explain(fleet, two, "a", &explanation, NULL));
  CHECK_NEAR(explanation.vertical_distance_m, -10, 1e-9);
  uint64_t offsets[2];
  unsigned char bytes[512];
  size_t size = 0;
  static const char *name = "one";
  CHECK_OK(fencepost_fleet_export_devices(fleet, &one, 1, 1, bytes, sizeof bytes, offsets, &size, NULL));
  CHECK_OK(fencepost_fleet_import_devices(target, &name, bytes, offsets, 1, 1, &one, NULL));
  CHECK_OK(fencepost_fleet_explain(target, one, "a", &explanation, NULL));
  CHECK_INT(explanation.reason, FENCEPOST_REASON_DWELLING); /* the last fix, without a height, left the candidate */
  CHECK(isnan(explanation.vertical_distance_m));
  CHECK_OK(fencepost_fleet_advance(target, one, SECONDS(100), 0, NULL));
  fencepost_event event = next_fleet_event(target);
  CHECK_INT(event.state, FENCEPOST_STATE_UNSATISFIED);
  CHECK_NEAR(event.vertical_distance_m, 30, 1e-9);
  fencepost_fleet_destroy(fleet);
  fencepost_fleet_destroy(target);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"height: range of the members", members_in_range},
    {"height: events", events_by_height},
    {"height: the last fix", looks_back},
    {"height: described and ensured", described},
    {"height: questions", asked},
    {"height: beacons and gates", without_bands},
    {"height: devices", of_devices},
};
AREA(area_height);
