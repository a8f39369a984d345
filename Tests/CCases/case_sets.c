/* Tests the calls that handle many conditions at once: ensuring columns, syncing a whole set, removing many, and
   listing the conditions in a state. */
#include "check.h"
#include "stores.h"

static const fencepost_condition_definition circle = FENCEPOST_CONDITION_DEFINITION_INIT;

static fencepost_condition_definition circle_at(const char *identifier, double longitude, double radius_m) {
  fencepost_condition_definition made = circle;
  made.identifier = identifier;
  made.longitude = longitude;
  made.radius_m = radius_m;
  return made;
}

static void check_result(fencepost_sync_result got, uint64_t added, uint64_t replaced, uint64_t kept,
                         uint64_t removed) {
  CHECK_INT(got.added, added);
  CHECK_INT(got.replaced, replaced);
  CHECK_INT(got.kept, kept);
  CHECK_INT(got.removed, removed);
}

static char *identifiers_of(fencepost_monitor *monitor) {
  static _Thread_local char buffer[4096];
  size_t size, count;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers, buffer, sizeof buffer, &size, &count, NULL));
  for (size_t at = 0; at + 1 < size; at++)
    if (buffer[at] == 0) buffer[at] = ' ';
  if (size == 0) buffer[0] = 0;
  return buffer;
}

/* In a sync or ensure, a condition that is equal to the existing one keeps its record, state and events; a condition
   that differs starts anew. */
static void syncing(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition first[] = {circle_at("kept", 0, 1000), circle_at("moved", 0, 1000),
                                            circle_at("gone", 0, 1000), circle};
  first[3].kind = FENCEPOST_CONDITION_BEACON_IDENTITY;
  first[3].identifier = "beacon";
  memcpy(first[3].uuid, beacon_uuid, 16);
  first[3].major = 1;
  first[3].tag = 7;
  first[3].assuming = FENCEPOST_STATE_UNSATISFIED;
  fencepost_sync_result result;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, first, 4, &result, NULL));
  check_result(result, 4, 0, 0, 0);
  CHECK_TEXT(identifiers_of(monitor), "kept moved gone beacon");
  fencepost_record beacon = record_of(monitor, "beacon");
  CHECK_INT(beacon.condition.kind, FENCEPOST_CONDITION_BEACON_IDENTITY);
  CHECK_INT(beacon.condition.major, 1);
  CHECK_INT(beacon.condition.minor, -1);
  CHECK_INT(beacon.condition.tag, 7);
  CHECK_INT(beacon.last_event.state, FENCEPOST_STATE_UNSATISFIED);

  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_INT(statistics_of(monitor).pending_events, 3);
  fencepost_condition_definition second[] = {circle_at("new", 0.1, 500), first[3], circle_at("moved", 0.001, 1000),
                                             circle_at("kept", 5e-8, 1000.4)};
  fencepost_record before = record_of(monitor, "kept");
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, second, 4, &result, NULL));
  check_result(result, 1, 1, 2, 1);
  CHECK_TEXT(identifiers_of(monitor), "kept beacon new moved");
  fencepost_record after = record_of(monitor, "kept");
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  /* The events of the condition "gone" and of the old condition "moved" are void. The last fix has decided the states
     of the new conditions. */
  fencepost_event event = next_event(monitor);
  CHECK_TEXT(event.identifier, "kept");
  CHECK_TEXT(next_event(monitor).identifier, "new");
  CHECK_TEXT(next_event(monitor).identifier, "moved");
  expect_no_event(monitor);

  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, second, 4, &result, NULL));
  check_result(result, 0, 0, 4, 0);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, NULL, 0, &result, NULL));
  check_result(result, 0, 0, 0, 4);
  CHECK_INT(statistics_of(monitor).condition_count, 0);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, NULL, 0, NULL, NULL));
  fencepost_monitor_destroy(monitor);
}

/* A sync has the same effect as separate calls to `remove` and `ensure`: the snapshots are identical byte for byte,
   even if the number of conditions is limited. */
static void syncing_is_as_single_calls(void) {
  uint64_t random = 7;
  for (int round = 0; round < 60; round++) {
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    options.condition_limit = round % 2 ? 5 : 0;
    options.delivery = round % 3;
    fencepost_monitor *set = new_monitor(&options), *single = new_monitor(&options);
    for (int step = 0; step < 6; step++) {
      fencepost_condition_definition rows[12];
      char names[12][8];
      size_t count = 0;
      for (int i = 0; i < 12; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (random >> 62 == 0) continue;
        snprintf(names[count], sizeof names[count], "c%d", (i + step) % 12);
        rows[count] = circle_at(names[count], (double)(random >> 40 & 3) * 0.001, 1000);
        count++;
      }
      CHECK_OK(ON_OWN(set, fencepost_conditions_sync, rows, count, NULL, NULL));
      char all[4096], *next = all;
      size_t size, known;
      CHECK_OK(ON_OWN(single, fencepost_conditions_identifiers, all, sizeof all, &size, &known, NULL));
      for (size_t i = 0; i < known; i++, next += strlen(next) + 1) {
        int wanted = 0;
        for (size_t row = 0; row < count; row++) wanted |= strcmp(rows[row].identifier, next) == 0;
        if (!wanted) CHECK_OK(ON_OWN(single, remove_named, next, NULL, NULL));
      }
      for (size_t row = 0; row < count; row++)
        CHECK_OK(ON_OWN(single, ensure_one, fencepost_circle(rows[row].identifier, 0, rows[row].longitude, 1000), NULL,
                        NULL));
      fencepost_monitor *both[] = {set, single};
      static _Thread_local char bytes[2][65536];
      size_t sizes[2];
      for (int m = 0; m < 2; m++) {
        CHECK_OK(feed(both[m], step % 2 ? 0.1 : 0, SECONDS(step * 60)));
        CHECK_OK(fencepost_monitor_snapshot(both[m], bytes[m], sizeof bytes[m], &sizes[m], NULL));
      }
      CHECK_INT(sizes[0], sizes[1]);
      CHECK(memcmp(bytes[0], bytes[1], sizes[0]) == 0);
    }
    fencepost_monitor_destroy(set);
    fencepost_monitor_destroy(single);
  }
}

/* If one of several elements is invalid, nothing changes, and the error names that element. */
static void refused_sets(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_transition_policy bad_policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  bad_policy.entry_dwell_us = -1;
  char long_name[258];
  memset(long_name, 'a', 257);
  long_name[257] = 0;
  struct {
    fencepost_condition_definition row;
    const char *part;
  } table[16];
  size_t count = 0;
#define BAD(member, value, text)               \
  do {                                         \
    table[count].row = circle_at("x", 0, 100); \
    table[count].row.member = value;           \
    table[count++].part = text;                \
  } while (0)
  BAD(identifier, NULL, "row 1: the identifier is NULL");
  BAD(identifier, "", "row 1: the identifier is empty");
  BAD(identifier, long_name, "row 1: the identifier has 257 bytes");
  BAD(identifier, "\xff", "row 1: the identifier is not valid UTF-8");
  BAD(identifier, "first", "row 1: the identifier \"first\" is also that of row 0");
  BAD(radius_m, 0, "row 1: ");
  BAD(radius_m, (double)NAN, "row 1: ");
  BAD(latitude, 90.5, "row 1: ");
  BAD(longitude, (double)INFINITY, "row 1: ");
  BAD(kind, -1, "row 1: kind is -1");
  BAD(kind, FENCEPOST_CONDITION_FROM_WKB, "row 1: geometry and wkb are both NULL");
  BAD(kind, 7, "row 1: kind is 7");
  BAD(struct_size, 8, "row 1: struct_size");
  BAD(policy, &bad_policy, "row 1: entry_dwell");
  BAD(assuming, FENCEPOST_STATE_UNMONITORED, "row 1: assuming is 3");
  BAD(assuming, -2, "row 1: assuming is -2");
  CHECK_INT(count, sizeof table / sizeof table[0]);
  for (size_t i = 0; i < count; i++) {
    fencepost_condition_definition rows[] = {circle_at("first", 0, 100), table[i].row, circle_at("last", 0, 100)};
    fencepost_sync_result result = {9, 9, 9, 9};
    CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_sync, rows, 3, &result, &error),
                  FENCEPOST_E_INVALID_ARGUMENT);
    check_result(result, 9, 9, 9, 9);
    if (strncmp(error.message, table[i].part, strlen(table[i].part)) != 0)
      FAIL("the message is \"%s\"; expected was \"%s\"", error.message, table[i].part);
    CHECK_INT(error.position, 1);
  }
  fencepost_condition_definition beacon = circle;
  beacon.kind = FENCEPOST_CONDITION_BEACON_IDENTITY;
  beacon.identifier = "b";
  beacon.minor = 3;
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_sync, &beacon, 1, NULL, &error),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "minor is 3, but major is unset");
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_sync, NULL, 1, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_sync, &circle, SIZE_MAX, NULL, NULL),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(ON_OWN(NULL, fencepost_conditions_sync, NULL, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

/* If a program is newer than the library, the elements of its array are larger: the size in the first element is the
   distance between elements. */
static void sets_of_newer_programs(void) {
  struct {
    fencepost_condition_definition known;
    uint64_t later;
  } rows[2];
  memset(rows, 0, sizeof rows);
  for (int i = 0; i < 2; i++) {
    rows[i].known = circle_at(i ? "b" : "a", 0.1 * i, 100);
    rows[i].known.struct_size = sizeof rows[0];
  }
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, &rows[0].known, 2, NULL, NULL));
  CHECK_TEXT(identifiers_of(monitor), "a b");
  CHECK_NEAR(record_of(monitor, "b").condition.longitude, 0.1, 0);
  rows[1].later = 1;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_sync, &rows[0].known, 2, NULL, &error),
                FENCEPOST_E_UNSUPPORTED);
  fencepost_monitor_destroy(monitor);
}

static void ensuring_columns(void) {
  static const char *names[] = {"a", "b", "c", "a"};
  static const double latitudes[] = {0, 0, 0, 0}, longitudes[] = {0, 0.1, 0.2, 0.3}, radii[] = {100, 200, 300, 400};
  static const uint64_t tags[] = {1, 2, 3, 1};
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_sync_result result;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE, NULL, names, latitudes, longitudes,
                  radii, tags, 3, &result, NULL));
  check_result(result, 3, 0, 0, 0);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE, NULL, names, latitudes, longitudes,
                  radii, tags, 3, &result, NULL));
  check_result(result, 0, 0, 3, 0);
  /* A change of the tag alone replaces a condition. A name that occurs twice in one call has the same effect as the
     name in two calls. */
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE, NULL, names, latitudes, longitudes,
                  radii, NULL, 4, &result, NULL));
  check_result(result, 0, 4, 0, 0);
  CHECK_TEXT(identifiers_of(monitor), "b c a");
  CHECK_NEAR(record_of(monitor, "a").condition.radius_m, 400, 0);
  CHECK_INT(statistics_of(monitor).condition_count, 3);

  fencepost_error error = FENCEPOST_ERROR_INIT;
  static const double bad[] = {1, 2, -3};
  static const char *hole[] = {"x", NULL, "z"};
  CHECK_REFUSED(monitor,
                ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE, NULL, names, latitudes,
                       longitudes, bad, NULL, 3, &result, &error),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 2);
  CHECK_REFUSED(monitor,
                ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE, NULL, hole, latitudes,
                       longitudes, radii, NULL, 3, NULL, &error),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_TEXT(error.message, "row 1: the identifier is NULL");
  CHECK_INT(error.position, 1);
  CHECK_REFUSED(monitor,
                ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE, NULL, names, NULL, longitudes,
                       radii, NULL, 3, NULL, NULL),
                FENCEPOST_E_NULL_ARGUMENT);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE, NULL, NULL, NULL, NULL, NULL, NULL,
                  0, &result, NULL));
  check_result(result, 0, 0, 0, 0);
  fencepost_monitor_destroy(monitor);
}

static void removing_many(void) {
  fencepost_monitor *monitor = busy_monitor();
  static const char *names[] = {"standard", "nobody", "exact", "standard"}, *bad[] = {"standard", "", "exact"},
                    *hole[] = {"standard", NULL};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  size_t removed = 9;
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_remove, bad, 3, &removed, &error),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_remove, hole, 2, &removed, &error),
                FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(error.position, 1);
  CHECK_INT(removed, 9);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_remove, names, 4, &removed, NULL));
  CHECK_INT(removed, 2);
  CHECK_TEXT(identifiers_of(monitor), "beacon");
  CHECK_INT(statistics_of(monitor).pending_events, 0);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_remove, NULL, 0, &removed, NULL));
  CHECK_INT(removed, 0);
  CHECK_REFUSED(monitor, ON_OWN(monitor, fencepost_conditions_remove, NULL, 1, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

/* For each state, compares the list of conditions in this state with fencepost_monitor_state() and with the records. */
static void who_is_in_a_state(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_condition_state found[8];
  size_t count, number;
  CHECK_OK(fencepost_monitor_list_conditions(monitor, FENCEPOST_STATE_UNSATISFIED, 0, found, 8, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_TEXT(found[0].identifier, "exact");
  CHECK_TEXT(found[1].identifier, "standard");
  size_t sum = 0;
  for (fencepost_state state = FENCEPOST_STATE_UNKNOWN; state <= FENCEPOST_STATE_UNSATISFIED; state++) {
    CHECK_OK(fencepost_monitor_list_conditions(monitor, state, 0, NULL, 0, &number, NULL));
    CHECK_OK(fencepost_monitor_list_conditions(monitor, state, 0, found, 8, &count, NULL));
    CHECK_INT(count, number);
    for (size_t i = 0; i < count; i++) {
      fencepost_state own;
      CHECK_OK(fencepost_monitor_state(monitor, found[i].identifier, &own, NULL));
      CHECK_INT(own, state);
      CHECK_INT(found[i].state, state);
      CHECK_INT(record_of(monitor, found[i].identifier).state, state);
      CHECK_INT(record_of(monitor, found[i].identifier).reserved, 0);
    }
    sum += count;
  }
  CHECK_INT(sum, 3);
  static const fencepost_state refused[] = {FENCEPOST_STATE_UNMONITORED, -1, -3, 4, 256, INT32_MAX, INT32_MIN};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    CHECK_STATUS(fencepost_monitor_list_conditions(monitor, refused[i], 0, NULL, 0, &count, &error),
                 FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "must be -2 (any), 0 (unknown), 1 (satisfied) or 2 (unsatisfied)");
  }
  fencepost_monitor_destroy(monitor);
}

static void names_of_states_and_causes(void) {
  static const char *const states[] = {"unknown", "satisfied", "unsatisfied", "unmonitored"},
                           *const causes[] = {"none", "determination", "crossing", "timeout", "diagnostic", "repeat"};
  for (int i = 0; i < 4; i++) CHECK_TEXT(fencepost_state_name(i), states[i]);
  for (int i = 0; i < 6; i++) CHECK_TEXT(fencepost_cause_name(i), causes[i]);
  static const int32_t unknown[] = {-1, 6, 256, 257, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    CHECK_TEXT(fencepost_state_name(unknown[i]), "unknown_state");
    CHECK_TEXT(fencepost_cause_name(unknown[i]), "unknown_cause");
  }
}

/* After a crash, the store contains the whole set of conditions, and a reopened monitor has the whole set. */
static void sets_last(void) {
  folder store = new_folder();
  fencepost_monitor *monitor = open_in(&store, "m");
  enum {
    COUNT = 500
  };
  static char names[COUNT][8];
  fencepost_condition_definition *rows = calloc(COUNT, sizeof *rows);
  CHECK(rows != NULL);
  for (int i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[i], "c%d", i);
    rows[i] = circle_at(names[i], 0.001 * i, 100);
  }
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, rows, COUNT, NULL, NULL));
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, rows + 100, COUNT - 100, NULL, NULL));
  fencepost_monitor_destroy(monitor);
  monitor = open_in(&store, "m");
  CHECK_INT(statistics_of(monitor).condition_count, COUNT - 100);
  fencepost_sync_result result;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, rows + 100, COUNT - 100, &result, NULL));
  check_result(result, 0, 0, COUNT - 100, 0);
  fencepost_monitor_destroy(monitor);
  remove_folder(&store);
  free(rows);
}

static const ccase cases[] = {
    {"sets: making the conditions exactly these", syncing},
    {"sets: as single calls would", syncing_is_as_single_calls},
    {"sets: what is refused", refused_sets},
    {"sets: arrays of newer programs", sets_of_newer_programs},
    {"sets: ensuring columns", ensuring_columns},
    {"sets: removing many", removing_many},
    {"sets: who is in a state", who_is_in_a_state},
    {"sets: names of states and causes", names_of_states_and_causes},
    {"sets: in a store", sets_last},
};
AREA(area_sets);
