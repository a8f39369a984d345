/*
 * Corrects the checksum of damaged bytes, so that the test reaches the code after the check.
 */
#ifndef FENCEPOST_TESTS_FUZZ_SEAL_H
#define FENCEPOST_TESTS_FUZZ_SEAL_H

#include "fuzz.h"

/* Mixes a word into the checksum with the finalizer of MurmurHash3, as Sources/FencepostCore/Support/Checksum.swift
   does. */
static uint64_t sum_word(uint64_t value, uint64_t word) {
  uint64_t state = value ^ word;
  state = (state ^ state >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
  state = (state ^ state >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
  return (state ^ state >> 33) + UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t checksum(const uint8_t *bytes, size_t size) {
  uint64_t sum = UINT64_C(0x9E3779B97F4A7C15);
  size_t offset = 0;
  for (; offset + 8 <= size; offset += 8) {
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) word = word << 8 | bytes[offset + (size_t)i];
    sum = sum_word(sum, word);
  }
  uint64_t rest = 0;
  for (size_t i = size; i > offset; i--) rest = rest << 8 | bytes[i - 1];
  return sum_word(sum_word(sum, rest), size);
}

/* Writes the checksum into the last `width` bytes: 8 for a snapshot, 4 for a device. */
static void seal(uint8_t *bytes, size_t size, size_t width) {
  uint64_t sum = checksum(bytes, size - width);
  for (size_t i = 0; i < width; i++) bytes[size - width + i] = (uint8_t)(sum >> (8 * i));
}

#endif
