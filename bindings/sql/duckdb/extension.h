/* Declarations that the files of the DuckDB extension share. DuckDB passes the columns of a chunk as flat vectors. */
#ifndef FENCEPOST_DUCKDB_H
#define FENCEPOST_DUCKDB_H

#include "core.h"
#include "duckdb_extension.h"
DUCKDB_EXTENSION_EXTERN

/* A column of a chunk. */
typedef struct fp_column {
  void *data;
  uint64_t *validity; /* if the pointer is NULL, none of the values is missing */
} fp_column;

static inline fp_column fp_column_of(duckdb_data_chunk chunk, idx_t number) {
  duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, number);
  return (fp_column){duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector)};
}

static inline bool fp_is_null(fp_column column, idx_t row) {
  return column.validity != NULL && !(column.validity[row / 64] >> (row % 64) & 1);
}

static inline double fp_double(fp_column column, idx_t row) { return ((double *)column.data)[row]; }
static inline int64_t fp_int64(fp_column column, idx_t row) { return ((int64_t *)column.data)[row]; }

/* Reads an error ellipse from three columns. */
static inline fp_ellipse fp_ellipse_of(const fp_column *columns, idx_t row) {
  fp_ellipse none = fp_no_ellipse();
  return (fp_ellipse){fp_is_null(columns[0], row) ? none.major_m : fp_double(columns[0], row),
                      fp_is_null(columns[1], row) ? none.minor_m : fp_double(columns[1], row),
                      fp_is_null(columns[2], row) ? none.orientation : fp_double(columns[2], row)};
}

/* Reads the altitude, vertical accuracy, geoid height and ground height of a fix from four columns. */
static inline fp_height fp_height_of(const fp_column *columns, idx_t row) {
  fp_height found = fp_nothing_beside().height;
  double *const members[] = {&found.altitude_m, &found.vertical_accuracy_m, &found.geoid_m, &found.ground_m};
  for (int i = 0; i < 4; i++)
    if (!fp_is_null(columns[i], row)) *members[i] = fp_double(columns[i], row);
  return found;
}

/* Returns the bytes of a VARCHAR or BLOB. If several rows have the same value, DuckDB may return the same pointer for
   all of them. */
static inline const char *fp_bytes(fp_column column, idx_t row, size_t *out_size) {
  duckdb_string_t *string = (duckdb_string_t *)column.data + row;
  *out_size = string->value.inlined.length;
  return string->value.inlined.length <= 12 ? string->value.inlined.inlined : string->value.pointer.ptr;
}

/* Sets a value of a result to NULL. */
void fp_set_null(duckdb_vector vector, idx_t row);

/*
 * DuckDB's own GEOMETRY type (DuckDB 1.5 and later), for use as a parameter type. The values of this type are WKB.
 * Version 1.2 of the C API, for which the extension is built, has no constant for this type.
 */
enum {
  FP_TYPE_GEOMETRY = 1000
};
/* Returns whether DuckDB has its own GEOMETRY type. Returns false if DuckDB has only the type of that name in the spatial
   extension, whose values are not WKB. */
bool fp_has_geometry(void);

/* Makes a logical type; release it with duckdb_destroy_logical_type(). */
duckdb_logical_type fp_type(duckdb_type type);
/* Make the types LIST of `type`, STRUCT with these names and types, and LIST of this STRUCT. `names` ends with NULL. */
duckdb_logical_type fp_list_of(duckdb_type type);
duckdb_logical_type fp_struct_of(const char *const *names, const duckdb_type *types);
duckdb_logical_type fp_list_of_structs(const char *const *names, const duckdb_type *types);

/* Reserves room for `more` elements of a LIST column; returns the index of the first of them, or SIZE_MAX if there is
   no memory. */
size_t fp_list_grow(duckdb_vector list, size_t more);

bool fp_register_scalars(duckdb_connection connection);
bool fp_register_places(duckdb_connection connection);
bool fp_register_replays(duckdb_connection connection);

#endif
