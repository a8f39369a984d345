#include "native.h"

#include <stdlib.h>

/* The directory of a store as bytes, or None; a NUL inside would cut it. */
int native_directory(native_state *state, PyObject *value, const char **out) {
  char *text;
  Py_ssize_t size;
  *out = NULL;
  if (value == Py_None) return 0;
  if (PyBytes_AsStringAndSize(value, &text, &size) < 0) return -1;
  for (Py_ssize_t index = 0; index < size; index++)
    if (text[index] == 0) {
      native_refuse(state, "store %R holds a NUL character", value);
      return -1;
    }
  *out = text;
  return 0;
}

PyObject *native_checkpoint(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_monitor *self = (native_monitor *)object;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyThreadState *saved = native_enter(self);
  fencepost_status status = fencepost_monitor_checkpoint(self->handle, &error);
  native_leave(saved);
  if (status != FENCEPOST_OK) return native_raise(native_monitor_state(object), status, &error);
  Py_RETURN_NONE;
}

PyObject *native_close(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_monitor *self = (native_monitor *)object;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyThreadState *saved = native_enter(self);
  fencepost_status status = fencepost_monitor_close(self->handle, &error);
  native_leave(saved);
  self->refuses_inputs |= self->is_stored;
  self->is_stored = 0;
  if (status != FENCEPOST_OK) return native_raise(native_monitor_state(object), status, &error);
  Py_RETURN_NONE;
}

int native_refuse_closed(native_monitor *self, native_state *state) {
  if (!self->refuses_inputs) return 0;
  PyErr_SetString(state->closed_error, "the monitor is closed: what it is given now would not be kept in its store");
  return -1;
}

/* Room that holds most snapshots at the first attempt: making one twice costs twice. Not touched, it costs nothing. */
static size_t likely_size(const fencepost_statistics *statistics) {
  uint64_t rows = statistics->condition_count + statistics->pending_events;
  return rows < 1u << 24 ? 4096 + 256 * (size_t)rows : 0;
}

PyObject *native_snapshot(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_monitor *self = (native_monitor *)object;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  char *buffer = NULL;
  PyThreadState *saved = native_enter_batch(self);
  fencepost_status status = fencepost_monitor_statistics(self->handle, &statistics, &error);
  size_t size = likely_size(&statistics);
  while (status == FENCEPOST_OK) {
    size_t capacity = size;
    char *larger = realloc(buffer, capacity + 1);
    if (larger == NULL) {
      free(buffer);
      buffer = NULL;
      break;
    }
    buffer = larger;
    status = fencepost_monitor_snapshot(self->handle, buffer, capacity, &size, &error);
    if (status == FENCEPOST_OK && capacity > 0) break;
    /* Another thread may make it larger again before the next attempt. */
    if (status == FENCEPOST_E_BUFFER_TOO_SMALL) status = FENCEPOST_OK;
  }
  native_leave_batch(self, saved);
  PyObject *result = NULL;
  if (status != FENCEPOST_OK) native_raise(native_monitor_state(object), status, &error);
  else if (buffer == NULL) PyErr_NoMemory();
  else result = PyBytes_FromStringAndSize(buffer, (Py_ssize_t)size);
  free(buffer);
  return result;
}

PyObject *native_restore(PyObject *class, PyObject *snapshot) {
  PyTypeObject *type = (PyTypeObject *)class;
  Py_buffer view;
  if (PyObject_GetBuffer(snapshot, &view, PyBUF_SIMPLE) < 0) return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  native_monitor *self = (native_monitor *)allocate(type, 0);
  if (self != NULL) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    PyThreadState *saved = native_enter_batch(self);
    fencepost_status status = fencepost_monitor_restore(view.buf, (size_t)view.len, &self->handle, &error);
    native_leave_batch(self, saved);
    if (status != FENCEPOST_OK) {
      native_raise(PyType_GetModuleState(type), status, &error);
      Py_CLEAR(self);
    }
  }
  PyBuffer_Release(&view);
  return (PyObject *)self;
}
