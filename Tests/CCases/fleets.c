#include "fleets.h"

fencepost_conditions *new_table(void) {
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_conditions_create(&table, NULL));
  CHECK(table != NULL);
  return table;
}

fencepost_status create_fleet(fencepost_conditions *table, const fencepost_options *options, fencepost_fleet **out,
                              fencepost_error *error) {
  fencepost_options all = FENCEPOST_FLEET_OPTIONS_INIT;
  if (options != NULL) all = *options;
  all.conditions = table;
  return fencepost_fleet_create(&all, out, error);
}

fencepost_fleet *new_fleet(fencepost_conditions *table) {
  fencepost_fleet *fleet = NULL;
  CHECK_OK(create_fleet(table, NULL, &fleet, NULL));
  CHECK(fleet != NULL);
  return fleet;
}

void add_exact(fencepost_conditions *table, const char *identifier, double longitude, uint64_t tag) {
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.policy = &policy;
  options.tag = tag;
  CHECK_OK(add_one(table, with(fencepost_circle(identifier, 0, longitude, 1000), NULL, &options), NULL));
}

fencepost_device device_of(fencepost_fleet *fleet, const char *identifier) {
  fencepost_device device = 77;
  CHECK_OK(fencepost_fleet_enter_devices(fleet, &identifier, 1, 1, &device, NULL));
  return device;
}

fencepost_status feed_device(fencepost_fleet *fleet, fencepost_device device, double longitude, int64_t time_us) {
  fencepost_fix fix = {0, longitude, 5, time_us};
  return fencepost_fleet_feed_fix(fleet, device, &fix, NULL);
}

fencepost_event next_fleet_event(fencepost_fleet *fleet) {
  fencepost_event event;
  size_t count = 7;
  memset(&event, 0xee, sizeof event);
  CHECK_OK(fencepost_fleet_poll_events(fleet, &event, 1, &count, NULL));
  CHECK_INT(count, 1);
  return event;
}

fencepost_event as_of_monitor(const fencepost_event *event) {
  fencepost_event own = *event;
  own.position = own.sequence, own.device = 0, own.row = 0;
  return own;
}

fencepost_status json_of_fleet_event(fencepost_fleet *fleet, const fencepost_event *event, char *json,
                                     size_t capacity) {
  char device[FENCEPOST_IDENTIFIER_MAX + 1];
  fencepost_status status = fencepost_fleet_device_identifier(fleet, event->device, device, sizeof device, NULL, NULL);
  return status != FENCEPOST_OK ? status : fencepost_event_json(event, device, json, capacity, NULL, NULL);
}

void expect_no_fleet_event(fencepost_fleet *fleet) {
  fencepost_event event, before;
  size_t count = 7;
  memset(&event, 0xee, sizeof event);
  before = event;
  CHECK_OK(fencepost_fleet_poll_events(fleet, &event, 1, &count, NULL));
  CHECK_INT(count, 0);
  CHECK(memcmp(&event, &before, sizeof event) == 0);
}

fencepost_fleet_counters fleet_statistics(fencepost_fleet *fleet) {
  fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
  CHECK_OK(fencepost_fleet_statistics(fleet, &statistics, NULL));
  return statistics;
}

fencepost_table_version version_of(fencepost_conditions *table) {
  fencepost_table_version version = FENCEPOST_TABLE_VERSION_INIT;
  CHECK_OK(fencepost_conditions_version(table, &version, NULL));
  return version;
}

fencepost_fleet *busy_fleet(fencepost_conditions **out_table) {
  fencepost_conditions *table = new_table();
  fencepost_fleet *fleet = new_fleet(table);
  add_exact(table, "exact", 0, 1);
  CHECK_OK(add_one(table, fencepost_circle("standard", 0, 0.05, 1000), NULL));
  CHECK_OK(add_one(table, fencepost_beacon("beacon", beacon_uuid, -1, -1), NULL));
  fencepost_device one = device_of(fleet, "one"), two = device_of(fleet, "two"), gone = device_of(fleet, "gone");
  CHECK_OK(feed_device(fleet, one, 0, SECONDS(0)));
  CHECK_OK(feed_device(fleet, two, 0, SECONDS(1)));
  /* The device leaves the condition "exact" and starts to cross "standard". */
  CHECK_OK(feed_device(fleet, one, 0.05, SECONDS(5)));
  CHECK_OK(fencepost_fleet_remove_devices(fleet, &gone, 1, 0, NULL));
  CHECK_INT(fleet_statistics(fleet).pending_events, 3);
  *out_table = table;
  return fleet;
}
