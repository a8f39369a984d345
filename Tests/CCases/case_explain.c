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
    {"explain: the reasons of a circle", reasons_of_a_circle},
    {"explain: a fix that is too coarse", too_coarse},
    {"explain: a fix that is not certain enough", uncertain},
    {"explain: the reasons of a beacon", reasons_of_a_beacon},
    {"explain: unknown identifier, NULL", failures},
};
AREA(area_explain);
