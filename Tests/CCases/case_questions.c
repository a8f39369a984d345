/* Tests queries about points (for the conditions that contain them, and for the nearest boundaries), and the columns,
   capacities and misuse of these queries. */
#include "check.h"

enum {
  PLACES = 12,
  ROWS = 200
};

/* Creates circles on the equator, one polygon, one corridor and one beacon; their generations are 1 to PLACES + 3. */
static fencepost_monitor *places(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  char identifier[16];
  for (int i = 0; i < PLACES; i++) {
    snprintf(identifier, sizeof identifier, "circle-%d", i);
    CHECK_OK(fencepost_monitor_add_circular_condition(monitor, identifier, 0, 0.01 * i, 2000, NULL, NULL));
  }
  const double latitudes[] = {-0.01, -0.01, 0.01, 0.01}, longitudes[] = {0, 0.05, 0.05, 0};
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes;
  geometry.longitudes = longitudes;
  geometry.vertex_count = 4;
  CHECK_OK(ON_OWN(monitor, add_one, fencepost_polygon("square", &geometry), NULL));
  geometry.vertex_count = 2;
  CHECK_OK(ON_OWN(monitor, add_one, fencepost_corridor("way", &geometry, 300), NULL));
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "beacon", beacon_uuid, -1, -1, NULL, NULL));
  return monitor;
}

static void one_point(void) {
  fencepost_monitor *monitor = places();
  uint64_t generations[8];
  double distances[8];
  size_t count = 99;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing, 0, 0.001, generations, distances, 8, &count, NULL));
  CHECK_INT(count, 3);
  CHECK_INT(generations[0], 1);
  CHECK_INT(generations[1], 2);
  CHECK_INT(generations[2], PLACES + 1);
  CHECK_NEAR(distances[0], 111.3194908 - 2000, 1e-6);
  CHECK_NEAR(distances[2], -111.3194908, 1e-4);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing, 0, 0.001, NULL, NULL, 0, &count, NULL));
  CHECK_INT(count, 3);
  generations[0] = 77;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing, 0, 0.001, generations, NULL, 2, &count, NULL),
               FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(count, 3);
  CHECK_INT(generations[0], 77);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing, 0, 0.001, generations, NULL, 3, &count, NULL));
  CHECK_INT(generations[2], PLACES + 1);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing, 80, 100, generations, distances, 8, &count, NULL));
  CHECK_INT(count, 0);

  CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest, 0, 0.001, 2, generations, distances, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_INT(generations[0], PLACES + 1);
  CHECK_NEAR(distances[0], -111.3194908, 1e-4);
  CHECK(fabs(distances[1]) >= fabs(distances[0]));
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest, 0, 0.001, 0, NULL, NULL, &count, NULL));
  CHECK_INT(count, 0);
  uint64_t all[40] = {0};
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest, -90, 12, 40, all, NULL, &count, NULL));
  CHECK_INT(count, PLACES + 2);
  CHECK_INT(all[PLACES + 2], 0);
  fencepost_monitor_destroy(monitor);
}

/* Whatever the strides of the columns, each row must give the same answer as a single query. The queries must not
   change the monitor. */
static void columns(void) {
  fencepost_monitor *monitor = places();
  struct {
    char odd;
    uint8_t latitude[8], longitude[8];
  } rows[ROWS];
  for (int i = 0; i < ROWS; i++) {
    double latitude = 0.02 * ((i * 37) % 100 - 50) / 50, longitude = 0.15 * ((i * 61) % 100 - 10) / 90;
    memcpy(rows[i].latitude, &latitude, 8);
    memcpy(rows[i].longitude, &longitude, 8);
  }
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  columns.latitudes = (const double *)(const void *)rows[ROWS - 1].latitude;
  columns.longitudes = (const double *)(const void *)rows[ROWS - 1].longitude;
  columns.latitude_stride = columns.longitude_stride = -(int64_t)sizeof rows[0];
  static char before[100000], after[100000];
  size_t bytes, same, size, needed, each;
  CHECK_OK(fencepost_monitor_snapshot(monitor, before, sizeof before, &bytes, NULL));
  int64_t offsets[ROWS + 1];
  static uint64_t generations[ROWS * 20], near[ROWS * 3];
  static double distances[ROWS * 20], lines[ROWS * 3];
  CHECK_OK(
      ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, ROWS, offsets, NULL, NULL, 0, &needed, NULL));
  CHECK_INT(offsets[ROWS], needed);
  CHECK(needed > ROWS / 2);
  memset(offsets, 0, sizeof offsets);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, ROWS, offsets, generations, distances,
                      needed - 1, &size, NULL),
               FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(size, needed);
  CHECK_INT(offsets[ROWS], needed);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, ROWS, offsets, generations, distances,
                  needed, &size, NULL));
  CHECK_INT(size, needed);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest_columns, &columns, ROWS, 3, near, lines, &each, NULL));
  CHECK_INT(each, 3);
  for (int i = 0; i < ROWS; i++) {
    double latitude, longitude, found_distances[20];
    uint64_t found[20];
    size_t count;
    memcpy(&latitude, rows[ROWS - 1 - i].latitude, 8);
    memcpy(&longitude, rows[ROWS - 1 - i].longitude, 8);
    CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing, latitude, longitude, found, found_distances, 20, &count,
                    NULL));
    CHECK_INT(offsets[i + 1] - offsets[i], count);
    CHECK(memcmp(found, generations + offsets[i], count * sizeof *found) == 0);
    CHECK(memcmp(found_distances, distances + offsets[i], count * sizeof *found_distances) == 0);
    CHECK_OK(
        ON_OWN(monitor, fencepost_conditions_nearest, latitude, longitude, 3, found, found_distances, &count, NULL));
    CHECK(memcmp(found, near + 3 * i, sizeof near[0] * 3) == 0);
    CHECK(memcmp(found_distances, lines + 3 * i, sizeof lines[0] * 3) == 0);
  }
  CHECK_OK(fencepost_monitor_snapshot(monitor, after, sizeof after, &same, NULL));
  CHECK(same == bytes && memcmp(before, after, bytes) == 0);
  CHECK_INT(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, 0, offsets, NULL, NULL, 0, &size, NULL),
            0);
  CHECK_INT(offsets[0], 0);
  CHECK_INT(size, 0);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest_columns, &columns, 0, 3, NULL, NULL, &each, NULL));
  CHECK_INT(each, 0);
  fencepost_monitor_destroy(monitor);
}

static void names(void) {
  fencepost_monitor *monitor = places();
  uint32_t removed;
  CHECK_OK(ON_OWN(monitor, remove_named, "circle-1", &removed, NULL));
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "circle-2", 0, 0, 5, NULL, NULL));
  const uint64_t generations[] = {PLACES + 1, 2, 3, 1, PLACES + 4, 0, UINT64_MAX, 1};
  static const char expected[] = "square\0\0\0circle-0\0circle-2\0\0\0circle-0";
  char buffer[64];
  size_t size;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers_of_generations, generations, 8, NULL, 0, &size, NULL));
  CHECK_INT(size, sizeof expected);
  memset(buffer, 'x', sizeof buffer);
  CHECK_STATUS(
      ON_OWN(monitor, fencepost_conditions_identifiers_of_generations, generations, 8, buffer, size - 1, &size, NULL),
      FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(size, sizeof expected);
  CHECK_INT(buffer[size - 1], 'x');
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers_of_generations, generations, 8, buffer, size, &size, NULL));
  CHECK(memcmp(buffer, expected, sizeof expected) == 0);
  CHECK_INT(buffer[size], 'x');
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers_of_generations, NULL, 0, NULL, 0, &size, NULL));
  CHECK_INT(size, 0);
  fencepost_monitor_destroy(monitor);
}

static void misuse(void) {
  fencepost_monitor *monitor = places();
  double latitudes[ROWS] = {0}, longitudes[ROWS] = {0}, distance = 7;
  uint64_t generations[4] = {7, 7, 7, 7};
  int64_t offsets[ROWS + 1] = {7};
  size_t count = 7;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT, broken;
  columns.latitudes = latitudes;
  columns.longitudes = longitudes;
#define CHECK_BOTH(columns, rows, expected)                                                                          \
  do {                                                                                                               \
    CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing_columns, columns, rows, offsets, generations, NULL, \
                        4, &count, &error),                                                                          \
                 expected);                                                                                          \
    CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_nearest_columns, columns, rows, 1, generations, &distance,     \
                        &count, &error),                                                                             \
                 expected);                                                                                          \
    CHECK(offsets[0] == 7 && generations[0] == 7 && count == 7 && distance == 7);                                    \
  } while (0)
  const double bad[] = {NAN, INFINITY, -INFINITY, 90.0000001, -1e300};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    for (size_t row = 0; row < ROWS; row += 99) {
      latitudes[row] = bad[i];
      CHECK_BOTH(&columns, ROWS, FENCEPOST_E_INVALID_ARGUMENT);
      CHECK_INT(error.position, row);
      CHECK(strncmp(error.message, "row ", 4) == 0);
      latitudes[row] = 0;
      longitudes[row] = 2 * bad[i];
      CHECK_BOTH(&columns, ROWS, FENCEPOST_E_INVALID_ARGUMENT);
      CHECK_INT(error.position, row);
      longitudes[row] = 0;
    }
    CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing, bad[i], 0, generations, NULL, 4, &count, NULL),
                 FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_nearest, 0, 2 * bad[i], 1, generations, NULL, &count, NULL),
                 FENCEPOST_E_INVALID_ARGUMENT);
  }
#define CHECK_BROKEN(change, expected) \
  do {                                 \
    broken = columns;                  \
    change;                            \
    CHECK_BOTH(&broken, 1, expected);  \
  } while (0)
  CHECK_BROKEN(broken.latitudes = NULL, FENCEPOST_E_NULL_ARGUMENT);
  CHECK_BROKEN(broken.longitudes = NULL, FENCEPOST_E_NULL_ARGUMENT);
  CHECK_BROKEN(broken.struct_size = 0, FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_BROKEN(broken.reserved = 1, FENCEPOST_E_UNSUPPORTED);
  CHECK_BOTH(NULL, 1, FENCEPOST_E_NULL_ARGUMENT);
  CHECK_BOTH(&columns, SIZE_MAX, FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_BOTH(&columns, SIZE_MAX / 2, FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_nearest_columns, &columns, 8, SIZE_MAX / 16, generations, NULL,
                      &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(
      ON_OWN(monitor, fencepost_conditions_nearest_columns, &columns, 1, SIZE_MAX, generations, NULL, &count, NULL),
      FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_nearest, 0, 0, SIZE_MAX, generations, NULL, &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_nearest, 0, 0, 1, NULL, NULL, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_nearest, 0, 0, 1, generations, NULL, NULL, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(NULL, fencepost_conditions_nearest, 0, 0, 1, generations, NULL, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(NULL, fencepost_conditions_containing, 0, 0, generations, NULL, 4, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing, 0, 0, NULL, NULL, 4, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing, 0, 0, generations, NULL, SIZE_MAX, &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing, 0, 0, generations, NULL, 4, NULL, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(
      ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, 1, NULL, generations, NULL, 4, &count, NULL),
      FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(
      ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, 1, offsets, NULL, NULL, 4, &count, NULL),
      FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(
      ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, 1, offsets, generations, NULL, 4, NULL, NULL),
      FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_identifiers_of_generations, NULL, 1, NULL, 0, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(
      ON_OWN(monitor, fencepost_conditions_identifiers_of_generations, generations, SIZE_MAX, NULL, 0, &count, NULL),
      FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_identifiers_of_generations, generations, 1, NULL, 9, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK(offsets[0] == 7 && generations[0] == 7 && count == 7);
  fencepost_monitor_destroy(monitor);
}

/* Queries so many rows that the library sorts and groups them. The rows lie on boundaries, at poles, and where the
 * longitude jumps. The second turn reuses slots, and all its rows have the same latitude. */
static void many_rows(void) {
  enum {
    MANY = 35000
  };
  static double latitudes[MANY], longitudes[MANY], distances[MANY * 8];
  static int64_t offsets[MANY + 1];
  static uint64_t generations[MANY * 8], near[MANY * 2];
  fencepost_monitor *monitor = places();
  char identifier[16];
  const double ends[] = {-180, 180, 179.99999, 0};
  for (int i = 0; i < 8; i++) {
    snprintf(identifier, sizeof identifier, "end-%d", i);
    CHECK_OK(fencepost_monitor_add_circular_condition(monitor, identifier, i < 4 ? 89.99 : -90, ends[i % 4],
                                                      i < 4 ? 3000 : 0.001, NULL, NULL));
    snprintf(identifier, sizeof identifier, "jump-%d", i);
    CHECK_OK(fencepost_monitor_add_circular_condition(monitor, identifier, 0.001 * i, ends[i % 2], 500, NULL, NULL));
  }
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "all", 10, 10, 2.1e7, NULL, NULL));
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "most", 10, 10, 1.9e7, NULL, NULL));
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < MANY; i++) {
      double part = (double)(i * 37 % 1000) / 1000;
      switch (i % 6) {
        case 0: latitudes[i] = 0.02 * part - 0.01, longitudes[i] = 0.15 * part; break;
        case 1: latitudes[i] = 0.01 * (i % 4 - 1), longitudes[i] = 0.05 * (i / 6 % 2); break; /* on the boundary */
        case 2: latitudes[i] = i % 4 < 2 ? 90 : -90, longitudes[i] = 360 * part - 180; break;
        case 3: latitudes[i] = 90 - 0.05 * part, longitudes[i] = ends[i / 6 % 4]; break;
        case 4: latitudes[i] = 0.01 * part, longitudes[i] = (i / 6 % 2 ? 1 : -1) * (180 - 0.005 * part); break;
        default: latitudes[i] = 180 * part - 90, longitudes[i] = 360 * (double)(i % 997) / 997 - 180; break;
      }
    }
    fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
    columns.latitudes = latitudes;
    columns.longitudes = longitudes;
    if (turn == 1) {
      uint32_t removed;
      CHECK_OK(ON_OWN(monitor, remove_named, "circle-3", &removed, NULL));
      CHECK_OK(ON_OWN(monitor, remove_named, "all", &removed, NULL));
      CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "all", 10, 10, 2.1e7, NULL, NULL));
      CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "late", 0, 0.03, 1500, NULL, NULL));
      columns.latitudes = &latitudes[2400];
      columns.latitude_stride = 0;
    }
    size_t size = 0, each = 0;
    CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, MANY, offsets, generations, NULL, 1,
                        &size, NULL),
                 FENCEPOST_E_BUFFER_TOO_SMALL);
    CHECK(size > MANY && size < MANY * 8);
    size_t needed = size;
    CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, MANY, offsets, generations,
                        distances, needed - 1, &size, NULL),
                 FENCEPOST_E_BUFFER_TOO_SMALL);
    generations[needed] = 77;
    CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, MANY, offsets, generations, distances,
                    needed, &size, NULL));
    CHECK(size == needed && offsets[MANY] == (int64_t)needed && generations[needed] == 77);
    CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest_columns, &columns, MANY, 2, near, NULL, &each, NULL));
    CHECK_INT(each, 2);
    for (int i = 0; i < MANY; i += 7) {
      double latitude = turn == 1 ? latitudes[2400] : latitudes[i], found_distances[40];
      uint64_t found[40];
      size_t count;
      CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing, latitude, longitudes[i], found, found_distances, 40,
                      &count, NULL));
      CHECK_INT(offsets[i + 1] - offsets[i], count);
      CHECK(memcmp(found, generations + offsets[i], count * sizeof *found) == 0);
      CHECK(memcmp(found_distances, distances + offsets[i], count * sizeof *found_distances) == 0);
      if (i % 5 != 0) continue;
      CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest, latitude, longitudes[i], 2, found, NULL, &count, NULL));
      CHECK(memcmp(found, near + 2 * i, 2 * sizeof *found) == 0);
    }
    /* Without distances, the engine decides by bounds alone; it must find the same pairs of points and conditions. */
    static uint64_t again[MANY * 8];
    CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, MANY, offsets, again, NULL, needed,
                    &size, NULL));
    CHECK(size == needed && memcmp(again, generations, needed * sizeof *again) == 0);
    /* The output arrays overlap the input points: the library may read wrong points, but it must not write beyond the
       output arrays. */
    columns.latitudes = latitudes;
    columns.latitude_stride = 8;
    fencepost_status status =
        ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, MANY - 1, (int64_t *)(void *)latitudes,
               (uint64_t *)(void *)longitudes, NULL, MANY, &size, NULL);
    CHECK(status == FENCEPOST_OK || status == FENCEPOST_E_INVALID_ARGUMENT || status == FENCEPOST_E_BUFFER_TOO_SMALL);
  }
  fencepost_monitor_destroy(monitor);
}

/* A table must give the same answers to queries as a monitor with the same conditions. */
static void of_a_table(void) {
  fencepost_monitor *monitor = places();
  static char bytes[100000];
  size_t size;
  CHECK_OK(fencepost_monitor_snapshot(monitor, bytes, sizeof bytes, &size, NULL));
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_conditions_restore(bytes, size, &table, NULL));
  double latitudes[ROWS], longitudes[ROWS];
  for (int i = 0; i < ROWS; i++) {
    latitudes[i] = 0.02 * ((i * 37) % 100 - 50) / 50;
    longitudes[i] = 0.15 * ((i * 61) % 100 - 10) / 90;
  }
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  columns.latitudes = latitudes;
  columns.longitudes = longitudes;
  static int64_t offsets[2][ROWS + 1];
  static uint64_t found[2][ROWS * 20];
  static double distances[2][ROWS * 20];
  size_t sizes[2], nearest[2];
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_containing_columns, &columns, ROWS, offsets[0], found[0], distances[0],
                  ROWS * 20, &sizes[0], NULL));
  CHECK_OK(fencepost_conditions_containing_columns(table, &columns, ROWS, offsets[1], found[1], distances[1], ROWS * 20,
                                                   &sizes[1], NULL));
  CHECK_INT(sizes[1], sizes[0]);
  CHECK(sizes[0] > ROWS / 2);
  CHECK(memcmp(offsets[0], offsets[1], sizeof offsets[0]) == 0);
  CHECK(memcmp(found[0], found[1], sizes[0] * sizeof found[0][0]) == 0);
  CHECK(memcmp(distances[0], distances[1], sizes[0] * sizeof distances[0][0]) == 0);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest_columns, &columns, ROWS, 3, found[0], distances[0], &nearest[0],
                  NULL));
  CHECK_OK(fencepost_conditions_nearest_columns(table, &columns, ROWS, 3, found[1], distances[1], &nearest[1], NULL));
  CHECK_INT(nearest[0], 3);
  CHECK_INT(nearest[1], 3);
  CHECK(memcmp(found[0], found[1], ROWS * 3 * sizeof found[0][0]) == 0);
  CHECK(memcmp(distances[0], distances[1], ROWS * 3 * sizeof distances[0][0]) == 0);
  for (int i = 0; i < ROWS; i++) {
    size_t counts[2];
    CHECK_OK(fencepost_conditions_containing(table, latitudes[i], longitudes[i], found[1], distances[1], 20, &counts[1],
                                             NULL));
    CHECK_INT(counts[1], offsets[0][i + 1] - offsets[0][i]);
    CHECK_OK(
        fencepost_conditions_nearest(table, latitudes[i], longitudes[i], 3, found[1], distances[1], &counts[1], NULL));
    CHECK(memcmp(found[0] + 3 * i, found[1], 3 * sizeof found[0][0]) == 0);
    double place[4];
    CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest_boundary_point, "way", latitudes[i], longitudes[i], &place[0],
                    &place[1], NULL));
    CHECK_OK(fencepost_conditions_nearest_boundary_point(table, "way", latitudes[i], longitudes[i], &place[2],
                                                         &place[3], NULL));
    CHECK(memcmp(place, place + 2, 2 * sizeof *place) == 0);
  }
  const uint64_t generations[] = {PLACES + 2, 77};
  char names[32];
  CHECK_OK(fencepost_conditions_identifiers_of_generations(table, generations, 2, names, sizeof names, &size, NULL));
  CHECK(size == 5 && memcmp(names, "way\0", 5) == 0);

  size_t count = 7;
  CHECK_STATUS(fencepost_conditions_containing(NULL, 0, 0, NULL, NULL, 0, &count, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_containing(table, 91, 0, NULL, NULL, 0, &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_containing_columns(table, NULL, 0, offsets[0], NULL, NULL, 0, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_nearest(table, 0, NAN, 1, found[0], NULL, &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_nearest_columns(table, &columns, 8, SIZE_MAX / 16, found[0], NULL, &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_nearest_boundary_point(table, "nowhere", 0, 0, &latitudes[0], &latitudes[1], NULL),
               FENCEPOST_E_NOT_FOUND);
  CHECK_STATUS(fencepost_conditions_identifiers_of_generations(table, NULL, 1, NULL, 0, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_INT(count, 7);
  fencepost_conditions_destroy(table);
  fencepost_monitor_destroy(monitor);
}

/* The probabilities of single positions have closed forms for a circle around the measured position, and for a half of
   the Earth's surface nearby. */
static void probabilities(void) {
  fencepost_monitor *monitor = places();
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_monitor_conditions(monitor, &table, NULL));
  const double latitudes[] = {0, 0, 0, 0}, longitudes[] = {0, 0, 2000 / 111319.49079327358, 1};
  const double accuracies[] = {1000, 0, 10, 1000};
  const double majors[] = {NAN, 800, 5, NAN}, minors[] = {NAN, 800, 0.1, NAN}, orientations[] = {NAN, 77, 0, NAN};
  double found[4] = {-1, -1, -1, -1};
  fencepost_measured_columns columns = FENCEPOST_MEASURED_COLUMNS_INIT;
  columns.latitudes = latitudes, columns.longitudes = longitudes;
  CHECK_OK(fencepost_conditions_probability(table, "circle-0", &columns, 4, 0.68, found, NULL));
  CHECK(found[0] == 1 && found[1] == 1 && found[3] == 0);
  columns.accuracies_m = accuracies, columns.majors_m = majors, columns.minors_m = minors;
  columns.orientations = orientations;
  CHECK_OK(fencepost_conditions_probability(table, "circle-0", &columns, 4, 0.68, found, NULL));
  /* 1 - 0.32 ^ (2000 / 1000) squared; 1 - exp(-(2000 / 800)^2 / 2); just under a half; far away. */
  CHECK_NEAR(found[0], 1 - pow(1 - 0.68, 4), 1e-7);
  CHECK_NEAR(found[1], 1 - exp(-0.5 * 2.5 * 2.5), 1e-7);
  CHECK(found[2] > 0.47 && found[2] < 0.5);
  CHECK(found[3] == 0);
  double again[4];
  for (int i = 0; i < 4; i++) {
    fencepost_measured_columns one = columns;
    one.latitudes += i, one.longitudes += i, one.accuracies_m += i;
    one.majors_m += i, one.minors_m += i, one.orientations += i;
    CHECK_OK(fencepost_conditions_probability(table, "circle-0", &one, 1, 0.68, again + i, NULL));
  }
  CHECK(memcmp(found, again, sizeof found) == 0);
  columns.accuracy_stride = 0; /* all rows share the first value */
  CHECK_OK(fencepost_conditions_probability(table, "square", &columns, 4, 0.95, found, NULL));
  CHECK(found[0] > 0.4 && found[0] < 0.5);
  CHECK_OK(fencepost_conditions_probability(table, "way", &columns, 0, 0.95, NULL, NULL));

  /* A refused call writes nothing. */
  fencepost_error error = FENCEPOST_ERROR_INIT;
  double kept[4];
  memcpy(kept, found, sizeof kept);
  const double wrong[][3] = {{NAN, 1, 0}, {1, 2, 0}, {1, -1, 0}, {INFINITY, 1, 0}, {2, 1, INFINITY}, {2, NAN, NAN}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    fencepost_measured_columns bad = columns;
    const double many[][3] = {{5, 5, 5}, {wrong[i][0], wrong[i][1], wrong[i][2]}};
    bad.majors_m = many[0], bad.minors_m = many[0] + 1, bad.orientations = many[0] + 2;
    bad.major_stride = bad.minor_stride = bad.orientation_stride = sizeof *many;
    CHECK_STATUS(fencepost_conditions_probability(table, "way", &bad, 2, 0.68, found, &error),
                 FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_INT(error.position, 1);
  }
  columns.majors_m = NULL;
  CHECK_STATUS(fencepost_conditions_probability(table, "way", &columns, 2, 0.68, found, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  columns.minors_m = columns.orientations = NULL;
  const double bad_accuracies[] = {-1, NAN, INFINITY};
  for (int i = 0; i < 3; i++) {
    columns.accuracies_m = bad_accuracies + i;
    CHECK_STATUS(fencepost_conditions_probability(table, "way", &columns, 2, 0.68, found, NULL),
                 FENCEPOST_E_INVALID_ARGUMENT);
  }
  columns.accuracies_m = accuracies;
  const double shares[] = {0.009, 0, -1, 1, 0.99991, NAN, INFINITY};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    CHECK_STATUS(fencepost_conditions_probability(table, "way", &columns, 2, shares[i], found, NULL),
                 FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_probability(table, "beacon", &columns, 2, 0.68, found, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_probability(table, "nowhere", &columns, 2, 0.68, found, NULL),
               FENCEPOST_E_NOT_FOUND);
  CHECK_STATUS(fencepost_conditions_probability(table, "way", &columns, 2, 0.68, NULL, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_probability(table, "way", NULL, 2, 0.68, found, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_probability(NULL, "way", &columns, 2, 0.68, found, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  columns.struct_size = 4;
  CHECK_STATUS(fencepost_conditions_probability(table, "way", &columns, 2, 0.68, found, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(memcmp(kept, found, sizeof kept) == 0);
  fencepost_conditions_destroy(table);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"questions: probabilities", probabilities},
    {"questions: one point", one_point},
    {"questions: columns are single questions, and change nothing", columns},
    {"questions: identifiers of generations", names},
    {"questions: many rows are single questions", many_rows},
    {"questions: misuse", misuse},
    {"questions: a table answers as its monitor does", of_a_table},
};
AREA(area_questions);
