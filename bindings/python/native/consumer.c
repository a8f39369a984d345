/*
 * Implements the consumer that waits for events; a monitor or fleet has at most one. To wake the consumer, the library
 * writes to its descriptor, an eventfd or a pipe, which an event loop watches. The callback runs no Python code, so it
 * needs no interpreter lock and cannot block.
 */
#include "native.h"

#include <errno.h>
#include <unistd.h>

static void ring(void *context) {
  int kept = errno;
  uint64_t one = 1;
  ssize_t written = write((int)(intptr_t)context, &one, sizeof(one));
  (void)written; /* if the pipe is full, earlier bytes in it wake the consumer */
  errno = kept;
}

static fencepost_status set_wakeup(native_handle *self, int descriptor, fencepost_error *error) {
  PyThreadState *saved = PyEval_SaveThread();
  fencepost_status status = NATIVE_EVENTS(self, fencepost_monitor_set_wakeup, fencepost_fleet_set_wakeup,
                                          descriptor < 0 ? NULL : ring, (void *)(intptr_t)descriptor, error);
  PyEval_RestoreThread(saved);
  return status;
}

int native_refuse_second_consumer(native_handle *self, native_state *state) {
  if (self->consumer == 0) return 0;
  if (self->consumer_process != (long)getpid()) { /* the consumer that waits is in the parent process */
    self->consumer = 0;
    set_wakeup(self, -1, NULL);
    NATIVE_EVENTS(self, fencepost_monitor_abandon, fencepost_fleet_abandon, NULL);
    return 0;
  }
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyOS_snprintf(error.message, sizeof(error.message),
                "updates() of this %s already has a consumer; end it before starting another",
                self->fleet != NULL ? "fleet" : "monitor");
  native_raise(state, FENCEPOST_E_CONSUMER_ALREADY_ACTIVE, &error);
  return -1;
}

/* Becomes the consumer: until detach(), the library writes to the descriptor whenever events are pending. */
PyObject *native_attach(PyObject *object, PyObject *descriptor_object) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  long descriptor = PyLong_AsLong(descriptor_object);
  if (descriptor == -1 && PyErr_Occurred()) return NULL;
  if (descriptor < 0 || descriptor >= INT_MAX) return native_refuse(state, "%ld is not a file descriptor", descriptor);
  if (native_refuse_second_consumer(self, state) < 0) return NULL;
  self->consumer = (int)descriptor + 1;
  self->consumer_process = (long)getpid();
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = set_wakeup(self, (int)descriptor, &error);
  if (status == FENCEPOST_OK) Py_RETURN_NONE;
  self->consumer = 0;
  return native_raise(state, status, &error);
}

/* Detaches the consumer that waits on this descriptor. The unacknowledged events of this consumer are delivered
   again. */
PyObject *native_detach(PyObject *object, PyObject *descriptor_object) {
  native_handle *self = (native_handle *)object;
  long descriptor = PyLong_AsLong(descriptor_object);
  if (descriptor == -1 && PyErr_Occurred()) return NULL;
  if (descriptor < 0 || self->consumer - 1 != (int)descriptor) Py_RETURN_NONE;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = set_wakeup(self, -1, &error);
  if (status == FENCEPOST_OK) {
    native_call call = native_begin(self);
    status = NATIVE_EVENTS(self, fencepost_monitor_abandon, fencepost_fleet_abandon, &error);
    native_return(&call);
  }
  self->consumer = 0;
  if (status != FENCEPOST_OK) return native_raise(native_monitor_state(object), status, &error);
  Py_RETURN_NONE;
}

/* Must be called when the monitor is closed: wakes all threads that wait for events. */
PyObject *native_end_updates(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  self->is_closed = 1;
  if (self->consumer > 0) ring((void *)(intptr_t)(self->consumer - 1));
  Py_RETURN_NONE;
}

PyObject *native_closed(PyObject *object, PyObject *Py_UNUSED(unused)) {
  return PyBool_FromLong(((native_handle *)object)->is_closed);
}
