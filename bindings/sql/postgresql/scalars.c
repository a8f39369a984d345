#include "fencepost_pg.h"

#include <math.h>

#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(fp_version);
Datum fp_version(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text(fencepost_version_string())); }

PG_FUNCTION_INFO_V1(fp_distance);
Datum fp_distance(PG_FUNCTION_ARGS) {
  double metres = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (fencepost_geodesic_inverse(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3),
                                 &metres, NULL, NULL, &error) != FENCEPOST_OK)
    fp_refuse_text("fp_distance", error.message);
  PG_RETURN_FLOAT8(metres);
}

/* Returns the compiled shape of argument 0. The options are the argument number `at`. The shape of the previous row is
   reused if its geometry and its options are the same. */
static const fp_kept *kept_shape(FunctionCallInfo fcinfo, int at, uint32_t allowed, const char *name) {
  fp_kept *own = fp_kept_of(fcinfo);
  MemoryContext context = fcinfo->flinfo->fn_mcxt;
  fp_message message;
  bytea *geometry = PG_GETARG_BYTEA_PP(0);
  text *text_options = PG_NARGS() > at && !PG_ARGISNULL(at) ? PG_GETARG_TEXT_PP(at) : NULL;
  if (own->places == NULL || !fp_same_bytes(own->geometry, geometry) || !fp_same_bytes(own->options, text_options)) {
    fp_options options = fp_options_of(fcinfo, at, allowed, name);
    bytea *copy = MemoryContextAlloc(context, VARSIZE_ANY(geometry));
    text *options_copy = text_options == NULL ? NULL : MemoryContextAlloc(context, VARSIZE_ANY(text_options));
    memcpy(copy, geometry, VARSIZE_ANY(geometry));
    if (options_copy != NULL) memcpy(options_copy, text_options, VARSIZE_ANY(text_options));
    if (own->geometry != NULL) pfree(own->geometry);
    if (own->options != NULL) pfree(own->options);
    own->geometry = copy;
    own->options = options_copy;
    own->confidence = options.accuracy_confidence;
    fp_keep(own, fp_shape_get(VARDATA_ANY(geometry), VARSIZE_ANY_EXHDR(geometry), &options, &message));
    if (own->places == NULL) fp_refuse(name, &message);
  }
  return own;
}

static double shape_distance(FunctionCallInfo fcinfo, const char *name) {
  const fp_kept *shape = kept_shape(fcinfo, 3, FP_OPTIONS_OF_SHAPES, name);
  fp_message message;
  double metres;
  if (!fp_shape_distance(shape->places, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), &metres, &message))
    fp_refuse(name, &message);
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

PG_FUNCTION_INFO_V1(fp_probability);
Datum fp_probability(PG_FUNCTION_ARGS) {
  fp_message message;
  double found;
  bool with_ellipse = PG_NARGS() >= 7;
  fp_ellipse ellipse = with_ellipse ? fp_ellipse_of(fcinfo, 4) : fp_no_ellipse();
  for (int i = 0; i < 3; i++)
    if (PG_ARGISNULL(i)) PG_RETURN_NULL();
  /* An ellipse replaces the accuracy, which may then be NULL. */
  if (PG_ARGISNULL(3) && !fp_is_ellipse(&ellipse)) PG_RETURN_NULL();
  const fp_kept *shape = kept_shape(fcinfo, with_ellipse ? 7 : 4, FP_OPTIONS_OF_PROBABILITIES, "fp_probability");
  if (!fp_shape_probability(shape->places, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2),
                            PG_ARGISNULL(3) ? 0 : PG_GETARG_FLOAT8(3), &ellipse, shape->confidence, &found, &message))
    fp_refuse("fp_probability", &message);
  if (isnan(found)) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(found);
}

/* Reads a WKB point. */
static void position(FunctionCallInfo fcinfo, const char *name, double *latitude, double *longitude) {
  bytea *geometry = PG_GETARG_BYTEA_PP(0);
  fp_message message;
  if (!fp_position(VARDATA_ANY(geometry), VARSIZE_ANY_EXHDR(geometry), latitude, longitude, &message))
    fp_refuse(name, &message);
}

PG_FUNCTION_INFO_V1(fp_latitude);
Datum fp_latitude(PG_FUNCTION_ARGS) {
  double latitude, longitude;
  position(fcinfo, "fp_latitude", &latitude, &longitude);
  if (isnan(latitude)) PG_RETURN_NULL(); /* an empty point */
  PG_RETURN_FLOAT8(latitude);
}

PG_FUNCTION_INFO_V1(fp_longitude);
Datum fp_longitude(PG_FUNCTION_ARGS) {
  double latitude, longitude;
  position(fcinfo, "fp_longitude", &latitude, &longitude);
  if (isnan(longitude)) PG_RETURN_NULL(); /* an empty point */
  PG_RETURN_FLOAT8(longitude);
}
