/*
 * The host-independent part of the SQL extensions: sets of places as values, tracks, events and visits, implemented on
 * top of fencepost.h.
 *
 * A set of places is a value of the host (BLOB, bytea) that contains identifiers, geometries and options of the places,
 * sorted by identifier. The bytes of a value are the same on every platform and in every host. Compiled values are
 * cached in the process and found by a digest, so that all rows and threads of a query share them.
 *
 * A host provides fp_reallocate() and fp_release(). fp_reallocate() may exit by longjmp() (in PostgreSQL), so the
 * core never calls fp_reallocate() while it holds a lock, or an object that the host would not free.
 */
#ifndef FENCEPOST_SQL_CORE_H
#define FENCEPOST_SQL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fencepost.h"

/* Why a call failed: `cause` selects the host's error code, and `text` is one line of UTF-8 that names the cause, the
 * place, the accepted range and a remedy. */
typedef enum fp_cause {
  FP_INVALID,   /* the input is refused */
  FP_NO_MEMORY, /* the host or the system has no memory left */
  FP_CANCELLED  /* the host wants to end the statement */
} fp_cause;
typedef struct fp_message {
  fp_cause cause;
  char text[1024];
} fp_message;

/* Reallocates memory that belongs to the host. Returns NULL if memory is exhausted. `size` is never 0. */
void *fp_reallocate(void *memory, size_t size);
void fp_release(void *memory);

/* ------------------------------------------------------------------------------------------ options */

/* The options for places and replays, written as "key=value, key=value". Each key may occur at most once. */
typedef struct fp_options {
  uint32_t given;                     /* FP_OPTION_... */
  fencepost_transition_policy policy; /* policy, entry_dwell, exit_dwell (seconds), entry_margin, exit_margin,
                                         exit_margin_limit, vertical_margin (metres), accuracy_factor,
                                         entry_probability, exit_probability, dwell_policy, notify */
  fencepost_state assuming;           /* value of `assuming`: unknown, unsatisfied or satisfied */
  struct {
    fencepost_edges edges;
    uint32_t oriented, max_vertices, reserved;
    double buffer_m;
  } shape;         /* edges: planar, geodesic; oriented: true, false; max_vertices; buffer (metres) */
  double radius_m; /* radius (metres) */
  uint32_t gate;   /* gate: true, false */
  struct {
    const char *active; /* active: intervals, in the text of the options; NULL = always active */
    size_t active_size;
    int64_t active_until_us; /* active_until: a time; INT64_MAX = the intervals are all there are */
    int64_t absent_after_us; /* absent_after (seconds) */
    int64_t repeat_every_us; /* repeat_every (seconds) */
    uint32_t repeat_limit;   /* repeat_limit */
    uint32_t max_events;     /* max_events */
  } timing;
  struct {
    double min_m, max_m;                         /* altitude_min, altitude_max (metres) */
    fencepost_altitude_reference of_min, of_max; /* altitude_min_reference, altitude_max_reference: ellipsoid,
                                                    mean_sea_level, ground; 0 = there is no such limit */
  } band;
  struct {
    const char *parts; /* all, any, none, of: identifiers, in the text of the options; NULL: not a rule */
    size_t parts_size;
    fencepost_rule_form form;
    uint32_t at_least; /* at_least, with `of` */
  } rule;
  fencepost_path path;           /* path: fixes, geodesic */
  int64_t max_gap_us;            /* max_gap (seconds) */
  double max_speed_mps;          /* max_speed (metres per second) */
  int64_t max_time_step_us;      /* max_time_step (seconds) */
  double plausible_speed_mps;    /* plausible_speed (metres per second); 0 = any speed */
  int64_t corroboration_time_us; /* corroboration_time (seconds) */
  uint32_t corroboration_count;  /* corroboration_count */
  fencepost_order order;         /* order: add, exits_first */
  double accuracy_confidence;    /* accuracy_confidence: a share */
  uint32_t skip_invalid;         /* invalid: refuse, skip */
  int64_t unit_us;               /* time: s, ms, us: the unit of times written as numbers */
} fp_options;

enum {
  FP_OPTION_POLICY = 1 << 0,   /* the group of the policy keys */
  FP_OPTION_ASSUMING = 1 << 1, /* each of the following groups is named after its option key */
  FP_OPTION_SHAPE = 1 << 2,
  FP_OPTION_RADIUS = 1 << 3,
  FP_OPTION_GATE = 1 << 4,
  FP_OPTION_PATH = 1 << 5,
  FP_OPTION_STEP = 1 << 6,
  FP_OPTION_INVALID = 1 << 7,
  FP_OPTION_TIME = 1 << 8,
  FP_OPTION_PLAUSIBILITY = 1 << 9, /* plausible_speed, corroboration_count and corroboration_time */
  FP_OPTION_CONFIDENCE = 1 << 10,
  FP_OPTION_ORDER = 1 << 11,
  FP_OPTION_TIMING = 1 << 12, /* active, active_until, absent_after, repeat_every, repeat_limit and max_events */
  FP_OPTION_BAND = 1 << 13,   /* altitude_min, altitude_max and their references */
  FP_OPTION_RULE = 1 << 14,   /* all, any, none, at_least and of */

  FP_OPTIONS_OF_PLACES = FP_OPTION_POLICY | FP_OPTION_ASSUMING | FP_OPTION_SHAPE | FP_OPTION_RADIUS | FP_OPTION_GATE |
      FP_OPTION_TIMING | FP_OPTION_BAND | FP_OPTION_RULE,
  FP_OPTIONS_OF_SHAPES = FP_OPTION_SHAPE | FP_OPTION_RADIUS,
  FP_OPTIONS_OF_PROBABILITIES = FP_OPTIONS_OF_SHAPES | FP_OPTION_CONFIDENCE,
  FP_OPTIONS_OF_REPLAYS = FP_OPTION_POLICY | FP_OPTION_ASSUMING | FP_OPTION_PATH | FP_OPTION_STEP | FP_OPTION_INVALID |
      FP_OPTION_TIME | FP_OPTION_PLAUSIBILITY | FP_OPTION_CONFIDENCE | FP_OPTION_ORDER,
  FP_OPTIONS_OF_FLEETS = FP_OPTIONS_OF_REPLAYS & ~(FP_OPTION_PATH | FP_OPTION_INVALID | FP_OPTION_TIME)
};

/*
 * Reads options. The defaults are policy=standard, assuming=unsatisfied, edges=planar, no buffer, max_vertices=500000,
 * path=fixes (path=geodesic needs max_gap), any speed, every fix is plausible, accuracy_confidence=0.68, order=add,
 * invalid=refuse, time=s, always active, no absences, no repeats, any number of events, and no limits of altitude. With
 * probabilities, the accuracy factor of a policy is 0 unless the options name another.
 *
 * @param text     The options, `size` bytes; may be NULL if size is 0.
 * @param allowed  FP_OPTION_...: options of other groups are refused.
 */
bool fp_options_read(const char *text, size_t size, uint32_t allowed, fp_options *out, fp_message *message);

/* ------------------------------------------------------------------------------------------- places */

/* A collection of places, which may be added in any order; initialise it with zeros. The builder's bytes are allocated
   with fp_reallocate(), so they belong to the host. */
typedef struct fp_builder {
  uint8_t *bytes;
  size_t size, capacity, count;
} fp_builder;

/* Adds a circle. Coordinates are in degrees, the radius is in metres, and options are text. */
bool fp_builder_circle(fp_builder *builder, const char *identifier, size_t identifier_size, double latitude,
                       double longitude, double radius_m, const char *options, size_t options_size,
                       fp_message *message);

/*
 * Adds a polygon, a line with the option radius (a corridor) or the option gate, or a point with the option radius (a
 * circle).
 * @param geometry  WKB, EWKB or a GeoPackage blob.
 */
bool fp_builder_geometry(fp_builder *builder, const char *identifier, size_t identifier_size, const void *geometry,
                         size_t size, const char *options, size_t options_size, fp_message *message);

/* Adds a rule: its options name its parts. */
bool fp_builder_rule(fp_builder *builder, const char *identifier, size_t identifier_size, const char *options,
                     size_t options_size, fp_message *message);

/* Adds the places of another builder to this one. */
bool fp_builder_merge(fp_builder *builder, const fp_builder *other, fp_message *message);

/*
 * Sorts the places and returns the value. A duplicate identifier, or a shape that the engine refuses, is an error that
 * names the place.
 * @param out_bytes  Receives *out_size bytes from fp_reallocate().
 */
bool fp_builder_finish(fp_builder *builder, uint8_t **out_bytes, size_t *out_size, fp_message *message);

void fp_builder_clear(fp_builder *builder);

/* Compiled places, which are shared and reference-counted; several threads may use them at the same time. */
typedef struct fp_places fp_places;

/*
 * Compiles a value, or returns the cached result.
 * @param options  Options of a replay; NULL stands for the defaults. The policy and the assumed state in the options
 *                 apply to each place that has none of its own.
 * @return NULL with a message on an error. Release the result with fp_places_release().
 */
fp_places *fp_places_get(const void *bytes, size_t size, const fp_options *options, fp_message *message);

/* Returns true if the compiled places came from these bytes, which is decided by comparing digests. */
bool fp_places_are(const fp_places *places, const void *bytes, size_t size);

/* Returns whether two compiled places came from the same bytes and options; threads may have compiled them
   separately. */
bool fp_places_equal(const fp_places *a, const fp_places *b);

/* Places are reference-counted: each fp_places_get() and fp_places_retain() needs a release. Releasing NULL does
   nothing. */
void fp_places_retain(fp_places *places);
void fp_places_release(fp_places *places);

/* Returns the monitor that contains the conditions, for use in replays; the generations of the conditions are 1 ...
   fp_places_count(). The monitor is never fed. */
fencepost_monitor *fp_places_monitor(const fp_places *places);
/* Returns the monitor's table, for use in queries. */
fencepost_conditions *fp_places_table(const fp_places *places);
size_t fp_places_count(const fp_places *places);

/* Returns whether any place has its own assumed state other than unsatisfied. */
bool fp_places_assume(const fp_places *places);

/* Returns the identifier that belongs to a generation. The text ends with a zero byte and lives as long as the
   places. */
const char *fp_places_identifier(const fp_places *places, uint64_t generation);

/* The hours of a place: the intervals in which it is active, and the state that it is assumed to have at each start. */
typedef struct fp_hours {
  fencepost_interval *intervals; /* NULL: always active */
  size_t count;
  fencepost_state assuming;
} fp_hours;

/* Returns the hours of each place, by generation - 1; NULL if no place has a timing. */
const fp_hours *fp_places_hours(const fp_places *places);

/* Compiles one shape from a geometry. Release the result with fp_places_release(). */
fp_places *fp_shape_get(const void *geometry, size_t size, const fp_options *options, fp_message *message);

/* Computes the signed distance from a position to a shape's boundary, in metres; it is negative inside. */
bool fp_shape_distance(const fp_places *shape, double latitude, double longitude, double *out_m, fp_message *message);

/* A one-sigma error ellipse: its semi-axes in metres, and the direction of its major axis in degrees clockwise from
   north. A host passes NULL as NaN; three NaN mean that a fix has no ellipse. */
typedef struct fp_ellipse {
  double major_m, minor_m, orientation;
} fp_ellipse;

/* Returns an ellipse of three NaN. */
fp_ellipse fp_no_ellipse(void);
bool fp_is_ellipse(const fp_ellipse *ellipse);

/* Checks an ellipse as the engine does; a fix without an ellipse is valid. */
bool fp_ellipse_check(const fp_ellipse *ellipse, fp_message *message);

/* The heights of a fix or a point, in metres. A host passes NULL as NaN: the height is not known. */
typedef struct fp_height {
  double altitude_m;          /* above the ellipsoid */
  double vertical_accuracy_m; /* of the altitude; 0 = not reported */
  double geoid_m, ground_m;   /* of the geoid and of the ground above the ellipsoid, at the position */
} fp_height;

/* The values of a fix beside its position, accuracy and time. */
typedef struct fp_beside {
  fp_ellipse ellipse;
  fp_height height;
} fp_beside;

/* Returns no ellipse and no heights. */
fp_beside fp_nothing_beside(void);

/* Sets the columns of a fix, or of fixes whose values beside the position lie one after the other in memory. */
void fp_set_beside(const fp_beside *beside, fencepost_fix_columns *out);

/*
 * Finds the places that contain a point. A limit of altitude whose height is not known is ignored.
 * @param time_us  FENCEPOST_TIME_UNSET: the hours of the places are ignored. Otherwise, a place contains a point only
 *                 in its hours.
 * @return The status of fencepost_conditions_containing().
 */
fencepost_status fp_containing_at(const fp_places *places, double latitude, double longitude, const fp_height *height,
                                  int64_t time_us, uint64_t *out_generations, double *out_distances_m, size_t capacity,
                                  size_t *out_count, fencepost_error *error);

/* Computes the probability that the true position is inside a shape: with the error ellipse if there is one, otherwise
   with the accuracy, which holds the share `confidence` of the true positions. NaN: see
   fencepost_conditions_probability(). */
bool fp_shape_probability(const fp_places *shape, double latitude, double longitude, double accuracy_m,
                          const fp_ellipse *ellipse, double confidence, double *out, fp_message *message);

/* -------------------------------------------------------------------------------------------- tracks */

/* The fixes of one device, in any order. Initialise with zeros. */
typedef struct fp_track {
  fencepost_fix *fixes;
  fp_beside *beside; /* one for each fix; NULL if no fix has an ellipse or an altitude */
  size_t count, capacity, beside_capacity;
  uint64_t skipped; /* number of invalid rows that invalid=skip left out */
  bool unsorted;
} fp_track;

/* Adds a fix. A fix out of range, or with an invalid ellipse, is refused with a message that names its values, or
   skipped and counted. */
bool fp_track_add(fp_track *track, const fp_options *options, double latitude, double longitude, double accuracy_m,
                  const fp_beside *beside, int64_t time_us, fp_message *message);
bool fp_track_merge(fp_track *track, const fp_track *other, fp_message *message);
void fp_track_clear(fp_track *track);

/* A replay of one track. Fixes with the same time keep their order. */
typedef struct fp_replay fp_replay;

/* Returns whether the host wants to end the statement. The core calls this function between blocks of fixes. */
typedef struct fp_cancel {
  bool (*wanted)(void *host);
  void *host;
} fp_cancel;

/* Begins a replay; sorts the track. Places, track and cancel must stay valid until fp_replay_end(). On an error,
   returns NULL and sets the message. */
fp_replay *fp_replay_begin(const fp_places *places, fp_track *track, const fp_cancel *cancel, fp_message *message);

/* Reads the next event; *out_available is false at the end. */
bool fp_replay_next(fp_replay *replay, fencepost_event *out_event, bool *out_available, fp_message *message);
void fp_replay_end(fp_replay *replay);

/* The numbers of the fixes of a track: evaluated, left out by invalid=skip, ahead of the clock by more than
   max_time_step, and doubted because of plausible_speed. */
typedef struct fp_counts {
  uint64_t accepted, invalid, late, doubted;
} fp_counts;

/* Replays a track and counts its fixes. */
bool fp_count(const fp_places *places, fp_track *track, const fp_cancel *cancel, fp_counts *out, fp_message *message);

/* The part of a rule that decided an event; NULL if the event is not one of a rule. `places` may be NULL. */
const char *fp_event_decided_by(const fp_places *places, const fencepost_event *event);

/* The kind of an event: "enter", "exit", "cross", "determined", "timeout" or "diagnostic". */
const char *fp_event_kind(const fencepost_event *event);
/* The direction of a crossing: "left_to_right" or "right_to_left"; NULL if the event has no direction. */
const char *fp_event_direction(const fencepost_event *event);

/* A period during which the condition of a place was satisfied. Times are microseconds since 1970. */
typedef struct fp_visit {
  const char *identifier;   /* of the places */
  int64_t start_us, end_us; /* times of the crossings; an open visit ends with the last accepted fix */
  int64_t confirmed_start_us, confirmed_end_us; /* times of the events */
  const char *start_known, *end_known;          /* one of crossing, determination, timeout, assumed, inactive, open */
  bool open;
} fp_visit;

/*
 * Finds the visits of a track, sorted by start, then by identifier.
 * @param out_visits  Receives *out_count elements for free(), or NULL.
 */
bool fp_visits(const fp_places *places, fp_track *track, const fp_options *options, const fp_cancel *cancel,
               fp_visit **out_visits, size_t *out_count, fp_message *message);

/* -------------------------------------------------------------------------------------------- fleets */

/*
 * Devices whose states the host stores as bytes, one row per device, so that they change with the host's transactions.
 * The core does not keep the state of any device between two calls.
 */
typedef struct fp_fleet fp_fleet;

/* Compiles a set of places for devices. Gates are refused, because these devices have no path. On an error, returns NULL
   and sets the message. */
fp_fleet *fp_fleet_create(const void *places, size_t size, const fp_options *options, fp_message *message);
void fp_fleet_destroy(fp_fleet *fleet);

/* The places that the fleet was compiled from, for fp_event_decided_by(). */
const fp_places *fp_fleet_places(const fp_fleet *fleet);

/* A fix or a time that is fed to one device. */
typedef struct fp_input {
  const char *device; /* 1 ... 256 bytes of UTF-8, ending with a zero byte */
  bool is_fix;        /* if false, the input only lets time pass */
  fencepost_fix fix;
  fp_beside beside;  /* of the fix */
  const void *state; /* the state returned by the last input; NULL for a new device */
  size_t state_size;
} fp_input;

/* The result of feeding one input. The fleet owns the memory of the result, which is valid until the next call. */
typedef struct fp_outcome {
  fencepost_status status; /* OK, LATE_INPUT or AHEAD_OF_CLOCK; the last two mean that the state has not changed */
  const void *state;
  size_t state_size;
  const fencepost_event *events;
  size_t count;
} fp_outcome;

/* Feeds an input. A device state that was saved with other places is adapted to these places: see
   fencepost_fleet_import_devices(). */
bool fp_fleet_take(fp_fleet *fleet, const fp_input *input, fp_outcome *out, fp_message *message);

/* Reads the number of doubted fixes from a state that fp_fleet_take() returned. */
bool fp_doubted_fixes(const void *state, size_t size, uint64_t *out, fp_message *message);

/* --------------------------------------------------------------------------------------------- times */

/* Whether the times of a query have a zone. The times must all have one, or all lack one: otherwise those without a zone
   may be local times. */
typedef enum fp_zones {
  FP_ZONES_UNSEEN,
  FP_ZONES_GIVEN,
  FP_ZONES_MISSING
} fp_zones;

/*
 * Reads a time such as "2026-11-25T20:48:00.123456Z". A space may replace the T. The zone may be an offset such as
 * +01:00; if it is missing, the time is in UTC.
 *
 * @param zones  Whether the times before have a zone; updated. NULL: the time stands alone.
 */
bool fp_time_read(const char *text, size_t size, fp_zones *zones, int64_t *out_us, fp_message *message);

/* Reads a time whose text must have an offset from UTC, or Z. */
bool fp_time_read_zoned(const char *text, size_t size, int64_t *out_us, fp_message *message);

/*
 * Reads intervals START/END, separated by semicolons, whose times have an offset from UTC.
 * @param out  Receives *out_count intervals for free().
 */
bool fp_intervals_read(const char *text, size_t size, fencepost_interval **out, size_t *out_count, fp_message *message);

/*
 * Reads the identifiers of a rule's parts, separated by semicolons. An identifier with a comma, a semicolon or quotation
 * marks is written in quotation marks, which are doubled within it.
 * @param out  Receives *out_count texts, which end with a zero byte. One free() releases them.
 */
bool fp_parts_read(const char *text, size_t size, const char ***out, size_t *out_count, fp_message *message);

/* Converts a number in the unit that the option `time` names to microseconds. */
bool fp_time_number(double value, const fp_options *options, int64_t *out_us, fp_message *message);

/* Writes a time as ISO 8601 UTC with six decimals, ending with a zero byte: 28 bytes. */
void fp_time_write(int64_t time_us, char out[32]);

/*
 * Returns whether the process can get this many bytes. The engine ends the process if it cannot allocate, which must
 * not happen to a server. For this reason, the core calls fp_headroom() before engine functions that allocate much
 * memory.
 */
bool fp_headroom(size_t bytes, fp_message *message);

/* Reads a point from WKB, EWKB or a GeoPackage blob, in degrees. Any geometry that is not a point is refused. */
bool fp_position(const void *geometry, size_t size, double *out_latitude, double *out_longitude, fp_message *message);

/* Fails with the cause FP_NO_MEMORY. Always returns false. */
bool fp_no_memory(fp_message *message);

/* Sets a message with the cause FP_INVALID. Always returns false. */
bool fp_fail(fp_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
