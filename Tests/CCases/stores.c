#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "stores.h"

#include <dirent.h>
#include <unistd.h>

folder new_folder(void) {
  folder made;
  const char *parent = getenv("TMPDIR");
  snprintf(made.path, sizeof made.path, "%s/fencepost-case-XXXXXX", parent && *parent ? parent : "/tmp");
  CHECK(mkdtemp(made.path) != NULL);
  return made;
}

void path_in(const folder *in, const char *name, char *path) {
  CHECK(snprintf(path, PATH_MAX, "%s/%s", in->path, name) < PATH_MAX);
}

int remove_folder(const folder *used) {
  char path[PATH_MAX];
  int count = 0;
  DIR *entries = opendir(used->path);
  CHECK(entries != NULL);
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    path_in(used, entry->d_name, path);
    CHECK(unlink(path) == 0);
    count++;
  }
  closedir(entries);
  CHECK(rmdir(used->path) == 0);
  return count;
}

fencepost_options options_for(const folder *store) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.store_directory = store->path;
  return options;
}

fencepost_monitor *open_with(const char *name, const fencepost_options *options) {
  fencepost_monitor *monitor = NULL;
  CHECK_OK(fencepost_monitor_create(name, options, &monitor, NULL));
  CHECK(monitor != NULL);
  return monitor;
}

fencepost_monitor *open_in(const folder *store, const char *name) {
  fencepost_options options = options_for(store);
  return open_with(name, &options);
}

/* Copies the current files, which are the files that a crash would leave behind. */
static folder after_a_crash(const folder *store) {
  folder copy = new_folder();
  static const char *const files[] = {"m.fencepost", "m.fencepost-wal"};
  for (int i = 0; i < 2; i++) {
    char from[PATH_MAX], to[PATH_MAX], buffer[8192];
    path_in(store, files[i], from);
    path_in(&copy, files[i], to);
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    CHECK(in != NULL && out != NULL);
    for (size_t size; (size = fread(buffer, 1, sizeof buffer, in)) > 0;) CHECK_INT(fwrite(buffer, 1, size, out), size);
    CHECK(fclose(in) == 0 && fclose(out) == 0);
  }
  return copy;
}

uint64_t inputs_after_a_crash(const folder *store) {
  folder copy = after_a_crash(store);
  fencepost_monitor *monitor = open_in(&copy, "m");
  uint64_t count = statistics_of(monitor).input_count;
  fencepost_monitor_destroy(monitor);
  remove_folder(&copy);
  return count;
}
