/* Tests the option `path`, which assumes movement between fixes, and the fields of its events. */
#include "check.h"
#include "stores.h"

static fencepost_options geodesic(int64_t max_gap_us, double max_speed_mps) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.path = FENCEPOST_PATH_GEODESIC;
  options.max_gap_us = max_gap_us;
  options.max_speed_mps = max_speed_mps;
  return options;
}

/* The device crosses the circle between two fixes: 0.1 degrees of longitude are 11131.9 m. */
static void driving_through(void) {
  fencepost_options options = geodesic(SECONDS(600) - T0, 0);
  fencepost_monitor *monitor = new_monitor(&options), *plain = new_monitor(NULL);
  fencepost_monitor *both[] = {monitor, plain};
  for (int m = 0; m < 2; m++) {
    add_exact_circle(both[m], "a", 7);
    CHECK_OK(feed(both[m], -0.1, SECONDS(0)));
    CHECK_OK(feed(both[m], 0.1, SECONDS(200)));
    fencepost_event outside = next_event(both[m]);
    CHECK_INT(outside.state, FENCEPOST_STATE_UNSATISFIED);
    CHECK_INT(outside.flags, 0);
  }
  expect_no_event(plain);
  fencepost_event entry = next_event(monitor), leave = next_event(monitor);
  expect_no_event(monitor);
  CHECK_INT(entry.state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(entry.cause, FENCEPOST_CAUSE_CROSSING);
  CHECK_INT(entry.flags, FENCEPOST_EVENT_ON_PATH);
  CHECK_INT(leave.flags, FENCEPOST_EVENT_ON_PATH);
  CHECK_INT(entry.evidence_date_us, entry.date_us);
  CHECK_NEAR(entry.boundary_distance_m, 0, 2e-4);
  CHECK_NEAR(entry.latitude, 0, 1e-12);
  CHECK_NEAR((double)(entry.date_us - T0) / 1e6, 100 - 1000 / 111.319490793, 2e-6);
  CHECK_NEAR((double)(leave.date_us - T0) / 1e6, 100 + 1000 / 111.319490793, 2e-6);
  char json[4096];
  CHECK_OK(fencepost_event_json(&entry, NULL, json, sizeof json, NULL, NULL));
  CHECK_CONTAINS(json, ",\"evidence\":\"path\"}");
  CHECK_INT(statistics_of(monitor).input_count, 2);
  for (int m = 0; m < 2; m++) fencepost_monitor_destroy(both[m]);
}

/* After a long gap, or if the speed would exceed the limit, the path between the two fixes is unknown, and the next
   event is marked. */
static void gaps(void) {
  fencepost_options all[] = {geodesic(SECONDS(100) - T0, 0), geodesic(SECONDS(1000) - T0, 50)};
  for (int m = 0; m < 2; m++) {
    fencepost_monitor *monitor = new_monitor(&all[m]);
    add_exact_circle(monitor, "a", 0);
    CHECK_OK(feed(monitor, -0.1, SECONDS(0)));
    CHECK_OK(feed(monitor, 0.1, SECONDS(200)));
    CHECK_INT(next_event(monitor).flags, 0);
    expect_no_event(monitor);
    CHECK_OK(feed(monitor, 0.095, SECONDS(290)));
    CHECK_OK(feed(monitor, 0, SECONDS(5000)));
    fencepost_event entry = next_event(monitor);
    CHECK_INT(entry.flags & FENCEPOST_EVENT_AFTER_GAP, FENCEPOST_EVENT_AFTER_GAP);
    CHECK_INT(entry.flags & FENCEPOST_EVENT_ON_PATH, 0);
    char json[4096];
    CHECK_OK(fencepost_event_json(&entry, NULL, json, sizeof json, NULL, NULL));
    CHECK_CONTAINS(json, ",\"gap\":true}");
    fencepost_monitor_destroy(monitor);
  }
}

static void options_in_range(void) {
  const int64_t gaps[] = {0, -1, INT64_MIN, INT64_MAX, INT64_C(1000000000000001)};
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
    fencepost_options options = geodesic(gaps[i], 0);
    create_refused(FENCEPOST_E_INVALID_ARGUMENT, NULL, &options, "max_gap is ");
  }
  const double speeds[] = {-1, -1e-300, INFINITY, NAN};
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
    fencepost_options options = geodesic(1, speeds[i]);
    create_refused(FENCEPOST_E_INVALID_ARGUMENT, NULL, &options, "max_speed is ");
  }
  for (int path = -1; path < 4; path += 3) {
    fencepost_options options = geodesic(1, 0);
    options.path = path;
    create_refused(FENCEPOST_E_INVALID_ARGUMENT, NULL, &options, "path is ");
  }
}

/* The path begins at the last fix, even if the monitor was closed in between; a snapshot preserves the option
   `path`. */
static void stores_and_snapshots(void) {
  folder store = new_folder();
  fencepost_options options = geodesic(SECONDS(600) - T0, 0);
  options.store_directory = store.path;
  fencepost_monitor *monitor = NULL;
  CHECK_OK(fencepost_monitor_create("m", &options, &monitor, NULL));
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, -0.1, SECONDS(0)));
  CHECK_INT(next_event(monitor).state, FENCEPOST_STATE_UNSATISFIED);
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
  CHECK_OK(fencepost_monitor_create("m", &options, &monitor, NULL));
  size_t size = 0;
  CHECK_OK(fencepost_monitor_snapshot(monitor, NULL, 0, &size, NULL));
  void *bytes = malloc(size);
  CHECK_OK(fencepost_monitor_snapshot(monitor, bytes, size, &size, NULL));
  fencepost_monitor *copy = NULL;
  CHECK_OK(fencepost_monitor_restore(bytes, size, &copy, NULL));
  free(bytes);
  CHECK_OK(feed(monitor, 0, SECONDS(100)));
  CHECK_OK(feed(copy, 0, SECONDS(100)));
  fencepost_event entry = next_event(monitor), same = next_event(copy);
  CHECK_INT(entry.flags, FENCEPOST_EVENT_ON_PATH);
  CHECK(memcmp(&entry, &same, sizeof entry) == 0);
  fencepost_monitor_destroy(copy);
  fencepost_monitor_destroy(monitor);
  remove_folder(&store);
}

static const ccase cases[] = {
    {"path: driving through between two fixes", driving_through},
    {"path: gaps and speeds", gaps},
    {"path: range of the options", options_in_range},
    {"path: stores and snapshots", stores_and_snapshots},
};
AREA(area_path);
