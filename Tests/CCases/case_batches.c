/* Tests the addition of many circles at once, and `ensure`, which adds only the changed circles. */
#include "check.h"

static void batch_success(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  const char *names[] = {"one", "two", "one"};
  const double latitudes[] = {1, 2, 3}, longitudes[] = {4, 5, 6}, radii[] = {7, 8, 9};
  const uint64_t tags[] = {10, 11, UINT64_MAX};
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, names, latitudes, longitudes,
                  radii, tags, 3, NULL, NULL));
  CHECK_INT(statistics_of(monitor).condition_count, 2);
  fencepost_condition condition = record_of(monitor, "one").condition;
  CHECK(condition.latitude == 3 && condition.longitude == 6 && condition.radius_m == 9);
  CHECK(condition.tag == UINT64_MAX);
  CHECK_INT(condition.generation, 3);
  CHECK_INT(record_of(monitor, "two").condition.tag, 11);
  /* Without a column of tags, all rows have the tag given in the options. */
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.tag = 77;
  options.assuming = FENCEPOST_STATE_SATISFIED;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, &options, names, latitudes, longitudes,
                  radii, NULL, 2, NULL, NULL));
  CHECK_INT(record_of(monitor, "two").condition.tag, 77);
  CHECK_INT(record_of(monitor, "one").last_event.state, FENCEPOST_STATE_SATISFIED);
  fencepost_monitor_destroy(monitor);
}

static void batch_is_atomic(void) {
  fencepost_monitor *monitor = busy_monitor();
  const char *names[] = {"exact", "b", "c", "d"};
  const double zeros[] = {0, 0, 0, 0}, radii[] = {1, 2, 3, 4};
  for (size_t row = 0; row < 4; row++) {
    double latitudes[4] = {0, 0, 0, 0}, longitudes[4] = {0, 0, 0, 0}, bad_radii[4] = {1, 2, 3, 4};
    const char *bad_names[4] = {names[0], names[1], names[2], names[3]};
    fencepost_error error = FENCEPOST_ERROR_INIT;
    latitudes[row] = 91;
    CHECK_REFUSED(monitor,
                  ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, names, latitudes, zeros,
                         radii, NULL, 4, NULL, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_INT(error.position, row);
    longitudes[row] = NAN;
    CHECK_REFUSED(monitor,
                  ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, names, zeros, longitudes,
                         radii, NULL, 4, NULL, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_INT(error.position, row);
    bad_radii[row] = 0;
    error.position = 99;
    CHECK_REFUSED(monitor,
                  ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, names, zeros, zeros,
                         bad_radii, NULL, 4, NULL, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_INT(error.position, row);
    bad_names[row] = "";
    CHECK_REFUSED(monitor,
                  ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, bad_names, zeros, zeros,
                         radii, NULL, 4, NULL, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_INT(error.position, row);
    bad_names[row] = NULL;
    error.position = 99;
    snapshot before = take_snapshot(monitor);
    fencepost_status status = ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, bad_names,
                                     zeros, zeros, radii, NULL, 4, NULL, &error);
    CHECK(status == FENCEPOST_E_INVALID_ARGUMENT || status == FENCEPOST_E_NULL_ARGUMENT);
    expect_unchanged(__FILE__, __LINE__, monitor, &before, 0, 0, 0);
    CHECK_INT(error.position, row);
  }
  fencepost_monitor_destroy(monitor);
}

static void batch_null(void) {
  fencepost_monitor *monitor = busy_monitor();
  const char *names[] = {"a"};
  const double zero = 0, one = 1;
  const uint64_t tag = 1;
#define BATCH(m, n, la, lo, r, c) \
  ON_OWN(m, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, n, la, lo, r, &tag, c, NULL, NULL)
  CHECK_STATUS(BATCH(NULL, names, &zero, &zero, &one, 1), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, BATCH(monitor, NULL, &zero, &zero, &one, 1), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, BATCH(monitor, names, NULL, &zero, &one, 1), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, BATCH(monitor, names, &zero, NULL, &one, 1), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, BATCH(monitor, names, &zero, &zero, NULL, 1), FENCEPOST_E_INVALID_ARGUMENT); /* no radius */
  CHECK_REFUSED(monitor, BATCH(monitor, NULL, NULL, NULL, NULL, 0), FENCEPOST_OK);
  CHECK_REFUSED(monitor, BATCH(monitor, names, &zero, &zero, &one, SIZE_MAX), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, BATCH(monitor, NULL, NULL, NULL, NULL, SIZE_MAX), FENCEPOST_E_INVALID_ARGUMENT);
#undef BATCH
  fencepost_monitor_destroy(monitor);
}

static void ensure_circle(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  uint32_t changed = 9;
  options.tag = 5;
#define ENSURE(latitude, longitude, radius, expected)                                                              \
  do {                                                                                                             \
    changed = 9;                                                                                                   \
    CHECK_OK(ON_OWN(monitor, ensure_one, with(fencepost_circle("x", latitude, longitude, radius), NULL, &options), \
                    &changed, NULL));                                                                              \
    CHECK_INT(changed, expected);                                                                                  \
  } while (0)
  ENSURE(10, 20, 100, 1);
  ENSURE(10, 20, 100, 0);
  ENSURE(10.00000009, 20, 100, 0);
  ENSURE(10, 19.99999991, 100, 0);
  ENSURE(10, 20, 100.49, 0);
  options.assuming = FENCEPOST_STATE_SATISFIED; /* ignored */
  ENSURE(10, 20, 100, 0);
  CHECK_INT(record_of(monitor, "x").last_event.state, FENCEPOST_STATE_UNKNOWN);
  CHECK_INT(record_of(monitor, "x").condition.generation, 1);
  CHECK(record_of(monitor, "x").condition.latitude == 10);
  options.policy = &policy; /* stating the default policy changes nothing */
  ENSURE(10, 20, 100, 0);
  ENSURE(10.0000002, 20, 100, 1);
  ENSURE(10.0000002, 20.0000002, 100, 1);
  ENSURE(10.0000002, 20.0000002, 100.51, 1);
  options.tag = 6;
  ENSURE(10.0000002, 20.0000002, 100.51, 1);
  policy.notify = FENCEPOST_NOTIFY_EXIT;
  ENSURE(10.0000002, 20.0000002, 100.51, 1);
  CHECK_INT(record_of(monitor, "x").condition.generation, 6);
  CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_circle("x", 1, 1, 1), NULL, NULL));
  CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_beacon("x", beacon_uuid, -1, -1), &changed, NULL));
  CHECK_INT(changed, 1); /* a condition of a different kind */
#undef ENSURE
  fencepost_monitor_destroy(monitor);
}

static void ensure_beacon(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  uint8_t other[16] = {0};
  uint32_t changed = 9;
#define ENSURE(uuid, major, minor, expected)                                                          \
  do {                                                                                                \
    changed = 9;                                                                                      \
    CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_beacon("x", uuid, major, minor), &changed, NULL)); \
    CHECK_INT(changed, expected);                                                                     \
  } while (0)
  ENSURE(beacon_uuid, -1, -1, 1);
  ENSURE(beacon_uuid, -1, -1, 0);
  ENSURE(beacon_uuid, 0, -1, 1);
  ENSURE(beacon_uuid, 0, 0, 1);
  ENSURE(beacon_uuid, 0, 0, 0);
  ENSURE(other, 0, 0, 1);
#undef ENSURE
  CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_beacon("y", beacon_uuid, 1, 2), NULL, NULL));
  CHECK_INT(statistics_of(monitor).condition_count, 2);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"add_circular_conditions: success, tags, a repeated row", batch_success},
    {"add_circular_conditions: all or nothing, position names the row", batch_is_atomic},
    {"add_circular_conditions: NULL columns, count 0, count too large", batch_null},
    {"ensure_circular_condition: tolerances, policy, tag", ensure_circle},
    {"ensure_beacon_condition: exact", ensure_beacon},
};
AREA(area_batches);
