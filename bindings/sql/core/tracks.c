#include <math.h>
#include <stdlib.h>
#include "value.h"

/* Enlarges an array, if necessary, so that it has room for `needed` elements. The memory comes from the host. */
static bool grow(void **elements, size_t *capacity, size_t needed, size_t size, fp_message *message) {
  if (needed <= *capacity) return true;
  size_t most = SIZE_MAX / 2 / size;
  if (needed > most) return fp_no_memory(message);
  size_t larger = *capacity < 8 ? 8 : *capacity * 2;
  if (larger < needed) larger = needed;
  void *moved = fp_reallocate(*elements, larger * size);
  if (moved == NULL) return fp_no_memory(message);
  *elements = moved;
  *capacity = larger;
  return true;
}

fp_ellipse fp_no_ellipse(void) { return (fp_ellipse){NAN, NAN, NAN}; }

bool fp_is_ellipse(const fp_ellipse *ellipse) {
  return !isnan(ellipse->major_m) || !isnan(ellipse->minor_m) || !isnan(ellipse->orientation);
}

bool fp_ellipse_check(const fp_ellipse *ellipse, fp_message *message) {
  if (!fp_is_ellipse(ellipse)) return true;
  if (isfinite(ellipse->major_m) && ellipse->minor_m >= 0 && ellipse->minor_m <= ellipse->major_m &&
      isfinite(ellipse->orientation))
    return true;
  return fp_fail(message,
                 "the error ellipse with the semi-axes %.9g and %.9g and the orientation %.9g is not valid: must be "
                 "three finite numbers, the major semi-axis at least the minor one, which must be at least 0 metres; "
                 "or three NULL",
                 ellipse->major_m, ellipse->minor_m, ellipse->orientation);
}

fp_beside fp_nothing_beside(void) { return (fp_beside){fp_no_ellipse(), {NAN, 0, NAN, NAN}}; }

/* A fix without an altitude has no height: the other heights do not count then. */
static bool is_beside(const fp_beside *beside) {
  return fp_is_ellipse(&beside->ellipse) || !isnan(beside->height.altitude_m);
}

void fp_set_beside(const fp_beside *beside, fencepost_fix_columns *out) {
  out->majors_m = &beside->ellipse.major_m;
  out->minors_m = &beside->ellipse.minor_m;
  out->orientations = &beside->ellipse.orientation;
  out->altitudes_m = &beside->height.altitude_m;
  out->vertical_accuracies_m = &beside->height.vertical_accuracy_m;
  out->geoid_heights_m = &beside->height.geoid_m;
  out->ground_heights_m = &beside->height.ground_m;
  out->major_stride = out->minor_stride = out->orientation_stride = sizeof *beside;
  out->altitude_stride = out->vertical_accuracy_stride = sizeof *beside;
  out->geoid_height_stride = out->ground_height_stride = sizeof *beside;
}

/* Stores what the fixes `from` ... `to` - 1 have beside their position: copies of `beside`, or nothing if this is NULL.
   The first fixes may have been added before any ellipse or height. */
static bool add_beside(fp_track *track, size_t from, size_t to, const fp_beside *beside, fp_message *message) {
  if (track->beside == NULL && beside == NULL) return true;
  size_t first = track->beside == NULL ? 0 : from;
  if (!grow((void **)&track->beside, &track->beside_capacity, to, sizeof *track->beside, message)) return false;
  for (size_t i = first; i < to; i++)
    track->beside[i] = i < from || beside == NULL ? fp_nothing_beside() : beside[i - from];
  return true;
}

bool fp_track_add(fp_track *track, const fp_options *options, double latitude, double longitude, double accuracy_m,
                  const fp_beside *beside, int64_t time_us, fp_message *message) {
  if (!is_beside(beside)) beside = NULL;
  if (beside != NULL && !fp_ellipse_check(&beside->ellipse, message)) {
    if (!options->skip_invalid) return false;
    track->skipped++;
    return true;
  }
  if (!(latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180) || time_us < FENCEPOST_TIME_MIN ||
      time_us > FENCEPOST_TIME_MAX || !(accuracy_m >= 0)) {
    if (options->skip_invalid) {
      track->skipped++;
      return true;
    }
    char time[32] = "out of range";
    if (time_us >= FENCEPOST_TIME_MIN && time_us <= FENCEPOST_TIME_MAX) fp_time_write(time_us, time);
    return fp_fail(
        message,
        "the row with latitude %.9g, longitude %.9g, accuracy %.9g, time %s is not a valid fix: the latitude "
        "must be from -90 to 90, the longitude from -180 to 180, the accuracy at least 0, the year 1 to 9999; "
        "the option invalid=skip skips such rows",
        latitude, longitude, accuracy_m, time);
  }
  if (!grow((void **)&track->fixes, &track->capacity, track->count + 1, sizeof *track->fixes, message)) return false;
  if (!add_beside(track, track->count, track->count + 1, beside, message)) return false;
  if (track->count > 0 && track->fixes[track->count - 1].time_us > time_us) track->unsorted = true;
  track->fixes[track->count++] = (fencepost_fix){latitude, longitude, accuracy_m, time_us};
  return true;
}

bool fp_track_merge(fp_track *track, const fp_track *other, fp_message *message) {
  track->skipped += other->skipped;
  if (other->count == 0) return true;
  size_t count = track->count + other->count;
  if (!grow((void **)&track->fixes, &track->capacity, count, sizeof *track->fixes, message) ||
      !add_beside(track, track->count, count, other->beside, message))
    return false;
  track->unsorted |=
      other->unsorted || (track->count > 0 && track->fixes[track->count - 1].time_us > other->fixes[0].time_us);
  memcpy(track->fixes + track->count, other->fixes, other->count * sizeof *other->fixes);
  track->count = count;
  return true;
}

void fp_track_clear(fp_track *track) {
  if (track->fixes != NULL) fp_release(track->fixes);
  if (track->beside != NULL) fp_release(track->beside);
  *track = (fp_track){0};
}

/* Compares rows by time, and rows with the same time by position and accuracy, so that the order of the rows does not
   matter. */
static int by_time(const void *a, const void *b) {
  const fencepost_fix *x = a, *y = b;
  if (x->time_us != y->time_us) return x->time_us < y->time_us ? -1 : 1;
  if (x->latitude != y->latitude) return x->latitude < y->latitude ? -1 : 1;
  if (x->longitude != y->longitude) return x->longitude < y->longitude ? -1 : 1;
  return (x->accuracy_m > y->accuracy_m) - (x->accuracy_m < y->accuracy_m);
}

/* A fix with what it has beside its position, for sorting. */
typedef struct pair {
  fencepost_fix fix;
  fp_beside beside;
} pair;

/* A missing value comes first. */
static int by_value(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(b) - isnan(a);
  return (a > b) - (a < b);
}

static int pair_by_time(const void *a, const void *b) {
  const pair *x = a, *y = b;
  const fp_beside *one = &x->beside, *other = &y->beside;
  int order = by_time(&x->fix, &y->fix);
  if (order == 0) order = by_value(one->ellipse.major_m, other->ellipse.major_m);
  if (order == 0) order = by_value(one->ellipse.minor_m, other->ellipse.minor_m);
  if (order == 0) order = by_value(one->ellipse.orientation, other->ellipse.orientation);
  if (order == 0) order = by_value(one->height.altitude_m, other->height.altitude_m);
  if (order == 0) order = by_value(one->height.vertical_accuracy_m, other->height.vertical_accuracy_m);
  if (order == 0) order = by_value(one->height.geoid_m, other->height.geoid_m);
  return order != 0 ? order : by_value(one->height.ground_m, other->height.ground_m);
}

static bool sort(fp_track *track, fp_message *message) {
  if (track->unsorted && track->beside == NULL) {
    qsort(track->fixes, track->count, sizeof *track->fixes, by_time);
  } else if (track->unsorted) {
    pair *pairs = malloc(track->count * sizeof *pairs);
    if (pairs == NULL) return fp_no_memory(message);
    for (size_t i = 0; i < track->count; i++) pairs[i] = (pair){track->fixes[i], track->beside[i]};
    qsort(pairs, track->count, sizeof *pairs, pair_by_time);
    for (size_t i = 0; i < track->count; i++) {
      track->fixes[i] = pairs[i].fix;
      track->beside[i] = pairs[i].beside;
    }
    free(pairs);
  }
  track->unsorted = false;
  return true;
}

enum {
  BLOCK = 4096,
  EVENTS = 64,
  /* A replay may need BASE bytes, plus PLACE_BYTES bytes for each place, in addition to the memory of the places
     themselves. */
  BASE = 1 << 20,
  PLACE_BYTES = 512
};

struct fp_replay {
  const fp_places *places;
  fp_track *track;
  const fp_cancel *cancel;
  fencepost_monitor *monitor;
  size_t fed;
  fp_counts counts;
  size_t count, at; /* the number of polled events, and the index of the next event to return */
  fencepost_event events[EVENTS];
};

/* Feeds the next fixes of a replay, with their ellipses and heights. */
static fencepost_status feed(fp_replay *replay, size_t count, fencepost_feed_result *fed, fencepost_error *error) {
  const fencepost_fix *fixes = replay->track->fixes + replay->fed;
  if (replay->track->beside == NULL) return fencepost_monitor_feed_fixes(replay->monitor, fixes, count, fed, error);
  fencepost_fix_columns columns = fencepost_one_fix(fixes);
  columns.refuse_invalid = 0;
  columns.latitude_stride = columns.longitude_stride = columns.accuracy_stride = columns.time_stride = sizeof *fixes;
  fp_set_beside(replay->track->beside + replay->fed, &columns);
  return fencepost_monitor_feed_columns(replay->monitor, &columns, count, fed, error);
}

fp_replay *fp_replay_begin(const fp_places *places, fp_track *track, const fp_cancel *cancel, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (!sort(track, message)) return NULL;
  fp_replay *replay =
      fp_headroom(BASE + fp_places_count(places) * PLACE_BYTES, message) ? malloc(sizeof *replay) : NULL;
  if (replay == NULL) {
    fp_no_memory(message);
    return NULL;
  }
  replay->cancel = cancel;
  replay->places = places;
  replay->track = track;
  replay->fed = replay->count = replay->at = 0;
  replay->counts = (fp_counts){.invalid = track->skipped};
  if (fencepost_monitor_fork(fp_places_monitor(places), &replay->monitor, &error) != FENCEPOST_OK) {
    fp_fail(message, "%s", error.message);
    free(replay);
    return NULL;
  }
  return replay;
}

bool fp_replay_next(fp_replay *replay, fencepost_event *out_event, bool *out_available, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  while (replay->at == replay->count) {
    replay->at = 0;
    if (fencepost_monitor_poll_events(replay->monitor, replay->events, EVENTS, &replay->count, &error) != FENCEPOST_OK)
      return fp_fail(message, "%s", error.message);
    if (replay->count > 0) break;
    size_t left = replay->track->count - replay->fed;
    if (left == 0) {
      *out_available = false;
      return true;
    }
    size_t block = left < BLOCK ? left : BLOCK;
    if (replay->cancel != NULL && replay->cancel->wanted(replay->cancel->host)) {
      fp_fail(message, "the statement was cancelled");
      message->cause = FP_CANCELLED;
      return false;
    }
    if (!fp_headroom(BASE, message)) return false;
    fencepost_feed_result fed;
    if (feed(replay, block, &fed, &error) != FENCEPOST_OK) return fp_fail(message, "%s", error.message);
    replay->counts.accepted += fed.accepted;
    replay->counts.invalid += fed.invalid;
    replay->counts.late += fed.late;
    replay->counts.doubted += fed.doubted;
    replay->fed += block;
  }
  *out_event = replay->events[replay->at++];
  *out_available = true;
  return true;
}

void fp_replay_end(fp_replay *replay) {
  if (replay == NULL) return;
  fencepost_monitor_destroy(replay->monitor);
  free(replay);
}

bool fp_count(const fp_places *places, fp_track *track, const fp_cancel *cancel, fp_counts *out, fp_message *message) {
  fp_replay *replay = fp_replay_begin(places, track, cancel, message);
  fencepost_event event;
  bool available = replay != NULL, good = available;
  while (good && available) good = fp_replay_next(replay, &event, &available, message);
  if (good) *out = replay->counts;
  fp_replay_end(replay);
  return good;
}

const char *fp_event_kind(const fencepost_event *event) {
  switch (event->cause) {
    case FENCEPOST_CAUSE_CROSSING:
      return event->state == FENCEPOST_STATE_SATISFIED     ? "enter"
             : event->state == FENCEPOST_STATE_UNSATISFIED ? "exit"
                                                           : "cross";
    case FENCEPOST_CAUSE_DETERMINATION: return "determined";
    case FENCEPOST_CAUSE_TIMEOUT: return "timeout";
    case FENCEPOST_CAUSE_REPEAT: return "repeat";
    default: return "diagnostic";
  }
}

const char *fp_event_direction(const fencepost_event *event) {
  if (event->flags & FENCEPOST_EVENT_LEFT_TO_RIGHT) return "left_to_right";
  return (event->flags & FENCEPOST_EVENT_RIGHT_TO_LEFT) ? "right_to_left" : NULL;
}

/* ------------------------------------------------------------------------------------------- visits */

static const char *known(const fencepost_event *event) {
  return event->cause == FENCEPOST_CAUSE_CROSSING  ? "crossing"
         : event->cause == FENCEPOST_CAUSE_TIMEOUT ? "timeout"
                                                   : "determination";
}

static int by_start(const void *a, const void *b) {
  const fp_visit *x = a, *y = b;
  if (x->start_us != y->start_us) return x->start_us < y->start_us ? -1 : 1;
  return strcmp(x->identifier, y->identifier);
}

static void end_visit(fp_visit *visit, int64_t evidence_us, int64_t confirmed_us, const char *how) {
  int64_t left = evidence_us == FENCEPOST_TIME_UNSET || evidence_us > confirmed_us ? confirmed_us : evidence_us;
  visit->end_us = left < visit->start_us ? visit->start_us : left;
  visit->confirmed_end_us = confirmed_us;
  visit->end_known = how;
  visit->open = false;
}

typedef struct visits {
  fp_visit *list;
  size_t count, capacity;
  const fp_places *places;
  uint32_t *open; /* 1 + the index of each generation's open visit, or 0 */
  size_t *edges;  /* the number of the next edge of each generation: 2 n is the start of interval n, 2 n + 1 its end */
} visits;

static bool open_visit(visits *visits, const char *identifier, int64_t evidence_us, int64_t confirmed_us,
                       const char *how, fp_message *message) {
  if (visits->count == visits->capacity) {
    size_t capacity = visits->capacity < 8 ? 8 : visits->capacity * 2;
    fp_visit *list = realloc(visits->list, capacity * sizeof *list);
    if (list == NULL) return fp_no_memory(message);
    visits->list = list;
    visits->capacity = capacity;
  }
  int64_t start = evidence_us == FENCEPOST_TIME_UNSET || evidence_us > confirmed_us ? confirmed_us : evidence_us;
  visits->list[visits->count++] = (fp_visit){identifier, start, start, confirmed_us, confirmed_us, how, "open", true};
  return true;
}

/* Lets the edges of a place's hours happen up to a time. At an end, the state is unknown, so a visit ends; a start has
   the effect of adding the place again. */
static bool pass_edges(visits *visits, uint64_t generation, int64_t until_us, fp_message *message) {
  const fp_hours *hours = fp_places_hours(visits->places);
  if (hours == NULL || hours[generation - 1].intervals == NULL) return true;
  hours += generation - 1;
  for (size_t *at = &visits->edges[generation]; *at < 2 * hours->count; (*at)++) {
    const fencepost_interval *interval = &hours->intervals[*at / 2];
    int64_t time = *at % 2 == 0 ? interval->start_us : interval->end_us;
    if (time > until_us) break;
    uint32_t open = visits->open[generation];
    if (*at % 2 == 1 && open != 0) {
      end_visit(&visits->list[open - 1], time, time, "inactive");
      visits->open[generation] = 0;
    } else if (*at % 2 == 0 && open == 0 && hours->assuming == FENCEPOST_STATE_SATISFIED) {
      if (!open_visit(visits, fp_places_identifier(visits->places, generation), time, time, "assumed", message))
        return false;
      visits->open[generation] = (uint32_t)visits->count;
    }
  }
  return true;
}

/* Skips the edges up to the first fix of a track. Returns whether the place is then active. */
static bool skip_edges(visits *visits, uint64_t generation, int64_t begin_us) {
  const fp_hours *hours = fp_places_hours(visits->places);
  if (hours == NULL || hours[generation - 1].intervals == NULL) return true;
  hours += generation - 1;
  size_t *at = &visits->edges[generation];
  while (*at < 2 * hours->count &&
         (*at % 2 == 0 ? hours->intervals[*at / 2].start_us : hours->intervals[*at / 2].end_us) <= begin_us)
    (*at)++;
  return *at % 2 == 1;
}

/* The evidence of a visit's start may be a fix from before the hours began; the visit then starts with them. */
static int64_t start_of(const visits *visits, const fencepost_event *event) {
  const fp_hours *hours = fp_places_hours(visits->places);
  size_t edge = visits->edges[event->generation];
  if (hours == NULL || hours[event->generation - 1].intervals == NULL || edge % 2 == 0 ||
      event->evidence_date_us == FENCEPOST_TIME_UNSET)
    return event->evidence_date_us;
  int64_t start = hours[event->generation - 1].intervals[edge / 2].start_us;
  return event->evidence_date_us < start ? start : event->evidence_date_us;
}

bool fp_visits(const fp_places *places, fp_track *track, const fp_options *options, const fp_cancel *cancel,
               fp_visit **out_visits, size_t *out_count, fp_message *message) {
  visits found = {.places = places};
  size_t places_count = fp_places_count(places);
  uint32_t *open = found.open = calloc(places_count + 1, sizeof *open);
  size_t *edges = found.edges = calloc(places_count + 1, sizeof *edges);
  bool allocated = open != NULL && edges != NULL;
  fp_replay *replay = allocated ? fp_replay_begin(places, track, cancel, message) : NULL;
  bool good = replay != NULL, available = true;
  bool has_hours = fp_places_hours(places) != NULL;
  if (!allocated) fp_no_memory(message);
  /* If a place is assumed satisfied, its first visit begins at the first fix. */
  for (uint64_t generation = 1; good && track->count > 0 && generation <= places_count; generation++) {
    fencepost_record record;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    bool is_active = skip_edges(&found, generation, track->fixes[0].time_us);
    if (!is_active || (options->assuming == FENCEPOST_STATE_UNSATISFIED && !fp_places_assume(places))) {
      if (has_hours) continue;
      break;
    }
    const char *identifier = fp_places_identifier(places, generation);
    good = fencepost_monitor_record(fp_places_monitor(places), identifier, &record, &error) == FENCEPOST_OK ||
           fp_fail(message, "%s", error.message);
    if (good && record.last_event.state == FENCEPOST_STATE_SATISFIED) {
      int64_t begin = track->fixes[0].time_us;
      good = open_visit(&found, identifier, begin, begin, "assumed", message);
      open[generation] = (uint32_t)found.count;
    }
  }
  while (good) {
    fencepost_event event;
    good = fp_replay_next(replay, &event, &available, message);
    if (!good || !available) break;
    if (!(good = pass_edges(&found, event.generation, event.date_us, message))) break;
    /* The end of a schedule repeats the state from before the end of the hours. */
    if (event.cause == FENCEPOST_CAUSE_DIAGNOSTIC && (event.diagnostics & FENCEPOST_DIAGNOSTIC_INACTIVE)) continue;
    uint32_t at = open[event.generation];
    if (event.state == FENCEPOST_STATE_SATISFIED && at == 0) {
      good = open_visit(&found, fp_places_identifier(places, event.generation), start_of(&found, &event), event.date_us,
                        known(&event), message);
      open[event.generation] = (uint32_t)found.count;
    } else if (event.state == FENCEPOST_STATE_UNSATISFIED && at != 0) {
      end_visit(&found.list[at - 1], event.evidence_date_us, event.date_us, known(&event));
      open[event.generation] = 0;
    }
    if (good && (event.diagnostics & FENCEPOST_DIAGNOSTIC_EXHAUSTED)) {
      at = open[event.generation];
      if (at != 0) end_visit(&found.list[at - 1], event.date_us, event.date_us, "inactive");
      open[event.generation] = 0;
      edges[event.generation] = SIZE_MAX - 1; /* an even number: the place has no more edges, and is not active */
    }
  }
  /* If the last fixes of the track were refused, an open visit ends with the last accepted fix. */
  fencepost_statistics followed = FENCEPOST_STATISTICS_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (good && fencepost_monitor_statistics(replay->monitor, &followed, &error) != FENCEPOST_OK)
    good = fp_fail(message, "%s", error.message);
  for (uint64_t generation = 1; good && has_hours && track->count > 0 && generation <= places_count; generation++)
    good = pass_edges(&found, generation, followed.clock_us, message);
  fp_replay_end(replay);
  free(open);
  free(edges);
  if (!good) {
    free(found.list);
    return false;
  }
  for (size_t i = 0; i < found.count; i++)
    if (found.list[i].open && followed.clock_us > found.list[i].end_us) found.list[i].end_us = followed.clock_us;
  if (found.count > 1) qsort(found.list, found.count, sizeof *found.list, by_start);
  *out_visits = found.list;
  *out_count = found.count;
  return true;
}
