#include "check.h"

static void fix_success(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  static const fencepost_fix fixes[] = {{90, 180, 0, FENCEPOST_TIME_MIN},
                                        {-90, -180, 1e300, FENCEPOST_TIME_MIN},
                                        {0, 0, 0, FENCEPOST_TIME_MAX},
                                        {-0.0, -0.0, -0.0, FENCEPOST_TIME_MAX}};
  add_exact_circle(monitor, "c", 0);
  for (size_t i = 0; i < 4; i++) CHECK_OK(fencepost_monitor_feed_fix(monitor, &fixes[i], NULL));
  CHECK_INT(statistics_of(monitor).accepted_fixes, 4);
  CHECK_INT(statistics_of(monitor).clock_us, FENCEPOST_TIME_MAX);
  fencepost_monitor_destroy(monitor);
}

static void fix_null(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_fix fix = {0, 0, 0, SECONDS(9)};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_monitor_feed_fix(NULL, &fix, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "monitor");
  CHECK_REFUSED(monitor, fencepost_monitor_feed_fix(monitor, NULL, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "fix");
  fencepost_monitor_destroy(monitor);
}

static void fix_out_of_range(void) {
  fencepost_monitor *monitor = busy_monitor();
  const double nan = NAN, inf = INFINITY;
  const fencepost_fix bad[] = {{91, 0, 5, SECONDS(9)},   {-91, 0, 5, SECONDS(9)},    {nan, 0, 5, SECONDS(9)},
                               {inf, 0, 5, SECONDS(9)},  {-inf, 0, 5, SECONDS(9)},   {0, 181, 5, SECONDS(9)},
                               {0, -181, 5, SECONDS(9)}, {0, nan, 5, SECONDS(9)},    {0, inf, 5, SECONDS(9)},
                               {0, -inf, 5, SECONDS(9)}, {nan, nan, nan, INT64_MIN}, {91, 0, 5, SECONDS(1)},
                               {91, 0, -1, SECONDS(9)}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    CHECK_COUNTED(monitor, fencepost_monitor_feed_fix(monitor, &bad[i], &error), FENCEPOST_E_INVALID_ARGUMENT, 1, 1, 0);
    CHECK_CONTAINS(error.message, "latitude");
  }
  static const int64_t times[] = {INT64_MIN, INT64_MAX, FENCEPOST_TIME_MIN - 1, FENCEPOST_TIME_MAX + 1};
  for (size_t i = 0; i < 4; i++) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    fencepost_fix fix = {0, 0, 5, times[i]};
    CHECK_COUNTED(monitor, fencepost_monitor_feed_fix(monitor, &fix, &error), FENCEPOST_E_INVALID_ARGUMENT, 1, 1, 0);
    CHECK_CONTAINS(error.message, "time");
  }
  fencepost_monitor_destroy(monitor);
}

static void fix_without_position(void) {
  fencepost_monitor *monitor = busy_monitor();
  const double accuracies[] = {-1, (double)-INFINITY, (double)NAN, -DBL_MIN};
  for (size_t i = 0; i < 4; i++) {
    fencepost_fix fix = {0, 0, accuracies[i], SECONDS(1000)};
    CHECK_COUNTED(monitor, fencepost_monitor_feed_fix(monitor, &fix, NULL), FENCEPOST_OK, 1, 1, 0);
    fix.time_us = SECONDS(1); /* the fix is also late, but the missing position is reported first */
    CHECK_COUNTED(monitor, fencepost_monitor_feed_fix(monitor, &fix, NULL), FENCEPOST_OK, 1, 1, 0);
  }
  fencepost_monitor_destroy(monitor);
}

static void late_inputs(void) {
  fencepost_monitor *monitor = busy_monitor(); /* the monitor's clock is at second 5 */
  fencepost_beacon_sighting sighting = {{0}, 1, 2, -60};
  memcpy(sighting.uuid, beacon_uuid, 16);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  int64_t late = SECONDS(5) - 1;
  fencepost_fix fix = {0, 0, 5, late};
  CHECK_COUNTED(monitor, fencepost_monitor_feed_fix(monitor, &fix, &error), FENCEPOST_E_LATE_INPUT, 1, 0, 1);
  CHECK_CONTAINS(error.message, "2023-11-14T22:13:24.999999Z");
  CHECK_CONTAINS(error.message, "2023-11-14T22:13:25.000000Z");
  CHECK_COUNTED(monitor, fencepost_monitor_feed_sightings(monitor, &sighting, 1, late, NULL), FENCEPOST_E_LATE_INPUT, 1,
                0, 1);
  CHECK_COUNTED(monitor, fencepost_monitor_set_beacon_scanning(monitor, 0, late, NULL), FENCEPOST_E_LATE_INPUT, 1, 0,
                1);
  CHECK_COUNTED(monitor, fencepost_monitor_set_host_capabilities(monitor, 1, 2, late, NULL), FENCEPOST_E_LATE_INPUT, 1,
                0, 1);
  CHECK_COUNTED(monitor, fencepost_monitor_advance(monitor, late, NULL), FENCEPOST_E_LATE_INPUT, 1, 0, 1);
  CHECK_COUNTED(monitor, fencepost_monitor_advance(monitor, FENCEPOST_TIME_MIN, NULL), FENCEPOST_E_LATE_INPUT, 1, 0, 1);
  CHECK_OK(feed(monitor, 0.05, SECONDS(5))); /* an input at the same time as the last one is allowed */
  fencepost_monitor_destroy(monitor);
}

static void bad_times(void) {
  fencepost_monitor *monitor = busy_monitor();
  static const int64_t times[] = {INT64_MIN, INT64_MAX, FENCEPOST_TIME_MIN - 1, FENCEPOST_TIME_MAX + 1};
  for (size_t i = 0; i < 4; i++) {
    CHECK_COUNTED(monitor, fencepost_monitor_feed_sightings(monitor, NULL, 0, times[i], NULL),
                  FENCEPOST_E_INVALID_ARGUMENT, 1, 0, 0);
    CHECK_COUNTED(monitor, fencepost_monitor_set_beacon_scanning(monitor, 0, times[i], NULL),
                  FENCEPOST_E_INVALID_ARGUMENT, 1, 0, 0);
    CHECK_COUNTED(monitor, fencepost_monitor_set_host_capabilities(monitor, 0, 0, times[i], NULL),
                  FENCEPOST_E_INVALID_ARGUMENT, 1, 0, 0);
    CHECK_COUNTED(monitor, fencepost_monitor_advance(monitor, times[i], NULL), FENCEPOST_E_INVALID_ARGUMENT, 1, 0, 0);
  }
  fencepost_monitor_destroy(monitor);
}

static void queue_full(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.max_pending_events = 2;
  fencepost_monitor *monitor = new_monitor(&options);
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(feed(monitor, 0.1, SECONDS(1)));
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_fix fixes[] = {{0, 0, 5, SECONDS(2)}, {0, 0.1, 5, SECONDS(3)}};
  CHECK_REFUSED(monitor, fencepost_monitor_feed_fix(monitor, fixes, &error), FENCEPOST_E_QUEUE_FULL);
  CHECK_CONTAINS(error.message, "2 events");
  CHECK_REFUSED(monitor, fencepost_monitor_feed_sightings(monitor, NULL, 0, SECONDS(2), NULL), FENCEPOST_E_QUEUE_FULL);
  CHECK_REFUSED(monitor, fencepost_monitor_set_beacon_scanning(monitor, 0, SECONDS(2), NULL), FENCEPOST_E_QUEUE_FULL);
  CHECK_REFUSED(monitor, fencepost_monitor_set_host_capabilities(monitor, 1, 0, SECONDS(2), NULL),
                FENCEPOST_E_QUEUE_FULL);
  CHECK_REFUSED(monitor, fencepost_monitor_advance(monitor, SECONDS(2), NULL), FENCEPOST_E_QUEUE_FULL);
  fencepost_feed_result result = {9, 9, 9, 9};
  error.position = 9;
  CHECK_REFUSED(monitor, fencepost_monitor_feed_fixes(monitor, fixes, 2, &result, &error), FENCEPOST_E_QUEUE_FULL);
  CHECK_INT(result.accepted + result.invalid + result.late, 0);
  CHECK_INT(error.position, 0);
  /* Delivering one event makes room in the queue for another event. */
  next_event(monitor);
  CHECK_STATUS(fencepost_monitor_feed_fixes(monitor, fixes, 2, &result, &error), FENCEPOST_E_QUEUE_FULL);
  CHECK_INT(result.accepted, 1);
  CHECK_INT(error.position, 1);
  CHECK_INT(statistics_of(monitor).clock_us, SECONDS(2));
  next_event(monitor);
  CHECK_OK(fencepost_monitor_feed_fixes(monitor, fixes + 1, 1, &result, NULL));
  CHECK_INT(result.accepted, 1);
  next_event(monitor);
  CHECK_INT(next_event(monitor).sequence, 4);
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
}

static void batch_equals_single(void) {
  enum {
    COUNT = 2000
  };
  fencepost_fix *fixes = calloc(COUNT, sizeof *fixes);
  CHECK(fixes != NULL);
  uint64_t random = 42;
  for (int i = 0; i < COUNT; i++) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    fixes[i].longitude = 0.02 * (double)((random >> 40) & 1023) / 1024 - 0.01 + (i / 100 % 2 ? 0.01 : 0);
    fixes[i].accuracy_m = (double)((random >> 20) & 31);
    fixes[i].time_us = SECONDS(i);
    if (i % 97 == 3) fixes[i].latitude = 91;
    if (i % 101 == 4) fixes[i].accuracy_m = -1;
    if (i % 103 == 5) fixes[i].time_us = SECONDS(i - 50);
  }
  fencepost_monitor *monitors[3];
  static const size_t steps[3] = {1, 7, COUNT};
  fencepost_feed_result sums[3];
  memset(sums, 0, sizeof sums);
  for (int m = 0; m < 3; m++) {
    monitors[m] = new_monitor(NULL);
    add_exact_circle(monitors[m], "exact", 0);
    CHECK_OK(fencepost_monitor_add_circular_condition(monitors[m], "standard", 0, 0, 900, NULL, NULL));
    for (size_t at = 0; at < COUNT; at += steps[m]) {
      size_t count = COUNT - at < steps[m] ? COUNT - at : steps[m];
      fencepost_feed_result result;
      CHECK_OK(fencepost_monitor_feed_fixes(monitors[m], fixes + at, count, &result, NULL));
      CHECK_INT(result.accepted + result.invalid + result.late, count);
      sums[m].accepted += result.accepted;
      sums[m].invalid += result.invalid;
      sums[m].late += result.late;
    }
    CHECK(memcmp(&sums[m], &sums[0], sizeof sums[0]) == 0);
    CHECK(sums[m].invalid > 0 && sums[m].late > 0);
    fencepost_statistics one = statistics_of(monitors[m]), first = statistics_of(monitors[0]);
    CHECK(memcmp(&one, &first, sizeof one) == 0);
    CHECK_INT(one.accepted_fixes, sums[m].accepted);
    CHECK_INT(one.invalid_fixes, sums[m].invalid);
    CHECK_INT(one.late_inputs, sums[m].late);
  }
  uint64_t events = 0;
  for (;; events++) {
    fencepost_event event[3];
    uint32_t available[3];
    memset(event, 0, sizeof event);
    for (int m = 0; m < 3; m++) CHECK_OK(fencepost_monitor_poll_event(monitors[m], &event[m], &available[m], NULL));
    CHECK(available[0] == available[1] && available[0] == available[2]);
    if (!available[0]) break;
    CHECK(memcmp(&event[0], &event[1], sizeof event[0]) == 0 && memcmp(&event[0], &event[2], sizeof event[0]) == 0);
  }
  CHECK(events > 100);
  for (int m = 0; m < 3; m++) fencepost_monitor_destroy(monitors[m]);
  free(fixes);
}

static void batch_null(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_fix fix = {0, 0, 5, SECONDS(9)};
  fencepost_feed_result result = {9, 9, 9, 9};
  CHECK_STATUS(fencepost_monitor_feed_fixes(NULL, &fix, 1, &result, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_feed_fixes(monitor, NULL, 1, &result, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_feed_fixes(monitor, &fix, SIZE_MAX, &result, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(result.accepted, 9);
  CHECK_INT(result.invalid, 9);
  CHECK_INT(result.late, 9);
  CHECK_REFUSED(monitor, fencepost_monitor_feed_fixes(monitor, NULL, 0, &result, NULL), FENCEPOST_OK);
  CHECK_INT(result.accepted + result.invalid + result.late, 0);
  CHECK_OK(fencepost_monitor_feed_fixes(monitor, &fix, 1, NULL, NULL));
  fencepost_monitor_destroy(monitor);
}

static void sightings(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_beacon_sighting seen[] = {{{0}, 1, 2, -70}, {{0}, 1, 3, -60}, {{0}, 9, 9, INT32_MIN}, {{1}, 1, 2, -1}};
  for (int i = 0; i < 3; i++) memcpy(seen[i].uuid, beacon_uuid, 16);
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "any", beacon_uuid, -1, -1, NULL, NULL));
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "major", beacon_uuid, 1, -1, NULL, NULL));
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "one", beacon_uuid, 1, 2, NULL, NULL));
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "absent", beacon_uuid, 4, 4, NULL, NULL));
  CHECK_OK(fencepost_monitor_feed_sightings(monitor, seen, 4, SECONDS(0), NULL));
  fencepost_event event = next_event(monitor);
  CHECK_TEXT(event.identifier, "any");
  CHECK_INT(event.flags, FENCEPOST_EVENT_HAS_BEACON);
  CHECK_INT(event.beacon_major, 1);
  CHECK_INT(event.beacon_minor, 3); /* the strongest sighting has the minor number 3 */
  CHECK(memcmp(event.beacon_uuid, beacon_uuid, 16) == 0);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DETERMINATION);
  CHECK_INT(event.evidence_date_us, SECONDS(0));
  CHECK(isnan(event.latitude));
  CHECK_TEXT(next_event(monitor).identifier, "major");
  CHECK_TEXT(next_event(monitor).identifier, "one");
  expect_no_event(monitor);
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(30), NULL));
  CHECK_INT(statistics_of(monitor).pending_events, 4);
  CHECK_INT(next_event(monitor).cause, FENCEPOST_CAUSE_TIMEOUT);
  fencepost_monitor_destroy(monitor);
}

static void sightings_null(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_beacon_sighting sighting = {{0}, 0, 0, 0};
  CHECK_STATUS(fencepost_monitor_feed_sightings(NULL, &sighting, 1, SECONDS(9), NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_feed_sightings(monitor, NULL, 1, SECONDS(9), NULL),
                FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_feed_sightings(monitor, &sighting, SIZE_MAX, SECONDS(9), NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_OK(fencepost_monitor_feed_sightings(monitor, NULL, 0, SECONDS(9), NULL));
  CHECK_INT(statistics_of(monitor).clock_us, SECONDS(9));
  fencepost_monitor_destroy(monitor);
}

static void scanning(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_beacon_sighting sighting = {{0}, 1, 2, -60};
  memcpy(sighting.uuid, beacon_uuid, 16);
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "b", beacon_uuid, -1, -1, NULL, NULL));
  CHECK_OK(fencepost_monitor_feed_sightings(monitor, &sighting, 1, SECONDS(0), NULL));
  next_event(monitor);
  CHECK_OK(fencepost_monitor_set_beacon_scanning(monitor, 0, SECONDS(1), NULL));
  CHECK_OK(fencepost_monitor_feed_sightings(monitor, &sighting, 1, SECONDS(2), NULL));
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(500), NULL));
  expect_no_event(monitor);
  CHECK_OK(fencepost_monitor_set_beacon_scanning(monitor, 0xffffffff, SECONDS(501), NULL));
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(530), NULL));
  expect_no_event(monitor);
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(531), NULL));
  CHECK_INT(next_event(monitor).state, FENCEPOST_STATE_UNSATISFIED);
  CHECK_STATUS(fencepost_monitor_set_beacon_scanning(NULL, 0, SECONDS(600), NULL), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

static void host_capabilities(void) {
  fencepost_monitor *monitor = busy_monitor();
  static const uint32_t bad_flags[] = {FENCEPOST_DIAGNOSTIC_CONDITION_UNSUPPORTED,
                                       FENCEPOST_DIAGNOSTIC_CONDITION_LIMIT_EXCEEDED,
                                       FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE,
                                       FENCEPOST_DIAGNOSTIC_INACTIVE,
                                       FENCEPOST_DIAGNOSTIC_SCHEDULE_ENDED,
                                       FENCEPOST_DIAGNOSTIC_EXHAUSTED,
                                       1 << 13,
                                       UINT32_MAX};
  for (size_t i = 0; i < sizeof bad_flags / sizeof *bad_flags; i++) {
    snapshot before = take_snapshot(monitor);
    CHECK_STATUS(fencepost_monitor_set_host_capabilities(monitor, bad_flags[i], 0, SECONDS(9), NULL),
                 FENCEPOST_E_INVALID_ARGUMENT);
    before.statistics.input_count = statistics_of(monitor).input_count;
    expect_unchanged(__FILE__, __LINE__, monitor, &before, 0, 0, 0);
  }
  static const uint32_t bad_kinds[] = {1, 64, UINT32_MAX, 7};
  for (size_t i = 0; i < sizeof bad_kinds / sizeof *bad_kinds; i++) {
    snapshot before = take_snapshot(monitor);
    CHECK_STATUS(fencepost_monitor_set_host_capabilities(monitor, 0, bad_kinds[i], SECONDS(9), NULL),
                 FENCEPOST_E_INVALID_ARGUMENT);
    before.statistics.input_count = statistics_of(monitor).input_count;
    expect_unchanged(__FILE__, __LINE__, monitor, &before, 0, 0, 0);
  }
  CHECK_STATUS(fencepost_monitor_set_host_capabilities(NULL, 0, 0, SECONDS(9), NULL), FENCEPOST_E_NULL_ARGUMENT);
  while (statistics_of(monitor).pending_events) next_event(monitor);
  static const uint32_t good_flags[] = {FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED,
                                        FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED_GLOBALLY,
                                        FENCEPOST_DIAGNOSTIC_AUTHORIZATION_RESTRICTED,
                                        FENCEPOST_DIAGNOSTIC_INSUFFICIENTLY_IN_USE,
                                        FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED,
                                        FENCEPOST_DIAGNOSTIC_SERVICE_SESSION_REQUIRED,
                                        FENCEPOST_DIAGNOSTIC_AUTHORIZATION_REQUEST_IN_PROGRESS};
  for (int i = 0; i < 7; i++) {
    CHECK_OK(fencepost_monitor_set_host_capabilities(monitor, good_flags[i], 0, SECONDS(10 + i), NULL));
    for (int condition = 0; condition < 3; condition++) {
      fencepost_event event = next_event(monitor);
      CHECK_INT(event.diagnostics, good_flags[i]);
      CHECK_INT(event.cause, FENCEPOST_CAUSE_DIAGNOSTIC);
      CHECK_INT(event.date_us, SECONDS(10 + i));
    }
    expect_no_event(monitor);
  }
  CHECK_OK(
      fencepost_monitor_set_host_capabilities(monitor, 0, 1 << FENCEPOST_CONDITION_BEACON_IDENTITY, SECONDS(20), NULL));
  int unmonitored = 0;
  while (statistics_of(monitor).pending_events) {
    fencepost_event event = next_event(monitor);
    if (event.state == FENCEPOST_STATE_UNMONITORED) {
      unmonitored++;
      CHECK_TEXT(event.identifier, "beacon");
      CHECK_INT(event.diagnostics, FENCEPOST_DIAGNOSTIC_CONDITION_UNSUPPORTED);
    }
  }
  CHECK_INT(unmonitored, 1);
  fencepost_monitor_destroy(monitor);
}

static void advance(void) {
  fencepost_monitor *monitor = busy_monitor(); /* the device has been across the boundary of "standard" since second 5,
                                                  and its dwell ends at second 25 */
  while (statistics_of(monitor).pending_events) next_event(monitor);
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(25) - 1, NULL));
  expect_no_event(monitor);
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(25), NULL));
  fencepost_event event = next_event(monitor);
  CHECK_TEXT(event.identifier, "standard");
  CHECK_INT(event.cause, FENCEPOST_CAUSE_CROSSING);
  CHECK_INT(event.date_us, SECONDS(25));
  CHECK_INT(event.evidence_date_us, SECONDS(5));
  CHECK_NEAR(event.longitude, 0.05, 0);
  CHECK_NEAR(event.boundary_distance_m, -1000, 1e-6);
  CHECK_STATUS(fencepost_monitor_advance(NULL, SECONDS(30), NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_OK(fencepost_monitor_advance(monitor, FENCEPOST_TIME_MAX, NULL));
  CHECK_OK(fencepost_monitor_advance(monitor, FENCEPOST_TIME_MAX, NULL));
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"feed_fix: the widest accepted values", fix_success},
    {"feed_fix: NULL", fix_null},
    {"feed_fix: coordinates and times out of range change nothing but counters", fix_out_of_range},
    {"feed_fix: a fix without position is accepted and ignored", fix_without_position},
    {"inputs: late ones change nothing but counters, in every function", late_inputs},
    {"inputs: times out of range, in every function", bad_times},
    {"inputs: a full queue refuses all of them, polling makes room", queue_full},
    {"feed_fixes: one by one, by seven and whole give the same", batch_equals_single},
    {"feed_fixes: NULL, count 0, count too large", batch_null},
    {"feed_sightings: wildcards, refinement, absence", sightings},
    {"feed_sightings: NULL, count 0, count too large", sightings_null},
    {"set_beacon_scanning: off and on", scanning},
    {"set_host_capabilities: refused bits, each flag, an unsupported kind", host_capabilities},
    {"advance: deadlines up to and at the time", advance},
};
AREA(area_inputs);
