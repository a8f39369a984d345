/* The format of a set of places, and the declarations about it that the core's files share. */
#ifndef FENCEPOST_SQL_VALUE_H
#define FENCEPOST_SQL_VALUE_H

#include <string.h>
#include "core.h"

/*
 * The binary value of a set of places: a 40-byte header, then the places, sorted by identifier. Numbers are
 * little-endian.
 *
 * The header has the magic "FPPLACE1", a digest of all bytes after the header (16 bytes), the number of these bytes (8
 * bytes) and the number of places (8 bytes). Each place has its size in bytes (4 bytes), the lengths of its identifier,
 * options and geometry (4 bytes each), its latitude, longitude and radius (8 bytes each), and then the identifier, a
 * zero byte, the options and the geometry. A place without a geometry is a circle, or a rule if its options name parts.
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

/* Distinguishes values. The digest does not protect against forgery: a forged value only affects the session that
   forged it. */
void fp_digest(const uint8_t *bytes, size_t size, uint64_t out[2]);

/* Orders pointers to places by identifier, for qsort(). */
int fp_by_identifier(const void *a, const void *b);

/* Checks the digest and the lengths in a value. Returns an array with a pointer to each place, which the caller
   releases with free(), or NULL if the value is invalid. */
const uint8_t **fp_parts(const uint8_t *bytes, size_t size, size_t *out_count, fp_message *message);

/* Skips the header that GeoPackage puts before WKB (OGC 12-128r19, 2.1.3). */
bool fp_skip_head(const uint8_t **bytes, size_t *size, fp_message *message);

/* Reads a point from WKB or EWKB. Sets *out_srid to the spatial reference of EWKB, or to 0. */
bool fp_point(const uint8_t *at, size_t size, double *latitude, double *longitude, uint32_t *out_srid);

/* Refuses a point whose spatial reference is not WGS 84, as the engine refuses other shapes. */
bool fp_check_srid(uint32_t srid, fp_message *message);

/* Checks that the parts of a rule are in the set. `places` are sorted by identifier. */
bool fp_rule_is_complete(const fencepost_condition_definition *rule, const uint8_t *const *places, size_t count,
                         fp_message *message);

/* Returns a copy of the options in which all members that do not affect compiling are zero, so that memcmp() can
   compare it. */
fp_options fp_compiling(const fp_options *options);

/* Sets the options that replays and fleets share: the largest time step, plausibility, confidence and order. */
void fp_set_trust(const fp_options *options, fencepost_options *out);

/* fp_places_begin() creates an empty set of places, with room for `count` conditions. fp_places_compile() adds the
   conditions of a value to `table`; if `table` is NULL, it adds the conditions to the monitor in `places`. */
fp_places *fp_places_begin(size_t count, const fp_options *options, fp_message *message);
bool fp_places_compile(fp_places *places, fencepost_conditions *table, const uint8_t *const *of_value, size_t size,
                       bool is_new, fp_message *message);

/*
 * Does the same as fp_places_get().
 * @param is_new  Whether the value is being created, and not read from a table. In a new value, a shape with more
 *                vertices than its limit is refused. The limit does not apply to a value from a table, because an
 *                earlier version of the library, which had no limit, may have made the value.
 */
fp_places *fp_places_read(const void *bytes, size_t size, const fp_options *options, bool is_new, fp_message *message);

#endif
