/*
 * Feeds many fixes in one call, block by block. Between two blocks the interpreter handles signals, so that Ctrl-C ends
 * a long call, and other callers get a turn.
 */
#include "native.h"

#include <time.h>

/*
 * A row may have to evaluate all conditions, at about 100 ns per condition. The first block takes at most about 10 ms
 * even if every row evaluates all conditions; if there are few conditions, this block has many rows. The size of later
 * blocks depends on measured time, because a call from another thread on the same handle may have to wait for one
 * block.
 */
#define FIRST_BLOCK_WORK 100000
#define FIRST_BLOCK_MAX 16384
#define SHORT_NS 2000000
#define LONG_NS 8000000
#define GROWTH 4

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static size_t first_block(native_handle *self) {
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_fleet_counters of_fleet = FENCEPOST_FLEET_COUNTERS_INIT;
  fencepost_status status = self->fleet != NULL ? fencepost_fleet_statistics(self->fleet, &of_fleet, NULL)
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
  rest.majors_m = advanced(fixes->majors_m, fixes->major_stride, row);
  rest.minors_m = advanced(fixes->minors_m, fixes->minor_stride, row);
  rest.orientations = advanced(fixes->orientations, fixes->orientation_stride, row);
  rest.altitudes_m = advanced(fixes->altitudes_m, fixes->altitude_stride, row);
  rest.vertical_accuracies_m = advanced(fixes->vertical_accuracies_m, fixes->vertical_accuracy_stride, row);
  rest.geoid_heights_m = advanced(fixes->geoid_heights_m, fixes->geoid_height_stride, row);
  rest.ground_heights_m = advanced(fixes->ground_heights_m, fixes->ground_height_stride, row);
  return rest;
}

/* Feeds all rows to a temporary monitor without conditions, so that an invalid row is found before any row is fed to
   the real handle. */
static fencepost_status try_all(const fencepost_fix_columns *fixes, size_t count, fencepost_error *error) {
  fencepost_monitor *empty = NULL;
  fencepost_feed_result result = {0, 0, 0, 0};
  fencepost_status status = fencepost_monitor_create(NULL, NULL, &empty, error);
  if (status == FENCEPOST_OK) status = fencepost_monitor_feed_columns(empty, fixes, count, &result, error);
  fencepost_monitor_destroy(empty);
  return status;
}

/* Feeds the rows, beginning with row `done`. */
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

int native_try_rows(native_state *state, const fencepost_fix_columns *fixes, size_t count) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = FENCEPOST_OK;
  if (!fixes->refuse_invalid) return 0;
  Py_BEGIN_ALLOW_THREADS status = try_all(fixes, count, &error);
  Py_END_ALLOW_THREADS if (status == FENCEPOST_OK) return 0;
  native_raise(state, status, &error);
  return -1;
}

/* The rows of a batch, and how many of them have been fed. */
typedef struct {
  fencepost_fix_columns fixes;
  native_device_column *devices;
  size_t count, done, block;
  fencepost_feed_result total;
  int is_full;
} batch;

/* Feeds the next block; returns 0, or -1 with an exception. */
static int feed_block(native_handle *self, batch *batch) {
  fencepost_feed_result result = {0, 0, 0, 0};
  native_call call;
  if (native_begin_input_batch(self, &call) < 0) return -1;
  if (batch->block == 0) batch->block = first_block(self);
  size_t rest = batch->count - batch->done, rows = rest < batch->block ? rest : batch->block;
  fencepost_status status = FENCEPOST_OK;
  int64_t start = now_ns();
  if (batch->devices != NULL) {
    status = native_enter_column(&call, batch->devices, (Py_ssize_t)batch->done, (Py_ssize_t)batch->count);
  }
  if (status == FENCEPOST_OK)
    status = feed(self, &batch->fixes, batch->devices != NULL ? &batch->devices->rows : NULL, batch->done, rows,
                  &result, &call.error);
  if (batch->devices != NULL && (status != FENCEPOST_OK || batch->done + rows == batch->count))
    native_keep_column(&call, batch->devices);
  int64_t took = now_ns() - start;
  if (took < SHORT_NS / GROWTH) {
    batch->block *= GROWTH;
  } else if (took < SHORT_NS) {
    batch->block *= 2;
  } else if (took > LONG_NS) {
    batch->block = batch->block / GROWTH + 1;
  }
  batch->total.accepted += result.accepted;
  batch->total.invalid += result.invalid;
  batch->total.late += result.late;
  batch->total.doubted += result.doubted;
  call.error.position += batch->done;
  if (native_end(&call, status) < 0) {
    batch->is_full = status == FENCEPOST_E_QUEUE_FULL;
    return -1;
  }
  batch->done += rows;
  return 0;
}

PyObject *native_feed_rows(native_handle *self, native_state *state, const fencepost_fix_columns *fixes,
                           native_device_column *devices, size_t count) {
  batch batch = {*fixes, devices, count, 0, 0, {0, 0, 0, 0}, 0};
  if (fixes->refuse_invalid) {
    native_call call = native_begin(self);
    batch.block = first_block(self);
    native_return(&call);
    if (count > batch.block) {
      if (native_try_rows(state, fixes, count) < 0) return NULL;
      batch.fixes.refuse_invalid = 0;
    }
  }
  int failed;
  do failed = feed_block(self, &batch) < 0;
  while (!failed && batch.done < count && !(failed = PyErr_CheckSignals() < 0));
  PyObject *counts =
      Py_BuildValue("(KKKK)", (unsigned long long)batch.total.accepted, (unsigned long long)batch.total.invalid,
                    (unsigned long long)batch.total.late, (unsigned long long)batch.total.doubted);
  if (devices != NULL && devices->entry_count > 0) { /* a signal has ended the call between two blocks */
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    native_call call = native_begin_batch(self);
    native_keep_column(&call, devices);
    native_return(&call);
    PyErr_Restore(type, value, traceback);
  }
  if (!failed) return counts;
  if (batch.is_full || batch.done > 0) native_attach_result(counts);
  Py_XDECREF(counts);
  return NULL;
}
