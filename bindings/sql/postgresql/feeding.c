#include "fencepost_pg.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* The fleet that this backend fed last, with its compiled places. */
static fp_fleet *fleet;
static uint8_t fleet_head[40];
static char *fleet_options;

/* Returns the fleet that was fed last if its places and options are the same; otherwise creates a fleet. Compares only
   the first 40 bytes of the places, because these contain the digest of the places. */
static fp_fleet *fleet_of(bytea *places, text *options) {
  char *wanted = options == NULL ? pstrdup("") : text_to_cstring(options);
  fp_message message;
  fp_options read;
  if (fleet != NULL && VARSIZE_ANY_EXHDR(places) >= 40 && memcmp(fleet_head, VARDATA_ANY(places), 40) == 0 &&
      strcmp(fleet_options, wanted) == 0)
    return fleet;
  if (!fp_options_read(wanted, strlen(wanted), FP_OPTIONS_OF_FLEETS, &read, &message)) fp_refuse("fencepost", &message);
  char *copy = MemoryContextStrdup(TopMemoryContext, wanted);
  fp_fleet *made = fp_fleet_create(VARDATA_ANY(places), VARSIZE_ANY_EXHDR(places), &read, &message);
  if (made == NULL) {
    pfree(copy);
    fp_refuse("fencepost", &message);
  }
  fp_fleet_destroy(fleet);
  if (fleet_options != NULL) pfree(fleet_options);
  fleet = made;
  fleet_options = copy;
  memcpy(fleet_head, VARDATA_ANY(places), 40);
  return fleet;
}

/* step() takes (places, options, device, state, time, latitude, longitude, accuracy, error_major, error_minor,
   error_orientation, altitude, vertical_accuracy, geoid_height, ground_height) and returns (state, late, events). */
PG_FUNCTION_INFO_V1(fp_fleet_step);
Datum fp_fleet_step(PG_FUNCTION_ARGS) {
  TupleDesc type;
  fp_message message;
  fp_input input = {0};
  fp_outcome outcome;
  if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE) elog(ERROR, "the result type is not a row");
  if (PG_ARGISNULL(0) || PG_ARGISNULL(2) || PG_ARGISNULL(4))
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("fencepost: places, device or time is NULL")));
  if (PG_ARGISNULL(5) != PG_ARGISNULL(6))
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                    errmsg("fencepost: only one of latitude and longitude is NULL; set both, or neither")));
  fp_fleet *own = fleet_of(PG_GETARG_BYTEA_PP(0), PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1));
  bytea *state = PG_ARGISNULL(3) ? NULL : PG_GETARG_BYTEA_PP(3);
  TimestampTz at = PG_GETARG_TIMESTAMPTZ(4);
  if (TIMESTAMP_NOT_FINITE(at)) fp_refuse_text("fencepost", "the time is infinite; must be in the years 1 to 9999");
  input.device = text_to_cstring(PG_GETARG_TEXT_PP(2));
  input.is_fix = !PG_ARGISNULL(5);
  input.fix.time_us = at + fp_epoch_difference_us;
  input.beside = (fp_beside){fp_ellipse_of(fcinfo, 8), fp_height_of(fcinfo, 11)};
  if (input.is_fix) {
    input.fix.latitude = PG_GETARG_FLOAT8(5);
    input.fix.longitude = PG_GETARG_FLOAT8(6);
    input.fix.accuracy_m = PG_ARGISNULL(7) ? 0 : PG_GETARG_FLOAT8(7);
    if (!(input.fix.accuracy_m >= 0))
      fp_refuse_text("fencepost", "the accuracy is negative or NaN; must be at least 0 metres, or NULL");
  }
  if (state != NULL) {
    input.state = VARDATA_ANY(state);
    input.state_size = VARSIZE_ANY_EXHDR(state);
  }
  if (!fp_fleet_take(own, &input, &outcome, &message)) fp_refuse("fencepost", &message);
  Oid array = TupleDescAttr(type, 2)->atttypid, element = get_element_type(array);
  TupleDesc event_type = lookup_rowtype_tupdesc_copy(element, -1);
  ArrayBuildState *events = initArrayResult(element, CurrentMemoryContext, false);
  for (size_t i = 0; i < outcome.count; i++)
    accumArrayResult(events, fp_event_datum(event_type, fp_fleet_places(own), &outcome.events[i]), false, element,
                     CurrentMemoryContext);
  bytea *next = palloc(outcome.state_size + VARHDRSZ);
  SET_VARSIZE(next, outcome.state_size + VARHDRSZ);
  if (outcome.state_size > 0) memcpy(VARDATA(next), outcome.state, outcome.state_size);
  Datum values[] = {PointerGetDatum(next), BoolGetDatum(outcome.status != FENCEPOST_OK),
                    makeArrayResult(events, CurrentMemoryContext)};
  bool nulls[] = {outcome.state == NULL, false, false};
  PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(type, values, nulls)));
}

/* The core has a function of the name fp_doubted_fixes. */
PG_FUNCTION_INFO_V1(fp_state_doubted_fixes);
Datum fp_state_doubted_fixes(PG_FUNCTION_ARGS) {
  bytea *state = PG_GETARG_BYTEA_PP(0);
  fp_message message;
  uint64_t found;
  if (!fp_doubted_fixes(VARDATA_ANY(state), VARSIZE_ANY_EXHDR(state), &found, &message))
    fp_refuse("fp_doubted_fixes", &message);
  PG_RETURN_INT64((int64)found);
}
