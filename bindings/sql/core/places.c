#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "value.h"

struct fp_places {
  uint64_t digest[2];
  size_t size;
  fp_options options; /* the options of the replays for which the places were compiled */
  fencepost_monitor *monitor;
  fencepost_conditions *table; /* of the monitor */
  size_t count;
  char *identifiers;   /* each identifier ends with a zero byte */
  uint32_t *starts;    /* of each identifier */
  uint32_t references; /* under `lock` */
  bool assumes;        /* whether any place has its own assumed state */
  fp_hours *hours;     /* of each place; NULL if no place has a timing */
};

/* The number of sets of places whose compiled form is cached, the most recently used ones. A query that names more sets
   works, but may compile a set several times. */
enum {
  KEPT = 16
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fp_places *kept[KEPT]; /* the most recently used places first; each entry holds a reference */

static void destroy(fp_places *places) {
  fencepost_conditions_destroy(places->table);
  fencepost_monitor_destroy(places->monitor);
  for (size_t i = 0; places->hours != NULL && i < places->count; i++) free(places->hours[i].intervals);
  free(places->hours);
  free(places->identifiers);
  free(places->starts);
  free(places);
}

void fp_places_retain(fp_places *places) {
  pthread_mutex_lock(&lock);
  places->references++;
  pthread_mutex_unlock(&lock);
}

void fp_places_release(fp_places *places) {
  if (places == NULL) return;
  pthread_mutex_lock(&lock);
  bool last = --places->references == 0;
  pthread_mutex_unlock(&lock);
  if (last) destroy(places);
}

fencepost_monitor *fp_places_monitor(const fp_places *places) { return places->monitor; }

fencepost_conditions *fp_places_table(const fp_places *places) { return places->table; }
size_t fp_places_count(const fp_places *places) { return places->count; }
bool fp_places_assume(const fp_places *places) { return places->assumes; }
const fp_hours *fp_places_hours(const fp_places *places) { return places->hours; }
const char *fp_places_identifier(const fp_places *places, uint64_t generation) {
  return places->identifiers + places->starts[generation - 1];
}

fp_options fp_compiling(const fp_options *options) {
  fp_options own, of_queries;
  fp_message ignored;
  if (options == NULL) {
    /* Queries use only the geometry of each place. A path is set because gates are refused without a path. */
    fp_options_read(NULL, 0, 0, &of_queries, &ignored);
    of_queries.path = FENCEPOST_PATH_GEODESIC;
    of_queries.max_gap_us = 1;
    options = &of_queries;
  }
  memset(&own, 0, sizeof own);
  own.policy = options->policy;
  own.assuming = options->assuming;
  own.path = options->path;
  own.max_gap_us = options->path == FENCEPOST_PATH_GEODESIC ? options->max_gap_us : 0;
  own.max_speed_mps = options->path == FENCEPOST_PATH_GEODESIC ? options->max_speed_mps : 0;
  own.max_time_step_us = options->max_time_step_us;
  own.plausible_speed_mps = options->plausible_speed_mps;
  own.corroboration_time_us = options->corroboration_time_us;
  own.corroboration_count = options->corroboration_count;
  own.accuracy_confidence = options->accuracy_confidence;
  own.order = options->order;
  return own;
}

void fp_set_trust(const fp_options *options, fencepost_options *out) {
  out->max_time_step_us = options->max_time_step_us;
  out->plausible_speed_mps = options->plausible_speed_mps;
  out->corroboration_time_us = options->corroboration_time_us;
  out->corroboration_count = options->corroboration_count;
  out->accuracy_confidence = options->accuracy_confidence;
  out->order = options->order;
}

/* Returns the compiled places with this digest, and adds a reference. */
static fp_places *find(const uint64_t marks[2], size_t size, const fp_options *options) {
  fp_places *found = NULL;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < KEPT && kept[i] != NULL; i++)
    if (kept[i]->digest[0] == marks[0] && kept[i]->digest[1] == marks[1] && kept[i]->size == size &&
        memcmp(&kept[i]->options, options, sizeof *options) == 0) {
      found = kept[i];
      memmove(kept + 1, kept, i * sizeof *kept);
      kept[0] = found;
      found->references++;
      break;
    }
  pthread_mutex_unlock(&lock);
  return found;
}

static void keep(fp_places *places) {
  pthread_mutex_lock(&lock);
  fp_places *oldest = kept[KEPT - 1];
  memmove(kept + 1, kept, (KEPT - 1) * sizeof *kept);
  kept[0] = places;
  places->references++;
  bool last = oldest != NULL && --oldest->references == 0;
  pthread_mutex_unlock(&lock);
  if (last) destroy(oldest);
}

fp_places *fp_places_begin(size_t count, const fp_options *options, fp_message *message) {
  fp_places *places = calloc(1, sizeof *places);
  fencepost_options own = FENCEPOST_MONITOR_OPTIONS_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (places == NULL || (places->starts = calloc(count + 1, sizeof *places->starts)) == NULL) {
    free(places);
    fp_no_memory(message);
    return NULL;
  }
  own.max_pending_events = 1000000000;
  own.path = options->path;
  own.max_gap_us = options->max_gap_us;
  own.max_speed_mps = options->max_speed_mps;
  fp_set_trust(options, &own);
  places->references = 1;
  places->count = count;
  memcpy(&places->options, options, sizeof *options);
  if (fencepost_monitor_create(NULL, &own, &places->monitor, &error) != FENCEPOST_OK ||
      fencepost_monitor_conditions(places->monitor, &places->table, &error) != FENCEPOST_OK) {
    fp_fail(message, "%s", error.message);
    destroy(places);
    return NULL;
  }
  return places;
}

/* The number of bytes that the engine may need during compilation for each byte of a value. */
enum {
  COMPILED_PER_BYTE = 24
};

/* Writes how the options of a value say that vertices are read. */
static void read_as(const fp_options *options, fencepost_condition_definition *out) {
  out->edges = options->shape.edges;
  out->oriented = options->shape.oriented;
  out->max_vertices = options->shape.max_vertices;
  out->buffer_m = options->shape.buffer_m;
}

/* Converts the options of a place to a timing. */
static bool time_it(const fp_options *own, fencepost_timing *out, fp_hours *hours, fp_message *message) {
  *out = (fencepost_timing)FENCEPOST_TIMING_INIT;
  out->active_until_us = own->timing.active_until_us;
  out->absent_after_us = own->timing.absent_after_us;
  out->repeat_every_us = own->timing.repeat_every_us;
  out->repeat_limit = own->timing.repeat_limit;
  out->max_events = own->timing.max_events;
  if (own->timing.active == NULL) return true;
  if (!fp_intervals_read(own->timing.active, own->timing.active_size, &hours->intervals, &hours->count, message))
    return false;
  out->active = hours->intervals;
  out->active_count = hours->count;
  return true;
}

static bool define_rule(const uint8_t *at, const fp_options *own, fencepost_condition_definition *out,
                        const char ***parts, fp_message *message) {
  static const uint32_t of_shapes = FP_OPTION_SHAPE | FP_OPTION_RADIUS | FP_OPTION_GATE | FP_OPTION_BAND;
  fp_message why;
  if (fp_get32(at + 12) > 0 || !isnan(fp_get_double(at + 16)))
    return fp_fail(message, "place \"%s\": a rule has no geometry: set it to NULL; the parts of a rule have geometries",
                   out->identifier);
  if (own->given & of_shapes)
    return fp_fail(
        message,
        "place \"%s\": the options edges, oriented, buffer, radius, gate and those of altitudes do not apply "
        "to rules; set them for the parts",
        out->identifier);
  if (!fp_parts_read(own->rule.parts, own->rule.parts_size, parts, &out->part_count, &why)) {
    fp_fail(message, "place \"%s\": the parts of the rule: %.400s", out->identifier, why.text);
    message->cause = why.cause;
    return false;
  }
  out->kind = FENCEPOST_CONDITION_RULE;
  out->parts = *parts;
  out->rule_form = own->rule.form;
  out->at_least = own->rule.at_least;
  return true;
}

/*
 * Converts a value that describes one place to a definition. The lengths that the value contains were already checked.
 * @param is_new  Whether the vertex limit applies.
 * @param timing  Receives the timing, if the place has one; `hours` receives its intervals for free().
 * @param parts   Receives the parts of a rule for free().
 */
static bool define(const uint8_t *at, const fp_options *of_replay, bool is_new, fencepost_condition_definition *out,
                   fencepost_transition_policy *policy, fencepost_timing *timing, fp_hours *hours, const char ***parts,
                   fp_message *message) {
  uint32_t identifier = fp_get32(at + 4), options = fp_get32(at + 8), geometry = fp_get32(at + 12);
  const char *text = (const char *)at + FP_PLACE + identifier + 1;
  const char *name = (const char *)at + FP_PLACE;
  fp_options own;
  fp_message why;
  if (!fp_options_read(text, options, FP_OPTIONS_OF_PLACES, &own, &why))
    return fp_fail(message, "place \"%s\": %s", name, why.text);
  *out = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
  out->identifier = name;
  *policy = (own.given & FP_OPTION_POLICY) ? own.policy : of_replay->policy;
  out->policy = policy;
  out->assuming = (own.given & FP_OPTION_ASSUMING) ? own.assuming : of_replay->assuming;
  if ((own.given & FP_OPTION_TIMING) && !time_it(&own, timing, hours, &why))
    return fp_fail(message, "place \"%s\": %.400s", name, why.text);
  if (own.given & FP_OPTION_TIMING) out->timing = timing;
  if (own.band.of_min != 0) out->altitude_min_m = own.band.min_m;
  if (own.band.of_max != 0) out->altitude_max_m = own.band.max_m;
  out->altitude_min_reference = own.band.of_min;
  out->altitude_max_reference = own.band.of_max;
  if (own.rule.parts != NULL) return define_rule(at, &own, out, parts, message);
  if (geometry == 0) {
    out->latitude = fp_get_double(at + 16);
    out->longitude = fp_get_double(at + 24);
    out->radius_m = fp_get_double(at + 32);
    if (own.gate || own.shape.buffer_m != 0 || own.shape.oriented)
      return fp_fail(message, "place \"%s\": the options gate, oriented and buffer do not apply to circles", name);
    return true;
  }
  out->wkb = text + options;
  out->wkb_size = geometry;
  read_as(&own, out);
  if (!is_new) out->max_vertices = 0;
  out->radius_m = own.radius_m;
  bool big = at[FP_PLACE + identifier + 1 + options] == 0;
  const uint8_t *type = (const uint8_t *)out->wkb + 1;
  uint32_t kind = geometry < 5 ? 0
                  : big        ? (uint32_t)type[0] << 24 | (uint32_t)type[1] << 16 | (uint32_t)type[2] << 8 | type[3]
                               : fp_get32(type);
  kind = (kind & 0x0fffffffu) % 1000;
  bool line = kind == 2 || kind == 5;
  if (own.gate) {
    if (!line || (own.given & FP_OPTION_RADIUS))
      return fp_fail(message, "place \"%s\": a gate is a line without a radius", name);
    if (of_replay->path != FENCEPOST_PATH_GEODESIC)
      return fp_fail(message, "place \"%s\" is a gate: its crossings need the option path=geodesic", name);
    out->kind = FENCEPOST_CONDITION_LINE_GEOGRAPHIC;
    out->policy = NULL;
    out->assuming = FENCEPOST_STATE_DEFAULT;
  } else if (line) {
    if (!(own.given & FP_OPTION_RADIUS))
      return fp_fail(message, "place \"%s\": a line needs the option radius (metres; a corridor) or gate=true", name);
    out->kind = FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC;
  } else {
    out->kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC;
    if (own.given & FP_OPTION_RADIUS)
      return fp_fail(message, "place \"%s\": a polygon has no radius; widen it with buffer (metres)", name);
  }
  return true;
}

bool fp_places_compile(fp_places *places, fencepost_conditions *table, const uint8_t *const *of_value, size_t size,
                       bool is_new, fp_message *message) {
  size_t count = places->count, used = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_condition_definition *definitions = malloc((count + 1) * sizeof *definitions);
  fencepost_transition_policy *policies = malloc((count + 1) * sizeof *policies);
  fencepost_timing *timings = malloc((count + 1) * sizeof *timings);
  const char ***parts = calloc(count + 1, sizeof *parts);
  places->hours = calloc(count + 1, sizeof *places->hours);
  bool has_timings = false;
  for (size_t i = 0; i < count; i++) used += fp_get32(of_value[i] + 4) + 1;
  places->identifiers = malloc(used + 1);
  bool good = definitions != NULL && policies != NULL && timings != NULL && parts != NULL && places->hours != NULL &&
              places->identifiers != NULL;
  if (!good) fp_no_memory(message);
  good = good && fp_headroom((1 << 20) + COMPILED_PER_BYTE * size, message);
  used = 0;
  for (size_t i = 0; i < count && good; i++) {
    good = define(of_value[i], &places->options, is_new, &definitions[i], &policies[i], &timings[i], &places->hours[i],
                  &parts[i], message) &&
           fp_rule_is_complete(&definitions[i], of_value, count, message);
    places->hours[i].assuming = good ? definitions[i].assuming : FENCEPOST_STATE_DEFAULT;
    has_timings |= good && definitions[i].timing != NULL;
    places->assumes |= good && definitions[i].assuming != FENCEPOST_STATE_UNSATISFIED;
    places->starts[i] = (uint32_t)used;
    memcpy(places->identifiers + used, of_value[i] + FP_PLACE, fp_get32(of_value[i] + 4) + 1);
    used += fp_get32(of_value[i] + 4) + 1;
  }
  fencepost_status status = FENCEPOST_OK;
  if (good && count > 0)
    status = fencepost_conditions_sync(table == NULL ? places->table : table, definitions, count, NULL, &error);
  if (status != FENCEPOST_OK) {
    const char *name = error.position < count ? definitions[error.position].identifier : "";
    const char *why = error.message, *after = strncmp(why, "row ", 4) == 0 ? strstr(why, ": ") : NULL;
    good = fp_fail(message, "place \"%s\": %s", name, after == NULL ? why : after + 2); /* the name replaces the row */
  }
  for (size_t i = 0; parts != NULL && i < count; i++) free(parts[i]);
  free(parts);
  free(definitions);
  free(policies);
  free(timings);
  if (!has_timings && good) {
    free(places->hours);
    places->hours = NULL;
  }
  return good;
}

bool fp_places_are(const fp_places *places, const void *bytes, size_t size) {
  const uint8_t *head = bytes;
  return size >= FP_HEAD && size == places->size && fp_get64(head + 8) == places->digest[0] &&
         fp_get64(head + 16) == places->digest[1];
}

bool fp_places_equal(const fp_places *a, const fp_places *b) {
  return a->size == b->size && memcmp(a->digest, b->digest, sizeof a->digest) == 0 &&
         memcmp(&a->options, &b->options, sizeof a->options) == 0;
}

fp_places *fp_places_get(const void *bytes, size_t size, const fp_options *options, fp_message *message) {
  return fp_places_read(bytes, size, options, false, message);
}

fp_places *fp_places_read(const void *bytes, size_t size, const fp_options *options, bool is_new, fp_message *message) {
  fp_options own = fp_compiling(options);
  const uint8_t *head = bytes;
  uint64_t marks[2] = {0, 0};
  if (size >= FP_HEAD && memcmp(head, fp_magic, 8) == 0) {
    marks[0] = fp_get64(head + 8);
    marks[1] = fp_get64(head + 16);
    fp_places *found = find(marks, size, &own);
    if (found != NULL) return found;
  }
  size_t count = 0;
  const uint8_t **of_value = fp_parts(bytes, size, &count, message);
  fp_places *places = of_value == NULL ? NULL : fp_places_begin(count, &own, message);
  if (places != NULL) {
    memcpy(places->digest, marks, sizeof marks);
    places->size = size;
    if (fp_places_compile(places, NULL, of_value, size, is_new, message)) {
      keep(places);
    } else {
      fp_places_release(places);
      places = NULL;
    }
  }
  free(of_value);
  return places;
}

fp_places *fp_shape_get(const void *geometry, size_t size, const fp_options *options, fp_message *message) {
  fp_options own = fp_compiling(NULL);
  const uint8_t *bytes = geometry;
  double latitude = 0, longitude = 0;
  uint64_t marks[2];
  uint32_t srid;
  if (!fp_skip_head(&bytes, &size, message)) return NULL;
  if (size == 0) {
    fp_fail(message, "the geometry is empty; must be WKB, EWKB or a GeoPackage blob");
    return NULL;
  }
  own.shape = options->shape;
  own.radius_m = options->radius_m;
  own.gate = 2; /* these options do not include the options of a replay */
  fp_digest(bytes, size, marks);
  fp_places *found = find(marks, size, &own);
  if (found != NULL) return found;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fp_places *places = fp_places_begin(1, &own, message);
  if (places == NULL) return NULL;
  memcpy(places->digest, marks, sizeof marks);
  places->size = size;
  fencepost_status status;
  bool has_radius = options->given & FP_OPTION_RADIUS;
  if (fp_point(bytes, size, &latitude, &longitude, &srid)) {
    if (!fp_check_srid(srid, message)) {
      fp_places_release(places);
      return NULL;
    }
    status = !has_radius ? FENCEPOST_E_INVALID_ARGUMENT
                         : fencepost_monitor_add_circular_condition(places->monitor, "shape", latitude, longitude,
                                                                    options->radius_m, NULL, &error);
    if (!has_radius) fp_fail(message, "a point needs the option radius, as in radius=150 (metres)");
  } else {
    fencepost_condition_definition shape = fencepost_wkb("shape", size > 0 ? bytes : NULL, size, options->radius_m);
    read_as(&own, &shape);
    status = fencepost_conditions_add(places->table, &shape, 1, &error);
    if (status == FENCEPOST_E_INVALID_ARGUMENT && !has_radius && strstr(error.message, "radius") != NULL) {
      fp_fail(message, "a line needs the option radius, as in radius=50 (metres)");
      fp_places_release(places);
      return NULL;
    }
  }
  if (status != FENCEPOST_OK) {
    if (error.message[0] != 0) fp_fail(message, "%s", error.message);
    fp_places_release(places);
    return NULL;
  }
  keep(places);
  return places;
}

fencepost_status fp_containing_at(const fp_places *places, double latitude, double longitude, const fp_height *height,
                                  int64_t time_us, uint64_t *out_generations, double *out_distances_m, size_t capacity,
                                  size_t *out_count, fencepost_error *error) {
  if (isnan(height->altitude_m) && time_us == FENCEPOST_TIME_UNSET)
    return fencepost_conditions_containing(places->table, latitude, longitude, out_generations, out_distances_m,
                                           capacity, out_count, error);
  int64_t offsets[2];
  fencepost_point_columns point = FENCEPOST_POINT_COLUMNS_INIT;
  point.latitudes = &latitude;
  point.longitudes = &longitude;
  point.altitudes_m = &height->altitude_m;
  point.geoid_heights_m = &height->geoid_m;
  point.ground_heights_m = &height->ground_m;
  point.times_us = &time_us;
  return fencepost_conditions_containing_columns(places->table, &point, 1, offsets, out_generations, out_distances_m,
                                                 capacity, out_count, error);
}

bool fp_shape_distance(const fp_places *shape, double latitude, double longitude, double *out_m, fp_message *message) {
  uint64_t generation;
  size_t count = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (fencepost_conditions_nearest(shape->table, latitude, longitude, 1, &generation, out_m, &count, &error) !=
      FENCEPOST_OK)
    return fp_fail(message, "%s", error.message);
  if (count == 1) return true;
  return fp_fail(message, "the shape has no boundary");
}

bool fp_shape_probability(const fp_places *shape, double latitude, double longitude, double accuracy_m,
                          const fp_ellipse *ellipse, double confidence, double *out, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_measured_columns columns = FENCEPOST_MEASURED_COLUMNS_INIT;
  columns.latitudes = &latitude;
  columns.longitudes = &longitude;
  columns.accuracies_m = &accuracy_m;
  if (!fp_ellipse_check(ellipse, message)) return false;
  if (fp_is_ellipse(ellipse)) {
    columns.majors_m = &ellipse->major_m;
    columns.minors_m = &ellipse->minor_m;
    columns.orientations = &ellipse->orientation;
  }
  return fencepost_conditions_probability(shape->table, "shape", &columns, 1, confidence, out, &error) ==
             FENCEPOST_OK ||
         fp_fail(message, "%s", error.message);
}
