/*
 * Follows very many devices among very many places: reads rows from a pipe and writes events to standard output.
 *
 *     fleet [DEVICES [ROUNDS]]
 *
 * A thread simulates a message broker: for each of DEVICES vehicles (default 2000), it writes ROUNDS rows (default 8)
 * into a pipe. The program reads blocks of rows and feeds them in place. Rows may have other members, because a column
 * is described by a pointer to its first value and by a stride. Each row has a vehicle number, which is an index into a
 * dictionary of the fleet's own device numbers. The program prints the first events as JSON Lines and the number of
 * events; try 1000000 devices.
 */
#define _POSIX_C_SOURCE 200809L
#include <fencepost.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BLOCK = 4096,
  EVENTS = 1024,
  PLACES = 100, /* numbers of rows and columns in the grid of depots */
  SHOWN = 3
};

/* The layout of a row that the message broker sends. */
typedef struct row {
  double latitude, longitude;
  int64_t time_us;
  uint32_t vehicle;
  uint32_t speed; /* not used here */
} row;

typedef struct broker {
  int pipe;
  uint32_t vehicles, rounds;
} broker;

static void require(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) return;
  fprintf(stderr, "fleet: %s\n", error->message);
  exit(1);
}

/* Each vehicle drives east along its own parallel, half a kilometre in each round; a round is ten seconds. */
static void *send_rows(void *argument) {
  const broker *me = argument;
  static row rows[BLOCK];
  size_t count = 0;
  for (uint32_t round = 0; round < me->rounds; round++) {
    for (uint32_t vehicle = 0; vehicle < me->vehicles; vehicle++) {
      row next = {47 + vehicle % PLACES * 0.02, 7 + vehicle / PLACES % 700 * 0.003 + round * 0.0065,
                  1700000000000000 + round * INT64_C(10000000), vehicle, 50};
      rows[count++] = next;
      if (count < BLOCK && (vehicle + 1 < me->vehicles || round + 1 < me->rounds)) continue;
      for (size_t sent = 0; sent < count * sizeof(row);) {
        ssize_t written = write(me->pipe, (const char *)rows + sent, count * sizeof(row) - sent);
        if (written <= 0) exit(1);
        sent += (size_t)written;
      }
      count = 0;
    }
  }
  close(me->pipe);
  return NULL;
}

/* Reads a block of rows; the last block may be smaller. */
static size_t receive_rows(int pipe, row *rows) {
  size_t size = 0;
  for (ssize_t got; size < BLOCK * sizeof(row); size += (size_t)got) {
    got = read(pipe, (char *)rows + size, BLOCK * sizeof(row) - size);
    if (got <= 0) break;
  }
  return size / sizeof(row);
}

/* Adds a grid of depots in one call. */
static void add_depots(fencepost_conditions *depots) {
  static char texts[PLACES * PLACES][16];
  static const char *names[PLACES * PLACES];
  static double latitudes[PLACES * PLACES], longitudes[PLACES * PLACES], radii[PLACES * PLACES];
  fencepost_error error = FENCEPOST_ERROR_INIT;
  for (int i = 0; i < PLACES * PLACES; i++) {
    snprintf(texts[i], sizeof texts[i], "depot %d", i);
    names[i] = texts[i];
    latitudes[i] = 47 + i % PLACES * 0.02;
    longitudes[i] = 7 + i / PLACES * 0.03;
    radii[i] = 400;
  }
  require(fencepost_conditions_put_circles(depots, FENCEPOST_PUT_ADD, NULL, names, latitudes, longitudes, radii, NULL,
                                           PLACES * PLACES, NULL, &error),
          &error);
}

/* Fills the dictionary, which gives the fleet's device number for each vehicle index in the rows. */
static fencepost_device *enter_vehicles(fencepost_fleet *fleet, uint32_t count) {
  fencepost_device *numbers = malloc(count * sizeof *numbers);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (numbers == NULL) exit(1);
  for (uint32_t vehicle = 0; vehicle < count; vehicle++) {
    char text[24];
    const char *name = text;
    snprintf(text, sizeof text, "vehicle %u", (unsigned)vehicle);
    require(fencepost_fleet_enter_devices(fleet, &name, 1, 1, &numbers[vehicle], &error), &error);
  }
  return numbers;
}

/* Polls the pending events; returns how many vehicles entered a depot. */
static uint64_t print_events(fencepost_fleet *fleet, uint64_t *handled) {
  static fencepost_event events[EVENTS];
  fencepost_error error = FENCEPOST_ERROR_INIT;
  uint64_t entered = 0;
  size_t count;
  do {
    require(fencepost_fleet_poll_events(fleet, events, EVENTS, &count, &error), &error);
    for (size_t i = 0; i < count; i++) {
      char json[8192], vehicle[FENCEPOST_IDENTIFIER_MAX + 1];
      entered += events[i].state == FENCEPOST_STATE_SATISFIED;
      if (events[i].position > SHOWN) continue;
      require(fencepost_fleet_device_identifier(fleet, events[i].device, vehicle, sizeof vehicle, NULL, &error),
              &error);
      require(fencepost_event_json(&events[i], vehicle, json, sizeof json, NULL, &error), &error);
      puts(json);
    }
    *handled += count;
  } while (count > 0);
  return entered;
}

int main(int argc, char **argv) {
  int ends[2];
  broker broker = {0, argc > 1 ? (uint32_t)atol(argv[1]) : 2000, argc > 2 ? (uint32_t)atol(argv[2]) : 8};
  pthread_t thread;
  fencepost_conditions *depots;
  fencepost_fleet *fleet;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (broker.vehicles == 0 || broker.rounds == 0 || pipe(ends) != 0) return 1;
  require(fencepost_conditions_create(&depots, &error), &error);
  add_depots(depots);
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.conditions = depots;
  require(fencepost_fleet_create(&options, &fleet, &error), &error);
  fencepost_device *numbers = enter_vehicles(fleet, broker.vehicles);
  broker.pipe = ends[1];
  if (pthread_create(&thread, NULL, send_rows, &broker) != 0) return 1;

  static row rows[BLOCK];
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fixes.latitudes = &rows->latitude, fixes.longitudes = &rows->longitude, fixes.times_us = &rows->time_us;
  fixes.latitude_stride = fixes.longitude_stride = fixes.time_stride = sizeof(row);
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  columns.devices = &rows->vehicle;
  columns.device_width = sizeof rows->vehicle, columns.device_stride = sizeof(row);
  columns.dictionary = numbers, columns.dictionary_count = broker.vehicles;
  columns.fixes = &fixes;

  uint64_t fed = 0, handled = 0, entered = 0;
  for (size_t count; (count = receive_rows(ends[0], rows)) > 0; fed += count) {
    require(fencepost_fleet_feed_columns(fleet, &columns, count, NULL, &error), &error);
    entered += print_events(fleet, &handled);
  }
  pthread_join(thread, NULL);
  /* Use the broker's clock: advancing the fleet confirms finished dwells of all vehicles in one call. */
  require(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES,
                                  1700000000000000 + (broker.rounds + 2) * INT64_C(10000000), 0, &error),
          &error);
  entered += print_events(fleet, &handled);

  fencepost_condition_state inside[4];
  size_t count;
  require(fencepost_fleet_list_conditions(fleet, numbers[0], FENCEPOST_STATE_SATISFIED, 0, inside, 4, &count, &error),
          &error);
  printf("vehicle 0 is inside of %zu depots\n", count);
  printf("%llu fixes of %u vehicles among %d depots: %llu events, %llu arrivals\n", (unsigned long long)fed,
         (unsigned)broker.vehicles, PLACES * PLACES, (unsigned long long)handled, (unsigned long long)entered);
  free(numbers);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(depots);
  return 0;
}
