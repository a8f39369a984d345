#include "native.h"

#include <stdlib.h>
#include <string.h>

PyObject *native_add_circle(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *identifier_object, *policy_object;
  const char *identifier;
  double latitude, longitude, radius;
  int assuming, ensure = 0;
  unsigned long long tag;
  if (!PyArg_ParseTuple(args, "OdddiOKp", &identifier_object, &latitude, &longitude, &radius, &assuming, &policy_object,
                        &tag, &ensure) ||
      native_text(state, identifier_object, "identifier", &identifier) < 0)
    return NULL;
  fencepost_condition_definition definition = fencepost_circle(identifier, latitude, longitude, radius);
  native_options options;
  if (native_definition_options(policy_object, assuming, tag, &options, &definition) < 0) return NULL;
  native_call call;
  return native_begin_input(self, &call) < 0 ? NULL : native_put_one(&call, &definition, ensure);
}

/* Adds or ensures circles from columns; returns the counts of added, replaced and kept circles. */
PyObject *native_add_circles(PyObject *object, PyObject *args) {
  native_state *state = native_monitor_state(object);
  PyObject *identifiers, *sources[4], *policy_object;
  int assuming, ensure = 0;
  if (!PyArg_ParseTuple(args, "OOOOiOO|p", &identifiers, &sources[0], &sources[1], &sources[2], &assuming,
                        &policy_object, &sources[3], &ensure))
    return NULL;
  if (!PyTuple_Check(identifiers)) {
    PyErr_SetString(PyExc_TypeError, "identifiers must be a tuple");
    return NULL;
  }
  fencepost_condition_definition common = FENCEPOST_CONDITION_DEFINITION_INIT;
  native_options options;
  if (native_definition_options(policy_object, assuming, 0, &options, &common) < 0) return NULL;
  static const native_layout layouts[4] = {{"latitudes", "d", NATIVE_DENSE},
                                           {"longitudes", "d", NATIVE_DENSE},
                                           {"radii", "d", NATIVE_DENSE},
                                           {"tags", "LQ", NATIVE_DENSE}};
  native_rows rows = {"identifiers", PyTuple_Size(identifiers)};
  native_column columns[4];
  memset(columns, 0, sizeof(columns));
  int wanted = sources[3] == Py_None ? 3 : 4, failed = 0;
  for (int index = 0; index < wanted && !failed; index++)
    failed = native_open_column(state, sources[index], &layouts[index], &rows, &columns[index]) < 0;
  const double *const numbers[3] = {columns[0].start, columns[1].start, columns[2].start};
  PyObject *result = failed ? NULL
                            : native_put_circles((native_handle *)object, state, identifiers, numbers, columns[3].start,
                                                 &common, ensure);
  for (int index = 0; index < 4; index++) native_release_column(&columns[index]);
  return result;
}

PyObject *native_add_beacon(PyObject *object, PyObject *args) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  PyObject *identifier_object, *policy_object;
  const char *identifier, *uuid;
  Py_ssize_t uuid_size;
  int major, minor, assuming, ensure;
  unsigned long long tag;
  if (!PyArg_ParseTuple(args, "Oy#iiiOKp", &identifier_object, &uuid, &uuid_size, &major, &minor, &assuming,
                        &policy_object, &tag, &ensure) ||
      native_text(state, identifier_object, "identifier", &identifier) < 0)
    return NULL;
  if (uuid_size != 16) return native_refuse(state, "uuid has %zd bytes; must have 16", uuid_size);
  fencepost_condition_definition definition = fencepost_beacon(identifier, (const uint8_t *)uuid, major, minor);
  native_options options;
  if (native_definition_options(policy_object, assuming, tag, &options, &definition) < 0) return NULL;
  native_call call;
  return native_begin_input(self, &call) < 0 ? NULL : native_put_one(&call, &definition, ensure);
}

/* Calls a library function for the condition with this identifier; the function fills `out`. */
typedef fencepost_status (*question)(native_call *, const char *identifier, void *out);

static fencepost_status remove_condition(native_call *call, const char *identifier, void *out) {
  return fencepost_conditions_remove(native_conditions(call->self), &identifier, 1, out, &call->error);
}

/* A condition, or its record, with its policy and its shape, whose intervals release() frees. */
typedef struct {
  fencepost_record record;
  fencepost_transition_policy policy;
  fencepost_shape shape;
} described;

static void begin_described(described *one) {
  one->policy = (fencepost_transition_policy)FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  one->shape = (fencepost_shape)FENCEPOST_SHAPE_INIT;
}

static void release(described *one) { free(one->shape.active); }

static fencepost_status read_condition(native_call *call, const char *identifier, void *out) {
  described *one = out;
  fencepost_condition *condition = &one->record.condition;
  fencepost_status status = native_describe(call, identifier, condition, &one->policy, NULL);
  /* The shape of other conditions may take a while, and is read with their
   * vertices. */
  return status != FENCEPOST_OK || (condition->kind != FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC &&
                                    condition->kind != FENCEPOST_CONDITION_BEACON_IDENTITY)
             ? status
             : native_describe(call, identifier, NULL, NULL, &one->shape);
}

static fencepost_status read_record(native_call *call, const char *identifier, void *out) {
  fencepost_status status = read_condition(call, identifier, out);
  return status != FENCEPOST_OK
             ? status
             : fencepost_monitor_record(call->self->handle, identifier, &((described *)out)->record, &call->error);
}

static fencepost_status exists(native_call *call, const char *identifier, void *Py_UNUSED(out)) {
  return fencepost_conditions_describe(native_conditions(call->self), identifier, NULL, NULL, NULL, &call->error);
}

static fencepost_status explain(native_call *call, const char *identifier, void *out) {
  return fencepost_monitor_explain(call->self->handle, identifier, out, &call->error);
}

static fencepost_status read_state(native_call *call, const char *identifier, void *out) {
  return fencepost_monitor_state(call->self->handle, identifier, out, &call->error);
}

enum {
  REFUSED = -1,
  ABSENT = 0,
  ANSWERED = 1
};

/* REFUSED means that an exception is set. ABSENT means that no such condition exists, which is not an error for the
   caller. */
static int ask(PyObject *object, PyObject *identifier_object, question question, void *out, int may_be_absent) {
  native_handle *self = (native_handle *)object;
  native_state *state = native_monitor_state(object);
  const char *identifier;
  if (native_text(state, identifier_object, "identifier", &identifier) < 0) return REFUSED;
  native_call call;
  if (question != remove_condition) call = native_begin(self);
  else if (native_begin_input(self, &call) < 0) return REFUSED;
  fencepost_status status = question(&call, identifier, out);
  native_return(&call);
  if (status == FENCEPOST_OK) return ANSWERED;
  if (status == FENCEPOST_E_NOT_FOUND && may_be_absent) return ABSENT;
  native_refused(&call, status);
  return REFUSED;
}

PyObject *native_remove(PyObject *object, PyObject *identifier) {
  size_t removed = 0;
  if (ask(object, identifier, remove_condition, &removed, 0) == REFUSED) return NULL;
  return PyBool_FromLong(removed != 0);
}

static PyObject *optional_number(int32_t value) {
  if (value < 0) Py_RETURN_NONE;
  return PyLong_FromLong(value);
}

static PyObject *geometry_tuple(native_handle *self, described *one) {
  const fencepost_condition *condition = &one->record.condition;
  if (condition->kind == FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC)
    return Py_BuildValue("(ddd)", condition->latitude, condition->longitude, condition->radius_m);
  if (condition->kind == FENCEPOST_CONDITION_RULE) return native_rule_tuple(self, condition->identifier, &one->shape);
  if (condition->kind != FENCEPOST_CONDITION_BEACON_IDENTITY)
    return native_shape_tuple(self, condition->identifier, &one->shape);
  return Py_BuildValue("(y#NN)", (const char *)condition->uuid, (Py_ssize_t)16, optional_number(condition->major),
                       optional_number(condition->minor));
}

/*
 * Returns the tuple (identifier, kind, geometry, generation, tag, policy, last
 * event, present state, band, timing). The geometry of a shape is None if
 * another thread has removed the shape in the meantime. For `shared`, see
 * native_timing_tuple().
 */
static PyObject *record_tuple(native_handle *self, described *one, PyObject *shared) {
  const fencepost_condition *condition = &one->record.condition;
  PyObject *geometry = geometry_tuple(self, one); /* also reads the band and the timing */
  return Py_BuildValue("(s#iNKKNNiNN)", condition->identifier, (Py_ssize_t)condition->identifier_length,
                       (int)condition->kind, geometry, (unsigned long long)condition->generation,
                       (unsigned long long)condition->tag, native_policy_tuple(&one->policy),
                       native_event_tuple(&one->record.last_event, NULL), (int)one->record.state,
                       native_band_tuple(&one->shape), native_timing_tuple(&one->shape, shared));
}

PyObject *native_record(PyObject *object, PyObject *identifier) {
  described one;
  begin_described(&one);
  int answer = ask(object, identifier, read_record, &one, 1);
  PyObject *result = NULL;
  if (answer == ABSENT) result = Py_NewRef(Py_None);
  else if (answer == ANSWERED) result = record_tuple((native_handle *)object, &one, NULL);
  release(&one);
  return result;
}

/*
 * Appends an item to a list and returns the list. This function steals the references to the list and to the item. If
 * `list` or `item` is NULL, an exception must already be set; the function then returns NULL.
 */
static PyObject *with_item(PyObject *list, PyObject *item) {
  if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
  Py_XDECREF(item);
  return list;
}

enum {
  PART = 256
};

/* Appends something about a listed condition to a list, as with_item() does. `shared` is a dict of the listing. */
typedef PyObject *(*listing)(native_handle *self, PyObject *list, const fencepost_condition_state *condition,
                             PyObject *shared);

/* Returns a list of the conditions in a state, in add order. The list is read in parts, between which other threads may
   change the conditions. */
static PyObject *list_conditions(native_handle *self, fencepost_state state, listing append) {
  PyObject *list = PyList_New(0), *shared = PyDict_New();
  fencepost_condition_state *part = PyMem_Malloc(PART * sizeof(*part));
  if (shared == NULL) Py_CLEAR(list);
  if (part == NULL) {
    PyErr_NoMemory();
    Py_CLEAR(list);
  }
  size_t count = PART;
  for (uint64_t after = 0; list != NULL && count == PART;) {
    native_call call = native_begin(self);
    fencepost_status status =
        fencepost_monitor_list_conditions(self->handle, state, after, part, PART, &count, &call.error);
    if (native_end(&call, status) < 0) {
      Py_CLEAR(list);
      break;
    }
    if (count > 0) after = part[count - 1].generation;
    for (size_t index = 0; list != NULL && index < count; index++) list = append(self, list, &part[index], shared);
  }
  PyMem_Free(part);
  Py_XDECREF(shared);
  return list;
}

static PyObject *append_identifier(native_handle *Py_UNUSED(self), PyObject *list,
                                   const fencepost_condition_state *condition, PyObject *Py_UNUSED(shared)) {
  return with_item(list, PyUnicode_FromStringAndSize(condition->identifier, (Py_ssize_t)condition->identifier_length));
}

/* Leaves a condition out if another thread has removed or replaced it: a replaced condition comes at the end. */
static PyObject *append_record(native_handle *self, PyObject *list, const fencepost_condition_state *condition,
                               PyObject *shared) {
  described one;
  begin_described(&one);
  native_call call = native_begin(self);
  fencepost_status status = read_record(&call, condition->identifier, &one);
  native_return(&call);
  if (status == FENCEPOST_OK && one.record.condition.generation == condition->generation)
    list = with_item(list, record_tuple(self, &one, shared));
  release(&one);
  if (status == FENCEPOST_OK || status == FENCEPOST_E_NOT_FOUND) return list;
  native_refused(&call, status);
  Py_DECREF(list);
  return NULL;
}

PyObject *native_records(PyObject *object, PyObject *Py_UNUSED(unused)) {
  return list_conditions((native_handle *)object, FENCEPOST_STATE_ANY, append_record);
}

PyObject *native_identifiers_in_state(PyObject *object, PyObject *state_object) {
  long state = PyLong_AsLong(state_object);
  if (state == -1 && PyErr_Occurred()) return NULL;
  if (state < 0 || state > INT_MAX) return native_refuse(native_monitor_state(object), "unknown state %ld", state);
  return list_conditions((native_handle *)object, (fencepost_state)state, append_identifier);
}

PyObject *native_identifiers(PyObject *object, PyObject *Py_UNUSED(unused)) {
  native_handle *self = (native_handle *)object;
  size_t capacity = 0, size = 0;
  char *buffer = NULL;
  for (;;) { /* repeat until the buffer is large enough, because other threads may add conditions */
    native_call call = native_begin(self);
    fencepost_status status =
        fencepost_conditions_identifiers(native_conditions(self), buffer, capacity, &size, NULL, &call.error);
    native_return(&call);
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) {
      PyMem_Free(buffer);
      return native_refused(&call, status);
    }
    if (status == FENCEPOST_OK && size <= capacity) break;
    PyMem_Free(buffer);
    capacity = size;
    buffer = PyMem_Malloc(capacity);
    if (buffer == NULL) return PyErr_NoMemory();
  }
  PyObject *list = native_split_texts(buffer, size);
  PyMem_Free(buffer);
  return list;
}

PyObject *native_contains(PyObject *object, PyObject *identifier) {
  int answer = ask(object, identifier, exists, NULL, 1);
  return answer == REFUSED ? NULL : PyBool_FromLong(answer == ANSWERED);
}

PyObject *native_state_of(PyObject *object, PyObject *identifier) {
  fencepost_state found = FENCEPOST_STATE_UNKNOWN;
  if (ask(object, identifier, read_state, &found, 0) == REFUSED) return NULL;
  return PyLong_FromLong(found);
}

static PyObject *explanation_tuple(const fencepost_explanation *found) {
  PyObject *nearest = native_optional_place(found->nearest_latitude, found->nearest_longitude);
  PyObject *doubt =
      found->corroborations == 0
          ? Py_NewRef(Py_None)
          : Py_BuildValue("(dddII)", found->doubted_distance_m, found->doubted_seconds, found->doubted_limit_mps,
                          (unsigned)found->corroborations, (unsigned)found->corroborations_needed);
  PyObject *ellipse =
      found->ellipse_major_m != found->ellipse_major_m
          ? Py_NewRef(Py_None)
          : Py_BuildValue("(ddd)", found->ellipse_major_m, found->ellipse_minor_m, found->ellipse_orientation);
  return Py_BuildValue(
      "(siINNNNNNNNNNNNNNNN)", fencepost_reason_name(found->reason), (int)found->observed, (unsigned)found->diagnostics,
      native_optional_double(found->boundary_distance_m), native_optional_double(found->accuracy_m),
      native_optional_double(found->entry_margin_m), native_optional_double(found->exit_margin_m),
      native_optional_time(found->candidate_start_us), native_optional_time(found->deadline_us),
      native_optional_time(found->last_sighting_us), native_optional_double(found->metres_to_decide),
      native_optional_double(found->seconds_to_decide), native_optional_double(found->accuracy_needed_m), nearest,
      native_optional_double(found->probability), doubt, ellipse, native_optional_double(found->vertical_distance_m),
      native_parts_tuple(found));
}

PyObject *native_explanation(native_explain_call explain, void *context) {
  fencepost_explanation found = FENCEPOST_EXPLANATION_INIT;
  PyObject *result = NULL;
  for (;;) { /* repeat until there is room for all parts, because another thread may replace the rule by a larger one */
    if (explain(context, &found) < 0) break;
    if (found.part_count <= found.parts_capacity) {
      result = explanation_tuple(&found);
      break;
    }
    PyMem_Free(found.parts);
    found.parts_capacity = (size_t)found.part_count;
    found.parts = PyMem_Malloc(found.parts_capacity * sizeof(*found.parts));
    if (found.parts == NULL) {
      PyErr_NoMemory();
      break;
    }
  }
  PyMem_Free(found.parts);
  return result;
}

/* A condition of a monitor that is explained. */
typedef struct explained {
  PyObject *object, *identifier;
} explained;

static int explain_one(void *context, fencepost_explanation *found) {
  explained *one = context;
  return ask(one->object, one->identifier, explain, found, 0) == REFUSED ? -1 : 0;
}

PyObject *native_explain(PyObject *object, PyObject *identifier) {
  explained one = {object, identifier};
  return native_explanation(explain_one, &one);
}

PyObject *native_condition(PyObject *object, PyObject *identifier) {
  described one;
  begin_described(&one);
  int answer = ask(object, identifier, read_condition, &one, 1);
  PyObject *result = NULL;
  if (answer == ABSENT) result = Py_NewRef(Py_None);
  if (answer == ANSWERED) {
    const fencepost_condition *condition = &one.record.condition;
    PyObject *geometry = geometry_tuple((native_handle *)object, &one); /* also reads the band and the timing */
    result = Py_BuildValue("(s#iNKKNNN)", condition->identifier, (Py_ssize_t)condition->identifier_length,
                           (int)condition->kind, geometry, (unsigned long long)condition->generation,
                           (unsigned long long)condition->tag, native_policy_tuple(&one.policy),
                           native_band_tuple(&one.shape), native_timing_tuple(&one.shape, NULL));
  }
  release(&one);
  return result;
}

PyObject *native_parse_uuid(PyObject *module, PyObject *text_object) {
  native_state *state = PyModule_GetState(module);
  const char *text;
  if (native_text(state, text_object, "uuid", &text) < 0) return NULL;
  uint8_t uuid[16];
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_uuid_parse(text, uuid, &error);
  if (status != FENCEPOST_OK) return native_raise(state, status, &error);
  return PyBytes_FromStringAndSize((const char *)uuid, 16);
}
