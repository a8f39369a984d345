/* Tests monitors with a store: opening by name, closing, redelivery, errors. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stores.h"

static void create_close_reopen(void) {
  folder store = new_folder();
  fencepost_monitor *monitor = open_in(&store, "m");
  add_exact_circle(monitor, "a", 1);
  add_exact_circle(monitor, "b", 2);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  next_event(monitor);
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
  snapshot before = take_snapshot(monitor);
  CHECK_OK(fencepost_monitor_close(monitor, NULL));
  fencepost_monitor_destroy(monitor);
  monitor = open_in(&store, "m");
  expect_unchanged(__FILE__, __LINE__, monitor, &before, 0, 0, 0);
  CHECK_TEXT(statistics_of(monitor).name, "m");
  CHECK_TEXT(next_event(monitor).identifier, "b");
  fencepost_monitor_destroy(monitor);
  CHECK_INT(remove_folder(&store), 1); /* a single file again */
}

static void destroying_closes(void) {
  folder store = new_folder();
  fencepost_options options = options_for(&store);
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  fencepost_monitor *monitor = open_with("m", &options);
  add_exact_circle(monitor, "a", 1);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  fencepost_monitor_destroy(monitor);
  monitor = open_with("m", &options);
  CHECK_INT(statistics_of(monitor).input_count, 1);
  CHECK_INT(next_event(monitor).sequence, 1);
  fencepost_monitor_destroy(monitor);
  CHECK_INT(remove_folder(&store), 1);
}

static void what_was_not_committed_comes_again(void) {
  folder store = new_folder();
  fencepost_monitor *monitor = open_in(&store, "m");
  fencepost_event batch[3], again[3];
  size_t count = 0;
  memset(batch, 0, sizeof batch);
  memset(again, 0, sizeof again);
  for (int index = 0; index < 4; index++) add_exact_circle(monitor, (const char *[]){"a", "b", "c", "d"}[index], 0);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  next_event(monitor);
  CHECK_OK(fencepost_monitor_poll_events(monitor, batch, 2, &count, NULL)); /* commits "a" */
  CHECK_INT(count, 2);
  CHECK_OK(fencepost_monitor_close(monitor, NULL));
  fencepost_monitor_destroy(monitor);
  monitor = open_in(&store, "m");
  CHECK_INT(statistics_of(monitor).handed_out_events, 3);
  CHECK_INT(record_of(monitor, "a").last_event.sequence, 1);
  CHECK_INT(record_of(monitor, "b").last_event.sequence, 0);
  CHECK_OK(fencepost_monitor_poll_events(monitor, again, 2, &count, NULL));
  CHECK_INT(count, 2);
  CHECK(memcmp(batch, again, 2 * sizeof batch[0]) == 0);
  CHECK_INT(next_event(monitor).sequence, 4);
  expect_no_event(monitor);
  fencepost_monitor_destroy(monitor);
  monitor = open_in(&store, "m");
  expect_no_event(monitor);
  CHECK_INT(record_of(monitor, "d").last_event.sequence, 4);
  fencepost_monitor_destroy(monitor);
  remove_folder(&store);
}

static void a_name_is_open_once(void) {
  folder store = new_folder(), elsewhere = new_folder();
  fencepost_options options = options_for(&store);
  fencepost_monitor *first = open_with("m", &options);
  add_exact_circle(first, "a", 0);
  create_refused(FENCEPOST_E_MONITOR_IN_USE, "m", &options, "\"m\"");
  char slashed[PATH_MAX + 1];
  snprintf(slashed, sizeof slashed, "%s/", store.path);
  options.store_directory = slashed;
  create_refused(FENCEPOST_E_MONITOR_IN_USE, "m", &options, "\"m\"");
  fencepost_monitor *other = open_in(&store, "M"), *there = open_in(&elsewhere, "m"), *memory = NULL;
  CHECK_OK(fencepost_monitor_create("m", NULL, &memory, NULL));
  CHECK_OK(feed(first, 0, SECONDS(0)));
  CHECK_INT(next_event(first).sequence, 1);
  CHECK_INT(statistics_of(other).condition_count, 0);
  CHECK_INT(statistics_of(there).condition_count, 0);
  CHECK_INT(statistics_of(memory).condition_count, 0);
  CHECK_OK(fencepost_monitor_close(first, NULL));
  fencepost_monitor *second = open_in(&store, "m");
  CHECK_INT(statistics_of(second).input_count, 1);
  /* The closed monitor continues in memory, and destroying it does not affect the store. */
  CHECK_OK(feed(first, 0.1, SECONDS(1)));
  CHECK_INT(statistics_of(first).input_count, 2);
  CHECK_OK(fencepost_monitor_checkpoint(first, NULL));
  CHECK_OK(fencepost_monitor_close(first, NULL));
  fencepost_monitor_destroy(first);
  CHECK_INT(statistics_of(second).input_count, 1);
  options.store_directory = store.path;
  create_refused(FENCEPOST_E_MONITOR_IN_USE, "m", &options, "\"m\"");
  fencepost_monitor_destroy(second);
  fencepost_monitor_destroy(other);
  fencepost_monitor_destroy(there);
  fencepost_monitor_destroy(memory);
  CHECK_INT(remove_folder(&store), 2);
  CHECK_INT(remove_folder(&elsewhere), 1);
}

static void names(void) {
  folder store = new_folder();
  fencepost_options options = options_for(&store);
  static const char *const bad[] = {"", " ", "a.b", "../m", "a/b", "\xc3\xa4", "\xff", "a\n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    create_refused(FENCEPOST_E_INVALID_NAME, bad[i], &options, "name");
  create_refused(FENCEPOST_E_INVALID_ARGUMENT, NULL, &options, "name");
  char longest[65];
  memset(longest, 'a', 64);
  longest[64] = 0;
  fencepost_monitor_destroy(open_in(&store, longest));
  CHECK_INT(remove_folder(&store), 1);
}

static void directories(void) {
  folder store = new_folder();
  fencepost_options options = options_for(&store);
  char path[PATH_MAX];
  path_in(&store, "absent", path);
  options.store_directory = path;
  create_refused(FENCEPOST_E_STORE_UNAVAILABLE, "m", &options, "absent");
  path_in(&store, "file", path);
  int file = open(path, O_CREAT | O_WRONLY, 0600);
  CHECK(file >= 0 && close(file) == 0);
  create_refused(FENCEPOST_E_STORE_UNAVAILABLE, "m", &options, "not a directory");
  options.store_directory = "";
  create_refused(FENCEPOST_E_INVALID_ARGUMENT, "m", &options, "store_directory");
  options.store_directory = "/tmp/\xff";
  create_refused(FENCEPOST_E_INVALID_ARGUMENT, "m", &options, "store_directory");
  char *huge = malloc(100001);
  CHECK(huge != NULL);
  memset(huge, 'd', 100000);
  huge[0] = '/';
  huge[100000] = 0;
  options.store_directory = huge;
  create_refused(FENCEPOST_E_STORE_UNAVAILABLE, "m", &options, "store");
  free(huge);
  CHECK_INT(remove_folder(&store), 1);
}

static void option_ranges(void) {
  folder store = new_folder();
  static const int32_t durabilities[] = {-1, 3, 256, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof durabilities / sizeof durabilities[0]; i++) {
    fencepost_options options = options_for(&store);
    options.durability = durabilities[i];
    create_refused(FENCEPOST_E_INVALID_ARGUMENT, "m", &options, "durability");
  }
  static const int64_t bad[] = {0, -1, INT64_C(1000000000000001), INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    fencepost_options options = options_for(&store);
    options.checkpoint_interval_us = bad[i];
    options.durability = FENCEPOST_DURABILITY_RELAXED;
    create_refused(FENCEPOST_E_INVALID_ARGUMENT, "m", &options, "checkpoint_interval");
  }
  static const int64_t good[] = {1, INT64_C(1000000000000000)};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    fencepost_options options = options_for(&store);
    options.checkpoint_interval_us = good[i];
    options.durability = FENCEPOST_DURABILITY_RELAXED;
    fencepost_monitor_destroy(open_with("m", &options));
  }
  fencepost_options options = options_for(&store);
  options.name = "m";
  fencepost_monitor_destroy(open_with(NULL, &options)); /* the options name the monitor, too */
  create_refused(FENCEPOST_E_INVALID_ARGUMENT, "m", &options, "both set");
  CHECK_INT(remove_folder(&store), 1);
}

static void the_stored_options_hold(void) {
  folder store = new_folder();
  fencepost_options options = options_for(&store);
  options.delivery = FENCEPOST_DELIVERY_FIRST;
  options.condition_limit = 2;
  fencepost_monitor *monitor = open_with("m", &options);
  for (int i = 0; i < 3; i++) add_exact_circle(monitor, (const char *[]){"a", "b", "c"}[i], 0);
  fencepost_monitor_destroy(monitor);
  fencepost_options other = options_for(&store);
  create_refused(FENCEPOST_E_INVALID_ARGUMENT, "m", &other, "condition_limit 2");
  other.delivery = FENCEPOST_DELIVERY_FIRST;
  create_refused(FENCEPOST_E_INVALID_ARGUMENT, "m", &other, "condition_limit 2");
  other.condition_limit = 2;
  other.delivery = FENCEPOST_DELIVERY_EVERY;
  create_refused(FENCEPOST_E_INVALID_ARGUMENT, "m", &other, "delivery first");
  options.max_pending_events = 3; /* an existing store may be opened with other values of these options */
  options.initial_fix_max_age_us = 0;
  options.durability = FENCEPOST_DURABILITY_EVERY_INPUT;
  monitor = open_with("m", &options);
  CHECK_INT(statistics_of(monitor).condition_count, 3);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_STATUS(feed(monitor, 0, SECONDS(1)), FENCEPOST_E_QUEUE_FULL);
  fencepost_monitor_destroy(monitor);
  remove_folder(&store);
}

static void an_older_caller(void) {
  folder store = new_folder();
  fencepost_options options;
  memset(&options, 0xee, sizeof options);
  const fencepost_options defaults = FENCEPOST_MONITOR_OPTIONS_INIT;
  /* The library does not read the bytes beyond the caller's size: the caller's structure contains the store directory,
     but ends before the checkpoint interval. */
  memcpy(&options, &defaults, offsetof(fencepost_options, checkpoint_interval_us));
  options.struct_size = offsetof(fencepost_options, checkpoint_interval_us);
  options.store_directory = store.path;
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  fencepost_monitor_destroy(open_with("m", &options));
  CHECK_INT(remove_folder(&store), 1);
}

static void without_a_store(void) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *monitor = busy_monitor();
  snapshot before = take_snapshot(monitor);
  CHECK_OK(fencepost_monitor_checkpoint(monitor, NULL));
  CHECK_OK(fencepost_monitor_close(monitor, NULL));
  CHECK_OK(fencepost_monitor_close(monitor, NULL));
  expect_unchanged(__FILE__, __LINE__, monitor, &before, 0, 0, 0);
  fencepost_monitor_destroy(monitor);
  CHECK_STATUS(fencepost_monitor_checkpoint(NULL, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "monitor");
  CHECK_STATUS(fencepost_monitor_close(NULL, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "monitor");
  CHECK_STATUS(fencepost_monitor_close(NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
}

static void copies_are_in_memory(void) {
  folder store = new_folder();
  fencepost_monitor *monitor = open_in(&store, "m"), *fork = NULL, *restored = NULL;
  char bytes[4096];
  size_t size = 0;
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  next_event(monitor);
  CHECK_OK(fencepost_monitor_fork(monitor, &fork, NULL));
  CHECK_OK(fencepost_monitor_snapshot(monitor, bytes, sizeof bytes, &size, NULL));
  CHECK_OK(fencepost_monitor_restore(bytes, size, &restored, NULL));
  for (int i = 0; i < 2; i++) {
    fencepost_monitor *copy = i ? restored : fork;
    CHECK_INT(next_event(copy).sequence, 1);
    CHECK_OK(feed(copy, 0.1, SECONDS(1)));
    CHECK_INT(next_event(copy).sequence, 2);
    CHECK_OK(fencepost_monitor_checkpoint(copy, NULL));
    CHECK_OK(fencepost_monitor_close(copy, NULL));
    fencepost_monitor_destroy(copy);
  }
  /* None of the changes above has reached the store. */
  CHECK_INT(inputs_after_a_crash(&store), 1);
  fencepost_monitor_destroy(monitor);
  monitor = open_in(&store, "m");
  CHECK_INT(statistics_of(monitor).input_count, 1);
  CHECK_INT(next_event(monitor).sequence, 1);
  fencepost_monitor_destroy(monitor);
  CHECK_INT(remove_folder(&store), 1);
}

static const ccase cases[] = {
    {"store: create, close, open again; one file", create_close_reopen},
    {"store: destroying closes", destroying_closes},
    {"store: what was handed out and not committed comes again after close", what_was_not_committed_comes_again},
    {"store: a name is open once; it is free after close", a_name_is_open_once},
    {"store: invalid names, NULL", names},
    {"store: directories that cannot be used", directories},
    {"store: ranges of durability and interval", option_ranges},
    {"store: delivery and limit are the stored ones", the_stored_options_hold},
    {"store: options of older callers", an_older_caller},
    {"monitor_checkpoint, monitor_close: without a store, NULL", without_a_store},
    {"store: fork and snapshot are in memory", copies_are_in_memory},
};
AREA(area_store);
