/*
 * What the files of the extension share. The extension is a thin layer: it turns Python values into the
 * arguments of include/fencepost.h and back. Ranges are the library's business; types are checked here.
 */
#ifndef FENCEPOST_PYTHON_NATIVE_H
#define FENCEPOST_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "fencepost.h"

#define NATIVE_ERROR_CLASSES 16

/* Everything that lives as long as the module: no globals, so that each interpreter has its own. */
typedef struct {
  PyObject *error_base;
  PyObject *errors[NATIVE_ERROR_CLASSES];
  PyObject *closed_error;
  PyObject *monitor_type;
} native_state;

/*
 * A monitor handle. It is released in deallocation only, where no call can be in flight, so there is no
 * "closed" state to check. `batches` counts the calls that run without the interpreter lock; it is read and
 * written with that lock held. `is_stored`: calls may wait for a disk.
 */
typedef struct {
  PyObject_HEAD fencepost_monitor *handle;
  Py_ssize_t batches;
  int consumer; /* eventfd of the consumer that waits, plus 1; 0 = none */
  long consumer_process;
  int is_closed;
  int is_stored;
  int refuses_inputs; /* closed, and it had a store */
  uint64_t turn;      /* counts who asked for events: what is in flight belongs to the last */
} native_monitor;

/* module.c */
native_state *native_monitor_state(PyObject *self);

/* errors.c */
int native_errors_init(PyObject *module, native_state *state);
PyObject *native_error_table(PyObject *module, PyObject *unused);
PyObject *native_raise(native_state *state, fencepost_status status, const fencepost_error *error);
PyObject *native_refuse(native_state *state, const char *format, ...);

/* monitor.c */
extern PyType_Spec native_monitor_spec;
/*
 * Calls hold the interpreter lock, which is cheaper than giving it up, unless a batch is running on the same
 * monitor, or it has a store: then waiting must not stop the other Python threads.
 */
PyThreadState *native_enter(native_monitor *self);
void native_leave(PyThreadState *saved);
/* A batch gives the interpreter lock up. */
PyThreadState *native_enter_batch(native_monitor *self);
void native_leave_batch(native_monitor *self, PyThreadState *saved);

/* conditions.c */
int native_text(native_state *state, PyObject *value, const char *what, const char **out);
/* (dwell_policy, entry_dwell_us, exit_dwell_us, entry, exit and limit margin, accuracy factor, notify) */
PyObject *native_policy_tuple(const fencepost_transition_policy *policy);
PyObject *native_add_circle(PyObject *self, PyObject *args);
PyObject *native_add_circles(PyObject *self, PyObject *args);
PyObject *native_add_beacon(PyObject *self, PyObject *args);
PyObject *native_remove(PyObject *self, PyObject *identifier);
PyObject *native_record(PyObject *self, PyObject *identifier);
PyObject *native_records(PyObject *self, PyObject *unused);
PyObject *native_identifiers(PyObject *self, PyObject *unused);
PyObject *native_contains(PyObject *self, PyObject *identifier);
PyObject *native_explain(PyObject *self, PyObject *identifier);
PyObject *native_parse_uuid(PyObject *module, PyObject *text);

/* inputs.c */
PyObject *native_feed_fix(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_feed_fixes(PyObject *self, PyObject *fixes);
PyObject *native_feed_sightings(PyObject *self, PyObject *args);
PyObject *native_set_scanning(PyObject *self, PyObject *args);
PyObject *native_set_host(PyObject *self, PyObject *args);
PyObject *native_advance(PyObject *self, PyObject *time);

/* The counts of the rows that were consumed also belong to the exception of a full queue or an interrupted call. */
void native_attach_result(PyObject *counts);

/* columns.c */
/* A column: its buffer, and for times of another unit than microseconds a copy in microseconds. */
typedef struct {
  Py_buffer view;
  double number; /* a column that is one number */
  const void *start;
  int64_t stride;
  int64_t *scaled;
  int is_held;
} native_column;
/*
 * Opens a column of doubles ("d") or 64-bit integers ("lq") in a zeroed structure, to be released in any case. It must
 * have *count rows, those of the columns before, latitude being the first; -1: this is the first.
 */
int native_open_column(native_state *state, PyObject *object, const char *name, const char *codes, Py_ssize_t *count,
                       native_column *column);
void native_release_column(native_column *column);
PyObject *native_feed_columns(PyObject *self, PyObject *args);

/* batches.c */
/* Feeds rows of columns, and raises what a signal handler raises; the counts of what was consumed are its result. */
PyObject *native_feed_rows(native_monitor *self, native_state *state, const fencepost_fix_columns *fixes, size_t count);

/* tracks.c */
PyObject *native_feed_tracks(PyObject *module, PyObject *args);

/* consumer.c */
/* Raises when a consumer waits for events. */
int native_refuse_second_consumer(native_monitor *self, native_state *state);
PyObject *native_attach(PyObject *self, PyObject *descriptor);
PyObject *native_detach(PyObject *self, PyObject *descriptor);
PyObject *native_end_updates(PyObject *self, PyObject *unused);
PyObject *native_closed(PyObject *self, PyObject *unused);

/* events.c */
/* The next event, which commits the one before: 1; 0 when there is none, -1 with an error. */
int native_take_event(native_state *state, native_monitor *monitor, fencepost_event *event);
PyObject *native_event_tuple(const fencepost_event *event);
PyObject *native_event_text(native_state *state, const fencepost_event *event); /* as JSON */
PyObject *native_poll_event(PyObject *self, PyObject *unused);
PyObject *native_next_update(PyObject *self, PyObject *unused);
PyObject *native_poll_events(PyObject *self, PyObject *limit);
PyObject *native_acknowledge(PyObject *self, PyObject *turn);
PyObject *native_abandon(PyObject *self, PyObject *turn);
PyObject *native_turn(PyObject *self, PyObject *unused);
PyObject *native_event_json(PyObject *module, PyObject *args);
/* A number that may be absent: NaN or FENCEPOST_TIME_UNSET become None. New references. */
PyObject *native_optional_double(double value);
PyObject *native_optional_time(int64_t value);

/* store.c */
/* Raises when it had a store and was closed: what it is given now would not be kept. */
int native_refuse_closed(native_monitor *self, native_state *state);
int native_directory(native_state *state, PyObject *value, const char **out);
PyObject *native_checkpoint(PyObject *self, PyObject *unused);
PyObject *native_close(PyObject *self, PyObject *unused);
PyObject *native_snapshot(PyObject *self, PyObject *unused);
PyObject *native_restore(PyObject *type, PyObject *snapshot);

/* planning.c */
PyObject *native_state_of(PyObject *self, PyObject *identifier);
PyObject *native_safe_distance(PyObject *self, PyObject *args);
PyObject *native_next_deadline(PyObject *self, PyObject *unused);
PyObject *native_plan(PyObject *self, PyObject *args);
PyObject *native_circle_contains(PyObject *module, PyObject *args);
PyObject *native_significant_change(PyObject *module, PyObject *args);
PyObject *native_best_fix(PyObject *module, PyObject *args);

/* geodesic.c */
PyObject *native_inverse(PyObject *module, PyObject *args);
PyObject *native_direct(PyObject *module, PyObject *args);
PyObject *native_inverse_into(PyObject *module, PyObject *args);
PyObject *native_direct_into(PyObject *module, PyObject *args);

/* beacons.c */
PyObject *native_parse_advertisement(PyObject *module, PyObject *args);

#endif
