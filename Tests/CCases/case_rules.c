/* Tests rules of several conditions: the members of a definition, events, explanations and refusals. */
#include "check.h"
#include "fleets.h"

static const char *const two[] = {"yard", "badge"};

static void refuse(fencepost_condition_definition definition, const char *word) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(ON_OWN(monitor, add_one, definition, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, word);
  CHECK_INT(statistics_of(monitor).condition_count, 0);
  fencepost_monitor_destroy(monitor);
}

static void members_in_range(void) {
  static const char *const empty[] = {"yard", ""}, *const twice[] = {"yard", "yard"}, *const itself[] = {"r"},
                           *const missing[] = {"yard", NULL};
  fencepost_condition_definition rule = fencepost_rule("r", FENCEPOST_RULE_ALL, two, 2);
  rule.part_count = 0;
  refuse(rule, "no_parts");
  rule.part_count = 1001; /* the parts are not read */
  refuse(rule, "too_many_parts");
  rule.part_count = SIZE_MAX;
  refuse(rule, "too_many_parts");
  rule.part_count = 2, rule.rule_form = 4;
  refuse(rule, "rule_form");
  rule.rule_form = FENCEPOST_RULE_ANY, rule.at_least = 1;
  refuse(rule, "count");
  rule.rule_form = FENCEPOST_RULE_AT_LEAST, rule.at_least = 0;
  refuse(rule, "count");
  rule.at_least = 3;
  refuse(rule, "count");
  rule.at_least = 2, rule.parts = empty;
  refuse(rule, "part 1");
  rule.parts = missing;
  refuse(rule, "part 1");
  rule.parts = twice;
  refuse(rule, "duplicate");
  refuse(fencepost_rule("r", FENCEPOST_RULE_NONE, itself, 1), "cycle: r, r");
  rule = fencepost_rule("r", FENCEPOST_RULE_ALL, two, 2);
  rule.altitude_max_m = 1, rule.altitude_max_reference = FENCEPOST_ALTITUDE_GROUND;
  refuse(rule, "altitude_max");
  fencepost_monitor *monitor = new_monitor(NULL);
  rule = fencepost_rule("r", FENCEPOST_RULE_ALL, NULL, 2);
  CHECK_STATUS(ON_OWN(monitor, add_one, rule, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_set_host_capabilities(monitor, 0, 1u << FENCEPOST_CONDITION_RULE, 0, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

/* A shared table refuses a beacon condition with a timing; a refusal changes nothing. */
static void refused_by_tables(void) {
  fencepost_conditions *table = new_table();
  fencepost_condition_definition rule = fencepost_rule("r", FENCEPOST_RULE_ALL, two, 2);
  CHECK_OK(fencepost_conditions_add(table, &rule, 1, NULL));
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_condition_definition timed = fencepost_beacon("timed", beacon_uuid, 1, 2);
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.repeat_every_us = 5000000, timed.timing = &timing;
  CHECK_STATUS(fencepost_conditions_add(table, &timed, 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "repeat_every");
  CHECK_OK(remove_named(table, "r", NULL, NULL));
  CHECK_OK(fencepost_conditions_add(table, &rule, 1, NULL));
  fencepost_fleet *fleet = new_fleet(table);
  const fencepost_device device = device_of(fleet, "d");
  CHECK_OK(fencepost_fleet_set_host_capabilities(fleet, device, 0, 0, SECONDS(1), NULL));
  CHECK_STATUS(fencepost_fleet_set_host_capabilities(fleet, device, FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED, 0,
                                                     SECONDS(1), &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "rule");
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* A beacon is the part of a rule of a fleet: the rule changes when the device sees the beacon, and when it is absent. */
static void beacons_of_devices(void) {
  static const char *const parts[] = {"badge"};
  fencepost_conditions *table = new_table();
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_beacon_sighting sighting = {.uuid = {1, 2, 3}, .major = 1, .minor = 2, .rssi_dbm = -50};
  fencepost_condition_definition all[] = {fencepost_rule("gone", FENCEPOST_RULE_NONE, parts, 1),
                                          fencepost_beacon("badge", sighting.uuid, 1, 2)};
  for (size_t i = 0; i < 2; i++) all[i].policy = &exact, all[i].assuming = FENCEPOST_STATE_UNSATISFIED;
  CHECK_OK(fencepost_conditions_add(table, all, 2, NULL));
  fencepost_fleet *fleet = new_fleet(table);
  const fencepost_device device = device_of(fleet, "d");
  CHECK_OK(feed_device(fleet, device, 0, SECONDS(1)));
  CHECK_OK(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, SECONDS(100), 0, NULL));
  CHECK_OK(fencepost_fleet_feed_sightings(fleet, device, &sighting, 1, SECONDS(101), NULL));
  fencepost_event events[8];
  size_t count = 0;
  CHECK_OK(fencepost_fleet_poll_events(fleet, events, 8, &count, NULL));
  CHECK_INT(count, 3);
  CHECK_TEXT(events[0].identifier, "gone");
  CHECK_INT(events[0].state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(events[0].date_us, SECONDS(31));
  CHECK_TEXT(events[2].identifier, "gone");
  CHECK_INT(events[2].state, FENCEPOST_STATE_UNSATISFIED);
  CHECK_INT(events[2].decided_by, events[1].generation);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* A rule with hours of its own: a part of another rule that is unsatisfied outside of them. */
static void hours_of_rules(void) {
  static const char *const parts[] = {"yard"}, *const open[] = {"open"};
  fencepost_conditions *table = new_table();
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  const fencepost_interval hours[] = {{SECONDS(0), SECONDS(50)}, {SECONDS(100), SECONDS(200)}};
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = hours, timing.active_count = 2;
  fencepost_condition_definition all[] = {fencepost_circle("yard", 0, 0, 100),
                                          fencepost_rule("open", FENCEPOST_RULE_ANY, parts, 1),
                                          fencepost_rule("shut", FENCEPOST_RULE_NONE, open, 1)};
  for (size_t i = 0; i < 3; i++) all[i].policy = &exact, all[i].assuming = FENCEPOST_STATE_UNSATISFIED;
  all[1].timing = &timing;
  CHECK_OK(fencepost_conditions_add(table, all, 3, NULL));
  fencepost_fleet *fleet = new_fleet(table);
  const fencepost_device device = device_of(fleet, "d");
  CHECK_OK(feed_device(fleet, device, 0, SECONDS(1)));
  CHECK_OK(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, SECONDS(60), 0, NULL));
  CHECK_OK(feed_device(fleet, device, 0, SECONDS(120)));
  fencepost_event events[8];
  size_t count = 0;
  CHECK_OK(fencepost_fleet_poll_events(fleet, events, 8, &count, NULL));
  static const struct {
    const char *identifier;
    int64_t date;
    int state;
  } expected[] = {{"yard", 1, FENCEPOST_STATE_SATISFIED},
                  {"open", 1, FENCEPOST_STATE_SATISFIED},
                  {"shut", 50, FENCEPOST_STATE_SATISFIED},
                  {"open", 120, FENCEPOST_STATE_SATISFIED},
                  {"shut", 120, FENCEPOST_STATE_UNSATISFIED}};
  CHECK_INT(count, 5);
  for (size_t i = 0; i < 5; i++) {
    CHECK_TEXT(events[i].identifier, expected[i].identifier);
    CHECK_INT(events[i].date_us, SECONDS(expected[i].date));
    CHECK_INT(events[i].state, expected[i].state);
  }
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* The events, states, presences and explanations of two devices. */
static void rules_of_devices(void) {
  static const char *const parts[] = {"yard", "dock"};
  fencepost_conditions *table = new_table();
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT, silent = exact;
  silent.notify = 0;
  fencepost_condition_definition all[] = {fencepost_rule("both", FENCEPOST_RULE_ALL, parts, 2),
                                          fencepost_rule("away", FENCEPOST_RULE_NONE, parts, 2),
                                          fencepost_circle("yard", 0, 0, 100), fencepost_circle("dock", 0, 0.001, 100)};
  for (size_t i = 0; i < 4; i++) {
    all[i].policy = i < 2 ? &exact : &silent;
    all[i].assuming = FENCEPOST_STATE_UNSATISFIED;
  }
  CHECK_OK(fencepost_conditions_add(table, all, 4, NULL));
  fencepost_fleet *fleet = new_fleet(table);
  const fencepost_device one = device_of(fleet, "one"), two_ = device_of(fleet, "two");
  CHECK_OK(feed_device(fleet, one, 0.1, SECONDS(1)));
  CHECK_OK(feed_device(fleet, two_, 0.0005, SECONDS(2)));
  CHECK_OK(feed_device(fleet, two_, 0.1, SECONDS(3)));
  fencepost_event events[8];
  size_t count = 0;
  CHECK_OK(fencepost_fleet_poll_events(fleet, events, 8, &count, NULL));
  static const struct {
    const char *identifier;
    int device;
    fencepost_state state;
    uint64_t decided_by;
  } expected[] = {{"away", 1, FENCEPOST_STATE_SATISFIED, 4},
                  {"both", 2, FENCEPOST_STATE_SATISFIED, 4},
                  {"both", 2, FENCEPOST_STATE_UNSATISFIED, 4},
                  {"away", 2, FENCEPOST_STATE_SATISFIED, 4}};
  CHECK_INT(count, 4);
  for (size_t i = 0; i < 4 && i < count; i++) {
    CHECK_TEXT(events[i].identifier, expected[i].identifier);
    CHECK_INT(events[i].device, expected[i].device == 1 ? one : two_);
    CHECK_INT(events[i].state, expected[i].state);
    CHECK_INT(events[i].decided_by, expected[i].decided_by);
  }
  fencepost_state state = 9;
  CHECK_OK(fencepost_fleet_state(fleet, one, "both", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_UNSATISFIED);
  fencepost_device_presence found[4];
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, "away", found, 4, &count, NULL));
  CHECK(count == 2 && found[0].device == one && found[0].since_us == SECONDS(1) && found[1].device == two_);
  fencepost_condition_state states[2];
  fencepost_explanation explained = FENCEPOST_EXPLANATION_INIT;
  explained.parts = states, explained.parts_capacity = 2;
  CHECK_OK(fencepost_fleet_explain(fleet, two_, "away", &explained, NULL));
  CHECK_INT(explained.reason, FENCEPOST_REASON_PARTS);
  CHECK_INT(explained.part_count, 2);
  CHECK_INT(states[1].state, FENCEPOST_STATE_UNSATISFIED);
  CHECK_INT(states[1].generation, 4);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static void events_and_parts(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT, silent = exact;
  silent.notify = 0;
  fencepost_condition_definition rule = fencepost_rule("r", FENCEPOST_RULE_AT_LEAST, two, 2),
                                 yard = fencepost_circle("yard", 0, 0, 100);
  rule.at_least = 1, rule.policy = &exact, yard.policy = &silent;
  CHECK_OK(ON_OWN(monitor, add_one, rule, NULL));
  CHECK_OK(ON_OWN(monitor, add_one, yard, NULL));
  fencepost_fix fix = {0, 0, 0, SECONDS(5)};
  CHECK_OK(fencepost_monitor_feed_fix(monitor, &fix, NULL));
  fencepost_event event = next_event(monitor);
  CHECK_TEXT(event.identifier, "r");
  CHECK_INT(event.state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(event.decided_by, 2);
  CHECK_INT(event.evidence_date_us, SECONDS(5));
  fencepost_condition_state parts[2];
  fencepost_explanation found = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_monitor_explain(monitor, "r", &found, NULL));
  CHECK_INT(found.reason, FENCEPOST_REASON_PARTS);
  CHECK_INT(found.part_count, 2);
  found.parts = parts, found.parts_capacity = 2;
  CHECK_OK(fencepost_monitor_explain(monitor, "r", &found, NULL));
  CHECK(found.parts == parts);
  CHECK_TEXT(parts[0].identifier, "yard");
  CHECK_INT(parts[0].state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(parts[0].generation, 2);
  CHECK_TEXT(parts[1].identifier, "badge");
  CHECK_INT(parts[1].state, FENCEPOST_STATE_UNKNOWN);
  CHECK_INT(parts[1].generation, 0);
  found.parts_capacity = 1, found.parts = NULL;
  CHECK_STATUS(fencepost_monitor_explain(monitor, "r", &found, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_monitor_conditions(monitor, &table, NULL));
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  CHECK_OK(fencepost_conditions_describe(table, "r", NULL, NULL, &shape, NULL));
  CHECK_INT(shape.kind, FENCEPOST_CONDITION_RULE);
  CHECK_INT(shape.rule_form, FENCEPOST_RULE_AT_LEAST);
  CHECK_INT(shape.at_least, 1);
  char names[32];
  size_t size = 0;
  CHECK_OK(fencepost_conditions_geometry(table, "r", names, sizeof names, &size, NULL));
  CHECK_INT(size, 11);
  CHECK_TEXT(names, "yard");
  CHECK_TEXT(names + 5, "badge");
  fencepost_conditions_destroy(table);
  fencepost_monitor_destroy(monitor);
}

/* The members of a description define the same rule again. */
static void described_as_defined(void) {
  static const struct {
    fencepost_rule_form form;
    uint32_t at_least;
  } rules[] = {
      {FENCEPOST_RULE_AT_LEAST, 2}, {FENCEPOST_RULE_ALL, 0}, {FENCEPOST_RULE_ANY, 0}, {FENCEPOST_RULE_NONE, 0}};
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_monitor_conditions(monitor, &table, NULL));
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    fencepost_condition_definition rule = fencepost_rule("r", rules[i].form, two, 2);
    rule.at_least = rules[i].at_least;
    CHECK_OK(ON_OWN(monitor, add_one, rule, NULL));
    fencepost_shape shape = FENCEPOST_SHAPE_INIT;
    CHECK_OK(fencepost_conditions_describe(table, "r", NULL, NULL, &shape, NULL));
    CHECK_INT(shape.rule_form, rules[i].form);
    CHECK_INT(shape.at_least, rules[i].at_least);
    rule.rule_form = shape.rule_form, rule.at_least = shape.at_least;
    CHECK_OK(ON_OWN(monitor, add_one, rule, NULL));
  }
  fencepost_conditions_destroy(table);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"rules: range of the members", members_in_range},     {"rules: events and parts", events_and_parts},
    {"rules: described as defined", described_as_defined}, {"rules: refused by tables", refused_by_tables},
    {"rules: devices of a fleet", rules_of_devices},       {"rules: beacons as parts in a fleet", beacons_of_devices},
    {"rules: hours in a fleet", hours_of_rules},
};
AREA(area_rules);
