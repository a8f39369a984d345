/* Implements the fleet type: very many devices that share one table of conditions. */
#include "native.h"

static PyObject *fleet_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  native_state *state = PyType_GetModuleState(type);
  if (keywords != NULL && PyDict_Size(keywords) > 0) {
    PyErr_SetString(PyExc_TypeError, "Fleet takes no keyword arguments");
    return NULL;
  }
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  PyObject *table;
  unsigned long long pending = options.max_pending_events, limit = options.device_limit;
  long long exit_timeout = options.beacon_exit_timeout_us, initial_timeout = options.beacon_initial_timeout_us;
  long long step = options.max_time_step_us;
  PyObject *name = Py_None, *directory = Py_None;
  int durability = options.durability;
  long long interval = options.checkpoint_interval_us, max_gap = options.max_gap_us;
  int path = options.path, delivery = options.delivery;
  double max_speed = options.max_speed_mps, plausible_speed = options.plausible_speed_mps;
  double confidence = options.accuracy_confidence;
  int order = options.order;
  unsigned int corroboration_count = options.corroboration_count;
  long long corroboration_time = options.corroboration_time_us;
  if (!PyArg_ParseTuple(args, "O|KKLLLOOiLiLddILidi", &table, &pending, &limit, &exit_timeout, &initial_timeout, &step,
                        &name, &directory, &durability, &interval, &path, &max_gap, &max_speed, &plausible_speed,
                        &corroboration_count, &corroboration_time, &delivery, &confidence, &order))
    return NULL;
  if (name != Py_None && native_text(state, name, "name", &options.name) < 0) return NULL;
  if (native_directory(state, directory, &options.store_directory) < 0) return NULL;
  options.durability = durability;
  options.checkpoint_interval_us = interval;
  options.path = path;
  options.max_gap_us = max_gap;
  options.max_speed_mps = max_speed;
  options.plausible_speed_mps = plausible_speed;
  options.corroboration_count = corroboration_count;
  options.corroboration_time_us = corroboration_time;
  options.delivery = delivery;
  options.accuracy_confidence = confidence;
  options.order = order;
  if (!Py_IS_TYPE(table, (PyTypeObject *)state->conditions_type)) {
    PyErr_Format(PyExc_TypeError, "table must be the handle of a table, not %R", Py_TYPE(table));
    return NULL;
  }
  options.max_pending_events = pending;
  options.device_limit = limit;
  options.beacon_exit_timeout_us = exit_timeout;
  options.beacon_initial_timeout_us = initial_timeout;
  options.max_time_step_us = step;
  native_handle *self = native_allocate(type);
  if (self == NULL) return NULL;
  self->is_stored = options.store_directory != NULL;
  options.conditions = ((native_handle *)table)->table;
  native_call call = native_begin_batch(self);
  fencepost_status status = fencepost_fleet_create(&options, &self->fleet, &call.error);
  if (native_end(&call, status) < 0) Py_CLEAR(self);
  return (PyObject *)self;
}

static void fleet_dealloc(PyObject *self) {
  fencepost_fleet_destroy(((native_handle *)self)->fleet);
  native_release(self);
}

static PyObject *fleet_fork(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  native_handle *copy = native_allocate(Py_TYPE(object));
  if (copy == NULL) return NULL;
  native_call call = native_begin_batch(self);
  if (native_end(&call, fencepost_fleet_fork(self->fleet, &copy->fleet, &call.error)) < 0) Py_CLEAR(copy);
  return (PyObject *)copy;
}

/* Returns the fleet's table, as a new handle. */
static PyObject *fleet_conditions(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  native_handle *table = native_allocate((PyTypeObject *)native_monitor_state(object)->conditions_type);
  if (table == NULL) return NULL;
  native_call call = native_begin(self);
  if (native_end(&call, fencepost_fleet_conditions(self->fleet, &table->table, &call.error)) < 0) Py_CLEAR(table);
  return (PyObject *)table;
}

/* Returns the fleet's own counters; its input counts are the sums over all its devices. */
static PyObject *fleet_statistics(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  fencepost_fleet_counters found = FENCEPOST_FLEET_COUNTERS_INIT;
  native_call call = native_begin(self);
  if (native_end(&call, fencepost_fleet_statistics(self->fleet, &found, &call.error)) < 0) return NULL;
  return Py_BuildValue("(NKKKKKKKKKKINK)", native_optional_time(found.clock_us),
                       (unsigned long long)found.accepted_fixes, (unsigned long long)found.invalid_fixes,
                       (unsigned long long)found.late_inputs, (unsigned long long)found.ahead_inputs,
                       (unsigned long long)found.accepted_sightings, (unsigned long long)found.pending_events,
                       (unsigned long long)found.handed_out_events, (unsigned long long)found.device_count,
                       (unsigned long long)found.condition_count, (unsigned long long)found.device_bytes,
                       (unsigned)found.store, PyBool_FromLong((long)found.all_kept),
                       (unsigned long long)found.doubted_fixes);
}

/* Begins an input of a device, and enters the device. On failure it raises an error and returns -1; the call has ended
   then. Otherwise `*status` is the status of the entry, and end_device_input() ends the call. */
static int begin_device_input(PyObject *object, PyObject *identifier, native_call *call, native_entry *entry,
                              fencepost_status *status) {
  const char *text;
  if (native_text(native_monitor_state(object), identifier, "device", &text) < 0 ||
      native_begin_input((native_handle *)object, call) < 0)
    return -1;
  *status = native_enter_device(call, text, entry);
  return 0;
}

static PyObject *end_device_input(native_call *call, const native_entry *entry, fencepost_status status) {
  native_keep_device(call, entry);
  if (native_end(call, status) < 0) return NULL;
  Py_RETURN_NONE;
}

/* The Python arguments are (device, latitude, longitude, accuracy, time). */
static PyObject *feed_fix(PyObject *object, PyObject *const *args, Py_ssize_t count) {
  native_handle *self = (native_handle *)object;
  if (count != 5 && count != 8 && count != 12) {
    PyErr_Format(PyExc_TypeError,
                 "feed_fix takes device, latitude, longitude, accuracy, "
                 "time_us and perhaps an ellipse "
                 "and a height, not %zd arguments",
                 count);
    return NULL;
  }
  fencepost_fix fix;
  double beside[7];
  fencepost_fix_columns fixes;
  native_call call;
  native_entry entry;
  fencepost_status status;
  if (native_read_fix(args + 1, &fix) < 0 ||
      (count > 5 && native_read_beside(args + 5, count - 5, &fix, beside, &fixes) < 0) ||
      begin_device_input(object, args[0], &call, &entry, &status) < 0)
    return NULL;
  if (status == FENCEPOST_OK && count > 5) {
    fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
    columns.devices = &entry.device, columns.fixes = &fixes;
    status = fencepost_fleet_feed_columns(self->fleet, &columns, 1, NULL, &call.error);
  } else if (status == FENCEPOST_OK) {
    status = fencepost_fleet_feed_fix(self->fleet, entry.device, &fix, &call.error);
  }
  return end_device_input(&call, &entry, status);
}

/* The Python arguments are (device, records of 24 bytes, time). */
static PyObject *feed_sightings(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *identifier, *sightings;
  long long time;
  if (!PyArg_ParseTuple(args, "OOL", &identifier, &sightings, &time)) return NULL;
  native_state *state = native_monitor_state(object);
  Py_buffer view;
  if (native_open_records(state, sightings, "sightings", sizeof(fencepost_beacon_sighting), &view) < 0) return NULL;
  void *copy;
  const char *text;
  native_entry entry;
  const fencepost_beacon_sighting *rows = native_aligned(&view, &copy);
  native_call call;
  int failed =
      rows == NULL || native_text(state, identifier, "device", &text) < 0 || native_begin_input_batch(self, &call) < 0;
  if (!failed) {
    fencepost_status status = native_enter_device(&call, text, &entry);
    if (status == FENCEPOST_OK)
      status = fencepost_fleet_feed_sightings(self->fleet, entry.device, rows,
                                              (size_t)view.len / sizeof(fencepost_beacon_sighting), time, &call.error);
    native_keep_device(&call, &entry);
    failed = native_end(&call, status) < 0;
  }
  PyMem_Free(copy);
  PyBuffer_Release(&view);
  if (failed) return NULL;
  Py_RETURN_NONE;
}

/* The Python arguments are (device, on, time). */
static PyObject *set_scanning(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *identifier;
  int scanning;
  long long time;
  native_call call;
  native_entry entry;
  fencepost_status status;
  if (!PyArg_ParseTuple(args, "OpL", &identifier, &scanning, &time) ||
      begin_device_input(object, identifier, &call, &entry, &status) < 0)
    return NULL;
  if (status == FENCEPOST_OK)
    status = fencepost_fleet_set_beacon_scanning(self->fleet, entry.device, scanning ? 1u : 0u, time, &call.error);
  return end_device_input(&call, &entry, status);
}

/* The Python arguments are (device, diagnostics, unsupported kinds, time). */
static PyObject *set_host(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *identifier;
  unsigned diagnostics, unsupported_kinds;
  long long time;
  native_call call;
  native_entry entry;
  fencepost_status status;
  if (!PyArg_ParseTuple(args, "OIIL", &identifier, &diagnostics, &unsupported_kinds, &time) ||
      begin_device_input(object, identifier, &call, &entry, &status) < 0)
    return NULL;
  if (status == FENCEPOST_OK)
    status = fencepost_fleet_set_host_capabilities(self->fleet, entry.device, diagnostics, unsupported_kinds, time,
                                                   &call.error);
  return end_device_input(&call, &entry, status);
}

/* The Python arguments are the time, the device or None, and whether to ignore the limit for time steps. */
static PyObject *advance(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *identifier;
  long long time;
  const char *text = NULL;
  fencepost_device device = FENCEPOST_ALL_DEVICES;
  int force = 0;
  if (!PyArg_ParseTuple(args, "LO|p", &time, &identifier, &force) ||
      (identifier != Py_None && native_text(native_monitor_state(object), identifier, "device", &text) < 0))
    return NULL;
  native_call call;
  if (native_begin_input_batch(self, &call) < 0) return NULL;
  fencepost_status status = text == NULL ? FENCEPOST_OK : native_known_device(&call, text, &device);
  if (status == FENCEPOST_OK) status = fencepost_fleet_advance(self->fleet, device, time, force ? 1u : 0u, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  Py_RETURN_NONE;
}

/* The Python arguments are (time, device or None). */
static PyObject *rewind_clock(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *identifier;
  long long time;
  const char *text = NULL;
  fencepost_device device = FENCEPOST_ALL_DEVICES;
  if (!PyArg_ParseTuple(args, "LO", &time, &identifier) ||
      (identifier != Py_None && native_text(native_monitor_state(object), identifier, "device", &text) < 0))
    return NULL;
  native_call call;
  if (native_begin_input_batch(self, &call) < 0) return NULL;
  fencepost_status status = text == NULL ? FENCEPOST_OK : native_known_device(&call, text, &device);
  if (status == FENCEPOST_OK) status = fencepost_fleet_rewind(self->fleet, device, time, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject *set_arrival_time(PyObject *object, PyObject *given) {
  native_handle *self = (native_handle *)object;
  int64_t time;
  native_call call;
  if (native_time(given, &time) < 0 || native_begin_input(self, &call) < 0) return NULL;
  if (native_end(&call, fencepost_fleet_set_arrival_time(self->fleet, time, &call.error)) < 0) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef fleet_methods[] = {
    NATIVE_EVENT_METHODS,
    {"fork", fleet_fork, METH_NOARGS, "An independent copy over the same table."},
    {"snapshot", native_snapshot, METH_NOARGS, "The whole fleet as bytes."},
    {"restore", native_restore, METH_O | METH_CLASS, "Restore a fleet and its table from a snapshot."},
    {"conditions", fleet_conditions, METH_NOARGS, "The table of conditions."},
    {"statistics", fleet_statistics, METH_NOARGS, "Counters."},
    {"feed_fix", (PyCFunction)(void (*)(void))feed_fix, METH_FASTCALL, "Feed one fix of a device."},
    {"feed_columns", native_feed_columns, METH_VARARGS, "Feed fixes of many devices from columns."},
    {"feed_sightings", feed_sightings, METH_VARARGS, "Feed a scan report of a device."},
    {"set_scanning", set_scanning, METH_VARARGS, "Declare scanning of a device on or off."},
    {"set_host", set_host, METH_VARARGS, "Declare the capabilities of the host of a device."},
    {"advance", advance, METH_VARARGS, "Advance the clock of one device, or of all."},
    {"rewind", rewind_clock, METH_VARARGS, "Set back the clock of one device, or of all."},
    {"set_arrival_time", set_arrival_time, METH_O, "Set the arrival time of the next inputs."},
    {"devices", native_devices, METH_NOARGS, "The identifiers of all devices."},
    {"enter", native_enter_devices, METH_O, "Return the numbers of devices; add new devices."},
    {"has_device", native_has_device, METH_O, "True if a device has that identifier."},
    {"remove_device", native_remove_device, METH_VARARGS, "Remove a device; return whether it existed."},
    {"expire", native_expire, METH_O, "Remove devices that have had no input since a time; return their identifiers."},
    {"expire_by_arrival", native_expire_by_arrival, METH_O,
     "Remove devices whose last input arrived before a time; return their identifiers."},
    {"inside", native_inside, METH_O, "The conditions that a device is inside."},
    {"devices_inside", native_devices_inside, METH_O,
     "The devices inside a condition, or inside each condition if None."},
    {"positions", native_positions, METH_O, "Where a device is, or with None all of them: (device, clock, place)."},
    {"device_statistics", native_device_statistics, METH_O, "Counters of a device."},
    {"device_deadline", native_device_deadline, METH_O, "The time of the next change without an input, or None."},
    {"device_state", native_device_state, METH_VARARGS, "The observed state of a condition for a device."},
    {"device_explain", native_device_explain, METH_VARARGS, "Explains the state of a condition for a device."},
    {"device_safe_distance", native_device_safe_distance, METH_VARARGS,
     "How far a device can move before it can cross a boundary, in metres."},
    {"device_plan", native_device_plan, METH_VARARGS, "The circles that the platform must monitor for a device."},
    {"export", native_export_devices, METH_VARARGS, "Export devices as bytes."},
    {"load", native_load_devices, METH_VARARGS, "Add devices from bytes."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot fleet_slots[] = {{Py_tp_new, fleet_new},
                                    {Py_tp_dealloc, fleet_dealloc},
                                    {Py_tp_methods, fleet_methods},
                                    {Py_tp_doc, "Handle of a fleet."},
                                    {0, NULL}};

PyType_Spec native_fleet_spec = {"fencepost._native.Fleet", sizeof(native_handle), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, fleet_slots};
