#include "native.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(fencepost_fix) == 32, "the buffer layout of fixes is documented as 32 bytes");
_Static_assert(sizeof(fencepost_beacon_sighting) == 24, "the buffer layout of sightings is 24 bytes");

static int read_time(PyObject *value, int64_t *out) {
  *out = PyLong_AsLongLong(value);
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

PyObject *native_feed_fix(PyObject *object, PyObject *const *args, Py_ssize_t count) {
  native_monitor *self = (native_monitor *)object;
  if (count != 4) {
    PyErr_Format(PyExc_TypeError, "feed_fix takes latitude, longitude, accuracy and time_us, %zd were given", count);
    return NULL;
  }
  fencepost_fix fix;
  fix.latitude = PyFloat_AsDouble(args[0]);
  if (fix.latitude == -1 && PyErr_Occurred()) return NULL;
  fix.longitude = PyFloat_AsDouble(args[1]);
  if (fix.longitude == -1 && PyErr_Occurred()) return NULL;
  fix.accuracy_m = PyFloat_AsDouble(args[2]);
  if (fix.accuracy_m == -1 && PyErr_Occurred()) return NULL;
  if (read_time(args[3], &fix.time_us) < 0) return NULL;
  if (native_refuse_closed(self, native_monitor_state(object)) < 0) return NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyThreadState *saved = native_enter(self);
  fencepost_status status = fencepost_monitor_feed_fix(self->handle, &fix, &error);
  native_leave(saved);
  if (status != FENCEPOST_OK) return native_raise(native_monitor_state(object), status, &error);
  Py_RETURN_NONE;
}

/* Rows of a buffer for the library: in place, or in *copy where the memory is not aligned. */
static const void *aligned_rows(const Py_buffer *view, void **copy) {
  *copy = NULL;
  if ((uintptr_t)view->buf % 8 == 0) return view->buf;
  *copy = PyMem_Malloc((size_t)(view->len > 0 ? view->len : 1));
  if (*copy == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  return memcpy(*copy, view->buf, (size_t)view->len);
}

/* Opens a buffer of records: bytes, or elements of exactly the record's size (a structured array). */
static int open_records(native_state *state, PyObject *object, const char *what, Py_ssize_t size, Py_buffer *view) {
  if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) < 0) return -1;
  if (view->itemsize != 1 && view->itemsize != size)
    native_refuse(state, "%s: elements of %zd bytes, expected bytes or records of %zd", what, view->itemsize, size);
  else if (view->len % size != 0)
    native_refuse(state, "%s: %zd bytes are not a whole number of records of %zd", what, view->len, size);
  else return 0;
  PyBuffer_Release(view);
  return -1;
}

void native_attach_result(PyObject *counts) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (counts == NULL || value == NULL || PyObject_SetAttrString(value, "result", counts) < 0) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

PyObject *native_feed_fixes(PyObject *object, PyObject *fixes) {
  native_monitor *self = (native_monitor *)object;
  native_state *state = native_monitor_state(object);
  Py_buffer view;
  if (open_records(state, fixes, "fixes", sizeof(fencepost_fix), &view) < 0) return NULL;
  /* The members of each record as columns, which need not be aligned. */
  const char *rows = view.buf;
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = (const void *)(rows + offsetof(fencepost_fix, latitude));
  columns.longitudes = (const void *)(rows + offsetof(fencepost_fix, longitude));
  columns.accuracies_m = (const void *)(rows + offsetof(fencepost_fix, accuracy_m));
  columns.times_us = (const void *)(rows + offsetof(fencepost_fix, time_us));
  columns.latitude_stride = columns.longitude_stride = sizeof(fencepost_fix);
  columns.accuracy_stride = columns.time_stride = sizeof(fencepost_fix);
  PyObject *counts = native_feed_rows(self, state, &columns, (size_t)view.len / sizeof(fencepost_fix));
  PyBuffer_Release(&view);
  return counts;
}

PyObject *native_feed_sightings(PyObject *object, PyObject *args) {
  native_monitor *self = (native_monitor *)object;
  native_state *state = native_monitor_state(object);
  if (native_refuse_closed(self, state) < 0) return NULL;
  PyObject *sightings;
  long long time;
  if (!PyArg_ParseTuple(args, "OL", &sightings, &time)) return NULL;
  Py_buffer view;
  if (open_records(state, sightings, "sightings", sizeof(fencepost_beacon_sighting), &view) < 0) return NULL;
  void *copy;
  const fencepost_beacon_sighting *rows = aligned_rows(&view, &copy);
  if (rows == NULL) {
    PyBuffer_Release(&view);
    return NULL;
  }
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyThreadState *saved = native_enter_batch(self);
  fencepost_status status = fencepost_monitor_feed_sightings(
      self->handle, rows, (size_t)view.len / sizeof(fencepost_beacon_sighting), time, &error);
  native_leave_batch(self, saved);
  PyMem_Free(copy);
  PyBuffer_Release(&view);
  if (status != FENCEPOST_OK) return native_raise(state, status, &error);
  Py_RETURN_NONE;
}

PyObject *native_set_scanning(PyObject *object, PyObject *args) {
  native_monitor *self = (native_monitor *)object;
  int scanning;
  long long time;
  if (!PyArg_ParseTuple(args, "pL", &scanning, &time)) return NULL;
  if (native_refuse_closed(self, native_monitor_state(object)) < 0) return NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyThreadState *saved = native_enter(self);
  fencepost_status status = fencepost_monitor_set_beacon_scanning(self->handle, scanning ? 1u : 0u, time, &error);
  native_leave(saved);
  if (status != FENCEPOST_OK) return native_raise(native_monitor_state(object), status, &error);
  Py_RETURN_NONE;
}

PyObject *native_set_host(PyObject *object, PyObject *args) {
  native_monitor *self = (native_monitor *)object;
  unsigned diagnostics, unsupported_kinds;
  long long time;
  if (!PyArg_ParseTuple(args, "IIL", &diagnostics, &unsupported_kinds, &time)) return NULL;
  if (native_refuse_closed(self, native_monitor_state(object)) < 0) return NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyThreadState *saved = native_enter(self);
  fencepost_status status =
      fencepost_monitor_set_host_capabilities(self->handle, diagnostics, unsupported_kinds, time, &error);
  native_leave(saved);
  if (status != FENCEPOST_OK) return native_raise(native_monitor_state(object), status, &error);
  Py_RETURN_NONE;
}

PyObject *native_advance(PyObject *object, PyObject *time_object) {
  native_monitor *self = (native_monitor *)object;
  int64_t time;
  if (read_time(time_object, &time) < 0) return NULL;
  if (native_refuse_closed(self, native_monitor_state(object)) < 0) return NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyThreadState *saved = native_enter(self);
  fencepost_status status = fencepost_monitor_advance(self->handle, time, &error);
  native_leave(saved);
  if (status != FENCEPOST_OK) return native_raise(native_monitor_state(object), status, &error);
  Py_RETURN_NONE;
}
