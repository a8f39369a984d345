/* Contains what the store cases share: directories, and monitors in them. */
#ifndef FENCEPOST_CASE_STORES_H
#define FENCEPOST_CASE_STORES_H

#include <limits.h>

#include "check.h"

/* Creates a directory in the system's temporary directory. */
typedef struct folder {
  char path[PATH_MAX];
} folder;

folder new_folder(void);

void path_in(const folder *in, const char *name, char *path);

/* Removes the directory, which contains only plain files, and returns the number of files. */
int remove_folder(const folder *used);

fencepost_options options_for(const folder *store);
fencepost_monitor *open_with(const char *name, const fencepost_options *options);
fencepost_monitor *open_in(const folder *store, const char *name);

/* Opens the monitor "m" as a crash would leave it, and returns its number of inputs. */
uint64_t inputs_after_a_crash(const folder *store);

#endif
