#include "native.h"

/* Returns (uuid, major, minor, measured power, kind, company) from an advertisement; company -1 means that the company
   is in the payload. */
PyObject *native_parse_advertisement(PyObject *module, PyObject *args) {
  Py_buffer payload;
  int company;
  if (!PyArg_ParseTuple(args, "y*i", &payload, &company)) return NULL;
  fencepost_beacon_advertisement found;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status =
      fencepost_beacon_parse_advertisement(payload.buf, (size_t)payload.len, company, INT32_MIN, &found, &error);
  PyBuffer_Release(&payload);
  if (status != FENCEPOST_OK) return native_raise(PyModule_GetState(module), status, &error);
  return Py_BuildValue("(y#iiiiI)", (const char *)found.sighting.uuid, (Py_ssize_t)16, (int)found.sighting.major,
                       (int)found.sighting.minor, (int)found.measured_power_dbm, (int)found.kind,
                       (unsigned)found.company_id);
}
