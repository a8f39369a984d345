/* Measures the cost of an event, in disk writes. */
#include "attacks.h"
#include "files.h"
#include "life.h"

#include <stdlib.h>

/* Each fix enters or leaves one condition. */
static double latitude_of(long fix) { return (double)(fix * 7 % 1000) * 0.01 + (fix & 1 ? 0.005 : 0); }

/* Measures how many bytes an event writes, and how often it waits for the disk, as means over `count` events. Each
   event is fed, polled and acknowledged. The disk has `room` free bytes. */
static void measure(long count, uint64_t room, double most_waits) {
  clear_folder();
  files_watch(folder, 0);
  files_room(room);
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) abort();
  for (int i = 0; i < 1000; i++)
    if (add(monitor, i, i * 0.01)) abort();
  fencepost_event event;
  size_t polled;
  for (long i = 0; i < 2200; i++) {
    if (feed(monitor, 1000 + i, latitude_of(i))) abort();
    do fencepost_monitor_poll_events(monitor, &event, 1, &polled, &last_error);
    while (polled);
  }
  uint64_t bytes = files_bytes(), before = files_syncs();
  long foldings = 0;
  for (long i = 0; i < count; i++) {
    uint64_t begun = files_syncs();
    if (feed(monitor, 10000 + i, latitude_of(i))) abort();
    if (fencepost_monitor_poll_events(monitor, &event, 1, &polled, &last_error) || polled != 1) abort();
    if (fencepost_monitor_acknowledge(monitor, &last_error)) abort();
    uint64_t waits = files_syncs() - begun;
    /* The first event after a checkpoint waits more than twice, because it writes the beginning of the new log. */
    if (waits < 2 || waits > 5) FAIL("event %ld waits for the disk %d times", i, (int)waits);
    foldings += waits > 2;
  }
  double size = (double)(files_bytes() - bytes) / (double)count;
  double waits = (double)(files_syncs() - before) / (double)count;
  files_stop();
  fencepost_monitor_destroy(monitor);
  printf(
      "an event that is fed, polled and acknowledged writes %.1f KB and waits for the disk %.2f times,"
      " %ld of %ld more than twice\n",
      size / 1024, waits, foldings, count);
  if (size > 12 * 1024) FAIL("the limit is 12 KB");
  if (waits > most_waits) FAIL("the limit is %.3f times", most_waits);
}

void attack_cost(long count) {
  measure(count, (uint64_t)1 << 30, 2.005);
  /* If little room is left on the disk, the log is kept short. */
  measure(count, 16 << 20, 2.065);
}
