/* Checks the invariants of a monitor after arbitrary calls; fuzz_calls.c updates this model along with the monitor. */
#ifndef FENCEPOST_MODEL_H
#define FENCEPOST_MODEL_H

#include "reached.h"

enum {
  PLACES = 8,
  NAMES = 9, /* identifiers: one for each place, and one that no condition has */
  FLIGHT = 8,
  CROWD = 1100
};

static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "long identifier \xc3\xa9", "f", "g", "missing"};

/* Describes one identifier: its condition and its last committed event. */
typedef struct place {
  const char *identifier; /* NULL: no condition */
  uint64_t generation;
  fencepost_event last; /* the event that the record must show as its last event */
  fencepost_event told; /* the last delivered event; its sequence is 0 before the first event is delivered */
  int is_timed;         /* whether the condition has had a timing: repeats and starts tell a state again */
  int is_gate, is_rule, is_none;
  uint32_t parts, needed; /* of a rule: its parts, by the bits of their names, and the number that must be satisfied */
} place;

typedef struct model {
  fencepost_monitor *monitor;
  int64_t clock;
  int64_t latest;   /* the latest time that the clock has ever shown; a rewind does not reset it, because earlier events
                       keep their dates */
  int64_t max_step; /* 0: no limit */
  int has_gates;    /* whether the monitor accepts gates */
  uint64_t inputs, accepted, invalid, late, ahead, sightings, doubted;
  int is_settled; /* whether a time is known, and no rewind came after the last input */
  int can_doubt;  /* whether the monitor has a plausible speed */
  uint64_t handed_out, generation;
  uint64_t crowd; /* the number of extra conditions at 60° south, which no device reaches; with so many conditions,
                     forks share the states of the first generations */
  uint64_t wakes, wakes_seen, pending; /* wake-up calls so far, wake-up calls before the last check, events waiting at
                                          the last check */
  place places[PLACES];
  fencepost_event flight[FLIGHT]; /* events that were delivered but not committed */
  fencepost_event due[FLIGHT];    /* the events to redeliver after a restart, except those of removed conditions */
  size_t flying, again;
} model;

/* The monitor calls this function to announce events. The monitor's lock is not held during this call, so the callback
   may query the monitor. */
static void model_wake(void *context) {
  model *known = context;
  fencepost_statistics counted = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(known->monitor, &counted, NULL) == FENCEPOST_OK);
  known->wakes++;
}

static void model_begin(model *known, const fencepost_options *options) {
  memset(known, 0, sizeof *known);
  known->clock = known->latest = FENCEPOST_TIME_UNSET;
  known->max_step = options->max_time_step_us;
  known->has_gates = options->path == FENCEPOST_PATH_GEODESIC && options->delivery == FENCEPOST_DELIVERY_EVERY;
  REQUIRE(fencepost_monitor_create("fuzz", options, &known->monitor, NULL) == FENCEPOST_OK);
  REQUIRE(fencepost_monitor_set_wakeup(known->monitor, model_wake, known, NULL) == FENCEPOST_OK);
}

static void model_add_crowd(model *known) {
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  for (; known->crowd < CROWD; known->crowd++) {
    char identifier[16];
    snprintf(identifier, sizeof identifier, "crowd %d", (int)known->crowd);
    options.assuming = known->crowd % 400 == 7 ? FENCEPOST_STATE_UNKNOWN : FENCEPOST_STATE_UNSATISFIED;
    REQUIRE(fencepost_monitor_add_circular_condition(known->monitor, identifier, -60, 0.1 * (double)known->crowd, 1,
                                                     &options, NULL) == FENCEPOST_OK);
  }
  known->generation = known->crowd;
}

static int model_is_of_crowd(const fencepost_event *event) { return strncmp(event->identifier, "crowd", 5) == 0; }

static fencepost_transition_policy model_policy(model *known, const char *identifier) {
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  REQUIRE(ON_OWN(known->monitor, fencepost_conditions_describe, identifier, NULL, &policy, NULL, NULL) == FENCEPOST_OK);
  return policy;
}

static place *model_find(model *known, const char *identifier) {
  for (int i = 0; i < PLACES; i++)
    if (known->places[i].identifier != NULL && strcmp(known->places[i].identifier, identifier) == 0)
      return &known->places[i];
  return NULL;
}

/* Whether one of the names is a gate. */
static int model_has_gate(model *known, uint32_t chosen) {
  for (int i = 0; i < NAMES; i++) {
    const place *here = model_find(known, names[i]);
    if (chosen >> i & 1 && here != NULL && here->is_gate) return 1;
  }
  return 0;
}

/* Whether a condition is a part of a rule other than itself. */
static int model_is_part(model *known, int number) {
  for (int i = 0; i < NAMES; i++) {
    const place *here = model_find(known, names[i]);
    if (i != number && here != NULL && here->is_rule && here->parts >> number & 1) return 1;
  }
  return 0;
}

/* Whether one of the names is `number`, or a rule that leads to it by its parts. */
static int model_leads_to(model *known, uint32_t chosen, int number) {
  uint32_t met = chosen;
  for (int round = 0; round < NAMES; round++)
    for (int i = 0; i < NAMES; i++) {
      const place *here = model_find(known, names[i]);
      if (i != number && met >> i & 1 && here != NULL && here->is_rule) met |= here->parts;
    }
  return met >> number & 1;
}

static void model_record(model *known, const char *identifier, fencepost_record *record) {
  memset(record, 0, sizeof *record);
  REQUIRE(fencepost_monitor_record(known->monitor, identifier, record, NULL) == FENCEPOST_OK);
  REQUIRE(strcmp(record->condition.identifier, identifier) == 0);
  REQUIRE(strcmp(record->last_event.identifier, identifier) == 0);
  REQUIRE(record->last_event.generation == record->condition.generation);
}

static size_t model_filter(fencepost_event *events, size_t count, uint64_t generation) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (events[i].generation != generation) events[kept++] = events[i];
  return kept;
}

/* When a condition is removed, its uncommitted events become void. */
static void model_void(model *known, uint64_t generation) {
  known->flying = model_filter(known->flight, known->flying, generation);
  known->again = model_filter(known->due, known->again, generation);
}

static void model_added(model *known, const char *identifier) {
  fencepost_record record;
  model_record(known, identifier, &record);
  place *here = model_find(known, identifier);
  for (int i = 0; here == NULL && i < PLACES; i++)
    if (known->places[i].identifier == NULL) here = &known->places[i];
  REQUIRE(here != NULL);
  if (here->identifier != NULL) model_void(known, here->generation);
  REQUIRE(record.condition.generation > known->generation); /* a generation is never reused */
  known->generation = record.condition.generation;
  memset(here, 0, sizeof *here);
  here->identifier = identifier;
  here->generation = record.condition.generation;
  here->last = record.last_event;
  REQUIRE(record.last_event.sequence == 0 || model_policy(known, identifier).notify != FENCEPOST_NOTIFY_ALL);
}

/* Removes two conditions in one call; `one` and `two` may name the same condition. */
static void model_remove_two(model *known, const char *one, const char *two) {
  const char *identifiers[] = {one, two};
  size_t removed = 9, expected = 0;
  REQUIRE(ON_OWN(known->monitor, fencepost_conditions_remove, identifiers, 2, &removed, NULL) == FENCEPOST_OK);
  for (int i = 0; i < 2; i++) {
    place *here = model_find(known, identifiers[i]);
    if (here == NULL) continue;
    expected++;
    model_void(known, here->generation);
    memset(here, 0, sizeof *here);
  }
  REQUIRE(removed == expected);
}

/* Makes one circle with the given identifier the only condition. */
static void model_sync(model *known, const char *identifier, double radius_m) {
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.identifier = identifier;
  definition.radius_m = radius_m;
  fencepost_sync_result result;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = ON_OWN(known->monitor, fencepost_conditions_sync, &definition, 1, &result, &error);
  require_detail(status, &error);
  REQUIRE((status == FENCEPOST_OK) == (radius_m > 0));
  if (status != FENCEPOST_OK) return;
  uint64_t others = 0;
  place *kept = model_find(known, identifier);
  for (int i = 0; i < PLACES; i++) {
    place *here = &known->places[i];
    if (here->identifier == NULL || here == kept) continue;
    others++;
    model_void(known, here->generation);
    memset(here, 0, sizeof *here);
  }
  REQUIRE(result.removed == others && result.added == (kept == NULL ? 1u : 0u));
  REQUIRE(result.added + result.replaced + result.kept == 1);
  if (!result.kept) model_added(known, identifier);
  size_t size, count;
  REQUIRE(ON_OWN(known->monitor, fencepost_conditions_identifiers, NULL, 0, &size, &count, NULL) == FENCEPOST_OK &&
          count == 1);
}

static void model_rewind(model *known, int64_t time) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_rewind(known->monitor, time, &error);
  require_detail(status, &error);
  int is_accepted = time >= FENCEPOST_TIME_MIN && known->clock != FENCEPOST_TIME_UNSET && time <= known->clock;
  REQUIRE(status == (is_accepted ? FENCEPOST_OK : FENCEPOST_E_INVALID_ARGUMENT));
  known->inputs++;
  if (!is_accepted) return;
  fencepost_statistics counted = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(known->monitor, &counted, NULL) == FENCEPOST_OK && counted.clock_us == time);
  known->clock = time;
  known->is_settled = 0;
  size_t count;
  for (fencepost_state state = FENCEPOST_STATE_SATISFIED; state <= FENCEPOST_STATE_UNSATISFIED; state++)
    REQUIRE(fencepost_monitor_list_conditions(known->monitor, state, 0, NULL, 0, &count, NULL) == FENCEPOST_OK &&
            count == 0);
}

static void model_remove(model *known, const char *identifier) {
  uint32_t removed = 9;
  place *here = model_find(known, identifier);
  REQUIRE(ON_OWN(known->monitor, remove_named, identifier, &removed, NULL) == FENCEPOST_OK);
  REQUIRE(removed == (here != NULL ? 1u : 0u));
  if (here == NULL) return;
  model_void(known, here->generation);
  memset(here, 0, sizeof *here);
  fencepost_record record;
  REQUIRE(fencepost_monitor_record(known->monitor, identifier, &record, NULL) == FENCEPOST_E_NOT_FOUND);
}

/* Checks the status of an input other than a fix; `is_told` is 1 if the input's other arguments were in range. */
static void model_input(model *known, fencepost_status status, int64_t time, int is_told) {
  switch (status) {
    case FENCEPOST_OK:
      REQUIRE(time >= FENCEPOST_TIME_MIN && time <= FENCEPOST_TIME_MAX);
      REQUIRE(known->clock == FENCEPOST_TIME_UNSET || time >= known->clock);
      known->inputs++;
      known->is_settled = 1;
      break;
    case FENCEPOST_E_LATE_INPUT:
      REQUIRE(known->clock != FENCEPOST_TIME_UNSET && time < known->clock);
      known->inputs++;
      known->late++;
      break;
    case FENCEPOST_E_AHEAD_OF_CLOCK:
      REQUIRE(known->max_step > 0 && known->clock != FENCEPOST_TIME_UNSET && time - known->clock > known->max_step);
      known->inputs++;
      known->ahead++;
      break;
    case FENCEPOST_E_QUEUE_FULL: break;
    default: /* a time out of range counts as an input; any other bad argument does not */
      REQUIRE(status == FENCEPOST_E_INVALID_ARGUMENT);
      if (is_told && (time < FENCEPOST_TIME_MIN || time > FENCEPOST_TIME_MAX)) known->inputs++;
  }
}

static void model_commit(model *known) {
  for (size_t i = 0; i < known->flying; i++) {
    if (model_is_of_crowd(&known->flight[i])) continue;
    place *here = model_find(known, known->flight[i].identifier);
    REQUIRE(here != NULL && here->generation == known->flight[i].generation);
    here->last = known->flight[i];
  }
  known->flying = 0;
}

/* Checks that a delivered event is in order and differs from the previous one. */
static void model_take(model *known, const fencepost_event *event) {
  REQUIRE(event->state <= 3 && event->cause >= 1 && event->cause <= 5);
  REQUIRE(event->identifier_length == strlen(event->identifier));
  REQUIRE(event->date_us == FENCEPOST_TIME_UNSET || event->date_us <= known->latest);
  REQUIRE(event->evidence_date_us == FENCEPOST_TIME_UNSET || event->evidence_date_us <= event->date_us);
  REQUIRE(isnan(event->latitude) == isnan(event->boundary_distance_m));
  if (model_is_of_crowd(event)) {
    REQUIRE(event->generation <= known->crowd);
    return;
  }
  place *here = model_find(known, event->identifier);
  REQUIRE(here != NULL && here->generation == event->generation);
  fencepost_condition condition;
  REQUIRE(ON_OWN(known->monitor, fencepost_conditions_describe, event->identifier, &condition, NULL, NULL, NULL) ==
          FENCEPOST_OK);
  REQUIRE(event->tag == condition.tag);
  REQUIRE(event->decided_by == 0 || (here->is_rule && event->decided_by <= known->generation));
  REQUIRE((condition.kind == FENCEPOST_CONDITION_RULE) == here->is_rule);
  reach_event(event);
  reach_event_of_rule(event);
  if (condition.kind ==
      FENCEPOST_CONDITION_LINE_GEOGRAPHIC) { /* a line has no state: each crossing is an event, in one direction */
    uint32_t directions = FENCEPOST_EVENT_LEFT_TO_RIGHT | FENCEPOST_EVENT_RIGHT_TO_LEFT;
    uint32_t direction = event->flags & directions;
    REQUIRE(known->has_gates &&
            (event->state == FENCEPOST_STATE_UNKNOWN || event->cause == FENCEPOST_CAUSE_DIAGNOSTIC));
    if (event->cause == FENCEPOST_CAUSE_DIAGNOSTIC) REQUIRE(direction == 0);
    else REQUIRE(event->cause == FENCEPOST_CAUSE_CROSSING && direction != 0 && direction != directions);
    here->told = *event;
    return;
  }
  if (model_policy(known, event->identifier).notify == FENCEPOST_NOTIFY_ALL &&
      event->cause != FENCEPOST_CAUSE_DIAGNOSTIC && here->told.sequence != 0 && !here->is_timed)
    REQUIRE(event->state != here->told.state || event->diagnostics != here->told.diagnostics);
  here->told = *event;
}

/* Polls up to `capacity` events; this commits the events delivered before. */
static size_t model_poll(model *known, size_t capacity) {
  fencepost_event events[FLIGHT / 2];
  size_t count = 99;
  memset(events, 0, sizeof events);
  REQUIRE(capacity <= FLIGHT / 2);
  if (capacity == 0) { /* the events are counted, and nothing changes */
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    REQUIRE(fencepost_monitor_statistics(known->monitor, &statistics, NULL) == FENCEPOST_OK);
    REQUIRE(fencepost_monitor_poll_events(known->monitor, NULL, 0, &count, NULL) == FENCEPOST_OK);
    REQUIRE(count == statistics.pending_events + known->again);
    return 0;
  }
  model_commit(known);
  REQUIRE(fencepost_monitor_poll_events(known->monitor, events, capacity, &count, NULL) == FENCEPOST_OK);
  REQUIRE(count <= capacity);
  for (size_t i = 0; i < count; i++) {
    if (known->again > 0) { /* a redelivered event must equal the event that was delivered before, byte for byte */
      REQUIRE(memcmp(&events[i], &known->due[0], sizeof events[i]) == 0);
      known->again--;
      memmove(known->due, known->due + 1, known->again * sizeof *events);
    } else {
      REQUIRE(events[i].sequence == known->handed_out + 1);
      known->handed_out++;
      model_take(known, &events[i]);
    }
    known->flight[known->flying++] = events[i];
  }
  REQUIRE(count == capacity || known->again == 0);
  return count;
}

static void model_acknowledge(model *known) {
  model_commit(known);
  REQUIRE(fencepost_monitor_acknowledge(known->monitor, NULL) == FENCEPOST_OK);
}

/* Moves the events in flight to the front of the events that must be redelivered. */
static void model_take_back(model *known) {
  REQUIRE(known->flying + known->again <= FLIGHT);
  memmove(known->due + known->flying, known->due, known->again * sizeof *known->due);
  memcpy(known->due, known->flight, known->flying * sizeof *known->due);
  known->again += known->flying;
  known->flying = 0;
}

static void model_abandon(model *known) {
  model_take_back(known);
  REQUIRE(fencepost_monitor_abandon(known->monitor, NULL) == FENCEPOST_OK);
}

static void model_restarted(model *known, fencepost_monitor *monitor) {
  known->monitor = monitor;
  REQUIRE(fencepost_monitor_set_wakeup(monitor, model_wake, known, NULL) == FENCEPOST_OK);
  model_take_back(known);
}

/* Checks the state of a rule: it follows from the states of its parts by Kleene's logic. */
static void model_rule(model *known, const place *here, const fencepost_explanation *found) {
  uint32_t satisfied = 0, unknown = 0, count = 0;
  for (int i = 0; i < NAMES; i++) {
    if (!(here->parts >> i & 1)) continue;
    fencepost_state state = FENCEPOST_STATE_UNKNOWN;
    const place *part = model_find(known, names[i]);
    if (part != NULL) {
      fencepost_explanation own = FENCEPOST_EXPLANATION_INIT;
      REQUIRE(fencepost_monitor_explain(known->monitor, names[i], &own, NULL) == FENCEPOST_OK);
      state = own.diagnostics & FENCEPOST_DIAGNOSTIC_INACTIVE ? FENCEPOST_STATE_UNSATISFIED : own.observed;
    }
    REQUIRE(count < found->part_count);
    REQUIRE(strcmp(found->parts[count].identifier, names[i]) == 0);
    REQUIRE(found->parts[count].generation == (part == NULL ? 0 : part->generation));
    REQUIRE(found->parts[count].state == state);
    satisfied += state == FENCEPOST_STATE_SATISFIED;
    unknown += state == FENCEPOST_STATE_UNKNOWN;
    count++;
  }
  REQUIRE(count == found->part_count);
  fencepost_state yes = here->is_none ? FENCEPOST_STATE_UNSATISFIED : FENCEPOST_STATE_SATISFIED;
  fencepost_state no = here->is_none ? FENCEPOST_STATE_SATISFIED : FENCEPOST_STATE_UNSATISFIED;
  fencepost_state expected = satisfied >= here->needed             ? yes
                             : satisfied + unknown >= here->needed ? FENCEPOST_STATE_UNKNOWN
                                                                   : no;
  if (found->diagnostics & FENCEPOST_DIAGNOSTIC_INACTIVE) REQUIRE(found->observed == FENCEPOST_STATE_UNKNOWN);
  else if (expected == FENCEPOST_STATE_UNKNOWN) REQUIRE(found->observed == FENCEPOST_STATE_UNKNOWN);
  else if (found->reason == FENCEPOST_REASON_DWELLING) REQUIRE(found->observed == 3 - expected);
  else REQUIRE(found->observed == expected || (found->observed == FENCEPOST_STATE_UNKNOWN && !known->is_settled));
  if (found->observed == FENCEPOST_STATE_SATISFIED) REACH("a satisfied rule");
  if (found->observed == FENCEPOST_STATE_UNSATISFIED) REACH("an unsatisfied rule");
  if (found->observed == FENCEPOST_STATE_SATISFIED && here->is_none) REACH("a satisfied rule `none`");
  if (expected == FENCEPOST_STATE_UNKNOWN) REACH("a rule that its unknown parts decide");
}

static void model_explanation(model *known, const place *here, const fencepost_record *record,
                              const fencepost_explanation *found, int is_drained) {
  REQUIRE(strcmp(fencepost_reason_name(found->reason), "unknown_reason") != 0);
  REQUIRE(found->observed >= 0 && found->observed <= 2);
  int is_gate = record->condition.kind == FENCEPOST_CONDITION_LINE_GEOGRAPHIC;
  if (is_gate) REQUIRE(found->observed == FENCEPOST_STATE_UNKNOWN && found->reason != FENCEPOST_REASON_DWELLING);
  reach_explanation(found);
  REQUIRE((found->part_count > 0) == here->is_rule);
  if (here->is_rule) model_rule(known, here, found);
  /* A shape that no fix has determined is unsatisfied after absent_after_us. */
  int is_absent = here->is_timed && found->observed == FENCEPOST_STATE_UNSATISFIED;
  switch (is_gate ? FENCEPOST_REASON_NO_FIX_YET : found->reason) {
    case FENCEPOST_REASON_INSIDE:
    case FENCEPOST_REASON_SEEN: REQUIRE(found->observed == FENCEPOST_STATE_SATISFIED); break;
    case FENCEPOST_REASON_OUTSIDE:
    case FENCEPOST_REASON_ABSENT: REQUIRE(found->observed == FENCEPOST_STATE_UNSATISFIED); break;
    case FENCEPOST_REASON_NO_FIX_YET: REQUIRE(found->observed == FENCEPOST_STATE_UNKNOWN || is_absent); break;
    case FENCEPOST_REASON_NOT_SEEN_YET:
    case FENCEPOST_REASON_SCANNER_OFF:
    case FENCEPOST_REASON_UNMONITORED:
    case FENCEPOST_REASON_SUSPENDED: REQUIRE(found->observed == FENCEPOST_STATE_UNKNOWN); break;
    case FENCEPOST_REASON_DWELLING:
      REQUIRE(found->observed != FENCEPOST_STATE_UNKNOWN && found->deadline_us != FENCEPOST_TIME_UNSET);
      break;
    default: break;
  }
  /* The record of a condition with a timing shows whether the condition is inactive now. */
  if (here->is_timed || model_policy(known, here->identifier).notify != FENCEPOST_NOTIFY_ALL) return;
  if (memcmp(&record->last_event, &here->last, sizeof here->last) != 0)
    fprintf(stderr, "%s: record %llu %d, committed %llu %d\n", here->identifier,
            (unsigned long long)record->last_event.sequence, record->last_event.state,
            (unsigned long long)here->last.sequence, here->last.state);
  REQUIRE(memcmp(&record->last_event, &here->last, sizeof here->last) == 0);
  /* After every event is delivered and acknowledged, the record shows the observed state. */
  if (is_drained && found->observed != FENCEPOST_STATE_UNKNOWN) REQUIRE(record->last_event.state == found->observed);
}

/* Checks two of the extra conditions at 60° south: one was assumed unsatisfied, and the other has no assumed state. */
static void model_check_crowd(model *known, int is_drained) {
  static const char *const identifiers[] = {"crowd 6", "crowd 7"};
  for (int i = 0; i < 2; i++) {
    fencepost_record record;
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    model_record(known, identifiers[i], &record);
    REQUIRE(fencepost_monitor_explain(known->monitor, identifiers[i], &explanation, NULL) == FENCEPOST_OK);
    REQUIRE(explanation.observed != FENCEPOST_STATE_SATISFIED);
    if (is_drained && explanation.observed != FENCEPOST_STATE_UNKNOWN)
      REQUIRE(record.last_event.state == explanation.observed);
  }
}

/* Aborts if an invariant of the engine does not hold; the released library does not have this function. */
__attribute__((weak)) void fencepost_check_invariants(fencepost_monitor *monitor);

static void model_check(model *known) {
  if (fencepost_check_invariants != NULL) fencepost_check_invariants(known->monitor);
  fencepost_statistics counted = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(known->monitor, &counted, NULL) == FENCEPOST_OK);
  REQUIRE(known->clock == FENCEPOST_TIME_UNSET || counted.clock_us >= known->clock);
  known->clock = counted.clock_us;
  if (known->clock > known->latest) known->latest = known->clock;
  REQUIRE(counted.accepted_fixes == known->accepted &&
          counted.late_inputs + counted.ahead_inputs == known->late + known->ahead);
  REQUIRE(known->max_step > 0 || counted.ahead_inputs == 0);
  REQUIRE(counted.accepted_sightings == known->sightings && counted.invalid_fixes == known->invalid);
  REQUIRE(counted.input_count == known->inputs && counted.doubted_fixes == known->doubted);
  REQUIRE(counted.handed_out_events == known->handed_out);
  REQUIRE(counted.pending_events <= known->pending || known->wakes > known->wakes_seen);
  known->pending = counted.pending_events;
  known->wakes_seen = known->wakes;
  int is_drained = counted.pending_events == 0 && known->flying == 0 && known->again == 0;
  uint64_t conditions = 0;
  for (int i = 0; i < PLACES; i++) {
    if (known->places[i].identifier == NULL) continue;
    fencepost_record record;
    fencepost_condition_state parts[NAMES];
    fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
    explanation.parts = parts, explanation.parts_capacity = NAMES;
    conditions++;
    model_record(known, known->places[i].identifier, &record);
    REQUIRE(record.condition.generation == known->places[i].generation);
    REQUIRE(fencepost_monitor_explain(known->monitor, known->places[i].identifier, &explanation, NULL) == FENCEPOST_OK);
    model_explanation(known, &known->places[i], &record, &explanation, is_drained);
  }
  REQUIRE(counted.condition_count == conditions + known->crowd);
  if (known->crowd > 0) model_check_crowd(known, is_drained);
  uint64_t after = known->crowd;
  uint32_t available = 0;
  fencepost_record record;
  while (next_record(known->monitor, after, &record, &available) == FENCEPOST_OK && available) {
    REQUIRE(record.condition.generation > after);
    after = record.condition.generation;
    REQUIRE(conditions-- > 0);
  }
  REQUIRE(conditions == 0);
}

/* Polls until no event is waiting. */
static void model_drain(model *known) {
  for (int rounds = 0; model_poll(known, 4) > 0; rounds++) REQUIRE(rounds < 10000);
}

#endif
