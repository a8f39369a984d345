/*
 * Contains the declarations that the files of the extension share. The extension is a thin layer that converts Python
 * values to the arguments of include/fencepost.h and back. The library checks ranges; the extension checks types.
 */
#ifndef FENCEPOST_PYTHON_NATIVE_H
#define FENCEPOST_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>

#include "fencepost.h"

#define NATIVE_ERROR_CLASSES 18

/* The module's state. There are no global variables, so that each interpreter has its own state. */
typedef struct {
  PyObject *error_base;
  PyObject *errors[NATIVE_ERROR_CLASSES];
  PyObject *closed_error;
  PyObject *monitor_type;
  PyObject *conditions_type;
  PyObject *fleet_type;
} native_state;

/* A queue of threads, which are served in the order in which they arrived. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint64_t last, served; /* number of tickets drawn, and number of tickets served */
} native_queue;

/*
 * A handle of one of three kinds: a monitor, a table of conditions or a fleet. The handle is released only on
 * deallocation, when no call can be in progress. Calls on a monitor or a fleet do not overlap, except read-only calls;
 * see native_begin().
 */
typedef struct {
  PyObject_HEAD fencepost_monitor *handle;
  fencepost_conditions *table;
  fencepost_conditions *own; /* a monitor's own table */
  fencepost_fleet *fleet;
  native_queue queue; /* queue of the calls that run without the interpreter lock */
  Py_ssize_t outside; /* number of calls that released the interpreter lock; accessed only with that lock */
  int consumer;       /* descriptor of the waiting consumer, plus 1; 0 without a consumer */
  long consumer_process;
  int is_closed;
  int is_stored;      /* true if calls may wait for a disk */
  int refuses_inputs; /* true if the handle is closed and has a store; accessed only within a call */
  uint64_t removals;  /* number of devices removed so far; each removal may free a device number for another device;
                         accessed only in a call */
  uint64_t turn;      /* incremented whenever events are read; the events in flight belong to the latest consumer */
} native_handle;

/* errors.c */
int native_errors_init(PyObject *module, native_state *state);
PyObject *native_error_table(PyObject *module, PyObject *unused);
PyObject *native_raise(native_state *state, fencepost_status status, const fencepost_error *error);
PyObject *native_refuse(native_state *state, const char *format, ...);
/* Adds the counts of the consumed rows to the exception for a full queue or for an interrupted call. */
void native_attach_result(PyObject *counts);

/* values.c */
/* Gets the UTF-8 text of a str, which owns the text; returns -1 with an exception if the object is not a str, or
   contains NUL or surrogates. */
int native_text(native_state *state, PyObject *value, const char *what, const char **out);
/* Converts an int to a 64-bit integer. */
int native_time(PyObject *value, int64_t *out);
/* Returns a number, or None for NaN or FENCEPOST_TIME_UNSET. A new reference. */
PyObject *native_optional_double(double value);
/* Returns the texts of a tuple of str in an array, to be freed with PyMem_Free(). The texts are borrowed from the
   tuple. */
const char **native_texts(native_state *state, PyObject *tuple, Py_ssize_t *count);
/* Splits texts, each of which ends with a zero byte. */
PyObject *native_split_texts(const char *buffer, size_t size);
/* Returns the counts of added, replaced, kept and removed conditions. */
PyObject *native_counts_of(const fencepost_sync_result *result);
PyObject *native_optional_place(double latitude, double longitude); /* returns None if the latitude is NaN */
PyObject *native_optional_time(int64_t value);
/* Gets a store's directory from a bytes object, which owns the text, or from None. */
int native_directory(native_state *state, PyObject *value, const char **out);
/* Returns a policy as the tuple (dwell_policy, entry_dwell_us, exit_dwell_us,
   entry margin, exit margin, limit margin, accuracy factor, notify, entry
   probability, exit probability, vertical margin). */
PyObject *native_policy_tuple(const fencepost_transition_policy *policy);
/* Returns the band of a described condition as the tuple (min, max, reference
   of min, reference of max), or None. The references are counted from 0. */
PyObject *native_band_tuple(const fencepost_shape *shape);
/* The options that a definition refers to. */
typedef struct {
  fencepost_transition_policy policy;
  fencepost_timing timing;
} native_options;
/* Sets the options of a definition; `value` is None, a policy tuple (see
   above), or a tuple of a policy tuple, a timing tuple (intervals as bytes or
   None, active_until_us, absent_after_us, repeat_every_us, repeat_limit,
   max_events) and perhaps a band tuple (see above), each of which may be None.
   They are read into `options`, which refers to the bytes. */
int native_definition_options(PyObject *value, int assuming, unsigned long long tag, native_options *options,
                              fencepost_condition_definition *definition);

/* buffers.c */
/* A column: its buffer and, if its times are not in microseconds, a copy in microseconds. */
typedef struct {
  Py_buffer view;
  double number; /* the value, if the column is a single number */
  const void *start;
  int64_t stride;
  int64_t *scaled;
  int is_held;
} native_column;
/* The required type of a column, as codes of Python's struct module ("d": doubles; "lq" or "LQ": 64-bit integers). */
enum {
  NATIVE_DENSE = 1, /* the elements are contiguous and aligned; without this flag, any stride is allowed */
  NATIVE_WRITABLE = 2
};
typedef struct {
  const char *name;
  const char *codes;
  int needs;
} native_layout;
/* The number of rows that all columns must have, or -1 before the first column. `like` names the column that determined
   this number, for messages. */
typedef struct {
  const char *like;
  Py_ssize_t count;
} native_rows;
/* Opens a column into a zeroed structure, which must be released in any case. */
int native_open_column(native_state *state, PyObject *object, const native_layout *layout, native_rows *rows,
                       native_column *column);
void native_release_column(native_column *column);
/* Opens a buffer of records: bytes, or elements of exactly the record's size (a structured array). */
int native_open_records(native_state *state, PyObject *object, const char *name, Py_ssize_t size, Py_buffer *view);
/*
 * Returns the buffer's memory for the library: the buffer itself, or, if it is not aligned, a copy in *copy, to be
 * freed with PyMem_Free(). NULL: no memory.
 */
const void *native_aligned(const Py_buffer *view, void **copy);

/* Calls `of_monitor` for a monitor's events, or `of_fleet` for a fleet's events. */
#define NATIVE_EVENTS(self, of_monitor, of_fleet, ...) \
  ((self)->fleet != NULL ? of_fleet((self)->fleet, __VA_ARGS__) : of_monitor((self)->handle, __VA_ARGS__))

/* handle.c */
/* Gets the reference to a new monitor's own table, unless `status` is a failure; returns the status. */
fencepost_status native_open_own_table(native_handle *self, fencepost_status status, fencepost_error *error);
native_state *native_monitor_state(PyObject *self);
/* Creates an object that has no handle yet. */
native_handle *native_allocate(PyTypeObject *type);
/* Frees an object whose handle has been destroyed. */
void native_release(PyObject *self);

/*
 * A call on a handle consists of one or more calls of library functions, between native_begin() and native_return() (or
 * native_end()). Only one call at a time runs on a monitor or fleet. Therefore, a result of one library function (such
 * as the number of a device, or that a monitor is not closed) stays valid until the end of the call. During a call, do
 * not call Python functions, and do not begin another call on the handle.
 *
 *     Example: native_call call = native_begin(self); if (native_end(&call, fencepost_monitor_advance(self->handle,
 *     time, &call.error)) < 0) return NULL;
 */
typedef struct {
  native_handle *self;
  PyThreadState *saved; /* the thread's state while the interpreter lock is released, otherwise NULL */
  int is_alone;         /* true while it is this call's turn in the queue */
  int lacks_memory;
  fencepost_error error;
} native_call;
/*
 * Begins a call and keeps the interpreter lock, which is cheaper than releasing it and excludes all other calls.
 * Releases the interpreter lock if another call on the handle runs without the lock, or if this call may wait for a
 * disk or for the fleets of a table. While the call waits, other Python threads must be able to run.
 */
native_call native_begin(native_handle *self);
/* Begins a call and releases the interpreter lock, because the call may take long. */
native_call native_begin_batch(native_handle *self);
/*
 * Begins a call of one library function that only reads. Other calls on the handle may run at the same time; the
 * library makes calls wait for each other where necessary.
 */
native_call native_begin_question(native_handle *self);
/* Begins a call whose effect a store must save; returns 0, or -1 with an exception if the handle is closed. */
int native_begin_input(native_handle *self, native_call *call);
int native_begin_input_batch(native_handle *self, native_call *call);
/* Takes the interpreter lock again; the caller must check the library's status. */
void native_return(native_call *call);
/* Reports that the call has run out of memory. Returns a status for native_refused(), which raises the error. */
fencepost_status native_lack_memory(native_call *call);
/* Raises the error that the library reported. Returns NULL. */
PyObject *native_refused(const native_call *call, fencepost_status status);
/* Ends the call and raises errors; returns 0, or -1 with an exception if the status is not OK. */
int native_end(native_call *call, fencepost_status status);

/* monitor.c */
extern PyType_Spec native_monitor_spec;

/* table.c */
extern PyType_Spec native_conditions_spec;

/* fleet.c */
extern PyType_Spec native_fleet_spec;

/* device_names.c */
/*
 * Finds the number of the device with this identifier. The number is valid until the call returns; after that another
 * thread may remove the device, and a new device may get the number.
 */
fencepost_status native_device(native_call *call, const char *identifier, int create, fencepost_device *out);
/* Identifies the device of an input. */
typedef struct {
  const char *identifier;
  fencepost_device device;
  int is_new; /* true if the device was added for this input */
} native_entry;
/* Adds a device for an input, unless the device exists. */
fencepost_status native_enter_device(native_call *call, const char *identifier, native_entry *entry);
/* Called after the input: removes a device that was added for the input, unless part of the input was accepted. */
void native_keep_device(native_call *call, const native_entry *entry);
/* Finds the number of a device, which must exist. */
fencepost_status native_known_device(native_call *call, const char *identifier, fencepost_device *out);
/* Identifiers of devices, one after the other, in memory from malloc(). */
typedef struct {
  char *texts;
  size_t size, room;
  size_t *ends;
} native_names;
/*
 * Finds the identifiers of `count` devices. `numbers` points to the first device number; the numbers are `stride` bytes
 * apart. The structure must be zeroed, and must be released in any case.
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
  const char *text;          /* identifier of the device, if the column has only one device */
  fencepost_device only;     /* number of that device */
  const char **texts;        /* identifiers of the elements to which rows refer; NULL for other elements */
  fencepost_device *entered; /* device numbers of these elements */
  Py_ssize_t *used;          /* indices of the elements to which rows refer */
  Py_ssize_t found;          /* number of elements in `used` */
  Py_ssize_t room;           /* the initial value of `found` */
  const char **asked;        /* for one call of the library: up to `room` identifiers */
  fencepost_device *given;   /* the device numbers that this call returned for the identifiers */
  native_entry *entries;     /* the devices that were added for these rows, in the order in which they were added */
  Py_ssize_t entry_count;
  char *is_new; /* for each element, true if its device was added for these rows */
  int is_entered;
  uint64_t removals; /* the handle's number of removals at the time when the devices were added */
  fencepost_fleet_columns rows;
} native_device_column;
/*
 * Opens a column of devices. The caller must release the column even if this function fails. With a dictionary of str,
 * each row has an index into the dictionary: an integer of 1, 2, 4 or 8 bytes. If the dictionary consists of device
 * numbers (64 bits), rows with FENCEPOST_NO_DEVICE are skipped. If `codes` is None, all rows belong to one device,
 * which is the only element of `names`.
 */
int native_open_devices(native_handle *self, PyObject *codes, PyObject *names, Py_ssize_t count,
                        native_device_column *column);
/*
 * Adds the devices to which the rows from row `row` to the end refer, in the order of the rows. Does nothing if a
 * previous call has added these devices and no device has been removed since. Does nothing if the column refers to
 * devices by their numbers.
 */
fencepost_status native_enter_column(native_call *call, native_device_column *column, Py_ssize_t row, Py_ssize_t count);
/* Ends a call that adds devices: removes the new devices that had no accepted row. */
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
/* Explains a condition, with the parts for which there is room; returns -1 with an exception set. */
typedef int (*native_explain_call)(void *context, fencepost_explanation *found);
/* Returns the tuple of an explanation with all its parts. */
PyObject *native_explanation(native_explain_call explain, void *context);
/* Returns the tuple (identifier, kind, geometry, generation, tag, policy), or None. */
PyObject *native_condition(PyObject *self, PyObject *identifier);
PyObject *native_parse_uuid(PyObject *module, PyObject *text);

/* inputs.c */
/* Reads the arguments latitude, longitude, accuracy and time. */
int native_read_fix(PyObject *const *args, fencepost_fix *fix);
/* Reads what a fix has besides: nothing, the three numbers of an error ellipse,
   or these and the four numbers of a height. Makes columns of one row with the
   fix, which refer to `beside`; returns 0, or -1 with an exception. */
int native_read_beside(PyObject *const *args, Py_ssize_t count, const fencepost_fix *fix, double beside[7],
                       fencepost_fix_columns *columns);
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
/* If one invalid row refuses the whole batch, raises the error for the first invalid row. Call this function before any
   row is fed. */
int native_try_rows(native_state *state, const fencepost_fix_columns *fixes, size_t count);
/*
 * Feeds the rows of columns to a monitor or, if the handle is a fleet, to `devices`. Raises the exception of a signal
 * handler. The returned result contains the counts of the consumed rows.
 */
PyObject *native_feed_rows(native_handle *self, native_state *state, const fencepost_fix_columns *fixes,
                           native_device_column *devices, size_t count);

/* changes.c */
/* The table that the handle changes: a shared table, or a monitor's own table. */
static inline fencepost_conditions *native_conditions(const native_handle *self) {
  return self->table != NULL ? self->table : self->own;
}
/* The mode of the functions that put columns. */
static inline fencepost_put_mode native_mode(int ensure) { return ensure ? FENCEPOST_PUT_ENSURE : FENCEPOST_PUT_ADD; }
/* Adds or ensures one definition, and ends the call; returns whether anything changed. */
PyObject *native_put_one(native_call *call, const fencepost_condition_definition *definition, int ensure);

/* sets.c */
/* Adds or ensures circles from latitudes, longitudes, radii and, unless NULL, tags. */
PyObject *native_put_circles(native_handle *self, native_state *state, PyObject *identifiers,
                             const double *const columns[3], const uint64_t *tags,
                             const fencepost_condition_definition *common, int ensure);
PyObject *native_sync(PyObject *self, PyObject *definitions);
/* Adds or ensures definitions, either all of them or none. Returns counts as native_counts_of() does; if
   definitions are added, they are 0. */
PyObject *native_put(PyObject *self, PyObject *args);
PyObject *native_remove_many(PyObject *self, PyObject *identifiers);

/* timings.c */
/* Describes a condition, with its intervals. In any case, the caller frees shape->active with free(). */
fencepost_status native_describe(native_call *call, const char *identifier, fencepost_condition *condition,
                                 fencepost_transition_policy *policy, fencepost_shape *shape);
/* Returns the timing of a described condition as the tuple (intervals as bytes
   or None, active_until_us, absent_after_us, repeat_every_us, repeat_limit,
   max_events), or None. Equal bytes are one object if they were in the dict
   `shared`, which may be NULL and receives them. */
PyObject *native_timing_tuple(const fencepost_shape *shape, PyObject *shared);

/* shapes.c */
/* Reads the tuple (WKB, radius, edges, oriented, buffer) into a definition, which borrows the bytes from the tuple. */
int native_read_shape(PyObject *geometry, fencepost_condition_definition *definition);
/* Returns the vertices of a shape, or the identifiers of the parts of a rule, as bytes. If the condition no longer exists,
   returns NULL without setting an exception. */
PyObject *native_vertices_of(native_handle *self, const char *identifier);
/* Returns the tuple (WKB, radius, edges, oriented, buffer) for a condition that
   is a shape; None if the condition no longer exists. */
PyObject *native_shape_tuple(native_handle *self, const char *identifier, fencepost_shape *shape);
PyObject *native_add_shape(PyObject *self, PyObject *args);
PyObject *native_add_shapes(PyObject *self, PyObject *args);
PyObject *native_shape(PyObject *self, PyObject *identifier);
PyObject *native_nearest_boundary_point(PyObject *self, PyObject *args);
PyObject *native_shape_distance(PyObject *module, PyObject *args);

/* shape_columns.c */
/* Opens a column of 32-bit offsets, with one more element than there are items. */
int native_open_offsets(native_state *state, PyObject *object, const char *name, Py_buffer *view);
PyObject *native_add_shape_columns(PyObject *self, PyObject *args);

/* rules.c */
/* Reads the tuple (identifiers of the parts, form, number of parts) of a rule into a definition. The returned array, to
   be freed with PyMem_Free() after the call of the library, refers to the texts of the tuple. NULL: an exception is set. */
const char **native_read_rule(native_state *state, PyObject *geometry, fencepost_condition_definition *definition);
PyObject *native_add_rule(PyObject *self, PyObject *args);
/* Returns this tuple, with a list of the parts, for a condition that is a rule; None if the condition no longer exists. */
PyObject *native_rule_tuple(native_handle *self, const char *identifier, fencepost_shape *shape);
/* Returns the parts of an explanation as tuples of an identifier and a state; None for other conditions than rules. */
PyObject *native_parts_tuple(const fencepost_explanation *found);

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
/* Raises an error if a consumer waits for events. */
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
PyObject *native_device_safe_distance(PyObject *self, PyObject *args);
PyObject *native_device_plan(PyObject *self, PyObject *args);
PyObject *native_circle_contains(PyObject *module, PyObject *args);
PyObject *native_significant_change(PyObject *module, PyObject *args);
PyObject *native_best_fix(PyObject *module, PyObject *args);

/* questions.c */
PyObject *native_containing(PyObject *self, PyObject *args);
PyObject *native_nearest(PyObject *self, PyObject *args);
PyObject *native_identifiers_of(PyObject *self, PyObject *generations);
PyObject *native_probability(PyObject *self, PyObject *args);

/* geodesic.c */
PyObject *native_inverse(PyObject *module, PyObject *args);
PyObject *native_direct(PyObject *module, PyObject *args);
PyObject *native_inverse_into(PyObject *module, PyObject *args);
PyObject *native_direct_into(PyObject *module, PyObject *args);

/* beacons.c */
PyObject *native_parse_advertisement(PyObject *module, PyObject *args);

/* Lists the methods that a monitor and a table share. */
#define NATIVE_CONDITION_METHODS                                                                               \
  {"add_circle", native_add_circle, METH_VARARGS, "Add or ensure a circle; return whether anything changed."}, \
      {"add_circles", native_add_circles, METH_VARARGS, "Add or ensure circles from columns."},                \
      {"add_shape", native_add_shape, METH_VARARGS,                                                            \
       "Add or ensure a polygon or corridor; return whether anything changed."},                               \
      {"add_shapes", native_add_shapes, METH_VARARGS, "Add or ensure polygons and corridors."},                \
      {"add_shape_columns", native_add_shape_columns, METH_VARARGS,                                            \
       "Add or ensure shapes of one kind, read from columns in place."},                                       \
      {"add_line", native_add_line, METH_VARARGS, "Add or ensure a gate; return whether anything changed."},   \
      {"add_rule", native_add_rule, METH_VARARGS, "Add or ensure a rule; return whether anything changed."},   \
      {"add_beacon", native_add_beacon, METH_VARARGS,                                                          \
       "Add or ensure a beacon identity; return whether anything changed."},                                   \
      {"sync", native_sync, METH_O,                                                                            \
       "Replace the conditions by those passed; return how many were added, replaced, removed and kept."},     \
      {"put", native_put, METH_VARARGS, "Add or ensure conditions of any kind, all of them or none."},         \
      {"remove", native_remove, METH_O, "Remove a condition; return whether it existed."},                     \
      {"remove_many", native_remove_many, METH_O, "Remove conditions; return how many existed."},              \
      {"shape", native_shape, METH_O, "How the geometry of a condition was read."},                            \
      {"nearest_boundary_point", native_nearest_boundary_point, METH_VARARGS,                                  \
       "The point of a line nearest to a position, or None."},                                                 \
      {"containing", native_containing, METH_VARARGS, "The conditions that contain each point."},              \
      {"nearest", native_nearest, METH_VARARGS, "The conditions whose lines are nearest to each point."},      \
      {"probability", native_probability, METH_VARARGS, "The probabilities that true positions are inside."},  \
      {"identifiers_of", native_identifiers_of, METH_O,                                                        \
       "The identifiers of the conditions with these generation numbers."},                                    \
      {"contains", native_contains, METH_O, "True if a condition has that identifier."},                       \
      {"identifiers", native_identifiers, METH_NOARGS, "All identifiers in add order."}

/* Lists the methods that a monitor and a fleet share. */
#define NATIVE_EVENT_METHODS                                                                                         \
  {"checkpoint", native_checkpoint, METH_NOARGS, "Save the unsaved changes."},                                       \
      {"close", native_close, METH_NOARGS, "Save and close the store."},                                             \
      {"poll_event", native_poll_event, METH_NOARGS, "The next event, or None."},                                    \
      {"poll_events", native_poll_events, METH_O, "Up to a number of events."},                                      \
      {"attach", native_attach, METH_O,                                                                              \
       "Register the consumer of events; pending events make its file descriptor readable."},                        \
      {"detach", native_detach, METH_O, "Unregister the consumer of events."},                                       \
      {"next_update", native_next_update, METH_NOARGS, "The next event for the registered consumer, or None."},      \
      {"end_updates", native_end_updates, METH_NOARGS, "Stop waiting for events."},                                  \
      {"closed", native_closed, METH_NOARGS, "True if end_updates() was called."},                                   \
      {"acknowledge", native_acknowledge, METH_O, "Commit what was handed out, of a turn or None; whether it did."}, \
      {"abandon", native_abandon, METH_O,                                                                            \
       "Redeliver the uncommitted events of one turn, or of all turns if None; return whether there were any."},     \
      {"turn", native_turn, METH_NOARGS, "The number of requests for events so far."},                               \
      {"next_deadline", native_next_deadline, METH_NOARGS, "The time of the next change without an input, or None."}

#endif
