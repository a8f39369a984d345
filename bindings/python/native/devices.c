/* Implements a fleet's devices: their list, their positions, and their bytes. */
#include "native.h"

#include <math.h>
#include <stdlib.h>

/* A function that copies device numbers into an array; `with` is its additional argument. */
typedef fencepost_status (*numbering)(native_handle *, int64_t with, fencepost_device *, size_t, size_t *,
                                      fencepost_error *);

static fencepost_status all_devices(native_handle *self, int64_t Py_UNUSED(with), fencepost_device *numbers,
                                    size_t capacity, size_t *count, fencepost_error *error) {
  return fencepost_fleet_list_devices(self->fleet, numbers, capacity, count, error);
}

static fencepost_status expired(native_handle *self, int64_t before, fencepost_device *numbers, size_t capacity,
                                size_t *count, fencepost_error *error) {
  fencepost_status status =
      fencepost_fleet_expire_devices(self->fleet, FENCEPOST_EXPIRY_INPUT, before, numbers, capacity, count, error);
  if (status == FENCEPOST_OK && *count > 0) self->removals++;
  return status;
}

static fencepost_status expired_by_arrival(native_handle *self, int64_t before, fencepost_device *numbers,
                                           size_t capacity, size_t *count, fencepost_error *error) {
  fencepost_status status =
      fencepost_fleet_expire_devices(self->fleet, FENCEPOST_EXPIRY_ARRIVAL, before, numbers, capacity, count, error);
  if (status == FENCEPOST_OK && *count > 0) self->removals++;
  return status;
}

/* Finds the numbers of devices while a call is open; the caller must free `*numbers`. */
static fencepost_status find_numbers(native_call *call, numbering numbering, int64_t with, fencepost_device **numbers,
                                     size_t *count) {
  size_t capacity = 0;
  for (;;) {
    fencepost_status status = numbering(call->self, with, *numbers, capacity, count, &call->error);
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) return status;
    if (*count <= capacity) return status;
    free(*numbers);
    capacity = *count;
    *numbers = malloc(capacity * sizeof(**numbers));
    if (*numbers == NULL) return native_lack_memory(call);
  }
}

/* Ends a call that has found device numbers; returns the identifiers of the devices. */
static PyObject *end_numbered(native_call *call, numbering numbering, int64_t with) {
  fencepost_device *numbers = NULL;
  size_t count = 0;
  native_names names = {NULL, 0, 0, NULL};
  fencepost_status status = find_numbers(call, numbering, with, &numbers, &count);
  if (status == FENCEPOST_OK) status = native_find_names(call, numbers, sizeof(*numbers), count, &names);
  PyObject *list = native_end(call, status) < 0 ? NULL : PyList_New((Py_ssize_t)count);
  for (size_t index = 0; list != NULL && index < count; index++) {
    PyObject *name = native_name_at(&names, index);
    if (name == NULL || PyList_SetItem(list, (Py_ssize_t)index, name) < 0) Py_CLEAR(list);
  }
  native_release_names(&names);
  free(numbers);
  return list;
}

PyObject *native_devices(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_call call = native_begin_batch((native_handle *)object);
  return end_numbered(&call, all_devices, 0);
}

/* Holds positions, clocks and identifiers of devices. */
typedef struct {
  fencepost_device only, *numbers;
  size_t count;
  double *latitudes, *longitudes;
  int64_t *clocks;
  native_names names;
} places;

static fencepost_status find_places(native_call *call, const char *identifier, places *found) {
  fencepost_fleet *fleet = call->self->fleet;
  fencepost_status status = FENCEPOST_OK;
  const fencepost_device *numbers = &found->only;
  found->count = 1;
  if (identifier != NULL) status = native_known_device(call, identifier, &found->only);
  else {
    status = find_numbers(call, all_devices, 0, &found->numbers, &found->count);
    numbers = found->numbers;
  }
  if (status != FENCEPOST_OK) return status;
  found->latitudes = malloc((found->count + 1) * sizeof(double));
  found->longitudes = malloc((found->count + 1) * sizeof(double));
  found->clocks = malloc((found->count + 1) * sizeof(int64_t));
  if (found->latitudes == NULL || found->longitudes == NULL || found->clocks == NULL) return native_lack_memory(call);
  status =
      fencepost_fleet_device_positions(fleet, numbers, found->count, found->latitudes, found->longitudes, &call->error);
  for (size_t index = 0; status == FENCEPOST_OK && index < found->count; index++) {
    fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
    status = fencepost_fleet_device_statistics(fleet, numbers[index], &statistics, &call->error);
    found->clocks[index] = statistics.clock_us;
  }
  if (status != FENCEPOST_OK) return status;
  return native_find_names(call, numbers, sizeof(*numbers), found->count, &found->names);
}

/* Returns the tuple (device, clock or None, (latitude, longitude) or None). */
static PyObject *place_at(const places *found, size_t index) {
  PyObject *name = native_name_at(&found->names, index), *time = native_optional_time(found->clocks[index]);
  double latitude = found->latitudes[index];
  PyObject *place = isnan(latitude) ? Py_NewRef(Py_None) : Py_BuildValue("(dd)", latitude, found->longitudes[index]);
  if (name != NULL && time != NULL && place != NULL) return Py_BuildValue("(NNN)", name, time, place);
  Py_XDECREF(name);
  Py_XDECREF(time);
  Py_XDECREF(place);
  return NULL;
}

/* Returns the position of one device, or of all devices. */
PyObject *native_positions(PyObject *object, PyObject *identifier) {
  const char *text = NULL;
  if (identifier != Py_None && native_text(native_monitor_state(object), identifier, "device", &text) < 0) return NULL;
  places found = {0};
  native_call call = native_begin_batch((native_handle *)object);
  fencepost_status status = find_places(&call, text, &found);
  PyObject *list = native_end(&call, status) < 0 ? NULL : PyList_New((Py_ssize_t)found.count);
  for (size_t index = 0; list != NULL && index < found.count; index++) {
    PyObject *place = place_at(&found, index);
    if (place == NULL || PyList_SetItem(list, (Py_ssize_t)index, place) < 0) Py_CLEAR(list);
  }
  native_release_names(&found.names);
  free(found.numbers);
  free(found.latitudes);
  free(found.longitudes);
  free(found.clocks);
  return list;
}

static PyObject *expire(PyObject *object, PyObject *before, numbering numbering) {
  int64_t time;
  native_call call;
  if (native_time(before, &time) < 0 || native_begin_input_batch((native_handle *)object, &call) < 0) return NULL;
  return end_numbered(&call, numbering, time);
}

/* Removes the devices whose latest input is earlier than a given time; returns their identifiers. */
PyObject *native_expire(PyObject *object, PyObject *before) { return expire(object, before, expired); }

/* Removes the devices whose last accepted input arrived before a given time; returns their identifiers. */
PyObject *native_expire_by_arrival(PyObject *object, PyObject *before) {
  return expire(object, before, expired_by_arrival);
}

/* Finds the numbers of the devices in a tuple of identifiers; adds new devices. */
PyObject *native_enter_devices(PyObject *object, PyObject *identifiers) {
  native_handle *self = (native_handle *)object;
  Py_ssize_t count;
  const char **texts = native_texts(native_monitor_state(object), identifiers, &count);
  if (texts == NULL) return NULL;
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(fencepost_device));
  if (bytes != NULL) {
    fencepost_device *numbers = (fencepost_device *)(void *)PyBytes_AsString(bytes);
    native_call call;
    int failed = native_begin_input_batch(self, &call) < 0;
    if (!failed) {
      fencepost_status status =
          fencepost_fleet_enter_devices(self->fleet, texts, (size_t)count, 1, count > 0 ? numbers : NULL, &call.error);
      failed = native_end(&call, status) < 0;
    }
    if (failed) Py_CLEAR(bytes);
  }
  PyMem_Free(texts);
  return bytes;
}

PyObject *native_has_device(PyObject *object, PyObject *identifier) {
  native_handle *self = (native_handle *)object;
  const char *text;
  fencepost_device device;
  if (native_text(native_monitor_state(object), identifier, "device", &text) < 0) return NULL;
  native_call call = native_begin(self);
  if (native_end(&call, native_device(&call, text, 0, &device)) < 0) return NULL;
  return PyBool_FromLong(device != FENCEPOST_NO_DEVICE);
}

/* The Python arguments are (identifier, whether to drop its events); returns whether the device existed. */
PyObject *native_remove_device(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *identifier;
  const char *text;
  int drops;
  fencepost_device device;
  if (!PyArg_ParseTuple(args, "Op", &identifier, &drops) ||
      native_text(native_monitor_state(object), identifier, "device", &text) < 0)
    return NULL;
  native_call call;
  if (native_begin_input(self, &call) < 0) return NULL;
  fencepost_status status = native_device(&call, text, 0, &device);
  if (status == FENCEPOST_OK && device != FENCEPOST_NO_DEVICE) {
    status = fencepost_fleet_remove_devices(self->fleet, &device, 1, drops ? 1u : 0u, &call.error);
    self->removals++;
  }
  if (native_end(&call, status) < 0) return NULL;
  return PyBool_FromLong(device != FENCEPOST_NO_DEVICE);
}

/*
 * Returns the tuple (clock, accepted fixes, invalid fixes, late inputs, ahead inputs, accepted sightings, delivered
 * events, inputs, doubted fixes).
 */
PyObject *native_device_statistics(PyObject *object, PyObject *identifier) {
  native_handle *self = (native_handle *)object;
  const char *text;
  fencepost_device device;
  if (native_text(native_monitor_state(object), identifier, "device", &text) < 0) return NULL;
  fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
  native_call call = native_begin(self);
  fencepost_status status = native_known_device(&call, text, &device);
  if (status == FENCEPOST_OK) status = fencepost_fleet_device_statistics(self->fleet, device, &statistics, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return Py_BuildValue("(NKKKKKKKK)", native_optional_time(statistics.clock_us),
                       (unsigned long long)statistics.accepted_fixes, (unsigned long long)statistics.invalid_fixes,
                       (unsigned long long)statistics.late_inputs, (unsigned long long)statistics.ahead_inputs,
                       (unsigned long long)statistics.accepted_sightings,
                       (unsigned long long)statistics.handed_out_events, (unsigned long long)statistics.input_count,
                       (unsigned long long)statistics.doubted_fixes);
}

PyObject *native_device_deadline(PyObject *object, PyObject *identifier) {
  native_handle *self = (native_handle *)object;
  const char *text;
  fencepost_device device;
  int64_t time = FENCEPOST_TIME_UNSET;
  if (native_text(native_monitor_state(object), identifier, "device", &text) < 0) return NULL;
  native_call call = native_begin(self);
  fencepost_status status = native_known_device(&call, text, &device);
  if (status == FENCEPOST_OK) status = fencepost_fleet_next_deadline(self->fleet, device, &time, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return native_optional_time(time);
}

/* Reads the tuple (device, condition identifier). */
static int read_pair(PyObject *object, PyObject *args, const char *texts[2]) {
  native_state *state = native_monitor_state(object);
  PyObject *names[2];
  if (!PyArg_ParseTuple(args, "OO", &names[0], &names[1])) return -1;
  if (native_text(state, names[0], "device", &texts[0]) < 0) return -1;
  return native_text(state, names[1], "identifier", &texts[1]);
}

PyObject *native_device_state(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  const char *texts[2];
  fencepost_device device;
  fencepost_state found = FENCEPOST_STATE_UNKNOWN;
  if (read_pair(object, args, texts) < 0) return NULL;
  native_call call = native_begin(self);
  fencepost_status status = native_known_device(&call, texts[0], &device);
  if (status == FENCEPOST_OK) status = fencepost_fleet_state(self->fleet, device, texts[1], &found, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return PyLong_FromLong(found);
}

/* A condition that is explained for a device. */
typedef struct explained {
  native_handle *self;
  const char *texts[2]; /* the device and the condition */
} explained;

static int explain_one(void *context, fencepost_explanation *found) {
  explained *one = context;
  fencepost_device device;
  native_call call = native_begin(one->self);
  fencepost_status status = native_known_device(&call, one->texts[0], &device);
  if (status == FENCEPOST_OK)
    status = fencepost_fleet_explain(one->self->fleet, device, one->texts[1], found, &call.error);
  return native_end(&call, status);
}

PyObject *native_device_explain(PyObject *object, PyObject *args) {
  explained one = {.self = (native_handle *)object};
  if (read_pair(object, args, one.texts) < 0) return NULL;
  return native_explanation(explain_one, &one);
}

/* Splits the bytes of several devices, which are adjacent in memory, into a list. */
static PyObject *split_bytes(const char *buffer, const uint64_t *offsets, Py_ssize_t count) {
  PyObject *list = PyList_New(count);
  for (Py_ssize_t index = 0; list != NULL && index < count; index++) {
    PyObject *item =
        PyBytes_FromStringAndSize(buffer + offsets[index], (Py_ssize_t)(offsets[index + 1] - offsets[index]));
    if (item == NULL || PyList_SetItem(list, index, item) < 0) Py_CLEAR(list);
  }
  return list;
}

/* Exports the bytes of devices during a call, into memory from malloc(). */
static fencepost_status export(native_call *call, const fencepost_device *devices, size_t count, int portable,
                               char **buffer, uint64_t *offsets) {
  size_t capacity = 0, size = 0;
  for (;;) {
    fencepost_status status = fencepost_fleet_export_devices(call->self->fleet, devices, count, portable ? 1u : 0u,
                                                             *buffer, capacity, offsets, &size, &call->error);
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) return status;
    if (size <= capacity) return FENCEPOST_OK;
    free(*buffer);
    capacity = size;
    *buffer = malloc(capacity);
    if (*buffer == NULL) return native_lack_memory(call);
  }
}

/*
 * The Python arguments are (identifiers, whether another version of the table must be able to load them); returns the
 * bytes of each device.
 */
PyObject *native_export_devices(PyObject *object, PyObject *args) {
  PyObject *identifiers, *list = NULL;
  int portable;
  if (!PyArg_ParseTuple(args, "Op", &identifiers, &portable)) return NULL;
  if (!PyTuple_Check(identifiers)) {
    PyErr_SetString(PyExc_TypeError, "identifiers must be a tuple");
    return NULL;
  }
  Py_ssize_t count = PyTuple_Size(identifiers);
  const char **texts = PyMem_Calloc((size_t)count + 1, sizeof(*texts));
  fencepost_device *devices = PyMem_Malloc(((size_t)count + 1) * sizeof(*devices));
  uint64_t *offsets = PyMem_Calloc((size_t)count + 1, sizeof(*offsets));
  char *buffer = NULL;
  int failed = texts == NULL || devices == NULL || offsets == NULL;
  if (failed) PyErr_NoMemory();
  for (Py_ssize_t row = 0; row < count && !failed; row++)
    failed = native_text(native_monitor_state(object), PyTuple_GetItem(identifiers, row), "device", &texts[row]) < 0;
  if (failed) goto done;
  native_call call = native_begin_batch((native_handle *)object);
  fencepost_status status = FENCEPOST_OK;
  for (Py_ssize_t row = 0; row < count && status == FENCEPOST_OK; row++)
    status = native_known_device(&call, texts[row], &devices[row]);
  if (status == FENCEPOST_OK) status = export(&call, devices, (size_t)count, portable, &buffer, offsets);
  if (native_end(&call, status) == 0) list = split_bytes(buffer, offsets, count);
done:
  free(buffer);
  PyMem_Free(offsets);
  PyMem_Free(devices);
  PyMem_Free(texts);
  return list;
}

/* Joins a tuple that has one bytes object for each identifier. */
static PyObject *joined(PyObject *tuple, Py_ssize_t count, uint64_t *offsets) {
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count) {
    PyErr_Format(PyExc_TypeError, "the devices must be a tuple of %zd bytes objects", count);
    return NULL;
  }
  uint64_t size = 0;
  for (Py_ssize_t row = 0; row < count; row++) {
    PyObject *item = PyTuple_GetItem(tuple, row);
    if (!PyBytes_Check(item)) {
      PyErr_Format(PyExc_TypeError, "a device must be bytes, not %R", Py_TYPE(item));
      return NULL;
    }
    offsets[row] = size;
    size += (uint64_t)PyBytes_Size(item);
  }
  offsets[count] = size;
  PyObject *empty = PyBytes_FromStringAndSize(NULL, 0);
  PyObject *all = empty == NULL ? NULL : PyObject_CallMethod(empty, "join", "(O)", tuple);
  Py_XDECREF(empty);
  return all;
}

/* The Python arguments are (identifiers, bytes of each, whether to accept another version of the table). */
PyObject *native_load_devices(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *identifiers, *devices;
  int adapt;
  Py_ssize_t count;
  if (!PyArg_ParseTuple(args, "OOp", &identifiers, &devices, &adapt)) return NULL;
  const char **texts = native_texts(native_monitor_state(object), identifiers, &count);
  if (texts == NULL) return NULL;
  uint64_t *offsets = PyMem_Calloc((size_t)count + 1, sizeof(*offsets));
  PyObject *all = offsets == NULL ? PyErr_NoMemory() : joined(devices, count, offsets);
  native_call call;
  int failed = all == NULL || native_begin_input_batch(self, &call) < 0;
  if (!failed) {
    fencepost_status status = fencepost_fleet_import_devices(self->fleet, texts, PyBytes_AsString(all), offsets,
                                                             (size_t)count, adapt ? 1u : 0u, NULL, &call.error);
    failed = native_end(&call, status) < 0;
  }
  Py_XDECREF(all);
  PyMem_Free(offsets);
  PyMem_Free(texts);
  if (failed) return NULL;
  Py_RETURN_NONE;
}
