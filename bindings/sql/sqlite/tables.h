/* What the table-valued functions share: each has a few columns and, hidden, its arguments behind them. */
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
  int required;    /* arguments that must be there; the others may follow */
  int arguments;   /* all */
  bool runs_query; /* runs SQL that an argument holds: not for the schema of an untrusted file */
} fp_function;

int fp_table_connect(sqlite3 *db, void *function, int argc, const char *const *argv, sqlite3_vtab **out, char **error);
int fp_table_disconnect(sqlite3_vtab *table);
/* Hands the arguments over in their order; the bits of idxNum say which are there. */
int fp_table_best_index(sqlite3_vtab *table, sqlite3_index_info *info);

#endif
