#include "check.h"

static void create_and_destroy(void) {
  fencepost_monitor *monitor = NULL;
  CHECK_OK(fencepost_monitor_create(NULL, NULL, &monitor, NULL));
  CHECK(monitor != NULL);
  fencepost_monitor_destroy(monitor);
  fencepost_monitor_destroy(NULL);
}

static void create_null_out(void) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_monitor_create("name", NULL, NULL, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "out_monitor");
  CHECK_STATUS(fencepost_monitor_create("name", NULL, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
}

static void create_names(void) {
  char longest[66];
  memset(longest, 'a', sizeof longest);
  longest[64] = 0;
  static const char *const good[] = {"a", "A_9", "_", "0", "my_custom_monitor"};
  for (size_t i = 0; i < sizeof good / sizeof good[0] + 1; i++) {
    const char *name = i < sizeof good / sizeof good[0] ? good[i] : longest;
    fencepost_monitor *monitor = NULL;
    CHECK_OK(fencepost_monitor_create(name, NULL, &monitor, NULL));
    CHECK_TEXT(statistics_of(monitor).name, name);
    fencepost_monitor_destroy(monitor);
  }
  longest[64] = 'a';
  longest[65] = 0;
  static const char *const bad[] = {"",   " ",     "a b",   "a-b",          "a.b",    "a/b", "\xc3\xa4",
                                    "\n", "a\x7f", "a\xff", "\xed\xa0\x80", "name\t", "..",  "a\\"};
  create_refused(FENCEPOST_E_INVALID_NAME, longest, NULL, "");
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) create_refused(FENCEPOST_E_INVALID_NAME, bad[i], NULL, "");
}

static void create_very_long_name(void) {
  char *name = malloc(100001);
  CHECK(name != NULL);
  memset(name, 'n', 100000);
  name[100000] = 0;
  create_refused(FENCEPOST_E_INVALID_NAME, name, NULL, "");
  free(name);
}

static void names_may_repeat_in_memory(void) {
  fencepost_monitor *one = NULL, *two = NULL;
  CHECK_OK(fencepost_monitor_create("same", NULL, &one, NULL));
  CHECK_OK(fencepost_monitor_create("same", NULL, &two, NULL));
  CHECK(one != two);
  add_exact_circle(one, "only here", 0);
  CHECK_INT(statistics_of(two).condition_count, 0);
  fencepost_monitor_destroy(one);
  fencepost_monitor_destroy(two);
}

static void create_option_ranges(void) {
#define BAD(member, value)                                            \
  do {                                                                \
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;       \
    options.member = (value);                                         \
    create_refused(FENCEPOST_E_INVALID_ARGUMENT, NULL, &options, ""); \
  } while (0)
#define GOOD(member, value)                                     \
  do {                                                          \
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT; \
    options.member = (value);                                   \
    fencepost_monitor_destroy(new_monitor(&options));           \
  } while (0)
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_conditions_create(&table, NULL));
  BAD(conditions, table);
  fencepost_conditions_destroy(table);
  BAD(device_limit, 1);
  BAD(name, "a");
  BAD(store_directory, ".");
  BAD(delivery, -1);
  BAD(delivery, 3);
  BAD(delivery, 256); /* the value must not be truncated to a byte */
  BAD(delivery, INT32_MAX);
  GOOD(delivery, FENCEPOST_DELIVERY_FIRST);
  GOOD(delivery, FENCEPOST_DELIVERY_LATEST);
  GOOD(condition_limit, 0);
  GOOD(condition_limit, 1);
  GOOD(condition_limit, UINT64_MAX);
  BAD(max_pending_events, 0);
  BAD(max_pending_events, 1000000001);
  BAD(max_pending_events, UINT64_MAX);
  GOOD(max_pending_events, 1);
  GOOD(max_pending_events, 1000000000);
  GOOD(initial_fix_max_age_us, -1);
  BAD(initial_fix_max_age_us, -2);
  BAD(initial_fix_max_age_us, INT64_MIN);
  BAD(initial_fix_max_age_us, INT64_C(1000000000000001));
  GOOD(initial_fix_max_age_us, 0);
  GOOD(initial_fix_max_age_us, INT64_C(1000000000000000));
  BAD(beacon_exit_timeout_us, 0);
  BAD(beacon_exit_timeout_us, -1);
  BAD(beacon_exit_timeout_us, INT64_MAX);
  GOOD(beacon_exit_timeout_us, 1);
  GOOD(beacon_exit_timeout_us, INT64_C(1000000000000000));
  BAD(beacon_initial_timeout_us, 0);
  BAD(beacon_initial_timeout_us, INT64_MIN);
  BAD(beacon_initial_timeout_us, INT64_C(1000000000000001));
  GOOD(beacon_initial_timeout_us, 1);
#undef BAD
#undef GOOD
}

static void init_macros_are_the_defaults(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  CHECK_INT(options.struct_size, sizeof options);
  fencepost_monitor *with = new_monitor(&options), *without = new_monitor(NULL);
  /* Both monitors have the same options: they deliver each change, allow more than 20 conditions, and look back 60
     seconds. */
  for (int round = 0; round < 2; round++) {
    fencepost_monitor *monitor = round ? with : without;
    for (int i = 0; i < 25; i++) {
      char identifier[16];
      snprintf(identifier, sizeof identifier, "c%d", i);
      add_exact_circle(monitor, identifier, 0);
    }
    CHECK_OK(feed(monitor, 0, SECONDS(0)));
    CHECK_OK(feed(monitor, 0.1, SECONDS(1)));
    CHECK_INT(statistics_of(monitor).pending_events, 50);
    CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(61), NULL));
    add_exact_circle(monitor, "just", 0);
    CHECK_INT(statistics_of(monitor).pending_events, 51);
    CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(61) + 1, NULL));
    add_exact_circle(monitor, "too old", 0);
    CHECK_INT(statistics_of(monitor).pending_events, 51);
    fencepost_monitor_destroy(monitor);
  }
}

static void core_location_options(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_CORE_LOCATION_INIT;
  fencepost_monitor *monitor = new_monitor(&options);
  for (int i = 0; i < 21; i++) {
    char identifier[16];
    snprintf(identifier, sizeof identifier, "c%d", i);
    add_exact_circle(monitor, identifier, 0);
  }
  fencepost_event event = next_event(monitor);
  CHECK_TEXT(event.identifier, "c20");
  CHECK_INT(event.state, FENCEPOST_STATE_UNMONITORED);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DIAGNOSTIC);
  CHECK_INT(event.diagnostics, FENCEPOST_DIAGNOSTIC_CONDITION_LIMIT_EXCEEDED);
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
}

static void no_name(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_TEXT(statistics_of(monitor).name, "");
  fencepost_monitor_destroy(monitor);
}

static void statistics_count(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_statistics statistics = statistics_of(monitor);
  CHECK(statistics.clock_us == FENCEPOST_TIME_UNSET);
  CHECK_INT(statistics.input_count, 0);
  CHECK_INT(statistics.condition_count, 0);
  add_exact_circle(monitor, "a", 0);
  add_exact_circle(monitor, "b", 0);
  CHECK_OK(feed(monitor, 0, SECONDS(10)));
  fencepost_fix nowhere = {0, 0, -1, SECONDS(99)};
  CHECK_OK(fencepost_monitor_feed_fix(monitor, &nowhere, NULL));
  CHECK_STATUS(feed(monitor, 181, SECONDS(11)), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_STATUS(feed(monitor, 0, SECONDS(9)), FENCEPOST_E_LATE_INPUT);
  CHECK_OK(fencepost_monitor_feed_sightings(monitor, NULL, 0, SECONDS(11), NULL));
  CHECK_STATUS(fencepost_monitor_feed_sightings(monitor, NULL, 0, SECONDS(10), NULL), FENCEPOST_E_LATE_INPUT);
  CHECK_OK(fencepost_monitor_set_beacon_scanning(monitor, 0, SECONDS(12), NULL));
  CHECK_OK(fencepost_monitor_set_host_capabilities(monitor, 0, 0, SECONDS(13), NULL));
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(14), NULL));
  CHECK_STATUS(fencepost_monitor_advance(monitor, SECONDS(13), NULL), FENCEPOST_E_LATE_INPUT);
  next_event(monitor);
  statistics = statistics_of(monitor);
  CHECK_INT(statistics.struct_size, sizeof statistics);
  CHECK_INT(statistics.reserved, 0);
  CHECK_INT(statistics.clock_us, SECONDS(14));
  CHECK_INT(statistics.input_count, 10);
  CHECK_INT(statistics.accepted_fixes, 1);
  CHECK_INT(statistics.invalid_fixes, 2);
  CHECK_INT(statistics.late_inputs, 3);
  CHECK_INT(statistics.accepted_sightings, 1);
  CHECK_INT(statistics.pending_events, 1);
  CHECK_INT(statistics.handed_out_events, 1);
  CHECK_INT(statistics.condition_count, 2);
  fencepost_monitor_destroy(monitor);
}

static void statistics_null(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_statistics statistics, before;
  memset(&statistics, 0x5a, sizeof statistics);
  before = statistics;
  CHECK_STATUS(fencepost_monitor_statistics(NULL, &statistics, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK(memcmp(&statistics, &before, sizeof before) == 0);
  CHECK_STATUS(fencepost_monitor_statistics(monitor, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  fencepost_monitor_destroy(monitor);
}

static void fork_goes_on_by_itself(void) {
  fencepost_monitor *monitor = new_monitor(NULL), *fork = NULL;
  fencepost_event first, event;
  uint32_t available = 0;
  /* The bytes after the end of the identifier are not changed. */
  memset(&first, 0, sizeof first);
  memset(&event, 0, sizeof event);
  add_exact_circle(monitor, "a", 1);
  add_exact_circle(monitor, "b", 2);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(fencepost_monitor_poll_event(monitor, &first, &available, NULL));
  CHECK_OK(fencepost_monitor_fork(monitor, &fork, NULL));
  CHECK(fork != NULL && fork != monitor);
  /* The fork redelivers the uncommitted events. The original continues with the events that follow the uncommitted
     events. */
  CHECK_OK(fencepost_monitor_poll_event(fork, &event, &available, NULL));
  CHECK_INT(available, 1);
  CHECK(memcmp(&event, &first, sizeof event) == 0);
  CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
  CHECK_INT(event.sequence, 2);
  CHECK_TEXT(event.identifier, "b");
  add_exact_circle(fork, "c", 3);
  CHECK_OK(feed(fork, 0.1, SECONDS(1)));
  CHECK_INT(statistics_of(fork).condition_count, 3);
  CHECK_INT(statistics_of(monitor).condition_count, 2);
  CHECK_INT(statistics_of(monitor).clock_us, SECONDS(0));
  fencepost_monitor_destroy(monitor);
  CHECK_OK(fencepost_monitor_poll_event(fork, &event, &available, NULL));
  CHECK_INT(event.sequence, 2);
  fencepost_monitor_destroy(fork);
}

static void fork_null(void) {
  fencepost_monitor *const marker = (fencepost_monitor *)(uintptr_t)8;
  fencepost_monitor *monitor = new_monitor(NULL), *fork = marker;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_monitor_fork(NULL, &fork, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK(fork == marker);
  CHECK_CONTAINS(error.message, "monitor");
  CHECK_STATUS(fencepost_monitor_fork(monitor, NULL, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "out_fork");
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"monitor_create, monitor_destroy: success, NULL", create_and_destroy},
    {"monitor_create: NULL out_monitor", create_null_out},
    {"monitor_create: accepted and refused names", create_names},
    {"monitor_create: a name of 100000 bytes", create_very_long_name},
    {"monitor_create: names in memory may repeat, monitors are independent", names_may_repeat_in_memory},
    {"monitor_create: ranges of every option", create_option_ranges},
    {"monitor_create: NULL options mean the INIT macro", init_macros_are_the_defaults},
    {"monitor_create: the Core Location options", core_location_options},
    {"monitor_fork: redelivers events, continues independently, outlives the original", fork_goes_on_by_itself},
    {"monitor_fork: NULL", fork_null},
    {"statistics: the name of a monitor without a name", no_name},
    {"monitor_statistics: every counter", statistics_count},
    {"monitor_statistics: NULL", statistics_null},
};
AREA(area_monitor);
