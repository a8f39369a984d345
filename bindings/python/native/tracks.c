/*
 * The rows of many tracks, in the order of a file, each fed to the monitor of its track. The interpreter lock is held:
 * a row takes as long as a few steps of Python.
 */
#include "native.h"

#include <string.h>

enum {
  LATITUDE,
  LONGITUDE,
  TIME,
  TRACK,
  ACCURACY,
  COLUMNS
};

typedef struct {
  native_state *state;
  native_column columns[COLUMNS];
  int has_accuracy, as_json;
  native_column begins; /* by track: the earliest time of its rows */
  native_column counts; /* by track three numbers: the fixes that were fed, of which so many were late, and invalid */
  PyObject *monitors;
  PyObject *found;
  unsigned long long fixes, late, invalid;
} rows_to_feed;

static double number_at(const native_column *column, Py_ssize_t row) {
  double value;
  memcpy(&value, (const char *)column->start + row * column->stride, sizeof(value));
  return value;
}

static int64_t integer_at(const native_column *column, Py_ssize_t row) {
  int64_t value;
  memcpy(&value, (const char *)column->start + row * column->stride, sizeof(value));
  return value;
}

/* A missing position is "no position", a missing accuracy "not reported". */
static fencepost_fix fix_at(const rows_to_feed *rows, Py_ssize_t row) {
  fencepost_fix fix = {number_at(&rows->columns[LATITUDE], row), number_at(&rows->columns[LONGITUDE], row), 0,
                       integer_at(&rows->columns[TIME], row)};
  if (rows->has_accuracy) fix.accuracy_m = number_at(&rows->columns[ACCURACY], row);
  if (fix.latitude != fix.latitude || fix.longitude != fix.longitude) {
    fix.latitude = fix.longitude = 0;
    fix.accuracy_m = -1;
  } else if (fix.accuracy_m != fix.accuracy_m) {
    fix.accuracy_m = 0;
  }
  return fix;
}

/* Takes all events that wait; asking for one more commits the last. What a row brings has the place 2 * row + 1. */
static int take_events(rows_to_feed *rows, native_handle *monitor, Py_ssize_t row, int64_t track) {
  for (;;) {
    fencepost_fleet_event found;
    const fencepost_event *event = &found.event;
    int taken = native_take_event(monitor, &found);
    if (taken <= 0) return taken;
    PyObject *value = rows->as_json ? native_event_text(rows->state, event) : native_event_tuple(event);
    if (value == NULL) return -1;
    PyObject *item = Py_BuildValue("(nLN)", 2 * row + 1, (long long)track, value);
    int failed = item == NULL || PyList_Append(rows->found, item) < 0;
    Py_XDECREF(item);
    if (failed) return -1;
  }
}

static int feed_row(rows_to_feed *rows, native_handle *monitor, Py_ssize_t row, int64_t track) {
  if (native_refuse_second_consumer(monitor, rows->state) < 0) return -1;
  fencepost_fix fix = fix_at(rows, row);
  int64_t *begin = (int64_t *)rows->begins.view.buf + track;
  if (fix.time_us < *begin) *begin = fix.time_us;
  uint64_t *counts = (uint64_t *)rows->counts.view.buf + 3 * track;
  native_call call = native_begin(monitor);
  fencepost_status status = fencepost_monitor_feed_fix(monitor->handle, &fix, NULL);
  native_return(&call);
  rows->fixes++;
  counts[0]++;
  if (status == FENCEPOST_E_LATE_INPUT) {
    rows->late++;
    counts[1]++;
  } else if (status == FENCEPOST_E_INVALID_ARGUMENT || (status == FENCEPOST_OK && !(fix.accuracy_m >= 0))) {
    rows->invalid++;
    counts[2]++;
  } else if (status != FENCEPOST_OK) {
    native_raise(rows->state, status, NULL);
    return -1;
  }
  return take_events(rows, monitor, row, track);
}

/*
 * The handle of a row's track, borrowed, or what stands in its place; NULL with an error. It is looked up for each row
 * anew: whatever runs while memory is managed may have changed the list.
 */
static PyObject *monitor_at(const rows_to_feed *rows, Py_ssize_t row, int64_t track) {
  if (track < 0 || track >= rows->begins.view.shape[0] || track >= PyList_Size(rows->monitors))
    return native_refuse(rows->state, "row %zd: there is no track %lld", row, (long long)track);
  PyObject *monitor = PyList_GetItem(rows->monitors, (Py_ssize_t)track);
  if (monitor == Py_None || monitor == Py_False || Py_IS_TYPE(monitor, (PyTypeObject *)rows->state->monitor_type))
    return monitor;
  PyErr_Format(PyExc_TypeError, "track %lld: expected a monitor's handle, False or None", (long long)track);
  return NULL;
}

/*
 * The first row whose track has no monitor yet, or `stop`; -1 on an error. Copies the tracks' numbers up to it, since
 * whoever else can write to the column may change it, and says whether they ascend.
 */
static Py_ssize_t check_rows(const rows_to_feed *rows, Py_ssize_t start, Py_ssize_t stop, int64_t *tracks,
                             int *ascend) {
  int64_t last = 0;
  *ascend = 1;
  for (Py_ssize_t row = start; row < stop; row++) {
    int64_t track = integer_at(&rows->columns[TRACK], row);
    PyObject *monitor = row > start && track == last ? Py_False : monitor_at(rows, row, track);
    if (monitor == NULL) return -1;
    if (monitor == Py_None) return row;
    if (row > start && track < last) *ascend = 0;
    tracks[row - start] = last = track;
  }
  return stop;
}

/*
 * The rows by track, those of a track in their order: its states are then in the processor's cache. A counting sort.
 * To be freed with PyMem_Free.
 */
static Py_ssize_t *by_track(const int64_t *tracks, Py_ssize_t count, Py_ssize_t known) {
  Py_ssize_t *order = PyMem_Calloc((size_t)count, sizeof(*order));
  Py_ssize_t *places = PyMem_Calloc((size_t)known + 1, sizeof(*places));
  if (order == NULL || places == NULL) {
    PyMem_Free(order);
    PyMem_Free(places);
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t index = 0; index < count; index++) places[tracks[index] + 1]++;
  for (Py_ssize_t track = 0; track < known; track++) places[track + 1] += places[track];
  for (Py_ssize_t index = 0; index < count; index++) order[places[tracks[index]]++] = index;
  PyMem_Free(places);
  return order;
}

static int feed_checked(rows_to_feed *rows, Py_ssize_t start, Py_ssize_t count, const int64_t *tracks,
                        const Py_ssize_t *order) {
  for (Py_ssize_t place = 0; place < count; place++) {
    Py_ssize_t index = order != NULL ? order[place] : place;
    PyObject *monitor = monitor_at(rows, start + index, tracks[index]);
    if (monitor == NULL) return -1;
    if (monitor == Py_None || monitor == Py_False) continue;
    Py_INCREF(monitor);
    int failed = feed_row(rows, (native_handle *)monitor, start + index, tracks[index]) < 0;
    Py_DECREF(monitor);
    if (failed) return -1;
  }
  return 0;
}

/* The row at which it stopped: `stop`, or one whose track has no monitor yet; -1 on an error. */
static Py_ssize_t feed_rows(rows_to_feed *rows, Py_ssize_t start, Py_ssize_t stop) {
  size_t count = (size_t)(stop - start);
  int64_t *tracks = count < PY_SSIZE_T_MAX / sizeof(*tracks) ? PyMem_Malloc((count + 1) * sizeof(*tracks)) : NULL;
  if (tracks == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  int ascend;
  Py_ssize_t *order = NULL;
  Py_ssize_t end = check_rows(rows, start, stop, tracks, &ascend);
  int failed = end < 0;
  if (!failed && !ascend) failed = (order = by_track(tracks, end - start, rows->begins.view.shape[0])) == NULL;
  if (!failed) failed = feed_checked(rows, start, end - start, tracks, order) < 0;
  PyMem_Free(order);
  PyMem_Free(tracks);
  return failed ? -1 : end;
}

/*
 * (monitors, begins, counts, tracks, latitude, longitude, accuracy, time, start, stop, found, as_json): feeds rows start
 * to stop, each to the handle that the list `monitors` holds at the number of its track, and takes the events after each
 * row. Rows of one track are fed in their order. False there: the rows are not fed; None: returns at such a row. Columns
 * of 64-bit elements; accuracy may be None. `begins` receives the earliest times by track, `counts` three numbers a
 * track (fixes, late ones, invalid ones), the list `found` (place, track, event as tuple or JSON), by track where the
 * rows are in another order.
 * Returns (row at which it stopped, fixes fed, late ones, invalid ones).
 */
PyObject *native_feed_tracks(PyObject *module, PyObject *args) {
  rows_to_feed rows;
  memset(&rows, 0, sizeof(rows));
  rows.state = PyModule_GetState(module);
  PyObject *begins, *counts, *sources[COLUMNS];
  Py_ssize_t start, stop;
  if (!PyArg_ParseTuple(args, "OOOOOOOOnnOp", &rows.monitors, &begins, &counts, &sources[TRACK], &sources[LATITUDE],
                        &sources[LONGITUDE], &sources[ACCURACY], &sources[TIME], &start, &stop, &rows.found,
                        &rows.as_json))
    return NULL;
  if (!PyList_Check(rows.monitors) || !PyList_Check(rows.found)) {
    PyErr_SetString(PyExc_TypeError, "monitors and found must be lists");
    return NULL;
  }
  static const native_layout begins_by_track = {"begins", "lq", NATIVE_DENSE | NATIVE_WRITABLE};
  static const native_layout counts_by_track = {"counts", "lq", NATIVE_DENSE | NATIVE_WRITABLE};
  static const native_layout layouts[COLUMNS] = {
      {"latitude", "d", 0}, {"longitude", "d", 0}, {"time", "lq", 0}, {"tracks", "lq", 0}, {"accuracy", "d", 0}};
  rows.has_accuracy = sources[ACCURACY] != Py_None;
  native_rows known = {"begins", -1}, counted = {"counts", -1}, like = {"latitude", -1};
  Py_ssize_t row = -1;
  int failed = native_open_column(rows.state, begins, &begins_by_track, &known, &rows.begins) < 0 ||
               native_open_column(rows.state, counts, &counts_by_track, &counted, &rows.counts) < 0;
  if (!failed && (failed = counted.count / 3 != known.count || counted.count % 3 != 0))
    native_refuse(rows.state, "counts has %zd elements for the %zd tracks of begins", counted.count, known.count);
  for (int at = 0; at < COLUMNS - !rows.has_accuracy && !failed; at++)
    failed = native_open_column(rows.state, sources[at], &layouts[at], &like, &rows.columns[at]) < 0;
  if (!failed && (start < 0 || start > stop || stop > like.count))
    native_refuse(rows.state, "rows %zd to %zd of %zd", start, stop, like.count);
  else if (!failed) row = feed_rows(&rows, start, stop);
  for (int index = 0; index < COLUMNS; index++) native_release_column(&rows.columns[index]);
  native_release_column(&rows.begins);
  native_release_column(&rows.counts);
  if (row < 0) return NULL;
  return Py_BuildValue("(nKKK)", row, rows.fixes, rows.late, rows.invalid);
}
