/* A million conditions. */
#define _GNU_SOURCE
#include "attacks.h"
#include "life.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static long peak_megabytes(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long kilobytes = 0;
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %ld", &kilobytes);
  if (file) fclose(file);
  return kilobytes / 1024;
}

/* Returns whether a save in parts is in progress. */
static int has_draft(void) {
  DIR *listing = opendir(folder);
  int found = 0;
  for (struct dirent *entry; (entry = readdir(listing));) found |= strncmp(entry->d_name, ".m.", 3) == 0;
  closedir(listing);
  return found;
}

/* Advances time until a save has become due and is complete; prints the longest pause of a call. */
static void let_save(fencepost_monitor *monitor, int64_t *time_us, long count, const char *what) {
  double longest = 0, longest_wait = 0, all = 0;
  long calls = 0, log = 0;
  char path[PATH_SIZE];
  path_of(path, "m.fencepost-wal");
  do {
    double start = processor_seconds(), clock = seconds();
    *time_us += calls ? 1 : 2000000000;
    if (fencepost_monitor_advance(monitor, *time_us, &last_error)) FAIL("%s", last_error.message);
    double stop = processor_seconds() - start, wait = seconds() - clock;
    if (stop > longest) longest = stop;
    if (wait > longest_wait) longest_wait = wait;
    all += stop;
    calls++;
    struct stat file;
    if (!stat(path, &file) && file.st_size > log) log = (long)file.st_size;
  } while (has_draft() && calls < count);
  printf("%s: %.2f s of the processor in %ld calls, %.3f s at most in one (%.3f s by the clock), a log of %.1f MB\n",
         what, all, calls, longest, longest_wait, (double)log / 1048576);
  if (has_draft()) FAIL("the save is not complete after %ld calls", calls);
  if (longest > 0.25) FAIL("the limit is 0.25 s in one call");
  if (log > 16 << 20) FAIL("the limit is 16 MB of log");
}

void attack_million(long count) {
  clear_folder();
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_EVERY;
  options.store_directory = folder;
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  options.checkpoint_interval_us = 1000000000;
  options.max_pending_events = 1000000000;
  fencepost_monitor *monitor;
  if (fencepost_monitor_create("m", &options, &monitor, &last_error)) abort();
  long side = 1;
  while (side * side < count) side++;
  fencepost_condition_definition as_default = FENCEPOST_CONDITION_DEFINITION_INIT;
  for (long i = 0; i < count; i++) {
    char name[64];
    snprintf(name, sizeof name, "place %ld", i);
    if (fencepost_monitor_add_circular_condition(monitor, name, (double)(i / side) * 0.002 - 1,
                                                 (double)(i % side) * 0.002, 80, &as_default, &last_error))
      abort();
  }
  int64_t time_us = 1000000000;
  let_save(monitor, &time_us, count, "saving new conditions");
  /* The host loses its authorization and gets it back. Therefore each condition changes twice, and each change has an
     event, which is acknowledged. */
  static fencepost_event events[4096];
  size_t polled;
  for (int k = 0; k < 2; k++) {
    fencepost_status status = fencepost_monitor_set_host_capabilities(
        monitor, k ? 0 : FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED, 0, time_us, &last_error);
    if (status) FAIL("%s", last_error.message);
    let_save(monitor, &time_us, count, "saving an event of each");
    do fencepost_monitor_poll_events(monitor, events, 4096, &polled, &last_error);
    while (polled);
    let_save(monitor, &time_us, count, "saving that they were handled");
  }
  fencepost_monitor_destroy(monitor);
  char path[PATH_SIZE];
  path_of(path, "m.fencepost");
  struct stat file;
  if (stat(path, &file)) abort();
  printf("%.0f bytes a condition on the disk\n", (double)file.st_size / (double)count);
  if ((double)file.st_size / (double)count > 200) FAIL("the limit is 200");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    char self[PATH_SIZE], arguments[64];
    snprintf(arguments, sizeof arguments, "%ld", count);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = 0;
    execl(self, self, "open", folder, arguments, (char *)NULL);
    _exit(127);
  }
  int status;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status)) FAIL("opening it failed");
}

void open_million(long count) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.store_directory = folder;
  options.max_pending_events = 1000000000;
  fencepost_monitor *monitor;
  double start = seconds(), work = processor_seconds();
  if (fencepost_monitor_create("m", &options, &monitor, &last_error)) {
    FAIL("%s", last_error.message);
    return;
  }
  work = processor_seconds() - work;
  printf("opening: %.2f s of the processor, %.2f s by the clock, %ld MB at the peak\n", work, seconds() - start,
         peak_megabytes());
  /* With fewer than a million conditions, the limits are proportionally smaller, plus a fixed allowance for the process
     itself. */
  double share = (double)count / 1e6, few = count < 1000000;
  if (work > 3 * share + 0.1 * few) FAIL("the limit is %.2f s", 3 * share + 0.1 * few);
  if ((double)peak_megabytes() > 300 * share + 25 * few) FAIL("the limit is %.0f MB", 300 * share + 25 * few);
  fencepost_monitor_destroy(monitor);
}
