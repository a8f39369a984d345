/* Tests fleets with a store, and snapshots of fleets: opening by name, redelivery, errors. */
#include <stdlib.h>

#include "fleets.h"
#include "stores.h"

static fencepost_options stored_in(const folder *store, const char *name) {
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.store_directory = store->path;
  options.name = name;
  return options;
}

static fencepost_fleet *open_fleet(fencepost_conditions *table, const fencepost_options *options) {
  fencepost_fleet *fleet = NULL;
  CHECK_OK(create_fleet(table, options, &fleet, NULL));
  CHECK(fleet != NULL);
  return fleet;
}

static fencepost_device_statistics device_statistics(fencepost_fleet *fleet, fencepost_device device) {
  fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
  CHECK_OK(fencepost_fleet_device_statistics(fleet, device, &statistics, NULL));
  return statistics;
}

static uint8_t *snapshot_of(fencepost_fleet *fleet, size_t *size) {
  CHECK_OK(fencepost_fleet_snapshot(fleet, NULL, 0, size, NULL));
  uint8_t *bytes = malloc(*size);
  CHECK(bytes != NULL);
  CHECK_STATUS(fencepost_fleet_snapshot(fleet, bytes, *size - 1, size, NULL), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_OK(fencepost_fleet_snapshot(fleet, bytes, *size, NULL, NULL));
  return bytes;
}

static void a_stored_fleet_goes_on(void) {
  folder store = new_folder();
  fencepost_options options = stored_in(&store, "trucks");
  fencepost_conditions *table = new_table();
  fencepost_fleet *fleet = open_fleet(table, &options);
  add_exact(table, "depot", 0, 7);
  fencepost_device one = device_of(fleet, "one"), two = device_of(fleet, "two");
  CHECK_OK(feed_device(fleet, one, 1, SECONDS(1)));
  CHECK_OK(feed_device(fleet, one, 0, SECONDS(2)));
  CHECK_OK(feed_device(fleet, two, 0, SECONDS(2)));
  fencepost_event event = next_fleet_event(fleet);
  CHECK_INT(event.device, one);
  CHECK_INT(fleet_statistics(fleet).store, FENCEPOST_STORE_KEPT);
  CHECK_INT(fleet_statistics(fleet).all_kept, 1);

  /* While a fleet has a store open, no other fleet can open that store; a closed fleet continues in memory. */
  fencepost_fleet *second = NULL;
  CHECK_STATUS(create_fleet(table, &options, &second, NULL), FENCEPOST_E_MONITOR_IN_USE);
  CHECK_OK(fencepost_fleet_checkpoint(fleet, NULL));
  CHECK_OK(fencepost_fleet_close(fleet, NULL));
  CHECK_INT(fleet_statistics(fleet).store, FENCEPOST_STORE_NONE);
  CHECK_OK(fencepost_fleet_close(fleet, NULL));
  CHECK_OK(fencepost_fleet_checkpoint(fleet, NULL));
  fencepost_fleet_destroy(fleet);

  /* Opens the fleet with an empty table, which becomes the saved table; then opens two fleets with that table. */
  fencepost_conditions *empty = new_table();
  fleet = open_fleet(empty, &options);
  fencepost_table_version before = version_of(table), after = version_of(empty);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  CHECK_INT(device_of(fleet, "two"), two);
  CHECK_INT(device_statistics(fleet, one).input_count, 2);
  event = next_fleet_event(fleet); /* this event is redelivered, because it was not acknowledged before */
  CHECK_INT(event.device, one);
  CHECK_INT(event.sequence, 1);
  CHECK_INT(event.position, 1);
  event = next_fleet_event(fleet);
  CHECK_INT(event.device, two);
  expect_no_fleet_event(fleet);
  fencepost_options other = stored_in(&store, "vans");
  other.durability = FENCEPOST_DURABILITY_EVERY_INPUT;
  second = open_fleet(empty, &other);
  CHECK_OK(feed_device(second, device_of(second, "van"), 0, SECONDS(1)));
  fencepost_fleet_destroy(second);
  fencepost_fleet_destroy(fleet);

  /* The store refuses a table with a different history. */
  fencepost_conditions *stranger = new_table();
  add_exact(stranger, "depot", 0.5, 7);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fleet = NULL;
  CHECK_STATUS(create_fleet(stranger, &options, &fleet, &error), FENCEPOST_E_TABLE_MISMATCH);
  CHECK(fleet == NULL);
  CHECK(strstr(error.message, "another table") != NULL);
  second = open_fleet(table, &other);
  CHECK_TEXT(next_fleet_event(second).identifier, "depot");
  fencepost_fleet_destroy(second);
  fencepost_conditions_destroy(stranger);
  fencepost_conditions_destroy(empty);
  fencepost_conditions_destroy(table);
  CHECK_INT(remove_folder(&store), 2);
}

/* A polynomial hash of the store's files. */
static uint64_t sum_of(const folder *store) {
  static const char *const files[] = {"trucks.fencepost", "trucks.fencepost-wal"};
  uint64_t sum = 0;
  for (int i = 0; i < 2; i++) {
    char path[PATH_MAX];
    path_in(store, files[i], path);
    FILE *in = fopen(path, "rb");
    CHECK(in != NULL);
    for (int byte; (byte = getc(in)) != EOF;) sum = sum * 1099511628211u + (unsigned)byte + 1;
    CHECK(fclose(in) == 0);
  }
  return sum;
}

/* After a change of the table, the fleet's next input saves the change; questions save nothing. */
static void questions_save_nothing(void) {
  folder store = new_folder();
  fencepost_options options = stored_in(&store, "trucks");
  fencepost_conditions *table = new_table();
  fencepost_fleet *fleet = open_fleet(table, &options);
  add_exact(table, "depot", 0, 7);
  const fencepost_device one = device_of(fleet, "one");
  CHECK_OK(feed_device(fleet, one, 0, SECONDS(1)));
  next_fleet_event(fleet);
  add_exact(table, "town", 1, 8);
  const uint64_t before = sum_of(&store);

  fencepost_device_presence presences[4];
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  fencepost_state state;
  const char *names[] = {"one", "two"};
  fencepost_device numbers[2];
  int64_t deadline;
  size_t count;
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, "depot", presences, 4, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_OK(fencepost_fleet_list_devices_inside(fleet, NULL, NULL, 0, &count, NULL));
  CHECK_OK(fencepost_fleet_list_conditions(fleet, one, FENCEPOST_STATE_SATISFIED, 0, NULL, 0, &count, NULL));
  CHECK_OK(fencepost_fleet_enter_devices(fleet, names, 2, 0, numbers, NULL));
  CHECK(numbers[0] == one && numbers[1] == FENCEPOST_NO_DEVICE);
  CHECK_OK(fencepost_fleet_list_devices(fleet, numbers, 2, &count, NULL));
  CHECK_OK(fencepost_fleet_expire_devices(fleet, FENCEPOST_EXPIRY_INPUT, SECONDS(2), NULL, 0, &count, NULL));
  CHECK_INT(count, 1);
  CHECK_OK(fencepost_fleet_state(fleet, one, "town", &state, NULL));
  CHECK_OK(fencepost_fleet_explain(fleet, one, "town", &explanation, NULL));
  CHECK_OK(fencepost_fleet_next_deadline(fleet, FENCEPOST_ALL_DEVICES, &deadline, NULL));
  CHECK_OK(fencepost_fleet_next_deadline(fleet, one, &deadline, NULL));
  CHECK_OK(fencepost_fleet_export_devices(fleet, &one, 1, 1, NULL, 0, NULL, &count, NULL));
  CHECK_OK(fencepost_fleet_snapshot(fleet, NULL, 0, &count, NULL));
  CHECK_INT(fleet_statistics(fleet).all_kept, 0);
  CHECK(sum_of(&store) == before);

  CHECK_OK(feed_device(fleet, one, 0, SECONDS(2)));
  CHECK(sum_of(&store) != before);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
  remove_folder(&store);
}

static void what_is_refused(void) {
  folder store = new_folder();
  fencepost_conditions *table = new_table();
  fencepost_fleet *fleet = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_options options = stored_in(&store, NULL);
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_INVALID_ARGUMENT);
  options.name = "no/name";
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_INVALID_NAME);
  options.name = "\xff";
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_INVALID_NAME);
  options = stored_in(&store, "f");
  options.durability = 3;
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_INVALID_ARGUMENT);
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  options.checkpoint_interval_us = 0;
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_INVALID_ARGUMENT);
  options = stored_in(&store, "f");
  options.store_directory = "/does/not/exist";
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_STORE_UNAVAILABLE);
  options.store_directory = "";
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(remove_folder(&store), 0);

  /* The store of a monitor cannot be opened as a fleet, and the store of a fleet cannot be opened as a monitor. */
  store = new_folder();
  fencepost_monitor_destroy(open_in(&store, "m"));
  options = stored_in(&store, "m");
  CHECK_STATUS(create_fleet(table, &options, &fleet, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(strstr(error.message, "holds a monitor") != NULL);
  options.name = "f";
  fencepost_fleet_destroy(open_fleet(table, &options));
  fencepost_options monitors = options_for(&store);
  fencepost_monitor *monitor = NULL;
  CHECK_STATUS(fencepost_monitor_create("f", &monitors, &monitor, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(strstr(error.message, "holds a fleet") != NULL);
  CHECK_INT(remove_folder(&store), 2);
  fencepost_conditions_destroy(table);
}

static void a_snapshot_goes_on(void) {
  fencepost_conditions *table = NULL, *empty = new_table();
  fencepost_fleet *fleet = busy_fleet(&table), *copy = NULL, *other = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  size_t size = 0, again = 0;
  fencepost_event first = next_fleet_event(fleet);
  uint8_t *bytes = snapshot_of(fleet, &size);
  CHECK_OK(fencepost_fleet_restore(bytes, size, NULL, &copy, &error));
  CHECK_OK(fencepost_fleet_restore(bytes, size, empty, &other, &error));
  fencepost_table_version before = version_of(table), after = version_of(empty);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  uint8_t *same = snapshot_of(copy, &again);
  CHECK_INT(size, again);
  CHECK(memcmp(bytes, same, size) == 0);
  CHECK_OK(fencepost_fleet_abandon(fleet, NULL));
  for (int index = 0; index < 3; index++) {
    fencepost_event one = next_fleet_event(fleet), two = next_fleet_event(copy), three = next_fleet_event(other);
    CHECK(memcmp(&one, &two, sizeof one) == 0);
    CHECK(memcmp(&one, &three, sizeof one) == 0);
    if (index == 0) CHECK(memcmp(&one, &first, sizeof one) == 0);
  }
  expect_no_fleet_event(copy);
  fencepost_fleet_destroy(copy);
  fencepost_fleet_destroy(other);

  copy = NULL;
  for (size_t part = 0; part < size; part++)
    CHECK_STATUS(fencepost_fleet_restore(bytes, part, NULL, &copy, &error), FENCEPOST_E_SNAPSHOT_INVALID);
  for (size_t place = 0; place < size; place++) {
    bytes[place] ^= 0x10;
    CHECK_STATUS(fencepost_fleet_restore(bytes, size, NULL, &copy, &error), FENCEPOST_E_SNAPSHOT_INVALID);
    bytes[place] ^= 0x10;
  }
  CHECK(copy == NULL);
  CHECK_STATUS(fencepost_fleet_restore(NULL, 1, NULL, &copy, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_fleet_restore(bytes, size, NULL, NULL, &error), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_conditions *stranger = new_table();
  add_exact(stranger, "x", 3, 0);
  CHECK_STATUS(fencepost_fleet_restore(bytes, size, stranger, &copy, &error), FENCEPOST_E_TABLE_MISMATCH);
  free(bytes);
  free(same);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(stranger);
  fencepost_conditions_destroy(empty);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"fleet store: a reopened fleet continues where it stopped", a_stored_fleet_goes_on},
    {"fleet store: questions save nothing", questions_save_nothing},
    {"fleet store: what is refused", what_is_refused},
    {"fleet store: a restored snapshot continues", a_snapshot_goes_on},
};
AREA(area_fleet_store);
