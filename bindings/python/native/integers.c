/* Contains loops over columns of integers; the same loops in Python would take a hundred times as long. */
#include "native.h"

#include <string.h>

/* Opens a buffer of contiguous signed integers of 32 or 64 bits; returns 0, or -1 with an exception. */
static int open_integers(native_state *state, PyObject *object, const char *name, Py_buffer *view) {
  if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
  const char *format = view->format;
  int is_signed = format != NULL && format[0] != 0 && strchr("ilq", format[0]) != NULL && format[1] == 0;
  if (is_signed && view->ndim == 1 && (view->itemsize == 4 || view->itemsize == 8)) return 0;
  native_refuse(state, "%s must be signed integers of 32 or 64 bits", name);
  PyBuffer_Release(view);
  return -1;
}

static int64_t integer_at(const Py_buffer *view, Py_ssize_t index) {
  int32_t narrow;
  int64_t wide;
  if (view->itemsize == 4) {
    memcpy(&narrow, (const char *)view->buf + 4 * index, sizeof(narrow));
    return narrow;
  }
  memcpy(&wide, (const char *)view->buf + 8 * index, sizeof(wide));
  return wide;
}

/* Returns the smallest and the largest value of a column of integers, which must not be empty. */
PyObject *native_extremes(PyObject *module, PyObject *column) {
  native_state *state = PyModule_GetState(module);
  Py_buffer view;
  if (open_integers(state, column, "column", &view) < 0) return NULL;
  Py_ssize_t count = view.len / view.itemsize;
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (Py_ssize_t index = 0; index < count; index++) {
    int64_t value = integer_at(&view, index);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  PyBuffer_Release(&view);
  if (count == 0) return native_refuse(state, "column is empty");
  return Py_BuildValue("(LL)", (long long)least, (long long)most);
}

/*
 * The Python arguments are (codes, count); returns the codes below `count` that occur, in the order of their first
 * rows. Raises an error for codes out of range.
 */
PyObject *native_distinct(PyObject *module, PyObject *args) {
  native_state *state = PyModule_GetState(module);
  PyObject *column;
  Py_ssize_t count;
  Py_buffer view;
  if (!PyArg_ParseTuple(args, "On", &column, &count)) return NULL;
  if (count < 0) return native_refuse(state, "count %zd is negative", count);
  if (open_integers(state, column, "codes", &view) < 0) return NULL;
  char *seen = PyMem_Calloc((size_t)count + 1, 1);
  PyObject *found = seen == NULL ? PyErr_NoMemory() : PyList_New(0);
  for (Py_ssize_t index = 0; found != NULL && index < view.len / view.itemsize; index++) {
    int64_t code = integer_at(&view, index);
    if (code < 0 || code >= count) {
      Py_CLEAR(found);
      native_refuse(state, "codes, row %zd: code %lld is out of range; must be from 0 to %zd", index, (long long)code,
                    count - 1);
    } else if (!seen[code]) {
      seen[code] = 1;
      PyObject *number = PyLong_FromLongLong(code);
      if (number == NULL || PyList_Append(found, number) < 0) Py_CLEAR(found);
      Py_XDECREF(number);
    }
  }
  PyMem_Free(seen);
  PyBuffer_Release(&view);
  return found;
}

/*
 * The Python arguments are (values, codes). Returns a bytes object with one 64-bit integer for each code: the element
 * of `values` whose index is the code. Raises an error for codes out of range.
 */
PyObject *native_taken(PyObject *module, PyObject *args) {
  native_state *state = PyModule_GetState(module);
  PyObject *values_object, *codes_object;
  Py_buffer values, codes;
  if (!PyArg_ParseTuple(args, "OO", &values_object, &codes_object)) return NULL;
  if (open_integers(state, values_object, "values", &values) < 0) return NULL;
  if (open_integers(state, codes_object, "codes", &codes) < 0) {
    PyBuffer_Release(&values);
    return NULL;
  }
  Py_ssize_t rows = codes.len / codes.itemsize, count = values.len / values.itemsize;
  PyObject *found = PyBytes_FromStringAndSize(NULL, rows * 8);
  char *to = found == NULL ? NULL : PyBytes_AsString(found);
  for (Py_ssize_t index = 0; found != NULL && index < rows; index++) {
    int64_t code = integer_at(&codes, index);
    if (code < 0 || code >= count) {
      Py_CLEAR(found);
      native_refuse(state, "codes, row %zd: code %lld is out of range; must be from 0 to %zd", index, (long long)code,
                    count - 1);
      break;
    }
    int64_t value = integer_at(&values, (Py_ssize_t)code);
    memcpy(to + 8 * index, &value, sizeof(value));
  }
  PyBuffer_Release(&values);
  PyBuffer_Release(&codes);
  return found;
}
