/*
 * Writes every event of an input log as JSON Lines, so that builds, machines and batch sizes can be compared byte by
 * byte. The inputs are computed with integer arithmetic or come from the example drive.
 *
 * - `replay walk FIXES BATCH` walks through a thousand circles, with occasional jumps across the globe.
 * - `replay shapes FIXES BATCH` walks through polygons and corridors, with occasional jumps to a shape elsewhere.
 * - `replay paths FIXES BATCH` walks like `walk`, but moves along the geodesic between fixes: the legs are short, or
 *   they reach other countries.
 * - `replay drive CSV GEOJSON BATCH` replays the drive in examples/data. BATCH 0 feeds all fixes in one call.
 */
#include "../TestSupport/definitions.h"
#include "fencepost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fencepost_error error = FENCEPOST_ERROR_INIT;

static void check(fencepost_status status) {
  if (status != FENCEPOST_OK) {
    fprintf(stderr, "replay: %s: %s\n", fencepost_status_name(status), error.message);
    exit(1);
  }
}

static void print_events(fencepost_monitor *monitor) {
  static fencepost_event events[256];
  char line[4096];
  size_t count;
  do {
    check(fencepost_monitor_poll_events(monitor, events, 256, &count, &error));
    for (size_t i = 0; i < count; i++) {
      check(fencepost_event_json(&events[i], NULL, line, sizeof line, NULL, &error));
      puts(line);
    }
  } while (count > 0);
}

static void feed(fencepost_monitor *monitor, const fencepost_fix *fixes, size_t count, size_t batch) {
  if (batch == 0) batch = count;
  for (size_t i = 0; i < count; i += batch) {
    check(fencepost_monitor_feed_fixes(monitor, fixes + i, count - i < batch ? count - i : batch, NULL, &error));
    print_events(monitor);
  }
  if (count > 0) check(fencepost_monitor_advance(monitor, fixes[count - 1].time_us + 3600000000, &error));
  print_events(monitor);
}

static void add(fencepost_monitor *monitor, const char *identifier, double latitude, double longitude, double radius,
                int policy, fencepost_state assuming) {
  static const fencepost_transition_policy policies[] = {FENCEPOST_TRANSITION_POLICY_EXACT_INIT,
                                                         FENCEPOST_TRANSITION_POLICY_STANDARD_INIT,
                                                         FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT};
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.policy = &policies[policy];
  options.assuming = assuming;
  check(fencepost_monitor_add_circular_condition(monitor, identifier, latitude, longitude, radius, &options, &error));
}

/* ---- the walk: coordinates in units of 1e-7 degrees, lengths in millimetres */

static uint64_t state;

static int64_t draw(int64_t low, int64_t high) { /* splitmix64; low ... high */
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return low + (int64_t)(z % (uint64_t)(high - low + 1));
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

enum {
  circles = 1000,
  shapes = 300,
  most_corners = 64,
  home_latitude = 474000000,
  home_longitude = 85000000
};
static int64_t latitudes[circles], longitudes[circles]; /* the centres of the monitored circles */
static void go(fencepost_monitor *monitor, int places, size_t count, size_t batch);

/* Adds lines and stars (with and without holes), each 100 m to 800 km long. Half of the shapes are in one city; the
 * other half are anywhere on the globe, including at the poles and across the antimeridian. Together, the shapes use
 * all policies, and some have a buffer or planar edges. */
static void walk_shapes(fencepost_monitor *monitor, size_t count, size_t batch) {
  static const fencepost_transition_policy policies[] = {FENCEPOST_TRANSITION_POLICY_EXACT_INIT,
                                                         FENCEPOST_TRANSITION_POLICY_STANDARD_INIT,
                                                         FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT};
  state = 2;
  for (int i = 0; i < shapes; i++) {
    int is_near = i % 2 == 0;
    latitudes[i] = is_near ? home_latitude + draw(-1000000, 1000000) : draw(-890000000, 890000000);
    longitudes[i] = is_near ? home_longitude + draw(-2500000, 2500000) : draw(-1799000000, 1799000000);
    int64_t size = 10000; /* about 100 m */
    for (int64_t octave = is_near ? draw(2, 8) : draw(0, 13); octave > 0; octave--) size *= 2;
    if (latitudes[i] + size > 895000000) size = 895000000 - latitudes[i];
    if (latitudes[i] - size < -895000000) size = latitudes[i] + 895000000;
    double north[2 * most_corners], east[2 * most_corners];
    int corners = (int)draw(3, most_corners), holes = i % 4 == 1;
    for (int k = 0; k < corners; k++) { /* vertices around a square, each at a random fraction of the way from the
                                           square's centre */
      int64_t turn = 4000 * (int64_t)k / corners, side = turn / 1000, along = turn % 1000 - 500;
      int64_t x = side == 0 ? along : side == 1 ? 500 : side == 2 ? -along : -500;
      int64_t y = side == 0 ? -500 : side == 1 ? along : side == 2 ? 500 : -along;
      int64_t reach = corners == 3 ? 1000 : draw(400, 1000);
      int64_t at_latitude = latitudes[i] + size / 1000 * y * reach / 500, at_longitude = x * reach / 500;
      at_longitude = longitudes[i] + size / 1000 * at_longitude;
      north[k] = (double)at_latitude / 1e7;
      east[k] = (double)(at_longitude >= 1800000000   ? at_longitude - 3600000000
                         : at_longitude < -1800000000 ? at_longitude + 3600000000
                                                      : at_longitude) /
                1e7;
      if (holes) { /* a smaller copy */
        north[corners + k] = (double)(latitudes[i] + (at_latitude - latitudes[i]) / 4) / 1e7;
        east[corners + k] = (double)(longitudes[i] + (at_longitude - longitudes[i]) / 4) / 1e7;
      }
    }
    const int32_t rings[] = {0, corners, 2 * corners}, parts[] = {0, holes ? 2 : 1};
    fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
    geometry.latitudes = north;
    geometry.longitudes = east;
    geometry.vertex_count = (size_t)rings[holes ? 2 : 1];
    geometry.ring_offsets = rings;
    geometry.ring_count = holes ? 2 : 1;
    geometry.part_offsets = parts;
    geometry.part_count = 1;
    fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
    shape.edges = i % 7 == 0 ? FENCEPOST_EDGES_PLANAR : FENCEPOST_EDGES_GEODESIC;
    fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
    options.policy = &policies[i / 3 % 3];
    options.assuming = i % 5 == 0 ? FENCEPOST_STATE_UNKNOWN : FENCEPOST_STATE_UNSATISFIED;
    char identifier[32];
    snprintf(identifier, sizeof identifier, "shape %d", i);
    fencepost_status status;
    if (i % 3 == 2) {
      status =
          ON_OWN(monitor, add_one,
                 with(fencepost_corridor(identifier, &geometry, (double)size / 1e3 + 10), &shape, &options), &error);
    } else {
      if (i % 6 == 0) shape.buffer_m = (double)size / 1e4;
      status = ON_OWN(monitor, add_one, with(fencepost_polygon(identifier, &geometry), &shape, &options), &error);
    }
    if (status != FENCEPOST_OK) /* a crossing's place, which is in the message, must also be the same in every build */
      puts(error.message);
    else {
      fencepost_shape read = FENCEPOST_SHAPE_INIT;
      fencepost_conditions *table;
      check(fencepost_monitor_conditions(monitor, &table, &error));
      check(fencepost_conditions_describe(table, identifier, NULL, NULL, &read, &error));
      fencepost_conditions_destroy(table);
      printf("%s %a %a\n", identifier, read.depth_m, read.departure_m);
    }
  }
  go(monitor, shapes, count, batch);
}

static void walk(fencepost_monitor *monitor, size_t count, size_t batch) {
  state = 1;
  for (int i = 0; i < circles; i++) {
    int is_near = i % 2 == 0;
    int64_t spread = 0;
    for (int k = 0; k < 4; k++) spread += draw(-700000, 700000);
    latitudes[i] = is_near ? home_latitude + spread : draw(-899000000, 899000000);
    longitudes[i] = is_near ? home_longitude + draw(-2500000, 2500000) : draw(-1799000000, 1799000000);
    int64_t radius = 50000;
    for (int64_t octave = draw(0, 6); octave > 0; octave--) radius *= 2;
    radius += draw(0, radius);
    if (i % 50 == 49) radius *= 1000;
    char identifier[32];
    snprintf(identifier, sizeof identifier, "circle %d", i);
    add(monitor, identifier, (double)latitudes[i] / 1e7, (double)longitudes[i] / 1e7, (double)radius / 1e3, i % 3,
        i % 5 == 0 ? FENCEPOST_STATE_UNKNOWN : FENCEPOST_STATE_UNSATISFIED);
  }
  go(monitor, circles, count, batch);
}

static void go(fencepost_monitor *monitor, int places, size_t count, size_t batch) {
  fencepost_fix *fixes = malloc((count ? count : 1) * sizeof *fixes);
  if (fixes == NULL) exit(1);
  int64_t latitude = home_latitude, longitude = home_longitude, north = 0, east = 0;
  for (size_t i = 0; i < count; i++) {
    if (i % 600 == 0) { /* every 600 fixes a new leg starts: a pause, a walk or a drive */
      int64_t pace = i % 1800 == 0 ? 0 : i % 1200 == 0 ? 150 : 2500;
      north = draw(-pace, pace);
      east = draw(-pace, pace);
    }
    if (latitude > home_latitude + 2000000 || latitude < home_latitude - 2000000)
      north = latitude > home_latitude ? -900 : 900;
    if (longitude > home_longitude + 3000000 || longitude < home_longitude - 3000000)
      east = longitude > home_longitude ? -900 : 900;
    latitude += north;
    longitude += east;
    int64_t accuracy = draw(5000, 20000), noise = accuracy / 25;
    int64_t at_latitude = latitude + draw(-noise, noise) + draw(-noise, noise);
    int64_t at_longitude = longitude + draw(-noise, noise) + draw(-noise, noise);
    if (i % 5000 == 4999) { /* for a moment the device is elsewhere: near a random shape of the globe */
      int64_t place = draw(0, places - 1);
      at_latitude = clamp(latitudes[place] + draw(-100000, 100000), -900000000, 900000000);
      at_longitude = clamp(longitudes[place] + draw(-100000, 100000), -1800000000, 1800000000);
    }
    if (i % 7001 == 7000) accuracy = 3000000;
    fixes[i].latitude = (double)at_latitude / 1e7;
    fixes[i].longitude = (double)at_longitude / 1e7;
    fixes[i].accuracy_m = (double)accuracy / 1e3;
    fixes[i].time_us = 1700000000000000 + (int64_t)i * 1000000;
  }
  feed(monitor, fixes, count, batch);
  free(fixes);
}

/* ---- the example drive: one feature per circle, one fix per line */

static int64_t days_of(int year, int month, int day) { /* since 1970-01-01, after Hinnant */
  year -= month <= 2;
  int era = year / 400, of_era = year - era * 400;
  int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static FILE *open_text(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  return file;
}

static void drive(fencepost_monitor *monitor, const char *csv, const char *geojson, size_t batch) {
  char line[4096];
  FILE *file = open_text(geojson);
  while (fgets(line, sizeof line, file)) {
    const char *place = strstr(line, "\"coordinates\": ["), *radius = strstr(line, "\"radius\": ");
    const char *name = strstr(line, "\"identifier\": \"");
    double longitude, latitude;
    char identifier[FENCEPOST_IDENTIFIER_MAX + 1];
    if (!place || !radius || !name || sscanf(place, "\"coordinates\": [%lf, %lf", &longitude, &latitude) != 2 ||
        sscanf(name, "\"identifier\": \"%256[^\"]", identifier) != 1)
      continue;
    int policy = strstr(line, "\"policy\": \"exact\"") ? 0 : strstr(line, "\"policy\": \"core_location\"") ? 2 : 1;
    add(monitor, identifier, latitude, longitude, strtod(radius + 10, NULL), policy,
        strstr(line, "\"unsatisfied\"") ? FENCEPOST_STATE_UNSATISFIED
        : strstr(line, "\"satisfied\"") ? FENCEPOST_STATE_SATISFIED
                                        : FENCEPOST_STATE_UNKNOWN);
  }
  fclose(file);

  static fencepost_fix fixes[100000];
  size_t count = 0;
  file = open_text(csv);
  while (count < 100000 && fgets(line, sizeof line, file)) {
    int year, month, day, hour, minute, second;
    fencepost_fix *fix = &fixes[count];
    if (sscanf(line, "%d-%d-%dT%d:%d:%dZ,%lf,%lf,%lf", &year, &month, &day, &hour, &minute, &second, &fix->latitude,
               &fix->longitude, &fix->accuracy_m) != 9)
      continue; /* the header line */
    fix->time_us = ((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60000000 + (int64_t)second * 1000000;
    count++;
  }
  fclose(file);
  feed(monitor, fixes, count, batch);
}

int main(int count, char **arguments) {
  fencepost_monitor *monitor;
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  int is_path = count == 4 && strcmp(arguments[1], "paths") == 0;
  if (is_path) {
    options.path = FENCEPOST_PATH_GEODESIC;
    options.max_gap_us = 5000000;
  }
  check(fencepost_monitor_create(NULL, &options, &monitor, &error));
  if (is_path || (count == 4 && strcmp(arguments[1], "walk") == 0))
    walk(monitor, strtoull(arguments[2], NULL, 10), strtoull(arguments[3], NULL, 10));
  else if (count == 4 && strcmp(arguments[1], "shapes") == 0)
    walk_shapes(monitor, strtoull(arguments[2], NULL, 10), strtoull(arguments[3], NULL, 10));
  else if (count == 5 && strcmp(arguments[1], "drive") == 0)
    drive(monitor, arguments[2], arguments[3], strtoull(arguments[4], NULL, 10));
  else {
    fprintf(stderr, "usage: replay walk|shapes|paths FIXES BATCH | replay drive CSV GEOJSON BATCH\n");
    return 2;
  }
  fencepost_monitor_destroy(monitor);
  return fflush(stdout) == 0 ? 0 : 1;
}
