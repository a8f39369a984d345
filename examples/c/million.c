/*
 * Follows a million devices among a hundred thousand circles, polygons and corridors on two threads, and stores them.
 *
 *     million [DEVICES [CONDITIONS [ROUNDS [DIRECTORY]]]]     (the defaults 4000, 2000 and 8 are quick; try 1000000
 *                                                             100000 20)
 *
 * DIRECTORY must be empty; without this argument, a temporary directory is used and removed at the end.
 *
 * Two fleets share one table, each with half of the devices and its own store: feeding one fleet never waits for the
 * other. In each round each device moves by up to 300 m; the order of the devices is unrelated to their positions.
 * After the last round, both fleets are saved, closed and opened again, and then continue. Machine-dependent figures go
 * to standard error.
 */
#define _DEFAULT_SOURCE
#include <fencepost.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
  FLEETS = 2,
  BLOCK = 65536,
  EVENTS = 4096
};

/* The size of the area, in degrees; the area is about as large as a country. */
static const double SOUTH = 46, WEST = 6, SIZE = 4;

static void require(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) return;
  fprintf(stderr, "million: %s\n", error->message);
  exit(1);
}

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Measures the elapsed time by the clock, and the processor time, which other programs do not affect. */
typedef struct taken {
  double clock, processor;
} taken;

static taken begin(void) { return (taken){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)}; }

static taken since(taken start) {
  taken now = begin();
  return (taken){now.clock - start.clock, now.processor - start.processor};
}

static double megabytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

/* Returns a pseudo-random number from 0 to 1, the same on every machine (splitmix64). */
static double chance(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Of ten conditions, seven are circles, two are polygons with eight corners, and one is a corridor with three
   vertices. */
static void add_conditions(fencepost_conditions *table, size_t count) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  uint64_t random = 1;
  static const double around[][2] = {{1, 0}, {.7, .7}, {0, 1}, {-.7, .7}, {-1, 0}, {-.7, -.7}, {0, -1}, {.7, -.7}};
  for (size_t i = 0; i < count; i++) {
    char name[32];
    snprintf(name, sizeof name, "place %zu", i);
    double latitude = SOUTH + SIZE * chance(&random), longitude = WEST + SIZE * chance(&random);
    double radius = 50 + 450 * chance(&random), degrees = radius / 111000;
    double latitudes[8], longitudes[8];
    size_t corners = i % 10 == 9 ? 3 : 8;
    for (size_t corner = 0; corner < corners; corner++) {
      latitudes[corner] = latitude + degrees * (corners == 3 ? (double)corner : around[corner][0]);
      longitudes[corner] = longitude + degrees * (corners == 3 ? (double)(corner % 2) : around[corner][1]);
    }
    fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
    geometry.latitudes = latitudes;
    geometry.longitudes = longitudes;
    geometry.vertex_count = corners;
    fencepost_condition_definition definition = i % 10 < 7   ? fencepost_circle(name, latitude, longitude, radius)
                                                : i % 10 < 9 ? fencepost_polygon(name, &geometry)
                                                             : fencepost_corridor(name, &geometry, radius / 4);
    require(fencepost_conditions_add(table, &definition, 1, &error), &error);
  }
}

/* A worker's fleet, with its devices and their positions. */
typedef struct worker {
  fencepost_fleet *fleet;
  uint32_t devices;
  fencepost_device *numbers;
  double *latitudes, *longitudes;
  uint64_t random;
  uint32_t rounds, begun;
  uint64_t fixes, events;
} worker;

static void poll(worker *me) {
  static _Thread_local fencepost_event events[EVENTS];
  fencepost_error error = FENCEPOST_ERROR_INIT;
  size_t count = EVENTS;
  while (count == EVENTS) {
    require(fencepost_fleet_poll_events(me->fleet, events, EVENTS, &count, &error), &error);
    me->events += count;
  }
  require(fencepost_fleet_acknowledge(me->fleet, &error), &error);
}

static void *work(void *argument) {
  worker *me = argument;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  double *latitudes = malloc(BLOCK * sizeof(double)), *longitudes = malloc(BLOCK * sizeof(double));
  fencepost_device *devices = malloc(BLOCK * sizeof *devices);
  for (uint32_t round = me->begun; round < me->begun + me->rounds; round++) {
    /* The stride is coprime to the number of devices, so each device comes once per round, in a different order. */
    uint32_t stride = 2654435761u % me->devices | 1, device = round % me->devices;
    int64_t time = 1700000000000000 + (int64_t)round * 10000000;
    for (uint32_t first = 0; first < me->devices; first += BLOCK) {
      uint32_t count = me->devices - first < BLOCK ? me->devices - first : BLOCK;
      for (uint32_t row = 0; row < count; row++) {
        device = (device + stride) % me->devices;
        me->latitudes[device] += (chance(&me->random) - 0.5) * 0.0054;
        me->longitudes[device] += (chance(&me->random) - 0.5) * 0.0078;
        devices[row] = me->numbers[device];
        latitudes[row] = me->latitudes[device];
        longitudes[row] = me->longitudes[device];
      }
      fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
      fixes.latitudes = latitudes;
      fixes.longitudes = longitudes;
      fixes.times_us = &time;
      fixes.time_stride = 0; /* all fixes of a round have the same time */
      fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
      columns.devices = devices;
      columns.fixes = &fixes;
      fencepost_feed_result result;
      require(fencepost_fleet_feed_columns(me->fleet, &columns, count, &result, &error), &error);
      me->fixes += result.accepted;
      poll(me);
    }
  }
  free(latitudes);
  free(longitudes);
  free(devices);
  return NULL;
}

/* Runs one step on all workers in parallel; returns the elapsed time. */
static taken together(worker *workers, void *(*run)(void *)) {
  pthread_t threads[FLEETS];
  taken start = begin();
  for (int i = 0; i < FLEETS; i++) pthread_create(&threads[i], NULL, run, &workers[i]);
  for (int i = 0; i < FLEETS; i++) pthread_join(threads[i], NULL);
  return since(start);
}

static void *save(void *argument) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  require(fencepost_fleet_checkpoint(((worker *)argument)->fleet, &error), &error);
  return NULL;
}

static fencepost_fleet *open_fleet(fencepost_conditions *table, const char *directory, int number) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  char name[16];
  snprintf(name, sizeof name, "fleet_%d", number);
  options.conditions = table;
  options.name = name;
  options.store_directory = directory;
  /* Changes are saved at checkpoints: each hour of event time, and at the host's request. */
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  options.checkpoint_interval_us = 3600 * INT64_C(1000000);
  fencepost_fleet *fleet;
  require(fencepost_fleet_create(&options, &fleet, &error), &error);
  return fleet;
}

int main(int arguments, char **values) {
  uint32_t devices = arguments > 1 ? (uint32_t)atol(values[1]) : 4000;
  size_t conditions = arguments > 2 ? (size_t)atol(values[2]) : 2000;
  uint32_t rounds = arguments > 3 ? (uint32_t)atol(values[3]) : 8;
  char own[] = "/tmp/fencepost-million-XXXXXX";
  const char *directory = arguments > 4 ? values[4] : mkdtemp(own);
  if (devices < 2 * FLEETS || rounds < 2 || directory == NULL) return 2;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_conditions *table;
  require(fencepost_conditions_create(&table, &error), &error);
  taken start = begin();
  add_conditions(table, conditions);
  taken time = since(start);
  fprintf(stderr, "%zu conditions: %.2f s (processor %.2f s), %.0f MB\n", conditions, time.clock, time.processor,
          megabytes());

  static worker workers[FLEETS];
  for (int i = 0; i < FLEETS; i++) {
    worker *me = &workers[i];
    me->devices = devices / FLEETS;
    me->random = 100 + (uint64_t)i;
    me->rounds = rounds / 2;
    me->numbers = malloc(me->devices * sizeof *me->numbers);
    me->latitudes = malloc(me->devices * sizeof *me->latitudes);
    me->longitudes = malloc(me->devices * sizeof *me->longitudes);
    me->fleet = open_fleet(table, directory, i);
    for (uint32_t device = 0; device < me->devices; device++) {
      char text[32];
      const char *name = text;
      snprintf(text, sizeof text, "vehicle %u", device * FLEETS + (uint32_t)i);
      require(fencepost_fleet_enter_devices(me->fleet, &name, 1, 1, &me->numbers[device], &error), &error);
      me->latitudes[device] = SOUTH + SIZE * chance(&me->random);
      me->longitudes[device] = WEST + SIZE * chance(&me->random);
    }
  }
  double before = megabytes();
  time = together(workers, work);
  for (int i = 0; i < FLEETS; i++) workers[i].begun = rounds / 2;
  uint64_t fixes = workers[0].fixes + workers[1].fixes;
  fprintf(stderr, "%llu fixes on two threads, first ones included: %.2f s (processor %.2f s), %.0f a second\n",
          (unsigned long long)fixes, time.clock, time.processor, (double)fixes / time.clock);
  fprintf(stderr, "the fleets take %.0f bytes a device, identifiers apart\n",
          (megabytes() - before) * 1048576 / devices);
  time = together(workers, save);
  fprintf(stderr, "all saved: %.2f s (processor %.2f s)\n", time.clock, time.processor);
  for (int i = 0; i < FLEETS; i++) {
    require(fencepost_fleet_close(workers[i].fleet, &error), &error);
    fencepost_fleet_destroy(workers[i].fleet);
  }
  fencepost_conditions_destroy(table);

  /* Measures a restart: the conditions table starts empty, and the first store that is opened fills it. */
  require(fencepost_conditions_create(&table, &error), &error);
  start = begin();
  for (int i = 0; i < FLEETS; i++) workers[i].fleet = open_fleet(table, directory, i);
  time = since(start);
  taken opened = time;
  fprintf(stderr, "opened from their stores: %.2f s (processor %.2f s)\n", time.clock, time.processor);
  time = together(workers, work);
  fixes = workers[0].fixes + workers[1].fixes - fixes;
  fprintf(stderr, "%llu fixes more: %.2f s (processor %.2f s), %.0f a second; %.0f MB at the peak\n",
          (unsigned long long)fixes, time.clock, time.processor, (double)fixes / time.clock, megabytes());
  fencepost_fleet_counters statistics = FENCEPOST_FLEET_COUNTERS_INIT;
  uint64_t known = 0;
  for (int i = 0; i < FLEETS; i++) {
    require(fencepost_fleet_statistics(workers[i].fleet, &statistics, &error), &error);
    known += statistics.device_count;
    if (statistics.handed_out_events != workers[i].events) return 1;
  }
  printf("%llu devices among %llu conditions, %llu fixes, %llu events\n", (unsigned long long)known,
         (unsigned long long)statistics.condition_count, (unsigned long long)(workers[0].fixes + workers[1].fixes),
         (unsigned long long)(workers[0].events + workers[1].events));
  fprintf(stderr,
          "in short: %.0f fixes a second on two threads, %.0f a second of a processor; %.0f MB; opened in %.2f s\n",
          (double)fixes / time.clock, (double)fixes / time.processor, megabytes(), opened.clock);
  for (int i = 0; i < FLEETS; i++) {
    fencepost_fleet_destroy(workers[i].fleet);
    free(workers[i].numbers);
    free(workers[i].latitudes);
    free(workers[i].longitudes);
  }
  fencepost_conditions_destroy(table);
  for (int i = 0; i < FLEETS && directory == own; i++) {
    char path[sizeof own + 32];
    snprintf(path, sizeof path, "%s/fleet_%d.fencepost", own, i);
    unlink(path);
  }
  if (directory == own) rmdir(own);
  return 0;
}
