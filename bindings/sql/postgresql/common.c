#include "fencepost_pg.h"

#include "access/detoast.h"
#include "miscadmin.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

void *fp_reallocate(void *memory, size_t size) {
  return memory == NULL ? MemoryContextAllocHuge(CurrentMemoryContext, size) : repalloc_huge(memory, size);
}
void fp_release(void *memory) { pfree(memory); }

static bool wanted(void *host) {
  (void)host;
  return InterruptPending && (QueryCancelPending || ProcDiePending);
}
const fp_cancel fp_cancel_of_backend = {wanted, NULL};

void fp_refuse(const char *name, const fp_message *message) {
  int code = ERRCODE_INVALID_PARAMETER_VALUE;
  if (message->cause == FP_CANCELLED) {
    CHECK_FOR_INTERRUPTS(); /* if PostgreSQL cancels the statement, this macro reports it and does not return */
    code = ERRCODE_QUERY_CANCELED;
  }
  if (message->cause == FP_NO_MEMORY) code = ERRCODE_OUT_OF_MEMORY;
  ereport(ERROR, (errcode(code), errmsg("%s: %s", name, message->text)));
}

void fp_refuse_text(const char *name, const char *why) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s: %s", name, why)));
}

fp_options fp_options_of(FunctionCallInfo fcinfo, int argument, uint32_t allowed, const char *name) {
  fp_options options;
  fp_message message;
  text *value = argument < PG_NARGS() && !PG_ARGISNULL(argument) ? PG_GETARG_TEXT_PP(argument) : NULL;
  if (!fp_options_read(value == NULL ? NULL : VARDATA_ANY(value), value == NULL ? 0 : VARSIZE_ANY_EXHDR(value), allowed,
                       &options, &message))
    fp_refuse(name, &message);
  return options;
}

fp_ellipse fp_ellipse_of(FunctionCallInfo fcinfo, int argument) {
  fp_ellipse found = fp_no_ellipse();
  double *const members[] = {&found.major_m, &found.minor_m, &found.orientation};
  for (int i = 0; i < 3; i++)
    if (argument + i < PG_NARGS() && !PG_ARGISNULL(argument + i)) *members[i] = PG_GETARG_FLOAT8(argument + i);
  return found;
}

fp_height fp_height_of(FunctionCallInfo fcinfo, int argument) {
  fp_height found = fp_nothing_beside().height;
  double *const members[] = {&found.altitude_m, &found.vertical_accuracy_m, &found.geoid_m, &found.ground_m};
  for (int i = 0; i < 4; i++)
    if (argument + i < PG_NARGS() && !PG_ARGISNULL(argument + i)) *members[i] = PG_GETARG_FLOAT8(argument + i);
  return found;
}

bool fp_value_is_of(const fp_places *places, Datum value) {
  struct varlena *raw = (struct varlena *)DatumGetPointer(value);
  if (!VARATT_IS_EXTENDED(raw) || VARATT_IS_SHORT(raw))
    return fp_places_are(places, VARDATA_ANY(raw), VARSIZE_ANY_EXHDR(raw));
  size_t size = toast_raw_datum_size(value) - VARHDRSZ;
  bytea *head = (bytea *)PG_DETOAST_DATUM_SLICE(value, 0, 40);
  uint8_t copy[40];
  bool same = VARSIZE_ANY_EXHDR(head) == 40;
  if (same) memcpy(copy, VARDATA_ANY(head), 40);
  pfree(head);
  return same && fp_places_are(places, copy, size);
}

fp_places *fp_places_of(Datum value, const fp_options *options, const char *name) {
  fp_message message;
  bytea *bytes = DatumGetByteaPP(value);
  fp_places *places = fp_places_get(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), options, &message);
  if (places == NULL) fp_refuse(name, &message);
  return places;
}

static void release_places(void *places) { fp_places_release(places); }

void fp_release_with(MemoryContext context, fp_places *places) {
  MemoryContextCallback *callback =
      MemoryContextAllocExtended(context, sizeof *callback, MCXT_ALLOC_ZERO | MCXT_ALLOC_NO_OOM);
  if (callback == NULL) {
    fp_places_release(places);
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
  }
  callback->func = release_places;
  callback->arg = places;
  MemoryContextRegisterResetCallback(context, callback);
}

bool fp_same_bytes(const void *a, const void *b) {
  if (a == NULL || b == NULL) return a == b;
  return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
         memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

static void release_kept(void *kept) { fp_places_release(((fp_kept *)kept)->places); }

fp_kept *fp_kept_of(FunctionCallInfo fcinfo) {
  fp_kept *kept = fcinfo->flinfo->fn_extra;
  if (kept != NULL) return kept;
  MemoryContext context = fcinfo->flinfo->fn_mcxt;
  MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof *callback);
  kept = MemoryContextAllocZero(context, sizeof *kept);
  callback->func = release_kept;
  callback->arg = kept;
  MemoryContextRegisterResetCallback(context, callback);
  fcinfo->flinfo->fn_extra = kept;
  return kept;
}

void fp_keep(fp_kept *kept, fp_places *places) {
  fp_places_release(kept->places);
  kept->places = places;
}

MemoryContext fp_aggregate_context(FunctionCallInfo fcinfo) {
  MemoryContext context;
  if (!AggCheckCallContext(fcinfo, &context)) elog(ERROR, "an aggregate's function was called by itself");
  return context;
}
