/* Tests how a fleet's devices are added, are removed, expire, and move to another fleet. */
#include "fleets.h"

#include <math.h>

static void devices(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.device_limit = 3;
  fencepost_fleet *fleet = NULL;
  CHECK_OK(create_fleet(table, &options, &fleet, NULL));
  const char *names[] = {"a", "b", "a", "c"};
  fencepost_device numbers[4] = {9, 9, 9, 9};
  CHECK_OK(fencepost_fleet_enter_devices(fleet, names, 4, 0, numbers, NULL));
  for (int i = 0; i < 4; i++) CHECK(numbers[i] == FENCEPOST_NO_DEVICE);
  CHECK_OK(fencepost_fleet_enter_devices(fleet, names, 4, 1, numbers, NULL));
  CHECK_INT(numbers[0], 1);
  CHECK_INT(numbers[2], 1);
  CHECK_INT(numbers[3], 3);
  /* A call adds either all devices or none. */
  const char *more[] = {"a", "new", "b"};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  numbers[0] = 77;
  CHECK_STATUS(fencepost_fleet_enter_devices(fleet, more, 3, 1, numbers, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_CONTAINS(error.message, "device_limit is 3");
  static const char *const wrong[] = {"", "\xff", NULL};
  char text[FENCEPOST_IDENTIFIER_MAX + 2];
  memset(text, 'x', sizeof text);
  text[FENCEPOST_IDENTIFIER_MAX + 1] = 0;
  for (int i = 0; i < 4; i++) {
    more[2] = i < 3 ? wrong[i] : text;
    more[1] = "a";
    CHECK_STATUS(fencepost_fleet_enter_devices(fleet, more, 3, 1, numbers, &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_INT(error.position, 2);
  }
  CHECK_INT(numbers[0], 77);
  CHECK_INT(fleet_statistics(fleet).device_count, 3);
  CHECK_STATUS(fencepost_fleet_enter_devices(fleet, names, SIZE_MAX, 1, numbers, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_OK(fencepost_fleet_enter_devices(fleet, NULL, 0, 1, NULL, NULL));

  char name[8];
  size_t size = 0, count = 0;
  CHECK_OK(fencepost_fleet_device_identifier(fleet, 3, NULL, 0, &size, NULL));
  CHECK_INT(size, 1);
  CHECK_STATUS(fencepost_fleet_device_identifier(fleet, 3, name, 1, &size, NULL), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_OK(fencepost_fleet_device_identifier(fleet, 3, name, 2, &size, NULL));
  CHECK_TEXT(name, "c");
  CHECK_STATUS(fencepost_fleet_device_identifier(fleet, 4, name, 8, &size, NULL), FENCEPOST_E_NO_SUCH_DEVICE);

  /* After a device is removed, its event is still delivered. The device's number is not reused before this event has
     been delivered, but the device's name can be reused at once. */
  CHECK_OK(feed_device(fleet, 1, 0, SECONDS(100)));
  CHECK_OK(feed_device(fleet, 2, 0, SECONDS(200)));
  CHECK_OK(fencepost_fleet_remove_devices(fleet, (const fencepost_device[]){1}, 1, 0, NULL));
  CHECK_STATUS(feed_device(fleet, 1, 0, SECONDS(300)), FENCEPOST_E_NO_SUCH_DEVICE);
  CHECK_STATUS(fencepost_fleet_remove_devices(fleet, (const fencepost_device[]){1}, 1, 0, NULL),
               FENCEPOST_E_NO_SUCH_DEVICE);
  CHECK_INT(device_of(fleet, "a"), 4);
  CHECK_OK(fencepost_fleet_list_devices(fleet, NULL, 0, &count, NULL));
  CHECK_INT(count, 3);
  CHECK_STATUS(fencepost_fleet_list_devices(fleet, numbers, 2, &count, &error), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_CONTAINS(error.message, "3 elements");
  CHECK_OK(fencepost_fleet_list_devices(fleet, numbers, 4, &count, NULL));
  CHECK(numbers[0] == 2 && numbers[1] == 3 && numbers[2] == 4);
  double latitudes[3] = {7, 7, 7}, longitudes[3] = {7, 7, 7};
  CHECK_OK(fencepost_fleet_device_positions(fleet, numbers, 2, latitudes, longitudes, NULL));
  CHECK(fabs(latitudes[0]) < 1e-6 && fabs(longitudes[0]) < 1e-6 && isnan(latitudes[1]) && isnan(longitudes[1]));
  CHECK_OK(fencepost_fleet_device_positions(fleet, NULL, 0, NULL, NULL, NULL));
  numbers[1] = 1; /* removed */
  latitudes[0] = 7;
  CHECK_STATUS(fencepost_fleet_device_positions(fleet, numbers, 2, latitudes, longitudes, &error),
               FENCEPOST_E_NO_SUCH_DEVICE);
  CHECK(error.position == 1 && latitudes[0] == 7);
  fencepost_event event = next_fleet_event(fleet);
  CHECK_INT(event.device, 1);
  static _Thread_local char json[8192];
  CHECK_OK(json_of_fleet_event(fleet, &event, json, sizeof json));
  CHECK(strncmp(json, "{\"device\":\"a\",\"sequence\":1,\"identifier\":\"zone\",", 46) == 0);
  /* All or none: device 1 was removed already. */
  static const fencepost_device one_is_gone[] = {2, 1}, repeated[] = {2, 2};
  CHECK_STATUS(fencepost_fleet_remove_devices(fleet, one_is_gone, 2, 1, &error), FENCEPOST_E_NO_SUCH_DEVICE);
  CHECK_INT(error.position, 1);
  CHECK_INT(fleet_statistics(fleet).device_count, 3);
  CHECK_OK(fencepost_fleet_remove_devices(fleet, NULL, 0, 1, NULL));
  CHECK_STATUS(fencepost_fleet_remove_devices(fleet, NULL, 1, 1, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_remove_devices(fleet, repeated, SIZE_MAX, 1, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_OK(fencepost_fleet_remove_devices(fleet, repeated, 2, 1, NULL)); /* the removed device's event is dropped */
  CHECK_INT(fleet_statistics(fleet).device_count, 2);
  expect_no_fleet_event(fleet);

  /* Whether a device expires depends on the device's own clock; a device without inputs never expires. */
  CHECK_OK(feed_device(fleet, 4, 0, SECONDS(400)));
  CHECK_OK(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT, SECONDS(400), numbers, 4, &count, NULL));
  CHECK_INT(count, 0);
  CHECK_OK(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT, SECONDS(401), NULL, 0, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_INT(fleet_statistics(fleet).device_count, 2);
  CHECK_OK(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT, SECONDS(401), numbers, 1, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_INT(numbers[0], 4);
  CHECK_INT(fleet_statistics(fleet).device_count, 1);
  CHECK_STATUS(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT, INT64_MAX, numbers, 4, &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_expire_devices(fleet, 2, SECONDS(401), numbers, 4, &count, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "expiry is 2");
  CHECK_INT(next_fleet_event(fleet).device, 4);
  expect_no_fleet_event(fleet);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

#define SPAN(seconds) ((int64_t)(seconds) * 1000000)

/* The dates of the inputs do not matter for expiry by arrival time. If arrival times are set, the limit for time steps
   also applies to the first input of a device and to advances. */
static void arrivals(void) {
  fencepost_conditions *table = NULL;
  fencepost_fleet *fleet = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.max_time_step_us = SPAN(3600);
  CHECK_OK(fencepost_conditions_create(&table, NULL));
  CHECK_OK(create_fleet(table, &options, &fleet, NULL));
  const char *const names[] = {"good", "ahead", "behind", "quiet"};
  const int64_t now = SECONDS(0);
  fencepost_device devices[4], gone[4];
  size_t count = 7;
  CHECK_OK(fencepost_fleet_enter_devices(fleet, names, 2, 1, devices, NULL));
  CHECK_STATUS(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_ARRIVAL, now, gone, 4, &count, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "arrival time");
  CHECK_INT(count, 7);
  CHECK_STATUS(fencepost_fleet_set_arrival_time(fleet, INT64_MAX, &error), FENCEPOST_E_INVALID_ARGUMENT);
  /* No arrival time has been set, so there is no limit for time steps. */
  CHECK_OK(feed_device(fleet, devices[1], 0, now + SPAN(1000000000)));
  CHECK_OK(fencepost_fleet_set_arrival_time(fleet, now, NULL));
  CHECK_OK(fencepost_fleet_enter_devices(fleet, names, 4, 1, devices, NULL));
  CHECK_STATUS(feed_device(fleet, devices[3], 0, now + SPAN(3601)), FENCEPOST_E_AHEAD_OF_CLOCK);
  CHECK_OK(feed_device(fleet, devices[3], 0, now + SPAN(3600)));
  CHECK_OK(feed_device(fleet, devices[2], 0, now - SPAN(1024 * 604800)));
  /* A wrong date is refused even if the clock of a device already has that date, but a forced advance is accepted. */
  CHECK_STATUS(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, now + SPAN(3601), 0, &error),
               FENCEPOST_E_AHEAD_OF_CLOCK);
  CHECK_INT(fleet_statistics(fleet).clock_us, FENCEPOST_TIME_UNSET);
  CHECK_OK(fencepost_fleet_set_arrival_time(fleet, now + SPAN(86400), NULL));
  CHECK_OK(feed_device(fleet, devices[0], 0, now + SPAN(86400)));
  CHECK_OK(feed_device(fleet, devices[2], 0, now - SPAN(1024 * 604800 - 9)));
  CHECK_STATUS(feed_device(fleet, devices[1], 0, now + SPAN(86400)), FENCEPOST_E_LATE_INPUT);
  CHECK_OK(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_ARRIVAL, now + 1, NULL, 0, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_OK(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_ARRIVAL, now + 1, gone, 4, &count, NULL));
  CHECK_INT(count, 2);
  CHECK(gone[0] == devices[1] && gone[1] == devices[3]);
  CHECK_INT(fleet_statistics(fleet).device_count, 2);
  CHECK_OK(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, now + SPAN(1000000), 1, NULL));
  CHECK_INT(fleet_statistics(fleet).clock_us, now + SPAN(1000000));
  CHECK_STATUS(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, now, 1, NULL), FENCEPOST_E_LATE_INPUT);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* Devices continue in another fleet after they have been exported from one fleet and imported into the other. An import
   is refused if it comes from another table, if its bytes are damaged, or if the fleet already has a device with the
   same name. */
static void moving(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table), *other = new_fleet(table);
  const fencepost_device numbers[] = {2, 1};
  const char *names[] = {"two", "one"};
  uint64_t offsets[3] = {9, 9, 9};
  size_t size = 0;
  CHECK_OK(fencepost_fleet_export_devices(fleet, numbers, 2, 1, NULL, 0, NULL, &size, NULL));
  CHECK(size > 0 && size < 1024);
  uint8_t bytes[1024];
  CHECK_STATUS(fencepost_fleet_export_devices(fleet, numbers, 2, 1, bytes, size - 1, offsets, &size, NULL),
               FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_OK(fencepost_fleet_export_devices(fleet, numbers, 2, 1, bytes, size, offsets, &size, NULL));
  CHECK_INT(offsets[0], 0);
  CHECK_INT(offsets[2], size);
  CHECK(offsets[1] > 0 && offsets[1] < size);
  fencepost_device entered[2] = {9, 9};
  CHECK_OK(fencepost_fleet_import_devices(other, names, bytes, offsets, 2, 0, entered, NULL));
  CHECK_INT(entered[0], 1);
  CHECK_INT(entered[1], 2);
  CHECK_OK(fencepost_fleet_advance(other, FENCEPOST_ALL_DEVICES, SECONDS(30), 0, NULL));
  fencepost_event event = next_fleet_event(other);
  /* The second fleet confirms a crossing that began in the first fleet. */
  CHECK_TEXT(event.identifier, "standard");
  CHECK_INT(event.device, 2);
  CHECK_OK(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, SECONDS(30), 0, NULL));

  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_fleet_counters before = fleet_statistics(other), after;
  CHECK_STATUS(fencepost_fleet_import_devices(other, names, bytes, offsets, 2, 0, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT); /* refused, because devices with these names exist already */
  const char *fresh[] = {"three", "four"}, *twice[] = {"three", "three"};
  CHECK_STATUS(fencepost_fleet_import_devices(other, twice, bytes, offsets, 2, 0, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  for (size_t at = 0; at < size; at++) { /* the library must refuse damaged bytes */
    bytes[at] ^= 0x10;
    CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, offsets, 2, 0, entered, NULL),
                 FENCEPOST_E_SNAPSHOT_INVALID);
    bytes[at] ^= 0x10;
  }
  uint64_t turned[] = {0, size, offsets[1]}, enormous[] = {0, UINT64_MAX, UINT64_MAX};
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, turned, 2, 0, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, enormous, 2, 0, NULL, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, NULL, offsets, 2, 0, NULL, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, NULL, 2, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  uint64_t nothing[] = {0, 0, 0};
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, NULL, nothing, 2, 0, NULL, NULL),
               FENCEPOST_E_SNAPSHOT_INVALID);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, offsets, SIZE_MAX, 0, NULL, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  after = fleet_statistics(other);
  CHECK(memcmp(&before, &after, sizeof before) == 0);

  /* If the table has changed since the export, the bytes are refused or, on request, adapted. */
  add_exact(table, "later", 1, 0);
  CHECK_STATUS(fencepost_fleet_import_devices(other, fresh, bytes, offsets, 2, 0, NULL, &error),
               FENCEPOST_E_TABLE_MISMATCH);
  CHECK_OK(fencepost_fleet_import_devices(other, fresh, bytes, offsets, 2, 1, entered, &error));
  fencepost_state state = 9;
  CHECK_OK(fencepost_fleet_state(other, entered[0], "exact", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_SATISFIED);
  const fencepost_device wrong[] = {1, 99};
  CHECK_STATUS(fencepost_fleet_export_devices(fleet, wrong, 2, 0, bytes, sizeof bytes, NULL, &size, &error),
               FENCEPOST_E_NO_SUCH_DEVICE);
  CHECK_INT(error.position, 1);
  CHECK_OK(fencepost_fleet_export_devices(fleet, NULL, 0, 0, NULL, 0, offsets, &size, NULL));
  CHECK_INT(size, 0);
  CHECK_INT(offsets[0], 0);
  fencepost_fleet_destroy(other);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* Adds `count` devices, and removes each one before it adds the next; returns the number of the last device. */
static fencepost_device churn(fencepost_fleet *fleet, int count) {
  fencepost_device device = FENCEPOST_NO_DEVICE;
  char name[24];
  for (int i = 0; i < count; i++) {
    if (device != FENCEPOST_NO_DEVICE) CHECK_OK(fencepost_fleet_remove_devices(fleet, &device, 1, 0, NULL));
    snprintf(name, sizeof name, "other %d", i);
    device = device_of(fleet, name);
  }
  return device;
}

/* After a device is removed, each call with its number fails, even if another device now uses the same slot. */
static void stale_numbers(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_fleet *fleet = new_fleet(table);
  const fencepost_device stale = device_of(fleet, "stale"), kept = device_of(fleet, "kept");
  CHECK_OK(feed_device(fleet, stale, 0, SECONDS(100)));
  fencepost_event event = next_fleet_event(fleet);
  CHECK_OK(fencepost_fleet_remove_devices(fleet, &stale, 1, 0, NULL));
  CHECK_OK(fencepost_fleet_acknowledge(fleet, NULL));
  churn(fleet, 3);
  /* Although the device has been removed and its event has been acknowledged, the event's JSON still contains the
     device's name. */
  static _Thread_local char json[8192];
  CHECK_OK(json_of_fleet_event(fleet, &event, json, sizeof json));
  CHECK(strncmp(json, "{\"device\":\"stale\",", 18) == 0);
  const fencepost_device last = churn(fleet, 10000);
  CHECK(last >> 32 != 0 && (uint32_t)last - 1 < 4200);
  CHECK_INT(fleet_statistics(fleet).device_count, 2);

  const fencepost_fleet_counters before = fleet_statistics(fleet);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  uint32_t other = 0;
  /* Tries numbers that have the slot of the removed device, also one whose six lower bits of the generation are those
     of the first device. */
  for (uint64_t generation = 0; generation < 130; generation++) {
    const fencepost_device number = (stale & UINT32_MAX) | generation << 32;
    char name[32];
    if (fencepost_fleet_device_identifier(fleet, number, name, sizeof name, NULL, NULL) == FENCEPOST_OK) {
      CHECK_CONTAINS(name, "other");
      other++;
      continue;
    }
    const fencepost_fix fix = {0, 0, 1, SECONDS(200)};
    const fencepost_device rows[] = {kept, number};
    double zeros[2] = {0, 0};
    const int64_t times[] = {SECONDS(200), SECONDS(200)};
    fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
    fixes.latitudes = fixes.longitudes = zeros;
    fixes.times_us = times;
    fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
    columns.devices = rows;
    columns.fixes = &fixes;
    fencepost_feed_result result = {7, 7, 7, 7};
    fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    fencepost_state state;
    int64_t deadline;
    size_t size;
#define STALE(call) CHECK_STATUS(call, FENCEPOST_E_NO_SUCH_DEVICE)
    STALE(fencepost_fleet_feed_fix(fleet, number, &fix, NULL));
    STALE(fencepost_fleet_feed_columns(fleet, &columns, 2, &result, &error));
    CHECK_INT(error.position, 1);
    STALE(fencepost_fleet_feed_sightings(fleet, number, NULL, 0, SECONDS(200), NULL));
    STALE(fencepost_fleet_set_beacon_scanning(fleet, number, 0, SECONDS(200), NULL));
    STALE(fencepost_fleet_set_host_capabilities(fleet, number, 0, 0, SECONDS(200), NULL));
    STALE(fencepost_fleet_advance(fleet, number, SECONDS(200), 0, NULL));
    STALE(fencepost_fleet_rewind(fleet, number, SECONDS(1), NULL));
    STALE(fencepost_fleet_next_deadline(fleet, number, &deadline, NULL));
    STALE(fencepost_fleet_device_statistics(fleet, number, &statistics, NULL));
    STALE(fencepost_fleet_state(fleet, number, "zone", &state, NULL));
    STALE(fencepost_fleet_list_conditions(fleet, number, FENCEPOST_STATE_SATISFIED, 0, NULL, 0, &size, NULL));
    STALE(fencepost_fleet_explain(fleet, number, "zone", &explanation, NULL));
    STALE(fencepost_fleet_device_positions(fleet, &number, 1, zeros, zeros, NULL));
    STALE(fencepost_fleet_export_devices(fleet, &number, 1, 0, NULL, 0, NULL, &size, NULL));
    STALE(fencepost_fleet_remove_devices(fleet, &number, 1, 0, NULL));
  }
  CHECK(other <= 1);
  event.device = stale;
  STALE(json_of_fleet_event(fleet, &event, json, sizeof json));
  const fencepost_fleet_counters after = fleet_statistics(fleet);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  /* In each slot, only the number of the device that uses the slot now is valid. */
  CHECK_OK(feed_device(fleet, last, 0, SECONDS(300)));
  event = next_fleet_event(fleet);
  CHECK_INT(event.device, last);
  CHECK_OK(json_of_fleet_event(fleet, &event, json, sizeof json));
  CHECK(strncmp(json, "{\"device\":\"other 9999\",", 23) == 0);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* A fork delivers the uncommitted event again, with its sequence and position, and then continues independently. */
static void forks(void) {
  fencepost_conditions *table = NULL, *shared = NULL;
  fencepost_fleet *fleet = busy_fleet(&table), *fork = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_fleet_fork(fleet, NULL, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_fork(NULL, &fork, &error), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_event first = next_fleet_event(fleet);
  CHECK_OK(fencepost_fleet_fork(fleet, &fork, NULL));
  fencepost_event again = next_fleet_event(fork);
  CHECK(memcmp(&first, &again, sizeof first) == 0);
  CHECK_INT(fleet_statistics(fork).device_count, fleet_statistics(fleet).device_count);
  fencepost_device device = device_of(fork, "only in the fork");
  CHECK_OK(feed_device(fork, device, 0, SECONDS(5000)));
  CHECK_INT(fleet_statistics(fork).device_count, fleet_statistics(fleet).device_count + 1);
  /* A change of the shared table reaches both, also after the original has ended. */
  CHECK_OK(fencepost_fleet_conditions(fork, &shared, NULL));
  fencepost_fleet_destroy(fleet);
  add_exact(shared, "new", 40, 0);
  CHECK_INT(fleet_statistics(fork).condition_count, version_of(table).count);
  CHECK_OK(feed_device(fork, device, 40, SECONDS(6000)));
  fencepost_fleet_destroy(fork);
  fencepost_conditions_destroy(shared);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"fleet: a fork continues by itself", forks},         {"fleet: devices come and go", devices},
    {"fleet: devices expire by arrival", arrivals},       {"fleet: devices move", moving},
    {"fleet: numbers of removed devices", stale_numbers},
};
AREA(area_fleet_devices);
