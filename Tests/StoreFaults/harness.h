/* The shared part of the attacks: the folder of the store, reporting and counting of failures, random numbers,
 * files. */
#ifndef HARNESS_H
#define HARNESS_H

#include <fencepost.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
  PATH_SIZE = 600
};

/* The folder of each attack's store. */
extern const char *folder;
extern int failures;
/* The error of the last refused call. */
extern fencepost_error last_error;

#define FAIL(...)                     \
  do {                                \
    printf("  FAILED: " __VA_ARGS__); \
    printf("\n");                     \
    failures++;                       \
  } while (0)

void random_begin(uint64_t seed);
uint64_t below(uint64_t limit);

void path_of(char out[PATH_SIZE], const char *name);
void clear_folder(void);
/* Whether the folder contains only a file of that name; NULL: nothing at all. */
int holds_only(const char *name);
unsigned char *read_file(const char *path, size_t *size);
void write_file(const char *name, const void *bytes, size_t size);

/* A store could not be created because operation `first` failed: the status says so, and the folder is empty. */
void check_refused_creation(fencepost_status status, long first);
/* A store with a flipped bit in byte `place` was refused: as damaged or too new, and the file is unchanged. */
void check_refused_flip(fencepost_status status, size_t place, const unsigned char *written, size_t size);

/* Runs a child and returns waitpid()'s status. Failures in the child are counted here. */
int in_child(void (*run)(void *context), void *context);
/* Memory that children share. */
void *share(size_t size);

double seconds(void);
/* Processor time of this thread, which does not depend on other work of the machine. */
double processor_seconds(void);

#endif
