#include "check.h"

static void condition_reads_back(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_transition_policy policy = {sizeof policy, FENCEPOST_DWELL_EVIDENCE, 1, 2, 3, 4, 5, 0.5, 5, 0, 0, 0, 6};
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.policy = &policy;
  options.tag = 99;
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "circle", -12.5, 33.25, 812.5, &options, NULL));
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "beacon", beacon_uuid, 7, -1, &options, NULL));
  fencepost_condition condition;
  memset(&condition, 0x5a, sizeof condition);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "circle", &condition, NULL, NULL, NULL));
  CHECK_INT(condition.kind, FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC);
  CHECK(condition.latitude == -12.5 && condition.longitude == 33.25 && condition.radius_m == 812.5);
  CHECK_INT(condition.generation, 1);
  CHECK_INT(condition.tag, 99);
  CHECK_INT(condition.major, -1);
  CHECK_INT(condition.minor, -1);
  CHECK_TEXT(condition.identifier, "circle");
  CHECK_INT(condition.identifier_length, 6);
  fencepost_transition_policy stored = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "circle", NULL, &stored, &shape, NULL));
  CHECK(memcmp(&stored, &policy, sizeof policy) == 0);
  CHECK(shape.kind == FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC && shape.radius_m == 812.5);
  memset(&condition, 0x5a, sizeof condition);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "beacon", &condition, NULL, NULL, NULL));
  CHECK_INT(condition.kind, FENCEPOST_CONDITION_BEACON_IDENTITY);
  CHECK(memcmp(condition.uuid, beacon_uuid, 16) == 0);
  CHECK_INT(condition.major, 7);
  CHECK_INT(condition.minor, -1);
  CHECK(isnan(condition.latitude) && isnan(condition.longitude) && isnan(condition.radius_m));
  CHECK_INT(condition.generation, 2);
  fencepost_monitor_destroy(monitor);
}

static void unknown_and_null(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_condition condition, condition_before;
  fencepost_record record, record_before;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  memset(&condition, 0x5a, sizeof condition);
  memset(&record, 0x5a, sizeof record);
  condition_before = condition;
  record_before = record;
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_describe, "nobody", &condition, NULL, NULL, &error),
                FENCEPOST_E_NOT_FOUND);
  CHECK_CONTAINS(error.message, "nobody");
  CHECK_REFUSED(monitor, fencepost_monitor_record(monitor, "nobody", &record, &error), FENCEPOST_E_NOT_FOUND);
  CHECK_STATUS(ON_OWN(NULL, fencepost_conditions_describe, "exact", &condition, NULL, NULL, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_describe, NULL, &condition, NULL, NULL, NULL),
                FENCEPOST_E_NULL_ARGUMENT);
  /* Each output may be NULL; with none, the call says whether the condition exists. */
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "exact", NULL, NULL, NULL, NULL));
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_describe, "nobody", NULL, NULL, NULL, NULL), FENCEPOST_E_NOT_FOUND);
  fencepost_transition_policy unset = {0};
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_describe, "exact", &condition, &unset, NULL, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(memcmp(&condition, &condition_before, sizeof condition) == 0);
  CHECK_STATUS(fencepost_monitor_record(NULL, "exact", &record, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_record(monitor, NULL, &record, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_record(monitor, "exact", NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK(memcmp(&condition, &condition_before, sizeof condition) == 0);
  CHECK(memcmp(&record, &record_before, sizeof record) == 0);
  fencepost_monitor_destroy(monitor);
}

static void first_record(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.assuming = FENCEPOST_STATE_UNSATISFIED;
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "before any time", 0, 0, 1, &options, NULL));
  fencepost_event event = record_of(monitor, "before any time").last_event;
  CHECK_INT(event.sequence, 0);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_NONE);
  CHECK_INT(event.state, FENCEPOST_STATE_UNSATISFIED);
  CHECK(event.date_us == FENCEPOST_TIME_UNSET);
  CHECK(event.evidence_date_us == FENCEPOST_TIME_UNSET);
  CHECK(isnan(event.latitude) && isnan(event.longitude) && isnan(event.accuracy_m) && isnan(event.boundary_distance_m));
  CHECK_INT(event.flags, 0);
  CHECK_TEXT(event.identifier, "before any time");
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(3), NULL));
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "after", 0, 0, 1, NULL, NULL));
  event = record_of(monitor, "after").last_event;
  CHECK_INT(event.date_us, SECONDS(3));
  CHECK_INT(event.state, FENCEPOST_STATE_UNKNOWN);
  fencepost_monitor_destroy(monitor);
}

static void walk(void) {
  fencepost_monitor *monitor = busy_monitor();
  const char *expected[] = {"exact", "standard", "beacon"};
  fencepost_condition_state found[4], before[4];
  size_t count = 9;
  memset(found, 0x5a, sizeof found);
  uint64_t after = 0;
  for (int i = 0; i < 3; i++) {
    CHECK_OK(fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_ANY, after, found, 1, &count, NULL));
    CHECK_INT(count, 1);
    CHECK_TEXT(found[0].identifier, expected[i]);
    CHECK_INT(found[0].identifier_length, strlen(expected[i]));
    CHECK(found[0].generation > after);
    fencepost_record record = record_of(monitor, expected[i]);
    CHECK(found[0].generation == record.condition.generation && found[0].tag == record.condition.tag);
    CHECK_INT(found[0].state, record.state);
    CHECK(found[0].since_us == FENCEPOST_TIME_UNSET && found[0].evidence_date_us == FENCEPOST_TIME_UNSET);
    after = found[0].generation;
  }
  memcpy(before, found, sizeof found);
  CHECK_OK(fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_ANY, after, found, 4, &count, NULL));
  CHECK_INT(count, 0);
  CHECK_OK(fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_ANY, UINT64_MAX, found, 4, &count, NULL));
  CHECK_INT(count, 0);
  CHECK(memcmp(found, before, sizeof found) == 0);
  count = 9;
  CHECK_STATUS(fencepost_monitor_list_conditions(NULL, 0, 0, found, 4, &count, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_list_conditions(monitor, 0, 0, NULL, 4, &count, NULL),
                FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, fencepost_monitor_list_conditions(monitor, 0, 0, found, SIZE_MAX, &count, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(count, 9);
  CHECK_REFUSED(monitor, fencepost_monitor_list_conditions(monitor, 0, 0, found, 4, NULL, NULL),
                FENCEPOST_E_NULL_ARGUMENT);
  CHECK(memcmp(found, before, sizeof found) == 0);
  /* The whole list at once, and its length. */
  CHECK_OK(fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_ANY, 0, NULL, 0, &count, NULL));
  CHECK_INT(count, 3);
  CHECK_OK(fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_ANY, 1, NULL, 0, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_OK(fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_ANY, 0, found, 4, &count, NULL));
  CHECK_INT(count, 3);
  for (size_t i = 0; i < count; i++) CHECK_TEXT(found[i].identifier, expected[i]);
  fencepost_monitor_destroy(monitor);
}

/* During the iteration, each visited record is removed or replaced, but replaced only once. Replacing a record moves it
   to the end. Some records are added during the iteration. */
static void walk_while_changing(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  char identifier[32];
  enum {
    COUNT = 300
  };
  for (int i = 0; i < COUNT; i++) {
    snprintf(identifier, sizeof identifier, "first %d", i);
    add_exact_circle(monitor, identifier, (uint64_t)i);
  }
  fencepost_record record;
  uint32_t available = 1;
  uint64_t after = 0, met = 0, again = 0, added = 0;
  for (;;) {
    CHECK_OK(next_record(monitor, after, &record, &available));
    if (!available) break;
    CHECK(record.condition.generation > after);
    after = record.condition.generation;
    if (strncmp(record.condition.identifier, "first", 5) != 0) {
      added++;
      continue;
    }
    if (record.condition.generation > COUNT) {
      again++;
      continue;
    }
    CHECK_INT(record.condition.tag, met);
    met++;
    if (record.condition.tag % 3 == 0) {
      CHECK_OK(ON_OWN(monitor, remove_named, record.condition.identifier, NULL, NULL));
    } else if (record.condition.tag % 3 == 1) {
      add_exact_circle(monitor, record.condition.identifier, record.condition.tag);
    } else {
      snprintf(identifier, sizeof identifier, "then %d", (int)record.condition.tag);
      add_exact_circle(monitor, identifier, 0);
    }
  }
  CHECK_INT(met, COUNT);
  CHECK_INT(again, COUNT / 3);
  CHECK_INT(added, COUNT / 3);
  CHECK_INT(statistics_of(monitor).condition_count, COUNT);
  fencepost_monitor_destroy(monitor);
}

static void identifiers_buffers(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  char buffer[64];
  size_t size = 99, count = 99;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers, NULL, 0, &size, &count, NULL));
  CHECK_INT(size, 0);
  CHECK_INT(count, 0);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers, buffer, 1, &size, &count, NULL));
  add_exact_circle(monitor, "ab", 0);
  add_exact_circle(monitor, "c", 0);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers, NULL, 0, &size, &count, NULL));
  CHECK_INT(size, 5);
  CHECK_INT(count, 2);
  memset(buffer, '#', sizeof buffer);
  size = count = 99;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_identifiers, buffer, 4, &size, &count, &error),
               FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(size, 5);
  CHECK_CONTAINS(error.message, "5");
  for (size_t i = 0; i < sizeof buffer; i++) CHECK(buffer[i] == '#');
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers, buffer, 5, &size, NULL, NULL));
  CHECK(memcmp(buffer, "ab\0c\0#", 6) == 0);
  size = count = 99;
  CHECK_STATUS(ON_OWN(NULL, fencepost_conditions_identifiers, buffer, 5, &size, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_identifiers, NULL, 5, &size, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_identifiers, buffer, 5, NULL, &count, NULL),
               FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_identifiers, buffer, SIZE_MAX, &size, &count, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(size, 99);
  CHECK_INT(count, 99);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"condition: circle and beacon read back as added", condition_reads_back},
    {"condition, record: unknown identifier, NULL", unknown_and_null},
    {"record: the first record, with and without a clock", first_record},
    {"list_conditions: add order, end, NULL", walk},
    {"list_conditions: while conditions are removed, replaced and added", walk_while_changing},
    {"identifiers: capacity 0, short, exact, NULL, too large", identifiers_buffers},
};
AREA(area_records);
