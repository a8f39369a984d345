/* Implements the type for a table of conditions, which fleets share. */
#include "native.h"

static PyObject *table_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  if (PyTuple_Size(args) > 0 || (keywords != NULL && PyDict_Size(keywords) > 0)) {
    PyErr_SetString(PyExc_TypeError, "Conditions takes no arguments");
    return NULL;
  }
  native_handle *self = native_allocate(type);
  if (self == NULL) return NULL;
  native_call call = native_begin(self);
  if (native_end(&call, fencepost_conditions_create(&self->table, &call.error)) < 0) Py_CLEAR(self);
  return (PyObject *)self;
}

static void table_dealloc(PyObject *self) {
  fencepost_conditions_destroy(((native_handle *)self)->table);
  native_release(self);
}

/* Returns the tuple (conditions, last generation, digest). */
static PyObject *table_version(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  fencepost_table_version version = FENCEPOST_TABLE_VERSION_INIT;
  native_call call = native_begin_batch(self);
  if (native_end(&call, fencepost_conditions_version(self->table, &version, &call.error)) < 0) return NULL;
  return Py_BuildValue("(KKy#)", (unsigned long long)version.count, (unsigned long long)version.generation,
                       (const char *)version.digest, (Py_ssize_t)sizeof(version.digest));
}

static PyObject *table_length(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  size_t size = 0, count = 0;
  native_call call = native_begin(self);
  fencepost_status status = fencepost_conditions_identifiers(self->table, NULL, 0, &size, &count, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return PyLong_FromSize_t(count);
}

static PyMethodDef table_methods[] = {
    NATIVE_CONDITION_METHODS,
    {"condition", native_condition, METH_O, "The condition with an identifier, or None."},
    {"length", table_length, METH_NOARGS, "The number of conditions."},
    {"version", table_version, METH_NOARGS, "The version: number of conditions, last generation, digest."},
    {"snapshot", native_snapshot, METH_NOARGS, "The whole table as bytes."},
    {"restore", native_restore, METH_O | METH_CLASS, "Restore a table from a snapshot."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot table_slots[] = {{Py_tp_new, table_new},
                                    {Py_tp_dealloc, table_dealloc},
                                    {Py_tp_methods, table_methods},
                                    {Py_tp_doc, "Handle of a table of conditions."},
                                    {0, NULL}};

PyType_Spec native_conditions_spec = {"fencepost._native.Conditions", sizeof(native_handle), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, table_slots};
