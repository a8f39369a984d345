/*
 * Acts as a plug-in host that loads and unloads the library again and again, and uses an engine, a fleet and a store
 * each time. After each use, the library must leave the process completely, with no open descriptor and no allocated
 * memory left. A constant that the library allocates on first use would be leaked in each round, because Swift never
 * frees it.
 *
 *     reloaded LIBRARY FOLDER (stores are created in this folder)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fencepost.h"

enum {
  ROUNDS = 100
};

/* The number of allocations in use; it is counted here because glibc's statistics include freed blocks that glibc keeps
   for reuse. */
static long in_use;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static void *counted(void *block) {
  if (block != NULL) __atomic_add_fetch(&in_use, 1, __ATOMIC_RELAXED);
  return block;
}
void free(void *block) {
  if (block != NULL) __atomic_sub_fetch(&in_use, 1, __ATOMIC_RELAXED);
  __libc_free(block);
}
void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *realloc(void *block, size_t size) {
  return block == NULL ? counted(__libc_realloc(NULL, size)) : __libc_realloc(block, size > 0 ? size : 1);
}
int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = counted(__libc_memalign(alignment, size));
  return *block == NULL ? ENOMEM : 0;
}

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

/* Returns the number of events in one round. */
static int visited(const char *path, const char *folder, int round) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  require(library != NULL, "not loaded");
  FUNCTION(fencepost_monitor_create);
  FUNCTION(fencepost_monitor_destroy);
  FUNCTION(fencepost_monitor_conditions);
  FUNCTION(fencepost_monitor_feed_fix);
  FUNCTION(fencepost_monitor_poll_event);
  FUNCTION(fencepost_version_string);
  FUNCTION(fencepost_conditions_create);
  FUNCTION(fencepost_conditions_add);
  FUNCTION(fencepost_conditions_ensure);
  FUNCTION(fencepost_conditions_destroy);
  FUNCTION(fencepost_fleet_create);
  FUNCTION(fencepost_fleet_enter_devices);
  FUNCTION(fencepost_fleet_feed_columns);
  FUNCTION(fencepost_fleet_destroy);
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  fencepost_monitor *monitor;
  char name[16];
  snprintf(name, sizeof name, "store%d", round % 3);
  options.store_directory = folder;
  require(fencepost_monitor_create_(name, &options, &monitor, NULL) == FENCEPOST_OK, "no store");
  fencepost_conditions *own;
  const fencepost_condition_definition office = fencepost_circle("office", 37, -122, 200);
  require(fencepost_monitor_conditions_(monitor, &own, NULL) == FENCEPOST_OK, "no table of the monitor");
  require(fencepost_conditions_ensure_(own, &office, 1, NULL, NULL) == FENCEPOST_OK, "no office");
  double latitudes[] = {0, 0, 1, 1}, longitudes[] = {0, 1, 0, 1};
  fencepost_geometry crossing = FENCEPOST_GEOMETRY_INIT;
  crossing.latitudes = latitudes, crossing.longitudes = longitudes, crossing.vertex_count = 4;
  const fencepost_condition_definition polygon = fencepost_polygon("crossing", &crossing);
  require(fencepost_conditions_add_(own, &polygon, 1, NULL) != FENCEPOST_OK, "edges may cross");
  fencepost_conditions_destroy_(own);
  /* This folder does not exist, and its name is so long that the error message leaves out the middle of the name. */
  static char endless[2000];
  memset(endless, '/', sizeof endless - 1);
  for (size_t at = 1; at < sizeof endless - 1; at += 2) endless[at] = 'x';
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *none;
  options.store_directory = endless;
  require(fencepost_monitor_create_("none", &options, &none, &error) != FENCEPOST_OK, "a store in no folder");
  require(strstr(error.message, "\xe2\x80\xa6") != NULL, "the message is short");
  require(strchr(fencepost_version_string_(), '.') != NULL, "no version");
  int events = 0;
  for (int step = 0; step < 2; step++) {
    fencepost_fix fix = {37 + step, -122, 5, 1700000000000000 + (2 * round + step) * INT64_C(1000000000)};
    require(fencepost_monitor_feed_fix_(monitor, &fix, NULL) == FENCEPOST_OK, "not fed");
  }
  fencepost_event event;
  uint32_t available = 1;
  while (fencepost_monitor_poll_event_(monitor, &event, &available, NULL) == FENCEPOST_OK && available != 0) events++;
  fencepost_monitor_destroy_(monitor);
  fencepost_conditions *zones;
  fencepost_fleet *fleet;
  const char *name_of_device = "truck";
  fencepost_device number;
  require(fencepost_conditions_create_(&zones, NULL) == FENCEPOST_OK, "no table");
  require(fencepost_conditions_add_(zones, &office, 1, NULL) == FENCEPOST_OK, "no zone");
  fencepost_options of_fleet = FENCEPOST_FLEET_OPTIONS_INIT;
  of_fleet.conditions = zones;
  require(fencepost_fleet_create_(&of_fleet, &fleet, NULL) == FENCEPOST_OK, "no fleet");
  require(fencepost_fleet_enter_devices_(fleet, &name_of_device, 1, 1, &number, NULL) == FENCEPOST_OK, "no device");
  double latitude[] = {37, 37.001}, longitude[] = {-122, -122};
  int64_t time[] = {1700000000000000, 1700000100000000};
  fencepost_device numbers[] = {number, number};
  fencepost_fleet_columns rows = FENCEPOST_FLEET_COLUMNS_INIT;
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fixes.latitudes = latitude, fixes.longitudes = longitude, fixes.times_us = time;
  rows.devices = numbers, rows.fixes = &fixes;
  require(fencepost_fleet_feed_columns_(fleet, &rows, 2, NULL, NULL) == FENCEPOST_OK, "the fleet is not fed");
  fencepost_fleet_destroy_(fleet);
  fencepost_conditions_destroy_(zones);
  require(dlclose(library) == 0, "not closed");
  require(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL, "it is still loaded");
  return events;
}

int main(int count, char **arguments) {
  require(count == 3, "usage: reloaded LIBRARY FOLDER");
  long before = 0;
  int open = 0, events = 0;
  for (int round = 0; round < 2 * ROUNDS; round++) {
    if (round == ROUNDS) before = in_use, open = descriptors();
    events += visited(arguments[1], arguments[2], round);
  }
  long kept = in_use - before;
  require(events >= 2 * ROUNDS, "an event is missing");
  require(descriptors() == open, "it keeps descriptors");
  require(before > 0, "allocations are not counted");
  /* Other code may keep some allocations, but fewer than one in ten rounds. */
  if (kept > ROUNDS / 10) {
    fprintf(stderr, "reloaded: %d rounds keep %ld allocations\n", ROUNDS, kept);
    return 1;
  }
  return 0;
}
