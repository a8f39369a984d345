/*
 * Tests that refusals do not leak memory: the memory of a refused shape, store or snapshot is freed. Embedded Swift
 * does not free an object whose initializer throws, and no sanitizer can look into the library, so this program checks
 * the allocator.
 *
 * Run it as `refusals FOLDER`; the folder must not contain any stores.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include "../TestSupport/definitions.h"
#include "fencepost.h"

static fencepost_monitor *monitor;
static const char *folder;

static fencepost_status refused(int what) {
  double latitudes[] = {0, 0, 1, 1}, crossing[] = {0, 1, 0, 1};
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *none = NULL;
  geometry.latitudes = latitudes;
  geometry.longitudes = crossing;
  geometry.vertex_count = 4;
  switch (what) {
    case 0: return ON_OWN(monitor, add_one, fencepost_polygon("crossing edges", &geometry), &error);
    case 1: return ON_OWN(monitor, add_one, fencepost_corridor("no width", &geometry, -1), &error);
    case 2: return fencepost_monitor_restore("not a snapshot", 14, &none, &error);
    case 3: options.store_directory = folder; return fencepost_monitor_create("a bad name", &options, &none, &error);
    case 4:
      options.store_directory = "/nowhere/at/all";
      return fencepost_monitor_create("name", &options, &none, &error);
    default: options.store_directory = folder; return fencepost_monitor_create("taken", &options, &none, &error);
  }
}

int main(int argc, char **argv) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  fencepost_monitor *taken;
  if (argc != 2) return 2;
  folder = options.store_directory = argv[1];
  if (fencepost_monitor_create(NULL, NULL, &monitor, NULL) != FENCEPOST_OK) return 3;
  if (fencepost_monitor_create("taken", &options, &taken, NULL) != FENCEPOST_OK) return 4;
  if (fencepost_monitor_add_circular_condition(taken, "a", 1, 2, 3, NULL, NULL) != FENCEPOST_OK) return 5;
  int result = 0;
  for (int what = 0; what < 6; what++) {
    size_t before = 0;
    for (int round = 0; round < 600; round++) {
      if (round == 300) before = mallinfo2().uordblks;
      if (refused(what) == FENCEPOST_OK) {
        fprintf(stderr, "refusals: %d was not refused\n", what);
        return 6;
      }
    }
    size_t after = mallinfo2().uordblks;
    if (after >= before + 300 * 16) {
      fprintf(stderr, "refusals: %d keeps %zu bytes a round\n", what, (after - before) / 300);
      result = 1;
    }
  }
  fencepost_monitor_destroy(taken);
  fencepost_monitor_destroy(monitor);
  return result;
}
