/* Reads the timings of conditions back. */
#include "native.h"

#include <stdlib.h>

fencepost_status native_describe(native_call *call, const char *identifier, fencepost_condition *condition,
                                 fencepost_transition_policy *policy, fencepost_shape *shape) {
  for (;;) { /* repeat until there is room for all intervals, because another thread may replace the condition */
    fencepost_status status = fencepost_conditions_describe(native_conditions(call->self), identifier, condition,
                                                            policy, shape, &call->error);
    if (status != FENCEPOST_OK || shape == NULL || shape->active_count <= shape->active_capacity) return status;
    free(shape->active);
    shape->active_capacity = (size_t)shape->active_count;
    shape->active = malloc(shape->active_capacity * sizeof(*shape->active));
    if (shape->active == NULL) return native_lack_memory(call);
  }
}

/* Returns the intervals of a described condition as bytes. */
static PyObject *intervals_of(const fencepost_shape *shape, PyObject *shared) {
  if (shape->has_active == 0) Py_RETURN_NONE;
  Py_ssize_t size = (Py_ssize_t)(shape->active_count * sizeof(fencepost_interval));
  PyObject *bytes = PyBytes_FromStringAndSize((const char *)shape->active, size);
  if (bytes == NULL || shared == NULL) return bytes;
  PyObject *known = PyDict_GetItemWithError(shared, bytes);
  if (known == NULL && !PyErr_Occurred() && PyDict_SetItem(shared, bytes, bytes) == 0) return bytes;
  Py_XINCREF(known);
  Py_DECREF(bytes);
  return known;
}

PyObject *native_timing_tuple(const fencepost_shape *shape, PyObject *shared) {
  if (shape->has_active == 0 && shape->absent_after_us == 0 && shape->repeat_every_us == 0 && shape->max_events == 0)
    Py_RETURN_NONE;
  return Py_BuildValue("(NLLLIK)", intervals_of(shape, shared), (long long)shape->active_until_us,
                       (long long)shape->absent_after_us, (long long)shape->repeat_every_us,
                       (unsigned)shape->repeat_limit, (unsigned long long)shape->max_events);
}
