/* Declarations that the table-valued functions share: each has a few columns and hidden argument columns after them. */
#ifndef FENCEPOST_SQLITE_TABLES_H
#define FENCEPOST_SQLITE_TABLES_H
#include "fencepost_sqlite.h"

typedef struct fp_table {
  sqlite3_vtab base;
  sqlite3 *db;
  const struct fp_function *function;
} fp_table;

typedef struct fp_function {
  const char *name;
  const char *schema;
  int columns;     /* visible ones */
  int required;    /* number of required arguments; optional ones may follow */
  int arguments;   /* all */
  bool runs_query; /* whether the function runs SQL from an argument; if so, the schema of an untrusted file must not
                      use it */
} fp_function;

/* Sets the error message of a table. Returns SQLite's code for the error. */
int fp_table_fail(sqlite3_vtab *table, const fp_message *message);
int fp_table_refuse(sqlite3_vtab *table, const char *why);

/* Allocates a zeroed cursor, whose first member is a sqlite3_vtab_cursor. */
int fp_open_cursor(size_t size, sqlite3_vtab_cursor **out);

/* The cursor methods for the initializer of a virtual table's module; each file gives its functions these names. */
#define FP_CURSOR_METHODS                                                                                            \
  .xOpen = open_cursor, .xClose = close_cursor, .xFilter = filter, .xNext = next, .xEof = at_end, .xColumn = column, \
  .xRowid = row_number
/* The module methods of a table-valued function. */
#define FP_FUNCTION_METHODS \
  .xConnect = fp_table_connect, .xBestIndex = fp_table_best_index, .xDisconnect = fp_table_disconnect

int fp_table_connect(sqlite3 *db, void *function, int argc, const char *const *argv, sqlite3_vtab **out, char **error);
int fp_table_disconnect(sqlite3_vtab *table);
/* Passes the arguments in their order; the bits of idxNum show which arguments are present. */
int fp_table_best_index(sqlite3_vtab *table, sqlite3_index_info *info);

#endif
