/*
 * Fuzzes arrays and columns with arbitrary values: adding from columns, batches of fixes, scan reports, plans; also the
 * geodesic problems, the selection of the best fix and the filter of significant changes.
 */
#include "features.h"

enum {
  ROWS = 24
};

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
  fencepost_status status = ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, identifiers,
                                   latitudes, longitudes, radii, take8(in) & 1 ? tags : NULL, count, NULL, &error);
  require_detail(status, &error);
  REQUIRE(fencepost_monitor_statistics(monitor, &after, NULL) == FENCEPOST_OK);
  if (status == FENCEPOST_OK) {
    REQUIRE(after.condition_count <= before.condition_count + count);
  } else { /* an error: no row was added, and a single call must refuse the same row */
    REQUIRE(memcmp(&before, &after, sizeof before) == 0);
    REQUIRE(error.position < count);
    size_t row = (size_t)error.position;
    REQUIRE(identifiers[row] == NULL ||
            fencepost_monitor_add_circular_condition(monitor, identifiers[row], latitudes[row], longitudes[row],
                                                     radii[row], NULL, NULL) == status);
  }
}

/* Compares two monitors with the same inputs: the counts and events must be the same, byte for byte. Consumes their
   events. */
static void require_equal(fencepost_monitor *monitor, fencepost_monitor *other) {
  fencepost_statistics here = FENCEPOST_STATISTICS_INIT, there = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(monitor, &here, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_monitor_statistics(other, &there, NULL) == FENCEPOST_OK);
  REQUIRE(memcmp(&here, &there, sizeof here) == 0);
  for (;;) {
    fencepost_event one, two;
    uint32_t available, also;
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    REQUIRE(fencepost_monitor_poll_event(monitor, &one, &available, NULL) == FENCEPOST_OK);
    REQUIRE(fencepost_monitor_poll_event(other, &two, &also, NULL) == FENCEPOST_OK);
    REQUIRE(available == also && memcmp(&one, &two, sizeof one) == 0);
    if (!available) break;
    if (!isnan(one.vertical_distance_m)) REACH("an event with a vertical distance");
    if (!isnan(one.probability)) REACH("an event with a probability");
  }
}

static void try_fixes(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1);
  fencepost_fix *fixes = malloc(count * sizeof *fixes + 1);
  REQUIRE(fixes != NULL);
  for (size_t row = 0; row < count; row++) take_bytes(in, &fixes[row], sizeof *fixes);
  fencepost_monitor *single = NULL;
  REQUIRE(fencepost_monitor_fork(monitor, &single, NULL) == FENCEPOST_OK);
  fencepost_feed_result result = {0, 0, 0, 0};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_feed_fixes(monitor, fixes, count, &result, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_QUEUE_FULL);
  uint64_t rows = result.accepted + result.invalid + result.late;
  REQUIRE(rows == (status == FENCEPOST_OK ? count : error.position));
  /* Feeding a batch gives the same result as feeding its rows one by one. */
  for (size_t row = 0; row < rows; row++) fencepost_monitor_feed_fix(single, &fixes[row], NULL);
  require_equal(monitor, single);
  fencepost_monitor_destroy(single);
  free(fixes);
}

static int has_position(const fencepost_fix *fix) {
  /* These macros compare without raising an exception for NaN. */
  return islessequal(fabs(fix->latitude), 90) && islessequal(fabs(fix->longitude), 180) &&
         isgreaterequal(fix->accuracy_m, 0) && fix->time_us >= FENCEPOST_TIME_MIN && fix->time_us <= FENCEPOST_TIME_MAX;
}

/* A column in memory that has exactly the size of the column's rows. The stride may be negative, 0, or larger than an
   element. */
typedef struct column {
  uint8_t *memory;
  const void *first;
  int64_t stride;
} column;

static column take_column(reader *in, size_t count) {
  static const int64_t strides[] = {8, 8, 0, -8, 9, 32, -24, 1};
  column result;
  result.stride = strides[take8(in) % (sizeof strides / sizeof *strides)];
  size_t size = count == 0 ? 0 : (size_t)llabs(result.stride) * (count - 1) + 8;
  result.memory = malloc(size + 1);
  REQUIRE(result.memory != NULL);
  uint8_t *start = result.memory + 1; /* unaligned */
  take_bytes(in, start, size);
  result.first = result.stride < 0 ? start + size - 8 : start;
  return result;
}

static void read_column(const column *from, size_t row, void *out) {
  memcpy(out, (const uint8_t *)from->first + from->stride * (int64_t)row, 8);
}

/* Fixes in columns must give the same results as fixes in rows; with `refuse_invalid`, one bad row causes all rows to
   be refused. */
static void try_fix_columns(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1), first_bad = 0;
  uint8_t shape = take8(in);
  column latitude = take_column(in, count), longitude = take_column(in, count), time = take_column(in, count),
         accuracy = take_column(in, count);
  fencepost_fix fixes[ROWS];
  for (size_t row = 0; row < count; row++) {
    read_column(&latitude, row, &fixes[row].latitude);
    read_column(&longitude, row, &fixes[row].longitude);
    read_column(&time, row, &fixes[row].time_us);
    fixes[row].accuracy_m = 0;
    if (shape & 1) read_column(&accuracy, row, &fixes[row].accuracy_m);
  }
  while (first_bad < count && has_position(&fixes[first_bad])) first_bad++;
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.refuse_invalid = shape >> 1 & 1;
  columns.latitudes = latitude.first, columns.latitude_stride = latitude.stride;
  columns.longitudes = longitude.first, columns.longitude_stride = longitude.stride;
  columns.times_us = time.first, columns.time_stride = time.stride;
  columns.accuracies_m = shape & 1 ? accuracy.first : NULL, columns.accuracy_stride = accuracy.stride;
  fencepost_monitor *rows = NULL;
  REQUIRE(fencepost_monitor_fork(monitor, &rows, NULL) == FENCEPOST_OK);
  fencepost_feed_result result = {0, 0, 0, 0}, expected = {0, 0, 0, 0};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_feed_columns(monitor, &columns, count, &result, &error);
  require_detail(status, &error);
  if (columns.refuse_invalid && first_bad < count) {
    REQUIRE(status == FENCEPOST_E_INVALID_ARGUMENT && error.position == first_bad);
  } else {
    REQUIRE(fencepost_monitor_feed_fixes(rows, fixes, count, &expected, NULL) == status);
  }
  REQUIRE(memcmp(&result, &expected, sizeof result) == 0);
  require_equal(monitor, rows);
  fencepost_monitor_destroy(rows);
  free(latitude.memory);
  free(longitude.memory);
  free(time.memory);
  free(accuracy.memory);
}

/* Whatever the strides of the columns, each row must give the same answer as a single query. If one point is invalid,
   all points are refused. */
static void try_questions(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1), first_bad = 0, nearest = take8(in) % 5, size = 77, each = 77;
  column latitude = take_column(in, count), longitude = take_column(in, count);
  fencepost_fix fixes[ROWS];
  for (size_t row = 0; row < count; row++) {
    read_column(&latitude, row, &fixes[row].latitude);
    read_column(&longitude, row, &fixes[row].longitude);
    fixes[row].accuracy_m = 0;
    fixes[row].time_us = 0;
  }
  while (first_bad < count && has_position(&fixes[first_bad])) first_bad++;
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  columns.latitudes = latitude.first, columns.latitude_stride = latitude.stride;
  columns.longitudes = longitude.first, columns.longitude_stride = longitude.stride;
  int64_t offsets[ROWS + 1];
  uint64_t near[ROWS * 4 + 1], names[3 * 256];
  double lines[ROWS * 4 + 1], distances[3 * 256];
  size_t capacity = take8(in) * 3;
  fencepost_error error = FENCEPOST_ERROR_INIT, second = FENCEPOST_ERROR_INIT;
  fencepost_status status = ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, count, offsets, names,
                                   distances, capacity, &size, &error);
  require_detail(status, &error);
  fencepost_status also =
      ON_OWN(monitor, fencepost_conditions_nearest_columns, &columns, count, nearest, near, lines, &each, &second);
  require_detail(also, &second);
  if (first_bad < count) {
    REQUIRE(status == FENCEPOST_E_INVALID_ARGUMENT && error.position == first_bad && size == 77);
    REQUIRE(also == FENCEPOST_E_INVALID_ARGUMENT && second.position == first_bad && each == 77);
  } else {
    REQUIRE(also == FENCEPOST_OK && each <= nearest && offsets[0] == 0 && offsets[count] == (int64_t)size);
    REQUIRE(status == (capacity == 0 || size <= capacity ? FENCEPOST_OK : FENCEPOST_E_BUFFER_TOO_SMALL));
    for (size_t row = 0; row < count; row++) {
      uint64_t own[1024];
      double own_distances[1024];
      size_t found = 0;
      fencepost_status single = ON_OWN(monitor, fencepost_conditions_containing, fixes[row].latitude,
                                       fixes[row].longitude, own, own_distances, 1024, &found, NULL);
      REQUIRE(single == FENCEPOST_OK && offsets[row + 1] - offsets[row] == (int64_t)found);
      for (size_t i = 0; i < found; i++) REQUIRE(own_distances[i] <= 0 && (i == 0 || own[i - 1] < own[i]));
      if (status == FENCEPOST_OK && capacity > 0) {
        REQUIRE(memcmp(own, names + offsets[row], found * sizeof *own) == 0);
        REQUIRE(memcmp(own_distances, distances + offsets[row], found * sizeof *own_distances) == 0);
      }
      single = ON_OWN(monitor, fencepost_conditions_nearest, fixes[row].latitude, fixes[row].longitude, nearest, own,
                      own_distances, &found, NULL);
      REQUIRE(single == FENCEPOST_OK && found == each);
      REQUIRE(memcmp(own, near + row * nearest, found * sizeof *own) == 0);
      REQUIRE(memcmp(own_distances, lines + row * nearest, found * sizeof *own_distances) == 0);
      for (size_t i = 1; i < found; i++) REQUIRE(fabs(own_distances[i - 1]) <= fabs(own_distances[i]));
    }
  }
  free(latitude.memory);
  free(longitude.memory);
}

static void try_sightings(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1);
  fencepost_beacon_sighting *sightings = malloc(count * sizeof *sightings + 1);
  REQUIRE(sightings != NULL);
  for (size_t row = 0; row < count; row++) take_bytes(in, &sightings[row], sizeof *sightings);
  if (count > 0) {
    int32_t major = (int32_t)take8(in) - 2, minor = (int32_t)take8(in) - 2;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    require_detail(
        fencepost_monitor_add_beacon_condition(monitor, "beacon", sightings[0].uuid, major, minor, NULL, &error),
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
  fencepost_status status =
      fencepost_geodesic_inverse(value[0], value[1], value[2], value[3], &distance, &azimuth1, &azimuth2, &error);
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
  uint32_t keep[4];
  take_bytes(in, armed, sizeof armed);
  int64_t deadline = 0;
  REQUIRE(fencepost_monitor_next_deadline(monitor, &deadline, NULL) == FENCEPOST_OK);
  fencepost_error error = FENCEPOST_ERROR_INIT, second = FENCEPOST_ERROR_INIT, third = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_safe_distance(monitor, value[0], value[1], &distance, &error);
  require_detail(status, &error);
  if (status == FENCEPOST_OK) REQUIRE(distance >= 0);
  double to_circle = NAN;
  status =
      distances_to(fencepost_circle(NULL, value[0], value[1], value[2]), &value[3], &value[4], 1, &to_circle, &second);
  require_detail(status, &second);
  if (status == FENCEPOST_OK) REQUIRE(to_circle >= -value[2]);
  fencepost_plan_options options = FENCEPOST_PLAN_OPTIONS_INIT;
  options.slots = take8(in) % 12;
  options.margin_m = value[3];
  fencepost_plan plan = FENCEPOST_PLAN_INIT;
  fencepost_armed_condition circles[12];
  size_t count = 99;
  status = fencepost_monitor_plan(monitor, value[0], value[1], value[2], take8(in) & 1 ? &options : NULL, armed, 4,
                                  keep, circles, 12, &count, &plan, &third);
  require_detail(status, &third);
  if (status == FENCEPOST_OK) REQUIRE(count <= 12 && (plan.has_wake_up == 0 || plan.wake_up_radius_m >= 0));
}

static double uncertainty(const fencepost_fix *fix, int64_t now, const fencepost_fix_selection *selection) {
  return fix->accuracy_m + selection->speed_m_per_s * 1e-6 * (double)(now - fix->time_us);
}

static void try_selection(reader *in) {
  size_t count = take8(in) % (ROWS + 1), best = 99;
  fencepost_fix *fixes = malloc(count * sizeof *fixes + 1);
  REQUIRE(fixes != NULL);
  for (size_t row = 0; row < count; row++) take_bytes(in, &fixes[row], sizeof *fixes);
  fencepost_fix_selection selection = FENCEPOST_FIX_SELECTION_INIT;
  int64_t now;
  take_bytes(in, &now, sizeof now);
  if (take8(in) & 1) {
    take_bytes(in, &selection.speed_m_per_s, 8);
    take_bytes(in, &selection.maximum_age_us, 8);
  }
  uint32_t available = 9;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_best_fix(fixes, count, now, &selection, &best, &available, &error);
  require_detail(status, &error);
  REQUIRE((status == FENCEPOST_OK && available == 1) == (best != 99));
  int is_any = 0;
  for (size_t row = 0; status == FENCEPOST_OK && row < count; row++) {
    const fencepost_fix *fix = &fixes[row];
    if (!has_position(fix) || fix->time_us > now || now - fix->time_us > selection.maximum_age_us) continue;
    is_any = 1;
    REQUIRE(available == 1 && best < count);
    if (fix->accuracy_m > 0) { /* if a candidate reports an accuracy, the chosen fix does too, and the candidate is not
                                  clearly better */
      REQUIRE(fixes[best].accuracy_m > 0);
      REQUIRE(uncertainty(fix, now, &selection) >= uncertainty(&fixes[best], now, &selection) * (1 - 1e-9));
    }
  }
  if (status == FENCEPOST_OK) REQUIRE(available == (uint32_t)is_any);
  free(fixes);
}

static void try_filter(reader *in) {
  fencepost_significant_change_filter filter = FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;
  if (take8(in) & 1)
    take_bytes(in, &filter.has_last, sizeof filter - offsetof(fencepost_significant_change_filter, has_last));
  for (size_t i = 0; i < 6; i++) {
    fencepost_fix fix;
    take_bytes(in, &fix, sizeof fix);
    fencepost_significant_change_filter before = filter;
    uint32_t accepted = 9;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    fencepost_status status = fencepost_significant_change_accept(&filter, &fix, &accepted, &error);
    require_detail(status, &error);
    if (status != FENCEPOST_OK || !accepted) {
      REQUIRE(memcmp(&before, &filter, sizeof filter) == 0 && (accepted == 0 || status != FENCEPOST_OK));
      continue;
    }
    REQUIRE(accepted == 1 && has_position(&fix) && filter.has_last && memcmp(&filter.last, &fix, sizeof fix) == 0);
    double distance = 0;
    if (!before.has_last) continue;
    REQUIRE(fencepost_geodesic_inverse(before.last.latitude, before.last.longitude, fix.latitude, fix.longitude,
                                       &distance, NULL, NULL, NULL) == FENCEPOST_OK);
    REQUIRE(distance >= filter.minimum_distance_m && fix.time_us - before.last.time_us >= filter.minimum_interval_us);
  }
}

/* Feeds rows; returns how many were used, which are all rows unless the queue of events is full. */
static uint64_t feed_all(fencepost_monitor *monitor, const fencepost_fix_columns *columns, size_t count) {
  fencepost_feed_result result = {0, 0, 0, 0};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_feed_columns(monitor, columns, count, &result, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_QUEUE_FULL);
  uint64_t rows = result.accepted + result.invalid + result.late;
  REQUIRE(rows == (status == FENCEPOST_OK ? count : error.position));
  return rows;
}

/* Rows with error ellipses give the same results as single fixes with error ellipses; a fix that is refused leaves the
   monitor as it was, except the counters. */
static void try_ellipses(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1);
  column axes[3] = {take_column(in, count), take_column(in, count), take_column(in, count)};
  fencepost_fix fixes[ROWS + 1];
  for (size_t row = 0; row < count; row++) take_bytes(in, &fixes[row], sizeof *fixes);
  fencepost_monitor *single = NULL;
  REQUIRE(fencepost_monitor_fork(monitor, &single, NULL) == FENCEPOST_OK);
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = &fixes[0].latitude, columns.longitudes = &fixes[0].longitude;
  columns.accuracies_m = &fixes[0].accuracy_m, columns.times_us = &fixes[0].time_us;
  columns.latitude_stride = columns.longitude_stride = columns.accuracy_stride = columns.time_stride = sizeof *fixes;
  columns.majors_m = axes[0].first, columns.major_stride = axes[0].stride;
  columns.minors_m = axes[1].first, columns.minor_stride = axes[1].stride;
  columns.orientations = axes[2].first, columns.orientation_stride = axes[2].stride;
  uint64_t rows = feed_all(monitor, &columns, count);
  for (size_t row = 0; row < rows; row++) {
    double ellipse[3];
    for (int axis = 0; axis < 3; axis++) read_column(&axes[axis], row, &ellipse[axis]);
    fencepost_fix_columns one = fencepost_one_fix(&fixes[row]);
    one.majors_m = &ellipse[0], one.minors_m = &ellipse[1], one.orientations = &ellipse[2];
    fencepost_error second = FENCEPOST_ERROR_INIT;
    require_detail(fencepost_monitor_feed_columns(single, &one, 1, NULL, &second), &second);
  }
  require_equal(monitor, single);
  fencepost_monitor_destroy(single);
  for (int axis = 0; axis < 3; axis++) free(axes[axis].memory);
}

/* A place within 3 km of 0, 0. */
static double take_offset(reader *in) { return (double)(int8_t)take8(in) * 2e-4; }

static int64_t take_near_time(reader *in) { return INT64_C(1700000000000000) + (int64_t)(int8_t)take8(in) * 1000000; }

/* Adds a circle or a polygon near 0, 0 that may have a band, a timing and probabilities. */
static void try_shape(reader *in, fencepost_monitor *monitor) {
  static const char *const identifiers[] = {"p", "q", "r", "s"};
  static const double radii[] = {100, 1000, 10, 400};
  uint8_t shape = take8(in);
  fencepost_interval intervals[INTERVALS];
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  fencepost_transition_policy policy = policy_at(take8(in));
  double latitude = take_offset(in), longitude = take_offset(in);
  fencepost_condition_definition made =
      fencepost_circle(identifiers[shape & 3], latitude, longitude, radii[shape >> 2 & 3]);
  double latitudes[3] = {latitude, latitude, latitude + 0.01}, longitudes[3] = {longitude, longitude + 0.01, longitude};
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes, geometry.longitudes = longitudes, geometry.vertex_count = 3;
  if (shape & 0x10) made = fencepost_polygon(made.identifier, &geometry);
  if (shape & 0x90) made.buffer_m = shape & 0x80 ? 20 : 0;
  if (shape & 0x20) take_band(in, &made);
  if (shape & 0x40) {
    timing = take_timing(in, FENCEPOST_TIME_UNSET, intervals);
    made.timing = &timing;
  }
  made.policy = &policy;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = ON_OWN(monitor, add_one, made, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_INVALID_ARGUMENT);
}

/* Rows with ellipses and heights give the same results as single fixes. */
static void try_measured(reader *in, fencepost_monitor *monitor) {
  size_t count = take8(in) % (ROWS + 1);
  static const double accuracies[] = {5, 0, 30, 1000};
  fencepost_fix fixes[ROWS + 1];
  measured more[ROWS + 1];
  for (size_t row = 0; row < count; row++) {
    fixes[row].latitude = take_offset(in), fixes[row].longitude = take_offset(in);
    fixes[row].time_us = take_near_time(in);
    fixes[row].accuracy_m = accuracies[(uint64_t)fixes[row].time_us & 3];
    more[row] = take_measured(in);
  }
  fencepost_monitor *single = NULL;
  REQUIRE(fencepost_monitor_fork(monitor, &single, NULL) == FENCEPOST_OK);
  fencepost_fix_columns columns = columns_of(fixes, more);
  uint64_t rows = feed_all(monitor, &columns, count);
  for (size_t row = 0; row < rows; row++) {
    fencepost_error second = FENCEPOST_ERROR_INIT;
    require_detail(feed_one(single, &fixes[row], &more[row], &second), &second);
  }
  require_equal(monitor, single);
  fencepost_monitor_destroy(single);
}

/* With heights and times, a point is in some of the shapes that contain it without them; each row gives the same
   answer as a call with this row alone. */
static void try_heights_and_times(reader *in, fencepost_monitor *monitor) {
  enum {
    MOST = 1024
  };
  size_t count = take8(in) % (ROWS + 1), size = 0;
  measured more[ROWS + 1];
  double latitudes[ROWS + 1], longitudes[ROWS + 1];
  int64_t times[ROWS + 1], offsets[ROWS + 1];
  static uint64_t all[ROWS * MOST], alone[MOST], plain[MOST];
  for (size_t row = 0; row < count; row++) {
    latitudes[row] = take_offset(in), longitudes[row] = take_offset(in);
    times[row] = take8(in) & 1 ? take_near_time(in) : FENCEPOST_TIME_UNSET;
    more[row] = take_measured(in);
  }
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  columns.latitudes = latitudes, columns.longitudes = longitudes, columns.times_us = times;
  columns.altitudes_m = &more->altitude, columns.altitude_stride = sizeof *more;
  columns.geoid_heights_m = &more->geoid, columns.geoid_height_stride = sizeof *more;
  columns.ground_heights_m = &more->ground, columns.ground_height_stride = sizeof *more;
  REQUIRE(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, count, offsets, all, NULL, ROWS * MOST,
                 &size, NULL) == FENCEPOST_OK);
  REQUIRE(offsets[0] == 0 && offsets[count] == (int64_t)size);
  for (size_t row = 0; row < count; row++) {
    fencepost_point_columns one = columns;
    int64_t ends[2];
    size_t found = 0, there = 0, met = 0;
    one.latitudes += row, one.longitudes += row, one.times_us += row;
    one.altitudes_m = &more[row].altitude, one.geoid_heights_m = &more[row].geoid;
    one.ground_heights_m = &more[row].ground;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_containing_columns, &one, 1, ends, alone, NULL, MOST, &found, NULL) ==
            FENCEPOST_OK);
    REQUIRE(offsets[row + 1] - offsets[row] == (int64_t)found);
    REQUIRE(memcmp(alone, all + offsets[row], found * sizeof *alone) == 0);
    REQUIRE(ON_OWN(monitor, fencepost_conditions_containing, latitudes[row], longitudes[row], plain, NULL, MOST, &there,
                   NULL) == FENCEPOST_OK);
    for (size_t i = 0; i < there; i++) met += met < found && plain[i] == alone[met];
    REQUIRE(met == found);
    if (found > 0) REACH("a point at a height and time within a shape");
    if (found < there) REACH("a point within a shape at another height or time");
  }
}

/* Each row of a question for probabilities gives the same answer as a call with this row alone. */
static void try_probabilities(reader *in, fencepost_monitor *monitor) {
  static const char *const identifiers[] = {"p", "q", "r", "s"};
  static const double accuracies[] = {5, 0, 30, 1000, 1e300, -1, NAN, 20000},
                      confidences[] = {0.68, 0.95, 0.01, 0.9999, 0.5, 0, 1, NAN};
  size_t count = take8(in) % (ROWS + 1);
  uint8_t shape = take8(in);
  double latitudes[ROWS + 1], longitudes[ROWS + 1], accuracy[ROWS + 1], found[ROWS + 1];
  measured more[ROWS + 1];
  for (size_t row = 0; row < count; row++) {
    latitudes[row] = take_offset(in), longitudes[row] = take_offset(in);
    accuracy[row] = accuracies[take8(in) & 7];
    more[row] = take_measured(in);
  }
  fencepost_measured_columns columns = FENCEPOST_MEASURED_COLUMNS_INIT;
  columns.latitudes = latitudes, columns.longitudes = longitudes, columns.accuracies_m = accuracy;
  columns.majors_m = &more->major, columns.minors_m = &more->minor, columns.orientations = &more->orientation;
  columns.major_stride = columns.minor_stride = columns.orientation_stride = sizeof *more;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const char *identifier = identifiers[shape & 3];
  double confidence = confidences[shape >> 2 & 7];
  fencepost_status status =
      ON_OWN(monitor, fencepost_conditions_probability, identifier, &columns, count, confidence, found, &error);
  require_detail(status, &error);
  if (status != FENCEPOST_OK) return;
  for (size_t row = 0; row < count; row++) {
    fencepost_measured_columns one = columns;
    double alone = -1;
    one.latitudes += row, one.longitudes += row, one.accuracies_m += row;
    one.majors_m = &more[row].major, one.minors_m = &more[row].minor, one.orientations = &more[row].orientation;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_probability, identifier, &one, 1, confidence, &alone, NULL) ==
            FENCEPOST_OK);
    REQUIRE(memcmp(&alone, &found[row], sizeof alone) == 0 || (isnan(alone) && isnan(found[row])));
    REQUIRE(isnan(alone) || (alone >= 0 && alone <= 1));
    if (isgreater(alone, 0) && isless(alone, 1)) REACH("a probability between 0 and 1");
    if (isnan(alone)) REACH("a probability of an error above 10 km");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader in = {data, size};
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = take8(&in) % 3;
  options.max_pending_events = 1 + take8(&in) % 32;
  fencepost_monitor *monitor = NULL;
  REQUIRE(fencepost_monitor_create(NULL, &options, &monitor, NULL) == FENCEPOST_OK);
  for (int i = 0; in.size > 0 && i < 30; i++) {
    uint8_t what = take8(&in);
    switch (what >= 0xf0 ? 8 : what >= 0xe0 ? 9 : what >= 0xc0 ? 10 + (what >> 3 & 3) : what & 7) {
      case 0: try_columns(&in, monitor); break;
      case 1: try_fixes(&in, monitor); break;
      case 2: try_sightings(&in, monitor); break;
      case 3: try_planning(&in, monitor); break;
      case 4: try_geodesic(&in); break;
      case 5: try_selection(&in); break;
      case 6: try_filter(&in); break;
      case 8: try_questions(&in, monitor); break;
      case 9: try_ellipses(&in, monitor); break;
      case 10: try_shape(&in, monitor); break;
      case 11: try_measured(&in, monitor); break;
      case 12: try_heights_and_times(&in, monitor); break;
      case 13: try_probabilities(&in, monitor); break;
      default: try_fix_columns(&in, monitor); break;
    }
  }
  fencepost_monitor_destroy(monitor);
  return 0;
}
