/* Implements rules: conditions whose state follows from the states of other conditions, which they name. */
#include "native.h"

#include <string.h>

/* Reads the tuple (identifiers of the parts, form, number of parts) of a rule into a definition. The array of texts, to
   be freed with PyMem_Free(), refers to the texts of the tuple. Returns NULL with an exception if the tuple is wrong. */
const char **native_read_rule(native_state *state, PyObject *geometry, fencepost_condition_definition *definition) {
  PyObject *parts;
  unsigned form, at_least;
  if (!PyArg_ParseTuple(geometry, "OII;rule", &parts, &form, &at_least)) return NULL;
  Py_ssize_t count;
  const char **texts = native_texts(state, parts, &count);
  if (texts == NULL) return NULL;
  definition->parts = texts;
  definition->part_count = (size_t)count;
  definition->rule_form = form;
  definition->at_least = at_least;
  return texts;
}

/* The Python arguments are (identifier, rule, assuming, policy, tag, ensure), where the rule is a tuple as for
   native_read_rule(); returns whether anything changed. */
PyObject *native_add_rule(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *identifier_object, *rule, *policy_object;
  const char *identifier;
  int assuming, ensure;
  unsigned long long tag;
  if (!PyArg_ParseTuple(args, "OO!iOKp", &identifier_object, &PyTuple_Type, &rule, &assuming, &policy_object, &tag,
                        &ensure) ||
      native_text(state, identifier_object, "identifier", &identifier) < 0)
    return NULL;
  fencepost_condition_definition definition = fencepost_rule(identifier, 0, NULL, 0);
  native_options options;
  if (native_definition_options(policy_object, assuming, tag, &options, &definition) < 0) return NULL;
  const char **texts = native_read_rule(state, rule, &definition);
  if (texts == NULL) return NULL;
  native_call call;
  PyObject *result = native_begin_input(self, &call) < 0 ? NULL : native_put_one(&call, &definition, ensure);
  PyMem_Free(texts);
  return result;
}

PyObject *native_rule_tuple(native_handle *self, const char *identifier, fencepost_shape *shape) {
  PyObject *bytes = native_vertices_of(self, identifier); /* for a rule, the identifiers of its parts */
  if (bytes == NULL) {
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
  }
  native_call call = native_begin(self);
  fencepost_condition condition;
  fencepost_status status = native_describe(&call, identifier, &condition, NULL, shape);
  native_return(&call);
  PyObject *parts = NULL;
  if (status == FENCEPOST_OK && condition.kind == FENCEPOST_CONDITION_RULE)
    parts = native_split_texts(PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes));
  Py_DECREF(bytes);
  if (status != FENCEPOST_OK && status != FENCEPOST_E_NOT_FOUND) return native_refused(&call, status);
  if (parts != NULL) return Py_BuildValue("(NII)", parts, (unsigned)shape->rule_form, (unsigned)shape->at_least);
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE; /* another thread has removed or replaced the rule */
}

/* Returns the tuple (parts, each as a tuple of the identifier and the state) of an explanation. */
PyObject *native_parts_tuple(const fencepost_explanation *found) {
  if (found->part_count == 0) Py_RETURN_NONE;
  size_t count = found->part_count < found->parts_capacity ? (size_t)found->part_count : found->parts_capacity;
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t index = 0; tuple != NULL && index < count; index++) {
    const fencepost_condition_state *part = &found->parts[index];
    PyObject *each = Py_BuildValue("(s#i)", part->identifier, (Py_ssize_t)part->identifier_length, (int)part->state);
    if (each == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)index, each) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}
