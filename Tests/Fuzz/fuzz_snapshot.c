/*
 * Fuzzes fencepost_monitor_restore, fencepost_fleet_restore and fencepost_conditions_restore with arbitrary bytes, and
 * with bytes whose checksum is corrected, to reach the code after the check. A restored object must work, and its
 * snapshot must restore to the same bytes. Fixes visit the restored shapes, at a height.
 */
#include "features.h"
#include "seal.h"

static uint8_t *snapshot_of(fencepost_monitor *monitor, size_t *size) {
  REQUIRE(fencepost_monitor_snapshot(monitor, NULL, 0, size, NULL) == FENCEPOST_OK);
  uint8_t *bytes = malloc(*size);
  REQUIRE(bytes != NULL);
  REQUIRE(fencepost_monitor_snapshot(monitor, bytes, *size, size, NULL) == FENCEPOST_OK);
  return bytes;
}

static const measured high = {30, 4, 75, 60, 5, 0, 0};

static void use(fencepost_monitor *monitor) {
  double latitude = 37.3349, longitude = -122.0091;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(monitor, &statistics, NULL) == FENCEPOST_OK);
  fencepost_record record;
  uint32_t available = 1;
  uint64_t after = 0, met = 0;
  while (next_record(monitor, after, &record, &available) == FENCEPOST_OK && available) {
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    fencepost_condition_state parts[4];
    explanation.parts = parts, explanation.parts_capacity = 4;
    REQUIRE(record.condition.generation > after);
    after = record.condition.generation;
    REQUIRE(fencepost_monitor_explain(monitor, record.condition.identifier, &explanation, NULL) == FENCEPOST_OK);
    REQUIRE((explanation.part_count > 0) == (record.condition.kind == FENCEPOST_CONDITION_RULE));
    if (record.condition.kind == FENCEPOST_CONDITION_RULE && record.state == FENCEPOST_STATE_SATISFIED)
      REACH("a restored rule that is satisfied");
    if (explanation.reason == FENCEPOST_REASON_INACTIVE) REACH("a restored condition that is inactive");
    if (!isnan(explanation.vertical_distance_m)) REACH("a restored band");
    if (!isnan(explanation.probability)) REACH("a restored policy with probabilities");
    if (!isnan(explanation.ellipse_major_m)) REACH("a restored ellipse");
    if (explanation.corroborations > 0) REACH("a restored chain of doubted fixes");
    if (record.condition.kind == FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC)
      latitude = record.condition.latitude, longitude = record.condition.longitude;
    met++;
  }
  REQUIRE(met == statistics.condition_count);
  int64_t clock = statistics.clock_us == FENCEPOST_TIME_UNSET ? 0 : statistics.clock_us;
  for (int step = 0; step < 6; step++) {
    fencepost_fix fix = {step % 2 ? 0 : latitude, step % 2 ? 0 : longitude, 5, clock};
    feed_one(monitor, &fix, &high, NULL);
    static const fencepost_beacon_sighting sighting = {{1}, 1, 2, -60};
    fencepost_monitor_feed_sightings(monitor, &sighting, 1, clock, NULL);
    if (clock < FENCEPOST_TIME_MAX - 40000000) clock += 31000000;
    fencepost_monitor_advance(monitor, clock, NULL);
    fencepost_event events[8];
    size_t count = 0;
    REQUIRE(fencepost_monitor_poll_events(monitor, events, 8, &count, NULL) == FENCEPOST_OK);
    for (size_t i = 1; i < count; i++) REQUIRE(events[i].sequence > events[i - 1].sequence);
  }
  if (after != 0) {
    uint32_t removed = 0;
    REQUIRE(ON_OWN(monitor, remove_named, record.condition.identifier, &removed, NULL) == FENCEPOST_OK);
    REQUIRE(removed == 1);
  }
}

static void restore(const uint8_t *bytes, size_t size) {
  fencepost_monitor *monitor = NULL, *again = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_restore(bytes, size, &monitor, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_SNAPSHOT_INVALID);
  REQUIRE((status == FENCEPOST_OK) == (monitor != NULL));
  if (monitor == NULL) return;
  size_t first_size, second_size;
  uint8_t *first = snapshot_of(monitor, &first_size);
  REQUIRE(fencepost_monitor_restore(first, first_size, &again, NULL) == FENCEPOST_OK);
  uint8_t *second = snapshot_of(again, &second_size);
  REQUIRE(first_size == second_size && memcmp(first, second, first_size) == 0);
  use(again);
  free(first);
  free(second);
  fencepost_monitor_destroy(again);
  fencepost_monitor_destroy(monitor);
}

static void use_fleet(fencepost_fleet *fleet) {
  size_t count = 0;
  fencepost_device devices[4];
  fencepost_fleet_counters counters = FENCEPOST_FLEET_COUNTERS_INIT;
  REQUIRE(fencepost_fleet_statistics(fleet, &counters, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_fleet_list_devices(fleet, devices, 4, &count, NULL) == FENCEPOST_OK || counters.device_count > 4);
  if (counters.device_count > 4) return;
  for (size_t i = 0; i < count; i++) {
    fencepost_device_statistics own = FENCEPOST_DEVICE_STATISTICS_INIT;
    REQUIRE(fencepost_fleet_device_statistics(fleet, devices[i], &own, NULL) == FENCEPOST_OK);
    int64_t clock = own.clock_us == FENCEPOST_TIME_UNSET ? 0 : own.clock_us;
    for (int step = 0; step < 4; step++) {
      fencepost_fix fix = {step % 2 ? 0 : 47.5, step % 2 ? 0 : 7.5, 5, clock};
      fencepost_fix_columns columns = columns_of(&fix, &high);
      fencepost_fleet_columns rows = FENCEPOST_FLEET_COLUMNS_INIT;
      rows.devices = &devices[i], rows.fixes = &columns;
      fencepost_error error = FENCEPOST_ERROR_INIT;
      require_detail(fencepost_fleet_feed_columns(fleet, &rows, 1, NULL, &error), &error);
      if (clock < FENCEPOST_TIME_MAX - 40000000) clock += 31000000;
    }
  }
  fencepost_event events[8];
  REQUIRE(fencepost_fleet_poll_events(fleet, events, 8, &count, NULL) == FENCEPOST_OK);
  for (size_t i = 1; i < count; i++) REQUIRE(events[i].position > events[i - 1].position);
  if (count > 0) REACH("an event of a restored fleet");
}

static void restore_fleet(const uint8_t *bytes, size_t size) {
  fencepost_fleet *fleet = NULL, *again = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_fleet_restore(bytes, size, NULL, &fleet, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_SNAPSHOT_INVALID);
  if (status != FENCEPOST_OK) return;
  size_t first_size, second_size;
  REQUIRE(fencepost_fleet_snapshot(fleet, NULL, 0, &first_size, NULL) == FENCEPOST_OK);
  uint8_t *first = malloc(2 * first_size);
  REQUIRE(first != NULL);
  REQUIRE(fencepost_fleet_snapshot(fleet, first, first_size, &first_size, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_fleet_restore(first, first_size, NULL, &again, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_fleet_snapshot(again, first + first_size, first_size, &second_size, NULL) == FENCEPOST_OK);
  REQUIRE(first_size == second_size && memcmp(first, first + first_size, first_size) == 0);
  free(first);
  use_fleet(again);
  fencepost_fleet_destroy(again);
  fencepost_fleet_destroy(fleet);
}

static void restore_table(const uint8_t *bytes, size_t size) {
  fencepost_conditions *table = NULL, *again = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_conditions_restore(bytes, size, &table, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_SNAPSHOT_INVALID);
  if (status != FENCEPOST_OK) return;
  size_t first_size, second_size;
  REQUIRE(fencepost_conditions_snapshot(table, NULL, 0, &first_size, NULL) == FENCEPOST_OK);
  uint8_t *first = malloc(2 * first_size);
  REQUIRE(first != NULL);
  REQUIRE(fencepost_conditions_snapshot(table, first, first_size, &first_size, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_conditions_restore(first, first_size, &again, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_conditions_snapshot(again, first + first_size, first_size, &second_size, NULL) == FENCEPOST_OK);
  REQUIRE(first_size == second_size && memcmp(first, first + first_size, first_size) == 0);
  REACH("a restored table");
  free(first);
  fencepost_conditions_destroy(again);
  fencepost_conditions_destroy(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *bytes = exact_copy(data, size);
  restore(bytes, size);
  if (size >= 8) {
    seal(bytes, size, 8);
    restore(bytes, size);
    restore_fleet(bytes, size);
    restore_table(bytes, size);
  }
  free(bytes);
  return 0;
}
