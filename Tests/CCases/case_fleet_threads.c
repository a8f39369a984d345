/* Uses fleets on several threads over a table that changes: the Thread Sanitizer would show races. */
#include <pthread.h>

#include "fleets.h"

enum {
  FLEETS = 8,
  ROUNDS = 60,
  DEVICES = 50
};

typedef struct shard {
  fencepost_conditions *table;
  int number;
  uint64_t events, failures;
} shard;

/* Each thread uses its own fleet: it adds devices, feeds them, polls events, exports the devices, and destroys the
   fleet. */
static void *follow(void *argument) {
  shard *me = argument;
  fencepost_fleet *fleet = NULL;
  if (create_fleet(me->table, NULL, &fleet, NULL)) {
    me->failures++;
    return NULL;
  }
  fencepost_device devices[DEVICES];
  for (int d = 0; d < DEVICES; d++) {
    char text[32];
    const char *name = text;
    snprintf(text, sizeof text, "%d of %d", d, me->number);
    if (fencepost_fleet_enter_devices(fleet, &name, 1, 1, &devices[d], NULL)) me->failures++;
  }
  double latitudes[DEVICES] = {0}, longitudes[DEVICES];
  int64_t times[DEVICES];
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  fixes.latitudes = latitudes, fixes.longitudes = longitudes, fixes.times_us = times;
  columns.devices = devices, columns.fixes = &fixes;
  static _Thread_local fencepost_event events[DEVICES * 4];
  for (int round = 0; round < ROUNDS; round++) {
    for (int d = 0; d < DEVICES; d++) {
      longitudes[d] = (round + d) % 3 ? 0.1 : 0;
      times[d] = SECONDS(round);
    }
    fencepost_feed_result result;
    if (fencepost_fleet_feed_columns(fleet, &columns, DEVICES, &result, NULL) || result.accepted != DEVICES)
      me->failures++;
    size_t count, size;
    if (fencepost_fleet_poll_events(fleet, events, DEVICES * 4, &count, NULL)) me->failures++;
    me->events += count;
    fencepost_condition_state presences[16];
    if (fencepost_fleet_list_conditions(fleet, devices[round % DEVICES], FENCEPOST_STATE_SATISFIED, 0, presences, 16,
                                        &count, NULL))
      me->failures++;
    uint8_t bytes[4096];
    if (fencepost_fleet_export_devices(fleet, devices, 4, 1, bytes, sizeof bytes, NULL, &size, NULL)) me->failures++;
    fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
    if (fencepost_fleet_statistics(fleet, &statistics, NULL)) me->failures++;
    if (statistics.condition_count < 1 || statistics.condition_count > 12) me->failures++;
    if (fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, SECONDS(round), 0, NULL)) me->failures++;
  }
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(me->table); /* its own reference */
  return NULL;
}

/* Changes and reads the table while the other threads run. */
static void *change(void *argument) {
  shard *me = argument;
  for (int round = 0; round < ROUNDS * 4; round++) {
    char name[16];
    snprintf(name, sizeof name, "c%d", round % 10);
    double longitude = round % 20 < 10 ? 0 : 0.1;
    if (add_one(me->table, fencepost_circle(name, 0, longitude, 1000 + round), NULL)) me->failures++;
    if (round % 3 == 0 && remove_named(me->table, name, NULL, NULL)) me->failures++;
    fencepost_table_version version = FENCEPOST_TABLE_VERSION_INIT;
    if (fencepost_conditions_version(me->table, &version, NULL)) me->failures++;
    fencepost_condition condition;
    if (fencepost_conditions_describe(me->table, "always", &condition, NULL, NULL, NULL)) me->failures++;
  }
  return NULL;
}

static void eight_fleets(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "always", 0, 0);
  fencepost_fleet *first = new_fleet(table);
  shard shards[FLEETS + 1];
  pthread_t threads[FLEETS + 1];
  memset(shards, 0, sizeof shards);
  for (int i = 0; i <= FLEETS; i++) {
    shards[i].number = i;
    if (i < FLEETS) CHECK_OK(fencepost_fleet_conditions(first, &shards[i].table, NULL));
    else shards[i].table = table;
  }
  fencepost_fleet_destroy(first);
  for (int i = 0; i <= FLEETS; i++)
    CHECK_INT(pthread_create(&threads[i], NULL, i < FLEETS ? follow : change, &shards[i]), 0);
  for (int i = 0; i <= FLEETS; i++) CHECK_INT(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i <= FLEETS; i++) CHECK_INT(shards[i].failures, 0);
  /* In most rounds, the condition "always" is enough to give each device an event. */
  for (int i = 0; i < FLEETS; i++) CHECK(shards[i].events >= ROUNDS * DEVICES / 3);
  CHECK_INT(version_of(table).generation, 1 + ROUNDS * 4);
  fencepost_conditions_destroy(table);
}

static void *feed_shared(void *argument) {
  fencepost_fleet *fleet = argument;
  uintptr_t failures = 0;
  for (int round = 0; round < ROUNDS * 4; round++) {
    char text[16];
    const char *name = text;
    fencepost_device device;
    snprintf(text, sizeof text, "d%d", round % 7);
    fencepost_event event;
    size_t count;
    fencepost_status status;
    if (fencepost_fleet_enter_devices(fleet, &name, 1, 1, &device, NULL)) failures++;
    status = feed_device(fleet, device, round / 7 % 2 ? 0.1 : 0, SECONDS(round));
    /* Another thread may have fed the device a later fix, or removed it. */
    if (status && status != FENCEPOST_E_LATE_INPUT && status != FENCEPOST_E_NO_SUCH_DEVICE) failures++;
    if (fencepost_fleet_poll_events(fleet, &event, 1, &count, NULL)) failures++;
    status = round % 50 == 49 ? fencepost_fleet_remove_devices(fleet, &device, 1, 0, NULL) : FENCEPOST_OK;
    if (status && status != FENCEPOST_E_NO_SUCH_DEVICE) failures++;
  }
  return (void *)failures;
}

static void one_fleet(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "always", 0, 0);
  fencepost_fleet *fleet = new_fleet(table);
  pthread_t threads[FLEETS];
  for (int i = 0; i < FLEETS; i++) CHECK_INT(pthread_create(&threads[i], NULL, feed_shared, fleet), 0);
  for (int i = 0; i < FLEETS; i++) {
    void *failures;
    CHECK_INT(pthread_join(threads[i], &failures), 0);
    CHECK_INT((uintptr_t)failures, 0);
  }
  CHECK(fleet_statistics(fleet).device_count <= 7);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"threads: eight fleets over one table that changes", eight_fleets},
    {"threads: one fleet on eight threads", one_fleet},
};
AREA(area_fleet_threads);
