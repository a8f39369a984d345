#include "native.h"

#include <string.h>

/* A library whose minor version differs from the header's may have other structure layouts. */
static int check_version(void) {
  char expected[32];
  PyOS_snprintf(expected, sizeof(expected), "%d.%d.", FENCEPOST_VERSION_MAJOR, FENCEPOST_VERSION_MINOR);
  if (strncmp(fencepost_version_string(), expected, strlen(expected)) == 0) return 0;
  PyErr_Format(PyExc_ImportError, "libfencepost has version %s, but this extension needs version %sx",
               fencepost_version_string(), expected);
  return -1;
}

static int add_presets(PyObject *module) {
  static const struct {
    const char *name;
    fencepost_transition_policy policy;
  } presets[] = {{"POLICY_STANDARD", FENCEPOST_TRANSITION_POLICY_STANDARD_INIT},
                 {"POLICY_EXACT", FENCEPOST_TRANSITION_POLICY_EXACT_INIT},
                 {"POLICY_CORE_LOCATION", FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT}};
  for (size_t index = 0; index < sizeof(presets) / sizeof(presets[0]); index++) {
    PyObject *value = native_policy_tuple(&presets[index].policy);
    if (value == NULL) return -1;
    int result = PyModule_AddObjectRef(module, presets[index].name, value);
    Py_DECREF(value);
    if (result < 0) return -1;
  }
  return 0;
}

static int module_exec(PyObject *module) {
  native_state *state = PyModule_GetState(module);
  if (check_version() < 0 || native_errors_init(module, state) < 0 || add_presets(module) < 0) return -1;
  state->monitor_type = PyType_FromModuleAndSpec(module, &native_monitor_spec, NULL);
  if (state->monitor_type == NULL) return -1;
  if (PyModule_AddObjectRef(module, "Monitor", state->monitor_type) < 0) return -1;
  state->conditions_type = PyType_FromModuleAndSpec(module, &native_conditions_spec, NULL);
  if (state->conditions_type == NULL) return -1;
  if (PyModule_AddObjectRef(module, "Conditions", state->conditions_type) < 0) return -1;
  state->fleet_type = PyType_FromModuleAndSpec(module, &native_fleet_spec, NULL);
  if (state->fleet_type == NULL) return -1;
  if (PyModule_AddObjectRef(module, "Fleet", state->fleet_type) < 0) return -1;
  return PyModule_AddStringConstant(module, "VERSION", fencepost_version_string());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
  native_state *state = PyModule_GetState(module);
  if (state == NULL) return 0;
  Py_VISIT(state->error_base);
  for (size_t index = 0; index < NATIVE_ERROR_CLASSES; index++) Py_VISIT(state->errors[index]);
  Py_VISIT(state->closed_error);
  Py_VISIT(state->monitor_type);
  Py_VISIT(state->conditions_type);
  Py_VISIT(state->fleet_type);
  return 0;
}

static int module_clear(PyObject *module) {
  native_state *state = PyModule_GetState(module);
  if (state == NULL) return 0;
  Py_CLEAR(state->error_base);
  for (size_t index = 0; index < NATIVE_ERROR_CLASSES; index++) Py_CLEAR(state->errors[index]);
  Py_CLEAR(state->closed_error);
  Py_CLEAR(state->monitor_type);
  Py_CLEAR(state->conditions_type);
  Py_CLEAR(state->fleet_type);
  return 0;
}

static void module_free(void *module) { module_clear((PyObject *)module); }

static PyMethodDef module_methods[] = {
    {"error_table", native_error_table, METH_NOARGS, "All errors: number, name, message, class."},
    {"parse_uuid", native_parse_uuid, METH_O, "Reads a UUID in the form 8-4-4-4-12; returns its 16 bytes."},
    {"parse_advertisement", native_parse_advertisement, METH_VARARGS, "Parses the advertisement of a beacon."},
    {"event_json", native_event_json, METH_VARARGS, "One event as a JSON line."},
    {"feed_tracks", native_feed_tracks, METH_VARARGS, "Feed the rows of many tracks, each track to its own device."},
    {"extremes", native_extremes, METH_O, "The smallest and the largest integer in a column."},
    {"distinct", native_distinct, METH_VARARGS, "The distinct codes of a column, in the order of their first rows."},
    {"taken", native_taken, METH_VARARGS, "The value of each code, as bytes."},
    {"visits", native_visits, METH_VARARGS, "The visits of a track, computed from its events."},
    {"circle_contains", native_circle_contains, METH_VARARGS, "True if a circle contains a position."},
    {"shape_distance", native_shape_distance, METH_VARARGS, "The signed distance of a position to a shape."},
    {"significant_change", native_significant_change, METH_VARARGS, "True if a fix passes the filter."},
    {"best_fix", native_best_fix, METH_VARARGS, "Index of the best fix in a buffer of packed fixes, or None."},
    {"inverse", native_inverse, METH_VARARGS,
     "Geodesic between two points: distance, azimuths at the start and at the end."},
    {"direct", native_direct, METH_VARARGS, "End of a geodesic: latitude, longitude, azimuth."},
    {"inverse_into", native_inverse_into, METH_VARARGS, "inverse() for columns: reads four columns and writes three."},
    {"direct_into", native_direct_into, METH_VARARGS, "direct() for columns: reads four columns and writes three."},
    {NULL, NULL, 0, NULL}};

/*
 * Each interpreter may have its own state and lock, because the module keeps all data in its state and the library is
 * thread-safe. Python 3.12 added a slot with which a module declares that each interpreter may have its own state and
 * lock. Without this slot in the module, Python 3.12 refuses to load the module in isolated interpreters. Python 3.11,
 * for whose ABI the extension is built, does not have this slot.
 */
#define SLOT_MULTIPLE_INTERPRETERS 3
#define PER_INTERPRETER_GIL_SUPPORTED ((void *)2)

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}, {0, NULL}};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "fencepost._native", "The interface to the C library. Use the package fencepost instead.",
    sizeof(native_state),  module_methods,      module_slots,
    module_traverse,       module_clear,        module_free};

PyMODINIT_FUNC PyInit__native(void) {
  if (Py_Version >= 0x030C0000)
    module_slots[1] = (PyModuleDef_Slot){SLOT_MULTIPLE_INTERPRETERS, PER_INTERPRETER_GIL_SUPPORTED};
  return PyModuleDef_Init(&module_definition);
}
