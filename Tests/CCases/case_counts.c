/* Tests that a count too large for any array is refused before anything is read or allocated, and that the monitor does
   not change. */
#include "check.h"

static const size_t impossible[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 8, (size_t)1 << 60};

static void inputs(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_fix fix = {0, 0, 5, SECONDS(1000)};
  fencepost_beacon_sighting sighting = {{1}, 1, 2, -60};
  const char *name = "x";
  const double number = 1;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
    size_t count = impossible[i];
    CHECK_REFUSED(monitor, fencepost_monitor_feed_fixes(monitor, &fix, count, NULL, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "count of fixes");
    CHECK_REFUSED(monitor, fencepost_monitor_feed_sightings(monitor, &sighting, count, SECONDS(1000), &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "count of sightings");
    CHECK_REFUSED(monitor,
                  ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, &name, &number, &number,
                         &number, NULL, count, NULL, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "count of identifiers");
  }
  fencepost_monitor_destroy(monitor);
}

static void outputs(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_event event;
  char byte;
  size_t count = 77;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
    CHECK_REFUSED(monitor, fencepost_monitor_poll_events(monitor, &event, impossible[i], &count, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "count of out_events");
    CHECK_INT(count, 77);
  }
  for (size_t i = 0; i < 2; i++) {
    CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_identifiers, &byte, impossible[i], &count, NULL, NULL),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_REFUSED(monitor, fencepost_monitor_snapshot(monitor, &byte, impossible[i], &count, NULL),
                  FENCEPOST_E_INVALID_ARGUMENT);
    event = record_of(monitor, "exact").last_event;
    CHECK_STATUS(fencepost_event_json(&event, NULL, &byte, impossible[i], &count, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  }
  fencepost_monitor_destroy(monitor);
}

/* If the bytes claim more elements than they can contain, the library allocates no memory for them. */
static void snapshots(void) {
  fencepost_monitor *monitor = busy_monitor(), *restored = NULL;
  size_t size = 0;
  CHECK_OK(fencepost_monitor_snapshot(monitor, NULL, 0, &size, NULL));
  unsigned char *bytes = malloc(size);
  CHECK(bytes != NULL);
  CHECK_OK(fencepost_monitor_snapshot(monitor, bytes, size, &size, NULL));
  for (size_t i = 0; i < size; i++) {
    unsigned char kept = bytes[i];
    bytes[i] ^= 0xff;
    CHECK_STATUS(fencepost_monitor_restore(bytes, size, &restored, NULL), FENCEPOST_E_SNAPSHOT_INVALID);
    bytes[i] = kept;
    CHECK_STATUS(fencepost_monitor_restore(bytes, i, &restored, NULL), FENCEPOST_E_SNAPSHOT_INVALID);
  }
  CHECK_STATUS(fencepost_monitor_restore(bytes, SIZE_MAX, &restored, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(restored == NULL);
  free(bytes);
  fencepost_monitor_destroy(monitor);
}

/* The largest possible limits are accepted, and no memory is reserved for them. */
static void limits(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.condition_limit = UINT64_MAX;
  options.max_pending_events = 1000000000;
  fencepost_monitor *monitor = new_monitor(&options);
  add_exact_circle(monitor, "c", 0);
  CHECK_OK(feed(monitor, 0, T0));
  CHECK_INT(next_event(monitor).state, FENCEPOST_STATE_SATISFIED);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"counts: of inputs, impossible", inputs},
    {"counts: of outputs, impossible", outputs},
    {"counts: within snapshots", snapshots},
    {"counts: the largest limits", limits},
};
AREA(area_counts);
