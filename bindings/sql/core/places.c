#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

/*
 * The value: 40 bytes of head, then the places, sorted by identifier. Numbers are little-endian.
 *   head   magic "FPPLACE1", digest of what follows the head (16 bytes), bytes after the head (8), places (8)
 *   place  its bytes (4), identifier's (4), options' (4), geometry's (4), latitude, longitude, radius (8 each), identifier,
 *          0, options, geometry. Without a geometry it is a circle.
 */
enum {
  HEAD = 40,
  PLACE = 40
};
static const char magic[8] = {'F', 'P', 'P', 'L', 'A', 'C', 'E', '1'};
static const uint64_t most_bytes = 1u << 30;

static uint32_t get32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static uint64_t get64(const uint8_t *at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }
static double get_double(const uint8_t *at) {
  uint64_t bits = get64(at);
  double value;
  memcpy(&value, &bits, 8);
  return value;
}
static void put32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}
static void put64(uint8_t *at, uint64_t value) {
  for (int i = 0; i < 8; i++) at[i] = (uint8_t)(value >> 8 * i);
}
static void put_double(uint8_t *at, double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  put64(at, bits);
}

/* Two lanes of multiply and fold. Tells values apart; a value that somebody forged is that somebody's own. */
static void digest(const uint8_t *bytes, size_t size, uint64_t out[2]) {
  uint64_t a = 0x9e3779b97f4a7c15u ^ size, b = 0xc2b2ae3d27d4eb4fu + size;
  for (size_t at = 0; at < size; at += 8) {
    uint8_t tail[8] = {0};
    uint64_t word;
    if (size - at >= 8) {
      word = get64(bytes + at);
    } else {
      memcpy(tail, bytes + at, size - at);
      word = get64(tail);
    }
    a = (a ^ word) * 0xff51afd7ed558ccdu;
    a ^= a >> 32;
    b = (b + word) * 0x9fb21c651e98df25u;
    b ^= b >> 29;
  }
  out[0] = a ^ b >> 31;
  out[1] = b ^ a << 7;
}

/* ------------------------------------------------------------------------------------------ builder */

static bool check_identifier(const char *identifier, size_t size, fp_message *message) {
  if (size >= 1 && size <= FENCEPOST_IDENTIFIER_MAX && memchr(identifier, 0, size) == NULL) return true;
  return fp_fail(message, "identifier \"%.*s\" has %zu bytes or a zero byte; accepted are 1 to %d bytes of UTF-8",
                 (int)(size < 40 ? size : 40), identifier, size, FENCEPOST_IDENTIFIER_MAX);
}

static bool reserve(fp_builder *builder, size_t more, fp_message *message) {
  size_t needed = builder->size + more;
  if (more > most_bytes || needed > most_bytes)
    return fp_fail(message, "the places have more than 1 GiB; split them into several sets");
  if (needed <= builder->capacity) return true;
  size_t capacity = builder->capacity * 2 > needed ? builder->capacity * 2 : needed + 256;
  uint8_t *bytes = fp_reallocate(builder->bytes, capacity);
  if (bytes == NULL) return fp_fail(message, "out of memory");
  builder->bytes = bytes;
  builder->capacity = capacity;
  return true;
}

static bool append(fp_builder *builder, const char *identifier, size_t identifier_size, double latitude,
                   double longitude, double radius_m, const char *options, size_t options_size, const void *geometry,
                   size_t size, fp_message *message) {
  if (options_size > 10000)
    return fp_fail(message, "place \"%.*s\": options of more than 10 000 bytes", (int)identifier_size, identifier);
  if (size > most_bytes)
    return fp_fail(message, "place \"%.*s\": a geometry of more than 1 GiB", (int)identifier_size, identifier);
  size_t bytes = PLACE + identifier_size + 1 + options_size + size;
  if (!reserve(builder, bytes, message)) return false;
  uint8_t *at = builder->bytes + builder->size;
  put32(at, (uint32_t)bytes);
  put32(at + 4, (uint32_t)identifier_size);
  put32(at + 8, (uint32_t)options_size);
  put32(at + 12, (uint32_t)size);
  put_double(at + 16, latitude);
  put_double(at + 24, longitude);
  put_double(at + 32, radius_m);
  memcpy(at + PLACE, identifier, identifier_size);
  at[PLACE + identifier_size] = 0;
  if (options_size > 0) memcpy(at + PLACE + identifier_size + 1, options, options_size);
  if (size > 0) memcpy(at + PLACE + identifier_size + 1 + options_size, geometry, size);
  builder->size += bytes;
  builder->count++;
  return true;
}

bool fp_builder_circle(fp_builder *builder, const char *identifier, size_t identifier_size, double latitude,
                       double longitude, double radius_m, const char *options, size_t options_size,
                       fp_message *message) {
  return check_identifier(identifier, identifier_size, message) &&
         append(builder, identifier, identifier_size, latitude, longitude, radius_m, options, options_size, NULL, 0,
                message);
}

/* Skips the head that GeoPackage puts before WKB (OGC 12-128r19, 2.1.3). */
static bool skip_head(const uint8_t **bytes, size_t *size, fp_message *message) {
  const uint8_t *at = *bytes;
  static const size_t envelopes[] = {0, 32, 48, 48, 64};
  if (*size < 8 || at[0] != 'G' || at[1] != 'P') return true;
  unsigned kind = at[3] >> 1 & 7;
  if (at[2] != 0 || kind > 4 || *size < 8 + envelopes[kind])
    return fp_fail(message, "a GeoPackage blob of version %d with a damaged head; accepted is version 0", at[2]);
  if (at[3] & 0x20) return fp_fail(message, "an extended GeoPackage geometry; accepted are standard ones");
  uint32_t srs =
      (at[3] & 1) ? get32(at + 4) : (uint32_t)at[4] << 24 | (uint32_t)at[5] << 16 | (uint32_t)at[6] << 8 | at[7];
  if (srs != 4326 && srs != 0 && srs != UINT32_MAX)
    return fp_fail(message, "the geometry has the coordinate system %d; transform it to EPSG:4326", (int)srs);
  *bytes += 8 + envelopes[kind];
  *size -= 8 + envelopes[kind];
  return true;
}

/* A point of WKB or EWKB. */
static bool point(const uint8_t *at, size_t size, double *latitude, double *longitude) {
  if (size < 21 || at[0] > 1) return false;
  bool little = at[0] == 1;
  uint32_t type = little ? get32(at + 1) : (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
  size_t start = 5 + ((type & 0x20000000u) ? 4 : 0);
  if ((type & 0x0fffffffu) % 1000 != 1 || size < start + 16) return false;
  uint8_t numbers[16];
  for (size_t i = 0; i < 16; i++) numbers[i] = at[start + (little ? i : (i & 8) + 7 - (i & 7))];
  *longitude = get_double(numbers);
  *latitude = get_double(numbers + 8);
  return true;
}

bool fp_builder_geometry(fp_builder *builder, const char *identifier, size_t identifier_size, const void *geometry,
                         size_t size, const char *options, size_t options_size, fp_message *message) {
  const uint8_t *bytes = geometry;
  double latitude = 0, longitude = 0;
  if (!check_identifier(identifier, identifier_size, message)) return false;
  if (!skip_head(&bytes, &size, message)) return false;
  if (size == 0) return fp_fail(message, "the geometry is empty; accepted is WKB, EWKB or a GeoPackage blob");
  if (point(bytes, size, &latitude, &longitude)) {
    fp_options read;
    if (!fp_options_read(options, options_size, FP_OPTIONS_OF_PLACES, &read, message)) return false;
    if (!(read.given & FP_OPTION_RADIUS))
      return fp_fail(message, "a point needs the option radius, as in radius=150 (metres)");
    return append(builder, identifier, identifier_size, latitude, longitude, read.radius_m, options, options_size, NULL,
                  0, message);
  }
  return append(builder, identifier, identifier_size, NAN, NAN, NAN, options, options_size, bytes, size, message);
}

bool fp_builder_merge(fp_builder *builder, const fp_builder *other, fp_message *message) {
  if (other->size == 0) return true;
  if (!reserve(builder, other->size, message)) return false;
  memcpy(builder->bytes + builder->size, other->bytes, other->size);
  builder->size += other->size;
  builder->count += other->count;
  return true;
}

static int by_identifier(const void *a, const void *b) {
  const uint8_t *x = *(const uint8_t *const *)a, *y = *(const uint8_t *const *)b;
  return strcmp((const char *)x + PLACE, (const char *)y + PLACE);
}

bool fp_builder_finish(fp_builder *builder, uint8_t **out_bytes, size_t *out_size, fp_message *message) {
  size_t count = builder->count;
  uint8_t *bytes = fp_reallocate(NULL, HEAD + builder->size);
  const uint8_t **places = bytes == NULL ? NULL : fp_reallocate(NULL, (count + 1) * sizeof *places);
  if (places == NULL) {
    if (bytes != NULL) fp_release(bytes);
    return fp_fail(message, "out of memory");
  }
  size_t at = 0, size = HEAD;
  for (size_t i = 0; i < count; i++) {
    places[i] = builder->bytes + at;
    at += get32(places[i]);
  }
  qsort(places, count, sizeof *places, by_identifier);
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    if (i > 0 && by_identifier(&places[i - 1], &places[i]) == 0)
      good = fp_fail(message, "two places have the identifier \"%s\"; identifiers must differ",
                     (const char *)places[i] + PLACE);
    memcpy(bytes + size, places[i], get32(places[i]));
    size += get32(places[i]);
  }
  fp_release(places);
  uint64_t marks[2];
  digest(bytes + HEAD, size - HEAD, marks);
  memcpy(bytes, magic, 8);
  put64(bytes + 8, marks[0]);
  put64(bytes + 16, marks[1]);
  put64(bytes + 24, size - HEAD);
  put64(bytes + 32, count);
  fp_places *compiled = good ? fp_places_get(bytes, size, NULL, message) : NULL;
  if (compiled == NULL) {
    fp_release(bytes);
    return false;
  }
  fp_places_release(compiled);
  *out_bytes = bytes;
  *out_size = size;
  return true;
}

void fp_builder_clear(fp_builder *builder) {
  if (builder->bytes != NULL) fp_release(builder->bytes);
  *builder = (fp_builder){0};
}

/* ----------------------------------------------------------------------------------------- compiled */

struct fp_places {
  uint64_t digest[2];
  size_t size;
  fp_options options; /* of the replays it was compiled for */
  fencepost_monitor *monitor;
  size_t count;
  char *identifiers;   /* each with its zero */
  uint32_t *starts;    /* of each identifier */
  uint32_t references; /* under `lock` */
  bool assumes;        /* a place has an assumed state of its own */
};

/* The places that were used last stay compiled: as many as a query may name. */
enum {
  KEPT = 16
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fp_places *kept[KEPT]; /* the last used first; each holds a reference */

static void destroy(fp_places *places) {
  fencepost_monitor_destroy(places->monitor);
  free(places->identifiers);
  free(places->starts);
  free(places);
}

void fp_places_release(fp_places *places) {
  if (places == NULL) return;
  pthread_mutex_lock(&lock);
  bool last = --places->references == 0;
  pthread_mutex_unlock(&lock);
  if (last) destroy(places);
}

fencepost_monitor *fp_places_monitor(const fp_places *places) { return places->monitor; }
size_t fp_places_count(const fp_places *places) { return places->count; }
bool fp_places_assume(const fp_places *places) { return places->assumes; }
const char *fp_places_identifier(const fp_places *places, uint64_t generation) {
  return places->identifiers + places->starts[generation - 1];
}

/* What of the options takes part in compiling. */
static fp_options compiling(const fp_options *options) {
  fp_options own;
  fp_message ignored;
  memset(&own, 0, sizeof own);
  if (options != NULL) {
    own.policy = options->policy;
    own.assuming = options->assuming;
    own.path = options->path;
    own.max_gap_us = options->path == FENCEPOST_PATH_GEODESIC ? options->max_gap_us : 0;
    own.max_speed_mps = options->path == FENCEPOST_PATH_GEODESIC ? options->max_speed_mps : 0;
    own.max_time_step_us = options->max_time_step_us;
    return own;
  }
  /* Questions are geometry: a path, so that gates are accepted. */
  fp_options defaults;
  fp_options_read(NULL, 0, 0, &defaults, &ignored);
  own.policy = defaults.policy;
  own.assuming = defaults.assuming;
  own.path = FENCEPOST_PATH_GEODESIC;
  own.max_gap_us = 1;
  return own;
}

/* Compiled places of a digest, with a reference. */
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

static fp_places *begin(size_t count, const fp_options *options, fp_message *message) {
  fp_places *places = calloc(1, sizeof *places);
  fencepost_monitor_options own = FENCEPOST_MONITOR_OPTIONS_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (places == NULL || (places->starts = calloc(count + 1, sizeof *places->starts)) == NULL) {
    free(places);
    fp_fail(message, "out of memory");
    return NULL;
  }
  own.initial_fix_max_age_us = -1;
  own.max_pending_events = 1000000000;
  own.path = options->path;
  own.max_gap_us = options->max_gap_us;
  own.max_speed_mps = options->max_speed_mps;
  own.max_time_step_us = options->max_time_step_us;
  places->references = 1;
  places->count = count;
  memcpy(&places->options, options, sizeof *options);
  if (fencepost_monitor_create(NULL, &own, &places->monitor, &error) != FENCEPOST_OK) {
    fp_fail(message, "%s", error.message);
    destroy(places);
    return NULL;
  }
  return places;
}

/* What a definition points to. */
typedef struct pointed {
  fencepost_condition_options options;
  fencepost_transition_policy policy;
  fencepost_shape_options shape;
} pointed;

/* Reads one place of a value into a definition. The value's lengths were checked. */
static bool define(const uint8_t *at, const fp_options *of_replay, fencepost_condition_definition *out,
                   pointed *pointed, fp_message *message) {
  uint32_t identifier = get32(at + 4), options = get32(at + 8), geometry = get32(at + 12);
  const char *text = (const char *)at + PLACE + identifier + 1;
  const char *name = (const char *)at + PLACE;
  fp_options own;
  fp_message why;
  if (!fp_options_read(text, options, FP_OPTIONS_OF_PLACES, &own, &why))
    return fp_fail(message, "place \"%s\": %s", name, why.text);
  *out = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
  out->identifier = name;
  pointed->options = (fencepost_condition_options)FENCEPOST_CONDITION_OPTIONS_INIT;
  pointed->policy = (own.given & FP_OPTION_POLICY) ? own.policy : of_replay->policy;
  pointed->shape = own.shape;
  pointed->options.policy = &pointed->policy;
  pointed->options.assuming = (own.given & FP_OPTION_ASSUMING) ? own.assuming : of_replay->assuming;
  out->options = &pointed->options;
  if (geometry == 0) {
    out->latitude = get_double(at + 16);
    out->longitude = get_double(at + 24);
    out->radius_m = get_double(at + 32);
    if (own.gate || own.shape.buffer_m != 0 || own.shape.oriented)
      return fp_fail(message, "place \"%s\": a circle has no gate, orientation or buffer", name);
    return true;
  }
  out->wkb = text + options;
  out->wkb_size = geometry;
  out->shape = &pointed->shape;
  out->radius_m = own.radius_m;
  bool big = at[PLACE + identifier + 1 + options] == 0;
  const uint8_t *type = (const uint8_t *)out->wkb + 1;
  uint32_t kind = geometry < 5 ? 0
                  : big        ? (uint32_t)type[0] << 24 | (uint32_t)type[1] << 16 | (uint32_t)type[2] << 8 | type[3]
                               : get32(type);
  kind = (kind & 0x0fffffffu) % 1000;
  bool line = kind == 2 || kind == 5;
  if (own.gate) {
    if (!line || (own.given & FP_OPTION_RADIUS))
      return fp_fail(message, "place \"%s\": a gate is a line without a radius", name);
    if (of_replay->path != FENCEPOST_PATH_GEODESIC)
      return fp_fail(message, "place \"%s\" is a gate: its crossings need the option path=geodesic", name);
    out->kind = FENCEPOST_CONDITION_LINE_GEOGRAPHIC;
    out->options = NULL;
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

/* Checks the lengths of a value and gives the place of each of its places, or NULL. */
static const uint8_t **parts(const uint8_t *bytes, size_t size, size_t *out_count, fp_message *message) {
  static const char refused[] = "the value is not a set of places, as fp_places() gives it, or is damaged at byte %zu";
  uint64_t count = 0, marks[2];
  if (size < HEAD || memcmp(bytes, magic, 8) != 0 || get64(bytes + 24) != size - HEAD ||
      (count = get64(bytes + 32)) > (size - HEAD) / PLACE) {
    fp_fail(message, refused, (size_t)0);
    return NULL;
  }
  digest(bytes + HEAD, size - HEAD, marks);
  if (marks[0] != get64(bytes + 8) || marks[1] != get64(bytes + 16)) {
    fp_fail(message, refused, (size_t)8);
    return NULL;
  }
  const uint8_t **places = malloc((count + 1) * sizeof *places);
  if (places == NULL) {
    fp_fail(message, "out of memory");
    return NULL;
  }
  size_t at = HEAD;
  for (size_t i = 0; i < count; i++) {
    uint64_t left = size - at, identifier, whole;
    const uint8_t *place = bytes + at;
    if (left < PLACE + 2 || (whole = get32(place)) > left || (identifier = get32(place + 4)) < 1 ||
        identifier > FENCEPOST_IDENTIFIER_MAX ||
        whole != PLACE + identifier + 1 + (uint64_t)get32(place + 8) + get32(place + 12) ||
        memchr(place + PLACE, 0, identifier + 1) != place + PLACE + identifier ||
        (i > 0 && by_identifier(&places[i - 1], &place) >= 0)) {
      fp_fail(message, refused, at);
      free(places);
      return NULL;
    }
    places[i] = place;
    at += whole;
  }
  if (at != size) {
    fp_fail(message, refused, at);
    free(places);
    return NULL;
  }
  *out_count = count;
  return places;
}

/* Adds the places of a value to a monitor, or to a table of fleets. */
static bool compile(fp_places *places, fencepost_conditions *table, const uint8_t *const *of_value,
                    fp_message *message) {
  size_t count = places->count, used = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_condition_definition *definitions = malloc((count + 1) * sizeof *definitions);
  pointed *more = malloc((count + 1) * sizeof *more);
  for (size_t i = 0; i < count; i++) used += get32(of_value[i] + 4) + 1;
  places->identifiers = malloc(used + 1);
  bool good = definitions != NULL && more != NULL && places->identifiers != NULL;
  if (!good) fp_fail(message, "out of memory");
  used = 0;
  for (size_t i = 0; i < count && good; i++) {
    good = define(of_value[i], &places->options, &definitions[i], &more[i], message);
    places->assumes |= good && more[i].options.assuming != FENCEPOST_STATE_UNSATISFIED;
    places->starts[i] = (uint32_t)used;
    memcpy(places->identifiers + used, of_value[i] + PLACE, get32(of_value[i] + 4) + 1);
    used += get32(of_value[i] + 4) + 1;
  }
  fencepost_status status = FENCEPOST_OK;
  if (good && count > 0)
    status = table == NULL ? fencepost_monitor_sync_conditions(places->monitor, definitions, count, NULL, &error)
                           : fencepost_conditions_sync(table, definitions, count, NULL, &error);
  if (status != FENCEPOST_OK) {
    const char *name = error.position < count ? definitions[error.position].identifier : "";
    good = fp_fail(message, "place \"%s\": %s", name, error.message);
  }
  free(definitions);
  free(more);
  return good;
}

bool fp_places_are(const fp_places *places, const void *bytes, size_t size) {
  const uint8_t *head = bytes;
  return size >= HEAD && size == places->size && get64(head + 8) == places->digest[0] &&
         get64(head + 16) == places->digest[1];
}

bool fp_places_equal(const fp_places *a, const fp_places *b) {
  return a->size == b->size && memcmp(a->digest, b->digest, sizeof a->digest) == 0 &&
         memcmp(&a->options, &b->options, sizeof a->options) == 0;
}

fp_places *fp_places_get(const void *bytes, size_t size, const fp_options *options, fp_message *message) {
  fp_options own = compiling(options);
  const uint8_t *head = bytes;
  uint64_t marks[2] = {0, 0};
  if (size >= HEAD && memcmp(head, magic, 8) == 0) {
    marks[0] = get64(head + 8);
    marks[1] = get64(head + 16);
    fp_places *found = find(marks, size, &own);
    if (found != NULL) return found;
  }
  size_t count = 0;
  const uint8_t **of_value = parts(bytes, size, &count, message);
  fp_places *places = of_value == NULL ? NULL : begin(count, &own, message);
  if (places != NULL) {
    memcpy(places->digest, marks, sizeof marks);
    places->size = size;
    if (compile(places, NULL, of_value, message)) {
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
  fp_options own = compiling(NULL);
  const uint8_t *bytes = geometry;
  double latitude = 0, longitude = 0;
  uint64_t marks[2];
  if (!skip_head(&bytes, &size, message)) return NULL;
  own.shape = options->shape;
  own.radius_m = options->radius_m;
  own.gate = 2; /* no options of a replay */
  digest(bytes, size, marks);
  fp_places *found = find(marks, size, &own);
  if (found != NULL) return found;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fp_places *places = begin(1, &own, message);
  if (places == NULL) return NULL;
  memcpy(places->digest, marks, sizeof marks);
  places->size = size;
  fencepost_status status;
  bool has_radius = options->given & FP_OPTION_RADIUS;
  if (point(bytes, size, &latitude, &longitude)) {
    status = !has_radius ? FENCEPOST_E_INVALID_ARGUMENT
                         : fencepost_monitor_add_circular_condition(places->monitor, "shape", latitude, longitude,
                                                                    options->radius_m, NULL, &error);
    if (!has_radius) fp_fail(message, "a point needs the option radius, as in radius=150 (metres)");
  } else {
    status = fencepost_monitor_add_wkb_condition(places->monitor, "shape", size > 0 ? bytes : NULL, size,
                                                 options->radius_m, &own.shape, NULL, &error);
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

bool fp_shape_distance(const fp_places *shape, double latitude, double longitude, double *out_m, fp_message *message) {
  uint64_t generation;
  size_t count = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (fencepost_monitor_nearest(shape->monitor, latitude, longitude, 1, &generation, out_m, &count, &error) !=
      FENCEPOST_OK)
    return fp_fail(message, "%s", error.message);
  if (count == 1) return true;
  return fp_fail(message, "the shape has no boundary");
}

/* ------------------------------------------------------------------------------------------- fleets */

struct fp_fleet {
  fencepost_conditions *table;
  fencepost_fleet *fleet;
  uint8_t *state;
  size_t state_capacity;
  fencepost_fleet_event *polled;
  fencepost_event *events;
  size_t event_capacity;
};

void fp_fleet_destroy(fp_fleet *fleet) {
  if (fleet == NULL) return;
  fencepost_fleet_destroy(fleet->fleet);
  fencepost_conditions_destroy(fleet->table);
  free(fleet->state);
  free(fleet->polled);
  free(fleet->events);
  free(fleet);
}

fp_fleet *fp_fleet_create(const void *bytes, size_t size, const fp_options *options, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_fleet_options own = FENCEPOST_FLEET_OPTIONS_INIT;
  fp_options compiled = compiling(options);
  size_t count = 0;
  const uint8_t **of_value = parts(bytes, size, &count, message);
  fp_places *places = of_value == NULL ? NULL : begin(count, &compiled, message);
  fp_fleet *fleet = places == NULL ? NULL : calloc(1, sizeof *fleet);
  own.max_time_step_us = options->max_time_step_us;
  bool good = fleet != NULL;
  if (places != NULL && fleet == NULL) fp_fail(message, "out of memory");
  if (good && fencepost_conditions_create(&fleet->table, &error) != FENCEPOST_OK)
    good = fp_fail(message, "%s", error.message);
  good = good && compile(places, fleet->table, of_value, message);
  if (good && fencepost_fleet_create(fleet->table, &own, &fleet->fleet, &error) != FENCEPOST_OK)
    good = fp_fail(message, "%s", error.message);
  fp_places_release(places);
  free(of_value);
  if (good) return fleet;
  fp_fleet_destroy(fleet);
  return NULL;
}

/* Enters the device, with its state if there is one. */
static fencepost_status enter(fp_fleet *fleet, const fp_input *input, uint32_t *device, fencepost_error *error) {
  if (input->state == NULL) return fencepost_fleet_devices(fleet->fleet, &input->device, 1, 1, device, error);
  const uint64_t offsets[] = {0, input->state_size};
  return fencepost_fleet_import_devices(fleet->fleet, &input->device, input->state, offsets, 1, 1, device, error);
}

static bool take_events(fp_fleet *fleet, fp_outcome *out, fencepost_error *error, fp_message *message) {
  fencepost_fleet_statistics statistics = FENCEPOST_FLEET_STATISTICS_INIT;
  out->count = 0;
  if (fencepost_fleet_get_statistics(fleet->fleet, &statistics, error) != FENCEPOST_OK)
    return fp_fail(message, "%s", error->message);
  size_t waiting = statistics.pending_events;
  if (waiting > fleet->event_capacity) {
    fencepost_fleet_event *polled = realloc(fleet->polled, waiting * sizeof *polled);
    if (polled != NULL) fleet->polled = polled;
    fencepost_event *events = polled == NULL ? NULL : realloc(fleet->events, waiting * sizeof *events);
    if (events == NULL) return fp_fail(message, "out of memory");
    fleet->events = events;
    fleet->event_capacity = waiting;
  }
  if (waiting == 0) return true;
  if (fencepost_fleet_poll_events(fleet->fleet, fleet->polled, waiting, &out->count, error) != FENCEPOST_OK ||
      fencepost_fleet_acknowledge(fleet->fleet, error) != FENCEPOST_OK)
    return fp_fail(message, "%s", error->message);
  for (size_t i = 0; i < out->count; i++) fleet->events[i] = fleet->polled[i].event;
  out->events = fleet->events;
  return true;
}

static bool take_state(fp_fleet *fleet, uint32_t device, fp_outcome *out, fencepost_error *error, fp_message *message) {
  fencepost_status status = FENCEPOST_E_BUFFER_TOO_SMALL;
  while (true) {
    status = fencepost_fleet_export_devices(fleet->fleet, &device, 1, 1, fleet->state, fleet->state_capacity, NULL,
                                            &out->state_size, error);
    if (status == FENCEPOST_OK && out->state_size <= fleet->state_capacity) break;
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) return fp_fail(message, "%s", error->message);
    uint8_t *state = realloc(fleet->state, out->state_size * 2);
    if (state == NULL) return fp_fail(message, "out of memory");
    fleet->state = state;
    fleet->state_capacity = out->state_size * 2;
  }
  out->state = fleet->state;
  return true;
}

bool fp_fleet_take(fp_fleet *fleet, const fp_input *input, fp_outcome *out, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  uint32_t device = 0;
  *out = (fp_outcome){.state = input->state, .state_size = input->state_size};
  if (enter(fleet, input, &device, &error) != FENCEPOST_OK)
    return fp_fail(message, "device \"%.60s\": %.400s", input->device, error.message);
  out->status = input->is_fix ? fencepost_fleet_feed_fix(fleet->fleet, device, &input->fix, &error)
                              : fencepost_fleet_advance_device(fleet->fleet, device, input->fix.time_us, &error);
  bool good = true;
  if (out->status == FENCEPOST_OK)
    good = take_events(fleet, out, &error, message) && take_state(fleet, device, out, &error, message);
  else
    good = fp_fail(message, "device \"%.60s\": %.400s", input->device, error.message) ||
           out->status == FENCEPOST_E_LATE_INPUT || out->status == FENCEPOST_E_AHEAD_OF_CLOCK;
  fencepost_error ignored = FENCEPOST_ERROR_INIT;
  fencepost_fleet_remove_device(fleet->fleet, device, 1, &ignored);
  return good;
}
