#include "check.h"

static fencepost_status add(fencepost_monitor *monitor, const char *identifier, double latitude, double longitude,
                            double radius, fencepost_error *error) {
  return fencepost_monitor_add_circular_condition(monitor, identifier, latitude, longitude, radius, NULL, error);
}

static void circle_success(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(add(monitor, "corner", 90, 180, DBL_MIN, NULL));
  CHECK_OK(add(monitor, "other corner", -90, -180, 1e9, NULL));
  CHECK_INT(statistics_of(monitor).condition_count, 2);
  fencepost_monitor_destroy(monitor);
}

static void circle_null(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(add(NULL, "x", 0, 0, 1, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "monitor");
  CHECK_REFUSED(monitor, add(monitor, NULL, 0, 0, 1, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "identifier");
  fencepost_monitor_destroy(monitor);
}

static void circle_bad_geometry(void) {
  fencepost_monitor *monitor = busy_monitor();
  static const double bad_latitudes[] = {91,   -91, 90.000000001, (double)NAN, (double)INFINITY, (double)-INFINITY,
                                         1e300};
  static const double bad_longitudes[] = {181, -181, 360, (double)NAN, (double)INFINITY, (double)-INFINITY};
  static const double bad_radii[] = {0, -0.0, -1, (double)NAN, (double)INFINITY, (double)-INFINITY, -1e300};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  uint32_t changed = 9;
  for (size_t i = 0; i < sizeof bad_latitudes / sizeof *bad_latitudes; i++) {
    CHECK_REFUSED(monitor, add(monitor, "x", bad_latitudes[i], 0, 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "latitude");
    CHECK_CONTAINS(error.message, "90");
    CHECK_REFUSED(monitor,
                  ON_OWN(monitor, ensure_one, fencepost_circle("exact", bad_latitudes[i], 0, 1), &changed, NULL),
                  FENCEPOST_E_INVALID_ARGUMENT);
  }
  for (size_t i = 0; i < sizeof bad_longitudes / sizeof *bad_longitudes; i++) {
    CHECK_REFUSED(monitor, add(monitor, "exact", 0, bad_longitudes[i], 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "longitude");
    CHECK_CONTAINS(error.message, "180");
    CHECK_REFUSED(monitor, ON_OWN(monitor, ensure_one, fencepost_circle("x", 0, bad_longitudes[i], 1), &changed, NULL),
                  FENCEPOST_E_INVALID_ARGUMENT);
  }
  for (size_t i = 0; i < sizeof bad_radii / sizeof *bad_radii; i++) {
    CHECK_REFUSED(monitor, add(monitor, "x", 0, 0, bad_radii[i], &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "radius");
    CHECK_REFUSED(monitor, ON_OWN(monitor, ensure_one, fencepost_circle("exact", 0, 0, bad_radii[i]), &changed, NULL),
                  FENCEPOST_E_INVALID_ARGUMENT);
  }
  CHECK_INT(changed, 9);
  fencepost_monitor_destroy(monitor);
}

/* Calls a check with every invalid identifier. */
static void each_bad_identifier(void (*check)(fencepost_monitor *, const char *)) {
  char too_long[258];
  memset(too_long, 'x', 257);
  too_long[257] = 0;
  static const char *const bad[] = {"",
                                    "\xff",
                                    "a\xc3",
                                    "\xc0\x80",
                                    "\xed\xa0\x80", /* a surrogate */
                                    "\x80",
                                    "\xf4\x90\x80\x80",
                                    /* beyond U+10FFFF */ "\xe2\x82",
                                    "ok\xfe",
                                    "\xf0\x80\x80\x80"};
  fencepost_monitor *monitor = busy_monitor();
  check(monitor, too_long);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) check(monitor, bad[i]);
  char *huge = malloc(1000001);
  CHECK(huge != NULL);
  memset(huge, 'h', 1000000);
  huge[1000000] = 0;
  check(monitor, huge);
  free(huge);
  fencepost_monitor_destroy(monitor);
}

static void refuse_in_every_function(fencepost_monitor *monitor, const char *identifier) {
  uint32_t number = 9;
  fencepost_condition condition;
  fencepost_record record;
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const char *names[2] = {"fine", identifier};
  double zeros[2] = {0, 0}, ones[2] = {1, 1};
  memset(&condition, 0x5a, sizeof condition);
  memset(&record, 0x5a, sizeof record);
  fencepost_condition condition_before = condition;
  fencepost_record record_before = record;
  CHECK_REFUSED(monitor, add(monitor, identifier, 0, 0, 1, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "identifier");
  CHECK_REFUSED(monitor, fencepost_monitor_add_beacon_condition(monitor, identifier, beacon_uuid, 1, 2, NULL, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, ON_OWN(monitor, ensure_one, fencepost_circle(identifier, 0, 0, 1), &number, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, ON_OWN(monitor, ensure_one, fencepost_beacon(identifier, beacon_uuid, 1, 2), &number, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor,
                ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, NULL, names, zeros, zeros, ones,
                       NULL, 2, NULL, &error),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_REFUSED(monitor, ON_OWN(monitor, remove_named, identifier, &number, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_describe, identifier, &condition, NULL, NULL, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_record(monitor, identifier, &record, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_explain(monitor, identifier, &explanation, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(number, 9);
  CHECK_INT(explanation.reason, 0);
  CHECK(memcmp(&condition, &condition_before, sizeof condition) == 0);
  CHECK(memcmp(&record, &record_before, sizeof record) == 0);
}

static void bad_identifiers(void) { each_bad_identifier(refuse_in_every_function); }

static void identifiers_at_the_edge(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  char longest[257];
  memset(longest, 'y', 256);
  longest[256] = 0;
  const char *good[] = {longest, "x", " ", "\x01", "\xf4\x8f\xbf\xbf", "\xc3\xa4\xe2\x82\xac", "a/b\n\"'\\"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    fencepost_condition condition;
    CHECK_OK(add(monitor, good[i], 0, 0, 1, NULL));
    CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, good[i], &condition, NULL, NULL, NULL));
    CHECK_TEXT(condition.identifier, good[i]);
    CHECK_INT(condition.identifier_length, strlen(good[i]));
  }
  /* Identifiers are compared byte by byte: the composed and the decomposed form are two identifiers. */
  CHECK_OK(add(monitor, "\xc3\xa9", 0, 0, 1, NULL));
  CHECK_OK(add(monitor, "e\xcc\x81", 0, 0, 1, NULL));
  CHECK_INT(statistics_of(monitor).condition_count, 9);
  fencepost_monitor_destroy(monitor);
}

static void bad_policies(void) {
  fencepost_monitor *monitor = busy_monitor();
#define BAD(member, value)                                                                                  \
  do {                                                                                                      \
    fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;                         \
    fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;                           \
    policy.member = (value);                                                                                \
    options.policy = &policy;                                                                               \
    CHECK_REFUSED(monitor, fencepost_monitor_add_circular_condition(monitor, "x", 0, 0, 1, &options, NULL), \
                  FENCEPOST_E_INVALID_ARGUMENT);                                                            \
  } while (0)
  BAD(dwell_policy, -1);
  BAD(dwell_policy, 2);
  BAD(dwell_policy, 257);
  BAD(entry_dwell_us, -1);
  BAD(entry_dwell_us, INT64_C(1000000000000001));
  BAD(exit_dwell_us, INT64_MIN);
  BAD(exit_dwell_us, INT64_MAX);
  BAD(entry_margin_m, -1);
  BAD(entry_margin_m, (double)NAN);
  BAD(entry_margin_m, (double)INFINITY);
  BAD(exit_margin_m, -0.5);
  BAD(exit_margin_m, (double)NAN);
  BAD(exit_margin_m, (double)INFINITY);
  BAD(exit_margin_limit_m, -1);
  BAD(exit_margin_limit_m, 19); /* 19 m is less than the exit margin */
  BAD(exit_margin_limit_m, (double)NAN);
  BAD(exit_margin_limit_m, (double)INFINITY);
  BAD(accuracy_factor, -1);
  BAD(accuracy_factor, (double)NAN);
  BAD(accuracy_factor, (double)INFINITY);
  BAD(notify, 8);
  BAD(notify, UINT32_MAX);
  BAD(notify, 256);
#undef BAD
  /* Probabilities: entry, exit, accuracy factor. Only the last row is valid. */
  static const double probabilities[][3] = {
      {0.99, 0, 0},    {0, 0.01, 0},         {0.5, 0.01, 0},  {0.999991, 0.01, 0}, {1, 0, 0},
      {-0.9, 0.01, 0}, {0.99, 0.5, 0},       {0.99, 9e-6, 0}, {0.99, -0.01, 0},    {0.01, 0.99, 0},
      {0.99, 0.01, 1}, {0.99, 0.01, 5e-324}, {NAN, NAN, 0},   {NAN, 0.01, 0},      {0.99, (double)NAN, 0},
      {NAN, 0, 0},     {INFINITY, 0.01, 0},  {0.99, 0.01, 0}};
  for (size_t i = 0; i < sizeof probabilities / sizeof *probabilities; i++) {
    fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
    fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
    policy.entry_probability = probabilities[i][0];
    policy.exit_probability = probabilities[i][1];
    policy.accuracy_factor = probabilities[i][2];
    options.policy = &policy;
    if (i + 1 < sizeof probabilities / sizeof *probabilities) {
      CHECK_REFUSED(monitor, fencepost_monitor_add_circular_condition(monitor, "x", 0, 0, 1, &options, NULL),
                    FENCEPOST_E_INVALID_ARGUMENT);
    } else {
      CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "certain", 0, 0, 1, &options, NULL));
    }
  }
  static const int32_t states[] = {-2, FENCEPOST_STATE_UNMONITORED, 4, 256, INT32_MIN};
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
    options.assuming = states[i];
    CHECK_REFUSED(monitor, fencepost_monitor_add_circular_condition(monitor, "x", 0, 0, 1, &options, NULL),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_REFUSED(monitor, fencepost_monitor_add_beacon_condition(monitor, "x", beacon_uuid, -1, -1, &options, NULL),
                  FENCEPOST_E_INVALID_ARGUMENT);
  }
  fencepost_monitor_destroy(monitor);
}

static void replacement(void) {
  fencepost_monitor *monitor = busy_monitor();
  uint64_t generation = record_of(monitor, "exact").condition.generation;
  CHECK_OK(add(monitor, "exact", 1, 1, 5, NULL));
  fencepost_record record = record_of(monitor, "exact");
  CHECK(record.condition.generation > generation);
  CHECK(record.condition.radius_m == 5);
  CHECK_INT(record.last_event.sequence, 0);
  CHECK_INT(record.last_event.state, FENCEPOST_STATE_UNKNOWN);
  CHECK_INT(statistics_of(monitor).condition_count, 3);
  char names[64];
  size_t size = 0;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers, names, sizeof names, &size, NULL, NULL));
  CHECK_INT(size, sizeof "standard\0beacon\0exact");
  CHECK(memcmp(names, "standard\0beacon\0exact", size) == 0);
  /* The replacement has removed the old circle's pending exit event. The new circle has the state that the latest fix
     gives. */
  fencepost_event event = next_event(monitor);
  CHECK_TEXT(event.identifier, "standard");
  event = next_event(monitor);
  CHECK_TEXT(event.identifier, "exact");
  CHECK_INT(event.generation, record.condition.generation);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DETERMINATION);
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
}

static void replacement_by_another_kind(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_condition condition;
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "exact", beacon_uuid, 0, 0, NULL, NULL));
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "exact", &condition, NULL, NULL, NULL));
  CHECK_INT(condition.kind, FENCEPOST_CONDITION_BEACON_IDENTITY);
  CHECK_OK(add(monitor, "beacon", 0, 0, 1, NULL));
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "beacon", &condition, NULL, NULL, NULL));
  CHECK_INT(condition.kind, FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC);
  CHECK_INT(statistics_of(monitor).condition_count, 3);
  fencepost_monitor_destroy(monitor);
}

static void beacon_ranges(void) {
  fencepost_monitor *monitor = busy_monitor();
  static const struct {
    int32_t major, minor;
    const char *word;
  } bad[] = {{70000, -1, "major"},    {65536, -1, "major"}, {-2, -1, "major"}, {INT32_MIN, -1, "major"},
             {INT32_MAX, 0, "major"}, {1, 70000, "minor"},  {1, -2, "minor"},  {1, INT32_MAX, "minor"},
             {-1, 0, "major"},        {-1, 5, "major"}};
  uint32_t changed = 9;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    CHECK_REFUSED(monitor,
                  fencepost_monitor_add_beacon_condition(monitor, "beacon", beacon_uuid, bad[i].major, bad[i].minor,
                                                         NULL, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, bad[i].word);
    CHECK_REFUSED(monitor,
                  ON_OWN(monitor, ensure_one, fencepost_beacon("beacon", beacon_uuid, bad[i].major, bad[i].minor),
                         &changed, NULL),
                  FENCEPOST_E_INVALID_ARGUMENT);
  }
  CHECK_INT(changed, 9);
  static const int32_t good[][2] = {{-1, -1}, {0, -1}, {65535, -1}, {0, 0}, {65535, 65535}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK_OK(
        fencepost_monitor_add_beacon_condition(monitor, "beacon", beacon_uuid, good[i][0], good[i][1], NULL, NULL));
    fencepost_condition condition = record_of(monitor, "beacon").condition;
    CHECK_INT(condition.kind, FENCEPOST_CONDITION_BEACON_IDENTITY);
    CHECK_INT(condition.major, good[i][0]);
    CHECK_INT(condition.minor, good[i][1]);
    CHECK(memcmp(condition.uuid, beacon_uuid, 16) == 0);
  }
  fencepost_monitor_destroy(monitor);
}

static void beacon_null(void) {
  fencepost_monitor *monitor = busy_monitor();
  uint32_t changed = 9;
  CHECK_STATUS(fencepost_monitor_add_beacon_condition(NULL, "x", beacon_uuid, 1, 1, NULL, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_add_beacon_condition(monitor, NULL, beacon_uuid, 1, 1, NULL, NULL),
                FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_add_beacon_condition(monitor, "x", NULL, 1, 1, NULL, NULL),
                FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(NULL, ensure_one, fencepost_beacon("x", beacon_uuid, 1, 1), &changed, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, ON_OWN(monitor, ensure_one, fencepost_beacon(NULL, beacon_uuid, 1, 1), &changed, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(changed, 9);
  fencepost_monitor_destroy(monitor);
}

static void removal(void) {
  fencepost_monitor *monitor = busy_monitor();
  uint32_t removed = 9;
  CHECK_REFUSED(monitor, ON_OWN(monitor, remove_named, "nobody", &removed, NULL), FENCEPOST_OK);
  CHECK_INT(removed, 0);
  CHECK_REFUSED(monitor, ON_OWN(monitor, remove_named, "nobody", NULL, NULL), FENCEPOST_OK);
  CHECK_OK(ON_OWN(monitor, remove_named, "exact", &removed, NULL));
  CHECK_INT(removed, 1);
  CHECK_INT(statistics_of(monitor).condition_count, 2);
  CHECK_INT(statistics_of(monitor).pending_events, 1); /* the waiting exit event of the removed condition is gone */
  CHECK_TEXT(next_event(monitor).identifier, "standard");
  expect_no_event(monitor);
  fencepost_record record;
  CHECK_STATUS(fencepost_monitor_record(monitor, "exact", &record, NULL), FENCEPOST_E_NOT_FOUND);
  CHECK_OK(ON_OWN(monitor, remove_named, "exact", &removed, NULL));
  CHECK_INT(removed, 0);
  removed = 9;
  CHECK_STATUS(ON_OWN(NULL, remove_named, "exact", &removed, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, ON_OWN(monitor, remove_named, NULL, &removed, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(removed, 9);
  fencepost_monitor_destroy(monitor);
}

static void tags_come_back(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  add_exact_circle(monitor, "a", UINT64_MAX);
  add_exact_circle(monitor, "b", 0x123456789abcdef0);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.tag = 42;
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "c", beacon_uuid, -1, -1, &options, NULL));
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK(next_event(monitor).tag == UINT64_MAX);
  CHECK(next_event(monitor).tag == 0x123456789abcdef0);
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(30), NULL));
  CHECK_INT(next_event(monitor).tag, 42);
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
  CHECK_INT(record_of(monitor, "c").last_event.tag, 42);
  CHECK_INT(record_of(monitor, "c").condition.tag, 42);
  CHECK(record_of(monitor, "a").last_event.tag == UINT64_MAX);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"add_circular_condition: the widest accepted values", circle_success},
    {"add_circular_condition: NULL", circle_null},
    {"add and ensure: bad latitude, longitude and radius change nothing", circle_bad_geometry},
    {"identifiers: empty, 257 bytes, not UTF-8: refused in every function", bad_identifiers},
    {"identifiers: 256 bytes, control characters, composed and decomposed", identifiers_at_the_edge},
    {"add: bad policies and assumptions change nothing", bad_policies},
    {"add: a replacement drops record and waiting events", replacement},
    {"add: a replacement by the other kind", replacement_by_another_kind},
    {"add_beacon_condition: major 70000, minor without major, the widest values", beacon_ranges},
    {"add_beacon_condition, ensure: NULL", beacon_null},
    {"remove_condition: known, unknown, NULL", removal},
    {"tags come back with events and records", tags_come_back},
};
AREA(area_conditions);
