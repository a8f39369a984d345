/* Registering aggregates. */
#ifndef FENCEPOST_DUCKDB_AGGREGATES_H
#define FENCEPOST_DUCKDB_AGGREGATES_H
#include "extension.h"

typedef struct fp_aggregate {
  duckdb_aggregate_state_size size;
  duckdb_aggregate_init_t begin;
  duckdb_aggregate_update_t update;
  duckdb_aggregate_combine_t combine;
  duckdb_aggregate_finalize_t finalize;
  duckdb_aggregate_destroy_t destroy;
} fp_aggregate;

/* Adds an overload. The array of types ends with DUCKDB_TYPE_INVALID. The function takes ownership of the result
   type. */
bool fp_add_aggregate(duckdb_aggregate_function_set set, const char *name, const fp_aggregate *aggregate,
                      const duckdb_type *types, duckdb_logical_type result);

void fp_refuse_aggregate(duckdb_function_info info, const char *name, const char *why);

#define FP_TYPES(...) ((const duckdb_type[]){__VA_ARGS__, DUCKDB_TYPE_INVALID})
#endif
