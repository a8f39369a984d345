/* Feeds fixes from columns: buffers of any stride, which are read in place. */
#include "native.h"

#include <string.h>

/* Rounds a time with a finer resolution down to microseconds, as a clock with microseconds would show it. A value out
   of range gives FENCEPOST_TIME_UNSET. */
static int64_t scale(int64_t value, int64_t multiplier, int64_t divisor) {
  if (value == INT64_MIN) return FENCEPOST_TIME_UNSET; /* NaT */
  if (divisor > 1) {
    int64_t quotient = value / divisor;
    return quotient - (value % divisor < 0);
  }
  int64_t scaled;
  return __builtin_mul_overflow(value, multiplier, &scaled) ? FENCEPOST_TIME_UNSET : scaled;
}

/* Has a separate loop for each common divisor, so that the compiler can replace the division with multiplications. */
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

/* Latitudes, longitudes, accuracies, times, the three columns of error
 * ellipses, and the four columns of heights. */
#define COLUMNS 11

/* The devices of the rows of a fleet; a monitor has no devices, so `codes` and `names` are None. */
typedef struct {
  PyObject *codes, *names;
  unsigned long long first_row;
} row_devices;

static PyObject *feed(native_handle *self, native_state *state, native_column *columns, Py_ssize_t count,
                      int has_accuracy, int refuse_invalid, int64_t multiplier, int64_t divisor,
                      const row_devices *devices) {
  native_column *times = &columns[3];
  if (multiplier != 1 || divisor != 1) {
    times->scaled = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof(int64_t));
    if (times->scaled == NULL) return PyErr_NoMemory();
  }
  if (times->scaled != NULL) {
    Py_BEGIN_ALLOW_THREADS scale_column(times, count, multiplier, divisor);
    Py_END_ALLOW_THREADS
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
  fixes.majors_m = columns[4].start, fixes.major_stride = columns[4].stride;
  fixes.minors_m = columns[5].start, fixes.minor_stride = columns[5].stride;
  fixes.orientations = columns[6].start, fixes.orientation_stride = columns[6].stride;
  fixes.altitudes_m = columns[7].start, fixes.altitude_stride = columns[7].stride;
  fixes.vertical_accuracies_m = columns[8].start, fixes.vertical_accuracy_stride = columns[8].stride;
  fixes.geoid_heights_m = columns[9].start, fixes.geoid_height_stride = columns[9].stride;
  fixes.ground_heights_m = columns[10].start, fixes.ground_height_stride = columns[10].stride;
  fixes.times_us = times->start;
  fixes.time_stride = times->stride;
  if (self->fleet == NULL) return native_feed_rows(self, state, &fixes, NULL, (size_t)count);
  if (native_try_rows(state, &fixes, (size_t)count) < 0) return NULL; /* before any device is added, check the rows */
  fixes.refuse_invalid = 0;
  native_device_column column;
  PyObject *result = NULL;
  if (native_open_devices(self, devices->codes, devices->names, count, &column) == 0) {
    column.rows.first_row = devices->first_row;
    result = native_feed_rows(self, state, &fixes, &column, (size_t)count);
  }
  native_release_devices(&column);
  return result;
}

/*
 * The Python arguments are (latitude, longitude, accuracy, time, multiplier,
 * divisor, refuse_invalid). The columns contain doubles; `accuracy` may instead
 * be None or a single float. With error ellipses, `accuracy` is a tuple of the
 * accuracies, the semi-axes and the orientations; with heights, the altitudes,
 * their accuracies, the geoid heights and the ground heights follow, and all
 * but the accuracies may be None or a float. The times are 64-bit integers in
 * units of multiplier / divisor microseconds. For a fleet, three arguments
 * follow: the devices, their dictionary (see native_open_devices()), and the
 * number of the first row.
 */
PyObject *native_feed_columns(PyObject *object, PyObject *args) {
  native_state *state = native_monitor_state(object);
  PyObject *sources[COLUMNS] = {NULL, NULL, NULL, NULL, Py_None, Py_None, Py_None, Py_None, Py_None, Py_None, Py_None};
  long long multiplier, divisor;
  int refuse_invalid;
  row_devices devices = {Py_None, Py_None, 0};
  int is_fleet = ((native_handle *)object)->fleet != NULL;
  if (!PyArg_ParseTuple(args, is_fleet ? "OOOOLLpOOK" : "OOOOLLp", &sources[0], &sources[1], &sources[2], &sources[3],
                        &multiplier, &divisor, &refuse_invalid, &devices.codes, &devices.names, &devices.first_row))
    return NULL;
  if (multiplier < 1 || divisor < 1) return native_refuse(state, "multiplier and divisor must be positive");
  if (PyTuple_Check(sources[2]) && !PyArg_ParseTuple(sources[2], "OOOO|OOOO", &sources[2], &sources[4], &sources[5],
                                                     &sources[6], &sources[7], &sources[8], &sources[9], &sources[10]))
    return NULL;
  static const native_layout layouts[COLUMNS] = {
      {"latitude", "d", 0},     {"longitude", "d", 0},    {"accuracy", "d", 0},
      {"time", "lq", 0},        {"major", "d", 0},        {"minor", "d", 0},
      {"orientation", "d", 0},  {"altitude", "d", 0},     {"vertical_accuracy", "d", 0},
      {"geoid_height", "d", 0}, {"ground_height", "d", 0}};
  native_rows rows = {"latitude", -1};
  native_column columns[COLUMNS];
  memset(columns, 0, sizeof(columns));
  int failed = 0;
  for (int index = 0; index < COLUMNS && !failed; index++) {
    native_column *column = &columns[index];
    int is_optional = index == 2 || index > 3;
    if (is_optional && sources[index] == Py_None) continue;
    if (is_optional && PyFloat_Check(sources[index])) {
      column->number = PyFloat_AsDouble(sources[index]);
      column->start = &column->number;
      continue;
    }
    failed = native_open_column(state, sources[index], &layouts[index], &rows, column) < 0;
  }
  PyObject *result = failed ? NULL
                            : feed((native_handle *)object, state, columns, rows.count, sources[2] != Py_None,
                                   refuse_invalid, multiplier, divisor, &devices);
  for (int index = 0; index < COLUMNS; index++) native_release_column(&columns[index]);
  return result;
}
