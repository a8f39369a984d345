/* How every call reaches a handle: with the interpreter lock or without it, and what is raised when it is refused. */
#include "native.h"

native_state *native_monitor_state(PyObject *self) { return PyType_GetModuleState(Py_TYPE(self)); }

static native_call begin(native_handle *self, int is_batch) {
  native_call call;
  call.self = self;
  call.is_batch = is_batch;
  /* As FENCEPOST_ERROR_INIT, but for the rest of the message, which nobody reads. */
  call.error.struct_size = sizeof(call.error);
  call.error.status = FENCEPOST_OK;
  call.error.position = 0;
  call.error.message[0] = 0;
  self->batches += is_batch;
  call.saved = self->batches > 0 || self->is_stored || self->table != NULL ? PyEval_SaveThread() : NULL;
  return call;
}

native_call native_begin(native_handle *self) { return begin(self, 0); }

native_call native_begin_batch(native_handle *self) { return begin(self, 1); }

void native_return(native_call *call) {
  if (call->saved != NULL) PyEval_RestoreThread(call->saved);
  call->self->batches -= call->is_batch;
}

PyObject *native_refused(const native_call *call, fencepost_status status) {
  return native_raise(native_monitor_state((PyObject *)call->self), status, &call->error);
}

int native_end(native_call *call, fencepost_status status) {
  native_return(call);
  if (status == FENCEPOST_OK) return 0;
  native_refused(call, status);
  return -1;
}

native_handle *native_allocate(PyTypeObject *type) {
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  return (native_handle *)allocate(type, 0);
}

int native_refuse_closed(native_handle *self, native_state *state) {
  if (!self->refuses_inputs) return 0;
  PyErr_Format(state->closed_error, "the %s is closed: what it is given now would not be kept in its store",
               self->fleet != NULL ? "fleet" : "monitor");
  return -1;
}
