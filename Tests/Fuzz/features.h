/* Turns bytes into what the targets `calls`, `columns` and `fleet` share: timings, bands of altitudes, policies,
   and the ellipses and heights of fixes. */
#ifndef FENCEPOST_FEATURES_H
#define FENCEPOST_FEATURES_H

#include "fuzz.h"

enum {
  INTERVALS = 3,
  POLICIES = 6
};

/* A timing with up to three intervals around a time. Some timings are invalid. */
static inline fencepost_timing take_timing(reader *in, int64_t clock, fencepost_interval intervals[INTERVALS]) {
  static const int64_t lengths[] = {1, 1000000, 5000000, 20000000, 60000000, -1, 0, INT64_MAX};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  uint8_t choice = take8(in), options = take8(in);
  int64_t edge = clock == FENCEPOST_TIME_UNSET ? INT64_C(1700000000000000) : clock;
  if (edge > FENCEPOST_TIME_MIN + 30000000) edge -= 30000000;
  if (choice & 4) timing.active = intervals;
  for (size_t i = 0; choice & 4 && i < (choice & 3); i++) {
    intervals[i].start_us = edge;
    edge += lengths[take8(in) % 5];
    intervals[i].end_us = edge;
    edge += lengths[take8(in) % 7];
    timing.active_count++;
  }
  if (choice & 8 && choice & 4) timing.active_until_us = edge;
  if (choice & 16) timing.repeat_every_us = lengths[options % 8], timing.repeat_limit = 1 + options % 5;
  if (choice & 32) timing.absent_after_us = lengths[options / 8 % 8];
  if (choice & 64) timing.max_events = 1 + options / 64;
  return timing;
}

/* A band of altitudes, perhaps an invalid one. */
static inline void take_band(reader *in, fencepost_condition_definition *definition) {
  static const double limits[] = {0, 50, 120, -30, 1e9, NAN, INFINITY, -INFINITY};
  uint8_t choice = take8(in), references = take8(in);
  definition->altitude_min_m = limits[choice & 7], definition->altitude_max_m = limits[choice >> 3 & 7];
  definition->altitude_min_reference = references & 3;
  definition->altitude_max_reference = references >> 2 & 7;
}

static inline fencepost_transition_policy policy_at(uint8_t choice) {
  fencepost_transition_policy policies[POLICIES] = {
      FENCEPOST_TRANSITION_POLICY_STANDARD_INIT,      FENCEPOST_TRANSITION_POLICY_EXACT_INIT,
      FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT, FENCEPOST_TRANSITION_POLICY_EXACT_INIT,
      FENCEPOST_TRANSITION_POLICY_STANDARD_INIT,      FENCEPOST_TRANSITION_POLICY_EXACT_INIT};
  policies[3].entry_dwell_us = 5000000;
  policies[3].dwell_policy = FENCEPOST_DWELL_EVIDENCE;
  policies[4].accuracy_factor = 0;
  policies[4].exit_dwell_us = INT64_C(1000000000000000);
  policies[5].entry_probability = 0.9;
  policies[5].exit_probability = 0.1;
  return policies[choice % POLICIES];
}

/* The values of a fix besides its position, accuracy and time. */
typedef struct measured {
  double major, minor, orientation, altitude, vertical_accuracy, geoid, ground;
} measured;

static inline measured take_measured(reader *in) {
  static const double majors[] = {NAN, 5, 30, 300, 2000, 0, 20000, -1},
                      orientations[] = {0, 45, 90, -120, 1e6, 180, NAN, INFINITY},
                      altitudes[] = {60, 0, 120, -30, 50, 100, NAN, 1e300},
                      accuracies[] = {0, 5, 40, 300, 1e9, -1, NAN, 10},
                      surfaces[] = {0, 47.5, NAN, -20, 30, INFINITY, 1e9, 49.9};
  uint8_t ellipse = take8(in), height = take8(in), above = take8(in);
  measured made;
  made.major = majors[ellipse & 7];
  made.minor = ellipse & 0x40 ? majors[ellipse & 7] : made.major / 8;
  made.orientation = isnan(made.major) && !(ellipse & 0x80) ? (double)NAN : orientations[ellipse >> 3 & 7];
  made.altitude = altitudes[height & 7], made.vertical_accuracy = accuracies[height >> 3 & 7];
  made.geoid = surfaces[above & 7], made.ground = surfaces[above >> 3 & 7];
  return made;
}

/* Columns over an array of fixes and, unless `more` is NULL, an array of what else they have. */
static inline fencepost_fix_columns columns_of(const fencepost_fix *fixes, const measured *more) {
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = &fixes->latitude, columns.longitudes = &fixes->longitude;
  columns.accuracies_m = &fixes->accuracy_m, columns.times_us = &fixes->time_us;
  columns.latitude_stride = columns.longitude_stride = columns.accuracy_stride = columns.time_stride = sizeof *fixes;
  if (more == NULL) return columns;
  columns.majors_m = &more->major, columns.minors_m = &more->minor, columns.orientations = &more->orientation;
  columns.altitudes_m = &more->altitude, columns.vertical_accuracies_m = &more->vertical_accuracy;
  columns.geoid_heights_m = &more->geoid, columns.ground_heights_m = &more->ground;
  columns.major_stride = columns.minor_stride = columns.orientation_stride = sizeof *more;
  columns.altitude_stride = columns.vertical_accuracy_stride = sizeof *more;
  columns.geoid_height_stride = columns.ground_height_stride = sizeof *more;
  return columns;
}

/* Feeds one fix, with what else it has; the status is that of a single fix. */
static inline fencepost_status feed_one(fencepost_monitor *monitor, const fencepost_fix *fix, const measured *more,
                                        fencepost_error *error) {
  fencepost_fix_columns columns = columns_of(fix, more);
  columns.refuse_invalid = 2;
  return fencepost_monitor_feed_columns(monitor, &columns, 1, NULL, error);
}

#endif
