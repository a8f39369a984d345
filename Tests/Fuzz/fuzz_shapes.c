/* Fuzzes polygons and corridors that are read from columns with arbitrary offsets. The columns' memory is exactly as
   large as the numbers of vertices, rings and parts require. */
#include "fuzz.h"

enum {
  MOST = 24
};

/* Reads count + 1 offsets, most of them close to each other. */
static int32_t *take_offsets(reader *in, size_t count) {
  int32_t *offsets = malloc((count + 1) * sizeof *offsets);
  REQUIRE(offsets != NULL);
  int32_t offset = 0;
  for (size_t i = 0; i <= count; i++) {
    uint8_t step = take8(in);
    if (step == 255) take_bytes(in, &offset, sizeof offset);
    else if (i > 0 || step & 0x80) offset = (int32_t)((uint32_t)offset + (uint32_t)((int8_t)step % 8));
    offsets[i] = offset;
  }
  return offsets;
}

/* Reads either coordinates on a grid, so that some vertices coincide, or arbitrary coordinates. */
static void take_vertices(reader *in, size_t count, double *vertices) {
  for (size_t i = 0; i < 2 * count; i++) {
    uint8_t step = take8(in);
    if (step == 255) take_bytes(in, &vertices[i], 8);
    else vertices[i] = ((int)(step & 15) - 7) * (step & 16 ? 30.0 : 1.0) + (step & 32 ? 1e-9 : 0);
  }
}

static fencepost_status add_shape(fencepost_monitor *monitor, int is_corridor, const fencepost_geometry *geometry,
                                  const fencepost_condition_definition *shape, fencepost_error *error) {
  return is_corridor ? ON_OWN(monitor, add_one, with(fencepost_corridor("one", geometry, 1000), shape, NULL), error)
                     : ON_OWN(monitor, add_one, with(fencepost_polygon("one", geometry), shape, NULL), error);
}

static fencepost_status measure(int is_corridor, const fencepost_geometry *geometry,
                                const fencepost_condition_definition *shape, const double *latitudes,
                                const double *longitudes, size_t count, double *distances, fencepost_error *error) {
  fencepost_condition_definition definition =
      is_corridor ? fencepost_corridor(NULL, geometry, 1000) : fencepost_polygon(NULL, geometry);
  return distances_to(with(definition, shape, NULL), latitudes, longitudes, count, distances, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"a", "b", "c", "d"};
  reader in = {data, size};
  uint8_t how = take8(&in);
  size_t vertices = take8(&in) % (MOST + 1), rings = take8(&in) % 8, parts = take8(&in) % 6, rows = take8(&in) % 4;
  fencepost_condition_definition shape = FENCEPOST_CONDITION_DEFINITION_INIT;
  shape.edges = how & 1;
  shape.oriented = how >> 1 & 1;
  double *pairs = malloc(2 * vertices * sizeof *pairs + 1);
  REQUIRE(pairs != NULL);
  take_vertices(&in, vertices, pairs);
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = pairs;
  geometry.longitudes = pairs + 1;
  geometry.stride = 16;
  geometry.vertex_count = vertices;
  int32_t *ring_offsets = take_offsets(&in, rings), *part_offsets = take_offsets(&in, parts),
          *row_offsets = take_offsets(&in, rows);
  geometry.ring_count = rings;
  geometry.part_count = parts;
  if (how & 4) geometry.ring_offsets = ring_offsets;
  if (how & 8) geometry.part_offsets = part_offsets;
  const int32_t *condition_offsets = how & 16 ? row_offsets : NULL;
  const int is_corridor = how >> 5 & 1;
  static const double radii[] = {1000, 1000, 1000, 1000};
  fencepost_monitor *monitor = NULL;
  REQUIRE(fencepost_monitor_create(NULL, NULL, &monitor, NULL) == FENCEPOST_OK);
  fencepost_error first = FENCEPOST_ERROR_INIT, second = FENCEPOST_ERROR_INIT, third = FENCEPOST_ERROR_INIT;
  fencepost_status status = is_corridor ? ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                                                 COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, &shape, NULL), names,
                                                 &geometry, condition_offsets, radii, NULL, rows, NULL, &first)
                                        : ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                                                 COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, &shape, NULL), names,
                                                 &geometry, condition_offsets, NULL, NULL, rows, NULL, &first);
  require_detail(status, &first);
  size_t length, count;
  REQUIRE(ON_OWN(monitor, fencepost_conditions_identifiers, NULL, 0, &length, &count, NULL) == FENCEPOST_OK);
  REQUIRE(count == (status == FENCEPOST_OK ? rows : 0));
  REQUIRE(status == FENCEPOST_OK || first.position <= rows);
  status = add_shape(monitor, is_corridor, &geometry, &shape, &second);
  require_detail(status, &second);
  const double latitudes[] = {0, 0.5, 90}, longitudes[] = {0, 0.5, 7};
  double distances[] = {NAN, NAN, NAN};
  /* The functions that measure must accept exactly the shapes that a monitor accepts. */
  REQUIRE(measure(is_corridor, &geometry, &shape, latitudes, longitudes, 3, distances, &third) == status);
  REQUIRE(strcmp(second.message, third.message) == 0);
  for (int i = 0; i < 3; i++) REQUIRE(isnan(distances[i]) == (status != FENCEPOST_OK));
  if (status == FENCEPOST_OK) {
    fencepost_shape known = FENCEPOST_SHAPE_INIT;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_describe, "one", NULL, NULL, &known, NULL) == FENCEPOST_OK);
    REQUIRE(known.vertex_count <= vertices && known.depth_m > 0);
    for (int i = 0; i < 3; i++) REQUIRE(distances[i] >= -known.depth_m * 1.011 || known.depth_m > 99999);
  }
  fencepost_monitor_destroy(monitor);
  free(pairs);
  free(ring_offsets);
  free(part_offsets);
  free(row_offsets);
  return 0;
}
