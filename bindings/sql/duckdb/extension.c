#define DUCKDB_EXTENSION_NAME fencepost
#include <stdlib.h>
#include "extension.h"

void *fp_reallocate(void *memory, size_t size) { return realloc(memory, size); }
void fp_release(void *memory) { free(memory); }

void fp_set_null(duckdb_vector vector, idx_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

duckdb_logical_type fp_type(duckdb_type type) { return duckdb_create_logical_type(type); }

duckdb_logical_type fp_list_of(duckdb_type type) {
  duckdb_logical_type element = fp_type(type), list = duckdb_create_list_type(element);
  duckdb_destroy_logical_type(&element);
  return list;
}

duckdb_logical_type fp_list_of_structs(const char *const *names, const duckdb_type *types) {
  duckdb_logical_type members[16];
  const char *copies[16];
  idx_t count = 0;
  for (; names[count] != NULL; count++) {
    members[count] = fp_type(types[count]);
    copies[count] = names[count];
  }
  duckdb_logical_type element = duckdb_create_struct_type(members, copies, count);
  duckdb_logical_type list = duckdb_create_list_type(element);
  for (idx_t i = 0; i < count; i++) duckdb_destroy_logical_type(&members[i]);
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
  if (fp_register_scalars(connection) && fp_register_places(connection) && fp_register_replays(connection)) return true;
  access->set_error(info, "fencepost: a function of one of its names is there already");
  return false;
}
