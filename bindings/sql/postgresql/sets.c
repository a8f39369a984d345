#include "fencepost_pg.h"

#include "catalog/pg_type_d.h"
#include "funcapi.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Returns the bytes of a geometry: a bytea, or a PostGIS type through its own implicit cast to bytea. */
static bytea *geometry_of(FunctionCallInfo fcinfo, int argument, bool *out_round) {
  Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument), cast;
  *out_round = false;
  if (type == BYTEAOID || !OidIsValid(type)) return PG_GETARG_BYTEA_PP(argument);
  char *name = format_type_be(type), *last = strrchr(name, '.');
  *out_round = strcmp(last == NULL ? name : last + 1, "geography") == 0;
  if (find_coercion_pathway(BYTEAOID, type, COERCION_IMPLICIT, &cast) != COERCION_PATH_FUNC)
    fp_refuse_text("fp_places", "the type of the geometry has no cast to bytea");
  return DatumGetByteaPP(OidFunctionCall1(cast, PG_GETARG_DATUM(argument)));
}

/* The transition function of the aggregates fp_places(id, geometry [, options]) and fp_places(id, latitude, longitude,
   radius [, options]). Argument 0 is the aggregate's state. */
PG_FUNCTION_INFO_V1(fp_places_step);
Datum fp_places_step(PG_FUNCTION_ARGS) {
  MemoryContext context = fp_aggregate_context(fcinfo);
  fp_builder *builder = PG_ARGISNULL(0) ? NULL : (fp_builder *)PG_GETARG_POINTER(0);
  bool circle = PG_NARGS() >= 5, good;
  fp_message message;
  if (builder == NULL) builder = MemoryContextAllocZero(context, sizeof *builder);
  if (PG_ARGISNULL(1))
    fp_refuse_text("fp_places",
                   "the identifier of a place is NULL; skip such rows with FILTER (WHERE ... IS NOT NULL)");
  text *identifier = PG_GETARG_TEXT_PP(1);
  const char *name = VARDATA_ANY(identifier);
  size_t name_size = VARSIZE_ANY_EXHDR(identifier);
  bool is_rule = true; /* a place without a geometry */
  for (int i = 2; i < (circle ? 5 : 3); i++) is_rule &= PG_ARGISNULL(i);
  for (int i = 2; i < (circle ? 5 : 3) && !is_rule; i++)
    if (PG_ARGISNULL(i))
      ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                      errmsg("fp_places: place \"%.*s\": argument %d is NULL", (int)Min(name_size, 60), name, i),
                      errhint("Skip such rows with FILTER (WHERE ... IS NOT NULL).")));
  int last = circle ? 5 : 3;
  text *options = PG_NARGS() > last && !PG_ARGISNULL(last) ? PG_GETARG_TEXT_PP(last) : NULL;
  const char *option_text = options == NULL ? NULL : VARDATA_ANY(options);
  size_t option_size = options == NULL ? 0 : VARSIZE_ANY_EXHDR(options);
  bool is_round = false;
  bytea *geometry = circle || is_rule ? NULL : geometry_of(fcinfo, 2, &is_round);
  if (is_round && (option_text == NULL || strstr(text_to_cstring(options), "edges") == NULL)) {
    /* The edges of a geography are geodesics. */
    char *with_edges = psprintf("%.*s%sedges=geodesic", (int)option_size, option_text == NULL ? "" : option_text,
                                option_size > 0 ? ", " : "");
    option_text = with_edges;
    option_size = strlen(with_edges);
  }
  MemoryContext before = MemoryContextSwitchTo(context);
  if (is_rule) good = fp_builder_rule(builder, name, name_size, option_text, option_size, &message);
  else if (circle)
    good = fp_builder_circle(builder, name, name_size, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4),
                             option_text, option_size, &message);
  else
    good = fp_builder_geometry(builder, name, name_size, VARDATA_ANY(geometry), VARSIZE_ANY_EXHDR(geometry),
                               option_text, option_size, &message);
  MemoryContextSwitchTo(before);
  if (!good) {
    char why[sizeof message.text];
    snprintf(why, sizeof why, "place \"%.*s\": %.800s", (int)Min(name_size, 60), name, message.text);
    fp_refuse_text("fp_places", why);
  }
  PG_RETURN_POINTER(builder);
}

PG_FUNCTION_INFO_V1(fp_places_final);
Datum fp_places_final(PG_FUNCTION_ARGS) {
  fp_builder none = {0}, *builder = PG_ARGISNULL(0) ? &none : (fp_builder *)PG_GETARG_POINTER(0);
  fp_message message;
  uint8_t *bytes;
  size_t size;
  fp_aggregate_context(fcinfo);
  if (!fp_builder_finish(builder, &bytes, &size, &message)) fp_refuse("fp_places", &message);
  if (size > MaxAllocSize - VARHDRSZ)
    fp_refuse_text("fp_places", "the places have more than 1 GB; split them into several sets");
  bytea *value = palloc(size + VARHDRSZ);
  SET_VARSIZE(value, size + VARHDRSZ);
  memcpy(VARDATA(value), bytes, size);
  pfree(bytes);
  PG_RETURN_BYTEA_P(value);
}

/* Returns the compiled places of the first argument; reuses those of the previous row if the value is the same. */
static fp_places *kept_places(FunctionCallInfo fcinfo, Datum value, const char *name) {
  fp_kept *own = fp_kept_of(fcinfo);
  if (own->places == NULL || !fp_value_is_of(own->places, value)) fp_keep(own, fp_places_of(value, NULL, name));
  return own->places;
}

/* Returns the identifiers of the places that contain a point, sorted. The arguments are (places, latitude, longitude,
   altitude, geoid_height, ground_height, at_time); the heights and the time may be NULL. */
PG_FUNCTION_INFO_V1(fp_containing);
Datum fp_containing(PG_FUNCTION_ARGS) {
  uint64_t few[64], *generations = few;
  size_t capacity = 64, count = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  for (int i = 0; i < 3; i++)
    if (PG_ARGISNULL(i)) PG_RETURN_NULL();
  fp_height height = fp_nothing_beside().height;
  double *const heights[] = {&height.altitude_m, &height.geoid_m, &height.ground_m};
  for (int i = 0; i < 3; i++)
    if (PG_NARGS() > 3 + i && !PG_ARGISNULL(3 + i)) *heights[i] = PG_GETARG_FLOAT8(3 + i);
  int64 time_us = FENCEPOST_TIME_UNSET;
  if (PG_NARGS() > 6 && !PG_ARGISNULL(6)) {
    TimestampTz at = PG_GETARG_TIMESTAMPTZ(6);
    if (TIMESTAMP_NOT_FINITE(at))
      fp_refuse_text("fp_containing", "at_time is infinite; must be in the years 1 to 9999, or NULL for no time");
    time_us = at + fp_epoch_difference_us;
  }
  fp_places *places = kept_places(fcinfo, PG_GETARG_DATUM(0), "fp_containing");
  fencepost_status status;
  while ((status = fp_containing_at(places, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), &height, time_us, generations,
                                    NULL, capacity, &count, &error)) == FENCEPOST_E_BUFFER_TOO_SMALL) {
    capacity = count;
    generations = palloc(capacity * sizeof *generations);
  }
  if (status != FENCEPOST_OK) fp_refuse_text("fp_containing", error.message);
  Datum *names = palloc((count + 1) * sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = CStringGetTextDatum(fp_places_identifier(places, generations[i]));
  PG_RETURN_ARRAYTYPE_P(construct_array(names, (int)count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Returns the k places with the nearest boundaries, nearest first. */
PG_FUNCTION_INFO_V1(fp_nearest);
Datum fp_nearest(PG_FUNCTION_ARGS) {
  ReturnSetInfo *set = (ReturnSetInfo *)fcinfo->resultinfo;
  fp_places *places = kept_places(fcinfo, PG_GETARG_DATUM(0), "fp_nearest");
  int64 nearest = PG_GETARG_INT32(3);
  size_t count = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (nearest < 1) fp_refuse_text("fp_nearest", "k must be at least 1");
  InitMaterializedSRF(fcinfo, 0);
  nearest = Min(nearest, (int64)fp_places_count(places));
  uint64_t *generations = palloc((nearest + 1) * sizeof *generations);
  double *distances = palloc((nearest + 1) * sizeof *distances);
  if (fencepost_conditions_nearest(fp_places_table(places), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), (size_t)nearest,
                                   generations, distances, &count, &error) != FENCEPOST_OK)
    fp_refuse_text("fp_nearest", error.message);
  for (size_t i = 0; i < count; i++) {
    Datum values[] = {CStringGetTextDatum(fp_places_identifier(places, generations[i])), Float8GetDatum(distances[i])};
    bool nulls[] = {false, false};
    tuplestore_putvalues(set->setResult, set->setDesc, values, nulls);
  }
  return (Datum)0;
}
