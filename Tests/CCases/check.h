/* Contains the checks and small helpers that all C cases share; a failed check reports its file and line. */
#ifndef FENCEPOST_CHECK_H
#define FENCEPOST_CHECK_H

#include <fencepost.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../TestSupport/definitions.h"

typedef struct ccase {
  const char *name;
  void (*run)(void);
} ccase;

/* Defines one area of test cases; each file case_*.c defines one area. */
typedef struct ccase_area {
  const ccase *cases;
  size_t count;
} ccase_area;

#define AREA(area_name) const ccase_area area_name = {cases, sizeof(cases) / sizeof(cases[0])}

/* Ends the running case with a message. */
_Noreturn void ccase_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define FAIL(...) ccase_fail(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(condition)                                \
  do {                                                  \
    if (!(condition)) FAIL("not true: %s", #condition); \
  } while (0)

#define CHECK_STATUS(call, expected)                                                                         \
  do {                                                                                                       \
    fencepost_status got_ = (call);                                                                          \
    fencepost_status want_ = (expected);                                                                     \
    if (got_ != want_)                                                                                       \
      FAIL("%s returned %s, expected %s", #call, fencepost_status_name(got_), fencepost_status_name(want_)); \
  } while (0)

#define CHECK_OK(call) CHECK_STATUS(call, FENCEPOST_OK)

#define CHECK_INT(got, expected)                                                             \
  do {                                                                                       \
    long long got_ = (long long)(got);                                                       \
    long long want_ = (long long)(expected);                                                 \
    if (got_ != want_) FAIL("%s is %lld, expected %s = %lld", #got, got_, #expected, want_); \
  } while (0)

/* This is a function and not a macro, so that a string inside a returned structure still exists while it is
   compared. */
void check_text(const char *file, int line, const char *what, const char *got, const char *expected);
#define CHECK_TEXT(got, expected) check_text(__FILE__, __LINE__, #got, got, expected)

#define CHECK_NEAR(got, expected, tolerance)                                                          \
  do {                                                                                                \
    double got_ = (got);                                                                              \
    double want_ = (expected);                                                                        \
    if (!(fabs(got_ - want_) <= (tolerance))) FAIL("%s is %.17g, expected %.17g", #got, got_, want_); \
  } while (0)

/* Checks that a text contains another text; used for messages, whose exact wording may change. */
#define CHECK_CONTAINS(text, part)                                                                      \
  do {                                                                                                  \
    if (strstr((text), (part)) == NULL) FAIL("%s is \"%s\"; \"%s\" is missing", #text, (text), (part)); \
  } while (0)

/* 2023-11-14T22:13:20Z in microseconds; the cases count seconds from there. */
#define T0 INT64_C(1700000000000000)
#define SECONDS(n) (T0 + INT64_C(1000000) * (n))

/* The UUID of the beacon in the tests, e2c56db5-dffb-48d2-b060-d0f5a71096e0. */
extern const uint8_t beacon_uuid[16];

/* Creates a monitor with the given options, or with the defaults; never returns NULL. */
fencepost_monitor *new_monitor(const fencepost_options *options);

/* Feeds a fix on the equator, where 0.01 degrees of longitude are 1113.19 m; returns the status. */
fencepost_status feed(fencepost_monitor *monitor, double longitude, int64_t time_us);

/* Adds the circle (0, 0, 1000 m) with the exact policy: longitude 0 is inside, 0.1 outside. */
void add_exact_circle(fencepost_monitor *monitor, const char *identifier, uint64_t tag);

/* Checks that fencepost_monitor_create() fails with a message that contains a text, and returns no monitor. */
void create_refused(fencepost_status expected, const char *name, const fencepost_options *options, const char *part);

/* Polls one event; fails if no event is pending. */
fencepost_event next_event(fencepost_monitor *monitor);

/* Fails if an event is waiting. */
void expect_no_event(fencepost_monitor *monitor);

fencepost_record record_of(fencepost_monitor *monitor, const char *identifier);
fencepost_statistics statistics_of(fencepost_monitor *monitor);

/*
 * Everything that can be read from a monitor without changing it: statistics, identifiers, records, explanations.
 */
typedef struct snapshot {
  fencepost_statistics statistics;
  char *identifiers;
  size_t identifiers_size;
  fencepost_record *records;
  fencepost_explanation *explanations;
  size_t count;
} snapshot;

snapshot take_snapshot(fencepost_monitor *monitor);

/* Checks that the monitor equals the snapshot, except that its counts of inputs, invalid inputs and late inputs have
   grown by the given numbers; frees the snapshot. */
void expect_unchanged(const char *file, int line, fencepost_monitor *monitor, snapshot *before, uint64_t inputs,
                      uint64_t invalid, uint64_t late);

/* Checks that a call fails with a status and leaves the monitor unchanged. */
#define CHECK_REFUSED(monitor, call, expected)                        \
  do {                                                                \
    snapshot before_ = take_snapshot(monitor);                        \
    CHECK_STATUS(call, expected);                                     \
    expect_unchanged(__FILE__, __LINE__, monitor, &before_, 0, 0, 0); \
  } while (0)

/* Checks that an input is refused and counted, but otherwise leaves the monitor unchanged. */
#define CHECK_COUNTED(monitor, call, expected, inputs, invalid, late)               \
  do {                                                                              \
    snapshot before_ = take_snapshot(monitor);                                      \
    CHECK_STATUS(call, expected);                                                   \
    expect_unchanged(__FILE__, __LINE__, monitor, &before_, inputs, invalid, late); \
  } while (0)

/* Creates a monitor with two circles, a beacon, a clock time and two waiting events, so that a test notices any
   unwanted change. */
fencepost_monitor *busy_monitor(void);

#endif
