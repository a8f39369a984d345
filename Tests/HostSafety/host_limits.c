/*
 * Tests two guarantees of the release library: no call raises a floating-point exception that the host has turned into
 * a signal, and no call needs a larger stack than the header states.
 *
 *     host_limits DRIVE.csv DIRECTORY [stack]; with `stack`, it checks only the stack sizes
 *
 * The program is killed if the library breaks a guarantee. The program is linked to the library; see run.sh.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#undef OK

#define START INT64_C(1700000000000000)

/* Clears the floating-point exceptions that this program's own arithmetic raised, enables the floating-point signals if
   `armed` is set, and then makes the call. */
#define ARMED(call) (arm(), (call))

static int armed;
static void arm(void) {
  feclearexcept(FE_ALL_EXCEPT);
  if (armed) feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
}

#define OK(call)                                                       \
  do {                                                                 \
    fencepost_status got_ = ARMED(call);                               \
    if (got_ != FENCEPOST_OK) {                                        \
      fprintf(stderr, "%s: %s\n", #call, fencepost_status_name(got_)); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

struct host_api api = {
#define MEMBER(name) .name = name,
    FUNCTIONS(MEMBER)
#undef MEMBER
};

void require(const char *file, int line, int is_true) {
  if (is_true) return;
  fprintf(stderr, "%s:%d: the library does not work\n", file, line);
  exit(1);
}

static fencepost_fix drive[4096];
static size_t drive_count;

static void read_drive(const char *path) {
  FILE *file = fopen(path, "r");
  char line[256];
  if (file == NULL || fgets(line, sizeof line, file) == NULL) exit(1);
  while (drive_count < sizeof drive / sizeof drive[0] && fgets(line, sizeof line, file) != NULL) {
    /* Reads the numbers in each row, whatever separates them: takes the first number that can be a latitude, and the
       number after it. */
    double numbers[8];
    size_t count = 0;
    for (char *at = line; *at != 0 && count < 8;) {
      char *end;
      double number = strtod(at, &end);
      if (end == at) at++;
      else numbers[count++] = number, at = end;
    }
    for (size_t i = 0; i + 1 < count; i++) {
      if (fabs(numbers[i]) > 90 || fabs(numbers[i]) < 10 || fabs(numbers[i + 1]) > 180) continue;
      if (numbers[i] == floor(numbers[i])) continue;
      drive[drive_count] = (fencepost_fix){numbers[i], numbers[i + 1], 5, START + (int64_t)drive_count * 1000000};
      drive_count++;
      break;
    }
  }
  fclose(file);
  if (drive_count < 100) {
    fprintf(stderr, "%s: only %zu fixes were read\n", path, drive_count);
    exit(1);
  }
}

/* Makes a star with `corners` corners, each at most `size` degrees away from a place. */
static void make_star(double latitude, double longitude, double size, size_t corners, double (*places)[2]) {
  for (size_t i = 0; i < corners; i++) {
    double turn = 6.283185307179586 * (double)i / (double)corners, away = i % 2 ? size : size * 0.6;
    places[i][0] = latitude + away * cos(turn);
    places[i][1] = longitude + away * sin(turn) / fmax(cos(latitude / 57.29577951308232), 0.01);
  }
}

static fencepost_geometry geometry_of(double (*places)[2], size_t count) {
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = &places[0][0], geometry.longitudes = &places[0][1];
  geometry.stride = sizeof places[0], geometry.vertex_count = count;
  return geometry;
}

enum {
  CORNERS = 3000
};

/* Adds polygons and corridors along the drive, including large ones and ones at unusual places. Not inlined, so that
   the definitions take no stack in the calls that live() makes itself. */
__attribute__((noinline)) static void add_shapes(fencepost_monitor *monitor,
                                                 const fencepost_condition_definition *options) {
  double (*places)[2] = malloc(CORNERS * sizeof *places);
  if (places == NULL) exit(1);
  for (size_t i = 0; i < 12; i++) {
    char identifier[16];
    const fencepost_fix *at = &drive[i * drive_count / 12];
    size_t corners = i == 5 ? CORNERS : 5 + 7 * i;
    make_star(at->latitude, at->longitude, i % 4 == 3 ? 12 : 0.02, corners, places);
    fencepost_geometry geometry = geometry_of(places, corners);
    fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
    shape.edges = i % 3 == 1 ? FENCEPOST_EDGES_PLANAR : FENCEPOST_EDGES_GEODESIC;
    snprintf(identifier, sizeof identifier, "w%zu", i);
    OK(ON_OWN(monitor, add_one,
              with(fencepost_corridor(identifier, &geometry, i == 7 ? 1e300 : 30), &shape, &options[i % 3]), NULL));
    shape.buffer_m = i % 2 ? 25 : 0;
    snprintf(identifier, sizeof identifier, "p%zu", i);
    OK(ON_OWN(monitor, add_one, with(fencepost_polygon(identifier, &geometry), &shape, &options[i % 3]), NULL));
    size_t size;
    OK(ON_OWN(monitor, fencepost_conditions_geometry, identifier, NULL, 0, &size, NULL));
    void *wkb = malloc(size);
    if (wkb == NULL) exit(1);
    OK(ON_OWN(monitor, fencepost_conditions_geometry, identifier, wkb, size, &size, NULL));
    uint32_t changed;
    OK(ON_OWN(monitor, ensure_one, with(fencepost_wkb(identifier, wkb, size, 0), &shape, &options[i % 3]), &changed,
              NULL));
    if (changed) exit(1);
    free(wkb);
  }
  free(places);
}

/* Adds star-shaped lines (gates) along the drive. */
__attribute__((noinline)) static void add_lines(fencepost_monitor *monitor) {
  double places[40][2];
  for (size_t i = 0; i < 12; i++) {
    char identifier[16];
    const fencepost_fix *at = &drive[i * drive_count / 12];
    make_star(at->latitude, at->longitude, i % 4 == 3 ? 12 : 0.02, 5 + 3 * i, places);
    fencepost_geometry geometry = geometry_of(places, 5 + 3 * i);
    fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
    shape.edges = i % 3 == 1 ? FENCEPOST_EDGES_PLANAR : FENCEPOST_EDGES_GEODESIC;
    snprintf(identifier, sizeof identifier, "g%zu", i);
    OK(ON_OWN(monitor, add_one, with(fencepost_line(identifier, &geometry), &shape, NULL), NULL));
  }
}

/* Makes queries about the shapes near the fixes. */
static void ask_shapes(fencepost_monitor *monitor, const fencepost_fix *at) {
  static const char *const names[] = {"p0", "p3", "p5", "w5", "w7", "c7"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    fencepost_shape shape = FENCEPOST_SHAPE_INIT;
    double latitude, longitude;
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    OK(ON_OWN(monitor, fencepost_conditions_describe, names[i], NULL, NULL, &shape, NULL));
    OK(ON_OWN(monitor, fencepost_conditions_nearest_boundary_point, names[i], at->latitude, at->longitude, &latitude,
              &longitude, NULL));
    OK(fencepost_monitor_explain(monitor, names[i], &explanation, NULL));
  }
}

/* Makes every kind of call on one monitor, with the fixes of a drive. */
static void live(const char *name, const char *store_directory, fencepost_delivery delivery, fencepost_path path) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = delivery;
  options.store_directory = store_directory;
  options.path = path;
  if (path == FENCEPOST_PATH_GEODESIC) options.max_gap_us = INT64_C(3600000000);
  fencepost_monitor *monitor, *fork, *restored;
  OK(fencepost_monitor_create(name, &options, &monitor, NULL));
  static const fencepost_transition_policy policies[] = {FENCEPOST_TRANSITION_POLICY_STANDARD_INIT,
                                                         FENCEPOST_TRANSITION_POLICY_EXACT_INIT,
                                                         FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT};
  fencepost_condition_definition options_of[3];
  for (int i = 0; i < 3; i++) {
    options_of[i] = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
    options_of[i].policy = &policies[i];
  }
  static const double odd_radii[] = {5e-324, 1e-300, 1e-9, 2e7, 1e100, 1e300};
  for (size_t i = 0; i < 60; i++) {
    char identifier[16];
    snprintf(identifier, sizeof identifier, "c%zu", i);
    const fencepost_fix *at = &drive[i * drive_count / 60];
    double radius = i % 5 == 4 ? odd_radii[i / 5 % 6] : 20 * (double)(i % 7 + 1);
    OK(fencepost_monitor_add_circular_condition(monitor, identifier, i % 9 == 8 ? 90 : at->latitude,
                                                i % 11 == 10 ? 180 : at->longitude, radius, &options_of[i % 3], NULL));
  }
  add_shapes(monitor, options_of);
  if (path == FENCEPOST_PATH_GEODESIC) add_lines(monitor);
  static const uint8_t uuid[16] = {1};
  OK(fencepost_monitor_add_beacon_condition(monitor, "beacon", uuid, 1, -1, NULL, NULL));
  static const double odd[] = {0, -0.0, 5e-324, -1e-310, 90, -90, 180, -180, 89.9999999999, 179.9999999999, 91, 1e300};
  static fencepost_event event;
  uint32_t available;
  for (size_t i = 0; i < drive_count; i++) {
    fencepost_fix fix = drive[i];
    if (i % 40 == 39) fix.latitude = odd[i / 40 % 12], fix.longitude = odd[i / 480 % 12];
    if (i % 47 == 46) fix.latitude = NAN;
    if (i % 53 == 52) fix.longitude = INFINITY;
    if (i % 59 == 58) fix.accuracy_m = NAN;
    if (i % 61 == 60) fix.accuracy_m = i % 2 ? 1e308 : INFINITY;
    fencepost_status status = i % 2 ? ARMED(fencepost_monitor_feed_fix(monitor, &fix, NULL))
                                    : ARMED(fencepost_monitor_feed_fixes(monitor, &fix, 1, NULL, NULL));
    if (status != FENCEPOST_OK && status != FENCEPOST_E_INVALID_ARGUMENT) exit(1);
    OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
    static char json[4096];
    if (available) OK(fencepost_event_json(&event, NULL, json, sizeof json, NULL, NULL));
    if (i % 25 != 0) continue;
    double distance;
    OK(fencepost_monitor_safe_distance(monitor, drive[i].latitude, drive[i].longitude, &distance, NULL));
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    OK(fencepost_monitor_explain(monitor, "c7", &explanation, NULL));
    ask_shapes(monitor, &drive[i]);
    fencepost_plan plan = FENCEPOST_PLAN_INIT;
    static fencepost_armed_condition near[20];
    size_t count;
    OK(fencepost_monitor_plan(monitor, drive[i].latitude, drive[i].longitude, 5, NULL, NULL, 0, NULL, near, 20, &count,
                              &plan, NULL));
    fencepost_beacon_sighting sighting = {{1}, 1, 2, -60};
    OK(fencepost_monitor_feed_sightings(monitor, &sighting, 1, drive[i].time_us, NULL));
  }
  OK(fencepost_monitor_rewind(monitor, START, NULL));
  fencepost_feed_result result;
  OK(fencepost_monitor_feed_fixes(monitor, drive, drive_count, &result, NULL));
  OK(fencepost_monitor_fork(monitor, &fork, NULL));
  arm();
  fencepost_monitor_destroy(fork);
  size_t size;
  OK(fencepost_monitor_snapshot(monitor, NULL, 0, &size, NULL));
  void *bytes = malloc(size);
  if (bytes == NULL) exit(1);
  OK(fencepost_monitor_snapshot(monitor, bytes, size, &size, NULL));
  OK(fencepost_monitor_restore(bytes, size, &restored, NULL));
  free(bytes);
  arm();
  fencepost_monitor_destroy(restored);
  OK(ON_OWN(monitor, fencepost_conditions_sync, NULL, 0, NULL, NULL));
  OK(fencepost_monitor_checkpoint(monitor, NULL));
  OK(fencepost_monitor_close(monitor, NULL));
  arm();
  fencepost_monitor_destroy(monitor);
}

/* Calls the functions that need no monitor, with every combination of awkward values. */
static void geodesy(void) {
  static const double values[] = {0,        -0.0, 90,    -90, 180,   -180,           1e-300,          5e-324,
                                  INFINITY, NAN,  1e300, 45,  -1e-8, 179.9999999999, 89.999999999999, 1};
  enum {
    COUNT = sizeof values / sizeof values[0]
  };
  for (size_t n = 0; n < (size_t)COUNT * COUNT * COUNT * COUNT; n++) {
    double a = values[n % COUNT], b = values[n / COUNT % COUNT], c = values[n / COUNT / COUNT % COUNT],
           d = values[n / COUNT / COUNT / COUNT], x, y, z;
    uint32_t flag;
    ARMED(fencepost_geodesic_inverse(a, b, c, d, &x, &y, &z, NULL));
    ARMED(fencepost_geodesic_direct(a, b, c, d, &x, &y, &z, NULL));
    const double zero = 0;
    ARMED(distances_to(fencepost_circle(NULL, a, b, 100), &c, &d, 1, &x, NULL));
    ARMED(distances_to(fencepost_circle(NULL, a, b, d), &c, &zero, 1, &x, NULL));
    fencepost_significant_change_filter filter = FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;
    filter.minimum_distance_m = a;
    fencepost_fix fixes[2] = {{b, c, d, START}, {c, d, b, START + 600000000}};
    for (int i = 0; i < 2; i++) ARMED(fencepost_significant_change_accept(&filter, &fixes[i], &flag, NULL));
    fencepost_fix_selection selection = FENCEPOST_FIX_SELECTION_INIT;
    selection.speed_m_per_s = a;
    size_t index;
    ARMED(fencepost_best_fix(fixes, 2, START + 700000000, &selection, &index, &flag, NULL));
  }
}

/* Measures shapes with every option, without a monitor. Each shape has four vertices, which are taken from `values`.
   Not even a refused shape may raise a floating-point exception. */
static void shapes(void) {
  static const double values[][2] = {{0, 0},        {0, 180},  {90, 0},     {-90, 17},    {1e-12, 1e-12},
                                     {0, 1e-12},    {45, 90},  {45, -90},   {NAN, 0},     {0, INFINITY},
                                     {5e-324, 360}, {-45, 45}, {0, 179.99}, {89.9999, 0}, {1e300, 0}};
  enum {
    COUNT = sizeof values / sizeof values[0]
  };
  static const double buffers[] = {0, 10, -10, 1e300, -1e300, NAN};
  for (size_t n = 0; n < (size_t)COUNT * COUNT * COUNT * COUNT; n += 97) {
    double corners[4][2], distances[2];
    for (size_t i = 0, rest = n; i < 4; i++, rest /= COUNT)
      corners[i][0] = values[rest % COUNT][0], corners[i][1] = values[rest % COUNT][1];
    fencepost_geometry geometry = geometry_of(corners, n % 5 == 0 ? 3 : 4);
    fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
    shape.edges = n % 2 ? FENCEPOST_EDGES_PLANAR : FENCEPOST_EDGES_GEODESIC;
    shape.oriented = n % 3 == 1;
    if (n % 7 == 0) shape.buffer_m = buffers[n / 7 % 6];
    const double latitudes[] = {12, values[n % COUNT][0]}, longitudes[] = {34, values[n % COUNT][1]};
    ARMED(distances_to(with(fencepost_polygon(NULL, &geometry), &shape, NULL), latitudes, longitudes, 2, distances,
                       NULL));
    shape.oriented = 0, shape.buffer_m = 0;
    ARMED(distances_to(with(fencepost_corridor(NULL, &geometry, n % 11 ? 50 : buffers[n / 11 % 6]), &shape, NULL),
                       latitudes, longitudes, 2, distances, NULL));
  }
}

/* Saves so many changes that the save is done in parts. */
static void crowd(const char *store_directory) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.store_directory = store_directory;
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  options.checkpoint_interval_us = 1000000;
  fencepost_monitor *monitor;
  OK(fencepost_monitor_create("crowd", &options, &monitor, NULL));
  for (int i = 0; i < 10000; i++) {
    char identifier[16];
    snprintf(identifier, sizeof identifier, "c%d", i);
    OK(fencepost_monitor_add_circular_condition(monitor, identifier, 0, i * 0.01, 100, NULL, NULL));
  }
  for (int i = 0; i < 10; i++) OK(fencepost_monitor_advance(monitor, START + i * INT64_C(1000000), NULL));
  OK(fencepost_monitor_set_host_capabilities(monitor, FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED, 0,
                                             START + INT64_C(100000000), NULL));
  OK(fencepost_monitor_checkpoint(monitor, NULL));
  arm();
  fencepost_monitor_destroy(monitor);
  OK(fencepost_monitor_create("crowd", &options, &monitor, NULL));
  arm();
  fencepost_monitor_destroy(monitor);
}

static const char *directory;

static void *within(void *store_directory) {
  if (store_directory != NULL) crowd(store_directory);
  live(store_directory ? "small" : NULL, store_directory, FENCEPOST_DELIVERY_LATEST, FENCEPOST_PATH_FIXES);
  live(store_directory ? "path" : NULL, store_directory, FENCEPOST_DELIVERY_EVERY, FENCEPOST_PATH_GEODESIC);
  return NULL;
}

static void *fleets_within(void *store_directory) {
  if (store_directory == NULL) use_fleets();
  else use_stored_fleet(store_directory);
  return NULL;
}

static void with_stack(size_t bytes, void *(*within)(void *), char *store_directory) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, bytes) != 0 ||
      pthread_create(&thread, &attributes, within, store_directory) != 0 || pthread_join(thread, NULL) != 0)
    exit(1);
  pthread_attr_destroy(&attributes);
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  read_drive(arguments[1]);
  directory = arguments[2];
  /* Tests the smallest stacks that the header allows, in memory and with a store. */
  with_stack(48 * 1024, within, NULL);
  with_stack(48 * 1024, within, arguments[2]);
  with_stack(96 * 1024, fleets_within, NULL);
  with_stack(96 * 1024, fleets_within, arguments[2]);
  puts("stack");
  if (count > 3) return 0;
  armed = 1;
  geodesy();
  shapes();
  arm();
  use_fleets();
  for (fencepost_delivery delivery = 0; delivery <= FENCEPOST_DELIVERY_LATEST; delivery++)
    live(NULL, NULL, delivery, FENCEPOST_PATH_FIXES);
  live("trapped", directory, FENCEPOST_DELIVERY_EVERY, FENCEPOST_PATH_FIXES);
  live("crossing", directory, FENCEPOST_DELIVERY_EVERY, FENCEPOST_PATH_GEODESIC);
  puts("exceptions");
  return 0;
}
