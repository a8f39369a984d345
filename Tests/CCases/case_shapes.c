/* Tests polygons and corridors: columns that are read in place, well-known binary, errors, shapes read back from the
   library, and distances. */
#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The geometry is a square of about 1.1 km with a hole, and a triangle beside it: two parts, three rings. */
static const double latitudes[] = {0, 0, 0.01, 0.01, 0.004, 0.006, 0.006, 0.004, 0, 0, 0.01};
static const double longitudes[] = {0, 0.01, 0.01, 0, 0.004, 0.004, 0.006, 0.006, 0.02, 0.03, 0.025};
static const int32_t ring_offsets[] = {0, 4, 8, 11}, part_offsets[] = {0, 2, 3};

static fencepost_geometry places(void) {
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes;
  geometry.longitudes = longitudes;
  geometry.vertex_count = COUNT(latitudes);
  geometry.ring_offsets = ring_offsets;
  geometry.ring_count = 3;
  geometry.part_offsets = part_offsets;
  geometry.part_count = 2;
  return geometry;
}

static fencepost_geometry columns(const double *north, const double *east, size_t count) {
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = north;
  geometry.longitudes = east;
  geometry.vertex_count = count;
  return geometry;
}

static fencepost_condition_definition exact_options(fencepost_transition_policy *policy) {
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  *policy = (fencepost_transition_policy)FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  options.policy = policy;
  return options;
}

static void feed_at(fencepost_monitor *monitor, double latitude, double longitude, int second) {
  fencepost_fix fix = {latitude, longitude, 5, SECONDS(second)};
  CHECK_OK(fencepost_monitor_feed_fix(monitor, &fix, NULL));
}

static fencepost_event next(fencepost_monitor *monitor) {
  fencepost_event event;
  uint32_t available = 0;
  CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
  CHECK(available);
  return event;
}

static fencepost_shape shape_of(fencepost_monitor *monitor, const char *identifier) {
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, identifier, NULL, NULL, &shape, NULL));
  return shape;
}

static void polygons(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_transition_policy policy;
  fencepost_condition_definition options = exact_options(&policy);
  fencepost_geometry geometry = places();
  CHECK_OK(ON_OWN(monitor, add_one, with(fencepost_polygon("both", &geometry), NULL, &options), NULL));
  const double path[][3] = {{0.002, 0.002, 1}, {0.005, 0.005, 2}, {0.002, 0.025, 1}, {0.002, 0.018, 2}};
  for (int at = 0; at < 4; at++) {
    feed_at(monitor, path[at][0], path[at][1], at);
    fencepost_event event = next(monitor);
    CHECK_INT(event.state, path[at][2]);
    CHECK((event.boundary_distance_m <= 0) == (event.state == FENCEPOST_STATE_SATISFIED));
  }
  fencepost_record record = record_of(monitor, "both");
  CHECK_INT(record.condition.kind, FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC);
  CHECK(isnan(record.condition.radius_m) && isnan(record.condition.latitude));
  fencepost_shape shape = shape_of(monitor, "both");
  CHECK_INT(shape.vertex_count, 11);
  CHECK_INT(shape.oriented, 0);
  CHECK(shape.buffer_m == 0 && isnan(shape.radius_m) && isnan(shape.departure_m));
  CHECK(shape.depth_m > 270 && shape.depth_m < 380);
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  CHECK_OK(fencepost_monitor_explain(monitor, "both", &explanation, NULL));
  CHECK(explanation.nearest_longitude > 0.0199 && explanation.nearest_longitude < 0.0221);
  fencepost_monitor_destroy(monitor);
}

static void corridors(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_transition_policy policy;
  fencepost_condition_definition options = exact_options(&policy);
  fencepost_geometry lines = places();
  CHECK_OK(ON_OWN(monitor, add_one, with(fencepost_corridor("ways", &lines, 50), NULL, &options), NULL));
  feed_at(monitor, 0.0103, 0.005, 0);
  CHECK_INT(next(monitor).state, FENCEPOST_STATE_SATISFIED);
  feed_at(monitor, 0.005, 0, 1); /* no edge of a corridor connects its last vertex with its first */
  CHECK_INT(next(monitor).state, FENCEPOST_STATE_UNSATISFIED);
  CHECK(shape_of(monitor, "ways").radius_m == 50 && shape_of(monitor, "ways").depth_m == 50);
  CHECK_INT(record_of(monitor, "ways").condition.kind, FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const double radii[] = {0, -1, NAN, INFINITY};
  for (size_t i = 0; i < COUNT(radii); i++) {
    CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_corridor("no", &lines, radii[i]), &error),
                 FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "radius");
  }
  fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
  shape.buffer_m = 1;
  CHECK_STATUS(ON_OWN(monitor, add_one, with(fencepost_corridor("no", &lines, 50), &shape, NULL), &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "buffer_m");
  fencepost_monitor_destroy(monitor);
}

/* The same polygon is described with interleaved x and y, with offsets that start in the middle, and with a closed
   ring. */
static void layouts(void) {
  double mixed[2 * COUNT(latitudes) + 2];
  for (size_t i = 0; i < COUNT(latitudes); i++) mixed[2 * i + 1] = longitudes[i], mixed[2 * i + 2] = latitudes[i];
  fencepost_geometry plain = places(), interleaved = columns(mixed + 2, mixed + 1, COUNT(latitudes));
  interleaved.stride = 16;
  interleaved.ring_offsets = ring_offsets;
  interleaved.ring_count = 3;
  interleaved.part_offsets = part_offsets;
  interleaved.part_count = 2;
  fencepost_geometry last = plain; /* only the triangle */
  last.part_offsets = part_offsets + 1;
  last.part_count = 1;
  double one[2], other[2], triangle[2];
  const double north[] = {0.002, 0.002}, east[] = {0.002, 0.025};
  CHECK_OK(distances_to(fencepost_polygon(NULL, &plain), north, east, 2, one, NULL));
  CHECK_OK(distances_to(fencepost_polygon(NULL, &interleaved), north, east, 2, other, NULL));
  CHECK_OK(distances_to(fencepost_polygon(NULL, &last), north, east, 2, triangle, NULL));
  CHECK(one[0] < 0 && one[1] < 0 && one[0] == other[0] && one[1] == other[1]);
  CHECK(triangle[0] > 1000 && triangle[1] == one[1]);
  const double closed_north[] = {0, 0, 0.01, 0.01, 0}, closed_east[] = {0, 0.01, 0.01, 0, 0};
  fencepost_geometry closed = columns(closed_north, closed_east, 5), open = columns(closed_north, closed_east, 4);
  CHECK_OK(distances_to(fencepost_polygon(NULL, &closed), north, east, 2, one, NULL));
  CHECK_OK(distances_to(fencepost_polygon(NULL, &open), north, east, 2, other, NULL));
  CHECK(one[0] == other[0] && one[1] == other[1]);
  const double on_a_vertex[] = {0, 0}, beside[] = {0, -1e-9};
  CHECK_OK(distances_to(fencepost_polygon(NULL, &open), on_a_vertex, beside, 2, one, NULL));
  CHECK(one[0] == 0 && one[1] > 0);
}

static void offsets_that_lead_astray(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  static const int32_t bad[][4] = {
      {0, 4, 8, 12}, {-1, 4, 8, 11}, {0, 8, 4, 11}, {0, 4, INT32_MAX, 11}, {INT32_MIN, 4, 8, 11}};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  for (size_t i = 0; i < COUNT(bad); i++) {
    fencepost_geometry geometry = places();
    geometry.ring_offsets = bad[i];
    CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "ring_offsets");
    CHECK_CONTAINS(error.message, "0 to 11");
    CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_corridor("p", &geometry, 5), NULL), FENCEPOST_E_INVALID_ARGUMENT);
  }
  fencepost_geometry geometry = places();
  static const int32_t parts[] = {0, 2, 4};
  geometry.part_offsets = parts;
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "part_offsets");
  geometry = places();
  geometry.vertex_count = SIZE_MAX;
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), NULL), FENCEPOST_E_INVALID_ARGUMENT);
  geometry = places();
  geometry.ring_count = SIZE_MAX;
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), NULL), FENCEPOST_E_INVALID_ARGUMENT);
  geometry = places();
  geometry.latitudes = NULL;
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), NULL), FENCEPOST_E_NULL_ARGUMENT);
  geometry = places();
  geometry.ring_offsets = NULL; /* three rings, but no start offsets */
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), NULL), FENCEPOST_E_NULL_ARGUMENT);
  geometry = columns(NULL, NULL, 0);
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", NULL), NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(statistics_of(monitor).condition_count, 0);
  fencepost_monitor_destroy(monitor);
}

/* The message of each refusal gives the reason. A refusal leaves the monitor unchanged. */
static void refusals(void) {
  static const struct {
    const char *reason;
    double north[5], east[5];
    size_t count;
  } refused[] = {
      {"cross", {0, 1, 0, 1}, {0, 1, 1, 0}, 4}, {"vert", {0, 1}, {0, 1}, 2},
      {"area", {0, 1, 2}, {0, 0, 0}, 3},        {"coordinate", {0, 91, 0}, {0, 0, 1}, 3},
      {"edge 1", {0, NAN, 0}, {0, 0, 1}, 3},    {"[-360, 360]", {0, 1, 0}, {0, 361, 1}, 3},
      {"km", {0, 0, 1}, {0, 179.9, 0}, 3},
  };
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "p", 0, 0, 100, NULL, NULL));
  for (size_t i = 0; i < COUNT(refused); i++) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    fencepost_geometry geometry = columns(refused[i].north, refused[i].east, refused[i].count);
    CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, refused[i].reason);
    double distance = 7;
    const double zero = 0;
    CHECK_STATUS(distances_to(fencepost_polygon(NULL, &geometry), &zero, &zero, 1, &distance, &error),
                 FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, refused[i].reason);
    CHECK(distance == 7);
  }
  CHECK_INT(record_of(monitor, "p").condition.kind, FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC);
  fencepost_geometry geometry = places();
  fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
  shape.edges = 2;
  CHECK_STATUS(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  shape = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
  shape.oriented = 2;
  CHECK_STATUS(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  shape = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
  shape.max_vertices = 1000001;
  fencepost_error above = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), &above),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(above.message, "max_vertices is 1000001; must be from 0 to 1000000");
  const double buffers[] = {NAN, INFINITY, -5000};
  for (size_t i = 0; i < COUNT(buffers); i++) {
    shape = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
    shape.buffer_m = buffers[i];
    fencepost_error error = FENCEPOST_ERROR_INIT;
    CHECK_STATUS(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), &error),
                 FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "buffer");
  }
  fencepost_monitor_destroy(monitor);
}

/* Passes each invalid shape to the library, and checks the reason and the place (latitude first) in the message. The
 * end of the last ring needs no offset, because this ring ends at the last vertex. */
static void each_reason(void) {
  typedef struct refusal {
    const char *reason, *place;
    double vertices[26];
    int32_t rings[4], parts[3];
    uint32_t edges; /* planar: 1 */
    double buffer;
  } refusal;
  static const refusal refused[] = {
      {"coordinate: ", "part 0, ring 0, edge 1", {0, 0, 90.5, 1, 1, 1}, {0, 3}, {0, 1}, 0, 0},
      {"coordinate: ",
       "part 0, ring 1, edge 2",
       {0, 0, 0, 1, 1, 1, .1, .1, .1, .2, .2, INFINITY},
       {0, 3, 6},
       {0, 2},
       0,
       0},
      {"too_few_vertices: ", "part 0, ring 0", {0, 0, 1, 1, 0, 0}, {0, 3}, {0, 1}, 0, 0},
      {"edge_too_long: ", "part 0, ring 0, edge 0", {0, 0, .1, 179.9, 10, 90}, {0, 3}, {0, 1}, 0, 0},
      {"no_area: ", "part 0, ring 0", {0, 10, 0, 20, 0, 30}, {0, 3}, {0, 1}, 0, 0},
      {"which_side: ", "part 0, ring 0", {0, 0, 0, 120, 0, -120}, {0, 3}, {0, 1}, 0, 0},
      {"which_side: ", "part 0, ring 0", {-80, -175, -80, 175, 80, 175, 80, -175}, {0, 4}, {0, 1}, 1, 0},
      {"crossing: ",
       "edge 0 and part 0, ring 0, edge 2, at latitude 0.5",
       {0, 0, 1, 1, 0, 1, 1, 0},
       {0, 4},
       {0, 1},
       0,
       0},
      {"crossing: ", "edge 0 and part 0, ring 0, edge 2", {0, 0, 0, 2, -.001, 1, 1, 1}, {0, 4}, {0, 1}, 0, 0},
      {"overlap: ",
       "part 0, ring 0, edge 0 and part 1, ring 0, edge 0",
       {0, 0, 0, 2, 2, 2, 0, 1, 0, 3, -2, 3},
       {0, 3, 6},
       {0, 1, 2},
       0,
       0},
      {"hole_outside: ", "part 0, ring 1", {0, 0, 0, 1, 1, 1, 5, 5, 5, 6, 6, 6}, {0, 3, 6}, {0, 2}, 0, 0},
      {"holes_overlap: ",
       "ring 2, edge 0 and part 0, ring 1, edge 0",
       {0, 0, 0, 9, 9, 9, 9, 0, 2, 2, 2, 7, 7, 4, 3, 4, 3, 5, 4, 4},
       {0, 4, 7, 10},
       {0, 3},
       0,
       0},
      {"parts_overlap: ", "part 1, ring 0", {0, 0, 0, 9, 9, 9, 1, 4, 1, 5, 2, 5}, {0, 3, 6}, {0, 1, 2}, 0, 0},
      {"no_line: ", "at latitude", {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}, {0, 3, 6}, {0, 2}, 0, 0},
      {"buffer: ", "buffer", {0, 0, 0, 1, 1, 1, 1, 0}, {0, 4}, {0, 1}, 0, -90000},
  };
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "p", 0, 0, 100, NULL, NULL));
  for (size_t i = 0; i < COUNT(refused); i++) {
    size_t rings = 0, parts = 0;
    while (rings < 3 && refused[i].rings[rings + 1] > 0) rings++;
    while (parts < 2 && refused[i].parts[parts + 1] > 0) parts++;
    fencepost_geometry geometry =
        columns(refused[i].vertices, refused[i].vertices + 1, (size_t)refused[i].rings[rings]);
    geometry.stride = 16;
    geometry.ring_offsets = refused[i].rings;
    geometry.ring_count = rings;
    geometry.part_offsets = refused[i].parts;
    geometry.part_count = parts;
    fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
    shape.edges = refused[i].edges;
    shape.buffer_m = refused[i].buffer;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    fencepost_status status = ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), &error);
    if (status != FENCEPOST_E_INVALID_ARGUMENT || error.status != status || !strstr(error.message, refused[i].reason) ||
        !strstr(error.message, refused[i].place))
      FAIL("row %d: not %s%s but %s", (int)i, refused[i].reason, refused[i].place, error.message);
  }
  /* Empty and thin rings are dropped if other rings remain. Planar edges follow their longitudes as written; an edge
     here spans 340 degrees. */
  static const double wide[] = {-1, -170, -1, 170, 1, 170, 1, -170, 0, 0, 0, 1, 0, 2, 5, 5, 5, 6, 5, 7};
  static const int32_t wide_rings[] = {0, 4, 4, 7, 10}, wide_parts[] = {0, 3, 4, 4};
  fencepost_geometry several = columns(wide, wide + 1, 10);
  several.stride = 16;
  several.ring_offsets = wide_rings;
  several.ring_count = 4;
  several.part_offsets = wide_parts;
  several.part_count = 3;
  fencepost_condition_definition planar = FENCEPOST_CONDITION_DEFINITION_INIT;
  planar.edges = FENCEPOST_EDGES_PLANAR;
  CHECK_OK(ON_OWN(monitor, add_one, with(fencepost_polygon("wide", &several), &planar, NULL), NULL));
  fencepost_shape left = FENCEPOST_SHAPE_INIT;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "wide", NULL, NULL, &left, NULL));
  CHECK(left.left_out_rings == 3 && left.depth_m > 99000);
  static const double latitudes[] = {0, 0}, longitudes[] = {0, 175};
  for (size_t i = 0; i < 2; i++) {
    size_t inside = 0;
    CHECK_OK(
        ON_OWN(monitor, fencepost_conditions_containing, latitudes[i], longitudes[i], NULL, NULL, 0, &inside, NULL));
    CHECK(inside == (i == 0 ? 2 : 0)); /* "p" contains it too */
  }
  CHECK_OK(ON_OWN(monitor, remove_named, "wide", NULL, NULL));
  /* A planar edge is cut into many edges, but a condition must not have a million edges. */
  enum {
    zigzags = 1500
  };
  static double north[2 * zigzags + 2], east[2 * zigzags + 2];
  for (size_t i = 0; i <= zigzags; i++) {
    north[i] = 60 + 0.01 * (double)i;
    east[i] = i % 2 ? 170 : 0;
    north[2 * zigzags + 1 - i] = north[i] + 0.005;
    east[2 * zigzags + 1 - i] = i % 2 ? 171 : 1;
  }
  fencepost_geometry geometry = columns(north, east, COUNT(north));
  fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
  shape.edges = FENCEPOST_EDGES_PLANAR;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "too_many_vertices: ");
  CHECK_CONTAINS(error.message, "part 0, ring 0, edge ");
  geometry = columns(north, east, 1);
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_corridor("p", &geometry, -1), &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "radius: ");
  CHECK_INT(record_of(monitor, "p").condition.kind, FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC);
  CHECK_INT(statistics_of(monitor).condition_count, 1);
  fencepost_monitor_destroy(monitor);
}

/* A polygon that is written as well-known binary and read back has the same vertices, bit for bit. */
static void well_known_binary(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_geometry geometry = places();
  CHECK_OK(ON_OWN(monitor, add_one, fencepost_polygon("p", &geometry), NULL));
  uint8_t bytes[512], again[512];
  size_t size = 0, same = 0;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_geometry, "p", NULL, 0, &size, NULL));
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_geometry, "p", bytes, size - 1, &same, NULL),
               FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(same, size);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_geometry, "p", bytes, sizeof bytes, &size, NULL));
  CHECK(bytes[0] == 1 && bytes[1] == 6); /* little endian, MultiPolygon */
  uint32_t changed = 1;
  CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_wkb("p", bytes, size, 0), &changed, NULL));
  CHECK_INT(changed, 0);
  CHECK_OK(ON_OWN(monitor, add_one, fencepost_wkb("q", bytes, size, 0), NULL));
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_geometry, "q", again, sizeof again, &same, NULL));
  CHECK(same == size && memcmp(bytes, again, size) == 0);
  for (size_t cut = 0; cut < size; cut++) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_wkb("r", bytes, cut, 0), &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "byte");
  }
  CHECK_STATUS(ON_OWN(monitor, add_one, fencepost_wkb("r", NULL, 9, 0), NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_OK(ON_OWN(monitor, add_one, fencepost_corridor("way", &geometry, 20), NULL));
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_geometry, "way", bytes, sizeof bytes, &size, NULL));
  CHECK_INT(bytes[1], 5); /* MultiLineString */
  CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_wkb("way", bytes, size, 20.4), &changed, NULL));
  CHECK_INT(changed, 0);
  CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_wkb("way", bytes, size, 21), &changed, NULL));
  CHECK_INT(changed, 1);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "circle", 0, 0, 100, NULL, NULL));
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_geometry, "circle", bytes, sizeof bytes, &size, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_geometry, "nobody", bytes, sizeof bytes, &size, NULL),
               FENCEPOST_E_NOT_FOUND);
  CHECK(shape_of(monitor, "circle").depth_m == 100);
  fencepost_monitor_destroy(monitor);
}

static void many(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_geometry geometry = places();
  const char *names[] = {"a", "b", "c"};
  const uint64_t tags[] = {7, 8, 9};
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                  COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, NULL, tags, 2,
                  NULL, NULL));
  CHECK_INT(record_of(monitor, "b").condition.tag, 8);
  CHECK_INT(shape_of(monitor, "b").vertex_count, 3);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                      COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, NULL, NULL,
                      3, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "2 parts");
  const int32_t together[] = {0, 2};
  fencepost_sync_result result;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ENSURE,
                  COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names, &geometry, together, NULL, tags,
                  1, &result, NULL));
  CHECK_INT(result.replaced, 1);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ENSURE,
                  COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names, &geometry, together, NULL, tags,
                  1, &result, NULL));
  CHECK_INT(result.kept, 1);
  const double radii[] = {10, 20, 30};
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                  COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, radii, NULL, 3,
                  NULL, NULL));
  CHECK(shape_of(monitor, "c").radius_m == 30);
  const double wrong[] = {10, 20, 0};
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ENSURE,
                      COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), names, &geometry, NULL, wrong, NULL,
                      3, &result, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 2);
  CHECK_CONTAINS(error.message, "row 2: ");
  uint8_t bytes[512];
  size_t size = 0;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_geometry, "a", bytes, sizeof bytes, &size, NULL));
  const void *wkbs[] = {bytes, bytes};
  const size_t sizes[] = {size, size};
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_wkb, FENCEPOST_PUT_ENSURE, NULL, names, wkbs, sizes, radii, NULL, 2,
                  &result, NULL));
  CHECK_INT(result.kept, 1);
  CHECK_INT(result.replaced, 1);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_put_wkb, FENCEPOST_PUT_ADD, NULL, names, wkbs, sizes, NULL, NULL, 2,
                      NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "radius");
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_wkb, FENCEPOST_PUT_ADD, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL,
                  NULL));
  const char *nobody[] = {"a", NULL, "c"};
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                      COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), nobody, &geometry, NULL, radii, NULL,
                      3, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_INT(statistics_of(monitor).condition_count, 3);
  fencepost_monitor_destroy(monitor);
}

static void in_a_set(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition one = FENCEPOST_CONDITION_DEFINITION_INIT, set[] = {one, one, one};
  fencepost_geometry geometry = places();
  set[0].identifier = "circle", set[0].radius_m = 100;
  set[1].identifier = "polygon", set[1].kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, set[1].geometry = &geometry;
  set[2].identifier = "way", set[2].kind = FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, set[2].geometry = &geometry;
  set[2].radius_m = 30;
  fencepost_sync_result result;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, set, 3, &result, NULL));
  CHECK_INT(result.added, 3);
  uint8_t bytes[512];
  size_t size = 0;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_geometry, "polygon", bytes, sizeof bytes, &size, NULL));
  set[1].geometry = NULL, set[1].wkb = bytes, set[1].wkb_size = size;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, set, 3, &result, NULL));
  CHECK_INT(result.kept, 3);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  set[1].geometry = &geometry;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_sync, set, 3, &result, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "row 1: ");
  set[1].geometry = NULL, set[1].kind = FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_sync, set, 3, &result, &error), FENCEPOST_E_INVALID_ARGUMENT);
  set[1].kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, set[1].wkb_size = 0;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_sync, set, 3, &result, &error), FENCEPOST_E_INVALID_ARGUMENT);
  set[1].kind = 7;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_sync, set, 3, &result, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "kind is 7");
  CHECK_INT(statistics_of(monitor).condition_count, 3);
  fencepost_monitor_destroy(monitor);
}

/* A polygon may have planar or geodesic edges, which differ along a parallel. A buffer moves the boundary. A polygon
   may cover more than half of the Earth. */
static void readings(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  static const double north[] = {49, 49, 30, 30}, east[] = {-123, -97, -97, -123};
  fencepost_geometry geometry = columns(north, east, 4);
  fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
  double geodesic, planar, moved, around;
  const double latitude = 49.1, longitude = -110;
  CHECK_OK(
      distances_to(with(fencepost_polygon(NULL, &geometry), &shape, NULL), &latitude, &longitude, 1, &geodesic, NULL));
  shape.edges = FENCEPOST_EDGES_PLANAR;
  CHECK_OK(
      distances_to(with(fencepost_polygon(NULL, &geometry), &shape, NULL), &latitude, &longitude, 1, &planar, NULL));
  CHECK(geodesic < -60000 && planar > 11000 && planar < 11200);
  CHECK_OK(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), NULL));
  fencepost_shape read = shape_of(monitor, "p");
  CHECK_INT(read.edges, FENCEPOST_EDGES_PLANAR);
  CHECK(read.departure_m > 70000 && read.departure_m < 90000 && read.departure_edge == 0);
  CHECK(read.depth_m == 100000);
  shape.buffer_m = 500;
  CHECK_OK(
      distances_to(with(fencepost_polygon(NULL, &geometry), &shape, NULL), &latitude, &longitude, 1, &moved, NULL));
  CHECK_NEAR(moved, planar - 500, 1e-7);
  shape = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
  shape.oriented = 1; /* the ring is clockwise, so the polygon is everything except the square */
  CHECK_OK(
      distances_to(with(fencepost_polygon(NULL, &geometry), &shape, NULL), &latitude, &longitude, 1, &around, NULL));
  CHECK(around == -geodesic);
  double nearest_latitude, nearest_longitude;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_nearest_boundary_point, "p", latitude, longitude, &nearest_latitude,
                  &nearest_longitude, NULL));
  CHECK_NEAR(nearest_latitude, 49, 1e-5);
  CHECK_NEAR(nearest_longitude, -110, 1e-3);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_nearest_boundary_point, "p", 91, 0, &nearest_latitude,
                      &nearest_longitude, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const double rows[] = {0, 100};
  double out[] = {5, 5};
  CHECK_STATUS(distances_to(fencepost_corridor(NULL, &geometry, 10), rows, rows, 2, out, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK(out[0] == 5);
  fencepost_monitor_destroy(monitor);
}

/* In every call, a vertex limit counts the vertices of all parts and holes, and the vertices at which planar edges are
   cut. */
static void limits(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.path = FENCEPOST_PATH_GEODESIC;
  options.max_gap_us = 60000000;
  fencepost_monitor *monitor = new_monitor(&options);
  fencepost_geometry geometry = places();
  fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const char *names[] = {"p", "q"};
  const int32_t together[] = {0, 2}, lines[] = {0, 3};
  const double radius = 10, zero = 0;
  uint8_t bytes[512];
  size_t size = 0;
  shape.max_vertices = 11;
  CHECK_OK(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), NULL));
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_geometry, "p", bytes, sizeof bytes, &size, NULL));
  const void *wkbs[] = {bytes};
  fencepost_condition_definition one = FENCEPOST_CONDITION_DEFINITION_INIT;
  one.identifier = "q", one.kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC;
  one.wkb = bytes, one.wkb_size = size;
  uint32_t changed = 7;
  double distance = 7;
  for (uint32_t limit = 10; limit <= 11; limit++) {
    shape.max_vertices = one.max_vertices = limit;
    const fencepost_status statuses[] = {
        ON_OWN(monitor, add_one, with(fencepost_polygon("q", &geometry), &shape, NULL), &error),
        ON_OWN(monitor, add_one, with(fencepost_corridor("q", &geometry, 10), &shape, NULL), &error),
        ON_OWN(monitor, add_one, with(fencepost_line("q", &geometry), &shape, NULL), &error),
        ON_OWN(monitor, add_one, with(fencepost_wkb("q", bytes, size, 0), &shape, NULL), &error),
        ON_OWN(monitor, ensure_one, with(fencepost_polygon("q", &geometry), &shape, NULL), &changed, &error),
        ON_OWN(monitor, ensure_one, with(fencepost_wkb("q", bytes, size, 0), &shape, NULL), &changed, &error),
        ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
               COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, &shape, NULL), names + 1, &geometry, together, NULL,
               NULL, 1, NULL, &error),
        ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
               COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, &shape, NULL), names + 1, &geometry, lines, &radius,
               NULL, 1, NULL, &error),
        ON_OWN(monitor, fencepost_conditions_put_wkb, FENCEPOST_PUT_ENSURE,
               COMMON(FENCEPOST_CONDITION_FROM_WKB, &shape, NULL), names + 1, wkbs, &size, NULL, NULL, 1, NULL, &error),
        distances_to(with(fencepost_polygon(NULL, &geometry), &shape, NULL), &zero, &zero, 1, &distance, &error),
        ON_OWN(monitor, fencepost_conditions_sync, &one, 1, NULL, &error),
    };
    for (size_t i = 0; i < COUNT(statuses); i++)
      CHECK_STATUS(statuses[i], limit == 10 ? FENCEPOST_E_INVALID_ARGUMENT : FENCEPOST_OK);
    if (limit > 10) continue;
    CHECK_CONTAINS(error.message,
                   "too_many_vertices: 11 vertices; max_vertices is 10: raise it, or simplify the shape");
    CHECK_INT(changed, 7);
    CHECK(distance == 7);
    CHECK_INT(statistics_of(monitor).condition_count, 1);
  }
  /* An error names the row of the column that it concerns. The last vertex of a closed ring does not count towards the
     limit. */
  shape.max_vertices = 7;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                      COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, &shape, NULL), names, &geometry, NULL, NULL,
                      NULL, 2, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 0);
  CHECK_CONTAINS(error.message, "row 0: too_many_vertices: 8 vertices");
  const double north[] = {60, 60, 70, 60}, east[] = {0, 50, 25, 0};
  geometry = columns(north, east, 4);
  shape.max_vertices = 3;
  CHECK_OK(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), NULL));
  shape.edges = FENCEPOST_EDGES_PLANAR;
  CHECK_STATUS(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, " vertices, including the vertices added to planar edges; max_vertices is 3: ");
  shape.max_vertices = 1000000;
  CHECK_OK(ON_OWN(monitor, add_one, with(fencepost_polygon("p", &geometry), &shape, NULL), NULL));
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"shapes: a polygon with a hole and two parts", polygons},
    {"shapes: corridors", corridors},
    {"shapes: columns in place, interleaved, in slices, closed or not", layouts},
    {"shapes: offsets that lead astray are refused", offsets_that_lead_astray},
    {"shapes: refusals name reason and place", refusals},
    {"shapes: each row of what is refused", each_reason},
    {"shapes: well-known binary out and in", well_known_binary},
    {"shapes: many at once", many},
    {"shapes: in a set", in_a_set},
    {"shapes: a limit of vertices", limits},
    {"shapes: planar edges, buffers, orientation, nearest places", readings},
};

AREA(area_shapes);
