/*
 * The PostgreSQL extension: values and aggregates in C, the tables of fleets in SQL (fencepost--0.3.sql).
 *
 * Memory of PostgreSQL is that of contexts; what the engine allocates is released by callbacks of contexts and by PG_FINALLY,
 * also when a query is cancelled. Errors of input have the SQLSTATE 22023, invalid_parameter_value.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "core.h"

PG_MODULE_MAGIC;

static const int64 epoch_difference_us = (int64)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

void *fp_reallocate(void *memory, size_t size) {
  return memory == NULL ? MemoryContextAllocHuge(CurrentMemoryContext, size) : repalloc_huge(memory, size);
}
void fp_release(void *memory) { pfree(memory); }

pg_attribute_noreturn() static void refuse(const char *name, const char *why) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s: %s", name, why)));
}

/* Releases places when a context goes. */
static void release_places(void *places) { fp_places_release(places); }

static void release_with(MemoryContext context, fp_places *places) {
  MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof *callback);
  callback->func = release_places;
  callback->arg = places;
  MemoryContextRegisterResetCallback(context, callback);
}

static fp_options options_of(FunctionCallInfo fcinfo, int argument, uint32_t allowed, const char *name) {
  fp_options options;
  fp_message message;
  text *value = argument < PG_NARGS() && !PG_ARGISNULL(argument) ? PG_GETARG_TEXT_PP(argument) : NULL;
  if (!fp_options_read(value == NULL ? NULL : VARDATA_ANY(value), value == NULL ? 0 : VARSIZE_ANY_EXHDR(value), allowed,
                       &options, &message))
    refuse(name, message.text);
  return options;
}

/* Whether a value is the one that places came from; a stored one is not read whole for that. */
static bool are_of(const fp_places *places, Datum value) {
  struct varlena *raw = (struct varlena *)DatumGetPointer(value);
  size_t size = toast_raw_datum_size(value) - VARHDRSZ;
  if (!VARATT_IS_EXTENDED(raw) || VARATT_IS_SHORT(raw)) return fp_places_are(places, VARDATA_ANY(raw), size);
  bytea *head = (bytea *)PG_DETOAST_DATUM_SLICE(value, 0, 40);
  uint8_t copy[40];
  bool same = VARSIZE_ANY_EXHDR(head) == 40;
  if (same) memcpy(copy, VARDATA_ANY(head), 40);
  pfree(head);
  return same && fp_places_are(places, copy, size);
}

static fp_places *places_of(Datum value, const fp_options *options, const char *name) {
  fp_message message;
  bytea *bytes = DatumGetByteaPP(value);
  fp_places *places = fp_places_get(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), options, &message);
  if (places == NULL) refuse(name, message.text);
  return places;
}

/* ------------------------------------------------------------------------------------------- scalars */

PG_FUNCTION_INFO_V1(fp_version);
Datum fp_version(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text(fencepost_version_string())); }

PG_FUNCTION_INFO_V1(fp_distance);
Datum fp_distance(PG_FUNCTION_ARGS) {
  double metres = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (fencepost_geodesic_inverse(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3),
                                 &metres, NULL, NULL, &error) != FENCEPOST_OK)
    refuse("fp_distance", error.message);
  PG_RETURN_FLOAT8(metres);
}

/* What is kept between the rows of a query, in fn_extra: compiled places or a shape, and what the shape came from. */
typedef struct kept {
  fp_places *places;
  bytea *geometry;
  text *options;
} kept;

static void release_kept(void *own) { fp_places_release(((kept *)own)->places); }

static kept *kept_of(FunctionCallInfo fcinfo) {
  kept *own = fcinfo->flinfo->fn_extra;
  if (own != NULL) return own;
  MemoryContext context = fcinfo->flinfo->fn_mcxt;
  MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof *callback);
  own = MemoryContextAllocZero(context, sizeof *own);
  callback->func = release_kept;
  callback->arg = own;
  MemoryContextRegisterResetCallback(context, callback);
  fcinfo->flinfo->fn_extra = own;
  return own;
}

static void keep(kept *own, fp_places *places) {
  fp_places_release(own->places);
  own->places = places;
}

static bool same_bytes(const void *a, const void *b) {
  if (a == NULL || b == NULL) return a == b;
  return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
         memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

static double shape_distance(FunctionCallInfo fcinfo, const char *name) {
  kept *own = kept_of(fcinfo);
  MemoryContext context = fcinfo->flinfo->fn_mcxt;
  fp_message message;
  double metres;
  bytea *geometry = PG_GETARG_BYTEA_PP(0);
  text *text_options = PG_NARGS() > 3 && !PG_ARGISNULL(3) ? PG_GETARG_TEXT_PP(3) : NULL;
  if (own->places == NULL || !same_bytes(own->geometry, geometry) || !same_bytes(own->options, text_options)) {
    fp_options options = options_of(fcinfo, 3, FP_OPTIONS_OF_SHAPES, name);
    bytea *copy = MemoryContextAlloc(context, VARSIZE_ANY(geometry));
    text *options_copy = text_options == NULL ? NULL : MemoryContextAlloc(context, VARSIZE_ANY(text_options));
    memcpy(copy, geometry, VARSIZE_ANY(geometry));
    if (options_copy != NULL) memcpy(options_copy, text_options, VARSIZE_ANY(text_options));
    if (own->geometry != NULL) pfree(own->geometry);
    if (own->options != NULL) pfree(own->options);
    own->geometry = copy;
    own->options = options_copy;
    keep(own, fp_shape_get(VARDATA_ANY(geometry), VARSIZE_ANY_EXHDR(geometry), &options, &message));
    if (own->places == NULL) refuse(name, message.text);
  }
  if (!fp_shape_distance(own->places, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), &metres, &message))
    refuse(name, message.text);
  return metres;
}

PG_FUNCTION_INFO_V1(fp_boundary_distance);
Datum fp_boundary_distance(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2)) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(shape_distance(fcinfo, "fp_boundary_distance"));
}

PG_FUNCTION_INFO_V1(fp_contains);
Datum fp_contains(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2)) PG_RETURN_NULL();
  PG_RETURN_BOOL(shape_distance(fcinfo, "fp_contains") <= 0);
}

/* -------------------------------------------------------------------------------------------- places */

static MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
  MemoryContext context;
  if (!AggCheckCallContext(fcinfo, &context)) elog(ERROR, "an aggregate's function was called by itself");
  return context;
}

/* The bytes of a geometry: a bytea, or a type of PostGIS by its own implicit cast to one. */
static bytea *geometry_of(FunctionCallInfo fcinfo, int argument, bool *out_round) {
  Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument), cast;
  *out_round = false;
  if (type == BYTEAOID || !OidIsValid(type)) return PG_GETARG_BYTEA_PP(argument);
  char *name = format_type_be(type), *last = strrchr(name, '.');
  *out_round = strcmp(last == NULL ? name : last + 1, "geography") == 0;
  if (find_coercion_pathway(BYTEAOID, type, COERCION_IMPLICIT, &cast) != COERCION_PATH_FUNC)
    refuse("fp_places", "the type of the geometry has no cast to bytea");
  return DatumGetByteaPP(OidFunctionCall1(cast, PG_GETARG_DATUM(argument)));
}

/* fp_places(id, geometry [, options]) and (id, latitude, longitude, radius [, options]); argument 0 is the state. */
PG_FUNCTION_INFO_V1(fp_places_step);
Datum fp_places_step(PG_FUNCTION_ARGS) {
  MemoryContext context = aggregate_context(fcinfo);
  fp_builder *builder = PG_ARGISNULL(0) ? NULL : (fp_builder *)PG_GETARG_POINTER(0);
  bool circle = PG_NARGS() >= 5, good;
  fp_message message;
  if (builder == NULL) builder = MemoryContextAllocZero(context, sizeof *builder);
  if (PG_ARGISNULL(1))
    refuse("fp_places", "the identifier of a place is NULL; leave such rows out with FILTER (WHERE ... IS NOT NULL)");
  text *identifier = PG_GETARG_TEXT_PP(1);
  const char *name = VARDATA_ANY(identifier);
  size_t name_size = VARSIZE_ANY_EXHDR(identifier);
  for (int i = 2; i < (circle ? 5 : 3); i++)
    if (PG_ARGISNULL(i))
      ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                      errmsg("fp_places: place \"%.*s\": argument %d is NULL", (int)Min(name_size, 60), name, i),
                      errhint("Leave such rows out with FILTER (WHERE ... IS NOT NULL).")));
  int last = circle ? 5 : 3;
  text *options = PG_NARGS() > last && !PG_ARGISNULL(last) ? PG_GETARG_TEXT_PP(last) : NULL;
  const char *option_text = options == NULL ? NULL : VARDATA_ANY(options);
  size_t option_size = options == NULL ? 0 : VARSIZE_ANY_EXHDR(options);
  bool is_round = false;
  bytea *geometry = circle ? NULL : geometry_of(fcinfo, 2, &is_round);
  if (is_round && (option_text == NULL || strstr(text_to_cstring(options), "edges") == NULL)) {
    /* Edges of a geography are geodesics. */
    char *with_edges = psprintf("%.*s%sedges=geodesic", (int)option_size, option_text == NULL ? "" : option_text,
                                option_size > 0 ? ", " : "");
    option_text = with_edges;
    option_size = strlen(with_edges);
  }
  MemoryContext before = MemoryContextSwitchTo(context);
  good = circle ? fp_builder_circle(builder, name, name_size, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3),
                                    PG_GETARG_FLOAT8(4), option_text, option_size, &message)
                : fp_builder_geometry(builder, name, name_size, VARDATA_ANY(geometry), VARSIZE_ANY_EXHDR(geometry),
                                      option_text, option_size, &message);
  MemoryContextSwitchTo(before);
  if (!good) {
    char why[sizeof message.text];
    snprintf(why, sizeof why, "place \"%.*s\": %.400s", (int)Min(name_size, 60), name, message.text);
    refuse("fp_places", why);
  }
  PG_RETURN_POINTER(builder);
}

PG_FUNCTION_INFO_V1(fp_places_final);
Datum fp_places_final(PG_FUNCTION_ARGS) {
  fp_builder none = {0}, *builder = PG_ARGISNULL(0) ? &none : (fp_builder *)PG_GETARG_POINTER(0);
  fp_message message;
  uint8_t *bytes;
  size_t size;
  aggregate_context(fcinfo);
  if (!fp_builder_finish(builder, &bytes, &size, &message)) refuse("fp_places", message.text);
  if (size > MaxAllocSize - VARHDRSZ)
    refuse("fp_places", "the places have more than 1 GB; split them into several sets");
  bytea *value = palloc(size + VARHDRSZ);
  SET_VARSIZE(value, size + VARHDRSZ);
  memcpy(VARDATA(value), bytes, size);
  pfree(bytes);
  PG_RETURN_BYTEA_P(value);
}

/* ----------------------------------------------------------------------------------------- questions */

/* The compiled places of the first argument; those of the row before, if they are the same. */
static fp_places *kept_places(FunctionCallInfo fcinfo, Datum value, const char *name) {
  kept *own = kept_of(fcinfo);
  if (own->places == NULL || !are_of(own->places, value)) keep(own, places_of(value, NULL, name));
  return own->places;
}

/* The identifiers of the places that hold a point, in the order of identifiers. */
PG_FUNCTION_INFO_V1(fp_containing);
Datum fp_containing(PG_FUNCTION_ARGS) {
  uint64_t few[64], *generations = few;
  size_t capacity = 64, count = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fp_places *places = kept_places(fcinfo, PG_GETARG_DATUM(0), "fp_containing");
  fencepost_status status;
  while ((status = fencepost_monitor_containing(fp_places_monitor(places), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2),
                                                generations, NULL, capacity, &count, &error)) ==
         FENCEPOST_E_BUFFER_TOO_SMALL) {
    capacity = count;
    generations = palloc(capacity * sizeof *generations);
  }
  if (status != FENCEPOST_OK) refuse("fp_containing", error.message);
  Datum *names = palloc((count + 1) * sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = CStringGetTextDatum(fp_places_identifier(places, generations[i]));
  PG_RETURN_ARRAYTYPE_P(construct_array(names, (int)count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The k places whose boundaries are nearest, nearest first. */
PG_FUNCTION_INFO_V1(fp_nearest);
Datum fp_nearest(PG_FUNCTION_ARGS) {
  ReturnSetInfo *set = (ReturnSetInfo *)fcinfo->resultinfo;
  fp_places *places = kept_places(fcinfo, PG_GETARG_DATUM(0), "fp_nearest");
  int64 nearest = PG_GETARG_INT32(3);
  size_t count = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (nearest < 1) refuse("fp_nearest", "k is less than 1; accepted are integers from 1");
  InitMaterializedSRF(fcinfo, 0);
  nearest = Min(nearest, (int64)fp_places_count(places));
  uint64_t *generations = palloc((nearest + 1) * sizeof *generations);
  double *distances = palloc((nearest + 1) * sizeof *distances);
  if (fencepost_monitor_nearest(fp_places_monitor(places), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), (size_t)nearest,
                                generations, distances, &count, &error) != FENCEPOST_OK)
    refuse("fp_nearest", error.message);
  for (size_t i = 0; i < count; i++) {
    Datum values[] = {CStringGetTextDatum(fp_places_identifier(places, generations[i])), Float8GetDatum(distances[i])};
    bool nulls[] = {false, false};
    tuplestore_putvalues(set->setResult, set->setDesc, values, nulls);
  }
  return (Datum)0;
}

/* ------------------------------------------------------------------------------------------- replays */

/* The state of fp_events() and fp_visits(). */
typedef struct group {
  fp_track track;
  fp_places *places;
  fp_options options;
  text *options_text;
} group;

/* (state, places, time, latitude, longitude [, accuracy [, options]]). A row without a position or time is no fix. */
PG_FUNCTION_INFO_V1(fp_track_step);
Datum fp_track_step(PG_FUNCTION_ARGS) {
  MemoryContext context = aggregate_context(fcinfo);
  group *own = PG_ARGISNULL(0) ? NULL : (group *)PG_GETARG_POINTER(0);
  fp_message message;
  if (PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4)) {
    if (own == NULL) PG_RETURN_NULL();
    PG_RETURN_POINTER(own);
  }
  if (PG_ARGISNULL(1)) refuse("fp_events", "the places are NULL; the first argument is a value of fp_places()");
  text *options = PG_NARGS() > 6 && !PG_ARGISNULL(6) ? PG_GETARG_TEXT_PP(6) : NULL;
  if (own == NULL) {
    own = MemoryContextAllocZero(context, sizeof *own);
    own->options = options_of(fcinfo, 6, FP_OPTIONS_OF_REPLAYS & ~(uint32_t)FP_OPTION_TIME, "fp_events");
    if (options != NULL) {
      own->options_text = MemoryContextAlloc(context, VARSIZE_ANY(options));
      memcpy(own->options_text, options, VARSIZE_ANY(options));
    }
    own->places = places_of(PG_GETARG_DATUM(1), &own->options, "fp_events");
    release_with(context, own->places);
  } else {
    if (!are_of(own->places, PG_GETARG_DATUM(1))) refuse("fp_events", "the places change within a group");
    if (!same_bytes(own->options_text, options)) refuse("fp_events", "the options change within a group");
  }
  double accuracy = PG_NARGS() > 5 && !PG_ARGISNULL(5) ? PG_GETARG_FLOAT8(5) : 0;
  TimestampTz at = PG_GETARG_TIMESTAMPTZ(2);
  int64 time_us = TIMESTAMP_NOT_FINITE(at) ? PG_INT64_MAX : at + epoch_difference_us;
  MemoryContext before = MemoryContextSwitchTo(context);
  bool good =
      fp_track_add(&own->track, &own->options, PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4), accuracy, time_us, &message);
  MemoryContextSwitchTo(before);
  if (!good) refuse("fp_events", message.text);
  PG_RETURN_POINTER(own);
}

static TupleDesc element_type(FunctionCallInfo fcinfo, Oid *out_type) {
  *out_type = get_element_type(get_func_rettype(fcinfo->flinfo->fn_oid));
  return lookup_rowtype_tupdesc_copy(*out_type, -1);
}

static Datum time_datum(int64 time_us) { return TimestampTzGetDatum(time_us - epoch_difference_us); }

enum {
  EVENT_MEMBERS = 13,
  VISIT_MEMBERS = 8
};

static Datum event_datum(TupleDesc type, const fencepost_event *event) {
  uint32_t evidence = fencepost_event_evidence(event);
  const char *direction = fp_event_direction(event);
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
      BoolGetDatum((evidence & FENCEPOST_EVIDENCE_ON_PATH) != 0),
      BoolGetDatum((evidence & FENCEPOST_EVIDENCE_AFTER_GAP) != 0)};
  bool nulls[EVENT_MEMBERS] = {false};
  nulls[3] = event->evidence_date_us == FENCEPOST_TIME_UNSET;
  nulls[5] = nulls[6] = nulls[7] = nulls[8] = no_fix;
  nulls[10] = direction == NULL;
  return HeapTupleGetDatum(heap_form_tuple(type, values, nulls));
}

PG_FUNCTION_INFO_V1(fp_events_final);
Datum fp_events_final(PG_FUNCTION_ARGS) {
  aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  group *own = (group *)PG_GETARG_POINTER(0);
  Oid element;
  TupleDesc type = element_type(fcinfo, &element);
  ArrayBuildState *result = initArrayResult(element, CurrentMemoryContext, false);
  fp_message message;
  fp_replay *replay = fp_replay_begin(own->places, &own->track, &own->options, &message);
  if (replay == NULL) refuse("fp_events", message.text);
  PG_TRY();
  {
    while (true) {
      fencepost_event event;
      bool available;
      CHECK_FOR_INTERRUPTS();
      if (!fp_replay_next(replay, &event, &available, &message)) refuse("fp_events", message.text);
      if (!available) break;
      accumArrayResult(result, event_datum(type, &event), false, element, CurrentMemoryContext);
    }
  }
  PG_FINALLY();
  {
    fp_replay_end(replay);
  }
  PG_END_TRY();
  PG_RETURN_DATUM(makeArrayResult(result, CurrentMemoryContext));
}

PG_FUNCTION_INFO_V1(fp_visits_final);
Datum fp_visits_final(PG_FUNCTION_ARGS) {
  aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  group *own = (group *)PG_GETARG_POINTER(0);
  Oid element;
  TupleDesc type = element_type(fcinfo, &element);
  ArrayBuildState *result = initArrayResult(element, CurrentMemoryContext, false);
  fp_message message;
  fp_visit *visits = NULL;
  size_t count = 0;
  if (!fp_visits(own->places, &own->track, &own->options, &visits, &count, &message)) refuse("fp_visits", message.text);
  PG_TRY();
  {
    for (size_t i = 0; i < count; i++) {
      const fp_visit *visit = &visits[i];
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
      accumArrayResult(result, HeapTupleGetDatum(heap_form_tuple(type, values, nulls)), false, element,
                       CurrentMemoryContext);
    }
  }
  PG_FINALLY();
  {
    free(visits);
  }
  PG_END_TRY();
  PG_RETURN_DATUM(makeArrayResult(result, CurrentMemoryContext));
}

/* -------------------------------------------------------------------------------------------- fleets */

/* The compiled places of a fleet that this backend fed last. */
static fp_fleet *fleet;
static uint8_t fleet_head[40];
static char *fleet_options;

/* Compares by the head of the value, in which its digest is. */
static fp_fleet *fleet_of(bytea *places, text *options) {
  char *wanted = options == NULL ? pstrdup("") : text_to_cstring(options);
  fp_message message;
  fp_options read;
  if (fleet != NULL && VARSIZE_ANY_EXHDR(places) >= 40 && memcmp(fleet_head, VARDATA_ANY(places), 40) == 0 &&
      strcmp(fleet_options, wanted) == 0)
    return fleet;
  if (!fp_options_read(wanted, strlen(wanted), FP_OPTION_POLICY | FP_OPTION_ASSUMING | FP_OPTION_STEP, &read, &message))
    refuse("fencepost", message.text);
  char *copy = MemoryContextStrdup(TopMemoryContext, wanted);
  fp_fleet *made = fp_fleet_create(VARDATA_ANY(places), VARSIZE_ANY_EXHDR(places), &read, &message);
  if (made == NULL) {
    pfree(copy);
    refuse("fencepost", message.text);
  }
  fp_fleet_destroy(fleet);
  if (fleet_options != NULL) pfree(fleet_options);
  fleet = made;
  fleet_options = copy;
  memcpy(fleet_head, VARDATA_ANY(places), 40);
  return fleet;
}

/* step(places, options, device, state, time, latitude, longitude, accuracy) -> (state, late, events). */
PG_FUNCTION_INFO_V1(fp_fleet_step);
Datum fp_fleet_step(PG_FUNCTION_ARGS) {
  TupleDesc type;
  fp_message message;
  fp_input input = {0};
  fp_outcome outcome;
  if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE) elog(ERROR, "the result is no row");
  if (PG_ARGISNULL(0) || PG_ARGISNULL(2) || PG_ARGISNULL(4))
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("fencepost: places, device or time is NULL")));
  if (PG_ARGISNULL(5) != PG_ARGISNULL(6))
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                    errmsg("fencepost: latitude or longitude is NULL; both or none are")));
  fp_fleet *own = fleet_of(PG_GETARG_BYTEA_PP(0), PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1));
  bytea *state = PG_ARGISNULL(3) ? NULL : PG_GETARG_BYTEA_PP(3);
  TimestampTz at = PG_GETARG_TIMESTAMPTZ(4);
  if (TIMESTAMP_NOT_FINITE(at)) refuse("fencepost", "the time is infinite; accepted are the years 1 to 9999");
  input.device = text_to_cstring(PG_GETARG_TEXT_PP(2));
  input.is_fix = !PG_ARGISNULL(5);
  input.fix.time_us = at + epoch_difference_us;
  if (input.is_fix) {
    input.fix.latitude = PG_GETARG_FLOAT8(5);
    input.fix.longitude = PG_GETARG_FLOAT8(6);
    input.fix.accuracy_m = PG_ARGISNULL(7) ? 0 : PG_GETARG_FLOAT8(7);
    if (!(input.fix.accuracy_m >= 0))
      refuse("fencepost", "the accuracy is negative or NaN; accepted are metres from 0, or NULL");
  }
  if (state != NULL) {
    input.state = VARDATA_ANY(state);
    input.state_size = VARSIZE_ANY_EXHDR(state);
  }
  if (!fp_fleet_take(own, &input, &outcome, &message)) refuse("fencepost", message.text);
  Oid array = TupleDescAttr(type, 2)->atttypid, element = get_element_type(array);
  TupleDesc event_type = lookup_rowtype_tupdesc_copy(element, -1);
  ArrayBuildState *events = initArrayResult(element, CurrentMemoryContext, false);
  for (size_t i = 0; i < outcome.count; i++)
    accumArrayResult(events, event_datum(event_type, &outcome.events[i]), false, element, CurrentMemoryContext);
  bytea *next = palloc(outcome.state_size + VARHDRSZ);
  SET_VARSIZE(next, outcome.state_size + VARHDRSZ);
  if (outcome.state_size > 0) memcpy(VARDATA(next), outcome.state, outcome.state_size);
  Datum values[] = {PointerGetDatum(next), BoolGetDatum(outcome.status != FENCEPOST_OK),
                    makeArrayResult(events, CurrentMemoryContext)};
  bool nulls[] = {outcome.state == NULL, false, false};
  PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(type, values, nulls)));
}
