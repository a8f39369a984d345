/* Gives arbitrary bytes to the functions for well-known binary. If the bytes are accepted, the shape can be written and
   read again with the same result, and distances from it can be measured. */
#include "fuzz.h"

static void measure(fencepost_monitor *monitor, const fencepost_shape *shape) {
  static const double places[][2] = {{0, 0}, {0.5, 0.5}, {90, 0}, {-45, 180}, {52.5, 13.4}, {0, -1e-9}};
  double before = NAN;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    fencepost_fix fix = {places[i][0], places[i][1], 0, (int64_t)i * 1000000};
    REQUIRE(fencepost_monitor_feed_fix(monitor, &fix, NULL) == FENCEPOST_OK);
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    REQUIRE(fencepost_monitor_explain(monitor, "w", &explanation, NULL) == FENCEPOST_OK);
    double distance = explanation.boundary_distance_m, moved = 0, latitude, longitude;
    REQUIRE(distance >= -shape->depth_m * 1.011 || shape->depth_m > 99999);
    if (i > 0) {
      REQUIRE(fencepost_geodesic_inverse(places[i - 1][0], places[i - 1][1], places[i][0], places[i][1], &moved, NULL,
                                         NULL, NULL) == FENCEPOST_OK);
      REQUIRE(fabs(distance - before) <= moved + 1e-6 || fabs(distance) > 1e9);
    }
    before = distance;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_nearest_boundary_point, "w", places[i][0], places[i][1], &latitude,
                   &longitude, NULL) == FENCEPOST_OK);
    REQUIRE(fabs(latitude) <= 90 && fabs(longitude) <= 180);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader in = {data, size};
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  uint8_t how = take8(&in);
  options.edges = how & 1;
  options.oriented = how >> 1 & 1;
  options.buffer_m = how & 4 ? 1000 : 0;
  const double radius = how & 8 ? 0 : 50;
  size_t length = in.size;
  uint8_t *wkb = exact_copy(in.data, length);
  fencepost_monitor *monitor = NULL;
  REQUIRE(fencepost_monitor_create(NULL, NULL, &monitor, NULL) == FENCEPOST_OK);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status =
      ON_OWN(monitor, add_one, with(fencepost_wkb("w", wkb, length, radius), &options, NULL), &error);
  require_detail(status, &error);
  if (status == FENCEPOST_OK) {
    size_t written = 0, again = 0;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_geometry, "w", NULL, 0, &written, NULL) == FENCEPOST_OK);
    uint8_t *geometry = malloc(written), *second = malloc(written);
    REQUIRE(geometry != NULL && second != NULL);
    REQUIRE(ON_OWN(monitor, fencepost_conditions_geometry, "w", geometry, written, &again, NULL) == FENCEPOST_OK);
    REQUIRE(again == written && geometry[0] == 1);
    uint32_t changed = 9;
    REQUIRE(ON_OWN(monitor, ensure_one, with(fencepost_wkb("w", geometry, written, radius), &options, NULL), &changed,
                   NULL) == FENCEPOST_OK);
    REQUIRE(changed == 0);
    REQUIRE(ON_OWN(monitor, add_one, with(fencepost_wkb("w", geometry, written, radius), &options, NULL), NULL) ==
            FENCEPOST_OK);
    REQUIRE(ON_OWN(monitor, fencepost_conditions_geometry, "w", second, written, &again, NULL) == FENCEPOST_OK);
    REQUIRE(again == written && memcmp(geometry, second, written) == 0);
    free(geometry);
    free(second);
    fencepost_shape shape = FENCEPOST_SHAPE_INIT;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_describe, "w", NULL, NULL, &shape, NULL) == FENCEPOST_OK);
    REQUIRE(shape.depth_m > 0 && shape.vertex_count > 0 && (isnan(shape.departure_m) || shape.departure_m > 1));
    measure(monitor, &shape);
  } else {
    size_t written = 7;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_geometry, "w", NULL, 0, &written, NULL) == FENCEPOST_E_NOT_FOUND);
    REQUIRE(written == 7);
  }
  fencepost_monitor_destroy(monitor);
  free(wkb);
  return 0;
}
