/* Implements queries about points: the conditions that contain them, the nearest boundaries, and the identifiers. */
#include "native.h"

#include <string.h>

/* Holds two columns of points, the memory for the results, three columns of
 * heights, and the times. */
typedef struct {
  native_column columns[9];
  native_rows points;
  fencepost_point_columns given;
} question;

static void close_question(question *question) {
  for (size_t index = 0; index < 9; index++) native_release_column(&question->columns[index]);
}

static int open_points(native_state *state, PyObject *const sources[2], question *question) {
  static const native_layout latitude = {"latitude", "d", 0}, longitude = {"longitude", "d", 0};
  memset(question, 0, sizeof *question);
  question->points = (native_rows){"latitude", -1};
  if (native_open_column(state, sources[0], &latitude, &question->points, &question->columns[0]) < 0 ||
      native_open_column(state, sources[1], &longitude, &question->points, &question->columns[1]) < 0)
    return -1;
  question->given = (fencepost_point_columns)FENCEPOST_POINT_COLUMNS_INIT;
  question->given.latitudes = question->columns[0].start;
  question->given.longitudes = question->columns[1].start;
  question->given.latitude_stride = question->columns[0].stride;
  question->given.longitude_stride = question->columns[1].stride;
  return 0;
}

/* Opens the altitudes, geoid heights, ground heights and times of points, each
 * of which may be None. */
static int open_qualities(native_state *state, PyObject *qualities, question *question) {
  static const native_layout layouts[4] = {
      {"altitude", "d", 0}, {"geoid_height", "d", 0}, {"ground_height", "d", 0}, {"time", "lq", 0}};
  PyObject *sources[4];
  if (qualities == Py_None) return 0;
  if (!PyTuple_Check(qualities)) {
    PyErr_SetString(PyExc_TypeError, "heights and times must be a tuple or None");
    return -1;
  }
  if (!PyArg_ParseTuple(qualities, "OOOO;heights and times", &sources[0], &sources[1], &sources[2], &sources[3]))
    return -1;
  native_column *columns = &question->columns[5];
  for (int index = 0; index < 4; index++) {
    if (sources[index] == Py_None) continue;
    if (native_open_column(state, sources[index], &layouts[index], &question->points, &columns[index]) < 0) return -1;
  }
  fencepost_point_columns *given = &question->given;
  given->altitudes_m = columns[0].start, given->altitude_stride = columns[0].stride;
  given->geoid_heights_m = columns[1].start, given->geoid_height_stride = columns[1].stride;
  given->ground_heights_m = columns[2].start, given->ground_height_stride = columns[2].stride;
  given->times_us = columns[3].start, given->time_stride = columns[3].stride;
  return 0;
}

/* If `object` is None, sets `*out` to NULL; otherwise opens the memory for the
   results. Returns -1 and sets an exception if there is an error. */
static Py_ssize_t open_output(native_state *state, PyObject *object, const char *name, const char *codes,
                              native_column *column, void **out) {
  const native_layout layout = {name, codes, NATIVE_DENSE | NATIVE_WRITABLE};
  native_rows rows = {name, -1};
  *out = NULL;
  if (object == Py_None) return 0;
  if (native_open_column(state, object, &layout, &rows, column) < 0) return -1;
  *out = column->view.buf;
  return rows.count;
}

/*
 * The Python arguments are (latitudes, longitudes, offsets, generations,
 * distances or None) and perhaps the heights and times of the points
 * (altitudes, geoid heights, ground heights, times in microseconds; each a
 * column or None) or None. Returns the number of elements of the result. If the
 * memory is too small for the elements, only the offsets are written.
 */
PyObject *native_containing(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *points[2], *outputs[3], *qualities = Py_None;
  if (!PyArg_ParseTuple(args, "OOOOO|O", &points[0], &points[1], &outputs[0], &outputs[1], &outputs[2], &qualities))
    return NULL;
  question question;
  PyObject *result = NULL;
  void *offsets, *generations, *distances;
  size_t size = 0;
  if (open_points(state, points, &question) < 0 || open_qualities(state, qualities, &question) < 0) goto done;
  Py_ssize_t rows = open_output(state, outputs[0], "offsets", "lq", &question.columns[2], &offsets);
  Py_ssize_t room =
      rows < 0 ? -1 : open_output(state, outputs[1], "generations", "LQ", &question.columns[3], &generations);
  Py_ssize_t also = room < 0 ? -1 : open_output(state, outputs[2], "distances", "d", &question.columns[4], &distances);
  if (also < 0) goto done;
  if (rows != question.points.count + 1 || (distances != NULL && also != room)) {
    native_refuse(state, "the output columns have the wrong lengths");
    goto done;
  }
  native_call call = native_begin_question(self);
  fencepost_status status =
      fencepost_conditions_containing_columns(native_conditions(self), &question.given, (size_t)question.points.count,
                                              offsets, generations, distances, (size_t)room, &size, &call.error);
  native_return(&call);
  if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) native_refused(&call, status);
  else result = PyLong_FromSize_t(size);
done:
  close_question(&question);
  return result;
}

/* The Python arguments are (latitudes, longitudes, how many, generations, distances); returns the number of results for
   each point. */
PyObject *native_nearest(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *points[2], *outputs[2];
  Py_ssize_t nearest;
  if (!PyArg_ParseTuple(args, "OOnOO", &points[0], &points[1], &nearest, &outputs[0], &outputs[1])) return NULL;
  question question;
  PyObject *result = NULL;
  void *generations, *distances;
  size_t count = 0;
  if (open_points(state, points, &question) < 0) goto done;
  Py_ssize_t room = open_output(state, outputs[0], "generations", "LQ", &question.columns[3], &generations);
  Py_ssize_t also = room < 0 ? -1 : open_output(state, outputs[1], "distances", "d", &question.columns[4], &distances);
  if (also < 0) goto done;
  Py_ssize_t rows = question.points.count;
  if (nearest < 0 || (rows > 0 && nearest > room / rows) || also != room) {
    native_refuse(state, "the output columns have the wrong lengths");
    goto done;
  }
  native_call call = native_begin_question(self);
  fencepost_status status =
      fencepost_conditions_nearest_columns(native_conditions(self), &question.given, (size_t)rows, (size_t)nearest,
                                           generations, distances, &count, &call.error);
  if (native_end(&call, status) == 0) result = PyLong_FromSize_t(count);
done:
  close_question(&question);
  return result;
}

/* The bytes for each identifier in the first buffer. The look-up of a generation takes longer than the rest of the call,
   so most calls should need only one buffer. */
#define TYPICAL_IDENTIFIER 32

/* Returns the identifiers for a column of generations; None for conditions that no longer exist. */
PyObject *native_identifiers_of(PyObject *object, PyObject *source) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  static const native_layout layout = {"generations", "LQ", NATIVE_DENSE};
  native_rows rows = {"generations", -1};
  native_column column;
  memset(&column, 0, sizeof column);
  PyObject *list = NULL;
  char *texts = NULL;
  size_t capacity = 0, size = 0;
  if (native_open_column(state, source, &layout, &rows, &column) < 0) goto done;
  size = (size_t)rows.count * TYPICAL_IDENTIFIER;
  for (;;) { /* repeat until the buffer is large enough, because identifiers may be long or change */
    PyMem_Free(texts);
    texts = PyMem_Malloc(size);
    if (texts == NULL) {
      PyErr_NoMemory();
      goto done;
    }
    capacity = size;
    native_call call = native_begin_question(self);
    fencepost_status status = fencepost_conditions_identifiers_of_generations(
        native_conditions(self), column.start, (size_t)rows.count, texts, capacity, &size, &call.error);
    native_return(&call);
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) {
      native_refused(&call, status);
      goto done;
    }
    if (size <= capacity) break;
  }
  list = PyList_New(rows.count);
  const char *next = texts;
  for (Py_ssize_t row = 0; list != NULL && row < rows.count; row++) {
    size_t length = strlen(next);
    PyObject *text = length == 0 ? Py_NewRef(Py_None) : PyUnicode_FromStringAndSize(next, (Py_ssize_t)length);
    next += length + 1;
    if (text == NULL || PyList_SetItem(list, row, text) < 0) Py_CLEAR(list);
  }
done:
  PyMem_Free(texts);
  native_release_column(&column);
  return list;
}

/*
 * The Python arguments are (identifier, latitudes, longitudes, accuracies, majors, minors, orientations, confidence,
 * probabilities). Each of the columns may be a single float instead, which all rows share; the columns of the ellipse
 * are None if there is no ellipse. The number of rows is that of `probabilities`.
 */
PyObject *native_probability(PyObject *object, PyObject *args) {
  enum {
    INPUTS = 6
  };
  static const native_layout layouts[INPUTS] = {{"latitude", "d", 0}, {"longitude", "d", 0}, {"accuracy", "d", 0},
                                                {"major", "d", 0},    {"minor", "d", 0},     {"orientation", "d", 0}};
  static const native_layout output = {"probabilities", "d", NATIVE_DENSE | NATIVE_WRITABLE};
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *identifier_object, *sources[INPUTS], *out;
  const char *identifier;
  double confidence;
  if (!PyArg_ParseTuple(args, "OOOOOOOdO", &identifier_object, &sources[0], &sources[1], &sources[2], &sources[3],
                        &sources[4], &sources[5], &confidence, &out) ||
      native_text(state, identifier_object, "identifier", &identifier) < 0)
    return NULL;
  native_rows rows = {"probabilities", -1};
  native_column columns[INPUTS + 1];
  memset(columns, 0, sizeof columns);
  PyObject *result = NULL;
  if (native_open_column(state, out, &output, &rows, &columns[INPUTS]) < 0) goto done;
  for (int index = 0; index < INPUTS; index++) {
    native_column *column = &columns[index];
    if (sources[index] == Py_None) continue;
    if (PyFloat_Check(sources[index])) {
      column->number = PyFloat_AsDouble(sources[index]);
      column->start = &column->number;
    } else if (native_open_column(state, sources[index], &layouts[index], &rows, column) < 0) {
      goto done;
    }
  }
  fencepost_measured_columns given = FENCEPOST_MEASURED_COLUMNS_INIT;
  given.latitudes = columns[0].start, given.latitude_stride = columns[0].stride;
  given.longitudes = columns[1].start, given.longitude_stride = columns[1].stride;
  given.accuracies_m = columns[2].start, given.accuracy_stride = columns[2].stride;
  given.majors_m = columns[3].start, given.major_stride = columns[3].stride;
  given.minors_m = columns[4].start, given.minor_stride = columns[4].stride;
  given.orientations = columns[5].start, given.orientation_stride = columns[5].stride;
  native_call call = native_begin_question(self);
  fencepost_status status =
      fencepost_conditions_probability(native_conditions(self), identifier, &given, (size_t)rows.count, confidence,
                                       columns[INPUTS].view.buf, &call.error);
  if (native_end(&call, status) == 0) result = Py_NewRef(Py_None);
done:
  for (int index = 0; index <= INPUTS; index++) native_release_column(&columns[index]);
  return result;
}
