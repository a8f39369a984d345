/* Tests tables of conditions for fleets: filling them in every way, reading them back, versions and snapshots. */
#include "fleets.h"

static const double latitudes[] = {1, 1, 2, 2, 3, 3, 4, 4}, longitudes[] = {1, 2, 2, 1, 3, 4, 4, 3};
static const int32_t ring_offsets[] = {0, 4, 8}, part_offsets[] = {0, 1, 2};

static fencepost_geometry squares(void) {
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes, geometry.longitudes = longitudes, geometry.vertex_count = 8;
  geometry.ring_offsets = ring_offsets, geometry.ring_count = 2;
  geometry.part_offsets = part_offsets, geometry.part_count = 2;
  return geometry;
}

static fencepost_condition condition_of(fencepost_conditions *table, const char *identifier) {
  fencepost_condition condition;
  memset(&condition, 0xee, sizeof condition);
  CHECK_OK(fencepost_conditions_describe(table, identifier, &condition, NULL, NULL, NULL));
  return condition;
}

static const char *identifiers_of(fencepost_conditions *table) {
  static _Thread_local char buffer[4096];
  size_t size, count;
  CHECK_OK(fencepost_conditions_identifiers(table, buffer, sizeof buffer, &size, &count, NULL));
  for (size_t at = 0; at + 1 < size; at++)
    if (buffer[at] == 0) buffer[at] = ' ';
  if (size == 0) buffer[0] = 0;
  return buffer;
}

/* Returns the well-known binary (WKB) that a table writes for a condition that consists of two polygons. */
static size_t wkb_of_squares(uint8_t *bytes, size_t capacity) {
  fencepost_conditions *table = new_table();
  fencepost_geometry geometry = squares();
  size_t size = 0;
  CHECK_OK(add_one(table, fencepost_polygon("squares", &geometry), NULL));
  CHECK_OK(fencepost_conditions_geometry(table, "squares", NULL, 0, &size, NULL));
  CHECK(size > 0 && size <= capacity);
  CHECK_STATUS(fencepost_conditions_geometry(table, "squares", bytes, size - 1, &size, NULL),
               FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_OK(fencepost_conditions_geometry(table, "squares", bytes, size, &size, NULL));
  CHECK_STATUS(fencepost_conditions_geometry(table, "other", bytes, capacity, &size, NULL), FENCEPOST_E_NOT_FOUND);
  fencepost_conditions_destroy(table);
  return size;
}

static void single_calls(void) {
  fencepost_conditions *table = new_table();
  fencepost_geometry geometry = squares();
  uint8_t wkb[1024];
  size_t size = wkb_of_squares(wkb, sizeof wkb);
  uint32_t changed = 9;
  CHECK_OK(add_one(table, fencepost_circle("circle", 5, 6, 70), NULL));
  CHECK_OK(add_one(table, fencepost_beacon("beacon", beacon_uuid, 1, -1), NULL));
  CHECK_OK(add_one(table, fencepost_polygon("polygon", &geometry), NULL));
  CHECK_OK(add_one(table, fencepost_corridor("corridor", &geometry, 25), NULL));
  CHECK_OK(add_one(table, fencepost_wkb("wkb", wkb, size, 0), NULL));
  CHECK_TEXT(identifiers_of(table), "circle beacon polygon corridor wkb");
  CHECK_INT(version_of(table).count, 5);
  CHECK_INT(version_of(table).generation, 5);
  CHECK_INT(condition_of(table, "circle").kind, FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC);
  CHECK_NEAR(condition_of(table, "circle").radius_m, 70, 0);
  CHECK_INT(condition_of(table, "beacon").major, 1);
  CHECK_INT(condition_of(table, "polygon").kind, FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC);
  CHECK_NEAR(condition_of(table, "corridor").radius_m, 25, 0);
  CHECK_INT(condition_of(table, "wkb").kind, FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC);
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  CHECK_OK(fencepost_conditions_describe(table, "polygon", NULL, NULL, &shape, NULL));
  CHECK_INT(shape.vertex_count, 8);

  /* Ensuring a condition that equals the existing one changes nothing; ensuring a different condition replaces the
     existing one. */
  CHECK_OK(ensure_one(table, fencepost_circle("circle", 5, 6, 70.2), &changed, NULL));
  CHECK_INT(changed, 0);
  CHECK_OK(ensure_one(table, fencepost_beacon("beacon", beacon_uuid, 1, -1), &changed, NULL));
  CHECK_INT(changed, 0);
  CHECK_OK(ensure_one(table, fencepost_polygon("polygon", &geometry), &changed, NULL));
  CHECK_INT(changed, 0);
  CHECK_OK(ensure_one(table, fencepost_corridor("corridor", &geometry, 25), &changed, NULL));
  CHECK_INT(changed, 0);
  CHECK_OK(ensure_one(table, fencepost_wkb("wkb", wkb, size, 0), &changed, NULL));
  CHECK_INT(changed, 0);
  CHECK_INT(version_of(table).generation, 5);
  CHECK_OK(ensure_one(table, fencepost_corridor("corridor", &geometry, 26), &changed, NULL));
  CHECK_INT(changed, 1);
  CHECK_OK(ensure_one(table, fencepost_beacon("beacon", beacon_uuid, 2, -1), NULL, NULL));
  CHECK_INT(version_of(table).generation, 7);
  CHECK_INT(version_of(table).count, 5);

  CHECK_OK(remove_named(table, "circle", &changed, NULL));
  CHECK_INT(changed, 1);
  CHECK_OK(remove_named(table, "circle", &changed, NULL));
  CHECK_INT(changed, 0);
  const char *some[] = {"wkb", "unknown", "polygon"};
  size_t removed = 9;
  CHECK_OK(fencepost_conditions_remove(table, some, 3, &removed, NULL));
  CHECK_INT(removed, 2);
  CHECK_TEXT(identifiers_of(table), "corridor beacon");
  fencepost_conditions_destroy(table);
}

/* A bulk call produces the same table as the equivalent single calls; even the digest is the same. */
static void bulk_is_as_single_calls(void) {
  fencepost_conditions *bulk = new_table(), *single = new_table();
  fencepost_geometry geometry = squares();
  const char *names[] = {"a", "b"};
  const double lat[] = {10, 20}, lon[] = {30, 40}, radii[] = {50, 60};
  const uint64_t tags[] = {7, 8};
  uint8_t uuids[32], wkb[1024];
  const int32_t majors[] = {3, -1};
  memcpy(uuids, beacon_uuid, 16);
  memcpy(uuids + 16, beacon_uuid, 16);
  uuids[31]++;
  size_t size = wkb_of_squares(wkb, sizeof wkb);
  const void *wkbs[] = {wkb, wkb};
  const size_t sizes[] = {size, size};
  fencepost_condition_definition first = FENCEPOST_CONDITION_DEFINITION_INIT, second = first;
  first.tag = 7, second.tag = 8;
  const fencepost_condition_definition *each[] = {&first, &second};
  fencepost_sync_result result;

#define SAME()                                                                    \
  do {                                                                            \
    fencepost_table_version one_ = version_of(bulk), other_ = version_of(single); \
    CHECK(memcmp(&one_, &other_, sizeof one_) == 0);                              \
  } while (0)

  CHECK_OK(
      fencepost_conditions_put_circles(bulk, FENCEPOST_PUT_ADD, NULL, names, lat, lon, radii, tags, 2, NULL, NULL));
  for (int i = 0; i < 2; i++)
    CHECK_OK(add_one(single, with(fencepost_circle(names[i], lat[i], lon[i], radii[i]), NULL, each[i]), NULL));
  SAME();
  CHECK_OK(fencepost_conditions_put_circles(bulk, FENCEPOST_PUT_ENSURE, NULL, names, lat, lon, radii, tags, 2, &result,
                                            NULL));
  CHECK_INT(result.kept, 2);
  SAME();
  CHECK_OK(
      fencepost_conditions_put_beacons(bulk, FENCEPOST_PUT_ADD, NULL, names, uuids, majors, NULL, tags, 2, NULL, NULL));
  for (int i = 0; i < 2; i++)
    CHECK_OK(add_one(single, with(fencepost_beacon(names[i], uuids + 16 * i, majors[i], -1), NULL, each[i]), NULL));
  SAME();
  CHECK_OK(fencepost_conditions_put_beacons(bulk, FENCEPOST_PUT_ENSURE, NULL, names, uuids, majors, NULL, tags, 2,
                                            &result, NULL));
  CHECK_INT(result.kept, 2);
  SAME();
  CHECK_OK(fencepost_conditions_put_geometries(bulk, FENCEPOST_PUT_ENSURE,
                                               COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names,
                                               &geometry, NULL, NULL, tags, 2, &result, NULL));
  CHECK_INT(result.replaced, 2);
  for (int i = 0; i < 2; i++) {
    fencepost_geometry one = FENCEPOST_GEOMETRY_INIT;
    one.latitudes = latitudes + 4 * i, one.longitudes = longitudes + 4 * i, one.vertex_count = 4;
    CHECK_OK(add_one(single, with(fencepost_polygon(names[i], &one), NULL, each[i]), NULL));
  }
  SAME();
  CHECK_OK(fencepost_conditions_put_geometries(bulk, FENCEPOST_PUT_ADD,
                                               COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names,
                                               &geometry, NULL, NULL, tags, 2, NULL, NULL));
  CHECK_OK(fencepost_conditions_put_geometries(single, FENCEPOST_PUT_ADD,
                                               COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names,
                                               &geometry, part_offsets, NULL, tags, 2, NULL, NULL));
  SAME();
  CHECK_OK(fencepost_conditions_put_geometries(bulk, FENCEPOST_PUT_ADD,
                                               COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), names,
                                               &geometry, NULL, radii, tags, 2, NULL, NULL));
  CHECK_OK(fencepost_conditions_put_geometries(single, FENCEPOST_PUT_ENSURE,
                                               COMMON(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, NULL, NULL), names,
                                               &geometry, NULL, radii, tags, 2, NULL, NULL));
  SAME();
  CHECK_OK(fencepost_conditions_put_wkb(bulk, FENCEPOST_PUT_ADD, NULL, names, wkbs, sizes, NULL, tags, 2, NULL, NULL));
  CHECK_OK(
      fencepost_conditions_put_wkb(single, FENCEPOST_PUT_ENSURE, NULL, names, wkbs, sizes, NULL, tags, 2, NULL, NULL));
  SAME();

  fencepost_condition_definition set[2] = {FENCEPOST_CONDITION_DEFINITION_INIT, FENCEPOST_CONDITION_DEFINITION_INIT};
  set[0].identifier = "a", set[0].radius_m = 5, set[1].identifier = "c", set[1].radius_m = 6;
  CHECK_OK(fencepost_conditions_sync(bulk, set, 2, &result, NULL));
  CHECK_INT(result.added, 1);
  CHECK_INT(result.replaced, 1);
  CHECK_INT(result.removed, 1);
  CHECK_OK(fencepost_conditions_sync(bulk, NULL, 0, NULL, NULL));
  CHECK_INT(version_of(bulk).count, 0);
  fencepost_conditions_destroy(bulk);
  fencepost_conditions_destroy(single);
}

/* A bulk call succeeds for all rows or for none: the error names the refused row, and the table does not change. */
static void refused_rows(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "there", 0, 0);
  fencepost_table_version before = version_of(table);
  const char *names[] = {"a", "b", "c"};
  double lat[] = {0, 0, 91}, lon[] = {0, 0, 0}, radii[] = {1, 1, 1};
  uint8_t uuids[48] = {0};
  const int32_t majors[] = {1, 65536, 1}, minors[] = {-1, -1, 5};
  const void *wkbs[] = {"", "x", ""};
  const size_t sizes[] = {0, 1, 0};
  const int32_t offsets[] = {0, 1, 2, 99};
  fencepost_geometry geometry = squares();
  fencepost_error error = FENCEPOST_ERROR_INIT;
#define REFUSED(call, row)                            \
  do {                                                \
    error.position = 77;                              \
    CHECK_STATUS(call, FENCEPOST_E_INVALID_ARGUMENT); \
    CHECK_INT(error.position, row);                   \
    CHECK_CONTAINS(error.message, "row " #row);       \
  } while (0)
  REFUSED(
      fencepost_conditions_put_circles(table, FENCEPOST_PUT_ADD, NULL, names, lat, lon, radii, NULL, 3, NULL, &error),
      2);
  lat[2] = 0, radii[1] = NAN;
  REFUSED(fencepost_conditions_put_circles(table, FENCEPOST_PUT_ENSURE, NULL, names, lat, lon, radii, NULL, 3, NULL,
                                           &error),
          1);
  names[2] = NULL, radii[1] = 1;
  REFUSED(
      fencepost_conditions_put_circles(table, FENCEPOST_PUT_ADD, NULL, names, lat, lon, radii, NULL, 3, NULL, &error),
      2);
  names[2] = "";
  REFUSED(fencepost_conditions_put_circles(table, FENCEPOST_PUT_ENSURE, NULL, names, lat, lon, radii, NULL, 3, NULL,
                                           &error),
          2);
  names[2] = "c";
  REFUSED(fencepost_conditions_put_beacons(table, FENCEPOST_PUT_ADD, NULL, names, uuids, majors, NULL, NULL, 3, NULL,
                                           &error),
          1);
  REFUSED(fencepost_conditions_put_beacons(table, FENCEPOST_PUT_ENSURE, NULL, names, uuids, NULL, minors, NULL, 3, NULL,
                                           &error),
          2);
  REFUSED(fencepost_conditions_put_wkb(table, FENCEPOST_PUT_ADD, NULL, names, wkbs, sizes, NULL, NULL, 3, NULL, &error),
          0);
  REFUSED(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD,
                                              COMMON(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, NULL, NULL), names,
                                              &geometry, offsets, NULL, NULL, 3, NULL, &error),
          2);
  const char *bad[] = {"there", "\xff"};
  error.position = 77;
  CHECK_STATUS(fencepost_conditions_remove(table, bad, 2, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  /* The following counts are larger than any array can be. */
  CHECK_STATUS(fencepost_conditions_put_circles(table, FENCEPOST_PUT_ADD, NULL, names, lat, lon, radii, NULL, SIZE_MAX,
                                                NULL, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_put_beacons(table, FENCEPOST_PUT_ADD, NULL, names, uuids, NULL, NULL, NULL,
                                                SIZE_MAX / 16, NULL, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_sync(table, NULL, SIZE_MAX, NULL, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_table_version after = version_of(table);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  /* A count of 0. */
  CHECK_OK(
      fencepost_conditions_put_circles(table, FENCEPOST_PUT_ADD, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL));
  CHECK_OK(
      fencepost_conditions_put_beacons(table, FENCEPOST_PUT_ADD, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL));
  fencepost_conditions_destroy(table);
}

/* A NULL column means the value of the common definition, and the counts tell new conditions from replaced ones. */
static void common_definitions(void) {
  fencepost_conditions *table = new_table();
  const char *names[] = {"a", "b"};
  const double lat[] = {10, 20}, lon[] = {30, 40};
  uint8_t uuids[32] = {1}, wkb[1024];
  fencepost_geometry geometry = squares();
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_sync_result result;
  fencepost_condition_definition common = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  common.radius_m = 70, common.tag = 9, common.policy = &exact, common.major = 5;
  CHECK_OK(fencepost_conditions_put_circles(table, FENCEPOST_PUT_ADD, &common, names, lat, lon, NULL, NULL, 1, &result,
                                            NULL));
  CHECK(result.added == 1 && result.replaced == 0);
  CHECK_OK(fencepost_conditions_put_circles(table, FENCEPOST_PUT_ADD, &common, names, lat, lon, NULL, NULL, 2, &result,
                                            NULL));
  CHECK(result.added == 1 && result.replaced == 1 && result.kept == 0 && result.removed == 0);
  const double radii[] = {70, 70};
  CHECK_OK(fencepost_conditions_put_circles(table, FENCEPOST_PUT_ADD, &common, names, lat, lon, radii, NULL, 2, &result,
                                            NULL));
  CHECK(result.added == 0 && result.replaced == 2);
  CHECK_OK(fencepost_conditions_put_circles(table, FENCEPOST_PUT_ENSURE, &common, names, lat, lon, NULL, NULL, 2,
                                            &result, NULL));
  CHECK_INT(result.kept, 2);
  fencepost_condition condition = condition_of(table, "b");
  fencepost_transition_policy stored = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  CHECK_OK(fencepost_conditions_describe(table, "b", NULL, &stored, NULL, NULL));
  CHECK(condition.radius_m == 70 && condition.tag == 9 && stored.entry_dwell_us == 0);
  CHECK_OK(fencepost_conditions_put_beacons(table, FENCEPOST_PUT_ADD, &common, names, uuids, NULL, NULL, NULL, 2,
                                            &result, NULL));
  CHECK_INT(result.replaced, 2);
  condition = condition_of(table, "a");
  CHECK(condition.major == 5 && condition.minor == -1);
  common.kind = FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC;
  CHECK_OK(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD, &common, names, &geometry, NULL, NULL, NULL, 2,
                                               NULL, NULL));
  CHECK(condition_of(table, "b").radius_m == 70);
  /* The bytes of a corridor are also those of a gate. */
  size_t size = 0;
  CHECK_OK(fencepost_conditions_geometry(table, "a", wkb, sizeof wkb, &size, NULL));
  const void *wkbs[] = {wkb, wkb};
  const size_t sizes[] = {size, size};
  CHECK_OK(fencepost_conditions_put_wkb(table, FENCEPOST_PUT_ENSURE, &common, names, wkbs, sizes, NULL, NULL, 1,
                                        &result, NULL));
  CHECK_INT(result.kept, 1);
  common.kind = FENCEPOST_CONDITION_LINE_GEOGRAPHIC, common.policy = NULL;
  CHECK_OK(fencepost_conditions_put_wkb(table, FENCEPOST_PUT_ADD, &common, names, wkbs, sizes, NULL, NULL, 1, &result,
                                        NULL));
  CHECK_INT(condition_of(table, "a").kind, FENCEPOST_CONDITION_LINE_GEOGRAPHIC);
  common.kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC;
  CHECK_STATUS(fencepost_conditions_put_wkb(table, FENCEPOST_PUT_ADD, &common, names, wkbs, sizes, NULL, NULL, 1,
                                            &result, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_TEXT(error.message, "row 0: kind is 3, but wkb holds lines");
  /* Without a radius, a corridor is refused. */
  CHECK_STATUS(
      fencepost_conditions_put_wkb(table, FENCEPOST_PUT_ADD, NULL, names, wkbs, sizes, NULL, NULL, 1, &result, &error),
      FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "row 0: radius: ");
  /* The kind of geometries must be that of a shape, and the mode must be known. */
  common.kind = FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC;
  CHECK_STATUS(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD, &common, names, &geometry, NULL, NULL,
                                                   NULL, 2, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "kind is 1");
  CHECK_STATUS(fencepost_conditions_put_geometries(table, FENCEPOST_PUT_ADD, NULL, names, &geometry, NULL, NULL, NULL,
                                                   2, NULL, &error),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_TEXT(error.message, "common is NULL");
  CHECK_STATUS(fencepost_conditions_put_circles(table, 2, NULL, names, lat, lon, radii, NULL, 2, NULL, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_TEXT(error.message, "mode is 2; must be 0 (add) or 1 (ensure)");
  /* The kind of well-known binary applies to nothing else. */
  fencepost_condition_definition bare = fencepost_polygon("bare", &geometry);
  bare.kind = FENCEPOST_CONDITION_FROM_WKB;
  CHECK_STATUS(fencepost_conditions_add(table, &bare, 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "kind is 0, but geometry is set");
  /* The message for a single element does not name the row; that for one of several does. */
  fencepost_condition_definition pair[] = {fencepost_circle("", 0, 0, 1), fencepost_circle("", 0, 0, 1)};
  CHECK_STATUS(fencepost_conditions_add(table, pair, 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(strncmp(error.message, "the identifier is empty", 23) == 0);
  CHECK_STATUS(fencepost_conditions_ensure(table, pair, 1, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(strncmp(error.message, "the identifier is empty", 23) == 0);
  CHECK_STATUS(fencepost_conditions_add(table, pair, 2, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(strncmp(error.message, "row 0: the identifier is empty", 30) == 0);
  CHECK_INT(version_of(table).count, 2);
  fencepost_conditions_destroy(table);
}

/* By default, a condition is assumed to be unsatisfied, so a device that starts outside the circle causes no event. If
   the assumed state is unknown, a device that starts outside the circle causes an event. */
static void assumptions(void) {
  fencepost_conditions *table = new_table();
  fencepost_fleet *fleet = new_fleet(table);
  const char *name = "column";
  const double zero = 0, radius = 1000;
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.identifier = "set", definition.radius_m = 1000;
  CHECK_OK(fencepost_conditions_sync(table, &definition, 1, NULL, NULL));
  CHECK_OK(add_one(table, fencepost_circle("single", 0, 0, 1000), NULL));
  CHECK_OK(fencepost_conditions_put_circles(table, FENCEPOST_PUT_ENSURE, NULL, &name, &zero, &zero, &radius, NULL, 1,
                                            NULL, NULL));
  fencepost_device device = device_of(fleet, "d");
  CHECK_OK(feed_device(fleet, device, 1, SECONDS(0)));
  expect_no_fleet_event(fleet);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.assuming = FENCEPOST_STATE_UNKNOWN;
  CHECK_OK(add_one(table, with(fencepost_circle("told", 0, 0, 1000), NULL, &options), NULL));
  CHECK_OK(feed_device(fleet, device, 1, SECONDS(1)));
  fencepost_event event = next_fleet_event(fleet);
  CHECK_TEXT(event.identifier, "told");
  CHECK_INT(event.state, FENCEPOST_STATE_UNSATISFIED);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DETERMINATION);
  expect_no_fleet_event(fleet);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

static void snapshots(void) {
  fencepost_conditions *table = new_table(), *other = NULL;
  fencepost_conditions *const marker = (fencepost_conditions *)(uintptr_t)8;
  add_exact(table, "a", 0, 1);
  add_exact(table, "b", 1, 2);
  CHECK_OK(remove_named(table, "a", NULL, NULL));
  size_t size = 0;
  CHECK_OK(fencepost_conditions_snapshot(table, NULL, 0, &size, NULL));
  uint8_t *bytes = malloc(size);
  CHECK_STATUS(fencepost_conditions_snapshot(table, bytes, size - 1, NULL, NULL), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_OK(fencepost_conditions_snapshot(table, bytes, size, &size, NULL));
  CHECK_OK(fencepost_conditions_restore(bytes, size, &other, NULL));
  fencepost_table_version one = version_of(table), same = version_of(other);
  CHECK(memcmp(&one, &same, sizeof one) == 0);
  fencepost_conditions_destroy(other);
  /* The library must refuse damaged bytes, whichever byte is wrong, and bytes that end too early. */
  for (size_t at = 0; at < size; at++) {
    other = marker;
    bytes[at] ^= 1;
    CHECK_STATUS(fencepost_conditions_restore(bytes, size, &other, NULL), FENCEPOST_E_SNAPSHOT_INVALID);
    bytes[at] ^= 1;
    CHECK_STATUS(fencepost_conditions_restore(bytes, at, &other, NULL), FENCEPOST_E_SNAPSHOT_INVALID);
    CHECK(other == marker);
  }
  free(bytes);
  fencepost_conditions_destroy(table);
  /* A table can be restored from a monitor's snapshot only if the monitor was never fed. */
  fencepost_monitor *monitor = new_monitor(NULL);
  static _Thread_local uint8_t snapshot[4096];
  add_exact_circle(monitor, "m", 5);
  CHECK_OK(fencepost_monitor_snapshot(monitor, snapshot, sizeof snapshot, &size, NULL));
  CHECK_OK(fencepost_conditions_restore(snapshot, size, &other, NULL));
  CHECK_TEXT(identifiers_of(other), "m");
  fencepost_conditions_destroy(other);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(fencepost_monitor_snapshot(monitor, snapshot, sizeof snapshot, &size, NULL));
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_conditions_restore(snapshot, size, &other, &error), FENCEPOST_E_SNAPSHOT_INVALID);
  CHECK_CONTAINS(error.message, "with inputs");
  fencepost_monitor_destroy(monitor);
}

/* References are counted: a table lives while any fleet uses it. */
static void references(void) {
  fencepost_conditions *table = new_table(), *again = NULL;
  fencepost_fleet *fleet = new_fleet(table);
  add_exact(table, "a", 0, 0);
  fencepost_conditions_destroy(table);
  CHECK_OK(feed_device(fleet, device_of(fleet, "d"), 0, SECONDS(0)));
  CHECK_TEXT(next_fleet_event(fleet).identifier, "a");
  CHECK_OK(fencepost_fleet_conditions(fleet, &again, NULL));
  fencepost_fleet_destroy(fleet);
  add_exact(again, "b", 1, 0);
  CHECK_TEXT(identifiers_of(again), "a b");
  fencepost_fleet *second = new_fleet(again);
  fencepost_conditions_destroy(again);
  fencepost_fleet_destroy(second);
  fencepost_conditions_destroy(NULL);
  fencepost_fleet_destroy(NULL);
}

/* Adding several conditions of different kinds in one call has the same effect as adding them singly. If an element is
   refused, the error names the element, and nothing changes. */
static void definitions_of_any_kind(void) {
  fencepost_conditions *table = new_table(), *single = new_table();
  fencepost_geometry geometry = squares();
  fencepost_condition_definition set[3] = {FENCEPOST_CONDITION_DEFINITION_INIT, FENCEPOST_CONDITION_DEFINITION_INIT,
                                           FENCEPOST_CONDITION_DEFINITION_INIT};
  fencepost_sync_result result;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  set[0].identifier = "circle", set[0].radius_m = 50;
  set[1].identifier = "beacon", set[1].kind = FENCEPOST_CONDITION_BEACON_IDENTITY, set[1].major = 7;
  set[2].identifier = "squares", set[2].kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, set[2].geometry = &geometry;
  CHECK_OK(fencepost_conditions_add(table, set, 3, NULL));
  CHECK_OK(add_one(single, fencepost_circle("circle", 0, 0, 50), NULL));
  CHECK_OK(add_one(single, fencepost_beacon("beacon", set[1].uuid, 7, -1), NULL));
  CHECK_OK(add_one(single, fencepost_polygon("squares", &geometry), NULL));
  fencepost_table_version one = version_of(table), other = version_of(single);
  CHECK(memcmp(&one, &other, sizeof one) == 0);
  /* Ensuring the same conditions changes nothing; adding them again replaces each of them. */
  CHECK_OK(fencepost_conditions_ensure(table, set, 3, &result, NULL));
  CHECK(result.kept == 3 && result.added == 0 && result.replaced == 0 && result.removed == 0);
  CHECK_INT(version_of(table).generation, 3);
  set[0].radius_m = 60;
  CHECK_OK(fencepost_conditions_ensure(table, set, 1, &result, NULL));
  CHECK(result.kept == 0 && result.replaced == 1);
  CHECK_INT(version_of(table).count, 3);
  CHECK_OK(fencepost_conditions_add(table, set, 3, NULL));
  CHECK_INT(version_of(table).generation, 7);
  /* If two elements have the same identifier, the last of them counts. */
  set[1] = set[0], set[1].radius_m = 70;
  CHECK_OK(fencepost_conditions_add(table, set, 2, NULL));
  CHECK(condition_of(table, "circle").radius_m == 70);
  one = version_of(table);
  set[1].radius_m = -1;
  CHECK_STATUS(fencepost_conditions_add(table, set, 2, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_STATUS(fencepost_conditions_ensure(table, set, 2, &result, &error), FENCEPOST_E_INVALID_ARGUMENT);
  set[1].radius_m = 70, set[1].struct_size = 3;
  CHECK_STATUS(fencepost_conditions_add(table, set, 2, &error), FENCEPOST_E_INVALID_ARGUMENT);
  set[0].identifier = NULL;
  CHECK_STATUS(fencepost_conditions_add(table, set, 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_ensure(table, NULL, 1, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_add(table, NULL, SIZE_MAX, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(fencepost_conditions_add(NULL, set, 1, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_OK(fencepost_conditions_add(table, NULL, 0, NULL));
  other = version_of(table);
  CHECK(memcmp(&one, &other, sizeof one) == 0);
  fencepost_conditions_destroy(table);
  fencepost_conditions_destroy(single);
}

static void count_ring(void *context) { ++*(int *)context; }

/* Changing the table of a monitor changes the monitor, and wakes its consumer; a reference to the table may outlive the
   monitor. */
static void table_of_a_monitor(void) {
  fencepost_monitor *monitor;
  fencepost_conditions *table, *again;
  fencepost_fleet *fleet = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_state state;
  size_t size, rings_before;
  int rings = 0;
  CHECK_OK(fencepost_monitor_create(NULL, NULL, &monitor, NULL));
  CHECK_STATUS(fencepost_monitor_conditions(NULL, &table, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_monitor_conditions(monitor, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_OK(fencepost_monitor_conditions(monitor, &table, NULL));
  CHECK_OK(fencepost_monitor_conditions(monitor, &again, NULL));
  CHECK_OK(fencepost_monitor_set_wakeup(monitor, count_ring, &rings, NULL));
  /* A condition that is added to a monitor without options has no assumed state, so the earlier fix immediately
     determines its state. */
  const fencepost_fix inside = {1, 1, 5, SECONDS(1)};
  CHECK_OK(fencepost_monitor_feed_fix(monitor, &inside, NULL));
  CHECK_OK(add_one(table, fencepost_circle("home", 1, 1, 100), NULL));
  CHECK_INT(rings, 1);
  CHECK_OK(fencepost_monitor_state(monitor, "home", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_SATISFIED);
  CHECK_INT(condition_of(again, "home").generation, 1);
  CHECK_TEXT(identifiers_of(table), "home");
  CHECK_INT(version_of(table).count, 1);
  /* Two tables with the same changes have the same version. */
  fencepost_conditions *equal = new_table();
  fencepost_condition_definition unknown = FENCEPOST_CONDITION_DEFINITION_INIT;
  unknown.assuming = FENCEPOST_STATE_UNKNOWN;
  CHECK_OK(add_one(equal, with(fencepost_circle("home", 1, 1, 100), NULL, &unknown), NULL));
  fencepost_table_version one = version_of(table), other = version_of(equal);
  CHECK(memcmp(&one, &other, sizeof one) == 0);
  fencepost_conditions_destroy(equal);
  /* A fleet cannot use the table of a monitor, and fencepost_conditions_snapshot() refuses the table. */
  CHECK_STATUS(create_fleet(table, NULL, &fleet, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "monitor");
  CHECK(fleet == NULL);
  CHECK_STATUS(fencepost_conditions_snapshot(table, NULL, 0, &size, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "fencepost_monitor_snapshot");
  /* The references to the table outlive the monitor. */
  fencepost_conditions_destroy(again);
  fencepost_monitor_destroy(monitor);
  rings_before = (size_t)rings;
  CHECK_INT(condition_of(table, "home").generation, 1);
  CHECK_OK(add_one(table, fencepost_circle("town", 1, 1, 5000), NULL));
  CHECK_TEXT(identifiers_of(table), "home town");
  CHECK_INT((size_t)rings, rings_before);
  fencepost_conditions_destroy(table);
}

/* A change to a table locks all fleets that use it. */
static void many_fleets(void) {
  enum {
    MANY = 1500
  };
  static _Thread_local fencepost_fleet *fleets[MANY];
  fencepost_conditions *table = new_table();
  for (int i = 0; i < MANY; i++) fleets[i] = new_fleet(table);
  CHECK_OK(add_one(table, fencepost_circle("new", 0, 0, 1000), NULL));
  for (int i = 0; i < MANY; i++) {
    if (i % 500 == 7) {
      CHECK_OK(feed_device(fleets[i], device_of(fleets[i], "d"), 0, SECONDS(0)));
      CHECK_OK(fencepost_fleet_advance(fleets[i], FENCEPOST_ALL_DEVICES, SECONDS(20), 0, NULL));
      CHECK_TEXT(next_fleet_event(fleets[i]).identifier, "new");
    }
    fencepost_fleet_destroy(fleets[i]);
  }
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"tables: single calls of every kind", single_calls},
    {"tables: bulk calls are as single ones", bulk_is_as_single_calls},
    {"tables: refused rows change nothing", refused_rows},
    {"tables: columns with a common definition", common_definitions},
    {"tables: conditions are assumed unsatisfied", assumptions},
    {"tables: snapshots", snapshots},
    {"tables: references are counted", references},
    {"tables: very many fleets", many_fleets},
    {"tables: definitions of any kind", definitions_of_any_kind},
    {"tables: of a monitor", table_of_a_monitor},
};
AREA(area_tables);
