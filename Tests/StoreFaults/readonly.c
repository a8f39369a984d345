/* The process has only read permission for a store: the monitor starts in memory, reports that, and changes no file. */
#define _GNU_SOURCE
#include "attacks.h"
#include "life.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The store's folder and the number of inputs that the reading process must find in the store. */
typedef struct {
  const char *place;
  uint64_t input_count;
} expectation;

static void read_as_nobody(void *context) {
  const expectation *expected = context;
  /* The superuser can write to any file, so the process becomes another user. */
  char command[PATH_SIZE + 64];
  snprintf(command, sizeof command, "chown -R 65534 '%s'", expected->place);
  if (getuid() == 0 && (system(command) || setuid(65534))) abort();
  fencepost_monitor *monitor, *other;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_event event;
  size_t polled;
  if (open_monitor(&monitor, 0)) {
    FAIL("a store that may only be read: %s", last_error.message);
    return;
  }
  if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
  if (statistics.store != FENCEPOST_STORE_FAILING)
    FAIL("a store that may only be read has the status %u", statistics.store);
  if (statistics.input_count != expected->input_count) FAIL("a store that may only be read is another one");
  int told = 0;
  do {
    fencepost_monitor_poll_events(monitor, &event, 1, &polled, &last_error);
    if (polled && event.diagnostics & FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE) told++;
  } while (polled);
  if (told != 1) FAIL("%d events tell that a store may only be read", told);
  if (feed(monitor, 90000, 0.01)) FAIL("%s", last_error.message);
  if (open_monitor(&other, 0) != FENCEPOST_E_MONITOR_IN_USE) FAIL("two have a store that may only be read");
  if (fencepost_monitor_checkpoint(monitor, &last_error) != FENCEPOST_E_STORE_UNAVAILABLE ||
      !strstr(last_error.message, "cannot be opened for writing"))
    FAIL("a checkpoint of a store that may only be read: %s", last_error.message);
  if (fencepost_monitor_close(monitor, &last_error) != FENCEPOST_E_STORE_UNAVAILABLE) FAIL("closing did not tell");
  fencepost_monitor_destroy(monitor);
}

void attack_readonly(long count) {
  for (long i = 0; i < count; i++) {
    int with_log = (int)(i & 1), fixed_folder = (int)(i >> 1 & 1);
    clear_folder();
    if (with_log) put_crashed_store();
    else put_store();
    char path[PATH_SIZE], command[4000], aside[PATH_SIZE + 8];
    const char *place = folder;
    size_t size, after;
    path_of(path, "m.fencepost");
    unsigned char *before = read_file(path, &size);
    /* Reads the number of inputs from a copy of the store. */
    snprintf(aside, sizeof aside, "%s/aside", folder);
    snprintf(command, sizeof command, "mkdir '%s' && cp '%s'/m.* '%s'", aside, place, aside);
    if (system(command)) abort();
    folder = aside;
    fencepost_monitor *monitor;
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    if (open_monitor(&monitor, 0) || fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
    expectation expected = {place, statistics.input_count};
    fencepost_monitor_destroy(monitor);
    folder = place;
    snprintf(command, sizeof command, "rm -r '%s' && ls -A '%s' > '%s.names' && chmod 0400 '%s'/* && chmod %s '%s'",
             aside, place, place, place, fixed_folder ? "0500" : "0700", place);
    if (system(command)) abort();
    int status = in_child(read_as_nobody, &expected);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) FAIL("the process that only reads ended with %d", status);
    unsigned char *now = read_file(path, &after);
    if (size != after || memcmp(before, now, size)) FAIL("a store that may only be read was changed");
    snprintf(command, sizeof command, "chmod 0700 '%s' && ls -A '%s' | cmp - '%s.names' && rm '%s.names'", place, place,
             place, place);
    if (system(command)) FAIL("beside a store that may only be read something was left");
    free(before);
    free(now);
  }
  printf("%ld stores that may only be read, with and without a log, in folders that may and may not be written\n",
         count);
}
