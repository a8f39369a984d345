/*
 * Replays a track against a file of circles, in batches, and prints the events as JSON Lines.
 *
 *     batch_replay TRACK.csv CIRCLES.csv
 *
 * TRACK has the columns time (ISO 8601, UTC), latitude, longitude and accuracy, in this order; further columns are
 * ignored. CIRCLES has the columns identifier, latitude, longitude and radius. TRACK and CIRCLES have a header line and
 * no quotes. The program reads and feeds the track in blocks, so its memory does not grow with the track.
 */
#include <fencepost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  BLOCK = 256,
  EVENTS = 64
};

static void stop(const char *file, long line, const char *reason) {
  fprintf(stderr, "%s:%ld: %s\n", file, line, reason);
  exit(2);
}

/* Returns the days from 1970-01-01 to a date in the proleptic Gregorian calendar (Howard Hinnant, days_from_civil). */
static int64_t days_from_civil(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t of_era = year - era * 400;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Converts a time such as 2024-05-01T15:30:00Z to microseconds; returns 0 if the text has another form. */
static int parse_time(const char *text, int64_t *time_us) {
  int year, month, day, hour, minute, second;
  char zone;
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%c", &year, &month, &day, &hour, &minute, &second, &zone) != 7 ||
      zone != 'Z')
    return 0;
  *time_us = (((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * INT64_C(1000000);
  return 1;
}

static void add_circles(fencepost_monitor *monitor, const char *path) {
  char row[1024];
  long line = 1;
  FILE *file = fopen(path, "r");
  if (file == NULL || fgets(row, sizeof row, file) == NULL) stop(path, 1, "cannot be read");
  while (fgets(row, sizeof row, file) != NULL) {
    char *comma = strchr(row, ',');
    double latitude = 0, longitude = 0, radius = 0;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    line++;
    if (comma == NULL || sscanf(comma + 1, "%lf,%lf,%lf", &latitude, &longitude, &radius) != 3)
      stop(path, line, "expected identifier,latitude,longitude,radius");
    *comma = 0;
    if (fencepost_monitor_add_circular_condition(monitor, row, latitude, longitude, radius, NULL, &error))
      stop(path, line, error.message);
  }
  fclose(file);
}

/* Prints the pending events, a block of events at a time; each call commits the previous block. */
static void print_events(fencepost_monitor *monitor) {
  static fencepost_event events[EVENTS];
  size_t count = 0;
  do {
    if (fencepost_monitor_poll_events(monitor, events, EVENTS, &count, NULL)) exit(1);
    for (size_t i = 0; i < count; i++) {
      char text[4096];
      if (fencepost_event_json(&events[i], NULL, text, sizeof text, NULL, NULL)) exit(1);
      puts(text);
    }
  } while (count > 0);
}

int main(int count, char **arguments) {
  static fencepost_fix fixes[BLOCK];
  char row[1024];
  long line = 1;
  if (count != 3) {
    fprintf(stderr, "usage: %s TRACK.csv CIRCLES.csv\n", arguments[0]);
    return 2;
  }
  fencepost_monitor *monitor = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (fencepost_monitor_create(NULL, NULL, &monitor, &error)) stop("monitor", 0, error.message);
  add_circles(monitor, arguments[2]);

  FILE *file = fopen(arguments[1], "r");
  if (file == NULL || fgets(row, sizeof row, file) == NULL) stop(arguments[1], 1, "cannot be read");
  fencepost_feed_result sum = {0, 0, 0, 0};
  for (size_t filled = 0;;) {
    int more = fgets(row, sizeof row, file) != NULL;
    if (more) {
      fencepost_fix *fix = &fixes[filled++];
      char *comma = strchr(row, ',');
      line++;
      if (!parse_time(row, &fix->time_us) || comma == NULL ||
          sscanf(comma + 1, "%lf,%lf,%lf", &fix->latitude, &fix->longitude, &fix->accuracy_m) != 3)
        stop(arguments[1], line, "expected time,latitude,longitude,accuracy");
    }
    if (filled == BLOCK || !more) {
      fencepost_feed_result result;
      if (fencepost_monitor_feed_fixes(monitor, fixes, filled, &result, &error))
        stop(arguments[1], line, error.message);
      sum.accepted += result.accepted;
      sum.invalid += result.invalid;
      sum.late += result.late;
      filled = 0;
      print_events(monitor);
    }
    if (!more) break;
  }
  fclose(file);
  fprintf(stderr, "%llu fixes, %llu invalid, %llu late\n", (unsigned long long)sum.accepted,
          (unsigned long long)sum.invalid, (unsigned long long)sum.late);
  fencepost_monitor_destroy(monitor);
  return 0;
}
