#include "native.h"

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

/* Columns of doubles: the first four are read (one element stands for all rows), the last three written. */
static int open_columns(native_state *state, PyObject *objects[COLUMNS], Py_buffer views[COLUMNS], Py_ssize_t *rows) {
  int held = 0;
  for (; held < COLUMNS; held++) {
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (held >= 4 ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(objects[held], &views[held], flags) < 0) goto failed;
    const char *format = views[held].format;
    if (format == NULL || format[0] != 'd' || format[1] != 0 ||
        (views[held].len > 0 && (uintptr_t)views[held].buf % 8 != 0)) {
      native_refuse(state, "column %d does not hold aligned doubles", held);
      held++;
      goto failed;
    }
  }
  *rows = views[4].len / 8;
  for (int column = 0; column < COLUMNS; column++) {
    Py_ssize_t length = views[column].len / 8;
    if (length == *rows || (column < 4 && length == 1)) continue;
    native_refuse(state, "columns of different lengths: %zd and %zd", length, *rows);
    goto failed;
  }
  return 0;
failed:
  while (held > 0) PyBuffer_Release(&views[--held]);
  return -1;
}

static PyObject *solve_columns(PyObject *module, PyObject *args, solver solver) {
  native_state *state = PyModule_GetState(module);
  PyObject *objects[COLUMNS];
  Py_buffer views[COLUMNS];
  Py_ssize_t rows;
  if (!PyArg_ParseTuple(args, "OOOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5],
                        &objects[6]))
    return NULL;
  if (open_columns(state, objects, views, &rows) < 0) return NULL;
  const double *in[4];
  Py_ssize_t step[4];
  double *out[3];
  for (int column = 0; column < 4; column++) {
    in[column] = views[column].buf;
    step[column] = views[column].len == 8 ? 0 : 1;
  }
  for (int column = 0; column < 3; column++) out[column] = views[4 + column].buf;
  fencepost_status status = FENCEPOST_OK;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  Py_ssize_t row = 0;
  PyThreadState *saved = PyEval_SaveThread();
  for (; row < rows && status == FENCEPOST_OK; row++)
    status = solver(in[0][row * step[0]], in[1][row * step[1]], in[2][row * step[2]], in[3][row * step[3]],
                    &out[0][row], &out[1][row], &out[2][row], &error);
  PyEval_RestoreThread(saved);
  for (int column = 0; column < COLUMNS; column++) PyBuffer_Release(&views[column]);
  if (status != FENCEPOST_OK) {
    error.position = (uint64_t)(row - 1);
    return native_raise(state, status, &error);
  }
  Py_RETURN_NONE;
}

PyObject *native_inverse_into(PyObject *module, PyObject *args) {
  return solve_columns(module, args, fencepost_geodesic_inverse);
}

PyObject *native_direct_into(PyObject *module, PyObject *args) {
  return solve_columns(module, args, fencepost_geodesic_direct);
}
