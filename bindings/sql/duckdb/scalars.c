/* Implements fp_version, fp_distance, fp_boundary_distance, fp_contains, fp_probability, fp_containing, fp_nearest and
   fp_doubted_fixes. If any argument is NULL, the result is NULL. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "extension.h"

static void refuse(duckdb_function_info info, const char *name, const char *why) {
  char text[1152];
  snprintf(text, sizeof text, "%s: %s", name, why);
  duckdb_scalar_function_set_error(info, text);
}

static void version(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  (void)info;
  idx_t count = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < count; row++) duckdb_vector_assign_string_element(output, row, fencepost_version_string());
}

static void distance(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  idx_t count = duckdb_data_chunk_get_size(input);
  fp_column columns[4];
  for (idx_t i = 0; i < 4; i++) columns[i] = fp_column_of(input, i);
  double *metres = duckdb_vector_get_data(output);
  for (idx_t row = 0; row < count; row++) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    if (fp_is_null(columns[0], row) || fp_is_null(columns[1], row) || fp_is_null(columns[2], row) ||
        fp_is_null(columns[3], row)) {
      fp_set_null(output, row);
    } else if (fencepost_geodesic_inverse(fp_double(columns[0], row), fp_double(columns[1], row),
                                          fp_double(columns[2], row), fp_double(columns[3], row), &metres[row], NULL,
                                          NULL, &error) != FENCEPOST_OK) {
      refuse(info, "fp_distance", error.message);
      return;
    }
  }
}

/* Implements fp_latitude(point) and fp_longitude(point). */
static void position(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output, const char *name,
                     bool of_latitude) {
  idx_t count = duckdb_data_chunk_get_size(input);
  fp_column points = fp_column_of(input, 0);
  double *degrees = duckdb_vector_get_data(output);
  for (idx_t row = 0; row < count; row++) {
    fp_message message;
    double latitude, longitude;
    size_t size;
    if (fp_is_null(points, row)) {
      fp_set_null(output, row);
      continue;
    }
    const char *bytes = fp_bytes(points, row, &size);
    if (!fp_position(bytes, size, &latitude, &longitude, &message)) {
      refuse(info, name, message.text);
      return;
    }
    degrees[row] = of_latitude ? latitude : longitude;
    if (degrees[row] != degrees[row]) fp_set_null(output, row); /* an empty point */
  }
}

static void latitude(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  position(info, input, output, "fp_latitude", true);
}

static void longitude(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  position(info, input, output, "fp_longitude", false);
}

typedef enum shape_question {
  DISTANCE,
  CONTAINS,
  PROBABILITY
} shape_question;

/* The arguments are (geometry, latitude, longitude [, options]); those of PROBABILITY are (geometry, latitude,
   longitude, accuracy [, error_major, error_minor, error_orientation] [, options]). */
static void of_shape(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output, const char *name,
                     shape_question asked) {
  idx_t count = duckdb_data_chunk_get_size(input), columns_count = duckdb_data_chunk_get_column_count(input);
  idx_t needed = asked != PROBABILITY ? 3 : columns_count >= 7 ? 7 : 4;
  bool with_options = columns_count > needed;
  fp_column columns[8];
  for (idx_t i = 0; i < columns_count; i++) columns[i] = fp_column_of(input, i);
  void *out = duckdb_vector_get_data(output);
  fp_places *shape = NULL;
  const char *last = NULL, *last_options = NULL;
  size_t last_size = 0, last_options_size = 0;
  fp_options options;
  fp_message message;
  for (idx_t row = 0; row < count; row++) {
    fp_ellipse ellipse = needed == 7 ? fp_ellipse_of(columns + 4, row) : fp_no_ellipse();
    bool is_null = false;
    for (idx_t i = 0; i < 3; i++) is_null |= fp_is_null(columns[i], row);
    /* An ellipse replaces the accuracy, which may then be NULL. */
    bool has_accuracy = needed > 3 && !fp_is_null(columns[3], row);
    if (is_null || (needed > 3 && !has_accuracy && !fp_is_ellipse(&ellipse))) {
      fp_set_null(output, row);
      continue;
    }
    size_t size, options_size = 0;
    const char *bytes = fp_bytes(columns[0], row, &size), *text = NULL;
    if (with_options && !fp_is_null(columns[needed], row)) text = fp_bytes(columns[needed], row, &options_size);
    bool same = shape != NULL && bytes == last && size == last_size && options_size == last_options_size &&
                (options_size == 0 || memcmp(text, last_options, options_size) == 0);
    if (!same) {
      fp_places_release(shape);
      shape =
          fp_options_read(text, options_size, asked == PROBABILITY ? FP_OPTIONS_OF_PROBABILITIES : FP_OPTIONS_OF_SHAPES,
                          &options, &message)
              ? fp_shape_get(bytes, size, &options, &message)
              : NULL;
      last = bytes, last_size = size, last_options = text, last_options_size = options_size;
    }
    double found, latitude = fp_double(columns[1], row), longitude = fp_double(columns[2], row);
    bool good = shape != NULL &&
                (asked == PROBABILITY
                     ? fp_shape_probability(shape, latitude, longitude, has_accuracy ? fp_double(columns[3], row) : 0,
                                            &ellipse, options.accuracy_confidence, &found, &message)
                     : fp_shape_distance(shape, latitude, longitude, &found, &message));
    if (!good) {
      refuse(info, name, message.text);
      break;
    }
    if (asked == CONTAINS) ((bool *)out)[row] = found <= 0;
    else ((double *)out)[row] = found;
    if (found != found) fp_set_null(output, row);
  }
  fp_places_release(shape);
}

static void boundary_distance(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  of_shape(info, input, output, "fp_boundary_distance", DISTANCE);
}

static void contains(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  of_shape(info, input, output, "fp_contains", CONTAINS);
}

static void probability(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  of_shape(info, input, output, "fp_probability", PROBABILITY);
}

static void doubted_fixes(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  idx_t count = duckdb_data_chunk_get_size(input);
  fp_column states = fp_column_of(input, 0);
  for (idx_t row = 0; row < count; row++) {
    fp_message message;
    uint64_t found;
    size_t size;
    if (fp_is_null(states, row)) {
      fp_set_null(output, row);
      continue;
    }
    const char *state = fp_bytes(states, row, &size);
    if (!fp_doubted_fixes(state, size, &found, &message)) {
      refuse(info, "fp_doubted_fixes", message.text);
      return;
    }
    ((int64_t *)duckdb_vector_get_data(output))[row] = (int64_t)found;
  }
}

/* Consecutive rows of a chunk that have the same places, so that one query can answer all of them. */
typedef struct question {
  idx_t rows[2048];
  double latitudes[2048], longitudes[2048], altitudes[2048], geoid_heights[2048], ground_heights[2048];
  int64_t times[2048];
  bool has_heights, has_times;
  int64_t offsets[2049];
  size_t count;
  uint64_t *generations;
  double *distances;
  size_t capacity;
} question;

static bool reserve(question *question, size_t capacity, fp_message *message) {
  if (capacity <= question->capacity) return true;
  uint64_t *generations = realloc(question->generations, capacity * sizeof *generations);
  if (generations != NULL) question->generations = generations;
  double *distances = generations == NULL ? NULL : realloc(question->distances, capacity * sizeof *distances);
  if (distances == NULL) return fp_no_memory(message);
  question->distances = distances;
  question->capacity = capacity;
  return true;
}

/* Finds, for each row, the places that contain the row's point. */
static bool ask_containing(const fp_places *places, question *question, duckdb_vector output, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_point_columns points = FENCEPOST_POINT_COLUMNS_INIT;
  points.latitudes = question->latitudes;
  points.longitudes = question->longitudes;
  if (question->has_heights) {
    points.altitudes_m = question->altitudes;
    points.geoid_heights_m = question->geoid_heights;
    points.ground_heights_m = question->ground_heights;
  }
  if (question->has_times) points.times_us = question->times;
  size_t size = 0;
  if (!reserve(question, 8192, message)) return false;
  while (true) {
    fencepost_status status =
        fencepost_conditions_containing_columns(fp_places_table(places), &points, question->count, question->offsets,
                                                question->generations, NULL, question->capacity, &size, &error);
    if (status == FENCEPOST_OK) break;
    if (status != FENCEPOST_E_BUFFER_TOO_SMALL) return fp_fail(message, "%s", error.message);
    if (!reserve(question, size, message)) return false;
  }
  size_t first = fp_list_grow(output, size);
  if (first == SIZE_MAX) return fp_no_memory(message);
  duckdb_list_entry *entries = duckdb_vector_get_data(output);
  duckdb_vector names = duckdb_list_vector_get_child(output);
  for (size_t i = 0; i < question->count; i++) {
    uint64_t start = (uint64_t)question->offsets[i], end = (uint64_t)question->offsets[i + 1];
    entries[question->rows[i]] = (duckdb_list_entry){first + start, end - start};
  }
  for (size_t i = 0; i < size; i++)
    duckdb_vector_assign_string_element(names, first + i, fp_places_identifier(places, question->generations[i]));
  return true;
}

/* Finds the k nearest places for each row, with their distances. */
static bool ask_nearest(const fp_places *places, question *question, size_t nearest, duckdb_vector output,
                        fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_point_columns points = FENCEPOST_POINT_COLUMNS_INIT;
  points.latitudes = question->latitudes;
  points.longitudes = question->longitudes;
  size_t found = 0;
  if (nearest > fp_places_count(places)) nearest = fp_places_count(places);
  if (!reserve(question, nearest * question->count + 1, message)) return false;
  if (fencepost_conditions_nearest_columns(fp_places_table(places), &points, question->count, nearest,
                                           question->generations, question->distances, &found, &error) != FENCEPOST_OK)
    return fp_fail(message, "%s", error.message);
  size_t first = fp_list_grow(output, found * question->count);
  if (first == SIZE_MAX) return fp_no_memory(message);
  duckdb_list_entry *entries = duckdb_vector_get_data(output);
  duckdb_vector child = duckdb_list_vector_get_child(output);
  duckdb_vector names = duckdb_struct_vector_get_child(child, 0);
  double *metres = duckdb_vector_get_data(duckdb_struct_vector_get_child(child, 1));
  for (size_t i = 0; i < question->count; i++) {
    entries[question->rows[i]] = (duckdb_list_entry){first + i * found, found};
    for (size_t k = 0; k < found; k++) {
      duckdb_vector_assign_string_element(names, first + i * found + k,
                                          fp_places_identifier(places, question->generations[i * nearest + k]));
      metres[first + i * found + k] = question->distances[i * nearest + k];
    }
  }
  return true;
}

/* The arguments are (places, latitude, longitude, k) of fp_nearest and (places, latitude, longitude [, altitude,
   geoid_height, ground_height] [, time]) of fp_containing, where heights and times may be NULL: one query answers
   consecutive rows with the same places. */
static double double_or_nan(fp_column column, idx_t row) {
  return fp_is_null(column, row) ? NAN : fp_double(column, row);
}

static void of_places(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output, const char *name,
                      bool is_nearest) {
  idx_t count = duckdb_data_chunk_get_size(input), columns_count = duckdb_data_chunk_get_column_count(input);
  bool has_heights = columns_count >= 6, has_times = !is_nearest && (columns_count == 4 || columns_count == 7);
  fp_column columns[7];
  for (idx_t i = 0; i < columns_count; i++) columns[i] = fp_column_of(input, i);
  fp_message message;
  question *question = calloc(1, sizeof *question);
  fp_places *places = NULL;
  bool good = (question != NULL || fp_no_memory(&message)) && fp_headroom(1 << 20, &message);
  if (good) question->has_heights = has_heights, question->has_times = has_times;
  for (idx_t row = 0; good && row < count;) {
    const char *bytes = NULL;
    size_t size = 0;
    int64_t nearest = 0;
    question->count = 0;
    for (; row < count && question->count < 2048; row++) {
      bool is_null = false;
      for (idx_t i = 0; i < (is_nearest ? 4u : 3u); i++) is_null |= fp_is_null(columns[i], row);
      if (is_null) {
        fp_set_null(output, row);
        ((duckdb_list_entry *)duckdb_vector_get_data(output))[row] = (duckdb_list_entry){0, 0};
        continue;
      }
      size_t own_size;
      const char *own = fp_bytes(columns[0], row, &own_size);
      int64_t own_nearest = is_nearest ? fp_int64(columns[3], row) : 0;
      if (question->count > 0 && (own != bytes || own_size != size || own_nearest != nearest)) break;
      bytes = own, size = own_size, nearest = own_nearest;
      question->rows[question->count] = row;
      if (has_times) {
        fp_column times = columns[columns_count - 1];
        question->times[question->count] = fp_is_null(times, row) ? FENCEPOST_TIME_UNSET : fp_int64(times, row);
      }
      if (has_heights) {
        question->altitudes[question->count] = double_or_nan(columns[3], row);
        question->geoid_heights[question->count] = double_or_nan(columns[4], row);
        question->ground_heights[question->count] = double_or_nan(columns[5], row);
      }
      question->latitudes[question->count] = fp_double(columns[1], row);
      question->longitudes[question->count++] = fp_double(columns[2], row);
    }
    if (question->count == 0) break;
    if (places == NULL || !fp_places_are(places, bytes, size)) {
      fp_places_release(places);
      places = fp_places_get(bytes, size, NULL, &message);
    }
    if (is_nearest && nearest < 1) good = fp_fail(&message, "k is %lld; must be at least 1", (long long)nearest);
    good = good && places != NULL &&
           (is_nearest ? ask_nearest(places, question, (size_t)nearest, output, &message)
                       : ask_containing(places, question, output, &message));
  }
  fp_places_release(places);
  if (question != NULL) {
    free(question->generations);
    free(question->distances);
    free(question);
  }
  if (!good) refuse(info, name, message.text);
}

static void containing(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  of_places(info, input, output, "fp_containing", false);
}

static void nearest(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  of_places(info, input, output, "fp_nearest", true);
}

/* Adds an overload. `types` ends with DUCKDB_TYPE_INVALID; the function takes ownership of `result`. */
static bool add(duckdb_scalar_function_set set, const char *name, const duckdb_type *types, duckdb_logical_type result,
                duckdb_scalar_function_t function) {
  duckdb_scalar_function own = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(own, name);
  for (; *types != DUCKDB_TYPE_INVALID; types++) {
    duckdb_logical_type type = fp_type(*types);
    duckdb_scalar_function_add_parameter(own, type);
    duckdb_destroy_logical_type(&type);
  }
  duckdb_scalar_function_set_return_type(own, result);
  duckdb_destroy_logical_type(&result);
  duckdb_scalar_function_set_special_handling(own);
  duckdb_scalar_function_set_function(own, function);
  bool good = duckdb_add_scalar_function_to_set(set, own) == DuckDBSuccess;
  duckdb_destroy_scalar_function(&own);
  return good;
}

#define TYPES(...) ((const duckdb_type[]){__VA_ARGS__, DUCKDB_TYPE_INVALID})
#define D DUCKDB_TYPE_DOUBLE
#define B DUCKDB_TYPE_BLOB
#define V DUCKDB_TYPE_VARCHAR

bool fp_register_scalars(duckdb_connection connection) {
  static const char *const members[] = {"place", "distance", NULL};
  static const duckdb_type member_types[] = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_DOUBLE};
  static const char *const names[] = {"fp_version",     "fp_distance",     "fp_boundary_distance", "fp_contains",
                                      "fp_containing",  "fp_nearest",      "fp_latitude",          "fp_longitude",
                                      "fp_probability", "fp_doubted_fixes"};
  bool good = true;
  for (size_t i = 0; i < sizeof names / sizeof *names && good; i++) {
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set(names[i]);
    /* Each function with a geometry is registered for a BLOB first, and then for a GEOMETRY. */
    for (int type = 0; type < 2 && good; type++) {
      const duckdb_type g = type == 0 ? B : (duckdb_type)FP_TYPE_GEOMETRY;
      if (type == 1 && !fp_has_geometry()) break;
      switch (i) {
        case 2:
          good = add(set, names[i], TYPES(g, D, D), fp_type(D), boundary_distance) &&
                 add(set, names[i], TYPES(g, D, D, V), fp_type(D), boundary_distance);
          break;
        case 3:
          good = add(set, names[i], TYPES(g, D, D), fp_type(DUCKDB_TYPE_BOOLEAN), contains) &&
                 add(set, names[i], TYPES(g, D, D, V), fp_type(DUCKDB_TYPE_BOOLEAN), contains);
          break;
        case 6: good = add(set, names[i], TYPES(g), fp_type(D), latitude); break;
        case 7: good = add(set, names[i], TYPES(g), fp_type(D), longitude); break;
        case 8:
          good = add(set, names[i], TYPES(g, D, D, D), fp_type(D), probability) &&
                 add(set, names[i], TYPES(g, D, D, D, V), fp_type(D), probability) &&
                 add(set, names[i], TYPES(g, D, D, D, D, D, D), fp_type(D), probability) &&
                 add(set, names[i], TYPES(g, D, D, D, D, D, D, V), fp_type(D), probability);
          break;
        default: break;
      }
    }
    switch (good ? i : SIZE_MAX) {
      case 0: good = add(set, names[i], TYPES(DUCKDB_TYPE_INVALID), fp_type(V), version); break;
      case 1: good = add(set, names[i], TYPES(D, D, D, D), fp_type(D), distance); break;
      case 4:
        good = add(set, names[i], TYPES(B, D, D), fp_list_of(V), containing) &&
               add(set, names[i], TYPES(B, D, D, D, D, D), fp_list_of(V), containing);
        for (int zoned = 0; zoned < 2 && good; zoned++) {
          const duckdb_type t = zoned ? DUCKDB_TYPE_TIMESTAMP_TZ : DUCKDB_TYPE_TIMESTAMP;
          good = add(set, names[i], TYPES(B, D, D, t), fp_list_of(V), containing) &&
                 add(set, names[i], TYPES(B, D, D, D, D, D, t), fp_list_of(V), containing);
        }
        break;
      case 5:
        good =
            add(set, names[i], TYPES(B, D, D, DUCKDB_TYPE_BIGINT), fp_list_of_structs(members, member_types), nearest);
        break;
      case 9: good = add(set, names[i], TYPES(B), fp_type(DUCKDB_TYPE_BIGINT), doubted_fixes); break;
      default: break;
    }
    good = good && duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
  }
  return good;
}
