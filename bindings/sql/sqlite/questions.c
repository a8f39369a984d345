/* Implements fp_containing(places, latitude, longitude [, altitude, geoid_height, ground_height, at_time]) and
   fp_nearest(places, latitude, longitude, k): one row per place. */
#include <string.h>
#include "tables.h"

typedef struct cursor {
  sqlite3_vtab_cursor base;
  fp_places *places; /* the compiled places of the last call, which the next call uses again if its value is the same */
  uint64_t *generations;
  double *distances;
  size_t capacity, count, at;
} cursor;

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out) {
  (void)table;
  return fp_open_cursor(sizeof(cursor), out);
}

static int close_cursor(sqlite3_vtab_cursor *base) {
  cursor *own = (cursor *)base;
  fp_places_release(own->places);
  sqlite3_free(own->generations);
  sqlite3_free(own->distances);
  sqlite3_free(own);
  return SQLITE_OK;
}

static bool reserve(cursor *own, size_t capacity) {
  if (capacity <= own->capacity) return true;
  uint64_t *generations = sqlite3_realloc64(own->generations, capacity * sizeof *generations);
  if (generations != NULL) own->generations = generations;
  double *distances = generations == NULL ? NULL : sqlite3_realloc64(own->distances, capacity * sizeof *distances);
  if (distances == NULL) return false;
  own->distances = distances;
  own->capacity = capacity;
  return true;
}

/* Reads the argument at_time. There are no options, so a number is always in seconds. */
static bool read_time(sqlite3_value *value, int64_t *out_us, fp_message *message) {
  static const char unit[] = "time=s";
  fp_options seconds;
  fp_message why;
  int type = sqlite3_value_type(value);
  if (type == SQLITE_BLOB)
    return fp_fail(message, "at_time is a BLOB; must be text (ISO 8601) or a number of seconds since 1970");
  if (!fp_options_read(unit, sizeof unit - 1, FP_OPTION_TIME, &seconds, message)) return false;
  if (fp_value_time(value, &seconds, NULL, out_us, &why)) return true;
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
    return fp_fail(
        message,
        "at_time is %.17g, which is outside the years 1 to 9999; a number must be seconds since 1970: divide "
        "milliseconds by 1000.0",
        sqlite3_value_double(value));
  return fp_fail(message, "at_time: %.900s", why.text);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv) {
  (void)text;
  cursor *own = (cursor *)base;
  fp_message message;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  double latitude, longitude;
  size_t size;
  bool is_nearest = strcmp(((const fp_table *)base->pVtab)->function->name, "fp_nearest") == 0;
  own->count = own->at = 0;
  for (int i = 0; i < (is_nearest ? argc : 3); i++)
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return SQLITE_OK;
  if (sqlite3_value_type(argv[0]) != SQLITE_BLOB)
    return fp_table_refuse(base->pVtab, "the first argument must be a BLOB of fp_places()");
  const void *bytes = fp_value_bytes(argv[0], &size);
  if (own->places == NULL || !fp_places_are(own->places, bytes, size)) {
    fp_places_release(own->places);
    own->places = fp_places_get(bytes, size, NULL, &message);
    if (own->places == NULL) return fp_table_fail(base->pVtab, &message);
  }
  if (!fp_value_number(argv[1], "latitude", &latitude, &message) ||
      !fp_value_number(argv[2], "longitude", &longitude, &message))
    return fp_table_fail(base->pVtab, &message);
  fencepost_conditions *table = fp_places_table(own->places);
  fencepost_status status;
  if (is_nearest) {
    sqlite3_int64 nearest = sqlite3_value_int64(argv[3]);
    if (sqlite3_value_type(argv[3]) != SQLITE_INTEGER || nearest < 1)
      return fp_table_refuse(base->pVtab, "k must be an integer of at least 1");
    size_t most = fp_places_count(own->places);
    if ((uint64_t)nearest > most) nearest = (sqlite3_int64)most;
    if (!reserve(own, (size_t)nearest + 1)) return SQLITE_NOMEM;
    status = fencepost_conditions_nearest(table, latitude, longitude, (size_t)nearest, own->generations, own->distances,
                                          &own->count, &error);
  } else {
    static const char *const names[] = {"altitude", "geoid_height", "ground_height"};
    fp_height height = fp_nothing_beside().height;
    double *const heights[] = {&height.altitude_m, &height.geoid_m, &height.ground_m};
    int64_t time_us = FENCEPOST_TIME_UNSET;
    for (int i = 0, at = 3; i < 4; i++) {
      if (!(number >> (3 + i) & 1)) continue; /* the bits of `number` say which arguments are there */
      sqlite3_value *value = argv[at++];
      if (sqlite3_value_type(value) == SQLITE_NULL) continue;
      if (!(i < 3 ? fp_value_number(value, names[i], heights[i], &message) : read_time(value, &time_us, &message)))
        return fp_table_fail(base->pVtab, &message);
    }
    if (!reserve(own, 16)) return SQLITE_NOMEM;
    do {
      status = fp_containing_at(own->places, latitude, longitude, &height, time_us, own->generations, own->distances,
                                own->capacity, &own->count, &error);
      if (status == FENCEPOST_E_BUFFER_TOO_SMALL && !reserve(own, own->count)) return SQLITE_NOMEM;
    } while (status == FENCEPOST_E_BUFFER_TOO_SMALL);
  }
  if (status == FENCEPOST_OK) return SQLITE_OK;
  own->count = 0;
  return fp_table_refuse(base->pVtab, error.message);
}

static int next(sqlite3_vtab_cursor *base) {
  ((cursor *)base)->at++;
  return SQLITE_OK;
}
static int at_end(sqlite3_vtab_cursor *base) { return ((cursor *)base)->at >= ((cursor *)base)->count; }
static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
  *out = (sqlite3_int64)((cursor *)base)->at;
  return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number) {
  const cursor *own = (const cursor *)base;
  if (number == 0)
    sqlite3_result_text(context, fp_places_identifier(own->places, own->generations[own->at]), -1, SQLITE_TRANSIENT);
  else if (number == 1) sqlite3_result_double(context, own->distances[own->at]);
  return SQLITE_OK;
}

static const sqlite3_module module = {FP_FUNCTION_METHODS, FP_CURSOR_METHODS};

int fp_register_questions(sqlite3 *db) {
  static fp_function containing = {
      "fp_containing",
      "CREATE TABLE x(place TEXT, distance REAL, places HIDDEN, latitude HIDDEN, longitude HIDDEN, altitude HIDDEN, "
      "geoid_height HIDDEN, ground_height HIDDEN, at_time HIDDEN)", /* not `time`, which the other tables of a join have */
      2,
      3,
      7,
      false};
  static fp_function nearest = {"fp_nearest",
                                "CREATE TABLE x(place TEXT, distance REAL, places HIDDEN, latitude HIDDEN, "
                                "longitude HIDDEN, k HIDDEN)",
                                2,
                                4,
                                4,
                                false};
  int code = sqlite3_create_module(db, containing.name, &module, &containing);
  return code != SQLITE_OK ? code : sqlite3_create_module(db, nearest.name, &module, &nearest);
}
