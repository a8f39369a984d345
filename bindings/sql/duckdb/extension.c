#define DUCKDB_EXTENSION_NAME fencepost
#include <stdlib.h>
#include "extension.h"

void *fp_reallocate(void *memory, size_t size) { return realloc(memory, size); }
void fp_release(void *memory) { free(memory); }

void fp_set_null(duckdb_vector vector, idx_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

/* A query result whose only column is a GEOMETRY; it exists while the functions are registered. */
static duckdb_result of_geometry;
static bool has_geometry;

/* Checks the list of types first: a cast to a missing type could make DuckDB load an extension. */
static void find_geometry(duckdb_connection connection) {
  static const char listed[] = "SELECT 1 FROM duckdb_types() WHERE logical_type = 'GEOMETRY' LIMIT 1";
  duckdb_result types;
  has_geometry = false;
  if (duckdb_query(connection, listed, &types) == DuckDBSuccess) {
    duckdb_data_chunk chunk = duckdb_fetch_chunk(types);
    has_geometry = chunk != NULL && duckdb_data_chunk_get_size(chunk) == 1;
    if (chunk != NULL) duckdb_destroy_data_chunk(&chunk);
  }
  duckdb_destroy_result(&types);
  if (!has_geometry) return;
  has_geometry = duckdb_query(connection, "SELECT NULL::GEOMETRY", &of_geometry) == DuckDBSuccess;
  if (!has_geometry) duckdb_destroy_result(&of_geometry);
}

bool fp_has_geometry(void) { return has_geometry; }

duckdb_logical_type fp_type(duckdb_type type) {
  return (int)type == FP_TYPE_GEOMETRY ? duckdb_column_logical_type(&of_geometry, 0) : duckdb_create_logical_type(type);
}

duckdb_logical_type fp_list_of(duckdb_type type) {
  duckdb_logical_type element = fp_type(type), list = duckdb_create_list_type(element);
  duckdb_destroy_logical_type(&element);
  return list;
}

duckdb_logical_type fp_struct_of(const char *const *names, const duckdb_type *types) {
  duckdb_logical_type members[24];
  const char *copies[24];
  idx_t count = 0;
  for (; names[count] != NULL; count++) {
    members[count] = fp_type(types[count]);
    copies[count] = names[count];
  }
  duckdb_logical_type made = duckdb_create_struct_type(members, copies, count);
  for (idx_t i = 0; i < count; i++) duckdb_destroy_logical_type(&members[i]);
  return made;
}

duckdb_logical_type fp_list_of_structs(const char *const *names, const duckdb_type *types) {
  duckdb_logical_type element = fp_struct_of(names, types), list = duckdb_create_list_type(element);
  duckdb_destroy_logical_type(&element);
  return list;
}

size_t fp_list_grow(duckdb_vector list, size_t more) {
  idx_t first = duckdb_list_vector_get_size(list);
  if (duckdb_list_vector_reserve(list, first + more) != DuckDBSuccess ||
      duckdb_list_vector_set_size(list, first + more) != DuckDBSuccess)
    return SIZE_MAX;
  return first;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access *access) {
  find_geometry(connection);
  bool good = fp_register_scalars(connection) && fp_register_places(connection) && fp_register_replays(connection);
  if (has_geometry) duckdb_destroy_result(&of_geometry);
  if (good) return true;
  access->set_error(info, "fencepost: a function of one of its names is there already");
  return false;
}
