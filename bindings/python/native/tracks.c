/*
 * Feeds the rows of many tracks, in file order, each to the device of its track. Rows are fed block by block, so that
 * the events of a block are read before the next block, and Ctrl-C ends a long call.
 */
#include "native.h"

#include <string.h>

#define BLOCK 8192
#define EVENTS 256
#define KEPT 1024

enum {
  LATITUDE,
  LONGITUDE,
  TIME,
  TRACK,
  ACCURACY, /* this column, and the columns of error ellipses and heights, are
               optional */
  MAJOR,
  MINOR,
  ORIENTATION,
  ALTITUDE,
  VERTICAL_ACCURACY,
  GEOID_HEIGHT,
  GROUND_HEIGHT,
  COLUMNS
};

typedef struct {
  uint64_t generation;
  PyObject *text;
} identifier;

typedef struct {
  native_handle *fleet;
  native_state *state;
  native_column columns[COLUMNS];
  int has_accuracy, as_json;
  Py_ssize_t count;
  native_column begins; /* for each track: the earliest time of its rows */
  Py_buffer devices;    /* for each track: the number of its device, or FENCEPOST_NO_DEVICE if its rows are not fed */
  PyObject *found;
  double *accuracies;
  fencepost_event *events;
  identifier *identifiers; /* a cache with KEPT entries; if several generations share an entry, the entry contains the
                              text that was created last */
  unsigned long long accepted, late, invalid, doubted;
} rows_to_feed;

static int64_t integer_at(const native_column *column, Py_ssize_t row) {
  int64_t value;
  memcpy(&value, (const char *)column->start + row * column->stride, sizeof(value));
  return value;
}

static double number_at(const native_column *column, Py_ssize_t row) {
  double value;
  memcpy(&value, (const char *)column->start + row * column->stride, sizeof(value));
  return value;
}

/* Returns an event as a tuple. A few conditions cause many events, so the events share identifier strings. */
static PyObject *tuple_of(rows_to_feed *rows, const fencepost_event *event) {
  identifier *kept = &rows->identifiers[event->generation % KEPT];
  if (kept->text == NULL || kept->generation != event->generation) {
    PyObject *text = PyUnicode_FromStringAndSize(event->identifier, (Py_ssize_t)event->identifier_length);
    if (text == NULL) return NULL;
    Py_XDECREF(kept->text);
    *kept = (identifier){event->generation, text};
  }
  return native_event_tuple(event, kept->text);
}

/* Reads all pending events; each poll acknowledges the previous one. In the list of results, the place of an event that
   row r caused is 2 * r + 1. */
static int take_events(rows_to_feed *rows) {
  for (;;) {
    size_t count = 0;
    native_call call = native_begin(rows->fleet);
    fencepost_status status =
        fencepost_fleet_poll_events(rows->fleet->fleet, rows->events, EVENTS, &count, &call.error);
    if (native_end(&call, status) < 0) return -1;
    if (count == 0) return 0;
    for (size_t index = 0; index < count; index++) {
      const fencepost_event *event = &rows->events[index];
      if (event->row >= (uint64_t)rows->count) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is feeding the fleet");
        return -1;
      }
      int64_t track = integer_at(&rows->columns[TRACK], (Py_ssize_t)event->row);
      PyObject *value = rows->as_json ? native_event_text(rows->state, event) : tuple_of(rows, event);
      if (value == NULL) return -1;
      PyObject *item = Py_BuildValue("(nLN)", 2 * (Py_ssize_t)event->row + 1, (long long)track, value);
      if (item != NULL) PyObject_GC_UnTrack(item);
      int failed = item == NULL || PyList_Append(rows->found, item) < 0;
      Py_XDECREF(item);
      if (failed) return -1;
    }
  }
}

/*
 * Updates the earliest times of tracks, and changes unreported accuracies to 0. Returns the first row without a track,
 * or `stop`.
 */
static Py_ssize_t prepare(rows_to_feed *rows, Py_ssize_t start, Py_ssize_t stop) {
  int64_t *begins = rows->begins.view.buf;
  const fencepost_device *devices = rows->devices.buf;
  Py_ssize_t known = rows->begins.view.shape[0];
  for (Py_ssize_t row = start; row < stop; row++) {
    int64_t track = integer_at(&rows->columns[TRACK], row), time = integer_at(&rows->columns[TIME], row);
    if (track < 0 || track >= known) return row;
    if (devices[track] != FENCEPOST_NO_DEVICE && time < begins[track]) begins[track] = time;
    if (!rows->has_accuracy) continue;
    double accuracy = number_at(&rows->columns[ACCURACY], row);
    rows->accuracies[row - start] = accuracy != accuracy ? 0 : accuracy;
  }
  return stop;
}

/* The address of a row, or NULL if the column is absent. */
static const void *at(const native_column *column, Py_ssize_t row) {
  return column->start == NULL ? NULL : (const char *)column->start + row * column->stride;
}

/* Feeds a prepared block and reads its events; if the queue fills up, feeds the block in several parts. */
static int feed_block(rows_to_feed *rows, Py_ssize_t start, Py_ssize_t stop) {
  Py_ssize_t row = start;
  for (;;) {
    fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
    fixes.latitudes = at(&rows->columns[LATITUDE], row);
    fixes.latitude_stride = rows->columns[LATITUDE].stride;
    fixes.longitudes = at(&rows->columns[LONGITUDE], row);
    fixes.longitude_stride = rows->columns[LONGITUDE].stride;
    fixes.times_us = at(&rows->columns[TIME], row);
    fixes.time_stride = rows->columns[TIME].stride;
    if (rows->has_accuracy) fixes.accuracies_m = rows->accuracies + (row - start);
    fixes.majors_m = at(&rows->columns[MAJOR], row);
    fixes.major_stride = rows->columns[MAJOR].stride;
    fixes.minors_m = at(&rows->columns[MINOR], row);
    fixes.minor_stride = rows->columns[MINOR].stride;
    fixes.orientations = at(&rows->columns[ORIENTATION], row);
    fixes.orientation_stride = rows->columns[ORIENTATION].stride;
    fixes.altitudes_m = at(&rows->columns[ALTITUDE], row);
    fixes.altitude_stride = rows->columns[ALTITUDE].stride;
    fixes.vertical_accuracies_m = at(&rows->columns[VERTICAL_ACCURACY], row);
    fixes.vertical_accuracy_stride = rows->columns[VERTICAL_ACCURACY].stride;
    fixes.geoid_heights_m = at(&rows->columns[GEOID_HEIGHT], row);
    fixes.geoid_height_stride = rows->columns[GEOID_HEIGHT].stride;
    fixes.ground_heights_m = at(&rows->columns[GROUND_HEIGHT], row);
    fixes.ground_height_stride = rows->columns[GROUND_HEIGHT].stride;
    fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
    columns.device_width = 8;
    columns.devices = at(&rows->columns[TRACK], row);
    columns.device_stride = rows->columns[TRACK].stride;
    columns.dictionary = rows->devices.buf;
    columns.dictionary_count = (size_t)rows->begins.view.shape[0];
    columns.fixes = &fixes;
    columns.first_row = (uint64_t)row;
    columns.skips_unknown = 1;
    fencepost_feed_result result = {0, 0, 0, 0};
    native_call call = native_begin_batch(rows->fleet);
    fencepost_status status =
        fencepost_fleet_feed_columns(rows->fleet->fleet, &columns, (size_t)(stop - row), &result, &call.error);
    native_return(&call);
    rows->accepted += result.accepted;
    rows->late += result.late;
    rows->invalid += result.invalid;
    rows->doubted += result.doubted;
    if (status != FENCEPOST_OK && status != FENCEPOST_E_QUEUE_FULL) {
      native_refused(&call, status);
      return -1;
    }
    if (take_events(rows) < 0) return -1;
    if (status == FENCEPOST_OK) return 0;
    row += (Py_ssize_t)call.error.position;
  }
}

/* Refuses a row whose track does not exist. */
static int refuse_row(const rows_to_feed *rows, Py_ssize_t row) {
  native_refuse(rows->state, "row %zd: track %lld does not exist", row,
                (long long)integer_at(&rows->columns[TRACK], row));
  return -1;
}

static int feed_rows(rows_to_feed *rows, Py_ssize_t start, Py_ssize_t stop) {
  if (native_refuse_second_consumer(rows->fleet, rows->state) < 0) return -1;
  for (Py_ssize_t row = start; row < stop; row++) { /* checks all rows before any row is fed */
    int64_t track = integer_at(&rows->columns[TRACK], row);
    if (track < 0 || track >= rows->begins.view.shape[0]) return refuse_row(rows, row);
  }
  for (Py_ssize_t row = start; row < stop;) {
    Py_ssize_t end = stop - row > BLOCK ? row + BLOCK : stop;
    Py_ssize_t prepared = prepare(rows, row, end); /* check again, because other threads may change the columns */
    if (prepared < end) return refuse_row(rows, prepared);
    if (feed_block(rows, row, end) < 0 || PyErr_CheckSignals() < 0) return -1;
    row = end;
  }
  return 0;
}

static int open_numbers(rows_to_feed *rows, PyObject *object, Py_ssize_t count) {
  if (PyObject_GetBuffer(object, &rows->devices, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
  const Py_buffer *view = &rows->devices;
  if (view->itemsize == 8 && view->ndim == 1 && (count == 0 || (uintptr_t)view->buf % 8 == 0) && view->len / 8 == count)
    return 0;
  native_refuse(rows->state, "devices must be a column of 64-bit integers with as many rows as begins");
  PyBuffer_Release(&rows->devices);
  rows->devices.obj = NULL;
  return -1;
}

/*
 * The Python arguments are (fleet, devices, begins, tracks, latitude,
 * longitude, accuracy, time, start, stop, found, as_json). Feeds the rows
 * `start` to `stop` and reads the events; `devices` contains the number of the
 * device of each track. Columns have 64-bit elements; accuracy may be None.
 * With error ellipses, accuracy is a tuple of the accuracies, the semi-axes and
 * the orientations; with heights, the altitudes, their accuracies, the geoid
 * heights and the ground heights follow, and each of these seven may be None.
 * `begins` receives the earliest time of each track. Appends each event to the
 * list `found` as (place, track, event), in the order of the rows; `event` is a
 * tuple or JSON. Returns (accepted, late, invalid, doubted).
 */
PyObject *native_feed_tracks(PyObject *module, PyObject *args) {
  rows_to_feed rows;
  memset(&rows, 0, sizeof(rows));
  rows.state = PyModule_GetState(module);
  PyObject *fleet, *begins, *devices, *sources[COLUMNS] = {NULL};
  Py_ssize_t start, stop;
  if (!PyArg_ParseTuple(args, "OOOOOOOOnnOp", &fleet, &devices, &begins, &sources[TRACK], &sources[LATITUDE],
                        &sources[LONGITUDE], &sources[ACCURACY], &sources[TIME], &start, &stop, &rows.found,
                        &rows.as_json))
    return NULL;
  if (!Py_IS_TYPE(fleet, (PyTypeObject *)rows.state->fleet_type) || !PyList_Check(rows.found)) {
    PyErr_SetString(PyExc_TypeError, "fleet must be the handle of a fleet, and found must be a list");
    return NULL;
  }
  rows.fleet = (native_handle *)fleet;
  static const native_layout begins_by_track = {"begins", "lq", NATIVE_DENSE | NATIVE_WRITABLE};
  static const native_layout layouts[COLUMNS] = {{"latitude", "d", 0},     {"longitude", "d", 0},
                                                 {"time", "lq", 0},        {"tracks", "lq", 0},
                                                 {"accuracy", "d", 0},     {"major", "d", 0},
                                                 {"minor", "d", 0},        {"orientation", "d", 0},
                                                 {"altitude", "d", 0},     {"vertical_accuracy", "d", 0},
                                                 {"geoid_height", "d", 0}, {"ground_height", "d", 0}};
  if (PyTuple_Check(sources[ACCURACY]) &&
      !PyArg_ParseTuple(sources[ACCURACY], "OOOO|OOOO", &sources[ACCURACY], &sources[MAJOR], &sources[MINOR],
                        &sources[ORIENTATION], &sources[ALTITUDE], &sources[VERTICAL_ACCURACY], &sources[GEOID_HEIGHT],
                        &sources[GROUND_HEIGHT]))
    return NULL;
  rows.has_accuracy = sources[ACCURACY] != Py_None;
  native_rows known = {"begins", -1}, like = {"latitude", -1};
  int failed = native_open_column(rows.state, begins, &begins_by_track, &known, &rows.begins) < 0 ||
               open_numbers(&rows, devices, known.count) < 0;
  for (int index = 0; index < COLUMNS && !failed; index++) {
    if (index >= ACCURACY && (sources[index] == NULL || sources[index] == Py_None)) continue;
    failed = native_open_column(rows.state, sources[index], &layouts[index], &like, &rows.columns[index]) < 0;
  }
  if (!failed && (failed = start < 0 || start > stop || stop > like.count))
    native_refuse(rows.state, "rows %zd to %zd are out of range; there are %zd rows", start, stop, like.count);
  rows.count = like.count;
  if (!failed) {
    rows.events = PyMem_Malloc(EVENTS * sizeof(*rows.events));
    rows.accuracies = PyMem_Malloc(BLOCK * sizeof(*rows.accuracies));
    rows.identifiers = PyMem_Calloc(KEPT, sizeof(*rows.identifiers));
    failed = rows.events == NULL || rows.accuracies == NULL || rows.identifiers == NULL;
    if (failed) PyErr_NoMemory();
  }
  if (!failed) failed = feed_rows(&rows, start, stop) < 0;
  PyMem_Free(rows.events);
  PyMem_Free(rows.accuracies);
  for (int index = 0; rows.identifiers != NULL && index < KEPT; index++) Py_XDECREF(rows.identifiers[index].text);
  PyMem_Free(rows.identifiers);
  for (int index = 0; index < COLUMNS; index++) native_release_column(&rows.columns[index]);
  if (rows.devices.obj != NULL) PyBuffer_Release(&rows.devices);
  native_release_column(&rows.begins);
  return failed ? NULL : Py_BuildValue("(KKKK)", rows.accepted, rows.late, rows.invalid, rows.doubted);
}
