/* Declarations that the files of the SQLite extension share. */
#ifndef FENCEPOST_SQLITE_H
#define FENCEPOST_SQLITE_H

#include <sqlite3ext.h>
#include "core.h"
extern const sqlite3_api_routines *sqlite3_api;

/* Returns the bytes of a BLOB or TEXT value, and their number. */
const void *fp_value_bytes(sqlite3_value *value, size_t *out_size);

/* Reads options from a value that may be NULL or absent (a NULL pointer). */
bool fp_value_options(sqlite3_value *value, uint32_t allowed, fp_options *out, fp_message *message);

/* Reads a number; text and BLOBs are refused. `what` is the number's name in messages. */
bool fp_value_number(sqlite3_value *value, const char *what, double *out, fp_message *message);

/* Reads an error ellipse from three values; a NULL becomes NaN. */
bool fp_value_ellipse(sqlite3_value **values, fp_ellipse *out, fp_message *message);

/* Reads the altitude, vertical accuracy, geoid height and ground height of a fix from four values. A missing accuracy is
   0, and another missing value is NaN. */
bool fp_value_height(sqlite3_value **values, fp_height *out, fp_message *message);

/* Reads a time: text as ISO 8601, numbers in the unit that the option `time` names (by default, seconds). */
bool fp_value_time(sqlite3_value *value, const fp_options *options, fp_zones *zones, int64_t *out_us,
                   fp_message *message);

int fp_register_functions(sqlite3 *db);
int fp_register_questions(sqlite3 *db);
int fp_register_replays(sqlite3 *db);
int fp_register_fleets(sqlite3 *db);

/* Returns the SQLite error code for a message: SQLITE_ERROR, SQLITE_NOMEM or SQLITE_INTERRUPT. */
int fp_code(const fp_message *message);

#endif
