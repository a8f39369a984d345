#include "check.h"

static void poll_success(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_event event, before;
  uint32_t available = 9;
  memset(&event, 0x5a, sizeof event);
  before = event;
  CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
  CHECK_INT(available, 0);
  CHECK(memcmp(&event, &before, sizeof event) == 0);
  add_exact_circle(monitor, "c", 3);
  CHECK_OK(feed(monitor, 0.001, SECONDS(0)));
  CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
  CHECK_INT(available, 1);
  CHECK_INT(event.sequence, 1);
  CHECK_INT(event.generation, 1);
  CHECK_INT(event.tag, 3);
  CHECK_INT(event.date_us, SECONDS(0));
  CHECK_INT(event.evidence_date_us, SECONDS(0));
  CHECK(event.latitude == 0 && event.longitude == 0.001 && event.accuracy_m == 5);
  CHECK_NEAR(event.boundary_distance_m, 111.31949079327357 - 1000, 1e-6);
  CHECK_INT(event.state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DETERMINATION);
  CHECK_INT(event.diagnostics, 0);
  CHECK_INT(event.flags, 0);
  CHECK_INT(event.position, 1);
  CHECK_INT(event.device, 0);
  CHECK_INT(event.row, 0);
  CHECK_INT(event.decided_by, 0);
  CHECK_INT(event.reserved[0], 0);
  CHECK(isnan(event.probability));
  CHECK_INT(event.identifier_length, 1);
  CHECK_TEXT(event.identifier, "c");
  fencepost_monitor_destroy(monitor);
}

static void poll_null(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_event event, before;
  uint32_t available = 9;
  size_t count = 99;
  memset(&event, 0x5a, sizeof event);
  before = event;
  CHECK_STATUS(fencepost_monitor_poll_event(NULL, &event, &available, NULL), FENCEPOST_E_NULL_ARGUMENT);
  /* A call that is refused does not commit the event in flight. */
  CHECK_REFUSED(monitor, fencepost_monitor_poll_event(monitor, NULL, &available, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_poll_event(monitor, &event, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_poll_events(NULL, &event, 1, &count, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_poll_events(monitor, NULL, 1, &count, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_poll_events(monitor, &event, 1, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_poll_events(monitor, &event, SIZE_MAX, &count, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_acknowledge(NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_INT(available, 9);
  CHECK_INT(count, 99);
  CHECK(memcmp(&event, &before, sizeof event) == 0);
  fencepost_monitor_destroy(monitor);
}

static void poll_many(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_event events[8];
  size_t count = 99;
  add_exact_circle(monitor, "c", 0);
  for (int i = 0; i < 5; i++) CHECK_OK(feed(monitor, i % 2 ? 0.1 : 0, SECONDS(i)));
  CHECK_OK(fencepost_monitor_poll_events(monitor, NULL, 0, &count, NULL));
  CHECK_INT(count, 5);
  memset(events, 0x5a, sizeof events);
  CHECK_OK(fencepost_monitor_poll_events(monitor, events, 2, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_INT(events[0].sequence, 1);
  CHECK_INT(events[1].sequence, 2);
  CHECK(((const uint8_t *)&events[2])[0] == 0x5a);
  CHECK_INT(record_of(monitor, "c").last_event.sequence, 0);
  /* With capacity 0, a poll only counts the events: it does not commit. */
  CHECK_OK(fencepost_monitor_poll_events(monitor, NULL, 0, &count, NULL));
  CHECK_INT(count, 3);
  CHECK_OK(fencepost_monitor_poll_events(monitor, events, 0, &count, NULL));
  CHECK_INT(count, 3);
  CHECK_INT(record_of(monitor, "c").last_event.sequence, 0);
  CHECK_OK(fencepost_monitor_abandon(monitor, NULL));
  CHECK_OK(fencepost_monitor_poll_events(monitor, NULL, 0, &count, NULL));
  CHECK_INT(count, 5); /* events that are redelivered count, too */
  CHECK_OK(fencepost_monitor_poll_events(monitor, events, 2, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
  CHECK_INT(record_of(monitor, "c").last_event.sequence, 2);
  CHECK_OK(fencepost_monitor_poll_events(monitor, events, 8, &count, NULL));
  CHECK_INT(count, 3);
  CHECK_INT(events[2].sequence, 5);
  CHECK_INT(events[2].state, FENCEPOST_STATE_SATISFIED);
  CHECK_OK(fencepost_monitor_poll_events(monitor, events, 8, &count, NULL));
  CHECK_INT(count, 0);
  CHECK_INT(record_of(monitor, "c").last_event.sequence, 5);
  fencepost_monitor_destroy(monitor);
}

static void commit_rules(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  add_exact_circle(monitor, "c", 0);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(feed(monitor, 0.1, SECONDS(1)));
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL)); /* no event was delivered, so there is nothing to commit */
  CHECK_INT(record_of(monitor, "c").last_event.cause, FENCEPOST_CAUSE_NONE);
  CHECK_INT(statistics_of(monitor).pending_events, 2);
  CHECK_INT(next_event(monitor).sequence, 1);
  /* An event in flight is not in the record until it is committed. */
  CHECK_INT(record_of(monitor, "c").last_event.sequence, 0);
  CHECK_INT(record_of(monitor, "c").last_event.state, FENCEPOST_STATE_UNKNOWN);
  /* Polling the next event commits the event in flight. */
  CHECK_INT(next_event(monitor).sequence, 2);
  CHECK_INT(record_of(monitor, "c").last_event.sequence, 1);
  CHECK_INT(record_of(monitor, "c").last_event.state, FENCEPOST_STATE_SATISFIED);
  /* Acknowledging an event commits it; acknowledging it again changes nothing. */
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
  CHECK_INT(record_of(monitor, "c").last_event.sequence, 2);
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
  CHECK_INT(record_of(monitor, "c").last_event.sequence, 2);
  expect_no_event(monitor);
  CHECK_INT(statistics_of(monitor).handed_out_events, 2);
  fencepost_monitor_destroy(monitor);
}

static void record_equals_event(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_beacon_sighting sighting = {{0}, 1, 2, -60};
  memcpy(sighting.uuid, beacon_uuid, 16);
  add_exact_circle(monitor, "c", 8);
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "b", beacon_uuid, -1, -1, NULL, NULL));
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(fencepost_monitor_feed_sightings(monitor, &sighting, 1, SECONDS(1), NULL));
  for (int i = 0; i < 2; i++) {
    fencepost_event event = next_event(monitor);
    CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
    fencepost_record record = record_of(monitor, event.identifier);
    char one[4096], two[4096];
    CHECK_OK(fencepost_event_json(&event, NULL, one, sizeof one, NULL, NULL));
    CHECK_OK(fencepost_event_json(&record.last_event, NULL, two, sizeof two, NULL, NULL));
    CHECK_TEXT(two, one);
    CHECK(record.last_event.tag == event.tag);
  }
  fencepost_monitor_destroy(monitor);
}

/* The device moves in, out, in, and out again. */
static fencepost_monitor *four_changes(fencepost_delivery delivery) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = delivery;
  fencepost_monitor *monitor = new_monitor(&options);
  add_exact_circle(monitor, "c", 0);
  for (int i = 0; i < 4; i++) CHECK_OK(feed(monitor, i % 2 ? 0.1 : 0, SECONDS(i)));
  return monitor;
}

static void expect(fencepost_monitor *monitor, uint64_t sequence, fencepost_state state, fencepost_cause cause,
                   int64_t date) {
  fencepost_event event = next_event(monitor);
  CHECK_INT(event.sequence, sequence);
  CHECK_INT(event.state, state);
  CHECK_INT(event.cause, cause);
  CHECK_INT(event.date_us, date);
}

static void delivery_every(void) {
  fencepost_monitor *monitor = four_changes(FENCEPOST_DELIVERY_EVERY);
  CHECK_INT(statistics_of(monitor).pending_events, 4);
  expect(monitor, 1, FENCEPOST_STATE_SATISFIED, FENCEPOST_CAUSE_DETERMINATION, SECONDS(0));
  expect(monitor, 2, FENCEPOST_STATE_UNSATISFIED, FENCEPOST_CAUSE_CROSSING, SECONDS(1));
  expect(monitor, 3, FENCEPOST_STATE_SATISFIED, FENCEPOST_CAUSE_CROSSING, SECONDS(2));
  expect(monitor, 4, FENCEPOST_STATE_UNSATISFIED, FENCEPOST_CAUSE_CROSSING, SECONDS(3));
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
}

static void delivery_first(void) {
  fencepost_monitor *monitor = four_changes(FENCEPOST_DELIVERY_FIRST);
  CHECK_INT(statistics_of(monitor).pending_events, 1);
  expect(monitor, 1, FENCEPOST_STATE_SATISFIED, FENCEPOST_CAUSE_DETERMINATION, SECONDS(0));
  expect(monitor, 2, FENCEPOST_STATE_UNSATISFIED, FENCEPOST_CAUSE_CROSSING, SECONDS(3));
  expect_no_event(monitor);
  /* If a device leaves and returns before the first event is acknowledged, the first event is delivered, and then an
     event for the current state. */
  CHECK_OK(feed(monitor, 0, SECONDS(4)));
  CHECK_OK(feed(monitor, 0.1, SECONDS(5)));
  expect(monitor, 3, FENCEPOST_STATE_SATISFIED, FENCEPOST_CAUSE_CROSSING, SECONDS(4));
  expect(monitor, 4, FENCEPOST_STATE_UNSATISFIED, FENCEPOST_CAUSE_CROSSING, SECONDS(5));
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
}

static void delivery_latest(void) {
  fencepost_monitor *monitor = four_changes(FENCEPOST_DELIVERY_LATEST);
  CHECK_INT(statistics_of(monitor).pending_events, 1);
  expect(monitor, 1, FENCEPOST_STATE_UNSATISFIED, FENCEPOST_CAUSE_CROSSING, SECONDS(3));
  expect_no_event(monitor);
  CHECK_OK(feed(monitor, 0, SECONDS(4)));
  CHECK_INT(statistics_of(monitor).pending_events, 1);
  CHECK_OK(feed(monitor, 0.1, SECONDS(5))); /* the device is back in the recorded state: no event */
  CHECK_INT(statistics_of(monitor).pending_events, 0);
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
}

static void notify_bits(void) {
  static const struct {
    uint32_t notify;
    int events;
  } table[] = {{0, 0}, {1, 1}, {2, 1}, {4, 2}, {3, 2}, {7, 4}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    fencepost_monitor *monitor = new_monitor(NULL);
    fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
    fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
    policy.notify = table[i].notify;
    options.policy = &policy;
    CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "c", 0, 0, 1000, &options, NULL));
    for (int step = 0; step < 4; step++) CHECK_OK(feed(monitor, step % 2 ? 0.1 : 0, SECONDS(step)));
    CHECK_INT(statistics_of(monitor).pending_events, table[i].events);
    while (statistics_of(monitor).pending_events) next_event(monitor);
    CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
    /* The record has the new state whether or not there was an event. */
    CHECK_INT(record_of(monitor, "c").last_event.state, FENCEPOST_STATE_UNSATISFIED);
    fencepost_monitor_destroy(monitor);
  }
}

static void destroy_with_events(void) {
  fencepost_monitor_destroy(busy_monitor());
  fencepost_monitor *monitor = four_changes(FENCEPOST_DELIVERY_FIRST);
  next_event(monitor);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"poll_event: every member; none leaves the output untouched", poll_success},
    {"poll_event, poll_events, acknowledge: NULL, capacity too large", poll_null},
    {"poll_events: capacity 0, part, more", poll_many},
    {"events: when what was handed out is committed", commit_rules},
    {"events: the committed record equals the event", record_equals_event},
    {"delivery: every", delivery_every},
    {"delivery: first", delivery_first},
    {"delivery: latest", delivery_latest},
    {"notify: each bit; the others change the record silently", notify_bits},
    {"monitor_destroy: with events waiting and in flight", destroy_with_events},
};
AREA(area_events);
