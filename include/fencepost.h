/*
 * Fencepost: an embeddable geofencing engine.
 *
 * A monitor holds named conditions: circles, polygons and corridors on the Earth, gates (lines to cross) and beacon
 * identities. Feed the monitor position fixes, beacon sightings and the passing of time. The monitor returns an event
 * each time a condition becomes satisfied or unsatisfied; the event contains the fix that caused this change. A fleet
 * does the same for many devices, which share one table of conditions.
 *
 *     fencepost_monitor *monitor;
 *     fencepost_error error = FENCEPOST_ERROR_INIT;
 *     if (fencepost_monitor_create(NULL, NULL, &monitor, &error) != FENCEPOST_OK) return fail(error.message);
 *     fencepost_monitor_add_circular_condition(monitor, "office", 37.3349, -122.0090, 200, NULL, &error);
 *
 *     fencepost_fix fix = {37.3349, -122.0091, 5, 1700000000000000};
 *     fencepost_monitor_feed_fix(monitor, &fix, &error);
 *
 *     fencepost_event event;
 *     uint32_t available;
 *     while (fencepost_monitor_poll_event(monitor, &event, &available, &error) == FENCEPOST_OK && available)
 *       printf("%s is now %d\n", event.identifier, event.state);
 *     fencepost_monitor_destroy(monitor);
 *
 * The rules that every program needs:
 *
 * Units:    Coordinates are WGS84 degrees, latitude first; distances are metres along the geodesic; times are int64_t
 *           microseconds since 1970-01-01T00:00:00Z.
 * Errors:   A function that can fail returns a fencepost_status. On failure nothing has changed and the outputs are
 *           untouched, unless the function says otherwise. The last parameter receives one line that states the cause,
 *           the place and the accepted range; it may be NULL.
 * Structs:  Set each struct with its ..._INIT macro, then change members. Pass NULL for default options.
 * Clock:    The library reads no clock: the time of the last input is the monitor's time. Call
 *           fencepost_monitor_advance() from a timer, so that dwell times end while the device stands still.
 * Events:   Each poll commits the events that earlier polls delivered. After a crash, uncommitted events are delivered
 *           again with the same sequence number. Handle each event at least once, and recognise a repeated event by its
 *           sequence number.
 * Memory:   Inputs are read during the call. Outputs are copied into your memory. Free monitors, tables and fleets with
 *           their destroy functions; nothing else needs freeing.
 * Threads:  Monitors, fleets and tables may be used from several threads; each has its own lock.
 *
 * Where to find more:
 *
 *     one device         fencepost_monitor_...         fixes, sightings, events, and a table of conditions of its own
 *     many devices       fencepost_fleet_...           the same for up to millions of devices
 *     conditions         fencepost_conditions_...      changes of a table, and questions about conditions and points
 *     a polygon          fencepost_polygon()           GeoJSON and maps need FENCEPOST_EDGES_PLANAR
 *     a store on disk    options.store_directory       the state survives crashes and power failures
 *     geodesy            fencepost_geodesic_...        distance, azimuth and destination
 *
 * This header is the complete API: names that are not in this file are not API. "Since" names the version that added a
 * function.
 *
 * Details and caveats:
 *
 * Statuses: The comments of functions list the statuses without their prefix. If a comment does not explain a status,
 *           the status has its usual cause. NULL_ARGUMENT: a required pointer is NULL. INVALID_ARGUMENT: an identifier
 *           does not have 1 ... 256 bytes of UTF-8; a coordinate, time, enumerator or count is out of its range; or a
 *           structure was not initialised with its ..._INIT macro. UNSUPPORTED: a structure has nonzero members that
 *           this library does not know. NOT_FOUND: no condition has the identifier. NO_SUCH_DEVICE: no device of the
 *           fleet has the number. LATE_INPUT and AHEAD_OF_CLOCK: see Time and Wrong times. QUEUE_FULL: as many events
 *           wait as max_pending_events allows; poll them, then repeat the call.
 * Time:     Every instant is an event time in the years 1 to 9999 (FENCEPOST_TIME_MIN ... FENCEPOST_TIME_MAX). The
 *           monitor's clock is the largest time of its inputs; an input with an earlier time is refused with
 *           FENCEPOST_E_LATE_INPUT. The same inputs give the same events, byte for byte, on every platform.
 * Wrong times:
 *           One input with a time far in the future (a receiver without satellites may say 2079) moves the clock to
 *           that time, so all later inputs are late. The max_time_step_us option refuses an input that is too far ahead
 *           of the clock with FENCEPOST_E_AHEAD_OF_CLOCK; this option cannot check the first input of a monitor. If
 *           more time than max_time_step_us has really passed, call fencepost_monitor_advance(), which ignores the
 *           option. fencepost_monitor_rewind() sets back a clock that is too far ahead. Fleets have advance and rewind
 *           functions for the whole fleet and for one device; in a fleet, max_time_step_us also limits an advance of
 *           all devices.
 * Place:    Latitude is -90 ... 90, longitude -180 ... 180. Distances are computed on the WGS84 ellipsoid by the method
 *           of Karney (2013), accurate to 15 nanometres. Heights are ignored.
 * Exact:    The side of a line on which a point lies, and all times, counts, orders and identifiers are exact: none of
 *           them depends on an approximation. A position on the boundary counts as inside. Output doubles are identical
 *           on every system, bit for bit.
 * Threads:  Functions without a monitor, fleet or table share no state.
 * Cancel:   If a thread is inside a call, pthread_cancel() takes effect only after the call: cancellation is disabled
 *           during calls on a monitor or fleet with a store and during a wake-up callback. Asynchronous cancellation
 *           is not supported.
 * Stack:    A calling thread needs 48 kB of stack, or 96 kB to open a fleet from its store or a snapshot.
 * Numbers:  Calls raise no floating-point exceptions except inexact and underflow: a host may trap invalid, division by
 *           zero and overflow. If the rounding mode is not to-nearest, the last digits may differ, and a fix within
 *           nanometres of a boundary may be decided differently.
 * Destroy:  Do not destroy a monitor, fleet or table while another thread is inside a call on it, and do not use it
 *           afterwards. A wake-up callback must not destroy its monitor or fleet.
 * fork:     After fork(), the child may use a monitor, fleet or table only if no other thread was inside a call on it.
 *           In the child, a monitor or fleet with a store continues in memory, as if its store could not be written;
 *           the parent keeps the store.
 * Stores:   While a store is open, no other process or handle can use its file. The lock belongs to the
 *           open file. If other code in the same process opens and closes the file, for example to back it up, the lock
 *           remains. If you copy the file while it is open, the copy is at best as complete as the file would be after
 *           a crash; a snapshot is always complete.
 * Memory:   Sizes and limits are checked before anything is allocated. If the system is out of memory, the process
 *           ends.
 * Arrays:   An array may be NULL only where its description says so, and only if its count is 0. A count above
 *           INT64_MAX divided by the size of an element is refused with FENCEPOST_E_INVALID_ARGUMENT. With an output
 *           capacity of 0 a function returns the needed size and FENCEPOST_OK. No input crashes the process, except by
 *           using up its memory.
 * Static:   The static library contains no Swift runtime, so a program can link it together with any other library.
 *           (The static library of the full build contains a Swift runtime: a program may link one such static library,
 *           and any number of shared ones.)
 * Backtrace:
 *           The library exports only the symbols below and has no unwind tables (.eh_frame): a backtrace ends
 *           there, and a C++ exception cannot pass through a callback. The full build has unwind tables.
 * Host:     The library starts no thread, installs no signal handler, reads no environment variable or locale, uses no
 *           network, has no global state, and opens no file except those in your store directory. (The hash seed and
 *           the number of a new store come from getrandom(), or from AT_RANDOM where a sandbox refuses that call.
 *           SQLite uses SQLITE_TMPDIR and TMPDIR for data that does not fit into memory. The Swift runtime of the full
 *           build reads its SWIFT_... variables, LIBDISPATCH_STRICT, /proc/self/maps and the number of processors when
 *           the library is loaded.)
 * Sanitizer:
 *           The Thread Sanitizer does not see the internal lock: run the host with
 *           TSAN_OPTIONS=suppressions=PREFIX/share/fencepost/tsan.supp, which is installed with the library. The
 *           sanitizer may still report races on data that your threads exchange only through the library, such as the
 *           context of a wake-up callback.
 */
#ifndef FENCEPOST_H
#define FENCEPOST_H

#include <stddef.h>
#include <stdint.h>

/* Version of this header. Compare this version with fencepost_version_string() at start-up. */
#define FENCEPOST_VERSION_MAJOR 0
/* Before 1.0, each minor version may change the ABI, and the SONAME with it. */
#define FENCEPOST_VERSION_MINOR 3
/* Incremented by releases that only fix defects. */
#define FENCEPOST_VERSION_PATCH 0

/* Marks the functions that the library exports. */
#if defined(__GNUC__) || defined(__clang__)
#define FENCEPOST_API __attribute__((visibility("default")))
#else
#define FENCEPOST_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------- status */

/* Result of a call. Numbers are never changed or reused; treat an unknown number as a failure. */
typedef int32_t fencepost_status;
enum {
  FENCEPOST_OK = 0,
  /* misuse of a call */
  FENCEPOST_E_NULL_ARGUMENT = 1,    /* a required pointer is NULL */
  FENCEPOST_E_INVALID_ARGUMENT = 2, /* a value is out of its range */
  FENCEPOST_E_BUFFER_TOO_SMALL = 3, /* the buffer is too small for the result; the needed size was stored */
  FENCEPOST_E_UNSUPPORTED = 4,      /* a structure uses members that this library does not know */
  /* monitors */
  FENCEPOST_E_INVALID_NAME = 20,            /* the name does not match [A-Za-z0-9_]{1,64} */
  FENCEPOST_E_MONITOR_IN_USE = 21,          /* a monitor or fleet with that name is open in that store directory */
  FENCEPOST_E_CONSUMER_ALREADY_ACTIVE = 22, /* another consumer is iterating over the events */
  /* conditions */
  FENCEPOST_E_NOT_FOUND = 40,      /* no condition has the given identifier */
  FENCEPOST_E_NO_SUCH_DEVICE = 41, /* no device in the fleet has that number */
  /* inputs */
  FENCEPOST_E_LATE_INPUT = 60,     /* the input is earlier than the clock of the monitor, device or fleet */
  FENCEPOST_E_QUEUE_FULL = 61,     /* max_pending_events events wait for delivery */
  FENCEPOST_E_AHEAD_OF_CLOCK = 62, /* the input is later than the clock by more than max_time_step_us */
  /* stores and snapshots */
  FENCEPOST_E_STORE_UNAVAILABLE = 80, /* the store cannot be opened, read or written */
  FENCEPOST_E_STORE_CORRUPT = 81,     /* the store's file is damaged, or was not written by this library */
  FENCEPOST_E_STORE_TOO_NEW = 82,     /* the store was written by a newer version of the library */
  FENCEPOST_E_SNAPSHOT_INVALID = 83,  /* the bytes are not a snapshot that this version can restore */
  FENCEPOST_E_TABLE_MISMATCH = 84,    /* the device was exported with another version of the table of conditions */
  /* a defect of the library */
  FENCEPOST_E_INTERNAL = 120
};

/*
 * Details of a failure; the caller owns the structure. A call that succeeds leaves the structure unchanged. Later
 * versions may add members at the end. If struct_size was not set, only the 272 bytes of version 0.1 are written.
 */
typedef struct fencepost_error {
  uint32_t struct_size;    /* set by FENCEPOST_ERROR_INIT */
  fencepost_status status; /* the status that the call returned */
  uint64_t position;       /* index of the offending row or element if the call takes several; else 0 */
  char message[256];       /* UTF-8, one line, always terminated */
} fencepost_error;

/* Initialise each fencepost_error with this macro. */
#define FENCEPOST_ERROR_INIT {sizeof(fencepost_error), 0, 0, {0}}

/*
 * Returns the name of a status in lower case without its prefix ("ok", "late_input"), or "unknown_status" for an
 * unknown number. Static text, never NULL.
 * Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API const char *fencepost_status_name(fencepost_status status);

/*
 * Returns one sentence that says what a status means, for any number. Static text, never NULL.
 * Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API const char *fencepost_status_message(fencepost_status status);

/*
 * Returns the version of the library as "MAJOR.MINOR.PATCH". Static text, never NULL.
 * Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API const char *fencepost_version_string(void);

/* -------------------------------------------------------------------------------------------- types */

/* The value of a time that is not set, such as date_us in the record of a monitor whose clock is not set. */
#define FENCEPOST_TIME_UNSET INT64_MIN
/* The earliest time: 0001-01-01T00:00:00Z. */
#define FENCEPOST_TIME_MIN (-62135596800000000LL)
/* The latest time: 9999-12-31T23:59:59.999999Z. */
#define FENCEPOST_TIME_MAX 253402300799999999LL

/* Longest identifier in bytes, without the terminating zero. */
#define FENCEPOST_IDENTIFIER_MAX 256

/* State of a condition. The values are the same as in Core Location. */
typedef int32_t fencepost_state;
enum {
  FENCEPOST_STATE_ANY = -2,        /* in a list: the conditions in every state */
  FENCEPOST_STATE_DEFAULT = -1,    /* only as the assumed state of a definition: the default of the table. Since: 0.3 */
  FENCEPOST_STATE_UNKNOWN = 0,     /* not decided yet */
  FENCEPOST_STATE_SATISFIED = 1,   /* inside the shape; a matching beacon is near */
  FENCEPOST_STATE_UNSATISFIED = 2, /* outside; no matching beacon is near */
  FENCEPOST_STATE_UNMONITORED = 3  /* not monitored: over the condition limit, or unsupported */
};

/* The cause of an event. */
typedef int32_t fencepost_cause;
enum {
  FENCEPOST_CAUSE_NONE = 0,          /* the first record of a condition: nothing has happened yet */
  FENCEPOST_CAUSE_DETERMINATION = 1, /* first evidence after the state was undetermined */
  FENCEPOST_CAUSE_CROSSING = 2,      /* a change from one side to the other */
  FENCEPOST_CAUSE_TIMEOUT = 3,       /* no matching beacon was seen during the timeout, or no fix determined a shape
                                        within absent_after_us */
  FENCEPOST_CAUSE_DIAGNOSTIC = 4,    /* only the diagnostics changed, or monitoring stopped */
  FENCEPOST_CAUSE_REPEAT = 5         /* the condition is still satisfied; see repeat_every_us of a fencepost_timing */
};

/*
 * Returns the name of a state in lower case without its prefix ("satisfied"), or "unknown_state" for an unknown number.
 * Static text, never NULL.
 * Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API const char *fencepost_state_name(fencepost_state state);

/*
 * Returns the name of a cause in lower case without its prefix ("crossing"), or "unknown_cause" for an unknown number.
 * Static text, never NULL.
 * Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API const char *fencepost_cause_name(fencepost_cause cause);

/* Reasons why events are or will be suspended; a bit set. */
enum {
  FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED = 1 << 0,
  FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED_GLOBALLY = 1 << 1,
  FENCEPOST_DIAGNOSTIC_AUTHORIZATION_RESTRICTED = 1 << 2,
  FENCEPOST_DIAGNOSTIC_INSUFFICIENTLY_IN_USE = 1 << 3,
  FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED = 1 << 4,
  FENCEPOST_DIAGNOSTIC_CONDITION_UNSUPPORTED = 1 << 5,    /* set by the library */
  FENCEPOST_DIAGNOSTIC_CONDITION_LIMIT_EXCEEDED = 1 << 6, /* set by the library */
  FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE = 1 << 7,  /* set by the library */
  FENCEPOST_DIAGNOSTIC_SERVICE_SESSION_REQUIRED = 1 << 8,
  FENCEPOST_DIAGNOSTIC_AUTHORIZATION_REQUEST_IN_PROGRESS = 1 << 9,
  FENCEPOST_DIAGNOSTIC_INACTIVE = 1 << 10,       /* set by the library: the time is outside the intervals of the
                                                    condition, or the condition is exhausted */
  FENCEPOST_DIAGNOSTIC_SCHEDULE_ENDED = 1 << 11, /* set by the library: active_until_us has passed */
  FENCEPOST_DIAGNOSTIC_EXHAUSTED = 1 << 12       /* set by the library: the condition has had max_events events */
};

/* Kind of a condition. */
typedef int32_t fencepost_condition_kind;
enum {
  FENCEPOST_CONDITION_FROM_WKB = 0, /* only in a definition with wkb: polygonal for polygons, corridor for lines. Since:
                                       0.3 */
  FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC = 1,
  FENCEPOST_CONDITION_BEACON_IDENTITY = 2,
  FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC = 3,
  FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC = 4,
  FENCEPOST_CONDITION_LINE_GEOGRAPHIC = 5, /* Since: 0.2 */
  FENCEPOST_CONDITION_RULE = 6             /* its state follows from the states of other conditions. Since: 0.3 */
};

/* How many parts of a rule must be satisfied. Since: 0.3 */
typedef uint32_t fencepost_rule_form;
enum {
  FENCEPOST_RULE_AT_LEAST = 0, /* the number in at_least */
  FENCEPOST_RULE_ALL = 1,      /* every part */
  FENCEPOST_RULE_ANY = 2,      /* at least one part */
  FENCEPOST_RULE_NONE = 3      /* no part */
};

/* The number of a device in its fleet: see "Devices" at fencepost_fleet. */
typedef uint64_t fencepost_device;

/* The value that is used instead of a device number when there is no such device; the device of a monitor's events. */
#define FENCEPOST_NO_DEVICE 0

/* Selects every device of a fleet in the calls that say so. No device has this number, and it is not
   FENCEPOST_NO_DEVICE: a look-up that found nothing never selects all devices. */
#define FENCEPOST_ALL_DEVICES UINT64_MAX

/* One position sample. Arrays of fixes are read in place. */
typedef struct fencepost_fix {
  double latitude;   /* degrees, -90 ... 90 */
  double longitude;  /* degrees, -180 ... 180 */
  double accuracy_m; /* radius of uncertainty, metres; 0 = not reported; negative or NaN = no position */
  int64_t time_us;   /* when the position was determined */
} fencepost_fix;

/* One beacon observation within a scan report. */
typedef struct fencepost_beacon_sighting {
  uint8_t uuid[16]; /* the bytes in the order in which a UUID is written and broadcast */
  uint16_t major;   /* 0 ... 65535 */
  uint16_t minor;   /* 0 ... 65535 */
  int32_t rssi_dbm; /* signal strength; INT32_MIN = unknown, which counts as the weakest */
} fencepost_beacon_sighting;

/* -------------------------------------------------------------------------------- policy and options */

/* What ends a dwell. */
typedef int32_t fencepost_dwell_policy;
enum {
  FENCEPOST_DWELL_TIMER = 0,   /* a change is confirmed when the dwell has passed without contrary evidence */
  FENCEPOST_DWELL_EVIDENCE = 1 /* a change is confirmed by the first fix on the new side after the dwell has passed */
};

/* Which changes become events; a bit set. A change that does not become an event still updates the record. */
enum {
  FENCEPOST_NOTIFY_INITIAL = 1 << 0, /* an undetermined state is determined */
  FENCEPOST_NOTIFY_ENTRY = 1 << 1,
  FENCEPOST_NOTIFY_EXIT = 1 << 2,
  FENCEPOST_NOTIFY_ALL = 7
};

/*
 * The rules by which a crossing of a circle, polygon or corridor is detected. A fix is decisive when it lies beyond the
 * boundary by the margin; the crossing is confirmed when the device has then stayed on that side for the dwell. In the
 * formulas, "radius" is depth_m of fencepost_shape: for a polygon its depth, for a corridor half its width.
 *   margin inwards  = min(max(entry_margin_m, accuracy_factor * accuracy), radius / 2)
 *   margin outwards = max(exit margin, accuracy_factor * accuracy)
 * With probabilities, a fix is decisive only if it is certain enough, too: inwards if the probability that the shape
 * contains the true position is at least entry_probability, outwards if it is at most exit_probability. Set both, or
 * leave both at 0; with probabilities, accuracy_factor must be 0. No fix is then too coarse, a position on a path decides
 * nothing, and a shape much smaller than the error is never entered. See accuracy_confidence of the options.
 * Later versions may add members at the end.
 */
typedef struct fencepost_transition_policy {
  uint32_t struct_size;                /* set by the INIT macros */
  fencepost_dwell_policy dwell_policy; /* FENCEPOST_DWELL_... */
  int64_t entry_dwell_us;              /* 0 ... 1e15 */
  int64_t exit_dwell_us;               /* 0 ... 1e15 */
  double entry_margin_m;               /* finite, >= 0 */
  double exit_margin_m;                /* finite, >= 0 */
  double exit_margin_limit_m;          /* 0: the exit margin is exit_margin_m; otherwise the exit margin is the radius,
                                          clamped to exit_margin_m ... exit_margin_limit_m */
  double accuracy_factor;              /* finite, >= 0; 0: accuracy is ignored */
  uint32_t notify;                     /* FENCEPOST_NOTIFY_... */
  uint32_t reserved;                   /* 0 */
  double entry_probability;            /* above 0.5, at most 0.99999; 0: the margins alone decide */
  double exit_probability;             /* at least 0.00001, below 0.5; 0: the margins alone decide */
  double vertical_margin_m;            /* the margin at the limits of a band of altitudes, finite, >= 0; at most half of
                                          the thickness of the band inwards. A condition without a band does not keep
                                          it in a store or snapshot. Since: 0.3 */
} fencepost_transition_policy;

/* clang-format off */
/* The default: 20 s dwell, 20 m margins, accuracy counts. */
#define FENCEPOST_TRANSITION_POLICY_STANDARD_INIT \
  {sizeof(fencepost_transition_policy), FENCEPOST_DWELL_TIMER, 20000000, 20000000, 20, 20, 0, 1, \
   FENCEPOST_NOTIFY_ALL, 0, 0, 0, 10}
/* No dwell, no margins: the boundary itself decides. */
#define FENCEPOST_TRANSITION_POLICY_EXACT_INIT \
  {sizeof(fencepost_transition_policy), FENCEPOST_DWELL_TIMER, 0, 0, 0, 0, 0, 0, FENCEPOST_NOTIFY_ALL, 0, 0, 0, 0}
/* Approximates Core Location, whose rules are only partly known: the exit margin is the radius of the circle, clamped
   to 60 to 200 m. */
#define FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT \
  {sizeof(fencepost_transition_policy), FENCEPOST_DWELL_TIMER, 20000000, 20000000, 20, 60, 200, 1, \
   FENCEPOST_NOTIFY_ALL, 0, 0, 0, 0}
/* clang-format on */

/* Which events are delivered when several changes of a condition are pending. */
typedef int32_t fencepost_delivery;
enum {
  FENCEPOST_DELIVERY_EVERY = 0, /* every change is delivered, in order */
  FENCEPOST_DELIVERY_FIRST = 1, /* only the first pending change of each condition is delivered; after that event is
                                   handled, the current state follows */
  FENCEPOST_DELIVERY_LATEST = 2 /* only the last pending change of each condition is delivered; there is no event if
                                   that change leads back to the last reported state */
};

/* The order of the events of one instant: of one input, together with everything that is due at its time. In a fleet, the
   order applies to the events of each device. Reports about flags come first in any case. */
typedef int32_t fencepost_order;
enum {
  FENCEPOST_ORDER_ADD = 0,        /* the determinations of the input, in the order in which the conditions were added;
                                     then the confirmed changes, by deadline, then in that order */
  FENCEPOST_ORDER_EXITS_FIRST = 1 /* changes to UNSATISFIED, then changes to SATISFIED, then crossings of lines; within
                                     each of them in the order ADD */
};

/* When a monitor or fleet with a store saves changes durably. The store survives crashes in every mode; the modes
   differ in how many recent inputs a crash may lose: see fencepost_monitor_create() and fencepost_fleet_create(). */
typedef int32_t fencepost_durability;
enum {
  FENCEPOST_DURABILITY_CHANGES = 0,     /* saves changes of states, candidates and the queue before the call returns */
  FENCEPOST_DURABILITY_EVERY_INPUT = 1, /* saves each input before the call returns; a batch is one input */
  FENCEPOST_DURABILITY_RELAXED = 2      /* saves at checkpoints, on closing, and every checkpoint_interval_us of event
                                           time; such a timed save of thousands of changes is divided into parts, and
                                           each later call saves one part */
};

/*
 * How the device is assumed to have moved from one fix to the next. With a path, the events are the same as for
 * infinitely many fixes along the path, each with the larger of the two accuracy values at the ends of the path. A
 * device that drives through a circle between two fixes therefore gives an event for entering and one for leaving, each
 * with a time to the microsecond. No movement is assumed if the fixes are more than max_gap_us apart, or if the
 * movement would be faster than max_speed_mps; the next event then has FENCEPOST_EVENT_AFTER_GAP. A crossing earlier
 * than the monitor's clock is treated as late, like a fix with that time.
 */
typedef int32_t fencepost_path;
enum {
  FENCEPOST_PATH_FIXES = 0,   /* no path: only the fixes themselves count */
  FENCEPOST_PATH_GEODESIC = 1 /* along the WGS84 geodesic, at constant speed */
};

/*
 * A table of conditions that fleets share. The table may be used from any thread without a lock of your own: feeding
 * reads the table, while a call that adds or removes conditions waits until each fleet over the table is between two
 * rows. Each device sees a change at its next input. References are counted: each fleet holds one reference, and each
 * fencepost_conditions pointer holds one reference.
 *
 *     fencepost_conditions *zones;
 *     fencepost_conditions_create(&zones, NULL);
 *     fencepost_condition_definition depot = fencepost_circle("depot", 47.55, 7.59, 200);
 *     fencepost_conditions_add(zones, &depot, 1, NULL);
 *     fencepost_fleet *fleet;
 *     fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
 *     options.conditions = zones;
 *     fencepost_fleet_create(&options, &fleet, NULL);
 *     const char *names[] = {"truck-7"};
 *     fencepost_device truck;
 *     fencepost_fleet_enter_devices(fleet, names, 1, 1, &truck, NULL);
 *     fencepost_fix fix = {47.55, 7.59, 5, 1700000000000000};
 *     fencepost_fleet_feed_fix(fleet, truck, &fix, NULL);
 *     fencepost_fleet_advance(fleet, 1700000020000000, NULL);
 *     fencepost_event event;
 *     size_t available;
 *     while (fencepost_fleet_poll_events(fleet, &event, 1, &available, NULL) == FENCEPOST_OK && available)
 *       printf("device %d: %s is now %d\n", (int)event.device, event.identifier, event.state);
 *
 * Assumed state: with any assumed state except UNSATISFIED, the first fix of each device gives an event for the
 * condition, wherever the device is: 100 000 events a device for a table of 100 000 conditions. Therefore the default
 * of a table, FENCEPOST_STATE_DEFAULT, is UNSATISFIED. In a monitor's own table, it is UNKNOWN.
 */
typedef struct fencepost_conditions fencepost_conditions;

/*
 * Options of a monitor or a fleet. Initialise the structure with FENCEPOST_MONITOR_OPTIONS_INIT or
 * FENCEPOST_FLEET_OPTIONS_INIT, then change members. Later versions may add members at the end.
 *
 *     fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
 *     options.conditions = zones;
 *     options.name = "trucks";
 *     options.store_directory = "/var/lib/trucks";
 *     fencepost_fleet_create(&options, &fleet, &error);
 */
typedef struct fencepost_options {
  uint32_t struct_size;              /* set by the INIT macros */
  fencepost_delivery delivery;       /* FENCEPOST_DELIVERY_... */
  fencepost_conditions *conditions;  /* the table of a fleet, which takes a reference of its own; NULL = a new, empty
                                        table. A monitor always creates its own table: NULL */
  const char *name;                  /* the name in the store directory, [A-Za-z0-9_]{1,64}: at most one open monitor or
                                        fleet of a directory has this name. NULL without a store */
  const char *store_directory;       /* UTF-8; must exist. NULL = in memory only. A store needs a name */
  fencepost_durability durability;   /* FENCEPOST_DURABILITY_...; no effect without a store */
  fencepost_path path;               /* FENCEPOST_PATH_... */
  int64_t checkpoint_interval_us;    /* event time from one save to the next with FENCEPOST_DURABILITY_RELAXED, 1 ...
                                        1e15 */
  int64_t max_gap_us;                /* the longest time between two fixes that a path connects with
                                        FENCEPOST_PATH_GEODESIC, 1 ... 1e15 */
  double max_speed_mps;              /* the highest possible speed with FENCEPOST_PATH_GEODESIC, in metres per second,
                                        finite; 0 = any speed */
  uint64_t max_pending_events;       /* 1 ... 1e9; while that many events wait, inputs are refused */
  int64_t max_time_step_us;          /* 1 ... 1e15: an input is refused with FENCEPOST_E_AHEAD_OF_CLOCK if it is ahead
                                        of the clock of the monitor or device by more than this and, if an arrival time
                                        is set, also ahead of the arrival time by more than this. The option also limits
                                        fencepost_fleet_advance(). 0 = no limit. See Wrong times above */
  int64_t initial_fix_max_age_us;    /* monitors, 0 ... 1e15: how old a fix may be to decide a condition when the
                                        condition is added; -1: no earlier fix decides it. Fleets: -1 */
  int64_t beacon_exit_timeout_us;    /* 1 ... 1e15: silence after which a beacon that was near counts as gone */
  int64_t beacon_initial_timeout_us; /* 1 ... 1e15: silence after which a beacon not yet seen counts as absent */
  uint64_t condition_limit;          /* monitors: largest number of monitored conditions, all kinds together; 0 = no
                                        limit. Fleets: 0 */
  uint64_t device_limit;             /* fleets: 1 ... 67108863 devices; 0 = the maximum. Monitors: 0 */
  double plausible_speed_mps;        /* the greatest plausible speed in metres per second, finite; 0 = any speed. A fix
                                        is doubted if it is farther from the last accepted fix than this speed and the
                                        two accuracies (5 km at most) allow in the time between them (at least 1 s). A
                                        doubted fix is counted and changes nothing, not even the clock */
  int64_t corroboration_time_us;     /* 0 ... 1e15: doubted fixes in a row that follow one another and span at least
                                        this time are trusted: the last of them is applied, on a path after a gap */
  uint32_t corroboration_count;      /* 2 ... 1000: the least number of these fixes */
  fencepost_order order;             /* FENCEPOST_ORDER_...: the order of the events of one instant */
  double accuracy_confidence;        /* 0.01 ... 0.9999: the share of the true positions within the accuracy of a fix,
                                        0.68 on Android, 0.95 for eph of gpsd. Only policies with an entry_probability
                                        depend on it */
} fencepost_options;

/* clang-format off */
/* The defaults of a monitor: every change is delivered; no path; every fix is plausible; a fix up to one minute old
   decides a new condition; 30 s timeouts for beacons; no limit of conditions; in memory. */
#define FENCEPOST_MONITOR_OPTIONS_INIT \
  {sizeof(fencepost_options), FENCEPOST_DELIVERY_EVERY, NULL, NULL, NULL, FENCEPOST_DURABILITY_CHANGES, \
   FENCEPOST_PATH_FIXES, 60000000, 0, 0, 1000000, 0, 60000000, 30000000, 30000000, 0, 0, 0, 60000000, 3, 0, 0.68}
/* As in Core Location: only the first pending event of a condition is delivered, and 20 conditions are monitored. */
#define FENCEPOST_MONITOR_OPTIONS_CORE_LOCATION_INIT \
  {sizeof(fencepost_options), FENCEPOST_DELIVERY_FIRST, NULL, NULL, NULL, FENCEPOST_DURABILITY_CHANGES, \
   FENCEPOST_PATH_FIXES, 60000000, 0, 0, 1000000, 0, 60000000, 30000000, 30000000, 20, 0, 0, 60000000, 3, 0, 0.68}
/* The defaults of a fleet: those of a monitor, except that no earlier fix decides a new condition. Any number of
   devices. */
#define FENCEPOST_FLEET_OPTIONS_INIT \
  {sizeof(fencepost_options), FENCEPOST_DELIVERY_EVERY, NULL, NULL, NULL, FENCEPOST_DURABILITY_CHANGES, \
   FENCEPOST_PATH_FIXES, 60000000, 0, 0, 1000000, 0, -1, 30000000, 30000000, 0, 0, 0, 60000000, 3, 0, 0.68}
/* clang-format on */

/* ------------------------------------------------------------------------------------------- outputs */

/* The properties of an event; a bit set. The first four bits need a path. */
enum {
  FENCEPOST_EVENT_ON_PATH = 1 << 0,   /* the deciding position is a point of the path between two fixes, not a fix */
  FENCEPOST_EVENT_AFTER_GAP = 1 << 1, /* the path before the event is unknown: crossings may have been missed. If
                                             positions after the gap decide several events at the first such event
                                             time, all of these events have this bit */
  FENCEPOST_EVENT_LEFT_TO_RIGHT = 1 << 2, /* a line was crossed from left to right, as seen from its first vertex
                                             towards its last */
  FENCEPOST_EVENT_RIGHT_TO_LEFT = 1 << 3, /* a line was crossed from right to left; each crossing of a line has one of
                                             the two bits */
  FENCEPOST_EVENT_HAS_BEACON = 1 << 4     /* the beacon_... members name the beacon that satisfied a wildcard
                                             condition */
};

/*
 * One event, with the evidence that decided it. Frozen: the size never changes; a later version may give a meaning to
 * the reserved words, which are 0. The cause and the state determine the meaning of an event:
 *
 *     cause                     state          what
 *     CROSSING                  SATISFIED      entered (a beacon came)
 *     CROSSING, TIMEOUT         UNSATISFIED    left (no beacon any more)
 *     CROSSING                  UNKNOWN        a line condition was crossed: the flags contain the direction
 *     DETERMINATION, TIMEOUT    either         the first evidence since the add, a suspension or a rewind: where the
 *                                              device is, not that it moved
 *     DIAGNOSTIC                UNMONITORED    monitoring stopped: diagnostics say why
 *     DIAGNOSTIC                any other      only the diagnostics changed
 *
 * If an event with the cause TIMEOUT has an evidence_date_us, a beacon left; otherwise the event is a first
 * determination.
 *
 *     if (event.cause == FENCEPOST_CAUSE_CROSSING && event.state == FENCEPOST_STATE_SATISFIED)
 *       printf("entered %s\n", event.identifier);
 *     else if (event.state == FENCEPOST_STATE_UNSATISFIED &&
 *              (event.cause == FENCEPOST_CAUSE_CROSSING ||
 *               (event.cause == FENCEPOST_CAUSE_TIMEOUT && event.evidence_date_us != FENCEPOST_TIME_UNSET)))
 *       printf("left %s\n", event.identifier);
 */
typedef struct fencepost_event {
  uint64_t sequence;          /* 1, 2, 3 ... per monitor or per device of a fleet; 0 in a first record */
  uint64_t position;          /* 1, 2, 3 ... per monitor or per fleet, in the order in which the events were first
                                 delivered; a monitor's events have position = sequence */
  fencepost_device device;    /* the device's number in its fleet; 0 in an event of a monitor */
  uint64_t row;               /* the row that caused the event, counted from first_row of the columns of a fleet; 0 for
                                 other calls and in an event of a monitor */
  uint64_t generation;        /* 1, 2, 3 ... in the order in which conditions were added or replaced: a replaced
                                 condition gets a new number */
  uint64_t tag;               /* the condition's tag */
  int64_t date_us;            /* when the state was confirmed; FENCEPOST_TIME_UNSET in the record of a condition that
                                 was added before the clock was set */
  int64_t evidence_date_us;   /* time of the fix or sighting that started the change; FENCEPOST_TIME_UNSET = none */
  double latitude;            /* latitude of the deciding fix, degrees; NaN in this and the next three members means
                                 that there is no such fix */
  double longitude;           /* degrees */
  double accuracy_m;          /* metres */
  double boundary_distance_m; /* signed geodesic distance to the boundary: metres, negative inside */
  fencepost_state state;      /* FENCEPOST_STATE_...: the condition's state from date_us on */
  fencepost_cause cause;      /* FENCEPOST_CAUSE_... */
  uint32_t diagnostics;       /* FENCEPOST_DIAGNOSTIC_... */
  uint32_t flags;             /* FENCEPOST_EVENT_... */
  uint8_t beacon_uuid[16];    /* with FENCEPOST_EVENT_HAS_BEACON, like the next two members: as in
                                 fencepost_beacon_sighting */
  uint16_t beacon_major;      /* 0 ... 65535 */
  uint16_t beacon_minor;      /* 0 ... 65535 */
  uint32_t identifier_length; /* bytes, without the terminating zero */
  double probability;         /* probability that the shape contains the true position of the deciding fix, 0 ... 1;
                                 NaN if the policy has no probabilities, or if there is no such fix. 0 is a probability:
                                 set NaN in an event that you fill yourself */
  double vertical_distance_m; /* signed vertical distance of the deciding fix from the limits of the condition's band of
                                 altitudes: metres, negative within the band; NaN if it is not known, or without a band.
                                 Set NaN in an event that you fill yourself. Since: 0.3 */
  uint64_t decided_by;        /* event of a rule: the generation of the part that decided, that is, the last part that
                                 changed; 0 = none, as in the events of other conditions. Since: 0.3 */
  uint64_t reserved[1];       /* 0 */
  char identifier[264];       /* UTF-8, terminated; the remaining bytes are 0 */
} fencepost_event;

/* Definition of a condition as it was added, without its policy and shape: see fencepost_conditions_describe(). Frozen:
   the structure never grows. */
typedef struct fencepost_condition {
  fencepost_condition_kind kind; /* FENCEPOST_CONDITION_...: decides which members below apply */
  int32_t major;                 /* beacon identity: 0 ... 65535, -1 = any */
  int32_t minor;                 /* beacon identity: 0 ... 65535, -1 = any */
  uint32_t identifier_length;    /* bytes, without the terminating zero */
  uint64_t generation;           /* 1, 2, 3 ... in the order in which conditions were added or replaced: a
                                         replaced condition gets a new number */
  uint64_t tag;                  /* the tag with which the condition was added */
  double latitude;               /* circle: centre, degrees; other kinds: NaN */
  double longitude;              /* circle: centre, degrees; other kinds: NaN */
  double radius_m;               /* radius of a circle, half the width of a corridor, metres; other kinds: NaN */
  uint8_t uuid[16];              /* beacon identity */
  char identifier[264];          /* UTF-8, terminated; the remaining bytes are 0 */
} fencepost_condition;

/* A condition and its last handled event. Frozen: the structure never grows. */
typedef struct fencepost_record {
  fencepost_condition condition; /* its definition */
  fencepost_event last_event;    /* before the first event: sequence 0, the assumed state, the time at which the
                                    condition was added */
  fencepost_state state;         /* the current observed state, as fencepost_monitor_state() returns it */
  uint32_t reserved;             /* 0 */
} fencepost_record;

/* A condition and its current state. Frozen: the structure never grows. */
typedef struct fencepost_condition_state {
  uint64_t generation;        /* of the condition */
  uint64_t tag;               /* of the condition */
  int64_t since_us;           /* SATISFIED for a device of a fleet: when the state was confirmed; for a beacon, when it
                                 was last seen. Otherwise FENCEPOST_TIME_UNSET: see fencepost_monitor_record() */
  int64_t evidence_date_us;   /* SATISFIED for a device of a fleet: the time of the fix that showed the state, or of the
                                 last sighting. Otherwise FENCEPOST_TIME_UNSET */
  fencepost_state state;      /* as fencepost_monitor_state() and fencepost_fleet_state() return it */
  uint32_t identifier_length; /* bytes, without the terminating zero */
  char identifier[264];       /* UTF-8, terminated; the remaining bytes are 0 */
} fencepost_condition_state;

/* The counts of a batch of fixes. */
typedef struct fencepost_feed_result {
  uint64_t accepted; /* evaluated */
  uint64_t invalid;  /* skipped: coordinate or time out of range, or no position (accuracy negative or NaN) */
  uint64_t late;     /* skipped because of their time: earlier than the clock, or later than the clock by more than
                        max_time_step_us; fencepost_monitor_statistics() counts the two separately, as late_inputs and
                        ahead_inputs */
  uint64_t doubted;  /* skipped because the device cannot have reached them; see plausible_speed_mps. Since: 0.3 */
} fencepost_feed_result;

/* The state of the store of a monitor or fleet. Since: 0.2 */
typedef uint32_t fencepost_store_status;
enum {
  FENCEPOST_STORE_NONE = 0,    /* there is no store, or it was closed */
  FENCEPOST_STORE_KEPT = 1,    /* the last save succeeded */
  FENCEPOST_STORE_FAILING = 2, /* the last save failed: monitoring continues in memory, and later changes retry */
  FENCEPOST_STORE_GONE = 3     /* the file was moved, deleted or replaced while it was open: nothing is written to it */
};

/* A monitor's clock, its counters since the monitor was created, and its name. */
typedef struct fencepost_statistics {
  uint32_t struct_size;         /* set by FENCEPOST_STATISTICS_INIT */
  uint32_t reserved;            /* 0 */
  int64_t clock_us;             /* the latest time of all inputs; FENCEPOST_TIME_UNSET = no input yet */
  uint64_t input_count;         /* number of inputs: fixes, scan reports, declarations of the host, advances and
                                  rewinds. Invalid, late and far-ahead inputs count, too, but not those refused with
                                  QUEUE_FULL */
  uint64_t accepted_fixes;      /* evaluated */
  uint64_t invalid_fixes;       /* coordinate or time out of range, or no position */
  uint64_t late_inputs;         /* inputs of all kinds that were refused because they were late */
  uint64_t accepted_sightings;  /* scan reports */
  uint64_t pending_events;      /* events that wait for their first delivery */
  uint64_t handed_out_events;   /* the last sequence number assigned */
  uint64_t condition_count;     /* all conditions, including those that are not monitored */
  uint64_t ahead_inputs;        /* inputs of all kinds that were refused with FENCEPOST_E_AHEAD_OF_CLOCK */
  fencepost_store_status store; /* FENCEPOST_STORE_...: whether changes are being saved */
  uint32_t all_kept;            /* 1: all accepted inputs are saved and would survive a loss of power, so the host may
                                  acknowledge its inputs; 0: not yet, or there is no store */
  char name[72];                /* the name with which the monitor was created, terminated; empty = none. Since: 0.3 */
  uint64_t doubted_fixes;       /* the device cannot have reached them; see plausible_speed_mps. Since: 0.3 */
} fencepost_statistics;

/* Initialise each fencepost_statistics with this macro. */
#define FENCEPOST_STATISTICS_INIT {sizeof(fencepost_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, 0}

/* Why a condition is in its state: the first reason in this list that applies. */
typedef int32_t fencepost_reason;
enum {
  FENCEPOST_REASON_UNMONITORED = 1,   /* the condition is beyond the condition limit, or its kind is unsupported */
  FENCEPOST_REASON_SUSPENDED = 2,     /* a host capability is missing */
  FENCEPOST_REASON_SCANNER_OFF = 3,   /* beacons: the host has declared that scanning is off */
  FENCEPOST_REASON_NO_FIX_YET = 4,    /* shapes: no fix has come since the state became undetermined */
  FENCEPOST_REASON_TOO_COARSE = 5,    /* shapes: the last fix would decide if its accuracy were better */
  FENCEPOST_REASON_DWELLING = 6,      /* shapes: a crossing is waiting for its dwell to end */
  FENCEPOST_REASON_WITHIN_MARGIN = 7, /* shapes: the last fix is on the other side, but not decisive */
  FENCEPOST_REASON_INSIDE = 8,
  FENCEPOST_REASON_OUTSIDE = 9,
  FENCEPOST_REASON_NOT_SEEN_YET = 10, /* beacons: undetermined */
  FENCEPOST_REASON_SEEN = 11,
  FENCEPOST_REASON_ABSENT = 12,
  FENCEPOST_REASON_UNCERTAIN = 13, /* shapes: the last fix could decide by its position, but not by its probability */
  FENCEPOST_REASON_INACTIVE = 14,  /* the condition is outside its intervals, or exhausted */
  FENCEPOST_REASON_NO_HEIGHT = 15, /* shapes with a band of altitudes: the last fix is within the shape, but its height
                                      above the limits is not known */
  FENCEPOST_REASON_PARTS = 16      /* rules: the state follows from the states of the parts */
};

/*
 * Returns the name of a reason in lower case without its prefix ("within_margin"), or "unknown_reason" for an
 * unknown number. Static text, never NULL. Threads: any. Since: 0.1
 */
FENCEPOST_API const char *fencepost_reason_name(fencepost_reason reason);

/* An explanation of a condition's current state. NaN and FENCEPOST_TIME_UNSET mean "does not apply". */
typedef struct fencepost_explanation {
  uint32_t struct_size;       /* set by FENCEPOST_EXPLANATION_INIT */
  fencepost_reason reason;    /* FENCEPOST_REASON_... */
  fencepost_state observed;   /* the current observed state; UNKNOWN = undetermined */
  uint32_t diagnostics;       /* flags in force */
  double boundary_distance_m; /* distance of the last valid fix to the boundary; negative inside */
  double accuracy_m;          /* accuracy of the last valid fix */
  double entry_margin_m;      /* the entry margin that applies with the accuracy of the last valid fix */
  double exit_margin_m;       /* the exit margin that applies with the accuracy of the last valid fix */
  int64_t candidate_start_us; /* the time of the fix that began the crossing that is not yet confirmed */
  int64_t deadline_us;        /* when the candidate will be confirmed, or when the absence will be established */
  int64_t last_sighting_us;   /* beacons */
  double metres_to_decide;    /* how much farther beyond the boundary than the last fix the next fix must lie to decide,
                                 if it has the same accuracy */
  double seconds_to_decide;   /* deadline minus clock */
  double accuracy_needed_m;   /* for TOO_COARSE and UNCERTAIN: the accuracy needed to decide */
  double nearest_latitude;    /* the boundary point nearest to the last valid fix, degrees */
  double nearest_longitude;   /* degrees */
  double doubted_distance_m;  /* the distance from the last valid fix to the latest fix, if the latter is doubted (see
                                 plausible_speed_mps); NaN otherwise. Since: 0.3 */
  double doubted_seconds;     /* the time between these two fixes, at least 1 */
  double doubted_limit_mps;   /* plausible_speed_mps */
  uint32_t corroborations; /* doubted fixes in a row that corroborate each other; 0 = the latest fix is not doubted */
  uint32_t corroborations_needed; /* corroboration_count */
  double probability;             /* probability that the shape contains the true position of the last valid fix, with a
                                 policy that has probabilities */
  double ellipse_major_m;         /* error ellipse of the last valid fix, if it has one and the policy has
                                     probabilities: one-sigma semi-axes, metres */
  double ellipse_minor_m;         /* metres */
  double ellipse_orientation;     /* direction of the major axis, degrees clockwise from north */
  double vertical_distance_m;     /* signed vertical distance of the last valid fix from the limits of the band of
                                     altitudes, metres, negative within the band. Since: 0.3 */
  fencepost_condition_state *parts; /* set by the caller: for a rule, an array of parts_capacity elements that receives
                                       the parts in the order of the definition, each with the state that the rule
                                       counts. A part that the table does not contain has the generation 0. NULL: none.
                                       Since: 0.3, like the next members */
  size_t parts_capacity;            /* set by the caller: the elements of parts; 0 = none */
  uint64_t part_count;              /* the number of parts of a rule, also if parts_capacity is less; otherwise 0 */
} fencepost_explanation;

/* Initialise each fencepost_explanation with this macro. */
#define FENCEPOST_EXPLANATION_INIT \
  {sizeof(fencepost_explanation), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0}

/* ------------------------------------------------------------------------- definitions of conditions */

/*
 * Vertices of polygons or lines in the caller's columns. The columns are read in place, and use the GeoArrow layout. A
 * column of offsets says where each part or ring begins in the next column. The column of offsets has one element more
 * than there are parts or rings. Offsets ascend; the first need not be 0.
 *
 *     double latitudes[] = {47.55, 47.55, 47.57, 47.57}, longitudes[] = {7.58, 7.60, 7.60, 7.58};
 *     fencepost_geometry square = FENCEPOST_GEOMETRY_INIT;
 *     square.latitudes = latitudes, square.longitudes = longitudes, square.vertex_count = 4;
 *     fencepost_condition_definition definition = fencepost_polygon("square", &square);
 *     fencepost_conditions_add(zones, &definition, 1, &error);
 *
 * Latitudes are degrees from -90 to 90, and longitudes are degrees from -360 to 360. A ring may be open or closed; a
 * vertex equal to the previous one is dropped. At most 1 000 000 vertices per condition.
 */
typedef struct fencepost_geometry {
  uint32_t struct_size;        /* set by FENCEPOST_GEOMETRY_INIT */
  uint32_t stride;             /* bytes from one vertex to the next in both columns; 0 means 8. Interleaved x, y: 16 */
  const double *latitudes;     /* vertex_count degrees */
  const double *longitudes;    /* vertex_count degrees */
  size_t vertex_count;         /* the number of vertices in all parts together */
  const int32_t *ring_offsets; /* where each ring (polygons) or line (other kinds) begins in the vertices; NULL: all
                                  vertices form one ring or line */
  size_t ring_count;           /* number of rings (lines), one less than the number of ring offsets; 0 or 1 if
                                  ring_offsets is NULL */
  const int32_t *part_offsets; /* where each part begins in the rings; a part consists of its outer ring, followed by
                                  its holes; NULL: all rings form one part */
  size_t part_count;           /* number of parts, one less than the number of part offsets; 0 or 1 if part_offsets is
                                  NULL */
} fencepost_geometry;

/* Initialise each fencepost_geometry with this macro. */
#define FENCEPOST_GEOMETRY_INIT {sizeof(fencepost_geometry), 0, NULL, NULL, 0, NULL, 0, NULL, 0}

/* The edge between two vertices. */
typedef int32_t fencepost_edges;
enum {
  FENCEPOST_EDGES_GEODESIC = 0, /* the shortest path on the ellipsoid, at most 19 900 km long */
  FENCEPOST_EDGES_PLANAR = 1    /* a straight line in the plane of longitude and latitude, as in GeoJSON, GeoPackage and
                                Shapefile; longitudes are used as written, so an edge from -170 to 170 spans 340
                                degrees, and an edge from 170 to 190 crosses the antimeridian; geodesics approximate the
                                edge to 0.1 m */
};

/* The surface above which a limit of a band of altitudes is measured. */
typedef uint32_t fencepost_altitude_reference;
enum {
  FENCEPOST_ALTITUDE_NO_LIMIT = 0,       /* there is no such limit */
  FENCEPOST_ALTITUDE_ELLIPSOID = 1,      /* above the ellipsoid WGS84 */
  FENCEPOST_ALTITUDE_MEAN_SEA_LEVEL = 2, /* above the geoid: a fix needs a geoid height */
  FENCEPOST_ALTITUDE_GROUND = 3          /* above the ground: a fix needs a ground height */
};

/* An interval of time. Times are microseconds since 1970-01-01T00:00:00Z. */
typedef struct fencepost_interval {
  int64_t start_us; /* the first time of the interval */
  int64_t end_us;   /* the first time after the interval; later than start_us */
} fencepost_interval;

/*
 * When a condition is active, and which of its events depend on time alone. Initialise the structure with
 * FENCEPOST_TIMING_INIT, then change members. Later versions may add members at the end.
 *
 *     fencepost_interval hours[] = {{1700000000000000, 1700014400000000}};
 *     fencepost_timing timing = FENCEPOST_TIMING_INIT;
 *     timing.active = hours, timing.active_count = 1;
 *     definition.timing = &timing;
 *
 * Outside its intervals, a condition has the flag FENCEPOST_DIAGNOSTIC_INACTIVE: its state is UNKNOWN, a crossing that
 * waits for its dwell is dropped, and nothing is reported. A start has the effect of adding the same condition, without
 * a new generation: the monitor looks back at the last fix (initial_fix_max_age_us), and the first determination is
 * reported, even if the consumer knows the state, unless it agrees with `assuming`.
 *
 * Adding or ensuring an equal condition does not compare the intervals: an ensured condition takes the new ones over.
 */
typedef struct fencepost_timing {
  uint32_t struct_size;             /* set by FENCEPOST_TIMING_INIT */
  uint32_t repeat_limit;            /* the largest number of repeats while the condition stays satisfied, 1 ... 1e6;
                                       leave it at 1000 without repeat_every_us */
  int64_t active_until_us;          /* the time up to which the intervals are known: from then on, the condition has
                                       the flag FENCEPOST_DIAGNOSTIC_SCHEDULE_ENDED. INT64_MAX: the intervals are all
                                       there are */
  int64_t absent_after_us;          /* circle, polygon, corridor: if no fix has determined the shape after this time,
                                       it is unsatisfied, with FENCEPOST_CAUSE_TIMEOUT; 1 ... 1e15, 0 = never. The
                                       time counts from the add, a start, or the end of a suspension */
  int64_t repeat_every_us;          /* not for lines: while the condition is satisfied, an event with
                                       FENCEPOST_CAUSE_REPEAT at each multiple of this time since the evidence of the
                                       change; 1e6 ... 1e15, 0 = no repeats */
  uint64_t max_events;              /* after so many events, without diagnostic ones, the condition is inactive for
                                       ever (FENCEPOST_DIAGNOSTIC_EXHAUSTED); at most UINT32_MAX, 0 = no limit */
  const fencepost_interval *active; /* the intervals in which the condition is active, in order, without overlap, at
                                       most 10 000; NULL: always active. Intervals that touch are joined */
  size_t active_count;              /* the number of intervals; 0 with `active` = never active */
} fencepost_timing;

/* Initialise each fencepost_timing with this macro. */
#define FENCEPOST_TIMING_INIT {sizeof(fencepost_timing), 1000, INT64_MAX, 0, 0, 0, NULL, 0}

/* How a condition's geometry was read, and its timing. NaN means "does not apply". */
typedef struct fencepost_shape {
  uint32_t struct_size;          /* set by FENCEPOST_SHAPE_INIT */
  fencepost_condition_kind kind; /* FENCEPOST_CONDITION_... */
  fencepost_edges edges;         /* FENCEPOST_EDGES_... */
  uint32_t oriented;             /* 1: the polygon was added with the oriented option; otherwise 0 */
  double buffer_m;               /* polygons, metres */
  double radius_m;               /* radius of a circle, or half the width of a corridor, metres */
  double depth_m;        /* how far inside the boundary a position can be, metres; margins and accuracy are compared
                            with this depth. For a polygon, the depth is at most 1 % below the true value, and at most
                            100 km. For some polygons with thousands of vertices, the search ends after a fixed amount
                            of work, and the depth may be further below the true value */
  uint64_t vertex_count; /* polygons, corridors, lines: the number of vertices, without repeated and closing vertices */
  double departure_m;    /* the largest distance between geodesic and planar edges, metres; NaN: at most 1 m, so the
                            choice between geodesic and planar edges does not matter */
  uint32_t departure_part; /* index of the part where departure_m occurs, from 0 */
  uint32_t departure_ring; /* index of the ring (line) within that part where departure_m occurs; 0 is the outer ring */
  uint32_t departure_edge; /* index of the first vertex of the edge where departure_m occurs */
  uint32_t left_out_rings; /* polygons: how many rings were left out when the condition was added, because they have no
                                    vertices or are narrower than a micrometre; 0 for a condition from a store or
                                    snapshot */
  double altitude_min_m;   /* the lower limit of the band of altitudes; -infinity: none. Since: 0.3, like the next
                              members */
  double altitude_max_m;   /* the upper limit; infinity: none */
  fencepost_altitude_reference altitude_min_reference; /* FENCEPOST_ALTITUDE_...; 0: there is no lower limit */
  fencepost_altitude_reference altitude_max_reference; /* FENCEPOST_ALTITUDE_...; 0: there is no upper limit */
  fencepost_rule_form rule_form; /* rules: FENCEPOST_RULE_..., as in the definition. Since: 0.3, like the next member */
  uint32_t at_least;             /* rules: as in the definition. Other kinds: 0 */
  fencepost_interval *active;    /* set by the caller: an array of active_capacity elements that receives the intervals
                                    in which the condition is active, as many as fit; NULL: none. Since: 0.3, like the
                                    next members, which have the meanings and values of those of fencepost_timing */
  size_t active_capacity;        /* set by the caller: the elements of active; 0 = none */
  uint64_t active_count;         /* the number of intervals of the condition, also if active_capacity is less. Intervals
                                    that touch are joined */
  int64_t active_until_us;       /* INT64_MAX: the intervals are all there are, or the condition has no intervals */
  int64_t absent_after_us;       /* 0 = never */
  int64_t repeat_every_us;       /* 0 = no repeats */
  uint64_t max_events;           /* 0 = no limit */
  uint32_t repeat_limit;         /* 1000 without repeat_every_us */
  uint32_t has_active;           /* 1: the condition has intervals, and is never active if active_count is 0; 0: the
                                    condition is always active */
} fencepost_shape;

/* Initialise each fencepost_shape with this macro. */
#define FENCEPOST_SHAPE_INIT \
  {sizeof(fencepost_shape), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0}

/*
 * The definition of a condition: an element of the arrays for fencepost_conditions_add(), fencepost_conditions_ensure()
 * and fencepost_conditions_sync(). The functions fencepost_circle(), fencepost_polygon(), fencepost_corridor(),
 * fencepost_line(), fencepost_beacon() and fencepost_wkb() build a definition with the default options; then change its
 * other members.
 *
 *     fencepost_condition_definition yard = fencepost_circle("yard", 47.55, 7.59, 200);
 *     yard.tag = 7;
 *
 * Circle: satisfied within radius_m of the centre, boundary included.
 *
 * Beacon identity: satisfied while a beacon with the UUID (and the major and minor, unless -1) is near. Sightings from
 * before the add do not count.
 *
 * Polygon: satisfied within its parts, boundary included, but not in their holes.
 *
 *      +-------------+
 *     /   inside      \
 *    /    +-----+      \
 *   +     |hole |  D<0  +
 *    \    +-----+      /
 *     \     ( r )     /  D>0
 *      +-------------+
 *
 * The boundary consists of the geodesics (with FENCEPOST_EDGES_PLANAR: the straight lines in the plane of longitude and
 * latitude) between the vertices of each ring. The signed boundary distance D is -d inside and +d outside; d is the
 * distance on the ellipsoid to the nearest boundary point, accurate to 15 nm. A buffer distance is subtracted from the
 * signed distance D. On the boundary, D is 0; a position there counts as inside. An edge that occurs in both directions
 * (where parts touch, or where a file cuts a shape at 180 degrees) is not part of the boundary. The depth r is the
 * radius of the largest circle that fits inside. Margins and accuracy are compared with the depth, just as they are
 * compared with the radius of a circle.
 *
 * Poles and the antimeridian need no special treatment. A polygon is refused if edges cross, a ring has no area, a hole
 * is outside its part, parts overlap, or its inside is ambiguous. The message names the reason, the part, ring and
 * edges, and the place. Touching vertices, either winding, and parts thinner than a micrometre are accepted.
 *
 * Corridor: satisfied within radius_m of any of its lines. Ends and bends are round, and lines may cross. A line of one
 * vertex gives a circle. All lines (rings) of the geometry together form the condition; parts are ignored.
 *
 *        ______________
 *       /   r|         \
 *      ( +---+-----+    )
 *       \___________\   \
 *                    \ + \
 *                     \__/
 *
 * D is the distance to the nearest point of the lines, minus the radius. The depth of a corridor is its radius.
 *
 * Line (a gate): counts crossings; it has no width and no state. Each time the device's path changes sides, the line
 * gives an event of cause CROSSING and state UNKNOWN with FENCEPOST_EVENT_LEFT_TO_RIGHT or
 * FENCEPOST_EVENT_RIGHT_TO_LEFT, and a time to the microsecond. Every crossing gives an event, even the tenth between
 * two fixes.
 *
 *        left
 *      +-------+----->
 *        right
 *
 * Left and right are as seen from the line's first vertex towards its last. A position exactly on the line is to the
 * left of the line. The accuracy of a fix has no effect on lines. Going around an end of the line, or touching an end,
 * is not a crossing. All lines (rings) of the geometry together form the condition; each line has at least two
 * different vertices. Parts are ignored.
 *
 * A monitor can have lines only with FENCEPOST_PATH_GEODESIC and FENCEPOST_DELIVERY_EVERY; a table of conditions can
 * have lines only if each fleet over it has a path. A line is not crossed where the path is unknown
 * (FENCEPOST_EVENT_AFTER_GAP), while the host cannot monitor, or before the condition was added. If the clock was
 * advanced since the last fix, a crossing that is earlier than the clock gets the clock's time.
 *
 * Band of altitudes: a circle, a polygon or a corridor may have a lower and an upper limit of height. The vertical
 * distance V is the greater of the distances below the lower limit and above the upper limit; it is negative within the
 * band. The condition is satisfied while D <= 0 and V <= 0, and unsatisfied while D > 0 or V > 0. A fix with D <= 0 and
 * without the heights that the limits need changes nothing.
 *
 *     fencepost_condition_definition zone = fencepost_circle("zone", 47.55, 7.59, 200);
 *     zone.altitude_max_m = 120, zone.altitude_max_reference = FENCEPOST_ALTITUDE_GROUND;
 *
 * A fix that changes the state lies beyond a limit by vertical_margin_m of the policy, or by accuracy_factor times its
 * vertical accuracy if that is more; inwards by at most half of the thickness of the band. With an accuracy_factor, a fix
 * whose vertical accuracy is greater than 100 m and than half of the thickness has no height. Along a path, each height
 * changes linearly with time between two fixes that both have it.
 *
 * Rule: satisfied while enough of its parts are. The parts are shapes, beacon identities and other rules of the table,
 * which may also be added later. A part is unknown if it is missing, undetermined, suspended or not monitored; a part
 * that is inactive is unsatisfied. The rule is unknown if its unknown parts could decide it. Of the policy, the dwells and
 * `notify` apply. These rules are refused: a part that is a line, a cycle, and more than 8 rules one in another. The
 * fleets of a shared table with a rule have delivery every, and no host capabilities.
 *
 *     const char *parts[] = {"yard", "badge"};
 *     fencepost_condition_definition both = fencepost_rule("both", FENCEPOST_RULE_ALL, parts, 2);
 *
 * Well-known binary: Polygon and MultiPolygon, LineString and MultiLineString, ISO or EWKB (of WGS84), in either byte
 * order; Z and M are skipped. Untrusted bytes are safe to pass.
 */
typedef struct fencepost_condition_definition {
  uint32_t struct_size;          /* set by FENCEPOST_CONDITION_DEFINITION_INIT; the same in all elements of an array */
  fencepost_condition_kind kind; /* FENCEPOST_CONDITION_...: decides which members below apply */
  const char *identifier;        /* 1 ... 256 bytes of UTF-8, terminated, compared byte by byte */
  uint64_t tag;                  /* a number of your choice, which every event of the condition contains */
  fencepost_state assuming;      /* the state in the first record: UNKNOWN, SATISFIED, UNSATISFIED, or DEFAULT, which
                                    means UNKNOWN in a monitor's own table and UNSATISFIED in any other table */
  fencepost_edges edges;         /* polygon, corridor, line: FENCEPOST_EDGES_... */
  uint32_t oriented;             /* polygon. 0: a ring encloses the smaller of the two areas that it bounds. 1: the
                                    polygon lies to the left of each ring when you follow its vertices in the listed
                                    order, and may cover more than half the Earth */
  int32_t major;                 /* beacon identity: 0 ... 65535, -1 = any */
  int32_t minor;                 /* beacon identity: 0 ... 65535, -1 = any; needs a major */
  uint32_t max_vertices;         /* 1 ... 1 000 000: a shape with more vertices is refused before it is examined. The
                                    limit counts the vertices of all parts and rings, and the vertices at which planar
                                    edges are split, but not the vertices that close a ring. 0 means 1 000 000. Set this
                                    limit for shapes from files and from the network */
  const fencepost_transition_policy *policy; /* NULL: standard. A line has no policy: keep NULL */
  double latitude;                           /* circle: centre, degrees, -90 ... 90 */
  double longitude;                          /* circle: centre, degrees, -180 ... 180 */
  double radius_m;                           /* circle; corridor: half the width. Metres, finite, > 0 */
  double buffer_m;                    /* polygon: metres by which the boundary lies outside the rings, or inside them if
                                         negative; finite */
  uint8_t uuid[16];                   /* beacon identity; see fencepost_uuid_parse() */
  const fencepost_geometry *geometry; /* polygon, corridor, line: all its parts or lines form one condition; or use
                                         wkb */
  const void *wkb;                    /* polygon, corridor, line: well-known binary, instead of geometry */
  size_t wkb_size;                    /* its bytes */
  const fencepost_timing *timing;     /* NULL: always active, without repeats and limits. In a shared table,
                                         beacon conditions and lines have no timing, and each fleet over the table
                                         must have path fixes and delivery every */
  double altitude_min_m;              /* circle, polygon, corridor: the lower limit of the band of altitudes, -1e9 ...
                                         1e9 metres, or -infinity for none. Since: 0.3, like the next members */
  double altitude_max_m;              /* the upper limit, -1e9 ... 1e9 metres, or infinity for none; above
                                         altitude_min_m if both have the same reference */
  fencepost_altitude_reference altitude_min_reference; /* FENCEPOST_ALTITUDE_...; 0: without a limit */
  fencepost_altitude_reference altitude_max_reference; /* FENCEPOST_ALTITUDE_...; 0: without a limit */
  const char *const *parts;      /* rule: part_count identifiers of other conditions, each different and terminated.
                                    Since: 0.3, like the next members */
  size_t part_count;             /* rule: 1 ... 1000 */
  fencepost_rule_form rule_form; /* rule: FENCEPOST_RULE_... */
  uint32_t at_least;             /* rule with FENCEPOST_RULE_AT_LEAST: 1 ... part_count; other rules: 0 */
} fencepost_condition_definition;

/* Initialises a circle without an identifier or a radius: set at least the identifier, the radius and the centre. */
#define FENCEPOST_CONDITION_DEFINITION_INIT \
  {sizeof(fencepost_condition_definition),  \
   FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC, \
   NULL,                                    \
   0,                                       \
   FENCEPOST_STATE_DEFAULT,                 \
   FENCEPOST_EDGES_GEODESIC,                \
   0,                                       \
   -1,                                      \
   -1,                                      \
   0,                                       \
   NULL,                                    \
   0,                                       \
   0,                                       \
   0,                                       \
   0,                                       \
   {0},                                     \
   NULL,                                    \
   NULL,                                    \
   0,                                       \
   NULL,                                    \
   0,                                       \
   0,                                       \
   FENCEPOST_ALTITUDE_NO_LIMIT,             \
   FENCEPOST_ALTITUDE_NO_LIMIT,             \
   NULL,                                    \
   0,                                       \
   FENCEPOST_RULE_AT_LEAST,                 \
   0}

/* The definition of a circle: satisfied within radius_m of the centre, boundary included. */
static inline fencepost_condition_definition fencepost_circle(const char *identifier, double latitude, double longitude,
                                                              double radius_m) {
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.identifier = identifier;
  definition.latitude = latitude;
  definition.longitude = longitude;
  definition.radius_m = radius_m;
  return definition;
}

/* The definition of a polygon: satisfied within the parts of the geometry, boundary included. */
static inline fencepost_condition_definition fencepost_polygon(const char *identifier,
                                                               const fencepost_geometry *geometry) {
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC;
  definition.identifier = identifier;
  definition.geometry = geometry;
  return definition;
}

/* The definition of a corridor: satisfied within radius_m of the lines of the geometry, boundary included. */
static inline fencepost_condition_definition fencepost_corridor(const char *identifier,
                                                                const fencepost_geometry *geometry, double radius_m) {
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.kind = FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC;
  definition.identifier = identifier;
  definition.geometry = geometry;
  definition.radius_m = radius_m;
  return definition;
}

/* The definition of a line (a gate), which counts crossings. */
static inline fencepost_condition_definition fencepost_line(const char *identifier,
                                                            const fencepost_geometry *geometry) {
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.kind = FENCEPOST_CONDITION_LINE_GEOGRAPHIC;
  definition.identifier = identifier;
  definition.geometry = geometry;
  return definition;
}

/* The definition of a beacon identity: satisfied while a beacon with these 16 bytes, major and minor (-1 = any) is
   near. */
static inline fencepost_condition_definition fencepost_beacon(const char *identifier, const uint8_t *uuid,
                                                              int32_t major, int32_t minor) {
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  int index;
  definition.kind = FENCEPOST_CONDITION_BEACON_IDENTITY;
  definition.identifier = identifier;
  for (index = 0; index < 16; index++) definition.uuid[index] = uuid[index];
  definition.major = major;
  definition.minor = minor;
  return definition;
}

/* The definition of a rule over other conditions of the table; with FENCEPOST_RULE_AT_LEAST, set at_least too. Since:
   0.3 */
static inline fencepost_condition_definition fencepost_rule(const char *identifier, fencepost_rule_form form,
                                                            const char *const *parts, size_t part_count) {
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.kind = FENCEPOST_CONDITION_RULE;
  definition.identifier = identifier;
  definition.rule_form = form;
  definition.parts = parts;
  definition.part_count = part_count;
  return definition;
}

/* The definition of a polygon or corridor from well-known binary; radius_m is half the width of a corridor, and is
   ignored for polygons. */
static inline fencepost_condition_definition fencepost_wkb(const char *identifier, const void *wkb, size_t size,
                                                           double radius_m) {
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.kind = FENCEPOST_CONDITION_FROM_WKB;
  definition.identifier = identifier;
  definition.wkb = wkb;
  definition.wkb_size = size;
  definition.radius_m = radius_m;
  return definition;
}

/* The treatment of a row whose identifier exists already, in a call with columns. Since: 0.3 */
typedef int32_t fencepost_put_mode;
enum {
  FENCEPOST_PUT_ADD = 0,   /* replaces the condition, as fencepost_conditions_add() does */
  FENCEPOST_PUT_ENSURE = 1 /* keeps an equal condition, as fencepost_conditions_ensure() does */
};

/* The counts of a call that adds, ensures or syncs. Frozen: the structure never grows. */
typedef struct fencepost_sync_result {
  uint64_t added;    /* no condition had the identifier */
  uint64_t replaced; /* a different condition had the identifier: it was replaced, and its pending events were
                        dropped */
  uint64_t kept;     /* an equal condition existed and was not changed */
  uint64_t removed;  /* the condition was not in the set */
} fencepost_sync_result;

/* ------------------------------------------------------------------------------ tables of conditions */

/* The version of a table. Two tables of the same version accept each other's exported devices unchanged. */
typedef struct fencepost_table_version {
  uint32_t struct_size; /* set by FENCEPOST_TABLE_VERSION_INIT */
  uint32_t reserved;    /* 0 */
  uint64_t count;       /* conditions */
  uint64_t generation;  /* the latest number */
  uint8_t digest[16];   /* hash of all conditions with their generations */
} fencepost_table_version;

/* Initialise each fencepost_table_version with this macro. */
#define FENCEPOST_TABLE_VERSION_INIT {sizeof(fencepost_table_version), 0, 0, 0, {0}}

/*
 * Creates an empty table.
 *
 * @param out_conditions  Receives a reference; release it with fencepost_conditions_destroy().
 * @return OK; NULL_ARGUMENT. Ownership: the caller owns the reference. Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_create(fencepost_conditions **out_conditions,
                                                           fencepost_error *error);

/*
 * Releases a reference. The table exists as long as a fleet uses it or another reference exists.
 *
 * @param conditions  May be NULL.
 * Threads: no other thread may be inside a call with this reference. Complexity: O(1); O(conditions) for the last
 * reference. Since: 0.2
 */
FENCEPOST_API void fencepost_conditions_destroy(fencepost_conditions *conditions);

/*
 * Returns the version of the table.
 *
 * @param out_version  Initialised with FENCEPOST_TABLE_VERSION_INIT.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (struct_size is not set).
 * Threads: any. Complexity: O(1); the first call after a change takes O(conditions). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_version(fencepost_conditions *conditions,
                                                            fencepost_table_version *out_version,
                                                            fencepost_error *error);

/*
 * Copies the whole table, including the generations, as bytes that are the same on every platform.
 *
 * @param buffer    May be NULL only if capacity is 0.
 * @param out_size  Receives the size in bytes; may be NULL.
 * @return OK; NULL_ARGUMENT; BUFFER_TOO_SMALL (out_size is stored, buffer untouched).
 * Threads: any. Complexity: O(conditions). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_snapshot(fencepost_conditions *conditions, void *buffer,
                                                             size_t capacity, size_t *out_size, fencepost_error *error);

/*
 * Creates a table from a snapshot of a table, or of a monitor that was never fed and has no condition limit, no path
 * and the delivery EVERY. The result has the same version as the original table. Untrusted bytes are safe to pass.
 *
 * @param snapshot        Array of size bytes; may be NULL only if size is 0.
 * @param out_conditions  Receives a reference; release it with fencepost_conditions_destroy().
 * @return OK; NULL_ARGUMENT; SNAPSHOT_INVALID. Ownership: the caller owns the reference. Threads: any.
 * Complexity: O(size). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_restore(const void *snapshot, size_t size,
                                                            fencepost_conditions **out_conditions,
                                                            fencepost_error *error);

/* --------------------------------------------------------------------------------- changes of tables */

/*
 * Adds conditions of any kind, in the order of the array. An existing condition with the identifier of an element is
 * replaced: the element gets a new generation and a new record, and the pending events of the old condition are dropped
 * in the monitor and in all fleets. All or nothing: if an element is refused, nothing has changed.
 *
 * @param definitions  Array of count elements, each initialised with FENCEPOST_CONDITION_DEFINITION_INIT; the
 *                     struct_size of the first is the distance between elements. May be NULL only if count is 0.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (names the element, the member and its range; error->position is the
 *         element's index; also if a monitor or a fleet over the table cannot watch a line); UNSUPPORTED.
 * Ownership: everything is copied. Threads: any; the elements are examined before the table is locked.
 * Complexity: O(count + vertices * log vertices) on average, whatever the number of devices. O(vertices^2) if edges run
 * side by side over thousands of kilometres; 1 000 such edges take seconds. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_add(fencepost_conditions *conditions,
                                                        const fencepost_condition_definition *definitions, size_t count,
                                                        fencepost_error *error);

/*
 * Adds each element of an array, unless an equal condition with its identifier exists; an equal condition keeps its
 * record, its state and its pending events. An element replaces a different condition with its identifier. All or
 * nothing. Conditions that are not in the array stay.
 *
 * Two conditions are equal if they have the same kind, parts, rings, number of vertices, edges, oriented, policy and
 * tag, if each coordinate differs by at most 1e-7 degrees, and if radii and buffers differ by at most 0.5 m. The
 * assumed state is ignored. If a new shape equals the existing shape bit for bit, the call does not examine the shape
 * again. A call that changes nothing does not make fleets wait.
 *
 * @param definitions  As in fencepost_conditions_add(). If several elements have the same identifier, the last one
 *                     counts.
 * @param out_result   Receives the counts (removed is always 0). May be NULL.
 * @return The same as fencepost_conditions_add(). Ownership: everything is copied. Threads: any.
 * Complexity: that of fencepost_conditions_add(); O(count) if nothing changes. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_ensure(fencepost_conditions *conditions,
                                                           const fencepost_condition_definition *definitions,
                                                           size_t count, fencepost_sync_result *out_result,
                                                           fencepost_error *error);

/*
 * Makes the set of conditions equal to the elements of an array. First removes each condition whose identifier is not
 * in the array, in the order in which they were added. Then ensures each element, as fencepost_conditions_ensure()
 * does. All or nothing: if one element is refused, nothing has changed and error->position is its index.
 *
 *     fencepost_condition_definition places[2];
 *     places[0] = fencepost_circle("office", 37.3349, -122.009, 200);
 *     places[1] = fencepost_circle("depot", 37.4, -122.1, 150);
 *     fencepost_conditions_sync(zones, places, 2, NULL, &error);
 *
 * @param definitions  As in fencepost_conditions_add().
 * @param count        0 removes every condition.
 * @param out_result   Receives the counts; may be NULL.
 * @return The same as fencepost_conditions_add(); INVALID_ARGUMENT also if two elements have the same identifier.
 * Ownership: everything is copied. Threads: any. Complexity: O(conditions + count). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_sync(fencepost_conditions *conditions,
                                                         const fencepost_condition_definition *definitions,
                                                         size_t count, fencepost_sync_result *out_result,
                                                         fencepost_error *error);

/*
 * Removes conditions, their records and their pending events, also those in fleets. Unknown identifiers are not errors.
 *
 * @param identifiers  Array of count pointers to zero-terminated texts; may be NULL only if count is 0.
 * @param out_removed  Receives how many of the conditions existed; may be NULL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (an element is not a valid identifier: empty, too long, not UTF-8;
 *         error->position is its index, and nothing has changed).
 * Threads: any. Complexity: O(count) on average, whatever the number of devices. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_remove(fencepost_conditions *conditions,
                                                           const char *const *identifiers, size_t count,
                                                           size_t *out_removed, fencepost_error *error);

/*
 * Adds or ensures many circles from columns, in order; the columns are read in place. All or nothing: if one row is
 * refused, nothing has changed and error->position is its index.
 *
 * @param mode         FENCEPOST_PUT_ADD or FENCEPOST_PUT_ENSURE.
 * @param common       What all rows have in common: policy, tag, assuming, and the radius if radii_m is NULL. Other
 *                     members are ignored. NULL: the values of FENCEPOST_CONDITION_DEFINITION_INIT.
 * @param identifiers  Array of count pointers to zero-terminated texts.
 * @param latitudes    Array of count values, degrees.
 * @param longitudes   Array of count values, degrees.
 * @param radii_m      Array of count values, metres; NULL: common->radius_m for all rows.
 * @param tags         Array of count tags; NULL: common->tag for all rows.
 * @param out_result   Receives the counts (removed is always 0); may be NULL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (names the row, the member and its range); UNSUPPORTED.
 * Ownership: everything is copied. Threads: any. Complexity: O(count) on average. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_put_circles(
    fencepost_conditions *conditions, fencepost_put_mode mode, const fencepost_condition_definition *common,
    const char *const *identifiers, const double *latitudes, const double *longitudes, const double *radii_m,
    const uint64_t *tags, size_t count, fencepost_sync_result *out_result, fencepost_error *error);

/*
 * Adds or ensures many beacon identities from columns. All or nothing.
 *
 * @param common  What all rows have in common: policy, tag, assuming, and major and minor if their columns are NULL.
 * @param uuids   Array of count UUIDs of 16 bytes, one after the other.
 * @param majors  Array of count numbers, -1 for any; NULL: common->major for all rows.
 * @param minors  Array of count numbers, -1 for any; NULL: common->minor for all rows.
 * @return The same as fencepost_conditions_put_circles(), which also describes the other parameters. Threads: any.
 *         Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_put_beacons(
    fencepost_conditions *conditions, fencepost_put_mode mode, const fencepost_condition_definition *common,
    const char *const *identifiers, const uint8_t *uuids, const int32_t *majors, const int32_t *minors,
    const uint64_t *tags, size_t count, fencepost_sync_result *out_result, fencepost_error *error);

/*
 * Adds or ensures many polygons, corridors or lines from one geometry. All or nothing.
 *
 * @param common             What all rows have in common: kind (POLYGONAL_GEOGRAPHIC, CORRIDOR_GEOGRAPHIC or
 *                           LINE_GEOGRAPHIC), policy, tag, assuming, edges, oriented, buffer_m, max_vertices, and the
 *                           radius of corridors if radii_m is NULL. Required.
 * @param condition_offsets  Array of count + 1 indices into the parts of the geometry, or into its lines (rings) for
 *                           corridors and lines: where each condition begins, and where the last one ends; NULL: each
 *                           of the count parts or lines is a condition.
 * @param radii_m            Array of count values, metres, for corridors; NULL: common->radius_m for all rows.
 * @return The same as fencepost_conditions_put_circles(), which also describes the other parameters. Threads: any; the
 *         table is not locked while the shapes are examined. Complexity: that of fencepost_conditions_add(). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_put_geometries(
    fencepost_conditions *conditions, fencepost_put_mode mode, const fencepost_condition_definition *common,
    const char *const *identifiers, const fencepost_geometry *geometry, const int32_t *condition_offsets,
    const double *radii_m, const uint64_t *tags, size_t count, fencepost_sync_result *out_result,
    fencepost_error *error);

/*
 * Adds or ensures many polygons, corridors or lines from well-known binary. All or nothing. Untrusted bytes are safe to
 * pass.
 *
 * @param common   As in fencepost_conditions_put_geometries(). With the kind FENCEPOST_CONDITION_FROM_WKB, the rows may
 *                 be polygons and corridors; NULL: this kind, and otherwise the values of
 *                 FENCEPOST_CONDITION_DEFINITION_INIT.
 * @param wkbs     Array of count pointers to the bytes of each condition.
 * @param sizes    Array of count sizes, in bytes.
 * @param radii_m  Array of count values, metres, for corridors; NULL: common->radius_m for all rows.
 * @return The same as fencepost_conditions_put_geometries(), which also describes the other parameters. Threads: any.
 *         Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_put_wkb(fencepost_conditions *conditions, fencepost_put_mode mode,
                                                            const fencepost_condition_definition *common,
                                                            const char *const *identifiers, const void *const *wkbs,
                                                            const size_t *sizes, const double *radii_m,
                                                            const uint64_t *tags, size_t count,
                                                            fencepost_sync_result *out_result, fencepost_error *error);

/* ------------------------------------------------------------------------------- questions to tables */

/*
 * Reads the definition of a condition back: what it is, its policy, how its geometry was read, and its timing. Each
 * output may be NULL.
 *
 * @param out_policy  Initialised with one of the INIT macros of policies. Receives the policy at the time when the
 *                    condition was added, with the values of a preset filled in.
 * @param out_shape   Initialised with FENCEPOST_SHAPE_INIT. Its departure says how much the choice between geodesic and
 *                    planar edges matters. To read the intervals of a timing, set its `active` and `active_capacity`;
 *                    if `active_count` is then larger, call again with a larger array.
 * @return OK; NULL_ARGUMENT (also if active is NULL and active_capacity is not 0); INVALID_ARGUMENT (not a valid
 *         identifier; struct_size is not set); NOT_FOUND.
 * Threads: any. Complexity: O(1); with out_shape O(vertices + intervals). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_describe(fencepost_conditions *conditions, const char *identifier,
                                                             fencepost_condition *out_condition,
                                                             fencepost_transition_policy *out_policy,
                                                             fencepost_shape *out_shape, fencepost_error *error);

/*
 * Reads the vertices of a polygon, corridor or line back as well-known binary: ISO, little endian, XY, longitude first;
 * rings closed. Longitudes are in [-180, 180), and repeated vertices are removed; otherwise the vertices are those of
 * the definition, bit for bit. Several parts or lines are written as a MultiPolygon or MultiLineString. For a rule, the
 * bytes are the identifiers of its parts in the order of the definition, each followed by a zero byte.
 *
 * @param out_wkb   Array of capacity bytes; may be NULL only if capacity is 0, which queries the size.
 * @param out_size  Receives the size, also with BUFFER_TOO_SMALL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (also for circles and beacons); NOT_FOUND; BUFFER_TOO_SMALL.
 * Threads: any. Complexity: O(vertices). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_geometry(fencepost_conditions *conditions, const char *identifier,
                                                             void *out_wkb, size_t capacity, size_t *out_size,
                                                             fencepost_error *error);

/*
 * Copies the identifiers of all conditions in the order in which the conditions were added, each followed by a zero
 * byte.
 *
 * @param buffer     May be NULL only if capacity is 0.
 * @param capacity   Bytes; 0 to query the size.
 * @param out_size   Receives the total number of bytes needed, also with BUFFER_TOO_SMALL.
 * @param out_count  Receives the number of identifiers, except with BUFFER_TOO_SMALL; may be NULL.
 * @return OK; NULL_ARGUMENT; BUFFER_TOO_SMALL (not with capacity 0). Threads: any. Complexity: O(conditions). Since:
 *         0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_identifiers(fencepost_conditions *conditions, char *buffer,
                                                                size_t capacity, size_t *out_size, size_t *out_count,
                                                                fencepost_error *error);

/*
 * Copies the identifiers of the conditions with the given generations, in the order of the generations, each followed
 * by a zero byte. For a condition that was removed or replaced in the meantime, only the zero byte is written.
 *
 * @param generations  May be NULL only if count is 0; they may be in any order, and may be repeated.
 * @param buffer       May be NULL only if capacity is 0.
 * @param capacity     Bytes; 0 to query the size. FENCEPOST_IDENTIFIER_MAX + 1 bytes for each generation always
 *                     suffice.
 * @param out_size     Receives the total number of bytes needed, also with BUFFER_TOO_SMALL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (count is too large for any array); BUFFER_TOO_SMALL (not with capacity
 *         0).
 * Threads: any. Complexity: O(count * log conditions). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_identifiers_of_generations(fencepost_conditions *conditions,
                                                                               const uint64_t *generations,
                                                                               size_t count, char *buffer,
                                                                               size_t capacity, size_t *out_size,
                                                                               fencepost_error *error);

/*
 * Queries about points: which shapes contain them, and which boundaries are nearest. The answers depend only on the
 * geometry of the conditions (and on their limits of altitude and schedules, if a query states heights or times), not
 * on their state, policy or the condition limit. Queries change nothing. A point on the
 * boundary is inside. If a bounding box cannot decide, the exact distance is computed, so answers are exact. Beacon
 * conditions never appear in the results.
 *
 * An answer names a condition by its generation, which is unique; fencepost_conditions_identifiers_of_generations()
 * returns the identifiers. Without removals and replacements the conditions of a table have the generations 1, 2, 3 ...
 * in add order. fencepost_monitor_conditions() returns the table of a monitor, fencepost_fleet_conditions() that of a
 * fleet.
 */

/*
 * Points as columns: each member has its own array, or every n-th element of a larger array. A stride is the distance
 * in bytes from one row to the next; it may be negative, or 0 for a value that all rows share. The values need not be
 * aligned.
 */
typedef struct fencepost_point_columns {
  uint32_t struct_size;           /* set by FENCEPOST_POINT_COLUMNS_INIT */
  uint32_t reserved;              /* 0 */
  const double *latitudes;        /* degrees, -90 ... 90 */
  const double *longitudes;       /* degrees, -180 ... 180 */
  int64_t latitude_stride;        /* bytes */
  int64_t longitude_stride;       /* bytes */
  const double *altitudes_m;      /* heights above the ellipsoid, metres; NaN = not known. NULL = no row has one. Only
                                     fencepost_conditions_containing_columns() uses them: a condition with a band of
                                     altitudes contains a point whose heights are within its limits; a limit whose
                                     height is not known is ignored. Since: 0.3, like the next members */
  const double *geoid_heights_m;  /* heights of the geoid above the ellipsoid, metres; NaN or NULL = not known */
  const double *ground_heights_m; /* heights of the ground above the ellipsoid, metres; NaN or NULL = not known */
  int64_t altitude_stride;        /* bytes */
  int64_t geoid_height_stride;    /* bytes */
  int64_t ground_height_stride;   /* bytes */
  const int64_t *times_us;        /* FENCEPOST_TIME_UNSET = no time. NULL = no row has one. Only
                                     fencepost_conditions_containing_columns() uses them: a condition contains a point
                                     only in the intervals of its schedule. Without a time schedules are ignored */
  int64_t time_stride;            /* bytes */
} fencepost_point_columns;

/* For columns whose values lie one after the other in memory: set the pointers. */
#define FENCEPOST_POINT_COLUMNS_INIT \
  {sizeof(fencepost_point_columns), 0, NULL, NULL, 8, 8, NULL, NULL, NULL, 8, 8, 8, NULL, 8}

/*
 * Finds the conditions that contain a point, in the order in which the conditions were added.
 *
 * @param latitude, longitude  Degrees.
 * @param out_generations  Receives the generations of the conditions; may be NULL only if capacity is 0.
 * @param out_distances_m  Receives the signed distance to the boundary of each condition, metres, 0 or less; NULL: the
 *                         distances are not computed.
 * @param capacity         Elements; 0 to query the count.
 * @param out_count        Receives the total count, also with BUFFER_TOO_SMALL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (coordinate out of range); BUFFER_TOO_SMALL (not with capacity 0).
 * Threads: any. Complexity: O(log conditions + shapes around the point). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_containing(fencepost_conditions *conditions, double latitude,
                                                               double longitude, uint64_t *out_generations,
                                                               double *out_distances_m, size_t capacity,
                                                               size_t *out_count, fencepost_error *error);

/*
 * For each of many points, finds the conditions that contain it. The elements of out_generations from out_offsets[i] to
 * out_offsets[i + 1] - 1 belong to row i, in the order in which the conditions were added. All rows are compared with
 * the same conditions, those of one moment during the call. The query does not hold a lock while it searches, so
 * other threads may feed, run queries and change the table. If another thread changes the table during the query, the
 * table is copied first.
 *
 * The size of the result is not known in advance, and querying it (capacity 0) takes as long as the full query. Pass a
 * likely capacity first; if it was too small, call again with the size that was stored. Pass many rows at once, up to a
 * million. Points near each other are processed together, which takes less time per row.
 *
 * @param columns          Initialised with FENCEPOST_POINT_COLUMNS_INIT; its arrays contain count rows, read in place.
 *                         The arrays may be NULL only if count is 0.
 * @param out_offsets      Receives count + 1 offsets, also with capacity 0 and with BUFFER_TOO_SMALL.
 * @param out_generations  Receives the generations of the conditions of all rows; may be NULL only if capacity is 0.
 *                         With BUFFER_TOO_SMALL the contents of out_generations are undefined.
 * @param out_distances_m  Receives the signed boundary distances, metres, 0 or less; NULL: they are not computed.
 * @param capacity         Elements of out_generations and of out_distances_m; 0 to query the size.
 * @param out_size         Receives the total number of elements needed, which is the last offset, also with
 *                         BUFFER_TOO_SMALL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (struct_size is not set, or a row is not a valid point or has a time out
 *         of range: error->position is the first one, and nothing was written); BUFFER_TOO_SMALL (not with capacity 0);
 *         UNSUPPORTED.
 * Threads: any. Complexity: O(log conditions + shapes around the point) per row; memory: 24 bytes per row for up to a
 * million rows at a time, and up to about 64 MB for results.
 * Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_containing_columns(
    fencepost_conditions *conditions, const fencepost_point_columns *columns, size_t count, int64_t *out_offsets,
    uint64_t *out_generations, double *out_distances_m, size_t capacity, size_t *out_size, fencepost_error *error);

/*
 * Finds the conditions whose boundaries are nearest to a point, the nearest first; at equal distance, the condition
 * that was added first comes first. A circle that contains the whole Earth has no boundary.
 *
 * @param latitude, longitude  Degrees.
 * @param nearest          Maximum number of results.
 * @param out_generations  Receives the generations of the conditions: nearest elements; may be NULL only if nearest
 *                         is 0.
 * @param out_distances_m  Receives the signed distance to the boundary of each condition, metres, negative inside:
 *                         nearest elements; may be NULL.
 * @param out_count        Receives the number of conditions stored: at most nearest.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (coordinate out of range, or nearest is too large for any array).
 * Threads: any. Complexity: O(nearest * log conditions + shapes around the point). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_nearest(fencepost_conditions *conditions, double latitude,
                                                            double longitude, size_t nearest, uint64_t *out_generations,
                                                            double *out_distances_m, size_t *out_count,
                                                            fencepost_error *error);

/*
 * For each of many points, finds the conditions whose boundaries are nearest to it. The results for row i begin at
 * index i * nearest. All rows are compared with the same conditions, and no lock is held during the query, as in
 * fencepost_conditions_containing_columns().
 *
 * @param columns          As in fencepost_conditions_containing_columns().
 * @param nearest          Maximum number of results for each row.
 * @param out_generations  Receives count * nearest elements; may be NULL only if this product is 0.
 * @param out_distances_m  Receives count * nearest signed boundary distances, metres, negative inside; may be NULL.
 * @param out_count        Receives the number of results for each row, the same for all rows: nearest, or fewer if
 *                         there are fewer conditions; 0 without rows. Elements of a row beyond the number of its
 *                         results are untouched.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (struct_size is not set; too many elements for any array; or a row is not
 *         a valid point; error->position is the first such row, and nothing was written); UNSUPPORTED. Threads: any.
 *         Complexity: O(nearest * log conditions + shapes around the point) per row. Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_nearest_columns(fencepost_conditions *conditions,
                                                                    const fencepost_point_columns *columns,
                                                                    size_t count, size_t nearest,
                                                                    uint64_t *out_generations, double *out_distances_m,
                                                                    size_t *out_count, fencepost_error *error);

/*
 * Finds the point on a condition's boundary that is nearest to a position. If several points are equally near, the
 * function returns one of them.
 *
 * @param latitude, longitude          Degrees.
 * @param out_latitude, out_longitude  Degrees. NaN if the condition has no boundary (a beacon, a circle that contains
 *                                     the whole Earth). The coordinates are also NaN if the nearest point cannot be
 *                                     determined. This happens in a corridor or a buffered polygon where the shortest
 *                                     path from the middle line or ring to the position does not meet the boundary at a
 *                                     right angle, as in an inner corner.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; NOT_FOUND. Threads: any. Complexity: O(log vertices) for usual shapes.
 * Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_conditions_nearest_boundary_point(fencepost_conditions *conditions,
                                                                           const char *identifier, double latitude,
                                                                           double longitude, double *out_latitude,
                                                                           double *out_longitude,
                                                                           fencepost_error *error);

/*
 * Measured positions with their errors as columns. Strides are as in fencepost_point_columns; a stride of 0 gives all
 * rows the same value. A row has an error ellipse unless its three values are NaN; a row without an ellipse has the
 * accuracy.
 */
typedef struct fencepost_measured_columns {
  uint32_t struct_size;       /* set by FENCEPOST_MEASURED_COLUMNS_INIT */
  uint32_t reserved;          /* 0 */
  const double *latitudes;    /* degrees, -90 ... 90 */
  const double *longitudes;   /* degrees, -180 ... 180 */
  const double *accuracies_m; /* metres, 0 or more; 0 = not reported. May be NULL: not reported in any row */
  const double *majors_m;     /* major one-sigma semi-axis of the error ellipse, metres. May be NULL together with the
                                 next two members: no row has an ellipse */
  const double *minors_m;     /* minor one-sigma semi-axis, metres, 0 ... the major semi-axis */
  const double *orientations; /* direction of the major axis, degrees clockwise from north */
  int64_t latitude_stride;    /* bytes */
  int64_t longitude_stride;   /* bytes */
  int64_t accuracy_stride;    /* bytes */
  int64_t major_stride;       /* bytes */
  int64_t minor_stride;       /* bytes */
  int64_t orientation_stride; /* bytes */
} fencepost_measured_columns;

/* For columns whose values lie one after the other in memory: set the pointers. */
#define FENCEPOST_MEASURED_COLUMNS_INIT \
  {sizeof(fencepost_measured_columns), 0, NULL, NULL, NULL, NULL, NULL, NULL, 8, 8, 8, 8, 8, 8}

/*
 * Computes the probability that the true position is inside a condition's shape, for each of many measured positions.
 * For the table of a monitor, see fencepost_monitor_conditions().
 *
 * The true position is normally distributed in the azimuthal equidistant plane around the measured position: with the
 * error ellipse, or with the same error in all directions so that the accuracy holds the share `confidence` of the true
 * positions. Semi-axes count as at least 0.01 m. The error of the result is at most 1e-6 for axis ratios up to 1000.
 * If the boundary is farther away than 6.5 times the major semi-axis, or if no error is reported, the result is 1 for a
 * measured position inside and 0 for one outside. The result is NaN if the boundary is nearer and the major semi-axis
 * is longer than 10 000 m.
 *
 * @param columns            Initialised with FENCEPOST_MEASURED_COLUMNS_INIT; its arrays contain count rows, read in
 *                           place.
 * @param confidence         0.01 ... 0.9999: 0.68 for Android's accuracy, 0.95 for gpsd's eph.
 * @param out_probabilities  Receives count probabilities; may be NULL only if count is 0.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (a beacon or a line; confidence; only some columns of the ellipse; or a
 *         row is not valid: error->position is the first one, and nothing was written); NOT_FOUND; UNSUPPORTED.
 * Threads: any. Complexity: O(log vertices + edges within 6.5 standard deviations) per row; for corridors and polygons
 * with a buffer, the square of these edges. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_conditions_probability(fencepost_conditions *conditions,
                                                                const char *identifier,
                                                                const fencepost_measured_columns *columns, size_t count,
                                                                double confidence, double *out_probabilities,
                                                                fencepost_error *error);

/* ------------------------------------------------------------------------------------------ monitors */

/* A monitor: named conditions, their records, and the pending events. */
typedef struct fencepost_monitor fencepost_monitor;

/*
 * Creates a monitor in memory. With options->store_directory, opens the stored monitor with that name, which continues
 * from its saved state, or creates the monitor if it does not exist. The monitor's file is NAME.fencepost, an SQLite
 * database that only the user can read, with SQLite's own files beside it while it is open.
 *
 * After any crash the monitor is in exactly the state that it had after its first N inputs, where N is input_count of
 * fencepost_monitor_statistics(). Feed the remaining inputs again to reach the state that the monitor would have had
 * without the crash. In a log of all inputs, N is the index, from 0, of the first input to feed again. Each fix (also
 * each row of a batch), scan report, scanning or host declaration, advance and rewind counts as one input. Refused
 * inputs count too, except those refused with QUEUE_FULL. With the durability CHANGES or EVERY_INPUT, N covers every
 * input that caused a delivered event, and events of the first N inputs that were not committed are delivered again
 * with the same sequence. With RELAXED, a crash may lose more inputs than with CHANGES. While the store cannot be
 * written, monitoring continues in memory. One event reports this failure
 * (FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE), and the monitor tries to save again at later changes. If a store can
 * be read but not written, the monitor continues in memory from the start.
 *
 * @param name         [A-Za-z0-9_]{1,64}: the name in memory or, instead of options->name, in the store directory; then
 *                     options->name must be NULL. In memory, names may repeat. NULL: options->name, or no name.
 * @param options      NULL for FENCEPOST_MONITOR_OPTIONS_INIT. For a stored monitor, delivery and condition_limit must
 *                     have the values with which it was created; the other options apply from now on.
 * @param out_monitor  Receives the monitor; release it with fencepost_monitor_destroy().
 * @param error        Optional detail; may be NULL (here and everywhere).
 * @return OK; NULL_ARGUMENT; INVALID_NAME; INVALID_ARGUMENT (an option is out of range, or not the stored one, or only
 *         for fleets; a store without a name, or options->name without a store); UNSUPPORTED (a larger options
 *         structure with members that this library does not know); with a store also MONITOR_IN_USE (open in this or
 *         another process), STORE_UNAVAILABLE (no such directory, no permission to read, no room for a new one ...),
 *         STORE_CORRUPT (the file is left as it was found), STORE_TOO_NEW.
 *
 * Ownership: the caller owns *out_monitor. Threads: any. Complexity: O(1); with a store O(content of the store). Since:
 * 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_create(const char *name, const fencepost_options *options,
                                                        fencepost_monitor **out_monitor, fencepost_error *error);

/*
 * Releases a monitor and all its memory. A monitor with a store is closed first, see fencepost_monitor_close().
 * Uncommitted events stay uncommitted.
 *
 * @param monitor  May be NULL.
 * Threads: no other thread may be inside a call on the monitor. Complexity: O(conditions). Since: 0.1
 */
FENCEPOST_API void fencepost_monitor_destroy(fencepost_monitor *monitor);

/*
 * Copies a monitor: the copy has the same conditions, records, pending events, counters and clock. The copy and the
 * original then continue independently. A fork delivers the uncommitted events of the original again, with the same
 * sequence, as a monitor does after a crash. The call does not change the original.
 *
 * @param out_fork  Receives the copy; release it with fencepost_monitor_destroy().
 * @return OK; NULL_ARGUMENT.
 *
 * Ownership: the caller owns *out_fork. Threads: any; two threads may use the copy and the original at the same time
 * without a lock. Complexity: O(1) for the call. The copy and the original share their conditions, and a fork stores
 * only those states that differ from the shared ones. Therefore one monitor with the conditions and one fork per device
 * need little more memory than one monitor: about 5 KB per device. The first fix of a fork takes longer the more
 * conditions are near it, and the more conditions have an assumed state other than UNSATISFIED. Adding or removing
 * conditions in a fork copies the conditions.
 * Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_fork(fencepost_monitor *monitor, fencepost_monitor **out_fork,
                                                      fencepost_error *error);

/*
 * Returns a reference to a monitor's own table. With this reference, a call locks the monitor, and a change of the
 * table is saved with the monitor: with FENCEPOST_DURABILITY_CHANGES or _EVERY_INPUT, all changes of one call are
 * saved in one transaction before the call returns. If the last valid fix is not older than initial_fix_max_age_us,
 * this fix decides a new condition at once. The events of the change are pending at once and trigger the monitor's
 * wake-up callback. FENCEPOST_STATE_DEFAULT means UNKNOWN.
 *
 * The reference outlives the monitor: after fencepost_monitor_destroy() the table can be read and changed, but changes
 * are no longer saved. No fleet can use the table of a monitor, and fencepost_conditions_snapshot() refuses it
 * (fencepost_monitor_snapshot() includes it).
 *
 * @param out_conditions  Receives a reference; release it with fencepost_conditions_destroy().
 * @return OK; NULL_ARGUMENT. Ownership: the caller owns the reference. Threads: any. Complexity: O(1). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_monitor_conditions(fencepost_monitor *monitor,
                                                            fencepost_conditions **out_conditions,
                                                            fencepost_error *error);

/*
 * Saves all unsaved changes. If the monitor has no store, the call does nothing.
 *
 * @return OK; NULL_ARGUMENT; STORE_UNAVAILABLE (monitoring continues in memory; a later call retries).
 * Threads: any. Complexity: O(changes since the last save). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_checkpoint(fencepost_monitor *monitor, fencepost_error *error);

/*
 * Saves everything and closes the store: its name can be used again, and SQLite's additional files are removed. The
 * monitor continues in memory, but later changes are not saved. Uncommitted events are delivered again when the monitor
 * is next opened. If the monitor has no store, the call does nothing.
 *
 * @return OK; NULL_ARGUMENT; STORE_UNAVAILABLE (not everything could be saved; the store is closed anyway).
 * Threads: any. Complexity: O(changes since the last save). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_close(fencepost_monitor *monitor, fencepost_error *error);

/*
 * Copies the whole monitor as bytes that are the same on every platform: definitions, states, records, pending and
 * uncommitted events, counters, clock, options, name. The function works with and without a store. The same state gives
 * the same bytes.
 *
 * @param buffer    May be NULL only if capacity is 0.
 * @param out_size  Receives the size in bytes; may be NULL. Any other call on the monitor may change the size.
 * @return OK; NULL_ARGUMENT; BUFFER_TOO_SMALL (out_size is stored, buffer untouched).
 * Threads: any. Complexity: O(conditions + pending events). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_snapshot(fencepost_monitor *monitor, void *buffer, size_t capacity,
                                                          size_t *out_size, fencepost_error *error);

/*
 * Creates a monitor in memory from a snapshot; the new monitor continues as the original would. Uncommitted events are
 * delivered again, with the same sequence. Untrusted bytes are safe to pass.
 *
 * @param snapshot     Array of size bytes; may be NULL only if size is 0.
 * @param out_monitor  Receives the monitor; release it with fencepost_monitor_destroy().
 * @return OK; NULL_ARGUMENT; SNAPSHOT_INVALID (not a snapshot, damaged, or from a newer library; the message says
 *         which).
 *
 * Ownership: the caller owns *out_monitor. Threads: any. Complexity: O(size). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_restore(const void *snapshot, size_t size,
                                                         fencepost_monitor **out_monitor, fencepost_error *error);

/*
 * Reads the counters, the clock and the name.
 *
 * @param out_statistics  Initialised with FENCEPOST_STATISTICS_INIT.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (struct_size is not set).
 * Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_statistics(fencepost_monitor *monitor,
                                                            fencepost_statistics *out_statistics,
                                                            fencepost_error *error);

/* ------------------------------------------------------------------- circles and beacons of monitors */

/*
 * Adds a circular geographic condition: satisfied within radius_m of the centre, boundary included. An existing
 * condition with that identifier is replaced: it gets a new record and a new generation, and the pending events of the
 * old condition are dropped. If the last valid fix is not older than initial_fix_max_age_us, this fix decides the new
 * condition at once.
 *
 * @param identifier  1 ... 256 bytes of UTF-8, compared byte by byte.
 * @param latitude    Degrees, -90 ... 90.
 * @param longitude   Degrees, -180 ... 180.
 * @param radius_m    Metres, finite, > 0.
 * @param options     The policy, the tag and the assumed state; other members are ignored. NULL: the values of
 *                    FENCEPOST_CONDITION_DEFINITION_INIT. fencepost_monitor_conditions() has the functions for other
 *                    kinds, for many conditions and for removals.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (names the argument and its range); UNSUPPORTED.
 *
 * Ownership: everything is copied. Threads: any. Complexity: O(1) on average. Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_add_circular_condition(fencepost_monitor *monitor,
                                                                        const char *identifier, double latitude,
                                                                        double longitude, double radius_m,
                                                                        const fencepost_condition_definition *options,
                                                                        fencepost_error *error);

/*
 * Adds a beacon identity condition: satisfied while a beacon with that UUID (and that major and minor, unless -1) is
 * near. Replaces an existing condition as fencepost_monitor_add_circular_condition() does; earlier sightings do not
 * count.
 *
 * @param uuid   16 bytes; see fencepost_uuid_parse().
 * @param major  0 ... 65535, or -1 for any.
 * @param minor  0 ... 65535, or -1 for any; needs a major.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; UNSUPPORTED.
 * Ownership: everything is copied. Threads: any. Complexity: O(1) on average. Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_add_beacon_condition(fencepost_monitor *monitor,
                                                                      const char *identifier, const uint8_t *uuid,
                                                                      int32_t major, int32_t minor,
                                                                      const fencepost_condition_definition *options,
                                                                      fencepost_error *error);

/* -------------------------------------------------------------------------------- inputs of monitors */

/*
 * Feeds one fix. A fix without a position (accuracy negative or NaN) is accepted, ignored and counted.
 *
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (coordinate or time out of range; counted); LATE_INPUT (earlier than the
 *         clock; counted); AHEAD_OF_CLOCK (later than the clock by more than max_time_step_us; counted); QUEUE_FULL. A
 *         refused fix changes nothing except the counters of refused fixes. A fix that is invalid or has no position
 *         increments its counter even while the queue is full.
 * Threads: any. Complexity: see fencepost_monitor_feed_fixes(). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_feed_fix(fencepost_monitor *monitor, const fencepost_fix *fix,
                                                          fencepost_error *error);

/*
 * Feeds many fixes in order, read in place, with the same result as single calls: invalid rows, late rows, and rows too
 * far ahead of the clock are skipped and counted.
 *
 * A batch locks the monitor until it is done. Other threads that call the monitor wait during the batch: some
 * milliseconds for a million fixes, longer with many changes. A host that must respond during a batch should feed
 * smaller blocks. The events of the whole batch wait in memory, and a store saves them once, at the end.
 *
 * @param fixes       May be NULL only if count is 0.
 * @param out_result  Receives the counts; may be NULL. With QUEUE_FULL, it receives the counts of the consumed rows.
 *                    Poll the events, then feed the remaining rows, from error->position on.
 * @return OK; NULL_ARGUMENT; QUEUE_FULL (the rows before error->position were applied).
 * Threads: any. Complexity: a few nanoseconds per fix while no boundary is near, O(conditions near) otherwise.
 * Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_feed_fixes(fencepost_monitor *monitor, const fencepost_fix *fixes,
                                                            size_t count, fencepost_feed_result *out_result,
                                                            fencepost_error *error);

/*
 * Fixes as columns: each member of a fix has its own array, or every n-th element of a larger array. A stride is the
 * distance in bytes from one row to the next; it may be negative, or 0 for a value that all rows share. The values need
 * not be aligned.
 *
 * A row may have an error ellipse. Policies with probabilities then use the ellipse instead of the accuracy; everything
 * else uses the accuracy. The ellipse is kept with the last fix. A row has no ellipse if the three values are NaN; a row
 * with semi-axes that are negative, infinite or in the wrong order, or with an orientation that is not finite, is
 * invalid. Feed a single fix with an ellipse as one row:
 *
 *     double major = 30, minor = 4, orientation = 75;
 *     fencepost_fix_columns one = fencepost_one_fix(&fix);
 *     one.majors_m = &major, one.minors_m = &minor, one.orientations = &orientation;
 *     fencepost_monitor_feed_columns(monitor, &one, 1, NULL, &error);
 *
 * A row may also have a height, which is kept with the last fix: set altitudes_m, and geoid_heights_m or
 * ground_heights_m for limits above mean sea level or above the ground. A height that is infinite or beyond 1e9 metres
 * counts as missing; the fix itself is valid.
 */
typedef struct fencepost_fix_columns {
  uint32_t struct_size;       /* set by FENCEPOST_FIX_COLUMNS_INIT */
  uint32_t refuse_invalid;    /* 0: invalid rows are skipped and counted; 1: an invalid row makes the call refuse the
                                 whole batch; 2: there is one row, which has the result of
                                 fencepost_monitor_feed_fix() or fencepost_fleet_feed_fix(): a fix that is late or ahead
                                 of the clock is refused with that status */
  const double *latitudes;    /* degrees, -90 ... 90 */
  const double *longitudes;   /* degrees, -180 ... 180 */
  const double *accuracies_m; /* metres; 0 = not reported; negative or NaN = no position. NULL = not reported in any
                                 row */
  const int64_t *times_us;    /* when each position was determined */
  int64_t latitude_stride;    /* bytes */
  int64_t longitude_stride;   /* bytes */
  int64_t accuracy_stride;    /* bytes */
  int64_t time_stride;        /* bytes */
  const double *majors_m;     /* major one-sigma semi-axis of the error ellipse, metres. NULL together with the next two
                                 members: no row has an ellipse. Since: 0.3, like the next members */
  const double *minors_m;     /* minor one-sigma semi-axis, metres, 0 ... the major semi-axis */
  const double *orientations; /* direction of the major axis, degrees clockwise from north */
  int64_t major_stride;       /* bytes */
  int64_t minor_stride;       /* bytes */
  int64_t orientation_stride; /* bytes */
  const double *altitudes_m;  /* heights above the ellipsoid, metres; NaN = no height. NULL = no row has a height. Only
                                 conditions with a band of altitudes depend on heights. Since: 0.3, like the next
                                 members */
  const double *vertical_accuracies_m; /* accuracies of the altitudes, metres; 0 = not reported; negative or NaN = no
                                          height. NULL = not reported in any row */
  const double *geoid_heights_m;       /* heights of the geoid (the mean sea level) above the ellipsoid at the position,
                                          metres; NaN or NULL = not known */
  const double *ground_heights_m;      /* heights of the ground above the ellipsoid at the position, metres; NaN or NULL
                                          = not known */
  int64_t altitude_stride;             /* bytes */
  int64_t vertical_accuracy_stride;    /* bytes */
  int64_t geoid_height_stride;         /* bytes */
  int64_t ground_height_stride;        /* bytes */
} fencepost_fix_columns;

/* For columns whose values lie one after the other in memory: set the pointers. */
#define FENCEPOST_FIX_COLUMNS_INIT \
  {sizeof(fencepost_fix_columns),  \
   0,                              \
   NULL,                           \
   NULL,                           \
   NULL,                           \
   NULL,                           \
   8,                              \
   8,                              \
   8,                              \
   8,                              \
   NULL,                           \
   NULL,                           \
   NULL,                           \
   8,                              \
   8,                              \
   8,                              \
   NULL,                           \
   NULL,                           \
   NULL,                           \
   NULL,                           \
   8,                              \
   8,                              \
   8,                              \
   8}

/* Returns columns of one row that contain a fix, which must stay in memory; the row is fed like a single fix. */
static inline fencepost_fix_columns fencepost_one_fix(const fencepost_fix *fix) {
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.refuse_invalid = 2;
  columns.latitudes = &fix->latitude;
  columns.longitudes = &fix->longitude;
  columns.accuracies_m = &fix->accuracy_m;
  columns.times_us = &fix->time_us;
  return columns;
}

/*
 * Feeds many fixes from columns in order, read in place, with the same result as fencepost_monitor_feed_fixes().
 *
 * @param columns     Initialised with FENCEPOST_FIX_COLUMNS_INIT; its arrays contain count rows. The arrays may be
 *                    NULL only if count is 0.
 * @param out_result  As in fencepost_monitor_feed_fixes(); may be NULL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (struct_size is not set; or, with refuse_invalid, a row that would be
 *         counted as invalid; error->position is the first such row, and nothing has changed, not even the counters);
 *         UNSUPPORTED; QUEUE_FULL (the rows before error->position were applied).
 * Threads: any. Complexity: the same as fencepost_monitor_feed_fixes(). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_feed_columns(fencepost_monitor *monitor,
                                                              const fencepost_fix_columns *columns, size_t count,
                                                              fencepost_feed_result *out_result,
                                                              fencepost_error *error);

/*
 * Feeds one scan report: the beacons observed at one instant. An empty report only moves the clock.
 *
 * @param sightings  May be NULL only if count is 0.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (time out of range); LATE_INPUT; AHEAD_OF_CLOCK; QUEUE_FULL.
 * Threads: any. Complexity: O(count * matching conditions). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_feed_sightings(fencepost_monitor *monitor,
                                                                const fencepost_beacon_sighting *sightings,
                                                                size_t count, int64_t time_us, fencepost_error *error);

/*
 * Declares whether the host scans for beacons from now on. While scanning is off, beacon conditions are undetermined,
 * and absence does not count; turning scanning on or off gives no event. A monitor starts with scanning on.
 *
 * @param scanning  0 = off, anything else = on.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; LATE_INPUT; AHEAD_OF_CLOCK; QUEUE_FULL. Threads: any. Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_set_beacon_scanning(fencepost_monitor *monitor, uint32_t scanning,
                                                                     int64_t time_us, fencepost_error *error);

/*
 * Declares what the host can do from now on: which of the seven host flags are set, and which kinds of condition it
 * cannot monitor. While a flag is set, every condition is suspended. Conditions of an unsupported kind become
 * FENCEPOST_STATE_UNMONITORED.
 *
 * @param diagnostics        FENCEPOST_DIAGNOSTIC_... except the six that the library sets.
 * @param unsupported_kinds  Bit set of (1 << fencepost_condition_kind).
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (another bit, or time out of range); LATE_INPUT; AHEAD_OF_CLOCK;
 *         QUEUE_FULL.
 * Threads: any. Complexity: O(conditions) when something changes. Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_set_host_capabilities(fencepost_monitor *monitor, uint32_t diagnostics,
                                                                       uint32_t unsupported_kinds, int64_t time_us,
                                                                       fencepost_error *error);

/*
 * Tells the monitor that time has passed, and confirms each change that is due up to and including time_us. The
 * max_time_step_us option does not apply, because the host's time is trusted.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; LATE_INPUT; QUEUE_FULL.
 * Threads: any. Complexity: O(due changes). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_advance(fencepost_monitor *monitor, int64_t time_us,
                                                         fencepost_error *error);

/*
 * Sets the clock back after inputs with wrong times: see Wrong times above. The call leaves conditions, records,
 * pending and delivered events, the sequence number and the counters as they are. The observed states become
 * undetermined; no event reports this. The state of a shape is undetermined until the next fix. The state of a beacon
 * condition is undetermined until a sighting, or until the clock is beacon_initial_timeout_us after time_us. Open
 * crossings and the last fix are forgotten. The edges of schedules after time_us pass again. If a schedule had ended,
 * an event reports that FENCEPOST_DIAGNOSTIC_SCHEDULE_ENDED is no longer set. The host's declarations (scanning,
 * capabilities) stay in force. The call counts as an input, and is accepted even while the queue is full.
 *
 * @param time_us  The new clock; not later than the current clock.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (out of range, or later than the clock, or the clock is unset; counted).
 * Threads: any. Complexity: O(conditions). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_monitor_rewind(fencepost_monitor *monitor, int64_t time_us,
                                                        fencepost_error *error);

/* -------------------------------------------------------------------------------- events of monitors */

/*
 * Returns the next event and commits the events that were delivered before; the records of their conditions then show
 * these events.
 *
 * @param out_event      Receives the event; unchanged if no event is pending.
 * @param out_available  Receives 1, or 0 if no event is pending.
 * @return OK; NULL_ARGUMENT.
 * Threads: any; use one consumer at a time to get the events in order. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_poll_event(fencepost_monitor *monitor, fencepost_event *out_event,
                                                            uint32_t *out_available, fencepost_error *error);

/*
 * Returns up to capacity events and commits the events that were delivered before. With capacity 0, the function
 * returns the number of events that wait, and changes nothing.
 *
 * @param out_events  Array of capacity elements; may be NULL only if capacity is 0.
 * @param out_count   Receives the number of events stored; with capacity 0, the number of events that a poll with
 *                    enough room would store. (With the deliveries FIRST and LATEST, a poll may store more: it commits
 *                    events first, and further events may follow them.)
 * @return OK; NULL_ARGUMENT. Threads: any. Complexity: O(events). Since: 0.1. Before 0.3, capacity 0 only committed:
 *         see fencepost_monitor_acknowledge().
 */
FENCEPOST_API fencepost_status fencepost_monitor_poll_events(fencepost_monitor *monitor, fencepost_event *out_events,
                                                             size_t capacity, size_t *out_count,
                                                             fencepost_error *error);

/*
 * Commits the delivered events without delivering more.
 * @return OK; NULL_ARGUMENT. Threads: any. Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_acknowledge(fencepost_monitor *monitor, fencepost_error *error);

/*
 * Returns the delivered, uncommitted events to the queue: they are delivered again with the same sequence. Call this
 * function if a consumer stops before it has handled its events.
 * @return OK; NULL_ARGUMENT. Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_abandon(fencepost_monitor *monitor, fencepost_error *error);

/* Called when an event has become available. The callback must return soon, and must not leave by longjmp() or an
   exception. */
typedef void (*fencepost_wakeup)(void *context);

/*
 * Sets the callback for available events. Typical uses: write to an eventfd or pipe that an event loop watches, signal
 * a semaphore, or post a message. Each monitor has one callback; a fork or a restored monitor starts without one.
 *
 * When:   The callback runs after each call on the monitor that increased the number of pending events, whatever the
 *         status of that call, and during the call that sets the callback, if events are already pending. Several
 *         events may cause only one callback, so a woken consumer must poll until there are no more events. A woken
 *         consumer may find no event if another consumer was faster.
 * Where:  The callback runs on the thread of the call that made the event available, before that call returns. The
 *         monitor's lock is not held, so the callback may call any function on this monitor, including this one, but
 *         not fencepost_monitor_destroy(). Calls of the callback never overlap or nest. If events become available
 *         while the callback runs, whether through the callback or through other threads, the callback is called again
 *         on the same thread after it has returned; other threads do not wait for that.
 * Ending: When this function returns, the previous callback is not running and is never called again: the context of
 *         that callback may be released. This function (and no other) waits for a callback that is running on another
 *         thread, so do not call the function while holding a lock that the callback takes. If the callback itself
 *         calls this function, the function does not wait. fencepost_monitor_destroy() calls no callback.
 *
 * @param wakeup   NULL removes the callback.
 * @param context  Passed to the callback; may be NULL.
 * @return OK; NULL_ARGUMENT. Ownership: the caller keeps owning the context. Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_set_wakeup(fencepost_monitor *monitor, fencepost_wakeup wakeup,
                                                            void *context, fencepost_error *error);

/*
 * Returns the earliest time at which something happens even without any input: a dwell ends, or the absence of a beacon
 * is established. When the returned time comes, advance the monitor to it.
 *
 * @param out_time_us  FENCEPOST_TIME_UNSET if nothing is due.
 * @return OK; NULL_ARGUMENT. Threads: any. Complexity: O(open crossings + beacon conditions). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_next_deadline(fencepost_monitor *monitor, int64_t *out_time_us,
                                                               fencepost_error *error);

/* --------------------------------------------------------------------------------- state of monitors */

/*
 * Returns the current observed state of a condition, regardless of pending events: UNKNOWN while it is undetermined,
 * suspended or unmonitored.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; NOT_FOUND. Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_state(fencepost_monitor *monitor, const char *identifier,
                                                       fencepost_state *out_state, fencepost_error *error);

/*
 * Copies the conditions that are in a certain state now, in the order in which the conditions were added. The list can
 * be read in parts: a part begins after the last condition of the part before it.
 *
 *     fencepost_condition_state inside[16];
 *     size_t count;
 *     for (uint64_t after = 0;; after = inside[count - 1].generation) {
 *       if (fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_SATISFIED, after, inside, 16, &count, NULL) ||
 *           count == 0)
 *         break;
 *       for (size_t i = 0; i < count; i++) printf("inside %s\n", inside[i].identifier);
 *     }
 *
 * @param state           SATISFIED, UNSATISFIED, UNKNOWN (undetermined, suspended or unmonitored), or
 *                        FENCEPOST_STATE_ANY for all conditions.
 * @param after           0 to begin, then the generation of the last condition that was received. Conditions may be
 *                        added and removed between two calls.
 * @param out_conditions  May be NULL only if capacity is 0.
 * @param capacity        Elements; 0 to query the count.
 * @param out_count       Receives the number of conditions stored; less than capacity at the end of the list. With
 *                        capacity 0, receives the number of all conditions after `after`.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (another state). Threads: any.
 * Complexity: O(conditions) for the whole list, whatever the number of parts. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_monitor_list_conditions(fencepost_monitor *monitor, fencepost_state state,
                                                                 uint64_t after,
                                                                 fencepost_condition_state *out_conditions,
                                                                 size_t capacity, size_t *out_count,
                                                                 fencepost_error *error);

/*
 * Explains why a condition is in its state, and reports the smallest change that would decide the state.
 * @param out_explanation  Initialised with FENCEPOST_EXPLANATION_INIT.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; NOT_FOUND. Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_explain(fencepost_monitor *monitor, const char *identifier,
                                                         fencepost_explanation *out_explanation,
                                                         fencepost_error *error);

/*
 * Reads a record: the condition and its last handled event. Before the first event, the record has sequence 0, the
 * assumed state and the time at which the condition was added. While an event is being handled, the record still shows
 * the previous event.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; NOT_FOUND. Threads: any. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_record(fencepost_monitor *monitor, const char *identifier,
                                                        fencepost_record *out_record, fencepost_error *error);

/*
 * Computes how far a device at a position can move without changing sides of any monitored circle, polygon or corridor.
 * The result is the distance to the nearest boundary, minus a micrometre. The result is 0 on a boundary, and INFINITY
 * if there is no boundary. (For a circle with a radius above 19 900 km the boundary may be farther away than the
 * result.) Any fix can decide an undetermined shape; see fencepost_plan.follow. Conditions that are inactive at the
 * monitor's clock do not count, so the result holds until fencepost_plan.next_start_us. (Once the monitor has a clock,
 * its next deadline is not later.) Feed the latest fix before that time, then the next fix, and ask again.
 *
 * @param latitude, longitude  Degrees.
 * @param out_distance_m       Metres.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (coordinate out of range).
 * Threads: any. Complexity: O(log conditions + shapes around the position). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_safe_distance(fencepost_monitor *monitor, double latitude,
                                                               double longitude, double *out_distance_m,
                                                               fencepost_error *error);

/* A back end with few slots, such as the regions of a phone or the geofences of a receiver. A NULL pointer stands for
   the values that its INIT macro sets. */
typedef struct fencepost_plan_options {
  uint32_t struct_size;    /* set by FENCEPOST_PLAN_OPTIONS_INIT */
  uint32_t slots;          /* number of slots, 1 ... 1000000; if not all circles fit, the last slot is for the wake-up
                              circle */
  double margin_m;         /* finite, >= 0: safety margin by which the wake-up circle is made smaller */
  double maximum_radius_m; /* >= 0: the largest wake-up circle that the back end accepts */
} fencepost_plan_options;

/* 20 slots, as on a phone; a wake-up circle of at most 100 km. */
#define FENCEPOST_PLAN_OPTIONS_INIT {sizeof(fencepost_plan_options), 20, 0, 100000}

/* A circle in a slot of the back end. Frozen: the structure never grows. */
typedef struct fencepost_armed_condition {
  uint64_t generation; /* generation of the condition; a replacement has a new generation */
  uint64_t tag;        /* the tag with which the condition was added */
  double latitude;     /* centre, degrees */
  double longitude;    /* centre, degrees */
  double radius_m;     /* metres */
  double slack_m;      /* distance from the position to the circle's boundary; INFINITY for a circle that contains the
                          whole Earth */
  uint32_t is_inside;  /* 1: the position is inside. A back end that reports only changes needs to know the initial
                          side */
  uint32_t is_new;     /* 1: arm the circle, after disarming the circles that are not kept; 0: the circle is already
                          armed, leave it armed */
  uint32_t reserved;   /* 0 */
  uint32_t identifier_length; /* bytes, without the terminating zero */
  char identifier[264];       /* UTF-8, terminated; the remaining bytes are 0 */
} fencepost_armed_condition;

/* The data of a plan, apart from its circles. */
typedef struct fencepost_plan {
  uint32_t struct_size;     /* set by FENCEPOST_PLAN_INIT */
  uint32_t follow;          /* 1: feed every fix until this member of a new plan is 0 */
  uint32_t has_wake_up;     /* 1: the last slot holds the wake-up circle, which the next members describe */
  uint32_t reserved;        /* 0 */
  double wake_up_latitude;  /* degrees */
  double wake_up_longitude; /* degrees */
  double wake_up_radius_m;  /* 0: boundaries are so near that every fix must be fed */
  int64_t next_start_us;    /* the next start of a schedule: the plan leaves inactive conditions out, and holds until
                               this time. FENCEPOST_TIME_UNSET = no start follows. Since: 0.3 */
} fencepost_plan;

/* Initialise each fencepost_plan with this macro. */
#define FENCEPOST_PLAN_INIT {sizeof(fencepost_plan), 0, 0, 0, 0, 0, 0, FENCEPOST_TIME_UNSET}

/*
 * Chooses the circles that a back end with few slots has to watch, for the position of the last fix that was fed. Feed
 * a fix, and make a new plan from it, in each of four cases: the fix and the previous fix lie on different sides of an
 * armed circle; the fix lies outside the wake-up circle; follow is 1; the time of the fix is next_start_us or later. In
 * the last case, first feed the previous fix, if it was left out. If you feed these fixes, and also a fix whenever you
 * add conditions or change their hours, the events are the same as if every fix were fed. Before you advance the
 * monitor, feed the latest fix if a start follows; make a new plan if the time is next_start_us or later. The call does
 * not change records or states.
 *
 * The plan arms the circles whose boundaries are nearest (ties: the smaller radius, then the identifier), or all
 * circles if they fit. Beacon conditions are ignored, and so are conditions that are inactive at the monitor's clock:
 * outside the intervals of their schedule, or exhausted. A polygon or corridor is represented by a circle around it while
 * the position is outside that circle, or by a circle within it while the position is inside that circle. Between these
 * two circles, the polygon or corridor has no circle, and the wake-up circle ends before the boundary of the polygon or
 * corridor. The circles that represent polygons and corridors depend on the position, so each plan arms them anew
 * (out_keep 0, is_new 1).
 *
 * @param latitude, longitude  Degrees.
 * @param accuracy_m   Accuracy of the position, finite, >= 0; the wake-up circle is smaller by this value.
 * @param options      NULL for 20 slots.
 * @param armed        Generations of the armed conditions; may be NULL only if armed_count is 0.
 * @param out_keep     armed_count flags: 1 = stays armed, 0 = disarm it before arming anything; NULL only if
 *                     armed_count is 0.
 * @param out_armed    Receives the circles, the nearest boundary first; may be NULL only if capacity is 0.
 * @param capacity     Number of elements of out_armed; one element per slot is always enough. 0 to query the count.
 * @param out_count    Receives the number of circles, also with BUFFER_TOO_SMALL.
 * @param out_plan     Initialised with FENCEPOST_PLAN_INIT.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; BUFFER_TOO_SMALL (not with capacity 0); UNSUPPORTED.
 * Threads: any. Complexity: O(slots * log conditions + circles around the position). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_monitor_plan(fencepost_monitor *monitor, double latitude, double longitude,
                                                      double accuracy_m, const fencepost_plan_options *options,
                                                      const uint64_t *armed, size_t armed_count, uint32_t *out_keep,
                                                      fencepost_armed_condition *out_armed, size_t capacity,
                                                      size_t *out_count, fencepost_plan *out_plan,
                                                      fencepost_error *error);

/* -------------------------------------------------------------------------------------------- fleets */

/*
 * A fleet: many devices that share one table of conditions.
 *
 * Rule:     A fleet with devices d1 ... dn gives exactly the events of n monitors with the same conditions, interleaved
 *           in the order of input. Each of the n monitors is created before the first condition, with the fleet's
 *           delivery, no condition limit and initial_fix_max_age_us -1, and gets every change of the table, every
 *           fencepost_fleet_advance(), and the inputs of its device. Events of different devices come in the order of
 *           the rows or calls that caused them. The events that one advance produces are ordered by deadline, then by
 *           the place of the device (see Devices), then by the order in which the conditions were added. If a device is
 *           created after an advance, the changes that are already due for it are reported at its first input or at the
 *           next advance.
 * Devices:  A device has an identifier, 1 ... 256 bytes of UTF-8, and a number, which you pass with its inputs. The
 *           fleet assigns the numbers, 1, 2, 3 ... while no device is removed; the numbers are valid until the fleet is
 *           destroyed. The number of a removed device is refused with FENCEPOST_E_NO_SUCH_DEVICE. The lower 32 bits of
 *           a number are the place of the device plus 1. The place, (uint32_t)number - 1, can index an array with one
 *           element per device: 0, 1, 2 ... Places of removed devices are reused; the upper 32 bits of a number count
 *           the devices that had the place before, so a number is used once.
 * Cost:     A device takes about 200 bytes. This includes its identifier, and the conditions that the device is inside
 *           of or about to cross. The first fix of a device costs only a look-up in the index. The first fix after many
 *           conditions were added, even a million, costs the same.
 * Path:     With FENCEPOST_PATH_GEODESIC the path of each device between two fixes counts: see fencepost_path. A
 *           table with lines needs a path and delivery EVERY in each fleet over it; while a fleet over the table has no
 *           path, or another delivery, the table refuses lines.
 * Delivery: With FENCEPOST_DELIVERY_FIRST or LATEST, each condition of a device has at most one event that is pending
 *           or not committed. The memory for this follows the events, not the devices. An exported device counts as if
 *           its present states had been reported; events that follow from pending ones stay with the fleet.
 * Differs:  Unlike a monitor, a fleet has no condition limit and no host capabilities. A
 *           new condition is never decided by an earlier fix, and a fleet keeps no records (see
 *           fencepost_monitor_record()).
 * Threads:  A fleet may be used from several threads; it has its own lock. To feed in parallel, use several fleets over
 *           one table, one per thread, each with a part of the devices. Merge the events of the fleets by `row` to get
 *           the order that a single fleet would give.
 */
typedef struct fencepost_fleet fencepost_fleet;

/* Counters of a fleet since it was created. Input counts are totals over the fleet's devices. */
typedef struct fencepost_fleet_counters {
  uint32_t struct_size;        /* set by FENCEPOST_FLEET_COUNTERS_INIT */
  uint32_t reserved;           /* 0 */
  int64_t clock_us;            /* the time to which all devices were advanced; FENCEPOST_TIME_UNSET = never */
  uint64_t accepted_fixes;     /* evaluated */
  uint64_t invalid_fixes;      /* coordinate or time out of range, or no position */
  uint64_t late_inputs;        /* inputs of all kinds that were refused because they were late */
  uint64_t ahead_inputs;       /* inputs of all kinds that were refused with FENCEPOST_E_AHEAD_OF_CLOCK */
  uint64_t accepted_sightings; /* scan reports */
  uint64_t pending_events;     /* events that wait for their first delivery */
  uint64_t handed_out_events;  /* the last event position that was assigned */
  uint64_t device_count;       /* devices */
  uint64_t condition_count;    /* of the table */
  uint64_t device_bytes;       /* bytes of memory that the devices take, without their identifiers */
  uint32_t store;              /* FENCEPOST_STORE_...: whether changes are being saved */
  uint32_t all_kept;           /* 1: all accepted inputs are saved and would survive a loss of power, so the host may
                                  acknowledge its inputs; 0: not yet, or there is no store */
  uint64_t doubted_fixes;      /* their devices cannot have reached them; see plausible_speed_mps. Since: 0.3 */
} fencepost_fleet_counters;

/* Initialise each fencepost_fleet_counters with this macro. */
#define FENCEPOST_FLEET_COUNTERS_INIT {sizeof(fencepost_fleet_counters), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* A device's clock, and its counters since the device was created. */
typedef struct fencepost_device_statistics {
  uint32_t struct_size;        /* set by FENCEPOST_DEVICE_STATISTICS_INIT */
  uint32_t reserved;           /* 0 */
  int64_t clock_us;            /* the latest time of all inputs and advances; FENCEPOST_TIME_UNSET = none yet */
  uint64_t accepted_fixes;     /* evaluated */
  uint64_t invalid_fixes;      /* coordinate or time out of range, or no position */
  uint64_t late_inputs;        /* inputs of all kinds that were refused because they were late */
  uint64_t ahead_inputs;       /* inputs of all kinds that were refused because they were ahead of the clock */
  uint64_t accepted_sightings; /* scan reports */
  uint64_t handed_out_events;  /* the last sequence number assigned */
  uint64_t input_count;        /* number of all inputs of the device. Besides the inputs that the members above count,
                                  these are inputs that have no position, such as scanning changes and advances of this
                                  device. After a crash, input_count says how many of the device's inputs survived */
  uint64_t doubted_fixes;      /* the device cannot have reached them; see plausible_speed_mps. Since: 0.3 */
} fencepost_device_statistics;

/* Initialise each fencepost_device_statistics with this macro. */
#define FENCEPOST_DEVICE_STATISTICS_INIT {sizeof(fencepost_device_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/*
 * Creates a fleet without devices over options->conditions, or over a new, empty table; fencepost_fleet_conditions()
 * returns the table. With options->store_directory, opens or creates the stored fleet options->name in that directory.
 * The fleet's file is NAME.fencepost, as for a monitor, but cannot be opened as a monitor. The file contains the table,
 * each device with inputs, and the pending and uncommitted events.
 *
 * A table that was just created and is still empty is filled with the stored table. A table that is not new, or no
 * longer empty, must be a version of the stored table. Adding and removing conditions makes a later version of a table;
 * the devices get these changes at their next input. An earlier version of the stored table is brought up to date. To
 * use conditions from your own file, open the fleet over an empty table, then set its conditions with
 * fencepost_conditions_sync(). If several fleets share one table, each has its own store, and the stores can be opened
 * in any order. If another store was already opened over the table, a store whose table became a different later
 * version is accepted, too, unless both tables have conditions and no identifier occurs in both. The devices of that
 * store are adapted as in fencepost_fleet_import_devices().
 *
 * After any crash each device is in exactly the state that it had after its own first N inputs, where N is input_count
 * of fencepost_fleet_device_statistics(). Feed the device's remaining inputs again to reach the state that it would
 * have had without the crash. With CHANGES, N covers every input that changed what the device was inside of, about to
 * cross or had reported. For some devices, a crash may lose inputs that changed none of these; the next
 * fencepost_fleet_checkpoint() saves such inputs. With EVERY_INPUT, and after each checkpoint, N covers all inputs of
 * all devices. With RELAXED, everything is saved as soon as one of the following three statements about the time since
 * the last save is true. (1) The latest clock of any device, or the time of an advance, has moved by
 * checkpoint_interval_us. (2) The clocks of the devices that had inputs since the last save have moved by
 * checkpoint_interval_us on average. Each clock counts from the first input of its device, and a single step counts for
 * at most checkpoint_interval_us. (3) The clock of any one device has moved by sixteen times checkpoint_interval_us.
 * Refused inputs do not count. A crash may also set back the time to which all devices were advanced: it becomes the
 * time that the last complete save stored. An uncommitted event is delivered again with the same sequence, so (device,
 * sequence) identifies a redelivered event. A change of the table is saved with the next input of the fleet (with
 * RELAXED, at the next save of the fleet), together with all devices that have unsaved changes. While the store cannot
 * be written, the fleet continues in memory; fencepost_fleet_counters.store shows this, and later inputs retry.
 *
 * @param options    NULL for FENCEPOST_FLEET_OPTIONS_INIT. For a stored fleet, the options apply from now on.
 * @param out_fleet  Receives the fleet; release it with fencepost_fleet_destroy().
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (an option is out of range, or only for monitors; the table of a monitor;
 *         a store without a name, or a name without a store; the store of a monitor); UNSUPPORTED; with a store also
 *         INVALID_NAME, MONITOR_IN_USE (open in this or another process), TABLE_MISMATCH, STORE_UNAVAILABLE,
 *         STORE_CORRUPT, STORE_TOO_NEW, as described at fencepost_monitor_create().
 * Ownership: the caller owns *out_fleet. Threads: any. Complexity: O(fleets over the table); with a store O(content of
 * the store). Since: 0.2; options->conditions since 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_create(const fencepost_options *options, fencepost_fleet **out_fleet,
                                                      fencepost_error *error);

/*
 * Releases a fleet and its reference to the table. A fleet with a store is closed first, see fencepost_fleet_close().
 *
 * @param fleet  May be NULL.
 * Threads: no other thread may be inside a call on the fleet. Complexity: O(devices). Since: 0.2
 */
FENCEPOST_API void fencepost_fleet_destroy(fencepost_fleet *fleet);

/*
 * Copies a fleet: the copy has the same devices with the same numbers, the same states, counters, clocks and pending
 * events. The copy and the original share the table and then continue independently. A fork starts like the fleet after
 * a crash: it delivers uncommitted events again, with the same sequence and position. The original is unaffected. The
 * fork of a fleet with a store is in memory.
 *
 * @param out_fork  Receives the copy; release it with fencepost_fleet_destroy().
 * @return OK; NULL_ARGUMENT.
 * Ownership: the caller owns *out_fork. Threads: any; the copy and the original need no lock between them. Complexity:
 * O(devices + events), about 200 bytes of memory for each device. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_fork(fencepost_fleet *fleet, fencepost_fleet **out_fork,
                                                    fencepost_error *error);

/*
 * Returns another reference to the fleet's table.
 *
 * @param out_conditions  Receives the reference; release it with fencepost_conditions_destroy().
 * @return OK; NULL_ARGUMENT. Ownership: the caller owns the reference. Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_conditions(fencepost_fleet *fleet, fencepost_conditions **out_conditions,
                                                          fencepost_error *error);

/*
 * Saves all unsaved changes, so that the store covers all inputs of all devices. If the fleet has no
 * store, the call does nothing.
 *
 * @return OK; NULL_ARGUMENT; STORE_UNAVAILABLE (the fleet continues in memory; a later call retries).
 * Threads: any. Complexity: O(devices that changed since the last call). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_checkpoint(fencepost_fleet *fleet, fencepost_error *error);

/*
 * Saves everything and closes the store: its name can be used again, and SQLite's additional files are removed. The
 * fleet continues in memory, but later changes are not saved. Uncommitted events are delivered again when the fleet is
 * next opened. If the fleet has no store, the call does nothing.
 *
 * @return OK; NULL_ARGUMENT; STORE_UNAVAILABLE (not everything could be saved; the store is closed anyway).
 * Threads: any. Complexity: O(devices that changed since the last complete save). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_close(fencepost_fleet *fleet, fencepost_error *error);

/*
 * Copies the whole fleet as bytes that are the same on every platform: the table, each device with inputs, the pending
 * and uncommitted events, counters, options. The function works with and without a store. The same state gives the same
 * bytes.
 *
 * @param buffer    May be NULL only if capacity is 0.
 * @param out_size  Receives the size in bytes; may be NULL. Any other call on the fleet may change the size.
 * @return OK; NULL_ARGUMENT; BUFFER_TOO_SMALL (out_size is stored, buffer untouched).
 * Threads: any. Complexity: O(conditions + devices + pending events). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_snapshot(fencepost_fleet *fleet, void *buffer, size_t capacity,
                                                        size_t *out_size, fencepost_error *error);

/*
 * Creates a fleet in memory from a snapshot; the new fleet continues as the original would. Uncommitted events are
 * delivered again, with the same sequence. Untrusted bytes are safe to pass. The devices keep their numbers, with one
 * exception: if a fleet has more than a million numbers, and nearly all of them belong to devices without inputs, its
 * devices get new numbers.
 *
 * @param snapshot    Array of size bytes; may be NULL only if size is 0.
 * @param conditions  The table to use; the rules of fencepost_fleet_create() for a store apply. NULL: the fleet gets
 *                    its own table, see fencepost_fleet_conditions().
 * @param out_fleet   Receives the fleet; release it with fencepost_fleet_destroy().
 * @return OK; NULL_ARGUMENT; SNAPSHOT_INVALID (not a snapshot of a fleet, damaged, or from a newer library);
 *         TABLE_MISMATCH.
 * Ownership: the caller owns *out_fleet. Threads: any. Complexity: O(size). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_restore(const void *snapshot, size_t size,
                                                       fencepost_conditions *conditions, fencepost_fleet **out_fleet,
                                                       fencepost_error *error);

/*
 * Reads the counters of a fleet.
 *
 * @param out_statistics  Initialised with FENCEPOST_FLEET_COUNTERS_INIT.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (struct_size is not set).
 * Threads: any. Complexity: O(pending events). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_statistics(fencepost_fleet *fleet,
                                                          fencepost_fleet_counters *out_statistics,
                                                          fencepost_error *error);

/* --------------------------------------------------------------------------------- devices of fleets */

/*
 * Looks up devices by their identifiers, and creates devices for unknown identifiers if requested. All or none: if one
 * row is refused, nothing has changed and error->position is its index.
 *
 * @param identifiers  Array of count pointers to zero-terminated texts of 1 ... 256 bytes of UTF-8; repetitions are
 *                     allowed.
 * @param create       0: unknown devices are not created; anything else: unknown devices are created.
 * @param out_devices  Receives count numbers; FENCEPOST_NO_DEVICE for an unknown device that was not created.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (an invalid identifier; or more devices than device_limit).
 * Ownership: everything is copied. Threads: any. Complexity: O(count) on average. Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_enter_devices(fencepost_fleet *fleet, const char *const *identifiers,
                                                             size_t count, uint32_t create,
                                                             fencepost_device *out_devices, fencepost_error *error);

/*
 * Copies the numbers of all devices, in ascending order of their places (see Devices above).
 *
 * @param out_devices  May be NULL only if capacity is 0.
 * @param out_count    Receives the total count, also with BUFFER_TOO_SMALL.
 * @return OK; NULL_ARGUMENT; BUFFER_TOO_SMALL (not with capacity 0). Threads: any. Complexity: O(devices). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_list_devices(fencepost_fleet *fleet, fencepost_device *out_devices,
                                                            size_t capacity, size_t *out_count, fencepost_error *error);

/*
 * Copies the identifier of a device, terminated. A removed device's identifier stays available until the events of
 * 4 096 devices that were removed later have been handled.
 *
 * @param buffer    May be NULL only if capacity is 0; 257 bytes always suffice.
 * @param out_size  Receives the length without the terminating zero; may be NULL.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE (no device ever had the number, or its device is no longer remembered);
 *         BUFFER_TOO_SMALL (not with capacity 0).
 * Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_device_identifier(fencepost_fleet *fleet, fencepost_device device,
                                                                 char *buffer, size_t capacity, size_t *out_size,
                                                                 fencepost_error *error);

/*
 * Returns the position of each device's last accepted fix, to a ten-millionth of a degree. Stores, snapshots and
 * exported devices do not contain the latest positions. After a fleet is opened or restored, or a device is imported,
 * the result is an older position until the device's next fix: that of the last fix that lay outside the device's safe
 * region.
 *
 * @param devices         Array of count device numbers.
 * @param out_latitudes   Receives count values in degrees; NaN for a device without a fix.
 * @param out_longitudes  See out_latitudes.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE (error->position is the element, and nothing was written).
 * Threads: any. Complexity: O(count). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_device_positions(fencepost_fleet *fleet, const fencepost_device *devices,
                                                                size_t count, double *out_latitudes,
                                                                double *out_longitudes, fencepost_error *error);

/*
 * Reads the counters of a device.
 *
 * @param out_statistics  Initialised with FENCEPOST_DEVICE_STATISTICS_INIT.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT (struct_size is not set).
 * Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_device_statistics(fencepost_fleet *fleet, fencepost_device device,
                                                                 fencepost_device_statistics *out_statistics,
                                                                 fencepost_error *error);

/*
 * Removes devices. Removing a device produces no event. An identifier can be used again at once; a device created later
 * with the same identifier is a new device. All or none: if one element is refused, no device is removed.
 *
 * @param devices      Array of count device numbers; may be NULL only if count is 0. A number may be repeated.
 * @param drop_events  0: the pending events of the devices are still delivered; anything else: they are dropped.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE (error->position is the element). Threads: any. Complexity: O(count +
 *         pending events). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_remove_devices(fencepost_fleet *fleet, const fencepost_device *devices,
                                                              size_t count, uint32_t drop_events,
                                                              fencepost_error *error);

/* The time that decides whether a device has been silent. Since: 0.3 */
typedef int32_t fencepost_expiry;
enum {
  FENCEPOST_EXPIRY_INPUT = 0,  /* the latest time of the device's own inputs. Devices without inputs stay. After a
                                  crash, the time of an earlier fencepost_fleet_advance() call that was saved with the
                                  device may count instead */
  FENCEPOST_EXPIRY_ARRIVAL = 1 /* when the device's last accepted input arrived, by fencepost_fleet_set_arrival_time().
                                  The times of the inputs do not matter, so devices with wrong clocks are treated like
                                  others. A device without any accepted input is treated as if an input had arrived
                                  when the device was created */
};

/*
 * Removes the devices that have been silent since before a given time. Pending events of the removed devices are still
 * delivered.
 *
 * @param expiry       FENCEPOST_EXPIRY_...: which time of a device is compared with before_us.
 * @param before_us    A device is removed if its time is earlier than before_us.
 * @param out_devices  Receives the numbers of the removed devices, in ascending order of their places; may be NULL only
 *                     if capacity is 0.
 * @param capacity     Elements; 0 queries the count and removes none.
 * @param out_count    Receives the count, also with BUFFER_TOO_SMALL (then none is removed).
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (unknown expiry; before_us out of range; with FENCEPOST_EXPIRY_ARRIVAL,
 *         no arrival time was set); BUFFER_TOO_SMALL (not with capacity 0).
 * Threads: any. Complexity: O(devices + pending events). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_expire_devices(fencepost_fleet *fleet, fencepost_expiry expiry,
                                                              int64_t before_us, fencepost_device *out_devices,
                                                              size_t capacity, size_t *out_count,
                                                              fencepost_error *error);

/*
 * Copies devices as bytes, one after the other, to store them elsewhere or move them to another fleet; the devices also
 * stay in this fleet. The bytes do not include pending events, but the sequence numbers of those events stay used: in
 * another fleet, the device's next event gets the number after them. Any other call on the fleet may change the sizes.
 *
 * @param devices      Array of count device numbers; may be NULL only if count is 0.
 * @param portable     0: the bytes are only for fleets over a table of the same version. Anything else: the bytes are
 *                     also for tables of other versions. They then have 16 more bytes for each condition that a device
 *                     is inside of or about to cross: a BLAKE2s digest of the condition's identifier and definition.
 *                     The probability that any two of n conditions have the same digest is at most n*n / 2^129; finding
 *                     a collision on purpose takes about 2^64 attempts.
 * @param buffer       May be NULL only if capacity is 0. With BUFFER_TOO_SMALL the buffer's contents are undefined.
 * @param out_offsets  Receives count + 1 offsets in the buffer: where each device begins, and where the last one ends;
 *                     may be NULL. The offsets are also stored with BUFFER_TOO_SMALL.
 * @param out_size     Receives the total size in bytes, also with BUFFER_TOO_SMALL.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE (error->position is the element); BUFFER_TOO_SMALL (not with capacity 0).
 * Threads: any. Complexity: O(count); the first call after a change of the table takes O(conditions) in addition.
 * Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_export_devices(fencepost_fleet *fleet, const fencepost_device *devices,
                                                              size_t count, uint32_t portable, void *buffer,
                                                              size_t capacity, uint64_t *out_offsets, size_t *out_size,
                                                              fencepost_error *error);

/*
 * Adds devices that were exported: each device continues from the state that it had when it was exported. All or none.
 * Untrusted bytes are safe to pass.
 *
 * If this fleet's table has another version, the devices are refused or adapted. Adapting keeps the device's state for
 * each condition that it was inside of or about to cross, if the new table has a condition with the same identifier and
 * definition; adapting drops the device's other states. The device counts as outside all other conditions, so if it is
 * inside one of them, a crossing into that condition follows after the dwell.
 *
 * @param identifiers  Array of count pointers to zero-terminated texts; no device of the fleet may already have one of
 *                     these identifiers.
 * @param bytes        The devices, one after the other; may be NULL only if all are empty.
 * @param offsets      Array of count + 1 ascending offsets into bytes.
 * @param adapt        0: devices of another version of the table are refused; anything else: they are adapted, if they
 *                     were exported as portable.
 * @param out_devices  Receives count numbers; may be NULL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (an identifier that is invalid or in use; invalid offsets; more than
 *         device_limit); SNAPSHOT_INVALID (not a device, damaged, or from a newer library); TABLE_MISMATCH.
 * Ownership: everything is copied. Threads: any. Complexity: O(bytes); plus O(conditions) to adapt. Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_import_devices(fencepost_fleet *fleet, const char *const *identifiers,
                                                              const void *bytes, const uint64_t *offsets, size_t count,
                                                              uint32_t adapt, fencepost_device *out_devices,
                                                              fencepost_error *error);

/* ---------------------------------------------------------------------------------- inputs of fleets */

/*
 * Sets the arrival time of the following inputs, read from the host's own clock; a new arrival time may be earlier than
 * the previous one. The arrival time does not affect states or events; it has only two uses. First,
 * fencepost_fleet_expire_devices() can find the devices to remove by the arrival times of their last accepted inputs,
 * and not by the times in these inputs. Second, with max_time_step_us an input is refused with
 * FENCEPOST_E_AHEAD_OF_CLOCK only if it is too far ahead of both the device's clock and the arrival time. Therefore
 * max_time_step_us also limits the first input of a device, and a device that was silent for a long time may continue
 * with the current time.
 *
 * A device created before the first arrival time is treated as if its last input had arrived at that time. Stores and
 * snapshots include the arrival times.
 *
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (time_us out of range).
 * Threads: any. Complexity: O(1); the first call takes O(devices), and each device then needs 8 more bytes. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_set_arrival_time(fencepost_fleet *fleet, int64_t time_us,
                                                                fencepost_error *error);

/*
 * Feeds one fix of a device. A fix without a position (accuracy negative or NaN) is accepted, ignored and counted.
 *
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT (coordinate or time out of range, counted); LATE_INPUT
 *         (earlier than the device's clock or the last fencepost_fleet_advance(); counted); AHEAD_OF_CLOCK (counted);
 *         QUEUE_FULL. A refused fix changes nothing except the counters.
 * Threads: any. Complexity: the same as fencepost_fleet_feed_columns(). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_feed_fix(fencepost_fleet *fleet, fencepost_device device,
                                                        const fencepost_fix *fix, fencepost_error *error);

/*
 * Fixes of many devices as columns. Without a dictionary, the device column contains device numbers. With a dictionary,
 * the device column contains indices into the dictionary, as in Arrow's dictionary columns, so no column has to be
 * rewritten. The rules for strides and alignment given at fencepost_fix_columns also apply to the device column.
 */
typedef struct fencepost_fleet_columns {
  uint32_t struct_size;               /* set by FENCEPOST_FLEET_COLUMNS_INIT */
  uint32_t device_width;              /* size of an element of devices in bytes: 8 for device numbers; 1, 2, 4 or 8 for
                                         unsigned indices */
  const void *devices;                /* device numbers (fencepost_device), or indices into the dictionary */
  int64_t device_stride;              /* bytes from one row to the next; 0: all rows belong to one device */
  const fencepost_device *dictionary; /* the dictionary: the device number of each index; NULL: the column devices
                                         contains device numbers */
  size_t dictionary_count;            /* the length of the dictionary; unused elements may be FENCEPOST_NO_DEVICE */
  const fencepost_fix_columns *fixes; /* the fixes of the rows; initialised with FENCEPOST_FIX_COLUMNS_INIT */
  uint64_t first_row;                 /* the row number that the events of the first row contain; when you feed a table
                                         in parts, continue the count */
  uint32_t skips_unknown;             /* 0: rows with FENCEPOST_NO_DEVICE are refused; 1: they are skipped and not
                                          counted, so that several fleets can read the same columns in place */
  uint32_t reserved;                  /* 0 */
} fencepost_fleet_columns;

/* For device numbers that lie one after the other in memory: set the members devices and fixes. */
#define FENCEPOST_FLEET_COLUMNS_INIT {sizeof(fencepost_fleet_columns), 8, NULL, 8, NULL, 0, NULL, 0, 0, 0}

/*
 * Feeds many fixes of many devices in order, read in place, with the same result as single calls: invalid rows, late
 * rows, and rows too far ahead of their device's clock are skipped and counted.
 *
 * The fleet is locked until the batch is done, and changes of the table wait.
 *
 * @param columns     Initialised with FENCEPOST_FLEET_COLUMNS_INIT; its arrays contain count rows, and may be NULL only
 *                    if count is 0.
 * @param out_result  Receives the counts; may be NULL. With QUEUE_FULL, it receives the counts of the consumed rows.
 *                    Poll the events, then feed the remaining rows, from error->position on.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE (a row with a number without a device: error->position is the first one,
 *         and nothing has changed); INVALID_ARGUMENT (struct_size is not set; an index beyond the dictionary, and again
 *         nothing has changed; with fixes->refuse_invalid also a row that would be counted as invalid; first_row out of
 *         range); UNSUPPORTED; QUEUE_FULL (the rows before error->position were applied).
 * Threads: any. Complexity: some tens of nanoseconds per fix while no boundary is near, O(conditions near) otherwise.
 * Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_feed_columns(fencepost_fleet *fleet,
                                                            const fencepost_fleet_columns *columns, size_t count,
                                                            fencepost_feed_result *out_result, fencepost_error *error);

/*
 * Feeds one scan report of a device: the beacons observed at one instant. An empty report only moves the device's
 * clock.
 *
 * @param sightings  May be NULL only if count is 0.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT (time out of range); LATE_INPUT; AHEAD_OF_CLOCK;
 *             QUEUE_FULL.
 * Threads: any. Complexity: O(count * matching conditions). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_feed_sightings(fencepost_fleet *fleet, fencepost_device device,
                                                              const fencepost_beacon_sighting *sightings, size_t count,
                                                              int64_t time_us, fencepost_error *error);

/*
 * Declares whether a device scans for beacons from now on: see fencepost_monitor_set_beacon_scanning(). Devices begin
 * with scanning on.
 *
 * @param scanning  0 = off, anything else = on.
 * @return The same as fencepost_fleet_feed_sightings(). Threads: any. Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_set_beacon_scanning(fencepost_fleet *fleet, fencepost_device device,
                                                                   uint32_t scanning, int64_t time_us,
                                                                   fencepost_error *error);

/*
 * Declares what the host of one device can do from now on: see fencepost_monitor_set_host_capabilities(). Devices begin
 * without a flag and with all kinds supported. If a condition is added while its kind is suspended for the device, the
 * next call that feeds, advances or rewinds the fleet, or polls its events, adds the event that reports this.
 *
 * @param device             The number of one device. There is no call for all devices, because each device would have
 *                           an event for each condition.
 * @param diagnostics        FENCEPOST_DIAGNOSTIC_... except the three that the library sets.
 * @param unsupported_kinds  Bit set of (1 << fencepost_condition_kind).
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT (another bit, time out of range, or a fleet whose delivery
 *         is not EVERY); LATE_INPUT; AHEAD_OF_CLOCK; QUEUE_FULL.
 * Threads: any. Complexity: O(conditions) when something changes. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_set_host_capabilities(fencepost_fleet *fleet, fencepost_device device,
                                                                     uint32_t diagnostics, uint32_t unsupported_kinds,
                                                                     int64_t time_us, fencepost_error *error);

/*
 * Tells the fleet that time has passed, for all devices or for one, and confirms each change that is due up to and
 * including time_us.
 *
 * For all devices, time_us becomes the fleet's watermark: every input with an earlier time is late, even an input of a
 * device that is created later. Devices whose clocks are ahead of the watermark are left unchanged. A wrong time would
 * make every later input of every device late, so max_time_step_us also limits an advance of all devices. It is refused
 * if its time is too far ahead of both the last advance and the arrival time; if no arrival time is set, the clocks of
 * the devices are used instead. The limit is not checked if the fleet has neither an arrival time, nor a last advance,
 * nor a clock of a device.
 *
 * @param device  FENCEPOST_ALL_DEVICES, or the number of one device, whose clock alone then moves. For one device, the
 *                host's time is trusted: max_time_step_us does not apply.
 * @param force   0: max_time_step_us limits an advance of all devices. Anything else: there is no limit, because the
 *                host knows that the time from the fleet's clock to time_us has really passed.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT; LATE_INPUT (earlier than the last advance, or than the
 *         device's clock); AHEAD_OF_CLOCK (counted); QUEUE_FULL.
 * Threads: any. Complexity: O(due changes), independent of the number of devices; at most O(devices) if the time is
 * more than max_time_step_us after the last advance. Since: 0.2; device and force since 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_advance(fencepost_fleet *fleet, fencepost_device device, int64_t time_us,
                                                       uint32_t force, fencepost_error *error);

/*
 * Corrects wrong times of inputs or of an advance. For all devices, the call sets back the time to which all devices
 * were advanced, and every device clock that is later than time_us; other devices do not change. For one device, it
 * sets back the clock of that device, counts as an input of the device, and is accepted even while the queue is full.
 *
 * The call leaves pending events, sequence numbers and the other counters as they are. For a device that is set back,
 * every condition becomes undetermined without an event, open crossings and the last fix are forgotten, and the
 * timeouts for absent beacons start again. When a device has been set back, its next fix determines the state of each
 * condition again: an event follows only if that state differs from the last one reported. A device created later
 * begins at the fleet's time.
 *
 * @param device   FENCEPOST_ALL_DEVICES, or the number of one device.
 * @param time_us  All devices: not later than the latest clock of the fleet. One device: between the time of the last
 *                 advance of all devices and the device's clock.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT (out of range, or there is no clock yet; counted for one
 *         device).
 * Threads: any. Complexity: O(devices); for one device, in a fleet without a store, O(what the device is inside of or
 * about to cross). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_rewind(fencepost_fleet *fleet, fencepost_device device, int64_t time_us,
                                                      fencepost_error *error);

/* ---------------------------------------------------------------------------------- events of fleets */

/*
 * Returns up to capacity events and commits the events that were delivered before. With capacity 0, the function
 * returns the number of events that wait, and changes nothing.
 *
 * @param out_events  Array of capacity elements; may be NULL only if capacity is 0.
 * @param out_count   Receives the number of events stored; with capacity 0, the number of events that a poll with
 *                    enough room would store. (With the deliveries FIRST and LATEST, a poll may store more: it commits
 *                    events first, and further events may follow them.)
 * @return OK; NULL_ARGUMENT. Threads: any; use one consumer at a time to get the events in order. Complexity:
 *         O(events); O(pending events) with capacity 0. Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_poll_events(fencepost_fleet *fleet, fencepost_event *out_events,
                                                           size_t capacity, size_t *out_count, fencepost_error *error);

/*
 * Commits the delivered events without delivering more.
 * @return OK; NULL_ARGUMENT. Threads: any. Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_acknowledge(fencepost_fleet *fleet, fencepost_error *error);

/*
 * Returns the delivered, uncommitted events to the queue: they are delivered again with the same sequence and position.
 * @return OK; NULL_ARGUMENT. Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_abandon(fencepost_fleet *fleet, fencepost_error *error);

/*
 * Sets the callback for available events: the callback is called after each call on the fleet that made events
 * available, and during this call if events are already pending. Everything else is as described at
 * fencepost_monitor_set_wakeup(); the callback must not call fencepost_fleet_destroy().
 *
 * @param wakeup   NULL removes the callback.
 * @param context  Passed to the callback; may be NULL.
 * @return OK; NULL_ARGUMENT. Ownership: the caller keeps owning the context. Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_set_wakeup(fencepost_fleet *fleet, fencepost_wakeup wakeup,
                                                          void *context, fencepost_error *error);

/*
 * Returns the earliest time at which something happens to any device, or to one device, even without any input. When
 * the returned time comes, advance the fleet to it.
 *
 * @param device       FENCEPOST_ALL_DEVICES, or the number of one device.
 * @param out_time_us  FENCEPOST_TIME_UNSET if nothing is due.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE. Threads: any. Complexity: O(1), plus the time to drop the deadlines of
 *         removed conditions. Since: 0.2; device since 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_next_deadline(fencepost_fleet *fleet, fencepost_device device,
                                                             int64_t *out_time_us, fencepost_error *error);

/* ----------------------------------------------------------------------------------- state of fleets */

/*
 * Returns the current observed state of a condition for a device, regardless of pending events: UNKNOWN while it is
 * undetermined.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT (an invalid identifier); NOT_FOUND.
 * Threads: any. Complexity: O(what the device is inside of or about to cross). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_state(fencepost_fleet *fleet, fencepost_device device,
                                                     const char *identifier, fencepost_state *out_state,
                                                     fencepost_error *error);

/*
 * Copies the conditions that are in a certain state for a device now, in the order in which the conditions were added.
 * With FENCEPOST_STATE_SATISFIED, these are the conditions that the device is inside of, and the beacons near it.
 *
 * @param state           This parameter and the following ones are as in fencepost_monitor_list_conditions().
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT (another state).
 * Threads: any. Complexity: O(what the device is inside of) for SATISFIED; otherwise O(conditions). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_list_conditions(fencepost_fleet *fleet, fencepost_device device,
                                                               fencepost_state state, uint64_t after,
                                                               fencepost_condition_state *out_conditions,
                                                               size_t capacity, size_t *out_count,
                                                               fencepost_error *error);

/* A device that is inside of a condition, or near a beacon. Frozen: the structure never grows. */
typedef struct fencepost_device_presence {
  uint64_t generation;      /* generation of the condition: see fencepost_conditions_identifiers_of_generations() */
  uint64_t tag;             /* of the condition */
  int64_t since_us;         /* when the presence was confirmed; for a beacon, when it was last seen */
  int64_t evidence_date_us; /* the time of the fix that showed the presence, or of the last sighting */
  fencepost_device device;  /* the device's number */
} fencepost_device_presence;

/*
 * For one condition or for all, copies the devices that are inside the condition or near its beacon. The presences are
 * ordered by the device's place, then by the order in which the conditions were added.
 *
 * @param identifier     The identifier of one condition; NULL: all conditions.
 * @param out_presences  May be NULL only if capacity is 0.
 * @param out_count      Receives the total count, also with BUFFER_TOO_SMALL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT; NOT_FOUND; BUFFER_TOO_SMALL (not with capacity 0).
 * Threads: any. Complexity: for one shape O(results + the shape's events since the last such call); O(devices) for the
 * first call, and again after the fleet had as many events as it has presences. Without an identifier, or with the
 * identifier of a beacon condition, the call always takes O(devices). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_list_devices_inside(fencepost_fleet *fleet, const char *identifier,
                                                                   fencepost_device_presence *out_presences,
                                                                   size_t capacity, size_t *out_count,
                                                                   fencepost_error *error);

/*
 * Explains why a condition is in its state for a device: see fencepost_monitor_explain(). A device does not store the
 * position of a fix that cannot change its states: after such fixes, the explanation describes the last fix whose
 * position was stored.
 *
 * @param out_explanation  Initialised with FENCEPOST_EXPLANATION_INIT.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT; NOT_FOUND. Threads: any. Complexity: O(1). Since: 0.2
 */
FENCEPOST_API fencepost_status fencepost_fleet_explain(fencepost_fleet *fleet, fencepost_device device,
                                                       const char *identifier, fencepost_explanation *out_explanation,
                                                       fencepost_error *error);

/*
 * Computes how far a device at a position can move without changing sides of any shape: see
 * fencepost_monitor_safe_distance().
 *
 * @param latitude, longitude  Degrees.
 * @param out_distance_m       Metres.
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT (coordinate out of range).
 * Threads: any. Complexity: O(log conditions + shapes around the position + what the device is inside of or about to
 * cross). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_safe_distance(fencepost_fleet *fleet, fencepost_device device,
                                                             double latitude, double longitude, double *out_distance_m,
                                                             fencepost_error *error);

/*
 * Chooses the circles that a back end with few slots has to watch, for the position of a device's last fix.
 * fencepost_monitor_plan() describes the other parameters.
 *
 * @return OK; NULL_ARGUMENT; NO_SUCH_DEVICE; INVALID_ARGUMENT; BUFFER_TOO_SMALL (not with capacity 0); UNSUPPORTED.
 * Threads: any. Complexity: O(slots * log conditions + circles around the position + what the device is inside of or
 * about to cross). Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_fleet_plan(fencepost_fleet *fleet, fencepost_device device, double latitude,
                                                    double longitude, double accuracy_m,
                                                    const fencepost_plan_options *options, const uint64_t *armed,
                                                    size_t armed_count, uint32_t *out_keep,
                                                    fencepost_armed_condition *out_armed, size_t capacity,
                                                    size_t *out_count, fencepost_plan *out_plan,
                                                    fencepost_error *error);

/* ------------------------------------------------------------------------ functions without a handle */

/*
 * Writes an event as one JSON object on one line, with a terminating zero byte but without a line feed. The keys are
 * sequence, identifier, state, cause, date, evidence_date, refinement, diagnostics, generation, latitude, longitude,
 * accuracy and boundary_distance, in this order. Times are ISO 8601 in UTC with six decimals, numbers are in shortest
 * round-trip form, and absent values are null. Further keys appear only if they apply: evidence ("path"), gap (true),
 * direction ("left_to_right" or "right_to_left"), probability and vertical_distance.
 *
 * @param device    NULL: the event of a monitor. Otherwise the identifier of the event's device, which becomes the
 *                  first key of the object, "device": see fencepost_fleet_device_identifier().
 * @param buffer    May be NULL only if capacity is 0; 4096 bytes always suffice, or 8192 bytes with a device.
 * @param out_size  Receives the length without the terminating zero; may be NULL.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (the event has values that no event can have, or device is not 1 ... 256
 *         bytes of UTF-8); UNSUPPORTED (a reserved word of the event is not 0); BUFFER_TOO_SMALL (not with capacity 0).
 * Threads: any. Complexity: O(1). Since: 0.1; device: since 0.3
 */
FENCEPOST_API fencepost_status fencepost_event_json(const fencepost_event *event, const char *device, char *buffer,
                                                    size_t capacity, size_t *out_size, fencepost_error *error);

/* Layout of a beacon's advertisement. */
typedef int32_t fencepost_beacon_kind;
enum {
  FENCEPOST_BEACON_IBEACON = 1,  /* company 0x004C, 02 15, 21 bytes */
  FENCEPOST_BEACON_ALTBEACON = 2 /* AltBeacon 1.0: any company, BE AC, 22 bytes; its identifier is read as UUID, major
                                    and minor */
};

/* The content of a beacon's advertisement. Frozen: the structure never grows. */
typedef struct fencepost_beacon_advertisement {
  fencepost_beacon_sighting sighting; /* pass it to fencepost_monitor_feed_sightings() */
  fencepost_beacon_kind kind;         /* FENCEPOST_BEACON_... */
  int32_t measured_power_dbm;         /* signal strength at 1 m as measured by the maker, -128 ... 127 */
  uint32_t company_id;                /* Bluetooth company identifier, 0 ... 65535 */
  uint32_t manufacturer_reserved;     /* AltBeacon's last byte; 0 for iBeacon */
} fencepost_beacon_advertisement;

/*
 * Reads a Bluetooth Low Energy advertisement as a scanner reports it. Only the first beacon in the advertisement is
 * read.
 *
 * @param payload     AD structures (an advertising or scan record, zero padding allowed), or manufacturer data.
 *                    May be NULL only if size is 0.
 * @param size        Bytes.
 * @param company_id  -1: the payload is AD structures, or manufacturer data that begins with its company identifier.
 *                    0 ... 65535: the payload is the bytes after this company identifier, for scanners that report the
 *                    identifier and the bytes separately.
 * @param rssi_dbm    Signal strength of the reception, stored in the sighting; INT32_MIN = unknown.
 * @param out_advertisement  Receives the content of the advertisement.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (no iBeacon or AltBeacon in it, or one of a wrong length; error->position
 *         is the offset of the faulty byte).
 * Ownership: the payload is read during the call. Threads: any. Complexity: O(size). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_beacon_parse_advertisement(const uint8_t *payload, size_t size,
                                                                    int32_t company_id, int32_t rssi_dbm,
                                                                    fencepost_beacon_advertisement *out_advertisement,
                                                                    fencepost_error *error);

/*
 * A filter that accepts a fix only after the device has moved far enough, and not too often. The filter accepts the
 * first fix, then each fix at least minimum_distance_m away from the last accepted fix and at least minimum_interval_us
 * after that fix. The caller owns the structure; only one thread may use it at a time.
 */
typedef struct fencepost_significant_change_filter {
  uint32_t struct_size;        /* set by FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT */
  uint32_t has_last;           /* 0 resets the filter: the next fix is accepted */
  double minimum_distance_m;   /* finite, >= 0 */
  int64_t minimum_interval_us; /* 0 ... 1e15 */
  fencepost_fix last;          /* the last accepted fix, if has_last is not 0 */
} fencepost_significant_change_filter;

/* 500 m and 300 s, as Core Location documents for significant-change updates. */
#define FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT \
  {sizeof(fencepost_significant_change_filter), 0, 500, 300000000, {0, 0, 0, 0}}

/*
 * Offers a fix to a filter. A fix is not accepted if it has no position, is out of range, or is earlier than the last
 * accepted fix.
 *
 * @param filter        Changed if the fix is accepted.
 * @param out_accepted  Receives 1 if the fix is accepted, else 0.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (a member of the filter is out of range); UNSUPPORTED.
 * Threads: any, but one at a time per filter. Complexity: O(1). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_significant_change_accept(fencepost_significant_change_filter *filter,
                                                                   const fencepost_fix *fix, uint32_t *out_accepted,
                                                                   fencepost_error *error);

/* How a fix is chosen among several. A NULL pointer stands for the values that its INIT macro sets. */
typedef struct fencepost_fix_selection {
  uint32_t struct_size;   /* set by FENCEPOST_FIX_SELECTION_INIT */
  uint32_t reserved;      /* 0 */
  double speed_m_per_s;   /* finite, >= 0: how fast uncertainty grows with age */
  int64_t maximum_age_us; /* 0 ... 1e15: fixes older than this are not considered */
} fencepost_fix_selection;

/* The initial values: uncertainty grows at walking speed, and fixes of the last five minutes count. */
#define FENCEPOST_FIX_SELECTION_INIT {sizeof(fencepost_fix_selection), 0, 1.5, 300000000}

/*
 * Chooses the fix with the least uncertainty, accuracy_m + speed_m_per_s * age. Among fixes with equal uncertainty, the
 * function chooses the latest, then the first in the array. A fix without a reported accuracy is chosen only if no
 * other fix is usable. Fixes that have no position, are later than now_us, or are too old are not considered.
 *
 * @param fixes          May be NULL only if count is 0.
 * @param now_us         The moment for which to choose.
 * @param selection      NULL for the defaults.
 * @param out_index      Receives the index of the best fix; unchanged if no fix is usable.
 * @param out_available  Receives 1, or 0 if no fix is usable.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (now_us or a setting); UNSUPPORTED.
 * Threads: any. Complexity: O(count). Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_best_fix(const fencepost_fix *fixes, size_t count, int64_t now_us,
                                                  const fencepost_fix_selection *selection, size_t *out_index,
                                                  uint32_t *out_available, fencepost_error *error);

/*
 * Computes the signed distances of points to the boundary of a definition, without any table: metres, negative inside,
 * 0 on the boundary, accurate to 15 nm. A point is inside if its distance is 0 or less. The distance to a line is never
 * negative. Each call examines the definition anew, so pass many points at once.
 *
 * @param definition       A circle, polygon, corridor or line. Its identifier, policy, tag and assumed state do not
 *                         matter; the identifier may be NULL.
 * @param columns          Initialised with FENCEPOST_POINT_COLUMNS_INIT; its arrays contain count rows, read in place.
 *                         The arrays may be NULL only if count is 0.
 * @param out_distances_m  Receives count values; may be NULL only if count is 0. Untouched if the call fails.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (struct_size is not set; the definition is invalid or a beacon; or a row
 *         is not a valid point: error->position is the first such row); UNSUPPORTED.
 * Threads: any. Complexity: the same as for adding the definition, plus O(log vertices) per point. Since: 0.3
 */
FENCEPOST_API fencepost_status fencepost_definition_distance(const fencepost_condition_definition *definition,
                                                             const fencepost_point_columns *columns, size_t count,
                                                             double *out_distances_m, fencepost_error *error);

/*
 * Reads a UUID in its 8-4-4-4-12 form, upper or lower case.
 * @param out_uuid  16 bytes.
 * @return OK; NULL_ARGUMENT; INVALID_ARGUMENT (names the text). Threads: any. Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_uuid_parse(const char *text, uint8_t *out_uuid, fencepost_error *error);

/*
 * Solves the inverse geodesic problem on WGS84 (Karney 2013): the shortest path between two points.
 *
 * @param out_distance_m  Metres, error below 15 nm; may be NULL, like the other two outputs.
 * @param out_azimuth1    Degrees clockwise from north at the first point, -180 ... 180.
 * @param out_azimuth2    The azimuth at the second point, in the direction of travel.
 * @return OK; INVALID_ARGUMENT (a coordinate is not finite or out of range). Threads: any. Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_geodesic_inverse(double latitude1, double longitude1, double latitude2,
                                                          double longitude2, double *out_distance_m,
                                                          double *out_azimuth1, double *out_azimuth2,
                                                          fencepost_error *error);

/*
 * Solves the direct geodesic problem on WGS84 (Karney 2013): finds the end point of a path with a given start, azimuth
 * and length.
 *
 * @param azimuth          Degrees clockwise from north, finite.
 * @param distance_m       Metres, finite; negative goes backwards; at most 1e9 in magnitude.
 * @param out_latitude     Degrees; may be NULL, like the other two outputs.
 * @param out_longitude    Degrees, -180 ... 180.
 * @param out_azimuth2     Degrees at the end, in the direction of travel.
 * @return OK; INVALID_ARGUMENT. Threads: any. Since: 0.1
 */
FENCEPOST_API fencepost_status fencepost_geodesic_direct(double latitude, double longitude, double azimuth,
                                                         double distance_m, double *out_latitude, double *out_longitude,
                                                         double *out_azimuth2, fencepost_error *error);

#ifdef __cplusplus
}
#endif

#endif /* FENCEPOST_H */
