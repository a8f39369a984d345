#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

/* Returns the days from 1970-01-01 to a date in the proleptic Gregorian calendar; after Hinnant, "chrono-compatible
 * low-level date algorithms", days_from_civil. */
static int64_t days(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t of_era = year - era * 400;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool digits(const char **at, const char *end, int count, int *out) {
  *out = 0;
  for (int i = 0; i < count; i++, (*at)++) {
    if (*at >= end || **at < '0' || **at > '9') return false;
    *out = *out * 10 + (**at - '0');
  }
  return true;
}

static bool mark(const char **at, const char *end, char wanted) {
  if (*at >= end || **at != wanted) return false;
  (*at)++;
  return true;
}

static bool read(const char *at, const char *end, int64_t *out_us, bool *has_zone) {
  *has_zone = false;
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year, month, day, hour = 0, minute = 0, second = 0, sign = 0, zone_hour = 0, zone_minute = 0;
  int64_t fraction = 0;
  if (!digits(&at, end, 4, &year) || !mark(&at, end, '-') || !digits(&at, end, 2, &month) || !mark(&at, end, '-') ||
      !digits(&at, end, 2, &day))
    return false;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > lengths[month - 1] + (month == 2 && leap)) return false;
  if (at < end) {
    if (!mark(&at, end, 'T') && !mark(&at, end, ' ')) return false;
    if (!digits(&at, end, 2, &hour) || !mark(&at, end, ':') || !digits(&at, end, 2, &minute)) return false;
    if (mark(&at, end, ':')) {
      if (!digits(&at, end, 2, &second)) return false;
      if (mark(&at, end, '.')) {
        int64_t unit = 100000;
        if (at >= end || *at < '0' || *at > '9') return false;
        for (; at < end && *at >= '0' && *at <= '9'; at++, unit /= 10) fraction += (*at - '0') * unit;
      }
    }
    if (hour > 23 || minute > 59 || second > 59) return false;
    if (mark(&at, end, '+')) sign = 1;
    else if (mark(&at, end, '-')) sign = -1;
    else *has_zone = mark(&at, end, 'Z');
    if (sign != 0) {
      *has_zone = true;
      if (!digits(&at, end, 2, &zone_hour)) return false;
      mark(&at, end, ':');
      if (at < end && !digits(&at, end, 2, &zone_minute)) return false;
      if (zone_hour > 23 || zone_minute > 59) return false;
    }
    if (at != end) return false;
  }
  int64_t seconds = days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second -
                    sign * (zone_hour * 3600 + zone_minute * 60);
  *out_us = seconds * 1000000 + fraction;
  return *out_us >= FENCEPOST_TIME_MIN && *out_us <= FENCEPOST_TIME_MAX;
}

bool fp_time_read(const char *text, size_t size, fp_zones *zones, int64_t *out_us, fp_message *message) {
  bool has_zone;
  if (read(text, text + size, out_us, &has_zone)) {
    fp_zones own = has_zone ? FP_ZONES_GIVEN : FP_ZONES_MISSING;
    if (zones == NULL) return true;
    if (*zones == FP_ZONES_UNSEEN) *zones = own;
    if (*zones == own) return true;
    return fp_fail(message,
                   "time \"%.*s\" has %s time zone, but the times before it have %s: end all times with Z or an offset "
                   "such as +02:00, or none of them (UTC)",
                   (int)(size < 40 ? size : 40), text, has_zone ? "a" : "no", has_zone ? "none" : "one");
  }
  return fp_fail(
      message,
      "time \"%.*s\" is not in a supported format, such as 2026-11-25 20:48:00 (UTC) or 2026-11-25T20:48:00.5+01:00",
      (int)(size < 40 ? size : 40), text);
}

bool fp_time_read_zoned(const char *text, size_t size, int64_t *out_us, fp_message *message) {
  bool has_zone;
  if (read(text, text + size, out_us, &has_zone) && has_zone) return true;
  return fp_fail(message, "\"%.*s\" is not a time with an offset, such as 2026-03-02T08:00+01:00",
                 (int)(size < 40 ? size : 40), text);
}

/* Removes spaces and line ends from both ends of a text. */
static void trim(const char **at, const char **end) {
  while (*at < *end && strchr(" \t\r\n", **at) != NULL) (*at)++;
  while (*end > *at && strchr(" \t\r\n", (*end)[-1]) != NULL) (*end)--;
}

bool fp_intervals_read(const char *text, size_t size, fencepost_interval **out, size_t *out_count,
                       fp_message *message) {
  size_t most = 1, count = 0;
  for (size_t i = 0; i < size; i++) most += text[i] == ';';
  fencepost_interval *found = malloc(most * sizeof *found);
  if (found == NULL) return fp_no_memory(message);
  for (const char *at = text, *stop = text + size; at < stop;) {
    const char *next = memchr(at, ';', (size_t)(stop - at)), *end = next == NULL ? stop : next;
    const char *start = at;
    at = end + 1;
    trim(&start, &end);
    if (start == end) continue;
    const char *slash = memchr(start, '/', (size_t)(end - start));
    fencepost_interval *own = &found[count];
    fp_message why;
    bool good = slash != NULL || fp_fail(&why, "there is no '/'; must be START/END in ISO 8601");
    if (good) {
      const char *middle = slash, *second = slash + 1;
      trim(&start, &middle);
      trim(&second, &end);
      good = fp_time_read_zoned(start, (size_t)(middle - start), &own->start_us, &why) &&
             fp_time_read_zoned(second, (size_t)(end - second), &own->end_us, &why);
    }
    if (!good) {
      free(found);
      return fp_fail(message, "option active, interval %zu: %.300s", count + 1, why.text);
    }
    /* The engine joins intervals that touch, too, and refuses those that are empty, overlap or are not in order. */
    if (count > 0 && own->start_us == own[-1].end_us && own->end_us > own->start_us) own[-1].end_us = own->end_us;
    else count++;
  }
  *out = found;
  *out_count = count;
  return true;
}

bool fp_time_number(double value, const fp_options *options, int64_t *out_us, fp_message *message) {
  double us = value * (double)options->unit_us;
  if (us >= (double)FENCEPOST_TIME_MIN && us <= 253402300799999872.0) {
    *out_us = options->unit_us == 1 ? (int64_t)value : (int64_t)llround(us);
    return true;
  }
  return fp_fail(message,
                 "time %.17g is outside the years 1 to 9999; if it is in milliseconds or microseconds, pass the "
                 "option time=ms or time=us",
                 value);
}

void fp_time_write(int64_t time_us, char out[32]) {
  int64_t seconds = time_us / 1000000, fraction = time_us % 1000000;
  if (fraction < 0) fraction += 1000000, seconds--;
  int64_t day = seconds / 86400, rest = seconds % 86400;
  if (rest < 0) rest += 86400, day--;
  /* The algorithm is Hinnant's civil_from_days. */
  day += 719468;
  int64_t era = (day >= 0 ? day : day - 146096) / 146097;
  int64_t of_era = day - era * 146097;
  int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted = (5 * of_year + 2) / 153;
  int month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
  int64_t year = year_of_era + era * 400 + (month <= 2);
  snprintf(out, 32, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", (int)year % 10000, month % 100,
           (int)(of_year - (153 * shifted + 2) / 5 + 1) % 100, (int)(rest / 3600) % 100, (int)(rest / 60 % 60),
           (int)(rest % 60), (int)fraction);
}
