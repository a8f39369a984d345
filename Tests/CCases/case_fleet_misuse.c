/* Tests that every fleet call refuses null, unknown and damaged arguments. */
#include "fleets.h"

/* Passes invalid arguments to a fleet: every pointer NULL, numbers without a device, values out of range. */
static void misuse(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  fencepost_event event;
  fencepost_fix fix = {0, 0, 5, SECONDS(50)};
  fencepost_state state;
  size_t count;
  int64_t time;
  fencepost_device device;
  const char *name = "one";
  fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
  fencepost_device_statistics own = FENCEPOST_DEVICE_STATISTICS_INIT;
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  fencepost_table_version version = FENCEPOST_TABLE_VERSION_INIT;
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  uint64_t offsets[2] = {0, 0};
#define NO(call) CHECK_STATUS(call, FENCEPOST_E_NULL_ARGUMENT)
  NO(fencepost_conditions_create(NULL, NULL));
  NO(fencepost_conditions_version(NULL, &version, NULL));
  NO(fencepost_conditions_version(table, NULL, NULL));
  NO(add_one(NULL, fencepost_circle("a", 0, 0, 1), NULL));
  CHECK_STATUS(add_one(table, fencepost_circle(NULL, 0, 0, 1), NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(add_one(table, fencepost_polygon("a", NULL), NULL), FENCEPOST_E_INVALID_ARGUMENT);
  NO(add_one(table, fencepost_wkb("a", NULL, 4, 0), NULL));
  NO(fencepost_conditions_sync(table, NULL, 1, NULL, NULL));
  NO(fencepost_conditions_identifiers(table, NULL, 0, NULL, NULL, NULL));
  NO(fencepost_conditions_describe(NULL, "exact", NULL, NULL, NULL, NULL));
  NO(fencepost_conditions_describe(table, NULL, NULL, NULL, NULL, NULL));
  NO(fencepost_conditions_restore(NULL, 1, &table, NULL));
  NO(fencepost_fleet_create(NULL, NULL, NULL));
  NO(create_fleet(table, NULL, NULL, NULL));
  NO(fencepost_fleet_conditions(fleet, NULL, NULL));
  NO(fencepost_fleet_statistics(NULL, &statistics, NULL));
  NO(fencepost_fleet_statistics(fleet, NULL, NULL));
  NO(fencepost_fleet_device_statistics(fleet, 1, NULL, NULL));
  NO(fencepost_fleet_enter_devices(fleet, NULL, 1, 0, &device, NULL));
  NO(fencepost_fleet_enter_devices(fleet, &name, 1, 0, NULL, NULL));
  NO(fencepost_fleet_list_devices(fleet, NULL, 1, &count, NULL));
  double place = 0;
  NO(fencepost_fleet_device_positions(NULL, &device, 1, &place, &place, NULL));
  NO(fencepost_fleet_device_positions(fleet, NULL, 1, &place, &place, NULL));
  NO(fencepost_fleet_device_positions(fleet, &device, 1, NULL, &place, NULL));
  NO(fencepost_fleet_device_positions(fleet, &device, 1, &place, NULL, NULL));
  NO(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT, 0, NULL, 1, &count, NULL));
  NO(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT, 0, NULL, 0, NULL, NULL));
  NO(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_ARRIVAL, 0, NULL, 1, &count, NULL));
  NO(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_ARRIVAL, 0, NULL, 0, NULL, NULL));
  NO(fencepost_fleet_set_arrival_time(NULL, 0, NULL));
  NO(fencepost_fleet_advance(NULL, FENCEPOST_ALL_DEVICES, 0, 1, NULL));
  NO(fencepost_fleet_rewind(NULL, FENCEPOST_ALL_DEVICES, 0, NULL));
  NO(fencepost_fleet_rewind(NULL, 0, 0, NULL));
  NO(fencepost_fleet_feed_fix(NULL, 0, &fix, NULL));
  NO(fencepost_fleet_feed_fix(fleet, 1, NULL, NULL));
  NO(fencepost_fleet_feed_columns(NULL, &columns, 0, NULL, NULL));
  NO(fencepost_fleet_feed_sightings(fleet, 1, NULL, 1, SECONDS(50), NULL));
  NO(fencepost_fleet_next_deadline(fleet, FENCEPOST_ALL_DEVICES, NULL, NULL));
  NO(fencepost_fleet_next_deadline(fleet, 1, NULL, NULL));
  NO(fencepost_fleet_poll_events(fleet, NULL, 1, &count, NULL));
  NO(fencepost_fleet_poll_events(fleet, &event, 1, NULL, NULL));
  NO(fencepost_fleet_state(fleet, 1, NULL, &state, NULL));
  NO(fencepost_fleet_state(fleet, 1, "exact", NULL, NULL));
  NO(fencepost_fleet_list_conditions(fleet, 1, FENCEPOST_STATE_SATISFIED, 0, NULL, 1, &count, NULL));
  NO(fencepost_fleet_list_devices_inside(NULL, "exact", NULL, 0, &count, NULL));
  NO(fencepost_fleet_list_devices_inside(fleet, "exact", NULL, 1, &count, NULL));
  NO(fencepost_fleet_list_devices_inside(fleet, NULL, NULL, 0, NULL, NULL));
  NO(fencepost_fleet_explain(fleet, 1, "exact", NULL, NULL));
  NO(fencepost_fleet_export_devices(fleet, NULL, 1, 0, NULL, 0, NULL, &count, NULL));
  NO(fencepost_fleet_export_devices(fleet, &device, 0, 0, NULL, 0, NULL, NULL, NULL));
  NO(fencepost_fleet_import_devices(fleet, NULL, NULL, offsets, 1, 0, NULL, NULL));
  NO(fencepost_fleet_set_wakeup(NULL, NULL, NULL, NULL));

  /* Device 3 was removed; device 4 never existed; the others are numbers of later devices in the place of device 1. */
  static const fencepost_device none[] = {
      3, 4, 1000000, UINT64_C(1) << 32 | 1, UINT64_C(1) << 38 | 1, FENCEPOST_NO_DEVICE, FENCEPOST_ALL_DEVICES};
#define NONE(call) CHECK_STATUS(call, FENCEPOST_E_NO_SUCH_DEVICE)
#define WRONG(call) CHECK_STATUS(call, FENCEPOST_E_INVALID_ARGUMENT)
  fencepost_fleet_counters before = fleet_statistics(fleet), after;
  for (int i = 0; i < 7; i++) {
    NONE(fencepost_fleet_feed_fix(fleet, none[i], &fix, NULL));
    NONE(fencepost_fleet_feed_sightings(fleet, none[i], NULL, 0, SECONDS(50), NULL));
    NONE(fencepost_fleet_set_beacon_scanning(fleet, none[i], 0, SECONDS(50), NULL));
    NONE(fencepost_fleet_set_host_capabilities(fleet, none[i], 0, 0, SECONDS(50), NULL));
    NONE(fencepost_fleet_remove_devices(fleet, &none[i], 1, 1, NULL));
    NONE(fencepost_fleet_device_statistics(fleet, none[i], &own, NULL));
    NONE(fencepost_fleet_list_conditions(fleet, none[i], FENCEPOST_STATE_SATISFIED, 0, NULL, 0, &count, NULL));
    NONE(fencepost_fleet_explain(fleet, none[i], "exact", &explanation, NULL));
    NONE(fencepost_fleet_export_devices(fleet, &none[i], 1, 0, NULL, 0, NULL, &count, NULL));
  }
  for (int i = 0; i < 6; i++) {
    NONE(fencepost_fleet_advance(fleet, none[i], SECONDS(50), 0, NULL));
    NONE(fencepost_fleet_rewind(fleet, none[i], SECONDS(50), NULL));
    NONE(fencepost_fleet_next_deadline(fleet, none[i], &time, NULL));
  }
  WRONG(fencepost_fleet_export_devices(fleet, none, SIZE_MAX, 0, NULL, 0, NULL, &count, NULL));
  WRONG(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, INT64_MAX, 0, NULL));
  WRONG(fencepost_fleet_poll_events(fleet, &event, SIZE_MAX, &count, NULL));
  WRONG(fencepost_fleet_list_conditions(fleet, 1, FENCEPOST_STATE_SATISFIED, 0, NULL, SIZE_MAX, &count, NULL));
  WRONG(fencepost_fleet_list_devices_inside(fleet, NULL, NULL, SIZE_MAX, &count, NULL));
  WRONG(fencepost_fleet_list_devices_inside(fleet, "\xff", NULL, 0, &count, NULL));
  WRONG(fencepost_fleet_list_devices_inside(fleet, "", NULL, 0, &count, NULL));
  after = fleet_statistics(fleet);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  CHECK_STATUS(feed_device(fleet, 1, 0, SECONDS(1)), FENCEPOST_E_LATE_INPUT);
  CHECK_STATUS(feed_device(fleet, 1, NAN, SECONDS(50)), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(fleet_statistics(fleet).late_inputs, 1);
  CHECK_INT(fleet_statistics(fleet).invalid_fixes, 1);
  event = next_fleet_event(fleet);
  CHECK_INT(event.device, 1);

#define RANGE(member, value) RANGE_AS(member, #member, value)
#define RANGE_AS(member, name, value)                          \
  do {                                                         \
    fencepost_options options_ = FENCEPOST_FLEET_OPTIONS_INIT; \
    fencepost_fleet *made_ = (fencepost_fleet *)(uintptr_t)8;  \
    fencepost_error error_ = FENCEPOST_ERROR_INIT;             \
    options_.member = value;                                   \
    WRONG(create_fleet(table, &options_, &made_, &error_));    \
    CHECK_CONTAINS(error_.message, name);                      \
    CHECK(made_ == (fencepost_fleet *)(uintptr_t)8);           \
  } while (0)
  RANGE(struct_size, 9);
  RANGE(max_pending_events, 0);
  RANGE(max_pending_events, UINT64_MAX);
  RANGE(device_limit, 67108864);
  RANGE(device_limit, UINT64_MAX);
  RANGE_AS(beacon_exit_timeout_us, "beacon_exit_timeout", 0);
  RANGE_AS(beacon_initial_timeout_us, "beacon_initial_timeout", -1);
  RANGE_AS(max_time_step_us, "max_time_step", -1);
  RANGE(initial_fix_max_age_us, 60000000);
  RANGE(initial_fix_max_age_us, 0);
  RANGE(condition_limit, 20);
  RANGE_AS(name, "store_directory is NULL", "trucks");
  RANGE_AS(store_directory, "name is NULL", ".");
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"fleet: misuse", misuse},
};
AREA(area_fleet_misuse);
