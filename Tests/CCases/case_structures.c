/* Tests that structures which state their size work for callers that are older or newer than the library. */
#include "check.h"

/* Structures as a newer header might declare them: each has the known members and additional ones. */
typedef struct larger_options {
  fencepost_options known;
  uint8_t tail[16];
} larger_options;
typedef struct larger_condition_options {
  fencepost_condition_definition known;
  uint8_t tail[16];
} larger_condition_options;
typedef struct larger_policy {
  fencepost_transition_policy known;
  uint8_t tail[16];
} larger_policy;
typedef struct larger_statistics {
  fencepost_statistics known;
  uint8_t tail[16];
} larger_statistics;
typedef struct larger_explanation {
  fencepost_explanation known;
  uint8_t tail[16];
} larger_explanation;
typedef struct larger_error {
  fencepost_error known;
  uint8_t tail[16];
} larger_error;

static fencepost_status create(const fencepost_options *options) {
  fencepost_monitor *monitor = NULL;
  fencepost_status status = fencepost_monitor_create(NULL, options, &monitor, NULL);
  CHECK((status == FENCEPOST_OK) == (monitor != NULL));
  fencepost_monitor_destroy(monitor);
  return status;
}

/* Invalid values of `struct_size`: too small, too large, or ending inside a member (all later members have eight
   bytes). */
static const uint32_t senseless[] = {0, 1, 4, 7, 4097, UINT32_MAX, 12, 23};

static void monitor_options(void) {
  larger_options options = {.known = FENCEPOST_MONITOR_OPTIONS_INIT};
  static const uint32_t sizes[] = {0, 1, 4, 7, 4097, 1000000, UINT32_MAX, 20 /* inside a member */, 63};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    options.known.struct_size = sizes[i];
    CHECK_STATUS(create(&options.known), FENCEPOST_E_INVALID_ARGUMENT);
  }
  options.known.struct_size = sizeof options;
  CHECK_OK(create(&options.known));
  options.tail[15] = 1;
  CHECK_STATUS(create(&options.known), FENCEPOST_E_UNSUPPORTED);
  options.tail[15] = 0;
  options.tail[0] = 1;
  CHECK_STATUS(create(&options.known), FENCEPOST_E_UNSUPPORTED);
  options.known.struct_size = sizeof options.known; /* the library does not read bytes beyond the size that the caller
                                                       passes */
  CHECK_OK(create(&options.known));
}

static void monitor_options_of_an_older_caller(void) {
  fencepost_options options;
  memset(&options, 0xee, sizeof options);
  options.struct_size = offsetof(fencepost_options, conditions);
  options.delivery = FENCEPOST_DELIVERY_LATEST;
  fencepost_monitor *monitor = new_monitor(&options);
  add_exact_circle(monitor, "a", 0);
  CHECK_INT(record_of(monitor, "a").last_event.state, FENCEPOST_STATE_UNKNOWN);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(feed(monitor, 0.1, SECONDS(1)));
  CHECK_INT(next_event(monitor).state, FENCEPOST_STATE_UNSATISFIED); /* with the delivery `latest`, one event is
                                                                        delivered instead of two */
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
}

/* The stored policy of the condition "new". */
static fencepost_transition_policy policy_of(fencepost_monitor *monitor) {
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "new", NULL, &policy, NULL, NULL));
  return policy;
}

static fencepost_status add(fencepost_monitor *monitor, const fencepost_condition_definition *options) {
  return fencepost_monitor_add_circular_condition(monitor, "new", 0, 0, 100, options, NULL);
}

static void condition_options(void) {
  fencepost_monitor *monitor = busy_monitor();
  larger_condition_options options = {.known = FENCEPOST_CONDITION_DEFINITION_INIT};
  for (size_t i = 0; i < sizeof senseless / sizeof senseless[0]; i++) {
    options.known.struct_size = senseless[i];
    CHECK_REFUSED(monitor, add(monitor, &options.known), FENCEPOST_E_INVALID_ARGUMENT);
  }
  options.known.struct_size = sizeof options;
  options.tail[3] = 1;
  CHECK_REFUSED(monitor, add(monitor, &options.known), FENCEPOST_E_UNSUPPORTED);
  CHECK_REFUSED(monitor,
                fencepost_monitor_add_beacon_condition(monitor, "b", beacon_uuid, -1, -1, &options.known, NULL),
                FENCEPOST_E_UNSUPPORTED);
  const char *name = "b";
  double zero = 0, radius = 9;
  CHECK_REFUSED(monitor,
                ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ADD, &options.known, &name, &zero,
                       &zero, &radius, NULL, 1, NULL, NULL),
                FENCEPOST_E_UNSUPPORTED);
  options.tail[3] = 0;
  CHECK_OK(add(monitor, &options.known));
  /* A caller built with an older header passes a shorter structure, which ends before `policy`. */
  memset(&options, 0xee, sizeof options);
  options.known.struct_size = offsetof(fencepost_condition_definition, policy);
  options.known.assuming = FENCEPOST_STATE_SATISFIED;
  options.known.tag = 8;
  CHECK_OK(add(monitor, &options.known));
  fencepost_record record = record_of(monitor, "new");
  CHECK_INT(record.condition.tag, 8);
  CHECK_INT(policy_of(monitor).entry_dwell_us, 20000000);
  CHECK_INT(record.last_event.state, FENCEPOST_STATE_SATISFIED);
  fencepost_monitor_destroy(monitor);
}

static void transition_policy(void) {
  fencepost_monitor *monitor = busy_monitor();
  larger_policy policy = {.known = FENCEPOST_TRANSITION_POLICY_EXACT_INIT};
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.policy = &policy.known;
  for (size_t i = 0; i < sizeof senseless / sizeof senseless[0]; i++) {
    policy.known.struct_size = senseless[i];
    CHECK_REFUSED(monitor, add(monitor, &options), FENCEPOST_E_INVALID_ARGUMENT);
  }
  policy.known.struct_size = sizeof policy;
  CHECK_OK(add(monitor, &options));
  policy.tail[7] = 0x80;
  CHECK_REFUSED(monitor, add(monitor, &options), FENCEPOST_E_UNSUPPORTED);
  policy.known.struct_size = sizeof policy.known;
  policy.known.reserved = 1;
  CHECK_REFUSED(monitor, add(monitor, &options), FENCEPOST_E_UNSUPPORTED);
  /* A caller built with an older header passes a shorter structure: the missing members get the values of the standard
     policy. */
  memset(&policy, 0xee, sizeof policy);
  policy.known.struct_size = offsetof(fencepost_transition_policy, entry_margin_m);
  policy.known.dwell_policy = FENCEPOST_DWELL_EVIDENCE;
  policy.known.entry_dwell_us = 1;
  policy.known.exit_dwell_us = 2;
  CHECK_OK(add(monitor, &options));
  fencepost_transition_policy stored = policy_of(monitor);
  CHECK_INT(stored.struct_size, sizeof stored);
  CHECK_INT(stored.dwell_policy, FENCEPOST_DWELL_EVIDENCE);
  CHECK_INT(stored.entry_dwell_us, 1);
  CHECK_INT(stored.exit_dwell_us, 2);
  CHECK(stored.entry_margin_m == 20 && stored.exit_margin_m == 20 && stored.exit_margin_limit_m == 0);
  CHECK(stored.accuracy_factor == 1);
  CHECK_INT(stored.notify, FENCEPOST_NOTIFY_ALL);
  CHECK_INT(stored.reserved, 0);
  fencepost_monitor_destroy(monitor);
}

static void statistics(void) {
  fencepost_monitor *monitor = busy_monitor();
  larger_statistics out, before;
  for (size_t i = 0; i < sizeof senseless / sizeof senseless[0]; i++) {
    memset(&out, 0x5a, sizeof out);
    out.known.struct_size = senseless[i];
    before = out;
    CHECK_REFUSED(monitor, fencepost_monitor_statistics(monitor, &out.known, NULL), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK(memcmp(&out, &before, sizeof out) == 0);
  }
  /* The structure of an older caller ends after `struct_size` bytes. */
  memset(&out, 0x5a, sizeof out);
  out.known.struct_size = offsetof(fencepost_statistics, accepted_fixes);
  CHECK_OK(fencepost_monitor_statistics(monitor, &out.known, NULL));
  CHECK_INT(out.known.struct_size, offsetof(fencepost_statistics, accepted_fixes));
  CHECK_INT(out.known.clock_us, SECONDS(5));
  CHECK_INT(out.known.input_count, 2);
  for (size_t i = offsetof(fencepost_statistics, accepted_fixes); i < sizeof out; i++)
    CHECK(((const uint8_t *)&out)[i] == 0x5a);
  /* If a newer caller passes a longer structure, the library does not change `struct_size` or the members that it does
     not know. */
  memset(&out, 0, sizeof out);
  memset(out.tail, 0x11, sizeof out.tail);
  out.known.struct_size = sizeof out;
  CHECK_OK(fencepost_monitor_statistics(monitor, &out.known, NULL));
  CHECK_INT(out.known.struct_size, sizeof out);
  CHECK_INT(out.known.condition_count, 3);
  for (size_t i = 0; i < sizeof out.tail; i++) CHECK(out.tail[i] == 0x11);
  fencepost_monitor_destroy(monitor);
}

static void explanation(void) {
  fencepost_monitor *monitor = busy_monitor();
  larger_explanation out, before;
  for (size_t i = 0; i < sizeof senseless / sizeof senseless[0]; i++) {
    memset(&out, 0x5a, sizeof out);
    out.known.struct_size = senseless[i];
    before = out;
    CHECK_REFUSED(monitor, fencepost_monitor_explain(monitor, "exact", &out.known, NULL), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK(memcmp(&out, &before, sizeof out) == 0);
  }
  memset(&out, 0x5a, sizeof out);
  out.known.struct_size = offsetof(fencepost_explanation, boundary_distance_m);
  CHECK_OK(fencepost_monitor_explain(monitor, "exact", &out.known, NULL));
  CHECK_INT(out.known.reason, FENCEPOST_REASON_OUTSIDE);
  for (size_t i = offsetof(fencepost_explanation, boundary_distance_m); i < sizeof out; i++)
    CHECK(((const uint8_t *)&out)[i] == 0x5a);
  memset(&out, 0, sizeof out);
  memset(out.tail, 0x11, sizeof out.tail);
  out.known.struct_size = sizeof out;
  CHECK_OK(fencepost_monitor_explain(monitor, "exact", &out.known, NULL));
  CHECK_INT(out.known.struct_size, sizeof out);
  for (size_t i = 0; i < sizeof out.tail; i++) CHECK(out.tail[i] == 0x11);
  fencepost_monitor_destroy(monitor);
}

static void error_sizes(void) {
  larger_error error, before;
  /* Passes error structures whose struct_size is not initialised or too small. For such a size, the library writes only
     the 272 bytes that the structure had in version 0.1, because every caller's structure has at least these bytes. */
  static const uint32_t too_small[] = {0, 4, 16, sizeof(fencepost_error) - 1};
  for (size_t i = 0; i < sizeof too_small / sizeof too_small[0]; i++) {
    memset(&error, 0x5a, sizeof error);
    error.known.struct_size = too_small[i];
    before = error;
    CHECK_STATUS(fencepost_monitor_advance(NULL, 0, &error.known), FENCEPOST_E_NULL_ARGUMENT);
    CHECK_INT(error.known.struct_size, too_small[i]);
    CHECK_INT(error.known.status, FENCEPOST_E_NULL_ARGUMENT);
    CHECK_INT(error.known.position, 0);
    CHECK_TEXT(error.known.message, "monitor is NULL");
    CHECK_INT(sizeof error.known, 272);
    CHECK(memcmp(error.tail, before.tail, sizeof error.tail) == 0);
  }
  /* A program for a newer version passes a longer structure: the library writes the known members and does not change
     the rest. */
  memset(&error, 0x5a, sizeof error);
  error.known.struct_size = sizeof error;
  CHECK_STATUS(fencepost_monitor_advance(NULL, 0, &error.known), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_INT(error.known.struct_size, sizeof error);
  CHECK_INT(error.known.status, FENCEPOST_E_NULL_ARGUMENT);
  for (size_t i = 0; i < sizeof error.tail; i++) CHECK(error.tail[i] == 0x5a);
}

static void policies_of_the_macros(void) {
  fencepost_transition_policy given[] = {FENCEPOST_TRANSITION_POLICY_STANDARD_INIT,
                                         FENCEPOST_TRANSITION_POLICY_EXACT_INIT,
                                         FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT};
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_transition_policy stored;
  for (size_t i = 0; i < 3; i++) {
    fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
    options.policy = &given[i];
    CHECK_OK(add(monitor, &options));
    stored = policy_of(monitor);
    CHECK(memcmp(&stored, &given[i], sizeof given[i]) == 0);
  }
  CHECK_OK(add(monitor, NULL));
  stored = policy_of(monitor);
  CHECK(memcmp(&stored, &given[0], sizeof given[0]) == 0);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"struct_size of monitor_options: 0, senseless, larger", monitor_options},
    {"struct_size of monitor_options: an older caller", monitor_options_of_an_older_caller},
    {"struct_size of condition_options: 0, older, larger, in every function", condition_options},
    {"struct_size of transition_policy: 0, older, larger, reserved", transition_policy},
    {"struct_size of statistics: 0, older, larger", statistics},
    {"struct_size of explanation: 0, older, larger", explanation},
    {"struct_size of error: as 0.1 had it without one, larger keeps its tail", error_sizes},
    {"transition_policy: the three INIT macros come back as given", policies_of_the_macros},
};
AREA(area_structures);
