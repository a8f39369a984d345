#include "native.h"

PyObject *native_safe_distance(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  double latitude, longitude, distance = 0;
  if (!PyArg_ParseTuple(args, "dd", &latitude, &longitude)) return NULL;
  native_call call = native_begin(self);
  fencepost_status status = fencepost_monitor_safe_distance(self->handle, latitude, longitude, &distance, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return PyFloat_FromDouble(distance);
}

PyObject *native_device_safe_distance(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *name;
  const char *text;
  fencepost_device device;
  double latitude, longitude, distance = 0;
  if (!PyArg_ParseTuple(args, "Odd", &name, &latitude, &longitude) ||
      native_text(native_monitor_state(object), name, "device", &text) < 0)
    return NULL;
  native_call call = native_begin(self);
  fencepost_status status = native_known_device(&call, text, &device);
  if (status == FENCEPOST_OK)
    status = fencepost_fleet_safe_distance(self->fleet, device, latitude, longitude, &distance, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return PyFloat_FromDouble(distance);
}

PyObject *native_next_deadline(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  int64_t time = FENCEPOST_TIME_UNSET;
  native_call call = native_begin(self);
  fencepost_status status = self->fleet != NULL
                                ? fencepost_fleet_next_deadline(self->fleet, FENCEPOST_ALL_DEVICES, &time, &call.error)
                                : fencepost_monitor_next_deadline(self->handle, &time, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return native_optional_time(time);
}

/* Reads the generations of a sequence of int; returns NULL with an exception on an error. Free the array with
   PyMem_Free(). */
static uint64_t *read_generations(PyObject *sequence, Py_ssize_t *count) {
  *count = PySequence_Size(sequence);
  if (*count < 0) return NULL;
  uint64_t *generations = PyMem_Calloc((size_t)*count + 1, sizeof(uint64_t));
  if (generations == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t index = 0; index < *count; index++) {
    PyObject *item = PySequence_GetItem(sequence, index);
    if (item != NULL) {
      generations[index] = PyLong_AsUnsignedLongLong(item);
      Py_DECREF(item);
    }
    if (item == NULL || PyErr_Occurred()) {
      PyMem_Free(generations);
      return NULL;
    }
  }
  return generations;
}

static PyObject *plan_tuple(const fencepost_plan *plan, const fencepost_armed_condition *rows, size_t count,
                            const uint32_t *keep, Py_ssize_t before) {
  PyObject *armed = PyList_New(0), *kept = PyList_New(0);
  for (size_t index = 0; armed != NULL && index < count; index++) {
    const fencepost_armed_condition *row = &rows[index];
    PyObject *item =
        Py_BuildValue("(s#KKddddNN)", row->identifier, (Py_ssize_t)row->identifier_length,
                      (unsigned long long)row->generation, (unsigned long long)row->tag, row->latitude, row->longitude,
                      row->radius_m, row->slack_m, PyBool_FromLong(row->is_inside), PyBool_FromLong(row->is_new));
    if (item == NULL || PyList_Append(armed, item) < 0) Py_CLEAR(armed);
    Py_XDECREF(item);
  }
  for (Py_ssize_t index = 0; kept != NULL && index < before; index++)
    if (PyList_Append(kept, keep[index] ? Py_True : Py_False) < 0) Py_CLEAR(kept);
  PyObject *wake_up = plan->has_wake_up ? Py_BuildValue("(ddd)", plan->wake_up_latitude, plan->wake_up_longitude,
                                                        plan->wake_up_radius_m)
                                        : Py_NewRef(Py_None);
  if (armed == NULL || kept == NULL || wake_up == NULL) {
    Py_XDECREF(armed);
    Py_XDECREF(kept);
    Py_XDECREF(wake_up);
    return NULL;
  }
  return Py_BuildValue("(NNNNN)", armed, kept, wake_up, PyBool_FromLong(plan->follow),
                       native_optional_time(plan->next_start_us));
}

/* Makes a plan for the fleet's device `text`, or for the monitor itself if `text` is NULL. */
static PyObject *make_plan(native_handle *self, const char *text, PyObject *args) {
  double latitude, longitude, accuracy;
  unsigned slots;
  PyObject *armed;
  fencepost_plan_options options = FENCEPOST_PLAN_OPTIONS_INIT;
  if (!PyArg_ParseTuple(args, "dddIddO", &latitude, &longitude, &accuracy, &slots, &options.margin_m,
                        &options.maximum_radius_m, &armed))
    return NULL;
  options.slots = slots;
  Py_ssize_t before;
  uint64_t *generations = read_generations(armed, &before);
  if (generations == NULL) return NULL;
  uint32_t *keep = PyMem_Calloc((size_t)before + 1, sizeof(uint32_t));
  fencepost_armed_condition *rows = NULL;
  size_t capacity = 0, count = 0;
  PyObject *result = NULL;
  while (keep != NULL) { /* repeat until the buffer is large enough, because other threads may add circles */
    fencepost_plan plan = FENCEPOST_PLAN_INIT;
    native_call call = native_begin(self);
    fencepost_status status;
    if (text == NULL) {
      status = fencepost_monitor_plan(self->handle, latitude, longitude, accuracy, &options, generations,
                                      (size_t)before, keep, rows, capacity, &count, &plan, &call.error);
    } else {
      fencepost_device device;
      status = native_known_device(&call, text, &device);
      if (status == FENCEPOST_OK)
        status = fencepost_fleet_plan(self->fleet, device, latitude, longitude, accuracy, &options, generations,
                                      (size_t)before, keep, rows, capacity, &count, &plan, &call.error);
    }
    native_return(&call);
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) {
      native_refused(&call, status);
      break;
    }
    if (status == FENCEPOST_OK && count <= capacity) {
      result = plan_tuple(&plan, rows, count, keep, before);
      break;
    }
    PyMem_Free(rows);
    capacity = count;
    rows = PyMem_Calloc(capacity, sizeof(fencepost_armed_condition));
    if (rows == NULL) {
      PyErr_NoMemory();
      break;
    }
  }
  if (keep == NULL) PyErr_NoMemory();
  PyMem_Free(rows);
  PyMem_Free(keep);
  PyMem_Free(generations);
  return result;
}

PyObject *native_plan(PyObject *object, PyObject *args) { return make_plan((native_handle *)object, NULL, args); }

/* The Python arguments are the device and a tuple; the tuple contains the arguments of a monitor's plan. */
PyObject *native_device_plan(PyObject *object, PyObject *args) {
  PyObject *name, *rest;
  const char *text;
  if (!PyArg_ParseTuple(args, "OO!", &name, &PyTuple_Type, &rest) ||
      native_text(native_monitor_state(object), name, "device", &text) < 0)
    return NULL;
  return make_plan((native_handle *)object, text, rest);
}

PyObject *native_circle_contains(PyObject *module, PyObject *args) {
  double in[5], distance = 0;
  if (!PyArg_ParseTuple(args, "ddddd", &in[0], &in[1], &in[2], &in[3], &in[4])) return NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const fencepost_condition_definition circle = fencepost_circle(NULL, in[0], in[1], in[2]);
  fencepost_point_columns point = FENCEPOST_POINT_COLUMNS_INIT;
  point.latitudes = &in[3];
  point.longitudes = &in[4];
  fencepost_status status = fencepost_definition_distance(&circle, &point, 1, &distance, &error);
  if (status != FENCEPOST_OK) return native_raise(PyModule_GetState(module), status, &error);
  return PyBool_FromLong(distance <= 0);
}

PyObject *native_significant_change(PyObject *module, PyObject *args) {
  PyObject *last;
  fencepost_fix fix;
  long long interval, time;
  uint32_t accepted = 0;
  fencepost_significant_change_filter filter = FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;
  if (!PyArg_ParseTuple(args, "dLOdddL", &filter.minimum_distance_m, &interval, &last, &fix.latitude, &fix.longitude,
                        &fix.accuracy_m, &time))
    return NULL;
  filter.minimum_interval_us = interval;
  fix.time_us = time;
  if (last != Py_None) {
    if (!PyTuple_Check(last)) {
      PyErr_SetString(PyExc_TypeError, "last must be a tuple or None");
      return NULL;
    }
    if (!PyArg_ParseTuple(last, "dddL", &filter.last.latitude, &filter.last.longitude, &filter.last.accuracy_m, &time))
      return NULL;
    filter.last.time_us = time;
    filter.has_last = 1;
  }
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_significant_change_accept(&filter, &fix, &accepted, &error);
  if (status != FENCEPOST_OK) return native_raise(PyModule_GetState(module), status, &error);
  return PyBool_FromLong(accepted);
}

PyObject *native_best_fix(PyObject *module, PyObject *args) {
  native_state *state = PyModule_GetState(module);
  PyObject *fixes;
  long long now, age;
  fencepost_fix_selection selection = FENCEPOST_FIX_SELECTION_INIT;
  if (!PyArg_ParseTuple(args, "OLdL", &fixes, &now, &selection.speed_m_per_s, &age)) return NULL;
  selection.maximum_age_us = age;
  Py_buffer view;
  if (native_open_records(state, fixes, "fixes", sizeof(fencepost_fix), &view) < 0) return NULL;
  size_t index = 0;
  uint32_t available = 0;
  void *copy;
  fencepost_status status = FENCEPOST_OK;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const fencepost_fix *rows = native_aligned(&view, &copy);
  if (rows != NULL)
    status =
        fencepost_best_fix(rows, (size_t)view.len / sizeof(fencepost_fix), now, &selection, &index, &available, &error);
  PyMem_Free(copy);
  PyBuffer_Release(&view);
  if (rows == NULL) return NULL;
  if (status != FENCEPOST_OK) return native_raise(state, status, &error);
  if (!available) Py_RETURN_NONE;
  return PyLong_FromSize_t(index);
}
