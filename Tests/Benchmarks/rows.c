/*
 * Runs one row of the benchmark `make bench` with so little data that its instructions can be counted; builds.sh
 * compares two builds by these counts.
 *
 *     rows ROW [FOLDER]
 *
 * ROW is circles-20, circles-1000, circles-20000, plausible, single, polygons, path, fleet, containing, nearest, json, snapshot or
 * store.
 *
 * callgrind counts only the functions that measured() calls; preparation is not counted. Prints a checksum of the
 * answers.
 */
#include "../TestSupport/definitions.h"
#include "fencepost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIXES = 4000,
  DEVICES = 500
};

static fencepost_error error = FENCEPOST_ERROR_INIT;
static fencepost_monitor *monitor;
static fencepost_conditions *table; /* of the monitor */
static fencepost_fleet *fleet;
static fencepost_device devices[DEVICES];
static fencepost_fix fixes[FIXES];
static uint64_t sum;

static void check(fencepost_status status) {
  if (status != FENCEPOST_OK) {
    fprintf(stderr, "rows: %s: %s\n", fencepost_status_name(status), error.message);
    exit(1);
  }
}

static double drawn(void) { /* 0 to 1, xorshift */
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

static void circles(int count) {
  char name[16];
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof name, "c%d", i);
    check(fencepost_monitor_add_circular_condition(monitor, name, 47 + drawn() * 0.4, 8 + drawn() * 0.4,
                                                   100 + 400 * drawn(), NULL, &error));
  }
}

static void polygons(int count) {
  enum {
    VERTICES = 64
  };
  double latitudes[VERTICES], longitudes[VERTICES];
  for (int i = 0; i < count; i++) {
    double latitude = 47 + drawn() * 0.4, longitude = 8 + drawn() * 0.4;
    for (int k = 0; k < VERTICES; k++) { /* a star-shaped ring around a rhombus: computing it needs no trigonometric
                                            function */
      int quarter = k / (VERTICES / 4);
      double part = (double)(k % (VERTICES / 4)) / (VERTICES / 4), radius = 0.01 * (0.8 + 0.2 * drawn());
      static const double y[] = {0, 1, 0, -1, 0}, x[] = {1, 0, -1, 0, 1};
      latitudes[k] = latitude + radius * (y[quarter] * (1 - part) + y[quarter + 1] * part);
      longitudes[k] = longitude + radius * (x[quarter] * (1 - part) + x[quarter + 1] * part);
    }
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    fencepost_geometry ring = FENCEPOST_GEOMETRY_INIT;
    ring.latitudes = latitudes, ring.longitudes = longitudes, ring.vertex_count = VERTICES;
    check(ON_OWN(monitor, add_one, fencepost_polygon(name, &ring), &error));
  }
}

static void poll(void) {
  static fencepost_event events[256];
  size_t count;
  do {
    check(fencepost_monitor_poll_events(monitor, events, 256, &count, &error));
    for (size_t i = 0; i < count; i++) sum = sum * 31 + events[i].sequence * 7 + (uint64_t)events[i].date_us;
  } while (count > 0);
}

__attribute__((noinline)) static void measured(const char *row) {
  if (strncmp(row, "circles", 7) == 0 || strcmp(row, "polygons") == 0 || strcmp(row, "path") == 0 ||
      strcmp(row, "plausible") == 0) {
    check(fencepost_monitor_feed_fixes(monitor, fixes, FIXES, NULL, &error));
    poll();
  } else if (strcmp(row, "single") == 0 || strcmp(row, "store") == 0) {
    for (int i = 0; i < FIXES; i++) {
      check(fencepost_monitor_feed_fix(monitor, &fixes[i], &error));
      poll();
    }
  } else if (strcmp(row, "fleet") == 0) {
    static fencepost_event events[256];
    size_t count;
    for (int i = 0; i < FIXES; i++) check(fencepost_fleet_feed_fix(fleet, devices[i % DEVICES], &fixes[i], &error));
    do {
      check(fencepost_fleet_poll_events(fleet, events, 256, &count, &error));
      for (size_t i = 0; i < count; i++) sum = sum * 31 + (uint64_t)events[i].date_us;
    } while (count > 0);
  } else if (strcmp(row, "containing") == 0) {
    uint64_t found[64];
    for (int i = 0; i < FIXES; i++) {
      size_t count;
      check(fencepost_conditions_containing(table, fixes[i].latitude, fixes[i].longitude, found, NULL, 64, &count,
                                            &error));
      sum = sum * 31 + count;
    }
  } else if (strcmp(row, "nearest") == 0) {
    uint64_t found[4];
    double distances[4];
    for (int i = 0; i < FIXES / 4; i++) {
      size_t count;
      check(fencepost_conditions_nearest(table, fixes[i].latitude, fixes[i].longitude, 1, found, distances, &count,
                                         &error));
      sum = sum * 31 + found[0];
    }
  } else if (strcmp(row, "json") == 0) {
    fencepost_event event;
    uint32_t available;
    char line[4096];
    check(fencepost_monitor_feed_fixes(monitor, fixes, FIXES, NULL, &error));
    for (;;) {
      check(fencepost_monitor_poll_event(monitor, &event, &available, &error));
      if (available == 0) break;
      check(fencepost_event_json(&event, NULL, line, sizeof line, NULL, &error));
      for (const char *byte = line; *byte; byte++) sum = sum * 31 + (uint64_t)*byte;
    }
  } else if (strcmp(row, "snapshot") == 0) {
    size_t size;
    check(fencepost_monitor_snapshot(monitor, NULL, 0, &size, &error));
    void *bytes = malloc(size);
    check(fencepost_monitor_snapshot(monitor, bytes, size, &size, &error));
    fencepost_monitor *restored;
    check(fencepost_monitor_restore(bytes, size, &restored, &error));
    fencepost_monitor_destroy(restored);
    free(bytes);
    sum += size;
  }
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  const char *row = arguments[1];
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  if (strcmp(row, "path") == 0) options.path = FENCEPOST_PATH_GEODESIC, options.max_gap_us = 60000000;
  if (strcmp(row, "plausible") == 0) options.plausible_speed_mps = 60; /* the other rows: circles-1000 */
  if (strcmp(row, "store") == 0) options.store_directory = arguments[2];
  check(fencepost_monitor_create("rows", &options, &monitor, &error));
  check(fencepost_monitor_conditions(monitor, &table, &error));
  double latitude = 47.2, longitude = 8.2, north = 1e-4, east = 1e-4;
  for (int i = 0; i < FIXES; i++) { /* a drive that turns from time to time */
    if (i % 300 == 0) north = (drawn() - 0.5) * 4e-4, east = (drawn() - 0.5) * 4e-4;
    latitude += north, longitude += east;
    fixes[i] = (fencepost_fix){latitude, longitude, 5 + 15 * drawn(), 1700000000000000 + i * 1000000LL};
  }
  if (strncmp(row, "circles-", 8) == 0) circles(atoi(row + 8));
  else if (strcmp(row, "polygons") == 0) polygons(200);
  else if (strcmp(row, "fleet") == 0) {
    fencepost_conditions *conditions;
    check(fencepost_conditions_create(&conditions, &error));
    char name[16];
    for (int i = 0; i < 1000; i++) {
      snprintf(name, sizeof name, "c%d", i);
      check(add_one(conditions, fencepost_circle(name, 47 + drawn() * 0.4, 8 + drawn() * 0.4, 100 + 400 * drawn()),
                    &error));
    }
    fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
    options.conditions = conditions;
    check(fencepost_fleet_create(&options, &fleet, &error));
    for (int i = 0; i < DEVICES; i++) {
      snprintf(name, sizeof name, "d%d", i);
      const char *identifier = name;
      check(fencepost_fleet_enter_devices(fleet, &identifier, 1, 1, &devices[i], &error));
    }
  } else circles(1000);
  measured(row);
  printf("%s %llu\n", row, (unsigned long long)sum);
  return 0;
}
