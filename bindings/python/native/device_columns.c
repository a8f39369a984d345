/* Columns of devices: indices into a dictionary, as Arrow and pandas have them, read in place. */
#include "native.h"

#include <string.h>

void native_release_devices(native_device_column *column) {
  PyMem_Free(column->entered);
  if (column->holds_numbers) PyBuffer_Release(&column->numbers);
  if (column->holds_codes) PyBuffer_Release(&column->codes);
}

static int open_codes(native_state *state, PyObject *object, Py_ssize_t count, native_device_column *column) {
  Py_buffer *view = &column->codes;
  if (PyObject_GetBuffer(object, view, PyBUF_RECORDS_RO) < 0) return -1;
  column->holds_codes = 1;
  const char *format = view->format != NULL ? view->format : "B";
  if (*format == '@' || *format == '=' || (*format == '<' && PY_LITTLE_ENDIAN)) format++;
  int is_known = *format != 0 && strchr("bBhHiIlLqQ", *format) != NULL && format[1] == 0;
  if (view->ndim != 1 || !is_known) {
    PyErr_Format(PyExc_TypeError, "devices must be one column of integers, not '%s' in %d dimensions",
                 view->format != NULL ? view->format : "B", view->ndim);
    return -1;
  }
  if (view->shape[0] != count) {
    native_refuse(state, "device has %zd rows, latitude has %zd", view->shape[0], count);
    return -1;
  }
  column->rows.devices = view->buf;
  column->rows.device_width = (uint32_t)view->itemsize;
  column->rows.device_stride = view->strides[0];
  return 0;
}

/* Without a sign: what is negative is beyond every dictionary. */
static uint64_t code_at(const fencepost_fleet_columns *rows, Py_ssize_t row) {
  uint64_t value = 0;
  const char *at = (const char *)rows->devices + rows->device_stride * row;
#if PY_BIG_ENDIAN
  memcpy((char *)&value + sizeof(value) - rows->device_width, at, rows->device_width);
#else
  memcpy(&value, at, rows->device_width);
#endif
  return value;
}

/* The elements that rows name, in the order in which they first do, in `used`: how many, or -1 - the row that names none. */
static Py_ssize_t find_used(const fencepost_fleet_columns *rows, Py_ssize_t count, Py_ssize_t size, uint32_t *numbers,
                            Py_ssize_t *used) {
  Py_ssize_t found = 0;
  for (Py_ssize_t row = 0; row < count; row++) {
    uint64_t code = code_at(rows, row);
    if (code >= (uint64_t)size) return -1 - row;
    if (numbers[code] != FENCEPOST_NO_DEVICE) continue;
    numbers[code] = 0;
    used[found++] = (Py_ssize_t)code;
  }
  return found;
}

static int refuse_code(native_state *state, const native_device_column *column, Py_ssize_t row, Py_ssize_t size) {
  const char *format = column->codes.format != NULL ? column->codes.format : "B";
  long long code = (long long)code_at(&column->rows, row);
  int bits = 8 * (int)column->codes.itemsize;
  int is_signed = strpbrk(format, "bhilq") != NULL;
  if (is_signed && bits < 64 && code >> (bits - 1)) code -= 1LL << bits;
  PyObject *type = NULL, *value = NULL, *traceback = NULL;
  if (is_signed && code < 0) native_refuse(state, "device, row %zd: it is missing", row);
  else native_refuse(state, "device, row %zd: %lld is the index of none of %zd devices", row, code, size);
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject *position = PyLong_FromSsize_t(row);
  if (position == NULL || value == NULL || PyObject_SetAttrString(value, "position", position) < 0) PyErr_Clear();
  Py_XDECREF(position);
  PyErr_Restore(type, value, traceback);
  return -1;
}

/* Enters the devices that rows name. */
static int enter(native_handle *self, native_state *state, PyObject *names, Py_ssize_t count,
                 native_device_column *column) {
  Py_ssize_t size = PyTuple_Size(names), found = 0;
  uint32_t *numbers = column->entered = PyMem_Malloc(((size_t)size + 1) * sizeof(*numbers));
  Py_ssize_t *used = PyMem_Malloc(((size_t)size + 1) * sizeof(*used));
  const char **texts = NULL;
  uint32_t *given = NULL;
  int failed = numbers == NULL || used == NULL;
  if (failed) PyErr_NoMemory();
  if (!failed) {
    memset(numbers, 0xff, ((size_t)size + 1) * sizeof(*numbers)); /* FENCEPOST_NO_DEVICE */
    native_call call = native_begin_batch(self);
    found = find_used(&column->rows, count, size, numbers, used);
    native_return(&call);
    failed = found < 0 && refuse_code(state, column, -1 - found, size) < 0;
  }
  if (!failed) {
    texts = PyMem_Malloc(((size_t)found + 1) * sizeof(*texts));
    given = PyMem_Malloc(((size_t)found + 1) * sizeof(*given));
    failed = texts == NULL || given == NULL;
    if (failed) PyErr_NoMemory();
  }
  for (Py_ssize_t index = 0; !failed && index < found; index++)
    failed = native_text(state, PyTuple_GetItem(names, used[index]), "device", &texts[index]) < 0;
  if (!failed) {
    native_call call = native_begin_batch(self);
    failed = native_end(&call, fencepost_fleet_devices(self->fleet, texts, (size_t)found, 1, given, &call.error)) < 0;
  }
  for (Py_ssize_t index = 0; !failed && index < found; index++) numbers[used[index]] = given[index];
  PyMem_Free(given);
  PyMem_Free(texts);
  PyMem_Free(used);
  column->rows.dictionary = numbers;
  column->rows.dictionary_count = (size_t)size;
  return failed ? -1 : 0;
}

static int open_numbers(native_state *state, PyObject *names, native_device_column *column) {
  Py_buffer *view = &column->numbers;
  if (PyObject_GetBuffer(names, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
  column->holds_numbers = 1;
  if (view->itemsize != 4 || view->ndim != 1 || view->format == NULL || strchr("IL", *view->format) == NULL ||
      (uintptr_t)view->buf % 4 != 0) {
    native_refuse(state, "numbers of devices must be 32-bit integers without a sign");
    return -1;
  }
  column->rows.dictionary = view->buf;
  column->rows.dictionary_count = (size_t)view->len / 4;
  column->rows.skips_unknown = 1;
  return 0;
}

int native_open_devices(native_handle *self, PyObject *codes, PyObject *names, Py_ssize_t count,
                        native_device_column *column) {
  native_state *state = native_monitor_state((PyObject *)self);
  memset(column, 0, sizeof(*column));
  column->rows = (fencepost_fleet_columns)FENCEPOST_FLEET_COLUMNS_INIT;
  if (codes == Py_None) {
    if (!PyTuple_Check(names) || PyTuple_Size(names) != 1) {
      PyErr_SetString(PyExc_TypeError, "the only device must be in a tuple");
      return -1;
    }
    column->rows.devices = &column->only;
    column->rows.device_stride = 0;
    return native_device(self, PyTuple_GetItem(names, 0), 1, &column->only);
  }
  if (open_codes(state, codes, count, column) < 0) return -1;
  return PyTuple_Check(names) ? enter(self, state, names, count, column) : open_numbers(state, names, column);
}
