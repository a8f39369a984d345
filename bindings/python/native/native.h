/*
 * The shared declarations of the extension. The extension is a thin layer: it turns Python values into the arguments of
 * include/fencepost.h and back. Ranges are the library's business; types are checked here.
 */
#ifndef FENCEPOST_PYTHON_NATIVE_H
#define FENCEPOST_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>

#include "fencepost.h"

#define NATIVE_ERROR_CLASSES 18

/* Everything that lives as long as the module: no globals, so that each interpreter has its own. */
typedef struct {
  PyObject *error_base;
  PyObject *errors[NATIVE_ERROR_CLASSES];
  PyObject *closed_error;
  PyObject *monitor_type;
  PyObject *conditions_type;
  PyObject *fleet_type;
} native_state;

/* Threads in the order in which they came. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint64_t last, served; /* numbers that were taken, and that were served */
} native_queue;

/*
 * The handle of a monitor, of a table of conditions or of a fleet: one of the three. It is released in deallocation only,
 * where no call can be in flight. Calls on a monitor or a fleet exclude each other, see native_begin().
 */
typedef struct {
  PyObject_HEAD fencepost_monitor *handle;
  fencepost_conditions *table;
  fencepost_fleet *fleet;
  native_queue queue; /* of the calls without the interpreter lock */
  Py_ssize_t outside; /* how many these are; read and written with the interpreter lock */
  int consumer;       /* descriptor of the consumer that waits, plus 1; 0 = none */
  long consumer_process;
  int is_closed;
  int is_stored;      /* calls may wait for a disk */
  int refuses_inputs; /* closed, and it has a store; read and written in a call */
  uint64_t removals;  /* of devices: numbers found before one may be another's; read and written in a call */
  uint64_t turn;      /* counts the consumers: the events in flight belong to the latest */
} native_handle;

/* errors.c */
int native_errors_init(PyObject *module, native_state *state);
PyObject *native_error_table(PyObject *module, PyObject *unused);
PyObject *native_raise(native_state *state, fencepost_status status, const fencepost_error *error);
PyObject *native_refuse(native_state *state, const char *format, ...);
/* The counts of the rows that were consumed also belong to the exception of a full queue or an interrupted call. */
void native_attach_result(PyObject *counts);

/* values.c */
/* The UTF-8 of a str, owned by the str; -1 with an exception if it is not a str, or contains NUL or surrogates. */
int native_text(native_state *state, PyObject *value, const char *what, const char **out);
/* An int as 64 bits. */
int native_time(PyObject *value, int64_t *out);
/* A number that may be absent: NaN or FENCEPOST_TIME_UNSET become None. New references. */
PyObject *native_optional_double(double value);
/* The texts of a tuple of str, whose they stay, in an array for PyMem_Free(). */
const char **native_texts(native_state *state, PyObject *tuple, Py_ssize_t *count);
/* The counts added, replaced, kept and removed. */
PyObject *native_counts_of(const fencepost_sync_result *result);
PyObject *native_optional_place(double latitude, double longitude); /* None when the latitude is NaN */
PyObject *native_optional_time(int64_t value);
/* The directory of a store: bytes, which it stays, or None. */
int native_directory(native_state *state, PyObject *value, const char **out);
/* (dwell_policy, entry_dwell_us, exit_dwell_us, entry, exit and limit margin, accuracy factor, notify) */
PyObject *native_policy_tuple(const fencepost_transition_policy *policy);
/* The options of an add; `value` is such a tuple, read into `policy`, or None. */
int native_condition_options(PyObject *value, int assuming, unsigned long long tag, fencepost_transition_policy *policy,
                             fencepost_condition_options *options);

/* buffers.c */
/* A column: its buffer, and for times of another unit than microseconds a copy in microseconds. */
typedef struct {
  Py_buffer view;
  double number; /* a column that is one number */
  const void *start;
  int64_t stride;
  int64_t *scaled;
  int is_held;
} native_column;
/* The required type of a column, in codes of the module struct ("d": doubles; "lq" or "LQ": 64-bit integers). */
enum {
  NATIVE_DENSE = 1, /* element after element, aligned; else any stride will do */
  NATIVE_WRITABLE = 2
};
typedef struct {
  const char *name;
  const char *codes;
  int needs;
} native_layout;
/* How many rows columns have in common, -1 before the first, and what says so in messages. */
typedef struct {
  const char *like;
  Py_ssize_t count;
} native_rows;
/* Opens a column in a zeroed structure, which is to be released in any case. */
int native_open_column(native_state *state, PyObject *object, const native_layout *layout, native_rows *rows,
                       native_column *column);
void native_release_column(native_column *column);
/* Opens a buffer of records: bytes, or elements of exactly the record's size (a structured array). */
int native_open_records(native_state *state, PyObject *object, const char *name, Py_ssize_t size, Py_buffer *view);
/* Its memory for the library: in place, or where that is not aligned in *copy, for PyMem_Free(); NULL: no memory. */
const void *native_aligned(const Py_buffer *view, void **copy);

/* A call on the conditions of a monitor, or of a table. */
#define NATIVE_CONDITIONS(self, of_monitor, of_table, ...) \
  ((self)->table != NULL ? of_table((self)->table, __VA_ARGS__) : of_monitor((self)->handle, __VA_ARGS__))
/* A call on the events of a monitor, or of a fleet. */
#define NATIVE_EVENTS(self, of_monitor, of_fleet, ...) \
  ((self)->fleet != NULL ? of_fleet((self)->fleet, __VA_ARGS__) : of_monitor((self)->handle, __VA_ARGS__))

/* handle.c */
native_state *native_monitor_state(PyObject *self);
/* An object without a handle yet. */
native_handle *native_allocate(PyTypeObject *type);
/* The last of an object whose handle was destroyed. */
void native_release(PyObject *self);
/* Raises when it is a table, which has no gates. */
int native_refuse_lines(native_handle *self, native_state *state);

/*
 * A call on a handle: what one or several functions of the library do, between begin and return, or end. Of calls on one
 * monitor or fleet there is one at a time, so that what one function finds holds for the next: the number of a device, or
 * that a monitor is not closed. No function of Python may be called meanwhile, and no other call on the handle be begun.
 *
 *     native_call call = native_begin(self);
 *     if (native_end(&call, fencepost_monitor_advance(self->handle, time, &call.error)) < 0) return NULL;
 */
typedef struct {
  native_handle *self;
  PyThreadState *saved; /* without the interpreter lock */
  int is_alone;         /* it is its turn in the queue */
  int lacks_memory;
  fencepost_error error;
} native_call;
/*
 * Keeps the interpreter lock, which is cheaper than giving it up and excludes all others, unless there is a call on the same
 * handle without it, or this one may wait for a disk, or for the fleets over a table: then waiting must not stop the other
 * Python threads.
 */
native_call native_begin(native_handle *self);
/* Gives the interpreter lock up: the call may take long. */
native_call native_begin_batch(native_handle *self);
/*
 * The same of a single function of the library that asks, and changes nothing: it runs beside other calls on the handle, which
 * the library excludes from each other for as long as it must.
 */
native_call native_begin_question(native_handle *self);
/* The same of a call that a store is to keep: 0, or -1 with an exception when it is closed. */
int native_begin_input(native_handle *self, native_call *call);
int native_begin_input_batch(native_handle *self, native_call *call);
/* Takes the interpreter lock back; what the library said is the caller's to look at. */
void native_return(native_call *call);
/* In a call: there is no memory. A status for native_refused(), which raises that. */
fencepost_status native_lack_memory(native_call *call);
/* Raises what the library refused. NULL. */
PyObject *native_refused(const native_call *call, fencepost_status status);
/* Returns and raises: 0, or -1 with an exception when the status is not OK. */
int native_end(native_call *call, fencepost_status status);

/* monitor.c */
extern PyType_Spec native_monitor_spec;

/* table.c */
extern PyType_Spec native_conditions_spec;

/* fleet.c */
extern PyType_Spec native_fleet_spec;

/* device_names.c */
/*
 * In a call: the number of a device by its identifier. It holds until the call returns: then another thread may remove the
 * device, and another one get the number.
 */
fencepost_status native_device(native_call *call, const char *identifier, int create, uint32_t *out);
/* A device that an input names. */
typedef struct {
  const char *identifier;
  uint32_t device;
  int is_new; /* whether it was entered for the input */
} native_entry;
/* In a call: enters a device for an input, unless it is there. */
fencepost_status native_enter_device(native_call *call, const char *identifier, native_entry *entry);
/* After the input: a device that was entered for it stays if anything of what it was given was accepted. */
void native_keep_device(native_call *call, const native_entry *entry);
/* The same of one that must be there. */
fencepost_status native_known_device(native_call *call, const char *identifier, uint32_t *out);
/* Identifiers of devices, one after the other, for free(). */
typedef struct {
  char *texts;
  size_t size, room;
  size_t *ends;
} native_names;
/*
 * In a call: identifiers of numbers that lie so many bytes apart, in a zeroed structure, which is to be released in any
 * case.
 */
fencepost_status native_find_names(native_call *call, const void *numbers, size_t stride, size_t count,
                                   native_names *names);
PyObject *native_name_at(const native_names *names, size_t index);
void native_release_names(native_names *names);

/* device_columns.c */
/* A column of devices. */
typedef struct {
  Py_buffer codes, numbers;
  int holds_codes, holds_numbers;
  const char *text;   /* of a column of one device, */
  uint32_t only;      /* and its number */
  const char **texts; /* by element: identifiers of those that rows name */
  uint32_t *entered;  /* and their numbers */
  Py_ssize_t *used;   /* the elements that rows name, */
  Py_ssize_t found;   /* how many, */
  Py_ssize_t room;    /* how many at first, */
  const char **asked; /* and room for the identifiers and numbers of so many */
  uint32_t *given;
  native_entry *entries; /* those that were entered for these rows, in that order, */
  Py_ssize_t entry_count;
  char *is_new; /* and by element whether it is one */
  int is_entered;
  uint64_t removals; /* when they were entered */
  fencepost_fleet_columns rows;
} native_device_column;
/*
 * Opens a column of devices, which is to be released in any case. With a dictionary of str each row has an index into it,
 * integers of 1, 2, 4 or 8 bytes. With a dictionary of numbers (32 bits) rows of FENCEPOST_NO_DEVICE are passed over. Codes
 * None: all rows are of the only element.
 */
int native_open_devices(native_handle *self, PyObject *codes, PyObject *names, Py_ssize_t count,
                        native_device_column *column);
/*
 * In a call: enters the devices that the rows from one on name, in the order of these, unless they are entered already and
 * no device was removed since. Numbers stay as they are.
 */
fencepost_status native_enter_column(native_call *call, native_device_column *column, Py_ssize_t row, Py_ssize_t count);
/* Ends a call that creates devices: removes the new ones without any accepted row. */
void native_keep_column(native_call *call, native_device_column *column);
void native_release_devices(native_device_column *column);

/* devices.c */
PyObject *native_devices(PyObject *self, PyObject *unused);
PyObject *native_enter_devices(PyObject *self, PyObject *identifiers);
PyObject *native_has_device(PyObject *self, PyObject *identifier);
PyObject *native_remove_device(PyObject *self, PyObject *args);
PyObject *native_expire(PyObject *self, PyObject *before);
PyObject *native_expire_by_arrival(PyObject *self, PyObject *before);
PyObject *native_positions(PyObject *self, PyObject *device);
PyObject *native_device_statistics(PyObject *self, PyObject *device);
PyObject *native_device_deadline(PyObject *self, PyObject *device);
PyObject *native_device_state(PyObject *self, PyObject *args);
PyObject *native_device_explain(PyObject *self, PyObject *args);
PyObject *native_export_devices(PyObject *self, PyObject *args);
PyObject *native_load_devices(PyObject *self, PyObject *args);

/* presences.c */
PyObject *native_inside(PyObject *self, PyObject *device);
PyObject *native_devices_inside(PyObject *self, PyObject *identifier);

/* conditions.c */
PyObject *native_add_circle(PyObject *self, PyObject *args);
PyObject *native_add_circles(PyObject *self, PyObject *args);
PyObject *native_add_beacon(PyObject *self, PyObject *args);
PyObject *native_remove(PyObject *self, PyObject *identifier);
PyObject *native_record(PyObject *self, PyObject *identifier);
PyObject *native_records(PyObject *self, PyObject *unused);
PyObject *native_identifiers(PyObject *self, PyObject *unused);
PyObject *native_identifiers_in_state(PyObject *self, PyObject *state);
PyObject *native_contains(PyObject *self, PyObject *identifier);
PyObject *native_state_of(PyObject *self, PyObject *identifier);
PyObject *native_explain(PyObject *self, PyObject *identifier);
PyObject *native_explanation_tuple(const fencepost_explanation *found);
/* (identifier, kind, geometry, generation, tag, policy), or None. */
PyObject *native_condition(PyObject *self, PyObject *identifier);
PyObject *native_parse_uuid(PyObject *module, PyObject *text);

/* inputs.c */
/* Reads latitude, longitude, accuracy and time. */
int native_read_fix(PyObject *const *args, fencepost_fix *fix);
PyObject *native_feed_fix(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_feed_fixes(PyObject *self, PyObject *fixes);
PyObject *native_feed_sightings(PyObject *self, PyObject *args);
PyObject *native_set_scanning(PyObject *self, PyObject *args);
PyObject *native_set_host(PyObject *self, PyObject *args);
PyObject *native_advance(PyObject *self, PyObject *time);
PyObject *native_rewind(PyObject *self, PyObject *time);

/* columns.c */
PyObject *native_feed_columns(PyObject *self, PyObject *args);

/* batches.c */
/* Where the first invalid row is to refuse all: raises of it, and nothing has been fed. */
int native_try_rows(native_state *state, const fencepost_fix_columns *fixes, size_t count);
/* Feeds rows of columns, of a fleet to these devices, and raises what a signal handler raises; the result has the
 * counts of the consumed rows. */
PyObject *native_feed_rows(native_handle *self, native_state *state, const fencepost_fix_columns *fixes,
                           native_device_column *devices, size_t count);

/* sets.c */
/* Adds or ensures circles; latitudes, longitudes, radii, and tags or NULL. */
PyObject *native_put_circles(native_handle *self, native_state *state, PyObject *identifiers,
                             const double *const columns[3], const uint64_t *tags,
                             const fencepost_condition_options *options, int ensure);
PyObject *native_sync(PyObject *self, PyObject *definitions);
PyObject *native_remove_many(PyObject *self, PyObject *identifiers);

/* shapes.c */
/* Reads (WKB, radius, edges, oriented, buffer) into a definition; the bytes stay the tuple's. */
int native_read_shape(PyObject *geometry, fencepost_condition_definition *definition, fencepost_shape_options *options);
/* The same tuple of a condition that is a shape; None: there is none of that identifier any more. */
PyObject *native_shape_tuple(native_handle *self, const char *identifier);
PyObject *native_add_shape(PyObject *self, PyObject *args);
PyObject *native_add_shapes(PyObject *self, PyObject *args);
PyObject *native_shape(PyObject *self, PyObject *identifier);
PyObject *native_nearest_boundary_point(PyObject *self, PyObject *args);
PyObject *native_shape_distance(PyObject *module, PyObject *args);

/* shape_columns.c */
/* Opens offsets of 32 bits, one more than there are elements. */
int native_open_offsets(native_state *state, PyObject *object, const char *name, Py_buffer *view);
PyObject *native_add_shape_columns(PyObject *self, PyObject *args);

/* lines.c */
PyObject *native_add_line(PyObject *self, PyObject *args);

/* tracks.c */
PyObject *native_feed_tracks(PyObject *module, PyObject *args);

/* integers.c */
PyObject *native_extremes(PyObject *module, PyObject *column);
PyObject *native_distinct(PyObject *module, PyObject *args);
PyObject *native_taken(PyObject *module, PyObject *args);

/* visits.c */
PyObject *native_visits(PyObject *module, PyObject *args);

/* consumer.c */
/* Raises when a consumer waits for events. */
int native_refuse_second_consumer(native_handle *self, native_state *state);
PyObject *native_attach(PyObject *self, PyObject *descriptor);
PyObject *native_detach(PyObject *self, PyObject *descriptor);
PyObject *native_end_updates(PyObject *self, PyObject *unused);
PyObject *native_closed(PyObject *self, PyObject *unused);

/* events.c */
PyObject *native_event_tuple(const fencepost_event *event, PyObject *identifier);
PyObject *native_event_text(native_state *state, const fencepost_event *event); /* as JSON */
PyObject *native_poll_event(PyObject *self, PyObject *unused);
PyObject *native_next_update(PyObject *self, PyObject *unused);
PyObject *native_poll_events(PyObject *self, PyObject *limit);
PyObject *native_acknowledge(PyObject *self, PyObject *turn);
PyObject *native_abandon(PyObject *self, PyObject *turn);
PyObject *native_turn(PyObject *self, PyObject *unused);
PyObject *native_event_json(PyObject *module, PyObject *args);

/* store.c */
PyObject *native_checkpoint(PyObject *self, PyObject *unused);
PyObject *native_close(PyObject *self, PyObject *unused);
PyObject *native_snapshot(PyObject *self, PyObject *unused);
PyObject *native_restore(PyObject *type, PyObject *snapshot);

/* planning.c */
PyObject *native_safe_distance(PyObject *self, PyObject *args);
PyObject *native_next_deadline(PyObject *self, PyObject *unused);
PyObject *native_plan(PyObject *self, PyObject *args);
PyObject *native_circle_contains(PyObject *module, PyObject *args);
PyObject *native_significant_change(PyObject *module, PyObject *args);
PyObject *native_best_fix(PyObject *module, PyObject *args);

/* questions.c */
PyObject *native_containing(PyObject *self, PyObject *args);
PyObject *native_nearest(PyObject *self, PyObject *args);
PyObject *native_identifiers_of(PyObject *self, PyObject *generations);

/* geodesic.c */
PyObject *native_inverse(PyObject *module, PyObject *args);
PyObject *native_direct(PyObject *module, PyObject *args);
PyObject *native_inverse_into(PyObject *module, PyObject *args);
PyObject *native_direct_into(PyObject *module, PyObject *args);

/* beacons.c */
PyObject *native_parse_advertisement(PyObject *module, PyObject *args);

/* The common methods of a monitor and a table. */
#define NATIVE_CONDITION_METHODS                                                                                       \
  {"add_circle", native_add_circle, METH_VARARGS, "Add or ensure a circle; whether anything changed."},                \
      {"add_circles", native_add_circles, METH_VARARGS, "Add or ensure circles from columns."},                        \
      {"add_shape", native_add_shape, METH_VARARGS, "Add or ensure a polygon or corridor; whether anything changed."}, \
      {"add_shapes", native_add_shapes, METH_VARARGS, "Add or ensure polygons and corridors."},                        \
      {"add_shape_columns", native_add_shape_columns, METH_VARARGS, "Add or ensure shapes of one kind in place."},     \
      {"add_line", native_add_line, METH_VARARGS, "Add or ensure a gate; whether anything changed."},                  \
      {"add_beacon", native_add_beacon, METH_VARARGS, "Add or ensure a beacon identity; whether anything changed."},   \
      {"sync", native_sync, METH_O, "Make the conditions exactly these; counts of what became of them."},              \
      {"remove", native_remove, METH_O, "Remove a condition; whether there was one."},                                 \
      {"remove_many", native_remove_many, METH_O, "Remove conditions; how many there were."},                          \
      {"shape", native_shape, METH_O, "How the geometry of a condition was read."},                                    \
      {"nearest_boundary_point", native_nearest_boundary_point, METH_VARARGS,                                          \
       "The nearest place of a line, or None."},                                                                       \
      {"containing", native_containing, METH_VARARGS, "The conditions that hold points."},                             \
      {"nearest", native_nearest, METH_VARARGS, "The conditions whose lines are nearest to points."},                  \
      {"identifiers_of", native_identifiers_of, METH_O, "Identifiers of generations."},                                \
      {"contains", native_contains, METH_O, "Whether a condition has that identifier."},                               \
      {"identifiers", native_identifiers, METH_NOARGS, "All identifiers in add order."}

/* The common methods of a monitor and a fleet. */
#define NATIVE_EVENT_METHODS                                                                                         \
  {"checkpoint", native_checkpoint, METH_NOARGS, "Save the unsaved changes."},                                       \
      {"close", native_close, METH_NOARGS, "Save and close the store."},                                             \
      {"poll_event", native_poll_event, METH_NOARGS, "The next event, or None."},                                    \
      {"poll_events", native_poll_events, METH_O, "Up to so many events."},                                          \
      {"attach", native_attach, METH_O, "Become the consumer that is woken through a descriptor."},                  \
      {"detach", native_detach, METH_O, "Cease to be the consumer that is woken."},                                  \
      {"next_update", native_next_update, METH_NOARGS, "The next event for that consumer, or None."},                \
      {"end_updates", native_end_updates, METH_NOARGS, "End the waiting for events."},                               \
      {"closed", native_closed, METH_NOARGS, "Whether the waiting was ended."},                                      \
      {"acknowledge", native_acknowledge, METH_O, "Commit what was handed out, of a turn or None; whether it did."}, \
      {"abandon", native_abandon, METH_O,                                                                            \
       "Deliver the uncommitted events again, of a turn or None; return whether it did."},                           \
      {"turn", native_turn, METH_NOARGS, "Counts who asked for events."},                                            \
      {"next_deadline", native_next_deadline, METH_NOARGS, "The time of the next change without an input, or None."}

#endif
