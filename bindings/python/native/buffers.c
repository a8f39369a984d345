/* Accesses the memory of Python objects with the buffer protocol: columns of 64-bit elements, and records of a fixed
   size. */
#include "native.h"

#include <string.h>

void native_release_column(native_column *column) {
  PyMem_Free(column->scaled);
  if (column->is_held) PyBuffer_Release(&column->view);
}

/* Returns true if the format is a single element of eight native bytes with one of these codes. */
static int has_code(const Py_buffer *view, const char *codes) {
  const char *format = view->format != NULL ? view->format : "B";
  if (*format == '@' || *format == '=' || (*format == '<' && PY_LITTLE_ENDIAN)) format++;
  return view->itemsize == 8 && *format != 0 && strchr(codes, *format) != NULL && format[1] == 0;
}

/* Returns true if C code can use the elements as an array. If there is only one element, its stride does not matter. */
static int is_dense(const Py_buffer *view) {
  Py_ssize_t count = view->shape[0];
  return count == 0 || ((uintptr_t)view->buf % 8 == 0 && (count == 1 || view->strides[0] == 8));
}

int native_open_column(native_state *state, PyObject *object, const native_layout *layout, native_rows *rows,
                       native_column *column) {
  int flags = layout->needs & NATIVE_WRITABLE ? PyBUF_RECORDS : PyBUF_RECORDS_RO;
  if (PyObject_GetBuffer(object, &column->view, flags) < 0) return -1;
  column->is_held = 1;
  if (column->view.ndim != 1 || !has_code(&column->view, layout->codes)) {
    PyErr_Format(PyExc_TypeError, "%s must be one column of 64-bit elements, not of format '%s' with %d dimensions",
                 layout->name, column->view.format != NULL ? column->view.format : "B", column->view.ndim);
    return -1;
  }
  if (layout->needs & NATIVE_DENSE && !is_dense(&column->view)) {
    native_refuse(state, "%s must be contiguous and aligned in memory", layout->name);
    return -1;
  }
  Py_ssize_t found = column->view.shape[0];
  if (rows->count >= 0 && found != rows->count) {
    native_refuse(state, "%s has %zd rows, but %s has %zd; must be equal", layout->name, found, rows->like,
                  rows->count);
    return -1;
  }
  rows->count = found;
  column->start = column->view.buf;
  column->stride = column->view.strides[0];
  return 0;
}

int native_open_records(native_state *state, PyObject *object, const char *name, Py_ssize_t size, Py_buffer *view) {
  if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) < 0) return -1;
  if (view->itemsize != 1 && view->itemsize != size)
    native_refuse(state, "the elements of %s have %zd bytes; must have 1 byte, or %zd bytes for records", name,
                  view->itemsize, size);
  else if (view->len % size != 0)
    native_refuse(state, "%s has %zd bytes; must be a multiple of %zd bytes, the size of a record", name, view->len,
                  size);
  else return 0;
  PyBuffer_Release(view);
  return -1;
}

const void *native_aligned(const Py_buffer *view, void **copy) {
  *copy = NULL;
  if ((uintptr_t)view->buf % 8 == 0) return view->buf;
  *copy = PyMem_Malloc((size_t)(view->len > 0 ? view->len : 1));
  if (*copy == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  return memcpy(*copy, view->buf, (size_t)view->len);
}
