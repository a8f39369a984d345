#define _GNU_SOURCE
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *folder;
int failures;
fencepost_error last_error = {.struct_size = sizeof(fencepost_error)};

/* splitmix64. */
static uint64_t random_state;

void random_begin(uint64_t seed) { random_state = seed; }

static uint64_t random_next(void) {
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

uint64_t below(uint64_t limit) { return random_next() % limit; }

void path_of(char out[PATH_SIZE], const char *name) { snprintf(out, PATH_SIZE, "%s/%s", folder, name); }

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place) {
  (void)status, (void)flag, (void)place;
  return remove(path);
}

void clear_folder(void) {
  if (nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) && errno != ENOENT) abort();
  if (mkdir(folder, 0755)) abort();
}

int holds_only(const char *name) {
  DIR *listing = opendir(folder);
  if (!listing) abort();
  int found = 0, others = 0;
  for (struct dirent *entry; (entry = readdir(listing));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (name && !strcmp(entry->d_name, name)) found = 1;
    else others = 1;
  }
  closedir(listing);
  return !others && found == (name != NULL);
}

unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size) abort();
  fclose(file);
  return bytes;
}

void write_file(const char *name, const void *bytes, size_t size) {
  char path[PATH_SIZE];
  path_of(path, name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) abort();
}

int in_child(void (*run)(void *context), void *context) {
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    failures = 0;
    run(context);
    fflush(stdout);
    _exit(failures != 0);
  }
  int status;
  if (waitpid(child, &status, 0) != child) abort();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1) failures++;
  return status;
}

void *share(size_t size) {
  void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) abort();
  return shared;
}

double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void check_refused_creation(fencepost_status status, long first) {
  if (status != FENCEPOST_E_STORE_UNAVAILABLE) FAIL("failing at %ld: %d %s", first, (int)status, last_error.message);
  if (!holds_only(NULL)) FAIL("a creation that failed at operation %ld left something", first);
}

void check_refused_flip(fencepost_status status, size_t place, const unsigned char *written, size_t size) {
  char path[PATH_SIZE];
  path_of(path, "m.fencepost");
  size_t left;
  unsigned char *now = read_file(path, &left);
  if (left != size || memcmp(now, written, size)) FAIL("bit of byte %zu: refused, and changed", place);
  /* A flipped bit in the header can make the file look like another kind of store. */
  if (status != FENCEPOST_E_STORE_CORRUPT && status != FENCEPOST_E_STORE_TOO_NEW)
    FAIL("bit of byte %zu: %d %s", place, (int)status, last_error.message);
  free(now);
}
