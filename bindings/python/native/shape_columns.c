/* Adds polygons, corridors and gates from columns of coordinates and offsets in GeoArrow's layouts; the columns are
   read in place. */
#include "native.h"

#include <string.h>

/* The columns that describe shapes, in the order in which the package passes them. */
enum {
  LONGITUDES,
  LATITUDES,
  RINGS,
  PARTS,
  CONDITIONS,
  PIECES
};

typedef struct {
  native_column places[2];
  Py_buffer offsets[3]; /* the offsets of the rings, of the parts and of the conditions */
  int held[3];
  fencepost_geometry geometry;
  const int32_t *conditions;
} shape_columns;

int native_open_offsets(native_state *state, PyObject *object, const char *name, Py_buffer *view) {
  if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
  if (view->itemsize == 4 && view->ndim == 1 && view->format != NULL && strcmp(view->format, "i") == 0 &&
      view->len >= 4 && (uintptr_t)view->buf % 4 == 0)
    return 0;
  native_refuse(state, "%s must be a column of one or more 32-bit integers", name);
  PyBuffer_Release(view);
  return -1;
}

static void close_columns(shape_columns *columns) {
  for (int index = 0; index < 2; index++) native_release_column(&columns->places[index]);
  for (int index = 0; index < 3; index++)
    if (columns->held[index]) PyBuffer_Release(&columns->offsets[index]);
}

/*
 * Returns the stride between vertices, which must be the same in both columns (otherwise returns 0). If there is a
 * single vertex, its stride does not matter.
 */
static int64_t stride_of(const native_column *places, Py_ssize_t count) {
  if (count < 2) return sizeof(double);
  int64_t stride = places[0].stride;
  return stride == places[1].stride && stride > 0 && stride <= UINT32_MAX ? stride : 0;
}

/* Opens the tuple (longitudes, latitudes, rings, parts or None, conditions or None), which must be closed in any
   case. */
static int open_columns(native_state *state, PyObject *tuple, Py_ssize_t count, shape_columns *columns) {
  static const native_layout layouts[2] = {{"longitudes", "d", 0}, {"latitudes", "d", 0}};
  static const char *const names[3] = {"rings", "parts", "conditions"};
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != PIECES) {
    PyErr_Format(PyExc_TypeError, "shapes must be a tuple of %d columns", PIECES);
    return -1;
  }
  native_rows rows = {"longitudes", -1};
  for (int index = LONGITUDES; index <= LATITUDES; index++)
    if (native_open_column(state, PyTuple_GetItem(tuple, index), &layouts[index], &rows, &columns->places[index]) < 0)
      return -1;
  for (int index = RINGS; index <= CONDITIONS; index++) {
    PyObject *object = PyTuple_GetItem(tuple, index);
    if (object == Py_None && index != RINGS) continue;
    if (native_open_offsets(state, object, names[index - RINGS], &columns->offsets[index - RINGS]) < 0) return -1;
    columns->held[index - RINGS] = 1;
  }
  int64_t stride = stride_of(columns->places, rows.count);
  if (stride == 0) {
    native_refuse(state, "longitudes and latitudes must have the same positive stride");
    return -1;
  }
  const Py_buffer *offsets = columns->offsets;
  fencepost_geometry *geometry = &columns->geometry;
  *geometry = (fencepost_geometry)FENCEPOST_GEOMETRY_INIT;
  geometry->longitudes = columns->places[LONGITUDES].start;
  geometry->latitudes = columns->places[LATITUDES].start;
  geometry->stride = (uint32_t)stride;
  geometry->vertex_count = (size_t)rows.count;
  geometry->ring_offsets = offsets[0].buf;
  geometry->ring_count = (size_t)(offsets[0].len / 4 - 1);
  if (columns->held[1]) {
    geometry->part_offsets = offsets[1].buf;
    geometry->part_count = (size_t)(offsets[1].len / 4 - 1);
  }
  if (!columns->held[2]) return 0; /* if there is no conditions column, the library compares the counts itself */
  columns->conditions = offsets[2].buf;
  if (offsets[2].len / 4 - 1 == count) return 0;
  native_refuse(state, "conditions has %zd elements, but identifiers has %zd", offsets[2].len / 4, count);
  return -1;
}

/*
 * The Python arguments are (identifiers, their kind, columns, radii, edges, oriented, buffer, max_vertices, assuming,
 * policy, tags or None, ensure). Returns counts as native_counts_of() does. Changes all conditions or none. If `conditions` is None, each polygon of a polygon column, or each line of a line column, becomes
 * a condition of its own.
 */
PyObject *native_add_shape_columns(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *identifiers, *pieces, *sources[2], *policy_object;
  double buffer;
  int kind, edges, oriented, assuming, ensure;
  unsigned most;
  if (!PyArg_ParseTuple(args, "OiOOipdIiOOp", &identifiers, &kind, &pieces, &sources[0], &edges, &oriented, &buffer,
                        &most, &assuming, &policy_object, &sources[1], &ensure))
    return NULL;
  fencepost_condition_definition common = FENCEPOST_CONDITION_DEFINITION_INIT;
  native_options options;
  common.kind = kind;
  common.edges = edges;
  common.oriented = oriented ? 1 : 0;
  common.buffer_m = buffer;
  common.max_vertices = most;
  if (native_definition_options(policy_object, assuming, 0, &options, &common) < 0) return NULL;
  Py_ssize_t count;
  const char **texts = native_texts(state, identifiers, &count);
  if (texts == NULL) return NULL;
  static const native_layout layouts[2] = {{"radii", "d", NATIVE_DENSE}, {"tags", "LQ", NATIVE_DENSE}};
  native_rows rows = {"identifiers", count};
  native_column radii, tags;
  shape_columns columns;
  memset(&radii, 0, sizeof(radii));
  memset(&tags, 0, sizeof(tags));
  memset(&columns, 0, sizeof(columns));
  PyObject *counts = NULL;
  native_call call;
  if (open_columns(state, pieces, count, &columns) == 0 &&
      native_open_column(state, sources[0], &layouts[0], &rows, &radii) == 0 &&
      (sources[1] == Py_None || native_open_column(state, sources[1], &layouts[1], &rows, &tags) == 0) &&
      native_begin_input_batch(self, &call) == 0) {
    fencepost_sync_result result = {0, 0, 0, 0};
    fencepost_status status = fencepost_conditions_put_geometries(
        native_conditions(self), native_mode(ensure), &common, texts, &columns.geometry, columns.conditions,
        radii.start, tags.start, (size_t)count, &result, &call.error);
    counts = native_end(&call, status) < 0 ? NULL : native_counts_of(&result);
  }
  close_columns(&columns);
  native_release_column(&radii);
  native_release_column(&tags);
  PyMem_Free(texts);
  return counts;
}
