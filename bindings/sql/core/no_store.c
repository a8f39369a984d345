/*
 * Stubs of SQLite functions for an engine without files. The extensions link the library's archive, whose store calls
 * SQLite, but they create monitors and fleets only in memory. A second copy of SQLite must not enter the host's
 * process, so these functions only fail. The stubs are hidden: neither the host nor another library can find them.
 */
#include <stddef.h>
#include <stdint.h>

enum {
  CANT_OPEN = 14,
  MISUSE = 21
};

#define REFUSE(name, parameters) \
  int name parameters;           \
  int name parameters { return MISUSE; }

int sqlite3_open_v2(const char *path, void **connection, int flags, const char *vfs);
int sqlite3_open_v2(const char *path, void **connection, int flags, const char *vfs) {
  (void)path, (void)flags, (void)vfs;
  *connection = NULL;
  return CANT_OPEN;
}
const void *sqlite3_column_blob(void *statement, int column);
const void *sqlite3_column_blob(void *statement, int column) { return (void)statement, (void)column, NULL; }
const unsigned char *sqlite3_column_text(void *statement, int column);
const unsigned char *sqlite3_column_text(void *statement, int column) { return (void)statement, (void)column, NULL; }
int64_t sqlite3_column_int64(void *statement, int column);
int64_t sqlite3_column_int64(void *statement, int column) { return (void)statement, (void)column, 0; }
const char *sqlite3_errmsg(void *connection);
const char *sqlite3_errmsg(void *connection) { return (void)connection, "no store"; }
const char *sqlite3_errstr(int code);
const char *sqlite3_errstr(int code) { return (void)code, "no store"; }
void *sqlite3_vfs_find(const char *name);
void *sqlite3_vfs_find(const char *name) { return (void)name, NULL; }

REFUSE(sqlite3_bind_blob64, (void *a, int b, const void *c, uint64_t d, void (*e)(void *)))
REFUSE(sqlite3_bind_int64, (void *a, int b, int64_t c))
REFUSE(sqlite3_clear_bindings, (void *a))
REFUSE(sqlite3_close_v2, (void *a))
REFUSE(sqlite3_column_bytes, (void *a, int b))
REFUSE(sqlite3_column_type, (void *a, int b))
REFUSE(sqlite3_db_config, (void *a, int b, ...))
REFUSE(sqlite3_db_readonly, (void *a, const char *b))
REFUSE(sqlite3_exec, (void *a, const char *b, void *c, void *d, char **e))
REFUSE(sqlite3_extended_errcode, (void *a))
REFUSE(sqlite3_finalize, (void *a))
REFUSE(sqlite3_get_autocommit, (void *a))
REFUSE(sqlite3_prepare_v2, (void *a, const char *b, int c, void **d, const char **e))
REFUSE(sqlite3_reset, (void *a))
REFUSE(sqlite3_step, (void *a))
