/* Converts the library's device numbers to Python strings and back. */
#include "native.h"

#include <stdlib.h>

#define LONGEST (FENCEPOST_IDENTIFIER_MAX + 8)

fencepost_status native_device(native_call *call, const char *identifier, int create, fencepost_device *out) {
  *out = FENCEPOST_NO_DEVICE;
  return fencepost_fleet_enter_devices(call->self->fleet, &identifier, 1, create ? 1u : 0u, out, &call->error);
}

fencepost_status native_enter_device(native_call *call, const char *identifier, native_entry *entry) {
  entry->identifier = identifier;
  entry->is_new = 0;
  fencepost_status status = native_device(call, identifier, 0, &entry->device);
  if (status != FENCEPOST_OK || entry->device != FENCEPOST_NO_DEVICE) return status;
  entry->is_new = 1;
  status = native_device(call, identifier, 1, &entry->device);
  if (status != FENCEPOST_OK) entry->is_new = 0;
  return status;
}

void native_keep_device(native_call *call, const native_entry *entry) {
  if (!entry->is_new) return;
  fencepost_fleet *fleet = call->self->fleet;
  fencepost_device_statistics found = FENCEPOST_DEVICE_STATISTICS_INIT;
  fencepost_device device = FENCEPOST_NO_DEVICE;
  if (fencepost_fleet_enter_devices(fleet, &entry->identifier, 1, 0, &device, NULL) || device != entry->device ||
      fencepost_fleet_device_statistics(fleet, device, &found, NULL))
    return; /* another thread has removed the device in the meantime */
  if (found.input_count != found.invalid_fixes + found.late_inputs + found.ahead_inputs) return;
  if (fencepost_fleet_remove_devices(fleet, &device, 1, 1, NULL) == FENCEPOST_OK) call->self->removals++;
}

fencepost_status native_known_device(native_call *call, const char *identifier, fencepost_device *out) {
  fencepost_status status = native_device(call, identifier, 0, out);
  if (status != FENCEPOST_OK || *out != FENCEPOST_NO_DEVICE) return status;
  PyOS_snprintf(call->error.message, sizeof(call->error.message), "no device has that identifier");
  return FENCEPOST_E_NOT_FOUND;
}

static int make_room(native_names *names) {
  if (names->room - names->size >= LONGEST) return 0;
  size_t room = 2 * names->room + 16 * LONGEST;
  char *larger = realloc(names->texts, room);
  if (larger == NULL) return -1;
  names->texts = larger;
  names->room = room;
  return 0;
}

fencepost_status native_find_names(native_call *call, const void *numbers, size_t stride, size_t count,
                                   native_names *names) {
  names->ends = malloc((count + 1) * sizeof(*names->ends));
  if (names->ends == NULL) return native_lack_memory(call);
  for (size_t index = 0; index < count; index++) {
    fencepost_device device = *(const fencepost_device *)(const void *)((const char *)numbers + index * stride);
    if (make_room(names) < 0) return native_lack_memory(call);
    size_t size = 0;
    fencepost_status status = fencepost_fleet_device_identifier(call->self->fleet, device, names->texts + names->size,
                                                                names->room - names->size, &size, &call->error);
    if (status != FENCEPOST_OK) return status;
    names->size += size;
    names->ends[index] = names->size;
  }
  return FENCEPOST_OK;
}

PyObject *native_name_at(const native_names *names, size_t index) {
  size_t start = index == 0 ? 0 : names->ends[index - 1];
  return PyUnicode_FromStringAndSize(names->texts + start, (Py_ssize_t)(names->ends[index] - start));
}

void native_release_names(native_names *names) {
  free(names->texts);
  free(names->ends);
}
