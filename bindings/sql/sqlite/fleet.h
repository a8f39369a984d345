/* Declares the virtual table of a fleet, for the table's methods and for the functions that feed inputs. */
#ifndef FENCEPOST_SQLITE_FLEET_H
#define FENCEPOST_SQLITE_FLEET_H

#include "tables.h"

/* Columns. */
enum {
  FP_VISIBLE = 14,
  FP_PLACES = FP_VISIBLE,
  FP_OPTIONS,
  FP_ERROR_MAJOR, /* the error ellipse of a fix: three columns */
  FP_ERROR_MINOR,
  FP_ERROR_ORIENTATION,
  FP_ALTITUDE, /* the heights of a fix: four columns */
  FP_VERTICAL_ACCURACY,
  FP_GEOID_HEIGHT,
  FP_GROUND_HEIGHT,
  FP_ALL_COLUMNS
};
enum {
  FP_DEVICE,
  FP_PLACE,
  FP_KIND,
  FP_TIME,
  FP_EVIDENCE_TIME,
  FP_STATE,
  FP_LATITUDE,
  FP_LONGITUDE,
  FP_ACCURACY,
  FP_DISTANCE,
  FP_SEQUENCE,
  FP_PROBABILITY,
  FP_VERTICAL_DISTANCE,
  FP_DECIDED_BY
};

typedef struct fp_fleet_table {
  sqlite3_vtab base;
  sqlite3 *db;
  char *schema, *name;
  fp_fleet *fleet; /* the compiled fleet; NULL until the first input, and again after the setup has changed */
  fp_options options;
  sqlite3_stmt *read_version, *read_device, *write_device, *write_event;
  sqlite3_int64 version; /* the version of the setup from which the fleet was compiled */
} fp_fleet_table;

/* Sets the error message of the virtual table. Returns SQLITE_ERROR. */
int fp_fleet_fail(fp_fleet_table *own, const char *format, ...);

/* Discards the compiled fleet. */
void fp_fleet_reset(fp_fleet_table *own);

/* Prepares a statement, unless it is already prepared. In the format, %w stands for the name of the schema and for the
   name of the table. */
int fp_fleet_prepare(fp_fleet_table *own, sqlite3_stmt **statement, const char *format);

/* Runs a statement after its values were bound; `bound` is SQLITE_OK, or the error from binding. */
int fp_fleet_done(sqlite3_stmt *statement, int bound);

/* Implements INSERT INTO vans(places, options): `values` are the columns of the table. */
int fp_fleet_change(fp_fleet_table *own, sqlite3_value **values);

/* Implements INSERT INTO vans(device, time, latitude, longitude, accuracy, error_major, error_minor,
   error_orientation, altitude, vertical_accuracy, geoid_height, ground_height). */
int fp_fleet_feed(fp_fleet_table *own, sqlite3_value **values);

#endif
