/* Tests the option `plausible_speed_mps`: the ranges of its values, the counts of doubted fixes, and explanations. */
#include "check.h"
#include "fleets.h"

#include <math.h>

enum {
  FIXES = 5
};

/* 0.1 degrees of longitude are 11131.9 m. */
static const double longitudes[FIXES] = {0, 0.1, 0.0001, 0.1, 0.0002};

static fencepost_options doubting(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.plausible_speed_mps = 60;
  return options;
}

static fencepost_status create(const fencepost_options *options) {
  fencepost_monitor *monitor = NULL;
  fencepost_status status = fencepost_monitor_create(NULL, options, &monitor, NULL);
  CHECK((monitor != NULL) == (status == FENCEPOST_OK));
  fencepost_monitor_destroy(monitor);
  return status;
}

static void options_in_range(void) {
  static const double speeds[] = {-1, NAN, INFINITY, -INFINITY, -0x1p-1074};
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
    fencepost_options options = doubting();
    options.plausible_speed_mps = speeds[i];
    CHECK_STATUS(create(&options), FENCEPOST_E_INVALID_ARGUMENT);
  }
  static const uint32_t counts[] = {0, 1, 1001, UINT32_MAX};
  static const int64_t times[] = {-1, INT64_MIN, INT64_C(1000000000000001), INT64_MAX};
  for (int on = 0; on < 2; on++) { /* also when the option is off */
    for (size_t i = 0; i < 4; i++) {
      fencepost_options options = doubting();
      if (!on) options.plausible_speed_mps = 0;
      CHECK_OK(create(&options));
      options.corroboration_count = counts[i];
      CHECK_STATUS(create(&options), FENCEPOST_E_INVALID_ARGUMENT);
      options.corroboration_count = i < 2 ? 2 : 1000;
      options.corroboration_time_us = i < 2 ? 0 : INT64_C(1000000000000000);
      CHECK_OK(create(&options));
      options.corroboration_time_us = times[i];
      CHECK_STATUS(create(&options), FENCEPOST_E_INVALID_ARGUMENT);
    }
  }
}

static void counts(void) {
  fencepost_options options = doubting();
  fencepost_monitor *monitor = new_monitor(&options);
  add_exact_circle(monitor, "a", 7);
  fencepost_fix fixes[FIXES];
  for (int i = 0; i < FIXES; i++) fixes[i] = (fencepost_fix){0, longitudes[i], 0, SECONDS(i)};
  fencepost_feed_result result = {9, 9, 9, 9};
  CHECK_OK(fencepost_monitor_feed_fixes(monitor, fixes, FIXES, &result, NULL));
  CHECK(result.accepted == 3 && result.invalid == 0 && result.late == 0 && result.doubted == 2);
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  CHECK_OK(fencepost_monitor_statistics(monitor, &statistics, NULL));
  CHECK(statistics.accepted_fixes == 3 && statistics.doubted_fixes == 2 && statistics.input_count == FIXES);
  fencepost_explanation why = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_monitor_explain(monitor, "a", &why, NULL));
  CHECK(why.corroborations == 0 && why.corroborations_needed == 0);
  CHECK(isnan(why.doubted_distance_m) && isnan(why.doubted_seconds) && isnan(why.doubted_limit_mps));
  CHECK_OK(feed(monitor, 0.1, SECONDS(10))); /* a doubted fix does not cause an error, and does not move the clock */
  CHECK_OK(fencepost_monitor_statistics(monitor, &statistics, NULL));
  CHECK(statistics.clock_us == SECONDS(4) && statistics.doubted_fixes == 3);
  CHECK_OK(fencepost_monitor_explain(monitor, "a", &why, NULL));
  CHECK(why.corroborations == 1 && why.corroborations_needed == 3);
  CHECK_NEAR(why.doubted_distance_m, 0.0998 * 111319.49, 0.1);
  CHECK_NEAR(why.doubted_seconds, 6, 0);
  CHECK_NEAR(why.doubted_limit_mps, 60, 0);
  fencepost_monitor_destroy(monitor);
}

/* Two steps to the next fixes can add up to more than the range of a 64-bit number. */
static void hostile_times(void) {
  fencepost_options options = doubting();
  fencepost_monitor *monitor = new_monitor(&options);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "a", 0, 1, 100, NULL, NULL));
  CHECK_OK(feed(monitor, 0, 0));
  CHECK_OK(feed(monitor, 0, SECONDS(1)));
  const int64_t step = INT64_C(1) << 62;
  const int64_t times[] = {SECONDS(1) + step, INT64_MIN + SECONDS(1), step, INT64_MIN, SECONDS(2), SECONDS(3)};
  enum {
    TIMES = sizeof times / sizeof *times
  };
  fencepost_fix fixes[TIMES];
  for (int i = 0; i < TIMES; i++) fixes[i] = (fencepost_fix){0, 0, 0, times[i]};
  fencepost_feed_result result = {9, 9, 9, 9};
  CHECK_OK(fencepost_monitor_feed_fixes(monitor, fixes, TIMES, &result, NULL));
  CHECK(result.accepted == 2 && result.invalid == 4 && result.late == 0 && result.doubted == 0);
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  CHECK_OK(fencepost_monitor_statistics(monitor, &statistics, NULL));
  CHECK(statistics.clock_us == SECONDS(3));
  fencepost_monitor_destroy(monitor);
}

static void fleets(void) {
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.plausible_speed_mps = 60;
  fencepost_fleet *fleet = NULL;
  CHECK_OK(fencepost_fleet_create(&options, &fleet, NULL));
  const char *names[] = {"a", "b"};
  fencepost_device devices[2];
  CHECK_OK(fencepost_fleet_enter_devices(fleet, names, 2, 1, devices, NULL));
  fencepost_fix fixes[2 * FIXES];
  uint64_t owners[2 * FIXES];
  for (int i = 0; i < 2 * FIXES; i++) {
    fixes[i] = (fencepost_fix){i % 2, longitudes[i / 2], 0, SECONDS(i / 2)};
    owners[i] = devices[i % 2];
  }
  fencepost_fix_columns rows = FENCEPOST_FIX_COLUMNS_INIT;
  rows.latitudes = &fixes[0].latitude, rows.longitudes = &fixes[0].longitude;
  rows.accuracies_m = &fixes[0].accuracy_m, rows.times_us = &fixes[0].time_us;
  rows.latitude_stride = rows.longitude_stride = rows.accuracy_stride = rows.time_stride = sizeof *fixes;
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  columns.devices = owners, columns.device_width = columns.device_stride = 8, columns.fixes = &rows;
  fencepost_feed_result result = {9, 9, 9, 9};
  CHECK_OK(fencepost_fleet_feed_columns(fleet, &columns, 2 * FIXES, &result, NULL));
  CHECK(result.accepted == 6 && result.invalid == 0 && result.late == 0 && result.doubted == 4);
  fencepost_fleet_counters all = FENCEPOST_FLEET_COUNTERS_INIT;
  CHECK_OK(fencepost_fleet_statistics(fleet, &all, NULL));
  CHECK(all.accepted_fixes == 6 && all.doubted_fixes == 4);
  for (int i = 0; i < 2; i++) {
    fencepost_device_statistics own = FENCEPOST_DEVICE_STATISTICS_INIT;
    CHECK_OK(fencepost_fleet_device_statistics(fleet, devices[i], &own, NULL));
    CHECK(own.accepted_fixes == 3 && own.doubted_fixes == 2 && own.input_count == FIXES);
  }
  fencepost_fleet_destroy(fleet);
}

static const ccase cases[] = {
    {"plausibility: range of the options", options_in_range},
    {"plausibility: counts and explanations of a monitor", counts},
    {"plausibility: times that are far apart", hostile_times},
    {"plausibility: counts of a fleet", fleets},
};
AREA(area_plausibility);
