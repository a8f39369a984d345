/* Sets of conditions: ensures, synchronises or removes many conditions in one call and one transaction. */
#include "native.h"

#include <string.h>

/* Reads the tuple (identifier, kind, geometry, assuming, policy, tag). The definition refers to texts that the tuple
   owns. For a rule, `parts` of the definition is an array to be freed with PyMem_Free(). */
static int read_definition(native_state *state, PyObject *row, fencepost_condition_definition *definition,
                           native_options *options) {
  PyObject *identifier, *geometry, *policy_object;
  int kind, assuming;
  unsigned long long tag;
  if (!PyTuple_Check(row)) {
    PyErr_SetString(PyExc_TypeError, "a definition must be a tuple");
    return -1;
  }
  if (!PyArg_ParseTuple(row, "OiOiOK;definition", &identifier, &kind, &geometry, &assuming, &policy_object, &tag))
    return -1;
  *definition = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
  if (native_text(state, identifier, "identifier", &definition->identifier) < 0 ||
      native_definition_options(policy_object, assuming, tag, options, definition) < 0)
    return -1;
  definition->kind = kind;
  if (!PyTuple_Check(geometry)) {
    PyErr_SetString(PyExc_TypeError, "geometry must be a tuple");
    return -1;
  }
  if (kind == FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC)
    return PyArg_ParseTuple(geometry, "ddd;circle", &definition->latitude, &definition->longitude,
                            &definition->radius_m)
               ? 0
               : -1;
  if (kind == FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC || kind == FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC ||
      kind == FENCEPOST_CONDITION_LINE_GEOGRAPHIC)
    return native_read_shape(geometry, definition);
  if (kind == FENCEPOST_CONDITION_RULE) return native_read_rule(state, geometry, definition) == NULL ? -1 : 0;
  const char *uuid;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(geometry, "y#ii;beacon", &uuid, &size, &definition->major, &definition->minor)) return -1;
  if (size != 16) {
    native_refuse(state, "uuid has %zd bytes; must have 16", size);
    return -1;
  }
  memcpy(definition->uuid, uuid, 16);
  return 0;
}

enum change {
  ADD,
  ENSURE,
  SYNC
};

/* Reads a tuple of definitions; returns the counts of added, replaced, kept and removed conditions. */
static PyObject *change_all(PyObject *object, PyObject *rows, enum change change) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  if (!PyTuple_Check(rows)) {
    PyErr_SetString(PyExc_TypeError, "definitions must be a tuple");
    return NULL;
  }
  size_t count = (size_t)PyTuple_Size(rows);
  fencepost_condition_definition *definitions = PyMem_Calloc(count + 1, sizeof(*definitions));
  native_options *options = PyMem_Calloc(count + 1, sizeof(*options));
  PyObject *counts = NULL;
  int failed = definitions == NULL || options == NULL;
  if (failed) PyErr_NoMemory();
  for (size_t row = 0; row < count && !failed; row++)
    failed = read_definition(state, PyTuple_GetItem(rows, (Py_ssize_t)row), &definitions[row], &options[row]) < 0;
  if (!failed) {
    fencepost_sync_result result = {0, 0, 0, 0};
    native_call call;
    failed = native_begin_input_batch(self, &call) < 0;
    if (!failed) {
      fencepost_conditions *table = native_conditions(self);
      fencepost_status status =
          change == SYNC     ? fencepost_conditions_sync(table, definitions, count, &result, &call.error)
          : change == ENSURE ? fencepost_conditions_ensure(table, definitions, count, &result, &call.error)
                             : fencepost_conditions_add(table, definitions, count, &call.error);
      counts = native_end(&call, status) < 0 ? NULL : native_counts_of(&result);
    }
  }
  for (size_t row = 0; definitions != NULL && row < count; row++) PyMem_Free((void *)definitions[row].parts);
  PyMem_Free(options);
  PyMem_Free(definitions);
  return counts;
}

PyObject *native_sync(PyObject *object, PyObject *rows) { return change_all(object, rows, SYNC); }

PyObject *native_put(PyObject *object, PyObject *args) {
  PyObject *rows;
  int ensure;
  if (!PyArg_ParseTuple(args, "Op:put", &rows, &ensure)) return NULL;
  return change_all(object, rows, ensure ? ENSURE : ADD);
}

PyObject *native_put_circles(native_handle *self, native_state *state, PyObject *identifiers,
                             const double *const columns[3], const uint64_t *tags,
                             const fencepost_condition_definition *common, int ensure) {
  Py_ssize_t count;
  const char **texts = native_texts(state, identifiers, &count);
  if (texts == NULL) return NULL;
  fencepost_sync_result result = {0, 0, 0, 0};
  native_call call;
  int refused = native_begin_input_batch(self, &call) < 0;
  if (!refused) {
    fencepost_status status =
        fencepost_conditions_put_circles(native_conditions(self), native_mode(ensure), common, texts, columns[0],
                                         columns[1], columns[2], tags, (size_t)count, &result, &call.error);
    refused = native_end(&call, status) < 0;
  }
  PyMem_Free(texts);
  return refused ? NULL : native_counts_of(&result);
}

PyObject *native_remove_many(PyObject *object, PyObject *identifiers) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  Py_ssize_t count;
  const char **texts = native_texts(state, identifiers, &count);
  if (texts == NULL) return NULL;
  size_t removed = 0;
  native_call call;
  int refused = native_begin_input_batch(self, &call) < 0;
  if (!refused) {
    fencepost_status status =
        fencepost_conditions_remove(native_conditions(self), texts, (size_t)count, &removed, &call.error);
    refused = native_end(&call, status) < 0;
  }
  PyMem_Free(texts);
  return refused ? NULL : PyLong_FromSize_t(removed);
}
