/* For each of many unrelated points, finds the places that contain it; for one point, finds the nearest boundaries.
   Takes the points as columns, and returns the result as compressed rows. */
#include <fencepost.h>
#include <stdio.h>
#include <stdlib.h>

static void check(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) return;
  fprintf(stderr, "%s: %s\n", fencepost_status_name(status), error->message);
  exit(1);
}

int main(void) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *monitor = NULL;
  check(fencepost_monitor_create(NULL, NULL, &monitor, &error), &error);
  check(fencepost_monitor_add_circular_condition(monitor, "campus", 37.4219, -122.0841, 800, NULL, &error), &error);
  check(fencepost_monitor_add_circular_condition(monitor, "shoreline", 37.4267, -122.0806, 1500, NULL, &error), &error);
  check(fencepost_monitor_add_circular_condition(monitor, "park", 37.3349, -122.0090, 300, NULL, &error), &error);

  /* The monitor's table answers the questions. */
  fencepost_conditions *table = NULL;
  check(fencepost_monitor_conditions(monitor, &table, &error), &error);

  /* The library reads the points from the caller's rows without copying them. */
  typedef struct shop {
    const char *name;
    double latitude, longitude;
  } shop;
  static const shop shops[] = {
      {"bakery", 37.4222, -122.0850}, {"kiosk", 37.3350, -122.0091}, {"boat", 37.4329, -122.0880}, {"bar", 0, 0}};
  enum {
    SHOPS = sizeof shops / sizeof *shops
  };
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  columns.latitudes = &shops[0].latitude;
  columns.longitudes = &shops[0].longitude;
  columns.latitude_stride = columns.longitude_stride = sizeof shops[0];

  /* First pass a likely capacity. If it is too small, pass the size that the library reports. */
  int64_t offsets[SHOPS + 1];
  size_t room = 2, size = 0;
  uint64_t *generations = NULL;
  double *distances = NULL;
  for (;; room = size) {
    generations = realloc(generations, room * sizeof *generations);
    distances = realloc(distances, room * sizeof *distances);
    if (generations == NULL || distances == NULL) return 1;
    fencepost_status status = fencepost_conditions_containing_columns(table, &columns, SHOPS, offsets, generations,
                                                                      distances, room, &size, &error);
    if (status == FENCEPOST_OK) break;
    if (status != FENCEPOST_E_BUFFER_TOO_SMALL) check(status, &error);
  }
  for (size_t row = 0; row < SHOPS; row++) {
    printf("%s:", shops[row].name);
    for (int64_t at = offsets[row]; at < offsets[row + 1]; at++) {
      char name[FENCEPOST_IDENTIFIER_MAX + 1];
      size_t length;
      check(fencepost_conditions_identifiers_of_generations(table, &generations[at], 1, name, sizeof name, &length,
                                                            &error),
            &error);
      printf(" %s (%.3f m)", name, distances[at]);
    }
    puts(offsets[row] == offsets[row + 1] ? " nowhere" : "");
  }

  uint64_t nearest[2];
  double far[2];
  size_t count;
  check(fencepost_conditions_nearest(table, 37.38, -122.05, 2, nearest, far, &count, &error), &error);
  char names[2 * (FENCEPOST_IDENTIFIER_MAX + 1)];
  check(fencepost_conditions_identifiers_of_generations(table, nearest, count, names, sizeof names, &size, &error),
        &error);
  printf("nearest: %s, %.3f m away\n", names, far[0]);

  free(generations);
  free(distances);
  fencepost_conditions_destroy(table);
  fencepost_monitor_destroy(monitor);
  return 0;
}
