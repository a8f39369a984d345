/* Finds the visits in the events of one track: the intervals in which a condition was satisfied. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

#define NEVER INT64_MIN

/* How the time of the start or the end of a visit is known. The values are indices into `KNOWN` in _log/visits.py. */
enum {
  KNOWN_CROSSING,
  KNOWN_DETERMINATION,
  KNOWN_ASSUMED,
  KNOWN_TIMEOUT,
  KNOWN_DIAGNOSTIC,
  KNOWN_REPLACED,
  KNOWN_OPEN,
  KNOWN_INACTIVE
};

/* The cause of the edge of a schedule after which a condition is inactive: `_HOURS_ENDED` in _log/visits.py. */
#define CAUSE_HOURS_ENDED (-1)

/* The state of a condition after an event. Times are in microseconds; NEVER stands for a missing time. */
typedef struct {
  PyObject *identifier; /* a borrowed reference to a string of the event rows or of `assumed` */
  int64_t date, evidence;
  uint64_t generation;
  long state, cause;
} change;

typedef struct {
  PyObject *identifier;
  int64_t start, left, last, confirmed, ended;
  size_t order;
  uint8_t start_known, end_known;
} visit;

typedef struct {
  change *conditions; /* the states of all conditions, in the order of the conditions' first events */
  visit *visits;
  size_t condition_count, condition_room, visit_count, visit_room;
  PyObject *numbers; /* by identifier */
  int64_t end;
} world;

/* Makes room for one more element; returns 0, or -1 with an exception. */
static int grow(void **elements, size_t *room, size_t count, size_t size) {
  if (count < *room) return 0;
  size_t more = *room > 0 ? 2 * *room : 64;
  void *larger = PyMem_Realloc(*elements, more * size);
  if (larger == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  *elements = larger;
  *room = more;
  return 0;
}

static int time_of(PyObject *object, int64_t *time) {
  *time = NEVER;
  if (object == Py_None) return 0;
  *time = PyLong_AsLongLong(object);
  return *time == -1 && PyErr_Occurred() ? -1 : 0;
}

/* Reads the row of an event: a tuple whose elements are those of native_event_tuple(). */
static int read_change(PyObject *row, change *found) {
  if (!PyTuple_Check(row) || PyTuple_Size(row) < 9) {
    PyErr_SetString(PyExc_TypeError, "events must be rows of at least nine elements");
    return -1;
  }
  found->identifier = PyTuple_GetItem(row, 1);
  if (!PyUnicode_Check(found->identifier)) {
    PyErr_SetString(PyExc_TypeError, "an event's identifier must be str");
    return -1;
  }
  found->state = PyLong_AsLong(PyTuple_GetItem(row, 2));
  found->cause = PyLong_AsLong(PyTuple_GetItem(row, 3));
  found->generation = PyLong_AsUnsignedLongLong(PyTuple_GetItem(row, 8));
  if (PyErr_Occurred()) return -1;
  if (time_of(PyTuple_GetItem(row, 4), &found->date) < 0) return -1;
  return time_of(PyTuple_GetItem(row, 5), &found->evidence);
}

static uint8_t known_by(long cause) {
  switch (cause) {
    case FENCEPOST_CAUSE_DETERMINATION: return KNOWN_DETERMINATION;
    case FENCEPOST_CAUSE_CROSSING: return KNOWN_CROSSING;
    case FENCEPOST_CAUSE_TIMEOUT: return KNOWN_TIMEOUT;
    case FENCEPOST_CAUSE_DIAGNOSTIC: return KNOWN_DIAGNOSTIC;
    case CAUSE_HOURS_ENDED: return KNOWN_INACTIVE;
    default: return KNOWN_ASSUMED;
  }
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Adds the visit of a condition that was satisfied until the event `end`; if `end` is NULL, the condition is still
   satisfied. */
static int add_visit(world *world, const change *own, const change *end) {
  if (grow((void **)&world->visits, &world->visit_room, world->visit_count, sizeof(visit)) < 0) return -1;
  visit *found = &world->visits[world->visit_count];
  found->order = world->visit_count++;
  found->identifier = own->identifier;
  found->confirmed = own->date;
  found->start = own->evidence == NEVER ? own->date : smaller(own->evidence, own->date);
  found->start_known = known_by(own->cause);
  if (end == NULL) {
    found->left = found->ended = NEVER;
    found->last = world->end == NEVER ? found->start : larger(world->end, found->start);
    found->end_known = KNOWN_OPEN;
    return 0;
  }
  int is_replaced = end->generation != own->generation; /* if replaced, the evidence belongs to the new condition */
  int64_t left = is_replaced || end->evidence == NEVER ? end->date : end->evidence;
  found->left = found->last = larger(found->start, smaller(left, end->date));
  found->ended = end->date;
  found->end_known = is_replaced ? KNOWN_REPLACED : known_by(end->cause);
  return 0;
}

/* Returns the condition with this identifier. If the condition does not exist yet, it is created as a condition that
   has been in the assumed state since `begin`. Returns NULL with an exception on an error. */
static change *condition_of(world *world, PyObject *identifier, uint64_t generation, PyObject *assumed, int64_t begin) {
  PyObject *number = PyDict_GetItemWithError(world->numbers, identifier);
  if (number != NULL) return &world->conditions[PyLong_AsSize_t(number)];
  if (PyErr_Occurred()) return NULL;
  if (grow((void **)&world->conditions, &world->condition_room, world->condition_count, sizeof(change)) < 0)
    return NULL;
  number = PyLong_FromSize_t(world->condition_count);
  int failed = number == NULL || PyDict_SetItem(world->numbers, identifier, number) < 0;
  Py_XDECREF(number);
  if (failed) return NULL;
  PyObject *state = PyDict_GetItemWithError(assumed, identifier);
  change *own = &world->conditions[world->condition_count++];
  *own = (change){identifier, begin, NEVER, generation, FENCEPOST_STATE_UNKNOWN, FENCEPOST_CAUSE_NONE};
  if (state != NULL) own->state = PyLong_AsLong(state);
  return PyErr_Occurred() ? NULL : own;
}

static int read_events(world *world, PyObject *events, PyObject *assumed, int64_t begin) {
  Py_ssize_t count = PyTuple_Size(events);
  for (Py_ssize_t index = 0; index < count; index++) {
    change next;
    if (read_change(PyTuple_GetItem(events, index), &next) < 0) return -1;
    change *own = condition_of(world, next.identifier, next.generation, assumed, begin);
    if (own == NULL) return -1;
    /* Only the diagnostics of the condition changed. */
    if (own->state == next.state && own->generation == next.generation) continue;
    if (own->state == FENCEPOST_STATE_SATISFIED && own->date != NEVER && next.date != NEVER)
      if (add_visit(world, own, &next) < 0) return -1;
    *own = next;
  }
  PyObject *identifier, *state;
  for (Py_ssize_t place = 0; PyDict_Next(assumed, &place, &identifier, &state);) {
    if (PyLong_AsLong(state) == FENCEPOST_STATE_SATISFIED && !PyDict_Contains(world->numbers, identifier))
      if (condition_of(world, identifier, 0, assumed, begin) == NULL) return -1;
  }
  for (size_t index = 0; index < world->condition_count; index++) {
    const change *own = &world->conditions[index];
    if (own->state == FENCEPOST_STATE_SATISFIED && own->date != NEVER)
      if (add_visit(world, own, NULL) < 0) return -1;
  }
  return PyErr_Occurred() ? -1 : 0;
}

/* Orders visits by start, then identifier, then the order in which they were found. */
static int compare(const void *one, const void *other) {
  const visit *a = one, *b = other;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  int order = a->identifier == b->identifier ? 0 : PyUnicode_Compare(a->identifier, b->identifier);
  if (order != 0) return order;
  return a->order < b->order ? -1 : a->order > b->order;
}

#define COLUMN(type, member)                                                                            \
  static PyObject *column_of_##member(const world *world) {                                             \
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(world->visit_count * sizeof(type))); \
    if (bytes == NULL) return NULL;                                                                     \
    char *to = PyBytes_AsString(bytes);                                                                 \
    for (size_t index = 0; index < world->visit_count; index++)                                         \
      memcpy(to + index * sizeof(type), &world->visits[index].member, sizeof(type));                    \
    return bytes;                                                                                       \
  }

COLUMN(int64_t, start)
COLUMN(int64_t, left)
COLUMN(int64_t, last)
COLUMN(int64_t, confirmed)
COLUMN(int64_t, ended)
COLUMN(uint8_t, start_known)
COLUMN(uint8_t, end_known)

static PyObject *columns_of(const world *world) {
  PyObject *identifiers = PyList_New((Py_ssize_t)world->visit_count);
  for (size_t index = 0; identifiers != NULL && index < world->visit_count; index++)
    PyList_SetItem(identifiers, (Py_ssize_t)index, Py_NewRef(world->visits[index].identifier));
  return Py_BuildValue("(NNNNNNNN)", identifiers, column_of_start(world), column_of_left(world), column_of_last(world),
                       column_of_confirmed(world), column_of_ended(world), column_of_start_known(world),
                       column_of_end_known(world));
}

/*
 * The Python arguments are (events, assumed, begin, end). Finds the visits of one track from a tuple of event rows;
 * sorts the visits by start, then by identifier. The dict `assumed` contains, for each identifier, the number of the
 * condition's state at the time `begin`. The result is a list of eight columns. The first column is a list of
 * identifiers. Five columns contain times as 64-bit microseconds: start, left, last, confirmed start and confirmed end;
 * the smallest integer stands for a missing time. Two columns of bytes say how the start and the end are known. An open
 * visit has no `left` and no confirmed end; `last` is its end.
 */
PyObject *native_visits(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *events, *assumed, *begin_object, *end_object;
  if (!PyArg_ParseTuple(args, "OOOO", &events, &assumed, &begin_object, &end_object)) return NULL;
  if (!PyTuple_Check(events) || !PyDict_Check(assumed)) {
    PyErr_SetString(PyExc_TypeError, "events must be a tuple, and the assumed states a dict");
    return NULL;
  }
  world world;
  memset(&world, 0, sizeof(world));
  int64_t begin;
  PyObject *columns = NULL;
  if (time_of(begin_object, &begin) == 0 && time_of(end_object, &world.end) == 0 &&
      (world.numbers = PyDict_New()) != NULL && read_events(&world, events, assumed, begin) == 0) {
    if (world.visit_count > 1) qsort(world.visits, world.visit_count, sizeof(visit), compare);
    columns = columns_of(&world);
  }
  Py_XDECREF(world.numbers);
  PyMem_Free(world.conditions);
  PyMem_Free(world.visits);
  return columns;
}
