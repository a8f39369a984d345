/* Adds gates, which are lines without a width. The library receives the lines as coordinates. */
#include "native.h"

#include <string.h>

/*
 * Arguments (identifier, coordinates, lines, edges, max_vertices, assuming, policy, tag, ensure); returns whether
 * anything changed. Coordinates are doubles, a longitude and a latitude in turn. `lines` contains the index at which
 * each line starts, and then the index at which the last line ends.
 */
PyObject *native_add_line(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *identifier_object, *coordinates, *lines, *policy_object;
  const char *identifier;
  int edges, assuming, ensure;
  unsigned most;
  unsigned long long tag;
  if (!PyArg_ParseTuple(args, "OOOiIiOKp", &identifier_object, &coordinates, &lines, &edges, &most, &assuming,
                        &policy_object, &tag, &ensure) ||
      native_text(state, identifier_object, "identifier", &identifier) < 0)
    return NULL;
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  fencepost_condition_definition definition = fencepost_line(identifier, &geometry);
  native_options options;
  definition.edges = edges;
  definition.max_vertices = most;
  if (native_definition_options(policy_object, assuming, tag, &options, &definition) < 0) return NULL;
  static const native_layout layout = {"coordinates", "d", NATIVE_DENSE};
  native_rows rows = {"coordinates", -1};
  native_column column;
  Py_buffer offsets;
  memset(&column, 0, sizeof(column));
  PyObject *result = NULL;
  if (native_open_column(state, coordinates, &layout, &rows, &column) == 0 &&
      native_open_offsets(state, lines, "lines", &offsets) == 0) {
    const double *start = column.start;
    geometry.longitudes = start;
    geometry.latitudes = start + (rows.count > 0);
    geometry.stride = 2 * sizeof(double);
    geometry.vertex_count = (size_t)rows.count / 2;
    geometry.ring_offsets = offsets.buf;
    geometry.ring_count = (size_t)(offsets.len / 4 - 1);
    native_call call; /* processing long lines takes a long time */
    if (native_begin_input_batch(self, &call) == 0) result = native_put_one(&call, &definition, ensure);
    PyBuffer_Release(&offsets);
  }
  native_release_column(&column);
  return result;
}
