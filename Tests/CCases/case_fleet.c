/* Tests that a fleet delivers the same events as one monitor for each device, and answers queries about a device. */
#include "fleets.h"

enum {
  DEVICES = 6,
  CAPACITY = 4096
};

static uint64_t next(uint64_t *random) {
  *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *random >> 33;
}

/* In a random world, a fleet delivers the same events for each device as a separate monitor would, byte for byte. */
static void as_many_monitors(void) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    uint64_t random = seed;
    fencepost_conditions *table = new_table();
    fencepost_fleet *fleet = new_fleet(table);
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    options.initial_fix_max_age_us = -1;
    fencepost_monitor *monitors[DEVICES];
    fencepost_device devices[DEVICES];
    fencepost_condition_definition unsatisfied = FENCEPOST_CONDITION_DEFINITION_INIT;
    unsatisfied.assuming = FENCEPOST_STATE_UNSATISFIED;
    for (int d = 0; d < DEVICES; d++) {
      char name[16];
      snprintf(name, sizeof name, "device %d", d);
      monitors[d] = new_monitor(&options);
      devices[d] = device_of(fleet, name);
    }
    for (int step = 0; step < 300; step++) {
      int64_t time = SECONDS(step * 9);
      char name[16];
      snprintf(name, sizeof name, "c%d", (int)(next(&random) % 8));
      double place = (double)(next(&random) % 100) * 0.0005;
      unsigned what = (unsigned)(next(&random) % 12);
      if (what == 0 || step < 6) {
        CHECK_OK(add_one(table, fencepost_circle(name, 0, place, 1500), NULL));
        for (int d = 0; d < DEVICES; d++)
          CHECK_OK(fencepost_monitor_add_circular_condition(monitors[d], name, 0, place, 1500, &unsatisfied, NULL));
      } else if (what == 1) {
        CHECK_OK(remove_named(table, name, NULL, NULL));
        for (int d = 0; d < DEVICES; d++) CHECK_OK(ON_OWN(monitors[d], remove_named, name, NULL, NULL));
      } else if (what == 2) {
        CHECK_OK(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, time, 0, NULL));
        for (int d = 0; d < DEVICES; d++) CHECK_OK(fencepost_monitor_advance(monitors[d], time, NULL));
      } else if (what == 4) {
        int d = (int)(next(&random) % DEVICES);
        uint32_t flags = next(&random) % 3 ? 0 : FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED;
        uint32_t kinds = next(&random) % 3 ? 0 : 1u << FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC;
        CHECK_STATUS(fencepost_fleet_set_host_capabilities(fleet, devices[d], flags, kinds, time, NULL),
                     fencepost_monitor_set_host_capabilities(monitors[d], flags, kinds, time, NULL));
      } else {
        int d = (int)(next(&random) % DEVICES);
        fencepost_fix fix = {0, place, (double)(next(&random) % 3) * 30, time - (what == 3 ? 200000000 : 0)};
        CHECK_STATUS(fencepost_fleet_feed_fix(fleet, devices[d], &fix, NULL),
                     fencepost_monitor_feed_fix(monitors[d], &fix, NULL));
      }
      int64_t earliest = INT64_MAX, deadline;
      for (int d = 0; d < DEVICES; d++) {
        CHECK_OK(fencepost_monitor_next_deadline(monitors[d], &deadline, NULL));
        int64_t own;
        CHECK_OK(fencepost_fleet_next_deadline(fleet, devices[d], &own, NULL));
        CHECK_INT(own, deadline);
        if (deadline != FENCEPOST_TIME_UNSET && deadline < earliest) earliest = deadline;
        fencepost_state one = 9, other = 9;
        fencepost_status status = fencepost_monitor_state(monitors[d], name, &other, NULL);
        CHECK_STATUS(fencepost_fleet_state(fleet, devices[d], name, &one, NULL), status);
        CHECK_INT(one, other);
      }
      CHECK_OK(fencepost_fleet_next_deadline(fleet, FENCEPOST_ALL_DEVICES, &deadline, NULL));
      CHECK_INT(deadline, earliest == INT64_MAX ? FENCEPOST_TIME_UNSET : earliest);
      if (step % 7) continue;
      static _Thread_local fencepost_event events[CAPACITY];
      size_t count;
      CHECK_OK(fencepost_fleet_poll_events(fleet, events, CAPACITY, &count, NULL));
      for (size_t i = 0; i < count; i++) {
        const uint32_t place = (uint32_t)events[i].device - 1;
        CHECK(place < DEVICES && events[i].device == devices[place]);
        fencepost_event got = as_of_monitor(&events[i]), expected = next_event(monitors[place]);
        if (memcmp(&got, &expected, sizeof expected) != 0)
          FAIL("seed %llu, step %d: another event of device %u", (unsigned long long)seed, step,
               (unsigned)events[i].device);
      }
      for (int d = 0; d < DEVICES; d++) expect_no_event(monitors[d]);
    }
    CHECK(fleet_statistics(fleet).handed_out_events > 50);
    for (int d = 0; d < DEVICES; d++) {
      fencepost_statistics expected = statistics_of(monitors[d]);
      fencepost_device_statistics got = FENCEPOST_DEVICE_STATISTICS_INIT;
      CHECK_OK(fencepost_fleet_device_statistics(fleet, devices[d], &got, NULL));
      CHECK_INT(got.accepted_fixes, expected.accepted_fixes);
      CHECK_INT(got.late_inputs, expected.late_inputs);
      CHECK_INT(got.clock_us, expected.clock_us);
      CHECK_INT(got.handed_out_events, expected.handed_out_events);
      fencepost_monitor_destroy(monitors[d]);
    }
    fencepost_fleet_destroy(fleet);
    fencepost_conditions_destroy(table);
  }
}

/* Finds the devices inside one condition, inside all conditions, and near a beacon. */
static void inside_of(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  fencepost_device_presence found[4];
  size_t count = 9;
  fencepost_beacon_sighting sighting = {{0}, 1, 2, -60};
  memcpy(sighting.uuid, beacon_uuid, 16);
  CHECK_OK(fencepost_fleet_feed_sightings(fleet, 1, &sighting, 1, SECONDS(6), NULL));
  memset(found, 0xee, sizeof found);
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, "exact", found, 4, &count, NULL));
  CHECK(count == 1 && found[0].device == 2 && found[0].generation == 1 && found[0].tag == 1);
  CHECK(found[0].since_us == SECONDS(1) && found[0].evidence_date_us == SECONDS(1));
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, "standard", found, 4, &count, NULL));
  CHECK_INT(count, 0); /* the crossing is not yet complete */
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, "beacon", found, 4, &count, NULL));
  CHECK(count == 1 && found[0].device == 1 && found[0].since_us == SECONDS(6));
  CHECK_STATUS(fencepost_fleet_list_devices_inside(fleet, "nowhere", found, 4, &count, NULL), FENCEPOST_E_NOT_FOUND);
  CHECK_INT(count, 1);
  CHECK_OK(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, SECONDS(25), 0, NULL)); /* the crossing is confirmed */
  CHECK_OK(feed_device(fleet, 2, 0, SECONDS(26)));
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, NULL, NULL, 0, &count, NULL));
  CHECK_INT(count, 3);
  memset(found, 0xee, sizeof found);
  CHECK_STATUS(fencepost_fleet_list_devices_inside(fleet, NULL, found, 2, &count, NULL), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK(count == 3 && found[2].device == UINT64_C(0xeeeeeeeeeeeeeeee));
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, NULL, found, 4, &count, NULL));
  CHECK(count == 3 && found[0].device == 1 && found[1].device == 1 && found[2].device == 2);
  CHECK(found[0].generation == 2 && found[1].generation == 3 && found[2].generation == 1);
  CHECK_OK(remove_named(table, "exact", NULL, NULL));
  CHECK_STATUS(fencepost_fleet_list_devices_inside(fleet, "exact", found, 4, &count, NULL), FENCEPOST_E_NOT_FOUND);
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, NULL, found, 4, &count, NULL));
  CHECK_INT(count, 2);
  /* The condition is replaced. The device is already in the new circle, but counts as inside only after its next
     fix. */
  add_exact(table, "exact", 0, 9);
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, "exact", found, 4, &count, NULL));
  CHECK_INT(count, 0);
  CHECK_OK(feed_device(fleet, 2, 0, SECONDS(30)));
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, "exact", found, 4, &count, NULL));
  CHECK(count == 1 && found[0].device == 2 && found[0].tag == 9 && found[0].since_us == SECONDS(30));
  CHECK_OK(fencepost_fleet_remove_devices(fleet, (const fencepost_device[]){2}, 1, 1, NULL));
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, "exact", found, 4, &count, NULL));
  CHECK_INT(count, 0);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static void questions(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  fencepost_condition_state presences[4];
  size_t count = 9;
  memset(presences, 0xee, sizeof presences);
  CHECK_OK(fencepost_fleet_list_conditions(fleet, 2, FENCEPOST_STATE_SATISFIED, 0, presences, 4, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_TEXT(presences[0].identifier, "exact");
  CHECK_INT(presences[0].tag, 1);
  CHECK_INT(presences[0].generation, 1);
  CHECK_INT(presences[0].since_us, SECONDS(1));
  CHECK_INT(presences[0].evidence_date_us, SECONDS(1));
  CHECK_INT(presences[0].state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(presences[0].identifier_length, 5);
  fencepost_beacon_sighting sighting = {{0}, 1, 2, -60};
  memcpy(sighting.uuid, beacon_uuid, 16);
  CHECK_OK(fencepost_fleet_feed_sightings(fleet, 2, &sighting, 1, SECONDS(3), NULL));
  /* The list in parts of one condition: the end is an empty part. */
  CHECK_OK(fencepost_fleet_list_conditions(fleet, 2, FENCEPOST_STATE_SATISFIED, 0, presences, 1, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_TEXT(presences[0].identifier, "exact");
  uint64_t after = presences[0].generation;
  CHECK_OK(fencepost_fleet_list_conditions(fleet, 2, FENCEPOST_STATE_SATISFIED, after, presences, 1, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_TEXT(presences[0].identifier, "beacon");
  after = presences[0].generation;
  CHECK_OK(fencepost_fleet_list_conditions(fleet, 2, FENCEPOST_STATE_SATISFIED, after, presences, 1, &count, NULL));
  CHECK_INT(count, 0);
  /* In every state, the list has the states that fencepost_fleet_state() returns, in the order of adding. */
  fencepost_condition_state every[8];
  CHECK_OK(fencepost_fleet_list_conditions(fleet, 2, FENCEPOST_STATE_ANY, 0, every, 8, &count, NULL));
  CHECK_INT(count, version_of(table).count);
  size_t of_state[3] = {0, 0, 0}, only = 0;
  for (size_t i = 0; i < count; i++) {
    fencepost_state own = 9;
    CHECK_OK(fencepost_fleet_state(fleet, 2, every[i].identifier, &own, NULL));
    CHECK_INT(every[i].state, own);
    CHECK(i == 0 || every[i].generation > every[i - 1].generation);
    CHECK((every[i].since_us != FENCEPOST_TIME_UNSET) == (own == FENCEPOST_STATE_SATISFIED));
    of_state[own]++;
  }
  for (fencepost_state one = FENCEPOST_STATE_UNKNOWN; one <= FENCEPOST_STATE_UNSATISFIED; one++) {
    CHECK_OK(fencepost_fleet_list_conditions(fleet, 2, one, 0, NULL, 0, &only, NULL));
    CHECK_INT(only, of_state[one]);
  }
  CHECK_STATUS(fencepost_fleet_list_conditions(fleet, 2, FENCEPOST_STATE_UNMONITORED, 0, NULL, 0, &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_OK(fencepost_fleet_list_conditions(fleet, 2, FENCEPOST_STATE_SATISFIED, 0, NULL, 0, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_OK(fencepost_fleet_list_conditions(fleet, 2, FENCEPOST_STATE_SATISFIED, 0, presences, 2, &count, NULL));
  CHECK_TEXT(presences[1].identifier, "beacon");
  CHECK_INT(presences[1].since_us, SECONDS(3));
  fencepost_state state = 9;
  CHECK_OK(fencepost_fleet_state(fleet, 2, "beacon", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_SATISFIED);
  CHECK_STATUS(fencepost_fleet_state(fleet, 2, "nowhere", &state, NULL), FENCEPOST_E_NOT_FOUND);
  CHECK_STATUS(fencepost_fleet_state(fleet, 3, "exact", &state, NULL), FENCEPOST_E_NO_SUCH_DEVICE);
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_fleet_explain(fleet, 1, "standard", &explanation, NULL));
  CHECK_INT(explanation.reason, FENCEPOST_REASON_DWELLING);
  CHECK_INT(explanation.deadline_us, SECONDS(25));
  int64_t deadline = 0;
  CHECK_OK(fencepost_fleet_next_deadline(fleet, FENCEPOST_ALL_DEVICES, &deadline, NULL));
  CHECK_INT(deadline, SECONDS(25));
  CHECK_OK(fencepost_fleet_set_beacon_scanning(fleet, 2, 0, SECONDS(4), NULL));
  CHECK_OK(fencepost_fleet_state(fleet, 2, "beacon", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_UNKNOWN);
  CHECK_OK(fencepost_fleet_next_deadline(fleet, 2, &deadline, NULL));
  CHECK(deadline == FENCEPOST_TIME_UNSET);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* Without a table in the options, a fleet creates one of its own. */
static void own_table(void) {
  fencepost_fleet *fleet = NULL;
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_fleet_create(NULL, &fleet, NULL));
  CHECK_OK(fencepost_fleet_conditions(fleet, &table, NULL));
  CHECK_INT(version_of(table).count, 0);
  add_exact(table, "zone", 0, 7);
  fencepost_conditions_destroy(table);
  const fencepost_device device = device_of(fleet, "a");
  CHECK_OK(feed_device(fleet, device, 0, SECONDS(0)));
  CHECK_INT(next_fleet_event(fleet).tag, 7);
  fencepost_fleet_destroy(fleet);
}

/* The host of one device suspends the conditions for this device only. */
static void host_capabilities(void) {
  fencepost_conditions *table = new_table();
  fencepost_fleet *fleet = new_fleet(table);
  add_exact(table, "zone", 0, 1);
  fencepost_device truck = device_of(fleet, "truck"), van = device_of(fleet, "van");
  CHECK_OK(feed_device(fleet, truck, 0, SECONDS(1)));
  CHECK_INT(next_fleet_event(fleet).state, FENCEPOST_STATE_SATISFIED);
  uint32_t circles = 1u << FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC;
  CHECK_OK(
      fencepost_fleet_set_host_capabilities(fleet, truck, FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED, 0, SECONDS(2), NULL));
  fencepost_event event = next_fleet_event(fleet);
  CHECK_INT(event.device, truck);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DIAGNOSTIC);
  CHECK_INT(event.state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(event.diagnostics, FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED);
  CHECK_INT(event.date_us, SECONDS(2));
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_fleet_explain(fleet, truck, "zone", &explanation, NULL));
  CHECK_INT(explanation.reason, FENCEPOST_REASON_SUSPENDED);
  CHECK_OK(feed_device(fleet, truck, 1, SECONDS(3)));
  CHECK_OK(feed_device(fleet, van, 0, SECONDS(3)));
  event = next_fleet_event(fleet);
  CHECK_INT(event.device, van);
  expect_no_fleet_event(fleet);
  /* A condition that is added while the truck is suspended is reported by the next call, with the truck's clock. */
  add_exact(table, "late", 9, 2);
  size_t count;
  CHECK_OK(fencepost_fleet_poll_events(fleet, NULL, 0, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_INT(fleet_statistics(fleet).pending_events, 1);
  event = next_fleet_event(fleet);
  CHECK_INT(event.device, truck);
  CHECK_TEXT(event.identifier, "late");
  CHECK_INT(event.date_us, SECONDS(3));
  CHECK_OK(fencepost_fleet_set_host_capabilities(fleet, truck, 0, circles, SECONDS(4), NULL));
  CHECK_INT(next_fleet_event(fleet).state, FENCEPOST_STATE_UNMONITORED);
  CHECK_INT(next_fleet_event(fleet).state, FENCEPOST_STATE_UNMONITORED);
  expect_no_fleet_event(fleet);
  CHECK_OK(fencepost_fleet_explain(fleet, truck, "zone", &explanation, NULL));
  CHECK_INT(explanation.reason, FENCEPOST_REASON_UNMONITORED);
  /* A snapshot contains what the host stated. */
  uint8_t bytes[4096];
  size_t size;
  CHECK_OK(fencepost_fleet_snapshot(fleet, bytes, sizeof bytes, &size, NULL));
  fencepost_fleet_destroy(fleet);
  CHECK_OK(fencepost_fleet_restore(bytes, size, table, &fleet, NULL));
  CHECK_OK(feed_device(fleet, truck, 0, SECONDS(5)));
  expect_no_fleet_event(fleet);
  CHECK_OK(fencepost_fleet_set_host_capabilities(fleet, truck, 0, 0, SECONDS(6), NULL));
  expect_no_fleet_event(fleet);
  CHECK_OK(feed_device(fleet, truck, 0, SECONDS(7)));
  CHECK_INT(next_fleet_event(fleet).state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(next_fleet_event(fleet).state, FENCEPOST_STATE_UNSATISFIED);
  expect_no_fleet_event(fleet);
  /* A device that was suspended outside of all conditions: its next fix settles them, though it is far from each. */
  CHECK_OK(feed_device(fleet, truck, 5, SECONDS(7)));
  CHECK_INT(next_fleet_event(fleet).state, FENCEPOST_STATE_UNSATISFIED);
  uint32_t limited = FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED;
  CHECK_OK(fencepost_fleet_set_host_capabilities(fleet, truck, limited, 0, SECONDS(7), NULL));
  CHECK_OK(fencepost_fleet_set_host_capabilities(fleet, truck, 0, 0, SECONDS(7), NULL));
  for (int i = 0; i < 4; i++) CHECK_INT(next_fleet_event(fleet).cause, FENCEPOST_CAUSE_DIAGNOSTIC);
  fencepost_state state;
  CHECK_OK(fencepost_fleet_state(fleet, truck, "zone", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_UNKNOWN);
  CHECK_OK(feed_device(fleet, truck, 5, SECONDS(7)));
  CHECK_OK(fencepost_fleet_state(fleet, truck, "zone", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_UNSATISFIED);
  expect_no_fleet_event(fleet);
  CHECK_STATUS(fencepost_fleet_set_host_capabilities(fleet, truck, FENCEPOST_DIAGNOSTIC_CONDITION_UNSUPPORTED, 0,
                                                     SECONDS(8), NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_set_host_capabilities(fleet, truck, 0, 1, SECONDS(8), NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_set_host_capabilities(fleet, truck, 0, 0, SECONDS(6), NULL), FENCEPOST_E_LATE_INPUT);
  CHECK_STATUS(fencepost_fleet_set_host_capabilities(NULL, truck, 0, 0, SECONDS(8), NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_set_host_capabilities(fleet, FENCEPOST_ALL_DEVICES, 0, 0, SECONDS(8), NULL),
               FENCEPOST_E_NO_SUCH_DEVICE);
  fencepost_fleet_destroy(fleet);
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_LATEST;
  options.conditions = table;
  CHECK_OK(fencepost_fleet_create(&options, &fleet, NULL));
  CHECK_STATUS(fencepost_fleet_set_host_capabilities(fleet, device_of(fleet, "truck"), 0, 0, SECONDS(8), NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"fleet: a table of its own", own_table},
    {"fleet: the events of as many monitors", as_many_monitors},
    {"fleet: questions", questions},
    {"fleet: devices inside of a condition", inside_of},
    {"fleet: host capabilities of a device", host_capabilities},
};
AREA(area_fleet);
