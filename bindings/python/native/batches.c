/*
 * Many fixes in one call, block by block: between two blocks the interpreter looks at signals, so that Ctrl-C ends a
 * call that would take long, and other callers have their turn.
 */
#include "native.h"

#include <time.h>

/*
 * A row touches at most all conditions, each for about 100 ns: the first block takes less than half a second whatever
 * its rows do, and of few conditions it is large. The blocks after it are as long as the time says.
 */
#define FIRST_BLOCK_WORK 4000000
#define FIRST_BLOCK_MAX 65536
#define SHORT_NS 50000000
#define LONG_NS 200000000

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static size_t first_block(native_handle *self) {
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_fleet_statistics of_fleet = FENCEPOST_FLEET_STATISTICS_INIT;
  fencepost_status status = self->fleet != NULL ? fencepost_fleet_get_statistics(self->fleet, &of_fleet, NULL)
                                                : fencepost_monitor_statistics(self->handle, &statistics, NULL);
  if (status != FENCEPOST_OK) return 1;
  uint64_t rows = FIRST_BLOCK_WORK / (statistics.condition_count + of_fleet.condition_count + 1) + 1;
  return rows < FIRST_BLOCK_MAX ? (size_t)rows : FIRST_BLOCK_MAX;
}

static const void *advanced(const void *start, int64_t stride, size_t rows) {
  return start == NULL ? NULL : (const char *)start + stride * (int64_t)rows;
}

static fencepost_fix_columns rows_from(const fencepost_fix_columns *fixes, size_t row) {
  fencepost_fix_columns rest = *fixes;
  rest.latitudes = advanced(fixes->latitudes, fixes->latitude_stride, row);
  rest.longitudes = advanced(fixes->longitudes, fixes->longitude_stride, row);
  rest.accuracies_m = advanced(fixes->accuracies_m, fixes->accuracy_stride, row);
  rest.times_us = advanced(fixes->times_us, fixes->time_stride, row);
  return rest;
}

/* Whether no row is refused, tried on a monitor without conditions: when one is, nothing may have been fed. */
static fencepost_status try_all(const fencepost_fix_columns *fixes, size_t count, fencepost_error *error) {
  fencepost_monitor *empty = NULL;
  fencepost_feed_result result = {0, 0, 0};
  fencepost_status status = fencepost_monitor_create(NULL, NULL, &empty, error);
  if (status == FENCEPOST_OK) status = fencepost_monitor_feed_columns(empty, fixes, count, &result, error);
  fencepost_monitor_destroy(empty);
  return status;
}

/* Feeds rows from `done` on. */
static fencepost_status feed(native_handle *self, const fencepost_fix_columns *fixes,
                             const fencepost_fleet_columns *devices, size_t done, size_t rows,
                             fencepost_feed_result *result, fencepost_error *error) {
  fencepost_fix_columns next = rows_from(fixes, done);
  if (devices == NULL) return fencepost_monitor_feed_columns(self->handle, &next, rows, result, error);
  fencepost_fleet_columns own = *devices;
  own.devices = advanced(devices->devices, devices->device_stride, done);
  own.fixes = &next;
  own.first_row += done;
  return fencepost_fleet_feed_columns(self->fleet, &own, rows, result, error);
}

static PyObject *counts_of(const fencepost_feed_result *result) {
  return Py_BuildValue("(KKK)", (unsigned long long)result->accepted, (unsigned long long)result->invalid,
                       (unsigned long long)result->late);
}

int native_try_rows(native_handle *self, const fencepost_fix_columns *fixes, size_t count) {
  if (!fixes->refuse_invalid) return 0;
  native_call call = native_begin_batch(self);
  return native_end(&call, try_all(fixes, count, &call.error));
}

PyObject *native_feed_rows(native_handle *self, native_state *state, const fencepost_fix_columns *fixes,
                           const fencepost_fleet_columns *devices, size_t count) {
  if (native_refuse_closed(self, state) < 0) return NULL;
  fencepost_feed_result total = {0, 0, 0};
  fencepost_status status = FENCEPOST_OK;
  int is_interrupted = 0;
  size_t done = 0;
  native_call call = native_begin_batch(self);
  size_t block = first_block(self);
  fencepost_fix_columns rest = *fixes;
  if (fixes->refuse_invalid && count > block) {
    status = try_all(fixes, count, &call.error);
    rest.refuse_invalid = 0;
  }
  while (status == FENCEPOST_OK) {
    size_t rows = count - done < block ? count - done : block;
    fencepost_feed_result result = {0, 0, 0};
    int64_t start = now_ns();
    status = feed(self, &rest, devices, done, rows, &result, &call.error);
    int64_t took = now_ns() - start;
    total.accepted += result.accepted;
    total.invalid += result.invalid;
    total.late += result.late;
    if (status != FENCEPOST_OK) call.error.position += done;
    done += rows;
    if (status != FENCEPOST_OK || done == count) break;
    if (took < SHORT_NS) block *= 2;
    if (took > LONG_NS && block > 1) block /= 2;
    native_return(&call);
    is_interrupted = PyErr_CheckSignals() < 0;
    if (is_interrupted) break;
    call = native_begin_batch(self);
  }
  if (!is_interrupted) native_return(&call);
  PyObject *counts = counts_of(&total);
  if (status == FENCEPOST_OK && !is_interrupted) return counts;
  if (status != FENCEPOST_OK) native_refused(&call, status);
  if (is_interrupted || status == FENCEPOST_E_QUEUE_FULL) native_attach_result(counts);
  Py_XDECREF(counts);
  return NULL;
}
