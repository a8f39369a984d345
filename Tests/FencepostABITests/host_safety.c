/*
 * Loads the library that the first argument names, and uses it in memory and with a store in the directory that the
 * second argument names. Fails if this process's signal dispositions, signal mask, number of threads, environment, open
 * files or locale differ afterwards. The set of open files may differ only while a store is open.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fencepost.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

typedef struct host {
  struct sigaction actions[65];
  sigset_t mask;
  int threads, files, variables;
  char locale[128];
} host;

static int count_entries(const char *path) {
  DIR *folder = opendir(path);
  int count = 0;
  if (folder == NULL) exit(2);
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static void look(host *seen) {
  memset(seen, 0, sizeof *seen);
  for (int number = 1; number <= 64; number++) sigaction(number, NULL, &seen->actions[number]);
  sigprocmask(SIG_SETMASK, NULL, &seen->mask);
  seen->threads = count_entries("/proc/self/task") - 2;
  seen->files = count_entries("/proc/self/fd");
  while (environ[seen->variables] != NULL) seen->variables++;
  snprintf(seen->locale, sizeof seen->locale, "%s", setlocale(LC_ALL, NULL));
}

static int compare(const char *moment, const host *before, const host *after) {
  int differences = 0;
  for (int number = 1; number <= 64; number++) {
    if (before->actions[number].sa_handler != after->actions[number].sa_handler ||
        before->actions[number].sa_flags != after->actions[number].sa_flags) {
      printf("%s: the disposition of signal %d (%s) changed\n", moment, number, strsignal(number));
      differences++;
    }
  }
  if (memcmp(&before->mask, &after->mask, sizeof before->mask) != 0) {
    printf("%s: the signal mask changed\n", moment);
    differences++;
  }
  if (after->threads != 1 || before->threads != 1) {
    printf("%s: %d threads, before %d\n", moment, after->threads, before->threads);
    differences++;
  }
  if (before->files != after->files || before->variables != after->variables ||
      strcmp(before->locale, after->locale) != 0) {
    printf("%s: open files %d -> %d, environment %d -> %d, locale %s -> %s\n", moment, before->files, after->files,
           before->variables, after->variables, before->locale, after->locale);
    differences++;
  }
  return differences;
}

#define LOAD(name) __typeof__(&name) name##_ = (__typeof__(&name))dlsym(library, #name)

int main(int count, char **arguments) {
  static host before, loaded, used, kept;
  if (count != 3) return 2;
  look(&before);
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("%s\n", dlerror());
    return 2;
  }
  look(&loaded);
  LOAD(fencepost_monitor_create);
  LOAD(fencepost_monitor_destroy);
  LOAD(fencepost_monitor_add_circular_condition);
  LOAD(fencepost_monitor_feed_fix);
  LOAD(fencepost_monitor_poll_event);
  LOAD(fencepost_event_json);
  if (!fencepost_monitor_create_ || !fencepost_monitor_destroy_ || !fencepost_monitor_add_circular_condition_ ||
      !fencepost_monitor_feed_fix_ || !fencepost_monitor_poll_event_ || !fencepost_event_json_)
    return 2;
  int differences = compare("after loading", &before, &loaded);
  for (int stored = 0; stored < 2; stored++) {
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    fencepost_monitor *monitor = NULL;
    fencepost_fix fix = {37.3349, -122.0091, 5, 1700000000000000};
    fencepost_event event;
    uint32_t available = 0;
    char text[4096];
    if (stored) options.store_directory = arguments[2];
    if (fencepost_monitor_create_("host_safety", &options, &monitor, NULL) ||
        fencepost_monitor_add_circular_condition_(monitor, "office", 37.3349, -122.0090, 200, NULL, NULL) ||
        fencepost_monitor_feed_fix_(monitor, &fix, NULL) ||
        fencepost_monitor_poll_event_(monitor, &event, &available, NULL) || available != 1 ||
        fencepost_event_json_(&event, NULL, text, sizeof text, NULL, NULL)) {
      printf("the library does not work\n");
      return 2;
    }
    look(&kept);
    if (stored) kept.files = before.files;
    differences += compare(stored ? "in use with a store" : "in use", &before, &kept);
    fencepost_monitor_destroy_(monitor);
    look(&used);
    differences += compare(stored ? "after use with a store" : "after use", &before, &used);
  }
  if (differences) return 1;
  printf("the host is unchanged\n");
  return 0;
}
