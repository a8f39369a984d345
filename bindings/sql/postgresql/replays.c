#include "fencepost_pg.h"

#include <math.h>

#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* Holds the state of fp_events(), fp_visits() and fp_counts(). */
typedef struct group {
  fp_track track;
  fp_places *places;
  fp_options options;
  text *options_text;
} group;

/* The arguments are (state, places, time, latitude, longitude [, accuracy [, error_major, error_minor,
   error_orientation [, altitude, vertical_accuracy, geoid_height, ground_height]] [, options]]). Rows without a position or time are skipped. */
PG_FUNCTION_INFO_V1(fp_track_step);
Datum fp_track_step(PG_FUNCTION_ARGS) {
  MemoryContext context = fp_aggregate_context(fcinfo);
  group *own = PG_ARGISNULL(0) ? NULL : (group *)PG_GETARG_POINTER(0);
  fp_message message;
  if (PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4)) {
    if (own == NULL) PG_RETURN_NULL();
    PG_RETURN_POINTER(own);
  }
  if (PG_ARGISNULL(1))
    fp_refuse_text("fp_events", "the places are NULL; the first argument must be a value of fp_places()");
  bool with_ellipse = PG_NARGS() >= 9, with_height = PG_NARGS() >= 13;
  int last = with_height ? 13 : with_ellipse ? 9 : 6; /* the number of the options */
  text *options = PG_NARGS() > last && !PG_ARGISNULL(last) ? PG_GETARG_TEXT_PP(last) : NULL;
  if (own == NULL) {
    own = MemoryContextAllocZero(context, sizeof *own);
    own->options = fp_options_of(fcinfo, last, FP_OPTIONS_OF_REPLAYS & ~(uint32_t)FP_OPTION_TIME, "fp_events");
    if (options != NULL) {
      own->options_text = MemoryContextAlloc(context, VARSIZE_ANY(options));
      memcpy(own->options_text, options, VARSIZE_ANY(options));
    }
    own->places = fp_places_of(PG_GETARG_DATUM(1), &own->options, "fp_events");
    fp_release_with(context, own->places);
  } else {
    if (!fp_value_is_of(own->places, PG_GETARG_DATUM(1)))
      fp_refuse_text("fp_events", "the places differ within a group; must be the same in all rows");
    if (!fp_same_bytes(own->options_text, options))
      fp_refuse_text("fp_events", "the options differ within a group; must be the same in all rows");
  }
  double accuracy = PG_NARGS() > 5 && !PG_ARGISNULL(5) ? PG_GETARG_FLOAT8(5) : 0;
  fp_beside beside = fp_nothing_beside();
  if (with_ellipse) beside.ellipse = fp_ellipse_of(fcinfo, 6);
  if (with_height) beside.height = fp_height_of(fcinfo, 9);
  TimestampTz at = PG_GETARG_TIMESTAMPTZ(2);
  int64 time_us = TIMESTAMP_NOT_FINITE(at) ? PG_INT64_MAX : at + fp_epoch_difference_us;
  MemoryContext before = MemoryContextSwitchTo(context);
  bool good = fp_track_add(&own->track, &own->options, PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4), accuracy, &beside,
                           time_us, &message);
  MemoryContextSwitchTo(before);
  if (!good) fp_refuse("fp_events", &message);
  PG_RETURN_POINTER(own);
}

static Datum time_datum(int64 time_us) { return TimestampTzGetDatum(time_us - fp_epoch_difference_us); }

enum {
  EVENT_MEMBERS = 16,
  VISIT_MEMBERS = 8
};

Datum fp_event_datum(TupleDesc type, const fp_places *places, const fencepost_event *event) {
  const char *direction = fp_event_direction(event);
  const char *decided_by = fp_event_decided_by(places, event);
  bool no_fix = isnan(event->latitude);
  Datum values[EVENT_MEMBERS] = {
      CStringGetTextDatum(event->identifier),
      CStringGetTextDatum(fp_event_kind(event)),
      time_datum(event->date_us),
      event->evidence_date_us == FENCEPOST_TIME_UNSET ? 0 : time_datum(event->evidence_date_us),
      CStringGetTextDatum(fencepost_state_name(event->state)),
      Float8GetDatum(event->latitude),
      Float8GetDatum(event->longitude),
      Float8GetDatum(event->accuracy_m),
      Float8GetDatum(event->boundary_distance_m),
      Int64GetDatum((int64)event->sequence),
      direction == NULL ? 0 : CStringGetTextDatum(direction),
      BoolGetDatum((event->flags & FENCEPOST_EVENT_ON_PATH) != 0),
      BoolGetDatum((event->flags & FENCEPOST_EVENT_AFTER_GAP) != 0),
      Float8GetDatum(event->probability),
      Float8GetDatum(event->vertical_distance_m),
      decided_by == NULL ? 0 : CStringGetTextDatum(decided_by)};
  bool nulls[EVENT_MEMBERS] = {false};
  nulls[3] = event->evidence_date_us == FENCEPOST_TIME_UNSET;
  nulls[5] = nulls[6] = nulls[7] = nulls[8] = no_fix;
  nulls[10] = direction == NULL;
  nulls[13] = isnan(event->probability);
  nulls[14] = isnan(event->vertical_distance_m);
  nulls[15] = decided_by == NULL;
  return HeapTupleGetDatum(heap_form_tuple(type, values, nulls));
}

/* The array of rows that a final function returns. */
typedef struct result {
  Oid element;
  TupleDesc type;
  ArrayBuildState *rows;
  MemoryContext row; /* memory of one row, reset after each row */
} result;

static result begin_result(FunctionCallInfo fcinfo) {
  result own;
  own.element = get_element_type(get_func_rettype(fcinfo->flinfo->fn_oid));
  own.type = lookup_rowtype_tupdesc_copy(own.element, -1);
  own.rows = initArrayResult(own.element, CurrentMemoryContext, false);
  own.row = AllocSetContextCreate(CurrentMemoryContext, "fencepost row", ALLOCSET_SMALL_SIZES);
  return own;
}

static void add_row(result *own, Datum (*make)(TupleDesc, const void *), const void *from) {
  MemoryContext before = MemoryContextSwitchTo(own->row);
  accumArrayResult(own->rows, make(own->type, from), false, own->element, own->row);
  MemoryContextSwitchTo(before);
  MemoryContextReset(own->row);
}

static Datum end_result(result *own) {
  MemoryContextDelete(own->row);
  return makeArrayResult(own->rows, CurrentMemoryContext);
}

/* An event, and the places of its replay. */
typedef struct placed {
  const fp_places *places;
  fencepost_event event;
} placed;

static Datum event_row(TupleDesc type, const void *from) {
  const placed *own = from;
  return fp_event_datum(type, own->places, &own->event);
}

PG_FUNCTION_INFO_V1(fp_events_final);
Datum fp_events_final(PG_FUNCTION_ARGS) {
  fp_aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  group *own = (group *)PG_GETARG_POINTER(0);
  result found = begin_result(fcinfo);
  fp_message message;
  fp_replay *replay = fp_replay_begin(own->places, &own->track, &fp_cancel_of_backend, &message);
  if (replay == NULL) fp_refuse("fp_events", &message);
  PG_TRY();
  {
    while (true) {
      placed own_event = {.places = own->places};
      bool available;
      CHECK_FOR_INTERRUPTS();
      if (!fp_replay_next(replay, &own_event.event, &available, &message)) fp_refuse("fp_events", &message);
      if (!available) break;
      add_row(&found, event_row, &own_event);
    }
  }
  PG_FINALLY();
  {
    fp_replay_end(replay);
  }
  PG_END_TRY();
  PG_RETURN_DATUM(end_result(&found));
}

static Datum visit_row(TupleDesc type, const void *from) {
  const fp_visit *visit = from;
  Interval *duration = palloc0(sizeof *duration);
  duration->time = visit->end_us - visit->start_us;
  Datum values[VISIT_MEMBERS] = {CStringGetTextDatum(visit->identifier),
                                 time_datum(visit->start_us),
                                 time_datum(visit->end_us),
                                 IntervalPGetDatum(duration),
                                 CStringGetTextDatum(visit->start_known),
                                 CStringGetTextDatum(visit->end_known),
                                 time_datum(visit->confirmed_start_us),
                                 time_datum(visit->confirmed_end_us)};
  bool nulls[VISIT_MEMBERS] = {false, false, visit->open, false, false, false, false, visit->open};
  return HeapTupleGetDatum(heap_form_tuple(type, values, nulls));
}

PG_FUNCTION_INFO_V1(fp_visits_final);
Datum fp_visits_final(PG_FUNCTION_ARGS) {
  fp_aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  group *own = (group *)PG_GETARG_POINTER(0);
  result found = begin_result(fcinfo);
  fp_message message;
  fp_visit *visits = NULL;
  size_t count = 0;
  if (!fp_visits(own->places, &own->track, &own->options, &fp_cancel_of_backend, &visits, &count, &message))
    fp_refuse("fp_visits", &message);
  PG_TRY();
  {
    for (size_t i = 0; i < count; i++) {
      CHECK_FOR_INTERRUPTS();
      add_row(&found, visit_row, &visits[i]);
    }
  }
  PG_FINALLY();
  {
    free(visits);
  }
  PG_END_TRY();
  PG_RETURN_DATUM(end_result(&found));
}

PG_FUNCTION_INFO_V1(fp_counts_final);
Datum fp_counts_final(PG_FUNCTION_ARGS) {
  fp_aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  group *own = (group *)PG_GETARG_POINTER(0);
  TupleDesc type = lookup_rowtype_tupdesc_copy(get_func_rettype(fcinfo->flinfo->fn_oid), -1);
  fp_message message;
  fp_counts counts;
  if (!fp_count(own->places, &own->track, &fp_cancel_of_backend, &counts, &message)) fp_refuse("fp_counts", &message);
  Datum values[] = {Int64GetDatum((int64)counts.accepted), Int64GetDatum((int64)counts.invalid),
                    Int64GetDatum((int64)counts.late), Int64GetDatum((int64)counts.doubted)};
  bool nulls[] = {false, false, false, false};
  PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(type, values, nulls)));
}
