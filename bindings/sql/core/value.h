/* The bytes of a set of places, and what the files of the core share about them. */
#ifndef FENCEPOST_SQL_VALUE_H
#define FENCEPOST_SQL_VALUE_H

#include <string.h>
#include "core.h"

/*
 * The value: 40 bytes of head, then the places, sorted by identifier. Numbers
 * are little-endian. head   magic "FPPLACE1", digest of the bytes after the
 * head (16 bytes), their number (8), places (8) place  its bytes (4),
 * identifier's (4), options' (4), geometry's (4), latitude, longitude, radius
 * (8 each), identifier, 0, options, geometry. Without a geometry it is a
 * circle.
 */
enum {
  FP_HEAD = 40,
  FP_PLACE = 40
};
extern const char fp_magic[8];

static inline uint32_t fp_get32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline uint64_t fp_get64(const uint8_t *at) { return fp_get32(at) | (uint64_t)fp_get32(at + 4) << 32; }
static inline double fp_get_double(const uint8_t *at) {
  uint64_t bits = fp_get64(at);
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

/* Tells values apart. It does not protect against forgery: a forged value answers only the session that forged it. */
void fp_digest(const uint8_t *bytes, size_t size, uint64_t out[2]);

/* Orders pointers to places by identifier, for qsort(). */
int fp_by_identifier(const void *a, const void *b);

/* Checks the digest and the lengths of a value. Returns a pointer to each of its places, for free(), or NULL. */
const uint8_t **fp_parts(const uint8_t *bytes, size_t size, size_t *out_count, fp_message *message);

/* Skips the head that GeoPackage puts before WKB (OGC 12-128r19, 2.1.3). */
bool fp_skip_head(const uint8_t **bytes, size_t *size, fp_message *message);

/* Reads a point of WKB or EWKB. */
bool fp_point(const uint8_t *at, size_t size, double *latitude, double *longitude);

/* The part of the options that compiling depends on, the rest zero: comparable by memcmp(). */
fp_options fp_compiling(const fp_options *options);

/* Places without conditions, and their conditions: in the monitor of the places, or in a table of fleets. */
fp_places *fp_places_begin(size_t count, const fp_options *options, fp_message *message);
bool fp_places_compile(fp_places *places, fencepost_conditions *table, const uint8_t *const *of_value, size_t size,
                       fp_message *message);

#endif
