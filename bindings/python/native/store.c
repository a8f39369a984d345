#include "native.h"

#include <stdlib.h>

PyObject *native_checkpoint(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  native_call call = native_begin(self);
  if (native_end(&call, NATIVE_EVENTS(self, fencepost_monitor_checkpoint, fencepost_fleet_checkpoint, &call.error)) < 0)
    return NULL;
  Py_RETURN_NONE;
}

PyObject *native_close(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  native_call call = native_begin(self);
  fencepost_status status = NATIVE_EVENTS(self, fencepost_monitor_close, fencepost_fleet_close, &call.error);
  self->refuses_inputs = self->is_stored;
  native_return(&call);
  if (status != FENCEPOST_OK) return native_refused(&call, status);
  Py_RETURN_NONE;
}

/*
 * Returns a buffer size that is large enough for most snapshots, because a second attempt doubles the time. The unused
 * memory at the end of a large buffer costs nothing.
 */
static size_t likely_size(uint64_t rows) { return rows < 1u << 24 ? 4096 + 256 * (size_t)rows : 0; }

PyObject *native_snapshot(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_table_version version = FENCEPOST_TABLE_VERSION_INIT;
  char *buffer = NULL;
  native_call call = native_begin_batch(self);
  fencepost_status status = FENCEPOST_OK;
  if (self->fleet == NULL)
    status = self->table != NULL ? fencepost_conditions_version(self->table, &version, &call.error)
                                 : fencepost_monitor_statistics(self->handle, &statistics, &call.error);
  size_t size = likely_size(statistics.condition_count + statistics.pending_events + version.count);
  while (status == FENCEPOST_OK) {
    size_t capacity = size;
    char *larger = realloc(buffer, capacity + 1);
    if (larger == NULL) {
      free(buffer);
      buffer = NULL;
      break;
    }
    buffer = larger;
    if (self->fleet != NULL) status = fencepost_fleet_snapshot(self->fleet, buffer, capacity, &size, &call.error);
    else if (self->table != NULL)
      status = fencepost_conditions_snapshot(self->table, buffer, capacity, &size, &call.error);
    else status = fencepost_monitor_snapshot(self->handle, buffer, capacity, &size, &call.error);
    if (status == FENCEPOST_OK && capacity > 0) break;
    /* The buffer was too small for the snapshot; before the next attempt another thread may make the snapshot grow
       again. */
    if (status == FENCEPOST_E_BUFFER_TOO_SMALL) status = FENCEPOST_OK;
  }
  native_return(&call);
  PyObject *result = NULL;
  if (status != FENCEPOST_OK) native_refused(&call, status);
  else if (buffer == NULL) PyErr_NoMemory();
  else result = PyBytes_FromStringAndSize(buffer, (Py_ssize_t)size);
  free(buffer);
  return result;
}

PyObject *native_restore(PyObject *class, PyObject *snapshot) {
  Py_buffer view;
  if (PyObject_GetBuffer(snapshot, &view, PyBUF_SIMPLE) < 0) return NULL;
  native_handle *self = native_allocate((PyTypeObject *)class);
  if (self != NULL) {
    native_call call = native_begin_batch(self);
    native_state *state = PyType_GetModuleState((PyTypeObject *)class);
    fencepost_status status;
    if (class == state->conditions_type)
      status = fencepost_conditions_restore(view.buf, (size_t)view.len, &self->table, &call.error);
    else if (class == state->fleet_type)
      status = fencepost_fleet_restore(view.buf, (size_t)view.len, NULL, &self->fleet, &call.error);
    else {
      status = fencepost_monitor_restore(view.buf, (size_t)view.len, &self->handle, &call.error);
      status = native_open_own_table(self, status, &call.error);
    }
    if (native_end(&call, status) < 0) Py_CLEAR(self);
  }
  PyBuffer_Release(&view);
  return (PyObject *)self;
}
