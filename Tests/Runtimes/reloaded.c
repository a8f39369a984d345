/*
 * A plug-in host loads and unloads the library again and again, and uses an engine and a store each time. The library must
 * really be unloaded, and leave no open descriptor and no memory, except the few constants that it creates on first use.
 *
 *     reloaded LIBRARY FOLDER      a folder for stores
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "fencepost.h"

enum {
  ROUNDS = 300,
  MOST_BYTES = 256 /* per round */
};

static void require(int is_true, const char *what) {
  if (is_true) return;
  fprintf(stderr, "reloaded: %s\n", what);
  exit(1);
}

static int descriptors(void) {
  int count = 0;
  for (int descriptor = 0; descriptor < 256; descriptor++) count += fcntl(descriptor, F_GETFD) >= 0;
  return count;
}

#define FUNCTION(name)                                                  \
  __typeof__(&name) name##_ = (__typeof__(&name))dlsym(library, #name); \
  require(name##_ != NULL, #name)

/* Returns the number of events of one visit. */
static int visited(const char *path, const char *folder, int round) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  require(library != NULL, "not loaded");
  FUNCTION(fencepost_monitor_create);
  FUNCTION(fencepost_monitor_destroy);
  FUNCTION(fencepost_monitor_ensure_circular_condition);
  FUNCTION(fencepost_monitor_add_polygon_condition);
  FUNCTION(fencepost_monitor_feed_fix);
  FUNCTION(fencepost_monitor_poll_event);
  fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  fencepost_monitor *monitor;
  char name[16];
  snprintf(name, sizeof name, "store%d", round % 3);
  options.store_directory = folder;
  require(fencepost_monitor_create_(name, &options, &monitor, NULL) == FENCEPOST_OK, "no store");
  require(
      fencepost_monitor_ensure_circular_condition_(monitor, "office", 37, -122, 200, NULL, NULL, NULL) == FENCEPOST_OK,
      "no office");
  double latitudes[] = {0, 0, 1, 1}, longitudes[] = {0, 1, 0, 1};
  fencepost_geometry crossing = FENCEPOST_GEOMETRY_INIT;
  crossing.latitudes = latitudes, crossing.longitudes = longitudes, crossing.vertex_count = 4;
  require(fencepost_monitor_add_polygon_condition_(monitor, "crossing", &crossing, NULL, NULL, NULL) != FENCEPOST_OK,
          "edges may cross");
  int events = 0;
  for (int step = 0; step < 2; step++) {
    fencepost_fix fix = {37 + step, -122, 5, 1700000000000000 + (2 * round + step) * INT64_C(1000000000)};
    require(fencepost_monitor_feed_fix_(monitor, &fix, NULL) == FENCEPOST_OK, "not fed");
  }
  fencepost_event event;
  uint32_t available = 1;
  while (fencepost_monitor_poll_event_(monitor, &event, &available, NULL) == FENCEPOST_OK && available != 0) events++;
  fencepost_monitor_destroy_(monitor);
  require(dlclose(library) == 0, "not closed");
  require(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL, "it is still loaded");
  return events;
}

int main(int count, char **arguments) {
  require(count == 3, "usage: reloaded LIBRARY FOLDER");
  size_t before = 0;
  int open = 0, events = 0;
  for (int round = 0; round < 2 * ROUNDS; round++) {
    if (round == ROUNDS) before = mallinfo2().uordblks, open = descriptors();
    events += visited(arguments[1], arguments[2], round);
  }
  size_t after = mallinfo2().uordblks;
  require(events >= 2 * ROUNDS, "an event is missing");
  require(descriptors() == open, "it keeps descriptors");
  if (after > before + ROUNDS * MOST_BYTES) {
    fprintf(stderr, "reloaded: it keeps %zu bytes a round\n", (after - before) / ROUNDS);
    return 1;
  }
  return 0;
}
