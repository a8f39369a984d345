/* Tests fencepost_timing: the ranges of its members, events by time alone, and tables that refuse it. */
#include "check.h"
#include "fleets.h"

#include <stdlib.h>

enum {
  MOST = 10000
};

static fencepost_status try(const fencepost_timing *timing, fencepost_error *error) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.timing = timing;
  fencepost_status status = ON_OWN(monitor, add_one, circle, error);
  CHECK_INT(statistics_of(monitor).condition_count, status == FENCEPOST_OK);
  fencepost_monitor_destroy(monitor);
  return status;
}

static void refuse(fencepost_timing timing, const char *word) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(try(&timing, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, word);
}

static void members_in_range(void) {
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  CHECK_OK(try(&timing, NULL));
  static const int64_t durations[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1000000000000001)};
  for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
    fencepost_timing bad = timing;
    bad.absent_after_us = durations[i];
    refuse(bad, "absent_after");
    bad = timing;
    bad.repeat_every_us = durations[i];
    refuse(bad, "repeat_every");
  }
  timing.repeat_every_us = 999999;
  refuse(timing, "repeat_every");
  timing.repeat_every_us = 1000000;
  CHECK_OK(try(&timing, NULL));
  timing.repeat_limit = 0;
  refuse(timing, "repeat_limit");
  timing.repeat_limit = 1000001;
  refuse(timing, "repeat_limit");
  timing.repeat_limit = 1000000;
  CHECK_OK(try(&timing, NULL));
  timing.repeat_every_us = 0;
  refuse(timing, "repeat_limit");
  timing.repeat_limit = 1000;
  timing.max_events = UINT64_C(1) << 32;
  refuse(timing, "max_events");
  timing.max_events = UINT32_MAX;
  CHECK_OK(try(&timing, NULL));
  timing.struct_size = 3;
  refuse(timing, "struct_size");
}

static void intervals_in_range(void) {
  fencepost_interval *many = calloc(MOST + 1, sizeof *many);
  CHECK(many != NULL);
  for (int i = 0; i <= MOST; i++) many[i] = (fencepost_interval){2 * (int64_t)i, 2 * (int64_t)i + 1};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active_count = 1;
  refuse(timing, "active");
  timing.active = many;
  timing.active_count = MOST;
  CHECK_OK(try(&timing, NULL));
  timing.active_count = MOST + 1;
  refuse(timing, "10000");
  timing.active_count = SIZE_MAX;
  refuse(timing, "10000");
  timing.active_count = 0; /* never active */
  CHECK_OK(try(&timing, NULL));
  free(many);
  static const fencepost_interval bad[][2] = {
      {{0, 10}, {9, 20}},  {{20, 30}, {0, 10}},        {{0, 10}, {10, 10}},
      {{0, 10}, {20, 15}}, {{INT64_MIN, 0}, {20, 30}}, {{0, 10}, {20, FENCEPOST_TIME_MAX + 1}},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fencepost_timing given = FENCEPOST_TIMING_INIT;
    given.active = bad[i], given.active_count = 2;
    refuse(given, i == 4 ? "interval 0" : "interval 1");
  }
  fencepost_interval whole[] = {{FENCEPOST_TIME_MIN, 0}, {0, FENCEPOST_TIME_MAX}};
  timing.active = whole, timing.active_count = 2;
  CHECK_OK(try(&timing, NULL));
  timing.active_until_us = 0;
  refuse(timing, "active_until");
}

/* A device stays in a circle that is open from second 10 to second 20, and again from second 40: the first interval ends
   without an event, and the second start tells the state again. Repeats stop at their limit. */
static void events_by_time(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_interval hours[] = {{SECONDS(10), SECONDS(20)}, {SECONDS(40), SECONDS(100)}};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = hours, timing.active_count = 2, timing.active_until_us = SECONDS(100);
  timing.repeat_every_us = 4000000, timing.repeat_limit = 2, timing.max_events = 5;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.policy = &exact, circle.timing = &timing;
  CHECK_OK(ON_OWN(monitor, add_one, circle, NULL));
  for (int second = 0; second <= 90; second += 15) {
    fencepost_fix fix = {0, 0, 5, SECONDS(second)};
    CHECK_OK(fencepost_monitor_feed_fix(monitor, &fix, NULL));
  }
  static const struct {
    int32_t cause;
    int second;
    uint32_t flags;
  } expected[] = {{FENCEPOST_CAUSE_DETERMINATION, 10, 0},
                  {FENCEPOST_CAUSE_REPEAT, 12, 0},
                  {FENCEPOST_CAUSE_REPEAT, 16, 0},
                  {FENCEPOST_CAUSE_DETERMINATION, 40, 0},
                  {FENCEPOST_CAUSE_REPEAT, 42, FENCEPOST_DIAGNOSTIC_INACTIVE | FENCEPOST_DIAGNOSTIC_EXHAUSTED}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    fencepost_event event;
    uint32_t available = 0;
    CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
    CHECK_INT(available, 1);
    CHECK_INT(event.cause, expected[i].cause);
    CHECK_INT(event.state, FENCEPOST_STATE_SATISFIED);
    CHECK_INT(event.date_us, SECONDS(expected[i].second));
    CHECK_INT(event.diagnostics, expected[i].flags);
  }
  fencepost_event none;
  uint32_t available = 1;
  CHECK_OK(fencepost_monitor_poll_event(monitor, &none, &available, NULL));
  CHECK_INT(available, 0);
  fencepost_explanation found = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_monitor_explain(monitor, "a", &found, NULL));
  CHECK_INT(found.reason, FENCEPOST_REASON_INACTIVE);
  CHECK(isnan(found.seconds_to_decide));
  fencepost_monitor_destroy(monitor);
}

/* Only a monitor's own table has conditions with a timing, also when they come from an ensured or synchronised set. */
static void tables_refuse(void) {
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_conditions_create(&table, NULL));
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  fencepost_condition_definition rows[] = {fencepost_circle("a", 0, 0, 100), fencepost_circle("b", 0, 0, 100)};
  rows[1].timing = &timing;
  fencepost_sync_result result = {9, 9, 9, 9};
  CHECK_OK(fencepost_conditions_sync(table, rows, 2, &result, NULL)); /* a timing without options */
  timing.max_events = 1;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_conditions_add(table, rows, 2, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "row 1");
  CHECK_CONTAINS(error.message, "max_events");
  CHECK_STATUS(fencepost_conditions_ensure(table, rows, 2, &result, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_sync(table, rows, 2, &result, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"timing: range of the members", members_in_range},
    {"timing: range of the intervals", intervals_in_range},
    {"timing: events by time", events_by_time},
    {"timing: tables", tables_refuse},
};
AREA(area_timing);
