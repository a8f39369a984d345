#include "native.h"

#include <stddef.h>

_Static_assert(sizeof(fencepost_fix) == 32, "the buffer layout of fixes is documented as 32 bytes");
_Static_assert(sizeof(fencepost_beacon_sighting) == 24, "the buffer layout of sightings is 24 bytes");

int native_read_beside(PyObject *const *args, Py_ssize_t count, const fencepost_fix *fix, double beside[7],
                       fencepost_fix_columns *columns) {
  for (Py_ssize_t index = 0; index < count; index++) {
    beside[index] = PyFloat_AsDouble(args[index]);
    if (beside[index] == -1 && PyErr_Occurred()) return -1;
  }
  *columns = fencepost_one_fix(fix);
  if (count == 0) return 0;
  columns->majors_m = &beside[0], columns->minors_m = &beside[1], columns->orientations = &beside[2];
  if (count == 3) return 0;
  columns->altitudes_m = &beside[3], columns->vertical_accuracies_m = &beside[4];
  columns->geoid_heights_m = &beside[5], columns->ground_heights_m = &beside[6];
  return 0;
}

int native_read_fix(PyObject *const *args, fencepost_fix *fix) {
  fix->latitude = PyFloat_AsDouble(args[0]);
  if (fix->latitude == -1 && PyErr_Occurred()) return -1;
  fix->longitude = PyFloat_AsDouble(args[1]);
  if (fix->longitude == -1 && PyErr_Occurred()) return -1;
  fix->accuracy_m = PyFloat_AsDouble(args[2]);
  if (fix->accuracy_m == -1 && PyErr_Occurred()) return -1;
  return native_time(args[3], &fix->time_us);
}

PyObject *native_feed_fix(PyObject *object, PyObject *const *args, Py_ssize_t count) {
  native_handle *self = (native_handle *)object;
  if (count != 4 && count != 7 && count != 11) {
    PyErr_Format(PyExc_TypeError,
                 "feed_fix takes latitude, longitude, accuracy, time_us and "
                 "perhaps an ellipse and a height, not %zd "
                 "arguments",
                 count);
    return NULL;
  }
  fencepost_fix fix;
  double beside[7];
  fencepost_fix_columns columns;
  if (native_read_fix(args, &fix) < 0) return NULL;
  if (count > 4 && native_read_beside(args + 4, count - 4, &fix, beside, &columns) < 0) return NULL;
  native_call call;
  if (native_begin_input(self, &call) < 0) return NULL;
  fencepost_status status = count > 4 ? fencepost_monitor_feed_columns(self->handle, &columns, 1, NULL, &call.error)
                                      : fencepost_monitor_feed_fix(self->handle, &fix, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  Py_RETURN_NONE;
}

PyObject *native_feed_fixes(PyObject *object, PyObject *fixes) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  Py_buffer view;
  if (native_open_records(state, fixes, "fixes", sizeof(fencepost_fix), &view) < 0) return NULL;
  /* Passes the members of the records as columns; the records need not be aligned. */
  const char *rows = view.buf;
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = (const void *)(rows + offsetof(fencepost_fix, latitude));
  columns.longitudes = (const void *)(rows + offsetof(fencepost_fix, longitude));
  columns.accuracies_m = (const void *)(rows + offsetof(fencepost_fix, accuracy_m));
  columns.times_us = (const void *)(rows + offsetof(fencepost_fix, time_us));
  columns.latitude_stride = columns.longitude_stride = sizeof(fencepost_fix);
  columns.accuracy_stride = columns.time_stride = sizeof(fencepost_fix);
  PyObject *counts = native_feed_rows(self, state, &columns, NULL, (size_t)view.len / sizeof(fencepost_fix));
  PyBuffer_Release(&view);
  return counts;
}

PyObject *native_feed_sightings(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *sightings;
  long long time;
  if (!PyArg_ParseTuple(args, "OL", &sightings, &time)) return NULL;
  Py_buffer view;
  if (native_open_records(state, sightings, "sightings", sizeof(fencepost_beacon_sighting), &view) < 0) return NULL;
  void *copy;
  const fencepost_beacon_sighting *rows = native_aligned(&view, &copy);
  native_call call;
  int failed = rows == NULL || native_begin_input_batch(self, &call) < 0;
  if (!failed) {
    fencepost_status status = fencepost_monitor_feed_sightings(
        self->handle, rows, (size_t)view.len / sizeof(fencepost_beacon_sighting), time, &call.error);
    failed = native_end(&call, status) < 0;
  }
  PyMem_Free(copy);
  PyBuffer_Release(&view);
  if (failed) return NULL;
  Py_RETURN_NONE;
}

PyObject *native_set_scanning(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  int scanning;
  long long time;
  if (!PyArg_ParseTuple(args, "pL", &scanning, &time)) return NULL;
  native_call call;
  if (native_begin_input(self, &call) < 0) return NULL;
  fencepost_status status = fencepost_monitor_set_beacon_scanning(self->handle, scanning ? 1u : 0u, time, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  Py_RETURN_NONE;
}

PyObject *native_set_host(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  unsigned diagnostics, unsupported_kinds;
  long long time;
  if (!PyArg_ParseTuple(args, "IIL", &diagnostics, &unsupported_kinds, &time)) return NULL;
  native_call call;
  if (native_begin_input(self, &call) < 0) return NULL;
  fencepost_status status =
      fencepost_monitor_set_host_capabilities(self->handle, diagnostics, unsupported_kinds, time, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  Py_RETURN_NONE;
}

typedef fencepost_status (*clock_input)(fencepost_monitor *, int64_t, fencepost_error *);

static PyObject *move_clock(PyObject *object, PyObject *time_object, clock_input input) {
  native_handle *self = (native_handle *)object;
  int64_t time;
  if (native_time(time_object, &time) < 0) return NULL;
  native_call call;
  if (native_begin_input(self, &call) < 0) return NULL;
  if (native_end(&call, input(self->handle, time, &call.error)) < 0) return NULL;
  Py_RETURN_NONE;
}

PyObject *native_advance(PyObject *object, PyObject *time) {
  return move_clock(object, time, fencepost_monitor_advance);
}

PyObject *native_rewind(PyObject *object, PyObject *time) { return move_clock(object, time, fencepost_monitor_rewind); }
