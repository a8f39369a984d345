/* Builds a plug-in that either contains the engine or is linked to the shared library. With HOST, builds a program that
 * contains the archive, exports its functions, and loads such plug-ins. The program prints the number of events for one
 * fix, which is 1: first its own count, then the count of each plug-in. */
#include <dlfcn.h>
#include <stdio.h>

#include "fencepost.h"

int events(void) {
  fencepost_monitor *monitor;
  fencepost_fix fix = {37, -122, 5, 1700000000000000};
  fencepost_event event;
  uint32_t available = 1;
  int count = 0;
  if (fencepost_monitor_create(NULL, NULL, &monitor, NULL) != FENCEPOST_OK ||
      fencepost_monitor_add_circular_condition(monitor, "office", 37, -122, 200, NULL, NULL) != FENCEPOST_OK ||
      fencepost_monitor_feed_fix(monitor, &fix, NULL) != FENCEPOST_OK)
    return -1;
  while (fencepost_monitor_poll_event(monitor, &event, &available, NULL) == FENCEPOST_OK && available != 0) count++;
  fencepost_monitor_destroy(monitor);
  return count;
}

#ifdef HOST
int main(int count, char **arguments) {
  printf("%d", events());
  for (int i = 1; i < count; i++) {
    void *plugin = dlopen(arguments[i], RTLD_NOW | (i % 2 ? RTLD_GLOBAL : RTLD_LOCAL));
    int (*of_plugin)(void) = plugin ? (int (*)(void))dlsym(plugin, "events") : NULL;
    printf(" %d", of_plugin ? of_plugin() : -2);
  }
  puts("");
  return 0;
}
#endif
