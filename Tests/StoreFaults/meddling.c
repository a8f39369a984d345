/* Another program interferes with an open store: it overwrites the store's file with an older copy, truncates the file
   or its log, or moves the directory; or the process itself changes its directory. A state reported as saved must exist
   after a crash, and no opened store may have a state that never existed. */
#define _GNU_SOURCE
#include "attacks.h"
#include "files.h"
#include "life.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void copy_in_place(const char *from, const char *to) {
  char source[PATH_SIZE], target[PATH_SIZE];
  path_of(source, from);
  path_of(target, to);
  size_t size;
  unsigned char *bytes = read_file(source, &size);
  int file = open(target, O_WRONLY | O_TRUNC);
  if (file < 0 || write(file, bytes, size) != (ssize_t)size) abort();
  close(file);
  free(bytes);
}

static void cut(const char *name, int divisor) {
  char path[PATH_SIZE];
  path_of(path, name);
  struct stat status;
  if (stat(path, &status) == 0 && truncate(path, divisor ? status.st_size / divisor : 0)) abort();
}

static void restore_a_backup(void) { copy_in_place("backup", "m.fencepost"); }
static void empty_the_file(void) { cut("m.fencepost", 0); }
static void halve_the_file(void) { cut("m.fencepost", 2); }
static void empty_the_log(void) { cut("m.fencepost-wal", 0); }
static void halve_the_log(void) { cut("m.fencepost-wal", 2); }

static void touch_the_file(void) {
  char path[PATH_SIZE];
  path_of(path, "m.fencepost");
  struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  if (utimensat(AT_FDCWD, path, times, 0)) abort();
}

static void put_another_directory_there(void) {
  char aside[PATH_SIZE], path[PATH_SIZE + 32];
  snprintf(aside, sizeof aside, "%.500s.aside", folder);
  if (rename(folder, aside) || symlink(aside, folder) || unlink(folder) || mkdir(folder, 0700)) abort();
  snprintf(path, sizeof path, "cp '%.500s'/m.* '%.50s'", aside, folder);
  if (system(path)) abort();
}

static void change_directory(void) {
  if (chdir("/")) abort();
}

static void put_a_directory_for_the_log(void) {
  char path[PATH_SIZE];
  path_of(path, "m.fencepost-wal");
  if ((unlink(path), mkdir(path, 0700))) abort();
}

static void shut_its_directory(void) {
  if (chmod(folder, 0)) abort();
}

static const struct {
  const char *what;
  void (*meddle)(void);
} kinds[] = {
    {"overwritten by an older copy", restore_a_backup},
    {"emptied", empty_the_file},
    {"cut in half", halve_the_file},
    {"robbed of what is in its log", empty_the_log},
    {"robbed of half of its log", halve_the_log},
    {"touched", touch_the_file},
    {"put aside with its directory", put_another_directory_there},
    {"left by its process", change_directory},
    {"given a directory for a log", put_a_directory_for_the_log},
    {"shut in its directory", shut_its_directory},
};

enum {
  KINDS = sizeof kinds / sizeof *kinds
};

typedef struct {
  long kind, at, calls;
  int is_closed;
  progress progress;
  fencepost_store_status status;
  /* A hash of the final saved state if the queue contains events about the store itself; otherwise 0. */
  uint64_t sum;
} meddling;

static void live(void *context) {
  meddling *shared = context;
  fencepost_monitor *monitor;
  const char *place = folder;
  /* Change to the directory above the store's, and open the store by a relative path. */
  if (kinds[shared->kind].meddle == change_directory) {
    folder = strrchr(place, '/') + 1;
    char above[PATH_SIZE];
    snprintf(above, sizeof above, "%.*s", (int)(folder - place), place);
    if (chdir(above)) abort();
  }
  /* In half of the runs, the store's log is sometimes checkpointed. */
  files_watch(place, 0);
  if (shared->at & 1) files_room(16 << 20);
  int is_shut = kinds[shared->kind].meddle == shut_its_directory;
  /* The superuser may enter every directory, so a test that runs as superuser becomes another user. */
  if (is_shut && getuid() == 0 && (chown(folder, 65534, 65534) || setuid(65534))) abort();
  if (open_monitor(&monitor, 0)) abort();
  folder = place;
  for (long k = 0; k < shared->at + shared->calls; k++) {
    if (k == shared->at / 2) {
      char command[2 * PATH_SIZE];
      snprintf(command, sizeof command, "cp '%s/m.fencepost' '%s/backup'", folder, folder);
      if (system(command)) abort();
    }
    if (k == shared->at) kinds[shared->kind].meddle();
    if (play(monitor, k)) FAIL("call %ld: %s", k, last_error.message);
    shared->progress.completed = k + 1;
  }
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
  shared->status = statistics.store;
  if (is_shut) {
    if (shared->status == FENCEPOST_STORE_GONE) FAIL("a store that cannot be reached is not gone");
    if (chmod(folder, 0700)) abort();
    if (fencepost_monitor_checkpoint(monitor, &last_error)) FAIL("reached again: %s", last_error.message);
    shared->status = FENCEPOST_STORE_KEPT;
    shared->sum = sum_of(monitor);
  }
  if (shared->is_closed && fencepost_monitor_close(monitor, &last_error) && shared->status == FENCEPOST_STORE_KEPT)
    shared->status = FENCEPOST_STORE_FAILING;
}

void attack_meddling(long count) {
  imagine();
  meddling *shared = share(sizeof *shared);
  long kept[KINDS] = {0}, refused[KINDS] = {0};
  for (long i = 0; i < count * KINDS; i++) {
    char command[2 * PATH_SIZE];
    snprintf(command, sizeof command, "rm -rf '%s.aside'", folder);
    if (system(command)) abort();
    clear_folder();
    *shared = (meddling){.kind = i % KINDS, .is_closed = (int)(i / KINDS & 1)};
    shared->at = 20 + (long)below(200);
    shared->calls = 1 + (long)below(100);
    const char *what = kinds[shared->kind].what;
    if (in_child(live, shared)) FAIL("a store that is %s after %ld calls ends its process", what, shared->at);
    int is_kept = shared->status == FENCEPOST_STORE_KEPT;
    long completed = shared->progress.completed;
    long least = !is_kept ? 0 : shared->is_closed ? completed : lowest(completed);
    long state = 0;
    if (shared->sum) {
      fencepost_monitor *monitor;
      if (open_monitor(&monitor, 0)) state = -2;
      else if (sum_of(monitor) != shared->sum) state = -1;
      fencepost_monitor_destroy(monitor);
    } else {
      state = found_state(least, LIFE_CALLS);
    }
    if (is_kept) {
      kept[shared->kind]++;
      if (state < 0)
        FAIL("a store that is %s after %ld calls%s: call %ld was kept, and is not found: %s", what, shared->at,
             shared->is_closed ? ", and closed" : "", completed, state == -1 ? "another state" : last_error.message);
    } else if (state == -1) {
      FAIL("a store that is %s after %ld calls is another state after %ld", what, shared->at, completed);
    } else if (state == -2) {
      refused[shared->kind]++;
    }
  }
  for (int k = 0; k < KINDS; k++)
    printf("%ld stores that are %s while they are open: %ld kept, %ld refused\n", count, kinds[k].what, kept[k],
           refused[k]);
}
