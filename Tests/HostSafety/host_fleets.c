#include "host.h"

#include <math.h>

#include <stddef.h>
#include <string.h>

static const double latitudes[] = {0, 0, 0.01, 0.01, 0, 0, 0.01}, longitudes[] = {0, 0.01, 0.01, 0, 0.02, 0.03, 0.025},
                    radii[] = {500, 600};
static const uint8_t uuids[2][16] = {{1}, {2}};
static const char *const names[] = {"north", "south"}, *const devices[] = {"one", "two", "three"};

/* Adds, ensures and removes conditions of every kind, one at a time. */
static void change(fencepost_conditions *table, const fencepost_geometry *triangle) {
  static uint8_t wkb[512];
  size_t size;
  uint32_t flag = 9;
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  fencepost_condition condition;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  OK(add_one(table, fencepost_circle("circle", 0, 0, 1000), NULL));
  OK(ensure_one(table, fencepost_circle("circle", 0, 0, 1000), &flag, NULL));
  IS(flag == 0);
  OK(add_one(table, fencepost_beacon("beacon", uuids[0], 1, -1), NULL));
  OK(ensure_one(table, fencepost_beacon("beacon", uuids[0], -1, -1), &flag, NULL));
  OK(add_one(table, fencepost_polygon("polygon", triangle), NULL));
  OK(ensure_one(table, fencepost_polygon("polygon", triangle), &flag, NULL));
  OK(add_one(table, fencepost_corridor("corridor", triangle, 50), NULL));
  OK(ensure_one(table, fencepost_corridor("corridor", triangle, 60), &flag, NULL));
  OK(api.fencepost_conditions_geometry(table, "polygon", wkb, sizeof wkb, &size, NULL));
  OK(add_one(table, fencepost_wkb("again", wkb, size, 0), NULL));
  OK(ensure_one(table, fencepost_wkb("again", wkb, size, 0), &flag, NULL));
  IS(add_one(table, fencepost_wkb("no", wkb, 7, 0), &error) != FENCEPOST_OK);
  OK(api.fencepost_conditions_describe(table, "polygon", NULL, NULL, &shape, NULL));
  OK(api.fencepost_conditions_describe(table, "circle", &condition, NULL, NULL, NULL));
  OK(remove_named(table, "again", &flag, NULL));
}

/* Makes the same changes as `change`, first from columns, then all in one call. */
static void change_many(fencepost_conditions *table, fencepost_geometry *geometry) {
  static const int32_t rings[] = {0, 4, 7}, majors[] = {1, 2}, minors[] = {-1, -1};
  static uint8_t wkb[512];
  fencepost_sync_result result;
  size_t size, count;
  geometry->vertex_count = 7, geometry->ring_offsets = rings, geometry->ring_count = 2;
  static const int32_t parts[] = {0, 1, 2};
  geometry->part_offsets = parts, geometry->part_count = 2;
  OK(api.fencepost_conditions_put_circles(table, FENCEPOST_PUT_ADD, NULL, names, latitudes, longitudes, radii, NULL, 2,
                                          NULL, NULL));
  OK(api.fencepost_conditions_put_circles(table, FENCEPOST_PUT_ENSURE, NULL, names, latitudes, longitudes, radii, NULL,
                                          2, &result, NULL));
  OK(api.fencepost_conditions_put_beacons(table, FENCEPOST_PUT_ADD, NULL, names, uuids[0], majors, minors, NULL, 2,
                                          NULL, NULL));
  OK(api.fencepost_conditions_put_beacons(table, FENCEPOST_PUT_ENSURE, NULL, names, uuids[0], majors, minors, NULL, 2,
                                          &result, NULL));
  OK(api.fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD,
                                             COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names,
                                             geometry, NULL, NULL, NULL, 2, NULL, NULL));
  OK(api.fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ENSURE,
                                             COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names,
                                             geometry, NULL, NULL, NULL, 2, &result, NULL));
  OK(api.fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD,
                                             COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), names,
                                             geometry, NULL, radii, NULL, 2, NULL, NULL));
  OK(api.fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ENSURE,
                                             COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), names,
                                             geometry, NULL, radii, NULL, 2, &result, NULL));
  OK(api.fencepost_conditions_geometry(table, "polygon", wkb, sizeof wkb, &size, NULL));
  const void *wkbs[] = {wkb, wkb};
  const size_t sizes[] = {size, size};
  OK(api.fencepost_conditions_put_wkb(table, FENCEPOST_PUT_ADD, NULL, names, wkbs, sizes, NULL, NULL, 2, NULL, NULL));
  OK(api.fencepost_conditions_put_wkb(table, FENCEPOST_PUT_ENSURE, NULL, names, wkbs, sizes, NULL, NULL, 2, &result,
                                      NULL));
  IS(result.kept == 2);
  OK(api.fencepost_conditions_remove(table, names, 2, &count, NULL));
  IS(count == 2);
  fencepost_condition_definition places[2] = {FENCEPOST_CONDITION_DEFINITION_INIT, FENCEPOST_CONDITION_DEFINITION_INIT};
  places[0].kind = FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC;
  places[0].identifier = "circle", places[0].radius_m = 1000;
  places[1].kind = FENCEPOST_CONDITION_BEACON_IDENTITY;
  places[1].identifier = "beacon", places[1].major = places[1].minor = -1;
  memcpy(places[1].uuid, uuids[0], sizeof places[1].uuid);
  OK(api.fencepost_conditions_add(table, places, 2, NULL));
  OK(api.fencepost_conditions_ensure(table, places, 2, &result, NULL));
  IS(result.kept == 2);
  OK(api.fencepost_conditions_sync(table, places, 2, &result, NULL));
}

/* Lines can be added only if every fleet over the table has a path, or if the table has no fleet. */
static void change_lines(const fencepost_geometry *geometry) {
  fencepost_conditions *table = NULL;
  fencepost_sync_result result;
  OK(api.fencepost_conditions_create(&table, NULL));
  OK(api.fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD,
                                             COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names, geometry,
                                             NULL, NULL, NULL, 2, NULL, NULL));
  OK(api.fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ENSURE,
                                             COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names, geometry,
                                             NULL, NULL, NULL, 2, &result, NULL));
  IS(result.kept == 2);
  api.fencepost_conditions_destroy(table);
}

static void ask(fencepost_conditions *table) {
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  fencepost_table_version version = FENCEPOST_TABLE_VERSION_INIT;
  uint64_t generations[8];
  double distances[8], latitude, longitude;
  int64_t offsets[4];
  size_t size, count;
  char text[512];
  columns.latitudes = latitudes, columns.longitudes = longitudes;
  OK(api.fencepost_conditions_containing(table, 0, 0, generations, distances, 8, &count, NULL));
  OK(api.fencepost_conditions_identifiers_of_generations(table, generations, count, text, sizeof text, &size, NULL));
  OK(api.fencepost_conditions_containing_columns(table, &columns, 3, offsets, generations, distances, 8, &size, NULL));
  OK(api.fencepost_conditions_nearest(table, 0, 0, 2, generations, distances, &count, NULL));
  OK(api.fencepost_conditions_nearest_columns(table, &columns, 3, 2, generations, distances, &count, NULL));
  OK(api.fencepost_conditions_nearest_boundary_point(table, "circle", 1, 2, &latitude, &longitude, NULL));
  const double majors[] = {50, 0, NAN}, minors[] = {2, 0, NAN}, orientations[] = {30, 400, NAN};
  fencepost_measured_columns measured = FENCEPOST_MEASURED_COLUMNS_INIT;
  measured.latitudes = latitudes, measured.longitudes = longitudes, measured.majors_m = majors;
  measured.minors_m = minors, measured.orientations = orientations;
  OK(api.fencepost_conditions_probability(table, "circle", &measured, 3, 0.68, distances, NULL));
  OK(api.fencepost_conditions_identifiers(table, text, sizeof text, &size, &count, NULL));
  OK(api.fencepost_conditions_version(table, &version, NULL));
  IS(version.count == count);
}

static void count_wakes(void *context) { ++*(int *)context; }

/* Moves three devices in and out of the circle, first with one call for each fix, then with columns of fixes. */
static void feed(fencepost_fleet *fleet, const fencepost_device *numbers) {
  static fencepost_fix fixes[64];
  static uint8_t indices[64];
  for (int i = 0; i < 64; i++) {
    fencepost_fix fix = {0, i / 3 % 2 ? 0.1 : 0, 5, i * INT64_C(40000000)};
    fixes[i] = fix;
    indices[i] = (uint8_t)(i % 3);
    if (i < 32) OK(api.fencepost_fleet_feed_fix(fleet, numbers[i % 3], &fixes[i], NULL));
  }
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = &fixes[32].latitude, columns.longitudes = &fixes[32].longitude;
  columns.accuracies_m = &fixes[32].accuracy_m, columns.times_us = &fixes[32].time_us;
  columns.latitude_stride = columns.longitude_stride = columns.accuracy_stride = columns.time_stride = sizeof *fixes;
  fencepost_fleet_columns rows = FENCEPOST_FLEET_COLUMNS_INIT;
  rows.devices = &indices[32], rows.device_width = 1, rows.device_stride = 1;
  rows.dictionary = numbers, rows.dictionary_count = 3, rows.fixes = &columns;
  fencepost_feed_result result;
  OK(api.fencepost_fleet_feed_columns(fleet, &rows, 32, &result, NULL));
  IS(result.accepted == 32);
  fencepost_beacon_sighting sighting = {{1}, 1, 2, -60};
  OK(api.fencepost_fleet_feed_sightings(fleet, numbers[0], &sighting, 1, INT64_C(3000000000), NULL));
  OK(api.fencepost_fleet_set_beacon_scanning(fleet, numbers[0], 0, INT64_C(3001000000), NULL));
  OK(api.fencepost_fleet_set_host_capabilities(fleet, numbers[0], 1, 4, INT64_C(3001000000), NULL));
  OK(api.fencepost_fleet_set_host_capabilities(fleet, numbers[0], 0, 0, INT64_C(3001000000), NULL));
  OK(api.fencepost_fleet_advance(fleet, numbers[1], INT64_C(3002000000), 0, NULL));
  OK(api.fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, INT64_C(3003000000), 0, NULL));
  OK(api.fencepost_fleet_set_arrival_time(fleet, INT64_C(3003000000), NULL));
  OK(api.fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, INT64_C(3003000000), 1, NULL));
  OK(api.fencepost_fleet_rewind(fleet, numbers[0], INT64_C(3003000000), NULL));
  OK(api.fencepost_fleet_rewind(fleet, FENCEPOST_ALL_DEVICES, INT64_C(3002000000), NULL));
  OK(api.fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, INT64_C(3003000000), 0, NULL));
}

static void read_device(fencepost_fleet *fleet, fencepost_device number) {
  int64_t deadline;
  fencepost_state state;
  static fencepost_condition_state presences[4];
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  fencepost_device_statistics own = FENCEPOST_DEVICE_STATISTICS_INIT;
  size_t count;
  char text[64];
  OK(api.fencepost_fleet_device_identifier(fleet, number, text, sizeof text, &count, NULL));
  OK(api.fencepost_fleet_next_deadline(fleet, number, &deadline, NULL));
  OK(api.fencepost_fleet_state(fleet, number, "circle", &state, NULL));
  OK(api.fencepost_fleet_list_conditions(fleet, number, FENCEPOST_STATE_SATISFIED, 0, presences, 4, &count, NULL));
  static fencepost_device_presence everywhere[4];
  OK(api.fencepost_fleet_list_devices_inside(fleet, "circle", NULL, 0, &count, NULL));
  OK(api.fencepost_fleet_list_devices_inside(fleet, NULL, everywhere, 0, &count, NULL));
  OK(api.fencepost_fleet_explain(fleet, number, "circle", &explanation, NULL));
  double metres;
  static fencepost_armed_condition armed[20];
  fencepost_plan plan = FENCEPOST_PLAN_INIT;
  OK(api.fencepost_fleet_safe_distance(fleet, number, 0, 0, &metres, NULL));
  OK(api.fencepost_fleet_plan(fleet, number, 0, 0, 0, NULL, NULL, 0, NULL, armed, 20, &count, &plan, NULL));
  OK(api.fencepost_fleet_device_statistics(fleet, number, &own, NULL));
}

/* Moves the devices to another fleet over the same table; that fleet must refuse the damaged bytes of a device. */
static void carry(fencepost_conditions *table, fencepost_fleet *fleet, const fencepost_device *numbers) {
  static uint8_t bytes[4096];
  uint64_t offsets[4];
  size_t size;
  fencepost_fleet *other = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.conditions = table;
  OK(api.fencepost_fleet_create(&options, &other, NULL));
  OK(api.fencepost_fleet_export_devices(fleet, numbers, 3, 1, bytes, sizeof bytes, offsets, &size, NULL));
  OK(api.fencepost_fleet_import_devices(other, devices, bytes, offsets, 3, 0, NULL, NULL));
  bytes[offsets[1] + 3] ^= 0x40;
  IS(api.fencepost_fleet_import_devices(other, devices, bytes, offsets, 3, 1, NULL, &error) != FENCEPOST_OK);
  api.fencepost_fleet_destroy(other);
}

/* Restores a fleet from its bytes over the same table; damaged bytes are refused. */
static void restore(fencepost_conditions *table, fencepost_fleet *fleet) {
  static uint8_t bytes[1 << 14];
  size_t size;
  fencepost_fleet *other = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  OK(api.fencepost_fleet_checkpoint(fleet, NULL));
  OK(api.fencepost_fleet_snapshot(fleet, bytes, sizeof bytes, &size, NULL));
  OK(api.fencepost_fleet_restore(bytes, size, table, &other, NULL));
  OK(api.fencepost_fleet_close(other, NULL));
  api.fencepost_fleet_destroy(other);
  bytes[size / 2] ^= 1;
  IS(api.fencepost_fleet_restore(bytes, size, NULL, &other, &error) != FENCEPOST_OK);
}

void use_fleets(void) {
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes, geometry.longitudes = longitudes, geometry.vertex_count = 4;
  fencepost_conditions *table = NULL, *same = NULL;
  fencepost_fleet *fleet = NULL;
  fencepost_device numbers[3], found[3];
  int64_t deadline;
  size_t count, size;
  int wakes = 0;
  static char text[8192];
  static fencepost_event events[16];
  fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
  OK(api.fencepost_fleet_create(NULL, &fleet, NULL));
  OK(api.fencepost_fleet_conditions(fleet, &table, NULL));
  OK(api.fencepost_fleet_enter_devices(fleet, devices, 3, 1, numbers, NULL));
  OK(api.fencepost_fleet_set_wakeup(fleet, count_wakes, &wakes, NULL));
  change(table, &geometry);
  change_many(table, &geometry);
  change_lines(&geometry);
  ask(table);
  feed(fleet, numbers);
  IS(wakes > 0);
  OK(api.fencepost_fleet_next_deadline(fleet, FENCEPOST_ALL_DEVICES, &deadline, NULL));
  OK(api.fencepost_fleet_poll_events(fleet, events, 16, &count, NULL));
  IS(count > 3);
  OK(api.fencepost_event_json(&events[0], devices[0], text, sizeof text, &size, NULL));
  OK(api.fencepost_fleet_abandon(fleet, NULL));
  OK(api.fencepost_fleet_poll_events(fleet, events, 1, &count, NULL));
  IS(count == 1);
  OK(api.fencepost_fleet_acknowledge(fleet, NULL));
  OK(api.fencepost_fleet_statistics(fleet, &statistics, NULL));
  OK(api.fencepost_fleet_list_devices(fleet, found, 3, &count, NULL));
  double latitudes[3], longitudes[3];
  OK(api.fencepost_fleet_device_positions(fleet, found, 3, latitudes, longitudes, NULL));
  for (int i = 0; i < 3; i++) read_device(fleet, numbers[i]);
  carry(table, fleet, numbers);
  restore(table, fleet);
  fencepost_fleet *fork = NULL;
  OK(api.fencepost_fleet_fork(fleet, &fork, NULL));
  OK(api.fencepost_fleet_remove_devices(fork, &numbers[1], 1, 1, NULL));
  api.fencepost_fleet_destroy(fork);
  OK(api.fencepost_fleet_remove_devices(fleet, &numbers[2], 1, 1, NULL));
  OK(api.fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_ARRIVAL, INT64_C(3003000000), found, 3, &count, NULL));
  IS(count == 0);
  OK(api.fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT, INT64_C(1000000000000), found, 3, &count, NULL));
  OK(api.fencepost_fleet_conditions(fleet, &same, NULL));
  static uint8_t bytes[1 << 14];
  OK(api.fencepost_conditions_snapshot(same, bytes, sizeof bytes, &size, NULL));
  api.fencepost_conditions_destroy(same);
  OK(api.fencepost_conditions_restore(bytes, size, &same, NULL));
  api.fencepost_conditions_destroy(same);
  api.fencepost_conditions_destroy(table);
  api.fencepost_fleet_destroy(fleet);
}

void use_stored_fleet(const char *directory) {
  fencepost_device numbers[3];
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.store_directory = directory, options.name = "fleet";
  for (int opening = 0; opening < 2; opening++) {
    fencepost_conditions *table = NULL;
    fencepost_fleet *fleet = NULL;
    fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
    OK(api.fencepost_conditions_create(&table, NULL));
    options.conditions = table;
    OK(api.fencepost_fleet_create(&options, &fleet, NULL));
    OK(api.fencepost_fleet_statistics(fleet, &statistics, NULL));
    IS(statistics.device_count == (opening ? 3u : 0u));
    if (!opening) {
      OK(add_one(table, fencepost_circle("circle", 0, 0, 1000), NULL));
      OK(api.fencepost_fleet_enter_devices(fleet, devices, 3, 1, numbers, NULL));
      feed(fleet, numbers);
    }
    OK(api.fencepost_fleet_checkpoint(fleet, NULL));
    OK(api.fencepost_fleet_close(fleet, NULL));
    api.fencepost_fleet_destroy(fleet);
    api.fencepost_conditions_destroy(table);
  }
}
