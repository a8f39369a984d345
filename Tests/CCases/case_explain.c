#include "check.h"

static fencepost_explanation explain(fencepost_monitor *monitor, const char *identifier) {
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_monitor_explain(monitor, identifier, &explanation, NULL));
  return explanation;
}

static void reasons_of_a_circle(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "c", 0, 0, 1000, NULL, NULL));
  fencepost_explanation found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_NO_FIX_YET);
  CHECK_INT(found.observed, FENCEPOST_STATE_UNKNOWN);
  CHECK(isnan(found.boundary_distance_m));
  CHECK(found.candidate_start_us == FENCEPOST_TIME_UNSET && found.deadline_us == FENCEPOST_TIME_UNSET);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_INSIDE);
  CHECK_INT(found.observed, FENCEPOST_STATE_SATISFIED);
  CHECK_NEAR(found.boundary_distance_m, -1000, 1e-6);
  CHECK_OK(feed(monitor, 0.0091, SECONDS(1))); /* 13 m outside the circle, which is within the margin of 20 m */
  found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_WITHIN_MARGIN);
  CHECK_NEAR(found.exit_margin_m, 20, 1e-9);
  CHECK_NEAR(found.metres_to_decide, 20 - found.boundary_distance_m, 1e-6);
  CHECK_OK(feed(monitor, 0.01, SECONDS(2)));
  found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_DWELLING);
  CHECK_INT(found.candidate_start_us, SECONDS(2));
  CHECK_INT(found.deadline_us, SECONDS(22));
  CHECK_NEAR(found.seconds_to_decide, 20, 1e-9);
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(22), NULL));
  CHECK_INT(explain(monitor, "c").reason, FENCEPOST_REASON_OUTSIDE);
  CHECK_OK(
      fencepost_monitor_set_host_capabilities(monitor, FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED, 0, SECONDS(23), NULL));
  found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_SUSPENDED);
  CHECK_INT(found.diagnostics, FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED);
  CHECK_OK(fencepost_monitor_set_host_capabilities(monitor, 0, 1 << FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC,
                                                   SECONDS(24), NULL));
  CHECK_INT(explain(monitor, "c").reason, FENCEPOST_REASON_UNMONITORED);
  fencepost_monitor_destroy(monitor);
}

static void too_coarse(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "c", 0, 0, 200, NULL, NULL));
  fencepost_fix fix = {0, 0, 300, SECONDS(0)};
  CHECK_OK(fencepost_monitor_feed_fix(monitor, &fix, NULL));
  fencepost_explanation found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_TOO_COARSE);
  CHECK_NEAR(found.accuracy_m, 300, 0);
  CHECK_NEAR(found.accuracy_needed_m, 200, 1e-9);
  fencepost_monitor_destroy(monitor);
}

/* A condition whose policy has probabilities. */
static void uncertain(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  policy.entry_probability = 0.99;
  policy.exit_probability = 0.01;
  options.policy = &policy;
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "c", 0, 0, 10, &options, NULL));
  fencepost_fix coarse = {0, 0, 30, SECONDS(0)}, fine = {0, 0, 4, SECONDS(1)};
  CHECK_OK(fencepost_monitor_feed_fix(monitor, &coarse, NULL));
  expect_no_event(monitor);
  fencepost_explanation found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_UNCERTAIN);
  CHECK_INT(found.observed, FENCEPOST_STATE_UNKNOWN);
  /* In the centre, the probability is 1 - exp(-radius^2 / (2 sigma^2)) with sigma = accuracy / sqrt(-2 ln 0.32). */
  double expected = 1 - pow(0.32, 100.0 / 900.0);
  CHECK_NEAR(found.probability, expected, 1e-6);
  CHECK_NEAR(found.accuracy_needed_m, 10 * sqrt(log(0.32) / log(0.01)), 1e-4);
  CHECK(isnan(found.metres_to_decide));
  CHECK_OK(fencepost_monitor_feed_fix(monitor, &fine, NULL));
  found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_INSIDE);
  CHECK(isnan(found.accuracy_needed_m));
  CHECK_NEAR(found.probability, 1 - pow(0.32, 100.0 / 16.0), 1e-6);
  fencepost_event event = next_event(monitor);
  CHECK_NEAR(event.probability, found.probability, 0);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "d", 0, 0, 10, NULL, NULL));
  CHECK(isnan(next_event(monitor).probability));
  CHECK(isnan(explain(monitor, "d").probability));
  fencepost_monitor_destroy(monitor);
}

static fencepost_status feed_with_ellipse(fencepost_monitor *monitor, const fencepost_fix *fix, double major,
                                          double minor, double orientation, fencepost_error *error) {
  fencepost_fix_columns one = fencepost_one_fix(fix);
  one.majors_m = &major, one.minors_m = &minor, one.orientations = &orientation;
  return fencepost_monitor_feed_columns(monitor, &one, 1, NULL, error);
}

static fencepost_monitor *restored(fencepost_monitor *monitor) {
  char bytes[4096];
  size_t size = 0;
  fencepost_monitor *copy = NULL;
  CHECK_OK(fencepost_monitor_snapshot(monitor, bytes, sizeof bytes, &size, NULL));
  CHECK_OK(fencepost_monitor_restore(bytes, size, &copy, NULL));
  fencepost_monitor_destroy(monitor);
  return copy;
}

/* Near the eastern point of the circle, the line runs from north to south. */
static void error_ellipses(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  policy.entry_probability = 0.99;
  policy.exit_probability = 0.01;
  options.policy = &policy;
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "c", 0, 0, 1000, &options, NULL));
  fencepost_fix fix = {0, 950 / 111319.49, 400, SECONDS(0)};
  CHECK_OK(feed_with_ellipse(monitor, &fix, 100, 10, 90, NULL));
  fencepost_explanation found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_UNCERTAIN);
  CHECK_NEAR(found.ellipse_major_m, 100, 0);
  CHECK_NEAR(found.ellipse_minor_m, 10, 0);
  CHECK_NEAR(found.ellipse_orientation, 90, 0);
  CHECK(isnan(found.accuracy_needed_m));
  CHECK_NEAR(found.probability, 0.69, 0.01);
  monitor = restored(monitor);
  CHECK_NEAR(explain(monitor, "c").probability, found.probability, 0);
  fix.time_us = SECONDS(1);
  CHECK_OK(feed_with_ellipse(monitor, &fix, 100, 10, 0, NULL));
  found = explain(monitor, "c");
  CHECK_INT(found.reason, FENCEPOST_REASON_INSIDE);
  monitor = restored(monitor);
  CHECK_NEAR(next_event(monitor).probability, found.probability, 1e-7);
  /* A single row is refused like a single fix. */
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fix.time_us = SECONDS(0);
  CHECK_STATUS(feed_with_ellipse(monitor, &fix, 100, 10, 0, &error), FENCEPOST_E_LATE_INPUT);
  CHECK_CONTAINS(error.message, "clock");
  fix.time_us = SECONDS(2);
  CHECK_STATUS(feed_with_ellipse(monitor, &fix, 10, 100, 0, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "semi-axes 10");
  CHECK_STATUS(feed_with_ellipse(monitor, &fix, 10, 10, INFINITY, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_statistics statistics = statistics_of(monitor);
  CHECK_INT(statistics.invalid_fixes, 2);
  CHECK_INT(statistics.late_inputs, 1);
  CHECK_INT(statistics.accepted_fixes, 2);
  /* In a batch, such rows are skipped; a row with three NaN has no ellipse. */
  double latitudes[3] = {0, 0, 0}, majors[3] = {1, NAN, 100}, minors[3] = {2, NAN, 10}, turns[3] = {0, NAN, 0};
  double accuracy = 400;
  int64_t times[3] = {SECONDS(3), SECONDS(4), SECONDS(5)};
  double east = 1050 / 111319.49;
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = latitudes, columns.longitudes = &east, columns.longitude_stride = 0, columns.times_us = times;
  columns.accuracies_m = &accuracy, columns.accuracy_stride = 0;
  columns.majors_m = majors, columns.minors_m = minors, columns.orientations = turns;
  fencepost_feed_result result = {0, 0, 0, 0};
  CHECK_OK(fencepost_monitor_feed_columns(monitor, &columns, 3, &result, NULL));
  CHECK_INT(result.accepted, 2);
  CHECK_INT(result.invalid, 1);
  fencepost_event event = next_event(monitor);
  CHECK_INT(event.state, FENCEPOST_STATE_UNSATISFIED);
  CHECK_INT(event.evidence_date_us, SECONDS(5));
  columns.refuse_invalid = 1;
  CHECK_STATUS(fencepost_monitor_feed_columns(monitor, &columns, 3, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "row 0: the error ellipse");
  columns.refuse_invalid = 2;
  CHECK_STATUS(fencepost_monitor_feed_columns(monitor, &columns, 3, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "single row");
  columns.refuse_invalid = 0, columns.minors_m = NULL;
  CHECK_STATUS(fencepost_monitor_feed_columns(monitor, &columns, 3, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "orientations");
  fencepost_monitor_destroy(monitor);
}

static void reasons_of_a_beacon(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_beacon_sighting sighting = {{0}, 1, 2, -60};
  memcpy(sighting.uuid, beacon_uuid, 16);
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "b", beacon_uuid, -1, -1, NULL, NULL));
  CHECK_INT(explain(monitor, "b").reason, FENCEPOST_REASON_NOT_SEEN_YET);
  CHECK_OK(fencepost_monitor_feed_sightings(monitor, &sighting, 1, SECONDS(0), NULL));
  fencepost_explanation found = explain(monitor, "b");
  CHECK_INT(found.reason, FENCEPOST_REASON_SEEN);
  CHECK_INT(found.last_sighting_us, SECONDS(0));
  CHECK_INT(found.deadline_us, SECONDS(30));
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(30), NULL));
  CHECK_INT(explain(monitor, "b").reason, FENCEPOST_REASON_ABSENT);
  CHECK_OK(fencepost_monitor_set_beacon_scanning(monitor, 0, SECONDS(31), NULL));
  CHECK_INT(explain(monitor, "b").reason, FENCEPOST_REASON_SCANNER_OFF);
  fencepost_monitor_destroy(monitor);
}

static void failures(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_explanation out = FENCEPOST_EXPLANATION_INIT, before = out;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_REFUSED(monitor, fencepost_monitor_explain(monitor, "nobody", &out, &error), FENCEPOST_E_NOT_FOUND);
  CHECK_CONTAINS(error.message, "nobody");
  CHECK_STATUS(fencepost_monitor_explain(NULL, "exact", &out, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_explain(monitor, NULL, &out, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_explain(monitor, "exact", NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK(memcmp(&out, &before, sizeof out) == 0);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"explain: the reasons of a circle", reasons_of_a_circle}, {"explain: a fix that is too coarse", too_coarse},
    {"explain: a fix that is not certain enough", uncertain},  {"explain: fixes with error ellipses", error_ellipses},
    {"explain: the reasons of a beacon", reasons_of_a_beacon}, {"explain: unknown identifier, NULL", failures},
};
AREA(area_explain);
