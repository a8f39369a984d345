#include <math.h>
#include <stdlib.h>
#include "value.h"

const char fp_magic[8] = {'F', 'P', 'P', 'L', 'A', 'C', 'E', '1'};
static const uint64_t most_bytes = 1u << 30;

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

/* Computes a digest with two 64-bit accumulators; every 8 bytes are combined with each accumulator, which is then
   multiplied. */
void fp_digest(const uint8_t *bytes, size_t size, uint64_t out[2]) {
  uint64_t a = 0x9e3779b97f4a7c15u ^ size, b = 0xc2b2ae3d27d4eb4fu + size;
  for (size_t at = 0; at < size; at += 8) {
    uint8_t tail[8] = {0};
    uint64_t word;
    if (size - at >= 8) {
      word = fp_get64(bytes + at);
    } else {
      memcpy(tail, bytes + at, size - at);
      word = fp_get64(tail);
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
  return fp_fail(message, "identifier \"%.*s\" has %zu bytes or contains a zero byte; must have 1 to %d bytes of UTF-8",
                 (int)(size < 40 ? size : 40), identifier, size, FENCEPOST_IDENTIFIER_MAX);
}

static bool reserve(fp_builder *builder, size_t more, fp_message *message) {
  size_t needed = builder->size + more;
  if (more > most_bytes || needed > most_bytes)
    return fp_fail(message, "the places have more than 1 GiB; split them into several sets");
  if (needed <= builder->capacity) return true;
  size_t capacity = builder->capacity * 2 > needed ? builder->capacity * 2 : needed + 256;
  uint8_t *bytes = fp_reallocate(builder->bytes, capacity);
  if (bytes == NULL) return fp_no_memory(message);
  builder->bytes = bytes;
  builder->capacity = capacity;
  return true;
}

static bool append(fp_builder *builder, const char *identifier, size_t identifier_size, double latitude,
                   double longitude, double radius_m, const char *options, size_t options_size, const void *geometry,
                   size_t size, fp_message *message) {
  if (options_size > 1000000) /* 10 000 intervals have about 500 000 bytes */
    return fp_fail(message, "place \"%.*s\": the options have more than 1 000 000 bytes", (int)identifier_size,
                   identifier);
  if (size > most_bytes)
    return fp_fail(message, "place \"%.*s\": the geometry has more than 1 GiB", (int)identifier_size, identifier);
  size_t bytes = FP_PLACE + identifier_size + 1 + options_size + size;
  if (!reserve(builder, bytes, message)) return false;
  uint8_t *at = builder->bytes + builder->size;
  put32(at, (uint32_t)bytes);
  put32(at + 4, (uint32_t)identifier_size);
  put32(at + 8, (uint32_t)options_size);
  put32(at + 12, (uint32_t)size);
  put_double(at + 16, latitude);
  put_double(at + 24, longitude);
  put_double(at + 32, radius_m);
  memcpy(at + FP_PLACE, identifier, identifier_size);
  at[FP_PLACE + identifier_size] = 0;
  if (options_size > 0) memcpy(at + FP_PLACE + identifier_size + 1, options, options_size);
  if (size > 0) memcpy(at + FP_PLACE + identifier_size + 1 + options_size, geometry, size);
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

bool fp_builder_rule(fp_builder *builder, const char *identifier, size_t identifier_size, const char *options,
                     size_t options_size, fp_message *message) {
  fp_options read;
  if (!check_identifier(identifier, identifier_size, message) ||
      !fp_options_read(options, options_size, FP_OPTIONS_OF_PLACES, &read, message))
    return false;
  if (read.rule.parts == NULL)
    return fp_fail(
        message,
        "the geometry is NULL, and the options do not make the place a rule, as in all=yard; dock; skip rows "
        "without a geometry with WHERE or FILTER");
  return append(builder, identifier, identifier_size, NAN, NAN, NAN, options, options_size, NULL, 0, message);
}

bool fp_skip_head(const uint8_t **bytes, size_t *size, fp_message *message) {
  const uint8_t *at = *bytes;
  static const size_t envelopes[] = {0, 32, 48, 48, 64};
  if (*size < 8 || at[0] != 'G' || at[1] != 'P') return true;
  unsigned kind = at[3] >> 1 & 7;
  if (at[2] != 0 || kind > 4 || *size < 8 + envelopes[kind])
    return fp_fail(message, "the GeoPackage header of the geometry is damaged or has version %d; must be version 0",
                   at[2]);
  if (at[3] & 0x20) return fp_fail(message, "the geometry is an extended GeoPackage geometry; must be a standard one");
  uint32_t srs =
      (at[3] & 1) ? fp_get32(at + 4) : (uint32_t)at[4] << 24 | (uint32_t)at[5] << 16 | (uint32_t)at[6] << 8 | at[7];
  if (srs != 4326 && srs != 0 && srs != UINT32_MAX)
    return fp_fail(message, "the geometry has the coordinate system %d; transform it to EPSG:4326", (int)srs);
  *bytes += 8 + envelopes[kind];
  *size -= 8 + envelopes[kind];
  return true;
}

bool fp_check_srid(uint32_t srid, fp_message *message) {
  return srid == 0 || srid == 4326 ||
         fp_fail(message, "the spatial reference of the point is %u; transform it to WGS 84 (EPSG:4326)", srid);
}

bool fp_point(const uint8_t *at, size_t size, double *latitude, double *longitude, uint32_t *out_srid) {
  if (size < 21 || at[0] > 1) return false;
  bool little = at[0] == 1;
  uint32_t type =
      little ? fp_get32(at + 1) : (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
  bool has_srid = (type & 0x20000000u) != 0;
  size_t start = 5 + (has_srid ? 4 : 0);
  if ((type & 0x0fffffffu) % 1000 != 1 || size < start + 16) return false;
  *out_srid = !has_srid ? 0
              : little  ? fp_get32(at + 5)
                        : (uint32_t)at[5] << 24 | (uint32_t)at[6] << 16 | (uint32_t)at[7] << 8 | at[8];
  uint8_t numbers[16];
  for (size_t i = 0; i < 16; i++) numbers[i] = at[start + (little ? i : (i & 8) + 7 - (i & 7))];
  *longitude = fp_get_double(numbers);
  *latitude = fp_get_double(numbers + 8);
  return true;
}

bool fp_builder_geometry(fp_builder *builder, const char *identifier, size_t identifier_size, const void *geometry,
                         size_t size, const char *options, size_t options_size, fp_message *message) {
  const uint8_t *bytes = geometry;
  double latitude = 0, longitude = 0;
  uint32_t srid;
  if (!check_identifier(identifier, identifier_size, message)) return false;
  if (!fp_skip_head(&bytes, &size, message)) return false;
  if (size == 0) return fp_fail(message, "the geometry is empty; must be WKB, EWKB or a GeoPackage blob");
  if (fp_point(bytes, size, &latitude, &longitude, &srid)) {
    fp_options read;
    if (!fp_check_srid(srid, message)) return false;
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

int fp_by_identifier(const void *a, const void *b) {
  const uint8_t *x = *(const uint8_t *const *)a, *y = *(const uint8_t *const *)b;
  return strcmp((const char *)x + FP_PLACE, (const char *)y + FP_PLACE);
}

bool fp_builder_finish(fp_builder *builder, uint8_t **out_bytes, size_t *out_size, fp_message *message) {
  size_t count = builder->count;
  uint8_t *bytes = fp_reallocate(NULL, FP_HEAD + builder->size);
  const uint8_t **places = bytes == NULL ? NULL : fp_reallocate(NULL, (count + 1) * sizeof *places);
  if (places == NULL) {
    if (bytes != NULL) fp_release(bytes);
    return fp_no_memory(message);
  }
  size_t at = 0, size = FP_HEAD;
  for (size_t i = 0; i < count; i++) {
    places[i] = builder->bytes + at;
    at += fp_get32(places[i]);
  }
  qsort(places, count, sizeof *places, fp_by_identifier);
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    if (i > 0 && fp_by_identifier(&places[i - 1], &places[i]) == 0)
      good = fp_fail(message, "two places have the identifier \"%s\"; identifiers must differ",
                     (const char *)places[i] + FP_PLACE);
    memcpy(bytes + size, places[i], fp_get32(places[i]));
    size += fp_get32(places[i]);
  }
  fp_release(places);
  uint64_t marks[2];
  fp_digest(bytes + FP_HEAD, size - FP_HEAD, marks);
  memcpy(bytes, fp_magic, 8);
  put64(bytes + 8, marks[0]);
  put64(bytes + 16, marks[1]);
  put64(bytes + 24, size - FP_HEAD);
  put64(bytes + 32, count);
  fp_places *compiled = good ? fp_places_read(bytes, size, NULL, true, message) : NULL;
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

const uint8_t **fp_parts(const uint8_t *bytes, size_t size, size_t *out_count, fp_message *message) {
  static const char refused[] =
      "the value is not a set of places, as returned by fp_places(), or is damaged at byte %zu";
  uint64_t count = 0, marks[2];
  if (size < FP_HEAD || memcmp(bytes, fp_magic, 8) != 0 || fp_get64(bytes + 24) != size - FP_HEAD ||
      (count = fp_get64(bytes + 32)) > (size - FP_HEAD) / FP_PLACE) {
    fp_fail(message, refused, (size_t)0);
    return NULL;
  }
  fp_digest(bytes + FP_HEAD, size - FP_HEAD, marks);
  if (marks[0] != fp_get64(bytes + 8) || marks[1] != fp_get64(bytes + 16)) {
    fp_fail(message, refused, (size_t)8);
    return NULL;
  }
  const uint8_t **places = malloc((count + 1) * sizeof *places);
  if (places == NULL) {
    fp_no_memory(message);
    return NULL;
  }
  size_t at = FP_HEAD;
  for (size_t i = 0; i < count; i++) {
    uint64_t left = size - at, identifier, whole;
    const uint8_t *place = bytes + at;
    if (left < FP_PLACE + 2 || (whole = fp_get32(place)) > left || (identifier = fp_get32(place + 4)) < 1 ||
        identifier > FENCEPOST_IDENTIFIER_MAX ||
        whole != FP_PLACE + identifier + 1 + (uint64_t)fp_get32(place + 8) + fp_get32(place + 12) ||
        memchr(place + FP_PLACE, 0, identifier + 1) != place + FP_PLACE + identifier ||
        (i > 0 && fp_by_identifier(&places[i - 1], &place) >= 0)) {
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

bool fp_position(const void *geometry, size_t size, double *out_latitude, double *out_longitude, fp_message *message) {
  const uint8_t *bytes = geometry;
  uint32_t srid;
  if (!fp_skip_head(&bytes, &size, message)) return false;
  if (fp_point(bytes, size, out_latitude, out_longitude, &srid)) return fp_check_srid(srid, message);
  return fp_fail(message, "the geometry is not a point; must be a point in WKB, EWKB or GeoPackage");
}
