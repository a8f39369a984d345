/* Tests a store's files: after a crash, on a disk that cannot be written, and when they are damaged. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stores.h"

static void durability(void) {
  static const struct {
    fencepost_durability durability;
    uint64_t first, quiet, change, later;
  } rows[] = {{FENCEPOST_DURABILITY_CHANGES, 1, 1, 3, 3},
              {FENCEPOST_DURABILITY_EVERY_INPUT, 1, 2, 3, 4},
              {FENCEPOST_DURABILITY_RELAXED, 1, 1, 1, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    folder store = new_folder();
    fencepost_options options = options_for(&store);
    options.durability = rows[i].durability;
    options.checkpoint_interval_us = 10000000;
    fencepost_monitor *monitor = open_with("m", &options);
    add_exact_circle(monitor, "a", 0);
    CHECK_OK(feed(monitor, 0, SECONDS(0)));
    CHECK_INT(inputs_after_a_crash(&store), rows[i].first);
    CHECK_OK(feed(monitor, 0.001, SECONDS(1)));
    CHECK_INT(inputs_after_a_crash(&store), rows[i].quiet);
    CHECK_OK(feed(monitor, 0.1, SECONDS(2)));
    CHECK_INT(inputs_after_a_crash(&store), rows[i].change);
    CHECK_OK(feed(monitor, 0.1, SECONDS(10)));
    CHECK_INT(inputs_after_a_crash(&store), rows[i].later);
    CHECK_OK(feed(monitor, 0.1, SECONDS(11)));
    CHECK_OK(fencepost_monitor_checkpoint(monitor, NULL));
    CHECK_INT(inputs_after_a_crash(&store), 5);
    fencepost_monitor_destroy(monitor);
    remove_folder(&store);
  }
}

/* Returns the descriptor that this process uses to write a monitor's log. */
static int log_descriptor(const folder *store) {
  char path[PATH_MAX], link[64], target[PATH_MAX], real[PATH_MAX];
  path_in(store, "m.fencepost-wal", path);
  CHECK(realpath(path, real) != NULL);
  for (int descriptor = 0; descriptor < 1024; descriptor++) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = 0;
    if (strcmp(target, real) == 0) return descriptor;
  }
  return -1;
}

static void a_failing_disk(void) {
  folder store = new_folder();
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *monitor = open_in(&store, "m");
  add_exact_circle(monitor, "a", 0);
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  next_event(monitor);
  CHECK_OK(fencepost_monitor_acknowledge(monitor, NULL));
  /* Replaces the library's descriptor of the log with one that is open for reading only. */
  char path[PATH_MAX];
  path_in(&store, "m.fencepost-wal", path);
  int log = log_descriptor(&store), reading = open(path, O_RDONLY | O_CLOEXEC);
  CHECK(log >= 0 && reading >= 0);
  int kept = dup(log);
  CHECK(kept >= 0 && dup2(reading, log) == log);
  CHECK_OK(feed(monitor, 0.1, SECONDS(1))); /* continues in memory */
  fencepost_event event = next_event(monitor);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_CROSSING);
  CHECK_INT(event.diagnostics, 0);
  event = next_event(monitor);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DIAGNOSTIC);
  CHECK_INT(event.state, FENCEPOST_STATE_UNSATISFIED);
  CHECK_INT(event.diagnostics, FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE);
  expect_no_event(monitor);
  CHECK_STATUS(fencepost_monitor_checkpoint(monitor, &error), FENCEPOST_E_STORE_UNAVAILABLE);
  CHECK_CONTAINS(error.message, "m.fencepost");
  expect_no_event(monitor); /* reported once */
  CHECK(dup2(kept, log) == log);
  CHECK_OK(fencepost_monitor_checkpoint(monitor, NULL));
  event = next_event(monitor);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_DIAGNOSTIC);
  CHECK_INT(event.diagnostics, 0);
  expect_no_event(monitor);
  /* Makes the log's descriptor read-only again and does not restore it. Closing must report the failure once, and must
     still close the store. */
  CHECK(dup2(reading, log) == log);
  CHECK_OK(feed(monitor, 0, SECONDS(2)));
  CHECK_STATUS(fencepost_monitor_close(monitor, &error), FENCEPOST_E_STORE_UNAVAILABLE);
  CHECK_OK(fencepost_monitor_close(monitor, NULL));
  CHECK_INT(statistics_of(monitor).input_count, 3);
  close(kept);
  close(reading);
  fencepost_monitor *again = open_in(&store, "m");
  CHECK_INT(statistics_of(again).input_count, 2);
  CHECK_INT(statistics_of(again).handed_out_events, 4);
  fencepost_monitor_destroy(again);
  fencepost_monitor_destroy(monitor);
  remove_folder(&store);
}

static void write_file(const folder *store, const void *bytes, size_t size) {
  char path[PATH_MAX];
  path_in(store, "m.fencepost", path);
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL);
  CHECK_INT(fwrite(bytes, 1, size, file), size);
  CHECK(fclose(file) == 0);
}

static void damaged_files(void) {
  folder store = new_folder();
  fencepost_options options = options_for(&store);
  fencepost_monitor_destroy(open_in(&store, "m"));
  char path[PATH_MAX], contents[65536];
  path_in(&store, "m.fencepost", path);
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  size_t size = fread(contents, 1, sizeof contents, file);
  fclose(file);
  CHECK(size >= 2048 && size < sizeof contents);
  write_file(&store, "", 0);
  create_refused(FENCEPOST_E_STORE_CORRUPT, "m", &options, "m.fencepost");
  write_file(&store, "no database at all", 18);
  create_refused(FENCEPOST_E_STORE_CORRUPT, "m", &options, "m.fencepost");
  write_file(&store, contents, size / 2);
  create_refused(FENCEPOST_E_STORE_CORRUPT, "m", &options, "m.fencepost");
  contents[63] = 99; /* user_version, at 60 ... 63 */
  write_file(&store, contents, size);
  create_refused(FENCEPOST_E_STORE_TOO_NEW, "m", &options, "99");
  contents[63] = 2;
  write_file(&store, contents, size);
  fencepost_monitor_destroy(open_in(&store, "m"));
  CHECK_INT(remove_folder(&store), 1);
  store = new_folder();
  options = options_for(&store);
  path_in(&store, "m.fencepost", path);
  CHECK(mkdir(path, 0700) == 0);
  create_refused(FENCEPOST_E_STORE_CORRUPT, "m", &options, "not a regular file");
  CHECK(rmdir(path) == 0);
  CHECK_INT(remove_folder(&store), 0);
}

static const ccase cases[] = {
    {"store: what each durability keeps", durability},
    {"store: a disk that cannot be written, and recovery", a_failing_disk},
    {"store: damaged, foreign and newer files", damaged_files},
};
AREA(area_store_files);
