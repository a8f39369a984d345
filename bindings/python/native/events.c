#include "native.h"

#include <string.h>

static PyObject *refinement_tuple(const fencepost_event *event) {
  if ((event->flags & FENCEPOST_EVENT_HAS_BEACON) == 0) Py_RETURN_NONE;
  return Py_BuildValue("(y#ii)", (const char *)event->beacon_uuid, (Py_ssize_t)16, (int)event->beacon_major,
                       (int)event->beacon_minor);
}

/*
 * Returns the tuple (sequence, identifier, state, cause, date_us,
 * evidence_date_us, refinement, diagnostics, generation, latitude, longitude,
 * accuracy, boundary_distance, probability, vertical_distance, decided_by, evidence, tag);
 * missing values are None. `evidence` has the bits FENCEPOST_EVENT_... without
 * FENCEPOST_EVENT_HAS_BEACON. `identifier` is the condition's identifier as a
 * str. If `identifier` is NULL, this function creates the str.
 */
PyObject *native_event_tuple(const fencepost_event *event, PyObject *identifier) {
  PyObject *values[] = {
      PyLong_FromUnsignedLongLong(event->sequence),
      identifier != NULL ? Py_NewRef(identifier)
                         : PyUnicode_FromStringAndSize(event->identifier, (Py_ssize_t)event->identifier_length),
      PyLong_FromLong((long)event->state),
      PyLong_FromLong((long)event->cause),
      native_optional_time(event->date_us),
      native_optional_time(event->evidence_date_us),
      refinement_tuple(event),
      PyLong_FromUnsignedLong(event->diagnostics),
      PyLong_FromUnsignedLongLong(event->generation),
      native_optional_double(event->latitude),
      native_optional_double(event->longitude),
      native_optional_double(event->accuracy_m),
      native_optional_double(event->boundary_distance_m),
      native_optional_double(event->probability),
      native_optional_double(event->vertical_distance_m),
      event->decided_by == 0 ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(event->decided_by),
      PyLong_FromUnsignedLong(event->flags & ~(uint32_t)FENCEPOST_EVENT_HAS_BEACON),
      PyLong_FromUnsignedLongLong(event->tag),
  };
  const Py_ssize_t count = sizeof(values) / sizeof(values[0]);
  PyObject *row = PyTuple_New(count);
  for (Py_ssize_t index = 0; index < count; index++) {
    if (row == NULL || values[index] == NULL) {
      Py_XDECREF(values[index]);
      Py_CLEAR(row);
    } else {
      PyTuple_SetItem(row, index, values[index]);
    }
  }
  /* Numbers and texts cannot form cycles, so the garbage collector need not visit a million such tuples. */
  if (row != NULL) PyObject_GC_UnTrack(row);
  return row;
}

/*
 * Returns the tuple for an event of a fleet: the elements of native_event_tuple(), then the device's identifier, then
 * the row. Steals the reference to the identifier.
 */
static PyObject *event_row(const fencepost_event *found, PyObject *name) {
  PyObject *row = native_event_tuple(found, NULL);
  PyObject *rest = Py_BuildValue("(NK)", name, (unsigned long long)found->row);
  PyObject *both = row == NULL || rest == NULL ? NULL : PySequence_Concat(row, rest);
  Py_XDECREF(rest);
  Py_XDECREF(row);
  return both;
}

/* Reads up to `capacity` events into an array, and commits the events that were read before. */
static fencepost_status poll(native_handle *self, fencepost_event *events, size_t capacity, size_t *count,
                             fencepost_error *error) {
  return NATIVE_EVENTS(self, fencepost_monitor_poll_events, fencepost_fleet_poll_events, events, capacity, count,
                       error);
}

static fencepost_status acknowledge(native_handle *self, fencepost_error *error) {
  return NATIVE_EVENTS(self, fencepost_monitor_acknowledge, fencepost_fleet_acknowledge, error);
}

/* Returns the next event for the waiting consumer; acknowledges the previous one. */
PyObject *native_next_update(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  fencepost_event event;
  char name[FENCEPOST_IDENTIFIER_MAX + 1];
  size_t count = 0, size = 0;
  self->turn++;
  native_call call = native_begin(self);
  fencepost_status status = poll(self, &event, 1, &count, &call.error);
  if (status == FENCEPOST_OK && count > 0 && self->fleet != NULL)
    status = fencepost_fleet_device_identifier(self->fleet, event.device, name, sizeof(name), &size, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  if (count == 0) Py_RETURN_NONE;
  if (self->fleet == NULL) return native_event_tuple(&event, NULL);
  return event_row(&event, PyUnicode_FromStringAndSize(name, (Py_ssize_t)size));
}

PyObject *native_poll_event(PyObject *object, PyObject *unused) {
  if (native_refuse_second_consumer((native_handle *)object, native_monitor_state(object)) < 0) return NULL;
  return native_next_update(object, unused);
}

PyObject *native_poll_events(PyObject *object, PyObject *limit_object) {
  native_handle *self = (native_handle *)object;
  size_t capacity = PyLong_AsSize_t(limit_object);
  if (capacity == (size_t)-1 && PyErr_Occurred()) return NULL;
  if (native_refuse_second_consumer(self, native_monitor_state(object)) < 0) return NULL;
  size_t most = (size_t)PY_SSIZE_T_MAX / sizeof(fencepost_event);
  if (capacity > most) capacity = most;
  fencepost_event *events = PyMem_Malloc((capacity > 0 ? capacity : 1) * sizeof(*events));
  if (events == NULL) return PyErr_NoMemory();
  size_t count = 0;
  native_names names = {NULL, 0, 0, NULL};
  self->turn++;
  native_call call = native_begin(self);
  fencepost_status status =
      capacity > 0 ? poll(self, events, capacity, &count, &call.error) : acknowledge(self, &call.error);
  if (status == FENCEPOST_OK && self->fleet != NULL)
    status = native_find_names(&call, &events->device, sizeof(*events), count, &names);
  PyObject *list = native_end(&call, status) < 0 ? NULL : PyList_New((Py_ssize_t)count);
  for (size_t index = 0; list != NULL && index < count; index++) {
    PyObject *item = self->fleet != NULL ? event_row(&events[index], native_name_at(&names, index))
                                         : native_event_tuple(&events[index], NULL);
    if (item == NULL || PyList_SetItem(list, (Py_ssize_t)index, item) < 0) Py_CLEAR(list);
  }
  native_release_names(&names);
  PyMem_Free(events);
  return list;
}

typedef fencepost_status (*settlement)(native_handle *, fencepost_error *);

static fencepost_status abandon(native_handle *self, fencepost_error *error) {
  return NATIVE_EVENTS(self, fencepost_monitor_abandon, fencepost_fleet_abandon, error);
}

/*
 * Acknowledges or abandons the events in flight. `turn_object` is None, or the turn in which the caller read the
 * events: if another consumer has read events since that turn, this function does nothing. Returns False if this
 * function did nothing, otherwise True.
 */
static PyObject *settle(PyObject *object, PyObject *turn_object, settlement settlement) {
  native_handle *self = (native_handle *)object;
  if (turn_object != Py_None) {
    uint64_t turn = PyLong_AsUnsignedLongLong(turn_object);
    if (turn == (uint64_t)-1 && PyErr_Occurred()) return NULL;
    if (turn != self->turn) Py_RETURN_FALSE;
  }
  native_call call = native_begin(self);
  if (native_end(&call, settlement(self, &call.error)) < 0) return NULL;
  Py_RETURN_TRUE;
}

PyObject *native_acknowledge(PyObject *object, PyObject *turn) { return settle(object, turn, acknowledge); }

PyObject *native_abandon(PyObject *object, PyObject *turn) { return settle(object, turn, abandon); }

PyObject *native_turn(PyObject *object, PyObject *Py_UNUSED(unused)) {
  return PyLong_FromUnsignedLongLong(((native_handle *)object)->turn);
}

static int read_optional_time(PyObject *value, int64_t *out) {
  *out = value == Py_None ? FENCEPOST_TIME_UNSET : PyLong_AsLongLong(value);
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

static int read_optional_double(PyObject *value, double *out) {
  *out = value == Py_None ? Py_NAN : PyFloat_AsDouble(value);
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

static int read_optional_number(PyObject *value, uint64_t *out) {
  *out = value == Py_None ? 0 : PyLong_AsUnsignedLongLong(value);
  return *out == (uint64_t)-1 && PyErr_Occurred() ? -1 : 0;
}

static int read_refinement(PyObject *value, fencepost_event *event) {
  const char *uuid;
  Py_ssize_t size;
  if (value == Py_None) return 0;
  if (!PyTuple_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "refinement must be a tuple or None");
    return -1;
  }
  if (!PyArg_ParseTuple(value, "y#HH;refinement", &uuid, &size, &event->beacon_major, &event->beacon_minor)) return -1;
  if (size != 16) {
    PyErr_SetString(PyExc_ValueError, "refinement: the UUID must have 16 bytes");
    return -1;
  }
  memcpy(event->beacon_uuid, uuid, 16);
  event->flags |= FENCEPOST_EVENT_HAS_BEACON;
  return 0;
}

PyObject *native_event_text(native_state *state, const fencepost_event *event) {
  char buffer[4096];
  size_t size = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_event_json(event, NULL, buffer, sizeof(buffer), &size, &error);
  if (status != FENCEPOST_OK) return native_raise(state, status, &error);
  return PyUnicode_FromStringAndSize(buffer, (Py_ssize_t)size);
}

/* The Python arguments are the members of the tuple that native_event_tuple() returns, in the same order, without the
   tag. */
PyObject *native_event_json(PyObject *module, PyObject *args) {
  native_state *state = PyModule_GetState(module);
  fencepost_event event;
  memset(&event, 0, sizeof(event));
  PyObject *identifier_object, *date, *evidence_date, *refinement, *numbers[6], *decided_by;
  unsigned long long sequence, generation;
  int event_state, cause;
  unsigned diagnostics, evidence;
  const char *identifier;
  if (!PyArg_ParseTuple(args, "KOiiOOOIKOOOOOOOI", &sequence, &identifier_object, &event_state, &cause, &date,
                        &evidence_date, &refinement, &diagnostics, &generation, &numbers[0], &numbers[1], &numbers[2],
                        &numbers[3], &numbers[4], &numbers[5], &decided_by, &evidence) ||
      native_text(state, identifier_object, "identifier", &identifier) < 0)
    return NULL;
  size_t length = strlen(identifier);
  if (length > FENCEPOST_IDENTIFIER_MAX)
    return native_refuse(state, "identifier has %zu bytes; must have 1 to %d", length, FENCEPOST_IDENTIFIER_MAX);
  event.sequence = sequence;
  event.generation = generation;
  event.state = event_state;
  event.cause = cause;
  event.diagnostics = diagnostics;
  event.flags = evidence;
  event.identifier_length = (uint32_t)length;
  memcpy(event.identifier, identifier, length + 1);
  if (read_optional_time(date, &event.date_us) < 0 || read_optional_time(evidence_date, &event.evidence_date_us) < 0 ||
      read_refinement(refinement, &event) < 0 || read_optional_double(numbers[0], &event.latitude) < 0 ||
      read_optional_double(numbers[1], &event.longitude) < 0 ||
      read_optional_double(numbers[2], &event.accuracy_m) < 0 ||
      read_optional_double(numbers[3], &event.boundary_distance_m) < 0 ||
      read_optional_double(numbers[4], &event.probability) < 0 ||
      read_optional_double(numbers[5], &event.vertical_distance_m) < 0 ||
      read_optional_number(decided_by, &event.decided_by) < 0)
    return NULL;
  if (event.flags & FENCEPOST_EVENT_HAS_BEACON) event.flags = FENCEPOST_EVENT_HAS_BEACON; /* no path has beacons */
  return native_event_text(state, &event);
}
