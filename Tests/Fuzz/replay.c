/*
 * Runs a target on the named files, or on the files of a named folder, without a fuzzing engine. Prints their number.
 * If FUZZ_LOUD is set, prints the name of each file before the file is read. A failing input ends the process, so the
 * last name is that of the failing input. The process also ends if a floating-point exception other than inexact or
 * underflow is raised, because hosts may trap such exceptions. After a whole folder, each feature that the target
 * counts with REACH must have been reached.
 */
#include <dirent.h>
#include <fenv.h>
#include <sys/stat.h>

#include "fuzz.h"

static size_t replayed;

/* The counters of REACH; the linker defines the two symbols if the target has such counters. */
extern reach __start_reaches[] __attribute__((weak));
extern reach __stop_reaches[] __attribute__((weak));

/* Checks that every feature was reached, and returns their number; -1 if one was not. Different places may count
   the same feature. If FUZZ_LOUD is set, prints the counts. */
static int count_features(int is_loud) {
  int features = 0, is_missing = 0;
  for (const reach *one = __start_reaches; one < __stop_reaches; one++) {
    uint64_t count = 0;
    int is_first = 1;
    for (const reach *other = __start_reaches; other < __stop_reaches; other++) {
      if (strcmp(one->feature, other->feature) != 0) continue;
      count += other->count;
      if (other < one) is_first = 0;
    }
    if (!is_first) continue;
    if (is_loud) fprintf(stderr, "%10llu %s\n", (unsigned long long)count, one->feature);
    if (count == 0) fprintf(stderr, "not reached: %s\n", one->feature);
    is_missing |= count == 0;
    features++;
  }
  return is_missing ? -1 : features;
}

static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return 1;
  }
  static uint8_t buffer[1 << 20];
  size_t size = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  uint8_t *data = exact_copy(buffer, size);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  replayed++;
  return 0;
}

static int replay(const char *path, int is_loud) {
  struct stat status;
  if (stat(path, &status) != 0) {
    perror(path);
    return 1;
  }
  if (!S_ISDIR(status.st_mode)) {
    if (is_loud) fprintf(stderr, "%s\n", path);
    return replay_file(path);
  }
  DIR *folder = opendir(path);
  int failed = folder == NULL;
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    char name[4096];
    if (entry->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    failed |= replay(name, is_loud);
  }
  if (folder != NULL) closedir(folder);
  return failed;
}

int main(int count, char **arguments) {
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  int failed = 0;
  int is_loud = getenv("FUZZ_LOUD") != NULL;
  for (int i = 1; i < count; i++) failed |= replay(arguments[i], is_loud);
  struct stat status;
  int is_whole = count == 2 && stat(arguments[1], &status) == 0 && S_ISDIR(status.st_mode);
  int features = is_whole ? count_features(is_loud) : 0;
  printf("%zu inputs", replayed);
  if (features > 0) printf(", %d features reached", features);
  printf("\n");
  return failed || replayed == 0 || features < 0;
}
