/* Fixes from columns: buffers of any stride, read in place. */
#include "native.h"

#include <string.h>

void native_release_column(native_column *column) {
  PyMem_Free(column->scaled);
  if (column->is_held) PyBuffer_Release(&column->view);
}

/* Whether a format is one element of eight native bytes with one of these codes. */
static int has_code(const Py_buffer *view, const char *codes) {
  const char *format = view->format != NULL ? view->format : "B";
  if (*format == '@' || *format == '=' || (*format == '<' && PY_LITTLE_ENDIAN)) format++;
  return view->itemsize == 8 && *format != 0 && strchr(codes, *format) != NULL && format[1] == 0;
}

int native_open_column(native_state *state, PyObject *object, const char *name, const char *codes, Py_ssize_t *count,
                       native_column *column) {
  if (PyObject_GetBuffer(object, &column->view, PyBUF_RECORDS_RO) < 0) return -1;
  column->is_held = 1;
  if (column->view.ndim != 1 || !has_code(&column->view, codes)) {
    PyErr_Format(PyExc_TypeError, "%s must be one column of 64-bit elements, not '%s' in %d dimensions", name,
                 column->view.format != NULL ? column->view.format : "B", column->view.ndim);
    return -1;
  }
  Py_ssize_t rows = column->view.shape[0];
  if (*count >= 0 && rows != *count) {
    native_refuse(state, "%s has %zd rows, latitude has %zd", name, rows, *count);
    return -1;
  }
  *count = rows;
  column->start = column->view.buf;
  column->stride = column->view.strides[0];
  return 0;
}

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
    PyThreadState *saved = native_enter_batch(self);
    scale_column(times, count, multiplier, divisor);
    native_leave_batch(self, saved);
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
  static const char *const names[4] = {"latitude", "longitude", "accuracy", "time"};
  static const char *const codes[4] = {"d", "d", "d", "lq"};
  native_column columns[4];
  memset(columns, 0, sizeof(columns));
  Py_ssize_t count = -1;
  int failed = 0;
  for (int index = 0; index < 4 && !failed; index++) {
    native_column *column = &columns[index];
    if (index == 2 && sources[2] == Py_None) continue;
    if (index == 2 && PyFloat_Check(sources[2])) {
      column->number = PyFloat_AsDouble(sources[2]);
      column->start = &column->number;
      continue;
    }
    failed = native_open_column(state, sources[index], names[index], codes[index], &count, column) < 0;
  }
  PyObject *result = failed ? NULL
                            : feed((native_monitor *)object, state, columns, count, sources[2] != Py_None,
                                   refuse_invalid, multiplier, divisor);
  for (int index = 0; index < 4; index++) native_release_column(&columns[index]);
  return result;
}
