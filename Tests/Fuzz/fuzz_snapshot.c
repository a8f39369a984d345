/*
 * Fuzzes fencepost_monitor_restore with arbitrary bytes, and with bytes whose checksum is corrected, to reach the code
 * after the check. A restored monitor must work, and its snapshot must restore to the same bytes.
 */
#include "seal.h"

static uint8_t *snapshot_of(fencepost_monitor *monitor, size_t *size) {
  REQUIRE(fencepost_monitor_snapshot(monitor, NULL, 0, size, NULL) == FENCEPOST_OK);
  uint8_t *bytes = malloc(*size);
  REQUIRE(bytes != NULL);
  REQUIRE(fencepost_monitor_snapshot(monitor, bytes, *size, size, NULL) == FENCEPOST_OK);
  return bytes;
}

static void use(fencepost_monitor *monitor) {
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(monitor, &statistics, NULL) == FENCEPOST_OK);
  fencepost_record record;
  uint32_t available = 1;
  uint64_t after = 0, met = 0;
  while (next_record(monitor, after, &record, &available) == FENCEPOST_OK && available) {
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    REQUIRE(record.condition.generation > after);
    after = record.condition.generation;
    REQUIRE(fencepost_monitor_explain(monitor, record.condition.identifier, &explanation, NULL) == FENCEPOST_OK);
    met++;
  }
  REQUIRE(met == statistics.condition_count);
  int64_t clock = statistics.clock_us == FENCEPOST_TIME_UNSET ? 0 : statistics.clock_us;
  for (int step = 0; step < 6; step++) {
    fencepost_fix fix = {step % 2 ? 0 : 37.3349, step % 2 ? 0 : -122.0091, 5, clock};
    fencepost_monitor_feed_fix(monitor, &fix, NULL);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *bytes = exact_copy(data, size);
  restore(bytes, size);
  if (size >= 8) {
    seal(bytes, size, 8);
    restore(bytes, size);
  }
  free(bytes);
  return 0;
}
