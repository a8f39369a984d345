/* Tests fleets with a path: crossings between fixes, line conditions, and plans for a device. */
#include "fleets.h"
#include "stores.h"

static fencepost_options geodesic(int64_t max_gap_us, double max_speed_mps) {
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.path = FENCEPOST_PATH_GEODESIC;
  options.max_gap_us = max_gap_us;
  options.max_speed_mps = max_speed_mps;
  return options;
}

static fencepost_fleet *path_fleet(fencepost_conditions *table, const fencepost_options *options) {
  fencepost_fleet *fleet = NULL;
  CHECK_OK(create_fleet(table, options, &fleet, NULL));
  return fleet;
}

/* Creates two lines that lead from south to north across the equator, one at a longitude of 0.05 degrees, the other at
   0.06 degrees. */
static void add_two_lines(fencepost_conditions *table) {
  static double latitudes[] = {-0.01, 0.01, -0.01, 0.01}, longitudes[] = {0.05, 0.05, 0.06, 0.06};
  static const int32_t offsets[] = {0, 2, 4};
  static const char *const names[] = {"g", "h"};
  static const uint64_t tags[] = {9, 10};
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes, geometry.longitudes = longitudes, geometry.vertex_count = 4;
  geometry.ring_offsets = offsets, geometry.ring_count = 2;
  fencepost_sync_result result;
  CHECK_OK(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD,
                                               COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names,
                                               &geometry, NULL, NULL, tags, 2, NULL, NULL));
  CHECK_OK(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ENSURE,
                                               COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names,
                                               &geometry, NULL, NULL, tags, 2, &result, NULL));
  CHECK_INT(result.kept, 2);
}

/* Between two fixes, the first device crosses the circle and both lines. Meanwhile, the second device stands still. On
   the equator, 0.1 degrees of longitude are 11131.9 m. */
static void driving_through(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  add_two_lines(table);
  fencepost_options options = geodesic(SECONDS(600) - T0, 0);
  fencepost_fleet *fleet = path_fleet(table, &options);
  fencepost_device a = device_of(fleet, "a"), b = device_of(fleet, "b");
  CHECK_OK(feed_device(fleet, a, -0.1, SECONDS(0)));
  CHECK_OK(feed_device(fleet, b, 0.02, SECONDS(50)));
  expect_no_fleet_event(fleet);
  CHECK_OK(feed_device(fleet, b, 0.02, SECONDS(150)));
  CHECK_OK(feed_device(fleet, a, 0.1, SECONDS(200)));
  fencepost_event entry = next_fleet_event(fleet), leave = next_fleet_event(fleet), g = next_fleet_event(fleet),
                  h = next_fleet_event(fleet);
  expect_no_fleet_event(fleet);
  CHECK_INT(entry.device, a);
  CHECK_INT(entry.state, FENCEPOST_STATE_SATISFIED);
  CHECK_NEAR((double)(entry.date_us - T0) / 1e6, 100 - 1000 / 111.319490793, 2e-6);
  CHECK_NEAR((double)(leave.date_us - T0) / 1e6, 100 + 1000 / 111.319490793, 2e-6);
  CHECK_INT(leave.flags, FENCEPOST_EVENT_ON_PATH);
  CHECK_INT(g.flags, FENCEPOST_EVENT_ON_PATH | FENCEPOST_EVENT_LEFT_TO_RIGHT);
  CHECK_NEAR((double)(g.date_us - SECONDS(150)), 0, 1.5);
  CHECK_TEXT(h.identifier, "h");
  CHECK_INT(h.tag, 10);
  fencepost_state state = 99;
  CHECK_OK(fencepost_fleet_state(fleet, a, "g", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_UNKNOWN);
  /* If there is a gap between two fixes, nothing on the way between them counts, and the next event reports the gap. */
  CHECK_OK(feed_device(fleet, a, 0, SECONDS(5000)));
  entry = next_fleet_event(fleet);
  CHECK_INT(entry.flags, FENCEPOST_EVENT_AFTER_GAP);
  expect_no_fleet_event(fleet);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* If a table contains lines, every fleet over the table must have a path. If a fleet over the table has no path, the
   table refuses lines. */
static void lines_need_a_path(void) {
  fencepost_conditions *table = new_table();
  fencepost_fleet *plain = new_fleet(table);
  static double latitudes[] = {-0.01, 0.01}, longitudes[] = {0, 0};
  static const int32_t offsets[] = {0, 2};
  const char *name = "g";
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes, geometry.longitudes = longitudes, geometry.vertex_count = 2;
  geometry.ring_offsets = offsets, geometry.ring_count = 1;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD,
                                                   COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), &name,
                                                   &geometry, NULL, NULL, NULL, 1, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(version_of(table).count, 0);
  fencepost_fleet_destroy(plain);
  CHECK_OK(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD,
                                               COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), &name,
                                               &geometry, NULL, NULL, NULL, 1, NULL, NULL));
  plain = NULL;
  CHECK_STATUS(create_fleet(table, NULL, &plain, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(plain == NULL);
  fencepost_options options = geodesic(0, 0);
  CHECK_STATUS(create_fleet(table, &options, &plain, &error), FENCEPOST_E_INVALID_ARGUMENT);
  options = geodesic(1, -1);
  CHECK_STATUS(create_fleet(table, &options, &plain, &error), FENCEPOST_E_INVALID_ARGUMENT);
  options = geodesic(1, 0);
  options.path = 2;
  CHECK_STATUS(create_fleet(table, &options, &plain, &error), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_condition_definition satisfied = FENCEPOST_CONDITION_DEFINITION_INIT;
  satisfied.assuming = FENCEPOST_STATE_SATISFIED;
  CHECK_STATUS(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD,
                                                   COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, &satisfied), &name,
                                                   &geometry, NULL, NULL, NULL, 1, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_conditions_destroy(table);
}

/* After a store is reopened or a snapshot is restored, the fleet still has the last fix, the candidate crossing on the
   path, and the gap. */
static void kept(void) {
  folder store = new_folder();
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  add_two_lines(table);
  fencepost_options options = geodesic(SECONDS(600) - T0, 0);
  options.store_directory = store.path, options.name = "trucks";
  options.durability = FENCEPOST_DURABILITY_EVERY_INPUT;
  fencepost_fleet *fleet = path_fleet(table, &options);
  fencepost_device a = device_of(fleet, "a"), b = device_of(fleet, "b");
  CHECK_OK(feed_device(fleet, a, -0.1, SECONDS(0)));
  CHECK_OK(feed_device(fleet, b, -0.1, SECONDS(0)));
  CHECK_OK(feed_device(fleet, b, -0.1, SECONDS(1000))); /* a gap */
  static uint8_t bytes[65536];
  size_t size;
  CHECK_OK(fencepost_fleet_snapshot(fleet, bytes, sizeof bytes, &size, NULL));
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
  fencepost_fleet *fleets[2];
  fencepost_conditions *again = new_table();
  fleets[0] = path_fleet(again, &options);
  CHECK_OK(fencepost_fleet_restore(bytes, size, NULL, &fleets[1], NULL));
  for (int f = 0; f < 2; f++) {
    CHECK_OK(feed_device(fleets[f], a, 0.1, SECONDS(200)));
    for (int e = 0; e < 4; e++) CHECK_INT(next_fleet_event(fleets[f]).device, a);
    CHECK_OK(feed_device(fleets[f], b, 0, SECONDS(1200)));
    fencepost_event entry = next_fleet_event(fleets[f]);
    CHECK_INT(entry.flags, FENCEPOST_EVENT_ON_PATH | FENCEPOST_EVENT_AFTER_GAP);
    expect_no_fleet_event(fleets[f]);
    fencepost_fleet_destroy(fleets[f]);
  }
  fencepost_conditions_destroy(again);
  /* If the table contains lines, a store can be opened only with a path. */
  table = new_table();
  options.path = FENCEPOST_PATH_FIXES;
  fleet = NULL;
  CHECK_STATUS(create_fleet(table, &options, &fleet, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  options.path = FENCEPOST_PATH_GEODESIC;
  fleet = path_fleet(table, &options);
  CHECK_INT(version_of(table).count, 3);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
  remove_folder(&store);
}

/* The safe distance and the plan for a device are the same as those for a monitor with the same fix. */
static void planning(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  add_exact(table, "east", 0.1, 4);
  fencepost_fleet *fleet = new_fleet(table);
  fencepost_device a = device_of(fleet, "a");
  double metres = 0;
  CHECK_OK(fencepost_fleet_safe_distance(fleet, a, 0, 0, &metres, NULL));
  CHECK_NEAR(metres, 1000, 1e-5);
  fencepost_plan_options options = FENCEPOST_PLAN_OPTIONS_INIT;
  options.slots = 1;
  fencepost_armed_condition armed[2];
  fencepost_plan plan = FENCEPOST_PLAN_INIT;
  size_t count = 0;
  CHECK_OK(fencepost_fleet_plan(fleet, a, 0, 0.05, 0, &options, NULL, 0, NULL, armed, 2, &count, &plan, NULL));
  CHECK_INT(plan.follow, 1); /* no fix has determined the states of the circles yet */
  CHECK_OK(feed_device(fleet, a, 0.05, SECONDS(0)));
  CHECK_OK(fencepost_fleet_plan(fleet, a, 0, 0.05, 0, &options, NULL, 0, NULL, armed, 2, &count, &plan, NULL));
  CHECK_INT(plan.follow, 0);
  CHECK_INT(plan.has_wake_up, 1);
  CHECK_INT(count, 0);
  CHECK_NEAR(plan.wake_up_radius_m, 0.05 * 111319.490793 - 1000, 1e-3);
  options.slots = 2;
  const uint64_t before[] = {1, 77};
  uint32_t keep[2] = {9, 9};
  CHECK_OK(fencepost_fleet_plan(fleet, a, 0, 0.05, 0, &options, before, 2, keep, armed, 2, &count, &plan, NULL));
  CHECK_INT(count, 2);
  CHECK_INT(keep[0], 1);
  CHECK_INT(keep[1], 0);
  CHECK_INT(armed[0].is_inside, 0);
  CHECK_STATUS(fencepost_fleet_plan(fleet, a, 0, 0.05, 0, &options, NULL, 0, NULL, armed, 1, &count, &plan, NULL),
               FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_STATUS(fencepost_fleet_safe_distance(fleet, a + 1, 0, 0, &metres, NULL), FENCEPOST_E_NO_SUCH_DEVICE);
  CHECK_STATUS(fencepost_fleet_safe_distance(fleet, a, 91, 0, &metres, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_safe_distance(fleet, a, 0, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_safe_distance(NULL, a, 0, 0, &metres, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_plan(fleet, a + 1, 0, 0, 0, NULL, NULL, 0, NULL, armed, 2, &count, &plan, NULL),
               FENCEPOST_E_NO_SUCH_DEVICE);
  CHECK_STATUS(fencepost_fleet_plan(fleet, a, 0, 0, -1, NULL, NULL, 0, NULL, armed, 2, &count, &plan, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_plan(fleet, a, 0, 0, 0, NULL, NULL, 0, NULL, armed, 2, NULL, &plan, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {{"fleet path: crossings between fixes", driving_through},
                              {"fleet path: lines need a path in each fleet", lines_need_a_path},
                              {"fleet path: a store and a snapshot keep it", kept},
                              {"fleet path: a device has a safe distance and a plan", planning}};
AREA(area_fleet_path);
