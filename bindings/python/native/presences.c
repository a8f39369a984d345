/* A presence is a pair of a device and a condition that contains the device. */
#include "native.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns, for each condition that a device is inside of, the tuple (identifier, generation, tag, since, evidence
   date). */
PyObject *native_inside(PyObject *object, PyObject *identifier) {
  native_handle *self = (native_handle *)object;
  const char *text;
  fencepost_device device;
  if (native_text(native_monitor_state(object), identifier, "device", &text) < 0) return NULL;
  enum {
    PART = 64
  };
  fencepost_condition_state found[PART];
  PyObject *list = PyList_New(0);
  size_t count = PART;
  for (uint64_t after = 0; list != NULL && count == PART;) {
    native_call call = native_begin(self);
    fencepost_status status = native_known_device(&call, text, &device);
    if (status == FENCEPOST_OK)
      status = fencepost_fleet_list_conditions(self->fleet, device, FENCEPOST_STATE_SATISFIED, after, found, PART,
                                               &count, &call.error);
    if (native_end(&call, status) < 0) {
      Py_CLEAR(list);
      break;
    }
    if (count > 0) after = found[count - 1].generation;
    for (size_t index = 0; list != NULL && index < count; index++) {
      const fencepost_condition_state *one = &found[index];
      PyObject *item = Py_BuildValue("(s#KKNN)", one->identifier, (Py_ssize_t)one->identifier_length,
                                     (unsigned long long)one->generation, (unsigned long long)one->tag,
                                     native_optional_time(one->since_us), native_optional_time(one->evidence_date_us));
      if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
      Py_XDECREF(item);
    }
  }
  return list;
}

/* The first call to the library has room for this number of presences. The buffer takes 10 MB of address space, but the
   system provides memory only for the part that the library writes. If there are more presences, a second call to the
   library is needed, which doubles the time. */
enum {
  FIRST_ROOM = 262144
};

/* Finds the devices inside one condition, or inside any condition if the identifier is NULL. Must be called after
   native_begin() and before native_end() of `call`. The caller must free `*found`. */
static fencepost_status find_presences(native_call *call, const char *identifier, fencepost_device_presence **found,
                                       size_t *count) {
  *count = 0;
  for (size_t capacity = FIRST_ROOM;;) {
    *found = malloc(capacity * sizeof(**found));
    if (*found == NULL) return native_lack_memory(call);
    fencepost_status status =
        fencepost_fleet_list_devices_inside(call->self->fleet, identifier, *found, capacity, count, &call->error);
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) return status;
    if (*count <= capacity) return FENCEPOST_OK;
    free(*found);
    /* Leave room for devices that may enter a condition before the next call. */
    capacity = *count + *count / 16;
  }
}

/* Returns the devices' names as a list of str; consecutive rows of the same device share one object. */
static PyObject *names_of(const native_names *names, const fencepost_device_presence *found, size_t count) {
  PyObject *list = PyList_New((Py_ssize_t)count);
  PyObject *last = NULL;
  for (size_t index = 0; list != NULL && index < count; index++) {
    if (index > 0 && found[index].device == found[index - 1].device) {
      Py_INCREF(last);
    } else {
      last = native_name_at(names, index);
    }
    if (last == NULL || PyList_SetItem(list, (Py_ssize_t)index, last) < 0) Py_CLEAR(list);
  }
  return list;
}

/* Returns a column of 64-bit integers, which are at the same offset in each presence. */
static PyObject *column_of(const fencepost_device_presence *found, size_t count, size_t offset) {
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(uint64_t)));
  if (bytes == NULL) return NULL;
  char *next = PyBytes_AsString(bytes);
  for (size_t index = 0; index < count; index++)
    memcpy(next + index * sizeof(uint64_t), (const char *)&found[index] + offset, sizeof(uint64_t));
  return bytes;
}

/* Returns (devices, generations, tags, since, evidence dates) for the presences in one condition, or in all
   conditions. */
PyObject *native_devices_inside(PyObject *object, PyObject *identifier) {
  native_handle *self = (native_handle *)object;
  const char *text = NULL;
  if (identifier != Py_None && native_text(native_monitor_state(object), identifier, "identifier", &text) < 0)
    return NULL;
  fencepost_device_presence *found;
  native_names names = {NULL, 0, 0, NULL};
  size_t count;
  native_call call = native_begin_batch(self);
  fencepost_status status = find_presences(&call, text, &found, &count);
  if (status == FENCEPOST_OK && count > 0)
    status = native_find_names(&call, &found->device, sizeof(*found), count, &names);
  PyObject *result = NULL;
  if (native_end(&call, status) == 0) {
    result = Py_BuildValue("(NNNNN)", names_of(&names, found, count),
                           column_of(found, count, offsetof(fencepost_device_presence, generation)),
                           column_of(found, count, offsetof(fencepost_device_presence, tag)),
                           column_of(found, count, offsetof(fencepost_device_presence, since_us)),
                           column_of(found, count, offsetof(fencepost_device_presence, evidence_date_us)));
  }
  free(found);
  native_release_names(&names);
  return result;
}
