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
  fencepost_condition_options options = FENCEPOST_CONDITION_OPTIONS_INIT;
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  if (native_condition_options(policy_object, assuming, tag, &policy, &options) < 0) return NULL;
  static const native_layout layout = {"coordinates", "d", NATIVE_DENSE};
  native_rows rows = {"coordinates", -1};
  native_column column;
  Py_buffer offsets;
  memset(&column, 0, sizeof(column));
  PyObject *result = NULL;
  if (native_open_column(state, coordinates, &layout, &rows, &column) == 0 &&
      native_open_offsets(state, lines, "lines", &offsets) == 0) {
    fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
    const double *start = column.start;
    geometry.longitudes = start;
    geometry.latitudes = start + (rows.count > 0);
    geometry.stride = 2 * sizeof(double);
    geometry.vertex_count = (size_t)rows.count / 2;
    geometry.ring_offsets = offsets.buf;
    geometry.ring_count = (size_t)(offsets.len / 4 - 1);
    fencepost_shape_options shape = FENCEPOST_SHAPE_OPTIONS_INIT;
    shape.edges = edges;
    shape.max_vertices = most;
    uint32_t changed = 1;
    const uint64_t tag_of_line = tag;
    native_call call;
    if (native_begin_input_batch(self, &call) == 0) { /* processing long lines takes a long time */
      /* For tables, the library only has functions that take columns of lines, so pass a column with one line. */
      const int32_t whole[] = {0, (int32_t)geometry.ring_count};
      fencepost_sync_result counts = {0, 0, 0, 0};
      fencepost_status status;
      if (self->table != NULL) {
        status = ensure ? fencepost_conditions_ensure_lines(self->table, &identifier, &geometry, whole, &tag_of_line, 1,
                                                            &shape, &options, &counts, &call.error)
                        : fencepost_conditions_add_lines(self->table, &identifier, &geometry, whole, &tag_of_line, 1,
                                                         &shape, &options, &call.error);
        if (ensure) changed = counts.added + counts.replaced > 0;
      } else {
        status = ensure ? fencepost_monitor_ensure_line_condition(self->handle, identifier, &geometry, &shape, &options,
                                                                  &changed, &call.error)
                        : fencepost_monitor_add_line_condition(self->handle, identifier, &geometry, &shape, &options,
                                                               &call.error);
      }
      if (native_end(&call, status) == 0) result = PyBool_FromLong(changed != 0);
    }
    PyBuffer_Release(&offsets);
  }
  native_release_column(&column);
  return result;
}
