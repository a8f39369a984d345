/* Shows polygons and corridors: a park with a pond and a road, both from columns; then the same park as well-known
   binary. */
#include <fencepost.h>
#include <stdio.h>
#include <stdlib.h>

static void check(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) return;
  fprintf(stderr, "%s: %s\n", fencepost_status_name(status), error->message);
  exit(1);
}

int main(void) {
  const int64_t start = 1700000000000000; /* 2023-11-14T22:13:20Z */
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *monitor = NULL;
  check(fencepost_monitor_create("polygons", NULL, &monitor, &error), &error);
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_conditions *conditions = NULL; /* the monitor's own table */
  check(fencepost_monitor_conditions(monitor, &conditions, &error), &error);

  /* The latitude and longitude of all vertices, and the offset of each ring. Ring 0 is the park, and ring 1 is the pond
     in the park. */
  static const double park[][2] = {{37.330, -122.015}, {37.330, -122.005}, {37.340, -122.005}, {37.340, -122.015},
                                   {37.334, -122.011}, {37.334, -122.009}, {37.336, -122.009}, {37.336, -122.011}};
  static const int32_t rings[] = {0, 4, 8};
  fencepost_geometry columns = FENCEPOST_GEOMETRY_INIT;
  columns.latitudes = &park[0][0];
  columns.longitudes = &park[0][1];
  columns.stride = sizeof park[0];
  columns.vertex_count = 8;
  columns.ring_offsets = rings;
  columns.ring_count = 2;
  fencepost_condition_definition park_condition = fencepost_polygon("park", &columns);
  park_condition.policy = &exact;
  check(fencepost_conditions_add(conditions, &park_condition, 1, &error), &error);

  /* The corridor extends thirty metres to either side of a road that passes the park. */
  static const double road[][2] = {{37.325, -122.020}, {37.338, -122.003}, {37.345, -122.000}};
  fencepost_geometry line = FENCEPOST_GEOMETRY_INIT;
  line.latitudes = &road[0][0];
  line.longitudes = &road[0][1];
  line.stride = sizeof road[0];
  line.vertex_count = 3;
  fencepost_condition_definition road_condition = fencepost_corridor("road", &line, 30);
  road_condition.policy = &exact;
  check(fencepost_conditions_add(conditions, &road_condition, 1, &error), &error);

  /* The device moves eastwards along one parallel: into the park, over the pond, and out at the road. */
  for (int step = 0; step < 60; step++) {
    fencepost_fix fix = {37.335, -122.0181 + step * 0.0003, 5, start + step * INT64_C(1000000)};
    check(fencepost_monitor_feed_fix(monitor, &fix, &error), &error);
    fencepost_event event;
    uint32_t available;
    while (fencepost_monitor_poll_event(monitor, &event, &available, NULL) == FENCEPOST_OK && available)
      printf("%2d s: %s is %s, %.1f m from its line\n", step, event.identifier, fencepost_state_name(event.state),
             event.boundary_distance_m);
  }

  /* Compute the distance to the nearest shore or edge, and the depth of the park. */
  double latitude, longitude;
  check(
      fencepost_conditions_nearest_boundary_point(conditions, "park", 37.335, -122.0085, &latitude, &longitude, &error),
      &error);
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  check(fencepost_conditions_describe(conditions, "park", NULL, NULL, &shape, &error), &error);
  printf("nearest line of the park: %.6f, %.6f; depth %.0f m\n", latitude, longitude, shape.depth_m);

  /* Add the same park again as well-known binary, the format that databases use. Nothing is added, because the park is
     unchanged. */
  unsigned char wkb[256];
  size_t size = 0;
  fencepost_sync_result result;
  check(fencepost_conditions_geometry(conditions, "park", wkb, sizeof wkb, &size, &error), &error);
  fencepost_condition_definition same = fencepost_wkb("park", wkb, size, 0);
  same.policy = &exact;
  check(fencepost_conditions_ensure(conditions, &same, 1, &result, &error), &error);
  printf("%d bytes of well-known binary, changed: %d\n", (int)size, (int)result.replaced);

  /* A polygon that crosses itself is refused; the error message says where. */
  static const double bow_tie[][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
  columns.latitudes = &bow_tie[0][0];
  columns.longitudes = &bow_tie[0][1];
  columns.vertex_count = 4;
  columns.ring_offsets = NULL;
  columns.ring_count = 0;
  fencepost_condition_definition tie = fencepost_polygon("tie", &columns);
  if (fencepost_conditions_add(conditions, &tie, 1, &error) != FENCEPOST_OK) puts(error.message);

  fencepost_conditions_destroy(conditions);
  fencepost_monitor_destroy(monitor);
  return 0;
}
