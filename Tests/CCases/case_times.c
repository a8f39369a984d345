/* Tests how wrong times are handled: by the limit on time steps, and by rewinding the clock. */
#include "check.h"
#include "stores.h"

static fencepost_monitor *limited_monitor(int64_t max_time_step_us) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.max_time_step_us = max_time_step_us;
  return new_monitor(&options);
}

/* 2079-06-05 in microseconds: a date that a receiver without satellites may report after a rollover of its week
   counter. */
#define YEAR_2079 INT64_C(3453148800000000)

/* Without a limit for time steps, one wrong date makes every later fix late; with the limit, only the wrong fix is
   refused. */
static void one_wrong_date(void) {
  fencepost_monitor *deaf = new_monitor(NULL), *wary = limited_monitor(SECONDS(3600) - T0);
  fencepost_monitor *both[] = {deaf, wary};
  for (int m = 0; m < 2; m++) {
    add_exact_circle(both[m], "a", 0);
    CHECK_OK(feed(both[m], 0, SECONDS(0)));
  }
  CHECK_OK(feed(deaf, 0.1, YEAR_2079));
  CHECK_STATUS(feed(deaf, 0, SECONDS(1)), FENCEPOST_E_LATE_INPUT);

  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_fix fix = {0, 0.1, 5, YEAR_2079};
  CHECK_STATUS(fencepost_monitor_feed_fix(wary, &fix, &error), FENCEPOST_E_AHEAD_OF_CLOCK);
  CHECK_INT(error.status, FENCEPOST_E_AHEAD_OF_CLOCK);
  CHECK_CONTAINS(error.message, "2079-06-05T00:00:00.000000Z");
  CHECK_CONTAINS(error.message, "max_time_step");
  CHECK_INT(statistics_of(wary).ahead_inputs, 1);
  CHECK_INT(statistics_of(wary).late_inputs, 0);
  CHECK_INT(statistics_of(wary).input_count, 2);
  CHECK_INT(statistics_of(wary).clock_us, SECONDS(0));
  CHECK_OK(feed(wary, 0.1, SECONDS(1)));
  CHECK_INT(next_event(wary).state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(next_event(wary).state, FENCEPOST_STATE_UNSATISFIED);
  expect_no_event(wary);
  for (int m = 0; m < 2; m++) fencepost_monitor_destroy(both[m]);
}

/* A step of exactly the limit is allowed, but a step longer by a microsecond is not. Every kind of input except advance
   is checked. */
static void every_kind_is_measured(void) {
  fencepost_monitor *monitor = limited_monitor(INT64_C(10000000));
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, SECONDS(0))); /* the first input has no earlier time to compare with */
  const int64_t far = SECONDS(10) + 1;
  const fencepost_beacon_sighting none = {{0}, 0, 0, 0};
  uint64_t ahead = 0;
#define CHECK_AHEAD(call)                                             \
  do {                                                                \
    snapshot before_ = take_snapshot(monitor);                        \
    CHECK_STATUS(call, FENCEPOST_E_AHEAD_OF_CLOCK);                   \
    before_.statistics.ahead_inputs++;                                \
    expect_unchanged(__FILE__, __LINE__, monitor, &before_, 1, 0, 0); \
    CHECK_INT(statistics_of(monitor).ahead_inputs, ++ahead);          \
  } while (0)
  CHECK_AHEAD(feed(monitor, 0.1, far));
  CHECK_AHEAD(fencepost_monitor_feed_sightings(monitor, &none, 0, far, NULL));
  CHECK_AHEAD(fencepost_monitor_set_beacon_scanning(monitor, 0, far, NULL));
  CHECK_AHEAD(fencepost_monitor_set_host_capabilities(monitor, 1, 0, far, NULL));
  CHECK_AHEAD(feed(monitor, 0.1, FENCEPOST_TIME_MAX));
  CHECK_OK(feed(monitor, 0.1, SECONDS(10)));
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(10000), NULL));
  CHECK_OK(feed(monitor, 0, SECONDS(10005)));
  /* A fix that has no position, or is out of range, is refused for that reason before its time is checked, and does not
     move the clock. */
  fencepost_fix nowhere = {0, 0, -1, FENCEPOST_TIME_MAX}, wrong = {91, 0, 5, FENCEPOST_TIME_MAX};
  CHECK_COUNTED(monitor, fencepost_monitor_feed_fix(monitor, &nowhere, NULL), FENCEPOST_OK, 1, 1, 0);
  CHECK_COUNTED(monitor, fencepost_monitor_feed_fix(monitor, &wrong, NULL), FENCEPOST_E_INVALID_ARGUMENT, 1, 1, 0);
  fencepost_monitor_destroy(monitor);
}

/* A batch skips rows that are too far ahead of the clock, and counts these rows as late in its result. */
static void batches_are_measured(void) {
  enum {
    COUNT = 4000
  };
  fencepost_fix *fixes = calloc(COUNT, sizeof *fixes);
  CHECK(fixes != NULL);
  uint64_t wrong = 0;
  for (int i = 0; i < COUNT; i++) {
    fixes[i].longitude = i / 500 % 2 ? 0.1 : 0;
    fixes[i].accuracy_m = 5;
    fixes[i].time_us = SECONDS(i);
    if (i % 37 == 20) fixes[i].time_us = i % 2 ? YEAR_2079 : SECONDS(i + 70), wrong++;
  }
  fencepost_monitor *batch = limited_monitor(INT64_C(60000000)), *single = limited_monitor(INT64_C(60000000));
  add_exact_circle(batch, "a", 0);
  add_exact_circle(single, "a", 0);
  fencepost_feed_result result;
  CHECK_OK(fencepost_monitor_feed_fixes(batch, fixes, COUNT, &result, NULL));
  CHECK_INT(result.late, wrong);
  CHECK_INT(result.accepted, COUNT - wrong);
  uint64_t refused = 0;
  for (int i = 0; i < COUNT; i++)
    refused += fencepost_monitor_feed_fix(single, &fixes[i], NULL) == FENCEPOST_E_AHEAD_OF_CLOCK;
  CHECK_INT(refused, wrong);
  fencepost_statistics one = statistics_of(batch), other = statistics_of(single);
  CHECK(memcmp(&one, &other, sizeof one) == 0);
  CHECK_INT(one.ahead_inputs, wrong);
  CHECK_INT(one.late_inputs, 0);
  fencepost_monitor_destroy(batch);
  fencepost_monitor_destroy(single);
  free(fixes);
}

static void range_of_the_option(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  static const int64_t refused[] = {-1, INT64_MIN, INT64_C(1000000000000001), INT64_MAX};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    options.max_time_step_us = refused[i];
    create_refused(FENCEPOST_E_INVALID_ARGUMENT, NULL, &options, "max_time_step is ");
  }
  fencepost_monitor_destroy(limited_monitor(INT64_C(1000000000000000)));
  fencepost_monitor *strict = limited_monitor(1);
  CHECK_OK(fencepost_monitor_advance(strict, FENCEPOST_TIME_MIN, NULL));
  CHECK_STATUS(feed(strict, 0, FENCEPOST_TIME_MAX), FENCEPOST_E_AHEAD_OF_CLOCK);
  CHECK_OK(fencepost_monitor_advance(strict, FENCEPOST_TIME_MAX, NULL));
  fencepost_monitor_destroy(strict);
}

/* After a rewind, reported states stay unchanged; observed states become undetermined, and the next fix determines them
   in the same way as a first fix. */
static void rewinding(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_event event;
  uint32_t available;
  CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL)); /* one event is in flight, others wait */
  CHECK_OK(feed(monitor, 0.05, YEAR_2079));
  CHECK_STATUS(feed(monitor, 0, SECONDS(30)), FENCEPOST_E_LATE_INPUT);
  uint64_t waiting = statistics_of(monitor).pending_events, inputs = statistics_of(monitor).input_count,
           handed_out = statistics_of(monitor).handed_out_events;
  fencepost_record before = record_of(monitor, "exact");

  CHECK_OK(fencepost_monitor_rewind(monitor, SECONDS(30), NULL));
  CHECK_INT(statistics_of(monitor).clock_us, SECONDS(30));
  CHECK_INT(statistics_of(monitor).input_count, inputs + 1);
  CHECK_INT(statistics_of(monitor).pending_events, waiting);
  CHECK_INT(statistics_of(monitor).handed_out_events, handed_out);
  fencepost_record after = record_of(monitor, "exact");
  CHECK(memcmp(&before.condition, &after.condition, sizeof before.condition) == 0);
  CHECK(memcmp(&before.last_event, &after.last_event, sizeof before.last_event) == 0);
  CHECK_INT(after.state, FENCEPOST_STATE_UNKNOWN);
  static const char *const identifiers[] = {"exact", "standard", "beacon"};
  for (int i = 0; i < 3; i++) {
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    CHECK_OK(fencepost_monitor_explain(monitor, identifiers[i], &explanation, NULL));
    CHECK_INT(explanation.reason, i < 2 ? FENCEPOST_REASON_NO_FIX_YET : FENCEPOST_REASON_NOT_SEEN_YET);
    CHECK_INT(explanation.observed, FENCEPOST_STATE_UNKNOWN);
    CHECK_INT(explanation.last_sighting_us, FENCEPOST_TIME_UNSET);
  }
  /* For beacon conditions, the absence timer starts again at the new clock time. */
  int64_t deadline;
  CHECK_OK(fencepost_monitor_next_deadline(monitor, &deadline, NULL));
  CHECK_INT(deadline, SECONDS(60));
  /* Events that were already reported keep their wrong dates, and the sequence numbers continue. */
  for (uint64_t i = 0; i < waiting; i++) CHECK_INT(next_event(monitor).sequence, handed_out + 1 + i);
  expect_no_event(monitor);
  CHECK_INT(record_of(monitor, "exact").last_event.state, FENCEPOST_STATE_UNSATISFIED);
  CHECK_OK(feed(monitor, 0, SECONDS(31)));
  event = next_event(monitor);
  CHECK_TEXT(event.identifier, "exact");
  CHECK_INT(event.state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DETERMINATION);
  CHECK_INT(event.date_us, SECONDS(31));
  fencepost_monitor_destroy(monitor);
}

/* After a rewind, the next fix determines the state again. This determination gives no event if it agrees with the
   reported state. */
static void rewinding_repeats_nothing(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  next_event(monitor);
  for (int round = 1; round < 5; round++) {
    CHECK_OK(fencepost_monitor_advance(monitor, YEAR_2079 + round, NULL));
    CHECK_OK(fencepost_monitor_rewind(monitor, SECONDS(round), NULL));
    CHECK_OK(feed(monitor, 0, SECONDS(round)));
    expect_no_event(monitor);
    CHECK_INT(record_of(monitor, "a").state, FENCEPOST_STATE_SATISFIED);
  }
  CHECK_OK(feed(monitor, 0.1, SECONDS(9)));
  CHECK_INT(next_event(monitor).cause, FENCEPOST_CAUSE_CROSSING);
  fencepost_monitor_destroy(monitor);
}

/* A rewind drops a crossing that is not confirmed yet, and all deadlines that were computed from wrong times. */
static void rewinding_forgets_candidates(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "a", 0, 0, 1000, NULL, NULL));
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_INT(next_event(monitor).state, FENCEPOST_STATE_SATISFIED);
  CHECK_OK(feed(monitor, 0.1, SECONDS(100)));
  int64_t deadline;
  CHECK_OK(fencepost_monitor_next_deadline(monitor, &deadline, NULL));
  CHECK_INT(deadline, SECONDS(120));
  CHECK_OK(fencepost_monitor_rewind(monitor, SECONDS(50), NULL));
  CHECK_OK(fencepost_monitor_next_deadline(monitor, &deadline, NULL));
  CHECK_INT(deadline, FENCEPOST_TIME_UNSET);
  CHECK_OK(feed(monitor, 0, SECONDS(51)));
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(1000), NULL));
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
}

/* A rewind does not change the host's settings: a suspended condition stays suspended, and a scanner that is off stays
   off. */
static void rewinding_keeps_the_host(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "b", beacon_uuid, -1, -1, NULL, NULL));
  CHECK_OK(fencepost_monitor_set_beacon_scanning(monitor, 0, SECONDS(100), NULL));
  CHECK_OK(fencepost_monitor_set_host_capabilities(monitor, FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED, 0, SECONDS(100),
                                                   NULL));
  next_event(monitor);
  next_event(monitor);
  CHECK_OK(fencepost_monitor_rewind(monitor, SECONDS(10), NULL));
  CHECK_OK(feed(monitor, 0, SECONDS(11)));
  CHECK_INT(record_of(monitor, "a").state, FENCEPOST_STATE_UNKNOWN);
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_monitor_explain(monitor, "a", &explanation, NULL));
  CHECK_INT(explanation.reason, FENCEPOST_REASON_SUSPENDED);
  CHECK_OK(fencepost_monitor_set_host_capabilities(monitor, 0, 0, SECONDS(12), NULL));
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(500), NULL)); /* the scanner is off, so there is no absence */
  CHECK_INT(record_of(monitor, "b").state, FENCEPOST_STATE_UNKNOWN);
  CHECK_OK(feed(monitor, 0, SECONDS(501)));
  CHECK_INT(record_of(monitor, "a").state, FENCEPOST_STATE_SATISFIED);
  fencepost_monitor_destroy(monitor);
}

static void rewinding_is_refused(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  add_exact_circle(monitor, "a", 0);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_monitor_rewind(NULL, SECONDS(0), NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_COUNTED(monitor, fencepost_monitor_rewind(monitor, SECONDS(0), &error), FENCEPOST_E_INVALID_ARGUMENT, 1, 0, 0);
  CHECK_CONTAINS(error.message, "no clock yet");
  CHECK_OK(feed(monitor, 0, SECONDS(5)));
  static const int64_t refused[] = {FENCEPOST_TIME_UNSET,   INT64_MAX,          FENCEPOST_TIME_MAX + 1,
                                    FENCEPOST_TIME_MIN - 1, FENCEPOST_TIME_MAX, SECONDS(5) + 1};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
    CHECK_COUNTED(monitor, fencepost_monitor_rewind(monitor, refused[i], &error), FENCEPOST_E_INVALID_ARGUMENT, 1, 0,
                  0);
  CHECK_CONTAINS(error.message, "must not be later than the monitor's clock 2023-11-14T22:13:25.000000Z");
  /* Rewinding to the present time makes all states undetermined. */
  CHECK_OK(fencepost_monitor_rewind(monitor, SECONDS(5), NULL));
  CHECK_INT(record_of(monitor, "a").state, FENCEPOST_STATE_UNKNOWN);
  CHECK_OK(fencepost_monitor_rewind(monitor, FENCEPOST_TIME_MIN, NULL));
  CHECK_OK(feed(monitor, 0, FENCEPOST_TIME_MIN));
  CHECK_INT(record_of(monitor, "a").state, FENCEPOST_STATE_SATISFIED);
  fencepost_monitor_destroy(monitor);
}

/* A full queue refuses inputs, but it does not prevent a rewind. */
static void rewinding_with_a_full_queue(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.max_pending_events = 1;
  fencepost_monitor *monitor = new_monitor(&options);
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, YEAR_2079));
  CHECK_STATUS(feed(monitor, 0, YEAR_2079), FENCEPOST_E_QUEUE_FULL);
  CHECK_OK(fencepost_monitor_rewind(monitor, SECONDS(0), NULL));
  CHECK_STATUS(feed(monitor, 0, SECONDS(1)), FENCEPOST_E_QUEUE_FULL);
  next_event(monitor);
  CHECK_OK(feed(monitor, 0.1, SECONDS(1)));
  CHECK_INT(next_event(monitor).state, FENCEPOST_STATE_UNSATISFIED);
  fencepost_monitor_destroy(monitor);
}

/* In all three modes of delivery, a rewind delivers pending events and drops later changes. */
static void rewinding_in_each_delivery(void) {
  for (fencepost_delivery delivery = 0; delivery <= FENCEPOST_DELIVERY_LATEST; delivery++) {
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    options.delivery = delivery;
    fencepost_monitor *monitor = new_monitor(&options);
    add_exact_circle(monitor, "a", 0);
    CHECK_OK(feed(monitor, 0, SECONDS(1)));
    fencepost_event event = next_event(monitor); /* in flight */
    CHECK_OK(feed(monitor, 0.1, SECONDS(2)));
    CHECK_OK(fencepost_monitor_rewind(monitor, SECONDS(0), NULL));
    fencepost_monitor *fork;
    CHECK_OK(fencepost_monitor_fork(monitor, &fork, NULL));
    /* A fork starts with the state that a crash would leave, so the fork delivers the event again. */
    CHECK_INT(next_event(fork).sequence, event.sequence);
    fencepost_monitor_destroy(fork);
    if (delivery == FENCEPOST_DELIVERY_EVERY) CHECK_INT(next_event(monitor).date_us, SECONDS(2));
    expect_no_event(monitor);
    CHECK_OK(feed(monitor, delivery == FENCEPOST_DELIVERY_EVERY ? 0 : 0.1, SECONDS(1)));
    CHECK_INT(next_event(monitor).date_us, SECONDS(1));
    expect_no_event(monitor);
    fencepost_monitor_destroy(monitor);
  }
}

/* Snapshots and stores preserve the option `max_time_step_us`, the counter of refused inputs, and the clock after a
   rewind. This holds for all values of the durability. */
static void times_last(void) {
  for (fencepost_durability durability = 0; durability <= FENCEPOST_DURABILITY_RELAXED; durability++) {
    folder store = new_folder();
    fencepost_options options = options_for(&store);
    options.durability = durability;
    options.max_time_step_us = INT64_C(60000000);
    fencepost_monitor *monitor = open_with("m", &options), *restored;
    add_exact_circle(monitor, "a", 0);
    CHECK_OK(feed(monitor, 0, SECONDS(0)));
    CHECK_STATUS(feed(monitor, 0, SECONDS(61)), FENCEPOST_E_AHEAD_OF_CLOCK);
    CHECK_OK(fencepost_monitor_advance(monitor, YEAR_2079, NULL));
    CHECK_OK(fencepost_monitor_rewind(monitor, SECONDS(10), NULL));
    /* After the clock has been rewound from 2079, the next save with RELAXED must not wait until 2079, so all inputs
       survive the crash. */
    CHECK_INT(inputs_after_a_crash(&store), 4);

    size_t size = 0;
    CHECK_OK(fencepost_monitor_snapshot(monitor, NULL, 0, &size, NULL));
    void *bytes = malloc(size);
    CHECK(bytes != NULL);
    CHECK_OK(fencepost_monitor_snapshot(monitor, bytes, size, &size, NULL));
    CHECK_OK(fencepost_monitor_restore(bytes, size, &restored, NULL));
    free(bytes);
    fencepost_monitor_destroy(monitor);
    monitor = open_with("m", &options);
    fencepost_monitor *both[] = {restored, monitor};
    for (int m = 0; m < 2; m++) {
      CHECK_INT(statistics_of(both[m]).ahead_inputs, 1);
      CHECK_INT(statistics_of(both[m]).clock_us, SECONDS(10));
      CHECK_INT(record_of(both[m], "a").state, FENCEPOST_STATE_UNKNOWN);
      CHECK_STATUS(feed(both[m], 0, SECONDS(71)), FENCEPOST_E_AHEAD_OF_CLOCK);
      CHECK_OK(feed(both[m], 0, SECONDS(70)));
      fencepost_monitor_destroy(both[m]);
    }
    /* The option `max_time_step_us` is set again whenever the store is opened, but the counter `ahead_inputs` is
       preserved. */
    options.max_time_step_us = 0;
    monitor = open_with("m", &options);
    CHECK_INT(statistics_of(monitor).ahead_inputs, 2);
    CHECK_OK(feed(monitor, 0, YEAR_2079));
    fencepost_monitor_destroy(monitor);
    remove_folder(&store);
  }
}

static const ccase cases[] = {
    {"times: one wrong date", one_wrong_date},
    {"times: every kind of input is measured, advance is the host's word", every_kind_is_measured},
    {"times: batches are measured as single calls", batches_are_measured},
    {"times: range of max_time_step_us", range_of_the_option},
    {"times: rewinding", rewinding},
    {"times: rewinding repeats nothing", rewinding_repeats_nothing},
    {"times: rewinding forgets candidates", rewinding_forgets_candidates},
    {"times: rewinding keeps what the host stated", rewinding_keeps_the_host},
    {"times: when rewinding is refused", rewinding_is_refused},
    {"times: rewinding with a full queue", rewinding_with_a_full_queue},
    {"times: rewinding in each delivery", rewinding_in_each_delivery},
    {"times: stores and snapshots", times_last},
};
AREA(area_times);
