/* No call through the header may trap, whatever its input: a Swift trap ends the process, including the test. */
#include "check.h"

static uint64_t random_state;

static uint64_t next_random(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return random_state >> 16;
}

static double any_double(void) {
  static const double special[] = {0,      -0.0,   1,       -1,      90, -90,        180,         -180,        1e300,
                                   -1e300, 5e-324, DBL_MAX, DBL_MIN, 91, 89.9999999, 179.9999999, -179.9999999};
  switch (next_random() % 6) {
    case 0: return special[next_random() % (sizeof special / sizeof *special)];
    case 1: return NAN;
    case 2: return next_random() % 2 ? (double)INFINITY : (double)-INFINITY;
    case 3: {
      uint64_t bits = next_random() << 32 ^ next_random();
      double value;
      memcpy(&value, &bits, sizeof value);
      return value;
    }
    default: return (double)(next_random() % 2000) / 1000 - 1;
  }
}

static int64_t any_time(int64_t clock) {
  static const int64_t special[] = {INT64_MIN, INT64_MAX, FENCEPOST_TIME_MIN, FENCEPOST_TIME_MAX, 0, -1};
  switch (next_random() % 8) {
    case 0: return special[next_random() % 3];
    case 1: return clock - (int64_t)(next_random() % 100000000);
    default: return clock + (int64_t)(next_random() % 20000000);
  }
}

static void any_calls(void) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    options.delivery = (fencepost_delivery)(seed % 3);
    options.condition_limit = seed % 5 ? 0 : 4;
    options.max_pending_events = seed % 7 ? 1000 : 3;
    options.beacon_exit_timeout_us = seed % 2 ? 1 : 1000000000000000;
    fencepost_monitor *monitor = new_monitor(&options);
    int64_t clock = seed % 4 == 0 ? FENCEPOST_TIME_MIN : seed % 4 == 1 ? FENCEPOST_TIME_MAX - 4000000000 : T0;
    for (int step = 0; step < 400; step++) {
      char identifier[8];
      fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
      fencepost_condition_definition condition = FENCEPOST_CONDITION_DEFINITION_INIT;
      fencepost_beacon_sighting sighting;
      fencepost_event events[3];
      fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
      fencepost_record record;
      char text[4096];
      uint32_t number;
      size_t count = 0;
      snprintf(identifier, sizeof identifier, "%d", (int)(next_random() % 12));
      policy.entry_margin_m = any_double();
      policy.exit_margin_m = next_random() % 2 ? 0 : any_double();
      policy.exit_margin_limit_m = next_random() % 2 ? 0 : any_double();
      policy.accuracy_factor = next_random() % 2 ? 0 : any_double();
      policy.entry_dwell_us = next_random() % 3 ? (int64_t)(next_random() % 100) : INT64_C(1000000000000000);
      policy.exit_dwell_us = (int64_t)(next_random() % 30000000);
      policy.dwell_policy = (fencepost_dwell_policy)(next_random() % 3);
      policy.notify = (uint32_t)(next_random() % 9);
      condition.policy = next_random() % 3 ? &policy : NULL;
      condition.assuming = (fencepost_state)(next_random() % 4);
      memset(&sighting, 0, sizeof sighting);
      sighting.major = (uint16_t)(next_random() % 3);
      sighting.minor = (uint16_t)(next_random() % 3);
      sighting.rssi_dbm = (int32_t)next_random();
      int64_t time = any_time(clock);
      switch (next_random() % 14) {
        case 0:
        case 1:
          fencepost_monitor_add_circular_condition(monitor, identifier, any_double(), any_double(), any_double() * 1e4,
                                                   &condition, NULL);
          break;
        case 2:
          fencepost_monitor_add_beacon_condition(monitor, identifier, sighting.uuid, (int32_t)(next_random() % 4) - 1,
                                                 (int32_t)(next_random() % 4) - 1, &condition, NULL);
          break;
        case 3: ON_OWN(monitor, remove_named, identifier, &number, NULL); break;
        case 4:
        case 5:
        case 6: {
          fencepost_fix fix = {any_double(), any_double(), any_double(), time};
          fencepost_monitor_feed_fix(monitor, &fix, NULL);
          break;
        }
        case 7: {
          fencepost_fix fixes[5];
          for (int i = 0; i < 5; i++) {
            fencepost_fix fix = {any_double() / 100, any_double() / 100, next_random() % 2 ? 5 : any_double(),
                                 any_time(clock)};
            fixes[i] = fix;
          }
          fencepost_monitor_feed_fixes(monitor, fixes, 5, NULL, NULL);
          break;
        }
        case 8: fencepost_monitor_feed_sightings(monitor, &sighting, 1, time, NULL); break;
        case 9: fencepost_monitor_set_beacon_scanning(monitor, next_random() % 2, time, NULL); break;
        case 10:
          fencepost_monitor_set_host_capabilities(monitor, next_random() % 3 ? 0 : (uint32_t)next_random() & 1023,
                                                  (uint32_t)next_random() & 7, time, NULL);
          break;
        case 11: fencepost_monitor_advance(monitor, time, NULL); break;
        case 12: fencepost_monitor_explain(monitor, identifier, &explanation, NULL); break;
        default:
          CHECK_OK(fencepost_monitor_poll_events(monitor, events, 3, &count, NULL));
          for (size_t i = 0; i < count; i++)
            CHECK_OK(fencepost_event_json(&events[i], NULL, text, sizeof text, NULL, NULL));
          break;
      }
      fencepost_statistics statistics = statistics_of(monitor);
      if (statistics.clock_us != FENCEPOST_TIME_UNSET) clock = statistics.clock_us;
      CHECK(statistics.pending_events < 100000);
      fencepost_plan plan = FENCEPOST_PLAN_INIT;
      fencepost_plan_options slots = FENCEPOST_PLAN_OPTIONS_INIT;
      fencepost_armed_condition armed[12];
      uint64_t generations[2] = {next_random() % 50, next_random()};
      uint32_t keep[2];
      double distance = 0;
      int64_t deadline = 0;
      slots.slots = (uint32_t)(next_random() % 14);
      slots.margin_m = next_random() % 2 ? 0 : any_double();
      slots.maximum_radius_m = next_random() % 2 ? 1000 : any_double();
      if (fencepost_monitor_plan(monitor, any_double(), any_double(), next_random() % 2 ? 5 : any_double(), &slots,
                                 generations, 2, keep, armed, 12, &count, &plan, NULL) == FENCEPOST_OK)
        CHECK(count <= statistics.condition_count && (!plan.has_wake_up || plan.wake_up_radius_m >= 0));
      if (fencepost_monitor_safe_distance(monitor, any_double(), any_double(), &distance, NULL) == FENCEPOST_OK)
        CHECK(distance >= 0);
      CHECK_OK(fencepost_monitor_next_deadline(monitor, &deadline, NULL));
      CHECK(deadline == FENCEPOST_TIME_UNSET || statistics.clock_us == FENCEPOST_TIME_UNSET || deadline >= clock);
      uint64_t after = 0, met = 0;
      number = 1;
      while (next_record(monitor, after, &record, &number) == FENCEPOST_OK && number) {
        after = record.condition.generation;
        CHECK_OK(fencepost_event_json(&record.last_event, NULL, text, sizeof text, NULL, NULL));
        met++;
      }
      CHECK_INT(met, statistics.condition_count);
    }
    fencepost_monitor_destroy(monitor);
  }
}

static void any_event(void) {
  random_state = 99;
  for (int i = 0; i < 20000; i++) {
    fencepost_event event;
    unsigned char *bytes = (unsigned char *)&event;
    for (size_t j = 0; j < sizeof event; j++) bytes[j] = (unsigned char)next_random();
    if (i % 2) {
      event.state &= 3;
      event.cause &= 3;
      event.diagnostics &= 1023;
      event.flags &= 31;
      memset(event.reserved, 0, sizeof event.reserved);
      event.probability = i % 3 ? NAN : (double)(next_random() & 1023) / 1023;
      event.identifier_length %= 257;
      for (size_t j = 0; j < 256; j++) event.identifier[j] &= 127;
    }
    if (i % 4 == 1) {
      event.date_us = FENCEPOST_TIME_MIN + (event.date_us & INT64_C(0x3fffffffffffff));
      event.evidence_date_us = FENCEPOST_TIME_UNSET;
    }
    char text[4096];
    size_t size = 0;
    fencepost_status status = fencepost_event_json(&event, NULL, text, sizeof text, &size, NULL);
    if (i % 4 == 1) CHECK_INT(status, FENCEPOST_OK);
    if (status == FENCEPOST_OK) CHECK_INT(strlen(text), size);
    else CHECK_INT(status, FENCEPOST_E_INVALID_ARGUMENT);
  }
}

static const ccase cases[] = {
    {"hostile: random calls with any values, 60 seeds", any_calls},
    {"event_json: random bytes", any_event},
};
AREA(area_hostile);
