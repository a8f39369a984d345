/* Fixes from columns: buffers of any stride, read in place. */
#include "native.h"

#include <string.h>

/* Rounds down, as a clock of microseconds would show a finer time. What leaves the range becomes no time at all. */
static int64_t scale(int64_t value, int64_t multiplier, int64_t divisor) {
  if (value == INT64_MIN) return FENCEPOST_TIME_UNSET; /* NaT */
  if (divisor > 1) {
    int64_t quotient = value / divisor;
    return quotient - (value % divisor < 0);
  }
  int64_t scaled;
  return __builtin_mul_overflow(value, multiplier, &scaled) ? FENCEPOST_TIME_UNSET : scaled;
}

/* A loop for each common divisor, which the compiler turns into multiplications. */
static void scale_column(native_column *column, Py_ssize_t count, int64_t multiplier, int64_t divisor) {
  const char *from = column->start;
  for (Py_ssize_t row = 0; row < count; row++, from += column->stride) {
    int64_t value;
    memcpy(&value, from, sizeof(value));
    column->scaled[row] = divisor == 1000 ? scale(value, 1, 1000) : scale(value, multiplier, divisor);
  }
  column->start = column->scaled;
  column->stride = sizeof(int64_t);
}

static PyObject *feed(native_monitor *self, native_state *state, native_column *columns, Py_ssize_t count,
                      int has_accuracy, int refuse_invalid, int64_t multiplier, int64_t divisor) {
  native_column *times = &columns[3];
  if (multiplier != 1 || divisor != 1) {
    times->scaled = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof(int64_t));
    if (times->scaled == NULL) return PyErr_NoMemory();
  }
  if (times->scaled != NULL) {
    native_call call = native_begin_batch(self);
    scale_column(times, count, multiplier, divisor);
    native_return(&call);
  }
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fixes.refuse_invalid = refuse_invalid ? 1 : 0;
  fixes.latitudes = columns[0].start;
  fixes.latitude_stride = columns[0].stride;
  fixes.longitudes = columns[1].start;
  fixes.longitude_stride = columns[1].stride;
  if (has_accuracy) {
    fixes.accuracies_m = columns[2].start;
    fixes.accuracy_stride = columns[2].stride;
  }
  fixes.times_us = times->start;
  fixes.time_stride = times->stride;
  return native_feed_rows(self, state, &fixes, (size_t)count);
}

/*
 * (latitude, longitude, accuracy, time, multiplier, divisor, refuse_invalid): columns of doubles; accuracy may be None
 * or one float; times are 64-bit integers, a microsecond is multiplier / divisor of their unit.
 */
PyObject *native_feed_columns(PyObject *object, PyObject *args) {
  native_state *state = native_monitor_state(object);
  PyObject *sources[4];
  long long multiplier, divisor;
  int refuse_invalid;
  if (!PyArg_ParseTuple(args, "OOOOLLp", &sources[0], &sources[1], &sources[2], &sources[3], &multiplier, &divisor,
                        &refuse_invalid))
    return NULL;
  if (multiplier < 1 || divisor < 1) return native_refuse(state, "multiplier and divisor must be positive");
  static const native_layout layouts[4] = {
      {"latitude", "d", 0}, {"longitude", "d", 0}, {"accuracy", "d", 0}, {"time", "lq", 0}};
  native_rows rows = {"latitude", -1};
  native_column columns[4];
  memset(columns, 0, sizeof(columns));
  int failed = 0;
  for (int index = 0; index < 4 && !failed; index++) {
    native_column *column = &columns[index];
    if (index == 2 && sources[2] == Py_None) continue;
    if (index == 2 && PyFloat_Check(sources[2])) {
      column->number = PyFloat_AsDouble(sources[2]);
      column->start = &column->number;
      continue;
    }
    failed = native_open_column(state, sources[index], &layouts[index], &rows, column) < 0;
  }
  PyObject *result = failed ? NULL
                            : feed((native_monitor *)object, state, columns, rows.count, sources[2] != Py_None,
                                   refuse_invalid, multiplier, divisor);
  for (int index = 0; index < 4; index++) native_release_column(&columns[index]);
  return result;
}
