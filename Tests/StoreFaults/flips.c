/* Flips bits in the file, most of them in its interior pages. */
#include "attacks.h"
#include "life.h"

#include <stdlib.h>
#include <string.h>

void attack_flips(long count) {
  enum {
    CONDITIONS = 2000
  };
  clear_folder();
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) abort();
  for (int i = 0; i < CONDITIONS; i++)
    if (add(monitor, i, i * 0.01 - 10)) abort();
  for (int i = 0; i < 1500; i++)
    if (feed(monitor, 1000 + i, (i * 7 % CONDITIONS) * 0.01 - 10)) abort();
  fencepost_event events[64];
  size_t polled;
  for (int i = 0; i < 20; i++) fencepost_monitor_poll_events(monitor, events, 64, &polled, &last_error);
  fencepost_monitor_destroy(monitor);
  char path[PATH_SIZE];
  path_of(path, "m.fencepost");
  size_t size, pages;
  unsigned char *sound = read_file(path, &size);
  pages = size / 1024;
  size_t *interior = malloc(pages * sizeof *interior), interiors = 0;
  for (size_t p = 1; p < pages; p++)
    if (sound[p * 1024] == 2) interior[interiors++] = p;
  if (open_monitor(&monitor, 0)) abort();
  size_t state_size;
  unsigned char *state = snapshot_of(monitor, &state_size);
  fencepost_monitor_destroy(monitor);
  long refused = 0;
  for (long i = 0; i < count; i++) {
    size_t page = i % 4 == 0 ? below(pages) : interior[below(interiors)];
    size_t place = page * 1024 + (i % 3 ? below(1024) : below(120));
    unsigned char bit = (unsigned char)(1u << below(8));
    /* In one run out of 16, flip a bit of SQLite's own header; every bit gets its turn. */
    if (i % 16 == 1) place = (size_t)(i / 16 / 8 % 100), bit = (unsigned char)(1u << i / 16 % 8);
    sound[place] ^= bit;
    clear_folder();
    write_file("m.fencepost", sound, size);
    fencepost_status status = open_monitor(&monitor, 0);
    if (status) {
      refused++;
      check_refused_flip(status, place, sound, size);
      sound[place] ^= bit;
      continue;
    }
    size_t opened_size;
    unsigned char *opened = snapshot_of(monitor, &opened_size);
    if (opened_size != state_size || memcmp(opened, state, state_size)) FAIL("bit of byte %zu: another state", place);
    free(opened);
    for (int k = 0; k < 50; k++) {
      int what = k % 5;
      if (what == 0) status = add(monitor, (int)below(3000), 5);
      else if (what == 4) status = fencepost_monitor_poll_events(monitor, events, 8, &polled, &last_error);
      else status = feed(monitor, 100000 + k, (double)below(CONDITIONS) * 0.01 - 10);
      if (status) FAIL("bit of byte %zu: later %s", place, last_error.message);
    }
    if (fencepost_monitor_checkpoint(monitor, &last_error))
      FAIL("bit of byte %zu: later %s", place, last_error.message);
    size_t last_size, again_size;
    unsigned char *last = snapshot_of(monitor, &last_size);
    fencepost_monitor_destroy(monitor);
    if (open_monitor(&monitor, 0)) {
      FAIL("bit of byte %zu: opened once and not again: %s", place, last_error.message);
    } else {
      unsigned char *again = snapshot_of(monitor, &again_size);
      if (again_size != last_size || memcmp(again, last, last_size)) FAIL("bit of byte %zu: lost later", place);
      free(again);
      fencepost_monitor_destroy(monitor);
    }
    free(last);
    sound[place] ^= bit;
  }
  printf("%ld flipped bits in %zu pages, %zu of them interior: %ld refused\n", count, pages, interiors, refused);
}
