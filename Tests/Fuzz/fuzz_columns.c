/* Arrays and columns with any values: adding from columns, batches of fixes, scan reports, plans; and the geodesic problems. */
#include "fuzz.h"

enum { ROWS = 24 };

static void try_columns(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1);
  char texts[ROWS][12];
  const char *identifiers[ROWS];
  double latitudes[ROWS], longitudes[ROWS], radii[ROWS];
  uint64_t tags[ROWS];
  for (size_t row = 0; row < count; row++) {
    take_text(in, texts[row], sizeof texts[row]);
    identifiers[row] = take8(in) == 0xff ? NULL : texts[row];
    take_bytes(in, &latitudes[row], 8);
    take_bytes(in, &longitudes[row], 8);
    take_bytes(in, &radii[row], 8);
    tags[row] = row;
  }
  fencepost_statistics before = FENCEPOST_STATISTICS_INIT, after = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(monitor, &before, NULL) == FENCEPOST_OK);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_add_circular_conditions(
      monitor, identifiers, latitudes, longitudes, radii, take8(in) & 1 ? tags : NULL, count, NULL, &error);
  require_detail(status, &error);
  REQUIRE(fencepost_monitor_statistics(monitor, &after, NULL) == FENCEPOST_OK);
  if (status == FENCEPOST_OK) {
    REQUIRE(after.condition_count <= before.condition_count + count);
  } else { /* all or nothing, and single calls agree on the row */
    REQUIRE(memcmp(&before, &after, sizeof before) == 0);
    REQUIRE(error.position < count);
    size_t row = (size_t)error.position;
    REQUIRE(identifiers[row] == NULL ||
            fencepost_monitor_add_circular_condition(monitor, identifiers[row], latitudes[row], longitudes[row],
                                                     radii[row], NULL, NULL) == status);
  }
}

static void try_fixes(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1);
  fencepost_fix *fixes = malloc(count * sizeof *fixes + 1);
  REQUIRE(fixes != NULL);
  for (size_t row = 0; row < count; row++) take_bytes(in, &fixes[row], sizeof *fixes);
  fencepost_monitor *single = NULL;
  REQUIRE(fencepost_monitor_fork(monitor, &single, NULL) == FENCEPOST_OK);
  fencepost_feed_result result = {0, 0, 0};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_feed_fixes(monitor, fixes, count, &result, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_QUEUE_FULL);
  uint64_t rows = result.accepted + result.invalid + result.late;
  REQUIRE(rows == (status == FENCEPOST_OK ? count : error.position));
  /* A batch is its rows. */
  for (size_t row = 0; row < rows; row++) fencepost_monitor_feed_fix(single, &fixes[row], NULL);
  fencepost_statistics batch = FENCEPOST_STATISTICS_INIT, singles = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(monitor, &batch, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_monitor_statistics(single, &singles, NULL) == FENCEPOST_OK);
  REQUIRE(memcmp(&batch, &singles, sizeof batch) == 0);
  for (;;) {
    fencepost_event one, other;
    uint32_t there, also;
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    REQUIRE(fencepost_monitor_poll_event(monitor, &one, &there, NULL) == FENCEPOST_OK);
    REQUIRE(fencepost_monitor_poll_event(single, &other, &also, NULL) == FENCEPOST_OK);
    REQUIRE(there == also && memcmp(&one, &other, sizeof one) == 0);
    if (!there) break;
  }
  fencepost_monitor_destroy(single);
  free(fixes);
}

static void try_sightings(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1);
  fencepost_beacon_sighting *sightings = malloc(count * sizeof *sightings + 1);
  REQUIRE(sightings != NULL);
  for (size_t row = 0; row < count; row++) take_bytes(in, &sightings[row], sizeof *sightings);
  if (count > 0) {
    int32_t major = (int32_t)take8(in) - 2, minor = (int32_t)take8(in) - 2;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    require_detail(fencepost_monitor_add_beacon_condition(monitor, "beacon", sightings[0].uuid, major, minor, NULL, &error),
                   &error);
  }
  int64_t time;
  take_bytes(in, &time, sizeof time);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  require_detail(fencepost_monitor_feed_sightings(monitor, sightings, count, time, &error), &error);
  free(sightings);
}

static void try_geodesic(reader *in) {
  double value[4], distance = -1, azimuth1 = 0, azimuth2 = 0;
  for (int i = 0; i < 4; i++) take_bytes(in, &value[i], 8);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_geodesic_inverse(value[0], value[1], value[2], value[3], &distance, &azimuth1,
                                                       &azimuth2, &error);
  require_detail(status, &error);
  if (status == FENCEPOST_OK) {
    REQUIRE(distance >= 0 && distance < 20003932);
    REQUIRE(fabs(azimuth1) <= 180 && fabs(azimuth2) <= 180);
    double latitude = 0, longitude = 0, gap = 0;
    REQUIRE(fencepost_geodesic_direct(value[0], value[1], azimuth1, distance, &latitude, &longitude, NULL, NULL) == 0);
    REQUIRE(fencepost_geodesic_inverse(latitude, longitude, value[2], value[3], &gap, NULL, NULL, NULL) == 0);
    REQUIRE(gap < 1e-6);
  }
  fencepost_error second = FENCEPOST_ERROR_INIT;
  double latitude = 0, longitude = 0;
  status = fencepost_geodesic_direct(value[0], value[1], value[2], value[3], &latitude, &longitude, &azimuth2, &second);
  require_detail(status, &second);
  if (status == FENCEPOST_OK) REQUIRE(fabs(latitude) <= 90 && fabs(longitude) <= 180 && fabs(azimuth2) <= 180);
}

static void try_planning(reader *in, fencepost_monitor *monitor) {
  double value[5], distance = -1;
  for (int i = 0; i < 5; i++) take_bytes(in, &value[i], 8);
  uint64_t armed[4];
  uint32_t keep[4], contains = 9;
  take_bytes(in, armed, sizeof armed);
  int64_t deadline = 0;
  REQUIRE(fencepost_monitor_next_deadline(monitor, &deadline, NULL) == FENCEPOST_OK);
  fencepost_error error = FENCEPOST_ERROR_INIT, second = FENCEPOST_ERROR_INIT, third = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_safe_distance(monitor, value[0], value[1], &distance, &error);
  require_detail(status, &error);
  if (status == FENCEPOST_OK) REQUIRE(distance >= 0);
  status = fencepost_circle_contains(value[0], value[1], value[2], value[3], value[4], &contains, &second);
  require_detail(status, &second);
  if (status == FENCEPOST_OK) REQUIRE(contains <= 1);
  fencepost_plan_options options = FENCEPOST_PLAN_OPTIONS_INIT;
  options.slots = take8(in) % 12;
  options.margin_m = value[3];
  fencepost_plan plan = FENCEPOST_PLAN_INIT;
  fencepost_armed_condition circles[12];
  size_t count = 99;
  status = fencepost_monitor_plan(monitor, value[0], value[1], value[2], take8(in) & 1 ? &options : NULL, armed, 4, keep,
                                  circles, 12, &count, &plan, &third);
  require_detail(status, &third);
  if (status == FENCEPOST_OK) REQUIRE(count <= 12 && (plan.has_wake_up == 0 || plan.wake_up_radius_m >= 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader in = {data, size};
  fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = take8(&in) % 3;
  options.max_pending_events = 1 + take8(&in) % 32;
  fencepost_monitor *monitor = NULL;
  REQUIRE(fencepost_monitor_create(NULL, &options, &monitor, NULL) == FENCEPOST_OK);
  for (int i = 0; in.size > 0 && i < 30; i++) {
    switch (take8(&in) % 5) {
      case 0: try_columns(&in, monitor); break;
      case 1: try_fixes(&in, monitor); break;
      case 2: try_sightings(&in, monitor); break;
      case 3: try_planning(&in, monitor); break;
      default: try_geodesic(&in); break;
    }
  }
  fencepost_monitor_destroy(monitor);
  return 0;
}
