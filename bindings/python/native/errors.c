#include "native.h"

#include <stdarg.h>
#include <string.h>

/* This is the only list of exception classes; a test compares Tests/Golden/status.tsv with it. */
static const struct {
  fencepost_status status;
  const char *class_name;
  PyObject **builtin_base; /* NULL: only FencepostError */
  const char *doc;
} error_classes[NATIVE_ERROR_CLASSES] = {
    {FENCEPOST_E_NULL_ARGUMENT, "NullArgumentError", &PyExc_ValueError, "A required pointer was NULL."},
    {FENCEPOST_E_INVALID_ARGUMENT, "InvalidArgumentError", &PyExc_ValueError,
     "A value is out of its range. The message names the argument and the range."},
    {FENCEPOST_E_BUFFER_TOO_SMALL, "BufferTooSmallError", &PyExc_ValueError, "A buffer is too small for the result."},
    {FENCEPOST_E_UNSUPPORTED, "UnsupportedError", &PyExc_RuntimeError,
     "The library does not support a requested feature."},
    {FENCEPOST_E_INVALID_NAME, "InvalidNameError", &PyExc_ValueError,
     "A monitor's name must be 1 to 64 letters, digits or underscores."},
    {FENCEPOST_E_MONITOR_IN_USE, "MonitorInUseError", &PyExc_RuntimeError,
     "A monitor of that name is open in that store."},
    {FENCEPOST_E_CONSUMER_ALREADY_ACTIVE, "ConsumerAlreadyActiveError", &PyExc_RuntimeError,
     "The events already have a consumer."},
    {FENCEPOST_E_NOT_FOUND, "NotFoundError", &PyExc_KeyError, "No condition has that identifier."},
    {FENCEPOST_E_NO_SUCH_DEVICE, "NoSuchDeviceError", &PyExc_KeyError, "No device of the fleet has that number."},
    {FENCEPOST_E_LATE_INPUT, "LateInputError", &PyExc_ValueError,
     "An input is earlier than the clock of the monitor, device or fleet. Only a counter of such inputs changed."},
    {FENCEPOST_E_QUEUE_FULL, "QueueFullError", &PyExc_RuntimeError,
     "max_pending_events events are pending. Poll them, then repeat the input."},
    {FENCEPOST_E_AHEAD_OF_CLOCK, "AheadOfClockError", &PyExc_ValueError,
     "An input is later than the clock of the monitor, device or fleet by more than max_time_step. Only a counter of "
     "such inputs changed."},
    {FENCEPOST_E_STORE_UNAVAILABLE, "StoreUnavailableError", &PyExc_OSError,
     "A store cannot be opened, read or written: no such directory, no permission, disk full ..."},
    {FENCEPOST_E_STORE_CORRUPT, "StoreCorruptError", &PyExc_RuntimeError,
     "A store's file is damaged, or is not a store of this library. The file was left unchanged."},
    {FENCEPOST_E_STORE_TOO_NEW, "StoreTooNewError", &PyExc_RuntimeError,
     "A store was written by a newer version of the library."},
    {FENCEPOST_E_SNAPSHOT_INVALID, "SnapshotInvalidError", &PyExc_ValueError,
     "The bytes are not a snapshot, are damaged, or were written by a newer version of the library."},
    {FENCEPOST_E_TABLE_MISMATCH, "TableMismatchError", &PyExc_ValueError,
     "The device was exported with another version of the table of conditions."},
    {FENCEPOST_E_INTERNAL, "InternalError", &PyExc_RuntimeError, "A defect in the library."},
};

static const char base_doc[] =
    "Base of all errors of the library.\n\n"
    "Attributes:\n"
    "    code: Number of the status, as in the C header.\n"
    "    name: Name of the status, for example ``late_input``.\n"
    "    position: Index of the offending row or element where there are several, else 0.";

static PyObject *class_members(fencepost_status status) {
  return Py_BuildValue("{s:i,s:s,s:i,s:O,s:O,s:s}", "code", (int)status, "name", fencepost_status_name(status),
                       "position", 0, "_reason", Py_None, "_argument", Py_None, "__module__", "fencepost.errors");
}

static PyObject *new_class(const char *name, const char *doc, PyObject *bases, fencepost_status status) {
  char qualified[80];
  PyOS_snprintf(qualified, sizeof(qualified), "fencepost.errors.%s", name);
  PyObject *members = class_members(status);
  if (members == NULL) return NULL;
  PyObject *created = PyErr_NewExceptionWithDoc(qualified, doc, bases, members);
  Py_DECREF(members);
  return created;
}

/* KeyError would show the repr of its argument; all our classes show the message itself. */
static int use_plain_text(PyObject *base) {
  PyObject *plain = PyObject_GetAttrString(PyExc_BaseException, "__str__");
  if (plain == NULL) return -1;
  int result = PyObject_SetAttrString(base, "__str__", plain);
  Py_DECREF(plain);
  return result;
}

static PyObject *class_of(native_state *state, fencepost_status status) {
  for (size_t index = 0; index < NATIVE_ERROR_CLASSES; index++)
    if (error_classes[index].status == status) return state->errors[index];
  return state->error_base;
}

int native_errors_init(PyObject *module, native_state *state) {
  state->error_base = new_class("FencepostError", base_doc, PyExc_Exception, FENCEPOST_OK);
  if (state->error_base == NULL || use_plain_text(state->error_base) < 0) return -1;
  if (PyModule_AddObjectRef(module, "FencepostError", state->error_base) < 0) return -1;
  for (size_t index = 0; index < NATIVE_ERROR_CLASSES; index++) {
    PyObject *bases = PyTuple_Pack(2, state->error_base, *error_classes[index].builtin_base);
    if (bases == NULL) return -1;
    state->errors[index] =
        new_class(error_classes[index].class_name, error_classes[index].doc, bases, error_classes[index].status);
    Py_DECREF(bases);
    if (state->errors[index] == NULL) return -1;
    if (PyModule_AddObjectRef(module, error_classes[index].class_name, state->errors[index]) < 0) return -1;
  }
  /*
   * MonitorClosedError exists only in Python: the Python object of a monitor still exists after close(), and must then
   * refuse inputs, as a closed file does.
   */
  PyObject *base = class_of(state, FENCEPOST_E_INVALID_ARGUMENT);
  state->closed_error =
      PyErr_NewExceptionWithDoc("fencepost.errors.MonitorClosedError",
                                "A monitor with a store was closed and accepts no more inputs.", base, NULL);
  return state->closed_error == NULL ? -1 : PyModule_AddObjectRef(module, "MonitorClosedError", state->closed_error);
}

PyObject *native_error_table(PyObject *module, PyObject *Py_UNUSED(unused)) {
  native_state *state = PyModule_GetState(module);
  PyObject *table = PyList_New(0);
  for (size_t index = 0; table != NULL && index < NATIVE_ERROR_CLASSES; index++) {
    fencepost_status status = error_classes[index].status;
    PyObject *row = Py_BuildValue("(issO)", (int)status, fencepost_status_name(status),
                                  fencepost_status_message(status), state->errors[index]);
    if (row == NULL || PyList_Append(table, row) < 0) Py_CLEAR(table);
    Py_XDECREF(row);
  }
  return table;
}

static int set_value(PyObject *exception, const char *name, PyObject *value) {
  if (value == NULL) return -1;
  int result = PyObject_SetAttrString(exception, name, value);
  Py_DECREF(value);
  return result;
}

static int set_text(PyObject *exception, const char *name, const char *text, size_t length) {
  return set_value(exception, name, PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace"));
}

/*
 * Sets what the Python code must know about an error: `_reason`, the message without the row, and `_argument`, the name
 * of the argument that is refused. A message of the library that is about a row begins with "row N: ", and the reason
 * begins with the name of the argument.
 */
static int set_cause(PyObject *exception, const char *text, uint64_t position) {
  char place[40];
  PyOS_snprintf(place, sizeof(place), "row %llu: ", (unsigned long long)position);
  const char *reason = strncmp(text, place, strlen(place)) == 0 ? text + strlen(place) : text;
  const char *name = strncmp(reason, "the ", 4) == 0 ? reason + 4 : reason;
  size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
  if (set_text(exception, "_reason", reason, strlen(reason)) < 0) return -1;
  return length > 0 && strchr(" :", name[length]) != NULL ? set_text(exception, "_argument", name, length) : 0;
}

PyObject *native_raise(native_state *state, fencepost_status status, const fencepost_error *error) {
  PyObject *class = class_of(state, status);
  const char *text = error != NULL && error->message[0] != 0 ? error->message : fencepost_status_message(status);
  PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  if (message == NULL) return NULL;
  PyObject *exception = PyObject_CallFunctionObjArgs(class, message, NULL);
  Py_DECREF(message);
  if (exception == NULL) return NULL;
  uint64_t position = error != NULL ? error->position : 0;
  int failed = set_value(exception, "position", PyLong_FromUnsignedLongLong(position)) < 0 ||
               set_cause(exception, text, position) < 0;
  /* If a newer library returns a status that this extension does not know, raise the base class, and set `code` and
     `name` to those of the status. */
  if (!failed && class == state->error_base)
    failed = set_value(exception, "code", PyLong_FromLong(status)) < 0 ||
             set_value(exception, "name", PyUnicode_FromString(fencepost_status_name(status))) < 0;
  if (!failed) PyErr_SetObject(class, exception);
  Py_DECREF(exception);
  return NULL;
}

PyObject *native_refuse(native_state *state, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(class_of(state, FENCEPOST_E_INVALID_ARGUMENT), format, arguments);
  va_end(arguments);
  return NULL;
}

void native_attach_result(PyObject *counts) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (counts == NULL || value == NULL || PyObject_SetAttrString(value, "result", counts) < 0) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}
