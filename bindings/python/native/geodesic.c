#include "native.h"

#include <string.h>

typedef fencepost_status (*solver)(double, double, double, double, double *, double *, double *, fencepost_error *);

static PyObject *solve(PyObject *module, PyObject *args, solver solver) {
  double in[4], out[3] = {0, 0, 0};
  if (!PyArg_ParseTuple(args, "dddd", &in[0], &in[1], &in[2], &in[3])) return NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = solver(in[0], in[1], in[2], in[3], &out[0], &out[1], &out[2], &error);
  if (status != FENCEPOST_OK) return native_raise(PyModule_GetState(module), status, &error);
  return Py_BuildValue("(ddd)", out[0], out[1], out[2]);
}

PyObject *native_inverse(PyObject *module, PyObject *args) { return solve(module, args, fencepost_geodesic_inverse); }

PyObject *native_direct(PyObject *module, PyObject *args) { return solve(module, args, fencepost_geodesic_direct); }

#define COLUMNS 7

/* The columns contain doubles. The first four columns are read (a single element counts for all rows), and the last
   three are written. */
static int open_columns(native_state *state, PyObject *objects[COLUMNS], native_column columns[COLUMNS]) {
  static const native_layout read = {"column", "d", NATIVE_DENSE},
                             written = {"column", "d", NATIVE_DENSE | NATIVE_WRITABLE};
  native_rows rows = {"the result", -1};
  for (int column = COLUMNS - 1; column >= 0; column--) {
    native_rows any = {"", -1};
    if (column >= 4 && native_open_column(state, objects[column], &written, &rows, &columns[column]) < 0) return -1;
    if (column >= 4) continue;
    if (native_open_column(state, objects[column], &read, &any, &columns[column]) < 0) return -1;
    if (any.count == rows.count || any.count == 1) continue;
    native_refuse(state, "columns must have equal lengths, not %zd and %zd", any.count, rows.count);
    return -1;
  }
  return 0;
}

static PyObject *solve_rows(native_state *state, const native_column columns[COLUMNS], solver solver) {
  const double *in[4];
  Py_ssize_t step[4];
  double *out[3];
  for (int column = 0; column < 4; column++) {
    in[column] = columns[column].start;
    step[column] = columns[column].view.shape[0] == 1 ? 0 : 1;
  }
  for (int column = 0; column < 3; column++) out[column] = columns[4 + column].view.buf;
  Py_ssize_t rows = columns[4].view.shape[0], row = 0;
  fencepost_status status = FENCEPOST_OK;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyThreadState *saved = PyEval_SaveThread();
  for (; row < rows && status == FENCEPOST_OK; row++)
    status = solver(in[0][row * step[0]], in[1][row * step[1]], in[2][row * step[2]], in[3][row * step[3]],
                    &out[0][row], &out[1][row], &out[2][row], &error);
  PyEval_RestoreThread(saved);
  if (status == FENCEPOST_OK) Py_RETURN_NONE;
  error.position = (uint64_t)(row - 1);
  return native_raise(state, status, &error);
}

static PyObject *solve_columns(PyObject *module, PyObject *args, solver solver) {
  native_state *state = PyModule_GetState(module);
  PyObject *objects[COLUMNS];
  native_column columns[COLUMNS];
  memset(columns, 0, sizeof(columns));
  if (!PyArg_ParseTuple(args, "OOOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5],
                        &objects[6]))
    return NULL;
  PyObject *result = open_columns(state, objects, columns) == 0 ? solve_rows(state, columns, solver) : NULL;
  for (int column = 0; column < COLUMNS; column++) native_release_column(&columns[column]);
  return result;
}

PyObject *native_inverse_into(PyObject *module, PyObject *args) {
  return solve_columns(module, args, fencepost_geodesic_inverse);
}

PyObject *native_direct_into(PyObject *module, PyObject *args) {
  return solve_columns(module, args, fencepost_geodesic_direct);
}
