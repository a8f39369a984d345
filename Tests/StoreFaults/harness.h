/* Contains what the attacks share: the folder of the store, reporting and counting of failures, random numbers,
 * files. */
#ifndef HARNESS_H
#define HARNESS_H

#include <fencepost.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../TestSupport/definitions.h"

enum {
  PATH_SIZE = 600
};

/* The folder in which each attack creates its store. */
extern const char *folder;
extern int failures;
/* The error that the last refused call returned. */
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
/* Returns whether the folder contains only a file with this name or, if `name` is NULL, whether the folder is empty. */
int holds_only(const char *name);
unsigned char *read_file(const char *path, size_t *size);
void write_file(const char *name, const void *bytes, size_t size);

/* Checks the result if a store could not be created because operation `first` failed: the status must say so, and the
   folder must be empty. */
void check_refused_creation(fencepost_status status, long first);
/* Checks that the library refused a store in which a bit of byte `place` was flipped. The status must be damaged or too
   new, and the file must be unchanged. */
void check_refused_flip(fencepost_status status, size_t place, const unsigned char *written, size_t size);

/* Runs a child and returns waitpid()'s status. This process also counts the failures that occur in the child
   process. */
int in_child(void (*run)(void *context), void *context);
/* Allocates memory that child processes share. */
void *share(size_t size);

double seconds(void);
/* Returns the processor time of this thread, which does not depend on other work on the machine. */
double processor_seconds(void);

#endif
