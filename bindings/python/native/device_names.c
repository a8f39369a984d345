/* How devices are called: their numbers are the library's, and Python knows texts. */
#include "native.h"

int native_device(native_handle *self, PyObject *identifier, int create, uint32_t *out) {
  const char *text;
  if (native_text(native_monitor_state((PyObject *)self), identifier, "device", &text) < 0) return -1;
  *out = FENCEPOST_NO_DEVICE;
  native_call call = native_begin(self);
  return native_end(&call, fencepost_fleet_devices(self->fleet, &text, 1, create ? 1u : 0u, out, &call.error));
}

int native_known_device(native_handle *self, PyObject *identifier, uint32_t *out) {
  if (native_device(self, identifier, 0, out) < 0) return -1;
  if (*out != FENCEPOST_NO_DEVICE) return 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  PyOS_snprintf(error.message, sizeof(error.message), "there is no device of that identifier");
  native_raise(native_monitor_state((PyObject *)self), FENCEPOST_E_NOT_FOUND, &error);
  return -1;
}

PyObject *native_device_name(native_handle *self, uint32_t device) {
  char text[264];
  size_t size = 0;
  native_call call = native_begin(self);
  fencepost_status status =
      fencepost_fleet_device_identifier(self->fleet, device, text, sizeof(text), &size, &call.error);
  if (native_end(&call, status) < 0) return NULL;
  return PyUnicode_FromStringAndSize(text, (Py_ssize_t)size);
}
