/* Reads columns of devices in place: indices into a dictionary, as in Arrow and pandas. */
#include "native.h"

#include <string.h>

void native_release_devices(native_device_column *column) {
  PyMem_Free(column->entries);
  PyMem_Free(column->is_new);
  PyMem_Free(column->given);
  PyMem_Free(column->asked);
  PyMem_Free(column->used);
  PyMem_Free(column->entered);
  PyMem_Free(column->texts);
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
    PyErr_Format(PyExc_TypeError, "devices must be one column of integers, not of format '%s' with %d dimensions",
                 view->format != NULL ? view->format : "B", view->ndim);
    return -1;
  }
  if (view->shape[0] != count) {
    native_refuse(state, "device has %zd rows, but latitude has %zd; must be equal", view->shape[0], count);
    return -1;
  }
  column->rows.devices = view->buf;
  column->rows.device_width = (uint32_t)view->itemsize;
  column->rows.device_stride = view->strides[0];
  return 0;
}

/* Returns the code of a row as an unsigned integer, so that a negative code is larger than the size of any
   dictionary. */
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

/*
 * Finds which elements of the dictionary occur in the rows from `row` on. Writes the indices of the elements to `used`,
 * ordered by the first row that refers to each element. Returns the first row whose code is not in the dictionary; if
 * there is no such row, returns count. Sets `numbers` to FENCEPOST_ALL_DEVICES for the elements that occur, and to
 * FENCEPOST_NO_DEVICE for all others.
 */
static Py_ssize_t find_used(const fencepost_fleet_columns *rows, Py_ssize_t row, Py_ssize_t count,
                            fencepost_device *numbers, Py_ssize_t *used, Py_ssize_t *found) {
  uint64_t size = rows->dictionary_count;
  memset(numbers, 0, (size_t)size * sizeof(*numbers)); /* FENCEPOST_NO_DEVICE */
  *found = 0;
  for (; row < count; row++) {
    uint64_t code = code_at(rows, row);
    if (code >= size) break;
    if (numbers[code] != FENCEPOST_NO_DEVICE) continue;
    numbers[code] = FENCEPOST_ALL_DEVICES;
    used[(*found)++] = (Py_ssize_t)code;
  }
  return row;
}

/* Returns the first row at or after `row` that refers to an element; returns `count` if there is no such row. */
static Py_ssize_t row_of(const fencepost_fleet_columns *rows, Py_ssize_t element, Py_ssize_t row, Py_ssize_t count) {
  while (row < count && code_at(rows, row) != (uint64_t)element) row++;
  return row;
}

/* Sets the attribute `position` of the current exception to a row. */
static void set_position(Py_ssize_t row) {
  PyObject *type = NULL, *value = NULL, *traceback = NULL;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject *position = PyLong_FromSsize_t(row);
  if (position == NULL || value == NULL || PyObject_SetAttrString(value, "position", position) < 0) PyErr_Clear();
  Py_XDECREF(position);
  PyErr_Restore(type, value, traceback);
}

static int refuse_code(native_state *state, const native_device_column *column, Py_ssize_t row, Py_ssize_t size) {
  const char *format = column->codes.format != NULL ? column->codes.format : "B";
  long long code = (long long)code_at(&column->rows, row);
  int bits = 8 * (int)column->codes.itemsize;
  int is_signed = strpbrk(format, "bhilq") != NULL;
  if (is_signed && bits < 64 && code >> (bits - 1)) code -= 1LL << bits;
  if (is_signed && code < 0) native_refuse(state, "device, row %zd: the identifier is null", row);
  else native_refuse(state, "device, row %zd: index %lld is out of range; there are %zd devices", row, code, size);
  set_position(row);
  return -1;
}

/* Reads the identifiers that rows refer to. */
static int open_texts(native_state *state, PyObject *names, Py_ssize_t count, native_device_column *column) {
  Py_ssize_t size = PyTuple_Size(names), row, found;
  size_t room = (size_t)size + 1;
  column->texts = PyMem_Calloc(room, sizeof(*column->texts));
  column->entered = PyMem_Malloc(room * sizeof(*column->entered));
  column->used = PyMem_Malloc(room * sizeof(*column->used));
  if (column->texts == NULL || column->entered == NULL || column->used == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  column->rows.dictionary = column->entered;
  column->rows.dictionary_count = (size_t)size;
  Py_BEGIN_ALLOW_THREADS row = find_used(&column->rows, 0, count, column->entered, column->used, &found);
  Py_END_ALLOW_THREADS if (row < count) return refuse_code(state, column, row, size);
  column->found = column->room = found;
  column->asked = PyMem_Malloc(((size_t)found + 1) * sizeof(*column->asked));
  column->given = PyMem_Malloc(((size_t)found + 1) * sizeof(*column->given));
  column->entries = PyMem_Malloc(((size_t)found + 1) * sizeof(*column->entries));
  column->is_new = PyMem_Calloc(room, 1);
  if (column->asked == NULL || column->given == NULL || column->entries == NULL || column->is_new == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t index = 0; index < found; index++) {
    Py_ssize_t element = column->used[index];
    if (native_text(state, PyTuple_GetItem(names, element), "device", &column->texts[element]) < 0) {
      set_position(row_of(&column->rows, element, 0, count));
      return -1;
    }
  }
  return 0;
}

/*
 * Finds which elements of the dictionary occur in the rows from `row` on. If another thread changes the column during
 * the call, a row may have an invalid code; the library itself refuses such a row.
 */
static void find_rest(native_device_column *column, Py_ssize_t row, Py_ssize_t count) {
  Py_ssize_t found, kept = 0;
  find_used(&column->rows, row, count, column->entered, column->used, &found);
  for (Py_ssize_t index = 0; index < found; index++) {
    Py_ssize_t element = column->used[index];
    if (kept == column->room || column->texts[element] == NULL) column->entered[element] = FENCEPOST_NO_DEVICE;
    else column->used[kept++] = element;
  }
  column->found = kept;
}

static void note_new(native_device_column *column, Py_ssize_t element, const char *identifier) {
  if (column->is_new[element]) return; /* another thread has removed the device in the meantime */
  column->is_new[element] = 1;
  column->entries[column->entry_count++] = (native_entry){identifier, FENCEPOST_NO_DEVICE, 1};
}

/* Finds, before the devices are added, which of them are new. */
static fencepost_status find_new(native_call *call, native_device_column *column) {
  fencepost_status status = fencepost_fleet_enter_devices(call->self->fleet, column->asked, (size_t)column->found, 0,
                                                          column->given, &call->error);
  for (Py_ssize_t index = 0; status == FENCEPOST_OK && index < column->found; index++)
    if (column->given[index] == FENCEPOST_NO_DEVICE) note_new(column, column->used[index], column->asked[index]);
  return status;
}

void native_keep_column(native_call *call, native_device_column *column) {
  /* Removes the last device first, so that the next new devices get these numbers in order. */
  for (Py_ssize_t index = column->entry_count - 1; index >= 0; index--) {
    native_entry *entry = &column->entries[index];
    if (fencepost_fleet_enter_devices(call->self->fleet, &entry->identifier, 1, 0, &entry->device, NULL) ==
            FENCEPOST_OK &&
        entry->device != FENCEPOST_NO_DEVICE)
      native_keep_device(call, entry);
  }
  column->entry_count = 0;
}

/* If an error concerns an identifier, replaces the identifier's index among the added devices with the first row that
   has the identifier. */
static void name_row(fencepost_error *error, const native_device_column *column, Py_ssize_t row, Py_ssize_t count) {
  if (error->position >= (uint64_t)column->found) return;
  Py_ssize_t found = row_of(&column->rows, column->used[error->position], row, count);
  if (found == count) return;
  const char *colon = strncmp(error->message, "row ", 4) == 0 ? strstr(error->message, ": ") : NULL;
  char rest[sizeof(error->message)];
  PyOS_snprintf(rest, sizeof(rest), "%s", colon != NULL ? colon + 2 : error->message);
  PyOS_snprintf(error->message, sizeof(error->message), "row %zd: %s", found, rest);
  error->position = (uint64_t)(found - row);
}

fencepost_status native_enter_column(native_call *call, native_device_column *column, Py_ssize_t row,
                                     Py_ssize_t count) {
  native_handle *self = call->self;
  if (column->holds_numbers || (column->is_entered && column->removals == self->removals)) return FENCEPOST_OK;
  fencepost_status status;
  if (column->text != NULL) {
    status = native_enter_device(call, column->text, &column->entries[0]);
    column->only = column->entries[0].device;
    if (column->entries[0].is_new) column->entry_count = 1;
  } else {
    if (column->is_entered) find_rest(column, row, count);
    for (Py_ssize_t index = 0; index < column->found; index++)
      column->asked[index] = column->texts[column->used[index]];
    status = find_new(call, column);
    if (status == FENCEPOST_OK)
      status = fencepost_fleet_enter_devices(self->fleet, column->asked, (size_t)column->found, 1, column->given,
                                             &call->error);
    for (Py_ssize_t index = 0; status == FENCEPOST_OK && index < column->found; index++)
      column->entered[column->used[index]] = column->given[index];
    if (status != FENCEPOST_OK) name_row(&call->error, column, row, count);
  }
  column->is_entered = 1;
  column->removals = self->removals;
  return status;
}

static int open_numbers(native_state *state, PyObject *names, native_device_column *column) {
  Py_buffer *view = &column->numbers;
  if (PyObject_GetBuffer(names, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
  column->holds_numbers = 1;
  if (view->itemsize != 8 || view->ndim != 1 || view->format == NULL || strchr("QL", *view->format) == NULL ||
      (uintptr_t)view->buf % 8 != 0) {
    native_refuse(state, "device numbers must be unsigned 64-bit integers");
    return -1;
  }
  column->rows.dictionary = view->buf;
  column->rows.dictionary_count = (size_t)view->len / 8;
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
      PyErr_SetString(PyExc_TypeError, "a single device must be passed in a tuple");
      return -1;
    }
    column->rows.devices = &column->only;
    column->rows.device_stride = 0;
    column->entries = PyMem_Malloc(sizeof(*column->entries));
    if (column->entries == NULL) {
      PyErr_NoMemory();
      return -1;
    }
    return native_text(state, PyTuple_GetItem(names, 0), "device", &column->text);
  }
  if (open_codes(state, codes, count, column) < 0) return -1;
  return PyTuple_Check(names) ? open_texts(state, names, count, column) : open_numbers(state, names, column);
}
