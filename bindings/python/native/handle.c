/* Controls access to a handle, with or without the interpreter lock, and defines the exceptions for closed handles. */
#include "native.h"

native_state *native_monitor_state(PyObject *self) { return PyType_GetModuleState(Py_TYPE(self)); }

/* Free-threaded Python has no interpreter lock that could exclude other threads. */
#ifdef Py_GIL_DISABLED
#define KEEPING_EXCLUDES 0
#else
#define KEEPING_EXCLUDES 1
#endif

/* Draws a ticket and waits for its turn. Because of the tickets, a thread that feeds block after block lets other
   threads take a turn between its blocks. */
static void take_turn(native_handle *self) {
  native_queue *queue = &self->queue;
  pthread_mutex_lock(&queue->mutex);
  for (uint64_t own = queue->last++; own != queue->served;) pthread_cond_wait(&queue->changed, &queue->mutex);
  pthread_mutex_unlock(&queue->mutex);
}

static void end_turn(native_handle *self) {
  native_queue *queue = &self->queue;
  pthread_mutex_lock(&queue->mutex);
  if (++queue->served != queue->last) pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->mutex);
}

/*
 * While no call runs without the interpreter lock, a call that holds the lock excludes all other calls, because every
 * call needs the lock to start. The queue lets only one call at a time run without the interpreter lock. A call leaves
 * the queue before it waits for the interpreter lock. Two kinds of calls do not exclude other calls: read-only calls,
 * and calls on a table, which several fleets may read in parallel.
 */
static void begin(native_handle *self, native_call *call, int may_take_long, int excludes) {
  call->self = self;
  call->saved = NULL;
  call->is_alone = 0;
  call->lacks_memory = 0;
  /* These assignments initialise the error like FENCEPOST_ERROR_INIT, but without clearing the rest of the message,
     which is never read. */
  call->error.struct_size = sizeof(call->error);
  call->error.status = FENCEPOST_OK;
  call->error.position = 0;
  call->error.message[0] = 0;
  if (KEEPING_EXCLUDES && !may_take_long && self->outside == 0 && !self->is_stored && self->table == NULL) return;
  self->outside++;
  call->saved = PyEval_SaveThread();
  call->is_alone = excludes && self->table == NULL;
  if (call->is_alone) take_turn(self);
}

native_call native_begin(native_handle *self) {
  native_call call;
  begin(self, &call, 0, 1);
  return call;
}

native_call native_begin_batch(native_handle *self) {
  native_call call;
  begin(self, &call, 1, 1);
  return call;
}

native_call native_begin_question(native_handle *self) {
  native_call call;
  begin(self, &call, 1, 0);
  return call;
}

static int refuse_closed(native_call *call) {
  native_return(call);
  PyErr_Format(native_monitor_state((PyObject *)call->self)->closed_error,
               "the %s is closed, so this change cannot be saved; open it again",
               call->self->fleet != NULL ? "fleet" : "monitor");
  return -1;
}

static int begin_input(native_handle *self, native_call *call, int may_take_long) {
  begin(self, call, may_take_long, 1);
  return self->refuses_inputs ? refuse_closed(call) : 0;
}

int native_begin_input(native_handle *self, native_call *call) { return begin_input(self, call, 0); }

int native_begin_input_batch(native_handle *self, native_call *call) { return begin_input(self, call, 1); }

void native_return(native_call *call) {
  if (call->saved == NULL) return;
  if (call->is_alone) end_turn(call->self);
  PyEval_RestoreThread(call->saved);
  call->self->outside--;
}

fencepost_status native_lack_memory(native_call *call) {
  call->lacks_memory = 1;
  return FENCEPOST_E_INTERNAL;
}

PyObject *native_refused(const native_call *call, fencepost_status status) {
  if (call->lacks_memory) return PyErr_NoMemory();
  return native_raise(native_monitor_state((PyObject *)call->self), status, &call->error);
}

int native_end(native_call *call, fencepost_status status) {
  native_return(call);
  if (status == FENCEPOST_OK) return 0;
  native_refused(call, status);
  return -1;
}

fencepost_status native_open_own_table(native_handle *self, fencepost_status status, fencepost_error *error) {
  return status != FENCEPOST_OK ? status : fencepost_monitor_conditions(self->handle, &self->own, error);
}

native_handle *native_allocate(PyTypeObject *type) {
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  native_handle *self = (native_handle *)allocate(type, 0);
  if (self != NULL) { /* the next two calls cannot fail with default attributes */
    pthread_mutex_init(&self->queue.mutex, NULL);
    pthread_cond_init(&self->queue.changed, NULL);
  }
  return self;
}

void native_release(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  pthread_cond_destroy(&((native_handle *)self)->queue.changed);
  pthread_mutex_destroy(&((native_handle *)self)->queue.mutex);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}
