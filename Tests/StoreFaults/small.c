/* Tests a disk with little room: the folder is on a file system of 512 KB. */
#include "attacks.h"
#include "life.h"

#include <stdlib.h>
#include <sys/stat.h>

void attack_small(long count) {
  clear_folder();
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) {
    FAIL("%s", last_error.message);
    return;
  }
  for (int i = 0; i < 1000; i++)
    if (add(monitor, i, i * 0.01)) abort();
  fencepost_event events[8];
  size_t polled;
  char path[PATH_SIZE];
  path_of(path, "m.fencepost-wal");
  off_t longest = 0;
  for (long i = 0; i < count; i++) {
    if (feed(monitor, 1000 + i, i * 7 % 1000 * 0.01)) abort();
    fencepost_monitor_poll_events(monitor, events, 8, &polled, &last_error);
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
    struct stat log;
    if (!stat(path, &log) && log.st_size > longest) longest = log.st_size;
    if (statistics.store != FENCEPOST_STORE_KEPT) {
      fencepost_monitor_checkpoint(monitor, &last_error);
      FAIL("after %ld changes the store is not kept: %s", i, last_error.message);
      break;
    }
  }
  size_t size, again;
  unsigned char *before = snapshot_of(monitor, &size);
  fencepost_monitor_destroy(monitor);
  if (open_monitor(&monitor, 0)) {
    FAIL("%s", last_error.message);
    return;
  }
  unsigned char *after = snapshot_of(monitor, &again);
  if (!are_same(before, size, after, again)) FAIL("another state");
  fencepost_monitor_destroy(monitor);
  struct stat file;
  path_of(path, "m.fencepost");
  if (stat(path, &file)) abort();
  printf("1000 conditions and %ld changes on 512 KB: a file of %ld KB, a log of up to %ld KB\n", count,
         (long)file.st_size / 1024, (long)longest / 1024);
}
