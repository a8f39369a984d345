/* Declarations that the files of the PostgreSQL extension share. */
#ifndef FENCEPOST_PG_H
#define FENCEPOST_PG_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "fmgr.h"
#include "utils/timestamp.h"

#include "core.h"

/* PostgreSQL counts time from 2000, whereas the engine counts time from 1970. */
static const int64 fp_epoch_difference_us = (int64)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

/* Ends the statement with an error: 22023 for invalid input, 53200 if memory is exhausted, 57014 if the statement is
   cancelled. */
pg_attribute_noreturn() void fp_refuse(const char *name, const fp_message *message);
pg_attribute_noreturn() void fp_refuse_text(const char *name, const char *why);

/* Returns whether PostgreSQL wants to end the statement. */
extern const fp_cancel fp_cancel_of_backend;

fp_options fp_options_of(FunctionCallInfo fcinfo, int argument, uint32_t allowed, const char *name);

/* Reads an error ellipse from three arguments; a missing argument counts as NULL. */
fp_ellipse fp_ellipse_of(FunctionCallInfo fcinfo, int argument);

/* Reads the altitude, vertical accuracy, geoid height and ground height of a fix from four arguments; a missing argument
   counts as NULL. */
fp_height fp_height_of(FunctionCallInfo fcinfo, int argument);

/* Returns whether `places` was compiled from `value`. If the value is compressed or stored out of line, reads only its
   first 40 bytes. */
bool fp_value_is_of(const fp_places *places, Datum value);

/* Compiles a value. The caller must release the returned places. */
fp_places *fp_places_of(Datum value, const fp_options *options, const char *name);

/* Releases places when PostgreSQL deletes a memory context, which also happens when a statement fails. */
void fp_release_with(MemoryContext context, fp_places *places);

bool fp_same_bytes(const void *a, const void *b);

/* Stored in fn_extra from one row of a query to the next: the compiled places or the shape, and the source of the
   shape. */
typedef struct fp_kept {
  fp_places *places;
  bytea *geometry;
  text *options;
  double confidence; /* accuracy_confidence of the options */
} fp_kept;

fp_kept *fp_kept_of(FunctionCallInfo fcinfo);
void fp_keep(fp_kept *kept, fp_places *places);

/* Returns the memory context of an aggregate's state. */
MemoryContext fp_aggregate_context(FunctionCallInfo fcinfo);

/* Makes a row of the type fp_event. */
Datum fp_event_datum(TupleDesc type, const fp_places *places, const fencepost_event *event);

#endif
