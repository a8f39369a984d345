/* Implements fp_places(id, geometry [, options]) and fp_places(id, latitude, longitude, radius [, options]): a set of
   places as a BLOB. */
#include <stdio.h>
#include <stdlib.h>
#include "aggregates.h"

bool fp_add_aggregate(duckdb_aggregate_function_set set, const char *name, const fp_aggregate *aggregate,
                      const duckdb_type *types, duckdb_logical_type result) {
  duckdb_aggregate_function own = duckdb_create_aggregate_function();
  duckdb_aggregate_function_set_name(own, name);
  for (; *types != DUCKDB_TYPE_INVALID; types++) {
    duckdb_logical_type type = fp_type(*types);
    duckdb_aggregate_function_add_parameter(own, type);
    duckdb_destroy_logical_type(&type);
  }
  duckdb_aggregate_function_set_return_type(own, result);
  duckdb_destroy_logical_type(&result);
  duckdb_aggregate_function_set_special_handling(own);
  duckdb_aggregate_function_set_functions(own, aggregate->size, aggregate->begin, aggregate->update, aggregate->combine,
                                          aggregate->finalize);
  duckdb_aggregate_function_set_destructor(own, aggregate->destroy);
  bool good = duckdb_add_aggregate_function_to_set(set, own) == DuckDBSuccess;
  duckdb_destroy_aggregate_function(&own);
  return good;
}

void fp_refuse_aggregate(duckdb_function_info info, const char *name, const char *why) {
  char text[1152];
  snprintf(text, sizeof text, "%s: %s", name, why);
  duckdb_aggregate_function_set_error(info, text);
}

/* DuckDB may move this state of the aggregate function in memory. */
typedef struct state {
  fp_builder builder;
} state;

static idx_t state_size(duckdb_function_info info) { return (void)info, sizeof(state); }
static void begin(duckdb_function_info info, duckdb_aggregate_state own) {
  (void)info;
  *(state *)own = (state){0};
}

static bool add_row(state *own, const fp_column *columns, idx_t count, idx_t row, fp_message *message) {
  bool circle = count >= 4;
  size_t identifier_size, options_size = 0, size;
  const char *text = NULL;
  if (fp_is_null(columns[0], row))
    return fp_fail(message, "the identifier of a place is NULL; skip such rows with FILTER (WHERE ... IS NOT NULL)");
  const char *identifier = fp_bytes(columns[0], row, &identifier_size);
  int shown = (int)(identifier_size < 60 ? identifier_size : 60);
  if ((count == 3 || count == 5) && !fp_is_null(columns[count - 1], row))
    text = fp_bytes(columns[count - 1], row, &options_size);
  fp_message why;
  bool no_geometry = true;
  for (idx_t i = 1; i < (circle ? 4u : 2u); i++) no_geometry &= fp_is_null(columns[i], row);
  if (no_geometry) {
    if (fp_builder_rule(&own->builder, identifier, identifier_size, text, options_size, &why)) return true;
    return fp_fail(message, "place \"%.*s\": %.800s", shown, identifier, why.text);
  }
  for (idx_t i = 1; i < (circle ? 4u : 2u); i++)
    if (fp_is_null(columns[i], row))
      return fp_fail(message, "place \"%.*s\": argument %d is NULL; skip such rows with FILTER (WHERE ... IS NOT NULL)",
                     shown, identifier, (int)i + 1);
  if (circle) {
    if (fp_builder_circle(&own->builder, identifier, identifier_size, fp_double(columns[1], row),
                          fp_double(columns[2], row), fp_double(columns[3], row), text, options_size, &why))
      return true;
  } else {
    const char *bytes = fp_bytes(columns[1], row, &size);
    if (fp_builder_geometry(&own->builder, identifier, identifier_size, bytes, size, text, options_size, &why))
      return true;
  }
  return fp_fail(message, "place \"%.*s\": %.800s", shown, identifier, why.text);
}

static void update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states) {
  idx_t rows = duckdb_data_chunk_get_size(input), count = duckdb_data_chunk_get_column_count(input);
  fp_column columns[5];
  fp_message message;
  for (idx_t i = 0; i < count; i++) columns[i] = fp_column_of(input, i);
  for (idx_t row = 0; row < rows; row++)
    if (!add_row((state *)states[row], columns, count, row, &message)) {
      fp_refuse_aggregate(info, "fp_places", message.text);
      return;
    }
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *source, duckdb_aggregate_state *target,
                    idx_t count) {
  fp_message message;
  for (idx_t i = 0; i < count; i++)
    if (!fp_builder_merge(&((state *)target[i])->builder, &((state *)source[i])->builder, &message)) {
      fp_refuse_aggregate(info, "fp_places", message.text);
      return;
    }
}

static void finalize(duckdb_function_info info, duckdb_aggregate_state *source, duckdb_vector result, idx_t count,
                     idx_t offset) {
  fp_message message;
  for (idx_t i = 0; i < count; i++) {
    uint8_t *bytes;
    size_t size;
    if (!fp_builder_finish(&((state *)source[i])->builder, &bytes, &size, &message)) {
      fp_refuse_aggregate(info, "fp_places", message.text);
      return;
    }
    duckdb_vector_assign_string_element_len(result, offset + i, (const char *)bytes, size);
    free(bytes);
  }
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
  for (idx_t i = 0; i < count; i++) fp_builder_clear(&((state *)states[i])->builder);
}

bool fp_register_places(duckdb_connection connection) {
  static const fp_aggregate aggregate = {state_size, begin, update, combine, finalize, destroy};
  const duckdb_type v = DUCKDB_TYPE_VARCHAR, b = DUCKDB_TYPE_BLOB, d = DUCKDB_TYPE_DOUBLE;
  duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set("fp_places");
  const duckdb_type g = (duckdb_type)FP_TYPE_GEOMETRY;
  bool good = fp_add_aggregate(set, "fp_places", &aggregate, FP_TYPES(v, b), fp_type(b)) &&
              fp_add_aggregate(set, "fp_places", &aggregate, FP_TYPES(v, b, v), fp_type(b)) &&
              (!fp_has_geometry() || (fp_add_aggregate(set, "fp_places", &aggregate, FP_TYPES(v, g), fp_type(b)) &&
                                      fp_add_aggregate(set, "fp_places", &aggregate, FP_TYPES(v, g, v), fp_type(b)))) &&
              fp_add_aggregate(set, "fp_places", &aggregate, FP_TYPES(v, d, d, d), fp_type(b)) &&
              fp_add_aggregate(set, "fp_places", &aggregate, FP_TYPES(v, d, d, d, v), fp_type(b)) &&
              duckdb_register_aggregate_function_set(connection, set) == DuckDBSuccess;
  duckdb_destroy_aggregate_function_set(&set);
  return good;
}
