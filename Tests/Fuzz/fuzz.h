/* The code that the fuzz targets share: the entry point, a reader that turns bytes into values, and checks that
 * abort. */
#ifndef FENCEPOST_FUZZ_H
#define FENCEPOST_FUZZ_H

#include <fencepost.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../TestSupport/definitions.h"

/* This is the entry point for libFuzzer and replay.c. The fuzz target aborts if a check fails. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                      \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                  \
    }                                                                           \
  } while (0)

/*
 * Counts that a feature was reached, as in REACH("a rule became satisfied"). When replay.c has read a whole folder,
 * each place with REACH must have been reached: otherwise the corpus does not test what the target was written for.
 * The counters lie in a section of their own, so that replay.c also finds those that are still 0.
 */
typedef struct __attribute__((aligned(16))) reach {
  const char *feature;
  uint64_t count;
} reach;
#define REACH(name)                                                                       \
  do {                                                                                    \
    static reach here __attribute__((section("reaches"), used, aligned(16))) = {name, 0}; \
    here.count++;                                                                         \
  } while (0)

/* After a failure, the error detail must match the status, and its message must be a single terminated line. */
static inline void require_detail(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) {
    REQUIRE(error->status == 0 && error->message[0] == 0);
    return;
  }
  REQUIRE(error->status == status);
  REQUIRE(status != FENCEPOST_E_INTERNAL);
  REQUIRE(strcmp(fencepost_status_name(status), "unknown_status") != 0);
  REQUIRE(memchr(error->message, 0, sizeof error->message) != NULL);
  REQUIRE(error->message[0] != 0 && strchr(error->message, '\n') == NULL);
}

/* Reads values from the remaining bytes; when no bytes are left, it returns zeros. */
typedef struct reader {
  const uint8_t *data;
  size_t size;
} reader;

static inline uint8_t take8(reader *in) {
  if (in->size == 0) return 0;
  in->size--;
  return *in->data++;
}

static inline uint16_t take16(reader *in) {
  uint16_t high = take8(in);
  return (uint16_t)(high << 8 | take8(in));
}

/* Copies the available bytes, and fills the rest with zeros. */
static inline void take_bytes(reader *in, void *out, size_t count) {
  size_t there = count < in->size ? count : in->size;
  memset(out, 0, count);
  if (there > 0) memcpy(out, in->data, there);
  in->data += there;
  in->size -= there;
}

/* Returns a copy whose memory has exactly the size of the data, so that reading beyond the copy is detected. */
static inline uint8_t *exact_copy(const uint8_t *data, size_t size) {
  uint8_t *copy = calloc(size ? size : 1, 1);
  REQUIRE(copy != NULL);
  if (size > 0) memcpy(copy, data, size);
  return copy;
}

/* Reads a terminated text of at most capacity - 1 bytes, up to the next zero byte. */
static inline void take_text(reader *in, char *out, size_t capacity) {
  size_t length = 0;
  while (in->size > 0 && length + 1 < capacity) {
    char byte = (char)take8(in);
    if (byte == 0) break;
    out[length++] = byte;
  }
  out[length] = 0;
}

/* Reads a terminated text into allocated memory that has exactly the size of the text. */
static inline char *take_exact_text(reader *in, size_t limit) {
  size_t length = 0;
  while (length < limit && length < in->size && in->data[length] != 0) length++;
  char *text = malloc(length + 1);
  REQUIRE(text != NULL);
  if (length > 0) memcpy(text, in->data, length);
  text[length] = 0;
  in->data += length;
  in->size -= length;
  if (in->size > 0 && in->data[0] == 0) take8(in);
  return text;
}

#endif
