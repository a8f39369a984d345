/* Several processes open a store with the same name at the same time: exactly one process must get the store, whether
   the store existed before or not. */
#include "attacks.h"
#include "life.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  RACERS = 4
};

typedef struct {
  int ready, go, done;
  fencepost_status statuses[RACERS];
} race;

static void run_racer(race *shared, int number) {
  fencepost_monitor *monitor;
  __atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&shared->go, __ATOMIC_SEQ_CST)) continue;
  shared->statuses[number] = open_monitor(&monitor, 0);
  __atomic_add_fetch(&shared->done, 1, __ATOMIC_SEQ_CST);
  /* The process that opened the store keeps it open until all processes have tried to open it. */
  while (__atomic_load_n(&shared->done, __ATOMIC_SEQ_CST) < RACERS) usleep(50);
  _exit(0);
}

void attack_race(long count) {
  race *shared = share(sizeof *shared);
  for (long i = 0; i < count; i++) {
    clear_folder();
    fencepost_monitor *monitor;
    if (i % 3 == 1) {
      if (open_monitor(&monitor, 0)) abort();
      fencepost_monitor_destroy(monitor);
    } else if (i % 3 == 2) {
      /* Leaves a draft file behind, like a process that ends while it creates the store. */
      write_file(".m.fencepost-abcdef", "x", 1);
    }
    memset(shared, 0, sizeof *shared);
    fflush(stdout);
    for (int k = 0; k < RACERS; k++)
      if (fork() == 0) run_racer(shared, k);
    while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < RACERS) usleep(50);
    __atomic_store_n(&shared->go, 1, __ATOMIC_SEQ_CST);
    for (int k = 0; k < RACERS; k++) wait(NULL);
    int winners = 0;
    for (int k = 0; k < RACERS; k++) {
      if (shared->statuses[k] == FENCEPOST_OK) winners++;
      else if (shared->statuses[k] != FENCEPOST_E_MONITOR_IN_USE)
        FAIL("race %ld: one failed with %d", i, (int)shared->statuses[k]);
    }
    if (winners != 1) FAIL("race %ld: %d of %d processes have the monitor", i, winners, RACERS);
    if (open_monitor(&monitor, 0)) FAIL("race %ld: afterwards: %s", i, last_error.message);
    fencepost_monitor_destroy(monitor);
    if (!holds_only("m.fencepost")) FAIL("race %ld: something is left beside the store", i);
  }
  printf("%ld races of %d processes for one name\n", count, RACERS);
}
