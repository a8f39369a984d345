/*
 * Implements fp_events(places, time, latitude, longitude [, accuracy [, error_major, error_minor, error_orientation [,
 * altitude, vertical_accuracy, geoid_height, ground_height]] [, options]]), fp_visits(...) and fp_counts(...): aggregates
 * with one group per device, whose rows may come in any order. All times, including those in the result, are TIMESTAMP
 * (UTC) or TIMESTAMPTZ.
 */
#include <stdlib.h>
#include <string.h>
#include "aggregates.h"

/* The rows of one group of an aggregate; created with the group's first row. */
typedef struct group {
  fp_track track;
  fp_places *places;
  fp_options options;
  const char *last_places, *last_options; /* pointers from the previous row: equal pointers mean equal bytes */
  size_t options_size;
  char *options_text;
} group;

/* DuckDB may move this structure to another address in memory. */
typedef struct state {
  group *group;
} state;

static idx_t state_size(duckdb_function_info info) { return (void)info, sizeof(state); }
static void begin(duckdb_function_info info, duckdb_aggregate_state own) {
  (void)info;
  ((state *)own)->group = NULL;
}

static void release(group *group) {
  if (group == NULL) return;
  fp_track_clear(&group->track);
  fp_places_release(group->places);
  free(group->options_text);
  free(group);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
  for (idx_t i = 0; i < count; i++) release(((state *)states[i])->group);
}

/* Creates a group that has no fixes yet. If `places` is NULL, compiles the places from `bytes`. */
static group *make(fp_places *places, const char *bytes, size_t size, const char *text, size_t text_size,
                   fp_message *message) {
  group *new = calloc(1, sizeof *new);
  if (new == NULL || (new->options_text = malloc(text_size + 1)) == NULL) {
    free(new);
    fp_no_memory(message);
    return NULL;
  }
  if (text_size > 0) memcpy(new->options_text, text, text_size);
  new->options_size = text_size;
  if (fp_options_read(text, text_size, FP_OPTIONS_OF_REPLAYS & ~(uint32_t)FP_OPTION_TIME, &new->options, message)) {
    new->places = places != NULL ? places : fp_places_get(bytes, size, &new->options, message);
    if (places != NULL) fp_places_retain(places);
  }
  if (new->places != NULL) return new;
  release(new);
  return NULL;
}

static bool add_row(state *own, const fp_column *columns, idx_t count, idx_t row, fp_message *message) {
  for (idx_t i = 1; i < 4; i++)
    if (fp_is_null(columns[i], row)) return true;
  if (fp_is_null(columns[0], row))
    return fp_fail(message, "the places are NULL; the first argument must be a BLOB of fp_places()");
  size_t size, text_size = 0;
  const char *bytes = fp_bytes(columns[0], row, &size), *text = NULL;
  if ((count == 6 || count == 9 || count == 13) && !fp_is_null(columns[count - 1], row))
    text = fp_bytes(columns[count - 1], row, &text_size);
  group *group = own->group;
  if (group == NULL) {
    group = own->group = make(NULL, bytes, size, text, text_size, message);
    if (group == NULL) return false;
  } else {
    if (bytes != group->last_places && !fp_places_are(group->places, bytes, size))
      return fp_fail(message, "the places differ within a group; must be the same in all rows");
    if (text_size != group->options_size || (text_size > 0 && memcmp(text, group->options_text, text_size) != 0))
      return fp_fail(message, "the options differ within a group; must be the same in all rows");
  }
  /* Pointers are compared within one chunk of input only: see update(). */
  group->last_places = bytes;
  double accuracy = count >= 5 && !fp_is_null(columns[4], row) ? fp_double(columns[4], row) : 0;
  fp_beside beside = fp_nothing_beside();
  if (count >= 8) beside.ellipse = fp_ellipse_of(columns + 5, row);
  if (count >= 12) beside.height = fp_height_of(columns + 8, row);
  return fp_track_add(&group->track, &group->options, fp_double(columns[2], row), fp_double(columns[3], row), accuracy,
                      &beside, fp_int64(columns[1], row), message);
}

static void update_named(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states,
                         const char *name) {
  idx_t rows = duckdb_data_chunk_get_size(input), count = duckdb_data_chunk_get_column_count(input);
  fp_column columns[13];
  fp_message message;
  for (idx_t i = 0; i < count; i++) columns[i] = fp_column_of(input, i);
  /* The previous chunk's memory may have been reused, so forget the pointers into it. */
  for (idx_t row = 0; row < rows; row++) {
    group *group = ((state *)states[row])->group;
    if (group != NULL) group->last_places = NULL;
  }
  for (idx_t row = 0; row < rows; row++)
    if (!add_row((state *)states[row], columns, count, row, &message)) {
      fp_refuse_aggregate(info, name, message.text);
      return;
    }
}

static void update_events(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states) {
  update_named(info, input, states, "fp_events");
}
static void update_visits(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states) {
  update_named(info, input, states, "fp_visits");
}
static void update_counts(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states) {
  update_named(info, input, states, "fp_counts");
}

/* Adds the fixes of one aggregation state to another state. Leaves the source state unchanged, because DuckDB may
   combine it into several states for a window. */
static bool combine_one(const group *from, group **to, fp_message *message) {
  if (from == NULL) return true;
  if (*to == NULL) *to = make(from->places, NULL, 0, from->options_text, from->options_size, message);
  if (*to == NULL) return false;
  if (!fp_places_equal((*to)->places, from->places))
    return fp_fail(message, "the places or options differ within a group; must be the same in all rows");
  return fp_track_merge(&(*to)->track, &from->track, message);
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *source, duckdb_aggregate_state *target,
                    idx_t count) {
  fp_message message;
  for (idx_t i = 0; i < count; i++)
    if (!combine_one(((state *)source[i])->group, &((state *)target[i])->group, &message)) {
      fp_refuse_aggregate(info, "fp_events", message.text);
      return;
    }
}

/* ------------------------------------------------------------------------------------------- results */

static void set_time(duckdb_vector vector, idx_t row, int64_t time_us, bool known) {
  ((int64_t *)duckdb_vector_get_data(vector))[row] = time_us;
  if (!known) fp_set_null(vector, row);
}
static void set_text(duckdb_vector vector, idx_t row, const char *text) {
  if (text != NULL) duckdb_vector_assign_string_element(vector, row, text);
  else fp_set_null(vector, row);
}
static void set_double(duckdb_vector vector, idx_t row, double value) {
  ((double *)duckdb_vector_get_data(vector))[row] = value;
  if (value != value) fp_set_null(vector, row);
}
static void set_bool(duckdb_vector vector, idx_t row, bool value) {
  ((bool *)duckdb_vector_get_data(vector))[row] = value;
}

static const char *const event_names[] = {"place",      "kind",      "time",      "evidence_time", "state",
                                          "latitude",   "longitude", "accuracy",  "distance",      "sequence",
                                          "direction",  "on_path",   "after_gap", "probability",   "vertical_distance",
                                          "decided_by", NULL};
enum {
  EVENT_MEMBERS = sizeof event_names / sizeof *event_names - 1
};

static void write_event(duckdb_vector child, idx_t row, const fp_places *places, const fencepost_event *event) {
  duckdb_vector members[EVENT_MEMBERS];
  for (idx_t i = 0; i < EVENT_MEMBERS; i++) members[i] = duckdb_struct_vector_get_child(child, i);
  set_text(members[0], row, event->identifier);
  set_text(members[1], row, fp_event_kind(event));
  set_time(members[2], row, event->date_us, true);
  set_time(members[3], row, event->evidence_date_us, event->evidence_date_us != FENCEPOST_TIME_UNSET);
  set_text(members[4], row, fencepost_state_name(event->state));
  set_double(members[5], row, event->latitude);
  set_double(members[6], row, event->longitude);
  set_double(members[7], row, event->accuracy_m);
  set_double(members[8], row, event->boundary_distance_m);
  ((int64_t *)duckdb_vector_get_data(members[9]))[row] = (int64_t)event->sequence;
  set_text(members[10], row, fp_event_direction(event));
  set_bool(members[11], row, (event->flags & FENCEPOST_EVENT_ON_PATH) != 0);
  set_bool(members[12], row, (event->flags & FENCEPOST_EVENT_AFTER_GAP) != 0);
  set_double(members[13], row, event->probability);
  set_double(members[14], row, event->vertical_distance_m);
  set_text(members[15], row, fp_event_decided_by(places, event));
}

static const char *const visit_names[] = {"place",     "start",           "end",           "duration", "start_known",
                                          "end_known", "confirmed_start", "confirmed_end", NULL};

static void write_visit(duckdb_vector child, idx_t row, const fp_visit *visit) {
  duckdb_vector members[8];
  for (idx_t i = 0; i < 8; i++) members[i] = duckdb_struct_vector_get_child(child, i);
  set_text(members[0], row, visit->identifier);
  set_time(members[1], row, visit->start_us, true);
  set_time(members[2], row, visit->end_us, !visit->open);
  ((duckdb_interval *)duckdb_vector_get_data(members[3]))[row] =
      (duckdb_interval){0, 0, visit->end_us - visit->start_us};
  set_text(members[4], row, visit->start_known);
  set_text(members[5], row, visit->end_known);
  set_time(members[6], row, visit->confirmed_start_us, true);
  set_time(members[7], row, visit->confirmed_end_us, !visit->open);
}

static bool finish_events(group *group, duckdb_vector result, fp_message *message) {
  fp_replay *replay = fp_replay_begin(group->places, &group->track, NULL, message);
  bool good = replay != NULL;
  while (good) {
    fencepost_event event;
    bool available;
    good = fp_replay_next(replay, &event, &available, message);
    if (!good || !available) break;
    size_t at = fp_list_grow(result, 1);
    if (at == SIZE_MAX) good = fp_no_memory(message);
    else write_event(duckdb_list_vector_get_child(result), at, group->places, &event);
  }
  fp_replay_end(replay);
  return good;
}

static bool finish_visits(group *group, duckdb_vector result, fp_message *message) {
  fp_visit *visits = NULL;
  size_t count = 0;
  if (!fp_visits(group->places, &group->track, &group->options, NULL, &visits, &count, message)) return false;
  size_t at = fp_list_grow(result, count);
  for (size_t i = 0; i < count && at != SIZE_MAX; i++)
    write_visit(duckdb_list_vector_get_child(result), at + i, &visits[i]);
  free(visits);
  return at != SIZE_MAX || fp_no_memory(message);
}

/* A group without a fix gives NULL, like other aggregates without rows. */
static void finalize_named(duckdb_function_info info, duckdb_aggregate_state *source, duckdb_vector result, idx_t count,
                           idx_t offset, const char *name, bool (*finish)(group *, duckdb_vector, fp_message *)) {
  fp_message message;
  for (idx_t i = 0; i < count; i++) {
    group *group = ((state *)source[i])->group;
    idx_t first = duckdb_list_vector_get_size(result);
    if (group == NULL) {
      fp_set_null(result, offset + i);
    } else if (!finish(group, result, &message)) {
      fp_refuse_aggregate(info, name, message.text);
      return;
    }
    ((duckdb_list_entry *)duckdb_vector_get_data(result))[offset + i] =
        (duckdb_list_entry){first, duckdb_list_vector_get_size(result) - first};
  }
}

static void finalize_events(duckdb_function_info info, duckdb_aggregate_state *source, duckdb_vector result,
                            idx_t count, idx_t offset) {
  finalize_named(info, source, result, count, offset, "fp_events", finish_events);
}
static void finalize_visits(duckdb_function_info info, duckdb_aggregate_state *source, duckdb_vector result,
                            idx_t count, idx_t offset) {
  finalize_named(info, source, result, count, offset, "fp_visits", finish_visits);
}

static const char *const count_names[] = {"accepted", "invalid", "late", "doubted", NULL};

static void finalize_counts(duckdb_function_info info, duckdb_aggregate_state *source, duckdb_vector result,
                            idx_t count, idx_t offset) {
  fp_message message;
  for (idx_t i = 0; i < count; i++) {
    group *group = ((state *)source[i])->group;
    fp_counts counts = {0};
    if (group != NULL && !fp_count(group->places, &group->track, NULL, &counts, &message)) {
      fp_refuse_aggregate(info, "fp_counts", message.text);
      return;
    }
    const uint64_t numbers[] = {counts.accepted, counts.invalid, counts.late, counts.doubted};
    if (group == NULL) fp_set_null(result, offset + i);
    for (idx_t k = 0; k < 4; k++) {
      duckdb_vector member = duckdb_struct_vector_get_child(result, k);
      ((int64_t *)duckdb_vector_get_data(member))[offset + i] = (int64_t)numbers[k];
      if (group == NULL) fp_set_null(member, offset + i);
    }
  }
}

typedef enum result_kind {
  EVENTS,
  VISITS,
  COUNTS,
  KINDS
} result_kind;

/* Makes the type of a function's result. Each array of types has as many elements as the array of names has texts. */
static duckdb_logical_type result_type(result_kind kind, duckdb_type time) {
  const duckdb_type d = DUCKDB_TYPE_DOUBLE, v = DUCKDB_TYPE_VARCHAR, o = DUCKDB_TYPE_BOOLEAN, n = DUCKDB_TYPE_BIGINT;
  const duckdb_type events[] = {v, v, time, time, v, d, d, d, d, n, v, o, o, d, d, v};
  const duckdb_type visits[] = {v, time, time, DUCKDB_TYPE_INTERVAL, v, v, time, time};
  const duckdb_type counts[] = {n, n, n, n};
  if (kind == COUNTS) return fp_struct_of(count_names, counts);
  return kind == VISITS ? fp_list_of_structs(visit_names, visits) : fp_list_of_structs(event_names, events);
}

static bool add_all(duckdb_aggregate_function_set set, const char *name, const fp_aggregate *aggregate,
                    duckdb_type time, result_kind kind) {
  const duckdb_type b = DUCKDB_TYPE_BLOB, d = DUCKDB_TYPE_DOUBLE, v = DUCKDB_TYPE_VARCHAR;
  return fp_add_aggregate(set, name, aggregate, FP_TYPES(b, time, d, d), result_type(kind, time)) &&
         fp_add_aggregate(set, name, aggregate, FP_TYPES(b, time, d, d, d), result_type(kind, time)) &&
         fp_add_aggregate(set, name, aggregate, FP_TYPES(b, time, d, d, d, v), result_type(kind, time)) &&
         fp_add_aggregate(set, name, aggregate, FP_TYPES(b, time, d, d, d, d, d, d), result_type(kind, time)) &&
         fp_add_aggregate(set, name, aggregate, FP_TYPES(b, time, d, d, d, d, d, d, v), result_type(kind, time)) &&
         fp_add_aggregate(set, name, aggregate, FP_TYPES(b, time, d, d, d, d, d, d, d, d, d, d),
                          result_type(kind, time)) &&
         fp_add_aggregate(set, name, aggregate, FP_TYPES(b, time, d, d, d, d, d, d, d, d, d, d, v),
                          result_type(kind, time));
}

bool fp_register_replays(duckdb_connection connection) {
  static const fp_aggregate aggregates[KINDS] = {
      [EVENTS] = {state_size, begin, update_events, combine, finalize_events, destroy},
      [VISITS] = {state_size, begin, update_visits, combine, finalize_visits, destroy},
      [COUNTS] = {state_size, begin, update_counts, combine, finalize_counts, destroy}};
  static const char *const names[KINDS] = {[EVENTS] = "fp_events", [VISITS] = "fp_visits", [COUNTS] = "fp_counts"};
  bool good = true;
  for (result_kind kind = EVENTS; kind < KINDS && good; kind++) {
    const char *name = names[kind];
    const fp_aggregate *aggregate = &aggregates[kind];
    duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set(name);
    good = add_all(set, name, aggregate, DUCKDB_TYPE_TIMESTAMP, kind) &&
           add_all(set, name, aggregate, DUCKDB_TYPE_TIMESTAMP_TZ, kind) &&
           duckdb_register_aggregate_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_aggregate_function_set(&set);
  }
  return good;
}
