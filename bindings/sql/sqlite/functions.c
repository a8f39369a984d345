#include <math.h>
#include <stdio.h>
#include <string.h>
#include "fencepost_sqlite.h"

const sqlite3_api_routines *sqlite3_api;

void *fp_reallocate(void *memory, size_t size) { return sqlite3_realloc64(memory, size); }
void fp_release(void *memory) { sqlite3_free(memory); }

const void *fp_value_bytes(sqlite3_value *value, size_t *out_size) {
  const void *bytes =
      sqlite3_value_type(value) == SQLITE_TEXT ? (const void *)sqlite3_value_text(value) : sqlite3_value_blob(value);
  *out_size = bytes == NULL ? 0 : (size_t)sqlite3_value_bytes(value);
  return bytes;
}

bool fp_value_options(sqlite3_value *value, uint32_t allowed, fp_options *out, fp_message *message) {
  size_t size = 0;
  const char *text = NULL;
  if (value != NULL && sqlite3_value_type(value) != SQLITE_NULL) {
    if (sqlite3_value_type(value) != SQLITE_TEXT)
      return fp_fail(message, "options must be text, as in 'policy=exact, path=geodesic'");
    if ((text = fp_value_bytes(value, &size)) == NULL) return fp_no_memory(message);
  }
  return fp_options_read(text, size, allowed, out, message);
}

static const char *type_name(sqlite3_value *value) {
  static const char *const names[] = {"", "an integer", "a real", "text", "a BLOB", "NULL"};
  return names[sqlite3_value_type(value)];
}

bool fp_value_number(sqlite3_value *value, const char *what, double *out, fp_message *message) {
  int type = sqlite3_value_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
    return fp_fail(message, "%s is %s; must be a number (CAST(... AS REAL) converts text)", what, type_name(value));
  *out = sqlite3_value_double(value);
  return true;
}

bool fp_value_ellipse(sqlite3_value **values, fp_ellipse *out, fp_message *message) {
  static const char *const names[] = {"error_major", "error_minor", "error_orientation"};
  double *const members[] = {&out->major_m, &out->minor_m, &out->orientation};
  *out = fp_no_ellipse();
  for (int i = 0; i < 3; i++)
    if (sqlite3_value_type(values[i]) != SQLITE_NULL && !fp_value_number(values[i], names[i], members[i], message))
      return false;
  return true;
}

bool fp_value_height(sqlite3_value **values, fp_height *out, fp_message *message) {
  static const char *const names[] = {"altitude", "vertical_accuracy", "geoid_height", "ground_height"};
  double *const members[] = {&out->altitude_m, &out->vertical_accuracy_m, &out->geoid_m, &out->ground_m};
  *out = fp_nothing_beside().height;
  for (int i = 0; i < 4; i++)
    if (sqlite3_value_type(values[i]) != SQLITE_NULL && !fp_value_number(values[i], names[i], members[i], message))
      return false;
  return true;
}

bool fp_value_time(sqlite3_value *value, const fp_options *options, fp_zones *zones, int64_t *out_us,
                   fp_message *message) {
  size_t size;
  switch (sqlite3_value_type(value)) {
    case SQLITE_TEXT: {
      const char *text = fp_value_bytes(value, &size);
      return text == NULL ? fp_no_memory(message) : fp_time_read(text, size, zones, out_us, message);
    }
    case SQLITE_INTEGER: {
      sqlite3_int64 number = sqlite3_value_int64(value);
      if (number > FENCEPOST_TIME_MAX / options->unit_us || number < FENCEPOST_TIME_MIN / options->unit_us)
        return fp_time_number((double)number, options, out_us, message);
      *out_us = number * options->unit_us;
      return true;
    }
    case SQLITE_FLOAT: return fp_time_number(sqlite3_value_double(value), options, out_us, message);
    default:
      return fp_fail(message, "a time is %s; must be text (ISO 8601) or a number (the option time sets the unit)",
                     type_name(value));
  }
}

static void refuse(sqlite3_context *context, const char *name, const fp_message *message) {
  char text[1152];
  snprintf(text, sizeof text, "%s: %s", name, message->text);
  sqlite3_result_error(context, text, -1);
  if (message->cause == FP_NO_MEMORY) sqlite3_result_error_nomem(context);
}

static bool has_null(int count, sqlite3_value **values) {
  for (int i = 0; i < count; i++)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return true;
  return false;
}

static void version(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count, (void)values;
  sqlite3_result_text(context, fencepost_version_string(), -1, SQLITE_STATIC);
}

static void distance(sqlite3_context *context, int count, sqlite3_value **values) {
  static const char *const names[] = {"latitude 1", "longitude 1", "latitude 2", "longitude 2"};
  fp_message message;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  double numbers[4], metres;
  if (has_null(count, values)) return;
  for (int i = 0; i < 4; i++)
    if (!fp_value_number(values[i], names[i], &numbers[i], &message)) {
      refuse(context, "fp_distance", &message);
      return;
    }
  if (fencepost_geodesic_inverse(numbers[0], numbers[1], numbers[2], numbers[3], &metres, NULL, NULL, &error) ==
      FENCEPOST_OK) {
    sqlite3_result_double(context, metres);
  } else {
    fp_fail(&message, "%s", error.message);
    refuse(context, "fp_distance", &message);
  }
}

/* Implements fp_latitude(point) and fp_longitude(point). */
static void position(sqlite3_context *context, sqlite3_value *value, const char *name, bool of_latitude) {
  fp_message message;
  double latitude, longitude;
  size_t size;
  if (sqlite3_value_type(value) == SQLITE_NULL) return;
  const void *bytes = fp_value_bytes(value, &size);
  if (sqlite3_value_type(value) != SQLITE_BLOB) {
    fp_fail(&message, "the point is %s; must be a BLOB of WKB, EWKB or GeoPackage", type_name(value));
    refuse(context, name, &message);
  } else if (fp_position(bytes, size, &latitude, &longitude, &message)) {
    sqlite3_result_double(context, of_latitude ? latitude : longitude); /* NaN, of an empty point, is NULL */
  } else {
    refuse(context, name, &message);
  }
}

static void latitude(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  position(context, values[0], "fp_latitude", true);
}

static void longitude(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  position(context, values[0], "fp_longitude", false);
}

static void release_shape(void *shape) { fp_places_release(shape); }

typedef enum question {
  DISTANCE,
  CONTAINS,
  PROBABILITY
} question;

/* Implements fp_boundary_distance and fp_contains, with the arguments (geometry, latitude, longitude [, options]), and
 * fp_probability, with the arguments (geometry, latitude, longitude, accuracy [, error_major, error_minor,
 * error_orientation] [, options]). The shape of a constant geometry is compiled once per statement. */
static void of_shape(sqlite3_context *context, sqlite3_value **values, int count, const char *name, question asked) {
  int needed = asked != PROBABILITY ? 3 : count >= 7 ? 7 : 4;
  fp_message message;
  fp_options options;
  fp_ellipse ellipse = fp_no_ellipse();
  double latitude, longitude, accuracy = 0, found;
  if (has_null(3, values)) return;
  if (needed == 7 && !fp_value_ellipse(values + 4, &ellipse, &message)) {
    refuse(context, name, &message);
    return;
  }
  /* An ellipse replaces the accuracy, which may then be NULL. */
  bool has_accuracy = needed > 3 && sqlite3_value_type(values[3]) != SQLITE_NULL;
  if (needed > 3 && !has_accuracy && !fp_is_ellipse(&ellipse)) return;
  fp_places *shape = sqlite3_get_auxdata(context, 0);
  bool kept = shape != NULL;
  bool good =
      fp_value_options(count > needed ? values[needed] : NULL,
                       asked == PROBABILITY ? FP_OPTIONS_OF_PROBABILITIES : FP_OPTIONS_OF_SHAPES, &options, &message);
  if (good && !kept) {
    size_t size;
    const void *bytes = fp_value_bytes(values[0], &size);
    if (sqlite3_value_type(values[0]) != SQLITE_BLOB)
      good = fp_fail(&message, "the geometry is %s; must be a BLOB of WKB, EWKB or GeoPackage", type_name(values[0]));
    shape = good ? fp_shape_get(bytes, size, &options, &message) : NULL;
    good = shape != NULL;
  }
  good = good && fp_value_number(values[1], "latitude", &latitude, &message) &&
         fp_value_number(values[2], "longitude", &longitude, &message) &&
         (!has_accuracy || fp_value_number(values[3], "accuracy", &accuracy, &message));
  if (good && asked == PROBABILITY)
    good = fp_shape_probability(shape, latitude, longitude, accuracy, &ellipse, options.accuracy_confidence, &found,
                                &message);
  else good = good && fp_shape_distance(shape, latitude, longitude, &found, &message);
  if (!good) refuse(context, name, &message);
  else if (asked == CONTAINS) sqlite3_result_int(context, found <= 0);
  else sqlite3_result_double(context, found); /* SQLite makes a NaN NULL */
  /* A cached shape would ignore options that change from row to row: cache only shapes without options. */
  if (!kept && shape != NULL) {
    if (count == needed) sqlite3_set_auxdata(context, 0, shape, release_shape);
    else fp_places_release(shape);
  }
}

static void boundary_distance(sqlite3_context *context, int count, sqlite3_value **values) {
  of_shape(context, values, count, "fp_boundary_distance", DISTANCE);
}

static void contains(sqlite3_context *context, int count, sqlite3_value **values) {
  of_shape(context, values, count, "fp_contains", CONTAINS);
}

static void probability(sqlite3_context *context, int count, sqlite3_value **values) {
  of_shape(context, values, count, "fp_probability", PROBABILITY);
}

static void doubted_fixes(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  fp_message message;
  uint64_t found;
  size_t size;
  if (has_null(1, values)) return;
  const void *state = fp_value_bytes(values[0], &size);
  if (sqlite3_value_type(values[0]) != SQLITE_BLOB)
    fp_fail(&message, "the state is %s; must be a BLOB of the table ..._devices", type_name(values[0]));
  else if (fp_doubted_fixes(state, size, &found, &message)) {
    sqlite3_result_int64(context, (sqlite3_int64)found);
    return;
  }
  refuse(context, "fp_doubted_fixes", &message);
}

/* Holds the state of fp_places(). */
typedef struct collected {
  fp_builder builder;
  bool failed;
} collected;

/* Implements fp_places(id, geometry [, options]) and fp_places(id, latitude, longitude, radius [, options]). */
static void places_step(sqlite3_context *context, int count, sqlite3_value **values) {
  collected *state = sqlite3_aggregate_context(context, sizeof *state);
  fp_message message;
  if (state == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (state->failed) return;
  bool circle = count >= 4, good = true;
  int with_options = circle ? 5 : 3;
  fp_options options;
  sqlite3_value *last = count == with_options ? values[count - 1] : NULL;
  size_t identifier_size, options_size = 0, size;
  const char *identifier = (const char *)sqlite3_value_text(values[0]);
  identifier_size = identifier == NULL ? 0 : (size_t)sqlite3_value_bytes(values[0]);
  if (sqlite3_value_type(values[0]) == SQLITE_NULL)
    good = fp_fail(&message, "place %zu: the identifier is NULL; skip such rows with WHERE ... IS NOT NULL",
                   state->builder.count + 1);
  else if (identifier == NULL) good = fp_no_memory(&message);
  good = good && fp_value_options(last, FP_OPTIONS_OF_PLACES, &options, &message);
  const char *text =
      last == NULL || sqlite3_value_type(last) == SQLITE_NULL ? NULL : fp_value_bytes(last, &options_size);
  bool no_geometry = true;
  for (int i = 1; i < (circle ? 4 : 2); i++) no_geometry &= sqlite3_value_type(values[i]) == SQLITE_NULL;
  if (good && no_geometry) {
    fp_message why;
    good = fp_builder_rule(&state->builder, identifier, identifier_size, text, options_size, &why) ||
           fp_fail(&message, "place \"%.*s\": %.800s", (int)(identifier_size < 60 ? identifier_size : 60), identifier,
                   why.text);
    if (!good) message.cause = why.cause;
  } else if (good && circle) {
    double numbers[3];
    static const char *const names[] = {"latitude", "longitude", "radius"};
    fp_message why;
    for (int i = 0; i < 3 && good; i++)
      if (!fp_value_number(values[i + 1], names[i], &numbers[i], &why))
        good = fp_fail(&message, "place \"%s\": %.400s", identifier, why.text);
    good = good && fp_builder_circle(&state->builder, identifier, identifier_size, numbers[0], numbers[1], numbers[2],
                                     text, options_size, &message);
  } else if (good) {
    const void *bytes = fp_value_bytes(values[1], &size);
    if (sqlite3_value_type(values[1]) != SQLITE_BLOB) {
      good = fp_fail(&message, "place \"%.*s\": the geometry is %s; must be a BLOB of WKB, EWKB or GeoPackage",
                     (int)(identifier_size < 60 ? identifier_size : 60), identifier, type_name(values[1]));
    } else {
      fp_message why;
      good = fp_builder_geometry(&state->builder, identifier, identifier_size, bytes, size, text, options_size, &why) ||
             fp_fail(&message, "place \"%.*s\": %.800s", (int)(identifier_size < 60 ? identifier_size : 60), identifier,
                     why.text);
      if (!good) message.cause = why.cause;
    }
  }
  if (!good) {
    state->failed = true;
    refuse(context, "fp_places", &message);
  }
}

static void places_final(sqlite3_context *context) {
  collected none = {0}, *state = sqlite3_aggregate_context(context, 0);
  fp_message message;
  uint8_t *bytes;
  size_t size;
  if (state == NULL) state = &none;
  if (!state->failed) {
    if (fp_builder_finish(&state->builder, &bytes, &size, &message))
      sqlite3_result_blob64(context, bytes, size, sqlite3_free);
    else refuse(context, "fp_places", &message);
  }
  fp_builder_clear(&state->builder);
}

int fp_register_functions(sqlite3 *db) {
  const int pure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  int code = sqlite3_create_function_v2(db, "fp_version", 0, pure, NULL, version, NULL, NULL, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_create_function_v2(db, "fp_distance", 4, pure, NULL, distance, NULL, NULL, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_create_function_v2(db, "fp_latitude", 1, pure, NULL, latitude, NULL, NULL, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_create_function_v2(db, "fp_longitude", 1, pure, NULL, longitude, NULL, NULL, NULL);
  for (int count = 3; count <= 4 && code == SQLITE_OK; count++) {
    code =
        sqlite3_create_function_v2(db, "fp_boundary_distance", count, pure, NULL, boundary_distance, NULL, NULL, NULL);
    if (code == SQLITE_OK)
      code = sqlite3_create_function_v2(db, "fp_contains", count, pure, NULL, contains, NULL, NULL, NULL);
    if (code == SQLITE_OK)
      code = sqlite3_create_function_v2(db, "fp_probability", count + 1, pure, NULL, probability, NULL, NULL, NULL);
    if (code == SQLITE_OK)
      code = sqlite3_create_function_v2(db, "fp_probability", count + 4, pure, NULL, probability, NULL, NULL, NULL);
  }
  if (code == SQLITE_OK)
    code = sqlite3_create_function_v2(db, "fp_doubted_fixes", 1, pure, NULL, doubted_fixes, NULL, NULL, NULL);
  for (int count = 2; count <= 5 && code == SQLITE_OK; count++)
    code = sqlite3_create_function_v2(db, "fp_places", count, pure, NULL, NULL, places_step, places_final, NULL);
  return code;
}

__attribute__((visibility("default"))) int sqlite3_fencepost_init(sqlite3 *db, char **error,
                                                                  const sqlite3_api_routines *api);
int sqlite3_fencepost_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  SQLITE_EXTENSION_INIT2(api)
  (void)error;
  int code = fp_register_functions(db);
  if (code == SQLITE_OK) code = fp_register_questions(db);
  if (code == SQLITE_OK) code = fp_register_replays(db);
  if (code == SQLITE_OK) code = fp_register_fleets(db);
  return code;
}
