#include "native.h"

/* Every argument may be omitted; then the header's default applies. */
static PyObject *monitor_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  native_state *state = PyType_GetModuleState(type);
  if (keywords != NULL && PyDict_Size(keywords) > 0) {
    PyErr_SetString(PyExc_TypeError, "Monitor takes no keyword arguments");
    return NULL;
  }
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  PyObject *name_object = Py_None, *directory = Py_None;
  int delivery = options.delivery, durability = options.durability;
  unsigned long long condition_limit = options.condition_limit, max_pending_events = options.max_pending_events;
  long long initial_fix_max_age = options.initial_fix_max_age_us, exit_timeout = options.beacon_exit_timeout_us;
  long long initial_timeout = options.beacon_initial_timeout_us, interval = options.checkpoint_interval_us;
  long long step = options.max_time_step_us, max_gap = options.max_gap_us;
  int path = options.path;
  double max_speed = options.max_speed_mps, plausible_speed = options.plausible_speed_mps;
  double confidence = options.accuracy_confidence;
  int order = options.order;
  unsigned int corroboration_count = options.corroboration_count;
  long long corroboration_time = options.corroboration_time_us;
  if (!PyArg_ParseTuple(args, "|OiKKLLLOiLLiLddILdi", &name_object, &delivery, &condition_limit, &max_pending_events,
                        &initial_fix_max_age, &exit_timeout, &initial_timeout, &directory, &durability, &interval,
                        &step, &path, &max_gap, &max_speed, &plausible_speed, &corroboration_count, &corroboration_time,
                        &confidence, &order))
    return NULL;
  const char *name = NULL;
  if (name_object != Py_None && native_text(state, name_object, "name", &name) < 0) return NULL;
  options.delivery = delivery;
  options.condition_limit = condition_limit;
  options.max_pending_events = max_pending_events;
  options.initial_fix_max_age_us = initial_fix_max_age;
  options.beacon_exit_timeout_us = exit_timeout;
  options.beacon_initial_timeout_us = initial_timeout;
  options.durability = durability;
  options.checkpoint_interval_us = interval;
  options.max_time_step_us = step;
  options.path = path;
  options.max_gap_us = max_gap;
  options.max_speed_mps = max_speed;
  options.plausible_speed_mps = plausible_speed;
  options.corroboration_count = corroboration_count;
  options.corroboration_time_us = corroboration_time;
  options.accuracy_confidence = confidence;
  options.order = order;
  if (native_directory(state, directory, &options.store_directory) < 0) return NULL;

  native_handle *self = native_allocate(type);
  if (self == NULL) return NULL;
  self->is_stored = options.store_directory != NULL;
  native_call call = native_begin(self);
  fencepost_status status = fencepost_monitor_create(name, &options, &self->handle, &call.error);
  if (native_end(&call, native_open_own_table(self, status, &call.error)) < 0) Py_CLEAR(self);
  return (PyObject *)self;
}

static void monitor_dealloc(PyObject *self) {
  fencepost_conditions_destroy(((native_handle *)self)->own);
  fencepost_monitor_destroy(((native_handle *)self)->handle);
  native_release(self);
}

static PyObject *monitor_fork(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  native_handle *copy = native_allocate(Py_TYPE(object));
  if (copy == NULL) return NULL;
  native_call call = native_begin(self);
  fencepost_status status = fencepost_monitor_fork(self->handle, &copy->handle, &call.error);
  if (native_end(&call, native_open_own_table(copy, status, &call.error)) < 0) Py_CLEAR(copy);
  return (PyObject *)copy;
}

static PyObject *monitor_name(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  native_call call = native_begin(self);
  if (native_end(&call, fencepost_monitor_statistics(self->handle, &statistics, &call.error)) < 0) return NULL;
  if (statistics.name[0] == 0) Py_RETURN_NONE;
  return PyUnicode_FromString(statistics.name);
}

static PyObject *monitor_statistics(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  native_call call = native_begin(self);
  fencepost_status status = fencepost_monitor_statistics(self->handle, &statistics, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return Py_BuildValue("(NKKKKKKKKKINK)", native_optional_time(statistics.clock_us),
                       (unsigned long long)statistics.input_count, (unsigned long long)statistics.accepted_fixes,
                       (unsigned long long)statistics.invalid_fixes, (unsigned long long)statistics.late_inputs,
                       (unsigned long long)statistics.accepted_sightings, (unsigned long long)statistics.pending_events,
                       (unsigned long long)statistics.handed_out_events, (unsigned long long)statistics.condition_count,
                       (unsigned long long)statistics.ahead_inputs, (unsigned int)statistics.store,
                       PyBool_FromLong((long)statistics.all_kept), (unsigned long long)statistics.doubted_fixes);
}

static PyMethodDef monitor_methods[] = {
    NATIVE_CONDITION_METHODS,
    NATIVE_EVENT_METHODS,
    {"fork", monitor_fork, METH_NOARGS, "An independent copy."},
    {"snapshot", native_snapshot, METH_NOARGS, "The whole monitor as bytes."},
    {"restore", native_restore, METH_O | METH_CLASS, "Restore a monitor from a snapshot."},
    {"name", monitor_name, METH_NOARGS, "The monitor's name, or None."},
    {"statistics", monitor_statistics, METH_NOARGS, "Clock and counters."},
    {"identifiers_in_state", native_identifiers_in_state, METH_O, "The conditions in a state."},
    {"rewind", native_rewind, METH_O, "Set the clock back."},
    {"record", native_record, METH_O, "The record of a condition, or None."},
    {"records", native_records, METH_NOARGS, "All records in add order."},
    {"state", native_state_of, METH_O, "The observed state of a condition."},
    {"safe_distance", native_safe_distance, METH_VARARGS, "Distance to the nearest boundary, in metres."},
    {"plan", native_plan, METH_VARARGS, "The circles that the platform must monitor around a position."},
    {"explain", native_explain, METH_O, "Explains the state of a condition."},
    {"feed_fix", (PyCFunction)(void (*)(void))native_feed_fix, METH_FASTCALL, "Feed one fix."},
    {"feed_fixes", native_feed_fixes, METH_O, "Feed a buffer of 32-byte fix records."},
    {"feed_columns", native_feed_columns, METH_VARARGS, "Feed fixes from columns."},
    {"feed_sightings", native_feed_sightings, METH_VARARGS, "Feed a buffer of 24-byte sighting records."},
    {"set_scanning", native_set_scanning, METH_VARARGS, "Declare scanning on or off."},
    {"set_host", native_set_host, METH_VARARGS, "Set the host's abilities."},
    {"advance", native_advance, METH_O, "Advance the clock."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot monitor_slots[] = {{Py_tp_new, monitor_new},
                                      {Py_tp_dealloc, monitor_dealloc},
                                      {Py_tp_methods, monitor_methods},
                                      {Py_tp_doc, "Handle of a monitor."},
                                      {0, NULL}};

PyType_Spec native_monitor_spec = {"fencepost._native.Monitor", sizeof(native_handle), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, monitor_slots};
