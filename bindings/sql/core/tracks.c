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

bool fp_track_add(fp_track *track, const fp_options *options, double latitude, double longitude, double accuracy_m,
                  int64_t time_us, fp_message *message) {
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
  if (track->count > 0 && track->fixes[track->count - 1].time_us > time_us) track->unsorted = true;
  track->fixes[track->count++] = (fencepost_fix){latitude, longitude, accuracy_m, time_us};
  return true;
}

bool fp_track_merge(fp_track *track, const fp_track *other, fp_message *message) {
  track->skipped += other->skipped;
  if (other->count == 0) return true;
  size_t count = track->count + other->count;
  if (!grow((void **)&track->fixes, &track->capacity, count, sizeof *track->fixes, message)) return false;
  track->unsorted |=
      other->unsorted || (track->count > 0 && track->fixes[track->count - 1].time_us > other->fixes[0].time_us);
  memcpy(track->fixes + track->count, other->fixes, other->count * sizeof *other->fixes);
  track->count = count;
  return true;
}

void fp_track_clear(fp_track *track) {
  if (track->fixes != NULL) fp_release(track->fixes);
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

fp_replay *fp_replay_begin(const fp_places *places, fp_track *track, const fp_cancel *cancel, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (track->unsorted) {
    qsort(track->fixes, track->count, sizeof *track->fixes, by_time);
    track->unsorted = false;
  }
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
    if (fencepost_monitor_feed_fixes(replay->monitor, replay->track->fixes + replay->fed, block, &fed, &error) !=
        FENCEPOST_OK)
      return fp_fail(message, "%s", error.message);
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
  return event->cause == FENCEPOST_CAUSE_CROSSING ? "crossing" : "determination";
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

bool fp_visits(const fp_places *places, fp_track *track, const fp_options *options, const fp_cancel *cancel,
               fp_visit **out_visits, size_t *out_count, fp_message *message) {
  visits found = {0};
  size_t places_count = fp_places_count(places);
  uint32_t *open = calloc(places_count + 1, sizeof *open); /* 1 + the index of each generation's open visit, or 0 */
  fp_replay *replay = open == NULL ? NULL : fp_replay_begin(places, track, cancel, message);
  bool good = replay != NULL, available = true;
  if (open == NULL) fp_no_memory(message);
  /* If a place is assumed satisfied, its first visit begins at the first fix. */
  for (uint64_t generation = 1; good && track->count > 0 && generation <= places_count; generation++) {
    fencepost_record record;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    if (options->assuming == FENCEPOST_STATE_UNSATISFIED && !fp_places_assume(places)) break;
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
    uint32_t at = open[event.generation];
    if (event.state == FENCEPOST_STATE_SATISFIED && at == 0) {
      good = open_visit(&found, fp_places_identifier(places, event.generation), event.evidence_date_us, event.date_us,
                        known(&event), message);
      open[event.generation] = (uint32_t)found.count;
    } else if (event.state == FENCEPOST_STATE_UNSATISFIED && at != 0) {
      end_visit(&found.list[at - 1], event.evidence_date_us, event.date_us, known(&event));
      open[event.generation] = 0;
    }
  }
  /* If the last fixes of the track were refused, an open visit ends with the last accepted fix. */
  fencepost_statistics followed = FENCEPOST_STATISTICS_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (good && fencepost_monitor_statistics(replay->monitor, &followed, &error) != FENCEPOST_OK)
    good = fp_fail(message, "%s", error.message);
  fp_replay_end(replay);
  free(open);
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
