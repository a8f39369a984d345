/* The system's SQLite, and the one variadic function that is needed, in a form that Swift can call. */
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

/* Sets whether closing the connection leaves the database file and its log as they are. */
static inline int csqlite_set_no_checkpoint_on_close(sqlite3 *database, int on) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}

#endif
