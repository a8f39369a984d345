/* Tests snapshots: sizes, restored state, and invalid bytes. */
#include "check.h"

/* Returns the snapshot of a monitor in an allocation of exactly the snapshot's size. */
static uint8_t *bytes_of(fencepost_monitor *monitor, size_t *size) {
  CHECK_OK(fencepost_monitor_snapshot(monitor, NULL, 0, size, NULL));
  CHECK(*size > 0);
  uint8_t *bytes = malloc(*size);
  CHECK(bytes != NULL);
  size_t again = 0;
  CHECK_OK(fencepost_monitor_snapshot(monitor, bytes, *size, &again, NULL));
  CHECK_INT(again, *size);
  return bytes;
}

static fencepost_monitor *restored_from(const void *bytes, size_t size) {
  fencepost_monitor *monitor = NULL;
  CHECK_OK(fencepost_monitor_restore(bytes, size, &monitor, NULL));
  CHECK(monitor != NULL);
  return monitor;
}

static void round_trip(void) {
  fencepost_monitor *monitor = busy_monitor();
  size_t size = 0, second = 0;
  uint8_t *bytes = bytes_of(monitor, &size);
  fencepost_monitor *twin = restored_from(bytes, size);
  uint8_t *again = bytes_of(twin, &second);
  CHECK_INT(second, size);
  CHECK(memcmp(bytes, again, size) == 0);
  snapshot before = take_snapshot(monitor);
  expect_unchanged(__FILE__, __LINE__, twin, &before, 0, 0, 0);
  /* The original and the restored monitor continue in the same way, except for the redelivered event. */
  CHECK_INT(next_event(twin).sequence, 1);
  for (int round = 0; round < 2; round++) {
    fencepost_monitor *each = round ? twin : monitor;
    CHECK_OK(fencepost_monitor_advance(each, SECONDS(1000), NULL));
    CHECK_OK(feed(each, 0.2, SECONDS(1001)));
  }
  for (;;) {
    fencepost_event one, other;
    uint32_t available = 0, there = 0;
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    CHECK_OK(fencepost_monitor_poll_event(monitor, &one, &available, NULL));
    CHECK_OK(fencepost_monitor_poll_event(twin, &other, &there, NULL));
    CHECK_INT(available, there);
    CHECK(memcmp(&one, &other, sizeof one) == 0);
    if (!available) break;
  }
  /* The two monitors are independent: the twin outlives the original, and neither affects the other. */
  add_exact_circle(twin, "new", 0);
  CHECK_INT(statistics_of(monitor).condition_count, 3);
  fencepost_monitor_destroy(monitor);
  CHECK_INT(statistics_of(twin).condition_count, 4);
  fencepost_monitor_destroy(twin);
  free(bytes);
  free(again);
}

static void name_and_options(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_CORE_LOCATION_INIT;
  options.condition_limit = 1;
  fencepost_monitor *monitor = NULL;
  CHECK_OK(fencepost_monitor_create("commute", &options, &monitor, NULL));
  size_t size = 0;
  uint8_t *bytes = bytes_of(monitor, &size);
  fencepost_monitor_destroy(monitor);
  monitor = restored_from(bytes, size);
  CHECK_TEXT(statistics_of(monitor).name, "commute");
  add_exact_circle(monitor, "a", 0);
  add_exact_circle(monitor, "over the limit", 0);
  CHECK_INT(next_event(monitor).state, FENCEPOST_STATE_UNMONITORED);
  fencepost_monitor_destroy(monitor);
  free(bytes);
}

static void buffers(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_error error = FENCEPOST_ERROR_INIT;
  size_t size = 0, other = 7;
  uint8_t *bytes = bytes_of(monitor, &size);
  uint8_t *room = malloc(size + 8);
  CHECK(room != NULL);
  memset(room, '#', size + 8);
  CHECK_STATUS(fencepost_monitor_snapshot(monitor, room, size - 1, &other, &error), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(other, size);
  for (size_t i = 0; i < size + 8; i++) CHECK(room[i] == '#');
  CHECK_STATUS(fencepost_monitor_snapshot(monitor, room, 1, NULL, NULL), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_OK(fencepost_monitor_snapshot(monitor, room, size + 8, &other, NULL));
  CHECK_INT(other, size);
  CHECK(memcmp(room, bytes, size) == 0);
  for (size_t i = size; i < size + 8; i++) CHECK(room[i] == '#');
  CHECK_OK(fencepost_monitor_snapshot(monitor, room, size, NULL, NULL));
  CHECK_OK(fencepost_monitor_snapshot(monitor, NULL, 0, NULL, NULL));
  other = 7;
  CHECK_STATUS(fencepost_monitor_snapshot(monitor, NULL, 1, &other, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "buffer");
  CHECK_STATUS(fencepost_monitor_snapshot(NULL, room, size, &other, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "monitor");
  CHECK_INT(other, 7);
  CHECK_STATUS(fencepost_monitor_snapshot(monitor, room, SIZE_MAX, &other, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_monitor_destroy(monitor);
  free(bytes);
  free(room);
}

static void changes_nothing(void) {
  fencepost_monitor *monitor = busy_monitor();
  snapshot before = take_snapshot(monitor);
  size_t size = 0, other = 0;
  uint8_t *one = bytes_of(monitor, &size), *two = bytes_of(monitor, &other);
  CHECK_INT(size, other);
  CHECK(memcmp(one, two, size) == 0);
  expect_unchanged(__FILE__, __LINE__, monitor, &before, 0, 0, 0);
  CHECK_INT(next_event(monitor).sequence, 2); /* a snapshot does not prevent the commit of the events in flight */
  fencepost_monitor_destroy(monitor);
  free(one);
  free(two);
}

static void refused(const void *bytes, size_t size, fencepost_status expected) {
  fencepost_monitor *const marker = (fencepost_monitor *)(uintptr_t)8;
  fencepost_monitor *monitor = marker;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_restore(bytes, size, &monitor, &error);
  if (status != expected)
    FAIL("%zu bytes: %s, expected %s", size, fencepost_status_name(status), fencepost_status_name(expected));
  CHECK(monitor == marker);
  CHECK_INT(error.status, expected);
  CHECK(error.message[0] != 0);
}

static void garbage(void) {
  size_t size = 0;
  fencepost_monitor *monitor = busy_monitor();
  uint8_t *bytes = bytes_of(monitor, &size), *room = malloc(size + 64);
  CHECK(room != NULL);
  refused(NULL, 0, FENCEPOST_E_SNAPSHOT_INVALID);
  refused("", 0, FENCEPOST_E_SNAPSHOT_INVALID);
  refused("fencepost", 9, FENCEPOST_E_SNAPSHOT_INVALID);
  for (size_t length = 0; length < size; length++) { /* the allocation has exactly the size of the shortened snapshot */
    uint8_t *cut = malloc(length ? length : 1);
    CHECK(cut != NULL);
    memcpy(cut, bytes, length);
    refused(cut, length, FENCEPOST_E_SNAPSHOT_INVALID);
    free(cut);
  }
  for (size_t bit = 0; bit < size * 8; bit++) {
    memcpy(room, bytes, size);
    room[bit / 8] ^= (uint8_t)(1u << bit % 8);
    refused(room, size, FENCEPOST_E_SNAPSHOT_INVALID);
  }
  uint64_t random = UINT64_C(20261121);
  for (int round = 0; round < 2000; round++) {
    for (size_t i = 0; i < size + 64; i++) {
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      room[i] = i < size && round % 2 && random >> 62 ? bytes[i] : (uint8_t)(random >> 40);
    }
    refused(room, random >> 33 & 1 ? size : (size_t)(random >> 34) % (size + 64), FENCEPOST_E_SNAPSHOT_INVALID);
  }
  memcpy(room, bytes, size);
  memset(room + size, 0, 64);
  refused(room, size + 1, FENCEPOST_E_SNAPSHOT_INVALID);
  refused(room, size + 64, FENCEPOST_E_SNAPSHOT_INVALID);
  /* Any alignment works. */
  memmove(room + 1, bytes, size);
  fencepost_monitor_destroy(restored_from(room + 1, size));
  fencepost_monitor_destroy(monitor);
  free(bytes);
  free(room);
}

static void restore_null(void) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  refused(NULL, 1, FENCEPOST_E_NULL_ARGUMENT);
  refused("x", SIZE_MAX, FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_restore("x", 1, NULL, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "out_monitor");
}

static const ccase cases[] = {
    {"monitor_snapshot, monitor_restore: continues as the original would", round_trip},
    {"monitor_restore: name and options", name_and_options},
    {"monitor_snapshot: capacity 0, short, exact, larger, NULL", buffers},
    {"monitor_snapshot: changes nothing, the same bytes again", changes_nothing},
    {"monitor_restore: cut, flipped and random bytes", garbage},
    {"monitor_restore: NULL, a size beyond all memory", restore_null},
};
AREA(area_snapshot);
