/* Converts values between Python and C. */
#include "native.h"

#include <string.h>

int native_text(native_state *state, PyObject *value, const char *what, const char **out) {
  if (!PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "%s must be str, not %R", what, Py_TYPE(value));
    return -1;
  }
  Py_ssize_t size;
  const char *text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
    PyErr_Clear();
    native_refuse(state, "%s %R is not valid Unicode (lone surrogate)", what, value);
    return -1;
  }
  if (strlen(text) != (size_t)size) {
    native_refuse(state, "%s %R holds a NUL character", what, value);
    return -1;
  }
  *out = text;
  return 0;
}

int native_time(PyObject *value, int64_t *out) {
  *out = PyLong_AsLongLong(value);
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

PyObject *native_optional_double(double value) {
  if (value != value) Py_RETURN_NONE;
  return PyFloat_FromDouble(value);
}

PyObject *native_optional_place(double latitude, double longitude) {
  if (latitude != latitude) Py_RETURN_NONE;
  return Py_BuildValue("(dd)", latitude, longitude);
}

PyObject *native_optional_time(int64_t value) {
  if (value == FENCEPOST_TIME_UNSET) Py_RETURN_NONE;
  return PyLong_FromLongLong(value);
}

/* Converts the directory of a store, which may be None, to bytes. A NUL in the path is refused, because C would end the
   text there. */
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

PyObject *native_policy_tuple(const fencepost_transition_policy *policy) {
  return Py_BuildValue("(iLLddddIddd)", (int)policy->dwell_policy, (long long)policy->entry_dwell_us,
                       (long long)policy->exit_dwell_us, policy->entry_margin_m, policy->exit_margin_m,
                       policy->exit_margin_limit_m, policy->accuracy_factor, policy->notify, policy->entry_probability,
                       policy->exit_probability, policy->vertical_margin_m);
}

PyObject *native_band_tuple(const fencepost_shape *shape) {
  if (shape->altitude_min_reference == FENCEPOST_ALTITUDE_NO_LIMIT &&
      shape->altitude_max_reference == FENCEPOST_ALTITUDE_NO_LIMIT)
    Py_RETURN_NONE;
  int below = (int)shape->altitude_min_reference, above = (int)shape->altitude_max_reference;
  return Py_BuildValue("(ddii)", shape->altitude_min_m, shape->altitude_max_m, below == 0 ? 0 : below - 1,
                       above == 0 ? 0 : above - 1);
}

/* Reads a band tuple: the limits, and the numbers of their references, counted
 * from 0. */
static int read_band(PyObject *value, fencepost_condition_definition *definition) {
  int references[2];
  double least, most;
  if (!PyArg_ParseTuple(value, "ddii;band", &least, &most, &references[0], &references[1])) return -1;
  definition->altitude_min_m = least;
  definition->altitude_max_m = most;
  if (least != -Py_HUGE_VAL) definition->altitude_min_reference = (fencepost_altitude_reference)(references[0] + 1);
  if (most != Py_HUGE_VAL) definition->altitude_max_reference = (fencepost_altitude_reference)(references[1] + 1);
  return 0;
}

/* Reads a timing tuple. */
static int read_timing(PyObject *value, fencepost_timing *timing) {
  PyObject *active;
  long long until, absent_after, repeat_every;
  unsigned long long max_events;
  if (!PyArg_ParseTuple(value, "OLLLIK;timing", &active, &until, &absent_after, &repeat_every, &timing->repeat_limit,
                        &max_events))
    return -1;
  timing->active_until_us = until;
  timing->absent_after_us = absent_after;
  timing->repeat_every_us = repeat_every;
  timing->max_events = max_events;
  if (active == Py_None) return 0;
  char *bytes;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(active, &bytes, &size) < 0) return -1;
  timing->active = (const fencepost_interval *)(const void *)bytes;
  timing->active_count = (size_t)size / sizeof(fencepost_interval);
  return 0;
}

int native_definition_options(PyObject *value, int assuming, unsigned long long tag, native_options *options,
                              fencepost_condition_definition *definition) {
  definition->assuming = assuming;
  definition->tag = tag;
  if (PyTuple_Check(value) && PyTuple_Size(value) <= 3) {
    PyObject *timing = Py_None, *band = Py_None;
    if (!PyArg_ParseTuple(value, "OO|O;options", &value, &timing, &band)) return -1;
    if ((timing != Py_None && !PyTuple_Check(timing)) || (band != Py_None && !PyTuple_Check(band))) {
      PyErr_SetString(PyExc_TypeError, "timing and band must be tuples or None");
      return -1;
    }
    if (timing != Py_None) {
      options->timing = (fencepost_timing)FENCEPOST_TIMING_INIT;
      if (read_timing(timing, &options->timing) < 0) return -1;
      definition->timing = &options->timing;
    }
    if (band != Py_None && read_band(band, definition) < 0) return -1;
  }
  if (value == Py_None) return 0;
  fencepost_transition_policy *policy = &options->policy;
  *policy = (fencepost_transition_policy)FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  if (!PyTuple_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "policy must be a tuple or None");
    return -1;
  }
  int dwell_policy;
  long long entry_dwell, exit_dwell;
  if (!PyArg_ParseTuple(value, "iLLddddIddd;policy", &dwell_policy, &entry_dwell, &exit_dwell, &policy->entry_margin_m,
                        &policy->exit_margin_m, &policy->exit_margin_limit_m, &policy->accuracy_factor, &policy->notify,
                        &policy->entry_probability, &policy->exit_probability, &policy->vertical_margin_m))
    return -1;
  policy->dwell_policy = dwell_policy;
  policy->entry_dwell_us = entry_dwell;
  policy->exit_dwell_us = exit_dwell;
  definition->policy = policy;
  return 0;
}

PyObject *native_counts_of(const fencepost_sync_result *result) {
  return Py_BuildValue("(KKKK)", (unsigned long long)result->added, (unsigned long long)result->replaced,
                       (unsigned long long)result->kept, (unsigned long long)result->removed);
}

const char **native_texts(native_state *state, PyObject *tuple, Py_ssize_t *count) {
  if (!PyTuple_Check(tuple)) {
    PyErr_SetString(PyExc_TypeError, "identifiers must be a tuple");
    return NULL;
  }
  *count = PyTuple_Size(tuple);
  const char **texts = PyMem_Calloc((size_t)*count + 1, sizeof(*texts));
  if (texts == NULL) PyErr_NoMemory();
  for (Py_ssize_t row = 0; texts != NULL && row < *count; row++) {
    if (native_text(state, PyTuple_GetItem(tuple, row), "identifier", &texts[row]) < 0) {
      PyMem_Free(texts);
      return NULL;
    }
  }
  return texts;
}

PyObject *native_split_texts(const char *buffer, size_t size) {
  PyObject *list = PyList_New(0);
  for (const char *text = buffer; list != NULL && text < buffer + size; text += strlen(text) + 1) {
    PyObject *item = PyUnicode_FromString(text);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
