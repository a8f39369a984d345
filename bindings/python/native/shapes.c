/* Implements polygons and corridors: adds them from well-known binary, reports how their geometry was read, and
   computes distances to them. */
#include "native.h"

#include <math.h>
#include <string.h>

static void read_as(fencepost_condition_definition *definition, int edges, int oriented, double buffer,
                    unsigned max_vertices) {
  definition->edges = edges;
  definition->oriented = oriented ? 1 : 0;
  definition->buffer_m = buffer;
  definition->max_vertices = max_vertices;
}

int native_read_shape(PyObject *geometry, fencepost_condition_definition *definition) {
  const char *wkb;
  Py_ssize_t size;
  double radius, buffer;
  int edges, oriented;
  unsigned most = 0; /* a condition from a program has no vertex limit */
  if (!PyArg_ParseTuple(geometry, "y#dipd|I;shape", &wkb, &size, &radius, &edges, &oriented, &buffer, &most)) return -1;
  definition->wkb = wkb;
  definition->wkb_size = (size_t)size;
  definition->radius_m = radius;
  read_as(definition, edges, oriented, buffer, most);
  return 0;
}

/*
 * The Python arguments are (identifier, WKB, radius, edges, oriented, buffer, max_vertices, assuming, policy, tag, ensure); returns
 * whether anything changed. The radius is used only for lines.
 */
PyObject *native_add_shape(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *identifier_object, *policy_object;
  const char *identifier, *wkb;
  Py_ssize_t size;
  double radius, buffer;
  int edges, oriented, assuming, ensure;
  unsigned most;
  unsigned long long tag;
  if (!PyArg_ParseTuple(args, "Oy#dipdIiOKp", &identifier_object, &wkb, &size, &radius, &edges, &oriented, &buffer,
                        &most, &assuming, &policy_object, &tag, &ensure) ||
      native_text(state, identifier_object, "identifier", &identifier) < 0)
    return NULL;
  fencepost_condition_definition definition = fencepost_wkb(identifier, wkb, (size_t)size, radius);
  native_options options;
  read_as(&definition, edges, oriented, buffer, most);
  if (native_definition_options(policy_object, assuming, tag, &options, &definition) < 0) return NULL;
  native_call call; /* processing large shapes takes long */
  return native_begin_input_batch(self, &call) < 0 ? NULL : native_put_one(&call, &definition, ensure);
}

/* Pointers to the well-known binary of many shapes, and the sizes; the bytes themselves are owned by the Python
   tuple. */
typedef struct {
  const void **data;
  size_t *sizes;
} wkb_column;

static void free_wkb(wkb_column *column) {
  PyMem_Free(column->data);
  PyMem_Free(column->sizes);
}

static int open_wkb(PyObject *tuple, Py_ssize_t count, wkb_column *column) {
  memset(column, 0, sizeof(*column));
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count) {
    PyErr_Format(PyExc_TypeError, "shapes must be a tuple of %zd elements", count);
    return -1;
  }
  column->data = PyMem_Calloc((size_t)count + 1, sizeof(*column->data));
  column->sizes = PyMem_Calloc((size_t)count + 1, sizeof(*column->sizes));
  if (column->data == NULL || column->sizes == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t row = 0; row < count; row++) {
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(tuple, row), &data, &size) < 0) return -1;
    column->data[row] = data;
    column->sizes[row] = (size_t)size;
  }
  return 0;
}

/*
 * The Python arguments are (identifiers, WKB of each, radii or None, edges, oriented, buffer, max_vertices, assuming,
 * policy, tags or None, ensure); returns the counts of added, replaced and kept conditions. All or nothing.
 */
PyObject *native_add_shapes(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *identifiers, *shapes, *sources[2], *policy_object;
  double buffer;
  int edges, oriented, assuming, ensure;
  unsigned most;
  if (!PyArg_ParseTuple(args, "OOOipdIiOOp", &identifiers, &shapes, &sources[0], &edges, &oriented, &buffer, &most,
                        &assuming, &policy_object, &sources[1], &ensure))
    return NULL;
  fencepost_condition_definition common = fencepost_wkb(NULL, NULL, 0, NAN);
  native_options options;
  read_as(&common, edges, oriented, buffer, most);
  if (native_definition_options(policy_object, assuming, 0, &options, &common) < 0) return NULL;
  Py_ssize_t count;
  const char **texts = native_texts(state, identifiers, &count);
  if (texts == NULL) return NULL;
  static const native_layout layouts[2] = {{"radii", "d", NATIVE_DENSE}, {"tags", "LQ", NATIVE_DENSE}};
  native_rows rows = {"identifiers", count};
  native_column columns[2];
  memset(columns, 0, sizeof(columns));
  wkb_column wkb;
  int failed = open_wkb(shapes, count, &wkb) < 0;
  for (int index = 0; index < 2 && !failed; index++)
    if (sources[index] != Py_None)
      failed = native_open_column(state, sources[index], &layouts[index], &rows, &columns[index]) < 0;
  PyObject *counts = NULL;
  native_call call;
  if (!failed && native_begin_input_batch(self, &call) == 0) {
    fencepost_sync_result result = {0, 0, 0, 0};
    fencepost_status status =
        fencepost_conditions_put_wkb(native_conditions(self), native_mode(ensure), &common, texts, wkb.data, wkb.sizes,
                                     columns[0].start, columns[1].start, (size_t)count, &result, &call.error);
    counts = native_end(&call, status) < 0 ? NULL : native_counts_of(&result);
  }
  for (int index = 0; index < 2; index++) native_release_column(&columns[index]);
  free_wkb(&wkb);
  PyMem_Free(texts);
  return counts;
}

PyObject *native_vertices_of(native_handle *self, const char *identifier) {
  size_t capacity = 0, size = 0;
  char *buffer = NULL;
  PyObject *bytes = NULL;
  for (;;) { /* other threads may replace the shape by a larger one, so repeat until the buffer is large enough */
    native_call call = native_begin(self);
    fencepost_status status =
        fencepost_conditions_geometry(native_conditions(self), identifier, buffer, capacity, &size, &call.error);
    native_return(&call);
    if (status == FENCEPOST_OK && size <= capacity) {
      bytes = PyBytes_FromStringAndSize(buffer, (Py_ssize_t)size);
      break;
    }
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) {
      if (status != FENCEPOST_E_NOT_FOUND) native_refused(&call, status);
      break;
    }
    PyMem_Free(buffer);
    capacity = size;
    buffer = PyMem_Malloc(capacity > 0 ? capacity : 1);
    if (buffer == NULL) {
      PyErr_NoMemory();
      break;
    }
  }
  PyMem_Free(buffer);
  return bytes;
}

PyObject *native_shape_tuple(native_handle *self, const char *identifier, fencepost_shape *shape) {
  PyObject *vertices = native_vertices_of(self, identifier);
  if (vertices == NULL) {
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
  }
  native_call call = native_begin(self);
  fencepost_status status = native_describe(&call, identifier, NULL, NULL, shape);
  native_return(&call);
  if (status == FENCEPOST_OK)
    return Py_BuildValue("(NdiOd)", vertices, shape->radius_m, (int)shape->edges, shape->oriented ? Py_True : Py_False,
                         shape->buffer_m);
  Py_DECREF(vertices);
  if (status != FENCEPOST_E_NOT_FOUND) return native_refused(&call, status);
  Py_RETURN_NONE;
}

/* Returns the tuple (depth, vertices, departure, part, ring, edge, number of rings left out); a value that does not
   apply is None. */
PyObject *native_shape(PyObject *object, PyObject *identifier_object) {
  native_handle *self = (native_handle *)object;
  const char *identifier;
  if (native_text(native_monitor_state(object), identifier_object, "identifier", &identifier) < 0) return NULL;
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  native_call call = native_begin(self);
  fencepost_status status =
      fencepost_conditions_describe(native_conditions(self), identifier, NULL, NULL, &shape, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return Py_BuildValue("(NKNIIII)", native_optional_double(shape.depth_m), (unsigned long long)shape.vertex_count,
                       native_optional_double(shape.departure_m), (unsigned)shape.departure_part,
                       (unsigned)shape.departure_ring, (unsigned)shape.departure_edge, (unsigned)shape.left_out_rings);
}

/* The Python arguments are (identifier, latitude, longitude); returns the nearest point of the boundary, or None. */
PyObject *native_nearest_boundary_point(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  PyObject *identifier_object;
  const char *identifier;
  double latitude, longitude, found[2] = {NAN, NAN};
  if (!PyArg_ParseTuple(args, "Odd", &identifier_object, &latitude, &longitude) ||
      native_text(native_monitor_state(object), identifier_object, "identifier", &identifier) < 0)
    return NULL;
  native_call call = native_begin(self);
  fencepost_status status = fencepost_conditions_nearest_boundary_point(native_conditions(self), identifier, latitude,
                                                                        longitude, &found[0], &found[1], &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return native_optional_place(found[0], found[1]);
}

/*
 * The Python arguments are (is_area, coordinates, rings, parts, radius, edges, oriented, buffer, latitude, longitude);
 * returns metres. The coordinates are doubles, in pairs of longitude and latitude. `rings` and `parts` contain the
 * start of each ring or part, and then the end of the last ring or part.
 */
PyObject *native_shape_distance(PyObject *module, PyObject *args) {
  native_state *state = PyModule_GetState(module);
  PyObject *coordinates, *sources[2];
  int is_area, edges, oriented;
  double radius, buffer, latitude, longitude, distance = 0;
  if (!PyArg_ParseTuple(args, "pOOOdipddd", &is_area, &coordinates, &sources[0], &sources[1], &radius, &edges,
                        &oriented, &buffer, &latitude, &longitude))
    return NULL;
  static const native_layout layout = {"coordinates", "d", NATIVE_DENSE};
  native_rows rows = {"coordinates", -1};
  native_column column;
  memset(&column, 0, sizeof(column));
  Py_buffer rings, parts;
  if (native_open_column(state, coordinates, &layout, &rows, &column) < 0) goto no_column;
  if (native_open_offsets(state, sources[0], "rings", &rings) < 0) goto no_column;
  if (native_open_offsets(state, sources[1], "parts", &parts) < 0) goto no_parts;
  {
    fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
    const double *start = column.start;
    geometry.longitudes = start;
    geometry.latitudes = start + (rows.count > 0);
    geometry.stride = 2 * sizeof(double);
    geometry.vertex_count = (size_t)rows.count / 2;
    geometry.ring_offsets = rings.buf;
    geometry.ring_count = (size_t)(rings.len / 4 - 1);
    geometry.part_offsets = parts.buf;
    geometry.part_count = (size_t)(parts.len / 4 - 1);
    fencepost_condition_definition definition =
        is_area ? fencepost_polygon(NULL, &geometry) : fencepost_corridor(NULL, &geometry, radius);
    definition.edges = edges;
    definition.oriented = oriented ? 1 : 0;
    definition.buffer_m = buffer;
    fencepost_point_columns point = FENCEPOST_POINT_COLUMNS_INIT;
    point.latitudes = &latitude;
    point.longitudes = &longitude;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    fencepost_status status;
    PyThreadState *saved = PyEval_SaveThread();
    status = fencepost_definition_distance(&definition, &point, 1, &distance, &error);
    PyEval_RestoreThread(saved);
    PyBuffer_Release(&parts);
    PyBuffer_Release(&rings);
    native_release_column(&column);
    return status == FENCEPOST_OK ? PyFloat_FromDouble(distance) : native_raise(state, status, &error);
  }
no_parts:
  PyBuffer_Release(&rings);
no_column:
  native_release_column(&column);
  return NULL;
}
