/*
 * Loads the library named by the first argument and uses all of it except the stores. Writes the marks "load", "use",
 * "fork" and "end" to standard output. A trace of the system calls shows these marks. The program replaces certain
 * functions of the C library, which our code must not call, with functions that count their calls.
 */
#include "host.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int is_using, forbidden_calls;

static void forbidden(const char *name) {
  if (!is_using) return;
  forbidden_calls++;
  fprintf(stderr, "%s was called\n", name);
}

/* The following functions replace those of the C library, even in calls that the tested library makes. */
char *getenv(const char *name) {
  forbidden("getenv");
  for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
    if (strncmp(*entry, name, strlen(name)) == 0 && (*entry)[strlen(name)] == '=') return *entry + strlen(name) + 1;
  return NULL;
}
char *secure_getenv(const char *name) { return getenv(name); }
int setenv(const char *name, const char *value, int overwrite) {
  (void)name, (void)value, (void)overwrite;
  forbidden("setenv");
  return 0;
}
char *setlocale(int category, const char *locale) {
  (void)category, (void)locale;
  forbidden("setlocale");
  return NULL;
}
struct lconv *localeconv(void) {
  forbidden("localeconv");
  return NULL;
}

static void mark(const char *text) {
  if (write(STDOUT_FILENO, text, strlen(text)) < 0) exit(2);
}

struct host_api api;

void require(const char *file, int line, int is_true) {
  if (is_true) return;
  fprintf(stderr, "%s:%d: the library does not work\n", file, line);
  exit(2);
}

/* Moves in and out of a circle, and writes the events as JSON lines. */
static size_t walk(fencepost_monitor *monitor, int64_t start, char *text, size_t capacity) {
  size_t used = 0;
  for (int i = 0; i < 40; i++) {
    fencepost_fix fix = {0, i / 4 % 2 ? 0.1 : 0, 5, start + i * INT64_C(10000000)};
    OK(api.fencepost_monitor_feed_fix(monitor, &fix, NULL));
    fencepost_event event;
    uint32_t available = 1;
    while (available) {
      OK(api.fencepost_monitor_poll_event(monitor, &event, &available, NULL));
      size_t size = 0;
      if (available) OK(api.fencepost_event_json(&event, NULL, text + used, capacity - used, &size, NULL));
      used += size;
    }
  }
  return used;
}

static void count_wakes(void *context) { ++*(int *)context; }

static void plan_all(fencepost_monitor *monitor, const fencepost_fix *fixes, size_t count) {
  uint32_t flag, keep;
  int64_t deadline;
  double distance;
  size_t place;
  fencepost_plan plan = FENCEPOST_PLAN_INIT;
  fencepost_armed_condition armed[4];
  fencepost_significant_change_filter filter = FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;
  OK(api.fencepost_monitor_next_deadline(monitor, &deadline, NULL));
  OK(api.fencepost_monitor_safe_distance(monitor, 0, 0, &distance, NULL));
  OK(api.fencepost_monitor_plan(monitor, 0, 0, 5, NULL, NULL, 0, &keep, armed, 4, &place, &plan, NULL));
  static const double north = 0, east = 0.1;
  const fencepost_condition_definition circle = fencepost_circle(NULL, 0, 0, 100);
  fencepost_point_columns point = FENCEPOST_POINT_COLUMNS_INIT;
  point.latitudes = &north, point.longitudes = &east;
  OK(api.fencepost_definition_distance(&circle, &point, 1, &distance, NULL));
  OK(api.fencepost_best_fix(fixes, count, fixes[count - 1].time_us, NULL, &place, &flag, NULL));
  OK(api.fencepost_significant_change_accept(&filter, fixes, &flag, NULL));
}

/* Adds line conditions with every function that can add them, and moves devices across the lines. */
static void use_lines(void) {
  static const double latitudes[] = {-1, 1, 0, 2}, longitudes[] = {0, 0, 1, 1};
  static const int32_t lines[] = {0, 2, 4};
  static const char *const names[] = {"first", "second"};
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes, geometry.longitudes = longitudes, geometry.vertex_count = 4;
  geometry.ring_offsets = lines, geometry.ring_count = 2;
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.path = FENCEPOST_PATH_GEODESIC;
  options.max_gap_us = INT64_C(3600000000);
  fencepost_monitor *monitor;
  fencepost_sync_result result;
  uint32_t flag, available;
  OK(api.fencepost_monitor_create(NULL, &options, &monitor, NULL));
  OK(ON_OWN(monitor, add_one, fencepost_line("gate", &geometry), NULL));
  OK(ON_OWN(monitor, ensure_one, fencepost_line("gate", &geometry), &flag, NULL));
  IS(flag == 0);
  OK(ON_OWN(monitor, api.fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
            COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, NULL, NULL, 2, NULL,
            NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_put_geometries, FENCEPOST_PUT_ENSURE,
            COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, NULL, NULL, 2, &result,
            NULL));
  IS(result.kept == 2);
  for (int second = 0; second < 2; second++) {
    fencepost_fix fix = {0.5, second - 0.5, 5, INT64_C(1700000000000000) + second * INT64_C(1000000000)};
    OK(api.fencepost_monitor_feed_fix(monitor, &fix, NULL));
  }
  fencepost_event event;
  OK(api.fencepost_monitor_poll_event(monitor, &event, &available, NULL));
  IS(available && (event.flags & FENCEPOST_EVENT_LEFT_TO_RIGHT) != 0);
  api.fencepost_monitor_destroy(monitor);
}

/* Adds polygons and corridors in every possible way, and removes them all. */
static void use_shapes(fencepost_monitor *monitor) {
  static const double latitudes[] = {0, 0, 0.01, 0.01, 0.004, 0.006, 0.006, 0.004, 0, 0, 0.01},
                      longitudes[] = {0, 0.01, 0.01, 0, 0.004, 0.004, 0.006, 0.006, 0.02, 0.03, 0.025},
                      radii[] = {50, 60, 70};
  static const int32_t rings[] = {0, 4, 8, 11}, parts[] = {0, 2, 3};
  static const char *const names[] = {"north", "south", "east"};
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes, geometry.longitudes = longitudes, geometry.vertex_count = 11;
  geometry.ring_offsets = rings, geometry.ring_count = 3, geometry.part_offsets = parts, geometry.part_count = 2;
  fencepost_condition_definition planar = FENCEPOST_CONDITION_DEFINITION_INIT;
  planar.edges = FENCEPOST_EDGES_PLANAR;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_sync_result result;
  static uint8_t wkb[1024];
  size_t size, count;
  uint32_t flag;
  double distance, latitude, longitude;
  OK(ON_OWN(monitor, add_one, fencepost_polygon("park", &geometry), NULL));
  OK(ON_OWN(monitor, ensure_one, with(fencepost_polygon("park", &geometry), &planar, NULL), &flag, NULL));
  OK(ON_OWN(monitor, add_one, fencepost_corridor("way", &geometry, 50), NULL));
  OK(ON_OWN(monitor, ensure_one, fencepost_corridor("way", &geometry, 60), &flag, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_geometry, "park", wkb, sizeof wkb, &size, NULL));
  OK(ON_OWN(monitor, add_one, fencepost_wkb("again", wkb, size, 0), NULL));
  OK(ON_OWN(monitor, ensure_one, fencepost_wkb("again", wkb, size, 0), &flag, NULL));
  IS(flag == 0);
  OK(ON_OWN(monitor, api.fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
            COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, NULL, NULL, 2, NULL,
            NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_put_geometries, FENCEPOST_PUT_ENSURE,
            COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, NULL, NULL, 2,
            &result, NULL));
  IS(result.kept == 2);
  OK(ON_OWN(monitor, api.fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
            COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, radii, NULL, 3, NULL,
            NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_put_geometries, FENCEPOST_PUT_ENSURE,
            COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, radii, NULL, 3,
            &result, NULL));
  IS(result.kept == 3);
  const void *wkbs[] = {wkb, wkb, wkb};
  const size_t sizes[] = {size, size, size};
  OK(ON_OWN(monitor, api.fencepost_conditions_put_wkb, FENCEPOST_PUT_ADD, NULL, names, wkbs, sizes, NULL, NULL, 3, NULL,
            NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_put_wkb, FENCEPOST_PUT_ENSURE, NULL, names, wkbs, sizes, NULL, NULL, 3,
            &result, NULL));
  IS(result.kept == 3);
  wkb[5] = 200; /* more than exist */
  IS(ON_OWN(monitor, add_one, fencepost_wkb("no", wkb, size, 0), &error) != FENCEPOST_OK);
  for (int i = 0; i < 20; i++) {
    fencepost_fix fix = {0.002, i % 2 ? 0.002 : 0.1, 5, i};
    OK(api.fencepost_monitor_feed_fix(monitor, &fix, NULL));
  }
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  OK(ON_OWN(monitor, api.fencepost_conditions_describe, "park", NULL, NULL, &shape, NULL));
  OK(api.fencepost_monitor_explain(monitor, "park", &explanation, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_nearest_boundary_point, "park", 1, 2, &latitude, &longitude, NULL));
  static const double inside = 0.002;
  OK(distances_to(fencepost_polygon(NULL, &geometry), &inside, &inside, 1, &distance, NULL));
  IS(distance < 0);
  OK(distances_to(fencepost_corridor(NULL, &geometry, 50), latitudes, longitudes, 1, &distance, NULL));
  fencepost_condition_state satisfied[4];
  OK(api.fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_SATISFIED, 0, satisfied, 4, &count, NULL));
  IS(api.fencepost_state_name(1) != NULL && api.fencepost_cause_name(1) != NULL);
  OK(ON_OWN(monitor, api.fencepost_conditions_remove, names, 3, &count, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE, NULL, names, latitudes, longitudes,
            radii, NULL, 3, &result, NULL));
  fencepost_condition_definition park = FENCEPOST_CONDITION_DEFINITION_INIT;
  park.kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC;
  park.identifier = "park";
  park.geometry = &geometry;
  OK(ON_OWN(monitor, api.fencepost_conditions_sync, &park, 1, &result, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_sync, NULL, 0, &result, NULL));
  OK(api.fencepost_monitor_rewind(monitor, -1, NULL));
}

/* Calls all functions that answer queries about points; none of them changes the monitor. */
static void ask(fencepost_monitor *monitor) {
  static const double latitudes[] = {0, 0.0001, 80}, longitudes[] = {0, 0.1, -180};
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT, none = FENCEPOST_POINT_COLUMNS_INIT;
  uint64_t generations[64];
  double distances[64];
  int64_t offsets[4];
  size_t size;
  char text[2048];
  fencepost_error error = FENCEPOST_ERROR_INIT;
  columns.latitudes = latitudes, columns.longitudes = longitudes;
  OK(ON_OWN(monitor, api.fencepost_conditions_containing, 0, 0, generations, distances, 64, &size, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_identifiers_of_generations, generations, size, text, sizeof text, &size,
            NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_containing_columns, &columns, 3, offsets, generations, distances, 64,
            &size, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_nearest, 0, 0, 3, generations, distances, &size, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_nearest_columns, &columns, 3, 3, generations, distances, &size, NULL));
  IS(ON_OWN(monitor, api.fencepost_conditions_containing_columns, &none, 3, offsets, NULL, NULL, 0, &size, &error) !=
     FENCEPOST_OK);
  IS(ON_OWN(monitor, api.fencepost_conditions_nearest, 91, 0, 3, generations, NULL, &size, &error) != FENCEPOST_OK);
}

static void use_all(fencepost_monitor *monitor) {
  static const uint8_t payload[] = {0x4c, 0x00, 0x02, 0x15, 0xe2, 0xc5, 0x6d, 0xb5, 0xdf, 0xfb, 0x48, 0xd2, 0xb0,
                                    0x60, 0xd0, 0xf5, 0xa7, 0x10, 0x96, 0xe0, 0x00, 0x01, 0x01, 0x02, 0xc5};
  uint8_t uuid[16];
  char text[512];
  size_t size, count;
  uint32_t flag;
  double latitude, longitude, distance;
  fencepost_beacon_advertisement advertisement;
  fencepost_condition condition;
  fencepost_state state;
  fencepost_record record;
  fencepost_event event;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  IS(strcmp(api.fencepost_status_name(0), "ok") == 0 && api.fencepost_status_message(60) != NULL);
  IS(api.fencepost_version_string() != NULL && api.fencepost_reason_name(1) != NULL);
  OK(api.fencepost_uuid_parse("e2c56db5-dffb-48d2-b060-d0f5a71096e0", uuid, NULL));
  OK(api.fencepost_beacon_parse_advertisement(payload, sizeof payload, -1, -60, &advertisement, NULL));
  IS(api.fencepost_beacon_parse_advertisement(payload, 3, -1, -60, &advertisement, &error) != FENCEPOST_OK);
  OK(api.fencepost_geodesic_inverse(1, 2, 3, 4, &distance, NULL, NULL, NULL));
  OK(api.fencepost_geodesic_direct(1, 2, 3, 4, &latitude, &longitude, NULL, NULL));
  use_shapes(monitor);
  use_lines();
  const char *names[] = {"x", "y"};
  const double column[] = {1, 2};
  OK(ON_OWN(monitor, api.fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, names, column, column, column, NULL,
            2, NULL, NULL));
  OK(api.fencepost_monitor_add_circular_condition(monitor, "office", 0, 0, 1000, NULL, NULL));
  OK(ON_OWN(monitor, ensure_one, fencepost_circle("office", 0, 0, 1000), &flag, NULL));
  OK(api.fencepost_monitor_add_beacon_condition(monitor, "desk", uuid, 1, -1, NULL, NULL));
  OK(ON_OWN(monitor, ensure_one, fencepost_beacon("desk", uuid, 1, -1), &flag, NULL));
  OK(ON_OWN(monitor, remove_named, "x", &flag, NULL));
  OK(api.fencepost_monitor_feed_sightings(monitor, &advertisement.sighting, 1, 0, NULL));
  fencepost_fix fixes[64];
  for (int i = 0; i < 64; i++) {
    fencepost_fix fix = {0, i % 2 ? 0.1 : 0, 5, i};
    fixes[i] = fix;
  }
  int wakes = 0;
  OK(api.fencepost_monitor_set_wakeup(monitor, count_wakes, &wakes, NULL));
  OK(api.fencepost_monitor_feed_fixes(monitor, fixes, 32, NULL, NULL));
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = &fixes[32].latitude, columns.longitudes = &fixes[32].longitude;
  columns.accuracies_m = &fixes[32].accuracy_m, columns.times_us = &fixes[32].time_us;
  columns.latitude_stride = columns.longitude_stride = columns.accuracy_stride = columns.time_stride = sizeof *fixes;
  OK(api.fencepost_monitor_feed_columns(monitor, &columns, 32, NULL, NULL));
  IS(wakes > 0);
  OK(api.fencepost_monitor_set_wakeup(monitor, NULL, NULL, NULL));
  plan_all(monitor, fixes, 64);
  ask(monitor);
  OK(api.fencepost_monitor_set_beacon_scanning(monitor, 0, 100, NULL));
  OK(api.fencepost_monitor_set_host_capabilities(monitor, 1, 4, 100, NULL));
  OK(api.fencepost_monitor_set_host_capabilities(monitor, 0, 0, 101, NULL));
  OK(api.fencepost_monitor_advance(monitor, 200, NULL));
  OK(api.fencepost_monitor_poll_events(monitor, &event, 1, &count, NULL));
  OK(api.fencepost_monitor_abandon(monitor, NULL));
  OK(api.fencepost_monitor_acknowledge(monitor, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_describe, "office", &condition, NULL, NULL, NULL));
  OK(api.fencepost_monitor_state(monitor, "office", &state, NULL));
  OK(api.fencepost_monitor_record(monitor, "office", &record, NULL));
  OK(api.fencepost_monitor_explain(monitor, "office", &explanation, NULL));
  OK(api.fencepost_monitor_statistics(monitor, &statistics, NULL));
  OK(ON_OWN(monitor, api.fencepost_conditions_identifiers, text, sizeof text, &size, &count, NULL));
  OK(api.fencepost_monitor_checkpoint(monitor, NULL));
  OK(api.fencepost_monitor_close(monitor, NULL));
  static char bytes[1 << 16];
  fencepost_monitor *other;
  fencepost_conditions *table;
  OK(api.fencepost_monitor_conditions(monitor, &table, NULL));
  api.fencepost_conditions_destroy(table);
  OK(api.fencepost_monitor_snapshot(monitor, bytes, sizeof bytes, &size, NULL));
  OK(api.fencepost_monitor_restore(bytes, size, &other, NULL));
  api.fencepost_monitor_destroy(other);
  OK(api.fencepost_monitor_fork(monitor, &other, NULL));
  api.fencepost_monitor_destroy(other);
}

static void *idle(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* After a fork(), both the child and the parent continue with the monitor, and see the same events. */
static int check_fork(fencepost_monitor *monitor, int with_thread) {
  static char mine[1 << 16], childs[1 << 16];
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread;
  pthread_mutex_lock(&gate);
  /* This thread is alive, but not in a call on the monitor. */
  if (with_thread) IS(pthread_create(&thread, NULL, idle, &gate) == 0);
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  OK(api.fencepost_monitor_statistics(monitor, &statistics, NULL));
  int64_t start = statistics.clock_us + 1000000;
  int channel[2];
  IS(pipe(channel) == 0);
  pid_t child = fork();
  IS(child >= 0);
  if (child == 0) {
    size_t size = walk(monitor, start, mine, sizeof mine);
    api.fencepost_monitor_destroy(monitor);
    for (size_t done = 0; done < size;) {
      ssize_t wrote = write(channel[1], mine + done, size - done);
      if (wrote <= 0) _exit(3);
      done += (size_t)wrote;
    }
    _exit(0);
  }
  close(channel[1]);
  size_t size = 0;
  for (ssize_t got; (got = read(channel[0], childs + size, sizeof childs - size)) > 0;) size += (size_t)got;
  close(channel[0]);
  int status = 0;
  IS(waitpid(child, &status, 0) == child);
  pthread_mutex_unlock(&gate);
  if (with_thread) pthread_join(thread, NULL);
  if (status != 0 || size < 100 || walk(monitor, start, mine, sizeof mine) != size || memcmp(mine, childs, size) != 0) {
    fprintf(stderr, "after fork() the child (status %d) and the parent do not agree\n", status);
    return 1;
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  struct sigaction before[65], after[65];
  memset(before, 0, sizeof before);
  memset(after, 0, sizeof after);
  for (int number = 1; number <= 64; number++) sigaction(number, NULL, &before[number]);
  mark("load\n");
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
#define LOAD(name) IS((api.name = (__typeof__(&name))dlsym(library, #name)) != NULL);
  FUNCTIONS(LOAD)
  mark("use\n");
  is_using = 1;
  fencepost_monitor *monitor = NULL;
  OK(api.fencepost_monitor_create("host", NULL, &monitor, NULL));
  use_all(monitor);
  use_fleets();
  is_using = 0;
  mark("fork\n");
  int failed = 0;
  for (int number = 1; number <= 64; number++) {
    sigaction(number, NULL, &after[number]);
    if (before[number].sa_handler == after[number].sa_handler && before[number].sa_flags == after[number].sa_flags)
      continue;
    fprintf(stderr, "the disposition of signal %d changed\n", number);
    failed++;
  }
  failed += check_fork(monitor, 0) + check_fork(monitor, 1);
  mark("end\n");
  api.fencepost_monitor_destroy(monitor);
  return failed + forbidden_calls != 0;
}
